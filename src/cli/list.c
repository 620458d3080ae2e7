/* gannet list */
#include <math.h>
#include <string.h>

#include "acquisition/acquisition.h"
#include "base/memory.h"
#include "base/names.h"
#include "cli/cli.h"
#include "evaluate/evaluator.h"
#include "optimizer/methods.h"
#include "simulations/registry.h"
#include "surrogate/surrogate.h"

static const cli_flag flags[] = {{NULL, 0, NULL, NULL, false}};

typedef enum { METHODS, SURROGATES, ACQUISITIONS, BACKENDS, SIMULATIONS, FAMILIES } family;

const char *const cli_list_families[FAMILIES + 1] = {"methods",  "surrogates",  "acquisitions",
                                                     "backends", "simulations", NULL};

static void print_entry(const char *name, const char *summary, const char *source) {
  (void)printf("  %-20s  %s\n", name, summary);
  if (source && *source) (void)printf("  %-20s  [%s]\n", "", source);
}

/* Entries of a registry: structs with a name, a summary and a source. */
#define PRINT_ENTRIES(entries)       \
  for (int i = 0; (entries)[i]; ++i) \
  print_entry((entries)[i]->name, (entries)[i]->summary, (entries)[i]->source)

static void print_family(family which) {
  (void)printf("%s\n", cli_list_families[which]);
  for (int i = 0; which == METHODS && gannet_methods[i]; ++i) {
    print_entry(gannet_methods[i]->name, gannet_methods[i]->summary, gannet_methods[i]->source);
    (void)printf("  %-20s  use: %s\n", "", gannet_methods[i]->use);
  }
  if (which == SURROGATES) PRINT_ENTRIES(gannet_surrogate_types);
  if (which == ACQUISITIONS) PRINT_ENTRIES(gannet_acq_types);
  if (which == SIMULATIONS) PRINT_ENTRIES(gannet_simulations);
  for (int i = 0; which == BACKENDS && gannet_evaluator_types[i]; ++i)
    print_entry(gannet_evaluator_types[i]->name, gannet_evaluator_types[i]->summary, NULL);
}

/* Print what a simulation reports by name with its default settings: several objectives with the
 * hypervolume of their true front, or other quantities. */
static gannet_err print_quantities(const gannet_simulation_type *type) {
  double reference[GANNET_SIMULATION_QUANTITIES_MOST], hypervolume = NAN;
  gannet_complaints complaints = {0};
  void *options = NULL;
  if (!type->name_quantity) return GANNET_OK;
  GANNET_TRY(gannet_alloc(1, type->options_size, &options));
  gannet_err err = gannet_options_apply(type->options, "settings", 0, NULL, options, &complaints);
  if (err == GANNET_OK) err = gannet_complaints_raise(&complaints);
  gannet_complaints_release(&complaints);
  if (err == GANNET_OK) {
    (void)printf("%s: ", type->front ? "objectives, minimised" : "quantities");
    for (int i = 0; type->name_quantity(options, i); ++i)
      (void)printf("%s%s", i ? ", " : "", type->name_quantity(options, i));
    const int m = type->front ? type->front(options, reference, &hypervolume) : 0;
    for (int i = 0; i < m && !isnan(reference[0]); ++i)
      (void)printf("%s%.10g", i ? ", " : "; reference ", reference[i]);
    if (!isnan(hypervolume)) (void)printf("; hypervolume %.10g", hypervolume);
    (void)printf("\n");
  }
  gannet_options_release(type->options, options, type->options_size);
  gannet_free(&options);
  return err;
}

/* Print a simulation: its settings, its constraints, the equations that it obeys. A problem of any
 * dimension is shown in two dimensions. */
static gannet_err print_simulation(const char *name) {
  const gannet_simulation_type *type = NULL;
  char text[4096];
  GANNET_TRY(gannet_simulation_find(name, &type));
  print_entry(type->name, type->summary, type->source);
  (void)printf("settings\n");
  for (const gannet_option *option = type->options; option && option->key; ++option) {
    if (option->renamed) continue;
    gannet_option_describe(option, text, sizeof text);
    (void)printf("  %-20s  %s; default %s\n", option->key, text,
                 option->fallback ? option->fallback : "none");
    (void)printf("  %-20s  %s\n", "", option->help);
  }
  if (type->n_constraints > 0) (void)printf("constraints: %d\n", type->n_constraints);
  GANNET_TRY(print_quantities(type));
  if (!type->physics) return GANNET_OK;
  const int d = type->fixed_d ? type->fixed_d : 2;
  (void)type->physics(d, text, sizeof text);
  (void)printf("physics, with %d variable%s\n%s", d, d > 1 ? "s" : "", text);
  return GANNET_OK;
}

static gannet_err run_list(const cli_arguments *arguments, const cli_world *world,
                           gannet_exit *code) {
  const char *wanted = arguments->n_positional > 0 ? arguments->positional[0] : NULL;
  const void *entries[FAMILIES + 1] = {NULL};
  int only = -1;
  (void)world;
  (void)code;
  for (int i = 0; i < FAMILIES; ++i) entries[i] = &cli_list_families[i];
  if (wanted) GANNET_TRY(gannet_name_find("family", wanted, entries, &only));
  if (arguments->n_positional > 1) {
    GANNET_REQUIRE(only == SIMULATIONS, GANNET_ERR_INPUT,
                   "only simulations can be listed one by one, not %s", cli_list_families[only]);
    return print_simulation(arguments->positional[1]);
  }
  for (int i = 0; i < FAMILIES; ++i)
    if (only < 0 || i == only) print_family((family)i);
  return GANNET_OK;
}

const cli_command cli_list = {
    .name = "list",
    .usage = "[methods | surrogates | acquisitions | backends | simulations [NAME]]",
    .summary = "list what can be chosen, with its source",
    .flags = flags,
    .least = 0,
    .most = 2,
    .run = run_list,
};
