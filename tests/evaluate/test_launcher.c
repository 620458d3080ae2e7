/* test: serial labels unit */
#define _GNU_SOURCE /* sched_setaffinity */
#include "evaluate/launcher/launcher.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "processes.h"

typedef struct {
  gannet_launcher *launcher;
  char directory[256];
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  (void)snprintf(f->directory, sizeof f->directory, "/tmp/gannet launcher XXXXXX");
  assert_non_null(mkdtemp(f->directory));
  assert_ok(gannet_launcher_start(&f->launcher));
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  char command[400];
  gannet_launcher_stop(&f->launcher);
  (void)snprintf(command, sizeof command, "rm -r '%s'", f->directory);
  assert_int_equal(system(command), 0);
  free(f);
  return 0;
}

static gannet_launch_event next(gannet_launcher *launcher) {
  gannet_launch_event event;
  bool got = false;
  assert_ok(gannet_launcher_wait(launcher, 20, &event, &got));
  assert_true(got);
  return event;
}

/* Launch a script of the fixture's directory. */
static void launch(const fixture *f, int64_t tag, const char *script, double limit, double grace) {
  char path[400], results[400];
  (void)snprintf(path, sizeof path, "%s/script", f->directory);
  (void)snprintf(results, sizeof results, "%s/results", f->directory);
  write_file(f->directory, "script", script, 0755);
  const char *const arguments[] = {"script", "a b", "$(rm x) 'y' \"z\"", NULL};
  const char *const environment[] = {"GANNET_TEST=1 2", "HOME=/other", NULL};
  const gannet_launch what = {.tag = tag,
                              .directory = f->directory,
                              .program = path,
                              .arguments = arguments,
                              .environment = environment,
                              .time_limit = limit,
                              .grace = grace,
                              .results = results};
  assert_ok(gannet_launcher_launch(f->launcher, &what));
}

static gannet_launch_event run(const fixture *f, const char *script, double limit, double grace) {
  launch(f, 5, script, limit, grace);
  const gannet_launch_event first = next(f->launcher);
  if (first.type != GANNET_LAUNCH_STARTED) fail_msg("%s: %s", first.stage, strerror(first.error));
  assert_true(first.pid > 1);
  const gannet_launch_event last = next(f->launcher);
  assert_int_equal(last.type, GANNET_LAUNCH_ENDED);
  assert_int_equal(last.tag, 5);
  assert_int_equal(last.pid, first.pid);
  assert_true(last.started == first.started && last.started <= last.ended);
  return last;
}

static void a_child_gets_its_directory_files_arguments_and_environment(void **state) {
  fixture *f = *state;
  const gannet_launch_event end = run(f,
                                      "#!/bin/sh\npwd\nfor a in \"$@\"; do echo \"<$a>\"; done\n"
                                      "cat\necho \"$GANNET_TEST $HOME\"\necho wrong >&2\nexit 3\n",
                                      INFINITY, 1);
  char expected[600];
  (void)snprintf(expected, sizeof expected, "%s\n<a b>\n<$(rm x) 'y' \"z\">\n1 2 /other\n",
                 f->directory);
  assert_int_equal(end.exit_code, 3);
  assert_int_equal(end.signal, 0);
  assert_false(end.limit || end.cancelled);
  assert_string_equal(content(f->directory, "stdout.log"), expected);
  assert_string_equal(content(f->directory, "stderr.log"), "wrong\n");
}

static void restart(fixture *f, const cpu_set_t *processors) {
  gannet_launcher_stop(&f->launcher);
  assert_int_equal(sched_setaffinity(0, sizeof *processors, processors), 0);
  assert_ok(gannet_launcher_start(&f->launcher));
}

