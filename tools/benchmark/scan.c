/* How fast candidates are scored, against the matrix products that this cannot do without. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "benchmark/asking.h"
#include "benchmark/rates.h"
#include "network/tangent.h"
#include "optimizer/propose/propose_impl.h"

typedef struct {
  char *problem;
  gannet_text_list set;
  int method; /* a scan_method */
  int n, d, q, width, features, candidates, repeat, seed;
  double seconds;
} scan_settings;

typedef enum { NETWORK, PROCESS } scan_method;

static const char *const method_names[] = {"neural-bo", "gp-ts", NULL};

static const gannet_option scan_options[] = {
    {.key = "problem",
     .type = GANNET_TEXT,
     .offset = offsetof(scan_settings, problem),
     .fallback = "levy",
     .help = "built-in problem that the observations come from"},
    {.key = "method",
     .type = GANNET_CHOICE,
     .offset = offsetof(scan_settings, method),
     .fallback = "neural-bo",
     .choices = method_names,
     .help = "whose draws and moments are measured"},
    {.key = "set",
     .type = GANNET_TEXT_LIST,
     .offset = offsetof(scan_settings, set),
     .help = "settings key=value of the optimiser, whose model keeps all observations"},
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
    {.key = "features",
     .type = GANNET_INTEGER,
     .offset = offsetof(scan_settings, features),
     .fallback = "1024",
     .lower = 2,
     .upper = 1e6,
     .help = "random features of gp-ts"},
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

enum { PRODUCTS_MOST = 5, PIECE = 512, ROWS = GANNET_TILE, LARGE = 1024 };

/* What is measured, and the products in it. */
typedef struct {
  const char *what;
  bool estimated; /* by an estimator of this kind; otherwise exactly */
  gannet_estimate_kind kind;
  product product[PRODUCTS_MOST];
  gannet_err (*step)(const gannet_surrogate *model, const gannet_estimator *estimator, int m,
                     const double *x, double *work);
} part;

/* All in tiles as large as candidates come in, which suit a BLAS best: for a network its units and
 * the draws from them, for a process the phases of its waves and the draws from their cosines and
 * sines; then products with the data, and draws from these. */
static void list_draws(const scan_settings *s, product *to) {
  const bool network = s->method == NETWORK;
  const int inputs = s->d + (network ? 1 : 0), waves = (s->features + 1) / 2;
  const product first[] = {{ROWS, network ? s->width : waves, inputs, 1},
                           {ROWS, s->q, network ? s->width : 2 * waves, 1},
                           {ROWS, PIECE, inputs, (double)s->n / PIECE},
                           {ROWS, s->q, PIECE, (double)s->n / PIECE},
                           {network ? ROWS : 0, s->q * inputs, s->width, 1}};
  memcpy(to, first, sizeof first);
}

/* The kernel, and the triangular solve as products. */
static void list_moments(const scan_settings *s, product *to) {
  const double pieces = (double)s->n / PIECE;
  to[0] = (product){ROWS, PIECE, s->d + (s->method == NETWORK ? 1 : 0), pieces};
  to[1] = (product){ROWS, PIECE, PIECE, 0.5 * pieces * pieces};
}

static gannet_err estimate_draws(const gannet_surrogate *model, const gannet_estimator *estimator,
                                 int m, const double *x, double *work) {
  (void)model;
  return gannet_estimator_draws(estimator, m, x, work, m);
}

static gannet_err compute_draws(const gannet_surrogate *model, const gannet_estimator *estimator,
                                int m, const double *x, double *work) {
  (void)estimator;
  return gannet_surrogate_draw_values(model, m, x, work, m);
}

static gannet_err estimate_moments(const gannet_surrogate *model, const gannet_estimator *estimator,
                                   int m, const double *x, double *work) {
  (void)model;
  return gannet_estimator_moments(estimator, m, x, work, work + m);
}

static gannet_err compute_moments(const gannet_surrogate *model, const gannet_estimator *estimator,
                                  int m, const double *x, double *work) {
  (void)estimator;
  return gannet_surrogate_predict(model, m, x, work, work + m);
}

/* Seconds per candidate that the products take alone: alone[0] at the rates of their shapes, and
 * alone[1] at that of large ones. */
static gannet_err time_products(const part *p, double seconds, double *alone) {
  double large = 0, operations = 0;
  GANNET_TRY(bench_gemm_rate(LARGE, LARGE, LARGE, seconds / PRODUCTS_MOST, &large));
  alone[0] = 0;
  for (const product *one = p->product; one < p->product + PRODUCTS_MOST && one->rows; ++one) {
    double rate = 0;
    GANNET_TRY(
        bench_gemm_rate(one->rows, one->columns, one->inner, seconds / PRODUCTS_MOST, &rate));
    operations += one->times * 2.0 * one->columns * one->inner;
    alone[0] += one->times * 2.0 * one->columns * one->inner / rate;
  }
  alone[1] = operations / large;
  return GANNET_OK;
}

/* Seconds per candidate of one part, by tiles of the optimiser's candidates. */
static gannet_err time_part(const part *p, const gannet_surrogate *model,
                            const gannet_estimator *estimator, const double *x, double *work,
                            double seconds, double *per_candidate) {
  int64_t n = 0;
  GANNET_TRY(p->step(model, estimator, GANNET_TILE, x, work));
  const double start = gannet_clock_seconds();
  double spent = 0;
  for (; n == 0 || spent < seconds; spent = gannet_clock_seconds() - start, n += GANNET_TILE)
    GANNET_TRY(p->step(model, estimator, GANNET_TILE, x, work));
  *per_candidate = spent / (double)n;
  return GANNET_OK;
}

/* One row of the table. */
static gannet_err report(const bench_world *world, const char *what, int candidates, double mine,
                         const double *alone) {
  double rates[3] = {1 / mine, 1 / alone[0], 1 / alone[1]};
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, rates, 3, MPI_DOUBLE, MPI_SUM, world->comm));
  if (world->rank == 0)
    (void)printf("| %s | %.0f | %.3f | %.2f | %.2f |\n", what, rates[0], candidates / rates[0],
                 rates[0] / rates[1], rates[0] / rates[2]);
  return GANNET_OK;
}

