/* test: ranks 1 2 labels unit timeout 300 */
/* Scans that bound scores by estimates propose, bit for bit, what scoring all candidates does. */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "support/harness.h"

#include "optimizer/optimizer_impl.h"
#include "optimizer/propose/moments_scan.h"

enum { D = 4, Q = 3, MOST = 8 };

static const gannet_variable reals[D] = {
    {.name = "a", .lower = -5, .upper = 10},
    {.name = "b", .lower = 0, .upper = 15},
    {.name = "c", .lower = 1e-3, .upper = 1, .scale = GANNET_SCALE_LOG},
    {.name = "e", .lower = 0, .upper = 1},
};
static const gannet_variable steps[D] = {
    {.name = "a", .type = GANNET_VARIABLE_INTEGER, .lower = 0, .upper = 7},
    {.name = "b", .type = GANNET_VARIABLE_INTEGER, .lower = 0, .upper = 7},
    {.name = "c", .type = GANNET_VARIABLE_INTEGER, .lower = 0, .upper = 7},
    {.name = "e", .type = GANNET_VARIABLE_INTEGER, .lower = 0, .upper = 7},
};
static const gannet_constraint bound[] = {
    {"c1", -INFINITY, 0.3}, {"c2", -0.5, INFINITY}, {"never", 0, INFINITY}};

/* What makes a case: the problem, the values told, and settings of the method. */
typedef struct {
  const char *name;
  const gannet_variable *variables;
  int n_constraints;
  double scale, offset; /* of the objective */
  int copies;           /* of every point told */
  int told;
  const char *settings[MOST];    /* keys and values */
  enum { NEVER, ALWAYS } bounds; /* some scan does not score all candidates */
} scenario;

/* A history so long that candidates are bounded by upper bounds of variances. */
enum { LONG = GANNET_MOMENTS_LONG + 15 };
#define SHORT_FIT "surrogate.restarts", "1", "surrogate.fit_evaluations", "8"

