#include "search/candidates.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "problem/pool.h"
#include "search/local.h"
#include "search/sobol.h"

struct gannet_candidates {
  const gannet_problem *problem;
  int64_t n_global, n_local;
  bool all_points; /* candidate i is point i of the problem; all count as global */
  gannet_stream local;
  gannet_stream rows; /* of a list of candidates, where not all are wanted */
  gannet_sobol *sobol;
  double *lower, *upper;  /* [d] */
  double *anchor;         /* [d], NULL = none */
  gannet_local_spec few;  /* the variables that move */
  double *origin, *width; /* [d] of the Sobol points: the box, wider by half a step for integers */
  int n_centres;
  double *centres; /* [n_centres][d] */
};

static gannet_err check_spec(const gannet_candidates_spec *spec, int d) {
  GANNET_REQUIRE(0 <= spec->n_global && spec->n_global <= INT64_C(1) << 32, GANNET_ERR_ARG,
                 "n_global = %lld", (long long)spec->n_global);
  GANNET_REQUIRE(spec->n_local >= 0, GANNET_ERR_ARG, "n_local = %lld", (long long)spec->n_local);
  GANNET_REQUIRE(spec->n_local == 0 || spec->n_centres > 0, GANNET_ERR_ARG,
                 "%lld local candidates, but no centres", (long long)spec->n_local);
  GANNET_REQUIRE(
      0 <= spec->moving && spec->moving <= 1 && 0 <= spec->switching && spec->switching <= 1,
      GANNET_ERR_ARG, "moving = %g, switching = %g", spec->moving, spec->switching);
  for (int k = 0; k < d; ++k) {
    const double low = spec->lower ? spec->lower[k] : 0, high = spec->upper ? spec->upper[k] : 1;
    GANNET_REQUIRE(0 <= low && low <= high && high <= 1, GANNET_ERR_ARG,
                   "box of coordinate %d: [%g, %g]", k, low, high);
  }
  return GANNET_OK;
}

static void fill_box(gannet_candidates *c, const gannet_candidates_spec *spec) {
  const gannet_problem *problem = c->problem;
  for (int k = 0; k < problem->d; ++k) {
    c->lower[k] = spec->lower ? spec->lower[k] : 0;
    c->upper[k] = spec->upper ? spec->upper[k] : 1;
    c->origin[k] = c->lower[k];
    c->width[k] = c->upper[k] - c->lower[k];
  }
  gannet_problem_widen(problem, c->origin, c->width);
}

static void fill_chances(gannet_candidates *c, const gannet_candidates_spec *spec) {
  const double usual = gannet_local_chance(c->problem->spec.n_variables);
  const double moving = spec->moving > 0 ? spec->moving : usual;
  c->few = (gannet_local_spec){
      .lower = c->lower, .upper = c->upper, .moving = moving, .switching = spec->switching};
}

static gannet_err fill(gannet_candidates *c, const gannet_candidates_spec *spec, uint64_t seed,
                       uint64_t iteration) {
  const size_t d = (size_t)c->problem->d, n_centres = spec->n_local ? (size_t)spec->n_centres : 0;
  const gannet_stream global = {seed, GANNET_FOR_DESIGN, iteration, 0};
  GANNET_TRY(gannet_alloc(5 * d, sizeof *c->lower, &c->lower));
  c->upper = c->lower + d;
  c->origin = c->lower + 2 * d;
  c->width = c->lower + 3 * d;
  if (spec->anchor) {
    c->anchor = c->lower + 4 * d;
    memcpy(c->anchor, spec->anchor, d * sizeof *c->anchor);
  }
  GANNET_TRY(gannet_alloc(n_centres * d, sizeof *c->centres, &c->centres));
  GANNET_TRY(gannet_sobol_create(c->problem->d, &global, &c->sobol));
  fill_box(c, spec);
  fill_chances(c, spec);
  if (n_centres) memcpy(c->centres, spec->centres, n_centres * d * sizeof *c->centres);
  c->n_centres = (int)n_centres;
  c->n_global = spec->n_global;
  c->n_local = spec->n_local;
  c->local = (gannet_stream){seed, GANNET_FOR_LOCAL, iteration, 0};
  c->rows = (gannet_stream){seed, GANNET_FOR_DESIGN, iteration, 1};
  const double n_points = gannet_problem_count_points(c->problem);
  c->all_points = spec->all_points && (c->problem->pool != NULL ||
                                       n_points <= (double)(spec->n_global + spec->n_local));
  if (c->all_points) {
    c->n_global = (int64_t)n_points;
    c->n_local = 0;
  }
  return GANNET_OK;
}