static gannet_err measure_part(const bench_world *world, const scan_settings *s, const part *p,
                               const gannet_surrogate *model, const gannet_estimator *estimator,
                               const double *x, double *work) {
  double mine = 1, alone[2] = {1, 1};
  GANNET_TRY_MPI(MPI_Barrier(world->comm));
  GANNET_TRY(gannet_agree(world->comm, time_products(p, s->seconds, alone)));
  GANNET_TRY_MPI(MPI_Barrier(world->comm));
  GANNET_TRY(gannet_agree(world->comm, time_part(p, model, estimator, x, work, s->seconds, &mine)));
  return report(world, p->what, s->candidates, mine, alone);
}

static gannet_err all_able(MPI_Comm comm, bool *able) {
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, able, 1, MPI_C_BOOL, MPI_LAND, comm));
  return GANNET_OK;
}

/* Parts that a model without constraints is able to. */
static gannet_err measure_some(const bench_world *world, const scan_settings *s, int n,
                               const part *parts, gannet_models *models, const double *x,
                               double *work) {
  for (const part *p = parts; p < parts + n; ++p) {
    const gannet_estimator_spec spec = {.kind = p->kind};
    gannet_estimator estimator = {0};
    bool able = true;
    gannet_err err = GANNET_OK;
    if (p->estimated) err = gannet_models_estimators(models, &spec, &estimator, &able);
    err = gannet_agree(world->comm, err);
    if (err == GANNET_OK) err = all_able(world->comm, &able);
    if (err == GANNET_OK && able)
      err = measure_part(world, s, p, gannet_models_surrogate(models, 0), &estimator, x, work);
    gannet_estimator_release(&estimator);
    GANNET_TRY(err);
  }
  return GANNET_OK;
}

static gannet_err measure_parts(const bench_world *world, const scan_settings *s,
                                gannet_models *models, const double *x, double *work) {
  enum { WAYS = 2 };
  part sampled[WAYS] = {{.what = "draws, estimates",
                         .estimated = true,
                         .kind = GANNET_ESTIMATE_DRAWS,
                         .step = estimate_draws},
                        {.what = "draws, exact", .step = compute_draws}};
  part predicted[WAYS] = {{.what = "mean and sd, estimates",
                           .estimated = true,
                           .kind = GANNET_ESTIMATE_MOMENTS,
                           .step = estimate_moments},
                          {.what = "mean and sd, exact", .step = compute_moments}};
  for (int i = 0; i < WAYS; ++i) {
    list_draws(s, sampled[i].product);
    list_moments(s, predicted[i].product);
  }
  GANNET_TRY(gannet_models_sample(models, s->q, 0));
  GANNET_TRY(measure_some(world, s, WAYS, sampled, models, x, work));
  if (gannet_surrogate_predict(gannet_models_surrogate(models, 0), 1, x, work, work + 1) !=
      GANNET_OK) {
    gannet_error_clear();
    if (world->rank == 0)
      (void)printf(
          "| mean and sd: none from a factor that is cut over the ranks | – | – | – | – |\n");
    return GANNET_OK;
  }
  return measure_some(world, s, WAYS, predicted, models, x, work);
}

