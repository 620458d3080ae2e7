/* test: ranks 1 2 3 labels unit */
/* The evolution strategy: its model, and its way down a valley that is no quadratic. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "optimizer/fixture.h"

#include "optimizer/evolution/ranking_model.h"

enum { D = 4 };

static const gannet_variable cube[D] = {
    {.name = "a", .lower = -5, .upper = 5},
    {.name = "b", .lower = -5, .upper = 5},
    {.name = "c", .lower = -5, .upper = 5},
    {.name = "d", .lower = -5, .upper = 5},
};

static const gannet_problem_spec free_space = {.n_variables = D, .variables = cube};

/* A cone whose steepest turned direction is 32 times as steep as the flattest: minimum 0 at
 * (1, -2, 0.5, 3), where no quadratic fits. A plain CMA-ES stands at 0.5 to 4 after 360 evaluations
 * of such cones (six rotations, population 8). */
static double cone(const double *x) {
  const double z[D] = {x[0] - 1, x[1] + 2, x[2] - 0.5, x[3] - 3};
  const double u[D] = {z[0] + z[1] + z[2] + z[3], z[0] - z[1] + z[2] - z[3],
                       z[0] + z[1] - z[2] - z[3], z[0] - z[1] - z[2] + z[3]};
  double sum = 0;
  for (int i = 0; i < D; ++i) sum += 0.25 * pow(10, i) * u[i] * u[i];
  return sqrt(sum);
}

/* A ridge along which the value falls slowly, and steeply to it: minimum 0 at the same place. */
static double ridge(const double *x) {
  const double z[D] = {x[0] - 1, x[1] + 2, x[2] - 0.5, x[3] - 3};
  const double along = 0.5 * (z[0] + z[1] + z[2] + z[3]);
  double square = -along * along;
  for (int i = 0; i < D; ++i) square += z[i] * z[i];
  return along * along + 100 * sqrt(fmax(0, square));
}

/* method  in  or "[...]", a portfolio */
static fixture make(const gannet_problem_spec *spec, const char *method) {
  const gannet_method_setting settings[] = {{*method == '[' ? "portfolio" : "method", method},
                                            {"search.candidates", "100"}};
  fixture f = {0};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &f.context));
  f.context->level = GANNET_LOG_ERROR;
  assert_ok(gannet_problem_create(spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 2, settings, &f.optimizer));
  return f;
}

/* Ask for batches of q and tell a function; every failing one of the evaluations fails (0 = none).
 */
static void go_on_with(const fixture *f, double (*function)(const double *), int batches, int q,
                       int failing) {
  int64_t id[16];
  double x[16 * D];
  for (int b = 0; b < batches; ++b) {
    assert_ok(gannet_optimizer_ask(f->optimizer, q, id, x));
    for (int i = 0; i < q; ++i) {
      const bool fails = failing > 0 && id[i] % failing == failing - 1;
      const gannet_result result = {.id = id[i],
                                    .outcome = fails ? GANNET_RESULT_FAILED : GANNET_RESULT_OK,
                                    .objective = fails ? NAN : function(x + i * D)};
      assert_ok(gannet_optimizer_tell(f->optimizer, 1, &result));
    }
  }
}

static void go_on(const fixture *f, int batches, int q, int failing) {
  go_on_with(f, cone, batches, q, failing);
}

static double least(const fixture *f) {
  gannet_best best;
  gannet_optimizer_best(f->optimizer, &best, NULL);
  return best.objective;
}

static void a_valley_that_is_no_quadratic_is_followed(void **state) {
  (void)state;
  const int batch[] = {1, 8, 1}, failing[] = {0, 0, 7};
  const double most[] = {1e-2, 0.3, 1e-2}; /* eight at once are a population: its model waits */
  for (int i = 0; i < 3; ++i) {
    fixture f = make(&free_space, "lq-cma");
    go_on(&f, 360 / batch[i], batch[i], failing[i]);
    if (!(least(&f) < most[i])) fail_msg("case %d: %g", i, least(&f));
    drop(&f);
  }
}

