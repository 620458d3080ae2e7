#include "evaluate/places/inventory.h"

#include <ctype.h>
#include <dirent.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evaluate/contract/contract.h"
#include "evaluate/result_record.h"

void gannet_inventory_release(gannet_inventory *inventory) {
  for (int i = 0; i < inventory->n_nodes; ++i) {
    gannet_free(&inventory->node[i].core);
    gannet_free(&inventory->node[i].gpu);
  }
  gannet_free(&inventory->node);
  inventory->n_nodes = 0;
}

bool gannet_inventory_has_lost(const gannet_inventory *inventory) {
  for (int i = 0; i < inventory->n_nodes; ++i)
    if (inventory->node[i].is_lost) return true;
  return false;
}

/* Cores. */

/* Take the threads that may be used, core by core in hwloc's order. Returns how many threads hwloc
 * knows of these. */
static gannet_err read_cores(hwloc_topology_t topology, const bool *may_use, gannet_node *node,
                             int *seen) {
  const bool has_cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0;
  const hwloc_obj_type_t type = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  const int n = hwloc_get_nbobjs_by_type(topology, type);
  *seen = 0;
  node->cores_from = "the machine";
  GANNET_TRY(gannet_alloc(n > 0 ? (size_t)n : 1, sizeof *node->core, &node->core));
  for (int i = 0; i < n; ++i) {
    const hwloc_obj_t object = hwloc_get_obj_by_type(topology, type, (unsigned)i);
    gannet_core core = {0};
    unsigned thread;
    hwloc_bitmap_foreach_begin(thread, object->cpuset) {
      if (thread < GANNET_PROCESSORS_MOST && may_use[thread]) {
        if (core.n < GANNET_CORE_THREADS) core.thread[core.n++] = (int)thread;
        *seen += 1;
      }
    }
    hwloc_bitmap_foreach_end();
    if (core.n > 0) node->core[node->n_cores++] = core;
  }
  if (node->n_cores < n) node->cores_from = "the affinity mask of gannet's start";
  return GANNET_OK;
}

/* Find the cores of this machine that simulations may use. */
static gannet_err find_cores(const gannet_launcher *launcher, gannet_complaints *complaints,
                             gannet_node *node) {
  bool may_use[GANNET_PROCESSORS_MOST];
  const int threads = gannet_launcher_processors(launcher, GANNET_PROCESSORS_MOST, may_use);
  hwloc_topology_t topology;
  gannet_group group;
  int seen = 0;
  if (hwloc_topology_init(&topology)) return GANNET_RAISE(GANNET_ERR_MEMORY, "hwloc");
  gannet_err err = GANNET_OK;
  if (hwloc_topology_load(topology))
    gannet_complain(complaints, "evaluate.resources",
                    "hwloc cannot read this machine; expected its cores, as `lstopo` shows them");
  else
    err = read_cores(topology, may_use, node, &seen);
  hwloc_topology_destroy(topology);
  GANNET_TRY(err);
  if (seen < threads) {
    const char *source = getenv("HWLOC_SYNTHETIC") ? "HWLOC_SYNTHETIC"
                         : getenv("HWLOC_XMLFILE") ? "HWLOC_XMLFILE"
                                                   : NULL;
    gannet_complain(complaints, "evaluate.resources",
                    "hwloc sees %d of the %d processors that the system grants to simulations%s%s; "
                    "expected all of them: %s",
                    seen, threads, source ? ", because of " : "", source ? source : "",
                    source ? "unset that variable" : "`lstopo` shows what hwloc sees");
  }
  gannet_group_read("", &group);
  const int quota = group.processors < 1 ? 1 : group.processors < 1e6 ? (int)group.processors : 0;
  if (quota > 0 && quota < node->n_cores) { /* a container of 2 of 64 cores */
    node->n_cores = quota;
    node->cores_from = "the quota of its control group";
  }
  return GANNET_OK;
}

/* GPUs. */

enum { MOST_GPUS = 1024 }; /* above the numbers in a range */

