#include "cli/words.h"

#include <string.h>

#include "acquisition/acquisition.h"
#include "campaign/tables/table.h"
#include "cli/init.h"
#include "evaluate/evaluator.h"
#include "optimizer/methods.h"
#include "report/report.h"
#include "simulations/registry.h"
#include "surrogate/surrogate.h"

/* Entries whose first member is their name, as all registries have them. */
#define PUT_NAMES(table, out) \
  for (int i = 0; (table)[i]; ++i) (void)fprintf(out, " %s", (table)[i]->name)

static void put_texts(const char *const *texts, FILE *out) {
  for (; *texts; ++texts) (void)fprintf(out, " %s", *texts);
}

static void put_methods(FILE *out) {
  PUT_NAMES(gannet_methods, out);
}

static void put_backends(FILE *out) {
  PUT_NAMES(gannet_evaluator_types, out);
}

static void put_simulations(FILE *out) {
  PUT_NAMES(gannet_simulations, out);
}

static void put_surrogates(FILE *out) {
  PUT_NAMES(gannet_surrogate_types, out);
}

static void put_acquisitions(FILE *out) {
  PUT_NAMES(gannet_acq_types, out);
}

static void put_goals(FILE *out) {
  gannet_section section;
  for (int i = 0; gannet_schema_get(i, &section); ++i) {
    const bool own = !*section.path && section.table;
    const gannet_option *goal = own ? gannet_option_find(section.table, "goal") : NULL;
    if (goal) put_texts(goal->choices, out);
  }
}

static void put_formats(FILE *out) {
  put_texts(gannet_format_names, out);
}

static void put_pictures(FILE *out) {
  put_texts(gannet_report_format_names, out);
}

static void put_ways(FILE *out) {
  PUT_NAMES(init_scripts, out);
  (void)fputs(" none", out);
}

static void put_families(FILE *out) {
  put_texts(cli_list_families, out);
}

static void put_pages(FILE *out) {
  (void)fputs(" gannet campaign", out);
  PUT_NAMES(cli_commands, out);
}

static void put_shells(FILE *out) {
  put_texts(cli_shells, out);
}

static void put_key(void *user, const gannet_section *section, const gannet_option *option,
                    const char *key) {
  (void)section;
  (void)option;
  (void)fprintf(user, " %s", key);
}

static void put_keys(FILE *out) {
  cli_visit_keys(gannet_schema_get, put_key, out);
}

bool cli_put_words(const char *name, FILE *out) {
  static const struct {
    const char *name;
    void (*put)(FILE *out);
  } kinds[] = {{"METHOD", put_methods}, {"BACKEND", put_backends}, {"SIMULATION", put_simulations},
               {"GOAL", put_goals},     {"FORMAT", put_formats},   {"PICTURES", put_pictures},
               {"WAY", put_ways},       {"FAMILY", put_families},  {"KEY", put_keys},
               {"PAGE", put_pages},     {"SHELL", put_shells}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (strcmp(kinds[i].name, name) == 0) {
      kinds[i].put(out);
      return true;
    }
  return false;
}

bool cli_put_values(const char *section, const gannet_option *option, FILE *out) {
  static const struct {
    const char *section, *key;
    void (*put)(FILE *out);
  } names[] = {{"", "method", put_methods},
               {"evaluate", "backend", put_backends},
               {"evaluate", "simulation", put_simulations},
               {"surrogate", "type", put_surrogates},
               {"acquisition", "type", put_acquisitions}};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strcmp(names[i].section, section) == 0 && strcmp(names[i].key, option->key) == 0) {
      names[i].put(out);
      return true;
    }
  if (option->type == GANNET_BOOLEAN) (void)fputs(" true false", out);
  if (option->type == GANNET_CHOICE) put_texts(option->choices, out);
  if (option->type == GANNET_CHOICE && (option->flags & GANNET_OPTION_AUTO))
    (void)fputs(" auto", out);
  return option->type == GANNET_BOOLEAN || option->type == GANNET_CHOICE;
}

/* Whether an earlier entry of the same section has the key: back-ends and models share some. */
static bool is_repeated(gannet_schema schema, int at, const gannet_section *section,
                        const char *key) {
  gannet_section earlier;
  for (int i = 0; i < at && schema(i, &earlier); ++i)
    if (strcmp(earlier.path, section->path) == 0 && earlier.table &&
        gannet_option_find(earlier.table, key))
      return true;
  return false;
}

void cli_visit_keys(gannet_schema schema, cli_key_visitor visit, void *user) {
  gannet_section section;
  char key[256];
  for (int i = 0; schema(i, &section); ++i) {
    if (strchr(section.path, '*')) continue;
    if (section.path[0] && !section.choice) visit(user, &section, NULL, section.path);
    for (const gannet_option *o = section.table; o && o->key; ++o) {
      if (o->renamed || is_repeated(schema, i, &section, o->key)) continue;
      (void)snprintf(key, sizeof key, "%s%s%s", section.path, section.path[0] ? "." : "", o->key);
      visit(user, &section, o, key);
    }
  }
}
