/* test: ranks 1 2 3 labels unit */
#include "search/best_first.h"

#include <math.h>

#include "base/context.h"
#include "search/problems.h"
#include "surrogate/surrogate.h"

enum {
  KEEP = 7,
  D = 2,
  MOST = 20000,
  UNITS = (MOST + GANNET_BEST_FIRST_UNIT - 1) / GANNET_BEST_FIRST_UNIT,
  GROUP = GANNET_BEST_FIRST_GROUP
};

typedef struct {
  const gannet_candidates *candidates;
  double above;        /* how far above the scores bounds are at most */
  double below;        /* and below, which is wrong */
  int unknown;         /* every so many candidates have no bound; 0 = none */
  bool flat;           /* all scores are the same */
  const double *fails; /* a point that the scorer fails for; NULL = none */
  bool lowers;         /* bounds come down to the scores when asked to */
  int lowered;         /* how often they were */
  bool stubborn;       /* but those of the last rank */
  bool stuck;          /* not even asking for that goes well */
  bool last;           /* this is the last rank */
  bool own[UNITS];
  int n_leaders;
  int64_t leaders[GROUP];
  int64_t scored;
  int64_t noted;
} fixture;

static double value_at(const fixture *f, const double *x) {
  if (x[0] > 0.7) return NAN;
  return f->flat ? 1 : -pow(x[0] - 0.3, 2) - sin(50 * x[1]);
}

static gannet_err score(void *user, int m, const double *x_unit, int64_t first, double *scores,
                        int ld) {
  fixture *f = user;
  (void)first;
  (void)ld;
  for (int i = 0; f->fails && i < m; ++i)
    GANNET_REQUIRE(memcmp(x_unit + i * D, f->fails, D * sizeof *x_unit) != 0, GANNET_ERR_NUMERIC,
                   "no scores today");
  f->scored += m;
  for (int i = 0; i < m; ++i) scores[i] = value_at(f, x_unit + i * D);
  return GANNET_OK;
}

static gannet_err score_some(void *user, int m, const int64_t *number, const double *x_unit,
                             double *scores, int ld) {
  const fixture *f = user;
  assert_true(m <= GROUP && ld >= m);
  for (int i = 0; i < m; ++i) {
    double x[D];
    gannet_candidates_tile(f->candidates, number[i], 1, x);
    assert_memory_equal(x, x_unit + i * D, sizeof x);
  }
  for (int i = 0; i < m; ++i) scores[ld + i] = 0.5 * (double)number[i];
  return score(user, m, x_unit, -1, scores, m);
}

/* Notes of all ranks come, each with its candidate. */
static void note(void *user, int m, const int64_t *number, const double *notes, int ld) {
  fixture *f = user;
  assert_true(m <= GROUP && ld >= m);
  f->noted += m;
  for (int i = 0; i < m; ++i) assert_true(notes[i] == 0.5 * (double)number[i]);
}

static gannet_err bound(void *user, int m, int64_t first, const double *x_unit, double *bounds,
                        int ld) {
  const fixture *f = user;
  (void)ld;
  assert_null(x_unit);
  for (int i = 0; i < m; ++i) {
    double x[D];
    gannet_candidates_tile(f->candidates, first + i, 1, x);
    const double some = 0.5 + 0.5 * sin(1e9 * x[0]), value = value_at(f, x);
    bounds[i] = (isnan(value) ? -2 : value) + 1e-6 + some * f->above - f->below;
    if (f->unknown > 0 && (first + i) % f->unknown == 0) bounds[i] = i % 2 ? NAN : INFINITY;
  }
  return GANNET_OK;
}

