/* Call a built-in simulation the way a back-end does. */
#ifndef GANNET_TESTS_SIMULATE_H
#define GANNET_TESTS_SIMULATE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/harness.h"

#include "base/option.h"
#include "simulations/registry.h"

enum { MOST_NAMES = 100 };

typedef struct {
  int code;
  gannet_simulation_output output;
  double c[16];
  gannet_quantity quantities[GANNET_SIMULATION_QUANTITIES_MOST]; /* n_quantities of the output */
} outcome;

typedef struct {
  const gannet_simulation_type *type;
  MPI_Comm comm;
  int n_settings;
  gannet_setting settings[8];
  uint64_t seed;
  int attempt;
  int n_constraints;
  const char *constraint_names[16];
  const char *const *names; /* NULL = v v v ... */
} experiment;

static inline experiment prepare(const char *name) {
  experiment e = {.comm = MPI_COMM_SELF, .seed = 7, .attempt = 1};
  assert_ok(gannet_simulation_find(name, &e.type));
  return e;
}

static inline void set(experiment *e, const char *key, const char *text) {
  e->settings[e->n_settings++] = (gannet_setting){.key = key, .text = text};
}

static inline void *make_options(const experiment *e) {
  gannet_complaints complaints = {0};
  void *options = calloc(1, e->type->options_size);
  assert_non_null(options);
  assert_ok(gannet_options_apply(e->type->options, "settings", e->n_settings, e->settings, options,
                                 &complaints));
  assert_ok(gannet_complaints_raise(&complaints));
  return options;
}

static inline outcome simulate(const experiment *e, int d, const double *x) {
  const char *names[MOST_NAMES];
  outcome o = {.output = {.objective = NAN}};
  for (int i = 0; i < MOST_NAMES; ++i) names[i] = "v";
  for (int i = 0; i < 16; ++i) o.c[i] = NAN;
  void *options = make_options(e);
  const gannet_simulation_input input = {.abi = GANNET_SIMULATION_ABI,
                                         .comm = e->comm,
                                         .id = 1,
                                         .attempt = e->attempt,
                                         .seed = e->seed,
                                         .n_variables = d,
                                         .names = e->names ? e->names : names,
                                         .x = x,
                                         .texts = names,
                                         .n_constraints = e->n_constraints,
                                         .constraint_names = e->constraint_names};
  o.output.constraints = o.c;
  o.code = e->type->run(options, &input, &o.output, o.quantities);
  gannet_options_release(e->type->options, options, e->type->options_size);
  free(options);
  return o;
}

/* The value where the simulation must succeed. */
static inline double value_at(const experiment *e, int d, const double *x) {
  const outcome o = simulate(e, d, x);
  if (o.code || o.output.cannot_run) fail_msg("%s: %s", e->type->name, o.output.reason);
  return o.output.objective;
}

#endif
