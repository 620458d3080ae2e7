#include "evaluate/places/places.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

/* What is taken of one node: how many simulations use each core and GPU. */
typedef struct {
  bool is_closed; /* no simulation may be placed here */
  int *core;      /* [n_cores] owned; INT_MAX = reserved */
  int *gpu;       /* [n_gpus] owned */
  double memory;  /* bytes that are taken */
} usage;

struct gannet_places {
  const gannet_inventory *inventory;
  bool oversubscribe;
  bool ignores_pauses; /* nodes that are left out for a while count */
  bool has_one_list;   /* a simulation is told one list of GPUs, for all of its nodes */
  usage *node;         /* [n_nodes] owned */
};

enum { MOST_SHARED = 1000 }; /* simulations on one core, with oversubscribe */

void gannet_places_destroy(gannet_places **places) {
  gannet_places *old = *places;
  if (!old) return;
  for (int i = 0; old->node && i < old->inventory->n_nodes; ++i) {
    gannet_free(&old->node[i].core);
    gannet_free(&old->node[i].gpu);
  }
  gannet_free(&old->node);
  gannet_free(places);
}

gannet_err gannet_places_create(const gannet_inventory *inventory,
                                const gannet_resources *resources, bool only_here,
                                gannet_places **places) {
  gannet_places *made = NULL;
  *places = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *made, &made));
  made->inventory = inventory;
  made->oversubscribe = resources->oversubscribe;
  made->has_one_list = !gannet_job_has_gpus() || gannet_inventory_is_listed(inventory);
  gannet_err err = gannet_alloc((size_t)inventory->n_nodes + 1, sizeof *made->node, &made->node);
  for (int i = 0; err == GANNET_OK && i < inventory->n_nodes; ++i) {
    const gannet_node *node = &inventory->node[i];
    usage *u = &made->node[i];
    u->is_closed = only_here && !node->is_here;
    err = gannet_alloc((size_t)node->n_cores + 1, sizeof *u->core, &u->core);
    if (err == GANNET_OK) err = gannet_alloc((size_t)node->n_gpus + 1, sizeof *u->gpu, &u->gpu);
    for (int c = 0; err == GANNET_OK && node->is_here && c < resources->reserved_cores; ++c)
      if (c < node->n_cores) u->core[c] = INT_MAX;
  }
  if (err != GANNET_OK) gannet_places_destroy(&made);
  *places = made;
  return err;
}

/* Choose entries that at most `level` simulations use: the first run of them that is long enough,
 * or else the least used ones. Returns whether there are enough.
 *
 * chosen  out  [wanted]
 */
static bool choose(const int *users, int n, int level, int wanted, int *chosen) {
  int found = 0;
  for (int i = 0, run = 0; i < n && wanted > 0; ++i) {
    run = users[i] <= level ? run + 1 : 0;
    if (run < wanted) continue;
    for (int k = 0; k < wanted; ++k) chosen[k] = i - wanted + 1 + k;
    return true;
  }
  for (int l = 0; l <= level && found < wanted; ++l)
    for (int i = 0; i < n && found < wanted; ++i)
      if (users[i] == l) chosen[found++] = i;
  return found == wanted;
}

/* Choose GPUs that at most `level` simulations use, the least used ones first. One that is listed
 * several times, for several simulations, is given to each of them once.
 *
 * chosen  out  [wanted]
 */
static bool choose_gpus(const gannet_node *node, const int *users, int level, int wanted,
                        int *chosen) {
  int found = 0;
  for (int l = 0; l <= level && found < wanted; ++l)
    for (int i = 0; i < node->n_gpus && found < wanted; ++i) {
      bool is_chosen = false;
      for (int k = 0; k < found; ++k)
        is_chosen = is_chosen || strcmp(node->gpu[chosen[k]], node->gpu[i]) == 0;
      if (users[i] == l && !is_chosen) chosen[found++] = i;
    }
  return found == wanted;
}

/* Choose the GPUs of a place on its n-th node: on the first one any, on the others the same ones
 * where the simulation is told one list. */
