#include "evaluate/command/placement.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evaluate/command/tool.h"

enum { SCONTROL_LIMIT = 30 }; /* seconds that scontrol may take: slurmctld may be busy */

/* Whether some text of the campaign starts processes on other nodes, so that these can be used. */
static bool reaches_other_nodes(const gannet_command_options *options) {
  static const char *const signs[] = {"launcher}", "hosts}", "GANNET_MPIRUN", "GANNET_HOSTS"};
  for (size_t k = 0; k < sizeof signs / sizeof *signs; ++k) {
    for (int i = 0; i < options->command.n; ++i)
      if (strstr(options->command.item[i], signs[k])) return true;
    for (int i = 0; i < options->environment.n; ++i)
      if (strstr(options->environment.item[i], signs[k])) return true;
    if (options->shell && strstr(options->shell, signs[k])) return true;
  }
  return false;
}

bool gannet_placement_leaves_gpus(const gannet_command_options *options,
                                  const gannet_resources *resources) {
  const gannet_text_list *devices = &resources->devices;
  const bool are_named = devices->n != 1 || strcmp(devices->item[0], "auto") != 0;
  return resources->gpus && gannet_job_has_gpus() && !are_named && !getenv("GANNET_GPUS") &&
         reaches_other_nodes(options) &&
         gannet_place_starter_of(resources, false) == GANNET_STARTS_BY_SRUN;
}

/* The largest share of a node's cores, GPUs and memory that simulations may have. */
typedef struct {
  int nodes, cores, gpus;
  int all_cores;    /* of a node, also those that are reserved */
  double memory;    /* INFINITY = of some node unknown */
  const char *host; /* that has so many cores */
} extent;

static extent find_extent(const gannet_inventory *inventory, const gannet_resources *resources,
                          bool only_here) {
  extent e = {.host = ""};
  for (int i = 0; i < inventory->n_nodes; ++i) {
    const gannet_node *node = &inventory->node[i];
    const int reserved = node->is_here ? resources->reserved_cores : 0;
    if (node->is_lost || (only_here && !node->is_here)) continue;
    e.nodes += 1;
    if (node->n_cores - reserved > e.cores || !*e.host) {
      e.cores = node->n_cores > reserved ? node->n_cores - reserved : 0;
      e.host = node->host;
    }
    if (node->n_cores > e.all_cores) e.all_cores = node->n_cores;
    if (node->n_devices > e.gpus) e.gpus = node->n_devices;
    if (node->memory <= 0 || node->memory > e.memory)
      e.memory = node->memory > 0 ? node->memory : HUGE_VAL;
  }
  return e;
}

/* Write why one simulation has no room although each of its needs is met by some node: too few
 * nodes have all of them; "" when they do. */
static void explain_together(const gannet_inventory *inventory, const gannet_resources *resources,
                             bool only_here, const gannet_need *need, char *why, size_t size) {
  const int nodes = need->nodes > 0 ? need->nodes : 1;
  char gpus[32] = "", memory[32] = "";
  int able = 0, all = 0;
  for (int i = 0; i < inventory->n_nodes; ++i) {
    const gannet_node *node = &inventory->node[i];
    const int reserved = node->is_here ? resources->reserved_cores : 0;
    if (node->is_lost || (only_here && !node->is_here)) continue;
    all += 1;
    able += node->n_cores - reserved >= need->cores / nodes &&
            node->n_devices >= need->gpus / nodes &&
            (node->memory <= 0 || node->memory >= need->memory);
  }
  if (able >= nodes) return;
  if (need->gpus > 0)
    (void)snprintf(gpus, sizeof gpus, ", %d GPU%s", need->gpus / nodes,
                   need->gpus == nodes ? "" : "s");
  if (need->memory > 0) (void)snprintf(memory, sizeof memory, ", %.4g GiB", need->memory / 0x1p30);
  (void)snprintf(why, size,
                 "a simulation needs %d node%s with %d core%s%s%s, and only %d of the %d nodes in "
                 "the allocation %s that; ask for less",
                 nodes, nodes == 1 ? "" : "s", need->cores / nodes, need->cores == nodes ? "" : "s",
                 gpus, memory, able, all, able == 1 ? "has" : "have");
}

