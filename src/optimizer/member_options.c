/* The parts of one member, read from settings. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "optimizer/options.h"

const char *gannet_key_in_section(const char *section, const char *key) {
  const size_t length = strlen(section);
  return strncmp(key, section, length) == 0 && key[length] == '.' ? key + length + 1 : NULL;
}

bool gannet_setting_is_default(const gannet_setting *setting, const char *section,
                               const gannet_option *table) {
  const char *key = gannet_key_in_section(section, setting->key);
  const gannet_option *option = key ? gannet_option_find(table, key) : NULL;
  return option && option->fallback && setting->text &&
         strcmp(option->fallback, setting->text) == 0;
}

/* The key of a setting within a section, "" = the top level; NULL when it belongs elsewhere. */
static const char *key_within(const char *section, const char *key) {
  if (!*section) return strchr(key, '.') ? NULL : key;
  return gannet_key_in_section(section, key);
}

gannet_err gannet_settings_apply_section(const gannet_option *table, const char *section,
                                         const char *const *skip, int n, const gannet_setting *all,
                                         void *target, gannet_complaints *complaints) {
  gannet_setting *part = NULL;
  int n_part = 0;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *part, &part));
  for (int i = 0; i < n; ++i) {
    const char *key = key_within(section, all[i].key);
    bool skipped = !key;
    for (int k = 0; !skipped && skip && skip[k]; ++k) skipped = strcmp(skip[k], key) == 0;
    if (skipped) continue;
    part[n_part] = all[i];
    part[n_part++].key = key;
  }
  const gannet_err err =
      gannet_options_apply(table, *section ? section : NULL, n_part, part, target, complaints);
  gannet_free(&part);
  return err;
}

const gannet_setting *gannet_setting_last(int n, const gannet_setting *all, const char *key) {
  for (int i = n - 1; i >= 0; --i)
    if (strcmp(all[i].key, key) == 0 && all[i].text) return &all[i];
  return NULL;
}

void gannet_setting_complain(const gannet_setting *setting, const char *key,
                             gannet_complaints *complaints) {
  gannet_complain(complaints, setting ? setting->location : NULL, "%s: %s", key,
                  gannet_error_detail());
  gannet_error_clear();
}

static gannet_err parse_surrogate(int n, const gannet_setting *all, gannet_member_options *options,
                                  gannet_complaints *complaints) {
  static const char *const own[] = {"type", NULL};
  const gannet_setting *type = gannet_setting_last(n, all, "surrogate.type");
  const char *name = type ? type->text : gannet_surrogate_choice_table[0].fallback;
  if (gannet_surrogate_find(name, &options->surrogate_type) != GANNET_OK) {
    gannet_setting_complain(type, "surrogate.type", complaints);
    return GANNET_OK;
  }
  GANNET_TRY(gannet_alloc(1, options->surrogate_type->options_size, &options->surrogate_options));
  const int before = complaints->count;
  GANNET_TRY(gannet_settings_apply_section(options->surrogate_type->options, "surrogate", own, n,
                                           all, options->surrogate_options, complaints));
  if (complaints->count > before || !options->surrogate_type->contradiction) return GANNET_OK;
  const char *why = options->surrogate_type->contradiction(options->surrogate_options);
  const gannet_setting *last = NULL;
  for (int i = 0; i < n; ++i)
    if (gannet_key_in_section("surrogate", all[i].key)) last = &all[i];
  if (why) gannet_complain(complaints, last ? last->location : NULL, "surrogate: %s", why);
  return GANNET_OK;
}

/* Draws of constraints belong to draws of the objective, probabilities and bounds to moments. */
static void choose_rule(const gannet_setting *setting, gannet_member_options *options,
                        gannet_complaints *complaints) {
  const bool moments = gannet_acq_is_sequential(options->acq_type);
  int *rule = &options->acquisition.rule;
  if (*rule == GANNET_RULE_AUTO) *rule = moments ? GANNET_RULE_PROBABILITY : GANNET_RULE_DRAWS;
  const bool of_models = options->acq_type->kind == GANNET_ACQ_MODELS;
  if (gannet_constraint_rule_goes(*rule, options->acq_type)) return;
  gannet_complain(complaints, setting ? setting->location : NULL,
                  "acquisition.constraints: '%s' does not go with acquisition '%s', expected %s",
                  gannet_constraint_rule_names[*rule], options->acq_type->name,
                  of_models ? "probability"
                  : moments ? "probability, bounds or inside"
                            : "draws");
}

