/* Memory. */
#include <sys/resource.h>

#include "base/memory.h"
#include "machine/parts.h"

void machine_inspect_memory(const machine_places *places, machine_report *report) {
  const double least = 256e6; /* bytes: libraries, and models of a few thousand observations */
  double available = 0, total = 0;
  struct rlimit limit;
  gannet_memory_of_machine(&available, &total);
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
