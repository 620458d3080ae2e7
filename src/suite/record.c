#include "suite/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "store/state_file.h"

const char *const suite_state_names[] = {"missing", "done",    "failed",
                                         "changed", "damaged", "skipped"};

static gannet_err cell_path(const char *format, const suite_plan *plan, const char *directory,
                            suite_cell cell, char *path) {
  char local[PATH_MAX];
  const int n = snprintf(local, sizeof local, format, plan->problem[cell.problem].label,
                         plan->method[cell.method].label, cell.seed);
  GANNET_REQUIRE(n > 0 && n < (int)sizeof local, GANNET_ERR_ARG, "a path of %d characters", n);
  return gannet_join_path(directory, local, path, PATH_MAX);
}

static gannet_err file_path(const suite_plan *plan, const char *directory, suite_cell cell,
                            char *path) {
  return cell_path("runs/%s/%s/%" PRId64 ".h5", plan, directory, cell, path);
}

gannet_err suite_record_scratch(const suite_plan *plan, const char *directory, suite_cell cell,
                                char *path) {
  return cell_path("work/%s/%s/%" PRId64, plan, directory, cell, path);
}

void suite_record_release(suite_record *record) {
  suite_course_release(&record->course);
  gannet_free(&record->front);
  record->n_front = record->n_objectives = 0;
}

static gannet_err write_columns(gannet_store *store, const suite_record *record) {
  const int64_t n = record->course.n;
  char key[32];
  (void)snprintf(key, sizeof key, "%016" PRIx64, record->key);
  GANNET_TRY(gannet_store_write_text(store, "key", key));
  GANNET_TRY(gannet_store_write_text(store, "reason", record->reason));
  GANNET_TRY(gannet_store_write_text(store, "version", record->version));
  for (int i = 0; i < SUITE_COURSE_COLUMNS; ++i)
    GANNET_TRY(gannet_store_write_doubles(store, suite_course_names[i], 1, &n,
                                          suite_course_column(&record->course, i)));
  if (record->n_objectives > 0) {
    const int64_t dims[2] = {record->n_front, record->n_objectives};
    GANNET_TRY(gannet_store_write_doubles(store, "front", 2, dims, record->front));
  }
  return gannet_store_commit(store);
}

gannet_err suite_record_write(const suite_plan *plan, const char *directory, suite_cell cell,
                              const suite_record *record) {
  char path[PATH_MAX], folder[PATH_MAX], older[PATH_MAX + 2];
  gannet_store *store = NULL;
  GANNET_TRY(file_path(plan, directory, cell, path));
  gannet_directory_of(path, folder, sizeof folder);
  GANNET_TRY(gannet_make_directory(folder));
  GANNET_TRY(gannet_store_create(path, SUITE_RECORD_SCHEMA, &store));
  const gannet_err err = write_columns(store, record);
  gannet_store_destroy(&store);
  GANNET_TRY(err);
  (void)snprintf(older, sizeof older, "%s.1", path);
  (void)remove(older); /* an earlier failure or another suite's: of no use any more */
  return GANNET_OK;
}

static gannet_err read_columns(const gannet_store *store, suite_record *record) {
  char *text = NULL;
  int64_t n = 0, dims[GANNET_STORE_MAX_RANK];
  int rank = 0;
  GANNET_TRY(gannet_store_read_text(store, "key", &text));
  record->key = strtoull(text, NULL, 16);
  gannet_free(&text);
  GANNET_TRY(gannet_store_read_text(store, "reason", &text));
  (void)snprintf(record->reason, sizeof record->reason, "%s", text);
  gannet_free(&text);
  if (gannet_store_has(store, "version")) {
    GANNET_TRY(gannet_store_read_text(store, "version", &text));
    (void)snprintf(record->version, sizeof record->version, "%s", text);
    gannet_free(&text);
  }
  GANNET_TRY(gannet_store_shape(store, suite_course_names[0], &rank, dims));
  GANNET_REQUIRE(rank == 1 && dims[0] <= INT32_MAX, GANNET_ERR_DAMAGED, "'%s' is not a list",
                 suite_course_names[0]);
  n = dims[0];
  GANNET_TRY(suite_course_create((int)n, &record->course));
  for (int i = 0; i < SUITE_COURSE_COLUMNS; ++i)
    GANNET_TRY(gannet_store_read_doubles(store, suite_course_names[i], 1, &n,
                                         suite_course_column(&record->course, i)));
  if (!gannet_store_has(store, "front")) return GANNET_OK;
  GANNET_TRY(gannet_store_shape(store, "front", &rank, dims));
  GANNET_REQUIRE(rank == 2 && dims[0] <= INT32_MAX && dims[1] <= GANNET_OBJECTIVES_MOST,
                 GANNET_ERR_DAMAGED, "'front' is no table of objectives");
  record->n_front = (int)dims[0];
  record->n_objectives = (int)dims[1];
  GANNET_TRY(gannet_alloc((size_t)(dims[0] * dims[1]), sizeof *record->front, &record->front));
  return gannet_store_read_doubles(store, "front", 2, dims, record->front);
}

gannet_err suite_record_read(const suite_plan *plan, const char *directory, suite_cell cell,
                             suite_record *record, suite_state *state) {
  char path[PATH_MAX];
  gannet_store *store = NULL;
  memset(record, 0, sizeof *record);
  *state = SUITE_MISSING;
  GANNET_TRY(file_path(plan, directory, cell, path));
  gannet_err err = gannet_store_open(path, SUITE_RECORD_SCHEMA, NULL, &store);
  if (err == GANNET_OK) err = read_columns(store, record);
  gannet_store_destroy(&store);
  if (err == GANNET_OK) {
    const bool whole = record->course.n == plan->problem[cell.problem].budget;
    *state = record->key != suite_plan_key(plan, cell) ? SUITE_CHANGED
             : record->reason[0]                       ? SUITE_FAILED
             : whole                                   ? SUITE_DONE
                                                       : SUITE_DAMAGED;
    return GANNET_OK;
  }
  if (err == GANNET_ERR_MEMORY || err == GANNET_ERR_IO) return err;
  if (err != GANNET_ERR_MISSING) {
    *state = SUITE_DAMAGED;
    (void)snprintf(record->reason, sizeof record->reason, "%s", gannet_error_message());
  }
  gannet_error_clear();
  return GANNET_OK;
}
