#include "optimizer/member.h"

#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "optimizer/propose/draw_uses.h"
#include "optimizer/propose/propose.h"
#include "problem/objectives.h"

gannet_err gannet_member_create(const gannet_member_common *common,
                                const gannet_member_options *options, int index,
                                gannet_member *member) {
  *member = (gannet_member){.context = common->context,
                            .problem = gannet_history_problem(common->history),
                            .history = common->history,
                            .seen = common->seen,
                            .noise_test = common->noise_test,
                            .options = options,
                            .index = index,
                            .phases = common->phases,
                            .cost = common->cost};
  member->region.design = common->design;
  gannet_allocation_reset(&member->draw_uses);
  if (options->region.type != GANNET_REGION_NONE && options->proposer == GANNET_PROPOSE_MODEL)
    member->region.options = &options->region;
  if (options->proposer == GANNET_PROPOSE_QUADRATIC)
    return gannet_agree(common->context->comm,
                        gannet_local_create(common->context, common->history, common->noise_test,
                                            index, &member->local));
  if (options->proposer == GANNET_PROPOSE_EVOLUTION)
    return gannet_agree(
        common->context->comm,
        gannet_evolution_create(common->context, common->history, index, &member->evolution));
  if (options->proposer != GANNET_PROPOSE_MODEL) return GANNET_OK;
  if (options->acq_type->memory) {
    const gannet_err err = options->acq_type->memory->create(member->problem->d, &member->memory);
    GANNET_TRY(gannet_agree(common->context->comm, err));
  }
  GANNET_TRY(gannet_models_create(common->context, common->history, common->noise_test, options,
                                  index, &member->models));
  gannet_models_set_related(member->models, common->related);
  return GANNET_OK;
}

void gannet_member_release(gannet_member *member) {
  gannet_member_region_release(&member->region);
  if (member->memory) member->options->acq_type->memory->destroy(&member->memory);
  gannet_models_destroy(&member->models);
  gannet_local_destroy(&member->local);
  gannet_evolution_destroy(&member->evolution);
}

static bool scalarises(const gannet_member *member) {
  return gannet_problem_n_objectives(member->problem) > 1 && member->options->acq_type &&
         member->options->acq_type->scalarises;
}

/* Weights of the objectives for a point of the batch, uniform among those of sum 1. */
static void set_direction(gannet_member *member, int point) {
  const int n = gannet_problem_n_objectives(member->problem);
  double weight[GANNET_OBJECTIVES_MOST], sum = 0;
  gannet_stream stream = gannet_context_stream(member->context, GANNET_FOR_DIRECTION,
                                               (uint64_t)member->batch, (uint64_t)point);
  stream.purpose |= (uint64_t)member->index << 32;
  gannet_random_uniform(stream, 0, (size_t)n, weight);
  for (int k = 0; k < n; ++k) sum += weight[k] = -log(fmax(weight[k], 1e-300));
  for (int k = 0; k < n; ++k) weight[k] /= sum;
  gannet_models_set_direction(member->models, weight);
}

gannet_err gannet_member_prepare(gannet_member *member, int64_t batch) {
  member->batch = batch;
  if (!member->models) return GANNET_OK;
  double mark = gannet_clock_seconds();
  GANNET_TRY(gannet_agree(member->context->comm,
                          gannet_member_region_update(&member->region, member->history)));
  if (scalarises(member)) set_direction(member, 0);
  if (!member->region.is_design)
    GANNET_TRY(gannet_models_prepare(member->models, member->region.take, batch));
  gannet_propose_end_phase(member, GANNET_PHASE_FIT, &mark);
  return GANNET_OK;
}

gannet_err gannet_members_learn(int n, gannet_member *const *members) {
  gannet_models *models[GANNET_MEMBERS_MOST];
  int m = 0;
  double mark = gannet_clock_seconds();
  for (int i = 0; i < n; ++i)
    if (members[i]->models && !members[i]->region.is_design) models[m++] = members[i]->models;
  if (m == 0) return GANNET_OK;
  GANNET_TRY(gannet_models_learn(members[0]->context, m, models));
  gannet_propose_end_phase(members[0], GANNET_PHASE_FIT, &mark);
  return GANNET_OK;
}

/* Points one after the other, each by the models of other weights of the objectives. */
static gannet_err propose_by_directions(gannet_member *member, int q, double *points) {
  const size_t d = (size_t)member->problem->d;
  const int before = member->n_chosen;
  for (int i = 0; i < q; ++i) {
    double mark = gannet_clock_seconds();
    member->n_chosen = before + i;
    if (i > 0) {
      set_direction(member, before + i);
      GANNET_TRY(gannet_models_prepare(member->models, member->region.take, member->batch));
    }
    GANNET_TRY(gannet_models_fit(member->models));
    GANNET_TRY(gannet_models_fantasize(member->models, before + i, points, member->batch));
    gannet_propose_end_phase(member, GANNET_PHASE_FIT, &mark);
    GANNET_TRY(gannet_propose_in_turn(member, 1, points + (size_t)(before + i) * d));
  }
  return GANNET_OK;
}

