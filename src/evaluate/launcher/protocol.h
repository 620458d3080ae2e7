/* What passes between the controller and its helper process, and the helper's own parts.
 *
 * The socket is SOCK_SEQPACKET: a message arrives whole or not at all, and end of file means that
 * the other side is gone, however it died.
 */
#ifndef GANNET_EVALUATE_LAUNCHER_PROTOCOL_H
#define GANNET_EVALUATE_LAUNCHER_PROTOCOL_H

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

#include "evaluate/launcher/launcher.h"
#include "gannet/version.h"

/* Below the smallest usual socket buffer (net.core.wmem_max, 208 KiB). */
enum { GANNET_LAUNCHER_MESSAGE = 128 * 1024 };

enum { GANNET_LAUNCHER_PROCESSORS = 1024 }; /* GANNET_PROCESSORS_MOST of base/resources.h */

typedef enum { GANNET_LAUNCHER_DO_LAUNCH, GANNET_LAUNCHER_DO_KILL } gannet_launcher_verb;

/* A message from the controller to the helper. Behind a launch follow its texts, each with its zero
 * byte: directory, program, outcome and results ("" = none), arguments, environment. The helper
 * answers with gannet_launch_event. */
typedef struct {
  gannet_launcher_verb verb;
  int n_arguments, n_environment;
  int64_t tag;
  double time_limit, grace;
  uint64_t nonce;
  bool unbinds_mpirun;
  bool is_placed;                                       /* the next member counts */
  uint64_t processors[GANNET_LAUNCHER_PROCESSORS / 64]; /* bits of hardware threads */
} gannet_launcher_command;

/* A launch as the helper sees it; texts point into the message. */
typedef struct {
  gannet_launcher_command command;
  char *directory, *program, *outcome, *results;
  char **arguments;   /* NULL-terminated */
  char **environment; /* NULL-terminated */
  char **texts;       /* owned: what the members above point into */
} gannet_launcher_order;

/* Let an order point into a message, which stays borrowed. Returns 0, or the errno of what is
 * missing; the caller frees order->texts either way.
 *
 * Local.
 */
int gannet_launcher_unpack(char *message, size_t size, gannet_launcher_order *order);

/* Run the helper's main loop. It ends the process when the controller is gone and every child is
 * dead.
 *
 * Local.
 */
_Noreturn void gannet_launcher_serve(int socket);

/* Take the processors, memory policy, priority and variables for binding of the MPI launcher that
 * this process was started by, instead of those that the launcher has given to its rank. Without a
 * launcher nothing changes.
 *
 * Local.
 */
void gannet_launcher_unbind(void);

/* Whether "NAME=value" tells mpirun of Open MPI where to bind its ranks.
 *
 * Local.
 */
bool gannet_launcher_chooses_binding(const char *variable);

/* The words that the program of a helper is called with: its name, GANNET_LAUNCHER_PROTOCOL, and
 * the number of its socket. Another version of the program must not understand them. */
#define GANNET_LAUNCHER_PROTOCOL "gannet-" GANNET_VERSION

/* Tag of the first event, by which a helper says that it is there. */
#define GANNET_LAUNCHER_HELLO INT64_MIN

typedef enum {
  GANNET_LAUNCHER_BEGAN,
  GANNET_LAUNCHER_GAVE_UP,
  GANNET_LAUNCHER_ENDED
} gannet_launcher_report_kind;

/* What a supervisor writes into the pipe of its helper, whole or not at all. */
typedef struct {
  pid_t supervisor, child;
  gannet_launcher_report_kind news;
  gannet_launch_event event; /* exit code, signal and results_open; error and stage */
  double ended;              /* of the monotonic clock */
  bool is_free;              /* the supervisor has no process left and waits for another order */
} gannet_launcher_report;

/* Signals by which a helper tells a supervisor what to do with its child and all that it started.
 */
enum { GANNET_LAUNCHER_TERMINATE = SIGUSR1, GANNET_LAUNCHER_KILL = SIGUSR2 };

/* What a supervisor gets from its helper. */
typedef struct {
  char *const *inherited; /* NULL-terminated environment, on top of which comes that of an order */
  int reports;            /* descriptor of the pipe for reports */
  int orders;             /* socket from which it takes further orders; -1 = none */
  int n_closed;
  const int *closed; /* [n_closed] descriptors of the helper that it must not hold */
} gannet_launcher_lines;

/* Fork the supervisor of one child at a time: it starts the child, and is the parent of everything
 * that the child leaves behind (a subreaper), so that it can find all of it, whatever it does with
 * its session, group and environment. When nothing of that is left, it waits for another order, and
 * ends when the socket is closed. When the helper has died, it kills all of that and ends. Returns
 * its process, or -1 with errno.
 *
 * Local.
 */
pid_t gannet_launcher_supervise(const gannet_launcher_order *order,
                                const gannet_launcher_lines *lines);

/* Send a signal to all descendants of this process, except for the spared ones and their
 * descendants. Returns how many were found alive.
 *
 * Local.
 *
 * spared  in  [n_spared] children of this process
 * group   in  process group whose members are only counted, as they got the signal; 0 = none
 */
int gannet_launcher_signal_all(int n_spared, const pid_t *spared, pid_t group, int signal);

/* Whether one of the descendants of this process has a file open.
 *
 * Local.
 */
bool gannet_launcher_holds(const char *file);

/* Kill what the children of a helper that is dead have left: every process that carries a mark of
 * that helper.
 *
 * Local.
 */
void gannet_launcher_end_orphans(pid_t helper);

/* Enough for a mark, GANNET_LAUNCH=HELPER.TAG, by which the processes of a child are found when its
 * helper has died. */
enum { GANNET_LAUNCHER_MARK = 64 };

#endif
