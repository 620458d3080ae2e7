/* test: serial labels unit */
#include <limits.h>

#include "support/harness.h"

#include "evaluate/command/command.h"

#include "conform_evaluator.h"
#include "processes.h"

/* Options own their texts, so their type is not const. */
#define TEXT(literal) ((char *)(uintptr_t)(literal))

typedef struct {
  gannet_problem *problem;
  char directory[256];
} fixture;

static int set_up(void **state) {
  static fixture f;
  (void)snprintf(f.directory, sizeof f.directory, "/tmp/gannet check XXXXXX");
  assert_non_null(mkdtemp(f.directory));
  f.problem = conform_problem();
  *state = &f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  assert_int_equal(remove_tree(f->directory), 0);
  gannet_problem_destroy(&f->problem);
  return 0;
}

static void wrong_options_are_complained_about_all_at_once(void **state) {
  fixture *f = *state;
  char *command[] = {TEXT("./missing"), TEXT("{parms}")};
  char *templates[] = {TEXT("none.in"), TEXT("params.in")};
  char *pattern[] = {TEXT("objective=("), TEXT("strain=x"), TEXT("x")};
  char *environment[] = {TEXT("=1")};
  gannet_command_options options = {.command = {2, command},
                                    .templates = {2, templates},
                                    .pattern = {3, pattern},
                                    .environment = {1, environment}};
  const gannet_evaluator_setup setup = {.problem = f->problem, .input_directory = f->directory};
  gannet_complaints complaints = {0};
  static const char *const expected[] = {
      "cannot run './missing': No such file", "did you mean '{params}'", "cannot read 'none.in'",
      "'params.in': the contract has a file", "'strain' is neither",     "'x' is not of the form",
      "'=1' is not of the form NAME=value",   "evaluate.pattern: '('"};
  write_file(f->directory, "params.in", "x", 0644);
  assert_ok(gannet_command_check(&options, &setup, &complaints));
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i)
    if (!strstr(complaints.text, expected[i]))
      fail_msg("no '%s' in\n%s", expected[i], complaints.text);
  assert_int_equal(complaints.count, 8);
  gannet_complaints_release(&complaints);

  write_file(f->directory, "missing", "x", 0644);
  options = (gannet_command_options){.command = {1, command}};
  assert_ok(gannet_command_check(&options, &setup, &complaints));
  assert_int_equal(complaints.count, 1);
  assert_non_null(strstr(complaints.text, "Permission denied (make it executable with chmod +x"));
  gannet_complaints_release(&complaints);

  options = (gannet_command_options){.shell = TEXT("echo {x} ${x} ${id}")};
  assert_ok(gannet_command_check(&options, &setup, &complaints));
  assert_int_equal(complaints.count, 1);
  assert_non_null(strstr(complaints.text, "nothing is substituted into shell text"));
  gannet_complaints_release(&complaints);

  char *line[] = {TEXT("./missing {params}")};
  options = (gannet_command_options){.command = {1, line}};
  assert_ok(gannet_command_check(&options, &setup, &complaints));
  assert_non_null(strstr(complaints.text, "program and arguments are items of a list"));
  gannet_complaints_release(&complaints);

  char *copy[] = {TEXT("{directory}/run.sh")};
  options = (gannet_command_options){.command = {1, copy}};
  assert_ok(gannet_command_check(&options, &setup, &complaints));
  assert_int_equal(complaints.count, 1);
  assert_non_null(strstr(complaints.text, "put env before it, as in [env, "));
  gannet_complaints_release(&complaints);

  options = (gannet_command_options){.command = {0}};
  assert_ok(gannet_command_check(&options, &setup, &complaints));
  assert_non_null(strstr(complaints.text, "missing: the program"));
  gannet_complaints_release(&complaints);
}

/* The program and the shell of a job script would take different ones. */
static void a_name_is_set_once_in_the_environment(void **state) {
  char *environment[] = {TEXT("A=1"), TEXT("AB=1"), TEXT("B="), TEXT("A=2"), TEXT("a=1")};
  const gannet_command_options options = {.shell = TEXT("true"), .environment = {5, environment}};
  const gannet_evaluator_setup setup = {.problem = ((fixture *)*state)->problem};
  gannet_complaints complaints = {0};
  assert_ok(gannet_command_check(&options, &setup, &complaints));
  assert_int_equal(complaints.count, 1);
  if (!strstr(complaints.text, "'A=1' (item 1) and 'A=2' (item 4) set the same name"))
    fail_msg("%s", complaints.text);
  gannet_complaints_release(&complaints);
}

