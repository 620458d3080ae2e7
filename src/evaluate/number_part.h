/* Whether an expression took a part of a number only.
 *
 * "drag.*([0-9.]+)" finds the 5 of "drag: 12.5", because .* takes all that it can, and
 * "drag: ([0-9.eE+-]+)" the 1.5 of Fortran's "drag: 1.5D+01": numbers, but not what was printed.
 */
#ifndef GANNET_EVALUATE_NUMBER_PART_H
#define GANNET_EVALUATE_NUMBER_PART_H

#include <stdbool.h>
#include <stddef.h>

/* True when text[begin, end) begins or ends inside of a number.
 *
 * Local.
 *   whole  out  [size] that number, cut off at size - 1 characters
 */
bool gannet_is_number_part(const char *text, size_t begin, size_t end, char *whole, size_t size);

#endif
