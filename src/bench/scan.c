/* How fast candidates are scored, against the matrix products that this cannot do without. */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"
#include "bench/asking.h"
#include "bench/rates.h"
#include "network/analytic_single.h"
#include "network/tangent.h"
#include "optimizer/propose.h"

typedef struct {
  char *problem;
  gannet_text_list set;
  int n, d, q, width, candidates, repeat, seed;
  double seconds;
} scan_settings;

static const gannet_option scan_options[] = {
    {.key = "problem",
     .type = GANNET_TEXT,
     .offset = offsetof(scan_settings, problem),
     .fallback = "levy",
     .help = "built-in problem that the observations come from"},
    {.key = "set",
     .type = GANNET_TEXT_LIST,
     .offset = offsetof(scan_settings, set),
     .help = "settings key=value of the optimiser, which is neural-bo with all observations"},
    {.key = "n",
     .type = GANNET_INTEGER,
     .offset = offsetof(scan_settings, n),
     .fallback = "500",
     .lower = 2,
     .upper = 1e6,
     .help = "observations"},
    {.key = "d",
     .type = GANNET_INTEGER,
     .offset = offsetof(scan_settings, d),
     .fallback = "20",
     .lower = 1,
     .upper = 10000,
     .help = "variables"},
    {.key = "q",
     .type = GANNET_INTEGER,
     .offset = offsetof(scan_settings, q),
     .fallback = "8",
     .lower = 1,
     .upper = 1000,
     .help = "draws"},
    {.key = "width",
     .type = GANNET_INTEGER,
     .offset = offsetof(scan_settings, width),
     .fallback = "256",
     .lower = 1,
     .upper = 1e5,
     .help = "units of the network"},
    {.key = "candidates",
     .type = GANNET_INTEGER,
     .offset = offsetof(scan_settings, candidates),
     .fallback = "10000",
     .lower = 1,
     .upper = 1e9,
     .help = "candidates of the whole scan"},
    {.key = "repeat",
     .type = GANNET_INTEGER,
     .offset = offsetof(scan_settings, repeat),
     .fallback = "1",
     .lower = 1,
     .upper = 1000,
     .help = "whole scans; the fastest counts"},
    {.key = "seconds",
     .type = GANNET_DURATION,
     .offset = offsetof(scan_settings, seconds),
     .fallback = "1",
     .lower = 1e-3,
     .upper = 3600,
     .help = "time per measurement of a part"},
    {.key = "seed",
     .type = GANNET_INTEGER,
     .offset = offsetof(scan_settings, seed),
     .fallback = "1",
     .lower = 0,
     .upper = 1e9,
     .help = "seed"},
    {0},
};

/* A matrix product for some rows of candidates, done so many times. */
typedef struct {
  int rows, columns, inner;
  double times;
} product;

enum { PRODUCTS_MOST = 5, PIECE = 512, ROWS = GANNET_SINGLE_ROWS, BLOCK = GANNET_TANGENT_BLOCK };

/* What is measured, and the products in it. */
typedef struct {
  const char *what;
  bool single;
  product product[PRODUCTS_MOST];
  gannet_err (*step)(const gannet_surrogate *model, int m, const double *x, double *work);
} part;

/* The network's units, its draws from them, inner products with the data, and draws from these. */
#define DRAWS(s, rows, piece)                                         \
  {                                                                   \
    {rows, (s)->width, (s)->d + 1, 1}, {rows, (s)->q, (s)->width, 1}, \
        {rows, (s)->q * ((s)->d + 1), (s)->width, 1},                 \
        {rows, piece, (s)->d + 1, (double)(s)->n / (piece)},          \
        {rows, (s)->q, piece, (double)(s)->n / (piece)},              \
  }

static gannet_err estimates(const gannet_surrogate *model, int m, const double *x, double *work) {
  return gannet_surrogate_draw_estimates(model, m, x, work, m);
}

