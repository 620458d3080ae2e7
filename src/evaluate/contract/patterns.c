/* Regular expressions that pick quantities out of what a simulation prints or writes. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "evaluate/contract/contract.h"
#include "evaluate/contract/number_part.h"
#include "evaluate/contract/output_files.h"
#include "evaluate/contract/text_rules.h"

enum {
  NUMBER_SIZE = 512, /* 1e308 has 309 digits when a program prints all of them */
  WHY_SIZE = 600
};

/* For messages: a group that takes the number, or nan, or the stars of Fortran. A diverged run must
 * not be taken for an earlier line of it. */
#define NUMBER_GROUP "([^ ]*)"
#define EXAMPLE "'objective=^drag: *" NUMBER_GROUP "'"

/* Whether an expression without a group can match no number: the whole match counts then, and it
 * has a letter or sign that no number has. */
static bool lacks_group(const regex_t *regex, const char *text) {
  static const char of_numbers[] = "eEdDnNaAiIfF";
  bool in_list = false;
  if (regex->re_nsub > 0) return false;
  for (const char *c = text; *c; ++c) {
    if (*c == '\\' && c[1])
      ++c;
    else if (*c == '[')
      in_list = true;
    else if (*c == ']')
      in_list = false;
    else if (!in_list &&
             (strchr(":=", *c) || (isalpha((unsigned char)*c) && !strchr(of_numbers, *c))))
      return true;
  }
  return false;
}

/* Append an expression. What is wrong with it is complained about, with an example.
 *
 * file  in  NULL = stdout.log
 */
static gannet_err add_pattern(const char *key, const char *name, const char *text, const char *file,
                              const char *example, gannet_complaints *complaints,
                              gannet_patterns *patterns) {
  char reason[200];
  const int n = patterns->n;
  const int failed = regcomp(&patterns->regex[n], text, REG_EXTENDED);
  if (failed) {
    gannet_regex_explain(failed, &patterns->regex[n], text, reason, sizeof reason);
    gannet_complain(complaints, key,
                    "'%s': %s; expected as in %s, where the first ( ) takes the number", text,
                    reason, example);
    return GANNET_OK;
  }
  if (lacks_group(&patterns->regex[n], text))
    gannet_complain(complaints, key,
                    "'%s': no group in round brackets says where the number is; expected as in %s",
                    text, example);
  gannet_regex_check_dialect(key, text, complaints);
  patterns->n += 1;
  patterns->is_output[n] = strncmp(key, "outputs.", 8) == 0;
  patterns->by_columns[n] = strchr(text, '{') != NULL;
  patterns->has_comma[n] = strchr(text, ',') != NULL;
  GANNET_TRY(gannet_copy_text(name, &patterns->name[n]));
  GANNET_TRY(gannet_copy_text(file, &patterns->file[n]));
  for (int i = 0; i < n; ++i)
    if (*name && strcmp(patterns->name[i], patterns->name[n]) == 0)
      gannet_complain(complaints, key, "'%s' has two patterns; leave one out", name);
  return GANNET_OK;
}

/* Add "name=regex" of evaluate.pattern. */
static gannet_err add_text(const char *text, const gannet_problem *problem,
                           gannet_complaints *complaints, gannet_patterns *patterns) {
  char name[128];
  const char *equals = strchr(text, '=');
  if (!equals || equals == text || (size_t)(equals - text) >= sizeof name) {
    gannet_complain(complaints, "evaluate.pattern",
                    "'%s' is not of the form name=regular-expression, as in " EXAMPLE, text);
    return GANNET_OK;
  }
  (void)snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
  if (problem && !gannet_problem_needs_quantity(problem, name) &&
      !gannet_output_find(problem, name)) {
    char list[400];
    gannet_problem_list_quantities(problem, list, sizeof list);
    gannet_complain(complaints, "evaluate.pattern",
                    "'%s' is neither objective nor a constraint of this campaign; known:%s", name,
                    list);
    return GANNET_OK;
  }
  const gannet_output *output = problem ? gannet_output_find(problem, name) : NULL;
  if (output && output->column)
    gannet_complain(complaints, "evaluate.pattern",
                    "'%s' has a pattern here and a column in outputs; leave one out", name);
  const int index = problem ? gannet_problem_find_quantity(problem, name) : -1;
  const char *kept = !problem     ? ""
                     : index >= 0 ? gannet_problem_quantity_name(problem, index)
                                  : name;
  return add_pattern("evaluate.pattern", kept, equals + 1, NULL, EXAMPLE, complaints, patterns);
}

/* Add the patterns of outputs, those of one file one after the other: they are searched for
 * together. */
