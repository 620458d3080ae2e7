/* A campaign with one of everything, for the tests of its ledger, snapshots, restoring and tables.
 */
#ifndef GANNET_TESTS_CAMPAIGN_BOOKS_H
#define GANNET_TESTS_CAMPAIGN_BOOKS_H

#include "support/folder.h"

#include <math.h>

#include "base/context.h"
#include "campaign/run/fingerprint.h"
#include "campaign/run/ledger.h"

static const char *const kinds_of_steel[] = {"soft, cheap", "say \"hard\"", "caf\xc3\xa9"};
static const gannet_variable four_variables[] = {
    {.name = "x", .type = GANNET_VARIABLE_REAL, .lower = -1, .upper = 0.30000000000000004},
    {.name = "n", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 8},
    {.name = "steel", .type = GANNET_VARIABLE_CATEGORICAL, .values = kinds_of_steel, .n_values = 3},
    {.name = "vent", .type = GANNET_VARIABLE_BOOLEAN}};
static const gannet_constraint two_constraints[] = {{"mass", -INFINITY, 3}, {"stress", 0.5, 110}};

static inline gannet_problem *make_problem(double upper) {
  gannet_variable variables[4];
  memcpy(variables, four_variables, sizeof variables);
  variables[1].upper = upper;
  const gannet_problem_spec spec = {.n_variables = 4,
                                    .variables = variables,
                                    .n_constraints = 2,
                                    .constraints = two_constraints,
                                    .goal = GANNET_MAXIMIZE};
  gannet_problem *problem = NULL;
  assert_ok(gannet_problem_create(&spec, &problem));
  return problem;
}

/* A ledger with the history that it fills. */
typedef struct {
  gannet_problem *problem;
  gannet_history *history;
  gannet_ledger ledger;
} books;

static inline void open_books(books *b, double upper) {
  b->problem = make_problem(upper);
  assert_ok(gannet_history_create(b->problem, &b->history));
  gannet_ledger_init(&b->ledger, b->problem, b->history);
}

static inline void close_books(books *b) {
  gannet_ledger_release(&b->ledger);
  gannet_history_destroy(&b->history);
  gannet_problem_destroy(&b->problem);
}

static inline void propose(books *b, int n, int64_t batch, gannet_origin origin) {
  const double values[] = {0.1 * (double)batch, INFINITY, NAN, -0.0, 5e-324};
  char name[32];
  gannet_state state = {0};
  const int64_t first = gannet_history_count(b->history);
  for (int i = 0; i < n; ++i) {
    const double at = (double)(first + i);
    const double x[] = {-1 / (1 + at), 1 + fmod(at, 8), fmod(at, 3), fmod(at, 2)};
    assert_ok(gannet_history_propose(b->history, x, batch, origin, NULL));
  }
  assert_ok(gannet_state_put_text(&state, "", "method", "gp-ei"));
  assert_ok(gannet_state_put(&state, "", "batch", GANNET_STATE_WHOLE, (double)(batch + 1)));
  for (int i = 0; i < 5; ++i) {
    (void)snprintf(name, sizeof name, "objective.value_%d", i);
    assert_ok(gannet_state_put(&state, "gp-ei/", name, GANNET_STATE_REAL, values[i]));
  }
  if (batch % 2 == 0) /* it comes and goes */
    assert_ok(gannet_state_put(&state, "gp-ei/", "open.3", GANNET_STATE_WHOLE, (double)first));
  assert_ok(gannet_ledger_propose(&b->ledger, first, NULL, &state, 0.25 * (double)(batch + 1)));
  gannet_state_release(&state);
}

static inline gannet_result_record make_ended(int64_t id, gannet_eval_status status,
                                              const double *constraints) {
  gannet_result_record ended = {
      .id = id,
      .status = status,
      .objective = status == GANNET_EVAL_DONE ? 1.0 / 3 + (double)id : NAN,
      .constraints = (double *)constraints,
      .run = {.submitted = 1.7e9,
              .started = NAN,
              .ended = 1.7e9 + 0.125,
              .attempts = 1,
              .slot = 2,
              .host = "node-7",
              .job = "4711"}};
  if (status == GANNET_EVAL_DONE) return ended;
  ended.run.exit_code = -1;
  ended.run.signal = 9;
  ended.run.failure = GANNET_FAILURE_SIGNAL;
  ended.run.crashed = status == GANNET_EVAL_FAILED && id % 2 == 0;
  (void)snprintf(ended.run.reason, sizeof ended.run.reason,
                 "bad \xff\xfe bytes, \"quotes\", caf\xc3\xa9, a tab\t and \\");
  return ended;
}

