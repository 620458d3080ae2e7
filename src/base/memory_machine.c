/* Memory of the node, apart from memory.c so that a test can have another one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/group.h"
#include "base/memory.h"

static double read_meminfo(const char *key) {
  char line[256];
  double kilobytes = 0;
  FILE *file = fopen("/proc/meminfo", "re");
  if (!file) return 0;
  while (fgets(line, sizeof line, file))
    if (strncmp(line, key, strlen(key)) == 0) {
      if (sscanf(line + strlen(key), "%lf", &kilobytes) != 1) kilobytes = 0;
      break;
    }
  (void)fclose(file);
  return 1024 * kilobytes;
}

void gannet_memory_of_machine(double *available, double *total) {
  gannet_group group;
  gannet_group_read("", &group);
  *total = read_meminfo("MemTotal:");
  *available = read_meminfo("MemAvailable:");
  if (*total <= 0) return;
  *total = fmin(*total, group.bytes);
  *available = fmin(*available, fmax(1, group.bytes_left));
}

double gannet_memory_left(void) {
  const double available = read_meminfo("MemAvailable:");
  gannet_group group;
  gannet_group_read("", &group);
  return fmin(available > 0 ? available + read_meminfo("SwapFree:") : INFINITY, group.bytes_left);
}
