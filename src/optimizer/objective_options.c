#include "optimizer/objective_options.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "optimizer/propose/propose.h"
#include "problem/objectives.h"
#include "search/region.h"

bool gannet_method_takes_several(const gannet_method *method) {
  const gannet_acq_type *type = NULL;
  const gannet_surrogate_type *surrogate = NULL;
  const char *name = gannet_method_default(method, "acquisition.type");
  const char *model = gannet_method_default(method, "surrogate.type");
  if (method->with_objectives) return true;
  if (!name || gannet_method_default(method, "region.type")) return false;
  if (strcmp(name, "sobol") == 0 || strcmp(name, "random") == 0) return true;
  if (gannet_acq_find(name, &type) != GANNET_OK ||
      (model && gannet_surrogate_find(model, &surrogate) != GANNET_OK)) {
    gannet_error_clear();
    return false;
  }
  return gannet_acq_takes_several(type) && !(surrogate && surrogate->set_pde_constraint);
}

gannet_err gannet_objective_options_join(gannet_optimizer_options *options,
                                         const gannet_problem *problem,
                                         gannet_complaints *complaints) {
  const gannet_method *row = NULL;
  if (gannet_problem_n_objectives(problem) == 1 || problem->physics) return GANNET_OK;
  if (!options->method.portfolio || !options->method.method) return GANNET_OK;
  GANNET_TRY(gannet_method_find(options->method.method, &row));
  const char *own = gannet_method_portfolio(row);
  if (!row->with_objectives || !own || strcmp(options->method.portfolio, own) != 0)
    return GANNET_OK;
  for (int i = 0; i < options->n_members; ++i) gannet_member_options_release(&options->member[i]);
  options->n_members = 0;
  gannet_free(&options->method.portfolio);
  return gannet_optimizer_options_join(options, row->with_objectives, complaints);
}

/* Why a member cannot choose points for several objectives; NULL = it can. */
static const char *why_not(const gannet_member_options *member) {
  const gannet_acq_type *type = member->acq_type;
  const gannet_method *row = NULL;
  if (member->proposer == GANNET_PROPOSE_QUADRATIC)
    return "quadratic models descend a single objective";
  if (member->proposer == GANNET_PROPOSE_EVOLUTION)
    return "its populations are ranked by a single objective";
  if (member->proposer != GANNET_PROPOSE_MODEL || !type) return NULL;
  if (member->surrogate_type && member->surrogate_type->set_pde_constraint)
    return "its network is held to the equations of a single objective";
  if (!gannet_acq_takes_several(type)) return "its acquisition function knows one objective only";
  if (gannet_method_find(member->method.method, &row) != GANNET_OK) gannet_error_clear();
  if (member->region.type != GANNET_REGION_NONE && row && gannet_method_default(row, "region.type"))
    return "its trust region follows the best value of one";
  return NULL;
}

static void list_methods(char *names, size_t size) {
  size_t used = 0;
  names[0] = '\0';
  for (int i = 0; gannet_methods[i] && used + 1 < size; ++i) {
    if (!gannet_method_takes_several(gannet_methods[i])) continue;
    const int more = snprintf(names + used, size - used, " %s", gannet_methods[i]->name);
    used += more > 0 ? (size_t)more : 0;
  }
}

/* The transform of a method unless the user chooses one, as an option has it. */
static int usual_transform(const gannet_member_options *member) {
  const char *const *choices = gannet_option_find(gannet_method_table, "transform")->choices;
  const gannet_method *row = NULL;
  int usual = GANNET_TRANSFORM_AUTO;
  if (gannet_method_find(member->method.method, &row) != GANNET_OK) gannet_error_clear();
  const char *text = row ? gannet_method_default(row, "transform") : NULL;
  for (int i = 0; text && choices[i]; ++i)
    if (strcmp(choices[i], text) == 0) usual = i;
  return usual;
}

