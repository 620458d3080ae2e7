/* How much of the objective's axis is worth looking at. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/parts.h"
#include "report/study.h"

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Values are minimised, sorted; first: the first feasible one. */
static double end_of_better(int64_t n, const double *sorted, double first) {
  const double most = sorted[n - 1 - n / 10];
  return fmax(sorted[(6 * n) / 10], fmin(isnan(first) ? most : first, most));
}

json_t *report_range(const gannet_campaign *c) {
  double *values = NULL, first = NAN;
  int64_t n = 0;
  json_t *made = json_object();
  if (gannet_alloc((size_t)c->ledger.n + 1, sizeof *values, &values) != GANNET_OK) return made;
  for (int64_t id = 0; id < c->ledger.n; ++id) {
    const gannet_ticket *t = &c->ledger.ticket[id];
    if (!report_study_takes(c, id)) continue;
    values[n++] = gannet_problem_flip(c->input->problem, t->objective);
    if (isnan(first) && gannet_problem_is_feasible(c->input->problem, t->constraints))
      first = values[n - 1];
  }
  qsort(values, (size_t)n, sizeof *values, ascending);
  if (n > 0) {
    const double end = end_of_better(n, values, first);
    const bool stretched = n > 20 && values[n - 1] / 12 - values[0] / 12 >
                                         0.5 * end - 0.5 * values[0]; /* no overflow */
    (void)json_object_set_new(made, "best",
                              report_number(gannet_problem_flip(c->input->problem, values[0])));
    (void)json_object_set_new(made, "worst",
                              report_number(gannet_problem_flip(c->input->problem, values[n - 1])));
    (void)json_object_set_new(made, "better",
                              report_number(gannet_problem_flip(c->input->problem, end)));
    (void)json_object_set_new(made, "stretched", json_boolean(stretched));
  }
  gannet_free(&values);
  return made;
}
