#include "cli/query.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "campaign/run/progress.h"
#include "problem/objectives.h"

gannet_err cli_query(const cli_arguments *arguments, bool replay, gannet_campaign *campaign) {
  GANNET_TRY(gannet_campaign_query(arguments->positional[0], replay, campaign));
  const gannet_damage *damage = &campaign->damage;
  GANNET_REQUIRE(!damage->is_partial, GANNET_ERR_DAMAGED, "%s", damage->text);
  if (damage->text[0]) cli_warn("%s", damage->text);
  return GANNET_OK;
}

gannet_err cli_recommend(const gannet_campaign *campaign, gannet_recommendation *recommendation) {
  gannet_context *context = NULL;
  GANNET_TRY(gannet_context_create_alone(campaign->ledger.seed, &context));
  gannet_err err = gannet_recommend(context, campaign->history, recommendation);
  gannet_context_destroy(&context);
  return err;
}

void cli_show_feasible(const gannet_campaign *campaign) {
  gannet_tally tally;
  char text[GANNET_TALLY_TEXT];
  gannet_tally_count(campaign, &tally);
  gannet_tally_feasible_text(&tally, "gannet: ", text);
  if (text[0]) (void)fprintf(stderr, "%s\n", text);
}

void cli_print_on_bounds(const gannet_problem *problem, const char *beginning, int n,
                         const gannet_on_bound *on) {
  char text[GANNET_ON_BOUND_SIZE];
  for (int i = 0; gannet_on_bounds_line(problem, n, on, i, text); ++i)
    cli_say(stdout, "%s%s\n", beginning, text);
}

void cli_labels(const gannet_campaign *campaign, gannet_labels *labels) {
  if (gannet_labels_read(campaign, labels) == GANNET_OK) return;
  cli_warn("no names from the list of candidates: %s", gannet_error_detail());
  gannet_error_clear();
  gannet_labels_release(labels);
}

void cli_print_front(FILE *out, const char *beginning, const gannet_campaign *campaign,
                     const gannet_tally *tally) {
  const gannet_problem *problem = campaign->input->problem;
  char volume[GANNET_HYPERVOLUME_TEXT];
  gannet_hypervolume_format(tally->hypervolume, tally->log_hypervolume, 6, volume);
  cli_say(out, "%s%d design%s, hypervolume %s, reference point ", beginning, tally->n_front,
          tally->n_front == 1 ? "" : "s", volume);
  for (int m = 0; m < tally->n_objectives; ++m) {
    const bool is_given = !isnan(problem->spec.objectives[m].threshold);
    cli_say(out, "%s%s %.6g%s", m > 0 ? ", " : "", problem->spec.objectives[m].name,
            gannet_problem_flip_objective(problem, m, tally->reference[m]),
            is_given ? "" : " (from the results)");
  }
  cli_say(out, "\n");
  for (int m = 0; m < tally->n_objectives; ++m) {
    double value = 0;
    if (gannet_history_is_objective_constant(campaign->history, m, &value))
      cli_say(out, "%*s%s is %.6g in all results: it decides nothing until one differs\n",
              (int)strlen(beginning), "", problem->spec.objectives[m].name,
              gannet_problem_flip_objective(problem, m, value));
  }
  if (tally->log_hypervolume > -INFINITY) return;
  cli_say(out, "%*sno design is better than the thresholds in every objective: nothing counts",
          (int)strlen(beginning), "");
  for (int m = 0, shown = 0; m < tally->n_objectives; ++m)
    if (tally->ideal[m] >= tally->reference[m])
      cli_say(out, "%s %s %.6g", shown++ ? "," : "; best", problem->spec.objectives[m].name,
              gannet_problem_flip_objective(problem, m, tally->ideal[m]));
  cli_say(out, "\n");
}

gannet_err cli_write_table(FILE *out, const gannet_campaign *campaign, gannet_table_spec spec) {
  gannet_labels labels;
  cli_labels(campaign, &labels);
  spec.labels = &labels;
  const gannet_err err = gannet_table_write(out, &campaign->ledger, &spec);
  gannet_labels_release(&labels);
  return err;
}

gannet_err cli_open_output(const cli_arguments *arguments, FILE **out) {
  const char *path = cli_value(arguments, "output");
  *out = stdout;
  if (!path) return GANNET_OK;
  *out = fopen(path, "we");
  return *out ? GANNET_OK : gannet_raise_errno("create", path);
}

gannet_err cli_close_output(FILE *out) {
  const int failed = fflush(out) || ferror(out);
  if (out != stdout && fclose(out)) return gannet_raise_errno("write", "the output");
  return failed ? gannet_raise_errno("write", "the output") : GANNET_OK;
}
