/* Reading results.out: lines of a name and a number, or a JSON object. */
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
#include "base/utf8.h"
#include "evaluate/contract/contract.h"
#include "evaluate/contract/found_results.h"
#include "evaluate/contract/json_text.h"
#include "problem/outputs.h"

/* A line with another name and no number is passed over, unless the name is nearly one that counts.
 */
static int refuse_misspelt(gannet_found_results *to, const char *name, const char *value,
                           const char *location) {
  const char *known[64] = {"fail"};
  char list[100], *number_end = NULL;
  for (int i = 0; i + 2 < 64; ++i)
    if (!(known[i + 1] = gannet_problem_known_quantity(to->problem, i))) break;
  const char *near = gannet_nearest(name, known);
  if (near && strcmp(near, name) == 0) near = NULL; /* an output that nothing needs */
  (void)strtod(name, &number_end);
  if (!near && !to->passed_over[0] && !*value && number_end > name && !*number_end)
    (void)snprintf(to->passed_over, GANNET_PASSED_OVER_SIZE,
                   "%.16s is '%.16s', expected a name before the number",
                   location + strlen("results.out "), name);
  else if (!near && !to->passed_over[0])
    (void)snprintf(to->passed_over, GANNET_PASSED_OVER_SIZE, "%.16s has no number: '%.12s%s%.18s'",
                   location + strlen("results.out "), name, *value ? " " : "", value);
  if (!near) return gannet_found_refuse_unknown(to, name, location);
  gannet_problem_list_quantities(to->problem, list, sizeof list);
  gannet_result_fail(
      to->result, false,
      "%s: '%.60s' is neither objective nor a constraint of this campaign, and has no "
      "number; did you mean '%s'? Expected:%s, or fail",
      location, name, near, list);
  return -1;
}

