/* Pictures of several objectives for gnuplot: the front in every plane of two objectives, in space
 * where there are three, and its hypervolume. What the browser draws is in assets/front.js.
 *
 * Blocks of the data of the front have the values of all objectives in their order:
 *
 *   FRONT       designs of the front, least of the first objective first
 *   FEASIBLE    other designs that are feasible
 *   INFEASIBLE  designs that are not
 *   EXPECTED    what the models expect of designs that were not run; then the ends of 95 %
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "evaluate/evaluator.h"
#include "problem/objectives.h"
#include "report/figure.h"

typedef enum { FRONT, FEASIBLE, INFEASIBLE, EXPECTED, BLOCKS } block;

typedef struct {
  size_t m; /* objectives */
  const json_t *objectives;
  const json_t *value[GANNET_OBJECTIVES_MOST];                      /* columns of their values */
  double low[GANNET_OBJECTIVES_MOST], high[GANNET_OBJECTIVES_MOST]; /* of what is shown */
  size_t lines[BLOCKS];
} front_figure;

static bool begin_figure(const gannet_report *r, front_figure *f) {
  const json_t *front = json_object_get(r->summary, "front");
  *f = (front_figure){.objectives = json_object_get(front, "objectives")};
  f->m = json_array_size(f->objectives);
  for (size_t k = 0; k < f->m; ++k) {
    const double place = figure_get(json_array_get(f->objectives, k), "place");
    const json_t *means = figure_column(r, "means");
    f->value[k] = means       ? json_array_get(means, k)
                  : place < 0 ? figure_column(r, "objective")
                              : json_array_get(figure_column(r, "c"), (size_t)place);
    f->low[k] = INFINITY;
    f->high[k] = -INFINITY;
  }
  return f->m > 1;
}

static void put_values(front_figure *f, size_t i, bool extends, FILE *data) {
  for (size_t k = 0; k < f->m; ++k) {
    const double value = figure_at(f->value[k], i);
    picture_put_number(data, value);
    if (extends) f->low[k] = fmin(f->low[k], value);
    if (extends) f->high[k] = fmax(f->high[k], value);
  }
  (void)fputc('\n', data);
}

/* A design of the front: its place among the evaluations, and its first objective. */
typedef struct {
  size_t at;
  double first;
} member;

static int by_first(const void *a, const void *b) {
  const member *x = a, *y = b;
  if (x->first != y->first) return x->first < y->first ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

/* Write the blocks of what was evaluated. Numbers of the front ascend as those of all do. The range
 * is that of the front or, while it has fewer than two designs, that of all. Returns false when
 * memory is short. */
static bool put_evaluated(const gannet_report *r, front_figure *f, FILE *data) {
  const json_t *ids = json_object_get(json_object_get(r->summary, "front"), "ids");
  const json_t *runs = figure_column(r, "runs");
  const size_t n = json_array_size(figure_column(r, "id"));
  const bool is_line = json_array_size(ids) > 1;
  member *front = NULL;
  if (gannet_alloc(json_array_size(ids) + 1, sizeof *front, &front) != GANNET_OK) return false;
  for (block b = FRONT; b <= INFEASIBLE; ++b) {
    size_t next = 0;
    for (size_t i = 0; i < n; ++i) {
      if (figure_at(figure_column(r, "status"), i) != GANNET_EVAL_DONE) continue;
      if (runs && figure_at(runs, i) == 0) continue; /* another run of a design */
      const double id = figure_at(figure_column(r, "id"), i);
      while (next < json_array_size(ids) && figure_at(ids, next) < id) ++next;
      const block mine = figure_at(ids, next) == id                       ? FRONT
                         : figure_at(figure_column(r, "feasible"), i) > 0 ? FEASIBLE
                                                                          : INFEASIBLE;
      if (mine != b) continue;
      if (b == FRONT)
        front[f->lines[b]] = (member){i, figure_at(f->value[0], i)};
      else
        put_values(f, i, !is_line, data);
      f->lines[b] += 1;
    }
    qsort(front, b == FRONT ? f->lines[b] : 0, sizeof *front, by_first);
    for (size_t i = 0; b == FRONT && i < f->lines[b]; ++i) put_values(f, front[i].at, true, data);
    figure_end_block(data, f->lines[b]);
  }
  gannet_free(&front);
  return true;
}

static void put_expected(const gannet_report *r, front_figure *f, FILE *data) {
  static const char *const parts[] = {"mean", "low", "high"};
  const json_t *points = json_object_get(json_object_get(r->model, "front"), "points");
  f->lines[EXPECTED] = json_array_size(points);
  for (size_t i = 0; i < f->lines[EXPECTED]; ++i) {
    for (size_t part = 0; part < 3; ++part)
      for (size_t k = 0; k < f->m; ++k)
        picture_put_number(data,
                           figure_at(json_object_get(json_array_get(points, i), parts[part]), k));
    (void)fputc('\n', data);
  }
  figure_end_block(data, f->lines[EXPECTED]);
}

static void put_range(FILE *out, char axis, const front_figure *f, size_t k, int ticks) {
  const double range = f->high[k] - f->low[k];
  const double room = range > 0 ? 0.15 * range : fmax(0.1 * fabs(f->high[k]), 1e-300);
  figure_put_ticks(out, axis, f->low[k] - room, f->high[k] + room, ticks);
  (void)fprintf(out, "set %crange [%.17g:%.17g]\nset %clabel '", axis, f->low[k] - room,
                f->high[k] + room, axis);
  figure_put_label(out, json_array_get(f->objectives, k));
  (void)fputs("'\n", out);
}

/* Plot the blocks that have lines, by these columns. */
static void put_points(const front_figure *f, FILE *out, const char *command, const char *columns) {
  static const struct {
    block which;
    int type, color;
    double size;
    const char *title;
  } kinds[] = {{INFEASIBLE, 8, 10, 0.5, "not feasible"},
               {FEASIBLE, 7, 0, 0.4, "feasible"},
               {EXPECTED, 12, 2, 0.6, "expected by the models"},
               {FRONT, 7, 2, 0.8, "front"}};
  const char *join = command;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    if (f->lines[kinds[i].which] == 0) continue;
    (void)fprintf(out,
                  "%sdata index %d using %s with points pointtype %d pointsize %g linecolor rgb "
                  "'%s' title '%s'",
                  join, (int)kinds[i].which, columns, kinds[i].type, kinds[i].size,
                  picture_colors[kinds[i].color], kinds[i].title);
    join = ", \\\n  ";
  }
}

