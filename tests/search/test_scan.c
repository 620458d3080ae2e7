/* test: ranks 1 2 3 4 labels unit */
#include "search/problems.h"

#include <stdlib.h>

#include "base/context.h"
#include "search/scan.h"
#include "surrogate/surrogate.h"

enum { LISTS = 3, KEEP = 7, D = 2 };

typedef struct {
  int64_t calls;
  int64_t fail_at; /* number of the first candidate of the tile that fails, -1 = none */
} counter;

/* List 0: many ties; list 1: every score NAN but five; list 2: a smooth function. */
static gannet_err score(void *user, int m, const double *x_unit, int64_t first, double *scores,
                        int ld) {
  counter *c = user;
  c->calls += 1;
  GANNET_REQUIRE(first != c->fail_at, GANNET_ERR_NUMERIC, "tile of %lld", (long long)first);
  for (int i = 0; i < m; ++i) {
    const double *x = x_unit + i * D;
    scores[i] = floor(10 * x[0]);
    scores[ld + i] = (first + i) % 1000 == 1 ? -INFINITY : NAN;
    scores[2 * ld + i] = -pow(x[0] - 0.3, 2) - sin(50 * x[1]);
  }
  return GANNET_OK;
}

static gannet_context *context_of(MPI_Comm comm) {
  gannet_context *context = NULL;
  assert_ok(gannet_context_create(comm, 3, &context));
  return context;
}

static gannet_candidates *candidates_of(const gannet_problem *problem, int64_t n) {
  gannet_candidates *c = NULL;
  assert_ok(gannet_candidates_create(problem, &(gannet_candidates_spec){.n_global = n}, 3, 0, &c));
  return c;
}

static int compare(const void *a, const void *b) {
  const gannet_ranked *x = a, *y = b;
  if (x->score != y->score) return x->score > y->score ? -1 : 1;
  return x->index < y->index ? -1 : 1;
}

/* Everything scored and sorted. */
static void by_brute_force(const gannet_candidates *c, gannet_ranked *best) {
  const int n = (int)gannet_candidates_count(c);
  double *x = malloc((size_t)n * D * sizeof *x), *s = malloc((size_t)n * LISTS * sizeof *s);
  gannet_ranked *all = malloc((size_t)n * sizeof *all);
  counter none = {0, -1};
  gannet_candidates_tile(c, 0, n, x);
  assert_ok(score(&none, n, x, 0, s, n));
  for (int l = 0; l < LISTS; ++l) {
    int count = 0;
    for (int i = 0; i < n; ++i)
      if (!isnan(s[l * n + i])) all[count++] = (gannet_ranked){s[l * n + i], i};
    qsort(all, (size_t)count, sizeof *all, compare);
    for (int k = 0; k < KEEP; ++k)
      best[l * KEEP + k] = k < count ? all[k] : (gannet_ranked){-INFINITY, -1};
  }
  free(x), free(s), free(all);
}

static void any_number_of_ranks_gives_the_sorted_best(void **state) {
  (void)state;
  gannet_context *world = context_of(MPI_COMM_WORLD), *alone = context_of(MPI_COMM_SELF);
  gannet_problem *problem = real_problem(D);
  const int64_t sizes[] = {1, 3, 512, 513, 5000};
  for (int i = 0; i < 5; ++i) {
    gannet_candidates *c = candidates_of(problem, sizes[i]);
    gannet_ranked expected[LISTS * KEEP], best[LISTS * KEEP], own[LISTS * KEEP];
    counter calls = {0, -1}, calls_alone = {0, -1};
    by_brute_force(c, expected);
    assert_ok(gannet_scan(world, c, NULL, i % 2 == 1, LISTS, KEEP, score, &calls, best));
    assert_ok(gannet_scan(alone, c, NULL, true, LISTS, KEEP, score, &calls_alone, own));
    assert_memory_equal(best, expected, sizeof best);
    assert_memory_equal(own, expected, sizeof own);
    const int64_t tiles = (sizes[i] + GANNET_TILE - 1) / GANNET_TILE;
    int64_t all = calls.calls;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    assert_int_equal(all, tiles); /* nobody does what another one does */
    gannet_candidates_destroy(&c);
  }
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&world);
  gannet_context_destroy(&alone);
}

