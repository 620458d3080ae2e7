/* Objectives that gnuplot can draw. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/figure.h"

static const double largest = 1e300, divisor = 1e100;

static void divide(json_t *list, size_t i) {
  const double value = figure_at(list, i);
  if (isfinite(value)) (void)json_array_set_new(list, i, json_real(value / divisor));
}

static void divide_all(json_t *list) {
  for (size_t i = 0; i < json_array_size(list); ++i) divide(list, i);
}

static void divide_keys(json_t *object, const char *const *keys) {
  for (; *keys; ++keys) {
    json_t *one = json_object_get(object, *keys);
    if (json_is_array(one)) divide_all(one);
    if (json_is_number(one))
      (void)json_object_set_new(object, *keys, json_real(json_number_value(one) / divisor));
  }
}

static void divide_objectives(gannet_report *r) {
  static const char *const range[] = {"best", "worst", "better", NULL};
  static const char *const slice[] = {"median", "low", "high", NULL};
  static const char *const calibration[] = {"predicted", "observed", NULL};
  static const char *const traces[] = {"trace", "trace_time", NULL};
  json_t *slices = json_object_get(r->model, "slices");
  divide_all(json_object_get(r->columns, "objective"));
  divide_keys(json_object_get(r->summary, "range"), range);
  divide_keys(json_object_get(r->model, "calibration"), calibration);
  for (size_t i = 0; i < json_array_size(slices); ++i)
    divide_keys(json_array_get(slices, i), slice);
  for (size_t k = 0; traces[k]; ++k) {
    const json_t *trace = json_object_get(r->summary, traces[k]);
    for (size_t i = 0; i < json_array_size(trace); ++i) divide(json_array_get(trace, i), 2);
  }
}

gannet_report *figure_copy(const gannet_report *report) {
  const json_t *range = json_object_get(report->summary, "range");
  const double size = fmax(fabs(figure_get(range, "best")), fabs(figure_get(range, "worst")));
  gannet_report *made = NULL;
  if (gannet_alloc(1, sizeof *made, &made) != GANNET_OK) return NULL;
  *made = (gannet_report){.objective = report->objective,
                          .summary = json_deep_copy(report->summary),
                          .columns = json_deep_copy(report->columns),
                          .course = json_deep_copy(report->course),
                          .model = json_deep_copy(report->model)};
  if (!made->summary || !made->columns || !made->course || !made->model)
    gannet_report_destroy(&made);
  if (!made || !(size > largest)) return made;
  made->objective = "objective / 1e100";
  divide_objectives(made);
  return made;
}
