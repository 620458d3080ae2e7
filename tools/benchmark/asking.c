#include "benchmark/asking.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "benchmark/rates.h"

enum { SEARCH_BATCH = 25 };

const char *const bench_phases[BENCH_TIMES] = {"ask", "fit", "draws", "scan", "polish", "choose"};

const char *const bench_kinds[BENCH_KINDS] = {"kept", "learnt", "learnt first"};

bench_ask_plan bench_ask_plan_of(const bench_ask_settings *settings) {
  return (bench_ask_plan){.method = settings->method,
                          .problem = settings->problem,
                          .set = &settings->set,
                          .d = settings->d,
                          .q = settings->q,
                          .seed = settings->seed,
                          .candidates = settings->candidates,
                          .found = settings->found};
}

gannet_err bench_asking_prepare(bench_asking *a, MPI_Comm comm, const bench_ask_plan *plan) {
  char text[96];
  a->plan = *plan;
  a->comm = comm;
  (void)snprintf(text, sizeof text, "%s:%d", plan->problem, plan->d);
  GANNET_TRY(bench_problem_read(text, &a->problem));
  GANNET_TRY(bench_method_read(plan->method, plan->set, &a->method));
  GANNET_TRY(bench_problem_space(&a->problem, bench_method_takes_equations(&a->method), &a->space));
  GANNET_REQUIRE(a->method.n_settings + 2 <= BENCH_SETTINGS_MOST, GANNET_ERR_INPUT,
                 "too many settings; give fewer");
  (void)snprintf(a->candidates, sizeof a->candidates, "%lld", (long long)plan->candidates);
  a->method.setting[a->method.n_settings++] =
      (gannet_method_setting){"search.candidates", a->candidates};
  a->n_settings = a->method.n_settings;
  GANNET_TRY(gannet_alloc((size_t)plan->q * (size_t)plan->d, sizeof *a->x, &a->x));
  return gannet_alloc((size_t)plan->q, sizeof *a->id, &a->id);
}

/* What the user has set, stays. */
void bench_asking_refit(bench_asking *a, bool always) {
  a->method.n_settings = a->n_settings;
  for (int k = 0; k < a->n_settings; ++k)
    if (strcmp(a->method.setting[k].key, "refit") == 0) return;
  if (always) a->method.setting[a->method.n_settings++] = (gannet_method_setting){"refit", "0"};
}

void bench_asking_release(bench_asking *a) {
  gannet_problem_destroy(&a->space);
  bench_problem_release(&a->problem);
  bench_method_release(&a->method);
  gannet_free(&a->told_x);
  gannet_free(&a->told_y);
  gannet_free(&a->x);
  gannet_free(&a->id);
}

static void end_part(void *user, gannet_phase phase) {
  bench_asking *a = user;
  const bench_traffic since = bench_traffic_since(&a->before);
  bench_traffic_add(&a->cost->traffic[1 + phase], &since);
  a->before = bench_traffic_read();
}

gannet_err bench_asking_start(bench_asking *a, int seed) {
  GANNET_TRY(gannet_context_create(a->comm, (uint64_t)seed, &a->context));
  GANNET_TRY(gannet_optimizer_create(a->context, a->space, a->method.n_settings, a->method.setting,
                                     &a->optimizer));
  a->optimizer->phases.ended = end_part;
  a->optimizer->phases.user = a;
  return GANNET_OK;
}

void bench_asking_stop(bench_asking *a) {
  gannet_optimizer_destroy(&a->optimizer);
  gannet_context_destroy(&a->context);
}

/* Uniform points; x: [n][d], y: [n][objectives]. */
static gannet_err place_uniform(bench_asking *a, int n, double *x, double *y) {
  const size_t d = (size_t)a->problem.d, m = (size_t)a->problem.objectives;
  const gannet_stream stream = {(uint64_t)a->plan.seed, GANNET_FOR_SIMULATION, 1, 0};
  gannet_random_uniform(stream, 0, (size_t)n * d, x);
  for (size_t i = 0; i < (size_t)n; ++i) {
    for (size_t k = 0; k < d; ++k)
      x[i * d + k] =
          a->problem.lower[k] + x[i * d + k] * (a->problem.upper[k] - a->problem.lower[k]);
    GANNET_TRY(bench_problem_value(&a->problem, x + i * d, y + i * m));
  }
  return GANNET_OK;
}

