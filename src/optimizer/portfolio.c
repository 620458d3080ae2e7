#include "optimizer/portfolio.h"

#include "optimizer/models/convergence.h"
#include "optimizer/propose/crash_guard.h"
#include "optimizer/replicates.h"
#include "optimizer/substitute.h"

static gannet_err create_member(gannet_optimizer *o, int i) {
  const gannet_member_common common = {o->context,     o->history, o->seen, &o->phases,
                                       &o->noise_test, o->design,  o->cost, o->related};
  return gannet_member_create(&common, &o->options.member[i], i, &o->member[i]);
}

gannet_err gannet_portfolio_create(gannet_optimizer *o, int64_t design) {
  o->design = design;
  for (int i = 0; i < o->options.n_members; ++i) GANNET_TRY(create_member(o, i));
  return GANNET_OK;
}

/* Members that take no part in an ask for q points: those that have nothing to work on, are left
 * out since their model failed, are `without`, or are meant for larger batches while another member
 * is there. *any tells whether a member is there at all. */
static void find_absent(const gannet_optimizer *o, int q, int without, bool *absent, bool *any) {
  const int64_t under_way =
      gannet_history_count(o->history) - gannet_history_count_told(o->history);
  bool willing = false;
  *any = false;
  for (int i = 0; i < o->options.n_members; ++i) {
    absent[i] = i == without || gannet_member_is_idle(&o->member[i]) ||
                gannet_allocation_left_out(&o->allocation, i) >= 0;
    *any = *any || !absent[i];
    willing = willing || (!absent[i] && o->options.member[i].method.least_batch <= under_way + q);
  }
  for (int i = 0; i < o->options.n_members && willing; ++i)
    absent[i] = absent[i] || o->options.member[i].method.least_batch > under_way + q;
}

/* The largest share of the local member where there are booleans or categories: it keeps those of
 * the best point, and would go down there to the end before other values have been tried. */
static const double largest_local_share = 0.3;

static double largest_share(const gannet_optimizer *o, int i,
                            const gannet_convergence *convergence) {
  if (!o->member[i].local) return 1;
  if (convergence->finished) return 0;
  const int switches = gannet_problem_count_switches(gannet_history_problem(o->history));
  return switches > 0 ? largest_local_share : 1;
}

/* Make the side absent that does not propose now where an evolution strategy races with the others.
 * It takes no part where noise or crashes would mislead its ranks, or the best point is at the
 * bottom of a smooth basin, which the others find to the last digit. */
static gannet_err find_side(gannet_optimizer *o, int q, const gannet_convergence *convergence,
                            bool *absent) {
  const int n = o->options.n_members;
  int racer = -1, others = 0;
  bool noisy = false, is_at_edge = false;
  for (int i = 0; i < n; ++i) {
    if (absent[i]) continue;
    if (o->member[i].evolution)
      racer = i;
    else
      others += 1;
  }
  if (racer < 0 || others == 0) return GANNET_OK;
  GANNET_TRY(gannet_noise_test_result(o->history, &o->noise_test, &noisy));
  GANNET_TRY(gannet_crash_guard_is_at_edge(o->history, &is_at_edge));
  if (noisy || is_at_edge || convergence->finished || convergence->round) {
    absent[racer] = true;
    return GANNET_OK;
  }
  const gannet_race_side side =
      gannet_race_update(&o->race, gannet_history_problem(o->history)->d,
                         gannet_history_count_told(o->history), o->allocation.best, q);
  for (int i = 0; i < n; ++i)
    absent[i] = absent[i] || (i == racer) != (side == GANNET_RACE_EVOLUTION);
  return GANNET_OK;
}

/* How many points of a batch every member proposes. */
static gannet_err deal_points(gannet_optimizer *o, int q, int *count) {
  bool absent[GANNET_MEMBERS_MOST], any = false;
  double most[GANNET_MEMBERS_MOST];
  gannet_convergence convergence;
  GANNET_TRY(gannet_allocation_credit_results(&o->allocation, o->history));
  find_absent(o, q, -1, absent, &any);
  absent[0] = absent[0] && any; /* of idle ones the first makes a design */
  GANNET_TRY(gannet_convergence_find(o->history, &convergence));
  GANNET_TRY(find_side(o, q, &convergence, absent));
  for (int i = 0; i < o->options.n_members; ++i) most[i] = largest_share(o, i, &convergence);
  gannet_allocation_deal(&o->allocation, o->options.n_members, absent, most, q, count);
  return GANNET_OK;
}

/* Whether an error may be one of the model alone, so that other members may go on: another model
 * may need less memory. */
static bool may_work_without_model(gannet_err err) {
  return err == GANNET_ERR_MEMORY || gannet_substitute_helps(err);
}

/* Prepare the model of the costs, and let the models of all members that propose learn at once. An
 * error of that is forgotten: the model that fails will fail again when its member proposes, and
 * only that member is to blame. *at is the member at work when an error is returned. */