/* Where the quadratic models stall the evolution strategy takes the lead, and a state that is saved
 * during the race goes on with the same points. */
static void it_takes_the_lead_where_others_stall(void **state) {
  (void)state;
  fixture alone = make(&free_space, "[quadratic, sobol]"),
          f = make(&free_space, "[quadratic, lq-cma]"),
          g = make(&free_space, "[quadratic, lq-cma]");
  gannet_state saved = {0};
  bool leads = false;
  go_on_with(&alone, ridge, 400, 1, 0);
  go_on_with(&f, ridge, 150, 1, 0);
  go_on_with(&g, ridge, 150, 1, 0);
  assert_true(f.optimizer->race.from > 0);
  assert_ok(gannet_optimizer_get_state(f.optimizer, &saved));
  g.optimizer->race = (gannet_race){0};
  assert_ok(gannet_optimizer_set_state(g.optimizer, &saved, NULL));
  for (int i = 0; i < 50; ++i) { /* whether it leads at the very end depends on rounding */
    go_on_with(&f, ridge, 5, 1, 0);
    leads = leads || f.optimizer->race.leader == GANNET_RACE_EVOLUTION;
  }
  go_on_with(&g, ridge, 250, 1, 0);
  assert_true(leads);
  assert_true(least(&f) == least(&g));
  if (!(least(&f) < 0.1 * least(&alone))) fail_msg("%g, alone %g", least(&f), least(&alone));
  gannet_state_release(&saved);
  drop(&alone);
  drop(&f);
  drop(&g);
}

/* Another optimiser that has the history and the state goes on with the same points. */
static void a_state_goes_on(void **state) {
  (void)state;
  fixture f = make(&free_space, "lq-cma"), g = make(&free_space, "lq-cma");
  gannet_state saved = {0};
  int64_t id[3];
  double x[3 * D], y[3 * D];
  go_on(&f, 50, 1, 0);
  go_on(&g, 50, 1, 0);
  assert_ok(gannet_optimizer_ask(f.optimizer, 1, id, x)); /* in the midst of a generation */
  assert_ok(gannet_optimizer_ask(g.optimizer, 1, id, y));
  assert_ok(gannet_optimizer_get_state(f.optimizer, &saved));
  assert_ok(gannet_optimizer_set_state(g.optimizer, &saved, NULL));
  assert_ok(gannet_optimizer_ask(f.optimizer, 3, id, x));
  assert_ok(gannet_optimizer_ask(g.optimizer, 3, id, y));
  assert_memory_equal(x, y, sizeof x);
  gannet_state_release(&saved);
  drop(&f);
  drop(&g);
}

static void a_state_with_a_gap_begins_anew(void **state) {
  (void)state;
  fixture f = make(&free_space, "lq-cma");
  gannet_state saved = {0};
  double step = -1;
  go_on(&f, 30, 1, 0);
  assert_ok(gannet_optimizer_get_state(f.optimizer, &saved));
  assert_true(gannet_state_find(&saved, "lq-cma/", "step", &step) && step > 0);
  const int at = gannet_state_position(&saved, "lq-cma/mean_2", 0);
  assert_true(at >= 0);
  (void)strcpy(saved.value[at].name, "lq-cma/meen_2");
  assert_ok(gannet_optimizer_set_state(f.optimizer, &saved, NULL));
  gannet_state_clear(&saved);
  assert_ok(gannet_optimizer_get_state(f.optimizer, &saved));
  assert_false(gannet_state_find(&saved, "lq-cma/", "step", &step));
  go_on(&f, 2, 1, 0);
  gannet_state_release(&saved);
  drop(&f);
}

