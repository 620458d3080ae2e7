#include "optimizer/models/pde_constraint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "problem/physics.h"
#include "search/sobol.h"
#include "surrogate/models/pinn/pinn.h"

/* Rows of equations when the number of points is not given. A sum of functions of one variable each
 * needs some dozens of rows per variable. */
enum { ROWS_PER_VARIABLE = 60, LEAST_ROWS = 600, MOST_ROWS = 1500, LEAST_POINTS = 20 };
enum { EDGE_SHARE = 2 };

bool gannet_method_takes_equations(const gannet_method *method) {
  if (method->with_equations) return true;
  for (const gannet_setting *s = method->defaults; s->key; ++s)
    for (int i = 0; strcmp(s->key, "surrogate.type") == 0 && gannet_surrogate_types[i]; ++i)
      if (strcmp(gannet_surrogate_types[i]->name, s->text) == 0)
        return gannet_surrogate_types[i]->set_pde_constraint != NULL;
  return false;
}

static void list_methods(char *names, size_t size) {
  size_t used = 0;
  names[0] = '\0';
  for (int i = 0; gannet_methods[i] && used + 1 < size; ++i) {
    if (!gannet_method_takes_equations(gannet_methods[i])) continue;
    const int more = snprintf(names + used, size - used, " %s", gannet_methods[i]->name);
    used += more > 0 ? (size_t)more : 0;
  }
}

gannet_err gannet_pde_constraint_join(gannet_optimizer_options *options,
                                      const gannet_problem *problem,
                                      gannet_complaints *complaints) {
  const gannet_method *row = NULL;
  if (!problem->physics || options->n_members < 2 || !options->method.method) return GANNET_OK;
  GANNET_TRY(gannet_method_find(options->method.method, &row));
  const char *own = gannet_method_portfolio(row);
  if (!row->with_equations || !own || strcmp(options->method.portfolio, own) != 0) return GANNET_OK;
  return gannet_optimizer_options_join(options, row->with_equations, complaints);
}

void gannet_pde_constraint_check(const gannet_optimizer_options *options,
                                 const gannet_problem *problem, const char *location,
                                 gannet_complaints *complaints) {
  char names[300];
  bool any = false;
  if (!problem->physics || options->n_members == 0) return;
  const gannet_member_options *first = &options->member[0];
  for (int i = 0; i < options->n_members; ++i) {
    const gannet_member_options *member = &options->member[i];
    any = any || (member->proposer == GANNET_PROPOSE_MODEL && member->surrogate_type &&
                  member->surrogate_type->set_pde_constraint);
  }
  list_methods(names, sizeof names);
  if (!any)
    gannet_complain(complaints, location,
                    "physics: method '%s' cannot use equations; methods that can:%s",
                    options->method.method, names);
  else if (options->n_members == 1 && first->method.transform > GANNET_TRANSFORM_NONE)
    gannet_complain(complaints, location,
                    "physics: equations do not hold for the logarithm of the objective; leave "
                    "out transform: %s, or set transform: none",
                    first->method.transform == GANNET_TRANSFORM_LOG ? "log" : "log-then-none");
}

static int count_points(const gannet_physics_spec *spec, int d) {
  if (spec->points > 0) return spec->points;
  const int wanted = d < MOST_ROWS / ROWS_PER_VARIABLE ? d * ROWS_PER_VARIABLE : MOST_ROWS;
  const int points = (wanted < LEAST_ROWS ? LEAST_ROWS : wanted) / spec->n_equations;
  return points < LEAST_POINTS ? LEAST_POINTS : points;
}

/* The equations at points inside, and in few variables half as many next to the edges: uniform in
 * log((x + e)/(1 - x + e)), as inputs of networks that see layers and corners there
 * (surrogate/pinn_network.h). In many variables these would all be in corners. */
static gannet_err create_residuals(const gannet_context *context, const gannet_problem *problem,
                                   gannet_pde_residuals **residuals, int *equation) {
  const gannet_physics_spec *spec = gannet_problem_get_physics(problem);
  gannet_sobol *sobol = NULL;
  double *x = NULL;
  *residuals = NULL;
  if (!spec) return GANNET_OK;
  const int d = problem->d, inside = count_points(spec, d);
  const int n = inside + (d <= PINN_GRADED_VARIABLES ? inside / EDGE_SHARE : 0);
  gannet_stream stream = gannet_context_stream(context, GANNET_FOR_DESIGN, 0, (uint64_t)spec->seed);
  stream.purpose |= (uint64_t)1 << 40; /* other points than those of the design */
  gannet_err code = gannet_alloc((size_t)n * (size_t)problem->d, sizeof *x, &x);
  if (code == GANNET_OK) code = gannet_sobol_create(problem->d, &stream, &sobol);
  if (code == GANNET_OK) gannet_sobol_points(sobol, 0, n, x);
  const double edge = PINN_GRADING, range = log1p(1 / edge);
  for (int k = inside * d; k < n * d && code == GANNET_OK; ++k) {
    const double ratio = exp((2 * x[k] - 1) * range);
    x[k] = fmin(fmax((ratio * (1 + edge) - edge) / (1 + ratio), 0), 1);
  }
  if (code == GANNET_OK) code = gannet_pde_residuals_create(problem, n, x, residuals);
  if (code == GANNET_OK) code = gannet_pde_residuals_check(*residuals, equation);
  if (code != GANNET_OK) gannet_pde_residuals_destroy(residuals);
  gannet_sobol_destroy(&sobol);
  gannet_free(&x);
  return code;
}

gannet_err gannet_pde_constraint_create(const gannet_context *context,
                                        const gannet_problem *problem,
                                        gannet_pde_residuals **residuals) {
  int equation;
  return create_residuals(context, problem, residuals, &equation);
}

gannet_err gannet_pde_constraint_try(const gannet_context *context, const gannet_problem *problem,
                                     int *equation) {
  const gannet_physics_spec *spec = gannet_problem_get_physics(problem);
  gannet_pde_residuals *residuals = NULL;
  *equation = -1;
  for (int e = 0; spec && e < spec->n_equations; ++e)
    if (spec->equations[e].plugin) return GANNET_OK;
  const gannet_err code = create_residuals(context, problem, &residuals, equation);
  gannet_pde_residuals_destroy(&residuals);
  return code;
}
