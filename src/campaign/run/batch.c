#include "campaign/run/batch.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "evaluate/contract/contract.h"
#include "problem/outputs.h"

static gannet_ticket *ticket_of(const gannet_campaign *campaign, const gannet_batch *batch, int i) {
  return &campaign->ledger.ticket[batch->id[i]];
}

static gannet_request make_request(const gannet_campaign *campaign, int64_t id, int attempt,
                                   uint64_t nonce) {
  const gannet_context *context = campaign->context;
  return (gannet_request){
      .id = id,
      .attempt = attempt,
      .seed = gannet_random_bits(
          gannet_context_stream(context, GANNET_FOR_SIMULATION, (uint64_t)id, 0), 0),
      .nonce = nonce,
      .x_user = gannet_history_x_user(campaign->history, id),
      .start_from = campaign->ledger.ticket[id].start_from};
}

/* What was told goes out; an evaluation that is told is not in flight. */
static void drop_told(const gannet_campaign *campaign, gannet_batch *batch) {
  int kept = 0;
  batch->n_ended = 0;
  for (int i = 0; i < batch->n; ++i) {
    const gannet_ticket *t = ticket_of(campaign, batch, i);
    if (t->is_told) continue;
    batch->n_ended += t->has_result && !batch->in_flight[i];
    batch->id[kept] = batch->id[i];
    batch->in_flight[kept++] = batch->in_flight[i];
  }
  batch->n = kept;
}

static gannet_err take_new(const gannet_campaign *campaign, gannet_batch *batch) {
  const gannet_ledger *ledger = &campaign->ledger;
  for (; batch->n_looked < ledger->n; ++batch->n_looked) {
    const gannet_ticket *t = &ledger->ticket[batch->n_looked];
    if (t->is_told) continue;
    if (batch->n == batch->capacity) {
      const size_t old = (size_t)batch->capacity, larger = 2 * (old + 1);
      GANNET_REQUIRE(batch->n < (1 << 29), GANNET_ERR_SHAPE, "%d open evaluations", batch->n);
      GANNET_TRY(gannet_resize(old, larger, sizeof *batch->id, &batch->id));
      GANNET_TRY(gannet_resize(old, larger, sizeof *batch->in_flight, &batch->in_flight));
      batch->capacity = (int)larger;
    }
    batch->id[batch->n] = batch->n_looked;
    batch->in_flight[batch->n++] = false;
    batch->n_ended += t->has_result;
  }
  return GANNET_OK;
}

gannet_err gannet_batch_renew(const gannet_campaign *campaign, gannet_batch *batch) {
  drop_told(campaign, batch);
  return gannet_agree(campaign->context->comm, take_new(campaign, batch));
}

/* Whether the open attempt is a job of SLURM; its id, or its name where that is all there is. */
static bool is_slurm_job(const gannet_campaign *campaign, int64_t id, gannet_attempt_info *sight) {
  char path[PATH_MAX], name[32];
  (void)snprintf(name, sizeof name, "evals/%06lld", (long long)id);
  if (gannet_campaign_path(campaign, name, path) != GANNET_OK) {
    gannet_error_clear();
    return false;
  }
  return gannet_attempt_read(path, sight) && sight->nonce == campaign->ledger.ticket[id].nonce &&
         sight->job[0];
}

/* Only the back-end slurm takes jobs over; under another they run on unseen. */
static void warn_of_jobs(const gannet_campaign *campaign, const gannet_batch *batch) {
  const char *backend = campaign->input->evaluator->name;
  gannet_attempt_info sight, first = {.attempt = 0};
  int n = 0;
  if (campaign->context->rank != 0 || strcmp(backend, "slurm") == 0) return;
  for (int i = 0; i < batch->n; ++i) {
    const gannet_ticket *t = ticket_of(campaign, batch, i);
    if (batch->in_flight[i] || t->has_result || t->nonce == 0) continue;
    if (is_slurm_job(campaign, batch->id[i], &sight) && n++ == 0) first = sight;
  }
  if (n > 0)
    gannet_log(campaign->context, GANNET_LOG_WARNING,
               "%d evaluation%s submitted to SLURM (the first as %s), which backend: %s cannot "
               "adopt: they start again, and the jobs keep running until `scancel` ends them; "
               "backend: slurm would read their results",
               n, n == 1 ? " was" : "s were", first.job, backend);
}

