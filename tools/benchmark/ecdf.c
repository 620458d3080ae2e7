/* Share of targets reached on landscapes: methods side by side on functions of every kind. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "benchmark/bench.h"
#include "benchmark/file.h"
#include "benchmark/subject.h"
#include "optimizer/optimizer_impl.h"
#include "optimizer/recommend.h"
#include "problem/runs.h"
#include "simulations/landscape.h"
#include "suite/measure.h"

typedef struct {
  gannet_text_list landscapes, methods, set;
  gannet_real_list dimensions;
  int instances, first_instance, q;
  double per_d, noise;
  bool constrained, detail;
  char *csv;
} ecdf_settings;

static const gannet_option ecdf_options[] = {
    {.key = "landscapes",
     .type = GANNET_TEXT_LIST,
     .offset = offsetof(ecdf_settings, landscapes),
     .flags = GANNET_OPTION_REQUIRED,
     .help = "names of landscapes, or development, judging, all for both, reserve",
     .example = "development"},
    {.key = "methods",
     .type = GANNET_TEXT_LIST,
     .offset = offsetof(ecdf_settings, methods),
     .flags = GANNET_OPTION_REQUIRED,
     .help = "methods, with settings of their own if wanted; others are compared with the first",
     .example = "auto,gp-ei+refit=0"},
    {.key = "set",
     .type = GANNET_TEXT_LIST,
     .offset = offsetof(ecdf_settings, set),
     .help = "settings key=value for all methods"},
    {.key = "dimensions",
     .type = GANNET_REAL_LIST,
     .offset = offsetof(ecdf_settings, dimensions),
     .lower = 1,
     .upper = 1000,
     .flags = GANNET_OPTION_REQUIRED,
     .help = "numbers of variables",
     .example = "2,5"},
    {.key = "instances",
     .type = GANNET_INTEGER,
     .offset = offsetof(ecdf_settings, instances),
     .fallback = "3",
     .lower = 1,
     .upper = 10000,
     .help = "instances of every landscape"},
    {.key = "first_instance",
     .type = GANNET_INTEGER,
     .offset = offsetof(ecdf_settings, first_instance),
     .fallback = "1",
     .lower = 0,
     .upper = 1e9,
     .help = "instances and seeds count up from this one"},
    {.key = "q",
     .type = GANNET_INTEGER,
     .offset = offsetof(ecdf_settings, q),
     .fallback = "1",
     .lower = 1,
     .upper = 10000,
     .help = "points per batch"},
    {.key = "evaluations_per_d",
     .type = GANNET_REAL,
     .offset = offsetof(ecdf_settings, per_d),
     .fallback = "20",
     .lower = 0.1,
     .upper = 1e6,
     .help = "budget by number of variables"},
    {.key = "noise",
     .type = GANNET_REAL,
     .offset = offsetof(ecdf_settings, noise),
     .fallback = "0",
     .lower = 0,
     .upper = 100,
     .unit = "standard deviations of the landscape over uniform points",
     .help = "noise on the values that the methods see"},
    {.key = "constrained",
     .type = GANNET_BOOLEAN,
     .offset = offsetof(ecdf_settings, constrained),
     .fallback = "no",
     .help = "the form with two constraints, one of them active"},
    {.key = "detail",
     .type = GANNET_BOOLEAN,
     .offset = offsetof(ecdf_settings, detail),
     .fallback = "no",
     .help = "a line for every landscape"},
    {.key = "csv",
     .type = GANNET_TEXT,
     .offset = offsetof(ecdf_settings, csv),
     .help = "file for every run"},
    {0},
};

typedef struct {
  const gannet_landscape_base *base;
  int d, instance;
  int evaluations; /* budget */
} ecdf_problem;

/* What a run gave. */
typedef struct {
  double area;    /* mean over log(evaluations), from 1 to the budget, of the share of targets that
                     the best value so far is below (suite_targets_share) */
  double regret;  /* of the best point at the end, without noise */
  double seconds; /* per evaluation, of proposals */
  double looked;  /* regret, without noise, of the design of the least value seen at the end;
                     NAN in runs without noise, as chosen */
  double chosen;  /* of the design that is recommended (optimizer/recommend.h) */
} ecdf_result;

enum { ECDF_RESULT_SIZE = sizeof(ecdf_result) / sizeof(double) };

/* Results are [n_problems][n_methods]. */
typedef struct {
  const ecdf_settings *settings;
  int n_problems, n_methods;
  ecdf_problem *problem;
  bench_method *method;
  ecdf_result *result;
} ecdf_study;

