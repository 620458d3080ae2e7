#include "campaign/candidates_file.h"

#include <csv.h>
#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "problem/problem.h"
#include "store/columns.h"

typedef struct {
  const char *path;
  const gannet_problem *problem;
  int n_columns;
  int *variable; /* [n_columns] read from a column, -1 = ignored */
  int column;    /* of the next cell */
  int64_t line;  /* 0 = the names */
  int64_t n, capacity;
  double *rows; /* [capacity][n_variables] */
  gannet_err err;
} table;

/* "\xef\xbb\xbf", with which some spreadsheets begin a file, is no part of the first name. */
static void take_name(table *t, const char *text, size_t length) {
  const char *mark = "\xef\xbb\xbf";
  char name[256];
  if (t->column == 0 && length >= 3 && memcmp(text, mark, 3) == 0) text += 3, length -= 3;
  (void)snprintf(name, sizeof name, "%.*s", (int)(length < 255 ? length : 255), text);
  t->err = gannet_resize((size_t)t->n_columns, (size_t)t->n_columns + 1, sizeof *t->variable,
                         &t->variable);
  if (t->err != GANNET_OK) return;
  const int found = gannet_problem_find_variable(t->problem, name);
  for (int c = 0; c < t->n_columns && found >= 0; ++c)
    if (t->variable[c] == found)
      t->err = GANNET_RAISE(GANNET_ERR_INPUT,
                            "%s: two columns are named '%s'; expected each variable once", t->path,
                            name);
  t->variable[t->n_columns++] = found;
}

static gannet_err reserve(table *t) {
  const size_t v = (size_t)t->problem->spec.n_variables;
  if (t->n < t->capacity) return GANNET_OK;
  const size_t old = (size_t)t->capacity, new = old ? 2 * old : 256;
  GANNET_TRY(gannet_resize(old * v, new *v, sizeof *t->rows, &t->rows));
  t->capacity = (int64_t) new;
  return GANNET_OK;
}

static gannet_err parse(table *t, int variable, const char *text, size_t length) {
  const int v = t->problem->spec.n_variables;
  char cell[256], why[512];
  (void)snprintf(cell, sizeof cell, "%.*s", (int)(length < 255 ? length : 255), text);
  GANNET_TRY(reserve(t));
  if (gannet_problem_parse(t->problem, variable, cell, t->rows + t->n * v + variable) == GANNET_OK)
    return GANNET_OK;
  (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
  return GANNET_RAISE(GANNET_ERR_INPUT, "%s: row %lld: %s", t->path, (long long)t->line, why);
}

static void on_cell(void *text, size_t length, void *user) {
  table *t = user;
  const char *cell = text ? text : "";
  if (t->err != GANNET_OK) return;
  if (t->line == 0)
    take_name(t, cell, length);
  else if (t->column < t->n_columns && t->variable[t->column] >= 0)
    t->err = parse(t, t->variable[t->column], cell, length);
  t->column += 1;
}

static gannet_err check_names(const table *t) {
  for (int v = 0; v < t->problem->spec.n_variables; ++v) {
    bool found = false;
    for (int c = 0; c < t->n_columns; ++c) found = found || t->variable[c] == v;
    GANNET_REQUIRE(found, GANNET_ERR_INPUT,
                   "%s: no column '%s'; the first line must name every variable", t->path,
                   t->problem->spec.variables[v].name);
  }
  return GANNET_OK;
}

static void on_row(int end, void *user) {
  table *t = user;
  (void)end;
  if (t->err != GANNET_OK) return;
  if (t->line == 0) {
    t->err = check_names(t);
  } else if (t->column != t->n_columns) {
    t->err = GANNET_RAISE(GANNET_ERR_INPUT,
                          "%s: row %lld has %d columns, expected %d as in the first line", t->path,
                          (long long)t->line, t->column, t->n_columns);
  } else {
    t->n += 1;
  }
  t->line += 1;
  t->column = 0;
}

static gannet_err read_stream(FILE *stream, struct csv_parser *parser, table *t) {
  char buffer[1 << 16];
  size_t size = 0;
  while (t->err == GANNET_OK && (size = fread(buffer, 1, sizeof buffer, stream)) > 0)
    if (csv_parse(parser, buffer, size, on_cell, on_row, t) != size)
      return GANNET_RAISE(GANNET_ERR_INPUT, "%s: row %lld: %s", t->path, (long long)t->line,
                          csv_strerror(csv_error(parser)));
  if (ferror(stream)) return gannet_raise_errno("read", t->path);
  if (t->err == GANNET_OK && csv_fini(parser, on_cell, on_row, t) != 0)
    return GANNET_RAISE(GANNET_ERR_INPUT,
                        "%s: the file ends inside a quoted cell; close the quotation mark",
                        t->path);
  return t->err;
}

static gannet_err read_csv(const char *path, table *t) {
  struct csv_parser parser;
  FILE *stream = fopen(path, "rb");
  if (!stream) return gannet_raise_errno("open", path);
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0) {
    (void)fclose(stream);
    return GANNET_RAISE(GANNET_ERR_MEMORY, "a parser of CSV");
  }
  const gannet_err err = read_stream(stream, &parser, t);
  csv_free(&parser);
  (void)fclose(stream);
  if (err == GANNET_OK && t->line == 0)
    return GANNET_RAISE(GANNET_ERR_INPUT, "%s is empty; the first line must name the variables",
                        path);
  if (err == GANNET_OK && t->n == 0)
    return GANNET_RAISE(GANNET_ERR_INPUT, "%s has no rows; expected one for each design", path);
  return err;
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

gannet_err gannet_candidates_file_read(const char *path, const gannet_problem *problem, int64_t *n,
                                       double **rows) {
  const char *dot = strrchr(path, '.');
  table t = {.path = path, .problem = problem};
  *rows = NULL;
  *n = 0;
  if (dot && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0))
    return read_hdf5(path, problem, n, rows);
  const gannet_err err = read_csv(path, &t);
  gannet_free(&t.variable);
  if (err != GANNET_OK) {
    gannet_free(&t.rows);
    return err;
  }
  *n = t.n;
  *rows = t.rows;
  return GANNET_OK;
}
