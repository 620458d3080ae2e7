#include "minimize/petsc_error.h"

#include <petscsys.h>

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
  PetscBool initialised = PETSC_FALSE;
  (void)PetscInitialized(&initialised);
  GANNET_REQUIRE(initialised, GANNET_ERR_STATE, "PETSc is not initialised");
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
