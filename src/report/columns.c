/* The evaluations as columns: short texts of numbers, for pictures and not for computations. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "problem/conditional.h"
#include "problem/front.h"
#include "problem/objectives.h"
#include "problem/runs.h"
#include "report/parts.h"
#include "report/report.h"

json_t *report_number(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

/* Whether an evaluation that is done has a penalty for an objective (problem/penalty.h), as none
 * has where all are equal. */
static bool is_penalty(const gannet_campaign *c, int64_t id) {
  return !gannet_history_is_constant(c->history) && gannet_history_is_penalty(c->history, id);
}

bool report_has_value(const gannet_campaign *c, int64_t id) {
  const gannet_ticket *t = &c->ledger.ticket[id];
  return t->result.status == GANNET_EVAL_DONE && isfinite(t->result.objective) &&
         !is_penalty(c, id);
}

/* Mark the evaluations that are shown. */
static void choose_shown(const gannet_campaign *c, char *shown) {
  const int64_t n = c->ledger.n, most = REPORT_MOST_EVALUATIONS;
  const int64_t stride = n <= most ? 1 : (n + most / 2 - 1) / (most / 2);
  int64_t n_failed = 0;
  double best = INFINITY;
  for (int64_t i = 0; i < n; ++i) {
    const gannet_ticket *t = &c->ledger.ticket[i];
    const bool better = gannet_ledger_is_feasible(&c->ledger, i) &&
                        gannet_problem_flip(c->input->problem, t->result.objective) < best;
    const bool is_discarded = t->result.status == GANNET_EVAL_DISCARDED;
    const bool failed = t->has_result && t->result.status != GANNET_EVAL_DONE && !is_discarded &&
                        n_failed < most / 4;
    if (better) best = gannet_problem_flip(c->input->problem, t->result.objective);
    shown[i] = (report_is_chosen(i, stride) && !is_discarded) || better || failed;
    n_failed += failed;
  }
  gannet_front front = {0};
  if (c->input->problem->spec.n_objectives > 0 &&
      gannet_front_find(c->history, &front) != GANNET_OK)
    gannet_error_clear();
  for (int i = 0; i < front.n; ++i) shown[front.id[i]] = true;
  gannet_front_release(&front);
}

static int append_to(json_t *columns, const char *name, json_t *value) {
  return json_array_append_new(json_object_get(columns, name), value);
}

json_t *report_position(json_t *list, const char *text) {
  size_t i = 0;
  for (; i < json_array_size(list); ++i)
    if (strcmp(json_string_value(json_array_get(list, i)), text) == 0) break;
  if (i == json_array_size(list)) (void)json_array_append_new(list, json_string(text));
  return json_integer((json_int_t)i);
}

static void append_course(json_t *columns, const gannet_ticket *t, double start) {
  const gannet_run_record *run = &t->result.run;
  (void)append_to(columns, "started", report_number(run->started - start));
  (void)append_to(columns, "ended", report_number(run->ended - start));
  (void)append_to(columns, "slot", json_integer(run->slot));
  (void)append_to(columns, "attempts", json_integer(run->attempts));
  (void)append_to(columns, "exit", json_integer(run->exit_code));
  (void)append_to(columns, "signal", json_integer(run->signal));
  (void)append_to(columns, "host", report_position(json_object_get(columns, "hosts"), run->host));
  (void)append_to(columns, "place",
                  isfinite(run->started)
                      ? report_position(json_object_get(columns, "places"), run->place)
                      : json_null());
}

/* Several objectives of designs whose runs are joined: means of the runs and their errors in the
 * row that stands for a design, and nothing in the rows of its other runs. */
static void append_means(const gannet_campaign *c, int64_t id, json_t *columns) {
  const gannet_problem *problem = c->input->problem;
  double y[GANNET_OBJECTIVES_MOST], errors[GANNET_OBJECTIVES_MOST];
  gannet_runs runs;
  const bool stands = gannet_runs_stands(c->history, id) && !is_penalty(c, id);
  gannet_runs_objectives(c->history, id, y, errors);
  gannet_runs_find(c->history, id, NULL, &runs);
  for (int m = 0; m < problem->spec.n_objectives; ++m) {
    const double mean = stands ? gannet_problem_flip_objective(problem, m, y[m]) : NAN;
    (void)json_array_append_new(json_array_get(json_object_get(columns, "means"), (size_t)m),
                                report_number(mean));
    (void)json_array_append_new(json_array_get(json_object_get(columns, "errors"), (size_t)m),
                                report_number(stands ? errors[m] : NAN));
  }
  (void)append_to(columns, "runs", json_integer(stands ? (json_int_t)runs.n : 0));
}

