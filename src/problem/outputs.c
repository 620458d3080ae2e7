#include "problem/outputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"

static void release_formula(gannet_formula *formula) {
  for (int i = 0; i < formula->n; ++i) gannet_free(&formula->names[i]);
  gannet_free(&formula->names);
  gannet_free(&formula->value);
  gannet_free(&formula->text);
  gannet_free(&formula->tokens);
  gannet_expression_destroy(&formula->expression);
  *formula = (gannet_formula){0};
}

void gannet_outputs_destroy(gannet_outputs **pointer) {
  gannet_outputs *outputs = *pointer;
  if (!outputs) return;
  for (int i = 0; i < outputs->n; ++i) {
    gannet_output *item = &outputs->item[i];
    char **const texts[] = {&item->name, &item->unit, &item->file, &item->pattern, &item->column};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; ++t) gannet_free(texts[t]);
  }
  for (int i = 0; i < outputs->n_formulas; ++i) release_formula(&outputs->formula[i]);
  gannet_free(&outputs->item);
  gannet_free(&outputs->formula);
  gannet_free(&outputs->objective);
  gannet_free(&outputs->unit);
  gannet_free(pointer);
}

gannet_err gannet_outputs_create(gannet_problem *problem) {
  gannet_outputs_destroy(&problem->outputs);
  GANNET_TRY(gannet_alloc(1, sizeof *problem->outputs, &problem->outputs));
  gannet_outputs *made = problem->outputs;
  const size_t n = (size_t)problem->spec.n_constraints + 1;
  GANNET_TRY(gannet_alloc(n, sizeof *made->formula, &made->formula));
  made->n_formulas = (int)n;
  return gannet_copy_text("objective", &made->objective);
}

gannet_err gannet_outputs_name_objective(gannet_outputs *outputs, const char *name,
                                         const char *unit) {
  gannet_free(&outputs->objective);
  gannet_free(&outputs->unit);
  GANNET_TRY(gannet_copy_text(name, &outputs->objective));
  return gannet_copy_text(unit, &outputs->unit);
}

gannet_err gannet_outputs_set_formula(gannet_outputs *outputs, int index, const char *text) {
  gannet_formula *formula = &outputs->formula[index];
  release_formula(formula);
  gannet_err err = gannet_expression_list_names(text, &formula->n, &formula->names);
  if (err == GANNET_OK)
    err = gannet_expression_create(text, formula->n, (const char *const *)formula->names,
                                   &formula->expression);
  if (err == GANNET_OK)
    err = gannet_alloc((size_t)formula->n, sizeof *formula->value, &formula->value);
  if (err == GANNET_OK) err = gannet_copy_text(text, &formula->tokens);
  if (err == GANNET_OK) {
    char *to = formula->tokens;
    for (const char *from = text; *from; ++from)
      if (!strchr(" \t\r\n", *from)) *to++ = *from;
    *to = '\0';
    err = gannet_copy_text(text, &formula->text);
  }
  if (err != GANNET_OK) release_formula(formula);
  return err;
}

gannet_err gannet_outputs_add(gannet_outputs *outputs, const gannet_output *output) {
  const size_t n = (size_t)outputs->n;
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *outputs->item, &outputs->item));
  gannet_output *made = &outputs->item[outputs->n++];
  *made = (gannet_output){.rows = output->rows, .take = output->take};
  GANNET_TRY(gannet_copy_text(output->name, &made->name));
  GANNET_TRY(gannet_copy_text(output->unit, &made->unit));
  GANNET_TRY(gannet_copy_text(output->file, &made->file));
  GANNET_TRY(gannet_copy_text(output->pattern, &made->pattern));
  return gannet_copy_text(output->column, &made->column);
}

const gannet_output *gannet_output_find(const gannet_problem *problem, const char *name) {
  const gannet_outputs *outputs = problem->outputs;
  for (int i = 0; outputs && i < outputs->n; ++i)
    if (strcmp(outputs->item[i].name, name) == 0) return &outputs->item[i];
  return NULL;
}

void gannet_output_describe(const gannet_output *output, char *text, size_t size) {
  static const char *const takes[] = {"last", "mean", "least", "largest", "first", "sum"};
  char rows[48] = "all rows";
  const gannet_rows *part = &output->rows;
  const char *which = part->part == GANNET_ROWS_LAST ? "last" : "first";
  if (part->part != GANNET_ROWS_ALL && part->n > 1)
    (void)snprintf(rows, sizeof rows, "the %s %d rows", which, part->n);
  if (output->pattern)
    (void)snprintf(text, size, "pattern '%s' in %s", output->pattern,
                   output->file ? output->file : "what is printed");
  else if (!output->column)
    (void)snprintf(text, size, "results.out");
  else if (part->part != GANNET_ROWS_ALL && part->n == 1)
    (void)snprintf(text, size, "column %s of %s, %s row", output->column, output->file, which);
  else
    (void)snprintf(text, size, "column %s of %s, %s of %s", output->column, output->file,
                   takes[output->take], rows);
}

