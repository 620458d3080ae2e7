/* Results of attempts that were given up as lost, while another attempt is under way. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "evaluate/result_record.h"
#include "evaluate/slurm/slurm.h"

/* Where an earlier attempt lies by now, and how it ended well. */
static bool ended_well(const char *directory, gannet_slurm_job *earlier) {
  const uint64_t nonce =
      gannet_attempt_nonce(directory, earlier->known.job, sizeof earlier->known.job);
  return nonce != 0 &&
         gannet_contract_find_outcome(directory, nonce, &earlier->outcome, earlier->host) &&
         earlier->outcome.exit_code == 0 && !earlier->outcome.limit;
}

/* The present attempt: what has not begun does nothing, for its name is gone; what runs is ended
 * unless others share its job. */
static gannet_err call_off(gannet_slurm_jobs *jobs, const gannet_slurm_job *job) {
  const gannet_attempt_runner nobody = {.attempt = job->attempt.number,
                                        .job = job->known.job[0] ? job->known.job : NULL,
                                        .slot = -1,
                                        .durable = true};
  const gannet_slurm_job_key key = gannet_slurm_key_of(job);
  gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
  GANNET_TRY(gannet_attempt_write(job->attempt.directory, &nobody));
  if (!key.job[0] || gannet_slurm_is_shared(job)) return GANNET_OK;
  return gannet_slurm_client_cancel(jobs->client, 1, &key, &how);
}

gannet_err gannet_slurm_take_late_result(gannet_slurm_jobs *jobs, const gannet_slurm_job *job,
                                         bool *done) {
  gannet_slurm_job earlier = *job;
  int attempt = 0;
  *done = false;
  while (!*done && ++attempt < job->attempt.number) {
    char name[32];
    (void)snprintf(name, sizeof name, "attempt-%d", attempt);
    GANNET_TRY(gannet_join_path(job->attempt.directory, name, earlier.attempt.directory,
                                sizeof earlier.attempt.directory));
    earlier.has_outcome = ended_well(earlier.attempt.directory, &earlier);
    if (earlier.has_outcome) GANNET_TRY(gannet_slurm_take_results(jobs, &earlier, done));
  }
  if (!*done) return GANNET_OK;
  gannet_log(jobs->context, GANNET_LOG_INFO,
             "evaluation %lld: attempt %d, given up before, ended well after all",
             (long long)job->attempt.id, attempt);
  return call_off(jobs, job);
}
