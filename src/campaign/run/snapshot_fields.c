#include "campaign/run/snapshot_fields.h"

#include <math.h>

#include "base/memory.h"

#define MARK(member, kind) GANNET_STRUCT_AT(gannet_snapshot_mark, member, kind)
#define PROPOSAL(member, kind) GANNET_STRUCT_AT(gannet_snapshot_proposal, member, kind)
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

const gannet_struct_field gannet_snapshot_proposal_fields[] = {
    {.name = "history/batch", PROPOSAL(batch, LARGE)},
    {.name = "history/origin",
     PROPOSAL(origin, INT),
     .upper = GANNET_ORIGIN_COUNT - 1,
     .help = "0 initial design, 1 method, 2 user, 3 start, 4 import"},
    {0}};

const gannet_struct_field gannet_snapshot_ticket_fields[] = {
    {.name = "history/status",
     TICKET(result.status, INT),
     .upper = GANNET_EVAL_STATUS_COUNT - 1,
     .help = "0 pending, 1 done, 2 cannot run, 3 failed"},
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
    {.name = "history/host", TICKET(result.run.host, TEXT), .help = "where it ran"},
    {.name = "history/job", TICKET(result.run.job, TEXT), .help = "scheduler's number, or process"},
    {.name = "history/reason",
     TICKET(result.run.reason, TEXT),
     .help = "why there is no result, or what is missing of what is only recorded"},
    {0}};

#define AT(member) offsetof(gannet_snapshot_problem, member)

const gannet_snapshot_problem_field gannet_snapshot_problem_fields[] = {
    {"problem/variables", "names, in the order of the columns of history/x", AT(n_variables),
     .texts = AT(name)},
    {"problem/type", "real, integer, boolean or categorical", AT(n_variables), .texts = AT(type)},
    {"problem/lower", "least value, in the user's units; NaN where there are none", AT(n_variables),
     .reals = AT(lower)},
    {"problem/upper", "largest value, in the user's units; NaN where there are none",
     AT(n_variables), .reals = AT(upper)},
    {"problem/scale", "linear or log: how the range is searched", AT(n_variables),
     .texts = AT(scale)},
    {"problem/unit", "units of the variables, as the campaign file states them; may be empty",
     AT(n_variables), .texts = AT(unit)},
    {"problem/fixed", "value of the variables that are fixed, as in history/x; NaN for others",
     AT(n_variables), .reals = AT(fixed), .optional = true},
    {"problem/expression", "what computes the variables that are derived; empty for others",
     AT(n_variables), .texts = AT(expression), .optional = true},
    {"problem/categories", "values of the categorical variables, each variable's in its order",
     AT(n_values), .texts = AT(value)},
    {"problem/category_of", "the variable that has the value, by its position from 0", AT(n_values),
     .wholes = AT(value_of)},
    {"problem/constraints", "names, in the order of the columns of history/constraints",
     AT(n_constraints), .texts = AT(constraint)},
    {"problem/constraint_lower", "least allowed value, -inf = any", AT(n_constraints),
     .reals = AT(least)},
    {"problem/constraint_upper", "largest allowed value, inf = any", AT(n_constraints),
     .reals = AT(most)},
    {"problem/constraint_unit", "units of the constraints; may be empty", AT(n_constraints),
     .texts = AT(constraint_unit)},
    {0}};

