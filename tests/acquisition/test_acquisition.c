/* test: serial labels conform */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/harness.h"

#include "acquisition/acquisition.h"
#include "base/option.h"

static const double means[] = {-1e6, -7.3, -1, -0.013, 0, 0.4, 1.7, 12, 345.6, 1e6};
static const double sds[] = {0, 1e-300, 1e-30, 1e-9, 1e-4, 0.03, 0.7, 1, 5.5, 1e4};
enum { MEANS = sizeof means / sizeof *means, SDS = sizeof sds / sizeof *sds };

static const gannet_acq_state here = {.incumbent = -0.37, .exploration = 1.9, .noise_var = 0.3};

/* Options with their defaults; freed with free. */
static void *defaults_of(const gannet_acq_type *type) {
  void *options = calloc(1, type->options_size + 1);
  gannet_complaints none = {0};
  if (type->options) {
    assert_ok(gannet_options_apply(type->options, type->name, 0, NULL, options, &none));
    assert_int_equal(none.count, 0);
  }
  return options;
}

static double score_of(const gannet_acq_type *type, const void *options, double mean, double sd) {
  double score = 0;
  type->score(options, &here, 1, &mean, &sd, &score);
  return score;
}

typedef void (*check)(const gannet_acq_type *type, const void *options);

static void each_function_of_moments(check conforms) {
  for (const gannet_acq_type *const *type = gannet_acq_types; *type; ++type) {
    if ((*type)->kind != GANNET_ACQ_MOMENTS) continue;
    void *options = defaults_of(*type);
    conforms(*type, options);
    free(options);
  }
}

static void is_finite(const gannet_acq_type *type, const void *options) {
  for (int i = 0; i < MEANS; ++i)
    for (int j = 0; j < SDS; ++j) {
      double by_mean = NAN, by_sd = NAN;
      type->partials(options, &here, means[i], sds[j], &by_mean, &by_sd);
      const double score = score_of(type, options, means[i], sds[j]);
      if (!isfinite(score) || !isfinite(by_mean) || !isfinite(by_sd))
        fail_msg("%s(%g, %g) = %g, partials %g, %g", type->name, means[i], sds[j], score, by_mean,
                 by_sd);
    }
}

/* Between two deviations, of which the least is 0, no score is larger than at both of them. */
static void is_largest_at_an_end(const gannet_acq_type *type, const void *options) {
  for (int i = 0; i < MEANS && type->shape != GANNET_ACQ_TURNING; ++i)
    for (int j = 1; j + 1 < SDS; ++j)
      for (int k = j + 1; k < SDS; ++k) {
        const double at = score_of(type, options, means[i], sds[j]);
        const double least = score_of(type, options, means[i], 0);
        const double most = score_of(type, options, means[i], sds[k]);
        if (at > fmax(least, most) + 1e-12 * fabs(at))
          fail_msg("%s(%g, %g) = %g, but %g and %g with 0 and %g", type->name, means[i], sds[j], at,
                   least, most, sds[k]);
      }
}

/* From 0 on. */
static void rises_where_it_says_so(const gannet_acq_type *type, const void *options) {
  for (int i = 0; i < MEANS && type->shape == GANNET_ACQ_RISING; ++i)
    for (int j = 0; j < SDS; ++j) {
      const double below = score_of(type, options, means[i], j > 0 ? sds[j - 1] : 0);
      const double above = score_of(type, options, means[i], sds[j]);
      if (!(above >= below - 1e-12 * fabs(below)))
        fail_msg("%s: %g at mean %g, sd %g, but %g below", type->name, above, means[i], sds[j],
                 below);
    }
}

static void prefers_lower_means(const gannet_acq_type *type, const void *options) {
  for (int j = 0; j < SDS; ++j)
    for (int i = 0; i + 1 < MEANS; ++i) {
      const double low = score_of(type, options, means[i], sds[j]);
      const double high = score_of(type, options, means[i + 1], sds[j]);
      if (!(low >= high))
        fail_msg("%s: %g at mean %g, %g at mean %g, sd %g", type->name, low, means[i], high,
                 means[i + 1], sds[j]);
    }
}

