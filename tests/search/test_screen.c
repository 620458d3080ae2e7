/* test: ranks 1 2 3 labels unit */
#include "search/problems.h"

#include <stdlib.h>

#include "base/context.h"
#include "base/random.h"
#include "search/screen.h"
#include "surrogate/surrogate.h"

enum { LISTS = 3, KEEP = 7, D = 2 };

typedef struct {
  double margin;       /* half the width of the bounds */
  double error;        /* largest distance between the middle and the score, below margin */
  bool flat;           /* list 1 is constant but for the margin */
  bool blind;          /* list 2 gets finite bounds where it is NAN */
  int unknown;         /* every so many candidates have no bounds; 0 = none */
  const double *fails; /* a point that the scorer fails for; NULL = none */
  int tighter;         /* times that margin and error can become a thousandth */
  int group; /* scores differ, by less than the margin, where a group has fewer candidates */
  int64_t scored, bounded;
} fixture;

/* List 0 is smooth, list 1 has many ties or is nearly flat, list 2 is NAN where x[0] > 0. */
static gannet_err score(void *user, int m, const double *x_unit, int64_t first, double *scores,
                        int ld) {
  fixture *f = user;
  (void)first;
  for (int i = 0; f->fails && i < m; ++i)
    GANNET_REQUIRE(memcmp(x_unit + i * D, f->fails, D * sizeof *x_unit) != 0, GANNET_ERR_NUMERIC,
                   "no scores today");
  f->scored += m;
  for (int i = 0; i < m; ++i) {
    const double *x = x_unit + i * D;
    const bool short_of = f->group > 0 && i >= m - m % f->group;
    scores[i] = -pow(x[0] - 0.3, 2) - sin(50 * x[1]) + (short_of ? 1e-9 * (m % f->group) : 0);
    scores[ld + i] = f->flat ? 1e-3 * f->margin * x[0] : floor(400 * x[0]);
    scores[2 * ld + i] = x[0] > 0.5 ? (double)NAN : 1e6 * x[1];
  }
  return GANNET_OK;
}

/* The score off by something that looks random, with a margin around it. */
static gannet_err bound(void *user, int m, const double *x_unit, int64_t first, double *lower,
                        double *upper, int ld) {
  fixture *f = user;
  (void)first;
  const fixture before = *f;
  f->fails = NULL;
  GANNET_TRY(score(user, m, x_unit, 0, lower, ld));
  f->fails = before.fails;
  f->scored = before.scored;
  f->bounded += m;
  for (int l = 0; l < LISTS; ++l)
    for (int i = 0; i < m; ++i) {
      const double middle = lower[l * ld + i] + f->error * sin(1e9 * x_unit[i * D] + l);
      lower[l * ld + i] = isnan(middle) ? (f->blind ? 2e6 : -INFINITY) : middle - f->margin;
      upper[l * ld + i] = isnan(middle) ? (f->blind ? 2e6 : 0) : middle + f->margin;
      if (f->unknown == 0 || (int)(1e6 * x_unit[i * D]) % f->unknown != 0) continue;
      lower[l * ld + i] = -INFINITY;
      upper[l * ld + i] = INFINITY;
    }
  return GANNET_OK;
}

static gannet_err tighten(void *user, bool *again) {
  fixture *f = user;
  *again = f->tighter > 0;
  f->tighter -= 1;
  f->margin *= 1e-3;
  f->error *= 1e-3;
  return GANNET_OK;
}

static gannet_screen_spec spec_of(fixture *f) {
  return (gannet_screen_spec){.n_lists = LISTS,
                              .keep = KEEP,
                              .group = f->group,
                              .scorer = score,
                              .bounder = bound,
                              .tighten = f->tighter > 0 ? tighten : NULL,
                              .user = f};
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

/* Screens, and requires what the plain scan finds. */
static gannet_screen_report compare(fixture *f, int64_t n, const gannet_distinct *taken,
                                    const gannet_problem *problem) {
  gannet_context *world = context_of(MPI_COMM_WORLD);
  gannet_candidates *c = candidates_of(problem, n);
  gannet_ranked expected[LISTS * KEEP], best[LISTS * KEEP];
  gannet_screen_report report = {0};
  const gannet_screen_spec spec = spec_of(f);
  assert_ok(gannet_scan(world, c, taken, LISTS, KEEP, score, f, expected));
  f->scored = f->bounded = 0;
  assert_ok(gannet_screen(world, c, taken, &spec, best, &report));
  assert_memory_equal(best, expected, sizeof best);
  const int64_t fields[] = {report.scored, report.complete}; /* without the gap between them */
  assert_ok(gannet_same(MPI_COMM_WORLD, fields, sizeof fields, "reports"));
  gannet_candidates_destroy(&c);
  gannet_context_destroy(&world);
  return report;
}

static void the_best_are_those_of_the_scan(void **state) {
  (void)state;
  gannet_problem *problem = real_problem(D);
  const int64_t sizes[] = {1, 3, 512, 513, 5000, 20000};
  const double margins[] = {0, 1e-12, 1e-6, 1e-3, 0.1};
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 5; ++k) {
      fixture f = {.margin = margins[k], .error = 0.99 * margins[k]};
      const gannet_screen_report report = compare(&f, sizes[i], NULL, problem);
      if (sizes[i] == 20000 && margins[k] <= 1e-3) {
        assert_false(report.complete);
        assert_true(report.scored < 1000);
        assert_true(f.scored < 1000);
      }
    }
  gannet_problem_destroy(&problem);
}

