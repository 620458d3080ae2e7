/* test: ranks 1 2 3 labels unit timeout 120 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "support/harness.h"

#include "optimizer/optimizer_impl.h"

/* (x - 0.3)^2 + 3 (y - 0.6)^2 in the unit square, whose second derivative by x is 2. The equation
 * says so by a function that stops working when it is told to, on one rank alone. */
enum { ROUNDS = 14, POINTS = 2 };

static int rank_of_failure = -1; /* -1 = nowhere */
static int my_rank = 0;

static int residual(const gannet_physics_input *input, gannet_physics_output *output) {
  if (my_rank == rank_of_failure) return 1;
  output->residual = input->terms[0] - 2;
  output->partials[0] = 1;
  return 0;
}

static gannet_problem *make_problem(void) {
  static const gannet_variable square[] = {
      {.name = "x", .lower = 0, .upper = 1},
      {.name = "y", .lower = 0, .upper = 1},
  };
  static const char *const by_x[] = {"x", "x"};
  static const gannet_physics_term term = {.order = 2, .derivative = by_x};
  static const gannet_physics_equation equation = {.n_terms = 1, .terms = &term, .plugin = "own"};
  const gannet_physics_spec physics = {.n_equations = 1, .equations = &equation, .points = 20};
  const gannet_problem_spec spec = {.n_variables = 2, .variables = square};
  gannet_problem *problem = NULL;
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_ok(gannet_problem_set_physics(problem, &physics));
  assert_ok(gannet_problem_set_residual(problem, 0, residual));
  return problem;
}

static void count_warnings(void *user, gannet_log_level level, int rank, const char *line) {
  (void)rank;
  if (level > GANNET_LOG_WARNING || !strstr(line, "is left out until there are")) return;
  assert_non_null(strstr(line, "the residual cannot be computed"));
  *(int *)user += 1;
}

/* A run in which the function fails from one round to another. */
typedef struct {
  MPI_Comm comm;
  const char *portfolio;
  int from, until;
  int rank;    /* where it fails */
  int restart; /* before this round; -1 = never */
} course;

typedef struct {
  gannet_problem *problem;
  gannet_context *context;
  gannet_optimizer *optimizer;
  int warnings;
} fixture;

static void begin(const course *c, fixture *f) {
  const gannet_method_setting settings[] = {{"portfolio", c->portfolio},
                                            {"search.candidates", "300"},
                                            {"initial", "4"},
                                            {"surrogate.width", "20"}};
  *f = (fixture){.problem = make_problem()};
  assert_ok(gannet_context_create(c->comm, 3, &f->context));
  gannet_context_set_log(f->context, GANNET_LOG_INFO, count_warnings, &f->warnings);
  assert_ok(gannet_optimizer_create(f->context, f->problem, 4, settings, &f->optimizer));
}

static void end(fixture *f) {
  gannet_optimizer_destroy(&f->optimizer);
  gannet_context_destroy(&f->context);
  gannet_problem_destroy(&f->problem);
}

static double value(const double *x) {
  return (x[0] - 0.3) * (x[0] - 0.3) + 3 * (x[1] - 0.6) * (x[1] - 0.6);
}

/* As a campaign does it: the history and the saved state, and nothing else. */
static void restart(const course *c, int n, const double *points, fixture *f) {
  gannet_state state = {0};
  const int warnings = f->warnings;
  assert_ok(gannet_optimizer_get_state(f->optimizer, &state));
  end(f);
  begin(c, f);
  f->warnings = warnings;
  for (int i = 0; i < n; ++i) {
    const gannet_result result = {.objective = value(points + 2 * i)};
    assert_ok(gannet_optimizer_tell_point(f->optimizer, points + 2 * i, &result, NULL));
  }
  assert_ok(gannet_optimizer_set_state(f->optimizer, &state, NULL));
  gannet_state_release(&state);
}

static bool is_out(const fixture *f, int member) {
  gannet_state state = {0};
  assert_ok(gannet_optimizer_get_state(f->optimizer, &state));
  const int64_t results = gannet_optimizer_left_out(&f->optimizer->options, &state, member);
  gannet_state_release(&state);
  return results >= 0;
}

/* points: [ROUNDS][POINTS][2]; out: [ROUNDS] whether the last member was left out after a round.
 * Returns the warnings. */
