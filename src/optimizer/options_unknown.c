/* Complaints about keys of surrogates and acquisitions that no member of a portfolio has, with the
 * key that was probably meant. */
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "optimizer/methods.h"
#include "optimizer/options.h"

enum { MOST_KEYS = 512 };

typedef struct {
  int n;
  const char *key[MOST_KEYS];
} keys;

typedef enum { SURROGATE, ACQUISITION, N_PARTS } part;

static const char *const section_of[N_PARTS] = {"surrogate", "acquisition"};

static const gannet_option *common_table(part of) {
  return of == SURROGATE ? gannet_surrogate_choice_table : gannet_acquisition_choice_table;
}

/* Name and options of the type at a place of the list of all; false after the last one. */
static bool type_at(part of, int place, const char **name, const gannet_option **table) {
  if (of == SURROGATE) {
    if (!gannet_surrogate_types[place]) return false;
    *name = gannet_surrogate_types[place]->name;
    *table = gannet_surrogate_types[place]->options;
    return true;
  }
  if (!gannet_acq_types[place]) return false;
  *name = gannet_acq_types[place]->name;
  *table = gannet_acq_types[place]->options;
  return true;
}

/* NULL where a member has no such part, or one without options. */
static const gannet_option *member_table(part of, const gannet_member_options *member) {
  if (member->proposer != GANNET_PROPOSE_MODEL) return NULL;
  if (of == SURROGATE) return member->surrogate_type ? member->surrogate_type->options : NULL;
  return member->acq_type ? member->acq_type->options : NULL;
}

static bool has(const gannet_option *table, const char *key) {
  return table && gannet_option_find(table, key);
}

static bool a_member_has(part of, const char *key, const gannet_optimizer_options *options) {
  for (int k = 0; k < options->n_members; ++k)
    if (has(member_table(of, &options->member[k]), key)) return true;
  return false;
}

/* Whether the method that takes the place of a portfolio with several objectives has a key. */
static bool has_with_objectives(part of, const char *key, const gannet_optimizer_options *options) {
  const gannet_method *row = NULL;
  const gannet_option *table = NULL;
  const char *name = NULL, *type = NULL;
  char path[32];
  if (!options->method.method || gannet_method_find(options->method.method, &row) != GANNET_OK ||
      !row->with_objectives || gannet_method_find(row->with_objectives, &row) != GANNET_OK) {
    gannet_error_clear();
    return false;
  }
  (void)snprintf(path, sizeof path, "%s.type", section_of[of]);
  type = gannet_method_default(row, path);
  for (int i = 0; type && type_at(of, i, &name, &table); ++i)
    if (strcmp(name, type) == 0) return has(table, key);
  return false;
}

/* Complains where members have the key, but none has the choice. */
static void check_choice(part of, const gannet_setting *setting, const char *key,
                         const gannet_optimizer_options *options, gannet_complaints *complaints) {
  const gannet_option *refused[GANNET_MEMBERS_MOST];
  int n = 0;
  for (int k = 0; k < options->n_members; ++k) {
    const gannet_option *table = member_table(of, &options->member[k]);
    const gannet_option *entry = table ? gannet_option_find(table, key) : NULL;
    if (!entry) continue;
    if (entry->type != GANNET_CHOICE || !setting->text || gannet_option_takes(entry, setting->text))
      return;
    bool known = false;
    for (int i = 0; i < n; ++i) known = known || refused[i] == entry;
    if (!known) refused[n++] = entry;
  }
  for (int i = 0; i < n; ++i)
    gannet_option_complain_value(refused[i], section_of[of], setting->text, setting->location,
                                 complaints);
}

static void add_keys(const gannet_option *table, keys *known) {
  for (; table && table->key && known->n < MOST_KEYS - 1; ++table)
    if (!(table->flags & GANNET_OPTION_HIDDEN)) known->key[known->n++] = table->key;
}

/* Keys that would be taken come first, and win when several are as near. */
static const char *nearest(part of, const char *key, const gannet_optimizer_options *options) {
  const gannet_option *table = NULL;
  const char *name = NULL;
  keys known = {0};
  add_keys(common_table(of), &known);
  for (int k = 0; k < options->n_members; ++k)
    add_keys(member_table(of, &options->member[k]), &known);
  for (int i = 0; type_at(of, i, &name, &table); ++i) add_keys(table, &known);
  return gannet_nearest(key, known.key);
}

