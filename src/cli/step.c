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
    .summary = "take a campaign one step further and exit: collect, propose, submit",
    .details =
        "For campaigns without a resident process. A job (--resubmit), cron or you can call it\n"
        "as often as you like: it does not repeat finished work, and completes what an\n"
        "interrupted call left half done. With backend slurm the jobs continue on their own,\n"
        "and the exit code is 75 until the budget is spent. Other back-ends, which need this\n"
        "process, run one batch.\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .parallel = true,
    .launches = true,
    .run = run_step,
};
