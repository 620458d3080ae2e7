/* test: ranks 1 2 3 labels unit */
/* Designs from a list: every method proposes each of them once, and finds the best early. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "optimizer/methods.h"
#include "optimizer/optimizer.h"
#include "support/harness.h"

enum { D = 3, N = 60 };

static const gannet_variable variables[D] = {
    {.name = "x", .lower = -1, .upper = 1},
    {.name = "y", .lower = -1, .upper = 1},
    {.name = "n", .type = GANNET_VARIABLE_INTEGER, .lower = 0, .upper = 9}};

static const gannet_problem_spec spec = {
    .n_variables = D, .variables = variables, .goal = GANNET_MINIMIZE, .noise_sd = 0};

static void fill_rows(int n, double *rows) {
  gannet_random_uniform((gannet_stream){8, GANNET_FOR_TEST, 0, 0}, 0, (size_t)n * D, rows);
  for (int i = 0; i < n; ++i) {
    double *row = rows + (ptrdiff_t)i * D;
    row[0] = 2 * row[0] - 1;
    row[1] = 2 * row[1] - 1;
    row[2] = floor(10 * row[2]);
  }
}

static double objective(const double *x) {
  return (x[0] - 0.3) * (x[0] - 0.3) + 2 * (x[1] + 0.4) * (x[1] + 0.4) +
         0.02 * (x[2] - 4) * (x[2] - 4);
}

static int row_of(int n, const double *rows, const double *x) {
  for (int i = 0; i < n; ++i)
    if (memcmp(rows + (ptrdiff_t)i * D, x, D * sizeof *x) == 0) return i;
  return -1;
}

typedef struct {
  gannet_context *context;
  gannet_problem *problem;
  gannet_optimizer *optimizer;
} course;

static course begin(MPI_Comm comm, const char *method, int n, const double *rows) {
  const gannet_method_setting settings[] = {{"method", method}, {"initial", "6"}};
  course c = {0};
  assert_ok(gannet_context_create(comm, 5, &c.context));
  assert_ok(gannet_problem_create(&spec, &c.problem));
  assert_ok(gannet_problem_set_candidates(c.problem, comm, n, rows));
  assert_ok(gannet_optimizer_create(c.context, c.problem, 2, settings, &c.optimizer));
  return c;
}

static void end(course *c) {
  gannet_optimizer_destroy(&c->optimizer);
  gannet_problem_destroy(&c->problem);
  gannet_context_destroy(&c->context);
}

static void ask_and_tell(course *c, int q, double *x) {
  int64_t id[8];
  assert_ok(gannet_optimizer_ask(c->optimizer, q, id, x));
  for (int i = 0; i < q; ++i) {
    const gannet_result result = {.id = id[i], .objective = objective(x + (ptrdiff_t)i * D)};
    assert_ok(gannet_optimizer_tell(c->optimizer, 1, &result));
  }
}

/* All rows, each once, exactly as listed; then the list is used up. */
static void use_up(const char *method) {
  static double rows[N * D];
  double x[6 * D];
  int seen[N] = {0};
  int64_t id = 0;
  fill_rows(N, rows);
  course c = begin(MPI_COMM_WORLD, method, N, rows);
  for (int t = 0; t < N / 6; ++t) {
    ask_and_tell(&c, 6, x);
    for (int i = 0; i < 6; ++i) {
      const int row = row_of(N, rows, x + (ptrdiff_t)i * D);
      if (row < 0) fail_msg("%s: a point that is not listed", method);
      if (seen[row]++) fail_msg("%s: row %d again", method, row);
    }
  }
  assert_fails(GANNET_ERR_STATE, "0 listed candidates",
               gannet_optimizer_ask(c.optimizer, 1, &id, x));
  end(&c);
}

static void each_row_is_proposed_once(void **state) {
  static const char *const methods[] = {"auto",  "gp-ei", "gp-ts", "neural-bo-pointwise",
                                        "sobol", "random"};
  (void)state;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) use_up(methods[i]);
}

/* 2 000 rows, 36 evaluations: the best few of them are found, where random finds the best 4 per
 * thousand with a probability of 13 %. */
static void good_rows_are_found_early(void **state) {
  enum { MANY = 2000 };
  static double rows[MANY * D];
  double x[6 * D], best = INFINITY;
  (void)state;
  fill_rows(MANY, rows);
  course c = begin(MPI_COMM_WORLD, "gp-ei", MANY, rows);
  for (int t = 0; t < 6; ++t) {
    ask_and_tell(&c, 6, x);
    for (int i = 0; i < 6; ++i) best = fmin(best, objective(x + (ptrdiff_t)i * D));
  }
  int better = 0;
  for (int i = 0; i < MANY; ++i) better += objective(rows + (ptrdiff_t)i * D) < best;
  if (better >= 8) fail_msg("%d rows of %d are better than the best found", better, MANY);
  end(&c);
}

/* The new list would be longer than what the optimiser remembers of the old one, and its rows are
 * other designs. One optimiser of one rank is enough. */
static void a_list_stays_while_an_optimiser_works(void **state) {
  static double rows[N * D];
  const gannet_method_setting settings[] = {{"method", "gp-ei"}, {"initial", "6"}};
  gannet_context *alone = NULL;
  double x[6 * D];
  int rank = 0;
  (void)state;
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fill_rows(N, rows);
  course c = begin(MPI_COMM_WORLD, "gp-ei", 12, rows);
  ask_and_tell(&c, 6, x);
  assert_fails(GANNET_ERR_STATE, "candidates cannot be set while an optimiser works",
               gannet_problem_set_candidates(c.problem, MPI_COMM_WORLD, N, rows));
  ask_and_tell(&c, 6, x);
  for (int i = 0; i < 6; ++i) assert_true(row_of(12, rows, x + (ptrdiff_t)i * D) >= 0);
  gannet_optimizer_destroy(&c.optimizer);
  assert_ok(gannet_context_create(MPI_COMM_SELF, 1, &alone));
  if (rank == 0) assert_ok(gannet_optimizer_create(alone, c.problem, 2, settings, &c.optimizer));
  assert_fails(GANNET_ERR_STATE, "(now 1)",
               gannet_problem_set_candidates(c.problem, MPI_COMM_WORLD, N, rows));
  gannet_optimizer_destroy(&c.optimizer);
  gannet_context_destroy(&alone);
  assert_ok(gannet_problem_set_candidates(c.problem, MPI_COMM_WORLD, N, rows));
  assert_ok(gannet_optimizer_create(c.context, c.problem, 2, settings, &c.optimizer));
  for (int t = 0; t < N / 6; ++t) ask_and_tell(&c, 6, x);
  end(&c);
}

static void ranks_do_not_matter(void **state) {
  static double rows[N * D];
  double together[4 * D], alone[4 * D];
  (void)state;
  fill_rows(N, rows);
  course all = begin(MPI_COMM_WORLD, "auto", N, rows), one = begin(MPI_COMM_SELF, "auto", N, rows);
  for (int t = 0; t < 5; ++t) {
    ask_and_tell(&all, 4, together);
    ask_and_tell(&one, 4, alone);
    assert_memory_equal(together, alone, sizeof together);
  }
  end(&one);
  end(&all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_row_is_proposed_once),
      cmocka_unit_test(good_rows_are_found_early),
      cmocka_unit_test(a_list_stays_while_an_optimiser_works),
      cmocka_unit_test(ranks_do_not_matter),
  };
  (void)MPI_Init(NULL, NULL);
  const int failed = run_ranks(tests);
  (void)MPI_Finalize();
  return failed;
}
