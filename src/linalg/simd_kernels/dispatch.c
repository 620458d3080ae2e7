/* Makes the kernels of simd_kernels/panel.h for every instruction set, from templates that are
 * included once for each, and chooses a set. */
#include "linalg/simd_kernels/panel.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "base/registers.h"

enum {
  LEAST = PANEL_LEAST,
  FEW = PANEL_FEW,
  RUN = PANEL_RUN,
  REGISTERS = 16, /* most registers that hold the sums of a tile: half of those of AVX-512 */
  SQUARES = 4,    /* squares of L that a few panel takes at once */
  COLUMNS = 512,  /* columns of L that all lanes take before the next: 32 kB of eight rows */
  DEEP = 2048     /* numbers of x that all rows take before the next: 16 kB, half a first cache */
};

/* The arguments of target -= L x. */
typedef struct {
  int lanes, rows, inner;
  const double *l;
  size_t row_step, column_step; /* between rows, and between columns, of l */
  const double *x;              /* [inner][lanes] */
  double *target;               /* [rows][lanes] */
} panel_product;

/* Where number k of right-hand side j of a few panel is. */
static inline size_t few_at(int few, int j, int k) {
  return (size_t)(k / RUN * RUN * few + j * RUN + k % RUN);
}

static void pack_few(int few, int n, const double *rows, size_t ld, double *x) {
  for (int k = 0; k < n; k += RUN)
    for (int j = 0; j < few; ++j)
      memcpy(x + few_at(few, j, k), rows + (size_t)j * ld + k,
             (size_t)(n - k < RUN ? n - k : RUN) * sizeof *x);
}

static void unpack_few(int few, int n, const double *x, double *rows, size_t ld) {
  for (int k = 0; k < n; k += RUN)
    for (int j = 0; j < few; ++j)
      memcpy(rows + (size_t)j * ld + k, x + few_at(few, j, k),
             (size_t)(n - k < RUN ? n - k : RUN) * sizeof *x);
}

/* Keeps the compiler from loading several squares at once, for which there are not enough
 * registers.
 */
#define COMPILER_BARRIER __asm__ volatile("" ::: "memory")

/* Calls NAME(work) with a number of right-hand sides that is a constant, so that it is unrolled. */
#define BY_FEW(few, work, ...)      \
  do {                              \
    switch (few) {                  \
      case 1:                       \
        NAME(work)(1, __VA_ARGS__); \
        break;                      \
      case 2:                       \
        NAME(work)(2, __VA_ARGS__); \
        break;                      \
      case 3:                       \
        NAME(work)(3, __VA_ARGS__); \
        break;                      \
      default:                      \
        NAME(work)(4, __VA_ARGS__); \
        break;                      \
    }                               \
  } while (0)

/* One number of every right-hand side of a few panel. */
typedef double quad __attribute__((vector_size(FEW * sizeof(double))));

#define BYTES 16
#define ROWS 2
#define TARGET
#ifdef __x86_64__
#define STREAM(to, numbers) _mm_stream_pd(to, (__m128d)(numbers))
#else
#define STREAM(to, numbers) *(baseline_vector *)(to) = (numbers)
#endif
#define NAME(x) baseline_##x
#include "linalg/simd_kernels/panel_template.h"

#ifdef GANNET_HAS_REGISTERS

#define BYTES 32
#define ROWS 4
#define TARGET GANNET_WITH_32_BYTES
#define STREAM(to, numbers) _mm256_stream_pd(to, (__m256d)(numbers))
#define NAME(x) avx2_##x
#include "linalg/simd_kernels/panel_template.h"

#define BYTES 64
#define ROWS 8
#define TARGET GANNET_WITH_64_BYTES
#define STREAM(to, numbers) _mm512_stream_pd(to, (__m512d)(numbers))
#define NAME(x) avx512_##x
#include "linalg/simd_kernels/panel_template.h"

const panel_kernels *panel_dispatch(int register_bytes) {
  return register_bytes == 64   ? &avx512_panel_kernels
         : register_bytes == 32 ? &avx2_panel_kernels
                                : &baseline_panel_kernels;
}

#else

const panel_kernels *panel_dispatch(int register_bytes) {
  (void)register_bytes;
  return &baseline_panel_kernels;
}

#endif

int panel_lanes(int m) {
  return m <= LEAST ? LEAST : m <= 2 * LEAST ? 2 * LEAST : PANEL_MOST;
}

void panel_store_fence(void) {
#ifdef __x86_64__
  _mm_sfence();
#endif
}
