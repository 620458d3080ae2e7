/* SLURM: its programs, and the job we are in. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "campaign/run/stop.h"
#include "evaluate/command/command.h"
#include "evaluate/command/tool.h"
#include "machine/topics.h"

/* "slurm 22.05.8" */
static void inspect_version(gannet_launcher *launcher, machine_report *report) {
  const char *const words[] = {"sbatch", "--version", NULL};
  char *answer = NULL;
  bool works = false;
  if (!gannet_tool_ask(launcher, words, NULL, 5, &works, &answer)) return;
  const char *text = answer ? answer : "";
  const int length = (int)strcspn(text, "\n");
  machine_say(report, "SLURM", "version", "%.*s", works ? length : 7, works ? text : "unknown");
  if (!works)
    machine_advise(report, MACHINE_NOTE,
                   "sbatch is there but does not work here%s%.*s; backend slurm needs it",
                   length ? ": " : "", length, text);
  gannet_free(&answer);
}

/* squeue's %L, "[[D-]HH:]MM:SS", in seconds; NAN for words such as UNLIMITED. */
static double parse_time_left(const char *text) {
  double part[4], seconds = 0;
  char *end = NULL;
  int n = 0;
  do {
    part[n++] = (double)strtoul(text, &end, 10);
    if (end == text) return NAN;
    text = end + 1;
  } while (n < 4 && (*end == ':' || (*end == '-' && n == 1)));
  const bool days = n == 4; /* which a shorter form does not have */
  if (*end != '\n' || n < 2) return NAN;
  for (int i = days; i < n; ++i) seconds = 60 * seconds + part[i];
  return seconds + (days ? 86400 * part[0] : 0);
}

void machine_learn_job_end(gannet_launcher *launcher) {
  char job[64], epoch[32], *answer = NULL;
  bool works = false;
  const char *id = getenv("SLURM_JOB_ID"), *array = getenv("SLURM_ARRAY_JOB_ID");
  const char *element = getenv("SLURM_ARRAY_TASK_ID");
  if (array && element) /* the number that squeue takes for an element of an array of jobs */
    (void)snprintf(job, sizeof job, "%s_%s", array, element);
  else
    (void)snprintf(job, sizeof job, "%s", id ? id : "");
  if (!job[0] || getenv("SLURM_JOB_END_TIME")) return;
  const char *const words[] = {"squeue", "--noheader", "--format=%L", "--jobs", job, NULL};
  if (!gannet_tool_ask(launcher, words, NULL, 5, &works, &answer)) return;
  const double left = works && answer ? parse_time_left(answer + strspn(answer, " ")) : NAN;
  gannet_free(&answer);
  if (isnan(left)) return;
  (void)snprintf(epoch, sizeof epoch, "%.0f", gannet_clock_epoch() + left);
  (void)setenv("SLURM_JOB_END_TIME", epoch, 0);
}

static void inspect_programs(const machine_request *request, machine_report *report) {
  static const char *const names[] = {"sbatch", "squeue", "scancel", "sacct", "scontrol", "srun"};
  enum { NEEDED = 3, ALL = sizeof names / sizeof *names };
  bool has_sbatch = false;
  char path[PATH_MAX], found[128] = "", missing[128] = "";
  int n = 0, lacking = 0;
  for (int i = 0; i < ALL; ++i) {
    const bool is_there = gannet_command_find(names[i], NULL, path) == 0;
    char *list = is_there ? found : missing;
    has_sbatch = has_sbatch || (i == 0 && is_there);
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
  if (has_sbatch) inspect_version(request->launcher, report);
}

static void inspect_job(const machine_request *request, machine_report *report) {
  const char *job = getenv("SLURM_JOB_ID"), *tasks = getenv("SLURM_NTASKS");
  const char *nodes = getenv("SLURM_JOB_NUM_NODES");
  machine_learn_job_end(request->launcher);
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
  machine_advise(
      report, MACHINE_NOTE,
      "neither SLURM_JOB_END_TIME nor squeue says when this job ends: set budget.wall_time or "
      "--time-limit, so that gannet stops in time");
}

gannet_err machine_inspect_slurm(const machine_request *request, machine_report *report) {
  inspect_programs(request, report);
  inspect_job(request, report);
  return GANNET_OK;
}
