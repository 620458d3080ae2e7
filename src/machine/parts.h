/* The parts of an inspection; for this room only. */
#ifndef GANNET_MACHINE_PARTS_H
#define GANNET_MACHINE_PARTS_H

#include "machine/inspect.h"

/* Each adds the findings of its topic.
 *
 * Collective over request->comm.
 */
GANNET_CHECKED gannet_err machine_inspect_mpi(const machine_request *request,
                                              const machine_places *places, machine_report *report);
GANNET_CHECKED gannet_err machine_inspect_blas(const machine_request *request,
                                               machine_report *report);
GANNET_CHECKED gannet_err machine_inspect_storage(const machine_request *request,
                                                  machine_report *report);

/* Each adds the findings of its topic, on rank 0.
 *
 * Local.
 */
void machine_inspect_processors(const machine_request *request, const machine_places *places,
                                machine_report *report);
void machine_inspect_libraries(machine_report *report);
void machine_inspect_memory(const machine_places *places, machine_report *report);
GANNET_CHECKED gannet_err machine_inspect_slurm(const machine_request *request,
                                                machine_report *report);

/* "Open MPI v4.1.4": the library's name without its address and date.
 *
 * Local.
 */
GANNET_CHECKED gannet_err machine_mpi_library(char *text, size_t size);

/* The first two words of what BLAS says of itself.
 *
 * Local.
 */
void machine_blas_name(char *text, size_t size);

/* Why the kernels of BLAS are slower than the processor allows, and what to do; false when they are
 * not, or when nobody can tell.
 *
 * Local.
 */
bool machine_blas_is_slow(char *why, size_t size);

/* Whether all ranks have the same kernels on the same kind of processor; how rank 0 and the first
 * that differs describe theirs.
 *
 * Collective over comm.
 *
 * what  out  [2][64]; the same on all ranks
 */
GANNET_CHECKED gannet_err machine_kernels_agree(MPI_Comm comm, bool *agree, char what[2][64]);

#endif
