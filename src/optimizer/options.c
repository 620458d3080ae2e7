#include "optimizer/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "problem/quantities.h"

static const char *const transforms[] = {"none", "log", "log-then-none", NULL};
const char *const gannet_constraint_rule_names[] = {"draws", "probability", "bounds", "inside",
                                                    NULL};

const char *const gannet_proposer_names[] = {"", "sobol", "random", "quadratic", "lq-cma", NULL};
static const char *const growths[] = {"none", "log", "neural-bo", "neural-cbo", "gp-ucb", NULL};

const gannet_option gannet_method_table[] = {
    {.key = "method",
     .type = GANNET_TEXT,
     .offset = offsetof(gannet_method_options, method),
     .fallback = "auto",
     .help = "how points are proposed; `gannet list methods` shows all",
     .example = "neural-bo"},
    {.key = "portfolio",
     .type = GANNET_TEXT,
     .offset = offsetof(gannet_method_options, portfolio),
     .help = "methods that share the evaluations; each learns from all results",
     .example = "[gp-ei, neural-bo]"},
    {.key = "initial",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_method_options, initial),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .lower = 1,
     .upper = 1e6,
     .help = "points of a scrambled Sobol sequence before the first model; auto = twice the number "
             "of encoded variables, or in a portfolio and with several objectives one more than "
             "this number; at least 4, at most 64",
     .example = "16",
     .unit = "points"},
    {.key = "initial_span",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_method_options, initial_span),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO | GANNET_OPTION_OPEN_LOW,
     .lower = 0,
     .upper = 1,
     .unit = "ranges of the variables",
     .help = "side length of the box around the middle that contains these points; 1 = the whole "
             "box; auto = 0.3 in a portfolio with four or more encoded variables, else 1",
     .example = "0.3"},
    {.key = "penalties",
     .type = GANNET_BOOLEAN,
     .offset = offsetof(gannet_method_options, penalties),
     .fallback = "yes",
     .help = "treat penalties, such as 1e10 for a solver that diverged, as failures of the design: "
             "the worst value, if three or more results have it, exactly or nearly, and all others "
             "are far from it; no = every value counts as it is"},
    {.key = "replicates",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_method_options, replicates),
     .fallback = "1",
     .flags = GANNET_OPTION_AUTO,
     .lower = 1,
     .upper = 100,
     .help = "how often every design is run, for noisy results; each run is an evaluation, and "
             "designs are compared by the means of their runs; auto = once, and the most promising "
             "designs again",
     .example = "3",
     .unit = "evaluations"},
    {.key = "transform",
     .type = GANNET_CHOICE,
     .offset = offsetof(gannet_method_options, transform),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .choices = transforms,
     .help = "monotone transform of the objective for the models; log-then-none = log until the "
             "best results lie at one place, then none, so that other basins are searched; auto = "
             "log, unless a noise above 0 is given",
     .example = "log"},
    {.key = "refit",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_method_options, refit),
     .fallback = "0.1",
     .lower = 0,
     .upper = 10,
     .help = "hyperparameters are learnt again when the number of observations has grown by this "
             "fraction"},
    {.key = "least_batch",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_method_options, least_batch),
     .fallback = "1",
     .lower = 1,
     .upper = 1e6,
     .unit = "points",
     .help = "a member of a portfolio proposes nothing while fewer points than this are requested "
             "and running together, unless it is the only member"},
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

static const char *const draws_uses[] = {"polished", "adaptive", NULL};

