/* Creating and destroying problems, and what may be set afterwards: units, candidates, equations.
 */
#include "problem/problem.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/plain_environment.h"
#include "problem/check.h"
#include "problem/conditional.h"
#include "problem/derived.h"
#include "problem/objectives.h"
#include "problem/outputs.h"
#include "problem/physics.h"
#include "problem/pool.h"
#include "problem/variable_constraints.h"

/* A variable or constraint with its own copies of all strings; on failure what exists is freed by
 * gannet_problem_destroy. */
static gannet_err copy_variable(const gannet_variable *from, gannet_variable *to) {
  char *name = NULL, *expression = NULL, *when = NULL, **values = NULL, number[40];
  double *numbers = NULL;
  *to = *from;
  to->numbers = NULL;
  to->name = NULL;
  to->values = NULL;
  to->n_values = 0;
  to->expression = NULL;
  to->when = NULL;
  GANNET_TRY(gannet_copy_text(from->name, &name));
  to->name = name;
  if (gannet_variable_is_conditional(from)) {
    GANNET_TRY(gannet_copy_text(from->when, &when));
    to->when = when;
  }
  if (from->role == GANNET_ROLE_DERIVED) {
    GANNET_TRY(gannet_copy_text(from->expression, &expression));
    to->expression = expression;
  }
  if (from->role != GANNET_ROLE_DERIVED) to->upper = gannet_variable_last(from);
  if (from->type != GANNET_VARIABLE_CATEGORICAL && from->type != GANNET_VARIABLE_ORDINAL)
    return GANNET_OK;
  if (gannet_variable_has_numbers(from)) {
    GANNET_TRY(gannet_alloc((size_t)from->n_values, sizeof *numbers, &numbers));
    memcpy(numbers, from->numbers, (size_t)from->n_values * sizeof *numbers);
    to->numbers = numbers;
  }
  GANNET_TRY(gannet_alloc((size_t)from->n_values, sizeof *values, &values));
  to->values = (const char *const *)values;
  for (; to->n_values < from->n_values; ++to->n_values) {
    const int i = to->n_values;
    if (numbers) gannet_variable_write_number(numbers[i], number, sizeof number);
    GANNET_TRY(gannet_copy_text(numbers ? number : from->values[i], &values[i]));
  }
  if (from->type == GANNET_VARIABLE_ORDINAL) {
    to->lower = numbers ? numbers[0] : 0;
    to->upper = numbers ? numbers[to->n_values - 1] : to->n_values - 1;
  }
  return GANNET_OK;
}

static gannet_err copy_spec(const gannet_problem_spec *from, gannet_problem_spec *to) {
  gannet_variable *variables = NULL;
  gannet_constraint *constraints = NULL;
  to->goal = from->goal;
  to->noise_sd = from->noise_sd;
  GANNET_TRY(gannet_alloc((size_t)from->n_variables, sizeof *variables, &variables));
  to->variables = variables;
  for (; to->n_variables < from->n_variables; ++to->n_variables)
    GANNET_TRY(copy_variable(&from->variables[to->n_variables], &variables[to->n_variables]));
  const int n_bounded = gannet_spec_n_bounded(from);
  GANNET_TRY(
      gannet_alloc((size_t)(n_bounded + from->n_objectives), sizeof *constraints, &constraints));
  to->constraints = constraints;
  for (; to->n_constraints < n_bounded; ++to->n_constraints) {
    const gannet_constraint *source = &from->constraints[to->n_constraints];
    gannet_constraint *target = &constraints[to->n_constraints];
    char *name = NULL;
    *target = *source;
    target->name = NULL;
    GANNET_TRY(gannet_copy_text(source->name, &name));
    target->name = name;
  }
  return gannet_objectives_copy(from, to, constraints);
}

