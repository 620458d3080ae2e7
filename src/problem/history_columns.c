#include "problem/history_columns.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "store/fields.h"

#define PROPOSAL(member, kind) GANNET_STRUCT_AT(gannet_proposal, member, kind)

static const gannet_struct_field proposal_fields[] = {
    {.name = "history/batch", PROPOSAL(batch, LARGE)},
    {.name = "history/origin",
     PROPOSAL(origin, INT),
     .upper = GANNET_ORIGIN_COUNT - 1,
     .help = "0 initial design, 1 method, 2 user, 3 start, 4 import"},
    {0}};

static gannet_err write_proposals(gannet_store *store, const gannet_history *history, int64_t n) {
  gannet_proposal *proposal = NULL;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *proposal, &proposal));
  for (int64_t i = 0; i < n; ++i) {
    const gannet_evaluation *row = gannet_history_get(history, i);
    proposal[i] = (gannet_proposal){row->batch, row->origin};
  }
  const gannet_err err =
      gannet_store_write_fields(store, proposal_fields, n, proposal, sizeof *proposal);
  gannet_free(&proposal);
  return err;
}

gannet_err gannet_history_columns_write(gannet_store *store, const gannet_history *history,
                                        const double *constraints) {
  const gannet_problem_spec *spec = &gannet_history_problem(history)->spec;
  const int64_t n = gannet_history_count(history), told = gannet_history_count_told(history);
  const int64_t points[2] = {n, spec->n_variables}, values[2] = {n, spec->n_constraints};
  GANNET_TRY(gannet_store_write_doubles(store, "history/x", 2, points,
                                        n > 0 ? gannet_history_x_user(history, 0) : NULL));
  GANNET_TRY(gannet_store_annotate(store, "history/x", NULL,
                                   "points in the user's units, columns as problem/variables; "
                                   "booleans 0 or 1, categories by position"));
  GANNET_TRY(gannet_store_write_doubles(store, "history/constraints", 2, values, constraints));
  GANNET_TRY(write_proposals(store, history, n));
  GANNET_TRY(
      gannet_store_write_int64s(store, "history/told", 1, &told, gannet_history_order(history)));
  return gannet_store_annotate(store, "history/told", NULL,
                               "evaluations by the order in which the optimiser learnt of them");
}

static gannet_err read_sizes(const gannet_store *store, gannet_history_columns *c) {
  int64_t dims[GANNET_STORE_MAX_RANK];
  int rank = 0;
  GANNET_TRY(gannet_store_shape(store, "history/objective", &rank, dims));
  GANNET_REQUIRE(rank == 1, GANNET_ERR_DAMAGED, "history/objective has %d dimensions", rank);
  c->n = dims[0];
  GANNET_TRY(gannet_store_shape(store, "history/told", &rank, dims));
  GANNET_REQUIRE(rank == 1 && dims[0] <= c->n, GANNET_ERR_DAMAGED, "history/told does not fit");
  c->n_told = dims[0];
  return GANNET_OK;
}

gannet_err gannet_history_columns_read(const gannet_store *store, const gannet_problem *problem,
                                       gannet_history_columns *c) {
  GANNET_TRY(read_sizes(store, c));
  const size_t n = (size_t)c->n;
  const int64_t points[2] = {c->n, problem->spec.n_variables};
  const int64_t values[2] = {c->n, problem->spec.n_constraints};
  GANNET_TRY(gannet_alloc((size_t)(points[0] * points[1]), sizeof *c->x, &c->x));
  GANNET_TRY(
      gannet_alloc((size_t)(values[0] * values[1]), sizeof *c->constraints, &c->constraints));
  GANNET_TRY(gannet_alloc((size_t)c->n_told, sizeof *c->order, &c->order));
  GANNET_TRY(gannet_alloc(n, sizeof *c->proposal, &c->proposal));
  GANNET_TRY(gannet_store_read_doubles(store, "history/x", 2, points, c->x));
  GANNET_TRY(gannet_store_read_doubles(store, "history/constraints", 2, values, c->constraints));
  GANNET_TRY(
      gannet_store_read_fields(store, proposal_fields, c->n, c->proposal, sizeof *c->proposal));
  GANNET_TRY(gannet_store_read_int64s(store, "history/told", 1, &c->n_told, c->order));
  for (int64_t at = 0; at < c->n_told; ++at)
    GANNET_REQUIRE(0 <= c->order[at] && c->order[at] < c->n, GANNET_ERR_DAMAGED,
                   "history/told names evaluation %lld of %lld", (long long)c->order[at],
                   (long long)c->n);
  return GANNET_OK;
}

