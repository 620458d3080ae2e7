/* The loop of a campaign: ask, write down, simulate, write down, tell, save. */
#ifndef GANNET_CAMPAIGN_RUN_LOOP_H
#define GANNET_CAMPAIGN_RUN_LOOP_H

#include "campaign/run/campaign.h"
#include "campaign/run/progress.h"
#include "evaluate/evaluator.h"

typedef struct {
  const gannet_simulation_type *const *simulations;
  gannet_launcher *launcher;   /* used on rank 0; NULL = made when needed */
  const char *input_directory; /* that relative paths start from; NULL = that of the input */
  double time_limit;           /* seconds for this run, INFINITY = none */
  FILE *progress;              /* NULL = silent */
  /* End as soon as only time can change anything, and leave what runs to a later process; with a
   * back-end whose simulations need this one, end after a batch. */
  bool is_step;
  const gannet_follow_up *next; /* in a step: to be run when what was left has ended, or NULL */
} gannet_run_options;

/* Why a run ended; none is an error. */
typedef enum {
  GANNET_RUN_FINISHED,    /* the budget is spent, or a reason to stop holds */
  GANNET_RUN_INTERRUPTED, /* asked to stop; --resume continues */
  GANNET_RUN_FAILURES     /* too many evaluations failed */
} gannet_run_end;

typedef struct {
  gannet_run_end end;
  bool by_clock;       /* the wall time was over, or too short for more */
  char why[320];       /* in words, for the user; "" when the budget is spent */
  double seconds;      /* of the loop, without the last snapshot */
  double save_seconds; /* of all snapshots */
  int saves;           /* how many, that at the end included */
} gannet_run_outcome;

/* Run a campaign until its budget is spent, a reason to stop holds (campaign/run/stop_rule.h), or
 * somebody asks it to stop. Synchronous batches: a batch is told to the optimiser when all of it
 * has ended, in the order of ids, so an interrupted and resumed campaign takes the same course as
 * an uninterrupted one, bit for bit.
 *
 * Collective over the campaign's context; the same on all ranks.
 *
 * Errors: those of gannet's own means (full disk, dead helper, failed fit); everything acknowledged
 * is in the journal then, and the campaign can be resumed.
 */
GANNET_CHECKED gannet_err gannet_campaign_run(gannet_campaign *campaign,
                                              const gannet_run_options *options,
                                              gannet_run_outcome *outcome);

/* What an evaluator is made with for a run with these options.
 *
 * Local.
 *
 * Returns pointers into campaign and options.
 */
gannet_evaluator_setup gannet_run_evaluator_setup(const gannet_campaign *campaign,
                                                  const gannet_run_options *options);

/* End what an earlier process has left running of evaluations that are not wanted any more.
 *
 * Collective over the campaign's context; requests the same on all ranks.
 *
 * requests  in  [n] the last attempts of these evaluations
 *
 * Errors: those of the back-end.
 */
GANNET_CHECKED gannet_err gannet_campaign_end_left(const gannet_campaign *campaign,
                                                   const gannet_run_options *options, int n,
                                                   const gannet_request *requests);

/* After a run, tell the history the results of an unfinished batch and write them into history.csv,
 * so that people see them, as `gannet best` does. A resume puts them where an uninterrupted run has
 * them.
 *
 * Collective over the campaign's context.
 *
 * Errors: GANNET_ERR_MEMORY; those of gannet_table_replace.
 */
GANNET_CHECKED gannet_err gannet_campaign_show_held(gannet_campaign *campaign);

/* After a start that has changed the problem, write history.csv and both generations of the
 * snapshot anew: the old files are of the problem before. Does nothing after another start.
 *
 * Collective.
 */
GANNET_CHECKED gannet_err gannet_campaign_finish_change(gannet_campaign *campaign);

#endif