static gannet_err add_gpu(gannet_node *node, const char *name, size_t size) {
  const size_t n = (size_t)node->n_gpus;
  bool is_known = false;
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *node->gpu, &node->gpu));
  (void)snprintf(node->gpu[n], sizeof *node->gpu, "%.*s", (int)size, name);
  for (size_t i = 0; i < n; ++i) is_known = is_known || strcmp(node->gpu[i], node->gpu[n]) == 0;
  node->n_gpus += 1;
  node->n_devices += !is_known;
  return GANNET_OK;
}

/* Add GPUs from one number to another. */
static gannet_err add_numbered(gannet_node *node, int first, int last) {
  char name[16];
  for (int i = first; i <= last; ++i) {
    (void)snprintf(name, sizeof name, "%d", i);
    GANNET_TRY(add_gpu(node, name, strlen(name)));
  }
  return GANNET_OK;
}

/* Whether a word is a UUID, or its beginning, as CUDA_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES have
 * them: GPU-8932f937-d72c-4106-c12f-20bd9faed9f6, and for a part of a GPU MIG-UUID or
 * MIG-GPU-UUID/1/0. CUDA takes any other word for an invalid GPU and shows none from there on.
 */
static bool is_uuid(const char *word, size_t size) {
  const bool is_part = size > 4 && strncmp(word, "MIG-", 4) == 0;
  size_t at = is_part ? 4 : 0;
  const bool is_gpu = size > at + 4 && strncmp(word + at, "GPU-", 4) == 0;
  if (!is_part && !is_gpu) return false;
  at += is_gpu ? 4 : 0;
  if (!isxdigit((unsigned char)word[at])) return false;
  while (at < size && (isxdigit((unsigned char)word[at]) || word[at] == '-')) ++at;
  while (at < size && is_part && (isdigit((unsigned char)word[at]) || word[at] == '/')) ++at;
  return at == size;
}

/* Add the GPU, or the GPUs, that a word of a list names: a number, a tile of one (0.1), a UUID, or
 * a range of numbers (0-3), which only gannet's own lists have. Anything else is a complaint.
 *
 * complaints  inout  NULL = no simulation has GPUs
 */
static gannet_err add_named(gannet_node *node, const char *word, size_t size, bool has_ranges,
                            const char *list, gannet_complaints *complaints) {
  static const char digits[] = "0123456789";
  const size_t number = strspn(word, digits);
  const char *end = word + size, *second = word + number + 1; /* after the sign between numbers */
  const bool is_pair = number > 0 && number + 1 < size && second + strspn(second, digits) == end;
  if (has_ranges && is_pair && word[number] == '-') {
    const long first = strtol(word, NULL, 10), last = strtol(second, NULL, 10);
    if (first <= last && last < MOST_GPUS) return add_numbered(node, (int)first, (int)last);
  }
  if (number == size || (is_pair && word[number] == '.') || is_uuid(word, size))
    return add_gpu(node, word, size);
  const bool is_key = strncmp(list, "evaluate.", 9) == 0;
  if (complaints)
    gannet_complain(complaints, is_key ? list : "evaluate.resources.gpus",
                    "%s%s'%.*s' is not a GPU; expected numbers%s or UUIDs that begin with GPU- or "
                    "MIG-, as in %s",
                    is_key ? "" : list, is_key ? "" : ": ", size < 80 ? (int)size : 80, word,
                    has_ranges ? " such as 0 or 0-3," : "", is_key ? "[0, 1]" : "0,1");
  return GANNET_OK;
}

/* How many GPUs the drivers of NVIDIA and AMD show: entries of a folder that begin so. */
static int count_devices(void) {
  static const struct {
    const char *folder, *name;
  } shown[] = {{"/proc/driver/nvidia/gpus", ""}, {"/sys/class/drm", "renderD"}};
  for (size_t i = 0; i < sizeof shown / sizeof *shown; ++i) {
    DIR *folder = opendir(shown[i].folder);
    int n = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
      char path[512], driver[512];
      if (entry->d_name[0] == '.' ||
          strncmp(entry->d_name, shown[i].name, strlen(shown[i].name)) != 0)
        continue;
      (void)snprintf(path, sizeof path, "%s/%.200s/device/driver", shown[i].folder, entry->d_name);
      n += i == 0 || (realpath(path, driver) && strstr(driver, "/amdgpu"));
    }
    if (folder) (void)closedir(folder);
    if (n > 0) return n;
  }
  return 0;
}

