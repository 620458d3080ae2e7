#include "optimizer/models/related.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "optimizer/models/transform.h"
#include "problem/conditional.h"
#include "problem/derived.h"
#include "problem/objectives.h"
#include "problem/outputs.h"

/* Results of a source that its model takes, results of the campaign by which sources are judged,
 * and how many of these there must be. */
enum { TAKEN_MOST = 1000, JUDGED_MOST = 300, JUDGED_LEAST = 4 };

/* Models of a source: of the first objective after no transform, and after log; then those of
 * one-sided constraints; then those of further objectives, in pairs as that of the first. */
enum { OF_LOG = 1, KINDS = 2 };

/* By how much the log density of the results must be larger with a source: factor, offset and scale
 * are learnt from the same results. */
static const double margin = 2;

/* Least scale of what is left to the model; the values have the scale 1. */
static const double least_scale = 0.01;

typedef struct {
  gannet_related_rows results;
  bool *lacks;           /* [d] coordinates that the source does not have */
  gannet_surrogate **gp; /* [count_models], NULL until they are needed */
} source;

struct gannet_related {
  const gannet_context *context;
  const gannet_problem *problem;
  gannet_optimizer_options options; /* those of gp-ei, once there is a source */
  int n;
  source source[GANNET_RELATED_MOST];
};

gannet_err gannet_related_create(const gannet_context *context, const gannet_problem *problem,
                                 gannet_related **related) {
  GANNET_TRY(gannet_alloc(1, sizeof **related, related));
  (*related)->context = context;
  (*related)->problem = problem;
  return GANNET_OK;
}

static int count_models(const gannet_problem *problem) {
  return KINDS * gannet_problem_n_objectives(problem) + problem->n_bounds;
}

static void release_source(const gannet_problem *problem, source *s) {
  for (int k = 0; s->gp && k < count_models(problem); ++k) gannet_surrogate_destroy(&s->gp[k]);
  gannet_free(&s->gp);
  gannet_related_rows_release(&s->results);
  gannet_free(&s->lacks);
}

void gannet_related_clear(gannet_related *related) {
  while (related->n > 0) release_source(related->problem, &related->source[--related->n]);
}

void gannet_related_destroy(gannet_related **related) {
  if (!*related) return;
  gannet_related_clear(*related);
  gannet_optimizer_options_release(&(*related)->options);
  gannet_free(related);
}

/* Some quantities may be missing, but not all. */
static gannet_err check_values(const gannet_problem *problem, const gannet_related_rows *rows) {
  const int k = problem->spec.n_constraints;
  for (int i = 0; i < rows->n; ++i) {
    bool is_known = false;
    for (int q = 0; q <= (rows->constraints ? k : 0); ++q) {
      const double value =
          q == 0 ? rows->objective[i] : rows->constraints[(ptrdiff_t)i * k + q - 1];
      const char *kind =
          gannet_problem_quantity_objective(problem, q) < 0 ? "constraint " : "objective ";
      GANNET_REQUIRE(!isinf(value), GANNET_ERR_INPUT,
                     "result %d of a related problem: %s%s = %g, expected a finite number, or NaN "
                     "where it is not known",
                     i + 1, q == 0 && problem->spec.n_objectives == 0 ? "" : kind,
                     gannet_problem_quantity_name(problem, q), value);
      is_known = is_known || !isnan(value);
    }
    GANNET_REQUIRE(is_known, GANNET_ERR_INPUT,
                   "result %d of a related problem has no value of any objective or constraint; "
                   "leave it out",
                   i + 1);
  }
  return GANNET_OK;
}

static gannet_err check_rows(const gannet_problem *problem, const gannet_related_rows *rows) {
  const int n = rows->n;
  const double *x_user = rows->x;
  int common = 0;
  GANNET_REQUIRE(n >= 2, GANNET_ERR_INPUT, "%d results of a related problem, expected at least 2",
                 n);
  for (int f = 0; f < problem->n_free; ++f) {
    const int v = problem->free_variable[f];
    int known = 0;
    for (int i = 0; i < n; ++i) {
      const double value = x_user[(ptrdiff_t)i * problem->spec.n_variables + v];
      known += !isnan(value);
      if (!isnan(value)) GANNET_TRY(gannet_problem_check_tried(problem, v, value));
    }
    GANNET_REQUIRE(
        known == 0 || known == n, GANNET_ERR_INPUT,
        "variable %s: %d of %d results of a related problem have a value, expected all or "
        "none",
        problem->spec.variables[v].name, known, n);
    common += known == n;
  }
  GANNET_REQUIRE(
      common > 0, GANNET_ERR_INPUT,
      "the related problem has no variable of this one; expected at least one in common");
  return check_values(problem, rows);
}

