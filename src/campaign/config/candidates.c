#include "campaign/config/candidates.h"

#include <csv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/names.h"
#include "campaign/config/csv_table.h"
#include "problem/conditional.h"
#include "store/columns.h"

typedef struct {
  const gannet_candidates_csv *about;
  int n_columns;
  int *variable; /* [n_columns] read from a column; -1 - k = other column k */
  int n_others;
  char **other; /* [n_others] names, then texts of a row */
  int column;   /* of the next cell */
  int64_t line; /* 0 = the names */
  double *x;    /* [n_variables] */
  bool enough;
  gannet_err err;
} table;

static gannet_err put_other(table *t, int k, const char *text, size_t length) {
  gannet_free(&t->other[k]);
  GANNET_TRY(gannet_alloc(length + 1, 1, &t->other[k]));
  memcpy(t->other[k], text, length);
  return GANNET_OK;
}

/* "\xef\xbb\xbf", with which some spreadsheets begin a file, is no part of the first name. */
static gannet_err take_name(table *t, const char *text, size_t length) {
  const char *mark = "\xef\xbb\xbf";
  const size_t n = (size_t)t->n_columns;
  char name[256];
  if (t->column == 0 && length >= 3 && memcmp(text, mark, 3) == 0) text += 3, length -= 3;
  (void)snprintf(name, sizeof name, "%.*s", (int)(length < 255 ? length : 255), text);
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *t->variable, &t->variable));
  const int found = gannet_problem_find_variable(t->about->problem, name);
  for (int c = 0; c < t->n_columns && found >= 0; ++c)
    GANNET_REQUIRE(t->variable[c] != found, GANNET_ERR_INPUT,
                   "%s: two columns are named '%s'; expected each variable once", t->about->path,
                   name);
  t->variable[t->n_columns++] = found >= 0 ? found : -1 - t->n_others;
  if (found >= 0) return GANNET_OK;
  const size_t others = (size_t)t->n_others;
  GANNET_TRY(gannet_resize(others, others + 1, sizeof *t->other, &t->other));
  t->n_others += 1;
  return put_other(t, (int)others, text, length);
}