const gannet_formula *gannet_problem_formula(const gannet_problem *problem, int index) {
  const gannet_outputs *outputs = problem->outputs;
  return outputs && outputs->formula[index].text ? &outputs->formula[index] : NULL;
}

const char *gannet_problem_quantity_name(const gannet_problem *problem, int index) {
  if (index > 0) return problem->spec.constraints[index - 1].name;
  if (problem->spec.n_objectives > 0) return problem->spec.objectives[0].name;
  return problem->outputs ? problem->outputs->objective : "objective";
}

const char *gannet_problem_reported_name(const gannet_problem *problem, int index) {
  const bool is_single = index == 0 && problem->spec.n_objectives == 0;
  return is_single ? "objective" : gannet_problem_quantity_name(problem, index);
}

const char *gannet_problem_objective_unit(const gannet_problem *problem) {
  return problem->outputs && problem->outputs->unit ? problem->outputs->unit : "";
}

int gannet_problem_find_quantity(const gannet_problem *problem, const char *name) {
  if (strcmp(name, gannet_problem_quantity_name(problem, 0)) == 0) return 0;
  if (strcmp(name, "objective") == 0 && problem->spec.n_objectives == 0) return 0;
  const int constraint = gannet_problem_find_constraint(problem, name);
  return constraint < 0 ? -1 : constraint + 1;
}

bool gannet_problem_needs_quantity(const gannet_problem *problem, const char *name) {
  const gannet_outputs *outputs = problem->outputs;
  if (gannet_problem_find_quantity(problem, name) >= 0) return true;
  for (int f = 0; outputs && f < outputs->n_formulas; ++f)
    for (int i = 0; i < outputs->formula[f].n; ++i)
      if (strcmp(outputs->formula[f].names[i], name) == 0) return true;
  return false;
}

const char *gannet_problem_known_quantity(const gannet_problem *problem, int i) {
  const gannet_outputs *outputs = problem->outputs;
  for (int k = 0; k <= problem->spec.n_constraints; ++k)
    if (!gannet_problem_formula(problem, k) && i-- == 0)
      return gannet_problem_quantity_name(problem, k);
  for (int f = 0; outputs && f < outputs->n_formulas; i -= outputs->formula[f++].n)
    if (i < outputs->formula[f].n) return outputs->formula[f].names[i];
  return outputs && i < outputs->n ? outputs->item[i].name : NULL;
}

void gannet_problem_list_quantities(const gannet_problem *problem, char *list, size_t size) {
  size_t used = 0;
  const char *name;
  list[0] = '\0';
  for (int i = 0; (name = gannet_problem_known_quantity(problem, i)); ++i) {
    const int more = snprintf(list + used, size - used, " %s", name);
    if (more > 0 && used + (size_t)more < size) used += (size_t)more;
    list[used] = '\0';
  }
}

static void explain_missing(const gannet_problem *problem, const gannet_result_record *result,
                            int index, const char *operand, char *why, size_t size) {
  const gannet_reported *item = gannet_quantities_find(&result->reported, operand);
  const char *name = gannet_problem_quantity_name(problem, index), *near = NULL;
  char list[120] = "", meant[90] = "";
  size_t used = 0;
  if (item) {
    (void)snprintf(why, size, "%s = %.60s: %s is %g, expected a finite number", name,
                   problem->outputs->formula[index].text, operand, item->value);
    return;
  }
  for (int k = 0; k < problem->spec.n_constraints; ++k)
    if (!isnan(result->constraints[k]) && used < sizeof list)
      used += (size_t)snprintf(list + used, sizeof list - used, " %s",
                               problem->spec.constraints[k].name);
  for (int i = 0; i < result->reported.n && used < sizeof list; ++i)
    if (gannet_problem_find_quantity(problem, result->reported.item[i].name) < 0)
      used +=
          (size_t)snprintf(list + used, sizeof list - used, " %s", result->reported.item[i].name);
  for (int i = 0; i < result->reported.n && !near; ++i)
    near = gannet_nearest(result->reported.item[i].name, (const char *const[]){operand, NULL})
               ? result->reported.item[i].name
               : NULL;
  if (near) (void)snprintf(meant, sizeof meant, ", did you mean '%s'?", near);
  (void)snprintf(why, size, "%s = %.60s: %s is missing%s; reported:%s", name,
                 problem->outputs->formula[index].text, operand, meant, *list ? list : " nothing");
}

