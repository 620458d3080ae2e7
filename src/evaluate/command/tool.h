/* Running another program to its end. */
#ifndef GANNET_EVALUATE_COMMAND_TOOL_H
#define GANNET_EVALUATE_COMMAND_TOOL_H

#include <limits.h>
#include <stdbool.h>

#include "evaluate/launcher/launcher.h"

typedef struct {
  bool missing;  /* there is no such program, or none can be run */
  char why[512]; /* in words why it did not succeed; "" when it did */
} gannet_tool_end;

/* Run a program in a directory, for at most a minute. Its output is thrown away.
 *
 * Local.
 *
 * launcher         in   NULL = no program can be run
 * words            in   NULL-terminated, the program's name first
 * input_directory  in   that a relative program with a slash is searched from
 *
 * Errors: those of the launcher.
 */
GANNET_CHECKED gannet_err gannet_tool_run(gannet_launcher *launcher, const char *const *words,
                                          const char *input_directory, const char *directory,
                                          gannet_tool_end *end);

/* Run a program in a folder of its own, which is removed again, and get what it writes.
 *
 * Local.
 *
 * words   in   as above; so is input_directory
 * limit   in   seconds that it may take
 * works   out  whether it ended with exit code 0
 * answer  out  what it wrote to stdout, or to stderr when it does not work; owned; may be NULL
 *
 * Returns whether it was run.
 */
bool gannet_tool_ask(gannet_launcher *launcher, const char *const *words,
                     const char *input_directory, double limit, bool *works, char **answer);

/* A program that runs beside what the caller does. */
typedef struct {
  int64_t tag; /* of the launcher's events */
  char folder[PATH_MAX];
} gannet_tool_call;

/* Begin to run a program in a folder of its own, as gannet_tool_ask does, and do not wait for it.
 *
 * Local.
 *
 * words  in  as above; so are input_directory and limit
 * tag    in  of the events; no other child of the launcher that runs has it
 *
 * Returns whether it was begun; if so, an event that is not GANNET_LAUNCH_STARTED follows, with
 * which to call gannet_tool_finish.
 */
bool gannet_tool_begin(gannet_launcher *launcher, const char *const *words,
                       const char *input_directory, int64_t tag, double limit,
                       gannet_tool_call *call);

/* Read what the program has written, and remove its folder.
 *
 * Local.
 *
 * event   in   of its end; NULL = it is not waited for any longer
 * works   out  as above; so is answer
 */
void gannet_tool_finish(const gannet_tool_call *call, const gannet_launch_event *event, bool *works,
                        char **answer);

#endif
