/* The equations of a problem at points: residuals, and rows of linearised equations. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "problem/physics_impl.h"
#include "problem/problem.h"

void gannet_pde_residuals_destroy(gannet_pde_residuals **residuals) {
  if (!*residuals) return;
  gannet_free(&(*residuals)->x);
  gannet_free(&(*residuals)->point);
  gannet_free(&(*residuals)->partials);
  gannet_free(&(*residuals)->user);
  gannet_free(&(*residuals)->work);
  gannet_free(residuals);
}

static gannet_err fill_residuals(gannet_pde_residuals *l, const double *x) {
  const gannet_physics *p = l->problem->physics;
  const size_t d = (size_t)l->problem->d, v = (size_t)l->problem->spec.n_variables;
  const size_t n = (size_t)l->n_points;
  size_t terms = 1;
  l->linear = true;
  for (int e = 0; e < p->n_compiled; ++e) {
    const bool custom = p->spec.equations[e].plugin;
    GANNET_REQUIRE(!custom || p->equation[e].residual, GANNET_ERR_STATE,
                   "%s was not given the function of its plugin", p->spec.equations[e].name);
    l->linear = l->linear && !custom;
    if (terms < (size_t)p->equation[e].n_terms) terms = (size_t)p->equation[e].n_terms;
  }
  GANNET_REQUIRE(
      l->n_points <= INT_MAX / p->n_compiled, GANNET_ERR_INPUT,
      "%d points of %d equations are more than %d rows; choose fewer points or equations",
      l->n_points, p->n_compiled, INT_MAX);
  l->n_rows = l->n_points * p->n_compiled;
  l->n_partials = p->n_partials;
  l->lambda2 = p->spec.lambda2;
  GANNET_TRY(gannet_alloc(n * d, sizeof *l->x, &l->x));
  GANNET_TRY(gannet_alloc((size_t)l->n_rows, sizeof *l->point, &l->point));
  GANNET_TRY(gannet_alloc((size_t)p->n_partials, sizeof *l->partials, &l->partials));
  GANNET_TRY(gannet_alloc(n * v, sizeof *l->user, &l->user));
  GANNET_TRY(gannet_alloc(2 * terms, sizeof *l->work, &l->work));
  memcpy(l->x, x, n * d * sizeof *x);
  gannet_problem_snap(l->problem, l->n_points, l->x);
  memcpy(l->partials, p->partials, (size_t)p->n_partials * sizeof *l->partials);
  for (int i = 0; i < l->n_rows; ++i) l->point[i] = i / p->n_compiled;
  for (size_t i = 0; i < n; ++i) gannet_problem_decode(l->problem, l->x + i * d, l->user + i * v);
  return GANNET_OK;
}

gannet_err gannet_pde_residuals_create(const gannet_problem *problem, int n_points, const double *x,
                                       gannet_pde_residuals **residuals) {
  *residuals = NULL;
  GANNET_REQUIRE(problem->physics, GANNET_ERR_STATE, "the problem has no equations");
  GANNET_TRY(gannet_alloc(1, sizeof **residuals, residuals));
  (*residuals)->problem = problem;
  (*residuals)->n_points = n_points;
  const gannet_err code = fill_residuals(*residuals, x);
  if (code != GANNET_OK) gannet_pde_residuals_destroy(residuals);
  GANNET_TRY(code);
  return GANNET_OK;
}

static double chain_factor(const gannet_chain_summand *chain, const double *user) {
  double factor = chain->factor;
  for (int i = 0; i < chain->n_powers; ++i)
    factor *= pow(user[chain->variable[i]], -chain->power[i]);
  return factor;
}

/* Value of a term's derivative in the user's units. */
static double term_value(const gannet_compiled_term *term, const double *user, const double *jet) {
  double sum = 0;
  for (int k = 0; k < term->n_chain; ++k)
    sum += chain_factor(&term->chain[k], user) * jet[term->chain[k].partial];
  return sum;
}

static void add_term(const gannet_compiled_term *term, const double *user, double factor,
                     double *coefficient) {
  for (int k = 0; k < term->n_chain; ++k)
    coefficient[term->chain[k].partial] += factor * chain_factor(&term->chain[k], user);
}

/* Raise an error that names the point of the box where it occurred. hint may be "". */
static gannet_err raise_at_point(const gannet_pde_residuals *l, int equation, const double *user,
                                 const char *what, const char *hint) {
  const gannet_physics *p = l->problem->physics;
  char at[300] = "", text[700];
  size_t used = 0;
  for (int v = 0; v < l->problem->spec.n_variables && used + 100 < sizeof at; ++v)
    used += (size_t)snprintf(at + used, sizeof at - used, " %.60s = %.6g", p->names[v], user[v]);
  (void)snprintf(text, sizeof text, "%.300s at%s%.90s", what, at, hint);
  return GANNET_RAISE(GANNET_ERR_INPUT, "physics, %s: %s", p->spec.equations[equation].name, text);
}

static const char everywhere[] = "; choose an expression that has a value everywhere in the box";

static const char *text_of(double unusable) {
  return isnan(unusable) ? "not a number" : "infinite";
}

