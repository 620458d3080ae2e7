#include "campaign/run/fingerprint.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "problem/expression.h"
#include "problem/outputs.h"
#include "problem/variable_constraints.h"

static uint64_t mix_text(uint64_t digest, const char *text) {
  const uint64_t pair[2] = {digest, gannet_hash(text, strlen(text))};
  return gannet_hash(pair, sizeof pair);
}

static uint64_t mix_numbers(uint64_t digest, double a, double b, int c) {
  double triple[3] = {a, b, c};
  uint64_t pair[2] = {digest, gannet_hash(triple, sizeof triple)};
  return gannet_hash(pair, sizeof pair);
}

/* An expression, by its tokens or as it was written. */
static uint64_t mix_expression(uint64_t digest, const char *text, bool by_tokens) {
  char tokens[GANNET_EXPRESSION_TOKENS];
  return mix_text(digest, by_tokens ? gannet_expression_squeeze(text, tokens) : text);
}

/* Pinned variables and retired words. */
static uint64_t mix_pins(uint64_t digest, const gannet_problem *problem) {
  for (int v = 0; v < problem->spec.n_variables; ++v) {
    const double pin = gannet_problem_pinned(problem, v);
    if (!isnan(pin)) digest = mix_numbers(digest, pin, v, -6);
    for (int i = 0; i < problem->spec.variables[v].n_values; ++i)
      if (gannet_problem_is_retired(problem, v, i)) digest = mix_numbers(digest, i, v, -7);
  }
  return digest;
}

static uint64_t mix_variables(uint64_t digest, const gannet_problem_spec *spec, bool by_tokens) {
  for (int v = 0; v < spec->n_variables; ++v) {
    const gannet_variable *variable = &spec->variables[v];
    digest = mix_text(digest, variable->name);
    digest = mix_numbers(digest, variable->lower, variable->upper,
                         8 * (int)variable->type + (int)variable->scale);
    for (int i = 0; i < variable->n_values; ++i) digest = mix_text(digest, variable->values[i]);
    if (variable->step > 0) digest = mix_numbers(digest, variable->step, 0, -4);
    if (variable->role == GANNET_ROLE_FIXED) digest = mix_numbers(digest, variable->fixed, 0, -2);
    if (variable->role == GANNET_ROLE_DERIVED)
      digest = mix_expression(mix_numbers(digest, 0, 0, -3), variable->expression, by_tokens);
    if (gannet_variable_is_conditional(variable))
      digest = mix_expression(mix_numbers(digest, 0, 0, -5), variable->when, by_tokens);
  }
  return digest;
}

/* is_old  in  as it was before relations between variables belonged to it */
static uint64_t compute_fingerprint(const gannet_problem *problem, bool is_old) {
  const gannet_variable_constraints *relations = problem->variable_constraints;
  uint64_t digest = mix_variables((uint64_t)problem->spec.goal, &problem->spec, !is_old);
  for (int k = 0; k < problem->spec.n_constraints; ++k) {
    digest = mix_text(digest, problem->spec.constraints[k].name);
    digest = mix_numbers(digest, problem->spec.constraints[k].lower,
                         problem->spec.constraints[k].upper, -1);
  }
  if (strcmp(gannet_problem_quantity_name(problem, 0), "objective") != 0)
    digest = mix_text(digest, gannet_problem_quantity_name(problem, 0));
  for (int m = 1; m < problem->spec.n_objectives; ++m)
    digest = mix_numbers(digest, (double)problem->spec.objectives[m].goal, m, -8);
  for (int i = 0; i <= problem->spec.n_constraints; ++i)
    if (gannet_problem_formula(problem, i))
      digest = mix_text(mix_numbers(digest, 0, 0, i), gannet_problem_formula(problem, i)->tokens);
  for (int i = 0; relations && !is_old && i < relations->n_texts; ++i)
    digest = mix_expression(mix_numbers(digest, 0, 0, -5), relations->text[i], true);
  return mix_pins(digest, problem);
}

uint64_t gannet_problem_fingerprint(const gannet_problem *problem) {
  return compute_fingerprint(problem, false);
}

bool gannet_problem_has_fingerprint(const gannet_problem *problem, uint64_t fingerprint) {
  return fingerprint == compute_fingerprint(problem, false) ||
         fingerprint == compute_fingerprint(problem, true);
}
