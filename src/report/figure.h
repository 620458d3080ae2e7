/* What the figures have in common. Private to this room. */
#ifndef GANNET_REPORT_FIGURE_H
#define GANNET_REPORT_FIGURE_H

#include "picture/gnuplot.h"
#include "report/parts.h"

/* Data and commands of one figure; false when the campaign has nothing to show in it. A block of
 * data (an index of gnuplot) ends with figure_end; commands call the file of data "data".
 *
 * height  inout  of the figure in centimetres, when it is not the usual one
 */
typedef bool (*figure_putter)(const gannet_report *report, FILE *data, FILE *commands,
                              double *height);

/* Local. */
bool figure_best(const gannet_report *report, FILE *data, FILE *commands, double *height);
bool figure_best_time(const gannet_report *report, FILE *data, FILE *commands, double *height);
bool figure_parallel(const gannet_report *report, FILE *data, FILE *commands, double *height);
bool figure_projection(const gannet_report *report, FILE *data, FILE *commands, double *height);
bool figure_constraints(const gannet_report *report, FILE *data, FILE *commands, double *height);
bool figure_importance(const gannet_report *report, FILE *data, FILE *commands, double *height);
bool figure_slices(const gannet_report *report, FILE *data, FILE *commands, double *height);
bool figure_calibration(const gannet_report *report, FILE *data, FILE *commands, double *height);
bool figure_coverage(const gannet_report *report, FILE *data, FILE *commands, double *height);
bool figure_timeline(const gannet_report *report, FILE *data, FILE *commands, double *height);
bool figure_use(const gannet_report *report, FILE *data, FILE *commands, double *height);
bool figure_batches(const gannet_report *report, FILE *data, FILE *commands, double *height);

/* A number of a list or an object, NAN where there is none. Local. */
double figure_at(const json_t *list, size_t i);
double figure_get(const json_t *object, const char *key);
const char *figure_text(const json_t *object, const char *key);

/* The name of a variable or a constraint and its unit, "length [mm]", for a text in quotes. Local.
 */
void figure_put_label(FILE *commands, const json_t *column);

/* End of a block of data. A block without a line gets one that shows nothing. Local. */
void figure_end(FILE *data, size_t lines);

/* Positions of all variables, those that matter most first; [n], to be freed with gannet_free.
 * Local; NULL when memory is short. */
int *figure_order(const gannet_report *report, size_t *n);

/* Range, scale, ticks and label of an axis ('x' or 'y') that shows a variable; names of values are
 * cut after most bytes. Local. */
void figure_axis(FILE *commands, char axis, const json_t *variable, size_t most);

/* Ticks of an axis whose labels differ, also where the range is small beside its values: about most
 * of them there, else gnuplot's own. Local. */
void figure_ticks(FILE *commands, char axis, double low, double high, int most);

/* Significant digits that tell values apart that are a step from each other. Local. */
int figure_digits(double low, double high, double step);

/* Where between 0 and 1 the box of a variable has a value. Local. */
double figure_box_share(const json_t *variable, double value);

/* The unit of time that suits the campaign: its seconds, and "hours". Local. */
double figure_clock(const gannet_report *report, const char **name);

/* Commands for pictures side by side; returns the height in centimetres. Local. */
double figure_tiles(FILE *commands, size_t n, int columns, double row_height);

/* The value of a feasible result by its rank, 0 = best, NAN for other evaluations; [n], to be freed
 * with gannet_free, and the positions of feasible results from best to worst. Local; false when
 * memory is short.
 */
bool figure_ranks(const gannet_report *report, double **rank, size_t **order, size_t *n_results);

#endif
