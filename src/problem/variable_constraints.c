#include "problem/variable_constraints.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "problem/derived.h"
#include "problem/pool.h"

enum { SAMPLES = 64 };

/* A value of a variable from a uniform number, and its least and greatest value. */
static double value_inside(const gannet_variable *v, double u) {
  const double count = gannet_variable_count(v);
  if (isfinite(count)) return gannet_variable_value(v, (int64_t)fmin(u * count, count - 1));
  return v->lower + u * (v->upper - v->lower);
}

static void ends_of(const gannet_variable *v, double *least, double *most) {
  const double count = gannet_variable_count(v);
  *least = isfinite(count) ? gannet_variable_value(v, 0) : v->lower;
  *most = isfinite(count) ? gannet_variable_value(v, (int64_t)count - 1) : v->upper;
}

/* Whether an expression names a conditional variable; with deep also by way of derived ones. */
static bool names_conditional(const gannet_problem *problem,
                              const gannet_variable_expression *expression, bool deep) {
  const gannet_derived *derived = problem->derived;
  bool found = false;
  for (int v = 0; expression && v < problem->spec.n_variables && !found; ++v)
    if (gannet_variable_expression_uses(expression, v))
      found = derived->condition[v] || (deep && derived->expression[v] &&
                                        names_conditional(problem, derived->expression[v], deep));
  return found;
}

/* Find out whether right - left of relation i is linear in the free variables, and its usual size,
 * from its values at points of the box. x: [n_variables] scratch */
static void study_relation(const gannet_problem *problem, const gannet_relation *relation, int i,
                           gannet_relation_use *use, double *x) {
  const gannet_stream stream = {0, GANNET_FOR_ALLOWED, 0, (uint64_t)i};
  const int n = problem->spec.n_variables;
  double size, sum = 0, u;
  int n_finite = 0;
  memset(x, 0, (size_t)n * sizeof *x);
  gannet_problem_derive(problem, x);
  /* Functions of the program are never asked outside of the box. */
  use->offset = relation->function ? NAN : gannet_relation_slack(relation, x, &size);
  for (int f = 0; f < problem->n_free && !relation->function; ++f) {
    const int v = problem->free_variable[f];
    x[v] = 1;
    gannet_problem_derive(problem, x);
    use->slope[v] = gannet_relation_slack(relation, x, &size) - use->offset;
    x[v] = 0;
  }
  use->is_linear = isfinite(use->offset);
  for (int s = 0; s < SAMPLES; ++s) {
    double value = use->offset, terms = fabs(use->offset);
    for (int f = 0; f < problem->n_free; ++f) {
      const int v = problem->free_variable[f];
      gannet_random_uniform(stream, (uint64_t)(s * n + v), 1, &u);
      x[v] = value_inside(&problem->spec.variables[v], u);
      value += use->slope[v] * x[v];
      terms += fabs(use->slope[v] * x[v]);
    }
    gannet_problem_derive(problem, x);
    const double slack = gannet_relation_slack(relation, x, &size);
    if (!(fabs(slack - value) <= 1e-11 * terms)) use->is_linear = false;
    if (!isfinite(slack)) continue;
    sum += fabs(slack);
    n_finite += 1;
  }
  use->scale = n_finite > 0 && sum > 0 ? sum / n_finite : 1;
  if (names_conditional(problem, relation->left, true) ||
      names_conditional(problem, relation->right, true))
    use->is_linear = false; /* inactive variables rest */
  if (use->is_linear) memcpy(use->reduced, use->slope, (size_t)n * sizeof *use->reduced);
}

/* Origin and step of a variable whose values lie at equal distances. */
static bool grid_of(const gannet_variable *v, double *origin, double *step) {
  const bool is_integer = v->type == GANNET_VARIABLE_INTEGER;
  *origin = is_integer || v->type == GANNET_VARIABLE_REAL ? v->lower : 0;
  *step = v->step > 0 ? v->step : 1;
  return is_integer || v->type == GANNET_VARIABLE_BOOLEAN || v->step > 0;
}

static bool is_whole(double x) {
  return fabs(x - rint(x)) <= 1e-9 * fmax(1, fabs(x));
}

