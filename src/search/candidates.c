#include "search/candidates.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "problem/conditional.h"
#include "problem/pool.h"
#include "problem/variable_constraints.h"
#include "search/perturb.h"
#include "search/sobol.h"

struct gannet_candidates {
  const gannet_problem *problem;
  int64_t n_global, n_local;
  bool all_points;        /* candidate i is point i of the problem; all count as global */
  gannet_stream rows;     /* which rows of a pool are candidates, when not all are */
  gannet_sobol *sobol;    /* global candidates that are no rows of a pool */
  double *origin, *width; /* [d] of the Sobol points: the box, wider by half a step for integers */
  double *lower, *upper;  /* [d] box */
  bool is_whole;          /* the box is the unit cube, and there is no anchor */
  double *anchor;         /* [d]; NULL = none */
  gannet_stream moves;    /* which variables of a candidate move, and how far */
  gannet_perturb_spec perturbation;
  int n_centres;
  double *centres; /* [n_centres][d] */
  double crossing;
};

/* Where a local candidate begins: at its centre, or on the way from there to another one. */
static void begin_at_centre(const gannet_candidates *c, int64_t number, double *x) {
  const gannet_problem *problem = c->problem;
  const size_t d = (size_t)problem->d;
  const int mine = (int)(number % c->n_centres);
  gannet_stream stream = c->moves;
  double u[3], own;
  memcpy(x, c->centres + (size_t)mine * d, d * sizeof *x);
  if (!(c->crossing > 0) || c->n_centres < 2) return;
  stream.index = (uint64_t)number;
  stream.purpose |= UINT64_C(5) << 32; /* no kind of numbers of gannet_perturb */
  gannet_random_uniform(stream, 0, 3, u);
  if (u[0] >= c->crossing) return;
  const int other = (mine + 1 + (int)(u[1] * (c->n_centres - 1))) % c->n_centres;
  const double *to = c->centres + (size_t)other * d;
  for (int i = 0; i < problem->spec.n_variables; ++i) {
    const size_t k = (size_t)problem->first[i];
    const int width = gannet_variable_width(&problem->spec.variables[i]);
    if (problem->continuous[k]) {
      x[k] += u[2] * (to[k] - x[k]);
      continue;
    }
    gannet_random_uniform(stream, 3 + (uint64_t)i, 1, &own);
    if (own < u[2]) memcpy(x + k, to + k, (size_t)width * sizeof *x);
  }
}

static gannet_err check_spec(const gannet_candidates_spec *spec, int d) {
  GANNET_REQUIRE(0 <= spec->n_global && spec->n_global <= INT64_C(1) << 32, GANNET_ERR_ARG,
                 "n_global = %lld", (long long)spec->n_global);
  GANNET_REQUIRE(spec->n_local >= 0, GANNET_ERR_ARG, "n_local = %lld", (long long)spec->n_local);
  GANNET_REQUIRE(spec->n_local == 0 || spec->n_centres > 0, GANNET_ERR_ARG,
                 "%lld local candidates, but no centres", (long long)spec->n_local);
  GANNET_REQUIRE(
      0 <= spec->moving && spec->moving <= 1 && 0 <= spec->switching && spec->switching <= 1,
      GANNET_ERR_ARG, "moving = %g, switching = %g", spec->moving, spec->switching);
  GANNET_REQUIRE(spec->least_moving >= 0 && 0 <= spec->crossing && spec->crossing <= 1,
                 GANNET_ERR_ARG, "least_moving = %g, crossing = %g", spec->least_moving,
                 spec->crossing);
  for (int k = 0; k < d; ++k) {
    const double low = spec->lower ? spec->lower[k] : 0, high = spec->upper ? spec->upper[k] : 1;
    GANNET_REQUIRE(0 <= low && low <= high && high <= 1, GANNET_ERR_ARG,
                   "box of coordinate %d: [%g, %g]", k, low, high);
  }
  return GANNET_OK;
}

