#include "problem/check.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/conditional.h"
#include "problem/derived.h"
#include "problem/objectives.h"
#include "problem/quantities.h"

static void check_name(const char *what, const char *name, const char *location,
                       gannet_complaints *complaints) {
  if (gannet_quantity_is_name(name)) return;
  gannet_complain(complaints, location,
                  "%s name '%s': expected up to 63 letters, digits and underscores, not starting "
                  "with a digit",
                  what, name ? name : "");
}

static void check_box(const gannet_variable *v, const char *location,
                      gannet_complaints *complaints) {
  if (!isfinite(v->lower) || !isfinite(v->upper))
    gannet_complain(complaints, location, "variable %s: bounds must be finite numbers", v->name);
  else if (v->lower == v->upper)
    gannet_complain(complaints, location,
                    "variable %s: has only one value, %g; widen its bounds, or leave it out",
                    v->name, v->lower);
  else if (!(v->lower < v->upper))
    gannet_complain(complaints, location,
                    "variable %s: empty box, lower = %g is not below upper = %g", v->name, v->lower,
                    v->upper);
  else if (!isfinite(v->upper - v->lower))
    gannet_complain(complaints, location,
                    "variable %s: the box from %g to %g is too wide; choose other bounds", v->name,
                    v->lower, v->upper);
  if (v->scale != GANNET_SCALE_LINEAR && v->scale != GANNET_SCALE_LOG)
    gannet_complain(complaints, location, "variable %s: unknown scale %d", v->name, (int)v->scale);
  if (v->scale == GANNET_SCALE_LOG && !(v->lower > 0))
    gannet_complain(complaints, location,
                    "variable %s: scale log needs positive bounds, lower = %g is not", v->name,
                    v->lower);
  else if (v->scale == GANNET_SCALE_LOG && isfinite(v->upper) && isinf(v->upper / v->lower))
    gannet_complain(
        complaints, location,
        "variable %s: with scale log, upper / lower must be at most %.2g; choose bounds "
        "closer than lower = %g and upper = %g",
        v->name, DBL_MAX, v->lower, v->upper);
}

static void check_whole(const gannet_variable *v, const char *location,
                        gannet_complaints *complaints) {
  const double largest = 0x1p52;
  if (v->lower != floor(v->lower) || v->upper != floor(v->upper) || fabs(v->lower) > largest ||
      fabs(v->upper) > largest)
    gannet_complain(complaints, location,
                    "variable %s: bounds of an integer must be whole numbers of at most 2^52, not "
                    "%.17g and %.17g",
                    v->name, v->lower, v->upper);
}

static void check_step(const gannet_variable *v, const char *location,
                       gannet_complaints *complaints) {
  const double range = v->upper - v->lower;
  if (v->step == 0) return;
  if (!(v->step > 0) || !isfinite(v->step))
    gannet_complain(complaints, location, "variable %s: step = %g, expected a number above 0",
                    v->name, v->step);
  else if (v->step > range * (1 + 1e-12))
    gannet_complain(complaints, location,
                    "variable %s: step = %g is larger than the range from %g to %g; choose a "
                    "smaller one",
                    v->name, v->step, v->lower, v->upper);
  else if (range / v->step > 0x1p52)
    gannet_complain(complaints, location,
                    "variable %s: step = %g is too small for the range from %g to %g; leave it out",
                    v->name, v->step, v->lower, v->upper);
  else if (v->type == GANNET_VARIABLE_INTEGER && v->step != floor(v->step))
    gannet_complain(complaints, location,
                    "variable %s: step = %g, expected a whole number for an integer", v->name,
                    v->step);
}

/* The numbers of an ordinal variable. */
static void check_numbers(const gannet_variable *v, const char *location,
                          gannet_complaints *complaints) {
  const double *x = v->numbers;
  const bool logs = v->scale == GANNET_SCALE_LOG;
  if (v->n_values < (v->role == GANNET_ROLE_FIXED ? 1 : 2))
    gannet_complain(complaints, location,
                    "variable %s: an ordinal variable needs at least two values, as in values: "
                    "[16, 32, 64]; fixed makes it one value",
                    v->name);
  bool falls = false;
  for (int i = 0; i < v->n_values; ++i) {
    if (!isfinite(x[i]))
      gannet_complain(complaints, location, "variable %s: value %d is %g, expected finite numbers",
                      v->name, i + 1, x[i]);
    else if (i > 0 && x[i] == x[i - 1])
      gannet_complain(complaints, location, "variable %s: value %g is repeated; leave one out",
                      v->name, x[i]);
    else if (i > 0 && x[i] < x[i - 1] && !falls)
      gannet_complain(complaints, location,
                      "variable %s: values must increase, and %g follows %g; sort them, or write "
                      "words with type: ordinal, whose order counts",
                      v->name, x[i], x[i - 1]);
    falls = falls || (i > 0 && x[i] < x[i - 1]); /* the first place is enough */
  }
  if (logs && v->n_values > 0 && !(x[0] > 0))
    gannet_complain(complaints, location, "variable %s: scale log needs positive values, %g is not",
                    v->name, x[0]);
  else if (v->n_values > 0 &&
           !isfinite(logs ? x[v->n_values - 1] / x[0] : x[v->n_values - 1] - x[0]))
    gannet_complain(complaints, location,
                    "variable %s: the values from %g to %g are too far apart; choose others",
                    v->name, x[0], x[v->n_values - 1]);
}

