/* test: serial labels unit */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "simulations/simulate.h"

#include "base/file.h"
#include "base/memory.h"

/* Everything is started before this program initialises MPI, since a launcher refuses to start
 * inside a job; the tests look at what was left behind. */
typedef struct {
  const char *label, *params, *arguments;
  int launcher_ranks; /* 0 = alone */
  int by_environment;
} run;

static const char *const design =
    "x1 0.29999999999999999\ny1 0.40000000000000002\n"
    "  p1\t250 \r\n\nx2 0.8\ny2 0.1\np2 333\nfins 5";

enum {
  ALONE,
  ENVIRONMENT,
  LAUNCHED,
  CANNOT_RUN,
  UNKNOWN,
  GARBAGE,
  WIDE,
  OPTION,
  RANGE,
  DANGLING,
  MISSING,
  RUNS
};

static const run runs[RUNS] = {
    [ALONE] = {"alone", design, "--resolution 40", 0, 0},
    [ENVIRONMENT] = {"environment", design, "--resolution 40", 0, 1},
    [LAUNCHED] = {"launched", design, "--resolution 40", 2, 0},
    [CANNOT_RUN] = {"cannot-run", "x1 1.5\n", "", 0, 0},
    [UNKNOWN] = {"unknown", "x7 0.5\n", "", 0, 0},
    [GARBAGE] = {"garbage", "x1 0.5abc\n", "", 0, 0},
    [WIDE] = {"wide", "x1 0.5 0.6\n", "", 0, 0},
    [OPTION] = {"option", design, "--resolutoin 40", 0, 0},
    [RANGE] = {"range", design, "--resolution 1", 0, 0},
    [DANGLING] = {"dangling", design, "--resolution", 0, 0},
    [MISSING] = {"missing", NULL, "", 0, 0},
};

static char directory[] = "/tmp/gannet-heater-XXXXXX";
static int codes[RUNS];

static void path_of(const char *label, const char *ending, char path[256]) {
  (void)snprintf(path, 256, "%s/%s.%s", directory, label, ending);
}

static void start(int index) {
  const run *r = &runs[index];
  char params[256], results[256], errors[256], command[2048], launcher[512] = "";
  path_of(r->label, "in", params);
  path_of(r->label, "out", results);
  path_of(r->label, "err", errors);
  if (r->params && gannet_file_replace(params, r->params, strlen(r->params)) != GANNET_OK) exit(1);
  if (r->launcher_ranks)
    (void)snprintf(launcher, sizeof launcher, "'%s' %d ", GANNET_MPIRUN, r->launcher_ranks);
  if (r->by_environment)
    (void)snprintf(command, sizeof command, "GANNET_PARAMS=%s GANNET_RESULTS=%s %s'%s' %s 2>%s",
                   params, results, launcher, GANNET_HEATER, r->arguments, errors);
  else
    (void)snprintf(command, sizeof command, "%s'%s' %s %s %s 2>%s", launcher, GANNET_HEATER, params,
                   results, r->arguments, errors);
  codes[index] = system(command);
}

static void assert_file_has(int index, const char *ending, const char *part) {
  char path[256], *text = NULL;
  path_of(runs[index].label, ending, path);
  assert_ok(gannet_file_read(path, &text, NULL));
  if (!strstr(text, part)) fail_msg("%s: '%s' has no '%s'", path, text, part);
  gannet_free(&text);
}

enum { NUMBERS = 4 }; /* objective, peak temperature, power and deviation */

static void read_results(int index, double numbers[NUMBERS]) {
  char path[256], *text = NULL, extra;
  if (codes[index]) assert_file_has(index, "err", "the run went well");
  path_of(runs[index].label, "out", path);
  assert_ok(gannet_file_read(path, &text, NULL));
  assert_int_equal(sscanf(text, "objective %lf\npeak_temperature %lf\npower %lf\ndeviation %lf\n%c",
                          &numbers[0], &numbers[1], &numbers[2], &numbers[3], &extra),
                   NUMBERS);
  gannet_free(&text);
}

static void simulate_here(double numbers[NUMBERS]) {
  static const char *const names[] = {"x1", "y1", "p1", "x2", "y2", "p2", "fins"};
  experiment e = prepare("heater");
  e.names = names;
  e.n_constraints = 3;
  e.constraint_names[0] = "peak_temperature";
  e.constraint_names[1] = "power";
  e.constraint_names[2] = "deviation";
  set(&e, "resolution", "40");
  const outcome o = simulate(&e, 7, (double[]){0.3, 0.4, 250, 0.8, 0.1, 333, 5});
  assert_int_equal(o.code, 0);
  numbers[0] = o.output.objective;
  memcpy(numbers + 1, o.c, 3 * sizeof *numbers);
  assert_true(numbers[2] == 250 + 333 + 500);
}

static void the_program_gives_the_same_bits_as_the_function(void **state) {
  (void)state;
  double here[NUMBERS], there[NUMBERS];
  simulate_here(here);
  read_results(ALONE, there);
  assert_memory_equal(here, there, sizeof here);
  read_results(ENVIRONMENT, there);
  assert_memory_equal(here, there, sizeof here);
}

static void the_launched_program_agrees_to_solver_tolerance(void **state) {
  (void)state;
  double here[NUMBERS], there[NUMBERS];
  simulate_here(here);
  read_results(LAUNCHED, there);
  for (int i = 0; i < NUMBERS; ++i) assert_near(there[i] / here[i], 1, 1e-10);
}

static void a_design_that_cannot_run_is_a_result(void **state) {
  (void)state;
  assert_int_equal(codes[CANNOT_RUN], 0);
  assert_file_has(CANNOT_RUN, "out", "fail x1 = 1.5 m is off the plate\n");
}

static void expect_refusal(int index, int code, const char *part) {
  char path[256];
  struct stat status;
  assert_int_equal(codes[index], code * 256);
  path_of(runs[index].label, "out", path);
  assert_int_equal(stat(path, &status), -1);
  assert_file_has(index, "err", part);
}

static void bad_input_leaves_no_results_and_says_why(void **state) {
  (void)state;
  expect_refusal(UNKNOWN, 1, "no variable 'x7'");
  expect_refusal(GARBAGE, 2, "x1: '0.5abc' is not a number");
  expect_refusal(WIDE, 2, "expected a name and a value");
  expect_refusal(OPTION, 2, "resolution");
  expect_refusal(RANGE, 2, "resolution");
  expect_refusal(DANGLING, 2, "expected --OPTION VALUE");
  expect_refusal(MISSING, 2, "missing.in");
}

int main(int argc, char **argv) {
  char command[256];
  if (!mkdtemp(directory)) return 1;
  for (int i = 0; i < RUNS; ++i) start(i);
  MPI_Init(&argc, &argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_program_gives_the_same_bits_as_the_function),
      cmocka_unit_test(the_launched_program_agrees_to_solver_tolerance),
      cmocka_unit_test(a_design_that_cannot_run_is_a_result),
      cmocka_unit_test(bad_input_leaves_no_results_and_says_why),
  };
  const int failed = run_serial(tests);
  MPI_Finalize();
  (void)snprintf(command, sizeof command, "rm -r %s", directory);
  if (system(command)) return 1;
  return failed;
}
