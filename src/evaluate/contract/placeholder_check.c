#include "evaluate/contract/placeholder_check.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/names.h"
#include "evaluate/evaluator.h"

enum {
  TOLD = 32,
  SHOWN = 120
}; /* placeholders of one text that are warned of, characters of one */

/* A text whose placeholders are checked. */
typedef struct {
  const gannet_placeholder_check *check;
  gannet_text_kind text_kind;
  gannet_delimiters delimiters;
  const char *key, *name; /* name: of a file; NULL = a text of the campaign file */
  const char *text;
  size_t size;
  bool names_variable;
  int n_told;
  char told[TOLD][SHOWN];
} source;

/* Write where something is: "evaluate.templates: deck.in:3:8", or the key alone. */
static void write_location(const source *s, size_t at, char *location, size_t size) {
  int line, column;
  (void)snprintf(location, size, "%s", s->key);
  if (!s->name) return;
  gannet_text_position(s->text, at, &line, &column);
  (void)snprintf(location, size, "%s: %.200s:%d:%d", s->key, s->name, line, column);
}

/* Warn of what stands at a place of the text, "line of the key: key: place in the file: what". */
static void GANNET_PRINTF(3, 4) warn(const source *s, size_t at, const char *format, ...) {
  char place[300] = "", text[1024];
  int line, column;
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (s->name) {
    gannet_text_position(s->text, at, &line, &column);
    (void)snprintf(place, sizeof place, "%.200s:%d:%d: ", s->name, line, column);
  }
  gannet_evaluator_warn(s->check->setup, s->key, "%s%s", place, text);
}

/* Write a placeholder as it stands in the text. */
static void write_placeholder(const source *s, size_t begin, size_t end, char *shown, size_t size) {
  (void)snprintf(shown, size, "%.*s", (int)(end - begin), s->text + begin);
}

/* Whether the log was told about a word already; if not, it counts as told now. */
static bool is_told(source *s, const char *word) {
  for (int i = 0; i < s->n_told; ++i)
    if (strcmp(s->told[i], word) == 0) return true;
  if (s->n_told == TOLD) return true;
  (void)snprintf(s->told[s->n_told++], SHOWN, "%s", word);
  return false;
}

/* List the names of variables and of the contract, NULL-terminated; to be freed. */
static const char **list_known(const gannet_problem *problem, gannet_placeholder_scope scope) {
  const int n_variables = problem ? problem->spec.n_variables : 0;
  const char **known = NULL;
  int n = 0;
  if (gannet_alloc((size_t)n_variables + 16, sizeof *known, &known) != GANNET_OK) {
    gannet_error_clear(); /* then nothing is suggested */
    return NULL;
  }
  for (int i = 0; gannet_fixed_placeholders[i]; ++i) known[n++] = gannet_fixed_placeholders[i];
  if (scope.nearest) known[n++] = gannet_nearest_placeholder;
  for (int i = 0; scope.place && gannet_place_placeholders[i]; ++i)
    known[n++] = gannet_place_placeholders[i];
  for (int k = 0; k < n_variables; ++k) known[n++] = problem->spec.variables[k].name;
  return known;
}

static bool is_comment(const source *s, size_t at) {
  size_t begin = at;
  while (begin > 0 && s->text[begin - 1] != '\n') --begin;
  while (begin < at && strchr(" \t", s->text[begin])) ++begin;
  return s->text[begin] == '#' && strncmp(s->text + begin, "#SBATCH", 7) != 0;
}

