/* test: ranks 1 2 3 labels unit timeout 300 */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "optimizer/fixture.h"

#include "optimizer/propose/moments_score.h"
#include "optimizer/propose/propose_impl.h"

enum { M = 9 };

static const gannet_variable plane[] = {
    {.name = "x", .lower = -1, .upper = 1},
    {.name = "y", .lower = -1, .upper = 1},
};
static const gannet_constraint limits[] = {{"disk", -INFINITY, 0.5}, {"half", -0.6, INFINITY}};
static const gannet_problem_spec spec = {.n_variables = 2,
                                         .variables = plane,
                                         .n_constraints = 2,
                                         .constraints = limits,
                                         .noise_sd = NAN};

/* Least x + y + 0.3 sin 5x in a disk of radius 0.7, cut off at y >= -0.6. What is asked is
 * to come close to the best of a fine grid. */
static double objective(const double *x) {
  return x[0] + x[1] + 0.3 * sin(5 * x[0]);
}

static gannet_result value_at(int64_t id, const double *x, double offset, double *c) {
  const gannet_result result = {.id = id, .objective = objective(x), .constraints = c};
  c[0] = x[0] * x[0] + x[1] * x[1] + offset;
  c[1] = x[1];
  return result;
}

static double best_of_a_grid(void) {
  double best = INFINITY, c[2];
  for (int i = 0; i <= 400; ++i)
    for (int j = 0; j <= 400; ++j) {
      const double x[2] = {-1 + i / 200.0, -1 + j / 200.0};
      const gannet_result r = value_at(0, x, 0, c);
      if (c[0] <= 0.5 && c[1] >= -0.6) best = fmin(best, r.objective);
    }
  return best;
}

static fixture make(const char *method, const char *rule) {
  const gannet_method_setting settings[] = {
      {"method", method}, {"search.candidates", "1500"}, {"acquisition.constraints", rule}};
  fixture f = {0};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, rule ? 3 : 2, settings, &f.optimizer));
  return f;
}

static void round_of(gannet_optimizer *optimizer, double offset, double *x) {
  int64_t id[3];
  double c[6];
  gannet_result results[3];
  assert_ok(gannet_optimizer_ask(optimizer, 3, id, x));
  for (int i = 0; i < 3; ++i) results[i] = value_at(id[i], x + 2 * i, offset, c + 2 * i);
  assert_ok(gannet_optimizer_tell(optimizer, 3, results));
}

/* Optimisers after a few rounds, with fitted models. */
static fixture fitted(const char *method, const char *rule, double offset) {
  fixture f = make(method, rule);
  double x[6];
  for (int round = 0; round < 4; ++round) round_of(f.optimizer, offset, x);
  assert_ok(gannet_models_prepare(f.optimizer->member[0].models, NULL, f.optimizer->batch));
  assert_ok(gannet_models_fit(f.optimizer->member[0].models));
  return f;
}

static void prepare(const fixture *f, gannet_moments_score *s) {
  assert_ok(gannet_moments_score_prepare(&f->optimizer->member[0], s));
  assert_ok(gannet_models_incumbent(f->optimizer->member[0].models, &s->state.incumbent));
}

static void random_points(double *x) {
  gannet_random_uniform((gannet_stream){4, GANNET_FOR_TEST, 1, 1}, 0, 2 * M, x);
}

/* What a rule of bounds asks of a constraint's moments, with the factor 2 of gp-ucb. */
static double bound_at(const char *rule, double mean, double sd, double threshold) {
  const double turn = strcmp(rule, "inside") == 0 ? fmax(-1, 1 - 2 * sd / 0.02) : -1;
  return mean + 2 * sd * turn - threshold;
}

/* Against the formulas at single points: probabilities as a sum of logarithms, bounds as a filter.
 */
