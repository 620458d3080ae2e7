#include "linalg/products.h"

#include <string.h>

#include "base/registers.h"
#include "linalg/simd_kernels/panel.h"

enum {
  LANES = GANNET_PACKED_GROUP,
  ROWS = 64,
  INNER = 128 /* products that are taken at a time: 32 kB of a group */
};

_Static_assert((int)LANES == (int)PANEL_MOST, "a group fills the lanes of a panel");

size_t gannet_packed_length(int m, int k) {
  return (size_t)((m + LANES - 1) / LANES) * LANES * (size_t)k;
}

void gannet_pack(int m, int k, const double *b, double *packed) {
  const panel_kernels *kernels = panel_dispatch(gannet_register_bytes());
  for (int i = 0; i < m; i += LANES)
    kernels->pack(LANES, m - i < LANES ? m - i : LANES, k, b + (ptrdiff_t)i * k, (size_t)k,
                  packed + (ptrdiff_t)i * k);
}

/* Rows times one group of columns. The kernels subtract, so the sign is turned. */
static void multiply_group(const panel_kernels *kernels, int n, int k, const double *a,
                           const double *group, int columns, double *c, int ldc) {
  double taken[ROWS * LANES];
  memset(taken, 0, (size_t)n * LANES * sizeof *taken);
  for (int at = 0; at < k; at += INNER)
    kernels->subtract_product(LANES, n, k - at < INNER ? k - at : INNER, a + at, (size_t)k,
                              group + (ptrdiff_t)at * LANES, taken);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < columns; ++j) c[(ptrdiff_t)i * ldc + j] = -taken[i * LANES + j];
}

void gannet_packed_products(int n, int k, const double *a, int m, const double *packed, int first,
                            int end, double *c, int ldc) {
  const panel_kernels *kernels = panel_dispatch(gannet_register_bytes());
  for (int i = 0; i < n; i += ROWS)
    for (int j = first / LANES * LANES; j < end; j += LANES)
      multiply_group(kernels, n - i < ROWS ? n - i : ROWS, k, a + (ptrdiff_t)i * k,
                     packed + (ptrdiff_t)j * k, m - j < LANES ? m - j : LANES,
                     c + (ptrdiff_t)i * ldc + j, ldc);
}
