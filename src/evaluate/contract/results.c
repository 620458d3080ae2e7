/* Reading what a simulation reports: results.out, what patterns find in what it prints, and the
 * outputs that are in other files. */
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
#include "evaluate/contract/json_text.h"
#include "evaluate/contract/output_files.h"
#include "evaluate/result_record.h"
#include "problem/outputs.h"

enum {
  PASSED_OVER_SIZE = 80,
  MEANT_SIZE = PASSED_OVER_SIZE + 40,
  LARGEST_FILE = 16 << 20 /* of results.out, bytes */
};

bool gannet_contract_is_transient(int error) {
  static const int passing[] = {EAGAIN,    ENOMEM,       ENFILE,       EMFILE,      EIO,
                                ESTALE,    ETXTBSY,      EINTR,        EREMOTEIO,   ETIMEDOUT,
                                ENOTCONN,  ESHUTDOWN,    ECONNREFUSED, ECONNRESET,  ECONNABORTED,
                                EHOSTDOWN, EHOSTUNREACH, ENETDOWN,     ENETUNREACH, EKEYEXPIRED};
  for (size_t i = 0; i < sizeof passing / sizeof *passing; ++i)
    if (error == passing[i]) return true;
  return false;
}

/* Set a result whose files cannot be read. An error that may pass, as while a file server restarts,
 * says nothing about the simulation: the result then becomes pending, with the reason, and is
 * unread; otherwise it becomes failed. */
static void fail_to_read(int error, const char *why, gannet_result_record *result) {
  gannet_result_fail(result, false, "%s", why);
  if (!gannet_contract_is_transient(error)) return;
  result->status = GANNET_EVAL_PENDING;
  result->run.crashed = false;
}

void gannet_contract_fail_search(const gannet_search_report *report, const char *what,
                                 const char *name, gannet_result_record *result) {
  if (report->end == GANNET_SEARCH_STOPPED) {
    result->status = GANNET_EVAL_PENDING;
    return;
  }
  if (report->end == GANNET_SEARCH_FAILED) {
    char why[GANNET_REASON_SIZE];
    (void)snprintf(why, sizeof why, "cannot read %.100s: %.120s", name, report->why);
    fail_to_read(report->error, why, result);
  } else {
    gannet_result_fail(result, false,
                       "%s takes too long on %s: let the expression begin with ^ and the words "
                       "before the number, or the simulation print shorter lines",
                       what, name);
  }
  result->run.crashed = false; /* whatever it was, it was not the design */
}

bool gannet_contract_is_unread(const gannet_result_record *result) {
  return result->status == GANNET_EVAL_PENDING && result->run.reason[0];
}

/* Outputs that give no number, although the campaign needs it. */
typedef struct {
  int n;
  struct {
    char *name, *why;
  } * item; /* [n] owned */
} lacking_outputs;

/* Where results go. The objective or a constraint that is still NAN was not given yet: a NAN that
 * is given is refused. */
typedef struct {
  const gannet_problem *problem;
  gannet_result_record *result;
  char *passed_over; /* [PASSED_OVER_SIZE] the first line without a number, "" = none */
  char *note;        /* [GANNET_REASON_SIZE] what to warn of: outputs that are missing and only
                        recorded, numbers that do not count; "" = nothing */
  lacking_outputs *lacking;
  gannet_quantities *missing; /* names that are said to be missing */
  gannet_quantities *word;    /* what the word "objective" gives where it has another name */
} reader;

/* What a file writes in the place of a number that it has not. */
static const char missing_word[] = "missing";

static double quantity_value(const reader *to, int index) {
  return index == 0 ? to->result->objective : to->result->constraints[index - 1];
}

/* With unknown_outputs: fail, refuse a name that the campaign file does not have and that cannot be
 * recorded, as its value is no number. Numbers of such names are refused when all are there. */
static int refuse_unknown(const reader *to, const char *name, const char *location) {
  const gannet_outputs *outputs = to->problem->outputs;
  if (!outputs || outputs->unknown != GANNET_UNKNOWN_FAIL || gannet_output_find(to->problem, name))
    return 0;
  gannet_result_fail_unknown(to->problem, location, name, to->result);
  return -1;
}

static int fail_contradiction(const reader *to, const char *name, const char *location) {
  gannet_result_fail(to->result, false, "%s: %s is said to be missing, and has a value, too",
                     location, name);
  return -1;
}

