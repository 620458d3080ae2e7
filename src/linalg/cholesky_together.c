/* Growth of a factor in memory of a node, by its ranks. */
#include <stdbool.h>

#include "linalg/cholesky_impl.h"

enum { B = GANNET_CHOLESKY_BLOCK, PANEL = PANEL_MOST };

_Static_assert(B == 2 * PANEL, "a block row has two panels of rows");

typedef struct {
  gannet_cholesky *factor;
  cholesky_shared *shared;
  int n, first;                  /* new block rows from here on */
  const cholesky_source *source; /* of rows of K by panels; NULL = they are in their place */
} growth;

static int panels_in(int n) {
  return (n + PANEL - 1) / PANEL;
}

static int count_of(const growth *g, int panel) {
  const int left = g->n - panel * PANEL;
  return left < PANEL ? left : PANEL;
}

static double *rows_of(const growth *g, int panel) {
  const int i = panel * PANEL / B;
  return g->factor->block[i] + (size_t)(panel * PANEL % B) * (size_t)cholesky_width_of(i);
}

static size_t ld_of(int panel) {
  return (size_t)cholesky_width_of(panel * PANEL / B);
}

static int rows_in(const growth *g, int i) {
  return g->n - i * B < B ? g->n - i * B : B;
}

/* The new rows of K whose block rows are this rank's. The last one is the first rank's, which will
 * know it when it grows. */
static gannet_err make_kernel(const growth *g, const cholesky_source *source) {
  const gannet_node *node = g->shared->node;
  const int last = cholesky_blocks_for(g->n) - 1;
  for (int i = last - node->place; i >= g->first; i -= node->n) {
    int from = 0;
    GANNET_TRY(cholesky_take_rows(g->factor, i, rows_in(g, i), source, &from));
  }
  return GANNET_OK;
}

static bool is_ended(const growth *g, int panel) {
  return panel < 2 * g->first || cholesky_has(g->shared, panel, CHOLESKY_ENDED);
}

/* The columns of a panel that belong to another one, as soon as they can be made. */
static bool make_block(const growth *g, int before, int lanes, double *x) {
  const panel_ways *ways = g->factor->ways;
  const double *l = rows_of(g, before);
  const int k = before * PANEL;
  double *target = x + (ptrdiff_t)k * lanes;
  const bool old = before < 2 * g->first;
  if (!old && !cholesky_await(g->shared, before, CHOLESKY_LEFT)) return false;
  ways->take_before(lanes, PANEL, k, l, ld_of(before), x, target);
  if (!old && !cholesky_await(g->shared, before, CHOLESKY_ENDED)) return false;
  ways->solve(lanes, PANEL, l + k, ld_of(before), target);
  return true;
}

/* A panel of rows that is being made, of which the leading columns are, and products of some of
 * these with each other have been taken. */
typedef struct {
  int panel, count, lanes;
  int made, taken; /* columns, in panels */
  double *x;       /* [columns][lanes] */
} progress;

/* One or two panels of columns further: two are faster, once they are there. */
static bool go_on(const growth *g, progress *p) {
  const bool both = p->made % 2 == 0 && p->made + 1 < p->panel && is_ended(g, p->made + 1);
  const int step = both ? 2 : 1, from = p->made * PANEL;
  if (both)
    cholesky_solve_before(g->factor, p->made / 2, B, p->lanes, p->x);
  else if (!make_block(g, p->made, p->lanes, p->x))
    return false;
  g->factor->ways->unpack_past(p->lanes, p->count, step * PANEL, p->x + (ptrdiff_t)from * p->lanes,
                               rows_of(g, p->panel) + from, ld_of(p->panel));
  p->made += step;
  if (p->made == p->panel) panel_settle();
  if (p->made == p->panel) cholesky_tell(g->shared, p->panel, CHOLESKY_LEFT);
  return true;
}

static void take_own(const growth *g, progress *p) {
  g->factor->ways->take_own(p->lanes, p->count, (p->made - p->taken) * PANEL,
                            p->x + (ptrdiff_t)p->taken * PANEL * p->lanes,
                            p->x + (ptrdiff_t)p->panel * PANEL * p->lanes);
  p->taken = p->made;
}

static gannet_err begin_panel(const growth *g, int panel, progress *p) {
  const int first = panel * PANEL, count = count_of(g, panel);
  const double *k = rows_of(g, panel);
  *p = (progress){.panel = panel, .count = count, .lanes = panel_lanes(count)};
  p->x = g->factor->panel;
  if (g->source) GANNET_TRY(cholesky_make_kernel(g->factor, first, count, g->source, &k));
  g->factor->ways->pack(p->lanes, count, first + count, k, ld_of(panel), p->x);
  return GANNET_OK;
}

/* Its own products are taken before it would wait, so that few are left when the last columns come.
 */
static bool make_panel(const growth *g, int panel, gannet_err *err) {
  gannet_cholesky *factor = g->factor;
  const int first = panel * PANEL, count = count_of(g, panel);
  progress p;
  *err = begin_panel(g, panel, &p);
  if (*err != GANNET_OK) return false;
  while (p.made < panel) {
    if (!is_ended(g, p.made)) take_own(g, &p);
    if (!go_on(g, &p)) return false;
  }
  take_own(g, &p);
  const int bad = factor->ways->factorise(p.lanes, count, p.x + (ptrdiff_t)first * p.lanes);
  cholesky_put_corner(factor, first, count, p.lanes, p.x);
  if (bad >= 0) cholesky_note(g->shared, first + bad);
  return bad < 0;
}

