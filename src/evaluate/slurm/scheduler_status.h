/* A note for `gannet watch` while a scheduler does not answer: CAMPAIGN/slurm/silent, with the
 * time since when and a word for what it means in its first line, and what the scheduler's program
 * said in the second.
 */
#ifndef GANNET_EVALUATE_SLURM_SCHEDULER_STATUS_H
#define GANNET_EVALUATE_SLURM_SCHEDULER_STATUS_H

#include <stdbool.h>

#include "base/error.h"

enum { GANNET_SCHEDULER_SAID = 300 };

typedef enum {
  GANNET_SCHEDULER_OTHER,   /* of a later version of the note */
  GANNET_SCHEDULER_UNKNOWN, /* nobody tells what the submitted jobs do */
  GANNET_SCHEDULER_REFUSES, /* jobs are not taken */
  GANNET_SCHEDULER_HOLDS    /* jobs are not started before somebody does something */
} gannet_scheduler_status_kind;

typedef struct {
  gannet_scheduler_status_kind kind;
  double since; /* seconds since 1970 of the first call without an answer */
  char said[GANNET_SCHEDULER_SAID];
} gannet_scheduler_status;

/* Whether there is a note in a campaign directory; what it says is then in scheduler_status.
 *
 * Local.
 */
bool gannet_scheduler_status_read(const char *campaign, gannet_scheduler_status *scheduler_status);

#endif
