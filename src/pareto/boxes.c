#include "pareto/boxes.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector_clones.h"
#include "pareto/staircase.h"

enum { MOST = GANNET_BOXES_MOST_OBJECTIVES, TILE = GANNET_BOXES_TILE };

void gannet_boxes_release(gannet_boxes *boxes) {
  gannet_free(&boxes->lower);
  gannet_free(&boxes->upper);
  gannet_free(&boxes->bound);
  gannet_free(&boxes->defining);
  gannet_free(&boxes->marks);
  gannet_free(&boxes->point);
}

/* Move [m][capacity] to [m][larger]; the memory has been enlarged already. */
static void spread(const gannet_boxes *boxes, size_t size, size_t larger, void *memory) {
  char *bytes = memory;
  const size_t old = (size_t)boxes->capacity * size, new = larger *size;
  for (int j = boxes->m - 1; j > 0; --j)
    memmove(bytes + (size_t)j * new, bytes + (size_t)j * old, (size_t)boxes->count * size);
}

/* Memory for so many boxes, and for one more point. */
static gannet_err reserve(gannet_boxes *boxes, size_t count) {
  const size_t m = (size_t)boxes->m;
  if (boxes->points == boxes->points_capacity) {
    const size_t old = (size_t)boxes->points_capacity, larger = 2 * old + 16;
    GANNET_TRY(gannet_resize(old * m, larger * m, sizeof(double), (void **)&boxes->point));
    boxes->points_capacity = (int)larger;
  }
  if (count <= (size_t)boxes->capacity) return GANNET_OK;
  GANNET_REQUIRE(count <= INT_MAX / 2, GANNET_ERR_MEMORY,
                 "%zu boxes below a front of %d objectives: at most %d", count, boxes->m,
                 INT_MAX / 2);
  const size_t old = (size_t)boxes->capacity;
  const size_t larger = (count + count / 2 + 2 * TILE - 1) / TILE * TILE;
  GANNET_TRY(gannet_resize(old * m, larger * m, sizeof(double), (void **)&boxes->lower));
  GANNET_TRY(gannet_resize(old * m, larger * m, sizeof(double), (void **)&boxes->upper));
  GANNET_TRY(gannet_resize(old * m, larger * m, sizeof(int), (void **)&boxes->defining));
  GANNET_TRY(gannet_resize(old, larger, sizeof(int), (void **)&boxes->marks));
  GANNET_TRY(
      gannet_resize(old / TILE * m, larger / TILE * m, sizeof(double), (void **)&boxes->bound));
  spread(boxes, sizeof(double), larger, boxes->lower);
  spread(boxes, sizeof(double), larger, boxes->upper);
  spread(boxes, sizeof(int), larger, boxes->defining);
  boxes->capacity = (int)larger;
  return GANNET_OK;
}

/* Coordinate j of the point that defines component k of a box. */
static double defining_value(const gannet_boxes *boxes, int box, int k, int j) {
  const int number = boxes->defining[(size_t)k * (size_t)boxes->capacity + (size_t)box];
  return boxes->point[(size_t)number * (size_t)boxes->m + (size_t)j];
}

/* Which of n boxes have y below their bounds, and how many.
 *
 * marks  out  [n] 1 = it is below, 0 = it is not
 */
GANNET_VECTOR_CLONES static int mark_boxes(int m, int n, const double *upper, size_t ld,
                                           const double *y, int *marks) {
  int count = 0;
  for (int i = 0; i < n; ++i) marks[i] = y[0] < upper[i];
  for (int j = 1; j < m; ++j) {
    const double *of = upper + (size_t)j * ld;
    GANNET_NO_OVERLAP
    for (int i = 0; i < n; ++i) marks[i] &= y[j] < of[i];
  }
  for (int i = 0; i < n; ++i) count += marks[i];
  return count;
}