/* The logarithm of a tail changes by z^2 times a relative step: shorter steps there. */
static double step_of(double mean, double sd) {
  const double z = (mean - here.incumbent) / sd;
  return 1e-3 * sd / fmin(fmax(z * z, 1), 100);
}

/* Central differences with Richardson's extrapolation. */
static double difference(const gannet_acq_type *type, const void *options, double mean, double sd,
                         int by_sd) {
  double d[2];
  for (int k = 0; k < 2; ++k) {
    const double h = step_of(mean, sd) * (k ? 0.5 : 1), dm = by_sd ? 0 : h, ds = by_sd ? h : 0;
    d[k] = (score_of(type, options, mean + dm, sd + ds) -
            score_of(type, options, mean - dm, sd - ds)) /
           (2 * h);
  }
  return (4 * d[1] - d[0]) / 3;
}

static void has_right_partials(const gannet_acq_type *type, const void *options) {
  for (int i = 1; i + 1 < MEANS; ++i)
    for (int j = 4; j < SDS; ++j) {
      double by[2];
      type->partials(options, &here, means[i], sds[j], &by[0], &by[1]);
      const double size = fabs(score_of(type, options, means[i], sds[j])) + fabs(means[i]);
      const double noise = 3e-15 * size / step_of(means[i], sds[j]);
      for (int k = 0; k < 2; ++k)
        assert_near(by[k], difference(type, options, means[i], sds[j], k),
                    1e-7 * fabs(by[k]) + noise + 1e-280);
    }
}

static void scores_in_tiles_as_alone(const gannet_acq_type *type, const void *options) {
  double mean[MEANS * SDS], sd[MEANS * SDS], score[MEANS * SDS];
  for (int i = 0; i < MEANS * SDS; ++i) mean[i] = means[i / SDS], sd[i] = sds[i % SDS];
  type->score(options, &here, MEANS * SDS, mean, sd, score);
  for (int i = 0; i < MEANS * SDS; ++i)
    assert_near(score[i], score_of(type, options, mean[i], sd[i]), 0);
}

static void all_are_finite(void **state) {
  (void)state;
  each_function_of_moments(is_finite);
}

static void all_prefer_lower_means(void **state) {
  (void)state;
  each_function_of_moments(prefers_lower_means);
}

static void all_are_largest_at_an_end(void **state) {
  (void)state;
  each_function_of_moments(is_largest_at_an_end);
}

static void all_rise_that_say_so(void **state) {
  (void)state;
  each_function_of_moments(rises_where_it_says_so);
}

static void all_have_the_partials_of_their_scores(void **state) {
  (void)state;
  each_function_of_moments(has_right_partials);
}

static void all_score_a_tile_as_point_by_point(void **state) {
  (void)state;
  each_function_of_moments(scores_in_tiles_as_alone);
}

/* max(incumbent - margin - y, 0) or its indicator, averaged over y ~ N(mean, sd^2). */
static double expectation(double mean, double sd, double level, int power) {
  enum { STEPS = 100000 };
  const double top = (level - mean) / sd, bottom = fmin(-12, top - 12), h = (top - bottom) / STEPS;
  double sum = 0;
  for (int i = 0; i <= STEPS; ++i) {
    const double z = bottom + i * h, weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;
    sum += weight * (power ? level - mean - sd * z : 1) * exp(-0.5 * z * z);
  }
  return sum * h / 3 * 0.39894228040143267794;
}

static void improvements_agree_with_their_definitions(void **state) {
  (void)state;
  const gannet_acq_type *ei = NULL, *log_ei = NULL, *pi = NULL, *lcb = NULL;
  assert_ok(gannet_acq_find("ei", &ei));
  assert_ok(gannet_acq_find("log-ei", &log_ei));
  assert_ok(gannet_acq_find("pi", &pi));
  assert_ok(gannet_acq_find("lcb", &lcb));
  const double margin = 0.21; /* the first and only member of the options */
  const double at[] = {-3.3, -0.4, 0.1, 1.9}, width[] = {0.4, 1.3};
  for (int i = 0; i < 8; ++i) {
    const double mean = at[i / 2], sd = width[i % 2];
    const double gain = expectation(mean, sd, here.incumbent - margin, 1);
    const double chance = expectation(mean, sd, here.incumbent - margin, 0);
    assert_near(score_of(ei, &margin, mean, sd) / gain, 1, 1e-9);
    assert_near(score_of(log_ei, &margin, mean, sd), log(gain), 1e-9);
    assert_near(score_of(pi, &margin, mean, sd), log(chance), 1e-9);
    assert_near(score_of(lcb, NULL, mean, sd), 1.9 * sd - mean, 1e-15);
  }
}

