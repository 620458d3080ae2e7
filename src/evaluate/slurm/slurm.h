/* The inside of the slurm back-end. Files, each of which uses only those above it:
 *
 *   answers           what SLURM's programs print, and what it means
 *   client            runs sbatch, squeue, sacct, scontrol and scancel
 *   job_resources     what evaluate.resources means for jobs
 *   script_common     what all job scripts share
 *   check             what is wrong with the options before a job is submitted
 *   script            writes the job script of one evaluation
 *   shared_script     writes the job script of several evaluations
 *   scheduler_status  what watchers are told while SLURM does not answer or does not start a job
 *   jobs              names of jobs; the tables of rank 0: evaluations and submissions
 *   outcome           what a job left behind, and how that becomes a result
 *   submission        packs evaluations into submissions and calls sbatch
 *   monitor           what becomes of submitted jobs
 *   recover           takes over jobs of an earlier process, leaves jobs to a later one
 *   slurm             the options, and what rank 0 does
 *
 * Terms
 *   job         one evaluation under way: a job of its own, an element of an array, or one run
 *   run         one of several evaluations that share a job
 *   submission  what one call of sbatch takes: an evaluation, several in a job, an array of these
 *   uncertain   of a submission: sbatch may have accepted it without saying so
 *   owner       the job that has begun an attempt, as the link job.running in its directory says
 */
#ifndef GANNET_EVALUATE_SLURM_SLURM_H
#define GANNET_EVALUATE_SLURM_SLURM_H

#include "evaluate/command/program.h"
#include "evaluate/places/place_words.h"
#include "evaluate/slurm/answers.h"
#include "evaluate/slurm/client.h"
#include "evaluate/slurm/scheduler_status.h"

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

/* How far a submission has come. */
typedef enum {
  GANNET_SLURM_TO_SUBMIT,
  GANNET_SLURM_UNCERTAIN,  /* may have been accepted: only a list by name can tell */
  GANNET_SLURM_SUBMITTED,  /* has an id */
  GANNET_SLURM_NEVER_TAKEN /* an earlier process made it, and sbatch never accepted it */
} gannet_slurm_stage;

/* A submission: what one call of sbatch takes. Times are those of gannet_clock_seconds. */
typedef struct {
  char name[GANNET_SLURM_NAME]; /* of its job */
  char directory[PATH_MAX]; /* where job.sh lies and the job runs; of a single evaluation its own */
  bool is_single;           /* one evaluation, whose directory has everything */
  gannet_text_list environment; /* handed to sbatch; only of a single evaluation */
  char job[GANNET_SLURM_ID];    /* id of the job; "" until it is known */
  gannet_slurm_stage stage;
  double first_try, next_try;   /* when sbatch was called first, and when it is called next */
  double pause;                 /* seconds between two calls of sbatch */
  int absent;                   /* complete lists in a row without the job; only while uncertain */
  double uncertain_since;       /* when sbatch may have accepted it; only while uncertain */
  char said[GANNET_SLURM_SAID]; /* what sbatch wrote then */
  int n_elements;               /* elements of the array, 0 = no array */
  int runs;                     /* most evaluations per element or job */
  int n_open;                   /* evaluations that have not ended */
  bool is_replaced;             /* SLURM has given the number of its job to another job */
} gannet_slurm_submission;

/* One evaluation under way. Times are those of gannet_clock_seconds; NAN = this is not the case. */
typedef struct {
  gannet_current_attempt attempt; /* first: see gannet_attempt_begin */
  uint64_t seed;
  gannet_slurm_submission *submission; /* borrowed from the table */
  int element;                         /* index in the array, -1 = no array */

  /* What SLURM says. */
  gannet_slurm_row known; /* the last row about the job; known.job is its id */
  const gannet_slurm_state *state;
  int absent;           /* complete lists in a row without the job */
  double missing_since; /* since when the job is neither listed nor explained */
  double running_since; /* since when the job is listed as running */
  double ended_since;   /* since when the job is listed as ended */
  double stuck_since;   /* since when the job waits for a reason with which it never starts */
  double started;       /* when it began to run, seconds since 1970 */
  bool was_suspended;   /* the job was stopped for a while */
  bool explained;       /* sacct and scontrol were asked how the job ended */
  bool is_over_limit;   /* gannet ended the job for its time limit, which nobody else kept */
  bool
      needs_only_time; /* the job was just accepted, waits or runs: there is nothing to do for it */

  /* What its script left. */
  bool has_outcome; /* outcome.json is there, and counts */
  gannet_launch_event outcome;
  char host[GANNET_HOST_SIZE]; /* where it ran */
  double outcome_since;        /* since when outcome.json is there */
  double put_back;     /* started of an outcome that does not count: SLURM put the job back into the
                          queue after that run */
  char not_begun[160]; /* why the script did not start the simulation; "" = it did, or unknown */
} gannet_slurm_job;

