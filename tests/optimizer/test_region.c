/* test: ranks 1 2 3 labels unit timeout 300 */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "optimizer/fixture.h"
#include "support/told.h"

#include "base/memory.h"

enum { MOST = 12 };

static const gannet_variable plane[] = {{.name = "x", .lower = -1, .upper = 1},
                                        {.name = "y", .lower = -1, .upper = 1}};
static const gannet_problem_spec plane_spec = {
    .n_variables = 2, .variables = plane, .noise_sd = NAN};

/* Settings as "key=value key=value"; small searches and fits, because most tests look at places and
 * not at quality. */
static fixture make(const gannet_problem_spec *spec, const char *method, const char *more) {
  static const char *const usual =
      "initial=4 search.candidates=200 search.starts=1 search.polish=8";
  gannet_method_setting settings[24] = {{"method", method}};
  fixture f = {0};
  char text[512];
  int n = 1;
  (void)snprintf(text, sizeof text, "%s %s", usual, more);
  for (char *key = strtok(text, " "); key && n < 24; key = strtok(NULL, " ")) {
    char *value = strchr(key, '=');
    *value = 0;
    settings[n++] = (gannet_method_setting){key, value + 1};
  }
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 5, &f.context));
  assert_ok(gannet_problem_create(spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, n, settings, &f.optimizer));
  return f;
}

static const gannet_member_region *region_of(const fixture *f) {
  return &f->optimizer->member[0].region;
}

/* Distance from (0.3, -0.2), whatever the number of variables; constraints are c = x - 0.25. */
static void tell(const fixture *f, int64_t id) {
  const double *x = gannet_history_x_user(f->optimizer->history, id);
  const double c = x[0] - 0.25;
  gannet_result result = {.id = id, .constraints = &c};
  for (int k = 0; k < f->problem->spec.n_variables; ++k)
    result.objective += fabs(x[k] - (k % 2 ? -0.2 : 0.3));
  assert_ok(gannet_optimizer_tell(f->optimizer, 1, &result));
}

static void round_of(const fixture *f, int q) {
  int64_t id[MOST];
  double x[MOST * 8];
  assert_ok(gannet_optimizer_ask(f->optimizer, q, id, x));
  for (int i = 0; i < q; ++i) tell(f, id[i]);
}

/* Every kind of acquisition, with polish where it has one. */
static void points_stay_in_the_box(void **state) {
  (void)state;
  static const char *const methods[] = {"turbo-1", "gp-ei-trust", "neural-bo-pointwise",
                                        "forest-ei"};
  for (int m = 0; m < 4; ++m) {
    fixture f = make(&plane_spec, methods[m], "region.type=trust region.length=0.1");
    round_of(&f, 4);
    for (int round = 0; round < 3; ++round) {
      round_of(&f, 3);
      const gannet_member_region *region = region_of(&f);
      assert_false(region->is_design);
      for (int64_t id = gannet_history_count(f.optimizer->history) - 3;
           id < gannet_history_count(f.optimizer->history); ++id) {
        const double *x = gannet_history_x_unit(f.optimizer->history, id);
        for (int k = 0; k < 2; ++k)
          assert_true(region->lower[k] - 1e-12 <= x[k] && x[k] <= region->upper[k] + 1e-12);
        assert_true(region->upper[0] - region->lower[0] <= 0.4);
      }
    }
    drop(&f);
  }
}

/* Told the same value everywhere, a region of two halvings ends after eight evaluations. */
static void a_restart_brings_a_design_and_new_data(void **state) {
  (void)state;
  fixture f = make(&plane_spec, "turbo-1", "region.length=0.4 region.shortest=0.15");
  const gannet_history *h = f.optimizer->history;
  int64_t id[4];
  double x[8];
  for (int round = 0; round < 4; ++round) {
    assert_ok(gannet_optimizer_ask(f.optimizer, 4, id, x));
    if (round > 0) {
      assert_false(region_of(&f)->is_design);
      assert_true(region_of(&f)->now.length == (round == 1 ? 0.4 : 0.2) || round == 3);
    }
    for (int i = 0; i < 4; ++i) {
      const gannet_result result = {.id = id[i], .objective = id[i] == 2 ? -1 : 7};
      assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
    }
    if (round == 2) break;
  }
  assert_int_equal(gannet_history_count(h), 12);
  assert_ok(gannet_optimizer_ask(f.optimizer, 4, id, x));
  const gannet_member_region *region = region_of(&f);
  assert_true(region->is_design && region->state.restarts == 1 && region->state.first == 12);
  double spread = 0; /* over the whole square again */
  for (int i = 0; i < 4; ++i) spread = fmax(spread, fabs(x[2 * i] - x[0]));
  assert_true(spread > 0.5);
  for (int i = 0; i < 4; ++i) tell(&f, id[i]);
  assert_ok(gannet_optimizer_ask(f.optimizer, 2, id, x));
  assert_false(region->is_design);
  assert_true(region->now.length == 0.4 && region->now.centre >= 12);
  for (int64_t i = 0; i < 16; ++i) assert_int_equal(region->take[i], i >= 12);
  gannet_best best;
  gannet_optimizer_best(f.optimizer, &best, NULL);
  assert_int_equal(best.id, 2); /* of the whole campaign */
  drop(&f);
}

