#include "linalg/blas.h"

#include <cblas.h>
#include <string.h>
#include <sys/mman.h>

/* Another BLAS does not have them. */
#pragma weak openblas_set_num_threads
#pragma weak openblas_get_num_threads
#pragma weak openblas_get_corename
#pragma weak blas_thread_shutdown_
int blas_thread_shutdown_(void); /* OpenBLAS 0.3, driver/others/blas_server.c */

void gannet_gemm_nt(int n, int m, int k, double alpha, const double *a, int lda, const double *b,
                    int ldb, double beta, double *c, int ldc) {
  if (n == 0 || m == 0) return;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, m, k, alpha, a, lda, b, ldb, beta, c,
              ldc);
}

void gannet_gemm_nt_by_groups(int n, int m, int k, double alpha, const double *a, const double *b,
                              double *c, int ldc, double *rest) {
  enum { GROUP = GANNET_GEMM_GROUP };
  const int whole = m / GROUP * GROUP, left = m - whole;
  gannet_gemm_nt(n, whole, k, alpha, a, k, b, k, 0, c, ldc);
  if (left == 0) return;
  gannet_gemm_nt(n, GROUP, k, alpha, a, k, b + (size_t)whole * (size_t)k, k, 0, rest, GROUP);
  for (int i = 0; i < n; ++i)
    memcpy(c + (size_t)i * (size_t)ldc + whole, rest + (size_t)i * GROUP, (size_t)left * sizeof *c);
}

void gannet_gemm_nn(int n, int m, int k, double alpha, const double *a, int lda, const double *b,
                    int ldb, double beta, double *c, int ldc) {
  if (n == 0 || m == 0) return;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, m, k, alpha, a, lda, b, ldb, beta, c,
              ldc);
}

void gannet_gemm_tn(int n, int m, int k, double alpha, const double *a, int lda, const double *b,
                    int ldb, double beta, double *c, int ldc) {
  if (n == 0 || m == 0) return;
  cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, m, k, alpha, a, lda, b, ldb, beta, c,
              ldc);
}

void gannet_syrk_tn(int n, int k, const double *a, int lda, double *c, int ldc) {
  if (n == 0) return;
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, n, k, 1, a, lda, 1, c, ldc);
}

void gannet_trsm_nt(int n, int k, const double *l, int ldl, double *b, int ldb) {
  if (n == 0 || k == 0) return;
  cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, k, 1, l, ldl, b,
              ldb);
}

void gannet_gemv_t(int n, int k, double alpha, const double *a, int lda, const double *x,
                   double beta, double *y) {
  if (k == 0) return;
  cblas_dgemv(CblasRowMajor, CblasTrans, n, k, alpha, a, lda, x, 1, beta, y, 1);
}

void gannet_blas_set_threads(int threads) {
  if (openblas_set_num_threads) openblas_set_num_threads(threads);
  if (threads == 1 && blas_thread_shutdown_) (void)blas_thread_shutdown_();
}

int gannet_blas_threads(void) {
  return openblas_get_num_threads ? openblas_get_num_threads() : 1;
}

const char *gannet_blas_kernel(void) {
  return openblas_get_corename ? openblas_get_corename() : "unknown";
}

gannet_err gannet_blas_prepare(void) {
  const size_t buffer = (size_t)192 << 20; /* OpenBLAS takes 32 to 128 MiB of address space */
  enum { N = 32 };                         /* large enough for the general kernel */
  static const double a[N * N];
  double c[N * N];
  /* as OpenBLAS asks for it */
  void *probe = mmap(NULL, buffer, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  GANNET_REQUIRE(probe != MAP_FAILED, GANNET_ERR_MEMORY,
                 "%zu MiB for the buffer of BLAS; raise the limit of memory per process",
                 buffer >> 20);
  (void)munmap(probe, buffer);
  gannet_gemm_nt(N, N, N, 1, a, N, a, N, 0, c, N);
  return GANNET_OK;
}
