/* JSON values as text, and from files. */
#ifndef GANNET_EVALUATE_CONTRACT_JSON_TEXT_H
#define GANNET_EVALUATE_CONTRACT_JSON_TEXT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"

/* Write the whole text of a value. (json_dumps leaves something out when its memory cannot grow.)
 *
 * Local.
 *
 * value  in   NULL = it could not be made
 * how    in   flags of json_dumps
 * what   in   for messages
 * text   out  to be freed with gannet_free; NULL after an error
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_json_text(const json_t *value, size_t how, const char *what,
                                           char **text);

/* Read a small file that gannet wrote where simulations can write, too. Returns NULL when it does
 * not exist, is no regular file, or holds anything else than JSON; to be freed with json_decref.
 *
 * Local.
 */
json_t *gannet_json_read(const char *path);

/* Replace the words NaN, Infinity and -Infinity, which JSON does not have and many programs write
 * all the same, by 0 and blanks, so that the rest of the text can be read. Texts keep theirs.
 *
 * Local.
 *
 * text  inout  [size]
 *
 * Returns whether there were any.
 */
bool gannet_json_blank_words(char *text, size_t size);

#endif
