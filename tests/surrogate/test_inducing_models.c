/* test: ranks 1 2 3 labels unit timeout 300 */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "support/harness.h"
#include "surrogate/created.h"

#include "surrogate/surrogate.h"

enum { D = 3, N = 1300, M = 9, Q = 2, HYPER = 16 };

static const gannet_context *world, *self;
static double data_x[N * D], data_y[N], query[M * D];

static int make(void **state) {
  (void)state;
  const gannet_stream stream = {23, GANNET_FOR_TEST, 0, 0};
  gannet_random_uniform(stream, 0, N * D, data_x);
  gannet_random_uniform(stream, N * D, M * D, query);
  for (int i = 0; i < N; ++i)
    data_y[i] = sin(4 * data_x[i * D]) + data_x[i * D + 1] * data_x[i * D + 2] - 0.3;
  return 0;
}

static gannet_data first(int n, double noise_var) {
  return (gannet_data){n, data_x, data_y, noise_var, NULL};
}

typedef struct {
  const char *name, *key, *text;
} variant;

static const variant variants[] = {
    {"gp", "lengthscales", "ard"},
    {"tangent-kernel", "kernel", "infinite"},
    {"tangent-kernel", "kernel", "network"},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static gannet_surrogate *created(const gannet_context *context, const variant *v,
                                 const char *inducing, const char *factor) {
  const gannet_setting settings[] = {
      {.key = v->key, .text = v->text},        {.key = "inducing", .text = inducing},
      {.key = "factor", .text = factor},       {.key = "fit_points", .text = "40"},
      {.key = "noise_floor", .text = "1e-12"}, {.key = "fit_evaluations", .text = "10"}};
  return surrogate_named(context, v->name, D, 6, settings);
}

typedef struct {
  double hyper[HYPER], mean[M], sd[M], slope[D], sd_slope[D], covariance[M * 2];
  double draws[Q * M], draw_slope[D], value, scale, gain;
} outcome;

static void ask(gannet_surrogate *s, outcome *o) {
  double mean = 0, sd = 0;
  memset(o, 0, sizeof *o);
  assert_true(gannet_surrogate_n_hyper(s) <= HYPER);
  gannet_surrogate_get_hyper(s, o->hyper);
  assert_ok(gannet_surrogate_predict(s, M, query, o->mean, o->sd));
  assert_ok(gannet_surrogate_predict_gradient(s, query, &mean, &sd, o->slope, o->sd_slope));
  assert_ok(gannet_surrogate_covariance(s, M, query, 2, query, o->covariance));
  assert_ok(gannet_surrogate_calibration(s, &o->scale));
  assert_ok(gannet_surrogate_information_gain(s, &o->gain));
  assert_ok(gannet_surrogate_sample(s, Q, 1.5, 7));
  assert_ok(gannet_surrogate_draw_values(s, M, query, o->draws, M));
  assert_ok(gannet_surrogate_draw_gradient(s, 1, query + D, &o->value, o->draw_slope));
}

/* 25 different points, each observed several times, have room among 30 inducing points: nothing is
 * lost, and the exact model agrees to rounding. */
static void with_room_for_all_points_it_is_exact(void **state) {
  (void)state;
  enum { T = 94, POINTS = 25 };
  static double x[T * D], y[T];
  for (int i = 0; i < T; ++i) {
    memcpy(x + i * D, data_x + (i < 90 ? i % POINTS : i) * D, D * sizeof *x);
    y[i] = data_y[i % POINTS] + 0.1 * sin(7 * i);
  }
  for (int v = 0; v < VARIANTS; ++v) {
    static outcome a, b;
    const gannet_data data = {T, x, y, NAN, NULL};
    gannet_surrogate *exact = created(world, &variants[v], "0", "replicated");
    gannet_surrogate *sparse = created(world, &variants[v], "30", "replicated");
    assert_ok(gannet_surrogate_fit(exact, &data, true, 1));
    assert_ok(gannet_surrogate_fit(sparse, &data, true, 1));
    ask(exact, &a);
    ask(sparse, &b);
    assert_memory_equal(a.hyper, b.hyper, sizeof a.hyper);
    for (int i = 0; i < M; ++i) assert_near(a.mean[i], b.mean[i], 1e-6);
    for (int i = 0; i < M; ++i) assert_near(a.sd[i], b.sd[i], 1e-6);
    for (int i = 0; i < 2 * M; ++i) assert_near(a.covariance[i], b.covariance[i], 1e-6);
    assert_near(a.gain, b.gain, 1e-5);
    for (int k = 0; k < D; ++k) assert_near(a.slope[k], b.slope[k], 1e-5);
    for (int k = 0; k < D; ++k) assert_near(a.sd_slope[k], b.sd_slope[k], 1e-4);
    gannet_surrogate_destroy(&exact);
    gannet_surrogate_destroy(&sparse);
  }
}

/* One more observation tells 1/2 log(1 + variance / noise) of the function. */
static void gains_of_observations_add_up(void **state) {
  (void)state;
  const double noise = 0.01;
  gannet_surrogate *s = created(world, &variants[1], "0", "replicated");
  double gain = 0, sum = 0;
  for (int n = 1; n <= 12; ++n) {
    const gannet_data data = first(n, noise);
    double mean = 0, sd = 0;
    assert_ok(gannet_surrogate_fit(s, &data, false, n));
    assert_ok(gannet_surrogate_information_gain(s, &gain));
    if (n == 1) sum = gain;
    assert_near(gain, sum, 1e-9);
    assert_ok(gannet_surrogate_predict(s, 1, data_x + n * D, &mean, &sd));
    sum += 0.5 * log(1 + sd * sd / noise);
  }
  assert_true(gain > 1);
  gannet_surrogate_destroy(&s);
}

/* Few inducing points for many observations: means and deviations of draws are those of predict.
 * With the kernel of a network there is nothing but chance between them. */
static void draws_have_the_moments_of_predict(void **state) {
  (void)state;
  enum { DRAWS = 600 };
  static double values[DRAWS * M];
  double mean[M], sd[M];
  const gannet_data data = first(300, NAN);
  gannet_surrogate *s = created(world, &variants[2], "30", "replicated");
  assert_ok(gannet_surrogate_fit(s, &data, true, 1));
  assert_ok(gannet_surrogate_predict(s, M, query, mean, sd));
  assert_ok(gannet_surrogate_sample(s, DRAWS, 1, 3));
  assert_ok(gannet_surrogate_draw_values(s, M, query, values, M));
  for (int i = 0; i < M; ++i) {
    double sum = 0, squares = 0;
    for (int j = 0; j < DRAWS; ++j) sum += values[j * M + i] / DRAWS;
    for (int j = 0; j < DRAWS; ++j) squares += pow(values[j * M + i] - sum, 2) / (DRAWS - 1);
    assert_near(sum, mean[i], 4.5 * sd[i] / sqrt(DRAWS));
    assert_near(sqrt(squares), sd[i], 4.5 * sd[i] / sqrt(2 * DRAWS));
  }
  gannet_surrogate_destroy(&s);
}

/* Grown by fits with values that move, fantasies in between; made at once from the saved
 * hyperparameters; and on one rank alone: the same bits. */
static void bits_depend_on_the_data_alone(void **state) {
  (void)state;
  static double moved[N];
  for (int i = 0; i < N; ++i) moved[i] = 0.5 + 1.25 * data_y[i];
  for (int v = 0; v < VARIANTS; ++v) {
    static outcome grown, made, alone;
    double hyper[HYPER];
    gannet_surrogate *s = created(world, &variants[v], "50", "replicated");
    const gannet_data early = first(60, NAN), middle = {1190, data_x, moved, NAN, NULL};
    const gannet_data ahead = {1215, data_x, moved, NAN, NULL}, late = first(1197, NAN);
    assert_ok(gannet_surrogate_fit(s, &early, true, 1));
    gannet_surrogate_get_hyper(s, hyper);
    assert_ok(gannet_surrogate_fit(s, &middle, false, 2));
    assert_ok(gannet_surrogate_fantasize(s, &ahead, 1215 - 1190, 2));
    assert_ok(gannet_surrogate_fit(s, &late, false, 3));
    ask(s, &grown);
    gannet_surrogate_destroy(&s);
    s = created(world, &variants[v], "50", "replicated");
    assert_ok(gannet_surrogate_set_hyper(s, hyper));
    assert_ok(gannet_surrogate_fit(s, &late, false, 3));
    ask(s, &made);
    gannet_surrogate_destroy(&s);
    s = created(self, &variants[v], "50", "replicated");
    assert_ok(gannet_surrogate_set_hyper(s, hyper));
    assert_ok(gannet_surrogate_fit(s, &late, false, 3));
    ask(s, &alone);
    gannet_surrogate_destroy(&s);
    assert_memory_equal(&grown, &made, sizeof grown);
    assert_memory_equal(&made, &alone, sizeof made);
  }
}

/* One whose noise is next to nothing beside its amplitude. */
static gannet_surrogate *stiff(const variant *v, const char *inducing) {
  double hyper[HYPER];
  gannet_surrogate *s = created(world, v, inducing, "replicated");
  gannet_surrogate_get_hyper(s, hyper);
  hyper[0] = log(1e5);
  assert_ok(gannet_surrogate_set_hyper(s, hyper));
  return s;
}

/* Believed copies of observations make the matrix singular, and the noise is raised; the next fit
 * knows nothing of it. */
static void what_rounding_asked_of_fantasies_is_forgotten(void **state) {
  (void)state;
  enum { FIRM = 130, COPIES = 40 };
  static double x[(FIRM + COPIES) * D], y[FIRM + COPIES];
  const char *inducing[] = {"0", "50"};
  for (int i = 0; i < FIRM + COPIES; ++i) {
    memcpy(x + i * D, data_x + i % FIRM * D, D * sizeof *x);
    y[i] = data_y[i % FIRM];
  }
  for (int v = 0; v < 2 * VARIANTS; ++v) {
    static outcome grown, made;
    const gannet_data before = {FIRM - 5, data_x, data_y, 0, NULL},
                      after = {FIRM, data_x, data_y, 0, NULL};
    const gannet_data ahead = {FIRM + COPIES, x, y, 0, NULL};
    gannet_surrogate *s = stiff(&variants[v / 2], inducing[v % 2]);
    assert_ok(gannet_surrogate_fit(s, &before, false, 1));
    assert_ok(gannet_surrogate_fantasize(s, &ahead, COPIES + 5, 1));
    assert_ok(gannet_surrogate_fit(s, &after, false, 2));
    ask(s, &grown);
    gannet_surrogate_destroy(&s);
    s = stiff(&variants[v / 2], inducing[v % 2]);
    assert_ok(gannet_surrogate_fit(s, &after, false, 2));
    ask(s, &made);
    gannet_surrogate_destroy(&s);
    assert_memory_equal(&grown, &made, sizeof grown);
  }
}

/* A given noise follows the scale of the values, here a little: the points stay, and what comes out
 * is what a new model makes. */
static void noise_that_moves_a_little_keeps_the_points(void **state) {
  (void)state;
  for (int v = 0; v < VARIANTS; ++v) {
    static outcome grown, made;
    gannet_surrogate *s = created(world, &variants[v], "50", "replicated");
    const gannet_data before = first(300, 0.01), after = first(303, 0.01001);
    assert_ok(gannet_surrogate_fit(s, &before, false, 1));
    assert_ok(gannet_surrogate_fit(s, &after, false, 2));
    ask(s, &grown);
    gannet_surrogate_destroy(&s);
    s = created(world, &variants[v], "50", "replicated");
    assert_ok(gannet_surrogate_fit(s, &after, false, 2));
    ask(s, &made);
    gannet_surrogate_destroy(&s);
    assert_memory_equal(&grown, &made, sizeof grown);
  }
}

/* A factor cut over the ranks takes the same rows. */
static void a_distributed_factor_agrees(void **state) {
  (void)state;
  for (int v = 0; v < VARIANTS; ++v) {
    double whole[M], cut[M];
    const gannet_data data = first(300, 1e-3);
    gannet_surrogate *a = created(world, &variants[v], "50", "replicated");
    gannet_surrogate *b = created(world, &variants[v], "50", "distributed");
    assert_ok(gannet_surrogate_fit(a, &data, false, 1));
    assert_ok(gannet_surrogate_fit(b, &data, false, 1));
    assert_ok(gannet_surrogate_predict(a, M, query, whole, NULL));
    assert_ok(gannet_surrogate_predict(b, M, query, cut, NULL));
    for (int i = 0; i < M; ++i) assert_near(whole[i], cut[i], 1e-7);
    gannet_surrogate_destroy(&a);
    gannet_surrogate_destroy(&b);
  }
}

/* 1300 observations through 200 points: the mean follows the function. */
static void few_points_do_for_many_observations(void **state) {
  (void)state;
  for (int v = 0; v < VARIANTS; ++v) {
    double mean[M];
    const gannet_data data = first(N, NAN);
    gannet_surrogate *s = created(world, &variants[v], "200", "replicated");
    assert_ok(gannet_surrogate_fit(s, &data, true, 1));
    assert_ok(gannet_surrogate_predict(s, M, query, mean, NULL));
    for (int i = 0; i < M; ++i) {
      const double *x = query + i * D;
      assert_near(mean[i], sin(4 * x[0]) + x[1] * x[2] - 0.3, 0.005);
    }
    gannet_surrogate_destroy(&s);
  }
}

/* One observation says next to nothing, all together a lot. */
static void noise_that_hides_single_observations_hides_no_history(void **state) {
  (void)state;
  for (int v = 0; v < VARIANTS; ++v) {
    double mean[2][M], sd[2][M];
    const gannet_data data = first(700, 12);
    for (int sparse = 0; sparse < 2; ++sparse) {
      gannet_surrogate *s = created(world, &variants[v], sparse ? "150" : "0", "replicated");
      assert_ok(gannet_surrogate_fit(s, &data, false, 1));
      assert_ok(gannet_surrogate_predict(s, M, query, mean[sparse], sd[sparse]));
      gannet_surrogate_destroy(&s);
    }
    for (int i = 0; i < M; ++i) {
      assert_near(mean[1][i], mean[0][i], 0.25 * sd[0][i]);
      assert_near(sd[1][i], sd[0][i], 0.15 * sd[0][i]);
    }
  }
}

static void bad_arguments_are_refused(void **state) {
  (void)state;
  const gannet_surrogate_type *type = NULL;
  gannet_complaints complaints = {0};
  char storage[512] = {0};
  const gannet_setting setting = {.key = "inducing", .text = "-3"};
  const gannet_data data = first(20, NAN);
  assert_ok(gannet_surrogate_find("gp", &type));
  assert_ok(gannet_options_apply(type->options, "surrogate", 1, &setting, storage, &complaints));
  assert_fails(GANNET_ERR_INPUT, "inducing", gannet_complaints_raise(&complaints));
  gannet_complaints_release(&complaints);
  gannet_surrogate *s = created(world, &variants[0], "auto", "replicated");
  assert_fails(GANNET_ERR_ARG, "21 of 20", gannet_surrogate_fantasize(s, &data, 21, 1));
  gannet_surrogate_destroy(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(with_room_for_all_points_it_is_exact),
      cmocka_unit_test(gains_of_observations_add_up),
      cmocka_unit_test(draws_have_the_moments_of_predict),
      cmocka_unit_test(bits_depend_on_the_data_alone),
      cmocka_unit_test(what_rounding_asked_of_fantasies_is_forgotten),
      cmocka_unit_test(noise_that_moves_a_little_keeps_the_points),
      cmocka_unit_test(a_distributed_factor_agrees),
      cmocka_unit_test(few_points_do_for_many_observations),
      cmocka_unit_test(noise_that_hides_single_observations_hides_no_history),
      cmocka_unit_test(bad_arguments_are_refused),
  };
  gannet_context *all = NULL, *mine = NULL;
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  int failed = 1;
  if (gannet_context_create(MPI_COMM_WORLD, 5, &all) == GANNET_OK &&
      gannet_context_create(MPI_COMM_SELF, 5, &mine) == GANNET_OK) {
    world = all;
    self = mine;
    failed = run_ranks_(cmocka_run_group_tests(tests, make, NULL));
  }
  gannet_context_destroy(&all);
  gannet_context_destroy(&mine);
  (void)MPI_Finalize();
  return failed;
}
