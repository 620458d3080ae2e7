#include "network/kernel_sums.h"

#include <string.h>

#include "base/memory.h"
#include "network/strips.h"

/* Points of the list that are worked at once, and those whose sums are kept in the precision: all
 * they need stays in the first and the second cache while strips go by. */
enum { ROWS = GANNET_STRIP_ROWS, PIECE = 32, STRETCH = 512 };

struct gannet_kernel_sums {
  const gannet_strips *by;
  gannet_table kernel;
  int inputs, q;
  size_t n;     /* whole rows; the weights of those beyond the list are zero */
  char *z;      /* [n/8][inputs][8] */
  char *weight; /* for every eight draws: [n][width] */
  char *block;  /* [PIECE][lanes] */
  char *sum;    /* [q, whole][lanes] */
};

void gannet_kernel_sums_destroy(gannet_kernel_sums **sums) {
  if (!*sums) return;
  gannet_free(&(*sums)->z);
  gannet_free(&(*sums)->weight);
  gannet_free(&(*sums)->block);
  gannet_free(&(*sums)->sum);
  gannet_free(sums);
}

static size_t strip_size(const gannet_kernel_sums *s, size_t rows) {
  return rows * (size_t)s->by->lanes * s->by->size;
}

static gannet_err fill(gannet_kernel_sums *s, int n, const double *lifted, const double *weights) {
  const size_t inputs = (size_t)s->inputs, draws = gannet_strips_whole((size_t)s->q, ROWS);
  GANNET_TRY(gannet_alloc(s->n * inputs, s->by->size, &s->z));
  GANNET_TRY(gannet_alloc(s->n * draws, s->by->size, &s->weight));
  GANNET_TRY(gannet_alloc(strip_size(s, PIECE), 1, &s->block));
  GANNET_TRY(gannet_alloc(strip_size(s, draws), 1, &s->sum));
  const gannet_strips_source points = {lifted, inputs, 1};
  s->by->pack(n, s->inputs, &points, ROWS, s->z);
  for (int j = 0; j < s->q; j += ROWS) {
    const int width = gannet_strips_width(s->q - j), some = s->q - j < ROWS ? s->q - j : ROWS;
    const gannet_strips_source draw = {weights + (size_t)j * (size_t)n, (size_t)n, 1};
    s->by->pack(some, n, &draw, width, s->weight + (size_t)j * s->n * s->by->size);
  }
  return GANNET_OK;
}

gannet_err gannet_kernel_sums_prepare(gannet_analytic_points *points, gannet_precision precision,
                                      int q, const double *weights, gannet_kernel_sums **sums) {
  gannet_table table;
  gannet_kernel_sums_destroy(sums);
  if (!gannet_analytic_points_table(points, precision, &table)) return GANNET_OK;
  const int n = gannet_analytic_points_count(points);
  GANNET_TRY(gannet_alloc(1, sizeof **sums, sums));
  **sums = (gannet_kernel_sums){.by = gannet_strips_of(precision),
                                .kernel = table,
                                .inputs = gannet_analytic_points_inputs(points),
                                .n = gannet_strips_whole((size_t)n, ROWS),
                                .q = q};
  const gannet_err err = fill(*sums, n, gannet_analytic_points_lifted(points), weights);
  if (err != GANNET_OK) gannet_kernel_sums_destroy(sums);
  return err;
}

/* Some points of the list, with one strip. block: [rows][lanes] their kernel. */
static void add_piece(const gannet_kernel_sums *s, size_t first, int rows, const char *strip,
                      char *block) {
  const gannet_strips *by = s->by;
  by->multiply(s->inputs, rows, s->z + first * (size_t)s->inputs * by->size, strip, block);
  gannet_table_apply(&s->kernel, rows * by->lanes, block, block);
  for (int j = 0; j < s->q; j += ROWS) {
    const int width = gannet_strips_width(s->q - j);
    by->weigh(rows, width, block, s->weight + ((size_t)j * s->n + first * (size_t)width) * by->size,
              NULL, s->sum + strip_size(s, (size_t)j));
  }
}

/* As many points as have their sums in the precision. kernel: their rows of it, NULL = not wanted.
 */
static void add_stretch(const gannet_kernel_sums *s, size_t first, const char *strip, char *kernel,
                        double *values) {
  const size_t end = s->n - first < STRETCH ? s->n : first + STRETCH, q = (size_t)s->q;
  memset(s->sum, 0, strip_size(s, gannet_strips_whole(q, ROWS)));
  for (size_t at = first; at < end; at += PIECE)
    add_piece(s, at, end - at < PIECE ? (int)(end - at) : PIECE, strip,
              kernel ? kernel + strip_size(s, at) : s->block);
  s->by->add(q * (size_t)s->by->lanes, s->sum, values);
}

void gannet_kernel_sums_add(const gannet_kernel_sums *sums, int n_strips, const void *strips,
                            double *values) {
  const gannet_kernel_sums *s = sums;
  const size_t each = (size_t)s->q * (size_t)s->by->lanes;
  for (size_t first = 0; first < s->n; first += STRETCH)
    for (size_t i = 0; i < (size_t)n_strips; ++i)
      add_stretch(s, first, (const char *)strips + i * strip_size(s, (size_t)s->inputs), NULL,
                  values + i * each);
}

void gannet_kernel_sums_keep(const gannet_kernel_sums *sums, const void *strip, void *kernel,
                             double *values) {
  for (size_t first = 0; first < sums->n; first += STRETCH)
    add_stretch(sums, first, strip, kernel, values);
}

size_t gannet_kernel_sums_rows(const gannet_kernel_sums *sums) {
  return sums->n;
}

size_t gannet_kernel_sums_bytes(const gannet_kernel_sums *s) {
  if (!s) return 0;
  const size_t draws = gannet_strips_whole((size_t)s->q, ROWS);
  return sizeof *s + s->by->size * s->n * ((size_t)s->inputs + draws) +
         strip_size(s, PIECE + draws);
}