/* On one processor a child that was just started may be through before the helper goes on. */
static void the_time_of_a_child_begins_before_it_does(void **state) {
  fixture *f = *state;
  cpu_set_t all, one;
  int processor = 0;
  assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
  while (!CPU_ISSET(processor, &all)) ++processor;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  restart(f, &one);
  for (int i = 0; i < 30; ++i) {
    const gannet_launch_event end = run(f, "#!/bin/bash\necho $EPOCHREALTIME\n", INFINITY, 1);
    const double running = strtod(content(f->directory, "stdout.log"), NULL);
    if (!(end.started <= running && running <= end.ended))
      fail_msg("started %.6f, running %.6f, ended %.6f", end.started, running, end.ended);
  }
  restart(f, &all);
}

/* The fourth descriptor of ls is the directory that it lists; a shell has signals blocked while it
 * forks, so grep looks at itself. */
static void a_child_leads_its_own_session_with_default_signals_and_no_descriptors(void **state) {
  fixture *f = *state;
  const gannet_launch_event end =
      run(f,
          "#!/bin/sh\nawk '{print $6}' /proc/$$/stat\nls /proc/self/fd\n"
          "exec grep Sig[BI] /proc/self/status\n",
          INFINITY, 1);
  char expected[200];
  (void)snprintf(expected, sizeof expected,
                 "%d\n0\n1\n2\n3\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n", end.pid);
  assert_string_equal(content(f->directory, "stdout.log"), expected);
}

static void variables_of_other_launchers_are_withheld(void **state) {
  (void)state;
  assert_true(gannet_launcher_withholds("OMPI_COMM_WORLD_RANK=0"));
  assert_true(gannet_launcher_withholds("PMIX_RANK=0"));
  assert_true(gannet_launcher_withholds("PRTE_X=0"));
  assert_true(gannet_launcher_withholds("SLURM_CPU_BIND_TYPE=mask"));
  assert_true(gannet_launcher_withholds("SLURM_PROCID=3"));
  assert_false(gannet_launcher_withholds("SLURM_JOB_ID=3"));
  assert_false(gannet_launcher_withholds("SLURM_JOB_NODELIST=n1"));
  assert_false(gannet_launcher_withholds("OMPI_ALLOW_RUN_AS_ROOT=1"));
  assert_false(gannet_launcher_withholds("PATH=/bin"));
  assert_false(gannet_launcher_withholds("MY_OMPI_SETTING=1"));
}

/* tools/make-archive: its Open MPI is not that of the simulations. */
static void variables_of_an_archive_are_withheld(void **state) {
  (void)state;
  assert_false(gannet_launcher_withholds("OPAL_PREFIX=/opt/gannet"));
  assert_int_equal(setenv("GANNET_ARCHIVE", "/opt/gannet", 1), 0);
  assert_true(gannet_launcher_withholds("OPAL_PREFIX=/opt/gannet"));
  assert_true(gannet_launcher_withholds("OPAL_SYSCONFDIR=/opt/gannet/etc/openmpi"));
  assert_true(gannet_launcher_withholds("GANNET_ARCHIVE=/opt/gannet"));
  assert_false(gannet_launcher_withholds("OPAL_PREFIX=/opt/openmpi"));
  assert_int_equal(unsetenv("GANNET_ARCHIVE"), 0);
}

/* Complaints: datatrove #248, optimas #266, noether #233, ATS #133. */
static void withheld_variables_do_not_reach_children(void **state) {
  fixture *f = *state;
  assert_int_equal(setenv("OMPI_COMM_WORLD_RANK", "1", 1), 0);
  assert_int_equal(setenv("GANNET_USERS_OWN", "1", 1), 0);
  assert_int_equal(setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1), 0);
  gannet_launcher *before = f->launcher; /* the environment is that of the helper's start */
  f->launcher = NULL;
  assert_ok(gannet_launcher_start(&f->launcher));
  (void)run(f,
            "#!/bin/sh\nenv | grep -c '^OMPI_COMM'\nenv | grep -c '^GANNET_USERS_OWN='\n"
            "env | grep -c '^OMPI_MCA_rmaps'\n",
            INFINITY, 1);
  assert_string_equal(content(f->directory, "stdout.log"), "0\n1\n1\n");
  gannet_launcher_stop(&f->launcher);
  f->launcher = before;
}

