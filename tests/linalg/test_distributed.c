/* test: ranks 1 2 3 4 labels unit timeout 180 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/allocations.h"
#include "support/harness.h"

#include "base/memory.h"
#include "linalg/blacs.h"
#include "linalg/cholesky.h"
#include "linalg/distributed.h"

/* Entries from a formula, so that every rank can make any of them: an exponential of distances
 * between points on a line (positive definite), plus a diagonal. */
typedef struct {
  int bad;      /* row whose diagonal is spoilt, -1 = none */
  int fails_at; /* rank on which the callback fails, -1 = none */
  int rank;
  int64_t asked; /* entries asked for on this rank */
} matrix;

static double entry(const matrix *m, int i, int j) {
  if (i == j) return i == m->bad ? -1 : 1.25;
  return exp(-0.1 * abs(i - j)) * (1 + 0.1 * cos(0.3 * (i + j)) * (i % 7 == j % 7));
}

static gannet_err tile_of(void *user, int first, int rows, int from, int columns, double *k,
                          int ldk) {
  matrix *m = user;
  GANNET_REQUIRE(m->rank != m->fails_at, GANNET_ERR_IO, "no entries");
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      k[(size_t)i * (size_t)ldk + (size_t)j] = entry(m, first + i, from + j);
  m->asked += (int64_t)rows * columns;
  return GANNET_OK;
}

static gannet_err rows_of(void *user, int first, int rows, double *k, int ldk) {
  return tile_of(user, first, rows, 0, first + rows, k, ldk);
}

static matrix fresh(void) {
  matrix m = {.bad = -1, .fails_at = -1};
  MPI_Comm_rank(MPI_COMM_WORLD, &m.rank);
  return m;
}

static int ranks(void) {
  int np = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  return np;
}

static gannet_distributed *grown(const gannet_distributed_layout *layout, matrix *m, int n,
                                 int step) {
  gannet_distributed *factor = NULL;
  assert_ok(gannet_distributed_create(MPI_COMM_WORLD, layout, &factor));
  for (int at = step; at < n; at += step)
    assert_ok(gannet_distributed_extend(factor, at, tile_of, m));
  assert_ok(gannet_distributed_extend(factor, n, tile_of, m));
  assert_int_equal(gannet_distributed_size(factor), n);
  return factor;
}

/* Solutions and the diagonal of the inverse against the replicated factor. */
static void require_agreement(const gannet_distributed *factor, int n, int m) {
  gannet_cholesky *reference = NULL;
  matrix whole = fresh();
  double *b = NULL, *c = NULL;
  const size_t length = (size_t)m * (size_t)(n + 3);
  assert_ok(gannet_cholesky_create(&reference));
  assert_ok(gannet_cholesky_extend(reference, n, rows_of, &whole));
  assert_ok(gannet_alloc(length, sizeof *b, &b));
  assert_ok(gannet_alloc(length, sizeof *c, &c));
  for (size_t i = 0; i < length; ++i) b[i] = c[i] = sin(1.0 + 0.37 * (double)i);
  gannet_cholesky_solve(reference, m, b, n + 3);
  assert_ok(gannet_distributed_solve(factor, m, c, n + 3));
  for (size_t i = 0; i < length; ++i) assert_near(b[i], c[i], 1e-11); /* paddings too */
  assert_ok(gannet_same(MPI_COMM_WORLD, c, length * sizeof *c, "solutions"));
  gannet_cholesky_inverse_diagonal(reference, b);
  assert_ok(gannet_distributed_inverse_diagonal(factor, c));
  for (int i = 0; i < n; ++i) assert_near(b[i], c[i], 1e-11);
  assert_ok(gannet_same(MPI_COMM_WORLD, c, (size_t)n * sizeof *c, "diagonals"));
  gannet_free(&b);
  gannet_free(&c);
  gannet_cholesky_destroy(&reference);
}

static void it_agrees_with_the_replicated_factor(void **state) {
  (void)state;
  const int sizes[] = {1, 5, 8, 24, 203}, blocks[] = {1, 8, 16, 64};
  for (int s = 0; s < 5; ++s)
    for (int b = 0; b < 4; ++b) {
      matrix m = fresh();
      const gannet_distributed_layout layout = {.block = blocks[b], .panel = 2 * blocks[b]};
      gannet_distributed *factor = grown(&layout, &m, sizes[s], sizes[s]);
      require_agreement(factor, sizes[s], 1 + s);
      gannet_distributed_destroy(&factor);
      assert_null(factor);
    }
}

