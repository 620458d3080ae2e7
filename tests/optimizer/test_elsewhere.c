/* test: ranks 1 2 3 labels unit timeout 240 */
/* Results of designs outside the bounds and between steps: every method learns from them, proposes
 * none of them, and begins nowhere but inside. */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "optimizer/fixture.h"
#include "support/shared_folder.h"

#include "optimizer/methods.h"

enum { D = 3, Q = 3, BATCHES = 3, N_FAR = 7, N_NEAR = 6 };

static const gannet_variable variables[D] = {
    {.name = "a", .lower = -1, .upper = 1},
    {.name = "b", .lower = 1, .upper = 100, .scale = GANNET_SCALE_LOG},
    {.name = "n", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 9, .step = 2},
};

static fixture make(const char *method) {
  static const gannet_constraint bounds[] = {{"low", -INFINITY, 40}};
  gannet_method_setting settings[4] = {
      {"method", method}, {"initial", "6"}, {"search.candidates", "400"}};
  const gannet_problem_spec spec = {.n_variables = D,
                                    .variables = variables,
                                    .n_constraints = 1,
                                    .constraints = bounds,
                                    .noise_sd = NAN};
  fixture f = {NULL, NULL, NULL};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 5, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, with_small_network(settings, 3), settings,
                                    &f.optimizer));
  return f;
}

/* Better and better to the right, outside as well. */
static double value_of(const double *x) {
  return 0.1 * x[1] + 0.2 * x[2] - 3 * x[0];
}

static void enter(fixture *f, const double *x) {
  const double c[] = {x[1]};
  gannet_history *h = gannet_optimizer_history(f->optimizer);
  gannet_result_record result = {.status = GANNET_EVAL_DONE,
                                 .objective = value_of(x),
                                 .constraints = (double *)(uintptr_t)c,
                                 .run = gannet_run_unknown()};
  assert_ok(gannet_history_enter(h, x, 0, GANNET_ORIGIN_IMPORT, &result.id));
  assert_ok(gannet_history_tell(h, &result));
}

/* Some near the box, some far away, and one whose infinite square would be no number. */
static const double far[N_FAR][D] = {{1.4, 3, 3},   {-1.2, 9, 8},   {0.5, 200, 4}, {30, 2, 3},
                                     {-3, 1e-9, 5}, {2e5, 30, 100}, {0.25, 7, 2}};

static void enter_far(fixture *f) {
  for (int i = 0; i < N_FAR; ++i) enter(f, far[i]);
}

static void enter_near(fixture *f) {
  for (int i = 0; i < N_NEAR; ++i) {
    const double x[D] = {-0.9 + 0.3 * i, 1 + 13 * ((i * 5) % N_NEAR), 1 + 2 * ((i * 3) % 5)};
    enter(f, x);
  }
}

static void ask(const char *method, fixture *f, gannet_origin first) {
  double x[Q * D];
  int64_t id[Q];
  for (int t = 0; t < BATCHES; ++t) {
    assert_ok(gannet_optimizer_ask(f->optimizer, Q, id, x));
    for (int i = 0; i < Q; ++i) {
      const double *at = x + (ptrdiff_t)i * D;
      if (gannet_problem_check_point(f->problem, at) != GANNET_OK)
        fail_msg("%s proposes %s", method, gannet_error_detail());
      const gannet_evaluation *row =
          gannet_history_get(gannet_optimizer_history(f->optimizer), id[i]);
      assert_false(row->elsewhere);
      if (t == 0 && first != GANNET_ORIGIN_COUNT) assert_int_equal(row->origin, first);
      const gannet_result result = {.id = id[i], .objective = value_of(at), .constraints = at + 1};
      assert_ok(gannet_optimizer_tell(f->optimizer, 1, &result));
    }
    uint64_t digest = gannet_history_digest(gannet_optimizer_history(f->optimizer));
    assert_ok(gannet_same(f->context->comm, &digest, sizeof digest, "points"));
  }
  gannet_best best;
  gannet_optimizer_best(f->optimizer, &best, x);
  assert_ok(gannet_problem_check_point(f->problem, x));
  gannet_recommendation recommended;
  assert_ok(gannet_optimizer_recommend(f->optimizer, &recommended, x));
  assert_ok(gannet_problem_check_point(f->problem, x));
}

static void every_method_stays_inside(void **state) {
  (void)state;
  for (int k = 0; gannet_methods[k]; ++k) {
    const char *method = gannet_methods[k]->name;
    if (strstr(method, "pinn")) continue; /* it needs equations */
    fixture f = make(method);
    enter_far(&f);
    enter_near(&f);
    ask(method, &f, GANNET_ORIGIN_COUNT);
    drop(&f);
  }
}

/* With nothing but such results the first design is made all the same. */
static void they_are_no_first_design(void **state) {
  static const char *const methods[] = {"auto", "gp-ei", "turbo-1"};
  (void)state;
  for (int k = 0; k < 3; ++k) {
    fixture f = make(methods[k]);
    enter_far(&f);
    gannet_best best;
    gannet_optimizer_best(f.optimizer, &best, NULL);
    assert_true(best.id == -1);
    ask(methods[k], &f, GANNET_ORIGIN_INITIAL);
    drop(&f);
  }
}