static void what_gannet_sets_is_not_for_the_user(void **state) {
  char *environment[] = {TEXT("GANNET_SEED=3"), TEXT("GANNET_SEEDS=3"), TEXT("GANNET_LAUNCH="),
                         TEXT("GANNET_KEEP_BLAS=1"), TEXT("SEED=1")};
  const gannet_command_options options = {.shell = TEXT("true"), .environment = {5, environment}};
  const gannet_evaluator_setup setup = {.problem = ((fixture *)*state)->problem};
  gannet_complaints complaints = {0};
  assert_ok(gannet_command_check(&options, &setup, &complaints));
  assert_int_equal(complaints.count, 2);
  assert_non_null(strstr(complaints.text, "'GANNET_SEED=3' sets a name that gannet sets"));
  assert_non_null(strstr(complaints.text, "'GANNET_LAUNCH=' sets a name that gannet sets"));
  gannet_complaints_release(&complaints);
}

/* The simulation could run nowhere; that every failure is bad luck may be meant. */
static void a_text_that_is_everywhere_is_refused(void **state) {
  char *everywhere[] = {TEXT(""), TEXT("x*"), TEXT(".*"), TEXT("diverged|"), TEXT("^")};
  char *somewhere[] = {TEXT("diverged"), TEXT("^$"), TEXT("^[^a]*$"), TEXT(" ")};
  const gannet_command_options options = {
      .shell = TEXT("true"), .cannot_run_text = {5, everywhere}, .bad_luck_text = {5, everywhere}};
  const gannet_command_options sound = {
      .shell = TEXT("true"), .cannot_run_text = {4, somewhere}, .bad_luck_text = {4, somewhere}};
  const gannet_evaluator_setup setup = {.problem = ((fixture *)*state)->problem};
  gannet_complaints complaints = {0};
  assert_ok(gannet_command_check(&options, &setup, &complaints));
  assert_int_equal(complaints.count, 5);
  for (int i = 0; i < 5; ++i) {
    char expected[100];
    (void)snprintf(expected, sizeof expected,
                   "evaluate.cannot_run_text: '%s' is found in every line", everywhere[i]);
    if (!strstr(complaints.text, expected)) fail_msg("no %s in %s", expected, complaints.text);
  }
  gannet_complaints_release(&complaints);
  assert_ok(gannet_command_check(&sound, &setup, &complaints));
  assert_int_equal(complaints.count, 0);
}

static void a_quantity_has_one_pattern(void **state) {
  char *pattern[] = {TEXT("objective=^drag: (.*)"), TEXT("stress=^s: (.*)"),
                     TEXT("objective=^lift: (.*)")};
  const gannet_command_options options = {.shell = TEXT("true"), .pattern = {3, pattern}};
  const gannet_evaluator_setup setup = {.problem = ((fixture *)*state)->problem};
  gannet_complaints complaints = {0};
  assert_ok(gannet_command_check(&options, &setup, &complaints));
  assert_int_equal(complaints.count, 1);
  if (!strstr(complaints.text, "'objective' has two patterns")) fail_msg("%s", complaints.text);
  gannet_complaints_release(&complaints);
}

static void a_template_with_a_long_path_is_complained_about(void **state) {
  static char name[PATH_MAX];
  char *templates[] = {name};
  const gannet_command_options options = {.shell = TEXT("true"), .templates = {1, templates}};
  const gannet_evaluator_setup setup = {.problem = ((fixture *)*state)->problem,
                                        .input_directory = ((fixture *)*state)->directory};
  gannet_complaints complaints = {0};
  memset(name, 'n', sizeof name - 1);
  assert_ok(gannet_command_check(&options, &setup, &complaints));
  assert_int_equal(complaints.count, 1);
  if (!strstr(complaints.text, "is too long; expected less than")) fail_msg("%s", complaints.text);
  gannet_complaints_release(&complaints);
}

