/* test: ranks 1 2 3 labels conform timeout 300 */
#include <mpi.h>
#include <stdio.h>

#include "surrogate/conform_estimates.h"
#include "surrogate/conform_gradients.h"
#include "surrogate/conform_learning.h"

typedef struct {
  const char *name;
  void (*run)(const conform *c);
} check;

#define CHECK(function) \
  { #function, function }
static const check checks[] = {
    CHECK(without_data_it_is_the_prior),
    CHECK(awkward_data_gives_finite_answers),
    CHECK(the_mean_follows_the_data),
    CHECK(draws_are_functions),
    CHECK(gradients_agree_with_differences),
    CHECK(gradients_do_not_depend_on_other_points),
    CHECK(shrunk_draws_are_nearer_to_the_mean),
    CHECK(fitted_means_are_near_the_means),
    CHECK(estimates_are_near_the_draws),
    CHECK(moment_estimates_are_near_the_moments),
    CHECK(upper_bounds_are_above_the_variances),
    CHECK(its_own_mean_leaves_the_mean_and_explains_more),
    CHECK(lower_is_mean_minus_sd_to_first_order),
    CHECK(draws_have_the_predicted_moments),
    CHECK(covariances_belong_to_the_moments_and_draws),
    CHECK(the_noise_is_told),
    CHECK(learning_at_once_is_learning),
    CHECK(one_bad_learner_fails_all),
    CHECK(a_resumed_surrogate_continues_exactly),
    CHECK(earlier_data_leave_no_trace),
    CHECK(bits_do_not_depend_on_the_ranks),
    CHECK(wrong_calls_are_refused),
    CHECK(one_bad_rank_fails_everywhere),
};
#undef CHECK
enum { CHECKS = sizeof checks / sizeof *checks, LARGEST_REGISTRY = 32 };

typedef struct {
  conform conform;
  const check *check;
  char name[120];
} job;

static void run_job(void **state) {
  const job *j = *state;
  j->check->run(&j->conform);
}

static int run_all(const gannet_context *world, const gannet_context *self) {
  static job jobs[LARGEST_REGISTRY * CHECKS];
  static struct CMUnitTest tests[LARGEST_REGISTRY * CHECKS];
  size_t n = 0;
  for (int t = 0; gannet_surrogate_types[t] && t < LARGEST_REGISTRY; ++t)
    for (int c = 0; c < CHECKS; ++c, ++n) {
      job *j = &jobs[n];
      j->conform = (conform){gannet_surrogate_types[t], world, self};
      j->check = &checks[c];
      (void)snprintf(j->name, sizeof j->name, "%s: %s", j->conform.type->name, j->check->name);
      tests[n] = (struct CMUnitTest){j->name, run_job, NULL, NULL, j};
    }
  return _cmocka_run_group_tests("surrogates", tests, n, NULL, NULL);
}

int main(int argc, char **argv) {
  gannet_context *world = NULL, *self = NULL;
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  int failed = 1;
  if (gannet_context_create(MPI_COMM_WORLD, 5, &world) == GANNET_OK &&
      gannet_context_create(MPI_COMM_SELF, 5, &self) == GANNET_OK)
    failed = run_ranks_(run_all(world, self));
  gannet_context_destroy(&self);
  gannet_context_destroy(&world);
  (void)MPI_Finalize();
  return failed;
}
