/* A campaign: its directory, its journal, its history and, while it runs, its optimiser.
 *
 *   NAME.campaign/campaign.yaml   effective configuration
 *                 journal         every proposal and result, written before it counts
 *                 state.h5, .1    snapshots of all of it, for other programs and as a second copy
 *                 history.csv     one line per evaluation, in whole lines
 *                 campaign.log    what happened
 *                 evals/000123/   one directory per evaluation of the command back-end
 *                 STOP            made by the user: stop proposing
 */
#ifndef GANNET_CAMPAIGN_RUN_CAMPAIGN_H
#define GANNET_CAMPAIGN_RUN_CAMPAIGN_H

#include <limits.h>

#include "campaign/config/config.h"
#include "campaign/run/ledger.h"
#include "campaign/run/resume.h"
#include "evaluate/slurm/scheduler_status.h"
#include "optimizer/optimizer.h"

/* What a change of the campaign file by this opening meant. */
typedef struct {
  bool is_made;                         /* there was one: the last revision of the ledger */
  bool is_of_problem;                   /* and the evaluations were read anew */
  int64_t feasible_before, best_before; /* -1 = there was no best one */
} gannet_change_effect;

typedef struct {
  gannet_context *context;      /* owned; NULL in a query without an optimiser */
  gannet_campaign_input *input; /* owned */
  char directory[PATH_MAX];
  gannet_history *history; /* owned: every evaluation, also those that were discarded */
  gannet_optimizer
      *optimizer; /* owned; NULL in a query without one. Its own history has those that count */
  gannet_ledger ledger;
  bool is_stale; /* after a correction: the optimiser begins anew before it is asked again */
  bool ignores_requests; /* their files cannot be removed; on rank 0 (campaign/run/corrections.h) */
  bool is_resumed;
  gannet_change_effect change;
  gannet_damage damage; /* of a query */
  int64_t *start_left;  /* [n_start_left] designs to start with that were not proposed yet */
  int64_t n_start_left;
  bool knows_start_left; /* they were looked for, which the first ask does */
  uint64_t instance;     /* of this opening, unlike any other in the world; the same on all ranks */
} gannet_campaign;

/* What a run is started from. */
typedef struct {
  const char *file; /* campaign file */
  /* NULL = NAME.campaign in the working directory, or that of the file when a campaign is resumed
   * from its own campaign.yaml */
  const char *directory;
  int n_sets;
  const char *const *sets;
  bool resume;     /* continue if there is something to continue */
  bool must_exist; /* do not begin a new campaign */
  bool reimport;   /* imported files that have changed since are read again */
  gannet_log_level level;
  gannet_log_sink log; /* NULL = silent */
  void *log_user;
} gannet_campaign_start_options;

/* Read the campaign file, on a resume with what the campaign in the directory carries over into it
 * (campaign/config/carry_over.h).
 *
 * Collective over comm; options the same on all ranks.
 *
 * input  out  for gannet_campaign_destroy
 *
 * Errors: those of gannet_campaign_load.
 */
GANNET_CHECKED gannet_err gannet_campaign_read_file(MPI_Comm comm,
                                                    const gannet_campaign_start_options *options,
                                                    gannet_campaign_input **input,
                                                    gannet_complaints *complaints);

/* Read the campaign file, then begin a new campaign directory or continue an old one: the journal
 * is replayed, and a damaged one is rebuilt from the newest sound snapshot. The directory is locked
 * against other controllers until close.
 *
 * Collective over comm; options the same on all ranks.
 *
 * complaints  inout  everything wrong with the campaign file
 * campaign    out    to be closed, also after an error
 *
 * Errors: GANNET_ERR_INPUT with complaints; GANNET_ERR_EXISTS when the directory holds a campaign
 * and resume was not asked for; GANNET_ERR_BUSY, GANNET_ERR_DAMAGED, GANNET_ERR_VERSION,
 * GANNET_ERR_IO.
 */
GANNET_CHECKED gannet_err gannet_campaign_start(MPI_Comm comm,
                                                const gannet_campaign_start_options *options,
                                                gannet_complaints *complaints,
                                                gannet_campaign *campaign);

/* Log the warnings about a campaign file that were not shown yet, or drop them where gannet itself
 * wrote the file. gannet_campaign_start does it.
 *
 * Local.
 *
 * campaign  in  with context
 */
void gannet_campaign_show_warnings(const gannet_campaign *campaign, const char *file,
                                   gannet_complaints *complaints);

/* Where a start puts or finds the campaign: campaign->directory. Nothing is made.
 *
 * Collective over the context's communicator; arguments the same on all ranks.
 *
 * campaign  inout  with context and input
 *
 * Errors: GANNET_ERR_INPUT when the path is too long; GANNET_ERR_IO.
 */
GANNET_CHECKED gannet_err gannet_campaign_choose_directory(
    const gannet_campaign_start_options *options, gannet_campaign *campaign);

