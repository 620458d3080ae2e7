/* The reference of all keys of a campaign file: one walk through the schema, in two languages,
 * Markdown and that of manual pages.
 */
#include <string.h>

#include "base/text.h"
#include "campaign/config/explain.h"
#include "campaign/config/schema.h"
#include "gannet/version.h"

typedef struct {
  void (*begin)(FILE *out);
  void (*section)(FILE *out, const char *path);
  void (*choice_section)(FILE *out, const gannet_section *section);
  void (*sentence)(FILE *out, const char *help);
  void (*choice)(FILE *out, const gannet_section *section); /* without keys of its own */
  void (*keys)(FILE *out);                                  /* before the first key */
  void (*key)(FILE *out, const gannet_option *option);
  void (*gap)(FILE *out); /* before a list of choices */
} language;

/* Markdown. */

/* A bar would end the column of a table. */
static void put_markdown(FILE *out, const char *text) {
  for (; *text; ++text) {
    if (*text == '|') (void)fputc('\\', out);
    (void)fputc(*text, out);
  }
}

static void markdown_begin(FILE *out) {
  (void)fputs(
      "# Input reference\n\n"
      "Every key of a campaign file, generated from the tables that parse it; "
      "`gannet explain KEY` shows the\nsame. "
      "[campaign-file.md](campaign-file.md) is the introduction. The command line can set "
      "any key with\n`--set section.key=value`. A `*` stands for a name of your own.\n",
      out);
}

static void markdown_section(FILE *out, const char *path) {
  const char *quote = *path ? "`" : "";
  (void)fprintf(out, "\n## %s%s%s\n\n", quote, *path ? path : "Top level", quote);
}

static void markdown_choice_section(FILE *out, const gannet_section *section) {
  (void)fprintf(out, "\n### `%s%s%s: %s`\n\n", section->path, *section->path ? "." : "",
                section->selector, section->choice);
}

static void markdown_sentence(FILE *out, const char *help) {
  if (*help >= 'a' && *help <= 'z') (void)fputc(*help++ - 'a' + 'A', out);
  (void)fprintf(out, "%s.\n", help);
}

static void markdown_choice(FILE *out, const gannet_section *section) {
  (void)fprintf(out, "* `%s%s%s: %s`: %s.\n", section->path, *section->path ? "." : "",
                section->selector, section->choice, section->help);
}

static void markdown_keys(FILE *out) {
  (void)fputs("\n| key | value | unit | default | meaning |\n|---|---|---|---|---|\n", out);
}

static void markdown_key(FILE *out, const gannet_option *option) {
  char expected[512];
  gannet_option_describe(option, expected, sizeof expected);
  (void)fprintf(out, "| `%s` | ", option->key);
  put_markdown(out, expected);
  (void)fprintf(out, " | %s | ", option->unit ? option->unit : "");
  if (option->flags & GANNET_OPTION_REQUIRED)
    (void)fputs("required", out);
  else if (option->fallback && *option->fallback)
    (void)fprintf(out, "`%s`", option->fallback);
  (void)fputs(" | ", out);
  put_markdown(out, option->help);
  if (option->example) (void)fprintf(out, "; for example `%s`", option->example);
  (void)fputs(" |\n", out);
}

static void markdown_gap(FILE *out) {
  (void)fputc('\n', out);
}

static const language markdown = {markdown_begin,    markdown_section, markdown_choice_section,
                                  markdown_sentence, markdown_choice,  markdown_keys,
                                  markdown_key,      markdown_gap};

/* The manual page gannet-campaign(5). */

static void roff_begin(FILE *out) {
  gannet_roff_title(out, "gannet-campaign", 5, GANNET_VERSION);
  (void)fputs(
      ".SH NAME\ngannet\\-campaign \\- campaign file of gannet(1)\n"
      ".SH DESCRIPTION\n"
      "A YAML file that says what is optimised, how a simulation is run, and when to stop. Only "
      "variables, one limit in budget, and what is run in evaluate must be given. The command line "
      "can "
      "set any key with\n.B \\-\\-set section.key=value.\nA * stands for a name of your own.\n",
      out);
}

static void roff_section(FILE *out, const char *path) {
  (void)fputs(".SH ", out);
  gannet_roff_text(out, *path ? path : "TOP LEVEL");
  (void)fputc('\n', out);
}

static void roff_choice_section(FILE *out, const gannet_section *section) {
  (void)fputs(".SS ", out);
  gannet_roff_text(out, section->path);
  (void)fprintf(out, "%s%s: ", *section->path ? "." : "", section->selector);
  gannet_roff_text(out, section->choice);
  (void)fputc('\n', out);
}

