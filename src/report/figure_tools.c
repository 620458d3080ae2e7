#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/figure.h"

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

void figure_put_label(FILE *out, const json_t *column) {
  const char *unit = figure_text(column, "unit");
  picture_put_text(out, figure_text(column, "name"));
  if (!*unit) return;
  (void)fputs(" [", out);
  picture_put_text(out, unit);
  (void)fputs("]", out);
}

void figure_end(FILE *data, size_t lines) {
  (void)fputs(lines ? "\n\n" : "NaN NaN NaN NaN\n\n\n", data);
}

typedef struct {
  double value;
  size_t at;
} ranked;

static int by_value(const void *a, const void *b) {
  const ranked *one = a, *other = b;
  if (one->value != other->value) return one->value < other->value ? -1 : 1;
  return one->at < other->at ? -1 : one->at > other->at;
}

int *figure_order(const gannet_report *report, size_t *n) {
  const json_t *weights = json_object_get(report->model, "importance");
  *n = json_array_size(json_object_get(report->summary, "variables"));
  ranked *list = NULL;
  int *order = NULL;
  if (gannet_alloc(*n + 1, sizeof *list, &list) == GANNET_OK &&
      gannet_alloc(*n + 1, sizeof *order, &order) == GANNET_OK) {
    for (size_t v = 0; v < *n; ++v) {
      const double weight = figure_at(weights, v);
      list[v] = (ranked){isnan(weight) ? 0 : -weight, v};
    }
    qsort(list, *n, sizeof *list, by_value);
    for (size_t v = 0; v < *n; ++v) order[v] = (int)list[v].at;
  }
  gannet_free(&list);
  return order;
}

bool figure_ranks(const gannet_report *report, double **rank, size_t **order, size_t *n_results) {
  const json_t *objective = json_object_get(report->columns, "objective");
  const json_t *feasible = json_object_get(report->columns, "feasible");
  const json_t *about = json_object_get(report->summary, "campaign");
  const double sign = strcmp(figure_text(about, "goal"), "maximize") == 0 ? -1 : 1;
  const size_t n = json_array_size(objective);
  ranked *list = NULL;
  *n_results = 0;
  const bool made = gannet_alloc(n + 1, sizeof *list, &list) == GANNET_OK &&
                    gannet_alloc(n + 1, sizeof **rank, rank) == GANNET_OK &&
                    gannet_alloc(n + 1, sizeof **order, order) == GANNET_OK;
  for (size_t i = 0; made && i < n; ++i) {
    const double value = figure_at(objective, i);
    (*rank)[i] = NAN;
    if (isfinite(value) && figure_at(feasible, i) > 0)
      list[(*n_results)++] = (ranked){sign * value, i};
  }
  if (made) qsort(list, *n_results, sizeof *list, by_value);
  for (size_t i = 0; made && i < *n_results; ++i) {
    (*order)[i] = list[i].at;
    (*rank)[list[i].at] = *n_results > 1 ? (double)i / (double)(*n_results - 1) : 0;
  }
  gannet_free(&list);
  return made;
}

int figure_digits(double low, double high, double step) {
  const double size = fmax(fabs(low), fabs(high));
  if (!(size > 0) || !(step > 0)) return 1;
  return (int)(floor(log10(size)) - floor(log10(step))) + 1;
}

/* 1, 2 or 5 times a power of ten. */
static double round_step(double least) {
  const double power = pow(10, floor(log10(least))), share = least / power;
  return power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
}

void figure_ticks(FILE *out, char axis, double low, double high, int most) {
  const int usual = 6, most_digits = 17;
  const double step = high > low ? round_step((high - low) / most) : 0;
  const int digits = figure_digits(low, high, step);
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

static bool is_numeric(const json_t *variable) {
  const char *type = figure_text(variable, "type");
  return strcmp(type, "real") == 0 || strcmp(type, "integer") == 0;
}

double figure_box_share(const json_t *variable, double value) {
  const double low = figure_get(variable, "lower"), high = figure_get(variable, "upper");
  const size_t names = json_array_size(json_object_get(variable, "values"));
  if (!is_numeric(variable)) return names > 1 ? value / (double)(names - 1) : value;
  if (json_is_true(json_object_get(variable, "log"))) return log(value / low) / log(high / low);
  return (value - low) / (high - low);
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
    (void)fputs(i ? ", '" : "'", out);
    picture_put_text(out, name);
    (void)fprintf(out, "' %zu", i);
  }
}

void figure_axis(FILE *out, char axis, const json_t *variable, size_t most) {
  const json_t *values = json_object_get(variable, "values");
  const size_t names = json_array_size(values);
  (void)fprintf(out, "set %clabel '", axis);
  figure_put_label(out, variable);
  (void)fprintf(out, "'\nunset logscale %c\nset format %c '%% h'\nset %ctics norotate autofreq\n",
                axis, axis, axis);
  if (is_numeric(variable)) {
    const double low = figure_get(variable, "lower"), high = figure_get(variable, "upper");
    const bool whole = strcmp(figure_text(variable, "type"), "integer") == 0;
    const bool logs = json_is_true(json_object_get(variable, "log"));
    const double room = whole && !logs && most >= 10 ? 0.02 * (high - low) : 0;
    (void)fprintf(out, "set %crange [%.17g:%.17g]\n", axis, low - room, high + room);
    if (!logs) figure_ticks(out, axis, low, high, axis == 'y' ? 5 : most < 10 ? 1 : 3);
    if (logs) (void)fprintf(out, "set logscale %c\n", axis);
    return;
  }
  (void)fprintf(out, "set %crange [-0.5:%.1f]\nset %ctics %s(", axis,
                names ? (double)names - 0.5 : 1.5, axis,
                axis == 'x' && names > 2 ? "rotate by 30 right " : "");
  put_names(out, values, most);
  (void)fputs(")\n", out);
}

double figure_clock(const gannet_report *report, const char **name) {
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

double figure_tiles(FILE *out, size_t n, int columns, double row_height) {
  const int wide = n < (size_t)columns ? (int)n : columns;
  const int rows = ((int)n + wide - 1) / wide;
  (void)fprintf(out, "set multiplot layout %d,%d\n", rows, wide);
  return row_height * rows;
}