/* Models may take all data, but the middle is a point of the new region: otherwise it would begin
 * where the last one ended. */
static void a_restart_leaves_the_best_place(void **state) {
  (void)state;
  fixture f =
      make(&plane_spec, "turbo-1", "region.length=0.4 region.shortest=0.15 region.data=all");
  int64_t id[4];
  double x[8];
  for (int round = 0; round < 3; ++round) {
    assert_ok(gannet_optimizer_ask(f.optimizer, 4, id, x));
    for (int i = 0; i < 4; ++i) {
      const gannet_result result = {.id = id[i], .objective = id[i] == 2 ? -1 : 7};
      assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
    }
  }
  round_of(&f, 4);
  assert_ok(gannet_optimizer_ask(f.optimizer, 2, id, x));
  const gannet_member_region *region = region_of(&f);
  assert_false(region->is_design);
  assert_int_equal(region->state.first, 12);
  assert_true(region->take[2] && region->now.centre >= 12);
  drop(&f);
}

static void copy_history(const gannet_history *from, gannet_history *to) {
  for (int64_t id = 0; id < gannet_history_count(from); ++id)
    assert_ok(gannet_history_propose(to, gannet_history_x_user(from, id),
                                     gannet_history_get(from, id)->batch,
                                     gannet_history_get(from, id)->origin, NULL));
  for (int64_t at = 0; at < gannet_history_count_told(from); ++at) {
    const int64_t id = gannet_history_order(from)[at];
    const gannet_evaluation *row = gannet_history_get(from, id);
    assert_ok(tell_values(to, id, row->status, row->objective, gannet_history_constraints(from, id),
                          NULL));
  }
}

/* History and saved state into a new optimiser. */
static void interrupt(fixture *f, const char *method, const char *more) {
  gannet_state saved = {0};
  fixture next = make(&plane_spec, method, more);
  assert_ok(gannet_optimizer_get_state(f->optimizer, &saved));
  copy_history(f->optimizer->history, next.optimizer->history);
  assert_ok(gannet_optimizer_set_state(next.optimizer, &saved, NULL));
  gannet_state_release(&saved);
  drop(f);
  *f = next;
}

/* Three evaluations under way all the time, told out of order: one goes straight on, the other is
 * interrupted after every ask. Regions end on the way. */
static void asynchronous_campaigns_continue_exactly(void **state) {
  (void)state;
  static const char *const more =
      "region.length=0.2 region.shortest=0.09 region.failures=3 region.nearest=8";
  fixture straight = make(&plane_spec, "neural-trust", more);
  fixture broken = make(&plane_spec, "neural-trust", more);
  fixture *both[2] = {&straight, &broken};
  for (int step = 0; step < 26; ++step)
    for (int b = 0; b < 2; ++b) {
      int64_t id[1];
      double x[2];
      assert_ok(gannet_optimizer_ask(both[b]->optimizer, 1, id, x));
      if (b == 1) interrupt(&broken, "neural-trust", more);
      if (step >= 4 && step % 2) { /* the youngest but one, then the one before it */
        tell(both[b], id[0] - 1);
        tell(both[b], id[0] - 2);
      }
      if (step == 3) tell(both[b], 0);
      if (step == 3) tell(both[b], 1);
    }
  assert_true(region_of(&straight)->state.restarts >= 1);
  assert_true(gannet_history_digest(straight.optimizer->history) ==
              gannet_history_digest(broken.optimizer->history));
  assert_int_equal(region_of(&straight)->state.first, region_of(&broken)->state.first);
  drop(&straight);
  drop(&broken);
}

