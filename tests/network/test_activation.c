/* test: serial labels unit */
#include <float.h>
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "network/activation.h"

enum { N = 4001 };

static long double exact_value(const char *name, long double u) {
  if (name[0] == 'r') return u > 0 ? u : 0;
  if (name[0] == 't') return tanhl(u);
  if (name[0] == 'e') return erfl(u);
  return sinl(u);
}

static long double exact_slope(const char *name, long double u) {
  const long double two_over_sqrt_pi = 1.1283791670955125738961589031215452L;
  if (name[0] == 'r') return u > 0;
  if (name[0] == 't') return 1 / (coshl(u) * coshl(u));
  if (name[0] == 'e') return two_over_sqrt_pi * expl(-u * u);
  return cosl(u);
}

static void fill(double reach, double *u) {
  for (int i = 0; i < N; ++i) u[i] = reach * (2.0 * i / (N - 1) - 1) * (1 + 1e-3 * sin(i));
}

/* Against extended precision: values to 3 units in the last place, relative; slopes to 4, absolute.
 */
static void values_and_slopes_agree_with_extended_precision(void **state) {
  (void)state;
  static double u[N], value[N], slope[N];
  const double reach[] = {1e-9, 1e-3, 0.4, 1.01, 3, 7, 40, 800};
  for (int a = 0; gannet_activations[a]; ++a)
    for (int r = 0; r < 8; ++r) {
      const char *name = gannet_activations[a]->name;
      fill(reach[r], u);
      gannet_activations[a]->slope(N, u, value, slope);
      for (int i = 0; i < N; ++i) {
        const double v = (double)exact_value(name, u[i]), s = (double)exact_slope(name, u[i]);
        const double floor = name[0] == 's' ? DBL_EPSILON : 0; /* absolute near the zeros k pi */
        assert_near(value[i], v, 3 * DBL_EPSILON * fabs(v) + floor);
        assert_near(slope[i], s, 4 * DBL_EPSILON);
      }
    }
}

/* Central differences of the slope, step 1e-5: error about 1e-10. */
static void curvature_is_the_derivative_of_the_slope(void **state) {
  (void)state;
  static double u[N], above[N], below[N], value[N], slope[N], plus[N], minus[N], curve[N];
  const double h = 1e-5;
  fill(5, u);
  for (int i = 0; i < N; ++i) {
    above[i] = u[i] + h;
    below[i] = u[i] - h;
  }
  for (int a = 0; gannet_activations[a]; ++a) {
    const gannet_activation *f = gannet_activations[a];
    f->slope(N, above, value, plus);
    f->slope(N, below, value, minus);
    f->curve(N, u, value, slope, curve);
    for (int i = 0; i < N; ++i)
      if (f->smooth || fabs(u[i]) > 2 * h)
        assert_near(curve[i], (plus[i] - minus[i]) / (2 * h), 1e-9);
  }
}

static void every_form_and_any_window_gives_the_same_bits(void **state) {
  (void)state;
  static double u[N], value[N], other[N], slope[N], slope2[N], curve[N];
  fill(4, u);
  for (int a = 0; gannet_activations[a]; ++a) {
    const gannet_activation *f = gannet_activations[a];
    f->slope(N, u, value, slope);
    f->value(N, u, other);
    assert_memory_equal(value, other, sizeof value);
    f->curve(N, u, other, slope2, curve);
    assert_memory_equal(value, other, sizeof value);
    assert_memory_equal(slope, slope2, sizeof slope);
    f->value(N - 6, u + 3, other);
    assert_memory_equal(value + 3, other, (N - 6) * sizeof *other);
    memcpy(other, u, sizeof other);
    f->value(N, other, other);
    assert_memory_equal(value, other, sizeof value);
  }
}

static void infinities_and_nan_are_answered_in_kind(void **state) {
  (void)state;
  const double u[3] = {INFINITY, -INFINITY, NAN};
  double value[3], slope[3];
  for (int a = 0; gannet_activations[a]; ++a) {
    const gannet_activation *f = gannet_activations[a];
    f->slope(3, u, value, slope);
    if (f->name[0] == 't' || f->name[0] == 'e') {
      assert_near(value[0], 1, 0);
      assert_near(value[1], -1, 0);
      assert_near(slope[0], 0, 1e-290);
    }
    if (f->smooth) assert_true(isnan(value[2]));
  }
}

static void names_are_found_and_unknown_ones_are_explained(void **state) {
  (void)state;
  const gannet_activation *found = NULL;
  for (int a = 0; gannet_activations[a]; ++a) {
    assert_ok(gannet_activation_find(gannet_activations[a]->name, &found));
    assert_ptr_equal(found, gannet_activations[a]);
    assert_string_equal(gannet_activation_names[a], found->name);
  }
  for (int a = 0; gannet_smooth_activations[a]; ++a) {
    assert_true(gannet_smooth_activations[a]->smooth);
    assert_string_equal(gannet_smooth_activation_names[a], gannet_smooth_activations[a]->name);
  }
  assert_fails(GANNET_ERR_NAME, "relu", gannet_activation_find("rellu", &found));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_and_slopes_agree_with_extended_precision),
      cmocka_unit_test(curvature_is_the_derivative_of_the_slope),
      cmocka_unit_test(every_form_and_any_window_gives_the_same_bits),
      cmocka_unit_test(infinities_and_nan_are_answered_in_kind),
      cmocka_unit_test(names_are_found_and_unknown_ones_are_explained),
  };
  return run_serial(tests);
}
