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
 * {"surrogate.activation", "erf"}. Of what `gannet explain` lists, these are the keys method,
 * portfolio, initial, initial_span, replicates, transform, refit and least_batch, and those of the
 * sections surrogate, acquisition, region, search and cost; the others are in gannet_problem_spec
 * or for the program. With cost.weigh proposals weigh gain by cost: the quantity of results that
 * cost.from names, "time" unless it is given. budget.cost and budget.evaluations then say what will
 * be spent, so that the cost counts less and less; the loop is ended by the caller. */
typedef struct {
  const char *key;
  const char *text;
} gannet_method_setting;

typedef enum {
  GANNET_RESULT_OK,         /* objectives and constraints are given */
  GANNET_RESULT_CANNOT_RUN, /* the simulation cannot work at this design: learn to stay away */
  GANNET_RESULT_FAILED,     /* no result, through no fault of the design */
  /* Objectives or constraints are given, but not all: those that are NAN are missing, because a
   * check that came first has ended the evaluation. Models learn from what is given. */
  GANNET_RESULT_PARTIAL,
  GANNET_RESULT_INFEASIBLE GANNET_DEPRECATED("use GANNET_RESULT_CANNOT_RUN") =
      GANNET_RESULT_CANNOT_RUN /* the name until version 0.1 */
} gannet_outcome;

typedef struct {
  int64_t id; /* from ask */
  gannet_outcome outcome;
  double objective; /* in the sense and units of the problem; with several objectives 0 or NAN */
  /* [n_constraints] as the program stated them, in the user's units; NULL when there are none, and
   * allowed when the outcome is not GANNET_RESULT_OK */
  const double *constraints;
  /* What else is known: other quantities, or objectives and constraints by their names, for their
   * standard deviations and gradients or instead of the members above. A value of theirs that is
   * not NAN counts before the member. Only results that are GANNET_RESULT_OK and finite have any;
   * of more than 1000 others the first are kept. */
  int n_quantities;
  const gannet_quantity *quantities; /* [n_quantities] */
  /* [n_objectives] in the order, sense and units of the problem; a single one counts before the
   * member objective. NULL = quantities have them, or, of a single objective, the member. */
  const double *objectives;
} gannet_result;

/* What is known about the best evaluation; with the setting replicates, about the best design. */
typedef struct {
  int64_t
      id; /* -1 when nothing was evaluated successfully; of a design its first run that counts */
  double objective; /* of a design the mean over its runs; of several objectives the first */
  int feasible;     /* 0: no evaluation satisfies all constraints; this one violates them least */
  int runs;         /* that the mean is over; 1 without the setting replicates */
  double error; /* standard error of the mean, or the standard deviation that was told of one run;
                   NAN = unknown */
} gannet_best;

/* How many evaluations there are of each kind. */
typedef struct {
  int64_t pending;    /* asked for and not told yet */
  int64_t done;       /* with results, also partial ones */
  int64_t feasible;   /* of those that are done: complete, and they satisfy all constraints */
  int64_t cannot_run; /* the simulation cannot work at these designs */
  int64_t failed;     /* no result, through no fault of the design */
} gannet_counts;

/* What to run with when values are noisy: the evaluation, feasible as it was seen, at which a model
 * of all results has the least mean (the largest for a goal of maximize). The best value seen is
 * the luckiest one. Everything in the units of the objective. */
typedef struct {
  int64_t id;      /* -1 when no evaluation is feasible */
  double mean, sd; /* what the objective is there without noise, and how well that is known; of too
                      few results for a model its value, and the noise */
  double noise_sd; /* of a single value: as the problem gives it, otherwise as the model has it near
                      there, NAN with too few results for a model; 0 = exact */
} gannet_recommendation;

/* What the models expect of a quantity at a design, without the noise of a single value. Where
 * models see transformed values (setting transform; constraints always), mean is the value of their
 * mean, which is the median, and sd half the distance of the values one deviation above and below.
 */
typedef struct {
  double mean, sd; /* in the user's units */
  double kept;     /* probability that the quantity keeps its bounds; 1 for an objective */
} gannet_prediction;

/* Whether a design is expected to be of use. */
typedef struct {
  double can_run; /* probability that the simulation works there; 1 while every design has worked */
  double feasible; /* probability that it works and that all constraints are kept; 0 where it
                      violates a variable constraint */
} gannet_feasibility;

