/* test: ranks 1 labels unit */
#include "simulations/simulate.h"

#include "base/memory.h"
#include "base/random.h"
#include "simulations/digits.h"
#include "simulations/once.h"

static int judge(const gannet_digit_classifier *classifier, int first, int end) {
  int right = 0;
  for (int digit = 0; digit < GANNET_DIGITS; ++digit)
    for (int image = first; image < end; ++image) {
      double x[GANNET_DIGIT_PIXELS];
      gannet_digit_opinion o;
      int best = 0;
      gannet_digit_pixels(digit, image, x);
      gannet_digit_classify(classifier, x, &o);
      for (int i = 1; i < GANNET_DIGITS; ++i)
        if (o.p[i] > o.p[best]) best = i;
      right += best == digit;
    }
  return right;
}

/* Better than 93 %, the accuracy of the paper's classifier. */
static void the_classifier_knows_digits_that_it_has_not_seen(void **state) {
  (void)state;
  const gannet_digit_classifier *classifier = NULL, *again = NULL;
  assert_ok(gannet_digit_classifier_get(&classifier));
  assert_int_equal(judge(classifier, 0, GANNET_DIGIT_TRAINING), 150);
  assert_true(judge(classifier, GANNET_DIGIT_TRAINING, GANNET_DIGIT_IMAGES) >= 46);
  assert_ok(gannet_digit_classifier_get(&again));
  assert_ptr_equal(classifier, again);
}

/* By central differences over every single weight. */
static void the_sensitivity_is_the_norm_of_the_derivatives(void **state) {
  (void)state;
  const gannet_digit_classifier *classifier = NULL;
  assert_ok(gannet_digit_classifier_get(&classifier));
  gannet_digit_classifier moved = *classifier;
  double x[GANNET_DIGIT_PIXELS], sum = 0, *weight = (double *)(void *)&moved;
  gannet_random_uniform((gannet_stream){3, GANNET_FOR_TEST, 0, 0}, 0, GANNET_DIGIT_PIXELS, x);
  for (size_t k = 0; k < sizeof moved / sizeof *weight; ++k) {
    const double h = 1e-5, at = weight[k];
    gannet_digit_opinion above, below;
    weight[k] = at + h;
    gannet_digit_classify(&moved, x, &above);
    weight[k] = at - h;
    gannet_digit_classify(&moved, x, &below);
    weight[k] = at;
    for (int i = 0; i < GANNET_DIGITS; ++i) {
      const double slope = (above.p[i] - below.p[i]) / (2 * h);
      sum += slope * slope;
    }
  }
  assert_near(gannet_digit_sensitivity(classifier, x), sqrt(sum), 1e-7);
}

/* Corners lie on corners and a plain picture stays plain: a white and a black image by hand. */
static void small_pictures_are_scaled_up(void **state) {
  (void)state;
  const experiment e = prepare("sensitive-sample");
  const gannet_digit_classifier *classifier = NULL;
  double small[49] = {0}, large[GANNET_DIGIT_PIXELS] = {0};
  assert_ok(gannet_digit_classifier_get(&classifier));
  assert_near(value_at(&e, 49, small), -gannet_digit_sensitivity(classifier, large), 1e-12);
  small[0] = small[48] = 1;
  /* one pixel of seven reaches 1/7 of the way into the next of eight */
  large[0] = 1, large[1] = large[8] = 1.0 / 7, large[9] = 1.0 / 49;
  large[63] = 1, large[62] = large[55] = 1.0 / 7, large[54] = 1.0 / 49;
  assert_near(value_at(&e, 49, small), -gannet_digit_sensitivity(classifier, large), 1e-12);
}

/* Both functions are 0 at the target, and another instance has another target. */
static void pictures_match_their_target(void **state) {
  (void)state;
  static const char *const functions[2] = {"features", "answers"};
  double lower[49], upper[49], minimum, target[49];
  for (int i = 0; i < 2; ++i) {
    experiment e = prepare("digit-match"), other = prepare("digit-match");
    assert_int_equal(e.type->box(49, lower, upper, &minimum, target), 0);
    set(&e, "function", functions[i]);
    set(&other, "function", functions[i]);
    set(&other, "instance", "12");
    assert_near(value_at(&e, 49, target), 0, 1e-12);
    assert_true(value_at(&e, 49, lower) > 0.1);
    assert_true(value_at(&other, 49, target) > 0.1);
  }
}

static void things_are_kept_under_their_keys(void **state) {
  (void)state;
  double *one = NULL, *other = NULL;
  assert_null(gannet_once_find("one"));
  assert_ok(gannet_alloc(1, sizeof *one, &one));
  assert_ok(gannet_alloc(1, sizeof *other, &other));
  assert_ok(gannet_once_keep("one", one));
  assert_ok(gannet_once_keep("other", other));
  assert_ptr_equal(gannet_once_find("one"), one);
  assert_ptr_equal(gannet_once_find("other"), other);
  assert_null(gannet_once_find("on"));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_classifier_knows_digits_that_it_has_not_seen),
      cmocka_unit_test(the_sensitivity_is_the_norm_of_the_derivatives),
      cmocka_unit_test(small_pictures_are_scaled_up),
      cmocka_unit_test(pictures_match_their_target),
      cmocka_unit_test(things_are_kept_under_their_keys),
  };
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
