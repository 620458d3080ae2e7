/* One variable of a problem: its values, and its coordinates in the unit cube.
 *
 * A real, integer or ordinal variable is one coordinate, linear or logarithmic. Ordinal numbers lie
 * at their places in the range, ordinal words at equal distances. A boolean is 0 or 1; a
 * categorical variable is one coordinate per value, of which the largest decides.
 */
#ifndef GANNET_PROBLEM_VARIABLE_H
#define GANNET_PROBLEM_VARIABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gannet/problem.h"

/* Encoded coordinates that a variable occupies: none when it is fixed or derived, n_values when it
 * is categorical, else 1.
 *
 * Local.
 */
int gannet_variable_width(const gannet_variable *variable);

/* "real", "integer", "boolean", "categorical", "ordinal".
 *
 * Local.
 */
const char *gannet_variable_type_name(gannet_variable_type type);

/* Number of values that a variable can have, 1 when it is fixed or derived, INFINITY = a real
 * variable with more than 1e9 of them. Between bounds that are close to each other, as 1 and 1 +
 * 1e-15, lie few floating-point numbers: where they are at most 1e9, the resolution of
 * search/distinct.h, they are treated as integers are.
 *
 * Local.
 */
double gannet_variable_count(const gannet_variable *variable);

/* Whether the coordinate is logarithmic. A real variable of few values is always linear: the scale
 * makes no difference there, and the linear one finds each value again.
 *
 * Local.
 */
bool gannet_variable_is_log(const gannet_variable *variable);

/* Whether a variable has steps: integers, ordinal ones, and real ones with a step or few values.
 *
 * Local.
 */
bool gannet_variable_has_steps(const gannet_variable *variable);

/* Whether a variable's values have no order: booleans and categories.
 *
 * Local.
 */
bool gannet_variable_switches(const gannet_variable *variable);

/* The next larger or smaller number of a variable with steps, within its bounds.
 *
 * Local.
 */
double gannet_variable_next(const gannet_variable *variable, double value, bool larger);

/* Whether the variable has a condition, so that it is inactive at some points; and the value that
 * it has there: that of a fixed one, false, the first category, else the middle of the unit
 * interval.
 *
 * Local.
 */
bool gannet_variable_is_conditional(const gannet_variable *variable);
double gannet_variable_resting(const gannet_variable *variable);

/* Whether the values are a set of numbers, or words.
 *
 * Local.
 */
bool gannet_variable_has_numbers(const gannet_variable *variable);
bool gannet_variable_has_words(const gannet_variable *variable);

/* Whether the values are numbers: neither words nor booleans.
 *
 * Local.
 */
bool gannet_variable_is_number(const gannet_variable *variable);

/* A number as short as it reads back, whole ones without an exponent.
 *
 * Local.
 */
void gannet_variable_write_number(double value, char *buffer, size_t size);

/* The last value at or below upper of a variable with a step; without one, upper.
 *
 * Local.
 */
double gannet_variable_last(const gannet_variable *variable);

/* The value of a variable with a step or a set of numbers that is nearest to a number; without
 * these, the number. The second says whether they differ by no more than rounding.
 *
 * Local.
 */
double gannet_variable_nearest(const gannet_variable *variable, double value);
bool gannet_variable_is_near(const gannet_variable *variable, double value, double *nearest);

/* Value number t of a variable whose count is finite, 0 <= t < count.
 *
 * Local.
 */
double gannet_variable_value(const gannet_variable *variable, int64_t t);

/* The coordinates of a value, and the admissible value nearest to some coordinates.
 *
 * Local.
 *
 * x_unit  out, in  [gannet_variable_width]
 */
void gannet_variable_encode(const gannet_variable *variable, double value, double *x_unit);
double gannet_variable_decode(const gannet_variable *variable, const double *x_unit);

/* Move coordinates to the nearest admissible value, or clip a continuous one to [0, 1].
 *
 * Local.
 */
void gannet_variable_snap(const gannet_variable *variable, bool continuous, double *x_unit);

/* gannet_problem_widen for one variable.
 *
 * Local.
 */
void gannet_variable_widen(const gannet_variable *variable, double *origin, double *width);

#endif
