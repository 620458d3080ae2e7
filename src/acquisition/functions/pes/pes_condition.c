#include <math.h>
#include <string.h>

#include "acquisition/functions/pes/pes.h"
#include "base/memory.h"
#include "base/normal.h"
#include "linalg/blas.h"
#include "linalg/cholesky.h"

/* State of expectation propagation. The row and the column of the minimiser are zero throughout. */
typedef struct {
  int n, star;
  double *prior;    /* [n][n] D */
  double *mu;       /* [n] */
  double *sigma;    /* [n][n] present covariance */
  double *mean;     /* [n] present mean */
  double *tau, *nu; /* [n] */
  double *column;   /* [n] */
} propagation;

static void propagation_release(propagation *e) {
  gannet_free(&e->prior);
  gannet_free(&e->mu);
  gannet_free(&e->sigma);
  gannet_free(&e->mean);
  gannet_free(&e->tau);
  gannet_free(&e->nu);
  gannet_free(&e->column);
}

static gannet_err propagation_create(const gannet_acq_reference *r, int star, propagation *e) {
  const size_t n = (size_t)r->n, s = (size_t)star;
  const double *c = r->covariance;
  *e = (propagation){.n = r->n, .star = star};
  GANNET_TRY(gannet_alloc(n * n, sizeof(double), &e->prior));
  GANNET_TRY(gannet_alloc(n, sizeof(double), &e->mu));
  GANNET_TRY(gannet_alloc(n * n, sizeof(double), &e->sigma));
  GANNET_TRY(gannet_alloc(n, sizeof(double), &e->mean));
  GANNET_TRY(gannet_alloc(n, sizeof(double), &e->tau));
  GANNET_TRY(gannet_alloc(n, sizeof(double), &e->nu));
  GANNET_TRY(gannet_alloc(n, sizeof(double), &e->column));
  for (size_t i = 0; i < n; ++i) {
    e->mu[i] = r->mean[i] - r->mean[s];
    for (size_t j = 0; j < n; ++j)
      e->prior[i * n + j] = c[i * n + j] - c[i * n + s] - c[s * n + j] + c[s * n + s];
  }
  memcpy(e->sigma, e->prior, n * n * sizeof *e->sigma);
  memcpy(e->mean, e->mu, n * sizeof *e->mean);
  return GANNET_OK;
}

/* Update site j: its cavity, the moments of the cavity above zero, and a rank-one update of sigma.
 * Returns how far the site moved, relative to the precision. */
static double update_site(propagation *e, int j) {
  const size_t n = (size_t)e->n, at = (size_t)j;
  const double variance = e->sigma[at * n + at];
  if (!(variance > 1e-14 * e->prior[at * n + at]) || !(variance > 0)) return 0;
  const double cavity_tau = 1 / variance - e->tau[at];
  if (!(cavity_tau > 1e-12 / variance)) return 0;
  const double cavity_nu = e->mean[at] / variance - e->nu[at];
  const double v = 1 / cavity_tau, m = cavity_nu / cavity_tau, z = m / sqrt(v);
  const double hazard = gannet_normal_hazard(z), curve = fmin(hazard * (z + hazard), 1 - 1e-9);
  const double new_tau = cavity_tau * curve / (1 - curve);
  const double new_nu = (m + hazard * sqrt(v)) / (v * (1 - curve)) - cavity_nu;
  const double by_tau = new_tau - e->tau[at], by_nu = new_nu - e->nu[at];
  e->tau[at] = new_tau;
  e->nu[at] = new_nu;
  const double factor = by_tau / (1 + by_tau * variance);
  const double shift = (by_nu - by_tau * e->mean[at]) / (1 + by_tau * variance);
  memcpy(e->column, e->sigma + at * n, n * sizeof *e->column);
  for (size_t i = 0; i < n; ++i) {
    e->mean[i] += shift * e->column[i];
    for (size_t k = 0; k < n; ++k) e->sigma[i * n + k] -= factor * e->column[i] * e->column[k];
  }
  return fabs(by_tau) * variance;
}

