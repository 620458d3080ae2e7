/* test: ranks 1 2 3 4 labels unit timeout 300 */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "optimizer/fixture.h"
#include "support/told.h"

#include "base/memory.h"

static const char *const materials[] = {"steel", "copper", "clay"};

static const gannet_variable mixed[] = {
    {.name = "x", .lower = -5, .upper = 10},
    {.name = "y", .lower = 1e-3, .upper = 10, .scale = GANNET_SCALE_LOG},
    {.name = "n", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 6},
    {.name = "vent", .type = GANNET_VARIABLE_BOOLEAN},
    {.name = "material", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 3, .values = materials},
};

static const gannet_constraint bound[] = {{"c", -INFINITY, 1}};

static const gannet_problem_spec mixed_spec = {.n_variables = 5,
                                               .variables = mixed,
                                               .n_constraints = 1,
                                               .constraints = bound,
                                               .goal = GANNET_MAXIMIZE,
                                               .noise_sd = NAN};

/* Best is 0 at x = 3, y = 0.1, n = 4, vent, copper; the constraint x <= 3.5 leaves it feasible.
 * Cannot run for clay with n = 6. */
static gannet_result mixed_value(int64_t id, const double *x, double *constraint) {
  gannet_result result = {.id = id, .constraints = constraint};
  const double a = (x[0] - 3) / 5, b = log10(x[1]) + 1, c = (x[2] - 4) / 3;
  *constraint = x[0] - 2.5;
  result.objective = -(a * a + b * b + c * c + (x[3] != 1) + 0.5 * fabs(x[4] - 1));
  if (x[4] == 2 && x[2] == 6) result.outcome = GANNET_RESULT_CANNOT_RUN;
  return result;
}

static fixture make_among(const char *candidates, MPI_Comm comm, const char *method,
                          const gannet_problem_spec *spec) {
  gannet_method_setting settings[4] = {
      {"method", method}, {"search.candidates", candidates}, {"search.starts", "2"}};
  fixture f = {0};
  assert_ok(gannet_context_create(comm, 11, &f.context));
  assert_ok(gannet_problem_create(spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, with_small_network(settings, 3), settings,
                                    &f.optimizer));
  return f;
}

static fixture make(MPI_Comm comm, const char *method, const gannet_problem_spec *spec) {
  return make_among("1500", comm, method, spec);
}

static void round_of(gannet_optimizer *optimizer, int q) {
  int64_t id[8];
  double x[8 * 5], c[8];
  gannet_result results[8];
  assert_ok(gannet_optimizer_ask(optimizer, q, id, x));
  for (int i = 0; i < q; ++i) results[i] = mixed_value(id[i], x + 5 * i, &c[i]);
  assert_ok(gannet_optimizer_tell(optimizer, q, results));
}

/* Three tiles of candidates, and two rounds with a model after the design of 14 points. */
static uint64_t digest_of_a_campaign(MPI_Comm comm, int method) {
  fixture f = make_among("1030", comm, gannet_methods[method]->name, &mixed_spec);
  for (int round = 0; round < 5; ++round) round_of(f.optimizer, 4);
  const uint64_t digest = gannet_history_digest(f.optimizer->history);
  drop(&f);
  return digest;
}

/* Each method's campaign is run by one rank alone, for some methods by this rank and for others by
 * another, and then by all ranks together: all must find the bits of the one. */
static void every_method_gives_the_same_bits_on_any_number_of_ranks(void **state) {
  enum { MOST = 100 };
  uint64_t alone[MOST] = {0};
  int rank = 0, np = 1, n = 0;
  (void)state;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  if (np == 1) skip();
  while (gannet_methods[n]) ++n;
  assert_true(n <= MOST);
  for (int i = rank; i < n; i += np) alone[i] = digest_of_a_campaign(MPI_COMM_SELF, i);
  MPI_Allreduce(MPI_IN_PLACE, alone, n, MPI_UINT64_T, MPI_BOR, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i)
    if (digest_of_a_campaign(MPI_COMM_WORLD, i) != alone[i])
      fail_msg("method %s differs between one rank and many", gannet_methods[i]->name);
}

