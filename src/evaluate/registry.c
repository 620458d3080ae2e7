/* The table of back-ends: a new one is a row here. */
#include "base/names.h"
#include "evaluate/backends.h"

const gannet_evaluator_type *const gannet_evaluator_types[] = {
    &gannet_evaluator_function, &gannet_evaluator_plugin, &gannet_evaluator_command,
    &gannet_evaluator_slurm,    &gannet_evaluator_manual, NULL,
};

gannet_err gannet_evaluator_find(const char *name, const gannet_evaluator_type **type) {
  int index = 0;
  GANNET_TRY(
      gannet_name_find("back-end", name, (const void *const *)gannet_evaluator_types, &index));
  *type = gannet_evaluator_types[index];
  return GANNET_OK;
}
