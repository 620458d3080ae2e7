#include "surrogate/regression.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "linalg/cholesky.h"
#include "surrogate/likelihood.h"
#include "surrogate/multistart.h"

struct gannet_regression {
  int p, n, capacity;
  bool primal;       /* the factor is that of Sigma [p][p], otherwise of lambda I + Phi Phi^T */
  bool sums;         /* Sigma was added up: there is no phi */
  const double *phi; /* [n][p] borrowed; unused with sums */
  double given;      /* lambda as the caller gave it */
  double lambda;     /* lambda that made the matrix definite */
  gannet_cholesky *factor;
  double *gram;  /* [p][p] Phi^T Phi of the primal form */
  double *cross; /* [GANNET_REGRESSION_ROWS][p or, in the dual form, capacity] workspace */
  double *work;  /* [capacity] workspace */
};

gannet_err gannet_regression_create(int p, bool primal, gannet_regression **features) {
  gannet_regression *f = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *f, &f));
  f->p = p;
  f->primal = primal;
  f->lambda = f->given = 1;
  gannet_err code = gannet_cholesky_create(&f->factor);
  if (code == GANNET_OK && primal) {
    const size_t size = (size_t)p;
    code = gannet_alloc(size * size, sizeof(double), &f->gram);
    if (code == GANNET_OK)
      code = gannet_alloc(GANNET_REGRESSION_ROWS * size, sizeof(double), &f->cross);
  }
  if (code != GANNET_OK) gannet_regression_destroy(&f);
  *features = f;
  return code;
}

void gannet_regression_destroy(gannet_regression **features) {
  gannet_regression *f = *features;
  if (!f) return;
  gannet_cholesky_destroy(&f->factor);
  gannet_free(&f->gram);
  gannet_free(&f->cross);
  gannet_free(&f->work);
  gannet_free(features);
}

static gannet_err reserve(gannet_regression *f, int n) {
  if (n <= f->capacity) return GANNET_OK;
  const size_t size = (size_t)n + (size_t)n / 2;
  f->capacity = 0;
  gannet_free(&f->work);
  GANNET_TRY(gannet_alloc(size, sizeof(double), &f->work));
  if (!f->primal) {
    gannet_free(&f->cross);
    GANNET_TRY(gannet_alloc(GANNET_REGRESSION_ROWS * size, sizeof(double), &f->cross));
  }
  f->capacity = (int)size;
  return GANNET_OK;
}

static gannet_err kernel_rows(void *user, int first, int rows, double *k, int ldk) {
  const gannet_regression *f = user;
  const int p = f->p, columns = first + rows;
  if (f->primal) {
    for (int i = 0; i < rows; ++i)
      memcpy(k + (size_t)i * (size_t)ldk, f->gram + (size_t)(first + i) * (size_t)p,
             (size_t)columns * sizeof *k);
  } else {
    gannet_gemm_nt(rows, columns, p, 1, f->phi + (size_t)first * (size_t)p, p, f->phi, p, 0, k,
                   ldk);
  }
  for (int i = 0; i < rows; ++i) k[(size_t)i * (size_t)ldk + (size_t)(first + i)] += f->lambda;
  return GANNET_OK;
}

/* Factorise the matrix, or the new rows of a factor that grows, and raise lambda while rounding
 * makes that impossible. typical is the mean of the diagonal without lambda. */
static gannet_err factorise(gannet_regression *f, int size, double typical) {
  for (int attempt = 0; attempt < 16; ++attempt) {
    const gannet_err code = gannet_cholesky_extend(f->factor, size, kernel_rows, f);
    if (code != GANNET_ERR_NUMERIC) return code;
    gannet_error_clear();
    gannet_cholesky_clear(f->factor);
    f->lambda = fmax(10 * f->lambda, 1e-12 * typical);
  }
  return GANNET_RAISE(GANNET_ERR_NUMERIC, "features of size %g cannot be factorised", typical);
}

/* Mean of the diagonal of the matrix without lambda. */
static double mean_diagonal(const gannet_regression *f, int n, const double *phi) {
  double trace = 0;
  for (int i = 0; i < n; ++i) {
    const double *row = phi + (size_t)i * (size_t)f->p;
    trace += gannet_dot(f->p, row, row);
  }
  return n > 0 ? trace / (f->primal ? f->p : n) : 0;
}