gannet_err gannet_candidates_create(const gannet_problem *problem,
                                    const gannet_candidates_spec *spec, uint64_t seed,
                                    uint64_t iteration, gannet_candidates **candidates) {
  GANNET_TRY(check_spec(spec, problem->d));
  gannet_candidates *c = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *c, &c));
  c->problem = problem;
  const gannet_err err = fill(c, spec, seed, iteration);
  if (err != GANNET_OK) {
    gannet_candidates_destroy(&c);
    return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  }
  *candidates = c;
  return GANNET_OK;
}

void gannet_candidates_destroy(gannet_candidates **candidates) {
  if (!*candidates) return;
  gannet_sobol_destroy(&(*candidates)->sobol);
  gannet_free(&(*candidates)->lower);
  gannet_free(&(*candidates)->centres);
  gannet_free(candidates);
}

int64_t gannet_candidates_count(const gannet_candidates *candidates) {
  return candidates->n_global + candidates->n_local;
}

int gannet_candidates_dimension(const gannet_candidates *candidates) {
  return candidates->problem->d;
}

static gannet_stream stream_of(const gannet_candidates *c, int64_t i) {
  gannet_stream stream = c->local;
  stream.index = (uint64_t)i;
  return stream;
}

static void listed_point(const gannet_candidates *c, int64_t i, double *x) {
  int64_t row = i;
  if (!c->all_points) {
    const uint64_t n = (uint64_t)gannet_pool_count(c->problem->pool);
    row = (int64_t)(gannet_random_bits(c->rows, (uint64_t)i) % n);
  }
  gannet_problem_get_point(c->problem, row, x);
}

/* Candidates first .. first+count-1, all of them global. */
static void global_points(const gannet_candidates *c, int64_t first, int count, double *x) {
  const int d = c->problem->d;
  const bool listed = c->all_points || c->problem->pool;
  if (!listed) gannet_sobol_points(c->sobol, (uint32_t)first, count, x);
  for (int p = 0; p < count; ++p, x += d) {
    if (listed) {
      listed_point(c, first + p, x);
      continue;
    }
    for (int k = 0; k < d; ++k) x[k] = c->origin[k] + x[k] * c->width[k];
    if (c->anchor) gannet_local_hold(c->problem, stream_of(c, first + p), &c->few, c->anchor, x);
  }
}

static void local_point(const gannet_candidates *c, int64_t j, double *x) {
  const size_t d = (size_t)c->problem->d;
  memcpy(x, c->centres + (size_t)(j % c->n_centres) * d, d * sizeof *x);
  gannet_local_perturb(c->problem, stream_of(c, j), &c->few, x);
}

void gannet_candidates_tile(const gannet_candidates *candidates, int64_t first, int count,
                            double *x_unit) {
  const gannet_candidates *c = candidates;
  const size_t d = (size_t)c->problem->d;
  const int64_t left = c->n_global - first;
  const int n_global = left <= 0 ? 0 : left < count ? (int)left : count;
  /* rows of the list are admissible as they are */
  const int n_listed = c->problem->pool ? n_global : 0;
  global_points(c, first, n_global, x_unit);
  for (int p = n_global; p < count; ++p)
    local_point(c, first + p - c->n_global, x_unit + (size_t)p * d);
  gannet_problem_snap(c->problem, count - n_listed, x_unit + (size_t)n_listed * d);
}
