/* Evaluators: how a simulation is run. One interface, which each back-end implements.
 *
 *   gannet_evaluator_submit   hand over evaluations; returns at once
 *   gannet_evaluator_poll     collect those that ended, waiting at most so long
 *   gannet_evaluator_withdraw  stop one evaluation
 *   gannet_evaluator_cancel   stop everything in flight
 *
 * All are collective over the context's communicator and return the same on all ranks,
 * whichever rank does the work. A failed simulation is a result with its reason, never an error;
 * errors are failures of gannet's own means (no file descriptors, dead helper process).
 */
#ifndef GANNET_EVALUATE_EVALUATOR_H
#define GANNET_EVALUATE_EVALUATOR_H

#include "base/context.h"
#include "base/option.h"
#include "evaluate/launcher/launcher.h"
#include "evaluate/simulation.h"
#include "problem/history.h"

typedef struct gannet_evaluator gannet_evaluator;

typedef struct {
  int64_t id;
  int attempt;    /* 1 for the first; counts over restarts of the campaign */
  uint64_t seed;  /* of the simulation */
  uint64_t nonce; /* of this attempt: written before the launch, compared with what comes back */
  const double *x_user; /* [n_variables]; borrowed for the call */
  int64_t start_from;   /* where the setup starts_from_nearest: an evaluation, or -1 */
  const struct gannet_place_words *place; /* set by a back-end that places simulations; NULL
                                             elsewhere */
} gannet_request;

/* How an evaluator learns that the program is to stop while it is busy, and how it asks for a stop
 * itself. */
typedef struct {
  bool (*is_asked)(void *user); /* the program is to end at once. Called often, on rank 0; once
                                   true, it stays true */
  void *user;
  void (*ask)(void); /* called when the job that the program runs in is ending; NULL = not wanted */
  bool (*begins_nothing)(void *user); /* no further simulation is to begin, but those that run may
                                         end; NULL = never */
} gannet_stopping;

/* What every back-end may need. Pointers are borrowed until destroy. */
typedef struct {
  const gannet_context *context;
  const gannet_problem *problem;
  const char *campaign;        /* directory of the campaign */
  const char *input_directory; /* where relative paths start; NULL = working directory */
  const char *name;            /* of the campaign */
  int parallel;                /* most evaluations in flight, >= 1 */
  double time_limit;           /* seconds per evaluation; INFINITY = none */
  const gannet_simulation_type *const *simulations; /* built-in ones, NULL-terminated, or NULL */
  /* Used on rank 0 only, by one evaluator at a time. NULL = the command back-end forks its own,
   * after MPI_Init, which some networks do not like: programs start one first thing in main. */
  gannet_launcher *launcher;
  const gannet_stopping *stopping; /* NULL = nothing stops it */
  bool starts_from_nearest;        /* simulations are told the folder of request->start_from */
  bool starts_jobs;                /* simulations are jobs of a scheduler: for checks only */
  bool place_is_late;              /* a scheduler chooses GPUs and nodes later: for checks only */
  const struct gannet_resources *resources; /* what a simulation needs; NULL = not said */
  gannet_complaint_locator locate;          /* of keys, for warnings; NULL = not known */
  const void *located;                      /* user of locate */
} gannet_evaluator_setup;

/* A script that a scheduler is to run when what is in flight has ended. Borrowed for the call. */
typedef struct {
  const char *script, *argument; /* SCRIPT ARGUMENT */
  const char *directory;         /* where it runs; absolute */
  bool any;                      /* it runs when the first evaluation has ended, not all of them */
  bool (*is_stopped)(void);      /* it is not wanted any more; NULL = it always is */
} gannet_follow_up;

typedef struct {
  const char *name; /* first member */
  const char *summary;
  const gannet_option *options; /* keys under evaluate: that only this back-end has; never NULL */
  size_t options_size;
  /* check: complain about what can be seen without running (missing executable, unknown
   * simulation). Local; setup->context and setup->problem may be NULL, then less is checked. */
  gannet_err (*check)(const void *options, const gannet_evaluator_setup *setup,
                      gannet_complaints *complaints);
  gannet_err (*create)(const void *options, const gannet_evaluator_setup *setup, void **state);
  void (*destroy)(void *state);
  gannet_err (*submit)(void *state, int n, const gannet_request *requests);
  gannet_err (*poll)(void *state, double wait, int capacity, int *n, gannet_result_record *results);
  gannet_err (*cancel)(void *state);
  gannet_err (*withdraw)(void *state, int64_t id); /* see gannet_evaluator_withdraw */
  /* recover: a request that an earlier process submitted; if its complete result (same nonce) can
   * be found, or it is still running, take it over and set *taken. NULL = never. */
  gannet_err (*recover)(void *state, const gannet_request *request, bool *taken);
  /* all_submitted, detach: see gannet_evaluator_detach. NULL = simulations need this process. */
  gannet_err (*all_submitted)(void *state, bool *submitted);
  gannet_err (*detach)(void *state, const gannet_follow_up *next);
} gannet_evaluator_type;

/* Every registered back-end, NULL-terminated. */
extern const gannet_evaluator_type *const gannet_evaluator_types[];

/* Find a registered back-end by name.
 *
 * Local.
 *
 * Errors: GANNET_ERR_NAME with the known names.
 */
GANNET_CHECKED gannet_err gannet_evaluator_find(const char *name,
                                                const gannet_evaluator_type **type);

