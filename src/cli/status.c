/* gannet status */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "campaign/run/budget.h"
#include "campaign/run/change.h"
#include "campaign/run/corrections.h"
#include "campaign/run/failure_reasons.h"
#include "campaign/run/progress.h"
#include "campaign/run/stop_rule.h"
#include "cli/program.h"
#include "cli/query.h"
#include "cli/watch/document.h"
#include "evaluate/slurm/job_usage.h"
#include "optimizer/optimizer.h"
#include "problem/objectives.h"
#include "problem/outputs.h"

static const cli_flag flags[] = {
    {"failed", 'n', "N", "show at most N reasons why evaluations have no result (default 10)",
     false},
    {"format", 'f', "FORM", "text (default), or json for programs", false},
    {NULL, 0, NULL, NULL, false},
};

/* The weights that a related problem has for constraints: "; stress 0.41"; nothing of those for
 * which no model was made with it. */
static void describe_weights(const gannet_campaign *campaign, int which, char *text, size_t size) {
  const gannet_problem *problem = campaign->input->problem;
  double largest = NAN;
  size_t used = 0;
  text[0] = '\0';
  for (int j = 0, k = 0, next = 0; j < problem->n_bounds && used < size; ++j) {
    (void)gannet_problem_find_bound(problem, j, &k);
    largest = fmax(largest, gannet_optimizer_related_weight(&campaign->ledger.state, which, j + 1));
    if (j + 1 < problem->n_bounds) (void)gannet_problem_find_bound(problem, j + 1, &next);
    if (j + 1 < problem->n_bounds && next == k) continue; /* it has both bounds */
    const char *name = problem->spec.constraints[k].name;
    const int more = isnan(largest) ? 0
                     : largest > 0
                         ? snprintf(text + used, size - used, "; %.60s %.2f", name, largest)
                         : snprintf(text + used, size - used, "; %.60s not used", name);
    used += more > 0 ? (size_t)more : 0;
    largest = NAN;
  }
}

/* The weights that a related problem has for several objectives: "drag weight 0.93; mass not
 * used"; nothing of those for which no model was made with it. */
static void describe_objectives(const gannet_campaign *campaign, int which, char *text,
                                size_t size) {
  const gannet_problem_spec *spec = &campaign->input->problem->spec;
  size_t used = 0;
  (void)snprintf(text, size, "not used yet");
  for (int m = 0; m < spec->n_objectives && used < size; ++m) {
    const double weight = gannet_optimizer_related_weight(&campaign->ledger.state, which, -m);
    const char *name = spec->objectives[m].name, *join = used > 0 ? "; " : "";
    const int more =
        isnan(weight) ? 0
        : weight > 0 ? snprintf(text + used, size - used, "%s%.60s weight %.2f", join, name, weight)
                     : snprintf(text + used, size - used, "%s%.60s not used", join, name);
    used += more > 0 ? (size_t)more : 0;
  }
}

/* Print what is learnt from results of related problems. */
static void print_related(const gannet_campaign *campaign) {
  const bool several = campaign->input->problem->spec.n_objectives > 0;
  int which = 0;
  for (int i = 0; i < campaign->ledger.n_imports; ++i) {
    const gannet_import *import = &campaign->ledger.imports[i];
    char weight[400] = "not used yet", others[600];
    if (import->related.n == 0) continue;
    describe_weights(campaign, which, others, sizeof others);
    if (several) describe_objectives(campaign, which, weight, sizeof weight);
    const double value = gannet_optimizer_related_weight(&campaign->ledger.state, which++, 0);
    if (value > 0 && !several)
      (void)snprintf(weight, sizeof weight, "weight %.2f", value);
    else if (value == 0 && !several)
      (void)snprintf(weight, sizeof weight, "not used: the results do not agree with them");
    cli_say(stdout, "related      %d results of a related problem from %s: %s%s\n",
            import->related.n, import->from, weight, others);
  }
}