/* Create an optimiser.
 *
 * Collective over the context's communicator; arguments the same on all ranks.
 *
 * context     in   borrowed until destroy
 * problem     in   borrowed until destroy
 * n_settings  in   0 = defaults
 * settings    in   copied; gannet_method_setting says which keys there are
 *
 * Errors: GANNET_ERR_INPUT naming the wrong settings, of many the first ones and how many more;
 * GANNET_ERR_RANKS when settings, variables, constraints, goal, noise, equations or candidates
 * differ between ranks; GANNET_ERR_MEMORY, also where the limits of a process leave BLAS no room
 * for its buffer.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_create(gannet_context *context,
                                                             const gannet_problem *problem,
                                                             int n_settings,
                                                             const gannet_method_setting *settings,
                                                             gannet_optimizer **optimizer);

/* Free an optimiser and set the pointer to NULL; accepts NULL.
 *
 * Collective.
 */
GANNET_API void gannet_optimizer_destroy(gannet_optimizer **optimizer);

/* Propose q points that differ from each other and from every point proposed before, as long as the
 * problem has enough different points (discrete problems can run out; then points repeat, but for
 * lists of candidates). Points asked for and not yet told are pending and respected. The same seed
 * and the same results, told in the same order, give the same points, bit for bit, on any number of
 * ranks.
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

/* Propose designs of the caller's own, usually before the first ask, though any later time is right
 * too. They count as designs of the setting initial, are pending until they are told, and each is
 * run once, whatever the setting replicates is. Nothing hinders a design that was proposed before,
 * so that it runs again. Values that are not given are those of the next points of the first
 * design; where there are conditional variables or variable constraints, they are drawn such that
 * what is given is active and allowed.
 *
 * Collective; the same on all ranks.
 *
 * n       in     >= 0
 * x_user  inout  [n][n_variables] NAN = not given; complete afterwards. Values of conditional
 *                variables that are inactive at a design are not used
 * id      out    [n] numbers to tell results with
 *
 * Errors: GANNET_ERR_INPUT for a value that the variable cannot have or that is outside its bounds,
 * a design that violates a variable constraint or that no filling makes allowed, one that gives
 * nothing, and with a list of candidates one that is not whole or not in it; GANNET_ERR_RANKS when
 * designs differ between ranks. Nothing is proposed then.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_start(gannet_optimizer *optimizer, int n,
                                                            double *x_user, int64_t *id);

/* Report results, in any order and any grouping. Non-finite objectives or constraints count as
 * failed, through the design: models learn to stay away from there, as from designs that are told
 * as 'cannot run', or whose objective is a penalty (setting penalties). GANNET_RESULT_FAILED is bad
 * luck, which says nothing about a design. A failed result, also one that is not finite, may be
 * told again later, and the new result replaces it; any other result is final. Models sum in the
 * order of telling: for the same bits afterwards tell in the same order, for example by id; another
 * order gives the same points to the precision of the search.
 *
 * Collective; the same on all ranks.
 *
 * Errors: GANNET_ERR_ARG for an id never asked, an id twice in one call, an outcome that does not
 * exist, GANNET_RESULT_OK without the values of the constraints or of several objectives, the
 * member objective where there are several, GANNET_RESULT_PARTIAL without any value, or a quantity
 * whose name or standard deviation is not possible; GANNET_ERR_STATE for an id
 * that was discarded, or has a result other than failed; GANNET_ERR_RANKS when the results differ
 * between ranks. Nothing is taken over then.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_tell(gannet_optimizer *optimizer, int n,
                                                           const gannet_result *results);

/* Report the result of a point that the caller chose, for example from earlier work. It may be
 * outside the bounds, between steps, no listed number, or violate variable constraints: models
 * learn from it, but it is never the best, never proposed, and none of the first design.
 *
 * Collective; the same on all ranks.
 *
 * x_user  in   [n_variables]
 * result  in   its id is ignored
 * id      out  its number; NULL when not wanted
 *
 * Errors: GANNET_ERR_INPUT for what is no value of the variable: a fraction of an integer, a
 * category that does not exist, a number <= 0 on a log scale or outside the bounds by more than a
 * million times their width; GANNET_ERR_ARG as of gannet_optimizer_tell; GANNET_ERR_RANKS when
 * point or result differ between ranks. Nothing is taken over then.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_tell_point(gannet_optimizer *optimizer,
                                                                 const double *x_user,
                                                                 const gannet_result *result,
                                                                 int64_t *id);

/* Discard an evaluation, also one that has no result yet: it counts nowhere any more, and its point
 * may be proposed again. Its number is not used again. The optimiser forgets everything that it had
 * learnt: its next points are those of one that was told the remaining results, in their order.
 *
 * Collective; the same on all ranks.
 *
 * id  in  from ask or tell_point
 *
 * Errors: GANNET_ERR_ARG for an id never asked; GANNET_ERR_STATE for one that was discarded;
 * GANNET_ERR_RANKS when the id differs between ranks. Nothing has changed then. After
 * GANNET_ERR_MEMORY destroy the optimiser.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_discard(gannet_optimizer *optimizer,
                                                              int64_t id);

/* Replace the result of an evaluation, which keeps its place in the order of telling. The optimiser
 * forgets everything that it had learnt: its next points are those of one that was told the results
 * as they are now, in their order. With GANNET_RESULT_FAILED the evaluation may be told again.
 *
 * Collective; the same on all ranks.
 *
 * id      in  from ask or tell_point
 * result  in  all of it; its id is ignored
 *
 * Errors: GANNET_ERR_ARG as of gannet_optimizer_tell; GANNET_ERR_STATE for an evaluation that has
 * no result yet, or was discarded; GANNET_ERR_RANKS when id or result differ between ranks. Nothing
 * has changed then. After GANNET_ERR_MEMORY destroy the optimiser.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_correct(gannet_optimizer *optimizer,
                                                              int64_t id,
                                                              const gannet_result *result);

/* Tell results of a related problem, as of the same wing at another speed. They are no evaluations:
 * they do not count and are never the best. A Gaussian process of them, scaled and shifted, becomes
 * what the objective's model expects where it has no results of its own; how much it counts is
 * learnt from these, and a problem that turns out not to be related counts nothing. Every call is
 * one problem of at most eight. Methods without a model of the objective, as quadratic and sobol,
 * make no use of any.
 *
 * Collective; the same on all ranks.
 *
 * n          in  >= 2 results
 * x_user     in  [n][n_variables] copied; values may be outside the bounds. A variable that is NAN
 *                in all results is one that the related problem does not have
 * objective  in  [n] copied; any shift and scale, but good in the same sense
 *
 * Errors: GANNET_ERR_STATE with several objectives; GANNET_ERR_INPUT for values that are not finite
 * or cannot be of the variable, for a variable that some results have and others not, when no
 * variable is in common, for fewer than two results, and for the ninth problem; GANNET_ERR_RANKS
 * when the results differ between ranks.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_tell_related(gannet_optimizer *optimizer,
                                                                   int n, const double *x_user,
                                                                   const double *objective);

/* The same with constraints or several objectives: of each, a Gaussian process becomes what its
 * model expects, where the results of this problem agree with it. Limits may lie elsewhere in the
 * related problem, values may have another shift and scale, but large must be large in both.
 *
 * Collective; the same on all ranks.
 *
 * n        in  >= 2 results
 * x_user   in  [n][n_variables] copied, as for gannet_optimizer_tell_related
 * results  in  [n] with outcome GANNET_RESULT_OK or GANNET_RESULT_PARTIAL; ids are ignored.
 *              Objectives and constraints that are NAN, or all where constraints is NULL, are not
 *              known there
 *
 * Errors: those of gannet_optimizer_tell_related; GANNET_ERR_INPUT for another outcome,
 * GANNET_ERR_ARG for a result without any value.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_tell_related_results(
    gannet_optimizer *optimizer, int n, const double *x_user, const gannet_result *results);

/* The best evaluation so far. With several objectives it is the best by the first one alone;
 * gannet_optimizer_front has those that no other one dominates.
 *
 * Local.
 *
 * optimizer  in  NULL has no evaluations: best->id is -1 then
 * best       out  NULL when not wanted
 * x_user     out  [n_variables]; NULL when not wanted; untouched when best->id is -1
 */
