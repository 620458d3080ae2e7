/* The part of a rank in a solve by the ranks of a node.
 *
 * Blocks of the solution are made one after the other, forward from the first, backward from the
 * last; each takes what those before it give, in their order. The first rank makes all of them, and
 * takes what the last few before a block give; the others take what the rest give, each for some
 * blocks. Far from the end they have much ahead of them that the first rank needs late: so nobody
 * waits for an answer to what was just told. Blocks that the first rank takes for block i of n are
 * i, or (a - 1) (n - i) where that is less, with a = p / (p - 1) for p ranks, which is the p-th
 * part of all; fewer, as it solves for the blocks besides. */
#include "linalg/cholesky_impl.h"

enum { B = GANNET_CHOLESKY_BLOCK, RANKS = GANNET_CHOLESKY_RANKS };

int cholesky_solvers(const gannet_cholesky *factor, int n) {
  const int np = factor->shared ? factor->shared->node->n : 1;
  return n < GANNET_CHOLESKY_SOLVE_TOGETHER ? 1 : np < RANKS ? np : RANKS;
}

typedef struct {
  int m;
  const double *rows; /* [m][ld]; NULL = x has them */
  size_t ld;
} right_sides;

/* One direction of a solve with some leading block rows. */
typedef struct {
  gannet_cholesky *factor;
  cholesky_shared *shared;
  bool backward;
  int blocks, lanes;
  right_sides b;
  int others;   /* ranks but the first that take part */
  int place;    /* 0 = the first; beyond the others: none */
  double slope; /* a - 1 */
} pass;

/* Solving for a block takes as long as that many take what another one gives. */
static const double solving = 1.3;

/* Of all that is to be taken, the part of the first rank: (a - 1) / a. */
static double slope_for(int np, int blocks) {
  const double part = 1.0 / np - 2 * solving * (1 - 1.0 / np) / blocks;
  return part > 0 ? part / (1 - part) : 0;
}

static pass begin(gannet_cholesky *factor, int blocks, int lanes, bool backward) {
  const int np = cholesky_solvers(factor, blocks * B);
  return (pass){.factor = factor,
                .shared = factor->shared,
                .backward = backward,
                .blocks = blocks,
                .lanes = lanes,
                .others = np - 1,
                .place = factor->shared->node->place,
                .slope = np > 1 ? slope_for(np, blocks) : 0};
}

/* Blocks are numbered as they are made. Those before this one are taken by others for block i. */
static int first_own(const pass *p, int i) {
  if (p->others == 0) return 0;
  const int share = (int)(p->slope * (p->blocks - i)), own = share > 1 ? share : 1;
  return own < i ? i - own : 0;
}

static int block_of(const pass *p, int i) {
  return p->backward ? p->blocks - 1 - i : i;
}

static double *x_of(const pass *p, int i) {
  return p->shared->x + (ptrdiff_t)block_of(p, i) * B * p->lanes;
}

static int made(const pass *p) {
  return p->backward ? CHOLESKY_BACKWARD : CHOLESKY_FORWARD;
}

/* That the others have taken theirs for block i is told by a mark beyond those of the blocks. */
static int taken(const pass *p, int i) {
  return p->shared->work_blocks + block_of(p, i);
}

static void fill(const pass *p, int i) {
  if (p->b.rows)
    p->factor->ways->pack(p->lanes, p->b.m, cholesky_rows_in(p->factor, i),
                          p->b.rows + (ptrdiff_t)i * B, p->b.ld, x_of(p, i));
}

/* What blocks from .. end-1 give for block i. */
static void take(const pass *p, int i, int from, int end) {
  const gannet_cholesky *f = p->factor;
  if (p->backward) {
    for (int j = from; j < end; ++j)
      cholesky_give(f, block_of(p, j), block_of(p, i) * B, B, p->lanes, p->shared->x);
    return;
  }
  f->ways->take_before(p->lanes, cholesky_rows_in(f, i), (end - from) * B,
                       f->block[i] + (ptrdiff_t)from * B, (size_t)cholesky_width_of(i),
                       x_of(p, from), x_of(p, i));
}

static void solve(const pass *p, int i) {
  const gannet_cholesky *f = p->factor;
  const int k = block_of(p, i);
  if (p->backward)
    cholesky_solve_corner(f, k, p->lanes, p->shared->x);
  else
    f->ways->solve(p->lanes, cholesky_rows_in(f, k), f->block[k] + (ptrdiff_t)k * B,
                   (size_t)cholesky_width_of(k), x_of(p, k));
}

static void make_blocks(const pass *p) {
  for (int i = 0; i < p->blocks; ++i) {
    const int from = first_own(p, i);
    if (from == 0)
      fill(p, i);
    else
      (void)cholesky_await(p->shared, taken(p, i), made(p));
    if (from < i) take(p, i, from, i);
    solve(p, i);
    cholesky_tell(p->shared, block_of(p, i), made(p));
  }
}

/* Blocks that are made, from one on that is waited for, at most so many. */
static int made_from(const pass *p, int first, int most) {
  const int last = p->blocks < first + most ? p->blocks : first + most;
  int end = first + 1;
  (void)cholesky_await(p->shared, block_of(p, first), made(p));
  while (end < last && cholesky_has(p->shared, block_of(p, end), made(p))) ++end;
  return end;
}

/* Everything that blocks give, soon after they are made. */
static void help(const pass *p) {
  enum { MOST = 8 };
  int i = 0, end = 0;
  for (int j = 0; j < p->blocks; j = end) {
    while (i < p->blocks && first_own(p, i) <= j) ++i;
    if (i == p->blocks) return;
    end = made_from(p, j, MOST);
    for (int k = i; k < p->blocks; ++k) {
      const int own = first_own(p, k), most = end < own ? end : own;
      if (k % p->others != p->place - 1) continue;
      if (j == 0) fill(p, k);
      take(p, k, j, most);
      if (most == own) cholesky_tell(p->shared, taken(p, k), made(p));
    }
  }
}

static void do_part(const pass *p) {
  if (p->place == 0)
    make_blocks(p);
  else if (p->place <= p->others)
    help(p);
}

void cholesky_forward_part(gannet_cholesky *factor, int n_blocks, int m, int lanes,
                           const double *rows, size_t ld) {
  pass p = begin(factor, n_blocks, lanes, false);
  p.b = (right_sides){m, rows, ld};
  do_part(&p);
}

void cholesky_backward_part(gannet_cholesky *factor, int lanes) {
  const pass p = begin(factor, cholesky_blocks_for(factor->n), lanes, true);
  do_part(&p);
}