gannet_err gannet_regression_condition(gannet_regression *f, int n, const double *phi,
                                       double lambda, bool keep) {
  GANNET_TRY(reserve(f, n));
  const double typical = mean_diagonal(f, n, phi);
  GANNET_REQUIRE(isfinite(typical), GANNET_ERR_NUMERIC,
                 "features of %d observations are not finite", n);
  keep = keep && !f->primal && f->n <= n && lambda == f->given;
  if (!keep) {
    gannet_cholesky_clear(f->factor);
    f->given = f->lambda = lambda;
  }
  f->phi = phi;
  f->n = n;
  f->sums = false;
  if (f->primal && n > 0)
    gannet_gemm_tn(f->p, f->p, n, 1, phi, f->p, phi, f->p, 0, f->gram, f->p);
  else if (f->primal)
    memset(f->gram, 0, (size_t)f->p * (size_t)f->p * sizeof *f->gram);
  return factorise(f, f->primal ? f->p : n, typical);
}

void gannet_regression_sums_clear(gannet_regression *f) {
  const size_t p = (size_t)f->p;
  f->sums = true;
  memset(f->gram, 0, p * p * sizeof *f->gram);
}

void gannet_regression_sums_add(gannet_regression *f, int m, const double *phi) {
  gannet_syrk_tn(f->p, m, phi, f->p, f->gram, f->p);
}

void gannet_regression_sums_save(const gannet_regression *f, double *copy) {
  memcpy(copy, f->gram, (size_t)f->p * (size_t)f->p * sizeof *copy);
}

void gannet_regression_sums_restore(gannet_regression *f, const double *copy) {
  memcpy(f->gram, copy, (size_t)f->p * (size_t)f->p * sizeof *copy);
}

gannet_err gannet_regression_sums_factorise(gannet_regression *f, double lambda) {
  double trace = 0;
  for (size_t k = 0; k < (size_t)f->p; ++k) trace += f->gram[k * (size_t)(f->p + 1)];
  GANNET_REQUIRE(isfinite(trace), GANNET_ERR_NUMERIC, "sums of features are not finite");
  gannet_cholesky_clear(f->factor);
  f->given = f->lambda = lambda;
  return factorise(f, f->p, trace / f->p);
}

void gannet_regression_sums_apply(const gannet_regression *f, const double *v, double *out) {
  const size_t p = (size_t)f->p; /* of the lower triangle */
  for (size_t i = 0; i < p; ++i) {
    const double *row = f->gram + i * p;
    out[i] = gannet_dot((int)i + 1, row, v);
    for (size_t j = 0; j < i; ++j) out[j] += row[j] * v[i];
  }
}

void gannet_regression_mean(const gannet_regression *f, const double *y, double *w) {
  const int p = f->p, n = f->n;
  if (n == 0) {
    memset(w, 0, (size_t)p * sizeof *w);
  } else if (f->primal) {
    gannet_gemv_t(n, p, 1, f->phi, p, y, 0, w);
    gannet_cholesky_solve(f->factor, 1, w, p);
  } else {
    memcpy(f->cross, y, (size_t)n * sizeof *y);
    gannet_cholesky_solve(f->factor, 1, f->cross, n);
    gannet_gemv_t(n, p, 1, f->phi, p, f->cross, 0, w);
  }
}

/* Sigma^-1 = (I - Phi^T (lambda I + Phi Phi^T)^-1 Phi) / lambda. For a single vector the product of
 * matrices would pack all features, which takes longer than the product. */
static void solve_dual(const gannet_regression *f, int m, double *v) {
  const int p = f->p, n = f->n;
  if (n > 0 && m == 1) {
    gannet_gemv_n(n, p, 1, f->phi, p, v, 0, f->cross);
    gannet_cholesky_solve(f->factor, 1, f->cross, n);
    gannet_gemv_t(n, p, -1, f->phi, p, f->cross, 1, v);
  } else if (n > 0) {
    gannet_gemm_nt(m, n, p, 1, v, p, f->phi, p, 0, f->cross, n);
    gannet_cholesky_solve(f->factor, m, f->cross, n);
    gannet_gemm_nn(m, p, n, -1, f->cross, n, f->phi, p, 1, v, p);
  }
  for (size_t i = 0; i < (size_t)m * (size_t)p; ++i) v[i] /= f->lambda;
}

