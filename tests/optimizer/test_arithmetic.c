/* test: serial labels unit timeout 60 */
/* What a program has set for its own arithmetic concerns the library as little as its locale: the
 * points are the same, and the setting is there again afterwards. */
#define _GNU_SOURCE /* feenableexcept */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "optimizer/fixture.h"

#include "gannet/gannet.h"

enum { BATCHES = 5, Q = 4, D = 2 };

static const gannet_variable square[D] = {
    {.name = "a", .lower = 0, .upper = 3},
    {.name = "b", .lower = 1e-3, .upper = 1, .scale = GANNET_SCALE_LOG},
};

static void begin(const char *method, fixture *f) {
  static const gannet_constraint limit[] = {{"g", 0.01, 0.5}};
  const gannet_method_setting settings[] = {
      {"method", method}, {"initial", "4"}, {"search.candidates", "1000"}};
  const gannet_problem_spec spec = {.n_variables = D,
                                    .variables = square,
                                    .n_constraints = 1,
                                    .constraints = limit,
                                    .noise_sd = NAN};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 1, &f->context));
  assert_ok(gannet_problem_create(&spec, &f->problem));
  assert_ok(gannet_optimizer_create(f->context, f->problem, 3, settings, &f->optimizer));
}

/* Nothing is computed here that would be rounded. One design has no value. x: [BATCHES][Q][D] */
static void optimise(fixture *f, double *x) {
  int64_t id[Q];
  for (int t = 0; t < BATCHES; ++t, x += (ptrdiff_t)Q * D) {
    assert_ok(gannet_optimizer_ask(f->optimizer, Q, id, x));
    for (int i = 0; i < Q; ++i) {
      const double *at = x + (ptrdiff_t)D * i;
      const gannet_result result = {
          .id = id[i], .objective = id[i] == 2 ? NAN : at[0], .constraints = at + 1};
      assert_ok(gannet_optimizer_tell(f->optimizer, 1, &result));
    }
  }
}

static void run(const char *method, double *x, gannet_recommendation *recommendation) {
  fixture f = {0};
  begin(method, &f);
  optimise(&f, x);
  assert_ok(gannet_optimizer_recommend(f.optimizer, recommendation, NULL));
  drop(&f);
}

static const char *const methods[] = {"auto", "gp-ts", "neural-bo"};
enum { METHODS = sizeof methods / sizeof *methods };

/* What is found in the arithmetic that a program begins with. */
static struct {
  double x[BATCHES * Q * D];
  gannet_recommendation best;
} plain[METHODS];

static int run_plainly(void **state) {
  (void)state;
  for (int k = 0; k < METHODS; ++k) run(methods[k], plain[k].x, &plain[k].best);
  return 0;
}

static void compare(void (*set)(void), void (*check)(void)) {
  for (int k = 0; k < METHODS; ++k) {
    const gannet_recommendation *a = &plain[k].best;
    double other[BATCHES * Q * D];
    gannet_recommendation b;
    set();
    run(methods[k], other, &b);
    check();
    (void)fesetenv(FE_DFL_ENV);
    assert_memory_equal(plain[k].x, other, sizeof other);
    assert_true(a->id == b.id && a->mean == b.mean && a->sd == b.sd);
  }
}

static const int trapped = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW;

static void set_traps(void) {
  (void)feclearexcept(FE_ALL_EXCEPT);
  assert_true(feenableexcept(trapped) >= 0);
}

/* Nor does a program hear at its end of what was invalid in here. */
static void check_traps(void) {
  assert_int_equal(fegetexcept(), trapped);
  assert_int_equal(fetestexcept(trapped), 0);
}

static void traps_do_not_matter(void **state) {
  (void)state;
  compare(set_traps, check_traps);
}

static void round_up(void) {
  assert_int_equal(fesetround(FE_UPWARD), 0);
}

static void check_rounding(void) {
  assert_int_equal(fegetround(), FE_UPWARD);
}

static void rounding_does_not_matter(void **state) {
  (void)state;
  compare(round_up, check_rounding);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(traps_do_not_matter),
      cmocka_unit_test(rounding_does_not_matter),
  };
  if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return 1;
  const int failed = cmocka_run_group_tests(tests, run_plainly, NULL);
  (void)MPI_Finalize();
  return failed;
}
