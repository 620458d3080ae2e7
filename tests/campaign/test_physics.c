/* test: serial labels unit */
#include <math.h>

#include "base/memory.h"
#include "campaign/config/config.h"
#include "campaign/example.h"
#include "problem/physics.h"
#include "support/harness.h"

/* A campaign with a physics section below. */
#define BEGIN                                                                            \
  "method: pinn-bo\n"                                                                    \
  "variables: {x: {lower: 0, upper: 1}, y: {lower: 1, upper: 9, scale: log}, n: {type: " \
  "integer, lower: 1, upper: 3}}\n"                                                      \
  "budget: {evaluations: 10}\n"                                                          \
  "evaluate: {backend: manual}\n"

static const char full[] = BEGIN
    "physics:\n"
    "  points: 50\n"
    "  seed: 4\n"
    "  lambda2: 1e-4\n"
    "  equations:\n"
    "    - name: heat\n"
    "      terms:\n"
    "        - {coefficient: \"1 + x\", derivative: [x, x]}\n"
    "        - {coefficient: '-y^2', derivative: [y, x, y]}\n"
    "        - {derivative: []}\n"
    "      rhs: \"sin(pi*x) + n\"\n"
    "    - {terms: [{derivative: x}, {}], plugin: ./law.so, settings: {rate: 3}}\n";

static gannet_campaign_input *parse(const char *text) {
  gannet_campaign_input *input = NULL;
  gannet_complaints complaints = {0};
  if (parse_text(text, &input, &complaints) != GANNET_OK)
    fail_msg("%s\n%s", text, complaints.text ? complaints.text : gannet_error_message());
  return input;
}

static void assert_is_full(const gannet_campaign_input *input) {
  const gannet_physics_spec *spec = gannet_problem_get_physics(input->problem);
  assert_non_null(spec);
  assert_int_equal(spec->points, 50);
  assert_int_equal(spec->seed, 4);
  assert_true(spec->lambda2 == 1e-4);
  assert_int_equal(spec->n_equations, 2);
  const gannet_physics_equation *heat = &spec->equations[0], *law = &spec->equations[1];
  assert_string_equal(heat->name, "heat");
  assert_string_equal(heat->rhs, "sin(pi*x) + n");
  assert_int_equal(heat->n_terms, 3);
  assert_string_equal(heat->terms[0].coefficient, "1 + x");
  assert_int_equal(heat->terms[1].order, 3);
  assert_string_equal(heat->terms[1].derivative[1], "x");
  assert_null(heat->terms[2].coefficient);
  assert_int_equal(heat->terms[2].order, 0);
  assert_string_equal(law->name, "equation 2");
  assert_string_equal(law->plugin, "./law.so");
  assert_string_equal(law->settings[0], "rate=3");
  assert_string_equal(law->terms[0].derivative[0], "x");
  assert_int_equal(law->terms[1].order, 0);
}

static void the_section_is_read_and_written(void **state) {
  (void)state;
  gannet_campaign_input *input = parse(full), *again = NULL;
  char *text = NULL;
  assert_is_full(input);
  assert_ok(gannet_campaign_format(input, &text, NULL));
  again = parse(text);
  assert_is_full(again);
  gannet_free(&text);
  gannet_campaign_destroy(&again);
  gannet_campaign_destroy(&input);
}

static void expect(const char *text, const char *where, const char *what) {
  gannet_campaign_input *input = NULL;
  gannet_complaints complaints = {0};
  assert_int_equal(parse_text(text, &input, &complaints), GANNET_ERR_INPUT);
  assert_null(input);
  if (!strstr(complaints.text, where) || !strstr(complaints.text, what))
    fail_msg("'%s' and '%s' are not both in\n%s", where, what, complaints.text);
  gannet_complaints_release(&complaints);
}

#define HEAD BEGIN "physics:\n  equations:\n"

static void mistakes_are_told_with_their_places(void **state) {
  (void)state;
  expect(BEGIN "physics: {}\n", "c.yaml:5:1", "physics.equations: expected a list");
  expect(BEGIN "physics: [1]\n", "c.yaml:5", "expected keys");
  expect(BEGIN "physics: {equatons: []}\n", "c.yaml:5:11", "did you mean 'equations'");
  expect(BEGIN "physics: {equations: []}\n", "c.yaml:5:11", "expected a list, as in");
  expect(HEAD "    - {rhs: 0}\n", "c.yaml:7", "physics.equations.terms: expected a list");
  expect(HEAD "    - {terms: [], rhs: 0}\n", "c.yaml:7:8", "expected a list");
  expect(HEAD "    - {terms: [{derivativ: x}]}\n", "c.yaml:7:17", "did you mean 'derivative'");
  expect(HEAD "    - 3\n", "c.yaml:7:7", "expected keys");
  expect(HEAD "    - {terms: [{coefficient: 'x +* 2'}]}\n", "c.yaml:7:8",
         "coefficient: expression 'x +* 2'");
  expect(HEAD "    - {terms: [{}], rhs: z}\n", "c.yaml:7:8", "known names: x y n pi e");
  expect(HEAD "    - {terms: [{derivative: [x, z]}]}\n", "c.yaml:7:8",
         "derivative by unknown variable 'z'");
  expect(HEAD "    - {terms: [{derivative: [n]}]}\n", "c.yaml:7:8", "which is integer");
  expect(HEAD "    - {terms: [{derivative: [x, x, x, y, y]}]}\n", "c.yaml:7:8", "order 5");
  expect(HEAD "    - {terms: [{coefficient: 2}], plugin: a.so}\n", "c.yaml:7:8", "no coefficients");
  expect(BEGIN "physics: {points: 0, equations: [{terms: [{}]}]}\n", "c.yaml:5:19", "points");
}

