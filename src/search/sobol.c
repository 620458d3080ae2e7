#include "search/sobol.h"

#include <stdbool.h>

#include "base/memory.h"
#include "search/sobol_table.h"

enum { BITS = 32, CHUNK = 64 };

struct gannet_sobol {
  int d;
  int d_table; /* coordinates from the table */
  bool scrambled;
  gannet_stream rest;           /* numbers of the coordinates beyond the table */
  uint32_t *keys;               /* [d_table] */
  uint32_t (*directions)[BITS]; /* [d_table] */
};

/* Bratley and Fox 1988, section 2: m_j = sum over r of a_r 2^r m_{j-r} + m_{j-s} in the field of
 * two elements, for a primitive polynomial of degree s; the direction is m_j 2^(31-j). */
static void set_directions(uint32_t polynomial, int degree, const uint16_t *initials,
                           uint32_t directions[BITS]) {
  uint32_t m[BITS] = {1};
  for (int j = 1; j < BITS; ++j) {
    if (j < degree) {
      m[j] = initials[j - 1];
      continue;
    }
    m[j] = m[j - degree];
    for (int r = 1; r <= degree; ++r)
      if (polynomial >> (degree - r) & 1) m[j] ^= m[j - r] << r;
  }
  for (int j = 0; j < BITS; ++j) directions[j] = m[j] << (BITS - 1 - j);
}

static void set_all_directions(gannet_sobol *s) {
  for (int j = 0; j < BITS; ++j) s->directions[0][j] = UINT32_C(1) << (BITS - 1 - j);
  const uint16_t *initials = gannet_sobol_initials;
  for (int k = 1; k < s->d_table; ++k) {
    const uint32_t polynomial = gannet_sobol_polynomials[k - 1];
    int degree = 0;
    while (polynomial >> (degree + 1)) ++degree;
    set_directions(polynomial, degree, initials, s->directions[k]);
    initials += degree - 1;
  }
}

gannet_err gannet_sobol_create(int d, const gannet_stream *stream, gannet_sobol **sobol) {
  GANNET_REQUIRE(d >= 1, GANNET_ERR_ARG, "d = %d, expected at least 1", d);
  gannet_sobol *s = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *s, &s));
  s->d = d;
  s->d_table = d < GANNET_SOBOL_TABLE ? d : GANNET_SOBOL_TABLE;
  gannet_err err = gannet_alloc((size_t)s->d_table, sizeof *s->directions, &s->directions);
  if (err == GANNET_OK) err = gannet_alloc((size_t)s->d_table, sizeof *s->keys, &s->keys);
  if (err != GANNET_OK) {
    gannet_sobol_destroy(&s);
    return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  }
  set_all_directions(s);
  s->scrambled = stream != NULL;
  if (stream) {
    for (int k = 0; k < s->d_table; ++k)
      s->keys[k] = (uint32_t)gannet_random_bits(*stream, (uint64_t)k);
    s->rest = *stream;
  }
  s->rest.purpose |= UINT64_C(1) << 32; /* numbers apart from the keys */
  *sobol = s;
  return GANNET_OK;
}

void gannet_sobol_destroy(gannet_sobol **sobol) {
  if (!*sobol) return;
  gannet_free(&(*sobol)->keys);
  gannet_free(&(*sobol)->directions);
  gannet_free(sobol);
}

static uint32_t reverse(uint32_t x) {
  x = (x >> 16) | (x << 16);
  x = ((x & 0xff00ff00u) >> 8) | ((x & 0x00ff00ffu) << 8);
  x = ((x & 0xf0f0f0f0u) >> 4) | ((x & 0x0f0f0f0fu) << 4);
  x = ((x & 0xccccccccu) >> 2) | ((x & 0x33333333u) << 2);
  return ((x & 0xaaaaaaaau) >> 1) | ((x & 0x55555555u) << 1);
}

/* In reversed bits every step lets a bit depend on lower ones only: nested scrambling. */
static uint32_t scramble(uint32_t x, uint32_t key) {
  x = reverse(x);
  x ^= x * 0x3d20adeau;
  x += key;
  x *= (key >> 16) | 1;
  x ^= x * 0x05526c56u;
  x ^= x * 0x53a22864u;
  return reverse(x);
}

static uint32_t unscrambled(const uint32_t *direction, uint32_t i) {
  uint32_t x = 0;
  for (; i; i >>= 1, ++direction)
    if (i & 1) x ^= *direction;
  return x;
}

uint32_t gannet_sobol_bits(const gannet_sobol *sobol, uint32_t i, int k) {
  const uint32_t x = unscrambled(sobol->directions[k], i);
  return sobol->scrambled ? scramble(x, sobol->keys[k]) : x;
}

/* Coordinates k .. k+count-1, count <= CHUNK, of points first .. first+n-1. From one number to the
 * next only a few of its lowest bits change. */
static void make_coordinates(const gannet_sobol *s, int k, int count, uint32_t first, int n,
                             double *x) {
  uint32_t bits[CHUNK], keys[CHUNK];
  for (int j = 0; j < count; ++j) bits[j] = unscrambled(s->directions[k + j], first);
  for (int j = 0; j < count; ++j) keys[j] = s->scrambled ? s->keys[k + j] : 0;
  for (int p = 0; p < n; ++p, x += s->d) {
    const uint32_t changed = (first + (uint32_t)p) ^ (first + (uint32_t)p + 1);
    for (int j = 0; j < count; ++j) {
      const uint32_t value = s->scrambled ? scramble(bits[j], keys[j]) : bits[j];
      x[j] = ((double)value + 0.5) * 0x1p-32;
    }
    for (int j = 0; j < count; ++j) bits[j] ^= unscrambled(s->directions[k + j], changed);
  }
}

void gannet_sobol_points(const gannet_sobol *sobol, uint32_t first, int n, double *x) {
  const size_t rest = (size_t)(sobol->d - sobol->d_table);
  for (int k = 0; k < sobol->d_table; k += CHUNK)
    make_coordinates(sobol, k, sobol->d_table - k < CHUNK ? sobol->d_table - k : CHUNK, first, n,
                     x + k);
  for (int p = 0; p < n && rest > 0; ++p)
    gannet_random_uniform(sobol->rest, (first + (uint32_t)p) * (uint64_t)rest, rest,
                          x + (size_t)p * (size_t)sobol->d + sobol->d_table);
}
