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

/* Every variable moves by its chance, and one surely; -1 = all do. */
typedef struct {
  double moving, switching;
  int surely;
} chances;

static bool is_switch(const gannet_problem *problem, int i) {
  return gannet_variable_switches(&problem->spec.variables[i]);
}

static int number_of_switch(const gannet_problem *problem, int k) {
  int i = 0;
  while (!is_switch(problem, i) || k-- > 0) ++i;
  return i;
}

static chances chances_of(const gannet_problem *problem, gannet_stream stream, double moving,
                          double switching) {
  chances c = {moving, switching, -1};
  double u;
  if (moving >= 1 && switching >= 1 && problem->n_continuous > 0) return c;
  gannet_random_uniform(stream, 1, 1, &u);
  c.surely = (int)(u * problem->spec.n_variables);
  return c;
}

/* One switch of many says most about each, and all of them are far from what is known; reals beside
 * them move anyway, so that one of them switches. */
static chances own_chances(const gannet_problem *problem, gannet_stream stream, double moving) {
  const int n = gannet_problem_count_switches(problem);
  gannet_stream numbers = stream;
  double u, surely;
  if (problem->n_continuous == problem->d) return chances_of(problem, stream, moving, 1);
  numbers.purpose |= (uint64_t)3 << 32;
  gannet_random_uniform(numbers, 0, 1, &u);
  gannet_random_uniform(stream, 1, 1, &surely);
  chances c = {moving, moving * pow(n + 1, -u), (int)(surely * problem->spec.n_variables)};
  if (n > 0 && problem->n_continuous > 0) c.surely = number_of_switch(problem, (int)(surely * n));
  return c;
}

typedef struct {
  const gannet_problem *problem;
  gannet_stream stream;
  const gannet_local_spec *spec;
  double step;
  chances of;
} perturbation;

/* The numbers of the steps (1) and of the categories (2), apart from those of the choices. */
static gannet_stream numbers_of(const perturbation *p, uint64_t kind) {
  gannet_stream stream = p->stream;
  stream.purpose |= kind << 32;
  return stream;
}

/* Steps that round to nothing leave an integer as it is, unless it surely moves. */
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
    const bool surely = i == p->of.surely && gannet_variable_has_steps(v);
    x[k] = surely ? moved_number(v, x[k], inside) : inside;
  }
}

/* Which of variables first .. first+n-1, n <= CHUNK, move. */
static void choose(const gannet_problem *problem, gannet_stream stream, const chances *c, int first,
                   int n, bool *moved) {
  double u[CHUNK];
  for (int j = 0; j < n; ++j) moved[j] = true;
  if (c->surely < 0) return;
  gannet_random_uniform(stream, 2 + (uint64_t)first, (size_t)n, u);
  for (int j = 0; j < n; ++j)
    moved[j] =
        first + j == c->surely || u[j] < (is_switch(problem, first + j) ? c->switching : c->moving);
}

/* Variables first .. first+n-1, n <= CHUNK: random numbers are cheaper by the chunk, unless few of
 * them are used. */
static void move_some(const perturbation *p, int first, int n, double *x) {
  double z[CHUNK];
  bool moved[CHUNK];
  const bool together = p->of.moving > 0.3;
  choose(p->problem, p->stream, &p->of, first, n, moved);
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
                          .step = smallest_step * pow(largest_step / smallest_step, u),
                          .of = spec->switching > 0
                                    ? chances_of(problem, stream, spec->moving, spec->switching)
                                    : own_chances(problem, stream, spec->moving)};
  for (int first = 0; first < n; first += CHUNK)
    move_some(&p, first, n - first < CHUNK ? n - first : CHUNK, x);
}

void gannet_local_hold(const gannet_problem *problem, gannet_stream stream,
                       const gannet_local_spec *spec, const double *anchor, double *x) {
  const int n = problem->spec.n_variables;
  const double switching = spec->switching > 0 ? spec->switching : spec->moving;
  const chances held = chances_of(problem, stream, spec->moving, switching);
  bool moved[CHUNK];
  for (int first = 0; first < n; first += CHUNK) {
    const int count = n - first < CHUNK ? n - first : CHUNK;
    choose(problem, stream, &held, first, count, moved);
    for (int j = 0; j < count; ++j) {
      if (moved[j]) continue;
      const size_t k = (size_t)problem->first[first + j];
      const int width = gannet_variable_width(&problem->spec.variables[first + j]);
      memcpy(x + k, anchor + k, (size_t)width * sizeof *x);
    }
  }
}
