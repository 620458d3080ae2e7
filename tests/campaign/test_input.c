/* test: ranks 1 2 labels unit */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "campaign/example.h"
#include "support/harness.h"

static void parses(const char *text, gannet_campaign_input **input) {
  gannet_complaints complaints = {0};
  if (parse_text(text, input, &complaints) != GANNET_OK)
    fail_msg("%s", complaints.text ? complaints.text : gannet_error_message());
  assert_int_equal(complaints.count, 0);
}

static void every_section_arrives(void **unused) {
  gannet_campaign_input *input = NULL;
  (void)unused;
  parses(example, &input);
  const gannet_problem_spec *spec = gannet_problem_get_spec(input->problem);
  assert_string_equal(input->general.name, "heater");
  assert_true(input->general.seed == INT64_C(9007199254740993));
  assert_int_equal(input->general.batch, 8);
  assert_int_equal(spec->goal, GANNET_MAXIMIZE);
  assert_near(spec->noise_sd, 0.05, 0);
  assert_int_equal(spec->n_variables, 5);
  assert_near(spec->variables[0].upper, 0.1 + 0.2, 0);
  assert_int_equal(spec->variables[1].scale, GANNET_SCALE_LOG);
  assert_int_equal(spec->variables[2].type, GANNET_VARIABLE_INTEGER);
  assert_string_equal(spec->variables[3].values[2], "a: b # c");
  assert_string_equal(spec->variables[3].values[3], "tab\tquote\"");
  assert_int_equal(spec->variables[4].type, GANNET_VARIABLE_BOOLEAN);
  assert_true(spec->constraints[0].lower == -INFINITY);
  assert_near(spec->constraints[1].lower, 0.1, 0);
  assert_int_equal(input->budget.evaluations, 200);
  assert_near(input->budget.wall_time, 4 * 3600, 0);
  assert_near(input->failures.rate, 0.25, 0);
  assert_int_equal(input->failures.minimum, 20);
  assert_string_equal(input->evaluator->name, "function");
  assert_int_equal(input->evaluate.parallel, 4);
  assert_near(input->evaluate.time_limit, 600, 0);
  assert_near(input->save.interval, 30, 0);
  assert_int_equal(input->log.level, GANNET_LOG_DEBUG);
  gannet_campaign_destroy(&input);
  assert_null(input);
}

static void method_settings_keep_their_order_and_place(void **unused) {
  gannet_campaign_input *input = NULL;
  static const char *const expected[][3] = {{"initial", "12", "c.yaml:6:10"},
                                            {"method", "gp-ts", "c.yaml:7:9"},
                                            {"acquisition.exploration", "1.5", "c.yaml:25:28"},
                                            {"search.candidates", "5000", "c.yaml:27:15"}};
  (void)unused;
  parses(example, &input);
  assert_int_equal(input->n_method, 4);
  for (int i = 0; i < 4; ++i) {
    assert_string_equal(input->method[i].key, expected[i][0]);
    assert_string_equal(input->method[i].text, expected[i][1]);
    assert_string_equal(input->method_location[i], expected[i][2]);
  }
  gannet_campaign_destroy(&input);
}

static void settings_of_a_simulation_become_pairs(void **unused) {
  gannet_campaign_input *input = NULL;
  (void)unused;
  parses(example, &input);
  const gannet_option *option = gannet_option_find(input->evaluator->options, "settings");
  gannet_text_list list;
  memcpy(&list, (const char *)input->evaluator_options + option->offset, sizeof list);
  assert_int_equal(list.n, 3);
  assert_string_equal(list.item[0], "resolution=32");
  assert_string_equal(list.item[1], "region.left=0.5");
  assert_string_equal(list.item[2], "list=[1, 2]");
  gannet_campaign_destroy(&input);
}

static void short_files_get_defaults(void **unused) {
  gannet_campaign_input *input = NULL;
  (void)unused;
  parses(SHORT, &input);
  assert_string_equal(input->general.name, "c");
  assert_true(input->general.seed == 1);
  assert_int_equal(input->general.batch, 1);
  assert_int_equal(input->evaluate.parallel, 1);
  assert_true(isnan(input->evaluate.time_limit));
  assert_true(isnan(gannet_problem_get_spec(input->problem)->noise_sd));
  gannet_campaign_destroy(&input);
  parses(SHORT "batch: 6\n", &input);
  assert_int_equal(input->evaluate.parallel, 6);
  gannet_campaign_destroy(&input);
  parses(
      "method: gp-ts\nvariables: {x: {lower: 0, upper: 1}}\nbudget: {wall_time: 1:30:00}\n"
      "evaluate: {backend: manual, parallel: 3}\n",
      &input);
  assert_int_equal(input->general.batch, 3);
  assert_int_equal(input->budget.evaluations, GANNET_AUTO);
  assert_near(input->budget.wall_time, 5400, 0);
  gannet_campaign_destroy(&input);
}

