/* New rows of a factor: by one rank, or by the ranks of a node.
 *
 * A row of L depends on the rows of K up to it alone, whatever other rows are made with it. That is
 * what makes the factor independent of how it grew.
 *
 * By one rank, block rows are made one after the other, and their rows by panels: subtract_product
 * and solve for the columns left of the diagonal block, factorise for the rest. The ranks of a node
 * have two ways. For many new rows, every rank makes whole panels, each following the one before as
 * closely as it can. For few new rows, the ranks share the forward sweep (cholesky/solve.c) that
 * makes the columns left of the diagonal block, and the first rank makes the rest.
 *
 * Rows of K of an incomplete last block row are kept: when they are given again unchanged, the rows
 * of L that were made from them stand.
 */
#include <string.h>

#include "base/memory.h"
#include "linalg/cholesky/factor.h"

enum {
  B = GANNET_CHOLESKY_BLOCK,
  PANEL = PANEL_MOST,
  SLACK = 4 /* blocks by which the arrays of kept rows are longer than they must be */
};

_Static_assert(B == 2 * PANEL, "a block row has two panels of rows");

/* Rows of K. */

/* Ask for rows of K of one block row. They lie in kept.next, with the step of the block row. */
static gannet_err fetch_kernel_rows(gannet_cholesky *factor, int first, int rows,
                                    const cholesky_source *source) {
  cholesky_kept_rows *kept = &factor->kept;
  const int width = cholesky_width_of(first / B);
  const size_t length = (size_t)B * (size_t)width;
  if (length > kept->length) {
    const size_t longer = length + (size_t)B * SLACK * B;
    GANNET_TRY(gannet_resize(kept->length, longer, sizeof *kept->next, &kept->next));
    GANNET_TRY(gannet_resize(kept->length, longer, sizeof *kept->kernel, &kept->kernel));
    kept->length = longer;
  }
  return source->rows(source->user, first, rows, kept->next, width);
}

/* Leading rows of block row i of which K is what it was. It may differ, because the values of a
 * kernel may depend on how many rows are made at once. */
static int count_unchanged_rows(const cholesky_kept_rows *kept, int i, int rows) {
  const size_t ld = (size_t)cholesky_width_of(i);
  const int most = rows < kept->rows ? rows : kept->rows;
  int same = 0;
  while (same < most && memcmp(kept->kernel + (size_t)same * ld, kept->next + (size_t)same * ld,
                               (size_t)(i * B + same + 1) * sizeof(double)) == 0)
    ++same;
  return same;
}

/* Put rows of K where block row i of L is to be made, but for rows of L that stand.
 *
 * from  out  first row that is to be made
 */
static gannet_err put_kernel_rows(gannet_cholesky *factor, int i, int rows,
                                  const cholesky_source *source, int *from) {
  cholesky_kept_rows *kept = &factor->kept;
  const int ld = cholesky_width_of(i);
  const bool known = kept->block == i + 1;
  kept->block = 0; /* until this block row is made; later ones change with it */
  *from = 0;
  if (rows == B && !known) return source->rows(source->user, i * B, rows, factor->block[i], ld);
  GANNET_TRY(fetch_kernel_rows(factor, i * B, rows, source));
  if (known) *from = count_unchanged_rows(kept, i, rows);
  for (int r = *from; r < rows; ++r)
    memcpy(factor->block[i] + (size_t)r * (size_t)ld, kept->next + (size_t)r * (size_t)ld,
           (size_t)(i * B + r + 1) * sizeof(double));
  double *swap = kept->kernel;
  kept->kernel = kept->next;
  kept->next = swap;
  return GANNET_OK;
}

/* Block row i is made of the rows of K that were put last: they are kept if it is incomplete. */
static void keep_kernel_rows(gannet_cholesky *factor, int i, int rows) {
  if (rows == B) return;
  factor->kept.block = i + 1;
  factor->kept.rows = rows;
}

/* Rows of L. */

static gannet_err check_pivots(int bad_row) {
  GANNET_REQUIRE(bad_row < 0, GANNET_ERR_NUMERIC, "kernel matrix not positive definite at row %d",
                 bad_row);
  return GANNET_OK;
}

