/* The factor made by all ranks: each makes some block rows, and all get them. */
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "base/parts.h"
#include "linalg/cholesky_impl.h"

enum { B = GANNET_CHOLESKY_BLOCK };

_Static_assert(B == 2 * PANEL_MOST, "a block row has the place of two panels");

/* Rows of an extension to n that belong to a rank. */
typedef struct {
  MPI_Comm comm;
  int rank, np, n, first; /* first new block row */
  int *owner;             /* [block rows of n], set from first on */
  MPI_Request sending;    /* of a block row, from its owner to all */
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

/* Until its diagonal block a block row has its place as two panels of half its rows. */
static double *panel_of(const gannet_cholesky *factor, int i, int half) {
  return factor->block[i] + (ptrdiff_t)half * PANEL_MOST * cholesky_width_of(i);
}

static int rows_of_half(int count, int half) {
  const int rows = count - half * PANEL_MOST;
  return rows < PANEL_MOST ? rows : PANEL_MOST;
}

static void make_panels(gannet_cholesky *factor, int i, int count) {
  const int ld = cholesky_width_of(i);
  memcpy(factor->panel, factor->block[i], (size_t)count * (size_t)ld * sizeof *factor->panel);
  for (int half = 0; half * PANEL_MOST < count; ++half)
    panel_pack(PANEL_MOST, rows_of_half(count, half), ld,
               factor->panel + (ptrdiff_t)half * PANEL_MOST * ld, (size_t)ld,
               panel_of(factor, i, half));
}

/* Block (i, j) of new rows. */
static void make_block(gannet_cholesky *factor, int i, int j, int count) {
  for (int half = 0; half * PANEL_MOST < count; ++half)
    cholesky_solve_before(factor, j, B, PANEL_MOST, panel_of(factor, i, half));
}

/* The diagonal block, after which rows have their places as rows. */
static void end_block_row(gannet_cholesky *factor, int i, int count, int *bad) {
  const size_t length = (size_t)B * (size_t)cholesky_width_of(i);
  memcpy(factor->panel, factor->block[i], length * sizeof *factor->panel);
  *bad = -1;
  for (int half = 0; half * PANEL_MOST < count && *bad < 0; ++half)
    cholesky_end_rows(factor, i * B + half * PANEL_MOST, rows_of_half(count, half), PANEL_MOST,
                      factor->panel + (ptrdiff_t)half * PANEL_MOST * cholesky_width_of(i), bad);
}

/* The rows of K of this rank, and their blocks below the rows that are there. */
static gannet_err begin_own(gannet_cholesky *factor, sharing *s, const cholesky_source *source) {
  GANNET_TRY(open_sharing(s));
  for (int i = s->first; i < cholesky_blocks_for(s->n); ++i) {
    if (!is_own(s, i)) continue;
    GANNET_TRY(
        source->rows(source->user, i * B, count_of(s, i), factor->block[i], cholesky_width_of(i)));
    make_panels(factor, i, count_of(s, i));
    for (int j = 0; j < s->first; ++j) make_block(factor, i, j, count_of(s, i));
  }
  return GANNET_OK;
}

/* Its owner ends block row j and sends it to all, and with it, right of the diagonal of the first
 * row, where nothing is read, the row to blame. */
static gannet_err send_row(gannet_cholesky *factor, sharing *s, int j) {
  const int owner = s->owner[j], count = count_of(s, j);
  if (s->rank == owner) {
    int bad = -1;
    end_block_row(factor, j, count, &bad);
    *state_of(factor, j) = bad;
  }
  GANNET_TRY_MPI(MPI_Ibcast(factor->block[j], count * cholesky_width_of(j), MPI_DOUBLE, owner,
                            s->comm, &s->sending));
  return GANNET_OK;
}

static gannet_err receive_row(gannet_cholesky *factor, sharing *s, int j) {
  GANNET_TRY_MPI(MPI_Wait(&s->sending, MPI_STATUS_IGNORE));
  return cholesky_blame((int)*state_of(factor, j));
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
    if (is_own(s, next)) make_block(factor, next, j, count_of(s, next));
    GANNET_TRY(send_row(factor, s, next));
    for (int i = next + 1; i < end; ++i)
      if (is_own(s, i)) make_block(factor, i, j, count_of(s, i));
  }
  return GANNET_OK;
}

/* Many rows: block rows belong to ranks. */
static gannet_err extend_by_owners(gannet_cholesky *factor, MPI_Comm comm, int n,
                                   const cholesky_source *source) {
  sharing s = {.comm = comm, .n = n, .first = factor->n / B};
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &s.rank));
  GANNET_TRY_MPI(MPI_Comm_size(comm, &s.np));
  cholesky_forget_rows(factor);
  gannet_err code = gannet_agree(comm, begin_own(factor, &s, source));
  if (code == GANNET_OK) code = finish_together(factor, &s);
  gannet_free(&s.owner);
  return code;
}

gannet_err gannet_cholesky_extend_together(gannet_cholesky *factor, MPI_Comm comm, int n,
                                           gannet_kernel_rows rows, void *user) {
  const cholesky_source source = {rows, user};
  const bool many = n - factor->n >= GANNET_CHOLESKY_TOGETHER;
  int np = 1;
  if (n == factor->n) return GANNET_OK;
  GANNET_TRY_MPI(MPI_Comm_size(comm, &np));
  if (np == 1 || (!many && n < GANNET_CHOLESKY_SOLVE_TOGETHER))
    return gannet_cholesky_extend(factor, n, rows, user);
  GANNET_TRY(gannet_agree(comm, cholesky_make_room(factor, n)));
  return many ? extend_by_owners(factor, comm, n, &source)
              : cholesky_extend_rows(factor, comm, n, &source);
}