/* What is run. */

/* The parts that landscapes are sorted into, in the order of their enum. */
static const char *const parts[] = {"development", "judging", "reserve"};

static bool is_wanted(const ecdf_settings *s, const gannet_landscape_base *base) {
  for (int i = 0; i < s->landscapes.n; ++i) {
    const char *name = s->landscapes.item[i];
    if (strcmp(name, base->name) == 0 || strcmp(name, parts[base->part]) == 0) return true;
    if (strcmp(name, "all") == 0 && base->part != GANNET_LANDSCAPE_RESERVE) return true;
  }
  return false;
}

/* Names must be known. A dimension that is given twice would have its problems counted twice. */
static gannet_err check_settings(const ecdf_settings *s) {
  for (int i = 0; i < s->landscapes.n; ++i) {
    const char *name = s->landscapes.item[i];
    const gannet_landscape_base *base = NULL;
    bool is_part = strcmp(name, "all") == 0;
    for (int k = 0; k <= GANNET_LANDSCAPE_RESERVE; ++k)
      is_part = is_part || strcmp(name, parts[k]) == 0;
    if (!is_part) GANNET_TRY(gannet_landscape_find(name, &base));
  }
  for (int i = 0; i < s->dimensions.n; ++i)
    for (int k = 0; k < i; ++k)
      GANNET_REQUIRE(s->dimensions.item[i] != s->dimensions.item[k], GANNET_ERR_INPUT,
                     "dimensions: %g is there twice; give every number of variables once",
                     s->dimensions.item[i]);
  return GANNET_OK;
}

static gannet_err plan_study(const bench_world *world, ecdf_study *study) {
  const ecdf_settings *s = study->settings;
  size_t n_bases = 0;
  GANNET_TRY(check_settings(s));
  if (world->rank == 0) GANNET_TRY(bench_file_try(s->csv));
  while (gannet_landscape_bases[n_bases]) ++n_bases;
  const size_t most = n_bases * (size_t)s->dimensions.n * (size_t)s->instances;
  GANNET_TRY(gannet_alloc(most, sizeof *study->problem, &study->problem));
  for (int k = 0; k < s->dimensions.n; ++k)
    for (size_t b = 0; b < n_bases; ++b)
      for (int i = 0; i < s->instances && is_wanted(s, gannet_landscape_bases[b]); ++i)
        study->problem[study->n_problems++] =
            (ecdf_problem){gannet_landscape_bases[b], (int)s->dimensions.item[k],
                           s->first_instance + i, (int)ceil(s->per_d * s->dimensions.item[k])};
  GANNET_TRY(gannet_alloc((size_t)s->methods.n, sizeof *study->method, &study->method));
  for (; study->n_methods < s->methods.n; ++study->n_methods)
    GANNET_TRY(bench_method_read(s->methods.item[study->n_methods], &s->set,
                                 &study->method[study->n_methods]));
  return gannet_alloc((size_t)study->n_problems * (size_t)study->n_methods, sizeof *study->result,
                      &study->result);
}

/* One run. */

typedef struct {
  const ecdf_study *study;
  const ecdf_problem *problem;
  ecdf_result *result;
  int told;
  double best, noise_sd, offset, log_total;
  gannet_landscape *landscape;
  gannet_context *context;
  gannet_problem *space;
  gannet_optimizer *optimizer;
  int64_t *id;         /* [q] */
  double *x;           /* [q][d] */
  double *constraints; /* [q][2] */
  gannet_result *list; /* [q] */
} ecdf_run;

static double value_at(ecdf_run *r, const double *x, double *c) {
  return r->study->settings->constrained ? gannet_landscape_constrained(r->landscape, x, c)
                                         : gannet_landscape_value(r->landscape, x);
}

/* Noise is a share of the spread over the box. */
static gannet_err measure_noise(ecdf_run *r) {
  enum { POINTS = 1000 };
  const size_t d = (size_t)r->problem->d;
  double mean = 0, squares = 0, c[2], *x = NULL;
  if (r->study->settings->noise == 0) return GANNET_OK;
  GANNET_TRY(gannet_alloc(d, sizeof *x, &x));
  for (int i = 0; i < POINTS; ++i) {
    gannet_random_uniform((gannet_stream){1, GANNET_FOR_SIMULATION, 0, (uint64_t)i}, 0, d, x);
    for (size_t k = 0; k < d; ++k) x[k] = 10 * x[k] - 5;
    const double away = value_at(r, x, c) - mean;
    mean += away / (i + 1);
    squares += away * away * i / (i + 1);
  }
  gannet_free(&x);
  r->noise_sd = r->study->settings->noise * sqrt(squares / POINTS);
  return GANNET_OK;
}