GANNET_API void gannet_optimizer_best(const gannet_optimizer *optimizer, gannet_best *best,
                                      double *x_user);

/* The front of several objectives: the feasible evaluations that no other one dominates, which
 * means that none is at least as good in every objective and better in one. Of those that are equal
 * in every objective it has the first. With one objective it is the best evaluation.
 *
 * The reference point, up to which the hypervolume is measured, consists of the thresholds of the
 * objectives. Where one has none, it is the worst value of the front plus a tenth of the front's
 * range, and moves with the front.
 *
 * Local.
 *
 * optimizer    in   NULL has none: reference and hypervolume are untouched
 * most         in   how many there is room for; >= 0
 * id           out  [most] ascending; NULL when not wanted
 * x_user       out  [most][n_variables]; NULL when not wanted
 * objectives   out  [most][n_objectives] in the user's order, sense and units; NULL when not wanted
 * reference    out  [n_objectives] as objectives; NULL when not wanted
 * hypervolume  out  of the front up to the reference point, in the product of the units; NAN where
 *                   it is larger than any number; NULL when not wanted
 *
 * Returns how many there are, also when that is more than most; -1 when there is no memory for
 * them, and then all that is out is untouched.
 */
GANNET_API int64_t gannet_optimizer_front(const gannet_optimizer *optimizer, int64_t most,
                                          int64_t *id, double *x_user, double *objectives,
                                          double *reference, double *hypervolume);