static int rows_left(int m, int first) {
  return m - first < GANNET_REGRESSION_ROWS ? m - first : GANNET_REGRESSION_ROWS;
}

void gannet_regression_solve(const gannet_regression *f, int m, double *v) {
  for (int first = 0; first < m; first += GANNET_REGRESSION_ROWS) {
    double *rows = v + (size_t)first * (size_t)f->p;
    if (f->primal)
      gannet_cholesky_solve(f->factor, rows_left(m, first), rows, f->p);
    else
      solve_dual(f, rows_left(m, first), rows);
  }
}

static void quadratic(const gannet_regression *f, int m, const double *v, double *out) {
  const int p = f->p, n = f->n, size = f->primal ? p : n;
  if (f->primal)
    memcpy(f->cross, v, (size_t)m * (size_t)p * sizeof *v);
  else if (n > 0)
    gannet_gemm_nt(m, n, p, 1, v, p, f->phi, p, 0, f->cross, n);
  if (size > 0) gannet_cholesky_forward(f->factor, m, f->cross, size);
  for (int i = 0; i < m; ++i) {
    const double *row = f->cross + (size_t)i * (size_t)size, *own = v + (size_t)i * (size_t)p;
    const double seen = size > 0 ? gannet_dot(size, row, row) : 0;
    out[i] = f->primal ? seen : fmax(0, gannet_dot(p, own, own) - seen) / f->lambda;
  }
}

void gannet_regression_quadratic(const gannet_regression *f, int m, const double *v, double *out) {
  for (int first = 0; first < m; first += GANNET_REGRESSION_ROWS)
    quadratic(f, rows_left(m, first), v + (size_t)first * (size_t)f->p, out + first);
}

void gannet_regression_draw(const gannet_regression *f, gannet_stream prior, gannet_stream noise,
                            double *w) {
  const int p = f->p, n = f->n;
  gannet_random_normal(prior, 0, (size_t)p, w);
  if (f->sums) {
    gannet_cholesky_backward(f->factor, 1, w, p);
    return;
  }
  for (int k = 0; k < p; ++k) w[k] /= sqrt(f->lambda);
  if (n == 0) return;
  gannet_random_normal(noise, 0, (size_t)n, f->work);
  gannet_gemv_n(n, p, 1, f->phi, p, w, 1, f->work);
  if (f->primal) {
    gannet_gemv_t(n, p, 1, f->phi, p, f->work, 0, f->cross);
    gannet_cholesky_solve(f->factor, 1, f->cross, p);
    for (int k = 0; k < p; ++k) w[k] -= f->cross[k];
  } else {
    gannet_cholesky_solve(f->factor, 1, f->work, n);
    gannet_gemv_t(n, p, -1, f->phi, p, f->work, 1, w);
  }
}

double gannet_regression_leave_one_out(const gannet_regression *f, const double *y) {
  const int p = f->p, n = f->n;
  double sum = 0, h = 0;
  if (n == 0) return 1;
  /* residuals lambda K^-1 y = y - Phi w, without the weights: y - (Phi Sigma^-1 Phi^T) y */
  memcpy(f->work, y, (size_t)n * sizeof *y);
  if (f->primal) {
    gannet_gemv_t(n, p, 1, f->phi, p, y, 0, f->cross);
    gannet_cholesky_solve(f->factor, 1, f->cross, p);
    gannet_gemv_n(n, p, -1, f->phi, p, f->cross, 1, f->work);
  } else {
    gannet_cholesky_solve(f->factor, 1, f->work, n);
    for (int i = 0; i < n; ++i) f->work[i] *= f->lambda;
  }
  for (int i = 0; i < n; ++i) {
    quadratic(f, 1, f->phi + (size_t)i * (size_t)p, &h);
    sum += f->work[i] * f->work[i] / fmax(1 - h, 1e-10);
  }
  return sum / n;
}

enum { EVIDENCE_STARTS = 3 };

typedef struct {
  const gannet_regression_data *data;
  gannet_likelihood *likelihood;
  double *gram; /* [n][n] Phi Phi^T */
  double size;  /* mean of the diagonal of gram */
} evidence;

