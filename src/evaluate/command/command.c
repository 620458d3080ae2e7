/* Simulations that are programs of their own: rank 0 launches them, all ranks get the results. */
#include "evaluate/command/command.h"

#include <math.h>

#include "evaluate/backends.h"
#include "evaluate/root_evaluator.h"

static const gannet_option options[] = {
    GANNET_COMMAND_OPTIONS,
    {.key = "patience",
     .type = GANNET_DURATION,
     .offset = GANNET_COMMAND_AT(patience),
     .fallback = "10m",
     .lower = 0,
     .upper = HUGE_VAL,
     .unit = "s",
     .help = "how long simulations may fail to start (a program that is away, no processes left) "
             "or their results cannot be read, before the campaign stops, to be resumed; such "
             "attempts do not count"},
    {0}};

static gannet_err create(const void *given, const gannet_evaluator_setup *setup, void **state) {
  gannet_command_runs *runs = NULL;
  gannet_err local = GANNET_OK;
  if (setup->context->rank == 0) local = gannet_command_runs_create(given, setup, &runs);
  return gannet_root_evaluator_create(&gannet_command_root_evaluator, setup, local, runs, state);
}

const gannet_evaluator_type gannet_evaluator_command = {
    .name = "command",
    .summary = "a program of its own in a directory per evaluation, started beside the job",
    .options = options,
    .options_size = sizeof(gannet_command_options),
    .check = gannet_command_check,
    .create = create,
    .destroy = gannet_root_evaluator_destroy,
    .submit = gannet_root_evaluator_submit,
    .poll = gannet_root_evaluator_poll,
    .cancel = gannet_root_evaluator_cancel,
    .recover = gannet_root_evaluator_recover,
};