static void print_counts(const gannet_campaign *campaign, const gannet_tally *tally) {
  char proposed[GANNET_BUDGET_TEXT], feasible[GANNET_TALLY_TEXT], best[GANNET_TALLY_TEXT];
  char why[320] = "";
  const bool is_manual = strcmp(campaign->input->evaluate.backend, "manual") == 0;
  char discarded[40] = "", elsewhere[100] = "";
  int64_t n_elsewhere = 0;
  for (int64_t id = 0; id < campaign->ledger.n; ++id) {
    const gannet_evaluation *row = gannet_history_get(campaign->history, id);
    n_elsewhere += row->elsewhere && row->origin == GANNET_ORIGIN_IMPORT;
  }
  if (n_elsewhere > 0)
    (void)snprintf(elsewhere, sizeof elsewhere, "; %lld outside of what is allowed, never the best",
                   (long long)n_elsewhere);
  const int64_t kept = gannet_history_count_kept(campaign->history);
  if (kept < campaign->ledger.n)
    (void)snprintf(discarded, sizeof discarded, "; %lld discarded",
                   (long long)(campaign->ledger.n - kept));
  gannet_budget_format(gannet_budget_used(campaign), " proposed", " of ",
                       gannet_budget_total(campaign->input), proposed);
  gannet_tally_feasible_text(tally, "; ", feasible);
  gannet_tally_best_text(tally, 10, best);
  cli_say(stdout, "campaign     %s\ndirectory    %s\n", campaign->input->general.name,
          campaign->directory);
  cli_say(stdout, "evaluations  %s: %lld done, %lld cannot run, %lld failed, %lld pending%s%s\n",
          proposed, (long long)tally->done, (long long)tally->cannot_run, (long long)tally->failed,
          (long long)tally->pending, feasible, discarded);
  if (tally->imported > 0)
    cli_say(stdout, "imported     %lld result%s of earlier work, not counted in the budget%s\n",
            (long long)tally->imported, tally->imported == 1 ? "" : "s", elsewhere);
  print_related(campaign);
  if (tally->n_front > 0)
    cli_print_front(stdout, "front        ", campaign, tally);
  else
    cli_say(stdout, "best         %s\n", best + (tally->best.feasible ? strlen("best ") : 0));
  if (!isnan(campaign->input->budget.cost) || campaign->input->cost.weigh) {
    gannet_budget_format_cost(campaign, proposed);
    cli_say(stdout, "cost         %s%s\n", proposed,
            campaign->input->cost.weigh ? "; proposals weigh gain per cost" : "");
  }
  if (campaign->ledger.stop_reason)
    (void)snprintf(why, sizeof why, "%s", campaign->ledger.stop_reason);
  else if (is_manual && tally->pending == 0) /* nobody else looks */
    gannet_stop_rule_look(campaign, why, sizeof why);
  if (why[0]) cli_say(stdout, "ended        %s\n", why);
}

/* Print which values are missing from results that would count otherwise: "17 without lift, 1
 * without stress". */
static void print_incomplete(const gannet_campaign *campaign, const gannet_tally *tally) {
  const gannet_problem *problem = campaign->input->problem;
  const gannet_history *history = campaign->history;
  if (tally->incomplete == 0) return;
  cli_say(stdout, "incomplete  ");
  for (int k = 0, shown = 0; k <= problem->spec.n_constraints; ++k) {
    int64_t n = 0;
    for (int64_t id = 0; id < campaign->ledger.n; ++id) {
      const gannet_evaluation *row = gannet_history_get(history, id);
      const double value = k == 0 ? row->objective : gannet_history_constraints(history, id)[k - 1];
      n += row->status == GANNET_EVAL_DONE && row->origin != GANNET_ORIGIN_IMPORT && isnan(value) &&
           gannet_history_feasibility(history, id) < 0;
    }
    if (n > 0)
      cli_say(stdout, "%s %lld result%s without %s", shown++ ? "," : "", (long long)n,
              n == 1 ? "" : "s", gannet_problem_quantity_name(problem, k));
  }
  cli_say(stdout, "\n");
}

static bool is_noisy(const gannet_campaign *campaign) {
  const gannet_problem_spec *spec = &campaign->input->problem->spec;
  return spec->n_objectives == 0 &&
         (spec->noise_sd > 0 || gannet_history_has_error_bars(campaign->history));
}

/* Bounds that the best design lies on. What lies behind is a model's to guess, which takes longer
 * than a look at the status should. */
static gannet_err print_on_bounds(const gannet_campaign *campaign) {
  gannet_on_bound *on = NULL;
  int n = 0;
  GANNET_TRY(gannet_on_bounds_find(campaign->history, &on, &n));
  cli_print_on_bounds(campaign->input->problem, "bound        ", n, on);
  if (n > 0) (void)puts("             `gannet report` asks a model what lies beyond");
  gannet_free(&on);
  return GANNET_OK;
}

/* The evaluation that a model recommends, only where the campaign says that values are noisy:
 * gannet status should be quick. */
