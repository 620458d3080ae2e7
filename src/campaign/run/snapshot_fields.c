#include "campaign/run/snapshot_fields.h"

#include <math.h>

#define MARK(member, kind) GANNET_STRUCT_AT(gannet_snapshot_mark, member, kind)
#define TICKET(member, kind) GANNET_STRUCT_AT(gannet_ticket, member, kind)

/* The first version of snapshots did not name their journal. */
const gannet_struct_field gannet_snapshot_mark_fields[] = {
    {.name = "campaign/fingerprint", MARK(fingerprint, BITS)},
    {.name = "campaign/seed", MARK(seed, LARGE)},
    {.name = "campaign/sequence",
     MARK(sequence, LARGE),
     .help = "number of the last journal record contained"},
    {.name = "campaign/journal", MARK(journal, BITS), .optional = true},
    {0}};

const gannet_struct_field gannet_snapshot_ticket_fields[] = {
    {.name = "history/status",
     TICKET(result.status, INT),
     .upper = GANNET_EVAL_STATUS_COUNT - 1,
     .help = "0 pending, 1 done, 2 cannot run, 3 failed, 4 discarded"},
    {.name = "history/objective",
     TICKET(result.objective, REAL),
     .fallback = NAN,
     .help = "in the user's sense and units; NaN where there is none"},
    {.name = "history/attempt", TICKET(attempt, INT), .help = "last attempt submitted"},
    {.name = "history/nonce", TICKET(nonce, BITS), .help = "name of the last attempt, 64 bits"},
    {.name = "history/attempts", TICKET(result.run.attempts, INT), .help = "attempts that ended"},
    {.name = "history/exit_code",
     TICKET(result.run.exit_code, INT),
     .fallback = -1,
     .help = "of the last attempt, -1 = none"},
    {.name = "history/signal", TICKET(result.run.signal, INT), .help = "that ended it, 0 = none"},
    {.name = "history/slot",
     TICKET(result.run.slot, INT),
     .fallback = -1,
     .help = "of the evaluator, -1 = unknown"},
    {.name = "history/failure",
     TICKET(result.run.failure, INT),
     .optional = true,
     .help = "0 none, 1 word, 2 rule, 3 exit code, 4 signal, 5 time limit, 6 results, 7 launch, 8 "
             "scheduler"},
    {.name = "history/crashed",
     TICKET(result.run.crashed, TRUTH),
     .optional = true,
     .help = "1 = failed, and not by bad luck"},
    {.name = "history/submitted",
     TICKET(result.run.submitted, REAL),
     .fallback = NAN,
     .unit = "seconds since 1970"},
    {.name = "history/started",
     TICKET(result.run.started, REAL),
     .fallback = NAN,
     .unit = "seconds since 1970"},
    {.name = "history/ended",
     TICKET(result.run.ended, REAL),
     .fallback = NAN,
     .unit = "seconds since 1970"},
    {.name = "history/proposal_seconds",
     TICKET(proposal, REAL),
     .fallback = NAN,
     .optional = true,
     .unit = "seconds",
     .help = "that proposing the batch took, NaN = unknown"},
    {.name = "history/start_from",
     TICKET(start_from, LARGE),
     .fallback = -1,
     .optional = true,
     .help = "evaluation whose folder the simulation could start from, -1 = none"},
    {.name = "history/host", TICKET(result.run.host, TEXT), .help = "where it ran"},
    {.name = "history/job", TICKET(result.run.job, TEXT), .help = "scheduler's number, or process"},
    {.name = "history/reason",
     TICKET(result.run.reason, TEXT),
     .help = "why there is no result, or what is missing of what is only recorded"},
    {0}};

#define CORRECTION(member, kind) GANNET_STRUCT_AT(gannet_correction, member, kind)

const gannet_struct_field gannet_snapshot_correction_fields[] = {
    {.name = "corrections/evaluation", CORRECTION(id, LARGE)},
    {.name = "corrections/kind",
     CORRECTION(kind, INT),
     .upper = GANNET_CORRECTION_RETRY,
     .help = "0 discarded, 1 other values, 2 to run once more"},
    {.name = "corrections/when",
     CORRECTION(note.when, REAL),
     .fallback = NAN,
     .unit = "seconds since 1970"},
    {.name = "corrections/who", CORRECTION(note.who, TEXT)},
    {.name = "corrections/why", CORRECTION(note.why, TEXT)},
    {.name = "corrections/key", CORRECTION(note.key, BITS), .help = "of the request, 64 bits"},
    {.name = "corrections/was_told",
     CORRECTION(was_told, TRUTH),
     .help = "1 = the optimiser knew the result before"},
    {.name = "corrections/undone_when",
     CORRECTION(undo.when, REAL),
     .fallback = NAN,
     .unit = "seconds since 1970",
     .help = "NaN where it was not taken back"},
    {.name = "corrections/undone_who", CORRECTION(undo.who, TEXT)},
    {.name = "corrections/undone_why", CORRECTION(undo.why, TEXT)},
    {.name = "corrections/undone_key", CORRECTION(undo.key, BITS)},
    {0}};

int64_t gannet_snapshot_feasible(const gannet_problem *problem, const gannet_ticket *ticket) {
  if (ticket->result.status != GANNET_EVAL_DONE) return -1;
  return gannet_problem_is_feasible(problem, ticket->result.constraints);
}