static gannet_err lower(void *user, int n_pivots, const int64_t *pivots, int64_t n,
                        gannet_best_first_candidate *left) {
  fixture *f = user;
  f->lowered += 1;
  assert_in_range(n_pivots, 1, GANNET_BEST_FIRST_PIVOTS);
  assert_ok(
      gannet_same(MPI_COMM_WORLD, pivots, (size_t)n_pivots * sizeof *pivots, "numbers of pivots"));
  GANNET_REQUIRE(!f->stuck, GANNET_ERR_MEMORY, "no room for pivots");
  const bool lowers = f->lowers && !(f->stubborn && f->last);
  for (int64_t i = 0; i < n && lowers; ++i) {
    double x[D];
    gannet_candidates_tile(f->candidates, left[i].number, 1, x);
    const double value = value_at(f, x);
    left[i].value = fmin(left[i].value, (isnan(value) ? -2 : value) + 1e-6);
  }
  return GANNET_OK;
}

typedef struct {
  gannet_context *world;
  gannet_problem *problem;
  gannet_candidates *candidates;
} space;

static space make_space(int64_t n) {
  space s = {.problem = real_problem(D)};
  const gannet_candidates_spec spec = {.n_global = n};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &s.world));
  assert_ok(gannet_candidates_create(s.problem, &spec, 3, 0, &s.candidates));
  return s;
}

static void drop_space(space *s) {
  gannet_candidates_destroy(&s->candidates);
  gannet_problem_destroy(&s->problem);
  gannet_context_destroy(&s->world);
}

/* Units go round the ranks, backwards. */
static gannet_best_first_spec spec_of(fixture *f, const space *s) {
  f->candidates = s->candidates;
  f->last = s->world->rank == s->world->np - 1;
  for (int i = 0; i < UNITS; ++i) f->own[i] = (UNITS - i) % s->world->np == s->world->rank;
  return (gannet_best_first_spec){.n_lists = 1,
                                  .keep = KEEP,
                                  .scorer = score_some,
                                  .bounder = bound,
                                  .together = true,
                                  .open_share = 0.5,
                                  .own_units = f->own,
                                  .tightener = lower,
                                  .n_notes = 1,
                                  .noter = note,
                                  .n_leaders = &f->n_leaders,
                                  .leaders = f->leaders,
                                  .user = f};
}

/* Scans, and requires what the plain scan finds; returns how many were scored. */
static int64_t compare(fixture *f, int64_t n, const gannet_distinct *taken) {
  space s = make_space(n);
  const gannet_best_first_spec spec = spec_of(f, &s);
  gannet_ranked expected[KEEP], best[KEEP];
  int64_t scored = 0;
  assert_ok(gannet_scan(s.world, s.candidates, taken, false, 1, KEEP, score, f, expected));
  assert_ok(gannet_best_first_scan(s.world, s.candidates, taken, &spec, best, &scored));
  assert_ok(gannet_same(MPI_COMM_WORLD, &scored, sizeof scored, "counts"));
  if (scored > 0) assert_memory_equal(best, expected, sizeof best);
  drop_space(&s);
  return scored;
}

static void the_best_are_those_of_the_scan(void **state) {
  (void)state;
  const int64_t sizes[] = {1, 3, 63, 512, 513, 5000, MOST};
  const double above[] = {0, 1e-6, 1e-3, 0.1, 10};
  int np = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  for (int i = 0; i < 7; ++i)
    for (int k = 0; k < 5; ++k) {
      fixture f = {.above = above[k], .lowers = true};
      const int64_t scored = compare(&f, sizes[i], NULL);
      assert_true(scored >= (sizes[i] < KEEP ? sizes[i] : KEEP) && scored <= sizes[i]);
      if (sizes[i] == MOST) assert_true(scored <= 7 * GROUP);
    }
}

static void candidates_without_a_bound_are_scored(void **state) {
  (void)state;
  fixture f = {.unknown = 20};
  const int64_t scored = compare(&f, 5000, NULL);
  assert_true(scored >= 5000 / 20 && scored < 5000 / 10);
}

/* Bounds far above the scores are lowered; those that stay there are given up, once that is
 * known.
 */
