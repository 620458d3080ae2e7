/* What benchmarks optimise, and with what: test problems and methods, as a command line names them.
 */
#ifndef GANNET_BENCHMARK_SUBJECT_H
#define GANNET_BENCHMARK_SUBJECT_H

#include <stdbool.h>

#include "base/option.h"
#include "evaluate/simulation.h"
#include "gannet/optimizer.h"

enum { BENCH_SETTINGS_MOST = 32 };

/* "levy:10", "ackley:10:-5:10" or "dtlz2/3:10": a built-in problem, its dimension, and a box other
 * than its own; of one with several objectives how many, the first ones.
 */
typedef struct {
  char name[64];
  const gannet_simulation_type *type;
  int d;
  int objectives;
  void *settings;        /* of the type, at their defaults but for the number of objectives */
  double *lower, *upper; /* [d] */
  double minimum;        /* in the published box */
} bench_problem;

/* "neural-bo" or "neural-bo+surrogate.layers=2": a method and changes to it. */
typedef struct {
  const char *name; /* as given, borrowed */
  char *text;       /* copy that is cut into the settings */
  int n_settings;
  gannet_method_setting setting[BENCH_SETTINGS_MOST];
} bench_method;

/* Read a problem.
 *
 * Local.
 *
 * problem  out  to be released, also after an error
 *
 * Errors: GANNET_ERR_INPUT, also when the box leaves the known minimum out; GANNET_ERR_NAME.
 */
GANNET_CHECKED gannet_err bench_problem_read(const char *text, bench_problem *problem);
void bench_problem_release(bench_problem *problem);

/* Value at a point, without noise.
 *
 * Local.
 *
 * value  out  [objectives]
 *
 * Errors: GANNET_ERR_NUMERIC when the problem has no value there.
 */
GANNET_CHECKED gannet_err bench_problem_value(const bench_problem *problem, const double *x,
                                              double *value);

/* The problem as an optimiser takes it: real variables x1, x2, ..., noise to be inferred.
 *
 * Local.
 *
 * physics  in  with the equations that the problem obeys, if any are known
 * space  out  to be freed with gannet_problem_destroy
 */
GANNET_CHECKED gannet_err bench_problem_space(const bench_problem *problem, bool physics,
                                              gannet_problem **space);

/* Read a method: its name, then the settings that all methods share, then its own.
 *
 * Local.
 *
 * shared  in   "key=value"
 * method  out  to be released, also after an error
 *
 * Errors: GANNET_ERR_INPUT.
 */
GANNET_CHECKED gannet_err bench_method_read(const char *text, const gannet_text_list *shared,
                                            bench_method *method);
void bench_method_release(bench_method *method);

/* Whether the method's own surrogate takes equations.
 *
 * Local.
 */
bool bench_method_takes_equations(const bench_method *method);

#endif
