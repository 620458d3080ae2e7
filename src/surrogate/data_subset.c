#include "surrogate/data_subset.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

/* Histories are sorted in every fit: by digits, which takes a time linear in n. */
enum { BITS = 11, DIGITS = 6, VALUES = 1 << BITS };

typedef struct {
  uint64_t key;
  int index;
} ranked;

/* A whole number that is larger when the value is. */
static uint64_t key_of(double y) {
  const uint64_t sign = (uint64_t)1 << 63;
  uint64_t bits;
  y += 0; /* -0 is 0 */
  memcpy(&bits, &y, sizeof bits);
  return bits & sign ? ~bits : bits | sign;
}

/* Sort by one digit; elements with equal digits keep their order. */
static void sort_by_digit(int digit, int n, const ranked *from, ranked *to) {
  const int shift = digit * BITS;
  int position[VALUES] = {0};
  for (int i = 0; i < n; ++i) ++position[from[i].key >> shift & (VALUES - 1)];
  for (int v = 0, sum = 0; v < VALUES; ++v) {
    const int count = position[v];
    position[v] = sum;
    sum += count;
  }
  for (int i = 0; i < n; ++i) to[position[from[i].key >> shift & (VALUES - 1)]++] = from[i];
}

gannet_err gannet_rank_values(int n, const double *y, int *rank) {
  ranked *order = NULL;
  GANNET_TRY(gannet_alloc(2 * (size_t)n, sizeof *order, &order));
  ranked *other = order + n;
  for (int i = 0; i < n; ++i) order[i] = (ranked){key_of(y[i]), i};
  for (int digit = 0; digit < DIGITS; digit += 2) {
    sort_by_digit(digit, n, order, other);
    sort_by_digit(digit + 1, n, other, order);
  }
  for (int i = 0; i < n; ++i) rank[i] = order[i].index;
  gannet_free(&order);
  return GANNET_OK;
}

gannet_err gannet_data_subset_create(int n, const double *y, int most, gannet_data_subset *s) {
  *s = (gannet_data_subset){.n = n, .count = n < most ? n : most};
  if (n <= most) return GANNET_OK;
  s->best = y ? most / 2 : 0;
  gannet_err err = gannet_alloc((size_t)(n - s->best), sizeof *s->permutation, &s->permutation);
  if (err == GANNET_OK) err = gannet_alloc((size_t)s->count, sizeof *s->index, &s->index);
  if (err == GANNET_OK && y) err = gannet_alloc((size_t)n, sizeof *s->rank, &s->rank);
  if (err == GANNET_OK && y) err = gannet_rank_values(n, y, s->rank);
  if (err != GANNET_OK) gannet_data_subset_release(s);
  return err;
}

void gannet_data_subset_release(gannet_data_subset *s) {
  gannet_free(&s->rank);
  gannet_free(&s->permutation);
  gannet_free(&s->index);
  *s = (gannet_data_subset){0};
}

void gannet_data_subset_draw(gannet_data_subset *s, gannet_stream stream) {
  const int best = s->best;
  if (!s->index) return;
  gannet_random_permutation(stream, s->n - best, s->permutation);
  for (int i = 0; i < s->count; ++i) {
    const int at = i < best ? i : best + s->permutation[i - best];
    s->index[i] = s->rank ? s->rank[at] : at;
  }
}

void gannet_data_subset_gather(const gannet_data_subset *s, int width, const double *from,
                               double *to) {
  const size_t row = (size_t)width;
  for (int i = 0; i < s->count; ++i)
    memcpy(to + (size_t)i * row, from + (size_t)(s->index ? s->index[i] : i) * row,
           row * sizeof *to);
}

gannet_err gannet_rows_choose(gannet_rows *rows, int most, bool best, gannet_stream stream) {
  gannet_data_subset subset;
  const size_t count = (size_t)most, width = (size_t)rows->width;
  if (rows->n <= most) return GANNET_OK;
  GANNET_TRY(gannet_data_subset_create(rows->n, best ? rows->y : NULL, most, &subset));
  gannet_data_subset_draw(&subset, stream);
  const gannet_err err = gannet_alloc(count * (width + 2), sizeof(double), &rows->copies);
  if (err == GANNET_OK) {
    double *x = rows->copies, *y = x + count * width;
    gannet_data_subset_gather(&subset, rows->width, rows->x, x);
    gannet_data_subset_gather(&subset, 1, rows->y, y);
    if (rows->noise) gannet_data_subset_gather(&subset, 1, rows->noise, y + count);
    rows->n = most;
    rows->x = x;
    rows->y = y;
    if (rows->noise) rows->noise = y + count;
  }
  gannet_data_subset_release(&subset);
  return err;
}

void gannet_rows_release(gannet_rows *rows) {
  gannet_free(&rows->copies);
}
