/* What is said in words and tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "campaign/config/config.h"
#include "campaign/run/budget.h"
#include "campaign/run/failure_reasons.h"
#include "campaign/run/progress.h"
#include "gannet/version.h"
#include "report/parts.h"
#include "report/study.h"

enum { BEST = 50, TEXT = 512 };

static json_t *about_variables(const gannet_problem *problem) {
  const gannet_problem_spec *spec = &problem->spec;
  static const char *const types[] = {"real", "integer", "boolean", "categorical"};
  json_t *list = json_array();
  for (int v = 0; v < spec->n_variables; ++v) {
    const gannet_variable *one = &spec->variables[v];
    json_t *values = json_array();
    for (int i = 0; i < one->n_values; ++i)
      (void)json_array_append_new(values, json_string(one->values[i]));
    (void)json_array_append_new(
        list, json_pack("{s:s, s:s, s:s, s:f, s:f, s:b, s:o}", "name", one->name, "unit",
                        gannet_problem_unit(problem->variable_unit, v), "type", types[one->type],
                        "lower", one->lower, "upper", one->upper, "log",
                        one->scale == GANNET_SCALE_LOG, "values", values));
  }
  return list;
}

static json_t *about_constraints(const gannet_problem *problem) {
  const gannet_problem_spec *spec = &problem->spec;
  json_t *list = json_array();
  for (int k = 0; k < spec->n_constraints; ++k)
    (void)json_array_append_new(
        list, json_pack("{s:s, s:s, s:o, s:o}", "name", spec->constraints[k].name, "unit",
                        gannet_problem_unit(problem->constraint_unit, k), "lower",
                        report_number(spec->constraints[k].lower), "upper",
                        report_number(spec->constraints[k].upper)));
  return list;
}

/* In full precision, as texts: they are copied into the next study. */
static json_t *best_row(const gannet_campaign *c, const gannet_labels *labels, int64_t id) {
  const gannet_problem *problem = c->input->problem;
  const gannet_ticket *t = &c->ledger.ticket[id];
  const double *x = gannet_history_x_user(c->history, id);
  json_t *values = json_array(), *constraints = json_array(), *others = json_array();
  char text[TEXT];
  for (int v = 0; v < problem->spec.n_variables; ++v) {
    gannet_problem_format(problem, v, x[v], text, sizeof text);
    (void)json_array_append_new(values, json_string(text));
  }
  for (int k = 0; k < problem->spec.n_constraints; ++k)
    (void)json_array_append_new(constraints, report_number(t->constraints[k]));
  for (int k = 0; k < labels->n_columns; ++k)
    (void)json_array_append_new(others, json_string(gannet_labels_text(labels, id, k)));
  (void)snprintf(text, sizeof text, "%.17g", t->objective);
  return json_pack("{s:I, s:s, s:b, s:o, s:o, s:o}", "id", (json_int_t)id, "objective", text,
                   "feasible", gannet_problem_is_feasible(problem, t->constraints), "x", values,
                   "c", constraints, "labels", others);
}

static json_t *best_rows(const gannet_campaign *c, const gannet_labels *labels) {
  json_t *list = json_array();
  int64_t *ids = NULL, n = 0;
  if (gannet_history_rank(c->history, &ids, &n) != GANNET_OK) return list;
  for (int64_t i = 0; i < n && i < BEST; ++i)
    (void)json_array_append_new(list, best_row(c, labels, ids[i]));
  gannet_free(&ids);
  return list;
}

static json_t *label_names(const gannet_labels *labels) {
  json_t *list = json_array();
  for (int k = 0; k < labels->n_columns; ++k)
    (void)json_array_append_new(list, json_string(labels->name[k]));
  return list;
}

typedef struct {
  double ended;
  int64_t id;
} moment;

static int by_end(const void *a, const void *b) {
  const moment *one = a, *other = b;
  if (one->ended != other->ended) return one->ended < other->ended ? -1 : 1;
  return one->id < other->id ? -1 : one->id > other->id;
}

/* Steps of the best feasible value, [evaluations up to it, seconds since the first start, value]:
 * in the order in which evaluations were proposed, or in that in which they ended. */
static json_t *trace(const gannet_campaign *c, double start, bool in_time) {
  json_t *list = json_array();
  moment *order = NULL;
  int64_t n = 0;
  double best = INFINITY;
  if (gannet_alloc((size_t)c->ledger.n + 1, sizeof *order, &order) != GANNET_OK) return list;
  for (int64_t id = 0; id < c->ledger.n; ++id) {
    const gannet_ticket *t = &c->ledger.ticket[id];
    if (report_study_takes(c, id) && !(in_time && isnan(t->run.ended)) &&
        gannet_problem_is_feasible(c->input->problem, t->constraints))
      order[n++] = (moment){t->run.ended, id};
  }
  if (in_time) qsort(order, (size_t)n, sizeof *order, by_end);
  for (int64_t i = 0; i < n; ++i) {
    const double objective = c->ledger.ticket[order[i].id].objective;
    const double value = gannet_problem_flip(c->input->problem, objective);
    if (!(value < best)) continue;
    best = value;
    json_t *step = json_array();
    (void)json_array_append_new(step, json_integer((json_int_t)order[i].id + 1));
    (void)json_array_append_new(step, report_number(order[i].ended - start));
    (void)json_array_append_new(step, report_number(objective));
    (void)json_array_append_new(list, step);
  }
  gannet_free(&order);
  return list;
}