static void candidates_without_bounds_are_scored(void **state) {
  (void)state;
  gannet_problem *problem = real_problem(D);
  fixture some = {.margin = 1e-6, .error = 1e-7, .unknown = 100}, all = {.unknown = 1};
  const gannet_screen_report report = compare(&some, 5000, NULL, problem);
  assert_false(report.complete);
  assert_true(report.scored > 50 && report.scored < 1000);
  assert_true(compare(&all, 5000, NULL, problem).complete);
  gannet_problem_destroy(&problem);
}

/* The best of the scan may be among the last candidates, which fill no group. */
static void groups_are_scored_as_in_the_scan(void **state) {
  (void)state;
  gannet_problem *problem = real_problem(D);
  const int64_t sizes[] = {1, 63, 513, 1025, 5000, 5001};
  for (int i = 0; i < 6; ++i) {
    fixture f = {.margin = 1e-6, .error = 1e-8, .group = 64};
    const gannet_screen_report report = compare(&f, sizes[i], NULL, problem);
    assert_false(sizes[i] >= 5000 && report.complete);
  }
  gannet_problem_destroy(&problem);
}

static void useless_bounds_are_tightened(void **state) {
  (void)state;
  gannet_problem *problem = real_problem(D);
  fixture soon = {.margin = 1e3, .error = 1e2, .tighter = 2}, never = {.margin = 1e6, .tighter = 1};
  const gannet_screen_report report = compare(&soon, 20000, NULL, problem);
  assert_false(report.complete);
  assert_true(report.scored < 1000);
  assert_int_equal(soon.tighter, 0);
  assert_true(compare(&never, 20000, NULL, problem).complete);
  assert_int_equal(never.tighter, -1);
  gannet_problem_destroy(&problem);
}

static void flat_scores_are_all_scored(void **state) {
  (void)state;
  gannet_problem *problem = real_problem(D);
  fixture f = {.margin = 1e-3, .error = 1e-4, .flat = true};
  const gannet_screen_report report = compare(&f, 20000, NULL, problem);
  assert_true(report.complete);
  assert_int_equal(report.scored, 20000);
  assert_true(f.bounded < 20000); /* it gives up early */
  gannet_problem_destroy(&problem);
}

/* The errors are larger than the margin says: some leader shows it. */
static void wrong_bounds_are_noticed(void **state) {
  (void)state;
  gannet_problem *problem = real_problem(D);
  fixture f = {.margin = 1e-4, .error = 1e-2};
  assert_true(compare(&f, 20000, NULL, problem).complete);
  gannet_problem_destroy(&problem);
}

/* What is NAN would otherwise keep the best of the others out. */
static void bounds_of_nan_are_noticed(void **state) {
  (void)state;
  gannet_problem *problem = real_problem(D);
  fixture f = {.margin = 1e-6, .error = 1e-7, .blind = true};
  assert_true(compare(&f, 600, NULL, problem).complete);
  gannet_problem_destroy(&problem);
}

static void taken_points_do_not_win(void **state) {
  (void)state;
  gannet_problem *real = real_problem(D);
  gannet_candidates *c = candidates_of(real, 2000);
  gannet_distinct *taken = NULL;
  double x[D];
  assert_ok(gannet_distinct_create(real, 400, &taken));
  for (int i = 0; i < 2000; i += 5) {
    gannet_candidates_tile(c, i, 1, x);
    gannet_distinct_add(taken, x);
  }
  fixture f = {.margin = 1e-3, .error = 1e-4};
  assert_false(compare(&f, 2000, taken, real).complete);
  gannet_distinct_destroy(&taken);
  gannet_candidates_destroy(&c);
  gannet_problem_destroy(&real);
}

static void errors_reach_all_ranks(void **state) {
  (void)state;
  gannet_context *world = context_of(MPI_COMM_WORLD);
  gannet_problem *problem = real_problem(D);
  gannet_candidates *c = candidates_of(problem, 5000);
  gannet_ranked best[LISTS * GANNET_SELECT_MAX];
  fixture f = {.margin = 1e-3};
  gannet_screen_spec spec = spec_of(&f);
  double winner[D];
  assert_ok(gannet_screen(world, c, NULL, &spec, best, NULL));
  gannet_candidates_tile(c, best[0].index, 1, winner);
  f.fails = winner; /* one rank scores it */
  assert_fails(GANNET_ERR_NUMERIC, "no scores today",
               gannet_screen(world, c, NULL, &spec, best, NULL));
  f.fails = NULL;
  assert_ok(gannet_screen(world, c, NULL, &spec, best, NULL));
  spec.keep = GANNET_SELECT_MAX + 1;
  assert_fails(GANNET_ERR_ARG, "keep", gannet_screen(world, c, NULL, &spec, best, NULL));
  gannet_candidates_destroy(&c);
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&world);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_are_those_of_the_scan),
      cmocka_unit_test(candidates_without_bounds_are_scored),
      cmocka_unit_test(groups_are_scored_as_in_the_scan),
      cmocka_unit_test(useless_bounds_are_tightened),
      cmocka_unit_test(flat_scores_are_all_scored),
      cmocka_unit_test(wrong_bounds_are_noticed),
      cmocka_unit_test(bounds_of_nan_are_noticed),
      cmocka_unit_test(taken_points_do_not_win),
      cmocka_unit_test(errors_reach_all_ranks),
  };
  MPI_Init(&argc, &argv);
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
