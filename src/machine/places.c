/* Which processors the ranks may use. */
#define _GNU_SOURCE /* sched_getaffinity and its sets */
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"
#include "machine/inspect.h"

/* What one node has. */
typedef struct {
  int ranks, threads, cores, on_one;
} node;

static int read_number(int processor, const char *name) {
  char path[128];
  int value = -1;
  (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", processor, name);
  FILE *file = fopen(path, "re");
  if (!file) return -1;
  if (fscanf(file, "%d", &value) != 1) value = -1;
  (void)fclose(file);
  return value;
}

/* Hardware threads of the same core have the same numbers of package and core; where the system
 * does not tell them, every thread counts as a core. */
static int count_cores(const cpu_set_t *set) {
  int seen[CPU_SETSIZE][2], n = 0;
  for (int p = 0; p < CPU_SETSIZE; ++p) {
    if (!CPU_ISSET(p, set)) continue;
    const int package = read_number(p, "physical_package_id"), core = read_number(p, "core_id");
    int at = 0;
    while (at < n && !(core >= 0 && seen[at][0] == package && seen[at][1] == core)) ++at;
    if (at < n) continue;
    seen[n][0] = package;
    seen[n++][1] = core;
  }
  return n;
}

static int most_on_one(int n, const cpu_set_t *sets) {
  int bound[CPU_SETSIZE] = {0}, most = 0;
  for (int r = 0; r < n; ++r) {
    if (CPU_COUNT(&sets[r]) != 1) continue;
    for (int p = 0; p < CPU_SETSIZE; ++p)
      if (CPU_ISSET(p, &sets[r]) && ++bound[p] > most) most = bound[p];
  }
  return most;
}

static gannet_err describe_node(MPI_Comm comm, const cpu_set_t *mine, node *here) {
  cpu_set_t all, *sets = NULL;
  int rank = 0;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  GANNET_TRY_MPI(MPI_Comm_size(comm, &here->ranks));
  GANNET_TRY(gannet_agree(comm, gannet_alloc((size_t)here->ranks, sizeof *sets, &sets)));
  const int failed =
      MPI_Gather(mine, (int)sizeof *mine, MPI_BYTE, sets, (int)sizeof *sets, MPI_BYTE, 0, comm);
  if (!failed && rank == 0) {
    CPU_ZERO(&all);
    for (int r = 0; r < here->ranks; ++r) CPU_OR(&all, &all, &sets[r]);
    here->threads = CPU_COUNT(&all);
    here->cores = count_cores(&all);
    here->on_one = most_on_one(here->ranks, sets);
  }
  gannet_free(&sets);
  GANNET_TRY_MPI(failed);
  GANNET_TRY_MPI(MPI_Bcast(here, (int)sizeof *here, MPI_BYTE, 0, comm));
  return GANNET_OK;
}

/* The node with the fewest hardware threads per rank; the lowest rank that is there tells. */
static gannet_err find_fullest(MPI_Comm comm, const node *here, machine_places *places) {
  struct {
    double share;
    int rank;
  } mine = {.share = (double)here->threads / here->ranks}, least;
  node fullest = *here;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &mine.rank));
  GANNET_TRY_MPI(MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, comm));
  GANNET_TRY_MPI(MPI_Bcast(&fullest, (int)sizeof fullest, MPI_BYTE, least.rank, comm));
  places->ranks = fullest.ranks;
  places->threads = fullest.threads;
  places->cores = fullest.cores;
  return GANNET_OK;
}

static gannet_err find_places(MPI_Comm comm, MPI_Comm near, machine_places *places) {
  node here = {0};
  cpu_set_t mine;
  int rank = 0;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine)) CPU_ZERO(&mine);
  GANNET_TRY(describe_node(near, &mine, &here));
  GANNET_TRY(find_fullest(comm, &here, places));
  GANNET_TRY_MPI(MPI_Comm_rank(near, &rank));
  const int count = CPU_COUNT(&mine), first = rank == 0;
  const int most[] = {count, -count, here.on_one};
  int all[3];
  GANNET_TRY_MPI(MPI_Allreduce(most, all, 3, MPI_INT, MPI_MAX, comm));
  GANNET_TRY_MPI(MPI_Allreduce(&first, &places->nodes, 1, MPI_INT, MPI_SUM, comm));
  places->most = all[0];
  places->least = -all[1];
  places->on_one = all[2];
  return GANNET_OK;
}

gannet_err machine_find_places(MPI_Comm comm, machine_places *places) {
  MPI_Comm near = MPI_COMM_NULL;
  *places = (machine_places){0};
  if (gethostname(places->host, sizeof places->host - 1)) places->host[0] = '\0';
  GANNET_TRY_MPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near));
  const gannet_err err = find_places(comm, near, places);
  GANNET_TRY_MPI(MPI_Comm_free(&near));
  return err;
}