/* The first that says something: the key, GANNET_GPUS, what the runtimes read, SLURM, drivers. */
static gannet_err find_gpus(const gannet_resources *resources, gannet_complaints *complaints,
                            gannet_inventory *inventory, gannet_node *node) {
  static const char *const variables[] = {"GANNET_GPUS", "CUDA_VISIBLE_DEVICES",
                                          "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK"};
  const gannet_text_list *devices = &resources->devices;
  const char *empty = NULL;
  const bool is_named = devices->n != 1 || strcmp(devices->item[0], "auto") != 0;
  if (is_named) {
    (void)snprintf(inventory->gpu_from, sizeof inventory->gpu_from, "evaluate.resources.devices");
    for (int i = 0; i < devices->n; ++i) {
      if (!devices->item[i][0] || strcmp(devices->item[i], "auto") == 0) continue; /* is told */
      GANNET_TRY(add_named(node, devices->item[i], strlen(devices->item[i]), true,
                           inventory->gpu_from, complaints));
    }
    if (devices->n == 0)
      gannet_complain(complaints, "evaluate.resources.devices",
                      "the list is empty; expected GPUs such as [0, 1], or auto");
    return GANNET_OK;
  }
  for (size_t i = 0; i < sizeof variables / sizeof *variables; ++i) {
    const char *list = getenv(variables[i]);
    if (!list) continue;
    for (const char *at = list + strspn(list, ", "); *at; at += strspn(at, ", ")) {
      const size_t size = strcspn(at, ", "); /* of "0,1" or "GPU-4a1f, GPU-77c0" */
      /* CUDA sees none of those from an invalid one on: -1 and NoDevFiles stand for no GPU. */
      if (*at == '-' || strncmp(at, "NoDevFiles", 10) == 0) break;
      const int before = complaints->count;
      GANNET_TRY(
          add_named(node, at, size, i == 0, variables[i], resources->gpus ? complaints : NULL));
      if (complaints->count > before) return GANNET_OK;
      at += size;
    }
    (void)snprintf(inventory->gpu_from, sizeof inventory->gpu_from, "%s", variables[i]);
    if (node->n_gpus > 0) return GANNET_OK;
    if (!empty) empty = variables[i];
  }
  inventory->gpu_from[0] = '\0';
  if (empty && resources->gpus)
    gannet_complain(complaints, "evaluate.resources.gpus",
                    "%s names no GPU, so no simulation may use one; unset it, or list GPUs "
                    "in it, as in %s=0,1",
                    empty, empty);
  if (empty) return GANNET_OK;
  const char *counted = getenv("SLURM_GPUS_ON_NODE");
  const int granted = counted ? atoi(counted) : 0;
  if (inventory->job[0] && granted > 0) {
    (void)snprintf(inventory->gpu_from, sizeof inventory->gpu_from, "SLURM_GPUS_ON_NODE");
    return add_numbered(node, 0, granted - 1);
  }
  GANNET_TRY(add_numbered(node, 0, count_devices() - 1));
  if (node->n_gpus > 0)
    (void)snprintf(inventory->gpu_from, sizeof inventory->gpu_from, "the system");
  return GANNET_OK;
}

/* Nodes. */

