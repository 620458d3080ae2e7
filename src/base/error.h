/* Raising errors, passing them on, and agreeing on them between ranks.
 *
 *   GANNET_REQUIRE(0 < q, GANNET_ERR_ARG, "q = %d, expected at least 1", q);   raise
 *   GANNET_TRY(gannet_space_create(spec, &space));                             pass on
 *   GANNET_TRY(gannet_agree(comm, local));                                     agree, collectively
 *
 * The macros return from the calling function, so temporaries must belong to an object that
 * somebody else destroys. Functions that hold several allocations keep the code and have one exit.
 */
#ifndef GANNET_BASE_ERROR_H
#define GANNET_BASE_ERROR_H

#include <mpi.h>

#include "gannet/status.h"

#define GANNET_RAISE(code, ...) \
  gannet_error_raise((code), __func__, __FILE__, __LINE__, __VA_ARGS__)

#define GANNET_REQUIRE(condition, code, ...)                  \
  do {                                                        \
    if (!(condition)) return GANNET_RAISE(code, __VA_ARGS__); \
  } while (0)

/* For pointers from outside, in the functions that programs of users call. */
#define GANNET_REQUIRE_POINTER(pointer, name) \
  GANNET_REQUIRE((pointer), GANNET_ERR_ARG, "%s is a null pointer; expected an address", (name))

#define GANNET_TRY(call)                                                                         \
  do {                                                                                           \
    const gannet_err try_err_ = (call);                                                          \
    if (try_err_ != GANNET_OK) return gannet_error_pass(try_err_, __func__, __FILE__, __LINE__); \
  } while (0)

#define GANNET_TRY_MPI(call)                                                        \
  do {                                                                              \
    const int try_mpi_ = (call);                                                    \
    if (try_mpi_ != MPI_SUCCESS)                                                    \
      return gannet_error_raise_mpi(try_mpi_, #call, __func__, __FILE__, __LINE__); \
  } while (0)

enum { GANNET_ERROR_DETAIL = 1200 }; /* bytes that a record has for a message */

/* Record a new error (message and first line of the trace) and return its code. Control characters
 * of what the message quotes become spaces, as terminals would obey them; ends of lines and tabs
 * stay.
 *
 * Local.
 */
gannet_err gannet_error_raise(gannet_err code, const char *function, const char *file, int line,
                              const char *format, ...) GANNET_PRINTF(5, 6);

/* The same for a failed MPI call; the text of the MPI error is added.
 *
 * Local.
 */
gannet_err gannet_error_raise_mpi(int mpi_code, const char *call, const char *function,
                                  const char *file, int line);

/* Add a line to the trace and return the code unchanged.
 *
 * Local.
 */
gannet_err gannet_error_pass(gannet_err code, const char *function, const char *file, int line);

/* What the message of the recorded error says about this case, for messages that it becomes a part
 * of: without the sentence about its code and without the rank.
 *
 * Local.
 */
const char *gannet_error_detail(void);

/* Forget the recorded error, for code that handles an error itself.
 *
 * Local.
 */
void gannet_error_clear(void);

/* Make a local outcome that of all ranks: the worst code, with the message of the lowest rank that
 * has it. Call it between the local part of a collective function and its first communication, so
 * that no rank waits for one that has returned.
 *
 * Collective over comm; local may differ between ranks.
 *
 * Errors: the agreed code; GANNET_ERR_MPI when the reduction itself fails.
 * Cost: one MPI_Allreduce; one MPI_Bcast more after a failure.
 */
GANNET_CHECKED gannet_err gannet_agree(MPI_Comm comm, gannet_err local);

/* Check that a block of bytes is the same on all ranks.
 *
 * Collective over comm.
 *
 * Errors: GANNET_ERR_RANKS, naming what, when it is not.
 */
GANNET_CHECKED gannet_err gannet_same(MPI_Comm comm, const void *bytes, size_t size,
                                      const char *what);

/* The record of an error: message, trace, and the rank that raised it. */
typedef struct {
  int code;
  int rank; /* -1 = this rank */
  char detail[GANNET_ERROR_DETAIL];
  char trace[1600];
} gannet_error_record;

/* Copy the record, and put it back after work that is done although something failed. A further
 * error in that work, or one that it handles itself, must not hide what the user is to be told.
 *
 * Local.
 */
void gannet_error_save(gannet_error_record *record);
void gannet_error_restore(const gannet_error_record *record);

#endif
