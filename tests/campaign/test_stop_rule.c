/* test: serial labels unit */
/* Reasons to end a campaign before its budget is spent. */
#include <math.h>

#include "support/harness.h"

#include "campaign/example.h"
#include "campaign/run/stop_rule.h"

static const char file[] =
    "method: gp-ts\n"
    "variables: {x: {lower: 0, upper: 1}}\n"
    "constraints: {mass: {upper: 1}}\n"
    "objective: {name: drag, unit: N}\n"
    "budget: {evaluations: 10}\n"
    "evaluate: {backend: manual}\n";

/* A campaign that is told one result after the other; drag is NAN where the simulation failed. */
typedef struct {
  gannet_campaign campaign;
  gannet_complaints complaints;
} course;

static void begin(course *c, const char *goal, double target, int stagnation) {
  char text[600];
  memset(c, 0, sizeof *c);
  (void)snprintf(text, sizeof text, "goal: %s\n%s", goal, file);
  assert_ok(parse_text(text, &c->campaign.input, &c->complaints));
  c->campaign.input->stop =
      (gannet_stop_keys){.target = target, .stagnation = stagnation, .regret_within = NAN};
  assert_ok(gannet_history_create(c->campaign.input->problem, &c->campaign.history));
}

static void tell(course *c, int64_t id, double drag, double mass) {
  const gannet_result_record result = {
      .id = id,
      .status = isnan(drag) ? GANNET_EVAL_FAILED : GANNET_EVAL_DONE,
      .objective = drag,
      .constraints = &mass};
  assert_ok(gannet_history_tell(c->campaign.history, &result));
}

static void propose(course *c, int n) {
  for (int i = 0; i < n; ++i) {
    const double x = 0.01 * (double)gannet_history_count(c->campaign.history);
    assert_ok(gannet_history_propose(c->campaign.history, &x, 0, GANNET_ORIGIN_METHOD, NULL));
  }
}

static void assert_reason(const course *c, const char *expected) {
  char why[320] = "something";
  gannet_stop_rule_look(&c->campaign, why, sizeof why);
  assert_string_equal(why, expected);
}

static void end(course *c) {
  gannet_history_destroy(&c->campaign.history);
  gannet_campaign_destroy(&c->campaign.input);
  gannet_complaints_release(&c->complaints);
}

static void without_keys_nothing_ends_it(void **state) {
  course c;
  (void)state;
  begin(&c, "minimize", NAN, GANNET_AUTO);
  propose(&c, 3);
  assert_reason(&c, "");
  for (int id = 0; id < 3; ++id) tell(&c, id, -1e9, 0);
  assert_reason(&c, "");
  end(&c);
}

static void only_a_feasible_design_reaches_the_target(void **state) {
  course c;
  (void)state;
  begin(&c, "minimize", 0.5, GANNET_AUTO);
  propose(&c, 4);
  tell(&c, 0, 0.1, 2); /* too heavy */
  tell(&c, 1, 0.6, 0);
  tell(&c, 2, NAN, 0);
  assert_reason(&c, "");
  tell(&c, 3, 0.5, 1);
  assert_reason(&c, "stop.target: best drag 0.5 N (evaluation 3) has reached 0.5");
  end(&c);
}

static void one_result_is_told_of_as_one(void **state) {
  course c;
  (void)state;
  begin(&c, "minimize", NAN, 1);
  propose(&c, 2);
  tell(&c, 0, 4, 0);
  assert_reason(&c, "");
  tell(&c, 1, 5, 0);
  assert_reason(&c,
                "stop.stagnation: no improvement by the last 1 result (limit 1); best drag 4 N "
                "(evaluation 0)");
  end(&c);
}

static void a_target_has_the_sense_of_the_goal(void **state) {
  course c;
  (void)state;
  begin(&c, "maximize", 0.5, GANNET_AUTO);
  propose(&c, 2);
  tell(&c, 0, 0.4, 0);
  assert_reason(&c, "");
  tell(&c, 1, 0.75, 0);
  assert_reason(&c, "stop.target: best drag 0.75 N (evaluation 1) has reached 0.5");
  end(&c);
}

