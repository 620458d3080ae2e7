/* Strong scaling of proposals: the same ask on one rank and on all of them, in turns, so that the
 * two times of a pair come from the same second of a machine whose speed changes. Where others take
 * part of the processors, even products that need no exchange are less than P times as fast on P
 * ranks, as the slowest decides: how much less is measured with every pair. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "benchmark/asking.h"
#include "benchmark/rates.h"
#include "suite/statistics.h"

static const gannet_option speedup_options[] = {
    BENCH_ASK_OPTIONS,
    BENCH_ASK_INTEGER(q, "8", 1, 10000, "points per batch"),
    BENCH_ASK_INTEGER(candidates, "10000", 1, 1e9, "candidates per batch"),
    BENCH_ASK_INTEGER(repeat, "12", 1, 1000, "pairs of proposals without learning"),
    BENCH_ASK_INTEGER(fits, "6", 1, 1000, "pairs of proposals with learning, of each kind"),
    {0},
};

/* The same optimiser twice; `alone` lives on one rank only. */
typedef struct {
  MPI_Comm comm;
  int rank, np;
  int single; /* the rank that asks alone */
  bool turn;  /* who begins alternates: the second finds caches and clock rate as the first left */
  bench_asking alone, all;
  bench_products products;
  double product; /* seconds of one */
} pair;

/* All pairs of one kind. */
typedef struct {
  int n, most, same;   /* pairs, room for so many, and those with the same points */
  double *alone, *all; /* [BENCH_TIMES][most], seconds; the slowest rank's */
  double *even;        /* [most], speed-up of products that need no exchange */
} sample;

/* Until the rank that has the turn arrives, without taking a share of its processor: MPI's own
 * barrier would poll. */
static gannet_err rest(const pair *p) {
  const struct timespec nap = {.tv_nsec = 200000};
  MPI_Request request = MPI_REQUEST_NULL;
  int done = p->rank == p->single;
  GANNET_TRY_MPI(MPI_Ibarrier(p->comm, &request));
  if (done) GANNET_TRY_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
  while (!done) {
    GANNET_TRY_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (!done) (void)nanosleep(&nap, NULL);
  }
  return GANNET_OK;
}

/* Speed-up of products that take as long as an ask on one rank. */
static gannet_err multiply(pair *p, double seconds, double *speedup) {
  double time[2] = {0, 0};
  const int64_t each = 1 + (int64_t)(fmin(seconds, 1) / p->product / p->np);
  if (p->rank == p->single) time[0] = bench_products_do(&p->products, each * p->np);
  GANNET_TRY(rest(p));
  time[1] = bench_products_do(&p->products, each);
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, time, 2, MPI_DOUBLE, MPI_MAX, p->comm));
  *speedup = time[0] / time[1];
  return GANNET_OK;
}

typedef gannet_err action(bench_asking *a, int n, bench_ask_cost *cost);

static gannet_err do_start(bench_asking *a, int seed, bench_ask_cost *cost) {
  (void)cost;
  return bench_asking_start(a, seed);
}

static gannet_err do_fill(bench_asking *a, int n, bench_ask_cost *cost) {
  (void)cost;
  return bench_asking_fill(a, n);
}

static gannet_err do_ask(bench_asking *a, int n, bench_ask_cost *cost) {
  (void)n;
  return bench_asking_ask(a, cost);
}

static gannet_err do_tell(bench_asking *a, int n, bench_ask_cost *cost) {
  (void)n;
  (void)cost;
  return bench_asking_tell(a);
}

static gannet_err by_one(pair *p, action *what, int n, bench_ask_cost *cost) {
  const gannet_err err = p->rank == p->single ? what(&p->alone, n, cost) : GANNET_OK;
  GANNET_TRY(rest(p));
  return gannet_agree(p->comm, err);
}

static gannet_err by_both(pair *p, action *what, int n, bench_ask_cost cost[2]) {
  p->turn = !p->turn;
  if (p->turn) GANNET_TRY(by_one(p, what, n, &cost[0]));
  GANNET_TRY(gannet_agree(p->comm, what(&p->all, n, &cost[1])));
  return p->turn ? GANNET_OK : by_one(p, what, n, &cost[0]);
}

/* On all ranks: what the one rank took, and the slowest of all. */
static gannet_err share_costs(const pair *p, bench_ask_cost cost[2]) {
  GANNET_TRY_MPI(MPI_Bcast(cost[0].seconds, BENCH_TIMES, MPI_DOUBLE, p->single, p->comm));
  GANNET_TRY_MPI(
      MPI_Allreduce(MPI_IN_PLACE, cost[1].seconds, BENCH_TIMES, MPI_DOUBLE, MPI_MAX, p->comm));
  return GANNET_OK;
}

