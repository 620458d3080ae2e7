/* An optimiser that is told a test problem and asked for batches, with the times of its phases. */
#ifndef GANNET_BENCHMARK_ASKING_H
#define GANNET_BENCHMARK_ASKING_H

#include <stdbool.h>

#include "benchmark/bench.h"
#include "benchmark/subject.h"
#include "benchmark/traffic.h"
#include "optimizer/optimizer_impl.h"
#include "problem/problem.h"

/* Times of one ask: the whole, then its phases. */
enum { BENCH_ASK, BENCH_TIMES = GANNET_PHASE_COUNT + 1 };
extern const char *const bench_phases[BENCH_TIMES];

/* What all benchmarks that ask are told; first in the settings of one that is told more. */
typedef struct {
  char *method, *problem;
  gannet_text_list set;
  gannet_real_list n;
  int d, q, candidates, repeat, fits, seed;
  double found;
} bench_ask_settings;

/* Rows of their option tables: those that are the same for all, and one whose limits differ. */
#define BENCH_ASK_INTEGER(name, standard, least, most, text)                            \
  {                                                                                     \
    .key = #name, .type = GANNET_INTEGER, .offset = offsetof(bench_ask_settings, name), \
    .fallback = standard, .lower = least, .upper = most, .help = text                   \
  }
#define BENCH_ASK_OPTIONS                                                                     \
  {.key = "method",                                                                           \
   .type = GANNET_TEXT,                                                                       \
   .offset = offsetof(bench_ask_settings, method),                                            \
   .fallback = "neural-bo",                                                                   \
   .help = "method of the optimiser, with settings if wanted: neural-bo+surrogate.layers=2"}, \
      {.key = "problem",                                                                      \
       .type = GANNET_TEXT,                                                                   \
       .offset = offsetof(bench_ask_settings, problem),                                       \
       .fallback = "levy",                                                                    \
       .help = "built-in problem that the observations come from"},                           \
      {.key = "set",                                                                          \
       .type = GANNET_TEXT_LIST,                                                              \
       .offset = offsetof(bench_ask_settings, set),                                           \
       .help = "settings key=value of the optimiser"},                                        \
      {.key = "n",                                                                            \
       .type = GANNET_REAL_LIST,                                                              \
       .offset = offsetof(bench_ask_settings, n),                                             \
       .fallback = "500",                                                                     \
       .lower = 2,                                                                            \
       .upper = 1e6,                                                                          \
       .help = "numbers of observations"},                                                    \
      {.key = "found",                                                                        \
       .type = GANNET_REAL,                                                                   \
       .offset = offsetof(bench_ask_settings, found),                                         \
       .fallback = "0",                                                                       \
       .lower = 0,                                                                            \
       .upper = 1,                                                                            \
       .help =                                                                                \
           "share of the observations that a search by the method has found, the rest being " \
           "uniform"},                                                                        \
      BENCH_ASK_INTEGER(d, "20", 1, 10000, "variables"),                                      \
      BENCH_ASK_INTEGER(seed, "1", 0, 1e9, "seed")

/* How an ask comes by its hyperparameters: as they were; learnt again, as in a campaign that goes
 * on; or learnt by an optimiser that has asked for nothing before. */
typedef enum { BENCH_KEPT, BENCH_LEARNT, BENCH_FIRST, BENCH_KINDS } bench_ask_kind;
extern const char *const bench_kinds[BENCH_KINDS];

/* What one ask took. The parts' traffic reaches from the end of the part before. */
typedef struct {
  double seconds[BENCH_TIMES];
  bench_traffic traffic[BENCH_TIMES];
  bool learned; /* hyperparameters */
} bench_ask_cost;

/* Borrowed until release. */
typedef struct {
  const char *method, *problem;
  const gannet_text_list *set;
  int d, q, seed;
  int64_t candidates;
  double found;
} bench_ask_plan;

/* That of settings, which it borrows.
 *
 * Local.
 */
bench_ask_plan bench_ask_plan_of(const bench_ask_settings *settings);

/* Zero-initialise. */
typedef struct {
  bench_ask_plan plan;
  MPI_Comm comm;
  bench_problem problem;
  bench_method method;
  char candidates[24]; /* as a setting */
  int n_settings;      /* without that of refits */
  gannet_context *context;
  gannet_problem *space;
  gannet_optimizer *optimizer;
  double *x;            /* [q][d] */
  int64_t *id;          /* [q] */
  int n_told;           /* points to begin with, of which an optimiser is told the first ones */
  double *told_x;       /* [n_told][d] */
  double *told_y;       /* [n_told][objectives] */
  bench_ask_cost *cost; /* of the ask that is under way */
  bench_traffic before; /* at the end of the last part */
  bool draws;           /* the last ask scanned by draws */
} bench_asking;

/* Read problem and method. To be released, also after an error.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT, GANNET_ERR_NAME.
 */
GANNET_CHECKED gannet_err bench_asking_prepare(bench_asking *a, MPI_Comm comm,
                                               const bench_ask_plan *plan);

/* Whether optimisers that are made from now on learn their hyperparameters whenever they have new
 * results, or as the method says.
 *
 * Local.
 */
void bench_asking_refit(bench_asking *a, bool always);
void bench_asking_release(bench_asking *a);

/* A new optimiser, and its end.
 *
 * Collective over comm.
 */
GANNET_CHECKED gannet_err bench_asking_start(bench_asking *a, int seed);
void bench_asking_stop(bench_asking *a);

/* Tell n points, uniform ones and then those that the method has found; tell the last batch.
 *
 * Collective over comm.
 */
GANNET_CHECKED gannet_err bench_asking_fill(bench_asking *a, int n);
GANNET_CHECKED gannet_err bench_asking_tell(bench_asking *a);

/* One measured ask.
 *
 * Collective over comm.
 *
 * Errors: GANNET_ERR_INPUT when a method with a model still makes its initial design.
 */
GANNET_CHECKED gannet_err bench_asking_ask(bench_asking *a, bench_ask_cost *cost);

/* What becomes of an ask, the first of an optimiser or another one. Returns whether there are
 * enough. */
typedef bool (*bench_ask_taker)(void *user, bool first, const bench_ask_cost *cost);

/* Asks of one optimiser, each after the results of the one before: the first alone, or so many
 * after it, of which the middle one has n observations.
 */
typedef struct {
  int seed, n;
  int around; /* 0 = the first ask counts; else so many after it, which does not */
} bench_ask_series;

/* A new optimiser that is told observations, asked and told until there are enough asks; at most 4
 * times as many as are wanted.
 *
 * Collective over comm.
 *
 * bytes  out  that it holds in the end, without what ranks share
 *
 * Errors: GANNET_ERR_INPUT when the asks would have numbers of observations that differ by more
 * than half of n, or when the first one would still make the initial design.
 */
GANNET_CHECKED gannet_err bench_asking_run(bench_asking *a, const bench_ask_series *series,
                                           bench_ask_taker take, void *user, double *bytes);

#endif
