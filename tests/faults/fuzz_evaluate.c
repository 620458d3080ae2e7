/* What simulations, launchers and SLURM leave and print, and the decks of simulations. */
#define _GNU_SOURCE /* memmem */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complaints.h"
#include "base/memory.h"
#include "evaluate/contract/contract.h"
#include "evaluate/contract/output_files.h"
#include "evaluate/result_record.h"
#include "evaluate/slurm/answers.h"
#include "fuzz.h"

/* A result has a reason or numbers. */
static bool check_result(const gannet_result_record *result) {
  const bool done = result->status == GANNET_EVAL_DONE;
  if (result->status == GANNET_EVAL_PENDING) fuzz_wrong("no result");
  if (!done && !*result->run.reason) fuzz_wrong("a failure without a reason");
  if (done && isinf(result->objective)) fuzz_wrong("done with objective %g", result->objective);
  int known = !isnan(result->objective);
  for (int j = 0; done && j < fuzz_problem->spec.n_constraints; ++j) {
    if (isinf(result->constraints[j])) fuzz_wrong("done with a constraint that is not finite");
    known += !isnan(result->constraints[j]);
  }
  if (done && known == 0) fuzz_wrong("done without any number");
  return done;
}

static bool read_results(const gannet_patterns *patterns) {
  double constraint[1];
  gannet_result_record result = {.constraints = constraint};
  const gannet_outcome_rules rules = {
      .patterns = patterns, .time_limit = INFINITY, .limits = {.patience = 5}};
  gannet_result_clear(1, &result);
  gannet_contract_read_results(fuzz_problem, &rules, fuzz_folder, &result);
  const bool is_done = check_result(&result);
  gannet_results_release(1, &result);
  return is_done;
}

static bool results(char *bytes, size_t size) {
  fuzz_put("results.out", bytes, size);
  fuzz_put("stdout.log", "", 0);
  const gannet_patterns none = {0};
  const bool done = read_results(&none);
  (void)gannet_contract_is_torn(fuzz_folder);
  return done;
}

/* "name=regex" on the first line, what a simulation prints after it. */
static bool patterns(char *bytes, size_t size) {
  char *end = memchr(bytes, '\n', size), *items[2] = {bytes, NULL};
  const gannet_text_list list = {1, items};
  gannet_complaints complaints = {0};
  gannet_patterns found = {0};
  if (!end) return false;
  *end = '\0';
  const char *rest = strncmp(bytes, "mass", 4) == 0 ? "objective 1\n" : "mass 2\n";
  fuzz_put("results.out", rest, strlen(rest));
  fuzz_put("stdout.log", end + 1, size - (size_t)(end + 1 - bytes));
  const gannet_err err = gannet_patterns_create(&list, fuzz_problem, &complaints, &found);
  fuzz_refusal(err);
  const bool accepted = err == GANNET_OK && complaints.count == 0 && read_results(&found);
  gannet_patterns_release(&found);
  gannet_complaints_release(&complaints);
  return accepted;
}

/* The name of a column on the first line, a table after it; all rows, and the last two. */
static bool table(char *bytes, size_t size) {
  static const gannet_rows rows[] = {{GANNET_ROWS_ALL, 0}, {GANNET_ROWS_LAST, 2}};
  char *end = memchr(bytes, '\n', size), why[200], path[PATH_MAX];
  bool any = false;
  if (!end || end == bytes) return false;
  *end = '\0';
  fuzz_put("table", end + 1, size - (size_t)(end + 1 - bytes));
  (void)snprintf(path, sizeof path, "%s/table", fuzz_folder);
  for (int i = 0; i < 2; ++i) {
    double value = 0.5;
    const gannet_output output = {.column = bytes, .rows = rows[i], .take = GANNET_TAKE_MEAN};
    const gannet_table_end ended =
        gannet_output_file_take(path, "table", &output, NULL, &value, why, sizeof why);
    if (ended != GANNET_TABLE_TAKEN && !*why) fuzz_wrong("no number, and no reason");
    any = any || ended == GANNET_TABLE_TAKEN;
  }
  return any;
}

