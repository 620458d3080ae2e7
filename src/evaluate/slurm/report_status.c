/* What those who look on are told while the scheduler does not answer, takes no jobs, or has jobs
 * that it will not start. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "evaluate/slurm/slurm.h"

void gannet_slurm_report_status(gannet_slurm_jobs *jobs, gannet_scheduler_status_kind kind,
                                const char *format, ...) {
  const gannet_scheduler_status before = jobs->scheduler_status;
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(jobs->scheduler_status.said, sizeof jobs->scheduler_status.said, format,
                  arguments);
  va_end(arguments);
  jobs->scheduler_status.kind = kind;
  if (before.since <= 0) jobs->scheduler_status.since = gannet_clock_epoch();
  if (before.since > 0 && before.kind == kind &&
      strcmp(before.said, jobs->scheduler_status.said) == 0)
    return;
  gannet_scheduler_status_write(jobs->directory, &jobs->scheduler_status);
}

/* Called with every answer: only what was written is taken away, which in a process that has just
 * begun may be the note of an earlier one. */
void gannet_slurm_clear_status(gannet_slurm_jobs *jobs) {
  if (jobs->scheduler_status.since < 0 || jobs->stuck[0]) return;
  for (int i = 0; i < jobs->n_submissions; ++i)
    if (jobs->submissions[i]->stage <= GANNET_SLURM_UNCERTAIN &&
        jobs->submissions[i]->pause > jobs->options->poll_interval)
      return;
  gannet_scheduler_status_remove(jobs->directory);
  jobs->scheduler_status = (gannet_scheduler_status){.since = -1};
}

static const gannet_slurm_job *find_stuck(const gannet_slurm_jobs *jobs, int *others) {
  const gannet_slurm_job *first = NULL;
  *others = -1;
  for (int i = 0; i < jobs->n; ++i) {
    const gannet_slurm_job *job = &jobs->jobs[i];
    if (job->state->what != GANNET_SLURM_WAITS || !gannet_slurm_is_stuck(job->known.why)) continue;
    if (!first) first = job;
    *others += strcmp(job->known.why, first->known.why) == 0;
  }
  return first;
}

void gannet_slurm_report_stuck(gannet_slurm_jobs *jobs) {
  char also[40] = "", text[GANNET_SCHEDULER_SAID];
  int others = 0;
  const gannet_slurm_job *job = find_stuck(jobs, &others);
  if (!job) {
    const bool was_stuck = jobs->stuck[0] != '\0';
    jobs->stuck[0] = '\0';
    if ((was_stuck || jobs->n == 0) && !jobs->scheduler_fails) gannet_slurm_clear_status(jobs);
    return;
  }
  if (others > 0) (void)snprintf(also, sizeof also, " and %d more", others);
  (void)snprintf(text, sizeof text,
                 "SLURM does not start job %s, of evaluation %lld%s, before somebody does "
                 "something about it (%s): `scontrol release` or `scontrol update` lets it run, "
                 "`scancel` makes it bad luck",
                 job->known.job, (long long)job->attempt.id, also, job->known.why);
  if (strcmp(jobs->stuck, job->known.why) != 0)
    gannet_log(jobs->context, GANNET_LOG_WARNING, "%s", text);
  (void)snprintf(jobs->stuck, sizeof jobs->stuck, "%s", job->known.why);
  gannet_slurm_report_status(jobs, GANNET_SCHEDULER_HOLDS, "%s", text);
}
