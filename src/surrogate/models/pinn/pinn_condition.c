/* Conditioning on observations and equations: rows, the factor of K by blocks, the solve, and
 * Gauss-Newton around the solve.
 *
 * Ranks that make one model together share its products: features, and products of rows. Every rank
 * makes some pieces of a product and sends them to the others. Pieces are the same on any number of
 * ranks, and each is made by the same call, so the bits do not depend on the number of ranks. BLAS
 * gives the part of a product the bits of the whole when the part has 192 rows or columns, a
 * multiple of what its kernels take at once, or is the rest of the whole. The smallest products are
 * an exception (LEAST_ROWS).
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "linalg/blas.h"
#include "surrogate/models/pinn/pinn.h"

enum { LEAST_ROWS = 8 }; /* fewer observations: one rank makes the whole product */

/* Rows cut into pieces, and the rows that each rank makes. */
typedef struct {
  int pieces;
  int *begin;   /* [pieces + 1] first row of every piece, then the number of rows */
  double *cost; /* [pieces] */
  int *first;   /* [np + 1] first row of every rank, then the number of rows */
} division;

static void division_release(division *v) {
  gannet_free(&v->begin);
  gannet_free(&v->cost);
  gannet_free(&v->first);
}

static gannet_err division_create(const pinn *s, int most, division *v) {
  *v = (division){0};
  GANNET_TRY(gannet_alloc((size_t)most + 1, sizeof *v->begin, &v->begin));
  GANNET_TRY(gannet_alloc((size_t)most, sizeof *v->cost, &v->cost));
  return gannet_alloc((size_t)s->context->np + 1, sizeof *v->first, &v->first);
}

static void add_piece(division *v, int end, double cost) {
  v->cost[v->pieces++] = cost;
  v->begin[v->pieces] = end;
}

gannet_err pinn_agree(const pinn *s, gannet_err code) {
  return s->ranks_share ? gannet_agree(s->context->comm, code) : code;
}

int pinn_count_alone(const pinn *s, int n) {
  const int np = s->context->np, left = n % np;
  /* np ranks together are about 2/3 np times as fast as one, and hardly more than four times */
  return 3 * left < 2 * np && left < 4 ? n - left : n;
}

/* Rows first .. end - 1 of the features; with length also divided by their lengths. */
static gannet_err features_of_rows(pinn *s, const pinn_rows *rows, int first, int end,
                                   const double *w, double *phi, double *length) {
  GANNET_TRY(pinn_network_features_range(s->network, rows, first, end, w, phi));
  for (int i = first; length && i < end; ++i) {
    double *row = phi + (size_t)i * (size_t)s->p;
    const double norm = sqrt(gannet_dot(s->p, row, row));
    GANNET_REQUIRE(isfinite(norm), GANNET_ERR_NUMERIC, "row %d of the equations is not finite", i);
    length[i] = norm > 0 ? norm : 1;
    for (int k = 0; k < s->p; ++k) row[k] /= length[i];
  }
  return GANNET_OK;
}

/* Pieces are tiles, which depend on their points alone. */
static gannet_err divide_features(const pinn *s, const pinn_rows *rows, division *v) {
  GANNET_TRY(division_create(s, rows->n_rows, v));
  for (int end = 0; end < rows->n_rows;) {
    const int first = end;
    end = pinn_network_tile_end(rows, first);
    add_piece(v, end, end - first);
  }
  gannet_partition_cut(v->pieces, v->begin, v->cost, s->context->np, v->first);
  return GANNET_OK;
}

/* pinn_network_features; with length [n_rows] rows are also divided by their lengths, of which a
 * length of 0 becomes 1. Collective while s->ranks_share. */
