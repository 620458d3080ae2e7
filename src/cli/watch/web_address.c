#include "cli/watch/web_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/file.h"

enum { BACKLOG = 16 };

static gannet_err new_socket(int family, int *descriptor) {
  *descriptor = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  return *descriptor >= 0 ? GANNET_OK : gannet_raise_errno("make", "a socket");
}

/* Remove a socket that nobody listens on. */
static gannet_err clear_stale(const struct sockaddr_un *name) {
  struct stat about;
  int probe = -1;
  if (lstat(name->sun_path, &about)) return GANNET_OK;
  GANNET_REQUIRE(S_ISSOCK(about.st_mode), GANNET_ERR_INPUT,
                 "'%s' is not a socket, and gannet watch --web needs this name; move the file away",
                 name->sun_path);
  GANNET_TRY(new_socket(AF_UNIX, &probe));
  const int failed = connect(probe, (const struct sockaddr *)name, sizeof *name) ? errno : 0;
  (void)close(probe);
  GANNET_REQUIRE(failed == ECONNREFUSED || failed == ENOENT, GANNET_ERR_BUSY,
                 "another gannet watch --web shows this campaign, on '%s'; use that one, or end it",
                 name->sun_path);
  if (unlink(name->sun_path) && errno != ENOENT)
    return gannet_raise_errno("remove", name->sun_path);
  return GANNET_OK;
}

/* Listen on a path that fits. *refused is the error of a file system that takes no socket. */
static gannet_err listen_on(const char *path, web_address *address, int *refused) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  struct stat about;
  *refused = 0;
  memcpy(name.sun_path, path, strlen(path) + 1);
  GANNET_TRY(clear_stale(&name));
  GANNET_TRY(new_socket(AF_UNIX, &address->listener));
  const mode_t before = umask(0177); /* the socket never has another mode than 0600 */
  const int failed = bind(address->listener, (const struct sockaddr *)&name, sizeof name);
  *refused = failed ? errno : 0;
  (void)umask(before);
  if (failed) {
    (void)close(address->listener);
    address->listener = -1;
    GANNET_REQUIRE(
        *refused != EADDRINUSE, GANNET_ERR_BUSY,
        "another gannet watch --web has just begun to show this campaign, on '%s'; use that one",
        path);
    return GANNET_OK;
  }
  (void)snprintf(address->path, sizeof address->path, "%s", path);
  if (listen(address->listener, BACKLOG) || lstat(path, &about))
    return gannet_raise_errno("listen on", path);
  address->device = about.st_dev;
  address->inode = about.st_ino;
  return GANNET_OK;
}

static gannet_err listen_in_private_folder(web_address *address) {
  const char *const bases[] = {getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp"};
  char path[sizeof address->folder + 16];
  int refused = 0;
  for (size_t i = 0; i < sizeof bases / sizeof *bases; ++i) {
    if (!bases[i] || bases[i][0] != '/' || strlen(bases[i]) + 24 > sizeof address->folder) continue;
    (void)snprintf(address->folder, sizeof address->folder, "%s/gannet-web-XXXXXX", bases[i]);
    if (mkdtemp(address->folder)) { /* of mode 0700 */
      (void)snprintf(path, sizeof path, "%s/web.sock", address->folder);
      GANNET_TRY(listen_on(path, address, &refused));
      if (!refused) return GANNET_OK;
      (void)rmdir(address->folder);
    }
    address->folder[0] = '\0';
  }
  return GANNET_RAISE(
      GANNET_ERR_IO,
      "no directory can hold a socket (%s), nor can one below /tmp; set TMPDIR to a "
      "short path, or use --port",
      address->why);
}

gannet_err web_address_open_socket(const char *directory, web_address *address) {
  const struct sockaddr_un example;
  char path[PATH_MAX];
  int refused = 0;
  *address = (web_address){.listener = -1};
  GANNET_TRY(gannet_join_path(directory, "web.sock", path, sizeof path));
  if (strlen(path) < sizeof example.sun_path) {
    GANNET_TRY(listen_on(path, address, &refused));
    if (!refused) return GANNET_OK;
    (void)snprintf(address->why, sizeof address->why,
                   "the campaign directory cannot hold a socket: %s", strerror(refused));
  } else {
    (void)snprintf(address->why, sizeof address->why,
                   "the path of the campaign directory is too long for a socket: %zu characters "
                   "with /web.sock, at most %zu",
                   strlen(path), sizeof example.sun_path - 1);
  }
  return listen_in_private_folder(address);
}

gannet_err web_address_open_port(int port, web_address *address) {
  struct sockaddr_in name = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof name;
  unsigned char secret[(sizeof address->token - 1) / 2];
  const int yes = 1;
  *address = (web_address){.listener = -1};
  if (getrandom(secret, sizeof secret, 0) != (ssize_t)sizeof secret)
    return gannet_raise_errno("draw", "a secret");
  for (size_t i = 0; i < sizeof secret; ++i)
    (void)snprintf(address->token + 2 * i, 3, "%02x", secret[i]);
  GANNET_TRY(new_socket(AF_INET, &address->listener));
  (void)setsockopt(address->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(address->listener, (const struct sockaddr *)&name, sizeof name) ||
      listen(address->listener, BACKLOG)) {
    GANNET_REQUIRE(errno != EADDRINUSE, GANNET_ERR_BUSY,
                   "--port: port %d of this host is in use; choose another, or 0 for any", port);
    return gannet_raise_errno("listen on", "the port of --port");
  }
  if (getsockname(address->listener, (struct sockaddr *)&name, &size))
    return gannet_raise_errno("find", "the port of --port");
  address->port = ntohs(name.sin_port);
  return GANNET_OK;
}

bool web_address_is_there(const web_address *address) {
  struct stat about;
  if (!address->path[0]) return true;
  return lstat(address->path, &about) == 0 && about.st_dev == address->device &&
         about.st_ino == address->inode;
}

void web_address_close(web_address *address) {
  if (address->listener >= 0) (void)close(address->listener);
  address->listener = -1;
  if (address->path[0] && web_address_is_there(address)) (void)unlink(address->path);
  if (address->folder[0]) (void)rmdir(address->folder);
}
