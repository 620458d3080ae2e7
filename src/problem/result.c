#include "problem/result.h"

#include <math.h>
#include <string.h>

#include "problem/outputs.h"

#define WORD(name, word, phrase) word,
#define PHRASE(name, word, phrase) phrase,
#define OLD_WORD(word, status) {word, status},
#define TEXT(name, text) text,
static const char *const status_texts[] = {GANNET_EVAL_STATUS_LIST(WORD)};
static const char *const status_phrases[] = {GANNET_EVAL_STATUS_LIST(PHRASE)};
static const struct {
  const char *word;
  gannet_eval_status status;
} old_words[] = {GANNET_EVAL_OLD_WORD_LIST(OLD_WORD)};
static const char *const failure_texts[] = {GANNET_FAILURE_LIST(TEXT)};
#undef WORD
#undef PHRASE
#undef OLD_WORD
#undef TEXT

const char *gannet_eval_status_text(gannet_eval_status status) {
  return 0 <= (int)status && status < GANNET_EVAL_STATUS_COUNT ? status_texts[status] : "unknown";
}

const char *gannet_eval_status_phrase(gannet_eval_status status) {
  return 0 <= (int)status && status < GANNET_EVAL_STATUS_COUNT ? status_phrases[status] : "unknown";
}

bool gannet_eval_status_find(const char *word, gannet_eval_status *status) {
  for (int i = 0; i < GANNET_EVAL_STATUS_COUNT; ++i)
    if (strcmp(word, status_texts[i]) == 0) {
      *status = (gannet_eval_status)i;
      return true;
    }
  for (size_t i = 0; i < sizeof old_words / sizeof *old_words; ++i)
    if (strcmp(word, old_words[i].word) == 0) {
      *status = old_words[i].status;
      return true;
    }
  return false;
}

const char *gannet_eval_status_old_text(gannet_eval_status status) {
  for (size_t i = 0; i < sizeof old_words / sizeof *old_words; ++i)
    if (old_words[i].status == status) return old_words[i].word;
  return NULL;
}

const char *gannet_failure_text(gannet_failure failure) {
  return 0 <= (int)failure && failure < GANNET_FAILURE_COUNT ? failure_texts[failure] : "unknown";
}

gannet_run_record gannet_run_unknown(void) {
  return (gannet_run_record){
      .submitted = NAN, .started = NAN, .ended = NAN, .exit_code = -1, .slot = -1};
}

void gannet_result_clear(int n_constraints, gannet_result_record *result) {
  double *constraints = result->constraints;
  *result = (gannet_result_record){.status = GANNET_EVAL_FAILED,
                                   .objective = NAN,
                                   .constraints = constraints,
                                   .run = gannet_run_unknown()};
  for (int j = 0; j < n_constraints; ++j) constraints[j] = NAN;
}

bool gannet_result_same_value(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

void gannet_results_release(int n, gannet_result_record *results) {
  for (int i = 0; i < n; ++i) gannet_quantities_release(&results[i].reported);
}

int gannet_result_count_known(const gannet_problem *problem, const gannet_result_record *result) {
  int known = !isnan(result->objective);
  for (int k = 0; k < problem->spec.n_constraints; ++k) known += !isnan(result->constraints[k]);
  return known;
}

int gannet_result_feasibility(const gannet_problem *problem, const gannet_result_record *result) {
  if (result->status != GANNET_EVAL_DONE) return -1;
  return gannet_problem_feasibility(problem, result->objective, result->constraints);
}

gannet_err gannet_result_report(const gannet_problem *problem, const gannet_quantity *quantity,
                                gannet_result_record *result) {
  const char *name = quantity->name ? quantity->name : "";
  const int index = gannet_problem_find_quantity(problem, name);
  double *asked = index == 0  ? &result->objective
                  : index > 0 ? &result->constraints[index - 1]
                              : NULL;
  gannet_quantity kept = *quantity;
  if (index == 0) kept.name = gannet_problem_reported_name(problem, 0);
  if (asked && !isnan(quantity->value)) *asked = quantity->value;
  if (asked) kept.value = *asked;
  if (asked && quantity->sd == 0 && !quantity->gradient) return GANNET_OK;
  if (!asked && result->reported.n >= GANNET_QUANTITIES_MOST &&
      !gannet_quantities_find(&result->reported, name))
    return GANNET_OK;
  return gannet_quantities_set(&result->reported, problem->spec.n_variables, &kept);
}