/* The nodes of the allocation, with the cores and the memory that SLURM tells. */
static gannet_err read_allocation(gannet_complaints *complaints, gannet_inventory *inventory) {
  const char *list = getenv("SLURM_JOB_NODELIST"), *cpus = getenv("SLURM_JOB_CPUS_PER_NODE");
  const char *memory = getenv("SLURM_MEM_PER_NODE"); /* in MiB */
  const char *here = getenv("SLURMD_NODENAME");
  char host[GANNET_HOST_SIZE];
  gannet_text_list hosts = {0};
  int *count = NULL;
  gannet_err err = gannet_hosts_expand(list ? list : "", &hosts);
  if (err == GANNET_OK) err = gannet_alloc((size_t)hosts.n + 1, sizeof *count, &count);
  if (err == GANNET_OK) err = gannet_counts_expand(cpus ? cpus : "", hosts.n, count);
  if (err == GANNET_OK)
    err = gannet_alloc((size_t)hosts.n + 1, sizeof *inventory->node, &inventory->node);
  gannet_host_name(host);
  for (int i = 0; err == GANNET_OK && i < hosts.n; ++i) {
    gannet_node *node = &inventory->node[inventory->n_nodes++];
    (void)snprintf(node->host, sizeof node->host, "%s", hosts.item[i]);
    const size_t n = strcspn(host, "."); /* one of the two names may lack the domain */
    node->is_here = here ? strcmp(here, node->host) == 0
                         : strcspn(node->host, ".") == n && strncmp(host, node->host, n) == 0;
    node->n_cores = count[i];
    node->cores_from = "SLURM";
    node->memory = memory ? atof(memory) * 1048576 : 0;
  }
  gannet_free(&count);
  gannet_text_list_release(&hosts);
  if (err != GANNET_ERR_INPUT) return err;
  gannet_complain(complaints, "evaluate.resources",
                  "SLURM_JOB_NODELIST=%s and SLURM_JOB_CPUS_PER_NODE=%s: gannet cannot read which "
                  "nodes job %s has; start gannet in the shell or script of the job itself",
                  list ? list : "", cpus ? cpus : "", inventory->job);
  gannet_error_clear();
  return GANNET_OK;
}

/* What the system tells about the node of this process. SLURM may confine nobody to the processors
 * of its job; then only their number is known. */
static gannet_err look_here(const gannet_launcher *launcher, const gannet_resources *resources,
                            gannet_complaints *complaints, gannet_inventory *inventory,
                            gannet_node *node) {
  const int granted = node->n_cores;
  double available = 0;
  node->n_cores = 0;
  node->is_here = true;
  GANNET_TRY(find_cores(launcher, complaints, node));
  if (granted > 0 && granted < node->n_cores) {
    node->n_cores = granted;
    node->cores_from = "SLURM";
  }
  if (node->memory <= 0) gannet_memory_of_machine(&available, &node->memory);
  return find_gpus(resources, complaints, inventory, node);
}

gannet_err gannet_inventory_find(const gannet_launcher *launcher, const gannet_resources *resources,
                                 gannet_complaints *complaints, gannet_inventory *inventory) {
  const char *job = getenv("SLURM_JOB_ID");
  gannet_node *here = NULL;
  *inventory = (gannet_inventory){0};
  (void)snprintf(inventory->job, sizeof inventory->job, "%s", job ? job : "");
  if (inventory->job[0]) GANNET_TRY(read_allocation(complaints, inventory));
  for (int i = 0; i < inventory->n_nodes; ++i)
    if (inventory->node[i].is_here) here = &inventory->node[i];
  if (inventory->n_nodes > 0 && !here) {
    gannet_complain(complaints, "evaluate.resources",
                    "gannet does not run on a node of job %s, whose variables it has; start it in "
                    "the job, or unset SLURM_JOB_ID",
                    inventory->job);
    return GANNET_OK;
  }
  if (!here) {
    GANNET_TRY(gannet_alloc(1, sizeof *inventory->node, &inventory->node));
    inventory->n_nodes = 1;
    here = inventory->node;
    gannet_host_name(here->host);
  }
  GANNET_TRY(look_here(launcher, resources, complaints, inventory, here));
  for (int i = 0; i < inventory->n_nodes; ++i)
    for (int g = 0; &inventory->node[i] != here && g < here->n_gpus; ++g)
      GANNET_TRY(add_gpu(&inventory->node[i], here->gpu[g], strlen(here->gpu[g])));
  return GANNET_OK;
}
