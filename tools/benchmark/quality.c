/* How good the points are: methods side by side on test problems with known minima. */
#include "benchmark/quality.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "benchmark/file.h"
#include "benchmark/memory.h"

static const gannet_option quality_options[] = {
    {.key = "problems",
     .type = GANNET_TEXT_LIST,
     .offset = offsetof(quality_settings, problems),
     .flags = GANNET_OPTION_REQUIRED,
     .help = "built-in problems with their dimensions, and another box if wanted",
     .example = "branin:2,ackley:10:-5:10"},
    {.key = "methods",
     .type = GANNET_TEXT_LIST,
     .offset = offsetof(quality_settings, methods),
     .flags = GANNET_OPTION_REQUIRED,
     .help = "methods, with settings of their own if wanted",
     .example = "neural-bo,neural-bo+surrogate.layers=2,random"},
    {.key = "set",
     .type = GANNET_TEXT_LIST,
     .offset = offsetof(quality_settings, set),
     .help = "settings key=value for all methods"},
    {.key = "seeds",
     .type = GANNET_INTEGER,
     .offset = offsetof(quality_settings, seeds),
     .fallback = "10",
     .lower = 1,
     .upper = 10000,
     .help = "repetitions"},
    {.key = "first_seed",
     .type = GANNET_INTEGER,
     .offset = offsetof(quality_settings, first_seed),
     .fallback = "1",
     .lower = 0,
     .upper = 1e9,
     .help = "the seeds count up from this one"},
    {.key = "q",
     .type = GANNET_INTEGER,
     .offset = offsetof(quality_settings, q),
     .fallback = "4",
     .lower = 1,
     .upper = 10000,
     .help = "points per batch"},
    {.key = "evaluations_per_d",
     .type = GANNET_REAL,
     .offset = offsetof(quality_settings, per_d),
     .fallback = "20",
     .lower = 0.1,
     .upper = 1e6,
     .help = "budget by number of variables"},
    {.key = "evaluations",
     .type = GANNET_INTEGER,
     .offset = offsetof(quality_settings, evaluations),
     .fallback = "0",
     .lower = 0,
     .upper = 1e9,
     .help = "budget; 0 = by number of variables"},
    {.key = "noise",
     .type = GANNET_REAL,
     .offset = offsetof(quality_settings, noise),
     .fallback = "0",
     .lower = 0,
     .upper = 100,
     .unit = "standard deviations of the problem over uniform points",
     .help = "noise on the values that the methods see"},
    {.key = "shift",
     .type = GANNET_REAL,
     .offset = offsetof(quality_settings, shift),
     .fallback = "0",
     .lower = -1,
     .upper = 1,
     .unit = "shares of the box",
     .help = "moves the landscape along every axis"},
    {.key = "csv",
     .type = GANNET_TEXT,
     .offset = offsetof(quality_settings, csv),
     .help = "file for every evaluation of every run"},
    {.key = "summary",
     .type = GANNET_TEXT,
     .offset = offsetof(quality_settings, summary),
     .help = "file for the quartiles"},
    {0},
};

static gannet_err read_problem(const quality_study *study, const char *text, quality_problem *p) {
  const quality_settings *s = study->settings;
  double spread = 0;
  GANNET_TRY(bench_problem_read(text, s->shift, &p->base));
  const double wanted = s->evaluations > 0 ? s->evaluations : ceil(s->per_d * p->base.d);
  GANNET_REQUIRE(wanted <= 1e9, GANNET_ERR_INPUT,
                 "%s: %.0f evaluations, at most 1e9; lower --evaluations-per-d", text, wanted);
  p->evaluations = (int)wanted;
  if (s->noise > 0) GANNET_TRY(bench_problem_spread(&p->base, &spread));
  p->base.noise_sd = s->noise * spread;
  return GANNET_OK;
}

/* What is wrong with the settings, before anything is measured. */
static gannet_err read_settings(const bench_world *world, quality_study *study) {
  const quality_settings *s = study->settings;
  study->n_problems = s->problems.n;
  study->n_methods = s->methods.n;
  GANNET_TRY(gannet_alloc((size_t)s->problems.n, sizeof *study->problem, &study->problem));
  GANNET_TRY(gannet_alloc((size_t)s->methods.n, sizeof *study->method, &study->method));
  for (int p = 0; p < s->problems.n; ++p)
    GANNET_TRY(read_problem(study, s->problems.item[p], &study->problem[p]));
  for (int k = 0; k < s->methods.n; ++k)
    GANNET_TRY(bench_method_read(s->methods.item[k], &s->set, &study->method[k]));
  if (world->rank != 0) return GANNET_OK;
  GANNET_TRY(bench_file_try(s->csv));
  return bench_file_try(s->summary);
}