static void refused(fixture *f, const char *directory, const char *program, const char *stage,
                    int error) {
  const char *const none[] = {program, NULL};
  const gannet_launch what = {.tag = 9,
                              .directory = directory,
                              .program = program,
                              .arguments = none,
                              .environment = none + 1,
                              .time_limit = INFINITY};
  assert_ok(gannet_launcher_launch(f->launcher, &what));
  const gannet_launch_event event = next(f->launcher);
  assert_int_equal(event.type, GANNET_LAUNCH_REFUSED);
  assert_int_equal(event.tag, 9);
  assert_string_equal(event.stage, stage);
  assert_int_equal(event.error, error);
}

static void a_failing_start_is_reported_with_its_reason(void **state) {
  fixture *f = *state;
  char path[400];
  (void)snprintf(path, sizeof path, "%s/data", f->directory);
  write_file(f->directory, "data", "no program\n", 0644);
  refused(f, f->directory, "/nowhere/simulate", "exec", ENOENT);
  refused(f, f->directory, path, "exec", EACCES);
  (void)chmod(path, 0755);
  refused(f, f->directory, path, "exec", ENOEXEC); /* no shell is tried */
  refused(f, "/nowhere", "/bin/true", "chdir", ENOENT);
  char *large = malloc(200000);
  assert_non_null(large);
  memset(large, 'x', 199999);
  large[199999] = '\0';
  const char *const arguments[] = {"true", large, NULL};
  const gannet_launch what = {.directory = f->directory,
                              .program = "/bin/true",
                              .arguments = arguments,
                              .environment = arguments + 2};
  assert_fails(GANNET_ERR_ARG, "exceed", gannet_launcher_launch(f->launcher, &what));
  free(large);
}

static void signals_are_told_from_exit_codes(void **state) {
  fixture *f = *state;
  const gannet_launch_event end = run(f, "#!/bin/sh\nkill -SEGV $$\n", INFINITY, 1);
  assert_int_equal(end.signal, SIGSEGV);
  assert_int_equal(end.exit_code, -1);
}

/* A leader and three grandchildren that ignore SIGTERM: in the group, in a group of its own, and in
 * a session of its own. */
static const char stubborn[] =
    "#!/bin/bash\ntrap '' TERM\n"
    "sleep 100 & echo $! >inside\n"
    "bash -c 'set -m; sleep 100 & echo $! >group; wait' &\n"
    "setsid bash -c 'setsid sleep 100 & echo $! >outside' \n"
    "while [ ! -s group ]; do sleep 0.01; done\n"
    "echo $$ >leader\n"
    "while :; do sleep 1; done\n";

static void nobody_is_left(const fixture *f) {
  static const char *const names[] = {"leader", "inside", "group", "outside"};
  for (int i = 0; i < 4; ++i) {
    if (!dies_within(number_in(f->directory, names[i]), 20)) fail_msg("%s lives", names[i]);
    char path[400];
    (void)snprintf(path, sizeof path, "%s/%s", f->directory, names[i]);
    (void)unlink(path);
  }
}

/* Complaints: libEnsemble #21. */
static void the_time_limit_reaches_everything_a_child_started(void **state) {
  fixture *f = *state;
  const double start = gannet_clock_seconds();
  const gannet_launch_event end =
      run(f, stubborn, 2, 0.3); /* 2 s: a busy machine starts them all */
  const double took = gannet_clock_seconds() - start;
  assert_true(end.limit);
  assert_int_equal(end.signal, SIGKILL);
  assert_true(took >= 2.3 && took < 60);
  nobody_is_left(f);
}

/* As somebody does who stops processes by their names, or a simulation that stops its parent. */
static void the_time_limit_holds_while_the_supervisor_is_stopped(void **state) {
  fixture *f = *state;
  const gannet_launch_event end =
      run(f, "#!/bin/bash\ntrap 'exit 7' TERM\nkill -STOP $PPID\nsleep 100 & wait\n", 2, 20);
  assert_true(end.limit);
  assert_int_equal(end.exit_code, 7);
}