/* Keep the boxes without a mark, in their order: [count], of which those from old on have none. */
static void drop_marked(gannet_boxes *boxes, int old, int count) {
  int *kept = boxes->marks, n = 0, first = 0;
  while (first < old && !kept[first]) ++first;
  for (int i = first; i < count; ++i)
    if (i >= old || !boxes->marks[i]) kept[n++] = i;
  for (int j = 0; j < boxes->m; ++j) {
    const size_t row = (size_t)j * (size_t)boxes->capacity;
    double *lower = boxes->lower + row, *upper = boxes->upper + row;
    int *defining = boxes->defining + row;
    for (int k = 0; k < n; ++k) lower[first + k] = lower[kept[k]];
    for (int k = 0; k < n; ++k) upper[first + k] = upper[kept[k]];
    for (int k = 0; k < n; ++k) defining[first + k] = defining[kept[k]];
  }
  boxes->count = first + n;
}

/* Put what a box becomes when the latest point z is below its bound u behind the last box: for each
 * j the bound with z_j instead of u_j, if the points of the other components keep it from being
 * larger (Klamroth et al. 2015, theorem 3.2; where coordinates are equal, as if the later point's
 * were larger by a trace). Returns the new number of boxes. */
static int split_box(gannet_boxes *boxes, int box, int count) {
  const int number = boxes->points - 1;
  const double *z = boxes->point + (size_t)number * (size_t)boxes->m;
  for (int j = 0; j < boxes->m; ++j) {
    int k = 0;
    while (k < boxes->m && (k == j || defining_value(boxes, box, k, j) <= z[j])) ++k;
    if (k < boxes->m) continue;
    const size_t at = (size_t)j * (size_t)boxes->capacity + (size_t)count;
    for (int i = 0; i < boxes->m; ++i) {
      const size_t row = (size_t)i * (size_t)boxes->capacity;
      boxes->upper[row + (size_t)count] = boxes->upper[row + (size_t)box];
      boxes->defining[row + (size_t)count] = boxes->defining[row + (size_t)box];
    }
    boxes->upper[at] = z[j];
    boxes->defining[at] = number;
    for (int i = 0; i < boxes->m; ++i) { /* the lower end, from the points */
      const size_t end = (size_t)i * (size_t)boxes->capacity + (size_t)count;
      double low = -HUGE_VAL;
      for (k = 0; k < i; ++k) low = fmax(low, defining_value(boxes, count, k, i));
      boxes->lower[end] = fmin(low, boxes->upper[end]);
    }
    ++count;
  }
  return count;
}

/* Fill the last tile and find the bounds of all tiles. */
static void bound_tiles(gannet_boxes *boxes) {
  for (int j = 0; j < boxes->m; ++j) {
    double *lower = boxes->lower + (size_t)j * (size_t)boxes->capacity;
    double *upper = boxes->upper + (size_t)j * (size_t)boxes->capacity;
    double *bound = boxes->bound + (size_t)j * (size_t)(boxes->capacity / TILE);
    for (int i = boxes->count; i % TILE > 0; ++i) lower[i] = upper[i] = -HUGE_VAL;
    for (int t = 0; t * TILE < boxes->count; ++t) {
      bound[t] = upper[t * TILE];
      for (int i = 1; i < TILE; ++i) bound[t] = fmax(bound[t], upper[t * TILE + i]);
    }
  }
}

static gannet_err add_point(gannet_boxes *boxes, const double *y) {
  const int m = boxes->m, old = boxes->count;
  for (int j = 0; j < m; ++j)
    if (!isfinite(y[j])) return GANNET_OK;
  const int split = mark_boxes(m, old, boxes->upper, (size_t)boxes->capacity, y, boxes->marks);
  if (split == 0) return GANNET_OK;
  GANNET_TRY(reserve(boxes, (size_t)old + (size_t)split * (size_t)m));
  memcpy(boxes->point + (size_t)boxes->points++ * (size_t)m, y, (size_t)m * sizeof *y);
  int count = old;
  for (int i = 0; i < old; ++i)
    if (boxes->marks[i]) count = split_box(boxes, i, count);
  drop_marked(boxes, old, count);
  return GANNET_OK;
}

