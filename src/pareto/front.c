#include "pareto/front.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "pareto/staircase.h"

/* What the functions of this file work with. */
typedef struct {
  int m;
  int n;            /* finite points */
  gannet_row *rows; /* [n] in lexicographic order */
} sorted_points;

/* Allocated in any case: release with gannet_free(&points->rows). */
static gannet_err sort_points(int n, int m, const double *y, sorted_points *points) {
  *points = (sorted_points){.m = m};
  GANNET_REQUIRE(m >= 1 && m <= GANNET_FRONT_MOST_OBJECTIVES, GANNET_ERR_ARG,
                 "a front of %d objectives: expected 1 to %d", m, GANNET_FRONT_MOST_OBJECTIVES);
  GANNET_REQUIRE(n >= 0, GANNET_ERR_ARG, "a front of %d points: expected at least 0", n);
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *points->rows, (void **)&points->rows));
  for (int i = 0; i < n; ++i) {
    const double *row = y + (size_t)i * (size_t)m;
    int finite = 0;
    while (finite < m && isfinite(row[finite])) ++finite;
    if (finite == m) points->rows[points->n++] = (gannet_row){.row = row, .m = m, .index = i};
  }
  gannet_rows_sort(points->n, points->rows);
  return GANNET_OK;
}

/* Whether a <= b, in all coordinates. */
static bool is_no_worse(int m, const double *a, const double *b) {
  int j = 0;
  while (j < m && a[j] <= b[j]) ++j;
  return j == m;
}

/* Keep the rows of the front: in one and two objectives they have a smaller last coordinate than
 * all rows before them. */
static int sweep_last_coordinate(sorted_points *points) {
  int kept = 0;
  for (int i = 0; i < points->n; ++i) {
    const int last = points->m - 1;
    if (kept == 0 || points->rows[i].row[last] < points->rows[kept - 1].row[last])
      points->rows[kept++] = points->rows[i];
  }
  return kept;
}

/* The same in three objectives: rows that are minima in the plane of the last two coordinates. */
static gannet_err sweep_plane(sorted_points *points, int *kept) {
  gannet_staircase staircase;
  gannet_err err = gannet_staircase_create(points->n, &staircase);
  if (err == GANNET_OK) {
    gannet_staircase_start(&staircase, points->n, points->rows);
    for (int i = 0; i < points->n; ++i)
      if (gannet_staircase_insert(&staircase, i, NULL)) points->rows[(*kept)++] = points->rows[i];
  }
  gannet_staircase_release(&staircase);
  return err;
}

/* The same in any number: rows that are worse somewhere than each row kept before. */
static int compare_all(sorted_points *points) {
  int kept = 0;
  for (int i = 0; i < points->n; ++i) {
    int k = 0;
    while (k < kept && !is_no_worse(points->m, points->rows[k].row, points->rows[i].row)) ++k;
    if (k == kept) points->rows[kept++] = points->rows[i];
  }
  return kept;
}

static int compare_integers(const void *a, const void *b) {
  const int left = *(const int *)a, right = *(const int *)b;
  return (left > right) - (left < right);
}

gannet_err gannet_pareto_front(int n, int m, const double *y, int *count, int *front) {
  sorted_points points;
  *count = 0;
  gannet_err err = sort_points(n, m, y, &points);
  if (err == GANNET_OK) {
    if (m == 3)
      err = sweep_plane(&points, count);
    else
      *count = m < 3 ? sweep_last_coordinate(&points) : compare_all(&points);
  }
  for (int i = 0; i < *count; ++i) front[i] = points.rows[i].index;
  qsort(front, (size_t)*count, sizeof *front, compare_integers);
  gannet_free(&points.rows);
  return err;
}

/* Ranks of sorted points. The members of a rank form a list that begins with the latest one. */
typedef struct {
  int count;   /* ranks */
  int *latest; /* [count] member of each rank */
  int *former; /* [n] member before it in the list of its rank; -1 = none */
} rank_lists;

/* Whether a member of a rank dominates row i, which comes after all of them. In one and two
 * objectives the latest member has the smallest last coordinate and decides alone. */
static bool rank_dominates(const sorted_points *points, const rank_lists *ranks, int rank, int i) {
  const double *row = points->rows[i].row;
  for (int k = ranks->latest[rank]; k >= 0; k = ranks->former[k]) {
    const double *member = points->rows[k].row;
    if (is_no_worse(points->m, member, row)) return !is_no_worse(points->m, row, member);
    if (points->m <= 2) return false;
  }
  return false;
}

gannet_err gannet_pareto_ranks(int n, int m, const double *y, int *rank) {
  sorted_points points;
  rank_lists ranks = {0};
  gannet_err err = sort_points(n, m, y, &points);
  const size_t size = (size_t)points.n;
  if (err == GANNET_OK) err = gannet_alloc(size, sizeof(int), (void **)&ranks.latest);
  if (err == GANNET_OK) err = gannet_alloc(size, sizeof(int), (void **)&ranks.former);
  for (int i = 0; err == GANNET_OK && i < n; ++i) rank[i] = -1;
  for (int i = 0; err == GANNET_OK && i < points.n; ++i) {
    int from = 0, to = ranks.count; /* a row that rank k dominates is dominated by ranks 0 .. k */
    while (from < to) {
      const int middle = from + (to - from) / 2;
      if (rank_dominates(&points, &ranks, middle, i))
        from = middle + 1;
      else
        to = middle;
    }
    ranks.former[i] = from < ranks.count ? ranks.latest[from] : -1;
    ranks.latest[from] = i;
    if (from == ranks.count) ++ranks.count;
    rank[points.rows[i].index] = from;
  }
  gannet_free(&ranks.latest);
  gannet_free(&ranks.former);
  gannet_free(&points.rows);
  return err;
}

int gannet_pareto_knee(int m, const double *y, int count, const int *front) {
  double low[GANNET_FRONT_MOST_OBJECTIVES], high[GANNET_FRONT_MOST_OBJECTIVES], least = HUGE_VAL;
  for (int j = 0; j < m; ++j) {
    low[j] = HUGE_VAL;
    high[j] = -HUGE_VAL;
    for (int i = 0; i < count; ++i) {
      const double value = y[(size_t)front[i] * (size_t)m + (size_t)j];
      low[j] = fmin(low[j], value);
      high[j] = fmax(high[j], value);
    }
  }
  int knee = -1;
  for (int i = 0; i < count; ++i) {
    double sum = 0;
    for (int j = 0; j < m; ++j) {
      const double value = y[(size_t)front[i] * (size_t)m + (size_t)j];
      if (high[j] > low[j]) sum += (0.5 * value - 0.5 * low[j]) / (0.5 * high[j] - 0.5 * low[j]);
    }
    if (sum < least) {
      least = sum;
      knee = front[i];
    }
  }
  return knee;
}
