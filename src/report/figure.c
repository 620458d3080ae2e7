/* What the pictures of a report have in common: reading the data, labels, ticks, blocks of data. */
#include "report/figure.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "evaluate/evaluator.h"

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

void figure_put_objective(FILE *out, const gannet_report *r) {
  picture_put_text(out, r->objective);
  if (!*r->unit) return;
  (void)fputs(" [", out);
  picture_put_text(out, r->unit);
  (void)fputs("]", out);
}

void figure_put_tick(FILE *out, const char *name, const char *unit, double at) {
  (void)fputs("'", out);
  picture_put_tick(out, name);
  if (*unit) (void)fputs(" [", out);
  picture_put_tick(out, unit);
  (void)fprintf(out, "%s' %.17g", *unit ? "]" : "", at);
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

int *figure_order_variables(const gannet_report *report, const json_t *weights, size_t *n) {
  const json_t *variables = json_object_get(report->summary, "variables");
  const size_t n_all = json_array_size(variables);
  int *order = NULL;
  *n = 0;
  if (gannet_alloc(n_all + 1, sizeof *order, &order) != GANNET_OK) return NULL;
  for (size_t v = 0; v < n_all; ++v) {
    if (!json_is_true(json_object_get(json_array_get(variables, v), "searched"))) continue;
    const double weight = fmax(figure_at(weights, v), 0); /* NAN = 0 */
    size_t at = (*n)++;
    for (; at > 0 && weight > fmax(figure_at(weights, (size_t)order[at - 1]), 0); --at)
      order[at] = order[at - 1];
    order[at] = (int)v;
  }
  return order;
}

bool figure_is_numeric(const json_t *variable) {
  const char *type = figure_text(variable, "type");
  return strcmp(type, "real") == 0 || strcmp(type, "integer") == 0;
}

/* Long names are cut, between characters of UTF-8. */
static void put_names(FILE *out, const json_t *values, size_t most) {
  const size_t n = json_array_size(values);
  if (n == 0) (void)fputs("'false' 0, 'true' 1", out);
  for (size_t i = 0; i < n; ++i) {
    char name[64];
    (void)snprintf(name, sizeof name, "%s", json_string_value(json_array_get(values, i)));
    size_t end = strlen(name) > most ? most : strlen(name);
    while (end > 0 && ((unsigned char)name[end] & 0xC0u) == 0x80u) --end;
    name[end] = '\0';
    if (i > 0) (void)fputs(", ", out);
    figure_put_tick(out, name, "", (double)i);
  }
}

void figure_put_axis(FILE *out, char axis, const json_t *variable, size_t most) {
  const json_t *values = json_object_get(variable, "values");
  const size_t names = json_array_size(values);
  (void)fprintf(out, "set %clabel '", axis);
  figure_put_label(out, variable);
  (void)fprintf(out, "'\nunset logscale %c\nset format %c '%% h'\nset %ctics norotate autofreq\n",
                axis, axis, axis);
  if (figure_is_numeric(variable)) {
    const double low = figure_get(variable, "lower"), high = figure_get(variable, "upper");
    const bool whole = strcmp(figure_text(variable, "type"), "integer") == 0;
    const bool logs = json_is_true(json_object_get(variable, "log"));
    const double room = whole && !logs && most >= 10 ? 0.02 * (high - low) : 0;
    (void)fprintf(out, "set %crange [%.17g:%.17g]\n", axis, low - room, high + room);
    if (!logs) figure_put_ticks(out, axis, low, high, axis == 'y' ? 5 : most < 10 ? 1 : 3);
    if (!logs) return;
    const double decades = log10(high / low), labels = axis == 'y' || most >= 40 ? 6 : 2;
    (void)fprintf(out, "set logscale %c\nset format %c '%%g'\n", axis, axis);
    if (decades >= 2) /* a small picture has no room for every power of ten */
      (void)fprintf(out, "set %ctics %g\n", axis, pow(10, ceil(decades / labels)));
    return;
  }
  (void)fprintf(out, "set %crange [-0.5:%.1f]\nset %ctics %s(", axis,
                names ? (double)names - 0.5 : 1.5, axis,
                axis == 'x' && names > 2 ? "rotate by 30 right " : "");
  put_names(out, values, most);
  (void)fputs(")\n", out);
}

double figure_choose_clock(const gannet_report *report, const char **name) {
  static const struct {
    double least, size;
    const char *name;
  } units[] = {{345600, 86400, "days"}, {14400, 3600, "hours"}, {600, 60, "minutes"}};
  const double seconds = figure_get(json_object_get(report->summary, "campaign"), "seconds");
  for (size_t i = 0; i < sizeof units / sizeof *units; ++i) {
    *name = units[i].name;
    if (seconds > units[i].least) return units[i].size;
  }
  *name = "seconds";
  return 1;
}

const char *figure_name_of_lost(const gannet_report *r) {
  const json_t *about = json_object_get(r->summary, "campaign");
  return figure_get(about, "penalties") > 0 ? "no result or a penalty" : "no result";
}

const char figure_grey[] = "#888888";

bool figure_is_infeasible(const gannet_report *r, size_t i) {
  return figure_at(figure_column(r, "status"), i) == GANNET_EVAL_DONE &&
         !(figure_at(figure_column(r, "feasible"), i) > 0);
}