/* What rank 0 has and the others do not. Times are those of gannet_clock_seconds. */
typedef struct {
  const gannet_slurm_options *options;
  const gannet_context *context;
  const char *campaign; /* its name */
  gannet_program program;
  gannet_needs needs; /* where evaluate.resources are given */
  double time_limit;  /* seconds per evaluation */
  gannet_launcher *launcher;
  bool own_launcher; /* the launcher is to be stopped at the end */
  gannet_slurm_client *client;
  int n, capacity;
  gannet_slurm_job *jobs; /* [n] */
  int n_submissions, submission_capacity;
  gannet_slurm_submission **submissions; /* [n_submissions] owned */
  int largest_array;        /* most elements of an array; 0 = the site was not asked yet */
  char directory[PATH_MAX]; /* CAMPAIGN/slurm */
  char stop_file[PATH_MAX]; /* CAMPAIGN/STOP */
  gannet_result_queue ready;
  double next_list, list_pause; /* when squeue is called next, and seconds between two calls */
  double next_files;            /* when the files of jobs are looked for next */
  bool scheduler_fails;         /* squeue does not answer, and the log says so */
  double failing_since, next_reminder;      /* only while squeue does not answer */
  gannet_scheduler_status scheduler_status; /* as watchers see it; since <= 0: all is well */
  char stuck[GANNET_SLURM_WHY]; /* why some jobs wait until somebody does something; "" = none does
                                 */
} gannet_slurm_jobs;

/* check.c */

/* See gannet_evaluator_type.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_check(const void *options,
                                             const gannet_evaluator_setup *setup,
                                             gannet_complaints *complaints);

/* job_resources.c */

/* Append the lines #SBATCH that evaluate.resources stand for; nothing without them.
 *
 * Local.
 *
 * request  in  of a job of its own; NULL = the job has several runs, or is an element of an array:
 *              it gets what the largest needs
 */
GANNET_CHECKED gannet_err gannet_slurm_resources_write(const gannet_program *program,
                                                       const gannet_slurm_options *options,
                                                       const gannet_request *request,
                                                       gannet_text *to);

/* Append the words that start one run of several as a step of their job.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_step_write(const gannet_program *program, gannet_text *to);

/* Stand for the GPUs and nodes of a job until it begins; the job script puts in what SLURM says. */
#define GANNET_SLURM_GPUS "\001gpus\001"
#define GANNET_SLURM_HOSTS "\001hosts\001"

/* What a simulation in a job is told: {cores} and {launcher}, and words that stand for {gpus} and
 * {hosts}.
 *
 * Local.
 */
void gannet_slurm_place_describe(const gannet_program *program, const gannet_request *request,
                                 gannet_place_words *words);

/* Complain about an option of sbatch that contradicts evaluate.resources.
 *
 * Local.
 *
 * source  in  key that has the option: evaluate.sbatch or evaluate.script
 * word    in  [size] and what follows it: "--ntasks=4", or "-n" before " 4"
 */
void gannet_slurm_resources_check_word(const gannet_needs *needs, const char *source,
                                       const char *word, size_t size,
                                       gannet_complaints *complaints);

/* script.c */

/* Make the directory of an attempt, and write job.sh and all that it needs into it. The files
 * survive a power failure.
 *
 * Local.
 *
 * element      in   its part of a submission of several; NULL = job.sh is the script of the job
 * environment  out  what sbatch is to hand on; zeroed before, to be released by the caller
 */
GANNET_CHECKED gannet_err gannet_slurm_script_write(const gannet_program *program,
                                                    const gannet_slurm_options *options,
                                                    const gannet_request *request,
                                                    const gannet_current_attempt *attempt,
                                                    const gannet_submission_element *element,
                                                    gannet_text_list *environment);

/* shared_script.c */

/* One evaluation in the script of a submission. */
typedef struct {
  const char *directory;
  uint64_t nonce;
} gannet_slurm_script_part;

