#include "optimizer/related_columns.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "store/fields.h"

/* The datasets. */
typedef struct {
  int64_t n, rows; /* sources, results of all */
  int64_t *count;  /* [n] */
  double *x, *objective;
  double *constraints; /* NULL = no source has any */
} columns;

static void release_columns(columns *c) {
  gannet_free(&c->count);
  gannet_free(&c->x);
  gannet_free(&c->objective);
  gannet_free(&c->constraints);
}

static gannet_err reserve_rows(size_t v, size_t k, columns *c) {
  GANNET_TRY(gannet_alloc((size_t)c->rows * v, sizeof *c->x, &c->x));
  if (k > 0) GANNET_TRY(gannet_alloc((size_t)c->rows * k, sizeof *c->constraints, &c->constraints));
  return gannet_alloc((size_t)c->rows, sizeof *c->objective, &c->objective);
}

static gannet_err write_columns(gannet_store *store, int64_t v, int64_t k, const columns *c) {
  const int64_t shape[2] = {c->rows, v}, limits[2] = {c->rows, k};
  GANNET_TRY(gannet_store_write_int64s(store, "related/count", 1, &c->n, c->count));
  GANNET_TRY(gannet_store_write_doubles(store, "related/x", 2, shape, c->x));
  GANNET_TRY(gannet_store_write_doubles(store, "related/objective", 1, &c->rows, c->objective));
  GANNET_TRY(gannet_store_annotate(store, "related/count", NULL,
                                   "results of each related problem, in the order of telling"));
  GANNET_TRY(gannet_store_annotate(
      store, "related/x", NULL, "designs, columns as problem/variables; NaN = no such variable"));
  if (c->constraints) {
    GANNET_TRY(gannet_store_write_doubles(store, "related/constraints", 2, limits, c->constraints));
    GANNET_TRY(gannet_store_annotate(store, "related/constraints", NULL,
                                     "columns as problem/constraints; NaN = not known"));
  }
  return gannet_store_annotate(store, "related/objective", NULL, "in the user's sense and units");
}

gannet_err gannet_related_columns_write(gannet_store *store, const gannet_problem *problem, int n,
                                        const gannet_related_rows *sources) {
  const size_t v = (size_t)problem->spec.n_variables, k = (size_t)problem->spec.n_constraints;
  columns c = {.n = n};
  bool has_constraints = false;
  for (int i = 0; i < n; ++i) {
    c.rows += sources[i].n;
    has_constraints = has_constraints || (sources[i].n > 0 && sources[i].constraints);
  }
  if (c.rows == 0) return GANNET_OK;
  gannet_err err = gannet_alloc((size_t)n, sizeof *c.count, &c.count);
  if (err == GANNET_OK) err = reserve_rows(v, has_constraints ? k : 0, &c);
  size_t at = 0;
  for (int i = 0; i < n && err == GANNET_OK; ++i) {
    const size_t rows = (size_t)sources[i].n;
    c.count[i] = sources[i].n;
    if (rows == 0) continue;
    memcpy(c.x + at * v, sources[i].x, rows * v * sizeof *c.x);
    memcpy(c.objective + at, sources[i].objective, rows * sizeof *c.objective);
    for (size_t j = 0; has_constraints && j < rows * k; ++j)
      c.constraints[at * k + j] = sources[i].constraints ? sources[i].constraints[j] : NAN;
    at += rows;
  }
  if (err == GANNET_OK) err = write_columns(store, (int64_t)v, (int64_t)k, &c);
  release_columns(&c);
  return err;
}

