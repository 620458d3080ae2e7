#include "linalg/least_squares.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdbool.h>

#include "base/memory.h"

/* dgels scales what is beyond 1e292 or below 1e-292. */
static const double least = 1e-250, most = 1e250;

/* The largest size but of what is no number. Of several at once, or each would wait for the one
 * before. */
static double largest(size_t count, const double *x) {
  enum { AT_ONCE = 8 };
  double most_of[AT_ONCE] = {0}, size = 0;
  const size_t whole = count - count % AT_ONCE;
  for (size_t i = 0; i < whole; i += AT_ONCE)
    for (size_t k = 0; k < AT_ONCE; ++k)
      most_of[k] = fabs(x[i + k]) > most_of[k] ? fabs(x[i + k]) : most_of[k];
  for (size_t i = whole; i < count; ++i) size = fabs(x[i]) > size ? fabs(x[i]) : size;
  for (size_t k = 0; k < AT_ONCE; ++k) size = most_of[k] > size ? most_of[k] : size;
  return size;
}

static bool is_ordinary(size_t count, const double *x) {
  const double size = largest(count, x);
  return least <= size && size <= most;
}

/* What dgels does with numbers that it does not scale, and the same workspaces, by which LAPACK
 * chooses its blocks. dgels itself takes the norm of a, number by number, which is an eighth of the
 * time of small systems. */
static int solve_unscaled(int n, int p, double *a, double *b, double *work, int length) {
  double *tau = work, *rest = work + p;
  int info = LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, n, p, a, n, tau, rest, length - p);
  if (info == 0)
    info =
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', n, 1, p, a, n, tau, b, n, rest, length - p);
  if (info == 0) info = LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'U', 'N', 'N', p, 1, a, n, b, n);
  return info;
}

/* Without the search for numbers that are not, which takes a tenth of the time of small systems:
 * the solution tells. */
static gannet_err solve(int n, int p, double *a, double *b) {
  double length = 0, *work = NULL;
  int info = LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', n, p, 1, a, n, b, n, &length, -1);
  if (info == 0) {
    GANNET_TRY(gannet_alloc((size_t)length, sizeof *work, &work));
    if (is_ordinary((size_t)n * (size_t)p, a) && is_ordinary((size_t)n, b))
      info = solve_unscaled(n, p, a, b, work, (int)length);
    else
      info = LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', n, p, 1, a, n, b, n, work, (int)length);
    gannet_free(&work);
  }
  GANNET_REQUIRE(info == 0, GANNET_ERR_NUMERIC, "least squares: dgels returned %d", info);
  return GANNET_OK;
}

gannet_err gannet_least_squares(int n, int p, double *a, double *b, double *rest) {
  GANNET_REQUIRE(1 <= p && p <= n, GANNET_ERR_SHAPE, "least squares with %d rows, %d columns", n,
                 p);
  GANNET_TRY(solve(n, p, a, b));
  *rest = cblas_ddot(n - p, b + p, 1, b + p, 1);
  GANNET_REQUIRE(isfinite(cblas_dasum(p, b, 1)), GANNET_ERR_NUMERIC,
                 "least squares: a number is not finite");
  return GANNET_OK;
}

void gannet_least_squares_backward(int n, int p, const double *a, double *x) {
  cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, p, a, n, x, 1);
}

void gannet_least_squares_forward(int n, int p, const double *a, double *x) {
  cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, p, a, n, x, 1);
}
