#include "surrogate/together.h"

#include <string.h>

#include "linalg/cholesky.h"

enum { MOST = GANNET_CHOLESKY_SPREAD };

/* Some points of all ranks: they are theirs one by one in turn. */
typedef struct {
  int d, first, m;
  const gannet_node *node;
} some;

static some some_from(const gannet_surrogate *s, const gannet_shared_buffer *board, int first,
                      int m) {
  return (some){gannet_surrogate_dimension(s), first, m - first < MOST ? m - first : MOST,
                gannet_shared_buffer_node(board)};
}

static int count_of(const some *p, int place) {
  return p->m > place ? (p->m - place + p->node->n - 1) / p->node->n : 0;
}

/* Where a rank shows what it knows of its points: [count] means and deviations, [count][d]
 * gradients of both. */
typedef struct {
  size_t mean, sd, by_mean, by_sd, end;
} layout;

static layout layout_of(const some *p, int place) {
  const size_t n = (size_t)count_of(p, place), d = (size_t)p->d;
  return (layout){0, n, 2 * n, (2 + d) * n, (2 + 2 * d) * n};
}

/* Besides, a rank gathers its points there. */
size_t gannet_together_room(int d, int m) {
  return (2 * (size_t)d + 2) * (size_t)m + (size_t)MOST * (size_t)d;
}

static gannet_err find_own(const gannet_surrogate *s, const some *p, const double *x, double *own) {
  const int place = p->node->node_rank, count = count_of(p, place);
  const layout at = layout_of(p, place);
  const size_t d = (size_t)p->d;
  double *own_x = own + at.end;
  for (int i = 0; i < count; ++i)
    memcpy(own_x + (size_t)i * d, x + (size_t)(p->first + place + i * p->node->n) * d,
           d * sizeof *x);
  return gannet_surrogate_predict_gradients_part(s, p->m, count, own_x, own + at.mean, own + at.sd,
                                                 own + at.by_mean, own + at.by_sd);
}

static gannet_err show_own(const gannet_surrogate *s, gannet_shared_buffer *board, int m,
                           const double *x) {
  double *own = gannet_shared_buffer_own(board);
  gannet_err err = GANNET_OK;
  for (int first = 0; first < m && err == GANNET_OK; first += MOST) {
    const some p = some_from(s, board, first, m);
    err = find_own(s, &p, x, own);
    own += layout_of(&p, p.node->node_rank).end;
  }
  return gannet_shared_buffer_publish(board, err);
}

/* Of all points. */
typedef struct {
  double *mean, *sd, *by_mean, *by_sd;
} moments;

static void take_shown(const some *p, int place, const double *shown, const moments *all) {
  const layout at = layout_of(p, place);
  const size_t d = (size_t)p->d, size = d * sizeof *shown;
  for (size_t i = 0; i < (size_t)count_of(p, place); ++i) {
    const size_t k = (size_t)(p->first + place) + i * (size_t)p->node->n;
    all->mean[k] = shown[at.mean + i];
    all->sd[k] = shown[at.sd + i];
    memcpy(all->by_mean + k * d, shown + at.by_mean + i * d, size);
    memcpy(all->by_sd + k * d, shown + at.by_sd + i * d, size);
  }
}

gannet_err gannet_together_predict_gradients(const gannet_surrogate *s, gannet_shared_buffer *board,
                                             int m, const double *x, double *mean, double *sd,
                                             double *mean_gradients, double *sd_gradients) {
  const moments all = {mean, sd, mean_gradients, sd_gradients};
  if (!gannet_surrogate_gains_together(s)) {
    GANNET_TRY(gannet_surrogate_predict_gradients(s, m, x, mean, sd, mean_gradients, sd_gradients));
    return GANNET_OK;
  }
  GANNET_TRY(show_own(s, board, m, x));
  for (int place = 0; place < gannet_shared_buffer_node(board)->n; ++place) {
    const double *shown = gannet_shared_buffer_of(board, place);
    for (int first = 0; first < m; first += MOST) {
      const some p = some_from(s, board, first, m);
      take_shown(&p, place, shown, &all);
      shown += layout_of(&p, place).end;
    }
  }
  return GANNET_OK;
}
