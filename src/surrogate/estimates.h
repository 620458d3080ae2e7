/* Workspace of estimates by strips of points (network/strips.h): some points at a time, and what is
 * computed of them. For models that have their draws or moments estimated (surrogate/surrogate.h).
 */
#ifndef GANNET_SURROGATE_ESTIMATES_H
#define GANNET_SURROGATE_ESTIMATES_H

#include "base/error.h"
#include "network/strips.h"

/* Points that are worked at once; a multiple of all lanes, of which there are at least eight. */
enum { GANNET_ESTIMATES_POINTS = 256 };

typedef struct {
  const gannet_strips *by;
  int inputs, each; /* numbers of a point in z, and in values */
  double *z;        /* [points][inputs] */
  double *values;   /* [strips][each][lanes], or what else has each numbers of a point */
  void *strips;     /* the points, as gannet_estimates_pack makes them */
} gannet_estimates;

/* Memory; release accepts a zeroed struct.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_estimates_reserve(gannet_precision precision, int inputs, int each,
                                                   gannet_estimates *estimates);
void gannet_estimates_release(gannet_estimates *estimates);

/* So many points of z into strips, and their number.
 *
 * Local.
 */
int gannet_estimates_pack(const gannet_estimates *estimates, int points);

/* values[j][i] = the j-th of each number of point i.
 *
 * Local.
 *
 * values  out  [each][ldv]
 */
void gannet_estimates_unpack(const gannet_estimates *estimates, int points, double *values,
                             int ldv);

/* Bytes held.
 *
 * Local.
 */
size_t gannet_estimates_bytes(const gannet_estimates *estimates);

#endif