static gannet_err number_coordinates(gannet_problem *problem) {
  const int n = problem->spec.n_variables;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *problem->first, &problem->first));
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *problem->free_variable, &problem->free_variable));
  for (int v = 0; v < n; ++v) {
    problem->first[v] = problem->d;
    problem->d += gannet_variable_width(&problem->spec.variables[v]);
    if (problem->spec.variables[v].role == GANNET_ROLE_FREE)
      problem->free_variable[problem->n_free++] = v;
  }
  GANNET_TRY(gannet_alloc((size_t)problem->d, sizeof *problem->continuous, &problem->continuous));
  for (int v = 0; v < n; ++v)
    if (isinf(gannet_variable_count(&problem->spec.variables[v]))) {
      problem->continuous[problem->first[v]] = true;
      problem->n_continuous += 1;
    }
  for (int k = 0; k < problem->spec.n_constraints; ++k)
    problem->n_bounds += (problem->spec.constraints[k].upper < INFINITY) +
                         (problem->spec.constraints[k].lower > -INFINITY);
  return GANNET_OK;
}

void gannet_problem_hold(const gannet_problem *problem, int **holders) {
  *holders = problem->holders;
  **holders += 1;
}

void gannet_problem_let_go(int **holders) {
  if (*holders && --**holders == 0) gannet_free(holders);
  *holders = NULL;
}

gannet_err gannet_problem_check_free(const gannet_problem *problem, const char *what) {
  const int optimizers = *problem->holders - 1;
  GANNET_REQUIRE(optimizers == 0, GANNET_ERR_STATE,
                 "%s cannot be set while an optimiser works with the problem (now %d); set them "
                 "before gannet_optimizer_create, or after gannet_optimizer_destroy",
                 what, optimizers);
  return GANNET_OK;
}

static gannet_err fill_problem(const gannet_problem_spec *spec, gannet_problem *problem) {
  GANNET_TRY(gannet_alloc(1, sizeof *problem->holders, &problem->holders));
  *problem->holders = 1;
  GANNET_TRY(copy_spec(spec, &problem->spec));
  GANNET_TRY(number_coordinates(problem));
  gannet_complaints none = {0}; /* the expressions were checked with the rest */
  GANNET_TRY(gannet_derived_create(spec->n_variables, problem->spec.variables, NULL, &none,
                                   &problem->derived));
  return gannet_conditional_list_points(problem);
}

gannet_err gannet_problem_create(const gannet_problem_spec *spec, gannet_problem **problem) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  GANNET_REQUIRE_POINTER(problem, "problem");
  *problem = NULL;
  GANNET_REQUIRE_POINTER(spec, "spec");
  GANNET_TRY(gannet_problem_check_spec(spec));
  GANNET_TRY(gannet_alloc(1, sizeof **problem, problem));
  const gannet_err err = fill_problem(spec, *problem);
  if (err != GANNET_OK) gannet_problem_destroy(problem);
  GANNET_TRY(err);
  return GANNET_OK;
}

static gannet_err set_unit(int n, int i, const char *unit, char ***units) {
  if (!unit || !*unit) return GANNET_OK;
  if (!*units) GANNET_TRY(gannet_alloc((size_t)n, sizeof **units, units));
  gannet_free(&(*units)[i]);
  return gannet_copy_text(unit, &(*units)[i]);
}

gannet_err gannet_problem_set_variable_unit(gannet_problem *problem, int v, const char *unit) {
  return set_unit(problem->spec.n_variables, v, unit, &problem->variable_unit);
}

gannet_err gannet_problem_set_renamed_from(gannet_problem *problem, int v, const char *name) {
  return set_unit(problem->spec.n_variables, v, name, &problem->renamed_from);
}

int gannet_problem_find_before(const gannet_problem *before, const gannet_problem *problem, int v) {
  const int found = gannet_problem_find_variable(before, problem->spec.variables[v].name);
  const char *name = gannet_problem_unit(problem->renamed_from, v);
  return found < 0 && *name ? gannet_problem_find_variable(before, name) : found;
}

