/* The inside of the models of a member, shared by models.c (what they are asked for), models_fit.c
 * (what they are fitted to) and models_best.c (which observations they think best). */
#ifndef GANNET_OPTIMIZER_MODELS_IMPL_H
#define GANNET_OPTIMIZER_MODELS_IMPL_H

#include "optimizer/models/models.h"
#include "optimizer/models/related.h"

/* Which observations may have the least mean of the objective's model.
 *
 * All of them but designs from elsewhere, while they are at most 4000. Of more, the 1000 best
 * (gannet_merit_rank_is_better: by value, and while fewer are feasible by violation too), and of
 * the infeasible rest the 1000 that violate least: looking for the least mean then takes the same
 * time for any number of them. With noise the mean may be least at an observation whose own value
 * is not among the best of a large history; what is found instead is one of the others close by.
 */
enum { GANNET_INCUMBENT_CANDIDATES_ALL = 4000, GANNET_INCUMBENT_CANDIDATES_BEST = 1000 };

/* Positions of the incumbent candidates in a list of observations, ascending.
 *
 * Local.
 *
 * id       in   [n] evaluations with a result
 * first    in   evaluations before this id do not count
 * n_found  out  at most GANNET_INCUMBENT_CANDIDATES_ALL
 * found    out  [GANNET_INCUMBENT_CANDIDATES_ALL]
 *
 * Errors: GANNET_ERR_MEMORY. Cost: c log c for c evaluations in the history, when they are many.
 */
GANNET_CHECKED gannet_err gannet_incumbent_candidates_find(const gannet_history *history, int n,
                                                           const int64_t *id, int64_t first,
                                                           int *n_found, int *found);

/* One surrogate and what it was fitted to. */
typedef struct {
  gannet_surrogate *surrogate;
  bool active;        /* takes part; the hidden constraint does once a design was infeasible */
  double exploration; /* factor on its uncertainty */
  double gain;        /* information gain of its observations, 0 unless the growth needs it */
  double threshold;   /* the model of a constraint is feasible below this value */
  gannet_constraint_fit scaling;  /* of the values of a constraint, by the last fit */
  gannet_transform_fit transform; /* of the values of an objective, by the last fit */

  /* The data, [capacity]; fantasies come last: */
  int capacity;
  int n;              /* observations and fantasies */
  int n_fantasies;    /* fantasies among these */
  double *x;          /* [capacity][d] */
  double *y;          /* standardised values */
  int64_t *id;        /* evaluations that were observed */
  double noise_var;   /* of the standardised values; NAN = to be learnt */
  double *row_noise;  /* that of single rows, NAN = noise_var holds */
  bool has_row_noise; /* it does not hold for some */

  /* Learning: */
  int64_t n_all;     /* observations there are, whether taken or not */
  int64_t n_learned; /* n_all when hyper-parameters were learnt last, 0 = never */
  bool learned_log;  /* they were learnt of logarithms of one of several objectives */
  bool learns;       /* hyper-parameters are to be learnt with the fit that is prepared */
  bool learnt;       /* they were learnt for it already, with those of other members */
} gannet_model;

struct gannet_models {
  const gannet_context *context;
  const gannet_history *history;
  const gannet_problem *problem;
  const gannet_member_options *options;
  void *other_options; /* of the surrogates of constraints; NULL = the same as the objective's */
  int n_objectives;    /* that have a model */
  int n;               /* models: the first objective, n_bounds constraints, the further objectives,
                          the hidden constraint */
  gannet_model *model; /* [n] in that order */

  /* The fit that is prepared: */
  const bool *take;   /* whether an evaluation is taken, by id; NULL = all */
  int64_t iteration;  /* number of the batch */
  gannet_front front; /* of the results; empty with one objective */
  bool converged;     /* the search had converged, and the transform went by that */
  bool scalarises;    /* one model stands for all objectives */
  double direction[GANNET_OBJECTIVES_MOST]; /* weights by which it does, of sum 1 */
  int work_capacity;
  double *raw, *work; /* [work_capacity] values before the transform; scratch */

  /* The incumbent candidates that were found last, at most GANNET_INCUMBENT_CANDIDATES_ALL: */
  int64_t incumbents_from; /* evaluations before this id do not count; -1 = none were found yet */
  int n_incumbents;
  int *incumbent_row;    /* rows of the data of the objective's model */
  int64_t *incumbent_id; /* evaluations */

  gannet_related_prior *prior;     /* [n - 1] of all models but the hidden constraint's */
  gannet_noise_test *noise_test;   /* of the history, or NULL */
  bool looks_noisy;                /* the objective, when this last made a difference */
  gannet_pde_residuals *residuals; /* residuals of the equations of the objective, or NULL */
  bool told_contradicted;          /* the user was told that results contradict the equations */
};

/* Factor on what the hidden constraint's model says it does not know. */
extern const double models_label_doubt;

/* What a surrogate is fitted to.
 *
 * Local.
 */
static inline gannet_data models_data_of(const gannet_model *one) {
  return (gannet_data){one->n, one->x, one->y, one->noise_var,
                       one->has_row_noise ? one->row_noise : NULL};
}

/* Whether a model is that of the hidden constraint.
 *
 * Local.
 */
static inline bool models_is_hidden(const gannet_models *models, int i) {
  return i == models->n - 1;
}

/* The objective of a model; -1 = it is of a constraint.
 *
 * Local.
 */
static inline int models_objective(const gannet_models *models, int i) {
  if (i == 0) return 0;
  const int objective = i - models->problem->n_bounds;
  return objective >= 1 && !models_is_hidden(models, i) ? objective : -1;
}

/* Room for n observations of a model.
 *
 * Local.
 */
GANNET_CHECKED gannet_err models_reserve(gannet_models *models, gannet_model *model, int n);

#endif
