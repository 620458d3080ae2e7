/* Reading what a simulation reports: results.out, and what patterns find in stdout.log. */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/option.h"
#include "evaluate/contract/contract.h"
#include "evaluate/contract/json_text.h"
#include "evaluate/contract/number_part.h"
#include "evaluate/result_record.h"

enum {
  PASSED_OVER_SIZE = 80,
  LARGEST_FILE = 16 << 20, /* of results.out, bytes */
  NUMBER_SIZE = 512        /* 1e308 has 309 digits when a program prints all of them */
};

/* For messages: a group that takes the number, or nan, or the stars of Fortran. A diverged run must
 * not be taken for an earlier line of it. */
#define NUMBER_GROUP "([^ ]*)"

/* The index of what a simulation reports by name: 0 = objective, j + 1 = constraint j, -1 =
 * unknown. */
static int find_quantity(const gannet_problem *problem, const char *name) {
  if (strcmp(name, "objective") == 0) return 0;
  const int constraint = gannet_problem_find_constraint(problem, name);
  return constraint < 0 ? -1 : constraint + 1;
}

/* List the names of the constraints for messages, with a blank before each. */
static void list_quantities(const gannet_problem *problem, char *list, size_t size) {
  size_t used = 0;
  list[0] = '\0';
  for (int j = 0; j < problem->spec.n_constraints; ++j) {
    const int more = snprintf(list + used, size - used, " %s", problem->spec.constraints[j].name);
    if (more > 0 && used + (size_t)more < size) used += (size_t)more;
  }
}

#define EXAMPLE "'objective=^drag: *" NUMBER_GROUP "'"

static void compile_pattern(const char *text, const gannet_problem *problem,
                            gannet_complaints *complaints, gannet_patterns *patterns) {
  char name[128], reason[200];
  const char *equals = strchr(text, '=');
  regex_t *regex = &patterns->regex[patterns->n];
  if (!equals || equals == text || (size_t)(equals - text) >= sizeof name) {
    gannet_complain(complaints, "evaluate.pattern",
                    "'%s' is not of the form name=regular-expression, as in " EXAMPLE, text);
    return;
  }
  (void)snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
  if (problem && find_quantity(problem, name) < 0) {
    char list[400];
    list_quantities(problem, list, sizeof list);
    gannet_complain(
        complaints, "evaluate.pattern",
        "'%s' is neither objective nor a constraint of this campaign; known: objective%s", name,
        list);
    return;
  }
  const int failed = regcomp(regex, equals + 1, REG_EXTENDED);
  if (failed) {
    (void)regerror(failed, regex, reason, sizeof reason);
    gannet_complain(complaints, "evaluate.pattern", "'%s': %s; expected as in " EXAMPLE, equals + 1,
                    reason);
    return;
  }
  patterns->by_columns[patterns->n] = strchr(equals, '{') != NULL;
  patterns->has_comma[patterns->n] = strchr(equals, ',') != NULL;
  patterns->quantity[patterns->n++] = problem ? find_quantity(problem, name) : 0;
  bool is_taken = false;
  for (int i = 0; i < patterns->n - 1; ++i)
    is_taken = is_taken || patterns->quantity[i] == patterns->quantity[patterns->n - 1];
  if (problem && is_taken)
    gannet_complain(complaints, "evaluate.pattern", "'%s' has two patterns; leave one out", name);
}

gannet_err gannet_patterns_create(const gannet_text_list *texts, const gannet_problem *problem,
                                  gannet_complaints *complaints, gannet_patterns *patterns) {
  const size_t n = (size_t)texts->n;
  GANNET_TRY(gannet_alloc(n, sizeof *patterns->quantity, &patterns->quantity));
  GANNET_TRY(gannet_alloc(n, sizeof *patterns->by_columns, &patterns->by_columns));
  GANNET_TRY(gannet_alloc(n, sizeof *patterns->has_comma, &patterns->has_comma));
  GANNET_TRY(gannet_alloc(n, sizeof *patterns->regex, &patterns->regex));
  for (int i = 0; i < texts->n; ++i) compile_pattern(texts->item[i], problem, complaints, patterns);
  return GANNET_OK;
}

void gannet_patterns_release(gannet_patterns *patterns) {
  for (int i = 0; i < patterns->n; ++i) regfree(&patterns->regex[i]);
  gannet_free(&patterns->quantity);
  gannet_free(&patterns->by_columns);
  gannet_free(&patterns->has_comma);
  gannet_free(&patterns->regex);
  patterns->n = 0;
}

