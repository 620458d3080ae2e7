/* Vector registers of this processor, for code that is written for their size. Loops that compilers
 * vectorise use base/vector_clones.h instead. */
#ifndef GANNET_BASE_REGISTERS_H
#define GANNET_BASE_REGISTERS_H

/* Code for registers of 32 and 64 bytes: AVX2 with FMA, and AVX-512 (levels 3 and 4 of x86-64). */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define GANNET_HAS_REGISTERS 1
#define GANNET_WITH_32_BYTES __attribute__((target("arch=x86-64-v3")))
#define GANNET_WITH_64_BYTES __attribute__((target("arch=x86-64-v4")))
#endif

/* Bytes of the largest registers that there is code for: 64, 32 or 16. In a file of its own, so
 * that a test can give another answer.
 *
 * Local.
 */
int gannet_register_bytes(void);

#endif
