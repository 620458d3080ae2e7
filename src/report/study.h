/* A model of the objective, for looking at: the surrogate of the campaign's method as it learns
 * from the results, or a Gaussian process when the method has none that tells its uncertainty.
 * Private to this room. */
#ifndef GANNET_REPORT_STUDY_H
#define GANNET_REPORT_STUDY_H

#include "campaign/run/campaign.h"
#include "optimizer/models/transform.h"

enum { STUDY_LEAST = 8, STUDY_MOST = 400 }; /* results */

typedef struct {
  const gannet_campaign *campaign; /* borrowed */
  const gannet_problem *problem;
  gannet_optimizer_options options;
  const gannet_member_options *member; /* whose surrogate it is; NULL = a Gaussian process */
  gannet_context *context;
  const gannet_surrogate_type *type;
  gannet_surrogate *surrogate;
  gannet_pde_residuals *residuals; /* NULL = none */
  gannet_transform_fit transform;
  double noise_var; /* of the observations, standardised; NAN = inferred */
  int n, d;
  int64_t *id;     /* [n] */
  double *x, *raw; /* [n][d], [n] minimised */
  double *y;       /* [n] transformed */
} report_study;

/* Take all results, or a regular choice and the best one, and fit the model.
 *
 * Local; MPI and PETSc must be initialised.
 *
 * best   in   id of the best evaluation
 * study  out  to be released, also after an error
 *
 * Errors: those of fitting a model.
 */
GANNET_CHECKED gannet_err report_study_begin(const gannet_campaign *campaign, int64_t best,
                                             report_study *study);
void report_study_release(report_study *study);

/* Whether an evaluation has a value to learn from. Local. */
bool report_study_takes(const gannet_campaign *campaign, int64_t id);

/* Mean and standard deviation at m points, standardised. Local.
 *
 * x   in   [m][d] unit cube
 * sd  out  [m]; NULL when not wanted
 */
GANNET_CHECKED gannet_err report_study_predict(const report_study *study, int m, const double *x,
                                               double *mean, double *sd);

/* A standardised value in the user's units. Local. */
double report_study_units(const report_study *study, double value);

/* Fit to other rows with the hyper-parameters as they are. Local.
 *
 * x, y  in  [n][d], [n] standardised
 */
GANNET_CHECKED gannet_err report_study_refit(report_study *study, int n, const double *x,
                                             const double *y);

#endif
