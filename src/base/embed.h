/* Embedding files into the program when it is compiled. C17 has no way to do so (C23 has #embed),
 * but the assembler of every ELF system has.
 */
#ifndef GANNET_BASE_EMBED_H
#define GANNET_BASE_EMBED_H

/* Defines name_begin and name_end, between which the bytes of the file lie (path: a string literal,
 * absolute); a zero byte follows. */
#define GANNET_EMBED(name, path)      \
  __asm__(                            \
      ".pushsection .rodata\n"        \
      ".global " #name                \
      "_begin\n"                      \
      ".global " #name "_end\n" #name \
      "_begin:\n"                     \
      ".incbin \"" path "\"\n" #name  \
      "_end:\n"                       \
      ".byte 0\n.popsection\n");      \
  extern const char name##_begin[];   \
  extern const char name##_end[]

#endif
