#include "search/scan.h"

#include <math.h>
#include <stdbool.h>

#include "base/memory.h"
#include "surrogate/surrogate.h"

typedef struct {
  const gannet_context *context;
  const gannet_candidates *candidates;
  const gannet_distinct *taken;
  int n_lists;
  gannet_scorer scorer;
  void *user;
  gannet_select *select;
  double *x;      /* [GANNET_TILE][d] */
  double *scores; /* [n_lists][GANNET_TILE] */
} scan_state;

static gannet_err set_up(scan_state *s, int keep) {
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  GANNET_TRY(gannet_select_create(s->n_lists, keep, &s->select));
  GANNET_TRY(gannet_alloc(d * GANNET_TILE, sizeof *s->x, &s->x));
  GANNET_TRY(gannet_alloc((size_t)s->n_lists * GANNET_TILE, sizeof *s->scores, &s->scores));
  return GANNET_OK;
}

void gannet_scan_bar(const gannet_distinct *taken, size_t d, int m, const double *x_unit,
                     int n_lists, double *scores, int ld) {
  for (int i = 0; taken && i < m; ++i) {
    if (!gannet_distinct_has(taken, x_unit + (size_t)i * d)) continue;
    for (int l = 0; l < n_lists; ++l) scores[(ptrdiff_t)l * ld + i] = NAN;
  }
}

gannet_queue gannet_scan_queue(const gannet_context *context, const gannet_candidates *candidates) {
  const int64_t n = gannet_candidates_count(candidates);
  return gannet_queue_open(context, (n + GANNET_TILE - 1) / GANNET_TILE);
}

static gannet_err score_tile(scan_state *s, int64_t first) {
  const int64_t left = gannet_candidates_count(s->candidates) - first;
  const int m = left < GANNET_TILE ? (int)left : GANNET_TILE;
  gannet_candidates_tile(s->candidates, first, m, s->x);
  GANNET_TRY(s->scorer(s->user, m, s->x, first, s->scores, GANNET_TILE));
  gannet_scan_bar(s->taken, (size_t)gannet_candidates_dimension(s->candidates), m, s->x, s->n_lists,
                  s->scores, GANNET_TILE);
  gannet_select_offer(s->select, m, first, s->scores, GANNET_TILE);
  return GANNET_OK;
}

/* A rank that is not able to anything takes its turns, too, which others count on. */
static gannet_err score_own_tiles(scan_state *s, gannet_err err) {
  gannet_queue queue = gannet_scan_queue(s->context, s->candidates);
  for (int64_t tile; err == GANNET_OK && (tile = gannet_queue_next(&queue)) >= 0;)
    err = score_tile(s, tile * GANNET_TILE);
  gannet_queue_close(&queue);
  return err;
}

gannet_err gannet_scan(const gannet_context *context, const gannet_candidates *candidates,
                       const gannet_distinct *taken, int n_lists, int keep, gannet_scorer scorer,
                       void *user, gannet_ranked *best) {
  scan_state s = {.context = context,
                  .candidates = candidates,
                  .taken = taken,
                  .n_lists = n_lists,
                  .scorer = scorer,
                  .user = user};
  gannet_err err = score_own_tiles(&s, set_up(&s, keep));
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK) err = gannet_select_reduce(context, s.select, best);
  gannet_select_destroy(&s.select);
  gannet_free(&s.x);
  gannet_free(&s.scores);
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}

void gannet_ranked_points(const gannet_candidates *candidates, int n_lists, int keep,
                          const gannet_ranked *best, int take, double *x_unit, int *n_in_list) {
  const size_t d = (size_t)gannet_candidates_dimension(candidates);
  for (int l = 0; l < n_lists; ++l) {
    const gannet_ranked *list = best + (size_t)l * (size_t)keep;
    const int64_t first = list[0].index < 0 ? 0 : list[0].index;
    int taken = 0;
    for (int i = 0; i < take; ++i, x_unit += d) {
      const bool is_taken = list[i].index >= 0;
      gannet_candidates_tile(candidates, is_taken ? list[i].index : first, 1, x_unit);
      taken += is_taken;
    }
    if (n_in_list) n_in_list[l] = taken;
  }
}