/* Write why one simulation has no room; "" when it has. Returns the key that asks for too much. */
static const char *explain(const gannet_inventory *inventory, const gannet_resources *resources,
                           bool only_here, const gannet_need *need, char *why, size_t size) {
  const extent e = find_extent(inventory, resources, only_here);
  const int nodes = need->nodes > 0 ? need->nodes : 1;
  const char *each = nodes > 1 ? " on each of its nodes" : "";
  const char *where = inventory->job[0] ? "a node of the allocation" : "this machine";
  why[0] = '\0';
  if (nodes > e.nodes) {
    (void)snprintf(why, size, "a simulation needs %d nodes, and %s; expected at most %d", nodes,
                   e.nodes < inventory->n_nodes ? "without {launcher} in the command only the "
                                                  "node of gannet is used"
                   : e.nodes == 1               ? "there is one"
                                                : "the allocation has fewer",
                   e.nodes);
    return "evaluate.resources.nodes";
  }
  if (need->cores / nodes > e.cores) {
    (void)snprintf(why, size, "a simulation needs %d core%s%s, and %s (%s) has %d%s; expected %s%d",
                   need->cores / nodes, need->cores / nodes == 1 ? "" : "s", each, where, e.host,
                   e.cores, resources->reserved_cores > 0 ? " besides reserved_cores" : "",
                   e.cores > 0 ? "at most " : "less than ",
                   e.cores > 0 ? e.cores * nodes : e.all_cores);
    return resources->reserved_cores > 0 && e.cores == 0 ? "evaluate.resources.reserved_cores"
           : resources->cores                            ? "evaluate.resources.cores"
                                                         : "evaluate.resources.tasks";
  }
  if (need->gpus > 0 && e.gpus == 0) {
    (void)snprintf(
        why, size,
        "a simulation needs %d GPU%s, and no GPU was found; expected them in "
        "devices, or in GANNET_GPUS=0,1; `gannet doctor` without a file shows what there is",
        need->gpus, need->gpus == 1 ? "" : "s");
    return "evaluate.resources.gpus";
  }
  if (need->gpus / nodes > e.gpus) {
    (void)snprintf(why, size,
                   "a simulation needs %d GPU%s%s, and %s has %d%s%s; expected at most "
                   "%d, or a list of GPUs in devices",
                   need->gpus / nodes, need->gpus / nodes == 1 ? "" : "s", each, where, e.gpus,
                   inventory->gpu_from[0] ? " by " : "", inventory->gpu_from, e.gpus * nodes);
    return "evaluate.resources.gpus";
  }
  if (need->memory > e.memory) {
    (void)snprintf(why, size,
                   "a simulation needs %.4g GiB%s, and %s has %.4g GiB; expected at most that",
                   need->memory / 0x1p30, each, where, e.memory / 0x1p30);
    return "evaluate.resources.memory";
  }
  explain_together(inventory, resources, only_here, need, why, size);
  return nodes > 1 ? "evaluate.resources.nodes" : "evaluate.resources.cores";
}

/* The expressions, the machine, and whether only the node of gannet counts. */
typedef struct {
  gannet_needs needs;
  gannet_inventory inventory;
  bool only_here;
} survey;

static void end_survey(survey *s) {
  gannet_needs_release(&s->needs);
  gannet_inventory_release(&s->inventory);
}

static gannet_err begin_survey(const gannet_command_options *options,
                               const gannet_resources *resources, const gannet_problem *problem,
                               const gannet_launcher *launcher, gannet_complaints *complaints,
                               survey *s) {
  *s = (survey){0};
  GANNET_TRY(gannet_needs_create(resources, problem, complaints, &s->needs));
  GANNET_TRY(gannet_inventory_find(launcher, resources, complaints, &s->inventory));
  s->only_here = !reaches_other_nodes(options) || resources->launcher == GANNET_START_BY_MPIRUN;
  return GANNET_OK;
}

/* What there is too little of for another simulation: each of cores, GPUs and memory that would
 * not suffice for one more even if simulations needed nothing else. */
static gannet_err find_limit(const survey *s, const gannet_resources *resources, int count,
                             const char **limit) {
  static const char *const words[] = {"cores, GPUs and memory together",
                                      "cores",
                                      "GPUs",
                                      "cores and GPUs",
                                      "memory",
                                      "cores and memory",
                                      "GPUs and memory",
                                      "cores, GPUs and memory"};
  const gannet_need *all = &s->needs.least;
  const gannet_need alone[] = {{.cores = all->cores, .tasks = all->tasks, .nodes = all->nodes},
                               {.gpus = all->gpus, .tasks = all->tasks, .nodes = all->nodes},
                               {.memory = all->memory, .tasks = all->tasks, .nodes = all->nodes}};
  int lacking = 0;
  for (int k = 0; k < 3; ++k) {
    int fitting = 0;
    GANNET_TRY(gannet_places_count(&s->inventory, resources, s->only_here, &alone[k], count + 1,
                                   &fitting));
    if (fitting <= count) lacking |= 1 << k;
  }
  *limit = words[lacking];
  return GANNET_OK;
}

