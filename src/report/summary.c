/* The texts and tables of the page, the machines that the campaign ran on, and the range of the
 * objective. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "campaign/config/config.h"
#include "campaign/run/budget.h"
#include "campaign/run/change.h"
#include "campaign/run/corrections.h"
#include "campaign/run/failure_reasons.h"
#include "campaign/run/progress.h"
#include "campaign/tables/on_bound.h"
#include "gannet/version.h"
#include "problem/conditional.h"
#include "problem/objectives.h"
#include "problem/outputs.h"
#include "problem/runs.h"
#include "report/parts.h"

/* Designs in the table: of several objectives all of most fronts. */
enum { BEST = 50, BEST_OF_SEVERAL = 300, TEXT = 512, STARTS = 200, LONGEST_LOG = 1 << 30 };

/* The type as which a variable is drawn: its values are numbers or words. */
static const char *shown_type(const gannet_variable *v) {
  if (v->type != GANNET_VARIABLE_ORDINAL) return gannet_variable_type_name(v->type);
  return v->numbers ? "real" : "categorical";
}

static json_t *about_variables(const gannet_problem *problem) {
  const gannet_problem_spec *spec = &problem->spec;
  json_t *list = json_array();
  for (int v = 0; v < spec->n_variables; ++v) {
    const gannet_variable *one = &spec->variables[v];
    json_t *values = json_array();
    for (int i = 0; i < one->n_values && gannet_variable_has_words(one); ++i)
      (void)json_array_append_new(values, json_string(one->values[i]));
    (void)json_array_append_new(
        list, json_pack("{s:s, s:s, s:s, s:f, s:f, s:b, s:b, s:b, s:o}", "name", one->name, "unit",
                        gannet_problem_unit(problem->variable_unit, v), "type", shown_type(one),
                        "lower", one->lower, "upper", one->upper, "log",
                        one->scale == GANNET_SCALE_LOG, "searched",
                        one->role == GANNET_ROLE_FREE && isnan(gannet_problem_pinned(problem, v)),
                        "conditional", gannet_variable_is_conditional(one), "values", values));
  }
  return list;
}

/* "kept": the share of all results with a value that keep the constraint, null without any: the
 * columns of a long campaign have only some of them, and more of the better ones. */
static json_t *about_constraints(const gannet_campaign *campaign) {
  const gannet_problem *problem = campaign->input->problem;
  const gannet_problem_spec *spec = &problem->spec;
  json_t *list = json_array();
  const int n_bounded = gannet_problem_n_bounded(problem);
  for (int k = 0; k < spec->n_constraints; ++k) {
    const gannet_constraint *bounds = &spec->constraints[k];
    double n = 0, kept = 0;
    for (int64_t id = 0; id < campaign->ledger.n; ++id) {
      const gannet_result_record *result = &campaign->ledger.ticket[id].result;
      if (result->status != GANNET_EVAL_DONE || !isfinite(result->constraints[k])) continue;
      n += 1;
      kept += result->constraints[k] >= bounds->lower && result->constraints[k] <= bounds->upper;
    }
    (void)json_array_append_new(
        list,
        json_pack("{s:b, s:s, s:s, s:o, s:o, s:o}", "objective", k >= n_bounded, "name",
                  bounds->name, "unit", gannet_problem_unit(problem->constraint_unit, k), "lower",
                  report_number(bounds->lower), "upper", report_number(bounds->upper), "kept",
                  report_number(n > 0 ? kept / n : NAN)));
  }
  return list;
}

/* A row of the table of the best designs. Numbers are texts in full precision, because people copy
 * them into the next study. */