const gannet_option gannet_acquisition_choice_table[] = {
    {.key = "type",
     .type = GANNET_TEXT,
     .offset = offsetof(gannet_acquisition_choice, type),
     .fallback = "thompson",
     .help = "what decides where to evaluate next; `gannet list acquisitions` shows all; sobol, "
             "random, quadratic and lq-cma need no surrogate"},
    {.key = "exploration",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_acquisition_choice, exploration),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .lower = 0,
     .upper = 1000,
     .help = "factor on the model's uncertainty; auto = calibrated by leave-one-out residuals",
     .example = "2"},
    {.key = "growth",
     .type = GANNET_CHOICE,
     .offset = offsetof(gannet_acquisition_choice, growth),
     .fallback = "none",
     .choices = growths,
     .help = "how that factor grows with the number t of observations; log = times "
             "sqrt(0.2 d log 2t), d the number of encoded variables; the others are those of the "
             "theorems, far wider than is good in practice, and meant for exploration 1: "
             "neural-bo = times sqrt(2 bound) + sqrt(2 log 1/delta), neural-cbo = times bound + "
             "sqrt(gain + 2 + 2 log 1/delta) with the information gain of the observations, "
             "gp-ucb = times sqrt(2 log(n t^2 pi^2 / (6 delta))) for n candidates"},
    {.key = "bound",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_acquisition_choice, bound),
     .fallback = "1",
     .lower = 0,
     .upper = 1e6,
     .unit = "prior standard deviations",
     .help = "bound on the norm of the function in the growth of a theorem"},
    {.key = "delta",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_acquisition_choice, delta),
     .fallback = "0.1",
     .lower = 0,
     .upper = 1,
     .flags = GANNET_OPTION_OPEN_LOW,
     .help = "probability with which the confidence bounds of a theorem may fail, in its growth"},
    {.key = "constraints",
     .type = GANNET_CHOICE,
     .offset = offsetof(gannet_acquisition_choice, rule),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .choices = gannet_constraint_rule_names,
     .help = "how models of constraints enter: draws of them decide, their probability of being "
             "satisfied is a factor, or their lower confidence bounds must be satisfied, which "
             "inside turns into upper bounds where they are well known; auto = draws where the "
             "acquisition is made of draws, else probability",
     .example = "probability"},
    {.key = "minimise",
     .type = GANNET_CHOICE,
     .offset = offsetof(gannet_acquisition_choice, draws),
     .fallback = "polished",
     .choices = draws_uses,
     .help =
         "polished: every draw is minimised by gradients from its best candidates; adaptive: by "
         "gradients or over the candidates alone, as it is or with less of its deviation from "
         "the mean, in shares by what these ways gained lately"},
    {0},
};

static const char *const precision_names[] = {"single", "double", "exact", NULL};

const gannet_option gannet_search_table[] = {
    {.key = "candidates",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_search_options, candidates),
     .fallback = "10000",
     .lower = 1,
     .upper = 1e9,
     .help = "numbered candidates that are scored for every batch, shared among the ranks"},
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
     .help = "candidates per proposed point from which a polish by gradients starts"},
    {.key = "sweeps",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_search_options, sweeps),
     .fallback = "0",
     .lower = 0,
     .upper = 1000,
     .help = "largest number of rounds in which the best candidate of a draw is moved along one "
             "coordinate after the other, over the whole box, before it is polished"},
    {.key = "polish",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_search_options, polish),
     .fallback = "60",
     .lower = 0,
     .upper = 1e6,
     .help = "largest number of gradient evaluations per polish; 0 = none"},
    {.key = "precision",
     .type = GANNET_CHOICE,
     .offset = offsetof(gannet_search_options, precision),
     .fallback = "single",
     .choices = precision_names,
     .flags = GANNET_OPTION_HIDDEN | GANNET_OPTION_IDLE,
     .help = "nothing: candidates are estimated in double precision"},
    {.key = "exact",
     .type = GANNET_BOOLEAN,
     .offset = offsetof(gannet_search_options, exact),
     .fallback = "no",
     .flags = GANNET_OPTION_HIDDEN,
     .help = "whether all candidates are scored, for tests; the points are the same"},
    {0},
};

