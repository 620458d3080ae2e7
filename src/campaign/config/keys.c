#include "campaign/config/keys.h"

#include <math.h>

#include "problem/physics.h"

static const char *const goals[] = {"minimize", "maximize", NULL};
static const char *const types[] = {"real", "integer", "boolean", "categorical", "ordinal", NULL};
static const char *const scales[] = {"linear", "log", NULL};
static const char *const starts[] = {"none", "nearest", NULL};      /* GANNET_START_NONE, ... */
static const char *const modes[] = {"batch", "asynchronous", NULL}; /* GANNET_MODE_BATCH, ... */
/* In the order of gannet_take and of gannet_unknown. */
static const char *const takes[] = {"last", "mean", "min", "max", "first", "sum", NULL};
static const char *const unknowns[] = {"keep", "warn", "fail", NULL};
static const char *const levels[] = {"error", "warning", "info", "debug", NULL};

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
     .help = "what to do with the objective"},
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
         "what becomes of a number that a simulation reports and this file does not name: keep: "
         "it is recorded; warn: the same, with a warning, once for each name; fail: the "
         "evaluation fails"},
    {.key = "variable_constraints",
     .type = GANNET_TEXT_LIST,
     AT(gannet_general, variable_constraints),
     .help = "relations between variables that are known before any run, and that no proposal "
             "violates: sides joined by <=, <, >=, >, = or !=, in a chain too; 'or' and 'and' join "
             "relations; values of categorical variables in quotes",
     .example = "[\"chord + span <= 10\", \"w1 + w2 + w3 = 1\"]"},
    {.key = "candidates",
     .type = GANNET_TEXT,
     AT(gannet_general, candidates),
     .fallback = "none",
     .help =
         "file that lists the only designs to choose from, each at most once: CSV with the names "
         "of the variables in the first line, or HDF5 (.h5, .hdf5) with a one-dimensional "
         "dataset per variable; other columns of a CSV file are shown with the results; relative "
         "paths start from the campaign file; none = every point of the box",
     .example = "pool.csv"},
    {.key = "input_directory",
     .type = GANNET_TEXT,
     AT(gannet_general, input_directory),
     .fallback = "auto",
     .help = "directory that relative paths start from (programs, templates, plugins, candidates); "
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
     .help = "evaluations after which the campaign ends, those before a resume included; auto = no "
             "limit",
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
         "the campaign ends when all simulations together have run so long, or have reported so "
         "much of the quantity that the key cost names (then a plain number); auto = no limit",
     .example = "100h"},
    {0}};

const gannet_option gannet_failure_table[] = {
    {.key = "rate",
     .type = GANNET_REAL,
     AT(gannet_failure_limit, rate),
     .fallback = "0.5",
     .lower = 0,
     .upper = 1,
     .help =
         "the campaign stops when a larger part of its evaluations than this failed; 1 = never"},
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
     .help = "the campaign ends when so many results in a row have not improved the best feasible "
             "objective; those of the initial design and failed ones count too, none before there "
             "is a feasible design; auto = no limit",
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
     .help = "the campaign ends when, by a model of all results, no feasible design is better than "
             "the best one by more than this, with the probability below; auto = it does not",
     .example = "1e-3"},
    {.key = "regret.probability",
     .type = GANNET_REAL,
     AT(gannet_stop_keys, regret_probability),
     .fallback = "0.95",
     .flags = GANNET_OPTION_OPEN_LOW,
     .lower = 0,
     .upper = 1,
     .help = "probability that is asked for"},
    {0}};