/* Complain about an unknown placeholder, and say how the text can be kept as it is. */
static void complain_unknown(const source *s, const gannet_placeholder *found) {
  char location[400], shown[SHOWN];
  const char **known = list_known(s->check->problem, s->check->scope);
  const char *near = known ? gannet_nearest(found->name, known) : NULL;
  const bool is_comment_of_script = s->text_kind == GANNET_IN_SCRIPT && is_comment(s, found->begin);
  bool is_of_place = false;
  for (int i = 0; gannet_place_placeholders[i]; ++i)
    is_of_place = is_of_place || strcmp(found->name, gannet_place_placeholders[i]) == 0;
  if (!is_comment_of_script && is_of_place) {
    write_location(s, found->begin, location, sizeof location);
    gannet_complain(s->check->complaints, location,
                    "'%s' is a placeholder only with evaluate.resources; say what a simulation "
                    "needs, or write a backslash before it",
                    found->name);
  } else if (!is_comment_of_script && strcmp(found->name, gannet_nearest_placeholder) == 0) {
    write_location(s, found->begin, location, sizeof location);
    gannet_complain(s->check->complaints, location,
                    "'nearest' is a placeholder only with evaluate.start_from: nearest; set that, "
                    "or write a backslash before it");
  } else if (!is_comment_of_script && (found->is_field || near)) {
    write_location(s, found->begin, location, sizeof location);
    write_placeholder(s, found->begin, found->end, shown, sizeof shown);
    const int opening = (int)strcspn(shown, found->name);
    gannet_complain(
        s->check->complaints, location,
        "'%s' is not a variable and not one of %s%s%.*s%s%s%s; if it is not a placeholder, "
        "write a backslash before it, or choose other marks with evaluate.placeholders",
        shown, gannet_fixed_placeholder_list, near ? "; did you mean '" : "", near ? opening : 0,
        shown, near ? near : "", near ? shown + opening + strlen(found->name) : "",
        near ? "'?" : "");
  }
  gannet_free(&known);
}

static void warn_of_near(source *s, const gannet_placeholder *found) {
  char shown[SHOWN];
  const gannet_problem *problem = s->check->problem;
  for (int k = 0; problem && k < problem->spec.n_variables; ++k) {
    const char *variable = problem->spec.variables[k].name;
    const bool is_a_letter_away = strlen(found->name) > 2 && strlen(variable) > 2 &&
                                  gannet_name_distance(found->name, variable) == 1;
    if (strcasecmp(found->name, variable) != 0 && !is_a_letter_away) continue;
    write_placeholder(s, found->begin, found->end, shown, sizeof shown);
    if (!is_told(s, found->name))
      warn(s, found->begin,
           "'%s' stays as it is, because there is no such variable; did you mean '%s'?", shown,
           variable);
    return;
  }
}

static const char *const expected_format =
    "expected [<|>|^][+][0][width][.precision][d|f|e|E|D|g|G|s], as in 8.4f, .3e or 03d";

static void tell_wrong_format(source *s, const gannet_placeholder *found, const char *why) {
  char location[400], shown[SHOWN];
  write_location(s, found->begin, location, sizeof location);
  write_placeholder(s, found->begin, found->end, shown, sizeof shown);
  if (s->text_kind != GANNET_IN_TEMPLATE)
    gannet_complain(s->check->complaints, location, "the format of '%s' is wrong: %s", shown, why);
  else if (s->check->setup->context && !is_told(s, shown))
    warn(s, found->begin, "'%s' stays as it is, because its format is wrong: %s", shown, why);
}

/* How many values a variable is tried with. */
enum { TRIED = 101 };

static double tried_value(const gannet_variable *v, int i) {
  const double share = (double)i / (TRIED - 1);
  if (gannet_variable_has_words(v) || v->type == GANNET_VARIABLE_BOOLEAN) return i;
  if (v->step > 0 || gannet_variable_has_numbers(v))
    return gannet_variable_value(v, (int64_t)round(share * (gannet_variable_count(v) - 1)));
  const double x = i == 0                         ? v->lower
                   : i == TRIED - 1               ? v->upper
                   : v->scale == GANNET_SCALE_LOG ? v->lower * pow(v->upper / v->lower, share)
                                                  : v->lower + share * (v->upper - v->lower);
  return v->type == GANNET_VARIABLE_INTEGER ? round(x) : x;
}

static void warn_of_misfit(source *s, const gannet_placeholder *found, const char *written) {
  char shown[SHOWN];
  write_placeholder(s, found->begin, found->end, shown, sizeof shown);
  warn(s, found->begin,
       "'%s' has no room for %.100s: evaluations with such values fail without being run; "
       "give it a larger width or fewer digits",
       shown, written);
}