static gannet_err linear_row(const gannet_pde_residuals *l, int equation, const double *user,
                             double *coefficient, double *rhs) {
  const gannet_compiled_equation *own = &l->problem->physics->equation[equation];
  char what[300];
  *rhs = own->rhs ? gannet_expression_value(own->rhs, user) : 0;
  if (!isfinite(*rhs)) {
    (void)snprintf(what, sizeof what, "rhs '%.200s' is %s",
                   l->problem->physics->spec.equations[equation].rhs, text_of(*rhs));
    return raise_at_point(l, equation, user, what, everywhere);
  }
  for (int t = 0; t < own->n_terms; ++t) {
    gannet_expression *expression = own->term[t].coefficient;
    const double factor = expression ? gannet_expression_value(expression, user) : 1;
    if (!isfinite(factor)) {
      (void)snprintf(what, sizeof what, "coefficient '%.200s' is %s",
                     l->problem->physics->spec.equations[equation].terms[t].coefficient,
                     text_of(factor));
      return raise_at_point(l, equation, user, what, everywhere);
    }
    add_term(&own->term[t], user, factor, coefficient);
  }
  return GANNET_OK;
}

/* The row of a plugin, linearised: r + sum_t dr/dJ_t (J'_t - J_t) = 0 in the new values J'. */
static gannet_err custom_row(const gannet_pde_residuals *l, int equation, int point,
                             const double *jet, double *coefficient, double *rhs) {
  const gannet_physics *p = l->problem->physics;
  const gannet_compiled_equation *own = &p->equation[equation];
  const gannet_physics_equation *given = &p->spec.equations[equation];
  const double *user = l->user + (size_t)point * (size_t)l->problem->spec.n_variables;
  double *terms = l->work, *partials = terms + own->n_terms;
  for (int t = 0; t < own->n_terms; ++t) terms[t] = term_value(&own->term[t], user, jet);
  memset(partials, 0, (size_t)own->n_terms * sizeof *partials);
  const gannet_physics_input input = {.abi = GANNET_PHYSICS_ABI,
                                      .name = given->name,
                                      .n_variables = l->problem->spec.n_variables,
                                      .names = p->names,
                                      .x = user,
                                      .n_terms = own->n_terms,
                                      .terms = terms,
                                      .n_settings = given->n_settings,
                                      .settings = given->settings};
  gannet_physics_output output = {.partials = partials};
  if (own->residual(&input, &output) != 0)
    return raise_at_point(l, equation, user, "the residual cannot be computed", "");
  bool finite = isfinite(output.residual);
  *rhs = -output.residual;
  for (int t = 0; t < own->n_terms; ++t) {
    finite = finite && isfinite(partials[t]);
    *rhs += partials[t] * terms[t];
    add_term(&own->term[t], user, partials[t], coefficient);
  }
  return finite ? GANNET_OK
                : raise_at_point(l, equation, user,
                                 "the residual or a derivative of it is not finite", "");
}

/* Check that an equation has values at all points, and a coefficient other than 0 at one of them.
 */
static gannet_err check_equation(const gannet_pde_residuals *l, int equation, double *coefficient) {
  const char *name = l->problem->physics->spec.equations[equation].name;
  bool says = false;
  double rhs;
  for (int i = 0; i < l->n_points; ++i) {
    const double *user = l->user + (ptrdiff_t)i * l->problem->spec.n_variables;
    memset(coefficient, 0, (size_t)l->n_partials * sizeof *coefficient);
    GANNET_TRY(linear_row(l, equation, user, coefficient, &rhs));
    for (int k = 0; k < l->n_partials; ++k) says = says || coefficient[k] != 0;
  }
  GANNET_REQUIRE(says || l->n_points == 0, GANNET_ERR_INPUT,
                 "physics, %s: the coefficients of its terms are 0 everywhere, or cancel, so that "
                 "it says nothing about the objective; expected a coefficient other than 0, or "
                 "leave the equation out",
                 name);
  return GANNET_OK;
}

gannet_err gannet_pde_residuals_check(const gannet_pde_residuals *l, int *equation) {
  const gannet_physics *p = l->problem->physics;
  double *coefficient = NULL;
  gannet_err err = gannet_alloc((size_t)l->n_partials, sizeof *coefficient, &coefficient);
  for (int e = 0; e < p->n_compiled && err == GANNET_OK; ++e) {
    *equation = e;
    if (!p->spec.equations[e].plugin) err = check_equation(l, e, coefficient);
  }
  gannet_free(&coefficient);
  return err;
}

gannet_err gannet_pde_residuals_linearise(const gannet_pde_residuals *l, const double *jets,
                                          double *coefficient, double *rhs, double *residual) {
  const gannet_physics *p = l->problem->physics;
  const size_t b = (size_t)l->n_partials;
  GANNET_REQUIRE(jets || (l->linear && !residual), GANNET_ERR_ARG,
                 "equations that are not linear need the function they are linearised at");
  memset(coefficient, 0, (size_t)l->n_rows * b * sizeof *coefficient);
  for (int row = 0; row < l->n_rows; ++row) {
    const int point = l->point[row], equation = row % p->n_compiled;
    const double *user = l->user + (size_t)point * (size_t)l->problem->spec.n_variables;
    const double *jet = jets ? jets + (size_t)point * b : NULL;
    double *own = coefficient + (size_t)row * b;
    if (p->spec.equations[equation].plugin)
      GANNET_TRY(custom_row(l, equation, point, jet, own, &rhs[row]));
    else
      GANNET_TRY(linear_row(l, equation, user, own, &rhs[row]));
    if (!residual) continue;
    residual[row] = -rhs[row];
    for (size_t k = 0; k < b; ++k) residual[row] += own[k] * jet[k];
  }
  return GANNET_OK;
}