static void anchors_and_short_forms_work(void **unused) {
  gannet_campaign_input *input = NULL;
  (void)unused;
  parses(
      "\xef\xbb\xbfsurrogate: gp\nregion: trust\nmethod: gp-ts\n"
      "variables:\n  a: &box {lower: 0, upper: 2}\n  b: *box\n"
      "  c: &far {<<: *box, upper: 5}\n  d: {<<: [*far, *box], lower: 1}\nbudget: {evaluations: "
      "10}\nevaluate: {backend: manual}\n",
      &input);
  const gannet_problem_spec *spec = gannet_problem_get_spec(input->problem);
  assert_near(spec->variables[1].upper, 2, 0);
  assert_near(spec->variables[2].upper, 5, 0);
  assert_near(spec->variables[2].lower, 0, 0);
  assert_true(spec->variables[3].upper == 5 && spec->variables[3].lower == 1);
  assert_string_equal(input->method[0].key, "surrogate.type");
  assert_string_equal(input->method[1].key, "region.type");
  gannet_campaign_destroy(&input);
}

/* What is wrong, where, and part of what is said. */
static const struct {
  const char *text, *where, *part;
} bad[] = {
    {"", "c.yaml", "empty"},
    {"- a\n- b\n", "c.yaml:1:1", "expected a mapping"},
    {"just words\n", "c.yaml:1:1", "expected a mapping"},
    {"a:\t1\n\tb: 2\n", "c.yaml:1:4", "not valid YAML"},
    {"name: [a, b\nseed: 1\n", "c.yaml:3:1", "flow sequence without a closing bracket"},
    {"name: @x\n", "c.yaml:1:7", "not valid YAML"},
    {"name: *nope\n", "c.yaml:1:8", "anchor"},
    {"<<: [a, b]\n", "c.yaml:1:1", "'<<' needs a mapping, or a list of mappings"},
    {"<<: &l [*l, *l]\n", "c.yaml:1:1", "does an alias contain itself"},
    {"a: &a [*a]\n", "c.yaml:1:9", "nested too deeply"},
    {"? [a]\n: 1\n", "c.yaml:1:4", "keys must be plain texts"},
    {"name: \"a\\0b\"\n", "c.yaml:1:7", "zero byte"},
    {"name: a\n---\nname: b\n", "c.yaml:3:1", "second document"},
    {"name: a\nbatch: \xff\n", "c.yaml:2:8", "0xff is not UTF-8"},
    {"\xff\xfen\0a\0", "c.yaml:1:1", "0xff is not UTF-8"},
    {SHORT "seed: 1\nseed: 2\n", "c.yaml:6:1", "'seed' is given twice"},
    {SHORT "bugdet: {evaluations: 1}\n", "c.yaml:5:1", "did you mean 'budget'?"},
    {SHORT "batch: 0\n", "c.yaml:5:8", "batch: '0' is not valid; expected whole number"},
    {SHORT "batch: 2.5\n", "c.yaml:5:8", "batch: '2.5' is not valid"},
    {SHORT "batch: [1, 2]\n", "c.yaml:5:9", "batch: a list is not valid"},
    {SHORT "batch: {a: 1}\n", "c.yaml:5:9", "batch: a mapping is not valid"},
    {SHORT "seed: -1\n", "c.yaml:5:7", "seed: '-1' is not valid"},
    {SHORT "noise: -0.1\n", "c.yaml:5:8", "noise: '-0.1' is not valid"},
    {SHORT "noise: nan\n", "c.yaml:5:8", "noise: 'nan' is not valid"},
    {SHORT "goal: minimise\n", "c.yaml:5:7", "did you mean 'minimize'?"},
    {SHORT "name: ../up\n", "c.yaml:5:7", "name: '../up' is not valid"},
    {SHORT "save: 60s\n", "c.yaml:5:7", "save: expected keys"},
    {SHORT "save: {interval: 5 parsecs}\n", "c.yaml:5:18", "duration"},
    {SHORT "log: {levle: info}\n", "c.yaml:5:7", "did you mean 'level'?"},
    {SHORT "surrogate: {type: gq}\n", "c.yaml:5:19", "did you mean 'gp'?"},
    {SHORT "search: {candidates: 0}\n", "c.yaml:5:22", "search.candidates: '0' is not valid"},
    {SHORT "search: {candidate: 10}\n", "c.yaml:5:10", "did you mean 'candidates'?"},
    {SHORT "constraints: {c: {}}\n", "c.yaml:5:15", "give a lower bound"},
    {SHORT "constraints: {c: {lower: 2, upper: 1}}\n", "c.yaml:5:15",
     "lower = 2 is above upper = 1"},
    {SHORT "constraints: {x: {upper: 1}}\n", "c.yaml:5:15", "the name 'x' is used twice"},
    {SHORT "constraints: {fail: {upper: 1}}\n", "c.yaml:5:15", "the name 'fail' is taken"},
    {SHORT "constraints: {objective: {upper: 1}}\n", "c.yaml:5:15",
     "the name 'objective' is taken"},
    {SHORT "constraints: [a]\n", "c.yaml:5:15", "constraints: expected a name for each"},
};

