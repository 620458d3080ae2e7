#include "surrogate/inducing/inducing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/products.h"
#include "surrogate/data_subset.h"
#include "surrogate/inducing/inducing_impl.h"

enum {
  BLOCK = GANNET_INDUCING_BLOCK, /* points at a time */
  GROUP = GANNET_PACKED_GROUP    /* draws at a time */
};

gannet_err gannet_inducing_create(const gannet_context *context, int d, int option,
                                  gannet_factor_place place, gannet_inducing **inducing) {
  const int chosen = place == GANNET_FACTOR_REPLICATED ? GANNET_INDUCING_AUTO_POINTS : 0;
  GANNET_TRY(gannet_alloc(1, sizeof **inducing, inducing));
  gannet_inducing *g = *inducing;
  g->context = context;
  g->d = d;
  g->limit = option == GANNET_AUTO ? chosen : option;
  return GANNET_OK;
}

static void release_tiles(gannet_inducing *g) {
  for (int t = 0; t < g->n_tiles; ++t) {
    gannet_free(&g->tile[t].v);
    gannet_free(&g->tile[t].left);
  }
  gannet_free(&g->tile);
  g->n_tiles = 0;
}

void gannet_inducing_destroy(gannet_inducing **inducing) {
  gannet_inducing *g = *inducing;
  if (!g) return;
  release_tiles(g);
  gannet_cholesky_destroy(&g->root);
  gannet_free(&g->index);
  gannet_free(&g->best);
  gannet_free(&g->y_old);
  gannet_free(&g->lambda_old);
  gannet_free(&g->lower);
  gannet_shared_array_release(&g->mixed);
  gannet_shared_array_release(&g->noise);
  gannet_free(&g->ones);
  gannet_free(&g->work);
  gannet_free(&g->x);
  gannet_free(&g->y);
  gannet_free(inducing);
}

/* Of n observations, so many are old: none up to twice the points, then all but less than half as
 * many as there are points. */
static int count_old(int limit, int n) {
  if (limit == 0 || n <= 2 * limit) return 0;
  const int step = limit > 1 ? limit / 2 : 1;
  return 2 * limit + (n - 2 * limit) / step * step;
}

/* A noise that is given follows the scale of the values, which moves with every batch. The points
 * are kept while it stays within a few percent: its logarithm is rounded to an eighth of an octave.
 */
static double rounded(double lambda) {
  return lambda > 0 ? exp2(round(8 * log2(lambda)) / 8) : lambda;
}

/* Lambda of each old observation; whether one of them is not what it was. */
static bool take_noise(gannet_inducing *g, const gannet_inducing_request *request, int old) {
  bool others = false;
  const bool was_stated = g->is_stated;
  g->is_stated = request->row_noise && request->row_noise->n > 0;
  for (int i = 0; i < old && g->is_stated; ++i) {
    const double more = gannet_row_noise_more(request->row_noise, i);
    const double lambda = more == 0 ? g->lambda : rounded(request->lambda + more);
    others = others || g->lambda_old[i] != lambda;
    g->lambda_old[i] = lambda;
  }
  return others || was_stated != g->is_stated;
}

static gannet_err reserve_rows(gannet_inducing *g, int old, int seen) {
  const size_t limit = (size_t)g->limit;
  if (!g->work) {
    gannet_free(&g->index);
    gannet_free(&g->best);
    gannet_free(&g->ones);
    GANNET_TRY(gannet_alloc(limit, sizeof *g->index, &g->index));
    GANNET_TRY(gannet_alloc(limit / 2 + 1, sizeof *g->best, &g->best));
    GANNET_TRY(gannet_alloc(limit, sizeof(double), &g->ones));
    GANNET_TRY(gannet_alloc(limit, sizeof(double), &g->work));
  }
  if (old > g->y_capacity) {
    const size_t now = (size_t)g->y_capacity, new = (size_t)old;
    GANNET_TRY(gannet_resize(now, new, sizeof(double), &g->y_old));
    GANNET_TRY(gannet_resize(now, new, sizeof(double), &g->lambda_old));
    g->y_capacity = old;
  }
  if (seen > g->capacity) {
    const size_t now = (size_t)g->capacity, new = (size_t)seen + limit / 2, d = (size_t)g->d;
    GANNET_TRY(gannet_resize(now * d, new *d, sizeof(double), &g->x));
    GANNET_TRY(gannet_resize(now, new, sizeof(double), &g->y));
    g->capacity = (int)new;
  }
  return GANNET_OK;
}

