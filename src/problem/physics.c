/* The equations of a problem, compiled from what the user gave.
 *
 * Compiling checks an equation, parses its expressions, and writes every derivative in the user's
 * units as a sum of derivatives in the unit cube (the chain rule of physics.h).
 */
#include "problem/physics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "problem/physics_impl.h"
#include "problem/problem.h"

/* The compilation of one equation after the other. */
typedef struct {
  const gannet_problem *problem;
  gannet_physics *physics;
  const char *location; /* of the equation, for complaints; NULL = none */
  const char *name;     /* name of the equation */
  gannet_complaints *complaints;
} compiler;

/* Free a text or an array of the copied spec, whose members are const only for users. */
static void free_const(const void *block) {
  void *plain;
  memcpy(&plain, &block, sizeof plain);
  gannet_free(&plain);
}

static gannet_err copy_texts(int n, const char *const *from, const char *const **to) {
  char **copy = NULL;
  GANNET_TRY(gannet_alloc((size_t)n + 1, sizeof *copy, &copy));
  *to = (const char *const *)copy;
  for (int i = 0; i < n; ++i) GANNET_TRY(gannet_copy_text(from[i], &copy[i]));
  return GANNET_OK;
}

static void free_texts(int n, const char *const *texts) {
  for (int i = 0; texts && i < n; ++i) free_const(texts[i]);
  free_const(texts);
}

static gannet_err copy_text(const char *from, const char **to) {
  char *copy = NULL;
  GANNET_TRY(gannet_copy_text(from, &copy));
  *to = copy;
  return GANNET_OK;
}

static gannet_err copy_equation(const gannet_physics_equation *from, int number,
                                gannet_physics_equation *to) {
  char name[32];
  gannet_physics_term *terms = NULL;
  *to = (gannet_physics_equation){0};
  (void)snprintf(name, sizeof name, "equation %d", number + 1);
  GANNET_TRY(copy_text(from->name ? from->name : name, &to->name));
  GANNET_TRY(copy_text(from->rhs, &to->rhs));
  GANNET_TRY(copy_text(from->plugin, &to->plugin));
  to->n_settings = from->n_settings;
  GANNET_TRY(copy_texts(from->n_settings, from->settings, &to->settings));
  GANNET_TRY(gannet_alloc((size_t)from->n_terms, sizeof *terms, &terms));
  to->terms = terms;
  for (int t = 0; t < from->n_terms; ++t) {
    const gannet_physics_term *source = &from->terms[t];
    gannet_physics_term *term = &terms[t];
    to->n_terms += 1; /* before its parts are copied: what is there is freed after an error */
    term->order = source->order;
    GANNET_TRY(copy_text(source->coefficient, &term->coefficient));
    GANNET_TRY(copy_texts(source->order, source->derivative, &term->derivative));
  }
  return GANNET_OK;
}

static gannet_err copy_spec(const gannet_physics_spec *from, gannet_physics_spec *to) {
  gannet_physics_equation *equations = NULL;
  to->points = from->points;
  to->seed = from->seed;
  to->lambda2 = from->lambda2 > 0 ? from->lambda2 : 1e-6;
  GANNET_TRY(gannet_alloc((size_t)from->n_equations, sizeof *equations, &equations));
  to->equations = equations;
  for (int e = 0; e < from->n_equations; ++e) {
    to->n_equations += 1;
    GANNET_TRY(copy_equation(&from->equations[e], e, &equations[e]));
  }
  return GANNET_OK;
}

static void release_spec(gannet_physics_spec *spec) {
  for (int e = 0; e < spec->n_equations; ++e) {
    const gannet_physics_equation *equation = &spec->equations[e];
    for (int t = 0; t < equation->n_terms; ++t) {
      free_texts(equation->terms[t].order, equation->terms[t].derivative);
      free_const(equation->terms[t].coefficient);
    }
    free_const(equation->terms);
    free_texts(equation->n_settings, equation->settings);
    free_const(equation->name);
    free_const(equation->rhs);
    free_const(equation->plugin);
  }
  free_const(spec->equations);
}

