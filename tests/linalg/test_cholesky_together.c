/* test: ranks 1 2 3 4 labels unit */
/* The factor that all ranks make has the bits of the one that a rank makes alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/harness.h"
#include "support/refuse.h"

#include "base/random.h"
#include "linalg/blas.h"
#include "linalg/cholesky.h"

enum { N = 330, B = GANNET_CHOLESKY_BLOCK, BLOCKS = N / B + 1 };

typedef struct {
  int bad;  /* row whose diagonal is spoilt, -1 = none */
  int fail; /* first row of the block that cannot be made, -1 = none */
  int called[BLOCKS];
} matrix;

static gannet_node *node;

static double k[N * N], alone_l[N * N], together_l[N * N];

static gannet_err rows_of(void *user, int first, int rows, double *to, int ldk) {
  matrix *m = user;
  ++m->called[first / B];
  GANNET_REQUIRE(first != m->fail, GANNET_ERR_MEMORY, "rows from %d on", first);
  for (int i = 0; i < rows; ++i) {
    memcpy(to + i * ldk, k + (first + i) * N, (size_t)(first + i + 1) * sizeof *to);
    if (first + i == m->bad) to[i * ldk + first + i] = -1;
  }
  return GANNET_OK;
}

static void make(void) {
  static double a[N * N];
  gannet_random_normal((gannet_stream){3, GANNET_FOR_TEST, 0, 8}, 0, N * N, a);
  gannet_gemm_nt(N, N, N, 1.0 / N, a, N, a, N, 0, k, N);
  for (int i = 0; i < N; ++i) k[i * N + i] += 0.1;
}

/* L^-1: what the factor does to the unit vectors. */
static void inverse_of(const gannet_cholesky *factor, int n, double *l) {
  memset(l, 0, N * N * sizeof *l);
  for (int i = 0; i < n; ++i) l[i * N + i] = 1;
  gannet_cholesky_forward(factor, n, l, N);
}

static void growing_together_gives_the_bits_of_growing_alone(void **state) {
  (void)state;
  const int steps[] = {1, 63, 64, 65, N};
  matrix m = {.bad = -1, .fail = -1}, other = m;
  gannet_cholesky *alone = NULL, *together = NULL;
  make();
  assert_ok(gannet_cholesky_create(&alone));
  assert_ok(gannet_cholesky_create_shared(node, &together));
  for (size_t s = 0; s < sizeof steps / sizeof *steps; ++s) {
    assert_ok(gannet_cholesky_extend(alone, steps[s], rows_of, &m));
    assert_ok(gannet_cholesky_extend(together, steps[s], rows_of, &other));
    assert_int_equal(gannet_cholesky_size(together), steps[s]);
    inverse_of(alone, steps[s], alone_l);
    inverse_of(together, steps[s], together_l);
    assert_memory_equal(alone_l, together_l, sizeof alone_l);
  }
  gannet_cholesky_destroy(&alone);
  gannet_cholesky_destroy(&together);
}

/* Every block of rows is made by one rank. */
static void rows_are_shared_out(void **state) {
  (void)state;
  matrix m = {.bad = -1, .fail = -1};
  gannet_cholesky *factor = NULL;
  int sum[BLOCKS];
  make();
  assert_ok(gannet_cholesky_create_shared(node, &factor));
  assert_ok(gannet_cholesky_extend(factor, N, rows_of, &m));
  MPI_Allreduce(m.called, sum, BLOCKS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < BLOCKS; ++i) assert_int_equal(sum[i], 1);
  gannet_cholesky_destroy(&factor);
}

static void errors_reach_all_ranks(void **state) {
  (void)state;
  matrix bad = {.bad = 130, .fail = -1}, fail = {.bad = -1, .fail = 2 * B}, good = {-1, -1, {0}};
  gannet_cholesky *factor = NULL;
  make();
  assert_ok(gannet_cholesky_create_shared(node, &factor));
  assert_fails(GANNET_ERR_NUMERIC, "row 130", gannet_cholesky_extend(factor, N, rows_of, &bad));
  assert_int_equal(gannet_cholesky_size(factor), 128);
  assert_fails(GANNET_ERR_MEMORY, "rows from 128",
               gannet_cholesky_extend(factor, N, rows_of, &fail));
  assert_ok(gannet_cholesky_extend(factor, N, rows_of, &good));
  assert_fails(GANNET_ERR_SHAPE, "below", gannet_cholesky_extend(factor, 5, rows_of, &good));
  gannet_cholesky_destroy(&factor);
}

/* Rows of a long factor: 2 on the diagonal, and less beside it. */
static gannet_err long_rows(void *user, int first, int rows, double *to, int ldk) {
  const int *bad = user;
  for (int i = first; i < first + rows; ++i)
    for (int j = 0; j <= i; ++j)
      to[(i - first) * ldk + j] = i == *bad ? -1 : exp(-0.3 * (i - j)) * cos(i - j) + (i == j);
  return GANNET_OK;
}

