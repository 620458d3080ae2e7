/* test: ranks 1 2 3 labels unit conform */
#include "conform_evaluator.h"

#include "evaluate/in_process/in_process.h"

typedef struct {
  gannet_context *context;
  gannet_problem *problem;
  char directory[256];
  gannet_evaluator_setup setup;
  char lines[4096]; /* of the log */
} fixture;

/* The built-in simulation, with misbehaviour on demand. */

typedef struct {
  int mode;
} bowl_options;

enum { WELL, BAD_LUCK, NOT_A_NUMBER, SILENT, NO_CONSTRAINT, MUTE_FAILURE, LITTERING };
static const char *const modes[] = {"well",          "bad-luck",     "nan",       "silent",
                                    "no-constraint", "mute-failure", "littering", NULL};

static const gannet_option bowl_table[] = {{.key = "mode",
                                            .type = GANNET_CHOICE,
                                            .offset = offsetof(bowl_options, mode),
                                            .fallback = "well",
                                            .choices = modes,
                                            .help = "misbehaviour"},
                                           {0}};

/* The highest rank sends the objective, another one in every attempt; rank 0 receives it, unless
 * it fails before, in the first attempt at evaluation 0. */
static int litter(const gannet_simulation_input *input, int rank, int size,
                  gannet_simulation_output *output) {
  const double value = (double)(10 * input->id + input->attempt);
  if (rank == size - 1) MPI_Send(&value, 1, MPI_DOUBLE, 0, 7, input->comm);
  if (rank > 0) return 0;
  if (input->attempt == 1 && input->id == 0) return 1;
  MPI_Recv(&output->objective, 1, MPI_DOUBLE, size - 1, 7, input->comm, MPI_STATUS_IGNORE);
  output->constraints[0] = 0;
  return 0;
}

/* The highest rank of the group has the bad luck. */
static int bowl_run(const void *options, const gannet_simulation_input *input,
                    gannet_simulation_output *output, gannet_quantity *quantities) {
  const int mode = ((const bowl_options *)options)->mode;
  int rank = 0, size = 0, ranks = 0;
  const int one = 1;
  MPI_Comm_rank(input->comm, &rank);
  MPI_Comm_size(input->comm, &size);
  MPI_Allreduce(&one, &ranks, 1, MPI_INT, MPI_SUM, input->comm);
  if (input->abi != GANNET_SIMULATION_ABI || ranks != size) return 1;
  if (mode == LITTERING) return litter(input, rank, size, output);
  if (mode == BAD_LUCK && rank == size - 1) {
    (void)snprintf(output->reason, sizeof output->reason, "node is\nburning");
    return 3;
  }
  if (mode == MUTE_FAILURE) return -1;
  if (rank != 0 || mode == SILENT) return 0;
  const double *x = input->x;
  if (strcmp(input->texts[3], "none") == 0) {
    output->cannot_run = 1;
    (void)snprintf(output->reason, sizeof output->reason, "no solver");
    return 0;
  }
  output->objective = mode == NOT_A_NUMBER ? NAN : conform_bowl(x[0], x[1], x[2], x[3]);
  if (mode != NO_CONSTRAINT) output->constraints[0] = conform_stress(x[0], x[1]);
  quantities[0] = (gannet_quantity){.name = "mass", .value = 3 * x[1], .sd = 0.5};
  output->n_quantities = x[2] == 1;
  output->quantities = quantities;
  return 0;
}

static const char *const bowl_constraints[] = {"stress"};
static const gannet_simulation_type bowl = {.name = "bowl",
                                            .summary = "a bowl",
                                            .options = bowl_table,
                                            .options_size = sizeof(bowl_options),
                                            .run = bowl_run,
                                            .n_constraints = 1,
                                            .constraints = bowl_constraints,
                                            .fixed_d = CONFORM_VARIABLES};
static const gannet_simulation_type *const simulations[] = {&bowl, NULL};

