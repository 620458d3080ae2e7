/* Values of variables as text, and checks of a user's points. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/option.h"
#include "problem/problem.h"

void gannet_problem_format(const gannet_problem *problem, int variable, double value, char *buffer,
                           size_t size) {
  const gannet_variable *v = &problem->spec.variables[variable];
  if (v->type == GANNET_VARIABLE_CATEGORICAL)
    (void)snprintf(buffer, size, "%s", v->values[(int)value]);
  else if (v->type == GANNET_VARIABLE_BOOLEAN)
    (void)snprintf(buffer, size, "%s", value != 0 ? "true" : "false");
  else if (v->type == GANNET_VARIABLE_INTEGER)
    (void)snprintf(buffer, size, "%.0f", value);
  else
    (void)snprintf(buffer, size, "%.17g", value);
}

static gannet_err parse_category(const gannet_variable *v, const char *text, double *value) {
  const char *known[257] = {NULL};
  char list[200] = "";
  size_t used = 0;
  for (int i = 0; i < v->n_values; ++i) {
    if (i < 256) known[i] = v->values[i];
    const int more = snprintf(list + used, sizeof list - used, " %s", v->values[i]);
    if (more > 0 && used + (size_t)more < sizeof list) used += (size_t)more;
    if (strcmp(v->values[i], text) == 0) {
      *value = i;
      return GANNET_OK;
    }
  }
  const char *near = gannet_nearest(text, known);
  return GANNET_RAISE(GANNET_ERR_INPUT, "variable %s: '%s' is not one of its values,%s%s%s%s",
                      v->name, text, list, near ? "; did you mean '" : "", near ? near : "",
                      near ? "'?" : "");
}

static gannet_err parse_boolean(const gannet_variable *v, const char *text, double *value) {
  const bool is_digit = (text[0] == '0' || text[0] == '1') && !text[1];
  bool truth = text[0] == '1';
  GANNET_REQUIRE(is_digit || !gannet_parse_boolean(text, &truth), GANNET_ERR_INPUT,
                 "variable %s: '%s' is not valid; expected true or false", v->name, text);
  *value = truth;
  return GANNET_OK;
}

gannet_err gannet_problem_parse(const gannet_problem *problem, int variable, const char *text,
                                double *value) {
  const gannet_variable *v = &problem->spec.variables[variable];
  if (v->type == GANNET_VARIABLE_CATEGORICAL) return parse_category(v, text, value);
  if (v->type == GANNET_VARIABLE_BOOLEAN) return parse_boolean(v, text, value);
  GANNET_REQUIRE(!gannet_parse_number(text, value), GANNET_ERR_INPUT,
                 "variable %s: '%s' is not a number%s", v->name, text, gannet_number_hint(text));
  return GANNET_OK;
}

static gannet_err check_value(const gannet_variable *v, double value) {
  const bool whole = value == floor(value);
  switch (v->type) {
    case GANNET_VARIABLE_CATEGORICAL:
      GANNET_REQUIRE(whole && 0 <= value && value < v->n_values, GANNET_ERR_INPUT,
                     "variable %s: %g is not a position of one of its values; expected 0 to %d - 1",
                     v->name, value, v->n_values);
      break;
    case GANNET_VARIABLE_BOOLEAN:
      GANNET_REQUIRE(value == 0 || value == 1, GANNET_ERR_INPUT,
                     "variable %s: %g is neither 0 nor 1, as expected", v->name, value);
      break;
    default:
      GANNET_REQUIRE(v->type == GANNET_VARIABLE_REAL || whole, GANNET_ERR_INPUT,
                     "variable %s: %.17g is not a whole number", v->name, value);
      GANNET_REQUIRE(v->lower <= value && value <= v->upper, GANNET_ERR_INPUT,
                     "variable %s: %.17g is outside [%g, %g]", v->name, value, v->lower, v->upper);
  }
  return GANNET_OK;
}

gannet_err gannet_problem_check_point(const gannet_problem *problem, const double *x_user) {
  for (int i = 0; i < problem->spec.n_variables; ++i)
    GANNET_TRY(check_value(&problem->spec.variables[i], x_user[i]));
  return GANNET_OK;
}