static gannet_err shared_features(pinn *s, const pinn_rows *rows, const double *w, double *phi,
                                  double *length) {
  const MPI_Comm comm = s->context->comm;
  const int rank = s->context->rank;
  division v = {0};
  if (!s->ranks_share) return features_of_rows(s, rows, 0, rows->n_rows, w, phi, length);
  gannet_err code = divide_features(s, rows, &v);
  if (code == GANNET_OK)
    code = features_of_rows(s, rows, v.first[rank], v.first[rank + 1], w, phi, length);
  code = gannet_agree(comm, code);
  if (code == GANNET_OK)
    code = gannet_partition_gather_rows(comm, v.first, (size_t)s->p * sizeof(double), phi);
  if (code == GANNET_OK && length)
    code = gannet_partition_gather_rows(comm, v.first, sizeof(double), length);
  division_release(&v);
  return code;
}

/* c[n][n] = alpha a a^T + beta c of k columns of a [n][lda], in blocks of edge rows. The lower
 * triangle of c is complete, the upper one is not. */
typedef struct {
  int n, k, edge;
  double alpha, beta;
  const double *a;
  int lda;
  double *c;
} gram;

/* Rows first .. end - 1, in blocks of edge rows. */
static void gram_range(const gram *g, int first, int end) {
  for (int i = first; i < end; i += g->edge) {
    const int rows = end - i < g->edge ? end - i : g->edge;
    gannet_gemm_nt(rows, i + rows, g->k, g->alpha, g->a + (size_t)i * (size_t)g->lda, g->lda, g->a,
                   g->lda, g->beta, g->c + (size_t)i * (size_t)g->n, g->n);
  }
}

/* Pieces are blocks of edge rows of the triangle, whose cost grows with their position. */
static gannet_err divide_triangle(const pinn *s, int n, int edge, division *v) {
  GANNET_TRY(division_create(s, (n + edge - 1) / edge, v));
  for (int end = 0; end < n;) {
    const int first = end;
    end = n - first < edge ? n : first + edge;
    add_piece(v, end, (double)(end - first) * end);
  }
  gannet_partition_cut(v->pieces, v->begin, v->cost, s->context->np, v->first);
  return GANNET_OK;
}

/* Collective while s->ranks_share. */
static gannet_err shared_gram(const pinn *s, const gram *g) {
  const MPI_Comm comm = s->context->comm;
  const int rank = s->context->rank;
  division v = {0};
  if (!s->ranks_share) {
    gram_range(g, 0, g->n);
    return GANNET_OK;
  }
  gannet_err code = divide_triangle(s, g->n, g->edge, &v);
  if (code == GANNET_OK) gram_range(g, v.first[rank], v.first[rank + 1]);
  code = gannet_agree(comm, code);
  if (code == GANNET_OK)
    code = gannet_partition_gather_rows(comm, v.first, (size_t)g->n * sizeof(double), g->c);
  division_release(&v);
  return code;
}

/* Phi Omega^T, by pieces of 192 columns, the last of which also has the rest. Columns
 * of other ranks are 0 until they are gathered. */
static gannet_err cross_products(pinn *s) {
  const int n = s->n, r = s->r, p = s->p, rank = s->context->rank, np = s->context->np;
  const int pieces = s->ranks_share && n >= LEAST_ROWS ? r / PINN_BLOCK : 1;
  if (pieces < 2) {
    gannet_gemm_nt(n, r, p, 1, s->phi, p, s->omega, p, 0, s->cross, r);
    return GANNET_OK;
  }
  memset(s->cross, 0, (size_t)n * (size_t)r * sizeof *s->cross);
  for (int k = rank; k < pieces; k += np) {
    const int first = k * PINN_BLOCK, columns = k < pieces - 1 ? PINN_BLOCK : r - first;
    gannet_gemm_nt(n, columns, p, 1, s->phi, p, s->omega + (size_t)first * (size_t)p, p, 0,
                   s->cross + first, r);
  }
  return gannet_partition_gather(s->context->comm, (size_t)n * (size_t)r, s->cross);
}

gannet_err pinn_set_scales(pinn *s) {
  const pinn_options *o = s->options;
  const double rho = exp(s->hyper[PINN_SCALE]);
  const bool sine = strcmp(gannet_smooth_activations[o->activation]->name, "sin") == 0;
  const pinn_scales scales = {.rho = rho,
                              .single_rho = exp(s->hyper[PINN_SINGLE]),
                              .bias = !isnan(o->bias) ? o->bias
                                      : sine          ? 3
                                                      : rho * sqrt(s->d),
                              .share = s->hyper[PINN_SHARE],
                              .edge = s->hyper[PINN_EDGE]};
  return pinn_agree(s, pinn_network_set_scales(s->network, &scales));
}