static const char plugin_source[] =
    "#include <stdio.h>\n#include <string.h>\n#include <gannet/simulation.h>\n"
    "GANNET_API int gannet_simulate(const gannet_simulation_input *in,"
    " gannet_simulation_output *out) {\n"
    "  const double *x = in->x;\n"
    "  if (strcmp(in->names[3], \"solver\") || in->n_settings != 1 ||"
    " strcmp(in->settings[0], \"depth=3\") || strcmp(in->constraint_names[0], \"stress\"))"
    " return 1;\n"
    "  if (!strcmp(in->texts[3], \"none\")) {\n"
    "    out->cannot_run = 1; strcpy(out->reason, \"no solver\"); return 0; }\n"
    "  out->objective = x[0] * x[0] + 0.25 * x[1] + 2 * x[2] + 4 * x[3];\n"
    "  out->constraints[0] = x[1] - x[0];\n"
    "  static gannet_quantity mass = {.name = \"mass\", .sd = 0.5};\n"
    "  mass.value = 3 * x[1]; out->n_quantities = x[2] == 1; out->quantities = &mass;\n"
    "  return 0;\n}\n";

static void keep_line(void *user, gannet_log_level level, int rank, const char *line) {
  fixture *f = user;
  (void)level;
  (void)rank;
  const size_t used = strlen(f->lines);
  (void)snprintf(f->lines + used, sizeof f->lines - used, "%s\n", line);
}

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 1, &f->context));
  gannet_context_set_log(f->context, GANNET_LOG_INFO, keep_line, f);
  f->problem = conform_problem();
  conform_directory(f->directory, sizeof f->directory);
  f->setup = conform_setup(f->context, f->problem, f->directory);
  f->setup.simulations = simulations;
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  char command[400];
  (void)snprintf(command, sizeof command, "rm -r '%s'", f->directory);
  conform_shell(command);
  gannet_problem_destroy(&f->problem);
  gannet_context_destroy(&f->context);
  free(f);
  return 0;
}

static gannet_in_process_options *chosen(const char *target, int ranks, const char *setting) {
  static char text[80], name[300];
  static char *items[1] = {text};
  static gannet_in_process_options options;
  (void)snprintf(name, sizeof name, "%s", target);
  (void)snprintf(text, sizeof text, "%s", setting ? setting : "");
  options = (gannet_in_process_options){name, ranks, {setting ? 1 : 0, items}};
  return &options;
}

static const gannet_evaluator_type *type_of(const char *name) {
  const gannet_evaluator_type *type = NULL;
  assert_ok(gannet_evaluator_find(name, &type));
  return type;
}

static void built_in_simulations_conform(void **state) {
  fixture *f = *state;
  for (int ranks = 1; ranks <= f->context->np; ++ranks)
    conform_evaluator(type_of("function"), chosen("bowl", ranks, NULL), &f->setup);
}

static void plugins_conform(void **state) {
  fixture *f = *state;
  char path[400], command[2000], include[1000];
  (void)snprintf(include, sizeof include, "%s", __FILE__);
  *strstr(include, "tests/evaluate/") = '\0';
  (void)snprintf(path, sizeof path, "%s/bowl.c", f->directory);
  if (f->context->rank == 0) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(plugin_source, file);
    (void)fclose(file);
  }
  (void)snprintf(command, sizeof command,
                 "mpicc -ffp-contract=off -fPIC -shared -I'%sinclude' -o '%s/bowl.so' '%s'",
                 include, f->directory, path);
  conform_shell(command);
  conform_evaluator(type_of("plugin"), chosen("bowl.so", 1, "depth=3"), &f->setup);
}

static void plugins_that_cannot_be_loaded_are_refused(void **state) {
  fixture *f = *state;
  char command[1000];
  gannet_evaluator *evaluator = NULL;
  assert_fails(GANNET_ERR_INPUT, "none.so",
               gannet_evaluator_create(type_of("plugin"), chosen("none.so", 1, NULL), &f->setup,
                                       &evaluator));
  (void)snprintf(
      command, sizeof command,
      "cd '%s' && echo 'int other(void) {return 0;}' >o.c && cc -fPIC -shared -o o.so o.c",
      f->directory);
  conform_shell(command);
  assert_fails(
      GANNET_ERR_INPUT, "does not export gannet_simulate",
      gannet_evaluator_create(type_of("plugin"), chosen("o.so", 1, NULL), &f->setup, &evaluator));
}