static gannet_err evidence_create(evidence *e) {
  const gannet_regression_data *data = e->data;
  const int n = data->n, p = data->p;
  GANNET_TRY(gannet_likelihood_create(NULL, n, false, &e->likelihood));
  GANNET_TRY(gannet_alloc((size_t)n * (size_t)n, sizeof(double), &e->gram));
  gannet_gemm_nt(n, n, p, 1, data->phi, p, data->phi, p, 0, e->gram, n);
  for (size_t i = 0; i < (size_t)n; ++i) e->size += e->gram[i * (size_t)n + i] / n;
  GANNET_REQUIRE(e->size > 0 && isfinite(e->size), GANNET_ERR_NUMERIC, "features of mean square %g",
                 e->size);
  return GANNET_OK;
}

/* -log of evidence times priors, and its gradient by the logarithms of both variances. */
static gannet_err minus_log_evidence(void *user, int n_hyper, const double *hyper, double *value,
                                     double *gradient) {
  const evidence *e = user;
  const int n = e->data->n;
  const double prior = exp(hyper[GANNET_REGRESSION_PRIOR]);
  const double noise = exp(hyper[GANNET_REGRESSION_NOISE]);
  const bool learns_noise = isnan(e->data->noise_var);
  double *k = gannet_likelihood_kernel(e->likelihood), product = 0, trace = 0;
  memset(gradient, 0, (size_t)n_hyper * sizeof *gradient);
  for (size_t i = 0; i < (size_t)n * (size_t)n; ++i) k[i] = prior * e->gram[i];
  for (size_t i = 0; i < (size_t)n; ++i) k[i * (size_t)n + i] += noise;
  GANNET_TRY(gannet_likelihood_evaluate(e->likelihood, e->data->y, value));
  if (!isfinite(*value)) return GANNET_OK;
  const double *weights = gannet_likelihood_weights(e->likelihood);
  for (int i = 0; i < n; ++i) {
    const size_t row = (size_t)i * (size_t)n;
    product += gannet_dot(n, weights + row, e->gram + row);
    trace += weights[row + (size_t)i];
  }
  gradient[GANNET_REGRESSION_PRIOR] = prior * product;
  if (learns_noise) gradient[GANNET_REGRESSION_NOISE] = noise * trace;
  *value += gannet_prior_normal(hyper[GANNET_REGRESSION_PRIOR] + log(e->size), 0, 1.5,
                                &gradient[GANNET_REGRESSION_PRIOR]);
  if (learns_noise)
    *value += gannet_prior_normal(hyper[GANNET_REGRESSION_NOISE], -4, 2,
                                  &gradient[GANNET_REGRESSION_NOISE]);
  return GANNET_OK;
}

static gannet_err maximise_evidence(const gannet_context *context, evidence *e, double *hyper) {
  const gannet_regression_data *data = e->data;
  const bool known = !isnan(data->noise_var);
  const double given = log(fmax(data->noise_floor, known ? data->noise_var : 0));
  const double scale = -log(e->size);
  double value = INFINITY;
  const double lower[] = {scale + log(1e-4), known ? given : log(data->noise_floor)};
  const double upper[] = {scale + log(1e4), known ? given : fmax(log(10), lower[1] + 1)};
  double start[EVIDENCE_STARTS * GANNET_REGRESSION_HYPER] = {hyper[0], hyper[1],  scale,
                                                             -4,       scale + 2, -9};
  const gannet_multistart problem = {
      .starts = EVIDENCE_STARTS,
      .n = GANNET_REGRESSION_HYPER,
      .start = start,
      .lower = lower,
      .upper = upper,
      .function = minus_log_evidence,
      .user = e,
      .options = {.max_evaluations = data->evaluations,
                  .gradient_tolerance = 1e-3,
                  .value_tolerance = 1e-8},
  };
  return gannet_multistart_run(context, &problem, hyper, &value);
}

gannet_err gannet_regression_learn(const gannet_context *context,
                                   const gannet_regression_data *data, double *hyper) {
  evidence e = {.data = data};
  gannet_err code = gannet_agree(context->comm, evidence_create(&e));
  if (code == GANNET_OK) code = maximise_evidence(context, &e, hyper);
  gannet_likelihood_destroy(&e.likelihood);
  gannet_free(&e.gram);
  return code;
}
