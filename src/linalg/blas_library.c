#define _GNU_SOURCE /* dladdr */
#include "linalg/blas_library.h"

#include <cblas.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <dlfcn.h>
#include <lapacke.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "linalg/blacs.h"

/* Another BLAS does not have it. */
#pragma weak openblas_get_config

typedef struct {
  const char *name;
  gannet_vector vector;
} kernel;

/* OpenBLAS 0.3, driver/others/dynamic.c. Excavator has AVX2, but its kernels are Steamroller's. */
static const kernel kernels[] = {
    {"Katmai", GANNET_VECTOR_SSE},        {"Coppermine", GANNET_VECTOR_SSE},
    {"Northwood", GANNET_VECTOR_SSE},     {"Prescott", GANNET_VECTOR_SSE},
    {"Banias", GANNET_VECTOR_SSE},        {"Atom", GANNET_VECTOR_SSE},
    {"Core2", GANNET_VECTOR_SSE},         {"Penryn", GANNET_VECTOR_SSE},
    {"Dunnington", GANNET_VECTOR_SSE},    {"Nehalem", GANNET_VECTOR_SSE},
    {"Athlon", GANNET_VECTOR_SSE},        {"Opteron", GANNET_VECTOR_SSE},
    {"Opteron_SSE3", GANNET_VECTOR_SSE},  {"Barcelona", GANNET_VECTOR_SSE},
    {"Nano", GANNET_VECTOR_SSE},          {"Bobcat", GANNET_VECTOR_SSE},
    {"Sandybridge", GANNET_VECTOR_AVX},   {"Bulldozer", GANNET_VECTOR_AVX},
    {"Piledriver", GANNET_VECTOR_AVX},    {"Steamroller", GANNET_VECTOR_AVX},
    {"Excavator", GANNET_VECTOR_AVX},     {"Haswell", GANNET_VECTOR_AVX2},
    {"Zen", GANNET_VECTOR_AVX2},          {"SkylakeX", GANNET_VECTOR_AVX512},
    {"Cooperlake", GANNET_VECTOR_AVX512}, {"SapphireRapids", GANNET_VECTOR_AVX512},
};

const char *gannet_vector_name(gannet_vector vector) {
  switch (vector) {
    case GANNET_VECTOR_SSE:
      return "SSE";
    case GANNET_VECTOR_AVX:
      return "AVX";
    case GANNET_VECTOR_AVX2:
      return "AVX2";
    case GANNET_VECTOR_AVX512:
      return "AVX-512";
    case GANNET_VECTOR_UNKNOWN:
    default:
      return "unknown";
  }
}

#if defined(__x86_64__)
/* Family and vendor of the processor: AMD64 Architecture Programmer's Manual 3, appendix E.3.2. */
static bool works_in_halves(void) {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__builtin_cpu_is("amd") || !__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return false;
  return ((eax >> 8) & 0xF) + ((eax >> 20) & 0xFF) == 0x19; /* Zen 3 and 4 */
}

gannet_vector gannet_processor_vector(void) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return GANNET_VECTOR_AVX512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return GANNET_VECTOR_AVX2;
  return __builtin_cpu_supports("avx") ? GANNET_VECTOR_AVX : GANNET_VECTOR_SSE;
}
#else
static bool works_in_halves(void) {
  return false;
}

gannet_vector gannet_processor_vector(void) {
  return GANNET_VECTOR_UNKNOWN;
}
#endif

gannet_vector gannet_kernel_vector(const char *name) {
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; ++i)
    if (strcasecmp(kernels[i].name, name) == 0) return kernels[i].vector;
  return GANNET_VECTOR_UNKNOWN;
}

bool gannet_kernel_is_slow(const char *name) {
  const gannet_vector used = gannet_kernel_vector(name), here = gannet_processor_vector();
  if (used == GANNET_VECTOR_UNKNOWN || used >= here) return false;
  return !(used == GANNET_VECTOR_AVX2 && works_in_halves());
}

const char *gannet_kernel_for(gannet_vector vector) {
  switch (vector) {
    case GANNET_VECTOR_SSE:
      return "Prescott";
    case GANNET_VECTOR_AVX:
      return "Sandybridge";
    case GANNET_VECTOR_AVX2:
      return "Haswell";
    case GANNET_VECTOR_AVX512:
      return "SkylakeX";
    case GANNET_VECTOR_UNKNOWN:
    default:
      return NULL;
  }
}

const char *gannet_blas_library(void) {
  const char *text = openblas_get_config ? openblas_get_config() : NULL;
  return text ? text : "unknown";
}

bool gannet_blas_chooses(void) {
  return strstr(gannet_blas_library(), "DYNAMIC_ARCH") != NULL;
}

void gannet_routine_file(const char *routine, char *path, size_t size) {
  char full[PATH_MAX];
  Dl_info info = {0};
  path[0] = '\0';
  void *symbol = dlsym(RTLD_DEFAULT, routine);
  if (!symbol || !dladdr(symbol, &info) || !info.dli_fname) return;
  (void)snprintf(path, size, "%s", realpath(info.dli_fname, full) ? full : info.dli_fname);
}

void gannet_lapack_version(char *text, size_t size) {
  lapack_int major = 0, minor = 0, patch = 0;
  LAPACKE_ilaver(&major, &minor, &patch);
  (void)snprintf(text, size, "%d.%d.%d", (int)major, (int)minor, (int)patch);
}

void gannet_scalapack_version(char *text, size_t size) {
  int major = 0, minor = 0, patch = 0;
  pilaver_(&major, &minor, &patch);
  (void)snprintf(text, size, "%d.%d.%d", major, minor, patch);
}
