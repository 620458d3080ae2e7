/* Training of the networks of an ensemble, next to the rate of matrix products. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "benchmark/bench.h"
#include "benchmark/cells.h"
#include "benchmark/rates.h"
#include "linalg/blas.h"
#include "network/input_embedding.h"
#include "network/train.h"

typedef struct {
  gannet_real_list n;
  int members, d, activation, layers, width, trainer, steps, repeat;
  double noise, seconds;
} ensemble_settings;

#define MEMBER(name) offsetof(ensemble_settings, name)
static const gannet_option ensemble_options[] = {
    {.key = "n",
     .type = GANNET_REAL_LIST,
     .offset = MEMBER(n),
     .fallback = "500",
     .lower = 1,
     .upper = 1e5,
     .help = "numbers of observations"},
    {.key = "members",
     .type = GANNET_INTEGER,
     .offset = MEMBER(members),
     .fallback = "8",
     .lower = 1,
     .upper = 10000,
     .help = "networks, shared out over the ranks"},
    {.key = "d",
     .type = GANNET_INTEGER,
     .offset = MEMBER(d),
     .fallback = "20",
     .lower = 1,
     .upper = 10000,
     .help = "variables"},
    {.key = "activation",
     .type = GANNET_CHOICE,
     .offset = MEMBER(activation),
     .fallback = "erf",
     .choices = gannet_activation_names,
     .help = "activation function of the networks"},
    {.key = "layers",
     .type = GANNET_INTEGER,
     .offset = MEMBER(layers),
     .fallback = "2",
     .lower = 1,
     .upper = GANNET_MLP_LAYERS,
     .help = "hidden layers"},
    {.key = "width",
     .type = GANNET_INTEGER,
     .offset = MEMBER(width),
     .fallback = "128",
     .lower = 1,
     .upper = 5000,
     .help = "units per hidden layer"},
    {.key = "trainer",
     .type = GANNET_CHOICE,
     .offset = MEMBER(trainer),
     .fallback = "newton",
     .choices = gannet_trainer_names,
     .help = "how networks are trained; newton is lbfgs beyond 2000 observations, and work is "
             "counted for newton alone"},
    {.key = "steps",
     .type = GANNET_INTEGER,
     .offset = MEMBER(steps),
     .fallback = "20",
     .lower = 1,
     .upper = 1e6,
     .help = "most steps of one training"},
    {.key = "noise",
     .type = GANNET_REAL,
     .offset = MEMBER(noise),
     .fallback = "1e-4",
     .lower = 0,
     .upper = 100,
     .unit = "variances of the targets",
     .help = "noise variance, which is also the pull towards the start"},
    {.key = "repeat",
     .type = GANNET_INTEGER,
     .offset = MEMBER(repeat),
     .fallback = "3",
     .lower = 1,
     .upper = 1000,
     .help = "times that all members are trained; the least time counts"},
    {.key = "seconds",
     .type = GANNET_DURATION,
     .offset = MEMBER(seconds),
     .fallback = "0.3",
     .lower = 1e-3,
     .upper = 3600,
     .help = "time for the rate of matrix products"},
    {0},
};
#undef MEMBER

/* The data of one row, and what one rank's members share. */
typedef struct {
  const ensemble_settings *settings;
  gannet_mlp net;
  int n;
  double *z;      /* [n][d+1] */
  double *target; /* [n] */
  double *start;  /* [parameters] */
  double *theta;  /* [2][parameters] */
  gannet_training *training;
  double bytes; /* of the trainer */
} subject;

typedef struct {
  double seconds;                             /* the slowest rank, for all its members */
  double steps, trials, log_loss, operations; /* sums over the members */
  double bytes;                               /* of the trainer, per rank */
} measurement;

static gannet_stream stream_of(int purpose, int member) {
  return (gannet_stream){1, (uint64_t)purpose, 0, (uint64_t)member};
}

static void drop(subject *s) {
  gannet_free(&s->z);
  gannet_free(&s->target);
  gannet_free(&s->start);
  gannet_free(&s->theta);
  gannet_training_destroy(&s->training);
}

static gannet_err make_inputs(subject *s) {
  const size_t d = (size_t)s->settings->d, n = (size_t)s->n;
  double *x = NULL, *rho = NULL;
  gannet_err code = gannet_alloc(n * d, sizeof *x, &x);
  if (code == GANNET_OK) code = gannet_alloc(d, sizeof *rho, &rho);
  if (code == GANNET_OK) {
    const gannet_input_embedding embedding = {GANNET_EMBEDDING_SPHERE, s->settings->d, rho, 1};
    for (size_t k = 0; k < d; ++k) rho[k] = sqrt(3.0 / (double)d);
    gannet_random_uniform(stream_of(GANNET_FOR_SIMULATION, 0), 0, n * d, x);
    gannet_embed_inputs(&embedding, s->n, x, s->z);
  }
  gannet_free(&x);
  gannet_free(&rho);
  return code;
}

static gannet_err prepare(subject *s) {
  const ensemble_settings *set = s->settings;
  const gannet_train_options how = {.trainer = (gannet_trainer)set->trainer,
                                    .steps = set->steps,
                                    .epochs = set->steps,
                                    .batch = 50,
                                    .rate = 1e-3};
  s->net = (gannet_mlp){.activation = gannet_activations[set->activation],
                        .inputs = set->d + 1,
                        .layers = set->layers,
                        .width = set->width};
  const size_t p = gannet_mlp_parameters(&s->net), n = (size_t)s->n;
  GANNET_TRY(gannet_alloc(n * (size_t)s->net.inputs, sizeof(double), &s->z));
  GANNET_TRY(gannet_alloc(n, sizeof(double), &s->target));
  GANNET_TRY(gannet_alloc(p, sizeof(double), &s->start));
  GANNET_TRY(gannet_alloc(2 * p, sizeof(double), &s->theta));
  GANNET_TRY(make_inputs(s));
  const double before = bench_allocated_memory();
  GANNET_TRY(gannet_training_create(&s->net, s->n, &how, &s->training));
  s->bytes = bench_allocated_memory() - before;
  return GANNET_OK;
}

