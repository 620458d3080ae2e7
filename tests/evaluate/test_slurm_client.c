/* test: ranks 1 labels unit */
#include "standin.h"

#include "evaluate/slurm/answers.h"
#include "evaluate/slurm/client.h"

/* Some hundred jobs are cancelled by several calls, one of which fails. */
static void a_cancel_that_fails_in_part_is_told(void **state) {
  enum { JOBS = 250 };
  standin *f = *state;
  gannet_launcher *launcher = NULL;
  gannet_slurm_client *client = NULL;
  gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
  char number[JOBS][16], command[400];
  gannet_slurm_job_key job[JOBS];
  for (int i = 0; i < JOBS; ++i) {
    (void)snprintf(number[i], sizeof number[i], "%d", 1000 + i);
    job[i] = (gannet_slurm_job_key){number[i], "mine"};
  }
  (void)snprintf(command, sizeof command,
                 "cd '%s/jobs' && for i in $(seq 1000 1249); do mkdir $i && "
                 "echo SUSPENDED >$i/state && echo mine >$i/name; done",
                 f->directory);
  conform_shell(command);
  assert_ok(gannet_launcher_start(&launcher));
  assert_ok(gannet_slurm_client_create(&f->options.commands, launcher, f->directory, f->directory,
                                       &client));
  write_file(f->directory, "scancel.says", "no such luck\n", 0644);
  write_file(f->directory, "scancel.fail", "3\n", 0644); /* the first call, three times */
  assert_ok(gannet_slurm_client_cancel(client, JOBS, job, &how));
  assert_int_equal(how, GANNET_SLURM_CALL_REFUSED);
  assert_string_equal(gannet_slurm_client_said(client), "no such luck");
  assert_int_equal(calls_of(f, "scancel"), 5);
  assert_ok(gannet_slurm_client_cancel(client, JOBS, job, &how));
  assert_int_equal(how, GANNET_SLURM_CALL_DONE);
  gannet_slurm_client_destroy(&client);
  gannet_launcher_stop(&launcher);
}

/* Nothing is asked again at once that did not answer, however many jobs are in question. */
static void accounting_without_an_answer_is_asked_once(void **state) {
  enum { JOBS = 250 };
  standin *f = *state;
  gannet_launcher *launcher = NULL;
  gannet_slurm_client *client = NULL;
  gannet_slurm_list list = {0};
  gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
  gannet_slurm_job_key job[JOBS];
  for (int i = 0; i < JOBS; ++i) job[i] = (gannet_slurm_job_key){"1234", "mine"};
  f->options.commands.timeout = 0.3;
  write_file(f->directory, "sacct.hang", "9\n", 0644);
  assert_ok(gannet_launcher_start(&launcher));
  assert_ok(gannet_slurm_client_create(&f->options.commands, launcher, f->directory, f->directory,
                                       &client));
  assert_ok(gannet_slurm_client_account(client, JOBS, job, &list, &how));
  assert_int_equal(how, GANNET_SLURM_CALL_TIMED_OUT);
  assert_int_equal(calls_of(f, "sacct"), 1);
  gannet_slurm_client_destroy(&client);
  f->options.commands.timeout = 60; /* in which a busy machine answers */
  assert_ok(gannet_slurm_client_create(&f->options.commands, launcher, f->directory, f->directory,
                                       &client));
  write_file(f->directory, "sacct.hang", "0\n", 0644);
  assert_ok(gannet_slurm_client_account(client, JOBS, job, &list, &how));
  assert_int_equal(how, GANNET_SLURM_CALL_DONE);
  assert_int_equal(calls_of(f, "sacct"), 4);
  gannet_slurm_list_release(&list);
  gannet_slurm_client_destroy(&client);
  gannet_launcher_stop(&launcher);
}

/* A site with several clusters: what lists and explains jobs asks the one that they were given to.
 */
static void the_cluster_that_was_chosen_is_asked(void **state) {
  standin *f = *state;
  gannet_launcher *launcher = NULL;
  gannet_slurm_client *client = NULL;
  gannet_slurm_list list = {0};
  gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
  const gannet_slurm_job_key job = {"7", "n"};
  write_file(f->directory, "squeue",
             "#!/bin/sh\necho CLUSTER: serial\necho "
             "\"7|RUNNING|$SLURM_CLUSTERS$SLURM_JOB_ID-$SLURM_JWT|n|/d|\"\n",
             0755);
  (void)setenv("SLURM_CLUSTERS", "serial", 1);
  (void)setenv("SLURM_JOB_ID", "1", 1);
  (void)setenv("SLURM_JWT", "token", 1); /* by which some sites know the user */
  assert_ok(gannet_launcher_start(&launcher));
  assert_ok(gannet_slurm_client_create(&f->options.commands, launcher, f->directory, f->directory,
                                       &client));
  assert_ok(gannet_slurm_client_list(client, &list, &how));
  assert_int_equal(list.n, 1);
  assert_string_equal(list.row[0].nodes, "serial-token");
  gannet_slurm_list_release(&list);
  assert_ok(gannet_slurm_client_account(client, 1, &job, &list, &how));
  assert_non_null(strstr(content(f->directory, "calls"), " --clusters=serial"));
  gannet_slurm_list_release(&list);
  gannet_slurm_client_destroy(&client);
  gannet_launcher_stop(&launcher);
  (void)unsetenv("SLURM_CLUSTERS");
  (void)unsetenv("SLURM_JOB_ID");
  (void)unsetenv("SLURM_JWT");
}

