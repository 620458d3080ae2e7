/* test: ranks 1 2 3 labels unit timeout 300 */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "optimizer/fixture.h"

#include "acquisition/functions/admm/admm.h"
#include "optimizer/propose/moments_score.h"

static const gannet_variable plane[] = {
    {.name = "x", .lower = -1, .upper = 1},
    {.name = "y", .lower = -1, .upper = 1},
};
static const gannet_constraint limits[] = {{"disk", -INFINITY, 0.5}, {"half", -0.6, INFINITY}};

static fixture make(gannet_goal goal, const char *rho) {
  const gannet_problem_spec spec = {.n_variables = 2,
                                    .variables = plane,
                                    .n_constraints = 2,
                                    .constraints = limits,
                                    .goal = goal,
                                    .noise_sd = NAN};
  const gannet_method_setting settings[] = {
      {"method", "admmbo"}, {"search.candidates", "1000"}, {"acquisition.rho", rho}};
  fixture f = {0};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 3, settings, &f.optimizer));
  return f;
}

/* Least x + y in a disk of radius 0.7, cut off at y >= -0.6; where x is more than crash there is no
 * result, and more is added to the first constraint. */
static void round_where(gannet_optimizer *optimizer, int q, double crash, double more) {
  int64_t id[4];
  double x[8], c[8];
  gannet_result results[4];
  assert_ok(gannet_optimizer_ask(optimizer, q, id, x));
  for (int i = 0; i < q; ++i) {
    c[2 * i] = x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1] + more;
    c[2 * i + 1] = x[2 * i + 1];
    results[i] = (gannet_result){
        .id = id[i], .objective = x[2 * i] + x[2 * i + 1], .constraints = c + 2 * i};
    if (x[2 * i] > crash) results[i].outcome = GANNET_RESULT_CANNOT_RUN;
  }
  assert_ok(gannet_optimizer_tell(optimizer, q, results));
}

static void round_of(gannet_optimizer *optimizer, int q) {
  round_where(optimizer, q, 1, 0);
}

static gannet_member *fitted(fixture *f, double crash) {
  *f = make(GANNET_MINIMIZE, "1");
  for (int round = 0; round < 4; ++round) round_where(f->optimizer, 3, crash, 0);
  gannet_member *member = &f->optimizer->member[0];
  assert_ok(gannet_models_prepare(member->models, NULL, f->optimizer->batch));
  assert_ok(gannet_models_fit(member->models));
  return member;
}

static gannet_admm_memory *memory_of(const gannet_member *member) {
  return member->memory;
}

/* The distance term of a subproblem with rho = 3 and the penalty 50, and the points x = (0.3, 0.4),
 * z = (0.6, 0.6), y = (0.4, -0.1). */
static double distance_of(int phase, const double *at) {
  double distance = 0;
  for (int k = 0; k < 2; ++k) {
    const double x = 0.3 + 0.1 * k, y = 0.4 - 0.5 * k;
    distance += phase == GANNET_ADMM_OBJECTIVE ? 1.5 * pow(at[k] - 0.6 + y / 3, 2)
                                               : 1.5 / 50 * pow(x - at[k] + y / 3, 2);
  }
  return distance;
}

static double mean_at(const gannet_member *member, int model, const double *at) {
  double mean = 0;
  assert_ok(
      gannet_surrogate_predict(gannet_models_surrogate(member->models, model), 1, at, &mean, NULL));
  return mean;
}

/* The least value of a subproblem over the evaluations. */
static double best_of(const gannet_member *member, int phase) {
  double best = INFINITY;
  for (int64_t id = 0; id < gannet_history_count(member->history); ++id) {
    if (!gannet_history_is_observation(member->history, id)) continue;
    const double *at = gannet_history_x_unit(member->history, id);
    double value = phase == GANNET_ADMM_OBJECTIVE ? mean_at(member, 0, at) : 0;
    for (int i = 1; phase == GANNET_ADMM_FEASIBILITY && i < gannet_models_count(member->models);
         ++i)
      if (mean_at(member, i, at) > gannet_models_threshold(member->models, i)) value = 1;
    best = fmin(best, value + distance_of(phase, at));
  }
  return best;
}

