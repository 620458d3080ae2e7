/* Pictures of what models say, for gnuplot. What the browser draws of the same data is in
 * assets/model.js.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/figure.h"

enum {
  BARS = 30,     /* variables in "importance" */
  SLICES = 12,   /* variables in "slices" */
  SLICE_NAME = 7 /* bytes of the names of values below a slice */
};

static const json_t *variable_at(const gannet_report *r, int v) {
  return json_array_get(json_object_get(r->summary, "variables"), (size_t)v);
}

/* The effects on one objective, most important variable first. */
static void put_effects(const gannet_report *r, FILE *data, FILE *out, size_t tile,
                        const json_t *effects) {
  size_t n = 0;
  int *order = figure_order_variables(r, effects, &n);
  if (n > BARS) n = BARS;
  (void)fprintf(out, "set yrange [%.1f:-0.5]\nset ytics scale 0 (", (double)n - 0.5);
  for (size_t i = 0; order && i < n; ++i) {
    const char *name = figure_text(variable_at(r, order[i]), "name");
    if (i > 0) (void)fputs(", ", out);
    figure_put_tick(out, name, "", (double)i);
    picture_put_number(data, figure_at(effects, (size_t)order[i]));
    (void)fprintf(data, " %zu \"%s\"\n", i, name);
  }
  figure_end_block(data, n);
  (void)fprintf(out,
                ")\nplot data index %zu using (0.5*$1):2:(0):1:($2-0.35):($2+0.35) with boxxyerror "
                "linecolor rgb '%s' notitle\n",
                tile, picture_colors[0]);
  gannet_free(&order);
}

/* A picture for each objective. */
bool figure_draw_importance(const gannet_report *r, FILE *data, FILE *out, double *height) {
  const json_t *objectives = json_object_get(json_object_get(r->summary, "front"), "objectives");
  const json_t *others = json_object_get(r->model, "others");
  const size_t n = json_array_size(objectives) > 0 ? json_array_size(objectives) : 1;
  const size_t n_variables = json_array_size(json_object_get(r->summary, "variables"));
  if (json_array_size(json_object_get(r->model, "importance")) == 0) return false;
  *height = 2 + 0.6 * (double)(n_variables < BARS ? n_variables : BARS);
  (void)fputs("# total effect, place from above, variable; a block for", data);
  for (size_t m = 0; m < n; ++m)
    (void)fprintf(data, "%s %s", m > 0 ? "," : "",
                  n > 1 ? figure_text(json_array_get(objectives, m), "name") : r->objective);
  (void)fputs("\n", data);
  (void)fputs("set style fill solid 1 noborder\nset xrange [0:*]\n", out);
  if (n > 1) *height = figure_begin_tiles(out, n, 2, fmax(*height, 4));
  for (size_t m = 0; m < n; ++m) {
    const json_t *model = m == 0 ? r->model : json_array_get(others, m - 1);
    (void)fputs("set xlabel 'total effect", out);
    if (n > 1) (void)fputs(" on ", out);
    if (n > 1) picture_put_text(out, figure_text(json_array_get(objectives, m), "name"));
    (void)fputs("'\n", out);
    put_effects(r, data, out, m, json_object_get(model, "importance"));
  }
  if (n > 1) (void)fputs("unset multiplot\n", out);
  return true;
}

/* curves, middle  in  "slices" and "median", or "partial" and "mean"
 * least, most     in  ends of all curves: steeper means more only on one scale */
static void put_slice(const gannet_report *r, FILE *data, FILE *out, size_t tile, int v,
                      const char *curves, const char *middle, double least, double most) {
  const json_t *one = json_array_get(json_object_get(r->model, curves), (size_t)v);
  const json_t *x = json_object_get(one, "x");
  const char *type = figure_text(variable_at(r, v), "type"), *color = picture_colors[0];
  const double best = figure_get(one, "best");
  for (size_t i = 0; i < json_array_size(x); ++i) {
    picture_put_number(data, figure_at(x, i));
    picture_put_number(data, figure_at(json_object_get(one, middle), i));
    picture_put_number(data, figure_at(json_object_get(one, "low"), i));
    picture_put_number(data, figure_at(json_object_get(one, "high"), i));
    (void)fputc('\n', data);
  }
  figure_put_ticks(out, 'y', least, most, 4);
  if (r->quantity < 0)
    (void)fputs("set yrange [0:1]\n", out);
  else if (most > least)
    (void)fprintf(out, "set yrange [%.17g:%.17g]\n", least - 0.03 * (most - least),
                  most + 0.03 * (most - least));
  (void)fputs("set ylabel '", out);
  if (tile % 3 == 0) figure_put_objective(out, r);
  (void)fputs("'\n", out);
  figure_end_block(data, json_array_size(x));
  (void)fputs("set rmargin\n", out);
  figure_put_axis(out, 'x', variable_at(r, v), SLICE_NAME);
  (void)fputs("unset arrow\n", out);
  if (isfinite(best))
    (void)fprintf(out,
                  "set arrow from first %.17g, graph 0 to first %.17g, graph 1 nohead "
                  "dashtype 2 linecolor rgb '%s'\n",
                  best, best, picture_colors[2]);
  if (strcmp(type, "real") == 0 || strcmp(type, "integer") == 0)
    (void)fprintf(out,
                  "plot data index %zu using 1:3:4 with filledcurves linecolor rgb '%s' fillstyle "
                  "transparent solid 0.2 noborder notitle, data index %zu using 1:2 with lines "
                  "linewidth 2 linecolor rgb '%s' notitle",
                  tile, color, tile, color);
  else
    (void)fprintf(out,
                  "plot data index %zu using 1:2:3:4 with yerrorbars pointtype 7 linecolor rgb "
                  "'%s' notitle",
                  tile, color);
  for (int end = 0; end < 2; ++end) {
    const double bound = figure_get(r->bounds, end ? "upper" : "lower");
    if (least <= bound && bound <= most)
      (void)fprintf(out, ", %.17g with lines dashtype 2 linecolor rgb '%s' notitle", bound,
                    picture_colors[11]);
  }
  (void)fputc('\n', out);
}

