#include "pareto/staircase.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int compare_rows(const void *a, const void *b) {
  const gannet_row *left = a, *right = b;
  for (int j = 0; j < left->m; ++j) {
    if (left->row[j] < right->row[j]) return -1;
    if (left->row[j] > right->row[j]) return 1;
  }
  return (left->index > right->index) - (left->index < right->index);
}

void gannet_rows_sort(int n, gannet_row *rows) {
  qsort(rows, (size_t)n, sizeof *rows, compare_rows);
}

gannet_err gannet_staircase_create(int most, gannet_staircase *staircase) {
  *staircase = (gannet_staircase){0};
  const size_t n = (size_t)most;
  GANNET_TRY(gannet_alloc(n / 32 + 2 * GANNET_STAIRCASE_LEVELS, sizeof *staircase->memory,
                          (void **)&staircase->memory));
  GANNET_TRY(gannet_alloc(n, sizeof *staircase->sorted, (void **)&staircase->sorted));
  GANNET_TRY(gannet_alloc(n, sizeof *staircase->position, (void **)&staircase->position));
  GANNET_TRY(gannet_alloc(n, sizeof *staircase->x, (void **)&staircase->x));
  GANNET_TRY(gannet_alloc(n, sizeof *staircase->y, (void **)&staircase->y));
  return GANNET_OK;
}

void gannet_staircase_release(gannet_staircase *staircase) {
  gannet_free(&staircase->memory);
  gannet_free(&staircase->sorted);
  gannet_free(&staircase->position);
  gannet_free(&staircase->x);
  gannet_free(&staircase->y);
}

void gannet_staircase_start(gannet_staircase *staircase, int n, const gannet_row *rows) {
  staircase->n = n;
  staircase->levels = 0;
  uint64_t *next = staircase->memory;
  for (int bits = n; staircase->levels == 0 || bits > 1; ++staircase->levels) {
    const int words = (bits + 63) / 64;
    memset(next, 0, (size_t)words * sizeof *next);
    staircase->bits[staircase->levels] = next;
    next += words;
    bits = words;
  }
  for (int k = 0; k < n; ++k)
    staircase->sorted[k] = (gannet_row){.row = rows[k].row + 1, .m = 2, .index = k};
  gannet_rows_sort(n, staircase->sorted);
  for (int i = 0; i < n; ++i) {
    staircase->position[staircase->sorted[i].index] = i;
    staircase->x[i] = staircase->sorted[i].row[0];
    staircase->y[i] = staircase->sorted[i].row[1];
  }
}

/* The last minimum at or before position i; -1 = none. */
static int minimum_before(const gannet_staircase *s, int i) {
  for (int level = 0; level < s->levels && i >= 0; ++level) {
    const uint64_t rest = s->bits[level][i >> 6] << (63 - (i & 63));
    if (rest != 0) {
      i -= __builtin_clzll(rest);
      while (level-- > 0) i = 64 * i + 63 - __builtin_clzll(s->bits[level][i]);
      return i;
    }
    i = (i >> 6) - 1;
  }
  return -1;
}

/* The first minimum after position i; n = none. */
static int minimum_after(const gannet_staircase *s, int i) {
  int bits = s->n; /* of the level */
  for (int level = 0; level < s->levels; ++level, bits = (bits + 63) / 64) {
    if (++i >= bits) break;
    const uint64_t rest = s->bits[level][i >> 6] >> (i & 63);
    if (rest != 0) {
      i += __builtin_ctzll(rest);
      while (level-- > 0) i = 64 * i + __builtin_ctzll(s->bits[level][i]);
      return i;
    }
    i >>= 6;
  }
  return s->n;
}

/* Whether position i is a minimum. */
static void set_minimum(gannet_staircase *s, int i, bool is_minimum) {
  for (int level = 0; level < s->levels; ++level, i >>= 6) {
    uint64_t *word = &s->bits[level][i >> 6];
    const uint64_t bit = (uint64_t)1 << (i & 63);
    if (is_minimum)
      *word |= bit;
    else
      *word &= ~bit;
    if (!is_minimum && *word != 0) break;
  }
}

bool gannet_staircase_insert(gannet_staircase *staircase, int k, double *area) {
  const double *xs = staircase->x, *ys = staircase->y;
  const int at = staircase->position[k], before = minimum_before(staircase, at);
  if (before >= 0 && ys[before] <= ys[at]) return false;
  double grown = 0, left = xs[at], height = before >= 0 ? ys[before] : 0;
  int next = minimum_after(staircase, at);
  for (; next < staircase->n && ys[next] >= ys[at]; next = minimum_after(staircase, next)) {
    grown += (xs[next] - left) * (height - ys[at]);
    left = xs[next];
    height = ys[next];
    set_minimum(staircase, next, false);
  }
  grown += ((next < staircase->n ? xs[next] : 0) - left) * (height - ys[at]);
  set_minimum(staircase, at, true);
  if (area) *area = grown;
  return true;
}
