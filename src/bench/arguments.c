/* Command line of the benchmark program. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "bench/bench.h"

/* Pieces of list values, and the texts they point into. */
typedef struct {
  int n_items, n_settings;
  const char **item;       /* [n_items] */
  char **text;             /* [argc] copies that are cut at commas and renamed keys */
  gannet_setting *setting; /* [n_settings] */
  int n_texts;
} parsed;

static bool is_list(const gannet_option *option) {
  return option->type == GANNET_TEXT_LIST || option->type == GANNET_REAL_LIST;
}

static gannet_err copy(parsed *p, const char *text, char **made) {
  GANNET_TRY(gannet_copy_text(text, &p->text[p->n_texts]));
  *made = p->text[p->n_texts++];
  return GANNET_OK;
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
  p->setting[p->n_settings] = (gannet_setting){.key = key, .where = "command line"};
  return &p->setting[p->n_settings++];
}

/* Every occurrence of one list must be contiguous in p->item: so list by list. */
static gannet_err read_key(parsed *p, const bench_type *type, int argc, char **argv, int at) {
  char *key = NULL, *value = NULL;
  GANNET_TRY(copy(p, argv[at] + 2, &key));
  for (char *c = key; *c; ++c)
    if (*c == '-') *c = '_';
  const gannet_option *option = gannet_option_find(type->options, key);
  for (int i = 0; i < p->n_settings; ++i)
    if (strcmp(p->setting[i].key, key) == 0 && p->setting[i].n_items > 0) return GANNET_OK;
  gannet_setting *setting = setting_of(p, key);
  if (!option || !is_list(option)) {
    setting->text = argv[at + 1];
    return GANNET_OK;
  }
  for (int i = at; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], argv[at]) != 0) continue;
    GANNET_TRY(copy(p, argv[i + 1], &value));
    add_items(p, setting, value);
  }
  return GANNET_OK;
}

static gannet_err read_all(parsed *p, const bench_type *type, int argc, char **argv,
                           void *settings) {
  size_t commas = 0;
  gannet_complaints complaints = {0};
  for (int i = 0; i < argc; ++i)
    for (const char *c = argv[i]; *c; ++c) commas += *c == ',';
  GANNET_TRY(gannet_alloc(commas + (size_t)argc, sizeof *p->item, &p->item));
  GANNET_TRY(gannet_alloc(2 * (size_t)argc, sizeof *p->text, &p->text));
  GANNET_TRY(gannet_alloc((size_t)argc, sizeof *p->setting, &p->setting));
  for (int i = 0; i < argc; i += 2) {
    GANNET_REQUIRE(strncmp(argv[i], "--", 2) == 0, GANNET_ERR_INPUT,
                   "'%s' is not an option; expected --key value, lists as a,b; --help shows all",
                   argv[i]);
    GANNET_REQUIRE(i + 1 < argc, GANNET_ERR_INPUT, "%s needs a value; --help shows which", argv[i]);
    GANNET_TRY(read_key(p, type, argc, argv, i));
  }
  gannet_err err =
      gannet_options_apply(type->options, NULL, p->n_settings, p->setting, settings, &complaints);
  if (err == GANNET_OK) err = gannet_complaints_raise(&complaints);
  gannet_complaints_release(&complaints);
  return err;
}

gannet_err bench_parse(const bench_type *type, int argc, char **argv, void *settings) {
  parsed p = {0};
  const gannet_err err = read_all(&p, type, argc, argv, settings);
  for (int i = 0; i < p.n_texts; ++i) gannet_free(&p.text[i]);
  gannet_free(&p.text);
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
    for (const gannet_option *o = bench_types[i]->options; o->key; ++o) print_flag(o);
    (void)printf("\n");
  }
}