/* Whether an equation gives variable p a value of its own steps for all values of the others. */
static bool meets_steps(const gannet_problem *problem, const gannet_relation_use *use, int p) {
  const int n = problem->spec.n_variables;
  double origin, step, own_origin, own_step, sum = use->offset;
  if (!grid_of(&problem->spec.variables[p], &own_origin, &own_step)) return false;
  if (problem->spec.variables[p].type == GANNET_VARIABLE_BOOLEAN) return false;
  const double unit = use->reduced[p] * own_step;
  for (int v = 0; v < n; ++v) {
    if (use->reduced[v] == 0) continue;
    if (!grid_of(&problem->spec.variables[v], &origin, &step)) return false;
    if (!is_whole(use->reduced[v] * step / unit)) return false;
    sum += use->reduced[v] * origin;
  }
  return is_whole(sum / unit);
}

/* Whether a variable belongs to an equation that lists combinations. */
static bool is_listed(const gannet_variable_constraints *c, int v) {
  for (int l = 0; l < c->n_listed; ++l)
    for (int i = 0; i < c->listed[l].n; ++i)
      if (c->listed[l].variable[i] == v) return true;
  return false;
}

/* The variable that an equation should give: a real one of the largest influence; else one whose
 * steps the others meet. -1 = none. */
static int choose_dependent(const gannet_problem *problem, const gannet_relation_use *use) {
  int best = -1;
  double most = 0;
  for (int v = 0; v < problem->spec.n_variables; ++v) {
    const gannet_variable *one = &problem->spec.variables[v];
    const double influence = fabs(use->reduced[v]) * (one->upper - one->lower);
    if (!(influence > most) || !problem->continuous[problem->first[v]]) continue;
    best = v;
    most = influence;
  }
  for (int v = 0; v < problem->spec.n_variables && best < 0; ++v)
    if (use->reduced[v] != 0 && meets_steps(problem, use, v) &&
        !is_listed(problem->variable_constraints, v))
      best = v;
  return best;
}

/* Find the values of the variables of an equation that meet it, by trying all. offset: of the
 * reduced relation */
static gannet_err list_combinations(gannet_problem *problem, const gannet_relation_use *use,
                                    double offset, const char *text) {
  enum { MOST_TRIED = 1000000, MOST_KEPT = 20000 };
  gannet_variable_constraints *c = problem->variable_constraints;
  const gannet_variable *variables = problem->spec.variables;
  gannet_combinations *listed = &c->listed[c->n_listed];
  double count = 1;
  GANNET_TRY(
      gannet_alloc((size_t)problem->spec.n_variables, sizeof *listed->variable, &listed->variable));
  c->n_listed += 1;
  for (int v = 0; v < problem->spec.n_variables; ++v)
    if (use->reduced[v] != 0) {
      listed->variable[listed->n++] = v;
      count *= gannet_variable_count(&variables[v]);
    }
  GANNET_REQUIRE(
      count <= MOST_TRIED, GANNET_ERR_INPUT,
      "variable constraint '%.200s': its variables have %.3g combinations of values, and "
      "at most %d are tried; it needs a real variable, or an integer whose factor "
      "divides all others",
      text, count, MOST_TRIED);
  for (int pass = 0; pass < 2; ++pass) { /* count, then keep */
    listed->n_rows = 0;
    for (int64_t t = 0; t < (int64_t)count; ++t) {
      double sum = offset, terms = fabs(offset);
      double *row = pass > 0 ? listed->row + (size_t)listed->n_rows * (size_t)listed->n : NULL;
      int64_t rest = t;
      for (int i = 0; i < listed->n; ++i) {
        const gannet_variable *one = &variables[listed->variable[i]];
        const int64_t of_one = (int64_t)gannet_variable_count(one);
        const double value = gannet_variable_value(one, rest % of_one);
        const double term = use->reduced[listed->variable[i]] * value;
        rest /= of_one;
        sum += term;
        terms += fabs(term);
        if (row && listed->n_rows < MOST_KEPT) gannet_variable_encode(one, value, &row[i]);
      }
      listed->n_rows += fabs(sum) <= 1e-12 * terms;
    }
    GANNET_REQUIRE(listed->n_rows > 0, GANNET_ERR_INPUT,
                   "variable constraint '%.200s': the values or steps of its variables do not meet "
                   "it: none of their %.0f combinations does; change a step or the equation",
                   text, count);
    GANNET_REQUIRE(listed->n_rows <= MOST_KEPT, GANNET_ERR_INPUT,
                   "variable constraint '%.200s': %d combinations of values meet it, expected at "
                   "most %d; make one of its variables a derived one",
                   text, listed->n_rows, MOST_KEPT);
    if (pass == 0)
      GANNET_TRY(gannet_alloc((size_t)(listed->n_rows + 1) * (size_t)listed->n, sizeof *listed->row,
                              &listed->row));
  }
  return GANNET_OK;
}

