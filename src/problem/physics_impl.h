/* Compiled equations, shared by physics.c (checks, copies) and pde_residuals.c (values); for these
 * only. */
#ifndef GANNET_PROBLEM_PHYSICS_IMPL_H
#define GANNET_PROBLEM_PHYSICS_IMPL_H

#include "problem/expression.h"
#include "problem/physics.h"
#include "problem/problem.h"

/* One summand of the chain rule: factor prod_i x[variable_i]^-power_i times derivative b. */
typedef struct {
  int partial;
  double factor;
  int n_powers;
  int variable[GANNET_PARTIAL_ORDER], power[GANNET_PARTIAL_ORDER];
} gannet_chain;

typedef struct {
  gannet_expression *coefficient; /* NULL = 1 */
  int n_chain;
  gannet_chain *chain;
} gannet_compiled_term;

typedef struct {
  int n_terms;
  gannet_compiled_term *term;
  gannet_expression *rhs; /* NULL = 0 */
  gannet_residual_function residual;
} gannet_compiled;

struct gannet_physics {
  gannet_physics_spec spec; /* deep copy */
  int n_compiled;
  gannet_compiled *equation;
  const char **names; /* [n_variables] of the problem */
  int n_partials;
  gannet_partial *partials;
};

#endif
