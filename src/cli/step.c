/* gannet step */
#include "cli/run.h"

static const cli_flag flags[] = {
    {"directory", 'd', "DIR", "campaign directory (default: NAME.campaign)", false},
    {"resubmit", 'r', "SCRIPT",
     "submit SCRIPT, which gets CAMPAIGN.yaml as its argument, to run when the simulations have "
     "ended; at most one such job waits at a time",
     false},
    {"set", 's', "KEY=VALUE", "change a key of the campaign file; may be repeated", true},
    {"max-evals", 'm', "N", "budget of evaluations of all steps together", false},
    {"quiet", 'q', NULL, "show no progress, only warnings and errors", false},
    {"verbose", 'v', NULL, "show what is written to the log", false},
    {NULL, 0, NULL, NULL, false},
};

static gannet_err run_step(const cli_arguments *arguments, const cli_world *world,
                           gannet_exit *code) {
  return cli_run_campaign(arguments, world, true, code);
}

const cli_command cli_step = {
    .name = "step",
    .usage = "CAMPAIGN.yaml [options]",
    .summary = "take a campaign one step further and end: collect, propose, submit",
    .details =
        "For campaigns without a resident process, called by a job (--resubmit), by cron or by\n"
        "hand, as often as you like: what was done is not done again, what another call left\n"
        "half done is completed. With backend slurm the jobs go on alone, and the exit code is\n"
        "75 until the budget is spent. Back-ends that need this process run one batch.\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .parallel = true,
    .launches = true,
    .run = run_step,
};
