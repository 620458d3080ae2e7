#include "search/batch.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "problem/variable_constraints.h"
#include "search/candidates.h"
#include "search/distinct.h"

enum {
  RANDOM_TRIES = 256,          /* random points tried for one point of the batch */
  ENUMERATED_POINTS = 1000000, /* a discrete problem of at most so many points, and a list of any
                                  length, is searched point by point when random points fail */
};

typedef struct {
  const gannet_batch_spec *spec;
  int d;
  gannet_distinct *taken;    /* points before, and the batch so far */
  gannet_distinct *in_batch; /* the batch so far */
  gannet_candidates *random;
  int64_t used_random;
  int64_t n_known; /* points before, and the batch so far */
  double *known; /* [n_before + q][d] these, then [d + 1] scratch; NULL = near-copies are allowed */
} chooser;

static void add_known(chooser *c, const double *x) {
  gannet_distinct_add(c->taken, x);
  if (c->known) memcpy(c->known + (size_t)c->n_known++ * (size_t)c->d, x, (size_t)c->d * sizeof *x);
}

static gannet_err chooser_init(chooser *c, const gannet_batch_spec *spec, int q) {
  const gannet_candidates_spec everywhere = {.n_global = INT64_C(1) << 32};
  c->spec = spec;
  c->d = spec->problem->d;
  GANNET_TRY(gannet_distinct_create(spec->problem, spec->n_before + q, &c->taken));
  GANNET_TRY(gannet_distinct_create(spec->problem, q, &c->in_batch));
  GANNET_TRY(gannet_candidates_create(spec->problem, &everywhere,
                                      gannet_random_bits(spec->stream, 0), spec->stream.iteration,
                                      &c->random));
  if (spec->spaced)
    GANNET_TRY(gannet_alloc((size_t)(spec->n_before + q + 1) * (size_t)c->d + 1, sizeof *c->known,
                            &c->known));
  for (int64_t i = 0; i < spec->n_before; ++i)
    add_known(c, spec->before + (size_t)i * (size_t)c->d);
  return GANNET_OK;
}

static void get_ranked(const chooser *c, int list, int rank, double *x) {
  const size_t row = (size_t)list * (size_t)c->spec->n_ranked + (size_t)rank;
  memcpy(x, c->spec->ranked + row * (size_t)c->d, (size_t)c->d * sizeof *x);
  gannet_problem_snap(c->spec->problem, 1, x);
}

static bool is_fresh(const chooser *c, const double *x) {
  if (!gannet_problem_allows(c->spec->problem, x)) return false;
  if (gannet_distinct_has(c->taken, x)) return false;
  if (c->spec->seen && gannet_distinct_has(c->spec->seen, x)) return false;
  return !c->known || !gannet_distinct_is_near_copy(c->spec->spaced, c->n_known, c->known, x,
                                                    c->known + c->n_known * c->d);
}

/* The first fresh point of a discrete problem or a list, from a random one on. */
static bool find_enumerated(const chooser *c, double *x) {
  const double size = gannet_problem_count_points(c->spec->problem);
  if (size > ENUMERATED_POINTS && !c->spec->problem->pool) return false;
  const int64_t n = (int64_t)size;
  const int64_t start = (int64_t)(gannet_random_bits(c->spec->stream, 1) % (uint64_t)n);
  for (int64_t t = 0; t < n; ++t) {
    gannet_problem_get_point(c->spec->problem, (start + t) % n, x);
    if (is_fresh(c, x)) return true;
  }
  return false;
}

static void choose_point(chooser *c, int list, double *x) {
  const int n = c->spec->n_ranked;
  for (int rank = 0; rank < n; ++rank) {
    get_ranked(c, list, rank, x);
    if (is_fresh(c, x)) return;
  }
  for (int i = 0; i < RANDOM_TRIES; ++i) {
    gannet_candidates_tile(c->random, c->used_random++, 1, x);
    if (is_fresh(c, x)) return;
  }
  if (find_enumerated(c, x)) return;
  for (int rank = 0; rank < n; ++rank) {
    get_ranked(c, list, rank, x);
    if (!gannet_distinct_has(c->in_batch, x) && gannet_problem_allows(c->spec->problem, x)) return;
  }
  if (n > 0) get_ranked(c, list, 0, x);
  if (n == 0 || !gannet_problem_allows(c->spec->problem, x))
    gannet_candidates_tile(c->random, c->used_random++, 1, x);
}

gannet_err gannet_batch_choose(const gannet_batch_spec *spec, int q, double *x_unit) {
  GANNET_REQUIRE(q >= 1, GANNET_ERR_ARG, "q = %d", q);
  GANNET_REQUIRE(spec->n_lists >= 1 && spec->n_ranked >= 0, GANNET_ERR_ARG,
                 "n_lists = %d, n_ranked = %d", spec->n_lists, spec->n_ranked);
  GANNET_REQUIRE(spec->n_before >= 0, GANNET_ERR_ARG, "n_before = %lld", (long long)spec->n_before);
  chooser c = {0};
  const gannet_err err = chooser_init(&c, spec, q);
  for (int j = 0; err == GANNET_OK && j < q; ++j) {
    double *x = x_unit + (size_t)j * (size_t)c.d;
    choose_point(&c, j % spec->n_lists, x);
    add_known(&c, x);
    gannet_distinct_add(c.in_batch, x);
  }
  gannet_distinct_destroy(&c.taken);
  gannet_distinct_destroy(&c.in_batch);
  gannet_candidates_destroy(&c.random);
  gannet_free(&c.known);
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}
