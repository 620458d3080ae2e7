/* What becomes of the rows of a table of results: comparing them with evaluations, and with the
 * rows above them. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "campaign/run/import_table.h"
#include "problem/objectives.h"
#include "problem/outputs.h"
#include "problem/point_index.h"

void gannet_import_explain(gannet_import_row *row, const char *why) {
  gannet_free(&row->why);
  if (gannet_copy_text(why, &row->why) != GANNET_OK) gannet_error_clear();
}

void gannet_import_refuse(gannet_import_row *row, const char *why) {
  if (row->kind == GANNET_ROW_REFUSED) return;
  row->kind = GANNET_ROW_REFUSED;
  gannet_import_explain(row, why);
}

/* The points that rows are compared with. Numbers below ledger->n are evaluations; ledger->n + i is
 * row i of the table. */
typedef struct {
  const gannet_ledger *ledger;
  const gannet_import_rows *rows;
  bool *is_taken; /* [ledger->n] a row of the table is the result of this evaluation */
} known;

static const double *known_point(const void *user, int64_t id) {
  const known *k = user;
  const int64_t n = k->ledger->n;
  return id < n ? gannet_history_x_user(k->ledger->history, id) : k->rows->row[id - n].x;
}

static bool are_same_results(const gannet_problem *problem, const gannet_result_record *a,
                             const gannet_result_record *b) {
  if (a->status != b->status) return false;
  if (a->status != GANNET_EVAL_DONE) return true;
  if (!gannet_result_same_value(a->objective, b->objective)) return false;
  for (int i = 0; i < problem->spec.n_constraints; ++i)
    if (!gannet_result_same_value(a->constraints[i], b->constraints[i])) return false;
  return true;
}

/* The last correction that took this result from an evaluation and still holds; NULL = none. An
 * evaluation that is to be run again does not count: its results are still to come. */
static const gannet_correction *find_lost(const gannet_ledger *ledger, int64_t id,
                                          const gannet_result_record *result) {
  for (int i = ledger->n_corrections - 1; i >= 0; --i) {
    const gannet_correction *c = &ledger->correction[i];
    if (c->id == id && isnan(c->undo.when) && c->kind != GANNET_CORRECTION_RETRY && c->had_result &&
        are_same_results(ledger->problem, &c->before, result))
      return c;
  }
  return NULL;
}

static void compare_row(known *k, const gannet_results_file *about, const gannet_point_index *index,
                        gannet_import_row *row) {
  const int64_t n = k->ledger->n;
  const gannet_problem *problem = k->ledger->problem;
  int64_t pending = -1, other = -1;
  bool has_error = false; /* of an objective */
  char why[GANNET_REASON_SIZE];
  for (int64_t id = -1; (id = gannet_point_index_find(index, row->x, id)) >= 0;) {
    const gannet_result_record *result =
        id < n ? &k->ledger->ticket[id].result : &k->rows->row[id - n].result;
    if (id < n) row->corrected = find_lost(k->ledger, id, &row->result);
    if (row->corrected || are_same_results(problem, result, &row->result)) {
      row->kind = GANNET_ROW_KNOWN;
      row->id = id < n ? id : -1;
      return;
    }
    if (result->status == GANNET_EVAL_PENDING || result->status == GANNET_EVAL_FAILED) {
      if (pending < 0 && !k->is_taken[id]) pending = id;
    } else if (other < 0 && result->status != GANNET_EVAL_DISCARDED) {
      other = id;
    }
  }
  for (int m = 0; m < gannet_problem_n_objectives(problem) && !has_error; ++m) {
    const int at = gannet_problem_objective_quantity(problem, m);
    const char *name = gannet_problem_reported_name(problem, at);
    has_error = gannet_quantities_find(&row->result.reported, name) != NULL;
  }
  if (pending >= 0 && about->takes_pending) {
    row->kind = GANNET_ROW_RESULT;
    row->id = row->result.id = pending;
    k->is_taken[pending] = true;
  } else if (other >= 0 && gannet_problem_is_exact(problem) && !has_error) {
    (void)snprintf(why, sizeof why,
                   "%s %lld has another result of this design, and with noise: 0 there is only one",
                   other < n ? "evaluation" : "line",
                   (long long)(other < n ? other : k->rows->row[other - n].line));
    gannet_import_refuse(row, why);
  }
}

gannet_err gannet_import_compare(const gannet_import_table *r, gannet_import_rows *rows) {
  const int64_t n = r->ledger->n;
  known k = {.ledger = r->ledger, .rows = rows};
  gannet_point_index *index = NULL;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *k.is_taken, &k.is_taken));
  gannet_err err = gannet_point_index_create(r->problem->spec.n_variables, &k, known_point, &index);
  for (int64_t id = 0; id < n && err == GANNET_OK; ++id) err = gannet_point_index_add(index, id);
  for (int64_t i = 0; i < rows->n && err == GANNET_OK; ++i) {
    gannet_import_row *row = &rows->row[i];
    const bool is_compared = row->kind != GANNET_ROW_REFUSED && !r->about->is_related;
    if (is_compared) compare_row(&k, r->about, index, row);
    if (row->kind == GANNET_ROW_NEW) err = gannet_point_index_add(index, n + i);
    rows->count[row->kind] += 1;
    rows->n_elsewhere += row->kind == GANNET_ROW_NEW && row->why && !row->is_partial;
    rows->n_partial += row->kind == GANNET_ROW_NEW && row->is_partial;
  }
  gannet_point_index_destroy(&index);
  gannet_free(&k.is_taken);
  return err;
}
