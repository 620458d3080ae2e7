/* Where the ranks are, and which processors they and simulations may use. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/resources.h"
#include "linalg/blas.h"
#include "machine/topics.h"

/* The layout of ranks. */

static int read_topology(int processor, const char *name) {
  char path[128];
  int value = -1;
  (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", processor, name);
  FILE *file = fopen(path, "re");
  if (!file) return -1;
  if (fscanf(file, "%d", &value) != 1) value = -1;
  (void)fclose(file);
  return value;
}

/* Count the cores that some hardware threads belong to. Threads of one core have the same numbers
 * of package and core. Where the system does not tell these numbers, every thread counts as a core.
 */
int machine_count_cores(const bool *processors) {
  int seen[GANNET_PROCESSORS_MOST][2], n = 0;
  for (int p = 0; p < GANNET_PROCESSORS_MOST; ++p) {
    if (!processors[p]) continue;
    const int package = read_topology(p, "physical_package_id"), core = read_topology(p, "core_id");
    int at = 0;
    while (at < n && !(core >= 0 && seen[at][0] == package && seen[at][1] == core)) ++at;
    if (at < n) continue;
    seen[n][0] = package;
    seen[n++][1] = core;
  }
  return n;
}

/* Find the node with the fewest hardware threads per rank. The lowest rank of that node tells the
 * others. */
static gannet_err find_fullest(MPI_Comm comm, const gannet_processors *here,
                               machine_layout *layout) {
  struct {
    double share;
    int rank;
  } mine = {.share = (double)here->together / here->ranks}, least;
  int fullest[3] = {here->ranks, here->together, 0};
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &mine.rank));
  GANNET_TRY_MPI(MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, comm));
  if (mine.rank == least.rank) fullest[2] = machine_count_cores(here->any);
  GANNET_TRY_MPI(MPI_Bcast(fullest, 3, MPI_INT, least.rank, comm));
  layout->ranks = fullest[0];
  layout->threads = fullest[1];
  layout->cores = fullest[2];
  return GANNET_OK;
}

static gannet_err fill_layout(MPI_Comm comm, MPI_Comm near, machine_layout *layout) {
  gannet_processors here = {0};
  int rank = 0;
  GANNET_TRY(gannet_processors_find(near, &here));
  GANNET_TRY(find_fullest(comm, &here, layout));
  GANNET_TRY_MPI(MPI_Comm_rank(near, &rank));
  const int first = rank == 0;
  const int most[] = {here.own, -here.own, here.on_one};
  int all[3];
  GANNET_TRY_MPI(MPI_Allreduce(most, all, 3, MPI_INT, MPI_MAX, comm));
  GANNET_TRY_MPI(MPI_Allreduce(&first, &layout->nodes, 1, MPI_INT, MPI_SUM, comm));
  layout->most = all[0];
  layout->least = -all[1];
  layout->on_one = all[2];
  return GANNET_OK;
}

gannet_err machine_find_layout(MPI_Comm comm, machine_layout *layout) {
  MPI_Comm near = MPI_COMM_NULL;
  *layout = (machine_layout){0};
  if (gethostname(layout->host, sizeof layout->host - 1)) layout->host[0] = '\0';
  GANNET_TRY_MPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near));
  const gannet_err err = fill_layout(comm, near, layout);
  GANNET_TRY_MPI(MPI_Comm_free(&near));
  return err;
}

/* Findings. */

/* "model name : AMD EPYC" of the first processor. */
static void read_model(char *text, size_t size) {
  char line[512];
  (void)snprintf(text, size, "unknown");
  FILE *file = fopen("/proc/cpuinfo", "re");
  if (!file) return;
  while (fgets(line, sizeof line, file)) {
    const char *value = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !value) continue;
    (void)snprintf(text, size, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
    break;
  }
  (void)fclose(file);
}

static void inspect_ranks(const machine_layout *p, machine_report *report) {
  machine_say(report, "processors", "ranks and cores", "%d rank%s, %d core%s (%d hardware threads)",
              p->ranks, p->ranks == 1 ? "" : "s", p->cores, p->cores == 1 ? "" : "s", p->threads);
  if (p->threads == 0)
    machine_advise(report, MACHINE_NOTE, "the system does not tell which may be used");
  else if (p->ranks > p->threads)
    machine_advise(report, MACHINE_CHANGE,
                   "more ranks than processors: they wait for each other at every step; start %d "
                   "per node, or ask for more cores",
                   p->cores);
  else if (p->ranks > p->cores)
    machine_advise(report, MACHINE_NOTE,
                   "ranks share cores (two hardware threads each): one rank per core is usually "
                   "as fast");
}