static gannet_err compare_points(const pair *p, bool *same) {
  const bench_ask_plan *plan = &p->all.plan;
  const size_t bytes = (size_t)plan->q * (size_t)plan->d * sizeof(double);
  int equal = p->rank != p->single || memcmp(p->alone.x, p->all.x, bytes) == 0;
  GANNET_TRY_MPI(MPI_Bcast(&equal, 1, MPI_INT, p->single, p->comm));
  *same = equal != 0;
  return GANNET_OK;
}

static void add(sample *s, const bench_ask_cost cost[2], bool same, double even) {
  for (int t = 0; t < BENCH_TIMES; ++t) {
    s->alone[t * s->most + s->n] = cost[0].seconds[t];
    s->all[t * s->most + s->n] = cost[1].seconds[t];
  }
  s->even[s->n] = even;
  s->same += same;
  ++s->n;
}

/* One ask of each; it counts when it did what the sample is of. */
static gannet_err ask(pair *p, bool learned, sample *s) {
  bench_ask_cost cost[2] = {{.learned = false}, {.learned = false}};
  bool same = false;
  double even = NAN;
  GANNET_TRY(by_both(p, do_ask, 0, cost));
  GANNET_TRY(share_costs(p, cost));
  GANNET_TRY(compare_points(p, &same));
  GANNET_TRY(multiply(p, cost[0].seconds[BENCH_ASK], &even));
  if (s && s->n < s->most && cost[1].learned == learned) add(s, cost, same, even);
  return GANNET_OK;
}

static void stop(pair *p) {
  bench_asking_stop(&p->all);
  if (p->rank == p->single) bench_asking_stop(&p->alone);
}

static gannet_err begin(pair *p, bool refit, int seed, int n) {
  bench_ask_cost unused[2];
  bench_asking_refit(&p->alone, refit);
  bench_asking_refit(&p->all, refit);
  p->single = seed % p->np;
  GANNET_TRY(by_both(p, do_start, seed, unused));
  return by_both(p, do_fill, n, unused);
}

/* An optimiser that asks for the first time, and once more. */
static gannet_err learn(pair *p, int seed, int n, sample *s) {
  bench_ask_cost unused[2];
  GANNET_TRY(begin(p, true, seed, n));
  GANNET_TRY(ask(p, true, &s[BENCH_FIRST]));
  GANNET_TRY(by_both(p, do_tell, 0, unused));
  return ask(p, true, &s[BENCH_LEARNT]);
}

enum { ROUND = 6 }; /* asks of one optimiser, so that every rank has the turn alone */

static gannet_err keep(pair *p, int seed, int n, sample *s) {
  bench_ask_cost unused[2];
  GANNET_TRY(begin(p, false, seed, n));
  GANNET_TRY(ask(p, true, NULL));
  for (int i = 0; i < ROUND; ++i) {
    GANNET_TRY(by_both(p, do_tell, 0, unused));
    GANNET_TRY(ask(p, false, &s[BENCH_KEPT]));
  }
  return GANNET_OK;
}

static gannet_err measure(pair *p, const bench_ask_settings *settings, int n, sample *s) {
  gannet_err err = GANNET_OK;
  for (int i = 0; i < settings->fits && err == GANNET_OK; ++i) {
    err = learn(p, settings->seed + i, n, s);
    stop(p);
  }
  for (int i = 0; err == GANNET_OK && s[BENCH_KEPT].n < s[BENCH_KEPT].most; ++i) {
    const int before = s[BENCH_KEPT].n;
    err = keep(p, settings->seed + i, n, s);
    stop(p);
    if (s[BENCH_KEPT].n == before) break; /* a method that always learns */
  }
  return err;
}

static gannet_err make_room(const bench_ask_settings *settings, sample *s) {
  for (int k = 0; k < BENCH_KINDS; ++k) {
    s[k].most = k == BENCH_KEPT ? settings->repeat : settings->fits;
    const size_t size = (size_t)BENCH_TIMES * (size_t)s[k].most;
    GANNET_TRY(gannet_alloc(size, sizeof(double), &s[k].alone));
    GANNET_TRY(gannet_alloc(size, sizeof(double), &s[k].all));
    GANNET_TRY(gannet_alloc((size_t)s[k].most, sizeof(double), &s[k].even));
  }
  return GANNET_OK;
}

/* Orders the values of the phase, so the ratios of pairs come before. */
static void print_phase(const sample *s, int phase) {
  const double alone = bench_median(s->n, s->alone + phase * s->most);
  const double all = bench_median(s->n, s->all + phase * s->most);
  if (alone < 5e-5)
    (void)printf(" – |");
  else
    (void)printf(" %.1f (%.2f) |", 1e3 * alone, alone / all);
}