static gannet_err create_problem(ecdf_run *r) {
  static const gannet_constraint bounds[] = {{"c1", -INFINITY, 0}, {"c2", -INFINITY, 0}};
  const size_t d = (size_t)r->problem->d;
  gannet_variable *variable = NULL;
  char(*name)[24] = NULL;
  gannet_err err = gannet_alloc(d, sizeof *variable, &variable);
  if (err == GANNET_OK) err = gannet_alloc(d, sizeof *name, &name);
  for (size_t k = 0; k < d && err == GANNET_OK; ++k) {
    (void)snprintf(name[k], sizeof *name, "x%zu", k + 1);
    variable[k] =
        (gannet_variable){.name = name[k], .type = GANNET_VARIABLE_REAL, .lower = -5, .upper = 5};
  }
  const gannet_problem_spec spec = {.n_variables = r->problem->d,
                                    .variables = variable,
                                    .n_constraints = r->study->settings->constrained ? 2 : 0,
                                    .constraints = bounds,
                                    .noise_sd = NAN};
  if (err == GANNET_OK) err = gannet_problem_create(&spec, &r->space);
  gannet_free(&variable);
  gannet_free(&name);
  return err;
}

static gannet_err start_run(ecdf_run *r, const bench_method *method) {
  const size_t q = (size_t)r->study->settings->q, d = (size_t)r->problem->d;
  const uint64_t seed = (uint64_t)r->problem->instance;
  GANNET_TRY(gannet_landscape_create(r->problem->base, r->problem->d, r->problem->instance,
                                     &r->landscape));
  GANNET_TRY(measure_noise(r));
  GANNET_TRY(create_problem(r));
  GANNET_TRY(gannet_alloc(q, sizeof *r->id, &r->id));
  GANNET_TRY(gannet_alloc(q * d, sizeof *r->x, &r->x));
  GANNET_TRY(gannet_alloc(2 * q, sizeof *r->constraints, &r->constraints));
  GANNET_TRY(gannet_alloc(q, sizeof *r->list, &r->list));
  GANNET_TRY(gannet_context_create(MPI_COMM_SELF, seed, &r->context));
  gannet_random_normal((gannet_stream){seed, GANNET_FOR_SIMULATION, 7, 0}, 0, 1, &r->offset);
  r->offset = rint(10000 * r->offset) / 100;
  r->best = INFINITY;
  r->log_total = log(r->problem->evaluations + 1);
  return gannet_optimizer_create(r->context, r->space, method->n_settings, method->setting,
                                 &r->optimizer);
}

/* Ask for q points, evaluate them and tell; the values without noise count. */
static gannet_err run_batch(ecdf_run *r, int q) {
  GANNET_TRY(gannet_optimizer_ask(r->optimizer, q, r->id, r->x));
  r->result->seconds += r->optimizer->ask_seconds / r->problem->evaluations;
  for (int i = 0; i < q; ++i) {
    double noise = 0, *c = r->constraints + 2 * (size_t)i;
    c[0] = c[1] = 0;
    const double exact = value_at(r, r->x + (size_t)i * (size_t)r->problem->d, c);
    if (r->noise_sd > 0)
      gannet_random_normal(
          gannet_context_stream(r->context, GANNET_FOR_SIMULATION, 1, (uint64_t)r->id[i]), 0, 1,
          &noise);
    r->list[i] = (gannet_result){.id = r->id[i],
                                 .outcome = GANNET_RESULT_OK,
                                 .objective = exact + r->noise_sd * noise + r->offset,
                                 .constraints = c};
    if (c[0] <= 0 && c[1] <= 0) r->best = fmin(r->best, exact);
    r->told += 1;
    r->result->area += suite_targets_share(r->best) * log((r->told + 1.0) / r->told) / r->log_total;
  }
  return gannet_optimizer_tell(r->optimizer, q, r->list);
}

/* What the designs that gannet reports at the end are worth in truth; an infeasible one counts as
 * none, and is none when that is what noise-free values say. */
