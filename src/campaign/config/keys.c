/* The keys of the campaign as a whole and of how it runs; config/problem_keys.c has those of what
 * is optimised. */
#include "campaign/config/keys.h"

#include <math.h>

static const char *const goals[] = {"minimize", "maximize", NULL};
static const char *const starts[] = {"none", "nearest", NULL};          /* GANNET_START_NONE, ... */
static const char *const starters[] = {"auto", "mpirun", "srun", NULL}; /* GANNET_START_BY_AUTO, */
static const char *const modes[] = {"batch", "asynchronous", NULL};     /* GANNET_MODE_BATCH, ... */
static const char *const levels[] = {"error", "warning", "info", "debug", NULL};
static const char *const unknowns[] = {"keep", "warn", "fail", NULL}; /* gannet_unknown */

#define AT(type, member) .offset = offsetof(type, member)

const gannet_option gannet_general_table[] = {
    {.key = "name",
     .type = GANNET_TEXT,
     AT(gannet_general, name),
     .fallback = "auto",
     .help = "name of the campaign (letters, digits, '_', '-', '.'); its directory is "
             "NAME.campaign; auto = name of the file without its ending, other characters as '_'",
     .example = "heater"},
    {.key = "seed",
     .type = GANNET_LARGE,
     AT(gannet_general, seed),
     .fallback = "1",
     .lower = 0,
     .upper = 0x1p63,
     .help = "every random number derives from it: the same seed gives the same points on any "
             "number of ranks"},
    {.key = "goal",
     .type = GANNET_CHOICE,
     AT(gannet_general, goal),
     .fallback = "minimize",
     .choices = goals,
     .help = "direction in which the objective improves"},
    {.key = "noise",
     .type = GANNET_REAL,
     AT(gannet_general, noise),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .lower = 0,
     .upper = HUGE_VAL,
     .unit = "objective units",
     .help = "standard deviation of the objective when a point is evaluated again; 0 = exact, "
             "auto = learned from the data",
     .example = "0.05"},
    {.key = "batch",
     .type = GANNET_INTEGER,
     AT(gannet_general, batch),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .lower = 1,
     .upper = 100000,
     .unit = "points",
     .help = "points proposed at a time; auto = evaluate.parallel, or 1",
     .example = "8"},
    {.key = "unknown_outputs",
     .type = GANNET_CHOICE,
     AT(gannet_general, unknown_outputs),
     .fallback = "keep",
     .choices = unknowns,
     .help =
         "how to treat a number that a simulation reports but this file does not name: keep: "
         "record it; warn: record it, with one warning for each name; fail: the evaluation fails"},
    {.key = "variable_constraints",
     .type = GANNET_TEXT_LIST,
     AT(gannet_general, variable_constraints),
     .help = "relations between variables that are known before any run; no proposal violates "
             "them. Expressions are compared by <=, <, >=, >, = or !=, also in a chain; 'or' and "
             "'and' join relations; values of categorical variables are in quotes",
     .example = "[\"chord + span <= 10\", \"w1 + w2 + w3 = 1\"]"},
    {.key = "candidates",
     .type = GANNET_TEXT,
     AT(gannet_general, candidates),
     .fallback = "none",
     .help = "file that lists the only allowed designs, each to be used at most once: CSV with the "
             "names of the variables in the first line, or HDF5 (.h5, .hdf5) with a "
             "one-dimensional dataset per variable; other columns of a CSV file are shown with the "
             "results; relative paths start from the campaign file; none = every point of the box",
     .example = "pool.csv"},
    {.key = "input_directory",
     .type = GANNET_TEXT,
     AT(gannet_general, input_directory),
     .fallback = "auto",
     .help =
         "directory from which relative paths start (programs, templates, plugins, candidates), "
         "itself relative to that of the campaign file; auto = that of the campaign file",
     .example = "../models"},
    {0}};

const gannet_option gannet_budget_table[] = {
    {.key = "evaluations",
     .type = GANNET_INTEGER,
     AT(gannet_budget, evaluations),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .lower = 1,
     .upper = 1e9,
     .help = "evaluations after which the campaign ends, including those before a resume; auto = "
             "no limit",
     .example = "200",
     .unit = "evaluations"},
    {.key = "wall_time",
     .type = GANNET_DURATION,
     AT(gannet_budget, wall_time),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO | GANNET_OPTION_OPEN_LOW,
     .lower = 0,
     .upper = HUGE_VAL,
     .unit = "s",
     .help = "time after which no more points are proposed; auto = no limit",
     .example = "4h"},
    {.key = "cost",
     .type = GANNET_DURATION,
     AT(gannet_budget, cost),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO | GANNET_OPTION_OPEN_LOW,
     .lower = 0,
     .upper = HUGE_VAL,
     .unit = "s, or the unit of the quantity that cost names",
     .help =
         "the campaign ends when all simulations together have run this long, or have reported "
         "this much of the quantity named by the key cost (then a plain number); auto = no limit",
     .example = "100h"},
    {0}};

