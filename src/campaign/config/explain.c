#include "campaign/config/explain.h"

#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "campaign/config/schema.h"

enum { LONGEST = 160 };

static const char *join(const char *section, const char *key, char *path) {
  (void)snprintf(path, LONGEST, "%s%s%s", section, *section ? "." : "", key);
  return path;
}

static bool is_visible(const gannet_option *option) {
  return !(option->flags & GANNET_OPTION_HIDDEN);
}

static const char *default_of(const gannet_option *option) {
  if (option->flags & GANNET_OPTION_REQUIRED) return "none; it must be given";
  return option->fallback ? option->fallback : "none";
}

/* "budget: {evaluations: 200}" */
static void print_example(FILE *out, const char *path, const char *value) {
  int depth = 0;
  for (const char *part = path; *part;) {
    const int length = (int)strcspn(part, ".");
    const bool name = length == 1 && *part == '*';
    const bool last = part[length] == '\0';
    (void)fprintf(out, "%s%.*s: ", depth ? "{" : "", name ? 4 : length, name ? "NAME" : part);
    if (last) (void)fputs(value, out);
    depth += 1;
    part += length + (last ? 0 : 1);
  }
  for (; depth > 1; --depth) (void)fputc('}', out);
  (void)fputc('\n', out);
}

/* The names that a key like evaluate.backend or surrogate.type can have, from the registries. */
static void print_choices(FILE *out, gannet_schema schema, const gannet_section *section,
                          const gannet_option *option) {
  gannet_section other;
  bool any = false;
  for (int i = 0; schema(i, &other); ++i) {
    if (!other.selector || strcmp(other.path, section->path) != 0) continue;
    if (strcmp(other.selector, option->key) != 0) continue;
    (void)fprintf(out, "%s%s", any ? " " : "  choices:  ", other.choice);
    any = true;
  }
  if (any) (void)fputc('\n', out);
}

static void print_key(FILE *out, gannet_schema schema, const gannet_section *section,
                      const gannet_option *option) {
  char path[LONGEST], expected[512];
  gannet_option_describe(option, expected, sizeof expected);
  (void)fprintf(out, "%s\n  %s\n", join(section->path, option->key, path), option->help);
  if (section->selector)
    (void)fprintf(out, "  when:     %s: %s\n", section->selector, section->choice);
  (void)fprintf(out, "  type:     %s\n", expected);
  print_choices(out, schema, section, option);
  if (gannet_option_is_number(option))
    (void)fprintf(out, "  unit:     %s\n", option->unit ? option->unit : "none");
  (void)fprintf(out, "  default:  %s\n", default_of(option));
  const char *value = option->example ? option->example : option->fallback;
  if (!value) return;
  (void)fputs("  example:  ", out);
  print_example(out, path, value);
}

static void print_lines(FILE *out, const gannet_option *table) {
  int width = 14;
  for (const gannet_option *o = table; o && o->key; ++o)
    if (is_visible(o) && (int)strlen(o->key) > width) width = (int)strlen(o->key);
  for (; table && table->key; ++table)
    if (is_visible(table))
      (void)fprintf(out, "  %-*s %s (default: %s)\n", width, table->key, table->help,
                    default_of(table));
}

/* An example of each section of a campaign file; together they are a campaign. */
static const struct {
  const char *path, *text;
} examples[] = {
    {"variables",
     "variables:\n  width: {lower: 0.5, upper: 2}\n  rate: {lower: 1e-6, upper: 1e-2, scale: log}\n"
     "  fins: {type: integer, lower: 1, upper: 8}\n  solver: {type: categorical, values: [cg, "
     "gmres]}\n"},
    {"variables.*", "variables:\n  width: {lower: 0.5, upper: 2}\n"},
    {"constraints", "constraints:\n  peak_stress: {upper: 110}\n  mass: {lower: 1, upper: 3}\n"},
    {"constraints.*", "constraints:\n  peak_stress: {upper: 110}\n"},
    {"objective", "objective: {name: cost, expression: \"drag + 0.01*mass\", unit: N}\n"},
    {"objectives",
     "objectives:\n  drag: {goal: minimize, threshold: 0.08}\n  range: {goal: maximize}\n"},
    {"objectives.*", "objectives:\n  drag: {goal: minimize, threshold: 0.08}\n"},
    {"outputs",
     "outputs:\n"
     "  drag: {file: \"postProcessing/forces/*/coefficient.dat\", column: Cd, rows: last 200, "
     "take: "
     "mean}\n"
     "  cells: {pattern: \"^cells: *([^ ]*)\", file: log.mesh}\n  mass: {unit: kg}\n"},
    {"outputs.*", "outputs:\n  residual: {file: log.csv, column: 3}\n"},
    {"start", "start: [{width: 1.1, fins: 4}, {width: 0.8}]\n"},
    {"import",
     "import: [old.csv, {from: ../wing-1.campaign, related: yes, columns: {width: w}}]\n"},
    {"physics",
     "physics:\n  equations:\n    - terms:\n        - {derivative: [width, width]}\n"
     "        - {coefficient: \"sin(width)\", derivative: []}\n"},
    {"physics.equations",
     "physics:\n  equations:\n    - terms: [{derivative: [width, width]}, {coefficient: "
     "\"sin(width)\", derivative: []}]\n"},
    {"physics.equations.terms",
     "physics:\n  equations:\n    - terms: [{derivative: [width, width]}, {coefficient: "
     "\"sin(width)\", derivative: []}]\n"},
    {"cost", "cost: {from: time, weigh: yes}\n"},
    {"budget", "budget: {evaluations: 200, wall_time: 4h}\n"},
    {"budget.failures", "budget:\n  evaluations: 200\n  failures: {rate: 0.3, minimum: 20}\n"},
    {"evaluate",
     "evaluate:\n  backend: command\n  command: [./simulate, \"{params}\", \"{results}\"]\n"
     "  parallel: 4\n  time_limit: 10m\n"},
    {"surrogate", "surrogate: {type: gp}\n"},
    {"acquisition", "acquisition: {type: log-ei}\n"},
    {"region", "region: {type: trust}\n"},
    {"search", "search: {candidates: 4000}\n"},
    {"stop", "stop: {target: 0.02, stagnation: 40}\n"},
    {"save", "save: {interval: 5m, batches: 1}\n"},
    {"log", "log: {level: debug}\n"},
};

