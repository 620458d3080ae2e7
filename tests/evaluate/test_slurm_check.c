/* test: ranks 2 labels unit processors 1 */
/* What is said about the options of jobs before any is submitted. */
#include "standin.h"

static void refused(standin *f, const char *where, const char *part) {
  gannet_complaints complaints = {0};
  assert_ok(gannet_evaluator_check(slurm_type(), &f->options, &f->setup, &complaints));
  assert_int_equal(complaints.count, 1);
  assert_fails(GANNET_ERR_INPUT, where, gannet_complaints_raise(&complaints));
  assert_non_null(strstr(gannet_error_message(), part));
  gannet_complaints_release(&complaints);
}

static void accepted(standin *f, const char *warning) {
  gannet_complaints complaints = {0};
  f->log[0] = '\0';
  assert_ok(gannet_evaluator_check(slurm_type(), &f->options, &f->setup, &complaints));
  assert_int_equal(complaints.count, 0);
  if (!*warning)
    assert_string_equal(f->log, "");
  else if (f->context->rank == 0)
    assert_non_null(strstr(f->log, warning));
}

static void use_own_script(standin *f, const char *text) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (f->context->rank == 0) write_file(f->directory, "own.sh", text, 0644);
  MPI_Barrier(MPI_COMM_WORLD);
  f->options.script = TEXT("own.sh");
}

/* SLURM 22.05 ends each such job with JobLaunchFailure before it begins. */
static void a_directory_with_a_backslash_is_refused(void **state) {
  standin *f = *state;
  char campaign[300], command[800];
  use_simulation(f, "#!/bin/sh\n");
  (void)snprintf(campaign, sizeof campaign, "%s/a\\b", f->directory);
  f->setup.campaign = campaign; /* not there yet */
  refused(f, "evaluate.backend", "a\\b', because it takes the backslash out");
  (void)snprintf(command, sizeof command,
                 "cd '%s' && mkdir 'a\\b' plain && ln -s 'a\\b' link && "
                 "ln -s ../plain 'a\\b/back'",
                 f->directory);
  conform_shell(command);
  refused(f, "evaluate.backend", "a\\b', because it takes the backslash out");
  (void)snprintf(campaign, sizeof campaign, "%s/link/new", f->directory);
  refused(f, "evaluate.backend", "a\\b/new', because it takes the backslash out");
  (void)snprintf(campaign, sizeof campaign, "%s/a\\b/back", f->directory);
  accepted(f, "");
}

/* Each of them would run an evaluation several times at once, never, or keep sbatch from answering.
 */
static void options_that_make_other_jobs_are_refused(void **state) {
  standin *f = *state;
  gannet_complaints complaints = {0};
  char *item[] = {TEXT("--mem=2G -a 0-3")};
  use_simulation(f, "#!/bin/sh\n");
  f->options.sbatch = (gannet_text_list){1, item};
  refused(f, "evaluate.sbatch", "leave out '-a': with --array every element would run the same");
  item[0] = TEXT("--array=0-3%2");
  refused(f, "evaluate.sbatch", "say submit: array instead");
  item[0] = TEXT("--test-only");
  refused(f, "evaluate.sbatch", "nothing would be submitted");
  item[0] = TEXT("--clusters=serial");
  refused(f, "evaluate.sbatch", "set SLURM_CLUSTERS in the environment");
  item[0] = TEXT("-Mserial");
  refused(f, "evaluate.sbatch", "leave out '-Mserial'");
  f->options.sbatch.n = f->options.command.command.n = 0;
  use_own_script(f, "#!/bin/sh\n#SBATCH --time=5 -W\n./sim\n");
  refused(f, "evaluate.script", "leave out '-W'");
  use_own_script(f, "#!/bin/sh\n#SBATCH --wait-all-nodes=1 # no --array\n# -a\n");
  assert_ok(gannet_evaluator_check(slurm_type(), &f->options, &f->setup, &complaints));
  assert_int_equal(complaints.count, 0);
}

