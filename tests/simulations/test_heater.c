/* test: ranks 1 2 3 labels unit */
#include <petscdmda.h>
#include <stdio.h>
#include <stdlib.h>

#include "simulations/simulate.h"

#include "simulations/heater.h"
#include "simulations/plate.h"

static const char *const names[] = {"x1", "y1", "p1", "x2", "y2", "p2", "x3", "y3", "p3", "fins"};

static experiment heater(void) {
  experiment e = prepare("heater");
  e.comm = MPI_COMM_WORLD;
  e.names = names;
  set(&e, "resolution", "24");
  return e;
}

/* The objective, which only rank 0 is told, on all ranks. */
static double objective(const experiment *e, int d, const double *x) {
  const outcome o = simulate(e, d, x);
  if (o.code || o.output.cannot_run) fail_msg("%s", o.output.reason);
  double value = o.output.objective;
  MPI_Bcast(&value, 1, MPI_DOUBLE, 0, e->comm);
  return value;
}

#define assert_petsc(call) assert_int_equal((call), 0)

/* The whole field on every rank, row by row. */
static double *solve(MPI_Comm comm, const gannet_plate *plate, const gannet_plate_heat *heat) {
  DM grid;
  Vec rise, natural, all;
  VecScatter scatter;
  const PetscScalar *values;
  const size_t cells = (size_t)plate->n * (size_t)plate->n;
  double *field = calloc(cells, sizeof *field);
  assert_non_null(field);
  assert_petsc(gannet_plate_grid(comm, plate->n, &grid));
  assert_petsc(DMCreateGlobalVector(grid, &rise));
  assert_petsc(gannet_plate_solve(grid, plate, heat, rise));
  assert_petsc(DMDACreateNaturalVector(grid, &natural));
  assert_petsc(DMDAGlobalToNaturalBegin(grid, rise, INSERT_VALUES, natural));
  assert_petsc(DMDAGlobalToNaturalEnd(grid, rise, INSERT_VALUES, natural));
  assert_petsc(VecScatterCreateToAll(natural, &scatter, &all));
  assert_petsc(VecScatterBegin(scatter, natural, all, INSERT_VALUES, SCATTER_FORWARD));
  assert_petsc(VecScatterEnd(scatter, natural, all, INSERT_VALUES, SCATTER_FORWARD));
  assert_petsc(VecGetArrayRead(all, &values));
  memcpy(field, values, cells * sizeof *field);
  assert_petsc(VecRestoreArrayRead(all, &values));
  assert_petsc(VecScatterDestroy(&scatter));
  assert_petsc(VecDestroy(&all));
  assert_petsc(VecDestroy(&natural));
  assert_petsc(VecDestroy(&rise));
  assert_petsc(DMDestroy(&grid));
  return field;
}

static double *solve_design(MPI_Comm comm, const gannet_plate *plate,
                            const gannet_heater_design *design) {
  const size_t size = (size_t)design->n * (size_t)plate->n;
  double *along = calloc(2 * size, sizeof *along);
  assert_non_null(along);
  gannet_heater_spread(design, 0.06, plate->n, along, along + size);
  double *field = solve(comm, plate, &(gannet_plate_heat){design->n, along, along + size});
  free(along);
  return field;
}

/* Root of -nu cot(nu / 2) = ratio between pi and 2 pi, where the left side rises from 0. */
static double odd_root(double ratio) {
  double low = 3.141592653589793, high = 6.283185307179586;
  for (int i = 0; i < 100; ++i) {
    const double nu = (low + high) / 2;
    if (-nu / tan(nu / 2) < ratio)
      low = nu;
    else
      high = nu;
  }
  return (low + high) / 2;
}

/* T = cos(mu (x - 1/2)) sin(nu (y - 1/2)) satisfies the edges' condition for e = k mu tan(mu / 2)
 * and the root nu, and is the answer to q = (k (mu^2 + nu^2) + h) T. Returns the largest error. */
static double error_of_closed_form(int n) {
  const double k = 1.7, h = 3.1, mu = 2, ratio = mu * tan(mu / 2), nu = odd_root(ratio);
  const gannet_plate plate = {n, k, h, k * ratio, 1e-12};
  const double strength = k * (mu * mu + nu * nu) + h;
  double x[128], y[128], worst = 0;
  for (int i = 0; i < n; ++i) {
    const double low = (double)i / n - 0.5, high = (i + 1.0) / n - 0.5;
    x[i] = strength * (sin(mu * high) - sin(mu * low)) / mu;
    y[i] = -(cos(nu * high) - cos(nu * low)) / nu;
  }
  double *field = solve(MPI_COMM_WORLD, &plate, &(gannet_plate_heat){1, x, y});
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      worst = fmax(worst, fabs(field[j * n + i] -
                               cos(mu * ((i + 0.5) / n - 0.5)) * sin(nu * ((j + 0.5) / n - 0.5))));
  free(field);
  return worst;
}

