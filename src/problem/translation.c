#include "problem/translation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "problem/outputs.h"

/* Values that a simulation was given differ from those that an expression gives now by no more than
 * this part: rounding. */
static const double rounding = 1e-12;

struct gannet_translation {
  const gannet_problem *from, *to;
  int *old_of;      /* [new variables] the old variable of the name, -1 = none */
  int *new_of;      /* [old variables] the new variable of the name, -1 = none */
  double *gone;     /* [old variables] value of a variable that is gone */
  int64_t *gone_id; /* [old variables] evaluation that had it first, -1 = none yet */
  bool is_asked;    /* no result looked at tells the name of the new objective */
  double *gradient; /* [new variables] scratch */
};

/* Whether the objective is a quantity that goes by its default name. */
static bool is_unnamed(const gannet_problem *problem) {
  return strcmp(gannet_problem_quantity_name(problem, 0), "objective") == 0 &&
         !gannet_problem_formula(problem, 0);
}

static gannet_err fill_translation(gannet_translation *t) {
  const int n_old = t->from->spec.n_variables, n_new = t->to->spec.n_variables;
  GANNET_TRY(gannet_alloc((size_t)n_new, sizeof *t->old_of, &t->old_of));
  GANNET_TRY(gannet_alloc((size_t)n_old, sizeof *t->new_of, &t->new_of));
  GANNET_TRY(gannet_alloc((size_t)n_old, sizeof *t->gone, &t->gone));
  GANNET_TRY(gannet_alloc((size_t)n_old, sizeof *t->gone_id, &t->gone_id));
  GANNET_TRY(gannet_alloc((size_t)n_new, sizeof *t->gradient, &t->gradient));
  for (int v = 0; v < n_new; ++v) t->old_of[v] = gannet_problem_find_before(t->from, t->to, v);
  for (int v = 0; v < n_old; ++v) {
    t->new_of[v] = -1;
    t->gone_id[v] = -1;
  }
  for (int v = 0; v < n_new; ++v)
    if (t->old_of[v] >= 0) t->new_of[t->old_of[v]] = v;
  return GANNET_OK;
}

gannet_err gannet_translation_create(const gannet_problem *from, const gannet_problem *to,
                                     gannet_translation **translation) {
  GANNET_TRY(gannet_alloc(1, sizeof **translation, translation));
  (*translation)->from = from;
  (*translation)->to = to;
  (*translation)->is_asked = true;
  const gannet_err err = fill_translation(*translation);
  if (err != GANNET_OK) gannet_translation_destroy(translation);
  GANNET_TRY(err);
  return GANNET_OK;
}

void gannet_translation_destroy(gannet_translation **translation) {
  if (!*translation) return;
  gannet_free(&(*translation)->old_of);
  gannet_free(&(*translation)->new_of);
  gannet_free(&(*translation)->gone);
  gannet_free(&(*translation)->gone_id);
  gannet_free(&(*translation)->gradient);
  gannet_free(translation);
}

/* Points. */

/* "solver = gmres" */
static void show_value(const gannet_problem *problem, int v, double value, char *text,
                       size_t size) {
  const int used = snprintf(text, size, "%s = ", problem->spec.variables[v].name);
  gannet_problem_format(problem, v, value, text + used, size - (size_t)used);
}

static gannet_err translate_value(const gannet_translation *t, int64_t id, int v, double value,
                                  double *to) {
  const int old = t->old_of[v];
  const gannet_variable *before = &t->from->spec.variables[old];
  const gannet_variable *now = &t->to->spec.variables[v];
  char text[200];
  *to = value;
  if (gannet_variable_is_number(before) && gannet_variable_is_number(now)) {
    const gannet_err err = gannet_problem_check_tried(t->to, v, value);
    GANNET_REQUIRE(err == GANNET_OK, err, "evaluation %lld: %s", (long long)id,
                   gannet_error_detail());
    return GANNET_OK;
  }
  gannet_problem_format(t->from, old, value, text, sizeof text);
  if (gannet_problem_parse(t->to, v, text, to) == GANNET_OK) {
    if (!gannet_variable_is_number(now)) return GANNET_OK;
    return gannet_problem_check_tried(t->to, v, *to);
  }
  /* A word that is not listed could have no coordinates. */
  GANNET_REQUIRE(!gannet_variable_has_words(now), GANNET_ERR_INPUT,
                 "evaluation %lld has %s = %s, which is no value of variables.%s any more; leave "
                 "it in the list, and let no proposal have it with retired: [%s]",
                 (long long)id, now->name, text, now->name, text);
  return GANNET_RAISE(GANNET_ERR_INPUT,
                      "evaluation %lld has %s = %s, which is no value of type %s; keep the type "
                      "that variables.%s had, or give the variable another name",
                      (long long)id, now->name, text, gannet_variable_type_name(now->type),
                      now->name);
}

