/* test: ranks 1 2 3 labels unit timeout 300 */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "support/harness.h"
#include "support/refuse.h"
#include "surrogate/created.h"

#include "base/memory.h"
#include "surrogate/factor.h"
#include "surrogate/surrogate.h"

enum { D = 3, N = 90, M = 25, Q = 3 };

/* Models that have the option, with settings that reach both kernels of the tangent model. */
typedef struct {
  const char *name, *key, *text;
} variant;

static const variant variants[] = {
    {"gp", "lengthscales", "ard"},
    {"tangent-kernel", "kernel", "infinite"},
    {"tangent-kernel", "kernel", "network"},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static const gannet_context *world, *scattered; /* the latter: every rank is a node of its own */

static double data_x[N * D], data_y[N], query[M * D];

static int make(void **state) {
  (void)state;
  const gannet_stream stream = {11, GANNET_FOR_TEST, 0, 0};
  gannet_random_uniform(stream, 0, N * D, data_x);
  gannet_random_uniform(stream, N * D, M * D, query);
  for (int i = 0; i < N; ++i)
    data_y[i] = sin(4 * data_x[i * D]) + data_x[i * D + 1] * data_x[i * D + 2] - 0.3;
  return 0;
}

static gannet_surrogate *created_on(const gannet_context *context, const variant *v,
                                    const char *factor, int d) {
  const gannet_setting settings[] = {{.key = v->key, .text = v->text},
                                     {.key = "factor", .text = factor},
                                     {.key = "fit_evaluations", .text = "10"}};
  return surrogate_named(context, v->name, d, 3, settings);
}

static gannet_surrogate *created(const variant *v, const char *factor, int d) {
  return created_on(world, v, factor, d);
}

static gannet_data first(int n, double noise_var) {
  return (gannet_data){n, data_x, data_y, noise_var, NULL};
}

/* Everything but standard deviations: mean, draws, a gradient of a draw, calibration. */
typedef struct {
  double hyper[16], mean[M], draws[Q * M], slope[D], value, scale;
} outcome;

static void ask(gannet_surrogate *s, outcome *o) {
  memset(o, 0, sizeof *o);
  assert_true(gannet_surrogate_n_hyper(s) <= 16);
  gannet_surrogate_get_hyper(s, o->hyper);
  assert_ok(gannet_surrogate_predict(s, M, query, o->mean, NULL));
  assert_ok(gannet_surrogate_calibration(s, &o->scale));
  assert_ok(gannet_surrogate_sample(s, Q, 1.5, 7));
  assert_ok(gannet_surrogate_draw_values(s, M, query, o->draws, M));
  assert_ok(gannet_surrogate_draw_gradient(s, 1, query + D, &o->value, o->slope));
}

static void require_near(const outcome *a, const outcome *b, double tolerance) {
  assert_memory_equal(a->hyper, b->hyper, sizeof a->hyper); /* learnt on every rank alike */
  for (int i = 0; i < M; ++i) assert_near(a->mean[i], b->mean[i], tolerance);
  for (int i = 0; i < Q * M; ++i) assert_near(a->draws[i], b->draws[i], tolerance);
  for (int k = 0; k < D; ++k) assert_near(a->slope[k], b->slope[k], 100 * tolerance);
  assert_near(a->value, b->value, tolerance);
  assert_near(a->scale, b->scale, tolerance);
}

static void distributed_agrees_with_replicated(void **state) {
  (void)state;
  for (int v = 0; v < VARIANTS; ++v)
    for (int n = 0; n <= N; n += 45) {
      static outcome whole, cut;
      const gannet_data data = first(n, 1e-4);
      gannet_surrogate *a = created(&variants[v], "replicated", D);
      gannet_surrogate *b = created(&variants[v], "distributed", D);
      assert_ok(gannet_surrogate_fit(a, &data, true, 1));
      assert_ok(gannet_surrogate_fit(b, &data, true, 1));
      ask(a, &whole);
      ask(b, &cut);
      require_near(&whole, &cut, 1e-7);
      assert_ok(gannet_same(world->comm, &cut, sizeof cut, "outcomes"));
      gannet_surrogate_destroy(&a);
      gannet_surrogate_destroy(&b);
    }
}

/* Grown by fits or made at once from the saved hyperparameters: the same bits. */
static void a_resumed_model_continues_exactly(void **state) {
  (void)state;
  for (int v = 0; v < VARIANTS; ++v) {
    static outcome grown, made;
    double hyper[16];
    gannet_surrogate *s = created(&variants[v], "distributed", D);
    gannet_surrogate *other = created(&variants[v], "distributed", D);
    const gannet_data early = first(20, NAN), middle = first(50, NAN), late = first(N, NAN);
    assert_ok(gannet_surrogate_fit(s, &early, true, 1));
    assert_ok(gannet_surrogate_fit(s, &middle, false, 2));
    gannet_surrogate_get_hyper(s, hyper);
    assert_ok(gannet_surrogate_fit(s, &late, false, 3));
    assert_ok(gannet_surrogate_set_hyper(other, hyper));
    assert_ok(gannet_surrogate_fit(other, &late, false, 3));
    ask(s, &grown);
    ask(other, &made);
    assert_memory_equal(&grown, &made, sizeof grown);
    gannet_surrogate_destroy(&s);
    gannet_surrogate_destroy(&other);
  }
}

/* The noise is raised on all ranks alike until the matrix has a factor. */
static void repeated_points_without_noise_are_borne(void **state) {
  (void)state;
  static double x[40 * D], y[40];
  for (int i = 0; i < 40; ++i) {
    memcpy(x + (size_t)i * D, data_x + (size_t)(i % 4) * D, D * sizeof *x);
    y[i] = data_y[i % 4];
  }
  for (int v = 0; v < VARIANTS; ++v) {
    static outcome o;
    const gannet_data data = {40, x, y, 0, NULL};
    gannet_surrogate *s = created(&variants[v], "distributed", D);
    assert_ok(gannet_surrogate_fit(s, &data, true, 1));
    ask(s, &o);
    for (int i = 0; i < Q * M; ++i) assert_true(isfinite(o.draws[i]));
    assert_ok(gannet_same(world->comm, &o, sizeof o, "outcomes"));
    gannet_surrogate_destroy(&s);
  }
}

static void standard_deviations_are_refused_with_the_way_out(void **state) {
  (void)state;
  for (int v = 0; v < VARIANTS; ++v) {
    double mean[M], sd[M], slope[D], other[D];
    const gannet_data data = first(N, NAN);
    gannet_surrogate *s = created(&variants[v], "distributed", D);
    assert_ok(gannet_surrogate_fit(s, &data, false, 1));
    assert_fails(GANNET_ERR_ARG, "choose factor replicated",
                 gannet_surrogate_predict(s, M, query, mean, sd));
    assert_fails(GANNET_ERR_ARG, "thompson",
                 gannet_surrogate_predict_gradient(s, query, mean, sd, slope, other));
    gannet_surrogate_destroy(&s);
  }
}

/* At the threshold the factor is whole, with the bits of replicated; one row more and several nodes
 * cut it. */
static void automatic_on(const gannet_context *context) {
  enum { LARGE = GANNET_FACTOR_AUTO_ROWS + 1 };
  double *x = NULL, *y = NULL, sd[M];
  double before[M], after[M];
  assert_ok(gannet_alloc((size_t)LARGE * 2, sizeof *x, &x));
  assert_ok(gannet_alloc(LARGE, sizeof *y, &y));
  gannet_random_uniform((gannet_stream){3, GANNET_FOR_TEST, 0, 0}, 0, (size_t)LARGE * 2, x);
  for (int i = 0; i < LARGE; ++i) y[i] = cos(5 * x[2 * i]) * x[2 * i + 1];
  const gannet_data below = {LARGE - 1, x, y, 0.01, NULL}, above = {LARGE, x, y, 0.01, NULL};
  gannet_surrogate *s = created_on(context, &variants[0], "auto", 2);
  assert_ok(gannet_surrogate_fit(s, &below, false, 1));
  assert_ok(gannet_surrogate_predict(s, M, query, before, sd));
  assert_ok(gannet_surrogate_fit(s, &above, false, 2));
  assert_ok(gannet_surrogate_predict(s, M, query, after, NULL));
  for (int i = 0; i < M; ++i) assert_near(before[i], after[i], 0.01); /* one observation more */
  if (context == scattered && context->np > 1)
    assert_fails(GANNET_ERR_ARG, "replicated", gannet_surrogate_predict(s, M, query, after, sd));
  else
    assert_ok(gannet_surrogate_predict(s, M, query, after, sd));
  gannet_surrogate_destroy(&s);
  gannet_free(&x);
  gannet_free(&y);
}

static void automatic_changes_place_at_the_threshold(void **state) {
  (void)state;
  static outcome small, whole;
  automatic_on(scattered);
  automatic_on(world);
  const gannet_data data = first(N, NAN);
  gannet_surrogate *a = created(&variants[1], "auto", D);
  gannet_surrogate *b = created(&variants[1], "replicated", D);
  assert_ok(gannet_surrogate_fit(a, &data, false, 1));
  assert_ok(gannet_surrogate_fit(b, &data, false, 1));
  ask(a, &small);
  ask(b, &whole);
  assert_memory_equal(&small, &whole, sizeof small);
  gannet_surrogate_destroy(&a);
  gannet_surrogate_destroy(&b);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distributed_agrees_with_replicated),
      cmocka_unit_test(a_resumed_model_continues_exactly),
      cmocka_unit_test(repeated_points_without_noise_are_borne),
      cmocka_unit_test(standard_deviations_are_refused_with_the_way_out),
      cmocka_unit_test(automatic_changes_place_at_the_threshold),
  };
  gannet_context *context = NULL, *apart = NULL;
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  int failed = 1;
  refuse = true;
  const gannet_err err = gannet_context_create(MPI_COMM_WORLD, 5, &apart);
  refuse = false;
  if (err == GANNET_OK && gannet_context_create(MPI_COMM_WORLD, 5, &context) == GANNET_OK) {
    world = context;
    scattered = apart;
    failed = run_ranks_(cmocka_run_group_tests(tests, make, NULL));
  }
  gannet_context_destroy(&context);
  gannet_context_destroy(&apart);
  (void)MPI_Finalize();
  return failed;
}
