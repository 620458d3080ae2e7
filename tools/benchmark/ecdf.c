/* Share of targets reached on landscapes: methods side by side on functions of every kind. */
#include "benchmark/ecdf.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "benchmark/file.h"

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

static bool is_wanted(const ecdf_settings *s, const gannet_landscape_base *base) {
  static const char *const parts[] = {"development", "judging", "reserve"};
  for (int i = 0; i < s->landscapes.n; ++i) {
    const char *name = s->landscapes.item[i];
    if (strcmp(name, base->name) == 0 || strcmp(name, parts[base->part]) == 0) return true;
    if (strcmp(name, "all") == 0 && base->part != GANNET_LANDSCAPE_RESERVE) return true;
  }
  return false;
}

static gannet_err check_names(const ecdf_settings *s) {
  for (int i = 0; i < s->landscapes.n; ++i) {
    const char *name = s->landscapes.item[i];
    const gannet_landscape_base *base = NULL;
    if (strcmp(name, "all") == 0 || strcmp(name, "development") == 0 ||
        strcmp(name, "judging") == 0 || strcmp(name, "reserve") == 0)
      continue;
    GANNET_TRY(gannet_landscape_find(name, &base));
  }
  return GANNET_OK;
}

/* A table of each would count its problems again. */
static gannet_err check_dimensions(const gannet_real_list *list) {
  for (int i = 0; i < list->n; ++i)
    for (int k = 0; k < i; ++k)
      GANNET_REQUIRE(list->item[i] != list->item[k], GANNET_ERR_INPUT,
                     "dimensions: %g is there twice; give every number of variables once",
                     list->item[i]);
  return GANNET_OK;
}

static gannet_err prepare(const bench_world *world, ecdf_study *study) {
  const ecdf_settings *s = study->settings;
  size_t n_bases = 0;
  GANNET_TRY(check_names(s));
  GANNET_TRY(check_dimensions(&s->dimensions));
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

/* Run i belongs to rank i mod np. */
static gannet_err run_mine(const bench_world *world, ecdf_study *study) {
  const int n = study->n_problems * study->n_methods;
  for (int i = world->rank; i < n; i += world->np)
    GANNET_TRY(ecdf_run(study, &study->problem[i / study->n_methods],
                        &study->method[i % study->n_methods], &study->result[i]));
  return GANNET_OK;
}

static gannet_err gather(const bench_world *world, ecdf_study *study) {
  const int n = study->n_problems * study->n_methods;
  for (int i = 0; i < n; ++i)
    GANNET_TRY_MPI(
        MPI_Bcast(&study->result[i], ECDF_RESULT_SIZE, MPI_DOUBLE, i % world->np, world->comm));
  return GANNET_OK;
}

static void release(ecdf_study *study) {
  for (int k = 0; study->method && k < study->settings->methods.n; ++k)
    bench_method_release(&study->method[k]);
  gannet_free(&study->method);
  gannet_free(&study->problem);
  gannet_free(&study->result);
}

static gannet_err run(const bench_world *world, const void *settings) {
  ecdf_study study = {.settings = settings};
  gannet_err err = gannet_agree(world->comm, prepare(world, &study));
  if (err == GANNET_OK) err = gannet_agree(world->comm, run_mine(world, &study));
  if (err == GANNET_OK) err = gather(world, &study);
  if (err == GANNET_OK)
    err = gannet_agree(world->comm, world->rank == 0 ? ecdf_report(&study) : GANNET_OK);
  release(&study);
  return err;
}

const bench_type bench_ecdf = {
    .name = "ecdf",
    .summary = "share of targets that methods reach on landscapes of every kind",
    .options = ecdf_options,
    .options_size = sizeof(ecdf_settings),
    .run = run,
};
