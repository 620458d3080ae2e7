/* Problems for the tests of the search. */
#ifndef GANNET_TESTS_SEARCH_PROBLEMS_H
#define GANNET_TESTS_SEARCH_PROBLEMS_H

#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "problem/problem.h"

static inline gannet_problem *problem_of(int n, const gannet_variable *variables) {
  const gannet_problem_spec spec = {.n_variables = n, .variables = variables};
  gannet_problem *problem = NULL;
  assert_ok(gannet_problem_create(&spec, &problem));
  return problem;
}

static inline gannet_problem *real_problem(int d) {
  static char names[2000][16];
  static gannet_variable variables[2000];
  for (int k = 0; k < d; ++k) {
    (void)snprintf(names[k], sizeof names[k], "x%d", k);
    variables[k] = (gannet_variable){.name = names[k], .lower = -1, .upper = 3};
  }
  return problem_of(d, variables);
}

static const char *const three_words[] = {"red", "green", "blue"};

static inline gannet_problem *mixed_problem(void) {
  const gannet_variable v[] = {
      {.name = "real", .lower = -5, .upper = 10},
      {.name = "rate", .lower = 1e-4, .upper = 1, .scale = GANNET_SCALE_LOG},
      {.name = "count", .type = GANNET_VARIABLE_INTEGER, .lower = 2, .upper = 6},
      {.name = "size",
       .type = GANNET_VARIABLE_INTEGER,
       .lower = 1,
       .upper = 4096,
       .scale = GANNET_SCALE_LOG},
      {.name = "flag", .type = GANNET_VARIABLE_BOOLEAN},
      {.name = "colour",
       .type = GANNET_VARIABLE_CATEGORICAL,
       .n_values = 3,
       .values = three_words}};
  return problem_of(6, v);
}

static inline gannet_problem *two_booleans(void) {
  const gannet_variable v[] = {{.name = "a", .type = GANNET_VARIABLE_BOOLEAN},
                               {.name = "b", .type = GANNET_VARIABLE_BOOLEAN}};
  return problem_of(2, v);
}

#endif
