/* Looking on while a campaign runs: its files only, never its process.
 *
 *   gannet_follow_open      everything there is by now
 *   gannet_follow_look      what has come since, as often as wanted
 *   gannet_follow_classify  whether somebody is at work, and how it ended when not
 *   gannet_follow_close
 *
 * All functions are local and need neither MPI nor PETSc. No lock is taken, nothing is written.
 */
#ifndef GANNET_CAMPAIGN_RUN_FOLLOW_H
#define GANNET_CAMPAIGN_RUN_FOLLOW_H

#include "campaign/run/campaign.h"
#include "evaluate/slurm/scheduler_status.h"
#include "store/lock.h"

typedef struct {
  gannet_campaign campaign;  /* as a query gives it; results count as soon as they are on disk */
  int64_t total;             /* evaluations that it is to have; 0 = no limit */
  gannet_lock_holder holder; /* who works on it */
  gannet_scheduler_status scheduler; /* since = 0: none, or nothing depends on it */
  double changed;                    /* seconds since 1970 of the last change of the journal */
  int generation;                    /* how often everything had to be read again */
  char note[600];                    /* what is wrong with the journal; "" when all is well */

  double configured; /* seconds since 1970 of the last change of campaign.yaml */
  gannet_journal_position position;
  int bad_looks;
} gannet_follow;

typedef enum {
  GANNET_FOLLOW_AT_WORK,  /* a process owns the campaign, or did a moment ago */
  GANNET_FOLLOW_WAITING,  /* nobody needs to: results come from a scheduler or by hand */
  GANNET_FOLLOW_FINISHED, /* the budget is spent, or a reason to stop holds */
  GANNET_FOLLOW_FAILURES, /* too many evaluations failed */
  GANNET_FOLLOW_STOPPED   /* can be resumed */
} gannet_follow_state;

/* Open a campaign directory. A damaged journal is replaced by the newest snapshot, with a note, and
 * nothing new comes then. Close also after an error.
 *
 * Local.
 *
 * Errors: those of gannet_campaign_query.
 */
GANNET_CHECKED gannet_err gannet_follow_open(const char *directory, gannet_follow *follow);

/* Read what has come. Evaluations keep their ids unless the generation changes.
 *
 * Local.
 *
 * changed  out  whether anything has
 *
 * Errors: GANNET_ERR_DAMAGED when the journal was found so several times in a row (a file system
 *   may show the parts of an addition out of order); GANNET_ERR_MISSING, GANNET_ERR_IO.
 */
GANNET_CHECKED gannet_err gannet_follow_look(gannet_follow *follow, bool *changed);

/* Look at a campaign that is open already, from gannet_campaign_query: what gannet_follow_classify
 * needs, and nothing more. Not for gannet_follow_look and gannet_follow_close.
 *
 * Local.
 *
 * campaign  in   borrowed for as long as follow is used
 */
void gannet_follow_borrow(const gannet_campaign *campaign, gannet_follow *follow);

/* The state of the campaign as of the last look.
 *
 * Local.
 *
 * why  out  [size] in words; "" when there is nothing to say
 */
gannet_follow_state gannet_follow_classify(const gannet_follow *follow, char *why, size_t size);

/* Local. */
void gannet_follow_close(gannet_follow *follow);

#endif