static void error_against_the_closed_form_falls_with_the_square_of_the_cell(void **state) {
  (void)state;
  const double coarse = error_of_closed_form(16), middle = error_of_closed_form(32),
               fine = error_of_closed_form(64);
  assert_true(coarse < 0.02);
  assert_near(log2(coarse / middle), 2, 0.1);
  assert_near(log2(middle / fine), 2, 0.05);
}

/* Written from the picture, not from the matrix: a half cell of plate in series with the film. */
static double heat_out(const gannet_plate *plate, const double *field) {
  const int n = plate->n;
  const double side = 1.0 / n;
  const double film = side / (side / 2 / plate->conductivity + 1 / plate->edge);
  double out = 0;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) out += plate->loss * side * side * field[j * n + i];
    out += film * (field[j * n] + field[j * n + n - 1] + field[j] + field[(n - 1) * n + j]);
  }
  return out;
}

static void what_goes_in_comes_out(void **state) {
  (void)state;
  static const double corner[2] = {0, 1};
  for (int multigrid = 0; multigrid < 2; ++multigrid) {
    const gannet_plate plate = {multigrid ? 200 : 33, 2, 10, 0.5, 1e-12};
    gannet_heater_design design;
    gannet_heater_reference(4, &design);
    design.source[3] = (gannet_heater_source){corner[0], corner[1], 123};
    double *field = solve_design(MPI_COMM_WORLD, &plate, &design);
    assert_near(heat_out(&plate, field) / (300 + 400 + 500 + 123), 1, 1e-9);
    free(field);
  }
}

static void insulated_plate_far_from_heaters_takes_the_mean(void **state) {
  (void)state;
  const gannet_plate plate = {20, 1e7, 4, 0, 1e-13};
  gannet_heater_design design;
  gannet_heater_reference(2, &design);
  double *field = solve_design(MPI_COMM_WORLD, &plate, &design);
  for (int i = 0; i < 400; ++i) assert_near(field[i], 700 / 4.0, 1e-3);
  free(field);
}

static void mirrored_heaters_make_a_mirrored_field(void **state) {
  (void)state;
  enum { N = 30 };
  const gannet_plate plate = {N, 2, 10, 0.5, 1e-13};
  const gannet_heater_design design = {2, {{0.2, 0.35, 100}, {0.8, 0.35, 100}}, 0};
  double *field = solve_design(MPI_COMM_WORLD, &plate, &design);
  for (int j = 0; j < N; ++j)
    for (int i = 0; i < N; ++i) assert_near(field[j * N + i], field[j * N + N - 1 - i], 1e-9);
  assert_true(field[(int)(0.35 * N) * N + (int)(0.2 * N)] > 1.2 * field[N * (N - 1)]);
  free(field);
}

