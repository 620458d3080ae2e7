/* What the models of an optimiser expect at designs that somebody is interested in.
 *
 * The models are made anew, with the hyperparameters that the optimiser has saved, so that nothing
 * of the optimiser changes. They equal those of the next ask but for fantasies: pending designs
 * have no results.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/normal.h"
#include "base/plain_environment.h"
#include "optimizer/optimizer_impl.h"
#include "optimizer/rank_digest.h"
#include "optimizer/recommend.h"
#include "problem/objectives.h"
#include "problem/variable_constraints.h"

/* Whose models predict. */
typedef struct {
  gannet_optimizer_options substitute;  /* options of a Gaussian process, if it stands in */
  const gannet_member_options *options; /* of the member, or of the Gaussian process */
  int index;                            /* number of the member; that of members for another one */
  bool takes_state;                     /* hyperparameters are those of the member */
} predictor;

/* Choose the first member whose models tell their uncertainty. Hyperparameters of a trust region
 * are those of the results in it: elsewhere they mean nothing. */
static gannet_err choose_predictor(const gannet_optimizer *o, predictor *p) {
  const bool several = gannet_problem_n_objectives(o->problem) > 1;
  for (p->index = 0; p->index < o->options.n_members; ++p->index) {
    p->options = &o->options.member[p->index];
    const gannet_surrogate_type *type = p->options->surrogate_type;
    if (p->options->proposer != GANNET_PROPOSE_MODEL) continue;
    if (several && p->options->acq_type->scalarises) continue; /* no model of each objective */
    if (type->no_sd && type->no_sd(p->options->surrogate_options)) continue;
    p->takes_state = p->options->region.type == GANNET_REGION_NONE;
    return GANNET_OK;
  }
  GANNET_TRY(gannet_recommend_options(false, &p->substitute));
  p->options = &p->substitute.member[0];
  return GANNET_OK;
}

static gannet_err check_results(const gannet_optimizer *o) {
  const int64_t results = gannet_history_count_done(o->history);
  const int64_t known = gannet_history_count_observations(o->history);
  int64_t n_equal = 0;
  const double equal = gannet_history_penalty(o->history, 0, &n_equal);
  GANNET_REQUIRE(!gannet_history_is_constant(o->history), GANNET_ERR_STATE,
                 "all %lld results are %g: a model learns nothing from them until one "
                 "differs; with `penalties: no` the model learns from equal values, too",
                 (long long)n_equal, gannet_problem_flip(o->problem, equal));
  GANNET_REQUIRE(known >= GANNET_RECOMMEND_LEAST, GANNET_ERR_STATE,
                 "too few results for a model: %lld of %lld tell a value of the objective that can "
                 "be learnt from, expected at least %d",
                 (long long)known, (long long)results, (int)GANNET_RECOMMEND_LEAST);
  return GANNET_OK;
}

/* Check the arguments on this rank, and fill in fixed and derived variables.
 *
 * x_user  out  [n][n_variables]; to be freed with gannet_free
 */
static gannet_err complete_designs(const gannet_optimizer *o, int n, const double *given,
                                   const gannet_prediction *predictions, double **x_user) {
  const size_t v = (size_t)o->problem->spec.n_variables;
  GANNET_REQUIRE(n >= 0, GANNET_ERR_ARG, "n = %d designs", n);
  if (n == 0) return GANNET_OK;
  GANNET_REQUIRE_POINTER(given, "x_user");
  GANNET_REQUIRE_POINTER(predictions, "predictions");
  GANNET_TRY(gannet_alloc((size_t)n * v, sizeof **x_user, x_user));
  memcpy(*x_user, given, (size_t)n * v * sizeof **x_user);
  for (size_t i = 0; i < (size_t)n; ++i) {
    GANNET_TRY(gannet_problem_complete(o->problem, *x_user + i * v));
    GANNET_TRY(gannet_problem_check_point(o->problem, *x_user + i * v));
  }
  return check_results(o);
}

/* Probability that a constraint's model is below its threshold, or that the simulation works. */
static double probability_below(const gannet_models *models, int i, double mean, double sd) {
  const gannet_acq_model model = gannet_models_acq_model(models, i);
  double by_sd;
  return gannet_normal_cdf((model.threshold - mean) / gannet_acq_spread(&model, sd, &by_sd));
}

/* Mean and deviation in the user's units. */
static void convert_moments(const gannet_models *models, int i, double mean, double sd,
                            gannet_prediction *prediction) {
  prediction->mean = gannet_models_in_units(models, i, mean);
  prediction->sd = fabs(0.5 * gannet_models_in_units(models, i, mean + sd) -
                        0.5 * gannet_models_in_units(models, i, mean - sd));
}

/* What the model of a bound says of its quantity, after the model of the other bound, if there are
 * two. The model of the nearer bound tells the mean, as transforms have their finest resolution
 * there. The quantity cannot be beyond both bounds at once, so the probabilities of that add up.
 *
 * distance  inout  of the mean from the bound whose model has told it; INFINITY = none has yet
 */
