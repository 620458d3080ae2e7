/* Time and memory of one proposal, by number of observations. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/memory.h"
#include "benchmark/asking.h"
#include "benchmark/cells.h"
#include "benchmark/rates.h"

typedef struct {
  bench_ask_settings ask; /* first */
  char *alone;
} proposal_settings;

static const gannet_option proposal_options[] = {
    BENCH_ASK_OPTIONS,
    {.key = "alone",
     .type = GANNET_TEXT,
     .offset = offsetof(proposal_settings, alone),
     .fallback = "gp-ei",
     .help =
         "method of a problem with several objectives, as dtlz2/3, for its first one alone: how "
         "many times as long an ask of all takes"},
    BENCH_ASK_INTEGER(q, "8", 1, 10000, "points per batch"),
    BENCH_ASK_INTEGER(candidates, "10000", 1, 1e9, "candidates per batch"),
    BENCH_ASK_INTEGER(repeat, "5", 1, 1000, "proposals without learning that are timed"),
    BENCH_ASK_INTEGER(fits, "3", 1, 1000, "proposals with learning that are timed, of each kind"),
    {0},
};

typedef struct {
  int n, most;
  double *seconds; /* [BENCH_TIMES][most] */
  double median[BENCH_TIMES];
} sample;

/* What is reported for one number of observations. */
typedef struct {
  int n;
  sample of[BENCH_KINDS];
  double optimizer_bytes, peak_bytes;
} measurement;

/* Asks of one kind until there are enough. */
typedef struct {
  measurement *m;
  bench_ask_kind wanted;
  int enough;
} collection;

/* bench_ask_taker */
static bool take(void *user, bool first, const bench_ask_cost *cost) {
  const collection *c = user;
  const bench_ask_kind kind = !cost->learned ? BENCH_KEPT : first ? BENCH_FIRST : BENCH_LEARNT;
  sample *of = &c->m->of[c->wanted];
  if (kind == c->wanted && first == (kind == BENCH_FIRST)) {
    for (int t = 0; t < BENCH_TIMES; ++t) of->seconds[t * of->most + of->n] = cost->seconds[t];
    ++of->n;
  }
  return of->n >= c->enough;
}

static gannet_err collect(bench_asking *s, int seed, int around, collection c) {
  const bench_ask_series series = {seed, c.m->n, around};
  return bench_asking_run(s, &series, take, &c, &c.m->optimizer_bytes);
}

/* All askings in turns: s and m [n_askings]. */
static gannet_err measure_all(int n_askings, bench_asking *s, const bench_ask_settings *settings,
                              measurement *const *m) {
  for (int i = 0; i < settings->fits; ++i)
    for (int a = 0; a < n_askings; ++a) {
      bench_asking_refit(&s[a], true);
      GANNET_TRY(collect(&s[a], settings->seed + i, 0, (collection){m[a], BENCH_FIRST, i + 1}));
      GANNET_TRY(collect(&s[a], settings->seed + i, 1, (collection){m[a], BENCH_LEARNT, i + 1}));
    }
  for (int a = 0; a < n_askings; ++a) {
    bench_asking_refit(&s[a], false);
    const collection kept = {m[a], BENCH_KEPT, settings->repeat};
    GANNET_TRY(collect(&s[a], settings->seed, settings->repeat, kept));
    m[a]->peak_bytes = bench_peak_memory();
  }
  return GANNET_OK;
}

static gannet_err measure(int n_askings, bench_asking *s, const bench_ask_settings *settings,
                          measurement *const *m) {
  gannet_err err = GANNET_OK;
  for (int i = 0; i < n_askings * BENCH_KINDS && err == GANNET_OK; ++i) {
    sample *of = &m[i / BENCH_KINDS]->of[i % BENCH_KINDS];
    of->most = i % BENCH_KINDS == BENCH_KEPT ? settings->repeat : settings->fits;
    err = gannet_alloc((size_t)(BENCH_TIMES * of->most), sizeof(double), &of->seconds);
  }
  if (err == GANNET_OK) err = measure_all(n_askings, s, settings, m);
  for (int i = 0; i < n_askings * BENCH_KINDS; ++i) {
    sample *of = &m[i / BENCH_KINDS]->of[i % BENCH_KINDS];
    for (int c = 0; c < BENCH_TIMES; ++c)
      of->median[c] = bench_median(of->n, of->seconds + c * of->most);
    gannet_free(&of->seconds);
  }
  return err;
}

static void print_times(const char *what, int n, const double *median) {
  (void)printf("| %d | %s |", n, what);
  for (int c = 0; c < BENCH_TIMES; ++c)
    (void)(isnan(median[c]) ? printf(" – |") : printf(" %.1f |", 1e3 * median[c]));
  (void)printf("\n");
}

