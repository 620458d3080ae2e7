#include "evaluate/command/lost_node.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "evaluate/command/outage.h"

enum { TAIL_SIZE = 4096 }; /* bytes of stderr.log that are looked at */

/* Seconds for which a node that takes no step is left out. */
static const double shortest_pause = 10, longest_pause = 120;

/* Lines of srun, up to SLURM 24.05. Of several that fit, the first counts. */
static const struct {
  const char *text, *also; /* both are in the line; also may be NULL */
  gannet_lost_kind kind;
  bool names_node; /* else it may be any node of the place */
} phrases[] = {
    {"Node failure on ", NULL, GANNET_LOST_GONE, true},
    {"DUE TO NODE FAILURE", NULL, GANNET_LOST_GONE, true},
    {"Task launch for ", "Communication connection failure", GANNET_LOST_UNREACHED, true},
    {"Task launch for ", "Message send failure", GANNET_LOST_UNREACHED, true},
    {"Task launch for ", "Message receive failure", GANNET_LOST_UNREACHED, true},
    {"Task launch for ", "timed out", GANNET_LOST_UNREACHED, true},
    {"Task launch for ", "Zero Bytes were transmitted", GANNET_LOST_UNREACHED, true},
    {"Task launch for ", " failed on node ", GANNET_LOST_REFUSED, true},
    {"Unable to create step for job ", "node configuration is not available", GANNET_LOST_REFUSED,
     false},
    {"Unable to create step for job ", "node not available (down", GANNET_LOST_REFUSED, false}};

/* Whether a host is a word of a line, not a part of a longer name. */
static bool names(const char *line, const char *host) {
  static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  const size_t size = strlen(host);
  for (const char *at = strstr(line, host); at; at = strstr(at + 1, host))
    if ((at == line || !strchr(others, at[-1])) && (!at[size] || !strchr(others, at[size])))
      return true;
  return false;
}

gannet_err gannet_lost_nodes_find(const gannet_placement *placement, const gannet_place *place,
                                  const char *directory, gannet_lost_nodes *lost) {
  const gannet_inventory *inventory = &placement->inventory;
  char path[PATH_MAX], tail[TAIL_SIZE];
  size_t length = 0;
  *lost = (gannet_lost_nodes){0};
  if (placement->starter != GANNET_STARTS_BY_SRUN || inventory->n_nodes < 2) return GANNET_OK;
  if (gannet_join_path(directory, "stderr.log", path, sizeof path) != GANNET_OK ||
      gannet_file_read_end(path, sizeof tail, tail, &length) != GANNET_OK) {
    gannet_error_clear();
    return GANNET_OK;
  }
  GANNET_TRY(gannet_alloc((size_t)place->n_nodes + 1, sizeof *lost->node, &lost->node));
  for (char *line = tail; line < tail + length; line += strlen(line) + 1) {
    line[strcspn(line, "\n")] = '\0';
    for (size_t p = 0; p < sizeof phrases / sizeof *phrases && lost->n_nodes == 0; ++p) {
      if (!strstr(line, phrases[p].text) || (phrases[p].also && !strstr(line, phrases[p].also)))
        continue;
      for (int i = 0; i < place->n_nodes; ++i) {
        const gannet_node *node = &inventory->node[place->node[i]];
        if (node->is_here || (phrases[p].names_node && !names(line, node->host))) continue;
        lost->node[lost->n_nodes++] = place->node[i];
      }
      lost->kind = phrases[p].kind;
      (void)snprintf(lost->words, sizeof lost->words, "%.190s", line);
    }
  }
  return GANNET_OK;
}

void gannet_lost_nodes_confirm(const gannet_inventory *inventory, gannet_lost_nodes *lost) {
  int n = 0;
  lost->is_confirmed = true;
  for (int i = 0; i < lost->n_nodes; ++i)
    if (inventory->node[lost->node[i]].availability != GANNET_NODE_AVAILABLE)
      lost->node[n++] = lost->node[i];
  lost->all_available = n == 0 && lost->kind == GANNET_LOST_REFUSED;
  if (!lost->all_available) lost->n_nodes = n;
}

void gannet_lost_nodes_leave_out(const gannet_lost_nodes *lost, gannet_inventory *inventory,
                                 double begun, bool may_lose, int64_t id,
                                 const gannet_context *context) {
  for (int i = 0; i < lost->n_nodes; ++i) {
    gannet_node *node = &inventory->node[lost->node[i]];
    char how_long[48] = "from now on", state[80] = "";
    const bool is_gone = lost->is_confirmed ? node->availability == GANNET_NODE_REMOVED
                                            : lost->kind == GANNET_LOST_GONE;
    if (node->is_lost || (begun < node->opens && !is_gone)) continue;
    node->is_lost = is_gone || (lost->kind != GANNET_LOST_UNREACHED && node->pause > 0 && may_lose);
    node->pause = fmin(fmax(2 * node->pause, shortest_pause), longest_pause);
    node->opens = node->is_lost ? INFINITY : gannet_clock_seconds() + node->pause;
    if (!node->is_lost) (void)snprintf(how_long, sizeof how_long, "for %g s", node->pause);
    if (lost->is_confirmed)
      (void)snprintf(state, sizeof state, " (SLURM: %s%s)", node->state,
                     is_gone ? ", not in the job" : "");
    gannet_log(context, GANNET_LOG_WARNING,
               "node %s is left out %s: %s%s; evaluation %lld is run again elsewhere, and this "
               "attempt does not count",
               node->host, how_long, lost->words, state, (long long)id);
  }
}

bool gannet_job_takes_no_steps(const char *directory, const char *job) {
  /* slurm_errno.c, up to 24.05; each beside the number of the job. */
  static const char *const phrase[] = {"Job/step already completing or completed",
                                       "Unable to confirm allocation for job",
                                       "Job credential revoked"};
  char path[PATH_MAX], tail[4096 + 1] = "";
  size_t length = 0;
  if (gannet_join_path(directory, "stderr.log", path, sizeof path) != GANNET_OK ||
      gannet_file_read_end(path, sizeof tail, tail, &length) != GANNET_OK)
    gannet_error_clear();
  if (job && !strstr(tail, job)) return false;
  for (char *line = tail; line < tail + length; line += strlen(line) + 1) {
    line[strcspn(line, "\n")] = '\0';
    for (size_t i = 0; i < sizeof phrase / sizeof *phrase; ++i)
      if (strstr(line, phrase[i]) && !gannet_outage_is_of_slurm(line)) return true;
  }
  return false;
}
