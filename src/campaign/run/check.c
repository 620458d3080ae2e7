#include "campaign/run/check.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/error.h"
#include "optimizer/models/pde_constraint.h"

/* Check that the equations can be used, for which no simulation has to run. */
static gannet_err check_equations(const gannet_campaign *campaign, gannet_complaints *complaints) {
  const gannet_campaign_input *input = campaign->input;
  char key[40] = "physics";
  int equation;
  const gannet_err err = gannet_pde_constraint_try(campaign->context, input->problem, &equation);
  if (equation >= 0) (void)snprintf(key, sizeof key, "physics.equations.%d", equation + 1);
  if (err == GANNET_ERR_INPUT)
    gannet_complain(complaints, gannet_campaign_location(input, key), "%s", gannet_error_detail());
  return err;
}

/* Check that input_directory exists. An effective configuration names one that may be gone, or on
 * another machine. */
static void check_input_directory(const gannet_campaign_input *input,
                                  gannet_complaints *complaints) {
  struct stat about;
  const char *directory = input->general.input_directory;
  if (!directory || directory[0] != '/') return;
  if (stat(directory, &about) == 0 && S_ISDIR(about.st_mode)) return;
  gannet_complain(complaints, gannet_campaign_location(input, "input_directory"),
                  "input_directory: '%s' is not a directory here; expected the directory that "
                  "relative paths start from",
                  directory);
}

gannet_err gannet_campaign_check(const gannet_campaign *campaign, const gannet_run_options *options,
                                 gannet_complaints *complaints) {
  const gannet_evaluator_setup setup = gannet_run_evaluator_setup(campaign, options);
  gannet_err err = GANNET_OK;
  if (campaign->context->rank == 0) err = check_equations(campaign, complaints);
  if (campaign->context->rank == 0 && err == GANNET_OK && campaign->input->evaluator->check) {
    const gannet_campaign_input *input = campaign->input;
    gannet_complaints found = {0};
    check_input_directory(input, complaints);
    err = input->evaluator->check(input->evaluator_options, &setup, &found);
    gannet_campaign_complain(input, &found, complaints);
    gannet_complaints_release(&found);
    if (err == GANNET_OK) err = gannet_complaints_raise(complaints);
  }
  return gannet_agree(campaign->context->comm, err);
}