static const scenario scenarios[] = {
    {"plain", reals, 0, 1, 0, 1, 40, {"method", "neural-bo"}, ALWAYS},
    {"odd number", reals, 0, 1, 0, 1, 37, {"method", "neural-bo"}, ALWAYS},
    {"one point", reals, 0, 1, 0, 1, 1, {"method", "neural-bo"}, ALWAYS},
    {"copies", reals, 0, 1, 0, 4, 12, {"method", "neural-bo"}, ALWAYS},
    {"huge", reals, 0, 1e250, 0, 1, 20, {"method", "neural-bo"}, ALWAYS},
    {"tiny", reals, 0, 1e-250, 0, 1, 20, {"method", "neural-bo"}, ALWAYS},
    {"constant", reals, 0, 0, 5, 1, 20, {"method", "neural-bo"}, ALWAYS},
    {"steps", steps, 0, 1, 0, 1, 30, {"method", "neural-bo"}, ALWAYS},
    {"constrained", reals, 2, 1, 0, 1, 40, {"method", "neural-bo"}, ALWAYS},
    {"exact", reals, 0, 1, 0, 1, 40, {"method", "neural-bo", "surrogate.noise", "1e-10"}, ALWAYS},
    {"steep",
     reals,
     0,
     1,
     0,
     1,
     40,
     {"method", "neural-bo", "surrogate.input_scale", "20"},
     ALWAYS},
    {"features",
     reals,
     0,
     1,
     0,
     1,
     40,
     {"method", "neural-bo", "surrogate.kernel", "network"},
     ALWAYS},
    {"tanh",
     reals,
     0,
     1,
     0,
     1,
     30,
     {"method", "neural-bo", "surrogate.activation", "tanh"},
     ALWAYS},
    {"relu", reals, 0, 1, 0, 1, 30, {"method", "neural-bo", "surrogate.activation", "relu"}, NEVER},
    {"layers", reals, 0, 1, 0, 1, 30, {"method", "neural-bo", "surrogate.layers", "2"}, NEVER},
    {"flat", reals, 0, 1, 0, 1, 30, {"method", "neural-bo", "surrogate.lift", "flat"}, NEVER},
    {"improvement", reals, 0, 1, 0, 1, 37, {"method", "neural-ei"}, ALWAYS},
    {"improvement in steps", steps, 0, 1, 0, 1, 30, {"method", "neural-ei"}, ALWAYS},
    {"more points", reals, 0, 1, 0, 1, 130, {"method", "neural-ei"}, ALWAYS},
    {"bounds", reals, 2, 1, 0, 1, 40, {"method", "neural-cbo"}, ALWAYS},
    {"probability", reals, 2, 1, 0, 1, 40, {"method", "neural-ei"}, ALWAYS},
    {"nothing feasible", reals, 3, 1, 0, 1, 40, {"method", "neural-ei"}, ALWAYS},
    {"process, nothing feasible", reals, 3, 1, 0, 1, 40, {"method", "gp-ei"}, ALWAYS},
    {"chance", reals, 0, 1, 0, 1, 40, {"method", "neural-ei", "acquisition.type", "pi"}, ALWAYS},
    {"bound", reals, 0, 1, 0, 1, 40, {"method", "neural-ei", "acquisition.type", "lcb"}, ALWAYS},
    {"entropy", reals, 0, 1, 0, 1, 40, {"method", "neural-ei", "acquisition.type", "mes"}, ALWAYS},
    {"process", reals, 0, 1, 0, 1, 37, {"method", "gp-ts"}, ALWAYS},
    {"process, one point", reals, 0, 1, 0, 1, 1, {"method", "gp-ts"}, ALWAYS},
    {"process in steps", steps, 0, 1, 0, 1, 30, {"method", "gp-ts"}, ALWAYS},
    {"process, constant", reals, 0, 0, 5, 1, 20, {"method", "gp-ts"}, ALWAYS},
    {"rough process",
     reals,
     0,
     1,
     0,
     4,
     24,
     {"method", "gp-ts", "surrogate.kernel", "matern32", "surrogate.lengthscales", "ard"},
     ALWAYS},
    {"smooth process, constrained",
     reals,
     2,
     1,
     0,
     1,
     40,
     {"method", "gp-ts", "surrogate.kernel", "se", "surrogate.features", "101"},
     ALWAYS},
    {"process, improvement", reals, 0, 1, 0, 1, 70, {"method", "gp-ei"}, ALWAYS},
    {"process, bounds",
     reals,
     2,
     1,
     0,
     1,
     40,
     {"method", "gp-ei", "acquisition.type", "lcb"},
     ALWAYS},
    {"long", reals, 0, 1, 0, 1, LONG, {"method", "neural-ei", SHORT_FIT}, ALWAYS},
    {"long process", reals, 0, 1, 0, 1, LONG, {"method", "gp-ei", SHORT_FIT}, ALWAYS},
    {"long, in steps", steps, 0, 1, 0, 2, LONG, {"method", "gp-ei", SHORT_FIT}, ALWAYS},
    {"long, constrained", reals, 2, 1, 0, 1, LONG, {"method", "gp-ei", SHORT_FIT}, ALWAYS},
    {"long, bounds", reals, 2, 1, 0, 1, LONG, {"method", "neural-cbo", SHORT_FIT}, ALWAYS},
    {"long, infeasible", reals, 3, 1, 0, 1, LONG, {"method", "gp-ei", SHORT_FIT}, ALWAYS},
    {"long, chance",
     reals,
     0,
     1,
     0,
     1,
     LONG,
     {"method", "gp-ei", SHORT_FIT, "acquisition.type", "pi"},
     ALWAYS},
    {"long, exact",
     reals,
     0,
     1,
     0,
     1,
     LONG,
     {"method", "neural-ei", SHORT_FIT, "surrogate.noise", "1e-10"},
     ALWAYS},
};

typedef struct {
  gannet_context *context;
  gannet_problem *problem;
  gannet_optimizer *optimizer;
  int bounded; /* asks whose scan did not score all candidates */
} fixture;

