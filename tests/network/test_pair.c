/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "linalg/blas.h"
#include "network/pair.h"

enum { N = 150, INPUTS = 3, WIDTH = 5, MOST = 200 };

static const gannet_stream stream = {9, GANNET_FOR_TEST, 1, 0}, other = {9, GANNET_FOR_TEST, 1, 1};

typedef struct {
  gannet_mlp net;
  gannet_pair pair;
  double units[N * 4 * WIDTH * 3], scratch[N * 2 * WIDTH];
  int p; /* weights of the pair */
  double z[N * INPUTS], theta[MOST], packed[MOST];
  double h[N], expected[N];
  double rows[N][MOST]; /* derivatives of h in the order of the pair */
} fixture;

/* Values and derivatives of the pair point by point with gannet_mlp_forward and _backward. */
static void explicit_rows(fixture *f) {
  gannet_mlp_tape tape;
  const int half = f->p / 2;
  const double plus = sqrt(0.5), minus = -plus;
  assert_ok(gannet_mlp_tape_create(&f->net, N, &tape));
  gannet_mlp_pair_values(&f->net, f->theta, N, f->z, &tape, f->expected);
  for (int i = 0; i < N; ++i) {
    double by_theta[MOST] = {0}, out = 0;
    const double *z = f->z + (size_t)i * INPUTS;
    gannet_mlp_forward(&f->net, f->theta, 1, z, &tape, &out);
    gannet_mlp_backward(&f->net, f->theta, 1, z, &plus, &tape, by_theta, NULL);
    gannet_mlp_forward(&f->net, f->theta + half, 1, z, &tape, &out);
    gannet_mlp_backward(&f->net, f->theta + half, 1, z, &minus, &tape, by_theta + half, NULL);
    gannet_pair_pack(&f->net, by_theta, f->rows[i]);
  }
  gannet_mlp_tape_release(&tape);
}

static void set_up(fixture *f, int layers) {
  memset(f, 0, sizeof *f);
  f->net = (gannet_mlp){.inputs = INPUTS, .layers = layers, .width = WIDTH};
  f->p = 2 * (int)gannet_mlp_parameters(&f->net);
  assert_true(f->p <= MOST);
  assert_ok(gannet_activation_find("erf", &f->net.activation));
  gannet_random_normal(stream, 0, (size_t)f->p, f->theta);
  gannet_random_normal(other, 0, sizeof f->z / sizeof *f->z, f->z);
  explicit_rows(f);
  gannet_pair_pack(&f->net, f->theta, f->packed);
  assert_true(gannet_pair_units(&f->net, N) <= sizeof f->units / sizeof *f->units);
  assert_true(gannet_pair_scratch(&f->net, N) <= sizeof f->scratch / sizeof *f->scratch);
  f->pair = gannet_pair_in(&f->net, N, f->units, f->scratch);
  for (int k = 0; k < gannet_pair_blocks(N); ++k) {
    gannet_pair_forward(&f->pair, gannet_pair_block_at(N, k), f->packed, f->z, f->h);
    gannet_pair_linearise(&f->pair, gannet_pair_block_at(N, k), f->packed);
  }
}

static void weights_come_back_in_their_order(void **state) {
  (void)state;
  static fixture f;
  double back[MOST];
  set_up(&f, 3);
  gannet_pair_unpack(&f.net, f.packed, back);
  assert_memory_equal(back, f.theta, (size_t)f.p * sizeof *back);
}

/* More points than one tile of the Gram matrix has rows; signs follow the second half's output. */
static void products_are_those_of_the_explicit_matrix(void **state) {
  (void)state;
  static fixture f;
  static double gram[N * N], work[2 * GANNET_PAIR_ROWS * GANNET_PAIR_COLUMNS];
  double v[MOST], w[N], along[N], back[MOST];
  gannet_random_normal(other, 1000, MOST, v);
  gannet_random_normal(other, 2000, N, w);
  for (int layers = 1; layers <= 3; ++layers) {
    set_up(&f, layers);
    for (int i = 0; i < N; ++i) assert_near(f.h[i], f.expected[i], 1e-12);
    gannet_pair_gram(&f.pair, f.z, work, gram);
    for (int k = 0; k < gannet_pair_blocks(N); ++k)
      gannet_pair_apply(&f.pair, gannet_pair_block_at(N, k), f.z, v, along);
    for (int k = 0; k < gannet_pair_sums(&f.net); ++k) gannet_pair_sum(&f.pair, k, f.z, w, back);
    for (int i = 0; i < N; ++i) {
      assert_near(along[i], gannet_dot(f.p, f.rows[i], v), 1e-11);
      for (int j = 0; j <= i; ++j)
        assert_near(gram[i * N + j], gannet_dot(f.p, f.rows[i], f.rows[j]), 1e-11);
    }
    for (int k = 0; k < f.p; ++k) {
      double sum = 0;
      for (int i = 0; i < N; ++i) sum += w[i] * f.rows[i][k];
      assert_near(back[k], sum, 1e-10);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_come_back_in_their_order),
      cmocka_unit_test(products_are_those_of_the_explicit_matrix),
  };
  return run_serial(tests);
}
