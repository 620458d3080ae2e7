/* Surrogates as users get them: from the texts of settings. */
#ifndef GANNET_TESTS_SURROGATE_CREATED_H
#define GANNET_TESTS_SURROGATE_CREATED_H

#include <string.h>

#include "support/harness.h"

#include "base/memory.h"
#include "surrogate/surrogate.h"

/* Start MPI, make the context of all ranks with seed 5, run the tests, and end. Failures on any
 * rank are failures everywhere. */
#define run_with_context(argc, argv, context, tests) \
  run_with_context_(argc, argv, context, tests, sizeof(tests) / sizeof *(tests))

static inline int run_with_context_(int *argc, char ***argv, gannet_context **context,
                                    const struct CMUnitTest *tests, size_t n) {
  int failed = 1;
  if (MPI_Init(argc, argv) != MPI_SUCCESS) return 1;
  if (gannet_context_create(MPI_COMM_WORLD, 5, context) == GANNET_OK)
    failed = run_ranks_(_cmocka_run_group_tests("tests", tests, n, NULL, NULL));
  gannet_context_destroy(context);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}

/* Collective over the context. d variables; n settings, the others have their defaults. */
static inline gannet_surrogate *surrogate_with(const gannet_context *context,
                                               const gannet_surrogate_type *type, int d, int n,
                                               const gannet_setting *settings) {
  gannet_complaints complaints = {0};
  gannet_surrogate *s = NULL;
  char *options = NULL;
  assert_ok(gannet_alloc(type->options_size, 1, &options));
  assert_ok(gannet_options_apply(type->options, NULL, n, settings, options, &complaints));
  assert_ok(gannet_complaints_raise(&complaints));
  assert_ok(gannet_surrogate_create(context, type, options, d, 0, &s));
  gannet_free(&options);
  return s;
}

/* The same by the name of the type. */
static inline gannet_surrogate *surrogate_named(const gannet_context *context, const char *name,
                                                int d, int n, const gannet_setting *settings) {
  const gannet_surrogate_type *type = NULL;
  assert_ok(gannet_surrogate_find(name, &type));
  return surrogate_with(context, type, d, n, settings);
}

/* The gradients of the moments and of draw 1 at a point are central differences, step 1e-5. d <= 8;
 * of_draw: the tolerance for the draw. */
static inline void gradients_are_differences_at(gannet_surrogate *s, int d, const double *point,
                                                double of_draw) {
  const double h = 1e-5;
  double at[8], mean[2], sd[2], by_mean[8], by_sd[8], by_draw[8], value, draw[2][2];
  memcpy(at, point, (size_t)d * sizeof *at);
  assert_ok(gannet_surrogate_predict_gradient(s, at, mean, sd, by_mean, by_sd));
  assert_ok(gannet_surrogate_draw_gradient(s, 1, at, &value, by_draw));
  assert_ok(gannet_surrogate_draw_values(s, 1, at, draw[0], 1));
  assert_near(value, draw[0][1], 1e-9);
  for (int k = 0; k < d; ++k) {
    for (int side = 0; side < 2; ++side) {
      at[k] += side ? -2 * h : h;
      assert_ok(gannet_surrogate_predict(s, 1, at, mean + side, sd + side));
      assert_ok(gannet_surrogate_draw_values(s, 1, at, draw[side], 1));
    }
    at[k] += h;
    assert_near(by_mean[k], (mean[0] - mean[1]) / (2 * h), 1e-5);
    assert_near(by_sd[k], (sd[0] - sd[1]) / (2 * h), 1e-4);
    assert_near(by_draw[k], (draw[0][1] - draw[1][1]) / (2 * h), of_draw);
  }
}

#endif