static void names_and_values_without_a_place_are_refused(void **state) {
  (void)state;
  static const char *const values[] = {"a\nb", "\xff"};
  static const gannet_variable variables[] = {
      {.name = "id", .type = GANNET_VARIABLE_REAL, .lower = 0, .upper = 1},
      {.name = "v", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 2, .values = values}};
  static const gannet_constraint constraints[] = {{"objective", 0, 1}, {"fail", 0, 1}};
  gannet_problem problem = {.spec = {.n_variables = 2,
                                     .variables = variables,
                                     .n_constraints = 2,
                                     .constraints = constraints}};
  const gannet_evaluator_setup setup = {.problem = &problem};
  const gannet_command_options options = {.shell = TEXT("true")};
  gannet_complaints complaints = {0};
  assert_ok(gannet_command_check(&options, &setup, &complaints));
  assert_int_equal(complaints.count, 4); /* a variable wins over a word: that is warned of only */
  gannet_complaints_release(&complaints);
}

static void expect(const fixture *f, const gannet_command_options *options, int n,
                   const char *const *expected) {
  const gannet_evaluator_setup setup = {.problem = f->problem, .input_directory = f->directory};
  gannet_complaints complaints = {0};
  assert_ok(gannet_command_check(options, &setup, &complaints));
  for (int i = 0; i < n; ++i)
    if (!complaints.text || !strstr(complaints.text, expected[i]))
      fail_msg("no '%s' in\n%s", expected[i], complaints.text);
  if (complaints.count != n) fail_msg("%s", complaints.text);
  gannet_complaints_release(&complaints);
}

/* The command in one text, its words separated by blanks. */
static void expect_of_command(const fixture *f, const char *text, const char *expected) {
  char copy[200], *word[12];
  int n = 0;
  (void)snprintf(copy, sizeof copy, "%s", text);
  for (char *rest = copy, *at; (at = strtok_r(rest, " ", &rest));) word[n++] = at;
  char *templates[] = {TEXT("template.py")};
  const gannet_command_options options = {.command = {n, word}, .templates = {1, templates}};
  const gannet_evaluator_setup setup = {.problem = f->problem, .input_directory = f->directory};
  gannet_complaints complaints = {0};
  assert_ok(gannet_command_check(&options, &setup, &complaints));
  if (complaints.count != (expected != NULL) || (expected && !strstr(complaints.text, expected)))
    fail_msg("%s: %s", text, complaints.text ? complaints.text : "nothing");
  gannet_complaints_release(&complaints);
}

/* Every run of such a command would fail. */
static void a_script_that_is_not_there_is_complained_about(void **state) {
  const fixture *f = *state;
  static const struct {
    const char *command, *expected;
  } all[] = {
      {"sh sim.sh {x}", "did you mean \"{input_directory}/simu.sh\"?"},
      {"sh {input_directory}/sim.sh", "did you mean \"{input_directory}/simu.sh\"?"},
      {"env A=1 sh ./sim.sh", "did you mean \"{input_directory}/simu.sh\"?"},
      {"/bin/sh -u sim.sh", "did you mean \"{input_directory}/simu.sh\"?"},
      {"env sh {directory}/sim.sh", "did you mean \"{input_directory}/simu.sh\"?"},
      {"sh simulation", "there is no 'simulation' in '/tmp/gannet check "},
      {"sh simulation", "expected the path of a script"},
      {"sh /none/sim.sh", "there is no '/none/sim.sh'"},
      {"env model.jl", "there is no 'model.jl'"},
      {"env -i ./run.sh", NULL}, /* -i might take a value: only warned of */
      {"sh +x ./sim.sh", "did you mean \"{input_directory}/simu.sh\"?"},
      {"ls run image python3 /app/sim.py", NULL}, /* as podman-hpc would */
      {"mpirun -wd /data python3 sim.py", NULL},
      {"env ./run.py", "there is no 'run.py'"},
      {"sh simu.sh", "'simu.sh' would be looked for in the directory of each evaluation"},
      {"sh -u ./simu.sh {params}", "write \"{input_directory}/simu.sh\""},
      {"sh {input_directory}/simu.sh out.sh other.py", NULL},
      {"env ./own out.sh", NULL},
      {"{input_directory}/own out.sh", NULL},
      {"sh template.py", NULL},
      {"sh {x}.sh", NULL},
      {"sh params.in", NULL},
      {"sh -c ./sim.sh", NULL},
      {"sh -ec ./sim.sh", NULL},
      {"sh ls", NULL}, /* a shell finds it in PATH */
      {"env docker run image sh sim.sh", NULL},
      {"env -C /elsewhere sh sim.sh", NULL},
      {"env -o out.py", NULL},
      {"env mesh.in out.m", NULL},
  };
  write_file(f->directory, "simu.sh", "exit 0\n", 0644);
  write_file(f->directory, "own", "#!/bin/sh\n", 0755);
  write_file(f->directory, "template.py", "{x}", 0644);
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    expect_of_command(f, all[i].command, all[i].expected);

  char *command[] = {TEXT("bash"), TEXT("cd /tmp; ./sim.sh"), TEXT("-c"), TEXT("./run it.sh")};
  gannet_command_options options = {.command = {4, command}};
  expect(f, &options, 0, NULL);

  char *elsewhere[] = {TEXT("sh"), TEXT("/none/sim.sh")};
  const gannet_evaluator_setup jobs = {
      .problem = f->problem, .input_directory = f->directory, .starts_jobs = true};
  gannet_complaints complaints = {0};
  options.command = (gannet_text_list){2, elsewhere};
  assert_ok(gannet_command_check(&options, &jobs, &complaints));
  assert_int_equal(complaints.count, 0); /* it may be on the nodes of the jobs */
  gannet_complaints_release(&complaints);
}

