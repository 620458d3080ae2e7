/* The optimiser: ask for points, tell results. The caller owns the loop and runs the simulations.
 *
 *   gannet_context_create(MPI_COMM_WORLD, seed, &context);
 *   gannet_problem_create(&spec, &problem);
 *   gannet_optimizer_create(context, problem, n_settings, settings, &optimizer);
 *   while (...) {
 *     gannet_optimizer_ask(optimizer, q, id, x);
 *     ... run the simulations ...
 *     gannet_optimizer_tell(optimizer, n, results);
 *   }
 *   gannet_optimizer_best(optimizer, &best, x);
 */
#ifndef GANNET_OPTIMIZER_H
#define GANNET_OPTIMIZER_H

#include "gannet/context.h"
#include "gannet/problem.h"
#include "gannet/quantity.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gannet_optimizer gannet_optimizer;

/* A setting as in a campaign file: {"initial", "8"}, {"method", "neural-bo"},
 * {"surrogate.activation", "erf"}. The keys are method, portfolio, initial, initial_span,
 * replicates, transform, refit and least_batch, and those of the sections surrogate, acquisition,
 * region, search and cost; `gannet explain` describes them. Other keys of a campaign file are in
 * gannet_problem_spec, or only for the program. With cost.weigh, proposals weigh gain by cost: the
 * quantity of results that cost.from names, by default "time". budget.cost and budget.evaluations
 * then state the planned budget, so that the cost counts less and less; the caller ends the loop.
 */
typedef struct {
  const char *key;
  const char *text;
} gannet_method_setting;

typedef enum {
  GANNET_RESULT_OK,         /* objectives and constraints are given */
  GANNET_RESULT_CANNOT_RUN, /* the simulation cannot work at this design: models learn this */
  GANNET_RESULT_FAILED,     /* no result, through no fault of the design */
  /* Some objectives or constraints are missing (NAN), because an early check has ended the
   * evaluation. Models learn from the others. */
  GANNET_RESULT_PARTIAL,
  GANNET_RESULT_INFEASIBLE GANNET_DEPRECATED("use GANNET_RESULT_CANNOT_RUN") =
      GANNET_RESULT_CANNOT_RUN /* the name until version 0.1 */
} gannet_outcome;

typedef struct {
  int64_t id; /* from ask */
  gannet_outcome outcome;
  double objective; /* in the sense and units of the problem; with several objectives 0 or NAN */
  /* [n_constraints] in the order and units of the problem; NULL if there are none, or if the
   * outcome is not GANNET_RESULT_OK */
  const double *constraints;
  /* Other quantities; or objectives and constraints by their names, with standard deviations and
   * gradients, or instead of the members above. Such a value takes precedence over the member,
   * unless it is NAN. Only results that are GANNET_RESULT_OK and finite have quantities; of more
   * than 1000 others the first are kept. */
  int n_quantities;
  const gannet_quantity *quantities; /* [n_quantities] */
  /* [n_objectives] in the order, sense and units of the problem; a single one takes precedence over
   * the member objective. NULL = they are in quantities or, for a single objective, in the member
   * objective. */
  const double *objectives;
} gannet_result;

/* The best evaluation; with the setting replicates, the best design. */
typedef struct {
  int64_t id; /* -1 if nothing was evaluated successfully; of a design its first run that counts */
  double objective; /* of a design the mean over its runs; of several objectives the first */
  int feasible;     /* 0: no evaluation satisfies all constraints; this one violates them least */
  int runs;         /* number of runs in the mean; 1 without the setting replicates */
  double error;     /* standard error of the mean, or the reported standard deviation of one run;
                       NAN = unknown */
} gannet_best;

/* Number of evaluations of each kind. */
typedef struct {
  int64_t pending;    /* asked for and not told yet */
  int64_t done;       /* with results, including partial ones */
  int64_t feasible;   /* of those that are done: complete, and they satisfy all constraints */
  int64_t cannot_run; /* the simulation cannot work at these designs */
  int64_t failed;     /* no result, through no fault of the design */
} gannet_counts;

