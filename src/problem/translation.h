/* Points and results of one problem in the terms of another, for a campaign whose problem changed.
 *
 * Terms
 *   old, new   the problem before a change, and after it
 *   quantity   a number that a result has by its name (problem/outputs.h): the objective and the
 *              constraints are quantities, too, unless a formula computes them
 *
 * Points are translated variable by variable, by name. Numbers stay numbers and words stay words. A
 * variable that is new gets the value that is said to have been the same for all old points. What
 * was told of a result is sorted anew: the same quantity may be the objective in one problem, a
 * constraint in another, and only recorded in a third. Formulas are computed from the quantities.
 */
#ifndef GANNET_PROBLEM_TRANSLATION_H
#define GANNET_PROBLEM_TRANSLATION_H

#include "problem/problem.h"
#include "problem/result.h"

typedef struct gannet_translation gannet_translation;

/* The name under which an objective that was never given one is kept when another becomes the
 * objective; and a number "objective" that was reported beside several objectives when one with
 * another name becomes the only one. */
#define GANNET_WAS_OBJECTIVE "was_objective"

/* Compare two problems, which are borrowed until destroy.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_translation_create(const gannet_problem *from,
                                                    const gannet_problem *to,
                                                    gannet_translation **translation);
void gannet_translation_destroy(gannet_translation **translation);

/* Look at a result before any is translated: an objective that was "objective" and now has a name,
 * or the other way round, is the same quantity unless a result tells the new one, too.
 *
 * Local.
 */
void gannet_translation_look(gannet_translation *translation, const gannet_result_record *result);

/* Translate the point of an evaluation. Points are to be given in the order of their ids: a
 * variable that is gone must have had the same value in all of them.
 *
 * Local.
 *
 * id  in   of the evaluation, for messages
 * x   in   [n_variables] of the old problem
 * to  out  [n_variables] of the new problem
 *
 * Errors: GANNET_ERR_INPUT naming evaluation, variable and value, and what to do; for a new
 * variable of which nobody says what value it had (gannet_problem_set_was).
 */
GANNET_CHECKED gannet_err gannet_translation_point(gannet_translation *translation, int64_t id,
                                                   const double *x, double *to);

/* Translate a result. Objective and constraints of which it has no number are NAN.
 *
 * Local.
 *
 * from  in     its constraints are those of the old problem
 * to    inout  its constraints point at [n_constraints] of the new problem; what it reports is
 *                replaced
 */
GANNET_CHECKED gannet_err gannet_translation_result(const gannet_translation *translation,
                                                    const gannet_result_record *from,
                                                    gannet_result_record *to);

#endif