static void warn_of_loss(source *s, const gannet_placeholder *found, const char *written,
                         const char *one, const char *other) {
  char shown[SHOWN];
  write_placeholder(s, found->begin, found->end, shown, sizeof shown);
  warn(s, found->begin,
       "'%s' writes %.100s for %s as for %s: designs that differ look equal to the simulation; "
       "give it more digits",
       shown, written, one, other);
}

/* Write values from the whole range of a variable in its format. Warn of the first that does not
 * fit, and of the first two that look equal. */
static gannet_err try_values(source *s, const gannet_placeholder *found, const gannet_variable *v) {
  const gannet_field_kind kind = gannet_variable_kind(v);
  const gannet_problem *problem = s->check->problem;
  const int variable = (int)(v - problem->spec.variables);
  double fixed;
  const bool is_fixed = gannet_problem_is_fixed(problem, variable, &fixed);
  const int n_tried = is_fixed                             ? 1
                      : v->role == GANNET_ROLE_DERIVED     ? 0 /* its range is not known */
                      : gannet_variable_has_words(v)       ? v->n_values
                      : v->type == GANNET_VARIABLE_BOOLEAN ? 2
                                                           : TRIED;
  gannet_text now = {0}, before = {0};
  gannet_err err = GANNET_OK;
  bool fits = true, differs = true;
  double last = NAN;
  for (int i = 0; err == GANNET_OK && fits && differs && i < n_tried; ++i) {
    char number[64] = "", earlier[64];
    const double value = is_fixed ? fixed : tried_value(v, i);
    const bool is_text = kind == GANNET_FIELD_TEXT_KIND;
    if (!is_text) gannet_problem_format(problem, variable, value, number, sizeof number);
    now.used = 0;
    err = gannet_field_write(&found->field, kind, value, is_text ? v->values[(int)value] : number,
                             &now, &fits);
    if (err != GANNET_OK) break;
    if (!fits) warn_of_misfit(s, found, now.text);
    differs = is_text || i == 0 || value == last || strcmp(now.text, before.text) != 0;
    if (!differs) {
      (void)snprintf(earlier, sizeof earlier, "%.10g", last);
      (void)snprintf(number, sizeof number, "%.10g", value);
      warn_of_loss(s, found, now.text, earlier, number);
    }
    const gannet_text swap = before;
    before = now;
    now = swap;
    last = value;
  }
  gannet_free(&now.text);
  gannet_free(&before.text);
  return err;
}

static void check_format(source *s, const gannet_placeholder *found, gannet_field_kind kind,
                         const gannet_variable *variable) {
  enum { SEED_DIGITS = 20 };
  char shown[SHOWN];
  if (!found->is_field) {
    tell_wrong_format(s, found, expected_format);
    return;
  }
  const char *why = gannet_field_refuse(&found->field, kind);
  if (why) {
    tell_wrong_format(s, found, why);
    return;
  }
  write_placeholder(s, found->begin, found->end, shown, sizeof shown);
  if (!s->check->setup->context || is_told(s, shown)) return;
  if (variable && try_values(s, found, variable) != GANNET_OK) gannet_error_clear();
  const bool is_narrow = found->field.width > 0 && found->field.width < SEED_DIGITS;
  if (!variable && strcmp(found->name, "seed") == 0 && is_narrow)
    warn_of_misfit(s, found, "18446744073709551615");
}

