/* Expressions in the variables of a problem, as in "chord*span" or "solver == 'gmres' ? 2 : 1".
 *
 * Terms
 *   label  a value that is a word: of a categorical variable, of an ordinal one with words, and
 *          true or false
 *
 * A variable counts with the number that the simulation reads; a boolean one is 0 or 1. A label has
 * no number: it can be compared with its variable only, by == and !=, that of an ordinal variable
 * also by <, <=, > and >=. Two variables of words are equal where their words are. Quotes around a
 * label that is a name may be left out.
 */
#ifndef GANNET_PROBLEM_VARIABLE_EXPRESSION_H
#define GANNET_PROBLEM_VARIABLE_EXPRESSION_H

#include <stdbool.h>

#include "base/error.h"
#include "gannet/problem.h"

typedef struct gannet_variable_expression gannet_variable_expression;

/* Compile an expression in n variables.
 *
 * Local.
 *
 * variables  in  [n] read now only
 *
 * Errors: GANNET_ERR_INPUT where gannet_expression_create gives it, for a label that the compared
 * variable does not have (with the nearest one), for labels in other places than comparisons, and
 * for chained comparisons, of which muParser would compare the truth of the first with the rest.
 */
GANNET_CHECKED gannet_err
gannet_variable_expression_create(const char *text, int n, const gannet_variable *variables,
                                  gannet_variable_expression **expression);
void gannet_variable_expression_destroy(gannet_variable_expression **expression);

/* Value at a point; NAN or infinite where it has none.
 *
 * Local.
 *
 * x_user  in  [n]
 */
double gannet_variable_expression_value(gannet_variable_expression *expression,
                                        const double *x_user);

/* Whether variable v occurs in it.
 *
 * Local.
 */
bool gannet_variable_expression_uses(const gannet_variable_expression *expression, int v);

#endif
