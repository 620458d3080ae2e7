#include "suite/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "gannet/version.h"
#include "optimizer/optimizer.h"
#include "pareto/front.h"
#include "pareto/hypervolume.h"
#include "problem/objectives.h"
#include "problem/problem.h"
#include "suite/scratch.h"

/* Index of the streams (seed, GANNET_FOR_SIMULATION, evaluation, index); 0 is the simulation's own
 * seed. */
enum { FOR_NOISE = 1 };

typedef struct {
  const suite_bench *bench;
  const suite_problem *problem;
  const gannet_problem *space;
  suite_subject *subject;
  gannet_optimizer *optimizer;
  suite_course *course;
  int told;
  int answered;                     /* that did not fail */
  const gannet_result_record *last; /* told; NULL before the first */
  int64_t *id;                      /* [batch] */
  double *x;                        /* [batch][n_variables] */
  gannet_result *result;            /* [batch] */
  double *objectives;               /* [batch][n_objectives] of several, as they are told */
  double *seen;                     /* [batch][n_constraints] constraints with noise */
  double *bounds;                   /* [n_bounds] */
  int n_feasible[2];                /* with several objectives, as seen and in truth */
  double *front[2];                 /* [budget][n_objectives] of those, minimised */
  double *reference;                /* [n_objectives] minimised */
} runner;

static double sum_violation(const runner *r, const double *values) {
  double sum = 0;
  gannet_problem_bounds(r->space, values, r->bounds);
  for (int j = 0; j < r->space->n_bounds; ++j) sum += fmax(r->bounds[j], 0);
  return sum;
}

/* Objective and constraints as the method sees them: numbers 0 and 1 + j of the noise's stream. */
static double add_noise(const runner *r, int64_t id, const gannet_result_record *exact,
                        double *seen) {
  const suite_problem *p = r->problem;
  const gannet_stream stream =
      gannet_context_stream(r->subject->context, GANNET_FOR_SIMULATION, (uint64_t)id, FOR_NOISE);
  double z = 0;
  for (int j = 0; j < r->space->spec.n_constraints; ++j) {
    gannet_random_normal(stream, (uint64_t)j + 1, 1, &z);
    seen[j] = exact->constraints[j] + (p->constraint_sd ? p->constraint_sd[j] * z : 0);
  }
  gannet_random_normal(stream, 0, 1, &z);
  return exact->objective + p->noise_sd * z;
}

/* Minus the hypervolume of the feasible results so far, as seen (0) or in truth (1), in the place
 * of an objective. It is never infeasible, but 0 at first. */
static gannet_err record_hypervolume(runner *r, int which, double objective,
                                     const double *constraints) {
  const int m = gannet_problem_n_objectives(r->space), at = r->told - 1;
  double volume = 0;
  if (sum_violation(r, constraints) <= 0) {
    gannet_problem_objectives(r->space, objective, constraints,
                              r->front[which] + (size_t)r->n_feasible[which] * (size_t)m);
    r->n_feasible[which] += 1;
  }
  GANNET_TRY(gannet_hypervolume(r->n_feasible[which], m, r->front[which], r->reference, &volume));
  (which ? r->course->exact : r->course->seen)[at] = -volume;
  (which ? r->course->exact_violation : r->course->seen_violation)[at] = 0;
  return GANNET_OK;
}

/* Keep of the feasible results in truth those that no other one dominates. */
static gannet_err record_front(const runner *r, suite_record *record) {
  const int m = r->space->spec.n_objectives, n = r->n_feasible[1];
  int *on_front = NULL;
  if (m == 0) return GANNET_OK;
  record->n_objectives = m;
  GANNET_TRY(gannet_alloc((size_t)n * (size_t)m, sizeof *record->front, &record->front));
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *on_front, &on_front));
  const gannet_err err = gannet_pareto_front(n, m, r->front[1], &record->n_front, on_front);
  for (int i = 0; i < record->n_front && err == GANNET_OK; ++i)
    memcpy(record->front + (ptrdiff_t)i * m, r->front[1] + (ptrdiff_t)on_front[i] * m,
           (size_t)m * sizeof *record->front);
  gannet_free(&on_front);
  return err;
}