/* The design to use when values are noisy: the evaluation, feasible by its own results, at which a
 * model of all results has the least mean (the largest if the goal is to maximize). The best value
 * seen is the luckiest one. All numbers are in the units of the objective. */
typedef struct {
  int64_t id;      /* -1 when no evaluation is feasible */
  double mean, sd; /* objective there without noise, and its uncertainty; with too few results for
                      a model: its value, and the noise */
  double noise_sd; /* of a single value: that of the problem, else that of the model near there; NAN
                      with too few results for a model; 0 = exact */
} gannet_recommendation;

/* Prediction of a quantity at a design, without the noise of a single value. Models of transformed
 * values (setting transform; constraints always) predict the median as mean, and as sd half the
 * distance between the values one deviation above and below. */
typedef struct {
  double mean, sd; /* in the user's units */
  double kept;     /* probability that the quantity is within its bounds; 1 for an objective */
} gannet_prediction;

/* Predicted feasibility of a design. */
typedef struct {
  double can_run; /* probability that the simulation works there; 1 while every design has worked */
  double feasible; /* probability that it works and satisfies all constraints; 0 if the design
                      violates a variable constraint */
} gannet_feasibility;

/* Create an optimiser.
 *
 * Collective over the context's communicator; arguments the same on all ranks.
 *
 * context     in   borrowed until destroy
 * problem     in   borrowed until destroy
 * n_settings  in   0 = defaults
 * settings    in   [n_settings] copied; gannet_method_setting lists the keys
 * optimizer   out  to be freed with gannet_optimizer_destroy; NULL after an error
 *
 * Errors: GANNET_ERR_INPUT naming the first wrong settings and the number of further ones;
 * GANNET_ERR_RANKS when settings, variables, constraints, goal, noise, equations or candidates
 * differ between ranks; GANNET_ERR_STATE when a method uses an equation that was not given the
 * function of its plugin; GANNET_ERR_MEMORY, also when the limits of a process leave no room for
 * the buffer of BLAS.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_create(gannet_context *context,
                                                             const gannet_problem *problem,
                                                             int n_settings,
                                                             const gannet_method_setting *settings,
                                                             gannet_optimizer **optimizer);

/* Free an optimiser and set the pointer to NULL; accepts NULL.
 *
 * Collective over the context's communicator.
 */
GANNET_API void gannet_optimizer_destroy(gannet_optimizer **optimizer);