/* Complain about keys that the acquisition does not have, and copy the others, as many. */
static int check_acquisition_keys(int n, const gannet_setting *all, const gannet_acq_type *type,
                                  gannet_setting *known, gannet_complaints *complaints) {
  const gannet_option *const tables[] = {gannet_acquisition_choice_table, type->options};
  char of[80];
  int count = 0;
  (void)snprintf(of, sizeof of, " for acquisition '%s'", type->name);
  for (int i = 0; i < n; ++i) {
    const char *key = key_within("acquisition", all[i].key);
    if (!key) continue;
    if (gannet_option_find(tables[0], key) || (tables[1] && gannet_option_find(tables[1], key))) {
      known[count++] = all[i];
      continue;
    }
    gannet_setting unknown = all[i];
    unknown.key = key;
    gannet_option_complain_unknown(2, tables, "acquisition", of, &unknown, complaints);
  }
  return count;
}

static gannet_err parse_own_keys(int n, const gannet_setting *all, const char *const *others,
                                 gannet_member_options *options, gannet_complaints *complaints) {
  static const gannet_option nothing[] = {{0}};
  const gannet_acq_type *type = options->acq_type;
  gannet_setting *known = NULL;
  GANNET_TRY(gannet_alloc((size_t)n + 1, sizeof *known, &known));
  const int count = check_acquisition_keys(n, all, type, known, complaints);
  const gannet_err err =
      gannet_settings_apply_section(type->options ? type->options : nothing, "acquisition", others,
                                    count, known, options->acq_options, complaints);
  gannet_free(&known);
  return err;
}

static gannet_err parse_acquisition(int n, const gannet_setting *all,
                                    gannet_member_options *options, gannet_complaints *complaints) {
  static const char *const own[] = {"type",     "exploration", "growth", "constraints",
                                    "minimise", "bound",       "delta",  NULL};
  static const char *const keys[] = {"acquisition.type",     "acquisition.exploration",
                                     "acquisition.growth",   "acquisition.constraints",
                                     "acquisition.minimise", "acquisition.bound",
                                     "acquisition.delta",    NULL};
  gannet_setting part[sizeof keys / sizeof *keys - 1];
  int n_part = 0;
  const gannet_setting *type = gannet_setting_last(n, all, keys[0]);
  for (int k = 0; keys[k]; ++k) {
    const gannet_setting *one = gannet_setting_last(n, all, keys[k]);
    if (one) part[n_part] = *one, part[n_part++].key = own[k];
  }
  GANNET_TRY(gannet_options_apply(gannet_acquisition_choice_table, "acquisition", n_part, part,
                                  &options->acquisition, complaints));
  const char *name = options->acquisition.type;
  options->proposer = GANNET_PROPOSE_MODEL;
  for (int i = 1; gannet_proposer_names[i]; ++i)
    if (strcmp(name, gannet_proposer_names[i]) == 0) options->proposer = (gannet_proposer)i;
  if (options->proposer != GANNET_PROPOSE_MODEL) return GANNET_OK;
  if (gannet_acq_find(name, &options->acq_type) != GANNET_OK) {
    gannet_setting_complain(type, "acquisition.type", complaints);
    return GANNET_OK;
  }
  choose_rule(gannet_setting_last(n, all, keys[3]), options, complaints);
  GANNET_TRY(gannet_alloc(1, options->acq_type->options_size, &options->acq_options));
  return parse_own_keys(n, all, own, options, complaints);
}

/* Told at the start, not when a campaign has grown into it. */
static void complain_sd(int n, const gannet_setting *all, const gannet_member_options *options,
                        gannet_complaints *complaints) {
  const gannet_surrogate_type *type = options->surrogate_type;
  if (!options->acq_type || options->acq_type->kind == GANNET_ACQ_DRAWS) return;
  if (!type || !type->no_sd || !options->surrogate_options) return;
  const char *why = type->no_sd(options->surrogate_options);
  const gannet_setting *factor = gannet_setting_last(n, all, "surrogate.factor");
  if (why)
    gannet_complain(complaints, factor ? factor->location : NULL, "acquisition '%s': %s",
                    options->acq_type->name, why);
}

