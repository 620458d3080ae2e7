/* The acquisition functions as an array, and how one is found by its name. */
#include "acquisition/registry.h"

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
  return type->kind == GANNET_ACQ_MOMENTS || type->kind == GANNET_ACQ_LOOKAHEAD ||
         type->kind == GANNET_ACQ_SPLIT;
}
