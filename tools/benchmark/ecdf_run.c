/* One run of one method on one landscape. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/random.h"
#include "benchmark/ecdf.h"
#include "optimizer/optimizer.h"
#include "optimizer/recommend.h"
#include "suite/measure.h"

typedef struct {
  const ecdf_study *study;
  const ecdf_problem *problem;
  ecdf_result *result;
  int told;
  double best, noise_sd, offset, log_total;
  gannet_landscape *landscape;
  gannet_context *context;
  gannet_problem *space;
  gannet_optimizer *optimizer;
  int64_t *id;         /* [q] */
  double *x;           /* [q][d] */
  double *constraints; /* [q][2] */
  gannet_result *list; /* [q] */
} one_run;

static double value_at(one_run *r, const double *x, double *c) {
  return r->study->settings->constrained ? gannet_landscape_constrained(r->landscape, x, c)
                                         : gannet_landscape_value(r->landscape, x);
}

/* Noise is a share of the spread over the box. */
static gannet_err measure_noise(one_run *r) {
  enum { POINTS = 1000 };
  const size_t d = (size_t)r->problem->d;
  double mean = 0, squares = 0, c[2], *x = NULL;
  if (r->study->settings->noise == 0) return GANNET_OK;
  GANNET_TRY(gannet_alloc(d, sizeof *x, &x));
  for (int i = 0; i < POINTS; ++i) {
    gannet_random_uniform((gannet_stream){1, GANNET_FOR_SIMULATION, 0, (uint64_t)i}, 0, d, x);
    for (size_t k = 0; k < d; ++k) x[k] = 10 * x[k] - 5;
    const double away = value_at(r, x, c) - mean;
    mean += away / (i + 1);
    squares += away * away * i / (i + 1);
  }
  gannet_free(&x);
  r->noise_sd = r->study->settings->noise * sqrt(squares / POINTS);
  return GANNET_OK;
}

static gannet_err make_space(one_run *r) {
  static const gannet_constraint bounds[] = {{"c1", -INFINITY, 0}, {"c2", -INFINITY, 0}};
  const size_t d = (size_t)r->problem->d;
  gannet_variable *variable = NULL;
  char(*name)[24] = NULL;
  gannet_err err = gannet_alloc(d, sizeof *variable, &variable);
  if (err == GANNET_OK) err = gannet_alloc(d, sizeof *name, &name);
  for (size_t k = 0; k < d && err == GANNET_OK; ++k) {
    (void)snprintf(name[k], sizeof *name, "x%zu", k + 1);
    variable[k] =
        (gannet_variable){.name = name[k], .type = GANNET_VARIABLE_REAL, .lower = -5, .upper = 5};
  }
  const gannet_problem_spec spec = {.n_variables = r->problem->d,
                                    .variables = variable,
                                    .n_constraints = r->study->settings->constrained ? 2 : 0,
                                    .constraints = bounds,
                                    .noise_sd = NAN};
  if (err == GANNET_OK) err = gannet_problem_create(&spec, &r->space);
  gannet_free(&variable);
  gannet_free(&name);
  return err;
}

static gannet_err start(one_run *r, const bench_method *method) {
  const size_t q = (size_t)r->study->settings->q, d = (size_t)r->problem->d;
  const uint64_t seed = (uint64_t)r->problem->instance;
  GANNET_TRY(gannet_landscape_create(r->problem->base, r->problem->d, r->problem->instance,
                                     &r->landscape));
  GANNET_TRY(measure_noise(r));
  GANNET_TRY(make_space(r));
  GANNET_TRY(gannet_alloc(q, sizeof *r->id, &r->id));
  GANNET_TRY(gannet_alloc(q * d, sizeof *r->x, &r->x));
  GANNET_TRY(gannet_alloc(2 * q, sizeof *r->constraints, &r->constraints));
  GANNET_TRY(gannet_alloc(q, sizeof *r->list, &r->list));
  GANNET_TRY(gannet_context_create(MPI_COMM_SELF, seed, &r->context));
  gannet_random_normal((gannet_stream){seed, GANNET_FOR_SIMULATION, 7, 0}, 0, 1, &r->offset);
  r->offset = rint(10000 * r->offset) / 100;
  r->best = INFINITY;
  r->log_total = log(r->problem->evaluations + 1);
  return gannet_optimizer_create(r->context, r->space, method->n_settings, method->setting,
                                 &r->optimizer);
}

static void finish(one_run *r) {
  gannet_optimizer_destroy(&r->optimizer);
  gannet_problem_destroy(&r->space);
  gannet_context_destroy(&r->context);
  gannet_landscape_destroy(&r->landscape);
  gannet_free(&r->id);
  gannet_free(&r->x);
  gannet_free(&r->constraints);
  gannet_free(&r->list);
}

/* The value without noise counts. */
static void count(one_run *r, double exact, const double *c) {
  if (c[0] <= 0 && c[1] <= 0) r->best = fmin(r->best, exact);
  r->told += 1;
  r->result->area += suite_targets_share(r->best) * log((r->told + 1.0) / r->told) / r->log_total;
}

static gannet_err batch(one_run *r, int q) {
  GANNET_TRY(gannet_optimizer_ask(r->optimizer, q, r->id, r->x));
  r->result->seconds += r->optimizer->ask_seconds / r->problem->evaluations;
  for (int i = 0; i < q; ++i) {
    double noise = 0, *c = r->constraints + 2 * (size_t)i;
    c[0] = c[1] = 0;
    const double exact = value_at(r, r->x + (size_t)i * (size_t)r->problem->d, c);
    if (r->noise_sd > 0)
      gannet_random_normal(
          gannet_context_stream(r->context, GANNET_FOR_SIMULATION, 1, (uint64_t)r->id[i]), 0, 1,
          &noise);
    r->list[i] = (gannet_result){.id = r->id[i],
                                 .outcome = GANNET_RESULT_OK,
                                 .objective = exact + r->noise_sd * noise + r->offset,
                                 .constraints = c};
    count(r, exact, c);
  }
  return gannet_optimizer_tell(r->optimizer, q, r->list);
}

/* What the designs that gannet reports at the end are worth in truth; an infeasible one counts as
 * none, and is none when that is what noise-free values say. */
static gannet_err judge(one_run *r) {
  gannet_history *history = r->optimizer->history;
  gannet_recommendation recommended;
  GANNET_TRY(gannet_recommend(r->context, history, &recommended));
  const int64_t ids[] = {gannet_history_best(history), recommended.id};
  double *const regrets[] = {&r->result->looked, &r->result->chosen}, c[2];
  for (int k = 0; k < 2; ++k)
    *regrets[k] = ids[k] < 0 ? INFINITY : value_at(r, gannet_history_x_user(history, ids[k]), c);
  return GANNET_OK;
}

gannet_err ecdf_run(const ecdf_study *study, const ecdf_problem *problem,
                    const bench_method *method, ecdf_result *result) {
  one_run r = {.study = study, .problem = problem, .result = result};
  *result = (ecdf_result){.looked = NAN, .chosen = NAN};
  gannet_err err = start(&r, method);
  while (err == GANNET_OK && r.told < problem->evaluations) {
    const int left = problem->evaluations - r.told;
    err = batch(&r, left < study->settings->q ? left : study->settings->q);
  }
  result->regret = r.best;
  if (err == GANNET_OK && study->settings->noise > 0) err = judge(&r);
  finish(&r);
  return err;
}
