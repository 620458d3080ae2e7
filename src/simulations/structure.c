/* Functions of y with their minimum 0 at y = 0, instances, and the simulation. */
#include "simulations/structure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "base/random.h"
#include "simulations/benchmark.h"
#include "simulations/landscape.h"
#include "simulations/problems.h"

static const double pi = 3.14159265358979323846;

static double square(double x) {
  return x * x;
}

/* Few active directions. */

static double kinks(const gannet_structure *s, const double *y) {
  double most = 0;
  for (int i = 0; i < s->k; ++i) most = fmax(most, fabs(y[i]));
  return most;
}

static double ripples(const gannet_structure *s, const double *y) {
  double sum = 0;
  for (int i = 0; i < s->k; ++i) sum += y[i] * y[i] + 5 * (1 - cos(pi * y[i]));
  return sum;
}

static double funnel(const gannet_structure *s, const double *y) {
  double squares = 0, cosines = 0;
  for (int i = 0; i < s->k; ++i) {
    squares += y[i] * y[i];
    cosines += cos(pi * y[i]) - 1;
  }
  return -20 * expm1(-0.2 * sqrt(squares / s->k)) - exp(1) * expm1(cosines / s->k);
}

static double valley(const gannet_structure *s, const double *y) {
  double sum = s->k == 1 ? square(y[0]) : 0;
  for (int i = 0; i + 1 < s->k; ++i) {
    const double a = y[i] / 2 + 1, b = y[i + 1] / 2 + 1;
    sum += 100 * square(a * a - b) + square(a - 1);
  }
  return sum;
}

/* A deep well at y = 0 and two wide ones, 5 and 6 away. */
static double wells(const gannet_structure *s, const double *y) {
  double deep = 0, second = 0, third = 0;
  for (int i = 0; i < s->k; ++i) {
    deep += square(y[i]);
    second += square(y[i] - 5 / sqrt(s->k));
    third += square(y[i] + (i % 2 ? -6 : 6) / sqrt(s->k));
  }
  const double best = fmax(exp(-deep / 12), fmax(0.8 * exp(-second / 30), 0.7 * exp(-third / 30)));
  return 10 * (1 - best);
}

static double cliffs(const gannet_structure *s, const double *y) {
  double sum = 0;
  for (int i = 0; i < s->k; ++i) sum += log1p(20 * square(y[i])) + 0.1 * fabs(y[i]);
  return sum;
}

/* Compositions. */

/* Misfit of the outputs of a network of one layer, tanh, to those at y = 0. */
static double network(const gannet_structure *s, const double *y) {
  const double *head = s->weights + (size_t)GANNET_STRUCTURE_UNITS * (size_t)s->k;
  double misfit[GANNET_STRUCTURE_OUTPUTS] = {0}, sum = 0;
  for (int j = 0; j < GANNET_STRUCTURE_UNITS; ++j, head += GANNET_STRUCTURE_OUTPUTS) {
    const double *row = s->weights + (size_t)j * (size_t)s->k;
    const double bias = row[0]; /* a normal number as good as any */
    double input = bias;
    for (int i = 0; i < s->k; ++i) input += row[i] * y[i] / (2 * sqrt(s->k));
    for (int o = 0; o < GANNET_STRUCTURE_OUTPUTS; ++o)
      misfit[o] += head[o] * (tanh(input) - tanh(bias));
  }
  for (int o = 0; o < GANNET_STRUCTURE_OUTPUTS; ++o) sum += square(misfit[o]);
  return sqrt(sum);
}

/* Misfit of a sum of decaying oscillations at 40 times to that at y = 0: every four entries of y
 * are amplitude, rate, frequency and phase of one. */
static double decay(const gannet_structure *s, const double *y) {
  double sum = 0;
  for (int i = 0; i < 40; ++i) {
    double curve = 0;
    const double t = i / 10.0;
    for (int j = 0; j < s->k; j += 4) {
      const double z[4] = {y[j], j + 1 < s->k ? y[j + 1] : 0, j + 2 < s->k ? y[j + 2] : 0,
                           j + 3 < s->k ? y[j + 3] : 0};
      const double rate = 1 + s->random[j], pace = 1 + j / 2.0;
      curve += (2 + z[0] / 3) * exp(-rate * exp(z[1] / 8) * t) *
                   sin(pace * (1 + z[2] / 30) * t + z[3] / 5) -
               2 * exp(-rate * t) * sin(pace * t);
    }
    sum += square(curve);
  }
  return sum;
}

/* A logarithm of a quadratic of bent coordinates. */
static double bent(const gannet_structure *s, const double *y) {
  double sum = 0;
  for (int i = 0; i < s->k; ++i) {
    const double next = y[(i + 1) % s->k], phase = 6 * s->random[i];
    sum += (1 + 9 * s->random[i]) * square(y[i] + sin(next + phase) - sin(phase));
  }
  return log1p(sum);
}