/* Copy rows from a panel into their block row, from the diagonal element of the first one on. */
static void put_corner(gannet_cholesky *factor, int first, int count, int lanes, const double *x) {
  const size_t ld = (size_t)cholesky_width_of(first / B);
  double *row = factor->block[first / B] + (size_t)(first % B) * ld;
  for (int r = 0; r < count; ++r)
    for (int k = first; k <= first + r; ++k)
      row[(size_t)r * ld + (size_t)k] = x[(ptrdiff_t)k * lanes + r];
}

/* Finish rows of L in one block row, whose rows before these are made.
 *
 * first    in     global number of the first row
 * count    in     rows, at most PANEL
 * x        inout  [first + count][lanes]: left of this block row L, from there on K
 * bad_row  out    the first row whose pivot is not positive, or -1
 */
static void finish_rows(gannet_cholesky *factor, int first, int count, int lanes, double *x,
                        int *bad_row) {
  const size_t ld = (size_t)cholesky_width_of(first / B);
  double *own = x + (ptrdiff_t)first * lanes;
  if (first % B > 0) cholesky_solve_block(factor, first / B, first % B, lanes, x);
  factor->kernels->subtract_self_product(lanes, count, first, x, own);
  const int row = factor->kernels->factorise(lanes, count, own);
  *bad_row = row < 0 ? -1 : first + row;
  factor->kernels->unpack(lanes, count, first, x,
                          factor->block[first / B] + (size_t)(first % B) * ld, ld);
  put_corner(factor, first, count, lanes, x);
}

/* By one rank. */

static gannet_err extend_alone(gannet_cholesky *factor, int n, const cholesky_source *source) {
  const int start = factor->n / B;
  double *x = factor->panel;
  factor->n = start * B;
  for (int i = start; i < cholesky_blocks_for(n); ++i) {
    const int rows = n - i * B < B ? n - i * B : B;
    const size_t ld = (size_t)cholesky_width_of(i);
    int from = 0, bad_row = -1;
    GANNET_TRY(put_kernel_rows(factor, i, rows, source, &from));
    for (; from < rows; from += PANEL) {
      const int count = rows - from < PANEL ? rows - from : PANEL, lanes = panel_lanes(count);
      factor->kernels->pack(lanes, count, i * B + from + count,
                            factor->block[i] + (size_t)from * ld, ld, x);
      for (int k = 0; k < i; ++k) cholesky_solve_block(factor, k, B, lanes, x);
      finish_rows(factor, i * B + from, count, lanes, x, &bad_row);
      GANNET_TRY(check_pivots(bad_row));
    }
    keep_kernel_rows(factor, i, rows);
    factor->n = i * B + rows;
  }
  return GANNET_OK;
}

/* By the ranks of a node: many rows, by panels. */

typedef struct {
  gannet_cholesky *factor;
  cholesky_shared *shared;
  int n;                         /* rows that the factor shall have */
  int first;                     /* first new block row */
  const cholesky_source *source; /* of rows of K; NULL = they are where L is to be made */
} growth;

static int rows_of_block_row(const growth *g, int i) {
  return g->n - i * B < B ? g->n - i * B : B;
}

static double *panel_rows(const growth *g, int panel) {
  const int i = panel * PANEL / B;
  return g->factor->block[i] + (size_t)(panel * PANEL % B) * (size_t)cholesky_width_of(i);
}

static size_t panel_ld(int panel) {
  return (size_t)cholesky_width_of(panel * PANEL / B);
}

/* A panel of new rows that this rank makes. */
typedef struct {
  int panel, count, lanes;
  int made;       /* leading columns that are made, in panels */
  int subtracted; /* columns whose products with each other have been subtracted, in panels */
  double *x;      /* [columns][lanes] */
} panel_progress;

/* Make the columns that belong to an earlier panel, as soon as that panel allows. False = it
 * failed.
 */
static bool make_columns(const growth *g, int before, int lanes, double *x) {
  const panel_kernels *kernels = g->factor->kernels;
  const double *l = panel_rows(g, before);
  const int k = before * PANEL;
  double *target = x + (ptrdiff_t)k * lanes;
  const bool old = before < 2 * g->first;
  if (!old && !cholesky_await(g->shared, before, CHOLESKY_LEFT)) return false;
  kernels->subtract_product(lanes, PANEL, k, l, panel_ld(before), x, target);
  if (!old && !cholesky_await(g->shared, before, CHOLESKY_ENDED)) return false;
  kernels->solve(lanes, PANEL, l + k, panel_ld(before), target);
  return true;
}

