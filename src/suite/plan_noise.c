/* Noise as published: a share of the standard deviation over uniform points. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "problem/problem.h"
#include "suite/plan_parts.h"
#include "suite/subject.h"

enum { POINTS = 10000 };

/* Mean and sum of squared deviations of each quantity, updated point by point (Welford 1962). */
typedef struct {
  int n;
  double *mean, *squares; /* [1 + n_constraints] */
} spread;

static gannet_err measure_spread(suite_subject *subject, const gannet_problem *problem,
                                 double *buffer, spread *s) {
  const int quantities = 1 + problem->spec.n_constraints;
  const size_t d = (size_t)problem->d, nv = (size_t)problem->spec.n_variables;
  double *unit = buffer, *x = unit + d, *values = x + nv;
  const gannet_stream stream = {1, GANNET_FOR_SIMULATION, 0, 0};
  s->mean = values + quantities;
  s->squares = s->mean + quantities;
  for (int i = 0; i < POINTS; ++i) {
    const gannet_result_record *result = NULL;
    gannet_random_uniform(stream, (uint64_t)i * d, d, unit);
    gannet_problem_spread(problem, 1, unit);
    gannet_problem_decode(problem, unit, x);
    GANNET_TRY(suite_subject_evaluate(subject, 1, i, x, &result));
    if (result->status != GANNET_EVAL_DONE) continue;
    values[0] = result->objective;
    for (int j = 1; j < quantities; ++j) values[j] = result->constraints[j - 1];
    s->n += 1;
    for (int j = 0; j < quantities; ++j) {
      const double away = values[j] - s->mean[j];
      s->mean[j] += away / s->n;
      s->squares[j] += away * (values[j] - s->mean[j]);
    }
  }
  GANNET_REQUIRE(s->n >= 2, GANNET_ERR_INPUT,
                 "noise: none of %d uniform points could be evaluated, so its level is not known",
                 POINTS);
  return GANNET_OK;
}

gannet_err suite_plan_find_noise(suite_plan *plan, int p) {
  suite_problem *problem = &plan->problem[p];
  const gannet_campaign_input *input = plan->input[p * plan->n_methods];
  const gannet_problem *space = input->problem;
  const size_t quantities = 1 + (size_t)space->spec.n_constraints;
  suite_subject *subject = NULL;
  spread s = {0};
  double *buffer = NULL;
  GANNET_REQUIRE(strcmp(input->evaluator->name, "function") == 0, GANNET_ERR_INPUT,
                 "problems.%s: noise in shares of the spread is for built-in functions, which can "
                 "be called %d times; let the simulation add its own",
                 problem->label, POINTS);
  const suite_subject_setup setup = {
      .input = input, .input_directory = plan->input_directory, .directory = ".", .batch = 1};
  gannet_err err = suite_subject_create(&setup, &subject);
  if (err == GANNET_OK)
    err = gannet_alloc((size_t)space->d + (size_t)space->spec.n_variables + 3 * quantities,
                       sizeof *buffer, &buffer);
  if (err == GANNET_OK) err = measure_spread(subject, space, buffer, &s);
  if (err == GANNET_OK) problem->noise_sd = problem->keys.noise * sqrt(s.squares[0] / (s.n - 1));
  if (err == GANNET_OK && problem->keys.constraint_noise > 0)
    err = gannet_alloc(quantities - 1, sizeof *problem->constraint_sd, &problem->constraint_sd);
  for (size_t j = 1; err == GANNET_OK && problem->constraint_sd && j < quantities; ++j)
    problem->constraint_sd[j - 1] = problem->keys.constraint_noise * sqrt(s.squares[j] / (s.n - 1));
  gannet_free(&buffer);
  suite_subject_destroy(&subject);
  return err;
}
