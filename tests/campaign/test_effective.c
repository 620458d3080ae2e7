/* test: serial labels unit */
#include <glob.h>
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/random.h"
#include "campaign/config/config.h"
#include "campaign/config/yaml_text.h"
#include "campaign/example.h"
#include "support/harness.h"

static void parse(const char *text, gannet_campaign_input **input) {
  gannet_complaints complaints = {0};
  if (parse_text(text, input, &complaints) != GANNET_OK)
    fail_msg("%s\n%s", text, complaints.text ? complaints.text : gannet_error_message());
  gannet_complaints_release(&complaints); /* warnings */
}

static void assert_same_problem(const gannet_problem *a, const gannet_problem *b) {
  const gannet_problem_spec *p = gannet_problem_get_spec(a), *q = gannet_problem_get_spec(b);
  assert_int_equal(p->n_variables, q->n_variables);
  assert_int_equal(p->n_constraints, q->n_constraints);
  assert_int_equal(p->goal, q->goal);
  assert_memory_equal(&p->noise_sd, &q->noise_sd, sizeof p->noise_sd);
  for (int v = 0; v < p->n_variables; ++v) {
    const gannet_variable *s = &p->variables[v], *t = &q->variables[v];
    assert_string_equal(s->name, t->name);
    assert_int_equal(s->type, t->type);
    assert_int_equal(s->scale, t->scale);
    assert_true(s->lower == t->lower && s->upper == t->upper);
    assert_int_equal(s->n_values, t->n_values);
    for (int i = 0; i < s->n_values; ++i) assert_string_equal(s->values[i], t->values[i]);
  }
  for (int k = 0; k < p->n_constraints; ++k) {
    assert_string_equal(p->constraints[k].name, q->constraints[k].name);
    assert_true(p->constraints[k].lower == q->constraints[k].lower);
    assert_true(p->constraints[k].upper == q->constraints[k].upper);
  }
}

static void assert_same_table(const gannet_option *table, const void *a, const void *b) {
  for (; table && table->key; ++table) {
    char left[1024], right[1024];
    (void)gannet_option_format(table, a, left, sizeof left);
    (void)gannet_option_format(table, b, right, sizeof right);
    assert_string_equal(left, right);
  }
}

static void assert_same_member(const gannet_member_options *a, const gannet_member_options *b) {
  assert_int_equal(a->proposer, b->proposer);
  assert_int_equal(a->method.transform, b->method.transform);
  assert_true(a->method.refit == b->method.refit);
  assert_int_equal(a->method.least_batch, b->method.least_batch);
  assert_same_table(gannet_search_table, &a->search, &b->search);
  assert_same_table(gannet_region_table, &a->region, &b->region);
  assert_same_table(gannet_acquisition_choice_table, &a->acquisition, &b->acquisition);
  assert_ptr_equal(a->acq_type, b->acq_type);
  if (a->acq_type) assert_same_table(a->acq_type->options, a->acq_options, b->acq_options);
  assert_ptr_equal(a->surrogate_type, b->surrogate_type);
  assert_same_table(a->surrogate_type->options, a->surrogate_options, b->surrogate_options);
}

static void assert_same_methods(const gannet_campaign_input *a, const gannet_campaign_input *b) {
  gannet_optimizer_options p, q;
  assert_ok(gannet_campaign_options(a, &p));
  assert_ok(gannet_campaign_options(b, &q));
  assert_int_equal(p.method.initial, q.method.initial);
  assert_memory_equal(&p.method.initial_span, &q.method.initial_span, sizeof(double));
  assert_int_equal(p.n_members, q.n_members);
  for (int i = 0; i < p.n_members; ++i) assert_same_member(&p.member[i], &q.member[i]);
  gannet_optimizer_options_release(&p);
  gannet_optimizer_options_release(&q);
}