/* The scan phase of asks, with everything that belongs to it: candidates are made, their draws
 * estimated, the leaders scored again; few are scored, in the order of bounds. */
static gannet_err measure_whole(const bench_world *world, const scan_settings *s,
                                bench_asking *asking, double first) {
  part p = {0};
  double alone[2] = {1, 1}, least = INFINITY;
  bench_ask_cost cost;
  list_draws(s, p.product);
  for (int i = 0; i < s->repeat; ++i) {
    double slowest = first;
    if (i > 0) {
      GANNET_TRY(bench_asking_tell(asking));
      GANNET_TRY(bench_asking_ask(asking, &cost));
      slowest = cost.seconds[1 + GANNET_PHASE_SCAN];
    }
    GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE, MPI_MAX, world->comm));
    least = fmin(least, slowest);
  }
  GANNET_TRY(gannet_agree(world->comm, time_products(&p, s->seconds, alone)));
  const int64_t scored = asking->optimizer->member[0].scored;
  const double each = least * world->np / s->candidates;
  GANNET_TRY(report(world, "whole scan", s->candidates, each, alone));
  if (world->rank == 0 && scored > 0)
    (void)fprintf(stderr, "%lld candidates scored\n", (long long)scored);
  return GANNET_OK;
}

static gannet_err measure_tile(const bench_world *world, const scan_settings *s,
                               const bench_asking *asking) {
  const gannet_member *member = &asking->optimizer->member[0];
  gannet_candidates *candidates = NULL;
  double *x = NULL, *work = NULL;
  gannet_err err = gannet_propose_candidates(member, &member->region, &candidates);
  if (err == GANNET_OK) err = gannet_alloc((size_t)s->d * GANNET_TILE, sizeof *x, &x);
  if (err == GANNET_OK) err = gannet_alloc((size_t)(s->q + 2) * GANNET_TILE, sizeof *work, &work);
  err = gannet_agree(world->comm, err);
  if (err == GANNET_OK) {
    const int64_t n = gannet_candidates_count(candidates);
    gannet_candidates_tile(candidates, 0, GANNET_TILE < n ? GANNET_TILE : (int)n, x);
    err = measure_parts(world, s, member->models, x, work);
  }
  gannet_candidates_destroy(&candidates);
  gannet_free(&x);
  gannet_free(&work);
  return err;
}

/* Parts before further asks, which come with more observations. */
static gannet_err measure(const bench_world *world, const scan_settings *s, bench_asking *asking) {
  bench_ask_cost cost;
  if (world->rank == 0)
    (void)printf(
        "%s, n = %d, %d variables, %d draws, %d %s, %d rank(s)\n\n| what | candidates/s, "
        "all ranks | %d take, s | share of the GEMM rate | of large GEMM "
        "|\n|---|---|---|---|---|\n",
        method_names[s->method], s->n, s->d, s->q, s->method == NETWORK ? s->width : s->features,
        s->method == NETWORK ? "units" : "features", world->np, s->candidates);
  GANNET_TRY(gannet_agree(world->comm, bench_asking_fill(asking, s->n)));
  GANNET_TRY(bench_asking_ask(asking, &cost));
  GANNET_TRY(measure_tile(world, s, asking));
  return measure_whole(world, s, asking, cost.seconds[1 + GANNET_PHASE_SCAN]);
}

/* The products that are counted are those of one layer and all observations. */
static gannet_err check_settings(const gannet_text_list *set) {
  static const char *const fixed[] = {
      "method=",          "surrogate.type=",     "surrogate.layers=",   "surrogate.kernel=",
      "surrogate.width=", "surrogate.features=", "surrogate.inducing=", "search.candidates="};
  for (int i = 0; i < set->n; ++i)
    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; ++k)
      GANNET_REQUIRE(strncmp(set->item[i], fixed[k], strlen(fixed[k])) != 0, GANNET_ERR_INPUT,
                     "'%s' cannot be set here; use --method, --width, --features and --candidates, "
                     "as one layer and all observations are measured",
                     set->item[i]);
  return GANNET_OK;
}

static gannet_err run_scan(const bench_world *world, const void *settings) {
  const scan_settings *s = settings;
  char method[96];
  (void)snprintf(method, sizeof method, "%s+surrogate.inducing=0+surrogate.%s=%d",
                 method_names[s->method], s->method == NETWORK ? "width" : "features",
                 s->method == NETWORK ? s->width : s->features);
  GANNET_TRY(check_settings(&s->set));
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
    .run = run_scan,
};
