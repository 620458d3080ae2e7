#define _GNU_SOURCE /* struct ucred */
#include "cli/watch/web_server.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"

enum { MOST_CONNECTIONS = 32, IDLE_SECONDS = 60 };

struct web_server {
  struct MHD_Daemon *daemon;
  const web_address *address;
  web_answerer answer;
  void *user;
};

/* The page is all that it needs: nothing is loaded from elsewhere, no other page may frame it, and
 * no browser keeps it. */
static const char *const headers[][2] = {
    {"Cache-Control", "no-store"},
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: "
     "blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Referrer-Policy", "no-referrer"},
    {"X-Content-Type-Options", "nosniff"}};

/* text  in  from malloc, owned */
static enum MHD_Result reply(struct MHD_Connection *connection, unsigned status, const char *type,
                             char *text, size_t size) {
  struct MHD_Response *response =
      MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE);
  if (!response) {
    free(text);
    return MHD_NO;
  }
  (void)MHD_add_response_header(response, "Content-Type", type);
  for (size_t i = 0; i < sizeof headers / sizeof *headers; ++i)
    (void)MHD_add_response_header(response, headers[i][0], headers[i][1]);
  if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
    (void)MHD_add_response_header(response, "Allow", "GET, HEAD");
  const enum MHD_Result queued = MHD_queue_response(connection, status, response);
  MHD_destroy_response(response);
  return queued;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status,
                              const char *words) {
  char *text = strdup(words);
  return text ? reply(connection, status, "text/plain", text, strlen(text)) : MHD_NO;
}

/* Whether a browser asks for this host by a name of its own loopback. A page of somebody else whose
 * name points to the loopback would come with that name. */
static bool is_own_name(struct MHD_Connection *connection) {
  static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
  const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
  for (size_t i = 0; host && i < sizeof names / sizeof *names; ++i) {
    const size_t length = strlen(names[i]);
    if (strncmp(host, names[i], length) == 0 && (host[length] == '\0' || host[length] == ':'))
      return true;
  }
  return false;
}

/* The path behind the secret; NULL when it is not there. The time does not tell where two secrets
 * differ first. */
static const char *behind_token(const char *token, const char *path) {
  const size_t length = strlen(token);
  unsigned differs = 0;
  if (length == 0) return path;
  if (strlen(path) < length + 2 || path[length + 1] != '/') return NULL;
  for (size_t i = 0; i < length; ++i)
    differs |= (unsigned char)path[i + 1] ^ (unsigned char)token[i];
  return differs ? NULL : path + length + 1;
}

static enum MHD_Result handle(void *user, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state) {
  web_server *server = user;
  web_answer answer = {0};
  (void)version;
  (void)upload;
  (void)state;
  if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
    return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
  if (*upload_size > 0) { /* nobody reads it */
    *upload_size = 0;
    return MHD_YES;
  }
  const char *path = behind_token(server->address->token, url);
  if (!server->address->token[0]) {
    /* The mode of the socket keeps others away, too, where the file system honours it. */
    const union MHD_ConnectionInfo *about =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (!about || getsockopt(about->connect_fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) ||
        (peer.uid != geteuid() && peer.uid != 0))
      path = NULL;
  }
  if (!path) return refuse(connection, MHD_HTTP_FORBIDDEN, "not yours\n");
  if (!is_own_name(connection))
    return refuse(connection, MHD_HTTP_FORBIDDEN, "use http://localhost\n");
  if (server->answer(server->user, path, &answer) != GANNET_OK) {
    free(answer.text);
    const enum MHD_Result refused =
        refuse(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, gannet_error_message());
    gannet_error_clear();
    return refused;
  }
  if (!answer.type) return refuse(connection, MHD_HTTP_NOT_FOUND, "no such page\n");
  return reply(connection, MHD_HTTP_OK, answer.type, answer.text, answer.size);
}

gannet_err web_server_start(const web_address *address, web_answerer answer, void *user,
                            web_server **server) {
  GANNET_TRY(gannet_alloc(1, sizeof **server, server));
  **server = (web_server){.address = address, .answer = answer, .user = user};
  (*server)->daemon =
      MHD_start_daemon(MHD_NO_FLAG, 0, NULL, NULL, handle, *server, MHD_OPTION_LISTEN_SOCKET,
                       address->listener, MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS,
                       MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS, MHD_OPTION_END);
  if ((*server)->daemon) return GANNET_OK;
  gannet_free(server);
  return GANNET_RAISE(GANNET_ERR_LIBRARY, "libmicrohttpd could not start a server");
}

gannet_err web_server_wait(web_server *server, int milliseconds) {
  GANNET_REQUIRE(MHD_run_wait(server->daemon, milliseconds) == MHD_YES, GANNET_ERR_LIBRARY,
                 "libmicrohttpd could not wait for requests");
  return GANNET_OK;
}

void web_server_stop(web_server **server) {
  if (!*server) return;
  const MHD_socket listener = MHD_quiesce_daemon((*server)->daemon); /* its owner closes it */
  (void)listener;
  MHD_stop_daemon((*server)->daemon);
  gannet_free(server);
}
