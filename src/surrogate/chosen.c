#include "surrogate/chosen.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct {
  double y;
  int index;
} ranked;

static int by_value_then_index(const void *a, const void *b) {
  const ranked *left = a, *right = b;
  if (left->y != right->y) return left->y < right->y ? -1 : 1;
  return left->index < right->index ? -1 : left->index > right->index;
}

gannet_err gannet_rank_values(int n, const double *y, int *rank) {
  ranked *order = NULL;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *order, &order));
  for (int i = 0; i < n; ++i) order[i] = (ranked){y[i], i};
  qsort(order, (size_t)n, sizeof *order, by_value_then_index);
  for (int i = 0; i < n; ++i) rank[i] = order[i].index;
  gannet_free(&order);
  return GANNET_OK;
}

static gannet_err prepare(const double *y, gannet_chosen *c) {
  GANNET_TRY(gannet_alloc((size_t)c->n, sizeof *c->rank, &c->rank));
  GANNET_TRY(gannet_alloc((size_t)(c->n - c->count / 2), sizeof *c->permutation, &c->permutation));
  GANNET_TRY(gannet_alloc((size_t)c->count, sizeof *c->index, &c->index));
  return gannet_rank_values(c->n, y, c->rank);
}

gannet_err gannet_chosen_create(int n, const double *y, int most, gannet_chosen *chosen) {
  *chosen = (gannet_chosen){.n = n, .count = n < most ? n : most};
  if (n <= most) return GANNET_OK;
  const gannet_err code = prepare(y, chosen);
  if (code != GANNET_OK) gannet_chosen_release(chosen);
  return code;
}

void gannet_chosen_release(gannet_chosen *chosen) {
  gannet_free(&chosen->rank);
  gannet_free(&chosen->permutation);
  gannet_free(&chosen->index);
  *chosen = (gannet_chosen){0};
}

void gannet_chosen_draw(gannet_chosen *chosen, gannet_stream stream) {
  const int best = chosen->count / 2;
  if (!chosen->index) return;
  gannet_random_permutation(stream, chosen->n - best, chosen->permutation);
  for (int i = 0; i < chosen->count; ++i)
    chosen->index[i] = chosen->rank[i < best ? i : best + chosen->permutation[i - best]];
}

int gannet_chosen_at(const gannet_chosen *chosen, int i) {
  return chosen->index ? chosen->index[i] : i;
}

void gannet_chosen_gather(const gannet_chosen *chosen, int width, const double *from, double *to) {
  const size_t row = (size_t)width;
  for (int i = 0; i < chosen->count; ++i)
    memcpy(to + (size_t)i * row, from + (size_t)gannet_chosen_at(chosen, i) * row,
           row * sizeof *to);
}
