/* Products of strips in one precision, for every size of registers. Each precision has a file that
 * includes this one, after it has defined the numbers as network/strips/body.h says, and as TABLE
 * the name of the function that picks the size. */
#include <math.h>
#include <stdint.h>

#include "base/registers.h"
#include "network/strips.h"

enum {
  ROWS = GANNET_STRIP_ROWS,
  STRIP_BYTES = 64,
  SOLVED = 3 /* strips that are solved at once */
};

static void pack(int rows, int columns, const gannet_strips_source *from, int across, void *to) {
  REAL *out = to;
  for (int i = 0; i < rows; ++i) {
    const double *row = from->at + (size_t)i * from->row_step;
    REAL *place = out + (size_t)(i / across) * (size_t)columns * (size_t)across + i % across;
    for (size_t k = 0; k < (size_t)columns; ++k)
      place[k * (size_t)across] = (REAL)row[k * from->column_step];
  }
}

static void add(size_t n, const void *sums, double *total) {
  const REAL *from = sums;
  for (size_t i = 0; i < n; ++i) total[i] += (double)from[i];
}

#define BYTES 16
#define TARGET
#define NAME(x) narrow_##x
#include "network/strips/body.h"

#ifdef GANNET_HAS_REGISTERS

#define BYTES 32
#define TARGET GANNET_WITH_32_BYTES
#define NAME(x) middle_##x
#include "network/strips/body.h"

#define BYTES 64
#define TARGET GANNET_WITH_64_BYTES
#define NAME(x) wide_##x
#include "network/strips/body.h"

const gannet_strips *TABLE(int width) {
  return width == 64 ? &wide_table : width == 32 ? &middle_table : &narrow_table;
}

#else

const gannet_strips *TABLE(int width) {
  (void)width;
  return &narrow_table;
}

#endif
