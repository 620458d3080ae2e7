/* The score of a point by the hypervolume that it may add to the front, over draws of all models:
 *
 *   score(x) = log 1/S sum_j  I_j(y_j(x)) prod_k p((c_jk(x) - t_k) / w)
 *
 * y_j and c_jk are draw j of the objectives and of the constraints, t_k is the threshold of a
 * constraint, and I_j the improvement of the hypervolume of the front of draw j, smoothed (Daulton,
 * Balandat, Bakshy 2021; Ament et al. 2023). That front consists of the values of the draw at the
 * evaluated designs that it makes feasible, and at points that were chosen or are under way. So
 * noise and unknown results are integrated over. p falls from 1 to 0 across the threshold.
 *
 * Values are in ranges of the front of the results, from its least values.
 *
 * Terms
 *   rough score  the same without smoothing the improvement: enough to rank candidates, and below
 *                all others where no draw improves
 *
 * A point that is added to a front takes from what others may add, and never gives to it. So the
 * rough scores of candidates fall from point to point of a batch, and a candidate whose last one is
 * below those of enough others needs no new one.
 */
#ifndef GANNET_OPTIMIZER_FRONT_SCORE_H
#define GANNET_OPTIMIZER_FRONT_SCORE_H

#include "optimizer/member.h"
#include "pareto/boxes.h"
#include "search/candidates.h"

typedef struct {
  const gannet_member *member;
  gannet_models *models;
  int n_models, n_objectives, draws;
  double reference[GANNET_OBJECTIVES_MOST];
  double smoothing[GANNET_OBJECTIVES_MOST];
  gannet_boxes *boxes; /* [draws] */

  /* Draws at a tile of points, [GANNET_TILE][draws][rows]: the objectives, then the sum of log p
   * over the constraints, if there are any. */
  int rows;
  double *tile;
  double *raw; /* [draws][GANNET_TILE] of one model */

  /* The same at all candidates of the batch, as far as this rank has scored them: */
  int64_t n_candidates;
  int64_t first; /* of them, that of the present scan */
  double *cache; /* [n_candidates][draws][rows]; NULL = it would be too large */
  bool *known;   /* [n_candidates], by the first candidate of a tile */
  double *bound; /* [n_candidates] last rough scores; INFINITY before the first */
  int keep;      /* rough scores that must be right, the largest; 0 = all */
  int n_largest;
  double *largest; /* [keep] of this rank, descending, of the present scan */

  /* At one point: */
  double *value;    /* [n_models][draws] */
  double *weight;   /* [n_models][draws] derivatives of the score by value */
  double *log_part; /* [draws] */
  double *gradient; /* [d] */
} gannet_front_score;

/* Make the fronts of all draws, which are prepared. release accepts a zeroed struct.
 *
 * Collective over the member's communicator; the same on all ranks.
 *
 * n_candidates  in   of the scans to come, all lists together
 * keep          in   candidates that a scan is to find
 * score         out  to be released, also after an error
 */
GANNET_CHECKED gannet_err gannet_front_score_create(const gannet_member *member,
                                                    int64_t n_candidates, int keep,
                                                    gannet_front_score *score);
void gannet_front_score_release(gannet_front_score *score);

/* Add a point that is chosen or under way to the front of every draw that makes it feasible.
 *
 * Local; the same on all ranks.
 *
 * x_unit  in  [d]
 */
GANNET_CHECKED gannet_err gannet_front_score_add(gannet_front_score *score, const double *x_unit);

/* Before a scan.
 *
 * Local.
 *
 * first  in  of the n_candidates: the candidate that the scan calls 0
 */
void gannet_front_score_begin_scan(gannet_front_score *score, int64_t first);

/* Rough scores of m <= GANNET_TILE candidates: a gannet_scorer of one list. Those that cannot be
 * among the candidates that are kept may be larger than they are, but below those of these.
 *
 * Local.
 *
 * user  in  a gannet_front_score
 */
GANNET_CHECKED gannet_err gannet_front_score_rough(void *user, int m, const double *x_unit,
                                                   int64_t first, double *scores, int ld);

/* Minus the score and its gradient [d]: a gannet_polish_function.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_front_score_merit(void *user, int list, const double *x_unit,
                                                   double *value, double *gradient);

#endif