static json_t *best_row(const gannet_campaign *c, const gannet_labels *labels, int64_t id) {
  const gannet_problem *problem = c->input->problem;
  const double *x = gannet_history_x_user(c->history, id);
  gannet_runs runs;
  double *means = NULL;
  if (gannet_alloc((size_t)problem->spec.n_constraints, sizeof *means, &means) != GANNET_OK)
    return NULL;
  gannet_runs_find(c->history, id, means, &runs);
  json_t *values = json_array(), *constraints = json_array(), *others = json_array();
  char text[TEXT];
  for (int v = 0; v < problem->spec.n_variables; ++v) {
    gannet_problem_format(problem, v, x[v], text, sizeof text);
    (void)json_array_append_new(values,
                                json_string(gannet_problem_is_active(problem, v, x) ? text : ""));
  }
  for (int k = 0; k < problem->spec.n_constraints; ++k)
    (void)json_array_append_new(constraints, report_number(means[k]));
  gannet_free(&means);
  for (int k = 0; k < labels->n_columns; ++k)
    (void)json_array_append_new(others, json_string(gannet_labels_text(labels, id, k)));
  (void)snprintf(text, sizeof text, "%.17g", runs.objective);
  json_t *row =
      json_pack("{s:I, s:s, s:b, s:o, s:o, s:o}", "id", (json_int_t)id, "objective", text,
                "feasible", runs.violation == 0, "x", values, "c", constraints, "labels", others);
  if (runs.n < 2) return row;
  gannet_runs_list_ids(c->history, id, sizeof text, text);
  (void)json_object_set_new(row, "runs", json_integer((json_int_t)runs.n));
  (void)json_object_set_new(row, "error", report_number(runs.error));
  (void)json_object_set_new(row, "evaluations", json_string(text));
  return row;
}

/* The first of n rows that a design is like: both are feasible or neither is, and no variable
 * differs by more than a hundredth of its range. -1 = none. */
static int64_t find_alike(const gannet_campaign *c, const int64_t *row, int64_t n, int64_t id) {
  const double near = 0.01, *x = gannet_history_x_unit(c->history, id);
  const int d = c->input->problem->d;
  const bool is_feasible = gannet_history_is_feasible(c->history, id);
  for (int64_t i = 0; i < n; ++i) {
    const double *y = gannet_history_x_unit(c->history, row[i]);
    int k = gannet_history_is_feasible(c->history, row[i]) == is_feasible ? 0 : d + 1;
    while (k < d && fabs(x[k] - y[k]) <= near) ++k;
    if (k == d) return i;
  }
  return -1;
}

/* Distinct designs, best first. Those like a better one only count there: "like", with the first of
 * their numbers in "alike". With several objectives, whose fronts are dense, each has a row. */
static json_t *best_rows(const gannet_campaign *c, const gannet_labels *labels) {
  const bool is_single = c->input->problem->spec.n_objectives == 0;
  const int64_t most = is_single ? BEST : BEST_OF_SEVERAL;
  enum { LOOKED_AT = 20000, NAMED = 20 };
  json_t *list = json_array();
  int64_t *ids = NULL, n = 0, row[BEST], n_rows = 0;
  if (gannet_history_rank(c->history, &ids, &n) != GANNET_OK) return list;
  for (int64_t i = 0; i < n && i < (is_single ? LOOKED_AT : most); ++i) {
    const int64_t at = is_single ? find_alike(c, row, n_rows, ids[i]) : -1;
    if (at < 0 && n_rows < most) {
      (void)json_array_append_new(list, best_row(c, labels, ids[i]));
      if (is_single) row[n_rows] = ids[i];
      ++n_rows;
    }
    if (at < 0) continue;
    json_t *one = json_array_get(list, (size_t)at), *alike = json_object_get(one, "alike");
    if (!alike) (void)json_object_set_new(one, "alike", alike = json_array());
    (void)json_object_set_new(one, "like",
                              json_integer(json_integer_value(json_object_get(one, "like")) + 1));
    if (json_array_size(alike) < NAMED)
      (void)json_array_append_new(alike, json_integer((json_int_t)ids[i]));
  }
  gannet_free(&ids);
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
  const bool is_joined = gannet_history_joins_runs(c->history);
  const int least = gannet_runs_least(c->history);
  if (gannet_alloc((size_t)c->ledger.n + 1, sizeof *order, &order) != GANNET_OK) return list;
  for (int64_t id = 0; id < c->ledger.n; ++id) {
    const gannet_ticket *t = &c->ledger.ticket[id];
    if (report_has_value(c, id) && !(in_time && isnan(t->result.run.ended)) &&
        gannet_ledger_is_feasible(&c->ledger, id))
      order[n++] = (moment){t->result.run.ended, id};
  }
  if (in_time) qsort(order, (size_t)n, sizeof *order, by_end);
  for (int64_t i = 0; i < n; ++i) {
    const double objective = is_joined ? gannet_runs_course(c->history, order[i].id, least)
                                       : c->ledger.ticket[order[i].id].result.objective;
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
    if (!t->has_result || t->result.status == GANNET_EVAL_DONE ||
        t->result.status == GANNET_EVAL_DISCARDED)
      continue;
    gannet_reason_key(t, key);
    json_t *group = json_object_get(by_reason, key);
    if (!group) {
      group = json_pack(
          "{s:s, s:s, s:i, s:[]}", "status", gannet_eval_status_phrase(t->result.status), "reason",
          t->result.run.reason[0] ? t->result.run.reason : "no reason given", "count", 0, "ids");
      (void)json_object_set_new(by_reason, key, group);
    }
    (void)json_object_set_new(
        group, "count", json_integer(json_integer_value(json_object_get(group, "count")) + 1));
    json_t *ids = json_object_get(group, "ids");
    if (json_array_size(ids) < 10) (void)json_array_append_new(ids, json_integer((json_int_t)id));
  }
  return by_reason;
}