static void assert_same(const gannet_campaign_input *a, const gannet_campaign_input *b) {
  assert_same_table(gannet_general_table, &a->general, &b->general);
  assert_same_table(gannet_cost_table, &a->cost, &b->cost);
  assert_same_table(gannet_budget_table, &a->budget, &b->budget);
  assert_same_table(gannet_failure_table, &a->failures, &b->failures);
  assert_same_table(gannet_evaluate_table, &a->evaluate, &b->evaluate);
  assert_same_table(gannet_save_table, &a->save, &b->save);
  assert_same_table(gannet_log_table, &a->log, &b->log);
  assert_ptr_equal(a->evaluator, b->evaluator);
  assert_same_table(a->evaluator->options, a->evaluator_options, b->evaluator_options);
  assert_same_problem(a->problem, b->problem);
  assert_same_methods(a, b);
}

/* text -> input -> effective text -> input -> effective text: the inputs and the texts agree. */
static void round_trip(const char *text) {
  gannet_campaign_input *first = NULL, *second = NULL;
  char *one = NULL, *two = NULL;
  size_t size = 0;
  parse(text, &first);
  assert_ok(gannet_campaign_format(first, &one, &size));
  assert_int_equal(size, strlen(one));
  parse(one, &second);
  assert_same(first, second);
  assert_ok(gannet_campaign_format(second, &two, NULL));
  assert_string_equal(one, two);
  gannet_campaign_destroy(&first);
  gannet_campaign_destroy(&second);
  gannet_free(&one);
  gannet_free(&two);
}

static void what_is_written_reads_back_the_same(void **unused) {
  (void)unused;
  round_trip(example);
  round_trip(SHORT);
  round_trip(SHORT "seed: 9223372036854775807\nnoise: 0\nname: 'no'\n");
  round_trip(SHORT
             "seed: 9007199254740993\nconstraints: {a: {lower: 1e-300}, b: {upper: -1e300}}\n");
  round_trip(
      "method: sobol\nvariables: {y: {lower: 0.1, upper: 1.7976931348623157e308}}\n"
      "budget: {wall_time: 0.1s}\nevaluate: {backend: manual, time_limit: 1e-3}\n");
}

/* With the default method, which is a portfolio. */
#define DEFAULT                            \
  "variables: {x: {lower: 0, upper: 1}}\n" \
  "budget: {evaluations: 10}\n"            \
  "evaluate: {backend: manual}\n"
#define LAW DEFAULT "physics: {equations: [{terms: [{derivative: [x, x]}, {}]}]}\n"

/* Members have settings of their own, which are not to become those of all. */
static void portfolios_keep_what_was_given(void **unused) {
  (void)unused;
  round_trip(SHORT "portfolio: [gp-ei, neural-ei, quadratic]\nacquisition: {margin: 0.2}\n");
  round_trip(SHORT
             "portfolio: [gp-ei, gp-ts]\nacquisition: {exploration: 1.5}\nrefit: 0.5\n"
             "surrogate: {kernel: se}\nregion: {type: trust}\nsearch: {starts: 2}\n");
  round_trip(DEFAULT);
  round_trip(DEFAULT "surrogate: {type: forest}\n");
  round_trip(SHORT "portfolio: [gp-noisy]\n");
  round_trip(LAW);
  round_trip(LAW "refit: 0.5\nleast_batch: 2\ntransform: log\n");
  round_trip(DEFAULT "cost: time\n");
  round_trip(DEFAULT "cost: {from: time, weigh: yes}\n");
}

static void commands_keep_their_arguments(void **unused) {
  (void)unused;
  round_trip(
      "method: gp-ts\nvariables: {x: {lower: 0, upper: 1}}\nbudget: {evaluations: 3}\n"
      "evaluate:\n  backend: command\n  command: [./simulate, '{params}', -o, 'a b', '']\n"
      "  pattern: {objective: '^drag: *([0-9.eE+-]+)\"\\d'}\n  bad_luck_exit_codes: []\n"
      "  environment: {OMP_NUM_THREADS: 4}\n  kill_grace: 1.5s\n");
}

/* The campaigns that come with the program. */
static void every_input_of_the_project_reads_back_the_same(void **unused) {
  const char *here = strstr(__FILE__, "tests/campaign/");
  char pattern[1024];
  glob_t files;
  (void)unused;
  assert_non_null(here);
  (void)snprintf(pattern, sizeof pattern, "%.*sinputs/*.yaml", (int)(here - __FILE__), __FILE__);
  assert_int_equal(glob(pattern, 0, NULL, &files), 0);
  for (size_t i = 0; i < files.gl_pathc; ++i) {
    char *text = NULL;
    size_t size = 0;
    assert_ok(gannet_campaign_file_read(files.gl_pathv[i], &text, &size));
    round_trip(text);
    gannet_free(&text);
  }
  globfree(&files);
}

