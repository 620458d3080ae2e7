#include "linalg/cholesky.h"

#include <math.h>

#include "base/memory.h"
#include "base/registers.h"
#include "linalg/cholesky_impl.h"

enum { B = GANNET_CHOLESKY_BLOCK };

static int blocks_for(int n) {
  return cholesky_blocks_for(n);
}

static int width_of(int i) {
  return cholesky_width_of(i);
}

gannet_err gannet_cholesky_create(gannet_cholesky **factor) {
  GANNET_TRY(gannet_alloc(1, sizeof **factor, factor));
  (*factor)->ways = panel_ways_for(gannet_register_bytes());
  return GANNET_OK;
}

void gannet_cholesky_destroy(gannet_cholesky **factor) {
  if (!*factor) return;
  const bool own = !(*factor)->shared;
  cholesky_unshare(*factor);
  for (int i = 0; own && i < (*factor)->n_blocks; ++i) gannet_free(&(*factor)->block[i]);
  gannet_free(&(*factor)->block);
  gannet_free(&(*factor)->growing.kernel);
  gannet_free(&(*factor)->growing.next);
  gannet_free(&(*factor)->panel);
  gannet_free(factor);
}

void gannet_cholesky_clear(gannet_cholesky *factor) {
  factor->n = 0;
}

void gannet_cholesky_truncate(gannet_cholesky *factor, int n) {
  if (n < factor->n) factor->n = n / B * B;
}

int gannet_cholesky_size(const gannet_cholesky *factor) {
  return factor->n;
}

const double *gannet_cholesky_row(const gannet_cholesky *factor, int i, size_t *step) {
  *step = (size_t)width_of(i / B);
  return factor->block[i / B] + (size_t)(i % B) * *step;
}

/* Blocks are small enough to be granted one by one until the system ends the process. */
static gannet_err check_memory(int n) {
  const double needed = 4.0 * n * n;
  double present = 0;
  GANNET_REQUIRE(gannet_memory_holds(needed, &present), GANNET_ERR_MEMORY,
                 "the factor of a matrix of %d observations takes %.1f GB, and this machine has "
                 "%.1f GB: choose a surrogate with inducing points (tangent-kernel, gp), or one "
                 "that keeps no such matrix (forest, linear-head)",
                 n, needed / 1e9, present / 1e9);
  return GANNET_OK;
}

gannet_err cholesky_reserve(gannet_cholesky *factor, int n_blocks) {
  const size_t needed = PANEL_MOST * (size_t)B * (size_t)n_blocks;
  if (n_blocks > factor->capacity) {
    const int larger = 2 * n_blocks;
    GANNET_TRY(gannet_resize((size_t)factor->capacity, (size_t)larger, sizeof *factor->block,
                             &factor->block));
    factor->capacity = larger;
  }
  if (factor->panel_length < needed) {
    gannet_free(&factor->panel);
    factor->panel_length = 0;
    GANNET_TRY(gannet_alloc(needed + needed / 4, sizeof *factor->panel, &factor->panel));
    factor->panel_length = needed + needed / 4;
  }
  return GANNET_OK;
}

static gannet_err make_own_room(gannet_cholesky *factor, int n_blocks) {
  GANNET_TRY(cholesky_reserve(factor, n_blocks));
  for (; factor->n_blocks < n_blocks; ++factor->n_blocks) {
    const size_t length = (size_t)B * (size_t)width_of(factor->n_blocks);
    GANNET_TRY(gannet_alloc(length, sizeof(double), &factor->block[factor->n_blocks]));
  }
  return GANNET_OK;
}

gannet_err cholesky_blame(int row) {
  GANNET_REQUIRE(row < 0, GANNET_ERR_NUMERIC, "kernel matrix not positive definite at row %d", row);
  return GANNET_OK;
}

static gannet_err check_rows(const gannet_cholesky *factor, int n) {
  GANNET_REQUIRE(n >= factor->n, GANNET_ERR_SHAPE, "n = %d is below the present %d rows", n,
                 factor->n);
  return check_memory(n);
}

gannet_err cholesky_make_room(gannet_cholesky *factor, int n) {
  const gannet_err err = check_rows(factor, n);
  if (!factor->shared) GANNET_TRY(err);
  if (factor->shared) GANNET_TRY(cholesky_meet(factor->shared, err));
  if (factor->shared) GANNET_TRY(cholesky_share_room(factor, blocks_for(n)));
  return factor->shared ? GANNET_OK : make_own_room(factor, blocks_for(n));
}

/* Some rows of block row i, of which K is in their place. */
static gannet_err make_rows(gannet_cholesky *factor, int i, int from, int count) {
  const int lanes = panel_lanes(count), columns = i * B + from + count;
  const size_t ld = (size_t)width_of(i);
  double *x = factor->panel;
  int bad = -1;
  factor->ways->pack(lanes, count, columns, factor->block[i] + (size_t)from * ld, ld, x);
  for (int k = 0; k < i; ++k) cholesky_solve_before(factor, k, B, lanes, x);
  cholesky_end_rows(factor, i * B + from, count, lanes, x, &bad);
  return cholesky_blame(bad);
}

/* A row of L depends on the rows of K up to it alone, whatever others are made with it: this is
 * what makes the factor independent of how it grew. */
static gannet_err make_block_row(gannet_cholesky *factor, int i, int rows,
                                 const cholesky_source *source) {
  int from = 0;
  GANNET_TRY(cholesky_take_rows(factor, i, rows, source, &from));
  for (; from < rows; from += PANEL_MOST)
    GANNET_TRY(make_rows(factor, i, from, rows - from < PANEL_MOST ? rows - from : PANEL_MOST));
  cholesky_know_rows(factor, i, rows);
  return GANNET_OK;
}

gannet_err gannet_cholesky_extend(gannet_cholesky *factor, int n, gannet_kernel_rows rows,
                                  void *user) {
  const cholesky_source source = {rows, user};
  if (factor->shared) return cholesky_extend_together(factor, n, &source);
  if (n == factor->n) return GANNET_OK;
  GANNET_TRY(cholesky_make_room(factor, n));
  const int first = factor->n / B;
  factor->n = first * B;
  for (int i = first; i < blocks_for(n); ++i) {
    const int count = n - i * B < B ? n - i * B : B;
    GANNET_TRY(make_block_row(factor, i, count, &source));
    factor->n = i * B + count;
  }
  return GANNET_OK;
}

double gannet_cholesky_logdet(const gannet_cholesky *factor) {
  double sum = 0;
  for (int i = 0; i < blocks_for(factor->n); ++i)
    for (int r = 0; r < cholesky_rows_in(factor, i); ++r)
      sum += log(factor->block[i][(size_t)r * (size_t)width_of(i) + (size_t)(i * B + r)]);
  return 2 * sum;
}

int gannet_cholesky_blocks(const gannet_cholesky *factor) {
  return blocks_for(factor->n);
}

size_t gannet_cholesky_bytes(const gannet_cholesky *factor) {
  const size_t ranks = factor->shared ? (size_t)factor->shared->node->n : 1;
  size_t numbers = 0;
  for (int i = 0; i < factor->n_blocks; ++i) numbers += (size_t)B * (size_t)width_of(i);
  return sizeof *factor + (size_t)factor->capacity * sizeof *factor->block +
         (numbers / ranks + 2 * factor->growing.length + factor->panel_length) * sizeof(double);
}
