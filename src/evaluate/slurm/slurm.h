/* The inside of the slurm back-end: its options and its parts.
 *
 *   slurm_check     what is wrong with the options before a job is submitted
 *   slurm_client    runs sbatch, squeue, sacct, scontrol and scancel
 *   slurm_script    writes the job script of an evaluation, slurm_bundle that of several, both by
 *                   slurm_text
 *   slurm_shipment  what one call of sbatch takes: a job, a bundle of runs, an array of either
 *   slurm_jobs      what rank 0 keeps about its evaluations
 *   slurm_submit    calls sbatch
 *   slurm_doubt     looks for jobs that sbatch may have accepted
 *   slurm_watch     what happens to jobs: asking, giving up
 *   slurm_silence   what is said while the scheduler does not answer or does not start a job
 *   slurm_judge     how an ended job becomes a result
 *   slurm_late      results of attempts that were given up
 *   slurm_leave     leaving jobs to a later process
 */
#ifndef GANNET_EVALUATE_SLURM_SLURM_H
#define GANNET_EVALUATE_SLURM_SLURM_H

#include "evaluate/command/program.h"
#include "evaluate/slurm/client.h"
#include "evaluate/slurm/scheduler_status.h"
#include "evaluate/slurm/states.h"

typedef struct {
  gannet_command_options command; /* first: shares its rows of the option table */
  char *script;
  gannet_text_list sbatch;
  int submit;
  int array_size; /* GANNET_AUTO = the site's MaxArraySize */
  int array_throttle;
  int runs_per_job, runs_at_once;
  gannet_text_list step;
  double poll_interval;
  double grace;
  double patience;
  int when_stopped;
  gannet_slurm_commands commands;
} gannet_slurm_options;

/* Exit code of a job script that did not start the simulation; see script.c. */
enum { GANNET_SLURM_NOT_BEGUN = 121 };

enum { GANNET_SLURM_LEAVE, GANNET_SLURM_CANCEL }; /* when_stopped */
enum { GANNET_SLURM_JOBS, GANNET_SLURM_ARRAYS };  /* submit */

/* See gannet_evaluator_type.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_check(const void *options,
                                             const gannet_evaluator_setup *setup,
                                             gannet_complaints *complaints);

/* Write job.sh and all that it needs, into a fresh directory, the attempt's: files that a power
 * failure leaves as they are.
 *
 * Local.
 *
 * element      in   where a script of several evaluations runs it; NULL = job.sh is the job's
 * script environment  out  of the simulation, for sbatch to hand on; zeroed before, to be released
 */
GANNET_CHECKED gannet_err gannet_slurm_script_write(const gannet_program *program,
                                                    const gannet_slurm_options *options,
                                                    const gannet_request *request,
                                                    const gannet_current_attempt *attempt,
                                                    const gannet_submission_element *element,
                                                    gannet_text_list *environment);

/* One evaluation in the script of a submission. */
typedef struct {
  const char *directory;
  uint64_t nonce;
} gannet_slurm_script_part;

/* Write directory/job.sh, which runs per evaluations in each element of an array, so many at once
 * as the options say.
 *
 * Local.
 *
 * parts  in  [n]
 */
GANNET_CHECKED gannet_err gannet_slurm_script_write_shared(const gannet_program *program,
                                                           const gannet_slurm_options *options,
                                                           int n,
                                                           const gannet_slurm_script_part *parts,
                                                           const char *directory);

/* Whether sbatch reads no lines #SBATCH of a script from this line on: it is a command.
 *
 * Local.
 */
bool gannet_slurm_ends_options(const char *line);

/* The name of a job: campaign, evaluation, nonce; all of one attempt in the whole world. That of a
 * submission has its first evaluation in it.
 *
 * Local.
 *
 * name  out  [GANNET_SLURM_NAME]
 */
void gannet_slurm_job_name(const char *campaign, int64_t id, uint64_t nonce, char *name);

/* The name of jobs that take a campaign one step further: the same for all of one directory.
 *
 * Local.
 *
 * name  out  [GANNET_SLURM_NAME]
 */
void gannet_slurm_step_name(const char *campaign, const char *directory, char *name);