/* A variable that is fixed or computed now must have had that value. */
static gannet_err check_given(const gannet_translation *t, int64_t id, int v, double given,
                              double now) {
  const gannet_variable *variable = &t->to->spec.variables[v];
  const int old = t->old_of[v];
  char had[200], value[200];
  gannet_problem_format(t->from, old, given, had, sizeof had);
  gannet_problem_format(t->to, v, now, value, sizeof value);
  const bool are_numbers = gannet_variable_is_number(&t->from->spec.variables[old]) &&
                           gannet_variable_is_number(variable);
  const bool is_near = fabs(given - now) <= rounding * fmax(fabs(given), fabs(now));
  if (strcmp(had, value) == 0 || (are_numbers && is_near)) return GANNET_OK;
  GANNET_REQUIRE(variable->role == GANNET_ROLE_FIXED, GANNET_ERR_INPUT,
                 "variables.%s: evaluation %lld was given %s = %s, and the expression gives %s; "
                 "give what is computed now another name",
                 variable->name, (long long)id, variable->name, had, value);
  return GANNET_RAISE(GANNET_ERR_INPUT,
                      "variables.%s cannot be fixed at %s: evaluation %lld had %s = %s; leave "
                      "varied: no out, and it remains a dimension of the models",
                      variable->name, value, (long long)id, variable->name, had);
}

/* A variable that is gone says nothing only where it never changed. */
static gannet_err check_gone(gannet_translation *t, int64_t id, const double *x) {
  for (int v = 0; v < t->from->spec.n_variables; ++v) {
    const gannet_variable *variable = &t->from->spec.variables[v];
    char first[200], second[200];
    if (t->new_of[v] >= 0 || variable->role == GANNET_ROLE_DERIVED) continue;
    if (t->gone_id[v] < 0) {
      t->gone_id[v] = id;
      t->gone[v] = x[v];
    }
    show_value(t->from, v, t->gone[v], first, sizeof first);
    show_value(t->from, v, x[v], second, sizeof second);
    GANNET_REQUIRE(
        x[v] == t->gone[v], GANNET_ERR_INPUT,
        "variables.%s is gone, but the evaluations differ in it: %s at evaluation %lld, "
        "%s at %lld. Leave it in the campaign file, and fix it at one value, as in '%s: {fixed: "
        "VALUE}'; a variable with another name says 'renamed_from: %s'",
        variable->name, first, (long long)t->gone_id[v], second, (long long)id, variable->name,
        variable->name);
  }
  return GANNET_OK;
}

gannet_err gannet_translation_point(gannet_translation *t, int64_t id, const double *x,
                                    double *to) {
  const gannet_problem_spec *spec = &t->to->spec;
  GANNET_TRY(check_gone(t, id, x));
  for (int v = 0; v < spec->n_variables; ++v) {
    const gannet_variable *variable = &spec->variables[v];
    to[v] = gannet_problem_was(t->to, v);
    if (variable->role != GANNET_ROLE_FREE) continue;
    if (t->old_of[v] >= 0) GANNET_TRY(translate_value(t, id, v, x[t->old_of[v]], &to[v]));
  }
  gannet_problem_derive(t->to, to);
  for (int v = 0; v < spec->n_variables; ++v) {
    const char *name = spec->variables[v].name;
    /* One that was inactive at all of them has its resting value by now. */
    GANNET_REQUIRE(spec->variables[v].role != GANNET_ROLE_FREE || !isnan(to[v]), GANNET_ERR_INPUT,
                   "variables.%s is new: give it the value that it had in all evaluations so far, "
                   "as in '%s: {..., was: VALUE}', or the name that it had, as in 'renamed_from: "
                   "NAME'",
                   name, name);
    if (spec->variables[v].role != GANNET_ROLE_FREE && t->old_of[v] >= 0)
      GANNET_TRY(check_given(t, id, v, x[t->old_of[v]], to[v]));
  }
  return GANNET_OK;
}

/* Results. */

