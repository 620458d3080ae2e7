#include "suite/work.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "store/lock.h"
#include "suite/scratch.h"

/* Runs shared out among ranks: whoever is free takes the next. */
typedef struct {
  MPI_Win window; /* one counter on rank 0, which begins at 0 */
  int64_t *counter;
} run_queue;

typedef struct {
  MPI_Comm comm;
  int rank;
  const suite_plan *plan;
  const suite_work_options *options;
  suite_watch watch;
  char stop_file[PATH_MAX];
  suite_state *state; /* [count] */
  int64_t *todo;      /* [n_todo] numbers of the runs to be made */
  int64_t n_todo;
  run_queue queue;
  int64_t made, failed;
  int64_t failed_at; /* place in todo of the first that failed on this rank */
  char why[SUITE_REASON_SIZE + 200];
  bool stopped;
} worker;

/* Which runs. */

/* Whether a pattern of --only, "PROBLEM" or "PROBLEM/METHOD" with wildcards, means a run. */
static bool matches_pattern(const char *pattern, const char *problem, const char *method) {
  char text[256];
  if (!strchr(pattern, '/')) return fnmatch(pattern, problem, 0) == 0;
  (void)snprintf(text, sizeof text, "%s/%s", problem, method);
  return fnmatch(pattern, text, 0) == 0;
}

bool suite_is_wanted(const suite_plan *plan, const suite_work_options *options, suite_cell cell) {
  const char *problem = plan->problem[cell.problem].label;
  const char *method = plan->method[cell.method].label;
  for (int i = 0; i < options->n_only; ++i)
    if (matches_pattern(options->only[i], problem, method)) return true;
  return options->n_only == 0;
}

void suite_only_check(const suite_plan *plan, const suite_work_options *options,
                      gannet_complaints *complaints) {
  for (int i = 0; i < options->n_only; ++i) {
    bool found = false;
    for (int p = 0; p < plan->n_problems; ++p)
      for (int k = 0; k < plan->n_methods; ++k)
        found = found ||
                matches_pattern(options->only[i], plan->problem[p].label, plan->method[k].label);
    if (!found)
      gannet_complain(complaints, "--only",
                      "'%.100s' fits no run of the suite; expected problem/method as listed by "
                      "--dry-run, with * and ? for any letters",
                      options->only[i]);
  }
}

static gannet_err read_states(const suite_plan *plan, const char *directory, int64_t count,
                              suite_state *state) {
  for (int64_t i = 0; i < count; ++i) {
    suite_record record;
    const gannet_err err =
        suite_record_read(plan, directory, suite_plan_cell(plan, i), &record, &state[i]);
    suite_record_release(&record);
    GANNET_TRY(err);
  }
  return GANNET_OK;
}

gannet_err suite_find_states(MPI_Comm comm, const suite_plan *plan, const char *directory,
                             suite_state *state) {
  const int64_t count = suite_plan_count(plan);
  int rank = 0;
  GANNET_REQUIRE(count <= INT32_MAX / (int64_t)sizeof *state, GANNET_ERR_INPUT,
                 "%" PRId64 " runs are too many; expected fewer", count);
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  GANNET_TRY(gannet_agree(comm, rank ? GANNET_OK : read_states(plan, directory, count, state)));
  GANNET_TRY_MPI(MPI_Bcast(state, (int)(count * (int64_t)sizeof *state), MPI_BYTE, 0, comm));
  for (int64_t i = 0; i < count; ++i)
    if (plan->problem[suite_plan_cell(plan, i).problem].skipped && state[i] != SUITE_DONE)
      state[i] = SUITE_SKIPPED;
  return GANNET_OK;
}

static gannet_err choose_runs(worker *w) {
  const suite_plan *plan = w->plan;
  const int64_t count = suite_plan_count(plan);
  int64_t changed = 0;
  suite_cell first = {0};
  GANNET_TRY(gannet_alloc((size_t)count, sizeof *w->todo, &w->todo));
  for (int64_t i = 0; i < count; ++i) {
    const suite_cell cell = suite_plan_cell(plan, i);
    if (!suite_is_wanted(plan, w->options, cell)) continue;
    if (w->state[i] == SUITE_CHANGED && changed++ == 0) first = cell;
    if (w->state[i] != SUITE_DONE && w->state[i] != SUITE_SKIPPED) w->todo[w->n_todo++] = i;
  }
  GANNET_REQUIRE(
      changed == 0 || w->options->redo, GANNET_ERR_EXISTS,
      "'%s' holds %" PRId64
      " runs of another suite, the first of '%s' with '%s': what was run "
      "differs from what the suite says now; make them again with --redo, or choose another place "
      "with --directory",
      w->options->directory, changed, plan->problem[first.problem].label,
      plan->method[first.method].label);
  return GANNET_OK;
}

