/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"
#include "support/told.h"

#include "optimizer/allocation.h"

static const gannet_variable line[] = {{.name = "x", .lower = 0, .upper = 1}};
static const gannet_problem_spec spec = {.n_variables = 1, .variables = line, .noise_sd = NAN};
static const bool busy[3] = {false, false, false};
static const double unlimited[3] = {1, 1, 1};

typedef struct {
  gannet_problem *problem;
  gannet_history *history;
  gannet_allocation allocation;
} fixture;

static fixture make(void) {
  fixture f = {0};
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_history_create(f.problem, &f.history));
  gannet_allocation_reset(&f.allocation);
  return f;
}

static void drop(fixture *f) {
  gannet_history_destroy(&f->history);
  gannet_problem_destroy(&f->problem);
}

static void note(fixture *f, int64_t id, int member) {
  int count[3] = {0};
  count[member] = 1;
  gannet_allocation_note(&f->allocation, id, 1, 3, count);
}

/* One point of a member with the given value. */
static void give(fixture *f, int member, double value) {
  const double x = 1 / (2.0 + (double)gannet_history_count(f->history));
  int64_t id = -1;
  assert_ok(gannet_history_propose(f->history, &x, 0, GANNET_ORIGIN_METHOD, &id));
  note(f, id, member);
  assert_ok(tell_values(f->history, id, GANNET_EVAL_DONE, value, NULL, NULL));
  assert_ok(gannet_allocation_credit_results(&f->allocation, f->history));
}

/* One of which nobody tells. */
static void lose(fixture *f, int member) {
  const double x = 0.6 + 0.0001 * (double)gannet_history_count(f->history);
  int64_t id = -1;
  assert_ok(gannet_history_propose(f->history, &x, 0, GANNET_ORIGIN_METHOD, &id));
  note(f, id, member);
}

static void shares_start_equal_and_points_are_dealt_in_turn(void **state) {
  (void)state;
  fixture f = make();
  int count[3], sum[3] = {0};
  for (int batch = 0; batch < 30; ++batch) {
    gannet_allocation_deal(&f.allocation, 3, busy, unlimited, 1, count);
    for (int i = 0; i < 3; ++i) sum[i] += count[i];
  }
  for (int i = 0; i < 3; ++i) assert_int_equal(sum[i], 10);
  drop(&f);
}

static void who_improves_gets_more_and_nobody_gets_nothing(void **state) {
  (void)state;
  fixture f = make();
  double share[2];
  give(&f, 0, 10);
  for (int i = 0; i < 20; ++i) {
    give(&f, 0, 9.0 - 0.4 * i);
    give(&f, 1, 20);
  }
  gannet_allocation_shares(&f.allocation, 2, busy, unlimited, share);
  assert_true(share[0] > 0.75);
  assert_true(share[1] >= 0.15);
  assert_near(share[0] + share[1], 1, 1e-12);
  drop(&f);
}

/* Later success of the other turns the shares round: old points are forgotten. */
static void shares_follow_recent_success(void **state) {
  (void)state;
  fixture f = make();
  double share[2];
  for (int i = 0; i < 20; ++i) {
    give(&f, 0, 100 - i);
    give(&f, 1, 200);
  }
  for (int i = 0; i < 20; ++i) {
    give(&f, 0, 200);
    give(&f, 1, 50 - i);
  }
  gannet_allocation_shares(&f.allocation, 2, busy, unlimited, share);
  assert_true(share[1] > share[0] + 0.3);
  drop(&f);
}

static void gains_do_not_depend_on_the_scale_of_the_objective(void **state) {
  (void)state;
  double share[2][2];
  for (int k = 0; k < 2; ++k) {
    fixture f = make();
    for (int i = 0; i < 9; ++i) give(&f, i % 2, (k ? 1e6 : 1) * cos(7.0 * i));
    gannet_allocation_shares(&f.allocation, 2, busy, unlimited, share[k]);
    drop(&f);
  }
  assert_near(share[0][0], share[1][0], 1e-12);
}

/* Neither the difference from 1e308 to -1e308 nor that of the others is a number. */
static void gains_of_any_size_are_numbers(void **state) {
  (void)state;
  fixture f = make();
  const double values[6] = {9e307, -1e308, -1.5e308, 1.7e308, 0, -1.7e308};
  double share[2];
  for (int i = 0; i < 6; ++i) give(&f, i % 2, values[i]);
  gannet_allocation_shares(&f.allocation, 2, busy, unlimited, share);
  assert_near(share[0] + share[1], 1, 1e-12);
  assert_true(share[1] > 0.5); /* two of the gains of at least 5e307, the other one has none */
  drop(&f);
}

/* Nobody tells of the first points, as many as are waited for, and of every fourth one later; who
 * improves gets more. */
static void points_that_never_come_back_are_given_up(void **state) {
  (void)state;
  fixture f = make();
  double share[2];
  for (int i = 0; i < GANNET_ALLOCATION_OPEN; ++i) lose(&f, i % 2);
  for (int i = 0; i < 2000; ++i) {
    give(&f, i % 2, i % 2 && i > 1000 ? 900 - 0.1 * i : 1000);
    if (i % 3 == 0) lose(&f, i % 2);
  }
  gannet_allocation_shares(&f.allocation, 2, busy, unlimited, share);
  assert_true(share[1] > 0.75);
  drop(&f);
}

static void idle_members_get_nothing(void **state) {
  (void)state;
  fixture f = make();
  const bool idle[3] = {false, true, false};
  int count[3];
  gannet_allocation_deal(&f.allocation, 3, idle, unlimited, 9, count);
  assert_int_equal(count[1], 0);
  assert_int_equal(count[0] + count[2], 9);
  drop(&f);
}

