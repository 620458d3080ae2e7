/* What a long history costs and what it is worth: every method continues the same campaigns. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "benchmark/bench.h"
#include "benchmark/cells.h"
#include "benchmark/held_out.h"
#include "benchmark/memory.h"
#include "benchmark/rates.h"
#include "benchmark/subject.h"
#include "optimizer/optimizer_impl.h"
#include "problem/problem.h"

enum { ELITE = 50, HELD_OUT = 500 };

typedef struct {
  gannet_text_list methods, problems, set;
  gannet_real_list n;
  int q, batches, candidates, seeds;
  double found;
} history_settings;

static const gannet_option history_options[] = {
    {.key = "methods",
     .type = GANNET_TEXT_LIST,
     .offset = offsetof(history_settings, methods),
     .fallback = "neural-bo+surrogate.inducing=0,neural-bo+surrogate.inducing=500",
     .help = "methods that continue, with settings if wanted"},
    {.key = "problems",
     .type = GANNET_TEXT_LIST,
     .offset = offsetof(history_settings, problems),
     .fallback = "hartmann6:6,levy:20",
     .help = "built-in problems with their numbers of variables"},
    {.key = "set",
     .type = GANNET_TEXT_LIST,
     .offset = offsetof(history_settings, set),
     .help = "settings key=value of all methods"},
    {.key = "n",
     .type = GANNET_REAL_LIST,
     .offset = offsetof(history_settings, n),
     .fallback = "2000",
     .lower = 2,
     .upper = 1e6,
     .help = "numbers of observations to begin with"},
    {.key = "q",
     .type = GANNET_INTEGER,
     .offset = offsetof(history_settings, q),
     .fallback = "16",
     .lower = 1,
     .upper = 10000,
     .help = "points per batch"},
    {.key = "batches",
     .type = GANNET_INTEGER,
     .offset = offsetof(history_settings, batches),
     .fallback = "20",
     .lower = 1,
     .upper = 10000,
     .help = "batches that are proposed and evaluated"},
    {.key = "candidates",
     .type = GANNET_INTEGER,
     .offset = offsetof(history_settings, candidates),
     .fallback = "4000",
     .lower = 1,
     .upper = 1e9,
     .help = "candidates per batch"},
    {.key = "seeds",
     .type = GANNET_INTEGER,
     .offset = offsetof(history_settings, seeds),
     .fallback = "5",
     .lower = 1,
     .upper = 1000,
     .help = "campaigns per problem"},
    {.key = "found",
     .type = GANNET_REAL,
     .offset = offsetof(history_settings, found),
     .fallback = "0.5",
     .lower = 0,
     .upper = 1,
     .help = "share of the history that gathers round its best points, the rest being uniform"},
    {0},
};

/* One campaign of one method. */
typedef struct {
  const history_settings *settings;
  const bench_world *world;
  const bench_problem *problem;
  const bench_method *method;
  int seed;
  gannet_optimizer *optimizer;
  int n_elite;
  double elite[ELITE]; /* values of the best so far, ascending */
  double *places;      /* [ELITE][d] theirs */
  double *x;           /* [q][d] */
  double *sample_x;    /* [n + HELD_OUT][d] history and others like it, in the unit cube */
  double *sample_y;    /* [n + HELD_OUT] */
  double *u;           /* [numbers_of] random numbers of a point */
  int64_t *id;         /* [q] */
  double best;
} campaign;

/* What is measured of it. */
typedef struct {
  double begun, ended;              /* regret */
  double seconds;                   /* of a proposal, on average */
  double phase[GANNET_PHASE_COUNT]; /* of these, parts */
  double bytes;                     /* of the optimiser, without what ranks share */
  bench_prediction prediction;
} result;

/* Three per variable, and three more. */
static size_t numbers_of(const bench_problem *p) {
  return 3 * (size_t)p->d + 3;
}

static void remember(campaign *c, const double *x, double value) {
  const size_t d = (size_t)c->problem->d;
  c->best = fmin(c->best, value);
  if (c->n_elite == ELITE && value >= c->elite[ELITE - 1]) return;
  int at = c->n_elite < ELITE ? c->n_elite++ : ELITE - 1;
  for (; at > 0 && c->elite[at - 1] > value; --at) {
    c->elite[at] = c->elite[at - 1];
    memcpy(c->places + (size_t)at * d, c->places + ((size_t)at - 1) * d, d * sizeof *x);
  }
  c->elite[at] = value;
  memcpy(c->places + (size_t)at * d, x, d * sizeof *x);
}

/* Point i of the history: uniform, or one of the best with every coordinate moved, or not, by a
 * normal step between a thousandth and a third of the box. */