bool gannet_contract_is_transient(int error) {
  static const int passing[] = {EAGAIN,    ENOMEM,       ENFILE,       EMFILE,      EIO,
                                ESTALE,    ETXTBSY,      EINTR,        EREMOTEIO,   ETIMEDOUT,
                                ENOTCONN,  ESHUTDOWN,    ECONNREFUSED, ECONNRESET,  ECONNABORTED,
                                EHOSTDOWN, EHOSTUNREACH, ENETDOWN,     ENETUNREACH, EKEYEXPIRED};
  for (size_t i = 0; i < sizeof passing / sizeof *passing; ++i)
    if (error == passing[i]) return true;
  return false;
}

void gannet_contract_fail_search(const gannet_search_report *report, const char *what,
                                 const char *name, gannet_result_record *result) {
  if (report->end == GANNET_SEARCH_STOPPED) {
    result->status = GANNET_EVAL_PENDING;
    return;
  }
  if (report->end == GANNET_SEARCH_FAILED) {
    char why[GANNET_REASON_SIZE];
    (void)snprintf(why, sizeof why, "cannot read %s: %s", name, report->why);
    gannet_contract_fail_to_read(report->error, why, result);
  } else {
    gannet_result_fail(result, false,
                       "%s takes too long on %s: let the expression begin with ^ and the words "
                       "before the number, or the simulation print shorter lines",
                       what, name);
  }
  result->run.crashed = false; /* whatever it was, it was not the design */
}

void gannet_contract_fail_to_read(int error, const char *why, gannet_result_record *result) {
  gannet_result_fail(result, false, "%s", why);
  if (!gannet_contract_is_transient(error)) return;
  result->status = GANNET_EVAL_PENDING;
  result->run.crashed = false;
}

bool gannet_contract_is_unread(const gannet_result_record *result) {
  return result->status == GANNET_EVAL_PENDING && result->run.reason[0];
}

/* Where results go. The objective or a constraint that is still NAN was not given yet: a NAN that
 * is given is refused. */
typedef struct {
  const gannet_problem *problem;
  gannet_result_record *result;
  char *passed_over; /* [PASSED_OVER_SIZE] the first line without a number, "" = none */
} reader;

static double quantity_value(const reader *to, int index) {
  return index == 0 ? to->result->objective : to->result->constraints[index - 1];
}

static const char *quantity_name(const gannet_problem *problem, int index) {
  return index == 0 ? "objective" : problem->spec.constraints[index - 1].name;
}

/* Setters return 0, or -1 with the reason in the result. A quantity that the campaign does not ask
 * for is recorded as far as it can be, and never fails an evaluation: the last value of a name
 * counts, a name that cannot be one is passed over, and so is such a standard deviation. */
static int set_quantity(const reader *to, gannet_quantity quantity, const char *location) {
  const int index = find_quantity(to->problem, quantity.name);
  if (index >= 0 && !isfinite(quantity.value)) {
    gannet_result_fail(to->result, false, "%s: %s is %g, expected a finite number", location,
                       quantity.name, quantity.value);
    return -1;
  }
  if (index >= 0 && !isnan(quantity_value(to, index))) {
    gannet_result_fail(to->result, false, "%s: %s is given twice", location, quantity.name);
    return -1;
  }
  if (index < 0 && !gannet_quantity_is_name(quantity.name)) return 0;
  if (index < 0 && !(isfinite(quantity.sd) && quantity.sd >= 0)) quantity.sd = 0;
  const gannet_err err = gannet_result_report(to->problem, &quantity, to->result);
  if (err == GANNET_OK) return 0;
  if (err == GANNET_ERR_MEMORY)
    gannet_contract_fail_to_read(ENOMEM, gannet_error_message(), to->result);
  else
    gannet_result_fail(to->result, false, "%s: %s", location, gannet_error_detail());
  gannet_error_clear();
  return -1;
}

/* A line with another name and no number is passed over, unless the name is nearly one that counts.
 */
static int refuse_misspelt(const reader *to, const char *name, const char *value,
                           const char *location) {
  const char *known[64] = {"objective", "fail"};
  char list[100];
  for (int j = 0; j < to->problem->spec.n_constraints && j + 3 < 64; ++j)
    known[j + 2] = to->problem->spec.constraints[j].name;
  const char *near = gannet_nearest(name, known);
  if (!near && !to->passed_over[0])
    (void)snprintf(to->passed_over, PASSED_OVER_SIZE, "%.16s has no number: '%.12s%s%.18s'",
                   location + strlen("results.out "), name, *value ? " " : "", value);
  if (!near) return 0;
  list_quantities(to->problem, list, sizeof list);
  gannet_result_fail(
      to->result, false,
      "%s: '%.60s' is neither objective nor a constraint of this campaign, and has no "
      "number; did you mean '%s'? Expected: objective%s, or fail",
      location, name, near, list);
  return -1;
}

