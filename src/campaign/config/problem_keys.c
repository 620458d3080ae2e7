/* The keys of what is optimised: variables, constraints, objectives, the quantities that are read
 * from simulations or imported, and equations. */
#include <math.h>

#include "campaign/config/keys.h"
#include "problem/physics.h"

static const char *const goals[] = {"minimize", "maximize", NULL};
static const char *const types[] = {"real", "integer", "boolean", "categorical", "ordinal", NULL};
static const char *const other_types[] = {" float double number numeric continuous ", " int long ",
                                          " bool logical binary ",
                                          " string str text choice enum category nominal ", ""};
static const char *const scales[] = {"linear", "log", NULL};
/* The words of gannet_take, in the order of the enum. */
static const char *const takes[] = {"last", "mean", "min", "max", "first", "sum", NULL};

#define AT(type, member) .offset = offsetof(type, member)

const gannet_option gannet_variable_table[] = {
    {.key = "type",
     .type = GANNET_CHOICE,
     AT(gannet_variable_keys, type),
     .fallback = "real",
     .choices = types,
     .meanings = other_types,
     .help = "kind of the variable; numbers in values make it ordinal, and fixed implies the kind "
             "of its value"},
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
     .help = "the values are lower, lower + step, ... up to upper; if upper is not among them, the "
             "last one below it is the largest; only for real and integer; without it, every value",
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
     .help = "numbers to choose from, in ascending order; or words, ordered with type ordinal and "
             "unordered with type categorical",
     .example = "[16, 32, 64, 128]"},
    {.key = "fixed",
     .type = GANNET_TEXT,
     AT(gannet_variable_keys, fixed),
     .help = "the variable has this value, a number or a word; simulations receive it, but the "
             "search does not vary it",
     .example = "1.2"},
    {.key = "expression",
     .type = GANNET_TEXT,
     AT(gannet_variable_keys, expression),
     .help = "the variable is computed from others; simulations receive it, but the search does "
             "not vary it; words are compared, as in solver == 'cg' ? 1 : 2; type integer rounds, "
             "type boolean is true if the result is not 0",
     .example = "\"chord*span\""},
    {.key = "when",
     .type = GANNET_TEXT,
     AT(gannet_variable_keys, when),
     .help = "the variable matters only where this is true: comparisons joined by and, or, not; "
             "elsewhere it is inactive: it keeps one value and does not influence proposals",
     .example = "\"solver == 'gmres'\""},
    {.key = "unit",
     .type = GANNET_TEXT,
     AT(gannet_variable_keys, unit),
     .help = "unit of the values, for display only",
     .example = "m/s"},
    {.key = "was",
     .type = GANNET_TEXT,
     AT(gannet_variable_keys, was),
     .help = "for a variable that is added by a resume: the value that it had in all earlier "
             "evaluations, a number or a word; bounds do not apply",
     .example = "1.2"},
    {.key = "varied",
     .type = GANNET_BOOLEAN,
     AT(gannet_variable_keys, varied),
     .fallback = "no",
     .help = "for a fixed variable with bounds or values: learn from results with other values of "
             "it, because it remains a dimension of the models; a resume that fixes a searched "
             "variable sets this itself",
     .example = "yes"},
    {.key = "retired",
     .type = GANNET_TEXT_LIST,
     AT(gannet_variable_keys, retired),
     .help = "words that are no longer proposed, because a resume removed them from values; "
             "earlier evaluations may still have them",
     .example = "[cg]"},
    {.key = "renamed_from",
     .type = GANNET_TEXT,
     AT(gannet_variable_keys, renamed_from),
     .help = "the name of the variable before a resume; evaluations keep its values",
     .example = "c"},
    {0}};

const gannet_option gannet_constraint_table[] = {
    {.key = "lower",
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
     .help = "computes the constraint from reported quantities; without it, the constraint itself "
             "is reported",
     .example = "\"stress/yield\""},
    {.key = "unit",
     .type = GANNET_TEXT,
     AT(gannet_constraint_keys, unit),
     .help = "unit of the result, for display only",
     .example = "K"},
    {0}};