typedef enum {
  GANNET_SLURM_TO_SUBMIT,
  GANNET_SLURM_UNCERTAIN,  /* may have been accepted: only a list by name can tell */
  GANNET_SLURM_SUBMITTED,  /* has an id */
  GANNET_SLURM_NEVER_TAKEN /* of an earlier process, and never accepted */
} gannet_slurm_stage;

/* What one call of sbatch takes. Times are those of gannet_clock_seconds. */
typedef struct {
  char name[GANNET_SLURM_NAME];
  char directory[PATH_MAX]; /* has job.sh, and the job runs in it; of a single evaluation its own */
  bool is_single;           /* one evaluation, whose directory has all */
  gannet_text_list environment; /* of a single one */
  char job[GANNET_SLURM_ID];    /* "" until known */
  gannet_slurm_stage stage;
  double first_try, next_try, pause; /* of sbatch */
  int absent;                        /* complete lists in a row without it */
  double uncertain_since;            /* it may have been accepted; only with TO_FIND */
  char said[GANNET_SLURM_SAID];      /* by the call of sbatch that left the doubt */
  int n_elements;                    /* of the array, 0 = no array */
  int runs;                          /* per element, at most */
  int n_open;                        /* evaluations of it that have not ended */
  bool is_replaced;                  /* its number is that of another job by now */
} gannet_slurm_submission;

/* One evaluation under way. Times are those of gannet_clock_seconds, NAN = not so. */
typedef struct {
  gannet_current_attempt attempt; /* first: see gannet_attempt_begin */
  uint64_t seed;
  gannet_slurm_submission *submission; /* borrowed from the table */
  int element;                         /* of the array, -1 = no array */
  gannet_slurm_row known;              /* what the scheduler said last; its job is the id */
  const gannet_slurm_state *state;
  bool was_suspended;
  bool is_over_limit;   /* was ended for its own time limit, which nobody else kept */
  bool needs_only_time; /* nothing but time is needed: it was accepted just now, waits or runs */
  int absent;           /* complete lists in a row without it */
  double missing_since; /* neither listed nor explained */
  double ended_since;   /* listed as ended */
  double running_since;
  double started; /* seconds since 1970 */
  bool explained; /* sacct and scontrol were asked how it ended */
  bool has_outcome;
  double outcome_since;
  double put_back;     /* began the run whose outcome SLURM put back into the queue */
  double stuck_since;  /* waits for a reason with which it never starts */
  char not_begun[160]; /* why the script did not start the simulation; "" = it did, or none knows */
  gannet_launch_event outcome;
  double unread_since; /* its results cannot be read */
  char host[GANNET_HOST_SIZE];
} gannet_slurm_job;

/* What rank 0 has and the others do not. */
typedef struct {
  const gannet_slurm_options *options;
  const gannet_context *context;
  const char *campaign; /* its name */
  gannet_program program;
  double time_limit;
  gannet_launcher *launcher;
  bool own_launcher;
  gannet_slurm_client *client;
  int n, capacity;
  gannet_slurm_job *jobs;
  int n_submissions, submission_capacity;
  gannet_slurm_submission **submissions; /* [n_submissions] owned */
  int largest_array;                     /* elements; 0 = not asked yet */
  char directory[PATH_MAX];              /* CAMPAIGN/slurm */
  char stop_file[PATH_MAX];              /* CAMPAIGN/STOP */
  gannet_result_queue ready;
  double next_list, list_pause, next_files;
  bool scheduler_fails; /* squeue does not answer, and was complained about */
  gannet_scheduler_status
      scheduler_status; /* as those who look on see it; since <= 0: all is well */
  double failing_since, next_reminder;
  char stuck[GANNET_SLURM_WHY]; /* why jobs wait for somebody, "" = none does */
} gannet_slurm_jobs;

/* Create on rank 0 only; free through gannet_slurm_root_evaluator, also after failure.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_jobs_create(const gannet_slurm_options *options,
                                                   const gannet_evaluator_setup *setup,
                                                   gannet_slurm_jobs **jobs);
extern const gannet_root_evaluator_type gannet_slurm_root_evaluator;

/* Look for what the job's run left, and keep it in the job: not a failure of a run that was ended
 * to put the job back into the queue, for it begins anew.
 *
 * Local.
 */
