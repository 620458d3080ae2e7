/* Writing the pictures of a report as files, and having gnuplot draw them. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "problem/objectives.h"
#include "report/figure.h"
#include "report/report.h"

const char *const gannet_report_format_names[] = {"svg", "pdf", "png", NULL};
static const char *const *const formats = gannet_report_format_names;
enum { FORMATS = REPORT_FORMATS, FIGURE_NAME = 96 };
enum { CONSTRAINTS = 12 }; /* constraints whose models have pictures */

gannet_err gannet_report_formats(const char *text, bool *wanted) {
  for (int k = 0; k < FORMATS; ++k) wanted[k] = false;
  for (const char *at = text;; ++at) {
    const size_t length = strcspn(at, ",");
    int k = 0;
    while (k < FORMATS && !(strncmp(at, formats[k], length) == 0 && length == 3)) ++k;
    GANNET_REQUIRE(
        k < FORMATS, GANNET_ERR_INPUT,
        "--format: '%.*s' is no format of figures; expected svg, pdf, png, or several of "
        "them with commas between",
        (int)length, at);
    wanted[k] = true;
    at += length;
    if (!*at) return GANNET_OK;
  }
}

/* Objectives that gnuplot can draw. */

static const double largest = 1e300, divisor = 1e100;

static void divide_item(json_t *list, size_t i) {
  const double value = figure_at(list, i);
  if (isfinite(value)) (void)json_array_set_new(list, i, json_real(value / divisor));
}

static void divide_all(json_t *list) {
  for (size_t i = 0; i < json_array_size(list); ++i) divide_item(list, i);
}

static void divide_keys(json_t *object, const char *const *keys) {
  for (; *keys; ++keys) {
    json_t *one = json_object_get(object, *keys);
    if (json_is_array(one)) divide_all(one);
    if (json_is_number(one))
      (void)json_object_set_new(object, *keys, json_real(json_number_value(one) / divisor));
  }
}

/* The first of several objectives, whose values stand where those of a single one do. */
static void divide_first(gannet_report *r) {
  json_t *objectives = json_object_get(json_object_get(r->summary, "front"), "objectives");
  json_t *points = json_object_get(json_object_get(r->model, "front"), "points");
  static const char *const parts[] = {"mean", "low", "high"};
  for (size_t m = 0; m < json_array_size(objectives); ++m) {
    json_t *one = json_array_get(objectives, m);
    const char *unit = json_string_value(json_object_get(one, "unit"));
    if (figure_get(one, "place") < 0)
      (void)json_object_set_new(one, "unit", json_sprintf("1e100 %s", unit ? unit : ""));
  }
  for (size_t i = 0; i < json_array_size(points); ++i)
    for (size_t k = 0; k < 3; ++k)
      divide_item(json_object_get(json_array_get(points, i), parts[k]), 0);
}

static void divide_objectives(gannet_report *r) {
  static const char *const range[] = {"best", "worst", "better", NULL};
  static const char *const slice[] = {"median", "mean", "low", "high", NULL};
  static const char *const layers[] = {"mean", "sd", NULL};
  static const char *const curves[] = {"slices", "partial", NULL};
  static const char *const calibration[] = {"predicted", "observed", NULL};
  static const char *const traces[] = {"trace", "trace_time", NULL};
  json_t *maps = json_object_get(r->model, "maps");
  divide_all(json_object_get(r->columns, "objective"));
  divide_all(json_array_get(json_object_get(r->columns, "means"), 0));
  divide_all(json_array_get(json_object_get(r->columns, "errors"), 0));
  divide_keys(json_object_get(r->summary, "range"), range);
  divide_keys(json_object_get(r->model, "calibration"), calibration);
  for (size_t k = 0; curves[k]; ++k) {
    const json_t *list = json_object_get(r->model, curves[k]);
    for (size_t i = 0; i < json_array_size(list); ++i) divide_keys(json_array_get(list, i), slice);
  }
  for (size_t i = 0; i < json_array_size(maps); ++i)
    divide_keys(
        json_array_get(json_object_get(json_array_get(maps, i), "quantities"), (size_t)r->quantity),
        layers);
  for (size_t k = 0; traces[k]; ++k) {
    const json_t *trace = json_object_get(r->summary, traces[k]);
    for (size_t i = 0; i < json_array_size(trace); ++i) divide_item(json_array_get(trace, i), 2);
  }
  divide_first(r);
}

