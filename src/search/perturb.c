#include "search/perturb.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 32 /* variables whose random numbers are drawn at once */ };

double gannet_perturb_chance(int n_variables) {
  const double moved = 20;
  return fmin(1, moved / n_variables);
}

double gannet_variable_number(const gannet_variable *v, double x_unit) {
  if (v->step > 0 || v->type == GANNET_VARIABLE_ORDINAL) return gannet_variable_decode(v, &x_unit);
  const double number = gannet_variable_is_log(v)
                            ? v->lower * exp(x_unit * log(v->upper / v->lower))
                            : v->lower + x_unit * (v->upper - v->lower);
  return v->type == GANNET_VARIABLE_INTEGER ? rint(number) : number;
}

double gannet_variable_unit(const gannet_variable *v, double number) {
  if (gannet_variable_is_log(v)) return log(number / v->lower) / log(v->upper / v->lower);
  return (number - v->lower) / (v->upper - v->lower);
}

/* Numbers of one kind: steps (1), new categories (2), the chances of switches and of others (3).
 * Kind 0 draws the size of the steps, the variable that moves in any case, and which others move.
 */
static gannet_stream numbers_of_kind(gannet_stream stream, uint64_t kind) {
  stream.purpose |= kind << 32;
  return stream;
}

typedef struct {
  double moving, switching;
  int surely; /* the variable that moves in any case; -1 = all variables do */
} chances;

static bool is_switch(const gannet_problem *problem, int i) {
  return gannet_variable_switches(&problem->spec.variables[i]);
}

static chances given_chances(const gannet_problem *problem, gannet_stream stream, double moving,
                             double switching) {
  chances c = {moving, switching, -1};
  double u;
  if (moving >= 1 && switching >= 1 && problem->n_continuous > 0) return c;
  gannet_random_uniform(stream, 1, 1, &u);
  c.surely = problem->free_variable[(int)(u * problem->n_free)];
  return c;
}

/* One switch of many says most about each, and all of them are far from what is known. Continuous
 * variables beside them move anyway, so that then one switch surely moves. */
static chances drawn_chances(const gannet_problem *problem, gannet_stream stream, double moving) {
  const int n = gannet_problem_count_switches(problem);
  double u, surely;
  if (problem->n_continuous == problem->d) return given_chances(problem, stream, moving, 1);
  gannet_random_uniform(numbers_of_kind(stream, 3), 0, 1, &u);
  gannet_random_uniform(stream, 1, 1, &surely);
  chances c = {moving, moving * pow(n + 1, -u),
               problem->free_variable[(int)(surely * problem->n_free)]};
  if (n == 0 || problem->n_continuous == 0) return c;
  int of_switches = (int)(surely * n);
  c.surely = 0;
  while (!is_switch(problem, c.surely) || of_switches-- > 0) ++c.surely;
  return c;
}

/* Draw which of variables first .. first+n-1 move; n <= CHUNK. */
static void draw_moved(const gannet_problem *problem, gannet_stream stream, const chances *c,
                       int first, int n, bool *moved) {
  double u[CHUNK];
  for (int j = 0; j < n; ++j) moved[j] = true;
  if (c->surely < 0) return;
  gannet_random_uniform(stream, 2 + (uint64_t)first, (size_t)n, u);
  for (int j = 0; j < n; ++j)
    moved[j] =
        first + j == c->surely || u[j] < (is_switch(problem, first + j) ? c->switching : c->moving);
}

/* Where a variable with steps moves that is to leave its number, and would move from one coordinate
 * to another: there, or to the next number. */
static double leave_number(const gannet_variable *v, double from, double to) {
  const double old = gannet_variable_number(v, from);
  if (gannet_variable_number(v, to) != old) return to;
  const double next = gannet_variable_next(v, old, !(to < from));
  return gannet_variable_unit(v, next != old ? next : gannet_variable_next(v, old, to < from));
}

/* x: [n], one of them 1 */
static void move_category(int n, uint64_t bits, double *x) {
  int now = 0;
  while (now + 1 < n && x[now] < 1) ++now;
  const int next = (now + 1 + (int)(bits % (uint64_t)(n - 1))) % n;
  memset(x, 0, (size_t)n * sizeof *x);
  x[next] = 1;
}

static double reflect(double x, double lower, double upper) {
  if (x < lower) x = 2 * lower - x;
  if (x > upper) x = 2 * upper - x;
  return fmin(fmax(x, lower), upper);
}

void gannet_perturb(const gannet_problem *problem, gannet_stream stream,
                    const gannet_perturb_spec *spec, double *x) {
  const double smallest = 1e-3, largest = 0.5;
  const int n = problem->spec.n_variables;
  const gannet_stream steps = numbers_of_kind(stream, 1), categories = numbers_of_kind(stream, 2);
  double moving = spec->moving;
  if (spec->least_moving > 0 && spec->least_moving < spec->moving) {
    double share;
    gannet_random_uniform(numbers_of_kind(stream, 3), 1, 1, &share);
    moving *= pow(spec->least_moving / spec->moving, share);
  }
  const chances c = spec->switching > 0 ? given_chances(problem, stream, moving, spec->switching)
                                        : drawn_chances(problem, stream, moving);
  const bool together = c.moving > 0.3; /* all steps of a chunk: cheaper, unless few are used */
  double u, z[CHUNK];
  bool moved[CHUNK];
  gannet_random_uniform(stream, 0, 1, &u);
  const double step = smallest * pow(largest / smallest, u);
  for (int first = 0; first < n; first += CHUNK) {
    const int count = n - first < CHUNK ? n - first : CHUNK;
    draw_moved(problem, stream, &c, first, count, moved);
    if (together) gannet_random_normal(steps, (uint64_t)first, (size_t)count, z);
    for (int j = 0; j < count; ++j) {
      const int i = first + j, k = problem->first[i];
      const gannet_variable *v = &problem->spec.variables[i];
      if (!moved[j] || v->role != GANNET_ROLE_FREE) continue;
      if (v->type == GANNET_VARIABLE_CATEGORICAL) {
        move_category(v->n_values, gannet_random_bits(categories, (uint64_t)i), x + k);
      } else if (v->type == GANNET_VARIABLE_BOOLEAN) {
        x[k] = 1 - x[k];
      } else {
        if (!together) gannet_random_normal(steps, (uint64_t)i, 1, &z[j]);
        const double lower = spec->lower[k], upper = spec->upper[k];
        const double inside = reflect(x[k] + step * (upper - lower) * z[j], lower, upper);
        const bool leaves = i == c.surely && gannet_variable_has_steps(v);
        x[k] = leaves ? leave_number(v, x[k], inside) : inside;
      }
    }
  }
}

void gannet_perturb_hold(const gannet_problem *problem, gannet_stream stream,
                         const gannet_perturb_spec *spec, const double *anchor, double *x) {
  const int n = problem->spec.n_variables;
  const double switching = spec->switching > 0 ? spec->switching : spec->moving;
  const chances c = given_chances(problem, stream, spec->moving, switching);
  bool moved[CHUNK];
  for (int first = 0; first < n; first += CHUNK) {
    const int count = n - first < CHUNK ? n - first : CHUNK;
    draw_moved(problem, stream, &c, first, count, moved);
    for (int j = 0; j < count; ++j) {
      if (moved[j]) continue;
      const size_t k = (size_t)problem->first[first + j];
      const int width = gannet_variable_width(&problem->spec.variables[first + j]);
      memcpy(x + k, anchor + k, (size_t)width * sizeof *x);
    }
  }
}
