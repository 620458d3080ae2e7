/* test: serial labels unit */
/* Initialising PETSc for a program that does not use it leaves alone what is the program's. */
#include <petscvec.h>
#include <signal.h>
#include <string.h>

#include "support/harness.h"

#include "simulations/petsc.h"

static void on_signal(int number) {
  (void)number;
}

static void signals_stay_what_the_program_made_them(void **state) {
  (void)state;
  static const int kept[] = {SIGHUP, SIGTERM, SIGINT, SIGUSR1, SIGPIPE, SIGFPE};
  for (size_t i = 0; i < sizeof kept / sizeof *kept; ++i) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = kept[i] == SIGHUP ? SIG_IGN : on_signal;
    assert_int_equal(sigaction(kept[i], &action, NULL), 0);
  }
  assert_ok(gannet_petsc_prepare());
  for (size_t i = 0; i < sizeof kept / sizeof *kept; ++i) {
    struct sigaction now;
    assert_int_equal(sigaction(kept[i], NULL, &now), 0);
    assert_true(now.sa_handler == (kept[i] == SIGHUP ? SIG_IGN : on_signal));
  }
}

static void a_failure_of_petsc_is_told_in_its_words(void **state) {
  (void)state;
  gannet_petsc_shield shield;
  assert_ok(gannet_petsc_push(&shield));
  Vec a = NULL, b = NULL;
  assert_int_equal(VecCreateSeq(PETSC_COMM_SELF, 2, &a), 0);
  assert_int_equal(VecCreateSeq(PETSC_COMM_SELF, 3, &b), 0);
  const PetscErrorCode code = VecCopy(a, b);
  assert_int_not_equal(code, 0);
  assert_fails(GANNET_ERR_LIBRARY,
               "PETSc, VecCopy: Arguments are incompatible: Incompatible vector",
               gannet_petsc_raise(code, "VecCopy"));
  VecDestroy(&a);
  VecDestroy(&b);
  gannet_petsc_pop(&shield);
  gannet_petsc_pop(&shield);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(signals_stay_what_the_program_made_them),
      cmocka_unit_test(a_failure_of_petsc_is_told_in_its_words),
  };
  if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return 1;
  const int failed = run_serial(tests);
  (void)MPI_Finalize();
  return failed;
}
