#include "optimizer/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"

static const char *const transforms[] = {"none", "log", NULL};
static const char *const rules[] = {"draws", "probability", "bounds", NULL};

const gannet_option gannet_method_table[] = {
    {.key = "method",
     .type = GANNET_TEXT,
     .offset = offsetof(gannet_method_options, method),
     .fallback = "auto",
     .help = "how points are proposed; `gannet list methods` shows all",
     .example = "neural-bo"},
    {.key = "initial",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_method_options, initial),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .lower = 1,
     .upper = 1e6,
     .help = "points of a scrambled Sobol sequence before the first model; auto = twice the number "
             "of encoded variables, at least 4, at most 64"},
    {.key = "transform",
     .type = GANNET_CHOICE,
     .offset = offsetof(gannet_method_options, transform),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .choices = transforms,
     .help =
         "monotone transform of the objective before a model sees it; auto = log unless the noise "
         "is given and not zero"},
    {.key = "refit",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_method_options, refit),
     .fallback = "0.1",
     .lower = 0,
     .upper = 10,
     .help = "hyper-parameters are learnt again when the number of observations has grown by this "
             "share"},
    {0},
};

const gannet_option gannet_surrogate_choice_table[] = {
    {.key = "type",
     .type = GANNET_TEXT,
     .offset = offsetof(gannet_surrogate_choice, type),
     .fallback = "tangent-kernel",
     .help = "model of the objective and of each constraint; `gannet list surrogates` shows all"},
    {0},
};

const gannet_option gannet_acquisition_choice_table[] = {
    {.key = "type",
     .type = GANNET_TEXT,
     .offset = offsetof(gannet_acquisition_choice, type),
     .fallback = "thompson",
     .help = "what decides where to evaluate next; `gannet list acquisitions` shows all; sobol and "
             "random need no model"},
    {.key = "exploration",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_acquisition_choice, exploration),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .lower = 0,
     .upper = 1000,
     .help = "factor on the model's uncertainty; auto = calibrated by leave-one-out residuals"},
    {.key = "constraints",
     .type = GANNET_CHOICE,
     .offset = offsetof(gannet_acquisition_choice, rule),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .choices = rules,
     .help = "how models of constraints enter: draws of them decide, their probability of being "
             "satisfied is a factor, or their lower confidence bounds must be satisfied; auto = "
             "draws where the acquisition is made of draws, else probability"},
    {0},
};

const gannet_option gannet_search_table[] = {
    {.key = "candidates",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_search_options, candidates),
     .fallback = "10000",
     .lower = 1,
     .upper = 1e9,
     .help = "numbered candidates that are scored for every batch, shared out over the ranks"},
    {.key = "local",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_search_options, local),
     .fallback = "0.5",
     .lower = 0,
     .upper = 1,
     .help = "share of the candidates that perturb the best points found; the others fill the box"},
    {.key = "centers",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_search_options, centers),
     .fallback = "4",
     .lower = 1,
     .upper = 1000,
     .help = "number of best points that are perturbed"},
    {.key = "starts",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_search_options, starts),
     .fallback = "4",
     .lower = 1,
     .upper = 200,
     .help = "candidates per proposed point from which a gradient polish starts"},
    {.key = "polish",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_search_options, polish),
     .fallback = "60",
     .lower = 0,
     .upper = 1e6,
     .help = "most gradient evaluations per polish; 0 = none"},
    {0},
};

/* Settings whose dotted key starts with a section, with the section cut off. */
static gannet_err settings_of(const char *section, int n, const gannet_setting *all,
                              const char *skip, gannet_setting **part, int *n_part) {
  const size_t length = strlen(section);
  *n_part = 0;
  GANNET_TRY(gannet_alloc((size_t)n + 1, sizeof **part, part));
  for (int i = 0; i < n; ++i) {
    gannet_setting one = all[i];
    if (length > 0) {
      if (strncmp(one.key, section, length) != 0 || one.key[length] != '.') continue;
      one.key += length + 1;
    } else if (strchr(one.key, '.')) {
      continue;
    }
    if (skip && strcmp(one.key, skip) == 0) continue;
    (*part)[(*n_part)++] = one;
  }
  return GANNET_OK;
}

