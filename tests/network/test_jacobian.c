/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "linalg/blas.h"
#include "network/jacobian.h"

enum { N = 70, INPUTS = 3, WIDTH = 5, MOST = 100 };

/* Products with the Jacobian against the matrix made row by row with gannet_mlp_backward. More
 * points than one block of the Gram matrix. */
static void products_are_those_of_the_explicit_matrix(void **state) {
  (void)state;
  static double rows[N][MOST], gram[N * N], work[2 * GANNET_JACOBIAN_BLOCK * N];
  const gannet_stream stream = {9, GANNET_FOR_TEST, 1, 0}, other = {9, GANNET_FOR_TEST, 1, 1};
  double z[N * INPUTS], theta[MOST], v[MOST], w[N], out[N], along[N], back[MOST];
  gannet_random_normal(other, 0, N * INPUTS, z);
  gannet_random_normal(other, 1000, MOST, v);
  gannet_random_normal(other, 2000, N, w);
  for (int layers = 1; layers <= 3; ++layers) {
    gannet_mlp net = {.inputs = INPUTS, .layers = layers, .width = WIDTH};
    gannet_mlp_tape tape;
    const int p = (int)gannet_mlp_parameters(&net);
    assert_true(p <= MOST);
    assert_ok(gannet_activation_find("erf", &net.activation));
    gannet_mlp_start(&net, stream, theta);
    assert_ok(gannet_mlp_tape_create(&net, N, &tape));
    memset(rows, 0, sizeof rows);
    for (int i = 0; i < N; ++i) {
      const double one = 1;
      gannet_mlp_forward(&net, theta, 1, z + i * INPUTS, &tape, out);
      gannet_mlp_backward(&net, theta, 1, z + i * INPUTS, &one, &tape, rows[i], NULL);
    }
    gannet_mlp_forward(&net, theta, N, z, &tape, out);
    gannet_jacobian_prepare(&net, theta, N, &tape);
    for (int i = 0; i < N * N; ++i) gram[i] = 1;
    memset(along, 0, sizeof along);
    memset(back, 0, sizeof back);
    gannet_jacobian_gram(&net, N, z, &tape, 2, work, gram);
    gannet_jacobian_apply(&net, N, z, &tape, -1, v, along);
    gannet_jacobian_transpose(&net, N, z, &tape, 0.5, w, back);
    for (int i = 0; i < N; ++i) {
      assert_near(along[i], -gannet_dot(p, rows[i], v), 1e-11);
      for (int j = 0; j < N; ++j)
        assert_near(gram[i * N + j], 1 + 2 * gannet_dot(p, rows[i], rows[j]), 1e-11);
    }
    for (int k = 0; k < p; ++k) {
      double sum = 0;
      for (int i = 0; i < N; ++i) sum += 0.5 * w[i] * rows[i][k];
      assert_near(back[k], sum, 1e-11);
    }
    gannet_mlp_tape_release(&tape);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_are_those_of_the_explicit_matrix),
  };
  return run_serial(tests);
}