void gannet_slurm_look_for_outcome(gannet_slurm_job *job);

/* Another evaluation at the end of the table, jobs->n not yet counting it: the caller does.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_add_job(gannet_slurm_jobs *jobs,
                                               const gannet_request *request,
                                               gannet_slurm_job **job);

/* Pack n evaluations into submissions as the options say, and write everything down that sbatch
 * needs. After an error the table is as before.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_pack(gannet_slurm_jobs *jobs, int n,
                                            const gannet_request *requests);

/* Give an evaluation of an earlier process back to its submission.
 *
 * Local.
 *
 * id  in  of its job if attempt.json has it, else ""
 */
GANNET_CHECKED gannet_err gannet_slurm_restore_submission(gannet_slurm_jobs *jobs,
                                                          gannet_slurm_job *job, const char *id);

/* Whether several evaluations share the job.
 *
 * Local.
 */
bool gannet_slurm_is_shared(const gannet_slurm_job *job);

/* Whether the node could not even begin the job: SLURM writes FAILED, and 0:53 for the exit code.
 *
 * Local.
 */
bool gannet_slurm_is_never_begun(const gannet_slurm_job *job);

/* The job of an evaluation, as SLURM knows it. Borrowed from the table until it changes.
 *
 * Local.
 */
static inline gannet_slurm_job_key gannet_slurm_key_of(const gannet_slurm_job *job) {
  return (gannet_slurm_job_key){job->known.job, job->submission->name};
}

/* Free a submission.
 *
 * Local.
 */
void gannet_slurm_submission_release(gannet_slurm_submission **submission);

/* Free submissions all of whose evaluations have ended.
 *
 * Local.
 */
void gannet_slurm_free_ended(gannet_slurm_jobs *jobs);

/* The scheduler has the submission under this id: write that down.
 *
 * Local.
 *
 * id  in  also of an element
 */
void gannet_slurm_set_id(gannet_slurm_jobs *jobs, gannet_slurm_submission *submission,
                         const char *id);

/* Call sbatch for what is due.
 *
 * Local.
 *
 * until  in  time after which no further call is made
 */
GANNET_CHECKED gannet_err gannet_slurm_submit_due(gannet_slurm_jobs *jobs, double until);

/* An evaluation leaves the table: it has ended, its result is ready.
 *
 * Local.
 */
void gannet_slurm_remove_job(gannet_slurm_jobs *jobs, gannet_slurm_job *job);

/* Everything that is due: look for files, submit, ask the scheduler. Evaluations that ended become
 * ready and leave the table.
 *
 * Local.
 *
 * until  in  time after which no further job is submitted in this call; none is, and the scheduler
 *            is not asked, either when the program is to end at once
 */
GANNET_CHECKED gannet_err gannet_slurm_monitor(gannet_slurm_jobs *jobs, double until);

/* Tell those who look on since when jobs are unknown or not taken, and why; or that all is well
 * again.
 *
 * Local.
 */
void gannet_slurm_report_status(gannet_slurm_jobs *jobs, gannet_scheduler_status_kind kind,
                                const char *format, ...) GANNET_PRINTF(3, 4);
void gannet_slurm_clear_status(gannet_slurm_jobs *jobs);

/* After a list: tell the log, once for every reason, and those who look on of jobs that SLURM does
 * not start until somebody does something.
 *
 * Local.
 */
void gannet_slurm_report_stuck(gannet_slurm_jobs *jobs);

/* The next call of sbatch for a submission waits until it is known not to be there.
 *
 * Local.
 */
void gannet_slurm_mark_uncertain(gannet_slurm_jobs *jobs, gannet_slurm_submission *submission);

/* Seconds after a doubtful call of sbatch for which a list without its job proves nothing.
 *
 * Local.
 */
double gannet_slurm_uncertain_seconds(const gannet_slurm_options *options);

/* Look in a complete list for a submission that may have been accepted. It is submitted again when
 * it is missing in several lists over a while, and the accounting does not know it either; after
 * evaluate.patience its evaluations come back.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_resolve_uncertain(gannet_slurm_jobs *jobs,
                                                         gannet_slurm_submission *submission,
                                                         const gannet_slurm_list *list, double now);

/* The row that has the name and the directory of a submission, or NULL.
 *
 * Local.
 */
