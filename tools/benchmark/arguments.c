/* Command line of the benchmark program. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "benchmark/bench.h"

#define WHERE "command line"

/* "--key value" or "--key=value". */
typedef struct {
  char *key;   /* as in the option table */
  char *value; /* cut at commas when it is a list */
} pair;

/* Settings, and the texts they point into. */
typedef struct {
  int n_pairs, n_items, n_settings;
  pair *pair;
  const char **item; /* [n_items] */
  gannet_setting *setting;
} parsed;

static bool is_list(const gannet_option *option) {
  return option->type == GANNET_TEXT_LIST || option->type == GANNET_REAL_LIST;
}

static void add_items(parsed *p, gannet_setting *setting, char *value) {
  if (!setting->items) setting->items = p->item + p->n_items;
  const int n = gannet_list_cut(value, p->item + p->n_items);
  p->n_items += n;
  setting->n_items += n;
}

static gannet_setting *setting_of(parsed *p, const char *key) {
  for (int i = 0; i < p->n_settings; ++i)
    if (strcmp(p->setting[i].key, key) == 0) return &p->setting[i];
  p->setting[p->n_settings] = (gannet_setting){.key = key, .location = WHERE};
  return &p->setting[p->n_settings++];
}

/* Every occurrence of one list must be contiguous in p->item: so list by list. */
static void read_key(parsed *p, const bench_type *type, int at) {
  const char *key = p->pair[at].key;
  const gannet_option *option = gannet_option_find(type->options, key);
  gannet_setting *setting = setting_of(p, key);
  if (setting->n_items > 0) return;
  if (!option || !is_list(option)) {
    setting->text = p->pair[at].value;
    return;
  }
  for (int i = at; i < p->n_pairs; ++i)
    if (strcmp(p->pair[i].key, key) == 0) add_items(p, setting, p->pair[i].value);
}

static gannet_err add_pair(parsed *p, const char *flag, const char *value) {
  pair *one = &p->pair[p->n_pairs++];
  GANNET_TRY(gannet_copy_text(flag + 2, &one->key));
  one->key[strcspn(one->key, "=")] = '\0';
  for (char *c = one->key; *c; ++c)
    if (*c == '-') *c = '_';
  return gannet_copy_text(value, &one->value);
}

static gannet_err read_pairs(parsed *p, int argc, char **argv) {
  for (int i = 0; i < argc; ++i) {
    const char *flag = argv[i], *equals = strchr(flag, '=');
    GANNET_REQUIRE(strncmp(flag, "--", 2) == 0, GANNET_ERR_INPUT,
                   "'%s' is not an option; expected --key value, lists as a,b; --help shows all",
                   flag);
    GANNET_REQUIRE(equals || i + 1 < argc, GANNET_ERR_INPUT, "%s needs a value; --help shows which",
                   flag);
    GANNET_TRY(add_pair(p, flag, equals ? equals + 1 : argv[++i]));
  }
  return GANNET_OK;
}

/* Lists of numbers are counts in every benchmark, and would be cut off without a word. */
static void complain_fractions(const gannet_option *option, const void *settings,
                               gannet_complaints *complaints) {
  for (; option->key; ++option) {
    if (option->type != GANNET_REAL_LIST) continue;
    const char *member = (const char *)settings + option->offset;
    const gannet_real_list *list = (const gannet_real_list *)(const void *)member;
    for (int i = 0; i < list->n; ++i)
      if (list->item[i] != floor(list->item[i]))
        gannet_complain(complaints, WHERE, "%s: %.10g is not a whole number; give counts",
                        option->key, list->item[i]);
  }
}

static gannet_err apply(const parsed *p, const bench_type *type, void *settings) {
  gannet_complaints complaints = {0};
  gannet_err err =
      gannet_options_apply(type->options, NULL, p->n_settings, p->setting, settings, &complaints);
  if (err == GANNET_OK && complaints.count == 0)
    complain_fractions(type->options, settings, &complaints);
  if (err == GANNET_OK) err = gannet_complaints_raise(&complaints);
  gannet_complaints_release(&complaints);
  return err;
}

static gannet_err read_all(parsed *p, const bench_type *type, int argc, char **argv,
                           void *settings) {
  size_t commas = 0;
  for (int i = 0; i < argc; ++i)
    for (const char *c = argv[i]; *c; ++c) commas += *c == ',';
  GANNET_TRY(gannet_alloc(commas + (size_t)argc, sizeof *p->item, &p->item));
  GANNET_TRY(gannet_alloc((size_t)argc, sizeof *p->pair, &p->pair));
  GANNET_TRY(gannet_alloc((size_t)argc, sizeof *p->setting, &p->setting));
  GANNET_TRY(read_pairs(p, argc, argv));
  for (int i = 0; i < p->n_pairs; ++i) read_key(p, type, i);
  return apply(p, type, settings);
}

gannet_err bench_parse(const bench_type *type, int argc, char **argv, void *settings) {
  parsed p = {0};
  const gannet_err err = read_all(&p, type, argc, argv, settings);
  for (int i = 0; i < p.n_pairs; ++i) {
    gannet_free(&p.pair[i].key);
    gannet_free(&p.pair[i].value);
  }
  gannet_free(&p.pair);
  gannet_free(&p.item);
  gannet_free(&p.setting);
  return err;
}

static void print_flag(const gannet_option *option) {
  char flag[64], description[256];
  (void)snprintf(flag, sizeof flag, "%s", option->key);
  for (char *c = flag; *c; ++c)
    if (*c == '_') *c = '-';
  gannet_option_describe(option, description, sizeof description);
  (void)printf("  --%-18s %s\n  %20s %s", flag, option->help, "", description);
  if (option->fallback) (void)printf("; default %s", option->fallback);
  (void)printf("\n");
}

void bench_help(const bench_type *type) {
  if (!type) (void)printf("usage: gannet-bench NAME [--key value ...]\n\n");
  for (int i = 0; bench_types[i]; ++i) {
    if (type && bench_types[i] != type) continue;
    (void)printf("gannet-bench %s: %s\n", bench_types[i]->name, bench_types[i]->summary);
    for (const gannet_option *o = bench_types[i]->options; o->key; ++o)
      if (!o->renamed) print_flag(o);
    (void)printf("\n");
  }
}