static void copy_history(const gannet_optimizer *from, gannet_optimizer *to) {
  for (int64_t id = 0; id < gannet_history_count(from->history); ++id)
    assert_ok(gannet_history_propose(to->history, gannet_history_x_user(from->history, id),
                                     gannet_history_get(from->history, id)->batch,
                                     gannet_history_get(from->history, id)->origin, NULL));
  for (int64_t at = 0; at < gannet_history_count_told(from->history); ++at) {
    const int64_t id = gannet_history_order(from->history)[at];
    const gannet_evaluation *row = gannet_history_get(from->history, id);
    assert_ok(tell_values(to->history, id, row->status, row->objective,
                          gannet_history_constraints(from->history, id), NULL));
  }
}

static fixture make_among_few(const char *method) {
  return make_among("600", MPI_COMM_WORLD, method, &mixed_spec);
}

/* Interrupted after every round and continued from history and state alone; the last round begins
 * with what a model has learnt. On one rank and on two: any other number gives the bits of these,
 * as the test above shows. */
static void a_restored_optimizer_continues_with_the_same_bits(void **state) {
  int np = 1;
  (void)state;
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  if (np > 2) skip();
  for (int i = 0; gannet_methods[i]; ++i) {
    fixture straight = make_among_few(gannet_methods[i]->name);
    fixture broken = make_among_few(gannet_methods[i]->name);
    for (int round = 0; round < 6; ++round) {
      round_of(straight.optimizer, 3);
      round_of(broken.optimizer, 3);
      gannet_state saved = {0};
      assert_ok(gannet_optimizer_get_state(broken.optimizer, &saved));
      fixture next = make_among_few(gannet_methods[i]->name);
      copy_history(broken.optimizer, next.optimizer);
      assert_ok(gannet_optimizer_set_state(next.optimizer, &saved, NULL));
      gannet_state_release(&saved);
      drop(&broken);
      broken = next;
    }
    if (gannet_history_digest(straight.optimizer->history) !=
        gannet_history_digest(broken.optimizer->history))
      fail_msg("method %s does not continue exactly", gannet_methods[i]->name);
    drop(&straight);
    drop(&broken);
  }
}

static void models_find_the_good_region_of_a_mixed_constrained_problem(void **state) {
  (void)state;
  static const char *const methods[] = {"neural-bo", "forest-ei"};
  for (int i = 0; i < 2; ++i) {
    fixture f = make(MPI_COMM_WORLD, methods[i], &mixed_spec);
    gannet_best best;
    double x[5];
    for (int round = 0; round < 15; ++round) round_of(f.optimizer, 4);
    gannet_optimizer_best(f.optimizer, &best, x);
    assert_true(best.feasible);
    if (!(best.objective > -0.1)) /* random search reaches about -0.4 after 60 points */
      fail_msg("%s found %g", methods[i], best.objective);
    assert_int_equal(x[4], 1);
    drop(&f);
  }
}

static void pending_points_are_not_proposed_again(void **state) {
  (void)state;
  fixture f = make(MPI_COMM_WORLD, "neural-bo", &mixed_spec);
  int64_t id[8];
  double x[8 * 5];
  for (int round = 0; round < 5; ++round) round_of(f.optimizer, 4);
  for (int ask = 0; ask < 3; ++ask) assert_ok(gannet_optimizer_ask(f.optimizer, 8, id, x));
  const gannet_history *h = f.optimizer->history;
  for (int64_t i = 0; i < gannet_history_count(h); ++i)
    for (int64_t j = 0; j < i; ++j)
      assert_int_not_equal(
          0, memcmp(gannet_history_x_user(h, i), gannet_history_x_user(h, j), 5 * sizeof(double)));
  drop(&f);
}