/* Making them. */

/* Count a run that was made, keep why the first one failed, and show a line. A rank is given runs
 * in their order. */
static void note_run(worker *w, suite_cell cell, int64_t at, const suite_record *record,
                     double seconds) {
  const char *problem = w->plan->problem[cell.problem].label;
  const char *method = w->plan->method[cell.method].label;
  const bool has_failed = record->reason[0] != '\0';
  char time[64];
  w->made += 1;
  if (has_failed && w->failed++ == 0) {
    w->failed_at = at;
    (void)snprintf(w->why, sizeof w->why, "%.80s/%.80s seed %" PRId64 ", %s", problem, method,
                   cell.seed, record->reason);
  }
  if (!w->options->progress) return;
  gannet_format_duration(seconds, time, sizeof time);
  (void)fprintf(w->options->progress, "%" PRId64 "/%" PRId64 "  %s  %s  seed %" PRId64 "  %s%s%s\n",
                at + 1, w->n_todo, problem, method, cell.seed, time, has_failed ? "  failed " : "",
                record->reason);
}

static gannet_err make_run(worker *w, int64_t at) {
  const suite_cell cell = suite_plan_cell(w->plan, w->todo[at]);
  const suite_bench bench = {w->plan, w->options->directory, w->options->launcher, &w->watch};
  const double start = gannet_clock_seconds();
  suite_record record;
  gannet_err err = suite_run(&bench, cell, &record, &w->stopped);
  if (err == GANNET_OK && !w->stopped) {
    err = suite_record_write(w->plan, w->options->directory, cell, &record);
    note_run(w, cell, at, &record, gannet_clock_seconds() - start);
  }
  suite_record_release(&record);
  return err;
}

/* Sharing them out. */

static gannet_err open_queue(MPI_Comm comm, run_queue *queue) {
  int rank = 0;
  queue->window = MPI_WIN_NULL;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  const MPI_Aint bytes = rank == 0 ? (MPI_Aint)sizeof(int64_t) : 0;
  GANNET_TRY_MPI(MPI_Win_allocate(bytes, sizeof(int64_t), MPI_INFO_NULL, comm, &queue->counter,
                                  &queue->window));
  GANNET_TRY_MPI(MPI_Win_lock_all(0, queue->window));
  if (rank == 0) *queue->counter = 0;
  GANNET_TRY_MPI(MPI_Win_sync(queue->window));
  GANNET_TRY_MPI(MPI_Barrier(comm));
  return GANNET_OK;
}

/* Make runs, one after the other, until none is left or somebody asks to begin no more. Each has a
 * number 0, 1, 2, ... that no other rank has; rank 0 must enter MPI now and then where the network
 * has no remote atomics. */
static gannet_err make_runs(worker *w, gannet_context *self) {
  const int64_t one = 1;
  while (!w->stopped) {
    gannet_stop_request asked;
    int64_t at = 0;
    GANNET_TRY_MPI(MPI_Fetch_and_op(&one, &at, MPI_INT64_T, 0, 0, MPI_SUM, w->queue.window));
    GANNET_TRY_MPI(MPI_Win_flush(0, w->queue.window));
    if (at >= w->n_todo) return GANNET_OK;
    GANNET_TRY(gannet_stop_ask(self, w->watch.stop_file, w->watch.deadline, &asked));
    w->stopped = asked.stop != GANNET_GO_ON;
    if (!w->stopped) GANNET_TRY(make_run(w, at));
  }
  return GANNET_OK;
}

/* A rank that fails lets the others end the runs that they are at, by taking all numbers that are
 * left, and then all fail. */
