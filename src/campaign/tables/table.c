#include "campaign/tables/table.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "problem/conditional.h"
#include "problem/objectives.h"
#include "problem/outputs.h"
#include "problem/runs.h"

static const int64_t longest = INT64_C(64) << 30; /* bytes of history.csv */

typedef struct {
  const gannet_ledger *ledger;
  int n_columns;
  int n_fixed; /* columns without course, reported quantities and labels */
  int n_course;
  int n_reported;     /* the first columns of the ledger that are shown */
  const int64_t *ids; /* of the rows; NULL = 0, 1, ... */
  const gannet_labels *labels;
  const gannet_front *front;
  bool old_words; /* statuses as earlier versions wrote them */
  bool designs;   /* a row is a design */
  int n_joined;   /* columns about runs and designs, behind those that are fixed */
  char error[GANNET_OBJECTIVES_MOST][72]; /* names of the columns with standard errors */
} layout;

/* Names of columns, and what variables, objectives, constraints and reported quantities of such a
 * name are called. */
#define COLUMN(name)                                                               \
  {                                                                                \
    name, {                                                                        \
      "variables." name, "objectives." name, "constraints." name, "reported." name \
    }                                                                              \
  }
typedef enum { VARIABLE, OBJECTIVE, CONSTRAINT, REPORTED } origin;
typedef struct {
  const char *own, *other[4];
} column_names;
static const column_names names[] = {COLUMN("id"),        COLUMN("batch"),    COLUMN("status"),
                                     COLUMN("feasible"),  COLUMN("attempts"), COLUMN("submitted"),
                                     COLUMN("started"),   COLUMN("ended"),    COLUMN("seconds"),
                                     COLUMN("exit_code"), COLUMN("signal"),   COLUMN("slot"),
                                     COLUMN("host"),      COLUMN("job"),      COLUMN("failure"),
                                     COLUMN("reason"),    COLUMN("origin")};
enum { N_NAMES = sizeof names / sizeof *names, N_AHEAD = 2, N_COURSE = N_NAMES - N_AHEAD - 2 };

/* Columns where runs of a design are joined: of a run, and of a design. */
static const column_names joined_names[] = {COLUMN("design"), COLUMN("replicate"), COLUMN("runs"),
                                            COLUMN("objective.error"), COLUMN("evaluations")};
enum { N_OF_RUN = 2, N_OF_DESIGN = 3 };

/* The last column of an export, with several objectives. */
static const column_names front_name = COLUMN("front");

/* Columns: id, batch, variables, objectives, constraints, status, feasible, those of runs, course,
 * reported quantities, labels. The last of the course, origin, is there when not all designs are
 * proposals of gannet or told one by one. */
static layout make_layout(const gannet_ledger *ledger, bool course, bool designs,
                          const int64_t *ids) {
  const bool is_joined = gannet_history_joins_runs(ledger->history);
  const bool has_origin = gannet_history_count_origin(ledger->history, GANNET_ORIGIN_START) > 0 ||
                          gannet_history_count_origin(ledger->history, GANNET_ORIGIN_IMPORT) > 0;
  layout l = {.ledger = ledger,
              .ids = ids,
              .n_course = !course      ? 0
                          : has_origin ? N_COURSE
                                       : N_COURSE - 1,
              .n_reported = ledger->n_columns,
              .designs = is_joined && designs,
              .n_joined = !is_joined ? 0
                          : designs ? N_OF_DESIGN + gannet_problem_n_objectives(ledger->problem) - 1
                                    : N_OF_RUN};
  l.n_fixed =
      5 + ledger->problem->spec.n_variables + ledger->problem->spec.n_constraints + l.n_joined;
  l.n_columns = l.n_fixed + l.n_course + l.n_reported;
  for (int m = 0; m < ledger->problem->spec.n_objectives; ++m)
    (void)snprintf(l.error[m], sizeof l.error[m], "%s.error",
                   ledger->problem->spec.objectives[m].name);
  return l;
}