static gannet_err print_recommended(const gannet_campaign *campaign) {
  gannet_recommendation r;
  if (!is_noisy(campaign)) return GANNET_OK;
  GANNET_TRY(cli_recommend(campaign, &r));
  if (r.id >= 0)
    cli_say(stdout, "recommended  evaluation %lld: %.6g without noise", (long long)r.id, r.mean);
  if (r.id >= 0 && !isnan(r.sd)) cli_say(stdout, ", give or take %.2g", r.sd);
  if (r.id >= 0) cli_say(stdout, "\n");
  return GANNET_OK;
}

static void print_penalties(const gannet_campaign *campaign) {
  const gannet_problem *problem = campaign->input->problem;
  const int several = gannet_problem_n_objectives(problem);
  int64_t count;
  for (int m = 0; m < several; ++m) {
    const double least = gannet_problem_flip_objective(
        problem, m, gannet_history_penalty(campaign->history, m, &count));
    const int quantity = gannet_problem_objective_quantity(problem, m);
    if (gannet_history_is_constant(campaign->history))
      cli_say(stdout,
              "constant     all %lld results are %.6g: nothing is learnt until one differs\n",
              (long long)count, least);
    else if (count > 0)
      cli_say(stdout,
              "penalties    %lld result%s of %s%s%.6g or %s count%s as failures of %s design%s\n",
              (long long)count, count == 1 ? "" : "s",
              several > 1 ? gannet_problem_quantity_name(problem, quantity) : "",
              several > 1 ? " " : "", least,
              gannet_problem_flip_objective(problem, m, 1) < 0 ? "less" : "more",
              count == 1 ? "s" : "", count == 1 ? "its" : "their", count == 1 ? "" : "s");
  }
}

static void print_problems(const gannet_campaign *campaign) {
  gannet_scheduler_status scheduler;
  char absent[300], when[40], text[32];
  gannet_absent_list(campaign, absent, sizeof absent);
  if (absent[0])
    cli_say(stdout, "left out     %s, because its model failed: see campaign.log\n", absent);
  if (campaign->damage.text[0])
    cli_say(stdout, "journal      DAMAGED: %s\n", campaign->damage.text);
  gannet_campaign_scheduler_status(campaign, &scheduler);
  if (scheduler.since <= 0) return;
  gannet_clock_format(scheduler.since, when, sizeof when);
  gannet_format_duration(fmax(0, gannet_clock_epoch() - scheduler.since), text, sizeof text);
  cli_say(stdout, "scheduler    since %s, for %s: %s\n", when, text, scheduler.said);
}

static void print_utilisation(const gannet_campaign *campaign) {
  const gannet_usage usage = gannet_usage_measure(campaign);
  const double share = gannet_usage_share(&usage);
  char text[32];
  if (isnan(share)) return;
  gannet_format_duration(usage.busy, text, sizeof text);
  cli_say(stdout,
          "simulations  %s in %d slot%s, %.0f %% busy from the first start to the last end\n", text,
          usage.slots, usage.slots == 1 ? "" : "s", 100 * share);
}

/* Ask what the jobs of evaluations that have ended requested and used, the last ones first. Empty
 * where there is no accounting. */
static gannet_err ask_usage(const gannet_campaign *campaign, gannet_job_usage *usage) {
  const gannet_campaign_input *input = campaign->input;
  gannet_text_list jobs = {0};
  gannet_launcher *launcher = NULL;
  gannet_err err = GANNET_OK;
  *usage = (gannet_job_usage){0};
  if (strcmp(input->evaluate.backend, "slurm") != 0) return GANNET_OK;
  for (int64_t id = campaign->ledger.n - 1; id >= 0 && err == GANNET_OK; --id) {
    const char *job = campaign->ledger.ticket[id].result.run.job;
    bool is_known = !job[0] || jobs.n == GANNET_USAGE_MOST;
    for (int i = 0; i < jobs.n && !is_known; ++i) is_known = strcmp(jobs.item[i], job) == 0;
    if (!is_known) err = gannet_text_list_add(&jobs, job);
  }
  if (err == GANNET_OK && jobs.n > 0) err = gannet_launcher_start(&launcher);
  if (launcher)
    err = gannet_job_usage_ask(input->evaluator_options, launcher, input->general.input_directory,
                               &jobs, usage);
  if (launcher) gannet_launcher_stop(&launcher);
  gannet_text_list_release(&jobs);
  return err;
}