static void complain_sections(int n, const gannet_setting *all, gannet_complaints *complaints) {
  static const char *const sections[] = {"surrogate", "acquisition", "region", "search",
                                         "cost",      "budget",      NULL};
  for (int i = 0; i < n; ++i) {
    bool known = !strchr(all[i].key, '.');
    for (int s = 0; !known && sections[s]; ++s)
      known = gannet_key_in_section(sections[s], all[i].key) != NULL;
    if (known) continue;
    gannet_complain(complaints, all[i].location,
                    "unknown key '%s'; known sections: surrogate acquisition region search cost "
                    "budget",
                    all[i].key);
  }
}

/* Settings of models when no member has one. */
static void complain_unused(int n, const gannet_setting *settings,
                            const gannet_optimizer_options *options,
                            gannet_complaints *complaints) {
  for (int k = 0; k < options->n_members; ++k)
    if (options->member[k].proposer == GANNET_PROPOSE_MODEL) return;
  for (int i = 0; i < n && options->n_members > 0; ++i) {
    const gannet_setting *one = &settings[i];
    const bool of_model = gannet_key_in_section("surrogate", one->key) ||
                          (gannet_key_in_section("acquisition", one->key) &&
                           strcmp(one->key, "acquisition.type") != 0);
    if (of_model && one->text &&
        !gannet_setting_is_default(one, "acquisition", gannet_acquisition_choice_table))
      gannet_complain(complaints, one->location,
                      "%s: method '%s' has neither a surrogate nor an acquisition function, so "
                      "this would change nothing; leave it out, or choose another method (gannet "
                      "list methods)",
                      one->key, options->method.method);
  }
}

bool gannet_method_key_is_of_whole(const char *key) {
  static const char *const keys[] = {"method",       "portfolio", "initial",
                                     "initial_span", "penalties", "replicates"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i)
    if (strcmp(keys[i], key) == 0) return true;
  return false;
}

static gannet_err keep_given(int n, const gannet_setting *settings,
                             gannet_optimizer_options *options) {
  GANNET_TRY(gannet_alloc((size_t)n + 1, sizeof *options->given, &options->given));
  for (int i = 0; i < n; ++i) {
    if (!settings[i].text || gannet_method_key_is_of_whole(settings[i].key)) continue;
    gannet_given_setting *one = &options->given[options->n_given++];
    GANNET_TRY(gannet_copy_text(settings[i].key, &one->key));
    GANNET_TRY(gannet_copy_text(settings[i].text, &one->text));
  }
  return GANNET_OK;
}

static bool chooses_parts(int n, const gannet_setting *settings) {
  return gannet_setting_last(n, settings, "surrogate.type") ||
         gannet_setting_last(n, settings, "acquisition.type");
}

/* The user's settings after those of a row. */
static gannet_err parse_member(const gannet_method *row, int n, const gannet_setting *settings,
                               gannet_optimizer_options *options, gannet_complaints *complaints) {
  const bool lenient = options->method.portfolio && !chooses_parts(n, settings);
  gannet_setting *all = NULL;
  int n_row = 0, n_all = 0;
  GANNET_REQUIRE(options->n_members < GANNET_MEMBERS_MOST, GANNET_ERR_ARG,
                 "method '%s' does not fit into a portfolio of %d methods, which is the most",
                 row->name, options->n_members);
  gannet_member_options *member = &options->member[options->n_members++];
  while (row->defaults[n_row].key) ++n_row;
  GANNET_TRY(gannet_alloc((size_t)(n + n_row) + 1, sizeof *all, &all));
  for (int i = 0; i < n_row; ++i)
    if (strcmp(row->defaults[i].key, "portfolio") != 0) all[n_all++] = row->defaults[i];
  n_row = n_all;
  for (int i = 0; i < n; ++i)
    if (strcmp(settings[i].key, "method") != 0 && strcmp(settings[i].key, "portfolio") != 0)
      all[n_all++] = settings[i];
  all[n_all++] = (gannet_setting){.key = "method", .text = row->name};
  const gannet_err err =
      gannet_member_options_parse(n_all, all, n_row, lenient, member, complaints);
  gannet_free(&all);
  return err;
}