static void scores_follow_their_rule(void **state) {
  (void)state;
  static const char *const rules[] = {"probability", "bounds", "inside"};
  int inside = 0;
  for (int r = 0; r < 3; ++r) {
    const bool bounds = r > 0;
    fixture f = fitted("gp-ucb", rules[r], 0);
    const gannet_models *models = f.optimizer->member[0].models;
    gannet_moments_score s;
    double x[2 * M], scores[M];
    random_points(x);
    prepare(&f, &s);
    assert_true(s.feasible_known);
    assert_ok(gannet_moments_score_points(&s, M, x, 0, scores, M));
    for (int i = 0; i < M; ++i) {
      double mean = 0, sd = 0, sum = 0, violation = 0;
      assert_int_equal(gannet_models_count(models), 3);
      for (int k = 1; k < 3; ++k) {
        const double threshold = gannet_models_threshold(models, k);
        assert_ok(
            gannet_surrogate_predict(gannet_models_surrogate(models, k), 1, x + 2 * i, &mean, &sd));
        sum += log(0.5 * erfc(-(threshold - mean) / sd / sqrt(2)));
        violation += fmax(bound_at(rules[r], mean, sd, threshold), 0);
      }
      assert_ok(
          gannet_surrogate_predict(gannet_models_surrogate(models, 0), 1, x + 2 * i, &mean, &sd));
      inside += bounds && violation == 0;
      if (bounds)
        assert_near(scores[i], violation > 0 ? GANNET_INFEASIBLE_SCORE - violation : 2 * sd - mean,
                    1e-7);
      else if (isfinite(sum))
        assert_near((scores[i] - (2 * sd - mean + sum)) / (1 + fabs(scores[i])), 0, 1e-7);
    }
    gannet_moments_score_release(&s);
    drop(&f);
  }
  assert_true(0 < inside && inside < 2 * M);
}

/* Merits have the gradients of their differences, feasible known or not, also where no candidate is
 * inside the bounds; without bounds the merit is minus the score. */
static void merits_have_their_gradients(void **state) {
  (void)state;
  const double step = 1e-6;
  for (int kind = 0; kind < 4; ++kind) {
    const bool bounds = kind % 2, impossible = kind / 2;
    fixture f = fitted("gp-ei", bounds ? "bounds" : "probability", impossible ? 2 : 0);
    gannet_moments_score s;
    double x[2 * M], gradient[2], value = 0, scores[M];
    random_points(x);
    prepare(&f, &s);
    assert_int_equal(s.feasible_known, !impossible);
    s.outside = impossible;
    assert_int_equal(gannet_moments_score_n_bounds(&s), bounds && !impossible ? 2 : 0);
    assert_ok(gannet_moments_score_points(&s, M, x, 0, scores, M));
    for (int i = 0; i < M; ++i) {
      double *at = x + 2 * i;
      assert_ok(gannet_moments_score_merit(&s, 0, at, &value, gradient));
      if (!bounds) assert_near((value + scores[i]) / (1 + fabs(value)), 0, 1e-7);
      assert_slopes(gannet_moments_score_merit, &s, 2, at, step, value, gradient);
    }
    gannet_moments_score_release(&s);
    drop(&f);
  }
}

/* Conditions of the polish: their signs are those that the score filters by, and their gradients
 * those of their differences, on both sides of where a bound turns. */