/* What is inactive rests, and so does a conditional variable that only some results have. */
static gannet_err rest_inactive(const gannet_problem *problem, int n, double *x_user) {
  const size_t v = (size_t)problem->spec.n_variables;
  gannet_activity *activity = NULL;
  double *settled = NULL;
  if (problem->derived->n_conditional == 0) return GANNET_OK;
  gannet_err err = gannet_alloc(v, sizeof *activity, &activity);
  if (err == GANNET_OK) err = gannet_alloc(v, sizeof *settled, &settled);
  for (size_t k = 0; k < v && err == GANNET_OK; ++k) {
    const gannet_variable *variable = &problem->spec.variables[k];
    int known = 0;
    if (variable->role != GANNET_ROLE_FREE || !gannet_variable_is_conditional(variable)) continue;
    for (int i = 0; i < n; ++i) known += !isnan(x_user[(size_t)i * v + k]);
    for (int i = 0; i < n && known > 0; ++i)
      if (isnan(x_user[(size_t)i * v + k]))
        x_user[(size_t)i * v + k] = gannet_variable_resting(variable);
  }
  for (int i = 0; i < n && err == GANNET_OK; ++i) {
    double *row = x_user + (size_t)i * v;
    memcpy(settled, row, v * sizeof *row);
    gannet_conditional_settle(problem, settled, activity);
    for (size_t k = 0; k < v; ++k)
      if (!isnan(row[k]) && activity[k] == GANNET_IS_INACTIVE) row[k] = settled[k];
  }
  gannet_free(&activity);
  gannet_free(&settled);
  return err;
}

static gannet_err copy_rows(const gannet_problem *problem, const gannet_related_rows *rows,
                            source *s) {
  const size_t n = rows->n > 0 ? (size_t)rows->n : 0;
  const size_t v = (size_t)problem->spec.n_variables, k = (size_t)problem->spec.n_constraints;
  s->results.n = rows->n;
  GANNET_TRY(gannet_alloc(n * v, sizeof *s->results.x, &s->results.x));
  GANNET_TRY(gannet_alloc(n, sizeof *s->results.objective, &s->results.objective));
  GANNET_TRY(gannet_alloc((size_t)problem->d, sizeof *s->lacks, &s->lacks));
  GANNET_TRY(gannet_alloc((size_t)count_models(problem), sizeof *s->gp, &s->gp));
  if (n == 0) return GANNET_OK;
  memcpy(s->results.x, rows->x, n * v * sizeof *rows->x);
  memcpy(s->results.objective, rows->objective, n * sizeof *rows->objective);
  if (!rows->constraints || k == 0) return GANNET_OK;
  GANNET_TRY(gannet_alloc(n * k, sizeof *s->results.constraints, &s->results.constraints));
  memcpy(s->results.constraints, rows->constraints, n * k * sizeof *rows->constraints);
  return GANNET_OK;
}

gannet_err gannet_related_add(gannet_related *related, const gannet_related_rows *rows) {
  static const gannet_setting method = {.key = "method", .text = "gp-ei"};
  const gannet_problem *problem = related->problem;
  GANNET_REQUIRE(related->n < GANNET_RELATED_MOST, GANNET_ERR_INPUT,
                 "more than %d related problems; leave out those that help least",
                 (int)GANNET_RELATED_MOST);
  if (related->options.n_members == 0)
    GANNET_TRY(gannet_optimizer_options_own(1, &method, &related->options));
  source *s = &related->source[related->n];
  *s = (source){.lacks = NULL};
  gannet_err err = copy_rows(problem, rows, s);
  if (err == GANNET_OK) err = rest_inactive(problem, rows->n, s->results.x);
  if (err == GANNET_OK) err = check_rows(problem, &s->results);
  if (err != GANNET_OK) {
    release_source(problem, s);
    return err;
  }
  for (int f = 0; f < problem->n_free; ++f) {
    const int i = problem->free_variable[f], first = problem->first[i];
    const int width = gannet_variable_width(&problem->spec.variables[i]);
    for (int k = first; k < first + width; ++k) s->lacks[k] = isnan(s->results.x[i]);
  }
  related->n += 1;
  return GANNET_OK;
}

