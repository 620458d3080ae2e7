/* Whether an expression took a part of a number only.
 *
 * "drag.*([0-9.]+)" finds the 5 of "drag: 12.5", because .* takes all that it can, and
 * "drag: ([0-9.eE+-]+)" the 1.5 of Fortran's "drag: 1.5D+01": numbers, but not what was printed.
 * Neither is the 1 of "drag: 1,000.5".
 */
#ifndef GANNET_EVALUATE_CONTRACT_NUMBER_PART_H
#define GANNET_EVALUATE_CONTRACT_NUMBER_PART_H

#include <stdbool.h>
#include <stddef.h>

/* True when text[begin, end) begins or ends inside of a number.
 *
 * Local.
 *   short_exponents  in   a point, digits, a sign and three digits are one number, as Fortran's
 *                         0.12-104; not so where the expression takes the sign for itself
 *   whole            out  [size] that number, cut off at size - 1 characters
 */
bool gannet_is_number_part(const char *text, size_t begin, size_t end, bool short_exponents,
                           char *whole, size_t size);

/* True when a comma beside text[begin, end) may belong to its number, as in 1,000.5, 1.000,5 and
 * 3,14. Not so in lists such as 0.5,2 and 1,2,3 that no number can look like.
 *
 * Local.
 *   whole  out  [size] the number with its commas, cut off at size - 1 characters
 */
bool gannet_is_comma_part(const char *text, size_t begin, size_t end, char *whole, size_t size);

#endif