static void bounds_have_their_gradients(void **state) {
  (void)state;
  static const char *const rules[] = {"bounds", "inside"};
  const double step = 1e-6;
  for (int r = 0; r < 2; ++r) {
    fixture f = fitted("gp-ei", rules[r], 0);
    const gannet_history *history = f.optimizer->history;
    gannet_moments_score s;
    int turned = 0;
    prepare(&f, &s);
    for (int i = 0; i < 2 * M; ++i) {
      double at[2], value[2], high[2], low[2], gradient[4], ignored[4], score = 0;
      if (i < M) /* near an observation, where constraints are known */
        memcpy(at, gannet_history_x_unit(history, i), sizeof at);
      else
        gannet_random_uniform((gannet_stream){4, GANNET_FOR_TEST, 1, 1}, 2 * (uint64_t)i, 2, at);
      at[0] += 0.01;
      assert_ok(gannet_moments_score_bounds(&s, 0, at, value, gradient));
      assert_ok(gannet_moments_score_points(&s, 1, at, 0, &score, 1));
      assert_true((score < 0.9 * GANNET_INFEASIBLE_SCORE) == (value[0] > 0 || value[1] > 0));
      for (int k = 0; k < 2; ++k) {
        double mean = 0, sd = 0;
        assert_ok(gannet_surrogate_predict(
            gannet_models_surrogate(f.optimizer->member[0].models, k + 1), 1, at, &mean, &sd));
        turned += sd < 0.01;
      }
      for (int k = 0; k < 2; ++k) {
        at[k] += step;
        assert_ok(gannet_moments_score_bounds(&s, 0, at, high, ignored));
        at[k] -= 2 * step;
        assert_ok(gannet_moments_score_bounds(&s, 0, at, low, ignored));
        at[k] += step;
        for (int c = 0; c < 2; ++c)
          assert_near(gradient[2 * c + k], (high[c] - low[c]) / (2 * step),
                      1e-3 * (1 + fabs(gradient[2 * c + k])));
      }
    }
    assert_true(turned > 0);
    gannet_moments_score_release(&s);
    drop(&f);
  }
}

/* 36 evaluations; the best of as many random points is off by about 0.1. */
static void every_constrained_method_finds_the_constrained_minimum(void **state) {
  (void)state;
  static const char *const methods[] = {"neural-cbo", "cei", "configopt", "ucb-c", "admmbo"};
  const double target = best_of_a_grid();
  for (int i = 0; i < 5; ++i) {
    fixture f = make(methods[i], NULL);
    gannet_best best;
    double x[6];
    for (int round = 0; round < 12; ++round) round_of(f.optimizer, 0, x);
    gannet_optimizer_best(f.optimizer, &best, x);
    assert_true(best.feasible);
    if (!(best.objective < target + 0.02))
      fail_msg("%s: %g, best %g", methods[i], best.objective, target);
    drop(&f);
  }
}

/* The disk is empty: points gather where it is violated least, in its centre, whatever the
 * objective there; the probability of feasibility is less strict about it than bounds are. */
static void without_a_feasible_point_the_violation_is_minimised(void **state) {
  (void)state;
  static const char *const methods[] = {"neural-cbo", "configopt", "cei"};
  static const double within[] = {0.1, 0.1, 0.3};
  for (int i = 0; i < 3; ++i) {
    fixture f = make(methods[i], NULL);
    gannet_best best;
    double x[6];
    for (int round = 0; round < 12; ++round) round_of(f.optimizer, 2, x);
    gannet_optimizer_best(f.optimizer, &best, x);
    assert_true(best.id >= 0 && !best.feasible);
    const double off = hypot(x[0], x[1]);
    if (!(off < within[i])) fail_msg("%s: least violation at %g", methods[i], off);
    drop(&f);
  }
}

static void rules_that_do_not_fit_the_acquisition_are_refused(void **state) {
  (void)state;
  const gannet_method_setting settings[][2] = {
      {{"acquisition.type", "thompson"}, {"acquisition.constraints", "bounds"}},
      {{"acquisition.type", "log-ei"}, {"acquisition.constraints", "draws"}},
      {{"acquisition.type", "log-ei"}, {"acquisition.constraints", "bound"}}};
  const char *const says[] = {"'bounds' does not go with acquisition 'thompson', expected draws",
                              "'draws' does not go with acquisition 'log-ei', expected probability",
                              "did you mean 'bounds'"};
  fixture f = {0};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 1, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  for (int i = 0; i < 3; ++i)
    assert_fails(GANNET_ERR_INPUT, says[i],
                 gannet_optimizer_create(f.context, f.problem, 2, settings[i], &f.optimizer));
  drop(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scores_follow_their_rule),
      cmocka_unit_test(merits_have_their_gradients),
      cmocka_unit_test(bounds_have_their_gradients),
      cmocka_unit_test(every_constrained_method_finds_the_constrained_minimum),
      cmocka_unit_test(without_a_feasible_point_the_violation_is_minimised),
      cmocka_unit_test(rules_that_do_not_fit_the_acquisition_are_refused),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
