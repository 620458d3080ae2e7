#include "problem/physics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "base/plain_environment.h"
#include "problem/physics_impl.h"

/* What is being compiled, and where complaints go. */
typedef struct {
  const gannet_problem *problem;
  gannet_physics *physics;
  const char *where;
  const char *name; /* of the equation */
  gannet_complaints *complaints;
} compiler;

/* Strings are const for users only; they were allocated here. */
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
  GANNET_TRY(copy_texts(from->n_settings, from->settings, &to->settings));
  to->n_settings = from->n_settings;
  GANNET_TRY(gannet_alloc((size_t)from->n_terms, sizeof *terms, &terms));
  to->terms = terms;
  for (; to->n_terms < from->n_terms; ++to->n_terms) {
    const gannet_physics_term *source = &from->terms[to->n_terms];
    gannet_physics_term *term = &terms[to->n_terms];
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
  for (; to->n_equations < from->n_equations; ++to->n_equations)
    GANNET_TRY(copy_equation(&from->equations[to->n_equations], to->n_equations,
                             &equations[to->n_equations]));
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

/* An expression that cannot be read is a complaint. */
static gannet_err compile_expression(const compiler *c, const char *what, const char *text,
                                     gannet_expression **expression) {
  if (!text) return GANNET_OK;
  const gannet_err code =
      gannet_expression_create(text, c->problem->spec.n_variables, c->physics->names, expression);
  if (code != GANNET_ERR_INPUT) return code;
  gannet_complain(c->complaints, c->where, "%s: %s: %s", c->name, what, gannet_error_detail());
  gannet_error_clear();
  return GANNET_OK;
}

static void complain_variable(const compiler *c, const char *word) {
  const int n = c->problem->spec.n_variables;
  const char *words[257] = {NULL};
  char known[400] = "";
  size_t used = 0;
  for (int v = 0, k = 0; v < n && k < 256; ++v) {
    if (c->problem->spec.variables[v].type != GANNET_VARIABLE_REAL) continue;
    words[k++] = c->physics->names[v];
    if (used + 70 < sizeof known)
      used += (size_t)snprintf(known + used, sizeof known - used, " %s", c->physics->names[v]);
  }
  const char *near = gannet_nearest(word, words);
  gannet_complain(c->complaints, c->where,
                  "%s: derivative by unknown variable '%.80s'%s%s%s; real variables:%s", c->name,
                  word, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", known);
}

static void complain_type(const compiler *c, int v) {
  static const char *const types[] = {"real", "integer", "boolean", "categorical"};
  gannet_complain(c->complaints, c->where,
                  "%s: derivative by '%s', which is %s; expected a real variable", c->name,
                  c->physics->names[v], types[c->problem->spec.variables[v].type]);
}

/* How often a term derives by each variable; false after a complaint. */
static bool count_axes(const compiler *c, const gannet_physics_term *term, int *counts) {
  bool fine = 0 <= term->order && term->order <= GANNET_PHYSICS_ORDER;
  memset(counts, 0, (size_t)c->problem->spec.n_variables * sizeof *counts);
  if (!fine)
    gannet_complain(c->complaints, c->where, "%s: derivative of order %d, expected 0 to %d",
                    c->name, term->order, GANNET_PHYSICS_ORDER);
  for (int i = 0; i < term->order && fine; ++i) {
    const int v = gannet_problem_find_variable(c->problem, term->derivative[i]);
    fine = v >= 0 && c->problem->spec.variables[v].type == GANNET_VARIABLE_REAL;
    if (v < 0)
      complain_variable(c, term->derivative[i]);
    else if (!fine)
      complain_type(c, v);
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
static gannet_err add_chain(const compiler *c, const int *counts, int v, gannet_chain chain,
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
    gannet_chain next = chain;
    gannet_partial more = partial;
    next.factor *= pow(range, -j) * (is_log ? stirling[counts[v] - 1][j - 1] : 1);
    for (int i = 0; i < j; ++i) more.axis[more.order++] = c->problem->first[v];
    GANNET_TRY(add_chain(c, counts, v + 1, next, more, term));
  }
  return GANNET_OK;
}

static gannet_err compile_terms(const compiler *c, const gannet_physics_equation *from, int *counts,
                                gannet_compiled *to) {
  for (; to->n_terms < from->n_terms;) {
    const gannet_physics_term *source = &from->terms[to->n_terms];
    gannet_compiled_term *term = &to->term[to->n_terms++];
    if (from->plugin && source->coefficient)
      gannet_complain(
          c->complaints, c->where,
          "%s: with a plugin, terms have derivatives and no coefficients; leave them out", c->name);
    else
      GANNET_TRY(compile_expression(c, "coefficient", source->coefficient, &term->coefficient));
    if (count_axes(c, source, counts))
      GANNET_TRY(add_chain(c, counts, 0, (gannet_chain){.factor = 1}, (gannet_partial){0}, term));
  }
  return GANNET_OK;
}

static gannet_err compile_equation(const compiler *c, const gannet_physics_equation *from,
                                   gannet_compiled *to) {
  int *counts = NULL;
  if (from->n_terms < 1)
    gannet_complain(c->complaints, c->where,
                    "%s: no terms, expected at least one as in 'terms: [{coefficient: \"1\", "
                    "derivative: [x, x]}]'",
                    c->name);
  if (from->plugin && from->rhs)
    gannet_complain(c->complaints, c->where,
                    "%s: with a plugin, an equation has no rhs; leave it out", c->name);
  GANNET_TRY(gannet_alloc((size_t)from->n_terms, sizeof *to->term, &to->term));
  GANNET_TRY(compile_expression(c, "rhs", from->rhs, &to->rhs));
  GANNET_TRY(gannet_alloc((size_t)c->problem->spec.n_variables, sizeof *counts, &counts));
  const gannet_err code = compile_terms(c, from, counts, to);
  gannet_free(&counts);
  return code;
}

static gannet_err compile(compiler *c, const gannet_physics_spec *spec, const char *const *where) {
  gannet_physics *p = c->physics;
  const gannet_problem_spec *problem = &c->problem->spec;
  GANNET_TRY(gannet_alloc((size_t)problem->n_variables, sizeof *p->names, &p->names));
  for (int v = 0; v < problem->n_variables; ++v) p->names[v] = problem->variables[v].name;
  if (spec->n_equations < 1)
    gannet_complain(c->complaints, c->where, "physics: no equations, expected at least one");
  if (spec->points < 0 || spec->points > GANNET_PHYSICS_POINTS)
    gannet_complain(c->complaints, c->where, "physics: points = %d, expected 0 to %d", spec->points,
                    GANNET_PHYSICS_POINTS);
  if (!(spec->lambda2 >= 0 && spec->lambda2 <= 1))
    gannet_complain(c->complaints, c->where, "physics: lambda2 = %g, expected 0 to 1",
                    spec->lambda2);
  GANNET_TRY(gannet_alloc((size_t)spec->n_equations, sizeof *p->equation, &p->equation));
  for (int e = 0; e < spec->n_equations; ++e) {
    char name[32];
    (void)snprintf(name, sizeof name, "equation %d", e + 1);
    c->name = spec->equations[e].name ? spec->equations[e].name : name;
    if (where) c->where = where[e];
    p->n_compiled += 1;
    GANNET_TRY(compile_equation(c, &spec->equations[e], &p->equation[e]));
  }
  return GANNET_OK;
}

gannet_err gannet_problem_state_physics(gannet_problem *problem, const gannet_physics_spec *spec,
                                        const char *const *where, gannet_complaints *complaints) {
  const int before = complaints->count;
  gannet_physics *made = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *made, &made));
  compiler c = {.problem = problem, .physics = made, .complaints = complaints};
  gannet_err code = compile(&c, spec, where);
  if (code == GANNET_OK && complaints->count == before) code = copy_spec(spec, &made->spec);
  if (code != GANNET_OK || complaints->count > before) gannet_physics_destroy(&made);
  if (made) problem->physics = made;
  return code;
}

/* What only a program can do wrong. */
static gannet_err check_arrays(const gannet_physics_spec *spec) {
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

gannet_err gannet_problem_set_physics(gannet_problem *problem, const gannet_physics_spec *spec) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  gannet_complaints complaints = {0};
  GANNET_REQUIRE_POINTER(problem, "problem");
  GANNET_REQUIRE_POINTER(spec, "spec");
  GANNET_TRY(check_arrays(spec));
  GANNET_REQUIRE(!problem->physics, GANNET_ERR_STATE, "the problem has equations already");
  GANNET_TRY(gannet_problem_check_free(problem, "equations"));
  gannet_err code = gannet_problem_state_physics(problem, spec, NULL, &complaints);
  if (code == GANNET_OK) code = gannet_complaints_raise(&complaints);
  gannet_complaints_release(&complaints);
  return code;
}

gannet_err gannet_problem_set_residual(gannet_problem *problem, int equation,
                                       gannet_residual_function residual) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  GANNET_REQUIRE_POINTER(problem, "problem");
  gannet_physics *p = problem->physics;
  GANNET_REQUIRE_POINTER(residual, "residual");
  GANNET_REQUIRE(p && 0 <= equation && equation < p->n_compiled, GANNET_ERR_ARG,
                 "equation %d of %d", equation, p ? p->n_compiled : 0);
  GANNET_REQUIRE(p->spec.equations[equation].plugin, GANNET_ERR_ARG,
                 "%s: its terms have coefficients, it takes no function",
                 p->spec.equations[equation].name);
  p->equation[equation].residual = residual;
  return GANNET_OK;
}

const gannet_physics_spec *gannet_problem_get_physics(const gannet_problem *problem) {
  return problem->physics ? &problem->physics->spec : NULL;
}