static gannet_err apply(const gannet_option *table, const char *section, const char *const *skip,
                        int n, const gannet_setting *all, void *target,
                        gannet_complaints *complaints) {
  gannet_setting *part = NULL;
  int n_part = 0, kept = 0;
  GANNET_TRY(settings_of(section, n, all, NULL, &part, &n_part));
  for (int i = 0; i < n_part; ++i) {
    bool skipped = false;
    for (const char *const *s = skip; s && *s; ++s)
      skipped = skipped || strcmp(part[i].key, *s) == 0;
    if (!skipped) part[kept++] = part[i];
  }
  const gannet_err err =
      gannet_options_apply(table, *section ? section : NULL, kept, part, target, complaints);
  gannet_free(&part);
  return err;
}

/* The last setting of a key. */
static const gannet_setting *last_of(int n, const gannet_setting *all, const char *key) {
  for (int i = n - 1; i >= 0; --i)
    if (strcmp(all[i].key, key) == 0 && all[i].text) return &all[i];
  return NULL;
}

static void complain_name(const gannet_setting *setting, const char *key,
                          gannet_complaints *complaints) {
  gannet_complain(complaints, setting ? setting->where : NULL, "%s: %s", key,
                  gannet_error_message());
  gannet_error_clear();
}

static gannet_err parse_surrogate(int n, const gannet_setting *all,
                                  gannet_optimizer_options *options,
                                  gannet_complaints *complaints) {
  static const char *const own[] = {"type", NULL};
  const gannet_setting *type = last_of(n, all, "surrogate.type");
  const char *name = type ? type->text : gannet_surrogate_choice_table[0].fallback;
  if (gannet_surrogate_find(name, &options->surrogate_type) != GANNET_OK) {
    complain_name(type, "surrogate.type", complaints);
    return GANNET_OK;
  }
  GANNET_TRY(gannet_alloc(1, options->surrogate_type->options_size, &options->surrogate_options));
  return apply(options->surrogate_type->options, "surrogate", own, n, all,
               options->surrogate_options, complaints);
}

/* Draws of constraints belong to draws of the objective, probabilities and bounds to moments. */
static void choose_rule(const gannet_setting *setting, gannet_optimizer_options *options,
                        gannet_complaints *complaints) {
  const bool moments = options->acq_type->kind == GANNET_ACQ_MOMENTS;
  int *rule = &options->acquisition.rule;
  if (*rule == GANNET_RULE_AUTO) *rule = moments ? GANNET_RULE_PROBABILITY : GANNET_RULE_DRAWS;
  if (moments != (*rule == GANNET_RULE_DRAWS)) return;
  gannet_complain(complaints, setting ? setting->where : NULL,
                  "acquisition.constraints: '%s' does not go with acquisition '%s', expected %s",
                  rules[*rule], options->acq_type->name,
                  moments ? "probability or bounds" : "draws");
}

static gannet_err parse_acquisition(int n, const gannet_setting *all,
                                    gannet_optimizer_options *options,
                                    gannet_complaints *complaints) {
  static const char *const own[] = {"type", "exploration", "constraints", NULL};
  static const char *const keys[] = {"acquisition.type", "acquisition.exploration",
                                     "acquisition.constraints", NULL};
  gannet_setting part[3];
  int n_part = 0;
  const gannet_setting *type = last_of(n, all, keys[0]);
  for (int k = 0; keys[k]; ++k) {
    const gannet_setting *one = last_of(n, all, keys[k]);
    if (one) part[n_part] = *one, part[n_part++].key = own[k];
  }
  GANNET_TRY(gannet_options_apply(gannet_acquisition_choice_table, "acquisition", n_part, part,
                                  &options->acquisition, complaints));
  const char *name = options->acquisition.type;
  options->proposer = GANNET_PROPOSE_MODEL;
  if (strcmp(name, "sobol") == 0) options->proposer = GANNET_PROPOSE_SOBOL;
  if (strcmp(name, "random") == 0) options->proposer = GANNET_PROPOSE_RANDOM;
  if (options->proposer != GANNET_PROPOSE_MODEL) return GANNET_OK;
  if (gannet_acq_find(name, &options->acq_type) != GANNET_OK) {
    complain_name(type, "acquisition.type", complaints);
    return GANNET_OK;
  }
  choose_rule(last_of(n, all, keys[2]), options, complaints);
  static const gannet_option nothing[] = {{0}};
  GANNET_TRY(gannet_alloc(1, options->acq_type->options_size, &options->acq_options));
  return apply(options->acq_type->options ? options->acq_type->options : nothing, "acquisition",
               own, n, all, options->acq_options, complaints);
}

