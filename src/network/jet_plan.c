#include "network/jet_plan.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

void gannet_jet_plan_release(gannet_jet_plan *plan) {
  gannet_free(&plan->direction);
  gannet_free(&plan->order);
  gannet_free(&plan->first);
  gannet_free(&plan->term);
  *plan = (gannet_jet_plan){0};
}

static double factorial(int k) {
  return k < 2 ? 1 : k * factorial(k - 1);
}

static int common_divisor(int a, int b) {
  return b == 0 ? a : common_divisor(b, a % b);
}

/* Make the entries coprime and the first one positive: v = factor * what is left. */
static int reduce(int d, const int *v, double *direction) {
  int factor = 0;
  for (int k = 0; k < d; ++k) factor = common_divisor(v[k] < 0 ? -v[k] : v[k], factor);
  if (factor == 0) return 0;
  for (int k = 0; k < d; ++k)
    if (v[k] != 0) {
      factor = v[k] < 0 ? -factor : factor;
      break;
    }
  for (int k = 0; k < d; ++k) direction[k] = v[k] / factor;
  return factor;
}

/* The position of a direction, which is added when it is new. */
static gannet_err find_direction(gannet_jet_plan *plan, const double *direction, int order,
                                 int *at) {
  const size_t d = (size_t)plan->d;
  int i = 0;
  while (i < plan->n_directions &&
         memcmp(plan->direction + (size_t)i * d, direction, d * sizeof *direction) != 0)
    ++i;
  if (i == plan->n_directions) {
    const size_t n = (size_t)i;
    GANNET_TRY(gannet_resize(n * d, (n + 1) * d, sizeof(double), &plan->direction));
    GANNET_TRY(gannet_resize(n, n + 1, sizeof *plan->order, &plan->order));
    memcpy(plan->direction + n * d, direction, d * sizeof *direction);
    plan->n_directions += 1;
  }
  if (plan->order[i] < order) plan->order[i] = order;
  *at = i;
  return GANNET_OK;
}

/* Add a term to the last derivative, or its weight to a term of the same direction. */
static gannet_err add_term(gannet_jet_plan *plan, int first, int *n, gannet_jet_term term) {
  for (int i = first; i < *n; ++i)
    if (plan->term[i].direction == term.direction) {
      plan->term[i].weight += term.weight;
      return GANNET_OK;
    }
  GANNET_TRY(gannet_resize((size_t)*n, (size_t)*n + 1, sizeof term, &plan->term));
  plan->term[(*n)++] = term;
  return GANNET_OK;
}

static bool is_pure(const gannet_partial *partial) {
  for (int i = 1; i < partial->order; ++i)
    if (partial->axis[i] != partial->axis[0]) return false;
  return true;
}

/* The sign pattern of a bit mask: the first factor always counts positively. */
static gannet_err add_signs(gannet_jet_plan *plan, const gannet_partial *partial, int *v,
                            double *direction, int *n) {
  const int k = partial->order, first = *n, patterns = is_pure(partial) ? 1 : 1 << (k - 1);
  for (int signs = 0; signs < patterns; ++signs) {
    double weight = patterns == 1 ? factorial(k) : 1.0 / patterns;
    memset(v, 0, (size_t)plan->d * sizeof *v);
    for (int i = 0; i < k; ++i) {
      const int sign = i > 0 && (signs >> (i - 1) & 1) ? -1 : 1;
      if (patterns == 1 && i > 0) break;
      v[partial->axis[i]] += sign;
      weight *= sign;
    }
    const int factor = reduce(plan->d, v, direction);
    if (factor == 0) continue;
    gannet_jet_term term = {.order = k, .weight = weight * pow(factor, k)};
    GANNET_TRY(find_direction(plan, direction, k, &term.direction));
    GANNET_TRY(add_term(plan, first, n, term));
  }
  return GANNET_OK;
}

static gannet_err add_partial(gannet_jet_plan *plan, const gannet_partial *partial, int *v,
                              double *direction, int *n) {
  GANNET_REQUIRE(0 <= partial->order && partial->order <= GANNET_JET_ORDER, GANNET_ERR_ARG,
                 "derivative of order %d, expected 0 to %d", partial->order, GANNET_JET_ORDER);
  for (int i = 0; i < partial->order; ++i)
    GANNET_REQUIRE(0 <= partial->axis[i] && partial->axis[i] < plan->d, GANNET_ERR_ARG,
                   "derivative by coordinate %d of %d", partial->axis[i], plan->d);
  if (partial->order > 0) return add_signs(plan, partial, v, direction, n);
  /* the value is the coefficient of order 0 along any line */
  gannet_jet_term term = {.weight = 1};
  if (plan->n_directions == 0) {
    memset(direction, 0, (size_t)plan->d * sizeof *direction);
    direction[0] = 1;
    GANNET_TRY(find_direction(plan, direction, 0, &term.direction));
  }
  return add_term(plan, *n, n, term);
}

static gannet_err plan_partials(gannet_jet_plan *plan, const gannet_partial *partials, int *v,
                                double *direction) {
  int n_terms = 0;
  GANNET_TRY(gannet_alloc((size_t)plan->n_partials + 1, sizeof *plan->first, &plan->first));
  for (int b = 0; b < plan->n_partials; ++b) {
    plan->first[b] = n_terms;
    GANNET_TRY(add_partial(plan, &partials[b], v, direction, &n_terms));
  }
  plan->first[plan->n_partials] = n_terms;
  return GANNET_OK;
}

gannet_err gannet_jet_plan_create(int d, int n, const gannet_partial *partials,
                                  gannet_jet_plan *plan) {
  int *v = NULL;
  double *direction = NULL;
  *plan = (gannet_jet_plan){.d = d, .n_partials = n};
  gannet_err code = gannet_alloc((size_t)d, sizeof *v, &v);
  if (code == GANNET_OK) code = gannet_alloc((size_t)d, sizeof *direction, &direction);
  if (code == GANNET_OK) code = plan_partials(plan, partials, v, direction);
  gannet_free(&v);
  gannet_free(&direction);
  return code;
}
