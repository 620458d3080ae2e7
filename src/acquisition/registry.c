/* The list of functions; everything else about one is in its own file. */
#include "acquisition/registry.h"

#include "base/names.h"

const gannet_acq_type *const gannet_acq_types[] = {
    &gannet_acq_thompson, &gannet_acq_thompson_pointwise,
    &gannet_acq_log_ei,   &gannet_acq_log_aei,
    &gannet_acq_ei,       &gannet_acq_pi,
    &gannet_acq_lcb,      &gannet_acq_optimism,
    &gannet_acq_mes,      &gannet_acq_pes,
    &gannet_acq_es,       &gannet_acq_kg,
    &gannet_acq_admm,     NULL,
};

gannet_err gannet_acq_find(const char *name, const gannet_acq_type **type) {
  int index = 0;
  GANNET_TRY(gannet_name_find("acquisition", name, (const void *const *)gannet_acq_types, &index));
  *type = gannet_acq_types[index];
  return GANNET_OK;
}

bool gannet_acq_is_sequential(const gannet_acq_type *type) {
  return type->kind == GANNET_ACQ_MOMENTS || type->kind == GANNET_ACQ_LOOKAHEAD ||
         type->kind == GANNET_ACQ_SPLIT;
}
