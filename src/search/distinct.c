/* The set hashes a point by the cell of its projection on one direction. The projections of two
 * equal points differ by at most the tolerance times the 1-norm of the direction, which is half a
 * cell: equal points lie in the same cell or in neighbouring ones. */
#include "search/distinct.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"

struct gannet_distinct {
  const gannet_problem *problem;
  double *direction; /* [d] positive */
  double cell;       /* length */
  int64_t n, capacity;
  double *points;     /* [capacity][d] */
  int64_t *next;      /* [capacity] in the same bucket, -1 = last */
  int64_t *bucket;    /* [n_buckets] first point, -1 = none */
  uint64_t n_buckets; /* a power of two */
};

/* Designs from elsewhere may lie so far out that their cells have no number: they share the last.
 */
static int64_t cell_of(const gannet_distinct *s, const double *x) {
  const double last = 0x1p62;
  double at = 0;
  for (int k = 0; k < s->problem->d; ++k) at += s->direction[k] * x[k];
  return (int64_t)fmin(fmax(floor(at / s->cell), -last), last);
}

static uint64_t bucket_of(const gannet_distinct *s, int64_t cell) {
  const uint64_t mixed = (uint64_t)cell * UINT64_C(0x9e3779b97f4a7c15); /* Fibonacci hashing */
  return (mixed >> 20) & (s->n_buckets - 1);
}

static const double *point(const gannet_distinct *s, int64_t i) {
  return s->points + i * s->problem->d;
}

static void link_point(gannet_distinct *s, int64_t i) {
  const uint64_t b = bucket_of(s, cell_of(s, point(s, i)));
  s->next[i] = s->bucket[b];
  s->bucket[b] = i;
}

static gannet_err grow(gannet_distinct *s, int64_t capacity) {
  const size_t d = (size_t)s->problem->d, old = (size_t)s->capacity, n = (size_t)capacity;
  uint64_t n_buckets = 64;
  while (n_buckets < 2 * n) n_buckets *= 2;
  GANNET_TRY(gannet_resize(old * d, n * d, sizeof *s->points, &s->points));
  GANNET_TRY(gannet_resize(old, n, sizeof *s->next, &s->next));
  GANNET_TRY(gannet_resize(s->n_buckets, n_buckets, sizeof *s->bucket, &s->bucket));
  s->n_buckets = n_buckets;
  s->capacity = capacity;
  for (uint64_t b = 0; b < n_buckets; ++b) s->bucket[b] = -1;
  for (int64_t i = 0; i < s->n; ++i) link_point(s, i);
  return GANNET_OK;
}

gannet_err gannet_distinct_reserve(gannet_distinct *set, int64_t capacity) {
  return capacity <= set->capacity ? GANNET_OK : grow(set, 2 * capacity);
}

int64_t gannet_distinct_count(const gannet_distinct *set) {
  return set->n;
}

static gannet_err distinct_init(gannet_distinct *s, int64_t capacity) {
  const size_t d = (size_t)s->problem->d;
  const gannet_stream fixed = {0, GANNET_FOR_DESIGN, 0, UINT64_MAX};
  double norm = 0;
  GANNET_TRY(gannet_alloc(d, sizeof *s->direction, &s->direction));
  gannet_random_uniform(fixed, 0, d, s->direction);
  for (size_t k = 0; k < d; ++k) norm += s->direction[k] += 0.5;
  s->cell = 2 * GANNET_DISTINCT_TOLERANCE * norm;
  return grow(s, capacity);
}

gannet_err gannet_distinct_create(const gannet_problem *problem, int64_t capacity,
                                  gannet_distinct **set) {
  GANNET_REQUIRE(capacity >= 0, GANNET_ERR_ARG, "capacity = %lld", (long long)capacity);
  gannet_distinct *s = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *s, &s));
  s->problem = problem;
  const gannet_err err = distinct_init(s, capacity);
  if (err != GANNET_OK) {
    gannet_distinct_destroy(&s);
    return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  }
  *set = s;
  return GANNET_OK;
}