static void start(fixture *f, const scenario *s, const char *exact, int seed) {
  const gannet_problem_spec spec = {.n_variables = D,
                                    .variables = s->variables,
                                    .n_constraints = s->n_constraints,
                                    .constraints = bound,
                                    .noise_sd = NAN};
  gannet_method_setting settings[5 + MOST / 2] = {
      {"search.candidates", "3000"},
      {"initial", "1"},
      {"penalties", "no"}, /* results of some scenarios are all equal */
      {"search.exact", exact}};
  int n = 4;
  if (strncmp(s->settings[1], "neural", strlen("neural")) == 0)
    settings[n++] = (gannet_method_setting){"surrogate.width", "64"};
  for (int i = 0; i + 1 < MOST && s->settings[i]; i += 2)
    settings[n++] = (gannet_method_setting){s->settings[i], s->settings[i + 1]};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, (uint64_t)seed, &f->context));
  assert_ok(gannet_problem_create(&spec, &f->problem));
  assert_ok(gannet_optimizer_create(f->context, f->problem, n, settings, &f->optimizer));
}

static void drop(fixture *f) {
  gannet_optimizer_destroy(&f->optimizer);
  gannet_problem_destroy(&f->problem);
  gannet_context_destroy(&f->context);
}

/* x: [D] in the user's units. */
static gannet_result result_of(const scenario *s, const double *x, double *constraints) {
  double sum = 0, u[D];
  for (int k = 0; k < D; ++k) {
    u[k] = (x[k] - s->variables[k].lower) / (s->variables[k].upper - s->variables[k].lower);
    sum += pow(u[k] - 0.4, 2) + 0.1 * sin(9 * u[k] + k);
  }
  constraints[0] = u[0] + u[1] - 1;
  constraints[1] = u[2] - u[3];
  constraints[2] = -1 - u[0];
  return (gannet_result){.objective = s->offset + s->scale * sum, .constraints = constraints};
}

static void tell_random(fixture *f, const scenario *s) {
  for (int i = 0; i < s->told; ++i) {
    double x[D], u[D], constraints[3];
    const gannet_stream stream = {5, GANNET_FOR_SIMULATION, 0, 0};
    gannet_random_uniform(stream, (uint64_t)(i / s->copies) * D, D, u);
    for (int k = 0; k < D; ++k) {
      x[k] = s->variables[k].lower + u[k] * (s->variables[k].upper - s->variables[k].lower);
      if (s->variables == steps) x[k] = rint(x[k]);
    }
    const gannet_result result = result_of(s, x, constraints);
    assert_ok(gannet_optimizer_tell_point(f->optimizer, x, &result, NULL));
  }
}

static void ask_and_tell(fixture *f, const scenario *s) {
  for (int round = 0; round < 3; ++round) {
    const int q = s->told == LONG && round == 0 ? 1 : Q;
    int64_t id[Q];
    double x[Q * D], constraints[Q][3];
    gannet_result results[Q];
    assert_ok(gannet_optimizer_ask(f->optimizer, q, id, x));
    f->bounded += f->optimizer->member[0].scored > 0;
    for (int i = 0; i < q; ++i) {
      results[i] = result_of(s, x + (ptrdiff_t)i * D, constraints[i]);
      results[i].id = id[i];
    }
    assert_ok(gannet_optimizer_tell(f->optimizer, q, results));
  }
}

static void estimates_change_nothing(void **state) {
  (void)state;
  enum { EXACT, ESTIMATED, WAYS };
  static const char *const exact[WAYS] = {"yes", "no"};
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; ++i) {
    const scenario *s = &scenarios[i];
    uint64_t digest[WAYS];
    int bounded[WAYS];
    for (int k = 0; k < WAYS; ++k) {
      fixture f = {0};
      start(&f, s, exact[k], 7 + (int)i);
      tell_random(&f, s);
      ask_and_tell(&f, s);
      digest[k] = gannet_history_digest(f.optimizer->history);
      bounded[k] = f.bounded;
      drop(&f);
    }
    assert_int_equal(bounded[EXACT], 0);
    if (digest[ESTIMATED] != digest[EXACT]) fail_msg("%s: other points", s->name);
    if ((bounded[ESTIMATED] > 0) != (s->bounds == ALWAYS))
      fail_msg("%s: %d scans with estimates", s->name, bounded[ESTIMATED]);
    if (s->told == LONG && bounded[ESTIMATED] < 3)
      fail_msg("%s: %d scans by upper bounds of variances", s->name, bounded[ESTIMATED]);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(estimates_change_nothing)};
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  (void)MPI_Finalize();
  return failed;
}
