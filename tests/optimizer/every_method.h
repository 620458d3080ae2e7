/* A few batches of every method: how they are asked, and which methods are enough on several ranks.
 */
#ifndef GANNET_TESTS_OPTIMIZER_EVERY_METHOD_H
#define GANNET_TESTS_OPTIMIZER_EVERY_METHOD_H

#include <string.h>

#include "optimizer/fixture.h"

#include "optimizer/methods.h"

/* An optimiser with few candidates and six initial points; errors alone are printed. */
static inline void begin(MPI_Comm comm, const gannet_problem_spec *spec, const char *method,
                         fixture *f) {
  gannet_method_setting settings[4] = {
      {"method", method}, {"search.candidates", "200"}, {"initial", "6"}};
  const int n = strcmp(method, "sobol") == 0 ? 2 : 3; /* its points are all initial ones */
  assert_ok(gannet_context_create(comm, 5, &f->context));
  f->context->level = GANNET_LOG_ERROR;
  assert_ok(gannet_problem_create(spec, &f->problem));
  assert_ok(gannet_optimizer_create(f->context, f->problem, with_small_network(settings, n),
                                    settings, &f->optimizer));
}

/* On several ranks some methods are enough; those that go by draws are compared with one rank. */
static inline bool is_drawing(const char *method) {
  static const char *const names[] = {"gp-ts", "gp-draws", "turbo-1", "scbo"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strcmp(method, names[i]) == 0) return true;
  return false;
}

static inline bool is_left_out(const char *method, int n_ranks) {
  static const char *const names[] = {"auto", "gp-ei", "neural-ei", "admmbo"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strcmp(method, names[i]) == 0) return false;
  return n_ranks > 1 && !is_drawing(method);
}

#endif