static void inspect_binding(const machine_layout *p, machine_report *report) {
  if (p->least == p->most)
    machine_say(report, "processors", "binding", "every rank may use %d of %d", p->most,
                p->threads);
  else
    machine_say(report, "processors", "binding", "ranks may use %d to %d", p->least, p->most);
  if (p->on_one > 1)
    machine_advise(report, MACHINE_CHANGE,
                   "%d ranks are bound to the same hardware thread: with Open MPI --bind-to core "
                   "--map-by core, with several jobs on a node --bind-to none; with SLURM "
                   "srun --cpu-bind=cores",
                   p->on_one);
}

/* Simulations are not bound as ranks are: they may use what the launcher of the job may use. */
static void inspect_simulations(const machine_request *request, machine_report *report) {
  static bool may_use[GANNET_PROCESSORS_MOST];
  const int threads = request->launcher ? gannet_launcher_processors(
                                              request->launcher, GANNET_PROCESSORS_MOST, may_use)
                                        : 0;
  const int cores = machine_count_cores(may_use);
  const long wanted = (long)request->slots * request->processes;
  if (threads == 0) return;
  machine_say(report, "processors", "simulations",
              "all together may use %d core%s (%d hardware "
              "threads)",
              cores, cores == 1 ? "" : "s", threads);
  if (wanted > cores)
    machine_advise(report, wanted > threads ? MACHINE_CHANGE : MACHINE_NOTE,
                   "%d at a time with %d process%s each are more than these cores and slow each "
                   "other down: choose at most parallel: %d, or ask for more cores",
                   request->slots, request->processes, request->processes == 1 ? "" : "es",
                   cores / request->processes > 0 ? cores / request->processes : 1);
}

static void inspect_limits(const machine_layout *p, machine_report *report) {
  double load = 0;
  gannet_group group;
  if (getloadavg(&load, 1) != 1) load = 0;
  gannet_group_read("", &group);
  if (group.processors < p->threads) {
    machine_say(report, "processors", "quota", "%.2f", group.processors);
    machine_advise(report, MACHINE_CHANGE,
                   "this container or job may use %.2f processors, however many it sees: raise "
                   "the limit of its control group or start fewer ranks",
                   group.processors);
  }
  machine_say(report, "processors", "load", "%.1f", load);
  if (p->threads > 0 && load > 1.2 * p->threads)
    machine_advise(report, MACHINE_NOTE, "other work is running on this node");
}

static void inspect_variables(const machine_layout *p, machine_report *report) {
  static const char *const names[] = {
      "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "GOTO_NUM_THREADS", "MKL_NUM_THREADS",
      "OPENBLAS_CORETYPE",    "OMP_PROC_BIND",   "OMP_PLACES",       "GANNET_KEEP_BLAS"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const char *text = getenv(names[i]);
    if (!text) continue;
    machine_say(report, "threads", names[i], "%s", text);
    if (i == 0 && strtol(text, NULL, 10) > 1)
      machine_advise(
          report, MACHINE_NOTE,
          "gannet uses one thread per rank and ends the others that this starts: set it to "
          "1, and let simulations that want threads set their own");
    else if (i == 1 && strtol(text, NULL, 10) * p->ranks > p->threads && p->threads > 0)
      machine_advise(report, MACHINE_NOTE,
                     "simulations of all %d ranks together would start %ld threads on %d "
                     "processors; gannet itself uses one thread per rank",
                     p->ranks, strtol(text, NULL, 10) * p->ranks, p->threads);
  }
}

void machine_inspect_processors(const machine_request *request, const machine_layout *layout,
                                machine_report *report) {
  char model[128];
  read_model(model, sizeof model);
  machine_say(report, "processors", "model", "%s", model);
  inspect_ranks(layout, report);
  inspect_binding(layout, report);
  inspect_simulations(request, report);
  inspect_limits(layout, report);
  machine_say(report, "threads", "per rank", "%d", gannet_blas_threads());
  if (gannet_blas_threads() > 1)
    machine_advise(report, MACHINE_CHANGE, "BLAS does not let gannet reduce its threads to one");
  inspect_variables(layout, report);
}
