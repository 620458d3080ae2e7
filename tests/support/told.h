/* Telling a history a result that is written out in place. */
#ifndef GANNET_TESTS_SUPPORT_TOLD_H
#define GANNET_TESTS_SUPPORT_TOLD_H

#include "problem/history.h"

/* run  in  NULL = nothing is known of it */
static inline gannet_err tell_values(gannet_history *history, int64_t id, gannet_eval_status status,
                                     double objective, const double *constraints,
                                     const gannet_run_record *run) {
  const gannet_result_record result = {.id = id,
                                       .status = status,
                                       .objective = objective,
                                       .constraints = (double *)constraints,
                                       .run = run ? *run : gannet_run_unknown()};
  return gannet_history_tell(history, &result);
}

#endif