/* Replace variable p in a relation by what gives it. constant: of the relation, changed too */
static void substitute(int n, const gannet_dependent *one, double *row, double *constant) {
  const double factor = row[one->variable];
  if (factor == 0) return;
  row[one->variable] = 0;
  *constant += factor * one->constant;
  for (int v = 0; v < n; ++v) row[v] += factor * one->share[v];
  for (int v = 0; v < n; ++v) /* what cancels leaves rounding behind */
    if (fabs(row[v]) <= 1e-14 * fabs(factor * one->share[v])) row[v] = 0;
}

/* Let one variable follow from linear equation i. offset: of the reduced relation */
static gannet_err eliminate(gannet_problem *problem, int i, double offset) {
  gannet_variable_constraints *c = problem->variable_constraints;
  const int n = problem->spec.n_variables;
  gannet_relation_use *use = &c->use[i];
  const char *text = c->text[use->text];
  bool empty = true;
  for (int v = 0; v < n; ++v) empty = empty && use->reduced[v] == 0;
  use->is_dependent = true;
  GANNET_REQUIRE(!empty || fabs(offset) <= 1e-9 * use->scale, GANNET_ERR_INPUT,
                 "variable constraint '%.200s' contradicts the equations before it; change one",
                 text);
  if (empty) return GANNET_OK;
  const double kept = use->offset;
  use->offset = offset; /* of the reduced relation, for meets_steps */
  const int p = choose_dependent(problem, use);
  use->offset = kept;
  if (p < 0) return list_combinations(problem, use, offset, text);
  gannet_dependent *one = &c->dependent[c->n_dependent];
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *one->share, &one->share));
  c->n_dependent += 1;
  one->variable = p;
  one->constant = -offset / use->reduced[p];
  for (int v = 0; v < n; ++v)
    if (v != p && use->reduced[v] != 0) one->share[v] = -use->reduced[v] / use->reduced[p];
  c->is_searched[p] = false;
  for (int q = 0; q + 1 < c->n_dependent; ++q)
    substitute(n, one, c->dependent[q].share, &c->dependent[q].constant);
  return GANNET_OK;
}

/* Eliminate linear equations one after the other, and write linear inequalities in the variables
 * that are left. wrong: the text whose equation cannot be eliminated, else -1 */
static gannet_err eliminate_equations(gannet_problem *problem, int *wrong) {
  gannet_variable_constraints *c = problem->variable_constraints;
  const int n = problem->spec.n_variables;
  GANNET_TRY(gannet_alloc((size_t)c->n, sizeof *c->listed, &c->listed));
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < c->n; ++i) {
      gannet_relation_use *use = &c->use[i];
      const bool equation = c->relation[i].type == GANNET_RELATION_EQUAL;
      if (!use->is_linear || equation != (pass == 0)) continue;
      double offset = use->offset;
      for (int q = 0; q < c->n_dependent; ++q)
        substitute(n, &c->dependent[q], use->reduced, &offset);
      *wrong = use->text;
      if (equation) GANNET_TRY(eliminate(problem, i, offset));
    }
  *wrong = -1;
  for (int i = 0; i < c->n; ++i) {
    const gannet_relation_type type = c->relation[i].type;
    if (type == GANNET_RELATION_CONDITION || c->use[i].is_dependent) continue;
    c->n_rows += type == GANNET_RELATION_EQUAL ? 2 : 1;
    c->has_curved_equation = c->has_curved_equation || type == GANNET_RELATION_EQUAL;
  }
  c->n_rows += 2 * (c->n_dependent - c->n_pinned);
  return GANNET_OK;
}

/* Pinned variables depend on nothing: they come before what depends on other variables. */
static gannet_err depend_on_pins(gannet_problem *problem) {
  gannet_variable_constraints *c = problem->variable_constraints;
  const size_t n = (size_t)problem->spec.n_variables, most = (size_t)c->n + n;
  GANNET_TRY(gannet_alloc(most, sizeof *c->dependent, &c->dependent));
  for (int v = 0; problem->pin && v < problem->spec.n_variables; ++v) {
    gannet_dependent *one = &c->dependent[c->n_dependent];
    if (isnan(problem->pin[v])) continue;
    GANNET_TRY(gannet_alloc(n, sizeof *one->share, &one->share));
    one->variable = v;
    one->constant = problem->pin[v];
    c->is_searched[v] = false;
    c->n_pinned = ++c->n_dependent;
  }
  return GANNET_OK;
}