#define REST "budget: {evaluations: 10}\nevaluate: {backend: manual}\nmethod: gp-ts\n"
#define VARIABLE(text) "variables:\n  v: " text "\n" REST

static const struct {
  const char *text, *where, *part;
} bad_variables[] = {
    {REST, "c.yaml", "variables: a campaign needs at least one"},
    {"variables:\n" REST, "c.yaml", "variables: a campaign needs at least one"},
    {"variables: 3\n" REST, "c.yaml:1:12", "variables: expected a name for each"},
    {"variables: {1a: {lower: 0, upper: 1}}\n" REST, "c.yaml:1:13", "variable name '1a'"},
    {"variables: {objective: {lower: 0, upper: 1}}\n" REST, "c.yaml:1:13", "'objective' is taken"},
    {VARIABLE("{lower: 1, upper: 0}"), "c.yaml:2:3", "lower = 1 is not below upper = 0"},
    {VARIABLE("{lower: 0}"), "c.yaml:2:3", "missing required key 'variables.v.upper'"},
    {VARIABLE(""), "c.yaml:2:3", "missing required key 'variables.v.lower'"},
    {VARIABLE("{lower: a, upper: 1}"), "c.yaml:2:14", "variables.v.lower: 'a' is not valid"},
    {VARIABLE("{lower: 0, upper: 1e999}"), "c.yaml:2:24",
     "variables.v.upper: '1e999' is not finite; expected a finite number, such as 1e-2"},
    {VARIABLE("{lower: -.inf, upper: 1}"), "c.yaml:2:14",
     "variables.v.lower: '-.inf' is not finite"},
    {VARIABLE("{lower: 3, upper: 3}"), "c.yaml:2:3",
     "has only one value, 3; widen its bounds, or leave it out"},
    {VARIABLE("{lower: 0, upper: 1, scale: log}"), "c.yaml:2:3", "scale log needs positive bounds"},
    {VARIABLE("{type: float, lower: 0, upper: 1}"), "c.yaml:2:13",
     "expected one of: real integer boolean categorical ordinal; did you mean 'real'?"},
    {VARIABLE("{type: Double, lower: 0, upper: 1}"), "c.yaml:2:13", "did you mean 'real'?"},
    {VARIABLE("{type: nominal, values: [a, b]}"), "c.yaml:2:13", "did you mean 'categorical'?"},
    {VARIABLE("{type: binary}"), "c.yaml:2:13", "did you mean 'boolean'?"},
    {VARIABLE("{type: zzz, lower: 0, upper: 1}"), "c.yaml:2:13", "categorical ordinal"},
    {VARIABLE("{fixed: 9007199254740993}"), "c.yaml:2:7", "would be 9007199254740992"},
    {VARIABLE("{values: [1, 9007199254740993]}"), "c.yaml:2:7", "would be 9007199254740992"},
    {VARIABLE("{type: integer, lower: 0.5, upper: 1}"), "c.yaml:2:3", "must be whole numbers"},
    {VARIABLE("{type: categorical, values: [a]}"), "c.yaml:2:3",
     "at least two values, and has only 'a'; add others, or leave it out"},
    {VARIABLE("{type: categorical, values: [a, b, a]}"), "c.yaml:2:3", "value 'a' is repeated"},
    {VARIABLE("{type: categorical, values: [a, [b]]}"), "c.yaml:2:39", "item 2 of the list"},
    {VARIABLE("{type: categorical, values: [a, b], lower: 0}"), "c.yaml:2:42",
     "only real and integer"},
    {VARIABLE("{type: boolean, scale: log}"), "c.yaml:2:22", "only real and integer"},
    {VARIABLE("{values: [a, b]}"), "c.yaml:2:7", "words need type: ordinal"},
    {VARIABLE("{lower: 0, uper: 1}"), "c.yaml:2:17", "did you mean 'upper'?"},
    {"variables: {x: {lower: 0, upper: 1}}\nevaluate: {backend: manual}\n", "c.yaml",
     "budget: give a limit"},
    {"variables: {x: {lower: 0, upper: 1}}\nbudget: {evaluations: 0}\n", "c.yaml:2:23",
     "budget.evaluations: '0' is not valid"},
    {"variables: {x: {lower: 0, upper: 1}}\nbudget: {failures: {rate: 2}}\n", "c.yaml:2:27",
     "budget.failures.rate: '2' is not valid"},
    {"variables: {x: {lower: 0, upper: 1}}\nbudget: {evaluations: 1}\n", "c.yaml",
     "missing required key 'evaluate.backend'"},
    {"evaluate: {backend: comand}\n", "c.yaml:1:21", "evaluate.backend: "},
    {"evaluate: {comand: [a]}\n", "c.yaml:1:12", "did you mean 'command'?"},
    {"evaluate: {parallel: 2}\n", "c.yaml:1:1", "missing required key 'evaluate.backend' (how"},
    {"objective: maximize\n", "c.yaml:1:1", "did you mean 'goal: maximize'?"},
    {VARIABLE("[0, 1]"), "c.yaml:2:7",
     "variables.v: expected keys with values below it like {lower: 0, upper: 1}, as"},
    {VARIABLE("{lower: 0,5, upper: 1}"), "c.yaml:2:16", "numbers have a decimal point, as in 0.5"},
    {"evaluate: {backend: manual, parallel: 0}\n", "c.yaml:1:39", "evaluate.parallel: '0'"},
    {"evaluate: {backend: function}\n", "c.yaml:1:1", "missing required key 'evaluate.simulation'"},
    {"evaluate: {backend: manual, simulation: x}\n", "c.yaml:1:29",
     "unknown key 'evaluate.simulation'"},
    {"evaluate: {backend: command, command: [./simulate, {params}]}\n", "c.yaml:1:53",
     "item 2 of the list"},
    {"evaluate: {backend: command, command: {a: b}}\n", "c.yaml:1:40", "a mapping is not valid"},
    {"evaluate: {backend: function, simulatoin: x}\n", "c.yaml:1:31", "did you mean 'simulation'?"},
};

