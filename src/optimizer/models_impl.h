/* The models of a member, shared by their files: models.c (what they are fitted to and asked for)
 * and models_best.c (what they think best). */
#ifndef GANNET_OPTIMIZER_MODELS_IMPL_H
#define GANNET_OPTIMIZER_MODELS_IMPL_H

#include "optimizer/models.h"

typedef struct {
  gannet_surrogate *surrogate;
  bool active;       /* takes part; the hidden constraint only once something was infeasible */
  int64_t n_all;     /* observations there are, whether taken or not */
  int64_t n_learned; /* of these when hyper-parameters were learnt last, 0 = never */
  double exploration;
  double threshold;
  double noise_var; /* of the last fit */
  int n;            /* observations of the last fit */
  int n_believed;   /* of them made up, at the end */
  int capacity;
  double *x;   /* [capacity][d] */
  double *y;   /* [capacity] */
  int64_t *id; /* [capacity] evaluations that were observed */
} gannet_model;

struct gannet_models {
  const gannet_context *context;
  const gannet_history *history;
  const gannet_problem *problem;
  const gannet_member_options *options;
  void *other_options; /* of the surrogates of all models but the objective's; NULL = the same */
  int n;               /* models: 1 + n_bounds + 1 */
  gannet_model *model;
  const bool *take; /* of the fit that is under way */
  int work_capacity;
  double *raw, *work;      /* [work_capacity] */
  int64_t contenders_from; /* first id of which the contenders are known, -1 = of none */
  int n_contenders;
  int *contender;                 /* [GANNET_CONTENDERS_ALL] rows of the objective's model */
  int64_t *contender_id;          /* [GANNET_CONTENDERS_ALL] */
  bool suspected;                 /* the objective looked noisy, when that last made a difference */
  gannet_laws *laws;              /* equations of the objective, or NULL */
  bool doubted;                   /* and that results contradict them was told */
  gannet_transform_fit transform; /* of the objective, by the last fit */
  bool settled;                   /* and the search had settled then, which made a difference */
};

#endif
