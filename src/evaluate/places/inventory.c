#define _GNU_SOURCE /* memrchr */
#include "evaluate/places/inventory.h"

#include <ctype.h>
#include <dirent.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

bool gannet_job_has_gpus(void) {
  const char *job = getenv("SLURM_JOB_ID"), *here = getenv("SLURM_GPUS_ON_NODE");
  const char *all = getenv("SLURM_GPUS"); /* they may be on other nodes */
  return job && *job && ((here && atoi(here) > 0) || (all && *all && strcmp(all, "0") != 0));
}

bool gannet_inventory_is_listed(const gannet_inventory *inventory) {
  return strncmp(inventory->gpu_from, "evaluate.", 9) == 0 ||
         strncmp(inventory->gpu_from, "GANNET_", 7) == 0;
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

/* The number that a word of digits stands for, or -1 if it is larger than any GPU's. Signs and
 * leading zeros are refused, so that no two words stand for the same GPU. */
static int read_number(const char *word, size_t size) {
  if (size == 0 || size > 4 || strspn(word, "0123456789") < size || (size > 1 && *word == '0'))
    return -1;
  const int number = (int)strtol(word, NULL, 10);
  return number < MOST_GPUS ? number : -1;
}

/* Whether a word is the beginning of a UUID: of 8-4-4-4-12 hexadecimal digits, or of the 16 digits
 * that older versions of ROCm show. */
static bool begins_uuid(const char *word, size_t size) {
  size_t digits = 0;
  while (digits < size && isxdigit((unsigned char)word[digits])) ++digits;
  if (digits == size) return size >= 1 && size <= 16 && (size <= 8 || size == 16);
  for (size_t i = 0; i < size; ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_dash ? word[i] != '-' : !isxdigit((unsigned char)word[i])) return false;
  }
  return size <= 36;
}

/* Whether a word names a GPU by its UUID as CUDA and ROCm document it: GPU-UUID, and for a part of
 * a GPU of NVIDIA MIG-UUID, where the first digits are enough, or MIG-GPU-UUID/1/0 with the numbers
 * of its two instances. CUDA takes any other word for an invalid GPU and shows none from there on.
 */
static bool is_uuid(const char *word, size_t size) {
  const char *end = word + size;
  if (size > 8 && strncmp(word, "MIG-GPU-", 8) == 0) {
    const char *first = memchr(word, '/', size);
    const char *second = first ? memchr(first + 1, '/', (size_t)(end - first - 1)) : NULL;
    return second && begins_uuid(word + 8, (size_t)(first - word - 8)) &&
           read_number(first + 1, (size_t)(second - first - 1)) >= 0 &&
           read_number(second + 1, (size_t)(end - second - 1)) >= 0;
  }
  return size > 4 && (strncmp(word, "GPU-", 4) == 0 || strncmp(word, "MIG-", 4) == 0) &&
         begins_uuid(word + 4, size - 4);
}

/* Who reads a list of GPUs, which decides what words it may have. */
typedef enum { LIST_OF_GANNET, LIST_OF_CUDA_OR_ROCM, LIST_OF_LEVEL_ZERO } list_reader;

/* Add the GPU, or the GPUs, that a word of a list names: a number, a tile of one (0.1) for Level
 * Zero, a UUID for CUDA or ROCm, any of them in gannet's own lists, and there also a range of
 * numbers (0-3). Anything else is a complaint.
 *
 * complaints  inout  NULL = no simulation has GPUs
 */
static gannet_err add_named(gannet_node *node, const char *word, size_t size, list_reader reader,
                            const char *list, gannet_complaints *complaints) {
  static const char *const expected[] = {
      [LIST_OF_GANNET] =
          ("numbers to 1023, ranges such as 0-3, tiles such as 0.1, or UUIDs that begin with GPU- "
           "or MIG-, as `nvidia-smi -L` or `rocminfo` shows them"),
      [LIST_OF_CUDA_OR_ROCM] = ("numbers or UUIDs that begin with GPU- or MIG-, as `nvidia-smi -L` "
                                "or `rocminfo` shows them"),
      [LIST_OF_LEVEL_ZERO] = "numbers of GPUs or of tiles such as 0.1"};
  const size_t before = strspn(word, "0123456789"); /* the sign between two numbers */
  const bool is_pair = before > 0 && before + 1 < size;
  const int first = read_number(word, before < size ? before : size);
  const int second = is_pair ? read_number(word + before + 1, size - before - 1) : -1;
  const char sign = is_pair && first >= 0 && second >= 0 ? word[before] : '\0';
  if (reader == LIST_OF_GANNET && sign == '-' && first <= second)
    return add_numbered(node, first, second);
  if ((before >= size && first >= 0) || (reader != LIST_OF_CUDA_OR_ROCM && sign == '.') ||
      (reader != LIST_OF_LEVEL_ZERO && is_uuid(word, size)))
    return add_gpu(node, word, size);
  const bool is_key = strncmp(list, "evaluate.", 9) == 0;
  char example[64] = "";
  size_t used = 0;
  /* Whoever writes a range sees the numbers that it stands for. */
  for (int i = first; sign == '-' && i <= second && used < sizeof example; ++i)
    used += (size_t)snprintf(example + used, sizeof example - used, i > first ? ",%d" : "%d", i);
  if (complaints)
    gannet_complain(complaints, is_key ? list : "evaluate.resources.gpus",
                    "%s%s'%.*s' is not a GPU; expected %s, as in %s", is_key ? "" : list,
                    is_key ? "" : ": ", size < 80 ? (int)size : 80, word, expected[reader],
                    is_key                              ? "[0, 1]"
                    : used > 0 && used < sizeof example ? example
                                                        : "0,1");
  return GANNET_OK;
}