/* One line of the complaints begins with the place and goes on with the part. */
static int says(const char *complaints, const char *where, const char *part) {
  char line[1200];
  for (const char *at = complaints; at && *at;) {
    const size_t length = strcspn(at, "\n");
    (void)snprintf(line, sizeof line, "%.*s", (int)length, at);
    const size_t n = strlen(where);
    if (strncmp(line, where, n) == 0 && line[n] == ':' && line[n + 1] == ' ' && strstr(line, part))
      return 1;
    at += length + (at[length] == '\n');
  }
  return 0;
}

static void complains(const char *text, const char *where, const char *part) {
  gannet_complaints complaints = {0};
  gannet_campaign_input *input = NULL;
  const gannet_err err = parse_text(text, &input, &complaints);
  assert_null(input);
  if (err != GANNET_ERR_INPUT || !says(complaints.text, where, part))
    fail_msg("input:\n%s\nexpected '%s: ... %s', got:\n%s", text, where, part,
             complaints.text ? complaints.text : "(nothing)");
  gannet_complaints_release(&complaints);
}

static void mistakes_are_named_with_their_place(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    complains(bad[i].text, bad[i].where, bad[i].part);
  for (size_t i = 0; i < sizeof bad_variables / sizeof *bad_variables; ++i)
    complains(bad_variables[i].text, bad_variables[i].where, bad_variables[i].part);
}

