/* Pictures of what the search found and where it went, for gnuplot. What the browser draws of the
 * same data is in assets/search.js.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evaluate/evaluator.h"
#include "report/figure.h"

enum {
  LINES = 600,      /* designs that the picture "parallel" shows at most */
  BEST_LINES = 100, /* the best designs, all of which "parallel" shows */
  AXES = 14,        /* variables that "parallel" shows at most */
  CONSTRAINTS = 12, /* constraints that have a picture */
  AXIS_NAME = 16    /* bytes of the names of values at an axis */
};

typedef struct {
  double value;
  size_t at;
} ranked;

static int compare_ranked(const void *a, const void *b) {
  const ranked *one = a, *other = b;
  if (one->value != other->value) return one->value < other->value ? -1 : 1;
  return one->at < other->at ? -1 : one->at > other->at;
}

/* Rank the feasible results, 0 = best to 1 = worst: rank [evaluations], NAN for other evaluations,
 * and order [n_results], their positions from best to worst. Both to be freed with gannet_free.
 * Returns false when memory is short. */
static bool rank_results(const gannet_report *report, double **rank, size_t **order,
                         size_t *n_results) {
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
  if (made) qsort(list, *n_results, sizeof *list, compare_ranked);
  for (size_t i = 0; made && i < *n_results; ++i) {
    (*order)[i] = list[i].at;
    (*rank)[list[i].at] = *n_results > 1 ? (double)i / (double)(*n_results - 1) : 0;
  }
  gannet_free(&list);
  return made;
}

/* Where a value lies in the box of a variable: 0 at the lower end, 1 at the upper. */
static double box_share(const json_t *variable, double value) {
  const double low = figure_get(variable, "lower"), high = figure_get(variable, "upper");
  const size_t names = json_array_size(json_object_get(variable, "values"));
  if (!figure_is_numeric(variable)) return names > 1 ? value / (double)(names - 1) : value;
  if (json_is_true(json_object_get(variable, "log"))) return log(value / low) / log(high / low);
  return (value - low) / (high - low);
}

/* Evaluations of a kind: number, time, objective. Returns how many. */
static size_t put_points(const gannet_report *r, FILE *data, double clock, int status,
                         int feasible) {
  const size_t n = json_array_size(figure_column(r, "id"));
  size_t lines = 0;
  for (size_t i = 0; i < n; ++i) {
    const double mine = figure_at(figure_column(r, "status"), i);
    const bool wanted =
        status == GANNET_EVAL_DONE
            ? mine == status && figure_at(figure_column(r, "feasible"), i) == feasible
            : mine > GANNET_EVAL_DONE;
    if (!wanted) continue;
    picture_put_number(data, figure_at(figure_column(r, "id"), i) + 1);
    picture_put_number(data, figure_at(figure_column(r, "ended"), i) / clock);
    picture_put_number(data, figure_at(figure_column(r, "objective"), i));
    (void)fputc('\n', data);
    ++lines;
  }
  figure_end_block(data, lines);
  return lines;
}

/* Steps of the best value, and the last one until now. */
static void put_steps(const gannet_report *r, FILE *data, double clock, const char *name) {
  const json_t *trace = json_object_get(r->summary, name);
  const json_t *about = json_object_get(r->summary, "campaign");
  const size_t n = json_array_size(trace);
  for (size_t i = 0; i <= n && n > 0; ++i) {
    const json_t *step = json_array_get(trace, i < n ? i : n - 1);
    picture_put_number(data, i < n ? figure_at(step, 0) : figure_get(about, "proposed"));
    picture_put_number(data, (i < n ? figure_at(step, 1) : figure_get(about, "seconds")) / clock);
    picture_put_number(data, figure_at(step, 2));
    (void)fputc('\n', data);
  }
  figure_end_block(data, n);
}