gannet_err gannet_member_propose(gannet_member *member, int n_chosen, int q, double *points) {
  double *x_unit = points + (size_t)n_chosen * (size_t)member->problem->d;
  member->n_chosen = n_chosen;
  member->chosen = points;
  if (member->local) return gannet_propose_local(member, q, x_unit);
  if (member->evolution) return gannet_propose_evolution(member, q, x_unit);
  if (!member->models) {
    const gannet_design design = {.uniform = member->options->proposer == GANNET_PROPOSE_RANDOM};
    return gannet_propose_design(member, q, &design, x_unit);
  }
  if (member->region.is_design) return gannet_propose_design(member, q, NULL, x_unit);
  if (scalarises(member)) return propose_by_directions(member, q, points);
  double mark = gannet_clock_seconds();
  GANNET_TRY(gannet_models_fit(member->models));
  GANNET_TRY(
      gannet_agree(member->context->comm,
                   gannet_member_region_set_box(&member->region, member->history, member->models)));
  if (gannet_acq_is_sequential(member->options->acq_type)) /* what others chose is pending */
    GANNET_TRY(gannet_models_fantasize(member->models, n_chosen, points, member->batch));
  gannet_propose_end_phase(member, GANNET_PHASE_FIT, &mark);
  switch (member->options->acq_type->kind) {
    case GANNET_ACQ_DRAWS:
      return gannet_propose_draws(member, q, x_unit);
    case GANNET_ACQ_FRONT:
      return gannet_propose_front(member, q, x_unit);
    case GANNET_ACQ_POINTWISE:
      return gannet_propose_pointwise(member, q, x_unit);
    default:
      return gannet_propose_in_turn(member, q, x_unit);
  }
}

bool gannet_member_is_idle(const gannet_member *member) {
  return (member->local && gannet_local_is_idle(member->problem)) ||
         (member->evolution && gannet_evolution_is_idle(member->problem));
}

static const gannet_struct_field region_fields[] = {
    {.name = "region.restarts", GANNET_STRUCT_AT(gannet_region_state, restarts, LARGE)},
    {.name = "region.first", GANNET_STRUCT_AT(gannet_region_state, first, LARGE)},
    {0}};

static gannet_err put_memory(const gannet_member *member, const char *part, gannet_state *state) {
  const gannet_acq_memory *type = member->options->acq_type->memory;
  char name[GANNET_STATE_NAME];
  double value = 0;
  for (int i = 0; type->get(member->memory, i, name, sizeof name, &value); ++i)
    GANNET_TRY(gannet_state_put(state, part, name, GANNET_STATE_REAL, value));
  return GANNET_OK;
}

/* The memory begins anew where a number is absent or cannot be. */
static void take_memory(gannet_member *member, const char *part, gannet_state *state) {
  const gannet_acq_memory *type = member->options->acq_type->memory;
  char name[GANNET_STATE_NAME];
  double value = 0;
  bool complete = true;
  for (int i = 0; complete && type->get(member->memory, i, name, sizeof name, &value); ++i)
    complete = gannet_state_find(state, part, name, &value) && type->set(member->memory, i, value);
  if (!complete) type->reset(member->memory);
}

gannet_err gannet_member_get_state(const gannet_member *member, const char *part,
                                   gannet_state *state) {
  if (member->local) return gannet_local_get_state(member->local, part, state);
  if (member->evolution) return gannet_evolution_get_state(member->evolution, part, state);
  if (member->region.options)
    GANNET_TRY(gannet_state_put_fields(state, part, region_fields, &member->region.state));
  if (member->memory) GANNET_TRY(put_memory(member, part, state));
  GANNET_TRY(gannet_draw_uses_get_state(member, part, state));
  return member->models ? gannet_models_get_state(member->models, part, state) : GANNET_OK;
}

gannet_err gannet_member_set_state(gannet_member *member, const char *part, bool same_meaning,
                                   gannet_state *state, int *missing) {
  const int64_t known = gannet_history_count(member->history);
  gannet_region_state *region = &member->region.state;
  if (member->local) return gannet_local_set_state(member->local, part, state);
  if (member->evolution) return gannet_evolution_set_state(member->evolution, part, state);
  if (member->region.options)
    GANNET_TRY(gannet_state_take_fields(state, part, region_fields, region));
  if (region->first < 0 || region->first > known) *region = (gannet_region_state){0};
  if (member->memory) take_memory(member, part, state);
  GANNET_TRY(gannet_draw_uses_set_state(member, part, state));
  if (!member->models || !same_meaning) return GANNET_OK;
  return gannet_models_set_state(member->models, part, state, missing);
}
