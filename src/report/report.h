/* The report of a campaign: one HTML file that needs no network, with the data that it draws.
 *
 *   columns.c  the evaluations, thinned out where there are very many
 *   summary.c  counts, the best designs, failures by reason
 *   course.c   how the slots were used, pauses between batches
 *   starts.c   what the campaign ran on
 *   model.c    a model of the objective: importance, slices, calibration
 *   page.c     the file
 */
#ifndef GANNET_REPORT_REPORT_H
#define GANNET_REPORT_REPORT_H

#include "campaign/campaign.h"

/* Evaluations that a page holds at most; of longer campaigns it holds the steps of the best value,
 * failures, and a regular choice of the others. */
enum { REPORT_MOST_EVALUATIONS = 20000 };

/* Write the page.
 *
 * Local; MPI and PETSc must be initialised, for the model is fitted on this process alone.
 *
 * campaign  in  from gannet_campaign_query
 * out       in  written from its present place on
 *
 * Errors: GANNET_ERR_IO when writing fails; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_report_write(const gannet_campaign *campaign, FILE *out);

#endif