/* The same in every table, whichever of the columns it has. */
static const char *name_given(const layout *l, const char *name, origin of) {
  for (int i = 0; i < N_NAMES; ++i)
    if (strcmp(names[i].own, name) == 0) return names[i].other[of];
  for (int i = 0; i < N_OF_RUN + N_OF_DESIGN && l->n_joined > 0; ++i)
    if (strcmp(joined_names[i].own, name) == 0) return joined_names[i].other[of];
  if (l->ledger->problem->spec.n_objectives > 0 && strcmp(front_name.own, name) == 0)
    return front_name.other[of];
  return name;
}

/* The quantity in a place behind the variables: all objectives come before the constraints. */
static int quantity_at(const gannet_problem *problem, int place) {
  const int n_objectives = gannet_problem_n_objectives(problem);
  return place < n_objectives ? gannet_problem_objective_quantity(problem, place)
                              : place - n_objectives + 1;
}

/* Whichever name a campaign gives its only objective, its column is called so. */
static const char *quantity_column(const layout *l, int place) {
  const gannet_problem *problem = l->ledger->problem;
  if (place == 0 && problem->spec.n_objectives == 0) return "objective";
  return name_given(l, gannet_problem_quantity_name(problem, quantity_at(problem, place)),
                    place < problem->spec.n_objectives ? OBJECTIVE : CONSTRAINT);
}

static const char *column_name(const void *user, int column) {
  const layout *l = user;
  const gannet_problem_spec *spec = &l->ledger->problem->spec;
  const int reported = column - l->n_fixed - l->n_course, label = reported - l->n_reported;
  if (l->front && column == l->n_columns - 1) return front_name.own;
  if (label >= 0) return l->labels->name[label];
  if (reported >= 0) return name_given(l, l->ledger->column[reported].title, REPORTED);
  if (column < N_AHEAD) return names[column].own;
  if ((column -= N_AHEAD) < spec->n_variables)
    return name_given(l, spec->variables[column].name, VARIABLE);
  if ((column -= spec->n_variables) <= spec->n_constraints) return quantity_column(l, column);
  if ((column -= spec->n_constraints + 1) < 2) return names[column + N_AHEAD].own;
  if ((column -= 2) < l->n_joined) {
    const int further = l->n_joined - N_OF_DESIGN; /* objectives */
    if (!l->designs) return joined_names[column].own;
    if (spec->n_objectives > 0 && column >= 1 && column <= 1 + further) return l->error[column - 1];
    return joined_names[N_OF_RUN + (column > 1 ? column - further : column)].own;
  }
  return names[column - l->n_joined + 2 + N_AHEAD].own;
}

static const char *column_unit(const void *user, int column) {
  const layout *l = user;
  const gannet_problem *problem = l->ledger->problem;
  const int variable = column - N_AHEAD, place = variable - problem->spec.n_variables;
  if (variable >= 0 && variable < problem->spec.n_variables)
    return gannet_problem_unit(problem->variable_unit, variable);
  if (place < 0 || place > problem->spec.n_constraints) return "";
  const int quantity = quantity_at(problem, place);
  if (quantity > 0) return gannet_problem_unit(problem->constraint_unit, quantity - 1);
  return gannet_problem_objective_unit(problem);
}

static gannet_cell course_cell(const gannet_run_record *run, gannet_origin from, int column,
                               char *text) {
  switch (column) {
    case 0:
      return gannet_cell_whole(run->attempts, text);
    case 1:
      return gannet_cell_time(run->submitted, text);
    case 2:
      return gannet_cell_time(run->started, text);
    case 3:
      return gannet_cell_time(run->ended, text);
    case 4:
      return gannet_cell_real(run->ended - run->started, text);
    case 5:
      return gannet_cell_whole(run->exit_code, text);
    case 6:
      return gannet_cell_whole(run->signal, text);
    case 7:
      return gannet_cell_whole(run->slot, text);
    case 8:
      return gannet_cell_word(run->host, text);
    case 9:
      return gannet_cell_word(run->job, text);
    case 10:
      return gannet_cell_word(gannet_failure_text(run->failure), text);
    case 11:
      return gannet_cell_word(run->reason, text);
    default:
      return gannet_cell_word(gannet_origin_text(from), text);
  }
}