static void check_values(const gannet_variable *v, const char *location,
                         gannet_complaints *complaints) {
  const char *kind = v->type == GANNET_VARIABLE_ORDINAL ? "an ordinal" : "a categorical";
  if (v->n_values > 0 && !v->values) {
    gannet_complain(complaints, location,
                    "variable %s: values is a null pointer; expected %d names", v->name,
                    v->n_values);
    return;
  }
  if (v->n_values == 1 && v->values[0])
    gannet_complain(complaints, location,
                    "variable %s: %s variable needs at least two values, and has only '%s'; add "
                    "others, or leave it out",
                    v->name, kind, v->values[0]);
  else if (v->n_values < 2)
    gannet_complain(complaints, location,
                    "variable %s: %s variable needs at least two values, as in values: [%s]",
                    v->name, kind,
                    v->type == GANNET_VARIABLE_ORDINAL ? "coarse, fine" : "cg, gmres");
  for (int i = 0; i < v->n_values; ++i) {
    if (!v->values[i] || !*v->values[i] || strpbrk(v->values[i], "\n\r"))
      gannet_complain(complaints, location,
                      "variable %s: value %d is empty or spans lines; give each a name", v->name,
                      i + 1);
    for (int j = 0; j < i && v->values[i] && v->values[j]; ++j)
      if (strcmp(v->values[i], v->values[j]) == 0)
        gannet_complain(complaints, location, "variable %s: value '%s' is repeated; leave one out",
                        v->name, v->values[i]);
  }
}

/* In complaints about what a program left without one, which is complained about before. */
static const char *shown(const char *name) {
  return name ? name : "without a name";
}

/* A fixed variable: its bounds may be left out, and its value must be one that it can have. */
static void check_fixed(const gannet_variable *v, const char *location,
                        gannet_complaints *complaints) {
  const bool number = v->type == GANNET_VARIABLE_REAL || v->type == GANNET_VARIABLE_INTEGER;
  const bool boxed = v->lower != 0 || v->upper != 0;
  if (!isfinite(v->fixed))
    gannet_complain(complaints, location, "variable %s: fixed = %g, expected a finite number",
                    v->name, v->fixed);
  else if (number && boxed && !(v->lower <= v->fixed && v->fixed <= v->upper))
    gannet_complain(complaints, location, "variable %s: fixed = %.17g is outside of [%g, %g]",
                    v->name, v->fixed, v->lower, v->upper);
  else if (v->type == GANNET_VARIABLE_INTEGER && v->fixed != floor(v->fixed))
    gannet_complain(complaints, location,
                    "variable %s: fixed = %.17g, expected a whole number of an integer", v->name,
                    v->fixed);
  else if (v->type == GANNET_VARIABLE_BOOLEAN && v->fixed != 0 && v->fixed != 1)
    gannet_complain(complaints, location, "variable %s: fixed = %.17g, expected 0 or 1", v->name,
                    v->fixed);
  else if (gannet_variable_has_words(v) &&
           !(0 <= v->fixed && v->fixed < v->n_values && v->fixed == floor(v->fixed)))
    gannet_complain(complaints, location,
                    "variable %s: fixed = %.17g, expected the position of one of its %d values",
                    v->name, v->fixed, v->n_values);
  else if ((v->step > 0 && boxed) || (gannet_variable_has_numbers(v) && v->n_values > 0)) {
    gannet_variable whole = *v;
    double nearest;
    if (v->numbers) whole.lower = v->numbers[0], whole.upper = v->numbers[v->n_values - 1];
    if (!gannet_variable_is_near(&whole, v->fixed, &nearest))
      gannet_complain(complaints, location,
                      "variable %s: fixed = %.17g is not one of its values; the nearest is %.17g",
                      v->name, v->fixed, nearest);
  }
}

