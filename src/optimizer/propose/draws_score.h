/* The score of a point by prepared draws of the models.
 *
 * It is minus the objective's draw where the draws of all constraints are feasible. Elsewhere it is
 * below the scores of all such points, by the summed violation.
 */
#ifndef GANNET_OPTIMIZER_DRAWS_SCORE_H
#define GANNET_OPTIMIZER_DRAWS_SCORE_H

#include "optimizer/member.h"
#include "search/candidates.h"

typedef struct {
  gannet_models *models;
  int q;                         /* draws */
  double *values;                /* [q][GANNET_TILE] draws of one constraint */
  double *violation;             /* [q][GANNET_TILE] */
  double *gradient;              /* [d] */
  bool estimates;                /* the models give estimates, and error bounds were measured */
  gannet_precision precision;    /* of the estimates */
  const gannet_context *context; /* of the measurement, borrowed */
  const gannet_candidates *candidates; /* borrowed */
  double *error_bound;                 /* [models][q] of the estimates */
  double *least;                       /* [q][GANNET_TILE] smallest summed violation */
} gannet_draws_score;

/* Workspace for q prepared draws; release accepts a zeroed struct.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_draws_score_prepare(const gannet_member *member, int q,
                                                     gannet_draws_score *score);
void gannet_draws_score_release(gannet_draws_score *score);

/* Scores of m <= GANNET_TILE points by every draw: a gannet_scorer of q lists.
 *
 * Local.
 *
 * user    in   a gannet_draws_score
 * scores  out  [q][ld]
 */
GANNET_CHECKED gannet_err gannet_draws_score_points(void *user, int m, const double *x_unit,
                                                    int64_t first, double *scores, int ld);

/* Have the models give estimates in a precision, and measure how far they are off: the error bound
 * of a draw is 16 times the largest error at 64 candidates, spread evenly over their numbers.
 *
 * Collective over the context's communicator.
 *
 * Sets estimates, to false when a model gives none on some rank, when they overflow here, when
 * exact values depend on a point's place among others, and when there are so few candidates that it
 * does not pay. Keeps context and candidates for _tighten.
 */
GANNET_CHECKED gannet_err gannet_draws_score_measure(gannet_draws_score *score,
                                                     const gannet_context *context,
                                                     const gannet_candidates *candidates,
                                                     gannet_precision precision);

/* Measure again in double precision, if that was not done: a gannet_screen_tightener.
 *
 * Collective over the context's communicator.
 *
 * user  inout  a gannet_draws_score, measured
 */
GANNET_CHECKED gannet_err gannet_draws_score_tighten(void *user, bool *again);

/* Bounds of the scores from estimates and error bounds: a gannet_screen_bounder of q lists.
 *
 * Local.
 *
 * user  in  a gannet_draws_score with estimates
 */
GANNET_CHECKED gannet_err gannet_draws_score_bounds(void *user, int m, const double *x_unit,
                                                    int64_t first, double *lower, double *upper,
                                                    int ld);

/* What a polish of one draw minimises: its value plus the squared violations, with the gradient
 * [d]: a gannet_polish_function.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_draws_score_merit(void *user, int list, const double *x_unit,
                                                   double *value, double *gradient);

#endif