static void print_section_example(FILE *out, const char *path) {
  for (size_t i = 0; i < sizeof examples / sizeof *examples; ++i) {
    if (strcmp(examples[i].path, path) != 0) continue;
    (void)fputs("  example:\n", out);
    for (const char *line = examples[i].text; *line;) {
      const int length = (int)strcspn(line, "\n");
      (void)fprintf(out, "    %.*s\n", length, line);
      line += length + (line[length] == '\n');
    }
  }
}

static void print_section(FILE *out, const gannet_section *section) {
  if (section->selector)
    (void)fprintf(out, "%s%s%s: %s  (%s)\n", section->path, *section->path ? "." : "",
                  section->selector, section->choice, section->help);
  else
    (void)fprintf(out, "%s  (%s)\n", *section->path ? section->path : "top level", section->help);
  print_lines(out, section->table);
  if (!section->selector) print_section_example(out, section->path);
}

/* How a path can be meant, from the most to the least exact; the first kind that finds something is
 * the answer. */
typedef bool (*printer)(FILE *out, gannet_schema schema, const gannet_section *section,
                        const char *path);

static bool print_exact(FILE *out, gannet_schema schema, const gannet_section *section,
                        const char *path) {
  char full[LONGEST];
  bool found = false;
  for (const gannet_option *o = section->table; o && o->key; ++o)
    if (is_visible(o) && gannet_schema_matches(join(section->path, o->key, full), path)) {
      print_key(out, schema, section, o);
      found = true;
    }
  return found;
}

/* The keys of a mapping within a section, with or without the section. */
static bool print_mapping(FILE *out, gannet_schema schema, const gannet_section *section,
                          const char *path) {
  const size_t length = strlen(section->path);
  const bool is_full = strncmp(section->path, path, length) == 0 && path[length] == '.';
  const char *mapping = is_full ? path + length + 1 : path;
  const size_t mapping_length = strlen(mapping);
  bool found = false;
  for (const gannet_option *o = section->table; o && o->key; ++o)
    if (is_visible(o) && strncmp(mapping, o->key, mapping_length) == 0 &&
        o->key[mapping_length] == '.') {
      print_key(out, schema, section, o);
      found = true;
    }
  return found;
}

static bool print_whole(FILE *out, gannet_schema schema, const gannet_section *section,
                        const char *path) {
  (void)schema;
  const size_t length = strlen(path);
  const bool below = strncmp(section->path, path, length) == 0 && section->path[length] == '.';
  if (!*section->path || (!gannet_schema_matches(section->path, path) && !below)) return false;
  print_section(out, section);
  return true;
}

static bool print_choice(FILE *out, gannet_schema schema, const gannet_section *section,
                         const char *path) {
  (void)schema;
  char full[LONGEST];
  if (!section->choice) return false;
  if (strcmp(section->choice, path) != 0 &&
      strcmp(join(section->path, section->choice, full), path) != 0)
    return false;
  print_section(out, section);
  return true;
}

static bool print_last_part(FILE *out, gannet_schema schema, const gannet_section *section,
                            const char *path) {
  bool found = false;
  for (const gannet_option *o = section->table; o && o->key; ++o)
    if (is_visible(o) && strcmp(o->key, path) == 0) {
      print_key(out, schema, section, o);
      found = true;
    }
  return found;
}

static void print_overview(FILE *out, gannet_schema schema) {
  gannet_section section;
  for (int i = 0; schema(i, &section); ++i)
    if (!*section.path) print_lines(out, section.table);
  (void)fputs("\nsections\n", out);
  for (int i = 0; schema(i, &section); ++i)
    if (*section.path && !section.selector)
      (void)fprintf(out, "  %-16s %s\n", section.path, section.help);
  (void)fputs("\nchoices\n", out);
  for (int i = 0; schema(i, &section); ++i)
    if (section.selector) {
      char choice[LONGEST];
      (void)snprintf(choice, sizeof choice, "%s%s%s: %s", section.path, *section.path ? "." : "",
                     section.selector, section.choice);
      (void)fprintf(out, "  %-32s %s\n", choice, section.help);
    }
}