/* What a simulation reports besides objective and constraints; among it a name that a variable has.
 */
static inline void report_more(const gannet_problem *problem, gannet_result_record *result) {
  const double gradient[] = {0.1, -2, NAN, 1e300};
  const gannet_quantity more[] = {{.name = "drag", .value = 0.25, .sd = 0.125},
                                  {.name = "mass", .value = 2.5, .sd = 1.0 / 3, gradient},
                                  {.name = "lift", .value = NAN},
                                  {.name = "n", .value = -7}};
  for (size_t i = 0; i < sizeof more / sizeof *more; ++i)
    assert_ok(gannet_quantities_set(&result->reported, problem->spec.n_variables, &more[i]));
}

/* Two batches and a point of a user's own in between; done, cannot run, failed, tried again,
 * acknowledged but not told, submitted, and only proposed. */
static inline void keep_books(books *b) {
  const int64_t batch[] = {0, 1, 2, 3}, told[] = {2, 0, 1};
  const int attempts[] = {1, 1, 1, 1}, second[] = {2};
  const uint64_t nonces[] = {1, UINT64_MAX, 0, 0x8000000000000000}, other[] = {77};
  const double good[] = {2.5, 3.0000000000000004}, bad[] = {-1e300, 5e-324};
  assert_ok(gannet_ledger_campaign(&b->ledger, "test \"1\"", UINT64_MAX - 1,
                                   gannet_problem_fingerprint(b->problem)));
  propose(b, 4, 0, GANNET_ORIGIN_INITIAL);
  assert_ok(gannet_ledger_submit(&b->ledger, 4, batch, attempts, nonces));
  gannet_result_record ended[] = {make_ended(1, GANNET_EVAL_DONE, good),
                                  make_ended(0, GANNET_EVAL_CANNOT_RUN, NULL),
                                  make_ended(2, GANNET_EVAL_FAILED, NULL)};
  ended[2].retry = true;
  report_more(b->problem, &ended[0]);
  assert_ok(gannet_ledger_results(&b->ledger, 3, ended));
  gannet_results_release(3, ended);
  assert_ok(gannet_ledger_submit(&b->ledger, 1, &batch[2], second, other));
  ended[2].retry = false;
  ended[2].run.attempts = 2;
  assert_ok(gannet_ledger_results(&b->ledger, 1, &ended[2]));
  assert_ok(gannet_ledger_tell(&b->ledger, 3, told));
  propose(b, 1, 1, GANNET_ORIGIN_USER);
  propose(b, 3, 1, GANNET_ORIGIN_METHOD);
  gannet_result_record held = make_ended(5, GANNET_EVAL_DONE, bad);
  report_more(b->problem, &held);
  assert_ok(gannet_ledger_results(&b->ledger, 1, &held));
  gannet_results_release(1, &held);
  gannet_result_record retried = make_ended(3, GANNET_EVAL_FAILED, NULL);
  retried.retry = true;
  assert_ok(gannet_ledger_results(&b->ledger, 1, &retried));
}

/* NANs are alike. */
static inline void assert_same_number(double a, double b) {
  if (!(isnan(a) && isnan(b))) assert_memory_equal(&a, &b, sizeof a);
}

static inline void assert_same_reported(const gannet_quantities *a, const gannet_quantities *b,
                                        int n_variables) {
  assert_int_equal(a->n, b->n);
  for (int i = 0; i < a->n; ++i) {
    const gannet_reported *s = &a->item[i], *t = &b->item[i];
    assert_string_equal(s->name, t->name);
    assert_same_number(s->value, t->value);
    assert_same_number(s->sd, t->sd);
    assert_int_equal(s->gradient != NULL, t->gradient != NULL);
    for (int v = 0; v < n_variables && s->gradient; ++v)
      assert_same_number(s->gradient[v], t->gradient[v]);
  }
}