static gannet_err take_value(table *t, int variable, const char *text, size_t length) {
  char cell[256], why[512];
  if (length == 0 && gannet_variable_is_conditional(&t->about->problem->spec.variables[variable]))
    return GANNET_OK; /* it may be inactive in this row */
  (void)snprintf(cell, sizeof cell, "%.*s", (int)(length < 255 ? length : 255), text);
  if (gannet_problem_parse(t->about->problem, variable, cell, &t->x[variable]) == GANNET_OK)
    return GANNET_OK;
  (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
  return GANNET_RAISE(GANNET_ERR_INPUT, "%s: row %lld: %s", t->about->path, (long long)t->line,
                      why);
}

static void on_cell(void *text, size_t length, void *user) {
  table *t = user;
  const char *cell = text ? text : "";
  if (t->err != GANNET_OK || t->enough) return;
  if (t->line == 0) {
    t->err = take_name(t, cell, length);
  } else if (t->column < t->n_columns) {
    const int variable = t->variable[t->column];
    if (variable >= 0)
      t->err = take_value(t, variable, cell, length);
    else if (t->about->others)
      t->err = put_other(t, -1 - variable, cell, length);
  }
  t->column += 1;
}

/* Say which name the first line may have meant.
 *
 * text  out  [size]
 */
static void guess_name(const table *t, const char *name, char *text, size_t size) {
  const char *known[64] = {NULL};
  for (int k = 0; k < t->n_others && k < 63; ++k) known[k] = t->other[k];
  const char *near = gannet_nearest(name, known);
  text[0] = '\0';
  if (t->n_columns == 1 && t->n_others == 1 && strpbrk(known[0], ";\t"))
    (void)snprintf(text, size, "; columns are separated by commas, not by %s",
                   strchr(known[0], ';') ? "semicolons" : "tabs");
  else if (near)
    (void)snprintf(text, size, "; is it '%.60s'?", near);
}

static gannet_err end_names(table *t) {
  const gannet_problem *problem = t->about->problem;
  for (int v = 0; v < problem->spec.n_variables; ++v) {
    const char *name = problem->spec.variables[v].name;
    bool found = false;
    char hint[100];
    for (int c = 0; c < t->n_columns; ++c) found = found || t->variable[c] == v;
    if (found || problem->spec.variables[v].role != GANNET_ROLE_FREE) continue;
    if (!isnan(gannet_problem_pinned(problem, v))) continue;
    if (gannet_variable_is_conditional(&problem->spec.variables[v])) continue;
    guess_name(t, name, hint, sizeof hint);
    return GANNET_RAISE(GANNET_ERR_INPUT,
                        "%s: no column '%s'; the first line must name every variable%s",
                        t->about->path, name, hint);
  }
  if (!t->about->others) return GANNET_OK;
  return t->about->others(t->about->user, t->n_others, t->other, &t->enough);
}

/* Fill in fixed and derived variables, which need no columns, and hand the row over. */
static gannet_err end_row(table *t) {
  const gannet_problem *problem = t->about->problem;
  gannet_problem_fill_pins(problem, t->x);
  if (gannet_problem_complete(problem, t->x) != GANNET_OK) {
    char why[512];
    (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
    return GANNET_RAISE(GANNET_ERR_INPUT, "%s: row %lld: %s", t->about->path, (long long)t->line,
                        why);
  }
  GANNET_TRY(t->about->row(t->about->user, t->x, t->other));
  for (int v = 0; v < problem->spec.n_variables; ++v) t->x[v] = NAN;
  return GANNET_OK;
}

static void on_row(int end, void *user) {
  table *t = user;
  (void)end;
  if (t->err != GANNET_OK || t->enough) return;
  if (t->line == 0)
    t->err = end_names(t);
  else if (t->column != t->n_columns)
    t->err = GANNET_RAISE(GANNET_ERR_INPUT,
                          "%s: row %lld has %d columns, expected %d as in the first line",
                          t->about->path, (long long)t->line, t->column, t->n_columns);
  else
    t->err = end_row(t);
  t->line += 1;
  t->column = 0;
}

static gannet_err read_stream(FILE *stream, struct csv_parser *parser, table *t) {
  char buffer[1 << 16];
  size_t size = 0;
  const char *path = t->about->path;
  while (t->err == GANNET_OK && !t->enough &&
         (size = fread(buffer, 1, sizeof buffer, stream)) > 0) {
    const char *other =
        t->line == 0 && t->column == 0 ? gannet_csv_other_format(buffer, size) : NULL;
    GANNET_REQUIRE(!other, GANNET_ERR_INPUT, "%s: expected CSV, and this is %s", path, other);
    const char *zero = memchr(buffer, '\0', size); /* which the parser would gather in memory */
    const size_t sound = zero ? (size_t)(zero - buffer) : size;
    if (csv_parse(parser, buffer, sound, on_cell, on_row, t) != sound)
      return GANNET_RAISE(GANNET_ERR_INPUT, "%s: row %lld: %s", path, (long long)t->line,
                          csv_strerror(csv_error(parser)));
    GANNET_REQUIRE(!zero || t->err != GANNET_OK || t->enough, GANNET_ERR_INPUT,
                   "%s: row %lld holds zero bytes, expected text", path, (long long)t->line);
  }
  if (ferror(stream)) return gannet_raise_errno("read", path);
  if (t->err == GANNET_OK && !t->enough && csv_fini(parser, on_cell, on_row, t) != 0)
    return GANNET_RAISE(GANNET_ERR_INPUT,
                        "%s: the file ends inside a quoted cell; close the quotation mark", path);
  return t->err;
}

static gannet_err read_file(table *t) {
  struct csv_parser parser;
  const char *path = t->about->path;
  FILE *stream = NULL;
  GANNET_TRY(gannet_file_stream(path, GANNET_ERR_INPUT, &stream));
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0) {
    (void)fclose(stream);
    return GANNET_RAISE(GANNET_ERR_MEMORY, "a parser of CSV");
  }
  const gannet_err err = read_stream(stream, &parser, t);
  csv_free(&parser);
  (void)fclose(stream);
  GANNET_TRY(err);
  GANNET_REQUIRE(t->line > 0, GANNET_ERR_INPUT,
                 "%s is empty; the first line must name the variables", path);
  GANNET_REQUIRE(t->line > 1 || t->enough, GANNET_ERR_INPUT,
                 "%s has no rows; expected one for each design", path);
  return GANNET_OK;
}

gannet_err gannet_candidates_csv_read(const gannet_candidates_csv *about) {
  table t = {.about = about};
  GANNET_TRY(gannet_alloc((size_t)about->problem->spec.n_variables, sizeof *t.x, &t.x));
  for (int v = 0; v < about->problem->spec.n_variables; ++v) t.x[v] = NAN;
  const gannet_err err = read_file(&t);
  for (int k = 0; k < t.n_others; ++k) gannet_free(&t.other[k]);
  gannet_free(&t.other);
  gannet_free(&t.variable);
  gannet_free(&t.x);
  return err;
}

/* The whole list. */

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
  const size_t v = (size_t)problem->spec.n_variables, f = (size_t)problem->n_free;
  const char **names = NULL;
  double *columns = NULL;
  char why[512];
  GANNET_TRY(gannet_alloc(f, sizeof *names, &names));
  for (size_t i = 0; i < f; ++i) names[i] = problem->spec.variables[problem->free_variable[i]].name;
  gannet_err err = gannet_columns_read(path, (int)f, names, n, &columns);
  gannet_free(&names);
  if (err == GANNET_OK) err = gannet_alloc((size_t)*n * v, sizeof **rows, rows);
  for (size_t r = 0; err == GANNET_OK && r < (size_t)*n; ++r) {
    for (size_t i = 0; i < f; ++i)
      (*rows)[r * v + (size_t)problem->free_variable[i]] = columns[r * f + i];
    gannet_problem_derive(problem, *rows + r * v);
  }
  gannet_free(&columns);
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