/* A model that is sure gains nothing by believing its own mean, so its ranking stays the same. */
static void points_of_a_batch_differ_even_when_nothing_is_uncertain(void **state) {
  (void)state;
  const gannet_method_setting settings[] = {
      {"method", "gp-ucb"}, {"acquisition.exploration", "0"}, {"search.candidates", "500"}};
  fixture f = {0};
  int64_t id[4];
  double x[4 * 5];
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 11, &f.context));
  assert_ok(gannet_problem_create(&mixed_spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 3, settings, &f.optimizer));
  for (int round = 0; round < 5; ++round) round_of(f.optimizer, 4);
  assert_ok(gannet_optimizer_ask(f.optimizer, 4, id, x));
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j)
      assert_int_not_equal(0, memcmp(x + 5 * i, x + 5 * j, 5 * sizeof *x));
  drop(&f);
}

/* Many candidates are the same point here. Draws that agree on it must go on to the next best
 * points and not to random ones: 40 of 2001 points find the minimum, where 40 random ones find it
 * in 2 %. */
static void draws_that_agree_go_on_to_the_next_best_points(void **state) {
  (void)state;
  static const gannet_variable whole[] = {
      {.name = "n", .type = GANNET_VARIABLE_INTEGER, .lower = 0, .upper = 2000}};
  const gannet_problem_spec spec = {.n_variables = 1, .variables = whole, .noise_sd = NAN};
  const char *const methods[] = {"neural-bo", "gp-ei"};
  for (int m = 0; m < 2; ++m) {
    fixture f = make(MPI_COMM_WORLD, methods[m], &spec);
    gannet_best best;
    for (int round = 0; round < 10; ++round) {
      int64_t id[4];
      double x[4];
      gannet_result results[4] = {{0}};
      assert_ok(gannet_optimizer_ask(f.optimizer, 4, id, x));
      for (int i = 0; i < 4; ++i)
        results[i] =
            (gannet_result){.id = id[i], .objective = fabs(x[i] - 1234) / 100 - cos(x[i] - 1234)};
      assert_ok(gannet_optimizer_tell(f.optimizer, 4, results));
    }
    gannet_optimizer_best(f.optimizer, &best, NULL);
    assert_true(best.objective <= 0);
    drop(&f);
  }
}

static void a_discrete_problem_that_runs_out_repeats_points(void **state) {
  (void)state;
  static const gannet_variable bits[] = {{.name = "a", .type = GANNET_VARIABLE_BOOLEAN},
                                         {.name = "b", .type = GANNET_VARIABLE_BOOLEAN}};
  const gannet_problem_spec spec = {.n_variables = 2, .variables = bits, .noise_sd = NAN};
  fixture f = make(MPI_COMM_WORLD, "neural-bo", &spec);
  int seen[4] = {0};
  for (int round = 0; round < 4; ++round) {
    int64_t id[3];
    double x[6];
    gannet_result results[3] = {{0}};
    assert_ok(gannet_optimizer_ask(f.optimizer, 3, id, x));
    for (int i = 0; i < 3; ++i) {
      seen[(int)(2 * x[2 * i] + x[2 * i + 1])] += 1;
      results[i] = (gannet_result){.id = id[i], .objective = x[2 * i] - x[2 * i + 1]};
    }
    assert_ok(gannet_optimizer_tell(f.optimizer, 3, results));
    if (round == 1)
      for (int i = 0; i < 4; ++i) assert_true(seen[i] >= 1);
  }
  drop(&f);
}

