/* The score of a point by prepared draws of the models.
 *
 * It is minus the objective's draw where the draws of all constraints are feasible. Elsewhere it is
 * below the scores of all such points, by the summed violation.
 *
 * With several objectives every draw has a direction l of its own, uniform on the positive part of
 * the unit sphere, and the score is
 *
 *   min_m (r_m - y_m) / l_m,
 *
 * y the draws of the objectives and r the reference point in ranges of the front. The mean of its
 * positive part to the power of the number of objectives, over directions, is proportional to the
 * hypervolume up to r (Zhang and Golovin 2020), and its maxima are the points of the front. Some
 * draws have the reference point of the front as r; the others have one that is no farther than a
 * tenth beyond the worst values of the front, as most rays from a far point pass the front by.
 */
#ifndef GANNET_OPTIMIZER_DRAWS_SCORE_H
#define GANNET_OPTIMIZER_DRAWS_SCORE_H

#include "optimizer/member.h"
#include "search/candidates.h"
#include "search/distinct.h"
#include "search/select.h"

typedef struct {
  const gannet_context *context;
  gannet_models *models;
  int q;                       /* draws */
  double *values;              /* [q][GANNET_TILE] draws of one constraint */
  double *violation;           /* [q][GANNET_TILE] */
  double *gradient;            /* [d] */
  double *direction;           /* [q][objectives] of several objectives */
  double *origin;              /* [q][objectives] r */
  gannet_estimator *estimator; /* [models] of draws */
  bool estimates;              /* the models give estimates, and error bounds were measured */
  double *error_bound;         /* [models][q] of the estimates */
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

/* The best candidates by every draw, as gannet_scan finds them, without the values of most: scores
 * are bounded by estimates of the draws, and candidates are scored in the order of these bounds
 * (search/best_first.h): a gannet_propose_bounded. The error bound of a draw's estimates is 16
 * times their largest error at GANNET_SAMPLE candidates, spread evenly over their numbers.
 *
 * Collective over the context's communicator; arguments the same on all ranks.
 *
 * user    in   a gannet_draws_score
 * taken   in   as in gannet_scan
 * best    out  [q][keep]; only where scored is positive
 * scored  out  candidates that were scored; 0 where all have to be: when there are so few that
 *              bounds do not pay, when a model gives no estimates on some rank or they are not
 *              finite, when values depend on a point's place among others, and when bounds tell too
 *              little
 *
 * Errors: those of the models and of gannet_best_first_scan, from all ranks.
 */
GANNET_CHECKED gannet_err gannet_draws_score_best(void *user, const gannet_candidates *candidates,
                                                  const gannet_distinct *taken, int keep,
                                                  gannet_ranked *best, int64_t *scored);

/* What a polish of one draw minimises: its value plus the squared violations, with the gradient
 * [d]: a gannet_polish_function. With several objectives the minimum over these is a soft one.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_draws_score_merit(void *user, int list, const double *x_unit,
                                                   double *value, double *gradient);

#endif
