/* What the models of a campaign say, in sentences. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "problem/front.h"
#include "problem/objectives.h"
#include "problem/outputs.h"
#include "problem/runs.h"
#include "report/figure.h"

enum { TEXT = 600, NAMES = 400 };

static const double HARDLY = 0.01; /* a total effect that is as good as none */

static void say_accuracy(const json_t *model, const char *name, bool noisy, json_t *words) {
  const double r2 = figure_get(json_object_get(model, "calibration"), "r2");
  char text[TEXT];
  if (isnan(r2)) return;
  if (r2 < 0.1 && noisy)
    (void)snprintf(text, sizeof text,
                   "No variable matters beyond the noise of %s: predictions are no better than the "
                   "mean of all results (cross-validated R\u00b2 %.2f).",
                   name, r2);
  else if (r2 < 0.1)
    (void)snprintf(
        text, sizeof text,
        "The model sees no variable that matters for %s: predictions are no better than "
        "the mean of all results (cross-validated R\u00b2 %.2f). The values are noise, or "
        "they change within less than the distance of the designs.",
        name, r2);
  else if (r2 < 0.5)
    (void)snprintf(text, sizeof text,
                   "The model predicts %s badly: cross-validated R\u00b2 %.2f. Do not rely on the "
                   "importance of variables, the slices and the maps.",
                   name, r2);
  else
    (void)snprintf(text, sizeof text, "The model predicts %s %s: cross-validated R\u00b2 %s%.*f.",
                   name, r2 < 0.8 ? "roughly" : "well", r2 > 0.999 ? "above " : "",
                   r2 > 0.99 ? 3 : 2, fmin(r2, 0.999)); /* not quite 1 is not rounded to it */
  (void)json_array_append_new(words, json_string(text));
}

/* Whether a variable hardly changes what any model describes. */
static bool is_idle(const json_t *model, size_t v) {
  const json_t *lists[] = {json_object_get(model, "others"), json_object_get(model, "constraints")};
  if (figure_at(json_object_get(model, "importance"), v) >= HARDLY) return false;
  for (int k = 0; k < 2; ++k)
    for (size_t i = 0; i < json_array_size(lists[k]); ++i) {
      const json_t *one = json_array_get(lists[k], i);
      if (figure_at(json_object_get(one, "importance"), v) >= HARDLY) return false;
    }
  return true;
}

/* Variables that could as well be fixed, where the models know enough to say so. */
static void say_idle(const gannet_problem *problem, const json_t *model, bool is_good,
                     json_t *words) {
  char names[NAMES] = "";
  int n = 0;
  for (int v = 0; v < problem->spec.n_variables && is_good; ++v) {
    if (problem->spec.variables[v].role != GANNET_ROLE_FREE ||
        !isnan(gannet_problem_pinned(problem, v)) || !is_idle(model, (size_t)v))
      continue;
    const size_t used = strlen(names);
    (void)snprintf(names + used, sizeof names - used, "%s%s", n++ > 0 ? ", " : "",
                   problem->spec.variables[v].name);
  }
  if (n > 0 && strlen(names) + 1 < sizeof names)
    (void)json_array_append_new(
        words,
        json_sprintf("%s hardly matter%s: the total effect%s below 1 %% for every model. "
                     "The search is easier if you fix %s.",
                     names, n == 1 ? "s" : "", n == 1 ? " is" : "s are", n == 1 ? "it" : "them"));
}

/* Say where a bound decides: the best design, or designs of the front, lie on it.
 *
 * near  distance below which a value counts as on the bound
 */
