#include "problem/pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/node.h"
#include "base/partition.h"
#include "base/random.h"
#include "problem/problem.h"

/* An entry of the sorted list. */
typedef struct {
  double key; /* projection of the encoding of the row */
  int64_t row;
} projection;

struct gannet_pool {
  int64_t n;
  int n_variables, d;
  double *direction;  /* [d] positive */
  double norm;        /* of direction */
  gannet_node *node;  /* ranks that may share the block; NULL = there is one rank */
  void *own;          /* the block of sorted and rows, where it is this process's own */
  void *shared;       /* the block of sorted and rows, where a node shares it */
  projection *sorted; /* [n] ascending */
  double *rows;       /* [n][n_variables] */
};

static size_t block_bytes(int64_t n, int n_variables) {
  return (size_t)n * (sizeof(projection) + (size_t)n_variables * sizeof(double));
}

static void point_into(gannet_pool *pool, void *block) {
  pool->sorted = block;
  pool->rows = (double *)(void *)(pool->sorted + pool->n);
}

static double project(const gannet_pool *pool, const double *x_unit) {
  double sum = 0;
  for (int k = 0; k < pool->d; ++k) sum += pool->direction[k] * x_unit[k];
  return sum;
}

static int by_key(const void *a, const void *b) {
  const projection *p = a, *q = b;
  if (p->key != q->key) return p->key < q->key ? -1 : 1;
  return p->row < q->row ? -1 : p->row > q->row;
}

static gannet_err make_direction(gannet_pool *pool) {
  const gannet_stream fixed = {0, GANNET_FOR_DESIGN, 0, UINT64_MAX - 1};
  GANNET_TRY(gannet_alloc((size_t)pool->d, sizeof *pool->direction, &pool->direction));
  gannet_random_uniform(fixed, 0, (size_t)pool->d, pool->direction);
  for (int k = 0; k < pool->d; ++k) {
    pool->direction[k] += 0.5;
    pool->norm += pool->direction[k] * pool->direction[k];
  }
  pool->norm = sqrt(pool->norm);
  return GANNET_OK;
}

/* Complete all rows, check them, and sort their projections. On rank 0. */
static gannet_err sort_rows(const gannet_pool *pool, const gannet_problem *problem, int64_t n,
                            double *rows, double *x_unit, projection *sorted) {
  for (int64_t i = 0; i < n; ++i) {
    double *row = rows + i * pool->n_variables;
    gannet_err err = gannet_problem_complete(problem, row);
    if (err == GANNET_OK) err = gannet_problem_check_point(problem, row);
    if (err != GANNET_OK) {
      char why[512];
      (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
      return GANNET_RAISE(GANNET_ERR_INPUT,
                          "candidate %lld: %s; correct it, leave it out, or change the variable",
                          (long long)(i + 1), why);
    }
    gannet_problem_encode(problem, row, x_unit);
    sorted[i] = (projection){project(pool, x_unit), i};
  }
  qsort(sorted, (size_t)n, sizeof *sorted, by_key);
  return GANNET_OK;
}

/* Keeps the first of rows with the same encoding, to rounding (0 and -0 for example), which no
 * search could tell apart; returns how many differ. x_unit: [d] scratch. */
static int64_t drop_repeats(const gannet_pool *pool, const gannet_problem *problem, int64_t n,
                            const double *rows, double *x_unit, projection *sorted) {
  int64_t kept = 0;
  for (int64_t i = 0; i < n; ++i) {
    bool repeated = false;
    gannet_problem_encode(problem, rows + sorted[i].row * pool->n_variables, x_unit);
    for (int64_t j = kept; j-- > 0 && sorted[j].key == sorted[i].key && !repeated;)
      repeated = gannet_problem_gap(problem, rows + sorted[j].row * pool->n_variables, x_unit) == 0;
    if (!repeated) sorted[kept++] = sorted[i];
  }
  return kept;
}

/* Put the kept rows into the block, in the order of the list, and number them anew. */
static gannet_err pack_rows(gannet_pool *pool, int64_t n, const double *rows,
                            const projection *kept, void *block) {
  int64_t *number = NULL, next = 0;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *number, &number));
  for (int64_t i = 0; i < pool->n; ++i) number[kept[i].row] = 1;
  point_into(pool, block);
  for (int64_t i = 0; i < n; ++i) {
    if (!number[i]) continue;
    memcpy(pool->rows + next * pool->n_variables, rows + i * pool->n_variables,
           (size_t)pool->n_variables * sizeof *rows);
    number[i] = next++;
  }
  for (int64_t i = 0; i < pool->n; ++i)
    pool->sorted[i] = (projection){kept[i].key, number[kept[i].row]};
  gannet_free(&number);
  return GANNET_OK;
}

