#include "pareto/hypervolume.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "pareto/staircase.h"

enum { MOST = GANNET_HYPERVOLUME_MOST_OBJECTIVES };

/* Points below the reference, which is the origin here: coordinate j is (y_j - r_j) / 2^power_j in
 * [-1, 0). */
typedef struct {
  int n;
  int m;
  double *points;             /* [n][m] in lexicographic order */
  int *index;                 /* [n] of y */
  int power[MOST];            /* of two, by which a coordinate was divided */
  double *level[MOST + 1];    /* [n][d] limited points in d dimensions */
  gannet_row *rows[MOST + 1]; /* [n] */
  gannet_staircase staircase;
} volume_work;

static void release_work(volume_work *work) {
  gannet_free(&work->points);
  gannet_free(&work->index);
  for (int d = 0; d <= MOST; ++d) {
    gannet_free(&work->level[d]);
    gannet_free(&work->rows[d]);
  }
  gannet_staircase_release(&work->staircase);
}

static gannet_err allocate_work(size_t n, volume_work *work) {
  GANNET_TRY(gannet_alloc(n * (size_t)work->m, sizeof(double), (void **)&work->points));
  GANNET_TRY(gannet_alloc(n, sizeof(int), (void **)&work->index));
  for (int d = 1; d <= work->m; ++d) {
    GANNET_TRY(gannet_alloc(n * (size_t)d, sizeof(double), (void **)&work->level[d]));
    GANNET_TRY(gannet_alloc(n, sizeof(gannet_row), (void **)&work->rows[d]));
  }
  return gannet_staircase_create((int)n, &work->staircase);
}

/* Take the points that count, scaled, in lexicographic order. */
static void take_points(int n, const double *y, const double *reference, volume_work *work) {
  const int m = work->m;
  gannet_row *rows = work->rows[m];
  double *scaled = work->level[m], most[MOST] = {0};
  int count = 0;
  for (int i = 0; i < n; ++i) {
    const double *row = y + (size_t)i * (size_t)m;
    int below = 0;
    while (below < m && isfinite(row[below]) && row[below] < reference[below]) ++below;
    if (below < m) continue;
    double *at = scaled + (size_t)count * (size_t)m;
    for (int j = 0; j < m; ++j) {
      at[j] = 0.5 * row[j] - 0.5 * reference[j]; /* halves, so that it is not infinite */
      most[j] = fmax(most[j], -at[j]);
    }
    rows[count++] = (gannet_row){.row = at, .m = m, .index = i};
  }
  for (int j = 0; j < m; ++j) {
    (void)frexp(most[j], &work->power[j]);
    for (int i = 0; i < count; ++i) {
      double *at = scaled + (size_t)i * (size_t)m + j;
      *at = ldexp(*at, -work->power[j]);
    }
    ++work->power[j];
  }
  gannet_rows_sort(count, rows);
  for (int i = 0; i < count; ++i) {
    memcpy(work->points + (size_t)i * (size_t)m, rows[i].row, (size_t)m * sizeof(double));
    work->index[i] = rows[i].index;
  }
  work->n = count;
}

static gannet_err prepare_work(int n, int m, const double *y, const double *reference,
                               volume_work *work) {
  *work = (volume_work){.m = m};
  GANNET_REQUIRE(m >= 1 && m <= MOST, GANNET_ERR_ARG,
                 "a hypervolume of %d objectives: expected 1 to %d", m, MOST);
  GANNET_REQUIRE(n >= 0, GANNET_ERR_ARG, "a hypervolume of %d points: expected at least 0", n);
  for (int j = 0; j < m; ++j)
    GANNET_REQUIRE(isfinite(reference[j]), GANNET_ERR_ARG,
                   "the reference point of a hypervolume is %g in objective %d: expected a finite "
                   "number",
                   reference[j], j + 1);
  GANNET_TRY(allocate_work((size_t)n, work));
  take_points(n, y, reference, work);
  return GANNET_OK;
}

/* Area of points in the order of their first coordinate. */
static double area_of(int n, const double *points) {
  double area = 0, height = 0;
  for (int i = 0; i < n; ++i)
    if (points[2 * i + 1] < height) {
      area += points[2 * i] * (points[2 * i + 1] - height);
      height = points[2 * i + 1];
    }
  return area;
}

