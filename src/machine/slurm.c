/* SLURM: its programs, and the job we are in. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/memory.h"
#include "campaign/stop.h"
#include "evaluate/command.h"
#include "machine/parts.h"

/* Run "sbatch --version" in a folder of its own and wait for its end, or five seconds. What it
 * wrote, or its complaints when it failed. */
static gannet_err ask_version(gannet_launcher *launcher, const char *program, const char *folder,
                              bool *works, char **answer) {
  const char *const arguments[] = {"sbatch", "--version", NULL}, *const nothing[] = {NULL};
  const gannet_launch launch = {.directory = folder,
                                .program = program,
                                .arguments = arguments,
                                .environment = nothing,
                                .time_limit = 5,
                                .grace = 1};
  const double until = gannet_clock_seconds() + 7;
  gannet_launch_event event = {0};
  char path[PATH_MAX];
  size_t size = 0;
  bool got = false;
  GANNET_TRY(gannet_launcher_launch(launcher, &launch));
  do {
    GANNET_TRY(gannet_launcher_wait(launcher, 1, &event, &got));
  } while ((!got || event.type == GANNET_LAUNCH_STARTED) && gannet_clock_seconds() < until);
  *works = got && event.type == GANNET_LAUNCH_ENDED && event.exit_code == 0;
  GANNET_TRY(gannet_join_path(folder, *works ? "stdout.log" : "stderr.log", path, sizeof path));
  return gannet_file_read(path, answer, &size);
}

static void clear(const char *folder) {
  static const char *const names[] = {"stdout.log", "stderr.log"};
  char path[PATH_MAX];
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (gannet_join_path(folder, names[i], path, sizeof path) == GANNET_OK) (void)unlink(path);
  }
  (void)rmdir(folder);
}

/* "slurm 22.05.8"; that it cannot be asked is no error. */
static void inspect_version(gannet_launcher *launcher, const char *program,
                            machine_report *report) {
  const char *base = getenv("TMPDIR");
  char folder[PATH_MAX], *answer = NULL;
  bool works = false;
  (void)snprintf(folder, sizeof folder, "%s/gannet-doctor-XXXXXX", base ? base : "/tmp");
  if (!launcher || !mkdtemp(folder)) return;
  if (ask_version(launcher, program, folder, &works, &answer) != GANNET_OK) gannet_error_clear();
  const char *text = answer ? answer : "";
  const int length = (int)strcspn(text, "\n");
  machine_say(report, "SLURM", "version", "%.*s", works ? length : 7, works ? text : "unknown");
  if (!works)
    machine_advise(report, MACHINE_NOTE,
                   "sbatch is there but does not work here%s%.*s; backend slurm needs it",
                   length ? ": " : "", length, text);
  gannet_free(&answer);
  clear(folder);
}

static void inspect_programs(const machine_request *request, machine_report *report) {
  static const char *const names[] = {"sbatch", "squeue", "scancel", "sacct", "scontrol", "srun"};
  enum { NEEDED = 3, ALL = sizeof names / sizeof *names };
  char path[PATH_MAX], sbatch[PATH_MAX] = "", found[128] = "", missing[128] = "";
  int n = 0, lacking = 0;
  for (int i = 0; i < ALL; ++i) {
    const bool is_there = gannet_command_find(names[i], NULL, path) == 0;
    char *list = is_there ? found : missing;
    if (i == 0 && is_there) (void)snprintf(sbatch, sizeof sbatch, "%s", path);
    (void)snprintf(list + strlen(list), sizeof found - strlen(list), " %s", names[i]);
    n += is_there;
    lacking += !is_there && i < NEEDED;
  }
  if (n == 0) {
    machine_say(report, "SLURM", "programs", "none");
    return;
  }
  machine_say(report, "SLURM", "programs", "%s", found + 1);
  if (lacking)
    machine_advise(report, MACHINE_NOTE,
                   "backend slurm needs sbatch, squeue and scancel; missing:%s", missing);
  if (*sbatch) inspect_version(request->launcher, sbatch, report);
}

static void inspect_job(const machine_request *request, machine_report *report) {
  const char *job = getenv("SLURM_JOB_ID"), *tasks = getenv("SLURM_NTASKS");
  const char *nodes = getenv("SLURM_JOB_NUM_NODES");
  const double left = gannet_stop_allocation_left();
  if (!job) {
    machine_say(report, "SLURM", "allocation", "none");
    return;
  }
  machine_say(report, "SLURM", "allocation", "job %s, %s node(s), %s task(s)", job,
              nodes ? nodes : "?", tasks ? tasks : "?");
  if (tasks && strtol(tasks, NULL, 10) > request->np)
    machine_advise(report, MACHINE_NOTE,
                   "gannet has %d rank(s) of the %s tasks of this job: start it with srun",
                   request->np, tasks);
  if (isfinite(left)) {
    machine_say(report, "SLURM", "time left", "%.0f min", left / 60);
    return;
  }
  machine_say(report, "SLURM", "time left", "unknown");
  machine_advise(report, MACHINE_NOTE,
                 "this job does not say when it ends (SLURM_JOB_END_TIME): set budget.wall_time or "
                 "--time-limit, so that gannet stops in time");
}

gannet_err machine_inspect_slurm(const machine_request *request, machine_report *report) {
  inspect_programs(request, report);
  inspect_job(request, report);
  return GANNET_OK;
}
