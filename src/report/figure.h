/* The pictures of a report. Private to this room. */
#ifndef GANNET_REPORT_FIGURE_H
#define GANNET_REPORT_FIGURE_H

#include "picture/gnuplot.h"
#include "report/parts.h"

/* Write the data and the commands of one picture. A block of data is an index of gnuplot; commands
 * call the file of data "data".
 *
 * height  inout  of the picture in centimetres, changed when it is not the usual one
 *
 * Returns false when the campaign has nothing to show in it.
 */
typedef bool (*report_figure_drawer)(const gannet_report *report, FILE *data, FILE *commands,
                                     double *height);

typedef struct {
  const char *name; /* name of its files, without ending */
  report_figure_drawer draw;
  bool is_of_objective; /* drawn for each of several objectives, as "slices-mass" */
} report_figure;

enum { REPORT_FIGURES = 14 };
extern const report_figure report_figures[REPORT_FIGURES];

/* A number of a list or an object, NAN where there is none. Local. */
double figure_at(const json_t *list, size_t i);
double figure_get(const json_t *object, const char *key);

/* A text of an object, "" where there is none. Local. */
const char *figure_text(const json_t *object, const char *key);

/* The values of evaluations in a column of report_columns. Local. */
const json_t *figure_column(const gannet_report *r, const char *name);

/* Write the name of a variable, constraint or objective and its unit, "length [mm]", for a text in
 * quotes. Local. */
void figure_put_label(FILE *out, const json_t *column);

/* End a block of data. A block without a line gets one that shows nothing. Local. */
void figure_end_block(FILE *data, size_t lines);

/* Significant digits that tell values apart that are a step from each other. Local. */
int figure_count_digits(double low, double high, double step);

/* Ticks of an axis ('x' or 'y') whose labels differ even where the range is small beside its
 * values. Such an axis has about most of them; other axes have gnuplot's own. Local. */
void figure_put_ticks(FILE *out, char axis, double low, double high, int most);

/* Commands for pictures side by side; returns the height in centimetres. Local. */
double figure_begin_tiles(FILE *out, size_t n, int columns, double row_height);

/* Pictures of several objectives: their front, and how its hypervolume has grown. Local. */
bool figure_draw_front(const gannet_report *r, FILE *data, FILE *out, double *height);
bool figure_draw_hypervolume(const gannet_report *r, FILE *data, FILE *out, double *height);

#endif