/* Of values in ascending order. */
static void print_quartiles(int n, const double *values) {
  (void)printf(" %.2f (%.2f to %.2f) |", suite_quantile(n, values, 0.5),
               suite_quantile(n, values, 0.25), suite_quantile(n, values, 0.75));
}

/* The share is of what the machine allowed. room: [n] */
static void print_sample(int n, const char *kind, const sample *s, double *room) {
  for (int i = 0; i < s->n; ++i) room[i] = s->alone[i] / s->all[i];
  suite_sort(s->n, room);
  const double allowed = bench_median(s->n, s->even);
  (void)printf("| %d | %s | %d | %d | %.1f | %.1f |", n, kind, s->n, s->same,
               1e3 * bench_median(s->n, s->alone), 1e3 * bench_median(s->n, s->all));
  print_quartiles(s->n, room);
  print_quartiles(s->n, s->even);
  (void)printf(" %.2f |", suite_quantile(s->n, room, 0.5) / allowed);
  for (int t = 1; t < BENCH_TIMES; ++t) print_phase(s, t);
  (void)printf("\n");
}

static void print_head(const bench_ask_settings *s, int np) {
  (void)printf(
      "%s, %d variables, q = %d, %d candidates, %d ranks and one in turns; medians in "
      "milliseconds\n\n"
      "| n | hyperparameters | pairs | same points | 1 rank | %d ranks | speed-up (quartiles) | "
      "of even products | share |",
      s->method, s->d, s->q, s->candidates, np, np);
  for (int t = 1; t < BENCH_TIMES; ++t) (void)printf(" %s |", bench_phases[t]);
  (void)printf("\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

/* For number i of the list. */
static gannet_err measure_and_print(pair *p, const bench_ask_settings *settings, int i) {
  const int n = (int)settings->n.item[i];
  sample s[BENCH_KINDS] = {{.n = 0}};
  double *room = NULL;
  gannet_err err = make_room(settings, s);
  if (err == GANNET_OK)
    err = gannet_alloc((size_t)(settings->repeat + settings->fits), sizeof *room, &room);
  err = gannet_agree(p->comm, err);
  if (err == GANNET_OK) err = measure(p, settings, n, s);
  if (err == GANNET_OK && p->rank == 0 && i == 0) print_head(settings, p->np);
  for (int k = 0; k < BENCH_KINDS; ++k) {
    if (err == GANNET_OK && p->rank == 0 && s[k].n > 0)
      print_sample(n, bench_kinds[k], &s[k], room);
    gannet_free(&s[k].alone);
    gannet_free(&s[k].all);
    gannet_free(&s[k].even);
  }
  gannet_free(&room);
  (void)fflush(stdout);
  return err;
}

static gannet_err prepare(pair *p, const bench_ask_settings *settings) {
  const bench_ask_plan plan = bench_ask_plan_of(settings);
  enum { TRIES = 64 };
  GANNET_TRY(bench_products_make(&p->products));
  (void)bench_products_do(&p->products, TRIES);
  p->product = bench_products_do(&p->products, TRIES) / TRIES;
  GANNET_TRY(bench_asking_prepare(&p->alone, MPI_COMM_SELF, &plan));
  return bench_asking_prepare(&p->all, p->comm, &plan);
}

static gannet_err agree_on_product(pair *p) {
  GANNET_TRY_MPI(MPI_Bcast(&p->product, 1, MPI_DOUBLE, 0, p->comm));
  return GANNET_OK;
}

static gannet_err run_speedup(const bench_world *world, const void *options) {
  const bench_ask_settings *settings = options;
  pair p = {.comm = world->comm, .rank = world->rank, .np = world->np};
  GANNET_REQUIRE(world->np > 1, GANNET_ERR_INPUT,
                 "one rank is compared with several: start it with mpirun -n 2");
  gannet_err err = gannet_agree(world->comm, prepare(&p, settings));
  if (err == GANNET_OK) err = agree_on_product(&p);
  for (int i = 0; i < settings->n.n && err == GANNET_OK; ++i)
    err = measure_and_print(&p, settings, i);
  bench_asking_release(&p.alone);
  bench_asking_release(&p.all);
  bench_products_release(&p.products);
  return err;
}

const bench_type bench_speedup = {
    .name = "speedup",
    .summary = "the same proposals on one rank and on all, in turns",
    .options = speedup_options,
    .options_size = sizeof(bench_ask_settings),
    .run = run_speedup,
};