static void the_time_limit_holds_while_the_helper_is_stopped(void **state) {
  fixture *f = *state;
  const gannet_launch_event end = run(f,
                                      "#!/bin/bash\ntrap 'exit 7' TERM\n"
                                      "kill -STOP $(awk '{print $4}' /proc/$PPID/stat)\n"
                                      "sleep 100 & wait\n",
                                      2, 20);
  assert_true(end.limit);
  assert_int_equal(end.exit_code, 7);
}

static void a_stopped_helper_takes_orders_and_ends(void **state) {
  fixture *f = *state;
  (void)run(f, "#!/bin/bash\nawk '{print $4}' /proc/$PPID/stat >helper\n", INFINITY, 1);
  const int helper = number_in(f->directory, "helper");
  write_file(f->directory, "helper", "", 0644);
  assert_int_equal(kill(helper, SIGSTOP), 0);
  assert_int_equal(run(f, "#!/bin/bash\nexit 3\n", INFINITY, 1).exit_code, 3);
  assert_int_equal(kill(helper, SIGSTOP), 0);
  gannet_launcher_stop(&f->launcher);
  assert_true(dies_within(helper, 20));
  assert_ok(gannet_launcher_start(&f->launcher));
}

static void a_child_that_obeys_is_not_killed(void **state) {
  fixture *f = *state;
  const gannet_launch_event end =
      run(f, "#!/bin/bash\ntrap 'echo bye >said; exit 7' TERM\nsleep 100 & wait\n", 2, 20);
  assert_true(end.limit);
  assert_int_equal(end.exit_code, 7);
  assert_string_equal(content(f->directory, "said"), "bye\n");
}

static void what_a_leader_leaves_running_is_killed(void **state) {
  fixture *f = *state;
  const gannet_launch_event end =
      run(f, "#!/bin/bash\nsleep 100 &\necho $! >left\nsetsid sleep 100 &\necho $! >far\nexit 0\n",
          INFINITY, 1);
  assert_int_equal(end.exit_code, 0);
  assert_true(dies_within(number_in(f->directory, "left"), 20));
  assert_true(dies_within(number_in(f->directory, "far"), 20));
}

/* Who reads the results must know whether they may be cut off. */
static void a_writer_that_is_left_is_told(void **state) {
  fixture *f = *state;
  static const struct {
    const char *script;
    bool open;
  } runs[] = {
      {"#!/bin/bash\n(printf 1.; sleep 100; echo 5) >results &\nuntil [ -s results ]; do sleep "
       "0.01; done\n",
       true},
      {"#!/bin/bash\nexec 3>results; setsid sleep 100 &\nexit 0\n", true},
      {"#!/bin/bash\nprintf 1.5 >results; sleep 100 &\n", false},
      {"#!/bin/bash\nprintf 1.5 >results\n", false},
  };
  for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
    const gannet_launch_event end = run(f, runs[i].script, INFINITY, 1);
    assert_int_equal(end.exit_code, 0);
    assert_int_equal(end.results_open, runs[i].open);
  }
}

static void a_cancelled_child_ends_with_everything_it_started(void **state) {
  fixture *f = *state;
  launch(f, 77, stubborn, INFINITY, 100);
  assert_int_equal(next(f->launcher).type, GANNET_LAUNCH_STARTED);
  (void)number_in(f->directory, "leader");
  assert_ok(gannet_launcher_kill(f->launcher, 78, 0)); /* not running: no error */
  assert_ok(gannet_launcher_kill(f->launcher, 77, 0.1));
  const gannet_launch_event end = next(f->launcher);
  assert_true(end.cancelled);
  assert_false(end.limit);
  nobody_is_left(f);
}

static void stopping_the_launcher_ends_its_children(void **state) {
  fixture *f = *state;
  launch(f, 1, stubborn, INFINITY, 100);
  (void)number_in(f->directory, "leader");
  gannet_launcher_stop(&f->launcher);
  nobody_is_left(f);
  assert_ok(gannet_launcher_start(&f->launcher));
}

