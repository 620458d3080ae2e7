#include "network/table.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "network/vector_clones.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>
#endif

enum { PIECES = GANNET_TABLE_PIECES, TERMS = GANNET_TABLE_TERMS, CHECKS = 2 * TERMS };
enum { FEW = 6, MOST_OCTAVES = 8 };

/* v is below 2^8; three bits of its exponent and two of its mantissa make the piece. Within it r =
 * mantissa - left end - width/2. */
static const double width = 0.25; /* times the power of 2 */

/* How far v stays from the ends of its range, in units of its largest value, so that rounding
 * cannot take it out: reach, slope, their product and base are each rounded by at most 2^-24 of
 * that. */
static const double margin = 0x1p-21;

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
  const double low = 1 + ldexp(margin, octaves), high = ldexp(1 - margin, octaves);
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
  const double good = 8e-8, fair = 1e-7; /* coefficients are rounded to 3e-8 */
  double least = INFINITY;
  gannet_table trial = {.reach = (float)reach, .odd = odd};
  if (!(reach > 1e-15 && reach < 1e15)) return false;
  for (trial.terms = FEW; trial.terms <= TERMS && !(least <= good); trial.terms += TERMS - FEW)
    for (int k = 2; k <= 2 * MOST_OCTAVES + 1 && !(least <= good); ++k) {
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
typedef struct {
  __m512 low, high; /* of the pieces */
} power;

typedef struct {
  __m512 base, slope, reach;
  __m512i sign; /* the bit that an odd function passes on; 0 = even */
} line;

/* The lookup takes the lowest five bits of an index, so the exponent's bias stays in it, and the
 * coefficients are turned by that. */
enum { TURN = (127 << 2) % PIECES };

WIDE static inline __attribute__((always_inline)) power turned(const float *coefficients) {
  float at[PIECES];
  for (int piece = 0; piece < PIECES; ++piece) at[(piece + TURN) % PIECES] = coefficients[piece];
  return (power){_mm512_loadu_ps(at), _mm512_loadu_ps(at + LANES)};
}

WIDE static inline __attribute__((always_inline)) __m512 value_at(const line *at, int terms,
                                                                  const power *c, __m512 x) {
  const __m512i inside = _mm512_set1_epi32(0x1fffff), one = _mm512_set1_epi32(0x3f800000);
  const __m512 size = _mm512_min_ps(_mm512_abs_ps(x), at->reach);
  const __m512i v = _mm512_castps_si512(_mm512_fmadd_ps(size, at->slope, at->base));
  const __m512i piece = _mm512_srli_epi32(v, 21);
  const __m512i place = _mm512_or_si512(_mm512_and_si512(v, inside), one);
  const __m512 r = _mm512_sub_ps(_mm512_castsi512_ps(place), _mm512_set1_ps(1.125F));
  __m512 sum = _mm512_permutex2var_ps(c[terms - 1].low, piece, c[terms - 1].high);
  for (int k = terms - 2; k >= 0; --k)
    sum = _mm512_fmadd_ps(sum, r, _mm512_permutex2var_ps(c[k].low, piece, c[k].high));
  const __m512i sign = _mm512_and_si512(_mm512_castps_si512(x), at->sign);
  return _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(sum), sign));
}

WIDE static inline __attribute__((always_inline)) void apply_terms(const gannet_table *t, int terms,
                                                                   int n, const float *x,
                                                                   float *y) {
  const line at = {_mm512_set1_ps(t->base), _mm512_set1_ps(t->slope), _mm512_set1_ps(t->reach),
                   _mm512_set1_epi32(t->odd ? INT32_MIN : 0)};
  power c[TERMS];
  float rest[LANES] = {0};
  int i = 0;
  for (int k = 0; k < terms; ++k) c[k] = turned(t->coefficient[k]);
  for (; i + LANES <= n; i += LANES)
    _mm512_storeu_ps(y + i, value_at(&at, terms, c, _mm512_loadu_ps(x + i)));
  if (i == n) return;
  memcpy(rest, x + i, (size_t)(n - i) * sizeof *x);
  _mm512_storeu_ps(rest, value_at(&at, terms, c, _mm512_loadu_ps(rest)));
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