/* Every grid that fits, also those that leave ranks idle and those taller than wide. */
static void every_grid_gives_the_same_to_rounding(void **state) {
  (void)state;
  const int np = ranks();
  for (int rows = 1; rows <= np; ++rows)
    for (int columns = 1; rows * columns <= np; ++columns) {
      matrix m = fresh();
      const gannet_distributed_layout layout = {rows, columns, 8, 24};
      gannet_distributed *factor = grown(&layout, &m, 101, 101);
      require_agreement(factor, 101, 3);
      gannet_distributed_destroy(&factor);
    }
}

/* The grid that is chosen for 1 to 4 ranks: near square, with few idle ranks. */
static const int chosen[][2] = {{1, 1}, {1, 2}, {1, 3}, {2, 2}};

/* The memory of a rank and the bits of a solution depend on the layout. */
static void the_chosen_grid_is_near_square_and_idles_few(void **state) {
  (void)state;
  enum { N = 300 };
  const gannet_distributed_layout expected = {chosen[ranks() - 1][0], chosen[ranks() - 1][1],
                                              GANNET_DISTRIBUTED_BLOCK, GANNET_DISTRIBUTED_PANEL};
  double x[2][N];
  size_t bytes[2];
  for (int k = 0; k < 2; ++k) {
    matrix m = fresh();
    gannet_distributed *factor = grown(k == 0 ? NULL : &expected, &m, N, N);
    for (int i = 0; i < N; ++i) x[k][i] = cos(i);
    assert_ok(gannet_distributed_solve(factor, 1, x[k], N));
    bytes[k] = gannet_distributed_bytes(factor);
    gannet_distributed_destroy(&factor);
  }
  assert_int_equal(bytes[0], bytes[1]);
  assert_memory_equal(x[0], x[1], sizeof x[0]);
}

static void growing_in_any_steps_gives_the_same_bits(void **state) {
  (void)state;
  enum { N = 150 };
  double whole[N], parts[N];
  const int steps[] = {N, 1, 7, 32, 100};
  const gannet_distributed_layout layout = {.block = 8, .panel = 32};
  for (int s = 0; s < 5; ++s) {
    matrix m = fresh();
    gannet_distributed *factor = grown(&layout, &m, N, steps[s]);
    for (int i = 0; i < N; ++i) parts[i] = cos(i);
    assert_ok(gannet_distributed_solve(factor, 1, parts, N));
    if (s == 0) memcpy(whole, parts, sizeof whole);
    assert_memory_equal(whole, parts, sizeof whole);
    gannet_distributed_destroy(&factor);
  }
}

/* No rank computes or holds more than its share; the blocks of an edge are the slack. */
static void work_and_memory_are_shared_out(void **state) {
  (void)state;
  enum { N = 512, BLOCK = 16, PANEL = 64 };
  const int np = ranks();
  const gannet_distributed_layout layout = {.block = BLOCK, .panel = PANEL};
  matrix m = fresh();
  gannet_distributed *factor = grown(&layout, &m, N, N);
  const int *grid = chosen[np - 1];
  const double beside =
      8.0 * N * (PANEL / grid[0] + PANEL / grid[1]) + 8.0 * PANEL * (BLOCK + PANEL);
  const double share = 8.0 * N * N / np + beside, bytes = (double)gannet_distributed_bytes(factor);
  const double edge = 8.0 * N * 2 * BLOCK;
  assert_true(bytes > share - edge && bytes < share + edge);
  int64_t entries = 0;
  MPI_Allreduce(&m.asked, &entries, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  assert_int_equal(entries, N / BLOCK * (N / BLOCK + 1) / 2 * BLOCK * BLOCK);
  assert_true((double)m.asked < (double)entries / np * 1.25 + BLOCK * N);
  gannet_distributed_destroy(&factor);
}

/* A smooth kernel with little noise: condition 10^10. */
static gannet_err smooth_tile(void *user, int first, int rows, int from, int columns, double *k,
                              int ldk) {
  (void)user;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      const double far = (first + i - from - j) / 60.0;
      k[(size_t)i * (size_t)ldk + (size_t)j] = exp(-far * far) + (first + i == from + j ? 1e-8 : 0);
    }
  return GANNET_OK;
}

static gannet_err smooth_rows(void *user, int first, int rows, double *k, int ldk) {
  return smooth_tile(user, first, rows, 0, first + rows, k, ldk);
}