static void append_row(const gannet_campaign *c, int64_t id, double start, json_t *columns) {
  const gannet_problem_spec *spec = &c->input->problem->spec;
  const gannet_ticket *t = &c->ledger.ticket[id];
  const double *x = gannet_history_x_user(c->history, id);
  const bool *active = gannet_conditional_find_active(c->input->problem, x);
  const bool done = t->result.status == GANNET_EVAL_DONE;
  const bool penalty = is_penalty(c, id), by_means = json_object_get(columns, "means") != NULL;
  const gannet_eval_status status = penalty ? GANNET_EVAL_CANNOT_RUN : t->result.status;
  (void)append_to(columns, "id", json_integer(id));
  (void)append_to(columns, "batch", json_integer(gannet_history_get(c->history, id)->batch));
  (void)append_to(columns, "status", json_integer(t->has_result ? status : GANNET_EVAL_PENDING));
  (void)append_to(columns, "objective",
                  report_number(done && !penalty ? t->result.objective : NAN));
  (void)append_to(columns, "penalty", report_number(penalty ? t->result.objective : NAN));
  const bool feasible = by_means && gannet_runs_stands(c->history, id) /* by what is shown */
                            ? gannet_runs_are_feasible(c->history, id)
                            : gannet_ledger_is_feasible(&c->ledger, id);
  (void)append_to(columns, "feasible", json_integer(feasible));
  (void)append_to(columns, "imported",
                  json_integer(gannet_history_get(c->history, id)->origin == GANNET_ORIGIN_IMPORT));
  (void)append_to(columns, "elsewhere",
                  json_integer(gannet_history_get(c->history, id)->elsewhere));
  for (int v = 0; v < spec->n_variables; ++v)
    (void)json_array_append_new(json_array_get(json_object_get(columns, "x"), (size_t)v),
                                report_number(!active || active[v] ? x[v] : NAN));
  for (int k = 0; k < spec->n_constraints; ++k) {
    const bool is_objective = gannet_problem_quantity_objective(c->input->problem, k + 1) > 0;
    const double value = done && !(penalty && is_objective) ? t->result.constraints[k] : NAN;
    (void)json_array_append_new(json_array_get(json_object_get(columns, "c"), (size_t)k),
                                report_number(value));
  }
  if (by_means) append_means(c, id, columns);
  append_course(columns, t, start);
}

static json_t *lists(int n) {
  json_t *outer = json_array();
  for (int i = 0; i < n; ++i) (void)json_array_append_new(outer, json_array());
  return outer;
}

json_t *report_columns(const gannet_campaign *campaign, double start) {
  static const char *const names[] = {"id",       "batch",    "status",   "objective", "penalty",
                                      "feasible", "started",  "ended",    "slot",      "attempts",
                                      "exit",     "signal",   "host",     "hosts",     "place",
                                      "places",   "imported", "elsewhere"};
  const gannet_problem_spec *spec = &campaign->input->problem->spec;
  char *shown = NULL;
  json_t *columns = json_object();
  if (gannet_alloc((size_t)campaign->ledger.n + 1, 1, &shown) != GANNET_OK) return NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    (void)json_object_set_new(columns, names[i], json_array());
  (void)json_object_set_new(columns, "x", lists(spec->n_variables));
  (void)json_object_set_new(columns, "c", lists(spec->n_constraints));
  if (spec->n_objectives > 0 && gannet_history_joins_runs(campaign->history)) {
    (void)json_object_set_new(columns, "means", lists(spec->n_objectives));
    (void)json_object_set_new(columns, "errors", lists(spec->n_objectives));
    (void)json_object_set_new(columns, "runs", json_array());
  }
  choose_shown(campaign, shown);
  for (int64_t id = 0; id < campaign->ledger.n; ++id)
    if (shown[id]) append_row(campaign, id, start, columns);
  gannet_free(&shown);
  return columns;
}
