#include "optimizer/optimizer_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "optimizer/hyper_digest.h"

static const gannet_struct_field own_fields[] = {
    {.name = "batch", GANNET_STRUCT_AT(gannet_optimizer, batch, LARGE)}, {0}};

int64_t gannet_optimizer_left_out(const gannet_optimizer_options *options,
                                  const gannet_state *state, int member) {
  char part[GANNET_STATE_NAME];
  if (options->n_members < 2) return -1;
  gannet_member_state_prefix(options, member, part);
  return gannet_allocation_find_left_out(state, part);
}

gannet_err gannet_optimizer_get_state(const gannet_optimizer *o, gannet_state *state) {
  const int n = o->options.n_members;
  gannet_state_clear(state);
  GANNET_TRY(gannet_state_put_text(state, "", "method", o->options.method.method));
  GANNET_TRY(gannet_state_put_fields(state, "", own_fields, o));
  if (n > 1) GANNET_TRY(gannet_allocation_get_state(&o->allocation, "", n, o->part, state));
  if (n > 1) GANNET_TRY(gannet_state_put_fields(state, "", gannet_race_fields, &o->race));
  GANNET_TRY(gannet_cost_model_get_state(o->cost, state));
  for (int i = 0; i < n; ++i) {
    const gannet_surrogate_type *type = o->options.member[i].surrogate_type;
    if (o->meaning[i][0]) {
      GANNET_TRY(gannet_state_put_text(state, o->part[i], "surrogate", type->name));
      GANNET_TRY(gannet_state_put_text(state, o->part[i], "meaning", o->meaning[i]));
    }
    GANNET_TRY(gannet_member_get_state(&o->member[i], o->part[i], state));
  }
  return GANNET_OK;
}

gannet_err gannet_optimizer_set_state(gannet_optimizer *o, gannet_state *state,
                                      gannet_state_report *report) {
  const int n = o->options.n_members;
  gannet_state_report unwanted;
  if (!report) report = &unwanted;
  *report = (gannet_state_report){0};
  GANNET_TRY(gannet_state_take_fields(state, "", own_fields, o));
  if (n > 1)
    GANNET_TRY(gannet_allocation_set_state(&o->allocation, "", n, o->part,
                                           gannet_history_count(o->history), state));
  GANNET_TRY(gannet_state_take_fields(state, "", gannet_race_fields, &o->race));
  GANNET_TRY(gannet_cost_model_set_state(o->cost, state));
  for (int i = 0; i < n; ++i) {
    const bool same_meaning =
        strcmp(gannet_state_find_text(state, o->part[i], "meaning"), o->meaning[i]) == 0;
    if (!same_meaning && o->meaning[i][0]) {
      const size_t used = strlen(report->members);
      (void)snprintf(report->members + used, sizeof report->members - used, "%s%s",
                     used ? ", " : "", o->options.member[i].method.method);
      report->n_members += 1;
    }
    GANNET_TRY(
        gannet_member_set_state(&o->member[i], o->part[i], same_meaning, state, &report->missing));
  }
  return GANNET_OK;
}

/* After the number of the batch, of portfolios only. */
enum {
  BEST = 1,
  GAIN = BEST + 1,
  TRIALS = GAIN + 8,
  DUE = TRIALS + 8,
  OPEN = DUE + 8,
  OPEN_MOST = 64,
  MEMBERS = OPEN + OPEN_MOST
};

static gannet_err put_real(gannet_state *state, const char *part, const char *name, double number) {
  return gannet_state_put(state, part, name, GANNET_STATE_REAL, number);
}

/* Gains, trials and so on were arrays over eight members, an open evaluation id * 8 + member. */
static gannet_err name_allocation(const gannet_optimizer_options *options, const double *values,
                                  gannet_state *state) {
  char part[GANNET_STATE_NAME], name[32];
  GANNET_TRY(put_real(state, "", "best", values[BEST]));
  for (int i = 0; i < options->n_members; ++i) {
    gannet_member_state_prefix(options, i, part);
    GANNET_TRY(put_real(state, part, "gain", values[GAIN + i]));
    GANNET_TRY(put_real(state, part, "due", values[DUE + i]));
    if (values[TRIALS + i] < 0)
      GANNET_TRY(put_real(state, part, "left_out", -1 - values[TRIALS + i]));
    else
      GANNET_TRY(put_real(state, part, "trials", values[TRIALS + i]));
  }
  for (int k = 0; k < OPEN_MOST; ++k) {
    const int64_t code = (int64_t)values[OPEN + k];
    if (code < 0 || code % 8 >= options->n_members) continue;
    gannet_member_state_prefix(options, (int)(code % 8), part);
    (void)snprintf(name, sizeof name, "open.%d", k);
    GANNET_TRY(put_real(state, part, name, (double)(code / 8)));
  }
  return GANNET_OK;
}

/* The numbers of a member stood in the order in which it puts all of its values. */
static gannet_err name_members(const gannet_optimizer *o, int n, const double *values, int at,
                               gannet_state *state) {
  for (int i = 0; i < o->options.n_members; ++i) {
    const int first = state->n;
    if (o->member[i].evolution) continue; /* there was none then */
    GANNET_TRY(gannet_member_get_state(&o->member[i], o->part[i], state));
    for (int k = first; k < state->n; ++k) {
      const char *name = state->value[k].name + strlen(o->part[i]);
      if (strncmp(name, "other.", 6) == 0) continue; /* of other basins, which no member searched */
      if (at < n) state->value[k].number = values[at];
      ++at;
    }
    GANNET_TRY(gannet_state_put_text(state, o->part[i], "meaning", o->meaning[i]));
  }
  if (at != n) gannet_state_clear(state);
  return GANNET_OK;
}

gannet_err gannet_state_name_positional(const gannet_optimizer *o, int n, const double *values,
                                        gannet_state *state) {
  const bool several = o->options.n_members > 1;
  gannet_state_clear(state);
  if (n < (several ? MEMBERS : 1)) return GANNET_OK;
  GANNET_TRY(gannet_state_put(state, "", "batch", GANNET_STATE_WHOLE, values[0]));
  if (several) GANNET_TRY(name_allocation(&o->options, values, state));
  state->keeps_fallbacks = true;
  const gannet_err err = name_members(o, n, values, several ? MEMBERS : 1, state);
  state->keeps_fallbacks = false;
  return err;
}

int64_t gannet_state_positional_left_out(const gannet_optimizer_options *options, int n,
                                         const double *values, int member) {
  if (options->n_members < 2 || n <= MEMBERS || !(values[TRIALS + member] < 0)) return -1;
  return (int64_t)(-1 - values[TRIALS + member]);
}

double gannet_optimizer_related_weight(const gannet_state *state, int which, int model) {
  char name[80];
  double largest = NAN;
  if (model > 0)
    (void)snprintf(name, sizeof name, "constraint%d.related%d.weight", model, which + 1);
  else if (model < 0)
    (void)snprintf(name, sizeof name, "objective%d.related%d.weight", 1 - model, which + 1);
  else
    (void)snprintf(name, sizeof name, "related%d.weight", which + 1);
  for (int i = 0; i < state->n; ++i) {
    const char *last = strrchr(state->value[i].name, '/');
    if (strcmp(last ? last + 1 : state->value[i].name, name) == 0)
      largest = fmax(largest, state->value[i].number);
  }
  return largest;
}
