#include "evaluate/result_record.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"

/* Without pointers and with the padding zeroed by pack. */
typedef struct {
  int64_t id;
  int32_t status, retry;
  double objective;
  gannet_run_record run;
} packed;

size_t gannet_result_size(int n_constraints) {
  return sizeof(packed) + (size_t)n_constraints * sizeof(double);
}

void gannet_result_pack(int n_constraints, const gannet_result_record *result, void *bytes) {
  packed head;
  memset(&head, 0, sizeof head);
  head.id = result->id;
  head.status = (int32_t)result->status;
  head.retry = result->retry;
  head.objective = result->objective;
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
  result->run = head.run;
  if (n_constraints > 0)
    memcpy(result->constraints, (const char *)bytes + sizeof head,
           (size_t)n_constraints * sizeof *result->constraints);
}

void gannet_result_clear(int n_constraints, gannet_result_record *result) {
  double *constraints = result->constraints;
  memset(result, 0, sizeof *result);
  result->constraints = constraints;
  for (int j = 0; j < n_constraints; ++j) constraints[j] = NAN;
  result->status = GANNET_EVAL_FAILED;
  result->objective = NAN;
  result->run.submitted = result->run.started = result->run.ended = NAN;
  result->run.exit_code = -1;
  result->run.slot = -1;
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
}

void gannet_result_cannot_run(gannet_result_record *result, gannet_failure failure) {
  result->status = GANNET_EVAL_CANNOT_RUN;
  result->retry = false;
  result->run.failure = failure;
  result->run.crashed = false;
}

void gannet_result_check_numbers(const gannet_problem *problem, gannet_result_record *result) {
  if (!isfinite(result->objective)) {
    gannet_result_fail(result, false, "objective is %g, expected a finite number",
                       result->objective);
    return;
  }
  for (int j = 0; j < problem->spec.n_constraints; ++j)
    if (!isfinite(result->constraints[j])) {
      gannet_result_fail(result, false, "constraint '%s' is %g, expected a finite number",
                         problem->spec.constraints[j].name, result->constraints[j]);
      return;
    }
  result->status = GANNET_EVAL_DONE;
  result->retry = false;
}

void gannet_host_name(char *host) {
  memset(host, 0, GANNET_HOST_SIZE);
  if (gethostname(host, GANNET_HOST_SIZE - 1)) (void)snprintf(host, GANNET_HOST_SIZE, "unknown");
}
