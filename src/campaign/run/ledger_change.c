#include <string.h>

#include "base/memory.h"
#include "campaign/config/config.h"
#include "campaign/run/fingerprint.h"
#include "campaign/run/ledger_steps.h"

gannet_err ledger_plan_change(const gannet_ledger *ledger, const char *description,
                              ledger_planned_change *plan) {
  *plan = (ledger_planned_change){0};
  if (!description) return GANNET_OK;
  GANNET_TRY(gannet_campaign_parse_problem(description, &plan->described));
  plan->is_target =
      gannet_problem_fingerprint(plan->described) == gannet_problem_fingerprint(ledger->target);
  return gannet_ledger_translate(ledger, plan->described,
                                 plan->is_target ? ledger->target : plan->described,
                                 &plan->translation);
}

/* Count everything anew, and find the columns that results need. */
static gannet_err count_anew(gannet_ledger *ledger) {
  memset(ledger->n_ended, 0, sizeof ledger->n_ended);
  memset(ledger->n_imported, 0, sizeof ledger->n_imported);
  ledger->n_feasible = ledger->n_imported_feasible = ledger->n_incomplete = 0;
  ledger_forget_columns(ledger);
  for (int64_t i = 0; i < ledger->n; ++i) {
    const gannet_ticket *ticket = &ledger->ticket[i];
    gannet_ledger_count(ledger, ticket, 1);
    if (!ticket->has_result) continue;
    if (ticket->start_from >= 0)
      GANNET_TRY(gannet_ledger_add_column(ledger, ledger_start_column, GANNET_COLUMN_START));
    GANNET_TRY(gannet_ledger_add_columns(ledger, &ticket->result.reported));
  }
  for (int i = 0; i < ledger->n_corrections; ++i)
    GANNET_TRY(gannet_ledger_add_columns(ledger, &ledger->correction[i].before.reported));
  return GANNET_OK;
}

static gannet_err take_planned(gannet_ledger *ledger, ledger_planned_change *plan) {
  gannet_ledger_translation *made = plan->translation;
  if (!made) return GANNET_OK;
  gannet_history_exchange(ledger->history, made->history);
  for (int64_t i = 0; i < made->n_results; ++i) {
    gannet_result_record *result =
        i < ledger->n ? &ledger->ticket[i].result : &ledger->correction[i - ledger->n].before;
    const gannet_result_record kept = *result;
    *result = made->result[i];
    made->result[i] = kept;
  }
  for (int i = 0; i < ledger->n_imports; ++i)
    if (ledger->imports[i].related.n > 0)
      GANNET_TRY(
          gannet_ledger_translate_related(ledger->problem, made->to, &ledger->imports[i].related));
  ledger->problem = made->to;
  GANNET_TRY(count_anew(ledger));
  GANNET_TRY(ledger_forget_learnt(ledger));
  gannet_problem *before = ledger->described;
  ledger->described = plan->is_target ? NULL : plan->described;
  plan->described = plan->is_target ? plan->described : NULL;
  gannet_problem_destroy(&before);
  return GANNET_OK;
}

void ledger_release_plan(ledger_planned_change *plan) {
  gannet_ledger_translation_destroy(&plan->translation);
  gannet_problem_destroy(&plan->described);
}

gannet_err gannet_ledger_begin_as(gannet_ledger *ledger, const char *description) {
  ledger_planned_change plan;
  gannet_err err = ledger_plan_change(ledger, description, &plan);
  if (err == GANNET_OK) err = take_planned(ledger, &plan);
  ledger_release_plan(&plan);
  return err;
}

gannet_err ledger_make_change(gannet_ledger *ledger, gannet_record *record,
                              ledger_planned_change *plan) {
  GANNET_TRY(take_planned(ledger, plan));
  GANNET_TRY(gannet_ledger_add_revision(ledger, &record->revision));
  if (!record->after) return GANNET_OK;
  ledger->fingerprint = gannet_problem_fingerprint(ledger->problem);
  ledger->n_changes += 1;
  gannet_free(&ledger->stop_reason); /* it may hold no longer */
  return GANNET_OK;
}

gannet_err ledger_take_change(gannet_ledger *ledger, gannet_record *record) {
  ledger_planned_change plan;
  gannet_err err = ledger_plan_change(ledger, record->after, &plan);
  if (err == GANNET_OK) err = ledger_make_change(ledger, record, &plan);
  ledger_release_plan(&plan);
  return err;
}
