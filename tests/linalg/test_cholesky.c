/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "base/memory.h"
#include "base/random.h"
#include "linalg/blas.h"
#include "linalg/cholesky.h"

enum { N = 203 }; /* more than three blocks, the last one incomplete */

typedef struct {
  double *k; /* [N][N] */
  int bad;   /* row whose diagonal is spoilt, -1 = none */
} matrix;

static gannet_err rows_of(void *user, int first, int rows, double *k, int ldk) {
  const matrix *m = user;
  for (int i = 0; i < rows; ++i) {
    memcpy(k + i * ldk, m->k + (first + i) * N, (size_t)(first + i + 1) * sizeof *k);
    if (first + i == m->bad) k[i * ldk + first + i] = -1;
  }
  return GANNET_OK;
}

/* A A^T / N + I/10, A normal: well conditioned, no structure. */
static int make(void **state) {
  static matrix m;
  double *a = NULL;
  assert_ok(gannet_alloc(N * N, sizeof *a, &a));
  assert_ok(gannet_alloc(N * N, sizeof *a, &m.k));
  gannet_random_normal((gannet_stream){1, GANNET_FOR_TEST, 0, 0}, 0, N * N, a);
  gannet_gemm_nt(N, N, N, 1.0 / N, a, N, a, N, 0, m.k, N);
  for (int i = 0; i < N; ++i) m.k[i * N + i] += 0.1;
  m.bad = -1;
  gannet_free(&a);
  *state = &m;
  return 0;
}

static int drop(void **state) {
  gannet_free(&((matrix *)*state)->k);
  return 0;
}

static gannet_cholesky *factor_in_steps(matrix *m, int step) {
  gannet_cholesky *factor = NULL;
  assert_ok(gannet_cholesky_create(&factor));
  for (int n = step; n < N; n += step) assert_ok(gannet_cholesky_extend(factor, n, rows_of, m));
  assert_ok(gannet_cholesky_extend(factor, N, rows_of, m));
  return factor;
}

static void growing_in_any_steps_gives_the_same_bits(void **state) {
  double whole[N], parts[N];
  const int steps[] = {1, 7, 8, 24, 64, 100, N};
  for (size_t s = 0; s < sizeof steps / sizeof *steps; ++s) {
    gannet_cholesky *factor = factor_in_steps(*state, steps[s]);
    for (int i = 0; i < N; ++i) parts[i] = cos(i);
    gannet_cholesky_solve(factor, 1, parts, N);
    if (s == 0) memcpy(whole, parts, sizeof whole);
    assert_memory_equal(whole, parts, sizeof whole);
    gannet_cholesky_destroy(&factor);
  }
}

static void truncated_rows_leave_no_trace(void **state) {
  double whole[N], parts[N];
  const int kept[] = {0, 1, 63, 64, 65, 100, N - 1, N, N + 5};
  for (size_t s = 0; s < sizeof kept / sizeof *kept; ++s) {
    gannet_cholesky *factor = factor_in_steps(*state, 50), *fresh = NULL;
    const int n = kept[s] < N - 30 ? kept[s] + 30 : N;
    gannet_cholesky_truncate(factor, kept[s]);
    assert_true(gannet_cholesky_size(factor) <= kept[s]);
    assert_true(gannet_cholesky_size(factor) > (kept[s] < N ? kept[s] : N) - GANNET_CHOLESKY_BLOCK);
    assert_ok(gannet_cholesky_extend(factor, n, rows_of, *state));
    assert_ok(gannet_cholesky_create(&fresh));
    assert_ok(gannet_cholesky_extend(fresh, n, rows_of, *state));
    for (int i = 0; i < n; ++i) whole[i] = parts[i] = cos(i);
    gannet_cholesky_solve(factor, 1, parts, N);
    gannet_cholesky_solve(fresh, 1, whole, N);
    assert_memory_equal(whole, parts, (size_t)n * sizeof *whole);
    gannet_cholesky_destroy(&factor);
    gannet_cholesky_destroy(&fresh);
  }
}

static void assert_as_fresh(const gannet_cholesky *factor, matrix *m) {
  const int n = gannet_cholesky_size(factor);
  gannet_cholesky *fresh = NULL;
  double whole[N], parts[N];
  assert_ok(gannet_cholesky_create(&fresh));
  assert_ok(gannet_cholesky_extend(fresh, n, rows_of, m));
  for (int i = 0; i < n; ++i) whole[i] = parts[i] = cos(i);
  gannet_cholesky_solve(factor, 1, parts, N);
  gannet_cholesky_solve(fresh, 1, whole, N);
  assert_memory_equal(whole, parts, (size_t)n * sizeof *whole);
  gannet_cholesky_destroy(&fresh);
}

/* Rows that were made before are not taken for those of another matrix: one that differs in some
 * rows of the block that grows, and one that differs above it only. */
static void rows_of_another_matrix_are_made_again(void **state) {
  enum { FIRST = 180, SECOND = 190, KEPT = 150 };
  const int changed[] = {KEPT, 3};
  matrix other = {NULL, -1};
  assert_ok(gannet_alloc(N * N, sizeof *other.k, &other.k));
  for (int c = 0; c < 2; ++c) {
    gannet_cholesky *factor = NULL;
    memcpy(other.k, ((matrix *)*state)->k, N * N * sizeof *other.k);
    assert_ok(gannet_cholesky_create(&factor));
    assert_ok(gannet_cholesky_extend(factor, FIRST, rows_of, &other));
    if (c == 0) gannet_cholesky_truncate(factor, KEPT);
    if (c == 1) gannet_cholesky_clear(factor);
    for (int j = 0; c == 0 && j < 9; ++j) other.k[changed[c] * N + j] += 1e-3;
    other.k[changed[c] * N + changed[c]] += 0.1;
    assert_ok(gannet_cholesky_extend(factor, SECOND, rows_of, &other));
    assert_as_fresh(factor, &other);
    gannet_cholesky_destroy(&factor);
  }
  gannet_free(&other.k);
}

