/* Whether campaigns that end by stop.regret are right: the share of those that have found the
 * minimum to within the regret, on functions of the model's prior and on others.
 *
 * A function of the prior is a random sum of cosines whose covariance is Matern-5/2. Its minimum is
 * found by a search of many points. Ranks share the campaigns; each campaign is run by one.
 */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/random.h"
#include "benchmark/bench.h"
#include "gannet/optimizer.h"
#include "optimizer/optimizer.h"
#include "optimizer/regret.h"

enum {
  FROM_PRIOR = 10,
  FUNCTIONS = 15,
  FEATURES = 1000,
  MOST_D = 3,
  POINTS = 20000,
  POLISHED = 20
};

static const double pi = 3.14159265358979323846;

typedef struct {
  int seeds, most, every;
  double within, probability;
  char *method;
} stopping_settings;

static const gannet_option stopping_options[] = {
    {.key = "seeds",
     .type = GANNET_INTEGER,
     .offset = offsetof(stopping_settings, seeds),
     .fallback = "14",
     .lower = 1,
     .upper = 1000,
     .help = "campaigns on each function"},
    {.key = "most",
     .type = GANNET_INTEGER,
     .offset = offsetof(stopping_settings, most),
     .fallback = "100",
     .lower = 10,
     .upper = 10000,
     .help = "evaluations after which a campaign is given up"},
    {.key = "every",
     .type = GANNET_INTEGER,
     .offset = offsetof(stopping_settings, every),
     .fallback = "1",
     .lower = 1,
     .upper = 1000,
     .help = "evaluations from one look at the regret to the next, as in batches"},
    {.key = "within",
     .type = GANNET_REAL,
     .offset = offsetof(stopping_settings, within),
     .fallback = "0.01",
     .lower = 1e-9,
     .upper = 10,
     .help = "regret that does not matter, in standard deviations of the function over its box"},
    {.key = "probability",
     .type = GANNET_REAL,
     .offset = offsetof(stopping_settings, probability),
     .fallback = "0.95",
     .lower = 0.01,
     .upper = 0.9999,
     .help = "probability at which a campaign ends"},
    {.key = "method",
     .type = GANNET_TEXT,
     .offset = offsetof(stopping_settings, method),
     .fallback = "auto",
     .help = "method of the campaigns"},
    {0}};

/* A function of the unit cube. */
typedef struct {
  int d;
  double (*value)(const double *x); /* NULL = of the prior */
  double minimum, sd;               /* sd: over the box */
  double frequency[FEATURES][MOST_D], phase[FEATURES], weight[FEATURES];
} landscape;

static double branin(const double *u) {
  const double x = 15 * u[0] - 5, y = 15 * u[1];
  const double a = y - 5.1 / (4 * pi * pi) * x * x + 5 / pi * x - 6;
  return a * a + 10 * (1 - 1 / (8 * pi)) * cos(x) + 10;
}

static double camel(const double *u) {
  const double x = 4 * u[0] - 2, y = 2 * u[1] - 1;
  return (4 - 2.1 * x * x + x * x * x * x / 3) * x * x + x * y + (4 * y * y - 4) * y * y;
}

static double rosenbrock(const double *u) {
  const double x = 4 * u[0] - 2, y = 4 * u[1] - 1;
  return 100 * (y - x * x) * (y - x * x) + (1 - x) * (1 - x);
}

static double ackley(const double *u) {
  const double x = 10 * u[0] - 4, y = 10 * u[1] - 6;
  return 20 - 20 * exp(-0.2 * sqrt((x * x + y * y) / 2)) -
         exp((cos(2 * pi * x) + cos(2 * pi * y)) / 2) + exp(1);
}

static double hartmann(const double *u) {
  static const double a[4][3] = {{3, 10, 30}, {0.1, 10, 35}, {3, 10, 30}, {0.1, 10, 35}};
  static const double p[4][3] = {{0.3689, 0.1170, 0.2673},
                                 {0.4699, 0.4387, 0.7470},
                                 {0.1091, 0.8732, 0.5547},
                                 {0.0381, 0.5743, 0.8828}};
  static const double c[4] = {1, 1.2, 3, 3.2};
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    double e = 0;
    for (int k = 0; k < 3; ++k) e += a[i][k] * (u[k] - p[i][k]) * (u[k] - p[i][k]);
    sum -= c[i] * exp(-e);
  }
  return sum;
}

static double evaluate(const landscape *l, const double *x) {
  double sum = 0;
  if (l->value) return l->value(x);
  for (int i = 0; i < FEATURES; ++i) {
    double angle = l->phase[i];
    for (int k = 0; k < l->d; ++k) angle += l->frequency[i][k] * x[k];
    sum += l->weight[i] * cos(angle);
  }
  return sqrt(2.0 / FEATURES) * sum;
}

