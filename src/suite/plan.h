/* A suite: problems x methods x runs, as its file says.
 *
 *   name: demo
 *   runs: 10
 *   budget: 20*D
 *   problems:
 *     ackley: {function: ackley, dimension: [10, 20], noise: 0.1}
 *     tuning: {variables: {...}, evaluate: {backend: command, ...}, requires: [...]}
 *   methods:
 *     neural-bo:
 *     deep: {method: neural-bo, surrogate: {layers: 3}}
 *
 * Every pair of a problem and a method becomes the input of a campaign, put together from the
 * sections of both and read by the tables of those, so what a campaign file can say a suite can
 * say.
 */
#ifndef GANNET_SUITE_PLAN_H
#define GANNET_SUITE_PLAN_H

#include <limits.h>
#include <stdbool.h>

#include "campaign/config/config.h"
#include "suite/keys.h"
#include "suite/measure.h"

enum { SUITE_TABLES_MOST = 8 };

typedef struct {
  char *label;
  suite_problem_keys keys;
  int d;      /* variables */
  int budget; /* evaluations of a run */
  int batch;
  int initial;    /* points before the first model; 0 = as methods have it */
  double optimum; /* f* in the minimised sense; NAN = not known */
  int n_measures;
  suite_measure measure[SUITE_MEASURES];
  int table[SUITE_TABLES_MOST]; /* evaluations at which tables are made */
  double noise_sd;              /* objective units */
  double *constraint_sd;        /* [n_constraints] in their units; NULL = without noise */
  char *skipped;                /* why it is left out; NULL = it is not */
} suite_problem;

typedef struct {
  char *label;
} suite_method;

typedef struct {
  suite_keys keys;
  char *file;                     /* path of the suite file */
  char input_directory[PATH_MAX]; /* relative paths of the problems start here */
  int n_problems, n_methods;
  suite_problem *problem;
  suite_method *method;
  gannet_campaign_input **input; /* [n_problems * n_methods]: p * n_methods + k is that of problem p
                                    and method k */
  uint64_t *key; /* fingerprint of everything that the points of a run depend on, but the seed */
  int n_tables;
  char **table_label; /* [n_tables] "20*D", "50 %" */
} suite_plan;

/* A run. */
typedef struct {
  int problem, method;
  int64_t seed;
} suite_cell;

/* Read a suite file on rank 0 and parse it on all ranks; noise levels are found by rank 0.
 *
 * Collective over comm; arguments the same on all ranks; complaints the same on all ranks too.
 *
 * sets        in     [n_sets] "runs=3", applied in their order
 * plan        out    to be released, also after an error
 * complaints  inout  everything that is wrong
 *
 * Errors: GANNET_ERR_INPUT with complaints; GANNET_ERR_MISSING, GANNET_ERR_IO.
 */
GANNET_CHECKED gannet_err suite_plan_load(MPI_Comm comm, const char *path, int n_sets,
                                          const char *const *sets, suite_plan *plan,
                                          gannet_complaints *complaints);
void suite_plan_release(suite_plan *plan);

/* Number of runs, and the one with a number: seeds count fastest, then methods.
 *
 * Local.
 */
int64_t suite_plan_count(const suite_plan *plan);
suite_cell suite_plan_cell(const suite_plan *plan, int64_t number);

/* The input of a cell's campaign, and its fingerprint.
 *
 * Local.
 */
const gannet_campaign_input *suite_plan_input(const suite_plan *plan, suite_cell cell);
uint64_t suite_plan_key(const suite_plan *plan, suite_cell cell);

#endif