/* One to eight rounds of results that a simulation may really give. */
static void strange_results_do_not_stop_the_optimizer(void **state) {
  (void)state;
  static const gannet_variable x1[] = {{.name = "x", .lower = 0, .upper = 1}};
  const gannet_problem_spec spec = {.n_variables = 1, .variables = x1, .noise_sd = NAN};
  const double kinds[6] = {0, 1e300, -1e300, 1e-300, NAN, INFINITY};
  for (int kind = 0; kind < 8; ++kind) {
    fixture f = make(MPI_COMM_WORLD, "neural-bo", &spec);
    for (int round = 0; round < 8; ++round) {
      int64_t id[2];
      double x[2];
      gannet_result results[2] = {{0}};
      assert_ok(gannet_optimizer_ask(f.optimizer, 2, id, x));
      for (int i = 0; i < 2; ++i) {
        results[i] = (gannet_result){.id = id[i], .objective = kinds[kind % 6]};
        if (kind == 1 || kind == 2) results[i].objective *= x[i]; /* huge but not constant */
        if (kind == 6) results[i].outcome = GANNET_RESULT_CANNOT_RUN;
        if (kind == 7) results[i].outcome = GANNET_RESULT_FAILED;
      }
      assert_ok(gannet_optimizer_tell(f.optimizer, 2, results));
    }
    drop(&f);
  }
}

/* More variables than a tile has room for differences. The first point with a model is polished:
 * candidates have no coordinate in common with it. */
static void functions_that_look_ahead_take_many_variables(void **state) {
  enum { MANY = 300 };
  static gannet_variable many[MANY];
  static char names[MANY][8];
  static double x[4 * MANY];
  (void)state;
  for (int k = 0; k < MANY; ++k) {
    (void)snprintf(names[k], sizeof names[k], "x%d", k);
    many[k] = (gannet_variable){.name = names[k], .lower = 0, .upper = 1};
  }
  const gannet_problem_spec spec = {.n_variables = MANY, .variables = many, .noise_sd = NAN};
  double first[2][MANY];
  for (int polished = 0; polished < 2; ++polished) {
    const gannet_method_setting settings[] = {{"method", "gp-kg"},
                                              {"initial", "4"},
                                              {"search.candidates", "100"},
                                              {"search.starts", "1"},
                                              {"search.polish", polished ? "4" : "0"}};
    fixture f = {0};
    int64_t id[4];
    assert_ok(gannet_context_create(MPI_COMM_WORLD, 11, &f.context));
    assert_ok(gannet_problem_create(&spec, &f.problem));
    assert_ok(gannet_optimizer_create(f.context, f.problem, 5, settings, &f.optimizer));
    assert_ok(gannet_optimizer_ask(f.optimizer, 4, id, x));
    for (int i = 0; i < 4; ++i) {
      gannet_result result = {.id = id[i]};
      for (int k = 0; k < MANY; ++k) result.objective += pow(x[i * MANY + k] - 0.3, 2);
      assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
    }
    assert_ok(gannet_optimizer_ask(f.optimizer, 1, id, first[polished]));
    drop(&f);
  }
  assert_true(first[0][0] != first[1][0] && first[0][MANY - 1] != first[1][MANY - 1]);
}

static void wrong_calls_are_refused_and_change_nothing(void **state) {
  (void)state;
  fixture f = make(MPI_COMM_WORLD, "sobol", &mixed_spec);
  int64_t id[2];
  double x[10], c = 0;
  assert_fails(GANNET_ERR_ARG, "q = 0", gannet_optimizer_ask(f.optimizer, 0, id, x));
  assert_ok(gannet_optimizer_ask(f.optimizer, 2, id, x));
  gannet_result results[2] = {mixed_value(id[0], x, &c), mixed_value(77, x, &c)};
  assert_fails(GANNET_ERR_ARG, "never asked", gannet_optimizer_tell(f.optimizer, 2, results));
  results[1].id = id[0];
  assert_fails(GANNET_ERR_ARG, "twice", gannet_optimizer_tell(f.optimizer, 2, results));
  assert_int_equal(gannet_history_count_told(f.optimizer->history), 0);
  assert_ok(gannet_optimizer_tell(f.optimizer, 1, results));
  assert_fails(GANNET_ERR_STATE, "already", gannet_optimizer_tell(f.optimizer, 1, results));
  x[0] = 1e12;
  assert_fails(GANNET_ERR_INPUT, "variable x",
               gannet_optimizer_tell_point(f.optimizer, x, results, NULL));
  x[0] = 3;
  assert_ok(gannet_optimizer_tell_point(f.optimizer, x, results, &id[1]));
  assert_int_equal(id[1], 2);
  drop(&f);
}

