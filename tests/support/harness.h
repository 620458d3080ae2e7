/* What every test program shares: MPI around cmocka, and one outcome for all ranks. */
#ifndef GANNET_TESTS_HARNESS_H
#define GANNET_TESTS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "gannet/status.h"

/* The call succeeds; its message is shown when it does not. */
#define assert_ok(call)                                                              \
  do {                                                                               \
    const gannet_err assert_err_ = (call);                                           \
    if (assert_err_ != GANNET_OK)                                                    \
      fail_msg("%s\n  %s\n%s", #call, gannet_error_message(), gannet_error_trace()); \
  } while (0)

/* The call fails with this code, and the message contains this text. */
#define assert_fails(code, part, call)                                                        \
  do {                                                                                        \
    const gannet_err assert_err_ = (call);                                                    \
    if (assert_err_ != (code)) fail_msg("%s gave '%s'", #call, gannet_err_text(assert_err_)); \
    if (!strstr(gannet_error_message(), (part)))                                              \
      fail_msg("'%s' does not contain '%s'", gannet_error_message(), (part));                 \
  } while (0)

/* a and b differ by at most tolerance (absolute). */
#define assert_near(a, b, tolerance)                                                     \
  do {                                                                                   \
    const double assert_a_ = (a), assert_b_ = (b), assert_t_ = (tolerance);              \
    if (!(fabs(assert_a_ - assert_b_) <= assert_t_))                                     \
      fail_msg("%s = %.17g, %s = %.17g, apart by %g > %g", #a, assert_a_, #b, assert_b_, \
               fabs(assert_a_ - assert_b_), assert_t_);                                  \
  } while (0)

/* Run the tests and end the program: failures on any rank are failures everywhere. */
#define run_serial(tests) cmocka_run_group_tests(tests, NULL, NULL)

#define run_ranks(tests) run_ranks_(cmocka_run_group_tests(tests, NULL, NULL))

static inline int run_ranks_(int failed) {
  int worst = 1;
  MPI_Allreduce(&failed, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return worst;
}

/* A directory and all that is in it; 0 when it is gone. */
static inline int remove_tree(const char *directory) {
  char command[4200];
  (void)snprintf(command, sizeof command, "rm -rf '%s'", directory);
  return system(command);
}

#endif