static gannet_err print_usage(const gannet_campaign *campaign) {
  gannet_job_usage usage;
  char used[40], requested[40];
  GANNET_TRY(ask_usage(campaign, &usage));
  if (usage.n_jobs == 0) return GANNET_OK;
  const char *comma = ": ";
  cli_say(stdout, "job usage    of %d job%s", usage.n_jobs, usage.n_jobs == 1 ? "" : "s");
  for (int k = 0; k < 2; ++k) {
    const gannet_job_peak *peak = k ? &usage.time : &usage.memory;
    if (!peak->job[0]) continue;
    for (int i = 0; i < 2; ++i) {
      const double value = i ? peak->requested : peak->used;
      char *text = i ? requested : used;
      if (k)
        gannet_format_duration(value, text, sizeof used);
      else
        (void)snprintf(text, sizeof used, value < 0x1p30 ? "%.3g MiB" : "%.3g GiB",
                       value < 0x1p30 ? value / 0x1p20 : value / 0x1p30);
    }
    cli_say(stdout, "%s%s up to %s", comma, k ? "time" : "memory", used);
    if (isfinite(peak->requested)) cli_say(stdout, " of %s requested", requested);
    cli_say(stdout, " (job %s)", peak->job);
    comma = ", ";
  }
  cli_say(stdout, "\n");
  return GANNET_OK;
}

static json_t *number_or_null(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

static json_t *about_usage(const gannet_job_usage *usage) {
  if (usage->n_jobs == 0) return json_null();
  json_t *made = json_pack("{s:i}", "jobs", usage->n_jobs);
  for (int k = 0; k < 2; ++k) {
    const gannet_job_peak *peak = k ? &usage->time : &usage->memory;
    (void)json_object_set_new(made, k ? "seconds" : "memory",
                              peak->job[0] ? json_pack("{s:s,s:o,s:o}", "job", peak->job, "used",
                                                       number_or_null(peak->used), "requested",
                                                       number_or_null(peak->requested))
                                           : json_null());
  }
  return made;
}

/* The last lines that the last attempt printed to stderr. */
static void print_last_words(const char *directory) {
  enum { WORDS = 600, LINES = 4 };
  char path[PATH_MAX], text[WORDS + 1];
  if (gannet_join_path(directory, "stderr.log", path, sizeof path) != GANNET_OK) return;
  size_t size = 0;
  if (gannet_file_read_end(path, sizeof text, text, &size) != GANNET_OK) gannet_error_clear();
  const bool full = size == WORDS;
  for (size_t i = 0; i < size; ++i)
    if (text[i] == '\0') text[i] = ' ';
  text[size] = '\0';
  gannet_utf8_lines(text);
  while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == ' ')) --size;
  size_t start = size;
  for (int lines = 0; start > 0; --start)
    if (text[start - 1] == '\n' && ++lines == LINES) break;
  if (start == 0 && full) /* it begins within a line */
    while (start < size && text[start] != '\n' && text[start] != ' ') ++start;
  start += strspn(text + start, "\n ");
  if (start >= size) return;
  (void)fputs("          | ", stdout);
  for (size_t i = start; i < size; ++i) {
    if (text[i] == '\n')
      (void)fputs("\n          | ", stdout);
    else
      (void)putchar(iscntrl((unsigned char)text[i]) ? ' ' : text[i]);
  }
  (void)putchar('\n');
}

static void print_failure(const gannet_campaign *campaign, int64_t id) {
  const gannet_ticket *t = &campaign->ledger.ticket[id];
  char name[48], directory[PATH_MAX];
  cli_say(stdout, "  %06lld  %s", (long long)id, gannet_eval_status_phrase(t->result.status));
  if (t->result.run.failure != GANNET_FAILURE_NONE)
    cli_say(stdout, " (%s)", gannet_failure_text(t->result.run.failure));
  if (t->result.run.exit_code > 0) cli_say(stdout, ", exit code %d", t->result.run.exit_code);
  if (t->result.run.signal > 0) cli_say(stdout, ", signal %d", t->result.run.signal);
  cli_say(stdout, ", %d attempt%s", t->result.run.attempts, t->result.run.attempts == 1 ? "" : "s");
  if (t->result.run.host[0]) cli_say(stdout, ", on %s", t->result.run.host);
  if (t->result.run.job[0]) cli_say(stdout, ", job %s", t->result.run.job);
  cli_say(stdout, "\n          %s\n",
          t->result.run.reason[0] ? t->result.run.reason : "no reason given");
  (void)snprintf(name, sizeof name, "evals/%06lld", (long long)id);
  if (gannet_campaign_path(campaign, name, directory) != GANNET_OK || access(directory, F_OK) != 0)
    return;
  cli_say(stdout, "          %s\n", directory);
  print_last_words(directory);
}

