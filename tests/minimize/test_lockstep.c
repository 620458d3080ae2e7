/* test: serial labels unit */
/* Searches in step against the same ones alone; errors of either side end all of them. */
#include <math.h>

#include "support/harness.h"

#include <petscsys.h>

#include "minimize/lockstep.h"
#include "minimize/minimize.h"

enum { MOST = GANNET_LOCKSTEP_MOST, N = 3 };

typedef struct {
  double x[N], value, gradient[N]; /* asked for, and answered */
  double best[N];
  int asked;
  gannet_lockstep *lockstep;
  int slot;
} searcher;

typedef struct {
  searcher of[MOST];
  int answers, most; /* times that was answered, and points at once */
  int fail_at;       /* number of the answer that fails, -1 = none */
  int give_up;       /* slot whose search fails after its third answer, -1 = none */
} meeting;

/* Rosenbrock's valley, another for every slot. */
static void valley(int slot, const double *x, double *value, double *gradient) {
  const double steep = 1 + 3 * slot;
  *value = 0;
  for (int k = 0; k < N; ++k) gradient[k] = 0;
  for (int k = 0; k + 1 < N; ++k) {
    const double bend = x[k + 1] - x[k] * x[k], gap = 1 - x[k];
    *value += steep * bend * bend + gap * gap;
    gradient[k] += -4 * steep * bend * x[k] - 2 * gap;
    gradient[k + 1] += 2 * steep * bend;
  }
}

static gannet_err answer(void *user, int n, const int *slots) {
  meeting *m = user;
  GANNET_REQUIRE(m->answers++ != m->fail_at, GANNET_ERR_IO, "no answer");
  m->most = n > m->most ? n : m->most;
  for (int i = 0; i < n; ++i) {
    searcher *s = &m->of[slots[i]];
    if (i > 0) assert_true(slots[i] > slots[i - 1]);
    valley(slots[i], s->x, &s->value, s->gradient);
  }
  return GANNET_OK;
}

static gannet_err value_of(void *user, int n, const double *x, double *value, double *gradient) {
  searcher *s = user;
  for (int k = 0; k < n; ++k) s->x[k] = x[k];
  GANNET_TRY(gannet_lockstep_ask(s->lockstep, s->slot));
  for (int k = 0; k < n; ++k) gradient[k] = s->gradient[k];
  *value = s->value;
  s->asked += 1;
  return GANNET_OK;
}

static void start_at(int slot, double *x) {
  for (int k = 0; k < N; ++k) x[k] = -1 + 0.3 * slot + 0.1 * k;
}

static const gannet_minimize_options options = {500, 1e-9, 0};

static gannet_err search(void *user, gannet_lockstep *lockstep, int slot) {
  meeting *m = user;
  searcher *s = &m->of[slot];
  gannet_minimizer *minimizer = NULL;
  gannet_minimize_result result;
  s->lockstep = lockstep;
  s->slot = slot;
  start_at(slot, s->best);
  GANNET_TRY(gannet_minimizer_create(N, NULL, NULL, &options, true, &minimizer));
  gannet_err err = gannet_minimizer_run(minimizer, s->best, value_of, s, &result);
  gannet_minimizer_destroy(&minimizer);
  if (err == GANNET_OK && slot == m->give_up) err = GANNET_RAISE(GANNET_ERR_STATE, "gave up");
  return err;
}

static gannet_err alone(void *user, int n, const double *x, double *value, double *gradient) {
  (void)n;
  valley(*(const int *)user, x, value, gradient);
  return GANNET_OK;
}

/* One run after the other by the same. */
static gannet_lockstep *together;

static gannet_err run(int n, gannet_lockstep_search what, gannet_lockstep_answer by, void *user) {
  return gannet_lockstep_run(together, n, what, by, user);
}

static void searches_go_as_they_go_alone(void **state) {
  (void)state;
  for (int n = 1; n <= MOST; ++n) {
    meeting m = {.fail_at = -1, .give_up = -1};
    int longest = 0;
    assert_ok(run(n, search, answer, &m));
    for (int slot = 0; slot < n; ++slot) {
      double x[N];
      gannet_minimize_result result;
      start_at(slot, x);
      assert_ok(gannet_minimize(N, x, NULL, NULL, alone, &slot, &options, &result));
      assert_memory_equal(m.of[slot].best, x, sizeof x);
      assert_int_equal(m.of[slot].asked, result.evaluations);
      for (int k = 0; k < N; ++k) assert_near(x[k], 1, 1e-6);
      longest = result.evaluations > longest ? result.evaluations : longest;
    }
    assert_int_equal(m.most, n);
    assert_int_equal(m.answers, longest);
  }
}

static void an_error_of_the_answer_ends_all(void **state) {
  (void)state;
  for (int n = 1; n <= MOST; n += MOST - 1) {
    meeting m = {.fail_at = 5, .give_up = -1};
    assert_fails(GANNET_ERR_IO, "no answer", run(n, search, answer, &m));
    assert_int_equal(m.answers, 6);
    for (int slot = 0; slot < n; ++slot) assert_int_equal(m.of[slot].asked, 5);
  }
}

/* The shortest search. The others are told when they ask next. */
static void an_error_of_a_search_ends_all(void **state) {
  (void)state;
  meeting all = {.fail_at = -1, .give_up = -1};
  int first = 0;
  assert_ok(run(MOST, search, answer, &all));
  for (int slot = 1; slot < MOST; ++slot)
    if (all.of[slot].asked < all.of[first].asked) first = slot;
  meeting m = {.fail_at = -1, .give_up = first};
  assert_fails(GANNET_ERR_STATE, "gave up", run(MOST, search, answer, &m));
  assert_int_equal(m.answers, all.of[first].asked);
}

static void impossible_numbers_are_refused(void **state) {
  (void)state;
  meeting m = {.fail_at = -1, .give_up = -1};
  assert_fails(GANNET_ERR_ARG, "0 searches", run(0, search, answer, &m));
  assert_fails(GANNET_ERR_ARG, "expected 1 to 8", run(MOST + 1, search, answer, &m));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(searches_go_as_they_go_alone),
      cmocka_unit_test(an_error_of_the_answer_ends_all),
      cmocka_unit_test(an_error_of_a_search_ends_all),
      cmocka_unit_test(impossible_numbers_are_refused),
  };
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  if (gannet_lockstep_create(&together)) return 1;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  gannet_lockstep_destroy(&together);
  PetscFinalize();
  return failed;
}
