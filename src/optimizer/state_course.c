#include "optimizer/state_course.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "store/fields.h"

void gannet_state_course_release(gannet_state_course *course) {
  gannet_free(&course->parameter);
  gannet_free(&course->row);
  *course = (gannet_state_course){0};
}

/* Position of a name, which is added when it is new.
 *
 * guess  in  where it is when values come in the same order as last time
 */
static gannet_err find_parameter(gannet_state_course *course, const char *name, int guess,
                                 int *position) {
  for (int k = 0; k < course->n_parameters; ++k) {
    *position = (guess + k) % course->n_parameters;
    if (strcmp(course->parameter[*position], name) == 0) return GANNET_OK;
  }
  if (course->n_parameters == course->parameter_capacity) {
    const int larger = 2 * course->parameter_capacity + 16;
    GANNET_TRY(gannet_resize((size_t)course->parameter_capacity, (size_t)larger,
                             sizeof *course->parameter, &course->parameter));
    course->parameter_capacity = larger;
  }
  *position = course->n_parameters++;
  (void)snprintf(course->parameter[*position], GANNET_STATE_NAME, "%s", name);
  return GANNET_OK;
}

static gannet_err reserve_rows(gannet_state_course *course, int64_t n) {
  if (n <= course->capacity) return GANNET_OK;
  const int64_t larger = 2 * n + 64;
  GANNET_TRY(
      gannet_resize((size_t)course->capacity, (size_t)larger, sizeof *course->row, &course->row));
  course->capacity = larger;
  return GANNET_OK;
}

gannet_err gannet_state_course_add(gannet_state_course *course, int64_t evaluation,
                                   const gannet_state *changes) {
  int position = -1;
  for (int i = 0; i < changes->n; ++i) {
    const gannet_state_value *value = &changes->value[i];
    const char *slash = strchr(value->name, '/'); /* values of a model: "member/model.value" */
    if (value->kind == GANNET_STATE_TEXT || !slash || !strchr(slash, '.')) continue;
    GANNET_TRY(find_parameter(course, value->name, position + 1, &position));
    GANNET_TRY(reserve_rows(course, course->n + 1));
    course->row[course->n++] = (gannet_course_row){
        .evaluation = evaluation, .parameter = position, .value = value->number};
  }
  return GANNET_OK;
}

gannet_err gannet_state_course_find(const gannet_state_course *course, int64_t first, int64_t end,
                                    int64_t *from, gannet_state *changes) {
  gannet_state_clear(changes);
  for (; *from < course->n && course->row[*from].evaluation < end; ++*from) {
    const gannet_course_row *row = &course->row[*from];
    if (row->evaluation < first) continue;
    GANNET_TRY(gannet_state_put(changes, "", course->parameter[row->parameter],
                                isnan(row->value) ? GANNET_STATE_ABSENT : GANNET_STATE_REAL,
                                row->value));
  }
  return GANNET_OK;
}

/* The columns of the rows, and the names of the parameters. */
typedef struct {
  int64_t *evaluation, *parameter; /* [n] */
  double *value;                   /* [n] */
  const char **name;               /* [n_parameters] */
} columns;

static gannet_err allocate_columns(int64_t n, int n_parameters, columns *c) {
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *c->evaluation, &c->evaluation));
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *c->parameter, &c->parameter));
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *c->value, &c->value));
  return gannet_alloc((size_t)n_parameters, sizeof *c->name, &c->name);
}

static void release_columns(columns *c) {
  gannet_free(&c->evaluation);
  gannet_free(&c->parameter);
  gannet_free(&c->value);
  gannet_free(&c->name);
}

static gannet_err write_columns(gannet_store *store, int64_t n, int n_parameters,
                                const columns *c) {
  GANNET_TRY(gannet_store_write_texts(store, "optimizer/course/parameters", n_parameters, c->name));
  GANNET_TRY(gannet_store_annotate(
      store, "optimizer/course/parameters", NULL,
      "what models learn: method, model and name; the model is objective, constraint1, ..."));
  GANNET_TRY(gannet_store_write_int64s(store, "optimizer/course/parameter", 1, &n, c->parameter));
  GANNET_TRY(gannet_store_annotate(store, "optimizer/course/parameter", NULL,
                                   "position in optimizer/course/parameters, from 0"));
  GANNET_TRY(gannet_store_write_int64s(store, "optimizer/course/evaluation", 1, &n, c->evaluation));
  GANNET_TRY(
      gannet_store_annotate(store, "optimizer/course/evaluation", NULL,
                            "first evaluation of the proposal before which the value was learnt"));
  GANNET_TRY(gannet_store_write_doubles(store, "optimizer/course/value", 1, &n, c->value));
  return gannet_store_annotate(
      store, "optimizer/course/value", NULL,
      "it holds until the next row of the parameter; NaN = no longer there");
}