gannet_err gannet_problem_set_constraint_unit(gannet_problem *problem, int k, const char *unit) {
  return set_unit(problem->spec.n_constraints, k, unit, &problem->constraint_unit);
}

gannet_err gannet_problem_set_was(gannet_problem *problem, int v, double value) {
  const size_t n = (size_t)problem->spec.n_variables;
  if (!problem->was) {
    GANNET_TRY(gannet_alloc(n, sizeof *problem->was, &problem->was));
    for (size_t i = 0; i < n; ++i) problem->was[i] = NAN;
  }
  problem->was[v] = value;
  return GANNET_OK;
}

double gannet_problem_was(const gannet_problem *problem, int v) {
  return problem->was ? problem->was[v] : NAN;
}

const char *gannet_problem_unit(char *const *units, int i) {
  return units && units[i] ? units[i] : "";
}

static void free_units(int n, char ***units) {
  for (int i = 0; *units && i < n; ++i) gannet_free(&(*units)[i]);
  gannet_free(units);
}

/* The strings are const for users only; they were allocated by copy_spec. */
static void free_const(const void *block) {
  void *plain;
  memcpy(&plain, &block, sizeof plain);
  gannet_free(&plain);
}

void gannet_problem_destroy(gannet_problem **problem) {
  if (!problem || !*problem) return;
  const gannet_problem_spec *spec = &(*problem)->spec;
  free_units(spec->n_variables, &(*problem)->variable_unit);
  free_units(spec->n_variables, &(*problem)->renamed_from);
  free_units(spec->n_constraints, &(*problem)->constraint_unit);
  for (int v = 0; v < spec->n_variables; ++v) {
    const gannet_variable *variable = &spec->variables[v];
    for (int i = 0; i < variable->n_values; ++i) free_const(variable->values[i]);
    free_const(variable->values);
    free_const(variable->numbers);
    free_const(variable->name);
    free_const(variable->expression);
    free_const(variable->when);
  }
  free_const(spec->variables);
  for (int k = 0; k < spec->n_constraints; ++k) free_const(spec->constraints[k].name);
  free_const(spec->constraints);
  for (int m = 0; m < spec->n_objectives; ++m) free_const(spec->objectives[m].name);
  free_const(spec->objectives);
  gannet_pool_destroy(&(*problem)->pool);
  gannet_derived_destroy(&(*problem)->derived, spec->n_variables);
  gannet_free(&(*problem)->free_variable);
  gannet_free(&(*problem)->was);
  gannet_free(&(*problem)->pin);
  for (int v = 0; (*problem)->retired && v < spec->n_variables; ++v)
    gannet_free(&(*problem)->retired[v]);
  gannet_free(&(*problem)->retired);
  gannet_free(&(*problem)->first);
  gannet_free(&(*problem)->continuous);
  gannet_physics_destroy(&(*problem)->physics);
  gannet_outputs_destroy(&(*problem)->outputs);
  gannet_variable_constraints_destroy(&(*problem)->variable_constraints);
  gannet_variable_functions_free((*problem)->n_functions, &(*problem)->function);
  gannet_problem_let_go(&(*problem)->holders);
  gannet_free(problem);
}

gannet_err gannet_problem_set_candidates(gannet_problem *problem, MPI_Comm comm, int64_t n,
                                         const double *x_user) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  GANNET_REQUIRE_POINTER(problem, "problem");
  gannet_pool *made = NULL;
  GANNET_TRY(gannet_context_check(comm));
  GANNET_TRY(gannet_agree(comm, gannet_problem_check_free(problem, "candidates")));
  GANNET_TRY(gannet_pool_create(comm, problem, n, x_user, &made));
  const gannet_err err = gannet_agree(comm, gannet_variable_constraints_check_pool(problem, made));
  if (err != GANNET_OK) {
    gannet_pool_destroy(&made);
    return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  }
  gannet_pool_destroy(&problem->pool);
  problem->pool = made;
  problem->n_continuous = 0;
  memset(problem->continuous, 0, (size_t)problem->d * sizeof *problem->continuous);
  return GANNET_OK;
}