/* Both ends of acquisition.draws, also of a model whose covariance comes from its draws. */
static void any_number_of_draws_makes_a_point(void **state) {
  enum { VARIABLES = 6 };
  static const char *const methods[] = {"gp-mes", "gp-kg", "gp-es", "gp-pes", "gp-mes"};
  static const char *const draws[] = {"1", "1", "1", "1", "1000"};
  static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
  gannet_variable reals[VARIABLES];
  (void)state;
  for (int k = 0; k < VARIABLES; ++k)
    reals[k] = (gannet_variable){.name = names[k], .lower = 0, .upper = 1};
  const gannet_problem_spec spec = {.n_variables = VARIABLES, .variables = reals};
  for (int i = 0; i < 5; ++i) {
    const gannet_method_setting settings[] = {{"method", methods[i]},
                                              {"acquisition.draws", draws[i]},
                                              {"surrogate.type", i < 4 ? "forest" : "gp"},
                                              {"search.candidates", "2000"},
                                              {"search.polish", "0"}};
    fixture f = {0};
    double x[VARIABLES];
    int64_t id = -1;
    assert_ok(gannet_context_create(MPI_COMM_WORLD, 11, &f.context));
    assert_ok(gannet_problem_create(&spec, &f.problem));
    assert_ok(gannet_optimizer_create(f.context, f.problem, 5, settings, &f.optimizer));
    for (int t = 0; t < 2 * VARIABLES; ++t) {
      gannet_random_uniform((gannet_stream){5, GANNET_FOR_TEST, 0, 0}, (uint64_t)t * VARIABLES,
                            VARIABLES, x);
      const gannet_result result = {.objective = sin(40 * x[0]) + cos(30 * x[1])};
      assert_ok(gannet_optimizer_tell_point(f.optimizer, x, &result, NULL));
    }
    assert_ok(gannet_optimizer_ask(f.optimizer, 1, &id, x));
    drop(&f);
  }
}

static void wrong_settings_are_all_named(void **state) {
  (void)state;
  const gannet_method_setting settings[] = {
      {"method", "neural-bq"},          {"surrogate.type", "tangent-kernel"},
      {"search.candidates", "-3"},      {"search.candidate", "5"},
      {"surrogate.activation", "rleu"}, {"acquisition.type", "thomson"},
      {"surogate.type", "gp"}};
  const char *const says[] = {"did you mean 'neural-bo'",  "search.candidates: '-3'",
                              "did you mean 'candidates'", "surrogate.activation: 'rleu'",
                              "did you mean 'thompson'",   "unknown key 'surogate.type'"};
  fixture f = {0};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 1, &f.context));
  assert_ok(gannet_problem_create(&mixed_spec, &f.problem));
  for (int i = 0; i < 6; ++i)
    assert_fails(GANNET_ERR_INPUT, says[i],
                 gannet_optimizer_create(f.context, f.problem, 7, settings, &f.optimizer));
  assert_null(f.optimizer);
  drop(&f);
}