/* Propose q points that differ from each other and from every earlier proposal, as long as the
 * problem has enough different points. (Discrete problems can run out of points; then points
 * repeat, except for lists of candidates.) Points without a result are pending, and proposals take
 * them into account. The same seed and the same results, told in the same order, give the same
 * points, bit for bit, on any number of ranks.
 *
 * Collective; the same on all ranks.
 *
 * q       in   >= 1
 * id      out  [q] numbers to tell results with: 0, 1, 2, ... in the order of proposals
 * x_user  out  [q][n_variables]
 *
 * Errors: GANNET_ERR_STATE when fewer than q listed candidates were never proposed;
 * GANNET_ERR_RANKS when q differs between ranks.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_ask(gannet_optimizer *optimizer, int q,
                                                          int64_t *id, double *x_user);

/* Propose designs of the caller, usually before the first ask, but also later. They count as
 * designs of the setting initial. They are pending until they are told. Each is run once, whatever
 * the setting replicates is. A design that was proposed before may be proposed again. Missing
 * values are those of the next points of the first design; with conditional variables or variable
 * constraints, they are drawn such that the given values are active and allowed.
 *
 * Collective; the same on all ranks.
 *
 * n       in      >= 0
 * x_user  in/out  [n][n_variables] NAN = not given; complete afterwards. Values of conditional
 *                 variables that are inactive at a design are not used
 * id      out     [n] numbers to tell results with
 *
 * Errors: GANNET_ERR_INPUT for a value that the variable cannot have or that is outside its bounds,
 * a design that violates a variable constraint or that cannot be completed to an allowed one, a
 * design without any value, and with a list of candidates a design that is incomplete or not in it;
 * GANNET_ERR_RANKS when designs differ between ranks. After an error nothing is proposed.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_start(gannet_optimizer *optimizer, int n,
                                                            double *x_user, int64_t *id);

/* Report results, in any order and any grouping. Results with objectives or constraints that are
 * not finite count as failures of the design: models learn to avoid such designs. The same holds
 * for designs told as 'cannot run', or whose objective is a penalty (setting penalties).
 * GANNET_RESULT_FAILED is bad luck, which is no information about a design.
 *
 * A failed result, also one that is not finite, may be told again later, and the new result
 * replaces it. Any other result is final. Models sum in the order of telling. For the same bits
 * afterwards tell in the same order, for example by id; another order gives the same points to the
 * precision of the search.
 *
 * Collective; the same on all ranks.
 *
 * n        in  >= 0
 * results  in  [n] copied, with all that they point to
 *
 * Errors: GANNET_ERR_ARG for an id that was never asked for, an id twice in one call, an unknown
 * outcome, GANNET_RESULT_OK without the values of the constraints or of several objectives, the
 * member objective with several objectives, GANNET_RESULT_PARTIAL without any value, or a quantity
 * with an invalid name or standard deviation; GANNET_ERR_STATE for an id that was discarded, or has
 * a result other than failed; GANNET_ERR_RANKS when the results differ between ranks. After an
 * error no result is accepted.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_tell(gannet_optimizer *optimizer, int n,
                                                           const gannet_result *results);

/* Report the result of a point that the caller chose, for example from earlier work. It may be
 * outside the bounds, between steps, not in a list of numbers, or violate variable constraints.
 * Models learn from it, but it is never the best, never proposed, and not part of the first design.
 *
 * Collective; the same on all ranks.
 *
 * x_user  in   [n_variables]
 * result  in   its id is ignored
 * id      out  its number; NULL when not wanted
 *
 * Errors: GANNET_ERR_INPUT for a value that the variable cannot have: a fraction of an integer, an
 * unknown category, a number <= 0 on a log scale or outside the bounds by more than a million times
 * their width; GANNET_ERR_ARG as for gannet_optimizer_tell; GANNET_ERR_RANKS when point or result
 * differ between ranks. After an error the result is not accepted.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_tell_point(gannet_optimizer *optimizer,
                                                                 const double *x_user,
                                                                 const gannet_result *result,
                                                                 int64_t *id);

/* Discard an evaluation, with or without a result. It no longer counts, and its point may be
 * proposed again. Its number is not used again. The optimiser discards its models: its next points
 * are those of an optimiser that was told only the remaining results, in their order.
 *
 * Collective; the same on all ranks.
 *
 * id  in  from ask or tell_point
 *
 * Errors: GANNET_ERR_ARG for an id that was never asked for; GANNET_ERR_STATE for one that was
 * discarded; GANNET_ERR_RANKS when the id differs between ranks. After these errors nothing has
 * changed. After GANNET_ERR_MEMORY destroy the optimiser.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_discard(gannet_optimizer *optimizer,
                                                              int64_t id);

/* Replace the result of an evaluation, which keeps its place in the order of telling. The optimiser
 * discards its models: its next points are those of an optimiser that was told the corrected
 * results, in their order. With GANNET_RESULT_FAILED the evaluation may be told again.
 *
 * Collective; the same on all ranks.
 *
 * id      in  from ask or tell_point
 * result  in  complete; its id is ignored
 *
 * Errors: GANNET_ERR_ARG as for gannet_optimizer_tell; GANNET_ERR_STATE for an evaluation that has
 * no result yet, or was discarded; GANNET_ERR_RANKS when id or result differ between ranks. After
 * these errors nothing has changed. After GANNET_ERR_MEMORY destroy the optimiser.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_correct(gannet_optimizer *optimizer,
                                                              int64_t id,
                                                              const gannet_result *result);

/* Tell results of a related problem, for example of the same wing at another speed. They are not
 * evaluations: they do not count and are never the best. A Gaussian process is fitted to them. Its
 * mean, scaled and shifted, becomes the prior mean of the model of the objective. The weight is
 * learnt from the results of this problem, and becomes 0 if the problems are not related. Each call
 * is one problem; at most eight are allowed. Methods without a model of each objective, such as
 * quadratic, sobol and parego, do not use them; the log has a warning then.
 *
 * Collective; the same on all ranks.
 *
 * n          in  >= 2 results
 * x_user     in  [n][n_variables] copied; values may be outside the bounds. A variable that is NAN
 *                in all results does not exist in the related problem
 * objective  in  [n] copied; any shift and scale, but with the same sense
 *
 * Errors: GANNET_ERR_STATE with several objectives; GANNET_ERR_INPUT for values that are not finite
 * or that the variable cannot have, for a variable that only some results have, when no variable is
 * in common, for fewer than two results, and for the ninth problem; GANNET_ERR_RANKS when the
 * results differ between ranks.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_tell_related(gannet_optimizer *optimizer,
                                                                   int n, const double *x_user,
                                                                   const double *objective);

/* The same with constraints or several objectives: a Gaussian process of each quantity becomes the
 * prior mean of its model, if the results of this problem agree with it. The related problem may
 * have other limits, and values with another shift and scale, but large values must be large in
 * both.
 *
 * Collective; the same on all ranks.
 *
 * n        in  >= 2 results
 * x_user   in  [n][n_variables] copied, as for gannet_optimizer_tell_related
 * results  in  [n] with outcome GANNET_RESULT_OK or GANNET_RESULT_PARTIAL; ids are ignored.
 *              Values that are NAN are unknown; so are all constraints if constraints is
 *              NULL
 *
 * Errors: those of gannet_optimizer_tell_related; GANNET_ERR_INPUT for another outcome,
 * GANNET_ERR_ARG for a result without any value.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_tell_related_results(
    gannet_optimizer *optimizer, int n, const double *x_user, const gannet_result *results);

/* The best evaluation so far. With several objectives it is the best in the first one;
 * gannet_optimizer_front returns the whole front.
 *
 * Local.
 *
 * optimizer  in  NULL has no evaluations: best->id is -1 then
 * best       out  NULL when not wanted
 * x_user     out  [n_variables]; NULL when not wanted; untouched when best->id is -1
 */