/* The last evaluation of every reason. */
static gannet_err print_failures(const gannet_campaign *campaign, long long most) {
  gannet_reason *reasons = NULL;
  int64_t n = 0;
  GANNET_TRY(gannet_reasons_collect(&campaign->ledger, &reasons, &n));
  if (n > 0 && most > 0)
    (void)puts("evaluations without a result, by reason, the last reason first:");
  for (int64_t i = 0; i < n && i < most; ++i) {
    print_failure(campaign, reasons[i].last);
    if (reasons[i].count > 1)
      cli_say(stdout, "          %lld times, first at evaluation %lld\n",
              (long long)reasons[i].count, (long long)reasons[i].first);
  }
  if (n > most && most > 0)
    cli_say(stdout, "  %lld more: --failed %lld\n", (long long)n - most, (long long)n);
  gannet_free(&reasons);
  return GANNET_OK;
}

static void print_change(const char *name, double before, double after, const char *unit) {
  char was[32] = "missing", is[32] = "missing";
  if (gannet_result_same_value(before, after)) return;
  if (!isnan(before)) (void)snprintf(was, sizeof was, "%.10g", before);
  if (!isnan(after)) (void)snprintf(is, sizeof is, "%.10g", after);
  if (isnan(after)) unit = "";
  cli_say(stdout, "          %s was %s, is %s%s%s\n", name, was, is, *unit ? " " : "", unit);
}

/* The values that a correction replaced, and by what. Quantities of the problem may be among the
 * reported ones, too. */
static void print_changes(const gannet_problem *problem, const gannet_result_record *before,
                          const gannet_result_record *after) {
  const gannet_problem_spec *spec = &problem->spec;
  const char *unit = gannet_problem_objective_unit(problem);
  print_change(gannet_problem_quantity_name(problem, 0), before->objective, after->objective, unit);
  for (int k = 0; k < spec->n_constraints; ++k)
    print_change(spec->constraints[k].name, before->constraints[k], after->constraints[k],
                 gannet_problem_unit(problem->constraint_unit, k));
  for (int i = 0; i < after->reported.n; ++i) {
    const gannet_reported *now = &after->reported.item[i];
    const gannet_reported *old = gannet_quantities_find(&before->reported, now->name);
    if (gannet_problem_find_quantity(problem, now->name) < 0)
      print_change(now->name, old ? old->value : NAN, now->value, "");
  }
}

/* The results before corrections are in the journal alone. */
static void print_corrections(const gannet_campaign *campaign) {
  const gannet_problem *problem = campaign->input->problem;
  const gannet_ledger *ledger = &campaign->ledger;
  const char *unit = gannet_problem_objective_unit(problem);
  char text[500];
  if (ledger->n_corrections > 0) (void)puts("corrections, in the order in which they were made:");
  for (int i = 0; i < ledger->n_corrections; ++i) {
    const gannet_correction *c = &ledger->correction[i];
    const bool has_values = c->kind == GANNET_CORRECTION_VALUES && isnan(c->undo.when);
    gannet_correction_format(c, text, sizeof text);
    cli_say(stdout, "  %06lld  %s\n", (long long)c->id, text);
    if (c->before.status != GANNET_EVAL_DONE)
      cli_say(stdout, "          it was %s\n",
              c->had_result ? gannet_eval_status_phrase(c->before.status) : "without a result");
    else if (!has_values && isnan(c->before.objective))
      cli_say(stdout, "          its result had no %s\n", gannet_problem_quantity_name(problem, 0));
    else if (!has_values)
      cli_say(stdout, "          its result was %s = %.10g%s%s\n",
              gannet_problem_quantity_name(problem, 0), c->before.objective, *unit ? " " : "",
              unit);
    if (!has_values) continue;
    /* The values that the correction led to: those before the next correction of this evaluation,
     * or those of today. */
    const gannet_result_record *after = &ledger->ticket[c->id].result;
    for (int j = ledger->n_corrections - 1; j > i; --j)
      if (ledger->correction[j].id == c->id) after = &ledger->correction[j].before;
    print_changes(problem, &c->before, after);
  }
}

