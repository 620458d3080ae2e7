#include "surrogate/factor.h"

#include <string.h>

#include "base/memory.h"
#include "base/partition.h"

struct gannet_factor {
  const gannet_context *context;
  gannet_factor_place place;
  gannet_cholesky *whole;  /* NULL while the factor is cut over the ranks */
  gannet_distributed *cut; /* NULL while it is whole */
};

const char *const gannet_factor_names[] = {"replicated", "distributed", "auto", NULL};

gannet_err gannet_factor_create(const gannet_context *context, gannet_factor_place place,
                                gannet_factor **factor) {
  GANNET_TRY(gannet_alloc(1, sizeof **factor, factor));
  (*factor)->context = context;
  (*factor)->place = place;
  return GANNET_OK;
}

void gannet_factor_destroy(gannet_factor **factor) {
  if (!*factor) return;
  gannet_cholesky_destroy(&(*factor)->whole);
  gannet_distributed_destroy(&(*factor)->cut);
  gannet_free(factor);
}

void gannet_factor_clear(gannet_factor *factor) {
  if (factor->whole) gannet_cholesky_clear(factor->whole);
  if (factor->cut) gannet_distributed_clear(factor->cut);
}

void gannet_factor_truncate(gannet_factor *factor, int n) {
  if (factor->whole) gannet_cholesky_truncate(factor->whole, n);
  if (factor->cut && n < gannet_distributed_size(factor->cut))
    gannet_distributed_clear(factor->cut);
}

typedef struct {
  gannet_kernel_tile tile;
  void *user;
} entries;

/* gannet_kernel_rows: rows are tiles from the first column on. */
static gannet_err rows_of(void *user, int first, int rows, double *k, int ldk) {
  const entries *e = user;
  return e->tile(e->user, first, rows, 0, first + rows, k, ldk);
}

gannet_err gannet_factor_extend(gannet_factor *f, int n, gannet_kernel_tile tile, void *user) {
  const gannet_context *context = f->context;
  const bool several_nodes = context->node && context->node->n < context->np;
  const bool is_cut = f->place == GANNET_FACTOR_AUTO ? n > GANNET_FACTOR_AUTO_ROWS && several_nodes
                                                     : f->place == GANNET_FACTOR_DISTRIBUTED;
  if (is_cut) {
    gannet_cholesky_destroy(&f->whole);
    if (!f->cut) GANNET_TRY(gannet_distributed_create(context->comm, NULL, &f->cut));
    return gannet_distributed_extend(f->cut, n, tile, user);
  }
  entries e = {tile, user};
  gannet_err err = GANNET_OK;
  gannet_distributed_destroy(&f->cut);
  if (!f->whole) err = gannet_cholesky_create_shared(context->node, &f->whole);
  if (err == GANNET_OK) err = gannet_cholesky_extend(f->whole, n, rows_of, &e);
  return gannet_agree(context->comm, err);
}

gannet_err gannet_factor_solve(const gannet_factor *factor, int m, double *b, int ldb) {
  if (factor->cut) return gannet_distributed_solve(factor->cut, m, b, ldb);
  if (!factor->whole) return GANNET_OK;
  return gannet_cholesky_solve_together(factor->whole, m, b, ldb);
}

/* Solving for the unit vectors of block row i costs as the square of what is left below it. */
static gannet_err own_diagonal(const gannet_factor *f, double *diagonal) {
  const size_t n = (size_t)gannet_cholesky_size(f->whole);
  const int blocks = gannet_cholesky_blocks(f->whole);
  double *cost = NULL;
  int *owner = NULL;
  memset(diagonal, 0, n * sizeof *diagonal);
  gannet_err code = gannet_alloc((size_t)blocks, sizeof *cost, &cost);
  if (code == GANNET_OK) code = gannet_alloc((size_t)blocks, sizeof *owner, &owner);
  for (int i = 0; i < blocks && code == GANNET_OK; ++i)
    cost[i] = (double)(blocks - i) * (blocks - i);
  if (code == GANNET_OK) code = gannet_partition_assign(blocks, cost, f->context->np, owner);
  for (int i = 0; i < blocks && code == GANNET_OK; ++i)
    if (owner[i] == f->context->rank) gannet_cholesky_inverse_diagonal_part(f->whole, i, diagonal);
  gannet_free(&owner);
  gannet_free(&cost);
  return code;
}

gannet_err gannet_factor_inverse_diagonal(const gannet_factor *factor, double *diagonal) {
  if (factor->cut) return gannet_distributed_inverse_diagonal(factor->cut, diagonal);
  if (!factor->whole) return GANNET_OK;
  const int n = gannet_cholesky_size(factor->whole);
  if (factor->context->np == 1 || n < GANNET_CHOLESKY_TOGETHER) {
    gannet_cholesky_inverse_diagonal(factor->whole, diagonal);
    return GANNET_OK;
  }
  GANNET_TRY(gannet_agree(factor->context->comm, own_diagonal(factor, diagonal)));
  return gannet_partition_gather(factor->context->comm, (size_t)n, diagonal);
}

const char *gannet_factor_no_sd(gannet_factor_place place) {
  if (place == GANNET_FACTOR_REPLICATED) return NULL;
  return "standard deviations need the whole factor on every rank: choose factor replicated, or "
         "acquisition thompson";
}

gannet_err gannet_factor_whole(const gannet_factor *factor, const gannet_cholesky **whole) {
  GANNET_REQUIRE(!factor->cut, GANNET_ERR_ARG, "%s", gannet_factor_no_sd(factor->place));
  *whole = factor->whole;
  return GANNET_OK;
}

gannet_err gannet_factor_forward(const gannet_factor *factor, int m, double *b, int ldb) {
  const gannet_cholesky *whole = NULL;
  GANNET_TRY(gannet_factor_whole(factor, &whole));
  if (whole) gannet_cholesky_forward(whole, m, b, ldb);
  return GANNET_OK;
}

gannet_err gannet_factor_backward(const gannet_factor *factor, int m, double *b, int ldb) {
  const gannet_cholesky *whole = NULL;
  GANNET_TRY(gannet_factor_whole(factor, &whole));
  if (whole) gannet_cholesky_backward(whole, m, b, ldb);
  return GANNET_OK;
}

const gannet_cholesky *gannet_factor_replicated(const gannet_factor *factor) {
  return factor->whole;
}