/* Put what is known of a further objective where figures look for the first one. */
static void show_objective(gannet_report *r, size_t m) {
  json_t *front = json_object_get(r->summary, "front"), *range = json_object();
  const json_t *one = json_array_get(json_object_get(front, "objectives"), m);
  const bool maximize = json_is_true(json_object_get(one, "maximize"));
  json_t *values = json_array_get(figure_column(r, "c"), (size_t)figure_get(one, "place"));
  json_t *model = json_incref(json_array_get(json_object_get(r->model, "others"), m - 1));
  double low = NAN, high = NAN;
  for (size_t i = 0; i < json_array_size(values); ++i) {
    low = fmin(low, figure_at(values, i));
    high = fmax(high, figure_at(values, i));
  }
  (void)json_object_set_new(range, "best", report_number(maximize ? high : low));
  (void)json_object_set_new(range, "worst", report_number(maximize ? low : high));
  (void)json_object_set_new(r->summary, "range", range);
  (void)json_object_set_new(json_object_get(r->summary, "campaign"), "goal",
                            json_string(maximize ? "maximize" : "minimize"));
  (void)json_object_set(r->columns, "objective", values);
  if (model) (void)json_object_set(model, "maps", json_object_get(r->model, "maps"));
  json_decref(r->model);
  r->model = model ? model : json_null();
  r->objective = figure_text(one, "name");
  r->unit = figure_text(one, "unit");
  r->quantity = (int)m;
}

/* Put the model of a constraint where figures look for that of the objective. Returns false when it
 * has none. */
static bool show_constraint(gannet_report *r, size_t n_objectives, size_t k) {
  const json_t *constraints = json_object_get(r->summary, "constraints");
  json_t *model = json_array_get(json_object_get(r->model, "constraints"), k);
  size_t at = 0;
  for (size_t before = 0; at < json_array_size(constraints); ++at)
    if (!json_is_true(json_object_get(json_array_get(constraints, at), "objective")) &&
        before++ == k)
      break;
  r->bounds = json_array_get(constraints, at);
  if (!json_is_object(model) || !r->bounds) return false;
  (void)json_incref(model);
  (void)json_object_set(model, "maps", json_object_get(r->model, "maps"));
  json_decref(r->model);
  r->model = model;
  r->objective = figure_text(r->bounds, "name");
  r->unit = figure_text(r->bounds, "unit");
  r->quantity = (int)(n_objectives + k);
  return true;
}

/* Put the probability that designs are feasible there, as curves without a band. Returns false
 * where nothing bounds designs. */
static bool show_chance(gannet_report *r) {
  static const char *const lists[] = {"slices", "partial"};
  static const char *const keys[] = {"median", "mean", "low", "high"};
  size_t n = 0;
  for (size_t k = 0; k < 2; ++k) {
    const json_t *list = json_object_get(r->model, lists[k]);
    for (size_t i = 0; i < json_array_size(list); ++i) {
      json_t *one = json_array_get(list, i), *share = json_object_get(one, "feasible");
      n += share != NULL;
      for (size_t j = 0; share && j < 4; ++j) (void)json_object_set(one, keys[j], share);
    }
  }
  r->objective = "P(feasible)";
  r->unit = "";
  r->quantity = -1;
  return n > 0;
}

/* A copy for gnuplot, which ends somewhat below the largest double and counts in differences: huge
 * objectives are divided by a power of ten.
 *
 * subject  in   what figures show: the objectives, then constraints, then the probability of being
 *               feasible
 * made     out  to be destroyed; NULL when there is no model of the subject
 */
