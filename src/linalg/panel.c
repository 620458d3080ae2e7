#include "linalg/panel.h"

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
  REGISTERS = 16, /* that a tile has at most, half of the largest */
  SQUARES = 4,    /* that are worked at once */
  COLUMNS = 512,  /* of eight rows of L: 32 kB */
  DEEP = 2048     /* numbers of x: 16 kB, half of a small first cache */
};

/* target -= L x */
typedef struct {
  int lanes, rows, inner;
  const double *l;
  size_t row_step, column_step; /* of l */
  const double *x;              /* [inner][lanes] */
  double *target;               /* [rows][lanes] */
} product;

/* Number k of few right-hand sides' j-th. */
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

/* Or the compiler would load the numbers of several squares at once, for which there are not enough
 * registers. */
#define ONE_AFTER_THE_OTHER __asm__ volatile("" ::: "memory")

/* Work for few right-hand sides, by a number of them that the compiler knows. */
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

/* A number of each of few right-hand sides. */
typedef double quad __attribute__((vector_size(FEW * sizeof(double))));

#define BYTES 16
#define ROWS 2
#define TARGET
#ifdef __x86_64__
#define STREAM(to, numbers) _mm_stream_pd(to, (__m128d)(numbers))
#else
#define STREAM(to, numbers) *(narrow_vector *)(to) = (numbers)
#endif
#define NAME(x) narrow_##x
#include "linalg/panel_body.h"

#ifdef GANNET_HAS_REGISTERS

#define BYTES 32
#define ROWS 4
#define TARGET GANNET_WITH_32_BYTES
#define STREAM(to, numbers) _mm256_stream_pd(to, (__m256d)(numbers))
#define NAME(x) middle_##x
#include "linalg/panel_body.h"

#define BYTES 64
#define ROWS 8
#define TARGET GANNET_WITH_64_BYTES
#define STREAM(to, numbers) _mm512_stream_pd(to, (__m512d)(numbers))
#define NAME(x) wide_##x
#include "linalg/panel_body.h"

const panel_ways *panel_ways_for(int register_bytes) {
  return register_bytes == 64 ? &wide_ways : register_bytes == 32 ? &middle_ways : &narrow_ways;
}

#else

const panel_ways *panel_ways_for(int register_bytes) {
  (void)register_bytes;
  return &narrow_ways;
}

#endif

int panel_lanes(int m) {
  return m <= LEAST ? LEAST : m <= 2 * LEAST ? 2 * LEAST : PANEL_MOST;
}

void panel_settle(void) {
#ifdef __x86_64__
  _mm_sfence();
#endif
}