/* Room for the fronts of a problem with several objectives. */
static gannet_err prepare_fronts(runner *r) {
  const gannet_problem_spec *spec = &r->space->spec;
  const size_t m = (size_t)spec->n_objectives, n = (size_t)r->problem->budget;
  GANNET_TRY(gannet_alloc(n * m, sizeof *r->front[0], &r->front[0]));
  GANNET_TRY(gannet_alloc(n * m, sizeof *r->front[1], &r->front[1]));
  GANNET_TRY(gannet_alloc(m, sizeof *r->reference, &r->reference));
  for (int k = 0; k < spec->n_objectives; ++k) {
    GANNET_REQUIRE(!isnan(spec->objectives[k].threshold), GANNET_ERR_INPUT,
                   "problems.%s.objectives.%s: missing key 'threshold'; hypervolumes are measured "
                   "up to the thresholds, add it as in 'threshold: 1.1'",
                   r->problem->label, spec->objectives[k].name);
    r->reference[k] = gannet_problem_flip_objective(r->space, k, spec->objectives[k].threshold);
  }
  return GANNET_OK;
}

/* Result i of a batch: what the method is told of it, and the next point of the course. */
static gannet_err record_result(runner *r, int i, const gannet_result_record *exact) {
  const int c = r->space->spec.n_constraints, at = r->told;
  double *seen = r->seen + (size_t)i * (size_t)c;
  suite_course *course = r->course;
  r->result[i] = (gannet_result){.id = r->id[i], .outcome = GANNET_RESULT_OK, .constraints = seen};
  course->seen[at] = course->exact[at] = NAN;
  course->seen_violation[at] = course->exact_violation[at] = INFINITY;
  r->told += 1;
  r->answered += exact->status != GANNET_EVAL_FAILED;
  r->last = exact;
  if (exact->status != GANNET_EVAL_DONE) {
    const bool bad = exact->status == GANNET_EVAL_CANNOT_RUN;
    r->result[i].outcome = bad ? GANNET_RESULT_CANNOT_RUN : GANNET_RESULT_FAILED;
    return GANNET_OK;
  }
  const double objective = add_noise(r, r->id[i], exact, seen);
  const int n_objectives = r->space->spec.n_objectives;
  double *several = r->objectives + (ptrdiff_t)i * n_objectives;
  for (int m = 0; m < n_objectives; ++m)
    several[m] = m == 0 ? objective : seen[gannet_problem_objective_quantity(r->space, m) - 1];
  if (n_objectives > 0)
    r->result[i].objectives = several;
  else
    r->result[i].objective = objective;
  if (gannet_problem_find_missing(r->space, 0, exact->objective, exact->constraints) >= 0) {
    r->result[i].outcome = GANNET_RESULT_PARTIAL;
    return GANNET_OK;
  }
  if (n_objectives > 0) {
    GANNET_TRY(record_hypervolume(r, 0, objective, seen));
    return record_hypervolume(r, 1, exact->objective, exact->constraints);
  }
  course->seen[at] = gannet_problem_flip(r->space, objective);
  course->exact[at] = gannet_problem_flip(r->space, exact->objective);
  course->seen_violation[at] = sum_violation(r, seen);
  course->exact_violation[at] = sum_violation(r, exact->constraints);
  return GANNET_OK;
}

/* Ask for q points, evaluate them and tell. */
static gannet_err run_batch(runner *r, int q) {
  const gannet_result_record *results = NULL;
  const double start = gannet_clock_seconds();
  GANNET_TRY(gannet_optimizer_ask(r->optimizer, q, r->id, r->x));
  const double seconds = gannet_clock_seconds() - start;
  for (int i = 0; i < q; ++i) r->course->seconds[r->told + i] = seconds / q;
  GANNET_TRY(suite_subject_evaluate(r->subject, q, r->id[0], r->x, &results));
  if (r->subject->stop == GANNET_STOP_NOW) return GANNET_OK;
  for (int i = 0; i < q; ++i) GANNET_TRY(record_result(r, i, &results[i]));
  GANNET_TRY(gannet_optimizer_tell(r->optimizer, q, r->result));
  return suite_subject_watch(r->subject);
}