gannet_err gannet_batch_open(gannet_campaign *campaign, gannet_evaluator *evaluator,
                             gannet_batch *batch) {
  GANNET_TRY(gannet_batch_renew(campaign, batch));
  for (int i = 0; i < batch->n; ++i) {
    const gannet_ticket *t = ticket_of(campaign, batch, i);
    if (t->has_result || t->nonce == 0) continue; /* no attempt is open */
    const gannet_request request = make_request(campaign, batch->id[i], t->attempt, t->nonce);
    GANNET_TRY(gannet_evaluator_recover(evaluator, &request, &batch->in_flight[i]));
    batch->n_flight += batch->in_flight[i];
  }
  warn_of_jobs(campaign, batch);
  if (batch->n_flight > 0)
    gannet_log(campaign->context, GANNET_LOG_INFO, "adopted %d evaluations of the previous process",
               batch->n_flight);
  return GANNET_OK;
}

void gannet_batch_release(gannet_batch *batch) {
  gannet_free(&batch->id);
  gannet_free(&batch->in_flight);
  for (int i = 0; i < batch->warned.n; ++i) gannet_free(&batch->warned.item[i]);
  gannet_free(&batch->warned.item);
  memset(batch, 0, sizeof *batch);
}

/* Ids ascend. */
static int position_of(const gannet_batch *batch, int64_t id) {
  int low = 0, high = batch->n;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (batch->id[middle] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < batch->n && batch->id[low] == id ? low : -1;
}

gannet_err gannet_batch_correct(const gannet_campaign *campaign, gannet_evaluator *evaluator,
                                gannet_batch *batch) {
  gannet_batch now = {.warned = batch->warned};
  gannet_err err = GANNET_OK;
  for (int i = 0; i < batch->n && err == GANNET_OK; ++i) {
    const gannet_ticket *t = ticket_of(campaign, batch, i);
    const bool is_wanted = !t->has_result && t->nonce != 0;
    if (!batch->in_flight[i] || is_wanted) continue;
    err = gannet_evaluator_withdraw(evaluator, batch->id[i]);
    batch->in_flight[i] = false;
  }
  GANNET_TRY(err);
  err = gannet_agree(campaign->context->comm, take_new(campaign, &now));
  for (int i = 0; i < now.n && err == GANNET_OK; ++i) {
    const int at = position_of(batch, now.id[i]);
    now.in_flight[i] = at >= 0 && batch->in_flight[at];
    now.n_flight += now.in_flight[i];
  }
  gannet_free(&batch->id);
  gannet_free(&batch->in_flight);
  *batch = now;
  return err;
}

int gannet_batch_ended(const gannet_campaign *campaign, const gannet_batch *batch, int64_t *id) {
  int n = 0;
  for (int i = 0; i < batch->n; ++i)
    if (!batch->in_flight[i] && ticket_of(campaign, batch, i)->has_result) id[n++] = batch->id[i];
  return n;
}

void gannet_batch_clear_in_flight(gannet_batch *batch) {
  for (int i = 0; i < batch->n; ++i) batch->in_flight[i] = false;
  batch->n_flight = 0;
}

int gannet_batch_waiting(const gannet_batch *batch) {
  return batch->n - batch->n_flight - batch->n_ended;
}

/* Scratch for one group of submissions. */
typedef struct {
  int n;
  int64_t *id;
  int *attempt;
  uint64_t *nonce;
  gannet_request *request;
} group;

static gannet_err create_group(size_t capacity, group *g) {
  GANNET_TRY(gannet_alloc(capacity, sizeof *g->id, &g->id));
  GANNET_TRY(gannet_alloc(capacity, sizeof *g->attempt, &g->attempt));
  GANNET_TRY(gannet_alloc(capacity, sizeof *g->nonce, &g->nonce));
  return gannet_alloc(capacity, sizeof *g->request, &g->request);
}

static void fill_group(const gannet_campaign *campaign, gannet_batch *batch, int room, group *g) {
  for (int i = 0; i < batch->n && g->n < room; ++i) {
    const gannet_ticket *t = ticket_of(campaign, batch, i);
    if (batch->in_flight[i] || t->has_result) continue;
    const int at = g->n++;
    g->id[at] = batch->id[i];
    g->attempt[at] = t->attempt + 1;
    const gannet_stream stream = {.seed = campaign->instance,
                                  .purpose = GANNET_FOR_RETRY,
                                  .iteration = (uint64_t)g->id[at],
                                  .index = (uint64_t)g->attempt[at]};
    g->nonce[at] = gannet_random_bits(stream, 0);
    g->request[at] = make_request(campaign, g->id[at], g->attempt[at], g->nonce[at]);
    batch->in_flight[i] = true;
  }
  batch->n_flight += g->n;
}

gannet_err gannet_batch_submit(gannet_campaign *campaign, gannet_evaluator *evaluator,
                               gannet_batch *batch) {
  const MPI_Comm comm = campaign->context->comm;
  const int room = campaign->input->evaluate.parallel - batch->n_flight;
  group g = {0};
  if (room <= 0 || gannet_batch_waiting(batch) == 0) return GANNET_OK;
  gannet_err err =
      gannet_agree(comm, create_group((size_t)(room < batch->n ? room : batch->n), &g));
  if (err == GANNET_OK) {
    fill_group(campaign, batch, room, &g);
    /* Journal first, then launch: what runs is always known. */
    err = gannet_ledger_submit(&campaign->ledger, g.n, g.id, g.attempt, g.nonce);
    err = gannet_agree(comm, err);
  }
  if (err == GANNET_OK) err = gannet_evaluator_submit(evaluator, g.n, g.request);
  gannet_free(&g.id);
  gannet_free(&g.attempt);
  gannet_free(&g.nonce);
  gannet_free(&g.request);
  return err;
}

/* Warn about a reported number, once for each name. */
static gannet_err warn_once(gannet_campaign *campaign, gannet_batch *batch, int64_t id,
                            const char *name, const char *what) {
  gannet_text_list *warned = &batch->warned;
  const size_t n = (size_t)warned->n;
  for (size_t i = 0; i < n; ++i)
    if (strcmp(warned->item[i], name) == 0) return GANNET_OK;
  gannet_log(campaign->context, GANNET_LOG_WARNING, "evaluation %lld: %s", (long long)id, what);
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *warned->item, &warned->item));
  warned->n += 1;
  return gannet_copy_text(name, &warned->item[n]);
}

