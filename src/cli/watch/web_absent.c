/* The server of programs that are linked without libmicrohttpd. gannet watch becomes the program
 * that has it (cli/program.h), or says that gannet was built without it. */
#include "cli/watch/web_server.h"

gannet_err web_server_start(const web_address *address, web_answerer answer, void *user,
                            web_server **server) {
  (void)address;
  (void)answer;
  (void)user;
  *server = NULL;
  return GANNET_RAISE(GANNET_ERR_LIBRARY,
                      "this gannet was built without GNU libmicrohttpd, which --web needs (Debian "
                      "package libmicrohttpd-dev); `gannet report` writes the page as a file");
}

gannet_err web_server_wait(web_server *server, int milliseconds) {
  (void)server;
  (void)milliseconds;
  return GANNET_OK;
}

void web_server_stop(web_server **server) {
  (void)server;
}