int gannet_related_count(const gannet_related *related) {
  return related ? related->n : 0;
}

const gannet_related_rows *gannet_related_results(const gannet_related *related, int i) {
  return &related->source[i].results;
}

/* The models of sources. */

/* The objective that a model is of; -1 = it is of a constraint. */
static int objective_of(const gannet_problem *problem, int model) {
  return model == 0 ? 0 : model > problem->n_bounds ? model - problem->n_bounds : -1;
}

/* The value of a row that a model is of, minimised or negative where a constraint is kept; NAN =
 * not known. */
static double value_of(const gannet_problem *problem, const gannet_related_rows *rows, int row,
                       int model) {
  int k = 0;
  const int objective = objective_of(problem, model), n = problem->spec.n_constraints;
  if (model == 0) return gannet_problem_flip_objective(problem, 0, rows->objective[row]);
  if (!rows->constraints) return NAN;
  const double *values = rows->constraints + (ptrdiff_t)row * n;
  if (objective > 0)
    return gannet_problem_flip_objective(
        problem, objective, values[gannet_problem_objective_quantity(problem, objective) - 1]);
  const bool is_upper = gannet_problem_find_bound(problem, model - 1, &k);
  const gannet_constraint *limit = &problem->spec.constraints[k];
  return is_upper ? gannet_problem_excess(values[k], limit->upper)
                  : gannet_problem_excess(limit->lower, values[k]);
}

bool gannet_related_has(const gannet_related *related, int i, int model) {
  const gannet_related_rows *rows = &related->source[i].results;
  int known = 0;
  for (int row = 0; row < rows->n && known < 2; ++row)
    known += !isnan(value_of(related->problem, rows, row, model));
  return known >= 2;
}

typedef struct {
  double value; /* minimised, or how far from the limit */
  int row;
} ranked_row;

static int by_value(const void *a, const void *b) {
  const ranked_row *x = a, *y = b;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return (x->row > y->row) - (x->row < y->row);
}

/* The rows that a model takes: half are the best, or those nearest to the limit of a constraint;
 * the others are spread over the rest.
 *
 * raw  out  [TAKEN_MOST or n] minimised
 */
static gannet_err take_rows(const gannet_related *r, const source *s, int model, double *x,
                            double *raw, int *taken) {
  const size_t v = (size_t)r->problem->spec.n_variables, d = (size_t)r->problem->d;
  const bool is_objective = objective_of(r->problem, model) >= 0;
  ranked_row *ranked = NULL;
  double *known = NULL;
  int n = 0;
  gannet_err err = gannet_alloc((size_t)s->results.n, sizeof *ranked, &ranked);
  if (err == GANNET_OK) err = gannet_alloc(v, sizeof *known, &known);
  for (int i = 0; i < s->results.n && err == GANNET_OK; ++i) {
    const double value = value_of(r->problem, &s->results, i, model);
    if (!isnan(value)) ranked[n++] = (ranked_row){is_objective ? value : fabs(value), i};
  }
  if (err == GANNET_OK) qsort(ranked, (size_t)n, sizeof *ranked, by_value);
  const int most = n < TAKEN_MOST ? n : TAKEN_MOST, half = most / 2;
  for (int i = 0; i < most && err == GANNET_OK; ++i) {
    const int64_t rest = (int64_t)(i - half) * (n - half) / (most - half);
    const ranked_row *row = &ranked[i < half ? i : half + (int)rest];
    memcpy(known, s->results.x + (size_t)row->row * v, v * sizeof *known);
    for (size_t k = 0; k < v; ++k)
      if (isnan(known[k])) known[k] = gannet_variable_resting(&r->problem->spec.variables[k]);
    gannet_problem_encode_anywhere(r->problem, known, x + (size_t)i * d);
    for (size_t k = 0; k < d; ++k)
      if (s->lacks[k]) x[(size_t)i * d + k] = 0.5;
    raw[i] = value_of(r->problem, &s->results, row->row, model);
  }
  *taken = most;
  gannet_free(&ranked);
  gannet_free(&known);
  return err;
}

