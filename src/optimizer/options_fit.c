/* Which settings mean something for the parts of one member. */
#include <string.h>

#include "optimizer/options.h"
#include "optimizer/sections.h"

static const gannet_option *entry_in(const gannet_option *table, const char *key) {
  return table ? gannet_option_find(table, key) : NULL;
}

/* A choice that one model does not have is meant for another one. */
static bool takes(const gannet_option *table, const char *key, const char *text) {
  const gannet_option *entry = entry_in(table, key);
  return entry && (entry->type != GANNET_CHOICE || !text || gannet_option_takes(entry, text));
}

bool gannet_constraint_rule_goes(int rule, const gannet_acq_type *type) {
  if (rule == GANNET_RULE_AUTO) return true;
  if (type->kind == GANNET_ACQ_SPLIT) return rule == GANNET_RULE_PROBABILITY;
  return gannet_acq_is_sequential(type) != (rule == GANNET_RULE_DRAWS);
}

/* A rule that is none goes with everything: its name is complained about elsewhere. */
static bool rule_goes(const char *name, const gannet_acq_type *type) {
  for (int i = 0; name && gannet_constraint_rule_names[i]; ++i)
    if (strcmp(gannet_constraint_rule_names[i], name) == 0)
      return gannet_constraint_rule_goes(i, type);
  return true;
}

bool gannet_setting_fits(const gannet_setting *one, const gannet_surrogate_type *surrogate,
                         const gannet_acq_type *acquisition) {
  const char *key = gannet_key_in_section("surrogate", one->key);
  if (key && surrogate)
    return gannet_option_find(gannet_surrogate_choice_table, key) ||
           takes(surrogate->options, key, one->text);
  key = gannet_key_in_section("acquisition", one->key);
  if (!key || !acquisition) return true;
  if (strcmp(key, "constraints") == 0) return rule_goes(one->text, acquisition);
  return gannet_option_find(gannet_acquisition_choice_table, key) ||
         takes(acquisition->options, key, one->text);
}

bool gannet_row_setting_fits(const gannet_setting *one, const gannet_surrogate_type *surrogate,
                             const gannet_acq_type *acquisition) {
  const char *key = gannet_key_in_section("surrogate", one->key);
  const gannet_option *entry = key && surrogate ? entry_in(surrogate->options, key) : NULL;
  if (entry && !gannet_option_takes(entry, one->text)) return false;
  if (!acquisition && gannet_key_in_section("region", one->key)) return false;
  return gannet_setting_fits(one, surrogate, acquisition);
}
