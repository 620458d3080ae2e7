/* A problem and its encoding.
 *
 * Users see x_user[n_variables] (gannet/problem.h). Everything behind the problem room sees
 * x_unit[d] in the unit cube: real and integer variables scaled linearly or by their logarithm,
 * booleans as 0 or 1, categorical variables one-hot. Variables that are fixed or derived have no
 * coordinates. Objectives are minimised and constraints are feasible when <= 0 behind this room.
 */
#ifndef GANNET_PROBLEM_PROBLEM_H
#define GANNET_PROBLEM_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "gannet/problem.h"
#include "problem/variable.h"

struct gannet_derived;
struct gannet_outputs;
struct gannet_pool;
struct gannet_variable_constraints;

struct gannet_problem {
  gannet_problem_spec spec; /* deep copy */
  int d;                    /* encoded dimension */
  int *first;               /* [n_variables] first encoded coordinate of a variable that is free */
  int n_free;               /* how many variables are free: neither fixed nor derived */
  int *free_variable;       /* [n_free] which these are, in their order */
  struct gannet_derived *derived; /* how derived variables are computed (problem/derived.h) */
  bool *continuous;         /* [d] true for coordinates of real variables with enough values */
  int n_continuous;         /* how many coordinates are continuous */
  int n_bounds;             /* one-sided constraints: a two-sided constraint counts twice */
  struct gannet_pool *pool; /* candidates, the only admissible points; NULL = all of the box */
  struct gannet_physics *physics; /* equations of the objective (problem/physics.h); NULL = none */
  struct gannet_outputs *outputs; /* what reported numbers mean (problem/outputs.h); NULL = nothing
                                     was stated */
  /* Relations between variables (problem/variable_constraints.h); NULL = none. */
  struct gannet_variable_constraints *variable_constraints;
  int n_functions;                    /* of the program, which are variable constraints, too */
  gannet_variable_function *function; /* [n_functions] owned, with their names */
  double *was;            /* [n_variables] see gannet_problem_set_was; NULL = nothing was said */
  double *pin;            /* [n_variables] see gannet_problem_pin; NULL = no variable is pinned */
  bool **retired;         /* [n_variables][n_values] see gannet_problem_retire; NULL = no word is */
  char **renamed_from;    /* [n_variables] names that variables had before, or NULL */
  char **variable_unit;   /* [n_variables] to be shown, or NULL */
  char **constraint_unit; /* [n_constraints] likewise */
  int *holders; /* count of the problem itself and its optimisers. The last of them frees the count,
                   so that they may be destroyed in any order */
};

/* State the unit of a variable or a constraint: text that is shown, and never computed with.
 *
 * Local.
 *
 * unit  in  copied; NULL or "" = none
 */
GANNET_CHECKED gannet_err gannet_problem_set_variable_unit(gannet_problem *problem, int v,
                                                           const char *unit);
GANNET_CHECKED gannet_err gannet_problem_set_constraint_unit(gannet_problem *problem, int k,
                                                             const char *unit);

/* State the value that a variable had before the problem had it: in all points of a campaign whose
 * problem got it by a change (problem/translation.h).
 *
 * Local.
 *
 * value  in  as in x_user; it may be outside the bounds
 *
 * Returns NAN where nothing was said.
 */
GANNET_CHECKED gannet_err gannet_problem_set_was(gannet_problem *problem, int v, double value);
double gannet_problem_was(const gannet_problem *problem, int v);

/* State the name that a variable had in the problem before a change, and find the variable there:
 * by its name, else by the one that it had. -1 = there is none.
 *
 * Local.
 *
 * name  in  copied; NULL or "" = the same
 */
GANNET_CHECKED gannet_err gannet_problem_set_renamed_from(gannet_problem *problem, int v,
                                                          const char *name);
int gannet_problem_find_before(const gannet_problem *before, const gannet_problem *problem, int v);

/* Pin a free variable: it remains a dimension of the models, as evaluations have other values of
 * it, and all proposals have this one. And retire a word of a variable: evaluations may have it,
 * and no proposal does. Both are kept to like variable constraints: to be followed by
 * gannet_variable_constraints_set.
 *
 * Local.
 *
 * value  in  as in x_user, within the bounds
 * word   in  its position; one word of a variable must not be retired
 */
GANNET_CHECKED gannet_err gannet_problem_pin(gannet_problem *problem, int v, double value);
GANNET_CHECKED gannet_err gannet_problem_retire(gannet_problem *problem, int v, int word);

