/* test: ranks 1 2 labels input */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "support/harness.h"

#include "base/context.h"
#include "campaign/config/config.h"
#include "evaluate/evaluator.h"
#include "simulations/heater.h"
#include "simulations/registry.h"

static gannet_campaign_input *load(const char *path) {
  gannet_complaints complaints = {0};
  gannet_campaign_input *input = NULL;
  if (gannet_campaign_load(MPI_COMM_WORLD, path, 0, NULL, NULL, &input, &complaints) != GANNET_OK)
    fail_msg("%s", complaints.text ? complaints.text : gannet_error_message());
  gannet_complaints_release(&complaints);
  return input;
}

/* The best design that the comment of the file tells, run the way a campaign runs it. */
static void the_heater_campaign_has_its_best_at_the_reference(void **state) {
  (void)state;
  double lower[10], upper[10], minimum, best[10], peak = 0;
  gannet_campaign_input *input = load(GANNET_INPUTS "/heater.yaml");
  gannet_context *context = NULL;
  gannet_evaluator *evaluator = NULL;
  gannet_result_record result = {.constraints = &peak};
  int n = 0;
  assert_int_equal(gannet_problem_get_spec(input->problem)->n_variables, 10);
  assert_int_equal(gannet_heater.box(10, lower, upper, &minimum, best), 0);
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 1, &context));
  const gannet_evaluator_setup setup = {.context = context,
                                        .problem = input->problem,
                                        .campaign = ".",
                                        .name = "heater",
                                        .parallel = 1,
                                        .time_limit = INFINITY,
                                        .simulations = gannet_simulations};
  assert_ok(
      gannet_evaluator_create(input->evaluator, input->evaluator_options, &setup, &evaluator));
  const gannet_request request = {.id = 1, .attempt = 1, .seed = 3, .nonce = 5, .x_user = best};
  assert_ok(gannet_evaluator_submit(evaluator, 1, &request));
  assert_ok(gannet_evaluator_poll(evaluator, 60, 1, &n, &result));
  assert_int_equal(n, 1);
  assert_near(result.objective, 1.5, 1e-12);
  assert_near(peak, 135.9302, 1e-4);
  gannet_evaluator_destroy(&evaluator);
  gannet_context_destroy(&context);
  gannet_campaign_destroy(&input);
}

/* The same problem in both files: variable by variable. */
static void the_command_campaign_states_the_same_problem(void **state) {
  (void)state;
  gannet_campaign_input *one = load(GANNET_INPUTS "/heater.yaml");
  gannet_campaign_input *other = load(GANNET_INPUTS "/heater-command.yaml");
  const gannet_problem_spec *a = gannet_problem_get_spec(one->problem);
  const gannet_problem_spec *b = gannet_problem_get_spec(other->problem);
  assert_string_equal(other->evaluator->name, "command");
  assert_int_equal(a->n_variables, b->n_variables);
  for (int k = 0; k < a->n_variables; ++k) {
    assert_string_equal(a->variables[k].name, b->variables[k].name);
    assert_int_equal(a->variables[k].type, b->variables[k].type);
    assert_true(a->variables[k].lower == b->variables[k].lower);
    assert_true(a->variables[k].upper == b->variables[k].upper);
  }
  assert_int_equal(b->n_constraints, 1);
  assert_string_equal(a->constraints[0].name, b->constraints[0].name);
  assert_true(a->constraints[0].upper == b->constraints[0].upper);
  gannet_campaign_destroy(&one);
  gannet_campaign_destroy(&other);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_heater_campaign_has_its_best_at_the_reference),
      cmocka_unit_test(the_command_campaign_states_the_same_problem),
  };
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
