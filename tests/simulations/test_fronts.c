/* test: ranks 1 labels conform */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "simulations/simulate.h"

#include "base/random.h"

enum { MOST_VALUES = 32 };

static const char *const c_names[16] = {"c1", "c2",  "c3",  "c4",  "c5",  "c6",  "c7",  "c8",
                                        "c9", "c10", "c11", "c12", "c13", "c14", "c15", "c16"};

/* A problem with m objectives; of a family their number is a setting. */
static experiment prepare_several(const char *name, int m, char text[16]) {
  experiment e = prepare(name);
  assert_non_null(e.type->front);
  (void)snprintf(text, 16, "%d", m);
  if (gannet_option_find(e.type->options, "objectives")) set(&e, "objectives", text);
  e.n_constraints = e.type->n_constraints;
  for (int i = 0; i < e.n_constraints; ++i) e.constraint_names[i] = c_names[i];
  return e;
}

static int read_numbers(const char *text, double *to) {
  int n = 0;
  for (char *end = NULL; *text && *text != '\n'; text = end) {
    to[n] = strtod(text, &end);
    if (end == text) break;
    assert_true(++n < MOST_VALUES);
  }
  return n;
}

static void expect_near(const char *name, const char *what, int i, double found, double expected) {
  if (!(fabs(found - expected) <= 1e-11 * (1 + fabs(expected))))
    fail_msg("%s: %s%d = %.17g, expected %.17g", name, what, i + 1, found, expected);
}

/* One line "simulation objectives; x; f; c". */
static void check_line(char *line, char *name, size_t size) {
  double x[MOST_VALUES], f[MOST_VALUES], c[MOST_VALUES];
  char *part[4] = {line}, text[16];
  for (int i = 1; i < 4; ++i) {
    part[i] = strchr(part[i - 1], ';');
    assert_non_null(part[i]);
    *part[i]++ = '\0';
  }
  char *space = strchr(line, ' ');
  *space = '\0';
  (void)snprintf(name, size, "%.30s", line);
  const int d = read_numbers(part[1], x), m = read_numbers(part[2], f);
  assert_int_equal(m, atoi(space + 1));
  const experiment e = prepare_several(name, m, text);
  assert_int_equal(read_numbers(part[3], c), e.n_constraints);
  const outcome o = simulate(&e, d, x);
  if (o.code || o.output.cannot_run) fail_msg("%s: %s", name, o.output.reason);
  assert_int_equal(o.output.n_quantities, m);
  for (int i = 0; i < m; ++i) expect_near(name, "f", i, o.quantities[i].value, f[i]);
  for (int i = 0; i < e.n_constraints; ++i) expect_near(name, "c", i, o.c[i], c[i]);
}

/* tools/reference-fronts has computed them from the papers. */
static void values_equal_those_of_another_program(void **state) {
  (void)state;
  static char line[4096], seen[200][40];
  int n = 0;
  FILE *file = fopen(GANNET_FRONT_VALUES, "r");
  assert_non_null(file);
  while (fgets(line, sizeof line, file)) {
    assert_true(n < 200);
    check_line(line, seen[n], sizeof seen[n]);
    n += n == 0 || strcmp(seen[n], seen[n - 1]) != 0;
  }
  (void)fclose(file);
  for (int i = 0; gannet_simulations[i]; ++i) {
    bool found = !gannet_simulations[i]->front;
    for (int k = 0; k < n; ++k) found = found || strcmp(seen[k], gannet_simulations[i]->name) == 0;
    if (!found) fail_msg("%s has no values", gannet_simulations[i]->name);
  }
}

static double true_volume(const char *name, int m, const char *reference) {
  char text[16], shown[200] = "";
  double at[8] = {0}, volume = 0;
  const experiment e = prepare_several(name, m, text);
  void *options = make_options(&e);
  assert_int_equal(e.type->front(options, at, &volume), m);
  gannet_options_release(e.type->options, options, e.type->options_size);
  free(options);
  for (int i = 0; i < m; ++i)
    (void)snprintf(shown + strlen(shown), sizeof shown - strlen(shown), "%s%.10g", i ? " " : "",
                   at[i]);
  assert_string_equal(shown, reference);
  return volume;
}

/* By formula; those that were published as approximations are reached or exceeded. */
static void volumes_of_true_fronts_are_known(void **state) {
  (void)state;
  const double pi = 3.14159265358979323846;
  assert_near(true_volume("zdt1", 2, "11 11"), 120 + 2.0 / 3, 1e-9);
  assert_near(true_volume("zdt2", 2, "11 11"), 120 + 1.0 / 3, 1e-9);
  assert_near(true_volume("zdt3", 2, "11 11"), 128.77811613069076, 1e-9);
  assert_near(true_volume("zdt4", 2, "11 11"), 120 + 2.0 / 3, 1e-9);
  assert_near(true_volume("dtlz1", 2, "400 400"), 160000 - 0.125, 1e-9);
  assert_near(true_volume("dtlz2", 2, "1.1 1.1"), 1.21 - pi / 4, 1e-9);
  assert_near(true_volume("dtlz2", 3, "1.1 1.1 1.1"), 1.331 - pi / 6, 1e-9);
  assert_near(true_volume("dtlz2", 4, "1.1 1.1 1.1 1.1"), 1.4641 - pi * pi / 32, 1e-9);
  assert_near(true_volume("dtlz2", 5, "1.1 1.1 1.1 1.1 1.1"), 1.61051 - pi * pi / 60, 1e-9);
  assert_near(true_volume("wfg4", 2, "2.2 4.4"), 8 * (1.21 - pi / 4), 1e-9);
  assert_near(true_volume("wfg9", 3, "2.2 4.4 6.6"), 48 * (1.331 - pi / 6), 1e-9);
  assert_true(true_volume("c2-dtlz2", 2, "1.1 1.1") > 0.39964063);
}

