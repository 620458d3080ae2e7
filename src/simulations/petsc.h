/* PETSc: initialise it for programs that do not use it themselves, keep its output and its options
 * away, and turn its errors into errors of gannet. For rooms that call PETSc. */
#ifndef GANNET_MINIMIZE_PETSC_H
#define GANNET_MINIMIZE_PETSC_H

#include <stddef.h>

#include "base/error.h"

/* Make sure that PETSc is initialised. A program that uses PETSc itself initialises it before; then
 * nothing happens here. Otherwise PETSc is initialised on a duplicate of MPI_COMM_SELF, without
 * signal handlers, so that signals do what they did; MPI_Finalize finalises it.
 *
 * Local.
 *
 * Errors: GANNET_ERR_STATE when MPI is not initialised; GANNET_ERR_LIBRARY.
 */
GANNET_CHECKED gannet_err gannet_petsc_prepare(void);

/* Versions of PETSc as "3.18.5": what was compiled against, and what is loaded.
 *
 * Local.
 */
void gannet_petsc_version(char *built, char *loaded, size_t size);

/* Raise GANNET_ERR_LIBRARY, or GANNET_ERR_MEMORY where PETSc had none, with the message of PETSc's
 * last error.
 *
 * Local.
 *
 * code   in  what the PETSc function returned, not 0
 * doing  in  name of the function or of the task, for the message
 */
gannet_err gannet_petsc_raise(int code, const char *doing);

typedef struct {
  void *options; /* a PetscOptions, hidden so that this header needs none of PETSc's */
} gannet_petsc_shield;

/* From push to pop PETSc prints nothing on errors and sees an empty options database, so that a
 * user's -ksp_... or PETSC_OPTIONS cannot change results. The first push initialises PETSc where
 * the program has not.
 *
 * Local.
 *
 * shield  out  for the pop
 *
 * Errors: those of gannet_petsc_prepare; GANNET_ERR_LIBRARY.
 */
GANNET_CHECKED gannet_err gannet_petsc_push(gannet_petsc_shield *shield);

/* End what a push began; does nothing after a failed one.
 *
 * Local.
 */
void gannet_petsc_pop(gannet_petsc_shield *shield);

#endif
