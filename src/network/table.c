#include "network/table.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "network/vector_clones.h"

enum { PIECES = GANNET_TABLE_PIECES, TERMS = GANNET_TABLE_TERMS, CHECKS = 2 * TERMS };
enum { FEW = 6, MOST_OCTAVES = 8 };

/* v is below 2^8; three bits of its exponent and two of its mantissa make the piece. Within it r =
 * mantissa - left end - width/2. */
static const double width = 0.25; /* times the power of 2 */

/* How far v stays from the ends of its range, so that rounding cannot take it out. */
static const double margin = 0x1p-18;

/* A linear map between |x| and v, with the single-precision coefficients of the table. */
static double place_of(const gannet_table *t, int piece, double r) {
  const double v = ldexp(1 + width * (piece % 4) + width / 2 + r, piece / 4);
  return (v - (double)t->base) / (double)t->slope;
}

/* Interpolation in Newton's form, expanded into powers of r. */
static void expand(int terms, const double *r, double *y, double *power) {
  for (int k = 1; k < terms; ++k)
    for (int i = terms - 1; i >= k; --i) y[i] = (y[i] - y[i - 1]) / (r[i] - r[i - k]);
  memset(power, 0, (size_t)terms * sizeof *power);
  for (int k = terms - 1; k >= 0; --k) {
    for (int i = terms - 1; i > 0; --i) power[i] = power[i - 1] - r[k] * power[i];
    power[0] = y[k] - r[k] * power[0];
  }
}

static double fit_error(const gannet_table *t, int piece, const double *r, const double *exact) {
  double most = 0;
  for (int i = 0; i < CHECKS; ++i) {
    double sum = 0;
    for (int k = t->terms - 1; k >= 0; --k) sum = sum * r[i] + (double)t->coefficient[k][piece];
    if (!(fabs(sum - exact[i]) <= most)) most = fabs(sum - exact[i]);
    if (isnan(most)) return INFINITY;
  }
  return most;
}

typedef struct {
  gannet_table_function function;
  const void *user;
} target;

/* One piece. *size: largest value so far. */
static double fit_piece(const target *f, gannet_table *t, int piece, double *size) {
  const double pi = 3.14159265358979323846;
  double r[CHECKS], x[CHECKS], y[CHECKS], power[TERMS];
  for (int i = 0; i < t->terms; ++i) {
    r[i] = width / 2 * cos(pi * (i + 0.5) / t->terms);
    x[i] = place_of(t, piece, r[i]);
  }
  f->function(f->user, t->terms, x, y);
  expand(t->terms, r, y, power);
  for (int k = 0; k < t->terms; ++k) t->coefficient[k][piece] = (float)power[k];
  for (int i = 0; i < CHECKS; ++i) {
    r[i] = width * (i / (CHECKS - 1.0) - 0.5);
    x[i] = place_of(t, piece, r[i]);
  }
  f->function(f->user, CHECKS, x, y);
  for (int i = 0; i < CHECKS; ++i) *size = fabs(y[i]) <= *size ? *size : fabs(y[i]);
  return fit_error(t, piece, r, y);
}

/* All pieces, with v from 1 to 2^octaves, rising or falling with |x|. Error over largest value. */
static double fit(const target *f, double reach, int octaves, bool rising, gannet_table *t) {
  const double low = 1 + margin, high = ldexp(1 - margin, octaves);
  double size = 0, worst = 0;
  t->base = (float)(rising ? low : high);
  t->slope = (float)((rising ? high - low : low - high) / reach);
  memset(t->coefficient, 0, sizeof t->coefficient);
  for (int piece = 0; piece < 4 * octaves; ++piece) {
    const double error = fit_piece(f, t, piece, &size);
    if (!isfinite(error)) return INFINITY;
    worst = fmax(worst, error);
  }
  t->error = worst;
  return worst <= 1e-300 ? 0 : worst / size;
}