static void all_mistakes_are_reported_at_once(void **unused) {
  gannet_complaints complaints = {0};
  gannet_campaign_input *input = NULL;
  (void)unused;
  assert_fails(GANNET_ERR_INPUT, "c.yaml:1:7",
               parse_text("seed: x\nbatch: y\ngola: minimize\nvariables:\n"
                          "  a: {lower: 2, upper: 1}\n  b: {lower: -1, upper: 1, scale: log}\n"
                          "budget: {evaluations: -5}\nevaluate: {backend: manual, retries: -1}\n"
                          "search: {polish: -1}\nmethod: gp-ts\n",
                          &input, &complaints));
  assert_int_equal(complaints.count, 8);
  assert_true(says(complaints.text, "c.yaml:2:8", "batch"));
  assert_true(says(complaints.text, "c.yaml:3:1", "goal"));
  assert_true(says(complaints.text, "c.yaml:5:3", "lower = 2"));
  assert_true(says(complaints.text, "c.yaml:6:3", "log"));
  assert_true(says(complaints.text, "c.yaml:7:23", "budget.evaluations"));
  assert_true(says(complaints.text, "c.yaml:8:38", "evaluate.retries"));
  assert_true(says(complaints.text, "c.yaml:9:18", "search.polish"));
  gannet_complaints_release(&complaints);
}

static void the_command_line_wins(void **unused) {
  static const char *const sets[] = {"budget.evaluations=321",
                                     "variables.x.upper=2",
                                     "surrogate={type: gp}",
                                     "search.candidates=77",
                                     "constraints.c.upper=3",
                                     "save.interval=5m",
                                     "name=other"};
  gannet_campaign_input *input = NULL;
  gannet_complaints complaints = {0};
  (void)unused;
  assert_ok(
      parse_sized(SHORT "search:\n", strlen(SHORT "search:\n"), 7, sets, &input, &complaints));
  const gannet_problem_spec *spec = gannet_problem_get_spec(input->problem);
  assert_int_equal(input->budget.evaluations, 321);
  assert_near(spec->variables[0].upper, 2, 0);
  assert_near(spec->constraints[0].upper, 3, 0);
  assert_near(input->save.interval, 300, 0);
  assert_string_equal(input->general.name, "other");
  assert_string_equal(input->method[1].key, "search.candidates");
  assert_string_equal(input->method[1].text, "77");
  gannet_campaign_destroy(&input);
}

static void wrong_overrides_name_themselves(void **unused) {
  static const char *const cases[][3] = {
      {"budget.evaluations=0", "--set budget.evaluations=0", "budget.evaluations: '0'"},
      {"budget", "--set budget", "expected key=value"},
      {"=3", "--set =3", "expected key=value"},
      {".a=3", "--set .a=3", "expected a dotted key"},
      {"a..b=3", "--set a..b=3", "expected a dotted key"},
      {"budget.=3", "--set budget.=3", "the key ends in a dot"},
      {"budget.evaluations.x=3", "--set budget.evaluations.x=3", "'evaluations' is a value"},
      {"batsch=3", "--set batsch=3", "did you mean 'batch'?"},
      {"batch=[3", "--set batch=[3", "not valid YAML"},
      {"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r=3", "--set a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r=3",
       "no key has more than"},
      {"name=\xff", "--set name=?", "not UTF-8"},
      {"seed=", "--set seed=", "seed: '' is not valid"},
  };
  (void)unused;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    gannet_campaign_input *input = NULL;
    gannet_complaints complaints = {0};
    assert_int_equal(parse_sized(SHORT, strlen(SHORT), 1, cases[i], &input, &complaints),
                     GANNET_ERR_INPUT);
    if (!says(complaints.text, cases[i][1], cases[i][2]))
      fail_msg("expected '%s: ... %s', got:\n%s", cases[i][1], cases[i][2], complaints.text);
    gannet_complaints_release(&complaints);
  }
}

/* Nine levels of ten aliases each would be 10^9 nodes. */
static void exponential_aliases_are_refused(void **unused) {
  char text[4096] = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  (void)unused;
  for (int i = 1; i < 10; ++i) {
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, sizeof text - used, "a%d: &a%d [", i, i);
    for (int j = 0; j < 10; ++j)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s*a%d", j ? ", " : "", i - 1);
    (void)snprintf(text + used, sizeof text - used, "]\n");
  }
  complains(text, "c.yaml:1:34", "too many entries");
}

/* Rank 0 makes the file, size bytes long with zeros behind the text; then all ranks load it. */
static gannet_err load(const char *text, off_t size, gannet_campaign_input **input,
                       gannet_complaints *complaints) {
  static const char *const sets[] = {"batch=5"};
  char path[64];
  int rank = 0, np = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  (void)snprintf(path, sizeof path, "input_on_%d.yaml", np);
  if (rank == 0) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
    assert_int_equal(truncate(path, size), 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const gannet_err err =
      gannet_campaign_load(MPI_COMM_WORLD, path, 1, sets, NULL, input, complaints);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) (void)remove(path);
  return err;
}

