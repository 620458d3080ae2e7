#include "evaluate/result_record.h"

#include <math.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/names.h"
#include "base/utf8.h"
#include "problem/objectives.h"
#include "problem/outputs.h"

/* Without pointers and with the padding zeroed by pack. */
typedef struct {
  int64_t id;
  int32_t status, retry;
  double objective;
  uint64_t reported_size;
  gannet_run_record run;
} packed;

size_t gannet_result_size(int n_constraints) {
  return sizeof(packed) + (size_t)n_constraints * sizeof(double);
}

void gannet_result_pack(int n_constraints, int n_variables, const gannet_result_record *result,
                        void *bytes) {
  packed head;
  memset(&head, 0, sizeof head);
  head.id = result->id;
  head.status = (int32_t)result->status;
  head.retry = result->retry;
  head.objective = result->objective;
  head.reported_size = gannet_quantities_size(&result->reported, n_variables);
  head.run = result->run;
  memcpy(bytes, &head, sizeof head);
  if (n_constraints > 0)
    memcpy((char *)bytes + sizeof head, result->constraints,
           (size_t)n_constraints * sizeof *result->constraints);
}

void gannet_result_unpack(int n_constraints, const void *bytes, gannet_result_record *result) {
  packed head;
  memcpy(&head, bytes, sizeof head);
  result->id = head.id;
  result->status = (gannet_eval_status)head.status;
  result->retry = head.retry != 0;
  result->objective = head.objective;
  result->reported = (gannet_quantities){0};
  result->run = head.run;
  if (n_constraints > 0)
    memcpy(result->constraints, (const char *)bytes + sizeof head,
           (size_t)n_constraints * sizeof *result->constraints);
}

/* Bytes of what a packed result reports besides objective and constraints. */
static size_t reported_size(const gannet_result_records *records, int i) {
  packed head;
  memcpy(&head, records->bytes + (size_t)i * records->size, sizeof head);
  return (size_t)head.reported_size;
}

/* Every list is on one rank, and its bytes are zero on the others: OR is the gather. */
gannet_err gannet_result_share_reported(MPI_Comm comm, int n_variables,
                                        const gannet_result_records *records,
                                        const gannet_quantities *mine,
                                        gannet_result_record *results) {
  size_t total = 0, at = 0;
  char *bytes = NULL;
  for (int i = 0; i < records->n; ++i) total += reported_size(records, i);
  if (total == 0) return GANNET_OK;
  GANNET_REQUIRE(total <= INT32_MAX, GANNET_ERR_SHAPE, "%zu bytes of results", total);
  gannet_err err = gannet_agree(comm, gannet_alloc(total, 1, &bytes));
  for (int i = 0; i < records->n && mine && err == GANNET_OK; ++i) {
    gannet_quantities_pack(&mine[i], n_variables, bytes + at);
    at += reported_size(records, i);
  }
  if (err == GANNET_OK &&
      MPI_Allreduce(MPI_IN_PLACE, bytes, (int)total, MPI_BYTE, MPI_BOR, comm) != MPI_SUCCESS)
    err = GANNET_RAISE(GANNET_ERR_MPI, "results cannot be shared between ranks");
  at = 0;
  for (int i = 0; i < records->n && err == GANNET_OK; ++i) {
    const size_t size = reported_size(records, i);
    err = gannet_quantities_unpack(bytes + at, size, n_variables, &results[i].reported);
    at += size;
  }
  gannet_free(&bytes);
  return gannet_agree(comm, err);
}

void gannet_result_fail(gannet_result_record *result, bool retry, const char *format, ...) {
  char reason[1024];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  gannet_utf8_line(reason);
  gannet_utf8_shorten(reason, sizeof result->run.reason);
  memcpy(result->run.reason, reason, strlen(reason) + 1);
  result->status = GANNET_EVAL_FAILED;
  result->retry = retry;
  result->run.failure = GANNET_FAILURE_RESULTS;
  result->run.crashed = !retry;
  gannet_quantities_release(&result->reported);
}

void gannet_result_cannot_run(gannet_result_record *result, gannet_failure failure) {
  result->status = GANNET_EVAL_CANNOT_RUN;
  result->retry = false;
  result->run.failure = failure;
  result->run.crashed = false;
}

