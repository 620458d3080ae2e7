#include "campaign/run/import.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "campaign/run/record.h"
#include "optimizer/models/related.h"
#include "problem/objectives.h"

static const int64_t longest = INT64_C(1) << 30; /* bytes of a file */

/* Read a file, or of a campaign directory its history.csv. */
static gannet_err read_table(const char *path, char **text, size_t *size) {
  char inside[PATH_MAX], folder[PATH_MAX], journal[PATH_MAX];
  struct stat about;
  (void)snprintf(inside, sizeof inside, "%s", path);
  if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
    GANNET_TRY(gannet_join_path(path, "history.csv", inside, sizeof inside));
  const gannet_err err = gannet_file_read_within(inside, longest, GANNET_ERR_INPUT, text, size);
  const char *name = strrchr(inside, '/');
  if (err != GANNET_ERR_MISSING || !name || strcmp(name, "/history.csv") != 0) return err;
  gannet_directory_of(inside, folder, sizeof folder);
  if (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode)) return err;
  gannet_error_clear();
  GANNET_TRY(gannet_join_path(folder, "journal", journal, sizeof journal));
  return stat(journal, &about) == 0
             ? GANNET_RAISE(err,
                            "the campaign in '%s' has no results yet: no history.csv; run it, "
                            "or leave it out",
                            folder)
             : GANNET_RAISE(err,
                            "'%s' is not a campaign directory: it has no history.csv; expected "
                            "the directory of a campaign with results, or a CSV file",
                            folder);
}

gannet_err gannet_import_share(MPI_Comm comm, const char *path, char **text, size_t *size) {
  int rank = 0;
  gannet_err err = GANNET_OK;
  *text = NULL;
  *size = 0;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) err = read_table(path, text, size);
  GANNET_TRY(gannet_agree(comm, err));
  uint64_t bytes = *size;
  GANNET_TRY_MPI(MPI_Bcast(&bytes, 1, MPI_UINT64_T, 0, comm));
  *size = (size_t)bytes;
  GANNET_TRY(gannet_agree(comm, rank ? gannet_alloc(*size + 1, 1, text) : GANNET_OK));
  GANNET_TRY_MPI(MPI_Bcast(*text, (int)bytes, MPI_CHAR, 0, comm));
  return GANNET_OK;
}

gannet_err gannet_import_columns_read(int n, const char *const *texts,
                                      gannet_import_columns *columns) {
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *columns->name, &columns->name));
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *columns->expression, &columns->expression));
  for (; columns->n < n; ++columns->n) {
    char **name = &columns->name[columns->n];
    GANNET_TRY(gannet_copy_text(texts[columns->n], name));
    char *equals = strchr(*name, '=');
    if (!equals || equals == *name || !equals[1]) {
      const gannet_err err = GANNET_RAISE(
          GANNET_ERR_INPUT, "'%.80s' is not valid; expected NAME=COLUMN", texts[columns->n]);
      gannet_free(name);
      return err;
    }
    *equals = '\0';
    columns->expression[columns->n] = equals + 1;
  }
  return GANNET_OK;
}

void gannet_import_columns_release(gannet_import_columns *columns) {
  for (int i = 0; i < columns->n; ++i) gannet_free(&columns->name[i]);
  gannet_free(&columns->name);
  gannet_free(&columns->expression);
  columns->n = 0;
}

/* A fingerprint of what the file holds and of how its columns are read. */
static uint64_t digest_of(const gannet_results_file *table) {
  uint64_t digest = gannet_hash(table->text, table->size);
  if (table->is_related) digest = gannet_hash(&digest, sizeof digest);
  for (int i = 0; i < table->n_columns; ++i) {
    const uint64_t part[3] = {digest, gannet_hash(table->column[i], strlen(table->column[i])),
                              gannet_hash(table->expression[i], strlen(table->expression[i]))};
    digest = gannet_hash(part, sizeof part);
  }
  return digest;
}

/* points, results  out  [rows->count[GANNET_ROW_NEW]] */
static void collect_new(const gannet_import_rows *rows, size_t v, double *points,
                        gannet_result_record *results) {
  size_t n = 0;
  for (int64_t i = 0; i < rows->n; ++i) {
    const gannet_import_row *row = &rows->row[i];
    if (row->kind != GANNET_ROW_NEW) continue;
    memcpy(points + n * v, row->x, v * sizeof *points);
    results[n++] = row->result; /* which the row goes on owning */
  }
}

