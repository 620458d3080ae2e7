#include "optimizer/contenders.h"

#include <stdlib.h>

#include "base/memory.h"
#include "search/standing.h"

typedef struct {
  gannet_standing standing;
  int position;
} place;

static int better_first(const void *a, const void *b) {
  const place *left = a, *right = b;
  if (gannet_standing_is_better(&left->standing, &right->standing)) return -1;
  return gannet_standing_is_better(&right->standing, &left->standing);
}

static int ascending(const void *a, const void *b) {
  const int left = *(const int *)a, right = *(const int *)b;
  return (left > right) - (left < right);
}

/* Of places, best first. */
static int take_best(int n, const place *places, int *found) {
  int taken = 0, outside = 0;
  for (int i = 0; i < n && outside < GANNET_CONTENDERS_BEST; ++i) {
    const bool infeasible = places[i].standing.violation > 0;
    if (i >= GANNET_CONTENDERS_BEST && !infeasible) continue;
    outside += infeasible && i >= GANNET_CONTENDERS_BEST;
    found[taken++] = places[i].position;
  }
  qsort(found, (size_t)taken, sizeof *found, ascending);
  return taken;
}

static gannet_err find_best(const gannet_history *history, int n, const int64_t *id, int64_t first,
                            place *places, int *later) {
  const size_t count = (size_t)gannet_history_count(history);
  gannet_standing *standing = NULL;
  GANNET_TRY(gannet_alloc(count, sizeof *standing, &standing));
  const gannet_err err = gannet_standing_all(history, 0, standing);
  *later = 0;
  for (int i = 0; i < n && err == GANNET_OK; ++i)
    if (id[i] >= first) places[(*later)++] = (place){standing[id[i]], i};
  qsort(places, (size_t)*later, sizeof *places, better_first);
  gannet_free(&standing);
  return err;
}

gannet_err gannet_contenders_find(const gannet_history *history, int n, const int64_t *id,
                                  int64_t first, int *n_found, int *found) {
  place *places = NULL;
  int later = 0;
  *n_found = 0;
  for (int i = 0; i < n; ++i) {
    if (id[i] < first) continue;
    if (later++ < GANNET_CONTENDERS_ALL) found[(*n_found)++] = i;
  }
  if (later <= GANNET_CONTENDERS_ALL) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)later, sizeof *places, &places));
  const gannet_err err = find_best(history, n, id, first, places, &later);
  if (err == GANNET_OK) *n_found = take_best(later, places, found);
  gannet_free(&places);
  return err;
}