static bool attempt(char *bytes, size_t size) {
  gannet_attempt_info sight;
  gannet_submission_element place;
  char job[GANNET_JOB_SIZE];
  fuzz_put("attempt.json", bytes, size);
  const bool seen = gannet_attempt_read(fuzz_folder, &sight);
  gannet_attempt_read_submission(fuzz_folder, &place);
  const uint64_t nonce = gannet_attempt_nonce(fuzz_folder, job, sizeof job);
  if (gannet_attempt_has_nonce(fuzz_folder, 255, job, sizeof job) && nonce != 255)
    fuzz_wrong("the attempt of another nonce is found");
  return seen;
}

static bool outcome(char *bytes, size_t size) {
  gannet_launch_event event;
  char host[GANNET_HOST_SIZE];
  const char *at = strstr(bytes, "\"nonce\": \"");
  const uint64_t nonce = at ? strtoull(at + 10, NULL, 16) : 0;
  fuzz_put("outcome.json", bytes, size);
  return gannet_contract_find_outcome(fuzz_folder, nonce, &event, host);
}

static void check_rows(const gannet_slurm_list *list) {
  for (int i = 0; i < list->n; ++i)
    if (!*list->row[i].job || !memchr(list->row[i].state, '\0', sizeof list->row[i].state))
      fuzz_wrong("a row without a job");
}

static bool squeue(char *bytes, size_t size) {
  gannet_slurm_list list = {0};
  (void)size;
  fuzz_refusal(gannet_copy_text(bytes, &list.text));
  fuzz_refusal(gannet_slurm_parse_squeue(&list));
  check_rows(&list);
  const bool any = list.n > 0;
  gannet_slurm_list_release(&list);
  return any;
}

static bool sacct(char *bytes, size_t size) {
  gannet_slurm_list list = {0};
  (void)size;
  fuzz_refusal(gannet_slurm_parse_sacct(bytes, &list));
  check_rows(&list);
  const bool any = list.n > 0;
  gannet_slurm_list_release(&list);
  return any;
}

static bool scontrol(char *bytes, size_t size) {
  gannet_slurm_list list = {0};
  (void)size;
  fuzz_refusal(gannet_slurm_parse_scontrol(bytes, "123", &list));
  check_rows(&list);
  const bool any = list.n > 0;
  gannet_slurm_list_release(&list);
  return any;
}

static bool sbatch(char *bytes, size_t size) {
  char job[GANNET_SLURM_ID] = "";
  (void)size;
  if (gannet_slurm_parse_job(bytes, job)) return false;
  if (!*job) fuzz_wrong("a job without a number");
  return true;
}

/* Whether a text can be replaced as a template, a script and a text of the campaign file; one
 * without an opening delimiter stays as it is. */
static bool substitute(const gannet_contract *contract, const char *text, size_t size) {
  const double x[] = {0.1, -2.5, 1};
  const gannet_request request = {.id = 42, .attempt = 1, .seed = UINT64_MAX, .x_user = x};
  gannet_bindings bindings = {0};
  bool accepted = true;
  if (gannet_bindings_create(contract, &request, "/e", 3, &bindings) != GANNET_OK) exit(2);
  for (int kind = GANNET_IN_TEMPLATE; kind <= GANNET_IN_CAMPAIGN; ++kind) {
    const gannet_delimiters delimiters =
        gannet_contract_delimiters(contract, (gannet_text_kind)kind);
    char *out = NULL;
    size_t length = 0;
    const gannet_err err = gannet_substitute(contract, &bindings, (gannet_text_kind)kind, "deck",
                                             text, size, &out, &length);
    fuzz_refusal(err);
    accepted = accepted && err == GANNET_OK;
    bool any = false;
    for (int i = 0; i < delimiters.n; ++i)
      any = any || memmem(text, size, delimiters.pair[i].opening,
                          strlen(delimiters.pair[i].opening)) != NULL;
    if (err == GANNET_OK && !any && (length != size || memcmp(out, text, size) != 0))
      fuzz_wrong("a text without placeholders has changed");
    gannet_free(&out);
  }
  gannet_bindings_release(&bindings);
  return accepted;
}