/* One evaluation with a mode; its result is checked to be the same on all ranks. */
static gannet_result_record run_mode(fixture *f, const char *mode, int ranks, double *constraint) {
  double x[CONFORM_VARIABLES];
  char setting[64];
  gannet_evaluator *evaluator = NULL;
  gannet_result_record result = {.constraints = constraint};
  int n = 0;
  (void)snprintf(setting, sizeof setting, "mode=%s", mode);
  conform_point(3, x);
  const gannet_request request = conform_request(3, x);
  assert_ok(gannet_evaluator_create(type_of("function"), chosen("bowl", ranks, setting), &f->setup,
                                    &evaluator));
  assert_ok(gannet_evaluator_submit(evaluator, 1, &request));
  assert_ok(gannet_evaluator_poll(evaluator, 0, 1, &n, &result));
  assert_int_equal(n, 1);
  gannet_evaluator_destroy(&evaluator);
  assert_ok(gannet_same(MPI_COMM_WORLD, &result.run, sizeof result.run, "run"));
  assert_int_equal(result.status, GANNET_EVAL_FAILED);
  assert_true(isnan(result.objective) && isnan(*constraint));
  return result;
}

/* Complaints: rsopt #74. */
static void one_bad_rank_fails_the_evaluation_by_bad_luck(void **state) {
  fixture *f = *state;
  char expected[100];
  double c = 0;
  for (int ranks = 1; ranks <= f->context->np; ++ranks) {
    const gannet_result_record result = run_mode(f, "bad-luck", ranks, &c);
    (void)snprintf(expected, sizeof expected, "rank %d of the simulation failed: node is burning",
                   ranks - 1);
    assert_string_equal(result.run.reason, expected);
    assert_true(result.retry);
  }
  assert_non_null(strstr(run_mode(f, "mute-failure", 1, &c).run.reason, "gave no reason"));
}

/* A message that was sent and not received must not reach the next evaluation, nor a retry. */
static void what_a_failed_run_sent_reaches_nobody(void **state) {
  enum { RUNS = 8 };
  fixture *f = *state;
  double x[CONFORM_VARIABLES];
  gannet_evaluator *evaluator = NULL;
  if (f->context->np < 2) return;
  conform_point(0, x);
  assert_ok(gannet_evaluator_create(type_of("function"), chosen("bowl", 2, "mode=littering"),
                                    &f->setup, &evaluator));
  for (int i = 0; i < RUNS; ++i) {
    double c = 0;
    gannet_result_record result = {.constraints = &c};
    gannet_request request = conform_request(0, x);
    int n = 0;
    request.id = i / 4; /* 0 0 0 0 1 1 1 1, of which the first fails */
    request.attempt = 1 + i % 4;
    assert_ok(gannet_evaluator_submit(evaluator, 1, &request));
    assert_ok(gannet_evaluator_poll(evaluator, 0, 1, &n, &result));
    assert_int_equal(n, 1);
    assert_int_equal(result.status, i == 0 ? GANNET_EVAL_FAILED : GANNET_EVAL_DONE);
    if (i > 0) assert_true(result.objective == (double)(10 * request.id + request.attempt));
  }
  gannet_evaluator_destroy(&evaluator);
}

static void numbers_that_are_none_fail_with_their_name(void **state) {
  fixture *f = *state;
  double c = 0;
  gannet_result_record result = run_mode(f, "nan", 1, &c);
  assert_non_null(strstr(result.run.reason, "objective is nan"));
  assert_false(result.retry);
  assert_non_null(strstr(run_mode(f, "silent", 1, &c).run.reason, "objective is nan"));
  result = run_mode(f, "no-constraint", 1, &c);
  assert_non_null(strstr(result.run.reason, "constraint 'stress' is nan"));
}

static void wrong_settings_are_refused_all_at_once(void **state) {
  fixture *f = *state;
  gannet_complaints complaints = {0};
  const gannet_in_process_options *options = chosen("bowl", f->context->np + 1, "mood=well");
  assert_ok(gannet_evaluator_check(type_of("function"), options, &f->setup, &complaints));
  assert_int_equal(complaints.count, 2);
  assert_non_null(strstr(complaints.text, "start more with mpirun -n"));
  assert_non_null(strstr(complaints.text, "did you mean 'mode'"));
  gannet_complaints_release(&complaints);
  gannet_evaluator *evaluator = NULL;
  assert_fails(GANNET_ERR_INPUT, "did you mean 'bowl'",
               gannet_evaluator_create(type_of("function"), chosen("bwol", 1, "mode"), &f->setup,
                                       &evaluator));
  assert_fails(GANNET_ERR_INPUT, "not of the form key=value",
               gannet_evaluator_create(type_of("function"), chosen("bowl", 1, "mode"), &f->setup,
                                       &evaluator));
  assert_null(evaluator);
}

