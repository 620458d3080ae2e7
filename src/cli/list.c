/* gannet list */
#include <string.h>

#include "acquisition/acquisition.h"
#include "base/names.h"
#include "cli/cli.h"
#include "evaluate/evaluator.h"
#include "optimizer/methods.h"
#include "simulations/registry.h"
#include "surrogate/surrogate.h"

static const cli_flag flags[] = {{NULL, 0, NULL, NULL, false}};

static void print(const char *name, const char *summary, const char *source) {
  (void)printf("  %-20s  %s\n", name, summary);
  if (source && *source) (void)printf("  %-20s  [%s]\n", "", source);
}

static void print_methods(void) {
  for (int i = 0; gannet_methods[i]; ++i)
    print(gannet_methods[i]->name, gannet_methods[i]->summary, gannet_methods[i]->source);
}

static void print_surrogates(void) {
  for (int i = 0; gannet_surrogate_types[i]; ++i)
    print(gannet_surrogate_types[i]->name, gannet_surrogate_types[i]->summary,
          gannet_surrogate_types[i]->source);
}

static void print_acquisitions(void) {
  for (int i = 0; gannet_acq_types[i]; ++i)
    print(gannet_acq_types[i]->name, gannet_acq_types[i]->summary, gannet_acq_types[i]->source);
}

static void print_backends(void) {
  for (int i = 0; gannet_evaluator_types[i]; ++i)
    print(gannet_evaluator_types[i]->name, gannet_evaluator_types[i]->summary, NULL);
}

static void print_simulations(void) {
  for (int i = 0; gannet_simulations[i]; ++i)
    print(gannet_simulations[i]->name, gannet_simulations[i]->summary,
          gannet_simulations[i]->source);
}

/* One simulation: its settings, its known minimum, the equations that it obeys. A problem of any
 * dimension is shown in two. */
static gannet_err print_one(const char *name) {
  const gannet_simulation_type *type = NULL;
  char text[4096];
  GANNET_TRY(gannet_simulation_find(name, &type));
  print(type->name, type->summary, type->source);
  (void)printf("settings\n");
  for (const gannet_option *option = type->options; option && option->key; ++option) {
    if (option->renamed) continue;
    gannet_option_describe(option, text, sizeof text);
    (void)printf("  %-20s  %s; default %s\n", option->key, text,
                 option->fallback ? option->fallback : "none");
    (void)printf("  %-20s  %s\n", "", option->help);
  }
  if (type->n_constraints > 0) (void)printf("constraints: %d\n", type->n_constraints);
  if (!type->physics) return GANNET_OK;
  const int d = type->fixed_d ? type->fixed_d : 2;
  (void)type->physics(d, text, sizeof text);
  (void)printf("physics, with %d variable%s\n%s", d, d > 1 ? "s" : "", text);
  return GANNET_OK;
}

static const struct {
  const char *name;
  void (*print)(void);
} families[] = {{"methods", print_methods},
                {"surrogates", print_surrogates},
                {"acquisitions", print_acquisitions},
                {"backends", print_backends},
                {"simulations", print_simulations}};

enum { N_FAMILIES = sizeof families / sizeof *families };

const char *const cli_list_families[] = {"methods",  "surrogates",  "acquisitions",
                                         "backends", "simulations", NULL};
_Static_assert(sizeof cli_list_families / sizeof *cli_list_families == N_FAMILIES + 1,
               "the same families");

static gannet_err run(const cli_arguments *arguments, const cli_world *world, gannet_exit *code) {
  const char *wanted = arguments->n_positional > 0 ? arguments->positional[0] : NULL;
  const void *entries[N_FAMILIES + 1] = {NULL};
  int only = -1;
  (void)world;
  (void)code;
  for (int i = 0; i < N_FAMILIES; ++i) entries[i] = &families[i];
  if (wanted) GANNET_TRY(gannet_name_find("family", wanted, entries, &only));
  if (arguments->n_positional > 1) {
    GANNET_REQUIRE(families[only].print == print_simulations, GANNET_ERR_INPUT,
                   "only simulations can be listed one by one, not %s", families[only].name);
    return print_one(arguments->positional[1]);
  }
  for (int i = 0; i < N_FAMILIES; ++i) {
    if (only >= 0 && i != only) continue;
    (void)printf("%s\n", families[i].name);
    families[i].print();
  }
  return GANNET_OK;
}

const cli_command cli_list = {
    .name = "list",
    .usage = "[methods | surrogates | acquisitions | backends | simulations [NAME]]",
    .summary = "list what can be chosen, with its source",
    .flags = flags,
    .least = 0,
    .most = 2,
    .run = run,
};