/* Complain about a placeholder whose value is not known when its text is written. */
static void complain_late(const source *s, const gannet_placeholder *found) {
  char location[400];
  const char *name = found->name + (strncmp(found->name, "gannet.", 7) == 0 ? 7 : 0);
  const bool is_gpus = strcmp(name, "gpus") == 0, is_hosts = strcmp(name, "hosts") == 0;
  const bool is_chosen_later = is_gpus && s->check->steps_choose_gpus;
  const bool is_in_file = s->check->place_is_late && s->text_kind != GANNET_IN_CAMPAIGN;
  if (!is_chosen_later && !(is_in_file && (is_gpus || is_hosts))) return;
  write_location(s, found->begin, location, sizeof location);
  if (is_chosen_later) {
    gannet_complain(s->check->complaints, location,
                    "{%s} is not known before srun starts the simulation, as SLURM then chooses "
                    "its GPUs; read $CUDA_VISIBLE_DEVICES or $ROCR_VISIBLE_DEVICES in the "
                    "simulation, or name GPUs in resources.devices",
                    found->name);
    return;
  }
  gannet_complain(s->check->complaints, location,
                  "{%s} is not known when this file is written, as SLURM chooses when the job "
                  "begins; read $GANNET_%s in the simulation, or hand {%s} over in "
                  "evaluate.command or evaluate.environment",
                  found->name, is_gpus ? "GPUS" : "HOSTS", found->name);
}

static void look_through(source *s) {
  gannet_placeholder found;
  for (size_t at = 0; gannet_placeholder_next(&s->delimiters, s->text, s->size, &at, &found);) {
    const gannet_variable *variable;
    gannet_field_kind kind;
    const bool is_known =
        gannet_placeholder_kind(s->check->problem, s->check->scope, found.name, &kind, &variable);
    if (found.is_escaped) continue;
    if (is_known) {
      s->names_variable = s->names_variable || (variable && found.is_field);
      if (found.has_format) check_format(s, &found, kind, variable);
      if (!variable) complain_late(s, &found);
      continue;
    }
    at = found.begin + 1;
    if (!s->check->problem) continue;
    if (s->text_kind != GANNET_IN_TEMPLATE)
      complain_unknown(s, &found);
    else
      warn_of_near(s, &found);
  }
}

/* The variable whose name begins at a place, or NULL. */
static const char *variable_at(const source *s, size_t at, size_t *length) {
  const gannet_problem *problem = s->check->problem;
  size_t n = 0;
  while (at + n < s->size && (isalnum((unsigned char)s->text[at + n]) || s->text[at + n] == '_'))
    ++n;
  for (int k = 0; problem && n > 0 && k < problem->spec.n_variables; ++k) {
    const char *name = problem->spec.variables[k].name;
    if (strlen(name) == n && memcmp(name, s->text + at, n) == 0) {
      *length = n;
      return name;
    }
  }
  return NULL;
}

/* Warn of texts that look like placeholders and are none, such as "{ x }" and "{x*1000}". */
static void warn_of_almost(source *s) {
  enum { LONGEST = 60 };
  const char *opening = s->delimiters.pair[0].opening, *closing = s->delimiters.pair[0].closing;
  const size_t o = strlen(opening), c = strlen(closing);
  char shown[SHOWN];
  for (size_t i = 0; i + o < s->size; ++i) {
    size_t begin = i + o, length = 0;
    if (memcmp(s->text + i, opening, o) != 0) continue;
    if (i > 0 && strchr("$\\", s->text[i - 1])) continue;
    while (begin < s->size && s->text[begin] == ' ') ++begin;
    const char *name = variable_at(s, begin, &length);
    const size_t behind = begin + length;
    if (!name || behind >= s->size) continue;
    const bool is_padded = begin > i + o || s->text[behind] == ' ';
    if (!is_padded && !strchr("*/+-%^[!", s->text[behind])) continue;
    size_t end = behind;
    while (end + c <= s->size && end - i < LONGEST && s->text[end] != '\n' &&
           memcmp(s->text + end, closing, c) != 0)
      end += !is_padded || s->text[end] == ' ' ? 1 : (size_t)LONGEST;
    if (end + c > s->size || end - i >= LONGEST || memcmp(s->text + end, closing, c) != 0) continue;
    write_placeholder(s, i, end + c, shown, sizeof shown);
    if (!is_told(s, shown))
      warn(s, i,
           "'%s' stays as it is; a placeholder is a name, perhaps with a format, as in '%s%s%s' "
           "and '%s%s:8.4f%s'",
           shown, opening, name, closing, opening, name, closing);
  }
}

