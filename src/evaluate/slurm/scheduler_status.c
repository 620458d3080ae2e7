#include "evaluate/slurm/scheduler_status.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "evaluate/slurm/slurm.h"

/* In CAMPAIGN/slurm. A note that cannot be written or removed is no obstacle to a campaign. */
static const char name[] = "silent";
static const char *const words[] = {[GANNET_SCHEDULER_OTHER] = "other",
                                    [GANNET_SCHEDULER_UNKNOWN] = "unknown",
                                    [GANNET_SCHEDULER_REFUSES] = "refused",
                                    [GANNET_SCHEDULER_HOLDS] = "held"};

bool gannet_scheduler_status_read(const char *campaign, gannet_scheduler_status *scheduler_status) {
  char path[PATH_MAX], line[64], word[16] = "";
  const int length = snprintf(path, sizeof path, "%s/slurm/%s", campaign, name);
  FILE *note = NULL;
  *scheduler_status = (gannet_scheduler_status){0};
  if (length >= (int)sizeof path) return false;
  if (gannet_file_stream(path, GANNET_ERR_DAMAGED, &note) != GANNET_OK) {
    gannet_error_clear();
    return false;
  }
  const bool dated = fgets(line, sizeof line, note) &&
                     sscanf(line, "%lf %15[a-z]", &scheduler_status->since, word) > 0;
  scheduler_status->kind = GANNET_SCHEDULER_OTHER;
  for (size_t kind = 0; kind < sizeof words / sizeof *words; ++kind)
    if (strcmp(words[kind], word) == 0) scheduler_status->kind = (gannet_scheduler_status_kind)kind;
  if (!fgets(scheduler_status->said, sizeof scheduler_status->said, note))
    scheduler_status->said[0] = '\0';
  (void)fclose(note);
  scheduler_status->said[strcspn(scheduler_status->said, "\n")] = '\0';
  for (char *at = scheduler_status->said; *at; ++at)
    if (iscntrl((unsigned char)*at)) *at = ' ';
  return dated && scheduler_status->since > 0;
}

void gannet_slurm_report_status(gannet_slurm_jobs *jobs, gannet_scheduler_status_kind kind,
                                const char *format, ...) {
  const gannet_scheduler_status before = jobs->scheduler_status;
  gannet_scheduler_status *now = &jobs->scheduler_status;
  char path[PATH_MAX], text[GANNET_SCHEDULER_SAID + 64];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(now->said, sizeof now->said, format, arguments);
  va_end(arguments);
  now->kind = kind;
  if (before.since <= 0) now->since = gannet_clock_epoch();
  if (before.since > 0 && before.kind == kind && strcmp(before.said, now->said) == 0) return;
  const int size = snprintf(text, sizeof text, "%.3f %s\n%.*s\n", now->since, words[kind],
                            GANNET_SCHEDULER_SAID - 1, now->said);
  if (gannet_join_path(jobs->directory, name, path, sizeof path) != GANNET_OK ||
      gannet_file_put(path, text, (size_t)size) != GANNET_OK)
    gannet_error_clear();
}

/* This is called with every answer of SLURM. It removes the note only once: the one that this
 * process wrote, or that of an earlier process. */
void gannet_slurm_clear_status(gannet_slurm_jobs *jobs) {
  char path[PATH_MAX];
  if (jobs->scheduler_status.since < 0 || jobs->stuck[0]) return;
  for (int i = 0; i < jobs->n_submissions; ++i)
    if (jobs->submissions[i]->stage <= GANNET_SLURM_UNCERTAIN &&
        jobs->submissions[i]->pause > jobs->options->poll_interval)
      return;
  if (gannet_join_path(jobs->directory, name, path, sizeof path) == GANNET_OK)
    (void)unlink(path);
  else
    gannet_error_clear();
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