static bool next_name(const char **rest, char *name, size_t size) {
  static const char between[] = "[], ;";
  const char *start = *rest + strspn(*rest, between);
  const size_t length = strcspn(start, between);
  (void)snprintf(name, size, "%.*s", (int)length, start);
  *rest = start + length;
  return length > 0;
}

static gannet_err parse_portfolio(int n, const gannet_setting *settings,
                                  gannet_optimizer_options *options,
                                  gannet_complaints *complaints) {
  const gannet_setting *given = gannet_setting_last(n, settings, "portfolio");
  const bool one_only = chooses_parts(n, settings);
  const char *rest = options->method.portfolio;
  char name[64];
  while (next_name(&rest, name, sizeof name) && !(one_only && options->n_members == 1)) {
    const gannet_method *row = NULL;
    if (options->n_members == GANNET_MEMBERS_MOST) {
      gannet_complain(complaints, given ? given->location : NULL,
                      "portfolio: expected at most %d methods", GANNET_MEMBERS_MOST);
      return GANNET_OK;
    }
    if (gannet_method_find(name, &row) != GANNET_OK)
      gannet_setting_complain(given, "portfolio", complaints);
    else if (gannet_method_portfolio(row))
      gannet_complain(complaints, given ? given->location : NULL,
                      "portfolio: '%s' is a portfolio itself; name its methods instead", name);
    else
      GANNET_TRY(parse_member(row, n, settings, options, complaints));
  }
  if (options->n_members == 0 && complaints->count == 0)
    gannet_complain(complaints, given ? given->location : NULL,
                    "portfolio: no method in '%s'; expected some as in [gp-ei, neural-bo]",
                    options->method.portfolio);
  if (!one_only) gannet_portfolio_complain_unknown(n, settings, options, complaints);
  return keep_given(n, settings, options);
}

/* "[a, b]" with a further name, before the last one or behind it. */
static gannet_err name_another(const char *method, bool before, char **portfolio) {
  const char *last = before ? strrchr(*portfolio, ',') : NULL;
  const size_t length = last ? (size_t)(last - *portfolio) : strcspn(*portfolio, "]");
  const size_t size = strlen(*portfolio) + strlen(method) + 4;
  char *text = NULL;
  GANNET_TRY(gannet_alloc(size, 1, &text));
  (void)snprintf(text, size, "%.*s, %s%s", (int)length, *portfolio, method, last ? last : "]");
  gannet_free(portfolio);
  *portfolio = text;
  return GANNET_OK;
}

gannet_err gannet_optimizer_options_join(gannet_optimizer_options *options, const char *method,
                                         gannet_complaints *complaints) {
  const gannet_method *row = NULL;
  gannet_setting *settings = NULL;
  GANNET_TRY(gannet_method_find(method, &row));
  GANNET_TRY(gannet_alloc((size_t)options->n_given + 1, sizeof *settings, &settings));
  for (int i = 0; i < options->n_given; ++i)
    settings[i] = (gannet_setting){.key = options->given[i].key,
                                   .text = options->given[i].text,
                                   .location = options->given[i].key};
  gannet_err err = parse_member(row, options->n_given, settings, options, complaints);
  /* An evolution strategy stays the last: random numbers of the others depend on their places. */
  gannet_member_options *last = &options->member[options->n_members - 1];
  const bool before = options->n_members > 1 && last[-1].proposer == GANNET_PROPOSE_EVOLUTION;
  if (err == GANNET_OK && before) {
    const gannet_member_options evolution = last[-1];
    last[-1] = *last;
    *last = evolution;
  }
  if (err == GANNET_OK && options->method.portfolio)
    err = name_another(method, before, &options->method.portfolio);
  gannet_free(&settings);
  return err;
}

/* Complain about a key without a section that only a section has, and about a section in the place
 * of its keys. */
