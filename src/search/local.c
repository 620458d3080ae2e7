#include "search/local.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 32 };

static const double smallest_step = 1e-3, largest_step = 0.5;

static double reflect(double x, double lower, double upper) {
  if (x < lower) x = 2 * lower - x;
  if (x > upper) x = 2 * upper - x;
  return fmin(fmax(x, lower), upper);
}

double gannet_local_chance(int n_variables) {
  const double moved = 20;
  return fmin(1, moved / n_variables);
}

double gannet_local_value(const gannet_variable *v, double x) {
  const double value = gannet_variable_is_log(v) ? v->lower * exp(x * log(v->upper / v->lower))
                                                 : v->lower + x * (v->upper - v->lower);
  return v->type == GANNET_VARIABLE_INTEGER ? rint(value) : value;
}

double gannet_local_unit(const gannet_variable *v, double value) {
  if (gannet_variable_is_log(v)) return log(value / v->lower) / log(v->upper / v->lower);
  return (value - v->lower) / (v->upper - v->lower);
}

/* To another number at least. */
static double moved_number(const gannet_variable *v, double from, double to) {
  const double old = gannet_local_value(v, from);
  if (gannet_local_value(v, to) != old) return to;
  const double next = gannet_variable_next(v, old, !(to < from));
  return gannet_local_unit(v, next != old ? next : gannet_variable_next(v, old, to < from));
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
  gannet_stream stream;
  const gannet_local_spec *spec;
  double step;
} perturbation;

/* The numbers of the steps (1) and of the categories (2), apart from those of the choices. */
static gannet_stream numbers_of(const perturbation *p, uint64_t kind) {
  gannet_stream stream = p->stream;
  stream.purpose |= kind << 32;
  return stream;
}

static void move_variable(const perturbation *p, int i, double z, double *x) {
  const gannet_variable *v = &p->problem->spec.variables[i];
  const int k = p->problem->first[i];
  if (v->type == GANNET_VARIABLE_CATEGORICAL) {
    move_category(v->n_values, gannet_random_bits(numbers_of(p, 2), (uint64_t)i), x + k);
  } else if (v->type == GANNET_VARIABLE_BOOLEAN) {
    x[k] = 1 - x[k];
  } else {
    const double lower = p->spec->lower[k], upper = p->spec->upper[k];
    const double inside = reflect(x[k] + p->step * (upper - lower) * z, lower, upper);
    x[k] = gannet_variable_has_steps(v) ? moved_number(v, x[k], inside) : inside;
  }
}

static double chance_of(const gannet_problem *problem, const gannet_local_spec *spec, int i) {
  const gannet_variable_type type = problem->spec.variables[i].type;
  const bool switches = type == GANNET_VARIABLE_BOOLEAN || type == GANNET_VARIABLE_CATEGORICAL;
  return switches ? spec->switching : spec->moving;
}

/* Which of variables first .. first+n-1, n <= CHUNK, may move: of all, at least one does. */
static void choose(const gannet_problem *problem, gannet_stream stream,
                   const gannet_local_spec *spec, int first, int n, bool *moved) {
  double u[CHUNK], always;
  if (spec->moving >= 1 && spec->switching >= 1) { /* above every random number */
    for (int j = 0; j < n; ++j) moved[j] = true;
    return;
  }
  gannet_random_uniform(stream, 1, 1, &always);
  gannet_random_uniform(stream, 2 + (uint64_t)first, (size_t)n, u);
  for (int j = 0; j < n; ++j)
    moved[j] = first + j == (int)(always * problem->spec.n_variables) ||
               u[j] < chance_of(problem, spec, first + j);
}

/* Variables first .. first+n-1, n <= CHUNK: random numbers are cheaper by the chunk, unless few of
 * them are used. */
static void move_some(const perturbation *p, int first, int n, double *x) {
  double z[CHUNK];
  bool moved[CHUNK];
  const bool together = p->spec->moving > 0.3;
  choose(p->problem, p->stream, p->spec, first, n, moved);
  if (together) gannet_random_normal(numbers_of(p, 1), (uint64_t)first, (size_t)n, z);
  for (int j = 0; j < n; ++j) {
    if (!moved[j]) continue;
    if (!together) gannet_random_normal(numbers_of(p, 1), (uint64_t)(first + j), 1, &z[j]);
    move_variable(p, first + j, z[j], x);
  }
}

void gannet_local_perturb(const gannet_problem *problem, gannet_stream stream,
                          const gannet_local_spec *spec, double *x) {
  const int n = problem->spec.n_variables;
  double u;
  gannet_random_uniform(stream, 0, 1, &u);
  const perturbation p = {.problem = problem,
                          .stream = stream,
                          .spec = spec,
                          .step = smallest_step * pow(largest_step / smallest_step, u)};
  for (int first = 0; first < n; first += CHUNK)
    move_some(&p, first, n - first < CHUNK ? n - first : CHUNK, x);
}

void gannet_local_hold(const gannet_problem *problem, gannet_stream stream,
                       const gannet_local_spec *spec, const double *anchor, double *x) {
  const int n = problem->spec.n_variables;
  bool moved[CHUNK];
  for (int first = 0; first < n; first += CHUNK) {
    const int count = n - first < CHUNK ? n - first : CHUNK;
    choose(problem, stream, spec, first, count, moved);
    for (int j = 0; j < count; ++j) {
      if (moved[j]) continue;
      const size_t k = (size_t)problem->first[first + j];
      const int width = gannet_variable_width(&problem->spec.variables[first + j]);
      memcpy(x + k, anchor + k, (size_t)width * sizeof *x);
    }
  }
}
