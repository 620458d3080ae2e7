/* A campaign whose simulations somebody else runs, between gannet ask and gannet tell. */
#include "evaluate/backends.h"

static const gannet_option no_options[] = {{0}};

static gannet_err check(const void *options, const gannet_evaluator_setup *setup,
                        gannet_complaints *complaints) {
  (void)options;
  gannet_refuse_files(setup, "the values are told with gannet tell", complaints);
  return GANNET_OK;
}

static gannet_err create(const void *options, const gannet_evaluator_setup *setup, void **state) {
  (void)options;
  (void)setup;
  *state = NULL;
  return GANNET_OK;
}

static void destroy(void *state) {
  (void)state;
}

static gannet_err submit(void *state, int n, const gannet_request *requests) {
  (void)state;
  (void)n;
  (void)requests;
  return GANNET_RAISE(GANNET_ERR_STATE, "backend manual: use gannet ask / gannet tell");
}

static gannet_err poll_none(void *state, double wait, int capacity, int *n,
                            gannet_result_record *results) {
  (void)state;
  (void)wait;
  (void)capacity;
  (void)results;
  *n = 0;
  return GANNET_OK;
}

static gannet_err cancel(void *state) {
  (void)state;
  return GANNET_OK;
}

static gannet_err withdraw(void *state, int64_t id) {
  (void)state;
  (void)id;
  return GANNET_OK;
}

const gannet_evaluator_type gannet_evaluator_manual = {
    .name = "manual",
    .summary = "simulations are run by hand or by a script: gannet ask and gannet tell",
    .options = no_options,
    .options_size = 1,
    .check = check,
    .create = create,
    .destroy = destroy,
    .submit = submit,
    .poll = poll_none,
    .cancel = cancel,
    .withdraw = withdraw,
};