/* Changes of the campaign file that resumes have brought. */
static void print_revisions(const gannet_campaign *campaign) {
  const gannet_ledger *ledger = &campaign->ledger;
  char text[500];
  if (ledger->n_revisions > 0) (void)puts("changes, in the order in which they were made:");
  for (int i = 0; i < ledger->n_revisions; ++i) {
    const gannet_revision *revision = &ledger->revision[i];
    gannet_revision_format(revision, text, sizeof text);
    cli_say(stdout, "  %s\n", text);
    for (int k = 0; k < revision->list.n; ++k) {
      (void)gannet_change_format(&revision->list.item[k], text, sizeof text);
      cli_say(stdout, "          %s\n", text);
    }
  }
  int64_t outside = 0; /* of what was imported the line 'imported' tells */
  for (int64_t id = 0; id < ledger->n; ++id) {
    const gannet_evaluation *row = gannet_history_get(campaign->history, id);
    outside += row->elsewhere && row->origin != GANNET_ORIGIN_IMPORT;
  }
  if (ledger->n_revisions > 0 && outside > 0)
    cli_say(stdout,
            "  %lld evaluation%s outside of what is allowed now: models learn from %s, and none is "
            "the best\n",
            (long long)outside, outside == 1 ? " is" : "s are", outside == 1 ? "it" : "them");
}

/* The same for programs. */
static gannet_err print_document(const gannet_campaign *campaign, long long most) {
  gannet_follow follow;
  watch_course course = {0};
  gannet_recommendation r = {.id = -1};
  gannet_job_usage usage = {0};
  json_t *recommended = json_null();
  gannet_follow_borrow(campaign, &follow);
  gannet_err err = watch_course_update(&course, &follow);
  if (err == GANNET_OK && is_noisy(campaign)) err = cli_recommend(campaign, &r);
  if (err == GANNET_OK) err = ask_usage(campaign, &usage);
  if (r.id >= 0)
    recommended = json_pack("{s:I,s:o,s:o}", "evaluation", (json_int_t)r.id, "objective",
                            number_or_null(r.mean), "error", number_or_null(r.sd));
  json_t *all = err == GANNET_OK ? watch_document(&follow, &course, most) : NULL;
  const int failed = json_object_set_new(all, "recommended", recommended) |
                     json_object_set_new(all, "job_usage", about_usage(&usage));
  if (err == GANNET_OK && failed) err = GANNET_RAISE(GANNET_ERR_MEMORY, "the state as JSON");
  if (err == GANNET_OK && json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) == 0)
    (void)putchar('\n');
  json_decref(all);
  watch_course_release(&course);
  return err == GANNET_OK ? cli_close_output(stdout) : err;
}

static gannet_err print_text(const gannet_campaign *campaign, long long most) {
  gannet_tally tally;
  gannet_tally_count(campaign, &tally);
  print_counts(campaign, &tally);
  print_incomplete(campaign, &tally);
  GANNET_TRY(print_on_bounds(campaign));
  GANNET_TRY(print_recommended(campaign));
  print_penalties(campaign);
  print_problems(campaign);
  print_utilisation(campaign);
  GANNET_TRY(print_usage(campaign));
  GANNET_TRY(print_failures(campaign, most));
  print_corrections(campaign);
  print_revisions(campaign);
  return GANNET_OK;
}

static gannet_err run_status(const cli_arguments *arguments, const cli_world *world,
                             gannet_exit *code) {
  gannet_campaign campaign;
  long long most = 10;
  const char *format = cli_has(arguments, "format") ? cli_value(arguments, "format") : "text";
  const bool is_json = strcmp(format, "json") == 0;
  GANNET_REQUIRE(is_json || strcmp(format, "text") == 0, GANNET_ERR_INPUT,
                 "--format: '%s' is not known; expected text or json", format);
  gannet_err err = cli_whole(arguments, "failed", 0, 10, &most);
  if (err != GANNET_OK) return err;
  err = gannet_campaign_query(arguments->positional[0], false, &campaign);
  if (err == GANNET_OK && is_noisy(&campaign)) err = cli_become(CLI_EVERYTHING, world->argv);
  if (err == GANNET_OK) {
    if (campaign.damage.is_partial) *code = GANNET_EXIT_DAMAGED;
    err = is_json ? print_document(&campaign, most) : print_text(&campaign, most);
  }
  gannet_campaign_close(&campaign);
  return err;
}

const cli_command cli_status = {
    .name = "status",
    .usage = "DIR [options]",
    .summary = "show the progress of a campaign, its best value, and why evaluations failed",
    .details = "Works while the campaign runs.\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .reads_state = true,
    .run = run_status,
};
