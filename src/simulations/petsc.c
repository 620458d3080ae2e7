#include "simulations/petsc.h"

#include <errno.h>
#include <petscsys.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Attributes of MPI_COMM_SELF are deleted at the beginning of MPI_Finalize, while MPI still works
 * (MPI 3.1, section 8.7.1). */
static int finalize_petsc(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm;
  (void)key;
  (void)value;
  (void)extra;
  PetscBool initialised = PETSC_FALSE;
  (void)PetscInitialized(&initialised);
  return initialised && PetscFinalize() ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* PETSc takes signals over, and when that is undone they have their default actions: what the
 * program set, and what it inherited from nohup, would be lost. They are therefore saved here.
 *
 * On a larger communicator this would be collective, and ranks that come here for the first time
 * with different communicators would wait for each other for ever. Nothing here uses
 * PETSC_COMM_WORLD. */
static gannet_err initialise_petsc(void) {
  struct sigaction before[NSIG];
  char here[PETSC_MAX_PATH_LEN];
  int key = MPI_KEYVAL_INVALID;
  GANNET_TRY_MPI(MPI_Comm_dup(MPI_COMM_SELF, &PETSC_COMM_WORLD));
  /* PETSc looks for its options here, and answers with a page of its own when it cannot. */
  GANNET_REQUIRE(getcwd(here, sizeof here), GANNET_ERR_MISSING,
                 "the current directory: %s; change to one that exists", strerror(errno));
  memset(before, 0, sizeof before);
  for (int signal = 1; signal < NSIG; ++signal) (void)sigaction(signal, NULL, &before[signal]);
  const int failed = PetscInitializeNoArguments() || PetscPopSignalHandler();
  for (int signal = 1; signal < NSIG; ++signal) (void)sigaction(signal, &before[signal], NULL);
  GANNET_REQUIRE(!failed, GANNET_ERR_LIBRARY, "PetscInitialize failed");
  GANNET_TRY_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalize_petsc, &key, NULL));
  GANNET_TRY_MPI(MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL));
  return GANNET_OK;
}

gannet_err gannet_petsc_prepare(void) {
  PetscBool initialised = PETSC_FALSE;
  int running = 0;
  (void)MPI_Initialized(&running);
  GANNET_REQUIRE(running, GANNET_ERR_STATE, "MPI is not initialised");
  (void)PetscInitialized(&initialised);
  return initialised ? GANNET_OK : initialise_petsc();
}

void gannet_petsc_version(char *built, char *loaded, size_t size) {
  PetscInt major = 0, minor = 0, patch = 0;
  (void)PetscGetVersionNumber(&major, &minor, &patch, NULL);
  (void)snprintf(built, size, "%d.%d.%d", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR,
                 PETSC_VERSION_SUBMINOR);
  (void)snprintf(loaded, size, "%d.%d.%d", (int)major, (int)minor, (int)patch);
}

gannet_err gannet_petsc_raise(int code, const char *doing) {
  const char *general = NULL;
  char *specific = NULL;
  (void)PetscErrorMessage(code, &general, &specific);
  const gannet_err err = code == PETSC_ERR_MEM ? GANNET_ERR_MEMORY : GANNET_ERR_LIBRARY;
  return GANNET_RAISE(err, "PETSc, %s: %s%s%s", doing, general ? general : "error without a text",
                      specific && *specific ? ": " : "", specific ? specific : "");
}

gannet_err gannet_petsc_push(gannet_petsc_shield *shield) {
  shield->options = NULL;
  GANNET_TRY(gannet_petsc_prepare());
  PetscErrorCode code = PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
  if (code) return gannet_petsc_raise(code, "PetscPushErrorHandler");
  PetscOptions empty = NULL;
  code = PetscOptionsCreate(&empty);
  if (!code) code = PetscOptionsPush(empty);
  if (code) {
    (void)PetscOptionsDestroy(&empty);
    (void)PetscPopErrorHandler();
    return gannet_petsc_raise(code, "PetscOptionsPush");
  }
  shield->options = empty;
  return GANNET_OK;
}

void gannet_petsc_pop(gannet_petsc_shield *shield) {
  if (!shield->options) return;
  PetscOptions empty = shield->options;
  (void)PetscOptionsPop();
  (void)PetscOptionsDestroy(&empty);
  (void)PetscPopErrorHandler();
  shield->options = NULL;
}