static const char *const words[] = {"a", "b", "c"};
static const gannet_variable mixed[] = {
    {.name = "x", .lower = -1, .upper = 1},
    {.name = "n", .type = GANNET_VARIABLE_INTEGER, .lower = -40, .upper = 40},
    {.name = "flag", .type = GANNET_VARIABLE_BOOLEAN},
    {.name = "word", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 3, .values = words}};

/* The integer moves on by single steps in a small region, from 40 to its best, 0; the flag and the
 * word go over to 0. */
static void discrete_variables_walk_in_a_small_region(void **state) {
  (void)state;
  const gannet_problem_spec spec = {.n_variables = 4, .variables = mixed, .noise_sd = NAN};
  fixture f = make(&spec, "gp-ei-trust",
                   "initial=3 region.length=0.1 region.shortest=0.01 region.longest=0.1");
  const double far[2][4] = {{-0.9, 40, 1, 2}, {-0.8, 39, 1, 1}};
  for (int i = 0; i < 2; ++i) {
    int64_t id;
    const gannet_result result = {.objective = fabs(far[i][0] - 0.3) + fabs(far[i][1] + 0.2) + 0.7 +
                                               fabs(far[i][3] + 0.2)};
    assert_ok(gannet_optimizer_tell_point(f.optimizer, far[i], &result, &id));
  }
  for (int round = 0; round < 14; ++round) {
    round_of(&f, 2);
    if (region_of(&f)->is_design) continue;
    const int64_t last = gannet_history_count(f.optimizer->history) - 1;
    const double now = gannet_history_x_user(f.optimizer->history, last)[1];
    const double centre = gannet_history_x_user(f.optimizer->history, region_of(&f)->now.centre)[1];
    assert_true(fabs(now - centre) <= 0.5 * 0.1 * 80 * 10 + 1);
  }
  gannet_best best;
  double x[4];
  gannet_optimizer_best(f.optimizer, &best, x);
  assert_true(fabs(x[1]) <= 1 && x[3] == 0);
  drop(&f);
}

static void one_variable_of_any_kind_is_enough(void **state) {
  (void)state;
  static const char *const methods[] = {"turbo-1", "scbo", "gp-ei-trust", "neural-trust"};
  for (int v = 0; v < 4; ++v)
    for (int m = 0; m < 4; ++m) {
      const gannet_problem_spec spec = {.n_variables = 1, .variables = &mixed[v], .noise_sd = NAN};
      fixture f = make(&spec, methods[m], "region.length=0.05 region.shortest=0.02");
      for (int round = 0; round < 6; ++round) round_of(&f, 2);
      assert_int_equal(gannet_history_count(f.optimizer->history), 12);
      drop(&f);
    }
}

static const gannet_constraint limit[] = {{"c", -INFINITY, 0}};

/* Feasible where x >= 0.9, so that the best point lies at the bound: 0.6 from (0.3, -0.2). No
 * point of the design is feasible; the first centre is the rightmost of them. */
static void constraints_are_met(void **state) {
  (void)state;
  const gannet_problem_spec spec = {.n_variables = 2,
                                    .variables = plane,
                                    .n_constraints = 1,
                                    .constraints = limit,
                                    .noise_sd = NAN};
  fixture f = make(&spec, "scbo", "search.candidates=1000 search.polish=40");
  int64_t id[4];
  double x[8];
  for (int round = 0; round < 9; ++round) {
    assert_ok(gannet_optimizer_ask(f.optimizer, 4, id, x));
    if (round == 1) {
      int64_t least = 0; /* of violation, which falls with x */
      for (int64_t i = 1; i < 4; ++i)
        if (gannet_history_x_user(f.optimizer->history, i)[0] >
            gannet_history_x_user(f.optimizer->history, least)[0])
          least = i;
      assert_int_equal(region_of(&f)->now.centre, least);
    }
    for (int i = 0; i < 4; ++i) {
      const double c = 0.9 - x[2 * i];
      if (round == 0) assert_true(c > 0);
      const gannet_result result = {.id = id[i],
                                    .objective = fabs(x[2 * i] - 0.3) + fabs(x[2 * i + 1] + 0.2),
                                    .constraints = &c};
      assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
    }
  }
  gannet_best best;
  gannet_optimizer_best(f.optimizer, &best, x);
  assert_true(best.feasible && best.objective < 0.7);
  drop(&f);
}