static gannet_err optimise(runner *r) {
  const size_t q = (size_t)r->problem->batch, nv = (size_t)r->space->spec.n_variables;
  const size_t c = (size_t)r->space->spec.n_constraints, bounds = (size_t)r->space->n_bounds;
  const gannet_campaign_input *input = r->subject->input;
  GANNET_TRY(gannet_alloc(q, sizeof *r->id, &r->id));
  GANNET_TRY(gannet_alloc(q * nv, sizeof *r->x, &r->x));
  GANNET_TRY(gannet_alloc(q, sizeof *r->result, &r->result));
  GANNET_TRY(gannet_alloc(q * c, sizeof *r->seen, &r->seen));
  const size_t several = (size_t)r->space->spec.n_objectives;
  GANNET_TRY(gannet_alloc(q * several, sizeof *r->objectives, &r->objectives));
  GANNET_TRY(gannet_alloc(bounds, sizeof *r->bounds, &r->bounds));
  GANNET_TRY(prepare_fronts(r));
  GANNET_TRY(gannet_campaign_optimizer_create(r->subject->context, input, &r->optimizer));
  while (r->told < r->problem->budget && r->subject->stop != GANNET_STOP_NOW) {
    const int left = r->problem->budget - r->told;
    GANNET_TRY(run_batch(r, left < r->problem->batch ? left : r->problem->batch));
  }
  /* Failed evaluations are data for comparisons, but of nothing else there is nothing to compare.
   */
  const gannet_run_record *run = r->last ? &r->last->run : NULL;
  if (!run || r->answered > 0 || r->told < r->problem->budget) return GANNET_OK;
  return GANNET_RAISE(GANNET_ERR_FAILURES, "no evaluation has a result; the last failed (%s): %s",
                      gannet_failure_text(run->failure), run->reason);
}

/* The files of evaluations have done their service, unless they can tell why a run failed. */
static gannet_err remove_scratch(const suite_bench *bench, suite_cell cell, char *scratch) {
  GANNET_TRY(suite_record_scratch(bench->plan, bench->directory, cell, scratch));
  suite_scratch_remove(scratch);
  return GANNET_OK;
}

static gannet_err optimise_in(const suite_bench *bench, suite_cell cell, const char *scratch,
                              runner *r, suite_record *record) {
  const suite_subject_setup setup = {.input = suite_plan_input(bench->plan, cell),
                                     .input_directory = bench->plan->input_directory,
                                     .directory = scratch,
                                     .launcher = bench->launcher,
                                     .watch = bench->watch,
                                     .seed = cell.seed,
                                     .batch = r->problem->batch};
  GANNET_TRY(suite_subject_create(&setup, &r->subject));
  gannet_err err = optimise(r);
  if (err == GANNET_OK) err = record_front(r, record);
  gannet_optimizer_destroy(&r->optimizer);
  gannet_free(&r->id);
  gannet_free(&r->x);
  gannet_free(&r->result);
  gannet_free(&r->seen);
  gannet_free(&r->objectives);
  gannet_free(&r->bounds);
  gannet_free(&r->front[0]);
  gannet_free(&r->front[1]);
  gannet_free(&r->reference);
  return err;
}

gannet_err suite_run(const suite_bench *bench, suite_cell cell, suite_record *record,
                     bool *stopped) {
  char scratch[PATH_MAX] = "";
  runner r = {.bench = bench,
              .problem = &bench->plan->problem[cell.problem],
              .space = suite_plan_input(bench->plan, cell)->problem,
              .course = &record->course};
  memset(record, 0, sizeof *record);
  *stopped = false;
  record->key = suite_plan_key(bench->plan, cell);
  (void)snprintf(record->version, sizeof record->version, "%s", GANNET_VERSION);
  GANNET_TRY(suite_course_create(r.problem->budget, &record->course));
  gannet_err err = remove_scratch(bench, cell, scratch);
  if (err == GANNET_OK) err = optimise_in(bench, cell, scratch, &r, record);
  if (r.subject) *stopped = r.subject->stop == GANNET_STOP_NOW && r.told < r.problem->budget;
  suite_subject_destroy(&r.subject);
  if (err != GANNET_OK) {
    (void)snprintf(record->reason, sizeof record->reason, "after %d evaluations: %s", r.told,
                   gannet_error_message());
    gannet_error_clear();
    record->course.n = r.told;
    return GANNET_OK;
  }
  return remove_scratch(bench, cell, scratch);
}
