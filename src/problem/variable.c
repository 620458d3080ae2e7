/* One variable of a problem: its values, its coordinates in the unit cube, its texts and checks;
 * and points, as far as they are made of variables one by one.
 */
#include "problem/variable.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/number.h"
#include "base/option.h"
#include "base/utf8.h"
#include "problem/problem.h"

const char *gannet_variable_type_name(gannet_variable_type type) {
  static const char *const names[] = {"real", "integer", "boolean", "categorical", "ordinal"};
  return names[type];
}

/* Values. */

int gannet_variable_width(const gannet_variable *variable) {
  if (variable->role != GANNET_ROLE_FREE) return 0;
  return variable->type == GANNET_VARIABLE_CATEGORICAL ? variable->n_values : 1;
}

/* The number of a floating-point number when all of them are counted in ascending order. Zero has
 * one number for both signs. */
static int64_t ordinal_of(double value) {
  int64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits < 0 ? INT64_MIN - bits : bits;
}

bool gannet_variable_has_numbers(const gannet_variable *v) {
  return v->type == GANNET_VARIABLE_ORDINAL && v->numbers;
}

bool gannet_variable_has_words(const gannet_variable *v) {
  return v->type == GANNET_VARIABLE_CATEGORICAL ||
         (v->type == GANNET_VARIABLE_ORDINAL && !v->numbers);
}

bool gannet_variable_is_number(const gannet_variable *v) {
  return v->type != GANNET_VARIABLE_BOOLEAN && !gannet_variable_has_words(v);
}

/* Whether the values are evenly spaced, but for integers without a step, for which less is to be
 * computed. */
static bool is_lattice(const gannet_variable *v) {
  return v->step > 0 || (v->type == GANNET_VARIABLE_ORDINAL && !v->numbers);
}

static double step_of(const gannet_variable *v) {
  return v->step > 0 ? v->step : 1;
}

static double count_reals(const gannet_variable *v) {
  const double most = 1e9;
  const double count =
      (double)((uint64_t)ordinal_of(v->upper) - (uint64_t)ordinal_of(v->lower)) + 1;
  return count <= most ? count : INFINITY;
}

double gannet_variable_count(const gannet_variable *v) {
  if (v->role != GANNET_ROLE_FREE) return 1;
  if (v->step > 0) return rint((v->upper - v->lower) / v->step) + 1;
  switch (v->type) {
    case GANNET_VARIABLE_INTEGER:
      return v->upper - v->lower + 1;
    case GANNET_VARIABLE_BOOLEAN:
      return 2;
    case GANNET_VARIABLE_CATEGORICAL:
    case GANNET_VARIABLE_ORDINAL:
      return v->n_values;
    default:
      return count_reals(v);
  }
}

/* lower + t*step as people compute it, in decimals: 0.1 + 2*0.1 is 0.3, and not
 * 0.30000000000000004. Both are whole numbers over a power of ten where they have few digits. */
static double lattice_value(const gannet_variable *v, int64_t t) {
  enum { MOST_DIGITS = 15 };
  const double largest = 0x1p53, step = step_of(v);
  double power = 1;
  for (int digits = 0; digits <= MOST_DIGITS; ++digits, power *= 10) {
    const double first = rint(v->lower * power), each = rint(step * power);
    const double sum = first + (double)t * each;
    if (!(fabs(first) < largest && fabs((double)t * each) < largest && fabs(sum) < largest)) break;
    if (first / power == v->lower && each / power == step) return sum / power;
  }
  return fma((double)t, step, v->lower);
}

/* The number of the evenly spaced value that is nearest, the upper one on a tie, as of integers. */
static int64_t lattice_index(const gannet_variable *v, double number) {
  const double last = rint((v->upper - v->lower) / step_of(v));
  const double t = floor((number - v->lower) / step_of(v) + 0.5);
  return (int64_t)(t < 0 ? 0 : t > last ? last : t);
}

