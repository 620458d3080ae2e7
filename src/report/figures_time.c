/* Pictures of how the time went, for gnuplot. What the browser draws of the same data is in
 * assets/course.js.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "evaluate/evaluator.h"
#include "report/figure.h"

/* How the time went. */

static void put_time_axis(const gannet_report *r, FILE *out) {
  const char *unit = NULL;
  const double clock = figure_choose_clock(r, &unit);
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

bool figure_draw_timeline(const gannet_report *r, FILE *data, FILE *out, double *height) {
  const json_t *rows = json_object_get(r->course, "rows");
  const char *unit = NULL;
  const double clock = figure_choose_clock(r, &unit),
               width = figure_get(r->course, "width") / clock;
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
    (void)fputs(i ? ", " : "set ytics (", out);
    figure_put_tick(out, json_string_value(json_array_get(places, i)), "", (double)i);
    if (i + 1 == json_array_size(places)) (void)fputs(")\n", out);
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

bool figure_draw_use(const gannet_report *r, FILE *data, FILE *out, double *height) {
  const char *unit = NULL;
  const double clock = figure_choose_clock(r, &unit),
               width = figure_get(r->course, "width") / clock;
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

bool figure_draw_batches(const gannet_report *r, FILE *data, FILE *out, double *height) {
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
