#include "base/error.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"

/* A fixed record, because nothing may be allocated while failing. Plain bytes, because it is sent
 * to the other ranks as it is. */
static _Thread_local gannet_error_record last;
static _Thread_local char message[1400];

#define TEXT(code, text) text,
static const char *const texts[] = {GANNET_ERROR_LIST(TEXT)};
#undef TEXT

const char *gannet_err_text(gannet_err code) {
  return 0 <= (int)code && code < GANNET_ERR_COUNT ? texts[code] : "unknown error code";
}

gannet_exit gannet_err_exit(gannet_err code) {
  switch (code) {
    case GANNET_OK:
      return GANNET_EXIT_FINISHED;
    case GANNET_ERR_ARG:
    case GANNET_ERR_NAME:
    case GANNET_ERR_SHAPE:
    case GANNET_ERR_INPUT:
    case GANNET_ERR_EXISTS:
    case GANNET_ERR_MISSING:
      return GANNET_EXIT_USAGE;
    case GANNET_ERR_BUSY:
      return GANNET_EXIT_BUSY;
    case GANNET_ERR_DAMAGED:
    case GANNET_ERR_VERSION:
      return GANNET_EXIT_DAMAGED;
    case GANNET_ERR_NO_SPACE:
    case GANNET_ERR_IO:
    case GANNET_ERR_MEMORY:
      return GANNET_EXIT_RESOURCE;
    case GANNET_ERR_FAILURES:
      return GANNET_EXIT_FAILURES;
    default:
      return GANNET_EXIT_INTERNAL;
  }
}

static void add_trace(const char *function, const char *file, int line) {
  const size_t used = strlen(last.trace);
  const char *room = strstr(file, "src/");
  (void)snprintf(last.trace + used, sizeof last.trace - used, "  at %s (%s:%d)\n", function,
                 room ? room : file, line);
}

gannet_err gannet_error_raise(gannet_err code, const char *function, const char *file, int line,
                              const char *format, ...) {
  va_list arguments;
  char detail[sizeof last.detail]; /* the arguments may point into the old record */
  va_start(arguments, format);
  const int length = vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  if (length >= (int)sizeof detail)
    (void)snprintf(detail + sizeof detail - sizeof "...", sizeof "...", "...");
  gannet_utf8_lines(detail);
  last.code = (int)code;
  last.rank = -1;
  last.trace[0] = '\0';
  memcpy(last.detail, detail, sizeof detail);
  add_trace(function, file, line);
  return code;
}

gannet_err gannet_error_raise_mpi(int mpi_code, const char *call, const char *function,
                                  const char *file, int line) {
  char text[MPI_MAX_ERROR_STRING] = "no text";
  int length = 0;
  (void)MPI_Error_string(mpi_code, text, &length);
  return gannet_error_raise(GANNET_ERR_MPI, function, file, line, "%s: %s", call, text);
}

gannet_err gannet_error_pass(gannet_err code, const char *function, const char *file, int line) {
  add_trace(function, file, line);
  return code;
}

void gannet_error_clear(void) {
  memset(&last, 0, sizeof last);
}

void gannet_error_save(gannet_error_record *record) {
  *record = last;
}

void gannet_error_restore(const gannet_error_record *record) {
  last = *record;
}

const char *gannet_error_message(void) {
  if (last.code == GANNET_OK) return "";
  int used = snprintf(message, sizeof message, "%s: %s", gannet_err_text((gannet_err)last.code),
                      last.detail);
  if (last.rank >= 0 && used > 0 && (size_t)used < sizeof message)
    (void)snprintf(message + used, sizeof message - (size_t)used, " (reported by rank %d)",
                   last.rank);
  return message;
}

const char *gannet_error_detail(void) {
  return last.detail;
}

const char *gannet_error_trace(void) {
  return last.trace;
}

gannet_err gannet_agree(MPI_Comm comm, gannet_err local) {
  int rank = 0, np = 1;
  struct {
    int code, rank;
  } mine, worst;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  GANNET_TRY_MPI(MPI_Comm_size(comm, &np));
  mine.code = (int)local;
  mine.rank = rank;
  GANNET_TRY_MPI(MPI_Allreduce(&mine, &worst, 1, MPI_2INT, MPI_MAXLOC, comm));
  if (worst.code == GANNET_OK) return GANNET_OK;
  /* The record is of another error when the caller made the code up or handled one in between. */
  if (rank == worst.rank && last.code != worst.code) (void)GANNET_RAISE(local, "no details");
  gannet_error_record shared = last;
  if (np > 1 && rank == worst.rank && last.rank < 0) shared.rank = rank;
  GANNET_TRY_MPI(MPI_Bcast(&shared, (int)sizeof shared, MPI_BYTE, worst.rank, comm));
  last = shared;
  return (gannet_err)worst.code;
}

gannet_err gannet_same(MPI_Comm comm, const void *bytes, size_t size, const char *what) {
  const uint64_t mine = gannet_hash(bytes, size);
  uint64_t pair[2] = {mine, ~mine}, largest[2];
  GANNET_TRY_MPI(MPI_Allreduce(pair, largest, 2, MPI_UINT64_T, MPI_MAX, comm));
  GANNET_REQUIRE(largest[0] == ~largest[1], GANNET_ERR_RANKS, "%s", what);
  return GANNET_OK;
}