static source make_source(const gannet_placeholder_check *check, gannet_text_kind text_kind,
                          const char *key) {
  const gannet_contract contract = {.delimiters = check->delimiters};
  return (source){.check = check,
                  .text_kind = text_kind,
                  .key = key,
                  .delimiters = gannet_contract_delimiters(&contract, text_kind)};
}

void gannet_check_campaign_texts(const gannet_placeholder_check *check, const char *key,
                                 const gannet_text_list *texts) {
  for (int i = 0; i < texts->n; ++i) {
    source s = make_source(check, GANNET_IN_CAMPAIGN, key);
    s.text = texts->item[i];
    s.size = strlen(s.text);
    look_through(&s);
    if (check->setup->context) warn_of_almost(&s);
  }
}

/* Read a file; NULL when it cannot be read, about which other checks complain. */
static char *read_text(const gannet_placeholder_check *check, const char *name, size_t *size) {
  char path[PATH_MAX], *text = NULL;
  const char *start = check->input_directory ? check->input_directory : ".";
  if (gannet_join_path(name[0] == '/' ? "" : start, name, path, sizeof path) != GANNET_OK ||
      gannet_file_read(path, &text, size) != GANNET_OK)
    gannet_error_clear();
  return text;
}

void gannet_check_script(const gannet_placeholder_check *check, const char *key, const char *name) {
  source s = make_source(check, GANNET_IN_SCRIPT, key);
  char *text = read_text(check, name, &s.size);
  s.name = name;
  s.text = text;
  if (text) look_through(&s);
  if (text && check->setup->context) warn_of_almost(&s);
  gannet_free(&text);
}

/* Whether a text has ${name} of a variable, which is left to others. */
static bool has_dollars(const source *s) {
  for (size_t i = 0; i + 2 < s->size; ++i) {
    size_t length;
    if (s->text[i] == '$' && s->text[i + 1] == '{' && variable_at(s, i + 2, &length)) return true;
  }
  return false;
}

void gannet_check_template_texts(const gannet_placeholder_check *check, const char *key, bool each,
                                 const gannet_text_list *templates) {
  char names[300] = "";
  bool dollars = false, some_names_variable = false;
  if (!check->setup->context || check->setup->context->rank != 0) return;
  for (int i = 0; i < templates->n; ++i) {
    source s = make_source(check, GANNET_IN_TEMPLATE, key);
    char *text = read_text(check, templates->item[i], &s.size);
    s.name = templates->item[i];
    s.text = text;
    if (text) {
      look_through(&s);
      warn_of_almost(&s);
    }
    some_names_variable = some_names_variable || s.names_variable;
    const bool is_program = text && strncmp(text, "#!", 2) == 0; /* copied to be run */
    if (text && check->problem && !s.names_variable && !is_program) {
      const size_t used = strlen(names);
      (void)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", s.name);
      dollars = dollars || has_dollars(&s);
    }
    gannet_free(&text);
  }
  if (*names && (each || !some_names_variable))
    gannet_evaluator_warn(check->setup, key,
                          "no variable in %s: every evaluation gets the same text%s", names,
                          dollars ? "; ${name} stays as it is, write {name}" : "");
}

void gannet_check_plain_texts(const gannet_placeholder_check *check, const char *key, int n,
                              char *const *texts, const char *instead) {
  const source s = make_source(check, GANNET_IN_CAMPAIGN, key);
  for (int i = 0; i < n; ++i) {
    gannet_placeholder found;
    const size_t size = strlen(texts[i]);
    for (size_t at = 0; gannet_placeholder_next(&s.delimiters, texts[i], size, &at, &found);) {
      const gannet_variable *variable;
      gannet_field_kind kind;
      if (found.is_escaped ||
          !gannet_placeholder_kind(check->problem, check->scope, found.name, &kind, &variable))
        continue;
      gannet_complain(check->complaints, key, "'%.*s': %s", (int)(found.end - found.begin),
                      texts[i] + found.begin, instead);
    }
  }
}
