/* Conditioning on observations and equations, by blocks; Gauss-Newton around it. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/models/pinn/pinn.h"

void pinn_forget_equations(pinn *s) {
  s->known = NULL;
  s->stale = true;
  s->r = 0;
  s->work_size = 0; /* other numbers of rows may have the same sum */
  gannet_free(&s->coefficient);
  gannet_free(&s->rhs);
  gannet_free(&s->length);
  gannet_free(&s->jets);
  gannet_free(&s->omega);
  gannet_free(&s->target_r);
  gannet_free(&s->alpha_r);
  gannet_jet_plan_release(&s->law);
}

/* Rows of the equations and the matrix of their products. */
static gannet_err check_rows(double rows, double parameters) {
  const double needed = 8 * rows * (rows + parameters);
  double present = 0;
  GANNET_REQUIRE(gannet_memory_holds(needed, &present), GANNET_ERR_MEMORY,
                 "a model with equations that are imposed in %.0f rows takes %.1f GB, and this "
                 "machine has %.1f GB: choose fewer physics.points",
                 rows, needed / 1e9, present / 1e9);
  return GANNET_OK;
}

gannet_err pinn_take_equations(pinn *s) {
  const gannet_pde_residuals *residuals = s->constraint.residuals;
  if (residuals == s->known) return GANNET_OK;
  pinn_forget_equations(s);
  if (!residuals) return GANNET_OK;
  const size_t r = (size_t)residuals->n_rows, b = (size_t)residuals->n_partials;
  GANNET_TRY(check_rows((double)r, (double)s->p));
  GANNET_TRY(gannet_jet_plan_create(s->d, residuals->n_partials, residuals->partials, &s->law));
  GANNET_TRY(gannet_alloc(r * b, sizeof(double), &s->coefficient));
  GANNET_TRY(gannet_alloc(r, sizeof(double), &s->rhs));
  GANNET_TRY(gannet_alloc(r, sizeof(double), &s->length));
  GANNET_TRY(gannet_alloc((size_t)residuals->n_points * b, sizeof(double), &s->jets));
  GANNET_TRY(gannet_alloc(r * (size_t)s->p, sizeof(double), &s->omega));
  GANNET_TRY(gannet_alloc(r, sizeof(double), &s->target_r));
  GANNET_TRY(gannet_alloc(r, sizeof(double), &s->alpha_r));
  s->known = residuals;
  s->r = residuals->n_rows;
  return GANNET_OK;
}

/* The matrix of the observations, with room for half as many more. */
static gannet_err check_memory(double rows) {
  const double needed = 8 * rows * rows;
  double present = 0;
  GANNET_REQUIRE(gannet_memory_holds(needed, &present), GANNET_ERR_MEMORY,
                 "a model with equations and room for %.0f observations takes %.1f GB, and this "
                 "machine has %.1f GB: leave physics out and choose a surrogate with inducing "
                 "points (tangent-kernel, gp), or start a new campaign around the best design",
                 rows, needed / 1e9, present / 1e9);
  return GANNET_OK;
}

static gannet_err reserve(pinn *s, int n) {
  const size_t r = (size_t)s->r, d = (size_t)s->d, p = (size_t)s->p;
  if (n > s->capacity) {
    const size_t size = (size_t)n + (size_t)n / 2, old = (size_t)s->capacity;
    GANNET_TRY(check_memory((double)size));
    gannet_free(&s->schur);
    GANNET_TRY(gannet_resize(old * d, size * d, sizeof(double), &s->x));
    GANNET_TRY(gannet_resize(old, size, sizeof(double), &s->y));
    GANNET_TRY(gannet_resize(old * p, size * p, sizeof(double), &s->phi));
    GANNET_TRY(gannet_resize(old, size, sizeof(double), &s->target_u));
    GANNET_TRY(gannet_resize(old, size, sizeof(double), &s->alpha_u));
    GANNET_TRY(gannet_alloc(size * size, sizeof(double), &s->schur));
    s->capacity = (int)size;
  }
  const size_t work = 2 * PINN_TILE * (r + (size_t)s->capacity);
  if ((int)work == s->work_size) return GANNET_OK;
  s->work_size = 0;
  gannet_free(&s->cross);
  gannet_free(&s->work);
  GANNET_TRY(gannet_alloc((size_t)s->capacity * r, sizeof(double), &s->cross));
  GANNET_TRY(gannet_alloc(work, sizeof(double), &s->work));
  s->work_size = (int)work;
  return GANNET_OK;
}

