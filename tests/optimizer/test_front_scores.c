/* test: ranks 1 2 3 labels unit timeout 120 */
/* What candidates are compared by where there are several objectives. */
#include "optimizer/objectives_fixture.h"

#include "optimizer/models/models_impl.h"
#include "optimizer/propose/draws_score.h"
#include "optimizer/propose/front_score.h"

/* An optimiser of two real variables with a fitted member. */
static fixture fitted(const char *method, double *x) {
  const gannet_problem_spec spec = {.n_variables = 2,
                                    .variables = mixed,
                                    .n_constraints = 1,
                                    .constraints = heat_limit,
                                    .n_objectives = 3,
                                    .objectives = three};
  fixture f = make_on(MPI_COMM_WORLD, &spec, method, 2);
  gannet_member *member = &f.optimizer->member[0];
  for (int round = 0; round < 4; ++round) {
    int64_t id[4];
    double c[QUANTITIES];
    assert_ok(gannet_optimizer_ask(f.optimizer, 4, id, x));
    for (int i = 0; i < 4; ++i) {
      const double all[VARIABLES] = {x[2 * i], x[2 * i + 1], 2, 0};
      const gannet_result result = {.id = id[i], .objective = simulate(all, c), .constraints = c};
      tell(&f, result);
    }
  }
  assert_ok(gannet_models_prepare(member->models, NULL, f.optimizer->batch));
  assert_ok(gannet_models_fit(member->models));
  assert_int_equal(gannet_models_n_objectives(member->models), 3);
  gannet_random_uniform((gannet_stream){4, GANNET_FOR_TEST, 1, 1}, 0, 16, x);
  return f;
}

/* The merit of a draw has the gradient of its differences. */
static void merits_of_draws_have_their_gradients(void **state) {
  (void)state;
  double x[2 * 8], gradient[2], value;
  fixture f = fitted("gp-ts", x);
  gannet_member *member = &f.optimizer->member[0];
  gannet_draws_score score;
  assert_ok(gannet_models_sample(member->models, 2, f.optimizer->batch));
  assert_ok(gannet_draws_score_prepare(member, 2, &score));
  for (int i = 0; i < 8; ++i) {
    assert_ok(gannet_draws_score_merit(&score, 0, x + 2 * i, &value, gradient));
    assert_slopes(gannet_draws_score_merit, &score, 2, x + 2 * i, 1e-6, value, gradient);
  }
  gannet_draws_score_release(&score);
  drop(&f);
}

/* The merit of all draws has the gradient of its differences; where draws improve it is minus the
 * rough score, nearly; and a point that is added to the fronts has nothing left to improve. */
static void merits_of_fronts_have_their_gradients(void **state) {
  (void)state;
  double x[2 * 8], gradient[2], value, again, rough[8];
  fixture f = fitted("gp-nehvi", x);
  gannet_member *member = &f.optimizer->member[0];
  gannet_front_score score = {0};
  int positive = 0;
  assert_ok(gannet_models_sample(member->models, 32, f.optimizer->batch));
  assert_ok(gannet_front_score_create(member, 8, 8, &score));
  for (int cached = 0; cached < 2; ++cached) {
    gannet_front_score_begin_scan(&score, 0);
    assert_ok(gannet_front_score_rough(&score, 8, x, 0, rough, 8));
    for (int i = 0; i < 8; ++i) {
      assert_ok(gannet_front_score_merit(&score, 0, x + 2 * i, &value, gradient));
      assert_slopes(gannet_front_score_merit, &score, 2, x + 2 * i, 1e-7, value, gradient);
      if (rough[i] < -5) continue;
      positive += 1;
      assert_near(rough[i], -value, 0.2);
    }
  }
  assert_true(positive > 0);
  const int best = rough[0] > rough[1] ? 0 : 1;
  assert_ok(gannet_front_score_merit(&score, 0, x + 2 * best, &value, gradient));
  assert_ok(gannet_front_score_add(&score, x + 2 * best));
  assert_ok(gannet_front_score_merit(&score, 0, x + 2 * best, &again, gradient));
  assert_true(again > value + 1);
  gannet_front_score_release(&score);
  drop(&f);
}

