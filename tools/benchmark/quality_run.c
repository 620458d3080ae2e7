/* One run of one method on one problem. */
#include <math.h>
#include <stdbool.h>

#include "base/memory.h"
#include "benchmark/quality.h"
#include "optimizer/optimizer.h"

/* Everything of one run. */
typedef struct {
  const quality_study *study;
  const quality_problem *problem;
  const quality_curve *curve;
  int seed, told;
  gannet_context *context;
  gannet_problem *space;
  gannet_optimizer *optimizer;
  int64_t *id;           /* [q] */
  double *x;             /* [q][d] */
  gannet_result *result; /* [q] */
} one_run;

static gannet_err start(one_run *r, const bench_method *method) {
  const size_t q = (size_t)r->study->settings->q, d = (size_t)r->problem->base.d;
  GANNET_TRY(
      bench_problem_space(&r->problem->base, bench_method_takes_equations(method), &r->space));
  GANNET_TRY(gannet_alloc(q, sizeof *r->id, &r->id));
  GANNET_TRY(gannet_alloc(q * d, sizeof *r->x, &r->x));
  GANNET_TRY(gannet_alloc(q, sizeof *r->result, &r->result));
  GANNET_TRY(gannet_context_create(MPI_COMM_SELF, (uint64_t)r->seed, &r->context));
  return gannet_optimizer_create(r->context, r->space, method->n_settings, method->setting,
                                 &r->optimizer);
}

static void finish(one_run *r) {
  gannet_optimizer_destroy(&r->optimizer);
  gannet_problem_destroy(&r->space);
  gannet_context_destroy(&r->context);
  gannet_free(&r->id);
  gannet_free(&r->x);
  gannet_free(&r->result);
}

/* Ask for q points, evaluate them and tell. */
static gannet_err batch(one_run *r, int q) {
  const quality_curve *curve = r->curve;
  GANNET_TRY(gannet_optimizer_ask(r->optimizer, q, r->id, r->x));
  for (int i = 0; i < q; ++i, ++r->told) {
    const double *x = r->x + (size_t)i * (size_t)r->problem->base.d;
    const uint64_t noise = ((uint64_t)r->seed << 32) + (uint64_t)r->id[i];
    double exact = 0;
    r->result[i] = (gannet_result){.id = r->id[i], .outcome = GANNET_RESULT_OK};
    GANNET_TRY(bench_problem_value(&r->problem->base, x, &noise, &r->result[i].objective));
    GANNET_TRY(bench_problem_value(&r->problem->base, x, NULL, &exact));
    const bool first = r->told == 0;
    curve->best[r->told] = first ? exact : fmin(exact, curve->best[r->told - 1]);
    curve->seconds[r->told] =
        (first ? 0 : curve->seconds[r->told - 1]) + (i == 0 ? r->optimizer->ask_seconds : 0);
  }
  return gannet_optimizer_tell(r->optimizer, q, r->result);
}

gannet_err quality_run(const quality_study *study, const quality_problem *problem,
                       const bench_method *method, int seed, const quality_curve *curve) {
  one_run r = {.study = study, .problem = problem, .seed = seed, .curve = curve};
  gannet_err err = start(&r, method);
  while (err == GANNET_OK && r.told < problem->evaluations) {
    const int left = problem->evaluations - r.told;
    err = batch(&r, left < study->settings->q ? left : study->settings->q);
  }
  finish(&r);
  return err;
}
