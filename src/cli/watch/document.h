/* The state of a campaign as JSON: `gannet status --format json`, and what the live page asks for.
 */
#ifndef GANNET_CLI_WATCH_DOCUMENT_H
#define GANNET_CLI_WATCH_DOCUMENT_H

#include <jansson.h>

#include "cli/watch/watch.h"

/* Everything of docs/status-json.md.
 *
 * Local.
 *
 * course  in  up to date
 * most    in  reasons for failures to list
 *
 * Returns an object for json_decref; NULL when memory is short.
 */
json_t *watch_document(const gannet_follow *follow, const watch_course *course, long long most);

#endif
