/* The context: communicator, seed and log of all objects of the library.
 *
 * The library is not thread-safe: at any time only one thread of a process may be inside its
 * functions, for all contexts together. Between calls another thread may continue, if MPI was
 * initialised for that (MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE).
 *
 * Inside the library, and in functions that it calls back, the locale is "C" and the floating-point
 * environment is the default one. When a function returns, both are again as the program has set
 * them.
 */
#ifndef GANNET_CONTEXT_H
#define GANNET_CONTEXT_H

#include <mpi.h>
#include <stdint.h>

#include "gannet/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gannet_context gannet_context;

typedef enum {
  GANNET_LOG_ERROR = 0,
  GANNET_LOG_WARNING = 1,
  GANNET_LOG_INFO = 2,
  GANNET_LOG_DEBUG = 3
} gannet_log_level;

/* Receives complete lines without a newline; rank is the rank that wrote the line. It is called in
 * the locale "C", whatever the locale of the program is.
 */
typedef void (*gannet_log_sink)(void *user, gannet_log_level level, int rank, const char *line);

/* Create a context on a duplicate of comm. MPI must be initialised by the program.
 *
 * Collective over comm; seed the same on all ranks.
 *
 * comm     in   an intra-communicator; duplicated; errors on the duplicate are returned, not fatal
 * seed     in   every random number of the library derives from it
 * context  out  to be freed with gannet_context_destroy
 *
 * Errors: GANNET_ERR_STATE before MPI_Init and after MPI_Finalize; GANNET_ERR_ARG for MPI_COMM_NULL
 * and for an inter-communicator; GANNET_ERR_RANKS when the seed differs between ranks.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_context_create(MPI_Comm comm, uint64_t seed,
                                                           gannet_context **context);

/* The same for a communicator of Fortran (an integer, or %MPI_VAL), of mpi4py (comm.py2f()), or of
 * any other language that has MPI_Comm_c2f.
 *
 * Collective over comm; seed the same on all ranks.
 *
 * Errors: as gannet_context_create.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_context_create_fortran(int comm, uint64_t seed,
                                                                   gannet_context **context);

/* A context of one process, for programs without MPI. It initialises MPI if necessary, for calls
 * from any thread in turn, and finalises it when the process ends. A child process made by fork
 * must not call the library; it may end in any way.
 *
 * Local.
 *
 * seed     in   as for gannet_context_create
 * context  out  to be freed with gannet_context_destroy
 *
 * Errors: GANNET_ERR_STATE after MPI_Finalize.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_context_create_alone(uint64_t seed,
                                                                 gannet_context **context);

/* Free a context and set the pointer to NULL; accepts NULL.
 *
 * Collective over the context's communicator.
 */
GANNET_API void gannet_context_destroy(gannet_context **context);

/* Make an error on one rank known to all ranks. Use it when a function of the program that the
 * library called, such as a gannet_slack_function, has failed on some ranks only: these would leave
 * the others waiting in the next collective call. Call it on all ranks, between calls of the
 * library.
 *
 * Collective over the context's communicator; code and text may differ between ranks.
 *
 * code  in  GANNET_OK if nothing has failed
 * text  in  what has failed, for the message; NULL = no details, or nothing has failed
 *
 * Errors: the largest code of any rank, on all ranks, with the text of the lowest rank that has it.
 */
GANNET_API GANNET_CHECKED gannet_err gannet_context_agree(gannet_context *context, gannet_err code,
                                                          const char *text);

/* Send log lines up to a level to a function. NULL silences the library, which is the default.
 * Nothing happens for a context that is NULL.
 *
 * Local.
 *
 * user  in  handed to sink; borrowed until the sink is changed or the context destroyed
 */
GANNET_API void gannet_context_set_log(gannet_context *context, gannet_log_level level,
                                       gannet_log_sink sink, void *user);

#ifdef __cplusplus
}
#endif
#endif
