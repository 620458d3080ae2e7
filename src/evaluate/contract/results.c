/* Reading what a simulation reports. */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/open_file.h"
#include "base/option.h"
#include "evaluate/contract/contract.h"
#include "evaluate/contract/json_text.h"
#include "evaluate/contract/number_part.h"
#include "evaluate/contract/quantities.h"
#include "evaluate/result_record.h"

enum {
  LARGEST_FILE = 16 << 20, /* of results.out, bytes */
  NUMBER_SIZE = 512        /* 1e308 has 309 digits when a program prints all of them */
};

/* A quantity that is still NAN has not been given: NAN itself is refused when it comes. */
typedef struct {
  const gannet_problem *problem;
  gannet_result_record *result;
} reader;

static double *quantity(const reader *to, int index) {
  return index == 0 ? &to->result->objective : &to->result->constraints[index - 1];
}

static const char *quantity_name(const gannet_problem *problem, int index) {
  return index == 0 ? "objective" : problem->spec.constraints[index - 1].name;
}

/* Setters return 0, or -1 with the reason in the result. */
static int set(const reader *to, int index, double value, const char *location) {
  const char *name = quantity_name(to->problem, index);
  if (!isfinite(value)) {
    gannet_result_fail(to->result, false, "%s: %s is %g, expected a finite number", location, name,
                       value);
    return -1;
  }
  if (!isnan(*quantity(to, index))) {
    gannet_result_fail(to->result, false, "%s: %s is given twice", location, name);
    return -1;
  }
  *quantity(to, index) = value;
  return 0;
}

static const char *nearest_name(const gannet_problem *problem, const char *name) {
  const char *known[64] = {"objective", "fail"};
  for (int j = 0; j < problem->spec.n_constraints && j + 3 < 64; ++j)
    known[j + 2] = problem->spec.constraints[j].name;
  return gannet_nearest(name, known);
}

