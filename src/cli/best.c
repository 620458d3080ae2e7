/* gannet best */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/program.h"
#include "cli/query.h"
#include "problem/conditional.h"
#include "problem/front.h"
#include "problem/outputs.h"
#include "problem/relations.h"
#include "problem/runs.h"

static const cli_flag flags[] = {
    {"count", 'n', "N", "how many of the best designs (default 1; of a front all)", false},
    {"format", 'f', "FORMAT", "table (default), csv or json", false},
    {"recommended", 'r', NULL, "the design that a model recommends when values are noisy", false},
    {"front", 0, NULL, "all designs of the front of several objectives (the default with several)",
     false},
    {"knee", 'k', NULL, "the design where the front bends most", false},
    {"where", 'w', "TEXT", "only designs for which this holds, as in 'mass <= 700'", false},
    {NULL, 0, NULL, NULL, false},
};

/* A condition in the names of variables, objectives, constraints and what else is reported. */
typedef struct {
  gannet_condition *condition; /* NULL = none: it holds everywhere */
  double *values;              /* [names] of one evaluation */
  bool *active;                /* [names] which of them it has */
} filter;

/* The variable that stands for a quantity in the condition of --where: a number. */
static gannet_variable number_named(const char *name) {
  return (gannet_variable){.name = name, .type = GANNET_VARIABLE_REAL, .upper = 1};
}

/* Whether tables call the only objective otherwise than the campaign does: "objective". */
static bool has_other_name(const gannet_problem *problem) {
  return problem->spec.n_objectives == 0 &&
         strcmp(gannet_problem_quantity_name(problem, 0), "objective") != 0 &&
         gannet_problem_find_variable(problem, "objective") < 0 &&
         gannet_problem_find_constraint(problem, "objective") < 0;
}

static gannet_err read_filter(const char *text, const gannet_campaign *campaign, filter *f) {
  const gannet_problem *problem = campaign->input->problem;
  const gannet_ledger *ledger = &campaign->ledger;
  const int v = problem->spec.n_variables, k = 1 + problem->spec.n_constraints;
  gannet_variable *names = NULL;
  int n = v + k;
  if (!text) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)(n + 1 + ledger->n_columns), sizeof *names, &names));
  memcpy(names, problem->spec.variables, (size_t)v * sizeof *names);
  for (int i = 0; i < k; ++i) names[v + i] = number_named(gannet_problem_quantity_name(problem, i));
  if (has_other_name(problem)) names[n++] = number_named("objective");
  for (int i = 0; i < ledger->n_columns; ++i) {
    const char *name = ledger->column[i].name; /* the first of a name counts */
    if (ledger->column[i].kind == GANNET_COLUMN_VALUE &&
        gannet_problem_find_variable(problem, name) < 0 &&
        gannet_problem_find_quantity(problem, name) < 0)
      names[n++] = number_named(name);
  }
  gannet_err err = gannet_condition_create(text, n, names, &f->condition);
  gannet_free(&names);
  if (err == GANNET_ERR_INPUT) {
    char why[400];
    (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
    gannet_error_clear();
    return GANNET_RAISE(GANNET_ERR_INPUT, "--where '%s': %s", text, why);
  }
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *f->values, &f->values);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *f->active, &f->active);
  return err;
}

static void release_filter(filter *f) {
  gannet_condition_destroy(&f->condition);
  gannet_free(&f->values);
  gannet_free(&f->active);
}

/* Whether the condition holds; not where a number of it is missing. */
static bool is_wanted(const filter *f, const gannet_campaign *campaign, int64_t id) {
  const gannet_problem *problem = campaign->input->problem;
  const gannet_ledger *ledger = &campaign->ledger;
  const int v = problem->spec.n_variables, k = problem->spec.n_constraints;
  int n = v + k + 1;
  if (!f->condition) return true;
  memcpy(f->values, gannet_history_x_user(campaign->history, id), (size_t)v * sizeof *f->values);
  gannet_runs runs;
  gannet_runs_find(campaign->history, id, f->values + v + 1, &runs);
  f->values[v] = runs.objective;
  if (has_other_name(problem)) f->values[n++] = runs.objective;
  for (int i = 0; i < ledger->n_columns; ++i) {
    const char *name = ledger->column[i].name;
    const gannet_reported *item =
        gannet_quantities_find(gannet_history_reported(campaign->history, id), name);
    if (ledger->column[i].kind == GANNET_COLUMN_VALUE &&
        gannet_problem_find_variable(problem, name) < 0 &&
        gannet_problem_find_quantity(problem, name) < 0)
      f->values[n++] = item ? item->value : NAN;
  }
  for (int i = 0; i < n; ++i)
    f->active[i] = i >= v || gannet_problem_is_active(problem, i, f->values);
  return gannet_condition_find_truth(f->condition, f->values, f->active, NULL) == GANNET_TRUTH_YES;
}

