#include "surrogate/chosen.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

/* Histories are sorted in every fit: by digits, which takes a time linear in n. */
enum { BITS = 11, DIGITS = 6, VALUES = 1 << BITS };

typedef struct {
  uint64_t key;
  int index;
} ranked;

/* A whole number that is larger where the value is. */
static uint64_t key_of(double y) {
  const uint64_t sign = (uint64_t)1 << 63;
  uint64_t bits;
  y += 0; /* -0 is 0 */
  memcpy(&bits, &y, sizeof bits);
  return bits & sign ? ~bits : bits | sign;
}

/* Sort by one digit; what has the same one keeps its order. */
static void sort_by(int digit, int n, const ranked *from, ranked *to) {
  const int shift = digit * BITS;
  int place[VALUES] = {0};
  for (int i = 0; i < n; ++i) ++place[from[i].key >> shift & (VALUES - 1)];
  for (int v = 0, sum = 0; v < VALUES; ++v) {
    const int count = place[v];
    place[v] = sum;
    sum += count;
  }
  for (int i = 0; i < n; ++i) to[place[from[i].key >> shift & (VALUES - 1)]++] = from[i];
}

gannet_err gannet_rank_values(int n, const double *y, int *rank) {
  ranked *order = NULL;
  GANNET_TRY(gannet_alloc(2 * (size_t)n, sizeof *order, &order));
  ranked *other = order + n;
  for (int i = 0; i < n; ++i) order[i] = (ranked){key_of(y[i]), i};
  for (int digit = 0; digit < DIGITS; digit += 2) {
    sort_by(digit, n, order, other);
    sort_by(digit + 1, n, other, order);
  }
  for (int i = 0; i < n; ++i) rank[i] = order[i].index;
  gannet_free(&order);
  return GANNET_OK;
}

static gannet_err prepare(const double *y, gannet_chosen *c) {
  GANNET_TRY(gannet_alloc((size_t)(c->n - c->best), sizeof *c->permutation, &c->permutation));
  GANNET_TRY(gannet_alloc((size_t)c->count, sizeof *c->index, &c->index));
  if (!y) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)c->n, sizeof *c->rank, &c->rank));
  return gannet_rank_values(c->n, y, c->rank);
}

gannet_err gannet_chosen_create(int n, const double *y, int most, gannet_chosen *chosen) {
  *chosen = (gannet_chosen){.n = n, .count = n < most ? n : most};
  if (n <= most) return GANNET_OK;
  chosen->best = y ? most / 2 : 0;
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
  const int best = chosen->best;
  if (!chosen->index) return;
  gannet_random_permutation(stream, chosen->n - best, chosen->permutation);
  for (int i = 0; i < chosen->count; ++i) {
    const int at = i < best ? i : best + chosen->permutation[i - best];
    chosen->index[i] = chosen->rank ? chosen->rank[at] : at;
  }
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

static gannet_err copy_chosen(gannet_rows *rows, const gannet_chosen *chosen) {
  const size_t count = (size_t)chosen->count, width = (size_t)rows->width;
  GANNET_TRY(gannet_alloc(count * (width + 1), sizeof(double), &rows->copies));
  double *x = rows->copies, *y = x + count * width;
  gannet_chosen_gather(chosen, rows->width, rows->x, x);
  gannet_chosen_gather(chosen, 1, rows->y, y);
  rows->n = chosen->count;
  rows->x = x;
  rows->y = y;
  return GANNET_OK;
}

gannet_err gannet_rows_choose(gannet_rows *rows, int most, bool best, gannet_stream stream) {
  gannet_chosen chosen;
  if (rows->n <= most) return GANNET_OK;
  GANNET_TRY(gannet_chosen_create(rows->n, best ? rows->y : NULL, most, &chosen));
  gannet_chosen_draw(&chosen, stream);
  const gannet_err code = copy_chosen(rows, &chosen);
  gannet_chosen_release(&chosen);
  return code;
}

void gannet_rows_release(gannet_rows *rows) {
  gannet_free(&rows->copies);
}
