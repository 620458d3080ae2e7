/* The choice of inducing points: a Cholesky factor of the kernel matrix of the old observations,
 * pivoted by blocks (Harbrecht, Peters, Schneider 2012), whose columns are v_i. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/inducing/inducing_impl.h"

/* POOL: observations that compete for the places of one block. */
enum { BLOCK = GANNET_INDUCING_BLOCK, POOL = 192 };

/* Least share that others must not tell of a new point: first of lambda, so that no block is filled
 * with neighbours; then of what the old observations leave unknown on average, lambda m / n when n
 * tell of m points; and of k(x,x) for the sake of rounding. */
static const double worth_left = 0.1, worth_kernel = 1e-8;

typedef struct {
  double score;
  int index; /* of an observation */
} ranked;

typedef struct {
  gannet_inducing *g;
  const gannet_inducing_request *request;
  double *points;  /* [POOL][d] */
  double *kernel;  /* [POOL][POOL] between the pool */
  double *columns; /* [POOL][limit] v of the pool */
  double *factor;  /* [POOL][BLOCK] */
  double *cross;   /* [BLOCK][BLOCK] */
  ranked *rank;    /* [np][POOL] */
  bool coarse;     /* points are compared with lambda */
} choice;

static gannet_err allocate_choice(choice *c) {
  const size_t limit = (size_t)c->g->limit, np = (size_t)c->g->context->np;
  GANNET_TRY(gannet_alloc((size_t)POOL * (size_t)c->g->d, sizeof(double), &c->points));
  GANNET_TRY(gannet_alloc((size_t)POOL * POOL, sizeof(double), &c->kernel));
  GANNET_TRY(gannet_alloc((size_t)POOL * limit, sizeof(double), &c->columns));
  GANNET_TRY(gannet_alloc((size_t)POOL * BLOCK, sizeof(double), &c->factor));
  GANNET_TRY(gannet_alloc((size_t)BLOCK * BLOCK, sizeof(double), &c->cross));
  return gannet_alloc(np * POOL, sizeof *c->rank, &c->rank);
}

static const double *observation(const choice *c, int i) {
  return c->request->data->x + (size_t)i * (size_t)c->g->d;
}

/* This rank's row of an observation, NULL when another has it. */
static inducing_tile *find_tile(const gannet_inducing *g, int i, int *row) {
  for (int t = 0; t < g->n_tiles; ++t) {
    inducing_tile *tile = &g->tile[t];
    if (i < tile->first || i >= tile->first + tile->rows) continue;
    *row = i - tile->first;
    return tile;
  }
  return NULL;
}

static int more_first(const void *a, const void *b) {
  const ranked *left = a, *right = b;
  if (left->score != right->score) return left->score > right->score ? -1 : 1;
  return (left->index > right->index) - (left->index < right->index);
}

/* Kernel of the pool given the present points, and the pool's v. */
static gannet_err pool_kernel(choice *c, int n, const int *pool) {
  const gannet_inducing_kernel *kernel = &c->request->kernel;
  const size_t d = (size_t)c->g->d;
  for (int i = 0; i < n; ++i)
    memcpy(c->points + (size_t)i * d, observation(c, pool[i]), d * sizeof *c->points);
  GANNET_TRY(kernel->take(kernel->user, n, c->points));
  for (int first = 0; first < n; first += BLOCK)
    GANNET_TRY(kernel->cross(kernel->user, n - first < BLOCK ? n - first : BLOCK,
                             c->points + (size_t)first * d, c->kernel + (size_t)first * POOL, POOL,
                             NULL));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      GANNET_REQUIRE(isfinite(c->kernel[i * POOL + j]), GANNET_ERR_NUMERIC,
                     "kernel between observations %d and %d is not finite", pool[i], pool[j]);
  return GANNET_OK;
}

static gannet_err pool_columns(choice *c, int n, const int *pool) {
  const gannet_inducing *g = c->g;
  const size_t limit = (size_t)g->limit, m = (size_t)g->m;
  for (int i = 0; i < n; ++i) {
    int row = 0;
    const inducing_tile *tile = find_tile(g, pool[i], &row);
    double *to = c->columns + (size_t)i * m;
    if (tile)
      memcpy(to, tile->v + (size_t)row * limit, m * sizeof *to);
    else
      memset(to, 0, m * sizeof *to);
  }
  return gannet_partition_gather(g->context->comm, (size_t)n * m, c->columns);
}

