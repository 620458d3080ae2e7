/* test: serial labels unit */
/* Who leads a race of an evolution strategy with the other members of a portfolio. */
#include <math.h>

#include "support/harness.h"

#include "optimizer/race.h"

enum { D = 2 };

/* Best values by what every result of a side takes away, as a share of what is left above the value
 * at which the side stops. */
typedef struct {
  double share, stop;
} side;

/* Run a race of n results from where it is, and count those of the evolution strategy. */
static int run(gannet_race *race, int64_t *told, double *best, int n, const side *sides) {
  int evolution = 0;
  for (int i = 0; i < n; ++i) {
    const gannet_race_side who = gannet_race_update(race, D, *told, *best, 1);
    if (*best > sides[who].stop) *best -= sides[who].share * (*best - sides[who].stop);
    evolution += who == GANNET_RACE_EVOLUTION;
    *told += 1;
  }
  return evolution;
}

static void it_is_not_tried_before_twenty_results_per_variable(void **state) {
  (void)state;
  gannet_race race = {0};
  int64_t told = 3;
  double best = 1;
  const side sides[2] = {{0, 0}, {0.5, 0}};
  assert_int_equal(run(&race, &told, &best, 20 * D - 3, sides), 0);
  assert_true(run(&race, &told, &best, 10 * D, sides) > 0);
}

/* A steady fall is left to the others, but for a trial now and then. */
static void a_steady_fall_goes_on(void **state) {
  (void)state;
  gannet_race race = {0};
  int64_t told = 3;
  double best = 1;
  const side sides[2] = {{0.05, 0}, {0, 0}};
  const int evolution = run(&race, &told, &best, 200 * D, sides);
  assert_true(evolution > 0 && evolution < 20 * D);
  assert_int_equal(race.leader, GANNET_RACE_OTHERS);
}

static void others_that_stall_lose_the_lead(void **state) {
  (void)state;
  gannet_race race = {0};
  int64_t told = 3;
  double best = 10;
  const side sides[2] = {{0.2, 1}, {0.02, 0}};
  (void)run(&race, &told, &best, 30 * D, sides);
  assert_true(run(&race, &told, &best, 70 * D, sides) > 60 * D);
  assert_int_equal(race.leader, GANNET_RACE_EVOLUTION);
}

/* Nobody gains: the evolution strategy has most of the points, the others some. */
static void a_stall_of_both_is_shared(void **state) {
  (void)state;
  gannet_race race = {0};
  int64_t told = 3;
  double best = 1;
  const side sides[2] = {{0.2, 1}, {0.2, 1}};
  (void)run(&race, &told, &best, 30 * D, sides);
  const int evolution = run(&race, &told, &best, 100 * D, sides);
  assert_true(evolution > 70 * D && evolution < 100 * D);
}

/* A lead that brings less than what the others gained before goes back to them. */
static void a_short_success_is_no_lead(void **state) {
  (void)state;
  gannet_race race = {0};
  int64_t told = 3;
  double best = 1000;
  const side slow[2] = {{0.05, 0}, {0, 0}};
  (void)run(&race, &told, &best, 30 * D, slow);
  race.leader = GANNET_RACE_EVOLUTION;
  race.failed = 0;
  const int evolution = run(&race, &told, &best, 20 * D, slow);
  assert_true(evolution > 0 && evolution < 12 * D);
  assert_int_equal(race.leader, GANNET_RACE_OTHERS);
}

/* Without a feasible result there is nothing to race for; a batch is part of a stretch. */
static void nothing_feasible_and_large_batches(void **state) {
  (void)state;
  gannet_race race = {0};
  assert_int_equal(gannet_race_update(&race, D, 100 * D, 1e308, 1), GANNET_RACE_OTHERS);
  assert_true(race.from == 0);
  assert_int_equal(gannet_race_update(&race, D, 100 * D, 1, 64), GANNET_RACE_OTHERS);
  assert_int_equal(gannet_race_update(&race, D, 100 * D + 64, 1, 64), GANNET_RACE_OTHERS);
  assert_int_equal(gannet_race_update(&race, D, 100 * D + 128, 1, 64), GANNET_RACE_EVOLUTION);
  assert_int_equal(gannet_race_update(&race, D, 100 * D + 192, 1, 64), GANNET_RACE_EVOLUTION);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_not_tried_before_twenty_results_per_variable),
      cmocka_unit_test(a_steady_fall_goes_on),
      cmocka_unit_test(others_that_stall_lose_the_lead),
      cmocka_unit_test(a_stall_of_both_is_shared),
      cmocka_unit_test(a_short_success_is_no_lead),
      cmocka_unit_test(nothing_feasible_and_large_batches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
