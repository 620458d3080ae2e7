/* test: ranks 1 labels conform */
#include <mpi.h>
#include <stdlib.h>

#include "simulations/simulate.h"

#include "base/clock.h"
#include "base/random.h"
#include "simulations/heater.h"

static const char *const c_names[16] = {"c1", "c2",  "c3",  "c4",  "c5",  "c6",  "c7",  "c8",
                                        "c9", "c10", "c11", "c12", "c13", "c14", "c15", "c16"};

enum { MOST = 50 };

static void ask_all_constraints(experiment *e) {
  e->n_constraints = e->type->n_constraints;
  for (int i = 0; i < e->n_constraints; ++i) e->constraint_names[i] = c_names[i];
}

/* Calls check for every test problem with one objective in every dimension of a list in which it
 * exists. */
static void for_all(void (*check)(experiment *, int)) {
  static const int dimensions[] = {1, 2, 3, 4, 5, 6, 7, 10, 20, 49, MOST};
  double lower[MOST], upper[MOST], minimum;
  for (int i = 0; gannet_simulations[i]; ++i) {
    experiment e = prepare(gannet_simulations[i]->name);
    if (e.type == &gannet_heater || e.type->front) continue;
    int count = 0;
    ask_all_constraints(&e);
    for (size_t k = 0; k < sizeof dimensions / sizeof *dimensions; ++k) {
      const int d = dimensions[k];
      const int exists = e.type->box(d, lower, upper, &minimum, NULL) == 0;
      if (e.type->fixed_d) assert_int_equal(exists, d == e.type->fixed_d);
      if (!exists) continue;
      check(&e, d);
      count += 1;
    }
    assert_true(count >= 1);
  }
}

/* How well a minimum is known: solvers that stop at a residual do not give the same last digits. */
static double tolerance_of(const experiment *e, double minimum) {
  return (strncmp(e->type->name, "steady-heat", 11) == 0 ? 1e-8 : 1e-12) * (1 + fabs(minimum));
}

static void check_minimum(experiment *e, int d) {
  double lower[MOST], upper[MOST], minimum, best[MOST];
  assert_int_equal(e->type->box(d, lower, upper, &minimum, best), 0);
  const outcome o = simulate(e, d, best);
  assert_int_equal(o.code, 0);
  assert_int_equal(o.output.cannot_run, 0);
  if (fabs(o.output.objective - minimum) > tolerance_of(e, minimum))
    fail_msg("%s, d = %d: %.17g, not %.17g", e->type->name, d, o.output.objective, minimum);
  for (int i = 0; i < e->n_constraints; ++i)
    if (!(o.c[i] <= 1e-9)) fail_msg("%s: c%d = %g at the minimum", e->type->name, i + 1, o.c[i]);
  for (int k = 0; k < d; ++k) assert_true(lower[k] <= best[k] && best[k] <= upper[k]);
}

static int is_feasible(const outcome *o, int n_constraints) {
  for (int i = 0; i < n_constraints; ++i)
    if (!(o->c[i] <= 0)) return 0;
  return o->code == 0 && !o->output.cannot_run;
}

/* Random points around the minimum at several distances, and all over the box. */
static void check_neighbours(experiment *e, int d) {
  double lower[MOST], upper[MOST], minimum, best[MOST], x[MOST], u[MOST];
  assert_int_equal(e->type->box(d, lower, upper, &minimum, best), 0);
  for (int i = 0; i < 600; ++i) {
    const gannet_stream stream = {11, GANNET_FOR_TEST, (uint64_t)d, (uint64_t)i};
    const double radius = pow(10, -(i % 6));
    gannet_random_uniform(stream, 0, (size_t)d, u);
    for (int k = 0; k < d; ++k) {
      x[k] = best[k] + radius * (upper[k] - lower[k]) * (2 * u[k] - 1);
      if (i % 6 == 0) x[k] = lower[k] + u[k] * (upper[k] - lower[k]);
      x[k] = fmin(fmax(x[k], lower[k]), upper[k]);
    }
    const outcome o = simulate(e, d, x);
    if (!is_feasible(&o, e->n_constraints)) continue;
    if (!(o.output.objective >= minimum - tolerance_of(e, minimum)))
      fail_msg("%s, d = %d: %.17g is better than %.17g", e->type->name, d, o.output.objective,
               minimum);
  }
}

static void every_minimum_is_taken_at_its_minimizer(void **state) {
  (void)state;
  for_all(check_minimum);
}

static void nothing_nearby_or_at_random_is_better(void **state) {
  (void)state;
  for_all(check_neighbours);
}