/* Against the definitions at points of a grid, with the improvement of the objective integrated
 * and that of feasibility as the average over its two outcomes. Of the hidden constraint a quarter
 * of the standard deviation counts. */
static void compare_scores(double crash, int models) {
  fixture f = {0};
  gannet_member *member = fitted(&f, crash);
  gannet_moments_score s;
  assert_int_equal(gannet_models_count(member->models), models);
  assert_ok(gannet_moments_score_prepare(member, &s));
  for (int phase = GANNET_ADMM_OBJECTIVE; phase <= GANNET_ADMM_FEASIBILITY; ++phase) {
    gannet_admm_memory *memory = memory_of(member);
    memory->phase = (gannet_admm_phase)phase;
    memory->left = 1;
    memory->rho = 3;
    for (int k = 0; k < 2; ++k) {
      memory->x[k] = 0.3 + 0.1 * k;
      memory->z[k] = 0.6;
      memory->y[k] = 0.4 - 0.5 * k;
    }
    const double best = best_of(member, phase);
    assert_ok(gannet_moments_score_begin_point(&s, member, NULL, 0));
    for (int i = 0; i < 25; ++i) {
      const double at[2] = {0.1 + 0.2 * (i % 5), 0.1 + 0.2 * (i / 5)};
      const double distance = distance_of(phase, at);
      double score = 0, mean = 0, sd = 0, expected = 0, theta = 1;
      assert_ok(gannet_moments_score_points(&s, 1, at, 0, &score, 1));
      if (phase == GANNET_ADMM_OBJECTIVE) {
        assert_ok(gannet_surrogate_predict(gannet_models_surrogate(member->models, 0), 1, at, &mean,
                                           &sd));
        const double z = (best - mean - distance) / sd;
        expected = sd * (z * 0.5 * erfc(-z / sqrt(2)) + 0.3989422804014327 * exp(-0.5 * z * z));
        if (expected < 1e-12) continue; /* the closed form cancels there */
      } else {
        for (int k = 1; k < models; ++k) {
          assert_ok(gannet_surrogate_predict(gannet_models_surrogate(member->models, k), 1, at,
                                             &mean, &sd));
          if (k == 3) sd *= 0.25;
          theta *= 0.5 * erfc(-(gannet_models_threshold(member->models, k) - mean) / sd / sqrt(2));
        }
        expected = theta * fmax(best - distance, 0) + (1 - theta) * fmax(best - 1 - distance, 0);
        if (!(best - distance > 1e-8)) continue;
      }
      assert_near(exp(score) / expected, 1, 1e-4);
    }
  }
  gannet_moments_score_release(&s);
  drop(&f);
}

static void scores_are_expected_improvements(void **state) {
  (void)state;
  compare_scores(1, 3);
  compare_scores(0.3, 4);
}

static void compare_gradients(double crash) {
  const double step = 1e-6;
  fixture f = {0};
  gannet_member *member = fitted(&f, crash);
  gannet_moments_score s;
  assert_ok(gannet_moments_score_prepare(member, &s));
  assert_ok(gannet_moments_score_begin_point(&s, member, NULL, 0));
  for (int phase = GANNET_ADMM_OBJECTIVE; phase <= GANNET_ADMM_FEASIBILITY; ++phase) {
    memory_of(member)->phase = (gannet_admm_phase)phase;
    memory_of(member)->left = 1;
    assert_ok(gannet_moments_score_begin_point(&s, member, NULL, 0));
    for (int i = 0; i < 9; ++i) {
      double at[2] = {0.15 + 0.3 * (i % 3), 0.2 + 0.3 * (i / 3)}, value = 0, gradient[2];
      double score = 0;
      assert_ok(gannet_moments_score_merit(&s, 0, at, &value, gradient));
      assert_ok(gannet_moments_score_points(&s, 1, at, 0, &score, 1));
      assert_near(value / -score, 1, 1e-6);
      assert_slopes(gannet_moments_score_merit, &s, 2, at, step, value, gradient);
    }
  }
  gannet_moments_score_release(&s);
  drop(&f);
}

static void merits_have_their_gradients(void **state) {
  (void)state;
  compare_gradients(1);
  compare_gradients(0.3);
}

/* At the evaluation of the design with the least mean, far from the corner where all coordinates of
 * the unit cube are 0: of all where none is feasible. The fifth round has models of the first four.
 */
