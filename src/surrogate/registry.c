/* The models as an array, and how one is found by its name. */
#include "surrogate/registry.h"

#include "base/names.h"

#define ADDRESS_OF(name) &gannet_surrogate_##name,

const gannet_surrogate_type *const gannet_surrogate_types[] = {GANNET_SURROGATES(ADDRESS_OF) NULL};

gannet_err gannet_surrogate_find(const char *name, const gannet_surrogate_type **type) {
  int index = 0;
  *type = NULL;
  GANNET_TRY(
      gannet_name_find("surrogate", name, (const void *const *)gannet_surrogate_types, &index));
  *type = gannet_surrogate_types[index];
  return GANNET_OK;
}
