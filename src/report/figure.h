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
} report_figure;

enum { REPORT_FIGURES = 12 };
extern const report_figure report_figures[REPORT_FIGURES];

/* A number of a list or an object, NAN where there is none. Local. */
double figure_at(const json_t *list, size_t i);
double figure_get(const json_t *object, const char *key);

#endif
