/* Finding points that are equal, value by value, among many: a hash table of their numbers. */
#ifndef GANNET_PROBLEM_POINT_INDEX_H
#define GANNET_PROBLEM_POINT_INDEX_H

#include <stdint.h>

#include "base/error.h"

typedef struct gannet_point_index gannet_point_index;

/* Gives the point of a number, [n_variables]; borrowed for the call. */
typedef const double *(*gannet_point_of)(const void *user, int64_t id);

/* An empty index. Values are equal as numbers are, and NAN is equal to NAN.
 *
 * Local.
 *
 * user  in  for point_of; borrowed until destroy
 */
GANNET_CHECKED gannet_err gannet_point_index_create(int n_variables, const void *user,
                                                    gannet_point_of point_of,
                                                    gannet_point_index **index);
void gannet_point_index_destroy(gannet_point_index **index);

/* Enter a point by its number.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_point_index_add(gannet_point_index *index, int64_t id);

/* Forget all points.
 *
 * Local.
 */
void gannet_point_index_clear(gannet_point_index *index);

/* The lowest number above `after` whose point is equal to x; -1 = there is none.
 *
 * Local.
 *
 * x  in  [n_variables]
 */
int64_t gannet_point_index_find(const gannet_point_index *index, const double *x, int64_t after);

#endif