/* From the papers and the usual tables; D = 10, 20, 50 for Michalewicz. */
static void minima_equal_published_values(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int d;
    double minimum, tolerance;
  } known[] = {{"michalewicz", 2, -1.8013, 1e-4},
               {"michalewicz", 5, -4.687658, 1e-6},
               {"michalewicz", 10, -9.66015, 1e-5},
               {"michalewicz", 20, -19.6370, 1e-4},
               {"michalewicz", 50, -49.6248, 1e-4},
               {"styblinski-tang", 20, -39.16617 * 20, 2e-4},
               {"branin", 2, 0.397887, 1e-6},
               {"branin-disk", 2, 0.397887, 1e-6},
               {"simionescu", 2, -0.072, 1e-15},
               {"hartmann6", 6, -3.32237, 2e-6},
               {"hartmann6-norm", 6, -3.32237, 2e-6},
               {"gas-transmission", 4, 2.964895417e6, 1e-3},
               {"speed-reducer", 7, 2994.4244658, 1e-6},
               {"beam", 1, 0.0576037, 1e-7},
               {"steady-heat-1", 2, -2854.88, 0.005},
               {"steady-heat-2", 2, -788.48, 0.005},
               {"steady-heat-3", 2, -772.35, 0.005},
               {"goucb-f1", 20, -26, 1e-12},
               {"goucb-f2", 20, -39.16617 * 20, 2e-4},
               {"goucb-f3", 20, 0, 0}};
  double lower[MOST], upper[MOST], minimum;
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    const experiment e = prepare(known[i].name);
    assert_int_equal(e.type->box(known[i].d, lower, upper, &minimum, NULL), 0);
    if (fabs(minimum - known[i].minimum) > known[i].tolerance)
      fail_msg("%s: %.17g, published %.17g", known[i].name, minimum, known[i].minimum);
  }
}

static void assert_value_at(const char *name, int d, const double *x, double value) {
  const experiment e = prepare(name);
  const double found = value_at(&e, d, x);
  if (fabs(found - value) > 1e-9 * (1 + fabs(value)))
    fail_msg("%s: %.17g, expected %.17g", name, found, value);
}

/* Worked out by hand at points where the formulas are short. */
static void values_equal_hand_computed_ones(void **state) {
  (void)state;
  const double pi = 3.14159265358979323846, e1 = 2.71828182845904523536;
  const double one[2] = {1, 1}, zero[6] = {0}, half[2] = {0.5, 0.5}, mixed[2] = {-1, 2};
  assert_value_at("ackley", 2, one, 20 - 20 * exp(-0.2));
  assert_value_at("ackley", 2, half, 20 - 20 * exp(-0.1) + e1 - exp(-1));
  assert_value_at("levy", 2, (double[]){5, 1}, 1 + 10 * sin(1) * sin(1));
  assert_value_at("levy", 2, (double[]){1, 5}, 1);
  assert_value_at("rastrigin", 2, half, 0.5 + 40);
  assert_value_at("goucb-f3", 2, half, 0.5 + 40);
  assert_value_at("rosenbrock", 2, mixed, 100 + 4);
  assert_value_at("styblinski-tang", 2, mixed, 0.5 * (1 - 16 - 5 + 16 - 64 + 10));
  assert_value_at("goucb-f2", 2, mixed, 0.5 * (1 - 16 - 5 + 16 - 64 + 10));
  assert_value_at("goucb-f1", 2, (double[]){-2, 1}, -(25 * 0.5 + 1));
  assert_value_at("griewank", 2, (double[]){pi, 0}, pi * pi / 4000 + 2);
  assert_value_at("griewank", 2, (double[]){0, pi * sqrt(2)}, 2 * pi * pi / 4000 + 2);
  assert_value_at("michalewicz", 2, (double[]){pi / 2, pi / 2}, -pow(0.5, 10) - 1);
  assert_value_at("cosine-mixture", 2, (double[]){0.2, 1}, -0.1 + 0.04 - 0.1 + 1);
  assert_value_at("drop-wave", 2, (double[]){0, pi / 4}, 0);
  assert_value_at("drop-wave", 2, (double[]){pi / 6, 0}, -2 / (pi * pi / 72 + 2));
  assert_value_at("branin", 2, (double[]){0, 6}, 20 - 10 / (8 * pi));
  assert_value_at("branin", 2, (double[]){-pi, 12.275}, 10 / (8 * pi));
  assert_value_at("branin", 2, (double[]){3 * pi, 2.475}, 10 / (8 * pi));
  assert_value_at("gas-transmission", 4, (double[]){25, 1, 27, 4},
                  8.61e5 * 2.5 / 9 + 3.69e4 * 27 + (7.72e8 - 765.43e6) / 25);
  assert_value_at("speed-reducer", 7, (double[]){3, 1, 10, 8, 8, 1, 2},
                  0.7854 * 3 * (149.334 - 43.0934 + 333.33) + 0.7854 * 40 - 1.508 * 15 + 7.477 * 9);
  /* Sums of a few products, worked out separately. */
  assert_value_at("hartmann6", 6, zero, -0.00508911288366444);
}