static void assert_same_solutions(gannet_cholesky *alone, gannet_cholesky *together, int m) {
  enum { LONG = GANNET_CHOLESKY_SOLVE_TOGETHER + 200, MOST = 34 };
  static double one[MOST * LONG], all[MOST * LONG];
  const int n = gannet_cholesky_size(alone);
  for (int i = 0; i < m * LONG; ++i) one[i] = all[i] = sin(0.3 * i);
  gannet_cholesky_solve(alone, m, one, LONG);
  assert_ok(gannet_cholesky_solve_together(together, m, all, LONG));
  for (int r = 0; r < m; ++r)
    assert_memory_equal(one + r * LONG, all + r * LONG, (size_t)n * sizeof *one);
}

/* Few rows at once, whose products with the others are shared, and solves that are. */
static void a_long_factor_has_the_bits_of_growing_alone(void **state) {
  (void)state;
  enum { LONG = GANNET_CHOLESKY_SOLVE_TOGETHER };
  const int steps[] = {LONG - 30, LONG, LONG + 8, LONG + 9, LONG + 50, LONG + 64, LONG + 137};
  int bad = -1;
  gannet_cholesky *alone = NULL, *together = NULL;
  assert_ok(gannet_cholesky_create(&alone));
  assert_ok(gannet_cholesky_create_shared(node, &together));
  for (size_t s = 0; s < sizeof steps / sizeof *steps; ++s) {
    assert_ok(gannet_cholesky_extend(alone, steps[s], long_rows, &bad));
    assert_ok(gannet_cholesky_extend(together, steps[s], long_rows, &bad));
    assert_same_solutions(alone, together, 1);
  }
  assert_same_solutions(alone, together, 34);
  bad = LONG + 140;
  assert_fails(GANNET_ERR_NUMERIC, "row 652",
               gannet_cholesky_extend(together, LONG + 145, long_rows, &bad));
  gannet_cholesky_destroy(&alone);
  gannet_cholesky_destroy(&together);
}

/* Whoever has the factor: of its own here. */
static void solutions_dealt_out_have_the_bits_of_one(void **state) {
  (void)state;
  enum { ROWS = 130, MOST = 70 };
  static double one[MOST * ROWS], all[MOST * ROWS];
  const int numbers[] = {0, 1, 7, 8, 9, 33, MOST};
  const int bad = -1;
  gannet_cholesky *factor = NULL;
  assert_ok(gannet_cholesky_create(&factor));
  assert_ok(gannet_cholesky_extend(factor, ROWS, long_rows, (void *)&bad));
  for (size_t s = 0; s < sizeof numbers / sizeof *numbers; ++s) {
    const int m = numbers[s];
    for (int i = 0; i < m * ROWS; ++i) one[i] = all[i] = cos(0.7 * i);
    gannet_cholesky_forward(factor, m, one, ROWS);
    assert_ok(gannet_cholesky_forward_dealt(factor, MPI_COMM_WORLD, m, all));
    assert_memory_equal(one, all, (size_t)(m * ROWS) * sizeof *one);
    gannet_cholesky_backward(factor, m, one, ROWS);
    assert_ok(gannet_cholesky_backward_dealt(factor, MPI_COMM_WORLD, m, all));
    assert_memory_equal(one, all, (size_t)(m * ROWS) * sizeof *one);
  }
  gannet_cholesky_destroy(&factor);
}

/* From the beginning, or when it grows: then what is there becomes the rank's own. */
static void without_more_shared_memory_ranks_go_on_alone(void **state) {
  (void)state;
  matrix m = {.bad = -1, .fail = -1}, other = m;
  make();
  for (int first = 0; first <= 200; first += 200) {
    gannet_cholesky *alone = NULL, *together = NULL;
    assert_ok(gannet_cholesky_create(&alone));
    assert_ok(gannet_cholesky_extend(alone, N, rows_of, &m));
    assert_ok(gannet_cholesky_create_shared(node, &together));
    if (first > 0) assert_ok(gannet_cholesky_extend(together, first, rows_of, &other));
    refuse = true;
    assert_ok(gannet_cholesky_extend(together, first + 100, rows_of, &other));
    assert_ok(gannet_cholesky_extend(together, N, rows_of, &other));
    refuse = false;
    inverse_of(alone, N, alone_l);
    inverse_of(together, N, together_l);
    assert_memory_equal(alone_l, together_l, sizeof alone_l);
    gannet_cholesky_destroy(&alone);
    gannet_cholesky_destroy(&together);
  }
}