/* Plot each block that has lines; the last one is the best value. */
static void put_best_commands(const gannet_report *r, FILE *out, const size_t *n, double edge,
                              bool maximize) {
  const double size = n[0] > 2000 ? 0.25 : 0.5;
  (void)fprintf(out,
                "plot data index 3 using x:3 with steps linewidth 2 linecolor rgb '%s' title "
                "'best so far'",
                picture_colors[2]);
  if (n[0])
    (void)fprintf(out,
                  ", data index 0 using x:3 with points pointtype 7 pointsize %g linecolor rgb "
                  "'#66%s' title 'feasible'",
                  size, picture_colors[0] + 1);
  if (n[1])
    (void)fprintf(out,
                  ", data index 1 using x:3 with points pointtype 8 pointsize %g linecolor rgb "
                  "'%s' title 'not feasible'",
                  1.4 * size, figure_grey);
  if (n[2])
    (void)fprintf(out,
                  ", data index 2 using x:(%.17g) with points pointtype %d pointsize %g "
                  "linecolor rgb '%s' title '%s'",
                  edge, maximize ? 9 : 11, 1.4 * size, picture_colors[1], figure_name_of_lost(r));
  (void)fputc('\n', out);
}

static bool put_best(const gannet_report *r, FILE *data, FILE *out, bool in_time) {
  const json_t *about = json_object_get(r->summary, "campaign");
  const json_t *range = json_object_get(r->summary, "range");
  const bool maximize = strcmp(figure_text(about, "goal"), "maximize") == 0;
  const bool stretched = json_is_true(json_object_get(range, "stretched"));
  const char *unit = NULL;
  const double clock = figure_choose_clock(r, &unit), last = figure_get(about, "seconds") / clock;
  const double edge = figure_get(range, stretched ? "better" : "worst");
  if (isnan(edge) || (in_time && !(last > 0))) return false;
  (void)fputs(
      "# evaluation, time, objective of: feasible; not feasible; without a result; best so "
      "far\n",
      data);
  const size_t n[] = {put_points(r, data, clock, GANNET_EVAL_DONE, 1),
                      put_points(r, data, clock, GANNET_EVAL_DONE, 0),
                      put_points(r, data, clock, GANNET_EVAL_FAILED, 0)};
  put_steps(r, data, clock, in_time ? "trace_time" : "trace");
  (void)fprintf(out, "set xrange [0:%.9g]\nset xlabel '%s%s'\nx = %d\nset ylabel '",
                in_time ? last : figure_get(about, "proposed"), in_time ? unit : "evaluations",
                in_time ? " since the first start" : "", in_time ? 2 : 1);
  figure_put_objective(out, r);
  (void)fputs("'\n", out);
  figure_put_ticks(out, 'y', fmin(figure_get(range, "best"), edge),
                   fmax(figure_get(range, "best"), edge), 5);
  if (stretched)
    (void)fprintf(out, maximize ? "set yrange [%.17g:*]\n" : "set yrange [*:%.17g]\n", edge);
  put_best_commands(r, out, n, edge, maximize);
  return true;
}

/* Several objectives have no best value, but a hypervolume. */
static bool has_front(const gannet_report *r) {
  return json_is_object(json_object_get(r->summary, "front"));
}

bool figure_draw_best(const gannet_report *r, FILE *data, FILE *out, double *height) {
  (void)height;
  return !has_front(r) && put_best(r, data, out, false);
}

bool figure_draw_best_time(const gannet_report *r, FILE *data, FILE *out, double *height) {
  (void)height;
  return !has_front(r) && put_best(r, data, out, true);
}

static void put_palette(const gannet_report *r, FILE *out) {
  (void)fputs(
      "set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 "
      "'#fde725')\nset cbrange [0:1]\nset cbtics ('best' 0, 'worst' 1)\nset cblabel 'rank",
      out);
  if (has_front(r)) (void)fputs(" by ", out);
  picture_put_text(out, has_front(r) ? r->objective : "");
  (void)fputs("'\n", out);
}

