/* The parts of the page's data; private to this room. */
#ifndef GANNET_REPORT_PARTS_H
#define GANNET_REPORT_PARTS_H

#include <jansson.h>

#include "campaign/run/progress.h"
#include "report/report.h"

/* What the page and the figures show. */
struct gannet_report {
  char *name;
  const char *objective; /* name on its axes, with the power of ten that values are divided by */
  const char *unit;      /* of the objective, "" = none is stated */
  json_t *summary, *columns, *course, *model;
  json_t
      *campaigns; /* of a comparison: summaries, and none of the others; NULL = of one campaign */

  /* What figures show; pages have all quantities. */
  int quantity;         /* a place among the quantities of maps, -1 = the probability that a design
                           is feasible */
  const json_t *bounds; /* of the constraint that it is; NULL = another quantity; borrowed */
};

/* A number, or null where there is none. Local. */
json_t *report_number(double value);

/* Whether an evaluation has a value to learn from: a finite objective that is no penalty
 * (problem/penalty.h). Local. */
bool report_has_value(const gannet_campaign *campaign, int64_t id);

/* The position of a text in a list, to which it is added when it is new: texts repeat a lot. Local.
 */
json_t *report_position(json_t *list, const char *text);

/* Whether number i is one of every stride-th of many. The choice is spread evenly, but with steps
 * of the golden ratio: every second point of a Sobol sequence would lie in one half of the box.
 *
 * Local.
 *
 * stride  in  1 = all
 */
static inline bool report_is_chosen(int64_t i, int64_t stride) {
  const uint64_t golden = 11400714819323198485u; /* 2^64 divided by the golden ratio */
  return stride <= 1 || (uint64_t)i * golden < UINT64_MAX / (uint64_t)stride;
}

/* {"id": [...], "status": [...], "objective": [...], "x": [[...], ...], ...}, one place per shown
 * evaluation; times count from start, in seconds since 1970. Penalties have the status
 * of what cannot run and are no objectives. Local; NULL when memory is short, as for the others.
 */
json_t *report_columns(const gannet_campaign *campaign, double start);

/* "campaign": names, counts, best value; "variables"; "constraints"; "labels": names of other
 * columns of the list of candidates; "best", distinct designs; "failures"; "folders" (report_logs);
 * "trace" and "trace_time": steps of the best value; "pauses"; "starts"; "range"; "configuration".
 * Local.
 */
json_t *report_summary(const gannet_campaign *campaign, const gannet_labels *labels,
                       const gannet_usage *usage);

/* "directory": that of the campaign; "ends": the last lines of "stderr.log" and "stdout.log" by the
 * numbers of evaluations, of the best designs and of failures. null where evaluations have no
 * folders. Local. */
json_t *report_logs(const gannet_campaign *campaign, const json_t *best, const json_t *failures);

/* The front of several objectives: "objectives", each with name, unit, reference and the place of
 * its column; "ids"; "knee"; "hypervolume"; "course", its growth. null with a single objective.
 * Local. */
json_t *report_front(const gannet_campaign *campaign);

/* Between batches: [number, seconds from the last result of the one before to the launch, seconds
 * that proposing took], or null for either; of very many batches means of groups. Local. */
json_t *report_pauses(const gannet_campaign *campaign);

/* How the slots were used, by all attempts that are known, repeated ones included. Local. */
gannet_usage report_usage(const gannet_campaign *campaign);

/* "width" of a bin in seconds; "busy", "lost": slots busy in it on average, and those of them with
 * what failed; "retried"; "rows" {"each", "busy", "lost"}: the same by rows of slots, when there
 * are too many evaluations to show each; "places": when simulations had few places, the rows of
 * the time line are these, not slots. {} without times. Local.
 *
 * columns  inout  places of repeated attempts are added to its places
 */
json_t *report_course(const gannet_campaign *campaign, const gannet_usage *usage, json_t *columns);

/* "importance", "slices", "partial" (report_model_partial), "calibration" of the first objective,
 * "recommended" {"id", "mean", "sd", "noise", "of_all": whether its model has all results} or null,
 * "noisy"; "others" and "constraints": the same of the other objectives and of each constraint
 * (null without a model, and no calibration); "maps" (report_model_maps); "feasible", the
 * probability of the design "through" which slices run; "words" (report_model_words). {"note": why
 * not} when there are too few results.
 *
 * Local; MPI must be initialised.
 *
 * Errors: those of fitting a model.
 */
GANNET_CHECKED gannet_err report_model(const gannet_campaign *campaign, json_t **model);

/* Sentences on what the models say and whether to believe them.
 *
 * Local.
 *
 * model  in     complete but for the words
 * words  inout  list that gets them
 */
void report_model_words(const gannet_campaign *campaign, const json_t *model, json_t *words);

#endif