static gannet_err copy_for_gnuplot(const gannet_report *report, size_t n_objectives, size_t n,
                                   size_t subject, gannet_report **made) {
  GANNET_TRY(gannet_alloc(1, sizeof **made, made));
  gannet_report *r = *made;
  *r = (gannet_report){.objective = report->objective,
                       .unit = report->unit,
                       .summary = json_deep_copy(report->summary),
                       .columns = json_deep_copy(report->columns),
                       .course = json_deep_copy(report->course),
                       .model = json_deep_copy(report->model)};
  GANNET_REQUIRE(r->summary && r->columns && r->course && r->model, GANNET_ERR_MEMORY,
                 "the data of a report's figures");
  if (subject >= n_objectives) {
    const bool shown =
        subject + 1 < n ? show_constraint(r, n_objectives, subject - n_objectives) : show_chance(r);
    if (!shown) gannet_report_destroy(made);
    return GANNET_OK;
  }
  if (subject > 0) show_objective(r, subject);
  const json_t *range = json_object_get(r->summary, "range");
  const double size = fmax(fabs(figure_get(range, "best")), fabs(figure_get(range, "worst")));
  if (!(size > largest)) return GANNET_OK;
  r->objective = "objective / 1e100";
  r->unit = "";
  divide_objectives(r);
  return GANNET_OK;
}

/* Files. */

/* Widths and heights suit a column of a paper; fonts grow with the pixels. */
static void put_terminal(FILE *out, const char *name, double height) {
  const double width = 12, pixels = 60;
  (void)fprintf(out,
                "# gnuplot %s.gp draws %s.svg in this directory, gnuplot -e \"format='pdf'\" %s.gp "
                "the same as PDF, and so for png.\nreset\n"
                "if (!exists('format')) { format = 'svg' }\n"
                "if (format eq 'svg') { set terminal svg size %.0f,%.0f font 'sans,13' background "
                "'white' noenhanced }\n"
                "if (format eq 'pdf') { set terminal pdfcairo size %.1fcm,%.1fcm font 'sans,9' "
                "noenhanced }\n"
                "if (format eq 'png') { set terminal pngcairo size %.0f,%.0f font 'sans,20' "
                "linewidth 2 pointscale 2 noenhanced }\n",
                name, name, name, pixels * width, pixels * height, width, height,
                2 * pixels * width, 2 * pixels * height);
  (void)fprintf(out,
                "set output '%s.'.format\ndata = '%s.dat'\n"
                "set grid linecolor rgb '#dddddd'\nset key outside top center horizontal Left "
                "reverse samplen 1.5\n"
                "set tics nomirror\n",
                name, name);
}

typedef struct {
  char *text[2]; /* data, commands */
  size_t size[2];
  FILE *file[2];
} drafts;

static gannet_err open_drafts(drafts *d) {
  *d = (drafts){.text = {NULL}};
  for (int i = 0; i < 2; ++i) {
    d->file[i] = open_memstream(&d->text[i], &d->size[i]);
    GANNET_REQUIRE(d->file[i], GANNET_ERR_MEMORY, "the text of a figure");
  }
  return GANNET_OK;
}

static gannet_err close_drafts(drafts *d) {
  bool failed = false;
  for (int i = 0; i < 2; ++i) failed = (d->file[i] && fclose(d->file[i])) || failed;
  GANNET_REQUIRE(!failed, GANNET_ERR_MEMORY, "the text of a figure");
  return GANNET_OK;
}

typedef struct {
  const char *name;
  double height;
  const drafts *drafts;
  int which;
} file;

static gannet_err put_file(FILE *out, const void *user) {
  const file *f = user;
  if (f->which == 1) put_terminal(out, f->name, f->height);
  (void)fwrite(f->drafts->text[f->which], 1, f->drafts->size[f->which], out);
  if (f->which == 1) (void)fputs("unset output\n", out);
  return GANNET_OK;
}

/* name  in  of its files, without ending */
static gannet_err write_figure(const gannet_report *report, const char *directory, const char *base,
                               int i, bool *shown) {
  char name[FIGURE_NAME + 4];
  drafts d;
  file f = {.name = base, .height = 7.5, .drafts = &d};
  gannet_err err = open_drafts(&d);
  if (err == GANNET_OK) *shown = report_figures[i].draw(report, d.file[0], d.file[1], &f.height);
  const gannet_err closed = close_drafts(&d);
  if (err == GANNET_OK) err = closed;
  for (f.which = 0; f.which < 2 && err == GANNET_OK && *shown; ++f.which) {
    (void)snprintf(name, sizeof name, "%s.%s", f.name, f.which ? "gp" : "dat");
    err = gannet_file_print(directory, name, false, put_file, &f);
  }
  free(d.text[0]);
  free(d.text[1]);
  return err;
}

