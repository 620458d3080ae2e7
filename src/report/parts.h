/* The parts of the page's data; private to this room. */
#ifndef GANNET_REPORT_PARTS_H
#define GANNET_REPORT_PARTS_H

#include <jansson.h>

#include "campaign/progress.h"

/* A number, or null where there is none. Local. */
json_t *report_number(double value);

/* {"id": [...], "status": [...], "objective": [...], "x": [[...], ...], ...}, one place per shown
 * evaluation; times count from start, in seconds since 1970. Local; NULL when memory is short, as
 * for the others.
 */
json_t *report_columns(const gannet_campaign *campaign, double start);

/* "campaign": names, counts, best value; "variables"; "constraints"; "best"; "failures"; "trace";
 * "pauses". Local. */
json_t *report_summary(const gannet_campaign *campaign, const gannet_usage *usage);

/* "importance", "slices", "calibration"; {"note": why not} when there are too few results.
 *
 * Local; MPI and PETSc must be initialised.
 *
 * Errors: those of fitting a model.
 */
GANNET_CHECKED gannet_err report_model(const gannet_campaign *campaign, json_t **model);

#endif