static int declare_cannot_run(gannet_found_results *to, const char *reason) {
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

/* The name and the value of a line. */
static int read_value(gannet_found_results *to, const char *name, char *value,
                      const char *location) {
  const bool is_asked_for = gannet_problem_needs_quantity(to->problem, name);
  gannet_quantity quantity = {.name = name};
  char what[100], *deviation = gannet_number_cut_deviation(value);
  value = trim(value);
  if (gannet_found_may_be_missing(to, name) && !deviation &&
      strcmp(value, gannet_missing_word) == 0)
    return gannet_found_set_missing(to, name, location);
  if (gannet_parse_any_number(value, &quantity.value)) {
    if (!is_asked_for) return refuse_misspelt(to, name, value, location);
    const char *hint = gannet_number_hint(value);
    const double first = strtod(value, NULL);
    const bool is_more = !hint[0] && isfinite(first) && first != 0; /* a number, and more */
    if (deviation && strcmp(value, gannet_missing_word) == 0)
      gannet_result_fail(to->result, false,
                         "%s: %s is said to be missing, and has a standard deviation; leave that "
                         "out",
                         location, name);
    else
      gannet_result_fail(to->result, false, "%s: %s is '%.60s', expected a number%s%s, or '%s'",
                         location, name, value, hint,
                         is_more ? ", with its standard deviation as in 3.2 +- 0.1" : "",
                         gannet_missing_word);
    return -1;
  }
  (void)snprintf(what, sizeof what, "the standard deviation of %.60s", name);
  if (deviation) deviation = trim(deviation);
  if (deviation && gannet_parse_any_number(deviation, &quantity.sd)) quantity.sd = NAN;
  if (deviation && is_asked_for && !(isfinite(quantity.sd) && quantity.sd >= 0)) {
    gannet_result_fail(to->result, false, "%s: %s is '%.60s', expected a number from 0 on",
                       location, what, deviation);
    return -1;
  }
  return gannet_found_set(to, quantity, location);
}

static int read_line(gannet_found_results *to, char *line, const char *location) {
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
  if (!name[length] || !gannet_problem_needs_quantity(to->problem, first))
    return read_value(to, name, value, location);
  gannet_result_fail(to->result, false,
                     "%s: '%.60s', expected a name, a blank and a number, as in objective 1.23",
                     location, name);
  return -1;
}

/* Read the lines of results.out. After a line that cannot be used, only a line "fail REASON"
 * counts, for the simulation itself says so. */
static int read_lines(gannet_found_results *to, char *text) {
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
static int read_fail(gannet_found_results *to, const json_t *fail) {
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
      (void)snprintf(why, WHY_SIZE, "gradient: '%.60s' is not a variable", variable);
    else if (!json_is_number(slope))
      (void)snprintf(why, WHY_SIZE, "gradient: %.60s is not a number", variable);
    else
      gradient[v] = json_number_value(slope);
  }
}

/* An object that the campaign does not ask for is recorded when it is one of a quantity. */
static int read_object(gannet_found_results *to, const char *name, json_t *object) {
  /* A deviation that goes by another name would be lost in silence. */
  static const char *const others[] = {"error", "err",   "std",         "stddev",
                                       "sigma", "stdev", "uncertainty", "deviation"};
  gannet_quantity quantity = {.name = name};
  double *gradient = NULL;
  char why[WHY_SIZE];
  int failed = 0;
  if (gannet_alloc((size_t)to->problem->spec.n_variables, sizeof *gradient, &gradient)) {
    gannet_found_fail_to_read(ENOMEM, gannet_error_message(), to->result);
    gannet_error_clear();
    return -1;
  }
  parse_object(to->problem, object, &quantity, gradient, why);
  const bool is_needed = gannet_problem_needs_quantity(to->problem, name);
  for (size_t i = 0;
       is_needed && !json_object_get(object, "sd") && i < sizeof others / sizeof *others; ++i)
    if (!why[0] && json_object_get(object, others[i]))
      (void)snprintf(why, WHY_SIZE,
                     "'%s' is not known; the standard deviation is called sd, as in "
                     "{\"value\": 3.2, \"sd\": 0.1}",
                     others[i]);
  if (!why[0]) {
    failed = gannet_found_set(to, quantity, "results.out");
  } else if (is_needed) {
    gannet_result_fail(to->result, false, "results.out: %s: %s", name, why);
    failed = -1;
  } else {
    failed = gannet_found_refuse_unknown(to, name, "results.out");
  }
  gannet_free(&gradient);
  return failed;
}

/* Members that the campaign does not ask for are recorded when they are numbers, or objects with
 * one. */
static int read_members(gannet_found_results *to, json_t *object) {
  const char *name = NULL;
  json_t *value = NULL;
  json_t *fail = json_object_get(object, "fail");
  if (read_fail(to, fail)) return -1;
  json_object_foreach(object, name, value) {
    const gannet_quantity quantity = {.name = name, .value = json_number_value(value)};
    int failed = 0;
    if (value == fail) continue;
    if (json_is_number(value)) {
      failed = gannet_found_set(to, quantity, "results.out");
    } else if (json_is_object(value)) {
      failed = read_object(to, name, value);
    } else if (gannet_found_may_be_missing(to, name) && json_is_string(value) &&
               strcmp(json_string_value(value), gannet_missing_word) == 0) {
      failed = gannet_found_set_missing(to, name, "results.out");
    } else if (gannet_problem_needs_quantity(to->problem, name)) {
      gannet_result_fail(to->result, false, "results.out: %s is not a number, nor \"%s\"", name,
                         gannet_missing_word);
      failed = -1;
    } else {
      failed = gannet_found_refuse_unknown(to, name, "results.out");
    }
    if (failed) return -1;
  }
  return 0;
}

static int read_json(gannet_found_results *to, char *text, size_t size) {
  json_error_t error;
  json_t *object = json_loadb(text, size, how_to_load, &error);
  if (!object) {
    gannet_result_fail(to->result, false, "results.out line %d column %d: %s", error.line,
                       error.column, error.text);
    /* Of a text that is no JSON for its NaN or Infinity, as Python and NumPy write them, the word
     * fail counts all the same; nothing else does. */
    if (gannet_json_blank_words(text, size)) {
      object = json_loadb(text, size, how_to_load, NULL);
      if (object)
        gannet_result_fail(to->result, false,
                           "results.out line %d column %d: NaN or Infinity, expected finite "
                           "numbers, or \"%s\"",
                           error.line, error.column, gannet_missing_word);
      (void)!read_fail(to, json_object_get(object, "fail"));
      json_decref(object);
    }
    return -1;
  }
  const int failed = read_members(to, object);
  json_decref(object);
  return failed;
}

static int read_text(gannet_found_results *to, char *text, size_t size) {
  static const char mark[] = "\xef\xbb\xbf"; /* some editors and shells begin files with it */
  if (memchr(text, '\0', size)) {
    gannet_result_fail(to->result, false, "results.out %s, expected text%s",
                       gannet_is_utf16(text, size) ? "is text in UTF-16" : "holds zero bytes",
                       gannet_is_utf16(text, size) ? " in UTF-8" : "");
    return -1;
  }
  const size_t begin = strncmp(text, mark, 3) == 0 ? 3 : 0;
  if (text[begin + strspn(text + begin, " \t\r\n")] == '{')
    return read_json(to, text + begin, size - begin);
  return read_lines(to, text + begin);
}

int gannet_results_file_read(gannet_found_results *to, const char *directory) {
  char path[PATH_MAX], *text = NULL;
  size_t size = 0;
  struct stat about;
  if (gannet_join_path(directory, "results.out", path, sizeof path) != GANNET_OK) return 1;
  if (stat(path, &about)) {
    const int error = errno;
    char why[GANNET_REASON_SIZE];
    if (error == ENOENT) return 1;
    (void)snprintf(why, sizeof why, "cannot look at results.out: %s", strerror(error));
    gannet_found_fail_to_read(error, why, to->result);
    return -1;
  }
  /* A pipe could hold up the campaign, and a device fill its memory. */
  if (!S_ISREG(about.st_mode)) {
    gannet_result_fail(to->result, false, "results.out is not a regular file");
    return -1;
  }
  if (about.st_size > GANNET_RESULTS_LARGEST) {
    gannet_result_fail(to->result, false, "results.out has %lld bytes, expected at most %d",
                       (long long)about.st_size, GANNET_RESULTS_LARGEST);
    return -1;
  }
  if (gannet_file_read_within(path, GANNET_RESULTS_LARGEST, GANNET_ERR_INPUT, &text, &size) !=
      GANNET_OK) {
    gannet_found_fail_to_read(errno, gannet_error_message(), to->result);
    gannet_error_clear();
    return -1;
  }
  const int failed = read_text(to, text, size);
  gannet_free(&text);
  return failed;
}

bool gannet_contract_is_torn(const char *directory) {
  char path[PATH_MAX], *text = NULL;
  size_t size = 0;
  if (gannet_join_path(directory, "results.out", path, sizeof path) != GANNET_OK ||
      gannet_file_read_within(path, GANNET_RESULTS_LARGEST, GANNET_ERR_INPUT, &text, &size) !=
          GANNET_OK) {
    gannet_error_clear();
    return false;
  }
  const bool torn = size > 0 && text[size - 1] != '\n' && text[strspn(text, " \t\r\n")] != '{';
  gannet_free(&text);
  return torn;
}
