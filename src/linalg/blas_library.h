/* The BLAS library that is loaded: which kernels it uses, which file it is, and whether the
 * processor allows faster kernels.
 *
 * OpenBLAS contains kernels for many processors. When it is loaded it picks one set of them: by
 * itself, or the one that OPENBLAS_CORETYPE names.
 */
#ifndef GANNET_LINALG_BLAS_LIBRARY_H
#define GANNET_LINALG_BLAS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* What the fastest kernels of a set are made of, slowest first. */
typedef enum {
  GANNET_VECTOR_UNKNOWN = -1, /* not x86-64, or an unknown name: no advice is given */
  GANNET_VECTOR_SSE,
  GANNET_VECTOR_AVX,
  GANNET_VECTOR_AVX2,
  GANNET_VECTOR_AVX512
} gannet_vector;

/* "AVX-512"; "unknown".
 *
 * Local.
 */
const char *gannet_vector_name(gannet_vector vector);

/* What this processor and its operating system allow.
 *
 * Local.
 */
gannet_vector gannet_processor_vector(void);

/* Whether this processor would be clearly faster with other kernels than these. Vectors that it has
 * but works through in halves do not count: the AVX-512 of Zen 4.
 *
 * Local.
 */
bool gannet_kernel_is_slow(const char *kernel);

/* What kernels of this name use: "Haswell" -> AVX2. Names of OpenBLAS 0.3, any case.
 *
 * Local.
 */
gannet_vector gannet_kernel_vector(const char *kernel);

/* The oldest kernels of OpenBLAS for a kind of processor, which every later version has, too; NULL
 * when unknown.
 *
 * Local.
 */
const char *gannet_kernel_for(gannet_vector vector);

/* Whether BLAS is an OpenBLAS that chooses its kernels when it is loaded.
 *
 * Local.
 */
bool gannet_blas_chooses(void);

/* "OpenBLAS 0.3.21 DYNAMIC_ARCH ...": what the library says of itself; "unknown".
 *
 * Local.
 */
const char *gannet_blas_library(void);

/* The file of the shared library that provides a routine such as "dgemm_" to everybody in this
 * process; "" when nobody does or it cannot be told.
 *
 * Local.
 *
 * path  out  [size]
 */
void gannet_routine_file(const char *routine, char *path, size_t size);

/* Versions as "2.2.1".
 *
 * Local.
 */
void gannet_lapack_version(char *text, size_t size);
void gannet_scalapack_version(char *text, size_t size);

#endif