/* Parse a number, also nan and infinity, which messages name as such. */
static int parse_number(const char *text, double *value) {
  char *end = NULL;
  if (!gannet_parse_number(text, value)) return 0;
  const size_t size = gannet_number_read(text, GANNET_NUMBER_ANY, value);
  if (size > 0) return text[size] ? -1 : 0; /* beyond all numbers */
  *value = strtod(text, &end);
  return end == text || *end || isfinite(*value) ? -1 : 0;
}

static int refuse_text(const reader *to, const char *what, const char *text, const char *location) {
  gannet_result_fail(to->result, false, "%s: %s is '%.60s', expected a number%s", location, what,
                     text, gannet_number_hint(text));
  return -1;
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

/* Cut the standard deviation off a value: "3.2 +- 0.1" or "3.2 ± 0.1"; NULL = there is none. */
static char *cut_deviation(char *value) {
  static const char sign[] = "\xc2\xb1"; /* plus or minus in UTF-8 */
  char *ascii = strstr(value, "+-"), *unicode = strstr(value, sign);
  char *at = ascii ? ascii : unicode;
  if (!at) return NULL;
  *at = '\0';
  return at + 2;
}

/* The name and the value of a line. */
static int read_value(const reader *to, const char *name, char *value, const char *location) {
  const bool is_asked_for = find_quantity(to->problem, name) >= 0;
  gannet_quantity quantity = {.name = name};
  char what[100], *deviation = cut_deviation(value);
  value = trim(value);
  if (parse_number(value, &quantity.value))
    return is_asked_for ? refuse_text(to, name, value, location)
                        : refuse_misspelt(to, name, value, location);
  (void)snprintf(what, sizeof what, "the standard deviation of %.60s", name);
  if (deviation) deviation = trim(deviation);
  if (deviation && parse_number(deviation, &quantity.sd)) quantity.sd = NAN;
  if (deviation && is_asked_for && !(isfinite(quantity.sd) && quantity.sd >= 0)) {
    gannet_result_fail(to->result, false, "%s: %s is '%.60s', expected a number from 0 on",
                       location, what, deviation);
    return -1;
  }
  return set_quantity(to, quantity, location);
}

static int read_line(const reader *to, char *line, const char *location) {
  char *name = trim(line), *value;
  if (!*name || *name == '#') return 0;
  value = name + strcspn(name, " \t");
  if (*value) *value++ = '\0';
  value = trim(value);
  if (strcmp(name, "fail") == 0) return declare_cannot_run(to, value);
  /* A name and its number with another sign than a blank between, as in objective=1. */
  char first[64];
  const size_t length = strcspn(name, "=:,;");
  (void)snprintf(first, sizeof first, "%.*s", (int)length, name);
  if (!name[length] || find_quantity(to->problem, first) < 0)
    return read_value(to, name, value, location);
  gannet_result_fail(to->result, false,
                     "%s: '%.60s', expected a name, a blank and a number, as in objective 1.23",
                     location, name);
  return -1;
}

/* Read the lines of results.out. After a line that cannot be used, only a line "fail REASON"
 * counts, for the simulation itself says so. */
static int read_lines(const reader *to, char *text) {
  char location[48];
  int number = 0, failed = 0;
  for (char *line = text; line; ++number) {
    char *end = strchr(line, '\n');
    if (end) *end++ = '\0';
    (void)snprintf(location, sizeof location, "results.out line %d", number + 1);
    const char *word = line + strspn(line, " \t\r");
    const bool says = strncmp(word, "fail", 4) == 0 && (!word[4] || strchr(" \t\r", word[4]));
    if (!failed || says) failed = read_line(to, line, location);
    if (says) return failed;
    line = end;
  }
  return failed;
}

static const size_t how_to_load = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL;

/* Read the member "fail": its text is the reason; but some programs write true and false or
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

enum { WHY_SIZE = 200 };

/* Take over a value with more about it: {"value": 3.2, "sd": 0.1, "gradient": {"chord": 0.3}}.
 *
 * gradient  out  [n_variables] NAN for variables without a derivative
 * why       out  what is wrong with the object, "" = nothing
 */
static void parse_object(const gannet_problem *problem, json_t *object, gannet_quantity *quantity,
                         double *gradient, char why[WHY_SIZE]) {
  json_t *value = json_object_get(object, "value"), *sd = json_object_get(object, "sd");
  json_t *slopes = json_object_get(object, "gradient"), *slope = NULL;
  const char *variable = NULL;
  why[0] = '\0';
  quantity->value = json_number_value(value);
  quantity->sd = json_number_value(sd);
  const bool has_sd = sd && !json_is_null(sd), has_slopes = slopes && !json_is_null(slopes);
  if (!json_is_number(value) || (has_sd && !json_is_number(sd)) || !(quantity->sd >= 0) ||
      (has_slopes && !json_is_object(slopes))) {
    (void)snprintf(why, WHY_SIZE,
                   "expected numbers value and sd (from 0 on) and an object gradient, as in "
                   "{\"value\": 3.2, \"sd\": 0.1, \"gradient\": {\"x\": 0.5}}");
    return;
  }
  if (!has_slopes) return;
  quantity->gradient = gradient;
  for (int v = 0; v < problem->spec.n_variables; ++v) gradient[v] = NAN;
  json_object_foreach(slopes, variable, slope) {
    const int v = gannet_problem_find_variable(problem, variable);
    if (v < 0)
      (void)snprintf(why, WHY_SIZE, "gradient: '%.60s' is no variable", variable);
    else if (!json_is_number(slope))
      (void)snprintf(why, WHY_SIZE, "gradient: %.60s is not a number", variable);
    else
      gradient[v] = json_number_value(slope);
  }
}

/* An object that the campaign does not ask for is recorded when it is one of a quantity. */
static int read_object(const reader *to, const char *name, json_t *object) {
  gannet_quantity quantity = {.name = name};
  double *gradient = NULL;
  char why[WHY_SIZE];
  int failed = 0;
  if (gannet_alloc((size_t)to->problem->spec.n_variables, sizeof *gradient, &gradient)) {
    gannet_contract_fail_to_read(ENOMEM, gannet_error_message(), to->result);
    gannet_error_clear();
    return -1;
  }
  parse_object(to->problem, object, &quantity, gradient, why);
  if (!why[0]) {
    failed = set_quantity(to, quantity, "results.out");
  } else if (find_quantity(to->problem, name) >= 0) {
    gannet_result_fail(to->result, false, "results.out: %s: %s", name, why);
    failed = -1;
  }
  gannet_free(&gradient);
  return failed;
}

/* Members that the campaign does not ask for are recorded when they are numbers, or objects with
 * one. */
static int read_members(const reader *to, json_t *object) {
  const char *name = NULL;
  json_t *value = NULL;
  json_t *fail = json_object_get(object, "fail");
  if (read_fail(to, fail)) return -1;
  json_object_foreach(object, name, value) {
    const gannet_quantity quantity = {.name = name, .value = json_number_value(value)};
    int failed = 0;
    if (value == fail) continue;
    if (json_is_number(value)) {
      failed = set_quantity(to, quantity, "results.out");
    } else if (json_is_object(value)) {
      failed = read_object(to, name, value);
    } else if (find_quantity(to->problem, name) >= 0) {
      gannet_result_fail(to->result, false, "results.out: %s is not a number", name);
      failed = -1;
    }
    if (failed) return -1;
  }
  return 0;
}

static int read_json(const reader *to, char *text, size_t size) {
  json_error_t error;
  json_t *object = json_loadb(text, size, how_to_load, &error);
  if (!object) {
    gannet_result_fail(to->result, false, "results.out line %d column %d: %s", error.line,
                       error.column, error.text);
    /* Of a text that is no JSON for its NaN or Infinity, as Python and NumPy write them, the word
     * fail counts all the same; nothing else does. */
    if (gannet_json_blank_words(text, size)) {
      object = json_loadb(text, size, how_to_load, NULL);
      (void)!read_fail(to, json_object_get(object, "fail"));
      json_decref(object);
    }
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

/* Read results.out; returns 1 when it does not exist. */
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
  /* A pipe could hold up the campaign, and a device fill its memory. */
  if (!S_ISREG(about.st_mode)) {
    gannet_result_fail(to->result, false, "results.out is not a regular file");
    return -1;
  }
  if (about.st_size > LARGEST_FILE) {
    gannet_result_fail(to->result, false, "results.out has %lld bytes, expected at most %d",
                       (long long)about.st_size, LARGEST_FILE);
    return -1;
  }
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

/* Keep a match; the last line of the output that matches wins. */
static bool take_match(void *user, int which, const char *line, const regmatch_t *match,
                       bool torn) {
  finding *found = (finding *)user + which;
  const regmatch_t *part = &match[match[1].rm_so >= 0];
  const char *text = line + part->rm_so, *end = line + part->rm_eo;
  while (text < end && strchr(" \t\r", *text)) ++text;
  (void)snprintf(found->text, sizeof found->text, "%.*s", (int)(end - text), text);
  found->is_torn = torn;
  found->is_part = gannet_is_number_part(line, (size_t)(part->rm_so), (size_t)part->rm_eo,
                                         found->whole, sizeof found->whole);
  found->takes_comma = (match->rm_so < part->rm_so && line[part->rm_so - 1] == ',') ||
                       (match->rm_eo > part->rm_eo && line[part->rm_eo] == ',');
  found->is_comma_part =
      !found->is_part && gannet_is_comma_part(line, (size_t)part->rm_so, (size_t)part->rm_eo,
                                              found->whole, sizeof found->whole);
  return false;
}

/* Refuse a text that is only a part of a number, unless the expression shows that it means that
 * part.
 */
static int refuse_part_of_number(const reader *to, const gannet_patterns *patterns, int i,
                                 const finding *found, const char *location) {
  const bool knows_commas = patterns->has_comma[i] && found->takes_comma;
  if (patterns->by_columns[i]) return 0;
  if (found->is_part)
    gannet_result_fail(
        to->result, false,
        "%s: takes only '%.40s' of '%s' in stdout.log; expected a group that takes all "
        "of the number, as " NUMBER_GROUP
        " does, and before it nothing that takes digits, "
        "as .* does",
        location, found->text, found->whole);
  else if (found->is_comma_part && !knows_commas)
    gannet_result_fail(
        to->result, false,
        "%s: takes only '%.40s' of '%s' in stdout.log; expected a number without commas, or, where "
        "the comma is between two numbers, an expression that takes it along, as ([^,]+), does",
        location, found->text, found->whole);
  else
    return 0;
  return -1;
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
    if (refuse_part_of_number(to, patterns, i, &found[i], location)) return -1;
    gannet_quantity quantity = {.name = name};
    if (parse_number(text, &quantity.value)) return refuse_text(to, name, text, location);
    if (set_quantity(to, quantity, location)) return -1;
  }
  return 0;
}

static int search_output(const reader *to, const gannet_outcome_rules *rules, const char *directory,
                         finding *found) {
  char what[64];
  const gannet_patterns *patterns = rules->patterns;
  const gannet_search search = {.n = patterns->n,
                                .regex = patterns->regex,
                                .has_places = true,
                                .take = take_match,
                                .user = found};
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
  for (int index = 0; index <= to->problem->spec.n_constraints; ++index) {
    const char *name = quantity_name(to->problem, index), *near = NULL;
    if (!isnan(quantity_value(to, index))) continue;
    for (int i = 0; i < to->result->reported.n && !near; ++i)
      near = gannet_nearest(to->result->reported.item[i].name, (const char *const[]){name, NULL})
                 ? to->result->reported.item[i].name
                 : NULL;
    char meant[PASSED_OVER_SIZE + 40] = "";
    if (near)
      (void)snprintf(meant, sizeof meant, "; is '%s' a misspelling of it?", near);
    else if (to->passed_over[0])
      (void)snprintf(meant, sizeof meant, "; %s", to->passed_over);
    gannet_result_fail(
        to->result, false,
        no_file ? "no results.out, so %s is missing%s" : "results.out: %s is missing%s", name,
        meant);
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
  gannet_quantities_release(&result->reported);
  result->objective = NAN;
  for (int j = 0; j < problem->spec.n_constraints; ++j) result->constraints[j] = NAN;
}

bool gannet_contract_says_cannot_run(const gannet_problem *problem, const char *directory,
                                     gannet_result_record *result) {
  char passed_over[PASSED_OVER_SIZE] = "";
  const reader to = {problem, result, passed_over};
  (void)!read_file(&to, directory); /* what else is there does not matter */
  forget_numbers(problem, result);
  return result->status == GANNET_EVAL_CANNOT_RUN;
}

void gannet_contract_read_results(const gannet_problem *problem, const gannet_outcome_rules *rules,
                                  const char *directory, gannet_result_record *result) {
  char passed_over[PASSED_OVER_SIZE] = "";
  const reader to = {problem, result, passed_over};
  const int from_file = read_file(&to, directory); /* first, because it may say fail */
  int failed = from_file < 0 || read_output(&to, rules, directory);
  if (!failed) failed = check_complete(&to, from_file == 1);
  if (!failed) {
    gannet_result_check_numbers(problem, result);
    return;
  }
  forget_numbers(problem, result);
}
