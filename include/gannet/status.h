/* Error codes, error messages and exit codes.
 *
 * Every function that can fail returns a gannet_err. What is data and not an error (a failed
 * simulation, a spent budget, no feasible design) is never reported this way. A pointer that is
 * NULL although nothing is said of that is refused with GANNET_ERR_ARG.
 */
#ifndef GANNET_STATUS_H
#define GANNET_STATUS_H

#if defined(__GNUC__)
#define GANNET_API __attribute__((visibility("default")))
#define GANNET_CHECKED __attribute__((warn_unused_result))
#define GANNET_PRINTF(string, first) __attribute__((format(printf, string, first)))
#define GANNET_DEPRECATED(instead) __attribute__((deprecated(instead)))
#else
#define GANNET_API
#define GANNET_CHECKED
#define GANNET_PRINTF(string, first)
#define GANNET_DEPRECATED(instead)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* X(code, text): the one list behind the enum and gannet_err_text. */
#define GANNET_ERROR_LIST(X)                                  \
  X(GANNET_OK, "success")                                     \
  X(GANNET_ERR_ARG, "argument outside its documented domain") \
  X(GANNET_ERR_NAME, "unknown name")                          \
  X(GANNET_ERR_SHAPE, "sizes do not fit together")            \
  X(GANNET_ERR_STATE, "call not possible in this state")      \
  X(GANNET_ERR_INPUT, "error in the input")                   \
  X(GANNET_ERR_EXISTS, "refusing to overwrite")               \
  X(GANNET_ERR_MISSING, "file or directory not found")        \
  X(GANNET_ERR_BUSY, "in use by another process")             \
  X(GANNET_ERR_VERSION, "written by another version")         \
  X(GANNET_ERR_DAMAGED, "damaged file")                       \
  X(GANNET_ERR_NO_SPACE, "no space left or quota exceeded")   \
  X(GANNET_ERR_IO, "input or output failed")                  \
  X(GANNET_ERR_MEMORY, "out of memory")                       \
  X(GANNET_ERR_NUMERIC, "numerical failure")                  \
  X(GANNET_ERR_LIBRARY, "an outside library failed")          \
  X(GANNET_ERR_MPI, "MPI failed")                             \
  X(GANNET_ERR_RANKS, "arguments differ between ranks")       \
  X(GANNET_ERR_FAILURES, "too many evaluations failed")       \
  X(GANNET_ERR_INTERNAL, "internal error")

#define GANNET_ERROR_ENUM(code, text) code,
typedef enum { GANNET_ERROR_LIST(GANNET_ERROR_ENUM) GANNET_ERR_COUNT } gannet_err;
#undef GANNET_ERROR_ENUM

/* X(name, number, text): exit codes of the program; the manual's table is made from this list.
 * None lies in 126-192, which shells and launchers use themselves. */
#define GANNET_EXIT_LIST(X)                                                                       \
  X(GANNET_EXIT_FINISHED, 0, "finished")                                                          \
  X(GANNET_EXIT_INTERNAL, 1, "internal error or a failure of an outside library")                 \
  X(GANNET_EXIT_USAGE, 2, "error in the command line or the input, or what they name is missing") \
  X(GANNET_EXIT_INFEASIBLE, 3, "finished, but no feasible design was found")                      \
  X(GANNET_EXIT_FAILURES, 4, "stopped: too many simulations failed")                              \
  X(GANNET_EXIT_DAMAGED, 5, "the saved state is damaged or was written by a newer gannet")        \
  X(GANNET_EXIT_RESOURCE, 6, "file system full, file not accessible, or out of memory")           \
  X(GANNET_EXIT_MACHINE, 7, "gannet doctor: something is slow or bound to fail")                  \
  X(GANNET_EXIT_BUSY, 8, "another process has the campaign; try again when it has ended")         \
  X(GANNET_EXIT_RESUMABLE, 75, "stopped before the budget was spent; run again with --resume")

#define GANNET_EXIT_ENUM(name, number, text) name = (number),
typedef enum { GANNET_EXIT_LIST(GANNET_EXIT_ENUM) } gannet_exit;
#undef GANNET_EXIT_ENUM

/* One sentence for a code, a static string.
 *
 * Local.
 */
GANNET_API const char *gannet_err_text(gannet_err code);

/* The exit code with which a program should answer an error.
 *
 * Local.
 */
GANNET_API gannet_exit gannet_err_exit(gannet_err code);

/* Message of the last error of this thread: code text, details and, when another rank raised it,
 * which one. Valid until the next failing call of this thread; "" when nothing failed yet.
 *
 * Local.
 */
GANNET_API const char *gannet_error_message(void);

/* Where the last error of this thread was raised and passed on, one line per function; "" when
 * nothing failed yet. For bug reports, not for users.
 *
 * Local.
 */
GANNET_API const char *gannet_error_trace(void);

#ifdef __cplusplus
}
#endif
#endif
