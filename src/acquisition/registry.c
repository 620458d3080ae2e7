/* The acquisition functions as an array, how one is found by its name, and what some share. */
#include "acquisition/registry.h"

#include <math.h>

#include "base/names.h"

#define ADDRESS_OF(name) &gannet_acq_##name,

const gannet_acq_type *const gannet_acq_types[] = {GANNET_ACQUISITIONS(ADDRESS_OF) NULL};

gannet_err gannet_acq_find(const char *name, const gannet_acq_type **type) {
  int index = 0;
  GANNET_TRY(gannet_name_find("acquisition", name, (const void *const *)gannet_acq_types, &index));
  *type = gannet_acq_types[index];
  return GANNET_OK;
}

bool gannet_acq_is_sequential(const gannet_acq_type *type) {
  return type->kind != GANNET_ACQ_DRAWS && type->kind != GANNET_ACQ_POINTWISE &&
         type->kind != GANNET_ACQ_FRONT;
}

bool gannet_acq_takes_several(const gannet_acq_type *type) {
  return type->kind == GANNET_ACQ_DRAWS || type->kind == GANNET_ACQ_FRONT || type->scalarises;
}

double gannet_acq_spread(const gannet_acq_model *model, double sd, double *by_sd) {
  const double least = 1e-12;
  *by_sd = model->certainty * sd > least ? model->certainty : 0;
  return fmax(model->certainty * sd, least);
}
