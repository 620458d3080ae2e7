/* Equations that the objective obeys: what is known about it besides its values.
 *
 * With f the objective in the user's units and x the variables, an equation is linear,
 *
 *   sum_t coefficient_t(x) D_t f(x) = rhs(x),
 *
 * D_t a partial derivative of order 0 (f itself) to 4 by real variables, coefficients and right
 * side expressions in the names of the variables; or it is a function of the user's own that takes
 * the values of these derivatives. Methods with a surrogate that takes equations (pinn-bo) hold the
 * model to them at points all over the box.
 */
#ifndef GANNET_PHYSICS_H
#define GANNET_PHYSICS_H

#include "gannet/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GANNET_PHYSICS_ABI 1

enum { GANNET_PHYSICS_ORDER = 4 };

/* What a residual is computed from. */
typedef struct {
  int abi;          /* GANNET_PHYSICS_ABI of the caller */
  const char *name; /* of the equation */
  int n_variables;
  const char *const *names;
  const double *x; /* [n_variables] as in gannet/problem.h */
  int n_terms;
  const double *terms; /* [n_terms] values of the derivatives that the equation names */
  int n_settings;
  const char *const *settings; /* [n_settings] "key=value" */
} gannet_physics_input;

typedef struct {
  double residual;  /* 0 where the equation holds */
  double *partials; /* [n_terms] derivatives of the residual by the terms; belongs to the caller */
} gannet_physics_output;

/* A residual: local, without side effects, called at many points on every rank. A plugin exports it
 * as gannet_residual. Returns 0, or anything else when it cannot be computed at this point. */
typedef int (*gannet_residual_function)(const gannet_physics_input *input,
                                        gannet_physics_output *output);

typedef struct {
  const char *coefficient;       /* expression; NULL = "1"; must be NULL with a residual function */
  int order;                     /* 0 .. GANNET_PHYSICS_ORDER */
  const char *const *derivative; /* [order] names of real variables, repeated for higher orders */
} gannet_physics_term;

typedef struct {
  const char *name; /* for messages; NULL = "equation N" */
  int n_terms;      /* >= 1 */
  const gannet_physics_term *terms;
  const char *rhs;    /* expression; NULL = "0"; must be NULL with a residual function */
  const char *plugin; /* not NULL: the residual is a function, of gannet_problem_set_residual; in a
                         campaign file the shared object that exports it, in a program any text */
  int n_settings;     /* for the function */
  const char *const *settings;
} gannet_physics_equation;

typedef struct {
  int n_equations;
  const gannet_physics_equation *equations;
  int points; /* at which the equations are imposed, at most 20000; 0 = chosen by the optimiser */
  int seed;   /* of their scrambled Sobol sequence, besides that of the context */
  double lambda2; /* variance of an equation's residual over its variance under the prior; 0 = 1e-6
                   */
} gannet_physics_spec;

/* State the equations of a problem's objective; once, and before an optimiser is created from it.
 *
 * Expressions know + - * / ^, comparisons, ?:, sin cos tan asin acos atan atan2 sinh cosh tanh exp
 * log (natural) ln log10 sqrt abs min max, pi and e, and the names of the variables.
 *
 * Local.
 *
 * spec  in  copied, with all strings
 *
 * Errors: GANNET_ERR_INPUT naming the wrong entries, of many the first ones and how many more: an
 * expression that cannot be read (with place), a derivative by an unknown name or by a variable
 * that is not real, an order above 4, no term, points or lambda2 outside their ranges.
 * GANNET_ERR_STATE when the problem has equations already, or while an optimiser works with it.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_problem_set_physics(gannet_problem *problem,
                                                                const gannet_physics_spec *spec);

/* Give an equation with a plugin its function, before an optimiser is created from the problem.
 *
 * Local; the same function on all ranks of an optimiser.
 *
 * equation  in  its index in the specification, from 0
 * residual  in  must stay callable until the problem is destroyed
 *
 * Errors: GANNET_ERR_ARG for an equation that does not exist or has expressions.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_problem_set_residual(gannet_problem *problem,
                                                                 int equation,
                                                                 gannet_residual_function residual);

#ifdef __cplusplus
}
#endif
#endif
