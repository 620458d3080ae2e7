#include "search/scan.h"

#include <math.h>

#include "base/memory.h"
#include "base/queue.h"
#include "surrogate/surrogate.h"

void gannet_scan_bar(const gannet_distinct *taken, size_t d, int m, const double *x_unit,
                     int n_lists, double *scores, int ld) {
  for (int i = 0; taken && i < m; ++i) {
    if (!gannet_distinct_has(taken, x_unit + (size_t)i * d)) continue;
    for (int l = 0; l < n_lists; ++l) scores[(ptrdiff_t)l * ld + i] = NAN;
  }
}

gannet_err gannet_scan(const gannet_context *context, const gannet_candidates *candidates,
                       const gannet_distinct *taken, bool fixed, int n_lists, int keep,
                       gannet_scorer scorer, void *user, gannet_ranked *best) {
  const int64_t n = gannet_candidates_count(candidates);
  const size_t d = (size_t)gannet_candidates_dimension(candidates);
  gannet_select *select = NULL;
  double *x = NULL, *scores = NULL; /* [GANNET_TILE][d], [n_lists][GANNET_TILE] */
  gannet_err err = gannet_select_create(n_lists, keep, &select);
  if (err == GANNET_OK) err = gannet_alloc(d * GANNET_TILE, sizeof *x, &x);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n_lists * GANNET_TILE, sizeof *scores, &scores);
  /* A rank that has failed takes its turns, too, because the others count on it. */
  const int64_t tiles = (n + GANNET_TILE - 1) / GANNET_TILE;
  gannet_queue queue =
      fixed ? gannet_queue_open_fixed(context, tiles) : gannet_queue_open(context, tiles);
  for (int64_t tile; err == GANNET_OK && (tile = gannet_queue_next(&queue)) >= 0;) {
    const int64_t first = tile * GANNET_TILE;
    const int m = n - first < GANNET_TILE ? (int)(n - first) : GANNET_TILE;
    gannet_candidates_tile(candidates, first, m, x);
    err = scorer(user, m, x, first, scores, GANNET_TILE);
    if (err != GANNET_OK) break;
    gannet_scan_bar(taken, d, m, x, n_lists, scores, GANNET_TILE);
    gannet_select_offer(select, m, first, scores, GANNET_TILE);
  }
  gannet_queue_close(&queue);
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK) err = gannet_select_reduce(context, select, best);
  gannet_select_destroy(&select);
  gannet_free(&x);
  gannet_free(&scores);
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}