/* This rank's tiles of the old observations. */
static gannet_err make_tiles(gannet_inducing *g) {
  const int all = (g->n_old + GANNET_TILE - 1) / GANNET_TILE;
  release_tiles(g);
  GANNET_TRY(gannet_alloc((size_t)all, sizeof *g->tile, &g->tile));
  for (int t = 0; t < all; ++t) {
    const int first = t * GANNET_TILE, left = g->n_old - first;
    const int rows = left < GANNET_TILE ? left : GANNET_TILE, group = t % INDUCING_GROUPS;
    if (group % g->context->np != g->context->rank) continue;
    inducing_tile *tile = &g->tile[g->n_tiles++];
    *tile = (inducing_tile){.group = group, .first = first, .rows = rows};
    GANNET_TRY(gannet_alloc((size_t)rows * (size_t)g->limit, sizeof(double), &tile->v));
    GANNET_TRY(gannet_alloc((size_t)rows, sizeof(double), &tile->left));
  }
  return GANNET_OK;
}

static int by_number(const void *a, const void *b) {
  const int left = *(const int *)a, right = *(const int *)b;
  return (left > right) - (left < right);
}

/* The observations with the best values; whether they are others than before. */
static gannet_err find_best(gannet_inducing *g, int old, const double *y, bool *others) {
  const size_t half = (size_t)(g->limit / 2), size = half * sizeof *g->best;
  int *rank = NULL;
  GANNET_TRY(gannet_alloc((size_t)old, sizeof *rank, &rank));
  const gannet_err err = gannet_rank_values(old, y, rank);
  if (err == GANNET_OK) {
    qsort(rank, half, sizeof *rank, by_number);
    *others = *others || memcmp(g->best, rank, size) != 0;
    memcpy(g->best, rank, size);
  }
  gannet_free(&rank);
  return err;
}

/* What a rank does alone: whether the points must be chosen anew, and whether old values moved. */
static gannet_err compare_request(gannet_inducing *g, const gannet_inducing_request *request,
                                  int old, bool *anew, bool *moved) {
  const gannet_data *data = request->data;
  const double lambda = data->noise_var > 0 ? rounded(request->lambda) : request->lambda;
  const size_t bytes = (size_t)old * sizeof *data->y;
  GANNET_TRY(reserve_rows(g, old, g->limit + data->n - old));
  *anew = request->fresh || g->old != old || g->lambda != lambda;
  g->lambda = lambda;
  *anew = take_noise(g, request, old) || *anew;
  *moved = *anew || memcmp(g->y_old, data->y, bytes) != 0;
  if (*moved) GANNET_TRY(find_best(g, old, data->y, anew));
  memcpy(g->y_old, data->y, bytes);
  g->old = 0; /* should one of the next steps fail */
  g->given = request->lambda;
  return GANNET_OK;
}

/* What ranks have in common, made once. */
static gannet_err create_shared(gannet_inducing *g) {
  const size_t length = (size_t)g->limit * (size_t)g->limit;
  if (g->root) return GANNET_OK;
  gannet_shared_array_release(&g->mixed);
  gannet_shared_array_release(&g->noise);
  GANNET_TRY(gannet_shared_array_create(g->context, length, length, &g->mixed));
  GANNET_TRY(gannet_shared_array_create(g->context, length, length, &g->noise));
  const gannet_err err =
      gannet_agree(g->context->comm, gannet_cholesky_create_shared(g->context->node, &g->root));
  if (err != GANNET_OK) gannet_cholesky_destroy(&g->root); /* on other nodes there may be one */
  return err;
}

