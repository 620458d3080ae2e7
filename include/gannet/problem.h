/* The problem: variables, goal and constraints.
 *
 * A point in the user's units ("x_user") is an array with one double per variable: the value of a
 * real or integer variable; 0 or 1 for a boolean; the number of an ordinal that has numbers; the
 * position in values for a category or an ordinal word.
 *
 * Fixed and derived variables have a place in it, too. In points that a program passes in, these
 * may be NAN: the library fills them in. An inactive conditional variable (when) has one value: the
 * middle of its range, the first of its categories, or false. In points that a program passes in,
 * this value replaces the given one, so that two points that differ only there are the same point.
 */
#ifndef GANNET_PROBLEM_H
#define GANNET_PROBLEM_H

#include <mpi.h>
#include <stdint.h>

#include "gannet/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  GANNET_VARIABLE_REAL,
  GANNET_VARIABLE_INTEGER,
  GANNET_VARIABLE_BOOLEAN,
  GANNET_VARIABLE_CATEGORICAL, /* one of several names without an order */
  GANNET_VARIABLE_ORDINAL      /* one of several numbers, or of several words in an order */
} gannet_variable_type;

/* How a variable gets its value. */
typedef enum {
  GANNET_ROLE_FREE,   /* the optimiser chooses it */
  GANNET_ROLE_FIXED,  /* it has one value, and is no dimension of the search */
  GANNET_ROLE_DERIVED /* it is computed from other variables, and is no dimension of the search */
} gannet_variable_role;

typedef enum { GANNET_SCALE_LINEAR, GANNET_SCALE_LOG } gannet_scale;
typedef enum { GANNET_MINIMIZE, GANNET_MAXIMIZE } gannet_goal;

typedef struct {
  const char *name; /* letters, digits and underscores, not starting with a digit */
  gannet_variable_type type;
  double lower, upper; /* real and integer: lower < upper, in the user's units; both are allowed
                          values. For a fixed or derived variable both may be 0 */
  gannet_scale scale;  /* real, integer, and ordinal numbers; log needs positive values */
  int n_values;        /* categorical and ordinal: at least 2; a fixed one may have 1 */
  const char *const *values; /* categorical, and ordinal words; not read if there are numbers */
  gannet_variable_role role;
  double fixed;           /* of a fixed variable, as in x_user */
  const char *expression; /* of a derived variable: in the names of other variables, as in
                             "chord*span" or "solver == 'cg' ? 1 : 2". An integer is
                             rounded, a boolean is true if the value is not 0; a derived variable
                             cannot be categorical or ordinal */
  double
      step; /* real and integer: the values are lower + k*step up to upper, computed in decimals;
               0 = every value of the type. In the copy of the problem, upper is the last value */
  const double *numbers; /* ordinal: [n_values] in ascending order; NULL = the values are words */
  const char *when;      /* of a conditional variable, free or fixed: condition for its use, as in
                            "solver == 'gmres' and cells > 16"; NULL or "" = always. Otherwise it is
                            inactive (gannet_problem_get_active) */
} gannet_variable;

/* lower <= value <= upper; -INFINITY or INFINITY = no bound, but not both. */
typedef struct {
  const char *name;
  double lower, upper;
} gannet_constraint;

/* Transform of the values of one of several objectives before a model is fitted. */
typedef enum {
  GANNET_OBJECTIVE_TRANSFORM_AUTO, /* log once a value of the front was worse than the median by
                                      22 interquartile ranges; none before that, and always with
                                      noise above 0 or standard deviations of results */
  GANNET_OBJECTIVE_TRANSFORM_NONE, /* none */
  GANNET_OBJECTIVE_TRANSFORM_LOG   /* logarithm of the distance from the best value */
} gannet_objective_transform;

/* One of several objectives. */
typedef struct {
  const char *name;
  gannet_goal goal;
  double threshold; /* worst value of interest, and coordinate of the reference point of the
                       hypervolume; NAN = chosen from the results */
  double noise_sd;  /* in its units; 0 = exact, NAN = to be inferred */
  gannet_objective_transform transform;
  int keeps_penalties; /* 0 = a penalty value, such as 1e10 for a solver that diverged, makes the
                          result count as a failure of its design; 1 = every value counts as it
                          is */
} gannet_objective;

/* Largest number of objectives of a problem. */
enum { GANNET_OBJECTIVES_MOST = 5 };

typedef struct {
  int n_variables;
  const gannet_variable *variables;
  int n_constraints;
  const gannet_constraint *constraints;
  gannet_goal goal; /* of a single objective; each of several has its own goal and noise */
  double noise_sd;  /* of the objective, in its units; 0 = exact, NAN = to be inferred */
  int n_objectives; /* 0 = one, which is called "objective"; or 2 .. GANNET_OBJECTIVES_MOST */
  const gannet_objective *objectives; /* [n_objectives]; another order is another problem */
} gannet_problem_spec;

/* A variable constraint as a function of the program.
 *
 * user    in  from gannet_variable_function
 * x_user  in  [n_variables] as ask gives them, with fixed and derived variables
 *
 * Returns the slack of the constraint: at least 0 if it is satisfied, negative if it is violated,
 * preferably without jumps. NaN = violated.
 */