/* Say what the user corrected; where there were many corrections, only the last MOST. */
static json_t *corrections(const gannet_campaign *c) {
  enum { MOST = 50 };
  const gannet_ledger *ledger = &c->ledger;
  json_t *list = json_array();
  char text[500];
  for (int i = ledger->n_corrections > MOST ? ledger->n_corrections - MOST : 0;
       i < ledger->n_corrections; ++i) {
    gannet_correction_format(&ledger->correction[i], text, sizeof text);
    (void)json_array_append_new(
        list, json_sprintf("evaluation %lld was %s", (long long)ledger->correction[i].id, text));
  }
  return list;
}

/* Bounds that the best design lies on, in words. The models of the next ask guess what lies behind;
 * they need an optimiser, and so the campaign once more. */
static json_t *bounds(const gannet_campaign *c) {
  json_t *list = json_array();
  gannet_on_bound *on = NULL;
  gannet_campaign campaign;
  char text[GANNET_ON_BOUND_SIZE];
  int n = 0;
  if (gannet_on_bounds_find(c->history, &on, &n) == GANNET_OK && n > 0) {
    if (gannet_campaign_query_optimizer(c->directory, NULL, NULL, &campaign) == GANNET_OK)
      gannet_on_bounds_guess(&campaign, n, on);
    gannet_campaign_close(&campaign);
  }
  gannet_error_clear(); /* the page is made without a guess */
  for (int i = 0; gannet_on_bounds_line(c->input->problem, n, on, i, text); ++i)
    (void)json_array_append_new(list, json_string(text));
  gannet_free(&on);
  return list;
}

static json_t *revisions(const gannet_campaign *c) {
  const gannet_ledger *ledger = &c->ledger;
  json_t *list = json_array();
  char text[500];
  for (int i = 0; i < ledger->n_revisions; ++i) {
    const gannet_revision *revision = &ledger->revision[i];
    json_t *items = json_array();
    for (int k = 0; k < revision->list.n; ++k) {
      (void)gannet_change_format(&revision->list.item[k], text, sizeof text);
      (void)json_array_append_new(items, json_string(text));
    }
    gannet_revision_format(revision, text, sizeof text);
    (void)json_array_append_new(list, json_pack("{ss so}", "made", text, "items", items));
  }
  return list;
}

