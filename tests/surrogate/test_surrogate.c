/* test: ranks 1 2 3 labels unit */
/* The front of the family, before a model that fails when it is told to, and is in no registry. */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "base/memory.h"
#include "surrogate/surrogate.h"

typedef struct {
  const gannet_context *context;
  bool fails; /* its fit, on the last rank */
  bool stale; /* no row is known */
  int known;  /* rows that need not be learnt again */
  int took;   /* of them, by the last fit */
} moody;

static moody *made; /* by create */

static gannet_err create(const gannet_context *context, const void *options, int d, int model,
                         void **state) {
  (void)options, (void)d, (void)model;
  GANNET_TRY(gannet_alloc(1, sizeof *made, &made));
  made->context = context;
  *state = made;
  return GANNET_OK;
}

static void destroy(void *state) {
  gannet_free(&state);
}

static gannet_err fit(void *state, const gannet_data *data, bool learn, int64_t iteration) {
  moody *m = state;
  (void)learn, (void)iteration;
  GANNET_REQUIRE(!m->fails || m->context->rank != m->context->np - 1, GANNET_ERR_NUMERIC,
                 "not today");
  m->took = m->stale ? 0 : m->known;
  m->stale = false;
  m->known = data->n;
  return GANNET_OK;
}

static gannet_err predict(const void *state, int m, const double *x, double *mean, double *sd) {
  (void)state, (void)x;
  for (int i = 0; i < m; ++i) mean[i] = 0;
  for (int i = 0; sd && i < m; ++i) sd[i] = 1;
  return GANNET_OK;
}

static gannet_hyper hyper(void *state) {
  return (gannet_hyper){.stale = &((moody *)state)->stale};
}

static const gannet_surrogate_type type = {.name = "moody",
                                           .options_size = 1,
                                           .create = create,
                                           .destroy = destroy,
                                           .fit = fit,
                                           .predict = predict,
                                           .hyper = hyper};

static double x[] = {0.1, 0.5, 0.8}, y[] = {1, -1, 0.5};

static int set_up(void **state) {
  static gannet_context *context;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &context));
  *state = context;
  return 0;
}

static int tear_down(void **state) {
  gannet_context *context = *state;
  gannet_context_destroy(&context);
  return 0;
}

static void a_fit_that_fails_on_one_rank_leaves_none_fitted(void **state) {
  gannet_surrogate *s = NULL;
  double mean = 0;
  const gannet_data data = {3, x, y, NAN, NULL};
  assert_ok(gannet_surrogate_create(*state, &type, NULL, 1, 0, &s));
  assert_ok(gannet_surrogate_fit(s, &data, false, 1));
  assert_ok(gannet_surrogate_predict(s, 1, x, &mean, NULL));
  made->fails = true;
  assert_fails(GANNET_ERR_NUMERIC, "not today", gannet_surrogate_fit(s, &data, false, 2));
  assert_fails(GANNET_ERR_STATE, "not fitted", gannet_surrogate_predict(s, 1, x, &mean, NULL));
  assert_fails(GANNET_ERR_NUMERIC, "not today", gannet_surrogate_fantasize(s, &data, 1, 3));
  assert_fails(GANNET_ERR_STATE, "not fitted", gannet_surrogate_predict(s, 1, x, &mean, NULL));
  made->fails = false;
  assert_ok(gannet_surrogate_fit(s, &data, false, 4));
  assert_ok(gannet_surrogate_predict(s, 1, x, &mean, NULL));
  gannet_surrogate_destroy(&s);
}

/* The fit after the refused one must not take the fantasies for known. */
static void refused_data_change_nothing(void **state) {
  const gannet_context *context = *state;
  gannet_surrogate *s = NULL;
  double mean = 0, broken[] = {1, -1, context->rank == context->np - 1 ? NAN : 0.5};
  const gannet_data data = {3, x, y, NAN, NULL}, bad = {3, x, broken, NAN, NULL};
  assert_ok(gannet_surrogate_create(context, &type, NULL, 1, 0, &s));
  assert_ok(gannet_surrogate_fantasize(s, &data, 1, 1));
  assert_fails(GANNET_ERR_ARG, "value 2", gannet_surrogate_fit(s, &bad, false, 2));
  assert_ok(gannet_surrogate_predict(s, 1, x, &mean, NULL));
  assert_ok(gannet_surrogate_fit(s, &data, false, 2));
  assert_int_equal(made->took, 0);
  assert_ok(gannet_surrogate_fit(s, &data, false, 3));
  assert_int_equal(made->took, 3);
  gannet_surrogate_destroy(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_fit_that_fails_on_one_rank_leaves_none_fitted, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(refused_data_change_nothing, set_up, tear_down),
  };
  if (MPI_Init(&argc, &argv)) return 1;
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