static bool is_panel_made(const growth *g, int panel) {
  return panel < 2 * g->first || cholesky_has(g->shared, panel, CHOLESKY_ENDED);
}

/* Make the columns of the next panel, or of the next two where both are made: two at once are
 * faster. False = a panel failed. */
static bool advance_panel(const growth *g, panel_progress *p) {
  const bool both = p->made % 2 == 0 && p->made + 1 < p->panel && is_panel_made(g, p->made + 1);
  const int step = both ? 2 : 1, from = p->made * PANEL;
  if (both)
    cholesky_solve_block(g->factor, p->made / 2, B, p->lanes, p->x);
  else if (!make_columns(g, p->made, p->lanes, p->x))
    return false;
  g->factor->kernels->unpack_streaming(p->lanes, p->count, step * PANEL,
                                       p->x + (ptrdiff_t)from * p->lanes,
                                       panel_rows(g, p->panel) + from, panel_ld(p->panel));
  p->made += step;
  if (p->made == p->panel) {
    panel_store_fence();
    cholesky_publish(g->shared, p->panel, CHOLESKY_LEFT);
  }
  return true;
}

static void subtract_own_products(const growth *g, panel_progress *p) {
  g->factor->kernels->subtract_self_product(p->lanes, p->count, (p->made - p->subtracted) * PANEL,
                                            p->x + (ptrdiff_t)p->subtracted * PANEL * p->lanes,
                                            p->x + (ptrdiff_t)p->panel * PANEL * p->lanes);
  p->subtracted = p->made;
}

/* False = this panel or one before it failed. Products of the panel with itself are subtracted
 * whenever the rank would wait, so that few are left when the last columns come. */
static bool make_panel(const growth *g, int panel, gannet_err *err) {
  gannet_cholesky *factor = g->factor;
  const int first = panel * PANEL, left = g->n - first;
  const int count = left < PANEL ? left : PANEL, lanes = panel_lanes(count);
  const double *k = panel_rows(g, panel);
  panel_progress p = {.panel = panel, .count = count, .lanes = lanes, .x = factor->panel};
  if (g->source) {
    *err = fetch_kernel_rows(factor, first, count, g->source);
    if (*err != GANNET_OK) return false;
    k = factor->kept.next;
  }
  factor->kernels->pack(lanes, count, first + count, k, panel_ld(panel), p.x);
  while (p.made < panel) {
    if (!is_panel_made(g, p.made)) subtract_own_products(g, &p);
    if (!advance_panel(g, &p)) return false;
  }
  subtract_own_products(g, &p);
  const int bad = factor->kernels->factorise(lanes, count, p.x + (ptrdiff_t)first * lanes);
  put_corner(factor, first, count, lanes, p.x);
  if (bad >= 0) cholesky_publish_bad_row(g->shared, first + bad);
  return bad < 0;
}

/* Make the panels of this rank and wait for the others. A panel whose predecessor failed fails,
 * too, so that all ranks come to an end. With a source, its rows may have failed, or a pivot. */
static gannet_err make_panels(growth *g) {
  const gannet_node *node = g->shared->node;
  const int end = (g->n + PANEL - 1) / PANEL;
  gannet_err err = GANNET_OK;
  bool good = true;
  for (int panel = 2 * g->first; panel < end; ++panel) {
    if (panel % node->n != node->node_rank) continue;
    good = good && make_panel(g, panel, &err);
    cholesky_publish(g->shared, panel, good ? CHOLESKY_ENDED : CHOLESKY_FAILED);
  }
  good = true;
  for (int panel = 2 * g->first; panel < end; ++panel)
    good = cholesky_await(g->shared, panel, CHOLESKY_ENDED) && good;
  if (good) {
    g->factor->n = g->n;
    return GANNET_OK;
  }
  if (g->source) GANNET_TRY(cholesky_begin_joint(g->shared, err));
  const int bad_row = cholesky_bad_row(g->shared);
  g->factor->n = bad_row / B * B;
  return check_pivots(bad_row);
}

/* Rows of K go to the ranks by block rows. The last one goes to the first rank, which keeps its
 * rows for the next time. */
