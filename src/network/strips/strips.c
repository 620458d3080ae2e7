#include "network/strips.h"

#include <math.h>
#include <stdint.h>

#include "base/registers.h"

enum {
  ROWS = GANNET_STRIP_ROWS,
  STRIP_BYTES = GANNET_STRIP_LANES * sizeof(double),
  SOLVED = 3,    /* strips that are solved at once */
  WAVE_TERMS = 9 /* of the polynomials for cosines and sines */
};

/* 1.5 times the number whose last bit is 1: to add it rounds to a whole number. */
#define TO_WHOLE 0x1.8p52

/* Powers of r^2 in sin(pi r)/r and cos(pi r), |r| <= 1/2, by interpolation at Chebyshev points;
 * errors below 4e-18. */
static const double sine_powers[WAVE_TERMS] = {
    3.141592653589793238,     -5.167712780049969608,      2.550164039877300474,
    -0.5992645293189446813,   0.08214588657310289502,     -0.007370430505916943405,
    0.0004662998161898393801, -0.00002190349707462601719, 7.697826768224190645e-7};
static const double cosine_powers[WAVE_TERMS] = {
    0.9999999999999999961,   -4.934802200544676767,     4.058712126416496999,
    -1.335262768843447093,   0.2353306301295328539,     -0.02580688873700220327,
    0.001929556272481713148, -0.0001045665533874873817, 4.149564353942585512e-6};

void gannet_strips_pack(int rows, int columns, const gannet_strips_source *from, int across,
                        double *to) {
  for (int i = 0; i < rows; ++i) {
    const double *row = from->at + (size_t)i * from->row_step;
    double *place = to + (size_t)(i / across) * (size_t)columns * (size_t)across + i % across;
    for (size_t k = 0; k < (size_t)columns; ++k)
      place[k * (size_t)across] = row[k * from->column_step];
  }
}

void gannet_strips_add(size_t n, const double *sums, double *total) {
  for (size_t i = 0; i < n; ++i) total[i] += sums[i];
}

#define BYTES 16
#define TARGET
#define NAME(x) narrow_##x
#include "network/strips/registers.h"

#ifdef GANNET_HAS_REGISTERS

#define BYTES 32
#define TARGET GANNET_WITH_32_BYTES
#define NAME(x) middle_##x
#include "network/strips/registers.h"

#define BYTES 64
#define TARGET GANNET_WITH_64_BYTES
#define NAME(x) wide_##x
#include "network/strips/registers.h"

const gannet_strips *gannet_strips_for(int width) {
  return width == 64 ? &wide_table : width == 32 ? &middle_table : &narrow_table;
}

#else

const gannet_strips *gannet_strips_for(int width) {
  (void)width;
  return &narrow_table;
}

#endif

const gannet_strips *gannet_strips_here(void) {
  return gannet_strips_for(gannet_register_bytes());
}

int gannet_strips_width(int left) {
  int width = GANNET_STRIP_ROWS;
  while (width / 2 >= left) width /= 2;
  return width;
}

size_t gannet_strips_whole(size_t n, size_t group) {
  return (n + group - 1) / group * group;
}