/* Make the whole block in memory of this process. On rank 0. */
static gannet_err make_own_block(gannet_pool *pool, const gannet_problem *problem, int64_t n,
                                 const double *x_user, void **block) {
  const size_t values = (size_t)(n > 0 ? n : 0) * (size_t)pool->n_variables;
  projection *sorted = NULL;
  double *x_unit = NULL, *rows = NULL;
  GANNET_REQUIRE(n > 0, GANNET_ERR_INPUT, "the list of candidates is empty; expected at least one");
  GANNET_REQUIRE_POINTER(x_user, "x_user");
  gannet_err err = gannet_alloc((size_t)n, sizeof *sorted, &sorted);
  if (err == GANNET_OK) err = gannet_alloc((size_t)pool->d, sizeof *x_unit, &x_unit);
  if (err == GANNET_OK) err = gannet_alloc(values, sizeof *rows, &rows);
  if (err == GANNET_OK) memcpy(rows, x_user, values * sizeof *rows);
  if (err == GANNET_OK) err = sort_rows(pool, problem, n, rows, x_unit, sorted);
  if (err == GANNET_OK) {
    char *bytes = NULL;
    pool->n = drop_repeats(pool, problem, n, rows, x_unit, sorted);
    err = gannet_alloc(block_bytes(pool->n, pool->n_variables), 1, &bytes);
    *block = bytes;
  }
  if (err == GANNET_OK) err = pack_rows(pool, n, rows, sorted, *block);
  gannet_free(&rows);
  gannet_free(&sorted);
  gannet_free(&x_unit);
  return err;
}

/* Memory for the block: one per node, or one per rank where the system has no memory to share. */
static gannet_err allocate_block(MPI_Comm comm, gannet_pool *pool) {
  const size_t bytes = block_bytes(pool->n, pool->n_variables);
  char *own = NULL;
  GANNET_TRY(gannet_node_create(comm, &pool->node));
  gannet_err err =
      pool->node->n > 1 ? gannet_node_share(pool->node, bytes, 0, &pool->shared) : GANNET_OK;
  if (err == GANNET_OK && !pool->shared && !pool->own) {
    err = gannet_alloc(bytes, 1, &own);
    pool->own = own;
  }
  return gannet_agree(comm, err);
}

/* Send the block from rank 0 to all ranks that hold one: the first rank of a node that shares it,
 * or every rank. */
static gannet_err send_block(MPI_Comm comm, const gannet_pool *pool, void *block) {
  MPI_Comm holders = MPI_COMM_NULL;
  int rank = 0;
  const bool holds = !pool->shared || pool->node->node_rank == 0;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  GANNET_TRY_MPI(MPI_Comm_split(comm, holds ? 0 : MPI_UNDEFINED, rank, &holders));
  if (!holds) return GANNET_OK;
  const size_t bytes = block_bytes(pool->n, pool->n_variables);
  const gannet_err err = gannet_bytes_broadcast(holders, 0, bytes, block);
  (void)MPI_Comm_free(&holders);
  return err;
}

/* Give the block of rank 0 to all ranks. */
static gannet_err share_block(MPI_Comm comm, gannet_pool *pool) {
  int rank = 0;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  GANNET_TRY_MPI(MPI_Bcast(&pool->n, 1, MPI_INT64_T, 0, comm));
  GANNET_TRY(allocate_block(comm, pool));
  void *block = pool->shared ? pool->shared : pool->own;
  if (rank == 0 && pool->shared)
    memcpy(pool->shared, pool->own, block_bytes(pool->n, pool->n_variables));
  GANNET_TRY(gannet_agree(comm, send_block(comm, pool, block))); /* and nobody reads before that */
  if (pool->shared) gannet_free(&pool->own);
  point_into(pool, block);
  return GANNET_OK;
}

