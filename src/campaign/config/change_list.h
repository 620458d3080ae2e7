/* Differences between two configurations, key by key. */
#ifndef GANNET_CAMPAIGN_CONFIG_CHANGE_LIST_H
#define GANNET_CAMPAIGN_CONFIG_CHANGE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* One difference; owns its texts. */
typedef struct {
  char *key;
  char *before, *now; /* NULL = none */
} gannet_change_item;

/* Zero-initialise; free with gannet_change_list_release. */
typedef struct {
  int n, capacity;
  gannet_change_item *item; /* [n] */
} gannet_change_list;

/* Append a copy of a difference.
 *
 * Local.
 *
 * before, now  in  NULL = none
 */
GANNET_CHECKED gannet_err gannet_change_list_add(gannet_change_list *list, const char *key,
                                                 const char *before, const char *now);
void gannet_change_list_release(gannet_change_list *list);

/* Differences that are being found. The first error stays, and nothing is added after it. */
typedef struct {
  gannet_change_list *list;
  gannet_err err;
} gannet_change_collector;

/* Append a copy of a difference.
 *
 * Local.
 *
 * before, now  in  NULL = none
 */
void gannet_change_collect(gannet_change_collector *changes, const char *key, const char *before,
                           const char *now);

/* Whether a list has a difference already, with the same values.
 *
 * Local.
 */
bool gannet_change_list_has(const gannet_change_list *list, const gannet_change_item *item);

/* "method: neural-bo -> sobol". Values that do not fit are left out, as are longer keys.
 *
 * Local.
 *
 * text  out  [size]
 *
 * Returns the length of the text, 0 when not even the key fits.
 */
size_t gannet_change_format(const gannet_change_item *item, char *text, size_t size);

enum { GANNET_CHANGES_TEXT = 640 };

/* "method: neural-bo -> sobol, search.candidates: 500 -> 600, and 4 more": the first differences.
 *
 * Local.
 *
 * text  out  [GANNET_CHANGES_TEXT]
 */
void gannet_change_list_format(const gannet_change_list *list, char *text);

#endif