static void files_are_loaded_on_all_ranks(void **unused) {
  gannet_campaign_input *input = NULL;
  gannet_complaints complaints = {0};
  (void)unused;
  assert_ok(load(example, (off_t)strlen(example), &input, &complaints));
  assert_int_equal(input->general.batch, 5);
  gannet_campaign_destroy(&input);
  assert_fails(GANNET_ERR_INPUT, ".yaml:2:1: ", load("name: [", 7, &input, &complaints));
  assert_null(input);
  gannet_complaints_release(&complaints);
  assert_fails(GANNET_ERR_INPUT, "expected a campaign or suite file",
               load("x", 108000000, &input, &complaints));
  assert_fails(GANNET_ERR_INPUT, "empty", load("", 0, &input, &complaints));
  gannet_complaints_release(&complaints);
}

static char *page(void) {
  const char *here = strstr(__FILE__, "tests/campaign/");
  char path[1024], *text = NULL;
  assert_non_null(here);
  (void)snprintf(path, sizeof path, "%.*sdocs/campaign-file.md", (int)(here - __FILE__), __FILE__);
  assert_ok(gannet_file_read(path, &text, NULL));
  return text;
}

/* Replace part of a text by one of the same length or shorter. */
static void replace(char *text, const char *from, const char *to) {
  char *at = strstr(text, from);
  assert_non_null(at);
  memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
  memcpy(at, to, strlen(to));
}

/* The example of the manual parses, and what the manual says about its mistakes is what is said. */
static void the_manual_tells_the_truth(void **unused) {
  char *text = page(), *copy = page();
  gannet_campaign_input *input = NULL;
  gannet_complaints complaints = {0};
  (void)unused;
  char *yaml = strstr(copy, "```yaml\n") + strlen("```yaml\n");
  *strstr(yaml, "```") = '\0';
  parses(yaml, &input);
  gannet_campaign_destroy(&input);
  replace(yaml, "lower: 1, upper: 8", "lower: 1, uper: 8");
  replace(yaml, "evaluations: 200", "evaluations: 0");
  const gannet_campaign_source source = {.file = "heater.yaml", .text = yaml, .size = strlen(yaml)};
  assert_int_equal(gannet_campaign_parse(&source, &input, &complaints), GANNET_ERR_INPUT);
  assert_int_equal(complaints.count, 2);
  for (char *line = strtok(complaints.text, "\n"); line; line = strtok(NULL, "\n"))
    if (!strstr(text, line)) fail_msg("the manual does not have: %s", line);
  gannet_complaints_release(&complaints);
  gannet_free(&text);
  gannet_free(&copy);
}

static void what_is_no_file_is_named(void **unused) {
  gannet_campaign_input *input = NULL;
  gannet_complaints complaints = {0};
  (void)unused;
  assert_fails(
      GANNET_ERR_MISSING, "no_such.yaml",
      gannet_campaign_load(MPI_COMM_WORLD, "no_such.yaml", 0, NULL, NULL, &input, &complaints));
  assert_fails(GANNET_ERR_INPUT, "is a directory",
               gannet_campaign_load(MPI_COMM_WORLD, "/tmp", 0, NULL, NULL, &input, &complaints));
  assert_fails(
      GANNET_ERR_INPUT, "is a character device",
      gannet_campaign_load(MPI_COMM_WORLD, "/dev/zero", 0, NULL, NULL, &input, &complaints));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_section_arrives),
      cmocka_unit_test(method_settings_keep_their_order_and_place),
      cmocka_unit_test(settings_of_a_simulation_become_pairs),
      cmocka_unit_test(short_files_get_defaults),
      cmocka_unit_test(anchors_and_short_forms_work),
      cmocka_unit_test(mistakes_are_named_with_their_place),
      cmocka_unit_test(all_mistakes_are_reported_at_once),
      cmocka_unit_test(the_command_line_wins),
      cmocka_unit_test(wrong_overrides_name_themselves),
      cmocka_unit_test(exponential_aliases_are_refused),
      cmocka_unit_test(files_are_loaded_on_all_ranks),
      cmocka_unit_test(the_manual_tells_the_truth),
      cmocka_unit_test(what_is_no_file_is_named),
  };
  MPI_Init(&argc, &argv);
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