/* The word "objective" stands for an objective that the campaign file calls otherwise. A simulation
 * may go on printing it when the file has come to name another number: that one counts. */
static bool is_objective_word(const gannet_problem *problem, const char *name) {
  return strcmp(name, "objective") == 0 && gannet_problem_find_quantity(problem, name) == 0 &&
         (gannet_problem_formula(problem, 0) ||
          strcmp(gannet_problem_quantity_name(problem, 0), name) != 0);
}

/* 0, or -1 with an error as the reason in the result. */
static int end_setting(const reader *to, gannet_err err, const char *location) {
  if (err == GANNET_OK) return 0;
  if (err == GANNET_ERR_MEMORY)
    fail_to_read(ENOMEM, gannet_error_message(), to->result);
  else
    gannet_result_fail(to->result, false, "%s: %s", location, gannet_error_detail());
  gannet_error_clear();
  return -1;
}

/* Note something besides what is noted already, if there is room. */
static void add_note(const reader *to, const char *text) {
  const size_t used = strlen(to->note), more = strlen(text);
  if (used > 0 && used + 2 + more >= GANNET_REASON_SIZE) return;
  (void)snprintf(to->note + used, GANNET_REASON_SIZE - used, "%s%s", used > 0 ? "; " : "", text);
}

/* Note a number with the name that columns of standard deviations have: it is none of the value's,
 * and its writer expects that it counts. */
static void note_deviation(const reader *to, const char *name, const char *location) {
  const size_t length = strlen(name);
  char of[48], text[GANNET_REASON_SIZE];
  if (length < 4 || length >= sizeof of || strcmp(name + length - 3, ".sd") != 0) return;
  (void)snprintf(of, sizeof of, "%.*s", (int)(length - 3), name);
  if (!gannet_problem_needs_quantity(to->problem, of)) return;
  (void)snprintf(text, sizeof text,
                 "%s: the number in %s does not count, because the standard deviation of %s stands "
                 "behind its value, as in %s 3.2 +- 0.1",
                 name, location, of, of);
  add_note(to, text);
}

/* Setters return 0, or -1 with the reason in the result. A quantity that the campaign does not ask
 * for is recorded as far as it can be, and never fails an evaluation: the last value of a name
 * counts, a name that cannot be one is passed over, and so is such a standard deviation. */
static int set_quantity(const reader *to, gannet_quantity quantity, const char *location) {
  const int index = gannet_problem_find_quantity(to->problem, quantity.name);
  const bool is_needed = gannet_problem_needs_quantity(to->problem, quantity.name);
  if (is_needed && !isfinite(quantity.value)) {
    gannet_result_fail(to->result, false, "%s: %s is %g, expected a finite number", location,
                       quantity.name, quantity.value);
    return -1;
  }
  if (is_needed && gannet_quantities_find(to->missing, quantity.name))
    return fail_contradiction(to, quantity.name, location);
  const bool is_word = is_objective_word(to->problem, quantity.name);
  if (is_word && to->word->n > 0) {
    gannet_result_fail(to->result, false, "%s: objective is given twice", location);
    return -1;
  }
  if (is_word)
    return end_setting(
        to, gannet_quantities_set(to->word, to->problem->spec.n_variables, &quantity), location);
  if (index >= 0 ? !isnan(quantity_value(to, index))
                 : is_needed && gannet_quantities_find(&to->result->reported, quantity.name)) {
    gannet_result_fail(to->result, false, "%s: %s is given twice%s", location, quantity.name,
                       strncmp(location, "results.out", 11) == 0
                           ? ""
                           : ": results.out has it, too; leave one of the two out");
    return -1;
  }
  if (index < 0 && !gannet_quantity_is_name(quantity.name)) {
    note_deviation(to, quantity.name, location);
    return refuse_unknown(to, quantity.name, location);
  }
  if (index < 0 && !(isfinite(quantity.sd) && quantity.sd >= 0)) quantity.sd = 0;
  return end_setting(to, gannet_result_report(to->problem, &quantity, to->result), location);
}

