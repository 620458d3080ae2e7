/* The state of a campaign as JSON, for programs. docs/status-json.md describes every field: fields
 * may be added, but none is renamed or removed without another version.
 */
#include "cli/watch/document.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "campaign/run/budget.h"
#include "campaign/run/failure_reasons.h"
#include "campaign/tables/on_bound.h"
#include "gannet/version.h"
#include "problem/conditional.h"
#include "problem/objectives.h"
#include "problem/outputs.h"

enum { MOST_RUNNING = 200 };

typedef struct {
  const gannet_follow *follow;
  const gannet_campaign *campaign;
  const gannet_problem *problem;
  const watch_course *course;
  gannet_tally tally;
} document;

/* A number, or null where there is none. */
static json_t *number(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

/* A text from outside, or null where it is empty. */
static json_t *text_or_null(const char *text) {
  char shown[PATH_MAX];
  const size_t size = strlen(text);
  if (size == 0) return json_null();
  memcpy(shown, text, size < sizeof shown ? size + 1 : sizeof shown);
  shown[sizeof shown - 1] = '\0';
  gannet_utf8_show(shown);
  return json_string(shown);
}

/* A value of a variable: a number, a word, a truth, or null where the variable is inactive. */
static json_t *value_of(const gannet_problem *problem, int v, const double *x) {
  const gannet_variable *about = &problem->spec.variables[v];
  char text[512];
  if (!gannet_problem_is_active(problem, v, x)) return json_null();
  if (about->type == GANNET_VARIABLE_BOOLEAN) return json_boolean(x[v] != 0);
  if (about->type == GANNET_VARIABLE_INTEGER) return json_integer((json_int_t)x[v]);
  if (!gannet_variable_has_words(about)) return number(x[v]);
  gannet_problem_format(problem, v, x[v], text, sizeof text);
  return text_or_null(text);
}

static json_t *about_evaluations(const document *d) {
  const gannet_tally *t = &d->tally;
  const int64_t kept = gannet_history_count_kept(d->campaign->history);
  const int64_t total = d->follow->total;
  const json_int_t seen = d->course->n_sights;
  const json_int_t lost = watch_are_lost(d->follow, d->course) ? seen : 0;
  return json_pack("{s:o,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:o,s:I}", "limit",
                   total > 0 ? json_integer((json_int_t)total) : json_null(), "proposed",
                   (json_int_t)gannet_budget_used(d->campaign), "done", (json_int_t)t->done,
                   "cannot_run", (json_int_t)t->cannot_run, "failed", (json_int_t)t->failed,
                   "pending", (json_int_t)t->pending, "running", seen - lost, "lost", lost,
                   "imported", (json_int_t)t->imported, "discarded",
                   (json_int_t)(d->campaign->ledger.n - kept), "feasible",
                   t->feasible >= 0 ? json_integer((json_int_t)t->feasible) : json_null(),
                   "incomplete", (json_int_t)t->incomplete);
}

static json_t *about_objectives(const document *d) {
  json_t *list = json_array();
  const gannet_problem *problem = d->problem;
  for (int m = 0; m < d->tally.n_objectives; ++m) {
    const int quantity = gannet_problem_objective_quantity(problem, m);
    const char *unit = quantity == 0 ? gannet_problem_objective_unit(problem)
                                     : gannet_problem_unit(problem->constraint_unit, quantity - 1);
    (void)json_array_append_new(
        list,
        json_pack("{s:s,s:s,s:o}", "name", gannet_problem_quantity_name(problem, quantity), "goal",
                  gannet_problem_flip_objective(problem, m, 1) < 0 ? "maximize" : "minimize",
                  "unit", text_or_null(unit)));
  }
  return list;
}

/* The best feasible design of a single objective, or that which violates constraints least. */
static json_t *about_best(const document *d) {
  const gannet_problem *problem = d->problem;
  const int64_t id = d->tally.best.id;
  double *means = NULL;
  gannet_runs runs;
  if (id < 0 || d->tally.n_objectives > 1) return json_null();
  if (gannet_alloc((size_t)problem->spec.n_constraints, sizeof *means, &means) != GANNET_OK)
    return NULL;
  gannet_runs_find(d->campaign->history, id, means, &runs);
  json_t *variables = json_object(), *constraints = json_object();
  const double *x = gannet_history_x_user(d->campaign->history, id);
  for (int v = 0; v < problem->spec.n_variables; ++v)
    (void)json_object_set_new(variables, problem->spec.variables[v].name, value_of(problem, v, x));
  for (int k = 0; k < problem->spec.n_constraints; ++k)
    (void)json_object_set_new(constraints, problem->spec.constraints[k].name, number(means[k]));
  gannet_free(&means);
  return json_pack("{s:I,s:b,s:o,s:o,s:o,s:I,s:o,s:o}", "evaluation", (json_int_t)id, "feasible",
                   d->tally.best.feasible, "objective", number(runs.objective), "error",
                   number(runs.n > 1 ? runs.error : NAN), "violation", number(runs.violation),
                   "runs", (json_int_t)runs.n, "variables", variables, "constraints", constraints);
}

static json_t *about_front(const document *d) {
  json_t *reference = json_object();
  for (int m = 0; m < d->tally.n_objectives; ++m)
    (void)json_object_set_new(
        reference, d->problem->spec.objectives[m].name,
        number(gannet_problem_flip_objective(d->problem, m, d->tally.reference[m])));
  const bool any = d->tally.n_front > 0;
  return json_pack("{s:I,s:o,s:o,s:o}", "designs", (json_int_t)d->tally.n_front, "hypervolume",
                   number(any ? d->tally.hypervolume : 0), "log10_hypervolume",
                   number(any ? d->tally.log_hypervolume / log(10) : NAN), "reference", reference);
}

/* Seconds, as the clocks of the hosts told them. */
static json_t *about_time(const document *d, gannet_follow_state state) {
  const watch_course *c = d->course;
  const gannet_usage usage = gannet_usage_measure(d->campaign);
  double rate = NAN;
  const bool at_work = state == GANNET_FOLLOW_AT_WORK;
  const double now = at_work || !isfinite(c->last_ended) ? gannet_clock_epoch() : c->last_ended;
  const double left = watch_course_left(c, d->follow, &rate);
  return json_pack("{s:o,s:o,s:o,s:i,s:o,s:o}", "elapsed", number(now - c->begun), "left",
                   number(at_work ? left : NAN), "simulations", number(usage.busy), "slots",
                   usage.slots, "busy_share", number(gannet_usage_share(&usage)), "proposals",
                   number(c->proposals_sum));
}

static json_t *about_bounds(const document *d) {
  json_t *list = json_array();
  gannet_on_bound *on = NULL;
  int n = 0;
  if (gannet_on_bounds_find(d->campaign->history, &on, &n) != GANNET_OK) gannet_error_clear();
  for (int i = 0; i < n; ++i)
    (void)json_array_append_new(
        list,
        json_pack("{s:s,s:s,s:o}", "variable", d->problem->spec.variables[on[i].variable].name,
                  "side", on[i].is_upper ? "upper" : "lower", "bound", number(on[i].bound)));
  gannet_free(&on);
  return list;
}

static json_t *about_running(const document *d) {
  json_t *list = json_array();
  int n = d->course->n_sights < MOST_RUNNING ? d->course->n_sights : MOST_RUNNING;
  if (watch_are_lost(d->follow, d->course)) n = 0;
  for (int i = 0; i < n; ++i) {
    watch_running row;
    watch_find_running(d->follow, &d->course->sights[d->course->n_sights - 1 - i], &row);
    (void)json_array_append_new(
        list, json_pack("{s:I,s:i,s:o,s:b,s:o,s:o,s:o,s:o,s:o}", "evaluation", (json_int_t)row.id,
                        "attempt", row.attempt, "seconds", number(row.seconds), "exact",
                        row.is_exact, "slot", row.slot >= 0 ? json_integer(row.slot) : json_null(),
                        "job", text_or_null(row.job), "host", text_or_null(row.host), "pid",
                        row.pid > 0 ? json_integer(row.pid) : json_null(), "place",
                        text_or_null(row.place)));
  }
  return list;
}

static json_t *about_failure(const gannet_campaign *campaign, const gannet_reason *reason) {
  const gannet_ticket *t = &campaign->ledger.ticket[reason->last];
  const gannet_run_record *run = &t->result.run;
  char name[48], folder[PATH_MAX];
  (void)snprintf(name, sizeof name, "evals/%06lld", (long long)reason->last);
  const bool has_folder =
      gannet_campaign_path(campaign, name, folder) == GANNET_OK && access(folder, F_OK) == 0;
  return json_pack(
      "{s:I,s:I,s:I,s:s,s:o,s:o,s:o,s:o,s:i,s:o,s:o,s:o}", "count", (json_int_t)reason->count,
      "first", (json_int_t)reason->first, "last", (json_int_t)reason->last, "status",
      gannet_eval_status_text(t->result.status), "class",
      text_or_null(run->failure == GANNET_FAILURE_NONE ? "" : gannet_failure_text(run->failure)),
      "reason", text_or_null(run->reason), "exit_code",
      run->exit_code > 0 ? json_integer(run->exit_code) : json_null(), "signal",
      run->signal > 0 ? json_integer(run->signal) : json_null(), "attempts", run->attempts, "host",
      text_or_null(run->host), "job", text_or_null(run->job), "folder",
      has_folder ? text_or_null(folder) : json_null());
}

static json_t *about_failures(const document *d, long long most, int64_t *n) {
  json_t *list = json_array();
  gannet_reason *reasons = NULL;
  *n = 0;
  if (gannet_reasons_collect(&d->campaign->ledger, &reasons, n) != GANNET_OK) gannet_error_clear();
  for (int64_t i = 0; i < *n && i < most; ++i)
    (void)json_array_append_new(list, about_failure(d->campaign, &reasons[i]));
  gannet_free(&reasons);
  return list;
}

json_t *watch_document(const gannet_follow *follow, const watch_course *course, long long most) {
  static const char *const states[] = {"running", "waiting", "finished", "failed", "stopped"};
  document d = {follow, &follow->campaign, follow->campaign.input->problem, course, {0}};
  const gannet_campaign_input *input = d.campaign->input;
  char now[40], words[600], left_out[300], since[40];
  int64_t n_reasons = 0;
  gannet_tally_count(d.campaign, &d.tally);
  gannet_clock_format(gannet_clock_epoch(), now, sizeof now);
  gannet_absent_list(d.campaign, left_out, sizeof left_out);
  const gannet_follow_state state = watch_state_text(follow, words, sizeof words);
  const gannet_ledger *ledger = &d.campaign->ledger;
  json_t *cost = json_null(), *scheduler = json_null();
  if (!isnan(input->budget.cost) || input->cost.weigh)
    cost = json_pack("{s:s,s:o,s:o}", "quantity", input->cost.from, "spent",
                     number(gannet_budget_cost_spent(d.campaign)), "limit",
                     number(input->budget.cost));
  gannet_clock_format(follow->scheduler.since, since, sizeof since);
  if (follow->scheduler.since > 0)
    scheduler =
        json_pack("{s:s,s:o}", "since", since, "text", text_or_null(follow->scheduler.said));
  json_t *failures = about_failures(&d, most, &n_reasons);
  const struct {
    const char *name;
    json_t *value;
  } fields[] = {
      {"schema", json_string("gannet-status")},
      {"version", json_integer(1)},
      {"gannet", json_string(GANNET_VERSION)},
      {"time", json_string(now)},
      {"campaign", text_or_null(input->general.name)},
      {"directory", text_or_null(d.campaign->directory)},
      {"state", json_string(states[state])},
      {"state_text", text_or_null(words)},
      {"ended", text_or_null(ledger->stop_reason ? ledger->stop_reason : "")},
      {"evaluations", about_evaluations(&d)},
      {"objectives", about_objectives(&d)},
      {"best", about_best(&d)},
      {"front", d.tally.n_objectives > 1 ? about_front(&d) : json_null()},
      {"on_bounds", about_bounds(&d)},
      {"seconds", about_time(&d, state)},
      {"cost", cost},
      {"running", about_running(&d)},
      {"failure_reasons", json_integer((json_int_t)n_reasons)},
      {"failures", failures},
      {"damage", text_or_null(d.campaign->damage.text[0] ? d.campaign->damage.text : follow->note)},
      {"left_out", text_or_null(left_out)},
      {"scheduler", scheduler},
      {"corrections", json_integer(ledger->n_corrections)},
      {"changes", json_integer(ledger->n_revisions)},
  };
  json_t *all = json_object();
  bool sound = all != NULL;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i)
    sound = json_object_set_new(all, fields[i].name, fields[i].value) == 0 && sound;
  if (sound) return all;
  json_decref(all);
  return NULL;
}
