/* Maps of two variables for gnuplot: what a model expects in their plane, all other variables being
 * as in the best design, and the designs. What the browser draws of the same data is in
 * assets/map.js.
 *
 * A value stands for a rectangle that reaches half way to the next ones. Blocks of the data: the
 * rectangles of every tile, then the designs of every pair, feasible ones and others.
 */
#include <math.h>

#include "evaluate/evaluator.h"
#include "report/figure.h"

enum {
  PAIRS = 3,     /* pairs of variables that are shown, those that matter most */
  COLUMNS = 2,   /* tiles of a pair */
  DESIGNS = 600, /* designs that are shown of more: all would cover the map */
  AXIS_NAME = 10 /* bytes of the names of values at an axis */
};

typedef struct {
  const char *title;
  const json_t *values;
} layer;

/* The layers of a pair that there are; returns how many. */
static size_t find_layers(const gannet_report *r, const json_t *pair, layer *layers) {
  const bool is_chance = r->quantity < 0;
  const json_t *one =
      is_chance ? pair : json_array_get(json_object_get(pair, "quantities"), (size_t)r->quantity);
  const layer both[COLUMNS] = {
      {is_chance ? "probability that a design is feasible" : "mean",
       json_object_get(one, is_chance ? "feasible" : "mean")},
      {is_chance ? "probability that the simulation works" : "standard deviation",
       json_object_get(one, is_chance ? "works" : "sd")}};
  size_t n = 0;
  for (size_t k = 0; k < COLUMNS; ++k)
    if (json_array_size(both[k].values) > 0) layers[n++] = both[k];
  return n;
}

/* The lower or upper edge of the cell around value i of an axis. */
static double find_edge(const json_t *variable, const json_t *at, size_t i, bool upper) {
  const double own = figure_at(at, i);
  if (!figure_is_numeric(variable)) return upper ? own + 0.5 : own - 0.5;
  const double other = figure_at(at, upper ? i + 1 : i - 1); /* NAN beyond the ends */
  if (isnan(other)) return own;
  if (json_is_true(json_object_get(variable, "log"))) return sqrt(own) * sqrt(other);
  return 0.5 * own + 0.5 * other;
}

static void put_rectangles(const gannet_report *r, const json_t *pair, const json_t *values,
                           FILE *data) {
  const json_t *variables = json_object_get(r->summary, "variables");
  const json_t *a = json_array_get(variables, (size_t)figure_get(pair, "a"));
  const json_t *b = json_array_get(variables, (size_t)figure_get(pair, "b"));
  const json_t *x = json_object_get(pair, "x"), *y = json_object_get(pair, "y");
  const size_t n = json_array_size(x);
  for (size_t i = 0; i < json_array_size(values); ++i) {
    picture_put_number(data, figure_at(x, i % n));
    picture_put_number(data, figure_at(y, i / n));
    picture_put_number(data, find_edge(a, x, i % n, false));
    picture_put_number(data, find_edge(a, x, i % n, true));
    picture_put_number(data, find_edge(b, y, i / n, false));
    picture_put_number(data, find_edge(b, y, i / n, true));
    picture_put_number(data, figure_at(values, i));
    (void)fputc('\n', data);
  }
  figure_end_block(data, json_array_size(values));
}

static void put_designs(const gannet_report *r, const json_t *pair, FILE *data) {
  const json_t *x = json_array_get(figure_column(r, "x"), (size_t)figure_get(pair, "a"));
  const json_t *y = json_array_get(figure_column(r, "x"), (size_t)figure_get(pair, "b"));
  const size_t n = json_array_size(x);
  const int64_t stride = n > DESIGNS ? (int64_t)(n / DESIGNS + 1) : 1;
  for (int feasible = 1; feasible >= 0; --feasible) {
    size_t lines = 0;
    for (size_t i = 0; i < n; ++i) {
      if (!report_is_chosen((int64_t)i, stride)) continue;
      if (figure_at(figure_column(r, "status"), i) != GANNET_EVAL_DONE ||
          figure_is_infeasible(r, i) == (feasible == 1))
        continue;
      picture_put_number(data, figure_at(x, i));
      picture_put_number(data, figure_at(y, i));
      (void)fputc('\n', data);
      ++lines;
    }
    figure_end_block(data, lines);
  }
}

static void put_tile(const gannet_report *r, const json_t *pair, const layer *shown, FILE *out,
                     size_t tile, size_t designs) {
  const json_t *variables = json_object_get(r->summary, "variables");
  const double size = json_array_size(figure_column(r, "id")) > 500 ? 0.15 : 0.3;
  figure_put_axis(out, 'x', json_array_get(variables, (size_t)figure_get(pair, "a")), AXIS_NAME);
  figure_put_axis(out, 'y', json_array_get(variables, (size_t)figure_get(pair, "b")), AXIS_NAME);
  (void)fputs("set title '", out);
  if (r->quantity >= 0) figure_put_objective(out, r);
  (void)fprintf(out, "%s%s'\nset cbrange %s\n", r->quantity < 0 ? "" : ": ", shown->title,
                r->quantity < 0 ? "[0:1]" : "[*:*]");
  (void)fprintf(out,
                "plot data index %zu using 1:2:3:4:5:6:7 with boxxyerror linecolor palette "
                "fillstyle solid 1 noborder notitle, \\\n"
                "  data index %zu using 1:2 with points pointtype 6 pointsize %g linecolor rgb "
                "'%s' notitle",
                tile, designs + 1, 1.5 * size, figure_grey);
  for (int inner = 0; inner < 2; ++inner) /* seen on any colour */
    (void)fprintf(out,
                  ", \\\n  data index %zu using 1:2 with points pointtype 7 pointsize %g linecolor "
                  "rgb '%s' notitle",
                  designs, inner ? size : 1.6 * size, inner ? "#ffffff" : "#000000");
  (void)fputc('\n', out);
}

bool figure_draw_map(const gannet_report *r, FILE *data, FILE *out, double *height) {
  const json_t *maps = json_object_get(r->model, "maps");
  const size_t n = json_array_size(maps) < PAIRS ? json_array_size(maps) : PAIRS;
  layer layers[PAIRS][COLUMNS];
  size_t tiles = 0, columns = 0;
  for (size_t k = 0; k < n; ++k) {
    columns = find_layers(r, json_array_get(maps, k), layers[k]); /* of all pairs the same */
    tiles += columns;
  }
  if (tiles == 0) return false;
  (void)fputs(
      "# values of the two variables, ends of the rectangles, value, a block for each tile; then "
      "for each pair the designs that are feasible, and those that are not\n",
      data);
  for (size_t k = 0; k < n; ++k)
    for (size_t c = 0; c < columns; ++c)
      put_rectangles(r, json_array_get(maps, k), layers[k][c].values, data);
  for (size_t k = 0; k < n; ++k) put_designs(r, json_array_get(maps, k), data);
  *height = figure_begin_tiles(out, tiles, (int)columns, columns > 1 ? 5 : 7);
  (void)fputs(
      "set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')\n"
      "unset grid\n",
      out);
  for (size_t k = 0; k < n; ++k)
    for (size_t c = 0; c < columns; ++c)
      put_tile(r, json_array_get(maps, k), &layers[k][c], out, columns * k + c, tiles + 2 * k);
  (void)fputs("unset multiplot\n", out);
  return true;
}
