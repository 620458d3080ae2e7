#include "optimizer/models/repeats.h"

#include <math.h>
#include <string.h>

#include "problem/objectives.h"

enum { LOOKED_AT = 16 };

/* The first evaluation that ran the same design and has a result; -1 = none. */
static int64_t find_earlier(const gannet_history *history, int64_t id) {
  const size_t size = (size_t)gannet_history_problem(history)->d * sizeof(double);
  const double *x = gannet_history_x_unit(history, id);
  for (int64_t i = 0; i < id; ++i)
    if (!memcmp(gannet_history_x_unit(history, i), x, size) &&
        gannet_history_get(history, i)->status == GANNET_EVAL_DONE)
      return i;
  return -1;
}

static bool are_equal(const gannet_history *history, int64_t a, int64_t b) {
  const int n = gannet_history_problem(history)->spec.n_constraints;
  const double *one = gannet_history_constraints(history, a),
               *other = gannet_history_constraints(history, b);
  bool equal = gannet_result_same_value(gannet_history_get(history, a)->objective,
                                        gannet_history_get(history, b)->objective);
  for (int k = 0; k < n && equal; ++k) equal = gannet_result_same_value(one[k], other[k]);
  return equal;
}

int gannet_repeats_agree(const gannet_history *history) {
  const gannet_problem *problem = gannet_history_problem(history);
  const int n_objectives = gannet_problem_n_objectives(problem);
  int agree = 0, looked = 0, told = 0;
  for (int m = 0; m < n_objectives; ++m) {
    const double noise = gannet_problem_objective_noise(problem, m);
    if (noise > 0) return 0;
    told += !isnan(noise);
  }
  if (problem->n_continuous > 0 || told == n_objectives) return 0;
  for (int64_t id = gannet_history_count(history); id-- > 0 && looked < LOOKED_AT;) {
    if (gannet_history_get(history, id)->status != GANNET_EVAL_DONE) continue;
    looked += 1;
    const int64_t earlier = find_earlier(history, id);
    if (earlier < 0) continue;
    if (!are_equal(history, id, earlier)) return 0;
    agree += 1;
  }
  return agree;
}
