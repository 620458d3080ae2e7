#include "evaluate/in_process/in_process.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "evaluate/backends.h"
#include "evaluate/result_record.h"
#include "problem/derived.h"
#include "problem/objectives.h"

enum { TEXT_SIZE = 48 }; /* of a number; texts of categories are borrowed from the problem */

/* Static, as exit handlers cannot reach anything else. */
static volatile sig_atomic_t is_running;

bool gannet_in_process_is_running(void) {
  return is_running;
}

typedef struct {
  int64_t id;
  int attempt;
  uint64_t seed;
  double submitted;
} queued;

typedef struct {
  const gannet_context *context;
  const gannet_problem *problem;
  gannet_in_process_call call;
  const gannet_text_list *settings;
  const gannet_stopping *stopping; /* NULL = nothing stops it */
  int groups, group;               /* group of this rank, -1 when it idles */
  MPI_Comm comm;                   /* of the group, for the simulation */
  MPI_Comm control; /* of the group, for us: a failed simulation may leave messages in comm */
  int group_rank;
  int capacity, n_queued; /* evaluations handed over and not yet run */
  queued *queue;          /* [capacity] */
  double *x;              /* [capacity][n_variables] */
  double *constraints;    /* [max(what the problem names, what the simulation writes)] */
  const char **names;     /* [n_variables] */
  const char **texts;     /* [n_variables] */
  char *text;             /* [n_variables][TEXT_SIZE] */
  const char **constraint_names;
  size_t record_size;          /* of a packed result and one byte: whether it was run */
  char *records;               /* [capacity][record_size] */
  gannet_quantities *reported; /* [capacity] of what was run, on the root of its group; owned */
} runner;

void gannet_in_process_check(const gannet_in_process_options *options,
                             const gannet_evaluator_setup *setup, gannet_complaints *complaints) {
  for (int i = 0; i < options->settings.n; ++i)
    if (!strchr(options->settings.item[i], '='))
      gannet_complain(complaints, "evaluate.settings",
                      "'%s' is not of the form key=value, as in delay=0.5",
                      options->settings.item[i]);
  gannet_refuse_files(setup, "the simulation reports its quantities itself", complaints);
  if (!setup->context) return;
  if (options->ranks_per_simulation > setup->context->np)
    gannet_complain(
        complaints, "evaluate.ranks_per_simulation",
        "%d ranks asked for one simulation, but the job has %d; start more with mpirun -n "
        "%d or ask for fewer",
        options->ranks_per_simulation, setup->context->np, options->ranks_per_simulation);
  if (isfinite(setup->time_limit))
    gannet_evaluator_warn(setup, "evaluate.time_limit",
                          "it cannot interrupt a simulation in gannet's own process; use "
                          "backend: command to enforce it");
}

static gannet_err allocate_buffers(runner *made) {
  const gannet_problem_spec *spec = &made->problem->spec;
  const size_t nv = (size_t)spec->n_variables, capacity = (size_t)made->capacity;
  const int nc = made->call.n_constraints > spec->n_constraints ? made->call.n_constraints
                                                                : spec->n_constraints;
  made->record_size = gannet_result_size(spec->n_constraints) + 1;
  GANNET_TRY(gannet_alloc(capacity, sizeof *made->queue, &made->queue));
  GANNET_TRY(gannet_alloc(capacity * nv, sizeof *made->x, &made->x));
  GANNET_TRY(gannet_alloc((size_t)nc, sizeof *made->constraints, &made->constraints));
  GANNET_TRY(gannet_alloc(nv, sizeof *made->names, &made->names));
  GANNET_TRY(gannet_alloc(nv, sizeof *made->texts, &made->texts));
  GANNET_TRY(gannet_alloc(nv, TEXT_SIZE, &made->text));
  GANNET_TRY(gannet_alloc((size_t)spec->n_constraints, sizeof *made->constraint_names,
                          &made->constraint_names));
  GANNET_TRY(gannet_alloc(capacity, made->record_size, &made->records));
  GANNET_TRY(gannet_alloc(capacity, sizeof *made->reported, &made->reported));
  for (int k = 0; k < spec->n_variables; ++k) made->names[k] = spec->variables[k].name;
  for (int j = 0; j < spec->n_constraints; ++j)
    made->constraint_names[j] = spec->constraints[j].name;
  return GANNET_OK;
}

static gannet_err set_up_runner(runner *made, const gannet_in_process_options *options,
                                const gannet_evaluator_setup *setup, gannet_err local) {
  GANNET_TRY(local);
  made->context = setup->context;
  made->problem = setup->problem;
  made->settings = &options->settings;
  made->stopping = setup->stopping;
  made->capacity = setup->parallel;
  made->groups = setup->context->np / options->ranks_per_simulation;
  made->group = setup->context->rank / options->ranks_per_simulation;
  if (made->group >= made->groups) made->group = -1;
  return allocate_buffers(made);
}