static int run(const course *c, double *points, bool *out) {
  fixture f;
  begin(c, &f);
  for (int round = 0; round < ROUNDS; ++round) {
    double *x = points + (ptrdiff_t)round * POINTS * 2;
    gannet_result results[POINTS] = {{0}};
    int64_t id[POINTS];
    if (round == c->restart) restart(c, round * POINTS, points, &f);
    rank_of_failure = round >= c->from && round < c->until ? c->rank : -1;
    assert_ok(gannet_optimizer_ask(f.optimizer, POINTS, id, x));
    for (int i = 0; i < POINTS; ++i)
      results[i] = (gannet_result){.id = id[i], .objective = value(x + (ptrdiff_t)2 * i)};
    assert_ok(gannet_optimizer_tell(f.optimizer, POINTS, results));
    out[round] = is_out(&f, f.optimizer->options.n_members - 1);
  }
  rank_of_failure = -1;
  const int warnings = f.warnings;
  end(&f);
  return warnings;
}

/* Two points per round and four of design: the first round with models is the third. The function
 * fails in the fourth, with 6 results, so the member comes back with 12. */
static const course usual = {.portfolio = "[gp-ei, quadratic, pinn-bo]", .from = 3, .until = 4};

static void the_others_go_on_and_it_comes_back(void **state) {
  (void)state;
  double points[ROUNDS * POINTS * 2];
  bool out[ROUNDS];
  int np = 1;
  course c = usual;
  assert_int_equal(MPI_Comm_size(MPI_COMM_WORLD, &np), MPI_SUCCESS);
  c.comm = MPI_COMM_WORLD;
  c.restart = -1;
  c.rank = np - 1;
  const int warnings = run(&c, points, out);
  assert_int_equal(warnings, my_rank == 0 ? 1 : 0);
  for (int round = 0; round < ROUNDS; ++round)
    assert_int_equal(out[round], round >= 3 && round < 6);
}

/* It fails again with 12 results: until there are 24. */
static void who_fails_for_good_is_tried_seldom(void **state) {
  (void)state;
  double points[ROUNDS * POINTS * 2];
  bool out[ROUNDS];
  course c = usual;
  c.comm = MPI_COMM_WORLD;
  c.restart = -1;
  c.until = 11;
  const int warnings = run(&c, points, out);
  assert_int_equal(warnings, my_rank == 0 ? 2 : 0);
  for (int round = 0; round < ROUNDS; ++round)
    assert_int_equal(out[round], round >= 3 && round < 12);
}

static void ranks_and_restarts_change_nothing(void **state) {
  (void)state;
  static double points[ROUNDS * POINTS * 2], alone[ROUNDS * POINTS * 2];
  bool out[ROUNDS];
  course c = usual;
  c.comm = MPI_COMM_WORLD;
  c.restart = -1;
  (void)run(&c, points, out);
  c.comm = MPI_COMM_SELF;
  c.rank = my_rank;
  (void)run(&c, alone, out);
  assert_memory_equal(points, alone, sizeof points);
  c.comm = MPI_COMM_WORLD;
  c.rank = 0;
  for (c.restart = 4; c.restart < 9; c.restart += 2) {
    assert_int_equal(run(&c, alone, out), my_rank == 0 ? 1 : 0); /* it is not told again */
    assert_memory_equal(points, alone, sizeof points);
  }
}

static void when_nobody_is_left_a_substitute_proposes(void **state) {
  (void)state;
  fixture f;
  double x[2 * 4];
  int64_t id[4];
  const course c = {.comm = MPI_COMM_WORLD, .portfolio = "[pinn-bo, pinn-ei]", .restart = -1};
  begin(&c, &f);
  assert_ok(gannet_optimizer_ask(f.optimizer, 4, id, x));
  for (int i = 0; i < 4; ++i) {
    const gannet_result result = {.id = id[i], .objective = value(x + (ptrdiff_t)2 * i)};
    assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
  }
  rank_of_failure = 0;
  assert_ok(gannet_optimizer_ask(f.optimizer, 4, id, x));
  assert_true(f.optimizer->substitute > 0);
  rank_of_failure = -1;
  assert_ok(gannet_optimizer_ask(f.optimizer, 4, id, x)); /* of pinn-ei, which was tried again */
  assert_int_equal(f.optimizer->substitute, 0);
  end(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_others_go_on_and_it_comes_back),
      cmocka_unit_test(who_fails_for_good_is_tried_seldom),
      cmocka_unit_test(ranks_and_restarts_change_nothing),
      cmocka_unit_test(when_nobody_is_left_a_substitute_proposes),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  if (MPI_Comm_rank(MPI_COMM_WORLD, &my_rank) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
