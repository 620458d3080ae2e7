/* The front: checks once what back-ends may trust, and counts what is in flight. */
#include "evaluate/evaluator.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/memory.h"
#include "evaluate/backends.h"
#include "problem/outputs.h"

struct gannet_evaluator {
  const gannet_evaluator_type *type;
  gannet_evaluator_setup setup;
  void *state;
  int in_flight;
};

gannet_err gannet_evaluator_check(const gannet_evaluator_type *type, const void *options,
                                  const gannet_evaluator_setup *setup,
                                  gannet_complaints *complaints) {
  GANNET_TRY(type->check(options, setup, complaints));
  return GANNET_OK;
}

void gannet_refuse_files(const gannet_evaluator_setup *setup, const char *instead,
                         gannet_complaints *complaints) {
  const gannet_outputs *outputs = setup->problem ? setup->problem->outputs : NULL;
  if (setup->starts_from_nearest)
    gannet_complain(complaints, "evaluate.start_from",
                    "this back-end has no folders to start from; expected none, or backend: "
                    "command or slurm");
  if (setup->resources)
    gannet_complain(complaints, "evaluate.resources",
                    "this back-end starts no programs, so it cannot place them; leave it out, or "
                    "choose backend: command or slurm");
  for (int i = 0; outputs && i < outputs->n; ++i) {
    const gannet_output *item = &outputs->item[i];
    char key[100];
    if (!item->file && !item->pattern) continue;
    (void)snprintf(key, sizeof key, "outputs.%s.%s", item->name, item->file ? "file" : "pattern");
    gannet_complain(complaints, key,
                    "this back-end has no files and no printed text to read; leave it out: %s",
                    instead);
  }
}

void gannet_evaluator_warn(const gannet_evaluator_setup *setup, const char *key, const char *format,
                           ...) {
  char text[2048]; /* as long as a line of the log */
  const char *location = NULL;
  va_list arguments;
  if (!setup->context) return;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (setup->locate && !setup->locate(setup->located, key, &location)) return;
  gannet_log(setup->context, GANNET_LOG_WARNING, "%s%s%s: %s", location ? location : "",
             location ? ": " : "", key, text);
}

static gannet_err check_arguments(const gannet_evaluator_type *type, const void *options,
                                  const gannet_evaluator_setup *setup) {
  GANNET_REQUIRE(setup->problem, GANNET_ERR_ARG, "no problem");
  GANNET_REQUIRE(setup->parallel >= 1, GANNET_ERR_ARG, "parallel = %d, expected at least 1",
                 setup->parallel);
  GANNET_REQUIRE(setup->time_limit > 0, GANNET_ERR_ARG,
                 "time_limit = %g s, expected more than 0 (INFINITY = none)", setup->time_limit);
  gannet_complaints complaints = {0};
  gannet_err err = gannet_evaluator_check(type, options, setup, &complaints);
  if (err == GANNET_OK) err = gannet_complaints_raise(&complaints);
  gannet_complaints_release(&complaints);
  return err;
}

gannet_err gannet_evaluator_create(const gannet_evaluator_type *type, const void *options,
                                   const gannet_evaluator_setup *setup,
                                   gannet_evaluator **evaluator) {
  gannet_evaluator *made = NULL;
  GANNET_REQUIRE(setup->context, GANNET_ERR_ARG, "no context");
  GANNET_TRY(gannet_agree(setup->context->comm, check_arguments(type, options, setup)));
  GANNET_TRY(gannet_alloc_on_all(setup->context->comm, 1, sizeof *made, &made));
  made->type = type;
  made->setup = *setup;
  const gannet_err err = type->create(options, &made->setup, &made->state);
  if (err != GANNET_OK) gannet_free(&made);
  *evaluator = made;
  GANNET_TRY(err);
  return GANNET_OK;
}

void gannet_evaluator_destroy(gannet_evaluator **evaluator) {
  if (!*evaluator) return;
  /* The back-end's own destroy ends what still runs; a failing cancel must not keep it from that.
   */
  if ((*evaluator)->in_flight > 0 && gannet_evaluator_cancel(*evaluator) != GANNET_OK)
    gannet_log((*evaluator)->setup.context, GANNET_LOG_WARNING, "%s", gannet_error_message());
  (*evaluator)->type->destroy((*evaluator)->state);
  gannet_free(evaluator);
}

gannet_err gannet_evaluator_submit(gannet_evaluator *evaluator, int n,
                                   const gannet_request *requests) {
  GANNET_REQUIRE(n >= 0, GANNET_ERR_ARG, "n = %d", n);
  GANNET_REQUIRE(n <= evaluator->setup.parallel - evaluator->in_flight, GANNET_ERR_ARG,
                 "%d evaluations on top of %d in flight; at most %d in parallel", n,
                 evaluator->in_flight, evaluator->setup.parallel);
  if (n == 0) return GANNET_OK;
  GANNET_TRY(evaluator->type->submit(evaluator->state, n, requests));
  evaluator->in_flight += n;
  return GANNET_OK;
}

gannet_err gannet_evaluator_poll(gannet_evaluator *evaluator, double wait, int capacity, int *n,
                                 gannet_result_record *results) {
  *n = 0;
  GANNET_REQUIRE(capacity >= 1, GANNET_ERR_ARG, "capacity = %d, expected at least 1", capacity);
  GANNET_REQUIRE(wait >= 0, GANNET_ERR_ARG, "wait = %g s, expected at least 0", wait);
  if (evaluator->in_flight == 0) return GANNET_OK;
  GANNET_TRY(evaluator->type->poll(evaluator->state, wait, capacity, n, results));
  evaluator->in_flight -= *n;
  return GANNET_OK;
}

gannet_err gannet_evaluator_cancel(gannet_evaluator *evaluator) {
  evaluator->in_flight = 0;
  GANNET_TRY(evaluator->type->cancel(evaluator->state));
  return GANNET_OK;
}

gannet_err gannet_evaluator_withdraw(gannet_evaluator *evaluator, int64_t id) {
  evaluator->in_flight -= 1;
  GANNET_TRY(evaluator->type->withdraw(evaluator->state, id));
  return GANNET_OK;
}

gannet_err gannet_evaluator_recover(gannet_evaluator *evaluator, const gannet_request *request,
                                    bool *taken) {
  *taken = false;
  if (!evaluator->type->recover) return GANNET_OK;
  GANNET_TRY(evaluator->type->recover(evaluator->state, request, taken));
  if (*taken) evaluator->in_flight += 1;
  return GANNET_OK;
}

bool gannet_evaluator_can_detach(const gannet_evaluator *evaluator) {
  return evaluator->type->detach != NULL;
}

gannet_err gannet_evaluator_all_submitted(gannet_evaluator *evaluator, bool *submitted) {
  GANNET_REQUIRE(gannet_evaluator_can_detach(evaluator), GANNET_ERR_STATE,
                 "simulations of back-end %s cannot be left", evaluator->type->name);
  return evaluator->type->all_submitted(evaluator->state, submitted);
}

gannet_err gannet_evaluator_detach(gannet_evaluator *evaluator, const gannet_follow_up *next) {
  GANNET_REQUIRE(gannet_evaluator_can_detach(evaluator), GANNET_ERR_STATE,
                 "simulations of back-end %s cannot be left", evaluator->type->name);
  evaluator->in_flight = 0;
  return evaluator->type->detach(evaluator->state, next);
}

int gannet_evaluator_in_flight(const gannet_evaluator *evaluator) {
  return evaluator->in_flight;
}