/* The value of a quantity by its name; NAN when it is missing. */
static double find_value(const gannet_problem *problem, const gannet_result_record *result,
                         const char *name) {
  const int index = gannet_problem_find_quantity(problem, name);
  const gannet_reported *item = gannet_quantities_find(&result->reported, name);
  return index > 0    ? result->constraints[index - 1]
         : index == 0 ? result->objective
         : item       ? item->value
                      : NAN;
}

/* What a formula is when one of its quantities moves; the quantity is put back. */
static double value_moved(gannet_formula *formula, int j, double by) {
  const double there = formula->value[j];
  formula->value[j] = there + by;
  const double moved = gannet_expression_value(formula->expression, formula->value);
  formula->value[j] = there;
  return moved;
}

/* The standard deviation of a formula by those of its quantities, as if they were independent: the
 * root of the squared differences that one deviation of each makes to either side. A side on which
 * there is no value is left out. */
static double propagate_sd(const gannet_problem *problem, const gannet_result_record *result,
                           gannet_formula *formula, double value) {
  double sum = 0;
  for (int j = 0; j < formula->n; ++j) {
    const bool is_objective = gannet_problem_find_quantity(problem, formula->names[j]) == 0;
    const gannet_reported *item = gannet_quantities_find(
        &result->reported,
        is_objective ? gannet_problem_reported_name(problem, 0) : formula->names[j]);
    if (!item || !(item->sd > 0)) continue;
    const double up = value_moved(formula, j, item->sd) - value;
    const double down = value - value_moved(formula, j, -item->sd);
    const double change = isfinite(up) && isfinite(down) ? 0.5 * up + 0.5 * down
                          : isfinite(up)                 ? up
                          : isfinite(down)               ? down
                                                         : 0;
    sum = hypot(sum, change);
  }
  return isfinite(sum) ? sum : 0;
}

/* Compute one formula into *value, which stays when a quantity is missing. */
static gannet_computed compute_formula(const gannet_problem *problem, gannet_result_record *result,
                                       int i, double *value, char *why, size_t size) {
  gannet_formula *formula = &problem->outputs->formula[i];
  int missing = -1;
  for (int j = 0; j < formula->n; ++j) {
    formula->value[j] = find_value(problem, result, formula->names[j]);
    if (isinf(formula->value[j])) {
      explain_missing(problem, result, i, formula->names[j], why, size);
      return GANNET_COMPUTED_WRONG;
    }
    if (isnan(formula->value[j]) && missing < 0) missing = j;
  }
  if (missing >= 0) {
    explain_missing(problem, result, i, formula->names[missing], why, size);
    return GANNET_COMPUTED_SOME;
  }
  const double computed = gannet_expression_value(formula->expression, formula->value);
  if (isnan(computed)) {
    (void)snprintf(why, size, "%s = %.60s is nan, expected a finite number",
                   gannet_problem_quantity_name(problem, i), formula->text);
    return GANNET_COMPUTED_WRONG;
  }
  *value = computed;
  const gannet_quantity made = {.name = gannet_problem_reported_name(problem, i),
                                .value = computed,
                                .sd = propagate_sd(problem, result, formula, computed)};
  if (made.sd == 0 && !gannet_quantities_find(&result->reported, made.name))
    return GANNET_COMPUTED_ALL;
  if (gannet_quantities_set(&result->reported, problem->spec.n_variables, &made) == GANNET_OK)
    return GANNET_COMPUTED_ALL;
  (void)snprintf(why, size, "%s", gannet_error_message());
  gannet_error_clear();
  return GANNET_COMPUTED_WRONG;
}

gannet_computed gannet_problem_compute(const gannet_problem *problem, gannet_result_record *result,
                                       char *why, size_t size) {
  gannet_computed worst = GANNET_COMPUTED_ALL;
  /* Constraints first: the objective may use them. */
  for (int i = problem->spec.n_constraints; i >= 0 && problem->outputs; --i) {
    char reason[GANNET_REASON_SIZE] = "";
    if (!problem->outputs->formula[i].text) continue;
    const gannet_computed one = compute_formula(
        problem, result, i, i > 0 ? &result->constraints[i - 1] : &result->objective, reason,
        sizeof reason);
    if (one <= worst) continue;
    (void)snprintf(why, size, "%s", reason);
    worst = one;
    if (worst == GANNET_COMPUTED_WRONG) break;
  }
  return worst;
}

int gannet_problem_find_unknown(const gannet_problem *problem, const gannet_quantities *reported,
                                int from) {
  for (int i = from; i < reported->n; ++i)
    if (!gannet_problem_needs_quantity(problem, reported->item[i].name) &&
        !gannet_output_find(problem, reported->item[i].name))
      return i;
  return -1;
}
