#include "benchmark/watch.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

typedef struct {
  const bench_watch_options *options;
  void *inner;
} watch;

/* Bytes in memory of this process now. */
static double resident(void) {
  long long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (fscanf(file, "%*s %lld", &pages) != 1) pages = 0;
  (void)fclose(file);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void make_mark(bench_marks *marks) {
  if (marks->n == marks->capacity) return;
  marks->mark[marks->n++] = (bench_mark){gannet_clock_seconds(), resident()};
}

static gannet_err check(const void *options, const gannet_evaluator_setup *setup,
                        gannet_complaints *complaints) {
  const bench_watch_options *mine = options;
  return mine->inner->check(mine->inner_options, setup, complaints);
}

static gannet_err create(const void *options, const gannet_evaluator_setup *setup, void **state) {
  watch *made = NULL;
  GANNET_TRY(gannet_agree(setup->context->comm, gannet_alloc(1, sizeof *made, &made)));
  made->options = options;
  const gannet_err err =
      made->options->inner->create(made->options->inner_options, setup, &made->inner);
  if (err != GANNET_OK) gannet_free(&made);
  *state = made;
  return err;
}

static void destroy(void *state) {
  watch *made = state;
  made->options->inner->destroy(made->inner);
  gannet_free(&made);
}

static gannet_err submit(void *state, int n, const gannet_request *requests) {
  watch *w = state;
  if (w->options->marks->n == 0) make_mark(w->options->marks);
  return w->options->inner->submit(w->inner, n, requests);
}

static gannet_err poll(void *state, double wait, int capacity, int *n,
                       gannet_result_record *results) {
  watch *w = state;
  GANNET_TRY(w->options->inner->poll(w->inner, wait, capacity, n, results));
  for (int i = 0; i < *n; ++i)
    if (++w->options->marks->results % w->options->every == 0) make_mark(w->options->marks);
  return GANNET_OK;
}

static gannet_err cancel(void *state) {
  watch *w = state;
  return w->options->inner->cancel(w->inner);
}

static const gannet_option no_options[] = {{0}};

const gannet_evaluator_type bench_watch = {.name = "watch",
                                           .summary = "looks on while another back-end works",
                                           .options = no_options,
                                           .options_size = sizeof(bench_watch_options),
                                           .check = check,
                                           .create = create,
                                           .destroy = destroy,
                                           .submit = submit,
                                           .poll = poll,
                                           .cancel = cancel};