/* Make a new communicator for the simulation, in which no message is on its way. The old one is
 * freed afterwards, so that the new one cannot be the same again. */
static gannet_err renew_comm(runner *run) {
  MPI_Comm fresh = MPI_COMM_NULL;
  GANNET_TRY_MPI(MPI_Comm_dup(run->control, &fresh));
  GANNET_TRY_MPI(MPI_Comm_set_errhandler(fresh, MPI_ERRORS_RETURN));
  if (run->comm != MPI_COMM_NULL) GANNET_TRY_MPI(MPI_Comm_free(&run->comm));
  run->comm = fresh;
  return GANNET_OK;
}

static gannet_err split_communicator(runner *made) {
  const int color = made->group < 0 ? MPI_UNDEFINED : made->group;
  GANNET_TRY_MPI(MPI_Comm_split(made->context->comm, color, made->context->rank, &made->control));
  if (made->group < 0) return GANNET_OK;
  GANNET_TRY_MPI(MPI_Comm_set_errhandler(made->control, MPI_ERRORS_RETURN));
  GANNET_TRY(renew_comm(made));
  GANNET_TRY_MPI(MPI_Comm_rank(made->comm, &made->group_rank));
  return GANNET_OK;
}

gannet_err gannet_in_process_create(const gannet_in_process_options *options,
                                    const gannet_evaluator_setup *setup,
                                    const gannet_in_process_call *call, gannet_err local,
                                    void **state) {
  runner *made = NULL;
  *state = NULL;
  const gannet_err code = gannet_alloc(1, sizeof *made, &made);
  if (code == GANNET_OK) {
    made->comm = made->control = MPI_COMM_NULL;
    made->call = *call;
    local = set_up_runner(made, options, setup, local);
  } else {
    if (call->target) call->release(call->target);
    local = code;
  }
  gannet_err err = gannet_agree(setup->context->comm, local);
  if (err == GANNET_OK) err = gannet_agree(setup->context->comm, split_communicator(made));
  if (err != GANNET_OK && made) gannet_in_process_destroy(made);
  if (err == GANNET_OK) *state = made;
  GANNET_TRY(err);
  return GANNET_OK;
}

void gannet_in_process_destroy(void *state) {
  runner *made = state;
  int finalized = 0;
  (void)MPI_Finalized(&finalized);
  if (made->call.target) made->call.release(made->call.target);
  if (made->comm != MPI_COMM_NULL && !finalized) (void)MPI_Comm_free(&made->comm);
  if (made->control != MPI_COMM_NULL && !finalized) (void)MPI_Comm_free(&made->control);
  gannet_free(&made->queue);
  gannet_free(&made->x);
  gannet_free(&made->constraints);
  gannet_free(&made->names);
  gannet_free(&made->texts);
  gannet_free(&made->text);
  gannet_free(&made->constraint_names);
  gannet_free(&made->records);
  for (int i = 0; made->reported && i < made->capacity; ++i)
    gannet_quantities_release(&made->reported[i]);
  gannet_free(&made->reported);
  gannet_free(&made);
}

gannet_err gannet_in_process_submit(void *state, int n, const gannet_request *requests) {
  runner *run = state;
  const size_t nv = (size_t)run->problem->spec.n_variables;
  for (int i = 0; i < n; ++i) {
    const int at = run->n_queued++;
    run->queue[at] =
        (queued){requests[i].id, requests[i].attempt, requests[i].seed, gannet_clock_epoch()};
    memcpy(run->x + (size_t)at * nv, requests[i].x_user, nv * sizeof *run->x);
  }
  return GANNET_OK;
}

static void fill_texts(runner *run, const double *x) {
  const gannet_problem_spec *spec = &run->problem->spec;
  for (int k = 0; k < spec->n_variables; ++k) {
    char *text = run->text + (size_t)k * TEXT_SIZE;
    if (gannet_variable_has_words(&spec->variables[k])) {
      run->texts[k] = spec->variables[k].values[(int)x[k]];
    } else {
      gannet_problem_format(run->problem, k, x[k], text, TEXT_SIZE);
      run->texts[k] = text;
    }
  }
}

/* Agree whether a rank of the group failed: then the whole run fails, with the reason of that rank.
 */
static gannet_err agree_on_code(const runner *run, int code, gannet_simulation_output *output,
                                int *failed_rank) {
  struct {
    int failed, rank;
  } mine = {code != 0, run->group_rank}, worst;
  GANNET_TRY_MPI(MPI_Allreduce(&mine, &worst, 1, MPI_2INT, MPI_MAXLOC, run->control));
  *failed_rank = worst.failed ? worst.rank : -1;
  if (worst.failed && worst.rank != 0)
    GANNET_TRY_MPI(
        MPI_Bcast(output->reason, (int)sizeof output->reason, MPI_CHAR, worst.rank, run->control));
  return GANNET_OK;
}

