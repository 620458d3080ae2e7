/* What there is to run simulations on, and how many run at once. */
#include <stdio.h>
#include <string.h>

#include "evaluate/command/placement.h"
#include "machine/topics.h"

/* "n1, n2, n3" as far as there is room. */
static void list_nodes(const gannet_inventory *inventory, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < inventory->n_nodes && used < size; ++i)
    used +=
        (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", inventory->node[i].host);
}

static void inspect_inventory(const gannet_inventory *inventory, machine_report *report) {
  char text[MACHINE_VALUE - 60];
  const gannet_node *here = NULL;
  for (int i = 0; i < inventory->n_nodes; ++i)
    if (inventory->node[i].is_here) here = &inventory->node[i];
  if (!here) return;
  list_nodes(inventory, text, sizeof text);
  if (inventory->job[0])
    machine_say(report, "places", "nodes", "%d of SLURM job %s: %s", inventory->n_nodes,
                inventory->job, text);
  else
    machine_say(report, "places", "nodes", "1: %s", here->host);
  machine_say(report, "places", "cores", "%d on this node, by %s", here->n_cores, here->cores_from);
  text[0] = '\0';
  size_t used = 0;
  for (int g = 0; g < here->n_gpus && used < sizeof text; ++g)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", g ? ", " : "", here->gpu[g]);
  if (here->n_gpus > 0)
    machine_say(report, "places", "GPUs", "%d on this node, by %s: %s", here->n_gpus,
                inventory->gpu_from, text);
  else
    machine_say(report, "places", "GPUs", "none");
}

/* How many simulations of a campaign run at once. */
static gannet_err inspect_count(const machine_request *request, machine_report *report) {
  enum { MOST = 100000 };
  const char *limit = "cores";
  int count = 0;
  GANNET_TRY(gannet_placement_count(request->command, request->resources, request->problem, MOST,
                                    &count, &limit));
  machine_say(report, "places", "simulations", "%d at once; what limits it: %s", count, limit);
  return GANNET_OK;
}

gannet_err machine_inspect_places(const machine_request *request, machine_report *report) {
  static char *automatic[] = {"auto", NULL};
  const gannet_resources nothing = {.nodes = 1, .devices = {1, automatic}};
  const gannet_resources *resources = request->resources ? request->resources : &nothing;
  gannet_complaints found = {0};
  gannet_inventory inventory;
  gannet_err err = gannet_inventory_find(request->launcher, resources, &found, &inventory);
  if (err == GANNET_OK) inspect_inventory(&inventory, report);
  if (err == GANNET_OK && found.count > 0 && !request->resources) {
    machine_say(report, "places", "state", "not known");
    machine_advise(report, MACHINE_NOTE, "%.*s", (int)strcspn(found.text, "\n"), found.text);
  }
  gannet_inventory_release(&inventory);
  gannet_complaints_release(&found);
  return err == GANNET_OK && request->resources ? inspect_count(request, report) : err;
}
