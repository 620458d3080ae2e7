/* Standard output at the end of a program. */
#ifndef GANNET_BASE_OUTPUT_H
#define GANNET_BASE_OUTPUT_H

#include "gannet/status.h"

/* Flush standard output. A failure is reported on stderr, because what was printed may be all that
 * the user asked for; a reader that has closed the pipe is no failure. Afterwards MPI_Finalize can
 * close the stream without a second report.
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
