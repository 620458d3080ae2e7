/* test: ranks 1 2 3 labels unit */
/* A minimisation on which all ranks work has the bits of one rank, and fails on all ranks alike. */
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <string.h>

#include "support/harness.h"

#include "surrogate/joint.h"

enum { N = 3, PARTS = 5 };

typedef struct {
  int rank;     /* of this process */
  int prepared; /* calls */
  int fail_at;  /* of prepare on the last rank, 0 = none */
  int worked[PARTS];
  bool hopeless; /* no value anywhere */
} sum_of_parts;

static int ranks(void) {
  int np = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  return np;
}

/* sum_k w_k (x_i - t_k)^2 + 0.1 (x_i - t_k)^4 in parts k, which cannot be summed in any order, plus
 * x_0. */
static double weight(int part) {
  return pow(10, part - 2) / 3;
}

static gannet_err prepare(void *user, const double *x, double *value) {
  sum_of_parts *s = user;
  ++s->prepared;
  GANNET_REQUIRE(s->prepared != s->fail_at || s->rank != ranks() - 1, GANNET_ERR_STATE,
                 "on purpose");
  *value = s->hopeless ? INFINITY : 0;
  for (int k = 0; k < PARTS; ++k)
    for (int i = 0; i < N; ++i) {
      const double away = x[i] - 0.1 * k;
      *value += weight(k) * away * away + 0.1 * pow(away, 4);
    }
  return GANNET_OK;
}

static void add_part(void *user, const double *x, int part, double *gradient) {
  sum_of_parts *s = user;
  ++s->worked[part];
  for (int i = 0; i < N; ++i) {
    const double away = x[i] - 0.1 * part;
    gradient[i] = 2 * weight(part) * away + 0.4 * pow(away, 3);
  }
}

static void finish(void *user, const double *x, double *value, double *gradient) {
  (void)user;
  *value += x[0];
  gradient[0] += 1;
}

static const double start[N] = {0.9, -0.7, 0.2}, lower[N] = {-1, -1, -1}, upper[N] = {1, 1, 0.3};

static gannet_joint make(sum_of_parts *user) {
  MPI_Comm_rank(MPI_COMM_WORLD, &user->rank);
  return (gannet_joint){N,       PARTS,    start,  lower, upper,
                        prepare, add_part, finish, user,  {200, 1e-9, 0}};
}

static void run(MPI_Comm comm, sum_of_parts *user, double *best, double *value, gannet_err *err) {
  gannet_context *context = NULL;
  const gannet_joint joint = make(user);
  assert_ok(gannet_context_create(comm, 1, &context));
  *err = gannet_joint_run(context, &joint, best, value);
  gannet_context_destroy(&context);
}

static void ranks_together_find_what_one_finds(void **state) {
  (void)state;
  sum_of_parts alone = {0}, together = {0};
  double best[N], other[N], value, other_value, gradient[N];
  gannet_err err;
  int owners[PARTS];
  run(MPI_COMM_SELF, &alone, best, &value, &err);
  assert_ok(err);
  run(MPI_COMM_WORLD, &together, other, &other_value, &err);
  assert_ok(err);
  assert_memory_equal(best, other, sizeof best);
  assert_true(value == other_value);
  gannet_joint joint = make(&alone);
  assert_ok(gannet_joint_evaluate(&joint, N, best, &value, gradient));
  assert_true(value == other_value);
  assert_true(best[2] == 0.3 && gradient[2] < 0);
  for (int i = 0; i < 2; ++i) assert_near(gradient[i], 0, 1e-6);
  for (int k = 0; k < PARTS; ++k) together.worked[k] = together.worked[k] > 0;
  MPI_Allreduce(together.worked, owners, PARTS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int k = 0; k < PARTS; ++k) assert_int_equal(owners[k], 1);
}

static void an_error_of_one_rank_is_that_of_all(void **state) {
  (void)state;
  for (int at = 1; at <= 4; ++at) {
    sum_of_parts user = {.fail_at = at};
    double best[N], value;
    gannet_err err;
    run(MPI_COMM_WORLD, &user, best, &value, &err);
    assert_int_equal(err, GANNET_ERR_STATE);
    assert_non_null(strstr(gannet_error_message(), "on purpose"));
    gannet_error_clear();
  }
}

static void a_start_without_a_value_stays(void **state) {
  (void)state;
  sum_of_parts user = {.hopeless = true};
  double best[N], value;
  gannet_err err;
  run(MPI_COMM_WORLD, &user, best, &value, &err);
  assert_ok(err);
  assert_memory_equal(best, start, sizeof best);
  assert_true(value == INFINITY);
}

/* Before memory is taken for them. */
static void more_numbers_than_messages_take_are_refused(void **state) {
  (void)state;
  sum_of_parts user = {0};
  gannet_context *context = NULL;
  gannet_joint joint = make(&user);
  double best[N], value = 0;
  joint.parts = INT_MAX / N + 1;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 1, &context));
  assert_fails(GANNET_ERR_SHAPE, "parts of a gradient of 3 numbers",
               gannet_joint_run(context, &joint, best, &value));
  gannet_context_destroy(&context);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_together_find_what_one_finds),
      cmocka_unit_test(an_error_of_one_rank_is_that_of_all),
      cmocka_unit_test(a_start_without_a_value_stays),
      cmocka_unit_test(more_numbers_than_messages_take_are_refused),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  (void)MPI_Finalize();
  return failed;
}