static gannet_err renew_points(gannet_inducing *g, const gannet_inducing_request *request) {
  const size_t d = (size_t)g->d;
  GANNET_TRY(create_shared(g));
  gannet_err err = make_tiles(g);
  if (err == GANNET_OK)
    err = gannet_alloc((size_t)g->limit * (size_t)g->limit, sizeof *g->lower, &g->lower);
  err = gannet_agree(g->context->comm, err);
  if (err == GANNET_OK) err = inducing_choose(g, request);
  if (err == GANNET_OK) err = inducing_sum(g);
  gannet_free(&g->lower);
  GANNET_TRY(err);
  for (int i = 0; i < g->m; ++i)
    memcpy(g->x + (size_t)i * d, request->data->x + (size_t)g->index[i] * d, d * sizeof *g->x);
  return GANNET_OK;
}

gannet_err gannet_inducing_view(gannet_inducing *g, const gannet_inducing_request *request,
                                gannet_data *seen, bool *renewed) {
  const gannet_data *data = request->data;
  const int old = count_old(g->limit, data->n - request->n_fantasies);
  const size_t d = (size_t)g->d;
  bool moved = false;
  *seen = *data;
  *renewed = g->old > 0;
  g->row_noise = request->row_noise;
  g->n_seen = old;
  if (old == 0) {
    g->old = g->m = 0;
    return GANNET_OK;
  }
  GANNET_TRY(gannet_agree(g->context->comm, compare_request(g, request, old, renewed, &moved)));
  g->n_old = old;
  if (*renewed) GANNET_TRY(renew_points(g, request));
  if (moved) GANNET_TRY(inducing_values(g, data->y, g->y));
  g->old = old;
  const size_t m = (size_t)g->m, late = (size_t)(data->n - old);
  memcpy(g->x + m * d, data->x + (size_t)old * d, late * d * sizeof *g->x);
  memcpy(g->y + m, data->y + old, late * sizeof *g->y);
  *seen = (gannet_data){g->m + data->n - old, g->x, g->y, data->noise_var, NULL};
  return GANNET_OK;
}

/* What the noise of a row that is seen is more than the general one: rows from m on stand for
 * themselves. */
static double more_noise(const gannet_inducing *g, int row) {
  return row < g->m ? 0 : gannet_row_noise_more(g->row_noise, row - g->m + g->n_seen);
}

void gannet_inducing_add_noise(const gannet_inducing *g, double lambda, int first, int rows,
                               int from, int columns, double *k, int ldk) {
  const int m = g->m;
  for (int i = first; i < first + rows; ++i) {
    double *row = k + (size_t)(i - first) * (size_t)ldk;
    for (int j = from; i < m && j < from + columns && j < m; ++j)
      row[j - from] += inducing_noise(g, i, j);
    if (i >= from && i < from + columns)
      row[i - from] += i < m ? lambda - g->given : lambda + more_noise(g, i);
  }
}

typedef struct {
  const gannet_inducing *inducing;
  double lambda;
} noise_matrix;

/* gannet_kernel_tile of N alone. */
static gannet_err noise_tile(void *user, int first, int rows, int from, int columns, double *k,
                             int ldk) {
  const noise_matrix *noise = user;
  for (int i = 0; i < rows; ++i)
    memset(k + (size_t)i * (size_t)ldk, 0, (size_t)columns * sizeof *k);
  gannet_inducing_add_noise(noise->inducing, noise->lambda, first, rows, from, columns, k, ldk);
  return GANNET_OK;
}

gannet_err gannet_inducing_information_gain(const gannet_inducing *g, const gannet_factor *factor,
                                            double lambda, int n, double *gain) {
  const gannet_cholesky *whole = NULL;
  double log_noise = 0;
  *gain = 0;
  GANNET_TRY(gannet_factor_whole(factor, &whole));
  if (n == 0 || !whole) return GANNET_OK;
  if (g->m == 0) {
    for (int i = 0; i < n; ++i) log_noise += log(lambda + more_noise(g, i));
  } else {
    noise_matrix noise = {g, lambda};
    gannet_factor *of_noise = NULL;
    gannet_err err = gannet_agree(
        g->context->comm, gannet_factor_create(g->context, GANNET_FACTOR_REPLICATED, &of_noise));
    if (err == GANNET_OK) err = gannet_factor_extend(of_noise, n, noise_tile, &noise);
    if (err == GANNET_OK) log_noise = gannet_cholesky_logdet(gannet_factor_replicated(of_noise));
    gannet_factor_destroy(&of_noise);
    GANNET_TRY(err);
  }
  *gain = 0.5 * (gannet_cholesky_logdet(whole) - log_noise);
  return GANNET_OK;
}