/* Cells of the columns about runs. */
static gannet_cell joined_cell(const layout *l, int64_t id, int column, char *text) {
  const gannet_history *history = l->ledger->history;
  const int64_t first = gannet_history_first_run(history, id);
  const int several = gannet_problem_n_objectives(l->ledger->problem);
  double y[GANNET_OBJECTIVES_MOST], error[GANNET_OBJECTIVES_MOST];
  gannet_runs runs;
  int replicate = 1;
  if (!l->designs && column == 0) return gannet_cell_whole(first, text);
  if (!l->designs) {
    for (int64_t at = first; at != id; at = gannet_history_next_run(history, at)) ++replicate;
    return gannet_cell_whole(replicate, text);
  }
  gannet_runs_find(history, id, NULL, &runs);
  if (column == 0) return gannet_cell_whole(runs.n, text);
  gannet_runs_objectives(history, id, y, error);
  if (column <= several) return gannet_cell_real(error[column - 1], text);
  gannet_runs_list_ids(history, id, GANNET_CELL, text);
  return GANNET_CELL_WORD;
}

/* The mean of the objective, 0, or of a constraint over the runs of a design. */
static double mean_of_runs(const layout *l, int64_t id, int quantity) {
  const size_t k = (size_t)l->ledger->problem->spec.n_constraints;
  gannet_runs runs;
  double *means = NULL;
  if (gannet_alloc(k, sizeof *means, &means) != GANNET_OK) {
    gannet_error_clear();
    return NAN;
  }
  gannet_runs_find(l->ledger->history, id, means, &runs);
  const double mean = quantity > 0 ? means[quantity - 1] : runs.objective;
  gannet_free(&means);
  return mean;
}

static gannet_cell outcome_cell(const layout *l, int64_t id, int column, char *text) {
  const gannet_problem_spec *spec = &l->ledger->problem->spec;
  const gannet_ticket *t = &l->ledger->ticket[id];
  const bool done = t->result.status == GANNET_EVAL_DONE;
  if (column <= spec->n_constraints) {
    const int quantity = quantity_at(l->ledger->problem, column);
    if (l->designs && done) return gannet_cell_real(mean_of_runs(l, id, quantity), text);
    const double value = quantity == 0 ? t->result.objective : t->result.constraints[quantity - 1];
    return gannet_cell_real(done ? value : NAN, text);
  }
  column -= spec->n_constraints + 1;
  if (column == 0) {
    const gannet_eval_status status = t->result.status;
    const char *old = l->old_words ? gannet_eval_status_old_text(status) : NULL;
    return gannet_cell_word(old ? old : gannet_eval_status_text(status), text);
  }
  if (column > 1 && column - 2 < l->n_joined) return joined_cell(l, id, column - 2, text);
  if (column > 1)
    return course_cell(&t->result.run, gannet_history_get(l->ledger->history, id)->origin,
                       column - 2 - l->n_joined, text);
  gannet_runs runs;
  gannet_runs_find(l->ledger->history, id, NULL, &runs);
  const int feasibility = l->designs && runs.n > 0
                              ? runs.violation == 0
                              : gannet_result_feasibility(l->ledger->problem, &t->result);
  if (feasibility < 0) return gannet_cell_word("", text);
  (void)snprintf(text, GANNET_CELL, "%s", feasibility ? "true" : "false");
  return GANNET_CELL_TRUTH;
}

static gannet_cell reported_cell(const layout *l, int64_t id, int at, char *text) {
  const gannet_reported_column *column = &l->ledger->column[at];
  const int64_t from = l->ledger->ticket[id].start_from;
  if (column->kind == GANNET_COLUMN_START && from < 0) return gannet_cell_real(NAN, text);
  if (column->kind == GANNET_COLUMN_START) return gannet_cell_whole(from, text);
  const gannet_reported *item =
      gannet_quantities_find(&l->ledger->ticket[id].result.reported, column->name);
  const double sd = item && item->sd > 0 ? item->sd : NAN;
  return gannet_cell_real(column->kind == GANNET_COLUMN_SD ? sd : item ? item->value : NAN, text);
}