/* Targets of a member: a function of the inputs, and noise. */
static gannet_err train(subject *s, int member, measurement *m) {
  const double noise = s->settings->noise;
  gannet_train_report done;
  gannet_random_normal(stream_of(GANNET_FOR_NOISE, member), 0, (size_t)s->n, s->target);
  for (int i = 0; i < s->n; ++i) {
    const double *z = s->z + (size_t)i * (size_t)s->net.inputs;
    double sum = 0;
    for (int k = 0; k < s->net.inputs; ++k) sum += sin(3 * z[k] + k);
    s->target[i] = sqrt(noise) * s->target[i] + sum * sqrt(2.0 / s->net.inputs);
  }
  gannet_mlp_start(&s->net, stream_of(GANNET_FOR_WEIGHTS, member), s->start);
  const gannet_train_problem problem = {
      .net = &s->net, .n = s->n, .z = s->z, .target = s->target, .decay = noise, .start = s->start};
  GANNET_TRY(gannet_training_run(s->training, &problem, stream_of(GANNET_FOR_TRAINING, member),
                                 s->theta, &done));
  m->steps += done.steps;
  m->trials += done.trials;
  m->log_loss += log(done.loss);
  m->operations += done.operations;
  return GANNET_OK;
}

/* One's own members, once. */
static gannet_err train_own(const bench_world *world, subject *s, measurement *m) {
  *m = (measurement){0};
  const double begin = gannet_clock_seconds();
  for (int k = world->rank; k < s->settings->members; k += world->np) GANNET_TRY(train(s, k, m));
  m->seconds = gannet_clock_seconds() - begin;
  m->bytes = s->bytes;
  return GANNET_OK;
}

/* Sums over the ranks; the time is that of the slowest, and the least of the repetitions. */
static gannet_err measure(const bench_world *world, subject *s, measurement *all) {
  double least = INFINITY, slowest = 0;
  measurement mine;
  for (int r = 0; r < s->settings->repeat; ++r) {
    GANNET_TRY_MPI(MPI_Barrier(world->comm));
    GANNET_TRY(gannet_agree(world->comm, train_own(world, s, &mine)));
    GANNET_TRY_MPI(MPI_Allreduce(&mine.seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, world->comm));
    least = fmin(least, slowest);
  }
  GANNET_TRY_MPI(MPI_Allreduce(&mine, all, (int)(sizeof mine / sizeof(double)), MPI_DOUBLE, MPI_SUM,
                               world->comm));
  all->seconds = least;
  all->bytes /= world->np;
  return GANNET_OK;
}

/* Of work, which only one trainer counts: without it there are neither steps nor a rate. */
static void print_row(const bench_world *world, const ensemble_settings *s, int n, double peak,
                      const measurement *m, const double *before) {
  char growth[BENCH_GROWTH_SIZE];
  const double all = s->members, unless = m->operations > 0 ? 1 : NAN;
  const double rate = unless * m->operations / m->seconds;
  if (world->rank != 0) return;
  (void)printf("| %d |", n);
  bench_print_number(1, unless * m->steps / all);
  bench_print_number(1, unless * m->trials / all);
  bench_print_number(2, m->log_loss / all);
  bench_print_number(2, 1e3 * m->seconds / all);
  bench_print_number(1, rate / 1e9);
  bench_print_number(2, rate / peak);
  bench_print_number(1, m->bytes / 1e6);
  (void)printf(" %s |\n", bench_growth_text(before[0], before[1], n, m->seconds, growth));
}

static gannet_err run_ensemble(const bench_world *world, const void *settings) {
  const ensemble_settings *s = settings;
  double peak = 0, before[2] = {0};
  GANNET_TRY(bench_gemm_rate_of_all(world->comm, 512, 512, 512, s->seconds, &peak));
  if (world->rank == 0)
    (void)printf(
        "%d members of %d x %d units, %d variables, %s, %d rank(s), BLAS kernel %s, DGEMM 512 x "
        "512 x 512 in the same run: %.1f GFLOP/s on all ranks\n\n| n | steps | trials | log loss | "
        "ms per member | GFLOP/s | share of DGEMM | MB per rank | growth |\n"
        "|---|---|---|---|---|---|---|---|---|\n",
        s->members, s->layers, s->width, s->d, gannet_trainer_names[s->trainer], world->np,
        gannet_blas_kernel(), peak / 1e9);
  for (int i = 0; i < s->n.n; ++i) {
    subject one = {.settings = s, .n = (int)s->n.item[i]};
    measurement m = {0};
    gannet_err code = gannet_agree(world->comm, prepare(&one));
    if (code == GANNET_OK) code = measure(world, &one, &m);
    drop(&one);
    GANNET_TRY(code);
    print_row(world, s, (int)s->n.item[i], peak, &m, before);
    before[0] = s->n.item[i];
    before[1] = m.seconds;
  }
  return GANNET_OK;
}

const bench_type bench_ensemble = {
    .name = "ensemble",
    .summary = "training of the networks of an ensemble, next to the rate of matrix products",
    .options = ensemble_options,
    .options_size = sizeof(ensemble_settings),
    .run = run_ensemble,
};