void gannet_translation_look(gannet_translation *t, const gannet_result_record *result) {
  const char *name = gannet_problem_quantity_name(t->to, 0);
  const char *old_name = gannet_problem_quantity_name(t->from, 0);
  const bool was_more =
      t->from->spec.n_objectives > 0 && gannet_quantities_find(&result->reported, "objective");
  if (is_unnamed(t->to)) name = GANNET_WAS_OBJECTIVE;
  if (is_unnamed(t->to) == is_unnamed(t->from) || was_more || gannet_problem_formula(t->from, 0) ||
      gannet_problem_formula(t->to, 0) || strcmp(name, old_name) == 0 ||
      gannet_problem_find_constraint(t->from, name) >= 0 ||
      gannet_quantities_find(&result->reported, name))
    t->is_asked = false;
}

/* What a quantity of an old result is called in the new problem. */
static const char *rename_quantity(const gannet_translation *t, const char *name) {
  const bool had_one = t->from->spec.n_objectives == 0, has_one = t->to->spec.n_objectives == 0;
  const bool was_objective = (had_one && strcmp(name, "objective") == 0) ||
                             strcmp(name, gannet_problem_quantity_name(t->from, 0)) == 0;
  if (was_objective && t->is_asked) return gannet_problem_quantity_name(t->to, 0);
  if (strcmp(name, GANNET_WAS_OBJECTIVE) == 0 && is_unnamed(t->to) && !is_unnamed(t->from))
    return "objective";
  if (strcmp(name, "objective") != 0) return name;
  /* Beside several objectives it is another number, and the name of a single one. */
  if (!had_one) return has_one && !is_unnamed(t->to) ? GANNET_WAS_OBJECTIVE : name;
  if (!is_unnamed(t->from)) return gannet_problem_quantity_name(t->from, 0);
  return is_unnamed(t->to) ? name : GANNET_WAS_OBJECTIVE;
}

/* The gradient is in the user's units, and so needs its places only; a variable that was not
 * searched before has none. */
static const double *translate_gradient(const gannet_translation *t, const double *gradient) {
  for (int v = 0; v < t->to->spec.n_variables && gradient; ++v) {
    const int old = t->old_of[v];
    const bool is_free = t->to->spec.variables[v].role == GANNET_ROLE_FREE;
    if (is_free && (old < 0 || t->from->spec.variables[old].role != GANNET_ROLE_FREE)) return NULL;
    t->gradient[v] = old < 0 ? 0 : gradient[old];
  }
  return gradient ? t->gradient : NULL;
}

static gannet_err pass_quantity(const gannet_translation *t, const char *name, double value,
                                const gannet_reported *more, gannet_result_record *to) {
  const gannet_quantity quantity = {
      .name = rename_quantity(t, name),
      .value = value,
      .sd = more ? more->sd : 0,
      .gradient = translate_gradient(t, more ? more->gradient : NULL)};
  const int index = gannet_problem_find_quantity(t->to, quantity.name);
  /* The value of a formula of this name is computed. */
  if (index >= 0 && gannet_problem_formula(t->to, index)) return GANNET_OK;
  return gannet_result_report(t->to, &quantity, to);
}

gannet_err gannet_translation_result(const gannet_translation *t, const gannet_result_record *from,
                                     gannet_result_record *to) {
  char why[GANNET_REASON_SIZE];
  gannet_quantities_release(&to->reported);
  gannet_result_clear(t->to->spec.n_constraints, to);
  to->id = from->id;
  to->status = from->status;
  to->retry = from->retry;
  to->run = from->run;
  for (int i = 0; i <= t->from->spec.n_constraints; ++i) {
    const char *name = gannet_problem_reported_name(t->from, i);
    const double value = i > 0 ? from->constraints[i - 1] : from->objective;
    if (from->status != GANNET_EVAL_DONE || gannet_problem_formula(t->from, i) || isnan(value))
      continue;
    GANNET_TRY(pass_quantity(t, name, value, gannet_quantities_find(&from->reported, name), to));
  }
  for (int i = 0; i < from->reported.n; ++i) {
    const gannet_reported *item = &from->reported.item[i];
    const int index = gannet_problem_find_quantity(t->from, item->name);
    if (index < 0 || from->status != GANNET_EVAL_DONE)
      GANNET_TRY(pass_quantity(t, item->name, item->value, item, to));
  }
  if (to->status == GANNET_EVAL_DONE) (void)gannet_problem_compute(t->to, to, why, sizeof why);
  return GANNET_OK;
}
