#include "campaign/run/ledger_translation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "problem/objectives.h"
#include "problem/outputs.h"
#include "problem/translation.h"

static gannet_err translate_points(const gannet_ledger *ledger, gannet_translation *t,
                                   gannet_history *to) {
  const gannet_history *from = ledger->history;
  double *x = NULL;
  gannet_err err =
      gannet_alloc((size_t)gannet_history_problem(to)->spec.n_variables, sizeof *x, &x);
  for (int64_t id = 0; id < gannet_history_count(from) && err == GANNET_OK; ++id) {
    const gannet_evaluation *row = gannet_history_get(from, id);
    err = gannet_translation_point(t, id, gannet_history_x_user(from, id), x);
    if (err == GANNET_OK) err = gannet_history_enter(to, x, row->batch, row->origin, NULL);
  }
  gannet_free(&x);
  return err;
}

/* A result that counts says something of what the new problem asks for. */
static gannet_err check_known(const gannet_problem *to, const gannet_result_record *result) {
  for (int i = 0; i <= to->spec.n_constraints; ++i) {
    const double value = i > 0 ? result->constraints[i - 1] : result->objective;
    GANNET_REQUIRE(!isinf(value), GANNET_ERR_INPUT,
                   "%s of evaluation %lld is %g, expected a finite number; change the expression, "
                   "or remove the evaluation with gannet discard --id %lld",
                   gannet_problem_quantity_name(to, i), (long long)result->id, value,
                   (long long)result->id);
  }
  GANNET_REQUIRE(gannet_result_count_known(to, result) > 0, GANNET_ERR_INPUT,
                 "evaluation %lld has none of the numbers that are needed now, neither an "
                 "objective nor a constraint; remove it with gannet discard --id %lld, or add what "
                 "is known with gannet correct",
                 (long long)result->id, (long long)result->id);
  return GANNET_OK;
}

/* An objective of which nobody has ever told a number is a mistake. */
static gannet_err check_objective(const gannet_ledger *ledger,
                                  const gannet_ledger_translation *made, int m) {
  const int quantity = gannet_problem_objective_quantity(made->to, m);
  const char *name = gannet_problem_quantity_name(made->to, quantity);
  const bool is_single = made->to->spec.n_objectives == 0;
  const gannet_result_record *first = NULL;
  char why[GANNET_REASON_SIZE] = "", list[200] = "";
  size_t used = 0;
  for (int64_t i = 0; i < ledger->n; ++i) {
    const gannet_result_record *result = &made->result[i];
    const double value = quantity > 0 ? result->constraints[quantity - 1] : result->objective;
    const bool had =
        result->status == GANNET_EVAL_DONE && !isnan(ledger->ticket[i].result.objective);
    if (had && !isnan(value)) return GANNET_OK;
    if (had && !first) first = result;
  }
  if (!first) return GANNET_OK;
  gannet_result_record again = *first;
  if (gannet_problem_formula(made->to, quantity))
    (void)gannet_problem_compute(made->to, &again, why, sizeof why);
  for (int i = 0; i < first->reported.n && used < sizeof list; ++i)
    used += (size_t)snprintf(list + used, sizeof list - used, " %s", first->reported.item[i].name);
  return GANNET_RAISE(GANNET_ERR_INPUT,
                      "%s%s: no evaluation has a number %s%s%s; %s evaluation %lld reported%s%s",
                      is_single ? "objective" : "objectives.", is_single ? "" : name, name,
                      *why ? ": " : "", why, *list ? "choose one that" : "besides its objectives",
                      (long long)first->id, *list ? ":" : " nothing that could be one", list);
}

static gannet_err translate_results(const gannet_ledger *ledger, gannet_translation *t,
                                    gannet_ledger_translation *made) {
  const size_t k = (size_t)made->to->spec.n_constraints;
  const int64_t n = ledger->n + ledger->n_corrections;
  const gannet_result_record **from = NULL;
  gannet_err err = gannet_alloc((size_t)n, sizeof *from, &from);
  for (int64_t i = 0; i < n && err == GANNET_OK; ++i) {
    from[i] = i < ledger->n ? &ledger->ticket[i].result : &ledger->correction[i - ledger->n].before;
    if (from[i]->status == GANNET_EVAL_DONE) gannet_translation_look(t, from[i]);
  }
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *made->result, &made->result);
  for (; made->n_results < n && err == GANNET_OK; ++made->n_results) {
    gannet_result_record *to = &made->result[made->n_results];
    err = gannet_alloc(k, sizeof(double), &to->constraints);
    if (err == GANNET_OK) err = gannet_translation_result(t, from[made->n_results], to);
  }
  gannet_free(&from);
  for (int m = 0; m < gannet_problem_n_objectives(made->to) && err == GANNET_OK; ++m)
    err = check_objective(ledger, made, m);
  for (int64_t i = 0; i < ledger->n && err == GANNET_OK; ++i)
    if (made->result[i].status == GANNET_EVAL_DONE) err = check_known(made->to, &made->result[i]);
  return err;
}

static gannet_err translate_all(const gannet_ledger *ledger, gannet_translation *t,
                                gannet_ledger_translation *made) {
  GANNET_TRY(gannet_history_create(made->to, &made->history));
  GANNET_TRY(translate_points(ledger, t, made->history));
  GANNET_TRY(translate_results(ledger, t, made));
  const int64_t *order = gannet_history_order(ledger->history);
  for (int64_t i = 0; i < gannet_history_count_told(ledger->history); ++i)
    GANNET_TRY(gannet_history_tell(made->history, &made->result[order[i]]));
  return GANNET_OK;
}