/* sbatch of 22.05 takes those, and neither "--wai" nor "--tim", which begin several names. */
static void names_that_are_cut_short_are_known(void **state) {
  standin *f = *state;
  static const char *const others[] = {"--ac=a", "--wait-all=1", "--cluster-c=x", "--time-m=5",
                                       "--open=append"};
  char *item[] = {TEXT("--mem=2G --arr 0-3")};
  use_simulation(f, "#!/bin/sh\n");
  f->options.sbatch = (gannet_text_list){1, item};
  f->setup.time_limit = 600;
  refused(f, "evaluate.sbatch", "leave out '--arr': with --array every element would run the same");
  item[0] = TEXT("--ar=0-3");
  refused(f, "evaluate.sbatch", "leave out '--ar=0-3'");
  item[0] = TEXT("--cluster=serial");
  refused(f, "evaluate.sbatch", "leave out '--cluster=serial': with --clusters squeue");
  item[0] = TEXT("--out=sim.log");
  accepted(f, "leave out '--out=sim.log', which does not hold");
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
    item[0] = TEXT(others[i]);
    accepted(f, "");
  }
  f->options.sbatch.n = f->options.command.command.n = 0;
  use_own_script(f, "#!/bin/sh\n#SBATCH --wra=ls\n./sim\n");
  refused(f, "evaluate.script", "leave out '--wra=ls': with --wrap");
  use_own_script(f, "#!/bin/sh\n#SBATCH --job wing\n./sim\n");
  accepted(f, "lines #SBATCH with --job-name do not hold");
}

/* What gannet says to sbatch itself would be said twice, and the user's would not hold. It is no
 * error: campaigns were begun with such files. */
static void options_that_gannet_gives_itself_are_told(void **state) {
  standin *f = *state;
  static const char *const words[] = {"--output=sim.log", "-o sim.log", "--error=err", "-eerr",
                                      "--chdir=/scratch", "-D/tmp",     "-J wing"};
  char *item[] = {NULL};
  use_simulation(f, "#!/bin/sh\n");
  f->options.sbatch = (gannet_text_list){1, item};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    item[0] = TEXT(words[i]);
    accepted(f, "evaluate.sbatch: leave out '-");
  }
  item[0] = TEXT("--mem=2G --output=sim.log");
  accepted(f,
           "leave out '--output=sim.log', which does not hold: what a run prints is kept as std");
  item[0] = TEXT("--mem=2G --open-mode=append");
  accepted(f, "");
}

/* Scripts that serve elsewhere, too, have such lines. */
static void lines_of_a_script_that_do_not_hold_are_told(void **state) {
  standin *f = *state;
  use_own_script(f,
                 "#!/bin/sh\n#SBATCH --job-name=wing --mem=2G\n#SBATCH -o %j.log\n"
                 "#SBATCH --open-mode=append\n./sim\n");
  accepted(f, "lines #SBATCH with --job-name, --output do not hold");
  use_own_script(f, "#!/bin/sh\n#SBATCH --open-mode=append\n./sim -o sim.log\n");
  accepted(f, "");
}

/* Scripts that write further scripts have lines #SBATCH that are none of theirs. */
static void sbatch_reads_a_script_up_to_its_first_command(void **state) {
  standin *f = *state;
  use_own_script(f, "#!/bin/sh\ncat <<END\n#SBATCH --array=0-3 --output=part\nEND\n");
  accepted(f, "");
  use_own_script(f, "#!/bin/sh\n\n \t\n # ours\n#SBATCH --array=0-3\n./sim\n");
  refused(f, "evaluate.script", "leave out '--array=0-3'");
}

/* sbatch would be called for hours. */
static void files_that_are_no_job_scripts_are_refused(void **state) {
  standin *f = *state;
  use_own_script(f, "#!/bin/sh\r\n./sim\r\n");
  refused(f, "evaluate.script", "'own.sh' has the line ends of DOS");
  use_own_script(f, " \n");
  refused(f, "evaluate.script", "'own.sh' is empty");
  use_own_script(f, "./sim\n");
  refused(f, "evaluate.script", "expected a first line such as #!/bin/bash");
}

/* The job's limit is that of its runs; without one the user's own holds. */
static void a_time_that_does_not_hold_is_told(void **state) {
  standin *f = *state;
  char *item[] = {TEXT("--time=2:00:00")};
  use_simulation(f, "#!/bin/sh\n");
  f->options.sbatch = (gannet_text_list){1, item};
  accepted(f, "");
  f->setup.time_limit = 600;
  accepted(f, "leave out '--time=2:00:00', which does not hold: the job gets evaluate.time_limit");
  item[0] = TEXT("-t 5");
  accepted(f, "leave out '-t'");
  item[0] = TEXT("--time-min=5");
  accepted(f, "");
  f->options.sbatch.n = f->options.command.command.n = 0;
  use_own_script(f, "#!/bin/sh\n#SBATCH --time=5\n./sim\n");
  accepted(f, "lines #SBATCH with --time do not hold");
  f->setup.time_limit = INFINITY;
  accepted(f, "");
}

