#include "optimizer/local_state.h"

#include <stdio.h>

const gannet_struct_field local_state_fields[] = {
    {.name = "radius", GANNET_STRUCT_AT(local_state, radius, REAL), .fallback = 0.2, .upper = 0.5},
    {.name = "first_id", GANNET_STRUCT_AT(local_state, first_id, LARGE)},
    {.name = "count", GANNET_STRUCT_AT(local_state, count, LARGE)},
    {.name = "from", GANNET_STRUCT_AT(local_state, from, LARGE)},
    {.name = "predicted", GANNET_STRUCT_AT(local_state, predicted, REAL)},
    {.name = "deviation", GANNET_STRUCT_AT(local_state, deviation, REAL)},
    {.name = "at_edge", GANNET_STRUCT_AT(local_state, at_edge, TRUTH)},
    {.name = "centre", GANNET_STRUCT_AT(local_state, centre, LARGE), .fallback = -1},
    {0}};

static void name_hyper(int i, char *name, size_t size) {
  static const char *const names[GANNET_QUADRATIC_HYPER] = {"curvature", "spread", "cross",
                                                            "error"};
  (void)snprintf(name, size, "model%d.%s", i / GANNET_QUADRATIC_HYPER,
                 names[i % GANNET_QUADRATIC_HYPER]);
}

gannet_err local_state_put(const local_state *local, int n_models, const double *hyper,
                           const char *part, gannet_state *state) {
  char name[64];
  GANNET_TRY(gannet_state_put_fields(state, part, local_state_fields, local));
  for (int i = 0; i < n_models * GANNET_QUADRATIC_HYPER; ++i) {
    name_hyper(i, name, sizeof name);
    GANNET_TRY(gannet_state_put(state, part, name, GANNET_STATE_REAL, hyper[i]));
  }
  return GANNET_OK;
}

gannet_err local_state_take(gannet_state *state, const char *part, int64_t evaluations,
                            int n_models, local_state *local, double *hyper) {
  char name[64];
  GANNET_TRY(gannet_state_take_fields(state, part, local_state_fields, local));
  if (local->from < 0 || local->from >= evaluations || local->first_id < 0) local->count = 0;
  if (local->centre >= evaluations) local->centre = -1;
  for (int i = 0; i < n_models * GANNET_QUADRATIC_HYPER; ++i) {
    name_hyper(i, name, sizeof name);
    hyper[i] = gannet_quadratic_start[i % GANNET_QUADRATIC_HYPER];
    (void)gannet_state_find(state, part, name, &hyper[i]);
  }
  return GANNET_OK;
}