/* Which of the models of a source is the prior's. */
static int model_of(const gannet_related_prior *p) {
  const gannet_problem *problem = p->related->problem;
  const int objective = objective_of(problem, p->model);
  const int kind = p->kind == GANNET_TRANSFORM_LOG ? OF_LOG : 0;
  return objective < 0    ? KINDS + p->model - 1
         : objective == 0 ? kind
                          : KINDS * objective + problem->n_bounds + kind;
}

/* Values before a model of a source, in the place of raw ones. */
static void transform_values(const gannet_related_prior *p, int n, double *raw, double *work) {
  gannet_transform_fit fit;
  gannet_constraint_fit unused;
  if (objective_of(p->related->problem, p->model) < 0) {
    (void)gannet_transform_constraint(false, n, raw, work, &unused);
    return;
  }
  gannet_transform_learn(p->kind, n, raw, work, &fit);
  gannet_transform_reach(raw[0], &fit); /* the best */
  for (int j = 0; j < n; ++j) raw[j] = gannet_transform_apply(&fit, raw[j]);
}

/* Make the model of a source, unless it is there. Its random streams are apart from those of
 * members and constraints. */
static gannet_err make_model(const gannet_related_prior *p, int i) {
  enum { STREAMS = 1 << 20 };
  gannet_related *r = p->related;
  source *s = &r->source[i];
  const gannet_member_options *options = &r->options.member[0];
  const int k = model_of(p), d = r->problem->d;
  const int stream =
      k < KINDS ? KINDS * i + k : KINDS * GANNET_RELATED_MOST + k * GANNET_RELATED_MOST + i;
  const size_t n = (size_t)s->results.n;
  double *x = NULL, *raw = NULL;
  int taken = 0;
  if (s->gp[k] || !gannet_related_has(r, i, p->model)) return GANNET_OK;
  gannet_err err = gannet_alloc(n * (size_t)d, sizeof *x, &x);
  if (err == GANNET_OK) err = gannet_alloc(2 * n, sizeof *raw, &raw);
  if (err == GANNET_OK) err = take_rows(r, s, p->model, x, raw, &taken);
  if (err == GANNET_OK) transform_values(p, taken, raw, raw + n);
  err = gannet_agree(r->context->comm, err);
  if (err == GANNET_OK)
    err = gannet_surrogate_create(r->context, options->surrogate_type, options->surrogate_options,
                                  d, GANNET_MEMBERS_MOST * STREAMS + stream, &s->gp[k]);
  const gannet_data data = {taken, x, raw, NAN, NULL};
  if (err == GANNET_OK) err = gannet_surrogate_fit(s->gp[k], &data, true, 0);
  if (err != GANNET_OK) gannet_surrogate_destroy(&s->gp[k]);
  gannet_free(&x);
  gannet_free(&raw);
  return err;
}

/* The mean of a source at n points, with its gradients unless they are NULL; 0 without values. */
static gannet_err source_mean(const gannet_related_prior *p, int i, int n, const double *x,
                              double *values, double *gradients) {
  const gannet_related *r = p->related;
  const source *s = &r->source[i];
  const gannet_surrogate *gp = s->gp[model_of(p)];
  const size_t d = (size_t)r->problem->d, length = (size_t)n * d;
  double *own = NULL;
  if (!gp) {
    memset(values, 0, (size_t)n * sizeof *values);
    if (gradients) memset(gradients, 0, length * sizeof *gradients);
    return GANNET_OK;
  }
  GANNET_TRY(gannet_alloc(2 * length + (size_t)n, sizeof *own, &own));
  double *unwanted = own + length, *sd = unwanted + length;
  for (size_t k = 0; k < length; ++k) own[k] = s->lacks[k % d] ? 0.5 : x[k];
  const gannet_err err =
      gradients ? gannet_surrogate_predict_gradients(gp, n, own, values, sd, gradients, unwanted)
                : gannet_surrogate_predict(gp, n, own, values, NULL);
  for (size_t k = 0; gradients && k < length; ++k)
    if (s->lacks[k % d]) gradients[k] = 0;
  gannet_free(&own);
  return err;
}