static gannet_err add_outputs(const gannet_outputs *outputs, gannet_complaints *complaints,
                              gannet_patterns *patterns) {
  char key[100];
  for (int i = 0; i < outputs->n; ++i) {
    const char *file = outputs->item[i].file ? outputs->item[i].file : "";
    bool is_first = outputs->item[i].pattern != NULL;
    for (int j = 0; j < i && is_first; ++j)
      is_first = !outputs->item[j].pattern ||
                 strcmp(outputs->item[j].file ? outputs->item[j].file : "", file) != 0;
    for (int j = i; j < outputs->n && is_first; ++j) {
      const gannet_output *item = &outputs->item[j];
      if (!item->pattern || strcmp(item->file ? item->file : "", file) != 0) continue;
      (void)snprintf(key, sizeof key, "outputs.%s.pattern", item->name);
      GANNET_TRY(add_pattern(key, item->name, item->pattern, item->file,
                             "'^cells: *" NUMBER_GROUP "'", complaints, patterns));
    }
  }
  return GANNET_OK;
}

gannet_err gannet_patterns_create(const gannet_text_list *texts, const gannet_problem *problem,
                                  gannet_complaints *complaints, gannet_patterns *patterns) {
  const gannet_outputs *outputs = problem ? problem->outputs : NULL;
  const size_t n = (size_t)texts->n + (size_t)(outputs ? outputs->n : 0);
  GANNET_TRY(gannet_alloc(n, sizeof *patterns->name, &patterns->name));
  GANNET_TRY(gannet_alloc(n, sizeof *patterns->file, &patterns->file));
  GANNET_TRY(gannet_alloc(n, sizeof *patterns->is_output, &patterns->is_output));
  GANNET_TRY(gannet_alloc(n, sizeof *patterns->by_columns, &patterns->by_columns));
  GANNET_TRY(gannet_alloc(n, sizeof *patterns->has_comma, &patterns->has_comma));
  GANNET_TRY(gannet_alloc(n, sizeof *patterns->regex, &patterns->regex));
  for (int i = 0; i < texts->n; ++i)
    GANNET_TRY(add_text(texts->item[i], problem, complaints, patterns));
  return outputs ? add_outputs(outputs, complaints, patterns) : GANNET_OK;
}

void gannet_patterns_release(gannet_patterns *patterns) {
  for (int i = 0; i < patterns->n; ++i) {
    regfree(&patterns->regex[i]);
    gannet_free(&patterns->name[i]);
    gannet_free(&patterns->file[i]);
  }
  gannet_free(&patterns->name);
  gannet_free(&patterns->file);
  gannet_free(&patterns->is_output);
  gannet_free(&patterns->by_columns);
  gannet_free(&patterns->has_comma);
  gannet_free(&patterns->regex);
  patterns->n = 0;
}

/* What a pattern found. */
typedef struct {
  char text[NUMBER_SIZE + 1]; /* as much as is too long for a number, where there is more */
  bool any;                   /* a line matches */
  bool is_torn;       /* its line has zero bytes: the text may be a part of the number only */
  bool is_part;       /* of the number whole */
  bool is_comma_part; /* the same, for a comma that is beside the group */
  bool takes_comma;   /* which the match has in it */
  char whole[64];
} finding;

/* Keep a match; the last line of the output that matches wins. */
static bool take_match(void *user, int which, const char *line, const regmatch_t *match,
                       bool torn) {
  finding *found = (finding *)user + which;
  const regmatch_t *part = &match[match[1].rm_so >= 0];
  const char *text = line + part->rm_so, *end = line + part->rm_eo;
  while (text < end && strchr(" \t\r", *text)) ++text;
  while (end > text && strchr(" \t\r", end[-1])) --end;
  (void)snprintf(found->text, sizeof found->text, "%.*s", (int)(end - text), text);
  found->any = true;
  found->is_torn = torn;
  const bool takes_sign = match->rm_eo > part->rm_eo && strchr("+-", line[part->rm_eo]);
  found->is_part = gannet_is_number_part(line, (size_t)(part->rm_so), (size_t)part->rm_eo,
                                         !takes_sign, found->whole, sizeof found->whole);
  found->takes_comma = (match->rm_so < part->rm_so && line[part->rm_so - 1] == ',') ||
                       (match->rm_eo > part->rm_eo && line[part->rm_eo] == ',');
  found->is_comma_part =
      !found->is_part && gannet_is_comma_part(line, (size_t)part->rm_so, (size_t)part->rm_eo,
                                              found->whole, sizeof found->whole);
  return false;
}

/* Read the number that pattern i found. Returns false with the reason when it found none. A text
 * that is only a part of a number is refused, unless the expression shows that it means that part.
 *
 * name  in  of the file
 */