gannet_err pinn_take_data(pinn *s, const gannet_data *data) {
  const size_t d = (size_t)s->d;
  GANNET_TRY(reserve(s, data->n));
  if (data->n > 0) {
    memcpy(s->x, data->x, (size_t)data->n * d * sizeof *s->x);
    memcpy(s->y, data->y, (size_t)data->n * sizeof *s->y);
  }
  s->n = data->n;
  s->noise_var = data->noise_var;
  return GANNET_OK;
}

/* v [p] where the rows are linearised: NULL for the start. */
static const double *place(const pinn *s, const double *v) {
  return s->mode == PINN_TRAINED ? v : NULL;
}

/* Derivatives of f/s at the points of the equations into jets, before offset and slope. A model
 * that is linear in its weights gets them from one row per derivative. */
static gannet_err plain_jets(pinn *s, const double *v) {
  const gannet_pde_residuals *residuals = s->known;
  const pinn_rows all = {.plan = &s->law, .n_points = residuals->n_points, .x = residuals->x};
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
      const pinn_rows part = {.plan = &s->law,
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

/* Coefficients and right sides at f = offset + slope s (network at v); leaves the derivatives of f
 * itself in jets. */
static gannet_err linearise(pinn *s, const double *v) {
  const gannet_pde_residuals *residuals = s->known;
  const size_t b = (size_t)residuals->n_partials;
  const double factor = s->constraint.slope * exp(0.5 * s->hyper[PINN_AMPLITUDE]);
  if (pinn_is_linear(s) || !v)
    memset(s->jets, 0, (size_t)residuals->n_points * b * sizeof *s->jets);
  else
    GANNET_TRY(plain_jets(s, v));
  for (size_t i = 0; i < (size_t)residuals->n_points; ++i)
    for (size_t k = 0; k < b; ++k)
      s->jets[i * b + k] = factor * s->jets[i * b + k] +
                           (residuals->partials[k].order == 0 ? s->constraint.offset : 0);
  return gannet_pde_residuals_linearise(residuals, s->jets, s->coefficient, s->rhs, NULL);
}

/* target = (rhs - row(f at v)) / (slope s length) + omega . v: right side for the weights
 * themselves. */
static void equation_targets(pinn *s, const double *v) {
  const gannet_pde_residuals *residuals = s->known;
  const double factor = s->constraint.slope * exp(0.5 * s->hyper[PINN_AMPLITUDE]);
  const bool at_zero = pinn_is_linear(s) || !v;
  for (int i = 0; i < s->r; ++i) {
    const int b = residuals->n_partials;
    const double now =
        gannet_dot(b, s->coefficient + (size_t)i * (size_t)b, s->jets + residuals->point[i] * b);
    s->target_r[i] = (s->rhs[i] - now) / (factor * s->length[i]);
  }
  if (!at_zero) gannet_gemv_n(s->r, s->p, 1, s->omega, s->p, v, 1, s->target_r);
}

/* Rows of the equations at v, divided by their lengths. */
static gannet_err equation_rows(pinn *s, const double *v) {
  const gannet_pde_residuals *residuals = s->known;
  const pinn_rows rows = {.plan = &s->law,
                          .n_points = residuals->n_points,
                          .x = residuals->x,
                          .n_rows = s->r,
                          .point = residuals->point,
                          .coefficient = s->coefficient};
  return pinn_features(s, &rows, place(s, v), s->omega, s->length);
}

/* Weights that count: features of parts without a share are 0. */
static void active(const pinn *s, int *from, int *n) {
  const int wide = pinn_network_wide(s->network);
  const double share = s->hyper[PINN_SHARE];
  *from = share == 1 && wide < s->p ? wide : 0;
  *n = (share == 0 ? wide : s->p) - *from;
}

static gannet_err rows_r(void *user, int first, int rows, double *k, int ldk) {
  const pinn *s = user;
  const size_t r = (size_t)s->r;
  int from = 0, n = 0;
  active(s, &from, &n);
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

static gannet_err rows_u(void *user, int first, int rows, double *k, int ldk) {
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
  GANNET_TRY(pinn_features(s, &rows, place(s, v), s->phi, NULL));
  const pinn_gram plain = {n, p, PINN_BLOCK, 1, 0, s->phi, p, s->schur};
  GANNET_TRY(pinn_gram_rows(s, &plain));
  if (r == 0) return GANNET_OK;
  GANNET_TRY(pinn_cross(s));
  const pinn_gram known = {n, r, PINN_BLOCK, -1, 1, s->cross, r, s->schur};
  return pinn_gram_rows(s, &known);
}

/* Products in the blocks that the factor asks for. */
static gannet_err products_r(pinn *s) {
  const size_t r = (size_t)s->r;
  int from = 0, n = 0;
  active(s, &from, &n);
  GANNET_TRY(pinn_agree(s, gannet_alloc(r * r, sizeof(double), &s->gram_r)));
  const pinn_gram gram = {s->r, n, GANNET_CHOLESKY_BLOCK, 1, 0, s->omega + from, s->p, s->gram_r};
  return pinn_gram_rows(s, &gram);
}

static gannet_err factorise_r(pinn *s) {
  gannet_err code = GANNET_OK;
  s->logdet_r = 0;
  gannet_cholesky_clear(s->factor_r);
  if (s->r == 0) return GANNET_OK;
  if (s->together) code = products_r(s);
  if (code == GANNET_OK) code = pinn_agree(s, gannet_cholesky_extend(s->factor_r, s->r, rows_r, s));
  gannet_free(&s->gram_r);
  GANNET_TRY(code);
  s->logdet_r = gannet_cholesky_logdet(s->factor_r);
  return GANNET_OK;
}

static gannet_err factorise_u(pinn *s) {
  for (int attempt = 0; attempt < 14; ++attempt) {
    gannet_cholesky_clear(s->factor_u);
    const gannet_err code = gannet_cholesky_extend(s->factor_u, s->n, rows_u, s);
    if (code != GANNET_ERR_NUMERIC) return code;
    gannet_error_clear();
    s->lambda1 = 10 * fmax(s->lambda1, 1e-13);
  }
  return GANNET_RAISE(GANNET_ERR_NUMERIC, "kernel of %d points given %d equations", s->n, s->r);
}

/* Rounding can make S indefinite when points repeat or the equations leave nothing open: lambda_1
 * is then raised tenfold. */
gannet_err pinn_factorise_u(pinn *s) {
  return pinn_agree(s, factorise_u(s));
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

/* All rows at v, and their factors. */
static gannet_err linearise_all(pinn *s, const double *v) {
  if (s->r > 0) {
    GANNET_TRY(pinn_agree(s, linearise(s, v)));
    GANNET_TRY(equation_rows(s, v));
    equation_targets(s, v);
  }
  GANNET_TRY(factorise_r(s));
  GANNET_TRY(observation_rows(s, v));
  GANNET_TRY(observation_targets(s, v));
  return pinn_factorise_u(s);
}

/* Half of |v - prior|^2 plus the squared residuals over their variances. The lengths of the rows
 * are those of the last linearisation. */
static gannet_err loss_at(pinn *s, const pinn_pull *pull, const double *v, double *loss) {
  double sum = 0;
  for (int k = 0; k < s->p; ++k) {
    const double away = v[k] - (pull->prior ? pull->prior[k] : 0);
    sum += away * away;
  }
  if (s->r > 0) {
    GANNET_TRY(linearise(s, v));
    const double factor = s->constraint.slope * exp(0.5 * s->hyper[PINN_AMPLITUDE]);
    for (int i = 0; i < s->r; ++i) {
      const int b = s->known->n_partials;
      const double now =
          gannet_dot(b, s->coefficient + (size_t)i * (size_t)b, s->jets + s->known->point[i] * b);
      const double miss =
          (s->rhs[i] - now) / (factor * s->length[i]) + (pull->shift_r ? pull->shift_r[i] : 0);
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
    if (s->together) GANNET_TRY_MPI(MPI_Bcast(&gain, 1, MPI_DOUBLE, 0, s->context->comm));
  }
  return GANNET_OK;
}

static void set_lambda(pinn *s) {
  const double noise = isnan(s->noise_var) ? exp(s->hyper[PINN_NOISE]) : s->noise_var;
  s->lambda1 = fmax(s->options->noise_floor, noise * exp(-s->hyper[PINN_AMPLITUDE]));
}

/* Moments and draws are those of the rows at the mean. */
static gannet_err settle(pinn *s, const pinn_pull *pull) {
  memset(s->w, 0, (size_t)s->p * sizeof *s->w);
  GANNET_TRY(pinn_descend(s, pull, s->w));
  GANNET_TRY(linearise_all(s, s->w));
  pinn_solve(s, pull, s->trial);
  return GANNET_OK;
}

gannet_err pinn_condition(pinn *s, bool all) {
  const pinn_pull pull = {.steps = s->options->steps};
  set_lambda(s);
  if (!pinn_is_linear(s)) return settle(s, &pull);
  if (s->r > 0) GANNET_TRY(pinn_agree(s, linearise(s, NULL)));
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