static void place(campaign *c, int i, bool near_best) {
  const bench_problem *p = c->problem;
  const size_t d = (size_t)p->d;
  const gannet_stream stream = {(uint64_t)c->seed, GANNET_FOR_SIMULATION, 2, 0};
  const double *u = c->u;
  gannet_random_uniform(stream, (uint64_t)i * numbers_of(p), numbers_of(p), c->u);
  const double *from = c->places + (size_t)(u[3 * d] * c->n_elite) * d;
  const double step = exp(log(1e-3) + u[3 * d + 1] * log(1e3 / 3)), share = u[3 * d + 2];
  for (size_t k = 0; k < d; ++k) {
    const double width = p->upper[k] - p->lower[k];
    const double normal = sqrt(-2 * log1p(-u[k])) * cos(2 * acos(-1) * u[d + k]);
    c->x[k] = near_best ? from[k] + (u[2 * d + k] <= share) * step * width * normal
                        : p->lower[k] + u[k] * width;
    c->x[k] = fmin(fmax(c->x[k], p->lower[k]), p->upper[k]);
  }
}

/* The history, then points like its own that nobody is told of. */
static gannet_err begin(campaign *c, int n) {
  const bench_problem *p = c->problem;
  const size_t d = (size_t)p->d;
  const double found = c->settings->found;
  for (int i = 0; i < n + HELD_OUT; ++i) {
    gannet_result row = {.outcome = GANNET_RESULT_OK};
    const bool uniform =
        i < n ? i < n - (int)(found * n) : i - n < HELD_OUT - (int)(found * HELD_OUT);
    place(c, i, !uniform && c->n_elite > 0);
    GANNET_TRY(bench_problem_value(p, c->x, &row.objective));
    c->sample_y[i] = row.objective;
    for (size_t k = 0; k < d; ++k)
      c->sample_x[(size_t)i * d + k] = (c->x[k] - p->lower[k]) / (p->upper[k] - p->lower[k]);
    if (i >= n) continue;
    remember(c, c->x, row.objective);
    GANNET_TRY(gannet_optimizer_tell_point(c->optimizer, c->x, &row, NULL));
  }
  return GANNET_OK;
}

/* By the surrogate of the method's first member, if it has one. */
static gannet_err predict(const campaign *c, const gannet_context *context, int n, result *r) {
  const gannet_member_options *member = &c->optimizer->options.member[0];
  const bench_sample sample = {n, HELD_OUT, c->sample_x, c->sample_y};
  r->prediction = (bench_prediction){NAN, NAN, NAN};
  if (!member->surrogate_type || member->proposer != GANNET_PROPOSE_MODEL) return GANNET_OK;
  if (bench_method_takes_equations(c->method)) return GANNET_OK;
  return bench_predict_held_out(context, member->surrogate_type, member->surrogate_options,
                                c->problem->d, &sample, &r->prediction);
}

static gannet_err go_on(campaign *c, result *r) {
  const history_settings *s = c->settings;
  for (int b = 0; b < s->batches; ++b) {
    GANNET_TRY(gannet_optimizer_ask(c->optimizer, s->q, c->id, c->x));
    r->seconds += c->optimizer->ask_seconds / s->batches;
    for (int k = 0; k < GANNET_PHASE_COUNT; ++k)
      r->phase[k] += c->optimizer->phases.seconds[k] / s->batches;
    for (int i = 0; i < s->q; ++i) {
      const double *x = c->x + (size_t)i * (size_t)c->problem->d;
      gannet_result row = {.id = c->id[i], .outcome = GANNET_RESULT_OK};
      GANNET_TRY(bench_problem_value(c->problem, x, &row.objective));
      c->best = fmin(c->best, row.objective);
      GANNET_TRY(gannet_optimizer_tell(c->optimizer, 1, &row));
    }
  }
  return GANNET_OK;
}

static gannet_err run_in(campaign *c, gannet_context *context, int n, result *r) {
  gannet_problem *space = NULL;
  const double before = bench_allocated_memory();
  gannet_err err = bench_problem_space(c->problem, bench_method_takes_equations(c->method), &space);
  if (err == GANNET_OK)
    err = gannet_optimizer_create(context, space, c->method->n_settings, c->method->setting,
                                  &c->optimizer);
  if (err == GANNET_OK) err = begin(c, n);
  r->begun = c->best - c->problem->minimum;
  if (err == GANNET_OK) err = predict(c, context, n, r);
  if (err == GANNET_OK) err = go_on(c, r);
  r->ended = c->best - c->problem->minimum;
  r->bytes = bench_allocated_memory() - before;
  gannet_optimizer_destroy(&c->optimizer);
  gannet_problem_destroy(&space);
  return err;
}