static gannet_err draws(const gannet_surrogate *model, int m, const double *x, double *work) {
  return gannet_surrogate_draw_values(model, m, x, work, m);
}

static gannet_err moments(const gannet_surrogate *model, int m, const double *x, double *work) {
  return gannet_surrogate_predict(model, m, x, work, work + m);
}

/* Seconds per candidate that the products take alone. */
static gannet_err time_products(const part *p, double seconds, double *per_candidate) {
  *per_candidate = 0;
  for (const product *one = p->product; one < p->product + PRODUCTS_MOST && one->rows; ++one) {
    double rate = 0;
    GANNET_TRY((p->single ? bench_gemm_single_rate : bench_gemm_rate)(
        one->rows, one->columns, one->inner, seconds / PRODUCTS_MOST, &rate));
    *per_candidate += one->times * 2.0 * one->columns * one->inner / rate;
  }
  return GANNET_OK;
}

/* Seconds per candidate of one part, by tiles of the optimiser's candidates. */
static gannet_err time_part(const part *p, const gannet_surrogate *model, const double *x,
                            double *work, double seconds, double *per_candidate) {
  int64_t n = 0;
  GANNET_TRY(p->step(model, GANNET_TILE, x, work));
  const double start = gannet_clock_seconds();
  double spent = 0;
  for (; n == 0 || spent < seconds; spent = gannet_clock_seconds() - start, n += GANNET_TILE)
    GANNET_TRY(p->step(model, GANNET_TILE, x, work));
  *per_candidate = spent / (double)n;
  return GANNET_OK;
}

/* One row of the table. */
static gannet_err report(const bench_world *world, const char *what, int candidates, double mine,
                         double products) {
  double rates[2] = {1 / mine, 1 / products};
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, rates, 2, MPI_DOUBLE, MPI_SUM, world->comm));
  if (world->rank == 0)
    (void)printf("| %s | %.0f | %.3f | %.2f |\n", what, rates[0], candidates / rates[0],
                 rates[0] / rates[1]);
  return GANNET_OK;
}

static gannet_err measure_part(const bench_world *world, const scan_settings *s, const part *p,
                               const gannet_surrogate *model, const double *x, double *work) {
  double mine = 1, products = 1;
  GANNET_TRY_MPI(MPI_Barrier(world->comm));
  GANNET_TRY(gannet_agree(world->comm, time_products(p, s->seconds, &products)));
  GANNET_TRY_MPI(MPI_Barrier(world->comm));
  GANNET_TRY(gannet_agree(world->comm, time_part(p, model, x, work, s->seconds, &mine)));
  return report(world, p->what, s->candidates, mine, products);
}

static gannet_err measure_parts(const bench_world *world, const scan_settings *s,
                                gannet_member *member, const double *x, double *work) {
  const int n = s->n;
  const part parts[] = {
      {"draws, single precision", true, DRAWS(s, ROWS, PIECE), estimates},
      {"draws, double precision", false, DRAWS(s, BLOCK, n), draws},
      {"mean and sd, double precision",
       false,
       {{BLOCK, n, s->d + 1, 1}, {BLOCK, PIECE, PIECE, 0.5 * n / PIECE * n / PIECE}},
       moments}};
  bool able = false;
  GANNET_TRY(gannet_models_sample(member->models, s->q, 0));
  GANNET_TRY(gannet_agree(world->comm, gannet_models_estimate_prepare(member->models, &able)));
  const gannet_surrogate *model = gannet_models_surrogate(member->models, 0);
  if (able) GANNET_TRY(measure_part(world, s, &parts[0], model, x, work));
  GANNET_TRY(measure_part(world, s, &parts[1], model, x, work));
  if (gannet_surrogate_predict(model, 1, x, work, work + 1) != GANNET_OK) {
    gannet_error_clear();
    if (world->rank == 0) (void)printf("\nNo sd from a factor that is cut over the ranks.\n");
    return GANNET_OK;
  }
  return measure_part(world, s, &parts[2], model, x, work);
}

