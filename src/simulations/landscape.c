/* Instances of landscapes, with their random parts and transforms, and the simulations, whose
 * settings are base function and instance. */
#include "simulations/landscape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "base/random.h"
#include "simulations/benchmark.h"
#include "simulations/problems.h"

double gannet_landscape_oscillate(double z) {
  if (z == 0) return 0;
  const double log_z = log(fabs(z)), c1 = z > 0 ? 10 : 5.5, c2 = z > 0 ? 7.9 : 3.1;
  return copysign(exp(log_z + 0.049 * (sin(c1 * log_z) + sin(c2 * log_z))), z);
}

/* Indices of the streams of an instance. */
enum { FOR_OPTIMUM, FOR_FIRST, FOR_SECOND, FOR_PEAKS, FOR_SHARPNESS, FOR_NORMAL };

static gannet_stream stream_of(const gannet_landscape *l, int what) {
  return (gannet_stream){(uint64_t)l->base->number, GANNET_FOR_SIMULATION,
                         100 + (uint64_t)l->instance, (uint64_t)what};
}

/* Gram-Schmidt on normals, row by row, twice for orthogonality to rounding. */
void gannet_landscape_directions(gannet_stream stream, int rows, int n, double *r) {
  const size_t d = (size_t)n;
  gannet_random_normal(stream, 0, (size_t)rows * d, r);
  for (size_t i = 0; i < (size_t)rows; ++i) {
    double *row = r + i * d, length = 0;
    for (size_t pass = 0; pass < 2; ++pass)
      for (size_t j = 0; j < i; ++j) {
        double dot = 0;
        for (size_t k = 0; k < d; ++k) dot += row[k] * r[j * d + k];
        for (size_t k = 0; k < d; ++k) row[k] -= dot * r[j * d + k];
      }
    for (size_t k = 0; k < d; ++k) length += row[k] * row[k];
    for (size_t k = 0; k < d; ++k) row[k] /= sqrt(length);
  }
}

static void multiply(int d, const double *r, const double *from, double *to) {
  for (int i = 0; i < d; ++i) {
    to[i] = 0;
    for (int k = 0; k < d; ++k) to[i] += r[(size_t)i * (size_t)d + (size_t)k] * from[k];
  }
}

/* The first peak is the minimum; the others lie anywhere, lower and of different shapes. */
static gannet_err make_peaks(gannet_landscape *l) {
  const size_t d = (size_t)l->d, n = (size_t)l->base->peaks;
  GANNET_TRY(gannet_alloc(n * d, sizeof(double), &l->peak));
  GANNET_TRY(gannet_alloc(n * d, sizeof(double), &l->sharp));
  GANNET_TRY(gannet_alloc(n, sizeof(double), &l->height));
  gannet_random_uniform(stream_of(l, FOR_PEAKS), 0, n * d, l->peak);
  gannet_random_uniform(stream_of(l, FOR_SHARPNESS), 0, n * d, l->sharp);
  for (size_t i = 0; i < n; ++i) {
    const double condition = pow(1000, 2 * l->sharp[i * d]);
    double *at = l->peak + i * d, *sharp = l->sharp + i * d;
    for (size_t k = 0; k < d; ++k) {
      at[k] = i == 0 ? 0 : 9.8 * at[k] - 4.9 - l->optimum[k];
      sharp[k] = pow(condition, sharp[k] - 0.5);
    }
    multiply(l->d, l->first, at, l->work);
    memcpy(at, l->work, d * sizeof *at);
    l->height[i] = i == 0 ? 10 : 1.1 + 8 * (double)(i - 1) / fmax(1, (double)n - 2);
  }
  return GANNET_OK;
}