static void put_design(const gannet_report *r, FILE *data, size_t at, const int *shown, size_t axes,
                       double rank) {
  const json_t *range = json_object_get(r->summary, "range");
  const double best = figure_get(range, "best"), worst = figure_get(range, "worst");
  for (size_t a = 0; a < axes; ++a) {
    const size_t v = (size_t)shown[a];
    const json_t *variable = json_array_get(json_object_get(r->summary, "variables"), v);
    const double value = figure_at(json_array_get(figure_column(r, "x"), v), at);
    (void)fprintf(data, "%zu", a);
    picture_put_number(data, box_share(variable, value));
    picture_put_number(data, rank);
    (void)fputc('\n', data);
  }
  (void)fprintf(data, "%zu", axes);
  picture_put_number(
      data,
      worst == best ? 0 : (figure_at(figure_column(r, "objective"), at) - best) / (worst - best));
  picture_put_number(data, rank);
  (void)fputs("\n\n", data);
}

/* Print one end of an axis, with as many digits as tell it from the other end.
 *
 * end  in  0 = first, 1 = last
 */
static void put_end(FILE *out, double first, double last, int end) {
  const int digits = figure_count_digits(first, last, 0.1 * fabs(last - first));
  (void)fprintf(out, "%.*g", digits < 4 ? 4 : digits > 17 ? 17 : digits, end ? last : first);
}

static void put_parallel_axes(const gannet_report *r, FILE *out, const int *shown, size_t axes) {
  const json_t *range = json_object_get(r->summary, "range");
  (void)fprintf(out,
                "unset border\nunset grid\nunset ytics\nset xrange [-0.2:%.1f]\nset yrange "
                "[-0.08:1.08]\nset xtics scale 0 (",
                (double)axes + 0.2);
  for (size_t v = 0; v < axes; ++v) {
    const json_t *one = json_array_get(json_object_get(r->summary, "variables"), (size_t)shown[v]);
    figure_put_tick(out, figure_text(one, "name"), figure_text(one, "unit"), (double)v);
    (void)fputs(", ", out);
  }
  figure_put_tick(out, r->objective, r->unit, (double)axes);
  (void)fputs(")\n", out);
  for (size_t v = 0; v <= axes; ++v) {
    const json_t *one =
        v < axes ? json_array_get(json_object_get(r->summary, "variables"), (size_t)shown[v])
                 : NULL;
    const json_t *names = json_object_get(one, "values");
    (void)fprintf(out, "set arrow from %zu,0 to %zu,1 nohead front linecolor rgb '#555555'\n", v,
                  v);
    for (int end = 0; end < 2; ++end) {
      const size_t last = json_array_size(names) ? json_array_size(names) - 1 : 0;
      const char *name = json_string_value(json_array_get(names, end ? last : 0));
      (void)fputs("set label '", out);
      if (v < axes && name)
        picture_put_text(out, name);
      else if (v < axes && strcmp(figure_text(one, "type"), "boolean") == 0)
        (void)fputs(end ? "true" : "false", out);
      else if (v < axes)
        put_end(out, figure_get(one, "lower"), figure_get(one, "upper"), end);
      else
        put_end(out, figure_get(range, "best"), figure_get(range, "worst"), end);
      (void)fprintf(out, "' at %zu,%s center front\n", v, end ? "1.05" : "-0.05");
    }
  }
}

/* Feasible designs by rank, or the others; returns how many there are. */
static size_t put_designs(const gannet_report *r, FILE *data, bool feasible, const double *rank,
                          const size_t *order, size_t n_order, const int *shown, size_t axes) {
  const size_t n_all = json_array_size(figure_column(r, "id"));
  size_t n = feasible ? n_order : 0, lines = 0;
  for (size_t i = 0; !feasible && i < n_all; ++i) n += figure_is_infeasible(r, i);
  const size_t most = feasible ? LINES - BEST_LINES : LINES / 2;
  const size_t stride = n <= most ? 1 : n / most + 1;
  for (size_t i = feasible ? n_order : n_all; i-- > 0;) {
    if (!feasible && (!figure_is_infeasible(r, i) || lines++ % stride != 0)) continue;
    if (feasible && i >= BEST_LINES && i % stride != 0) continue;
    put_design(r, data, feasible ? order[i] : i, shown, axes, feasible ? rank[order[i]] : -1);
  }
  return n;
}

