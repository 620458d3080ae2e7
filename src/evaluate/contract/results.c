/* Reading what a simulation reports: results.out, what patterns find in what it prints, and columns
 * of tables. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "evaluate/contract/contract.h"
#include "evaluate/contract/found_results.h"
#include "evaluate/contract/output_files.h"
#include "problem/outputs.h"

/* The patterns' way to gannet_found_take_output. */
static int take_match(void *to, const char *name, const double *value, const char *text) {
  return gannet_found_take_output(to, name, value, text);
}

static int read_patterns(gannet_found_results *to, const gannet_outcome_rules *rules,
                         const char *directory) {
  char what[64];
  gannet_pattern_failure failure;
  const gannet_quantity_taker taker = {take_match, to};
  if (!gannet_patterns_search(rules->patterns, directory, &rules->limits, &taker, &failure))
    return 0;
  if (failure.report.end == GANNET_SEARCH_OVER) return -1; /* the result has the reason */
  (void)snprintf(what, sizeof what, "pattern of %.40s", failure.name);
  gannet_contract_fail_search(&failure.report, what, failure.file, to->result);
  return -1;
}

/* Read an output from a column of a table. */
static int read_column(gannet_found_results *to, const gannet_output *output,
                       const gannet_outcome_rules *rules, const char *directory) {
  char found[PATH_MAX], path[PATH_MAX], why[GANNET_REASON_SIZE], text[GANNET_REASON_SIZE + 80];
  double value = NAN;
  gannet_table_end end = GANNET_TABLE_LACKING;
  if (gannet_output_file_find(directory, output->file, found, sizeof found, why, sizeof why) &&
      gannet_join_path(directory, found, path, sizeof path) == GANNET_OK)
    end = gannet_output_file_take(path, found, output, rules->limits.stopping, &value, why,
                                  sizeof why);
  const int error = errno;
  gannet_error_clear();
  (void)snprintf(text, sizeof text, "outputs.%s: %s", output->name, why);
  const bool is_dispensable = end == GANNET_TABLE_UNREADABLE &&
                              !gannet_contract_is_transient(error) &&
                              !gannet_problem_needs_quantity(to->problem, output->name);
  if (end == GANNET_TABLE_NO_COLUMN && gannet_problem_needs_quantity(to->problem, output->name)) {
    /* The simulation came so far that the table is there: the campaign file names a wrong column.
     */
    gannet_result_fail(to->result, false, "%s", text);
    return -1;
  }
  if (end == GANNET_TABLE_LACKING || end == GANNET_TABLE_NO_COLUMN || is_dispensable)
    return gannet_found_take_output(to, output->name, NULL, text);
  if (end == GANNET_TABLE_UNREADABLE) {
    gannet_found_fail_to_read(error, text, to->result);
    to->result->run.crashed = false;
    return -1;
  }
  if (end == GANNET_TABLE_STOPPED) {
    to->result->status = GANNET_EVAL_PENDING;
    return -1;
  }
  (void)snprintf(text, sizeof text, "column %.60s of %.100s", output->column, found);
  return gannet_found_take_output(to, output->name, &value, text);
}

bool gannet_contract_lacks_files(const gannet_problem *problem, const char *directory) {
  char found[PATH_MAX], why[GANNET_REASON_SIZE];
  const char *name;
  for (int i = 0; (name = gannet_problem_known_quantity(problem, i)); ++i) {
    const gannet_output *output = gannet_output_find(problem, name);
    if (!gannet_problem_needs_quantity(problem, name)) continue;
    const char *file = output ? output->file : NULL;
    if (!file && output && output->pattern) continue;
    if (!gannet_output_file_find(directory, file ? file : "results.out", found, sizeof found, why,
                                 sizeof why))
      return true;
  }
  return false;
}

static void forget_numbers(const gannet_problem *problem, gannet_result_record *result) {
  gannet_quantities_release(&result->reported);
  result->objective = NAN;
  for (int j = 0; j < problem->spec.n_constraints; ++j) result->constraints[j] = NAN;
}

bool gannet_contract_says_cannot_run(const gannet_problem *problem, const char *directory,
                                     gannet_result_record *result) {
  gannet_found_results to = {.problem = problem, .result = result};
  (void)!gannet_results_file_read(&to, directory); /* what else is there does not matter */
  gannet_found_release(&to);
  forget_numbers(problem, result);
  return result->status == GANNET_EVAL_CANNOT_RUN;
}

void gannet_contract_read_results(const gannet_problem *problem, const gannet_outcome_rules *rules,
                                  const char *directory, gannet_result_record *result) {
  gannet_found_results to = {.problem = problem, .result = result};
  const int from_file = gannet_results_file_read(&to, directory); /* first: it may say fail */
  int failed = from_file < 0 || read_patterns(&to, rules, directory);
  for (int i = 0; problem->outputs && i < problem->outputs->n && !failed; ++i)
    if (problem->outputs->item[i].column)
      failed = read_column(&to, &problem->outputs->item[i], rules, directory);
  failed = failed || gannet_found_take_word(&to) ||
           !gannet_result_compute(problem, GANNET_LACK_SAID, result) ||
           gannet_found_check_complete(&to, directory, from_file == 0);
  gannet_found_release(&to);
  if (failed) {
    forget_numbers(problem, result);
    return;
  }
  gannet_result_check_numbers(problem, GANNET_LACK_SAID, result);
  if (result->status == GANNET_EVAL_DONE)
    (void)snprintf(result->run.reason, sizeof result->run.reason, "%s", to.note);
  gannet_utf8_line(result->run.reason);
}
