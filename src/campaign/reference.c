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

static void put_table(FILE *out, const gannet_option *table) {
  bool empty = true;
  for (; table && table->key; ++table) {
    if (table->flags & GANNET_OPTION_HIDDEN) continue;
    if (empty)
      (void)fputs("\n| key | value | unit | default | meaning |\n|---|---|---|---|---|\n", out);
    put_row(out, table);
    empty = false;
  }
}

static void put_sentence(FILE *out, const char *help) {
  if (*help >= 'a' && *help <= 'z') (void)fputc(*help++ - 'a' + 'A', out);
  (void)fprintf(out, "%s.\n", help);
}

/* The entries of one path: those that always hold, then one for each choice. */
static void put_path(FILE *out, const char *path) {
  gannet_section section;
  bool first = true;
  for (int i = 0; gannet_schema_get(i, &section); ++i) {
    if (strcmp(section.path, path) != 0) continue;
    if (section.selector)
      (void)fprintf(out, "\n### `%s%s%s: %s`\n\n", path, *path ? "." : "", section.selector,
                    section.choice);
    else if (first)
      (void)fprintf(out, "\n## %s%s%s\n\n", *path ? "`" : "", *path ? path : "Top level",
                    *path ? "`" : "");
    if (section.selector || first) put_sentence(out, section.help);
    if (section.selector || section.table) put_table(out, section.table);
    first = false;
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
    if (is_first(i, section.path)) put_path(out, section.path);
}
