/* The text of a variable constraint, taken apart into relations between two expressions.
 *
 * A text is sides joined by <=, <, >=, >, ==, = (the same as ==) or !=. A chain means what it says:
 * "x1 < x2 < x3" is two relations. "and" (&&) joins texts that hold together. A text with "or" (||)
 * or with a choice (a ? b : c), and one that compares booleans or categories, is a condition, which
 * is true or false and has no sides.
 */
#ifndef GANNET_PROBLEM_RELATIONS_H
#define GANNET_PROBLEM_RELATIONS_H

#include <stdbool.h>

#include "problem/variable_expression.h"

typedef enum {
  GANNET_RELATION_AT_MOST,  /* left <= right */
  GANNET_RELATION_BELOW,    /* left < right */
  GANNET_RELATION_EQUAL,    /* left == right */
  GANNET_RELATION_CONDITION /* left is not 0 */
} gannet_relation_type;

typedef struct {
  gannet_relation_type type;
  gannet_variable_expression *left, *right; /* right of a condition: NULL; both of a function */
  const gannet_variable_function *function; /* gives right - left instead; NULL = none */
} gannet_relation;

/* A text that is true or false at a point: comparisons and names of boolean variables, joined by
 * "and" and "or", with "not" before them. A comparison that names a variable which is inactive, or
 * has no value, is neither: "a or b" is true where one of the two is, and "not a" is not true where
 * a is neither (the three-valued logic of Kleene 1952). */
typedef struct gannet_condition gannet_condition;

/* In ascending order: "and" is the least of its parts, "or" the largest. OPEN: a value that is not
 * given decides. */
typedef enum {
  GANNET_TRUTH_NO,
  GANNET_TRUTH_NEITHER,
  GANNET_TRUTH_OPEN,
  GANNET_TRUTH_YES
} gannet_truth;

/* Compile a condition.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT with what is wrong, and what was expected.
 */
GANNET_CHECKED gannet_err gannet_condition_create(const char *text, int n,
                                                  const gannet_variable *variables,
                                                  gannet_condition **condition);
void gannet_condition_destroy(gannet_condition **condition);

/* Whether a condition is true at a point, and whether it names a variable.
 *
 * Local.
 *
 * x_user  in  [n]
 * active  in  [n] which variables are active
 * open    in  [n] of which that is not known; then NAN in x_user is open, too. NULL = all is known
 */
gannet_truth gannet_condition_find_truth(const gannet_condition *condition, const double *x_user,
                                         const bool *active, const bool *open);
bool gannet_condition_uses(const gannet_condition *condition, int v);

/* Take a text apart and compile its sides.
 *
 * Local.
 *
 * n          inout  how many relations there are
 * relations  inout  [n] grows by those of the text; to be freed with gannet_relations_free
 *
 * Errors: GANNET_ERR_INPUT naming the text, what is wrong, and what was expected.
 */
GANNET_CHECKED gannet_err gannet_relations_add(const gannet_problem_spec *spec, const char *text,
                                               int *n, gannet_relation **relations);
void gannet_relations_free(int *n, gannet_relation **relations);

/* Compute right - left of a relation that is no condition; NAN where a side has no value.
 *
 * Local.
 *
 * size  out  magnitude of the larger side; of a function: of what it gives
 */
double gannet_relation_slack(const gannet_relation *relation, const double *x_user, double *size);

#endif
