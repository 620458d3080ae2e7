/* Quantities that the files of an evaluation give: which count, and which contradict each other. */
#include "evaluate/contract/found_results.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "evaluate/contract/contract.h"
#include "problem/outputs.h"

const char gannet_missing_word[] = "missing";

bool gannet_contract_is_transient(int error) {
  static const int passing[] = {EAGAIN,    ENOMEM,       ENFILE,       EMFILE,      EIO,
                                ESTALE,    ETXTBSY,      EINTR,        EREMOTEIO,   ETIMEDOUT,
                                ENOTCONN,  ESHUTDOWN,    ECONNREFUSED, ECONNRESET,  ECONNABORTED,
                                EHOSTDOWN, EHOSTUNREACH, ENETDOWN,     ENETUNREACH, EKEYEXPIRED};
  for (size_t i = 0; i < sizeof passing / sizeof *passing; ++i)
    if (error == passing[i]) return true;
  return false;
}

void gannet_found_fail_to_read(int error, const char *why, gannet_result_record *result) {
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
    gannet_found_fail_to_read(report->error, why, result);
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

bool gannet_found_is_given(const gannet_found_results *to, int index) {
  const double value = index == 0 ? to->result->objective : to->result->constraints[index - 1];
  return !isnan(value);
}

int gannet_found_refuse_unknown(gannet_found_results *to, const char *name, const char *location) {
  const gannet_outputs *outputs = to->problem->outputs;
  if (!outputs || outputs->unknown != GANNET_UNKNOWN_FAIL || gannet_output_find(to->problem, name))
    return 0;
  gannet_result_fail_unknown(to->problem, location, name, to->result);
  return -1;
}

static int fail_contradiction(gannet_found_results *to, const char *name, const char *location) {
  gannet_result_fail(to->result, false, "%s: %s is said to be missing, and has a value, too",
                     location, name);
  return -1;
}

/* Whether a name is the word "objective" where the campaign file gives the objective another name.
 * A simulation may go on printing that word after the campaign file was changed to name another
 * number; the number of the new name then counts. */
static bool is_objective_word(const gannet_problem *problem, const char *name) {
  return strcmp(name, "objective") == 0 && gannet_problem_find_quantity(problem, name) == 0 &&
         (gannet_problem_formula(problem, 0) ||
          strcmp(gannet_problem_quantity_name(problem, 0), name) != 0);
}

/* 0, or -1 with an error as the reason in the result. */
static int end_setting(gannet_found_results *to, gannet_err err, const char *location) {
  if (err == GANNET_OK) return 0;
  if (err == GANNET_ERR_MEMORY)
    gannet_found_fail_to_read(ENOMEM, gannet_error_message(), to->result);
  else
    gannet_result_fail(to->result, false, "%s: %s", location, gannet_error_detail());
  gannet_error_clear();
  return -1;
}

void gannet_found_note(gannet_found_results *to, const char *text) {
  const size_t used = strlen(to->note), more = strlen(text);
  if (used > 0 && used + 2 + more >= GANNET_REASON_SIZE) return;
  (void)snprintf(to->note + used, GANNET_REASON_SIZE - used, "%s%s", used > 0 ? "; " : "", text);
}

/* Warn of a number that is named as columns of standard deviations are ("drag.sd"). It is not taken
 * for the standard deviation of drag, and whoever wrote it expects that it is. */
static void note_deviation(gannet_found_results *to, const char *name, const char *location) {
  const size_t length = strlen(name);
  char of[48], text[GANNET_REASON_SIZE];
  if (length < 4 || length >= sizeof of || strcmp(name + length - 3, ".sd") != 0) return;
  (void)snprintf(of, sizeof of, "%.*s", (int)(length - 3), name);
  if (!gannet_problem_needs_quantity(to->problem, of)) return;
  (void)snprintf(text, sizeof text,
                 "%s: the number in %s does not count, because the standard deviation of %s stands "
                 "behind its value, as in %s 3.2 +- 0.1",
                 name, location, of, of);
  gannet_found_note(to, text);
}

int gannet_found_set(gannet_found_results *to, gannet_quantity quantity, const char *location) {
  const int index = gannet_problem_find_quantity(to->problem, quantity.name);
  const bool is_needed = gannet_problem_needs_quantity(to->problem, quantity.name);
  if (is_needed && !isfinite(quantity.value)) {
    gannet_result_fail(to->result, false, "%s: %s is %g, expected a finite number", location,
                       quantity.name, quantity.value);
    return -1;
  }
  if (is_needed && gannet_quantities_find(&to->missing, quantity.name))
    return fail_contradiction(to, quantity.name, location);
  const bool is_word = is_objective_word(to->problem, quantity.name);
  if (is_word && to->word.n > 0) {
    gannet_result_fail(to->result, false, "%s: objective is given twice", location);
    return -1;
  }
  if (is_word)
    return end_setting(
        to, gannet_quantities_set(&to->word, to->problem->spec.n_variables, &quantity), location);
  if (index >= 0 ? gannet_found_is_given(to, index)
                 : is_needed && gannet_quantities_find(&to->result->reported, quantity.name)) {
    gannet_result_fail(to->result, false, "%s: %s is given twice%s", location, quantity.name,
                       strncmp(location, "results.out", 11) == 0
                           ? ""
                           : ": results.out has it, too; leave one of the two out");
    return -1;
  }
  if (index < 0 && !gannet_quantity_is_name(quantity.name)) {
    note_deviation(to, quantity.name, location);
    return gannet_found_refuse_unknown(to, quantity.name, location);
  }
  if (index < 0 && !(isfinite(quantity.sd) && quantity.sd >= 0)) quantity.sd = 0;
  return end_setting(to, gannet_result_report(to->problem, &quantity, to->result), location);
}

bool gannet_found_may_be_missing(const gannet_found_results *to, const char *name) {
  return gannet_problem_needs_quantity(to->problem, name) || gannet_output_find(to->problem, name);
}

int gannet_found_set_missing(gannet_found_results *to, const char *name, const char *location) {
  const int index = gannet_problem_find_quantity(to->problem, name);
  const bool is_given = index >= 0 ? gannet_found_is_given(to, index)
                                   : gannet_quantities_find(&to->result->reported, name) != NULL;
  if (is_given && gannet_problem_needs_quantity(to->problem, name))
    return fail_contradiction(to, name, location);
  const gannet_quantity quantity = {
      .name = index >= 0 ? gannet_problem_quantity_name(to->problem, index) : name, .value = NAN};
  return end_setting(to, gannet_quantities_set(&to->missing, 0, &quantity), location);
}

int gannet_found_take_word(gannet_found_results *to) {
  const char *name = gannet_problem_quantity_name(to->problem, 0);
  if (to->word.n == 0 || gannet_problem_formula(to->problem, 0) || gannet_found_is_given(to, 0) ||
      gannet_quantities_find(&to->missing, name))
    return 0;
  const gannet_reported *given = &to->word.item[0];
  const gannet_quantity quantity = {given->name, given->value, given->sd, given->gradient};
  return end_setting(to, gannet_result_report(to->problem, &quantity, to->result), "results.out");
}

static gannet_err add_lacking(gannet_found_results *to, const char *name, const char *why) {
  const size_t n = (size_t)to->n_lacking;
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *to->lacking, &to->lacking));
  to->n_lacking += 1;
  GANNET_TRY(gannet_copy_text(name, &to->lacking[n].name));
  return gannet_copy_text(why, &to->lacking[n].why);
}

int gannet_found_take_output(gannet_found_results *to, const char *name, const double *value,
                             const char *text) {
  if (value) return gannet_found_set(to, (gannet_quantity){.name = name, .value = *value}, text);
  if (gannet_quantities_find(&to->missing, name)) return 0;
  if (gannet_problem_needs_quantity(to->problem, name))
    return end_setting(to, add_lacking(to, name, text), text);
  gannet_found_note(to, text);
  return 0;
}

void gannet_found_release(gannet_found_results *to) {
  for (int i = 0; i < to->n_lacking; ++i) {
    gannet_free(&to->lacking[i].name);
    gannet_free(&to->lacking[i].why);
  }
  gannet_free(&to->lacking);
  gannet_quantities_release(&to->missing);
  gannet_quantities_release(&to->word);
}
