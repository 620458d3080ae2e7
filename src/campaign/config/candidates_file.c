#include "campaign/config/candidates.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "store/columns.h"

typedef struct {
  int n_variables;
  int64_t n, capacity;
  double *rows; /* [capacity][n_variables] */
} list;

static gannet_err take_row(void *user, const double *x, char *const *texts) {
  list *l = user;
  const size_t v = (size_t)l->n_variables;
  (void)texts;
  if (l->n == l->capacity) {
    const size_t old = (size_t)l->capacity, new = old ? 2 * old : 256;
    GANNET_TRY(gannet_resize(old * v, new *v, sizeof *l->rows, &l->rows));
    l->capacity = (int64_t) new;
  }
  memcpy(l->rows + (size_t)l->n * v, x, v * sizeof *x);
  l->n += 1;
  return GANNET_OK;
}

static gannet_err read_hdf5(const char *path, const gannet_problem *problem, int64_t *n,
                            double **rows) {
  const int v = problem->spec.n_variables;
  const char **names = NULL;
  char why[512];
  GANNET_TRY(gannet_alloc((size_t)v, sizeof *names, &names));
  for (int i = 0; i < v; ++i) names[i] = problem->spec.variables[i].name;
  const gannet_err err = gannet_columns_read(path, v, names, n, rows);
  gannet_free(&names);
  if (err != GANNET_ERR_INPUT) return err;
  (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
  return GANNET_RAISE(GANNET_ERR_INPUT, "%s: %s", path, why);
}

bool gannet_candidates_file_is_hdf5(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0);
}

gannet_err gannet_candidates_file_read(const char *path, const gannet_problem *problem, int64_t *n,
                                       double **rows) {
  list l = {.n_variables = problem->spec.n_variables};
  *rows = NULL;
  *n = 0;
  if (gannet_candidates_file_is_hdf5(path)) return read_hdf5(path, problem, n, rows);
  const gannet_candidates_csv about = {
      .path = path, .problem = problem, .user = &l, .row = take_row};
  const gannet_err err = gannet_candidates_csv_read(&about);
  if (err != GANNET_OK) {
    gannet_free(&l.rows);
    return err;
  }
  *n = l.n;
  *rows = l.rows;
  return GANNET_OK;
}