static bool complain_place(const gannet_setting *setting, gannet_complaints *complaints) {
  const struct {
    const char *section;
    const gannet_option *table;
  } of[] = {{"region", gannet_region_table},
            {"search", gannet_search_table},
            {"acquisition", gannet_acquisition_choice_table},
            {"surrogate", gannet_surrogate_choice_table},
            {"cost", gannet_cost_table}};
  if (gannet_option_find(gannet_method_table, setting->key)) return false;
  for (size_t i = 0; i < sizeof of / sizeof *of; ++i) {
    const bool is_section = strcmp(setting->key, of[i].section) == 0;
    const gannet_option *option =
        is_section ? of[i].table : gannet_option_find(of[i].table, setting->key);
    if (!option || (!is_section && option->flags & GANNET_OPTION_HIDDEN)) continue;
    gannet_complain(complaints, setting->location,
                    is_section
                        ? "%s: a section has no value of its own; expected a key of it, as in %s.%s"
                        : "unknown key '%s'; its place is '%s.%s'",
                    setting->key, of[i].section, option->key);
    return true;
  }
  /* Not batch and noise, which are no settings, but arguments of a call and of the problem. */
  if (strcmp(setting->key, "batch") == 0 || strcmp(setting->key, "noise") == 0) return false;
  for (int i = 0; gannet_surrogate_types[i]; ++i) {
    const gannet_option *table = gannet_surrogate_types[i]->options;
    if (!table || !gannet_option_find(table, setting->key)) continue;
    gannet_complain(complaints, setting->location, "unknown key '%s'; its place is 'surrogate.%s'",
                    setting->key, setting->key);
    return true;
  }
  return false;
}

/* The keys of the whole, of which the row may set some. */
static gannet_err parse_whole(const gannet_method *row, int n, const gannet_setting *settings,
                              gannet_optimizer_options *options, gannet_complaints *complaints) {
  gannet_setting *all = NULL;
  int n_all = 0;
  GANNET_TRY(gannet_alloc((size_t)n + GANNET_METHOD_DEFAULTS, sizeof *all, &all));
  for (const gannet_setting *s = row->defaults; s->key; ++s)
    if (!strchr(s->key, '.')) all[n_all++] = *s;
  for (int i = 0; i < n; ++i)
    if (!strchr(settings[i].key, '.')) all[n_all++] = settings[i];
  const gannet_err err =
      gannet_options_apply(gannet_method_table, NULL, n_all, all, &options->method, complaints);
  gannet_free(&all);
  return err;
}

bool gannet_member_options_weigh(const gannet_member_options *member) {
  return member->acq_type && member->acq_type->gain != GANNET_ACQ_NO_GAIN;
}

bool gannet_optimizer_options_use_related(const gannet_optimizer_options *options, bool several) {
  bool any = false;
  for (int i = 0; i < options->n_members; ++i) {
    const gannet_acq_type *type = options->member[i].acq_type;
    any = any || (options->member[i].proposer == GANNET_PROPOSE_MODEL &&
                  !(several && type && type->scalarises));
  }
  return any;
}

