#include "base/random.h"

#include <Random123/threefry.h>
#include <math.h>

static void block_of(gannet_stream stream, uint64_t block, uint64_t bits[4]) {
  const threefry4x64_key_t key = {{stream.seed, stream.purpose, stream.iteration, stream.index}};
  const threefry4x64_ctr_t counter = {{block, 0, 0, 0}};
  const threefry4x64_ctr_t random = threefry4x64(counter, key);
  for (int i = 0; i < 4; ++i) bits[i] = random.v[i];
}

/* The 53 upper bits, moved by half a step so that neither 0 nor 1 occurs. */
static double to_uniform(uint64_t bits) {
  return ((double)(bits >> 11) + 0.5) * 0x1p-53;
}

uint64_t gannet_random_bits(gannet_stream stream, uint64_t at) {
  uint64_t bits[4];
  block_of(stream, at / 4, bits);
  return bits[at % 4];
}

void gannet_random_uniform(gannet_stream stream, uint64_t first, size_t n, double *u) {
  uint64_t bits[4];
  for (size_t i = 0; i < n; ++i) {
    const uint64_t at = first + i;
    if (i == 0 || at % 4 == 0) block_of(stream, at / 4, bits);
    u[i] = to_uniform(bits[at % 4]);
  }
}

/* Box and Muller 1958: numbers 2k and 2k+1 are the cosine and the sine part of one pair. */
static void normal_pair(const uint64_t bits[2], double *even, double *odd) {
  const double two_pi = 6.283185307179586476925;
  const double radius = sqrt(-2 * log(to_uniform(bits[0])));
  const double angle = two_pi * to_uniform(bits[1]);
  *even = radius * cos(angle);
  *odd = radius * sin(angle);
}

void gannet_random_normal(gannet_stream stream, uint64_t first, size_t n, double *z) {
  uint64_t bits[4];
  double pair[2] = {0};
  for (size_t i = 0; i < n; ++i) {
    const uint64_t at = first + i;
    if (i == 0 || at % 4 == 0) block_of(stream, at / 4, bits);
    if (i == 0 || at % 2 == 0) normal_pair(bits + (at % 4 & 2), &pair[0], &pair[1]);
    z[i] = pair[at % 2];
  }
}

void gannet_random_permutation(gannet_stream stream, int n, int *permutation) {
  for (int i = 0; i < n; ++i) permutation[i] = i;
  for (int i = n - 1; i > 0; --i) {
    const int j = (int)(gannet_random_bits(stream, (uint64_t)i) % ((uint64_t)i + 1));
    const int other = permutation[j];
    permutation[j] = permutation[i];
    permutation[i] = other;
  }
}