/* Objective and constraint may come by their names, and everything that is told is given back. */
static void what_else_is_told_is_kept(void **state) {
  (void)state;
  fixture f = make(MPI_COMM_WORLD, "sobol", &mixed_spec);
  int64_t id[2];
  double x[2 * 5];
  const double gradient[5] = {1, -2, 3, NAN, NAN};
  gannet_quantity found;
  gannet_counts counts;
  assert_ok(gannet_optimizer_ask(f.optimizer, 2, id, x));
  const gannet_quantity told[] = {
      {.name = "objective", .value = 2, .sd = 0.25, .gradient = gradient},
      {.name = "c", .value = 0.5},
      {.name = "mass", .value = 7}};
  const gannet_result result = {
      .id = id[0], .objective = NAN, .n_quantities = 3, .quantities = told};
  assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
  gannet_optimizer_count(f.optimizer, &counts);
  assert_int_equal(counts.feasible, 1);
  assert_ok(gannet_optimizer_quantity(f.optimizer, id[0], "objective", &found));
  assert_true(found.value == 2 && found.sd == 0.25);
  assert_memory_equal(found.gradient, gradient, 3 * sizeof *gradient);
  assert_ok(gannet_optimizer_quantity(f.optimizer, id[0], "c", &found));
  assert_true(found.value == 0.5 && found.sd == 0 && !found.gradient);
  assert_ok(gannet_optimizer_quantity(f.optimizer, id[0], "mass", &found));
  assert_true(found.value == 7);
  assert_ok(gannet_optimizer_quantity(f.optimizer, id[0], "lift", &found));
  assert_true(isnan(found.value));
  assert_ok(gannet_optimizer_quantity(f.optimizer, id[1], "objective", &found));
  assert_true(isnan(found.value));
  assert_fails(GANNET_ERR_ARG, "evaluation 99 was never asked for",
               gannet_optimizer_quantity(f.optimizer, 99, "mass", &found));
  drop(&f);
}

/* Nothing of what is wrong, or not the same on all ranks, is taken over. */
static void wrong_quantities_are_refused(void **state) {
  (void)state;
  fixture f = make(MPI_COMM_WORLD, "sobol", &mixed_spec);
  int64_t id = 0;
  double x[5];
  const double c = 0;
  int rank = 0, np = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  gannet_quantity one = {.name = "objective", .value = 2, .sd = -1};
  gannet_result result = {.n_quantities = 1, .quantities = &one, .constraints = &c};
  assert_ok(gannet_optimizer_ask(f.optimizer, 1, &id, x));
  assert_fails(GANNET_ERR_ARG, "quantity objective: standard deviation is -1",
               gannet_optimizer_tell(f.optimizer, 1, &result));
  one = (gannet_quantity){.name = "a b"};
  assert_fails(GANNET_ERR_ARG, "quantity 'a b': expected a name",
               gannet_optimizer_tell(f.optimizer, 1, &result));
  one = (gannet_quantity){.name = "mass"};
  result.constraints = NULL;
  assert_fails(GANNET_ERR_ARG, "expected the values of 1 constraints",
               gannet_optimizer_tell(f.optimizer, 1, &result));
  result.constraints = &c;
  one.value = rank;
  if (np > 1)
    assert_fails(GANNET_ERR_RANKS, "results that are told",
                 gannet_optimizer_tell(f.optimizer, 1, &result));
  gannet_counts counts;
  gannet_optimizer_count(f.optimizer, &counts);
  assert_int_equal(counts.pending, 1);
  drop(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_gives_the_same_bits_on_any_number_of_ranks),
      cmocka_unit_test(a_restored_optimizer_continues_with_the_same_bits),
      cmocka_unit_test(models_find_the_good_region_of_a_mixed_constrained_problem),
      cmocka_unit_test(pending_points_are_not_proposed_again),
      cmocka_unit_test(points_of_a_batch_differ_even_when_nothing_is_uncertain),
      cmocka_unit_test(draws_that_agree_go_on_to_the_next_best_points),
      cmocka_unit_test(a_discrete_problem_that_runs_out_repeats_points),
      cmocka_unit_test(strange_results_do_not_stop_the_optimizer),
      cmocka_unit_test(functions_that_look_ahead_take_many_variables),
      cmocka_unit_test(any_number_of_draws_makes_a_point),
      cmocka_unit_test(wrong_calls_are_refused_and_change_nothing),
      cmocka_unit_test(wrong_settings_are_all_named),
      cmocka_unit_test(what_else_is_told_is_kept),
      cmocka_unit_test(wrong_quantities_are_refused),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
