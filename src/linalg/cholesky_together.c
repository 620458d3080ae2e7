/* The factor made by all ranks: each makes some block rows, and all get them. */
#include <stdbool.h>

#include "base/memory.h"
#include "base/parts.h"
#include "linalg/cholesky_impl.h"

enum { B = GANNET_CHOLESKY_BLOCK };

/* Rows of an extension to n that belong to a rank. */
typedef struct {
  MPI_Comm comm;
  int rank, np, n, first; /* first new block row */
  int *owner;             /* [block rows of n], set from first on */
  MPI_Request sending;    /* of a block row, from its owner to all */
  gannet_err err;         /* of this rank's last diagonal block */
} sharing;

static int count_of(const sharing *s, int i) {
  return s->n - i * B < B ? s->n - i * B : B;
}

/* A block row costs as its rows and as the square of its number: the last one first. */
static gannet_err open_sharing(sharing *s) {
  const int blocks = cholesky_blocks_for(s->n), new = blocks - s->first;
  double *cost = NULL;
  GANNET_TRY(gannet_alloc((size_t)blocks, sizeof *s->owner, &s->owner));
  GANNET_TRY(gannet_alloc((size_t) new, sizeof *cost, &cost));
  for (int k = 0; k < new; ++k) {
    const double width = blocks - k;
    cost[k] = width * width * count_of(s, blocks - 1 - k);
  }
  const gannet_err code = gannet_parts_share(new, cost, s->np, s->owner + s->first);
  for (int i = s->first, j = blocks - 1; i < j; ++i, --j) {
    const int swap = s->owner[i];
    s->owner[i] = s->owner[j];
    s->owner[j] = swap;
  }
  gannet_free(&cost);
  return code;
}

static bool is_own(const sharing *s, int i) {
  return s->owner[i] == s->rank;
}

static double *state_of(const gannet_cholesky *factor, int j) {
  return factor->block[j] + (ptrdiff_t)j * B + 1;
}

/* Make room, the rows of K of this rank, and their blocks below the rows that are there. */
static gannet_err begin_own(gannet_cholesky *factor, sharing *s, gannet_kernel_rows rows,
                            void *user) {
  GANNET_TRY(cholesky_make_room(factor, s->n));
  GANNET_TRY(open_sharing(s));
  for (int i = s->first; i < cholesky_blocks_for(s->n); ++i) {
    if (!is_own(s, i)) continue;
    GANNET_TRY(rows(user, i * B, count_of(s, i), factor->block[i], cholesky_width_of(i)));
    for (int j = 0; j < s->first; ++j) cholesky_make_block(factor, i, j, 0, count_of(s, i));
  }
  return GANNET_OK;
}

/* Its owner ends block row j and sends it to all, and with it, right of the diagonal of the first
 * row, where nothing is read, the error and the row to blame. */
static gannet_err send_row(gannet_cholesky *factor, sharing *s, int j) {
  const int owner = s->owner[j], count = count_of(s, j);
  double *state = state_of(factor, j);
  if (s->rank == owner) {
    int bad = -1;
    s->err = cholesky_make_diagonal(factor, j, count, &bad);
    state[0] = (double)s->err;
    state[1] = bad;
  }
  GANNET_TRY_MPI(MPI_Ibcast(factor->block[j], count * cholesky_width_of(j), MPI_DOUBLE, owner,
                            s->comm, &s->sending));
  return GANNET_OK;
}

static gannet_err receive_row(gannet_cholesky *factor, sharing *s, int j) {
  const double *state = state_of(factor, j);
  GANNET_TRY_MPI(MPI_Wait(&s->sending, MPI_STATUS_IGNORE));
  if (state[0] != GANNET_OK) return gannet_agree(s->comm, s->err);
  return cholesky_blame((int)state[1]);
}

/* A block row is ended and on its way before the ones after the next take what the last one gives
 * them: nobody waits for it. */
static gannet_err finish_together(gannet_cholesky *factor, sharing *s) {
  const int end = cholesky_blocks_for(s->n);
  factor->n = s->first * B;
  GANNET_TRY(send_row(factor, s, s->first));
  for (int j = s->first; j < end; ++j) {
    const int next = j + 1;
    GANNET_TRY(receive_row(factor, s, j));
    factor->n = j * B + count_of(s, j);
    if (next == end) break;
    if (is_own(s, next)) cholesky_make_block(factor, next, j, 0, count_of(s, next));
    GANNET_TRY(send_row(factor, s, next));
    for (int i = next + 1; i < end; ++i)
      if (is_own(s, i)) cholesky_make_block(factor, i, j, 0, count_of(s, i));
  }
  return GANNET_OK;
}

gannet_err gannet_cholesky_extend_together(gannet_cholesky *factor, MPI_Comm comm, int n,
                                           gannet_kernel_rows rows, void *user) {
  sharing s = {.comm = comm, .n = n, .first = factor->n / B};
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &s.rank));
  GANNET_TRY_MPI(MPI_Comm_size(comm, &s.np));
  if (n == factor->n) return GANNET_OK;
  cholesky_forget_rows(factor);
  gannet_err code = gannet_agree(comm, begin_own(factor, &s, rows, user));
  if (code == GANNET_OK) code = finish_together(factor, &s);
  gannet_free(&s.owner);
  return code;
}
