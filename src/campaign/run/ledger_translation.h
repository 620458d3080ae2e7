/* A ledger is taken from one problem to another: the points and results of all evaluations, also
 * those before corrections, and the history. Everything is made before anything is changed, so that
 * what cannot be translated leaves the ledger as it was.
 */
#ifndef GANNET_CAMPAIGN_RUN_LEDGER_TRANSLATION_H
#define GANNET_CAMPAIGN_RUN_LEDGER_TRANSLATION_H

#include "campaign/run/ledger.h"

/* What was translated, until the ledger takes it over. */
typedef struct {
  const gannet_problem *to;
  gannet_history *history;
  int64_t n_results;            /* of the tickets, then of before the corrections */
  gannet_result_record *result; /* [n_results] with constraints of their own */
} gannet_ledger_translation;

/* Translate what a ledger knows into the terms of a problem.
 *
 * Local.
 *
 * described  in  the problem as the change describes it, with the values of new variables
 * to         in  the same problem, which the ledger is to have: borrowed by its history
 *
 * Errors: GANNET_ERR_INPUT naming the evaluation that cannot be translated, and what to do.
 */
GANNET_CHECKED gannet_err gannet_ledger_translate(const gannet_ledger *ledger,
                                                  const gannet_problem *described,
                                                  const gannet_problem *to,
                                                  gannet_ledger_translation **translation);

/* Translate the results of a related problem, variable by variable. A variable that is new, or has
 * values that the new problem does not allow, counts as one that the related problem lacks. Values
 * of objectives and constraints go by their names. Without a common variable, or with fewer than
 * two rows that have a value, no row is left.
 *
 * Local.
 *
 * rows  inout  in the terms of before, then of after
 */
GANNET_CHECKED gannet_err gannet_ledger_translate_related(const gannet_problem *before,
                                                          const gannet_problem *after,
                                                          gannet_related_rows *rows);

/* Accepts a pointer to NULL.
 *
 * Local.
 */
void gannet_ledger_translation_destroy(gannet_ledger_translation **translation);

#endif