/* Every path that print_exact and print_whole know; counts when known is NULL. */
static int collect_paths(gannet_schema schema, char (*known)[LONGEST]) {
  gannet_section section;
  int n = 0;
  for (int i = 0; schema(i, &section); ++i) {
    if (*section.path && known) (void)snprintf(known[n], LONGEST, "%s", section.path);
    n += *section.path != '\0';
    for (const gannet_option *o = section.table; o && o->key; ++o) {
      if (!is_visible(o)) continue;
      if (known) (void)join(section.path, o->key, known[n]);
      n += 1;
    }
  }
  return n;
}

static int count_parts(const char *path) {
  int n = 1;
  for (; *path; ++path) n += *path == '.';
  return n;
}

static const char *last_part(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot ? dot + 1 : path;
}

/* The nearest path, one with as many parts if possible: "budget" is near to every key below it.
 * Keys are also asked for without their sections: "tmplate" is near to evaluate.templates. */
static const char *nearest_path(const char *path, int n, char (*known)[LONGEST],
                                const char **candidates) {
  int m = 0;
  for (int i = 0; i < n; ++i)
    if (count_parts(known[i]) == count_parts(path)) candidates[m++] = known[i];
  candidates[m] = NULL;
  const char *near = gannet_nearest(path, candidates);
  if (near) return near;
  for (m = 0; m < n; ++m) candidates[m] = known[m];
  candidates[m] = NULL;
  near = gannet_nearest(path, candidates);
  if (near) return near;
  for (m = 0; m < n; ++m) candidates[m] = last_part(known[m]);
  near = gannet_nearest(last_part(path), candidates);
  for (m = 0; near && m < n; ++m)
    if (last_part(known[m]) == near) return known[m];
  return NULL;
}

static gannet_err raise_unknown(gannet_schema schema, const char *path) {
  const int n = collect_paths(schema, NULL);
  char(*known)[LONGEST] = NULL;
  const char **candidates = NULL;
  gannet_err err = gannet_alloc((size_t)n, sizeof *known, &known);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n + 1, sizeof *candidates, &candidates);
  if (err == GANNET_OK) {
    (void)collect_paths(schema, known);
    const char *near = nearest_path(path, n, known, candidates);
    err =
        near ? GANNET_RAISE(GANNET_ERR_NAME, "unknown key '%.200s'; did you mean '%s'?", path, near)
             : GANNET_RAISE(GANNET_ERR_NAME,
                            "unknown key '%.200s'; without a key all sections are listed", path);
  }
  gannet_free(&candidates);
  gannet_free(&known);
  return err;
}

/* The present name of a key that is asked for by its old one, with or without its section. */
static bool find_renamed(gannet_schema schema, const char *path, char *now) {
  gannet_section section;
  char full[LONGEST];
  for (int i = 0; schema(i, &section); ++i)
    for (const gannet_option *o = section.table; o && o->key; ++o) {
      if (!o->renamed) continue;
      if (strcmp(o->key, path) != 0 &&
          !gannet_schema_matches(join(section.path, o->key, full), path))
        continue;
      (void)join(section.path, o->renamed, now);
      return true;
    }
  return false;
}

/* Whether a key is still accepted and makes no difference, with or without its section. */
static bool is_idle(gannet_schema schema, const char *path) {
  gannet_section section;
  char full[LONGEST];
  for (int i = 0; schema(i, &section); ++i)
    for (const gannet_option *o = section.table; o && o->key; ++o)
      if (o->flags & GANNET_OPTION_IDLE &&
          (strcmp(o->key, path) == 0 ||
           gannet_schema_matches(join(section.path, o->key, full), path)))
        return true;
  return false;
}

gannet_err gannet_explain_schema(gannet_schema schema, const char *path, FILE *out) {
  static const printer printers[] = {print_exact, print_whole, print_choice, print_last_part,
                                     print_mapping};
  gannet_section section;
  char now[LONGEST];
  bool found = false;
  if (!path || !*path) {
    print_overview(out, schema);
    return GANNET_OK;
  }
  for (size_t p = 0; p < sizeof printers / sizeof *printers && !found; ++p)
    for (int i = 0; schema(i, &section); ++i)
      if (printers[p](out, schema, &section, path)) found = true;
  if (found) return GANNET_OK;
  if (is_idle(schema, path)) {
    (void)fprintf(out, "%s no longer has any effect; remove it\n", path);
    return GANNET_OK;
  }
  if (!find_renamed(schema, path, now)) return raise_unknown(schema, path);
  (void)fprintf(out, "%s is now called %s; the old name is still accepted\n\n", path, now);
  return gannet_explain_schema(schema, now, out);
}