/* Quantities count on the root of the group only, as the rest of its output. */
static void take_quantities(const runner *run, const gannet_simulation_output *output,
                            gannet_result_record *result) {
  gannet_err err = GANNET_OK;
  const int n = run->group_rank == 0 && output->quantities ? output->n_quantities : 0;
  for (int i = 0; i < n && err == GANNET_OK; ++i)
    err = gannet_result_report(run->problem, &output->quantities[i], result);
  if (err == GANNET_OK) {
    /* A formula needs quantities, which only the root of the group has. */
    const gannet_lack lack = output->partial ? GANNET_LACK_SAID : GANNET_LACK_NOTHING;
    if (run->group_rank != 0 || gannet_result_compute(run->problem, lack, result))
      gannet_result_check_numbers(run->problem, lack, result);
    return;
  }
  gannet_result_fail(result, false, "%s", gannet_error_detail());
  result->run.crashed = false; /* it is the program that is wrong, not the design */
  gannet_error_clear();
}

static void fill_result(const runner *run, const gannet_simulation_output *output, int failed_rank,
                        gannet_result_record *result) {
  const char *reason = output->reason[0] ? output->reason : "the simulation gave no reason";
  result->run.exit_code = failed_rank < 0 ? 0 : -1;
  if (failed_rank >= 0) {
    gannet_result_fail(result, true, "rank %d of the simulation failed: %s", failed_rank, reason);
    result->run.failure = GANNET_FAILURE_EXIT;
  } else if (output->cannot_run) {
    gannet_result_fail(result, false, "%s", reason);
    gannet_result_cannot_run(result, GANNET_FAILURE_WORD);
  } else {
    result->objective = output->objective;
    if (run->problem->spec.n_constraints > 0)
      memcpy(result->constraints, output->constraints,
             (size_t)run->problem->spec.n_constraints * sizeof *result->constraints);
    take_quantities(run, output, result);
  }
  if (result->status != GANNET_EVAL_DONE) {
    gannet_quantities_release(&result->reported);
    result->objective = NAN;
    for (int j = 0; j < run->problem->spec.n_constraints; ++j) result->constraints[j] = NAN;
  }
}

/* Run evaluation `at` of the queue on the group of this rank. The root of the group packs the
 * record. */
static gannet_err run_one(runner *run, int at, gannet_result_record *result) {
  const gannet_problem_spec *spec = &run->problem->spec;
  const queued *asked = &run->queue[at];
  const double *x = run->x + (size_t)at * (size_t)spec->n_variables;
  gannet_simulation_output output = {.objective = NAN, .constraints = run->constraints};
  int failed_rank = -1;
  fill_texts(run, x);
  const gannet_simulation_input input = {GANNET_SIMULATION_ABI,
                                         run->comm,
                                         asked->id,
                                         asked->attempt,
                                         asked->seed,
                                         spec->n_variables,
                                         run->names,
                                         x,
                                         run->texts,
                                         gannet_spec_n_bounded(spec),
                                         run->constraint_names,
                                         run->settings->n,
                                         (const char *const *)run->settings->item};
  gannet_result_clear(spec->n_constraints, result);
  for (int j = 0; j < spec->n_constraints; ++j) run->constraints[j] = NAN;
  result->run.started = gannet_clock_epoch();
  const double begun = gannet_clock_seconds();
  char undefined[sizeof output.reason];
  int code = 0;
  if (gannet_problem_find_undefined(run->problem, x, undefined, sizeof undefined) >= 0) {
    memcpy(output.reason, undefined, sizeof undefined);
    output.cannot_run = true;
  } else {
    is_running = true;
    code = run->call.run(run->call.target, &input, &output);
    is_running = false;
  }
  result->run.ended = result->run.started + gannet_clock_seconds() - begun;
  output.reason[sizeof output.reason - 1] = '\0';
  GANNET_TRY(agree_on_code(run, code, &output, &failed_rank));
  if (failed_rank >= 0) GANNET_TRY(renew_comm(run));
  result->id = asked->id;
  result->run.submitted = asked->submitted;
  result->run.attempts = asked->attempt;
  result->run.slot = run->group;
  gannet_host_name(result->run.host);
  fill_result(run, &output, failed_rank, result);
  if (run->group_rank == 0) {
    char *record = run->records + (size_t)at * run->record_size;
    gannet_result_pack(spec->n_constraints, spec->n_variables, result, record);
    record[run->record_size - 1] = 1;
    run->reported[at] = result->reported;
    result->reported = (gannet_quantities){0};
  }
  return GANNET_OK;
}

static int by_id(const void *a, const void *b) {
  const gannet_result_record *one = a, *two = b;
  return (one->id > two->id) - (one->id < two->id);
}