/* A cell with a label, which is cut when it does not fit. */
static gannet_cell label_cell(const gannet_labels *labels, int64_t id, int column, char *text) {
  const char *label = gannet_labels_text(labels, id, column);
  const size_t most = GANNET_CELL - sizeof "...";
  const bool cut = strlen(label) > most;
  (void)snprintf(text, GANNET_CELL, "%.*s%s", (int)(cut ? most : strlen(label)), label,
                 cut ? "..." : "");
  gannet_utf8_mend(text);
  return GANNET_CELL_WORD;
}

static gannet_cell make_cell(const void *user, int64_t row, int column, char *text) {
  const layout *l = user;
  const int64_t id = l->ids ? l->ids[row] : row;
  const gannet_problem *problem = l->ledger->problem;
  const int reported = column - l->n_fixed - l->n_course, label = reported - l->n_reported;
  if (l->front && column == l->n_columns - 1) {
    const gannet_history *history = l->ledger->history;
    const bool joins = gannet_history_joins_runs(history);
    bool is_there = false;
    for (int i = 0; i < l->front->n && !is_there; ++i)
      is_there =
          l->front->id[i] == id || (joins && gannet_history_first_run(history, l->front->id[i]) ==
                                                 gannet_history_first_run(history, id));
    (void)snprintf(text, GANNET_CELL, "%s", is_there ? "true" : "false");
    return GANNET_CELL_TRUTH;
  }
  if (label >= 0) return label_cell(l->labels, id, label, text);
  if (reported >= 0) return reported_cell(l, id, reported, text);
  if (column == 0) return gannet_cell_whole(id, text);
  if (column == 1)
    return gannet_cell_whole(gannet_history_get(l->ledger->history, id)->batch, text);
  if ((column -= 2) >= problem->spec.n_variables)
    return outcome_cell(l, id, column - problem->spec.n_variables, text);
  const gannet_variable *about = &problem->spec.variables[column];
  const double *x = gannet_history_x_user(l->ledger->history, id), value = x[column];
  if (!gannet_problem_is_active(problem, column, x)) return gannet_cell_word("", text);
  if (isnan(value)) return gannet_cell_real(value, text); /* a derived one may have none */
  gannet_problem_format(problem, column, value, text, GANNET_CELL);
  return gannet_variable_has_words(about)         ? GANNET_CELL_WORD
         : about->type == GANNET_VARIABLE_BOOLEAN ? GANNET_CELL_TRUTH
                                                  : GANNET_CELL_NUMBER;
}

static gannet_grid make_grid(const layout *l, int64_t n) {
  return (gannet_grid){l->n_columns, n, l, column_name, make_cell, column_unit};
}

bool gannet_table_has_column(const gannet_ledger *ledger, const char *name) {
  const layout l = make_layout(ledger, true, false, NULL);
  for (int c = 0; c < l.n_columns; ++c)
    if (strcmp(column_name(&l, c), name) == 0) return true;
  return false;
}

gannet_err gannet_table_write(FILE *out, const gannet_ledger *ledger,
                              const gannet_table_spec *spec) {
  layout l = make_layout(ledger, spec->course, spec->designs, spec->ids);
  l.labels = spec->labels;
  if (l.labels) l.n_columns += l.labels->n_columns;
  l.front = spec->front;
  l.n_columns += l.front != NULL;
  const gannet_grid grid = make_grid(&l, spec->n);
  return gannet_grid_write(out, &grid, spec->format);
}

