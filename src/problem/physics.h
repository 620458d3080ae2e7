/* The equations of a problem (gannet/physics.h), compiled, and their residuals at points of the
 * unit cube.
 *
 * A derivative by a variable of linear scale is 1/(upper - lower) times one by its coordinate u. On
 * the log scale, with L = log(upper/lower) and theta = x d/dx = (1/L) d/du,
 *
 *   x^k d^k/dx^k = sum_j s(k, j) theta^j,   s the signed Stirling numbers of the first kind.
 */
#ifndef GANNET_PROBLEM_PHYSICS_H
#define GANNET_PROBLEM_PHYSICS_H

#include <stdbool.h>

#include "base/complaints.h"
#include "gannet/physics.h"
#include "problem/partial.h"

/* Most points at which equations are imposed, in a campaign file and in a program alike. */
enum { GANNET_PHYSICS_POINTS = 20000 };

typedef struct gannet_physics gannet_physics;

/* Check and compile equations.
 *
 * Local.
 *
 * location    in     [n_equations] locations of the equations, for complaints; NULL = none
 * complaints  inout  everything that is wrong
 * physics     out    NULL after an error or a complaint
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_physics_create(const gannet_problem *problem,
                                                const gannet_physics_spec *spec,
                                                const char *const *location,
                                                gannet_complaints *complaints,
                                                gannet_physics **physics);

/* Check what only a program can do wrong: counts below 0 and null pointers.
 *
 * Local.
 *
 * Errors: GANNET_ERR_ARG.
 */
GANNET_CHECKED gannet_err gannet_physics_check_arrays(const gannet_physics_spec *spec);

/* gannet_problem_set_residual; physics may be NULL.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_physics_set_residual(gannet_physics *physics, int equation,
                                                      gannet_residual_function residual);

/* gannet_problem_set_physics with complaints. The problem has no equations yet, and none afterwards
 * when there is a complaint.
 *
 * Local.
 *
 * location, complaints  as for gannet_physics_create
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_problem_state_physics(gannet_problem *problem,
                                                       const gannet_physics_spec *spec,
                                                       const char *const *location,
                                                       gannet_complaints *complaints);

/* Free equations; accepts a pointer to NULL.
 *
 * Local.
 */
void gannet_physics_destroy(gannet_physics **physics);

/* The equations as they were given; NULL when a problem has none.
 *
 * Local.
 */
const gannet_physics_spec *gannet_problem_get_physics(const gannet_problem *problem);

/* The residuals of a problem's equations at points of the unit cube. Their rows are
 *
 *   sum_b coefficient[row][b] (D_b f)(x_point[row]) = rhs[row],
 *
 * with f the objective in the user's units and sense, and D_b derivatives in the unit cube. Rows
 * come point by point, equation by equation. Users only read the members. */
typedef struct {
  const gannet_problem *problem; /* borrowed */
  int n_points, n_rows, n_partials;
  double *x;                /* [n_points][d] */
  int *point;               /* [n_rows] index of a row's point */
  gannet_partial *partials; /* [n_partials] the derivatives D_b */
  bool linear;              /* whether the coefficients do not depend on f */
  double lambda2;           /* as the user gave it (gannet/physics.h) */
  double *user;             /* [n_points][n_variables] the points in the user's units */
  double *work;             /* workspace for plugins */
} gannet_pde_residuals;

/* Write the equations at points. Points are copied.
 *
 * Local.
 *
 * Errors: GANNET_ERR_STATE when the problem has no equations, or one with a plugin has no function;
 * GANNET_ERR_INPUT when points times equations exceed an int; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_pde_residuals_create(const gannet_problem *problem, int n_points,
                                                      const double *x,
                                                      gannet_pde_residuals **residuals);
void gannet_pde_residuals_destroy(gannet_pde_residuals **residuals);

/* Check that coefficients and right sides that are expressions are finite at all points, and that
 * not all coefficients of an equation are 0.
 *
 * Local.
 *
 * equation  out  the one that is wrong, after GANNET_ERR_INPUT
 *
 * Errors: GANNET_ERR_INPUT with equation, expression and point; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_pde_residuals_check(const gannet_pde_residuals *residuals,
                                                     int *equation);

/* Compute coefficients and right sides. The row of a plugin is linearised around f: it says that
 * the residual vanishes to first order.
 *
 * Local.
 *
 * jets         in   [n_points][n_partials] D_b f at the points; NULL allowed when linear
 * coefficient  out  [n_rows][n_partials]
 * rhs          out  [n_rows]
 * residual     out  [n_rows] of f itself; NULL when not wanted
 *
 * Errors: GANNET_ERR_INPUT naming equation and point when a value is not finite or a
 * plugin refuses.
 */
GANNET_CHECKED gannet_err gannet_pde_residuals_linearise(const gannet_pde_residuals *residuals,
                                                         const double *jets, double *coefficient,
                                                         double *rhs, double *residual);

#endif
