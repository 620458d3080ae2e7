/* The choice of BLAS kernels, by programs before anything else starts. */
#ifndef GANNET_MACHINE_CHOOSE_BLAS_H
#define GANNET_MACHINE_CHOOSE_BLAS_H

/* Make OpenBLAS use the best kernels for this processor. OpenBLAS reads OPENBLAS_CORETYPE when it
 * is loaded, before main. When its kernels are slow on this processor, the program executes itself
 * again: first without the variable, and then, if OpenBLAS does not know the processor, with a
 * better value. Afterwards the inherited value is put back, so that simulations get it. The
 * function returns when there is nothing to do, when BLAS does not choose its kernels, and when the
 * system refuses. It cannot go on for ever: the process keeps its number, and a process tries twice
 * at most.
 *
 * GANNET_KEEP_BLAS=1 keeps the kernels of the inherited value.
 *
 * Local. To be called first in main: before MPI_Init, threads, open files and child processes.
 *
 * argv  in  that of main
 */
void machine_choose_blas(char **argv);

#endif