/* Returns whether the rest of a variable is to be checked. */
static bool check_role(const gannet_variable *v, const char *location,
                       gannet_complaints *complaints) {
  switch (v->role) {
    case GANNET_ROLE_FREE:
      return true;
    case GANNET_ROLE_FIXED:
      check_fixed(v, location, complaints);
      return v->lower != 0 || v->upper != 0 || v->n_values > 1;
    case GANNET_ROLE_DERIVED:
      if (v->type == GANNET_VARIABLE_CATEGORICAL || v->type == GANNET_VARIABLE_ORDINAL)
        gannet_complain(complaints, location,
                        "variable %s: an expression has numbers for values, and its type is %s; "
                        "expected real, integer or boolean",
                        v->name, gannet_variable_type_name(v->type));
      if (!v->expression || !*v->expression)
        gannet_complain(complaints, location,
                        "variable %s: no expression; give one as in \"chord*span\"", v->name);
      if (gannet_variable_is_conditional(v))
        gannet_complain(
            complaints, location,
            "variable %s: when is for variables that are chosen or fixed, and this one "
            "has an expression; write the condition into that, as in \"solver == 'cg' ? "
            "1 : 2\"",
            v->name);
      return false;
    default:
      gannet_complain(complaints, location, "variable %s: unknown role %d", v->name, (int)v->role);
      return false;
  }
}

void gannet_variable_check(const gannet_variable *variable, const char *location,
                           gannet_complaints *complaints) {
  gannet_variable v = *variable;
  check_name("variable", v.name, location, complaints);
  v.name = shown(v.name);
  if (!check_role(&v, location, complaints)) return;
  switch (v.type) {
    case GANNET_VARIABLE_REAL:
      check_box(&v, location, complaints);
      check_step(&v, location, complaints);
      break;
    case GANNET_VARIABLE_INTEGER:
      check_box(&v, location, complaints);
      check_whole(&v, location, complaints);
      check_step(&v, location, complaints);
      break;
    case GANNET_VARIABLE_ORDINAL:
      if (v.numbers)
        check_numbers(&v, location, complaints);
      else
        check_values(&v, location, complaints);
      break;
    case GANNET_VARIABLE_CATEGORICAL:
      check_values(&v, location, complaints);
      break;
    case GANNET_VARIABLE_BOOLEAN:
      break;
    default:
      gannet_complain(complaints, location, "variable %s: unknown type %d", v.name, (int)v.type);
  }
}

void gannet_constraint_check(const gannet_constraint *constraint, const char *location,
                             gannet_complaints *complaints) {
  const char *name = shown(constraint->name);
  check_name("constraint", constraint->name, location, complaints);
  if (isnan(constraint->lower) || isnan(constraint->upper))
    gannet_complain(complaints, location, "constraint %s: a bound is not a number", name);
  else if (constraint->lower == -INFINITY && constraint->upper == INFINITY)
    gannet_complain(complaints, location,
                    "constraint %s: give a lower bound, an upper bound, or both", name);
  else if (!(constraint->lower <= constraint->upper) || constraint->lower == INFINITY ||
           constraint->upper == -INFINITY)
    gannet_complain(complaints, location, "constraint %s: lower = %g is above upper = %g", name,
                    constraint->lower, constraint->upper);
}

void gannet_objective_check(const gannet_objective *objective, const char *location,
                            gannet_complaints *complaints) {
  const char *name = shown(objective->name);
  check_name("objective", objective->name, location, complaints);
  if (objective->goal != GANNET_MINIMIZE && objective->goal != GANNET_MAXIMIZE)
    gannet_complain(complaints, location, "objective %s: goal = %d, expected minimize or maximize",
                    name, (int)objective->goal);
  if (isinf(objective->threshold))
    gannet_complain(complaints, location,
                    "objective %s: threshold = %g: expected a finite number, or none", name,
                    objective->threshold);
  if (objective->noise_sd < 0 || isinf(objective->noise_sd))
    gannet_complain(complaints, location,
                    "objective %s: noise = %g: expected a number of at least 0, or none", name,
                    objective->noise_sd);
  if ((int)objective->transform < GANNET_OBJECTIVE_TRANSFORM_AUTO ||
      objective->transform > GANNET_OBJECTIVE_TRANSFORM_LOG)
    gannet_complain(complaints, location,
                    "objective %s: transform = %d: expected auto, none or log (0, 1 or 2)", name,
                    (int)objective->transform);
  if (objective->keeps_penalties != 0 && objective->keeps_penalties != 1)
    gannet_complain(complaints, location, "objective %s: keeps_penalties = %d: expected 0 or 1",
                    name, objective->keeps_penalties);
}