/* Print why there is no feasible design, and the one that comes nearest. */
static gannet_err print_infeasible(const gannet_campaign *campaign, gannet_format format,
                                   int64_t n_ranked, const int64_t *ids, gannet_exit *code) {
  *code = GANNET_EXIT_INFEASIBLE;
  if (n_ranked == 0) {
    const int64_t done = gannet_history_count_done(campaign->history);
    if (done > 0)
      (void)fprintf(stderr, "gannet: no feasible design: none of %lld results is complete\n",
                    (long long)done);
    else
      (void)fputs("gannet: no feasible design: there are no results\n", stderr);
    return GANNET_OK;
  }
  char evaluations[GANNET_RUNS_TEXT];
  gannet_runs runs;
  gannet_runs_find(campaign->history, ids[0], NULL, &runs);
  gannet_runs_list(campaign->history, ids[0], evaluations);
  (void)fprintf(stderr, "gannet: no feasible design; least violation %.4g at %s:\n", runs.violation,
                evaluations);
  return cli_write_table(
      stdout, campaign, (gannet_table_spec){.format = format, .designs = true, .n = 1, .ids = ids});
}

/* Print those of the feasible evaluations that --where asks for, best first. */
static gannet_err print_wanted(const cli_arguments *arguments, const gannet_campaign *campaign,
                               gannet_format format, int64_t n, int64_t *ids, gannet_exit *code) {
  const char *text = cli_value(arguments, "where");
  long long most = campaign->input->problem->spec.n_objectives > 0 ? (long long)n : 1;
  filter f = {0};
  int64_t n_wanted = 0;
  if (cli_has(arguments, "knee")) most = 1;
  gannet_err err = cli_whole(arguments, "count", 1, most, &most);
  if (err == GANNET_OK) err = read_filter(text, campaign, &f);
  for (int64_t i = 0; i < n && n_wanted < most && err == GANNET_OK; ++i)
    if (is_wanted(&f, campaign, ids[i])) ids[n_wanted++] = ids[i];
  release_filter(&f);
  GANNET_TRY(err);
  if (n_wanted == 0) {
    *code = GANNET_EXIT_INFEASIBLE;
    (void)fprintf(stderr, "gannet: no feasible design meets '%s'\n", text);
    return GANNET_OK;
  }
  return cli_write_table(
      stdout, campaign,
      (gannet_table_spec){.format = format, .designs = true, .n = n_wanted, .ids = ids});
}

/* ids: the evaluations with a result, best first. */
static gannet_err print_ranked(const cli_arguments *arguments, const gannet_campaign *campaign,
                               int64_t n_ranked, int64_t *ids, gannet_exit *code) {
  gannet_format format;
  GANNET_TRY(cli_format(arguments, GANNET_FORMAT_TABLE, &format));
  int64_t n = 0; /* feasible ones */
  for (; n < n_ranked; ++n) {
    gannet_runs runs;
    gannet_runs_find(campaign->history, ids[n], NULL, &runs);
    if (runs.violation > 0) break;
  }
  if (n == 0) return print_infeasible(campaign, format, n_ranked, ids, code);
  return print_wanted(arguments, campaign, format, n, ids, code);
}

/* Keep only the designs of a front that --where asks for. */
static gannet_err keep_wanted(const cli_arguments *arguments, const gannet_campaign *campaign,
                              gannet_front *front) {
  const size_t m = (size_t)front->m;
  filter f = {0};
  int kept = 0;
  const gannet_err err = read_filter(cli_value(arguments, "where"), campaign, &f);
  for (int i = 0; i < front->n && err == GANNET_OK; ++i) {
    if (!is_wanted(&f, campaign, front->id[i])) continue;
    front->id[kept] = front->id[i];
    memmove(front->y + (size_t)kept++ * m, front->y + (size_t)i * m, m * sizeof *front->y);
  }
  front->n = kept;
  release_filter(&f);
  return err;
}

/* ids: as for print_ranked, and changed. */
static gannet_err print_front(const cli_arguments *arguments, const gannet_campaign *campaign,
                              int64_t n_ranked, int64_t *ids, gannet_exit *code) {
  const bool is_knee = cli_has(arguments, "knee");
  gannet_front front = {0};
  gannet_format format;
  gannet_tally tally;
  GANNET_TRY(cli_format(arguments, GANNET_FORMAT_TABLE, &format));
  GANNET_TRY(gannet_front_find(campaign->history, &front));
  const int n = front.n;
  gannet_err err = GANNET_OK;
  int knee = -1;
  if (n > 0) err = gannet_front_order(&front, ids);
  if (err == GANNET_OK && is_knee) err = keep_wanted(arguments, campaign, &front);
  if (err == GANNET_OK) err = gannet_front_knee(&front, &knee);
  if (is_knee && knee >= 0) ids[0] = front.id[knee];
  gannet_front_release(&front);
  GANNET_TRY(err);
  if (n == 0) return print_infeasible(campaign, format, n_ranked, ids, code);
  GANNET_TRY(print_wanted(arguments, campaign, format, is_knee ? knee >= 0 : n, ids, code));
  gannet_tally_count(campaign, &tally);
  cli_print_front(stderr, "gannet: front: ", campaign, &tally);
  return GANNET_OK;
}

