/* What passes between the controller and its helper process, and the helper's own parts.
 *
 * The socket is SOCK_SEQPACKET: a message arrives whole or not at all, and end of file means that
 * the other side is gone, however it died.
 */
#ifndef GANNET_EVALUATE_LAUNCHER_PROTOCOL_H
#define GANNET_EVALUATE_LAUNCHER_PROTOCOL_H

#include <stddef.h>
#include <sys/types.h>

#include "evaluate/launcher.h"

/* Below the smallest usual socket buffer (net.core.wmem_max, 208 KiB). */
enum { GANNET_LAUNCHER_MESSAGE = 128 * 1024 };

typedef enum { GANNET_LAUNCHER_DO_LAUNCH, GANNET_LAUNCHER_DO_KILL } gannet_launcher_verb;

/* Controller to helper. After a launch follow its texts, each with its zero byte: directory,
 * program, outcome and results ("" = none), arguments, environment. Helper to controller goes
 * gannet_launch_event. */
typedef struct {
  gannet_launcher_verb verb;
  int n_arguments, n_environment;
  int64_t tag;
  double time_limit, grace;
  uint64_t nonce;
} gannet_launcher_command;

/* A launch as the helper sees it; texts point into the message. */
typedef struct {
  gannet_launcher_command command;
  char *directory, *program, *outcome, *results;
  char **arguments;   /* NULL-terminated */
  char **environment; /* NULL-terminated */
} gannet_launcher_order;

/* The helper's main loop; returns when the controller is gone and every child is dead.
 *
 * Local.
 */
void gannet_launcher_serve(int socket);

/* Start a child. On success *pid is its process, session and group; on failure *stage and errno say
 * which call failed and why.
 *
 * Local.
 *
 * inherited  in  NULL-terminated environment that order->environment is added to
 */
int gannet_launcher_spawn(const gannet_launcher_order *order, char *const *inherited, pid_t *pid,
                          const char **stage);

/* Send a signal to a child and everything it started: its process group, its session, and orphans
 * that carry its mark in their environment. Returns how many others than the leader were found,
 * counting those that cannot be told yet because they are in the middle of execve.
 *
 * Local.
 *
 * leader  in  pid of the child
 * mark    in  "GANNET_LAUNCH=..." as given to the child
 */
int gannet_launcher_signal_family(pid_t leader, const char *mark, int signal);

/* Whether somebody other than the leader, of those that gannet_launcher_signal_family would reach,
 * has a file open.
 *
 * Local.
 */
bool gannet_launcher_family_holds(pid_t leader, const char *mark, const char *file);

/* Kill what the children of a helper that is dead have left: every process that carries a mark of
 * that helper.
 *
 * Local.
 */
void gannet_launcher_end_orphans(pid_t helper);

/* How many children this process has, zombies included; -1 when the system does not tell. Orphans
 * come to the helper as its children, so when there are none but the leaders, nothing that a leader
 * started is left.
 *
 * Local.
 */
int gannet_launcher_count_children(void);

/* Enough for a mark. */
enum { GANNET_LAUNCHER_MARK = 64 };

/* The mark of a child of this helper.
 *
 * Local.
 */
void gannet_launcher_mark(int64_t tag, char *mark);

#endif