/* A quantity that was told with a result: an objective, a constraint, or any other.
 *
 * Local.
 *
 * name      in   such as "objective", the name of a single one
 * quantity  out  its value is NAN when the evaluation has no result with it; its name and gradient
 *                are borrowed until the next ask or tell
 *
 * Errors: GANNET_ERR_ARG for an id never asked; GANNET_ERR_STATE for one that was discarded.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_quantity(const gannet_optimizer *optimizer,
                                                               int64_t id, const char *name,
                                                               gannet_quantity *quantity);

/* How many evaluations there are so far: "counts.feasible of counts.done feasible".
 *
 * Local.
 *
 * optimizer  in  NULL has none
 */
GANNET_API void gannet_optimizer_count(const gannet_optimizer *optimizer, gannet_counts *counts);

/* The evaluation that is recommended. The model is a Gaussian process with a length scale per
 * variable, whatever method is used; it infers the noise unless the problem says how large it is.
 * It is fitted to all results, or to the 10 000 that are nearest to the best designs. For a problem
 * without noise, or with less than four results, it is the best evaluation. What is asked next does
 * not depend on whether this was called.
 *
 * Collective; the same on all ranks.
 *
 * x_user  out  [n_variables]; NULL when not wanted; untouched when recommendation->id is -1
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_recommend(
    const gannet_optimizer *optimizer, gannet_recommendation *recommendation, double *x_user);

/* What the models expect at n designs. The models are those of the next ask: with hyper-parameters
 * as the optimiser has them, or learnt now where the next ask would learn them, and fitted to all
 * results. Of a portfolio they are those of the first method that tells its uncertainty. A Gaussian
 * process with a length scale per variable stands in for methods without such models. A method
 * with a trust region learns anew, from all results. What is asked next does not depend on whether
 * this was called.
 *
 * Collective; the same on all ranks.
 *
 * n            in   >= 0
 * x_user       in   [n][n_variables]
 * predictions  out  [n][1 + n_constraints] the objective, then the constraints in their order; with
 *                   several objectives [n][n_objectives + n_constraints] all of them first
 * feasibility  out  [n]; NULL when not wanted
 *
 * Errors: GANNET_ERR_INPUT for a design outside the ranges of the variables: models know nothing
 * there; GANNET_ERR_STATE with less than four results to learn from; GANNET_ERR_RANKS when the
 * designs differ between ranks; those of the models.
 * Cost: that of a fit, so give all designs at once.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_predict(const gannet_optimizer *optimizer,
                                                              int n, const double *x_user,
                                                              gannet_prediction *predictions,
                                                              gannet_feasibility *feasibility);

/* Write everything that asks and tells have made of an optimiser to a file: an optimiser that loads
 * it asks for the same points as this one will. The file is HDF5 with the datasets of a campaign's
 * state.h5, and has a checksum. It is written as PATH.new and renamed when it is on disk; what was
 * at the path before becomes PATH.1.
 *
 * Collective; the same on all ranks. Rank 0 writes.
 *
 * Errors: GANNET_ERR_NO_SPACE, GANNET_ERR_MISSING (directory), GANNET_ERR_IO; what was there before
 * is untouched then.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_save(const gannet_optimizer *optimizer,
                                                           const char *path);

/* Go on with what gannet_optimizer_save wrote, in a new optimiser that was created with the same
 * problem, settings and seed, on any number of ranks. gannet_optimizer_pending tells which points
 * have no result.
 *
 * Collective; the same on all ranks. Rank 0 reads.
 *
 * Errors: GANNET_ERR_STATE when the optimiser has evaluations; GANNET_ERR_INPUT when the file is of
 * another problem, method or seed, saying what differs; GANNET_ERR_VERSION when it is of a later
 * version; GANNET_ERR_DAMAGED, GANNET_ERR_MISSING, GANNET_ERR_IO. After an error that is none of
 * these the optimiser may know a part of the file: destroy it.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_optimizer_load(gannet_optimizer *optimizer,
                                                           const char *path);

/* The points that were asked for and have no result, by ascending id: after a load those to
 * evaluate again.
 *
 * Local.
 *
 * optimizer  in   NULL has none
 * most       in   how many there is room for; >= 0
 * id         out  [most]; NULL when not wanted
 * x_user     out  [most][n_variables]; NULL when not wanted
 *
 * Returns how many there are, also when that is more than most.
 */
GANNET_API int64_t gannet_optimizer_pending(const gannet_optimizer *optimizer, int64_t most,
                                            int64_t *id, double *x_user);

#ifdef __cplusplus
}
#endif
#endif
