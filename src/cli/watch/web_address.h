/* Where the live page is served: a Unix socket that only its owner can open, or, where asked for, a
 * port of this host's loopback with a secret in its address.
 *
 * Every user of a login node can reach its loopback, so a port needs the secret. A socket needs
 * none: it has mode 0600, or lies in a directory of mode 0700.
 */
#ifndef GANNET_CLI_WATCH_WEB_ADDRESS_H
#define GANNET_CLI_WATCH_WEB_ADDRESS_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

typedef struct {
  int listener;        /* bound and listening; -1 = none */
  char path[PATH_MAX]; /* of the socket, absolute; "" = a port */
  char folder[64];     /* the private directory that was made for it; "" = the campaign directory */
  char why[300];       /* why it is not in the campaign directory */
  dev_t device;        /* of the file that path is */
  ino_t inode;
  int port;
  char token[33]; /* of a port: in every address; "" = a socket */
} web_address;

/* Listen on web.sock in a directory. Where the path is too long for a socket, or the file system
 * takes none, in a private directory below $XDG_RUNTIME_DIR, $TMPDIR or /tmp. A socket that a dead
 * server has left is replaced.
 *
 * Local.
 *
 * directory  in   absolute
 * address    out  to be closed, also after an error
 *
 * Errors: GANNET_ERR_BUSY when another server listens there; GANNET_ERR_INPUT when the name is
 *   taken by something that is no socket; GANNET_ERR_IO.
 */
GANNET_CHECKED gannet_err web_address_open_socket(const char *directory, web_address *address);

/* Listen on a port of 127.0.0.1; 0 = any that is free.
 *
 * Local.
 *
 * Errors: GANNET_ERR_BUSY when the port is in use; GANNET_ERR_IO.
 */
GANNET_CHECKED gannet_err web_address_open_port(int port, web_address *address);

/* Whether the socket is still where it was made: nobody has removed or replaced it.
 *
 * Local.
 */
bool web_address_is_there(const web_address *address);

/* Stop listening, and remove what was made.
 *
 * Local.
 */
void web_address_close(web_address *address);

#endif