/* The value at which a variable is pinned, NAN = it is not; and whether a word is retired.
 *
 * Local.
 */
double gannet_problem_pinned(const gannet_problem *problem, int v);
bool gannet_problem_is_retired(const gannet_problem *problem, int v, int word);

/* Whether a variable has one value in all proposals, as it is fixed or pinned.
 *
 * Local.
 *
 * value  out  this value; untouched otherwise
 */
bool gannet_problem_is_fixed(const gannet_problem *problem, int v, double *value);

/* The unit at a place of one of these lists, "" where none was stated.
 *
 * Local.
 *
 * units  in  variable_unit or constraint_unit of a problem
 */
const char *gannet_problem_unit(char *const *units, int i);

/* Count an optimiser that begins to work with a problem, and one that ends. While there is one,
 * candidates and equations stay as they are.
 *
 * Local.
 *
 * holders  out    of the problem, to be let go of
 * holders  inout  NULL afterwards; accepts a pointer to NULL
 */
void gannet_problem_hold(const gannet_problem *problem, int **holders);
void gannet_problem_let_go(int **holders);

/* Check that no optimiser works with the problem, so that what optimisers read may change.
 *
 * Local.
 *
 * what  in  what is to be set, for the message
 *
 * Errors: GANNET_ERR_STATE.
 */
GANNET_CHECKED gannet_err gannet_problem_check_free(const gannet_problem *problem,
                                                    const char *what);

/* x_user -> x_unit. Integers, booleans and categories land exactly on the grid that
 * gannet_problem_snap produces.
 *
 * Local.
 *
 * x_user  in   [n_variables]
 * x_unit  out  [d]
 */
void gannet_problem_encode(const gannet_problem *problem, const double *x_user, double *x_unit);

/* The same for a design that was tried elsewhere: values outside the bounds get coordinates outside
 * [0, 1], those between steps keep their place between them.
 *
 * Local.
 *
 * x_user  in   [n_variables] each passes gannet_problem_check_tried
 * x_unit  out  [d]
 */
void gannet_problem_encode_anywhere(const gannet_problem *problem, const double *x_user,
                                    double *x_unit);

/* The distance of two points of the unit cube. A categorical variable adds 1 to its square where
 * the two have different values, as a real one does from end to end.
 *
 * Local.
 *
 * a, b  in  [d] admissible
 */
double gannet_problem_distance(const gannet_problem *problem, const double *a, const double *b);

/* x_unit -> x_user: the nearest admissible point (integers rounded, categories by the largest
 * coordinate, lowest index first on a tie). Real values are clipped into the box.
 *
 * Local.
 *
 * x_unit  in   [d]
 * x_user  out  [n_variables]
 */
void gannet_problem_decode(const gannet_problem *problem, const double *x_unit, double *x_user);

/* Move n points of the unit cube to the nearest admissible ones, in place; continuous coordinates
 * are clipped to [0, 1]. encode(decode(x)) equals snap(x) to rounding.
 *
 * Local.
 *
 * x_unit  inout  [n][d]
 */
void gannet_problem_snap(const gannet_problem *problem, int n, double *x_unit);

/* Make a box wider by half a step of each integer at both ends. Rounding gives the outermost values
 * of an integer half the share of the others; uniform points of the wider box are rounded to every
 * value equally often (with a logarithmic scale: as often as its part of the scale says).
 *
 * Local.
 *
 * origin, width  inout  [d] of the box
 */
void gannet_problem_widen(const gannet_problem *problem, double *origin, double *width);

/* Move n uniform points of the unit cube into that wider box, in place: to be snapped or decoded.
 * With a list of candidates they stay where they are.
 *
 * Local.
 *
 * x_unit  inout  [n][d]
 */
void gannet_problem_spread(const gannet_problem *problem, int n, double *x_unit);

/* Squared Euclidean distance between a point and the encoding of another.
 *
 * Local.
 *
 * x_user  in  [n_variables]
 * x_unit  in  [d]
 */
double gannet_problem_gap(const gannet_problem *problem, const double *x_user,
                          const double *x_unit);

/* Number of booleans and categories.
 *
 * Local.
 */
int gannet_problem_count_switches(const gannet_problem *problem);

/* Number of admissible points: those of the list of candidates, else INFINITY with a continuous
 * coordinate.
 *
 * Local.
 */
double gannet_problem_count_points(const gannet_problem *problem);

