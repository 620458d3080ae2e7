/* One network, trained by this rank alone. */
#ifndef TESTS_NETWORK_TRAIN_ALONE_H
#define TESTS_NETWORK_TRAIN_ALONE_H

#include "network/train.h"

/* loss  out  at the end; NULL when not wanted */
static inline gannet_err train_alone(const gannet_train_problem *problem,
                                     const gannet_train_options *options, gannet_stream stream,
                                     double *theta, double *loss) {
  gannet_training *training = NULL;
  gannet_train_report report = {0};
  GANNET_TRY(gannet_training_create(problem->net, problem->n, options, &training));
  const gannet_err code = gannet_training_run(training, problem, stream, theta, &report);
  gannet_training_destroy(&training);
  if (loss) *loss = report.loss;
  return code;
}

#endif