/* What a start does besides its directory: load the plugins of equations and make the optimiser, so
 * that a dry run finds what is wrong with them.
 *
 * Collective over the context's communicator; arguments the same on all ranks.
 *
 * campaign  inout  with context and input, and no optimizer yet
 * file      in     campaign file
 *
 * Errors: GANNET_ERR_INPUT; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_campaign_setup(gannet_campaign *campaign, const char *file);

/* What a start would find in the directory, without changing anything: the same refusals, or a
 * campaign whose ledger, damage and is_resumed are known on rank 0.
 *
 * Collective over the context's communicator; arguments the same on all ranks.
 *
 * campaign  inout  with directory and setup; for closing only afterwards
 *
 * Errors: those of a start that come from the directory.
 */
GANNET_CHECKED gannet_err gannet_campaign_dry_run(const gannet_campaign_start_options *options,
                                                  gannet_campaign *campaign);

/* Read the configuration of a campaign directory into a campaign whose ledger is empty: the first
 * half of a query. To be closed, also after an error.
 *
 * Local; needs neither MPI nor PETSc.
 *
 * Errors: GANNET_ERR_MISSING when it is no campaign directory; GANNET_ERR_INPUT, or
 * GANNET_ERR_DAMAGED when the campaign was begun and can get another configuration.
 */
GANNET_CHECKED gannet_err gannet_campaign_look(const char *directory, gannet_campaign *campaign);

/* Take over the problem of a journal that was read, if it is another one: a process that ended
 * after it had changed the problem, and before it wrote the configuration, left that of before.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT when the journal never had the problem of the configuration.
 */
GANNET_CHECKED gannet_err gannet_campaign_adopt_problem(gannet_campaign *campaign);

/* GANNET_ERR_MISSING for a path that is no campaign directory: what it is instead, and what lies
 * near; GANNET_ERR_IO when that may not be known.
 *
 * Local.
 */
gannet_err gannet_campaign_raise_none(const char *directory);

/* Read a campaign directory without changing it, also while it runs. Results that are acknowledged
 * but not yet told to the optimiser are in the history too.
 *
 * Local; needs neither MPI nor PETSc.
 *
 * replay  in  from the journal alone, however long that takes
 */
GANNET_CHECKED gannet_err gannet_campaign_query(const char *directory, bool replay,
                                                gannet_campaign *campaign);

/* A query whose campaign has an optimiser, too: with the history and the saved state, as a resumed
 * campaign would have it, on this process alone.
 *
 * Local; starts MPI when it does not run.
 *
 * log, log_user  in  of the context
 */
GANNET_CHECKED gannet_err gannet_campaign_query_optimizer(const char *directory,
                                                          gannet_log_sink log, void *log_user,
                                                          gannet_campaign *campaign);

/* Free everything and give the directory free; harmless after a failed start.
 *
 * Collective after start or continue, local after query.
 */
void gannet_campaign_close(gannet_campaign *campaign);

/* Path of a file of the campaign.
 *
 * Local.
 *
 * path  out  [PATH_MAX]
 */
GANNET_CHECKED gannet_err gannet_campaign_path(const gannet_campaign *campaign, const char *name,
                                               char *path);

/* Whether a scheduler that evaluations in flight depend on did not answer the last time.
 *
 * Local.
 *
 * status  out  since = 0 when there is nothing of the kind
 */
void gannet_campaign_scheduler_status(const gannet_campaign *campaign,
                                      gannet_scheduler_status *status);

/* How many of the designs to start with are still to be proposed; those that are in the history
 * already are not proposed again.
 *
 * Local.
 *
 * campaign  inout  with optimizer, or of a dry run
 */
GANNET_CHECKED gannet_err gannet_campaign_count_start(gannet_campaign *campaign, int64_t *n);

/* Ask for q points, the designs to start with first, and put them into the journal before anybody
 * sees them.
 *
 * Collective; the same on all ranks.
 *
 * first  out  id of the first of q consecutive evaluations
 */
GANNET_CHECKED gannet_err gannet_campaign_ask(gannet_campaign *campaign, int q, int64_t *first);

/* Enter a point of the user's own as a proposal.
 *
 * Local; the caller agrees on the outcome between ranks.
 *
 * x_user  in   [n_variables]
 *
 * Errors: GANNET_ERR_INPUT for a point outside the ranges of the variables.
 */
GANNET_CHECKED gannet_err gannet_campaign_propose(gannet_campaign *campaign, const double *x_user,
                                                  int64_t *id);

/* Tell the optimiser every result that is acknowledged and was not told, in the order of ids: what
 * a process left behind that ended between the two.
 *
 * Local; the caller agrees on the outcome between ranks.
 */
GANNET_CHECKED gannet_err gannet_campaign_tell_held(gannet_campaign *campaign);

/* Tell the optimiser results that the journal has, in this order.
 *
 * Local; the caller agrees on the outcome between ranks.
 */
GANNET_CHECKED gannet_err gannet_campaign_tell(gannet_campaign *campaign, int n,
                                               const int64_t *ids);

/* Correct evaluations. The optimiser learns from the remaining results as if it had been told no
 * others.
 *
 * Local; the caller agrees on the outcome between ranks.
 */
GANNET_CHECKED gannet_err gannet_campaign_correct(gannet_campaign *campaign,
                                                  const gannet_correction_order *order);

/* Write a snapshot of the state (rank 0) and agree on the outcome.
 *
 * Collective.
 */
GANNET_CHECKED gannet_err gannet_campaign_save(gannet_campaign *campaign);

#endif