/* max_i |(K s - 1)_i| / sum_j |s_j|, as entries of K are at most 1. */
static double residual_of_ones(int n, const double *s) {
  double worst = 0, size = 0, row[400];
  for (int i = 0; i < n; ++i) size += fabs(s[i]);
  for (int i = 0; i < n; ++i) {
    double sum = -1;
    (void)smooth_tile(NULL, i, 1, 0, n, row, n);
    for (int j = 0; j < n; ++j) sum += row[j] * s[j];
    worst = fmax(worst, fabs(sum));
  }
  return worst / size;
}

static void an_ill_conditioned_matrix_is_solved_as_well_as_by_the_whole_factor(void **state) {
  (void)state;
  enum { N = 400 };
  const gannet_distributed_layout layout = {.block = 32, .panel = 64};
  double cut[N], whole[N];
  gannet_distributed *factor = NULL;
  gannet_cholesky *other = NULL;
  for (int i = 0; i < N; ++i) cut[i] = whole[i] = 1;
  assert_ok(gannet_distributed_create(MPI_COMM_WORLD, &layout, &factor));
  assert_ok(gannet_distributed_extend(factor, N, smooth_tile, NULL));
  assert_ok(gannet_distributed_solve(factor, 1, cut, N));
  assert_ok(gannet_cholesky_create(&other));
  assert_ok(gannet_cholesky_extend(other, N, smooth_rows, NULL));
  gannet_cholesky_solve(other, 1, whole, N);
  const double ours = residual_of_ones(N, cut), theirs = residual_of_ones(N, whole);
  if (!(ours < 4 * theirs && ours < 1e-13)) fail_msg("%g, whole %g", ours, theirs);
  gannet_distributed_destroy(&factor);
  gannet_cholesky_destroy(&other);
}

/* One rank has no memory for the larger factor; then a smaller one is asked for. */
static void memory_that_one_rank_lacks_is_told_to_all_and_not_missed_later(void **state) {
  (void)state;
  enum { FIRST = 40, REFUSED = 300, THEN = 100 };
  const gannet_distributed_layout layout = {.block = 8, .panel = 16};
  for (int failing = 1; failing <= 2; ++failing) {
    matrix m = fresh();
    gannet_distributed *factor = grown(&layout, &m, FIRST, FIRST);
    until_failure = m.rank == ranks() - 1 ? failing : 0;
    assert_fails(GANNET_ERR_MEMORY, "", gannet_distributed_extend(factor, REFUSED, tile_of, &m));
    until_failure = 0;
    assert_int_equal(gannet_distributed_size(factor), FIRST);
    assert_ok(gannet_distributed_extend(factor, THEN, tile_of, &m));
    require_agreement(factor, THEN, 2);
    gannet_distributed_destroy(&factor);
  }
}

static void an_indefinite_matrix_is_refused_with_its_row_everywhere(void **state) {
  (void)state;
  const int rows[] = {0, 5, 13, 40, 63, 99};
  const gannet_distributed_layout layout = {.block = 4, .panel = 16};
  for (int r = 0; r < 6; ++r) {
    char text[32];
    matrix m = fresh();
    gannet_distributed *factor = NULL;
    (void)snprintf(text, sizeof text, "at row %d", rows[r]);
    m.bad = rows[r];
    assert_ok(gannet_distributed_create(MPI_COMM_WORLD, &layout, &factor));
    assert_fails(GANNET_ERR_NUMERIC, text, gannet_distributed_extend(factor, 100, tile_of, &m));
    assert_int_equal(gannet_distributed_size(factor), rows[r] / 16 * 16);
    m.bad = -1;
    assert_ok(gannet_distributed_extend(factor, 100, tile_of, &m));
    require_agreement(factor, 100, 2);
    gannet_distributed_clear(factor);
    assert_ok(gannet_distributed_extend(factor, 9, tile_of, &m));
    require_agreement(factor, 9, 2);
    gannet_distributed_destroy(&factor);
  }
}