/* The spectral density of Matern-5/2 is a t distribution with five degrees of freedom. */
static void draw_from_prior(int number, landscape *l) {
  static const double scales[] = {0.2, 0.3, 0.4, 0.5, 0.7};
  const double scale = scales[number % 5];
  double z[MOST_D + 5 + 1], u;
  for (int i = 0; i < FEATURES; ++i) {
    const gannet_stream stream = {1, GANNET_FOR_TEST, (uint64_t)number, (uint64_t)i};
    double chi = 0;
    gannet_random_normal(stream, 0, MOST_D + 6, z);
    gannet_random_uniform(stream, 64, 1, &u);
    for (int k = 0; k < 5; ++k) chi += z[MOST_D + k] * z[MOST_D + k];
    for (int k = 0; k < MOST_D; ++k) l->frequency[i][k] = z[k] / sqrt(chi / 5) / scale;
    l->phase[i] = 2 * pi * u;
    l->weight[i] = z[MOST_D + 5];
  }
}

/* Move along the coordinates by steps that shrink. */
static double polish(const landscape *l, double *x) {
  double best = evaluate(l, x);
  for (double step = 0.02; step > 1e-8;) {
    bool better = false;
    for (int k = 0; k < l->d; ++k)
      for (int sign = -1; sign <= 1; sign += 2) {
        const double before = x[k];
        x[k] = fmin(1, fmax(0, before + sign * step));
        const double value = evaluate(l, x);
        if (value < best) {
          best = value;
          better = true;
        } else {
          x[k] = before;
        }
      }
    if (!better) step /= 2;
  }
  return best;
}

/* The minimum and the standard deviation over the box. */
static void survey(landscape *l) {
  double best[POLISHED][1 + MOST_D], x[MOST_D], sum = 0, squares = 0;
  int n = 0;
  for (int i = 0; i < POINTS; ++i) {
    gannet_random_uniform((gannet_stream){2, GANNET_FOR_TEST, 0, (uint64_t)i}, 0, MOST_D, x);
    const double value = evaluate(l, x);
    sum += value;
    squares += value * value;
    int at = n < POLISHED ? n++ : POLISHED;
    while (at > 0 && value < best[at - 1][0]) {
      if (at < POLISHED)
        for (int k = 0; k <= MOST_D; ++k) best[at][k] = best[at - 1][k];
      --at;
    }
    if (at == POLISHED) continue;
    best[at][0] = value;
    for (int k = 0; k < MOST_D; ++k) best[at][1 + k] = x[k];
  }
  l->sd = sqrt(squares / POINTS - sum / POINTS * (sum / POINTS));
  l->minimum = INFINITY;
  for (int i = 0; i < n; ++i) l->minimum = fmin(l->minimum, polish(l, best[i] + 1));
}

/* The functions that are not of the prior. */
static const struct {
  const char *name;
  int d;
  double (*value)(const double *x);
} others[] = {{"branin", 2, branin},
              {"six-hump camel", 2, camel},
              {"rosenbrock", 2, rosenbrock},
              {"ackley", 2, ackley},
              {"hartmann-3", 3, hartmann}};

static void make_landscape(int number, landscape *l) {
  const int other = number - FROM_PRIOR;
  l->d = other < 0 ? (number < FROM_PRIOR / 2 ? 2 : 3) : others[other].d;
  l->value = other < 0 ? NULL : others[other].value;
  if (other < 0) draw_from_prior(number, l);
  survey(l);
}

/* Counts of the campaigns on one function. */
typedef struct {
  double stopped, right, evaluations;
} counts;

static gannet_err run_loop(const landscape *l, const stopping_settings *s, gannet_context *context,
                           gannet_optimizer *optimizer, counts *c) {
  const gannet_regret_spec spec = {s->within * l->sd, s->probability};
  gannet_best best;
  gannet_regret regret = {0};
  for (int n = 1; n <= s->most; ++n) {
    int64_t id;
    double x[MOST_D];
    GANNET_TRY(gannet_optimizer_ask(optimizer, 1, &id, x));
    const gannet_result result = {.id = id, .objective = evaluate(l, x)};
    GANNET_TRY(gannet_optimizer_tell(optimizer, 1, &result));
    if (n % s->every != 0) continue;
    GANNET_TRY(
        gannet_regret_estimate(context, gannet_optimizer_history(optimizer), &spec, &regret));
    if (!regret.is_reached) continue;
    gannet_optimizer_best(optimizer, &best, NULL);
    c->stopped += 1;
    c->right += best.objective - l->minimum <= spec.within;
    c->evaluations += n;
    break;
  }
  return GANNET_OK;
}