static void say_on_bound(const gannet_campaign *c, int k, double near, json_t *words) {
  const gannet_problem *problem = c->input->problem;
  const gannet_constraint *bounds = &problem->spec.constraints[k];
  const bool is_front = gannet_problem_n_objectives(problem) > 1;
  const int64_t best = gannet_history_best(c->history);
  gannet_front front = {0};
  double *means = NULL, value = NAN, bound = NAN;
  int on = 0;
  if (best < 0 || gannet_alloc((size_t)problem->spec.n_constraints, sizeof *means, &means) ||
      (is_front && gannet_front_find(c->history, &front) != GANNET_OK))
    gannet_error_clear();
  else
    for (int i = 0; i < (is_front ? front.n : 1); ++i) {
      gannet_runs runs;
      gannet_runs_find(c->history, is_front ? front.id[i] : best, means, &runs);
      const double below = fabs(means[k] - bounds->lower), above = fabs(means[k] - bounds->upper);
      if (!(fmin(below, above) <= near)) continue;
      on += 1;
      value = means[k];
      bound = below <= above ? bounds->lower : bounds->upper;
    }
  if (on > 0 && is_front)
    (void)json_array_append_new(
        words, json_sprintf("%d of %d designs of the front %s on the bound of constraint %s.", on,
                            front.n, on == 1 ? "lies" : "lie", bounds->name));
  else if (on > 0)
    (void)json_array_append_new(
        words, json_sprintf("The best design lies on the bound of constraint %s (value %.6g, bound "
                            "%.6g).",
                            bounds->name, value, bound));
  gannet_front_release(&front);
  gannet_free(&means);
}

/* Say what a constraint decides, by the results and by its model. */
static void say_constraint(const gannet_campaign *c, int k, const json_t *model, json_t *words) {
  const gannet_constraint *bounds = &c->input->problem->spec.constraints[k];
  double low = INFINITY, high = -INFINITY, kept_low = INFINITY, kept_high = -INFINITY;
  int64_t n = 0, kept = 0;
  for (int64_t id = 0; id < c->ledger.n; ++id) {
    const gannet_result_record *result = &c->ledger.ticket[id].result;
    const double value = result->status == GANNET_EVAL_DONE ? result->constraints[k] : NAN;
    if (!isfinite(value)) continue;
    n += 1;
    low = fmin(low, value);
    high = fmax(high, value);
    if (value < bounds->lower || value > bounds->upper) continue;
    kept += 1;
    kept_low = fmin(kept_low, value);
    kept_high = fmax(kept_high, value);
  }
  /* Too few to say anything, as runs of one design show the same. */
  if (n < 8 || gannet_runs_count_designs(c->history, false) < 8) return;
  const double share = figure_get(model, "kept");
  if (kept == 0)
    (void)json_array_append_new(
        words, json_sprintf("No result keeps constraint %s (values from %.6g to %.6g).",
                            bounds->name, low, high));
  if (kept == n && !(share < 0.99)) /* without a model, by the results alone */
    (void)json_array_append_new(
        words,
        json_sprintf("Constraint %s decides nothing: all %lld results keep it%s.", bounds->name,
                     (long long)n,
                     isnan(share) ? "" : ", and its model expects the same almost everywhere"));
  /* The scale is that of results which keep the bounds: a single result far outside must not make
   * every design look close to a bound. */
  if (kept > 0 && kept < n) say_on_bound(c, k, 0.01 * (kept_high - kept_low), words);
}

void report_model_words(const gannet_campaign *campaign, const json_t *model, json_t *words) {
  const gannet_problem *problem = campaign->input->problem;
  const int n_objectives = gannet_problem_n_objectives(problem);
  const bool noisy = json_is_true(json_object_get(model, "noisy"));
  bool is_good = true;
  for (int m = 0; m < n_objectives; ++m) {
    const json_t *one =
        m == 0 ? model : json_array_get(json_object_get(model, "others"), (size_t)m - 1);
    const int quantity = gannet_problem_objective_quantity(problem, m);
    say_accuracy(
        one, n_objectives > 1 ? gannet_problem_quantity_name(problem, quantity) : "the objective",
        noisy, words);
    is_good = is_good && figure_get(json_object_get(one, "calibration"), "r2") >= 0.5;
  }
  say_idle(problem, model, is_good, words);
  for (int k = 0; k < gannet_problem_n_bounded(problem); ++k)
    say_constraint(campaign, k, json_array_get(json_object_get(model, "constraints"), (size_t)k),
                   words);
}