static void a_time_limit_is_warned_about(void **state) {
  fixture *f = *state;
  gannet_complaints complaints = {0};
  gannet_evaluator_setup setup = f->setup;
  f->lines[0] = '\0';
  setup.time_limit = 60;
  assert_ok(
      gannet_evaluator_check(type_of("function"), chosen("bowl", 1, NULL), &setup, &complaints));
  assert_int_equal(complaints.count, 0);
  if (f->context->rank == 0) assert_non_null(strstr(f->lines, "time_limit: it cannot interrupt"));
}

static void the_manual_back_end_says_what_to_do(void **state) {
  fixture *f = *state;
  double x[CONFORM_VARIABLES];
  conform_point(0, x);
  const gannet_request request = conform_request(0, x);
  gannet_evaluator *evaluator = NULL;
  bool taken = true;
  assert_ok(gannet_evaluator_create(type_of("manual"), NULL, &f->setup, &evaluator));
  assert_fails(GANNET_ERR_STATE, "use gannet ask / gannet tell",
               gannet_evaluator_submit(evaluator, 1, &request));
  assert_ok(gannet_evaluator_recover(evaluator, &request, &taken));
  assert_false(taken);
  gannet_evaluator_destroy(&evaluator);
  const gannet_evaluator_type *type = NULL;
  assert_fails(GANNET_ERR_NAME, "did you mean 'manual'", gannet_evaluator_find("manuel", &type));
}

/* Before a back-end sees them, and on all ranks alike. */
static void arguments_out_of_range_are_refused(void **state) {
  fixture *f = *state;
  const gannet_evaluator_type *type = type_of("function");
  const gannet_in_process_options *options = chosen("bowl", 1, NULL);
  gannet_evaluator *evaluator = NULL;
  gannet_evaluator_setup setup = f->setup;
  bool submitted = false;
  int n = -1;
  setup.parallel = 0;
  assert_fails(GANNET_ERR_ARG, "parallel = 0",
               gannet_evaluator_create(type, options, &setup, &evaluator));
  setup = f->setup;
  setup.time_limit = NAN;
  assert_fails(GANNET_ERR_ARG, "time_limit = nan",
               gannet_evaluator_create(type, options, &setup, &evaluator));
  setup = f->setup;
  setup.problem = NULL;
  assert_fails(GANNET_ERR_ARG, "no problem",
               gannet_evaluator_create(type, options, &setup, &evaluator));
  setup.context = NULL;
  assert_fails(GANNET_ERR_ARG, "no context",
               gannet_evaluator_create(type, options, &setup, &evaluator));
  assert_null(evaluator);
  assert_ok(gannet_evaluator_create(type, options, &f->setup, &evaluator));
  assert_fails(GANNET_ERR_ARG, "n = -1", gannet_evaluator_submit(evaluator, -1, NULL));
  assert_fails(GANNET_ERR_ARG, "capacity = 0", gannet_evaluator_poll(evaluator, 1, 0, &n, NULL));
  assert_fails(GANNET_ERR_ARG, "wait = -1 s", gannet_evaluator_poll(evaluator, -1, 1, &n, NULL));
  assert_int_equal(n, 0);
  assert_false(gannet_evaluator_can_detach(evaluator));
  assert_fails(GANNET_ERR_STATE, "back-end function cannot be left",
               gannet_evaluator_all_submitted(evaluator, &submitted));
  assert_fails(GANNET_ERR_STATE, "back-end function cannot be left",
               gannet_evaluator_detach(evaluator, NULL));
  gannet_evaluator_destroy(&evaluator);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(built_in_simulations_conform),
      cmocka_unit_test(plugins_conform),
      cmocka_unit_test(plugins_that_cannot_be_loaded_are_refused),
      cmocka_unit_test(one_bad_rank_fails_the_evaluation_by_bad_luck),
      cmocka_unit_test(what_a_failed_run_sent_reaches_nobody),
      cmocka_unit_test(numbers_that_are_none_fail_with_their_name),
      cmocka_unit_test(wrong_settings_are_refused_all_at_once),
      cmocka_unit_test(a_time_limit_is_warned_about),
      cmocka_unit_test(the_manual_back_end_says_what_to_do),
      cmocka_unit_test(arguments_out_of_range_are_refused),
  };
  const int failed = run_ranks_(cmocka_run_group_tests(tests, set_up, tear_down));
  MPI_Finalize();
  return failed;
}
