/* Options as keys and texts, from which the same options can be read again. */
#include <stdio.h>
#include <string.h>

#include "optimizer/options.h"

typedef struct {
  void (*visit)(void *user, const char *key, const char *text, const gannet_option *option);
  void *user;
} visitor;

static void visit_entry(const visitor *v, const char *section, const gannet_option *entry,
                        const void *target) {
  char key[128], text[4096];
  (void)snprintf(key, sizeof key, "%s%s%s", section, *section ? "." : "", entry->key);
  (void)gannet_option_format(entry, target, text, sizeof text);
  v->visit(v->user, key, text, entry);
}

static void visit_table(const visitor *v, const char *section, const gannet_option *table,
                        const void *target) {
  for (; table && table->key; ++table)
    if (!table->renamed && !(table->flags & GANNET_OPTION_IDLE))
      visit_entry(v, section, table, target);
}

/* Visit the settings of the method. Where there are several members, a setting that each of them
 * has by its own row is left out: written down, it would go to all of them. So is replicates: 1, of
 * which files of earlier versions say nothing. */
static void visit_method(const visitor *v, const gannet_optimizer_options *options) {
  const bool several = options->n_members > 1;
  for (const gannet_option *entry = gannet_method_table; entry->key; ++entry) {
    bool given = false;
    for (int i = 0; i < options->n_given && !given; ++i)
      given = strcmp(options->given[i].key, entry->key) == 0;
    const bool is_single = strcmp(entry->key, "replicates") == 0 && options->method.replicates == 1;
    if (entry->renamed || is_single)
      continue;
    else if (gannet_method_key_is_of_whole(entry->key) || (several && given))
      visit_entry(v, "", entry, &options->method);
    else if (!several)
      visit_entry(v, "", entry, &options->member[0].method);
  }
}

/* The entry of a dotted key in the table of a section; NULL when it belongs elsewhere. */
static const gannet_option *find_in(const char *section, const gannet_option *table,
                                    const char *key) {
  const char *own = gannet_key_in_section(section, key);
  return table && own ? gannet_option_find(table, own) : NULL;
}

/* The table entry of a dotted key. The keys of one acquisition or surrogate are in the table of a
 * member that has it. */
static const gannet_option *entry_of(const gannet_optimizer_options *options, const char *key) {
  const gannet_option *entry = find_in("acquisition", gannet_acquisition_choice_table, key);
  if (!entry) entry = find_in("region", gannet_region_table, key);
  if (!entry) entry = find_in("search", gannet_search_table, key);
  for (int i = 0; i < options->n_members && !entry; ++i) {
    const gannet_member_options *member = &options->member[i];
    if (member->acq_type) entry = find_in("acquisition", member->acq_type->options, key);
    if (!entry) entry = find_in("surrogate", member->surrogate_type->options, key);
  }
  return entry;
}

/* Visit the settings that the user gave, in the order of the sections. */
static void visit_given(const visitor *v, const gannet_optimizer_options *options) {
  static const char *const sections[] = {"acquisition", "surrogate", "region", "search"};
  for (int s = 0; s < 4; ++s)
    for (int i = 0; i < options->n_given; ++i) {
      const gannet_given_setting *one = &options->given[i];
      if (!gannet_key_in_section(sections[s], one->key)) continue;
      const gannet_option *entry = entry_of(options, one->key);
      if (entry) v->visit(v->user, one->key, one->text, entry);
    }
}

static void visit_member(const visitor *v, const gannet_member_options *member) {
  if (member->proposer != GANNET_PROPOSE_MODEL) {
    v->visit(v->user, "acquisition.type", member->acquisition.type,
             gannet_acquisition_choice_table);
    return;
  }
  visit_table(v, "acquisition", gannet_acquisition_choice_table, &member->acquisition);
  if (member->acq_options)
    visit_table(v, "acquisition", member->acq_type->options, member->acq_options);
  v->visit(v->user, "surrogate.type", member->surrogate_type->name, gannet_surrogate_choice_table);
  visit_table(v, "surrogate", member->surrogate_type->options, member->surrogate_options);
  visit_table(v, "region", gannet_region_table, &member->region);
  visit_table(v, "search", gannet_search_table, &member->search);
}

void gannet_optimizer_options_visit(const gannet_optimizer_options *options,
                                    void (*visit)(void *user, const char *key, const char *text,
                                                  const gannet_option *option),
                                    void *user) {
  const visitor v = {visit, user};
  visit_method(&v, options);
  if (options->cost.weigh) visit_table(&v, "cost", gannet_cost_table, &options->cost);
  if (options->n_members == 1)
    visit_member(&v, &options->member[0]);
  else
    visit_given(&v, options);
}