static bool may_lack(const gannet_problem *problem, gannet_lack lack,
                     const gannet_result_record *result) {
  return lack == GANNET_LACK_SAID ||
         (lack == GANNET_LACK_WHERE_VIOLATED &&
          gannet_problem_feasibility(problem, result->objective, result->constraints) == 0);
}

bool gannet_result_compute(const gannet_problem *problem, gannet_lack lack,
                           gannet_result_record *result) {
  char why[GANNET_REASON_SIZE];
  for (int i = 0; i <= problem->spec.n_constraints; ++i) {
    const gannet_formula *formula = gannet_problem_formula(problem, i);
    if (!formula || isnan(i > 0 ? result->constraints[i - 1] : result->objective)) continue;
    gannet_result_fail(result, false,
                       "%s is reported, and is computed from '%.100s' too; leave one of them out",
                       gannet_problem_quantity_name(problem, i), formula->text);
    result->run.crashed = false; /* it is the campaign file that is wrong, not the design */
    return false;
  }
  const gannet_computed computed = gannet_problem_compute(problem, result, why, sizeof why);
  if (computed == GANNET_COMPUTED_ALL ||
      (computed == GANNET_COMPUTED_SOME && may_lack(problem, lack, result)))
    return true;
  gannet_result_fail(result, false, "%s", why);
  return false;
}

void gannet_result_fail_unknown(const gannet_problem *problem, const char *location,
                                const char *name, gannet_result_record *result) {
  const char *known[64], *near;
  char list[100], meant[90] = "";
  int n = 0;
  while (n < 63 && (known[n] = gannet_problem_known_quantity(problem, n))) ++n;
  known[n] = NULL;
  near = gannet_nearest(name, known);
  if (near) (void)snprintf(meant, sizeof meant, "; did you mean '%.63s'?", near);
  gannet_problem_list_quantities(problem, list, sizeof list);
  gannet_result_fail(result, false,
                     "%s reports '%.60s', which the campaign file does not name (unknown_outputs: "
                     "fail)%s known:%s",
                     location, name, near ? meant : ";", list);
  result->run.crashed = false; /* whatever it was, it was not the design */
}

void gannet_result_check_numbers(const gannet_problem *problem, gannet_lack lack,
                                 gannet_result_record *result) {
  const bool may = may_lack(problem, lack, result);
  int known = 0;
  for (int i = 0; i <= problem->spec.n_constraints; ++i) {
    const double value = i > 0 ? result->constraints[i - 1] : result->objective;
    known += isfinite(value);
    if (isfinite(value) || (may && isnan(value))) continue;
    gannet_result_fail(result, false,
                       gannet_problem_quantity_objective(problem, i) < 0
                           ? "constraint '%s' is %g, expected a finite number"
                           : "%s is %g, expected a finite number",
                       gannet_problem_quantity_name(problem, i), value);
    return;
  }
  if (known == 0) {
    gannet_result_fail(result, false,
                       "neither the objective nor a constraint has a value, expected one at least");
    return;
  }
  const bool is_strict = problem->outputs && problem->outputs->unknown == GANNET_UNKNOWN_FAIL;
  const int unknown = is_strict ? gannet_problem_find_unknown(problem, &result->reported, 0) : -1;
  if (unknown >= 0) {
    char name[64];
    (void)snprintf(name, sizeof name, "%s", result->reported.item[unknown].name);
    gannet_result_fail_unknown(problem, "the simulation", name, result);
    return;
  }
  result->status = GANNET_EVAL_DONE;
  result->retry = false;
}

void gannet_host_name(char *host) {
  memset(host, 0, GANNET_HOST_SIZE);
  if (gethostname(host, GANNET_HOST_SIZE - 1)) (void)snprintf(host, GANNET_HOST_SIZE, "unknown");
}

void gannet_user_name(char *who, size_t size) {
  const struct passwd *user = getpwuid(geteuid());
  char host[GANNET_HOST_SIZE];
  gannet_host_name(host);
  if (user)
    (void)snprintf(who, size, "%.40s@%s", user->pw_name, host);
  else
    (void)snprintf(who, size, "user %ld@%s", (long)geteuid(), host);
  gannet_utf8_line(who);
}