/* Complain about everything that can be seen to be wrong without running a simulation: all of it at
 * once. Warnings (a time limit that a back-end cannot keep) go to the log.
 *
 * Local.
 *
 * setup  in  context and problem may be NULL: then less is checked
 *
 * Errors: GANNET_ERR_MEMORY; what is wrong is a complaint.
 */
GANNET_CHECKED gannet_err gannet_evaluator_check(const gannet_evaluator_type *type,
                                                 const void *options,
                                                 const gannet_evaluator_setup *setup,
                                                 gannet_complaints *complaints);

/* Warn of something in the input, "location: key: what", where the setup has a context.
 *
 * Local.
 */
void gannet_evaluator_warn(const gannet_evaluator_setup *setup, const char *key, const char *format,
                           ...) GANNET_PRINTF(3, 4);

/* Create an evaluator. What check complains about is an error here.
 *
 * Collective over the context's communicator; arguments the same on all ranks.
 *
 * options  in  struct of type->options; borrowed until destroy
 * setup    in  copied; what it points at borrowed until destroy
 *
 * Errors: GANNET_ERR_ARG without context or problem, and for parallel or time_limit outside their
 * ranges; GANNET_ERR_INPUT with all complaints; those of the back-end.
 */
GANNET_CHECKED gannet_err gannet_evaluator_create(const gannet_evaluator_type *type,
                                                  const void *options,
                                                  const gannet_evaluator_setup *setup,
                                                  gannet_evaluator **evaluator);

/* Cancel what is in flight and free; accepts NULL.
 *
 * Collective.
 */
void gannet_evaluator_destroy(gannet_evaluator **evaluator);

/* Start evaluations. At most setup->parallel may be in flight.
 *
 * Collective; requests the same on all ranks.
 *
 * Errors: GANNET_ERR_ARG when n < 0, or when more would be in flight than setup->parallel; those
 * of the back-end (a full disk, a dead launcher). A simulation that cannot be started is no error,
 * but a failed result.
 */
GANNET_CHECKED gannet_err gannet_evaluator_submit(gannet_evaluator *evaluator, int n,
                                                  const gannet_request *requests);

/* Collect ended evaluations. Returns as soon as there is one, or after wait seconds with none, or
 * with none when a signal handler ran on rank 0. The in-process back-ends run what was submitted
 * inside this call, on every group of ranks for wait seconds and one evaluation at least; no time
 * limit can interrupt one.
 *
 * Collective; the same on all ranks. Results come in the order in which they ended; the synchronous
 * loop sorts by id. What has ended while setup->stopping asks for an end may be left to
 * gannet_evaluator_recover of a later process: it stays in flight and is not returned.
 *
 * capacity  in   length of results
 * n         out  how many were written
 * results   out  zeroed before the call, but for results[i].constraints, which must point at
 *                [n_constraints] doubles; to be freed with gannet_results_release, also after an
 *                error
 *
 * Errors: GANNET_ERR_ARG when capacity < 1 or wait < 0; those of the back-end.
 */
GANNET_CHECKED gannet_err gannet_evaluator_poll(gannet_evaluator *evaluator, double wait,
                                                int capacity, int *n,
                                                gannet_result_record *results);

/* Stop everything in flight (whole process groups); nothing of it will be returned by poll.
 *
 * Collective.
 *
 * Errors: those of the back-end; nothing counts as in flight then either.
 */
GANNET_CHECKED gannet_err gannet_evaluator_cancel(gannet_evaluator *evaluator);

/* Stop one evaluation in flight (its whole process group, its job); nothing of it will be returned
 * by poll. Inside a simulation that runs in the job nothing can stop it, but it is not begun. A job
 * of several evaluations runs on, and its result is not wanted.
 *
 * Collective; id the same on all ranks.
 *
 * Errors: those of the back-end; it does not count as in flight then either.
 */
GANNET_CHECKED gannet_err gannet_evaluator_withdraw(gannet_evaluator *evaluator, int64_t id);

/* Take over an evaluation of an earlier process, if the back-end can.
 *
 * Collective; the same on all ranks.
 *
 * taken  out  when true its result will come out of poll; when false submit it again
 *
 * Errors: those of the back-end.
 */
GANNET_CHECKED gannet_err gannet_evaluator_recover(gannet_evaluator *evaluator,
                                                   const gannet_request *request, bool *taken);

/* Whether simulations in flight go on without this process, so that it can detach from them.
 *
 * Local.
 */
bool gannet_evaluator_can_detach(const gannet_evaluator *evaluator);

/* Whether everything in flight has been handed over, and everything that ended collected: only
 * time can change anything now. Polls bring this about.
 *
 * Collective; the same on all ranks.
 *
 * Errors: GANNET_ERR_STATE when gannet_evaluator_can_detach says no.
 */
GANNET_CHECKED gannet_err gannet_evaluator_all_submitted(gannet_evaluator *evaluator,
                                                         bool *submitted);

/* Detach from what is in flight: nothing is ended, nothing counts as in flight here any more, and a
 * later process recovers it.
 *
 * Collective; the same on all ranks.
 *
 * next  in  to be run when it has ended; NULL = nothing. One that was asked for before and has not
 *           begun yet is enough: it is not asked for twice.
 *
 * Errors: GANNET_ERR_STATE when gannet_evaluator_can_detach says no; GANNET_ERR_IO when the
 *   scheduler does not take next.
 */
GANNET_CHECKED gannet_err gannet_evaluator_detach(gannet_evaluator *evaluator,
                                                  const gannet_follow_up *next);

/* Evaluations submitted and not yet collected.
 *
 * Local.
 */
int gannet_evaluator_in_flight(const gannet_evaluator *evaluator);

#endif