static void wrong_calls_are_refused(void **state) {
  (void)state;
  const int np = ranks();
  const gannet_distributed_layout wide = {.rows = 1, .columns = np + 1};
  const gannet_distributed_layout half = {.rows = 1};
  const gannet_distributed_layout odd = {.block = 10, .panel = 25};
  const gannet_distributed_layout negative = {.block = -1};
  gannet_distributed *factor = NULL;
  matrix m = fresh();
  assert_fails(GANNET_ERR_SHAPE, "but there are",
               gannet_distributed_create(MPI_COMM_WORLD, &wide, &factor));
  assert_null(factor);
  assert_fails(GANNET_ERR_SHAPE, "1 x 0",
               gannet_distributed_create(MPI_COMM_WORLD, &half, &factor));
  assert_fails(GANNET_ERR_SHAPE, "panel = 25",
               gannet_distributed_create(MPI_COMM_WORLD, &odd, &factor));
  assert_fails(GANNET_ERR_SHAPE, "block = -1",
               gannet_distributed_create(MPI_COMM_WORLD, &negative, &factor));
  const gannet_distributed_layout mine = {.block = 8 + m.rank, .panel = 8 + m.rank};
  if (np > 1)
    assert_fails(GANNET_ERR_RANKS, "layout",
                 gannet_distributed_create(MPI_COMM_WORLD, &mine, &factor));
  factor = grown(NULL, &m, 20, 20);
  assert_fails(GANNET_ERR_SHAPE, "below", gannet_distributed_extend(factor, 5, tile_of, &m));
  assert_fails(GANNET_ERR_SHAPE, "2^31", gannet_distributed_extend(factor, 500000, tile_of, &m));
  m.fails_at = np - 1;
  assert_fails(GANNET_ERR_IO, "no entries", gannet_distributed_extend(factor, 300, tile_of, &m));
  m.fails_at = -1;
  assert_ok(gannet_distributed_extend(factor, 300, tile_of, &m));
  require_agreement(factor, 300, 1);
  gannet_distributed_destroy(&factor);
  gannet_distributed_destroy(&factor);
}

static int copied(MPI_Comm comm, int key, void *balance, void *value, void *out, int *flag) {
  (void)comm, (void)key;
  *(int *)balance += 1;
  *(void **)out = value;
  *flag = 1;
  return MPI_SUCCESS;
}

static int deleted(MPI_Comm comm, int key, void *value, void *balance) {
  (void)comm, (void)key, (void)value;
  *(int *)balance -= 1;
  return MPI_SUCCESS;
}

/* An attribute that counts duplicates of its communicator, and the numbers that BLACS hands out. */
static void communicators_and_grids_are_freed(void **state) {
  (void)state;
  const gannet_distributed_layout layout = {.block = 2, .panel = 2};
  const gannet_distributed_layout wide = {.rows = 1, .columns = ranks() + 1};
  int balance = 0, key = MPI_KEYVAL_INVALID;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_keyval(copied, deleted, &key, &balance);
  MPI_Comm_set_attr(comm, key, NULL);
  const int before = Csys2blacs_handle(comm);
  Cfree_blacs_system_handle(before);
  for (int i = 0; i < 20; ++i) {
    gannet_distributed *first = NULL, *second = NULL, *refused = NULL;
    assert_ok(gannet_distributed_create(comm, &layout, &first));
    assert_ok(gannet_distributed_create(comm, NULL, &second));
    assert_fails(GANNET_ERR_SHAPE, "grid", gannet_distributed_create(comm, &wide, &refused));
    assert_int_equal(balance, 2);
    gannet_distributed_destroy(&first);
    gannet_distributed_destroy(&second);
    assert_int_equal(balance, 0);
  }
  const int after = Csys2blacs_handle(comm);
  Cfree_blacs_system_handle(after);
  assert_int_equal(before, after);
  MPI_Comm_free_keyval(&key);
  MPI_Comm_free(&comm);
}

static void without_rows_there_is_nothing_to_do(void **state) {
  (void)state;
  matrix m = fresh();
  double unused = 3;
  gannet_distributed *factor = grown(NULL, &m, 0, 1);
  assert_ok(gannet_distributed_solve(factor, 1, &unused, 1));
  assert_ok(gannet_distributed_inverse_diagonal(factor, &unused));
  assert_near(unused, 3, 0);
  gannet_distributed_destroy(&factor);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_agrees_with_the_replicated_factor),
      cmocka_unit_test(every_grid_gives_the_same_to_rounding),
      cmocka_unit_test(the_chosen_grid_is_near_square_and_idles_few),
      cmocka_unit_test(growing_in_any_steps_gives_the_same_bits),
      cmocka_unit_test(work_and_memory_are_shared_out),
      cmocka_unit_test(an_ill_conditioned_matrix_is_solved_as_well_as_by_the_whole_factor),
      cmocka_unit_test(memory_that_one_rank_lacks_is_told_to_all_and_not_missed_later),
      cmocka_unit_test(an_indefinite_matrix_is_refused_with_its_row_everywhere),
      cmocka_unit_test(wrong_calls_are_refused),
      cmocka_unit_test(communicators_and_grids_are_freed),
      cmocka_unit_test(without_rows_there_is_nothing_to_do),
  };
  MPI_Init(&argc, &argv);
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