static void high_bounds_are_lowered(void **state) {
  (void)state;
  fixture low = {.above = 10, .lowers = true}, high = {.above = 10};
  assert_true(compare(&low, MOST, NULL) > 0);
  assert_in_range(low.lowered, 1, 2);
  assert_int_equal(compare(&high, MOST, NULL), 0);
  assert_int_equal(high.lowered, 2);
}

/* What is left on one rank counts as a part of all. */
static void all_ranks_give_up_or_none(void **state) {
  (void)state;
  int np = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  fixture f = {.above = 10, .lowers = true, .stubborn = true};
  const int64_t scored = compare(&f, MOST, NULL);
  if (np == 1)
    assert_int_equal(scored, 0);
  else
    assert_true(scored > MOST / (np + 1) && scored < MOST * 2 / 3);
}

/* More are wanted than are scored at once, so that a threshold takes several groups. */
static void long_lists_are_filled(void **state) {
  (void)state;
  enum { MANY = 3 * GROUP + 1 };
  space s = make_space(MOST);
  fixture f = {.above = 10, .lowers = true};
  gannet_best_first_spec spec = spec_of(&f, &s);
  gannet_ranked expected[MANY], best[MANY];
  int64_t scored = 0;
  spec.keep = MANY;
  assert_ok(gannet_scan(s.world, s.candidates, NULL, false, 1, MANY, score, &f, expected));
  assert_ok(gannet_best_first_scan(s.world, s.candidates, NULL, &spec, best, &scored));
  assert_true(scored > 0 && scored < MOST / 2);
  assert_memory_equal(best, expected, sizeof best);
  drop_space(&s);
}

/* What was best last time is scored first: then hardly anything else is. */
static void leaders_come_first(void **state) {
  (void)state;
  int np = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  fixture f = {.above = 0.1, .lowers = true};
  const int64_t first = compare(&f, MOST, NULL);
  assert_true(first > 0 && f.n_leaders > 0);
  assert_ok(
      gannet_same(MPI_COMM_WORLD, f.leaders, (size_t)f.n_leaders * sizeof *f.leaders, "leaders"));
  assert_int_equal(f.noted, first);
  f.above = 1e-6;
  assert_true(compare(&f, MOST, NULL) <= 2 * GROUP);
}

static void equal_scores_are_all_scored(void **state) {
  (void)state;
  fixture f = {.flat = true};
  assert_int_equal(compare(&f, 5000, NULL), 0); /* no order is of use */
  fixture few = {.flat = true};
  assert_true(compare(&few, 5 * GROUP, NULL) > 3 * GROUP);
}

static void wrong_bounds_are_noticed(void **state) {
  (void)state;
  fixture f = {.above = 1e-3, .below = 1e-2};
  assert_int_equal(compare(&f, 5000, NULL), -1);
}

static void taken_points_do_not_win(void **state) {
  (void)state;
  space s = make_space(2000);
  gannet_distinct *taken = NULL;
  double x[D];
  assert_ok(gannet_distinct_create(s.problem, 2000, &taken));
  const fixture any = {0};
  for (int i = 0; i < 2000; ++i) {
    gannet_candidates_tile(s.candidates, i, 1, x);
    if (value_at(&any, x) > 0.5) gannet_distinct_add(taken, x); /* all that would be the best */
  }
  fixture f = {.above = 1e-3};
  const int64_t scored = compare(&f, 2000, taken);
  assert_true(scored > 0 && scored <= 3 * GROUP);
  gannet_distinct_destroy(&taken);
  drop_space(&s);
}