/* Warn about outputs that are missing and numbers that do not count, which the reason of an
 * evaluation that is done notes, and about numbers that the campaign file does not name, where it
 * wants that. */
static gannet_err warn_of_outputs(gannet_campaign *campaign, gannet_batch *batch,
                                  const gannet_result_record *result) {
  const gannet_problem *problem = campaign->input->problem;
  const gannet_quantities *reported = &result->reported;
  char name[100], text[300];
  for (const char *at = result->run.reason; at && *at;) {
    const char *next = strstr(at, "; outputs.");
    const int length = next ? (int)(next - at) : (int)strlen(at);
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ":"), at);
    const bool is_missing = strncmp(at, "outputs.", strlen("outputs.")) == 0;
    (void)snprintf(text, sizeof text, "%s%.*s", is_missing ? "an output is missing: " : "", length,
                   at);
    GANNET_TRY(warn_once(campaign, batch, result->id, name, text));
    at = next ? next + 2 : NULL;
  }
  if (!problem->outputs || problem->outputs->unknown != GANNET_UNKNOWN_WARN) return GANNET_OK;
  for (int i = -1; (i = gannet_problem_find_unknown(problem, reported, i + 1)) >= 0;) {
    (void)snprintf(text, sizeof text,
                   "the simulation reports '%s', which the campaign file does not name; it is "
                   "recorded",
                   reported->item[i].name);
    GANNET_TRY(warn_once(campaign, batch, result->id, reported->item[i].name, text));
  }
  return GANNET_OK;
}

