/* gannet run */
#include "cli/conduct.h"

static const cli_flag flags[] = {
    {"directory", 'd', "DIR", "campaign directory (default: NAME.campaign)", false},
    {"resume", 'r', NULL, "continue the campaign in the directory, if there is one", false},
    {"dry-run", 'n', NULL,
     "check everything that can be checked without running, tell what a run would do, then stop",
     false},
    {"set", 's', "KEY=VALUE", "change a key of the campaign file; may be repeated", true},
    {"max-evals", 'm', "N", "budget of evaluations, those before a resume included", false},
    {"time-limit", 't', "T", "wall time of this run (10m, 4h)", false},
    {"quiet", 'q', NULL, "no progress, only warnings and errors", false},
    {"verbose", 'v', NULL, "show what is written to the log", false},
    {NULL, 0, NULL, NULL, false},
};

static gannet_err run(const cli_arguments *arguments, const cli_world *world, gannet_exit *code) {
  return cli_conduct(arguments, world, false, code);
}

const cli_command cli_run = {
    .name = "run",
    .usage = "CAMPAIGN.yaml [options]",
    .summary = "run a campaign until its budget is spent, on as many MPI ranks as it is started on",
    .details =
        "SIGUSR1, SIGUSR2, the first interrupt, or a file STOP in the campaign directory: no new\n"
        "simulations, those running may end. SIGTERM, SIGHUP (unless ignored, as by nohup), the\n"
        "second interrupt, or the end of the wall time: running simulations are ended. In both\n"
        "cases everything is saved, the exit code is 75, and --resume continues.\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .parallel = true,
    .launches = true,
    .run = run,
};