static gannet_err fill_pool(MPI_Comm comm, gannet_pool *pool, const gannet_problem *problem,
                            int64_t n, const double *rows) {
  int rank = 0, np = 1;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  GANNET_TRY_MPI(MPI_Comm_size(comm, &np));
  gannet_err err = make_direction(pool);
  if (err == GANNET_OK && rank == 0) err = make_own_block(pool, problem, n, rows, &pool->own);
  GANNET_TRY(gannet_agree(comm, err));
  if (np == 1) return GANNET_OK;
  return share_block(comm, pool);
}

gannet_err gannet_pool_create(MPI_Comm comm, const gannet_problem *problem, int64_t n,
                              const double *rows, gannet_pool **pool) {
  *pool = NULL;
  GANNET_TRY(gannet_agree(comm, gannet_alloc(1, sizeof **pool, pool)));
  (*pool)->n_variables = problem->spec.n_variables;
  (*pool)->d = problem->d;
  const gannet_err err = fill_pool(comm, *pool, problem, n, rows);
  if (err != GANNET_OK) gannet_pool_destroy(pool);
  GANNET_TRY(err);
  return GANNET_OK;
}

void gannet_pool_destroy(gannet_pool **pool) {
  if (!*pool) return;
  if ((*pool)->node) gannet_node_unshare((*pool)->node, &(*pool)->shared);
  gannet_node_destroy(&(*pool)->node);
  gannet_free(&(*pool)->own);
  gannet_free(&(*pool)->direction);
  gannet_free(pool);
}

int64_t gannet_pool_count(const gannet_pool *pool) {
  return pool->n;
}

const double *gannet_pool_row(const gannet_pool *pool, int64_t row) {
  return pool->rows + row * pool->n_variables;
}

static int64_t lower_bound(const gannet_pool *pool, double key) {
  int64_t low = 0, high = pool->n;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (pool->sorted[middle].key < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

typedef struct {
  const gannet_pool *pool;
  const gannet_problem *problem;
  const double *x_unit;
  double key;
  double square; /* squared distance of the nearest row so far */
  int64_t row;   /* the nearest row so far */
} nearest_search;

/* Compare with an entry. False = neither this entry nor those beyond it can be nearer. */
static bool compare_entry(nearest_search *s, int64_t at) {
  if (at < 0 || at >= s->pool->n) return false;
  const projection *p = &s->pool->sorted[at];
  if (fabs(p->key - s->key) > sqrt(s->square) * s->pool->norm) return false;
  const double square = gannet_problem_gap(s->problem, gannet_pool_row(s->pool, p->row), s->x_unit);
  if (square < s->square || (square == s->square && p->row < s->row))
    s->square = square, s->row = p->row;
  return true;
}

int64_t gannet_pool_nearest(const gannet_pool *pool, const gannet_problem *problem,
                            const double *x_unit, double *square) {
  nearest_search s = {pool, problem, x_unit, project(pool, x_unit), INFINITY, 0};
  int64_t up = lower_bound(pool, s.key), down = up - 1;
  bool go_up = true, go_down = true;
  while (go_up || go_down) {
    go_up = go_up && compare_entry(&s, up++);
    go_down = go_down && compare_entry(&s, down--);
  }
  if (square) *square = s.square;
  return s.row;
}

bool gannet_pool_has(const gannet_pool *pool, const gannet_problem *problem, const double *x_user) {
  double square = INFINITY, *x_unit = NULL;
  if (gannet_alloc((size_t)problem->d, sizeof *x_unit, &x_unit) == GANNET_OK) {
    gannet_problem_encode(problem, x_user, x_unit);
    (void)gannet_pool_nearest(pool, problem, x_unit, &square);
  }
  gannet_free(&x_unit);
  return !(square > 0);
}