/* All characters that matter to YAML, alone and between others, as names of categories. */
// clang-format off
static const char *const strange[] = {
    "true", "~", "null", "1", "1e3", "0x10", ".5", "-", "- a", "a: b", "a #b", "'", "\"", "\\",
    "[a]", "{a}", ",", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a", "?", ":", " a", "a ",
    "\ta", "a\x7f", "\x01", "\xc2\x85", "\xe2\x80\xa8", "\xef\xbb\xbf", "\xf0\x9f\x90\xa6",
    "---", "...", "<<", "=", "yes", "a\\nb", "no: [", "auto", "a,b"};
// clang-format on

static void strange_names_survive(void **unused) {
  enum { N = sizeof strange / sizeof *strange };
  gannet_campaign_input *input = NULL;
  char *text = NULL;
  size_t size = 0;
  (void)unused;
  parse(SHORT, &input);
  gannet_variable variable = {
      .name = "v", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = N, .values = strange};
  const gannet_problem_spec spec = {.n_variables = 1, .variables = &variable, .noise_sd = NAN};
  gannet_problem_destroy(&input->problem);
  assert_ok(gannet_problem_create(&spec, &input->problem));
  assert_ok(gannet_campaign_format(input, &text, &size));
  gannet_campaign_input *again = NULL;
  parse(text, &again);
  assert_same_problem(input->problem, again->problem);
  gannet_campaign_destroy(&input);
  gannet_campaign_destroy(&again);
  gannet_free(&text);
}

static void bounds_keep_every_bit(void **unused) {
  const gannet_stream stream = {3, GANNET_FOR_TEST, 0, 0};
  double u[200];
  (void)unused;
  gannet_random_uniform(stream, 0, 200, u);
  for (int i = 0; i < 100; ++i) {
    char text[512];
    const double scale = pow(10, i - 50);
    gannet_campaign_input *first = NULL, *second = NULL;
    char *out = NULL;
    (void)snprintf(text, sizeof text,
                   "method: gp-ts\nvariables: {x: {lower: %.17g, upper: %.17g}}\n"
                   "budget: {evaluations: 3}\nevaluate: {backend: manual}\n",
                   -u[2 * i] * scale, u[2 * i + 1] * scale);
    parse(text, &first);
    assert_true(gannet_problem_get_spec(first->problem)->variables[0].upper ==
                u[2 * i + 1] * scale);
    assert_ok(gannet_campaign_format(first, &out, NULL));
    parse(out, &second);
    assert_same_problem(first->problem, second->problem);
    gannet_campaign_destroy(&first);
    gannet_campaign_destroy(&second);
    gannet_free(&out);
  }
}

static void settled_values_and_the_methods_row_are_written(void **unused) {
  static const char *const parts[] = {"\nbatch: 4\n",   "\n  parallel: 4\n",
                                      "\n  type: gp\n", "\n  type: thompson\n",
                                      "\nseed: 1\n",    "\n    rate: 0.5\n"};
  static const char *const sets[] = {"batch=4"};
  gannet_campaign_input *input = NULL;
  gannet_complaints complaints = {0};
  char *text = NULL;
  (void)unused;
  assert_ok(parse_sized(SHORT, strlen(SHORT), 1, sets, &input, &complaints));
  assert_ok(gannet_campaign_format(input, &text, NULL));
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    if (!strstr(text, parts[i])) fail_msg("no '%s' in\n%s", parts[i], text);
  gannet_campaign_destroy(&input);
  gannet_free(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_reads_back_the_same),
      cmocka_unit_test(portfolios_keep_what_was_given),
      cmocka_unit_test(commands_keep_their_arguments),
      cmocka_unit_test(every_input_of_the_project_reads_back_the_same),
      cmocka_unit_test(strange_names_survive),
      cmocka_unit_test(bounds_keep_every_bit),
      cmocka_unit_test(settled_values_and_the_methods_row_are_written),
  };
  return run_serial(tests);
}