/* Write directory/job.sh, which runs the evaluations of one element of an array, or of a job, as
 * many at once as the options say.
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

/* scheduler_status.c */

/* Write the note that tells watchers since when jobs are unknown or not taken, and why; or remove
 * it when all is well again.
 *
 * Local.
 */
void gannet_slurm_report_status(gannet_slurm_jobs *jobs, gannet_scheduler_status_kind kind,
                                const char *format, ...) GANNET_PRINTF(3, 4);
void gannet_slurm_clear_status(gannet_slurm_jobs *jobs);

/* After each list: tell the log, once for every reason, and watchers about jobs that SLURM does not
 * start until somebody does something.
 *
 * Local.
 */
void gannet_slurm_report_stuck(gannet_slurm_jobs *jobs);

/* jobs.c */

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

/* The job of an evaluation, as SLURM knows it. Borrowed from the table until it changes.
 *
 * Local.
 */
static inline gannet_slurm_job_key gannet_slurm_key_of(const gannet_slurm_job *job) {
  return (gannet_slurm_job_key){job->known.job, job->submission->name};
}

/* Whether the evaluation shares its job with others.
 *
 * Local.
 */
static inline bool gannet_slurm_is_shared(const gannet_slurm_job *job) {
  return job->submission->runs > 1;
}

/* Another evaluation at the end of the table, jobs->n not yet counting it: the caller does.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_add_job(gannet_slurm_jobs *jobs,
                                               const gannet_request *request,
                                               gannet_slurm_job **job);

/* Remove an evaluation from the table: it has ended, and its result is ready.
 *
 * Local.
 */
void gannet_slurm_remove_job(gannet_slurm_jobs *jobs, gannet_slurm_job *job);

/* Another submission, of one run until the caller says otherwise.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_add_submission(gannet_slurm_jobs *jobs, const char *name,
                                                      const char *directory,
                                                      gannet_slurm_submission **submission);

/* The id of an evaluation's job, from that of its submission: of an array that of its element.
 *
 * Local.
 */
void gannet_slurm_set_job_id(gannet_slurm_job *job);

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

/* outcome.c */

/* Look for what the job's run left, and keep it in the job: not a failure of a run that was ended
 * to put the job back into the queue, for it begins anew.
 *
 * Local.
 */
void gannet_slurm_look_for_outcome(gannet_slurm_job *job);

/* The owner of the attempt in a directory; "" when it has none, or its number is not known.
 *
 * Local.
 *
 * id  out  [GANNET_SLURM_ID]
 */
void gannet_slurm_read_owner(const char *directory, char *id);

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

/* Whether the node could not even begin the job: SLURM writes FAILED, and 0:53 for the exit code.
 *
 * Local.
 */
bool gannet_slurm_is_never_begun(const gannet_slurm_job *job);

/* Whether gannet has noted that SLURM interrupted the job of the attempt in a directory, by a
 * preemption for example.
 *
 * Local.
 *
 * state  in  that the job ended in; NULL = any
 */
bool gannet_slurm_was_interrupted(const char *directory, const char *state);

/* Classify a job that has ended, by its outcome.json, its state, its exit code and its results, and
 * remove it from the table, also after an error; unless its results cannot be read for now, and are
 * to be read again.
 *
 * Local.
 *
 * Errors: those of gannet_classify_outcome and gannet_contract_check_space.
 */
GANNET_CHECKED gannet_err gannet_slurm_classify(gannet_slurm_jobs *jobs, gannet_slurm_job *job);

/* Fail an evaluation because of the scheduler. The job may not have begun, or may run on where
 * nobody sees it; therefore its files are kept as they are.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_fail(gannet_slurm_jobs *jobs, const gannet_slurm_job *job,
                                            bool retry, const char *reason);

/* Give all evaluations of a submission back to the loop, as pending, with the reason: no job of it
 * has begun for longer than evaluate.patience. The campaign stops, and a resume submits them.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_give_back_all(gannet_slurm_jobs *jobs,
                                                     const gannet_slurm_submission *submission,
                                                     const char *reason);

/* Give an evaluation whose attempt was never started, or does not count, back to the loop, as
 * pending.
 *
 * Local.
 *
 * reason  in  why the campaign has to stop; "" = it need not
 */
GANNET_CHECKED gannet_err gannet_slurm_give_back(gannet_slurm_jobs *jobs,
                                                 const gannet_slurm_job *job, const char *reason);

