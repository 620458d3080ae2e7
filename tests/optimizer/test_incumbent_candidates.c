/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"
#include "support/told.h"

#include "base/random.h"
#include "optimizer/models/models_impl.h"

enum { N = 6000 };

typedef struct {
  gannet_problem *problem;
  gannet_history *history;
  double value[N], beyond[N]; /* of the constraint x <= 0 */
  int64_t id[N];
} fixture;

/* Random values; every third violates its constraint when that is constrained. */
static void make(fixture *f, int n, bool constrained) {
  static const gannet_variable line[] = {{.name = "x", .lower = 0, .upper = 1}};
  static const gannet_constraint limit[] = {{.name = "c", .lower = -INFINITY, .upper = 0}};
  const gannet_problem_spec spec = {.n_variables = 1,
                                    .variables = line,
                                    .n_constraints = constrained,
                                    .constraints = limit,
                                    .noise_sd = NAN};
  const gannet_stream stream = {5, GANNET_FOR_TEST, 0, 0};
  double *u = f->beyond;
  assert_ok(gannet_problem_create(&spec, &f->problem));
  assert_ok(gannet_history_create(f->problem, &f->history));
  gannet_random_uniform(stream, 0, N, f->value);
  gannet_random_uniform(stream, N, N, u);
  for (int i = 0; i < n; ++i) {
    f->beyond[i] = constrained && i % 3 == 0 ? u[i] : -u[i];
    assert_ok(gannet_history_propose(f->history, &f->value[i], 0, GANNET_ORIGIN_METHOD, &f->id[i]));
    assert_ok(tell_values(f->history, f->id[i], GANNET_EVAL_DONE, f->value[i],
                          constrained ? &f->beyond[i] : NULL, NULL));
  }
}

static void drop(fixture *f) {
  gannet_history_destroy(&f->history);
  gannet_problem_destroy(&f->problem);
}

static void few_all_contend(void **state) {
  (void)state;
  static fixture f;
  static int found[GANNET_INCUMBENT_CANDIDATES_ALL];
  int n = 0;
  make(&f, GANNET_INCUMBENT_CANDIDATES_ALL + 5, true);
  assert_ok(gannet_incumbent_candidates_find(f.history, GANNET_INCUMBENT_CANDIDATES_ALL, f.id, 0,
                                             &n, found));
  assert_int_equal(n, GANNET_INCUMBENT_CANDIDATES_ALL);
  for (int i = 0; i < n; ++i) assert_int_equal(found[i], i);
  assert_ok(gannet_incumbent_candidates_find(f.history, GANNET_INCUMBENT_CANDIDATES_ALL + 5, f.id,
                                             5, &n, found));
  assert_int_equal(n, GANNET_INCUMBENT_CANDIDATES_ALL);
  assert_int_equal(found[0], 5);
  assert_ok(gannet_incumbent_candidates_find(f.history, 0, f.id, 0, &n, found));
  assert_int_equal(n, 0);
  drop(&f);
}

/* How many of those from first on come before i. */
static int rank_of(const fixture *f, bool constrained, int first, int i) {
  int before = 0;
  const double mine = constrained ? fmax(f->beyond[i], 0) : 0;
  for (int j = first; j < N; ++j) {
    const double its = constrained ? fmax(f->beyond[j], 0) : 0;
    if ((mine > 0) != (its > 0)) continue;
    before += mine > 0 ? its < mine : f->value[j] < f->value[i];
  }
  return before;
}

/* Of many the best feasible ones and those that violate least. */
static void of_many_the_best_contend(void **state) {
  (void)state;
  static fixture f;
  static int found[GANNET_INCUMBENT_CANDIDATES_ALL];
  for (int constrained = 0; constrained < 2; ++constrained) {
    const int first = 100;
    int n = 0, at = 0;
    make(&f, N, constrained > 0);
    assert_ok(gannet_incumbent_candidates_find(f.history, N, f.id, first, &n, found));
    assert_int_equal(n, (1 + constrained) * GANNET_INCUMBENT_CANDIDATES_BEST);
    for (int i = first; i < N; ++i) {
      const bool contends = at < n && found[at] == i;
      assert_true(contends ==
                  (rank_of(&f, constrained > 0, first, i) < GANNET_INCUMBENT_CANDIDATES_BEST));
      at += contends;
    }
    assert_int_equal(at, n);
    drop(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(few_all_contend),
      cmocka_unit_test(of_many_the_best_contend),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