/* Take what the word "objective" gave when no number of the objective's own name came. */
static int take_word(const reader *to) {
  const char *name = gannet_problem_quantity_name(to->problem, 0);
  if (to->word->n == 0 || gannet_problem_formula(to->problem, 0) || !isnan(to->result->objective) ||
      gannet_quantities_find(to->missing, name))
    return 0;
  const gannet_reported *given = &to->word->item[0];
  const gannet_quantity quantity = {given->name, given->value, given->sd, given->gradient};
  return end_setting(to, gannet_result_report(to->problem, &quantity, to->result), "results.out");
}

/* Whether "missing" says something in the place of the number of this name. */
static bool may_be_missing(const reader *to, const char *name) {
  return gannet_problem_needs_quantity(to->problem, name) || gannet_output_find(to->problem, name);
}

/* Note that a quantity, or an output that is only recorded, is said to be missing. */
static int set_missing(const reader *to, const char *name, const char *location) {
  const int index = gannet_problem_find_quantity(to->problem, name);
  const bool is_given = index >= 0 ? !isnan(quantity_value(to, index))
                                   : gannet_quantities_find(&to->result->reported, name) != NULL;
  if (is_given && gannet_problem_needs_quantity(to->problem, name))
    return fail_contradiction(to, name, location);
  const gannet_quantity quantity = {
      .name = index >= 0 ? gannet_problem_quantity_name(to->problem, index) : name, .value = NAN};
  return end_setting(to, gannet_quantities_set(to->missing, 0, &quantity), location);
}

/* A line with another name and no number is passed over, unless the name is nearly one that counts.
 */
