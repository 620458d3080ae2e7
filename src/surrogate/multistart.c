#include "surrogate/multistart.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parts.h"
#include "base/queue.h"
#include "surrogate/helping.h"

/* One start, by one rank: row becomes the best point and its value. */
static gannet_err run_start(const gannet_multistart *problem, gannet_helping *helping, int start,
                            double *row) {
  const size_t n = (size_t)problem->n;
  gannet_minimize_result result = {0};
  memcpy(row, problem->start + (size_t)start * n, n * sizeof *row);
  row[n] = INFINITY;
  const gannet_err code =
      gannet_minimize(problem->n, row, problem->lower, problem->upper,
                      helping ? gannet_helping_evaluate : problem->function,
                      helping ? helping : problem->user, &problem->options, &result);
  if (code == GANNET_ERR_NUMERIC) {
    gannet_error_clear();
    return GANNET_OK;
  }
  GANNET_TRY(code);
  if (isfinite(result.value)) row[n] = result.value;
  return GANNET_OK;
}

/* Whoever is free takes the next start, from the last on: the first one, which continues from what
 * was found before, is often the shortest, and fills what is left. */
static gannet_err run_own(const gannet_context *context, const gannet_multistart *problem,
                          gannet_helping *helping, double *rows) {
  const size_t width = (size_t)problem->n + 1;
  gannet_queue queue = gannet_queue_open(context, problem->starts);
  gannet_err err = GANNET_OK;
  for (int64_t unit; err == GANNET_OK && (unit = gannet_queue_next(&queue)) >= 0;) {
    const int start = problem->starts - 1 - (int)unit;
    err = run_start(problem, helping, start, rows + (size_t)start * width);
  }
  gannet_queue_close(&queue);
  return err;
}

/* rows: [starts][n + 1], the points and their values. */
static gannet_err run_all(const gannet_context *context, const gannet_multistart *problem,
                          double *rows) {
  gannet_helping *helping = NULL;
  if (problem->joint) GANNET_TRY(gannet_helping_open(context, problem->joint, &helping));
  gannet_err err = run_own(context, problem, helping, rows);
  if (helping) gannet_helping_others(helping);
  err = gannet_agree(context->comm, err);
  gannet_helping_close(&helping);
  GANNET_TRY(err);
  return gannet_parts_gather(context->comm, (size_t)problem->starts * ((size_t)problem->n + 1),
                             rows);
}

/* The lowest value of starts [from, to), the first of equals. */
static void choose(const gannet_multistart *problem, const double *rows, int from, int to,
                   double *best, double *value) {
  const size_t n = (size_t)problem->n;
  memcpy(best, problem->start + (size_t)from * n, n * sizeof *best);
  *value = INFINITY;
  for (int s = from; rows && s < to; ++s) {
    const double *row = rows + (size_t)s * (n + 1);
    if (!(row[n] < *value)) continue;
    *value = row[n];
    memcpy(best, row, n * sizeof *best);
  }
}

gannet_err gannet_multistart_run(const gannet_context *context, const gannet_multistart *problem,
                                 double *best, double *value) {
  const size_t n = (size_t)problem->n;
  const int starts = problem->starts, compared = problem->apart ? starts - 1 : starts;
  double *rows = NULL;
  gannet_err code = gannet_alloc((size_t)problem->starts * (n + 1), sizeof *rows, &rows);
  code = gannet_agree(context->comm, code);
  if (code == GANNET_OK) code = run_all(context, problem, rows);
  const double *found = code == GANNET_OK ? rows : NULL;
  choose(problem, found, 0, compared, best, value);
  if (problem->apart) choose(problem, found, compared, starts, best + n, value + 1);
  gannet_free(&rows);
  return code;
}
