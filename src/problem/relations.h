/* The text of a variable constraint, taken apart into relations between two expressions.
 *
 * A text is sides joined by <=, <, >=, >, ==, = (the same as ==) or !=. A chain means what it says:
 * "x1 < x2 < x3" is two relations. "and" (&&) joins texts that hold together. A text with "or" (||)
 * or with a choice (a ? b : c), and one that compares booleans or categories, is a condition, which
 * is true or false and has no sides.
 */
#ifndef GANNET_PROBLEM_RELATIONS_H
#define GANNET_PROBLEM_RELATIONS_H

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

#endif