/* The types that have a key. */
static void list_owners(part of, const char *key, char *list, size_t size) {
  const gannet_option *table = NULL;
  const char *name = NULL;
  size_t used = 0;
  list[0] = '\0';
  for (int i = 0; type_at(of, i, &name, &table); ++i) {
    if (!has(table, key)) continue;
    const int more = snprintf(list + used, size - used, "%s%s", used ? " " : "", name);
    if (more > 0 && used + (size_t)more < size) used += (size_t)more;
  }
}

static void say_meant(part of, const char *key, const gannet_optimizer_options *options,
                      char *meant, size_t size) {
  const char *near = nearest(of, key, options), *what = section_of[of];
  char owners[200];
  list_owners(of, near ? near : key, owners, sizeof owners);
  if (near && (has(common_table(of), near) || a_member_has(of, near, options)))
    (void)snprintf(meant, size, "; did you mean '%s'?", near);
  else if (near && strcmp(near, key) == 0)
    (void)snprintf(meant, size, "; choose a method with %s %s that has it: %s",
                   of == SURROGATE ? "a" : "an", what, owners);
  else if (near)
    (void)snprintf(meant, size,
                   "; did you mean '%s', which the %ss %s have? choose a method with one of them",
                   near, what, owners);
}

static void complain_of_key(part of, const gannet_setting *setting, bool given,
                            const gannet_optimizer_options *options,
                            gannet_complaints *complaints) {
  char chosen[100] = "", meant[400] = "";
  say_meant(of, setting->key + strlen(section_of[of]) + 1, options, meant, sizeof meant);
  if (!given)
    (void)snprintf(chosen, sizeof chosen, ", which method: %.60s chose", options->method.method);
  gannet_complain(complaints, setting->location,
                  "unknown key '%s' for every method of %s%s%s (see gannet explain %s)",
                  setting->key, options->method.portfolio, chosen, meant, section_of[of]);
}

static bool a_member_takes_rule(const char *name, const gannet_optimizer_options *options) {
  bool any = false, known = false;
  for (int rule = 0; name && gannet_constraint_rule_names[rule]; ++rule) {
    if (strcmp(gannet_constraint_rule_names[rule], name) != 0) continue;
    known = true;
    for (int k = 0; k < options->n_members && !any; ++k)
      any = options->member[k].acq_type &&
            gannet_constraint_rule_goes(rule, options->member[k].acq_type);
  }
  return any || !known;
}

void gannet_portfolio_complain_unknown(int n, const gannet_setting *settings,
                                       const gannet_optimizer_options *options,
                                       gannet_complaints *complaints) {
  const bool given = gannet_setting_last(n, settings, "portfolio") != NULL;
  const gannet_method *row = NULL;
  bool has_acquisition = false;
  /* The settings of a method that is misspelt are not those of another one. */
  if (options->method.method && gannet_method_find(options->method.method, &row) != GANNET_OK) {
    gannet_error_clear();
    return;
  }
  for (int k = 0; k < options->n_members; ++k)
    has_acquisition = has_acquisition || options->member[k].acq_type;
  for (int i = 0; i < n; ++i) {
    /* Every method has this key, and takes some of its values. */
    if (strcmp(settings[i].key, "acquisition.constraints") == 0 && has_acquisition &&
        !a_member_takes_rule(settings[i].text, options))
      gannet_complain(complaints, settings[i].location,
                      "acquisition.constraints: '%s' goes with no acquisition of %s, expected %s",
                      settings[i].text, options->method.portfolio,
                      strcmp(settings[i].text, "draws") == 0 ? "probability" : "draws");
    for (part of = 0; of < N_PARTS; ++of) {
      const char *key = gannet_key_in_section(section_of[of], settings[i].key);
      const bool common = key && of == ACQUISITION && has(common_table(of), key);
      if (!key || common) continue;
      if (a_member_has(of, key, options))
        check_choice(of, &settings[i], key, options, complaints);
      else if (given || !has_with_objectives(of, key, options))
        complain_of_key(of, &settings[i], given, options, complaints);
    }
  }
}

void gannet_portfolio_complain_of_several(const gannet_optimizer_options *options,
                                          gannet_complaints *complaints) {
  if (!options->method.portfolio || options->n_members < 2) return;
  for (int i = 0; i < options->n_given; ++i) {
    const gannet_given_setting *one = &options->given[i];
    const gannet_setting setting = {.key = one->key, .text = one->text, .location = one->key};
    for (part of = 0; of < N_PARTS; ++of) {
      const char *key = gannet_key_in_section(section_of[of], one->key);
      if (key && !has(common_table(of), key) && !a_member_has(of, key, options))
        complain_of_key(of, &setting, false, options, complaints);
    }
  }
}