/* Whether a line of `scontrol show config` gives a key a value, among others. */
static bool has_setting(const char *config, const char *key, const char *value) {
  for (const char *line = config; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    const char *found = strstr(line, value);
    if (strncmp(line, key, strlen(key)) == 0 && strchr(" =", line[strlen(key)]) && found &&
        found < line + strcspn(line, "\n"))
      return true;
  }
  return false;
}

/* Complain where the steps of a job with GPUs would not have those that simulations are to use. */
static void check_gpus_of_job(const survey *s, const gannet_evaluator_setup *setup,
                              gannet_complaints *complaints) {
  static const char *const question[] = {"scontrol", "show", "config", NULL};
  const char *from = s->inventory.gpu_from;
  char *config = NULL;
  bool works = false;
  if (s->only_here || !gannet_job_has_gpus() ||
      gannet_place_starter_of(setup->resources, false) != GANNET_STARTS_BY_SRUN)
    return;
  if (!setup->resources->gpus)
    gannet_complain(
        complaints, "evaluate.resources",
        "job %s has GPUs, and resources.gpus is not set: each step of srun would have all "
        "GPUs of its node, and the other steps would wait; expected how many one "
        "simulation needs, as in gpus: 1, or gpus: 0",
        s->inventory.job);
  if (!setup->resources->gpus || !gannet_inventory_is_listed(&s->inventory)) return;
  if (!setup->launcher ||
      !gannet_tool_ask(setup->launcher, question, NULL, SCONTROL_LIMIT, &works, &config) || !works)
    gannet_log(setup->context, GANNET_LOG_WARNING,
               "%s: `scontrol show config` cannot be asked whether SLURM confines each step to the "
               "GPUs that it gives it (ConstrainDevices); if it does, simulations see no GPU: "
               "leave the list out then",
               from);
  else if (config && has_setting(config, "ConstrainDevices", "yes") &&
           has_setting(config, "TaskPlugin", "task/cgroup"))
    gannet_complain(complaints,
                    from[0] == 'G' ? "evaluate.resources.gpus" : "evaluate.resources.devices",
                    "SLURM confines each step to the GPUs that it chooses for it "
                    "(ConstrainDevices=yes), so %s cannot choose them in job %s; leave the list "
                    "out, or use launcher: mpirun on one node",
                    from[0] == 'G' ? from : "a list", s->inventory.job);
  gannet_free(&config);
}

static gannet_err check_survey(const survey *s, const gannet_evaluator_setup *setup,
                               gannet_complaints *complaints) {
  const gannet_resources *resources = setup->resources;
  const char *limit;
  char why[400];
  int count = 0;
  if (resources->launcher == GANNET_START_BY_SRUN && !s->inventory.job[0])
    gannet_evaluator_warn(
        setup, "evaluate.resources.launcher",
        "gannet does not run in a job of SLURM, so each srun "
        "will ask for a job of its own; run gannet inside a job, or choose mpirun or auto");
  const char *key =
      explain(&s->inventory, resources, s->only_here, &s->needs.allowed, why, sizeof why);
  if (why[0]) {
    gannet_complain(complaints, key, "%s", why);
    return GANNET_OK;
  }
  check_gpus_of_job(s, setup, complaints);
  if (s->only_here && s->inventory.n_nodes > 1)
    gannet_evaluator_warn(
        setup, "evaluate.resources",
        "the allocation has %d nodes, and only that of gannet is used: "
        "a simulation reaches another one by {launcher} or {hosts} in its command, with "
        "launcher: srun or auto",
        s->inventory.n_nodes);
  if (resources->oversubscribe) return GANNET_OK;
  GANNET_TRY(gannet_places_count(&s->inventory, resources, s->only_here, &s->needs.least,
                                 setup->parallel, &count));
  if (count >= setup->parallel) return GANNET_OK;
  GANNET_TRY(find_limit(s, resources, count, &limit));
  gannet_complain(complaints, "evaluate.parallel",
                  "%d simulations at once do not fit: there is room for %d, and %s limit%s it; "
                  "expected at most %d, or auto, or resources.oversubscribe: yes",
                  setup->parallel, count, limit, strcmp(limit, "memory") == 0 ? "s" : "", count);
  return GANNET_OK;
}