static void it_starts_at_the_best_evaluation(void **state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    fixture f = make(GANNET_MAXIMIZE, "20");
    gannet_member *member = &f.optimizer->member[0];
    for (int i = 0; i < 5; ++i) round_where(f.optimizer, 1, 1, k == 0 ? 0 : 9);
    const gannet_surrogate *objective = gannet_models_surrogate(member->models, 0);
    const gannet_admm_memory *now = memory_of(member);
    double at_start = 0, least = INFINITY;
    for (int64_t id = 0; id < 4; ++id) {
      const double *at = gannet_history_x_unit(f.optimizer->history, id);
      const double *constraint = gannet_history_constraints(f.optimizer->history, id);
      double mean = 0;
      assert_ok(gannet_surrogate_predict(objective, 1, at, &mean, NULL));
      if (k == 1 || (constraint[0] <= 0.5 && constraint[1] >= -0.6)) least = fmin(least, mean);
    }
    assert_ok(gannet_surrogate_predict(objective, 1, now->x, &at_start, NULL));
    assert_near(at_start, least, 1e-9);
    for (int i = 0; i < 2; ++i) assert_true(now->z[i] == now->x[i] && now->y[i] == 0);
    drop(&f);
  }
}

/* Two evaluations per subproblem in turn; multipliers add up rho (x - z); x and z are evaluations,
 * and z looks feasible once something does. */
static void subproblems_take_turns(void **state) {
  (void)state;
  fixture f = make(GANNET_MINIMIZE, "1");
  gannet_member *member = &f.optimizer->member[0];
  double y_before[2];
  for (int i = 0; i < 4; ++i) round_of(f.optimizer, 1); /* the design */
  assert_near(memory_of(member)->phase, GANNET_ADMM_NEW, 0);
  for (int i = 0; i < 16; ++i) {
    const double rho = memory_of(member)->rho;
    memcpy(y_before, memory_of(member)->y, sizeof y_before);
    round_of(f.optimizer, 1);
    const gannet_admm_memory *now = memory_of(member);
    assert_int_equal(now->phase, i % 4 < 2 ? GANNET_ADMM_OBJECTIVE : GANNET_ADMM_FEASIBILITY);
    assert_int_equal(now->left, 1 - i % 2);
    if (i > 0 && i % 4 == 0) {
      for (int k = 0; k < 2; ++k)
        assert_near(now->y[k], y_before[k] + rho * (now->x[k] - now->z[k]), 1e-12);
      for (int k = 1; k < gannet_models_count(member->models); ++k) {
        double mean = 0;
        assert_ok(gannet_surrogate_predict(gannet_models_surrogate(member->models, k), 1, now->z,
                                           &mean, NULL));
        assert_true(mean <= gannet_models_threshold(member->models, k));
      }
    }
  }
  assert_true(memory_of(member)->rho > 0);
  drop(&f);
}

static void it_finds_the_constrained_minimum(void **state) {
  (void)state;
  fixture f = make(GANNET_MINIMIZE, "1");
  gannet_best best;
  double x[2];
  for (int i = 0; i < 12; ++i) round_of(f.optimizer, 3);
  gannet_optimizer_best(f.optimizer, &best, x);
  assert_true(best.feasible);
  if (!(best.objective < -1 + 0.02)) fail_msg("%g at %g, %g", best.objective, x[0], x[1]);
  drop(&f);
}

static void bounds_do_not_go_with_it(void **state) {
  (void)state;
  const gannet_method_setting settings[] = {{"method", "admmbo"},
                                            {"acquisition.constraints", "bounds"}};
  fixture f = make(GANNET_MINIMIZE, "1");
  gannet_optimizer_destroy(&f.optimizer);
  assert_fails(GANNET_ERR_INPUT, "expected probability",
               gannet_optimizer_create(f.context, f.problem, 2, settings, &f.optimizer));
  drop(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scores_are_expected_improvements),
      cmocka_unit_test(merits_have_their_gradients),
      cmocka_unit_test(it_starts_at_the_best_evaluation),
      cmocka_unit_test(subproblems_take_turns),
      cmocka_unit_test(it_finds_the_constrained_minimum),
      cmocka_unit_test(bounds_do_not_go_with_it),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  (void)MPI_Finalize();
  return failed;
}
