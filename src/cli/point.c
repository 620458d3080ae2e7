#include "cli/point.h"

#include "base/number.h"
#include "base/utf8.h"
#include "problem/conditional.h"
#include "problem/objectives.h"
#include "problem/outputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

gannet_err cli_split_pair(const char *flag, const char *text, char *name, size_t size,
                          const char **value) {
  const char *equals = strchr(text, '=');
  GANNET_REQUIRE(equals && equals > text && (size_t)(equals - text) < size, GANNET_ERR_INPUT,
                 "--%s '%s': expected NAME=VALUE", flag, text);
  (void)snprintf(name, size, "%.*s", (int)(equals - text), text);
  *value = equals + 1;
  return GANNET_OK;
}

gannet_err cli_read_stated(const char *what, const char *text, gannet_quantity *quantity) {
  char value[120];
  (void)snprintf(value, sizeof value, "%s", text);
  const char *sd = gannet_number_cut_deviation(value);
  quantity->value = NAN;
  if (strcmp(text, "missing") == 0) return GANNET_OK;
  GANNET_REQUIRE(strlen(text) < sizeof value && !gannet_parse_number(value, &quantity->value),
                 GANNET_ERR_INPUT,
                 "%s: '%s' is not valid; expected a finite number%s, one with its standard "
                 "deviation as in 3.2+-0.1, or 'missing'",
                 what, text, gannet_number_hint(value));
  GANNET_REQUIRE(
      !sd || (!gannet_parse_number(sd, &quantity->sd) && quantity->sd > 0), GANNET_ERR_INPUT,
      "%s: '%s' is not valid; expected a standard deviation above 0 behind +-", what, text);
  return GANNET_OK;
}

gannet_err cli_raise_unknown(const char *flag, const char *name, const gannet_problem *problem) {
  const gannet_problem_spec *spec = &problem->spec;
  const bool constraint = strcmp(flag, "constraint") == 0;
  const int n = constraint ? gannet_problem_n_bounded(problem) : spec->n_variables;
  const int quantity = constraint ? gannet_problem_find_quantity(problem, name) : -1;
  char list[600] = "";
  size_t used = 0;
  for (int i = 0; i < n; ++i) {
    const char *known = constraint ? spec->constraints[i].name : spec->variables[i].name;
    const int more = snprintf(list + used, sizeof list - used, " %s", known);
    if (more > 0 && used + (size_t)more < sizeof list) used += (size_t)more;
  }
  GANNET_REQUIRE(quantity < 0, GANNET_ERR_INPUT,
                 "--%s: '%s' is an objective; give --value %s=VALUE", flag, name, name);
  return GANNET_RAISE(GANNET_ERR_INPUT, "--%s: the campaign has no %s '%s'; known:%s", flag,
                      constraint ? "constraint" : "variable", name, n ? list : " none");
}

/* The variable with which a value goes on, as in "3,span=12"; NULL = none. */
static const char *find_another(const gannet_problem *problem, const char *value) {
  char name[128];
  for (const char *at = value; (at = strpbrk(at, ", ;"));) {
    at += strspn(at, ", ;");
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "="), at);
    const int v = strchr(at, '=') ? gannet_problem_find_variable(problem, name) : -1;
    if (v >= 0) return problem->spec.variables[v].name;
  }
  return NULL;
}

gannet_err cli_read_point(const cli_arguments *arguments, const gannet_problem *problem,
                          double *x_user) {
  char name[128];
  const char *text, *value = NULL;
  for (int v = 0; v < problem->spec.n_variables; ++v) x_user[v] = NAN;
  for (int i = 0; (text = cli_repeated(arguments, "point", i)); ++i) {
    GANNET_TRY(cli_split_pair("point", text, name, sizeof name, &value));
    const int v = gannet_problem_find_variable(problem, name);
    if (v < 0) return cli_raise_unknown("point", name, problem);
    GANNET_REQUIRE(isnan(x_user[v]), GANNET_ERR_INPUT, "--point %s is given twice; leave one out",
                   name);
    const gannet_err err = gannet_problem_parse(problem, v, value, &x_user[v]);
    const char *another = err == GANNET_ERR_INPUT ? find_another(problem, value) : NULL;
    GANNET_REQUIRE(!another, GANNET_ERR_INPUT,
                   "--point '%s': expected one variable; repeat --point, as in --point %s=VALUE "
                   "--point %s=VALUE",
                   text, name, another);
    GANNET_TRY(err);
  }
  gannet_problem_fill_pins(problem, x_user);
  return GANNET_OK;
}

void cli_warn_of_ignored(const gannet_problem *problem, const double *given) {
  for (int v = -1; (v = gannet_problem_find_ignored(problem, given, v + 1)) >= 0;)
    cli_warn("--point %s: not used: the variable is inactive at this design (when: %s)",
             problem->spec.variables[v].name, problem->spec.variables[v].when);
}

void cli_print_point(const gannet_problem *problem, const double *x_user) {
  char text[256];
  for (int v = 0; v < problem->spec.n_variables; ++v) {
    const char *unit = gannet_problem_unit(problem->variable_unit, v);
    if (gannet_problem_is_active(problem, v, x_user))
      gannet_problem_format(problem, v, x_user[v], text, sizeof text);
    else
      unit = "", (void)snprintf(text, sizeof text, "-");
    gannet_utf8_show(text);
    cli_say(stdout, "  %s = %s%s%s\n", problem->spec.variables[v].name, text, *unit ? " " : "",
            unit);
  }
}