/* evaluate of gannet_prior_mean */
static gannet_err evaluate_prior(const void *user, int n, const double *x, double *values,
                                 double *gradients) {
  const gannet_related_prior *p = user;
  const gannet_related *r = p->related;
  const size_t length = (size_t)n * (size_t)r->problem->d;
  double *one = NULL;
  GANNET_TRY(gannet_alloc((size_t)n + length, sizeof *one, &one));
  double *slopes = gradients ? one + n : NULL;
  gannet_err err = GANNET_OK;
  for (int i = 0; i < n; ++i) values[i] = p->offset;
  if (gradients) memset(gradients, 0, length * sizeof *gradients);
  for (int s = 0; s < r->n && err == GANNET_OK; ++s) {
    if (!(p->factor[s] > 0)) continue;
    err = source_mean(p, s, n, x, one, slopes);
    for (int i = 0; i < n; ++i) values[i] += p->factor[s] * one[i];
    for (size_t k = 0; gradients && k < length; ++k) gradients[k] += p->factor[s] * slopes[k];
  }
  gannet_free(&one);
  return err;
}

/* What sources say about the results. */

typedef struct {
  gannet_related_prior *prior;
  int n;         /* results by which sources are judged */
  double *x, *y; /* [n][d], [n] theirs */
  double *mean;  /* [sources][n] of the sources */
  double *left;  /* [n] what is left to the model */
} judgement;

static gannet_err begin_judgement(gannet_related_prior *prior, const gannet_data *data,
                                  judgement *j) {
  const gannet_related *r = prior->related;
  const size_t d = (size_t)r->problem->d;
  j->prior = prior;
  j->n = data->n < JUDGED_MOST ? data->n : JUDGED_MOST;
  const size_t n = (size_t)j->n;
  GANNET_TRY(gannet_alloc(n * d, sizeof *j->x, &j->x));
  GANNET_TRY(gannet_alloc(n, sizeof *j->y, &j->y));
  GANNET_TRY(gannet_alloc(n * (size_t)r->n, sizeof *j->mean, &j->mean));
  GANNET_TRY(gannet_alloc(n, sizeof *j->left, &j->left));
  for (size_t i = 0; i < n; ++i) {
    const size_t row = i * (size_t)data->n / n;
    memcpy(j->x + i * d, data->x + row * d, d * sizeof *j->x);
    j->y[i] = data->y[row];
  }
  for (int s = 0; s < r->n; ++s)
    GANNET_TRY(source_mean(prior, s, j->n, j->x, j->mean + (size_t)s * n, NULL));
  return GANNET_OK;
}

static double mean_of(int n, const double *values) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += values[i] / n;
  return sum;
}

static double sum_of_products(int n, const double *a, const double *b) {
  const double mean_a = mean_of(n, a), mean_b = mean_of(n, b);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += (a[i] - mean_a) * (b[i] - mean_b);
  return sum;
}

/* Factors, offset and scale for the sources that are used: least squares with factors of at least
 * 0, one after the other in turn until nothing moves (coordinate descent). */