const gannet_option gannet_failure_table[] = {
    {.key = "rate",
     .type = GANNET_REAL,
     AT(gannet_failure_limit, rate),
     .fallback = "0.5",
     .lower = 0,
     .upper = 1,
     .help = "the campaign stops when a larger share of its evaluations than this has failed; 1 = "
             "never"},
    {.key = "minimum",
     .type = GANNET_INTEGER,
     AT(gannet_failure_limit, minimum),
     .fallback = "10",
     .lower = 1,
     .upper = 1e9,
     .help = "evaluations that must have ended before the rate counts",
     .unit = "evaluations"},
    {0}};

const gannet_option gannet_stop_table[] = {
    {.key = "target",
     .type = GANNET_REAL,
     AT(gannet_stop_keys, target),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .unit = "objective units",
     .help = "the campaign ends when the best feasible objective is as good as this; auto = no "
             "target",
     .example = "0.02"},
    {.key = "stagnation",
     .type = GANNET_INTEGER,
     AT(gannet_stop_keys, stagnation),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .lower = 1,
     .upper = 1e9,
     .help = "the campaign ends when this many results in a row have not improved the best "
             "feasible objective; results of the initial design and failed ones count, but only "
             "after the first feasible design; auto = no limit",
     .example = "40",
     .unit = "evaluations"},
    {.key = "regret.within",
     .type = GANNET_REAL,
     AT(gannet_stop_keys, regret_within),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO | GANNET_OPTION_OPEN_LOW,
     .lower = 0,
     .upper = HUGE_VAL,
     .unit = "objective units",
     .help = "the campaign ends when, according to a model of all results, no feasible design is "
             "better than the best one by more than this, with at least the given probability; "
             "auto = never",
     .example = "1e-3"},
    {.key = "regret.probability",
     .type = GANNET_REAL,
     AT(gannet_stop_keys, regret_probability),
     .fallback = "0.95",
     .flags = GANNET_OPTION_OPEN_LOW,
     .lower = 0,
     .upper = 1,
     .help = "required probability"},
    {0}};