/* The largest of five quadratics, each of a random direction and every fifth coordinate. */
static double envelope(const gannet_structure *s, const double *y) {
  double most = 0;
  for (int j = 0; j < GANNET_STRUCTURE_OUTPUTS; ++j) {
    const double *row = s->weights + (size_t)j * (size_t)s->k;
    double along = 0, own = 0;
    for (int i = 0; i < s->k; ++i) along += row[i] * y[i] / sqrt(s->k);
    for (int i = j; i < s->k; i += GANNET_STRUCTURE_OUTPUTS) own += square(y[i]);
    most = fmax(most, 10 * square(along) + own);
  }
  return most;
}

/* Sums of functions of single variables. */

static double lanes(const gannet_structure *s, const double *y) {
  double sum = 0;
  for (int i = 0; i < s->k; ++i)
    sum += 1 - 0.7 * exp(-square(y[i] / (0.3 + 0.5 * s->random[i]))) - 0.3 * exp(-square(y[i] / 4));
  return sum;
}

/* Two wells of different depth in every variable. */
static double twins(const gannet_structure *s, const double *y) {
  double sum = 0;
  for (int i = 0; i < s->k; ++i) {
    const double x = (s->random[i] < 0.5 ? -1 : 1) * y[i] / 1.5 - 2.903534027771177;
    sum += 0.5 * (square(x * x) - 16 * x * x + 5 * x) + 39.16616570377142;
  }
  return fmax(0, sum);
}

static double waves(const gannet_structure *s, const double *y) {
  double sum = 0;
  for (int i = 0; i < s->k; ++i)
    sum += square(y[i]) + 10 * (1 - cos((0.5 + s->random[i]) * pi * y[i]));
  return sum;
}

static double corners(const gannet_structure *s, const double *y) {
  double sum = 0;
  for (int i = 0; i < s->k; ++i) sum += sqrt(fabs(y[i])) * (1 + 9 * s->random[i] * s->random[i]);
  return sum;
}

#define STRUCTURE(n, label, function, k, text)                                                \
  &(const gannet_structure_base) {                                                            \
    .name = (label), .summary = (text), .number = (n), .directions = (k), .value = (function) \
  }

const gannet_structure_base *const gannet_structure_bases[] = {
    STRUCTURE(301, "kinks", kinks, 6, "the largest of six distances"),
    STRUCTURE(302, "ripples", ripples, 2, "waves on a bowl of two directions"),
    STRUCTURE(303, "funnel", funnel, 4, "Ackley's function of four directions"),
    STRUCTURE(304, "valley", valley, 3, "Rosenbrock's function of three directions"),
    STRUCTURE(305, "wells", wells, 4, "a narrow well and two wide ones in four directions"),
    STRUCTURE(306, "cliffs", cliffs, 5, "logarithms of five directions"),
    STRUCTURE(311, "network", network, 0, "misfit of a random network's five outputs"),
    STRUCTURE(312, "decay", decay, 0, "misfit of a curve of decaying oscillations"),
    STRUCTURE(313, "bent", bent, 0, "logarithm of a quadratic of bent coordinates"),
    STRUCTURE(314, "envelope", envelope, 0, "the largest of five quadratics"),
    STRUCTURE(321, "lanes", lanes, 0, "a sum of narrow valleys, one per variable"),
    STRUCTURE(322, "twins", twins, 0, "a sum of double wells, one per variable"),
    STRUCTURE(323, "waves", waves, 0, "a sum of waves, one frequency per variable"),
    STRUCTURE(324, "corners", corners, 0, "a sum of square roots, one steepness per variable"),
    NULL};

static gannet_err fill_structure(gannet_structure *s) {
  enum { FOR_OPTIMUM, FOR_TURN, FOR_RANDOM, FOR_WEIGHTS };
  const size_t d = (size_t)s->d, k = (size_t)s->k;
  const size_t weights = GANNET_STRUCTURE_UNITS * (k + GANNET_STRUCTURE_OUTPUTS);
  gannet_stream stream = {(uint64_t)s->base->number, GANNET_FOR_SIMULATION,
                          100 + (uint64_t)s->instance, FOR_OPTIMUM};
  GANNET_TRY(gannet_alloc(d, sizeof(double), &s->optimum));
  GANNET_TRY(gannet_alloc(d, sizeof(double), &s->random));
  GANNET_TRY(gannet_alloc(k, sizeof(double), &s->y));
  GANNET_TRY(gannet_alloc(weights, sizeof(double), &s->weights));
  gannet_random_uniform(stream, 0, d, s->optimum);
  for (size_t i = 0; i < d; ++i) s->optimum[i] = 8 * s->optimum[i] - 4;
  stream.index = FOR_RANDOM;
  gannet_random_uniform(stream, 0, d, s->random);
  stream.index = FOR_WEIGHTS;
  gannet_random_normal(stream, 0, weights, s->weights);
  if (s->base->directions == 0) return GANNET_OK;
  stream.index = FOR_TURN;
  GANNET_TRY(gannet_alloc(k * d, sizeof(double), &s->turn));
  gannet_landscape_directions(stream, s->k, s->d, s->turn);
  return GANNET_OK;
}