void gannet_history_columns_release(gannet_history_columns *c) {
  gannet_free(&c->x);
  gannet_free(&c->constraints);
  gannet_free(&c->order);
  gannet_free(&c->proposal);
}

gannet_err gannet_history_columns_propose(const gannet_history_columns *c,
                                          gannet_history *history) {
  const int64_t v = gannet_history_problem(history)->spec.n_variables;
  GANNET_TRY(gannet_history_reserve(history, c->n));
  for (int64_t i = 0; i < c->n; ++i)
    GANNET_TRY(gannet_history_enter(history, c->x + i * v, c->proposal[i].batch,
                                    c->proposal[i].origin, NULL));
  return GANNET_OK;
}

/* The columns of the table, and of a second one with the gradients that some of its rows have. */
typedef struct {
  int64_t n;           /* rows */
  int64_t *evaluation; /* [n] */
  const char **name;   /* [n] of the quantities */
  double *value, *sd;  /* [n] */
  int64_t n_gradients;
  int64_t *gradient_row; /* [n_gradients] row that has the gradient */
  double *gradient;      /* [n_gradients][n_variables] */
} table;

static gannet_err create_table(int64_t n, int64_t n_gradients, int n_variables, table *t) {
  t->n = n;
  t->n_gradients = n_gradients;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *t->evaluation, &t->evaluation));
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *t->name, &t->name));
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *t->value, &t->value));
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *t->sd, &t->sd));
  GANNET_TRY(gannet_alloc((size_t)n_gradients, sizeof *t->gradient_row, &t->gradient_row));
  return gannet_alloc((size_t)n_gradients * (size_t)n_variables, sizeof *t->gradient, &t->gradient);
}

static void release_table(table *t) {
  gannet_free(&t->evaluation);
  gannet_free(&t->name);
  gannet_free(&t->value);
  gannet_free(&t->sd);
  gannet_free(&t->gradient_row);
  gannet_free(&t->gradient);
}

/* Names are borrowed from the lists. */
static gannet_err fill_table(int n_variables, int64_t n_lists,
                             const gannet_quantities *const *lists, table *t) {
  const size_t v = (size_t)n_variables;
  int64_t n = 0, n_gradients = 0;
  for (int64_t id = 0; id < n_lists; ++id)
    for (int i = 0; i < lists[id]->n; ++i, ++n) n_gradients += lists[id]->item[i].gradient != NULL;
  GANNET_TRY(create_table(n, n_gradients, n_variables, t));
  n = n_gradients = 0;
  for (int64_t id = 0; id < n_lists; ++id)
    for (int i = 0; i < lists[id]->n; ++i, ++n) {
      const gannet_reported *item = &lists[id]->item[i];
      t->evaluation[n] = id;
      t->name[n] = item->name;
      t->value[n] = item->value;
      t->sd[n] = item->sd;
      if (!item->gradient) continue;
      t->gradient_row[n_gradients] = n;
      memcpy(t->gradient + (size_t)n_gradients++ * v, item->gradient, v * sizeof *t->gradient);
    }
  return GANNET_OK;
}