void gannet_physics_destroy(gannet_physics **physics) {
  gannet_physics *p = *physics;
  if (!p) return;
  for (int e = 0; e < p->n_compiled; ++e) {
    for (int t = 0; t < p->equation[e].n_terms; ++t) {
      gannet_expression_destroy(&p->equation[e].term[t].coefficient);
      gannet_free(&p->equation[e].term[t].chain);
    }
    gannet_free(&p->equation[e].term);
    gannet_expression_destroy(&p->equation[e].rhs);
  }
  gannet_free(&p->equation);
  gannet_free(&p->names);
  gannet_free(&p->partials);
  release_spec(&p->spec);
  gannet_free(physics);
}

/* Compile an expression; complain about one that cannot be read. */
static gannet_err compile_expression(const compiler *c, const char *what, const char *text,
                                     gannet_expression **expression) {
  if (!text) return GANNET_OK;
  const gannet_err code =
      gannet_expression_create(text, c->problem->spec.n_variables, c->physics->names, expression);
  if (code != GANNET_ERR_INPUT) return code;
  gannet_complain(c->complaints, c->location, "%s: %s: %s", c->name, what, gannet_error_detail());
  gannet_error_clear();
  return GANNET_OK;
}

static bool is_real_coordinate(const gannet_variable *v) {
  return v->type == GANNET_VARIABLE_REAL && v->role == GANNET_ROLE_FREE;
}

static const char *kind_of(const gannet_variable *v) {
  return v->role == GANNET_ROLE_FIXED     ? "fixed"
         : v->role == GANNET_ROLE_DERIVED ? "derived"
                                          : gannet_variable_type_name(v->type);
}

static void complain_unknown_variable(const compiler *c, const char *word) {
  const int n = c->problem->spec.n_variables;
  const char *words[257] = {NULL};
  char known[400] = "";
  size_t used = 0;
  for (int v = 0, k = 0; v < n && k < 256; ++v) {
    if (!is_real_coordinate(&c->problem->spec.variables[v])) continue;
    words[k++] = c->physics->names[v];
    if (used + 70 < sizeof known)
      used += (size_t)snprintf(known + used, sizeof known - used, " %s", c->physics->names[v]);
  }
  const char *near = gannet_nearest(word, words);
  gannet_complain(c->complaints, c->location,
                  "%s: derivative by unknown variable '%.80s'%s%s%s; real variables:%s", c->name,
                  word, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", known);
}

/* How often a term derives by each variable; false after a complaint. */
static bool count_axes(const compiler *c, const gannet_physics_term *term, int *counts) {
  bool fine = 0 <= term->order && term->order <= GANNET_PHYSICS_ORDER;
  memset(counts, 0, (size_t)c->problem->spec.n_variables * sizeof *counts);
  if (!fine)
    gannet_complain(c->complaints, c->location, "%s: derivative of order %d, expected 0 to %d",
                    c->name, term->order, GANNET_PHYSICS_ORDER);
  for (int i = 0; i < term->order && fine; ++i) {
    const int v = gannet_problem_find_variable(c->problem, term->derivative[i]);
    fine = v >= 0 && is_real_coordinate(&c->problem->spec.variables[v]);
    if (v < 0)
      complain_unknown_variable(c, term->derivative[i]);
    else if (!fine)
      gannet_complain(c->complaints, c->location,
                      "%s: derivative by '%s', which is %s; expected a real variable", c->name,
                      c->physics->names[v], kind_of(&c->problem->spec.variables[v]));
    else
      counts[v] += 1;
  }
  return fine;
}

static gannet_err find_partial(gannet_physics *p, const gannet_partial *partial, int *at) {
  for (*at = 0; *at < p->n_partials; ++*at)
    if (memcmp(&p->partials[*at], partial, sizeof *partial) == 0) return GANNET_OK;
  const size_t n = (size_t)p->n_partials;
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *p->partials, &p->partials));
  p->partials[p->n_partials++] = *partial;
  return GANNET_OK;
}

