#include "campaign/run/stop.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
enum { N_CAUGHT = sizeof caught / sizeof *caught };
/* Reasons; numbers between the first two are signals. STRENGTH puts the wish above every reason
 * when both travel as one number. */
enum { WHY_NOTHING, WHY_FILE = 1000, WHY_TIME, WHY_JOB, STRENGTH = 4096 };

/* Signal handlers can only reach static storage: the one exception to objects that own their state.
 */
static volatile sig_atomic_t wish, last_signal;
static struct sigaction before[N_CAUGHT];

static void on_signal(int number) {
  const bool again = number == SIGINT && last_signal == SIGINT;
  const bool soon = number != SIGTERM && number != SIGHUP && !again;
  const int asked = soon ? GANNET_STOP_SOON : GANNET_STOP_NOW;
  if (asked > wish) wish = asked;
  last_signal = number;
}

void gannet_stop_catch(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  (void)sigemptyset(&action.sa_mask);
  wish = GANNET_GO_ON;
  last_signal = 0;
  for (int i = 0; i < N_CAUGHT; ++i) {
    (void)sigaction(caught[i], &action, &before[i]);
    if (caught[i] == SIGHUP && before[i].sa_handler == SIG_IGN) /* nohup: outlives its terminal */
      (void)sigaction(SIGHUP, &before[i], NULL);
  }
}

void gannet_stop_with_the_job(void) {
  wish = GANNET_STOP_NOW;
  last_signal = WHY_JOB;
}

void gannet_stop_release(void) {
  for (int i = 0; i < N_CAUGHT; ++i) (void)sigaction(caught[i], &before[i], NULL);
}

bool gannet_stop_is_caught(void) {
  return wish != GANNET_GO_ON;
}

bool gannet_stop_is_now(double deadline) {
  return wish == GANNET_STOP_NOW || gannet_clock_seconds() >= deadline;
}

static void look_on_this_rank(const gannet_context *context, const char *stop_file, double deadline,
                              int *strength, int *why) {
  *strength = wish;
  *why = wish ? last_signal : WHY_NOTHING;
  if (context->rank != 0) return;
  if (*strength < GANNET_STOP_SOON && access(stop_file, F_OK) == 0) {
    *strength = GANNET_STOP_SOON;
    *why = WHY_FILE;
  }
  if (*strength < GANNET_STOP_NOW && gannet_clock_seconds() >= deadline) {
    *strength = GANNET_STOP_NOW;
    *why = WHY_TIME;
  }
}

static void tell_why(int why, char *text, size_t size) {
  if (why == WHY_NOTHING)
    (void)snprintf(text, size, "%s", "");
  else if (why == WHY_FILE)
    (void)snprintf(text, size, "the file STOP in the campaign directory; remove it, then resume");
  else if (why == WHY_TIME)
    (void)snprintf(text, size, "the end of the wall time");
  else if (why == WHY_JOB)
    (void)snprintf(text, size, "SLURM ends the job that gannet runs in");
  else
    (void)snprintf(text, size, "signal %d (%s)", why, strsignal(why));
}

gannet_err gannet_stop_ask(const gannet_context *context, const char *stop_file, double deadline,
                           gannet_stop_request *request) {
  int strength = 0, reason = 0;
  look_on_this_rank(context, stop_file, deadline, &strength, &reason);
  const int mine = strength * STRENGTH + reason;
  int all = 0;
  GANNET_TRY_MPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, context->comm));
  request->stop = (gannet_stop)(all / STRENGTH);
  request->by_clock = all % STRENGTH == WHY_TIME;
  tell_why(all % STRENGTH, request->why, sizeof request->why);
  return GANNET_OK;
}

double gannet_stop_allocation_left(void) {
  const char *end = getenv("SLURM_JOB_END_TIME");
  char *rest = NULL;
  const double epoch = end ? strtod(end, &rest) : NAN;
  if (!end || rest == end || *rest || !(epoch > 0)) return INFINITY;
  return epoch - gannet_clock_epoch();
}