/* Launch a script that writes its number into "leader" from a controller of its own, and kill that
 * one: SIGKILL gives it no chance to clean up. Returns the number. */
static int launch_and_kill_controller(fixture *f, const char *script) {
  gannet_launcher *mine = f->launcher;
  const pid_t controller = fork();
  if (controller == 0) {
    if (gannet_launcher_start(&f->launcher) != GANNET_OK) _exit(1);
    launch(f, 1, script, INFINITY, 100);
    for (;;) (void)pause();
  }
  f->launcher = mine;
  const int leader = number_in(f->directory, "leader");
  (void)kill(controller, SIGKILL);
  (void)waitpid(controller, NULL, 0);
  return leader;
}

static void killing_the_controller_leaves_no_child(void **state) {
  fixture *f = *state;
  (void)launch_and_kill_controller(f, stubborn);
  nobody_is_left(f);
}

/* srun must have time to end its steps on other nodes. */
static void killing_the_controller_tells_a_child_to_end_first(void **state) {
  fixture *f = *state;
  const int leader = launch_and_kill_controller(
      f, "#!/bin/bash\ntrap 'echo $$ >told; exit' TERM\nsleep 100 & echo $$ >leader\nwait\n");
  assert_int_equal(number_in(f->directory, "told"), leader);
}

/* Between the helper and a child stands the supervisor. */
#define HELPER "awk '{print $4}' /proc/$PPID/stat >helper\n"

static void a_dead_helper_is_noticed_and_its_children_die(void **state) {
  fixture *f = *state;
  gannet_launch_event event;
  bool got = false;
  launch(f, 1,
         "#!/bin/bash\nsleep 100 &\necho $! >left\n(setsid sleep 100 & echo $! >session)\n" HELPER
         "echo $$ >leader\nexec sleep 100\n",
         INFINITY, 1);
  assert_int_equal(next(f->launcher).type, GANNET_LAUNCH_STARTED);
  const int leader = number_in(f->directory, "leader");
  (void)kill(number_in(f->directory, "helper"), SIGKILL);
  write_file(f->directory, "helper", "", 0644);
  assert_fails(GANNET_ERR_IO, "helper process", gannet_launcher_wait(f->launcher, 5, &event, &got));
  assert_fails(GANNET_ERR_IO, "helper process", gannet_launcher_kill(f->launcher, 1, 0));
  const int left = number_in(f->directory, "left"), session = number_in(f->directory, "session");
  assert_true(dies_within(leader, 20) && dies_within(left, 20) && dies_within(session, 20));
  gannet_launcher_stop(&f->launcher);
  assert_ok(gannet_launcher_start(&f->launcher));
}

/* The supervisor of a child that has run through, which waits for the next one. */
static int supervisor_of(fixture *f, const char *script, double limit) {
  write_file(f->directory, "parent", "", 0644);
  (void)run(f, script, limit, 1);
  return number_in(f->directory, "parent");
}

static void a_supervisor_takes_one_child_after_the_other(void **state) {
  fixture *f = *state;
  static const char plain[] = "#!/bin/bash\necho $PPID >parent\n",
                    leaving[] = "#!/bin/bash\necho $PPID >parent\nsleep 100 &\necho $! >left\n",
                    late[] = "#!/bin/bash\necho $PPID >parent\nexec sleep 100\n";
  const int first = supervisor_of(f, plain, INFINITY);
  assert_int_equal(supervisor_of(f, leaving, INFINITY), first);
  assert_false(is_alive(number_in(f->directory, "left")));
  refused(f, f->directory, "/no/such/program", "exec", ENOENT);
  assert_int_equal(supervisor_of(f, plain, 10), first);
  assert_int_equal(supervisor_of(f, late, 1), first);
  /* It was signalled, and the next child must not meet a signal that comes late. */
  const int second = supervisor_of(f, plain, INFINITY);
  assert_int_not_equal(second, first);
  assert_true(dies_within(first, 20));
  (void)kill(second, SIGKILL);
  assert_true(dies_within(second, 20));
  const int third = supervisor_of(f, plain, INFINITY);
  assert_int_not_equal(third, second);
  /* in braces, bash has read all of it before the next script takes its place */
  launch(f, 6, "#!/bin/bash\n{\n" HELPER "exec sleep 100\n}\n", INFINITY, 1);
  assert_int_equal(next(f->launcher).type, GANNET_LAUNCH_STARTED);
  const int helper = number_in(f->directory, "helper");
  const int fourth = supervisor_of(f, plain, INFINITY); /* while the third is busy */
  assert_int_not_equal(fourth, third);
  (void)kill(helper, SIGKILL);
  write_file(f->directory, "helper", "", 0644);
  assert_true(dies_within(third, 20) && dies_within(fourth, 20));
  gannet_launcher_stop(&f->launcher);
  assert_ok(gannet_launcher_start(&f->launcher));
  const int last = supervisor_of(f, plain, INFINITY);
  gannet_launcher_stop(&f->launcher);
  assert_false(is_alive(last));
  assert_ok(gannet_launcher_start(&f->launcher));
}

