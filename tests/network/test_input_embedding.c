/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "network/input_embedding.h"
#include "support/harness.h"

enum { D = 3 };

static const double rho[D] = {0.7, 1.3, 0.4};
static const double x[2 * D] = {0.1, 0.85, 0.4, 1, 0, 1};
static const double far[D] = {2.5, 0.5, -1}; /* outside the sphere */
static const double by_z[D + 1] = {0.3, -1.1, 0.45, 0.8};

static gannet_input_embedding make(int kind) {
  return (gannet_input_embedding){(gannet_embedding_kind)kind, D, rho, 0.6};
}

static double norm(const double *z) {
  double sum = 0;
  for (int k = 0; k <= D; ++k) sum += z[k] * z[k];
  return sum;
}

/* by_z . z, a function of the point and of the scales. */
static double project(const gannet_input_embedding *embedding, const double *point) {
  double z[D + 1], sum = 0;
  gannet_embed_inputs(embedding, 1, point, z);
  for (int k = 0; k <= D; ++k) sum += by_z[k] * z[k];
  return sum;
}

static void the_flat_lift_has_a_constant_coordinate(void **state) {
  const gannet_input_embedding embedding = make(GANNET_EMBEDDING_FLAT);
  double z[2 * (D + 1)];
  (void)state;
  gannet_embed_inputs(&embedding, 2, x, z);
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < D; ++k)
      assert_near(z[i * (D + 1) + k], rho[k] * (2 * x[i * D + k] - 1), 1e-15);
    assert_near(z[i * (D + 1) + D], 0.6, 0);
  }
}

/* The second point is a corner, where the further coordinate is the bias itself. A point far
 * outside the cube is moved onto the sphere: kernels count on one radius. */
static void the_sphere_has_one_radius(void **state) {
  const gannet_input_embedding embedding = make(GANNET_EMBEDDING_SPHERE);
  double z[2 * (D + 1)];
  (void)state;
  gannet_embed_inputs(&embedding, 2, x, z);
  for (int i = 0; i < 2; ++i) assert_near(norm(z + i * (D + 1)), 0.36 + 0.49 + 1.69 + 0.16, 1e-14);
  assert_near(z[2 * D + 1], 0.6, 1e-15);
  gannet_embed_inputs(&embedding, 1, far, z);
  assert_near(norm(z), 0.36 + 0.49 + 1.69 + 0.16, 1e-14);
}

/* Central differences, step 1e-6. */
static void compare_gradients(const double *from) {
  const double h = 1e-6;
  for (int kind = 0; gannet_embedding_names[kind]; ++kind) {
    const gannet_input_embedding embedding = make(kind);
    double at[D], z[D + 1], gradient[D];
    memcpy(at, from, sizeof at);
    gannet_embed_inputs(&embedding, 1, at, z);
    gannet_embedding_gradient(&embedding, z, by_z, gradient);
    for (int k = 0; k < D; ++k) {
      at[k] = from[k] + h;
      const double above = project(&embedding, at);
      at[k] = from[k] - h;
      assert_near(gradient[k], (above - project(&embedding, at)) / (2 * h), 1e-8);
      at[k] = from[k];
    }
  }
}

static void gradients_are_differences(void **state) {
  (void)state;
  compare_gradients(x);
  compare_gradients(far);
}

static void compare_scale_gradients(const double *from) {
  const double h = 1e-6;
  for (int kind = 0; gannet_embedding_names[kind]; ++kind) {
    double z[D + 1], by[D + 1] = {0}, scale[D + 1];
    gannet_input_embedding embedding = make(kind);
    gannet_embed_inputs(&embedding, 1, from, z);
    gannet_embedding_scale_gradient(&embedding, z, by_z, by, &by[D]);
    for (int k = 0; k <= D; ++k) {
      double side[2];
      for (int s = 0; s < 2; ++s) {
        memcpy(scale, rho, sizeof rho);
        scale[D] = 0.6;
        scale[k] *= exp(s ? -h : h);
        const gannet_input_embedding moved = {(gannet_embedding_kind)kind, D, scale, scale[D]};
        side[s] = project(&moved, from);
      }
      assert_near(by[k], (side[0] - side[1]) / (2 * h), 1e-8);
    }
  }
}

static void derivatives_by_the_scales_are_differences(void **state) {
  (void)state;
  compare_scale_gradients(x);
  compare_scale_gradients(far);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_flat_lift_has_a_constant_coordinate),
      cmocka_unit_test(the_sphere_has_one_radius),
      cmocka_unit_test(gradients_are_differences),
      cmocka_unit_test(derivatives_by_the_scales_are_differences),
  };
  return run_serial(tests);
}
