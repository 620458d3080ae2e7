/* test: ranks 1 2 labels unit */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "simulations/simulate.h"

#include "base/random.h"
#include "simulations/equation.h"

static const double pi = 3.14159265358979323846;

enum { MOST = 30, POINTS = 12 };

/* The problem under test, and the step of its differences in every variable. */
typedef struct {
  experiment e;
  int d;
  double step[MOST];
} subject;

/* On ranks other than 0 of a communicator there is no value: every rank for itself. */
static double difference(void *user, int order, const int *variables, const double *x) {
  const subject *s = user;
  double near[MOST];
  if (order == 0) return value_at(&s->e, s->d, x);
  const int k = variables[0];
  memcpy(near, x, (size_t)s->d * sizeof *near);
  near[k] = x[k] + s->step[k];
  const double above = difference(user, order - 1, variables + 1, near);
  near[k] = x[k] - s->step[k];
  const double below = difference(user, order - 1, variables + 1, near);
  return (above - below) / (2 * s->step[k]);
}

/* Every line of the problem's text holds at x, to the accuracy of differences. Returns how many. */
static int check_equations(subject *s, const char *text, const double *x) {
  reading r = {text, x};
  int lines = 0;
  for (; *r.at; ++lines) {
    double scale = 0, steepest = 0;
    const double off = residual(&r, difference, s, &scale, &steepest);
    if (!(fabs(off) <= 2e-5 * scale + 1e-6 * (1 + steepest)))
      fail_msg("%s: equation %d is off by %g of %g", s->e.type->name, lines + 1, off, scale);
  }
  return lines;
}

static char *physics_of(const gannet_simulation_type *type, int d) {
  const int length = type->physics(d, NULL, 0);
  char *text = malloc((size_t)length + 1);
  assert_non_null(text);
  assert_int_equal(type->physics(d, text, (size_t)length + 1), length);
  assert_int_equal(strlen(text), length);
  return text;
}

static void prepare_subject(subject *s, const char *name, int d, double share) {
  double lower[MOST], upper[MOST], minimum;
  *s = (subject){.e = prepare(name), .d = d};
  assert_int_equal(s->e.type->box(d, lower, upper, &minimum, NULL), 0);
  for (int k = 0; k < d; ++k) s->step[k] = share * (upper[k] - lower[k]);
}

static void check_problem(const char *name, int d, double share, int equations) {
  subject s;
  double lower[MOST], upper[MOST], minimum, x[MOST];
  prepare_subject(&s, name, d, share);
  (void)s.e.type->box(d, lower, upper, &minimum, NULL);
  char *text = physics_of(s.e.type, d);
  for (int i = 0; i < POINTS; ++i) {
    gannet_random_uniform((gannet_stream){5, GANNET_FOR_TEST, (uint64_t)d, (uint64_t)i}, 0,
                          (size_t)d, x);
    for (int k = 0; k < d; ++k) x[k] = lower[k] + x[k] * (upper[k] - lower[k]);
    assert_int_equal(check_equations(&s, text, x), equations);
  }
  free(text);
}

static void synthetic_problems_obey_their_equations(void **state) {
  (void)state;
  check_problem("drop-wave", 2, 1e-6, 1);
  check_problem("styblinski-tang", 1, 1e-6, 1);
  check_problem("styblinski-tang", 10, 1e-6, 1);
  check_problem("goucb-f2", 3, 1e-6, 1);
  check_problem("rastrigin", 20, 1e-6, 1);
  check_problem("goucb-f3", 2, 1e-6, 1);
  check_problem("michalewicz", 2, 1e-7, 1);
  check_problem("michalewicz", 30, 1e-7, 1);
  check_problem("cosine-mixture", 20, 1e-6, 20);
  check_problem("beam", 1, 3e-5, 1);
  check_problem("field-helmholtz", 2, 1e-4, 1);
  check_problem("field-helmholtz", 6, 1e-4, 1);
  check_problem("field-heat", 3, 1e-4, 1);
  check_problem("field-wave", 3, 1e-4, 1);
  check_problem("field-drift", 4, 1e-4, 1);
}

/* Equations and minimum are those of every instance, of which no two have the same minimizer. */
static void fields_move_with_their_instance(void **state) {
  (void)state;
  static const char *const names[] = {"field-helmholtz", "field-heat", "field-wave", "field-drift"};
  for (int i = 0; i < 4; ++i) {
    const double x[4] = {0.2, -0.3, 0.7, 0.1};
    double value[2];
    for (int k = 0; k < 2; ++k) {
      experiment e = prepare(names[i]);
      set(&e, "instance", k == 0 ? "2" : "3");
      value[k] = value_at(&e, 4, x);
      assert_true(value[k] >= 0 && value[k] <= 2);
    }
    assert_true(value[0] != value[1]);
  }
}

/* By differences of fourth order. */
static double beam_bend(const experiment *e, double x) {
  static const double weight[5] = {-1, 16, -30, 16, -1};
  const double step = 1e-4;
  double sum = 0;
  for (int i = 0; i < 5; ++i) {
    const double at = x + (i - 2) * step;
    sum += weight[i] * value_at(e, 1, &at);
  }
  return sum / (12 * step * step);
}