/* Weights at which the network is linearised for a model at v; NULL = the start. */
static const double *linearised_at(const pinn *s, const double *v) {
  return s->mode == PINN_TRAINED ? v : NULL;
}

/* Derivatives of f / s at the points of the equations into s->jets, before offset and slope. A
 * model that is linear in its weights gets them from one row per derivative. */
static gannet_err jets_at(pinn *s, const double *v) {
  const gannet_pde_residuals *residuals = s->known;
  const pinn_rows all = {.plan = &s->equations, .n_points = residuals->n_points, .x = residuals->x};
  if (s->mode == PINN_TRAINED) return pinn_network_jets(s->network, &all, v, s->jets);
  const int b = residuals->n_partials;
  double *one = NULL, *rows = NULL;
  gannet_err code = gannet_alloc((size_t)PINN_TILE * (size_t)b, sizeof *one, &one);
  if (code == GANNET_OK) code = gannet_alloc(PINN_TILE * (size_t)s->p, sizeof *rows, &rows);
  for (int k = 0; k < b && code == GANNET_OK; ++k) {
    for (int i = 0; i < PINN_TILE * b; ++i) one[i] = i % b == k;
    for (int first = 0; first < residuals->n_points && code == GANNET_OK; first += PINN_TILE) {
      const int n =
          residuals->n_points - first < PINN_TILE ? residuals->n_points - first : PINN_TILE;
      const pinn_rows part = {.plan = &s->equations,
                              .n_points = n,
                              .x = residuals->x + (size_t)first * (size_t)s->d,
                              .n_rows = n,
                              .coefficient = one};
      code = pinn_network_features(s->network, &part, NULL, rows);
      for (int i = 0; i < n; ++i)
        s->jets[(first + i) * b + k] = gannet_dot(s->p, rows + (size_t)i * (size_t)s->p, v);
    }
  }
  gannet_free(&one);
  gannet_free(&rows);
  return code;
}

/* Coefficients and right sides of the equations at f = offset + slope s (network at v), and the
 * derivatives of f in s->jets. */
static gannet_err linearise_equations(pinn *s, const double *v) {
  const gannet_pde_residuals *residuals = s->known;
  const size_t b = (size_t)residuals->n_partials;
  const double factor = s->constraint.slope * exp(0.5 * s->hyper[PINN_AMPLITUDE]);
  if (pinn_is_linear(s) || !v)
    memset(s->jets, 0, (size_t)residuals->n_points * b * sizeof *s->jets);
  else
    GANNET_TRY(jets_at(s, v));
  for (size_t i = 0; i < (size_t)residuals->n_points; ++i)
    for (size_t k = 0; k < b; ++k)
      s->jets[i * b + k] = factor * s->jets[i * b + k] +
                           (residuals->partials[k].order == 0 ? s->constraint.offset : 0);
  return gannet_pde_residuals_linearise(residuals, s->jets, s->coefficient, s->rhs, NULL);
}

/* How far row i misses its right side with f at the present jets, in units of the prior. */
static double miss_of_row(const pinn *s, int i) {
  const int b = s->known->n_partials;
  const double factor = s->constraint.slope * exp(0.5 * s->hyper[PINN_AMPLITUDE]);
  const double now =
      gannet_dot(b, s->coefficient + (size_t)i * (size_t)b, s->jets + s->known->point[i] * b);
  return (s->rhs[i] - now) / (factor * s->length[i]);
}

/* target = (rhs - row(f at v)) / (slope s length) + omega . v: right sides for the weights
 * themselves instead of their step from v. */
static void equation_targets(pinn *s, const double *v) {
  const bool at_zero = pinn_is_linear(s) || !v;
  for (int i = 0; i < s->r; ++i) s->target_r[i] = miss_of_row(s, i);
  if (!at_zero) gannet_gemv_n(s->r, s->p, 1, s->omega, s->p, v, 1, s->target_r);
}

