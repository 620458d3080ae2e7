#include "optimizer/substitute.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "optimizer/propose/propose.h"
#include "problem/objectives.h"

/* Results up to which a Gaussian process is made anew for one batch: its factor costs their cube.
 */
enum { GP_MOST = 1000 };

/* Substitutes in the order in which they are tried, for one objective and for several; the first is
 * skipped with many results. */
enum { METHODS = 3 };
static const char *const methods_for[2][METHODS] = {{"gp-noisy", "forest-ei", "sobol"},
                                                    {"gp-ts", "neural-ts", "sobol"}};

bool gannet_substitute_helps(gannet_err err) {
  return err == GANNET_ERR_NUMERIC || err == GANNET_ERR_LIBRARY || err == GANNET_ERR_INPUT;
}

gannet_err gannet_substitute_check(const gannet_problem *problem, int q, const double *x_unit) {
  for (int i = 0; i < q; ++i)
    for (int k = 0; k < problem->d; ++k)
      GANNET_REQUIRE(isfinite(x_unit[(ptrdiff_t)i * problem->d + k]), GANNET_ERR_NUMERIC,
                     "coordinate %d of a proposed point is not a number", k + 1);
  return GANNET_OK;
}

/* A member that is made for this batch; its streams are apart from those of the others. */
static gannet_err propose_with_method(gannet_optimizer *o, int which, int q, double *x_unit) {
  const gannet_member_common common = {o->context,     o->history, o->seen, &o->phases,
                                       &o->noise_test, o->design,  NULL,    o->related};
  gannet_optimizer_options options = {0};
  gannet_member member = {0}, *only = &member;
  const bool several = gannet_problem_n_objectives(o->problem) > 1;
  const gannet_setting method = {.key = "method", .text = methods_for[several][which]};
  gannet_err err =
      gannet_agree(o->context->comm, gannet_optimizer_options_own(1, &method, &options));
  if (err == GANNET_OK)
    err = gannet_member_create(&common, &options.member[0], o->options.n_members + which, &member);
  err = gannet_agree(o->context->comm, err);
  if (err == GANNET_OK) err = gannet_member_prepare(&member, o->batch);
  if (err == GANNET_OK) err = gannet_members_learn(1, &only);
  if (err == GANNET_OK) err = gannet_member_propose(&member, 0, q, x_unit);
  if (err == GANNET_OK) err = gannet_substitute_check(o->problem, q, x_unit);
  err = gannet_agree(o->context->comm, err);
  gannet_member_release(&member);
  gannet_optimizer_options_release(&options);
  return err;
}

gannet_err gannet_substitute_propose(gannet_optimizer *o, const char *failed, int q,
                                     double *x_unit) {
  const bool several = gannet_problem_n_objectives(o->problem) > 1;
  const char *const *methods = methods_for[several];
  char why[GANNET_ERROR_DETAIL];
  gannet_err err = GANNET_ERR_NUMERIC;
  int which = gannet_history_count_told(o->history) > GP_MOST ? 1 : 0;
  (void)snprintf(why, sizeof why, "%s", gannet_error_message());
  for (; which < METHODS; ++which) {
    gannet_error_clear();
    if (!strcmp(methods[which], failed)) continue;
    err = propose_with_method(o, which, q, x_unit);
    if (err == GANNET_OK || !gannet_substitute_helps(err)) break;
  }
  GANNET_TRY(err);
  if (o->substitute != which + 1)
    gannet_log(o->context, GANNET_LOG_WARNING,
               "the model of %s failed with %lld results: %s; %s proposes instead, and %s is tried "
               "again for every batch",
               failed, (long long)gannet_history_count_told(o->history), why, methods[which],
               failed);
  o->substitute = which + 1;
  return GANNET_OK;
}

void gannet_substitute_done(gannet_optimizer *o) {
  if (o->substitute > 0)
    gannet_log(o->context, GANNET_LOG_INFO, "the model works again: %s proposes",
               o->options.method.method);
  o->substitute = 0;
}
