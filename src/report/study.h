/* A model of one quantity, an objective or a constraint, for what a report says of it. Private to
 * this room. */
#ifndef GANNET_REPORT_STUDY_H
#define GANNET_REPORT_STUDY_H

#include <jansson.h>

#include "campaign/run/campaign.h"
#include "optimizer/models/pde_constraint.h"
#include "optimizer/models/transform.h"

enum {
  REPORT_STUDY_MOST = 400, /* most results that a model is fitted to, but for the best one */
  REPORT_WORKS = -1        /* the quantity whether a design works: 1 where it does not, -1 where it
                              does (gannet_history_is_bad) */
};

/* The surrogate of the campaign's method as it learns from the results, or a Gaussian process when
 * the method has none that tells its uncertainty. */
typedef struct {
  const gannet_campaign *campaign; /* borrowed */
  const gannet_problem *problem;
  int quantity;  /* 0 = the first objective, k + 1 = place k of the problem's constraints, or
                    REPORT_WORKS */
  int objective; /* number of the objective; -1 = it is a constraint, or REPORT_WORKS */
  double sign;   /* -1 where it is maximised */
  gannet_optimizer_options options;
  const gannet_member_options *member; /* the member whose surrogate it is; NULL = none: a Gaussian
                                          process */
  void *other_options; /* of a surrogate of a constraint, where these differ; NULL = none */
  gannet_context *context;
  const gannet_surrogate_type *type;
  gannet_surrogate *surrogate;
  gannet_pde_residuals *residuals; /* NULL = none */
  gannet_transform_fit transform;
  double noise_var; /* noise variance of standardised observations; NAN = inferred */
  int n, d;
  int64_t *id;        /* [n] */
  double *x, *raw;    /* [n][d], [n] times sign */
  double *y;          /* [n] transformed */
  double *noise;      /* [n] noise variance of each where it was told, NAN elsewhere */
  bool has_row_noise; /* it was told for some */
} report_study;

/* How many results have a value of a quantity.
 *
 * Local.
 */
int64_t report_study_count(const gannet_campaign *campaign, int quantity);

/* Fit a model to all results of a quantity, or to a regular choice of them and one that must be
 * there.
 *
 * Local; MPI must be initialised.
 *
 * kept   in   evaluation that is taken in any case
 * study  out  to be released, also after an error
 *
 * Errors: those of fitting a model.
 */
GANNET_CHECKED gannet_err report_study_create(const gannet_campaign *campaign, int quantity,
                                              int64_t kept, report_study *study);
void report_study_release(report_study *study);

/* Mean and standard deviation (sd; NULL = not wanted) at m points x [m][d], standardised.
 *
 * Local.
 */
GANNET_CHECKED gannet_err report_study_predict(const report_study *study, int m, const double *x,
                                               double *mean, double *sd);

/* A standardised value in the user's units.
 *
 * Local.
 */
double report_study_units(const report_study *study, double value);

/* Probability that a constraint is kept, or a design works, by the standardised mean and standard
 * deviation of its model.
 *
 * Local.
 */
double report_study_probability(const report_study *study, double mean, double sd);

/* Probability that all constraints are kept and the design works, at m points x [m][d]. The models
 * of constraints and of what works are taken for independent.
 *
 * Local.
 *
 * studies   in   [n] studies of objectives, and studies that were not fitted, do not count
 * feasible  out  [m] the probability
 * margin    out  [m] the probability as a quantile of the standard normal. Where it is 0 or 1 to
 *                many digits, this is the distance of the mean from the nearest bound in standard
 *                deviations, so that lines of equal probability can be interpolated. NULL = not
 *                wanted
 * works     out  [m] the probability of working alone, NAN without a model; NULL = not wanted
 */
GANNET_CHECKED gannet_err report_studies_feasible(const report_study *studies, int n, int m,
                                                  const double *x, double *feasible, double *margin,
                                                  double *works);

/* The values of a variable that a picture shows, in the user's units; returns how many.
 *
 * Local.
 *
 * most    in   of them, >= 2
 * values  out  [most]
 */
int report_variable_values(const gannet_variable *variable, int most, double *values);

/* What models expect in the planes of two variables, the others being as in one design: "pairs",
 * pairs of numbers first, each with its variables "a" and "b", their values "x" and "y", and rows
 * of values at (x, y) with y outside: "feasible", its "margin" (report_studies_feasible), "works"
 * (null without a model), and "quantities", {"mean", "sd"} or null for each study.
 *
 * Local.
 *
 * studies  in   [n]
 * weight   in   [variables] by which variables are chosen, NAN = a variable that is not searched
 * through  in   [variables] the design, in the user's units
 */
GANNET_CHECKED gannet_err report_model_maps(const report_study *studies, int n,
                                            const double *weight, const double *through,
                                            json_t **maps);

/* Partial dependence: along each of the variables that matter most, the mean of what models predict
 * over designs in which all other variables are drawn from their ranges: {"best", "x", "mean",
 * "low", "high"} with the central 95 % of that mean, "best" null where the design does not use it,
 * null for other variables, and of the first quantity, where something bounds designs, "feasible",
 * the mean of the probability. Values for which too few designs are allowed are left out.
 *
 * Local.
 *
 * studies  inout  [n] get draws where they do not tell correlations
 * weight   in     [variables] as of report_model_maps
 * through  in     [variables] the design of "best", in the user's units
 * lists    inout  [n] list of each study that is shown, which gets an entry for every variable;
 * NULL = not shown; the first one is
 *
 * Errors: those of the models; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err report_model_partial(const report_study *studies, int n,
                                               const double *weight, const double *through,
                                               json_t *const *lists);

/* The front that the models expect, and how sure they are of it.
 *
 * Non-dominated points are looked for among the means of the models, by crossing and perturbing the
 * best points so far. The uncertainty of a front of two objectives is that of its attainment: draws
 * of all models are evaluated at all points that were looked at, and for every value of the first
 * objective the values of the second one that the draws attain have quantiles (as Binois,
 * Ginsbourger, Roustant 2015, with quantiles instead of the Vorob'ev deviation). A draw of a
 * constraint decides whether a point counts.
 *
 * "points": [{"x": texts, "mean", "low", "high": of every objective, "c": means of the constraints,
 * "feasible": the product of the probabilities that each is kept}]; "band", of two objectives:
 * {"at", "low", "middle", "high"}, the central 90 % and the median of what is attained, null where
 * a quantile has none; else null.
 *
 * Local.
 *
 * studies  inout  [n] of the objectives in their order, then of the constraints
 * front    out    null where no point is expected to be feasible
 *
 * Errors: those of the models; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err report_model_front(report_study *studies, int n, json_t **front);

#endif
