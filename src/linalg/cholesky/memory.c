/* Factors and their memory: that of one rank, or that which the ranks of a node share, with the
 * counters by which they tell each other what is made. */
#include <string.h>

#include "base/memory.h"
#include "base/registers.h"
#include "linalg/cholesky/factor.h"

enum { B = GANNET_CHOLESKY_BLOCK };

gannet_err gannet_cholesky_create(gannet_cholesky **factor) {
  GANNET_TRY(gannet_alloc(1, sizeof **factor, factor));
  (*factor)->kernels = panel_dispatch(gannet_register_bytes());
  return GANNET_OK;
}

gannet_err gannet_cholesky_create_shared(const gannet_node *node, gannet_cholesky **factor) {
  gannet_cholesky *made = NULL;
  const bool alone = !node || node->n == 1;
  gannet_err err = gannet_cholesky_create(&made);
  if (err == GANNET_OK && !alone) err = gannet_alloc(1, sizeof *made->shared, &made->shared);
  if (!alone) err = gannet_agree(node->comm, err);
  if (err == GANNET_OK && !alone) made->shared->node = node;
  if (err != GANNET_OK) gannet_cholesky_destroy(&made);
  *factor = made;
  return err;
}

static void free_shared_memory(gannet_cholesky *factor) {
  cholesky_shared *s = factor->shared;
  if (!s) return;
  for (int k = 0; k < s->n_pieces; ++k) gannet_node_unshare(s->node, &s->piece[k]);
  gannet_node_unshare(s->node, &s->work);
  gannet_free(&s->piece);
  gannet_free(&factor->shared);
}

