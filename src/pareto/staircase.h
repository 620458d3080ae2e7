/* Sweeps over points: rows in lexicographic order, and the minima of a growing set in the plane.
 *
 * All objectives are minimised. A sweep takes points in lexicographic order, so that a point comes
 * after all those that dominate it, and only the coordinates after the first remain to be compared.
 */
#ifndef GANNET_PARETO_STAIRCASE_H
#define GANNET_PARETO_STAIRCASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* One of the points that are sorted. */
typedef struct {
  const double *row; /* [m] */
  int m;
  int index; /* decides between equal rows */
} gannet_row;

/* Sort rows lexicographically, equal ones by their index.
 *
 * Local.
 */
void gannet_rows_sort(int n, gannet_row *rows);

enum { GANNET_STAIRCASE_LEVELS = 6 }; /* 64^6 exceeds every int */

/* The minima of points of the plane that are inserted one by one, all known beforehand. The points
 * have positions by their first coordinate, and a tree of bits, 64 to a word, tells which of them
 * are minima: the neighbours of a position are found in O(log_64 n). */
typedef struct {
  int n;
  int levels;
  uint64_t *bits[GANNET_STAIRCASE_LEVELS]; /* bit i of level l + 1: word i of level l has a bit */
  uint64_t *memory;
  gannet_row *sorted;
  int *position; /* [n] of the points in the order of the rows */
  double *x, *y; /* [n] by position */
} gannet_staircase;

/* Memory for at most so many points.
 *
 * Local.
 *
 * staircase  out  release with gannet_staircase_release, also after an error
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_staircase_create(int most, gannet_staircase *staircase);

/* Local. */
void gannet_staircase_release(gannet_staircase *staircase);

/* Begin without minima. The points are coordinates 1 and 2 of rows, in the order in which they will
 * be inserted; of equal points of the plane the earlier ones dominate the later ones.
 *
 * Local.
 *
 * rows  in  [n], rows of at least three coordinates; n at most that of gannet_staircase_create
 */
void gannet_staircase_start(gannet_staircase *staircase, int n, const gannet_row *rows);

/* Insert the k-th point; false, and nothing changes, when a minimum dominates it or equals it.
 *
 * Local.
 *
 * area  out  by how much the area between the minima and the origin, for points with negative
 *            coordinates, has grown; or NULL
 *
 * Cost: O(log n), on average over all points.
 */
bool gannet_staircase_insert(gannet_staircase *staircase, int k, double *area);

#endif