static gannet_err run_campaign(campaign *c, int n, result *r) {
  const size_t d = (size_t)c->problem->d, q = (size_t)c->settings->q;
  gannet_context *context = NULL;
  const double bytes = sizeof(double) * ((double)n + HELD_OUT) * (c->problem->d + 1.0);
  GANNET_TRY(bench_memory_check(c->world, bytes, "the history and the points beside it",
                                "lower --n, or take a problem with fewer variables"));
  c->best = INFINITY;
  gannet_err err = gannet_alloc(ELITE * d, sizeof *c->places, &c->places);
  if (err == GANNET_OK) err = gannet_alloc(q * d, sizeof *c->x, &c->x);
  const size_t sample = (size_t)n + HELD_OUT;
  if (err == GANNET_OK) err = gannet_alloc(sample * d, sizeof(double), &c->sample_x);
  if (err == GANNET_OK) err = gannet_alloc(sample, sizeof(double), &c->sample_y);
  if (err == GANNET_OK) err = gannet_alloc(numbers_of(c->problem), sizeof *c->u, &c->u);
  if (err == GANNET_OK) err = gannet_alloc(q, sizeof *c->id, &c->id);
  err = gannet_agree(c->world->comm, err);
  if (err == GANNET_OK) err = gannet_context_create(c->world->comm, (uint64_t)c->seed, &context);
  if (err == GANNET_OK) err = run_in(c, context, n, r);
  gannet_context_destroy(&context);
  gannet_free(&c->places);
  gannet_free(&c->x);
  gannet_free(&c->sample_x);
  gannet_free(&c->sample_y);
  gannet_free(&c->u);
  gannet_free(&c->id);
  return err;
}

static void print_row(const campaign *c, const char *problem, int n, const result *r,
                      double *column) {
  const int seeds = c->settings->seeds;
  if (c->world->rank > 0) return;
  (void)printf("| %s | %d | %s |", problem, n, c->method->name);
  for (int i = 0; i < seeds; ++i) column[i] = r[i].begun;
  bench_print_spread(seeds, column);
  for (int i = 0; i < seeds; ++i) column[i] = r[i].ended;
  bench_print_spread(seeds, column);
  for (int i = 0; i < seeds; ++i) column[i] = r[i].prediction.nlpd;
  bench_print_spread(seeds, column);
  for (int i = 0; i < seeds; ++i) column[i] = r[i].prediction.rmse;
  bench_print_spread(seeds, column);
  for (int i = 0; i < seeds; ++i) column[i] = r[i].seconds;
  (void)printf(" %.0f |", 1e3 * bench_median(seeds, column));
  for (int k = 0; k < GANNET_PHASE_COUNT; ++k) {
    for (int i = 0; i < seeds; ++i) column[i] = r[i].phase[k];
    (void)printf(" %.0f |", 1e3 * bench_median(seeds, column));
  }
  (void)printf(" %.0f |\n", r[0].bytes / 1e6);
}

static gannet_err run_method(const bench_world *world, const history_settings *s,
                             const char *problem, const char *method, int n) {
  bench_problem p = {0};
  bench_method m = {0};
  char candidates[16];
  result *r = NULL;
  double *column = NULL;
  campaign c = {.settings = s, .world = world, .problem = &p, .method = &m};
  gannet_err err = bench_problem_read(problem, &p);
  if (err == GANNET_OK && p.objectives > 1)
    err = GANNET_RAISE(GANNET_ERR_INPUT, "%s has several objectives; expected one, as in %s/1:%d",
                       problem, p.type->name, p.d);
  if (err == GANNET_OK) err = bench_method_read(method, &s->set, &m);
  if (err == GANNET_OK && m.n_settings >= BENCH_SETTINGS_MOST)
    err = GANNET_RAISE(GANNET_ERR_INPUT, "too many settings; give fewer");
  if (err == GANNET_OK) err = gannet_alloc((size_t)s->seeds, sizeof *r, &r);
  if (err == GANNET_OK) err = gannet_alloc((size_t)s->seeds, sizeof *column, &column);
  err = gannet_agree(world->comm, err);
  (void)snprintf(candidates, sizeof candidates, "%d", s->candidates);
  if (err == GANNET_OK)
    m.setting[m.n_settings++] = (gannet_method_setting){"search.candidates", candidates};
  for (int i = 0; i < s->seeds && err == GANNET_OK; ++i) {
    c = (campaign){.settings = s, .world = world, .problem = &p, .method = &m, .seed = 1 + i};
    err = run_campaign(&c, n, &r[i]);
  }
  if (err == GANNET_OK) print_row(&c, problem, n, r, column);
  gannet_free(&r);
  gannet_free(&column);
  bench_method_release(&m);
  bench_problem_release(&p);
  return err;
}

static gannet_err run_history(const bench_world *world, const void *settings) {
  const history_settings *s = settings;
  if (world->rank == 0)
    (void)printf(
        "q = %d, %d batches, %d candidates, %d seed(s), %d rank(s); median (least to "
        "most)\n\n| problem | n | method | regret at n | regret at n + %d | NLPD | RMSE "
        "| ms per proposal | fit | draws | scan | polish | choose | optimiser, MB "
        "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        s->q, s->batches, s->candidates, s->seeds, world->np, s->q * s->batches);
  for (int p = 0; p < s->problems.n; ++p)
    for (int i = 0; i < s->n.n; ++i)
      for (int m = 0; m < s->methods.n; ++m)
        GANNET_TRY(
            run_method(world, s, s->problems.item[p], s->methods.item[m], (int)s->n.item[i]));
  return GANNET_OK;
}

const bench_type bench_history = {
    .name = "history",
    .summary = "what a long history costs and is worth: time, memory, prediction and regret",
    .options = history_options,
    .options_size = sizeof(history_settings),
    .run = run_history,
};
