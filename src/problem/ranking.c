/* Done evaluations in the order in which people want to see them. */
#include <stdlib.h>

#include "base/memory.h"
#include "problem/history.h"

typedef struct {
  int64_t id;
  double violation, value; /* minimised */
} place;

static int by_place(const void *a, const void *b) {
  const place *x = a, *y = b;
  if (x->violation != y->violation) return x->violation < y->violation ? -1 : 1;
  if (x->violation == 0 && x->value != y->value) return x->value < y->value ? -1 : 1;
  return (x->id > y->id) - (x->id < y->id);
}

gannet_err gannet_history_rank(const gannet_history *history, int64_t **ids, int64_t *n) {
  const gannet_problem *problem = gannet_history_problem(history);
  const size_t most = (size_t)gannet_history_count_done(history);
  place *places = NULL;
  *ids = NULL;
  *n = 0;
  GANNET_TRY(gannet_alloc(most, sizeof *places, &places));
  for (int64_t id = 0; id < gannet_history_count(history); ++id) {
    const gannet_evaluation *row = gannet_history_get(history, id);
    if (row->status == GANNET_EVAL_DONE)
      places[(*n)++] = (place){id, gannet_history_violation(history, id),
                               gannet_problem_flip(problem, row->objective)};
  }
  qsort(places, most, sizeof *places, by_place);
  const gannet_err err = gannet_alloc(most, sizeof **ids, ids);
  for (int64_t i = 0; err == GANNET_OK && i < *n; ++i) (*ids)[i] = places[i].id;
  gannet_free(&places);
  return err;
}