/* Rows of the equations at v, divided by their lengths. */
static gannet_err equation_rows(pinn *s, const double *v) {
  const gannet_pde_residuals *residuals = s->known;
  const pinn_rows rows = {.plan = &s->equations,
                          .n_points = residuals->n_points,
                          .x = residuals->x,
                          .n_rows = s->r,
                          .point = residuals->point,
                          .coefficient = s->coefficient};
  return shared_features(s, &rows, linearised_at(s, v), s->omega, s->length);
}

/* The weights that matter: features of parts without a share are 0. */
static void active_weights(const pinn *s, int *from, int *n) {
  const int wide = pinn_network_wide(s->network);
  const double share = s->hyper[PINN_SHARE];
  *from = share == 1 && wide < s->p ? wide : 0;
  *n = (share == 0 ? wide : s->p) - *from;
}

/* Rows of K_rr + lambda_2 I. */
static gannet_err kernel_rows_r(void *user, int first, int rows, double *k, int ldk) {
  const pinn *s = user;
  const size_t r = (size_t)s->r;
  int from = 0, n = 0;
  active_weights(s, &from, &n);
  if (!s->gram_r)
    gannet_gemm_nt(rows, first + rows, n, 1, s->omega + (size_t)first * (size_t)s->p + from, s->p,
                   s->omega + from, s->p, 0, k, ldk);
  for (size_t i = 0; i < (size_t)rows; ++i) {
    double *row = k + i * (size_t)ldk;
    const size_t at = (size_t)first + i;
    if (s->gram_r) memcpy(row, s->gram_r + at * r, (at + 1) * sizeof *row);
    row[at] += s->known->lambda2;
  }
  return GANNET_OK;
}

/* Rows of S + lambda_1 I. */
static gannet_err kernel_rows_u(void *user, int first, int rows, double *k, int ldk) {
  const pinn *s = user;
  for (int i = 0; i < rows; ++i) {
    const size_t row = (size_t)(first + i);
    memcpy(k + (size_t)i * (size_t)ldk, s->schur + row * (size_t)s->n, (row + 1) * sizeof *k);
    k[(size_t)i * (size_t)ldk + row] += s->lambda1;
  }
  return GANNET_OK;
}

/* phi, B and S. All rows are made together: products of other shapes may round differently, and a
 * model must not depend on how its data arrived. */
static gannet_err observation_rows(pinn *s, const double *v) {
  const int n = s->n, r = s->r, p = s->p;
  if (n == 0) return GANNET_OK;
  const pinn_rows rows = {.plan = &s->value, .n_points = n, .x = s->x, .n_rows = n};
  GANNET_TRY(shared_features(s, &rows, linearised_at(s, v), s->phi, NULL));
  const gram plain = {n, p, PINN_BLOCK, 1, 0, s->phi, p, s->schur};
  GANNET_TRY(shared_gram(s, &plain));
  if (r == 0) return GANNET_OK;
  GANNET_TRY(cross_products(s)); /* and from them s->cross = Phi Omega^T L^-T */
  if (s->ranks_share)
    GANNET_TRY(gannet_cholesky_forward_dealt(s->factor_r, s->context->comm, n, s->cross));
  else
    gannet_cholesky_forward(s->factor_r, n, s->cross, r);
  const gram known = {n, r, PINN_BLOCK, -1, 1, s->cross, r, s->schur};
  return shared_gram(s, &known);
}

static gannet_err factorise_r(pinn *s) {
  const size_t r = (size_t)s->r;
  gannet_err code = GANNET_OK;
  gannet_cholesky_clear(s->factor_r);
  if (s->r == 0) return GANNET_OK;
  if (s->ranks_share) { /* ranks make the products, in the blocks that the factor asks for */
    int from = 0, n = 0;
    active_weights(s, &from, &n);
    code = pinn_agree(s, gannet_alloc(r * r, sizeof(double), &s->gram_r));
    const gram products = {s->r, n, GANNET_CHOLESKY_BLOCK, 1, 0, s->omega + from, s->p, s->gram_r};
    if (code == GANNET_OK) code = shared_gram(s, &products);
  }
  if (code == GANNET_OK)
    code = pinn_agree(s, gannet_cholesky_extend(s->factor_r, s->r, kernel_rows_r, s));
  gannet_free(&s->gram_r);
  return code;
}