static json_t *about_campaign(const gannet_campaign *c, const gannet_usage *u) {
  gannet_tally tally;
  char now[40], absent[300], evaluations[GANNET_BUDGET_TEXT];
  const char *method = "auto";
  int64_t penalties = 0;
  for (int i = 0; i < c->input->n_method; ++i)
    if (strcmp(c->input->method[i].key, "method") == 0) method = c->input->method[i].text;
  gannet_tally_count(c, &tally);
  gannet_clock_format(gannet_clock_epoch(), now, sizeof now);
  const int64_t kept = gannet_history_count_kept(c->history);
  gannet_budget_format(gannet_budget_used(c), "", " of ", gannet_budget_total(c->input),
                       evaluations);
  json_t *about =
      json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:s}", "name",
                c->input->general.name, "goal",
                c->input->problem->spec.goal == GANNET_MAXIMIZE ? "maximize" : "minimize", "method",
                method, "version", GANNET_VERSION, "made", now, "seed", (json_int_t)c->ledger.seed,
                "proposed", (json_int_t)kept, "done", (json_int_t)tally.done, "cannot_run",
                (json_int_t)tally.cannot_run, "failed", (json_int_t)tally.failed, "pending",
                (json_int_t)tally.pending, "evaluations", evaluations);
  (void)json_object_set_new(about, "imported", json_integer((json_int_t)tally.imported));
  const int64_t elsewhere = gannet_history_count_elsewhere(c->history);
  (void)json_object_set_new(about, "elsewhere", json_integer(elsewhere));
  const bool timed = !isnan(gannet_usage_share(u));
  (void)json_object_set_new(about, "seconds", report_number(timed ? u->last - u->first : NAN));
  (void)json_object_set_new(about, "busy", report_number(timed ? u->busy : NAN));
  (void)json_object_set_new(about, "slots", json_integer(u->slots));
  const char *unit = gannet_problem_objective_unit(c->input->problem);
  (void)json_object_set_new(about, "unit", json_string(unit));
  const char *quantity = gannet_problem_quantity_name(c->input->problem, 0);
  (void)json_object_set_new(about, "quantity", json_string(quantity));
  (void)json_object_set_new(
      about, "objective",
      json_sprintf("%s%s%s%s", quantity, *unit ? " [" : "", unit, *unit ? "]" : ""));
  (void)json_object_set_new(about, "damage", json_string(c->damage.text));
  for (int64_t id = 0; id < c->ledger.n && !gannet_history_is_constant(c->history); ++id)
    penalties += gannet_history_is_penalty(c->history, id);
  (void)json_object_set_new(about, "penalties", json_integer((json_int_t)penalties));
  if (!isnan(c->input->budget.cost) || c->input->cost.weigh) {
    gannet_budget_format_cost(c, evaluations);
    (void)json_object_set_new(
        about, "cost",
        json_sprintf("%s%s", evaluations,
                     c->input->cost.weigh ? "; proposals weigh gain per cost" : ""));
  }
  if (c->ledger.stop_reason)
    (void)json_object_set_new(about, "ended", json_string(c->ledger.stop_reason));
  gannet_absent_list(c, absent, sizeof absent);
  (void)json_object_set_new(about, "absent", json_string(absent));
  (void)json_object_set_new(about, "discarded", json_integer((json_int_t)(c->ledger.n - kept)));
  (void)json_object_set_new(about, "corrections", corrections(c));
  (void)json_object_set_new(about, "bounds", bounds(c));
  (void)json_object_set_new(about, "changes", revisions(c));
  (void)json_object_set_new(about, "feasible", json_boolean(tally.best.feasible));
  (void)json_object_set_new(about, "n_feasible", json_integer((json_int_t)tally.feasible));
  (void)json_object_set_new(about, "violation", report_number(tally.violation));
  (void)json_object_set_new(about, "best",
                            report_number(tally.best.id < 0 ? NAN : tally.best.objective));
  return about;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* "best", "worst"; "better": where an axis may end that leaves out the worse values but not the
 * course of the best; "stretched": whether it should. {} without results. Values are minimised. */