/* The datasets, for whoever reads the file. */
static gannet_err describe_table(gannet_store *store) {
  static const char *const texts[][2] = {
      {"reported/evaluation", "number of the evaluation that reported the quantity"},
      {"reported/name", "name of the quantity"},
      {"reported/value", "in the user's units, NaN = missing"},
      {"reported/sd", "standard deviation of the value, 0 = not told"},
      {"reported/gradient_row", "row of this table that the gradient belongs to"},
      {"reported/gradient", "derivatives by the variables, columns as problem/variables"}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    GANNET_TRY(gannet_store_annotate(store, texts[i][0], NULL, texts[i][1]));
  return GANNET_OK;
}

static gannet_err write_table(gannet_store *store, int n_variables, const table *t) {
  const int64_t shape[2] = {t->n_gradients, n_variables};
  GANNET_REQUIRE(t->n <= INT_MAX, GANNET_ERR_SHAPE, "%lld reported quantities", (long long)t->n);
  GANNET_TRY(gannet_store_write_int64s(store, "reported/evaluation", 1, &t->n, t->evaluation));
  GANNET_TRY(gannet_store_write_texts(store, "reported/name", (int)t->n, t->name));
  GANNET_TRY(gannet_store_write_doubles(store, "reported/value", 1, &t->n, t->value));
  GANNET_TRY(gannet_store_write_doubles(store, "reported/sd", 1, &t->n, t->sd));
  GANNET_TRY(gannet_store_write_int64s(store, "reported/gradient_row", 1, shape, t->gradient_row));
  GANNET_TRY(gannet_store_write_doubles(store, "reported/gradient", 2, shape, t->gradient));
  return describe_table(store);
}

gannet_err gannet_reported_columns_write(gannet_store *store, int n_variables, int64_t n,
                                         const gannet_quantities *const *lists) {
  table t = {0};
  gannet_err err = fill_table(n_variables, n, lists, &t);
  if (err == GANNET_OK) err = write_table(store, n_variables, &t);
  release_table(&t);
  return err;
}

static gannet_err read_table(const gannet_store *store, int n_variables, char **names, table *t) {
  int64_t rows[GANNET_STORE_MAX_RANK], gradients[GANNET_STORE_MAX_RANK];
  int rank = 0, gradient_rank = 0;
  GANNET_TRY(gannet_store_shape(store, "reported/evaluation", &rank, rows));
  GANNET_TRY(gannet_store_shape(store, "reported/gradient", &gradient_rank, gradients));
  GANNET_REQUIRE(rank == 1 && rows[0] == t->n && gradient_rank == 2 && gradients[0] <= rows[0] &&
                     gradients[1] == n_variables,
                 GANNET_ERR_DAMAGED, "the columns of reported do not fit each other");
  GANNET_TRY(create_table(rows[0], gradients[0], n_variables, t));
  GANNET_TRY(gannet_store_read_int64s(store, "reported/evaluation", 1, rows, t->evaluation));
  GANNET_TRY(gannet_store_read_doubles(store, "reported/value", 1, rows, t->value));
  GANNET_TRY(gannet_store_read_doubles(store, "reported/sd", 1, rows, t->sd));
  GANNET_TRY(
      gannet_store_read_int64s(store, "reported/gradient_row", 1, gradients, t->gradient_row));
  GANNET_TRY(gannet_store_read_doubles(store, "reported/gradient", 2, gradients, t->gradient));
  for (int64_t i = 0; i < t->n; ++i) t->name[i] = names[i];
  return GANNET_OK;
}

/* Gradients come in the order of their rows. */
static gannet_err take_table(const table *t, int n_variables, int64_t n,
                             gannet_quantities *const *lists) {
  int64_t next = 0;
  for (int64_t i = 0; i < t->n; ++i) {
    const bool has_gradient = next < t->n_gradients && t->gradient_row[next] == i;
    const double *gradient = has_gradient ? t->gradient + next * n_variables : NULL;
    const gannet_quantity quantity = {t->name[i], t->value[i], t->sd[i], gradient};
    GANNET_REQUIRE(0 <= t->evaluation[i] && t->evaluation[i] < n, GANNET_ERR_DAMAGED,
                   "reported/evaluation: row %lld is %lld, expected 0 to %lld", (long long)i,
                   (long long)t->evaluation[i], (long long)n - 1);
    if (gannet_quantities_set(lists[t->evaluation[i]], n_variables, &quantity) != GANNET_OK)
      return GANNET_RAISE(GANNET_ERR_DAMAGED, "reported: row %lld: %s", (long long)i,
                          gannet_error_detail());
    next += has_gradient;
  }
  GANNET_REQUIRE(next == t->n_gradients, GANNET_ERR_DAMAGED,
                 "reported/gradient_row: %lld gradients belong to no row",
                 (long long)(t->n_gradients - next));
  return GANNET_OK;
}

gannet_err gannet_reported_columns_read(const gannet_store *store, int n_variables, int64_t n,
                                        gannet_quantities *const *lists) {
  table t = {0};
  char **names = NULL;
  int n_names = 0;
  if (!gannet_store_has(store, "reported/name")) return GANNET_OK;
  GANNET_TRY(gannet_store_read_texts(store, "reported/name", &n_names, &names));
  t.n = n_names;
  gannet_err err = read_table(store, n_variables, names, &t);
  if (err == GANNET_OK) err = take_table(&t, n_variables, n, lists);
  release_table(&t);
  gannet_free(&names);
  return err;
}
