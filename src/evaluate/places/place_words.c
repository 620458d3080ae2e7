#include "evaluate/places/place_words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/contract/contract.h"

/* Append formatted text as far as there is room. */
static void GANNET_PRINTF(3, 4) append(char *text, size_t size, const char *format, ...) {
  const size_t used = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text + used, size - used, format, arguments);
  va_end(arguments);
}

gannet_place_starter gannet_place_starter_of(const gannet_resources *resources, bool of_job) {
  const char *job = getenv("SLURM_JOB_ID"), *nodes = getenv("SLURM_JOB_NUM_NODES");
  const bool has_nodes = job && nodes && atoi(nodes) > 1;
  if (resources->launcher == GANNET_START_BY_SRUN) return GANNET_STARTS_BY_SRUN;
  if (resources->launcher == GANNET_START_BY_MPIRUN) return GANNET_STARTS_BY_MPIRUN;
  return of_job || has_nodes ? GANNET_STARTS_BY_SRUN : GANNET_STARTS_BY_MPIRUN;
}

int gannet_place_processors(const gannet_inventory *inventory, const gannet_place *place,
                            bool *may_use) {
  int n = 0;
  memset(may_use, 0, GANNET_PROCESSORS_MOST * sizeof *may_use);
  for (int i = 0; i < place->n_nodes; ++i) {
    const gannet_node *node = &inventory->node[place->node[i]];
    for (int k = 0; node->is_here && k < place->cores; ++k) {
      const gannet_core *core = &node->core[place->core[i * place->cores + k]];
      for (int t = 0; t < core->n; ++t) may_use[core->thread[t]] = true;
      n += core->n;
    }
  }
  return n;
}

/* "cores 0-3,8, gpus 1": processors by the system's numbers where gannet binds to them. */
static void show(const gannet_inventory *inventory, const gannet_place *place, bool is_bound,
                 gannet_place_words *words) {
  bool may_use[GANNET_PROCESSORS_MOST];
  const size_t size = sizeof words->shown;
  if (!is_bound) {
    append(words->shown, size, "%s: %d core%s", words->hosts, words->cores,
           words->cores == 1 ? "" : "s");
    if (place->gpus > 0 && words->binds_gpus)
      append(words->shown, size, ", gpus %s", words->gpus);
    else if (place->gpus > 0)
      append(words->shown, size, ", %d gpus", place->gpus * place->n_nodes);
    return;
  }
  (void)gannet_place_processors(inventory, place, may_use);
  append(words->shown, size, "cores ");
  const char *comma = "";
  for (int p = 0; p < GANNET_PROCESSORS_MOST; ++p) {
    if (!may_use[p]) continue;
    int last = p;
    while (last + 1 < GANNET_PROCESSORS_MOST && may_use[last + 1]) ++last;
    append(words->shown, size, last > p ? "%s%d-%d" : "%s%d", comma, p, last);
    comma = ",";
    p = last;
  }
  if (place->gpus > 0) append(words->shown, size, ", gpus %s", words->gpus);
}

void gannet_place_set_tasks(int n_nodes, int tasks, gannet_place_words *words) {
  words->tasks_per_node[0] = '\0';
  if (n_nodes > 0) append(words->tasks_per_node, sizeof words->tasks_per_node, "%d", tasks);
  if (n_nodes > 1) append(words->tasks_per_node, sizeof words->tasks_per_node, "(x%d)", n_nodes);
}

/* Variables by which CUDA, ROCm, Level Zero and HIP are told which GPUs they may use. */
static const char *const visible[] = {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                      "ZE_AFFINITY_MASK", "HIP_VISIBLE_DEVICES"};
enum { N_VISIBLE = sizeof visible / sizeof *visible };

/* Append "CUDA_VISIBLE_DEVICES=2,3". HIP counts only those that ROCR_VISIBLE_DEVICES leaves:
 * without its own variable it would read CUDA_VISIBLE_DEVICES, and find no second GPU where it
 * sees one. */
static void append_visible(char *text, size_t size, int i, const gannet_place_words *words) {
  int n = 0;
  if (i < N_VISIBLE - 1) {
    append(text, size, "%s=%s", visible[i], words->gpus);
    return;
  }
  append(text, size, "%s=%s", visible[i], words->gpus[0] ? "0" : "");
  for (const char *at = words->gpus; (at = strchr(at, ',')); ++at) append(text, size, ",%d", ++n);
}

