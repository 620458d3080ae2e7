/* Having BLAS use the best kernels, for programs. */
#ifndef GANNET_MACHINE_CHOICE_H
#define GANNET_MACHINE_CHOICE_H

/* OpenBLAS reads OPENBLAS_CORETYPE when it is loaded, before main. When that made it use kernels
 * that are slow on this processor, the program executes itself again without the variable; when
 * OpenBLAS does not know the processor, with a better value. After that the inherited value is put
 * back, so that simulations get what they would have got. Returns when there is nothing to do, with
 * a BLAS that does not choose, and when the system refuses. It cannot go round: the process keeps
 * its number, and a process of that number tries twice at most.
 *
 * GANNET_KEEP_BLAS=1 obeys the inherited value.
 *
 * Local. To be called first in main: before MPI_Init, threads, open files and child processes.
 *
 * argv  in  that of main
 */
void machine_choose_blas(char **argv);

#endif