static gannet_err landscape_init(gannet_landscape *l) {
  const size_t d = (size_t)l->d;
  double length = 0;
  GANNET_TRY(gannet_alloc(2 * d * d, sizeof(double), &l->first));
  GANNET_TRY(gannet_alloc(4 * d, sizeof(double), &l->optimum));
  l->second = l->first + d * d;
  l->normal = l->optimum + d;
  l->z = l->optimum + 2 * d;
  l->work = l->optimum + 3 * d;
  gannet_random_uniform(stream_of(l, FOR_OPTIMUM), 0, d, l->optimum);
  for (size_t k = 0; k < d; ++k)
    l->optimum[k] = l->base->corner ? (l->optimum[k] < 0.5 ? -5 : 5) : 8 * l->optimum[k] - 4;
  gannet_landscape_directions(stream_of(l, FOR_FIRST), l->d, l->d, l->first);
  gannet_landscape_directions(stream_of(l, FOR_SECOND), l->d, l->d, l->second);
  gannet_random_normal(stream_of(l, FOR_NORMAL), 0, d, l->normal);
  for (size_t k = 0; k < d; ++k) length += l->normal[k] * l->normal[k];
  for (size_t k = 0; k < d; ++k) l->normal[k] /= sqrt(length);
  return l->base->peaks > 0 ? make_peaks(l) : GANNET_OK;
}

gannet_err gannet_landscape_create(const gannet_landscape_base *base, int d, int instance,
                                   gannet_landscape **landscape) {
  gannet_landscape *l = NULL;
  *landscape = NULL;
  GANNET_REQUIRE(d >= 1, GANNET_ERR_SHAPE, "d = %d, expected at least 1", d);
  GANNET_TRY(gannet_alloc(1, sizeof *l, &l));
  l->base = base;
  l->d = d;
  l->instance = instance;
  const gannet_err err = landscape_init(l);
  if (err != GANNET_OK) gannet_landscape_destroy(&l);
  *landscape = l;
  return err;
}

void gannet_landscape_destroy(gannet_landscape **landscape) {
  if (!*landscape) return;
  gannet_free(&(*landscape)->first);
  gannet_free(&(*landscape)->optimum);
  gannet_free(&(*landscape)->peak);
  gannet_free(&(*landscape)->sharp);
  gannet_free(&(*landscape)->height);
  gannet_free(landscape);
}

gannet_err gannet_landscape_find(const char *name, const gannet_landscape_base **base) {
  int index = 0;
  GANNET_TRY(
      gannet_name_find("landscape", name, (const void *const *)gannet_landscape_bases, &index));
  *base = gannet_landscape_bases[index];
  return GANNET_OK;
}

static double share(const gannet_landscape *l, int i) {
  return l->d > 1 ? (double)i / (l->d - 1) : 0;
}

double gannet_landscape_value(gannet_landscape *l, const double *x) {
  const gannet_landscape_base *base = l->base;
  double *z = l->z;
  for (int k = 0; k < l->d; ++k) l->work[k] = x[k] - l->optimum[k];
  if (base->rotate)
    multiply(l->d, l->first, l->work, z);
  else
    memcpy(z, l->work, (size_t)l->d * sizeof *z);
  for (int k = 0; k < l->d; ++k) {
    if (base->oscillate) z[k] = gannet_landscape_oscillate(z[k]);
    if (base->asymmetry > 0 && z[k] > 0)
      z[k] = pow(z[k], 1 + base->asymmetry * share(l, k) * sqrt(z[k]));
    if (base->condition > 0) z[k] *= pow(base->condition, 0.5 * share(l, k));
  }
  if (base->turn) {
    memcpy(l->work, z, (size_t)l->d * sizeof *z);
    multiply(l->d, l->second, l->work, z);
  }
  return base->value(l, z);
}

double gannet_landscape_constrained(gannet_landscape *l, const double *x, double *c) {
  double along = 0, squares = 0;
  for (int k = 0; k < l->d; ++k) {
    const double away = x[k] - l->optimum[k];
    along += l->normal[k] * away;
    squares += (away + 2 * l->normal[k]) * (away + 2 * l->normal[k]);
  }
  c[0] = along;
  c[1] = squares - 16;
  return gannet_landscape_value(l, x) - 100 * along;
}