bool figure_draw_parallel(const gannet_report *r, FILE *data, FILE *out, double *height) {
  size_t n_variables = 0, *order = NULL, n = 0, others = 0;
  int *shown = figure_order_variables(r, NULL, &n_variables);
  const size_t axes = n_variables < AXES ? n_variables : AXES;
  double *rank = NULL;
  (void)height;
  if (shown && rank_results(r, &rank, &order, &n)) {
    (void)fputs("# axis, place on it, rank; one block of lines per design; -1: not feasible\n",
                data);
    others = put_designs(r, data, false, rank, order, n, shown, axes);
    (void)put_designs(r, data, true, rank, order, n, shown, axes);
  }
  if (n + others > 0) {
    put_palette(r, out);
    put_parallel_axes(r, out, shown, axes);
    (void)fputs("plot ", out);
    if (others > 0)
      (void)fprintf(out,
                    "data using 1:($3 < 0 ? $2 : NaN) with lines linewidth 0.3 linecolor rgb '%s' "
                    "title 'not feasible'%s",
                    figure_grey, n > 0 ? ", \\\n  " : "\n");
    if (n > 0)
      (void)fputs(
          "data using 1:($3 < 0 ? NaN : $2):3 with lines linewidth 0.5 linecolor palette "
          "notitle\n",
          out);
  }
  gannet_free(&shown);
  gannet_free(&rank);
  gannet_free(&order);
  return n + others > 0;
}

/* Designs in the plane of two variables, a block of each kind. Counts those that are without a
 * result (lost) and those that are not feasible (others). */
static void put_plane(const gannet_report *r, FILE *data, const double *rank, const int *axis,
                      size_t *lost, size_t *others) {
  const size_t n = json_array_size(figure_column(r, "id"));
  const json_t *best = json_array_get(json_object_get(r->summary, "best"), 0);
  const json_t *x = json_array_get(figure_column(r, "x"), (size_t)axis[0]);
  const json_t *y = json_array_get(figure_column(r, "x"), (size_t)axis[1]);
  for (int kind = 0; kind < 4; ++kind) {
    size_t lines = 0;
    for (size_t i = 0; i < n; ++i) {
      const bool wanted = kind == 0   ? isfinite(rank[i])
                          : kind == 1 ? figure_at(figure_column(r, "status"), i) > GANNET_EVAL_DONE
                          : kind == 2 ? isfinite(rank[i]) && figure_at(figure_column(r, "id"), i) ==
                                                                 figure_get(best, "id")
                                      : figure_is_infeasible(r, i);
      if (!wanted) continue;
      picture_put_number(data, figure_at(x, i));
      picture_put_number(data, figure_at(y, i));
      picture_put_number(data, rank[i]);
      (void)fputc('\n', data);
      ++lines;
    }
    figure_end_block(data, lines);
    if (kind == 1) *lost = lines;
    if (kind == 3) *others = lines;
  }
}

