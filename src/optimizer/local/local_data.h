/* The observations that the local member's models are fitted to, and the centre of its box. */
#ifndef GANNET_OPTIMIZER_LOCAL_DATA_H
#define GANNET_OPTIMIZER_LOCAL_DATA_H

#include "problem/history.h"
#include "surrogate/models/quadratic/quadratic.h"

typedef struct {
  int n, d, n_models; /* observations; modelled coordinates; objective and bounds */
  int *coordinate;    /* [d] of the problem: of real variables, and of integers of many values */
  bool *modelled;     /* [problem d] whether it is one of them */
  bool noisy;         /* values look so */
  int64_t centre_id;
  int64_t *id;          /* [n] */
  const double *centre; /* [problem d] that point; borrowed from the history */
  double value;         /* objective there, minimised */
  double span;          /* length of one unit of u in the cube */
  double unit;          /* objective units of one unit of t */
  double *u;            /* [n][d] (x - centre) / span */
  double *t;            /* [n_models][n] values less that of the centre, by their units */
  double *w;            /* [n_models][n] */
  /* Of each model [n_models], the observations that have its quantity: how many, which come first
   * in t and w, and their points: u, or owned ones where some of the n have it not. */
  int *n_of;
  double **u_of;
  double *threshold; /* [n_models] t below which a bound is kept */
} local_data;

/* Whether models of d variables from n observations have cross terms: in up to 11 variables (78
 * coefficients) always, in 12 to 21 (at most 253) for a point alone, or when there is an
 * observation for nine in ten of the coefficients, in more never. Draws are random in what is not
 * known yet, and so many random cross terms lead the points of a batch, which cannot learn from
 * each other, astray.
 *
 * Local.
 *
 * alone  in  one point is proposed while no other is under way
 */
bool local_data_has_cross_terms(int d, int n, bool alone);

/* Models of the objective, of every bound of the constraints, and of every row of the variable
 * constraints, which are learnt like bounds although they are known: a quadratic model of them is
 * what the search for the minimum needs.
 *
 * Local.
 */
int local_data_count_models(const gannet_problem *problem);

/* How many coordinates the models have: those of real variables, and of integers of at least four
 * values, that do not depend on others by a variable constraint.
 *
 * Local.
 *
 * modelled  out  [problem d] true for them and for those that depend on them; NULL when not wanted
 */
int local_data_coordinates(const gannet_problem *problem, bool *modelled);

/* Choose the best observations, at most twice as many as coefficients and 10, with the categories,
 * booleans and integers of few values of the centre. With constraints, or where values are noisy,
 * the nearest ones instead: among noisy values the best are the lucky ones.
 *
 * Local.
 *
 * searched   in   [evaluations] results that are not to be chosen; NULL = none
 * noisy      in   values look so; the units of distances and of the objective are then medians
 * centre_id  in   < 0: the best point
 * data       out  zeroed before; to be released, also after an error
 *
 * Errors: GANNET_ERR_STATE when nothing was evaluated successfully.
 */
GANNET_CHECKED gannet_err local_data_collect(const gannet_history *history, bool noisy,
                                             int64_t centre_id, const bool *searched,
                                             local_data *data);

/* Count the results around an evaluation, failed ones too: those that agree with it in all that is
 * not modelled.
 *
 * Local.
 *
 * radius  in   largest distance along any variable, in the unit cube
 * n       out  results, that of the evaluation included
 * d       out  modelled coordinates, inactive ones included
 */
GANNET_CHECKED gannet_err local_data_count_near(const gannet_history *history, int64_t centre_id,
                                                double radius, int64_t *n, int *d);

/* Free what the data hold; accepts zeroed ones.
 *
 * Local.
 */
void local_data_release(local_data *data);

/* Where the local member works when values are noisy, and in a box of what size.
 *
 * The best of noisy values is the luckiest: around it hardly any point is as good, so that the box
 * halves with every batch until nothing but noise is left in it. Sun and Nocedal (2022) relax the
 * test by which a trust region shrinks by the size of the noise; here a box has a least size
 * instead, as a model of many points predicts its own error.
 */

/* The evaluation at which the model has the least mean: among the data's feasible ones in the box
 * around their centre. The centre itself where that is not feasible, or no other is in the box.
 *
 * Local.
 *
 * objective  in  fitted to the data
 * radius     in  half the side of the box, in the unit cube
 */
int64_t local_noise_centre(const gannet_history *history, const local_data *data,
                           const gannet_quadratic *objective, double radius);

/* Half of how far from its minimum the model has risen by its error: in a smaller box differences
 * of values are mostly noise. In the unit cube.
 *
 * Local.
 */
double local_noise_radius(const local_data *data, const gannet_quadratic *objective);

#endif
