#include "surrogate/together.h"

#include <string.h>

#include "linalg/cholesky.h"

enum { MOST = GANNET_CHOLESKY_SPREAD };

/* Some points of all ranks, and where what is known of them begins on the board of each. */
typedef struct {
  int d, first, m;
  const gannet_node *node;
} some;

/* Points of these that are a rank's. */
static int count_of(const some *p, int place) {
  return p->m > place ? (p->m - place + p->node->n - 1) / p->node->n : 0;
}

/* What a rank shows of its points: [count] means and deviations, [count][d] gradients of both. */
typedef struct {
  double *mean, *sd, *by_mean, *by_sd, *end;
} shown;

static shown shown_at(const some *p, int count, double *at) {
  const size_t n = (size_t)count, d = (size_t)p->d;
  return (shown){at, at + n, at + 2 * n, at + (2 + d) * n, at + (2 + 2 * d) * n};
}

/* Besides, a rank gathers its points there. */
size_t gannet_together_room(int d, int m) {
  return (2 * (size_t)d + 2) * (size_t)m + (size_t)MOST * (size_t)d;
}

static gannet_err find_own(const gannet_surrogate *s, const some *p, const double *x, double **at) {
  const size_t d = (size_t)p->d;
  const int count = count_of(p, p->node->place);
  const shown own = shown_at(p, count, *at);
  for (int i = 0; i < count; ++i)
    memcpy(own.end + (size_t)i * d, x + (size_t)(p->first + p->node->place + i * p->node->n) * d,
           d * sizeof *x);
  *at = own.end;
  return gannet_surrogate_predict_gradients_part(s, p->m, count, own.end, own.mean, own.sd,
                                                 own.by_mean, own.by_sd);
}

static some some_from(const gannet_surrogate *s, const gannet_board *board, int first, int m) {
  return (some){gannet_surrogate_dimension(s), first, m - first < MOST ? m - first : MOST,
                gannet_board_node(board)};
}

gannet_err gannet_together_predict_gradients(const gannet_surrogate *s, gannet_board *board, int m,
                                             const double *x, double *mean, double *sd,
                                             double *mean_gradients, double *sd_gradients) {
  const size_t d = (size_t)gannet_surrogate_dimension(s);
  gannet_err err = GANNET_OK;
  if (!gannet_surrogate_gains_together(s)) {
    GANNET_TRY(gannet_surrogate_predict_gradients(s, m, x, mean, sd, mean_gradients, sd_gradients));
    return GANNET_OK;
  }
  double *own = gannet_board_own(board);
  for (int first = 0; first < m && err == GANNET_OK; first += MOST) {
    const some p = some_from(s, board, first, m);
    err = find_own(s, &p, x, &own);
  }
  GANNET_TRY(gannet_board_show(board, err));
  for (int place = 0; place < gannet_board_node(board)->n; ++place) {
    double *at = (double *)gannet_board_of(board, place);
    for (int first = 0; first < m; first += MOST) {
      const some p = some_from(s, board, first, m);
      const shown theirs = shown_at(&p, count_of(&p, place), at);
      for (int i = 0, k = first + place; k < first + p.m; ++i, k += p.node->n) {
        mean[k] = theirs.mean[i];
        sd[k] = theirs.sd[i];
        memcpy(mean_gradients + (size_t)k * d, theirs.by_mean + (size_t)i * d, d * sizeof *mean);
        memcpy(sd_gradients + (size_t)k * d, theirs.by_sd + (size_t)i * d, d * sizeof *sd);
      }
      at = theirs.end;
    }
  }
  return GANNET_OK;
}
