/* test: serial labels unit */
/* Variances that are kept from one scan to the next. */
#include "optimizer/moments_kept.h"

#include <math.h>
#include <petscsys.h>

#include "base/context.h"
#include "base/random.h"
#include "support/harness.h"

enum { D = 2, COUNT = 3 * GANNET_TILE + 5, TOLD = 20, MORE = 3, M = 40 };

typedef struct {
  gannet_context *context;
  gannet_surrogate *surrogate;
  double x[(TOLD + MORE) * D], y[TOLD + MORE], at[M * D];
} fixture;

static void start(fixture *f) {
  const gannet_surrogate_type *type = NULL;
  assert_ok(gannet_context_create(MPI_COMM_SELF, 3, &f->context));
  assert_ok(gannet_surrogate_find("gp", &type));
  assert_ok(gannet_surrogate_create(f->context, type, NULL, D, 0, &f->surrogate));
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 0, 0}, 0, (TOLD + MORE) * D, f->x);
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 0, 1}, 0, M * D, f->at);
  for (int i = 0; i < TOLD + MORE; ++i) f->y[i] = sin(5 * f->x[i * D]) + f->x[i * D + 1];
}

static void stop(fixture *f) {
  gannet_surrogate_destroy(&f->surrogate);
  gannet_context_destroy(&f->context);
}

static gannet_data first(const fixture *f, int n) {
  return (gannet_data){.n = n, .x = f->x, .y = f->y, .noise_var = 1e-4};
}

/* A scan of the M points as candidates 0 .. M-1; their variances are within some error of exact. */
static void scan(fixture *f, gannet_moments_kept *kept, double near) {
  double mean[M], variance[M], exact[M], sd[M];
  bool able = false;
  kept->rows[0] = kept->known[0];
  assert_ok(
      gannet_surrogate_moments_prepare(f->surrogate, GANNET_PRECISION_DOUBLE, kept->rows, &able));
  assert_true(able);
  assert_ok(gannet_moments_kept_estimate(kept, 0, f->surrogate, M, f->at,
                                         gannet_moments_kept_at(kept, 0, 0), mean, variance));
  assert_ok(gannet_surrogate_predict(f->surrogate, M, f->at, exact, sd));
  for (int i = 0; i < M; ++i) {
    assert_near(mean[i], exact[i], near);
    assert_near(variance[i], sd[i] * sd[i], near);
  }
}

static void a_scan_goes_on_from_the_one_before(void **state) {
  (void)state;
  fixture f;
  gannet_moments_kept kept = {.wanted = true};
  start(&f);
  const gannet_data few = first(&f, TOLD), all = first(&f, TOLD + MORE);
  assert_ok(gannet_surrogate_fit(f.surrogate, &few, false, 1));
  assert_ok(gannet_moments_kept_reserve(&kept, 1, COUNT));
  assert_false(gannet_moments_kept_any(&kept));
  scan(&f, &kept, 1e-6);
  gannet_moments_kept_settle(&kept, true, true);
  assert_true(gannet_moments_kept_any(&kept));
  assert_int_equal(kept.known[0], TOLD);
  assert_ok(gannet_surrogate_believe(f.surrogate, &all, MORE, 1));
  scan(&f, &kept, 1e-6);
  assert_int_equal(kept.rows[0], TOLD + MORE);
  /* not from the model alone: what is kept counts */
  kept.known[0] = kept.rows[0];
  *gannet_moments_kept_at(&kept, 0, 7) += 0.25;
  double mean[M], variance[M], exact[M], sd[M];
  bool able = false;
  assert_ok(
      gannet_surrogate_moments_prepare(f.surrogate, GANNET_PRECISION_DOUBLE, kept.rows, &able));
  assert_ok(gannet_moments_kept_estimate(&kept, 0, f.surrogate, M, f.at,
                                         gannet_moments_kept_at(&kept, 0, 0), mean, variance));
  assert_ok(gannet_surrogate_predict(f.surrogate, M, f.at, exact, sd));
  assert_near(variance[7], sd[7] * sd[7] + 0.25, 1e-6);
  assert_near(variance[8], sd[8] * sd[8], 1e-6);
  gannet_moments_kept_release(&kept);
  stop(&f);
}

static void what_was_not_scanned_is_not_known(void **state) {
  (void)state;
  gannet_moments_kept kept = {.wanted = true};
  assert_ok(gannet_moments_kept_reserve(&kept, 2, COUNT));
  kept.rows[0] = kept.rows[1] = 9;
  kept.own[3] = true;
  gannet_moments_kept_settle(&kept, true, false);
  assert_int_equal(kept.known[0], 0);
  assert_int_equal(kept.known[1], 9);
  assert_true(gannet_moments_kept_any(&kept) && kept.own[3]);
  gannet_moments_kept_settle(&kept, false, true);
  assert_false(gannet_moments_kept_any(&kept) || kept.own[3]);
  gannet_moments_kept_release(&kept);
}

static void nothing_is_kept_for_one_point_or_too_many_candidates(void **state) {
  (void)state;
  gannet_moments_kept kept = {0};
  assert_ok(gannet_moments_kept_reserve(&kept, 1, COUNT));
  assert_null(gannet_moments_kept_at(&kept, 0, 0));
  assert_null(gannet_moments_kept_sample(&kept, 0));
  kept.wanted = true;
  assert_ok(gannet_moments_kept_reserve(&kept, 2, GANNET_MOMENTS_KEPT / 2 + 1));
  assert_int_equal(kept.count, 0);
  gannet_moments_kept_settle(&kept, true, true);
  gannet_moments_kept_forget(&kept);
  assert_false(gannet_moments_kept_any(&kept));
  gannet_moments_kept_release(&kept);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_scan_goes_on_from_the_one_before),
      cmocka_unit_test(what_was_not_scanned_is_not_known),
      cmocka_unit_test(nothing_is_kept_for_one_point_or_too_many_candidates),
  };
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  const int failed = run_serial(tests);
  PetscFinalize();
  return failed;
}