/* Take the new rows over as results of a related problem. */
static gannet_err collect_related(const gannet_problem *problem, const gannet_import_rows *rows,
                                  gannet_related_rows *related) {
  const size_t v = (size_t)problem->spec.n_variables, k = (size_t)problem->spec.n_constraints;
  const size_t n = (size_t)rows->count[GANNET_ROW_NEW];
  bool is_known = false;
  GANNET_TRY(gannet_alloc(n * v, sizeof *related->x, &related->x));
  GANNET_TRY(gannet_alloc(n, sizeof *related->objective, &related->objective));
  GANNET_TRY(gannet_alloc(n * k, sizeof *related->constraints, &related->constraints));
  for (int64_t i = 0; i < rows->n; ++i) {
    const gannet_import_row *row = &rows->row[i];
    const size_t at = (size_t)related->n;
    if (row->kind != GANNET_ROW_NEW) continue;
    memcpy(related->x + at * v, row->x, v * sizeof *related->x);
    related->objective[at] = row->result.objective;
    for (size_t c = 0; c < k; ++c) {
      related->constraints[at * k + c] = row->result.constraints[c];
      is_known = is_known || !isnan(row->result.constraints[c]);
    }
    related->n += 1;
  }
  if (!is_known) gannet_free(&related->constraints);
  return GANNET_OK;
}

/* The rows as results of a related problem, which are no evaluations. */
static gannet_err enter_related(gannet_campaign *campaign, const gannet_results_file *table,
                                const gannet_import_rows *rows) {
  const gannet_problem *problem = campaign->input->problem;
  const size_t n = (size_t)rows->count[GANNET_ROW_NEW];
  gannet_import import = {.digest = digest_of(table),
                          .n_refused = rows->count[GANNET_ROW_REFUSED],
                          .n_imported = (int64_t)n,
                          .is_related = true};
  char *text = NULL;
  int others = 0;
  for (int i = 0; i < campaign->ledger.n_imports; ++i)
    others += campaign->ledger.imports[i].related.n > 0 &&
              strcmp(campaign->ledger.imports[i].from, table->path) != 0;
  GANNET_REQUIRE(n >= 2, GANNET_ERR_INPUT,
                 "import: '%s' has %zu result of a related problem that can be used, expected at "
                 "least 2",
                 table->path, n);
  GANNET_REQUIRE(
      others < GANNET_RELATED_MOST, GANNET_ERR_INPUT,
      "import: more than %d related problems, with those that were read before; leave this one out",
      (int)GANNET_RELATED_MOST);
  gannet_err err = gannet_copy_text(table->path, &import.from);
  if (err == GANNET_OK) err = collect_related(problem, rows, &import.related);
  if (err == GANNET_OK) err = gannet_record_related(problem, &import, &text);
  if (err == GANNET_OK) err = gannet_ledger_import(&campaign->ledger, text);
  campaign->is_stale = true; /* the optimiser learns of them when it is asked */
  gannet_free(&text);
  gannet_import_release(&import);
  return err;
}

gannet_err gannet_import_enter(gannet_campaign *campaign, const gannet_results_file *table,
                               const gannet_import_rows *rows) {
  const gannet_problem *problem = campaign->input->problem;
  const size_t n = (size_t)rows->count[GANNET_ROW_NEW], v = (size_t)problem->spec.n_variables;
  const gannet_import import = {.from = (char *)(uintptr_t)table->path,
                                .digest = digest_of(table),
                                .n_refused = rows->count[GANNET_ROW_REFUSED],
                                .n_imported = (int64_t)n};
  double *points = NULL;
  gannet_result_record *results = NULL;
  char *text = NULL;
  if (table->is_related) return enter_related(campaign, table, rows);
  gannet_err err = gannet_alloc(n * v, sizeof *points, &points);
  if (err == GANNET_OK) err = gannet_alloc(n, sizeof *results, &results);
  if (err == GANNET_OK) {
    collect_new(rows, v, points, results);
    err = gannet_record_import(problem, &import, gannet_history_count(campaign->history),
                               gannet_optimizer_next_batch(campaign->optimizer), (int)n, points,
                               results, &text);
  }
  if (err == GANNET_OK) err = gannet_ledger_import(&campaign->ledger, text);
  campaign->is_stale = true; /* the optimiser learns of them when it is asked */
  gannet_free(&text);
  gannet_free(&points);
  gannet_free(&results);
  return err;
}

/* The sources of the campaign file. */

/* A source, as it is now. */
typedef struct {
  const char *from, *location; /* the file, and where the campaign file names it */
  char *text;                  /* NULL = the file is gone */
  gannet_import_columns columns;
  gannet_results_file table;
  const gannet_import *known; /* what was read from it before, NULL = nothing */
  bool is_same;               /* and it is what it was */
} source_now;

static void release_source(source_now *s) {
  gannet_free(&s->text);
  gannet_import_columns_release(&s->columns);
}