/* Where a value misleads: -1 instead of 10, which is not much for a noise of 6. */
static void the_centre_may_follow_the_model(void **state) {
  (void)state;
  const gannet_variable line[] = {plane[0]};
  const gannet_problem_spec spec = {.n_variables = 1, .variables = line, .noise_sd = 6};
  for (int mean = 0; mean < 2; ++mean) {
    fixture f = make(&spec, "turbo-1", mean ? "region.center=mean" : "region.center=value");
    for (int i = 0; i < 21; ++i) {
      int64_t id;
      const double x = -1 + 0.1 * i;
      const gannet_result result = {.objective = i == 3 ? -1 : 10 * fabs(x - 0.3)};
      assert_ok(gannet_optimizer_tell_point(f.optimizer, &x, &result, &id));
    }
    int64_t id[1];
    double x[1];
    assert_ok(gannet_optimizer_ask(f.optimizer, 1, id, x));
    if (mean)
      assert_in_range(region_of(&f)->now.centre, 12, 14);
    else
      assert_int_equal(region_of(&f)->now.centre, 3);
    drop(&f);
  }
}

/* Though the number of observations taken stays the same. */
static void models_of_the_nearest_points_learn_on(void **state) {
  (void)state;
  fixture f = make(&plane_spec, "turbo-1", "region.nearest=6");
  gannet_state saved = {0};
  int64_t learned[2] = {0, 0};
  for (int round = 0; round < 8; ++round) {
    round_of(&f, 2);
    double number = 0;
    assert_ok(gannet_optimizer_get_state(f.optimizer, &saved));
    (void)gannet_state_find(&saved, "turbo-1/", "objective.learned", &number);
    learned[round > 5] = (int64_t)number;
  }
  assert_true(learned[0] >= 8 && learned[1] >= 12);
  gannet_state_release(&saved);
  drop(&f);
}

/* The members of a portfolio share the batches, each with its own region. */
static void portfolios_have_regions_too(void **state) {
  (void)state;
  fixture f = make(&plane_spec, "auto",
                   "penalties=no region.type=trust region.length=0.2 region.shortest=0.09 "
                   "region.failures=2"); /* all results are 7 */
  assert_true(f.optimizer->options.n_members > 1);
  int64_t restarts = 0;
  for (int round = 0; round < 8; ++round) {
    int64_t id[2];
    double x[4];
    assert_ok(gannet_optimizer_ask(f.optimizer, 2, id, x));
    for (int i = 0; i < 2; ++i) {
      const gannet_result result = {.id = id[i], .objective = 7};
      assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
    }
  }
  for (int i = 0; i < f.optimizer->options.n_members; ++i)
    if (f.optimizer->member[i].region.options)
      restarts += f.optimizer->member[i].region.state.restarts;
  assert_true(restarts >= 1);
  drop(&f);
}

static void contradicting_settings_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *method, *key, *text, *says;
  } cases[] = {{"turbo-1", "region.type", "trusty", "did you mean 'trust'"},
               {"turbo-1", "region.length", "0", "region.length: '0'"},
               {"turbo-1", "region.length", "1.7", "length is longer than longest"},
               {"turbo-1", "region.shortest", "0.9", "shortest is longer than length"},
               {"turbo-1", "region.perturb", "2", "region.perturb: '2'"},
               {"turbo-1", "region.failures", "0", "region.failures: '0'"},
               {"turbo-1", "region.succeses", "3", "did you mean 'successes'"},
               {"sobol", "region.type", "trust", "without a model"},
               {"random", "region.type", "trust", "without a model"}};
  gannet_context *context = NULL;
  gannet_problem *problem = NULL;
  gannet_optimizer *optimizer = NULL;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 5, &context));
  assert_ok(gannet_problem_create(&plane_spec, &problem));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const gannet_method_setting settings[] = {{"method", cases[i].method},
                                              {cases[i].key, cases[i].text}};
    assert_fails(GANNET_ERR_INPUT, cases[i].says,
                 gannet_optimizer_create(context, problem, 2, settings, &optimizer));
  }
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&context);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_stay_in_the_box),
      cmocka_unit_test(a_restart_brings_a_design_and_new_data),
      cmocka_unit_test(a_restart_leaves_the_best_place),
      cmocka_unit_test(asynchronous_campaigns_continue_exactly),
      cmocka_unit_test(discrete_variables_walk_in_a_small_region),
      cmocka_unit_test(one_variable_of_any_kind_is_enough),
      cmocka_unit_test(constraints_are_met),
      cmocka_unit_test(the_centre_may_follow_the_model),
      cmocka_unit_test(models_of_the_nearest_points_learn_on),
      cmocka_unit_test(portfolios_have_regions_too),
      cmocka_unit_test(contradicting_settings_are_refused),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