static bool begins_nothing(const runner *run) {
  const gannet_stopping *stopping = run->stopping;
  return stopping && stopping->begins_nothing && stopping->begins_nothing(stopping->user);
}

/* Run the share of this group for `wait` seconds, and at least one evaluation. What is left waits
 * for the next poll, so that results are soon safe and a request to stop is soon seen. The clock of
 * the group's root counts. */
static gannet_err run_share(runner *run, double wait, int count, gannet_result_record *results) {
  const double start = gannet_clock_seconds();
  int enough = 0;
  for (int i = run->group; i < count && !enough; i += run->groups) {
    GANNET_TRY(run_one(run, i, &results[i]));
    enough = gannet_clock_seconds() - start >= wait || begins_nothing(run);
    GANNET_TRY_MPI(MPI_Bcast(&enough, 1, MPI_INT, 0, run->control));
  }
  return GANNET_OK;
}

/* Move results of evaluations that were run to the front; the others stay in the queue. Returns the
 * number of results.
 *
 * results  inout  [count] as the records of the queue
 */
static int sort_out(runner *run, int count, gannet_result_record *results) {
  const size_t nv = (size_t)run->problem->spec.n_variables;
  int ended = 0, left = 0;
  for (int i = 0; i < run->n_queued; ++i) {
    if (i < count && run->records[(size_t)(i + 1) * run->record_size - 1]) {
      const gannet_result_record moved = results[i]; /* every result keeps a buffer of its own */
      results[i] = results[ended];
      results[ended++] = moved;
    } else {
      run->queue[left] = run->queue[i];
      memmove(run->x + (size_t)left++ * nv, run->x + (size_t)i * nv, nv * sizeof *run->x);
    }
  }
  run->n_queued = left;
  qsort(results, (size_t)ended, sizeof *results, by_id);
  return ended;
}

/* Give evaluations back as pending that were not begun before a stop. */
static int give_back(runner *run, int count, gannet_result_record *results) {
  const int first = run->n_queued - count;
  for (int i = 0; i < count; ++i) {
    gannet_result_clear(run->problem->spec.n_constraints, &results[i]);
    results[i].id = run->queue[first + i].id;
    results[i].status = GANNET_EVAL_PENDING;
  }
  run->n_queued = first;
  qsort(results, (size_t)count, sizeof *results, by_id);
  return count;
}

gannet_err gannet_in_process_poll(void *state, double wait, int capacity, int *n,
                                  gannet_result_record *results) {
  runner *run = state;
  const int count = capacity < run->n_queued ? capacity : run->n_queued;
  gannet_err local = GANNET_OK;
  int nothing = run->context->rank == 0 && begins_nothing(run);
  GANNET_TRY_MPI(MPI_Bcast(&nothing, 1, MPI_INT, 0, run->context->comm));
  if (nothing) {
    *n = give_back(run, count, results);
    return GANNET_OK;
  }
  memset(run->records, 0, (size_t)count * run->record_size);
  if (run->group >= 0) local = run_share(run, wait, count, results);
  GANNET_TRY(gannet_agree(run->context->comm, local));
  /* Every record was written by one rank and is zero elsewhere: OR is the gather. */
  const size_t bytes = (size_t)count * run->record_size;
  GANNET_REQUIRE(bytes <= INT32_MAX, GANNET_ERR_SHAPE, "%zu bytes of results", bytes);
  GANNET_TRY_MPI(
      MPI_Allreduce(MPI_IN_PLACE, run->records, (int)bytes, MPI_BYTE, MPI_BOR, run->context->comm));
  for (int i = 0; i < count; ++i)
    gannet_result_unpack(run->problem->spec.n_constraints,
                         run->records + (size_t)i * run->record_size, &results[i]);
  const gannet_result_records records = {count, run->record_size, run->records};
  const gannet_err shared = gannet_result_share_reported(
      run->context->comm, run->problem->spec.n_variables, &records, run->reported, results);
  for (int i = 0; i < count; ++i) gannet_quantities_release(&run->reported[i]);
  GANNET_TRY(shared);
  *n = sort_out(run, count, results);
  return GANNET_OK;
}

gannet_err gannet_in_process_withdraw(void *state, int64_t id) {
  runner *run = state;
  const size_t nv = (size_t)run->problem->spec.n_variables;
  int left = 0;
  for (int i = 0; i < run->n_queued; ++i) {
    if (run->queue[i].id == id) continue;
    run->queue[left] = run->queue[i];
    memmove(run->x + (size_t)left++ * nv, run->x + (size_t)i * nv, nv * sizeof *run->x);
  }
  run->n_queued = left;
  return GANNET_OK;
}

gannet_err gannet_in_process_cancel(void *state) {
  runner *run = state;
  run->n_queued = 0;
  return GANNET_OK;
}
