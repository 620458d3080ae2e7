/* Memory. */
#include <string.h>
#include <sys/resource.h>

#include "machine/parts.h"

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

/* One number of cgroup v2; 0 = none or no limit. */
static double read_group(const char *path) {
  double bytes = 0;
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  if (fscanf(file, "%lf", &bytes) != 1) bytes = 0;
  (void)fclose(file);
  return bytes;
}

void machine_memory(double *available, double *total) {
  const double limit = read_group("/sys/fs/cgroup/memory.max");
  *total = read_meminfo("MemTotal:");
  *available = read_meminfo("MemAvailable:");
  if (limit <= 0 || limit >= *total) return;
  const double left = limit - read_group("/sys/fs/cgroup/memory.current");
  *total = limit;
  if (left < *available) *available = left > 0 ? left : 0;
}

void machine_inspect_memory(const machine_places *places, machine_report *report) {
  const double least = 256e6; /* bytes: libraries, and models of a few thousand observations */
  double available = 0, total = 0;
  struct rlimit limit;
  machine_memory(&available, &total);
  if (total <= 0) return;
  machine_say(report, "memory", "available", "%.1f of %.1f GB", available / 1e9, total / 1e9);
  machine_say(report, "memory", "per rank", "%.2f GB", available / places->ranks / 1e9);
  if (available / places->ranks < least)
    machine_advise(report, MACHINE_CHANGE,
                   "a rank takes about 0.1 GB and 4 n^2 bytes for n observations: start fewer "
                   "ranks, or ask for more memory");
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    machine_say(report, "memory", "limit", "%.2f GB of addresses per process (ulimit -v)",
                (double)limit.rlim_cur / 1e9);
    if ((double)limit.rlim_cur < 1e9)
      machine_advise(report, MACHINE_CHANGE, "libraries alone take most of it: raise the limit");
  }
}