/* Failures of the same reason together. */
static json_t *failures(const gannet_campaign *c) {
  json_t *by_reason = json_object();
  for (int64_t id = 0; id < c->ledger.n; ++id) {
    const gannet_ticket *t = &c->ledger.ticket[id];
    char key[GANNET_REASON_KEY];
    if (!t->has_result || t->status == GANNET_EVAL_DONE) continue;
    gannet_reason_key(t, key);
    json_t *group = json_object_get(by_reason, key);
    if (!group) {
      group = json_pack("{s:s, s:s, s:i, s:[]}", "status", gannet_eval_status_phrase(t->status),
                        "reason", t->run.reason[0] ? t->run.reason : "no reason given", "count", 0,
                        "ids");
      (void)json_object_set_new(by_reason, key, group);
    }
    (void)json_object_set_new(
        group, "count", json_integer(json_integer_value(json_object_get(group, "count")) + 1));
    json_t *ids = json_object_get(group, "ids");
    if (json_array_size(ids) < 10) (void)json_array_append_new(ids, json_integer((json_int_t)id));
  }
  return by_reason;
}

static json_t *configuration(const gannet_campaign *c) {
  char *text = NULL;
  size_t size = 0;
  if (gannet_campaign_format(c->input, &text, &size) != GANNET_OK) return json_string("");
  json_t *made = json_stringn(text, size);
  gannet_free(&text);
  return made;
}

static const char *method_of(const gannet_campaign *c) {
  const char *method = "auto";
  for (int i = 0; i < c->input->n_method; ++i)
    if (strcmp(c->input->method[i].key, "method") == 0) method = c->input->method[i].text;
  return method;
}

static json_t *about_campaign(const gannet_campaign *c, const gannet_usage *u) {
  gannet_tally tally;
  char now[40], absent[300], evaluations[GANNET_BUDGET_TEXT];
  int64_t penalties;
  gannet_tally_count(c, &tally);
  gannet_clock_format(gannet_clock_epoch(), now, sizeof now);
  gannet_budget_format(c->ledger.n, "", " of ", gannet_budget_total(c->input), evaluations);
  json_t *about = json_pack(
      "{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:s}", "name",
      c->input->general.name, "goal",
      c->input->problem->spec.goal == GANNET_MAXIMIZE ? "maximize" : "minimize", "method",
      method_of(c), "version", GANNET_VERSION, "made", now, "seed", (json_int_t)c->ledger.seed,
      "proposed", (json_int_t)c->ledger.n, "done", (json_int_t)tally.done, "cannot_run",
      (json_int_t)tally.cannot_run, "failed", (json_int_t)tally.failed, "pending",
      (json_int_t)tally.pending, "evaluations", evaluations);
  const bool timed = !isnan(gannet_usage_share(u));
  (void)json_object_set_new(about, "seconds", report_number(timed ? u->last - u->first : NAN));
  (void)json_object_set_new(about, "busy", report_number(timed ? u->busy : NAN));
  (void)json_object_set_new(about, "slots", json_integer(u->slots));
  (void)json_object_set_new(about, "damage", json_string(c->damage.text));
  (void)gannet_history_penalty(c->history, &penalties);
  if (gannet_history_is_constant(c->history)) penalties = 0;
  (void)json_object_set_new(about, "penalties", json_integer((json_int_t)penalties));
  gannet_absent_list(c, absent, sizeof absent);
  (void)json_object_set_new(about, "absent", json_string(absent));
  (void)json_object_set_new(about, "feasible", json_boolean(tally.best.feasible));
  (void)json_object_set_new(about, "n_feasible", json_integer((json_int_t)tally.feasible));
  (void)json_object_set_new(about, "violation", report_number(tally.violation));
  (void)json_object_set_new(about, "best",
                            report_number(tally.best.id < 0 ? NAN : tally.best.objective));
  return about;
}

json_t *report_summary(const gannet_campaign *campaign, const gannet_labels *labels,
                       const gannet_usage *usage) {
  const gannet_problem *problem = campaign->input->problem;
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "campaign",
                   about_campaign(campaign, usage), "variables", about_variables(problem),
                   "constraints", about_constraints(problem), "labels", label_names(labels), "best",
                   best_rows(campaign, labels), "trace", trace(campaign, usage->first, false),
                   "trace_time", trace(campaign, usage->first, true), "failures",
                   failures(campaign), "pauses", report_pauses(campaign), "starts",
                   report_starts(campaign), "range", report_range(campaign), "configuration",
                   configuration(campaign));
}
