#include "campaign/table.h"

#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/memory.h"

const char *const gannet_format_names[] = {"table", "csv", "json", NULL};

/* A cell is made as text once and then written as the format wants it. */
enum { CELL = 512 };

typedef enum { CELL_NUMBER, CELL_WORD, CELL_TRUTH } cell_kind;

typedef struct {
  const gannet_ledger *ledger;
  int n_columns;
  int n_fixed; /* columns without the course */
} layout;

static const char *const course_names[] = {"attempts", "submitted", "started", "ended",
                                           "seconds",  "exit_code", "signal",  "slot",
                                           "host",     "job",       "reason"};
enum { N_COURSE = sizeof course_names / sizeof *course_names };

/* Columns: id, batch, variables, objective, constraints, status, feasible, course. */
static layout make_layout(const gannet_ledger *ledger, bool course) {
  layout l = {.ledger = ledger};
  l.n_fixed = 5 + ledger->problem->spec.n_variables + ledger->problem->spec.n_constraints;
  l.n_columns = l.n_fixed + (course ? N_COURSE : 0);
  return l;
}

static const char *column_name(const layout *l, int column) {
  const gannet_problem_spec *spec = &l->ledger->problem->spec;
  if (column == 0) return "id";
  if (column == 1) return "batch";
  if ((column -= 2) < spec->n_variables) return spec->variables[column].name;
  if ((column -= spec->n_variables) == 0) return "objective";
  if ((column -= 1) < spec->n_constraints) return spec->constraints[column].name;
  column -= spec->n_constraints;
  if (column < 2) return column ? "feasible" : "status";
  return course_names[column - 2];
}

static cell_kind real_cell(double value, char *text) {
  if (isfinite(value))
    (void)snprintf(text, CELL, "%.17g", value);
  else
    text[0] = '\0';
  return CELL_NUMBER;
}

static cell_kind whole_cell(long long value, char *text) {
  (void)snprintf(text, CELL, "%lld", value);
  return CELL_NUMBER;
}

static cell_kind time_cell(double epoch, char *text) {
  text[0] = '\0';
  if (isfinite(epoch)) gannet_clock_format(epoch, text, CELL);
  return CELL_WORD;
}

static cell_kind word_cell(const char *word, char *text) {
  (void)snprintf(text, CELL, "%s", word);
  return CELL_WORD;
}

static cell_kind course_cell(const gannet_run_record *run, int column, char *text) {
  switch (column) {
    case 0:
      return whole_cell(run->attempts, text);
    case 1:
      return time_cell(run->submitted, text);
    case 2:
      return time_cell(run->started, text);
    case 3:
      return time_cell(run->ended, text);
    case 4:
      return real_cell(run->ended - run->started, text);
    case 5:
      return whole_cell(run->exit_code, text);
    case 6:
      return whole_cell(run->signal, text);
    case 7:
      return whole_cell(run->slot, text);
    case 8:
      return word_cell(run->host, text);
    case 9:
      return word_cell(run->job, text);
    default:
      return word_cell(run->reason, text);
  }
}

static cell_kind outcome_cell(const layout *l, int64_t id, int column, char *text) {
  const gannet_problem_spec *spec = &l->ledger->problem->spec;
  const gannet_ticket *t = &l->ledger->ticket[id];
  const bool done = t->has_result && t->status == GANNET_EVAL_DONE;
  if (column == 0) return real_cell(done ? t->objective : NAN, text);
  if ((column -= 1) < spec->n_constraints)
    return real_cell(done ? t->constraints[column] : NAN, text);
  column -= spec->n_constraints;
  if (column == 0)
    return word_cell(gannet_eval_status_text(t->has_result ? t->status : GANNET_EVAL_PENDING),
                     text);
  if (column > 1) return course_cell(&t->run, column - 2, text);
  if (!done) return word_cell("", text);
  (void)snprintf(text, CELL, "%s",
                 gannet_problem_is_feasible(l->ledger->problem, t->constraints) ? "true" : "false");
  return CELL_TRUTH;
}

static cell_kind make_cell(const layout *l, int64_t id, int column, char *text) {
  const gannet_problem *problem = l->ledger->problem;
  if (column == 0) return whole_cell(id, text);
  if (column == 1) return whole_cell(gannet_history_get(l->ledger->history, id)->batch, text);
  if ((column -= 2) >= problem->spec.n_variables)
    return outcome_cell(l, id, column - problem->spec.n_variables, text);
  const gannet_variable_type type = problem->spec.variables[column].type;
  gannet_problem_format(problem, column, gannet_history_x_user(l->ledger->history, id)[column],
                        text, CELL);
  return type == GANNET_VARIABLE_CATEGORICAL ? CELL_WORD
         : type == GANNET_VARIABLE_BOOLEAN   ? CELL_TRUTH
                                             : CELL_NUMBER;
}

/* CSV: RFC 4180 quoting. */
static void put_csv(FILE *out, const char *text) {
  if (!strpbrk(text, ",\"\n\r")) {
    (void)fputs(text, out);
    return;
  }
  (void)fputc('"', out);
  for (; *text; ++text) {
    if (*text == '"') (void)fputc('"', out);
    (void)fputc(*text, out);
  }
  (void)fputc('"', out);
}

static void write_csv_header(FILE *out, const layout *l) {
  for (int c = 0; c < l->n_columns; ++c)
    (void)fprintf(out, "%s%s", c ? "," : "", column_name(l, c));
  (void)fputc('\n', out);
}