static void print_growth(const measurement *a, const measurement *b) {
  char kept[BENCH_GROWTH_SIZE], learnt[BENCH_GROWTH_SIZE], memory[BENCH_GROWTH_SIZE];
  (void)printf(
      "\nGrowth from n = %d to %d: ask %s without learning, %s with; memory of the optimiser %s "
      "(exponents of "
      "n).\n",
      a->n, b->n,
      bench_growth_text(a->n, a->of[BENCH_KEPT].median[BENCH_ASK], b->n,
                        b->of[BENCH_KEPT].median[BENCH_ASK], kept),
      bench_growth_text(a->n, a->of[BENCH_LEARNT].median[BENCH_ASK], b->n,
                        b->of[BENCH_LEARNT].median[BENCH_ASK], learnt),
      bench_growth_text(a->n, a->optimizer_bytes, b->n, b->optimizer_bytes, memory));
}

/* The products that a scan cannot do without, when values are k(x, X) c_j: inner products of
 * candidates with the data, and with the weights of q draws. */
static double least_operations(const bench_ask_settings *s, int n) {
  return 2.0 * s->candidates * n * (s->d + 1.0 + s->q);
}

static void print_memory(const bench_ask_settings *s, const bench_asking *asking, double rate,
                         const measurement *m) {
  const double scan = m->of[BENCH_KEPT].median[1 + GANNET_PHASE_SCAN];
  (void)printf("| %d | %.1f | %.1f | %.1f |", m->n, m->optimizer_bytes / 1e6, 4e-6 * m->n * m->n,
               m->peak_bytes / 1e6);
  if (asking->draws && scan > 0)
    (void)printf(" %.2f |\n", least_operations(s, m->n) / scan / rate);
  else
    (void)printf(" – |\n");
}

static gannet_err print_all(const bench_world *world, const bench_ask_settings *s,
                            const bench_asking *asking, int n, const measurement *m) {
  double rate = 0;
  GANNET_TRY(bench_scan_rate(world->comm, &rate));
  if (world->rank > 0) return GANNET_OK;
  (void)printf(
      "%s, %d variables, q = %d, %d candidates, %d rank(s); medians in milliseconds\n\n| "
      "n | hyperparameters |",
      s->method, s->d, s->q, s->candidates, world->np);
  for (int c = 0; c < BENCH_TIMES; ++c) (void)printf(" %s |", bench_phases[c]);
  (void)printf("\n|---|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < BENCH_KINDS; ++k) print_times(bench_kinds[k], m[i].n, m[i].of[k].median);
  (void)printf(
      "\n| n | optimiser, MB | factor 4n^2, MB | peak of the process, MB | scan, share of "
      "DGEMM peak |\n|---|---|---|---|---|\n");
  for (int i = 0; i < n; ++i) print_memory(s, asking, rate, &m[i]);
  for (int i = 1; i < n; ++i) print_growth(&m[i - 1], &m[i]);
  (void)printf("\nDGEMM 512 x 64 x 512 in the same run: %.1f GFLOP/s on all ranks.\n", rate / 1e9);
  return GANNET_OK;
}

static void print_ratios(const proposal_settings *s, const measurement *all,
                         const measurement *alone) {
  (void)printf(
      "\nThe first objective alone with %s:\n\n| n | hyperparameters | ask | all "
      "objectives, times as long |\n|---|---|---|---|\n",
      s->alone);
  for (int i = 0; i < s->ask.n.n; ++i)
    for (int k = 0; k < BENCH_KINDS; ++k) {
      const double one = alone[i].of[k].median[BENCH_ASK];
      (void)printf("| %d | %s |", all[i].n, bench_kinds[k]);
      bench_print_number(1, 1e3 * one);
      bench_print_number(2, all[i].of[k].median[BENCH_ASK] / one);
      (void)printf("\n");
    }
}

static gannet_err run_proposal(const bench_world *world, const void *options) {
  const proposal_settings *settings = options;
  const int n = settings->ask.n.n;
  bench_ask_plan plan = bench_ask_plan_of(&settings->ask);
  bench_asking s[2] = {0}; /* all objectives, and the first alone if there are several */
  measurement *m = NULL;
  char first[64];
  int n_askings = 1;
  gannet_err err = bench_asking_prepare(&s[0], world->comm, &plan);
  if (err == GANNET_OK && s[0].problem.objectives > 1) {
    (void)snprintf(first, sizeof first, "%s/1", s[0].problem.type->name);
    plan.problem = first;
    plan.method = settings->alone;
    err = bench_asking_prepare(&s[n_askings++], world->comm, &plan);
  }
  if (err == GANNET_OK) err = gannet_alloc(2 * (size_t)n, sizeof *m, &m);
  err = gannet_agree(world->comm, err);
  for (int i = 0; i < n && err == GANNET_OK; ++i) {
    m[i].n = m[n + i].n = (int)settings->ask.n.item[i];
    err = measure(n_askings, s, &settings->ask, (measurement *const[]){&m[i], &m[n + i]});
  }
  if (err == GANNET_OK) err = print_all(world, &settings->ask, &s[0], n, m);
  if (err == GANNET_OK && n_askings > 1 && world->rank == 0) print_ratios(settings, m, m + n);
  for (int a = 0; a < n_askings; ++a) bench_asking_release(&s[a]);
  gannet_free(&m);
  return err;
}

const bench_type bench_proposal = {
    .name = "proposal",
    .summary = "time and memory of a proposal, by number of observations",
    .options = proposal_options,
    .options_size = sizeof(proposal_settings),
    .run = run_proposal,
};