void gannet_cholesky_destroy(gannet_cholesky **factor) {
  if (!*factor) return;
  const bool own = !(*factor)->shared;
  free_shared_memory(*factor);
  for (int i = 0; own && i < (*factor)->n_blocks; ++i) gannet_free(&(*factor)->block[i]);
  gannet_free(&(*factor)->block);
  gannet_free(&(*factor)->kept.kernel);
  gannet_free(&(*factor)->kept.next);
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

int gannet_cholesky_blocks(const gannet_cholesky *factor) {
  return cholesky_blocks_for(factor->n);
}

const double *gannet_cholesky_row(const gannet_cholesky *factor, int i, size_t *step) {
  *step = (size_t)cholesky_width_of(i / B);
  return factor->block[i / B] + (size_t)(i % B) * *step;
}

size_t gannet_cholesky_bytes(const gannet_cholesky *factor) {
  const size_t ranks = factor->shared ? (size_t)factor->shared->node->n : 1;
  size_t numbers = 0;
  for (int i = 0; i < factor->n_blocks; ++i) numbers += (size_t)B * (size_t)cholesky_width_of(i);
  return sizeof *factor + (size_t)factor->capacity * sizeof *factor->block +
         (numbers / ranks + 2 * factor->kept.length + factor->panel_length) * sizeof(double);
}

/* Block rows are small enough to be granted one by one until the system ends the process: ask for
 * the whole before. */
static gannet_err check_size(const gannet_cholesky *factor, int n) {
  const double needed = 4.0 * n * n;
  double present = 0;
  GANNET_REQUIRE(n >= factor->n, GANNET_ERR_SHAPE, "n = %d is below the present %d rows", n,
                 factor->n);
  GANNET_REQUIRE(gannet_memory_holds(needed, &present), GANNET_ERR_MEMORY,
                 "the factor of a matrix of %d observations takes %.1f GB, and this machine has "
                 "%.1f GB: choose a surrogate with inducing points (tangent-kernel, gp), or one "
                 "that keeps no such matrix (forest, linear-head)",
                 n, needed / 1e9, present / 1e9);
  return GANNET_OK;
}

/* The arrays that every rank has of its own, for so many block rows. */
static gannet_err reserve_arrays(gannet_cholesky *factor, int n_blocks) {
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

static gannet_err reserve_own(gannet_cholesky *factor, int n_blocks) {
  GANNET_TRY(reserve_arrays(factor, n_blocks));
  for (; factor->n_blocks < n_blocks; ++factor->n_blocks) {
    const size_t length = (size_t)B * (size_t)cholesky_width_of(factor->n_blocks);
    GANNET_TRY(gannet_alloc(length, sizeof(double), &factor->block[factor->n_blocks]));
  }
  return GANNET_OK;
}

/* There is no more memory to share: every rank copies the block rows into memory of its own. */
static gannet_err detach_from_node(gannet_cholesky *factor) {
  const MPI_Comm comm = factor->shared->node->comm;
  const int present = factor->n_blocks;
  double **block = NULL;
  gannet_err err = gannet_alloc((size_t)factor->capacity, sizeof *block, &block);
  for (int i = 0; i < present && err == GANNET_OK; ++i) {
    const size_t length = (size_t)B * (size_t)cholesky_width_of(i);
    err = gannet_alloc(length, sizeof(double), &block[i]);
    if (err == GANNET_OK) memcpy(block[i], factor->block[i], length * sizeof(double));
  }
  err = gannet_agree(comm, err);
  double **old = factor->block;
  if (err == GANNET_OK) {
    free_shared_memory(factor);
    factor->block = block;
    block = old;
  } else {
    for (int i = 0; block && i < present; ++i) gannet_free(&block[i]);
  }
  gannet_free(&block);
  return err;
}

/* Shared memory for more block rows. A factor that grows gets a quarter more than it needs, as the
 * system has few numbers for pieces. */
static gannet_err add_piece(gannet_cholesky *factor, int n_blocks, bool *given) {
  cholesky_shared *s = factor->shared;
  const int from = factor->n_blocks, end = from == 0 ? n_blocks : n_blocks + n_blocks / 4;
  size_t length = 0;
  void *memory = NULL;
  for (int i = from; i < end; ++i) length += (size_t)B * (size_t)cholesky_width_of(i);
  GANNET_TRY(gannet_node_share(s->node, length * sizeof(double), 0, &memory));
  *given = memory != NULL;
  if (!memory) return GANNET_OK;
  s->piece[s->n_pieces++] = memory;
  for (double *at = memory; factor->n_blocks < end; ++factor->n_blocks) {
    const int i = factor->n_blocks;
    const size_t size = (size_t)B * (size_t)cholesky_width_of(i);
    if (i < n_blocks && (n_blocks - 1 - i) % s->node->n == s->node->node_rank)
      gannet_node_touch(at, size * sizeof *at);
    factor->block[i] = at;
    at += size;
  }
  return GANNET_OK;
}

static gannet_err renew_work(cholesky_shared *s, int n_blocks, bool *given) {
  const int blocks = s->work_blocks == 0 ? n_blocks : n_blocks + n_blocks / 4;
  const size_t counters = 2 * (size_t)blocks + 1, columns = (size_t)B * (size_t)blocks;
  const size_t length = counters * sizeof *s->counter;
  gannet_node_unshare(s->node, &s->work);
  GANNET_TRY(
      gannet_node_share(s->node, length + columns * PANEL_MOST * sizeof(double), length, &s->work));
  *given = s->work != NULL;
  s->work_blocks = *given ? blocks : 0;
  s->counter = s->work;
  s->x = *given ? (double *)(s->counter + counters) : NULL;
  return GANNET_OK;
}

static gannet_err reserve_arrays_of_shared(gannet_cholesky *factor, int n_blocks) {
  cholesky_shared *s = factor->shared;
  GANNET_TRY(reserve_arrays(factor, n_blocks + n_blocks / 4));
  if (s->n_pieces == s->piece_capacity) {
    const size_t old = (size_t)s->piece_capacity;
    GANNET_TRY(gannet_resize(old, 2 * old + 4, sizeof *s->piece, &s->piece));
    s->piece_capacity = (int)(2 * old + 4);
  }
  return GANNET_OK;
}

gannet_err cholesky_reserve(gannet_cholesky *factor, int n) {
  const int n_blocks = cholesky_blocks_for(n);
  const gannet_err err = check_size(factor, n);
  cholesky_shared *s = factor->shared;
  bool given = true;
  if (!s) GANNET_TRY(err);
  if (!s) return reserve_own(factor, n_blocks);
  GANNET_TRY(cholesky_begin_joint(s, err));
  if (n_blocks > factor->n_blocks || n_blocks > s->work_blocks) {
    GANNET_TRY(cholesky_begin_joint(s, reserve_arrays_of_shared(factor, n_blocks)));
    if (n_blocks > factor->n_blocks) GANNET_TRY(add_piece(factor, n_blocks, &given));
    if (given && n_blocks > s->work_blocks) GANNET_TRY(renew_work(s, n_blocks, &given));
    if (!given) GANNET_TRY(detach_from_node(factor));
  }
  return factor->shared ? GANNET_OK : reserve_own(factor, n_blocks);
}

gannet_err cholesky_begin_joint(cholesky_shared *shared, gannet_err err) {
  ++shared->epoch;
  return gannet_node_agree(shared->node, err);
}

void cholesky_publish(cholesky_shared *shared, int counter, int step) {
  atomic_store_explicit(&shared->counter[counter].at, CHOLESKY_STEPS * shared->epoch + step,
                        memory_order_release);
}

bool cholesky_await(const cholesky_shared *shared, int counter, int step) {
  const int64_t begin = CHOLESKY_STEPS * shared->epoch;
  return gannet_node_wait(shared->node, &shared->counter[counter].at, begin + step) !=
         begin + CHOLESKY_FAILED;
}

bool cholesky_has(const cholesky_shared *shared, int counter, int step) {
  return atomic_load_explicit(&shared->counter[counter].at, memory_order_acquire) >=
         CHOLESKY_STEPS * shared->epoch + step;
}

void cholesky_publish_bad_row(cholesky_shared *shared, int row) {
  atomic_store_explicit(&shared->counter[2 * shared->work_blocks].at, row, memory_order_release);
}

int cholesky_bad_row(const cholesky_shared *shared) {
  return (int)atomic_load_explicit(&shared->counter[2 * shared->work_blocks].at,
                                   memory_order_acquire);
}