/* A curve for each variable that has one: in the best design some are inactive. */
static bool draw_curves(const gannet_report *r, FILE *data, FILE *out, double *height,
                        const char *curves, const char *middle) {
  size_t n = 0, n_shown = 0;
  double least = INFINITY, most = -INFINITY;
  int *order = figure_order_variables(r, json_object_get(r->model, "importance"), &n);
  const json_t *list = json_object_get(r->model, curves);
  for (size_t i = 0; order && i < n && n_shown < SLICES; ++i) {
    const json_t *x = json_object_get(json_array_get(list, (size_t)order[i]), "x");
    if (json_array_size(x) == 0) continue;
    order[n_shown++] = order[i];
    for (size_t k = 0; k < json_array_size(x); ++k) {
      const json_t *one = json_array_get(list, (size_t)order[i]);
      least = fmin(least, figure_at(json_object_get(one, "low"), k));
      most = fmax(most, figure_at(json_object_get(one, "high"), k));
    }
  }
  if (n_shown > 0) {
    (void)fprintf(data, "# value, %s, ends of the central 95 %%; one block per variable\n", middle);
    *height = figure_begin_tiles(out, n_shown, 3, 4.5);
    for (size_t i = 0; i < n_shown; ++i)
      put_slice(r, data, out, i, order[i], curves, middle, least, most);
    (void)fputs("unset multiplot\n", out);
  }
  gannet_free(&order);
  return n_shown > 0;
}

bool figure_draw_slices(const gannet_report *r, FILE *data, FILE *out, double *height) {
  return draw_curves(r, data, out, height, "slices", "median");
}

bool figure_draw_partial(const gannet_report *r, FILE *data, FILE *out, double *height) {
  return draw_curves(r, data, out, height, "partial", "mean");
}

bool figure_draw_calibration(const gannet_report *r, FILE *data, FILE *out, double *height) {
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
  figure_put_ticks(out, 'x', low, high, 2);
  figure_put_ticks(out, 'y', low, high, 5);
  (void)fprintf(out, "set xrange [%.17g:%.17g]\nset yrange [%.17g:%.17g]\nset xlabel 'predicted ",
                low, high, low, high);
  figure_put_objective(out, r);
  (void)fputs("'\nset ylabel 'observed ", out);
  figure_put_objective(out, r);
  (void)fprintf(out,
                "'\nset size square\nplot x with lines dashtype 2 linecolor rgb '#555555' "
                "notitle, data using 1:2 with points pointtype 7 pointsize 0.6 linecolor rgb '%s' "
                "notitle\n",
                picture_colors[0]);
  return true;
}

static int compare_numbers(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

bool figure_draw_coverage(const gannet_report *r, FILE *data, FILE *out, double *height) {
  const json_t *residual = json_object_get(json_object_get(r->model, "calibration"), "residual");
  const size_t n = json_array_size(residual);
  double *share = NULL;
  if (n == 0 || gannet_alloc(n, sizeof *share, &share) != GANNET_OK) return false;
  *height = 9;
  for (size_t i = 0; i < n; ++i) {
    const double at = figure_at(residual, i);
    share[i] = isnan(at) ? 1 : erf(fabs(at) / sqrt(2));
  }
  qsort(share, n, sizeof *share, compare_numbers);
  (void)fputs("# share of an interval, share of the results that it holds\n0 0\n", data);
  for (size_t i = 0; i < n; ++i)
    (void)fprintf(data, "%.6g %.6g\n", share[i], (double)(i + 1) / (double)n);
  (void)fputs("1 1\n", data);
  gannet_free(&share);
  (void)fprintf(
      out,
      "set xrange [0:1]\nset yrange [0:1]\nset xlabel 'nominal share'\n"
      "set ylabel 'share of results in the intervals'\nset size square\nplot x with lines "
      "dashtype 2 linecolor rgb '#555555' notitle, data using 1:2 with steps linewidth 2 "
      "linecolor rgb '%s' notitle\n",
      picture_colors[0]);
  return true;
}
