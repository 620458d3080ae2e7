/* What quadratic models keep from one proposal to the next, and how it is saved. For local.c only.
 */
#ifndef GANNET_OPTIMIZER_LOCAL_STATE_H
#define GANNET_OPTIMIZER_LOCAL_STATE_H

#include "optimizer/state.h"
#include "surrogate/quadratic.h"

/* What is kept from one proposal to the next: the size of the box, and what was predicted of the
 * batch by which it will be judged. */
typedef struct {
  double radius;           /* half the side of the box, in the unit cube */
  int64_t first_id, count; /* of that batch; no points = none is waited for */
  int64_t from;            /* evaluation from which it started */
  double predicted;        /* decrease of the objective at its first point */
  double deviation;        /* standard deviation of the model there */
  bool at_edge;            /* that point was at the edge of the box */
  int64_t centre;          /* evaluation around which the last box lay, -1 = none */
} local_state;

extern const gannet_struct_field local_state_fields[];

/* Put it into a state with the hyper-parameters of the models: "model0.curvature", of which model 0
 * is that of the objective.
 *
 * Local.
 *
 * hyper  in  [n_models][GANNET_QUADRATIC_HYPER]
 */
GANNET_CHECKED gannet_err local_state_put(const local_state *local, int n_models,
                                          const double *hyper, const char *part,
                                          gannet_state *state);

/* Take it from a state; hyper-parameters that are absent are those of the beginning.
 *
 * Local.
 *
 * evaluations  in   that there are; others are not waited for
 * hyper        out  [n_models][GANNET_QUADRATIC_HYPER]
 */
GANNET_CHECKED gannet_err local_state_take(gannet_state *state, const char *part,
                                           int64_t evaluations, int n_models, local_state *local,
                                           double *hyper);

#endif