const gannet_slurm_row *gannet_slurm_find_row(const gannet_slurm_list *list,
                                              const gannet_slurm_submission *submission);

/* Whether some job has begun the attempt in a directory, and has not told its end: its link is
 * there.
 *
 * Local.
 */
bool gannet_slurm_has_owner(const char *directory);

/* Whether another job than the known one has begun the attempt, as its link job.running says: it
 * was submitted twice. That job is the evaluation's from now on.
 *
 * Local.
 */
bool gannet_slurm_follow_owner(gannet_slurm_jobs *jobs, gannet_slurm_job *job);

/* Find a submission of an earlier process that may have been accepted: by name in the scheduler's
 * list. When it is certainly not there, its stage becomes GANNET_SLURM_NEVER_TAKEN.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_search_queue(gannet_slurm_jobs *jobs,
                                                    gannet_slurm_submission *submission);

/* Nothing is to begin any more: give back, as pending, all that sbatch has not taken. What it may
 * have taken is looked for once, and left to a later process when it is not found.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_withdraw(gannet_slurm_jobs *jobs);

/* All jobs, with one call; how is REFUSED, too, when the list may lack some.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_list_all(gannet_slurm_jobs *jobs, gannet_slurm_list *list,
                                                gannet_slurm_call *how);

/* No job of a submission has begun for longer than evaluate.patience: its evaluations come out of
 * poll as pending, with the reason, so that the campaign stops; a resume submits them.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_give_back_all(gannet_slurm_jobs *jobs,
                                                     const gannet_slurm_submission *submission,
                                                     const char *reason);

/* See gannet_evaluator_all_submitted and gannet_evaluator_detach.
 *
 * Local.
 */
bool gannet_slurm_all_submitted(const gannet_slurm_jobs *jobs);
GANNET_CHECKED gannet_err gannet_slurm_detach(gannet_slurm_jobs *jobs,
                                              const gannet_follow_up *next);

/* Look whether an earlier attempt of this evaluation, given up as lost, ended well after all: the
 * first valid result wins.
 *
 * Local.
 *
 * done  out  true when the result was made ready and the present attempt called off
 */
GANNET_CHECKED gannet_err gannet_slurm_take_late_result(gannet_slurm_jobs *jobs,
                                                        const gannet_slurm_job *job, bool *done);

/* The result of a job that ended: by its outcome.json, its state, its exit code, its results.
 *
 * Local.
 *
 * is_over  out  false when what it reported cannot be read for now, and is to be read again
 *
 * Errors: those of gannet_classify_outcome and gannet_contract_check_space.
 */
GANNET_CHECKED gannet_err gannet_slurm_classify(gannet_slurm_jobs *jobs, gannet_slurm_job *job,
                                                bool *is_over);

/* The same; a job that is over leaves the table, also after an error.
 *
 * Local.
 *
 * Errors: those of gannet_slurm_classify.
 */
GANNET_CHECKED gannet_err gannet_slurm_end_classified(gannet_slurm_jobs *jobs,
                                                      gannet_slurm_job *job);

/* A failure that the scheduler is the reason of. The job may not have begun, or run on where nobody
 * sees it, so that nothing is forgotten of it.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_fail(gannet_slurm_jobs *jobs, const gannet_slurm_job *job,
                                            bool retry, const char *reason);

/* An attempt that was never started: its evaluation comes out of poll as pending.
 *
 * Local.
 *
 * reason  in  why the campaign has to stop; "" = it need not
 */
GANNET_CHECKED gannet_err gannet_slurm_give_back(gannet_slurm_jobs *jobs,
                                                 const gannet_slurm_job *job, const char *reason);

/* Let no later process find jobs that have failed where the disk is full: they are submitted again.
 *
 * Local.
 */
void gannet_slurm_forget_failures(const gannet_slurm_jobs *jobs);

/* Whether the results are complete: they count although nobody knows how the job ended, as the
 * user's own rules about its output do.
 *
 * Local.
 *
 * done  out  true when the result was made ready
 */
GANNET_CHECKED gannet_err gannet_slurm_take_results(gannet_slurm_jobs *jobs,
                                                    const gannet_slurm_job *job, bool *done);

#endif
