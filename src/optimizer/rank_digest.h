/* Digests of the arguments that must be the same on all ranks.
 *
 * Ranks with different arguments would go different ways, and some would wait in a collective call
 * that the others never make. Comparing digests first turns that into an error.
 */
#ifndef GANNET_OPTIMIZER_RANK_DIGEST_H
#define GANNET_OPTIMIZER_RANK_DIGEST_H

#include <stdint.h>

#include "gannet/optimizer.h"
#include "problem/history.h"
#include "problem/problem.h"

/* Of variables, constraints, goal and noise of a problem.
 *
 * Local.
 */
uint64_t gannet_rank_digest_problem(const gannet_problem_spec *spec);

/* Of the equations of a problem, 0 without any. What is for the functions of plugins does not
 * count: a program may give each rank its own.
 *
 * Local.
 */
uint64_t gannet_rank_digest_equations(const gannet_problem *problem);

/* Of the list of candidates of a problem, 0 without one.
 *
 * Local.
 */
uint64_t gannet_rank_digest_candidates(const gannet_problem *problem);

/* Of the variable constraints of a problem, 0 without any.
 *
 * Local.
 */
uint64_t gannet_rank_digest_variable_constraints(const gannet_problem *problem);

/* Of the functions of the program among the variable constraints of a problem: their names, their
 * usual size in the box, and the allowed points that were found with them. 0 without any.
 *
 * Local.
 */
uint64_t gannet_rank_digest_variable_functions(const gannet_problem *problem);

/* Of names, goals and noise of several objectives, 0 with one. Thresholds do not count: results
 * mean the same with others.
 *
 * Local.
 */
uint64_t gannet_rank_digest_objectives(const gannet_problem *problem);

/* Of the settings of a method: keys and texts.
 *
 * Local.
 */
uint64_t gannet_rank_digest_settings(int n, const gannet_method_setting *settings);

/* Of a result after others, as the history takes it: the numbers of one that is not done do not
 * matter, nor does the sign of a zero.
 *
 * Local.
 *
 * digest  in  of those before; 0 = none
 */
uint64_t gannet_rank_digest_result(uint64_t digest, const gannet_problem *problem,
                                   const gannet_result_record *result);

/* Of numbers after others, apart from the signs of zeros.
 *
 * Local.
 *
 * numbers  in  [n]
 */
uint64_t gannet_rank_digest_numbers(uint64_t digest, int n, const double *numbers);

#endif