static gannet_err read_columns(const gannet_store *store, int64_t v, int64_t k, columns *c) {
  const bool has_constraints = k > 0 && gannet_store_has(store, "related/constraints");
  int64_t dims[GANNET_STORE_MAX_RANK];
  int rank = 0;
  GANNET_TRY(gannet_store_shape(store, "related/count", &rank, dims));
  GANNET_REQUIRE(rank == 1 && dims[0] <= INT_MAX, GANNET_ERR_DAMAGED,
                 "related/count is not a list of numbers");
  c->n = dims[0];
  GANNET_TRY(gannet_alloc((size_t)c->n, sizeof *c->count, &c->count));
  GANNET_TRY(gannet_store_read_int64s(store, "related/count", 1, &c->n, c->count));
  for (int64_t i = 0; i < c->n; ++i) {
    GANNET_REQUIRE(0 <= c->count[i] && c->count[i] <= INT_MAX - c->rows, GANNET_ERR_DAMAGED,
                   "related/count: row %lld is %lld", (long long)i, (long long)c->count[i]);
    c->rows += c->count[i];
  }
  const int64_t shape[2] = {c->rows, v}, limits[2] = {c->rows, k};
  GANNET_TRY(gannet_store_shape(store, "related/x", &rank, dims));
  GANNET_REQUIRE(rank == 2 && dims[0] == c->rows, GANNET_ERR_DAMAGED,
                 "related/x does not fit related/count");
  if (has_constraints) {
    GANNET_TRY(gannet_store_shape(store, "related/constraints", &rank, dims));
    GANNET_REQUIRE(rank == 2 && dims[0] == c->rows && dims[1] == k, GANNET_ERR_DAMAGED,
                   "related/constraints does not fit related/count");
  }
  GANNET_TRY(reserve_rows((size_t)v, has_constraints ? (size_t)k : 0, c));
  if (has_constraints)
    GANNET_TRY(gannet_store_read_doubles(store, "related/constraints", 2, limits, c->constraints));
  GANNET_TRY(gannet_store_read_doubles(store, "related/x", 2, shape, c->x));
  return gannet_store_read_doubles(store, "related/objective", 1, &c->rows, c->objective);
}

/* Take over the rows of one source that has some, of which the first is number at of all. */
static gannet_err take_rows(const columns *c, size_t v, size_t k, size_t at,
                            gannet_related_rows *one) {
  const size_t rows = (size_t)one->n;
  bool is_known = false;
  for (size_t j = at * k; c->constraints && j < (at + rows) * k && !is_known; ++j)
    is_known = !isnan(c->constraints[j]);
  GANNET_TRY(gannet_alloc(rows * v, sizeof *one->x, &one->x));
  GANNET_TRY(gannet_alloc(rows, sizeof *one->objective, &one->objective));
  if (is_known) GANNET_TRY(gannet_alloc(rows * k, sizeof *one->constraints, &one->constraints));
  memcpy(one->x, c->x + at * v, rows * v * sizeof *one->x);
  memcpy(one->objective, c->objective + at, rows * sizeof *one->objective);
  if (is_known)
    memcpy(one->constraints, c->constraints + at * k, rows * k * sizeof *one->constraints);
  return GANNET_OK;
}

gannet_err gannet_related_columns_read(const gannet_store *store, const gannet_problem *problem,
                                       int *n, gannet_related_rows **sources) {
  const size_t v = (size_t)problem->spec.n_variables, k = (size_t)problem->spec.n_constraints;
  columns c = {0};
  size_t at = 0;
  *n = 0;
  if (!gannet_store_has(store, "related/count")) return GANNET_OK;
  gannet_err err = read_columns(store, (int64_t)v, (int64_t)k, &c);
  if (err == GANNET_OK) err = gannet_alloc((size_t)c.n, sizeof **sources, sources);
  for (int i = 0; i < c.n && err == GANNET_OK; ++i) {
    gannet_related_rows *one = &(*sources)[i];
    *n = i + 1;
    one->n = (int)c.count[i];
    if (one->n > 0) err = take_rows(&c, v, k, at, one);
    at += (size_t)one->n;
  }
  release_columns(&c);
  return err;
}

void gannet_related_rows_release(gannet_related_rows *rows) {
  gannet_free(&rows->x);
  gannet_free(&rows->objective);
  gannet_free(&rows->constraints);
  rows->n = 0;
}

void gannet_related_columns_release(int n, gannet_related_rows **sources) {
  for (int i = 0; i < n; ++i) gannet_related_rows_release(&(*sources)[i]);
  gannet_free(sources);
}