/* The growth of Neural-CBO's theorem needs an information gain, which not every model has. */
static void complain_growth(int n, const gannet_setting *all, const gannet_member_options *options,
                            gannet_complaints *complaints) {
  const gannet_surrogate_type *type = options->surrogate_type;
  const gannet_setting *growth = gannet_setting_last(n, all, "acquisition.growth");
  const char *where = growth ? growth->location : NULL;
  if (!options->acq_type || !type || !options->surrogate_options) return;
  if (options->acquisition.growth != GANNET_GROWTH_NEURAL_CBO) return;
  if (!type->information_gain)
    gannet_complain(complaints, where,
                    "acquisition.growth: neural-cbo needs an information gain, which surrogate "
                    "'%s' does not have; choose gp or tangent-kernel, or growth log",
                    type->name);
  else if (type->no_sd && type->no_sd(options->surrogate_options))
    gannet_complain(complaints, where,
                    "acquisition.growth: neural-cbo needs an information gain, and so the whole "
                    "factor on every rank; choose surrogate.factor replicated, or growth log");
}

/* Keys of the theorems beside a growth that does not use them. */
static void complain_theorem_keys(int n, const gannet_setting *all,
                                  const gannet_member_options *options,
                                  gannet_complaints *complaints) {
  const gannet_option *table = gannet_acquisition_choice_table;
  const int growth = options->acquisition.growth;
  const bool has_bound = growth == GANNET_GROWTH_NEURAL_BO || growth == GANNET_GROWTH_NEURAL_CBO;
  const struct {
    const char *key, *users;
    bool is_used;
  } keys[] = {
      {"acquisition.bound", "neural-bo or neural-cbo", has_bound},
      {"acquisition.delta", "neural-bo, neural-cbo or gp-ucb",
       has_bound || growth == GANNET_GROWTH_GP_UCB},
  };
  for (size_t k = 0; k < sizeof keys / sizeof *keys && options->acq_type; ++k) {
    const gannet_setting *one = gannet_setting_last(n, all, keys[k].key);
    if (keys[k].is_used || !one || gannet_setting_is_default(one, "acquisition", table)) continue;
    gannet_complain(complaints, one->location,
                    "%s: growth %s does not use it, so this would change nothing; leave it out, or "
                    "choose growth %s",
                    one->key, gannet_option_find(table, "growth")->choices[growth], keys[k].users);
  }
}

/* Local quadratic models have a region of their own, whatever is said here. */
static void complain_region(int n, const gannet_setting *all, const gannet_member_options *options,
                            gannet_complaints *complaints) {
  static const char *const keys[] = {"region.length", "region.shortest", "region.longest"};
  const gannet_setting *location = gannet_setting_last(n, all, "region.type");
  const char *why = gannet_region_contradiction(&options->region);
  const bool plain =
      options->proposer == GANNET_PROPOSE_SOBOL || options->proposer == GANNET_PROPOSE_RANDOM;
  if (options->region.type != GANNET_REGION_NONE && plain)
    why = "points that are made without a model cannot stay in a region; expected type none";
  for (int k = 0; k < 3; ++k)
    if (gannet_setting_last(n, all, keys[k])) location = gannet_setting_last(n, all, keys[k]);
  if (why) gannet_complain(complaints, location ? location->location : NULL, "region: %s", why);
}

static gannet_err parse_parts(int n, const gannet_setting *all, gannet_member_options *options,
                              gannet_complaints *complaints) {
  GANNET_TRY(gannet_settings_apply_section(gannet_method_table, "", NULL, n, all, &options->method,
                                           complaints));
  GANNET_TRY(gannet_settings_apply_section(gannet_search_table, "search", NULL, n, all,
                                           &options->search, complaints));
  const int before = complaints->count;
  GANNET_TRY(gannet_settings_apply_section(gannet_region_table, "region", NULL, n, all,
                                           &options->region, complaints));
  const bool region_read = complaints->count == before;
  GANNET_TRY(parse_surrogate(n, all, options, complaints));
  GANNET_TRY(parse_acquisition(n, all, options, complaints));
  complain_sd(n, all, options, complaints);
  complain_growth(n, all, options, complaints);
  complain_theorem_keys(n, all, options, complaints);
  if (region_read) complain_region(n, all, options, complaints);
  return GANNET_OK;
}

/* The types that the settings choose; NULL when there is none of the name. */
static void find_types(int n, const gannet_setting *settings,
                       const gannet_surrogate_type **surrogate,
                       const gannet_acq_type **acquisition) {
  const gannet_setting *model = gannet_setting_last(n, settings, "surrogate.type");
  const gannet_setting *rule = gannet_setting_last(n, settings, "acquisition.type");
  const char *name = model ? model->text : gannet_surrogate_choice_table[0].fallback;
  *surrogate = NULL;
  *acquisition = NULL;
  if (gannet_surrogate_find(name, surrogate) != GANNET_OK)
    gannet_error_clear(); /* complained about later */
  name = rule ? rule->text : gannet_acquisition_choice_table[0].fallback;
  if (gannet_acq_find(name, acquisition) != GANNET_OK)
    gannet_error_clear(); /* so is this, or it needs no model */
}

