/* A server of a few texts, by GNU libmicrohttpd. It answers GET and HEAD and refuses all else, so a
 * request changes nothing.
 *
 * Only the program of libexec/gannet/web has it (cli/program.h): the library needs others, which
 * no other command should load.
 */
#ifndef GANNET_CLI_WATCH_WEB_SERVER_H
#define GANNET_CLI_WATCH_WEB_SERVER_H

#include <stddef.h>

#include "base/error.h"
#include "cli/watch/web_address.h"

typedef struct {
  const char *type; /* of the content; NULL = there is no such page */
  char *text;       /* from malloc; freed by the server */
  size_t size;
} web_answer;

/* Make the answer to a request.
 *
 * path    in   from "/" on, without the secret
 * answer  out  zeroed
 *
 * Errors: become the answer 500 with a short text.
 */
typedef gannet_err (*web_answerer)(void *user, const char *path, web_answer *answer);

typedef struct web_server web_server;

/* Begin to answer on an address.
 *
 * Local.
 *
 * address  in   outlives the server, which leaves its listener open
 * server   out  to be stopped
 *
 * Errors: GANNET_ERR_MEMORY, GANNET_ERR_LIBRARY.
 */
GANNET_CHECKED gannet_err web_server_start(const web_address *address, web_answerer answer,
                                           void *user, web_server **server);

/* Wait for requests for so long, and answer those that come; a signal ends the wait.
 *
 * Local.
 *
 * Errors: GANNET_ERR_LIBRARY.
 */
GANNET_CHECKED gannet_err web_server_wait(web_server *server, int milliseconds);

/* Local. Accepts a pointer to NULL. */
void web_server_stop(web_server **server);

#endif