static void propagate(propagation *e) {
  for (int sweep = 0; sweep < 30; ++sweep) {
    double moved = 0;
    for (int j = 0; j < e->n; ++j)
      if (j != e->star) moved = fmax(moved, update_site(e, j));
    if (moved < 1e-6) return;
  }
}

/* Rows of B = I + T^1/2 D T^1/2. */
static gannet_err b_rows(void *user, int first, int rows, double *k, int ldk) {
  const propagation *e = user;
  const size_t n = (size_t)e->n;
  for (int i = 0; i < rows; ++i) {
    const size_t row = (size_t)(first + i);
    double *to = k + (size_t)i * (size_t)ldk;
    for (size_t j = 0; j <= row; ++j) to[j] = sqrt(e->tau[row] * e->tau[j]) * e->prior[row * n + j];
    to[row] += 1;
  }
  return GANNET_OK;
}

/* Z = T^1/2 B^-1 T^1/2 and w, from the sites alone, without the rounding of the updates. */
static gannet_err solve_sites(propagation *e, gannet_pes_given *given) {
  const size_t n = (size_t)e->n;
  gannet_cholesky *factor = NULL;
  GANNET_TRY(gannet_cholesky_create(&factor));
  gannet_err code = gannet_cholesky_extend(factor, e->n, b_rows, e);
  if (code == GANNET_OK) gannet_cholesky_inverse(factor, given->z);
  gannet_cholesky_destroy(&factor);
  GANNET_TRY(code);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) given->z[i * n + j] *= sqrt(e->tau[i] * e->tau[j]);
  memcpy(e->column, e->mu, n * sizeof *e->column);
  gannet_gemv_n(e->n, e->n, 1, e->prior, e->n, e->nu, 1, e->column);
  memcpy(given->w, e->nu, n * sizeof *given->w);
  gannet_gemv_n(e->n, e->n, -1, given->z, e->n, e->column, 1, given->w);
  return GANNET_OK;
}

gannet_err gannet_pes_condition(const gannet_acq_reference *r, int minimiser,
                                gannet_pes_given *given) {
  const size_t n = (size_t)r->n, s = (size_t)minimiser;
  propagation e = {0};
  *given = (gannet_pes_given){.minimiser = minimiser};
  GANNET_TRY(gannet_alloc(n * n, sizeof(double), &given->z));
  GANNET_TRY(gannet_alloc(n, sizeof(double), &given->w));
  GANNET_TRY(gannet_alloc(n, sizeof(double), &given->h));
  gannet_err code = propagation_create(r, minimiser, &e);
  if (code == GANNET_OK) {
    propagate(&e);
    code = solve_sites(&e, given);
  }
  if (code == GANNET_OK) {
    double *zh = e.column;
    for (size_t j = 0; j < n; ++j)
      given->h[j] = r->covariance[s * n + j] - r->covariance[s * n + s];
    gannet_gemv_n(r->n, r->n, 1, given->z, r->n, given->h, 0, zh);
    given->variance = fmax(0, r->covariance[s * n + s] - gannet_dot(r->n, given->h, zh));
    given->mean = r->mean[s] + gannet_dot(r->n, given->h, given->w);
  }
  propagation_release(&e);
  return code;
}

void gannet_pes_release(gannet_pes_given *given) {
  gannet_free(&given->z);
  gannet_free(&given->w);
  gannet_free(&given->h);
}

double gannet_pes_truncated(double own, double other, double shared, double gap) {
  const double spread = own + other - 2 * shared, slope = own - shared;
  if (!(spread > 1e-14 * (own + other))) return own;
  const double z = fmin(fmax(gap / sqrt(spread), -1e8), 1e8), hazard = gannet_normal_hazard(z);
  return fmax(0, own - slope * slope / spread * fmin(hazard * (hazard + z), 1));
}