static void expect_constraints(const char *name, int d, const double *x, const double *c) {
  experiment e = prepare(name);
  ask_all_constraints(&e);
  const outcome o = simulate(&e, d, x);
  assert_int_equal(o.code, 0);
  for (int i = 0; i < e.n_constraints; ++i)
    if (fabs(o.c[i] - c[i]) > 1e-9 * (1 + fabs(c[i])))
      fail_msg("%s: c%d = %.17g, expected %.17g", name, i + 1, o.c[i], c[i]);
}

static void constraints_equal_hand_computed_ones(void **state) {
  (void)state;
  expect_constraints("branin-disk", 2, (double[]){3.5, 9.5}, (double[]){-45});
  expect_constraints("simionescu", 2, (double[]){0, 1}, (double[]){1 - 1.44});
  expect_constraints("simionescu", 2, (double[]){0, 0}, (double[]){-1.44});
  expect_constraints("simionescu", 2, (double[]){1, -1}, (double[]){2 - 1.44});
  expect_constraints("ackley5", 5, (double[]){1, 1, 1, 1, -4}, (double[]){0.75, 7});
  expect_constraints("hartmann6-norm", 6, (double[]){1, 1, 1, 1, 0, 0}, (double[]){1});
  expect_constraints("gas-transmission", 4, (double[]){25, 2, 27, 5}, (double[]){0.5});
  expect_constraints(
      "speed-reducer", 7, (double[]){3, 1, 10, 8, 8, 1, 2},
      (double[]){27 - 30, 397.5 - 300, 1.93 - 10.0 / 512, 1.93 - 160.0 / 512,
                 10 * sqrt(16.91e6 + 596 * 596) - 1100, 1.25 * sqrt(157.5e6 + 596 * 596) - 850,
                 10 - 40, 5 - 3, 3 - 12, 1.5 - 8 + 1.9, 2.2 - 8 + 1.9});
}

static void constraints_may_be_asked_for_in_any_order(void **state) {
  (void)state;
  experiment e = prepare("speed-reducer");
  const double x[7] = {3, 1, 10, 8, 8, 1, 2};
  e.n_constraints = 3;
  e.constraint_names[0] = "c11", e.constraint_names[1] = "c1", e.constraint_names[2] = "c7";
  const outcome o = simulate(&e, 7, x);
  assert_int_equal(o.code, 0);
  assert_near(o.c[0], -3.9, 1e-12);
  assert_near(o.c[1], -3, 1e-12);
  assert_near(o.c[2], -30, 1e-12);
}

static void expect_failure(const experiment *e, int d, const double *x, const char *part) {
  const outcome o = simulate(e, d, x);
  assert_int_not_equal(o.code, 0);
  if (!strstr(o.output.reason, part)) fail_msg("'%s' has no '%s'", o.output.reason, part);
}

static void wrong_dimensions_and_names_fail_with_a_reason(void **state) {
  (void)state;
  const double x[7] = {1, 1, 1, 1, 1, 1, 1};
  experiment e = prepare("branin");
  expect_failure(&e, 3, x, "branin does not exist in 3 dimensions");
  e.n_constraints = 1;
  e.constraint_names[0] = "c1";
  expect_failure(&e, 2, x, "no constraint 'c1': branin has none");
  e = prepare("gas-transmission");
  e.n_constraints = 1;
  static const char *const wrong[] = {"c2", "c0", "c", "c1x", "d1", "c01"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    e.constraint_names[0] = wrong[i];
    expect_failure(&e, 4, x, "those of gas-transmission are c1 to c1");
  }
  e = prepare("rosenbrock");
  expect_failure(&e, 1, x, "does not exist in 1 dimensions");
  const gannet_simulation_type *type = NULL;
  assert_fails(GANNET_ERR_NAME, "ackley", gannet_simulation_find("ackly", &type));
}

static void a_point_without_a_value_cannot_run(void **state) {
  (void)state;
  const experiment e = prepare("gas-transmission");
  const outcome o = simulate(&e, 4, (double[]){-1, 2, 27, 1});
  assert_int_equal(o.code, 0);
  assert_true(o.output.cannot_run);
  assert_true(strstr(o.output.reason, "not finite") != NULL);
}

