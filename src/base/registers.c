#include "base/registers.h"

int gannet_register_bytes(void) {
#ifdef GANNET_HAS_REGISTERS
  if (__builtin_cpu_supports("x86-64-v4")) return 64;
  if (__builtin_cpu_supports("x86-64-v3")) return 32;
#endif
  return 16;
}
