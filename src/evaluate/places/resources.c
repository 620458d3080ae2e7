#include "evaluate/places/resources.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "problem/variable_constraints.h"

enum { CORES, GPUS, TASKS, N_KEYS };
enum { MOST_CORNERS = 4096, MOST_NUMBER = 1000000 };
enum { LEAST_MEMORY = 1 << 20 /* bytes: whoever asks for less has left out the unit */ };

static const char *const keys[N_KEYS] = {"evaluate.resources.cores", "evaluate.resources.gpus",
                                         "evaluate.resources.tasks"};
static const double lowest[N_KEYS] = {1, 0, 1};

bool gannet_resources_are_given(const gannet_resources *resources) {
  return resources && (resources->cores || resources->gpus || resources->tasks ||
                       resources->memory > 0 || resources->nodes > 1);
}

bool gannet_resources_are_idle(const gannet_resources *resources) {
  const gannet_text_list *devices = &resources->devices;
  const bool is_automatic = devices->n == 1 && strcmp(devices->item[0], "auto") == 0;
  return !gannet_resources_are_given(resources) &&
         (resources->reserved_cores > 0 || resources->oversubscribe || !is_automatic ||
          resources->launcher != GANNET_START_BY_AUTO);
}

static int round_up(int value, int to) {
  return (value + to - 1) / to * to;
}

const char *gannet_needs_at(const gannet_needs *needs, const double *x_user, gannet_need *need) {
  int number[N_KEYS] = {0, 0, 1};
  for (int k = 0; k < N_KEYS; ++k) {
    if (!needs->expression[k]) continue;
    const double value = gannet_variable_expression_value(needs->expression[k], x_user);
    if (!(value >= lowest[k] - 1e-9 && value <= MOST_NUMBER)) return keys[k];
    number[k] = (int)ceil(value - 1e-9);
  }
  const int nodes = needs->given->nodes > 1 ? needs->given->nodes : 1;
  need->nodes = nodes;
  need->tasks = round_up(number[TASKS], nodes);
  need->gpus = round_up(number[GPUS], nodes);
  need->cores = round_up(number[CORES] > need->tasks ? number[CORES] : need->tasks, need->tasks);
  need->memory = (double)needs->given->memory / nodes;
  return NULL;
}

/* Give every variable a value that simulations read: that of its upper end where its bit of the
 * corner is set.
 *
 * matters  in  [n] variables with a bit
 */
static void set_corner(const gannet_problem *problem, const bool *matters, int corner, double *x) {
  double fixed;
  for (int v = 0, bit = 0; v < problem->spec.n_variables; ++v) {
    const gannet_variable *variable = &problem->spec.variables[v];
    const bool is_upper = matters[v] && (corner >> bit++ & 1);
    if (gannet_problem_is_fixed(problem, v, &fixed))
      x[v] = fixed;
    else if (gannet_variable_has_words(variable))
      x[v] = is_upper ? variable->n_values - 1 : 0;
    else if (gannet_variable_has_numbers(variable))
      x[v] = gannet_variable_value(variable,
                                   is_upper ? (int64_t)gannet_variable_count(variable) - 1 : 0);
    else if (variable->type == GANNET_VARIABLE_BOOLEAN)
      x[v] = is_upper;
    else if (variable->role != GANNET_ROLE_DERIVED)
      x[v] = is_upper ? variable->upper : variable->lower;
  }
  gannet_problem_derive(problem, x);
}

static void raise_need(const gannet_need *need, gannet_need *most) {
  if (need->cores > most->cores) most->cores = need->cores;
  if (need->gpus > most->gpus) most->gpus = need->gpus;
  if (need->tasks > most->tasks) most->tasks = need->tasks;
}