static void a_factor_larger_than_the_machine_is_refused(void **state) {
  gannet_cholesky *factor = NULL;
  assert_ok(gannet_cholesky_create(&factor));
  assert_fails(GANNET_ERR_MEMORY, "of 20000000 observations takes 1600000.0 GB",
               gannet_cholesky_extend(factor, 20000000, rows_of, *state));
  assert_int_equal(gannet_cholesky_size(factor), 0);
  gannet_cholesky_destroy(&factor);
}

static void solutions_satisfy_the_equations(void **state) {
  matrix *m = *state;
  gannet_cholesky *factor = factor_in_steps(m, 50);
  double b[3 * N], back[N];
  for (int i = 0; i < 3 * N; ++i) b[i] = sin(1.0 + i * 0.37);
  gannet_cholesky_solve(factor, 3, b, N);
  for (int r = 0; r < 3; ++r) {
    gannet_gemv_n(N, N, 1, m->k, N, b + r * N, 0, back);
    for (int i = 0; i < N; ++i) assert_near(back[i], sin(1.0 + (r * N + i) * 0.37), 1e-11);
  }
  gannet_cholesky_destroy(&factor);
}

static void solutions_do_not_depend_on_their_number(void **state) {
  enum { MANY = 41 };
  gannet_cholesky *factor = factor_in_steps(*state, 33);
  static double many[MANY * N], one[MANY * N];
  for (int i = 0; i < MANY * N; ++i) one[i] = many[i] = cos(0.1 * i);
  gannet_cholesky_solve(factor, MANY, many, N);
  for (int i = 0; i < MANY; ++i) gannet_cholesky_solve(factor, 1, one + i * N, N);
  assert_memory_equal(one, many, sizeof many);
  gannet_cholesky_destroy(&factor);
}

/* K^-1 and its diagonal against solves with unit vectors; log det against the product of the pivots
 * of an independent elimination. */
static void inverse_and_determinant_agree_with_elimination(void **state) {
  matrix *m = *state;
  gannet_cholesky *factor = factor_in_steps(m, N);
  double *inverse = NULL, *a = NULL, diagonal[N], unit[N], logdet = 0;
  assert_ok(gannet_alloc(N * N, sizeof *inverse, &inverse));
  assert_ok(gannet_alloc(N * N, sizeof *a, &a));
  gannet_cholesky_inverse(factor, inverse);
  gannet_cholesky_inverse_diagonal(factor, diagonal);
  for (int c = 0; c < N; c += 29) {
    memset(unit, 0, sizeof unit);
    unit[c] = 1;
    gannet_cholesky_solve(factor, 1, unit, N);
    for (int i = 0; i < N; ++i) assert_near(unit[i], inverse[c * N + i], 1e-10);
    assert_near(unit[c], diagonal[c], 1e-10);
  }
  assert_int_equal(gannet_cholesky_blocks(factor), 4);
  for (int block = 0; block < 4; ++block) {
    const int first = block * GANNET_CHOLESKY_BLOCK;
    for (int i = 0; i < N * N; ++i) a[i] = NAN;
    gannet_cholesky_inverse_rows(factor, block, a, N);
    for (int i = 0; i < GANNET_CHOLESKY_BLOCK && first + i < N; ++i) {
      for (int j = 0; j < first; ++j) assert_true(isnan(a[i * N + j]));
      for (int j = first; j < N; ++j)
        assert_near(a[i * N + j], inverse[(first + i) * N + j], 1e-10);
    }
  }
  memcpy(a, m->k, N * N * sizeof *a);
  for (int p = 0; p < N; ++p) {
    logdet += log(a[p * N + p]);
    for (int i = p + 1; i < N; ++i)
      for (int j = N - 1; j >= p; --j) a[i * N + j] -= a[i * N + p] / a[p * N + p] * a[p * N + j];
  }
  assert_near(gannet_cholesky_logdet(factor), logdet, 1e-9);
  gannet_free(&a);
  gannet_free(&inverse);
  gannet_cholesky_destroy(&factor);
}

static void an_indefinite_matrix_is_refused_with_its_row(void **state) {
  matrix spoilt = *(matrix *)*state;
  gannet_cholesky *factor = NULL;
  spoilt.bad = 130;
  assert_ok(gannet_cholesky_create(&factor));
  assert_fails(GANNET_ERR_NUMERIC, "row 130", gannet_cholesky_extend(factor, N, rows_of, &spoilt));
  assert_int_equal(gannet_cholesky_size(factor), 128);
  spoilt.bad = -1;
  assert_ok(gannet_cholesky_extend(factor, N, rows_of, &spoilt));
  assert_int_equal(gannet_cholesky_size(factor), N);
  assert_fails(GANNET_ERR_SHAPE, "below", gannet_cholesky_extend(factor, 5, rows_of, &spoilt));
  gannet_cholesky_destroy(&factor);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(growing_in_any_steps_gives_the_same_bits),
      cmocka_unit_test(truncated_rows_leave_no_trace),
      cmocka_unit_test(rows_of_another_matrix_are_made_again),
      cmocka_unit_test(a_factor_larger_than_the_machine_is_refused),
      cmocka_unit_test(solutions_satisfy_the_equations),
      cmocka_unit_test(solutions_do_not_depend_on_their_number),
      cmocka_unit_test(inverse_and_determinant_agree_with_elimination),
      cmocka_unit_test(an_indefinite_matrix_is_refused_with_its_row),
  };
  return cmocka_run_group_tests(tests, make, drop);
}
