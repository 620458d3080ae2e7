/* Points are hashed by the cell of a projection on one direction. Points that are the same have
 * projections closer than tolerance times the 1-norm of the direction, which is half a cell: they
 * lie in the same cell or in neighbouring ones. */
#include "search/distinct.h"

#include <assert.h>
#include <math.h>

#include "base/memory.h"
#include "base/random.h"

struct gannet_distinct {
  const gannet_problem *problem;
  double *direction; /* [d] positive */
  double cell;       /* length */
  int64_t n, capacity;
  const double **points; /* [capacity] */
  int64_t *next;         /* [capacity] in the same bucket, -1 = last */
  int64_t *bucket;       /* [n_buckets] first point, -1 = none */
  uint64_t n_buckets;    /* a power of two */
};

static gannet_err fill(gannet_distinct *s, int64_t capacity) {
  const size_t d = (size_t)s->problem->d, n = (size_t)capacity;
  const gannet_stream fixed = {0, GANNET_FOR_DESIGN, 0, UINT64_MAX};
  GANNET_TRY(gannet_alloc(d, sizeof *s->direction, &s->direction));
  GANNET_TRY(gannet_alloc(n, sizeof *s->points, &s->points));
  GANNET_TRY(gannet_alloc(n, sizeof *s->next, &s->next));
  for (s->n_buckets = 64; s->n_buckets < 2 * n;) s->n_buckets *= 2;
  GANNET_TRY(gannet_alloc(s->n_buckets, sizeof *s->bucket, &s->bucket));
  for (uint64_t b = 0; b < s->n_buckets; ++b) s->bucket[b] = -1;
  gannet_random_uniform(fixed, 0, d, s->direction);
  double norm = 0;
  for (size_t k = 0; k < d; ++k) norm += s->direction[k] += 0.5;
  s->cell = 2 * GANNET_DISTINCT_TOLERANCE * norm;
  s->capacity = capacity;
  return GANNET_OK;
}

gannet_err gannet_distinct_create(const gannet_problem *problem, int64_t capacity,
                                  gannet_distinct **set) {
  GANNET_REQUIRE(capacity >= 0, GANNET_ERR_ARG, "capacity = %lld", (long long)capacity);
  gannet_distinct *s = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *s, &s));
  s->problem = problem;
  const gannet_err err = fill(s, capacity);
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

static int64_t cell_of(const gannet_distinct *s, const double *x) {
  double at = 0;
  for (int k = 0; k < s->problem->d; ++k) at += s->direction[k] * x[k];
  return (int64_t)floor(at / s->cell);
}

static uint64_t bucket_of(const gannet_distinct *s, int64_t cell) {
  const uint64_t mixed = (uint64_t)cell * UINT64_C(0x9e3779b97f4a7c15); /* Fibonacci hashing */
  return (mixed >> 20) & (s->n_buckets - 1);
}

static bool is_same(const gannet_problem *problem, const double *x, const double *y) {
  for (int k = 0; k < problem->d; ++k) {
    const double gap = fabs(x[k] - y[k]);
    if (gap > (problem->continuous[k] ? GANNET_DISTINCT_TOLERANCE : 0)) return false;
  }
  return true;
}

void gannet_distinct_add(gannet_distinct *set, const double *x_unit) {
  assert(set->n < set->capacity);
  const uint64_t b = bucket_of(set, cell_of(set, x_unit));
  set->points[set->n] = x_unit;
  set->next[set->n] = set->bucket[b];
  set->bucket[b] = set->n++;
}

bool gannet_distinct_has(const gannet_distinct *set, const double *x_unit) {
  const int64_t cell = cell_of(set, x_unit);
  for (int64_t c = cell - 1; c <= cell + 1; ++c)
    for (int64_t i = set->bucket[bucket_of(set, c)]; i >= 0; i = set->next[i])
      if (is_same(set->problem, set->points[i], x_unit)) return true;
  return false;
}
