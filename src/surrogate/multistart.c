#include "surrogate/multistart.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* There and back again over the ranks, from the last start on: the first, which continues from what
 * was found before, and the second, a smooth function, together take about as long as the third, a
 * rough one. */
static int owner_of(const gannet_multistart *problem, int start, int np) {
  const int place = (problem->starts - 1 - start) % (2 * np);
  return place < np ? place : 2 * np - 1 - place;
}

/* One start, on its owner: row becomes the best point and its value. */
static gannet_err run_start(const gannet_multistart *problem, int start, double *row) {
  const size_t n = (size_t)problem->n;
  gannet_minimize_result result = {0};
  memcpy(row, problem->start + (size_t)start * n, n * sizeof *row);
  row[n] = INFINITY;
  const gannet_err code =
      gannet_minimize(problem->n, row, problem->lower, problem->upper, problem->function,
                      problem->user, &problem->options, &result);
  if (code == GANNET_ERR_NUMERIC) {
    gannet_error_clear();
    return GANNET_OK;
  }
  GANNET_TRY(code);
  if (isfinite(result.value)) row[n] = result.value;
  return GANNET_OK;
}

/* rows: [starts][n + 1], the points and their values. */
static gannet_err run_all(const gannet_context *context, const gannet_multistart *problem,
                          double *rows) {
  const int width = problem->n + 1;
  gannet_err code = GANNET_OK;
  for (int s = 0; s < problem->starts && code == GANNET_OK; ++s)
    if (owner_of(problem, s, context->np) == context->rank)
      code = run_start(problem, s, rows + (size_t)s * (size_t)width);
  GANNET_TRY(gannet_agree(context->comm, code));
  for (int s = 0; s < problem->starts; ++s)
    GANNET_TRY_MPI(MPI_Bcast(rows + (size_t)s * (size_t)width, width, MPI_DOUBLE,
                             owner_of(problem, s, context->np), context->comm));
  return GANNET_OK;
}

/* The lowest value, the first of equals. */
static void choose(const gannet_multistart *problem, const double *rows, double *best,
                   double *value) {
  const size_t n = (size_t)problem->n;
  for (int s = 0; s < problem->starts; ++s) {
    const double *row = rows + (size_t)s * (n + 1);
    if (!(row[n] < *value)) continue;
    *value = row[n];
    memcpy(best, row, n * sizeof *best);
  }
}

gannet_err gannet_multistart_run(const gannet_context *context, const gannet_multistart *problem,
                                 double *best, double *value) {
  const size_t n = (size_t)problem->n;
  double *rows = NULL;
  memcpy(best, problem->start, n * sizeof *best);
  *value = INFINITY;
  gannet_err code = gannet_alloc((size_t)problem->starts * (n + 1), sizeof *rows, &rows);
  code = gannet_agree(context->comm, code);
  if (code == GANNET_OK) code = run_all(context, problem, rows);
  if (code == GANNET_OK) choose(problem, rows, best, value);
  gannet_free(&rows);
  return code;
}
