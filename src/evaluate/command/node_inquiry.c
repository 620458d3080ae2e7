#include "evaluate/command/node_inquiry.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"

enum { FIRST_TAG = -3 }; /* of the launcher's events; simulations have their numbers, from 0 on */

/* Seconds that a call of scontrol may take: slurmctld may be busy. */
static const double patience = 30;

static void begin(gannet_node_inquiry *inquiry, gannet_launcher *launcher,
                  const gannet_inventory *inventory) {
  const char *list = getenv("SLURM_JOB_NODELIST");
  const char *const about[2][2] = {{"job", inventory->job}, {"node", list ? list : ""}};
  inquiry->begun = gannet_clock_seconds();
  inquiry->is_known = false;
  for (int i = 0; i < 2; ++i) {
    const char *const words[] = {"scontrol", "--oneliner", "show", about[i][0], about[i][1], NULL};
    if (gannet_tool_begin(launcher, words, NULL, FIRST_TAG + i, patience, &inquiry->call[i]))
      inquiry->n_open += 1;
    else
      inquiry->call[i].tag = 0;
  }
}

gannet_inquiry_state gannet_node_inquiry_ask(gannet_node_inquiry *inquiry,
                                             gannet_launcher *launcher,
                                             const gannet_inventory *inventory, double since) {
  if (inquiry->n_open == 0 && (inquiry->begun <= 0 || inquiry->begun < since))
    begin(inquiry, launcher, inventory);
  if (inquiry->n_open > 0) return GANNET_INQUIRY_RUNS;
  return inquiry->is_known ? GANNET_INQUIRY_ANSWERED : GANNET_INQUIRY_FAILED;
}

gannet_err gannet_node_inquiry_take(gannet_node_inquiry *inquiry, const gannet_launch_event *event,
                                    gannet_inventory *inventory) {
  const int64_t i = event->tag - FIRST_TAG;
  bool works = false;
  gannet_err err = GANNET_OK;
  if (i < 0 || i > 1 || inquiry->call[i].tag != event->tag || event->type == GANNET_LAUNCH_STARTED)
    return GANNET_OK; /* of an evaluator that used this launcher before */
  gannet_tool_finish(&inquiry->call[i], event, &works, &inquiry->answer[i]);
  inquiry->call[i].tag = 0;
  if (!works) gannet_free(&inquiry->answer[i]);
  if (--inquiry->n_open > 0) return GANNET_OK;
  if (inquiry->answer[0] && inquiry->answer[1])
    err = gannet_inventory_read_scontrol(inquiry->answer[0], inquiry->answer[1], inventory,
                                         &inquiry->is_known);
  for (int k = 0; k < 2; ++k) gannet_free(&inquiry->answer[k]);
  return err;
}

void gannet_node_inquiry_release(gannet_node_inquiry *inquiry) {
  for (int i = 0; i < 2; ++i) {
    bool works = false;
    if (inquiry->call[i].tag)
      gannet_tool_finish(&inquiry->call[i], NULL, &works, &inquiry->answer[i]);
    gannet_free(&inquiry->answer[i]);
  }
  *inquiry = (gannet_node_inquiry){0};
}