/* Wait for the files of a job that the scheduler does not know, when they cannot be read: they may
 * tell that it ended. After evaluate.patience its evaluation comes out of poll as pending, and the
 * job leaves the table.
 *
 * Local.
 *
 * unread  out  whether they cannot be read
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_slurm_wait_for_files(gannet_slurm_jobs *jobs,
                                                      gannet_slurm_job *job, bool *unread);

/* Whether the results are complete: they count although nobody knows how the job ended, as the
 * user's own rules about its output do.
 *
 * Local.
 *
 * done  out  true when the result was made ready
 */
GANNET_CHECKED gannet_err gannet_slurm_take_results(gannet_slurm_jobs *jobs,
                                                    const gannet_slurm_job *job, bool *done);

/* Cancel the present attempt, whose result is not wanted. If it has not begun it will do nothing,
 * for attempt.json does not name it any more; if it runs, its job is cancelled unless it shares the
 * job with others.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_cancel_attempt(gannet_slurm_jobs *jobs,
                                                      const gannet_slurm_job *job);

/* Look whether an earlier attempt of this evaluation, given up as lost, ended well after all: the
 * first valid result wins.
 *
 * Local.
 *
 * done  out  true when the result was made ready and the present attempt called off
 */
GANNET_CHECKED gannet_err gannet_slurm_take_late_result(gannet_slurm_jobs *jobs,
                                                        const gannet_slurm_job *job, bool *done);

/* Forget the attempts of jobs that failed where the disk is full, so that a later process submits
 * them again.
 *
 * Local.
 */
void gannet_slurm_forget_failures(const gannet_slurm_jobs *jobs);

/* submission.c */

/* Pack n evaluations into submissions as the options say, and write everything down that sbatch
 * needs. After an error the table is as before.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_pack(gannet_slurm_jobs *jobs, int n,
                                            const gannet_request *requests);

/* Call sbatch for what is due.
 *
 * Local.
 *
 * until  in  time after which no further call is made
 */
GANNET_CHECKED gannet_err gannet_slurm_submit_due(gannet_slurm_jobs *jobs, double until);

/* All jobs, with one call; how is REFUSED, too, when the list may lack some.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_list_all(gannet_slurm_jobs *jobs, gannet_slurm_list *list,
                                                gannet_slurm_call *how);

/* Look in a complete list for a submission that may have been accepted. It is submitted again when
 * it is missing in several lists over a while, and the accounting does not know it either; after
 * evaluate.patience its evaluations are given back.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_resolve_uncertain(gannet_slurm_jobs *jobs,
                                                         gannet_slurm_submission *submission,
                                                         const gannet_slurm_list *list, double now);

/* Find a submission of an earlier process that may have been accepted: by name in the scheduler's
 * list. When it is certainly not there, and no other evaluation of it is under way, its stage
 * becomes GANNET_SLURM_NEVER_TAKEN.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_search_queue(gannet_slurm_jobs *jobs,
                                                    gannet_slurm_submission *submission);

/* Seconds after an uncertain call of sbatch for which a list without its job proves nothing.
 *
 * Local.
 */
double gannet_slurm_uncertain_seconds(const gannet_slurm_options *options);

/* Nothing is to begin any more: give back, as pending, all that sbatch has not taken. What it may
 * have taken is looked for once, and left to a later process when it is not found.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_withdraw(gannet_slurm_jobs *jobs);

/* monitor.c */

/* Everything that is due: look for files, submit, ask the scheduler. Evaluations that ended become
 * ready and leave the table.
 *
 * Local.
 *
 * until  in  time after which no further job is submitted in this call; none is, and the scheduler
 *            is not asked, either when the program is to end at once
 */
GANNET_CHECKED gannet_err gannet_slurm_monitor(gannet_slurm_jobs *jobs, double until);

/* recover.c */

/* Take over the job of an earlier process; see gannet_evaluator_recover.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_recover(gannet_slurm_jobs *jobs,
                                               const gannet_request *request, bool *taken);

/* See gannet_evaluator_all_submitted and gannet_evaluator_detach.
 *
 * Local.
 */
bool gannet_slurm_all_submitted(const gannet_slurm_jobs *jobs);
GANNET_CHECKED gannet_err gannet_slurm_detach(gannet_slurm_jobs *jobs,
                                              const gannet_follow_up *next);

#endif