const gannet_option gannet_evaluate_table[] = {
    {.key = "backend",
     .type = GANNET_TEXT,
     AT(gannet_evaluate_keys, backend),
     .help = "how the simulation is run; may be left out: command and shell imply command, plugin "
             "implies plugin, simulation implies function",
     .example = "command"},
    {.key = "parallel",
     .type = GANNET_INTEGER,
     AT(gannet_evaluate_keys, parallel),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .lower = 1,
     .upper = 100000,
     .help = "largest number of simulations at the same time; auto = as many as evaluate.resources "
             "allow, else batch, or 1",
     .example = "8",
     .unit = "simulations"},
    {.key = "time_limit",
     .type = GANNET_DURATION,
     AT(gannet_evaluate_keys, time_limit),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO | GANNET_OPTION_OPEN_LOW,
     .lower = 0,
     .upper = HUGE_VAL,
     .unit = "s",
     .help = "time that one simulation may take; one that takes longer is stopped and counts as "
             "failed; auto = no limit",
     .example = "10m"},
    {.key = "retries",
     .type = GANNET_INTEGER,
     AT(gannet_evaluate_keys, retries),
     .fallback = "1",
     .lower = 0,
     .upper = 1000,
     .help = "further attempts after a failure by bad luck (out of memory, killed from outside)",
     .unit = "attempts"},
    {.key = "mode",
     .type = GANNET_CHOICE,
     AT(gannet_evaluate_keys, mode),
     .fallback = "batch",
     .choices = modes,
     .help = "batch: the next batch is proposed when all evaluations of the last one have ended, "
             "so that the points do not depend on how long simulations take; asynchronous: a new "
             "point is proposed as soon as one of evaluate.parallel simulations has ended"},
    {.key = "start_from",
     .type = GANNET_CHOICE,
     AT(gannet_evaluate_keys, start_from),
     .fallback = "none",
     .choices = starts,
     .help = "nearest: {nearest} and GANNET_NEAREST name the folder of the nearest feasible design "
             "that has ended, so that a simulation can start from its solution; both are empty "
             "while there is none"},
    {.key = "keep.files",
     .type = GANNET_TEXT_LIST,
     AT(gannet_evaluate_keys, keep_files),
     .fallback = "[all]",
     .help = "files that are kept in the directory of an evaluation once its result is in the "
             "journal, besides those that gannet needs itself; a pattern without a slash applies "
             "to every folder; all = nothing is removed; keep: FILES is short for it",
     .example = "[\"*.log\", postProcessing/*]"},
    {.key = "keep.all_files_of",
     .type = GANNET_TEXT_LIST,
     AT(gannet_evaluate_keys, keep_all_files_of),
     .help = "evaluations that keep all their files: best N (feasible ones), last N, failed",
     .example = "[best 5, failed]"},
    {.key = "resources.cores",
     .type = GANNET_TEXT,
     AT(gannet_evaluate_keys, resources.cores),
     .help = "cores of one simulation, which no other has meanwhile: a number, or an expression in "
             "the variables, rounded up to a multiple of tasks; when left out, one for each task",
     .example = "\"8*refine\"",
     .unit = "cores"},
    {.key = "resources.gpus",
     .type = GANNET_TEXT,
     AT(gannet_evaluate_keys, resources.gpus),
     .help = "GPUs of one simulation, which no other simulation uses at the same time: a number, "
             "or an expression in the variables; without it, GPUs are ignored",
     .example = "1",
     .unit = "GPUs"},
    {.key = "resources.memory",
     .type = GANNET_SIZE,
     AT(gannet_evaluate_keys, resources.memory),
     .fallback = "0",
     .lower = 0,
     .upper = 0x1p60,
     .help = "memory of one simulation, with a unit: only as many simulations run at once as fit, "
             "and SLURM gets this number; 0 = not counted",
     .example = "8GiB",
     .unit = "bytes"},
    {.key = "resources.nodes",
     .type = GANNET_INTEGER,
     AT(gannet_evaluate_keys, resources.nodes),
     .fallback = "1",
     .lower = 1,
     .upper = 100000,
     .help = "nodes over which cores, GPUs, memory and tasks of one simulation are spread evenly",
     .example = "2",
     .unit = "nodes"},
    {.key = "resources.tasks",
     .type = GANNET_TEXT,
     AT(gannet_evaluate_keys, resources.tasks),
     .help = "processes (MPI ranks) that {launcher} starts: a number, or an expression in the "
             "variables; without it, 1",
     .example = "8",
     .unit = "tasks"},
    {.key = "resources.devices",
     .type = GANNET_TEXT_LIST,
     AT(gannet_evaluate_keys, resources.devices),
     .fallback = "[auto]",
     .help = "GPUs to use on every node: numbers, ranges such as 0-3, or UUIDs such as "
             "GPU-8932f937; one that is listed twice may have two simulations; auto = the first "
             "of GANNET_GPUS, ROCR_VISIBLE_DEVICES, CUDA_VISIBLE_DEVICES, HIP_VISIBLE_DEVICES and "
             "ZE_AFFINITY_MASK that names a GPU; if none of them is set, what SLURM or the drivers "
             "report",
     .example = "[0, 1, 2, 3]"},
    {.key = "resources.launcher",
     .type = GANNET_CHOICE,
     AT(gannet_evaluate_keys, resources.launcher),
     .fallback = "auto",
     .choices = starters,
     .help = "what {launcher} stands for: auto = srun in an allocation of several nodes and in "
             "jobs of backend slurm, else mpirun",
     .example = "srun"},
    {.key = "resources.reserved_cores",
     .type = GANNET_INTEGER,
     AT(gannet_evaluate_keys, resources.reserved_cores),
     .fallback = "0",
     .lower = 0,
     .upper = 1024,
     .help = "cores of gannet's own node that no simulation gets, for the ranks of gannet in mode "
             "asynchronous; 0 = gannet shares its cores with simulations",
     .unit = "cores"},
    {.key = "resources.oversubscribe",
     .type = GANNET_BOOLEAN,
     AT(gannet_evaluate_keys, resources.oversubscribe),
     .fallback = "no",
     .help = "allow more simulations than fit, up to evaluate.parallel, to share cores and GPUs"},
    {0}};

const gannet_option gannet_save_table[] = {
    {.key = "interval",
     .type = GANNET_DURATION,
     AT(gannet_save_keys, interval),
     .fallback = "60s",
     .lower = 0,
     .upper = HUGE_VAL,
     .unit = "s",
     .help = "least time between two snapshots of the state; the journal is written at once in any "
             "case"},
    {.key = "batches",
     .type = GANNET_INTEGER,
     AT(gannet_save_keys, batches),
     .fallback = "1",
     .lower = 1,
     .upper = 1e6,
     .help = "batches between two snapshots of the state, at least",
     .unit = "batches"},
    {0}};

const gannet_option gannet_log_table[] = {{.key = "level",
                                           .type = GANNET_CHOICE,
                                           AT(gannet_log_keys, level),
                                           .fallback = "info",
                                           .choices = levels,
                                           .help = "what is written to campaign.log"},
                                          {0}};