/* The scan phase of asks, with everything that belongs to it: candidates are made, their draws
 * estimated, the leaders scored again. */
static gannet_err measure_whole(const bench_world *world, const scan_settings *s,
                                bench_asking *asking) {
  const part p = {.single = true, .product = DRAWS(s, ROWS, PIECE)};
  double products = 1, least = INFINITY;
  bench_ask_cost cost;
  GANNET_TRY(gannet_agree(world->comm, bench_asking_fill(asking, s->n)));
  for (int i = 0; i < s->repeat; ++i) {
    if (i > 0) GANNET_TRY(bench_asking_tell(asking));
    GANNET_TRY(bench_asking_ask(asking, &cost));
    least = fmin(least, cost.seconds[1 + GANNET_PHASE_SCAN]);
  }
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MAX, world->comm));
  GANNET_TRY(gannet_agree(world->comm, time_products(&p, s->seconds, &products)));
  const gannet_screen_report *screen = &asking->optimizer->member[0].screen;
  const double each = least * world->np / s->candidates;
  GANNET_TRY(report(world, "whole scan", s->candidates, each, products));
  if (world->rank == 0 && screen->scored > 0)
    (void)fprintf(stderr, "%lld candidates scored again%s\n", (long long)screen->scored,
                  screen->complete ? ": all of them" : "");
  return GANNET_OK;
}

static gannet_err measure(const bench_world *world, const scan_settings *s, bench_asking *asking) {
  gannet_member *member = &asking->optimizer->member[0];
  gannet_candidates *candidates = NULL;
  double *x = NULL, *work = NULL;
  if (world->rank == 0)
    (void)printf(
        "neural-bo, n = %d, %d variables, %d draws, %d units, %d rank(s)\n\n| what | candidates/s, "
        "all ranks | %d take, s | share of the GEMM rate |\n|---|---|---|---|\n",
        s->n, s->d, s->q, s->width, world->np, s->candidates);
  GANNET_TRY(measure_whole(world, s, asking));
  gannet_err err = gannet_propose_candidates(member, &candidates);
  if (err == GANNET_OK) err = gannet_alloc((size_t)s->d * GANNET_TILE, sizeof *x, &x);
  if (err == GANNET_OK) err = gannet_alloc((size_t)(s->q + 2) * GANNET_TILE, sizeof *work, &work);
  err = gannet_agree(world->comm, err);
  if (err == GANNET_OK) {
    const int64_t n = gannet_candidates_count(candidates);
    gannet_candidates_tile(candidates, 0, GANNET_TILE < n ? GANNET_TILE : (int)n, x);
    err = measure_parts(world, s, member, x, work);
  }
  gannet_candidates_destroy(&candidates);
  gannet_free(&x);
  gannet_free(&work);
  return err;
}

static gannet_err run(const bench_world *world, const void *settings) {
  const scan_settings *s = settings;
  char method[96];
  (void)snprintf(method, sizeof method, "neural-bo+surrogate.inducing=0+surrogate.width=%d",
                 s->width);
  const bench_ask_plan plan = {.method = method,
                               .problem = s->problem,
                               .set = &s->set,
                               .d = s->d,
                               .q = s->q,
                               .seed = s->seed,
                               .candidates = s->candidates};
  bench_asking asking = {0};
  gannet_err err = gannet_agree(world->comm, bench_asking_prepare(&asking, world->comm, &plan));
  if (err == GANNET_OK) err = bench_asking_start(&asking, s->seed);
  if (err == GANNET_OK) err = measure(world, s, &asking);
  bench_asking_stop(&asking);
  bench_asking_release(&asking);
  return err;
}

const bench_type bench_scan = {
    .name = "scan",
    .summary = "rate at which candidates are scored, next to that of the matrix products in it",
    .options = scan_options,
    .options_size = sizeof(scan_settings),
    .run = run,
};