/* A step takes the processors of one task, and srun lets those that find none wait. */
static void runs_at_once_that_would_wait_are_told(void **state) {
  standin *f = *state;
  static const char *const too_few[] = {
      "--ntasks=1", "--ntasks 3", "-n1", "-n 3", "--mem=2G", "--nodes=2", "-N2 --ntasks-per-node=1",
      "-c 8"};
  static const char *const enough[] = {
      "--ntasks=4",          "-n4",         "-N2 --ntasks-per-node=2", "-n1 --exclusive",
      "--ntasks-per-node=4", "--nodes=4-8", "--ntasks-per-n 4",        "--exclus",
      "--tasks-per-node=4"};
  static const char *const gpus[] = {"--exclusive --gpus=4", "-n 4 -G4", "-n 4 --gpus-per-node 2",
                                     "--gres=gpu:4 -n4"};
  char *item[] = {NULL}, *step[] = {TEXT("env")};
  use_simulation(f, "#!/bin/sh\n");
  f->options.sbatch = (gannet_text_list){1, item};
  f->options.runs_per_job = f->options.runs_at_once = 4;
  for (size_t i = 0; i < sizeof too_few / sizeof *too_few; ++i) {
    item[0] = TEXT(too_few[i]);
    accepted(f, "evaluate.runs_at_once: 4 runs at once, but evaluate.sbatch asks for");
  }
  for (size_t i = 0; i < sizeof enough / sizeof *enough; ++i) {
    item[0] = TEXT(enough[i]);
    accepted(f, "");
  }
  for (size_t i = 0; i < sizeof gpus / sizeof *gpus; ++i) {
    item[0] = TEXT(gpus[i]);
    accepted(f, "evaluate.sbatch asks for GPUs, and each run would have all of them");
  }
  item[0] = TEXT("--ntasks=1");
  f->options.step = (gannet_text_list){1, step};
  accepted(f, "");
  f->options.step.n = f->options.sbatch.n = f->options.command.command.n = 0;
  use_own_script(f, "#!/bin/sh\n#SBATCH -n 2\n./sim\n");
  accepted(f,
           "evaluate.script asks for 2 tasks, so only that many runs fit, and the others "
           "wait; expected --ntasks=4, or --exclusive");
  use_own_script(f, "#!/bin/sh\n#SBATCH -n 4\n./sim -n 2\n");
  accepted(f, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, standin_set_up, standin_tear_down)

/* Shells have braces of their own; what is neither theirs nor known stops a job before it is
 * submitted, with its place. */
static void placeholders_of_a_script_are_checked(void **state) {
  standin *f = *state;
  char *item[] = {TEXT("--comment={x}")}, *marks[] = {TEXT("@@")};
  f->options.command.command.n = 0;
  use_own_script(f,
                 "#!/bin/bash\nid=${id} n={fins:03d} s={slot}\n# {comment}\n"
                 "f() { ls; }; cp {a,b}.in . # ${x}\nawk '\\{print}' {params}\n");
  accepted(f, "");
  use_own_script(f, "#!/bin/bash\n./sim {params}\n  ./sim {fin}\n");
  refused(f, "evaluate.script: own.sh:3:9: '{fin}' is not a variable", "did you mean '{fins}'");
  use_own_script(f, "#!/bin/bash\n#SBATCH --comment={solvr}\n./sim {params}\n");
  refused(f, "evaluate.script: own.sh:2:19: '{solvr}'", "write a backslash before it");
  use_own_script(f, "#!/bin/bash\n./sim {fins:.2d}\n");
  refused(f, "evaluate.script: own.sh:2:7: the format of '{fins:.2d}'", "only with f, e or g");
  f->options.command.placeholders = (gannet_text_list){1, marks};
  use_own_script(f, "#!/bin/bash\nawk '{print}' @params@ {fin}\n");
  accepted(f, "");
  use_own_script(f, "#!/bin/bash\n./sim @parms@\n");
  refused(f, "evaluate.script: own.sh:2:7: '@parms@'", "did you mean '@params@'");
  f->options.command.placeholders.n = 0;
  f->options.script = NULL;
  use_simulation(f, "#!/bin/sh\n");
  f->options.sbatch = (gannet_text_list){1, item};
  refused(f, "evaluate.sbatch: '{x}': nothing is replaced here", "evaluate.script");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      TEST(placeholders_of_a_script_are_checked),
      TEST(a_directory_with_a_backslash_is_refused),
      TEST(options_that_make_other_jobs_are_refused),
      TEST(names_that_are_cut_short_are_known),
      TEST(options_that_gannet_gives_itself_are_told),
      TEST(lines_of_a_script_that_do_not_hold_are_told),
      TEST(sbatch_reads_a_script_up_to_its_first_command),
      TEST(files_that_are_no_job_scripts_are_refused),
      TEST(a_time_that_does_not_hold_is_told),
      TEST(runs_at_once_that_would_wait_are_told),
  };
  MPI_Init(&argc, &argv);
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