static gannet_err make_runs_of_all_ranks(worker *w) {
  gannet_context *self = NULL;
  int64_t before = 0;
  gannet_err err = gannet_context_create(MPI_COMM_SELF, 0, &self);
  if (err == GANNET_OK) err = make_runs(w, self);
  gannet_context_destroy(&self);
  if (err != GANNET_OK && MPI_Fetch_and_op(&w->n_todo, &before, MPI_INT64_T, 0, 0, MPI_SUM,
                                           w->queue.window) == MPI_SUCCESS)
    (void)MPI_Win_flush(0, w->queue.window);
  return gannet_agree(w->comm, err);
}

/* Sums over the ranks, and the reason of the first run that failed. */
static gannet_err gather_outcome(const worker *w, suite_work_outcome *outcome) {
  const int64_t mine[3] = {w->made, w->failed, w->stopped};
  const int64_t at = w->failed > 0 ? w->failed_at : w->n_todo;
  int64_t all[3], first = 0;
  int teller = 0;
  GANNET_TRY_MPI(MPI_Allreduce(mine, all, 3, MPI_INT64_T, MPI_SUM, w->comm));
  *outcome = (suite_work_outcome){.made = all[0], .failed = all[1], .stopped = all[2] > 0};
  if (outcome->failed == 0) return GANNET_OK;
  GANNET_TRY_MPI(MPI_Allreduce(&at, &first, 1, MPI_INT64_T, MPI_MIN, w->comm));
  const int own = at == first ? w->rank : 0;
  GANNET_TRY_MPI(MPI_Allreduce(&own, &teller, 1, MPI_INT, MPI_MAX, w->comm));
  memcpy(outcome->why, w->why, sizeof outcome->why);
  GANNET_TRY_MPI(MPI_Bcast(outcome->why, (int)sizeof outcome->why, MPI_CHAR, teller, w->comm));
  return GANNET_OK;
}

/* Set up the directory of the results and the deadline. Rank 0 locks the directory. */
static gannet_err open_directory(worker *w, gannet_lock *lock) {
  char path[PATH_MAX];
  const char *directory = w->options->directory;
  GANNET_TRY(gannet_join_path(directory, "STOP", w->stop_file, sizeof w->stop_file));
  w->watch = (suite_watch){.stop_file = w->stop_file,
                           .deadline = gannet_clock_seconds() + w->options->time_limit,
                           .comm = w->comm};
  GANNET_TRY(gannet_alloc((size_t)suite_plan_count(w->plan), sizeof *w->state, &w->state));
  if (w->rank != 0) return GANNET_OK;
  GANNET_TRY(gannet_join_path(directory, "lock", path, sizeof path));
  return gannet_lock_acquire(path, lock);
}

gannet_err suite_work(MPI_Comm comm, const suite_plan *plan, const suite_work_options *options,
                      suite_work_outcome *outcome) {
  worker w = {.comm = comm, .plan = plan, .options = options};
  gannet_lock lock = {.descriptor = -1};
  char path[PATH_MAX], folder[PATH_MAX];
  GANNET_TRY(gannet_join_path(options->directory, "lock", path, sizeof path));
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &w.rank));
  gannet_err err = gannet_agree(comm, open_directory(&w, &lock));
  if (err == GANNET_OK) err = suite_find_states(comm, plan, options->directory, w.state);
  if (err == GANNET_OK) err = gannet_agree(comm, choose_runs(&w));
  if (err == GANNET_OK) err = open_queue(comm, &w.queue);
  if (err == GANNET_OK) err = make_runs_of_all_ranks(&w);
  if (w.queue.window && w.queue.window != MPI_WIN_NULL) {
    (void)MPI_Win_unlock_all(w.queue.window);
    (void)MPI_Win_free(&w.queue.window);
  }
  if (err == GANNET_OK) err = gather_outcome(&w, outcome);
  /* What failed simulations have left may tell why. */
  const bool is_useless = err == GANNET_OK && outcome->failed == 0 && !outcome->stopped;
  if (w.rank == 0 && is_useless &&
      gannet_join_path(options->directory, "work", folder, sizeof folder) == GANNET_OK)
    suite_scratch_remove(folder);
  gannet_lock_release(path, &lock);
  gannet_free(&w.state);
  gannet_free(&w.todo);
  GANNET_TRY(err);
  return GANNET_OK;
}