static gannet_err candidates_init(gannet_candidates *c, const gannet_candidates_spec *spec,
                                  uint64_t seed, uint64_t iteration) {
  const size_t d = (size_t)c->problem->d, n_centres = spec->n_local ? (size_t)spec->n_centres : 0;
  const gannet_stream sobol = {seed, GANNET_FOR_DESIGN, iteration, 0};
  const double usual = gannet_perturb_chance(c->problem->n_free);
  const double n_points = gannet_problem_count_points(c->problem);
  GANNET_TRY(gannet_alloc(5 * d, sizeof *c->lower, &c->lower));
  GANNET_TRY(gannet_alloc(n_centres * d, sizeof *c->centres, &c->centres));
  GANNET_TRY(gannet_sobol_create(c->problem->d, &sobol, &c->sobol));
  c->upper = c->lower + d;
  c->origin = c->lower + 2 * d;
  c->width = c->lower + 3 * d;
  for (size_t k = 0; k < d; ++k) {
    c->lower[k] = c->origin[k] = spec->lower ? spec->lower[k] : 0;
    c->upper[k] = spec->upper ? spec->upper[k] : 1;
    c->width[k] = c->upper[k] - c->lower[k];
  }
  c->is_whole = !spec->lower && !spec->upper && !spec->anchor;
  gannet_problem_widen(c->problem, c->origin, c->width);
  if (spec->anchor) {
    c->anchor = c->lower + 4 * d;
    memcpy(c->anchor, spec->anchor, d * sizeof *c->anchor);
  }
  if (n_centres) memcpy(c->centres, spec->centres, n_centres * d * sizeof *c->centres);
  c->n_centres = (int)n_centres;
  c->perturbation = (gannet_perturb_spec){.lower = c->lower,
                                          .upper = c->upper,
                                          .moving = spec->moving > 0 ? spec->moving : usual,
                                          .least_moving = spec->least_moving,
                                          .switching = spec->switching};
  c->crossing = spec->crossing;
  c->moves = (gannet_stream){seed, GANNET_FOR_LOCAL, iteration, 0};
  c->rows = (gannet_stream){seed, GANNET_FOR_DESIGN, iteration, 1};
  c->all_points = spec->all_points && (c->problem->pool != NULL ||
                                       n_points <= (double)(spec->n_global + spec->n_local));
  c->n_global = c->all_points ? (int64_t)n_points : spec->n_global;
  c->n_local = c->all_points ? 0 : spec->n_local;
  return GANNET_OK;
}

gannet_err gannet_candidates_create(const gannet_problem *problem,
                                    const gannet_candidates_spec *spec, uint64_t seed,
                                    uint64_t iteration, gannet_candidates **candidates) {
  GANNET_TRY(check_spec(spec, problem->d));
  gannet_candidates *c = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *c, &c));
  c->problem = problem;
  const gannet_err err = candidates_init(c, spec, seed, iteration);
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

/* Replace a candidate that violates a variable constraint: a global one of the whole box by another
 * point of the allowed part, and one of a region, or beside a centre, by an allowed one close by.
 */
static void keep_allowed(const gannet_candidates *c, bool global, int64_t number, double *x) {
  const size_t d = (size_t)c->problem->d;
  const double *base = c->n_centres > 0 ? c->centres : x;
  gannet_stream stream = c->rows;
  stream.index = (uint64_t)number + 2;
  if (gannet_allowed_complete(c->problem, x) == 0) return;
  if (global && (c->all_points || c->is_whole)) {
    gannet_allowed_draw(c->problem, stream, x);
    return;
  }
  if (global && c->anchor) base = c->anchor;
  if (!global) base = c->centres + (size_t)(number % c->n_centres) * d;
  gannet_allowed_repair(c->problem, base, c->lower, c->upper, x);
}

void gannet_candidates_tile(const gannet_candidates *candidates, int64_t first, int count,
                            double *x_unit) {
  const gannet_candidates *c = candidates;
  const gannet_problem *problem = c->problem;
  const size_t d = (size_t)problem->d;
  const bool listed = c->all_points || problem->pool;
  const int64_t left = c->n_global - first;
  const int n_global = left <= 0 ? 0 : left < count ? (int)left : count;
  const int n_rows = problem->pool ? n_global : 0; /* of the pool: admissible as they are */
  gannet_stream moves = c->moves;
  if (!listed) gannet_sobol_points(c->sobol, (uint32_t)first, n_global, x_unit);
  for (int p = 0; p < count; ++p) {
    const int64_t number = p < n_global ? first + p : first + p - c->n_global;
    double *x = x_unit + (size_t)p * d;
    moves.index = (uint64_t)number;
    if (p >= n_global) {
      gannet_stream others = moves;
      others.purpose |= UINT64_C(4) << 32; /* no kind of numbers of gannet_perturb */
      begin_at_centre(c, number, x);
      gannet_conditional_refresh(problem, others, 0, x);
      gannet_perturb(problem, moves, &c->perturbation, x);
    } else if (c->all_points) {
      gannet_problem_get_point(problem, number, x);
    } else if (listed) {
      const uint64_t rows = (uint64_t)gannet_pool_count(problem->pool);
      const uint64_t bits = gannet_random_bits(c->rows, (uint64_t)number);
      gannet_problem_get_point(problem, (int64_t)(bits % rows), x);
    } else {
      for (size_t k = 0; k < d; ++k) x[k] = c->origin[k] + x[k] * c->width[k];
      if (c->anchor) gannet_perturb_hold(problem, moves, &c->perturbation, c->anchor, x);
    }
  }
  gannet_problem_snap(problem, count - n_rows, x_unit + (size_t)n_rows * d);
  if (!problem->variable_constraints || problem->pool) return;
  for (int p = 0; p < count; ++p) {
    const int64_t number = p < n_global ? first + p : first + p - c->n_global;
    keep_allowed(c, p < n_global, number, x_unit + (size_t)p * d);
  }
}