/* Delimiters on the first line, "" = braces; a template after it. */
static bool placeholders(char *bytes, size_t size) {
  char *end = memchr(bytes, '\n', size), *items[] = {bytes, NULL};
  if (!end) return false;
  *end = '\0';
  const gannet_text_list list = {*bytes ? 1 : 0, items};
  gannet_delimiters delimiters;
  if (gannet_delimiters_read(&list, &delimiters)) return false;
  const gannet_contract contract = {.problem = fuzz_problem,
                                    .evaluations = "/e",
                                    .input_directory = "/i",
                                    .delimiters = &delimiters};
  return substitute(&contract, end + 1, size - (size_t)(end + 1 - bytes));
}

const fuzz_target fuzz_evaluate_targets[] = {
    {.name = "placeholders",
     .key = 21,
     .share = 100,
     .parse = placeholders,
     .text = {"\nset x {x1} {x2:8.4f} {kind:8}\n${x1} \\{x1} {id:06d} {x1:+.3e}{x2:<12.5D}|\n",
              "@@\n  x1 @x1:12.4g@\n @kind@ a@b.c @seed@ @@ \\@x2@\n",
              "<<>>\n<<x1>> <<x2:^9.2f>> <x1> << x1 >> <<params>> <<results>>\n",
              "\nawk '{print $1}' f; {slot} {input_directory} {{x1}} {x1:{x2}} {x1:999999.3f}\n"}},
    {.name = "results",
     .key = 4,
     .share = 100,
     .parse = results,
     .file = {"evals/000000/results.out"},
     .text = {"objective 1.5\nmass 2\n", "{\"objective\": 1.5, \"mass\": 2}\n",
              "# comment\nmass 2d0\nobjective -1.5-3\n", "fail it diverged\n",
              "objective\t1\r\nmass\t2\r\n", "mass 9 +- 0.5\nobjective missing\n"}},
    {.name = "patterns",
     .key = 5,
     .share = 30,
     .parse = patterns,
     .text = {"mass=mass ([0-9]+)\nmass 12\n", "objective=^drag: *([^ ]*)\ndrag:   1.5 N\n",
              "mass=(.{8})\n  12.5000\n", "objective=cost,([^,]*),\nx\ncost,12,5\n"}},
    {.name = "table",
     .key = 23,
     .share = 30,
     .parse = table,
     .text = {"Cd\n# Time Cd Cl\n0 1 2\n1 1.5D+00 3\n", "b\na,\"b\",c\r\n1,2,3\r\n4,nan,\r\n",
              "2\n0.1 ((1 2) (3 4))\n", "x y\n\"x y\";z\n1;2,5\n\n"}},
    {.name = "attempt",
     .key = 11,
     .share = 60,
     .parse = attempt,
     .file = {"evals/000000/attempt.json"},
     .text = {"{\"attempt\": 1, \"nonce\": \"00000000000000ff\", \"pid\": 0, \"host\": \"h\", "
              "\"started\": 1.5, \"job\": \"12_3\", \"slot\": 1,"
              " \"submitted\": 1.25, \"shipment\": \"c-1\", \"element\": 3, \"runs\": 2}"}},
    {.name = "outcome",
     .key = 12,
     .share = 60,
     .parse = outcome,
     .file = {"evals/000000/outcome.json"}},
    {.name = "squeue",
     .key = 13,
     .share = 60,
     .parse = squeue,
     .text = {"123|RUNNING|node[1-3]|c-1|/home/a b/c|None\n124_5|PENDING||c-2|/x|Resources\n",
              "125_[1-9]|PENDING||c-3|/y|Priority\n"}},
    {.name = "sacct",
     .key = 14,
     .share = 60,
     .parse = sacct,
     .text = {"123|COMPLETED|0:0|node1|c-1\n123.batch|COMPLETED|0:0|node1|batch\n124_5|CANCELLED "
              "by 1000|0:15|node1|c-2\n"}},
    {.name = "scontrol",
     .key = 15,
     .share = 60,
     .parse = scontrol,
     .text = {"JobId=123 JobName=c-1 UserId=a(1) JobState=FAILED Reason=NonZeroExitCode "
              "ExitCode=1:0 NodeList=node1\n",
              "JobId=130 ArrayJobId=123 ArrayTaskId=4 JobName=c JobState=RUNNING ExitCode=0:0 "
              "NodeList=(null)\n"}},
    {.name = "sbatch",
     .key = 16,
     .share = 60,
     .parse = sbatch,
     .text = {"123\n", "123;cluster\n", "sbatch: warning\n123\n", "Submitted batch job 123\n"}},
    {0}};