static bool choose_gpus_on(const gannet_places *places, const gannet_node *node, const int *users,
                           int level, int n, gannet_place *place) {
  int *chosen = place->gpu + n * place->gpus;
  if (n == 0 || !places->has_one_list) return choose_gpus(node, users, level, place->gpus, chosen);
  for (int k = 0; k < place->gpus; ++k) {
    if (place->gpu[k] >= node->n_gpus || users[place->gpu[k]] > level) return false;
    chosen[k] = place->gpu[k];
  }
  return true;
}

/* Take a place where every core and GPU has at most `level` users. */
static bool take_at(gannet_places *places, int level, gannet_place *place) {
  const gannet_inventory *inventory = places->inventory;
  const double now = gannet_clock_seconds();
  int n = 0;
  for (int i = 0; i < inventory->n_nodes && n < place->n_nodes; ++i) {
    const gannet_node *node = &inventory->node[i];
    const usage *u = &places->node[i];
    const double after = u->memory + place->need.memory;
    if (u->is_closed || node->is_lost || (!places->ignores_pauses && node->opens > now) ||
        (level == 0 && node->memory > 0 && place->need.memory > 0 && after > node->memory))
      continue;
    if (!choose(u->core, node->n_cores, level, place->cores, place->core + n * place->cores) ||
        !choose_gpus_on(places, node, u->gpu, level, n, place))
      continue;
    place->node[n++] = i;
  }
  return n == place->n_nodes;
}

/* Count a place as used once more, or once less. */
static void count_use(gannet_places *places, const gannet_place *place, int by) {
  for (int i = 0; i < place->n_nodes; ++i) {
    usage *u = &places->node[place->node[i]];
    for (int k = 0; k < place->cores; ++k) u->core[place->core[i * place->cores + k]] += by;
    for (int k = 0; k < place->gpus; ++k) u->gpu[place->gpu[i * place->gpus + k]] += by;
    u->memory += by * place->need.memory;
  }
}

gannet_err gannet_place_take(gannet_places *places, const gannet_need *need, gannet_place *place,
                             bool *taken) {
  const int nodes = need->nodes > 0 ? need->nodes : 1;
  gannet_place made = {
      .need = *need, .n_nodes = nodes, .cores = need->cores / nodes, .gpus = need->gpus / nodes};
  *place = (gannet_place){0};
  *taken = false;
  GANNET_TRY(
      gannet_alloc((size_t)(nodes + need->cores + need->gpus), sizeof *made.node, &made.node));
  made.core = made.node + nodes;
  made.gpu = made.core + need->cores;
  for (int level = 0; !*taken && level <= (places->oversubscribe ? MOST_SHARED : 0); ++level)
    *taken = take_at(places, level, &made);
  if (*taken) {
    count_use(places, &made, 1);
    *place = made;
  } else {
    gannet_free(&made.node);
  }
  return GANNET_OK;
}

void gannet_place_give_back(gannet_places *places, gannet_place *place) {
  count_use(places, place, -1);
  gannet_free(&place->node);
  *place = (gannet_place){0};
}

double gannet_places_next_opening(const gannet_places *places) {
  const double now = gannet_clock_seconds();
  double next = INFINITY;
  for (int i = 0; i < places->inventory->n_nodes; ++i)
    if (places->inventory->node[i].opens > now) next = fmin(next, places->inventory->node[i].opens);
  return next;
}

gannet_err gannet_places_count(const gannet_inventory *inventory, const gannet_resources *resources,
                               bool only_here, const gannet_need *need, int most, int *count) {
  gannet_resources alone = *resources;
  gannet_places *places = NULL;
  gannet_place place;
  bool taken = true;
  *count = 0;
  alone.oversubscribe = false;
  GANNET_TRY(gannet_places_create(inventory, &alone, only_here, &places));
  places->ignores_pauses = true;
  gannet_err err = GANNET_OK;
  while (err == GANNET_OK && taken && *count < most) {
    err = gannet_place_take(places, need, &place, &taken);
    *count += err == GANNET_OK && taken;
    gannet_free(&place.node);
  }
  gannet_places_destroy(&places);
  return err;
}