#define LAW "physics: {equations: [{terms: [{derivative: x}], rhs: 0}]}\n"
#define WITHOUT                            \
  "variables: {x: {lower: 0, upper: 1}}\n" \
  "budget: {evaluations: 10}\n"            \
  "evaluate: {backend: manual}\n"

static void methods_that_cannot_use_equations_are_refused(void **state) {
  (void)state;
  expect(WITHOUT "method: gp-ei\n" LAW, "c.yaml:5:1", "'gp-ei' cannot use equations");
  expect(WITHOUT "method: gp-ei\n" LAW, "methods that can:", "pinn-bo pinn-bo-trained pinn-ei");
  expect(WITHOUT "method: sobol\n" LAW, "c.yaml:5:1", "'sobol' cannot use equations");
  expect(WITHOUT "method: pinn-bo\nsurrogate: gp\n" LAW, "c.yaml:6:1", "cannot use equations");
  expect(WITHOUT "method: pinn-bo\ntransform: log\n" LAW, "c.yaml:6:1",
         "do not hold for the logarithm");
}

static void plugins_are_loaded(void **state) {
  (void)state;
  const char *const format = WITHOUT
      "method: pinn-bo\nphysics: {equations: [{terms: [{}, {derivative: x}], plugin: '%s', "
      "settings: {rate: 3}}]}\n";
  char text[4096];
  gannet_pde_residuals *residuals = NULL;
  const double x = 0.5, jets[] = {2, 5};
  double c[2], rhs, residual;
  (void)snprintf(text, sizeof text, format, GANNET_LAW);
  gannet_campaign_input *input = parse(text);
  assert_ok(gannet_residuals_load(input, "c.yaml"));
  assert_ok(gannet_pde_residuals_create(input->problem, 1, &x, &residuals));
  assert_ok(gannet_pde_residuals_linearise(residuals, jets, c, &rhs, &residual));
  assert_near(residual, 5 - 3 * 2, 1e-14);
  gannet_pde_residuals_destroy(&residuals);
  gannet_campaign_destroy(&input);

  (void)snprintf(text, sizeof text, format, "no-such.so");
  input = parse(text);
  assert_fails(GANNET_ERR_INPUT, "/tmp/no-such.so", gannet_residuals_load(input, "/tmp/c.yaml"));
  gannet_campaign_destroy(&input);

  (void)snprintf(text, sizeof text, format, GANNET_NO_LAW);
  input = parse(text);
  assert_fails(GANNET_ERR_INPUT, "does not export gannet_residual",
               gannet_residuals_load(input, "c.yaml"));
  gannet_campaign_destroy(&input);
}

/* As built-in problems give theirs. */
static void a_list_of_equations_can_be_given_alone(void **state) {
  (void)state;
  gannet_campaign_input *input = parse(WITHOUT);
  assert_ok(gannet_physics_parse("- {terms: [{derivative: [x]}], rhs: \"2*x\"}\n", input->problem));
  assert_int_equal(gannet_problem_get_physics(input->problem)->n_equations, 1);
  gannet_campaign_destroy(&input);
  input = parse(WITHOUT);
  assert_ok(gannet_physics_parse("{points: 7, equations: [{terms: [{}]}]}", input->problem));
  assert_int_equal(gannet_problem_get_physics(input->problem)->points, 7);
  gannet_campaign_destroy(&input);
  input = parse(WITHOUT);
  assert_fails(GANNET_ERR_INPUT, "known names: x",
               gannet_physics_parse("- {terms: [{coefficient: q}]}", input->problem));
  assert_fails(GANNET_ERR_INPUT, "physics", gannet_physics_parse("- {terms: [", input->problem));
  gannet_campaign_destroy(&input);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_section_is_read_and_written),
      cmocka_unit_test(mistakes_are_told_with_their_places),
      cmocka_unit_test(methods_that_cannot_use_equations_are_refused),
      cmocka_unit_test(plugins_are_loaded),
      cmocka_unit_test(a_list_of_equations_can_be_given_alone),
  };
  return run_serial(tests);
}