/* Rows that are made again, some of them as before. */
static void rows_are_made_again(void **state) {
  (void)state;
  matrix m = {.bad = -1, .fail = -1}, other = m;
  gannet_cholesky *alone = NULL, *together = NULL;
  make();
  assert_ok(gannet_cholesky_create(&alone));
  assert_ok(gannet_cholesky_create_shared(node, &together));
  for (int step = 0; step < 6; ++step) {
    const int n = 210 + 7 * step;
    assert_ok(gannet_cholesky_extend(together, n, rows_of, &other));
    gannet_cholesky_truncate(together, n - 5);
    k[205 * N + 3] += 1e-3 * (step % 2); /* of a row that is kept, and changes at times */
  }
  assert_ok(gannet_cholesky_extend(together, 250, rows_of, &other));
  assert_ok(gannet_cholesky_extend(alone, 250, rows_of, &m));
  inverse_of(alone, 250, alone_l);
  inverse_of(together, 250, together_l);
  assert_memory_equal(alone_l, together_l, sizeof alone_l);
  gannet_cholesky_clear(together);
  assert_int_equal(gannet_cholesky_size(together), 0);
  assert_ok(gannet_cholesky_extend(together, 250, rows_of, &other));
  inverse_of(together, 250, together_l);
  assert_memory_equal(alone_l, together_l, sizeof alone_l);
  gannet_cholesky_destroy(&alone);
  gannet_cholesky_destroy(&together);
}

/* Made anew, each panel of K by the rank that needs it; errors of either kind reach all. */
static void a_factor_made_at_once_has_the_bits_of_growing_alone(void **state) {
  (void)state;
  matrix m = {.bad = -1, .fail = -1}, bad = {.bad = 130, .fail = -1}, fail = {-1, 160, {0}};
  gannet_cholesky *alone = NULL, *together = NULL;
  make();
  assert_ok(gannet_cholesky_create(&alone));
  assert_ok(gannet_cholesky_create_shared(node, &together));
  assert_ok(gannet_cholesky_extend(alone, N, rows_of, &m));
  inverse_of(alone, N, alone_l);
  for (int round = 0; round < 3; ++round) {
    assert_ok(gannet_cholesky_factorise(together, N, rows_of, &m));
    assert_int_equal(gannet_cholesky_size(together), N);
    inverse_of(together, N, together_l);
    assert_memory_equal(alone_l, together_l, sizeof alone_l);
    assert_fails(GANNET_ERR_NUMERIC, "row 130",
                 gannet_cholesky_factorise(together, N, rows_of, &bad));
    if (node->n == 1) fail.fail = 128; /* asked for by block rows */
    assert_fails(GANNET_ERR_MEMORY, "rows from 1",
                 gannet_cholesky_factorise(together, N, rows_of, &fail));
  }
  gannet_cholesky_destroy(&alone);
  gannet_cholesky_destroy(&together);
}

/* Of few rows the first rank makes the kernel, of many those that it falls to. */
static void errors_of_few_rows_reach_all_ranks(void **state) {
  (void)state;
  matrix bad = {.bad = 210, .fail = -1}, fail = {.bad = -1, .fail = 3 * B}, good = {-1, -1, {0}};
  gannet_cholesky *factor = NULL;
  make();
  assert_ok(gannet_cholesky_create_shared(node, &factor));
  assert_ok(gannet_cholesky_extend(factor, 200, rows_of, &good));
  assert_fails(GANNET_ERR_NUMERIC, "row 210", gannet_cholesky_extend(factor, 220, rows_of, &bad));
  assert_int_equal(gannet_cholesky_size(factor), 192);
  assert_fails(GANNET_ERR_MEMORY, "rows from 192",
               gannet_cholesky_extend(factor, 220, rows_of, &fail));
  assert_ok(gannet_cholesky_extend(factor, 220, rows_of, &good));
  assert_true(gannet_cholesky_bytes(factor) >= 220 * 110 * sizeof(double) / (size_t)node->n);
  gannet_cholesky_destroy(&factor);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(growing_together_gives_the_bits_of_growing_alone),
      cmocka_unit_test(rows_are_shared_out),
      cmocka_unit_test(errors_reach_all_ranks),
      cmocka_unit_test(a_long_factor_has_the_bits_of_growing_alone),
      cmocka_unit_test(solutions_dealt_out_have_the_bits_of_one),
      cmocka_unit_test(without_more_shared_memory_ranks_go_on_alone),
      cmocka_unit_test(rows_are_made_again),
      cmocka_unit_test(a_factor_made_at_once_has_the_bits_of_growing_alone),
      cmocka_unit_test(errors_of_few_rows_reach_all_ranks),
  };
  if (MPI_Init(&argc, &argv)) return 1;
  if (gannet_node_create(MPI_COMM_WORLD, &node) != GANNET_OK) return 1;
  const int failed = run_ranks(tests);
  gannet_node_destroy(&node);
  MPI_Finalize();
  return failed;
}