/* Least and most of a linear relation's right - left in the box. */
static void range_of(const gannet_problem_spec *spec, const gannet_relation_use *use, double *least,
                     double *most) {
  *least = *most = use->offset;
  for (int v = 0; v < spec->n_variables; ++v) {
    const gannet_variable *one = &spec->variables[v];
    double low, high;
    if (use->slope[v] == 0) continue;
    ends_of(one, &low, &high);
    *least += fmin(use->slope[v] * low, use->slope[v] * high);
    *most += fmax(use->slope[v] * low, use->slope[v] * high);
  }
}

bool gannet_variable_constraint_is_idle(const gannet_problem *problem, int text) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  double least, most;
  for (int i = 0; i < c->n; ++i) {
    const gannet_relation_type type = c->relation[i].type;
    if (c->use[i].text != text) continue;
    if (type == GANNET_RELATION_EQUAL || !c->use[i].is_linear) return false;
    range_of(&problem->spec, &c->use[i], &least, &most);
    if (least < 0 || (least == 0 && type == GANNET_RELATION_BELOW)) return false;
  }
  return true;
}

/* Refuse a linear relation that no point of the box satisfies. */
static gannet_err check_possible(const gannet_problem_spec *spec, const char *text,
                                 const gannet_relation *relation, const gannet_relation_use *use) {
  double least, most;
  if (!use->is_linear) return GANNET_OK;
  range_of(spec, use, &least, &most);
  const double rounding = 1e-12 * fmax(fabs(least), fabs(most));
  const bool possible = relation->type == GANNET_RELATION_EQUAL
                            ? most >= -rounding && least <= rounding
                            : most > 0 || (most == 0 && relation->type != GANNET_RELATION_BELOW);
  GANNET_REQUIRE(possible, GANNET_ERR_INPUT,
                 "variable constraint '%.200s': no point inside the bounds of the variables "
                 "satisfies it; widen bounds or change it",
                 text);
  return GANNET_OK;
}

static gannet_err read_text(const gannet_problem *problem, int t, const char *text) {
  gannet_variable_constraints *c = problem->variable_constraints;
  const size_t n = (size_t)problem->spec.n_variables;
  const int before = c->n;
  GANNET_TRY(gannet_copy_text(text, &c->text[t]));
  c->n_texts = t + 1;
  const gannet_err err = gannet_relations_add(&problem->spec, text, &c->n, &c->relation);
  GANNET_TRY(gannet_resize((size_t)before, (size_t)c->n, sizeof *c->use, &c->use));
  GANNET_TRY(err);
  for (int i = before; i < c->n; ++i) {
    gannet_relation_use *use = &c->use[i];
    use->text = t;
    use->scale = 1;
    GANNET_TRY(gannet_alloc(n, sizeof *use->slope, &use->slope));
    GANNET_TRY(gannet_alloc(n, sizeof *use->reduced, &use->reduced));
    use->is_conditional = names_conditional(problem, c->relation[i].left, false) ||
                          names_conditional(problem, c->relation[i].right, false);
    if (c->relation[i].type == GANNET_RELATION_CONDITION) continue;
    study_relation(problem, &c->relation[i], i, use, c->x_user);
    GANNET_TRY(check_possible(&problem->spec, text, &c->relation[i], use));
  }
  return GANNET_OK;
}

static gannet_err add_function(const gannet_problem *problem, int f) {
  gannet_variable_constraints *c = problem->variable_constraints;
  const size_t n = (size_t)problem->spec.n_variables;
  const int i = c->n, t = c->n_texts + f;
  GANNET_TRY(gannet_copy_text(problem->function[f].name, &c->text[t]));
  c->n_functions = f + 1;
  GANNET_TRY(gannet_resize((size_t)i, (size_t)i + 1, sizeof *c->relation, &c->relation));
  GANNET_TRY(gannet_resize((size_t)i, (size_t)i + 1, sizeof *c->use, &c->use));
  c->n = i + 1;
  c->relation[i] = (gannet_relation){.function = &problem->function[f]};
  c->use[i] = (gannet_relation_use){.text = t, .scale = 1};
  GANNET_TRY(gannet_alloc(n, sizeof *c->use[i].slope, &c->use[i].slope));
  GANNET_TRY(gannet_alloc(n, sizeof *c->use[i].reduced, &c->use[i].reduced));
  study_relation(problem, &c->relation[i], i, &c->use[i], c->x_user);
  return GANNET_OK;
}