/* Lines in memory, so that a file only ever gets whole ones. */
static gannet_err write_lines(const layout *l, int64_t n, bool header, char **text, size_t *size) {
  const gannet_grid grid = make_grid(l, n);
  *text = NULL;
  FILE *out = open_memstream(text, size);
  GANNET_REQUIRE(out, GANNET_ERR_MEMORY, "a table of %lld lines", (long long)n);
  gannet_grid_write_csv(out, &grid, header);
  GANNET_REQUIRE(fclose(out) == 0, GANNET_ERR_MEMORY, "a table of %lld lines", (long long)n);
  return GANNET_OK;
}

static gannet_err lines_of(const gannet_ledger *ledger, int64_t n, const int64_t *ids, bool header,
                           char **text, size_t *size) {
  const layout l = make_layout(ledger, true, false, ids);
  return write_lines(&l, n, header, text, size);
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

/* A comparison of a file with the history, and what it has found so far. */
typedef struct {
  const gannet_ledger *ledger;
  char *const *lines; /* [1 + evaluations] the header, then the row of each evaluation */
  char *const *old;   /* the same, as earlier versions write them */
  bool *seen;         /* [evaluations] */
  bool in_order;      /* rows come in the order in which results were told */
  bool has_more;      /* the file has columns that a later result needed */
  int64_t n;          /* rows that are the ledger's */
} comparison;

/* Whether a line of the file is one of the ledger's, as far as that knows columns. */
static bool is_line(const comparison *c, const char *line, const char *expected) {
  const size_t length = strlen(expected);
  return strncmp(line, expected, length) == 0 &&
         (!line[length] || (c->has_more && line[length] == ','));
}

/* NULL for a row as it is to be, or of which the ledger knows no result; else what is wrong. A row
 * is written after the records of its evaluation are synced, so the journal had them. */
static const char *find_fault(comparison *c, const char *line) {
  char *end = NULL;
  const long long id = strtoll(line, &end, 10);
  if (end == line || *end != ',' || id < 0) return "is not what the journal has";
  if (id >= c->ledger->n && c->in_order)
    return "is of an evaluation that the journal has lost; copy this file first";
  if (id >= c->ledger->n || !c->ledger->ticket[id].has_result) return NULL;
  if (!is_line(c, line, c->lines[id + 1]) && !is_line(c, line, c->old[id + 1]))
    return "is not what the journal has";
  if (c->seen[id]) return "repeats an evaluation";
  if (c->in_order && (c->n >= gannet_history_count_told(c->ledger->history) ||
                      gannet_history_order(c->ledger->history)[c->n] != id))
    return "is not in the order of the journal";
  c->seen[id] = true;
  c->n += 1;
  return NULL;
}

static gannet_err compare_lines(const char *path, comparison *c, char *text) {
  int64_t number = 0;
  for (char *line = text, *next; *line; line = next) {
    const size_t length = strcspn(line, "\n");
    if (!line[length]) break; /* cut by a crash; a resume writes it anew */
    next = line + length + 1;
    line[length] = '\0';
    if (number == 0) c->has_more = strlen(line) > strlen(c->lines[0]);
    const bool is_header = is_line(c, line, c->lines[0]);
    const char *wrong = number > 0   ? find_fault(c, line)
                        : !is_header ? "is not what the journal has"
                                     : NULL;
    number += 1;
    GANNET_REQUIRE(!wrong, GANNET_ERR_DAMAGED, "line %lld of '%s' %s", (long long)number, path,
                   wrong);
  }
  return GANNET_OK;
}

/* All rows and the header above them, cut into lines that point into text. */
static gannet_err make_lines(const gannet_ledger *ledger, bool old_words, int n_reported,
                             char **text, char ***lines) {
  size_t size = 0;
  char *rest = NULL;
  layout l = make_layout(ledger, true, false, NULL);
  l.old_words = old_words;
  l.n_columns += n_reported - l.n_reported;
  l.n_reported = n_reported;
  GANNET_TRY(gannet_alloc((size_t)ledger->n + 1, sizeof **lines, lines));
  GANNET_TRY(write_lines(&l, ledger->n, true, text, &size));
  (*lines)[0] = strtok_r(*text, "\n", &rest);
  for (int64_t i = 1; i <= ledger->n; ++i) (*lines)[i] = strtok_r(NULL, "\n", &rest);
  return GANNET_OK;
}

/* How many columns of reported quantities a file has by its header: the first ones, as it gets more
 * when a result needs them, and a crash may have come between. */
static int count_reported(const gannet_ledger *ledger, const char *text) {
  const size_t length = strcspn(text, "\n");
  int commas = 0;
  for (size_t i = 0; i < length; ++i) commas += text[i] == ',';
  const int n = commas + 1 - make_layout(ledger, true, false, NULL).n_columns + ledger->n_columns;
  return n < 0 ? 0 : n < ledger->n_columns ? n : ledger->n_columns;
}

gannet_err gannet_table_check(const char *path, const gannet_ledger *ledger, bool in_order,
                              int64_t *n) {
  char *found = NULL, *text[2] = {NULL}, **lines[2] = {NULL};
  comparison c = {.ledger = ledger, .in_order = in_order};
  size_t size = 0;
  *n = 0;
  GANNET_TRY(gannet_file_read_within(path, longest, GANNET_ERR_DAMAGED, &found, &size));
  const int n_reported = count_reported(ledger, found);
  gannet_err err = make_lines(ledger, false, n_reported, &text[0], &lines[0]);
  if (err == GANNET_OK) err = make_lines(ledger, true, n_reported, &text[1], &lines[1]);
  if (err == GANNET_OK) err = gannet_alloc((size_t)ledger->n, sizeof *c.seen, &c.seen);
  if (err == GANNET_OK && strlen(found) < size)
    err = GANNET_RAISE(GANNET_ERR_DAMAGED, "'%s' holds zero bytes, expected text", path);
  c.lines = lines[0];
  c.old = lines[1];
  if (err == GANNET_OK) err = compare_lines(path, &c, found);
  *n = c.n;
  gannet_free(&c.seen);
  gannet_free(&found);
  for (int i = 0; i < 2; ++i) {
    gannet_free(&lines[i]);
    free(text[i]);
  }
  return err;
}

/* Whether a file begins with the header of the table: it has the columns that there are now. */
static bool has_header(int descriptor, const gannet_ledger *ledger) {
  char *expected = NULL, *found = NULL;
  size_t size = 0;
  bool same = lines_of(ledger, 0, NULL, true, &expected, &size) == GANNET_OK &&
              gannet_alloc(size, 1, &found) == GANNET_OK &&
              pread(descriptor, found, size, 0) == (ssize_t)size &&
              memcmp(found, expected, size) == 0;
  gannet_error_clear();
  free(expected);
  gannet_free(&found);
  return same;
}

/* A file that is gone, empty, no file any more, or without a column that is needed, is made anew.
 * Otherwise it is opened first: who takes the campaign over after the lock was looked at puts
 * another one in its place, and these lines, which that one has, are not added to it. */
gannet_err gannet_table_append(const char *path, const gannet_ledger *ledger, int n,
                               const int64_t *ids) {
  char *text = NULL;
  size_t size = 0;
  int descriptor = -1;
  gannet_err err = gannet_file_open(path, O_RDWR | O_APPEND, GANNET_ERR_DAMAGED, &descriptor);
  if (err == GANNET_OK && !has_header(descriptor, ledger)) {
    (void)close(descriptor);
    err = GANNET_ERR_DAMAGED;
  }
  if (err == GANNET_ERR_MISSING || err == GANNET_ERR_DAMAGED) {
    gannet_error_clear();
    GANNET_TRY(gannet_ledger_keep(ledger, NULL));
    return gannet_table_replace(path, ledger);
  }
  GANNET_TRY(err);
  err = lines_of(ledger, n, ids, false, &text, &size);
  if (err == GANNET_OK) err = gannet_ledger_keep(ledger, NULL);
  if (err == GANNET_OK) err = gannet_write_all(descriptor, text, size, path);
  free(text);
  (void)close(descriptor);
  return err;
}