static gannet_err allocate_problem(const gannet_problem_spec *spec, gannet_snapshot_problem *p) {
  const size_t v = (size_t)spec->n_variables, k = (size_t)spec->n_constraints;
  size_t values = 0;
  for (size_t i = 0; i < v; ++i)
    if (spec->variables[i].type == GANNET_VARIABLE_CATEGORICAL)
      values += (size_t)spec->variables[i].n_values;
  GANNET_TRY(gannet_alloc(v, sizeof *p->name, &p->name));
  GANNET_TRY(gannet_alloc(v, sizeof *p->type, &p->type));
  GANNET_TRY(gannet_alloc(v, sizeof *p->scale, &p->scale));
  GANNET_TRY(gannet_alloc(v, sizeof *p->unit, &p->unit));
  GANNET_TRY(gannet_alloc(v, sizeof *p->lower, &p->lower));
  GANNET_TRY(gannet_alloc(v, sizeof *p->upper, &p->upper));
  GANNET_TRY(gannet_alloc(v, sizeof *p->fixed, &p->fixed));
  GANNET_TRY(gannet_alloc(v, sizeof *p->expression, &p->expression));
  GANNET_TRY(gannet_alloc(values, sizeof *p->value, &p->value));
  GANNET_TRY(gannet_alloc(values, sizeof *p->value_of, &p->value_of));
  GANNET_TRY(gannet_alloc(k, sizeof *p->constraint, &p->constraint));
  GANNET_TRY(gannet_alloc(k, sizeof *p->constraint_unit, &p->constraint_unit));
  GANNET_TRY(gannet_alloc(k, sizeof *p->least, &p->least));
  return gannet_alloc(k, sizeof *p->most, &p->most);
}

gannet_err gannet_snapshot_problem_fill(const gannet_problem *problem, gannet_snapshot_problem *p) {
  static const char *const scales[] = {"linear", "log"};
  const gannet_problem_spec *spec = &problem->spec;
  GANNET_TRY(allocate_problem(spec, p));
  for (int v = 0; v < spec->n_variables; ++v) {
    const gannet_variable *variable = &spec->variables[v];
    const bool number =
        variable->type == GANNET_VARIABLE_REAL || variable->type == GANNET_VARIABLE_INTEGER;
    const bool has_box = number && (variable->lower != 0 || variable->upper != 0);
    p->name[v] = variable->name;
    p->type[v] = gannet_variable_type_name(variable->type);
    p->scale[v] = scales[has_box && variable->scale == GANNET_SCALE_LOG];
    p->unit[v] = gannet_problem_unit(problem->variable_unit, v);
    p->lower[v] = has_box ? variable->lower : NAN;
    p->upper[v] = has_box ? variable->upper : NAN;
    p->fixed[v] = variable->role == GANNET_ROLE_FIXED ? variable->fixed : NAN;
    p->expression[v] = variable->role == GANNET_ROLE_DERIVED ? variable->expression : "";
    const int n = variable->type == GANNET_VARIABLE_CATEGORICAL ? variable->n_values : 0;
    for (int i = 0; i < n; ++i) {
      p->value[p->n_values] = variable->values[i];
      p->value_of[p->n_values++] = v;
    }
  }
  for (int k = 0; k < spec->n_constraints; ++k) {
    p->constraint[k] = spec->constraints[k].name;
    p->constraint_unit[k] = gannet_problem_unit(problem->constraint_unit, k);
    p->least[k] = spec->constraints[k].lower;
    p->most[k] = spec->constraints[k].upper;
  }
  p->n_variables = spec->n_variables;
  p->n_constraints = spec->n_constraints;
  return GANNET_OK;
}

void gannet_snapshot_problem_release(gannet_snapshot_problem *p) {
  gannet_free(&p->name);
  gannet_free(&p->type);
  gannet_free(&p->scale);
  gannet_free(&p->unit);
  gannet_free(&p->lower);
  gannet_free(&p->upper);
  gannet_free(&p->fixed);
  gannet_free(&p->expression);
  gannet_free(&p->value);
  gannet_free(&p->value_of);
  gannet_free(&p->constraint);
  gannet_free(&p->constraint_unit);
  gannet_free(&p->least);
  gannet_free(&p->most);
}

int64_t gannet_snapshot_feasible(const gannet_problem *problem, const gannet_ticket *ticket) {
  if (ticket->result.status != GANNET_EVAL_DONE) return -1;
  return gannet_problem_is_feasible(problem, ticket->result.constraints);
}
