#include "search/batch.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "search/candidates.h"
#include "search/distinct.h"
#include "search/spacing.h"

/* Random points tried before a discrete problem is searched point by point, or given up. */
static const int random_tries = 256;
/* Discrete problems up to this many points are searched point by point, so that none is missed. */
static const double most_enumerated = 1e6;

typedef struct {
  const gannet_batch_spec *spec;
  int d;
  gannet_distinct *taken;
  gannet_distinct *in_batch;
  gannet_candidates *random;
  int64_t used_random;
  int64_t n_known; /* points before and those chosen, for spacing */
  double *known; /* [n_before + q][d], then [d + 1] scratch; NULL when near-copies may be chosen */
} chooser;

static void take(chooser *c, const double *x) {
  gannet_distinct_add(c->taken, x);
  if (c->known) memcpy(c->known + (size_t)c->n_known++ * (size_t)c->d, x, (size_t)c->d * sizeof *x);
}

static gannet_err set_up(chooser *c, const gannet_batch_spec *spec, int q) {
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
  for (int64_t i = 0; i < spec->n_before; ++i) take(c, spec->before + (size_t)i * (size_t)c->d);
  return GANNET_OK;
}

static void tear_down(chooser *c) {
  gannet_distinct_destroy(&c->taken);
  gannet_distinct_destroy(&c->in_batch);
  gannet_candidates_destroy(&c->random);
  gannet_free(&c->known);
}

static int length_of(const gannet_batch_spec *spec, int list) {
  return spec->n_in_list ? spec->n_in_list[list] : spec->n_ranked;
}

static void get_ranked(const chooser *c, int list, int rank, double *x) {
  const size_t row = (size_t)list * (size_t)c->spec->n_ranked + (size_t)rank;
  memcpy(x, c->spec->ranked + row * (size_t)c->d, (size_t)c->d * sizeof *x);
  gannet_problem_snap(c->spec->problem, 1, x);
}

static bool is_taken(const chooser *c, const double *x) {
  if (gannet_distinct_has(c->taken, x)) return true;
  if (c->spec->seen && gannet_distinct_has(c->spec->seen, x)) return true;
  return c->known && gannet_spacing_is_copy(c->spec->spaced, c->n_known, c->known, x,
                                            c->known + c->n_known * c->d);
}

/* The best of a list that is fresh, or only not in this batch. */
static bool choose_ranked(const chooser *c, bool fresh, int list, double *x) {
  for (int rank = 0; rank < length_of(c->spec, list); ++rank) {
    get_ranked(c, list, rank, x);
    if (fresh ? !is_taken(c, x) : !gannet_distinct_has(c->in_batch, x)) return true;
  }
  return false;
}

static bool choose_random(chooser *c, double *x) {
  for (int i = 0; i < random_tries; ++i) {
    gannet_candidates_tile(c->random, c->used_random++, 1, x);
    if (!is_taken(c, x)) return true;
  }
  return false;
}

static bool choose_enumerated(chooser *c, double *x) {
  const double size = gannet_problem_count_points(c->spec->problem);
  if (size > most_enumerated && !c->spec->problem->pool) return false;
  const int64_t n = (int64_t)size;
  const int64_t start = (int64_t)(gannet_random_bits(c->spec->stream, 1) % (uint64_t)n);
  for (int64_t t = 0; t < n; ++t) {
    gannet_problem_get_point(c->spec->problem, (start + t) % n, x);
    if (!is_taken(c, x)) return true;
  }
  return false;
}

static void choose_repeat(chooser *c, int list, double *x) {
  if (choose_ranked(c, false, list, x)) return;
  if (length_of(c->spec, list) > 0)
    get_ranked(c, list, 0, x);
  else
    gannet_candidates_tile(c->random, c->used_random++, 1, x);
}

static gannet_choice choose_one(chooser *c, int list, double *x) {
  if (choose_ranked(c, true, list, x)) return GANNET_CHOICE_RANKED;
  if (choose_random(c, x) || choose_enumerated(c, x)) return GANNET_CHOICE_RANDOM;
  choose_repeat(c, list, x);
  return GANNET_CHOICE_REPEAT;
}

gannet_err gannet_batch_choose(const gannet_batch_spec *spec, int q, double *x_unit,
                               gannet_choice *choice) {
  GANNET_REQUIRE(q >= 1, GANNET_ERR_ARG, "q = %d", q);
  GANNET_REQUIRE(spec->n_lists >= 1 && spec->n_ranked >= 0, GANNET_ERR_ARG,
                 "n_lists = %d, n_ranked = %d", spec->n_lists, spec->n_ranked);
  GANNET_REQUIRE(spec->n_before >= 0, GANNET_ERR_ARG, "n_before = %lld", (long long)spec->n_before);
  chooser c = {0};
  const gannet_err err = set_up(&c, spec, q);
  for (int j = 0; err == GANNET_OK && j < q; ++j) {
    double *x = x_unit + (size_t)j * (size_t)c.d;
    const gannet_choice chosen = choose_one(&c, j % spec->n_lists, x);
    if (choice) choice[j] = chosen;
    take(&c, x);
    gannet_distinct_add(c.in_batch, x);
  }
  tear_down(&c);
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}