static gannet_err judge_reported(ecdf_run *r) {
  gannet_history *history = r->optimizer->history;
  gannet_recommendation recommended;
  GANNET_TRY(gannet_recommend(r->context, history, &recommended));
  const int64_t ids[] = {gannet_history_best(history), recommended.id};
  double *const regrets[] = {&r->result->looked, &r->result->chosen}, c[2];
  for (int k = 0; k < 2; ++k)
    *regrets[k] = ids[k] < 0 ? INFINITY : value_at(r, gannet_history_x_user(history, ids[k]), c);
  return GANNET_OK;
}

static gannet_err optimise(const ecdf_study *study, const ecdf_problem *problem,
                           const bench_method *method, ecdf_result *result) {
  ecdf_run r = {.study = study, .problem = problem, .result = result};
  *result = (ecdf_result){.looked = NAN, .chosen = NAN};
  gannet_err err = start_run(&r, method);
  while (err == GANNET_OK && r.told < problem->evaluations) {
    const int left = problem->evaluations - r.told;
    err = run_batch(&r, left < study->settings->q ? left : study->settings->q);
  }
  result->regret = r.best;
  if (err == GANNET_OK && study->settings->noise > 0) err = judge_reported(&r);
  gannet_optimizer_destroy(&r.optimizer);
  gannet_problem_destroy(&r.space);
  gannet_context_destroy(&r.context);
  gannet_landscape_destroy(&r.landscape);
  gannet_free(&r.id);
  gannet_free(&r.x);
  gannet_free(&r.constraints);
  gannet_free(&r.list);
  return err;
}

/* What is said. */

static const ecdf_result *result_of(const ecdf_study *study, int problem, int method) {
  return &study->result[(size_t)problem * (size_t)study->n_methods + (size_t)method];
}

typedef struct {
  int n;
  double area, gain, gain_error, seconds; /* means; gain over the first method, standard error */
} summary;

/* Over the problems of one dimension, and of one landscape unless that is NULL. */
static summary summarise(const ecdf_study *study, int method, int d,
                         const gannet_landscape_base *base) {
  summary s = {0};
  double squares = 0;
  for (int p = 0; p < study->n_problems; ++p) {
    if (study->problem[p].d != d || (base && study->problem[p].base != base)) continue;
    const ecdf_result *mine = result_of(study, p, method), *first = result_of(study, p, 0);
    const double gain = mine->area - first->area, away = gain - s.gain;
    s.n += 1;
    s.area += (mine->area - s.area) / s.n;
    s.seconds += (mine->seconds - s.seconds) / s.n;
    s.gain += away / s.n;
    squares += away * (gain - s.gain);
  }
  s.gain_error = s.n > 1 ? sqrt(squares / (s.n - 1) / s.n) : 0;
  return s;
}

/* The rest of a table's head, after its first column. */
static void print_methods(const ecdf_study *study) {
  for (int k = 0; k < study->n_methods; ++k) (void)printf(" %s |", study->method[k].name);
  (void)printf("\n|---|");
  for (int k = 0; k < study->n_methods; ++k) (void)printf("---|");
}

static void print_line(const ecdf_study *study, int d, const gannet_landscape_base *base) {
  (void)printf("| %s |", base ? base->name : "**all**");
  for (int k = 0; k < study->n_methods; ++k) {
    const summary s = summarise(study, k, d, base);
    (void)printf(" %.3f", s.area);
    if (!base && k > 0) (void)printf(" (%+.3f ± %.3f)", s.gain, s.gain_error);
    if (!base) (void)printf(" %.0f ms", 1e3 * s.seconds);
    (void)printf(" |");
  }
  (void)printf("\n");
}

static void print_dimension(const ecdf_study *study, int d) {
  (void)printf("\n| D = %d |", d);
  print_methods(study);
  (void)printf("\n");
  for (int b = 0; gannet_landscape_bases[b] && study->settings->detail; ++b)
    if (summarise(study, 0, d, gannet_landscape_bases[b]).n > 0)
      print_line(study, d, gannet_landscape_bases[b]);
  print_line(study, d, NULL);
}

/* Decimal logarithm of a regret, of which those below the last target are the same. */
static double depth_of(const ecdf_result *result, int which) {
  const double regret[] = {result->regret, result->looked, result->chosen};
  return log10(fmin(fmax(regret[which], 1e-8), 1e8));
}

/* At the end, over the problems of one dimension: the mean of one method less that of another, and
 * its standard error; other < 0 = the mean itself. */