static gannet_err put_kernel_rows_of_rank(const growth *g, const cholesky_source *source) {
  const gannet_node *node = g->shared->node;
  const int last = cholesky_blocks_for(g->n) - 1;
  for (int i = last - node->node_rank; i >= g->first; i -= node->n) {
    int from = 0;
    GANNET_TRY(put_kernel_rows(g->factor, i, rows_of_block_row(g, i), source, &from));
  }
  return GANNET_OK;
}

static gannet_err extend_by_many(growth *g, const cholesky_source *source) {
  const int last = cholesky_blocks_for(g->n) - 1;
  g->factor->kept.block = 0;
  g->factor->n = g->first * B;
  GANNET_TRY(cholesky_begin_joint(g->shared, put_kernel_rows_of_rank(g, source)));
  GANNET_TRY(make_panels(g));
  if (g->shared->node->node_rank == 0)
    keep_kernel_rows(g->factor, last, rows_of_block_row(g, last));
  return GANNET_OK;
}

/* By the ranks of a node: few rows, by a shared forward sweep. */

/* At most PANEL rows of block row i. */
static gannet_err make_rows_by_sweep(growth *g, int i, int from, int count) {
  gannet_cholesky *factor = g->factor;
  const int lanes = panel_lanes(count), left = i * B;
  const size_t ld = (size_t)cholesky_width_of(i);
  const double *rows = factor->block[i] + (size_t)from * ld;
  double *x = g->shared->x;
  int bad_row = -1;
  GANNET_TRY(cholesky_begin_joint(g->shared, GANNET_OK));
  cholesky_forward_share(factor, i, count, lanes, rows, ld);
  if (g->shared->node->node_rank == 0) {
    for (int k = 0; k < i; ++k) (void)cholesky_await(g->shared, k, CHOLESKY_FORWARD);
    factor->kernels->pack(lanes, count, from + count, rows + left, ld, x + (ptrdiff_t)left * lanes);
    finish_rows(factor, left + from, count, lanes, x, &bad_row);
    cholesky_publish_bad_row(g->shared, bad_row);
    cholesky_publish(g->shared, i, CHOLESKY_ENDED);
  }
  (void)cholesky_await(g->shared, i, CHOLESKY_ENDED);
  return check_pivots(cholesky_bad_row(g->shared));
}

static gannet_err extend_by_few(growth *g, const cholesky_source *source) {
  const bool leads = g->shared->node->node_rank == 0;
  g->factor->n = g->first * B;
  for (int i = g->first; i < cholesky_blocks_for(g->n); ++i) {
    const int rows = rows_of_block_row(g, i);
    gannet_err err = GANNET_OK;
    int from = 0;
    if (leads) err = put_kernel_rows(g->factor, i, rows, source, &from);
    GANNET_TRY(cholesky_begin_joint(g->shared, err));
    GANNET_TRY_MPI(MPI_Bcast(&from, 1, MPI_INT, 0, g->shared->node->comm));
    for (; from < rows; from += PANEL)
      GANNET_TRY(make_rows_by_sweep(g, i, from, rows - from < PANEL ? rows - from : PANEL));
    if (leads) keep_kernel_rows(g->factor, i, rows);
    g->factor->n = i * B + rows;
  }
  return GANNET_OK;
}

gannet_err gannet_cholesky_extend(gannet_cholesky *factor, int n, gannet_kernel_rows rows,
                                  void *user) {
  const cholesky_source source = {rows, user};
  const bool many = n - factor->n >= GANNET_CHOLESKY_TOGETHER;
  if (n == factor->n) return GANNET_OK;
  GANNET_TRY(cholesky_reserve(factor, n));
  if (!factor->shared) return extend_alone(factor, n, &source);
  growth g = {.factor = factor, .shared = factor->shared, .n = n, .first = factor->n / B};
  return many ? extend_by_many(&g, &source) : extend_by_few(&g, &source);
}

gannet_err gannet_cholesky_factorise(gannet_cholesky *factor, int n, gannet_kernel_rows rows,
                                     void *user) {
  const cholesky_source source = {rows, user};
  gannet_cholesky_clear(factor);
  factor->kept.block = 0;
  if (factor->shared) GANNET_TRY(cholesky_reserve(factor, n));
  if (!factor->shared) return gannet_cholesky_extend(factor, n, rows, user);
  growth g = {.factor = factor, .shared = factor->shared, .n = n, .source = &source};
  return make_panels(&g);
}