/* Point number t of a discrete problem: in the order of the list of candidates, else the first
 * variable counting fastest.
 *
 * Local.
 *
 * t       in   0 <= t < gannet_problem_count_points
 * x_unit  out  [d] admissible
 */
void gannet_problem_get_point(const gannet_problem *problem, int64_t t, double *x_unit);

/* Set the fixed variables of a point, and compute the derived ones from the others. A value that is
 * not finite becomes NAN.
 *
 * Local.
 *
 * x_user  inout  [n_variables]
 */
void gannet_problem_derive(const gannet_problem *problem, double *x_user);

/* The same for a point from outside, in which fixed and derived variables may be NAN. Values of
 * variables with steps that differ from one by rounding become that one.
 *
 * Local.
 *
 * x_user  inout  [n_variables]
 *
 * Errors: GANNET_ERR_INPUT when a fixed or derived variable has another value.
 */
GANNET_CHECKED gannet_err gannet_problem_complete(const gannet_problem *problem, double *x_user);

/* Check a point of the user's, or one value of it: right range, whole integers, known categories.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT naming the variable, its value and what was expected.
 */
GANNET_CHECKED gannet_err gannet_problem_check_value(const gannet_problem *problem, int variable,
                                                     double value);
GANNET_CHECKED gannet_err gannet_problem_check_point(const gannet_problem *problem,
                                                     const double *x_user);

/* Check one value of a design that was tried elsewhere, as before the bounds were narrowed: numbers
 * may be outside the bounds, between steps, or not in the list of values.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT when it is not finite, no whole number of an integer, not positive with
 * a logarithmic scale, or further than a million ranges away; for words, booleans and fixed
 * variables as gannet_problem_check_value.
 */
GANNET_CHECKED gannet_err gannet_problem_check_tried(const gannet_problem *problem, int variable,
                                                     double value);

/* Objective in the internal sense (minimised) from the user's and back: the sign flips for
 * maximize.
 *
 * Local.
 */
double gannet_problem_flip(const gannet_problem *problem, double objective);

/* high - low, cut at +-1e300: finite whatever the two are, unless one is NAN.
 *
 * Local.
 */
double gannet_problem_excess(double high, double low);

/* One-sided internal constraints from the user's values: c[j] <= 0 is feasible.
 *
 * Local.
 *
 * values  in   [n_constraints] in the user's units
 * c       out  [n_bounds]      value - upper, lower - value, cut at +-1e300, in the order of the
 *   constraints
 */
void gannet_problem_bounds(const gannet_problem *problem, const double *values, double *c);

/* The constraint that a one-sided one is of, by their positions, 0 <= j < n_bounds.
 *
 * Local.
 *
 * Returns whether it is the upper bound.
 */
bool gannet_problem_find_bound(const gannet_problem *problem, int j, int *constraint);

/* Whether the values satisfy every constraint; a value that is NAN satisfies none.
 *
 * Local.
 */
bool gannet_problem_is_feasible(const gannet_problem *problem, const double *values);

/* The feasibility of a result, of which numbers may be missing: 1 = it is complete and keeps every
 * constraint, 0 = a constraint that is known is violated, -1 = neither, so that nobody can tell.
 *
 * Local.
 *
 * objective    in  NAN = missing
 * constraints  in  [n_constraints] NAN = missing; NULL without constraints
 */
int gannet_problem_feasibility(const gannet_problem *problem, double objective,
                               const double *constraints);

/* The quantity that a result lacks first: 0 = the objective, k + 1 = constraint k, -1 = none.
 *
 * Local.
 *
 * from         in  the first quantity that is looked at
 * objective    in  NAN = missing
 * constraints  in  [n_constraints] NAN = missing; NULL without constraints
 */
int gannet_problem_find_missing(const gannet_problem *problem, int from, double objective,
                                const double *constraints);

/* The text of a variable's value: category names, true/false, whole numbers, %.17g.
 *
 * Local.
 */
void gannet_problem_format(const gannet_problem *problem, int variable, double value, char *buffer,
                           size_t size);

/* The value of a variable from its text; the inverse of gannet_problem_format.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT with what was expected.
 */
GANNET_CHECKED gannet_err gannet_problem_parse(const gannet_problem *problem, int variable,
                                               const char *text, double *value);

/* Position of a variable or a constraint by name, or -1.
 *
 * Local.
 */
int gannet_problem_find_variable(const gannet_problem *problem, const char *name);
int gannet_problem_find_constraint(const gannet_problem *problem, const char *name);

#endif