double gannet_variable_value(const gannet_variable *v, int64_t t) {
  if (gannet_variable_has_numbers(v)) return v->numbers[t];
  if (v->step > 0) return lattice_value(v, t);
  if (v->type != GANNET_VARIABLE_REAL)
    return (v->type == GANNET_VARIABLE_INTEGER ? v->lower : 0) + (double)t;
  const int64_t ordinal = ordinal_of(v->lower) + t;
  const int64_t bits = ordinal < 0 ? INT64_MIN - ordinal : ordinal;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

double gannet_variable_last(const gannet_variable *v) {
  if (!(v->step > 0)) return v->upper;
  int64_t t = (int64_t)floor((v->upper - v->lower) / v->step + 0.5);
  while (t > 0 && lattice_value(v, t) > v->upper) --t;
  return lattice_value(v, t);
}

static bool is_few_reals(const gannet_variable *v) {
  return v->role == GANNET_ROLE_FREE && v->type == GANNET_VARIABLE_REAL && !(v->step > 0) &&
         isfinite(count_reals(v));
}

bool gannet_variable_is_log(const gannet_variable *v) {
  return v->scale == GANNET_SCALE_LOG && !is_few_reals(v);
}

bool gannet_variable_has_steps(const gannet_variable *v) {
  if (v->role != GANNET_ROLE_FREE) return false;
  return v->type == GANNET_VARIABLE_INTEGER || v->type == GANNET_VARIABLE_ORDINAL || v->step > 0 ||
         is_few_reals(v);
}

bool gannet_variable_switches(const gannet_variable *v) {
  if (v->role != GANNET_ROLE_FREE) return false;
  return v->type == GANNET_VARIABLE_BOOLEAN || v->type == GANNET_VARIABLE_CATEGORICAL;
}

/* Coordinates. */

static double clip(double u) {
  return u < 0 ? 0 : u > 1 ? 1 : u; /* NAN passes through and is caught by the checks */
}

/* The coordinate of a value that may be outside the bounds. */
static double to_unit_anywhere(const gannet_variable *v, double value) {
  if (gannet_variable_is_log(v)) return log(value / v->lower) / log(v->upper / v->lower);
  return (value - v->lower) / (v->upper - v->lower);
}

static double to_unit(const gannet_variable *v, double value) {
  return clip(to_unit_anywhere(v, value));
}

/* The ends are returned exactly, whatever rounding does in between. */
static double from_unit(const gannet_variable *v, double u) {
  double value;
  if (u <= 0) return v->lower;
  if (u >= 1) return v->upper;
  if (gannet_variable_is_log(v))
    value = v->lower * exp(u * log(v->upper / v->lower));
  else
    value = v->lower + u * (v->upper - v->lower);
  return value < v->lower ? v->lower : value > v->upper ? v->upper : value;
}

/* The number of the value of a set whose coordinate is nearest, the lower one on a tie. */
static int set_index(const gannet_variable *v, double u) {
  int low = 0, high = v->n_values - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    const double border =
        0.5 * to_unit(v, v->numbers[middle]) + 0.5 * to_unit(v, v->numbers[middle + 1]);
    if (u <= border)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

double gannet_variable_next(const gannet_variable *v, double value, bool larger) {
  if (larger ? value >= v->upper : value <= v->lower) return value;
  const int by = larger ? 1 : -1;
  if (gannet_variable_has_numbers(v)) return v->numbers[set_index(v, to_unit(v, value)) + by];
  if (is_lattice(v)) return lattice_value(v, lattice_index(v, value) + by);
  if (v->type == GANNET_VARIABLE_INTEGER) return value + by;
  return nextafter(value, larger ? INFINITY : -INFINITY);
}

double gannet_variable_nearest(const gannet_variable *v, double value) {
  if (gannet_variable_has_numbers(v)) return v->numbers[set_index(v, to_unit(v, value))];
  return is_lattice(v) ? lattice_value(v, lattice_index(v, value)) : value;
}

double gannet_variable_decode(const gannet_variable *v, const double *x_unit) {
  int best = 0;
  if (gannet_variable_has_numbers(v)) return v->numbers[set_index(v, clip(x_unit[0]))];
  if (is_lattice(v)) return lattice_value(v, lattice_index(v, from_unit(v, clip(x_unit[0]))));
  switch (v->type) {
    case GANNET_VARIABLE_INTEGER:
      return floor(from_unit(v, clip(x_unit[0])) + 0.5);
    case GANNET_VARIABLE_BOOLEAN:
      return x_unit[0] >= 0.5;
    case GANNET_VARIABLE_CATEGORICAL:
      for (int i = 1; i < v->n_values; ++i)
        if (x_unit[i] > x_unit[best]) best = i;
      return best;
    default:
      return from_unit(v, clip(x_unit[0]));
  }
}

bool gannet_variable_is_conditional(const gannet_variable *v) {
  return v->when && *v->when;
}

double gannet_variable_resting(const gannet_variable *v) {
  const double middle = 0.5;
  gannet_variable whole = *v;
  if (v->role == GANNET_ROLE_FIXED) return v->fixed;
  if (gannet_variable_switches(v)) return 0;
  if (gannet_variable_has_numbers(v)) { /* a problem to be has no bounds of them yet */
    whole.lower = v->numbers[0];
    whole.upper = v->numbers[v->n_values - 1];
    return v->numbers[set_index(&whole, middle)];
  }
  if (v->type == GANNET_VARIABLE_ORDINAL) whole.lower = 0, whole.upper = v->n_values - 1;
  const double number = from_unit(&whole, middle);
  if (is_lattice(v)) return lattice_value(&whole, lattice_index(&whole, number));
  if (v->type == GANNET_VARIABLE_INTEGER) return floor(number + 0.5);
  /* A number of six digits is easier to read, in a range that has room for it. */
  const double power = number != 0 ? pow(10, 5 - floor(log10(fabs(number)))) : 1;
  const double rounded = rint(number * power) / power;
  return isfinite(rounded) && v->lower <= rounded && rounded <= v->upper ? rounded : number;
}

void gannet_variable_encode(const gannet_variable *v, double value, double *x_unit) {
  if (v->type == GANNET_VARIABLE_CATEGORICAL) {
    memset(x_unit, 0, (size_t)v->n_values * sizeof *x_unit);
    x_unit[(int)value] = 1;
  } else if (v->type == GANNET_VARIABLE_BOOLEAN) {
    x_unit[0] = value != 0;
  } else {
    x_unit[0] = to_unit(v, value);
  }
}

void gannet_variable_snap(const gannet_variable *v, bool continuous, double *x_unit) {
  if (continuous)
    x_unit[0] = clip(x_unit[0]);
  else
    gannet_variable_encode(v, gannet_variable_decode(v, x_unit), x_unit);
}

/* Make a box wider by half of the gaps between the values at its ends and the values next to them,
 * as far as there are some, else those on the other side. */
static void widen_set(const gannet_variable *v, double *origin, double *width) {
  const int low = set_index(v, clip(*origin)), high = set_index(v, clip(*origin + *width));
  const int first = low > 0 ? low - 1 : 0;
  const int last = high < v->n_values - 1 ? high : v->n_values - 2;
  const double below = 0.5 * (to_unit(v, v->numbers[first + 1]) - to_unit(v, v->numbers[first]));
  const double above = 0.5 * (to_unit(v, v->numbers[last + 1]) - to_unit(v, v->numbers[last]));
  *origin -= below;
  *width += below + above;
}

void gannet_variable_widen(const gannet_variable *v, double *origin, double *width) {
  if (!gannet_variable_has_steps(v)) return;
  if (gannet_variable_has_numbers(v)) {
    widen_set(v, origin, width);
    return;
  }
  const double half = 0.5 * step_of(v);
  double below =
      is_few_reals(v) ? 0.5 / (gannet_variable_count(v) - 1) : half / (v->upper - v->lower);
  double above = below;
  if (gannet_variable_is_log(v)) {
    const double range = log(v->upper / v->lower);
    const double low = v->lower * exp(*origin * range);
    const double high = v->lower * exp((*origin + *width) * range);
    below = log(low > half ? low / (low - half) : (low + half) / low) / range;
    above = log((high + half) / high) / range;
  }
  *origin -= below;
  *width += below + above;
}

/* Points. */

void gannet_problem_encode(const gannet_problem *problem, const double *x_user, double *x_unit) {
  for (int f = 0; f < problem->n_free; ++f) {
    const int i = problem->free_variable[f];
    gannet_variable_encode(&problem->spec.variables[i], x_user[i], x_unit + problem->first[i]);
  }
}

void gannet_problem_encode_anywhere(const gannet_problem *problem, const double *x_user,
                                    double *x_unit) {
  gannet_problem_encode(problem, x_user, x_unit);
  for (int f = 0; f < problem->n_free; ++f) {
    const int i = problem->free_variable[f];
    const gannet_variable *v = &problem->spec.variables[i];
    if (gannet_variable_is_number(v) && !(v->lower <= x_user[i] && x_user[i] <= v->upper))
      x_unit[problem->first[i]] = to_unit_anywhere(v, x_user[i]);
  }
}

/* Squared distance between a variable's coordinates and those of one of its values. */
static double square_of_distance(const gannet_variable *v, double value, const double *x_unit) {
  double part[1], sum = 0;
  if (v->type != GANNET_VARIABLE_CATEGORICAL) {
    gannet_variable_encode(v, value, part);
    return (x_unit[0] - part[0]) * (x_unit[0] - part[0]);
  }
  for (int i = 0; i < v->n_values; ++i) {
    const double gap = x_unit[i] - (i == (int)value);
    sum += gap * gap;
  }
  return sum;
}

double gannet_problem_gap(const gannet_problem *problem, const double *x_user,
                          const double *x_unit) {
  double sum = 0;
  for (int f = 0; f < problem->n_free; ++f) {
    const int i = problem->free_variable[f];
    sum += square_of_distance(&problem->spec.variables[i], x_user[i], x_unit + problem->first[i]);
  }
  return sum;
}

double gannet_problem_distance(const gannet_problem *problem, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < problem->spec.n_variables; ++i) {
    const int begin = problem->first[i];
    const int end = i + 1 < problem->spec.n_variables ? problem->first[i + 1] : problem->d;
    const bool is_categorical = problem->spec.variables[i].type == GANNET_VARIABLE_CATEGORICAL;
    double square = 0;
    for (int j = begin; j < end; ++j) square += (a[j] - b[j]) * (a[j] - b[j]);
    sum += is_categorical ? square / 2 : square; /* two coordinates differ by 1 each */
  }
  return sqrt(sum);
}

/* Names, texts and checks. */

int gannet_problem_find_variable(const gannet_problem *problem, const char *name) {
  for (int v = 0; v < problem->spec.n_variables; ++v)
    if (strcmp(problem->spec.variables[v].name, name) == 0) return v;
  return -1;
}

int gannet_problem_find_constraint(const gannet_problem *problem, const char *name) {
  for (int k = 0; k < problem->spec.n_constraints; ++k)
    if (strcmp(problem->spec.constraints[k].name, name) == 0) return k;
  return -1;
}

void gannet_variable_write_number(double value, char *buffer, size_t size) {
  if (fabs(value) < 1e15 && value == floor(value))
    (void)snprintf(buffer, size, "%.0f", value); /* 1000000, not 1e+06 */
  else
    gannet_format_number(value, buffer, size);
}

void gannet_problem_format(const gannet_problem *problem, int variable, double value, char *buffer,
                           size_t size) {
  const gannet_variable *v = &problem->spec.variables[variable];
  const bool is_short = v->role != GANNET_ROLE_FREE || v->step > 0 ||
                        v->type == GANNET_VARIABLE_ORDINAL ||
                        value == gannet_problem_pinned(problem, variable);
  if (isnan(value)) /* of a derived variable that has none */
    (void)snprintf(buffer, size, "nan");
  else if (gannet_variable_has_words(v))
    (void)snprintf(buffer, size, "%s", v->values[(int)value]);
  else if (v->type == GANNET_VARIABLE_BOOLEAN)
    (void)snprintf(buffer, size, "%s", value != 0 ? "true" : "false");
  else if (v->type == GANNET_VARIABLE_INTEGER)
    (void)snprintf(buffer, size, "%.0f", value);
  else if (is_short)
    gannet_variable_write_number(value, buffer, size);
  else
    (void)snprintf(buffer, size, "%.17g", value);
}

static gannet_err parse_category(const gannet_variable *v, const char *text, double *value) {
  const char *known[257] = {NULL};
  char list[200] = "";
  size_t used = 0;
  for (int i = 0; i < v->n_values; ++i) {
    if (i < 256) known[i] = v->values[i];
    const int more = snprintf(list + used, sizeof list - used, " %s", v->values[i]);
    if (more > 0 && used + (size_t)more < sizeof list) used += (size_t)more;
    if (strcmp(v->values[i], text) == 0) {
      *value = i;
      return GANNET_OK;
    }
  }
  const size_t valid = gannet_utf8_valid_bytes(text);
  if (text[valid])
    return GANNET_RAISE(GANNET_ERR_INPUT,
                        "variable %s: '%s' contains the byte 0x%02x, which is not UTF-8: save the "
                        "file as UTF-8; expected one of:%s",
                        v->name, text, (unsigned)(unsigned char)text[valid], list);
  const char *near = gannet_nearest(text, known);
  return GANNET_RAISE(GANNET_ERR_INPUT, "variable %s: '%s' is not one of its values,%s%s%s%s",
                      v->name, text, list, near ? "; did you mean '" : "", near ? near : "",
                      near ? "'?" : "");
}

static gannet_err parse_truth(const gannet_variable *v, const char *text, double *value) {
  const bool is_digit = (text[0] == '0' || text[0] == '1') && !text[1];
  bool truth = text[0] == '1';
  GANNET_REQUIRE(is_digit || !gannet_parse_boolean(text, &truth), GANNET_ERR_INPUT,
                 "variable %s: '%s' is not valid; expected true or false", v->name, text);
  *value = truth;
  return GANNET_OK;
}

gannet_err gannet_problem_parse(const gannet_problem *problem, int variable, const char *text,
                                double *value) {
  const gannet_variable *v = &problem->spec.variables[variable];
  if (gannet_variable_has_words(v)) return parse_category(v, text, value);
  if (v->type == GANNET_VARIABLE_BOOLEAN) return parse_truth(v, text, value);
  GANNET_REQUIRE(!gannet_parse_number(text, value), GANNET_ERR_INPUT,
                 "variable %s: '%s' is not a number%s", v->name, text, gannet_number_hint(text));
  return GANNET_OK;
}

bool gannet_variable_is_near(const gannet_variable *v, double value, double *nearest) {
  *nearest = gannet_variable_nearest(v, value);
  return fabs(value - *nearest) <= 1e-6 * (v->step > 0 ? v->step : fabs(*nearest));
}

/* A value of a variable with a step or a set of numbers. */
static gannet_err check_listed(const gannet_variable *v, double value) {
  char number[40], low[40], step[40], near[40];
  double nearest;
  const bool is_near = gannet_variable_is_near(v, value, &nearest);
  if (is_near) return GANNET_OK; /* numbers are formatted for messages only, as that takes long */
  gannet_format_number(value, number, sizeof number);
  gannet_format_number(nearest, near, sizeof near);
  gannet_format_number(v->lower, low, sizeof low);
  gannet_format_number(v->step, step, sizeof step);
  GANNET_REQUIRE(v->lower <= value && value <= v->upper, GANNET_ERR_INPUT,
                 "variable %s: %s is outside [%g, %g]", v->name, number, v->lower, v->upper);
  GANNET_REQUIRE(!(v->step > 0), GANNET_ERR_INPUT,
                 "variable %s: %s is not %s plus a multiple of the step %s; choose %s, the nearest",
                 v->name, number, low, step, near);
  return GANNET_RAISE(GANNET_ERR_INPUT,
                      "variable %s: %s is not one of its values; choose %s, the nearest", v->name,
                      number, near);
}

gannet_err gannet_problem_check_value(const gannet_problem *problem, int variable, double value) {
  const gannet_variable *v = &problem->spec.variables[variable];
  const bool whole = value == floor(value);
  if (v->role == GANNET_ROLE_DERIVED) return GANNET_OK; /* it was computed, or compared with that */
  if (v->role == GANNET_ROLE_FIXED) {
    GANNET_REQUIRE(isnan(value) || value == v->fixed, GANNET_ERR_INPUT,
                   "variable %s: %.17g, but its value is fixed to %.17g; leave it out", v->name,
                   value, v->fixed);
    return GANNET_OK;
  }
  GANNET_REQUIRE(!isnan(value) || !gannet_variable_is_conditional(v), GANNET_ERR_INPUT,
                 "variable %s: has no value, but is active at this design (when: %.200s); give one",
                 v->name, v->when);
  if (gannet_variable_has_numbers(v) || v->step > 0) return check_listed(v, value);
  switch (v->type) {
    case GANNET_VARIABLE_CATEGORICAL:
    case GANNET_VARIABLE_ORDINAL:
      GANNET_REQUIRE(whole && 0 <= value && value < v->n_values, GANNET_ERR_INPUT,
                     "variable %s: %g is not a position of one of its values; expected 0 to %d - 1",
                     v->name, value, v->n_values);
      break;
    case GANNET_VARIABLE_BOOLEAN:
      GANNET_REQUIRE(value == 0 || value == 1, GANNET_ERR_INPUT,
                     "variable %s: %g is neither 0 nor 1, as expected", v->name, value);
      break;
    default:
      GANNET_REQUIRE(v->type == GANNET_VARIABLE_REAL || whole, GANNET_ERR_INPUT,
                     "variable %s: %.17g is not a whole number", v->name, value);
      GANNET_REQUIRE(v->lower <= value && value <= v->upper, GANNET_ERR_INPUT,
                     "variable %s: %.17g is outside [%g, %g]", v->name, value, v->lower, v->upper);
  }
  return GANNET_OK;
}

gannet_err gannet_problem_check_point(const gannet_problem *problem, const double *x_user) {
  for (int i = 0; i < problem->spec.n_variables; ++i)
    GANNET_TRY(gannet_problem_check_value(problem, i, x_user[i]));
  return GANNET_OK;
}

/* Ranges beyond the bounds within which a value is a value of the variable, and no mistake. */
static const double farthest = 1e6;

gannet_err gannet_problem_check_tried(const gannet_problem *problem, int variable, double value) {
  const gannet_variable *v = &problem->spec.variables[variable];
  char number[40];
  const bool is_missing = isnan(value) && gannet_variable_is_conditional(v);
  if (v->role != GANNET_ROLE_FREE || !gannet_variable_is_number(v) || is_missing)
    return gannet_problem_check_value(problem, variable, value);
  const bool has_type = v->type != GANNET_VARIABLE_INTEGER || value == floor(value);
  const bool has_place = !gannet_variable_is_log(v) || value > 0;
  if (isfinite(value) && has_type && has_place && fabs(to_unit_anywhere(v, value)) <= farthest)
    return GANNET_OK;
  gannet_format_number(value, number, sizeof number);
  GANNET_REQUIRE(isfinite(value), GANNET_ERR_INPUT, "variable %s: %s, expected a finite number",
                 v->name, number);
  GANNET_REQUIRE(has_type, GANNET_ERR_INPUT, "variable %s: %s is not a whole number", v->name,
                 number);
  GANNET_REQUIRE(has_place, GANNET_ERR_INPUT,
                 "variable %s: %s has no place on a logarithmic scale; expected a number above 0",
                 v->name, number);
  return GANNET_RAISE(GANNET_ERR_INPUT,
                      "variable %s: %s is further outside [%g, %g] than a million times its width; "
                      "give it in the unit of the bounds",
                      v->name, number, v->lower, v->upper);
}