static void roff_sentence(FILE *out, const char *help) {
  char first[2] = {*help, '\0'};
  if (*first >= 'a' && *first <= 'z') *first = (char)(*first - 'a' + 'A');
  gannet_roff_text(out, first);
  gannet_roff_text(out, help + 1);
  (void)fputs(".\n", out);
}

static void roff_choice(FILE *out, const gannet_section *section) {
  (void)fprintf(out, ".TP\n.B %s: ", section->selector);
  gannet_roff_text(out, section->choice);
  (void)fputc('\n', out);
  roff_sentence(out, section->help);
}

static void roff_key(FILE *out, const gannet_option *option) {
  char expected[512];
  gannet_option_describe(option, expected, sizeof expected);
  (void)fputs(".TP\n.B ", out);
  gannet_roff_text(out, option->key);
  (void)fputc('\n', out);
  gannet_roff_text(out, expected);
  if (option->unit) (void)fprintf(out, " [%s]", option->unit);
  if (option->flags & GANNET_OPTION_REQUIRED) {
    (void)fputs("; required", out);
  } else if (option->fallback && *option->fallback) {
    (void)fputs("; default ", out);
    gannet_roff_text(out, option->fallback);
  }
  (void)fputs(".\n.br\n", out);
  roff_sentence(out, option->help);
  if (!option->example) return;
  (void)fputs("For example ", out);
  gannet_roff_text(out, option->example);
  (void)fputs(".\n", out);
}

static void nothing(FILE *out) {
  (void)out;
}

static const language roff = {roff_begin,    roff_section, roff_choice_section,
                              roff_sentence, roff_choice,  nothing,
                              roff_key,      nothing};

/* The walk. */

static bool has_keys(const gannet_option *table) {
  for (; table && table->key; ++table)
    if (!(table->flags & GANNET_OPTION_HIDDEN)) return true;
  return false;
}

static void put_rows(FILE *out, const language *in, const gannet_option *table) {
  for (; table && table->key; ++table)
    if (!(table->flags & GANNET_OPTION_HIDDEN)) in->key(out, table);
}

/* The keys that a section always has; several tables can share them. */
static void put_keys(FILE *out, const language *in, gannet_schema schema, const char *path) {
  gannet_section section;
  bool begun = false, table = false;
  for (int i = 0; schema(i, &section); ++i) {
    if (strcmp(section.path, path) != 0 || section.selector) continue;
    if (!begun) {
      in->section(out, path);
      in->sentence(out, section.help);
    }
    begun = true;
    if (!has_keys(section.table)) continue;
    if (!table) in->keys(out);
    table = true;
    put_rows(out, in, section.table);
  }
}

/* The choices of a section: those without keys of their own as a list, then the others. */
static void put_choices(FILE *out, const language *in, gannet_schema schema, const char *path,
                        bool with_keys) {
  gannet_section section;
  bool begun = false;
  for (int i = 0; schema(i, &section); ++i) {
    if (strcmp(section.path, path) != 0 || !section.selector) continue;
    if (has_keys(section.table) != with_keys) continue;
    if (!begun && !with_keys) in->gap(out);
    begun = true;
    if (!with_keys) {
      in->choice(out, &section);
      continue;
    }
    in->choice_section(out, &section);
    in->sentence(out, section.help);
    in->keys(out);
    put_rows(out, in, section.table);
  }
}

static bool is_first(gannet_schema schema, int entry, const char *path) {
  gannet_section section;
  for (int i = 0; i < entry && schema(i, &section); ++i)
    if (strcmp(section.path, path) == 0) return false;
  return true;
}

static void put_reference(FILE *out, const language *in, gannet_schema schema) {
  gannet_section section;
  for (int i = 0; schema(i, &section); ++i)
    if (is_first(schema, i, section.path)) {
      put_keys(out, in, schema, section.path);
      put_choices(out, in, schema, section.path, false);
      put_choices(out, in, schema, section.path, true);
    }
}

void gannet_explain_markdown(FILE *out) {
  markdown.begin(out);
  put_reference(out, &markdown, gannet_schema_get);
}

void gannet_explain_schema_markdown(gannet_schema schema, FILE *out) {
  put_reference(out, &markdown, schema);
}

void gannet_explain_manual(FILE *out) {
  roff.begin(out);
  put_reference(out, &roff, gannet_schema_get);
  (void)fputs(".SH SEE ALSO\ngannet(1), gannet\\-run(1), gannet\\-explain(1)\n", out);
}
