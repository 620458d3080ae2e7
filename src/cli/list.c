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

static const struct {
  const char *name;
  void (*print)(void);
} families[] = {{"methods", print_methods},
                {"surrogates", print_surrogates},
                {"acquisitions", print_acquisitions},
                {"backends", print_backends},
                {"simulations", print_simulations}};

enum { N_FAMILIES = sizeof families / sizeof *families };

static gannet_err run(const cli_arguments *arguments, const cli_world *world, gannet_exit *code) {
  const char *wanted = arguments->n_positional > 0 ? arguments->positional[0] : NULL;
  const void *entries[N_FAMILIES + 1] = {NULL};
  int only = -1;
  (void)world;
  (void)code;
  for (int i = 0; i < N_FAMILIES; ++i) entries[i] = &families[i];
  if (wanted) GANNET_TRY(gannet_name_find("family", wanted, entries, &only));
  for (int i = 0; i < N_FAMILIES; ++i) {
    if (only >= 0 && i != only) continue;
    (void)printf("%s\n", families[i].name);
    families[i].print();
  }
  return GANNET_OK;
}

const cli_command cli_list = {
    .name = "list",
    .usage = "[methods | surrogates | acquisitions | backends | simulations]",
    .summary = "list what can be chosen, with its source",
    .flags = flags,
    .least = 0,
    .most = 1,
    .run = run,
};
