#include "network/kernel_sums.h"

#include <string.h>

#include "base/memory.h"
#include "network/strips.h"

enum {
  ROWS = GANNET_STRIP_ROWS,
  LANES = GANNET_STRIP_LANES,
  PIECE = 32,   /* points of the list that are worked at once; they stay in the first cache */
  STRETCH = 512 /* points whose sums are added first; they stay in the second cache */
};

struct gannet_kernel_sums {
  const gannet_strips *by;
  gannet_sums_kind kind;
  gannet_table table;
  int inputs, q;
  int functions;  /* 1, or 2 of waves */
  size_t n;       /* points in whole rows; the weights of points beyond the list are zero */
  double *z;      /* [n/8][inputs][8] */
  double *weight; /* of every function, for every eight draws: [n][width] */
  double *block;  /* [functions][PIECE][lanes] */
  double *sum;    /* [q, whole][lanes] */
};

void gannet_kernel_sums_destroy(gannet_kernel_sums **sums) {
  if (!*sums) return;
  gannet_free(&(*sums)->z);
  gannet_free(&(*sums)->weight);
  gannet_free(&(*sums)->block);
  gannet_free(&(*sums)->sum);
  gannet_free(sums);
}

/* Weights of a function for eight draws, the first of which is given. */
static double *weights_of(const gannet_kernel_sums *s, int function, int draw) {
  const size_t draws = gannet_strips_whole((size_t)s->q, ROWS);
  return s->weight + ((size_t)function * draws + (size_t)draw) * s->n;
}

static gannet_err pack_list(gannet_kernel_sums *s, const gannet_sums_list *list,
                            const double *weights) {
  const size_t inputs = (size_t)s->inputs, draws = gannet_strips_whole((size_t)s->q, ROWS);
  const size_t n = (size_t)list->n, functions = (size_t)s->functions;
  GANNET_TRY(gannet_alloc(s->n * inputs, sizeof *s->z, &s->z));
  GANNET_TRY(gannet_alloc(s->n * draws * functions, sizeof *s->weight, &s->weight));
  GANNET_TRY(gannet_alloc(LANES * (PIECE * functions), sizeof *s->block, &s->block));
  GANNET_TRY(gannet_alloc(LANES * draws, sizeof *s->sum, &s->sum));
  const gannet_strips_source points = {list->z, inputs, 1};
  gannet_strips_pack(list->n, s->inputs, &points, ROWS, s->z);
  for (int f = 0; f < s->functions; ++f)
    for (int j = 0; j < s->q; j += ROWS) {
      const int width = gannet_strips_width(s->q - j), some = s->q - j < ROWS ? s->q - j : ROWS;
      const gannet_strips_source draw = {weights + ((size_t)j * functions + (size_t)f) * n,
                                         functions * n, 1};
      gannet_strips_pack(some, list->n, &draw, width, weights_of(s, f, j));
    }
  return GANNET_OK;
}

gannet_err gannet_kernel_sums_prepare(const gannet_sums_list *list, int q, const double *weights,
                                      gannet_kernel_sums **sums) {
  gannet_kernel_sums_destroy(sums);
  GANNET_TRY(gannet_alloc(1, sizeof **sums, sums));
  **sums = (gannet_kernel_sums){.by = gannet_strips_here(),
                                .kind = list->kind,
                                .inputs = list->inputs,
                                .functions = list->kind == GANNET_SUMS_OF_WAVES ? 2 : 1,
                                .n = gannet_strips_whole((size_t)list->n, ROWS),
                                .q = q};
  if (list->table) (*sums)->table = *list->table;
  const gannet_err err = pack_list(*sums, list, weights);
  if (err != GANNET_OK) gannet_kernel_sums_destroy(sums);
  return err;
}

/* Evaluate the functions between some points of the list and one strip, into block. */
static void make_block(const gannet_kernel_sums *s, size_t first, int rows, const double *strip,
                       double *block) {
  const gannet_strips *by = s->by;
  const double *z = s->z + first * (size_t)s->inputs;
  const bool squares = s->kind == GANNET_SUMS_OF_SQUARE || s->kind == GANNET_SUMS_OF_DISTANCE;
  (squares ? by->distances : by->multiply)(s->inputs, rows, z, strip, block);
  if (s->kind == GANNET_SUMS_OF_DISTANCE) by->root(rows, block);
  if (s->kind == GANNET_SUMS_OF_WAVES)
    by->waves(rows, block, block + LANES * (size_t)rows);
  else
    gannet_table_apply(&s->table, rows * LANES, block, block);
}

/* Add what some points of the list give to one strip. block: [functions][rows][lanes] scratch. */
static void add_piece(const gannet_kernel_sums *s, size_t first, int rows, const double *strip,
                      double *block) {
  make_block(s, first, rows, strip, block);
  for (int f = 0; f < s->functions; ++f)
    for (int j = 0; j < s->q; j += ROWS) {
      const int width = gannet_strips_width(s->q - j);
      s->by->weigh(rows, width, block + (size_t)f * LANES * (size_t)rows,
                   weights_of(s, f, j) + first * (size_t)width, NULL, s->sum + LANES * (size_t)j);
    }
}

/* Add a stretch of the list to values. kernel: the values of f, NULL = not wanted. */
static void add_stretch(const gannet_kernel_sums *s, size_t first, const double *strip,
                        double *kernel, double *values) {
  const size_t end = s->n - first < STRETCH ? s->n : first + STRETCH, q = (size_t)s->q;
  memset(s->sum, 0, LANES * gannet_strips_whole(q, ROWS) * sizeof *s->sum);
  for (size_t at = first; at < end; at += PIECE)
    add_piece(s, at, end - at < PIECE ? (int)(end - at) : PIECE, strip,
              kernel ? kernel + LANES * at : s->block);
  gannet_strips_add(q * LANES, s->sum, values);
}

void gannet_kernel_sums_add(const gannet_kernel_sums *sums, int n_strips, const double *strips,
                            double *values) {
  const gannet_kernel_sums *s = sums;
  const size_t each = (size_t)s->q * LANES;
  for (size_t first = 0; first < s->n; first += STRETCH)
    for (size_t i = 0; i < (size_t)n_strips; ++i)
      add_stretch(s, first, strips + i * LANES * (size_t)s->inputs, NULL, values + i * each);
}

void gannet_kernel_sums_keep(const gannet_kernel_sums *sums, const double *strip, double *kernel,
                             double *values) {
  for (size_t first = 0; first < sums->n; first += STRETCH)
    add_stretch(sums, first, strip, kernel, values);
}

size_t gannet_kernel_sums_rows(const gannet_kernel_sums *sums) {
  return sums->n;
}
