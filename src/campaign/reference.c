/* The Markdown reference of all keys. */
#include <string.h>

#include "campaign/explain.h"
#include "campaign/schema.h"

/* A bar would end the column of a table. */
static void put(FILE *out, const char *text) {
  for (; *text; ++text) {
    if (*text == '|') (void)fputc('\\', out);
    (void)fputc(*text, out);
  }
}

static void put_row(FILE *out, const gannet_option *option) {
  char expected[512];
  gannet_option_describe(option, expected, sizeof expected);
  (void)fprintf(out, "| `%s` | ", option->key);
  put(out, expected);
  (void)fprintf(out, " | %s | ", option->unit ? option->unit : "");
  if (option->flags & GANNET_OPTION_REQUIRED)
    (void)fputs("required", out);
  else if (option->fallback && *option->fallback)
    (void)fprintf(out, "`%s`", option->fallback);
  (void)fputs(" | ", out);
  put(out, option->help);
  if (option->example) (void)fprintf(out, "; for example `%s`", option->example);
  (void)fputs(" |\n", out);
}

static bool has_keys(const gannet_option *table) {
  for (; table && table->key; ++table)
    if (!(table->flags & GANNET_OPTION_HIDDEN)) return true;
  return false;
}

static void put_header(FILE *out) {
  (void)fputs("\n| key | value | unit | default | meaning |\n|---|---|---|---|---|\n", out);
}

static void put_rows(FILE *out, const gannet_option *table) {
  for (; table && table->key; ++table)
    if (!(table->flags & GANNET_OPTION_HIDDEN)) put_row(out, table);
}

static void put_sentence(FILE *out, const char *help) {
  if (*help >= 'a' && *help <= 'z') (void)fputc(*help++ - 'a' + 'A', out);
  (void)fprintf(out, "%s.\n", help);
}

/* The keys that a section always has; several tables can share them. */
static void put_keys(FILE *out, const char *path) {
  gannet_section section;
  bool begun = false, table = false;
  for (int i = 0; gannet_schema_get(i, &section); ++i) {
    if (strcmp(section.path, path) != 0 || section.selector) continue;
    const char *quote = *path ? "`" : "";
    if (!begun) {
      (void)fprintf(out, "\n## %s%s%s\n\n", quote, *path ? path : "Top level", quote);
      put_sentence(out, section.help);
    }
    begun = true;
    if (!has_keys(section.table)) continue;
    if (!table) put_header(out);
    table = true;
    put_rows(out, section.table);
  }
}

/* The choices of a section: those without keys of their own as a list, then the others. */
static void put_choices(FILE *out, const char *path, bool with_keys) {
  gannet_section section;
  bool begun = false;
  for (int i = 0; gannet_schema_get(i, &section); ++i) {
    if (strcmp(section.path, path) != 0 || !section.selector) continue;
    if (has_keys(section.table) != with_keys) continue;
    const char *dot = *path ? "." : "";
    if (!begun && !with_keys) (void)fputc('\n', out);
    begun = true;
    if (!with_keys) {
      (void)fprintf(out, "* `%s%s%s: %s`: %s.\n", path, dot, section.selector, section.choice,
                    section.help);
      continue;
    }
    (void)fprintf(out, "\n### `%s%s%s: %s`\n\n", path, dot, section.selector, section.choice);
    put_sentence(out, section.help);
    put_header(out);
    put_rows(out, section.table);
  }
}

static bool is_first(int entry, const char *path) {
  gannet_section section;
  for (int i = 0; i < entry && gannet_schema_get(i, &section); ++i)
    if (strcmp(section.path, path) == 0) return false;
  return true;
}

void gannet_explain_markdown(FILE *out) {
  gannet_section section;
  (void)fputs(
      "# Input reference\n\n"
      "Every key of a campaign file, generated from the tables that parse it; "
      "`gannet explain KEY` shows the\nsame. "
      "[campaign-file.md](campaign-file.md) is the introduction. The command line can set "
      "any key with\n`--set section.key=value`. A `*` stands for a name of your own.\n",
      out);
  for (int i = 0; gannet_schema_get(i, &section); ++i)
    if (is_first(i, section.path)) {
      put_keys(out, section.path);
      put_choices(out, section.path, false);
      put_choices(out, section.path, true);
    }
}