static void complain_sections(int n, const gannet_setting *all, gannet_complaints *complaints) {
  static const char *const sections[] = {"surrogate", "acquisition", "search", NULL};
  for (int i = 0; i < n; ++i) {
    const char *dot = strchr(all[i].key, '.');
    bool known = !dot;
    for (int s = 0; dot && sections[s]; ++s)
      known = known || (strlen(sections[s]) == (size_t)(dot - all[i].key) &&
                        strncmp(sections[s], all[i].key, (size_t)(dot - all[i].key)) == 0);
    if (known) continue;
    gannet_complain(complaints, all[i].where,
                    "unknown key '%s'; known sections: surrogate acquisition search", all[i].key);
  }
}

/* Told at the start, not when a campaign has grown into it. */
static void complain_sd(int n, const gannet_setting *all, const gannet_optimizer_options *options,
                        gannet_complaints *complaints) {
  const gannet_surrogate_type *type = options->surrogate_type;
  if (!options->acq_type || options->acq_type->kind == GANNET_ACQ_DRAWS) return;
  if (!type || !type->no_sd || !options->surrogate_options) return;
  const char *why = type->no_sd(options->surrogate_options);
  const gannet_setting *factor = last_of(n, all, "surrogate.factor");
  if (why)
    gannet_complain(complaints, factor ? factor->where : NULL, "acquisition '%s': %s",
                    options->acq_type->name, why);
}

static gannet_err parse_all(int n, const gannet_setting *all, gannet_optimizer_options *options,
                            gannet_complaints *complaints) {
  GANNET_TRY(apply(gannet_method_table, "", NULL, n, all, &options->method, complaints));
  GANNET_TRY(apply(gannet_search_table, "search", NULL, n, all, &options->search, complaints));
  GANNET_TRY(parse_surrogate(n, all, options, complaints));
  GANNET_TRY(parse_acquisition(n, all, options, complaints));
  complain_sd(n, all, options, complaints);
  return GANNET_OK;
}

gannet_err gannet_optimizer_options_parse(int n, const gannet_setting *settings,
                                          gannet_optimizer_options *options,
                                          gannet_complaints *complaints) {
  const gannet_setting *chosen = last_of(n, settings, "method");
  const gannet_method *method = gannet_methods[0];
  gannet_setting *all = NULL;
  int n_defaults = 0;
  memset(options, 0, sizeof *options);
  if (chosen && gannet_method_find(chosen->text, &method) != GANNET_OK)
    complain_name(chosen, "method", complaints);
  complain_sections(n, settings, complaints);
  while (method->defaults[n_defaults].key) ++n_defaults;
  GANNET_TRY(gannet_alloc((size_t)(n + n_defaults), sizeof *all, &all));
  memcpy(all, method->defaults, (size_t)n_defaults * sizeof *all);
  if (n > 0) memcpy(all + n_defaults, settings, (size_t)n * sizeof *all);
  const gannet_err err = parse_all(n + n_defaults, all, options, complaints);
  gannet_free(&all);
  return err;
}

void gannet_optimizer_options_release(gannet_optimizer_options *options) {
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
  gannet_options_release(gannet_acquisition_choice_table, &options->acquisition,
                         sizeof options->acquisition);
  memset(options, 0, sizeof *options);
}

typedef struct {
  void (*visit)(void *user, const char *key, const char *text, const gannet_option *option);
  void *user;
} visitor;

static void visit_table(const visitor *v, const char *section, const gannet_option *table,
                        const void *target) {
  for (; table && table->key; ++table) {
    char key[128], text[4096];
    (void)snprintf(key, sizeof key, "%s%s%s", section, *section ? "." : "", table->key);
    (void)gannet_option_format(table, target, text, sizeof text);
    v->visit(v->user, key, text, table);
  }
}

void gannet_optimizer_options_visit(const gannet_optimizer_options *options,
                                    void (*visit)(void *user, const char *key, const char *text,
                                                  const gannet_option *option),
                                    void *user) {
  const visitor v = {visit, user};
  visit_table(&v, "", gannet_method_table, &options->method);
  visit_table(&v, "acquisition", gannet_acquisition_choice_table, &options->acquisition);
  if (options->proposer != GANNET_PROPOSE_MODEL) return;
  if (options->acq_options)
    visit_table(&v, "acquisition", options->acq_type->options, options->acq_options);
  v.visit(v.user, "surrogate.type", options->surrogate_type->name, gannet_surrogate_choice_table);
  visit_table(&v, "surrogate", options->surrogate_type->options, options->surrogate_options);
  visit_table(&v, "search", gannet_search_table, &options->search);
}
