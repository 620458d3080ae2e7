/* Which processors the ranks may use. */
#include <stdio.h>
#include <unistd.h>

#include "base/processors.h"
#include "machine/inspect.h"

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
int machine_count_cores(const bool *processors) {
  int seen[GANNET_PROCESSORS_MOST][2], n = 0;
  for (int p = 0; p < GANNET_PROCESSORS_MOST; ++p) {
    if (!processors[p]) continue;
    const int package = read_number(p, "physical_package_id"), core = read_number(p, "core_id");
    int at = 0;
    while (at < n && !(core >= 0 && seen[at][0] == package && seen[at][1] == core)) ++at;
    if (at < n) continue;
    seen[n][0] = package;
    seen[n++][1] = core;
  }
  return n;
}

/* The node with the fewest hardware threads per rank; the lowest rank that is there tells. */
static gannet_err find_fullest(MPI_Comm comm, const gannet_processors *here,
                               machine_places *places) {
  struct {
    double share;
    int rank;
  } mine = {.share = (double)here->together / here->ranks}, least;
  int fullest[3] = {here->ranks, here->together, 0};
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &mine.rank));
  GANNET_TRY_MPI(MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, comm));
  if (mine.rank == least.rank) fullest[2] = machine_count_cores(here->any);
  GANNET_TRY_MPI(MPI_Bcast(fullest, 3, MPI_INT, least.rank, comm));
  places->ranks = fullest[0];
  places->threads = fullest[1];
  places->cores = fullest[2];
  return GANNET_OK;
}

static gannet_err find_places(MPI_Comm comm, MPI_Comm near, machine_places *places) {
  gannet_processors here = {0};
  int rank = 0;
  GANNET_TRY(gannet_processors_find(near, &here));
  GANNET_TRY(find_fullest(comm, &here, places));
  GANNET_TRY_MPI(MPI_Comm_rank(near, &rank));
  const int first = rank == 0;
  const int most[] = {here.own, -here.own, here.on_one};
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
