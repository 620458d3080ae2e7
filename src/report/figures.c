/* The pictures of a report as data and commands for gnuplot. What the browser draws of the same
 * data is in assets/: search.js, model.js and course.js.
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
  AXIS_NAME = 16,   /* bytes of the names of values at an axis */
  BARS = 30,        /* variables in "importance" */
  SLICES = 12,      /* variables in "slices" */
  SLICE_NAME = 7    /* bytes of the names of values below a slice */
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

/* Positions of the variables that are searched, from the most to the least of the weights, NULL =
 * in their order; [n], to be freed with gannet_free. NULL when memory is short. */
static int *order_variables(const gannet_report *report, const json_t *weights, size_t *n) {
  const json_t *variables = json_object_get(report->summary, "variables");
  const size_t n_all = json_array_size(variables);
  ranked *list = NULL;
  int *order = NULL;
  *n = 0;
  if (gannet_alloc(n_all + 1, sizeof *list, &list) == GANNET_OK &&
      gannet_alloc(n_all + 1, sizeof *order, &order) == GANNET_OK) {
    for (size_t v = 0; v < n_all; ++v) {
      const double weight = figure_at(weights, v);
      if (!json_is_true(json_object_get(json_array_get(variables, v), "searched"))) continue;
      list[(*n)++] = (ranked){isnan(weight) ? 0 : -weight, v};
    }
    qsort(list, *n, sizeof *list, compare_ranked);
    for (size_t v = 0; v < *n; ++v) order[v] = (int)list[v].at;
  }
  gannet_free(&list);
  return order;
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

static bool is_numeric(const json_t *variable) {
  const char *type = figure_text(variable, "type");
  return strcmp(type, "real") == 0 || strcmp(type, "integer") == 0;
}

/* Where between 0 and 1 the box of a variable has a value. */
static double box_share(const json_t *variable, double value) {
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

/* Range, scale, ticks and label of an axis that shows a variable. Names of values are cut after
 * most bytes. */
static void put_axis(FILE *out, char axis, const json_t *variable, size_t most) {
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
    if (!logs) figure_put_ticks(out, axis, low, high, axis == 'y' ? 5 : most < 10 ? 1 : 3);
    if (logs) (void)fprintf(out, "set logscale %c\n", axis);
    return;
  }
  (void)fprintf(out, "set %crange [-0.5:%.1f]\nset %ctics %s(", axis,
                names ? (double)names - 0.5 : 1.5, axis,
                axis == 'x' && names > 2 ? "rotate by 30 right " : "");
  put_names(out, values, most);
  (void)fputs(")\n", out);
}

/* The unit of time that suits the campaign: its seconds, and its name such as "hours". */
static double choose_clock(const gannet_report *report, const char **name) {
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

/* What the search found and where it went. */

static const char *name_of_lost(const gannet_report *r) {
  const json_t *about = json_object_get(r->summary, "campaign");
  return figure_get(about, "penalties") > 0 ? "no result or a penalty" : "no result";
}

/* Designs that are not feasible are hollow and grey: the colours of values are for those that are.
 */
static const char *const grey = "#888888";

static bool is_infeasible(const gannet_report *r, size_t i) {
  return figure_at(figure_column(r, "status"), i) == GANNET_EVAL_DONE &&
         !(figure_at(figure_column(r, "feasible"), i) > 0);
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
                  1.4 * size, grey);
  if (n[2])
    (void)fprintf(out,
                  ", data index 2 using x:(%.17g) with points pointtype %d pointsize %g "
                  "linecolor rgb '%s' title '%s'",
                  edge, maximize ? 9 : 11, 1.4 * size, picture_colors[1], name_of_lost(r));
  (void)fputc('\n', out);
}

static bool put_best(const gannet_report *r, FILE *data, FILE *out, bool in_time) {
  const json_t *about = json_object_get(r->summary, "campaign");
  const json_t *range = json_object_get(r->summary, "range");
  const bool maximize = strcmp(figure_text(about, "goal"), "maximize") == 0;
  const bool stretched = json_is_true(json_object_get(range, "stretched"));
  const char *unit = NULL;
  const double clock = choose_clock(r, &unit), last = figure_get(about, "seconds") / clock;
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
  (void)fprintf(out, "set xrange [0:%.9g]\nset xlabel '%s%s'\nset ylabel '%s'\nx = %d\n",
                in_time ? last : figure_get(about, "proposed"), in_time ? unit : "evaluations",
                in_time ? " since the first start" : "", r->objective, in_time ? 2 : 1);
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

static bool draw_best(const gannet_report *r, FILE *data, FILE *out, double *height) {
  (void)height;
  return !has_front(r) && put_best(r, data, out, false);
}

static bool draw_best_time(const gannet_report *r, FILE *data, FILE *out, double *height) {
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

/* One end of an axis, with as many digits as tell it from the other end. */
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
    (void)fputs("'", out);
    figure_put_label(out,
                     json_array_get(json_object_get(r->summary, "variables"), (size_t)shown[v]));
    (void)fprintf(out, "' %zu, ", v);
  }
  (void)fprintf(out, "'%s' %zu)\n", r->objective, axes);
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
  for (size_t i = 0; !feasible && i < n_all; ++i) n += is_infeasible(r, i);
  const size_t most = feasible ? LINES - BEST_LINES : LINES / 2;
  const size_t stride = n <= most ? 1 : n / most + 1;
  for (size_t i = feasible ? n_order : n_all; i-- > 0;) {
    if (!feasible && (!is_infeasible(r, i) || lines++ % stride != 0)) continue;
    if (feasible && i >= BEST_LINES && i % stride != 0) continue;
    put_design(r, data, feasible ? order[i] : i, shown, axes, feasible ? rank[order[i]] : -1);
  }
  return n;
}

static bool draw_parallel(const gannet_report *r, FILE *data, FILE *out, double *height) {
  size_t n_variables = 0, *order = NULL, n = 0, others = 0;
  int *shown = order_variables(r, NULL, &n_variables);
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
                    grey, n > 0 ? ", \\\n  " : "\n");
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
                                      : is_infeasible(r, i);
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

static bool draw_projection(const gannet_report *r, FILE *data, FILE *out, double *height) {
  const json_t *variables = json_object_get(r->summary, "variables");
  double *rank = NULL;
  size_t *order = NULL, n = 0, n_variables = 0;
  int *axis = order_variables(r, json_object_get(r->model, "importance"), &n_variables);
  const bool shown = axis && n_variables > 1 && rank_results(r, &rank, &order, &n) &&
                     figure_get(json_object_get(r->summary, "campaign"), "done") > 0;
  (void)height;
  if (shown) {
    size_t lost = 0, others = 0;
    (void)fputs("# x, y, rank of: feasible; without a result; the best design; not feasible\n",
                data);
    put_plane(r, data, rank, axis, &lost, &others);
    put_palette(r, out);
    put_axis(out, 'x', json_array_get(variables, (size_t)axis[0]), AXIS_NAME);
    put_axis(out, 'y', json_array_get(variables, (size_t)axis[1]), AXIS_NAME);
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
        n > 500 ? 0.4 : 0.8, grey, others > 0 ? "not feasible" : "", n > 500 ? 0.4 : 0.8,
        picture_colors[1], lost > 0 ? name_of_lost(r) : "", picture_colors[11],
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
                2 * k, picture_colors[0], 2 * k + 1, grey);
  for (int end = 0; end < 2; ++end)
    if (isfinite(end ? upper : lower))
      (void)fprintf(out, ", %.17g with lines dashtype 2 linecolor rgb '%s' notitle",
                    end ? upper : lower, picture_colors[11]);
  (void)fputc('\n', out);
}

static bool draw_constraints(const gannet_report *r, FILE *data, FILE *out, double *height) {
  const size_t n = json_array_size(json_object_get(r->summary, "constraints"));
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

/* What a model of the objective says. */

static const json_t *variable_at(const gannet_report *r, int v) {
  return json_array_get(json_object_get(r->summary, "variables"), (size_t)v);
}

/* The effects on one objective, most important variable first. */
static void put_effects(const gannet_report *r, FILE *data, FILE *out, size_t tile,
                        const json_t *effects) {
  size_t n = 0;
  int *order = order_variables(r, effects, &n);
  if (n > BARS) n = BARS;
  (void)fprintf(out, "set yrange [%.1f:-0.5]\nset ytics scale 0 (", (double)n - 0.5);
  for (size_t i = 0; order && i < n; ++i) {
    const char *name = figure_text(variable_at(r, order[i]), "name");
    (void)fputs(i ? ", '" : "'", out);
    picture_put_text(out, name);
    (void)fprintf(out, "' %zu", i);
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
static bool draw_importance(const gannet_report *r, FILE *data, FILE *out, double *height) {
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

static void put_slice(const gannet_report *r, FILE *data, FILE *out, size_t tile, int v) {
  const json_t *one = json_array_get(json_object_get(r->model, "slices"), (size_t)v);
  const json_t *x = json_object_get(one, "x");
  const char *type = figure_text(variable_at(r, v), "type"), *color = picture_colors[0];
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
  figure_put_ticks(out, 'y', least, most, 4);
  (void)fprintf(out, "set ylabel '%s'\n", tile % 3 == 0 ? r->objective : "");
  figure_end_block(data, json_array_size(x));
  (void)fputs("set rmargin\n", out);
  put_axis(out, 'x', variable_at(r, v), SLICE_NAME);
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

static bool draw_slices(const gannet_report *r, FILE *data, FILE *out, double *height) {
  size_t n = 0;
  int *order = order_variables(r, json_object_get(r->model, "importance"), &n);
  const json_t *slices = json_object_get(r->model, "slices");
  size_t n_active = 0; /* a variable that is inactive in the best design has no slice */
  for (size_t i = 0; order && i < n; ++i)
    if (json_is_object(json_array_get(slices, (size_t)order[i]))) order[n_active++] = order[i];
  n = n_active;
  const bool shown = n > 0;
  if (n > SLICES) n = SLICES;
  if (shown) {
    (void)fputs("# value, median, ends of the central 95 %; one block per variable\n", data);
    *height = figure_begin_tiles(out, n, 3, 4.5);
    for (size_t i = 0; i < n; ++i) put_slice(r, data, out, i, order[i]);
    (void)fputs("unset multiplot\n", out);
  }
  gannet_free(&order);
  return shown;
}

static bool draw_calibration(const gannet_report *r, FILE *data, FILE *out, double *height) {
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
  (void)fprintf(out,
                "set xrange [%.17g:%.17g]\nset yrange [%.17g:%.17g]\nset xlabel 'predicted %s'\n"
                "set ylabel 'observed %s'\nset size square\nplot x with lines dashtype 2 linecolor "
                "rgb '#555555' "
                "notitle, data using 1:2 with points pointtype 7 pointsize 0.6 linecolor rgb '%s' "
                "notitle\n",
                low, high, low, high, r->objective, r->objective, picture_colors[0]);
  return true;
}

static int compare_numbers(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool draw_coverage(const gannet_report *r, FILE *data, FILE *out, double *height) {
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
  (void)fprintf(out,
                "set xrange [0:1]\nset yrange [0:1]\nset xlabel 'intervals of this share hold'\n"
                "set ylabel 'this share of the results'\nset size square\nplot x with lines "
                "dashtype 2 linecolor rgb '#555555' notitle, data using 1:2 with steps linewidth 2 "
                "linecolor rgb '%s' notitle\n",
                picture_colors[0]);
  return true;
}

/* How the time went. */

static void put_time_axis(const gannet_report *r, FILE *out) {
  const char *unit = NULL;
  const double clock = choose_clock(r, &unit);
  (void)fprintf(out, "set xlabel '%s since the first start'\nset xrange [0:%.9g]\n", unit,
                figure_get(json_object_get(r->summary, "campaign"), "seconds") / clock);
}

static void put_run(FILE *data, double from, double to, double slot) {
  picture_put_number(data, from);
  picture_put_number(data, to);
  picture_put_number(data, slot > 0 ? slot : 0);
  (void)fputc('\n', data);
}

/* Blocks of runs that were done, cannot run, failed, and were repeated. */
static void put_runs(const gannet_report *r, FILE *data, double clock, size_t *counts) {
  const json_t *retried = json_object_get(r->course, "retried");
  const bool by_place = json_object_get(r->course, "places") != NULL;
  const size_t n = json_array_size(figure_column(r, "id"));
  for (int status = GANNET_EVAL_DONE; status <= GANNET_EVAL_FAILED; ++status) {
    size_t lines = 0;
    for (size_t i = 0; i < n; ++i) {
      const double from = figure_at(figure_column(r, "started"), i) / clock;
      const double to = figure_at(figure_column(r, "ended"), i) / clock;
      if (figure_at(figure_column(r, "status"), i) != status || isnan(from) || isnan(to)) continue;
      put_run(data, from, to, figure_at(figure_column(r, by_place ? "place" : "slot"), i));
      ++lines;
    }
    figure_end_block(data, lines);
    counts[status - GANNET_EVAL_DONE] = lines;
  }
  counts[3] = json_array_size(retried);
  for (size_t i = 0; i < json_array_size(retried); ++i) {
    const json_t *one = json_array_get(retried, i);
    put_run(data, figure_at(one, 1) / clock, figure_at(one, 2) / clock,
            figure_at(one, by_place ? 4 : 3));
  }
  figure_end_block(data, json_array_size(retried));
}

static void put_run_commands(FILE *out, const size_t *counts) {
  static const char *const names[] = {"done", "cannot run", "failed", "repeated"};
  static const int colors[] = {0, 4, 1, 3};
  const char *join = "plot ";
  for (int i = 0; i < 4; ++i) {
    if (counts[i] == 0) continue;
    (void)fprintf(out,
                  "%sdata index %d using 1:3:1:2:($3-0.45):($3+0.45) with boxxyerror linecolor rgb "
                  "'%s' title '%s'",
                  join, i, picture_colors[colors[i]], names[i]);
    join = ", \\\n  ";
  }
  (void)fputc('\n', out);
}

/* Rows of slots: how busy they were, and the part of it that failed. */
static void put_rows(const json_t *rows, FILE *data, double width) {
  const json_t *busy = json_object_get(rows, "busy"), *lost = json_object_get(rows, "lost");
  size_t lines = 0;
  (void)fputs("# from, to, row, colour\n", data);
  for (size_t row = 0; row < json_array_size(busy); ++row)
    for (size_t bin = 0; bin < json_array_size(json_array_get(busy, row)); ++bin) {
      const double share = figure_at(json_array_get(busy, row), bin);
      const double failed = figure_at(json_array_get(lost, row), bin);
      if (!(share > 0.002)) continue;
      const unsigned clear = (unsigned)(255 * 0.85 * (1 - fmin(share, 1)));
      const unsigned color = failed > 0.5 * share ? 0xd55e00u : 0x0072b2u;
      (void)fprintf(data, "%.6g %.6g %zu %u\n", (double)bin * width, (double)(bin + 1) * width, row,
                    clear << 24 | color);
      ++lines;
    }
  figure_end_block(data, lines);
}

static bool draw_timeline(const gannet_report *r, FILE *data, FILE *out, double *height) {
  const json_t *rows = json_object_get(r->course, "rows");
  const char *unit = NULL;
  const double clock = choose_clock(r, &unit), width = figure_get(r->course, "width") / clock;
  const json_t *places = json_object_get(r->course, "places"); /* never beside rows */
  const double slots = places ? (double)json_array_size(places)
                              : figure_get(json_object_get(r->summary, "campaign"), "slots");
  const double each = rows ? figure_get(rows, "each") : 1;
  if (!(width > 0)) return false;
  *height = fmin(3 + 0.4 * ceil(slots / each), 18);
  put_time_axis(r, out);
  (void)fprintf(out,
                "set yrange [%.1f:-0.5]\nset ytics 0,%.0f\nset style fill solid 0.85 noborder\n",
                fmax(ceil(slots / each), 1) - 0.5, fmax(ceil(slots / each / 8), 1));
  if (each > 1)
    (void)fprintf(out, "set ylabel 'slots, %.0f a row'\n", each);
  else
    (void)fprintf(out, "set ylabel '%s'\n", places ? "" : "slot");
  for (size_t i = 0; i < json_array_size(places); ++i) {
    (void)fputs(i ? ", '" : "set ytics ('", out);
    picture_put_text(out, json_string_value(json_array_get(places, i)));
    (void)fprintf(out, "' %zu%s", i, i + 1 == json_array_size(places) ? ")\n" : "");
  }
  if (rows) {
    put_rows(rows, data, width);
    (void)fputs(
        "plot data using 1:3:1:2:($3-0.45):($3+0.45):4 with boxxyerror linecolor rgb "
        "variable fillstyle solid 1 notitle\n",
        out);
    return true;
  }
  (void)fputs("# start, end, slot or place of what was: done; cannot run; failed; repeated\n",
              data);
  size_t counts[4];
  put_runs(r, data, clock, counts);
  put_run_commands(out, counts);
  return counts[0] + counts[1] + counts[2] + counts[3] > 0;
}

static bool draw_use(const gannet_report *r, FILE *data, FILE *out, double *height) {
  const char *unit = NULL;
  const double clock = choose_clock(r, &unit), width = figure_get(r->course, "width") / clock;
  const json_t *busy = json_object_get(r->course, "busy");
  const double slots = figure_get(json_object_get(r->summary, "campaign"), "slots");
  if (!(width > 0)) return false;
  *height = 6;
  double lost = 0;
  (void)fputs("# time, slots busy, slots busy with what failed\n", data);
  for (size_t i = 0; i <= json_array_size(busy); ++i) {
    const size_t at = i < json_array_size(busy) ? i : i - 1;
    picture_put_number(data, (double)i * width);
    picture_put_number(data, figure_at(busy, at));
    picture_put_number(data, figure_at(json_object_get(r->course, "lost"), at));
    lost = fmax(lost, figure_at(json_object_get(r->course, "lost"), at));
    (void)fputc('\n', data);
  }
  put_time_axis(r, out);
  (void)fprintf(
      out,
      "set yrange [0:*]\nset ytics %.0f\nset ylabel 'slots'\nplot data using 1:2 with fillsteps "
      "linecolor rgb '%s' fillstyle solid 0.5 title 'busy', data using 1:3 with fillsteps "
      "linecolor rgb '%s' fillstyle solid 0.7 %s\n",
      fmax(1, ceil(slots / 8)), picture_colors[0], picture_colors[1],
      lost > 0 ? "title 'with what failed'" : "notitle");
  return true;
}

static bool draw_batches(const gannet_report *r, FILE *data, FILE *out, double *height) {
  const json_t *pauses = json_object_get(r->summary, "pauses");
  size_t lines = 0;
  double first = NAN, last = NAN;
  *height = 6;
  (void)fputs("# batch, seconds of proposing, seconds of proposing and the rest\n", data);
  for (size_t i = 0; i < json_array_size(pauses); ++i) {
    const json_t *one = json_array_get(pauses, i);
    const double pause = figure_at(one, 1), proposal = figure_at(one, 2);
    if (isnan(pause) && isnan(proposal)) continue;
    last = figure_at(one, 0);
    if (isnan(first)) first = last;
    picture_put_number(data, last);
    picture_put_number(data, isnan(proposal) ? 0 : proposal);
    picture_put_number(data, fmax(pause, proposal));
    (void)fputc('\n', data);
    ++lines;
  }
  if (lines < 2) return false;
  (void)fprintf(out, "set xrange [%.9g:%.9g]\nset xlabel 'batch'\nset ylabel 'seconds'\n",
                first - 1, last + 1);
  (void)fprintf(
      out,
      "set yrange [0:*]\nset style fill solid 1 noborder\nset boxwidth 0.8 relative\nplot "
      "data using 1:3 with boxes linecolor rgb '%s' title 'the rest', data using 1:2 with "
      "boxes linecolor rgb '%s' title 'proposing'\n",
      picture_colors[10], picture_colors[0]);
  return true;
}

const report_figure report_figures[] = {{"front", figure_draw_front, false},
                                        {"hypervolume", figure_draw_hypervolume, false},
                                        {"best", draw_best, false},
                                        {"best-time", draw_best_time, false},
                                        {"importance", draw_importance, false},
                                        {"slices", draw_slices, true},
                                        {"parallel", draw_parallel, true},
                                        {"projection", draw_projection, true},
                                        {"constraints", draw_constraints, false},
                                        {"timeline", draw_timeline, false},
                                        {"slots", draw_use, false},
                                        {"batches", draw_batches, false},
                                        {"calibration", draw_calibration, true},
                                        {"coverage", draw_coverage, true}};
_Static_assert(sizeof report_figures / sizeof *report_figures == REPORT_FIGURES, "all figures");
