/* Standard output at the end of a program. */
#ifndef GANNET_BASE_OUTPUT_H
#define GANNET_BASE_OUTPUT_H

#include "gannet/status.h"

/* Write what is still held back. What was printed may be all that was asked for, so a failure is
 * told on stderr; but a reader that has seen enough is none. Afterwards the stream can be closed
 * without a failure, by MPI_Finalize, and nothing is told twice.
 *
 * Local.
 *
 * program  in  its name, for the message
 * code     in  how the program would end
 *
 * Returns code, or GANNET_EXIT_RESOURCE instead of GANNET_EXIT_FINISHED after a failure.
 */
gannet_exit gannet_output_finish(const char *program, gannet_exit code);

#endif