/* Objectives a and b. Two objectives have a line between designs: the edge of what they attain. */
static void put_plane(const front_figure *f, FILE *out, size_t a, size_t b) {
  const bool is_maximized =
      json_is_true(json_object_get(json_array_get(f->objectives, a), "maximize"));
  char columns[32];
  put_range(out, 'x', f, a, f->m > 2 ? 2 : 4);
  put_range(out, 'y', f, b, f->m > 2 ? 4 : 5);
  (void)snprintf(columns, sizeof columns, "%zu:%zu", a + 1, b + 1);
  put_points(f, out, "plot ", columns);
  if (f->m == 2 && f->lines[FRONT] > 1)
    (void)fprintf(out, ", data index %d using %s with %s linewidth 1.5 linecolor rgb '%s' notitle",
                  (int)FRONT, columns, is_maximized ? "fsteps" : "steps", picture_colors[2]);
  (void)fputs("\n", out);
}

bool figure_draw_front(const gannet_report *r, FILE *data, FILE *out, double *height) {
  front_figure f;
  if (!begin_figure(r, &f)) return false;
  (void)fputs("# values of", data);
  for (size_t k = 0; k < f.m; ++k) {
    (void)fputs(k > 0 ? ", " : " ", data);
    figure_put_label(data, json_array_get(f.objectives, k));
  }
  (void)fputs(
      " of: the front; other feasible designs; designs that are not feasible; points that the "
      "models expect on the front, with the lower and the upper ends of their 95 %\n",
      data);
  if (!put_evaluated(r, &f, data)) return false;
  put_expected(r, &f, data);
  for (size_t k = 0; k < f.m; ++k)
    if (!isfinite(f.high[k] - f.low[k])) return false;
  *height = 9;
  const size_t tiles = f.m == 3 ? 4 : f.m * (f.m - 1) / 2;
  if (f.m > 2) *height = figure_begin_tiles(out, tiles, 2, 7);
  for (size_t a = 0; a < f.m; ++a)
    for (size_t b = a + 1; b < f.m; ++b) {
      if (a + b == 2) (void)fputs("unset key\n", out); /* the first picture has it for all */
      put_plane(&f, out, a, b);
    }
  if (f.m == 3) {
    for (size_t k = 0; k < 3; ++k) put_range(out, "xyz"[k], &f, k, 1);
    (void)fputs("set xyplane relative 0\nset view 65,40\n", out);
    put_points(&f, out, "splot ", "1:2:3");
    (void)fputs("\n", out);
  }
  if (f.m > 2) (void)fputs("unset multiplot\n", out);
  return true;
}

bool figure_draw_hypervolume(const gannet_report *r, FILE *data, FILE *out, double *height) {
  const json_t *course = json_object_get(json_object_get(r->summary, "front"), "course");
  const size_t n = json_array_size(course);
  double most = -INFINITY;
  (void)height;
  (void)fputs("# results so far, hypervolume of their front up to today's reference point\n", data);
  for (size_t i = 0; i < n; ++i) {
    const json_t *step = json_array_get(course, i);
    picture_put_number(data, figure_at(step, 0));
    picture_put_number(data, figure_at(step, 1));
    (void)fputc('\n', data);
    most = fmax(most, figure_at(step, 1));
  }
  if (n < 2 || !isfinite(most)) return false;
  (void)fprintf(out,
                "set xrange [0:%.9g]\nset yrange [0:*]\nset xlabel 'results'\nset ylabel "
                "'hypervolume'\nplot data using 1:2 with steps linewidth 2 linecolor rgb '%s' "
                "notitle\n",
                figure_at(json_array_get(course, n - 1), 0), picture_colors[2]);
  return true;
}