static void add_bound(const gannet_models *models, const gannet_problem *problem, int i,
                      double mean, double sd, double *distance, gannet_prediction *prediction) {
  gannet_prediction found = {0};
  int k = 0;
  const bool is_upper = gannet_problem_find_bound(problem, i - 1, &k);
  const gannet_constraint *bounds = &problem->spec.constraints[k];
  convert_moments(models, i, mean, sd, &found);
  found.kept = fmax(0, prediction->kept - (1 - probability_below(models, i, mean, sd)));
  const double gap = fabs(found.mean - (is_upper ? bounds->upper : bounds->lower));
  if (gap < *distance || isinf(*distance)) {
    *distance = gap;
    *prediction = found;
  }
  prediction->kept = found.kept;
}

/* What all models say about one design.
 *
 * moments  in  mean and deviation of model i at places [2 i] and [2 i + 1] times GANNET_TILE
 */
static void join_models(const gannet_models *models, const gannet_problem *problem,
                        const double *moments, gannet_prediction *predictions,
                        gannet_feasibility *feasibility) {
  const int n_models = gannet_models_count(models);
  convert_moments(models, 0, moments[0], moments[GANNET_TILE], &predictions[0]);
  predictions[0].kept = 1;
  *feasibility = (gannet_feasibility){1, 1};
  int i = 1;
  for (int k = 0; k < problem->spec.n_constraints; ++k) {
    double distance = INFINITY;
    predictions[1 + k] = (gannet_prediction){NAN, NAN, 1};
    const int objective = gannet_problem_quantity_objective(problem, k + 1);
    if (objective > 0) {
      const int model = gannet_models_of_objective(models, objective);
      const double *moment = moments + (ptrdiff_t)2 * model * GANNET_TILE;
      convert_moments(models, model, moment[0], moment[GANNET_TILE], &predictions[1 + k]);
    }
    for (int of = k; i <= problem->n_bounds; ++i) {
      (void)gannet_problem_find_bound(problem, i - 1, &of);
      if (of != k) break;
      const double *moment = moments + (ptrdiff_t)2 * i * GANNET_TILE;
      add_bound(models, problem, i, moment[0], moment[GANNET_TILE], &distance, &predictions[1 + k]);
    }
    feasibility->feasible *= predictions[1 + k].kept;
  }
  const int hidden = problem->n_bounds + gannet_models_n_objectives(models);
  if (n_models > hidden) { /* that of where simulations do not work */
    const double *moment = moments + (ptrdiff_t)2 * hidden * GANNET_TILE;
    feasibility->can_run = probability_below(models, hidden, moment[0], moment[GANNET_TILE]);
  }
  feasibility->feasible *= feasibility->can_run;
}

/* Predict at one tile of designs.
 *
 * x_unit  in  [m][d] their coordinates
 */
static gannet_err predict_tile(const gannet_models *models, const gannet_problem *problem, int m,
                               const double *x_user, const double *x_unit, double *moments,
                               gannet_prediction *predictions, gannet_feasibility *feasibility) {
  const size_t v = (size_t)problem->spec.n_variables;
  const size_t quantities = 1 + (size_t)problem->spec.n_constraints;
  for (int i = 0; i < gannet_models_count(models); ++i) {
    double *mean = moments + (ptrdiff_t)2 * i * GANNET_TILE;
    GANNET_TRY(gannet_surrogate_predict(gannet_models_surrogate(models, i), m, x_unit, mean,
                                        mean + GANNET_TILE));
  }
  for (int p = 0; p < m; ++p) {
    gannet_feasibility unwanted;
    join_models(models, problem, moments + p, predictions + (size_t)p * quantities,
                feasibility ? &feasibility[p] : &unwanted);
    if (feasibility && !gannet_problem_allows_values(problem, x_user + (size_t)p * v))
      feasibility[p].feasible = 0;
  }
  return GANNET_OK;
}

/* given  in  [n][d] coordinates of the designs, NULL = as they are encoded */
static gannet_err predict_all(const gannet_models *models, const gannet_problem *problem, int n,
                              const double *x_user, const double *given,
                              gannet_prediction *predictions, gannet_feasibility *feasibility) {
  const int v = problem->spec.n_variables, d = problem->d;
  const int quantities = 1 + problem->spec.n_constraints;
  const size_t models_most = (size_t)gannet_models_count(models);
  double *x_unit = NULL, *moments = NULL;
  gannet_err err = gannet_alloc(GANNET_TILE * (size_t)d, sizeof *x_unit, &x_unit);
  if (err == GANNET_OK)
    err = gannet_alloc(2 * models_most * GANNET_TILE, sizeof *moments, &moments);
  for (int first = 0; first < n && err == GANNET_OK; first += GANNET_TILE) {
    const int m = n - first < GANNET_TILE ? n - first : GANNET_TILE;
    for (int p = 0; p < m && !given; ++p)
      gannet_problem_encode(problem, x_user + (ptrdiff_t)(first + p) * v,
                            x_unit + (ptrdiff_t)p * d);
    err = predict_tile(models, problem, m, x_user + (ptrdiff_t)first * v,
                       given ? given + (ptrdiff_t)first * d : x_unit, moments,
                       predictions + (ptrdiff_t)first * quantities,
                       feasibility ? feasibility + first : NULL);
  }
  gannet_free(&x_unit);
  gannet_free(&moments);
  return err;
}