void gannet_distinct_destroy(gannet_distinct **set) {
  if (!*set) return;
  gannet_free(&(*set)->direction);
  gannet_free(&(*set)->points);
  gannet_free(&(*set)->next);
  gannet_free(&(*set)->bucket);
  gannet_free(set);
}

static bool is_equal(const gannet_problem *problem, const double *x, const double *y) {
  for (int k = 0; k < problem->d; ++k) {
    const double gap = fabs(x[k] - y[k]);
    if (gap > (problem->continuous[k] ? GANNET_DISTINCT_TOLERANCE : 0)) return false;
  }
  return true;
}

void gannet_distinct_add(gannet_distinct *set, const double *x_unit) {
  const size_t d = (size_t)set->problem->d;
  assert(set->n < set->capacity);
  memcpy(set->points + (size_t)set->n * d, x_unit, d * sizeof *x_unit);
  link_point(set, set->n++);
}

bool gannet_distinct_has(const gannet_distinct *set, const double *x_unit) {
  const int64_t cell = cell_of(set, x_unit);
  for (int64_t c = cell - 1; c <= cell + 1; ++c)
    for (int64_t i = set->bucket[bucket_of(set, c)]; i >= 0; i = set->next[i])
      if (is_equal(set->problem, point(set, i), x_unit)) return true;
  return false;
}

/* Points 0 .. n-1 are evaluations, n .. n+m-1 are further points. */
typedef struct {
  const gannet_problem *problem;
  const gannet_history *history;
  int64_t n, m;
  const double *further;
} known_points;

static const double *known_point(const known_points *known, int64_t i) {
  return i < known->n ? gannet_history_x_unit(known->history, i)
                      : known->further + (i - known->n) * known->problem->d;
}

/* Largest difference of a coordinate; INFINITY where a discrete one differs, or beyond a limit. */
static double distance(const gannet_problem *problem, const double *x, const double *y,
                       double limit) {
  double far = 0;
  for (int k = 0; k < problem->d; ++k) {
    const double gap = fabs(x[k] - y[k]);
    if (gap > (problem->continuous[k] ? limit : 0)) return INFINITY;
    far = fmax(far, gap);
  }
  return far;
}

/* Distance of known point y from the (d + 1)-th nearest other one, or from the farthest if there
 * are fewer; INFINITY if there is none. nearest: [d + 1] scratch */
static double resolution(const known_points *known, int64_t y, double *nearest) {
  const int wanted = known->problem->d + 1;
  int found = 0;
  for (int64_t i = 0; i < known->n + known->m; ++i) {
    const double limit = found == wanted ? nearest[wanted - 1] : INFINITY;
    const double far =
        distance(known->problem, known_point(known, i), known_point(known, y), limit);
    if (i == y || !isfinite(far)) continue;
    int at = found < wanted ? found++ : wanted - 1;
    for (; at > 0 && far < nearest[at - 1]; --at) nearest[at] = nearest[at - 1];
    nearest[at] = far;
  }
  return found > 0 ? nearest[found - 1] : INFINITY;
}

bool gannet_distinct_is_near_copy(const gannet_history *history, int64_t m, const double *further,
                                  const double *x_unit, double *scratch) {
  /* in ranges of the variables */
  const double copy_within = 3e-6, no_copy_beyond = 1e-4, share_of_resolution = 1e-3;
  const gannet_problem *problem = gannet_history_problem(history);
  const known_points known = {problem, history, gannet_history_count(history), m, further};
  if (problem->n_continuous == 0) return false;
  for (int64_t i = 0; i < known.n + known.m; ++i) {
    const double far = distance(problem, x_unit, known_point(&known, i), no_copy_beyond);
    if (far > no_copy_beyond) continue;
    if (far <= copy_within || far <= share_of_resolution * resolution(&known, i, scratch))
      return true;
  }
  return false;
}
