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

/* How often a picture is drawn. */
typedef enum {
  FIGURE_OF_CAMPAIGN,  /* once */
  FIGURE_OF_OBJECTIVE, /* for each of several objectives, as "calibration-mass" */
  FIGURE_OF_QUANTITY   /* for constraints with a model, too, as "slices-stress", and for the
                          probability that a design is feasible, "slices-p-feasible" */
} figure_scope;

typedef struct {
  const char *name; /* name of its files, without ending */
  report_figure_drawer draw;
  figure_scope scope;
} report_figure;

enum { REPORT_FIGURES = 16 };
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

/* Write the name and the unit of what a figure shows in place of the objective, for a text in
 * quotes. Local. */
void figure_put_objective(FILE *out, const gannet_report *report);

/* Write a tick of an axis with a name and a unit ("" = none) at a place. Local. */
void figure_put_tick(FILE *out, const char *name, const char *unit, double at);

/* End a block of data. A block without a line gets one that shows nothing. Local. */
void figure_end_block(FILE *data, size_t lines);

/* Significant digits that tell values apart that are a step from each other. Local. */
int figure_count_digits(double low, double high, double step);

/* Ticks of an axis ('x' or 'y') whose labels differ even where the range is small beside its
 * values. Such an axis has about most of them; other axes have gnuplot's own. Local. */
void figure_put_ticks(FILE *out, char axis, double low, double high, int most);

/* Commands for pictures side by side; returns the height in centimetres. Local. */
double figure_begin_tiles(FILE *out, size_t n, int columns, double row_height);

/* Positions of the variables that are searched, from the most to the least of the weights, NULL =
 * in their order; [n], to be freed with gannet_free. NULL when memory is short. Local. */
int *figure_order_variables(const gannet_report *report, const json_t *weights, size_t *n);

/* Whether a variable has numbers on an axis, and not names. Local. */
bool figure_is_numeric(const json_t *variable);

/* Range, scale, ticks and label of an axis that shows a variable. Names of values are cut after
 * most bytes. Local. */
void figure_put_axis(FILE *out, char axis, const json_t *variable, size_t most);

/* The unit of time that suits the campaign: its seconds, and its name such as "hours". Local. */
double figure_choose_clock(const gannet_report *report, const char **name);

/* What evaluations without a result are called. Local. */
const char *figure_name_of_lost(const gannet_report *report);

/* Designs that are not feasible are hollow and grey: the colours of values are for those that are.
 * Local. */
extern const char figure_grey[];
bool figure_is_infeasible(const gannet_report *report, size_t i);

/* Pictures of the search. Local. */
bool figure_draw_best(const gannet_report *r, FILE *data, FILE *out, double *height);
bool figure_draw_best_time(const gannet_report *r, FILE *data, FILE *out, double *height);
bool figure_draw_parallel(const gannet_report *r, FILE *data, FILE *out, double *height);
bool figure_draw_projection(const gannet_report *r, FILE *data, FILE *out, double *height);
bool figure_draw_constraints(const gannet_report *r, FILE *data, FILE *out, double *height);

/* Pictures of what models say. Local. */
bool figure_draw_importance(const gannet_report *r, FILE *data, FILE *out, double *height);
bool figure_draw_slices(const gannet_report *r, FILE *data, FILE *out, double *height);
bool figure_draw_partial(const gannet_report *r, FILE *data, FILE *out, double *height);
bool figure_draw_map(const gannet_report *r, FILE *data, FILE *out, double *height);
bool figure_draw_calibration(const gannet_report *r, FILE *data, FILE *out, double *height);
bool figure_draw_coverage(const gannet_report *r, FILE *data, FILE *out, double *height);

/* Pictures of how the time went. Local. */
bool figure_draw_timeline(const gannet_report *r, FILE *data, FILE *out, double *height);
bool figure_draw_use(const gannet_report *r, FILE *data, FILE *out, double *height);
bool figure_draw_batches(const gannet_report *r, FILE *data, FILE *out, double *height);

/* Pictures of several objectives: their front, and how its hypervolume has grown. Local. */
bool figure_draw_front(const gannet_report *r, FILE *data, FILE *out, double *height);
bool figure_draw_hypervolume(const gannet_report *r, FILE *data, FILE *out, double *height);

#endif