static gannet_err prepare_members(gannet_optimizer *o, const int *count, int *at) {
  gannet_member *busy[GANNET_MEMBERS_MOST];
  int n = 0;
  gannet_err err = o->cost ? gannet_cost_model_prepare(o->cost, o->batch) : GANNET_OK;
  if (err != GANNET_OK && gannet_substitute_helps(err)) err = gannet_cost_model_give_up(o->cost);
  GANNET_TRY(err);
  for (int i = 0; i < o->options.n_members; ++i) {
    *at = i;
    if (count[i] == 0) continue;
    busy[n++] = &o->member[i];
    GANNET_TRY(gannet_agree(o->context->comm, gannet_member_prepare(&o->member[i], o->batch)));
  }
  err = gannet_members_learn(n, busy);
  if (err == GANNET_OK || !may_work_without_model(err)) return err;
  gannet_error_clear();
  return GANNET_OK;
}

/* Propose the whole batch by the members that are there; *at is the member that was at work when an
 * error is returned. */
static gannet_err propose_once(gannet_optimizer *o, int q, double *x_unit, int *at) {
  int chosen = 0, count[GANNET_MEMBERS_MOST] = {0};
  gannet_new_rows rows;
  *at = -1;
  gannet_err local = deal_points(o, q, count);
  if (local == GANNET_OK) local = gannet_replicates_find_new(o->history, &rows);
  GANNET_TRY(gannet_agree(o->context->comm, local));
  GANNET_TRY(prepare_members(o, count, at));
  for (int i = 0; i < o->options.n_members; ++i) {
    *at = i;
    if (count[i] == 0) continue;
    gannet_err err = gannet_member_propose(&o->member[i], chosen, count[i], x_unit);
    if (err == GANNET_OK) err = gannet_substitute_check(o->problem, chosen + count[i], x_unit);
    GANNET_TRY(gannet_agree(o->context->comm, err));
    chosen += count[i];
  }
  gannet_allocation_note(&o->allocation, rows.first, rows.step, o->options.n_members, count);
  return GANNET_OK;
}

/* Undo what members did before one failed, as a restart would: make all anew from the saved state.
 */
static gannet_err restore_members(gannet_optimizer *o, gannet_state *state) {
  for (int i = 0; i < o->options.n_members; ++i) {
    gannet_member_release(&o->member[i]);
    GANNET_TRY(create_member(o, i));
  }
  return gannet_optimizer_set_state(o, state, NULL);
}

/* Go on after the error of a member, which is recorded: the others try anew, or if nobody is left
 * a substitute proposes; *done tells whether it has. */
static gannet_err continue_without(gannet_optimizer *o, int q, gannet_err err, gannet_state *state,
                                   int member, double *x_unit, bool *done) {
  bool absent[GANNET_MEMBERS_MOST], any = false;
  const int64_t results = gannet_history_count_told(o->history);
  const char *name = o->options.member[member].method.method;
  find_absent(o, q, member, absent, &any);
  *done = !any && gannet_substitute_helps(err);
  if (!any && !*done)
    return GANNET_RAISE(err, "no method of the portfolio is left; the model of %s failed: %s", name,
                        gannet_error_detail());
  if (any) {
    gannet_log(o->context, GANNET_LOG_WARNING,
               "%s is left out until there are %lld results, the others continue: %s", name,
               (long long)(2 * results), gannet_error_message());
    gannet_error_clear();
  }
  GANNET_TRY(gannet_agree(o->context->comm, restore_members(o, state)));
  if (!any) return gannet_substitute_propose(o, name, q, x_unit);
  gannet_allocation_leave_out(&o->allocation, member, results);
  return GANNET_OK;
}

/* Propose by the only member. An error leaves the state as it was before: a later ask gives the
 * points that this one would have given. */
static gannet_err propose_alone(gannet_optimizer *o, int q, double *x_unit, gannet_state *state) {
  const int count = q;
  int member = 0;
  gannet_err err = prepare_members(o, &count, &member);
  if (err == GANNET_OK) err = gannet_member_propose(&o->member[0], 0, q, x_unit);
  if (err == GANNET_OK) err = gannet_substitute_check(o->problem, q, x_unit);
  err = gannet_agree(o->context->comm, err);
  if (err == GANNET_OK) gannet_substitute_done(o);
  if (err == GANNET_OK) return GANNET_OK;
  GANNET_TRY(gannet_agree(o->context->comm, restore_members(o, state)));
  if (!gannet_substitute_helps(err)) return err;
  return gannet_substitute_propose(o, o->options.member[0].method.method, q, x_unit);
}

static gannet_err propose_together(gannet_optimizer *o, int q, double *x_unit,
                                   gannet_state *state) {
  int member = -1;
  bool done = false;
  gannet_err err = propose_once(o, q, x_unit, &member);
  while (err != GANNET_OK && member >= 0 && may_work_without_model(err)) {
    err = continue_without(o, q, err, state, member, x_unit, &done);
    if (err != GANNET_OK || done) break;
    err = gannet_agree(o->context->comm, gannet_optimizer_get_state(o, state));
    if (err != GANNET_OK) break;
    err = propose_once(o, q, x_unit, &member);
  }
  if (err == GANNET_OK && !done) gannet_substitute_done(o);
  return err;
}

gannet_err gannet_portfolio_propose(gannet_optimizer *o, int q, double *x_unit) {
  o->noise_test = (gannet_noise_test){0};
  gannet_state state = {0};
  gannet_err err = gannet_agree(o->context->comm, gannet_optimizer_get_state(o, &state));
  if (err == GANNET_OK)
    err = o->options.n_members == 1 ? propose_alone(o, q, x_unit, &state)
                                    : propose_together(o, q, x_unit, &state);
  gannet_state_release(&state);
  return err;
}