/* Signed Stirling numbers of the first kind s(k, j), 1 <= j <= k <= 4. */
static const double stirling[GANNET_PARTIAL_ORDER][GANNET_PARTIAL_ORDER] = {
    {1}, {-1, 1}, {2, -3, 1}, {-6, 11, -6, 1}};

/* Add the summands of the chain rule from variable v on. */
static gannet_err add_chain(const compiler *c, const int *counts, int v, gannet_chain_summand chain,
                            gannet_partial partial, gannet_compiled_term *term) {
  const gannet_problem_spec *spec = &c->problem->spec;
  while (v < spec->n_variables && counts[v] == 0) ++v;
  if (v == spec->n_variables) {
    const size_t n = (size_t)term->n_chain;
    GANNET_TRY(find_partial(c->physics, &partial, &chain.partial));
    GANNET_TRY(gannet_resize(n, n + 1, sizeof chain, &term->chain));
    term->chain[term->n_chain++] = chain;
    return GANNET_OK;
  }
  const gannet_variable *variable = &spec->variables[v];
  const bool is_log = gannet_variable_is_log(variable);
  const double range =
      is_log ? log(variable->upper / variable->lower) : variable->upper - variable->lower;
  if (is_log) {
    chain.variable[chain.n_powers] = v;
    chain.power[chain.n_powers++] = counts[v];
  }
  for (int j = is_log ? 1 : counts[v]; j <= counts[v]; ++j) {
    gannet_chain_summand next = chain;
    gannet_partial more = partial;
    next.factor *= pow(range, -j) * (is_log ? stirling[counts[v] - 1][j - 1] : 1);
    for (int i = 0; i < j; ++i) more.axis[more.order++] = c->problem->first[v];
    GANNET_TRY(add_chain(c, counts, v + 1, next, more, term));
  }
  return GANNET_OK;
}

static gannet_err compile_terms(const compiler *c, const gannet_physics_equation *from, int *counts,
                                gannet_compiled_equation *to) {
  for (; to->n_terms < from->n_terms;) {
    const gannet_physics_term *source = &from->terms[to->n_terms];
    gannet_compiled_term *term = &to->term[to->n_terms++];
    if (from->plugin && source->coefficient)
      gannet_complain(
          c->complaints, c->location,
          "%s: with a plugin, terms have derivatives and no coefficients; leave them out", c->name);
    else
      GANNET_TRY(compile_expression(c, "coefficient", source->coefficient, &term->coefficient));
    if (count_axes(c, source, counts))
      GANNET_TRY(
          add_chain(c, counts, 0, (gannet_chain_summand){.factor = 1}, (gannet_partial){0}, term));
  }
  return GANNET_OK;
}

static gannet_err compile_equation(const compiler *c, const gannet_physics_equation *from,
                                   gannet_compiled_equation *to) {
  int *counts = NULL;
  if (from->n_terms < 1)
    gannet_complain(c->complaints, c->location,
                    "%s: no terms, expected at least one as in 'terms: [{coefficient: \"1\", "
                    "derivative: [x, x]}]'",
                    c->name);
  if (from->plugin && from->rhs)
    gannet_complain(c->complaints, c->location,
                    "%s: with a plugin, an equation has no rhs; leave it out", c->name);
  GANNET_TRY(gannet_alloc((size_t)from->n_terms, sizeof *to->term, &to->term));
  GANNET_TRY(compile_expression(c, "rhs", from->rhs, &to->rhs));
  GANNET_TRY(gannet_alloc((size_t)c->problem->spec.n_variables, sizeof *counts, &counts));
  const gannet_err code = compile_terms(c, from, counts, to);
  gannet_free(&counts);
  return code;
}