/* Objectives, constraints that have a model, and the probability of being feasible. */
enum { SUBJECTS = GANNET_OBJECTIVES_MOST + CONSTRAINTS + 1 };

/* The figures of all subjects; those of the campaign are the first one's. */
typedef struct {
  const gannet_report *report;
  size_t n_objectives, n; /* subjects */
  bool shown[SUBJECTS][REPORT_FIGURES];
  const bool *wanted;
} choice;

static void name_figure(const choice *c, size_t subject, int i, char *name) {
  const json_t *list = json_object_get(c->report->summary, "constraints");
  const char *of = "";
  if (report_figures[i].scope == FIGURE_OF_CAMPAIGN) {
    of = "";
  } else if (subject < c->n_objectives) {
    const json_t *front = json_object_get(c->report->summary, "front");
    const json_t *one = json_array_get(json_object_get(front, "objectives"), subject);
    of = c->n_objectives > 1 ? figure_text(one, "name") : "";
  } else if (subject + 1 == c->n) {
    of = "p-feasible";
  } else {
    size_t k = subject - c->n_objectives;
    for (size_t at = 0; at < json_array_size(list); ++at) {
      const json_t *one = json_array_get(list, at);
      if (json_is_true(json_object_get(one, "objective")) || k-- > 0) continue;
      of = figure_text(one, "name");
      break;
    }
  }
  (void)snprintf(name, FIGURE_NAME, "%s%s%s", report_figures[i].name, *of ? "-" : "", of);
}

static gannet_err put_all(FILE *out, const void *user) {
  const choice *c = user;
  char name[FIGURE_NAME];
  (void)fputs("# gnuplot all.gp draws all figures of this directory\ndo for [format in '", out);
  for (int k = 0; k < FORMATS; ++k)
    if (c->wanted[k]) (void)fprintf(out, " %s", formats[k]);
  (void)fputs("'] {\n", out);
  for (int i = 0; i < REPORT_FIGURES; ++i)
    for (size_t m = 0; m < c->n; ++m) {
      if (!c->shown[m][i]) continue;
      name_figure(c, m, i, name);
      (void)fprintf(out, "  load '%s.gp'\n", name);
    }
  (void)fputs("}\n", out);
  return GANNET_OK;
}

gannet_err gannet_report_figures(const gannet_report *report, gannet_launcher *launcher,
                                 const char *directory, const bool *wanted, bool *drawn) {
  const json_t *front = json_object_get(report->summary, "front");
  const size_t several = json_array_size(json_object_get(front, "objectives"));
  const size_t bounded = json_array_size(json_object_get(report->model, "constraints"));
  choice all = {.report = report, .n_objectives = several > 1 ? several : 1, .wanted = wanted};
  char name[FIGURE_NAME];
  gannet_tool_end end;
  all.n = all.n_objectives + (bounded < CONSTRAINTS ? bounded : CONSTRAINTS) + 1;
  GANNET_TRY(gannet_make_directory(directory));
  for (size_t m = 0; m < all.n; ++m) {
    gannet_report *copy = NULL;
    gannet_err err = copy_for_gnuplot(report, all.n_objectives, all.n, m, &copy);
    for (int i = 0; i < REPORT_FIGURES && err == GANNET_OK && copy; ++i) {
      const figure_scope scope = report_figures[i].scope;
      const bool is_drawn = m >= all.n_objectives ? scope == FIGURE_OF_QUANTITY
                                                  : m == 0 || scope != FIGURE_OF_CAMPAIGN;
      if (!is_drawn) continue;
      name_figure(&all, m, i, name);
      err = write_figure(copy, directory, name, i, &all.shown[m][i]);
    }
    gannet_report_destroy(&copy);
    GANNET_TRY(err);
  }
  GANNET_TRY(gannet_file_print(directory, "all.gp", false, put_all, &all));
  GANNET_TRY(picture_draw(launcher, directory, "all.gp", &end));
  *drawn = !end.missing;
  GANNET_REQUIRE(!end.why[0] || end.missing, GANNET_ERR_LIBRARY,
                 "figures: %s; data and commands for gnuplot (Debian package gnuplot-nox) are in "
                 "%s, and 'gnuplot all.gp' draws them there or on another machine",
                 end.why, directory);
  return GANNET_OK;
}
