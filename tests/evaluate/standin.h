/* A campaign folder with a scheduler in it that misbehaves on demand: see standin/scheduler. */
#ifndef GANNET_TESTS_STANDIN_H
#define GANNET_TESTS_STANDIN_H

#include <fcntl.h>
#include <sys/wait.h>

#include "conform_program.h"
#include "evaluate/slurm/slurm.h"

#define TEXT(literal) ((char *)(uintptr_t)(literal))

typedef struct {
  gannet_context *context;
  gannet_problem *problem;
  gannet_launcher *launcher;
  char directory[256], tools[5][300];
  int node; /* process that runs the jobs, on rank 0 */
  gannet_evaluator_setup setup;
  gannet_slurm_options options;
  char *command[6];
  char log[4000]; /* warnings */
} standin;

static inline const gannet_evaluator_type *slurm_type(void) {
  const gannet_evaluator_type *type = NULL;
  assert_ok(gannet_evaluator_find("slurm", &type));
  return type;
}

static inline void standin_keep_line(void *user, gannet_log_level level, int rank,
                                     const char *line) {
  char *log = user;
  (void)level;
  (void)rank;
  (void)snprintf(log + strlen(log), 4000 - strlen(log), "%s\n", line);
}

static inline void standin_start_node(standin *f) {
  char node[300];
  (void)snprintf(node, sizeof node, "%s/node", f->directory);
  f->node = fork();
  if (f->node == 0) {
    const int null = open("/dev/null", O_RDWR);
    for (int descriptor = 0; descriptor < 3; ++descriptor) (void)dup2(null, descriptor);
    (void)execl("/bin/sh", "sh", node, (char *)NULL);
    _exit(127);
  }
  assert_true(f->node > 0);
}

static inline void standin_make_tools(standin *f) {
  static const char *const names[] = {"sbatch", "squeue", "sacct", "scontrol", "scancel", "node"};
  char command[1000];
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (i < 5) (void)snprintf(f->tools[i], sizeof f->tools[i], "%s/%s", f->directory, names[i]);
    (void)snprintf(command, sizeof command, "mkdir -p '%s/jobs' && cp '%s' '%s/%s'", f->directory,
                   STANDIN, f->directory, names[i]);
    conform_shell(command);
  }
  f->options.commands =
      (gannet_slurm_commands){f->tools[0], f->tools[1], f->tools[2], f->tools[3], f->tools[4], 2};
}

static inline int standin_set_up(void **state) {
  standin *f = calloc(1, sizeof *f);
  assert_non_null(f);
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 1, &f->context));
  gannet_context_set_log(f->context, GANNET_LOG_INFO, standin_keep_line, f->log);
  f->problem = conform_problem();
  conform_directory(f->directory, sizeof f->directory);
  standin_make_tools(f);
  if (f->context->rank == 0) standin_start_node(f);
  f->setup = conform_setup(f->context, f->problem, f->directory);
  f->setup.name = "a campaign/of mine";
  f->options.command.kill_grace = 0.3;
  f->options.runs_per_job = f->options.runs_at_once = 1;
  f->options.array_size = GANNET_AUTO;
  f->options.poll_interval = 0.1;
  f->options.grace = 1;
  f->options.patience = 30;
  f->options.when_stopped = GANNET_SLURM_CANCEL;
  *state = f;
  return 0;
}

static inline int standin_tear_down(void **state) {
  standin *f = *state;
  char command[400];
  MPI_Barrier(MPI_COMM_WORLD);
  if (f->node > 0) (void)kill(f->node, SIGKILL);
  if (f->node > 0) (void)waitpid(f->node, NULL, 0);
  (void)snprintf(command, sizeof command, "sleep 0.1; rm -rf '%s'", f->directory);
  conform_shell(command);
  gannet_problem_destroy(&f->problem);
  gannet_context_destroy(&f->context);
  free(f);
  return 0;
}

/* Make a tool misbehave: the file name gets this text. */
static inline void mischief(standin *f, const char *name, const char *text) {
  if (f->context->rank == 0) write_file(f->directory, name, text, 0644);
  MPI_Barrier(MPI_COMM_WORLD);
}

static inline void no_mischief(standin *f, const char *name) {
  char path[400];
  (void)snprintf(path, sizeof path, "%s/%s", f->directory, name);
  if (f->context->rank == 0) (void)unlink(path);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* How often a tool was called. */
static inline int calls_of(const standin *f, const char *tool) {
  int n = 0;
  for (const char *at = content(f->directory, "calls"); at && *at; at = strchr(at, '\n')) {
    at += *at == '\n';
    n += strncmp(at, tool, strlen(tool)) == 0 && at[strlen(tool)] == ' ';
  }
  return n;
}

/* The simulation becomes ./sim with a script of this text. */
static inline void use_simulation(standin *f, const char *script) {
  if (f->context->rank == 0) write_file(f->directory, "sim", script, 0755);
  MPI_Barrier(MPI_COMM_WORLD);
  f->command[0] = TEXT("./sim");
  f->options.command.command = (gannet_text_list){1, f->command};
}

/* The simulation becomes that of the conformance suite. */
static inline void use_bowl(standin *f) {
  conform_program(f->directory);
  f->command[0] = TEXT("./bowl");
  f->command[1] = TEXT("{params}");
  f->command[2] = TEXT("{results}");
  f->options.command.command = (gannet_text_list){3, f->command};
}

/* How many lines simulations have added to the file runs of the campaign folder. */
static inline void assert_runs(const standin *f, int expected) {
  int n = 0;
  if (f->context->rank > 0) return;
  for (const char *at = content(f->directory, "runs"); *at; ++at) n += *at == '\n';
  assert_int_equal(n, expected);
}

static inline gannet_evaluator *standin_create(standin *f) {
  gannet_evaluator *evaluator = NULL;
  assert_ok(gannet_evaluator_create(slurm_type(), &f->options, &f->setup, &evaluator));
  return evaluator;
}

static inline gannet_request standin_request(int i, int attempt, double *x) {
  conform_point(i, x);
  gannet_request request = conform_request(i, x);
  request.attempt = attempt;
  request.nonce += 1000u * (unsigned)attempt;
  return request;
}

static inline void standin_submit(gannet_evaluator *evaluator, int i, int attempt) {
  double x[CONFORM_VARIABLES];
  const gannet_request request = standin_request(i, attempt, x);
  assert_ok(gannet_evaluator_submit(evaluator, 1, &request));
}

/* One evaluation from submission to result. */
static inline gannet_result_record standin_run(standin *f, const char *script) {
  if (script) use_simulation(f, script);
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1);
  return conform_last(evaluator);
}

static inline void is_done(const gannet_result_record *result) {
  if (result->status != GANNET_EVAL_DONE) fail_msg("%s", result->run.reason);
  assert_true(result->objective == 2);
}

static inline void failed_with(const gannet_result_record *result, bool retry, const char *reason) {
  assert_int_equal(result->status, GANNET_EVAL_FAILED);
  if (!strstr(result->run.reason, reason))
    fail_msg("'%s' does not contain '%s'", result->run.reason, reason);
  assert_int_equal(result->retry, retry);
}

/* An attempt that comes back without a result, for a reason that stops the campaign. */
static inline void comes_back(const gannet_result_record *result, const char *reason) {
  assert_int_equal(result->status, GANNET_EVAL_PENDING);
  if (!strstr(result->run.reason, reason)) fail_msg("%s", result->run.reason);
}

#endif