gannet_err pinn_factorise_u(pinn *s) {
  gannet_err code = GANNET_ERR_NUMERIC;
  for (int attempt = 0; attempt < 14 && code == GANNET_ERR_NUMERIC; ++attempt) {
    gannet_cholesky_clear(s->factor_u);
    code = gannet_cholesky_extend(s->factor_u, s->n, kernel_rows_u, s);
    if (code != GANNET_ERR_NUMERIC) break;
    gannet_error_clear();
    s->lambda1 = 10 * fmax(s->lambda1, 1e-13);
  }
  if (code == GANNET_ERR_NUMERIC)
    code = GANNET_RAISE(code, "kernel of %d points given %d equations", s->n, s->r);
  return pinn_agree(s, code);
}

/* v = prior + Phi^T K^-1 (targets + shifts - Phi prior). */
void pinn_solve(pinn *s, const pinn_pull *pull, double *v) {
  const int r = s->r, n = s->n, p = s->p;
  double *tr = s->alpha_r, *tu = s->alpha_u;
  for (int i = 0; i < r; ++i) tr[i] = s->target_r[i] + (pull->shift_r ? pull->shift_r[i] : 0);
  for (int i = 0; i < n; ++i) tu[i] = s->target_u[i] + (pull->shift_u ? pull->shift_u[i] : 0);
  if (pull->prior && r > 0) gannet_gemv_n(r, p, -1, s->omega, p, pull->prior, 1, tr);
  if (pull->prior && n > 0) gannet_gemv_n(n, p, -1, s->phi, p, pull->prior, 1, tu);
  if (r > 0) gannet_cholesky_forward(s->factor_r, 1, tr, r);
  if (r > 0 && n > 0) gannet_gemv_n(n, r, -1, s->cross, r, tr, 1, tu);
  if (n > 0) gannet_cholesky_solve(s->factor_u, 1, tu, n);
  if (r > 0 && n > 0) gannet_gemv_t(n, r, -1, s->cross, r, tu, 1, tr);
  if (r > 0) gannet_cholesky_backward(s->factor_r, 1, tr, r);
  if (pull->prior)
    memmove(v, pull->prior, (size_t)p * sizeof *v);
  else
    memset(v, 0, (size_t)p * sizeof *v);
  if (r > 0) gannet_gemv_t(r, p, 1, s->omega, p, tr, 1, v);
  if (n > 0) gannet_gemv_t(n, p, 1, s->phi, p, tu, 1, v);
}

/* Targets of observations at v: y / s - f(v) + phi . v. */
static gannet_err observation_targets(pinn *s, const double *v) {
  const double scale = exp(-0.5 * s->hyper[PINN_AMPLITUDE]);
  for (int i = 0; i < s->n; ++i) s->target_u[i] = scale * s->y[i];
  if (s->mode != PINN_TRAINED || !v || s->n == 0) return GANNET_OK;
  const pinn_rows rows = {.plan = &s->value, .n_points = s->n, .x = s->x};
  GANNET_TRY(pinn_network_jets(s->network, &rows, v, s->alpha_u));
  for (int i = 0; i < s->n; ++i)
    s->target_u[i] += gannet_dot(s->p, s->phi + (size_t)i * (size_t)s->p, v) - s->alpha_u[i];
  return GANNET_OK;
}

/* All rows at v, their targets, and the factors. */
static gannet_err linearise_all(pinn *s, const double *v) {
  if (s->r > 0) {
    GANNET_TRY(pinn_agree(s, linearise_equations(s, v)));
    GANNET_TRY(equation_rows(s, v));
    equation_targets(s, v);
  }
  GANNET_TRY(factorise_r(s));
  GANNET_TRY(observation_rows(s, v));
  GANNET_TRY(observation_targets(s, v));
  return pinn_factorise_u(s);
}

