/* Finding an entry by the name that a user typed, and suggesting the nearest name when it is wrong.
 */
#ifndef GANNET_BASE_NAMES_H
#define GANNET_BASE_NAMES_H

#include <stddef.h>

#include "base/error.h"

/* The known word nearest to a misspelt one (edit distance with transpositions), or NULL when
 * nothing is near enough to be worth suggesting.
 *
 * Local.
 *
 * known  in  NULL-terminated
 */
const char *gannet_nearest(const char *word, const char *const *known);

/* Write the three known words that are nearest to a word, however far: "a, b, c", of equally near
 * ones the first.
 *
 * Local.
 *
 * known  in   NULL-terminated
 * list   out  [size]
 */
void gannet_list_nearest(const char *word, const char *const *known, char *list, size_t size);

/* How many letters must be put in, left out, changed or swapped to make one word of another, in
 * letters of any case; words are compared up to 63 letters.
 *
 * Local.
 */
int gannet_name_distance(const char *a, const char *b);

/* Find an entry of a registry.
 *
 * Local.
 *
 * family   in   what the entries are ("surrogate"), for the message
 * entries  in   NULL-terminated; every entry is a struct whose first member is its name
 * index    out  position of the entry
 *
 * Errors: GANNET_ERR_NAME with the known names and the nearest one.
 */
GANNET_CHECKED gannet_err gannet_name_find(const char *family, const char *name,
                                           const void *const *entries, int *index);

#endif
