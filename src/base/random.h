/* Counter-based random streams (Random123, Threefry 4x64-20: Salmon et al. 2011).
 *
 * A stream is named, not stored: (seed, purpose, iteration, index) is the key, and the n-th number
 * of a stream can be computed without the ones before it. So the same numbers appear on any number
 * of ranks, and a restart needs no generator state.
 */
#ifndef GANNET_BASE_RANDOM_H
#define GANNET_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* What numbers are used for. Values are part of the reproducibility contract: add, never renumber.
 */
typedef enum {
  GANNET_FOR_DESIGN = 1,     /* initial design and global candidates */
  GANNET_FOR_LOCAL = 2,      /* local candidates */
  GANNET_FOR_WEIGHTS = 3,    /* network weights */
  GANNET_FOR_PRIOR = 4,      /* prior part of a posterior draw */
  GANNET_FOR_NOISE = 5,      /* noise part of a posterior draw, perturbed targets */
  GANNET_FOR_POINTWISE = 6,  /* pointwise draws at candidates */
  GANNET_FOR_FIT = 7,        /* starts and subsets of hyperparameter fits */
  GANNET_FOR_TRAINING = 8,   /* mini-batches */
  GANNET_FOR_SIMULATION = 9, /* noise of the built-in problems, GANNET_SEED of simulations */
  GANNET_FOR_RETRY = 10,     /* names of attempts */
  GANNET_FOR_LOOKAHEAD = 11, /* samples of the function at reference points */
  GANNET_FOR_POLISH = 12,    /* draws and starts of the local member */
  GANNET_FOR_ALLOWED = 13,   /* points that satisfy the variable constraints */
  GANNET_FOR_DIRECTION = 14, /* weights of several objectives */
  GANNET_FOR_EVOLUTION = 15, /* populations of the evolution strategy */
  GANNET_FOR_TEST = 1000
} gannet_purpose;

typedef struct {
  uint64_t seed;
  uint64_t purpose; /* a gannet_purpose; the upper half is free for a sub-purpose */
  uint64_t iteration;
  uint64_t index;
} gannet_stream;

/* Numbers first .. first+n-1 of a stream, uniform on the open interval (0, 1).
 *
 * Local.
 */
void gannet_random_uniform(gannet_stream stream, uint64_t first, size_t n, double *u);

/* Numbers first .. first+n-1 of a stream, standard normal (Box-Muller on the uniforms).
 *
 * Local.
 */
void gannet_random_normal(gannet_stream stream, uint64_t first, size_t n, double *z);

/* 64 random bits, the number at of a stream.
 *
 * Local.
 */
uint64_t gannet_random_bits(gannet_stream stream, uint64_t at);

/* A random permutation of 0 .. n-1 (Fisher-Yates).
 *
 * Local.
 */
void gannet_random_permutation(gannet_stream stream, int n, int *permutation);

#endif
