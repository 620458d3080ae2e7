#include "problem/objectives.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

int gannet_problem_n_objectives(const gannet_problem *problem) {
  return problem->spec.n_objectives > 0 ? problem->spec.n_objectives : 1;
}

int gannet_problem_n_bounded(const gannet_problem *problem) {
  return problem->spec.n_constraints - (gannet_problem_n_objectives(problem) - 1);
}

int gannet_problem_objective_quantity(const gannet_problem *problem, int m) {
  return m == 0 ? 0 : gannet_problem_n_bounded(problem) + m;
}

int gannet_problem_quantity_objective(const gannet_problem *problem, int quantity) {
  if (quantity == 0) return 0;
  const int m = quantity - gannet_problem_n_bounded(problem);
  return m >= 1 ? m : -1;
}

int gannet_problem_place(const gannet_problem *problem, int quantity) {
  const int m = gannet_problem_quantity_objective(problem, quantity);
  return m >= 0 ? m : gannet_problem_n_objectives(problem) + quantity - 1;
}

double gannet_problem_flip_objective(const gannet_problem *problem, int m, double value) {
  const gannet_problem_spec *spec = &problem->spec;
  const gannet_goal goal = spec->n_objectives > 0 ? spec->objectives[m].goal : spec->goal;
  return goal == GANNET_MAXIMIZE ? -value : value;
}

double gannet_problem_objective_noise(const gannet_problem *problem, int m) {
  const gannet_problem_spec *spec = &problem->spec;
  return spec->n_objectives > 0 ? spec->objectives[m].noise_sd : spec->noise_sd;
}

bool gannet_problem_is_exact(const gannet_problem *problem) {
  for (int m = 0; m < gannet_problem_n_objectives(problem); ++m)
    if (gannet_problem_objective_noise(problem, m) != 0) return false;
  return true;
}

const char *gannet_objective_transform_text(gannet_objective_transform transform) {
  static const char *const words[] = {"auto", "none", "log"};
  return words[transform];
}

void gannet_problem_objectives(const gannet_problem *problem, double objective,
                               const double *constraints, double *y) {
  const int n = gannet_problem_n_objectives(problem), first = gannet_problem_n_bounded(problem);
  y[0] = gannet_problem_flip_objective(problem, 0, objective);
  for (int m = 1; m < n; ++m)
    y[m] = gannet_problem_flip_objective(problem, m, constraints[first + m - 1]);
}

int gannet_spec_n_bounded(const gannet_problem_spec *spec) {
  const int further = spec->n_objectives > 0 ? spec->n_objectives - 1 : 0;
  const int n = spec->n_constraints - further;
  if (n < 0) return spec->n_constraints;
  for (int m = 1; m <= further; ++m) {
    const gannet_constraint *last = &spec->constraints[n + m - 1];
    if (last->lower > -INFINITY || last->upper < INFINITY || !last->name ||
        !spec->objectives[m].name || strcmp(last->name, spec->objectives[m].name) != 0)
      return spec->n_constraints;
  }
  return n;
}

gannet_err gannet_objectives_copy(const gannet_problem_spec *from, gannet_problem_spec *to,
                                  gannet_constraint *constraints) {
  gannet_objective *objectives = NULL;
  if (from->n_objectives == 0) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)from->n_objectives, sizeof *objectives, &objectives));
  to->objectives = objectives;
  to->goal = from->objectives[0].goal;
  to->noise_sd = from->objectives[0].noise_sd;
  for (; to->n_objectives < from->n_objectives; ++to->n_objectives) {
    char *name = NULL, *again = NULL;
    const int m = to->n_objectives;
    objectives[m] = from->objectives[m];
    objectives[m].name = NULL;
    GANNET_TRY(gannet_copy_text(from->objectives[m].name, &name));
    objectives[m].name = name;
    if (m == 0) continue;
    GANNET_TRY(gannet_copy_text(name, &again));
    constraints[to->n_constraints++] =
        (gannet_constraint){.name = again, .lower = -INFINITY, .upper = INFINITY};
  }
  return GANNET_OK;
}
