/* Compiled equations, which physics.c makes and pde_residuals.c evaluates. */
#ifndef GANNET_PROBLEM_PHYSICS_IMPL_H
#define GANNET_PROBLEM_PHYSICS_IMPL_H

#include "problem/expression.h"
#include "problem/physics.h"

/* One summand of the chain rule: factor prod_i x[variable_i]^-power_i times a partial derivative in
 * the unit cube. */
typedef struct {
  int partial; /* index of the partial derivative */
  double factor;
  int n_powers;
  int variable[GANNET_PARTIAL_ORDER], power[GANNET_PARTIAL_ORDER]; /* [n_powers] */
} gannet_chain_summand;

typedef struct {
  gannet_expression *coefficient; /* NULL = 1 */
  int n_chain;
  gannet_chain_summand *chain; /* the derivative of the term, by derivatives in the unit cube */
} gannet_compiled_term;

typedef struct {
  int n_terms;
  gannet_compiled_term *term;
  gannet_expression *rhs;            /* NULL = 0 */
  gannet_residual_function residual; /* function of the plugin, NULL = none was given */
} gannet_compiled_equation;

struct gannet_physics {
  gannet_physics_spec spec; /* deep copy */
  int n_compiled;
  gannet_compiled_equation *equation; /* [n_compiled] */
  const char **names;                 /* [n_variables] names of the problem's variables, borrowed */
  int n_partials;
  gannet_partial *partials; /* [n_partials] all derivatives that occur in the equations */
};

#endif
