/* test: serial labels unit */
/* What is told about every key, of campaign files and of suite files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/config/explain.h"
#include "suite/keys.h"
#include "support/harness.h"

enum { LONGEST = 160, MOST_ITEMS = 16, LARGEST_SETTINGS = 1 << 14 };

/* "[a, b]" as the items of a list, anything else as one text; words is cut up. */
static gannet_setting setting_of(const gannet_option *option, char *words, const char **items) {
  gannet_setting setting = {.key = option->key, .text = words};
  const bool list = option->type == GANNET_TEXT_LIST || option->type == GANNET_REAL_LIST;
  const size_t length = strlen(words);
  if (!list || *words != '[' || words[length - 1] != ']') return setting;
  words[length - 1] = '\0';
  for (char *at = words + 1; at && setting.n_items < MOST_ITEMS;) {
    items[setting.n_items++] = at;
    at = strchr(at, ',');
    if (at) *at++ = '\0';
    while (at && *at == ' ') ++at;
  }
  setting.text = NULL;
  setting.items = items;
  return setting;
}

/* The table takes a text as the value of this key; nothing else of the table is looked at. */
static void is_taken(const gannet_option *option, const char *path, const char *text) {
  static max_align_t target[LARGEST_SETTINGS / sizeof(max_align_t)];
  const gannet_option alone[] = {*option, {0}};
  const char *items[MOST_ITEMS];
  char words[1024];
  gannet_complaints complaints = {0};
  assert_true(option->offset + 64 < sizeof target);
  (void)snprintf(words, sizeof words, "%s", text);
  const gannet_setting setting = setting_of(option, words, items);
  memset(target, 0, sizeof target);
  assert_ok(gannet_options_apply(alone, "", 1, &setting, target, &complaints));
  if (complaints.count) fail_msg("%s: its '%s' is not taken: %s", path, text, complaints.text);
  gannet_options_release(alone, target, sizeof target);
}

static void has_line(const char *text, const char *path, const char *line) {
  if (!strstr(text, line)) fail_msg("explain %s: no '%s' in\n%s", path, line, text);
}

static void key_is_explained(gannet_schema schema, const gannet_section *section,
                             const gannet_option *o) {
  char path[LONGEST], *text = NULL;
  size_t size = 0;
  (void)snprintf(path, sizeof path, "%s%s%s", section->path, *section->path ? "." : "", o->key);
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  assert_ok(gannet_explain_schema(schema, path, out));
  assert_int_equal(fclose(out), 0);
  has_line(text, path, o->help);
  has_line(text, path, "\n  type:     ");
  has_line(text, path, "\n  default:  ");
  has_line(text, path, "\n  example:  ");
  if (gannet_option_is_number(o)) has_line(text, path, "\n  unit:     ");
  free(text);

  const char *example = o->example ? o->example : o->fallback;
  if (!example || strcmp(example, "auto") == 0) fail_msg("%s: an example is missing", path);
  is_taken(o, path, example);
  if (o->fallback) is_taken(o, path, o->fallback);
  if ((o->type == GANNET_DURATION || o->type == GANNET_SIZE) && !o->unit)
    fail_msg("%s: the unit is missing", path);
}

static void every_key_of(gannet_schema schema, int least) {
  gannet_section section;
  int n = 0;
  for (int i = 0; schema(i, &section); ++i) {
    assert_true(section.help && *section.help);
    for (const gannet_option *o = section.table; o && o->key; ++o) {
      if (o->renamed) continue;
      if (!o->help || !*o->help || o->help[strlen(o->help) - 1] == '.')
        fail_msg("%s.%s: help must be there and not end in a full stop", section.path, o->key);
      if (o->flags & GANNET_OPTION_HIDDEN) continue;
      key_is_explained(schema, &section, o);
      n += 1;
    }
  }
  assert_true(n >= least);
}

static void every_key_of_a_campaign_is_explained_in_full(void **unused) {
  (void)unused;
  every_key_of(gannet_schema_get, 150);
}

static void every_key_of_a_suite_is_explained_in_full(void **unused) {
  (void)unused;
  every_key_of(suite_schema_get, 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_key_of_a_campaign_is_explained_in_full),
      cmocka_unit_test(every_key_of_a_suite_is_explained_in_full),
  };
  return run_serial(tests);
}
