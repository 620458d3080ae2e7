/* Arithmetic expressions in the names of variables: the only file that knows muParser. */
#ifndef GANNET_PROBLEM_EXPRESSION_H
#define GANNET_PROBLEM_EXPRESSION_H

#include <stdbool.h>

#include "base/error.h"

typedef struct gannet_expression gannet_expression;

/* Compile an expression in n names, and pi and e where these are not among them.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT telling where the text is wrong, also for a comma outside of the
 * arguments of a function and for an assignment, and the known names when one is unknown.
 */
GANNET_CHECKED gannet_err gannet_expression_create(const char *text, int n,
                                                   const char *const *names,
                                                   gannet_expression **expression);
void gannet_expression_destroy(gannet_expression **expression);

/* List the names in an expression, each once: all words but functions, numbers, pi and e.
 *
 * Local.
 *
 * names  out  [n] owned, each to be freed with gannet_free, also after an error
 */
GANNET_CHECKED gannet_err gannet_expression_list_names(const char *text, int *n, char ***names);

/* Most bytes of an expression without its blanks; of longer ones all bytes count. */
enum { GANNET_EXPRESSION_TOKENS = 4096 };

/* Write an expression without the blanks that mean nothing: one stays between two words, and all
 * within quotes.
 *
 * Local.
 *
 * tokens  out  [GANNET_EXPRESSION_TOKENS]
 *
 * Returns tokens, or text when that is longer.
 */
const char *gannet_expression_squeeze(const char *text, char *tokens);

/* Whether two expressions differ in blanks at most.
 *
 * Local.
 */
bool gannet_expression_is_same(const char *a, const char *b);

/* Value at x [n]; NAN or infinite where it has none.
 *
 * Local.
 */
double gannet_expression_value(gannet_expression *expression, const double *x);

#endif