/* Whether the second name stands for the GPU of the first one, or for a part of it: a UUID and its
 * first digits, a GPU and its tile (0 and 0.1) or its instance (GPU-4a1f and MIG-GPU-4a1f/1/0). */
static bool is_within(const char *whole, const char *part) {
  const size_t n = strlen(whole), m = strcspn(part, "/");
  if (isdigit((unsigned char)*whole)) return strncmp(whole, part, n) == 0 && part[n] == '.';
  if (strncmp(whole, "GPU-", 4) == 0 && strncmp(part, "MIG-GPU-", 8) == 0)
    return strncasecmp(whole + 4, part + 8, n - 4 < m - 8 ? n - 4 : m - 8) == 0;
  return !part[m] && strncasecmp(whole, part, n) == 0;
}

/* Complain about the first two names of a list by which two simulations would share a GPU. */
static void check_overlap(const gannet_node *node, const char *list,
                          gannet_complaints *complaints) {
  for (int i = 0; complaints && i < node->n_gpus; ++i)
    for (int k = 0; k < i; ++k) {
      const char *a = node->gpu[k], *b = node->gpu[i];
      if (strcmp(a, b) == 0 || !(is_within(a, b) || is_within(b, a))) continue;
      const bool is_key = strncmp(list, "evaluate.", 9) == 0;
      gannet_complain(complaints, is_key ? list : "evaluate.resources.gpus",
                      "%s%s'%s' and '%s' name the same GPU; expected one name for each GPU; where "
                      "simulations share one, list the same name several times",
                      is_key ? "" : list, is_key ? "" : ": ", a, b);
      return;
    }
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

/* Add the GPUs of a list in the environment. Its words stand between commas; in that of gannet
 * also between blanks. */
static gannet_err read_variable(const char *name, const char *list, list_reader reader,
                                gannet_complaints *complaints, gannet_node *node) {
  const bool is_own = reader == LIST_OF_GANNET;
  const char *const between = is_own ? ", \t" : ",";
  const int before = complaints ? complaints->count : 0;
  for (const char *at = list; *at;) {
    at += strspn(at, is_own ? between : " \t");
    size_t size = strcspn(at, between);
    const char *next = at + size + (at[size] != '\0');
    while (size > 0 && (at[size - 1] == ' ' || at[size - 1] == '\t')) --size;
    if (size == 0 && !*next) break;
    /* CUDA sees none of those from an invalid one on: -1 and NoDevFiles stand for no GPU. */
    if (*at == '-' || strncmp(at, "NoDevFiles", 10) == 0) break;
    GANNET_TRY(add_named(node, at, size, reader, name, complaints));
    if (complaints && complaints->count > before) return GANNET_OK;
    at = next;
  }
  check_overlap(node, name, complaints);
  return GANNET_OK;
}

/* Complain about a HIP_VISIBLE_DEVICES that chooses among the n GPUs of ROCR_VISIBLE_DEVICES: the
 * user wants fewer than the list that is read, and simulations get a list of their own. */
static void check_hip(int n, gannet_complaints *complaints) {
  const char *at = getenv("HIP_VISIBLE_DEVICES");
  int k = 0;
  if (!at || !*at) return;
  for (char *end; k < n; ++k, at = *end == ',' ? end + 1 : end)
    if (strtol(at, &end, 10) != k || end == at) break;
  if (k < n || *at)
    gannet_complain(complaints, "evaluate.resources.gpus",
                    "HIP_VISIBLE_DEVICES=%.100s chooses among the GPUs of ROCR_VISIBLE_DEVICES; "
                    "unset it, and name those that simulations may use in ROCR_VISIBLE_DEVICES or "
                    "GANNET_GPUS",
                    getenv("HIP_VISIBLE_DEVICES"));
}

/* Take the GPUs from the first source that names any: the key, GANNET_GPUS, what the runtimes read,
 * SLURM, drivers. Numbers in HIP_VISIBLE_DEVICES, and with AMD's GPUs in CUDA_VISIBLE_DEVICES,
 * count those that ROCR_VISIBLE_DEVICES leaves, so that one is before them. */
static gannet_err find_gpus(const gannet_resources *resources, gannet_complaints *complaints,
                            gannet_inventory *inventory, gannet_node *node) {
  static const char *const variables[] = {"GANNET_GPUS", "ROCR_VISIBLE_DEVICES",
                                          "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                                          "ZE_AFFINITY_MASK"};
  const gannet_text_list *devices = &resources->devices;
  const char *empty = NULL;
  const bool is_named = devices->n != 1 || strcmp(devices->item[0], "auto") != 0;
  if (is_named) {
    (void)snprintf(inventory->gpu_from, sizeof inventory->gpu_from, "evaluate.resources.devices");
    for (int i = 0; i < devices->n; ++i) {
      if (!devices->item[i][0] || strcmp(devices->item[i], "auto") == 0) continue; /* is told */
      GANNET_TRY(add_named(node, devices->item[i], strlen(devices->item[i]), LIST_OF_GANNET,
                           inventory->gpu_from, complaints));
    }
    check_overlap(node, inventory->gpu_from, complaints);
    if (devices->n == 0)
      gannet_complain(complaints, "evaluate.resources.devices",
                      "the list is empty; expected GPUs such as [0, 1], or auto");
    return GANNET_OK;
  }
  for (size_t i = 0; i < sizeof variables / sizeof *variables; ++i) {
    const char *list = getenv(variables[i]);
    const list_reader reader = i == 0                 ? LIST_OF_GANNET
                               : *variables[i] == 'Z' ? LIST_OF_LEVEL_ZERO
                                                      : LIST_OF_CUDA_OR_ROCM;
    if (!list || (reader == LIST_OF_LEVEL_ZERO && !*list)) continue; /* such a mask hides nothing */
    const int before = complaints->count;
    GANNET_TRY(
        read_variable(variables[i], list, reader, resources->gpus ? complaints : NULL, node));
    if (complaints->count > before) return GANNET_OK;
    (void)snprintf(inventory->gpu_from, sizeof inventory->gpu_from, "%s", variables[i]);
    if (node->n_gpus > 0 && resources->gpus && strcmp(variables[i], "ROCR_VISIBLE_DEVICES") == 0)
      check_hip(node->n_gpus, complaints);
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
  const char *of_node = getenv("SLURM_MEM_PER_NODE"), *of_core = getenv("SLURM_MEM_PER_CPU");
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
    const double memory = of_node   ? atof(of_node) /* in MiB */
                          : of_core ? atof(of_core) * count[i]
                                    : 0;
    node->memory = memory * 1048576;
    node->memory_of_core = node->memory / (count[i] > 0 ? count[i] : 1);
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

/* How many GPUs each of the other nodes has: as many as this one. Where the job asked for a number
 * on all nodes together (`sbatch --gpus`), SLURM may have dealt them unevenly, and only this node's
 * are known here; then they have equal shares of the rest. More would make their steps wait. */
static int count_elsewhere(const gannet_inventory *inventory, const gannet_node *here) {
  const char *all = getenv("SLURM_GPUS"); /* "8", "a100:8" or "a100:4,v100:4" */
  const bool is_shared = gannet_job_has_gpus() && !gannet_inventory_is_listed(inventory);
  int total = 0;
  for (const char *at = all; at && *at; at += strspn(at, ",")) {
    const size_t size = strcspn(at, ",");
    const char *colon = memrchr(at, ':', size);
    total += atoi(colon ? colon + 1 : at);
    at += size;
  }
  if (total <= 0 || !is_shared || inventory->n_nodes < 2) return here->n_gpus;
  const int rest = total > here->n_gpus ? total - here->n_gpus : 0;
  const int share = rest / (inventory->n_nodes - 1);
  return share < here->n_gpus ? share : here->n_gpus;
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

gannet_err gannet_inventory_find_gpus(const gannet_resources *resources,
                                      gannet_complaints *complaints, gannet_inventory *inventory) {
  const char *job = getenv("SLURM_JOB_ID");
  *inventory = (gannet_inventory){0};
  (void)snprintf(inventory->job, sizeof inventory->job, "%s", job ? job : "");
  GANNET_TRY(gannet_alloc(1, sizeof *inventory->node, &inventory->node));
  inventory->n_nodes = 1;
  return find_gpus(resources, complaints, inventory, inventory->node);
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
  const int elsewhere = count_elsewhere(inventory, here);
  for (int i = 0; i < inventory->n_nodes; ++i)
    for (int g = 0; &inventory->node[i] != here && g < elsewhere; ++g)
      GANNET_TRY(add_gpu(&inventory->node[i], here->gpu[g], strlen(here->gpu[g])));
  return GANNET_OK;
}
