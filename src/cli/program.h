/* The programs that gannet consists of. They are linked from the same objects.
 *
 * `gannet` is linked without MPI, PETSc and BLAS, and with HDF5 as an archive, so that help,
 * tables, completion and queries open few files. A command that needs more executes the program in
 * libexec that has it, under the same process number and with the same arguments. Where HDF5 has no
 * archive, a third program in libexec, for queries, has the shared HDF5 and MPI. The last one has a
 * server for browsers, too.
 */
#ifndef GANNET_CLI_PROGRAM_H
#define GANNET_CLI_PROGRAM_H

#include "base/error.h"

/* The reach of a program: what it can do. Each reach includes the ones before it. */
typedef enum {
  CLI_TABLES,     /* the command line, campaign files, tables of options */
  CLI_STATE,      /* reading campaigns: HDF5 */
  CLI_EVERYTHING, /* models, simulations, ranks */
  CLI_WEB         /* a server for browsers: libmicrohttpd */
} cli_reach;

/* Become the program of this reach, unless this one has it already. Nothing may have been printed.
 *
 * Local.
 *
 * argv  in  of main
 *
 * Errors: GANNET_ERR_MISSING when the program is not installed beside this one; GANNET_ERR_MEMORY
 * when a limit of this process leaves no room for its libraries.
 */
GANNET_CHECKED gannet_err cli_become(cli_reach reach, char **argv);

#endif
