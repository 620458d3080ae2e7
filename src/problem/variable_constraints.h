/* Variable constraints: relations between variables that are known before any run, as in
 * "chord + span <= 10". No proposal violates one.
 *
 * Terms
 *   allowed part   the points of the box that satisfy all relations, as the simulation reads them:
 *                  after rounding
 *   dependent      a free variable that a linear equation gives from the others; it is no dimension
 *                  of the search
 *   row            an inequality g(x_unit) <= 0 of the allowed part, for searches along gradients
 *   violation      how far a point is from the allowed part: the sum over the relations of what
 *                  they miss, in units of their usual size in the box; 0 = allowed
 *   members        points of the allowed part, nearly uniform, from which others are drawn
 *
 * Pinned variables are dependent ones, too, of nothing; a design that has another value of one, or
 * a retired word, is not allowed (problem/problem.h).
 *
 * Linear equations are kept exactly, to the rounding of a sum. Others are kept by projection, to
 * GANNET_EQUATION_TOLERANCE of the larger side. A relation that names a conditional variable is not
 * judged where that is inactive; it counts as not linear. A problem with a list of candidates has
 * no allowed part beside the list, all of whose rows satisfy the constraints.
 *
 * Every function is a pure function of its arguments, so all ranks compute the same.
 */
#ifndef GANNET_PROBLEM_VARIABLE_CONSTRAINTS_H
#define GANNET_PROBLEM_VARIABLE_CONSTRAINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "problem/problem.h"
#include "problem/relations.h"

#define GANNET_EQUATION_TOLERANCE 1e-9

/* What a relation is to the search. */
typedef struct {
  int text;            /* that it is from */
  double scale;        /* usual size of right - left in the box */
  bool is_linear;      /* right - left = offset + sum_v slope[v] x[v], over the free variables */
  bool is_dependent;   /* an equation that a dependent variable or a combination satisfies */
  bool is_conditional; /* it names a conditional variable */
  double offset;
  double *slope; /* [n_variables] */
  /* The same when dependent variables are replaced by what gives them; 0 for them. */
  double *reduced; /* [n_variables] */
} gannet_relation_use;

/* A dependent variable: x[variable] = constant + sum_v share[v] x[v]. */
typedef struct {
  int variable;
  double constant;
  double *share; /* [n_variables] 0 for dependent variables */
} gannet_dependent;

/* An equation of variables with listed values or steps: the combinations of values that meet it. */
typedef struct {
  int n;
  int *variable; /* [n] owned */
  int n_rows;
  double *row; /* [n_rows][n] coordinates of these variables; owned */
} gannet_combinations;

struct gannet_variable_constraints {
  int n_texts, n_functions;
  char **text; /* [n_texts + n_functions] as stated; then the names of functions */
  int n;
  gannet_relation *relation; /* [n] */
  gannet_relation_use *use;  /* [n] */
  int n_dependent, n_pinned;
  gannet_dependent *dependent; /* [n_dependent] pinned variables first */
  int n_listed;
  gannet_combinations *listed; /* [n_listed] */
  bool *is_searched;           /* [n_variables] free, and not dependent */
  int n_rows;                  /* of gannet_allowed_rows */
  bool has_curved_equation;
  double *x_user;                  /* [n_variables] scratch */
  double *scratch;                 /* [3][d] */
  double *row_values, *row_slopes; /* [n_rows], [n_rows][d] scratch */
  double *box; /* [7][d] origin and width of the box with half a step more; then scratch */
  int n_members;
  double *member; /* [n_members][d] */
  double share;   /* estimated part of the box, of the dimensions that are left, that is allowed */
  int64_t n_allowed; /* of a discrete problem of few points: how many are allowed; -1 = not known */
  int32_t *allowed;  /* [n_allowed] their numbers */
};

typedef struct gannet_variable_constraints gannet_variable_constraints;

/* State the variable constraints of a problem, instead of those that it had, and find the members.
 * The functions of the program that the problem has belong to them.
 *
 * Local.
 *
 * Members are found by subset simulation (Au and Beck 2001): uniform points of the box; then the
 * fifth of least violation, multiplied by random walks that do not exceed theirs; and so on until
 * it is 0. The walks are slice sampling along lines (hit and run: Smith 1984; Neal 2003), which
 * leaves the uniform distribution as it is.
 *
 * wrong  out  which text is wrong, -1 = all of them together; may be NULL
 *
 * Errors: GANNET_ERR_INPUT with what is wrong and what was expected: a text that is no relation,
 * an unknown name, an equation that values with steps do not meet, constraints that no point
 * satisfies, a row of the list of candidates that violates one.
 */
GANNET_CHECKED gannet_err gannet_variable_constraints_set(gannet_problem *problem, int n,
                                                          const char *const *texts, int *wrong);

