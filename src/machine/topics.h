/* The topics of an inspection that have files of their own. Private to this room. */
#ifndef GANNET_MACHINE_TOPICS_H
#define GANNET_MACHINE_TOPICS_H

#include "machine/inspect.h"

/* Find where the ranks are.
 *
 * Collective over comm.
 */
GANNET_CHECKED gannet_err machine_find_layout(MPI_Comm comm, machine_layout *layout);

/* Add the findings of a topic.
 *
 * Collective over request->comm.
 */
GANNET_CHECKED gannet_err machine_inspect_blas(const machine_request *request,
                                               machine_report *report);
GANNET_CHECKED gannet_err machine_inspect_storage(const machine_request *request,
                                                  machine_report *report);

/* Add the findings of a topic, on rank 0.
 *
 * Local.
 */
void machine_inspect_processors(const machine_request *request, const machine_layout *layout,
                                machine_report *report);
GANNET_CHECKED gannet_err machine_inspect_places(const machine_request *request,
                                                 machine_report *report);
GANNET_CHECKED gannet_err machine_inspect_slurm(const machine_request *request,
                                                machine_report *report);

/* The name and version of the BLAS library, as "OpenBLAS 0.3.21".
 *
 * Local.
 */
void machine_blas_name(char *text, size_t size);

/* Whether the kernels of BLAS are slower than the processor allows, why, and what to do. False also
 * when that cannot be told.
 *
 * Local.
 */
bool machine_blas_is_slow(char *why, size_t size);

/* Whether all ranks have the same kernels on the same kind of processor.
 *
 * Collective over comm.
 *
 * what  out  [2][64] kernels and processor of rank 0, and of the first rank that differs; the same
 * on all ranks
 */
GANNET_CHECKED gannet_err machine_kernels_agree(MPI_Comm comm, bool *agree, char what[2][64]);

#endif