bool figure_draw_projection(const gannet_report *r, FILE *data, FILE *out, double *height) {
  const json_t *variables = json_object_get(r->summary, "variables");
  double *rank = NULL;
  size_t *order = NULL, n = 0, n_variables = 0;
  int *axis = figure_order_variables(r, json_object_get(r->model, "importance"), &n_variables);
  const bool shown = axis && n_variables > 1 && rank_results(r, &rank, &order, &n) &&
                     figure_get(json_object_get(r->summary, "campaign"), "done") > 0;
  (void)height;
  if (shown) {
    size_t lost = 0, others = 0;
    (void)fputs("# x, y, rank of: feasible; without a result; the best design; not feasible\n",
                data);
    put_plane(r, data, rank, axis, &lost, &others);
    put_palette(r, out);
    figure_put_axis(out, 'x', json_array_get(variables, (size_t)axis[0]), AXIS_NAME);
    figure_put_axis(out, 'y', json_array_get(variables, (size_t)axis[1]), AXIS_NAME);
    (void)fprintf(
        out,
        "plot data index 3 using 1:2 with points pointtype 6 pointsize %g linecolor rgb '%s' "
        "title '%s', \\\n"
        "  data index 0 using 1:2:3 with points pointtype 7 pointsize %g linecolor "
        "palette notitle, \\\n"
        "  data index 1 using 1:2 with points pointtype 2 pointsize 0.8 linewidth 2 "
        "linecolor rgb '%s' title '%s', \\\n"
        "  data index 2 using 1:2 with points pointtype 12 pointsize 1.6 linewidth 2 "
        "linecolor rgb '%s' title '%s'\n",
        n > 500 ? 0.4 : 0.8, figure_grey, others > 0 ? "not feasible" : "", n > 500 ? 0.4 : 0.8,
        picture_colors[1], lost > 0 ? figure_name_of_lost(r) : "", picture_colors[11],
        n > 0 ? "best" : "");
  }
  gannet_free(&axis);
  gannet_free(&rank);
  gannet_free(&order);
  return shown;
}

static void put_constraint(const gannet_report *r, FILE *data, FILE *out, size_t k) {
  const json_t *one = json_array_get(json_object_get(r->summary, "constraints"), k);
  const json_t *values = json_array_get(figure_column(r, "c"), k);
  const double lower = figure_get(one, "lower"), upper = figure_get(one, "upper");
  double low = fmin(lower, upper), high = fmax(lower, upper);
  for (int kept = 1; kept >= 0; --kept) {
    size_t lines = 0;
    for (size_t i = 0; i < json_array_size(values); ++i) {
      const double value = figure_at(values, i);
      if (isnan(value) || kept != !(value < lower || value > upper)) continue;
      picture_put_number(data, figure_at(figure_column(r, "id"), i) + 1);
      picture_put_number(data, value);
      (void)fputc('\n', data);
      low = fmin(low, value);
      high = fmax(high, value);
      ++lines;
    }
    figure_end_block(data, lines);
  }
  figure_put_ticks(out, 'y', low, high, 5);
  (void)fputs("set title '", out);
  figure_put_label(out, one);
  (void)fprintf(out,
                "'\nplot data index %zu using 1:2 with points pointtype 7 pointsize 0.4 linecolor "
                "rgb '%s' notitle, data index %zu using 1:2 with points pointtype 8 pointsize 0.5 "
                "linecolor rgb '%s' notitle",
                2 * k, picture_colors[0], 2 * k + 1, figure_grey);
  for (int end = 0; end < 2; ++end)
    if (isfinite(end ? upper : lower))
      (void)fprintf(out, ", %.17g with lines dashtype 2 linecolor rgb '%s' notitle",
                    end ? upper : lower, picture_colors[11]);
  (void)fputc('\n', out);
}

bool figure_draw_constraints(const gannet_report *r, FILE *data, FILE *out, double *height) {
  const json_t *constraints = json_object_get(r->summary, "constraints");
  size_t n = 0; /* further objectives come after the constraints */
  while (n < json_array_size(constraints) &&
         !json_is_true(json_object_get(json_array_get(constraints, n), "objective")))
    n += 1;
  const json_t *about = json_object_get(r->summary, "campaign");
  if (n == 0 || !(figure_get(about, "done") > 0)) return false;
  (void)fputs("# evaluation, value; a block of those that keep a constraint, one of the others\n",
              data);
  *height = figure_begin_tiles(out, n < CONSTRAINTS ? n : CONSTRAINTS, 2, 5);
  (void)fprintf(out, "set xrange [0:%.9g]\n", figure_get(about, "proposed"));
  for (size_t k = 0; k < n && k < CONSTRAINTS; ++k) put_constraint(r, data, out, k);
  (void)fputs("unset multiplot\n", out);
  return true;
}