static inline void assert_same_ticket(const gannet_ledger *a, const gannet_ledger *b, int64_t id) {
  const gannet_ticket *s = &a->ticket[id], *t = &b->ticket[id];
  const gannet_evaluation *x = gannet_history_get(a->history, id);
  const gannet_evaluation *y = gannet_history_get(b->history, id);
  assert_memory_equal(gannet_history_x_user(a->history, id), gannet_history_x_user(b->history, id),
                      (size_t)a->problem->spec.n_variables * sizeof(double));
  assert_int_equal(x->batch, y->batch);
  assert_int_equal(x->origin, y->origin);
  assert_int_equal(x->status, y->status);
  assert_int_equal(s->attempt, t->attempt);
  assert_true(s->nonce == t->nonce);
  assert_int_equal(s->has_result, t->has_result);
  assert_int_equal(s->is_told, t->is_told);
  assert_int_equal(s->result.run.attempts, t->result.run.attempts);
  assert_int_equal(s->result.run.exit_code, t->result.run.exit_code);
  assert_int_equal(s->result.run.signal, t->result.run.signal);
  assert_int_equal(s->result.run.slot, t->result.run.slot);
  assert_string_equal(s->result.run.host, t->result.run.host);
  assert_string_equal(s->result.run.job, t->result.run.job);
  assert_string_equal(s->result.run.reason, t->result.run.reason);
  assert_int_equal(s->result.run.failure, t->result.run.failure);
  assert_int_equal(s->result.run.crashed, t->result.run.crashed);
  assert_same_number(s->result.run.submitted, t->result.run.submitted);
  assert_same_number(s->result.run.started, t->result.run.started);
  assert_same_number(s->result.run.ended, t->result.run.ended);
  assert_same_number(s->proposal, t->proposal);
  assert_same_reported(&s->result.reported, &t->result.reported, a->problem->spec.n_variables);
  assert_same_reported(gannet_history_reported(a->history, id),
                       gannet_history_reported(b->history, id), a->problem->spec.n_variables);
  if (!s->has_result) return;
  assert_int_equal(s->result.status, t->result.status);
  assert_same_number(s->result.objective, t->result.objective);
  for (int k = 0; k < a->problem->spec.n_constraints && s->result.status == GANNET_EVAL_DONE; ++k)
    assert_same_number(s->result.constraints[k], t->result.constraints[k]);
}

/* Everything but the number of the last record. */
/* What models have learnt, by the names; positions of names may differ. */
static inline void assert_same_course(const gannet_state_course *a, const gannet_state_course *b) {
  assert_int_equal(a->n, b->n);
  for (int64_t i = 0; i < a->n; ++i) {
    const gannet_course_row *row = &a->row[i], *other = &b->row[i];
    assert_int_equal(row->evaluation, other->evaluation);
    assert_string_equal(a->parameter[row->parameter], b->parameter[other->parameter]);
    assert_same_number(row->value, other->value);
  }
}

static inline void assert_same_books(const gannet_ledger *a, const gannet_ledger *b) {
  const int64_t told = gannet_history_count_told(a->history);
  assert_string_equal(a->name, b->name);
  assert_true(a->seed == b->seed);
  assert_true(a->fingerprint == b->fingerprint);
  assert_int_equal(a->stop_reason != NULL, b->stop_reason != NULL);
  if (a->stop_reason) assert_string_equal(a->stop_reason, b->stop_reason);
  assert_int_equal(a->n, b->n);
  assert_int_equal(a->n_positional, b->n_positional);
  assert_int_equal(a->n_columns, b->n_columns);
  for (int i = 0; i < a->n_columns; ++i)
    assert_string_equal(a->column[i].title, b->column[i].title);
  for (int i = 0; i < a->n_positional; ++i) assert_same_number(a->positional[i], b->positional[i]);
  assert_int_equal(a->state.n, b->state.n);
  for (int i = 0; i < a->state.n; ++i) {
    const int at = gannet_state_position(&b->state, a->state.value[i].name, 0);
    assert_true(at >= 0);
    assert_int_equal(a->state.value[i].kind, b->state.value[at].kind);
    assert_string_equal(a->state.value[i].text, b->state.value[at].text);
    assert_same_number(a->state.value[i].number, b->state.value[at].number);
  }
  assert_same_course(&a->course, &b->course);
  for (int64_t id = 0; id < a->n; ++id) assert_same_ticket(a, b, id);
  assert_int_equal(told, gannet_history_count_told(b->history));
  assert_memory_equal(gannet_history_order(a->history), gannet_history_order(b->history),
                      (size_t)told * sizeof(int64_t));
  assert_true(gannet_history_digest(a->history) == gannet_history_digest(b->history));
}

#endif