/* A panel whose predecessor failed fails, too: all come to an end. */
static gannet_err make_panels(const growth *g) {
  const gannet_node *node = g->shared->node;
  gannet_err err = GANNET_OK;
  bool good = true;
  for (int panel = 2 * g->first; panel < panels_in(g->n); ++panel) {
    if (panel % node->n != node->place) continue;
    good = good && make_panel(g, panel, &err);
    cholesky_tell(g->shared, panel, good ? CHOLESKY_ENDED : CHOLESKY_FAILED);
  }
  return err;
}

static bool await_panels(const growth *g) {
  bool good = true;
  for (int panel = 2 * g->first; panel < panels_in(g->n); ++panel)
    good = cholesky_await(g->shared, panel, CHOLESKY_ENDED) && good;
  return good;
}

/* Rows of L. Where there is a source, its rows may have failed, or a pivot. */
static gannet_err make_rows(growth *g) {
  const gannet_err err = make_panels(g);
  if (await_panels(g)) {
    g->factor->n = g->n;
    return GANNET_OK;
  }
  if (g->source) GANNET_TRY(cholesky_meet(g->shared, err));
  const int bad = cholesky_noted(g->shared);
  g->factor->n = bad / B * B;
  return cholesky_blame(bad);
}

/* Many rows: those of K by block rows, then those of L by panels, each as far behind the one before
 * as it must. */
static gannet_err make_many(growth *g, const cholesky_source *source) {
  cholesky_forget_rows(g->factor);
  g->factor->n = g->first * B;
  GANNET_TRY(cholesky_meet(g->shared, make_kernel(g, source)));
  GANNET_TRY(make_rows(g));
  const int last = cholesky_blocks_for(g->n) - 1;
  if (g->shared->node->place == 0) cholesky_know_rows(g->factor, last, rows_in(g, last));
  return GANNET_OK;
}

/* Rows of one block row, at most PANEL: ranks share what those before give them, and the first ends
 * them. */
static gannet_err make_some(growth *g, int i, int from, int count) {
  gannet_cholesky *factor = g->factor;
  const int lanes = panel_lanes(count), left = i * B;
  const size_t ld = (size_t)cholesky_width_of(i);
  const double *rows = factor->block[i] + (size_t)from * ld;
  double *x = g->shared->x;
  int bad = -1;
  GANNET_TRY(cholesky_meet(g->shared, GANNET_OK));
  cholesky_forward_part(factor, i, count, lanes, rows, ld);
  if (g->shared->node->place == 0) {
    for (int k = 0; k < i; ++k) (void)cholesky_await(g->shared, k, CHOLESKY_FORWARD);
    factor->ways->pack(lanes, count, from + count, rows + left, ld, x + (ptrdiff_t)left * lanes);
    cholesky_end_rows(factor, left + from, count, lanes, x, &bad);
    cholesky_note(g->shared, bad);
    cholesky_tell(g->shared, i, CHOLESKY_ENDED);
  }
  (void)cholesky_await(g->shared, i, CHOLESKY_ENDED);
  return cholesky_blame(cholesky_noted(g->shared));
}

static gannet_err make_block_row(growth *g, int i, int rows, const cholesky_source *source) {
  const bool first = g->shared->node->place == 0;
  gannet_err err = GANNET_OK;
  int from = 0;
  if (first) err = cholesky_take_rows(g->factor, i, rows, source, &from);
  GANNET_TRY(cholesky_meet(g->shared, err));
  GANNET_TRY_MPI(MPI_Bcast(&from, 1, MPI_INT, 0, g->shared->node->comm));
  for (; from < rows; from += PANEL)
    GANNET_TRY(make_some(g, i, from, rows - from < PANEL ? rows - from : PANEL));
  if (first) cholesky_know_rows(g->factor, i, rows);
  return GANNET_OK;
}

/* Few rows, of which some may be what they were. */
static gannet_err make_few(growth *g, const cholesky_source *source) {
  g->factor->n = g->first * B;
  for (int i = g->first; i < cholesky_blocks_for(g->n); ++i) {
    GANNET_TRY(make_block_row(g, i, rows_in(g, i), source));
    g->factor->n = i * B + rows_in(g, i);
  }
  return GANNET_OK;
}

gannet_err cholesky_extend_together(gannet_cholesky *factor, int n, const cholesky_source *source) {
  const bool many = n - factor->n >= GANNET_CHOLESKY_TOGETHER;
  if (n == factor->n) return GANNET_OK;
  GANNET_TRY(cholesky_make_room(factor, n));
  if (!factor->shared) return gannet_cholesky_extend(factor, n, source->rows, source->user);
  growth g = {.factor = factor, .shared = factor->shared, .n = n, .first = factor->n / B};
  return many ? make_many(&g, source) : make_few(&g, source);
}

gannet_err gannet_cholesky_factorise(gannet_cholesky *factor, int n, gannet_kernel_rows rows,
                                     void *user) {
  const cholesky_source source = {rows, user};
  gannet_cholesky_clear(factor);
  cholesky_forget_rows(factor);
  if (factor->shared) GANNET_TRY(cholesky_make_room(factor, n));
  if (!factor->shared) return gannet_cholesky_extend(factor, n, rows, user);
  growth g = {.factor = factor, .shared = factor->shared, .n = n, .source = &source};
  return make_rows(&g);
}