static void every_number_of_ranks_gives_the_same_answer(void **state) {
  (void)state;
  const double x[10] = {0.3, 0.4, 250, 0.8, 0.1, 333, 0.51, 0.7, 120, 5};
  experiment e = heater();
  e.n_constraints = 1;
  e.constraint_names[0] = "peak_temperature";
  static const char *const resolutions[] = {"24", "65", "200"};
  for (size_t i = 0; i < sizeof resolutions / sizeof *resolutions; ++i) {
    set(&e, "resolution", resolutions[i]);
    e.comm = MPI_COMM_WORLD;
    outcome together = simulate(&e, 10, x);
    MPI_Bcast(&together.output.objective, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(together.c, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    e.comm = PETSC_COMM_SELF;
    const outcome alone = simulate(&e, 10, x);
    assert_near(together.output.objective / alone.output.objective, 1, 1e-10);
    assert_near(together.c[0] / alone.c[0], 1, 1e-10);
  }
}

static void the_known_answer_is_exactly_zero(void **state) {
  (void)state;
  double lower[10], upper[10], minimum = -1, best[10];
  experiment e = heater();
  assert_int_equal(e.type->box(10, lower, upper, &minimum, best), 0);
  assert_true(minimum == 0);
  assert_true(objective(&e, 10, best) == 0);
  assert_true(objective(&e, 9, best) == 0);
  assert_true(objective(&e, 3, best) == 0);
  assert_true(objective(&e, 0, best) == 0);
  for (int k = 0; k < 10; ++k) {
    double x[10];
    memcpy(x, best, sizeof x);
    x[k] += k == 9 ? 1 : 0.02 * (upper[k] - lower[k]);
    assert_true(objective(&e, 10, x) > 0.1);
  }
  assert_int_equal(e.type->box(11, lower, upper, &minimum, best), -1);
  assert_int_equal(e.type->box(2, lower, upper, &minimum, best), -1);
}

static void permuted_heaters_give_the_same_bits(void **state) {
  (void)state;
  experiment e = heater();
  const double x[9] = {0.3, 0.4, 250, 0.8, 0.1, 333, 0.51, 0.7, 120};
  static const int orders[5][3] = {{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const double value = objective(&e, 9, x);
  for (int p = 0; p < 5; ++p) {
    double permuted[9];
    for (int k = 0; k < 3; ++k) memcpy(permuted + 3 * k, x + 3 * orders[p][k], 3 * sizeof *x);
    assert_true(objective(&e, 9, permuted) == value);
  }
}

static void energy_and_fins_are_charged(void **state) {
  (void)state;
  experiment e = heater();
  const double x[10] = {0.3, 0.4, 250, 0.8, 0.1, 333, 0.51, 0.7, 120, 5};
  const double free_of_charge = objective(&e, 10, x);
  set(&e, "energy_weight", "0.01");
  set(&e, "fin_cost", "0.5");
  assert_near(objective(&e, 10, x), free_of_charge + 7.03 + 2.5, 1e-9);
}

static void variables_are_found_by_name_in_any_order(void **state) {
  (void)state;
  experiment e = heater();
  const double x[10] = {0.3, 0.4, 250, 0.8, 0.1, 333, 0.51, 0.7, 120, 5};
  const double value = objective(&e, 10, x);
  const char *backwards[10];
  double x_backwards[10];
  for (int k = 0; k < 10; ++k) {
    backwards[k] = names[9 - k];
    x_backwards[k] = x[9 - k];
  }
  e.names = backwards;
  assert_true(objective(&e, 10, x_backwards) == value);
}

/* The peak is that of the field, and rises by what the air is warmer. */
static void peak_temperature_is_the_highest_of_the_field(void **state) {
  (void)state;
  experiment e = heater();
  e.n_constraints = 1;
  e.constraint_names[0] = "peak_temperature";
  const double x[4] = {0.5, 0.5, 300, 0};
  const char *const some[4] = {"x1", "y1", "p1", "fins"};
  e.names = some;
  set(&e, "heaters", "1");
  set(&e, "resolution", "25");
  const gannet_plate plate = {25, 2, 10, 0.5, 1e-12};
  const gannet_heater_design design = {1, {{0.5, 0.5, 300}}, 0};
  double *field = solve_design(MPI_COMM_WORLD, &plate, &design);
  outcome o = simulate(&e, 4, x);
  assert_int_equal(o.code, 0);
  MPI_Bcast(o.c, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  assert_near(o.c[0], 20 + field[12 * 25 + 12], 1e-9);
  set(&e, "ambient", "-5");
  o = simulate(&e, 4, x);
  MPI_Bcast(o.c, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  assert_near(o.c[0], -5 + field[12 * 25 + 12], 1e-9);
  free(field);
}

static void assert_refused(const experiment *e, int d, const double *x, int cannot_run,
                           const char *part) {
  const outcome o = simulate(e, d, x);
  assert_int_equal(o.code != 0, !cannot_run);
  assert_int_equal(o.output.cannot_run != 0, cannot_run);
  if (!strstr(o.output.reason, part)) fail_msg("'%s' has no '%s'", o.output.reason, part);
}

/* What tools/fronts/plate.py found with a solver of its own: no design of one kilowatt has a lower
 * peak than 103.0092 degrees. Temperatures above the air are proportional to the power, so that the
 * front of power against peak is a straight line up to 2733 W, where heater 3 has 1 kW. */
static void the_least_peak_of_a_power_is_that_of_another_program(void **state) {
  (void)state;
  static const double best[9] = {0.7940987127252812,  0.7477564669779002,  311.29829374962014,
                                 0.20517500488814547, 0.7311303740111228,  322.8140302666814,
                                 0.5461995632685025,  0.24734729880343415, 365.8876759836984};
  experiment e = heater();
  e.n_settings = 0;
  set(&e, "resolution", "64");
  e.n_constraints = 2;
  e.constraint_names[0] = "peak_temperature", e.constraint_names[1] = "power";
  for (int kilowatts = 1; kilowatts <= 2; ++kilowatts) {
    double x[9];
    for (int k = 0; k < 9; ++k) x[k] = best[k] * (k % 3 == 2 ? kilowatts : 1);
    const outcome o = simulate(&e, 9, x);
    assert_int_equal(o.code, 0);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0) continue;
    assert_near(o.c[0], 20 + kilowatts * 83.0092001607623, 1e-6);
    assert_near(o.c[1], 1000 * kilowatts, 1e-9);
    assert_true(o.quantities[1].value == o.c[1]);
  }
}

static void designs_outside_the_physical_limits_cannot_run(void **state) {
  (void)state;
  static const struct {
    int k;
    double value;
    const char *part;
  } wrong[] = {{0, -0.01, "x1 = -0.01 m is off the plate"},
               {4, 1.5, "y2 = 1.5 m is off"},
               {8, -1, "p3 = -1 W: a heater cannot cool"},
               {8, INFINITY, "p3 = inf"},
               {3, NAN, "x2 = nan"},
               {9, 2.5, "fins = 2.5"},
               {9, 9, "fins = 9"},
               {9, -1, "fins = -1"},
               {2, 90000, "peak of"}};
  const experiment e = heater();
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    double x[10] = {0.3, 0.4, 250, 0.8, 0.1, 333, 0.51, 0.7, 120, 5};
    x[wrong[i].k] = wrong[i].value;
    assert_refused(&e, 10, x, 1, wrong[i].part);
  }
}

static void unknown_names_fail_with_the_known_ones(void **state) {
  (void)state;
  static const char *const wrong[] = {"x4", "x0", "x", "q1", "x1y", "x01", "fin", "x99999999999999",
                                      ""};
  const double x[1] = {0.5};
  experiment e = heater();
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    e.names = wrong + i;
    assert_refused(&e, 1, x, 0, "fins and x1 y1 p1 up to p3");
  }
  e.names = names;
  e.n_constraints = 1;
  e.constraint_names[0] = "peak";
  assert_refused(&e, 1, x, 0,
                 "no constraint 'peak'; there are peak_temperature, power and deviation");
}

/* PETSc hangs its own communicator on ours as long as one of its objects lives there; the library
 * exports the key, its public headers do not declare it. */
extern PetscMPIInt Petsc_InnerComm_keyval;

static void assert_no_object_is_left(MPI_Comm comm) {
  void *inner = NULL;
  int found = 1;
  assert_int_equal(MPI_Comm_get_attr(comm, Petsc_InnerComm_keyval, &inner, &found), MPI_SUCCESS);
  assert_false(found);
}

static void objects_are_freed_after_success_and_failure(void **state) {
  (void)state;
  const double x[1] = {0.5}, huge[3] = {0.5, 0.5, 1e300}; /* its square overflows in a norm */
  MPI_Comm comm;
  experiment e = heater();
  assert_int_equal(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
  e.comm = comm;
  static const char *const resolutions[] = {"24", "70"}; /* without and with multigrid */
  for (int i = 0; i < 2; ++i) {
    set(&e, "resolution", resolutions[i]);
    (void)objective(&e, 1, x);
    assert_no_object_is_left(comm);
    assert_refused(&e, 3, huge, 0, "conjugate gradients gave up");
    assert_no_object_is_left(comm);
  }
  assert_true(objective(&e, 1, x) > 0);
  MPI_Comm_free(&comm);
}

static void the_first_run_initialises_petsc(void **state) {
  (void)state;
  const double x[1] = {0.5};
  PetscBool initialised = PETSC_TRUE;
  experiment e = heater();
  e.comm = MPI_COMM_WORLD;
  assert_petsc(PetscInitialized(&initialised));
  assert_false(initialised);
  assert_true(isfinite(objective(&e, 1, x)));
  assert_petsc(PetscInitialized(&initialised));
  assert_true(initialised);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_run_initialises_petsc), /* before all others */
      cmocka_unit_test(error_against_the_closed_form_falls_with_the_square_of_the_cell),
      cmocka_unit_test(what_goes_in_comes_out),
      cmocka_unit_test(insulated_plate_far_from_heaters_takes_the_mean),
      cmocka_unit_test(mirrored_heaters_make_a_mirrored_field),
      cmocka_unit_test(every_number_of_ranks_gives_the_same_answer),
      cmocka_unit_test(the_known_answer_is_exactly_zero),
      cmocka_unit_test(permuted_heaters_give_the_same_bits),
      cmocka_unit_test(energy_and_fins_are_charged),
      cmocka_unit_test(variables_are_found_by_name_in_any_order),
      cmocka_unit_test(peak_temperature_is_the_highest_of_the_field),
      cmocka_unit_test(the_least_peak_of_a_power_is_that_of_another_program),
      cmocka_unit_test(designs_outside_the_physical_limits_cannot_run),
      cmocka_unit_test(unknown_names_fail_with_the_known_ones),
      cmocka_unit_test(objects_are_freed_after_success_and_failure),
  };
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