gannet_err gannet_placement_check(const gannet_command_options *options,
                                  const gannet_evaluator_setup *setup,
                                  gannet_complaints *complaints) {
  const int before = complaints->count;
  survey s = {0};
  gannet_err err = GANNET_OK;
  /* Rank 0 starts simulations; other ranks may be bound to other cores, or be on other nodes. */
  const bool looks = setup->context && setup->context->rank == 0;
  if (looks)
    err = begin_survey(options, setup->resources, setup->problem, setup->launcher, complaints, &s);
  else
    err = gannet_needs_create(setup->resources, setup->problem, complaints, &s.needs);
  if (err == GANNET_OK && looks && setup->problem && complaints->count == before)
    err = check_survey(&s, setup, complaints);
  end_survey(&s);
  return err;
}

gannet_err gannet_placement_count(const gannet_command_options *options,
                                  const gannet_resources *resources, const gannet_problem *problem,
                                  int most, int *count, const char **limit) {
  gannet_complaints found = {0};
  survey s = {0};
  *count = 0;
  gannet_err err = begin_survey(options, resources, problem, NULL, &found, &s);
  if (err == GANNET_OK && found.count == 0)
    err = gannet_places_count(&s.inventory, resources, s.only_here, &s.needs.least, most, count);
  if (err == GANNET_OK && limit && found.count == 0) err = find_limit(&s, resources, *count, limit);
  end_survey(&s);
  gannet_complaints_release(&found);
  return err;
}

gannet_err gannet_placement_create(const gannet_command_options *options,
                                   const gannet_evaluator_setup *setup,
                                   const gannet_launcher *launcher, gannet_placement *placement) {
  gannet_complaints found = {0};
  survey s = {0};
  *placement = (gannet_placement){.claim = {-1, -1}};
  if (!setup->resources) return GANNET_OK;
  gannet_err err = begin_survey(options, setup->resources, setup->problem, launcher, &found, &s);
  placement->resources = setup->resources;
  placement->needs = s.needs;
  placement->inventory = s.inventory;
  if (err == GANNET_OK) err = gannet_complaints_raise(&found);
  gannet_complaints_release(&found);
  GANNET_TRY(err);
  placement->starter = gannet_place_starter_of(setup->resources, false);
  placement->is_bound = placement->starter == GANNET_STARTS_BY_MPIRUN || s.only_here;
  if (placement->is_bound) placement->starter = GANNET_STARTS_BY_MPIRUN;
  if (!setup->resources->oversubscribe && setup->campaign)
    GANNET_TRY(gannet_claim_make(&placement->inventory, setup->resources->gpus != NULL,
                                 placement->is_bound, setup->campaign, &placement->claim));
  return gannet_places_create(&placement->inventory, setup->resources, s.only_here,
                              &placement->places);
}

gannet_err gannet_placement_describe_first(const gannet_command_options *options,
                                           const gannet_resources *resources,
                                           const gannet_problem *problem,
                                           const gannet_launcher *launcher, const double *x_user,
                                           gannet_place_words *words, bool *found) {
  const gannet_evaluator_setup setup = {.problem = problem, .resources = resources};
  gannet_placement placement;
  gannet_place place = {0};
  gannet_need need;
  char why[GANNET_REASON_SIZE] = "";
  *found = false;
  gannet_err err = gannet_placement_create(options, &setup, launcher, &placement);
  if (err == GANNET_OK) err = gannet_placement_need(&placement, x_user, &need, why);
  if (err == GANNET_OK && !why[0]) err = gannet_place_take(placement.places, &need, &place, found);
  if (err == GANNET_OK && *found)
    gannet_place_describe(&placement.inventory, resources, &place, placement.starter, words);
  if (*found) gannet_place_give_back(placement.places, &place);
  gannet_placement_release(&placement);
  return err;
}

void gannet_placement_release(gannet_placement *placement) {
  if (!placement->resources) return;
  gannet_places_destroy(&placement->places);
  gannet_needs_release(&placement->needs);
  gannet_inventory_release(&placement->inventory);
  gannet_claim_release(&placement->claim);
}

gannet_err gannet_placement_need(const gannet_placement *placement, const double *x_user,
                                 gannet_need *need, char *why) {
  int count = 0;
  const char *key = gannet_needs_at(&placement->needs, x_user, need);
  why[0] = '\0';
  if (key) {
    (void)snprintf(why, GANNET_REASON_SIZE, "%s has no value here, or one that is too small", key);
    return GANNET_OK;
  }
  GANNET_TRY(gannet_places_count(&placement->inventory, placement->resources, placement->is_bound,
                                 need, 1, &count));
  if (count == 0)
    (void)explain(&placement->inventory, placement->resources, placement->is_bound, need, why,
                  GANNET_REASON_SIZE);
  return GANNET_OK;
}
