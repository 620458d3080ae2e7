/* What evaluate.resources means for the jobs of simulations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/slurm/slurm.h"

/* What a simulation needs in a job of its own, or in one of several runs, which may be any. */
static gannet_need need_of(const gannet_program *program, const gannet_request *request) {
  gannet_need need = program->needs->most;
  if (request && gannet_needs_at(program->needs, request->x_user, &need))
    need = program->needs->most; /* the values have no need: so it fails where it runs */
  return need;
}

gannet_err gannet_slurm_resources_write(const gannet_program *program,
                                        const gannet_slurm_options *options,
                                        const gannet_request *request, gannet_text *to) {
  if (!program->needs) return GANNET_OK;
  const gannet_resources *given = program->needs->given;
  const gannet_need need = need_of(program, request);
  const int runs = request ? 1 : options->runs_at_once;
  const int tasks = runs > 1 ? runs : need.tasks; /* a run of several is one task of the job */
  GANNET_TRY(gannet_text_print(to, "#SBATCH --ntasks=%d\n", tasks));
  if (given->cores || runs > 1)
    GANNET_TRY(gannet_text_print(to, "#SBATCH --cpus-per-task=%d\n",
                                 runs > 1 ? need.cores : need.cores / need.tasks));
  if (given->nodes > 1) GANNET_TRY(gannet_text_print(to, "#SBATCH --nodes=%d\n", need.nodes));
  if (need.gpus > 0) GANNET_TRY(gannet_text_print(to, "#SBATCH --gpus=%d\n", need.gpus * runs));
  if (need.memory > 0)
    GANNET_TRY(gannet_text_print(to, "#SBATCH --mem=%.0fM\n", need.memory * runs / 1048576));
  return GANNET_OK;
}

gannet_err gannet_slurm_step_write(const gannet_program *program, gannet_text *to) {
  if (!program->needs) /* srun does not take over sbatch's --cpus-per-task by itself */
    return gannet_text_put(
        to,
        "srun --exact --nodes=1 --ntasks=1 --cpus-per-task=\"${SLURM_CPUS_PER_TASK:-1}\" "
        "$gannet_memory ");
  const gannet_need need = need_of(program, NULL);
  GANNET_TRY(
      gannet_text_print(to, "srun --exact --nodes=1 --ntasks=1 --cpus-per-task=%d ", need.cores));
  if (need.gpus > 0) GANNET_TRY(gannet_text_print(to, "--gpus=%d ", need.gpus));
  if (need.memory > 0) return gannet_text_print(to, "--mem=%.0fM ", need.memory / 1048576);
  return gannet_text_put(to, "$gannet_memory ");
}

void gannet_slurm_place_describe(const gannet_program *program, const gannet_request *request,
                                 gannet_place_words *words) {
  const gannet_need need = need_of(program, request);
  memset(words, 0, sizeof *words);
  words->cores = need.cores;
  (void)snprintf(words->gpus, sizeof words->gpus, "%s",
                 program->needs->given->gpus ? GANNET_SLURM_GPUS : "");
  (void)snprintf(words->hosts, sizeof words->hosts, GANNET_SLURM_HOSTS);
  if (gannet_place_starter_of(program->needs->given, program->starts_jobs) == GANNET_STARTS_BY_SRUN)
    (void)snprintf(
        words->launcher, sizeof words->launcher,
        program->needs->given->cores ? "srun --ntasks=%d --cpus-per-task=%d" : "srun --ntasks=%d",
        need.tasks, need.cores / need.tasks);
  else
    (void)snprintf(words->launcher, sizeof words->launcher, "mpirun -n %d", need.tasks);
  /* A run of several in a job is a step of one task with many cores. */
  gannet_place_set_tasks(program->starts_jobs ? 0 : 1, need.tasks, words);
}

/* Options of sbatch that say what a key of evaluate.resources says. They are known by the beginning
 * of their name. */
static const struct {
  const char *name, *letter, *key;
  bool is_same; /* its number is that of the key: the same number is no contradiction */
} options[] = {{"--ntasks", "-n", "tasks", true},      {"--ntasks-per-", NULL, "tasks", false},
               {"--tasks-per-", NULL, "tasks", false}, {"--cpus-per-", "-c", "cores", false},
               {"--gpus", "-G", "gpus", true},         {"--gpus-per-", NULL, "gpus", false},
               {"--gres", NULL, "gpus", false},        {"--mem", NULL, "memory", false},
               {"--mem-per-", NULL, "memory", false},  {"--nodes", "-N", "nodes", true}};

/* The number that a key gives to all jobs; -1 = it is not given, 0 = it depends on the variables.
 */
static long number_of(const gannet_needs *needs, const char *key) {
  const gannet_resources *given = needs->given;
  const gannet_need *least = &needs->least, *most = &needs->most;
  if (strcmp(key, "tasks") == 0) return least->tasks == most->tasks ? most->tasks : 0;
  if (strcmp(key, "cores") == 0) return given->cores ? 0 : -1;
  if (strcmp(key, "gpus") == 0)
    return !given->gpus ? -1 : least->gpus == most->gpus ? most->gpus : 0;
  if (strcmp(key, "memory") == 0) return given->memory > 0 ? 0 : -1;
  return given->nodes > 1 ? given->nodes : -1;
}

void gannet_slurm_resources_check_word(const gannet_needs *needs, const char *source,
                                       const char *word, size_t size,
                                       gannet_complaints *complaints) {
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
    const size_t length = strlen(options[i].name), said = strcspn(word, "= \t\r\n");
    const bool is_open = options[i].name[length - 1] == '-';
    const bool is_long = strncmp(word, options[i].name, length) == 0 && (is_open || said == length);
    const bool is_short = options[i].letter && strncmp(word, options[i].letter, 2) == 0;
    if (!is_long && !is_short) continue;
    const char *value = is_short ? word + 2 : word + said;
    const long number = number_of(needs, options[i].key);
    if (number < 0) continue;
    if (options[i].is_same && number > 0 && strtol(value + strspn(value, "= "), NULL, 10) == number)
      continue;
    gannet_complain(complaints, source,
                    "'%.*s' contradicts evaluate.resources.%s, which gannet gives to the job; "
                    "leave one of them out",
                    (int)size, word, options[i].key);
    return;
  }
}
