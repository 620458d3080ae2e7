/* A campaign file that uses every section, and a short way to parse one. */
#ifndef GANNET_TESTS_CAMPAIGN_EXAMPLE_H
#define GANNET_TESTS_CAMPAIGN_EXAMPLE_H

#include <string.h>

#include "campaign/config/config.h"

static const char example[] =
    "name: heater\n"
    "seed: 9007199254740993           # 2^53 + 1\n"
    "goal: maximize\n"
    "noise: 0.05\n"
    "batch: 8\n"
    "initial: 12\n"
    "method: gp-ts\n"
    "variables:\n"
    "  x:      {type: real, lower: 0, upper: 0.30000000000000004}\n"
    "  rate:   {lower: 1e-6, upper: 1e-2, scale: log}\n"
    "  fins:   {type: integer, lower: 1, upper: 8}\n"
    "  solver: {type: categorical, values: [cg, 'no', \"a: b # c\", \"tab\\tquote\\\"\", "
    "\"\xc3\xa9t\xc3\xa9\"]}\n"
    "  vent:   {type: boolean}\n"
    "constraints:\n"
    "  peak_stress: {upper: 110}\n"
    "  mass: {lower: 0.1, upper: 3}\n"
    "budget: {evaluations: 200, wall_time: 4h, failures: {rate: 0.25, minimum: 20}}\n"
    "evaluate:\n"
    "  backend: function\n"
    "  simulation: heater\n"
    "  settings: {resolution: 32, region: {left: 0.5}, list: [1, 2]}\n"
    "  parallel: 4\n"
    "  time_limit: 10m\n"
    "  retries: 2\n"
    "acquisition: {exploration: 1.5}\n"
    "search:\n"
    "  candidates: 5000\n"
    "save: {interval: 30s}\n"
    "log: {level: debug}\n";

/* The shortest valid file; tests put something wrong before or after it. */
#define SHORT                              \
  "method: gp-ts\n"                        \
  "variables: {x: {lower: 0, upper: 1}}\n" \
  "budget: {evaluations: 10}\n"            \
  "evaluate: {backend: manual}\n"

static inline gannet_err parse_sized(const char *text, size_t size, int n_sets,
                                     const char *const *sets, gannet_campaign_input **input,
                                     gannet_complaints *complaints) {
  const gannet_campaign_source source = {
      .file = "c.yaml", .text = text, .size = size, .n_sets = n_sets, .sets = sets};
  return gannet_campaign_parse(&source, input, complaints);
}

static inline gannet_err parse_text(const char *text, gannet_campaign_input **input,
                                    gannet_complaints *complaints) {
  return parse_sized(text, strlen(text), 0, NULL, input, complaints);
}

#endif