/* The sections cost and budget. Of the methods of a portfolio some may weigh, but one must. */
static gannet_err parse_cost(int n, const gannet_setting *settings,
                             gannet_optimizer_options *options, gannet_complaints *complaints) {
  const gannet_setting *weigh = gannet_setting_last(n, settings, "cost.weigh");
  const gannet_setting *from = gannet_setting_last(n, settings, "cost.from");
  const int before = complaints->count;
  GANNET_TRY(gannet_settings_apply_section(gannet_cost_table, "cost", NULL, n, settings,
                                           &options->cost, complaints));
  GANNET_TRY(gannet_settings_apply_section(gannet_cost_limits_table, "budget", NULL, n, settings,
                                           &options->limits, complaints));
  if (complaints->count > before) return GANNET_OK;
  if (!gannet_quantity_is_name(options->cost.from))
    gannet_complain(complaints, from ? from->location : NULL,
                    "cost.from: '%.80s' is not the name of a quantity; expected time, or letters, "
                    "digits and '_', as in node_hours",
                    options->cost.from);
  bool can_weigh = !options->cost.weigh || options->n_members == 0;
  for (int i = 0; i < options->n_members && !can_weigh; ++i)
    can_weigh = gannet_member_options_weigh(&options->member[i]);
  const gannet_acq_type *acquisition = options->n_members > 0 ? options->member[0].acq_type : NULL;
  if (!can_weigh && options->n_members == 1)
    gannet_complain(
        complaints, weigh ? weigh->location : NULL,
        "cost.weigh: method '%.60s' cannot weigh gain by cost, as %s%.40s%s has no "
        "measure of gain; expected another method, as auto or gp-ei, or an acquisition such as "
        "log-ei, or weigh: no",
        options->method.method, acquisition ? "its acquisition '" : "it",
        acquisition ? acquisition->name : "", acquisition ? "'" : "");
  else if (!can_weigh)
    gannet_complain(
        complaints, weigh ? weigh->location : NULL,
        "cost.weigh: no method of %.200s can weigh gain by cost, as none has an "
        "acquisition with a measure of gain; expected one that has, as gp-ei, among them, "
        "or weigh: no",
        options->method.portfolio);
  return GANNET_OK;
}

/* Read the settings that are in their places. */
static gannet_err parse_placed(const gannet_method *method, bool was_sound, int n,
                               const gannet_setting *settings, gannet_optimizer_options *options,
                               gannet_complaints *complaints) {
  const int before = complaints->count;
  GANNET_TRY(gannet_alloc(GANNET_MEMBERS_MOST, sizeof *options->member, &options->member));
  GANNET_TRY(parse_whole(method, n, settings, options, complaints));
  if (options->method.portfolio)
    GANNET_TRY(parse_portfolio(n, settings, options, complaints));
  else
    GANNET_TRY(parse_member(method, n, settings, options, complaints));
  if (was_sound && complaints->count == before) complain_unused(n, settings, options, complaints);
  return parse_cost(n, settings, options, complaints);
}

gannet_err gannet_optimizer_options_parse(int n, const gannet_setting *settings,
                                          gannet_optimizer_options *options,
                                          gannet_complaints *complaints) {
  const gannet_setting *chosen = gannet_setting_last(n, settings, "method");
  const gannet_method *method = gannet_methods[0];
  const int before = complaints->count;
  gannet_setting *placed = NULL;
  int n_placed = 0;
  memset(options, 0, sizeof *options);
  if (chosen && gannet_method_find(chosen->text, &method) != GANNET_OK)
    gannet_setting_complain(chosen, "method", complaints);
  complain_sections(n, settings, complaints);
  GANNET_TRY(gannet_alloc((size_t)n + 1, sizeof *placed, &placed));
  for (int i = 0; i < n; ++i)
    if (!complain_place(&settings[i], complaints)) placed[n_placed++] = settings[i];
  const gannet_err err =
      parse_placed(method, complaints->count == before, n_placed, placed, options, complaints);
  gannet_free(&placed);
  return err;
}

gannet_err gannet_optimizer_options_own(int n, const gannet_setting *settings,
                                        gannet_optimizer_options *options) {
  gannet_complaints complaints = {0};
  gannet_err err = gannet_optimizer_options_parse(n, settings, options, &complaints);
  if (err == GANNET_OK) err = gannet_complaints_raise(&complaints);
  gannet_complaints_release(&complaints);
  return err;
}

void gannet_optimizer_options_release(gannet_optimizer_options *options) {
  for (int i = 0; i < options->n_members; ++i) gannet_member_options_release(&options->member[i]);
  for (int i = 0; i < options->n_given; ++i) {
    gannet_free(&options->given[i].key);
    gannet_free(&options->given[i].text);
  }
  gannet_free(&options->member);
  gannet_free(&options->given);
  gannet_options_release(gannet_method_table, &options->method, sizeof options->method);
  gannet_options_release(gannet_cost_table, &options->cost, sizeof options->cost);
  memset(options, 0, sizeof *options);
}