gannet_err gannet_problem_set_variable_constraints(gannet_problem *problem, int n,
                                                   const char *const *texts) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  GANNET_REQUIRE_POINTER(problem, "problem");
  GANNET_REQUIRE(n >= 0, GANNET_ERR_ARG, "n = %d, expected at least 0", n);
  if (n > 0) GANNET_REQUIRE_POINTER(texts, "texts");
  for (int i = 0; i < n; ++i) GANNET_REQUIRE_POINTER(texts[i], "a text");
  GANNET_TRY(gannet_problem_check_free(problem, "variable constraints"));
  return gannet_variable_constraints_set(problem, n, texts, NULL);
}

/* Other functions beside the texts that there are. */
static gannet_err exchange_functions(gannet_problem *problem, int n,
                                     gannet_variable_function *functions) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  gannet_variable_function *before = problem->function;
  const int n_before = problem->n_functions;
  problem->function = functions;
  problem->n_functions = n;
  const gannet_err err = gannet_variable_constraints_set(
      problem, c ? c->n_texts : 0, c ? (const char *const *)c->text : NULL, NULL);
  if (err != GANNET_OK) {
    problem->function = before;
    problem->n_functions = n_before;
    return err;
  }
  gannet_variable_functions_free(n_before, &before);
  return GANNET_OK;
}

gannet_err gannet_problem_set_variable_functions(gannet_problem *problem, int n,
                                                 const gannet_variable_function *functions) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  gannet_variable_function *copy = NULL;
  GANNET_REQUIRE_POINTER(problem, "problem");
  GANNET_REQUIRE(n >= 0, GANNET_ERR_ARG, "n = %d, expected at least 0", n);
  if (n > 0) GANNET_REQUIRE_POINTER(functions, "functions");
  for (int f = 0; f < n; ++f) {
    GANNET_REQUIRE_POINTER(functions[f].name, "the name of a function");
    GANNET_REQUIRE_POINTER(functions[f].slack, "slack");
  }
  GANNET_TRY(gannet_problem_check_free(problem, "variable constraints"));
  gannet_err err = gannet_variable_functions_copy(n, functions, &copy);
  if (err == GANNET_OK) err = exchange_functions(problem, n, copy);
  if (err != GANNET_OK) gannet_variable_functions_free(n, &copy);
  GANNET_TRY(err);
  return GANNET_OK;
}

gannet_err gannet_problem_state_physics(gannet_problem *problem, const gannet_physics_spec *spec,
                                        const char *const *location,
                                        gannet_complaints *complaints) {
  return gannet_physics_create(problem, spec, location, complaints, &problem->physics);
}

gannet_err gannet_problem_set_physics(gannet_problem *problem, const gannet_physics_spec *spec) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  gannet_complaints complaints = {0};
  GANNET_REQUIRE_POINTER(problem, "problem");
  GANNET_REQUIRE_POINTER(spec, "spec");
  GANNET_TRY(gannet_physics_check_arrays(spec));
  GANNET_REQUIRE(!problem->physics, GANNET_ERR_STATE, "the problem has equations already");
  GANNET_TRY(gannet_problem_check_free(problem, "equations"));
  gannet_err code = gannet_problem_state_physics(problem, spec, NULL, &complaints);
  if (code == GANNET_OK) code = gannet_complaints_raise(&complaints);
  gannet_complaints_release(&complaints);
  return code;
}

gannet_err gannet_problem_set_residual(gannet_problem *problem, int equation,
                                       gannet_residual_function residual) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  GANNET_REQUIRE_POINTER(problem, "problem");
  GANNET_REQUIRE_POINTER(residual, "residual");
  return gannet_physics_set_residual(problem->physics, equation, residual);
}

const gannet_problem_spec *gannet_problem_get_spec(const gannet_problem *problem) {
  return problem ? &problem->spec : NULL;
}