static void write_csv_line(FILE *out, const layout *l, int64_t id) {
  char text[CELL];
  for (int c = 0; c < l->n_columns; ++c) {
    (void)make_cell(l, id, c, text);
    if (c) (void)fputc(',', out);
    put_csv(out, text);
  }
  (void)fputc('\n', out);
}

/* JSON: numbers as numbers, missing ones as null. */
static void write_json_line(FILE *out, const layout *l, int64_t id) {
  char text[CELL];
  (void)fputc('{', out);
  for (int c = 0; c < l->n_columns; ++c) {
    const cell_kind kind = make_cell(l, id, c, text);
    (void)fprintf(out, "%s\"%s\": ", c ? ", " : "", column_name(l, c));
    if (kind != CELL_WORD) {
      (void)fputs(*text ? text : "null", out);
      continue;
    }
    json_t *string = json_stringn_nocheck(text, strlen(text));
    char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
    (void)fputs(quoted && *text ? quoted : "null", out);
    free(quoted);
    json_decref(string);
  }
  (void)fputc('}', out);
}

/* Tables for people: seven digits, columns as wide as their widest cell. */
static void shorten(cell_kind kind, char *text) {
  char *end = NULL;
  const double value = strtod(text, &end);
  if (kind == CELL_NUMBER && end != text && !*end && strpbrk(text, ".eE"))
    (void)snprintf(text, CELL, "%.7g", value);
}

/* Characters of UTF-8, not bytes. */
static int width_of(const char *text) {
  int width = 0;
  for (; *text; ++text) width += ((unsigned char)*text & 0xc0) != 0x80;
  return width;
}

static gannet_err write_people(FILE *out, const layout *l, const gannet_table_spec *spec) {
  char text[CELL];
  int *width = NULL;
  GANNET_TRY(gannet_alloc((size_t)l->n_columns, sizeof *width, &width));
  for (int pass = 0; pass < 2; ++pass)
    for (int64_t row = -1; row < spec->n; ++row) {
      const int64_t id = row < 0 ? -1 : spec->ids ? spec->ids[row] : row;
      for (int c = 0; c < l->n_columns; ++c) {
        if (id < 0)
          (void)snprintf(text, sizeof text, "%s", column_name(l, c));
        else
          shorten(make_cell(l, id, c, text), text);
        const int length = width_of(text);
        if (pass == 0 && length > width[c]) width[c] = length;
        if (pass == 1) (void)fprintf(out, "%s%*s%s", c ? "  " : "", width[c] - length, "", text);
      }
      if (pass == 1) (void)fputc('\n', out);
    }
  gannet_free(&width);
  return GANNET_OK;
}

static void write_json(FILE *out, const layout *l, const gannet_table_spec *spec) {
  (void)fputs("[", out);
  for (int64_t i = 0; i < spec->n; ++i) {
    (void)fputs(i ? ",\n " : "\n ", out);
    write_json_line(out, l, spec->ids ? spec->ids[i] : i);
  }
  (void)fputs("\n]\n", out);
}

gannet_err gannet_table_write(FILE *out, const gannet_ledger *ledger,
                              const gannet_table_spec *spec) {
  const layout l = make_layout(ledger, spec->course);
  if (spec->format == GANNET_FORMAT_TABLE) {
    GANNET_TRY(write_people(out, &l, spec));
  } else if (spec->format == GANNET_FORMAT_JSON) {
    write_json(out, &l, spec);
  } else {
    write_csv_header(out, &l);
    for (int64_t i = 0; i < spec->n; ++i) write_csv_line(out, &l, spec->ids ? spec->ids[i] : i);
  }
  if (fflush(out) || ferror(out)) return gannet_raise_errno("write", "the table");
  return GANNET_OK;
}

/* Lines in memory, so that a file only ever gets whole ones. */
static gannet_err lines_of(const gannet_ledger *ledger, int64_t n, const int64_t *ids, bool header,
                           char **text, size_t *size) {
  const layout l = make_layout(ledger, true);
  *text = NULL;
  FILE *out = open_memstream(text, size);
  GANNET_REQUIRE(out, GANNET_ERR_MEMORY, "a table of %lld lines", (long long)n);
  if (header) write_csv_header(out, &l);
  for (int64_t i = 0; i < n; ++i) write_csv_line(out, &l, ids ? ids[i] : i);
  GANNET_REQUIRE(fclose(out) == 0, GANNET_ERR_MEMORY, "a table of %lld lines", (long long)n);
  return GANNET_OK;
}

gannet_err gannet_table_replace(const char *path, const gannet_ledger *ledger) {
  char *text = NULL;
  size_t size = 0;
  int64_t *ended = NULL, n = 0;
  GANNET_TRY(gannet_alloc((size_t)ledger->n, sizeof *ended, &ended));
  for (int64_t at = 0; at < gannet_history_count_told(ledger->history); ++at)
    ended[n++] = gannet_history_order(ledger->history)[at];
  gannet_err err = lines_of(ledger, n, ended, true, &text, &size);
  if (err == GANNET_OK) err = gannet_file_replace(path, text, size);
  free(text);
  gannet_free(&ended);
  return err;
}

gannet_err gannet_table_append(const char *path, const gannet_ledger *ledger, int n,
                               const int64_t *ids) {
  char *text = NULL;
  size_t size = 0;
  const int descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return gannet_raise_errno("open", path);
  gannet_err err = lines_of(ledger, n, ids, false, &text, &size);
  if (err == GANNET_OK) err = gannet_write_all(descriptor, text, size, path);
  free(text);
  (void)close(descriptor);
  return err;
}