static void without_spread_only_the_mean_counts(void **state) {
  (void)state;
  const gannet_acq_type *ei = NULL, *log_ei = NULL;
  const double margin = 0;
  assert_ok(gannet_acq_find("ei", &ei));
  assert_ok(gannet_acq_find("log-ei", &log_ei));
  assert_near(score_of(ei, &margin, -2.37, 0), 2, 1e-15);
  assert_near(score_of(ei, &margin, 2, 0), 0, 0);
  assert_near(score_of(log_ei, &margin, -2.37, 0), log(2), 1e-14);
  assert_true(score_of(log_ei, &margin, 2, 0) > score_of(log_ei, &margin, 3, 0));
}

static void the_registry_is_complete_and_searchable(void **state) {
  (void)state;
  for (const gannet_acq_type *const *type = gannet_acq_types; *type; ++type) {
    const gannet_acq_type *found = NULL;
    assert_ok(gannet_acq_find((*type)->name, &found));
    assert_ptr_equal(found, *type);
    assert_non_null(found->summary);
    assert_non_null(found->source);
    assert_true((found->kind == GANNET_ACQ_MOMENTS) == (found->score && found->partials));
    assert_true((found->kind == GANNET_ACQ_LOOKAHEAD) == (found->look_ahead != NULL));
    assert_true(found->kind != GANNET_ACQ_MODELS || found->score_points);
    assert_true((found->score_points != NULL) == (found->merits != NULL));
    assert_true((found->prepare != NULL) == (found->look_ahead || found->score_points));
    assert_true((found->prepare != NULL) == (found->release != NULL));
    assert_true(!found->look_ahead || found->wants_reference);
  }
  const gannet_acq_type *none = NULL;
  assert_fails(GANNET_ERR_NAME, "log-ei", gannet_acq_find("logei", &none));
}

/* A saved state may be damaged. */
static void a_split_problem_takes_no_numbers_that_it_cannot_have(void **state) {
  (void)state;
  const gannet_acq_type *type = NULL;
  assert_ok(gannet_acq_find("admm", &type));
  static const struct {
    int i; /* phase, left, rho, then coordinates */
    double value;
    bool taken;
  } numbers[] = {{0, 2, true},    {0, 3, false},   {0, NAN, false}, {1, 5, true},
                 {1, -1, false},  {2, 0.5, true},  {2, -1, false},  {2, 1e7, false},
                 {2, NAN, false}, {3, 0.25, true}, {3, NAN, false}, {8, INFINITY, false}};
  void *memory = NULL;
  char name[40];
  double value = 0;
  assert_ok(type->memory->create(2, &memory));
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k)
    assert_int_equal(type->memory->set(memory, numbers[k].i, numbers[k].value), numbers[k].taken);
  assert_true(type->memory->get(memory, 2, name, sizeof name, &value));
  assert_string_equal(name, "admm.rho");
  assert_near(value, 0.5, 0);
  assert_false(type->memory->get(memory, 9, name, sizeof name, &value));
  type->memory->destroy(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_are_finite),
      cmocka_unit_test(all_prefer_lower_means),
      cmocka_unit_test(all_are_largest_at_an_end),
      cmocka_unit_test(all_rise_that_say_so),
      cmocka_unit_test(all_have_the_partials_of_their_scores),
      cmocka_unit_test(all_score_a_tile_as_point_by_point),
      cmocka_unit_test(improvements_agree_with_their_definitions),
      cmocka_unit_test(without_spread_only_the_mean_counts),
      cmocka_unit_test(the_registry_is_complete_and_searchable),
      cmocka_unit_test(a_split_problem_takes_no_numbers_that_it_cannot_have),
  };
  return run_serial(tests);
}