static gannet_err tell_points(gannet_optimizer *optimizer, const bench_asking *a, int from,
                              int to) {
  const size_t d = (size_t)a->problem.d, m = (size_t)a->problem.objectives;
  for (size_t i = (size_t)from; i < (size_t)to; ++i) {
    const gannet_result result = {.outcome = GANNET_RESULT_OK, .objectives = a->told_y + i * m};
    GANNET_TRY(gannet_optimizer_tell_point(optimizer, a->told_x + i * d, &result, NULL));
  }
  return GANNET_OK;
}

/* Points from number `from` to `to` of what is told: those that the method asks for. */
static gannet_err search(bench_asking *a, gannet_optimizer *optimizer, int from, int to) {
  const size_t d = (size_t)a->problem.d, m = (size_t)a->problem.objectives;
  int64_t id[SEARCH_BATCH];
  GANNET_TRY(tell_points(optimizer, a, 0, from));
  for (int q; from < to; from += q) {
    q = to - from < SEARCH_BATCH ? to - from : SEARCH_BATCH;
    double *x = a->told_x + (size_t)from * d, *y = a->told_y + (size_t)from * m;
    GANNET_TRY(gannet_optimizer_ask(optimizer, q, id, x));
    for (int i = 0; i < q; ++i) {
      const gannet_result result = {
          .id = id[i], .outcome = GANNET_RESULT_OK, .objectives = y + (size_t)i * m};
      GANNET_TRY(bench_problem_value(&a->problem, x + (size_t)i * d, y + (size_t)i * m));
      GANNET_TRY(gannet_optimizer_tell(optimizer, 1, &result));
    }
  }
  return GANNET_OK;
}

/* Make n points that are told: uniform ones, then those of a search with few candidates. */
static gannet_err make_points(bench_asking *a, int n) {
  const size_t rows = (size_t)n, objectives = (size_t)a->problem.objectives;
  gannet_method_setting setting[BENCH_SETTINGS_MOST];
  gannet_context *context = NULL;
  gannet_optimizer *optimizer = NULL;
  const int n_settings = a->n_settings, uniform = n - (int)(a->plan.found * n);
  gannet_free(&a->told_x);
  gannet_free(&a->told_y);
  GANNET_TRY(gannet_alloc(rows * (size_t)a->problem.d, sizeof *a->told_x, &a->told_x));
  GANNET_TRY(gannet_alloc(rows * objectives, sizeof *a->told_y, &a->told_y));
  GANNET_TRY(place_uniform(a, uniform, a->told_x, a->told_y));
  memcpy(setting, a->method.setting, (size_t)n_settings * sizeof *setting);
  setting[n_settings - 1].text = "1000"; /* candidates */
  gannet_err err = gannet_context_create(a->comm, (uint64_t)a->plan.seed, &context);
  if (err == GANNET_OK && uniform < n)
    err = gannet_optimizer_create(context, a->space, n_settings, setting, &optimizer);
  if (err == GANNET_OK && uniform < n) err = search(a, optimizer, uniform, n);
  if (err == GANNET_OK) a->n_told = n;
  gannet_optimizer_destroy(&optimizer);
  gannet_context_destroy(&context);
  return err;
}

gannet_err bench_asking_fill(bench_asking *a, int n) {
  if (n > a->n_told) GANNET_TRY(make_points(a, n));
  GANNET_TRY(tell_points(a->optimizer, a, 0, n));
  return GANNET_OK;
}

gannet_err bench_asking_tell(bench_asking *a) {
  for (int i = 0; i < a->plan.q; ++i) {
    double values[GANNET_OBJECTIVES_MOST];
    const gannet_result result = {
        .id = a->id[i], .outcome = GANNET_RESULT_OK, .objectives = values};
    GANNET_TRY(bench_problem_value(&a->problem, a->x + (size_t)i * (size_t)a->problem.d, values));
    GANNET_TRY(gannet_optimizer_tell(a->optimizer, 1, &result));
  }
  return GANNET_OK;
}

