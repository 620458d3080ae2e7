/* Whether problems can be run here: the commands that they require, and their back-ends. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "evaluate/command/tool.h"
#include "simulations/registry.h"
#include "suite/work.h"

static gannet_err try_requirement(const suite_work_options *options, const suite_plan *plan,
                                  suite_problem *problem) {
  enum { WORDS_MOST = 64 };
  const gannet_text_list *list = &problem->keys.requires;
  const char *words[WORDS_MOST] = {NULL};
  gannet_tool_end end;
  char folder[PATH_MAX], text[600];
  if (list->n == 0) return GANNET_OK;
  GANNET_REQUIRE(list->n < WORDS_MOST, GANNET_ERR_INPUT,
                 "problems.%s.requires: expected at most %d words", problem->label, WORDS_MOST - 1);
  for (int i = 0; i < list->n; ++i) words[i] = list->item[i];
  GANNET_TRY(gannet_join_path(options->directory, "work/requires", folder, sizeof folder));
  GANNET_TRY(gannet_make_directory(folder));
  GANNET_TRY(gannet_tool_run(options->launcher, words, plan->input_directory, folder, &end));
  if (!end.why[0]) return GANNET_OK;
  const char *hint = problem->keys.hint;
  (void)snprintf(text, sizeof text, "%.255s%s%.300s", end.why, hint ? "; " : "", hint ? hint : "");
  return gannet_copy_text(text, &problem->skipped);
}

/* Back-ends say what is wrong with a problem before anything is run. */
static gannet_err check_backend(const suite_plan *plan, int p, gannet_complaints *complaints) {
  const gannet_campaign_input *input = plan->input[p * plan->n_methods];
  const gannet_evaluator_setup setup = {.problem = input->problem,
                                        .campaign = ".",
                                        .input_directory = plan->input_directory,
                                        .name = input->general.name,
                                        .parallel = input->evaluate.parallel,
                                        .time_limit = INFINITY,
                                        .simulations = gannet_simulations};
  gannet_complaints local = {0}, placed = {0};
  const gannet_err err =
      gannet_evaluator_check(input->evaluator, input->evaluator_options, &setup, &local);
  gannet_campaign_complain(input, &local, &placed);
  gannet_complaints_merge(&placed, complaints);
  gannet_complaints_release(&placed);
  gannet_complaints_release(&local);
  return err;
}

/* Whether a run of a problem is wanted. */
static bool is_wanted(const suite_plan *plan, const suite_work_options *options, int p) {
  for (int k = 0; k < plan->n_methods; ++k)
    if (suite_is_wanted(plan, options, (suite_cell){p, k, 0})) return true;
  return false;
}

gannet_err suite_check_backends(const suite_plan *plan, const suite_work_options *options,
                                bool tried, gannet_complaints *complaints) {
  for (int p = 0; p < plan->n_problems; ++p) {
    const suite_problem *problem = &plan->problem[p];
    if (!is_wanted(plan, options, p) || problem->skipped) continue;
    if (tried || problem->keys.requires.n == 0) GANNET_TRY(check_backend(plan, p, complaints));
  }
  return gannet_complaints_raise(complaints);
}

static gannet_err check_all(suite_plan *plan, const suite_work_options *options,
                            gannet_complaints *complaints) {
  for (int p = 0; p < plan->n_problems; ++p)
    if (is_wanted(plan, options, p)) GANNET_TRY(try_requirement(options, plan, &plan->problem[p]));
  return suite_check_backends(plan, options, true, complaints);
}

gannet_err suite_check_requirements(MPI_Comm comm, suite_plan *plan,
                                    const suite_work_options *options,
                                    gannet_complaints *complaints) {
  int rank = 0;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  gannet_err err = rank == 0 ? check_all(plan, options, complaints) : GANNET_OK;
  GANNET_TRY(gannet_agree(comm, err));
  for (int p = 0; p < plan->n_problems; ++p) {
    char **skipped = &plan->problem[p].skipped;
    char text[600] = "";
    if (*skipped) (void)snprintf(text, sizeof text, "%s", *skipped);
    GANNET_TRY_MPI(MPI_Bcast(text, (int)sizeof text, MPI_CHAR, 0, comm));
    err = rank > 0 && text[0] ? gannet_copy_text(text, skipped) : GANNET_OK;
    GANNET_TRY(gannet_agree(comm, err));
  }
  return GANNET_OK;
}
