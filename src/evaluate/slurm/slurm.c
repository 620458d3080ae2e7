/* Simulations as jobs of SLURM: rank 0 submits and watches them, all ranks get the results. */
#include "evaluate/slurm/slurm.h"

#include <math.h>

#include "evaluate/backends.h"

#define AT(member) .offset = offsetof(gannet_slurm_options, member)

static const char *const when_stopped[] = {"leave", "cancel", NULL};
static const char *const submit_as[] = {"job", "array", NULL};

static const gannet_option options[] = {
    GANNET_COMMAND_OPTIONS,
    {.key = "script",
     .type = GANNET_TEXT,
     AT(script),
     .help = "job script of your own instead of command, submitted with its placeholders replaced; "
             "it must leave results.out in its working directory",
     .example = "job.sh"},
    {.key = "sbatch",
     .type = GANNET_TEXT_LIST,
     AT(sbatch),
     .help = "options for the job script that is written when there is no script, each a line "
             "#SBATCH",
     .example = "[\"--partition=short\", \"--ntasks=8\"]"},
    {.key = "submit",
     .type = GANNET_CHOICE,
     AT(submit),
     .fallback = "job",
     .choices = submit_as,
     .help =
         "job: a job of its own for every evaluation, or for every runs_per_job of them; array: "
         "what is proposed together is submitted together, with one call of sbatch"},
    {.key = "runs_per_job",
     .type = GANNET_INTEGER,
     AT(runs_per_job),
     .fallback = "1",
     .lower = 1,
     .upper = 10000,
     .help =
         "evaluations in one job, or in one element of an array: for runs that are short beside "
         "the time a job waits",
     .example = "10",
     .unit = "evaluations"},
    {.key = "runs_at_once",
     .type = GANNET_INTEGER,
     AT(runs_at_once),
     .fallback = "1",
     .lower = 1,
     .upper = 10000,
     .help = "how many of runs_per_job run at the same time, each as a step of the job",
     .example = "5",
     .unit = "evaluations"},
    {.key = "step",
     .type = GANNET_TEXT_LIST,
     AT(step),
     .help = "what a run is started with when runs_at_once is above 1, instead of srun --exact "
             "--nodes=1 --ntasks=1 with the job's --cpus-per-task; [env] for commands that begin "
             "with srun themselves",
     .example = "[srun, --exact, --ntasks=1, --cpus-per-task=4]"},
    {.key = "array_size",
     .type = GANNET_INTEGER,
     AT(array_size),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .lower = 1,
     .upper = 4000000,
     .help = "most elements of one array; auto = what the cluster allows (MaxArraySize)",
     .example = "1000",
     .unit = "jobs"},
    {.key = "array_throttle",
     .type = GANNET_INTEGER,
     AT(array_throttle),
     .fallback = "0",
     .lower = 0,
     .upper = 4000000,
     .help = "most elements of one array that run at the same time (--array=...%N); 0 = no limit",
     .unit = "jobs"},
    {.key = "poll_interval",
     .type = GANNET_DURATION,
     AT(poll_interval),
     .fallback = "15s",
     .lower = 0.05,
     .upper = 3600,
     .unit = "s",
     .help = "time between two calls of squeue for all jobs; up to four times as long while "
             "nothing happens, sixteen times while it does not answer"},
    {.key = "grace",
     .type = GANNET_DURATION,
     AT(grace),
     .fallback = "5m",
     .lower = 0,
     .upper = HUGE_VAL,
     .unit = "s",
     .help = "how long SLURM may not know a job before it counts as lost, which is bad luck"},
    {.key = "patience",
     .type = GANNET_DURATION,
     AT(patience),
     .fallback = "6h",
     .lower = 0,
     .upper = HUGE_VAL,
     .unit = "s",
     .help = "how long sbatch is called again and again while it refuses a job because of limits "
             "or a scheduler that is down, and results cannot be read, before the campaign stops, "
             "to be resumed"},
    {.key = "when_stopped",
     .type = GANNET_CHOICE,
     AT(when_stopped),
     .fallback = "leave",
     .choices = when_stopped,
     .help = "what happens to jobs when the campaign is stopped: leave them, for gannet run "
             "--resume to take over, or cancel them"},
    {.key = "command_timeout",
     .type = GANNET_DURATION,
     AT(commands.timeout),
     .fallback = "30s",
     .lower = 0.1,
     .upper = 3600,
     .unit = "s",
     .help = "how long one call of a SLURM command may take"},
    {.key = "sbatch_command",
     .type = GANNET_TEXT,
     AT(commands.sbatch),
     .fallback = "sbatch",
     .help = "program that submits"},
    {.key = "squeue_command",
     .type = GANNET_TEXT,
     AT(commands.squeue),
     .fallback = "squeue",
     .help = "program that lists jobs"},
    {.key = "scancel_command",
     .type = GANNET_TEXT,
     AT(commands.scancel),
     .fallback = "scancel",
     .help = "program that ends jobs"},
    {.key = "sacct_command",
     .type = GANNET_TEXT,
     AT(commands.sacct),
     .fallback = "sacct",
     .help = "program that tells how jobs ended; need not exist"},
    {.key = "scontrol_command",
     .type = GANNET_TEXT,
     AT(commands.scontrol),
     .fallback = "scontrol",
     .help = "program that tells about one job; need not exist"},
    {0}};

static gannet_err create(const void *given, const gannet_evaluator_setup *setup, void **state) {
  gannet_slurm_jobs *jobs = NULL;
  gannet_err local = GANNET_OK;
  if (setup->context->rank == 0) local = gannet_slurm_jobs_create(given, setup, &jobs);
  return gannet_root_evaluator_create(&gannet_slurm_root_evaluator, setup, local, jobs, state);
}

const gannet_evaluator_type gannet_evaluator_slurm = {
    .name = "slurm",
    .summary = "jobs of their own, or arrays of them, submitted to SLURM and watched",
    .options = options,
    .options_size = sizeof(gannet_slurm_options),
    .check = gannet_slurm_check,
    .create = create,
    .destroy = gannet_root_evaluator_destroy,
    .submit = gannet_root_evaluator_submit,
    .poll = gannet_root_evaluator_poll,
    .cancel = gannet_root_evaluator_cancel,
    .recover = gannet_root_evaluator_recover,
    .all_submitted = gannet_root_evaluator_all_submitted,
    .leave = gannet_root_evaluator_detach,
};