/* Nothing that looks like a placeholder goes on as it is without a word. */
static void placeholders_that_do_nothing_are_refused(void **state) {
  const fixture *f = *state;
  char *command[] = {TEXT("sh"),       TEXT("{slto}"),      TEXT("{x:8.4q}"), TEXT("{x:03d}"),
                     TEXT("{x:8.4f}"), TEXT("{solver:5d}"), TEXT("\\{any}"),  TEXT("${any} {a b}")};
  char *environment[] = {TEXT("A={slot}"), TEXT("B={slots}"), TEXT("C=${HOME}")};
  static const char *const expected[] = {
      "evaluate.command: '{slto}' is not a variable",
      "did you mean '{slot}'",
      "evaluate.command: the format of '{x:8.4q}' is wrong: expected",
      "the format of '{x:03d}' is wrong: a real number is written with f, e or g",
      "the format of '{solver:5d}' is wrong: a text is written with s",
      "evaluate.environment: '{slots}' is not a variable"};
  gannet_command_options options = {.command = {8, command}, .environment = {3, environment}};
  const gannet_evaluator_setup setup = {.problem = f->problem, .input_directory = f->directory};
  gannet_complaints complaints = {0};
  assert_ok(gannet_command_check(&options, &setup, &complaints));
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i)
    if (!strstr(complaints.text, expected[i]))
      fail_msg("no '%s' in\n%s", expected[i], complaints.text);
  assert_int_equal(complaints.count, 5);
  gannet_complaints_release(&complaints);
}

static void marks_hold_in_the_campaign_file_beside_braces(void **state) {
  const fixture *f = *state;
  char *command[] = {TEXT("sh"), TEXT("@x@ {x} @directory@"), TEXT("@parms@"), TEXT("{parms}")};
  char *marks[] = {TEXT("@@")}, *wrong[] = {TEXT("@@@")};
  static const char *const expected[] = {"'@parms@' is not a variable",
                                         "'{parms}' is not a variable"};
  static const char *const odd[] = {"evaluate.placeholders: one text is cut in the middle",
                                    "'{parms}' is not a variable"};
  gannet_command_options options = {.command = {4, command}, .placeholders = {1, marks}};
  expect(f, &options, 2, expected);
  options.placeholders.item = wrong;
  expect(f, &options, 2, odd);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(wrong_options_are_complained_about_all_at_once, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(a_script_that_is_not_there_is_complained_about, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(a_name_is_set_once_in_the_environment, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_gannet_sets_is_not_for_the_user, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_text_that_is_everywhere_is_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_quantity_has_one_pattern, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_template_with_a_long_path_is_complained_about, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(placeholders_that_do_nothing_are_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(marks_hold_in_the_campaign_file_beside_braces, set_up,
                                      tear_down),
      cmocka_unit_test(names_and_values_without_a_place_are_refused),
  };
  return run_serial(tests);
}