gannet_err gannet_boxes_add(gannet_boxes *boxes, const double *y) {
  GANNET_TRY(add_point(boxes, y));
  bound_tiles(boxes);
  return GANNET_OK;
}

/* One box, all that is below the reference. Each component has a point of its own that is -inf in
 * all other components (Klamroth et al. 2015, section 2). */
static gannet_err begin(int m, const double *reference, gannet_boxes *boxes) {
  boxes->m = m;
  GANNET_TRY(gannet_alloc((size_t)(m * m), sizeof(double), (void **)&boxes->point));
  boxes->points = boxes->points_capacity = m;
  GANNET_TRY(reserve(boxes, 1));
  for (int j = 0; j < m; ++j) {
    for (int k = 0; k < m; ++k) boxes->point[k * m + j] = k == j ? reference[j] : -HUGE_VAL;
    boxes->upper[j * boxes->capacity] = reference[j];
    boxes->lower[j * boxes->capacity] = -HUGE_VAL;
    boxes->defining[j * boxes->capacity] = j;
  }
  boxes->count = 1;
  return GANNET_OK;
}

gannet_err gannet_boxes_create(int n, int m, const double *y, const double *reference,
                               gannet_boxes *boxes) {
  *boxes = (gannet_boxes){0};
  GANNET_REQUIRE(m >= 1 && m <= MOST, GANNET_ERR_ARG,
                 "boxes below a front of %d objectives: expected 1 to %d", m, MOST);
  GANNET_REQUIRE(n >= 0, GANNET_ERR_ARG, "boxes below a front of %d points: expected at least 0",
                 n);
  for (int j = 0; j < m; ++j)
    GANNET_REQUIRE(isfinite(reference[j]), GANNET_ERR_ARG,
                   "the reference point of boxes is %g in objective %d: expected a finite number",
                   reference[j], j + 1);
  GANNET_TRY(begin(m, reference, boxes));
  gannet_row *rows = NULL;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *rows, (void **)&rows));
  gannet_err err = GANNET_OK;
  for (int i = 0; i < n; ++i)
    rows[i] = (gannet_row){.row = y + (size_t)i * (size_t)m, .m = m, .index = i};
  gannet_rows_sort(n, rows);
  for (int i = 0; err == GANNET_OK && i < n; ++i) err = add_point(boxes, rows[i].row);
  gannet_free(&rows);
  bound_tiles(boxes);
  return err;
}

gannet_err gannet_boxes_copy(const gannet_boxes *boxes, gannet_boxes *copy) {
  const size_t ends = (size_t)boxes->m * (size_t)boxes->capacity;
  const size_t points = (size_t)boxes->points_capacity * (size_t)boxes->m;
  *copy = *boxes;
  copy->lower = copy->upper = copy->bound = copy->point = NULL;
  copy->defining = copy->marks = NULL;
  GANNET_TRY(gannet_alloc(ends, sizeof(double), (void **)&copy->lower));
  GANNET_TRY(gannet_alloc(ends, sizeof(double), (void **)&copy->upper));
  GANNET_TRY(gannet_alloc(ends / TILE, sizeof(double), (void **)&copy->bound));
  GANNET_TRY(gannet_alloc(ends, sizeof(int), (void **)&copy->defining));
  GANNET_TRY(gannet_alloc((size_t)boxes->capacity, sizeof(int), (void **)&copy->marks));
  GANNET_TRY(gannet_alloc(points, sizeof(double), (void **)&copy->point));
  memcpy(copy->lower, boxes->lower, ends * sizeof(double));
  memcpy(copy->upper, boxes->upper, ends * sizeof(double));
  memcpy(copy->bound, boxes->bound, ends / TILE * sizeof(double));
  memcpy(copy->defining, boxes->defining, ends * sizeof(int));
  memcpy(copy->point, boxes->point, points * sizeof(double));
  return GANNET_OK;
}