static gannet_err compile_spec(compiler *c, const gannet_physics_spec *spec,
                               const char *const *location) {
  gannet_physics *p = c->physics;
  const gannet_problem_spec *problem = &c->problem->spec;
  GANNET_TRY(gannet_alloc((size_t)problem->n_variables, sizeof *p->names, &p->names));
  for (int v = 0; v < problem->n_variables; ++v) p->names[v] = problem->variables[v].name;
  if (spec->n_equations < 1)
    gannet_complain(c->complaints, c->location, "physics: no equations, expected at least one");
  if (spec->points < 0 || spec->points > GANNET_PHYSICS_POINTS)
    gannet_complain(c->complaints, c->location, "physics: points = %d, expected 0 to %d",
                    spec->points, GANNET_PHYSICS_POINTS);
  if (!(spec->lambda2 >= 0 && spec->lambda2 <= 1))
    gannet_complain(c->complaints, c->location, "physics: lambda2 = %g, expected 0 to 1",
                    spec->lambda2);
  GANNET_TRY(gannet_alloc((size_t)spec->n_equations, sizeof *p->equation, &p->equation));
  for (int e = 0; e < spec->n_equations; ++e) {
    char name[32];
    (void)snprintf(name, sizeof name, "equation %d", e + 1);
    c->name = spec->equations[e].name ? spec->equations[e].name : name;
    if (location) c->location = location[e];
    p->n_compiled += 1;
    GANNET_TRY(compile_equation(c, &spec->equations[e], &p->equation[e]));
  }
  return GANNET_OK;
}

gannet_err gannet_physics_create(const gannet_problem *problem, const gannet_physics_spec *spec,
                                 const char *const *location, gannet_complaints *complaints,
                                 gannet_physics **physics) {
  const int before = complaints->count;
  *physics = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof **physics, physics));
  compiler c = {.problem = problem, .physics = *physics, .complaints = complaints};
  gannet_err code = compile_spec(&c, spec, location);
  if (code == GANNET_OK && complaints->count == before) code = copy_spec(spec, &(*physics)->spec);
  if (code != GANNET_OK || complaints->count > before) gannet_physics_destroy(physics);
  return code;
}

gannet_err gannet_physics_check_arrays(const gannet_physics_spec *spec) {
  GANNET_REQUIRE(spec->n_equations >= 0, GANNET_ERR_ARG, "n_equations = %d, expected at least 1",
                 spec->n_equations);
  if (spec->n_equations > 0) GANNET_REQUIRE_POINTER(spec->equations, "equations");
  for (int e = 0; e < spec->n_equations; ++e) {
    const gannet_physics_equation *equation = &spec->equations[e];
    GANNET_REQUIRE(equation->n_terms >= 0, GANNET_ERR_ARG, "n_terms = %d, expected at least 1",
                   equation->n_terms);
    if (equation->n_terms > 0) GANNET_REQUIRE_POINTER(equation->terms, "terms of an equation");
    GANNET_REQUIRE(equation->n_settings >= 0, GANNET_ERR_ARG, "n_settings = %d",
                   equation->n_settings);
    if (equation->n_settings > 0) GANNET_REQUIRE_POINTER(equation->settings, "settings");
    for (int k = 0; k < equation->n_settings; ++k)
      GANNET_REQUIRE_POINTER(equation->settings[k], "a setting of an equation");
    for (int t = 0; t < equation->n_terms; ++t) {
      const gannet_physics_term *term = &equation->terms[t];
      if (term->order > 0) GANNET_REQUIRE_POINTER(term->derivative, "derivative of a term");
      for (int k = 0; k < term->order && k < GANNET_PHYSICS_ORDER; ++k)
        GANNET_REQUIRE_POINTER(term->derivative[k], "a name in the derivative of a term");
    }
  }
  return GANNET_OK;
}

gannet_err gannet_physics_set_residual(gannet_physics *physics, int equation,
                                       gannet_residual_function residual) {
  GANNET_REQUIRE(physics && 0 <= equation && equation < physics->n_compiled, GANNET_ERR_ARG,
                 "equation %d of %d", equation, physics ? physics->n_compiled : 0);
  GANNET_REQUIRE(physics->spec.equations[equation].plugin, GANNET_ERR_ARG,
                 "%s: its terms have coefficients, it takes no function",
                 physics->spec.equations[equation].name);
  physics->equation[equation].residual = residual;
  return GANNET_OK;
}

const gannet_physics_spec *gannet_problem_get_physics(const gannet_problem *problem) {
  return problem->physics ? &problem->physics->spec : NULL;
}