typedef double (*gannet_slack_function)(void *user, const double *x_user);

typedef struct {
  const char *name; /* for messages */
  gannet_slack_function slack;
  void *user; /* passed to slack */
} gannet_variable_function;

typedef struct gannet_problem gannet_problem;

/* Create a problem.
 *
 * Local.
 *
 * spec     in   copied, with all strings
 * problem  out  to be freed with gannet_problem_destroy
 *
 * Errors: GANNET_ERR_INPUT naming the first wrong entries and the number of further ones (empty
 * box, log scale with a bound <= 0 or an upper / lower above the largest double, repeated or
 * malformed name, fewer than two values, constraint without a bound, no free variable, an
 * expression with unknown names, derived or conditional variables that depend on each other, a
 * condition that no point satisfies).
 */
GANNET_API GANNET_CHECKED gannet_err gannet_problem_create(const gannet_problem_spec *spec,
                                                           gannet_problem **problem);

/* Restrict a problem to a list of designs; each is proposed at most once. Call it before an
 * optimiser is created from the problem, or after that is destroyed. A second list replaces the
 * first; if it is refused, the first stays.
 *
 * Collective over comm; n and x_user are significant on rank 0 only. Destroying the problem and
 * replacing the list are then also collective over comm.
 *
 * comm    in  MPI_COMM_SELF is allowed: then every rank gives and keeps its own list, the same for
 *   an optimiser of several ranks
 * n       in  >= 1
 * x_user  in  [n][n_variables]; copied, once per node of the machine; repeated rows count once
 *
 * Errors: GANNET_ERR_INPUT naming the first row that is outside the ranges of the variables;
 * GANNET_ERR_STATE when MPI is not initialised, or while an optimiser works with the problem.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_problem_set_candidates(gannet_problem *problem,
                                                                   MPI_Comm comm, int64_t n,
                                                                   const double *x_user);

/* Say which variables are active at a point: all except conditional ones (when) whose condition is
 * not true there. A comparison with an inactive variable is neither true nor false.
 *
 * Local.
 *
 * x_user  in   [n_variables]; complete, except for inactive, fixed and derived variables
 * active  out  [n_variables] 1 or 0
 */
GANNET_API GANNET_CHECKED gannet_err gannet_problem_get_active(const gannet_problem *problem,
                                                               const double *x_user, int *active);

/* Set variable constraints: relations between variables that no proposal violates. Each text
 * consists of sides joined by <=, <, >=, >, ==, = or !=, as in "chord + span <= 10", "x1 < x2 < x3"
 * (both comparisons must hold), "w1 + w2 + w3 = 1", "solver != 'cg' or cells <= 64". The sides are
 * expressions in the names of the variables.
 *
 * Linear equations hold to the rounding of their sum; other equations, and those with conditional
 * variables, to 1e-9 of the larger side. A relation does not apply where one of its variables is
 * inactive.
 *
 * Call it before an optimiser is created from the problem, or after that is destroyed. It replaces
 * earlier texts; if it is refused, these stay.
 *
 * Local; the same texts on all ranks of an optimiser.
 *
 * n      in  0 = none
 * texts  in  [n] copied
 *
 * Errors: GANNET_ERR_INPUT naming the text and what is wrong with it: an unknown name, no relation,
 * an equation that the steps of its variables cannot satisfy, no point of the box that satisfies
 * all of them, a candidate that violates one. GANNET_ERR_STATE while an optimiser works with the
 * problem.
 */
GANNET_API GANNET_CHECKED gannet_err
gannet_problem_set_variable_constraints(gannet_problem *problem, int n, const char *const *texts);

/* Set variable constraints that cannot be written as texts, because they need a table or a
 * geometry, as functions of the program. They count as inequalities that are not linear. They must
 * be cheap, because they are called some hundred thousand times, by one thread at a time. They must
 * return the same number for the same point on all ranks; gannet_context_agree makes a failure on
 * some ranks known to all. The texts stay. Earlier functions are replaced; if the new ones are
 * refused, they stay.
 *
 * Local; the same functions on all ranks of an optimiser, whose creation compares their names and
 * their values at some points.
 *
 * n          in  0 = none
 * functions  in  [n] copied with their names; the memory that user points to is borrowed until the
 *                problem is destroyed or gets other functions
 *
 * Errors: GANNET_ERR_INPUT if no point of the box was found that satisfies all constraints, or for
 * a candidate that violates one. GANNET_ERR_STATE while an optimiser works with the problem.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_problem_set_variable_functions(
    gannet_problem *problem, int n, const gannet_variable_function *functions);

/* Free a problem and set the pointer to NULL; accepts NULL.
 *
 * Local. Collective after gannet_problem_set_candidates, over its communicator.
 */
GANNET_API void gannet_problem_destroy(gannet_problem **problem);

/* The specification from which the problem was created; borrowed until destroy. NULL for NULL. Of
 * several objectives, those after the first are also at the end of constraints, as quantities
 * without bounds; n_constraints counts them.
 *
 * Local.
 */
GANNET_API const gannet_problem_spec *gannet_problem_get_spec(const gannet_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
