/* Whether quantities that no file gave may be missing, and what to tell the user when they may not.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/names.h"
#include "evaluate/contract/contract.h"
#include "evaluate/contract/found_results.h"
#include "problem/outputs.h"

enum { MEANT_SIZE = GANNET_PASSED_OVER_SIZE + 40 };

/* Note the outputs that are only recorded and are not in results.out. */
static void note_absent(gannet_found_results *to) {
  const gannet_outputs *outputs = to->problem->outputs;
  char text[GANNET_REASON_SIZE];
  for (int i = 0; outputs && i < outputs->n; ++i) {
    const gannet_output *item = &outputs->item[i];
    if (item->column || item->pattern || gannet_problem_needs_quantity(to->problem, item->name) ||
        gannet_quantities_find(&to->result->reported, item->name) ||
        gannet_quantities_find(&to->missing, item->name))
      continue;
    (void)snprintf(text, sizeof text, "outputs.%s: it is not in results.out", item->name);
    gannet_found_note(to, text);
  }
}

/* A reported name that the campaign does not know and that is nearly the name of a quantity that is
 * missing, or of one that it is computed from; NULL = none. */
static const char *find_misspelling(const gannet_found_results *to, int index) {
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
static bool is_said_missing(const gannet_found_results *to, int index) {
  const gannet_formula *formula = gannet_problem_formula(to->problem, index);
  bool is_said = gannet_quantities_find(&to->missing,
                                        gannet_problem_quantity_name(to->problem, index)) != NULL;
  for (int j = 0; formula && j < formula->n && !is_said; ++j)
    is_said = gannet_quantities_find(&to->missing, formula->names[j]) != NULL;
  return is_said;
}

/* Why an output gives no number that a quantity is, or is computed from; NULL = none is lacking. */
static const char *find_lacking(const gannet_found_results *to, int index) {
  const gannet_formula *formula = gannet_problem_formula(to->problem, index);
  const char *own = gannet_problem_quantity_name(to->problem, index);
  for (int j = 0; j < (formula ? formula->n : 1); ++j)
    for (int i = 0; i < to->n_lacking; ++i)
      if (strcmp(to->lacking[i].name, formula ? formula->names[j] : own) == 0)
        return to->lacking[i].why;
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
static void suggest(const gannet_found_results *to, const char *name, const char *near,
                    const char *directory, char *meant) {
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

enum { FOUND_ROOM = 70 }; /* bytes for the names that were found */

/* What a message says of the names that were found. */
typedef struct {
  char text[FOUND_ROOM]; /* " objective stress": the names that have room */
  int used, n_more;      /* bytes of text; names without room */
} found_names;

static void add_found(const char *name, found_names *found) {
  const size_t room = sizeof found->text - (size_t)found->used;
  if (found->n_more == 0 && strlen(name) + 2 <= room)
    found->used += snprintf(found->text + found->used, room, " %s", name);
  else
    found->n_more += 1;
}

/* "mass and drag are missing; it has: objective": all quantities that are missing and are not said
 * to be, and the names that were found.
 *
 * text  out  [GANNET_REASON_SIZE]
 */
static void describe_missing(const gannet_found_results *to, char *text) {
  enum { MOST = 3 }; /* names that are missing */
  const gannet_quantities *reported = &to->result->reported;
  const char *names[MOST] = {""};
  found_names found = {0};
  char more[32] = "";
  int n = 0, used;
  for (int index = 0; index <= to->problem->spec.n_constraints; ++index) {
    const char *name = gannet_problem_quantity_name(to->problem, index);
    if (gannet_problem_formula(to->problem, index)) continue;
    const bool is_given = gannet_found_is_given(to, index);
    if (is_given)
      add_found(name, &found);
    else if (!is_given && !is_said_missing(to, index) && n++ < MOST)
      names[n - 1] = name;
  }
  for (int i = 0; i < reported->n; ++i)
    if (gannet_problem_find_quantity(to->problem, reported->item[i].name) < 0)
      add_found(reported->item[i].name, &found);
  if (found.n_more > 0) (void)snprintf(more, sizeof more, " and %d more", found.n_more);
  used = snprintf(text, GANNET_REASON_SIZE, "%.50s", names[0]);
  for (int i = 1; i < n && i < MOST; ++i)
    used += snprintf(text + used, (size_t)(GANNET_REASON_SIZE - used), "%s%.50s",
                     i == n - 1 ? " and " : ", ", names[i]);
  if (n > MOST)
    used += snprintf(text + used, (size_t)(GANNET_REASON_SIZE - used), " and %d more", n - MOST);
  (void)snprintf(text + used, (size_t)(GANNET_REASON_SIZE - used), " %s missing%s%s%s",
                 n == 1 ? "is" : "are", found.used > 0 ? "; it has:" : "", found.text,
                 found.used > 0 ? more : "");
}

/* Whether a check that came first has ended the simulation: a constraint is violated, and what
 * comes later is missing. No output of later parts is to be expected then. */
static bool has_ended_early(const gannet_found_results *to) {
  const gannet_result_record *result = to->result;
  return gannet_problem_feasibility(to->problem, result->objective, result->constraints) == 0 &&
         gannet_problem_find_missing(to->problem, 0, result->objective, result->constraints) >= 0;
}

int gannet_found_check_complete(gannet_found_results *to, const char *directory, bool has_file) {
  const int n = to->problem->spec.n_constraints;
  const bool is_violated =
      gannet_problem_feasibility(to->problem, to->result->objective, to->result->constraints) == 0;
  for (int index = 0; index <= n; ++index) {
    const char *name = gannet_problem_quantity_name(to->problem, index);
    if (gannet_found_is_given(to, index) || is_said_missing(to, index)) continue;
    char meant[MEANT_SIZE] = "", why[GANNET_REASON_SIZE] = "";
    const char *near = find_misspelling(to, index);
    if (is_violated && !near) continue;
    suggest(to, name, near, !has_file ? directory : NULL, meant);
    if (gannet_problem_formula(to->problem, index))
      (void)gannet_problem_compute(to->problem, to->result, why, sizeof why);
    const char *lacking = find_lacking(to, index);
    if (lacking && !near)
      gannet_result_fail(to->result, false, "%s", lacking);
    else if (why[0])
      gannet_result_fail(to->result, false, "%s", why);
    else if (!has_file)
      gannet_result_fail(to->result, false, "no results.out, so %s is missing%s", name, meant);
    else if (meant[0])
      gannet_result_fail(to->result, false, "results.out: %s is missing%s", name, meant);
    else {
      describe_missing(to, why);
      gannet_result_fail(to->result, false, "results.out: %s", why);
    }
    return -1;
  }
  if (has_ended_early(to))
    to->note[0] = '\0';
  else
    note_absent(to);
  return 0;
}