/* One row simulation,objectives,reference,hypervolume,... of what tools/reference-fronts computed.
 */
static void check_row(char *row, int *searched) {
  char *field[5] = {row}, text[16];
  double at[8] = {0}, expected[MOST_VALUES], volume = NAN;
  for (int i = 1; i < 5; ++i) {
    field[i] = strchr(field[i - 1], ',');
    assert_non_null(field[i]);
    *field[i]++ = '\0';
  }
  const int m = atoi(field[1]);
  const experiment e = prepare_several(field[0], m, text);
  void *options = make_options(&e);
  assert_int_equal(e.type->front(options, at, &volume), m);
  gannet_options_release(e.type->options, options, e.type->options_size);
  free(options);
  assert_int_equal(read_numbers(field[2], expected), m);
  for (int i = 0; i < m; ++i) expect_near(field[0], "reference ", i, at[i], expected[i]);
  expect_near(field[0], "hypervolume ", m, volume, strtod(field[3], NULL));
  *searched += strstr(field[4], "search") != NULL;
}

/* Published: 59.36012, 608.40042 and 246.81607 by points that are less dense, C2-DTLZ2 0.39964. */
static void volumes_equal_those_of_another_program(void **state) {
  (void)state;
  char row[1024];
  int n = 0, searched = 0;
  FILE *file = fopen(GANNET_FRONT_VOLUMES, "r");
  assert_non_null(file);
  assert_non_null(fgets(row, sizeof row, file));
  for (; fgets(row, sizeof row, file); ++n) check_row(row, &searched);
  (void)fclose(file);
  assert_true(n > 50 && searched > 10);
  assert_true(true_volume("branin-currin", 2, "18 6") > 59.36012);
  assert_true(true_volume("branin-currin-disk", 2, "80 12") > 608.40043);
  assert_true(true_volume("vehicle-safety", 3, "1864.72022 11.81993945 0.2903999384") > 246.81608);
}

static void objectives_have_names_and_may_be_bounded(void **state) {
  (void)state;
  experiment e = prepare("vehicle-safety");
  const double x[5] = {1, 2, 3, 1, 2};
  e.n_constraints = 2;
  e.constraint_names[0] = "intrusion", e.constraint_names[1] = "mass";
  const outcome o = simulate(&e, 5, x);
  assert_int_equal(o.code, 0);
  assert_int_equal(o.output.n_quantities, 3);
  assert_true(isnan(o.output.objective));
  assert_string_equal(o.quantities[0].name, "mass");
  assert_string_equal(o.quantities[1].name, "acceleration");
  assert_string_equal(o.quantities[2].name, "intrusion");
  assert_true(o.c[0] == o.quantities[2].value && o.c[1] == o.quantities[0].value);
}

static void expect_failure(const experiment *e, int d, const char *part) {
  const double x[8] = {0};
  const outcome o = simulate(e, d, x);
  assert_int_not_equal(o.code, 0);
  if (!strstr(o.output.reason, part)) fail_msg("'%s' has no '%s'", o.output.reason, part);
}

static void too_few_variables_and_wrong_names_fail_with_a_reason(void **state) {
  (void)state;
  char text[16];
  experiment e = prepare("zdt1");
  expect_failure(&e, 1, "zdt1 does not exist in 1 dimensions");
  e = prepare_several("dtlz2", 4, text);
  expect_failure(&e, 4, "dtlz2 does not exist in 4 dimensions");
  e.n_constraints = 1;
  e.constraint_names[0] = "f5";
  expect_failure(&e, 6, "no constraint 'f5': dtlz2 has none");
  e = prepare("c2-dtlz2");
  e.n_constraints = 1;
  e.constraint_names[0] = "c2";
  expect_failure(&e, 6, "those of c2-dtlz2 are c1 to c1");
}

/* 1000 seeds: 5 standard errors of a standard deviation are 11 %. f1 of zdt1 is uniform. */
static void noise_is_a_share_of_the_spread_of_each_objective(void **state) {
  (void)state;
  experiment e = prepare("zdt1");
  double squares[2] = {0}, product = 0;
  const double x[3] = {0.5, 0.5, 0.5};
  const outcome exact = simulate(&e, 3, x);
  set(&e, "noise", "0.1");
  for (e.seed = 0; e.seed < 1000; ++e.seed) {
    const outcome o = simulate(&e, 3, x);
    const double one = o.quantities[0].value - exact.quantities[0].value;
    const double two = o.quantities[1].value - exact.quantities[1].value;
    squares[0] += one * one, squares[1] += two * two, product += one * two;
  }
  const double first = sqrt(squares[0] / 1000), second = sqrt(squares[1] / 1000);
  assert_near(first, 0.1 * sqrt(1 / 12.0), 0.003);
  assert_true(second > 2 * first);
  assert_near(product / 1000 / (first * second), 0, 0.16);
  set(&e, "noise", "0");
  set(&e, "noise_sd", "2");
  squares[0] = 0;
  for (e.seed = 0; e.seed < 1000; ++e.seed)
    squares[0] += pow(simulate(&e, 3, x).quantities[1].value - exact.quantities[1].value, 2);
  assert_near(sqrt(squares[0] / 1000), 2, 0.22);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_equal_those_of_another_program),
      cmocka_unit_test(volumes_of_true_fronts_are_known),
      cmocka_unit_test(volumes_equal_those_of_another_program),
      cmocka_unit_test(objectives_have_names_and_may_be_bounded),
      cmocka_unit_test(too_few_variables_and_wrong_names_fail_with_a_reason),
      cmocka_unit_test(noise_is_a_share_of_the_spread_of_each_objective),
  };
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