/* Memory for the noise of q draws at the inducing points. */
typedef struct {
  const gannet_inducing *g;
  int q;
  double *normal; /* [q][m] */
  double *packed; /* the same for products */
  double *made;   /* [BLOCK][q, whole groups] */
  size_t ld;      /* of made */
} noise_draws;

/* L S^-T/2 times normal numbers, for the rows of this rank; 0 for the others.
 *
 * noise  inout  [q][n], of which the first m numbers of each row
 */
static void correlate_noise(const noise_draws *w, const gannet_stride *own, int n, double *noise) {
  const size_t m = (size_t)w->g->m, ld = (size_t)n;
  for (size_t j = 0; j < (size_t)w->q; ++j) {
    memcpy(w->normal + j * m, noise + j * ld, m * sizeof *noise);
    memset(noise + j * ld, 0, ld * sizeof *noise);
  }
  gannet_pack(w->q, w->g->m, w->normal, w->packed);
  for (size_t i = (size_t)own->first * BLOCK; i < m; i += (size_t)own->step * BLOCK) {
    const size_t rows = m - i < BLOCK ? m - i : BLOCK;
    gannet_packed_products((int)rows, w->g->m, w->g->mixed.values + i * m, w->q, w->packed, 0, w->q,
                           w->made, (int)w->ld);
    for (size_t j = 0; j < (size_t)w->q; ++j)
      for (size_t r = 0; r < rows; ++r) noise[j * ld + i + r] = w->made[r * w->ld + j];
  }
}

/* What lambda was raised by is left out at the points: it is of the order of rounding. */
static gannet_err add_noise_draws(noise_draws *w, double lambda, const gannet_stride *own, int n,
                                  double *values) {
  const size_t m = (size_t)w->g->m, length = (size_t)n, all = (size_t)w->q * length;
  const MPI_Comm comm = w->g->context->comm;
  double *noise = values + all;
  if (own->shared) GANNET_TRY(gannet_partition_gather(comm, 2 * all, values));
  for (size_t j = 0; j < (size_t)w->q; ++j)
    for (size_t i = m; i < length; ++i)
      values[j * length + i] += sqrt(lambda + more_noise(w->g, (int)i)) * noise[j * length + i];
  if (m == 0) return GANNET_OK;
  correlate_noise(w, own, n, noise);
  if (own->shared) GANNET_TRY(gannet_partition_gather(comm, all, noise));
  for (size_t j = 0; j < (size_t)w->q; ++j)
    for (size_t i = 0; i < m; ++i) values[j * length + i] += noise[j * length + i];
  return GANNET_OK;
}

gannet_err gannet_inducing_perturb(const gannet_inducing *g, double lambda,
                                   const gannet_stride *own, gannet_stream stream, int q, int n,
                                   double *values) {
  const size_t length = (size_t)n;
  noise_draws w = {.g = g, .q = q, .ld = ((size_t)q + GROUP - 1) / GROUP * GROUP};
  gannet_err err = GANNET_OK;
  if (g->m > 0) {
    err = gannet_alloc((size_t)q * (size_t)g->m, sizeof *w.normal, &w.normal);
    if (err == GANNET_OK)
      err = gannet_alloc(gannet_packed_length(q, g->m), sizeof *w.packed, &w.packed);
    if (err == GANNET_OK) err = gannet_alloc(BLOCK * w.ld, sizeof *w.made, &w.made);
  }
  err = gannet_agree(g->context->comm, err);
  for (int j = own->first; err == GANNET_OK && j < q; j += own->step) {
    stream.index = (uint64_t)j;
    gannet_random_normal(stream, 0, length, values + (size_t)(q + j) * length);
  }
  if (err == GANNET_OK) err = add_noise_draws(&w, lambda, own, n, values);
  gannet_free(&w.normal);
  gannet_free(&w.packed);
  gannet_free(&w.made);
  return err;
}

void gannet_inducing_ones(const gannet_inducing *g, int n, double *ones) {
  for (int i = 0; i < n; ++i) ones[i] = i < g->m ? g->ones[i] : 1;
}

int gannet_inducing_points(const gannet_inducing *g) {
  return g->m;
}