/* Volume in d dimensions of points that are in the order of their first coordinate, for d >= 3 in
 * any order. Points are added in lexicographic order: those before p are better in the first
 * coordinate, and so p adds a prism that begins there. In three dimensions its base is the area by
 * which the minima of the other coordinates grow. In more dimensions the base is the volume of p in
 * the other coordinates less that of the points before it, limited to the part that p dominates;
 * points that are dominated add nothing and limit nothing. */
static double volume_of(volume_work *work, int d, int n, const double *points) {
  if (d == 1) {
    double low = 0;
    for (int i = 0; i < n; ++i) low = fmin(low, points[i]);
    return -low;
  }
  if (d == 2) return area_of(n, points);
  gannet_row *rows = work->rows[d];
  for (int i = 0; i < n; ++i)
    rows[i] = (gannet_row){.row = points + (size_t)i * (size_t)d, .m = d, .index = i};
  gannet_rows_sort(n, rows);
  double volume = 0, base = 0, *limited = work->level[d - 1];
  if (d == 3) gannet_staircase_start(&work->staircase, n, rows);
  for (int i = 0; d == 3 && i < n; ++i)
    if (gannet_staircase_insert(&work->staircase, i, &base)) volume -= rows[i].row[0] * base;
  if (d == 3) return volume;
  for (int i = 0, kept = 0; i < n; ++i) {
    const double *p = rows[i].row;
    bool dominated = false;
    for (int k = 0; k < kept && !dominated; ++k) {
      double *limit = limited + (size_t)k * (size_t)(d - 1);
      dominated = true;
      for (int j = 1; j < d; ++j) {
        limit[j - 1] = fmax(rows[k].row[j], p[j]);
        dominated = dominated && limit[j - 1] == p[j];
      }
    }
    if (dominated) continue;
    base = 1;
    for (int j = 1; j < d; ++j) base *= -p[j];
    volume -= p[0] * fmax(0, base - volume_of(work, d - 1, kept, limited));
    rows[kept++] = rows[i];
  }
  return volume;
}

gannet_err gannet_log_hypervolume(int n, int m, const double *y, const double *reference,
                                  double *logarithm) {
  volume_work work;
  gannet_err err = prepare_work(n, m, y, reference, &work);
  if (err == GANNET_OK) {
    *logarithm = log(volume_of(&work, m, work.n, work.points));
    for (int j = 0; j < m; ++j) *logarithm += work.power[j] * 0.69314718055994530942;
  }
  release_work(&work);
  return err;
}

/* A volume in the units of y. */
static gannet_err unscale(const volume_work *work, double volume, double *out) {
  int power = 0;
  for (int j = 0; j < work->m; ++j) power += work->power[j];
  *out = ldexp(volume, power);
  GANNET_REQUIRE(isfinite(*out), GANNET_ERR_NUMERIC,
                 "a hypervolume of %d objectives exceeds the largest number", work->m);
  return GANNET_OK;
}

gannet_err gannet_hypervolume(int n, int m, const double *y, const double *reference,
                              double *volume) {
  volume_work work;
  gannet_err err = prepare_work(n, m, y, reference, &work);
  if (err == GANNET_OK) err = unscale(&work, volume_of(&work, m, work.n, work.points), volume);
  release_work(&work);
  return err;
}

/* What point i alone dominates: its volume less that of all others, limited to it. */
static double exclusive_volume(volume_work *work, int i, double *limited) {
  const int m = work->m;
  const double *p = work->points + (size_t)i * (size_t)m;
  double own = 1;
  for (int j = 0; j < m; ++j) own *= -p[j];
  for (int k = 0, at = 0; k < work->n; ++k) {
    if (k == i) continue;
    bool dominated = true;
    for (int j = 0; j < m; ++j) {
      double *limit = &limited[at++];
      *limit = fmax(work->points[(size_t)k * (size_t)m + (size_t)j], p[j]);
      dominated = dominated && *limit == p[j];
    }
    if (dominated) return 0;
  }
  return fmax(0, own - volume_of(work, m, work->n - 1, limited));
}

gannet_err gannet_hypervolume_contributions(int n, int m, const double *y, const double *reference,
                                            double *contribution) {
  volume_work work;
  gannet_err err = prepare_work(n, m, y, reference, &work);
  for (int i = 0; err == GANNET_OK && i < n; ++i) contribution[i] = 0;
  for (int i = 0; err == GANNET_OK && i < work.n; ++i)
    err = unscale(&work, exclusive_volume(&work, i, work.level[m]), &contribution[work.index[i]]);
  release_work(&work);
  return err;
}