/* 4000 seeds: mean within 5 standard errors (0.04), variance within 5 * 0.045. */
static void noise_has_the_asked_spread_and_follows_the_seed(void **state) {
  (void)state;
  experiment e = prepare("branin");
  const double x[2] = {1, 2}, exact = value_at(&e, 2, x);
  double sum = 0, squares = 0;
  set(&e, "noise_sd", "2");
  for (e.seed = 0; e.seed < 4000; ++e.seed) {
    const double z = (value_at(&e, 2, x) - exact) / 2;
    sum += z;
    squares += z * z;
  }
  assert_near(sum / 4000, 0, 0.08);
  assert_near(squares / 4000, 1, 0.12);
  e.seed = 3;
  const double first = value_at(&e, 2, x);
  e.attempt = 2;
  assert_true(value_at(&e, 2, x) == first);
  e.seed = 4;
  assert_true(value_at(&e, 2, x) != first);
}

/* The spread of the uniform distribution's images: branin-disk and branin have the same objective,
 * but constraints halve the published noise. 0.05 * 51.3 for Branin by a finer count. */
static void published_noise_is_a_share_of_the_spread(void **state) {
  (void)state;
  static const char *const names[2] = {"branin", "branin-disk"};
  const double x[2] = {1, 2};
  double sd[3];
  for (int i = 0; i < 3; ++i) {
    experiment e = prepare(names[i % 2]);
    const double exact = value_at(&e, 2, x);
    double squares = 0;
    set(&e, "noise", i < 2 ? "auto" : "0.1");
    for (e.seed = 0; e.seed < 2000; ++e.seed) {
      const double away = value_at(&e, 2, x) - exact;
      squares += away * away;
    }
    sd[i] = sqrt(squares / 2000);
  }
  assert_true(sd[0] == sd[2]);
  assert_near(sd[1], sd[0] / 2, 1e-9);
  assert_near(sd[0], 5.13, 0.45); /* 5 standard errors of 2000 seeds */
}

static void teeth_can_be_rounded(void **state) {
  (void)state;
  experiment e = prepare("speed-reducer");
  double x[7] = {3.5, 0.7, 17.4, 7.3, 7.7, 3.35, 5.28};
  const double free_teeth = value_at(&e, 7, x);
  set(&e, "whole_teeth", "yes");
  const double rounded = value_at(&e, 7, x);
  x[2] = 17;
  assert_true(value_at(&e, 7, x) == rounded && rounded < free_teeth);
}

/* Binomial with p = 0.3 and 2000 trials: 5 standard deviations are 103. */
static void failures_come_as_often_as_ordered_and_retries_differ(void **state) {
  (void)state;
  experiment e = prepare("ackley");
  const double x[2] = {0};
  int failed = 0, recovered = 0;
  set(&e, "fail", "0.3");
  for (e.seed = 0; e.seed < 2000; ++e.seed) {
    e.attempt = 1;
    const int code = simulate(&e, 2, x).code;
    assert_int_equal(simulate(&e, 2, x).code, code);
    e.attempt = 2;
    failed += code != 0;
    recovered += code && !simulate(&e, 2, x).code;
  }
  assert_in_range(failed, 600 - 103, 600 + 103);
  assert_in_range(recovered, failed * 6 / 10, failed * 8 / 10);
  set(&e, "fail", "1");
  expect_failure(&e, 2, x, "fail setting");
}

static void shift_moves_the_minimum_by_a_share_of_the_box(void **state) {
  (void)state;
  experiment e = prepare("rastrigin");
  set(&e, "shift", "0.25");
  const double moved = 0.25 * 10.24, x[3] = {moved, moved, moved}, origin[3] = {0};
  assert_near(value_at(&e, 3, x), 0, 1e-12);
  assert_true(value_at(&e, 3, origin) > 1);
}

static void delay_takes_the_asked_time(void **state) {
  (void)state;
  experiment e = prepare("ackley");
  const double x[1] = {0}, start = gannet_clock_seconds();
  set(&e, "delay", "0.05");
  (void)value_at(&e, 1, x);
  assert_true(gannet_clock_seconds() - start >= 0.05);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_minimum_is_taken_at_its_minimizer),
      cmocka_unit_test(nothing_nearby_or_at_random_is_better),
      cmocka_unit_test(minima_equal_published_values),
      cmocka_unit_test(values_equal_hand_computed_ones),
      cmocka_unit_test(constraints_equal_hand_computed_ones),
      cmocka_unit_test(constraints_may_be_asked_for_in_any_order),
      cmocka_unit_test(wrong_dimensions_and_names_fail_with_a_reason),
      cmocka_unit_test(a_point_without_a_value_cannot_run),
      cmocka_unit_test(noise_has_the_asked_spread_and_follows_the_seed),
      cmocka_unit_test(published_noise_is_a_share_of_the_spread),
      cmocka_unit_test(teeth_can_be_rounded),
      cmocka_unit_test(failures_come_as_often_as_ordered_and_retries_differ),
      cmocka_unit_test(shift_moves_the_minimum_by_a_share_of_the_box),
      cmocka_unit_test(delay_takes_the_asked_time),
  };
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
