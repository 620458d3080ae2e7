/* What the pictures of a report have in common: reading the data, labels, ticks, blocks of data. */
#include "report/figure.h"

#include <math.h>

double figure_at(const json_t *list, size_t i) {
  const json_t *value = json_array_get(list, i);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

double figure_get(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *figure_text(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

const json_t *figure_column(const gannet_report *r, const char *name) {
  return json_object_get(r->columns, name);
}

void figure_put_label(FILE *out, const json_t *column) {
  const char *unit = figure_text(column, "unit");
  picture_put_text(out, figure_text(column, "name"));
  if (!*unit) return;
  (void)fputs(" [", out);
  picture_put_text(out, unit);
  (void)fputs("]", out);
}

void figure_end_block(FILE *data, size_t lines) {
  (void)fputs(lines ? "\n\n" : "NaN NaN NaN NaN\n\n\n", data);
}

int figure_count_digits(double low, double high, double step) {
  const double size = fmax(fabs(low), fabs(high));
  if (!(size > 0) || !(step > 0)) return 1;
  return (int)(floor(log10(size)) - floor(log10(step))) + 1;
}

/* 1, 2 or 5 times a power of ten. */
static double round_step(double least) {
  const double power = pow(10, floor(log10(least))), share = least / power;
  return power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
}

void figure_put_ticks(FILE *out, char axis, double low, double high, int most) {
  const int usual = 6, most_digits = 17;
  const double step = high > low ? round_step((high - low) / most) : 0;
  const int digits = figure_count_digits(low, high, step);
  const double size = fmax(fabs(low), fabs(high)); /* labels as wide as 1.5e+08 */
  const bool wide = axis == 'x' && high > low && (size >= 1e6 || size < 1e-4);
  if (digits > most_digits || (digits <= usual && !wide)) {
    (void)fprintf(out, "set format %c '%% h'\nset %ctics autofreq\n", axis, axis);
    if (most == 1 && high > low) /* a small picture has no room for gnuplot's own */
      (void)fprintf(out, "set %ctics %.17g\n", axis, round_step((high - low) / 4));
    return;
  }
  (void)fprintf(out, "set format %c '%%.%dg'\nset %ctics ", axis, digits, axis);
  if (most > 1)
    (void)fprintf(out, "%.17g, %.17g\n", ceil(low / step) * step, step);
  else
    (void)fprintf(out, "(%.17g, %.17g)\nset rmargin 6\n", ceil(low / step) * step,
                  fmin(floor(high / step * (1 + 1e-9)) * step, high));
}

double figure_begin_tiles(FILE *out, size_t n, int columns, double row_height) {
  const int wide = n < (size_t)columns ? (int)n : columns;
  const int rows = ((int)n + wide - 1) / wide;
  (void)fprintf(out, "set multiplot layout %d,%d\n", rows, wide);
  return row_height * rows;
}