/* (EI w'')'' = e^x with the published EI, by differences of w alone. */
static void the_beam_bends_under_its_load(void **state) {
  (void)state;
  const experiment e = prepare("beam");
  const double h = 0.02;
  for (double x = 0.1; x < 0.95; x += 0.1) {
    double moment[3];
    for (int i = 0; i < 3; ++i) {
      const double at = x + h * (i - 1), e2 = exp(2 * at), e4 = exp(4 * at);
      const double rho = 2.4 * at - 64 * pi * pi * e4 * sin(4 * pi * e2) - 396 * e2 * sin(20 * at) +
                         80 * e2 * cos(20 * at) + 16 * pi * e2 * cos(4 * pi * e2) + 0.4;
      moment[i] = exp(at) / rho * beam_bend(&e, at); /* EI w'' */
    }
    assert_near((moment[0] - 2 * moment[1] + moment[2]) / (h * h), exp(x), 0.01 * exp(x));
  }
}

/* At centres of cells, with the width of a cell between the outer points of a difference, the
 * equation is that which was solved. */
static void steady_heat_obeys_laplaces_equation(void **state) {
  (void)state;
  static const char *const names[3] = {"steady-heat-1", "steady-heat-2", "steady-heat-3"};
  enum { GRID = 60 };
  for (int which = 0; which < 3; ++which) {
    subject s;
    prepare_subject(&s, names[which], 2, 0.5 / GRID);
    set(&s.e, "grid", "60");
    char *text = physics_of(s.e.type, 2);
    for (int i = 1; i + 1 < GRID; i += 7)
      for (int j = 1; j + 1 < GRID; j += 5) {
        const double x[2] = {2 * pi * (i + 0.5) / GRID, 2 * pi * (j + 0.5) / GRID};
        assert_int_equal(check_equations(&s, text, x), 1);
      }
    free(text);
  }
}

/* Linear extrapolation from the two outermost centres, at 1 along every edge; values of the edges
 * worked out separately. */
static void steady_heat_takes_the_given_temperatures_at_its_edges(void **state) {
  (void)state;
  static const char *const names[3] = {"steady-heat-1", "steady-heat-2", "steady-heat-3"};
  static const double edge[3][4] = {{5.62156848641, -0.0874559446657, 9.2875767626, 4.01428655318},
                                    {2.49039854206, 3.38381489871, 3.70165214391, 6.11707072279},
                                    {3.03351425817, 3.34660015185, 4.05645985919, 5.12116373189}};
  const double h = 2 * pi / 200;
  for (int which = 0; which < 3; ++which)
    for (int side = 0; side < 4; ++side) {
      experiment e = prepare(names[which]);
      double value[2];
      set(&e, "grid", "200");
      for (int i = 0; i < 2; ++i) {
        const double inside = (i + 0.5) * h, along = 1;
        const double away = side % 2 == 0 ? inside : 2 * pi - inside;
        const double x[2] = {side < 2 ? away : along, side < 2 ? along : away};
        value[i] = -value_at(&e, 2, x);
      }
      assert_near(1.5 * value[0] - 0.5 * value[1], edge[which][side], 0.1);
    }
}

/* One rank has the field already, the others have not; the group is the whole world. */
static void a_field_is_solved_by_all_ranks_together(void **state) {
  (void)state;
  experiment alone = prepare("steady-heat-2"), together = alone;
  const double x[2] = {3, 5};
  int rank = 0;
  double value = 0, by_one = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  set(&alone, "grid", "32");
  if (rank == 0) by_one = value_at(&alone, 2, x);
  set(&together, "grid", "32");
  together.comm = MPI_COMM_WORLD;
  const outcome o = simulate(&together, 2, x);
  assert_int_equal(o.code, 0);
  value = o.output.objective;
  MPI_Bcast(&by_one, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  assert_near(value, by_one, 1e-8);
}

/* Published for second-order differences on 400 x 400 cells. */
static void the_hottest_points_are_the_published_ones(void **state) {
  (void)state;
  static const char *const names[3] = {"steady-heat-1", "steady-heat-2", "steady-heat-3"};
  static const double hottest[3] = {2854.88, 788.48, 772.35};
  for (int which = 0; which < 3; ++which) {
    experiment e = prepare(names[which]);
    double lower[2], upper[2], minimum, best[2];
    e.comm = MPI_COMM_WORLD;
    assert_int_equal(e.type->box(2, lower, upper, &minimum, best), 0);
    const outcome o = simulate(&e, 2, best);
    assert_int_equal(o.code, 0);
    assert_near(o.output.objective, minimum, 1e-7 * fabs(minimum));
    assert_near(-minimum, hottest[which], 0.005);
  }
}

static void a_text_that_is_cut_off_tells_its_length(void **state) {
  (void)state;
  const experiment e = prepare("rastrigin");
  char text[20], *whole = physics_of(e.type, 3);
  assert_int_equal(e.type->physics(3, text, sizeof text), strlen(whole));
  assert_int_equal(strlen(text), sizeof text - 1);
  assert_int_equal(strncmp(text, whole, sizeof text - 1), 0);
  free(whole);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(synthetic_problems_obey_their_equations),
      cmocka_unit_test(fields_move_with_their_instance),
      cmocka_unit_test(the_beam_bends_under_its_load),
      cmocka_unit_test(steady_heat_obeys_laplaces_equation),
      cmocka_unit_test(steady_heat_takes_the_given_temperatures_at_its_edges),
      cmocka_unit_test(a_field_is_solved_by_all_ranks_together),
      cmocka_unit_test(the_hottest_points_are_the_published_ones),
      cmocka_unit_test(a_text_that_is_cut_off_tells_its_length),
  };
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