const gannet_option gannet_objective_table[] = {
    {.key = "name",
     .type = GANNET_TEXT,
     AT(gannet_objective_keys, name),
     .help =
         "quantity that is the objective, by the name that the simulation reports; with an "
         "expression, the name that messages show; without it, the objective is called objective",
     .example = "drag"},
    {.key = "expression",
     .type = GANNET_TEXT,
     AT(gannet_objective_keys, expression),
     .help = "computes the objective from reported quantities",
     .example = "\"drag + 0.01*mass\""},
    {.key = "unit",
     .type = GANNET_TEXT,
     AT(gannet_objective_keys, unit),
     .help = "unit of the objective, for display only",
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
     .help = "worst value of interest: a design must be better in every objective to count in the "
             "hypervolume; auto = a tenth of the front's range beyond its worst value (the search "
             "uses half "
             "a range with two objectives)",
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
         "monotone transform of the objective for the models: log = logarithm of the distance "
         "from the best value, for values that differ by powers of ten; auto = log once a value "
         "of the front is worse than the median by 22 interquartile ranges, unless noise above 0 "
         "or standard deviations of results are given; else none",
     .example = "log"},
    {.key = "penalties",
     .type = GANNET_BOOLEAN,
     AT(gannet_objectives_keys, penalties),
     .fallback = "yes",
     .help = "treat penalties, such as 1e10 for a solver that diverged, as failures of the design: "
             "the worst value, if three or more results have exactly it, and all others are a "
             "hundred times nearer to each other; also growing ones, if all objectives have them "
             "for the same designs; no = every value counts as it is"},
    {.key = "expression",
     .type = GANNET_TEXT,
     AT(gannet_objectives_keys, expression),
     .help = "computes the objective from reported quantities; without it, the objective itself is "
             "reported",
     .example = "\"lift/drag\""},
    {.key = "unit",
     .type = GANNET_TEXT,
     AT(gannet_objectives_keys, unit),
     .help = "unit of the objective, for display only",
     .example = "kg"},
    {0}};

const gannet_option gannet_output_table[] = {
    {.key = "file",
     .type = GANNET_TEXT,
     AT(gannet_output_keys, file),
     .help = "file in the evaluation's directory that contains the number, with column or pattern; "
             "of several files that match a wildcard such as *, the last one counts, with numbers "
             "in names compared as numbers",
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
     .help = "unit of the number, for display only",
     .example = "kg"},
    {0}};

const gannet_option gannet_import_table[] = {
    {.key = "from",
     .type = GANNET_TEXT,
     AT(gannet_import_keys, from),
     .flags = GANNET_OPTION_REQUIRED,
     .help = "CSV file such as history.csv, with columns named as variables and quantities; or a "
             "campaign directory, whose history.csv is read",
     .example = "old.csv"},
    {.key = "columns",
     .type = GANNET_TEXT_LIST,
     AT(gannet_import_keys, columns),
     .help = "columns whose name or unit differs from that of the variable or quantity: {chord: c, "
             "span: \"s/1000\"}",
     .example = "{chord: c, span: \"s/1000\"}"},
    {.key = "related",
     .type = GANNET_BOOLEAN,
     AT(gannet_import_keys, related),
     .fallback = "no",
     .help =
         "the results are of a related problem: a prior for the objectives and the constraints is "
         "learnt from them, and they are not evaluations. Variables, constraints and some of "
         "several objectives may be absent",
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
             "per variable, but 600 to 1500 in all, shared among the equations with at least 20 "
             "each; with up to 3 variables, half as many more lie near the edges",
     .example = "512",
     .unit = "points"},
    {.key = "seed",
     .type = GANNET_INTEGER,
     AT(gannet_physics_keys, seed),
     .fallback = "0",
     .lower = 0,
     .upper = 2147483647,
     .help = "seed of these points, in addition to that of the campaign"},
    {.key = "lambda2",
     .type = GANNET_REAL,
     AT(gannet_physics_keys, lambda2),
     .fallback = "1e-6",
     .lower = 1e-12,
     .upper = 1,
     .unit = "prior variances of the equation's left side",
     .help = "allowed variance of the equations' residuals"},
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
     .help = "passed to the plugin",
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
     .help = "real variables with respect to which the objective is differentiated, up to four; [] "
             "is the objective itself",
     .example = "[x, x]"},
    {0}};