gannet_err gannet_structure_create(const char *name, int d, int instance,
                                   gannet_structure **structure) {
  gannet_structure *s = NULL;
  int index = 0;
  *structure = NULL;
  GANNET_REQUIRE(d >= 1, GANNET_ERR_SHAPE, "d = %d, expected at least 1", d);
  GANNET_TRY(
      gannet_name_find("structure", name, (const void *const *)gannet_structure_bases, &index));
  GANNET_TRY(gannet_alloc(1, sizeof *s, &s));
  s->base = gannet_structure_bases[index];
  s->d = s->k = d;
  s->instance = instance;
  if (s->base->directions > 0 && s->base->directions < d) s->k = s->base->directions;
  const gannet_err err = fill_structure(s);
  if (err != GANNET_OK) gannet_structure_destroy(&s);
  *structure = s;
  return err;
}

void gannet_structure_destroy(gannet_structure **structure) {
  if (!*structure) return;
  gannet_free(&(*structure)->optimum);
  gannet_free(&(*structure)->turn);
  gannet_free(&(*structure)->random);
  gannet_free(&(*structure)->weights);
  gannet_free(&(*structure)->y);
  gannet_free(structure);
}

double gannet_structure_value(gannet_structure *s, const double *x) {
  for (int i = 0; i < s->k; ++i) {
    const double *row = s->turn ? s->turn + (size_t)i * (size_t)s->d : NULL;
    s->y[i] = row ? 0 : x[i] - s->optimum[i];
    for (int j = 0; row && j < s->d; ++j) s->y[i] += row[j] * (x[j] - s->optimum[j]);
  }
  return s->base->value(s, s->y);
}

/* The simulation. */

typedef struct {
  gannet_benchmark_settings common;
  char *function;
  int instance;
} structure_settings;

static const gannet_option structure_options[] = {
    GANNET_BENCHMARK_OPTIONS,
    {.key = "function",
     .type = GANNET_TEXT,
     .offset = offsetof(structure_settings, function),
     .fallback = "kinks",
     .help =
         "function: kinks, ripples, funnel, valley, wells and cliffs of few directions; network, "
         "decay, bent and envelope, compositions; lanes, twins, waves and corners, sums",
     .example = "network"},
    {.key = "instance",
     .type = GANNET_INTEGER,
     .offset = offsetof(structure_settings, instance),
     .fallback = "1",
     .lower = 0,
     .upper = 1e9,
     .help = "decides where the minimum lies, how the function is turned, and its weights"},
    {0}};

static double structure_value(const void *user, int d, const double *x, double *c) {
  gannet_structure *const *s = user;
  (void)d, (void)c;
  return gannet_structure_value(*s, x);
}

static int structure_run(const void *options, const gannet_simulation_input *input,
                         gannet_simulation_output *output, gannet_quantity *quantities) {
  const structure_settings *settings = options;
  gannet_structure *s = NULL;
  char variant[96];
  if (gannet_structure_create(settings->function, input->n_variables, settings->instance, &s) !=
      GANNET_OK) {
    (void)snprintf(output->reason, sizeof output->reason, "%s", gannet_error_message());
    gannet_error_clear();
    return 1;
  }
  (void)snprintf(variant, sizeof variant, "%.60s %d", s->base->name, settings->instance);
  const gannet_benchmark_problem problem = {
      .type = &gannet_structured, .value = structure_value, .user = &s, .variant = variant};
  const int code = gannet_benchmark_run_problem(&problem, settings, input, output, quantities);
  gannet_structure_destroy(&s);
  return code;
}

/* The minimizer is that of the default settings; box and minimum are those of all. */
static int structure_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  gannet_structure *s = NULL;
  if (d < 1) return -1;
  gannet_benchmark_cube(d, -5, 5, lower, upper);
  if (minimum) *minimum = 0;
  if (!minimizer) return 0;
  if (gannet_structure_create("kinks", d, 1, &s) != GANNET_OK) return -1;
  memcpy(minimizer, s->optimum, (size_t)d * sizeof *minimizer);
  gannet_structure_destroy(&s);
  return 0;
}

const gannet_simulation_type gannet_structured = {
    .name = "structure",
    .summary = "functions of few directions, compositions and sums, moved and turned at random",
    .source = "made for this program; [-5, 5]^d, 0",
    .options = structure_options,
    .options_size = sizeof(structure_settings),
    .run = structure_run,
    .box = structure_box,
};