static int refuse_name(const reader *to, const char *name, const char *location) {
  const char *near = nearest_name(to->problem, name);
  char list[100];
  gannet_quantity_list(to->problem, list, sizeof list);
  gannet_result_fail(
      to->result, false,
      "%s: '%.60s' is neither objective nor a constraint of this campaign%s%s%s; known: "
      "objective%s",
      location, name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", list);
  return -1;
}

/* A name and its number with another sign than a blank between, as in objective=1. */
static bool is_joined(const reader *to, const char *name) {
  char first[64];
  const size_t length = strcspn(name, "=:,;");
  (void)snprintf(first, sizeof first, "%.*s", (int)length, name);
  return name[length] && gannet_quantity_find(to->problem, first) >= 0;
}

/* Also nan and infinity, which are told as such. */
static int parse_number(const char *text, double *value) {
  char *end = NULL;
  if (!gannet_parse_number(text, value)) return 0;
  const size_t size = gannet_number_read(text, GANNET_NUMBER_ANY, value);
  if (size > 0) return text[size] ? -1 : 0; /* beyond all numbers */
  *value = strtod(text, &end);
  return end == text || *end || isfinite(*value) ? -1 : 0;
}

static int set_text(const reader *to, int index, const char *text, const char *location) {
  double value = NAN;
  if (parse_number(text, &value)) {
    gannet_result_fail(to->result, false, "%s: %s is '%.60s', expected a number%s", location,
                       quantity_name(to->problem, index), text, gannet_number_hint(text));
    return -1;
  }
  return set(to, index, value, location);
}

static int declare_cannot_run(const reader *to, const char *reason) {
  gannet_result_fail(to->result, false, "%s", *reason ? reason : "the simulation gave no reason");
  gannet_result_cannot_run(to->result, GANNET_FAILURE_WORD);
  return -1;
}

static char *trim(char *text) {
  text += strspn(text, " \t\r");
  size_t size = strlen(text);
  while (size > 0 && strchr(" \t\r", text[size - 1])) --size;
  text[size] = '\0';
  return text;
}

static int read_line(const reader *to, char *line, const char *location) {
  char *name = trim(line), *value;
  if (!*name || *name == '#') return 0;
  value = name + strcspn(name, " \t");
  if (*value) *value++ = '\0';
  value = trim(value);
  if (strcmp(name, "fail") == 0) return declare_cannot_run(to, value);
  const int index = gannet_quantity_find(to->problem, name);
  if (index >= 0) return set_text(to, index, value, location);
  if (!is_joined(to, name)) return refuse_name(to, name, location);
  gannet_result_fail(to->result, false,
                     "%s: '%.60s', expected a name, a blank and a number, as in objective 1.23",
                     location, name);
  return -1;
}

/* Whether a line is that of fail REASON. */
static bool says_fail(const char *line) {
  const char *word = line + strspn(line, " \t\r");
  return strncmp(word, "fail", 4) == 0 && (!word[4] || strchr(" \t\r", word[4]));
}

/* After a line that cannot be used only fail counts, which is the simulation's own word. */
static int read_lines(const reader *to, char *text) {
  char location[48];
  int number = 0, failed = 0;
  for (char *line = text; line; ++number) {
    char *end = strchr(line, '\n');
    if (end) *end++ = '\0';
    (void)snprintf(location, sizeof location, "results.out line %d", number + 1);
    const bool says = says_fail(line);
    if (!failed || says) failed = read_line(to, line, location);
    if (says) return failed;
    line = end;
  }
  return failed;
}

static const size_t how_to_load = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL;

/* The member "fail": a text is the reason, and programs write flags as true and false or as
 * numbers. Returns 0 when it says that the design is good. */
static int read_fail(const reader *to, const json_t *fail) {
  if (!fail || json_is_false(fail) || json_is_null(fail)) return 0;
  if (json_is_string(fail)) return declare_cannot_run(to, json_string_value(fail));
  if (json_is_number(fail) && !(fabs(json_number_value(fail)) > 0)) return 0;
  if (json_is_true(fail) || json_is_number(fail)) return declare_cannot_run(to, "");
  gannet_result_fail(to->result, false,
                     "results.out: fail is a list or an object, expected a reason, true or false");
  return -1;
}

static int read_members(const reader *to, json_t *object) {
  const char *name = NULL;
  json_t *value = NULL;
  json_t *fail = json_object_get(object, "fail");
  if (read_fail(to, fail)) return -1;
  json_object_foreach(object, name, value) {
    if (value == fail) continue;
    const int index = gannet_quantity_find(to->problem, name);
    if (index < 0) return refuse_name(to, name, "results.out");
    if (!json_is_number(value)) {
      gannet_result_fail(to->result, false, "results.out: %s is not a number", name);
      return -1;
    }
    if (set(to, index, json_number_value(value), "results.out")) return -1;
  }
  return 0;
}

/* Of a text that is no JSON for its NaN or Infinity, as Python and NumPy write them, the word fail
 * counts all the same; nothing else does. */
static void read_word(const reader *to, char *text, size_t size) {
  if (!gannet_json_blank_words(text, size)) return;
  json_t *object = json_loadb(text, size, how_to_load, NULL);
  (void)!read_fail(to, json_object_get(object, "fail"));
  json_decref(object);
}

static int read_json(const reader *to, char *text, size_t size) {
  json_error_t error;
  json_t *object = json_loadb(text, size, how_to_load, &error);
  if (!object) {
    gannet_result_fail(to->result, false, "results.out line %d column %d: %s", error.line,
                       error.column, error.text);
    read_word(to, text, size);
    return -1;
  }
  const int failed = read_members(to, object);
  json_decref(object);
  return failed;
}

static int read_text(const reader *to, char *text, size_t size) {
  static const char mark[] = "\xef\xbb\xbf"; /* some editors and shells begin files with it */
  if (memchr(text, '\0', size)) {
    gannet_result_fail(to->result, false, "results.out holds zero bytes, expected text");
    return -1;
  }
  const size_t begin = strncmp(text, mark, 3) == 0 ? 3 : 0;
  if (text[begin + strspn(text + begin, " \t\r\n")] == '{')
    return read_json(to, text + begin, size - begin);
  return read_lines(to, text + begin);
}

/* A pipe could hold up the campaign, and a device fill its memory. */
static bool is_readable(const reader *to, const struct stat *about) {
  if (!S_ISREG(about->st_mode))
    gannet_result_fail(to->result, false, "results.out is not a regular file");
  else if (about->st_size > LARGEST_FILE)
    gannet_result_fail(to->result, false, "results.out has %lld bytes, expected at most %d",
                       (long long)about->st_size, LARGEST_FILE);
  else
    return true;
  return false;
}

/* 1 when there is no such file. */
static int read_file(const reader *to, const char *directory) {
  char path[PATH_MAX], *text = NULL;
  size_t size = 0;
  struct stat about;
  if (gannet_join_path(directory, "results.out", path, sizeof path) != GANNET_OK) return 1;
  if (stat(path, &about)) {
    const int error = errno;
    char why[GANNET_REASON_SIZE];
    if (error == ENOENT) return 1;
    (void)snprintf(why, sizeof why, "cannot look at results.out: %s", strerror(error));
    gannet_contract_fail_to_read(error, why, to->result);
    return -1;
  }
  if (!is_readable(to, &about)) return -1;
  if (gannet_file_read_within(path, LARGEST_FILE, GANNET_ERR_INPUT, &text, &size) != GANNET_OK) {
    gannet_contract_fail_to_read(errno, gannet_error_message(), to->result);
    gannet_error_clear();
    return -1;
  }
  const int failed = read_text(to, text, size);
  gannet_free(&text);
  return failed;
}

/* What a pattern found. */
typedef struct {
  char text[NUMBER_SIZE + 1]; /* as much as is too long for a number, where there is more */
  bool is_torn;       /* its line has zero bytes: the text may be a part of the number only */
  bool is_part;       /* of the number whole */
  bool is_comma_part; /* the same, for a comma that is beside the group */
  bool takes_comma;   /* which the match has in it */
  char whole[64];
} finding;

static bool takes_comma(const char *line, const regmatch_t *all, const regmatch_t *part) {
  return (all->rm_so < part->rm_so && line[part->rm_so - 1] == ',') ||
         (all->rm_eo > part->rm_eo && line[part->rm_eo] == ',');
}

/* The last line of the output that matches wins. */
static bool take(void *user, int which, const char *line, const regmatch_t *match, bool torn) {
  finding *found = (finding *)user + which;
  const regmatch_t *part = &match[match[1].rm_so >= 0];
  const char *text = line + part->rm_so, *end = line + part->rm_eo;
  while (text < end && strchr(" \t\r", *text)) ++text;
  (void)snprintf(found->text, sizeof found->text, "%.*s", (int)(end - text), text);
  found->is_torn = torn;
  found->is_part = gannet_is_number_part(line, (size_t)(part->rm_so), (size_t)part->rm_eo,
                                         found->whole, sizeof found->whole);
  found->takes_comma = takes_comma(line, match, part);
  found->is_comma_part =
      !found->is_part && gannet_is_comma_part(line, (size_t)part->rm_so, (size_t)part->rm_eo,
                                              found->whole, sizeof found->whole);
  return false;
}

static int refuse_part(const reader *to, const finding *found, const char *location) {
  gannet_result_fail(
      to->result, false,
      "%s: takes only '%.40s' of '%s' in stdout.log; expected a group that takes all "
      "of the number, as " GANNET_NUMBER_GROUP
      " does, and before it nothing that takes digits, "
      "as .* does",
      location, found->text, found->whole);
  return -1;
}

static int refuse_comma_part(const reader *to, const finding *found, const char *location) {
  gannet_result_fail(
      to->result, false,
      "%s: takes only '%.40s' of '%s' in stdout.log; expected a number without commas, or, where "
      "the comma is between two numbers, an expression that takes it along, as ([^,]+), does",
      location, found->text, found->whole);
  return -1;
}

/* -1 when the text is a part of a number, unless the expression shows that it means that part. */
static int refuse_cut(const reader *to, const gannet_patterns *patterns, int i,
                      const finding *found, const char *location) {
  const bool knows_commas = patterns->has_comma[i] && found->takes_comma;
  if (patterns->by_columns[i]) return 0;
  if (found->is_part) return refuse_part(to, found, location);
  return found->is_comma_part && !knows_commas ? refuse_comma_part(to, found, location) : 0;
}

static int set_found(const reader *to, const gannet_patterns *patterns, finding *found) {
  char location[64];
  for (int i = 0; i < patterns->n; ++i) {
    char *text = trim(found[i].text);
    const char *name = quantity_name(to->problem, patterns->quantity[i]);
    (void)snprintf(location, sizeof location, "pattern of %.40s", name);
    if (!*text) {
      gannet_result_fail(to->result, false, "%s: nothing in stdout.log matches", location);
      return -1;
    }
    if (found[i].is_torn) {
      gannet_result_fail(to->result, false,
                         "%s: the line of stdout.log that matches holds zero bytes, expected text",
                         location);
      return -1;
    }
    if (refuse_cut(to, patterns, i, &found[i], location)) return -1;
    if (set_text(to, patterns->quantity[i], text, location)) return -1;
  }
  return 0;
}

static int search_output(const reader *to, const gannet_outcome_rules *rules, const char *directory,
                         finding *found) {
  char what[64];
  const gannet_patterns *patterns = rules->patterns;
  const gannet_search search = {
      .n = patterns->n, .regex = patterns->regex, .has_places = true, .take = take, .user = found};
  const gannet_search_report report =
      gannet_search_file(&search, directory, "stdout.log", &rules->limits);
  if (report.end == GANNET_SEARCH_OVER) return set_found(to, patterns, found);
  (void)snprintf(what, sizeof what, "pattern of %.40s",
                 quantity_name(to->problem, patterns->quantity[report.slowest]));
  gannet_contract_fail_search(&report, what, "stdout.log", to->result);
  return -1;
}

static int read_output(const reader *to, const gannet_outcome_rules *rules, const char *directory) {
  finding *found = NULL;
  int failed = -1;
  if (rules->patterns->n == 0) return 0;
  if (gannet_alloc((size_t)rules->patterns->n, sizeof *found, &found) == GANNET_OK) {
    failed = search_output(to, rules, directory, found);
  } else {
    gannet_contract_fail_to_read(ENOMEM, gannet_error_message(), to->result);
    gannet_error_clear();
  }
  gannet_free(&found);
  return failed;
}

static int check_complete(const reader *to, int no_file) {
  for (int index = 0; index <= to->problem->spec.n_constraints; ++index)
    if (isnan(*quantity(to, index))) {
      gannet_result_fail(
          to->result, false,
          no_file ? "no results.out, so %s is missing" : "results.out: %s is missing",
          quantity_name(to->problem, index));
      return -1;
    }
  return 0;
}

bool gannet_contract_is_torn(const char *directory) {
  char path[PATH_MAX], *text = NULL;
  size_t size = 0;
  if (gannet_join_path(directory, "results.out", path, sizeof path) != GANNET_OK ||
      gannet_file_read_within(path, LARGEST_FILE, GANNET_ERR_INPUT, &text, &size) != GANNET_OK) {
    gannet_error_clear();
    return false;
  }
  const bool torn = size > 0 && text[size - 1] != '\n' && text[strspn(text, " \t\r\n")] != '{';
  gannet_free(&text);
  return torn;
}

static void forget_numbers(const gannet_problem *problem, gannet_result_record *result) {
  result->objective = NAN;
  for (int j = 0; j < problem->spec.n_constraints; ++j) result->constraints[j] = NAN;
}

bool gannet_contract_says_cannot_run(const gannet_problem *problem, const char *directory,
                                     gannet_result_record *result) {
  const reader to = {problem, result};
  (void)!read_file(&to, directory); /* what else is there does not matter */
  forget_numbers(problem, result);
  return result->status == GANNET_EVAL_CANNOT_RUN;
}

void gannet_contract_read_results(const gannet_problem *problem, const gannet_outcome_rules *rules,
                                  const char *directory, gannet_result_record *result) {
  const reader to = {problem, result};
  const int from_file = read_file(&to, directory); /* first, because it may say fail */
  int failed = from_file < 0 || read_output(&to, rules, directory);
  if (!failed) failed = check_complete(&to, from_file == 1);
  if (!failed) {
    gannet_result_check_numbers(problem, result);
    return;
  }
  forget_numbers(problem, result);
}