/* Whether a file is the history of the campaign itself. */
static bool is_own_history(const gannet_campaign *campaign, const char *path) {
  struct stat own, other;
  char folder[PATH_MAX];
  const char *name = strrchr(path, '/');
  gannet_directory_of(path, folder, sizeof folder);
  return name && strcmp(name, "/history.csv") == 0 && stat(campaign->directory, &own) == 0 &&
         stat(folder, &other) == 0 && own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

/* read  in  what reading the file, into s->text, came to
 *
 * Errors: GANNET_ERR_INPUT when it is gone and was never read.
 */
static gannet_err look_at_source(const gannet_campaign *campaign, int i, gannet_err read,
                                 size_t size, source_now *s) {
  const gannet_import_keys *keys = &campaign->input->imports[i];
  char why[800];
  (void)snprintf(why, sizeof why, "%s", read == GANNET_OK ? "" : gannet_error_detail());
  if (read != GANNET_ERR_MISSING && read != GANNET_ERR_INPUT) GANNET_TRY(read);
  gannet_error_clear();
  if (read != GANNET_OK) gannet_free(&s->text);
  GANNET_TRY(gannet_import_columns_read(keys->columns.n, (const char *const *)keys->columns.item,
                                        &s->columns));
  s->table = (gannet_results_file){.path = keys->from,
                                   .text = s->text,
                                   .size = size,
                                   .n_columns = s->columns.n,
                                   .is_related = keys->related,
                                   .column = s->columns.name,
                                   .expression = s->columns.expression};
  /* The same content under another name was read already: the file was moved. */
  const uint64_t digest = s->text ? digest_of(&s->table) : 0;
  for (int k = campaign->ledger.n_imports - 1; k >= 0 && !s->is_same; --k) {
    const gannet_import *import = &campaign->ledger.imports[k];
    s->is_same = s->text && import->digest == digest && (!keys->related || import->related.n > 0);
    const bool is_known = import->is_related == keys->related && strcmp(import->from, s->from) == 0;
    if (s->is_same || (!s->known && is_known)) s->known = import;
  }
  GANNET_REQUIRE(s->known || !is_own_history(campaign, s->from), GANNET_ERR_INPUT,
                 "%s: import: '%s' is the history of this campaign itself; leave it out",
                 keys->location, s->from);
  GANNET_REQUIRE(s->text || s->known, GANNET_ERR_INPUT,
                 "%s: import: %s; relative paths start from the campaign file, or from "
                 "input_directory",
                 keys->location, why);
  return GANNET_OK;
}

/* Whether the file is to be read; said in words where it is not what it was. */
static bool is_to_be_read(const source_now *s, bool again, char *why, size_t size) {
  why[0] = '\0';
  if (s->is_same) return false;
  if (!s->known || (again && s->text)) return true;
  (void)snprintf(why, size,
                 "import: '%.400s' %s since it was read; the campaign continues with the %lld "
                 "result%s that it had%s",
                 s->from, s->text ? "has changed" : "is gone", (long long)s->known->n_imported,
                 s->known->n_imported == 1 ? "" : "s",
                 s->text ? ", and --reimport reads it again" : "");
  return false;
}

/* What is wrong with the first rows that are refused, in one line. */
static void describe_refused(const gannet_import_rows *rows, char *text, size_t size) {
  enum { MOST = 3 };
  size_t used = 0;
  int n = 0;
  text[0] = '\0';
  for (int64_t i = 0; i < rows->n && n < MOST && used < size; ++i) {
    if (rows->row[i].kind != GANNET_ROW_REFUSED) continue;
    const int more = snprintf(text + used, size - used, "%sline %lld: %.200s", n++ ? "; " : "",
                              (long long)rows->row[i].line, rows->row[i].why);
    used += more > 0 ? (size_t)more : 0;
  }
  if (rows->count[GANNET_ROW_REFUSED] > n && used < size)
    (void)snprintf(text + used, size - used, "; and %lld more",
                   (long long)rows->count[GANNET_ROW_REFUSED] - n);
}

static gannet_err read_source(const gannet_campaign *campaign, const source_now *s,
                              gannet_import_rows *rows) {
  const char *location = s->location;
  char why[900];
  const gannet_err err = gannet_import_read(&s->table, &campaign->ledger, rows);
  (void)snprintf(why, sizeof why, "%s", err == GANNET_OK ? "" : gannet_error_detail());
  GANNET_REQUIRE(err != GANNET_ERR_INPUT, err, "%s: import: %s", location, why);
  GANNET_TRY(err);
  if (rows->count[GANNET_ROW_REFUSED] < rows->n) return GANNET_OK;
  describe_refused(rows, why, sizeof why);
  return GANNET_RAISE(GANNET_ERR_INPUT, "%s: import: no row of '%s' can be used: %s", location,
                      s->from, why);
}

static void log_import(const gannet_campaign *campaign, const source_now *s,
                       const gannet_import_rows *rows) {
  char why[900], elsewhere[GANNET_IMPORT_NEW_TEXT];
  const long long refused = (long long)rows->count[GANNET_ROW_REFUSED];
  const bool several = gannet_problem_n_objectives(campaign->input->problem) > 1;
  gannet_optimizer_options options = {0};
  if (campaign->context->rank != 0) return;
  gannet_import_describe_new(rows, elsewhere, sizeof elsewhere);
  if (gannet_campaign_options(campaign->input, &options) != GANNET_OK) gannet_error_clear();
  if (s->table.is_related && !gannet_optimizer_options_use_related(&options, several))
    gannet_log(campaign->context, GANNET_LOG_WARNING,
               "import: this method does not model %s objective, and does not use the results of a "
               "related problem in '%s'; choose another method, such as auto",
               several ? "every" : "the", s->from);
  else if (s->table.is_related)
    gannet_log(campaign->context, GANNET_LOG_INFO,
               "learning from %lld results of a related problem from '%s'",
               (long long)rows->count[GANNET_ROW_NEW], s->from);
  else
    gannet_log(campaign->context, GANNET_LOG_INFO,
               "imported %lld result%s%s from '%s'; %lld %s there already",
               (long long)rows->count[GANNET_ROW_NEW], rows->count[GANNET_ROW_NEW] == 1 ? "" : "s",
               elsewhere, s->from, (long long)rows->count[GANNET_ROW_KNOWN],
               rows->count[GANNET_ROW_KNOWN] == 1 ? "row was" : "rows were");
  gannet_optimizer_options_release(&options);
  describe_refused(rows, why, sizeof why);
  if (refused > 0)
    gannet_log(campaign->context, GANNET_LOG_WARNING,
               "import: %lld of %lld rows of '%s' cannot be used: %s", refused, (long long)rows->n,
               s->from, why);
}

gannet_err gannet_import_sources(gannet_campaign *campaign, bool again) {
  const MPI_Comm comm = campaign->context->comm;
  gannet_err err = GANNET_OK;
  for (int i = 0; i < campaign->input->n_imports && err == GANNET_OK; ++i) {
    source_now s = {.from = campaign->input->imports[i].from,
                    .location = campaign->input->imports[i].location};
    gannet_import_rows rows = {0};
    char why[800];
    size_t size = 0;
    err = gannet_import_share(comm, s.from, &s.text, &size);
    err = gannet_agree(comm, look_at_source(campaign, i, err, size, &s));
    if (err == GANNET_OK && is_to_be_read(&s, again, why, sizeof why)) {
      err = gannet_agree(comm, read_source(campaign, &s, &rows));
      if (err == GANNET_OK) log_import(campaign, &s, &rows);
      if (err == GANNET_OK)
        err = gannet_agree(comm, gannet_import_enter(campaign, &s.table, &rows));
    } else if (err == GANNET_OK && why[0] && campaign->context->rank == 0) {
      gannet_log(campaign->context, GANNET_LOG_WARNING, "%s", why);
    }
    gannet_import_rows_release(&rows);
    release_source(&s);
  }
  return err;
}

gannet_err gannet_import_preview(const gannet_campaign *campaign, int source, bool again,
                                 char *text, size_t size) {
  source_now s = {.from = campaign->input->imports[source].from,
                  .location = campaign->input->imports[source].location};
  gannet_import_rows rows = {0};
  char why[900] = "", elsewhere[GANNET_IMPORT_NEW_TEXT];
  size_t bytes = 0;
  text[0] = '\0';
  gannet_err err = read_table(s.from, &s.text, &bytes);
  err = look_at_source(campaign, source, err, bytes, &s);
  if (err == GANNET_OK && is_to_be_read(&s, again, why, sizeof why)) {
    err = read_source(campaign, &s, &rows);
    if (err == GANNET_OK) describe_refused(&rows, why, sizeof why);
    gannet_import_describe_new(&rows, elsewhere, sizeof elsewhere);
    if (err == GANNET_OK && s.table.is_related)
      (void)snprintf(text, size, "would learn from %lld results of a related problem from '%s'%s%s",
                     (long long)rows.count[GANNET_ROW_NEW], s.from,
                     why[0] ? "; rows that cannot be used: " : "", why);
    else if (err == GANNET_OK)
      (void)snprintf(text, size, "would import %lld result%s%s from '%s'%s%s",
                     (long long)rows.count[GANNET_ROW_NEW],
                     rows.count[GANNET_ROW_NEW] == 1 ? "" : "s", elsewhere, s.from,
                     why[0] ? "; rows that cannot be used: " : "", why);
  } else if (err == GANNET_OK) {
    (void)snprintf(text, size, "%s%s%s", why, why[0] ? "" : "has the results of ",
                   why[0] ? "" : s.from);
  }
  gannet_import_rows_release(&rows);
  release_source(&s);
  return err;
}