static double compare_depths(const ecdf_study *study, int d, int which, int method, int other,
                             double *error) {
  double mean = 0, squares = 0;
  int n = 0;
  for (int p = 0; p < study->n_problems; ++p) {
    if (study->problem[p].d != d) continue;
    double value = depth_of(result_of(study, p, method), which);
    if (other >= 0) value -= depth_of(result_of(study, p, other), which);
    const double away = value - mean;
    mean += away / ++n;
    squares += away * (value - mean);
  }
  *error = n > 1 ? sqrt(squares / (n - 1) / n) : 0;
  return mean;
}

static void print_reported(const ecdf_study *study, int d) {
  static const char *const rows[] = {"best evaluated", "least value seen", "recommended"};
  double error = 0;
  (void)printf("\n| log10 of the regret at the end, D = %d |", d);
  print_methods(study);
  for (int which = 0; which < 3; ++which) {
    (void)printf("\n| %s |", rows[which]);
    for (int k = 0; k < study->n_methods; ++k) {
      (void)printf(" %.3f", compare_depths(study, d, which, k, -1, &error));
      const double gain = compare_depths(study, d, which, k, 0, &error);
      if (k > 0) (void)printf(" (%+.3f ± %.3f)", gain, error);
      (void)printf(" |");
    }
  }
  (void)printf("\n");
}

/* A number that was not measured is an empty cell. */
static void put_cell(FILE *out, double value) {
  (void)(isnan(value) ? fprintf(out, ",") : fprintf(out, ",%.6g", value));
}

static gannet_err write_csv(const ecdf_study *study) {
  FILE *out = NULL;
  GANNET_TRY(bench_file_open(study->settings->csv, &out));
  (void)fprintf(out,
                "landscape,d,instance,method,area,regret,seconds_per_evaluation,looked,chosen\n");
  for (int p = 0; p < study->n_problems; ++p)
    for (int k = 0; k < study->n_methods; ++k) {
      const ecdf_problem *problem = &study->problem[p];
      const ecdf_result *r = result_of(study, p, k);
      (void)fprintf(out, "%s,%d,%d,%s,%.6g,%.6g,%.4g", problem->base->name, problem->d,
                    problem->instance, study->method[k].name, r->area, r->regret, r->seconds);
      put_cell(out, r->looked);
      put_cell(out, r->chosen);
      (void)fprintf(out, "\n");
    }
  return bench_file_close(out, study->settings->csv);
}

static gannet_err report_study(const ecdf_study *study) {
  for (int k = 0; k < study->settings->dimensions.n; ++k) {
    print_dimension(study, (int)study->settings->dimensions.item[k]);
    if (study->settings->noise > 0) print_reported(study, (int)study->settings->dimensions.item[k]);
  }
  return study->settings->csv ? write_csv(study) : GANNET_OK;
}

/* Run i belongs to rank i mod np; every rank gets the results of all. */
static gannet_err make_runs(const bench_world *world, ecdf_study *study) {
  const int n = study->n_problems * study->n_methods;
  gannet_err err = GANNET_OK;
  for (int i = world->rank; i < n && err == GANNET_OK; i += world->np)
    err = optimise(study, &study->problem[i / study->n_methods],
                   &study->method[i % study->n_methods], &study->result[i]);
  GANNET_TRY(gannet_agree(world->comm, err));
  for (int i = 0; i < n; ++i)
    GANNET_TRY_MPI(
        MPI_Bcast(&study->result[i], ECDF_RESULT_SIZE, MPI_DOUBLE, i % world->np, world->comm));
  return GANNET_OK;
}

static gannet_err compare_on_landscapes(const bench_world *world, const void *settings) {
  ecdf_study study = {.settings = settings};
  gannet_err err = gannet_agree(world->comm, plan_study(world, &study));
  if (err == GANNET_OK) err = make_runs(world, &study);
  if (err == GANNET_OK)
    err = gannet_agree(world->comm, world->rank == 0 ? report_study(&study) : GANNET_OK);
  for (int k = 0; study.method && k < study.settings->methods.n; ++k)
    bench_method_release(&study.method[k]);
  gannet_free(&study.method);
  gannet_free(&study.problem);
  gannet_free(&study.result);
  return err;
}

const bench_type bench_ecdf = {
    .name = "ecdf",
    .summary = "share of targets that methods reach on landscapes of every kind",
    .options = ecdf_options,
    .options_size = sizeof(ecdf_settings),
    .run = compare_on_landscapes,
};