static void solve_factors(judgement *j) {
  enum { SWEEPS = 100 };
  gannet_related_prior *p = j->prior;
  const int n = j->n;
  const double all = sum_of_products(n, j->y, j->y);
  double most = 1;
  int count = 0;
  memset(p->factor, 0, sizeof p->factor);
  memcpy(j->left, j->y, (size_t)n * sizeof *j->left);
  for (int sweep = 0; sweep < SWEEPS && most > 1e-9; ++sweep) {
    most = 0;
    for (int s = 0; s < p->related->n; ++s) {
      const double *m = j->mean + (ptrdiff_t)s * n, square = sum_of_products(n, m, m);
      if (!p->used[s] || !(square > 1e-12) || !(all > 0)) continue;
      const double move = fmax(sum_of_products(n, m, j->left) / square, -p->factor[s]);
      p->factor[s] += move;
      for (int i = 0; i < n; ++i) j->left[i] -= move * m[i];
      most = fmax(most, fabs(move) * sqrt(square / all));
      p->weight[s] = p->factor[s] * sqrt(square / all);
    }
  }
  for (int s = 0; s < p->related->n; ++s) {
    count += p->factor[s] > 0;
    if (!(p->factor[s] > 0)) p->weight[s] = 0;
  }
  p->offset = mean_of(n, j->left);
  for (int i = 0; i < n; ++i) j->left[i] -= p->offset;
  const int freedom = n - 1 - count;
  const double rest = sum_of_products(n, j->left, j->left) / (freedom > 0 ? freedom : 1);
  p->scale = fmin(fmax(sqrt(rest), least_scale), 1e3);
}

/* The log density of the results with the sources that are used. The model is that of a source: a
 * Gaussian process, whichever the method has. */
static gannet_err measure_evidence(judgement *j, double *evidence) {
  const gannet_related *r = j->prior->related;
  const gannet_member_options *options = &r->options.member[0];
  gannet_surrogate *gp = NULL;
  solve_factors(j);
  const double scale = j->prior->scale;
  for (int i = 0; i < j->n; ++i) j->left[i] /= scale;
  GANNET_TRY(gannet_surrogate_create(r->context, options->surrogate_type,
                                     options->surrogate_options, r->problem->d, 0, &gp));
  const gannet_data data = {j->n, j->x, j->left, NAN, NULL};
  gannet_err err = gannet_surrogate_fit(gp, &data, true, 0);
  if (err == GANNET_OK) err = gannet_surrogate_log_predictive(gp, evidence);
  *evidence -= j->n * log(scale);
  gannet_surrogate_destroy(&gp);
  return err;
}

/* Take the source that makes the results most likely, then the next, as long as they are clearly
 * more likely with it. */
static gannet_err decide_use(judgement *j) {
  gannet_related_prior *p = j->prior;
  const int sources = p->related->n;
  double evidence = 0;
  memset(p->used, 0, sizeof p->used);
  GANNET_TRY(measure_evidence(j, &evidence));
  for (int round = 0; round < sources; ++round) {
    double best = evidence + margin;
    int chosen = -1;
    for (int s = 0; s < sources; ++s) {
      double now = -INFINITY;
      if (p->used[s]) continue;
      p->used[s] = true;
      solve_factors(j);
      const gannet_err err = p->factor[s] > 0 ? measure_evidence(j, &now) : GANNET_OK;
      p->used[s] = false;
      GANNET_TRY(err);
      if (!(now > best)) continue;
      best = now;
      chosen = s;
    }
    if (chosen < 0) break;
    p->used[chosen] = true;
    evidence = best;
  }
  return GANNET_OK;
}

gannet_err gannet_related_learn(gannet_related_prior *prior, gannet_transform kind,
                                const gannet_data *data, bool decide, gannet_prior_mean *mean) {
  gannet_related *r = prior->related;
  judgement j = {0};
  *mean = (gannet_prior_mean){0};
  if (gannet_related_count(r) == 0 || data->n < JUDGED_LEAST) return GANNET_OK;
  bool any = false;
  for (int s = 0; s < r->n; ++s)
    any = any || (decide && gannet_related_has(r, s, prior->model)) || prior->used[s];
  if (!any) return GANNET_OK;
  prior->kind = kind;
  for (int s = 0; s < r->n; ++s) GANNET_TRY(make_model(prior, s));
  gannet_err err = gannet_agree(r->context->comm, begin_judgement(prior, data, &j));
  if (err == GANNET_OK && decide) err = decide_use(&j);
  if (err == GANNET_OK) solve_factors(&j);
  gannet_free(&j.x);
  gannet_free(&j.y);
  gannet_free(&j.mean);
  gannet_free(&j.left);
  GANNET_TRY(err);
  for (int s = 0; s < r->n; ++s)
    if (prior->factor[s] > 0) *mean = (gannet_prior_mean){evaluate_prior, prior, prior->scale};
  return GANNET_OK;
}