gannet_err gannet_ledger_translate(const gannet_ledger *ledger, const gannet_problem *described,
                                   const gannet_problem *to,
                                   gannet_ledger_translation **translation) {
  gannet_translation *t = NULL;
  *translation = NULL;
  GANNET_TRY(gannet_translation_create(ledger->problem, described, &t));
  gannet_err err = gannet_alloc(1, sizeof **translation, translation);
  if (err == GANNET_OK) {
    (*translation)->to = to;
    err = translate_all(ledger, t, *translation);
  }
  gannet_translation_destroy(&t);
  if (err != GANNET_OK) gannet_ledger_translation_destroy(translation);
  return err;
}

void gannet_ledger_translation_destroy(gannet_ledger_translation **translation) {
  gannet_ledger_translation *t = *translation;
  if (!t) return;
  for (int64_t i = 0; i < t->n_results; ++i) {
    gannet_free(&t->result[i].constraints);
    gannet_quantities_release(&t->result[i].reported);
  }
  gannet_free(&t->result);
  gannet_history_destroy(&t->history);
  gannet_free(translation);
}

/* The value of a quantity (0 = the first objective) of row i of a related problem. */
static double related_value(const gannet_problem *problem, const gannet_related_rows *rows, int i,
                            int quantity) {
  const int n = problem->spec.n_constraints;
  if (quantity == 0) return rows->objective[i];
  if (quantity < 0 || !rows->constraints) return NAN;
  return rows->constraints[(ptrdiff_t)i * n + quantity - 1];
}

/* Values of a related problem in the terms of another problem, by the names of quantities. A single
 * objective stays the objective, whatever its name is. */
static gannet_err translate_related_values(const gannet_problem *before,
                                           const gannet_problem *after, gannet_related_rows *rows) {
  const int new = after->spec.n_constraints;
  const bool is_single = before->spec.n_objectives == 0 && after->spec.n_objectives == 0;
  double *objective = NULL, *values = NULL;
  gannet_err err = gannet_alloc((size_t)rows->n, sizeof *objective, &objective);
  if (err == GANNET_OK) err = gannet_alloc((size_t)rows->n * (size_t) new, sizeof *values, &values);
  bool any = false;
  for (int k = 0; k <= new &&err == GANNET_OK; ++k) {
    const char *name = gannet_problem_quantity_name(after, k);
    const int from = k == 0 && is_single ? 0 : gannet_problem_find_quantity(before, name);
    for (int i = 0; i < rows->n; ++i) {
      const double value = related_value(before, rows, i, from);
      any = any || (k > 0 && !isnan(value));
      *(k == 0 ? &objective[i] : &values[(ptrdiff_t)i * new + k - 1]) = value;
    }
  }
  if (err != GANNET_OK || !any) gannet_free(&values);
  if (err != GANNET_OK) gannet_free(&objective);
  GANNET_TRY(err);
  gannet_free(&rows->objective);
  gannet_free(&rows->constraints);
  rows->objective = objective;
  rows->constraints = values;
  return GANNET_OK;
}

/* Leave out rows of which no value is known any more. */
static void drop_empty_rows(const gannet_problem *problem, gannet_related_rows *rows) {
  const int v = problem->spec.n_variables, c = problem->spec.n_constraints;
  int kept = 0;
  for (int i = 0; i < rows->n; ++i) {
    int k = 0;
    while (k <= c && isnan(related_value(problem, rows, i, k))) ++k;
    if (k > c) continue;
    memmove(rows->x + (ptrdiff_t)kept * v, rows->x + (ptrdiff_t)i * v, (size_t)v * sizeof *rows->x);
    rows->objective[kept] = rows->objective[i];
    if (rows->constraints)
      memmove(rows->constraints + (ptrdiff_t)kept * c, rows->constraints + (ptrdiff_t)i * c,
              (size_t)c * sizeof *rows->constraints);
    kept += 1;
  }
  rows->n = kept < 2 ? 0 : kept;
}

gannet_err gannet_ledger_translate_related(const gannet_problem *before,
                                           const gannet_problem *after, gannet_related_rows *rows) {
  const int old = before->spec.n_variables, new = after->spec.n_variables;
  double *x = NULL;
  char word[256];
  int common = 0;
  GANNET_TRY(gannet_alloc((size_t)rows->n * (size_t) new, sizeof *x, &x));
  for (int v = 0; v < new; ++v) {
    const int from = gannet_problem_find_before(before, after, v);
    bool known = from >= 0;
    for (int i = 0; i < rows->n && known; ++i) {
      const double value = rows->x[(ptrdiff_t)i * old + from];
      double *to = &x[(ptrdiff_t)i * new + v];
      *to = value;
      known = !isnan(value);
      if (known) gannet_problem_format(before, from, value, word, sizeof word);
      known = known && gannet_problem_parse(after, v, word, to) == GANNET_OK &&
              gannet_problem_check_tried(after, v, *to) == GANNET_OK;
      gannet_error_clear();
    }
    for (int i = 0; i < rows->n && !known; ++i) x[(ptrdiff_t)i * new + v] = NAN;
    common += known && after->spec.variables[v].role == GANNET_ROLE_FREE;
  }
  gannet_free(&rows->x);
  rows->x = x;
  GANNET_TRY(translate_related_values(before, after, rows));
  drop_empty_rows(after, rows);
  if (common == 0) rows->n = 0;
  return GANNET_OK;
}