/* In the order in which results were told, whatever their numbers; equal is no improvement. */
static void stagnation_counts_results_since_the_last_improvement(void **state) {
  course c;
  (void)state;
  begin(&c, "minimize", NAN, 3);
  propose(&c, 9);
  for (int id = 8; id > 4; --id) tell(&c, id, 5, 2);
  assert_reason(&c, ""); /* no design is feasible yet */
  tell(&c, 3, 4, 0);
  tell(&c, 0, NAN, 0);
  tell(&c, 1, 1, 2);
  assert_reason(&c, "");
  tell(&c, 2, 4, 0);
  assert_reason(&c,
                "stop.stagnation: no improvement by the last 3 results (limit 3); best drag 4 N "
                "(evaluation 2)");
  tell(&c, 4, 3.999, 0);
  assert_reason(&c, "");
  end(&c);
}

/* Whether a result was the first of its values when it came, and no better one was there. */
static bool joins_front(const double *y, const bool *is_feasible, int at, int m) {
  for (int i = 0; i < at; ++i) {
    bool is_as_good = is_feasible[i];
    for (int j = 0; j < m; ++j) is_as_good = is_as_good && y[i * m + j] <= y[at * m + j];
    if (is_as_good) return false;
  }
  return is_feasible[at];
}

/* Few values, so that many are equal; told against the order of their numbers. */
static void results_since_one_came_onto_the_front_are_counted(void **state) {
  static const char *const objectives[] = {"", "a: {}, b: {goal: maximize}",
                                           "a: {}, b: {goal: maximize}, c: {}"};
  enum { N = 100, MOST = 3 };
  (void)state;
  for (int m = 2; m <= MOST; ++m) {
    course c = {0};
    char text[600];
    double y[N * MOST];
    bool is_feasible[N];
    uint64_t random = 5;
    (void)snprintf(text, sizeof text,
                   "method: random\nvariables: {x: {lower: 0, upper: 1}}\nconstraints: {mass: "
                   "{upper: 1}}\nobjectives: {%s}\nstop: {stagnation: 1}\nbudget: {evaluations: "
                   "10}\nevaluate: {backend: manual}\n",
                   objectives[m - 1]);
    assert_ok(parse_text(text, &c.campaign.input, &c.complaints));
    assert_ok(gannet_history_create(c.campaign.input->problem, &c.campaign.history));
    propose(&c, N);
    for (int at = 0, stagnant = 0, seen = 0; at < N; ++at) {
      double values[MOST + 1] = {0};
      for (int j = 0; j <= m; ++j) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        values[j] = (double)(random >> 60);
      }
      for (int j = 0; j < m; ++j) y[at * m + j] = values[j];
      is_feasible[at] = values[m] < 12;
      double constraints[] = {is_feasible[at] ? 0 : 2, -values[1], values[2]};
      const gannet_result_record result = {.id = N - 1 - at,
                                           .status = GANNET_EVAL_DONE,
                                           .objective = values[0],
                                           .constraints = constraints};
      assert_ok(gannet_history_tell(c.campaign.history, &result));
      const bool joins = joins_front(y, is_feasible, at, m);
      stagnant = joins ? 0 : stagnant + seen;
      seen = seen || joins;
      char expected[200] = "";
      if (stagnant > 0)
        (void)snprintf(expected, sizeof expected,
                       "stop.stagnation: no improvement by the last %d result%s (limit 1); the "
                       "front has not changed",
                       stagnant, stagnant == 1 ? "" : "s");
      assert_reason(&c, expected);
    }
    end(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_keys_nothing_ends_it),
      cmocka_unit_test(only_a_feasible_design_reaches_the_target),
      cmocka_unit_test(a_target_has_the_sense_of_the_goal),
      cmocka_unit_test(one_result_is_told_of_as_one),
      cmocka_unit_test(stagnation_counts_results_since_the_last_improvement),
      cmocka_unit_test(results_since_one_came_onto_the_front_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