static void errors_reach_all_ranks(void **state) {
  (void)state;
  space s = make_space(5000);
  fixture f = {.above = 1e-3};
  gannet_best_first_spec spec = spec_of(&f, &s);
  gannet_ranked best[GANNET_SELECT_MAX];
  int64_t scored = 0;
  double winner[D];
  assert_ok(gannet_best_first_scan(s.world, s.candidates, NULL, &spec, best, &scored));
  gannet_candidates_tile(s.candidates, best[0].index, 1, winner);
  f.fails = winner; /* one rank scores it */
  assert_fails(GANNET_ERR_NUMERIC, "no scores today",
               gannet_best_first_scan(s.world, s.candidates, NULL, &spec, best, &scored));
  f.fails = NULL;
  f.above = 10;
  f.n_leaders = 0;
  f.stuck = s.world->rank == s.world->np - 1;
  assert_fails(GANNET_ERR_MEMORY, "no room for pivots",
               gannet_best_first_scan(s.world, s.candidates, NULL, &spec, best, &scored));
  f.stuck = false;
  spec.keep = GANNET_SELECT_MAX + 1;
  assert_fails(GANNET_ERR_ARG, "keep",
               gannet_best_first_scan(s.world, s.candidates, NULL, &spec, best, &scored));
  drop_space(&s);
}

/* Several lists: the first is smooth, the second has many ties or is nearly flat, the third is NAN
 * where x[0] > 0.5. Bounds are above the scores by something that looks random. */
enum { LISTS = 3 };

typedef struct {
  double above;    /* how far bounds are above the scores at most */
  double below;    /* and below, which is wrong */
  bool flat;       /* the second list is constant, but for less than bounds tell */
  int unknown;     /* every so many candidates have no bounds; 0 = none */
  int64_t scored;  /* by this rank */
  int64_t bounded; /* by this rank */
} lists;

static gannet_err score_lists(void *user, int m, const double *x_unit, int64_t first,
                              double *scores, int ld) {
  lists *f = user;
  (void)first;
  f->scored += m;
  for (int i = 0; i < m; ++i) {
    const double *x = x_unit + (ptrdiff_t)i * D;
    scores[i] = -pow(x[0] - 0.3, 2) - sin(50 * x[1]);
    scores[ld + i] = f->flat ? 1e-3 * f->above * x[0] : floor(400 * x[0]);
    scores[2 * ld + i] = x[0] > 0.5 ? (double)NAN : 1e6 * x[1];
  }
  return GANNET_OK;
}

static gannet_err score_numbered(void *user, int m, const int64_t *number, const double *x_unit,
                                 double *scores, int ld) {
  (void)number;
  return score_lists(user, m, x_unit, -1, scores, ld);
}

static gannet_err bound_lists(void *user, int m, int64_t first, const double *x_unit,
                              double *bounds, int ld) {
  lists *f = user;
  const lists before = *f;
  GANNET_TRY(score_lists(user, m, x_unit, first, bounds, ld));
  f->scored = before.scored;
  f->bounded += m;
  for (int l = 0; l < LISTS; ++l)
    for (int i = 0; i < m; ++i) {
      const double some = 0.5 + 0.5 * sin(1e9 * x_unit[i * D] + l);
      const double score = bounds[l * ld + i];
      bounds[l * ld + i] = isnan(score) ? 0 : score + some * f->above - f->below;
      if (f->unknown > 0 && (first + i) % f->unknown == 0) bounds[l * ld + i] = NAN;
    }
  return GANNET_OK;
}

/* Scans, and requires what the plain scan finds; returns how many were scored. */
static int64_t compare_lists(lists *f, int64_t n, const gannet_distinct *taken) {
  space s = make_space(n);
  const gannet_best_first_spec spec = {.n_lists = LISTS,
                                       .keep = KEEP,
                                       .scorer = score_numbered,
                                       .bounder = bound_lists,
                                       .open_share = 0.5,
                                       .user = f};
  gannet_ranked expected[LISTS * KEEP], best[LISTS * KEEP];
  int64_t scored = 0;
  assert_ok(
      gannet_scan(s.world, s.candidates, taken, false, LISTS, KEEP, score_lists, f, expected));
  f->scored = f->bounded = 0;
  assert_ok(gannet_best_first_scan(s.world, s.candidates, taken, &spec, best, &scored));
  assert_ok(gannet_same(MPI_COMM_WORLD, &scored, sizeof scored, "counts"));
  if (scored > 0) assert_memory_equal(best, expected, sizeof best);
  drop_space(&s);
  return scored;
}

