/* The steps that the files of the ledger share. A ledger changes in three layers: ledger.c keeps
 * the tickets, columns and counts; ledger_apply.c, ledger_correct.c and ledger_change.c take
 * records over, read or about to be written; ledger_write.c writes records and takes them over.
 * Errors of taking a record over are GANNET_ERR_DAMAGED.
 */
#ifndef GANNET_CAMPAIGN_RUN_LEDGER_STEPS_H
#define GANNET_CAMPAIGN_RUN_LEDGER_STEPS_H

#include "campaign/run/ledger.h"
#include "campaign/run/ledger_translation.h"
#include "campaign/run/record.h"

/* Title of the column of GANNET_COLUMN_START, and its name in snapshots. */
extern const char ledger_start_column[];

/* ledger.c */

/* Make a ticket for each row that the history has and the ledger has not.
 *
 * Local.
 *
 * seconds  in  that proposing the rows took, NAN = unknown
 */
GANNET_CHECKED gannet_err ledger_add_tickets(gannet_ledger *ledger, double seconds);

/* Find the ticket of an evaluation.
 *
 * Local.
 */
GANNET_CHECKED gannet_err ledger_find_ticket(const gannet_ledger *ledger, int64_t id,
                                             gannet_ticket **ticket);

/* Remember an attempt that ended and was followed by another one.
 *
 * Local.
 */
GANNET_CHECKED gannet_err ledger_keep_attempt(gannet_ledger *ledger,
                                              const gannet_result_record *result);

/* Copy a result, whose numbers are NAN unless it is done.
 *
 * Local.
 *
 * to  inout  its constraints point at [n_constraints]
 */
GANNET_CHECKED gannet_err ledger_copy_result(const gannet_problem *problem,
                                             const gannet_result_record *from,
                                             gannet_result_record *to);

/* Remove all columns.
 *
 * Local.
 */
void ledger_forget_columns(gannet_ledger *ledger);

/* Forget the state of the optimiser but for its method and the number of its batch, as after a
 * correction or a change of the problem.
 *
 * Local.
 */
GANNET_CHECKED gannet_err ledger_forget_learnt(gannet_ledger *ledger);

/* ledger_correct.c */

/* Correct evaluations as an order says, and tell the history anew.
 *
 * Local.
 */
GANNET_CHECKED gannet_err ledger_take_correct(gannet_ledger *ledger,
                                              const gannet_correction_order *order);

/* Take over a correction that the journal has.
 *
 * Local.
 */
GANNET_CHECKED gannet_err ledger_take_correct_record(gannet_ledger *ledger,
                                                     const gannet_record *record);

/* ledger_change.c */

/* What a change makes of a ledger, before it is made. Free with ledger_release_plan. */
typedef struct {
  gannet_problem *described;              /* as the record says; NULL = the problem stays */
  gannet_ledger_translation *translation; /* NULL = the problem stays */
  bool is_target;
} ledger_planned_change;

/* Translate what the ledger knows, and leave the ledger as it is.
 *
 * Local.
 *
 * description  in   of the problem after the change; NULL = the problem stays
 * plan         out  released by the caller, also after an error
 *
 * Errors: those of gannet_ledger_translate.
 */
GANNET_CHECKED gannet_err ledger_plan_change(const gannet_ledger *ledger, const char *description,
                                             ledger_planned_change *plan);

/* Make a planned change.
 *
 * Local.
 */
GANNET_CHECKED gannet_err ledger_make_change(gannet_ledger *ledger, gannet_record *record,
                                             ledger_planned_change *plan);

/* Free what a plan still owns.
 *
 * Local.
 */
void ledger_release_plan(ledger_planned_change *plan);

/* Plan a change that the journal has, and make it.
 *
 * Local.
 */
GANNET_CHECKED gannet_err ledger_take_change(gannet_ledger *ledger, gannet_record *record);

/* ledger_apply.c */

/* Take over a record of any kind.
 *
 * Local.
 */
GANNET_CHECKED gannet_err ledger_take_record(gannet_ledger *ledger, gannet_record *record);

/* Take over an ended attempt.
 *
 * Local.
 */
GANNET_CHECKED gannet_err ledger_take_result(gannet_ledger *ledger,
                                             const gannet_result_record *result);

/* Hand results to the history.
 *
 * Local.
 */
GANNET_CHECKED gannet_err ledger_take_tell(gannet_ledger *ledger, int n, const int64_t *ids);

/* Remember why the campaign ended.
 *
 * Local.
 */
GANNET_CHECKED gannet_err ledger_take_stop(gannet_ledger *ledger, const char *reason);

#endif