GANNET_API void gannet_optimizer_best(const gannet_optimizer *optimizer, gannet_best *best,
                                      double *x_user);

/* The front of several objectives: the feasible evaluations that no other one dominates. An
 * evaluation dominates another one if it is at least as good in every objective and better in one.
 * Of evaluations that are equal in every objective the front has the first. With one objective it
 * is the best evaluation.
 *
 * The hypervolume is measured up to the reference point, which consists of the thresholds of the
 * objectives. An objective without a threshold has the worst value of the front plus a tenth of the
 * range of the front, which moves with the front.
 *
 * Local.
 *
 * optimizer    in   NULL has no front: reference and hypervolume are untouched
 * most         in   size of the arrays, in evaluations; >= 0
 * id           out  [most] ascending; NULL when not wanted
 * x_user       out  [most][n_variables]; NULL when not wanted
 * objectives   out  [most][n_objectives] in the user's order, sense and units; NULL when not wanted
 * reference    out  [n_objectives] as objectives; NULL when not wanted
 * hypervolume  out  of the front up to the reference point, in the product of the units; NAN if it
 *                   is larger than any number; NULL when not wanted
 *
 * Returns the number of evaluations on the front, also when it is larger than most; -1 when there
 * is no memory for them, and then all out arguments are untouched.
 */
GANNET_API int64_t gannet_optimizer_front(const gannet_optimizer *optimizer, int64_t most,
                                          int64_t *id, double *x_user, double *objectives,
                                          double *reference, double *hypervolume);

/* A quantity that was told with a result: an objective, a constraint, or any other.
 *
 * Local.
 *
 * id        in   of the evaluation
 * name      in   such as "objective", the name of a single objective
 * quantity  out  its value is NAN if the result of the evaluation does not have it; its name and
 *                gradient are borrowed until the next ask or tell
 *
 * Errors: GANNET_ERR_ARG for an id that was never asked for; GANNET_ERR_STATE for one that was
 * discarded.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_quantity(const gannet_optimizer *optimizer,
                                                               int64_t id, const char *name,
                                                               gannet_quantity *quantity);

/* The number of evaluations so far: "counts.feasible of counts.done feasible".
 *
 * Local.
 *
 * optimizer  in  NULL has none
 */
