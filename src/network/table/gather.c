/* Lookup in tables on any processor: coefficients are gathered from memory. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "network/table/lookup.h"

static inline __attribute__((always_inline)) void gather_terms(const gannet_table *t, int terms,
                                                               int n, const double *x, double *y) {
  const bool in_rows = t->pieces == GANNET_TABLE_ROWS;
  const double middle = 1 + ldexp(0.5, -t->bits);
  const int shift = TABLE_MANTISSA - t->bits, step = in_rows ? 1 : TABLE_LANES;
  const uint64_t inside = ((uint64_t)1 << shift) - 1;
  for (int i = 0; i < n; ++i) {
    const double size = x[i] < 0 ? -x[i] : x[i];
    const double v = t->base + (size < t->reach ? size : t->reach) * t->slope;
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    const uint64_t piece = bits >> shift, place = (bits & inside) | TABLE_ONE;
    const double *power = in_rows ? &t->power.row[piece % GANNET_TABLE_ROWS][0]
                                  : &t->power.column[0][piece % TABLE_LANES];
    double r, sum = power[(terms - 1) * step];
    memcpy(&r, &place, sizeof r);
    r -= middle;
    for (int k = terms - 2; k >= 0; --k) sum = sum * r + power[k * step];
    y[i] = t->odd && x[i] < 0 ? -sum : sum;
  }
}

void table_look_up_gather(const gannet_table *t, int n, const double *x, double *y) {
  switch (t->terms) {
    case 6:
      gather_terms(t, 6, n, x, y);
      break;
    case 8:
      gather_terms(t, 8, n, x, y);
      break;
    case 10:
      gather_terms(t, 10, n, x, y);
      break;
    case 12:
      gather_terms(t, 12, n, x, y);
      break;
    case 14:
      gather_terms(t, 14, n, x, y);
      break;
    case 16:
      gather_terms(t, 16, n, x, y);
      break;
    case 18:
      gather_terms(t, 18, n, x, y);
      break;
    default:
      gather_terms(t, TABLE_MOST, n, x, y);
      break;
  }
}