/* Read the texts into a problem without constraints; a part of gannet_variable_constraints_set.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_variable_constraints_read(gannet_problem *problem, int n,
                                                           const char *const *texts, int *wrong);

/* Check the rows of a list of candidates.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT naming the first row that violates a constraint, counted from 1.
 */
GANNET_CHECKED gannet_err gannet_variable_constraints_check_pool(const gannet_problem *problem,
                                                                 const struct gannet_pool *pool);

/* Copy functions of the program, with their names; and free such a copy.
 *
 * Local.
 *
 * copy  out  [n] to be freed also after an error
 */
GANNET_CHECKED gannet_err gannet_variable_functions_copy(int n,
                                                         const gannet_variable_function *from,
                                                         gannet_variable_function **copy);
void gannet_variable_functions_free(int n, gannet_variable_function **functions);

/* Accepts a pointer to NULL.
 *
 * Local.
 */
void gannet_variable_constraints_destroy(gannet_variable_constraints **constraints);

/* Whether a constraint that is stated is true everywhere in the box; only linear ones are found.
 *
 * Local.
 */
bool gannet_variable_constraint_is_idle(const gannet_problem *problem, int text);

/* Check a point of the user's.
 *
 * Local.
 *
 * x_user  in  [n_variables] inside of the box, with derived variables
 *
 * Errors: GANNET_ERR_INPUT naming the constraint that it violates, and by how much.
 */
GANNET_CHECKED gannet_err gannet_problem_check_allowed(const gannet_problem *problem,
                                                       const double *x_user);

/* Whether a point is allowed; true without variable constraints.
 *
 * Local.
 *
 * x_user  in  [n_variables] inside of the box, with derived variables
 * x_unit  in  [d] admissible
 */
bool gannet_problem_allows_values(const gannet_problem *problem, const double *x_user);
bool gannet_problem_allows(const gannet_problem *problem, const double *x_unit);

/* Make a point admissible, give dependent variables their values, and project onto the other
 * equations; returns the violation that is left.
 *
 * Local.
 *
 * x_unit  inout  [d]
 */
double gannet_allowed_complete(const gannet_problem *problem, double *x_unit);

/* The same, for callers to whom the violation does not matter where it exceeds most: it then
 * returns any number above that.
 *
 * Local.
 */
double gannet_allowed_complete_within(const gannet_problem *problem, double most, double *x_unit);

/* Give dependent and inactive variables alone their values; returns by how much the former leave
 * their ranges, in which they are kept. Does nothing without variable constraints and conditions.
 *
 * Local.
 *
 * x_unit  inout  [d]
 */
double gannet_allowed_follow(const gannet_problem *problem, double *x_unit);

/* Whether a coordinate belongs to a dependent variable.
 *
 * Local.
 */
bool gannet_allowed_depends(const gannet_problem *problem, int coordinate);

/* Rows and their gradients, in continuous coordinates that do not depend on others.
 *
 * Local.
 *
 * x_unit  in   [d] completed
 * values  out  [n] for the n that gannet_allowed_count_rows returns; 0 without constraints
 * slopes  out  [n][d]
 */
int gannet_allowed_count_rows(const gannet_problem *problem);
void gannet_allowed_rows(const gannet_problem *problem, const double *x_unit, double *values,
                         double *slopes);

/* Turn the gradient of a function in all coordinates into that in those which do not depend on
 * others, by the chain rule. Coordinates of inactive variables move nothing.
 *
 * Local.
 *
 * x_unit    in     [d] completed
 * gradient  inout  [d]; 0 for dependent and inactive coordinates afterwards
 */
void gannet_allowed_pull_back(const gannet_problem *problem, const double *x_unit,
                              double *gradient);

/* Move a point into the allowed part: by Newton steps along the gradients of the rows that it
 * violates, else back along the way from a base to the last allowed point.
 *
 * Local.
 *
 * base          in     [d] an allowed point; one that is not is replaced by the nearest member
 * lower, upper  in     [d] box that the steps stay in; NULL = the unit cube
 * x_unit        inout  [d] allowed afterwards
 */
void gannet_allowed_repair(const gannet_problem *problem, const double *base, const double *lower,
                           const double *upper, double *x_unit);

/* A point of the allowed part, nearly uniform: a few steps from a member.
 *
 * Local.
 *
 * stream  in   of this point
 * x_unit  out  [d]
 */
void gannet_allowed_draw(const gannet_problem *problem, gannet_stream stream, double *x_unit);

/* Choose the free variables of a design that are not given so that it satisfies the variable
 * constraints: a point of the allowed part of a problem in which equations state what is given.
 * Does nothing without variable constraints.
 *
 * Local.
 *
 * stream  in     of this design
 * x_user  inout  [n_variables]; NAN = not given; complete afterwards, with derived variables
 *
 * Errors: GANNET_ERR_INPUT when no such design was found, naming the violated constraint.
 */
GANNET_CHECKED gannet_err gannet_allowed_fill(const gannet_problem *problem, gannet_stream stream,
                                              double *x_user);

#endif
