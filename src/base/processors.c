#define _GNU_SOURCE /* sched_getaffinity and its sets */
#include "base/processors.h"

#include <sched.h>

/* What ranks add up: how many may use a processor, and how many nothing else. */
typedef struct {
  int users[GANNET_PROCESSORS_MOST], bound[GANNET_PROCESSORS_MOST];
} census;

static int look(census *c) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine)) return 0;
  const int own = CPU_COUNT(&mine);
  for (int p = 0; p < GANNET_PROCESSORS_MOST && p < CPU_SETSIZE; ++p) {
    c->users[p] = CPU_ISSET(p, &mine);
    c->bound[p] = own == 1 && c->users[p];
  }
  return own;
}

gannet_err gannet_processors_find(MPI_Comm comm, gannet_processors *found) {
  census all = {.users = {0}};
  *found = (gannet_processors){.own = look(&all)};
  GANNET_TRY_MPI(MPI_Comm_size(comm, &found->ranks));
  GANNET_TRY_MPI(
      MPI_Allreduce(MPI_IN_PLACE, &all, 2 * GANNET_PROCESSORS_MOST, MPI_INT, MPI_SUM, comm));
  for (int p = 0; p < GANNET_PROCESSORS_MOST; ++p) {
    found->any[p] = all.users[p] > 0;
    found->together += found->any[p];
    if (all.bound[p] > found->on_one) found->on_one = all.bound[p];
  }
  return GANNET_OK;
}

bool gannet_processors_are_shared(const gannet_processors *found) {
  return found->together < found->ranks || found->on_one > 1;
}