/* Every rank gets the curves of all. */
static gannet_err check_memory(const bench_world *world, const quality_study *study) {
  const double runs = (double)study->n_methods * study->settings->seeds;
  double bytes = 0;
  for (int p = 0; p < study->n_problems; ++p)
    bytes += runs * (2.0 * sizeof(double) * study->problem[p].evaluations + sizeof(quality_curve));
  return bench_memory_check(world, bytes, "the course of all runs",
                            "give fewer problems, methods, seeds or evaluations");
}

static gannet_err make_curves(quality_study *study) {
  const quality_settings *s = study->settings;
  const double curves = (double)s->problems.n * s->methods.n * s->seeds;
  GANNET_REQUIRE(curves <= INT_MAX, GANNET_ERR_INPUT,
                 "%.0f runs, at most %d; give fewer problems, methods or seeds", curves, INT_MAX);
  study->n_curves = s->problems.n * s->methods.n * s->seeds;
  GANNET_TRY(gannet_alloc((size_t)study->n_curves, sizeof *study->curve, &study->curve));
  for (int c = 0; c < study->n_curves; ++c) {
    const size_t n = (size_t)study->problem[c / (s->methods.n * s->seeds)].evaluations;
    GANNET_TRY(gannet_alloc(n, sizeof(double), &study->curve[c].best));
    GANNET_TRY(gannet_alloc(n, sizeof(double), &study->curve[c].seconds));
  }
  return GANNET_OK;
}

static void release(quality_study *study) {
  for (int c = 0; study->curve && c < study->n_curves; ++c) {
    gannet_free(&study->curve[c].best);
    gannet_free(&study->curve[c].seconds);
  }
  for (int k = 0; study->method && k < study->n_methods; ++k)
    bench_method_release(&study->method[k]);
  for (int p = 0; study->problem && p < study->n_problems; ++p)
    bench_problem_release(&study->problem[p].base);
  gannet_free(&study->curve);
  gannet_free(&study->method);
  gannet_free(&study->problem);
}

static const quality_problem *problem_of(const quality_study *study, int curve) {
  return &study->problem[curve / (study->n_methods * study->settings->seeds)];
}

/* Curve c belongs to rank c mod np: neighbours differ in the seed only and take about as long. */
static gannet_err run_mine(const bench_world *world, quality_study *study) {
  const int seeds = study->settings->seeds;
  for (int c = world->rank; c < study->n_curves; c += world->np)
    GANNET_TRY(quality_run(study, problem_of(study, c),
                           &study->method[c / seeds % study->n_methods],
                           study->settings->first_seed + c % seeds, &study->curve[c]));
  return GANNET_OK;
}

static gannet_err gather(const bench_world *world, quality_study *study) {
  for (int c = 0; c < study->n_curves; ++c) {
    const int n = problem_of(study, c)->evaluations, owner = c % world->np;
    GANNET_TRY_MPI(MPI_Bcast(study->curve[c].best, n, MPI_DOUBLE, owner, world->comm));
    GANNET_TRY_MPI(MPI_Bcast(study->curve[c].seconds, n, MPI_DOUBLE, owner, world->comm));
  }
  return GANNET_OK;
}

static gannet_err run(const bench_world *world, const void *settings) {
  quality_study study = {.settings = settings};
  gannet_err err = gannet_agree(world->comm, read_settings(world, &study));
  if (err == GANNET_OK) err = check_memory(world, &study);
  if (err == GANNET_OK) err = gannet_agree(world->comm, make_curves(&study));
  if (err == GANNET_OK) err = gannet_agree(world->comm, run_mine(world, &study));
  if (err == GANNET_OK) err = gather(world, &study);
  if (err == GANNET_OK)
    err = gannet_agree(world->comm, world->rank == 0 ? quality_report(&study) : GANNET_OK);
  release(&study);
  return err;
}

const bench_type bench_quality = {
    .name = "quality",
    .summary = "regret of methods on test problems with known minima",
    .options = quality_options,
    .options_size = sizeof(quality_settings),
    .run = run,
};