/* Whether a model of any member noted at how many results its hyperparameters were learnt. */
static bool has_learned(gannet_state *before, const gannet_state *after) {
  static const char note[] = ".learned";
  bool learned = false;
  for (int i = 0; i < after->n && !learned; ++i) {
    const gannet_state_value *value = &after->value[i];
    const size_t length = strlen(value->name), end = sizeof note - 1;
    double then = 0;
    if (length < end || strcmp(value->name + (length - end), note) != 0) continue;
    (void)gannet_state_find(before, "", value->name, &then);
    learned = then != value->number;
  }
  return learned;
}

static gannet_err check_modelled(const bench_asking *a) {
  const gannet_history *history = a->optimizer->history;
  bool modelled = false;
  for (int i = 0; i < a->optimizer->options.n_members; ++i)
    modelled = modelled || a->optimizer->member[i].models;
  GANNET_REQUIRE(
      !modelled || gannet_history_get(history, a->id[0])->origin != GANNET_ORIGIN_INITIAL,
      GANNET_ERR_INPUT,
      "%s still makes its initial design after %lld observations; give a larger n", a->method.name,
      (long long)gannet_history_count_told(history));
  return GANNET_OK;
}

static void note_scan(bench_asking *a) {
  const gannet_optimizer *o = a->optimizer;
  const gannet_member_options *options = &o->options.member[0];
  a->draws =
      o->options.n_members == 1 && options->acq_type && options->acq_type->kind == GANNET_ACQ_DRAWS;
}

gannet_err bench_asking_ask(bench_asking *a, bench_ask_cost *cost) {
  gannet_state before = {0}, after = {0};
  *cost = (bench_ask_cost){.learned = false};
  GANNET_TRY(gannet_optimizer_get_state(a->optimizer, &before));
  a->cost = cost;
  const bench_traffic start = a->before = bench_traffic_read();
  gannet_err err = gannet_optimizer_ask(a->optimizer, a->plan.q, a->id, a->x);
  cost->traffic[BENCH_ASK] = bench_traffic_since(&start);
  if (err == GANNET_OK) err = gannet_optimizer_get_state(a->optimizer, &after);
  cost->learned = err == GANNET_OK && has_learned(&before, &after);
  gannet_state_release(&before);
  gannet_state_release(&after);
  if (err == GANNET_OK) GANNET_TRY(check_modelled(a));
  note_scan(a);
  cost->seconds[BENCH_ASK] = a->optimizer->ask_seconds;
  memcpy(cost->seconds + 1, a->optimizer->phases.seconds, sizeof a->optimizer->phases.seconds);
  return err;
}

/* Observations to begin with. */
static gannet_err place(const bench_asking *a, const bench_ask_series *series, int *begin) {
  const double n = series->n, q = a->plan.q, around = series->around;
  const double first = around > 0 ? n - q * floor((around + 1) / 2) : n;
  GANNET_REQUIRE(q * (around - 1) <= 0.5 * n, GANNET_ERR_INPUT,
                 "n = %d: %d asks of %d points would have between %.0f and %.0f observations; give "
                 "fewer of them, or a larger n",
                 series->n, series->around, a->plan.q, first + q, first + q * around);
  GANNET_REQUIRE(
      first >= 2, GANNET_ERR_INPUT,
      "n = %d: expected more than the %d points of the batch before; give a larger n, or "
      "a smaller q",
      series->n, a->plan.q);
  *begin = (int)first;
  return GANNET_OK;
}

static gannet_err ask_until_enough(bench_asking *a, const bench_ask_series *series,
                                   bench_ask_taker take, void *user) {
  bench_ask_cost cost;
  int begin = 0;
  GANNET_TRY(place(a, series, &begin));
  GANNET_TRY(bench_asking_fill(a, begin));
  GANNET_TRY(bench_asking_ask(a, &cost));
  bool enough = take(user, true, &cost);
  for (int i = 0; i < 4 * series->around && !enough; ++i) {
    GANNET_TRY(bench_asking_tell(a));
    GANNET_TRY(bench_asking_ask(a, &cost));
    enough = take(user, false, &cost);
  }
  return GANNET_OK;
}

gannet_err bench_asking_run(bench_asking *a, const bench_ask_series *series, bench_ask_taker take,
                            void *user, double *bytes) {
  const double before = bench_allocated_memory();
  gannet_err err = bench_asking_start(a, series->seed);
  if (err == GANNET_OK) err = ask_until_enough(a, series, take, user);
  *bytes = bench_allocated_memory() - before;
  bench_asking_stop(a);
  return err;
}