static const gannet_option *entry_in(const gannet_option *table, const char *key) {
  return table ? gannet_option_find(table, key) : NULL;
}

/* A choice that one model does not have is meant for another one. */
static bool table_takes(const gannet_option *table, const char *key, const char *text) {
  const gannet_option *entry = entry_in(table, key);
  return entry && (entry->type != GANNET_CHOICE || !text || gannet_option_takes(entry, text));
}

/* Whether surrogate.* or acquisition.* is a setting of the types, of which one of a choice is one
 * only where they have that choice; any other is.
 *
 * surrogate, acquisition  in  NULL = unknown, or none
 */
static bool setting_fits(const gannet_setting *one, const gannet_surrogate_type *surrogate,
                         const gannet_acq_type *acquisition) {
  const char *key = gannet_key_in_section("surrogate", one->key);
  if (key && surrogate)
    return gannet_option_find(gannet_surrogate_choice_table, key) ||
           table_takes(surrogate->options, key, one->text);
  key = gannet_key_in_section("acquisition", one->key);
  if (!key || !acquisition) return true;
  if (strcmp(key, "constraints") == 0) {
    /* A name that is no rule goes with everything: it is complained about elsewhere. */
    int rule = 0;
    const char *const *names = gannet_constraint_rule_names;
    while (names[rule] && (!one->text || strcmp(names[rule], one->text) != 0)) ++rule;
    return !names[rule] || gannet_constraint_rule_goes(rule, acquisition);
  }
  return gannet_option_find(gannet_acquisition_choice_table, key) ||
         table_takes(acquisition->options, key, one->text);
}

/* The same of a setting in a method's row. The row means its settings for its own types: values
 * that others do not take, or a region where there is no acquisition, do not fit either. */
static bool row_setting_fits(const gannet_setting *one, const gannet_surrogate_type *surrogate,
                             const gannet_acq_type *acquisition) {
  const char *key = gannet_key_in_section("surrogate", one->key);
  const gannet_option *entry = key && surrogate ? entry_in(surrogate->options, key) : NULL;
  if (entry && !gannet_option_takes(entry, one->text)) return false;
  if (!acquisition && gannet_key_in_section("region", one->key)) return false;
  return setting_fits(one, surrogate, acquisition);
}

gannet_err gannet_member_options_parse(int n, const gannet_setting *settings, int n_row,
                                       bool lenient, gannet_member_options *options,
                                       gannet_complaints *complaints) {
  const gannet_surrogate_type *surrogate = NULL;
  const gannet_acq_type *acquisition = NULL;
  gannet_setting *all = NULL;
  int kept = 0;
  memset(options, 0, sizeof *options);
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *all, &all));
  find_types(n, settings, &surrogate, &acquisition);
  for (int i = 0; i < n; ++i)
    if (i < n_row ? row_setting_fits(&settings[i], surrogate, acquisition)
                  : !lenient || setting_fits(&settings[i], surrogate, acquisition))
      all[kept++] = settings[i];
  const gannet_err err = parse_parts(kept, all, options, complaints);
  gannet_free(&all);
  return err;
}

void gannet_member_options_release(gannet_member_options *options) {
  if (options->surrogate_type && options->surrogate_options)
    gannet_options_release(options->surrogate_type->options, options->surrogate_options,
                           options->surrogate_type->options_size);
  if (options->acq_type && options->acq_type->options && options->acq_options)
    gannet_options_release(options->acq_type->options, options->acq_options,
                           options->acq_type->options_size);
  gannet_free(&options->surrogate_options);
  gannet_free(&options->acq_options);
  gannet_options_release(gannet_method_table, &options->method, sizeof options->method);
  gannet_options_release(gannet_search_table, &options->search, sizeof options->search);
  gannet_options_release(gannet_region_table, &options->region, sizeof options->region);
  gannet_options_release(gannet_acquisition_choice_table, &options->acquisition,
                         sizeof options->acquisition);
  memset(options, 0, sizeof *options);
}

bool gannet_constraint_rule_goes(int rule, const gannet_acq_type *type) {
  if (rule == GANNET_RULE_AUTO) return true;
  if (type->kind == GANNET_ACQ_MODELS) return rule == GANNET_RULE_PROBABILITY;
  return gannet_acq_is_sequential(type) != (rule == GANNET_RULE_DRAWS);
}
