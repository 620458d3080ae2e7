/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "base/random.h"
#include "simulations/structure.h"

static const int dimensions[] = {1, 2, 7, 30};
enum { MOST = 30 };

static void minima_are_zero_and_nothing_in_the_box_is_lower(void **state) {
  (void)state;
  for (int b = 0; gannet_structure_bases[b]; ++b)
    for (int k = 0; k < 4; ++k) {
      const size_t d = (size_t)dimensions[k];
      gannet_structure *s = NULL;
      double x[MOST], u[MOST];
      assert_ok(gannet_structure_create(gannet_structure_bases[b]->name, (int)d, 3, &s));
      for (size_t i = 0; i < d; ++i) assert_true(fabs(s->optimum[i]) <= 4);
      assert_near(gannet_structure_value(s, s->optimum), 0, 1e-12);
      for (int p = 0; p < 300; ++p) {
        const double radius = p % 2 ? 10 : 0.1;
        gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 0, (uint64_t)p}, 0, d, u);
        for (size_t i = 0; i < d; ++i)
          x[i] = fmin(5, fmax(-5, s->optimum[i] + radius * (2 * u[i] - 1)));
        const double value = gannet_structure_value(s, x);
        if (!(value >= 0 && value < 1e6))
          fail_msg("%s has the value %g in %zu dimensions", s->base->name, value, d);
      }
      gannet_structure_destroy(&s);
    }
}

/* A step at right angles to the active directions changes nothing, and the rows are orthonormal. */
static void few_directions_matter(void **state) {
  (void)state;
  enum { D = 20 };
  for (int b = 0; gannet_structure_bases[b]; ++b) {
    gannet_structure *s = NULL;
    double x[D], step[D];
    const gannet_structure_base *base = gannet_structure_bases[b];
    if (base->directions == 0) continue;
    assert_ok(gannet_structure_create(base->name, D, 1, &s));
    assert_int_equal(s->k, base->directions);
    gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 1, 0}, 0, D, x);
    gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 1, 1}, 0, D, step);
    for (int i = 0; i < s->k; ++i) {
      const double *row = s->turn + (size_t)i * D;
      double along = 0, length = 0;
      for (int j = 0; j < D; ++j) along += row[j] * step[j];
      for (int j = 0; j < D; ++j) step[j] -= along * row[j];
      for (int j = 0; j < D; ++j) length += row[j] * row[j];
      assert_near(length, 1, 1e-13);
    }
    const double before = gannet_structure_value(s, x);
    for (int j = 0; j < D; ++j) x[j] += step[j];
    assert_near(gannet_structure_value(s, x), before, 1e-10 * (1 + before));
    gannet_structure_destroy(&s);
  }
}

/* f(x) - f(x') does not depend on the other variables of a sum of functions of single ones. */
static void sums_are_sums(void **state) {
  (void)state;
  static const char *const names[] = {"lanes", "twins", "waves", "corners"};
  enum { D = 5 };
  for (int b = 0; b < 4; ++b) {
    gannet_structure *s = NULL;
    double change[2];
    assert_ok(gannet_structure_create(names[b], D, 2, &s));
    for (int side = 0; side < 2; ++side) {
      double x[D] = {1, -2, 3, 0.5, -4};
      for (int i = 1; side == 1 && i < D; ++i) x[i] = -x[i];
      const double before = gannet_structure_value(s, x);
      x[0] = -3;
      change[side] = gannet_structure_value(s, x) - before;
    }
    assert_near(change[0], change[1], 1e-10 * (1 + fabs(change[0])));
    gannet_structure_destroy(&s);
  }
}

static void instances_differ_and_repeat(void **state) {
  (void)state;
  const double x[8] = {1, -2, 0.5, 3, -1, 2, 4, -3};
  for (int b = 0; gannet_structure_bases[b]; ++b) {
    double value[3];
    for (int i = 0; i < 3; ++i) {
      gannet_structure *s = NULL;
      assert_ok(gannet_structure_create(gannet_structure_bases[b]->name, 8, i == 1 ? 2 : 1, &s));
      value[i] = gannet_structure_value(s, x);
      gannet_structure_destroy(&s);
    }
    assert_true(value[0] == value[2]);
    assert_true(value[0] != value[1]);
  }
}

static void unknown_names_and_dimensions_are_refused(void **state) {
  (void)state;
  gannet_structure *s = NULL;
  assert_fails(GANNET_ERR_NAME, "did you mean 'kinks'", gannet_structure_create("kink", 2, 1, &s));
  assert_null(s);
  assert_fails(GANNET_ERR_SHAPE, "d = 0", gannet_structure_create("kinks", 0, 1, &s));
  assert_null(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(minima_are_zero_and_nothing_in_the_box_is_lower),
      cmocka_unit_test(few_directions_matter),
      cmocka_unit_test(sums_are_sums),
      cmocka_unit_test(instances_differ_and_repeat),
      cmocka_unit_test(unknown_names_and_dimensions_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