/* Complain about settings of a single objective that each of several has for itself. */
static void check_beside(const gannet_optimizer_options *options, gannet_complaints *complaints) {
  bool is_chosen = false;
  for (int i = 0; i < options->n_members; ++i) {
    const int transform = options->member[i].method.transform;
    is_chosen = is_chosen || (transform != GANNET_TRANSFORM_AUTO &&
                              transform != usual_transform(&options->member[i]));
  }
  if (is_chosen)
    gannet_complain(complaints, "transform",
                    "with several objectives each has its own, as in 'objectives: {drag: "
                    "{transform: log}}'");
  if (!options->method.penalties)
    gannet_complain(complaints, "penalties",
                    "with several objectives each has its own, as in 'objectives: {drag: "
                    "{penalties: no}}'");
}

/* Complain about a trust region that does not go with n objectives. */
static void check_region(const gannet_member_options *member, int n,
                         gannet_complaints *complaints) {
  const char *keys[GANNET_REGION_SINGLE_MOST];
  if (member->region.type == GANNET_REGION_NONE) return;
  if (!member->acq_type || member->acq_type->kind != GANNET_ACQ_FRONT)
    gannet_complain(complaints, "region.type",
                    "with %d objectives a trust region is for the methods auto and gp-nehvi with "
                    "their own acquisition, and this is '%s'; leave the region out, or choose one "
                    "of these methods",
                    n, member->method.method);
  else if (n > GANNET_PROPOSE_FRONT_MOST)
    gannet_complain(complaints, "region.type",
                    "a trust region is for at most %d objectives, and there are %d; leave it out",
                    GANNET_PROPOSE_FRONT_MOST, n);
  else
    for (int k = gannet_region_single_options(&member->region, keys); k-- > 0;)
      gannet_complain(complaints, keys[k],
                      "this is for the trust region of a single objective, and there are %d; leave "
                      "it out",
                      n);
}

void gannet_objective_options_check(const gannet_optimizer_options *options,
                                    const gannet_problem *problem, gannet_complaints *complaints) {
  const int n = gannet_problem_n_objectives(problem);
  char names[400];
  if (n == 1) gannet_portfolio_complain_of_several(options, complaints);
  if (n == 1 || options->n_members == 0) return;
  check_beside(options, complaints);
  list_methods(names, sizeof names);
  for (int i = 0; i < options->n_members; ++i) {
    const char *why = why_not(&options->member[i]);
    if (why)
      gannet_complain(complaints, "method",
                      "'%s' does not go with %d objectives: %s; expected one of:%s",
                      options->member[i].method.method, n, why, names);
    const gannet_acq_type *type = options->member[i].acq_type;
    if (!why) check_region(&options->member[i], n, complaints);
    for (int m = 0; m < n && !why && type && type->scalarises; ++m)
      if (problem->spec.objectives[m].transform != GANNET_OBJECTIVE_TRANSFORM_AUTO)
        gannet_complain(complaints, "method",
                        "'%s' models a norm of all objectives, so that none has a transform of its "
                        "own; leave out that of %s, or choose another method",
                        options->member[i].method.method, problem->spec.objectives[m].name);
  }
  if (problem->physics)
    gannet_complain(complaints, "physics",
                    "equations are those of a single objective, and there are %d; leave "
                    "them out, or state all objectives but one as constraints",
                    n);
  if (options->cost.weigh)
    gannet_complain(complaints, "cost.weigh",
                    "gains are weighed by cost with a single objective only, and there "
                    "are %d; expected weigh: no",
                    n);
}

gannet_err gannet_objectives_require_one(const gannet_problem *problem, const char *what) {
  const int n = gannet_problem_n_objectives(problem);
  GANNET_REQUIRE(n == 1, GANNET_ERR_STATE,
                 "%s is for a single objective, and there are %d, whose best designs are a front",
                 what, n);
  return GANNET_OK;
}
