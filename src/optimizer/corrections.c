/* Corrections by the caller: evaluations that are taken out, and results that are replaced. */
#include <string.h>

#include "base/memory.h"
#include "base/plain_environment.h"
#include "optimizer/optimizer_impl.h"
#include "optimizer/rank_digest.h"

/* A row of the history that is corrected. */
typedef struct {
  int64_t row;
  const gannet_result_record *result; /* NULL = the row is taken out */
} correction;

/* number, constraints: [rows], [n_constraints] scratch */
static gannet_err enter_rows(const gannet_history *from, const correction *made, gannet_history *to,
                             int64_t *number, double *constraints) {
  const size_t k = (size_t)gannet_history_problem(from)->spec.n_constraints;
  for (int64_t row = 0; row < gannet_history_count(from); ++row) {
    const gannet_evaluation *old = gannet_history_get(from, row);
    if (row == made->row && !made->result) continue;
    GANNET_TRY(gannet_history_enter(to, gannet_history_x_user(from, row), old->batch, old->origin,
                                    &number[row]));
  }
  for (int64_t at = 0; at < gannet_history_count_told(from); ++at) {
    const int64_t row = gannet_history_order(from)[at];
    const gannet_evaluation *old = gannet_history_get(from, row);
    if (row == made->row && !made->result) continue;
    if (k > 0) memcpy(constraints, gannet_history_constraints(from, row), k * sizeof *constraints);
    gannet_result_record result = {.status = old->status,
                                   .objective = old->objective,
                                   .constraints = constraints,
                                   .reported = *gannet_history_reported(from, row),
                                   .run = old->run};
    if (row == made->row) result = *made->result;
    result.id = number[row];
    GANNET_TRY(gannet_history_tell(to, &result));
  }
  return GANNET_OK;
}

/* A history with the evaluations that count, in the order in which they were proposed and told. */
static gannet_err copy_history(const gannet_optimizer *o, const correction *made,
                               gannet_history **history) {
  int64_t *number = NULL;
  double *constraints = NULL;
  GANNET_TRY(gannet_history_create(o->problem, history));
  gannet_history_name_rows(*history, &o->discarded);
  if (!o->options.method.penalties) gannet_history_take_at_its_word(*history);
  gannet_history_join_runs(*history, o->options.method.replicates);
  gannet_err err = gannet_alloc((size_t)gannet_history_count(o->history), sizeof *number, &number);
  if (err == GANNET_OK)
    err = gannet_alloc((size_t)o->problem->spec.n_constraints, sizeof *constraints, &constraints);
  if (err == GANNET_OK) err = enter_rows(o->history, made, *history, number, constraints);
  gannet_free(&number);
  gannet_free(&constraints);
  return err;
}

/* The optimiser becomes one that was told the evaluations that count, and nothing else; its next
 * batch keeps its number. Collective. */
static gannet_err begin_anew(gannet_optimizer *o, const correction *made) {
  gannet_history *before = o->history, *after = NULL;
  const int64_t batch = o->batch;
  const int64_t id = gannet_discarded_id(&o->discarded, made->row);
  gannet_err err = copy_history(o, made, &after);
  if (err == GANNET_OK && !made->result) err = gannet_discarded_add(&o->discarded, id);
  err = gannet_agree(o->context->comm, err);
  if (err != GANNET_OK) {
    gannet_history_destroy(&after);
    return err;
  }
  o->history = after;
  err = gannet_optimizer_forget(o);
  o->batch = batch;
  gannet_history_destroy(&before);
  return err;
}

gannet_err gannet_optimizer_discard(gannet_optimizer *o, int64_t id) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  correction made = {.row = -1};
  GANNET_REQUIRE_POINTER(o, "optimizer");
  GANNET_TRY(gannet_agree(o->context->comm, gannet_optimizer_find_row(o, id, &made.row)));
  GANNET_TRY(
      gannet_same(o->context->comm, &id, sizeof id, "the evaluation that is to be discarded"));
  GANNET_TRY(begin_anew(o, &made));
  return GANNET_OK;
}

static gannet_err read_correction(const gannet_optimizer *o, int64_t id,
                                  const gannet_result *result, gannet_result_record *record) {
  int64_t row = -1;
  GANNET_REQUIRE_POINTER(result, "result");
  GANNET_TRY(gannet_alloc((size_t)o->problem->spec.n_constraints, sizeof *record->constraints,
                          &record->constraints));
  GANNET_TRY(gannet_optimizer_find_row(o, id, &row));
  GANNET_REQUIRE(
      gannet_history_get(o->history, row)->status != GANNET_EVAL_PENDING, GANNET_ERR_STATE,
      "evaluation %lld has no result yet, so there is nothing to correct; tell one", (long long)id);
  GANNET_TRY(gannet_optimizer_read_result(o->problem, result, record));
  record->id = row;
  return GANNET_OK;
}

gannet_err gannet_optimizer_correct(gannet_optimizer *o, int64_t id, const gannet_result *result) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  gannet_result_record record = {.id = -1};
  GANNET_REQUIRE_POINTER(o, "optimizer");
  gannet_err err = gannet_agree(o->context->comm, read_correction(o, id, result, &record));
  if (err == GANNET_OK) {
    const uint64_t digest = gannet_rank_digest_result(0, o->problem, &record);
    err = gannet_same(o->context->comm, &digest, sizeof digest, "a result that is corrected");
  }
  const correction made = {record.id, &record};
  if (err == GANNET_OK) err = begin_anew(o, &made);
  gannet_results_release(1, &record);
  gannet_free(&record.constraints);
  GANNET_TRY(err);
  return GANNET_OK;
}