/* Its name is that of its program, which a fork of this test has not. */
static void the_helper_is_a_program_of_its_own(void **state) {
  fixture *f = *state;
  launch(f, 1, "#!/bin/bash\n" HELPER "exec sleep 100\n", INFINITY, 1);
  assert_int_equal(next(f->launcher).type, GANNET_LAUNCH_STARTED);
  char path[64], program[400];
  (void)snprintf(path, sizeof path, "/proc/%d/exe", number_in(f->directory, "helper"));
  const ssize_t length = readlink(path, program, sizeof program - 1);
  assert_true(length > 0);
  program[length] = '\0';
  const char *named = getenv("GANNET_LAUNCHER");
  assert_string_equal(strrchr(program, '/'),
                      named && !named[0] ? "/test-evaluate-launcher" : "/gannet-launcher");
  assert_ok(gannet_launcher_kill(f->launcher, 1, 1));
  assert_int_equal(next(f->launcher).signal, SIGTERM);
}

/* Something else under its name, or the program of another version: a fork does it. */
static void another_program_is_not_used(void **state) {
  (void)state;
  gannet_launcher *launcher = NULL;
  const char *named = getenv("GANNET_LAUNCHER");
  assert_int_equal(setenv("GANNET_LAUNCHER", "/bin/true", 1), 0);
  assert_ok(gannet_launcher_start(&launcher));
  gannet_launcher_stop(&launcher);
  assert_int_equal(named ? setenv("GANNET_LAUNCHER", "", 1) : unsetenv("GANNET_LAUNCHER"), 0);
}

static void the_helper_ignores_the_signals_of_terminals_and_schedulers(void **state) {
  fixture *f = *state;
  launch(f, 1, "#!/bin/bash\n" HELPER "exec sleep 100\n", INFINITY, 1);
  assert_int_equal(next(f->launcher).type, GANNET_LAUNCH_STARTED);
  const int helper = number_in(f->directory, "helper");
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGQUIT};
  for (int i = 0; i < 6; ++i) (void)kill(helper, signals[i]);
  assert_ok(gannet_launcher_kill(f->launcher, 1, 1));
  assert_int_equal(next(f->launcher).signal, SIGTERM);
  assert_true(is_alive(helper));
}

static void an_outcome_is_left_in_a_file_unless_cancelled(void **state) {
  fixture *f = *state;
  char outcome[400];
  (void)snprintf(outcome, sizeof outcome, "%s/outcome.json", f->directory);
  const char *const arguments[] = {"false", NULL};
  gannet_launch what = {.tag = 3,
                        .directory = f->directory,
                        .program = "/bin/false",
                        .arguments = arguments,
                        .environment = arguments + 1,
                        .time_limit = INFINITY,
                        .outcome = outcome,
                        .nonce = 0xabcdef0123456789u};
  assert_ok(gannet_launcher_launch(f->launcher, &what));
  (void)next(f->launcher);
  (void)next(f->launcher);
  const char *text = content(f->directory, "outcome.json");
  assert_non_null(strstr(text, "\"nonce\": \"abcdef0123456789\""));
  assert_non_null(strstr(text, "\"exit_code\": 1, \"signal\": 0, \"time_limit\": false"));
  (void)unlink(outcome);
  const char *const sleeping[] = {"sleep", "100", NULL};
  what.program = "/bin/sleep";
  what.arguments = sleeping;
  what.environment = sleeping + 2;
  assert_ok(gannet_launcher_launch(f->launcher, &what));
  (void)next(f->launcher);
  assert_ok(gannet_launcher_kill(f->launcher, 3, 1));
  (void)next(f->launcher);
  assert_false(exists(f->directory, "outcome.json"));
}