/* The model of a quadratic is that quadratic, and its minimiser solves H z = -g. */
static void the_model_of_a_quadratic_is_exact(void **state) {
  (void)state;
  enum { N = 2, P = 6 };
  static const gannet_variable square[N] = {{.name = "x", .lower = 0, .upper = 1},
                                            {.name = "y", .lower = 0, .upper = 1}};
  const gannet_problem_spec spec = {.n_variables = N, .variables = square};
  const double mean[N] = {0.5, 0.5}, axes[N * N] = {0.6, 0.8, -0.8, 0.6}, length[N] = {0.2, 0.1};
  const evolution_metric metric = {N, mean, axes, length};
  fixture f = make(&spec, "sobol");
  int64_t id;
  double x[N], z[N], c[P];
  for (int i = 0; i < 12; ++i) {
    assert_ok(gannet_optimizer_ask(f.optimizer, 1, &id, x));
    evolution_to_metric(&metric, x, z);
    assert_true(fabs(x[0] - (0.5 + 0.6 * 0.2 * z[0] - 0.8 * 0.1 * z[1])) < 1e-12);
    const gannet_result result = {
        .id = id, .objective = 7 + z[0] - 2 * z[1] + 2 * z[0] * z[0] + z[1] * z[1] + z[0] * z[1]};
    assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
  }
  assert_ok(evolution_fit(f.optimizer->history, &metric, 12, c));
  const double unit = c[1]; /* values are in units of their own */
  const double expected[P] = {NAN, 1, -2, 4, 2, 1};
  for (int j = 1; j < P; ++j) assert_true(fabs(c[j] / unit - expected[j]) < 1e-4);
  assert_ok(evolution_minimise(N, c, 10, z));
  assert_true(fabs(z[0] - -4.0 / 7) < 1e-3 && fabs(z[1] - 9.0 / 7) < 1e-3);
  assert_ok(evolution_minimise(N, c, 0.5, z));
  assert_true(fabs(hypot(z[0], z[1]) - 0.5) < 1e-9);
  assert_int_equal(evolution_fit(f.optimizer->history, &metric, 0, c), GANNET_ERR_NUMERIC);
  drop(&f);
}

/* What a state says of the distribution. */
typedef struct {
  double step, generation, since, population, mean[D], path[D], step_path[D];
} distribution;

static bool read_distribution(const fixture *f, distribution *at) {
  const char *const scalars[] = {"step", "generation", "since", "population"};
  const char *const vectors[] = {"mean", "path", "step_path"};
  gannet_state saved = {0};
  char name[32];
  memset(at, 0, sizeof *at);
  assert_ok(gannet_optimizer_get_state(f->optimizer, &saved));
  double *const scalar[] = {&at->step, &at->generation, &at->since, &at->population};
  double *const vector[] = {at->mean, at->path, at->step_path};
  for (int i = 0; i < 4; ++i) (void)gannet_state_find(&saved, "lq-cma/", scalars[i], scalar[i]);
  for (int i = 0; i < 3 * D; ++i) {
    (void)snprintf(name, sizeof name, "%s_%d", vectors[i / D], i % D);
    (void)gannet_state_find(&saved, "lq-cma/", name, &vector[i / D][i % D]);
  }
  gannet_state_release(&saved);
  return at->step > 0;
}

/* Whether the path stands still after this number of updates of it (Hansen 2016, eq. (45)). */
static bool stalls(const double *step_path, double c_step, double updates) {
  const double expected = sqrt(D) * (1 - 1.0 / (4 * D) + 1.0 / (21 * D * D));
  double square = 0;
  for (int k = 0; k < D; ++k) square += step_path[k] * step_path[k];
  return !(sqrt(square / (1 - pow(1 - c_step, 2 * updates))) < (1.4 + 2.0 / (D + 1)) * expected);
}

/* The path after one more generation is that of the equations. Returns whether it would be another
 * one if one update more were counted. */
