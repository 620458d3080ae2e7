/* Several evaluations in the jobs of standin.h: arrays, and jobs of several runs. */
#ifndef GANNET_TESTS_STANDIN_ARRAYS_H
#define GANNET_TESTS_STANDIN_ARRAYS_H

#include "standin.h"

static inline void use_arrays(standin *f, int submit, int runs_per_job, int runs_at_once) {
  static char *nothing[] = {(char *)(uintptr_t) "env"};
  f->options.submit = submit;
  f->options.runs_per_job = runs_per_job;
  f->options.runs_at_once = runs_at_once;
  f->options.array_size = GANNET_AUTO;
  if (runs_at_once > 1) f->options.step = (gannet_text_list){1, nothing};
}

enum { RUNS = 4 };

typedef struct {
  double constraints[RUNS];
  gannet_result_record results[RUNS];
} collection;

static inline void submit_all(gannet_evaluator *evaluator, int n, int attempt) {
  double x[RUNS][CONFORM_VARIABLES];
  gannet_request requests[RUNS];
  for (int i = 0; i < n; ++i) requests[i] = standin_request(i, attempt, x[i]);
  assert_ok(gannet_evaluator_submit(evaluator, n, requests));
}

static inline void collect(gannet_evaluator *evaluator, int n, collection *all) {
  for (int i = 0; i < n; ++i) all->results[i].constraints = &all->constraints[i];
  conform_collect(evaluator, n, all->results);
}

static inline const gannet_result_record *result_of(const collection *all, int64_t id) {
  for (int i = 0; i < RUNS; ++i)
    if (all->results[i].id == id) return &all->results[i];
  fail_msg("no result of evaluation %d", (int)id);
  return NULL;
}

static const char good[] =
    "#!/bin/sh\n"
    "echo \"$GANNET_NONCE\" >>\"$GANNET_INPUT_DIRECTORY/runs\"\n"
    "printf 'objective 2\\nstress 1\\n' >results.out\n";

#endif
