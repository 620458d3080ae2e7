/* Fronts of several objectives: their hypervolume, and the boxes of the region that they leave. */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "benchmark/bench.h"
#include "benchmark/cells.h"
#include "benchmark/rates.h"
#include "pareto/hypervolume.h"
#include "pareto/hypervolume_improvement.h"

enum { MOST_OBJECTIVES = 5, REPEATS_MOST = 100 };

typedef struct {
  gannet_real_list n;
  gannet_real_list objectives;
  int repeat;
} front_settings;

static const gannet_option front_options[] = {
    {.key = "n",
     .type = GANNET_REAL_LIST,
     .offset = offsetof(front_settings, n),
     .fallback = "500",
     .lower = 1,
     .upper = 1e6,
     .help = "points of the front"},
    {.key = "objectives",
     .type = GANNET_REAL_LIST,
     .offset = offsetof(front_settings, objectives),
     .fallback = "2,3,4,5",
     .lower = 1,
     .upper = MOST_OBJECTIVES,
     .help = "numbers of objectives"},
    {.key = "repeat",
     .type = GANNET_INTEGER,
     .offset = offsetof(front_settings, repeat),
     .fallback = "5",
     .lower = 1,
     .upper = REPEATS_MOST,
     .help = "times that each step is measured, of which the median is told"},
    {0},
};

/* Points of the unit sphere around (1, ..., 1), none of which dominates another. */
static void make_front(int n, int m, double *y) {
  gannet_random_normal((gannet_stream){1, GANNET_FOR_SIMULATION, 0, 0}, 0, (size_t)n * (size_t)m,
                       y);
  for (int i = 0; i < n; ++i) {
    double *row = y + (size_t)i * (size_t)m, squares = 0;
    for (int j = 0; j < m; ++j) squares += row[j] * row[j];
    for (int j = 0; j < m; ++j) row[j] = 1 - fabs(row[j]) / sqrt(squares);
  }
}

static const double reference[] = {1.1, 1.1, 1.1, 1.1, 1.1};

enum { VOLUME, BOXES, IMPROVEMENT, SMOOTHED, EXPECTED, STEPS };

/* Seconds of each step, once. The three improvements are those of a point on the front's middle. */
static gannet_err measure_once(int n, int m, const double *y, int *boxes_count, double *seconds) {
  gannet_boxes boxes;
  double volume = 0, gradient[MOST_OBJECTIVES], other[MOST_OBJECTIVES], at[MOST_OBJECTIVES];
  const double sd[] = {0.1, 0.1, 0.1, 0.1, 0.1}, smoothing[] = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3};
  for (int j = 0; j < m; ++j) at[j] = 1 - 1 / sqrt(m);
  double times[STEPS + 1] = {gannet_clock_seconds()};
  GANNET_TRY(gannet_hypervolume(n, m, y, reference, &volume));
  times[VOLUME + 1] = gannet_clock_seconds();
  gannet_err err = gannet_boxes_create(n, m, y, reference, &boxes);
  times[BOXES + 1] = gannet_clock_seconds();
  if (err == GANNET_OK) {
    (void)gannet_hypervolume_improvement(&boxes, at);
    times[IMPROVEMENT + 1] = gannet_clock_seconds();
    (void)gannet_log_hypervolume_improvement(&boxes, smoothing, at, gradient);
    times[SMOOTHED + 1] = gannet_clock_seconds();
    (void)gannet_log_expected_hypervolume_improvement(&boxes, at, sd, gradient, other);
    times[EXPECTED + 1] = gannet_clock_seconds();
    for (int s = 0; s < STEPS; ++s) seconds[s] = times[s + 1] - times[s];
    *boxes_count = boxes.count;
  }
  gannet_boxes_release(&boxes);
  return err;
}

static gannet_err measure(const bench_world *world, int n, int m, int repeat) {
  double *y = NULL, seconds[STEPS][REPEATS_MOST], one[STEPS] = {0};
  int boxes = 0;
  gannet_err err = gannet_alloc((size_t)n * (size_t)m, sizeof *y, (void **)&y);
  if (err == GANNET_OK) make_front(n, m, y);
  for (int r = 0; err == GANNET_OK && r < repeat; ++r) {
    err = measure_once(n, m, y, &boxes, one);
    for (int s = 0; s < STEPS; ++s) seconds[s][r] = one[s];
  }
  gannet_free(&y);
  GANNET_TRY(gannet_agree(world->comm, err));
  if (world->rank != 0) return GANNET_OK;
  (void)printf("| %d | %d |", n, m);
  bench_print_number(3, 1e3 * bench_median(repeat, seconds[VOLUME]));
  (void)printf(" %d |", boxes);
  bench_print_number(3, 1e3 * bench_median(repeat, seconds[BOXES]));
  for (int s = IMPROVEMENT; s < STEPS; ++s)
    bench_print_number(1, 1e6 * bench_median(repeat, seconds[s]));
  (void)printf("\n");
  return GANNET_OK;
}

static gannet_err run_front(const bench_world *world, const void *settings) {
  const front_settings *s = settings;
  if (world->rank == 0)
    (void)printf(
        "| points | objectives | hypervolume, ms | boxes | made, ms | improvement, us | its "
        "smooth logarithm, us | expected improvement, us |\n|---|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < s->n.n; ++i)
    for (int j = 0; j < s->objectives.n; ++j)
      GANNET_TRY(measure(world, (int)s->n.item[i], (int)s->objectives.item[j], s->repeat));
  return GANNET_OK;
}

const bench_type bench_front = {
    .name = "front",
    .summary = "hypervolume of fronts, and improvements of it",
    .options = front_options,
    .options_size = sizeof(front_settings),
    .run = run_front,
};