gannet_err gannet_variable_functions_copy(int n, const gannet_variable_function *from,
                                          gannet_variable_function **copy) {
  char *name = NULL;
  *copy = NULL;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof **copy, copy));
  for (int f = 0; f < n; ++f) {
    GANNET_TRY(gannet_copy_text(from[f].name, &name));
    (*copy)[f] = (gannet_variable_function){name, from[f].slack, from[f].user};
  }
  return GANNET_OK;
}

void gannet_variable_functions_free(int n, gannet_variable_function **functions) {
  for (int f = 0; *functions && f < n; ++f) {
    char *name;
    memcpy(&name, &(*functions)[f].name, sizeof name); /* const for users only */
    gannet_free(&name);
  }
  gannet_free(functions);
}

gannet_err gannet_variable_constraints_check_pool(const gannet_problem *problem,
                                                  const gannet_pool *pool) {
  for (int64_t row = 0; problem->variable_constraints && row < gannet_pool_count(pool); ++row) {
    const gannet_err err = gannet_problem_check_allowed(problem, gannet_pool_row(pool, row));
    if (err != GANNET_ERR_INPUT) continue;
    char why[500];
    (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
    gannet_error_clear();
    return GANNET_RAISE(GANNET_ERR_INPUT, "candidate %lld: %s", (long long)row + 1, why);
  }
  return GANNET_OK;
}

gannet_err gannet_variable_constraints_read(gannet_problem *problem, int n,
                                            const char *const *texts, int *wrong) {
  gannet_variable_constraints *c = problem->variable_constraints;
  const size_t d = (size_t)problem->d, n_variables = (size_t)problem->spec.n_variables;
  c->n_allowed = -1;
  GANNET_TRY(gannet_alloc((size_t)(n + problem->n_functions), sizeof *c->text, &c->text));
  GANNET_TRY(gannet_alloc(n_variables, sizeof *c->x_user, &c->x_user));
  GANNET_TRY(gannet_alloc(n_variables, sizeof *c->is_searched, &c->is_searched));
  GANNET_TRY(gannet_alloc(3 * d, sizeof *c->scratch, &c->scratch));
  for (int f = 0; f < problem->n_free; ++f) c->is_searched[problem->free_variable[f]] = true;
  for (*wrong = 0; *wrong < n; ++*wrong) GANNET_TRY(read_text(problem, *wrong, texts[*wrong]));
  *wrong = -1;
  for (int f = 0; f < problem->n_functions; ++f) GANNET_TRY(add_function(problem, f));
  GANNET_TRY(depend_on_pins(problem));
  GANNET_TRY(eliminate_equations(problem, wrong));
  GANNET_TRY(gannet_alloc((size_t)c->n_rows, sizeof *c->row_values, &c->row_values));
  GANNET_TRY(gannet_alloc((size_t)c->n_rows * d, sizeof *c->row_slopes, &c->row_slopes));
  GANNET_TRY(gannet_alloc(7 * d, sizeof *c->box, &c->box));
  for (size_t k = 0; k < d; ++k) c->box[d + k] = 1;
  gannet_problem_widen(problem, c->box, c->box + d);
  return GANNET_OK;
}

void gannet_variable_constraints_destroy(gannet_variable_constraints **constraints) {
  gannet_variable_constraints *c = *constraints;
  if (!c) return;
  for (int i = 0; c->use && i < c->n; ++i) {
    gannet_free(&c->use[i].slope);
    gannet_free(&c->use[i].reduced);
  }
  gannet_free(&c->use);
  gannet_relations_free(&c->n, &c->relation);
  for (int p = 0; p < c->n_dependent; ++p) gannet_free(&c->dependent[p].share);
  gannet_free(&c->dependent);
  for (int l = 0; l < c->n_listed; ++l) {
    gannet_free(&c->listed[l].variable);
    gannet_free(&c->listed[l].row);
  }
  gannet_free(&c->listed);
  for (int t = 0; t < c->n_texts + c->n_functions; ++t) gannet_free(&c->text[t]);
  gannet_free(&c->text);
  gannet_free(&c->is_searched);
  gannet_free(&c->x_user);
  gannet_free(&c->scratch);
  gannet_free(&c->row_values);
  gannet_free(&c->row_slopes);
  gannet_free(&c->box);
  gannet_free(&c->member);
  gannet_free(&c->allowed);
  gannet_free(constraints);
}
