#include "optimizer/propose/draw_uses.h"

#include <stdio.h>

#include "problem/objectives.h"

typedef struct {
  const char *name;
  bool polish;
  double factor; /* on the deviation of the draw from the mean */
} draw_use;

/* Those that are polished come first. */
static const draw_use uses[GANNET_DRAW_USES] = {
    {"polished", true, 1},    {"shrunk_polished", true, 0.25}, {"mean_polished", true, 0.06},
    {"unpolished", false, 1}, {"shrunk", false, 0.25},         {"mean", false, 0.06}};

static bool adapts(const gannet_member *member) {
  const gannet_acq_type *type = member->options->acq_type;
  return member->options->acquisition.draws == GANNET_DRAWS_ADAPT && type &&
         type->kind == GANNET_ACQ_DRAWS && member->problem->n_continuous > 0 &&
         gannet_problem_n_objectives(member->problem) == 1;
}

gannet_err gannet_draw_uses_deal(gannet_member *member, int q, int *count, int *n_polished) {
  double most[GANNET_DRAW_USES];
  bool idle[GANNET_DRAW_USES];
  int draw = 0;
  for (int i = 0; i < GANNET_DRAW_USES; ++i) count[i] = 0;
  count[0] = *n_polished = q;
  if (!adapts(member)) return GANNET_OK;
  for (int i = 0; i < GANNET_DRAW_USES; ++i) {
    most[i] = 1;
    idle[i] = (uses[i].polish && member->options->search.polish == 0) ||
              (uses[i].factor != 1 && !member->options->surrogate_type->shrink_draw);
  }
  GANNET_TRY(gannet_allocation_credit_results(&member->draw_uses, member->history));
  gannet_allocation_deal(&member->draw_uses, GANNET_DRAW_USES, idle, most, q, count);
  *n_polished = 0;
  for (int i = 0; i < GANNET_DRAW_USES; ++i) {
    if (uses[i].polish) *n_polished += count[i];
    for (int k = 0; k < count[i]; ++k, ++draw)
      if (uses[i].factor != 1)
        GANNET_TRY(gannet_models_shrink_draw(member->models, draw, uses[i].factor));
  }
  return GANNET_OK;
}

void gannet_draw_uses_note(gannet_member *member, const gannet_new_rows *rows, const int *count) {
  if (!adapts(member)) return;
  gannet_allocation_note(&member->draw_uses, rows->first + (int64_t)member->n_chosen * rows->step,
                         rows->step, GANNET_DRAW_USES, count);
}

static void name_parts(const char *part, char *own, char (*parts)[GANNET_STATE_NAME]) {
  (void)snprintf(own, GANNET_STATE_NAME, "%sdraws.", part);
  for (int i = 0; i < GANNET_DRAW_USES; ++i)
    (void)snprintf(parts[i], GANNET_STATE_NAME, "%sdraws.%s.", part, uses[i].name);
}

gannet_err gannet_draw_uses_get_state(const gannet_member *member, const char *part,
                                      gannet_state *state) {
  char own[GANNET_STATE_NAME], parts[GANNET_DRAW_USES][GANNET_STATE_NAME];
  if (!adapts(member)) return GANNET_OK;
  name_parts(part, own, parts);
  return gannet_allocation_get_state(&member->draw_uses, own, GANNET_DRAW_USES, parts, state);
}

gannet_err gannet_draw_uses_set_state(gannet_member *member, const char *part,
                                      gannet_state *state) {
  char own[GANNET_STATE_NAME], parts[GANNET_DRAW_USES][GANNET_STATE_NAME];
  if (!adapts(member)) return GANNET_OK;
  name_parts(part, own, parts);
  return gannet_allocation_set_state(&member->draw_uses, own, GANNET_DRAW_USES, parts,
                                     gannet_history_count(member->history), state);
}
