#include "base/context.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/mpi_start.h"
#include "base/node.h"
#include "base/plain_environment.h"
#include "base/utf8.h"

static gannet_err fill_context(gannet_context *context, MPI_Comm comm) {
  GANNET_TRY_MPI(MPI_Comm_dup(comm, &context->comm));
  GANNET_TRY_MPI(MPI_Comm_set_errhandler(context->comm, MPI_ERRORS_RETURN));
  GANNET_TRY_MPI(MPI_Comm_rank(context->comm, &context->rank));
  GANNET_TRY_MPI(MPI_Comm_size(context->comm, &context->np));
  if (context->np > 1) GANNET_TRY(gannet_node_create(context->comm, &context->node));
  return gannet_same(context->comm, &context->seed, sizeof context->seed, "seed");
}

gannet_err gannet_context_check(MPI_Comm comm) {
  int begun = 0, ended = 0, inter = 0;
  (void)MPI_Initialized(&begun);
  (void)MPI_Finalized(&ended);
  GANNET_REQUIRE(begun, GANNET_ERR_STATE, "MPI is not initialised; call MPI_Init first");
  GANNET_REQUIRE(!ended, GANNET_ERR_STATE,
                 "MPI was finalised already; make the call before MPI_Finalize");
  GANNET_REQUIRE(comm != MPI_COMM_NULL, GANNET_ERR_ARG,
                 "comm is MPI_COMM_NULL; expected a communicator of this process");
  GANNET_TRY_MPI(MPI_Comm_test_inter(comm, &inter));
  GANNET_REQUIRE(!inter, GANNET_ERR_ARG,
                 "comm is an inter-communicator; expected an intra-communicator, as "
                 "MPI_Intercomm_merge makes of it");
  return GANNET_OK;
}

gannet_err gannet_context_create(MPI_Comm comm, uint64_t seed, gannet_context **context) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  gannet_context *made = NULL;
  GANNET_REQUIRE_POINTER(context, "context");
  *context = NULL;
  GANNET_TRY(gannet_context_check(comm));
  GANNET_TRY(gannet_alloc_on_all(comm, 1, sizeof *made, &made));
  made->comm = MPI_COMM_NULL;
  made->seed = seed;
  const gannet_err err = fill_context(made, comm);
  if (err != GANNET_OK) gannet_context_destroy(&made);
  *context = made;
  GANNET_TRY(err);
  return GANNET_OK;
}

gannet_err gannet_context_create_fortran(int comm, uint64_t seed, gannet_context **context) {
  GANNET_REQUIRE_POINTER(context, "context");
  *context = NULL;
  GANNET_TRY(gannet_context_check(MPI_COMM_WORLD)); /* before MPI_Comm_f2c, which needs MPI too */
  return gannet_context_create(MPI_Comm_f2c((MPI_Fint)comm), seed, context);
}

gannet_err gannet_context_agree(gannet_context *context, gannet_err code, const char *text) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  GANNET_REQUIRE_POINTER(context, "context");
  gannet_err local = GANNET_OK;
  if ((int)code < 0 || code >= GANNET_ERR_COUNT)
    local = GANNET_RAISE(GANNET_ERR_ARG, "code = %d, expected one of gannet_err", (int)code);
  else if (code != GANNET_OK)
    local = GANNET_RAISE(code, "%s", text ? text : "no details");
  return gannet_agree(context->comm, local);
}

static pid_t initialised_by = -1;

/* A copy of the process by fork has no part in MPI: its MPI_Finalize would wait for ever. */
static void finalize_mpi(void) {
  int finalized = 0;
  if (getpid() != initialised_by) return;
  (void)MPI_Finalized(&finalized);
  if (!finalized) (void)MPI_Finalize();
}

gannet_err gannet_context_create_alone(uint64_t seed, gannet_context **context) {
  int running = 0;
  GANNET_REQUIRE_POINTER(context, "context");
  *context = NULL;
  GANNET_TRY_MPI(MPI_Initialized(&running));
  if (!running) {
    GANNET_TRY(gannet_mpi_start_alone());
    initialised_by = getpid();
    GANNET_REQUIRE(atexit(finalize_mpi) == 0, GANNET_ERR_MEMORY, "a function to be called at exit");
  }
  return gannet_context_create(MPI_COMM_SELF, seed, context);
}

void gannet_context_destroy(gannet_context **context) {
  if (!context || !*context) return;
  int finalized = 0;
  (void)MPI_Finalized(&finalized);
  gannet_node_destroy(&(*context)->node);
  if ((*context)->comm != MPI_COMM_NULL && !finalized) (void)MPI_Comm_free(&(*context)->comm);
  gannet_free(context);
}

void gannet_context_set_log(gannet_context *context, gannet_log_level level, gannet_log_sink sink,
                            void *user) {
  if (!context) return;
  context->level = level;
  context->sink = sink;
  context->sink_user = user;
}

void gannet_log(const gannet_context *context, gannet_log_level level, const char *format, ...) {
  va_list arguments;
  char line[2048];
  if (context->rank != 0 || !context->sink || level > context->level) return;
  va_start(arguments, format);
  (void)vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  gannet_utf8_lines(line);
  context->sink(context->sink_user, level, context->rank, line);
}

gannet_stream gannet_context_stream(const gannet_context *context, gannet_purpose purpose,
                                    uint64_t iteration, uint64_t index) {
  return (gannet_stream){context->seed, (uint64_t)purpose, iteration, index};
}