gannet_err gannet_state_course_write(gannet_store *store, const gannet_state_course *course) {
  columns c = {0};
  gannet_err err = allocate_columns(course->n, course->n_parameters, &c);
  for (int64_t i = 0; i < course->n && err == GANNET_OK; ++i) {
    c.evaluation[i] = course->row[i].evaluation;
    c.parameter[i] = course->row[i].parameter;
    c.value[i] = course->row[i].value;
  }
  for (int k = 0; k < course->n_parameters && err == GANNET_OK; ++k)
    c.name[k] = course->parameter[k];
  if (err == GANNET_OK) err = write_columns(store, course->n, course->n_parameters, &c);
  release_columns(&c);
  return err;
}

/* Number of rows of the columns, which read checks in each. */
static gannet_err count_rows(const gannet_store *store, int64_t *n) {
  int64_t dims[GANNET_STORE_MAX_RANK];
  int rank = 0;
  GANNET_TRY(gannet_store_shape(store, "optimizer/course/value", &rank, dims));
  GANNET_REQUIRE(rank == 1, GANNET_ERR_DAMAGED, "optimizer/course/value has %d dimensions, not 1",
                 rank);
  *n = dims[0];
  return GANNET_OK;
}

static gannet_err read_rows(const gannet_store *store, int64_t n, const columns *c,
                            gannet_state_course *course) {
  GANNET_TRY(gannet_store_read_int64s(store, "optimizer/course/evaluation", 1, &n, c->evaluation));
  GANNET_TRY(gannet_store_read_int64s(store, "optimizer/course/parameter", 1, &n, c->parameter));
  GANNET_TRY(gannet_store_read_doubles(store, "optimizer/course/value", 1, &n, c->value));
  GANNET_TRY(reserve_rows(course, n));
  for (int64_t i = 0; i < n; ++i) {
    GANNET_REQUIRE(0 <= c->parameter[i] && c->parameter[i] < course->n_parameters,
                   GANNET_ERR_DAMAGED,
                   "optimizer/course/parameter: row %lld is %lld, of %d parameters", (long long)i,
                   (long long)c->parameter[i], course->n_parameters);
    GANNET_REQUIRE(c->evaluation[i] >= (i > 0 ? c->evaluation[i - 1] : 0), GANNET_ERR_DAMAGED,
                   "optimizer/course/evaluation: row %lld is %lld, less than the one before",
                   (long long)i, (long long)c->evaluation[i]);
    course->row[course->n++] = (gannet_course_row){
        .evaluation = c->evaluation[i], .parameter = (int)c->parameter[i], .value = c->value[i]};
  }
  return GANNET_OK;
}

gannet_err gannet_state_course_read(const gannet_store *store, gannet_state_course *course) {
  char **names = NULL;
  columns c = {0};
  int64_t n = 0;
  int n_names = 0, position = -1;
  if (!gannet_store_has(store, "optimizer/course/value")) return GANNET_OK;
  GANNET_TRY(count_rows(store, &n));
  GANNET_TRY(gannet_store_read_texts(store, "optimizer/course/parameters", &n_names, &names));
  gannet_err err = GANNET_OK;
  for (int k = 0; k < n_names && err == GANNET_OK; ++k) {
    err = find_parameter(course, names[k], k, &position);
    if (err == GANNET_OK && position != k)
      err = GANNET_RAISE(GANNET_ERR_DAMAGED, "optimizer/course/parameters: row %d is row %d, too",
                         k, position);
  }
  if (err == GANNET_OK) err = allocate_columns(n, n_names, &c);
  if (err == GANNET_OK) err = read_rows(store, n, &c, course);
  gannet_free(&names);
  release_columns(&c);
  return err;
}