/* A scan that is to find a few candidates has the scores of one that is to find all, at those few;
 * and so have later scans, after points that were added to the fronts. */
static void scores_are_right_where_they_are_best(void **state) {
  (void)state;
  enum { N = 400, KEPT = 5 };
  double first[2 * 8], x[2 * N], all[N], few[N];
  fixture f = fitted("gp-nehvi", first);
  gannet_member *member = &f.optimizer->member[0];
  gannet_front_score slow = {0}, fast = {0};
  int skipped = 0;
  gannet_random_uniform((gannet_stream){9, GANNET_FOR_TEST, 1, 1}, 0, 2 * N, x);
  assert_ok(gannet_models_sample(member->models, 32, f.optimizer->batch));
  assert_ok(gannet_front_score_create(member, N, N, &slow));
  assert_ok(gannet_front_score_create(member, N, KEPT, &fast));
  for (int scan = 0; scan < 4; ++scan) {
    double best[KEPT + 1] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY};
    int at = 0;
    gannet_front_score_begin_scan(&slow, 0);
    gannet_front_score_begin_scan(&fast, 0);
    assert_ok(gannet_front_score_rough(&slow, N, x, 0, all, N));
    assert_ok(gannet_front_score_rough(&fast, N, x, 0, few, N));
    for (int i = 0; i < N; ++i) {
      int k = KEPT;
      for (; k > 0 && all[i] > best[k - 1]; --k) best[k] = best[k - 1];
      best[k] = all[i];
      if (k == 0) at = i;
    }
    for (int i = 0; i < N; ++i) {
      if (all[i] >= best[KEPT - 1])
        assert_true(few[i] == all[i]);
      else
        assert_true(few[i] >= all[i] && few[i] < best[KEPT - 1]);
      skipped += few[i] > all[i];
    }
    assert_ok(gannet_front_score_add(&slow, x + (ptrdiff_t)2 * at));
    assert_ok(gannet_front_score_add(&fast, x + (ptrdiff_t)2 * at));
  }
  assert_true(skipped > 0);
  gannet_front_score_release(&slow);
  gannet_front_score_release(&fast);
  drop(&f);
}

/* Where nothing is better than the thresholds, the reference point is as far behind them as the
 * result that comes nearest. */
static void references_follow_results_to_far_thresholds(void **state) {
  (void)state;
  for (int far = 0; far < 2; ++far) {
    const double threshold = far ? -3 : 7; /* of the second objective */
    const gannet_objective objectives[] = {{.name = "f", .threshold = 9, .noise_sd = NAN},
                                           {.name = "g", .threshold = threshold, .noise_sd = NAN}};
    const gannet_problem_spec spec = {
        .n_variables = 2, .variables = mixed, .n_objectives = 2, .objectives = objectives};
    fixture f = make_on(MPI_COMM_WORLD, &spec, "gp-nehvi", 2);
    gannet_member *member = &f.optimizer->member[0];
    gannet_front_score score = {0};
    int64_t id[8];
    double x[16], second;
    assert_ok(gannet_optimizer_ask(f.optimizer, 8, id, x));
    for (int i = 0; i < 8; ++i) {
      second = x[2 * i] * x[2 * i] + x[2 * i + 1];
      const gannet_result result = {.id = id[i], .objective = -x[2 * i], .constraints = &second};
      tell(&f, result);
    }
    assert_ok(gannet_models_prepare(member->models, NULL, f.optimizer->batch));
    assert_ok(gannet_models_fit(member->models));
    assert_ok(gannet_models_sample(member->models, 4, f.optimizer->batch));
    assert_ok(gannet_front_score_create(member, 8, 8, &score));
    assert_true(score.reference[0] == gannet_models_reference(member->models, 0));
    const double stated = gannet_models_reference(member->models, 1);
    if (far) /* in ranges, from the least value */
      assert_true(stated < 0 && score.reference[1] == 0);
    else
      assert_true(score.reference[1] == stated);
    gannet_front_score_release(&score);
    drop(&f);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(merits_of_draws_have_their_gradients),
      cmocka_unit_test(merits_of_fronts_have_their_gradients),
      cmocka_unit_test(scores_are_right_where_they_are_best),
      cmocka_unit_test(references_follow_results_to_far_thresholds),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