static int refuse_misspelt(const reader *to, const char *name, const char *value,
                           const char *location) {
  const char *known[64] = {"fail"};
  char list[100], *number_end = NULL;
  for (int i = 0; i + 2 < 64; ++i)
    if (!(known[i + 1] = gannet_problem_known_quantity(to->problem, i))) break;
  const char *near = gannet_nearest(name, known);
  if (near && strcmp(near, name) == 0) near = NULL; /* an output that nothing needs */
  (void)strtod(name, &number_end);
  if (!near && !to->passed_over[0] && !*value && number_end > name && !*number_end)
    (void)snprintf(to->passed_over, PASSED_OVER_SIZE,
                   "%.16s is '%.16s', expected a name before the number",
                   location + strlen("results.out "), name);
  else if (!near && !to->passed_over[0])
    (void)snprintf(to->passed_over, PASSED_OVER_SIZE, "%.16s has no number: '%.12s%s%.18s'",
                   location + strlen("results.out "), name, *value ? " " : "", value);
  if (!near) return refuse_unknown(to, name, location);
  gannet_problem_list_quantities(to->problem, list, sizeof list);
  gannet_result_fail(
      to->result, false,
      "%s: '%.60s' is neither objective nor a constraint of this campaign, and has no "
      "number; did you mean '%s'? Expected:%s, or fail",
      location, name, near, list);
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

/* The name and the value of a line. */
static int read_value(const reader *to, const char *name, char *value, const char *location) {
  const bool is_asked_for = gannet_problem_needs_quantity(to->problem, name);
  gannet_quantity quantity = {.name = name};
  char what[100], *deviation = gannet_number_cut_deviation(value);
  value = trim(value);
  if (may_be_missing(to, name) && !deviation && strcmp(value, missing_word) == 0)
    return set_missing(to, name, location);
  if (gannet_parse_any_number(value, &quantity.value)) {
    if (!is_asked_for) return refuse_misspelt(to, name, value, location);
    const char *hint = gannet_number_hint(value);
    const double first = strtod(value, NULL);
    const bool is_more = !hint[0] && isfinite(first) && first != 0; /* a number, and more */
    if (deviation && strcmp(value, missing_word) == 0)
      gannet_result_fail(to->result, false,
                         "%s: %s is said to be missing, and has a standard deviation; leave that "
                         "out",
                         location, name);
    else
      gannet_result_fail(to->result, false, "%s: %s is '%.60s', expected a number%s%s, or '%s'",
                         location, name, value, hint,
                         is_more ? ", with its standard deviation as in 3.2 +- 0.1" : "",
                         missing_word);
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
  if (!name[length] || !gannet_problem_needs_quantity(to->problem, first))
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
      (void)snprintf(why, WHY_SIZE, "gradient: '%.60s' is not a variable", variable);
    else if (!json_is_number(slope))
      (void)snprintf(why, WHY_SIZE, "gradient: %.60s is not a number", variable);
    else
      gradient[v] = json_number_value(slope);
  }
}

/* An object that the campaign does not ask for is recorded when it is one of a quantity. */
static int read_object(const reader *to, const char *name, json_t *object) {
  /* A deviation that goes by another name would be lost in silence. */
  static const char *const others[] = {"error", "err",   "std",         "stddev",
                                       "sigma", "stdev", "uncertainty", "deviation"};
  gannet_quantity quantity = {.name = name};
  double *gradient = NULL;
  char why[WHY_SIZE];
  int failed = 0;
  if (gannet_alloc((size_t)to->problem->spec.n_variables, sizeof *gradient, &gradient)) {
    fail_to_read(ENOMEM, gannet_error_message(), to->result);
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
    failed = set_quantity(to, quantity, "results.out");
  } else if (is_needed) {
    gannet_result_fail(to->result, false, "results.out: %s: %s", name, why);
    failed = -1;
  } else {
    failed = refuse_unknown(to, name, "results.out");
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
    } else if (may_be_missing(to, name) && json_is_string(value) &&
               strcmp(json_string_value(value), missing_word) == 0) {
      failed = set_missing(to, name, "results.out");
    } else if (gannet_problem_needs_quantity(to->problem, name)) {
      gannet_result_fail(to->result, false, "results.out: %s is not a number, nor \"%s\"", name,
                         missing_word);
      failed = -1;
    } else {
      failed = refuse_unknown(to, name, "results.out");
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
    fail_to_read(error, why, to->result);
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
    fail_to_read(errno, gannet_error_message(), to->result);
    gannet_error_clear();
    return -1;
  }
  const int failed = read_text(to, text, size);
  gannet_free(&text);
  return failed;
}

static int keep_lacking(const reader *to, const char *name, const char *why) {
  lacking_outputs *list = to->lacking;
  const size_t n = (size_t)list->n;
  gannet_err err = gannet_resize(n, n + 1, sizeof *list->item, &list->item);
  if (err == GANNET_OK) {
    list->n += 1;
    err = gannet_copy_text(name, &list->item[n].name);
  }
  if (err == GANNET_OK) err = gannet_copy_text(why, &list->item[n].why);
  if (err == GANNET_OK) return 0;
  fail_to_read(ENOMEM, gannet_error_message(), to->result);
  gannet_error_clear();
  return -1;
}

static void release_lacking(lacking_outputs *list) {
  for (int i = 0; i < list->n; ++i) {
    gannet_free(&list->item[i].name);
    gannet_free(&list->item[i].why);
  }
  gannet_free(&list->item);
  list->n = 0;
}

/* Take over what a pattern or a column gave, or the reason why it gave nothing. Without a number
 * that the campaign needs the evaluation fails, unless it may be missing; of one that is only
 * recorded the reason becomes a note, unless it is said to be missing. */
static int take_output(void *user, const char *name, const double *value, const char *text) {
  const reader *to = user;
  if (value) return set_quantity(to, (gannet_quantity){.name = name, .value = *value}, text);
  if (gannet_quantities_find(to->missing, name)) return 0;
  if (gannet_problem_needs_quantity(to->problem, name)) return keep_lacking(to, name, text);
  add_note(to, text);
  return 0;
}

static int read_patterns(reader *to, const gannet_outcome_rules *rules, const char *directory) {
  char what[64];
  gannet_pattern_failure failure;
  const gannet_quantity_taker taker = {take_output, to};
  if (!gannet_patterns_search(rules->patterns, directory, &rules->limits, &taker, &failure))
    return 0;
  if (failure.report.end == GANNET_SEARCH_OVER) return -1; /* take_output has said why */
  (void)snprintf(what, sizeof what, "pattern of %.40s", failure.name);
  gannet_contract_fail_search(&failure.report, what, failure.file, to->result);
  return -1;
}

/* Read an output from a column of a table. */
static int read_column(reader *to, const gannet_output *output, const gannet_outcome_rules *rules,
                       const char *directory) {
  char found[PATH_MAX], path[PATH_MAX], why[GANNET_REASON_SIZE], text[GANNET_REASON_SIZE + 80];
  double value = NAN;
  gannet_table_end end = GANNET_TABLE_LACKING;
  if (gannet_output_file_find(directory, output->file, found, sizeof found, why, sizeof why) &&
      gannet_join_path(directory, found, path, sizeof path) == GANNET_OK)
    end = gannet_output_file_take(path, found, output, rules->limits.stopping, &value, why,
                                  sizeof why);
  const int error = errno;
  gannet_error_clear();
  (void)snprintf(text, sizeof text, "outputs.%s: %s", output->name, why);
  const bool is_dispensable = end == GANNET_TABLE_UNREADABLE &&
                              !gannet_contract_is_transient(error) &&
                              !gannet_problem_needs_quantity(to->problem, output->name);
  if (end == GANNET_TABLE_NO_COLUMN && gannet_problem_needs_quantity(to->problem, output->name)) {
    /* The simulation came so far that the table is there: the campaign file names a wrong column.
     */
    gannet_result_fail(to->result, false, "%s", text);
    return -1;
  }
  if (end == GANNET_TABLE_LACKING || end == GANNET_TABLE_NO_COLUMN || is_dispensable)
    return take_output(to, output->name, NULL, text);
  if (end == GANNET_TABLE_UNREADABLE) {
    fail_to_read(error, text, to->result);
    to->result->run.crashed = false;
    return -1;
  }
  if (end == GANNET_TABLE_STOPPED) {
    to->result->status = GANNET_EVAL_PENDING;
    return -1;
  }
  (void)snprintf(text, sizeof text, "column %.60s of %.100s", output->column, found);
  return take_output(to, output->name, &value, text);
}

/* Note the first output that is only recorded and is not in results.out. */
static void note_absent(reader *to) {
  const gannet_outputs *outputs = to->problem->outputs;
  char text[GANNET_REASON_SIZE];
  for (int i = 0; outputs && i < outputs->n; ++i) {
    const gannet_output *item = &outputs->item[i];
    if (item->column || item->pattern || gannet_problem_needs_quantity(to->problem, item->name) ||
        gannet_quantities_find(&to->result->reported, item->name) ||
        gannet_quantities_find(to->missing, item->name))
      continue;
    (void)snprintf(text, sizeof text, "outputs.%s: it is not in results.out", item->name);
    add_note(to, text);
  }
}

/* A reported name that the campaign does not know and that is nearly the name of a quantity that is
 * missing, or of one that it is computed from; NULL = none. */
static const char *find_misspelling(const reader *to, int index) {
  const gannet_formula *formula = gannet_problem_formula(to->problem, index);
  const char *own = gannet_problem_quantity_name(to->problem, index);
  for (int i = 0; i < to->result->reported.n; ++i) {
    const char *name = to->result->reported.item[i].name;
    if (gannet_problem_needs_quantity(to->problem, name) || gannet_output_find(to->problem, name))
      continue;
    for (int j = 0; j < (formula ? formula->n : 1); ++j) {
      const char *wanted = formula ? formula->names[j] : own;
      const bool is_there = formula && gannet_quantities_find(&to->result->reported, wanted);
      if (!is_there && gannet_nearest(name, (const char *const[]){wanted, NULL})) return name;
    }
  }
  return NULL;
}

/* Whether it was said of a quantity that it is missing, or of one that it is computed from. */
static bool is_said_missing(const reader *to, int index) {
  const gannet_formula *formula = gannet_problem_formula(to->problem, index);
  bool is_said =
      gannet_quantities_find(to->missing, gannet_problem_quantity_name(to->problem, index)) != NULL;
  for (int j = 0; formula && j < formula->n && !is_said; ++j)
    is_said = gannet_quantities_find(to->missing, formula->names[j]) != NULL;
  return is_said;
}

/* Why an output gives no number that a quantity is, or is computed from; NULL = none is lacking. */
static const char *find_lacking(const reader *to, int index) {
  const gannet_formula *formula = gannet_problem_formula(to->problem, index);
  const char *own = gannet_problem_quantity_name(to->problem, index);
  for (int j = 0; j < (formula ? formula->n : 1); ++j)
    for (int i = 0; i < to->lacking->n; ++i)
      if (strcmp(to->lacking->item[i].name, formula ? formula->names[j] : own) == 0)
        return to->lacking->item[i].why;
  return NULL;
}

/* Whether the end of stdout.log has a line that begins with a name: a result that was printed and
 * belongs into results.out. */
static bool has_printed(const char *directory, const char *name) {
  char path[PATH_MAX], end[4097];
  const size_t length = strlen(name);
  size_t size = 0;
  if (gannet_join_path(directory, "stdout.log", path, sizeof path) != GANNET_OK ||
      gannet_file_read_end(path, sizeof end, end, &size) != GANNET_OK) {
    gannet_error_clear();
    return false;
  }
  for (const char *line = end; line; line = strchr(line, '\n')) {
    if (*line == '\n') ++line;
    if (strncmp(line, name, length) == 0 && line[length] && strchr(" \t=:", line[length]))
      return true;
  }
  return false;
}

/* What to say beside the name of a quantity that is missing: its misspelling, an output whose name
 * is nearly the same, a line without a number, or that it was printed.
 *
 * near       in   its misspelling, or NULL
 * directory  in   of the evaluation when there is no results.out, else NULL
 * meant      out  [MEANT_SIZE]
 */
static void suggest(const reader *to, const char *name, const char *near, const char *directory,
                    char *meant) {
  const gannet_outputs *outputs = to->problem->outputs;
  const char *output = NULL;
  for (int i = 0; outputs && i < outputs->n && !gannet_output_find(to->problem, name); ++i)
    if (gannet_nearest(outputs->item[i].name, (const char *const[]){name, NULL}))
      output = outputs->item[i].name;
  if (near)
    (void)snprintf(meant, MEANT_SIZE, "; is '%s' a misspelling of it?", near);
  else if (output)
    (void)snprintf(meant, MEANT_SIZE, "; did you mean the output '%.60s'?", output);
  else if (to->passed_over[0])
    (void)snprintf(meant, MEANT_SIZE, "; %s", to->passed_over);
  else if (directory && has_printed(directory, name))
    (void)snprintf(meant, MEANT_SIZE,
                   "; it was printed: write it into results.out, or read it with evaluate.pattern");
}

/* "mass and drag are missing; it has: objective": all quantities that are missing, unless it was
 * said of them, and the names that were found.
 *
 * text  out  [GANNET_REASON_SIZE]
 */
static void describe_missing(const reader *to, char *text) {
  enum { MOST = 3, ROOM = 70 }; /* names, and bytes for what was found */
  const gannet_quantities *reported = &to->result->reported;
  const char *names[MOST];
  char found[ROOM] = "";
  int n = 0, used = 0;
  for (int index = 0; index <= to->problem->spec.n_constraints; ++index) {
    const char *name = gannet_problem_quantity_name(to->problem, index);
    if (gannet_problem_formula(to->problem, index)) continue;
    if (!isnan(quantity_value(to, index)))
      used += snprintf(found + used, (size_t)(ROOM - used), " %s", name);
    else if (!is_said_missing(to, index) && n++ < MOST)
      names[n - 1] = name;
    if (used >= ROOM) break;
  }
  for (int i = 0; i < reported->n && used < ROOM; ++i)
    if (gannet_problem_find_quantity(to->problem, reported->item[i].name) < 0)
      used += snprintf(found + used, (size_t)(ROOM - used), " %s", reported->item[i].name);
  if (used >= ROOM) *strrchr(found, ' ') = '\0'; /* the last one was cut */
  used = snprintf(text, GANNET_REASON_SIZE, "%.50s", names[0]);
  for (int i = 1; i < n && i < MOST; ++i)
    used += snprintf(text + used, (size_t)(GANNET_REASON_SIZE - used), "%s%.50s",
                     i == n - 1 ? " and " : ", ", names[i]);
  if (n > MOST)
    used += snprintf(text + used, (size_t)(GANNET_REASON_SIZE - used), " and %d more", n - MOST);
  (void)snprintf(text + used, (size_t)(GANNET_REASON_SIZE - used), " %s missing%s%s",
                 n == 1 ? "is" : "are", found[0] ? "; it has:" : "", found);
}

/* Check that what is missing may be, after everything was computed that can be: each quantity that
 * is missing was said to be, or a constraint is violated. A name that is nearly that of a missing
 * quantity is always taken for a misspelling. */
static int check_complete(const reader *to, const char *directory, int no_file) {
  const int n = to->problem->spec.n_constraints;
  const bool is_violated =
      gannet_problem_feasibility(to->problem, to->result->objective, to->result->constraints) == 0;
  for (int index = 0; index <= n; ++index) {
    const char *name = gannet_problem_quantity_name(to->problem, index);
    if (!isnan(quantity_value(to, index)) || is_said_missing(to, index)) continue;
    char meant[MEANT_SIZE] = "", why[GANNET_REASON_SIZE] = "";
    const char *near = find_misspelling(to, index);
    if (is_violated && !near) continue;
    suggest(to, name, near, no_file ? directory : NULL, meant);
    if (gannet_problem_formula(to->problem, index))
      (void)gannet_problem_compute(to->problem, to->result, why, sizeof why);
    const char *lacking = find_lacking(to, index);
    if (lacking && !near)
      gannet_result_fail(to->result, false, "%s", lacking);
    else if (why[0])
      gannet_result_fail(to->result, false, "%s", why);
    else if (no_file)
      gannet_result_fail(to->result, false, "no results.out, so %s is missing%s", name, meant);
    else if (meant[0])
      gannet_result_fail(to->result, false, "results.out: %s is missing%s", name, meant);
    else {
      describe_missing(to, why);
      gannet_result_fail(to->result, false, "results.out: %s", why);
    }
    return -1;
  }
  return 0;
}

/* Whether a check that came first has ended the simulation: a constraint is violated, and what
 * comes later is missing. No output of later parts is to be expected then. */
static bool has_ended_early(const reader *to) {
  const gannet_result_record *result = to->result;
  return gannet_problem_feasibility(to->problem, result->objective, result->constraints) == 0 &&
         gannet_problem_find_missing(to->problem, 0, result->objective, result->constraints) >= 0;
}

bool gannet_contract_lacks_files(const gannet_problem *problem, const char *directory) {
  char found[PATH_MAX], why[GANNET_REASON_SIZE];
  const char *name;
  for (int i = 0; (name = gannet_problem_known_quantity(problem, i)); ++i) {
    const gannet_output *output = gannet_output_find(problem, name);
    if (!gannet_problem_needs_quantity(problem, name)) continue;
    const char *file = output ? output->file : NULL;
    if (!file && output && output->pattern) continue;
    if (!gannet_output_file_find(directory, file ? file : "results.out", found, sizeof found, why,
                                 sizeof why))
      return true;
  }
  return false;
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
  char passed_over[PASSED_OVER_SIZE] = "", note[GANNET_REASON_SIZE] = "";
  lacking_outputs lacking = {0};
  gannet_quantities missing = {0}, word = {0};
  const reader to = {problem, result, passed_over, note, &lacking, &missing, &word};
  (void)!read_file(&to, directory); /* what else is there does not matter */
  gannet_quantities_release(&missing);
  gannet_quantities_release(&word);
  forget_numbers(problem, result);
  return result->status == GANNET_EVAL_CANNOT_RUN;
}

void gannet_contract_read_results(const gannet_problem *problem, const gannet_outcome_rules *rules,
                                  const char *directory, gannet_result_record *result) {
  char passed_over[PASSED_OVER_SIZE] = "", note[GANNET_REASON_SIZE] = "";
  lacking_outputs lacking = {0};
  gannet_quantities missing = {0}, word = {0};
  reader to = {problem, result, passed_over, note, &lacking, &missing, &word};
  const int from_file = read_file(&to, directory); /* first, because it may say fail */
  int failed = from_file < 0 || read_patterns(&to, rules, directory);
  for (int i = 0; problem->outputs && i < problem->outputs->n && !failed; ++i)
    if (problem->outputs->item[i].column)
      failed = read_column(&to, &problem->outputs->item[i], rules, directory);
  failed = failed || take_word(&to) || !gannet_result_compute(problem, GANNET_LACK_SAID, result) ||
           check_complete(&to, directory, from_file == 1);
  if (!failed && has_ended_early(&to))
    note[0] = '\0';
  else if (!failed)
    note_absent(&to);
  gannet_quantities_release(&missing);
  gannet_quantities_release(&word);
  release_lacking(&lacking);
  if (failed) {
    forget_numbers(problem, result);
    return;
  }
  gannet_result_check_numbers(problem, GANNET_LACK_SAID, result);
  if (result->status == GANNET_EVAL_DONE)
    (void)snprintf(result->run.reason, sizeof result->run.reason, "%s", note);
  gannet_utf8_line(result->run.reason);
}