typedef struct {
  gannet_benchmark_settings common;
  char *function;
  int instance;
} landscape_settings;

static const gannet_option landscape_options[] = {
    GANNET_BENCHMARK_OPTIONS,
    {.key = "function",
     .type = GANNET_TEXT,
     .offset = offsetof(landscape_settings, function),
     .fallback = "sphere",
     .help = "base function of the landscape",
     .example = "rastrigin-rotated"},
    {.key = "instance",
     .type = GANNET_INTEGER,
     .offset = offsetof(landscape_settings, instance),
     .fallback = "1",
     .lower = 0,
     .upper = 1e9,
     .help = "decides where the minimum lies and how the landscape is turned"},
    {0}};

typedef struct {
  gannet_landscape *landscape;
  bool constrained;
} landscape_view;

static double view_value(const void *user, int d, const double *x, double *c) {
  const landscape_view *of = user;
  (void)d;
  return of->constrained ? gannet_landscape_constrained(of->landscape, x, c)
                         : gannet_landscape_value(of->landscape, x);
}

static int landscape_run(const gannet_simulation_type *type, const landscape_settings *settings,
                         const gannet_simulation_input *input, gannet_simulation_output *output,
                         gannet_quantity *quantities) {
  const gannet_landscape_base *base = NULL;
  char variant[96];
  landscape_view of = {.constrained = type->n_constraints > 0};
  if (gannet_landscape_find(settings->function, &base) != GANNET_OK ||
      gannet_landscape_create(base, input->n_variables, settings->instance, &of.landscape) !=
          GANNET_OK) {
    (void)snprintf(output->reason, sizeof output->reason, "%s", gannet_error_message());
    gannet_error_clear();
    return 1;
  }
  (void)snprintf(variant, sizeof variant, "%.60s %d", base->name, settings->instance);
  const gannet_benchmark_problem problem = {
      .type = type, .value = view_value, .user = &of, .variant = variant};
  const int code = gannet_benchmark_run_problem(&problem, settings, input, output, quantities);
  gannet_landscape_destroy(&of.landscape);
  return code;
}

/* The minimizer is that of the default settings; box and minimum are those of all. */
static int landscape_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  const gannet_landscape_base *base = NULL;
  gannet_landscape *landscape = NULL;
  if (d < 1) return -1;
  gannet_benchmark_cube(d, -5, 5, lower, upper);
  if (minimum) *minimum = 0;
  if (!minimizer) return 0;
  if (gannet_landscape_find("sphere", &base) != GANNET_OK ||
      gannet_landscape_create(base, d, 1, &landscape) != GANNET_OK)
    return -1;
  memcpy(minimizer, landscape->optimum, (size_t)d * sizeof *minimizer);
  gannet_landscape_destroy(&landscape);
  return 0;
}

static int run_free(const void *settings, const gannet_simulation_input *input,
                    gannet_simulation_output *output, gannet_quantity *quantities) {
  return landscape_run(&gannet_landscape_free, settings, input, output, quantities);
}

static int run_constrained(const void *settings, const gannet_simulation_input *input,
                           gannet_simulation_output *output, gannet_quantity *quantities) {
  return landscape_run(&gannet_landscape_bounded, settings, input, output, quantities);
}

const gannet_simulation_type gannet_landscape_free = {
    .name = "landscape",
    .summary = "test functions of every kind, moved, rotated, badly scaled and bent at random",
    .source = "the transforms of Hansen et al. 2009; [-5, 5]^d, 0",
    .options = landscape_options,
    .options_size = sizeof(landscape_settings),
    .run = run_free,
    .box = landscape_box,
};

const gannet_simulation_type gannet_landscape_bounded = {
    .name = "landscape-constrained",
    .summary = "the same with a sloping objective and two constraints",
    .source = "the transforms of Hansen et al. 2009; [-5, 5]^d, 0 on the edge of c1",
    .options = landscape_options,
    .options_size = sizeof(landscape_settings),
    .run = run_constrained,
    .box = landscape_box,
    .n_constraints = 2,
};
