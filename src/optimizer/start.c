/* Designs of the user's own, which are proposed as they are given. What they leave open is filled
 * in with the next points of the first design, or, where relations or conditions between variables
 * have to hold, with a point that was drawn for what is given.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain_environment.h"
#include "optimizer/optimizer_impl.h"
#include "optimizer/rank_digest.h"
#include "problem/conditional.h"
#include "problem/pool.h"
#include "problem/variable_constraints.h"

static bool is_whole(const gannet_problem *problem, const double *x_user) {
  for (int f = 0; f < problem->n_free; ++f)
    if (isnan(x_user[problem->free_variable[f]])) return false;
  return true;
}

/* Fill in what is not given of designs.
 *
 * x_unit  in     [n][d] points of the first design; NULL when nothing is missing
 * x_user  inout  [n][n_variables]
 */
static gannet_err fill_designs(const gannet_optimizer *o, int n, const double *x_unit,
                               double *x_user) {
  const size_t d = (size_t)o->problem->d, v = (size_t)o->problem->spec.n_variables;
  const uint64_t first = (uint64_t)gannet_history_count(o->history);
  double *filled = NULL;
  gannet_err err = gannet_alloc(v, sizeof *filled, &filled);
  for (size_t i = 0; i < (size_t)n && err == GANNET_OK; ++i) {
    double *x = x_user + i * v;
    const gannet_stream stream =
        gannet_context_stream(o->context, GANNET_FOR_ALLOWED, first + i, UINT64_MAX);
    if (x_unit) err = gannet_allowed_fill(o->problem, stream, x);
    if (err != GANNET_OK) break;
    if (x_unit) gannet_problem_decode(o->problem, x_unit + i * d, filled);
    for (size_t k = 0; k < v && x_unit; ++k)
      if (isnan(x[k])) x[k] = filled[k];
    gannet_problem_derive(o->problem, x);
    err = gannet_problem_check_point(o->problem, x);
  }
  gannet_free(&filled);
  return err;
}

/* id  out  [n]; NULL when not wanted */
static gannet_err enter_designs(gannet_optimizer *o, int n, const double *x_user, int64_t *id) {
  const size_t v = (size_t)o->problem->spec.n_variables;
  for (int i = 0; i < n; ++i) {
    int64_t row;
    GANNET_TRY(gannet_history_propose(o->history, x_user + (size_t)i * v, o->batch,
                                      GANNET_ORIGIN_START, &row));
    if (id) id[i] = gannet_discarded_id(&o->discarded, row);
  }
  return GANNET_OK;
}

/* Complete designs, all of them or none, and enter them. The functions of a problem, which the
 * library does not know, may have filled them in differently on other ranks. */
static gannet_err complete_and_enter(gannet_optimizer *o, int n, double *x_user, int64_t *id) {
  const gannet_problem *problem = o->problem;
  double *x_unit = NULL;
  bool is_partial = false;
  for (int i = 0; i < n; ++i)
    is_partial =
        is_partial || !is_whole(problem, x_user + (ptrdiff_t)i * problem->spec.n_variables);
  gannet_err err = GANNET_OK;
  if (is_partial) {
    err = gannet_agree(o->context->comm, gannet_optimizer_prepare_points(o, n, &x_unit));
    if (err == GANNET_OK) err = gannet_optimizer_propose_first(o, n, x_unit);
  }
  if (err == GANNET_OK) err = gannet_agree(o->context->comm, fill_designs(o, n, x_unit, x_user));
  if (err == GANNET_OK && is_partial && problem->n_functions > 0) {
    const uint64_t digest = gannet_rank_digest_numbers(0, n * problem->spec.n_variables, x_user);
    err = gannet_same(o->context->comm, &digest, sizeof digest,
                      "values of functions of the problem (gannet_problem_set_variable_functions), "
                      "and with them the designs,");
  }
  if (err == GANNET_OK) err = gannet_agree(o->context->comm, enter_designs(o, n, x_user, id));
  gannet_free(&x_unit);
  return err;
}

gannet_err gannet_optimizer_enter_designs(gannet_optimizer *o, int n, double *x_user, bool alone) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  GANNET_TRY(complete_and_enter(o, n, x_user, NULL));
  if (alone) o->batch += 1;
  return GANNET_OK;
}

/* Check what a design gives before anything is filled in: conditional variables that are surely
 * inactive rest, and fixed and derived ones of a whole design get their values.
 *
 * x_user    inout  [n_variables] NAN = not given
 * activity  -      [n_variables]
 */