/* The name of a variable, a constraint with bounds, or an objective, in this order. */
static const char *name_at(const gannet_problem_spec *spec, int i) {
  const int n_bounded = gannet_spec_n_bounded(spec);
  if (i < spec->n_variables) return spec->variables[i].name;
  i -= spec->n_variables;
  return i < n_bounded ? spec->constraints[i].name : spec->objectives[i - n_bounded].name;
}

static void check_repeated(const gannet_problem_spec *spec, gannet_complaints *complaints) {
  const int n = spec->n_variables + gannet_spec_n_bounded(spec) + spec->n_objectives;
  for (int i = 0; i < n; ++i) {
    const char *name = name_at(spec, i);
    if (name && strcmp(name, "objective") == 0)
      gannet_complain(complaints, NULL,
                      spec->n_objectives > 0
                          ? "the name 'objective' stands for the only one; choose another, for "
                            "there are several"
                          : "the name 'objective' is taken by the objective itself; choose "
                            "another");
    for (int j = 0; j < i && name; ++j)
      if (name_at(spec, j) && strcmp(name, name_at(spec, j)) == 0)
        gannet_complain(complaints, NULL, "the name '%s' is used twice; rename one", name);
  }
}

/* What only a program can do wrong. */
static gannet_err check_arrays(const gannet_problem_spec *spec) {
  GANNET_REQUIRE(spec->n_variables <= 0 || spec->variables, GANNET_ERR_ARG,
                 "variables is a null pointer; expected %d of them", spec->n_variables);
  GANNET_REQUIRE(spec->n_constraints >= 0, GANNET_ERR_ARG,
                 "n_constraints = %d, expected at least 0", spec->n_constraints);
  GANNET_REQUIRE(spec->n_constraints == 0 || spec->constraints, GANNET_ERR_ARG,
                 "constraints is a null pointer; expected %d of them", spec->n_constraints);
  GANNET_REQUIRE(spec->goal == GANNET_MINIMIZE || spec->goal == GANNET_MAXIMIZE, GANNET_ERR_ARG,
                 "goal = %d, expected GANNET_MINIMIZE or GANNET_MAXIMIZE", (int)spec->goal);
  GANNET_REQUIRE(spec->n_objectives != 1, GANNET_ERR_ARG,
                 "n_objectives = 1, expected 0: a single objective has no entry; leave objectives "
                 "out, and give its goal alone");
  GANNET_REQUIRE(spec->n_objectives == 0 ||
                     (2 <= spec->n_objectives && spec->n_objectives <= GANNET_OBJECTIVES_MOST),
                 GANNET_ERR_ARG,
                 "n_objectives = %d, expected 0 for a single one, or 2 to %d; state others as "
                 "constraints, with the values that are good enough as bounds",
                 spec->n_objectives, GANNET_OBJECTIVES_MOST);
  GANNET_REQUIRE(spec->n_objectives == 0 || spec->objectives, GANNET_ERR_ARG,
                 "objectives is a null pointer; expected %d of them", spec->n_objectives);
  return GANNET_OK;
}

gannet_err gannet_problem_check_spec(const gannet_problem_spec *spec) {
  gannet_complaints complaints = {0};
  GANNET_TRY(check_arrays(spec));
  if (spec->n_variables < 1)
    gannet_complain(&complaints, NULL, "a problem needs at least one variable");
  for (int v = 0; v < spec->n_variables; ++v)
    gannet_variable_check(&spec->variables[v], NULL, &complaints);
  for (int k = 0; k < gannet_spec_n_bounded(spec); ++k)
    gannet_constraint_check(&spec->constraints[k], NULL, &complaints);
  for (int m = 0; m < spec->n_objectives; ++m)
    gannet_objective_check(&spec->objectives[m], NULL, &complaints);
  check_repeated(spec, &complaints);
  gannet_err err = GANNET_OK;
  if (complaints.count == 0) {
    gannet_derived *derived = NULL;
    err = gannet_derived_create(spec->n_variables, spec->variables, NULL, &complaints, &derived);
    if (err == GANNET_OK && derived)
      err =
          gannet_conditional_check(derived, spec->n_variables, spec->variables, NULL, &complaints);
    gannet_derived_destroy(&derived, spec->n_variables);
  }
  if (spec->noise_sd < 0 || isinf(spec->noise_sd))
    gannet_complain(&complaints, NULL, "noise_sd = %g: expected a number of at least 0, or NAN",
                    spec->noise_sd);
  if (err == GANNET_OK) err = gannet_complaints_raise(&complaints);
  gannet_complaints_release(&complaints);
  return err;
}
