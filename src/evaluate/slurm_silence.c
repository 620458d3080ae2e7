/* What those who look on are told while the scheduler does not answer, or takes no jobs. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "evaluate/slurm.h"

void gannet_slurm_fall_silent(gannet_slurm_jobs *jobs, const char *format, ...) {
  const gannet_silence before = jobs->silence;
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(jobs->silence.said, sizeof jobs->silence.said, format, arguments);
  va_end(arguments);
  if (before.since <= 0) jobs->silence.since = gannet_clock_epoch();
  if (before.since > 0 && strcmp(before.said, jobs->silence.said) == 0) return;
  gannet_silence_begin(jobs->place, &jobs->silence);
}

/* Called with every answer: only what was written is taken away, which in a process that has just
 * begun may be the note of an earlier one. */
void gannet_slurm_end_silence(gannet_slurm_jobs *jobs) {
  if (jobs->silence.since < 0) return;
  for (int i = 0; i < jobs->n_shipments; ++i)
    if (jobs->shipments[i]->stage == GANNET_SLURM_TO_SUBMIT &&
        jobs->shipments[i]->pause > jobs->options->poll_interval)
      return;
  gannet_silence_end(jobs->place);
  jobs->silence = (gannet_silence){.since = -1};
}
