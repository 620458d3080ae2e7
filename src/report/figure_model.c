/* Figures of what a model of the objective says. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/figure.h"

enum { BARS = 30, TILES = 12, NAME = 7 };

static const json_t *variable(const gannet_report *r, int v) {
  return json_array_get(json_object_get(r->summary, "variables"), (size_t)v);
}

bool figure_importance(const gannet_report *r, FILE *data, FILE *out, double *height) {
  const json_t *effects = json_object_get(r->model, "importance");
  size_t n = 0;
  int *order = figure_order(r, &n);
  const bool shown = order && json_array_size(effects) > 0;
  if (n > BARS) n = BARS;
  if (shown) {
    *height = 2 + 0.6 * (double)n;
    (void)fputs("# total effect, place from above\n", data);
    (void)fprintf(out, "set xrange [0:*]\nset yrange [%.1f:-0.5]\nset ytics scale 0 (",
                  (double)n - 0.5);
    for (size_t i = 0; i < n; ++i) {
      (void)fputs(i ? ", '" : "'", out);
      picture_put_text(out, figure_text(variable(r, order[i]), "name"));
      (void)fprintf(out, "' %zu", i);
      picture_put_number(data, figure_at(effects, (size_t)order[i]));
      (void)fprintf(data, " %zu\n", i);
    }
    (void)fprintf(out,
                  ")\nset xlabel 'total effect'\nset style fill solid 1 noborder\nplot data using "
                  "(0.5*$1):2:(0):1:($2-0.35):($2+0.35) with boxxyerror linecolor rgb '%s' "
                  "notitle\n",
                  picture_colors[0]);
  }
  gannet_free(&order);
  return shown;
}

static void put_slice(const gannet_report *r, FILE *data, FILE *out, size_t tile, int v) {
  const json_t *one = json_array_get(json_object_get(r->model, "slices"), (size_t)v);
  const json_t *x = json_object_get(one, "x");
  const char *type = figure_text(variable(r, v), "type"), *color = picture_colors[0];
  const double best = figure_get(one, "best");
  double least = INFINITY, most = -INFINITY;
  for (size_t i = 0; i < json_array_size(x); ++i) {
    const double low = figure_at(json_object_get(one, "low"), i);
    const double high = figure_at(json_object_get(one, "high"), i);
    least = fmin(least, low);
    most = fmax(most, high);
    picture_put_number(data, figure_at(x, i));
    picture_put_number(data, figure_at(json_object_get(one, "median"), i));
    picture_put_number(data, low);
    picture_put_number(data, high);
    (void)fputc('\n', data);
  }
  figure_ticks(out, 'y', least, most, 4);
  (void)fprintf(out, "set ylabel '%s'\n", tile % 3 == 0 ? r->objective : "");
  figure_end(data, json_array_size(x));
  (void)fputs("set rmargin\n", out);
  figure_axis(out, 'x', variable(r, v), NAME);
  (void)fprintf(out,
                "unset arrow\nset arrow from first %.17g, graph 0 to first %.17g, graph 1 nohead "
                "dashtype 2 linecolor rgb '%s'\n",
                best, best, picture_colors[2]);
  if (strcmp(type, "real") == 0 || strcmp(type, "integer") == 0)
    (void)fprintf(out,
                  "plot data index %zu using 1:3:4 with filledcurves linecolor rgb '%s' fillstyle "
                  "transparent solid 0.2 noborder notitle, data index %zu using 1:2 with lines "
                  "linewidth 2 linecolor rgb '%s' notitle\n",
                  tile, color, tile, color);
  else
    (void)fprintf(out,
                  "plot data index %zu using 1:2:3:4 with yerrorbars pointtype 7 linecolor rgb "
                  "'%s' notitle\n",
                  tile, color);
}

bool figure_slices(const gannet_report *r, FILE *data, FILE *out, double *height) {
  size_t n = 0;
  int *order = figure_order(r, &n);
  const bool shown = order && json_array_size(json_object_get(r->model, "slices")) > 0;
  if (n > TILES) n = TILES;
  if (shown) {
    (void)fputs("# value, median, ends of the central 95 %; one block per variable\n", data);
    *height = figure_tiles(out, n, 3, 4.5);
    for (size_t i = 0; i < n; ++i) put_slice(r, data, out, i, order[i]);
    (void)fputs("unset multiplot\n", out);
  }
  gannet_free(&order);
  return shown;
}

bool figure_calibration(const gannet_report *r, FILE *data, FILE *out, double *height) {
  const json_t *c = json_object_get(r->model, "calibration");
  const size_t n = json_array_size(json_object_get(c, "id"));
  double low = INFINITY, high = -INFINITY;
  if (n == 0) return false;
  *height = 9;
  (void)fputs("# predicted without it, observed\n", data);
  for (size_t i = 0; i < n; ++i) {
    const double predicted = figure_at(json_object_get(c, "predicted"), i);
    const double observed = figure_at(json_object_get(c, "observed"), i);
    low = fmin(low, fmin(predicted, observed));
    high = fmax(high, fmax(predicted, observed));
    picture_put_number(data, predicted);
    picture_put_number(data, observed);
    (void)fputc('\n', data);
  }
  if (!(high - low > 1e-9 * fmax(fabs(low), fabs(high)))) {
    const double middle = 0.5 * low + 0.5 * high, room = middle == 0 ? 1 : 1e-6 * fabs(middle);
    low = middle - room;
    high = middle + room;
  }
  figure_ticks(out, 'x', low, high, 2);
  figure_ticks(out, 'y', low, high, 5);
  (void)fprintf(out,
                "set xrange [%.17g:%.17g]\nset yrange [%.17g:%.17g]\nset xlabel 'predicted %s'\n"
                "set ylabel 'observed %s'\nset size square\nplot x with lines dashtype 2 linecolor "
                "rgb '#555555' "
                "notitle, data using 1:2 with points pointtype 7 pointsize 0.6 linecolor rgb '%s' "
                "notitle\n",
                low, high, low, high, r->objective, r->objective, picture_colors[0]);
  return true;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

bool figure_coverage(const gannet_report *r, FILE *data, FILE *out, double *height) {
  const json_t *residual = json_object_get(json_object_get(r->model, "calibration"), "residual");
  const size_t n = json_array_size(residual);
  double *share = NULL;
  if (n == 0 || gannet_alloc(n, sizeof *share, &share) != GANNET_OK) return false;
  *height = 9;
  for (size_t i = 0; i < n; ++i) {
    const double at = figure_at(residual, i);
    share[i] = isnan(at) ? 1 : erf(fabs(at) / sqrt(2));
  }
  qsort(share, n, sizeof *share, ascending);
  (void)fputs("# share of an interval, share of the results that it holds\n0 0\n", data);
  for (size_t i = 0; i < n; ++i)
    (void)fprintf(data, "%.6g %.6g\n", share[i], (double)(i + 1) / (double)n);
  (void)fputs("1 1\n", data);
  gannet_free(&share);
  (void)fprintf(out,
                "set xrange [0:1]\nset yrange [0:1]\nset xlabel 'intervals of this share hold'\n"
                "set ylabel 'this share of the results'\nset size square\nplot x with lines "
                "dashtype 2 linecolor rgb '#555555' notitle, data using 1:2 with steps linewidth 2 "
                "linecolor rgb '%s' notitle\n",
                picture_colors[0]);
  return true;
}