/* Make the models that the next ask would make of all results. */
static gannet_err fit_models(const gannet_optimizer *o, const predictor *p,
                             gannet_noise_test *noise_test, gannet_models **models) {
  const MPI_Comm comm = o->context->comm;
  gannet_state state = {0};
  int missing = 0;
  GANNET_TRY(
      gannet_models_create(o->context, o->history, noise_test, p->options, p->index, models));
  gannet_models_set_related(*models, o->related);
  gannet_err err = GANNET_OK;
  if (p->takes_state) {
    err = gannet_models_get_state(o->member[p->index].models, o->part[p->index], &state);
    if (err == GANNET_OK)
      err = gannet_models_set_state(*models, o->part[p->index], &state, &missing);
    err = gannet_agree(comm, err);
  }
  gannet_state_release(&state);
  if (err == GANNET_OK) err = gannet_models_prepare(*models, NULL, o->batch);
  if (err == GANNET_OK) err = gannet_models_learn(o->context, 1, models);
  if (err == GANNET_OK) err = gannet_models_fit(*models);
  return err;
}

/* x_unit  in  see predict_all */
static gannet_err predict_completed(const gannet_optimizer *o, int n, const double *x_user,
                                    const double *x_unit, gannet_prediction *predictions,
                                    gannet_feasibility *feasibility) {
  const MPI_Comm comm = o->context->comm;
  const int v = o->problem->spec.n_variables;
  gannet_models *models = NULL;
  gannet_noise_test noise_test = {0};
  predictor p = {0};
  uint64_t digest = (uint64_t)n;
  for (int i = 0; i < n; ++i)
    digest = gannet_rank_digest_numbers(digest, v, x_user + (ptrdiff_t)i * v);
  GANNET_TRY(gannet_same(comm, &digest, sizeof digest, "designs to predict at"));
  if (n == 0) return GANNET_OK;
  gannet_err err = gannet_agree(comm, choose_predictor(o, &p));
  if (err == GANNET_OK) err = fit_models(o, &p, &noise_test, &models);
  if (err == GANNET_OK)
    err = gannet_agree(
        comm, predict_all(models, o->problem, n, x_user, x_unit, predictions, feasibility));
  gannet_models_destroy(&models);
  gannet_optimizer_options_release(&p.substitute);
  return err;
}

/* Put the predictions of every design from the order of the quantities into that which programs
 * see. */
static gannet_err order_for_user(const gannet_problem *problem, int n,
                                 gannet_prediction *predictions) {
  const size_t quantities = 1 + (size_t)problem->spec.n_constraints;
  gannet_prediction *row = NULL;
  if (gannet_problem_n_objectives(problem) == 1) return GANNET_OK;
  GANNET_TRY(gannet_alloc(quantities, sizeof *row, &row));
  for (size_t i = 0; i < (size_t)n; ++i) {
    memcpy(row, predictions + i * quantities, quantities * sizeof *row);
    for (size_t k = 0; k < quantities; ++k)
      predictions[i * quantities + (size_t)gannet_problem_place(problem, (int)k)] = row[k];
  }
  gannet_free(&row);
  return GANNET_OK;
}

gannet_err gannet_optimizer_predict(const gannet_optimizer *o, int n, const double *x_user,
                                    gannet_prediction *predictions,
                                    gannet_feasibility *feasibility) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  double *completed = NULL;
  GANNET_REQUIRE_POINTER(o, "optimizer");
  gannet_err err =
      gannet_agree(o->context->comm, complete_designs(o, n, x_user, predictions, &completed));
  if (err == GANNET_OK) err = predict_completed(o, n, completed, NULL, predictions, feasibility);
  if (err == GANNET_OK)
    err = gannet_agree(o->context->comm, order_for_user(o->problem, n, predictions));
  gannet_free(&completed);
  GANNET_TRY(err);
  return GANNET_OK;
}

gannet_err gannet_optimizer_extrapolate(const gannet_optimizer *o, int n, const double *x_user,
                                        const double *x_unit, gannet_prediction *predictions,
                                        gannet_feasibility *feasibility) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  GANNET_TRY(gannet_agree(o->context->comm, check_results(o)));
  return predict_completed(o, n, x_user, x_unit, predictions, feasibility);
}
