#include "search/local.h"

#include <math.h>
#include <string.h>

static const double smallest_step = 1e-3, largest_step = 0.5;
static const double moved_variables = 20;

static double reflect(double x, double lower, double upper) {
  if (x < lower) x = 2 * lower - x;
  if (x > upper) x = 2 * upper - x;
  return fmin(fmax(x, lower), upper);
}

/* Number of grid steps of an integer variable between its bounds and, at a unit coordinate, its
 * value. */
static double value_at(const gannet_variable *v, double x) {
  if (v->scale == GANNET_SCALE_LOG) return rint(v->lower * exp(x * log(v->upper / v->lower)));
  return rint(v->lower + x * (v->upper - v->lower));
}

static double unit_of(const gannet_variable *v, double value) {
  if (v->scale == GANNET_SCALE_LOG) return log(value / v->lower) / log(v->upper / v->lower);
  return (value - v->lower) / (v->upper - v->lower);
}

static double moved_integer(const gannet_variable *v, double from, double to) {
  const double old = value_at(v, from);
  if (value_at(v, to) != old) return to;
  double next = old + (to < from ? -1 : 1);
  if (next < v->lower || next > v->upper) next = 2 * old - next;
  return unit_of(v, fmin(fmax(next, v->lower), v->upper));
}

static void move_category(int n, uint64_t bits, double *x) {
  int now = 0;
  while (now + 1 < n && x[now] < 1) ++now;
  const int next = (now + 1 + (int)(bits % (uint64_t)(n - 1))) % n;
  memset(x, 0, (size_t)n * sizeof *x);
  x[next] = 1;
}

typedef struct {
  const gannet_problem *problem;
  gannet_stream numbers; /* one block of four per variable */
  double step;
  const double *lower, *upper;
} perturbation;

static void move_variable(const perturbation *p, int i, double *x) {
  const gannet_variable *v = &p->problem->spec.variables[i];
  const int k = p->problem->first[i];
  if (v->type == GANNET_VARIABLE_CATEGORICAL) {
    move_category(v->n_values, gannet_random_bits(p->numbers, 4 * (uint64_t)i), x + k);
  } else if (v->type == GANNET_VARIABLE_BOOLEAN) {
    x[k] = 1 - x[k];
  } else {
    double z = 0;
    gannet_random_normal(p->numbers, 4 * (uint64_t)i, 1, &z);
    const double to = x[k] + p->step * (p->upper[k] - p->lower[k]) * z;
    const double inside = reflect(to, p->lower[k], p->upper[k]);
    x[k] = v->type == GANNET_VARIABLE_INTEGER ? moved_integer(v, x[k], inside) : inside;
  }
}

void gannet_local_perturb(const gannet_problem *problem, gannet_stream stream, const double *lower,
                          const double *upper, double *x) {
  const int n = problem->spec.n_variables;
  double u[2];
  gannet_random_uniform(stream, 0, 2, u);
  perturbation p = {.problem = problem, .numbers = stream, .lower = lower, .upper = upper};
  p.numbers.purpose |= UINT64_C(1) << 32;
  p.step = smallest_step * pow(largest_step / smallest_step, u[0]);
  const int always = (int)(u[1] * n);
  const double chance = moved_variables / n;
  for (int i = 0; i < n; ++i) {
    double chosen = 0;
    gannet_random_uniform(stream, 2 + (uint64_t)i, 1, &chosen);
    if (i == always || chosen < chance) move_variable(&p, i, x);
  }
}
