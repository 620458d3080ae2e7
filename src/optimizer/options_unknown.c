/* What a key of a surrogate may have been meant to be. */
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "optimizer/options.h"

enum { MOST_KEYS = 512 };

typedef struct {
  int n;
  const char *key[MOST_KEYS];
} keys;

static void add_keys(const gannet_option *table, keys *known) {
  for (; table && table->key && known->n < MOST_KEYS - 1; ++table)
    if (!(table->flags & GANNET_OPTION_HIDDEN)) known->key[known->n++] = table->key;
}

static bool has_surrogate(const gannet_member_options *member) {
  return member->proposer == GANNET_PROPOSE_MODEL && member->surrogate_type;
}

/* Keys that would be taken come first, and win when several are as near. */
static const char *nearest(const char *key, const gannet_optimizer_options *options) {
  keys known = {0};
  add_keys(gannet_surrogate_choice_table, &known);
  for (int k = 0; k < options->n_members; ++k)
    if (has_surrogate(&options->member[k]))
      add_keys(options->member[k].surrogate_type->options, &known);
  for (int s = 0; gannet_surrogate_types[s]; ++s)
    add_keys(gannet_surrogate_types[s]->options, &known);
  return gannet_nearest(key, known.key);
}

static bool is_taken(const char *key, const gannet_optimizer_options *options) {
  bool taken = gannet_option_find(gannet_surrogate_choice_table, key) != NULL;
  for (int k = 0; k < options->n_members && !taken; ++k)
    taken = has_surrogate(&options->member[k]) &&
            gannet_option_find(options->member[k].surrogate_type->options, key);
  return taken;
}

/* The surrogates that have a key. */
static void list_owners(const char *key, char *list, size_t size) {
  size_t used = 0;
  list[0] = '\0';
  for (int s = 0; gannet_surrogate_types[s]; ++s) {
    if (!gannet_option_find(gannet_surrogate_types[s]->options, key)) continue;
    const int more = snprintf(list + used, size - used, "%s%s", used ? " " : "",
                              gannet_surrogate_types[s]->name);
    if (more > 0 && used + (size_t)more < size) used += (size_t)more;
  }
}

void gannet_surrogate_key_complain(const gannet_setting *setting, bool given,
                                   const gannet_optimizer_options *options,
                                   gannet_complaints *complaints) {
  char owners[200], chosen[100] = "", meant[400] = "";
  const char *key = setting->key + strlen("surrogate.");
  const char *near = nearest(key, options);
  list_owners(near ? near : key, owners, sizeof owners);
  if (!given)
    (void)snprintf(chosen, sizeof chosen, ", which method: %.60s chose", options->method.method);
  if (near && is_taken(near, options))
    (void)snprintf(meant, sizeof meant, "; did you mean '%s'?", near);
  else if (near && strcmp(near, key) == 0)
    (void)snprintf(meant, sizeof meant, "; choose a method with a surrogate that has it: %s",
                   owners);
  else if (near)
    (void)snprintf(meant, sizeof meant,
                   "; did you mean '%s', which the surrogates %s have? choose a method with one "
                   "of them",
                   near, owners);
  gannet_complain(complaints, setting->where,
                  "unknown key '%s' for every method of %s%s%s (see gannet explain surrogate)",
                  setting->key, options->method.portfolio, chosen, meant);
}
