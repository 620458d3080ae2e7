/* A factor in memory that the ranks of a node share, and how they tell each other what is made. */
#include <string.h>

#include "base/memory.h"
#include "linalg/cholesky_impl.h"

enum { B = GANNET_CHOLESKY_BLOCK };

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

void cholesky_unshare(gannet_cholesky *factor) {
  cholesky_shared *s = factor->shared;
  if (!s) return;
  for (int k = 0; k < s->n_pieces; ++k) gannet_node_unshare(s->node, &s->piece[k]);
  gannet_node_unshare(s->node, &s->work);
  gannet_free(&s->piece);
  gannet_free(&factor->shared);
}

/* There is no more memory to share: what is there becomes every rank's own. */
static gannet_err leave(gannet_cholesky *factor) {
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
    cholesky_unshare(factor);
    factor->block = block;
    block = old;
  } else {
    for (int i = 0; block && i < present; ++i) gannet_free(&block[i]);
  }
  gannet_free(&block);
  return err;
}

/* More than needed, once there is something: each piece takes a number of the system's. */
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
    if (i < n_blocks && (n_blocks - 1 - i) % s->node->n == s->node->place)
      gannet_node_touch(at, size * sizeof *at);
    factor->block[i] = at;
    at += size;
  }
  return GANNET_OK;
}

static gannet_err renew_work(cholesky_shared *s, int n_blocks, bool *given) {
  const int blocks = s->work_blocks == 0 ? n_blocks : n_blocks + n_blocks / 4;
  const size_t marks = 2 * (size_t)blocks + 1, columns = (size_t)B * (size_t)blocks;
  const size_t length = marks * sizeof *s->mark;
  gannet_node_unshare(s->node, &s->work);
  GANNET_TRY(
      gannet_node_share(s->node, length + columns * PANEL_MOST * sizeof(double), length, &s->work));
  *given = s->work != NULL;
  s->work_blocks = *given ? blocks : 0;
  s->mark = s->work;
  s->x = *given ? (double *)(s->mark + marks) : NULL;
  return GANNET_OK;
}

static gannet_err reserve_own(gannet_cholesky *factor, int n_blocks) {
  cholesky_shared *s = factor->shared;
  GANNET_TRY(cholesky_reserve(factor, n_blocks + n_blocks / 4));
  if (s->n_pieces == s->room) {
    GANNET_TRY(
        gannet_resize((size_t)s->room, 2 * (size_t)s->room + 4, sizeof *s->piece, &s->piece));
    s->room = 2 * s->room + 4;
  }
  return GANNET_OK;
}

gannet_err cholesky_share_room(gannet_cholesky *factor, int n_blocks) {
  cholesky_shared *s = factor->shared;
  bool given = true;
  if (n_blocks <= factor->n_blocks && n_blocks <= s->work_blocks) return GANNET_OK;
  GANNET_TRY(cholesky_meet(s, reserve_own(factor, n_blocks)));
  if (n_blocks > factor->n_blocks) GANNET_TRY(add_piece(factor, n_blocks, &given));
  if (given && n_blocks > s->work_blocks) GANNET_TRY(renew_work(s, n_blocks, &given));
  return given ? GANNET_OK : leave(factor);
}

gannet_err cholesky_meet(cholesky_shared *shared, gannet_err err) {
  ++shared->time;
  return gannet_node_agree(shared->node, err);
}

void cholesky_tell(cholesky_shared *shared, int mark, int step) {
  atomic_store_explicit(&shared->mark[mark].at, CHOLESKY_STEPS * shared->time + step,
                        memory_order_release);
}

bool cholesky_await(const cholesky_shared *shared, int mark, int step) {
  const int64_t begin = CHOLESKY_STEPS * shared->time;
  return gannet_node_wait(shared->node, &shared->mark[mark].at, begin + step) !=
         begin + CHOLESKY_FAILED;
}

bool cholesky_has(const cholesky_shared *shared, int mark, int step) {
  return atomic_load_explicit(&shared->mark[mark].at, memory_order_acquire) >=
         CHOLESKY_STEPS * shared->time + step;
}

void cholesky_note(cholesky_shared *shared, int number) {
  atomic_store_explicit(&shared->mark[2 * shared->work_blocks].at, number, memory_order_release);
}

int cholesky_noted(const cholesky_shared *shared) {
  return (int)atomic_load_explicit(&shared->mark[2 * shared->work_blocks].at, memory_order_acquire);
}