/* More events than a socket buffer holds, while nobody reads. */
static void events_wait_for_a_busy_controller(void **state) {
  fixture *f = *state;
  enum { N = 400 };
  static int ended[N];
  memset(ended, 0, sizeof ended);
  const char *const arguments[] = {"true", NULL};
  for (int i = 0; i < N; ++i) {
    const gannet_launch what = {.tag = i,
                                .directory = f->directory,
                                .program = "/bin/true",
                                .arguments = arguments,
                                .environment = arguments + 1,
                                .time_limit = INFINITY};
    assert_ok(gannet_launcher_launch(f->launcher, &what));
  }
  gannet_clock_sleep(0.5);
  for (int left = N; left > 0;) {
    const gannet_launch_event event = next(f->launcher);
    if (event.type != GANNET_LAUNCH_ENDED) continue;
    ended[event.tag] += 1;
    --left;
  }
  for (int i = 0; i < N; ++i) assert_int_equal(ended[i], 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_child_gets_its_directory_files_arguments_and_environment),
      cmocka_unit_test(the_time_of_a_child_begins_before_it_does),
      cmocka_unit_test(a_child_leads_its_own_session_with_default_signals_and_no_descriptors),
      cmocka_unit_test(variables_of_other_launchers_are_withheld),
      cmocka_unit_test(variables_of_an_archive_are_withheld),
      cmocka_unit_test(withheld_variables_do_not_reach_children),
      cmocka_unit_test(a_failing_start_is_reported_with_its_reason),
      cmocka_unit_test(signals_are_told_from_exit_codes),
      cmocka_unit_test(the_time_limit_reaches_everything_a_child_started),
      cmocka_unit_test(the_time_limit_holds_while_the_supervisor_is_stopped),
      cmocka_unit_test(the_time_limit_holds_while_the_helper_is_stopped),
      cmocka_unit_test(a_stopped_helper_takes_orders_and_ends),
      cmocka_unit_test(a_child_that_obeys_is_not_killed),
      cmocka_unit_test(what_a_leader_leaves_running_is_killed),
      cmocka_unit_test(a_writer_that_is_left_is_told),
      cmocka_unit_test(a_cancelled_child_ends_with_everything_it_started),
      cmocka_unit_test(stopping_the_launcher_ends_its_children),
      cmocka_unit_test(killing_the_controller_leaves_no_child),
      cmocka_unit_test(killing_the_controller_tells_a_child_to_end_first),
      cmocka_unit_test(a_dead_helper_is_noticed_and_its_children_die),
      cmocka_unit_test(a_supervisor_takes_one_child_after_the_other),
      cmocka_unit_test(the_helper_is_a_program_of_its_own),
      cmocka_unit_test(another_program_is_not_used),
      cmocka_unit_test(the_helper_ignores_the_signals_of_terminals_and_schedulers),
      cmocka_unit_test(an_outcome_is_left_in_a_file_unless_cancelled),
      cmocka_unit_test(events_wait_for_a_busy_controller),
  };
  const int failed = cmocka_run_group_tests_name("the program", tests, set_up, tear_down);
  assert_int_equal(setenv("GANNET_LAUNCHER", "", 1), 0); /* without it the helper is a fork */
  return failed + cmocka_run_group_tests_name("a fork", tests, set_up, tear_down);
}
