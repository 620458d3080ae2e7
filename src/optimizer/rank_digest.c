#include "optimizer/rank_digest.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "problem/physics.h"
#include "problem/pool.h"
#include "problem/variable_constraints.h"

static uint64_t mix_bytes(uint64_t digest, const void *bytes, size_t size) {
  const uint64_t pair[2] = {digest, gannet_hash(bytes, size)};
  return gannet_hash(pair, sizeof pair);
}

static uint64_t mix_text(uint64_t digest, const char *text) {
  return mix_bytes(digest, text, strlen(text));
}

uint64_t gannet_rank_digest_numbers(uint64_t digest, int n, const double *numbers) {
  for (int i = 0; i < n; ++i) {
    const double number = numbers[i] == 0 ? 0 : numbers[i];
    digest = mix_bytes(digest, &number, sizeof number);
  }
  return digest;
}

static uint64_t mix_variable(uint64_t digest, const gannet_variable *variable) {
  const double numbers[] = {(double)variable->type, variable->lower, variable->upper,
                            (double)variable->scale, (double)variable->n_values};
  digest = mix_text(digest, variable->name);
  for (int i = 0; i < variable->n_values; ++i) digest = mix_text(digest, variable->values[i]);
  const double role[] = {(double)variable->role,
                         variable->role == GANNET_ROLE_FIXED ? variable->fixed : 0, variable->step,
                         variable->numbers != NULL};
  digest = gannet_rank_digest_numbers(digest, 4, role);
  if (variable->role == GANNET_ROLE_DERIVED) digest = mix_text(digest, variable->expression);
  if (gannet_variable_is_conditional(variable)) digest = mix_text(digest, variable->when);
  return gannet_rank_digest_numbers(digest, (int)(sizeof numbers / sizeof *numbers), numbers);
}

uint64_t gannet_rank_digest_problem(const gannet_problem_spec *spec) {
  const double numbers[] = {(double)spec->n_variables, (double)spec->n_constraints,
                            (double)spec->goal, isnan(spec->noise_sd) ? -1 : spec->noise_sd};
  uint64_t digest = gannet_rank_digest_numbers(0, (int)(sizeof numbers / sizeof *numbers), numbers);
  for (int v = 0; v < spec->n_variables; ++v) digest = mix_variable(digest, &spec->variables[v]);
  for (int k = 0; k < spec->n_constraints; ++k) {
    const double bounds[] = {spec->constraints[k].lower, spec->constraints[k].upper};
    digest = gannet_rank_digest_numbers(mix_text(digest, spec->constraints[k].name), 2, bounds);
  }
  for (int m = 0; m < spec->n_objectives; ++m) {
    const gannet_objective *o = &spec->objectives[m];
    const double own[] = {(double)o->goal, isnan(o->threshold) ? INFINITY : o->threshold,
                          isnan(o->noise_sd) ? -1 : o->noise_sd, (double)o->transform,
                          (double)o->keeps_penalties};
    digest = gannet_rank_digest_numbers(mix_text(digest, o->name), 5, own);
  }
  return digest;
}

static uint64_t mix_optional(uint64_t digest, const char *text) {
  const uint64_t given = text != NULL;
  digest = mix_bytes(digest, &given, sizeof given);
  return text ? mix_text(digest, text) : digest;
}

static uint64_t mix_equation(uint64_t digest, const gannet_physics_equation *equation) {
  const double numbers[] = {equation->n_terms, equation->plugin != NULL};
  digest = mix_text(gannet_rank_digest_numbers(digest, 2, numbers), equation->name);
  digest = mix_optional(digest, equation->rhs);
  for (int t = 0; t < equation->n_terms; ++t) {
    const gannet_physics_term *term = &equation->terms[t];
    const double order = term->order;
    digest = gannet_rank_digest_numbers(mix_optional(digest, term->coefficient), 1, &order);
    for (int i = 0; i < term->order; ++i) digest = mix_text(digest, term->derivative[i]);
  }
  return digest;
}

uint64_t gannet_rank_digest_equations(const gannet_problem *problem) {
  const gannet_physics_spec *spec = gannet_problem_get_physics(problem);
  uint64_t digest = 0;
  if (!spec) return digest;
  const double numbers[] = {spec->n_equations, spec->points, spec->seed, spec->lambda2};
  digest = gannet_rank_digest_numbers(digest, (int)(sizeof numbers / sizeof *numbers), numbers);
  for (int e = 0; e < spec->n_equations; ++e) digest = mix_equation(digest, &spec->equations[e]);
  return digest;
}

uint64_t gannet_rank_digest_candidates(const gannet_problem *problem) {
  if (!problem->pool) return 0;
  const size_t n = (size_t)gannet_pool_count(problem->pool);
  return mix_bytes(1, gannet_pool_row(problem->pool, 0),
                   n * (size_t)problem->spec.n_variables * sizeof(double));
}

uint64_t gannet_rank_digest_variable_constraints(const gannet_problem *problem) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  uint64_t digest = 0;
  for (int t = 0; c && t < c->n_texts; ++t) digest = mix_text(digest, c->text[t]);
  return digest;
}

uint64_t gannet_rank_digest_variable_functions(const gannet_problem *problem) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  uint64_t digest = 0;
  if (problem->n_functions == 0) return digest;
  for (int i = 0; i < c->n; ++i)
    if (c->relation[i].function)
      digest = gannet_rank_digest_numbers(mix_text(digest, c->relation[i].function->name), 1,
                                          &c->use[i].scale);
  return gannet_rank_digest_numbers(digest, c->n_members * problem->d, c->member);
}

uint64_t gannet_rank_digest_objectives(const gannet_problem *problem) {
  const gannet_problem_spec *spec = &problem->spec;
  uint64_t digest = 0;
  for (int m = 0; m < spec->n_objectives; ++m) {
    const gannet_objective *o = &spec->objectives[m];
    const double own[] = {(double)o->goal, isnan(o->noise_sd) ? -1 : o->noise_sd};
    digest = gannet_rank_digest_numbers(mix_text(digest, o->name), 2, own);
    /* What a state had no word for before is as it was. */
    const double since[] = {(double)o->transform, (double)o->keeps_penalties};
    if (since[0] != 0 || since[1] != 0) digest = gannet_rank_digest_numbers(digest, 2, since);
  }
  return digest;
}

uint64_t gannet_rank_digest_settings(int n, const gannet_method_setting *settings) {
  uint64_t digest = 0;
  for (int i = 0; i < n; ++i)
    digest = mix_text(mix_text(digest, settings[i].key), settings[i].text);
  return digest;
}

uint64_t gannet_rank_digest_result(uint64_t digest, const gannet_problem *problem,
                                   const gannet_result_record *result) {
  const int64_t what[] = {result->id, (int64_t)result->status, (int64_t)result->run.crashed};
  digest = mix_bytes(digest, what, sizeof what);
  if (result->status != GANNET_EVAL_DONE) return digest;
  digest = gannet_rank_digest_numbers(digest, 1, &result->objective);
  digest = gannet_rank_digest_numbers(digest, problem->spec.n_constraints, result->constraints);
  for (int i = 0; i < result->reported.n; ++i) {
    const gannet_reported *item = &result->reported.item[i];
    const double numbers[] = {item->value, item->sd};
    digest = gannet_rank_digest_numbers(mix_text(digest, item->name), 2, numbers);
    if (item->gradient)
      digest = gannet_rank_digest_numbers(digest, problem->spec.n_variables, item->gradient);
  }
  return digest;
}