/* What is known just outside tells where to look inside: the model knows the slope. */
static void they_are_learnt_from(void **state) {
  (void)state;
  fixture f = make("gp-ei"), g = make("gp-ei");
  enter_near(&f);
  enter_near(&g);
  for (int i = 0; i < 8; ++i) {
    const double x[D] = {1.05 + 0.05 * i, 1 + 6 * ((i * 3) % 8), 1 + 2 * (i % 5)};
    enter(&g, x);
  }
  const double at[] = {0.98, 20, 5};
  gannet_prediction without[2], with[2];
  assert_ok(gannet_optimizer_predict(f.optimizer, 1, at, without, NULL));
  assert_ok(gannet_optimizer_predict(g.optimizer, 1, at, with, NULL));
  assert_true(with[0].sd < 0.7 * without[0].sd);
  drop(&f);
  drop(&g);
}

static void tell_far(fixture *f, int but) {
  for (int i = 0; i < N_FAR; ++i) {
    int64_t id = -1;
    const gannet_result result = {.objective = value_of(far[i]), .constraints = far[i] + 1};
    if (i == but) continue;
    assert_ok(gannet_optimizer_tell_point(f->optimizer, far[i], &result, &id));
    assert_true(gannet_history_get(gannet_optimizer_history(f->optimizer), id)->elsewhere);
  }
}

static void assert_same_ask(fixture *a, fixture *b) {
  double x[Q * D], y[Q * D];
  int64_t id[Q], other[Q];
  assert_ok(gannet_optimizer_ask(a->optimizer, Q, id, x));
  assert_ok(gannet_optimizer_ask(b->optimizer, Q, other, y));
  assert_memory_equal(x, y, sizeof x);
}

/* Results that the program tells itself are treated alike, also when one is discarded or corrected,
 * and after the optimiser was saved. */
static void the_program_may_tell_them(void **state) {
  static const char *const methods[] = {"auto", "gp-ei", "turbo-1", "forest-ei"};
  (void)state;
  for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
    gannet_best best;
    gannet_counts counts;
    fixture f = make(methods[k]), g = make(methods[k]), loaded = make(methods[k]);
    tell_far(&f, -1);
    gannet_optimizer_best(f.optimizer, &best, NULL);
    gannet_optimizer_count(f.optimizer, &counts);
    assert_true(best.id == -1 && counts.done == N_FAR && counts.feasible == 0);
    ask(methods[k], &f, GANNET_ORIGIN_INITIAL);

    tell_far(&g, 0);
    drop(&f);
    f = make(methods[k]);
    tell_far(&f, -1);
    assert_ok(gannet_optimizer_discard(f.optimizer, 0));
    const double at[] = {2e5, 30, 100}, c[] = {30};
    gannet_result wrong = {.id = 5, .objective = 0, .constraints = c};
    assert_ok(gannet_optimizer_correct(f.optimizer, 5, &wrong));
    wrong.objective = value_of(at);
    assert_ok(gannet_optimizer_correct(f.optimizer, 5, &wrong));
    enter_near(&f);
    enter_near(&g);
    assert_same_ask(&f, &g);
    assert_ok(gannet_optimizer_save(f.optimizer, in_folder("elsewhere.h5")));
    assert_ok(gannet_optimizer_load(loaded.optimizer, in_folder("elsewhere.h5")));
    assert_same_ask(&f, &loaded);
    drop(&loaded);
    drop(&g);
    drop(&f);
  }
}

static void what_is_no_value_is_refused(void **state) {
  (void)state;
  fixture f = make("sobol");
  const double on_log[D] = {0, -1, 3}, half[D] = {0, 10, 2.5}, unit[D] = {1e9, 10, 3}, c = 0;
  const gannet_result result = {.objective = 1, .constraints = &c};
  assert_fails(GANNET_ERR_INPUT, "b: -1 has no place on a logarithmic scale",
               gannet_optimizer_tell_point(f.optimizer, on_log, &result, NULL));
  assert_fails(GANNET_ERR_INPUT, "n: 2.5 is not a whole number",
               gannet_optimizer_tell_point(f.optimizer, half, &result, NULL));
  assert_fails(GANNET_ERR_INPUT, "a: 1e+09 is further outside [-1, 1]",
               gannet_optimizer_tell_point(f.optimizer, unit, &result, NULL));
  assert_int_equal(gannet_history_count(gannet_optimizer_history(f.optimizer)), 0);
  drop(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_stays_inside),   cmocka_unit_test(they_are_no_first_design),
      cmocka_unit_test(they_are_learnt_from),        cmocka_unit_test(the_program_may_tell_them),
      cmocka_unit_test(what_is_no_value_is_refused),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed =
      run_ranks_(cmocka_run_group_tests(tests, make_shared_folder, remove_shared_folder));
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