static void every_list_has_the_best_of_the_scan(void **state) {
  (void)state;
  const int64_t sizes[] = {1, 3, 512, 513, 5000, MOST};
  const double above[] = {0, 1e-12, 1e-6, 1e-3, 0.1};
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 5; ++k) {
      lists f = {.above = above[k]};
      const int64_t scored = compare_lists(&f, sizes[i], NULL);
      assert_true(scored > 0 || sizes[i] <= KEEP);
      if (sizes[i] == MOST && above[k] <= 1e-3) assert_true(scored < MOST / 20);
    }
}

static void lists_with_candidates_without_bounds(void **state) {
  (void)state;
  lists some = {.above = 1e-6, .unknown = 50}, all = {.unknown = 1};
  const int64_t scored = compare_lists(&some, 5000, NULL);
  assert_true(scored >= 100 && scored < 2500);
  assert_int_equal(compare_lists(&all, 5000, NULL), 0);
}

/* A list in which bounds tell nothing is given up before all candidates are scored. */
static void flat_lists_are_given_up(void **state) {
  (void)state;
  lists f = {.above = 1e-3, .flat = true};
  assert_int_equal(compare_lists(&f, MOST, NULL), 0);
  assert_true(f.scored < MOST / 10);
}

static void wrong_bounds_of_a_list_are_noticed(void **state) {
  (void)state;
  lists f = {.above = 1e-3, .below = 1e-2};
  assert_int_equal(compare_lists(&f, MOST, NULL), -1);
}

/* More candidates than a heap keeps, with bounds that tell much, or hardly anything. */
static void long_heaps_are_cut(void **state) {
  (void)state;
  int np = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  const int64_t many = np * (int64_t)GANNET_BEST_FIRST_LONG * 5 / 2;
  lists tight = {.above = 1e-6}, loose = {.above = 2};
  assert_in_range(compare_lists(&tight, many, NULL), LISTS * KEEP / 2, many / 100);
  assert_true(compare_lists(&loose, many, NULL) < many / 2);
}

static void taken_points_win_no_list(void **state) {
  (void)state;
  space s = make_space(2000);
  gannet_distinct *taken = NULL;
  double x[D];
  assert_ok(gannet_distinct_create(s.problem, 400, &taken));
  for (int i = 0; i < 2000; i += 5) {
    gannet_candidates_tile(s.candidates, i, 1, x);
    gannet_distinct_add(taken, x);
  }
  lists f = {.above = 1e-3};
  assert_true(compare_lists(&f, 2000, taken) > 0);
  gannet_distinct_destroy(&taken);
  drop_space(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_are_those_of_the_scan),
      cmocka_unit_test(candidates_without_a_bound_are_scored),
      cmocka_unit_test(high_bounds_are_lowered),
      cmocka_unit_test(all_ranks_give_up_or_none),
      cmocka_unit_test(long_lists_are_filled),
      cmocka_unit_test(leaders_come_first),
      cmocka_unit_test(equal_scores_are_all_scored),
      cmocka_unit_test(wrong_bounds_are_noticed),
      cmocka_unit_test(taken_points_do_not_win),
      cmocka_unit_test(errors_reach_all_ranks),
      cmocka_unit_test(every_list_has_the_best_of_the_scan),
      cmocka_unit_test(lists_with_candidates_without_bounds),
      cmocka_unit_test(flat_lists_are_given_up),
      cmocka_unit_test(wrong_bounds_of_a_list_are_noticed),
      cmocka_unit_test(long_heaps_are_cut),
      cmocka_unit_test(taken_points_win_no_list),
  };
  MPI_Init(&argc, &argv);
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
