#include "surrogate/likelihood.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/node.h"
#include "linalg/blas.h"

struct gannet_likelihood {
  int n;
  bool mean;
  gannet_cholesky *factor;
  double *kernel;          /* [n][n] */
  double *weights;         /* [n][n] */
  double *solved;          /* [2][n]: K^-1 y and K^-1 1 */
  const gannet_node *node; /* whose ranks share solved: the first of them makes it, while the others
                              begin with their parts; NULL = solved is this rank's own */
  gannet_mark *mark;       /* number of the evaluation that solved belongs to; solved lies behind */
  int64_t time;            /* number of the present evaluation */
};

static gannet_err share_solved(gannet_likelihood *l, const gannet_node *node) {
  void *memory = NULL;
  GANNET_TRY(gannet_node_share(node, sizeof *l->mark + 2 * (size_t)l->n * sizeof *l->solved,
                               sizeof *l->mark, &memory));
  if (!memory) return GANNET_OK;
  gannet_free(&l->solved);
  l->node = node;
  l->mark = memory;
  l->solved = (double *)(l->mark + 1);
  return GANNET_OK;
}

gannet_err gannet_likelihood_create(const gannet_node *node, int n, bool mean,
                                    gannet_likelihood **likelihood) {
  const bool together = node && node->n > 1;
  gannet_likelihood *l = NULL;
  gannet_err code = gannet_alloc(1, sizeof *l, &l);
  if (code == GANNET_OK) {
    *l = (gannet_likelihood){.n = n, .mean = mean};
    code = gannet_alloc((size_t)n * (size_t)n, sizeof(double), &l->kernel);
    if (code == GANNET_OK) code = gannet_alloc((size_t)n * (size_t)n, sizeof(double), &l->weights);
    if (code == GANNET_OK) code = gannet_alloc(2 * (size_t)n, sizeof(double), &l->solved);
  }
  if (together) code = gannet_agree(node->comm, code);
  if (code == GANNET_OK) code = gannet_cholesky_create_shared(node, &l->factor);
  if (code == GANNET_OK && together) code = share_solved(l, node);
  if (code != GANNET_OK) gannet_likelihood_destroy(&l);
  *likelihood = l;
  return code;
}

void gannet_likelihood_destroy(gannet_likelihood **likelihood) {
  gannet_likelihood *l = *likelihood;
  if (!l) return;
  gannet_cholesky_destroy(&l->factor);
  gannet_free(&l->kernel);
  gannet_free(&l->weights);
  if (l->node) {
    void *memory = l->mark;
    gannet_node_unshare(l->node, &memory);
    l->solved = NULL;
  }
  gannet_free(&l->solved);
  gannet_free(likelihood);
}

double *gannet_likelihood_kernel(gannet_likelihood *l) {
  return l->kernel;
}

const double *gannet_likelihood_weights(const gannet_likelihood *l) {
  return l->weights;
}

/* gannet_kernel_rows */
static gannet_err copy_kernel_rows(void *user, int first, int rows, double *k, int ldk) {
  const gannet_likelihood *l = user;
  for (int i = 0; i < rows; ++i)
    memcpy(k + (size_t)i * (size_t)ldk, l->kernel + (size_t)(first + i) * (size_t)l->n,
           (size_t)(first + i + 1) * sizeof *k);
  return GANNET_OK;
}

/* K^-1 (y - mean) into the first row of solved; returns (y - mean)^T K^-1 (y - mean). */
static double solve_residual(gannet_likelihood *l, const double *y) {
  const int n = l->n;
  double *alpha = l->solved, *ones = alpha + n, mean = 0, sum = 0;
  memcpy(alpha, y, (size_t)n * sizeof *y);
  for (int i = 0; i < n; ++i) ones[i] = 1;
  gannet_cholesky_solve(l->factor, l->mean ? 2 : 1, l->solved, n);
  if (l->mean) {
    double above = 0, below = 0;
    for (int i = 0; i < n; ++i) above += alpha[i];
    for (int i = 0; i < n; ++i) below += ones[i];
    mean = above / below;
    for (int i = 0; i < n; ++i) alpha[i] -= mean * ones[i];
  }
  for (int i = 0; i < n; ++i) sum += (y[i] - mean) * alpha[i];
  return sum;
}

gannet_err gannet_likelihood_factorise(gannet_likelihood *l, gannet_kernel_rows rows, void *user,
                                       const double *y, double *value) {
  const double log_two_pi = 1.8378770664093454836;
  const int n = l->n;
  *value = INFINITY;
  const gannet_err code = gannet_cholesky_factorise(l->factor, n, rows, user);
  if (code == GANNET_ERR_NUMERIC) {
    gannet_error_clear();
    return GANNET_OK;
  }
  GANNET_TRY(code);
  ++l->time;
  double square = 0; /* on the first rank of a node; the others begin with their parts */
  if (!l->node || l->node->node_rank == 0) {
    square = solve_residual(l, y);
    if (l->node) atomic_store_explicit(&l->mark->at, l->time, memory_order_release);
  }
  *value = 0.5 * (square + gannet_cholesky_logdet(l->factor) + n * log_two_pi);
  return GANNET_OK;
}

int gannet_likelihood_parts(int n) {
  return (n + GANNET_CHOLESKY_BLOCK - 1) / GANNET_CHOLESKY_BLOCK;
}

const double *gannet_likelihood_part(gannet_likelihood *l, int part, int *first, int *rows) {
  const int n = l->n, from = part * GANNET_CHOLESKY_BLOCK, left = n - from;
  *first = from;
  *rows = left < GANNET_CHOLESKY_BLOCK ? left : GANNET_CHOLESKY_BLOCK;
  double *p = l->weights + (size_t)from * (size_t)n;
  gannet_cholesky_inverse_rows(l->factor, part, p, n);
  const double *solved = l->solved;
  if (l->node) (void)gannet_node_wait(l->node, &l->mark->at, l->time);
  for (int i = 0; i < *rows; ++i) {
    double *row = p + (size_t)i * (size_t)n;
    for (int j = from; j < n; ++j) row[j] = 0.5 * (row[j] - solved[from + i] * solved[j]);
  }
  return p;
}

gannet_err gannet_likelihood_evaluate(gannet_likelihood *l, const double *y, double *value) {
  const int n = l->n;
  GANNET_TRY(gannet_likelihood_factorise(l, copy_kernel_rows, l, y, value));
  if (!isfinite(*value)) return GANNET_OK;
  gannet_cholesky_inverse(l->factor, l->weights);
  for (int i = 0; i < n; ++i) {
    double *row = l->weights + (size_t)i * (size_t)n;
    for (int j = 0; j < n; ++j) row[j] = 0.5 * (row[j] - l->solved[i] * l->solved[j]);
  }
  return GANNET_OK;
}

double gannet_prior_normal(double t, double location, double scale, double *slope) {
  const double away = (t - location) / scale;
  *slope += away / scale;
  return 0.5 * away * away;
}

double gannet_prior_log_normal(double t, double location, double scale, double *slope) {
  const double away = (t - location) / scale;
  *slope += away / scale + 1;
  return 0.5 * away * away + t;
}