/* Find the least and greatest need, and complain about the first corner without one. */
static gannet_err look_at_corners(const gannet_problem *problem, gannet_complaints *complaints,
                                  gannet_needs *needs) {
  const int n = problem->spec.n_variables;
  double *x = NULL, fixed;
  int corners = 1;
  bool *matters = NULL; /* [n] takes both its ends */
  bool has_derived = false, any = false, any_allowed = false;
  GANNET_TRY(gannet_alloc((size_t)n + 1, sizeof *x, &x));
  const gannet_err err = gannet_alloc((size_t)n + 1, sizeof *matters, &matters);
  if (err != GANNET_OK) gannet_free(&x);
  GANNET_TRY(err);
  for (int v = 0; v < n; ++v)
    has_derived = has_derived || problem->spec.variables[v].role == GANNET_ROLE_DERIVED;
  for (int v = 0; v < n; ++v) {
    for (int k = 0; k < N_KEYS; ++k) {
      const gannet_variable_expression *e = needs->expression[k];
      matters[v] = matters[v] || (e && (gannet_variable_expression_uses(e, v) || has_derived));
    }
    matters[v] = matters[v] && problem->spec.variables[v].role != GANNET_ROLE_DERIVED &&
                 !gannet_problem_is_fixed(problem, v, &fixed) && corners <= MOST_CORNERS / 2;
    if (matters[v]) corners *= 2;
  }
  for (int c = 0; c < corners; ++c) {
    gannet_need need;
    set_corner(problem, matters, c, x);
    const bool is_allowed = gannet_problem_allows_values(problem, x);
    const char *wrong = gannet_needs_at(needs, x, &need);
    if (wrong && !is_allowed) continue; /* no proposal is there */
    if (wrong) {
      const int k = wrong == keys[CORES] ? CORES : wrong == keys[GPUS] ? GPUS : TASKS;
      gannet_complain(complaints, wrong,
                      "'%s' is %g at the bounds of the variables; expected a number from %g to %d",
                      k == CORES  ? needs->given->cores
                      : k == GPUS ? needs->given->gpus
                                  : needs->given->tasks,
                      gannet_variable_expression_value(needs->expression[k], x), lowest[k],
                      MOST_NUMBER);
      break;
    }
    if (!any) needs->least = needs->most = need;
    any = true;
    if (need.cores < needs->least.cores) needs->least.cores = need.cores;
    if (need.gpus < needs->least.gpus) needs->least.gpus = need.gpus;
    if (need.tasks < needs->least.tasks) needs->least.tasks = need.tasks;
    raise_need(&need, &needs->most);
    if (!is_allowed) continue;
    if (!any_allowed) needs->allowed = need;
    any_allowed = true;
    raise_need(&need, &needs->allowed);
  }
  if (!any_allowed) needs->allowed = needs->most;
  gannet_free(&matters);
  gannet_free(&x);
  return GANNET_OK;
}

/* A part of a GPU would be rounded up to a whole one, which is not what was meant. */
static void check_gpus(const char *text, gannet_complaints *complaints) {
  char *end = NULL;
  const double number = text ? strtod(text, &end) : 0;
  if (text && end > text && !*end && number > 0 && number != floor(number))
    gannet_complain(complaints, keys[GPUS],
                    "a simulation has whole GPUs, not %s; where several share one, list it several "
                    "times in devices, as in gpus: 1, devices: [0, 0]",
                    text);
}

gannet_err gannet_needs_create(const gannet_resources *resources, const gannet_problem *problem,
                               gannet_complaints *complaints, gannet_needs *needs) {
  const char *const text[N_KEYS] = {resources->cores, resources->gpus, resources->tasks};
  const int before = complaints->count;
  *needs = (gannet_needs){.given = resources};
  if (resources->memory > 0 && resources->memory < LEAST_MEMORY)
    gannet_complain(complaints, "evaluate.resources.memory",
                    "%lld bytes are too little for a simulation; expected a unit, as in 8GiB",
                    (long long)resources->memory);
  for (int i = 0; i < resources->devices.n; ++i) {
    const char *name = resources->devices.item[i];
    if (name[0] && (strcmp(name, "auto") != 0 || resources->devices.n == 1)) continue;
    gannet_complain(complaints, "evaluate.resources.devices",
                    "'%s' is not a GPU; expected numbers or UUIDs, such as [0, 1], or auto alone",
                    name);
    break;
  }
  check_gpus(resources->gpus, complaints);
  if (!problem) return GANNET_OK;
  needs->n_variables = problem->spec.n_variables;
  for (int k = 0; k < N_KEYS; ++k) {
    if (!text[k]) continue;
    const gannet_err err = gannet_variable_expression_create(
        text[k], problem->spec.n_variables, problem->spec.variables, &needs->expression[k]);
    if (err != GANNET_OK && err != GANNET_ERR_INPUT) return err;
    if (err == GANNET_OK) continue;
    gannet_complain(complaints, keys[k],
                    "%s; expected a number, or an expression in the variables such as "
                    "\"8*refine\"",
                    gannet_error_detail());
    gannet_error_clear();
  }
  if (complaints->count > before) return GANNET_OK;
  GANNET_TRY(look_at_corners(problem, complaints, needs));
  const gannet_need *most = &needs->allowed;
  double cores = 0;
  if (text[CORES] && text[TASKS] && !resources->oversubscribe && complaints->count == before &&
      sscanf(text[CORES], "%lf", &cores) == 1 &&
      strspn(text[CORES], "0123456789.") == strlen(text[CORES]) && cores < most->tasks)
    gannet_complain(complaints, keys[CORES],
                    "cores: %s is too few for %d tasks; expected at least %d, or leave cores out",
                    text[CORES], most->tasks, most->tasks);
  return GANNET_OK;
}

void gannet_needs_release(gannet_needs *needs) {
  for (int k = 0; k < N_KEYS; ++k)
    if (needs->expression[k]) gannet_variable_expression_destroy(&needs->expression[k]);
}