/* Pivoted Cholesky factor of the pool's kernel given the present points: at most 'most' pivots
 * (positions in the pool), in the order chosen. */
static int pivot(choice *c, int n, int most, int *chosen) {
  const gannet_inducing *g = c->g;
  double left[POOL], own[POOL];
  int count = 0;
  for (int i = 0; i < n; ++i) {
    const double *v = c->columns + (size_t)i * (size_t)g->m;
    own[i] = c->kernel[i * POOL + i];
    left[i] = own[i] - gannet_dot(g->m, v, v);
  }
  gannet_gemm_nt(n, n, g->m, -1, c->columns, g->m, c->columns, g->m, 1, c->kernel, POOL);
  for (; count < most; ++count) {
    int at = 0;
    for (int i = 1; i < n; ++i)
      if (left[i] > left[at]) at = i;
    const double unknown = c->coarse ? g->lambda : g->lambda * (g->m + count + 1) / g->n_old;
    if (!(left[at] > fmax(worth_left * unknown, worth_kernel * own[at]))) break;
    const double root = sqrt(left[at]);
    const double *mine = c->factor + (size_t)at * BLOCK;
    for (int i = 0; i < n; ++i) {
      double *row = c->factor + (size_t)i * BLOCK;
      row[count] =
          i == at ? root : (c->kernel[i * POOL + at] - gannet_dot(count, row, mine)) / root;
      left[i] -= row[count] * row[count];
    }
    left[at] = -INFINITY;
    chosen[count] = at;
  }
  return count;
}

/* Rows of L for the new points, and their indices. The pool's points become the new ones. */
static void append(choice *c, const int *pool, int count, const int *chosen) {
  gannet_inducing *g = c->g;
  const size_t limit = (size_t)g->limit, m = (size_t)g->m, d = (size_t)g->d;
  for (int a = 0; a < count; ++a) {
    double *row = g->lower + (m + (size_t)a) * limit;
    memset(row, 0, limit * sizeof *row);
    memcpy(row, c->columns + (size_t)chosen[a] * m, m * sizeof *row);
    memcpy(row + m, c->factor + (size_t)chosen[a] * BLOCK, ((size_t)a + 1) * sizeof *row);
    g->index[m + (size_t)a] = pool[chosen[a]];
    memcpy(c->points + (size_t)a * d, observation(c, pool[chosen[a]]), d * sizeof *c->points);
  }
}

/* The new entries of v of a tile: (k(x_i, new) - v_i L_new^T) L_new,new^-T. */
static gannet_err grow_tile(choice *c, inducing_tile *tile, int count) {
  const gannet_inducing_kernel *kernel = &c->request->kernel;
  const gannet_inducing *g = c->g;
  const size_t limit = (size_t)g->limit, m = (size_t)g->m;
  const double *l = g->lower + m * limit;
  for (int first = 0; first < tile->rows; first += BLOCK) {
    const int rows = tile->rows - first < BLOCK ? tile->rows - first : BLOCK;
    GANNET_TRY(kernel->cross(kernel->user, rows, observation(c, tile->first + first), c->cross,
                             count, NULL));
    for (int i = 0; i < rows; ++i)
      memcpy(tile->v + (size_t)(first + i) * limit + m, c->cross + (size_t)i * (size_t)count,
             (size_t)count * sizeof *c->cross);
  }
  gannet_gemm_nt(tile->rows, count, g->m, -1, tile->v, g->limit, l, g->limit, 1, tile->v + m,
                 g->limit);
  gannet_trsm_nt(tile->rows, count, l + m, g->limit, tile->v + m, g->limit);
  for (int i = 0; i < tile->rows; ++i) {
    const double *v = tile->v + (size_t)i * limit + m;
    tile->left[i] -= gannet_dot(count, v, v);
  }
  return GANNET_OK;
}

static gannet_err grow(choice *c, int count) {
  gannet_inducing *g = c->g;
  const gannet_inducing_kernel *kernel = &c->request->kernel;
  GANNET_TRY(kernel->take(kernel->user, count, c->points));
  for (int t = 0; t < g->n_tiles; ++t) GANNET_TRY(grow_tile(c, &g->tile[t], count));
  for (int a = 0; a < count; ++a) {
    int row = 0;
    inducing_tile *tile = find_tile(g, g->index[g->m + a], &row);
    if (tile) tile->left[row] = 0;
  }
  return GANNET_OK;
}

