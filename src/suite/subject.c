#include "suite/subject.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "simulations/registry.h"

/* Longest wait for a simulation before the watch is asked again. */
static const double wait_seconds = 0.25;

gannet_err suite_subject_create(const suite_subject_setup *setup, suite_subject **subject) {
  const gannet_campaign_input *input = setup->input;
  const size_t n = (size_t)setup->batch, c = (size_t)input->problem->spec.n_constraints;
  GANNET_TRY(gannet_alloc(1, sizeof **subject, subject));
  suite_subject *made = *subject;
  made->input = input;
  made->watch = setup->watch;
  made->capacity = setup->batch;
  GANNET_TRY(gannet_copy_text(setup->directory, &made->directory));
  GANNET_TRY(gannet_alloc(n, sizeof *made->attempt, &made->attempt));
  GANNET_TRY(gannet_alloc(n, sizeof *made->results, &made->results));
  GANNET_TRY(gannet_alloc(n * c, sizeof *made->constraints, &made->constraints));
  GANNET_TRY(gannet_context_create(MPI_COMM_SELF, (uint64_t)setup->seed, &made->context));
  const gannet_evaluator_setup about = {
      .context = made->context,
      .problem = input->problem,
      .campaign = made->directory,
      .input_directory = setup->input_directory,
      .name = input->general.name,
      .parallel = input->evaluate.parallel,
      .time_limit = isnan(input->evaluate.time_limit) ? INFINITY : input->evaluate.time_limit,
      .simulations = gannet_simulations,
      .launcher = setup->launcher};
  return gannet_evaluator_create(input->evaluator, input->evaluator_options, &about,
                                 &made->evaluator);
}

void suite_subject_destroy(suite_subject **subject) {
  suite_subject *old = *subject;
  if (!old) return;
  gannet_evaluator_destroy(&old->evaluator);
  gannet_context_destroy(&old->context);
  gannet_free(&old->attempt);
  gannet_free(&old->results);
  gannet_free(&old->constraints);
  gannet_free(&old->directory);
  gannet_free(subject);
}

gannet_err suite_subject_watch(suite_subject *subject) {
  const suite_watch *watch = subject->watch;
  gannet_stop_request asked;
  int flag = 0;
  if (!watch) return GANNET_OK;
  GANNET_TRY_MPI(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, watch->comm, &flag, MPI_STATUS_IGNORE));
  GANNET_TRY(gannet_stop_ask(subject->context, watch->stop_file, watch->deadline, &asked));
  subject->stop = asked.stop;
  return GANNET_OK;
}

static gannet_err submit_attempt(suite_subject *subject, int64_t first, int i,
                                 const double *x_user) {
  const gannet_context *context = subject->context;
  const uint64_t id = (uint64_t)(first + i);
  const gannet_request request = {
      .id = first + i,
      .attempt = ++subject->attempt[i],
      .seed = gannet_random_bits(gannet_context_stream(context, GANNET_FOR_SIMULATION, id, 0), 0),
      .nonce = gannet_random_bits(
          gannet_context_stream(context, GANNET_FOR_RETRY, id, (uint64_t)subject->attempt[i]), 0),
      .x_user = x_user + (size_t)i * (size_t)subject->input->problem->spec.n_variables};
  return gannet_evaluator_submit(subject->evaluator, 1, &request);
}

/* Wait for a result, and keep it or have the evaluation tried again; counts down those that are
 * left. scratch: [n_constraints] */
static gannet_err collect_result(suite_subject *subject, int64_t first, const double *x_user,
                                 double *scratch, int *left) {
  const size_t c = (size_t)subject->input->problem->spec.n_constraints;
  gannet_result_record result = {.constraints = scratch};
  int n = 0;
  GANNET_TRY(gannet_evaluator_poll(subject->evaluator, wait_seconds, 1, &n, &result));
  if (n == 0) {
    GANNET_TRY(suite_subject_watch(subject));
    if (subject->stop != GANNET_STOP_NOW) return GANNET_OK;
    return gannet_evaluator_cancel(subject->evaluator);
  }
  gannet_results_release(1, &result); /* what a benchmark has no use for */
  const int i = (int)(result.id - first);
  const bool again = result.status == GANNET_EVAL_FAILED && result.retry &&
                     subject->attempt[i] <= subject->input->evaluate.retries;
  if (again) return submit_attempt(subject, first, i, x_user);
  subject->results[i] = result;
  subject->results[i].constraints = subject->constraints + (size_t)i * c;
  if (c > 0) memcpy(subject->results[i].constraints, scratch, c * sizeof *scratch);
  *left -= 1;
  return GANNET_OK;
}

gannet_err suite_subject_evaluate(suite_subject *subject, int n, int64_t first,
                                  const double *x_user, const gannet_result_record **results) {
  const int parallel = subject->input->evaluate.parallel;
  const size_t c = (size_t)subject->input->problem->spec.n_constraints;
  double *scratch = NULL;
  int next = 0, left = n;
  GANNET_REQUIRE(n <= subject->capacity, GANNET_ERR_ARG, "%d points, at most %d", n,
                 subject->capacity);
  GANNET_TRY(gannet_alloc(c, sizeof *scratch, &scratch));
  memset(subject->attempt, 0, (size_t)n * sizeof *subject->attempt);
  gannet_err err = GANNET_OK;
  while (err == GANNET_OK && left > 0 && subject->stop != GANNET_STOP_NOW) {
    while (err == GANNET_OK && next < n &&
           gannet_evaluator_in_flight(subject->evaluator) < parallel)
      err = submit_attempt(subject, first, next++, x_user);
    if (err == GANNET_OK) err = collect_result(subject, first, x_user, scratch, &left);
  }
  gannet_free(&scratch);
  *results = subject->results;
  return err;
}