/* Half of |v - prior|^2 plus the squared residuals over their variances, with rows divided by the
 * lengths of the last linearisation. */
static gannet_err loss_at(pinn *s, const pinn_pull *pull, const double *v, double *loss) {
  double sum = 0;
  for (int k = 0; k < s->p; ++k) {
    const double away = v[k] - (pull->prior ? pull->prior[k] : 0);
    sum += away * away;
  }
  if (s->r > 0) {
    GANNET_TRY(linearise_equations(s, v));
    for (int i = 0; i < s->r; ++i) {
      const double miss = miss_of_row(s, i) + (pull->shift_r ? pull->shift_r[i] : 0);
      sum += miss * miss / s->known->lambda2;
    }
  }
  GANNET_TRY(observation_targets(s, v));
  for (int i = 0; i < s->n; ++i) {
    const double miss = s->target_u[i] + (pull->shift_u ? pull->shift_u[i] : 0) -
                        gannet_dot(s->p, s->phi + (size_t)i * (size_t)s->p, v);
    sum += miss * miss / s->lambda1;
  }
  *loss = 0.5 * sum;
  return GANNET_OK;
}

/* The longest of v + (full - v) / 2^k that lowers the loss, into v; *gain is 0 when none does. */
static gannet_err search_line(pinn *s, const pinn_pull *pull, double *v, double *gain) {
  double before = 0, after = 0, *full = s->trial;
  GANNET_TRY(loss_at(s, pull, v, &before));
  *gain = 0;
  for (int k = 0; k < 8; ++k) {
    GANNET_TRY(loss_at(s, pull, full, &after));
    if (after < before) {
      *gain = (before - after) / (before + 1e-300);
      memcpy(v, full, (size_t)s->p * sizeof *v);
      return GANNET_OK;
    }
    for (int i = 0; i < s->p; ++i) full[i] = 0.5 * (full[i] + v[i]);
  }
  return GANNET_OK;
}

gannet_err pinn_descend(pinn *s, const pinn_pull *pull, double *v) {
  if (pinn_is_linear(s)) {
    pinn_solve(s, pull, v);
    return GANNET_OK;
  }
  double gain = 1;
  for (int step = 0; step < pull->steps && gain > 1e-6; ++step) {
    GANNET_TRY(linearise_all(s, v));
    pinn_solve(s, pull, s->trial);
    GANNET_TRY(pinn_agree(s, search_line(s, pull, v, &gain)));
    /* that all go on, if processors of other kinds should round otherwise */
    if (s->ranks_share) GANNET_TRY_MPI(MPI_Bcast(&gain, 1, MPI_DOUBLE, 0, s->context->comm));
  }
  return GANNET_OK;
}

gannet_err pinn_condition(pinn *s, bool all) {
  const pinn_pull pull = {.steps = s->options->steps};
  const double noise = isnan(s->noise_var) ? exp(s->hyper[PINN_NOISE]) : s->noise_var;
  s->lambda1 = fmax(s->options->noise_floor, noise * exp(-s->hyper[PINN_AMPLITUDE]));
  if (!pinn_is_linear(s)) { /* moments and draws are made with the rows at the mean */
    memset(s->w, 0, (size_t)s->p * sizeof *s->w);
    GANNET_TRY(pinn_descend(s, &pull, s->w));
    GANNET_TRY(linearise_all(s, s->w));
    pinn_solve(s, &pull, s->trial);
    return GANNET_OK;
  }
  if (s->r > 0) GANNET_TRY(pinn_agree(s, linearise_equations(s, NULL)));
  if (all && s->r > 0) GANNET_TRY(equation_rows(s, NULL));
  if (all) GANNET_TRY(factorise_r(s));
  GANNET_TRY(observation_rows(s, NULL));
  if (s->r > 0) equation_targets(s, NULL);
  GANNET_TRY(observation_targets(s, s->w));
  GANNET_TRY(pinn_factorise_u(s));
  pinn_solve(s, &pull, s->w);
  return GANNET_OK;
}

gannet_err pinn_relinearise(pinn *s) {
  return pinn_is_linear(s) ? GANNET_OK : linearise_all(s, s->w);
}