/* The best of a pool become points; how many. */
static gannet_err absorb(choice *c, int n, const int *pool, int *count) {
  gannet_inducing *g = c->g;
  MPI_Comm comm = g->context->comm;
  int chosen[BLOCK], most = g->limit - g->m < BLOCK ? g->limit - g->m : BLOCK;
  GANNET_TRY(gannet_agree(comm, pool_kernel(c, n, pool)));
  GANNET_TRY(pool_columns(c, n, pool));
  *count = pivot(c, n, most, chosen);
  GANNET_TRY_MPI(MPI_Bcast(count, 1, MPI_INT, 0, comm));
  GANNET_TRY_MPI(MPI_Bcast(chosen, *count, MPI_INT, 0, comm));
  append(c, pool, *count, chosen);
  GANNET_TRY(gannet_agree(comm, grow(c, *count)));
  g->m += *count;
  return GANNET_OK;
}

/* Those of which least is told, over all ranks. */
static gannet_err rank_left(choice *c, int *n, int *pool) {
  const gannet_inducing *g = c->g;
  const int np = g->context->np;
  ranked *all = NULL;
  int own = 0;
  for (int t = 0; t < g->n_tiles; ++t) own += g->tile[t].rows;
  GANNET_TRY(gannet_alloc_on_all(g->context->comm, (size_t)own + POOL, sizeof *all, &all));
  own = 0;
  for (int t = 0; t < g->n_tiles; ++t)
    for (int i = 0; i < g->tile[t].rows; ++i)
      all[own++] = (ranked){g->tile[t].left[i], g->tile[t].first + i};
  qsort(all, (size_t)own, sizeof *all, more_first);
  for (; own < POOL; ++own) all[own] = (ranked){-INFINITY, INT32_MAX};
  const int code = MPI_Allgather(all, (int)(POOL * sizeof *all), MPI_BYTE, c->rank,
                                 (int)(POOL * sizeof *all), MPI_BYTE, g->context->comm);
  gannet_free(&all);
  GANNET_TRY_MPI(code);
  qsort(c->rank, (size_t)np * POOL, sizeof *c->rank, more_first);
  for (*n = 0; *n < POOL && c->rank[*n].score > 0; ++*n) pool[*n] = c->rank[*n].index;
  return GANNET_OK;
}

static gannet_err choose_all(choice *c) {
  gannet_inducing *g = c->g;
  const int half = g->limit / 2;
  int pool[POOL], n = 0, count = 0;
  c->coarse = true;
  for (int first = 0; first < half; first += BLOCK)
    GANNET_TRY(absorb(c, half - first < BLOCK ? half - first : BLOCK, g->best + first, &count));
  while (g->m < g->limit) {
    GANNET_TRY(rank_left(c, &n, pool));
    count = 0;
    if (n > 0) GANNET_TRY(absorb(c, n, pool, &count));
    if (count == 0 && !c->coarse) break;
    c->coarse = c->coarse && count > 0;
  }
  return GANNET_OK;
}

static gannet_err begin_choice(choice *c) {
  gannet_inducing *g = c->g;
  const gannet_inducing_kernel *kernel = &c->request->kernel;
  GANNET_TRY(allocate_choice(c));
  for (int t = 0; t < g->n_tiles; ++t) {
    inducing_tile *tile = &g->tile[t];
    for (int first = 0; first < tile->rows; first += BLOCK)
      GANNET_TRY(kernel->cross(kernel->user,
                               tile->rows - first < BLOCK ? tile->rows - first : BLOCK,
                               observation(c, tile->first + first), NULL, 0, tile->left + first));
  }
  return GANNET_OK;
}

gannet_err inducing_choose(gannet_inducing *g, const gannet_inducing_request *request) {
  choice c = {.g = g, .request = request};
  g->m = 0;
  gannet_err err = gannet_agree(g->context->comm, begin_choice(&c));
  if (err == GANNET_OK) err = choose_all(&c);
  gannet_free(&c.points);
  gannet_free(&c.kernel);
  gannet_free(&c.columns);
  gannet_free(&c.factor);
  gannet_free(&c.cross);
  gannet_free(&c.rank);
  return err;
}