static gannet_err run_one(const landscape *l, const stopping_settings *s, int seed, counts *c) {
  static const char *const names[] = {"x1", "x2", "x3"};
  const gannet_method_setting method = {"method", s->method};
  gannet_variable variables[MOST_D];
  gannet_context *context = NULL;
  gannet_problem *problem = NULL;
  gannet_optimizer *optimizer = NULL;
  for (int k = 0; k < l->d; ++k)
    variables[k] = (gannet_variable){.name = names[k], .type = GANNET_VARIABLE_REAL, .upper = 1};
  const gannet_problem_spec spec = {.n_variables = l->d, .variables = variables, .noise_sd = NAN};
  gannet_err err = gannet_context_create(MPI_COMM_SELF, (uint64_t)seed, &context);
  if (err == GANNET_OK) err = gannet_problem_create(&spec, &problem);
  if (err == GANNET_OK) err = gannet_optimizer_create(context, problem, 1, &method, &optimizer);
  if (err == GANNET_OK) err = run_loop(l, s, context, optimizer, c);
  gannet_optimizer_destroy(&optimizer);
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&context);
  return err;
}

/* The interval of Wilson 1927 for a share. */
static void print_row(const char *name, int runs, const counts *c) {
  const double z = 1.96, n = c->stopped, p = c->right / n;
  if (!(n > 0)) {
    (void)printf("| %s | %d | 0 | | | | |\n", name, runs);
    return;
  }
  const double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  (void)printf("| %s | %d | %.0f | %.0f | %.1f %% | %.1f to %.1f %% | %.1f |\n", name, runs, n,
               c->right, 100 * p, 100 * (middle - half), 100 * (middle + half), c->evaluations / n);
}

static void print_all(int seeds, const counts *of) {
  static const char *const sums[] = {"all of the prior", "all others", "all"};
  counts sum[3] = {{0}};
  (void)printf(
      "| function | campaigns | ended | right | share | 95 %% interval | evaluations |\n"
      "|---|---|---|---|---|---|---|\n");
  for (int f = 0; f < FUNCTIONS; ++f) {
    const int part[] = {f >= FROM_PRIOR, 2};
    char name[40];
    (void)snprintf(name, sizeof name, "%d of the prior", f + 1);
    print_row(f < FROM_PRIOR ? name : others[f - FROM_PRIOR].name, seeds, &of[f]);
    for (int k = 0; k < 2; ++k) {
      sum[part[k]].stopped += of[f].stopped;
      sum[part[k]].right += of[f].right;
      sum[part[k]].evaluations += of[f].evaluations;
    }
  }
  print_row(sums[0], FROM_PRIOR * seeds, &sum[0]);
  print_row(sums[1], (FUNCTIONS - FROM_PRIOR) * seeds, &sum[1]);
  print_row(sums[2], FUNCTIONS * seeds, &sum[2]);
}

static gannet_err run_stopping(const bench_world *world, const void *options) {
  const stopping_settings *s = options;
  counts of[FUNCTIONS] = {{0}};
  landscape *l = NULL;
  gannet_err err = gannet_alloc(FUNCTIONS, sizeof *l, &l);
  for (int f = 0; f < FUNCTIONS && err == GANNET_OK; ++f) make_landscape(f, &l[f]);
  for (int i = world->rank; i < FUNCTIONS * s->seeds && err == GANNET_OK; i += world->np) {
    const int f = i % FUNCTIONS, seed = i / FUNCTIONS + 1;
    const counts before = of[f];
    err = run_one(&l[f], s, seed, &of[f]);
    (void)fprintf(stderr, "function %d, seed %d: %s after %.0f evaluations\n", f + 1, seed,
                  of[f].stopped == before.stopped ? "given up"
                  : of[f].right > before.right    ? "right"
                                                  : "wrong",
                  of[f].evaluations - before.evaluations);
  }
  gannet_free(&l);
  GANNET_TRY(gannet_agree(world->comm, err));
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, of, 3 * FUNCTIONS, MPI_DOUBLE, MPI_SUM, world->comm));
  if (world->rank > 0) return GANNET_OK;
  print_all(s->seeds, of);
  return GANNET_OK;
}

const bench_type bench_stopping = {
    .name = "stopping",
    .summary = "whether campaigns that end by stop.regret have found the minimum",
    .options = stopping_options,
    .options_size = sizeof(stopping_settings),
    .run = run_stopping,
};