static bool read_finding(const gannet_patterns *patterns, int i, const finding *found,
                         const char *name, double *value, char why[WHY_SIZE]) {
  const char *quantity = patterns->name[i];
  char key[64];
  if (patterns->is_output[i])
    (void)snprintf(key, sizeof key, "outputs.%.40s.pattern", quantity);
  else
    (void)snprintf(key, sizeof key, "pattern of %.40s", quantity);
  const bool knows_commas = patterns->has_comma[i] && found->takes_comma;
  if (!found->any)
    (void)snprintf(why, WHY_SIZE, "%s: no line of %.80s matches", key, name);
  else if (!*found->text)
    (void)snprintf(why, WHY_SIZE,
                   "%s: the last line of %.80s that matches has nothing there, expected a number",
                   key, name);
  else if (found->is_torn)
    (void)snprintf(why, WHY_SIZE,
                   "%s: the line of %.80s that matches holds zero bytes, expected text", key, name);
  else if (found->is_part && !patterns->by_columns[i])
    (void)snprintf(why, WHY_SIZE,
                   "%s: takes only '%.40s' of '%s' in %.40s; expected a group that takes all of "
                   "the number, as " NUMBER_GROUP
                   " does, and before it nothing that takes digits, as .* "
                   "does",
                   key, found->text, found->whole, name);
  else if (found->is_comma_part && !knows_commas && !patterns->by_columns[i])
    (void)snprintf(
        why, WHY_SIZE,
        "%s: takes only '%.40s' of '%s' in %.40s; expected a number without commas, "
        "or, where the comma is between two numbers, an expression that takes it along, as "
        "([^,]+), does",
        key, found->text, found->whole, name);
  else if (gannet_parse_any_number(found->text, value) != 0)
    (void)snprintf(why, WHY_SIZE, "%s: %s is '%.60s', expected a number%s", key, quantity,
                   found->text, gannet_number_hint(found->text));
  else
    return true;
  return false;
}

/* Search one file for patterns begin .. end - 1. */
static int search_file(const gannet_patterns *patterns, int begin, int end, const char *directory,
                       const gannet_search_limits *limits, const gannet_quantity_taker *taker,
                       finding *found, gannet_pattern_failure *failure) {
  char name[PATH_MAX] = "stdout.log", text[WHY_SIZE], missing[200];
  const char *file = patterns->file[begin];
  const bool is_there =
      !file || gannet_output_file_find(directory, file, name, sizeof name, missing, sizeof missing);
  const gannet_search search = {.n = end - begin,
                                .regex = patterns->regex + begin,
                                .has_places = true,
                                .take = take_match,
                                .user = found};
  if (is_there) failure->report = gannet_search_file(&search, directory, name, limits);
  if (is_there && failure->report.end != GANNET_SEARCH_OVER) {
    failure->name = patterns->name[begin + failure->report.slowest];
    (void)snprintf(failure->file, sizeof failure->file, "%.100s", name);
    return -1;
  }
  for (int i = begin; i < end; ++i) {
    double value = 0;
    bool is_read = false;
    if (!is_there)
      (void)snprintf(text, sizeof text, "outputs.%.40s: %s", patterns->name[i], missing);
    else
      is_read = read_finding(patterns, i, &found[i - begin], name, &value, text);
    if (is_read) (void)snprintf(text, sizeof text, "pattern of %.40s", patterns->name[i]);
    if (taker->take(taker->user, patterns->name[i], is_read ? &value : NULL, text)) return -1;
  }
  return 0;
}

int gannet_patterns_search(const gannet_patterns *patterns, const char *directory,
                           const gannet_search_limits *limits, const gannet_quantity_taker *taker,
                           gannet_pattern_failure *failure) {
  finding *found = NULL;
  int failed = 0, end = 0;
  *failure = (gannet_pattern_failure){.name = ""};
  if (patterns->n == 0) return 0;
  if (gannet_alloc((size_t)patterns->n, sizeof *found, &found) != GANNET_OK) {
    failure->report = (gannet_search_report){.end = GANNET_SEARCH_FAILED, .error = ENOMEM};
    (void)snprintf(failure->report.why, sizeof failure->report.why, "%s", gannet_error_message());
    gannet_error_clear();
    return -1;
  }
  for (int begin = 0; begin < patterns->n && !failed; begin = end) {
    const char *file = patterns->file[begin];
    for (end = begin + 1; end < patterns->n; ++end) {
      const char *other = patterns->file[end];
      if (!file != !other || (file && strcmp(file, other) != 0)) break;
    }
    memset(found, 0, (size_t)(end - begin) * sizeof *found);
    failed = search_file(patterns, begin, end, directory, limits, taker, found, failure);
  }
  gannet_free(&found);
  return failed;
}