/* With them every job would be an array, or sbatch would not answer before its end. */
static void variables_that_make_other_jobs_are_not_for_sbatch(void **state) {
  standin *f = *state;
  gannet_launcher *launcher = NULL;
  gannet_slurm_client *client = NULL;
  gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
  char id[GANNET_SLURM_ID] = "";
  const char *const nothing[] = {NULL};
  write_file(f->directory, "sbatch",
             "#!/bin/sh\n[ \"$SBATCH_ARRAY_INX$SBATCH_WAIT$SBATCH_QOS\" = low ] && echo 7\n", 0755);
  (void)setenv("SBATCH_ARRAY_INX", "0-3", 1);
  (void)setenv("SBATCH_WAIT", "1", 1);
  (void)setenv("SBATCH_QOS", "low", 1);
  assert_ok(gannet_launcher_start(&launcher));
  assert_ok(gannet_slurm_client_create(&f->options.commands, launcher, f->directory, f->directory,
                                       &client));
  assert_ok(gannet_slurm_client_submit(client, nothing, nothing, id, &how));
  assert_int_equal(how, GANNET_SLURM_CALL_DONE);
  assert_string_equal(id, "7");
  gannet_slurm_client_destroy(&client);
  gannet_launcher_stop(&launcher);
  (void)unsetenv("SBATCH_ARRAY_INX");
  (void)unsetenv("SBATCH_WAIT");
  (void)unsetenv("SBATCH_QOS");
}

/* Each part of a heterogeneous job has a line, as of squeue 22.05; one that ended does not end it.
 */
static void parts_of_a_job_are_one_job(void **state) {
  standin *f = *state;
  gannet_launcher *launcher = NULL;
  gannet_slurm_client *client = NULL;
  gannet_slurm_list list = {0};
  gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
  write_file(f->directory, "squeue",
             "#!/bin/sh\necho '28+0|COMPLETED|n1|a|/d|None'\necho '28+1|RUNNING|n2|a|/d|None'\n"
             "echo '3|PENDING||b|/d|None'\n",
             0755);
  assert_ok(gannet_launcher_start(&launcher));
  assert_ok(gannet_slurm_client_create(&f->options.commands, launcher, f->directory, f->directory,
                                       &client));
  assert_ok(gannet_slurm_client_list(client, &list, &how));
  assert_int_equal(list.n, 2);
  const gannet_slurm_job_key job = {"28", "a"};
  assert_non_null(gannet_slurm_list_find(&list, &job));
  assert_string_equal(gannet_slurm_list_find(&list, &job)->state, "RUNNING");
  gannet_slurm_list_release(&list);
  gannet_slurm_client_destroy(&client);
  gannet_launcher_stop(&launcher);
}

/* A site may have its own sacct, which shows four columns whatever it is asked for. */
static void a_row_without_a_name_is_known_by_its_number(void **state) {
  char text[] = "5|COMPLETED|0:0|n1\n6|FAILED|1:0|n1|b\n";
  const gannet_slurm_job_key nameless = {"5", "a"}, other = {"6", "a"};
  gannet_slurm_list list = {0};
  (void)state;
  assert_ok(gannet_slurm_parse_sacct(text, &list));
  assert_non_null(gannet_slurm_list_find(&list, &nameless));
  assert_string_equal(gannet_slurm_list_find(&list, &nameless)->nodes, "n1");
  assert_null(gannet_slurm_list_find_other(&list, &nameless));
  assert_null(gannet_slurm_list_find(&list, &other));
  assert_string_equal(gannet_slurm_list_find_other(&list, &other)->name, "b");
  gannet_slurm_list_release(&list);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, standin_set_up, standin_tear_down)

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      TEST(a_cancel_that_fails_in_part_is_told),
      TEST(accounting_without_an_answer_is_asked_once),
      TEST(the_cluster_that_was_chosen_is_asked),
      TEST(variables_that_make_other_jobs_are_not_for_sbatch),
      TEST(parts_of_a_job_are_one_job),
      TEST(a_row_without_a_name_is_known_by_its_number),
  };
  MPI_Init(&argc, &argv);
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
