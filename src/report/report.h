/* The report of a campaign, or a comparison of several: one HTML file that needs no network, with
 * the data that it draws; and the pictures of a report as files.
 *
 *   columns.c       the evaluations, thinned out where there are very many
 *   summary.c       counts, the best designs, failures by reason, machines, the objective's axis
 *   course.c        how the slots were used, pauses between batches
 *   logs.c          the folders of evaluations, and how the logs in them end
 *   study.c         a model of one quantity, an objective or a constraint
 *   model.c         what models say: importance, slices, calibration
 *   map.c           what they say in planes of two variables
 *   partial.c       what they say along one variable on average over the others
 *   words.c         what they say in sentences
 *   page.c          the page; assets/ has its texts and the JavaScript that draws its pictures
 *   figures.c       the pictures as data and commands for gnuplot; figures_*.c draw them
 *   figure_files.c  the files of these, and having gnuplot draw them
 */
#ifndef GANNET_REPORT_REPORT_H
#define GANNET_REPORT_REPORT_H

#include "campaign/tables/labels.h"
#include "evaluate/launcher/launcher.h"

/* Evaluations that a page holds at most; of longer campaigns it holds the steps of the best value,
 * failures, and a regular choice of the others. */
enum { REPORT_MOST_EVALUATIONS = 20000 };

typedef struct gannet_report gannet_report;

/* Gather what is to be shown.
 *
 * Local; MPI must be initialised, for a model is fitted on this process alone.
 *
 * campaign  in   from gannet_campaign_query; not needed afterwards
 * labels    in   of the campaign; not needed afterwards
 * report    out  NULL on failure
 *
 * Errors: GANNET_ERR_MEMORY. A model that cannot be fitted is no error.
 */
GANNET_CHECKED gannet_err gannet_report_create(const gannet_campaign *campaign,
                                               const gannet_labels *labels, gannet_report **report);
void gannet_report_destroy(gannet_report **report);

/* Add a campaign to a comparison of several.
 *
 * Local.
 *
 * directory  in     as it was named
 * report     inout  NULL = begin one
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_report_compare(const gannet_campaign *campaign,
                                                const gannet_labels *labels, const char *directory,
                                                gannet_report **report);

/* Write the page, of one campaign or of a comparison.
 *
 * Local.
 *
 * out  in  written from its present place on
 *
 * Errors: GANNET_ERR_IO when writing fails; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_report_write(const gannet_report *report, FILE *out);

/* Formats of figures from a list such as "svg,pdf".
 *
 * Local.
 *
 * wanted  out  [REPORT_FORMATS]
 *
 * Errors: GANNET_ERR_INPUT with the known ones.
 */
enum { REPORT_FORMATS = 3 };
extern const char *const gannet_report_format_names[]; /* NULL-terminated */
GANNET_CHECKED gannet_err gannet_report_formats(const char *text, bool *wanted);

/* Write the pictures into a directory, each as NAME.dat and NAME.gp, and have gnuplot draw them.
 *
 * Local.
 *
 * launcher   in  NULL = no program can be run
 * directory  in  absolute; made when it does not exist
 * wanted     in  [REPORT_FORMATS]
 * drawn      out  false: gnuplot is not there, and what it needs is written
 *
 * Errors: GANNET_ERR_LIBRARY when gnuplot fails; GANNET_ERR_IO, GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_report_figures(const gannet_report *report,
                                                gannet_launcher *launcher, const char *directory,
                                                const bool *wanted, bool *drawn);

#endif
