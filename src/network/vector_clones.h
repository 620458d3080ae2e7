/* Functions made of contiguous loops are compiled for several instruction sets, and the loader
 * picks one. All round alike: this project is compiled without contraction of products and sums, so
 * the bits do not depend on the choice. Private to this room.
 */
#ifndef GANNET_NETWORK_VECTOR_CLONES_H
#define GANNET_NETWORK_VECTOR_CLONES_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define GANNET_VECTOR_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define GANNET_VECTOR_CLONES
#endif

#endif