/* However much better they are; what they do not get goes to who has no limit, alone they take
 * everything, and below the limit merit decides. */
static void nobody_gets_more_than_their_limit(void **state) {
  (void)state;
  fixture f = make();
  const double most[3] = {0.3, 1, 1};
  const bool idle[3] = {false, true, true}, third[3] = {false, false, true};
  double share[3], freely[3];
  give(&f, 1, 30);
  for (int i = 0; i < 20; ++i) give(&f, 0, 20 - i);
  gannet_allocation_shares(&f.allocation, 3, busy, most, share);
  assert_near(share[0], 0.3, 1e-12);
  assert_near(share[0] + share[1] + share[2], 1, 1e-12);
  assert_true(share[1] > share[2] && share[2] > 0.1); /* the first feasible point counts 1 */
  gannet_allocation_shares(&f.allocation, 2, third, most, share);
  assert_near(share[1], 0.7, 1e-12);
  gannet_allocation_shares(&f.allocation, 3, idle, most, share);
  assert_near(share[0], 1, 1e-12);
  for (int i = 0; i < 60; ++i) {
    give(&f, 0, 100);
    give(&f, 1, -i);
  }
  gannet_allocation_shares(&f.allocation, 2, busy, unlimited, freely);
  gannet_allocation_shares(&f.allocation, 2, busy, most, share);
  assert_true(share[0] < 0.3 && share[0] == freely[0]);
  drop(&f);
}

/* The floor, even after success; alone they take everything. */
static void who_rests_gets_the_floor(void **state) {
  (void)state;
  fixture f = make();
  const double resting[2] = {0, 1};
  const bool idle[2] = {false, true};
  double share[2];
  give(&f, 1, 30);
  for (int i = 0; i < 20; ++i) give(&f, 0, 20 - i);
  gannet_allocation_shares(&f.allocation, 2, busy, resting, share);
  assert_near(share[0], 0.15, 1e-12);
  assert_near(share[1], 0.85, 1e-12);
  gannet_allocation_shares(&f.allocation, 2, idle, resting, share);
  assert_near(share[0], 1, 1e-12);
  assert_near(share[1], 0, 0);
  drop(&f);
}

/* Points that are still waited for are judged when their results come, a crowd of them too. */
static void open_points_wait(void **state) {
  (void)state;
  fixture f = make();
  int64_t id = -1;
  for (int i = 0; i < 2 * GANNET_ALLOCATION_OPEN; ++i) {
    const double x = 1 / (2.0 + i);
    assert_ok(gannet_history_propose(f.history, &x, 0, GANNET_ORIGIN_METHOD, &id));
    note(&f, id, 1);
  }
  assert_ok(gannet_allocation_credit_results(&f.allocation, f.history));
  assert_near(f.allocation.trials[1], 0, 0);
  assert_ok(tell_values(f.history, 0, GANNET_EVAL_DONE, 1, NULL, NULL));
  assert_ok(gannet_allocation_credit_results(&f.allocation, f.history));
  assert_near(f.allocation.trials[1], 1, 0);
  drop(&f);
}

/* Batches that are larger than the list of points that are waited for: all members are judged. */
static void members_of_large_batches_are_judged(void **state) {
  (void)state;
  fixture f = make();
  double share[3];
  int count[3];
  give(&f, 0, 0);
  for (int batch = 0; batch < 3; ++batch) {
    int64_t id = -1, first = gannet_history_count(f.history);
    gannet_allocation_deal(&f.allocation, 3, busy, unlimited, 200, count);
    for (int i = 0; i < 200; ++i) {
      const double x = 0.1 + 1e-4 * (double)(first + i);
      assert_ok(gannet_history_propose(f.history, &x, batch, GANNET_ORIGIN_METHOD, &id));
    }
    gannet_allocation_note(&f.allocation, first, 1, 3, count);
    int waits[3] = {0};
    for (int i = 0; i < GANNET_ALLOCATION_OPEN; ++i) {
      const int member = f.allocation.open[i].member;
      const int64_t at = f.allocation.open[i].id - first;
      const int64_t begins = (member > 0 ? count[0] : 0) + (member > 1 ? count[1] : 0);
      assert_true(begins <= at && at < begins + count[member]);
      waits[member] += 1;
    }
    for (int i = 0; i < 3; ++i)
      assert_near(waits[i], count[i] * GANNET_ALLOCATION_OPEN / 200.0, 1.5);
    for (; first <= id; ++first)
      assert_ok(tell_values(f.history, first, GANNET_EVAL_DONE, 1, NULL, NULL));
    assert_ok(gannet_allocation_credit_results(&f.allocation, f.history));
  }
  gannet_allocation_shares(&f.allocation, 3, busy, unlimited, share);
  for (int i = 0; i < 3; ++i) assert_near(share[i], 1.0 / 3, 0.05); /* none has found anything */
  drop(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_start_equal_and_points_are_dealt_in_turn),
      cmocka_unit_test(who_improves_gets_more_and_nobody_gets_nothing),
      cmocka_unit_test(shares_follow_recent_success),
      cmocka_unit_test(gains_do_not_depend_on_the_scale_of_the_objective),
      cmocka_unit_test(gains_of_any_size_are_numbers),
      cmocka_unit_test(points_that_never_come_back_are_given_up),
      cmocka_unit_test(idle_members_get_nothing),
      cmocka_unit_test(nobody_gets_more_than_their_limit),
      cmocka_unit_test(who_rests_gets_the_floor),
      cmocka_unit_test(open_points_wait),
      cmocka_unit_test(members_of_large_batches_are_judged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