static json_t *objective_range(const gannet_campaign *c) {
  double *values = NULL, first = NAN;
  int64_t n = 0;
  json_t *made = json_object();
  if (gannet_alloc((size_t)c->ledger.n + 1, sizeof *values, &values) != GANNET_OK) return made;
  for (int64_t id = 0; id < c->ledger.n; ++id) {
    const gannet_ticket *t = &c->ledger.ticket[id];
    if (!report_has_value(c, id)) continue;
    values[n++] = gannet_problem_flip(c->input->problem, t->result.objective);
    if (isnan(first) && gannet_ledger_is_feasible(&c->ledger, id)) first = values[n - 1];
  }
  qsort(values, (size_t)n, sizeof *values, ascending);
  if (n > 0) {
    const double most = values[n - 1 - n / 10];
    const double end = fmax(values[(6 * n) / 10], fmin(isnan(first) ? most : first, most));
    const bool stretched = n > 20 && values[n - 1] / 12 - values[0] / 12 >
                                         0.5 * end - 0.5 * values[0]; /* no overflow */
    (void)json_object_set_new(made, "best",
                              report_number(gannet_problem_flip(c->input->problem, values[0])));
    (void)json_object_set_new(made, "worst",
                              report_number(gannet_problem_flip(c->input->problem, values[n - 1])));
    (void)json_object_set_new(made, "better",
                              report_number(gannet_problem_flip(c->input->problem, end)));
    (void)json_object_set_new(made, "stretched", json_boolean(stretched));
  }
  gannet_free(&values);
  return made;
}

/* "TIME info machine: {...}"; NULL when it is another line. */
static json_t *start_of(const char *line, size_t length) {
  static const char mark[] = " machine: ";
  const size_t skip = sizeof mark - 1;
  for (size_t at = 0; at + skip < length && at < 64; ++at) {
    if (memcmp(line + at, mark, skip) != 0) continue;
    json_t *machine = json_loadb(line + at + skip, length - at - skip, 0, NULL);
    const char *blank = memchr(line, ' ', length);
    if (json_is_object(machine))
      (void)json_object_set_new(machine, "time", json_stringn(line, (size_t)(blank - line)));
    return machine;
  }
  return NULL;
}

/* A list with an object for each start of the campaign: time, ranks, versions of libraries. */
static json_t *starts_of(const gannet_campaign *campaign) {
  json_t *list = json_array();
  char path[PATH_MAX], *log = NULL;
  size_t size = 0;
  if (gannet_campaign_path(campaign, "campaign.log", path) != GANNET_OK ||
      gannet_file_read_within(path, LONGEST_LOG, GANNET_ERR_DAMAGED, &log, &size) != GANNET_OK) {
    gannet_error_clear(); /* a log may be thrown away */
    return list;
  }
  for (const char *line = log, *end = log + size; line < end;) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    if (!stop) stop = end;
    json_t *start = start_of(line, (size_t)(stop - line));
    if (start) (void)json_array_append_new(list, start);
    if (json_array_size(list) > STARTS) (void)json_array_remove(list, 0);
    line = stop + 1;
  }
  gannet_free(&log);
  return list;
}

json_t *report_summary(const gannet_campaign *campaign, const gannet_labels *labels,
                       const gannet_usage *usage) {
  const gannet_problem *problem = campaign->input->problem;
  json_t *names = json_array();
  char *text = NULL;
  size_t size = 0;
  for (int k = 0; k < labels->n_columns; ++k)
    (void)json_array_append_new(names, json_string(labels->name[k]));
  if (gannet_campaign_format(campaign->input, &text, &size) != GANNET_OK) size = 0;
  json_t *configuration = json_stringn(text ? text : "", size);
  gannet_free(&text);
  json_t *best = best_rows(campaign, labels), *failed = failures(campaign);
  json_t *folders = report_logs(campaign, best, failed);
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                   "campaign", about_campaign(campaign, usage), "variables",
                   about_variables(problem), "constraints", about_constraints(campaign), "labels",
                   names, "best", best, "trace", trace(campaign, usage->first, false), "trace_time",
                   trace(campaign, usage->first, true), "failures", failed, "folders", folders,
                   "pauses", report_pauses(campaign), "starts", starts_of(campaign), "range",
                   objective_range(campaign), "configuration", configuration, "front",
                   report_front(campaign));
}