bool gannet_table_fit(gannet_table_function function, const void *user, double reach, bool odd,
                      gannet_table *table) {
  const target f = {function, user};
  const double good = 3e-8, fair = 1e-7;
  double least = INFINITY;
  gannet_table trial = {.reach = (float)reach, .odd = odd};
  if (!(reach > 1e-15 && reach < 1e15)) return false;
  for (trial.terms = FEW; trial.terms <= TERMS && !(least <= good); trial.terms += TERMS - FEW)
    for (int k = 2; k <= 2 * MOST_OCTAVES + 1; ++k) {
      const double error = fit(&f, reach, k / 2, k % 2 == 1, &trial);
      if (!(error < least)) continue;
      least = error;
      *table = trial;
    }
  return least <= fair && table->error < 1e30;
}

/* The coefficients of a piece are gathered from memory. */
static inline __attribute__((always_inline)) void gather_terms(const gannet_table *t, int terms,
                                                               int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i) {
    const float size = fabsf(x[i]);
    const float v = t->base + (size < t->reach ? size : t->reach) * t->slope;
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    const uint32_t piece = ((bits >> 21) - (127u << 2)) % PIECES;
    const uint32_t inside = (bits & 0x1fffffu) | 0x3f800000u;
    float r, sum = t->coefficient[terms - 1][piece];
    memcpy(&r, &inside, sizeof r);
    r -= 1.125F;
    for (int k = terms - 2; k >= 0; --k) sum = sum * r + t->coefficient[k][piece];
    y[i] = t->odd ? copysignf(1, x[i]) * sum : sum;
  }
}

GANNET_VECTOR_CLONES static void gather(const gannet_table *t, int n, const float *x, float *y) {
  if (t->terms == FEW)
    gather_terms(t, FEW, n, x, y);
  else
    gather_terms(t, TERMS, n, x, y);
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)

/* The same with all coefficients in registers, which AVX-512 has enough of. */
#define WIDE __attribute__((target("arch=x86-64-v4")))

enum { LANES = 16 };
typedef float lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t words __attribute__((vector_size(4 * LANES)));
typedef struct {
  lanes low, high; /* of the pieces */
} power;

WIDE static inline __attribute__((always_inline)) void apply_lanes(const gannet_table *t, int terms,
                                                                   const power *c, const float *x,
                                                                   float *y) {
  lanes value;
  memcpy(&value, x, sizeof value);
  const words bits = (words)value, sign = bits & INT32_MIN;
  const lanes size = (lanes)(bits & INT32_MAX);
  const words inside = size < t->reach;
  const lanes clipped = (lanes)(((words)size & inside) | ((words)(0 * size + t->reach) & ~inside));
  const words v = (words)(t->base + clipped * t->slope);
  const words piece = (v >> 21) - (127 << 2);
  const lanes r = (lanes)((v & 0x1fffff) | 0x3f800000) - 1.125F;
  lanes sum = __builtin_shuffle(c[terms - 1].low, c[terms - 1].high, piece);
  for (int k = terms - 2; k >= 0; --k)
    sum = sum * r + __builtin_shuffle(c[k].low, c[k].high, piece);
  if (t->odd) sum = (lanes)((words)sum ^ sign);
  memcpy(y, &sum, sizeof sum);
}

WIDE static inline __attribute__((always_inline)) void apply_terms(const gannet_table *t, int terms,
                                                                   int n, const float *x,
                                                                   float *y) {
  power c[TERMS];
  float rest[LANES] = {0};
  int i = 0;
  for (int k = 0; k < terms; ++k) memcpy(&c[k], t->coefficient[k], sizeof c[k]);
  for (; i + LANES <= n; i += LANES) apply_lanes(t, terms, c, x + i, y + i);
  if (i == n) return;
  memcpy(rest, x + i, (size_t)(n - i) * sizeof *x);
  apply_lanes(t, terms, c, rest, rest);
  memcpy(y + i, rest, (size_t)(n - i) * sizeof *y);
}

WIDE static void look_up(const gannet_table *t, int n, const float *x, float *y) {
  if (t->terms == FEW)
    apply_terms(t, FEW, n, x, y);
  else
    apply_terms(t, TERMS, n, x, y);
}

void gannet_table_apply(const gannet_table *table, int n, const float *x, float *y) {
  if (__builtin_cpu_supports("x86-64-v4"))
    look_up(table, n, x, y);
  else
    gather(table, n, x, y);
}

#else

void gannet_table_apply(const gannet_table *table, int n, const float *x, float *y) {
  gather(table, n, x, y);
}

#endif
