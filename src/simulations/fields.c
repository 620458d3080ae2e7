/* Objectives that obey differential equations which do not depend on where the minimum lies:
 *
 *   u = 1 - sum_j a_j cos(k_j . (x - x*)) T_j(t),   a_j > 0,  sum_j a_j = 1
 *
 * on [-1, 1]^d, with the minimum 0 at x*. The setting instance draws x*, the wave vectors k_j and
 * the amplitudes. The last variable is the time t of all but field-helmholtz:
 *
 *   field-helmholtz  |k_j| = 6, T = 1                    Laplacian u + 36 u = 36
 *   field-heat       T = exp(-|k_j|^2 (t + 1) / 50)      du/dt = Laplacian u / 50
 *   field-wave       T = cos(|k_j| (t - t*))             d2u/dt2 = Laplacian u
 *   field-drift      k_j . (x - x* - v (t - t*)) in cos  du/dt + v . grad u = 0,  v_i = 1 / i
 */
#include <math.h>
#include <stdio.h>

#include "base/random.h"
#include "simulations/benchmark.h"
#include "simulations/physics.h"
#include "simulations/problems.h"

enum { WAVES = 10, VARIABLES_MOST = 50 };

typedef enum { HELMHOLTZ = 331, HEAT, WAVE, DRIFT } field_kind; /* keys the random numbers */

typedef struct {
  gannet_benchmark_settings common;
  int instance;
} field_settings;

static const gannet_option field_options[] = {
    GANNET_BENCHMARK_OPTIONS,
    {.key = "instance",
     .type = GANNET_INTEGER,
     .offset = offsetof(field_settings, instance),
     .fallback = "1",
     .lower = 0,
     .upper = 1e9,
     .help = "decides where the minimum lies, and the waves"},
    {0}};

typedef struct {
  field_kind kind;
  double optimum[VARIABLES_MOST];
  double share[WAVES];
  double wave[WAVES][VARIABLES_MOST]; /* of the variables but time */
  double length[WAVES];
} field;

/* Number of variables but time. */
static int count_places(field_kind kind, int d) {
  return kind == HELMHOLTZ ? d : d - 1;
}

/* Returns 0, or -1 where the field does not exist. */
static int fill_field(field_kind kind, int instance, int d, field *f) {
  const int places = count_places(kind, d);
  double u[VARIABLES_MOST], sum = 0;
  gannet_stream stream = {(uint64_t)kind, GANNET_FOR_SIMULATION, 100 + (uint64_t)instance, 0};
  if (d > VARIABLES_MOST || places < 1) return -1;
  f->kind = kind;
  gannet_random_uniform(stream, 0, (size_t)d, f->optimum);
  for (int i = 0; i < d; ++i) f->optimum[i] = 1.6 * f->optimum[i] - 0.8;
  if (kind == HEAT) f->optimum[d - 1] = -1;
  stream.index = 1;
  gannet_random_uniform(stream, 0, WAVES, f->share);
  for (int j = 0; j < WAVES; ++j) sum += f->share[j] += 0.5;
  for (int j = 0; j < WAVES; ++j) {
    double squares = 0;
    f->share[j] /= sum;
    stream.index = 2 + (uint64_t)j;
    gannet_random_normal(stream, 0, (size_t)places, f->wave[j]);
    gannet_random_uniform(stream, (uint64_t)places, 1, u);
    for (int i = 0; i < places; ++i) squares += f->wave[j][i] * f->wave[j][i];
    f->length[j] = kind == HELMHOLTZ ? 6 : 2 + 6 * u[0];
    for (int i = 0; i < places; ++i) f->wave[j][i] *= f->length[j] / sqrt(squares);
  }
  return 0;
}

static double field_value(const void *user, int d, const double *x, double *c) {
  const field *f = user;
  const int places = count_places(f->kind, d);
  const double since = x[d - 1] - f->optimum[d - 1];
  double u = 0;
  (void)c;
  for (int j = 0; j < WAVES; ++j) {
    double phase = 0, factor = 1;
    for (int i = 0; i < places; ++i)
      phase += f->wave[j][i] * (x[i] - f->optimum[i] - (f->kind == DRIFT ? since / (i + 1) : 0));
    if (f->kind == HEAT) factor = exp(-f->length[j] * f->length[j] * (x[d - 1] + 1) / 50);
    if (f->kind == WAVE) factor = cos(f->length[j] * since);
    u += f->share[j] * (1 - cos(phase) * factor);
  }
  return u;
}

static int run_field(const gannet_simulation_type *type, field_kind kind,
                     const field_settings *settings, const gannet_simulation_input *input,
                     gannet_simulation_output *output, gannet_quantity *quantities) {
  field f = {0};
  char variant[32];
  const int d = input->n_variables;
  (void)fill_field(kind, settings->instance, d, &f); /* what runs it asks the box first */
  (void)snprintf(variant, sizeof variant, "%d", settings->instance);
  const gannet_benchmark_problem problem = {
      .type = type, .value = field_value, .user = &f, .variant = variant};
  return gannet_benchmark_run_problem(&problem, settings, input, output, quantities);
}

/* Defines the simulation gannet_field_NAME. The minimizer of its box is that of the default
 * settings; box and minimum are those of all. */
#define DEFINE_FIELD(id, KIND, text, about, equation)                                            \
  static int id##_run(const void *settings, const gannet_simulation_input *input,                \
                      gannet_simulation_output *output, gannet_quantity *quantities) {           \
    return run_field(&gannet_field_##id, KIND, settings, input, output, quantities);             \
  }                                                                                              \
  static int id##_box(int d, double *lower, double *upper, double *minimum, double *minimizer) { \
    field f = {0};                                                                               \
    if (fill_field(KIND, 1, d, &f)) return -1;                                                   \
    gannet_benchmark_cube(d, -1, 1, lower, upper);                                               \
    return gannet_benchmark_listed(d, 0, f.optimum, minimum, minimizer);                         \
  }                                                                                              \
  const gannet_simulation_type gannet_field_##id = {                                             \
      .name = (text),                                                                            \
      .summary = (about),                                                                        \
      .source = "made for this program; [-1, 1]^d, 0",                                           \
      .options = field_options,                                                                  \
      .options_size = sizeof(field_settings),                                                    \
      .run = id##_run,                                                                           \
      .box = id##_box,                                                                           \
      .physics = (equation),                                                                     \
  };

DEFINE_FIELD(helmholtz, HELMHOLTZ, "field-helmholtz", "standing waves of one length",
             gannet_physics_helmholtz)
DEFINE_FIELD(heat, HEAT, "field-heat", "a temperature that evens out; the last variable is time",
             gannet_physics_conduction)
DEFINE_FIELD(wave, WAVE, "field-wave", "waves of all lengths; the last variable is time",
             gannet_physics_wave)
DEFINE_FIELD(drift, DRIFT, "field-drift", "a pattern that drifts; the last variable is time",
             gannet_physics_drift)
