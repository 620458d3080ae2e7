/* What those who look on are told while the scheduler does not answer, takes no jobs, or has jobs
 * that it will not start. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "evaluate/slurm.h"

void gannet_slurm_fall_silent(gannet_slurm_jobs *jobs, gannet_silence_kind kind, const char *format,
                              ...) {
  const gannet_silence before = jobs->silence;
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(jobs->silence.said, sizeof jobs->silence.said, format, arguments);
  va_end(arguments);
  jobs->silence.kind = kind;
  if (before.since <= 0) jobs->silence.since = gannet_clock_epoch();
  if (before.since > 0 && before.kind == kind && strcmp(before.said, jobs->silence.said) == 0)
    return;
  gannet_silence_begin(jobs->place, &jobs->silence);
}

/* Called with every answer: only what was written is taken away, which in a process that has just
 * begun may be the note of an earlier one. */
void gannet_slurm_end_silence(gannet_slurm_jobs *jobs) {
  if (jobs->silence.since < 0 || jobs->stuck[0]) return;
  for (int i = 0; i < jobs->n_shipments; ++i)
    if (jobs->shipments[i]->stage <= GANNET_SLURM_TO_FIND &&
        jobs->shipments[i]->pause > jobs->options->poll_interval)
      return;
  gannet_silence_end(jobs->place);
  jobs->silence = (gannet_silence){.since = -1};
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

void gannet_slurm_tell_stuck(gannet_slurm_jobs *jobs) {
  char also[40] = "", text[GANNET_SILENCE_SAID];
  int others = 0;
  const gannet_slurm_job *job = find_stuck(jobs, &others);
  if (!job) {
    const bool was_stuck = jobs->stuck[0] != '\0';
    jobs->stuck[0] = '\0';
    if ((was_stuck || jobs->n == 0) && !jobs->scheduler_fails) gannet_slurm_end_silence(jobs);
    return;
  }
  if (others > 0) (void)snprintf(also, sizeof also, " and %d more", others);
  (void)snprintf(text, sizeof text,
                 "SLURM does not start job %s, of evaluation %lld%s, before somebody does "
                 "something about it (%s): `scontrol release` or `scontrol update` lets it run, "
                 "`scancel` makes it bad luck",
                 job->known.job, (long long)job->flight.id, also, job->known.why);
  if (strcmp(jobs->stuck, job->known.why) != 0)
    gannet_log(jobs->context, GANNET_LOG_WARNING, "%s", text);
  (void)snprintf(jobs->stuck, sizeof jobs->stuck, "%s", job->known.why);
  gannet_slurm_fall_silent(jobs, GANNET_SILENCE_HELD, "%s", text);
}