const gannet_option gannet_evaluate_table[] = {
    {.key = "backend",
     .type = GANNET_TEXT,
     AT(gannet_evaluate_keys, backend),
     .flags = GANNET_OPTION_REQUIRED,
     .help = "how the simulation is run",
     .example = "command"},
    {.key = "parallel",
     .type = GANNET_INTEGER,
     AT(gannet_evaluate_keys, parallel),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .lower = 1,
     .upper = 100000,
     .help = "most simulations at the same time; auto = batch, or 1",
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
     .help = "longest run of one simulation, then it is ended and has failed; auto = no limit",
     .example = "10m"},
    {.key = "retries",
     .type = GANNET_INTEGER,
     AT(gannet_evaluate_keys, retries),
     .fallback = "1",
     .lower = 0,
     .upper = 1000,
     .help = "further attempts after a failure by bad luck (node failure, out of memory)",
     .unit = "attempts"},
    {.key = "mode",
     .type = GANNET_CHOICE,
     AT(gannet_evaluate_keys, mode),
     .fallback = "batch",
     .choices = modes,
     .help = "batch: the next batch is proposed when all of the last has ended, so that the course "
             "does not depend on how long simulations take; asynchronous: a new point as soon as "
             "one of evaluate.parallel simulations has ended"},
    {.key = "start_from",
     .type = GANNET_CHOICE,
     AT(gannet_evaluate_keys, start_from),
     .fallback = "none",
     .choices = starts,
     .help = "nearest: {nearest} and GANNET_NEAREST name the folder of the nearest design that has "
             "ended and is feasible, for a simulation that starts from its solution; they are "
             "empty while there is none"},
    {.key = "keep.files",
     .type = GANNET_TEXT_LIST,
     AT(gannet_evaluate_keys, keep_files),
     .fallback = "[all]",
     .help = "files that stay in the directory of an evaluation when its result is in the journal, "
             "besides those that gannet needs itself; a pattern without a slash counts in every "
             "folder; all = nothing is removed; keep: FILES is short for it",
     .example = "[\"*.log\", postProcessing/*]"},
    {.key = "keep.all_files_of",
     .type = GANNET_TEXT_LIST,
     AT(gannet_evaluate_keys, keep_all_files_of),
     .help = "evaluations that keep all their files: best N (feasible ones), last N, failed",
     .example = "[best 5, failed]"},
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

const gannet_option gannet_variable_table[] = {
    {.key = "type",
     .type = GANNET_CHOICE,
     AT(gannet_variable_keys, type),
     .fallback = "real",
     .choices = types,
     .help = "kind of the variable; numbers in values make it ordinal, and fixed finds its own"},
    {.key = "lower",
     .type = GANNET_REAL,
     AT(gannet_variable_keys, lower),
     .unit = "units of the variable",
     .help = "smallest value allowed; needed for real and integer that are not fixed or computed",
     .example = "1e-6"},
    {.key = "upper",
     .type = GANNET_REAL,
     AT(gannet_variable_keys, upper),
     .unit = "units of the variable",
     .help = "largest value allowed; needed for real and integer that are not fixed or computed",
     .example = "1e-2"},
    {.key = "step",
     .type = GANNET_REAL,
     AT(gannet_variable_keys, step),
     .flags = GANNET_OPTION_OPEN_LOW,
     .lower = 0,
     .upper = HUGE_VAL,
     .unit = "units of the variable",
     .help =
         "the values are lower, lower + step, ... up to upper; when upper is not among them, the "
         "last one below it is the largest; for real and integer only; when left out, every "
         "value",
     .example = "0.0625"},
    {.key = "scale",
     .type = GANNET_CHOICE,
     AT(gannet_variable_keys, scale),
     .fallback = "linear",
     .choices = scales,
     .help = "whether equal steps (linear) or equal factors (log) matter equally"},
    {.key = "values",
     .type = GANNET_TEXT_LIST,
     AT(gannet_variable_keys, values),
     .help =
         "numbers to choose from, in ascending order; or words: of type ordinal in their order, "
         "of type categorical without one",
     .example = "[16, 32, 64, 128]"},
    {.key = "fixed",
     .type = GANNET_TEXT,
     AT(gannet_variable_keys, fixed),
     .help = "the variable has this value, a number or a word; it goes to the simulation and is no "
             "dimension of the search",
     .example = "1.2"},
    {.key = "expression",
     .type = GANNET_TEXT,
     AT(gannet_variable_keys, expression),
     .help = "the variable is computed from others; it goes to the simulation and is no dimension "
             "of the search; words are compared, as in solver == 'cg' ? 1 : 2; type integer "
             "rounds, type boolean is whether it is not 0",
     .example = "\"chord*span\""},
    {.key = "when",
     .type = GANNET_TEXT,
     AT(gannet_variable_keys, when),
     .help =
         "the variable has a meaning only where this is true: comparisons joined by and, or, not; "
         "elsewhere it is inactive: it rests at one value, and moves no proposal",
     .example = "\"solver == 'gmres'\""},
    {.key = "unit",
     .type = GANNET_TEXT,
     AT(gannet_variable_keys, unit),
     .help = "unit of the values, to be shown; nothing is computed with it",
     .example = "m/s"},
    {.key = "was",
     .type = GANNET_TEXT,
     AT(gannet_variable_keys, was),
     .help = "of a variable that a campaign gets when it is resumed: the value that it had in all "
             "evaluations before, a number or a word; bounds do not matter",
     .example = "1.2"},
    {.key = "varied",
     .type = GANNET_BOOLEAN,
     AT(gannet_variable_keys, varied),
     .fallback = "no",
     .help =
         "of a fixed variable with bounds or values: results with other values of it are learnt "
         "from, as it remains a dimension of the models; a resume that fixes a variable which "
         "was searched says yes by itself",
     .example = "yes"},
    {.key = "retired",
     .type = GANNET_TEXT_LIST,
     AT(gannet_variable_keys, retired),
     .help =
         "words of values that are no longer proposed: a resume has taken them off the list, and "
         "evaluations may still have them",
     .example = "[cg]"},
    {.key = "renamed_from",
     .type = GANNET_TEXT,
     AT(gannet_variable_keys, renamed_from),
     .help = "the name that the variable had before a resume: evaluations keep its values",
     .example = "c"},
    {0}};

const gannet_option gannet_constraint_table[] = {{.key = "lower",
                                                  .type = GANNET_REAL,
                                                  AT(gannet_constraint_keys, lower),
                                                  .unit = "units of the result",
                                                  .help = "smallest value that is feasible",
                                                  .example = "0"},
                                                 {.key = "upper",
                                                  .type = GANNET_REAL,
                                                  AT(gannet_constraint_keys, upper),
                                                  .unit = "units of the result",
                                                  .help = "largest value that is feasible",
                                                  .example = "110"},
                                                 {.key = "expression",
                                                  .type = GANNET_TEXT,
                                                  AT(gannet_constraint_keys, expression),
                                                  .help = "the constraint is computed from "
                                                          "reported quantities; without it, it is "
                                                          "reported itself",
                                                  .example = "\"stress/yield\""},
                                                 {.key = "unit",
                                                  .type = GANNET_TEXT,
                                                  AT(gannet_constraint_keys, unit),
                                                  .help = "unit of the result, to be shown; "
                                                          "nothing is computed with it",
                                                  .example = "K"},
                                                 {0}};

const gannet_option gannet_objective_table[] = {
    {.key = "name",
     .type = GANNET_TEXT,
     AT(gannet_objective_keys, name),
     .help = "quantity that is the objective, by the name that the simulation reports; with an "
             "expression, the name that messages show. When left out, it is called objective",
     .example = "drag"},
    {.key = "expression",
     .type = GANNET_TEXT,
     AT(gannet_objective_keys, expression),
     .help = "the objective is computed from reported quantities",
     .example = "\"drag + 0.01*mass\""},
    {.key = "unit",
     .type = GANNET_TEXT,
     AT(gannet_objective_keys, unit),
     .help = "unit of the objective, to be shown; nothing is computed with it",
     .example = "N"},
    {0}};

static const char *const objective_transforms[] = {"none", "log", NULL};

const gannet_option gannet_objectives_table[] = {
    {.key = "goal",
     .type = GANNET_CHOICE,
     AT(gannet_objectives_keys, goal),
     .fallback = "minimize",
     .choices = goals,
     .help = "what to do with this objective"},
    {.key = "threshold",
     .type = GANNET_REAL,
     AT(gannet_objectives_keys, threshold),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .lower = -HUGE_VAL,
     .upper = HUGE_VAL,
     .unit = "units of the objective",
     .help = "a value that is not better than this is of no interest: designs must be better in "
             "every objective to count in the hypervolume; auto = a tenth of the front's range "
             "beyond its worst value",
     .example = "900"},
    {.key = "noise",
     .type = GANNET_REAL,
     AT(gannet_objectives_keys, noise),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .lower = 0,
     .upper = HUGE_VAL,
     .unit = "units of the objective",
     .help = "standard deviation of the objective when a point is evaluated again; 0 = exact, "
             "auto = learned from the data",
     .example = "0.05"},
    {.key = "transform",
     .type = GANNET_CHOICE,
     AT(gannet_objectives_keys, transform),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .choices = objective_transforms,
     .help =
         "monotone transform of the objective before a model sees it: log = logarithm of what a "
         "value is above the least one, where values differ by powers of ten; auto = none",
     .example = "log"},
    {.key = "penalties",
     .type = GANNET_BOOLEAN,
     AT(gannet_objectives_keys, penalties),
     .fallback = "yes",
     .help = "results whose objective is a penalty, such as 1e10 for a solver that diverged, count "
             "as failures of the design: the worst values, where three results or more have "
             "exactly one, and all others are a hundred times nearer to each other; "
             "no = every value is one"},
    {.key = "expression",
     .type = GANNET_TEXT,
     AT(gannet_objectives_keys, expression),
     .help = "the objective is computed from reported quantities; without it, it is reported "
             "itself",
     .example = "\"lift/drag\""},
    {.key = "unit",
     .type = GANNET_TEXT,
     AT(gannet_objectives_keys, unit),
     .help = "unit of the objective, to be shown; nothing is computed with it",
     .example = "kg"},
    {0}};

const gannet_option gannet_output_table[] = {
    {.key = "file",
     .type = GANNET_TEXT,
     AT(gannet_output_keys, file),
     .help = "file of the evaluation's directory that has the number, with column or pattern; with "
             "wildcards such as * the last of the files that match, numbers in names in their "
             "order",
     .example = "postProcessing/forces/*/coefficient.dat"},
    {.key = "column",
     .type = GANNET_TEXT,
     AT(gannet_output_keys, column),
     .help = "column of a table, by its name in the header or by its number from 1",
     .example = "Cd"},
    {.key = "rows",
     .type = GANNET_TEXT,
     AT(gannet_output_keys, rows),
     .help = "rows of the table that count: last, last N, first, first N or all; last when left "
             "out",
     .example = "last 200"},
    {.key = "take",
     .type = GANNET_CHOICE,
     AT(gannet_output_keys, take),
     .fallback = "last",
     .choices = takes,
     .help = "which number is taken from these rows"},
    {.key = "pattern",
     .type = GANNET_TEXT,
     AT(gannet_output_keys, pattern),
     .help = "POSIX extended regular expression whose first group is the number, in a file or, "
             "without file, in what the simulation prints; the last line that matches counts",
     .example = "\"^cells: *([^ ]*)\""},
    {.key = "unit",
     .type = GANNET_TEXT,
     AT(gannet_output_keys, unit),
     .help = "unit of the number, to be shown; nothing is computed with it",
     .example = "kg"},
    {0}};

const gannet_option gannet_import_table[] = {
    {.key = "from",
     .type = GANNET_TEXT,
     AT(gannet_import_keys, from),
     .flags = GANNET_OPTION_REQUIRED,
     .help =
         "CSV file with columns as those of history.csv, or any that have the names of variables "
         "and quantities; or a campaign directory, whose history.csv is read",
     .example = "old.csv"},
    {.key = "columns",
     .type = GANNET_TEXT_LIST,
     AT(gannet_import_keys, columns),
     .help =
         "names of variables and quantities with their columns where these have another name or "
         "unit: {chord: c, span: \"s/1000\"}",
     .example = "{chord: c, span: \"s/1000\"}"},
    {.key = "related",
     .type = GANNET_BOOLEAN,
     AT(gannet_import_keys, related),
     .fallback = "no",
     .help =
         "whether these are results of a related problem: a prior of the objective and the "
         "constraints that is learnt, and no evaluations. Variables and constraints may be absent",
     .example = "yes"},
    {0}};

/* The physics section. */

const gannet_option gannet_physics_table[] = {
    {.key = "points",
     .type = GANNET_INTEGER,
     AT(gannet_physics_keys, points),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .lower = 1,
     .upper = GANNET_PHYSICS_POINTS,
     .help = "points of a scrambled Sobol sequence at which the equations are imposed; auto = 60 "
             "per variable, from 600 to 1500, shared among the equations, at least 20 each; in up "
             "to 3 variables half as many again are next to the edges",
     .example = "512",
     .unit = "points"},
    {.key = "seed",
     .type = GANNET_INTEGER,
     AT(gannet_physics_keys, seed),
     .fallback = "0",
     .lower = 0,
     .upper = 2147483647,
     .help = "of these points, besides the campaign's"},
    {.key = "lambda2",
     .type = GANNET_REAL,
     AT(gannet_physics_keys, lambda2),
     .fallback = "1e-6",
     .lower = 1e-12,
     .upper = 1,
     .unit = "prior variances of the equation's left side",
     .help = "variance of the equations' residuals that is allowed"},
    {0}};

const gannet_option gannet_equation_table[] = {
    {.key = "name",
     .type = GANNET_TEXT,
     AT(gannet_equation_keys, name),
     .help = "name for messages",
     .example = "heat"},
    {.key = "rhs",
     .type = GANNET_TEXT,
     AT(gannet_equation_keys, rhs),
     .help = "right side, an expression in the names of the variables; 0 when left out",
     .example = "sin(pi*x)"},
    {.key = "plugin",
     .type = GANNET_TEXT,
     AT(gannet_equation_keys, plugin),
     .help = "shared object that exports gannet_residual, for equations that are not linear; "
             "relative to the campaign file",
     .example = "./law.so"},
    {.key = "settings",
     .type = GANNET_TEXT_LIST,
     AT(gannet_equation_keys, settings),
     .help = "handed to the plugin",
     .example = "{conductivity: 3}"},
    {0}};

const gannet_option gannet_term_table[] = {
    {.key = "coefficient",
     .type = GANNET_TEXT,
     AT(gannet_term_keys, coefficient),
     .help = "factor of the derivative, an expression in the names of the variables; 1 when left "
             "out",
     .example = "exp(-x)"},
    {.key = "derivative",
     .type = GANNET_TEXT_LIST,
     AT(gannet_term_keys, derivative),
     .help = "real variables by which the objective is derived, up to four; [] is the objective "
             "itself",
     .example = "[x, x]"},
    {0}};