static void print_noise(double given, const gannet_recommendation *r) {
  if (isnan(r->noise_sd)) {
    (void)fprintf(
        stderr,
        "gannet: the best value seen, %.6g: fewer than %d results tell nothing about noise\n",
        r->mean, GANNET_RECOMMEND_LEAST);
    return;
  }
  (void)fprintf(stderr, "gannet: without noise the model has %.6g here, give or take %.2g", r->mean,
                r->sd);
  (void)fprintf(stderr, "; noise of a value %s%.2g\n", isnan(given) ? "about " : "given as ",
                r->noise_sd);
}

/* Print the design that the model recommends. Its words go to stderr, so that a program can read
 * the table from stdout. */
static gannet_err print_recommended(const cli_arguments *arguments, const gannet_campaign *campaign,
                                    gannet_exit *code) {
  gannet_recommendation r;
  gannet_format format;
  GANNET_TRY(cli_format(arguments, GANNET_FORMAT_TABLE, &format));
  GANNET_TRY(cli_recommend(campaign, &r));
  if (r.id < 0) {
    *code = GANNET_EXIT_INFEASIBLE;
    (void)fputs("gannet: no feasible design\n", stderr);
    return GANNET_OK;
  }
  const bool is_told = *gannet_history_sd(campaign->history, r.id) > 0;
  print_noise(is_told ? r.noise_sd : campaign->input->problem->spec.noise_sd, &r);
  return cli_write_table(
      stdout, campaign,
      (gannet_table_spec){.format = format, .designs = true, .n = 1, .ids = &r.id});
}

/* Options that do not go with the number of objectives. */
static gannet_err check_options(const cli_arguments *arguments, const gannet_problem *problem) {
  static const char *const of_several[] = {"front", "knee"};
  const bool is_single = problem->spec.n_objectives == 0;
  gannet_format format;
  long long count = 1;
  GANNET_TRY(cli_format(arguments, GANNET_FORMAT_TABLE, &format));
  GANNET_TRY(cli_whole(arguments, "count", 1, count, &count));
  for (int i = 0; i < 2; ++i)
    GANNET_REQUIRE(!is_single || !cli_has(arguments, of_several[i]), GANNET_ERR_INPUT,
                   "--%s: the campaign has a single objective; leave it out", of_several[i]);
  GANNET_REQUIRE(is_single || !cli_has(arguments, "recommended"), GANNET_ERR_INPUT,
                 "--recommended: a model recommends a design by a single objective; with several, "
                 "choose from --front, or take --knee");
  return GANNET_OK;
}

static gannet_err run_best(const cli_arguments *arguments, const cli_world *world,
                           gannet_exit *code) {
  gannet_campaign campaign;
  int64_t *ids = NULL, n = 0;
  if (cli_has(arguments, "recommended")) GANNET_TRY(cli_become(CLI_EVERYTHING, world->argv));
  gannet_err err = cli_query(arguments, false, &campaign);
  if (err == GANNET_OK) err = check_options(arguments, campaign.input->problem);
  if (err == GANNET_OK && cli_has(arguments, "recommended")) {
    err = print_recommended(arguments, &campaign, code);
    gannet_campaign_close(&campaign);
    return err;
  }
  if (err == GANNET_OK) cli_show_feasible(&campaign);
  if (err == GANNET_OK) err = gannet_history_rank(campaign.history, &ids, &n);
  if (err == GANNET_OK && campaign.input->problem->spec.n_objectives > 0)
    err = print_front(arguments, &campaign, n, ids, code);
  else if (err == GANNET_OK)
    err = print_ranked(arguments, &campaign, n, ids, code);
  gannet_free(&ids);
  gannet_campaign_close(&campaign);
  return err;
}

const cli_command cli_best = {
    .name = "best",
    .usage = "DIR [options]",
    .summary = "print the best feasible design of a campaign, or the front of several objectives",
    .details =
        "Without a feasible design, prints the design that violates the constraints least, with\n"
        "exit code 3. When values are noisy, the design with the best value was also lucky;\n"
        "--recommended prints the design at which a model of the results has the best mean; with\n"
        "more than 10 000 results, a model of those nearest to the best designs.\n"
        "Other columns of a list of candidates, such as names, come last. With several\n"
        "objectives, prints the designs of the front: those that no other design dominates,\n"
        "best in the first objective first. --where accepts names of variables, objectives,\n"
        "constraints and reported numbers.\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .reads_state = true,
    .run = run_best,
};