/* Attempts that were given back without having been started leave no trace in the ledger. */
static gannet_err take_results(gannet_campaign *campaign, gannet_batch *batch, int n,
                               gannet_result_record *results) {
  for (int i = 0; i < n; ++i) {
    gannet_result_record *one = &results[i];
    const int at = position_of(batch, one->id);
    GANNET_REQUIRE(at >= 0, GANNET_ERR_INTERNAL, "a result of evaluation %lld, which is not open",
                   (long long)one->id);
    batch->in_flight[at] = false;
    batch->n_flight -= 1;
    if (one->status == GANNET_EVAL_PENDING) {
      if (one->run.reason[0])
        (void)snprintf(batch->returned, sizeof batch->returned, "%s: %.200s",
                       one->run.failure == GANNET_FAILURE_RESULTS ? "results cannot be read"
                                                                  : "no simulation can be started",
                       one->run.reason);
      continue;
    }
    one->run.attempts = campaign->ledger.ticket[one->id].result.run.attempts + 1;
    one->retry = one->status == GANNET_EVAL_FAILED &&
                 one->retry && /* bad luck may not strike twice */
                 one->run.attempts <= campaign->input->evaluate.retries;
    batch->n_ended += !one->retry;
    if (one->status == GANNET_EVAL_DONE) GANNET_TRY(warn_of_outputs(campaign, batch, one));
    if (one->status != GANNET_EVAL_DONE)
      gannet_log(campaign->context, GANNET_LOG_WARNING, "evaluation %lld, attempt %d: %s: %s%s",
                 (long long)one->id, one->run.attempts, gannet_eval_status_phrase(one->status),
                 one->run.reason, one->retry ? " (will be tried again)" : "");
  }
  return GANNET_OK;
}

static gannet_err take_polled(gannet_campaign *campaign, gannet_evaluator *evaluator, double wait,
                              gannet_batch *batch, gannet_result_record *results) {
  int n = 0, n_ended = 0;
  GANNET_TRY(gannet_evaluator_poll(evaluator, wait, batch->n_flight, &n, results));
  gannet_err err = take_results(campaign, batch, n, results);
  for (int i = 0; i < n; ++i) {
    const gannet_result_record moved = results[i];
    if (moved.status == GANNET_EVAL_PENDING) continue;
    results[i] = results[n_ended];
    results[n_ended++] = moved;
  }
  if (err == GANNET_OK) err = gannet_ledger_results(&campaign->ledger, n_ended, results);
  return gannet_agree(campaign->context->comm, err);
}

gannet_err gannet_batch_collect(gannet_campaign *campaign, gannet_evaluator *evaluator, double wait,
                                gannet_batch *batch) {
  const size_t n = (size_t)batch->n_flight;
  const size_t k = (size_t)campaign->input->problem->spec.n_constraints;
  gannet_result_record *results = NULL;
  double *values = NULL;
  gannet_err err = gannet_ledger_write(&campaign->ledger); /* nothing is in memory only for long */
  if (err == GANNET_OK) err = gannet_alloc(n, sizeof *results, &results);
  if (err == GANNET_OK) err = gannet_alloc(n * k, sizeof *values, &values);
  err = gannet_agree(campaign->context->comm, err);
  for (size_t i = 0; i < n && err == GANNET_OK; ++i) results[i].constraints = values + i * k;
  if (err == GANNET_OK) err = take_polled(campaign, evaluator, wait, batch, results);
  if (results) gannet_results_release((int)n, results);
  gannet_free(&values);
  gannet_free(&results);
  return err;
}
