/* Compile loops for several instruction sets, of which the loader picks one.
 *
 * The bits do not depend on the choice: the files that use this header are compiled without
 * contraction of products and sums (GANNET_VECTORISED), so that all instruction sets round alike.
 */
#ifndef GANNET_BASE_VECTOR_CLONES_H
#define GANNET_BASE_VECTOR_CLONES_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define GANNET_VECTOR_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define GANNET_VECTOR_CLONES
#endif

/* Before a loop: its arrays do not overlap. With more than a few arrays, compilers do not test that
 * themselves, and the loop stays scalar. */
#if defined(__GNUC__) && !defined(__clang__)
#define GANNET_NO_OVERLAP _Pragma("GCC ivdep")
#else
#define GANNET_NO_OVERLAP
#endif

#endif