static void write_launcher(const gannet_inventory *inventory, const gannet_place *place,
                           gannet_place_starter starter, gannet_place_words *words) {
  static const struct {
    const char *variable, *option;
  } per[] = {{"SLURM_GPUS_PER_TASK", "--gpus-per-task"},
             {"SLURM_GPUS_PER_SOCKET", "--gpus-per-socket"}};
  const gannet_need *need = &place->need;
  const gannet_node *first = &inventory->node[place->node[0]];
  char *to = words->launcher;
  const size_t size = sizeof words->launcher;
  if (starter == GANNET_STARTS_BY_MPIRUN) {
    append(to, size, "mpirun -n %d", need->tasks);
    if (inventory->n_nodes > 1) append(to, size, " --host %s:%d", first->host, need->tasks);
    gannet_place_set_tasks(inventory->job[0] ? inventory->n_nodes : 0, need->tasks, words);
    return;
  }
  append(to, size, "srun --exact --nodes=%d --nodelist=%s --ntasks=%d --cpus-per-task=%d",
         place->n_nodes, words->hosts, need->tasks, need->cores / need->tasks);
  /* Both, so that srun reads neither SLURM_GPUS nor SLURM_GPUS_PER_NODE of the job. A step that
   * asks for no GPU would have all of the job, and others wait for it. */
  const int gpus = words->binds_gpus ? 0 : place->gpus;
  if (gannet_job_has_gpus())
    append(to, size, " --gpus=%d --gpus-per-node=%d", gpus * place->n_nodes, gpus);
  for (size_t i = 0; gannet_job_has_gpus() && gpus == 0 && i < sizeof per / sizeof *per; ++i)
    if (getenv(per[i].variable)) append(to, size, " %s=0", per[i].option);
  /* A step without --mem has all memory of the job on its nodes, so that others wait for it. */
  const double memory = need->memory > 0 ? need->memory : first->memory_of_core * place->cores;
  if (memory > 0) append(to, size, " --mem=%.0fM", fmax(1, floor(memory / 1048576)));
  /* In a step without GPUs of its own SLURM empties the variables that srun hands on. */
  for (int i = 0; words->has_gpus && words->gpus[0] && i < N_VISIBLE; ++i) {
    append(to, size, i > 0 ? " " : " env ");
    append_visible(to, size, i, words);
  }
}

void gannet_place_describe(const gannet_inventory *inventory, const gannet_resources *resources,
                           const gannet_place *place, gannet_place_starter starter,
                           gannet_place_words *words) {
  memset(words, 0, sizeof *words);
  /* SLURM gives its own GPUs to the steps that it starts, and knows nothing of others. */
  words->binds_gpus = starter == GANNET_STARTS_BY_MPIRUN || !gannet_job_has_gpus() ||
                      gannet_inventory_is_listed(inventory);
  words->has_gpus = resources->gpus && words->binds_gpus;
  words->cores = place->need.cores;
  for (int i = 0; i < place->n_nodes; ++i)
    append(words->hosts, sizeof words->hosts, "%s%s", i ? "," : "",
           inventory->node[place->node[i]].host);
  for (int k = 0; k < place->gpus; ++k)
    append(words->gpus, sizeof words->gpus, "%s%s", k ? "," : "",
           inventory->node[place->node[0]].gpu[place->gpu[k]]);
  write_launcher(inventory, place, starter, words);
  show(inventory, place, starter == GANNET_STARTS_BY_MPIRUN, words);
}

gannet_err gannet_place_environment(const gannet_place_words *words, gannet_text_list *list) {
  char text[sizeof words->launcher + 32];
  (void)snprintf(text, sizeof text, "GANNET_MPIRUN=%s", words->launcher);
  GANNET_TRY(gannet_text_list_add(list, text));
  (void)snprintf(text, sizeof text, "GANNET_HOSTS=%s", words->hosts);
  if (words->hosts[0]) GANNET_TRY(gannet_text_list_add(list, text));
  (void)snprintf(text, sizeof text, "SLURM_TASKS_PER_NODE=%s", words->tasks_per_node);
  if (words->tasks_per_node[0]) GANNET_TRY(gannet_text_list_add(list, text));
  (void)snprintf(text, sizeof text, "GANNET_CORES=%d", words->cores);
  GANNET_TRY(gannet_text_list_add(list, text));
  (void)snprintf(text, sizeof text, "GANNET_GPUS=%s", words->gpus);
  if (words->has_gpus) GANNET_TRY(gannet_text_list_add(list, text));
  for (int i = 0; words->has_gpus && i < N_VISIBLE; ++i) {
    text[0] = '\0';
    append_visible(text, sizeof text, i, words);
    GANNET_TRY(gannet_text_list_add(list, text));
  }
  return GANNET_OK;
}