static gannet_err check_design(const gannet_problem *problem, double *x_user,
                               gannet_activity *activity) {
  const gannet_problem_spec *spec = &problem->spec;
  int given = 0, computed = -1;
  for (int v = 0; v < spec->n_variables; ++v) given += !isnan(x_user[v]);
  GANNET_REQUIRE(given > 0, GANNET_ERR_INPUT,
                 "gives no variable; leave the design out, or give one");
  gannet_conditional_settle(problem, x_user, activity);
  if (problem->pool) gannet_problem_fill_pins(problem, x_user);
  if (is_whole(problem, x_user)) {
    GANNET_TRY(gannet_problem_complete(problem, x_user));
    GANNET_TRY(gannet_problem_check_point(problem, x_user));
    GANNET_REQUIRE(!problem->pool || gannet_pool_has(problem->pool, problem, x_user),
                   GANNET_ERR_INPUT,
                   "is not in the list of candidates; expected the values of one of them");
    return gannet_problem_check_allowed(problem, x_user);
  }
  for (int v = 0; v < spec->n_variables; ++v) {
    if (isnan(x_user[v])) continue;
    GANNET_TRY(gannet_problem_check_value(problem, v, x_user[v]));
    if (spec->variables[v].role == GANNET_ROLE_DERIVED) computed = v;
  }
  GANNET_REQUIRE(computed < 0, GANNET_ERR_INPUT,
                 "%s is computed, but not all that it is computed from is given; leave it out, or "
                 "give every variable",
                 spec->variables[computed].name);
  GANNET_REQUIRE(!problem->pool, GANNET_ERR_INPUT,
                 "with a list of candidates, a design must give every variable");
  return GANNET_OK;
}

/* Check the arguments on this rank, and copy the designs.
 *
 * x_user  out  [n][n_variables]; to be freed with gannet_free
 */
static gannet_err read_designs(const gannet_optimizer *o, int n, const double *given,
                               const int64_t *id, double **x_user) {
  const int v = o->problem->spec.n_variables;
  char detail[GANNET_ERROR_DETAIL];
  gannet_activity *activity = NULL;
  GANNET_REQUIRE(n >= 0 && n <= INT_MAX / v, GANNET_ERR_ARG, "n = %d designs, expected 0 to %d", n,
                 INT_MAX / v);
  if (n == 0) return GANNET_OK;
  GANNET_REQUIRE_POINTER(given, "x_user");
  GANNET_REQUIRE_POINTER(id, "id");
  GANNET_TRY(gannet_alloc((size_t)n * (size_t)v, sizeof **x_user, x_user));
  for (ptrdiff_t i = 0; i < (ptrdiff_t)n * v; ++i)
    (*x_user)[i] = isnan(given[i]) ? NAN : given[i]; /* one NAN on all ranks */
  GANNET_TRY(gannet_alloc((size_t)v, sizeof *activity, &activity));
  gannet_err err = GANNET_OK;
  int i = 0;
  for (; i < n && err == GANNET_OK; ++i)
    err = check_design(o->problem, *x_user + (ptrdiff_t)i * v, activity);
  gannet_free(&activity);
  if (err != GANNET_ERR_INPUT) return err;
  (void)snprintf(detail, sizeof detail, "%s", gannet_error_detail());
  gannet_error_clear();
  return GANNET_RAISE(GANNET_ERR_INPUT, "design %d of %d: %.*s", i, n, 1100, detail);
}

gannet_err gannet_optimizer_start(gannet_optimizer *o, int n, double *x_user, int64_t *id) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  double *x = NULL;
  GANNET_REQUIRE_POINTER(o, "optimizer");
  const int v = o->problem->spec.n_variables;
  gannet_err err = gannet_agree(o->context->comm, read_designs(o, n, x_user, id, &x));
  if (err == GANNET_OK) {
    const uint64_t digest = gannet_rank_digest_numbers((uint64_t)n, x ? n * v : 0, x);
    err = gannet_same(o->context->comm, &digest, sizeof digest, "designs to start with");
  }
  if (err == GANNET_OK && n > 0) err = complete_and_enter(o, n, x, id);
  if (err == GANNET_OK && n > 0) {
    memcpy(x_user, x, (size_t)n * (size_t)v * sizeof *x);
    o->batch += 1;
  }
  gannet_free(&x);
  GANNET_TRY(err);
  return GANNET_OK;
}
