/* Dense kernels on row-major blocks of points.
 *
 * A block a[n][k] is n rows of k; ld (leading dimension) is the distance between rows. The same
 * arguments give the same bits at any addresses, with no threads unless asked for. The only room
 * that knows BLAS.
 */
#ifndef GANNET_LINALG_BLAS_H
#define GANNET_LINALG_BLAS_H

#include <stdbool.h>

#include "base/error.h"

/* c[n][m] = alpha a[n][k] b[m][k]^T + beta c: products of rows with rows.
 *
 * Local.
 */
void gannet_gemm_nt(int n, int m, int k, double alpha, const double *a, int lda, const double *b,
                    int ldb, double beta, double *c, int ldc);

/* The same with beta = 0, by whole groups of rows of b: with other numbers of them the small
 * kernels of OpenBLAS for AVX-512 give a row of a other bits in another place. As those paths
 * depend on n, too, calls that are to agree have one n.
 *
 * Local.
 *
 * b     in   rows up to a multiple of GANNET_GEMM_GROUP, those from m on of any finite numbers
 * rest  out  [n][GANNET_GEMM_GROUP] workspace
 */
enum { GANNET_GEMM_GROUP = 8 };
void gannet_gemm_nt_by_groups(int n, int m, int k, double alpha, const double *a, const double *b,
                              double *c, int ldc, double *rest);

/* c[n][m] = alpha a[n][k] b[k][m] + beta c.
 *
 * Local.
 */
void gannet_gemm_nn(int n, int m, int k, double alpha, const double *a, int lda, const double *b,
                    int ldb, double beta, double *c, int ldc);

/* c[n][m] = alpha a[k][n]^T b[k][m] + beta c.
 *
 * Local.
 */
void gannet_gemm_tn(int n, int m, int k, double alpha, const double *a, int lda, const double *b,
                    int ldb, double beta, double *c, int ldc);

/* The lower triangle of c[n][n] += a[k][n]^T a[k][n].
 *
 * Local.
 */
void gannet_syrk_tn(int n, int k, const double *a, int lda, double *c, int ldc);

/* b[n][k] = b L^-T for a lower triangle L[k][k]: every row of b is a right-hand side.
 *
 * Local.
 */
void gannet_trsm_nt(int n, int k, const double *l, int ldl, double *b, int ldb);

/* y[n] = alpha a[n][k] x[k] + beta y, with the products of gannet_dot; and y[k] = alpha a[n][k]^T
 * x[n] + beta y.
 *
 * Local.
 */
void gannet_gemv_n(int n, int k, double alpha, const double *a, int lda, const double *x,
                   double beta, double *y);
void gannet_gemv_t(int n, int k, double alpha, const double *a, int lda, const double *x,
                   double beta, double *y);

/* Sum of a[i] b[i]. The bits depend neither on the addresses nor on the processor.
 *
 * Local.
 */
double gannet_dot(int n, const double *a, const double *b);

/* Number of threads of BLAS in this process, and the name of the kernel that it picked. Setting one
 * also ends those that OpenBLAS started when it was loaded, one per processor.
 *
 * Local.
 */
void gannet_blas_set_threads(int threads);
int gannet_blas_threads(void);
const char *gannet_blas_kernel(void);

/* Have BLAS take its buffer now. OpenBLAS tries for ever when it cannot get it, so the address
 * space is probed first.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY when the limits of this process leave too little.
 */
GANNET_CHECKED gannet_err gannet_blas_prepare(void);

#endif
