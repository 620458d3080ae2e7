/* What stays of a method's row where the user exchanges a part of it. */
#include <string.h>

#include "optimizer/options.h"

bool gannet_row_setting_stays(const gannet_setting *one, int n, const gannet_setting *settings) {
  static const char section[] = "acquisition.";
  const gannet_setting *chosen = gannet_setting_last(n, settings, "acquisition.type");
  const gannet_acq_type *type = NULL;
  if (!chosen || strncmp(one->key, section, sizeof section - 1) != 0) return true;
  const char *key = one->key + sizeof section - 1;
  if (gannet_option_find(gannet_acquisition_choice_table, key)) return true;
  if (gannet_acq_find(chosen->text, &type) != GANNET_OK) {
    gannet_error_clear(); /* the type itself is complained about, or needs no options */
    return false;
  }
  return type->options && gannet_option_find(type->options, key);
}