static void an_error_on_one_rank_reaches_all(void **state) {
  (void)state;
  gannet_context *world = context_of(MPI_COMM_WORLD);
  gannet_problem *problem = real_problem(D);
  gannet_candidates *c = candidates_of(problem, 5000);
  gannet_ranked best[LISTS * KEEP];
  counter calls = {0, 3 * GANNET_TILE};
  assert_fails(GANNET_ERR_NUMERIC, "tile of 1536",
               gannet_scan(world, c, NULL, false, LISTS, KEEP, score, &calls, best));
  assert_fails(GANNET_ERR_ARG, "keep",
               gannet_scan(world, c, NULL, false, LISTS, 257, score, &calls, best));
  assert_fails(GANNET_ERR_ARG, "n_lists",
               gannet_scan(world, c, NULL, false, 0, 1, score, &calls, best));
  gannet_candidates_destroy(&c);
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&world);
}

/* MPI without room for the types and operations of a program, on this rank. */
static bool no_types, no_operations;

int MPI_Type_commit(MPI_Datatype *type) {
  return no_types ? MPI_ERR_INTERN : PMPI_Type_commit(type);
}

int MPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *operation) {
  return no_operations ? MPI_ERR_INTERN : PMPI_Op_create(function, commutes, operation);
}

static void what_mpi_refuses_on_one_rank_reaches_all(void **state) {
  (void)state;
  gannet_context *world = context_of(MPI_COMM_WORLD);
  gannet_problem *problem = real_problem(D);
  gannet_candidates *c = candidates_of(problem, 100);
  gannet_ranked best[LISTS * KEEP];
  counter calls = {0, -1};
  int rank = 0, np = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  no_types = rank == np - 1;
  assert_fails(GANNET_ERR_MPI, "MPI_Type_commit",
               gannet_scan(world, c, NULL, false, LISTS, KEEP, score, &calls, best));
  no_types = false;
  no_operations = rank == np - 1;
  assert_fails(GANNET_ERR_MPI, "MPI_Op_create",
               gannet_scan(world, c, NULL, false, LISTS, KEEP, score, &calls, best));
  no_operations = false;
  assert_ok(gannet_scan(world, c, NULL, false, LISTS, KEEP, score, &calls, best));
  gannet_candidates_destroy(&c);
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&world);
}

/* The order of offers does not matter, and the longest lists work. */
static void offers_commute(void **state) {
  (void)state;
  enum { N = 3 * GANNET_SELECT_MAX };
  gannet_context *alone = context_of(MPI_COMM_SELF);
  double scores[N];
  gannet_ranked a[GANNET_SELECT_MAX], b[GANNET_SELECT_MAX];
  for (int i = 0; i < N; ++i) scores[i] = i % 5 ? (double)(i * 7919 % 97) : (double)NAN;
  gannet_select *forwards = NULL, *backwards = NULL;
  assert_ok(gannet_select_create(1, GANNET_SELECT_MAX, &forwards));
  assert_ok(gannet_select_create(1, GANNET_SELECT_MAX, &backwards));
  gannet_select_offer(forwards, N, 0, scores, N);
  for (int i = N - 1; i >= 0; --i) gannet_select_offer(backwards, 1, i, scores + i, 1);
  assert_ok(gannet_select_reduce(alone, forwards, a));
  assert_ok(gannet_select_reduce(alone, backwards, b));
  assert_memory_equal(a, b, sizeof a);
  for (int k = 1; k < GANNET_SELECT_MAX; ++k) assert_true(compare(&a[k - 1], &a[k]) < 0);
  gannet_select_destroy(&forwards);
  gannet_select_destroy(&backwards);
  gannet_context_destroy(&alone);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_number_of_ranks_gives_the_sorted_best),
      cmocka_unit_test(an_error_on_one_rank_reaches_all),
      cmocka_unit_test(what_mpi_refuses_on_one_rank_reaches_all),
      cmocka_unit_test(offers_commute),
  };
  MPI_Init(&argc, &argv);
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