GANNET_API void gannet_optimizer_count(const gannet_optimizer *optimizer, gannet_counts *counts);

/* The recommended evaluation. The model is a Gaussian process with a lengthscale per variable,
 * whatever method is used. It infers the noise unless the problem gives it. It is fitted to all
 * results, or to the 10 000 that are nearest to the best designs. For a problem without noise, or
 * with fewer than four results, it is the best evaluation. Later proposals do not depend on this
 * call.
 *
 * Collective; the same on all ranks.
 *
 * x_user  out  [n_variables]; NULL when not wanted; untouched when recommendation->id is -1
 *
 * Errors: GANNET_ERR_STATE with several objectives; those of the model.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_recommend(
    const gannet_optimizer *optimizer, gannet_recommendation *recommendation, double *x_user);

/* Predictions of the models at n designs. The models are those of the next ask, fitted to all
 * results; hyperparameters are learnt again if the next ask would do so. Of a portfolio they are
 * those of the first method with an uncertainty. For methods without such models a Gaussian process
 * with a lengthscale per variable replaces them. A method with a trust region learns again, from
 * all results. Later proposals do not depend on this call.
 *
 * Collective; the same on all ranks.
 *
 * n            in   >= 0
 * x_user       in   [n][n_variables]
 * predictions  out  [n][1 + n_constraints] the objective, then the constraints in their order; with
 *                   several objectives [n][n_objectives + n_constraints] all of them first
 * feasibility  out  [n]; NULL when not wanted
 *
 * Errors: GANNET_ERR_INPUT for a design outside the ranges of the variables, where models have no
 * data; GANNET_ERR_STATE with fewer than four results to learn from, and where all results are
 * equal (unless `penalties: no`); GANNET_ERR_RANKS when the designs differ between ranks; those of
 * the models. Cost: that of a fit, so give all designs at once.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_predict(const gannet_optimizer *optimizer,
                                                              int n, const double *x_user,
                                                              gannet_prediction *predictions,
                                                              gannet_feasibility *feasibility);

/* Write the state of an optimiser to a file. An optimiser that loads it asks for the same points.
 * The file is HDF5 with the datasets of the state.h5 of a campaign, and has a checksum. It is
 * written as PATH.new and renamed when it is on disk; an earlier file at the path becomes PATH.1.
 *
 * Collective; the same on all ranks. Rank 0 writes.
 *
 * Errors: GANNET_ERR_NO_SPACE, GANNET_ERR_MISSING (directory), GANNET_ERR_IO; after an error the
 * earlier file is untouched.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_save(const gannet_optimizer *optimizer,
                                                           const char *path);

/* Continue from a file of gannet_optimizer_save, in a new optimiser that was created with the same
 * problem, settings and seed, on any number of ranks. gannet_optimizer_pending returns the points
 * without a result.
 *
 * Collective; the same on all ranks. Rank 0 reads.
 *
 * Errors: GANNET_ERR_STATE if the optimiser has evaluations; GANNET_ERR_INPUT if the file is of
 * another problem, method or seed, saying what differs; GANNET_ERR_VERSION if it is of a later
 * version; GANNET_ERR_DAMAGED, GANNET_ERR_MISSING, GANNET_ERR_IO. After any other error the
 * optimiser may contain a part of the file: destroy it.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_load(gannet_optimizer *optimizer,
                                                           const char *path);

/* The points without a result, by ascending id: after a load, those to evaluate again.
 *
 * Local.
 *
 * optimizer  in   NULL has none
 * most       in   size of the arrays, in points; >= 0
 * id         out  [most]; NULL when not wanted
 * x_user     out  [most][n_variables]; NULL when not wanted
 *
 * Returns their number, also when it is larger than most.
 */
GANNET_API int64_t gannet_optimizer_pending(const gannet_optimizer *optimizer, int64_t most,
                                            int64_t *id, double *x_user);

#ifdef __cplusplus
}
#endif
#endif