static bool check_path(const distribution *before, const distribution *after) {
  const int half = (int)before->population / 2;
  double sum = 0, squares = 0;
  for (int i = 1; i <= half; ++i) sum += log(half + 0.5) - log(i);
  for (int i = 1; i <= half; ++i) squares += pow((log(half + 0.5) - log(i)) / sum, 2);
  const double mass = 1 / squares, c_step = (mass + 2) / (D + mass + 5);
  const double c_path = (4 + mass / D) / (D + 4 + 2 * mass / D);
  const double updates = before->generation - before->since;
  const bool still = stalls(after->step_path, c_step, updates);
  for (int k = 0; k < D; ++k) {
    if (after->mean[k] <= 0 || after->mean[k] >= 1) return false; /* it was cut there */
    const double moved = (after->mean[k] - before->mean[k]) / before->step;
    const double new = still ? 0 : sqrt(c_path * (2 - c_path) * mass) * moved;
    const double expected = (1 - c_path) * before->path[k] + new;
    if (!(fabs(after->path[k] - expected) < 1e-9 * (1 + fabs(expected))))
      fail_msg("update %g: path %g, expected %g", updates, after->path[k], expected);
  }
  return still != stalls(after->step_path, c_step, updates + 1);
}

static double plane(const double *x) {
  return x[0] + 0.7 * x[1] - 0.5 * x[2] + 0.2 * x[3];
}

/* The first updates are long on a plane. */
static void paths_are_those_of_the_equations(void **state) {
  int checked = 0, telling = 0;
  (void)state;
  for (int q = 2; q <= 16; ++q) {
    fixture f = make(&free_space, "lq-cma");
    distribution before = {0}, after;
    for (int batch = 0; batch < 12; ++batch) {
      go_on_with(&f, plane, 1, q, 0);
      const bool begun = read_distribution(&f, &after);
      if (begun && before.step > 0 && after.since == before.since &&
          after.generation == before.generation + 1) {
        checked += 1;
        telling += check_path(&before, &after);
      }
      before = after;
    }
    drop(&f);
  }
  if (!(checked > 20 && telling > 0)) fail_msg("%d updates, %d telling", checked, telling);
}

/* A population is at least twice the batch, as far as there is room for 256 points. */
static void populations_grow_with_the_batch(void **state) {
  (void)state;
  enum { MOST = 200 };
  const int batch[] = {1, 20, 127, 128, MOST}, population[] = {8, 40, 254, 256, 256};
  int64_t id[MOST];
  double x[MOST * D];
  for (int i = 0; i < 5; ++i) {
    fixture f = make(&free_space, "lq-cma");
    distribution at;
    go_on(&f, 1, 8, 0); /* the first design */
    assert_ok(gannet_optimizer_ask(f.optimizer, batch[i], id, x));
    assert_true(read_distribution(&f, &at));
    assert_int_equal((int)at.population, population[i]);
    drop(&f);
  }
}

/* Constraints, integers, one variable: it has nothing to work on, and design points are proposed.
 */
static void it_is_idle_where_it_cannot_work(void **state) {
  (void)state;
  static const gannet_constraint bound[] = {{"limit", -INFINITY, 1}};
  static const gannet_variable whole[2] = {
      {.name = "a", .lower = 0, .upper = 1},
      {.name = "n", .type = GANNET_VARIABLE_INTEGER, .lower = 0, .upper = 9}};
  const gannet_problem_spec specs[] = {
      {.n_variables = 1, .variables = cube},
      {.n_variables = 2, .variables = whole},
      {.n_variables = D, .variables = cube, .n_constraints = 1, .constraints = bound},
      free_space};
  for (int i = 0; i < 4; ++i) {
    gannet_problem *problem = NULL;
    assert_ok(gannet_problem_create(&specs[i], &problem));
    assert_int_equal(gannet_evolution_is_idle(problem), i < 3);
    gannet_problem_destroy(&problem);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_valley_that_is_no_quadratic_is_followed),
      cmocka_unit_test(it_takes_the_lead_where_others_stall),
      cmocka_unit_test(a_state_goes_on),
      cmocka_unit_test(a_state_with_a_gap_begins_anew),
      cmocka_unit_test(the_model_of_a_quadratic_is_exact),
      cmocka_unit_test(paths_are_those_of_the_equations),
      cmocka_unit_test(populations_grow_with_the_batch),
      cmocka_unit_test(it_is_idle_where_it_cannot_work),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
