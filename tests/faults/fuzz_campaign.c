/* What users and gannet itself write. */
#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complaints.h"
#include "base/memory.h"
#include "base/option.h"
#include "campaign/config/candidates.h"
#include "campaign/config/config.h"
#include "campaign/config/tree.h"
#include "campaign/run/campaign.h"
#include "campaign/run/record.h"
#include "fuzz.h"
#include "problem/expression.h"
#include "store/journal_scan.h"
#include "store/lock.h"
#include "store/state_file.h"
#include "suite/plan_parts.h"

enum { SCHEMA = 1000 }; /* newer than any, so that a number that is not right is no reason */

const gannet_problem *fuzz_problem;
static gannet_campaign_input *campaign;

/* Complaints are there when the input is refused for them, and say something. */
static void check_complaints(gannet_err err, const gannet_complaints *complaints) {
  if (err == GANNET_ERR_INPUT && complaints->count > 0 && (!complaints->text || !*complaints->text))
    fuzz_wrong("complaints without a text");
  if (err == GANNET_OK && complaints->count > 0) fuzz_wrong("accepted with complaints");
  fuzz_refusal(err);
}

static gannet_err parse_campaign(const char *bytes, size_t size, int n_sets,
                                 const char *const *sets, gannet_campaign_input **input) {
  const gannet_campaign_source source = {
      .file = "c.yaml", .text = bytes, .size = size, .n_sets = n_sets, .sets = sets};
  gannet_complaints complaints = {0};
  const gannet_err err = gannet_campaign_parse(&source, input, &complaints);
  check_complaints(err, &complaints);
  gannet_complaints_release(&complaints);
  return err;
}

/* The effective configuration of what was read is read to the same again. */
static void check_campaign(const gannet_campaign_input *input) {
  char *text = NULL, *again = NULL;
  gannet_campaign_input *second = NULL;
  gannet_err err = gannet_campaign_format(input, &text, NULL);
  fuzz_refusal(err);
  if (err != GANNET_OK) return;
  if (parse_campaign(text, strlen(text), 0, NULL, &second) != GANNET_OK)
    fuzz_wrong("the effective configuration is refused:\n%s", text);
  else if (gannet_campaign_format(second, &again, NULL) == GANNET_OK && strcmp(text, again) != 0)
    fuzz_wrong("the effective configuration is another one:\n%s---\n%s", text, again);
  gannet_campaign_destroy(&second);
  gannet_free(&text);
  gannet_free(&again);
}

static bool campaign_file(char *bytes, size_t size) {
  gannet_campaign_input *input = NULL;
  if (parse_campaign(bytes, size, 0, NULL, &input) != GANNET_OK) return false;
  check_campaign(input);
  gannet_campaign_destroy(&input);
  return true;
}

static bool override(char *bytes, size_t size) {
  static const char text[] =
      "method: gp-ts\nvariables: {x: {lower: 0, upper: 1}}\nbudget: {evaluations: 10}\n"
      "evaluate: {backend: manual}\n";
  const char *sets[] = {bytes};
  gannet_campaign_input *input = NULL;
  (void)size;
  if (parse_campaign(text, sizeof text - 1, 1, sets, &input) != GANNET_OK) return false;
  check_campaign(input);
  gannet_campaign_destroy(&input);
  return true;
}

static bool suite(char *bytes, size_t size) {
  gannet_tree_file tree = {0};
  gannet_complaints complaints = {0};
  suite_plan plan = {0};
  suite_nodes nodes = {0};
  gannet_err err = gannet_tree_parse("s.yaml", bytes, size, &tree, &complaints);
  if (err == GANNET_OK && tree.usable)
    err = suite_plan_read("s.yaml", &tree.root, &plan, &nodes, &complaints);
  const bool accepted = err == GANNET_OK && tree.usable && complaints.count == 0;
  if (err == GANNET_OK) err = gannet_complaints_raise(&complaints);
  check_complaints(err, &complaints);
  gannet_free(&nodes.problem);
  gannet_free(&nodes.method);
  suite_plan_release(&plan);
  gannet_tree_release(&tree);
  gannet_complaints_release(&complaints);
  return accepted;
}

static gannet_err count(void *user, int64_t sequence, const char *payload, size_t length) {
  int64_t *n = user;
  if (sequence != ++*n)
    fuzz_wrong("record %lld is number %lld", (long long)sequence, (long long)*n);
  if (strlen(payload) != length) fuzz_wrong("a payload of another length");
  return GANNET_OK;
}

static gannet_err pass(void *user, int64_t sequence, const char *payload, size_t length) {
  (void)user, (void)sequence, (void)payload, (void)length;
  return GANNET_OK;
}

static bool journal(char *bytes, size_t size) {
  gannet_journal_report report = {0};
  int64_t n = 0;
  gannet_err err = gannet_journal_scan(bytes, size, "journal", SCHEMA, &report);
  fuzz_refusal(err);
  if (err != GANNET_OK) {
    fuzz_refusal(gannet_journal_visit_sound(bytes, size, pass, NULL));
    return false;
  }
  if (report.good_bytes + report.dropped_bytes > (int64_t)size)
    fuzz_wrong("more bytes than there are");
  fuzz_refusal(gannet_journal_visit_all(bytes, report.good_bytes, count, &n));
  if (n != report.records) fuzz_wrong("other records are visited than counted");
  return true;
}

/* A journal whose lines are sound, and one of them not as gannet writes it: the whole directory is
 * read, as `gannet status` does. */
static bool replay(char *bytes, size_t size) {
  static char whole[1 << 19];
  gannet_campaign query = {0};
  char path[400];
  size_t used = gannet_journal_format_header(1, 7, whole);
  int64_t sequence = 0;
  (void)size;
  for (char *line = bytes, *end; line && *line; line = end ? end + 1 : NULL) {
    if ((end = strchr(line, '\n'))) *end = '\0';
    if (used + strlen(line) + GANNET_JOURNAL_LINE_ROOM > sizeof whole) break;
    used += gannet_journal_format_record(++sequence, line, whole + used);
  }
  fuzz_put("d/journal", whole, used);
  (void)snprintf(path, sizeof path, "%s/d", fuzz_folder);
  const gannet_err err = gannet_campaign_query(path, true, &query);
  fuzz_refusal(err);
  gannet_campaign_close(&query);
  return err == GANNET_OK;
}

static const char *payload_of(const char *line, const char *end) {
  const char *brace = memchr(line, '{', (size_t)(end - line));
  return brace;
}

static bool record(char *bytes, size_t size) {
  gannet_record parsed = {0};
  const gannet_err err = gannet_record_parse(fuzz_problem, bytes, size, &parsed);
  fuzz_refusal(err);
  gannet_record_release(&parsed);
  return err == GANNET_OK;
}

static bool state(char *bytes, size_t size) {
  char path[400];
  fuzz_put("state.h5", bytes, size);
  (void)snprintf(path, sizeof path, "%s/state.h5", fuzz_folder);
  const gannet_err err = gannet_store_verify(path, SCHEMA, NULL);
  fuzz_refusal(err);
  return err == GANNET_OK;
}

static bool saved(char *bytes, size_t size) {
  char path[400];
  bool sealed = false;
  fuzz_put("saved.yaml", bytes, size);
  (void)snprintf(path, sizeof path, "%s/saved.yaml", fuzz_folder);
  const gannet_err err = gannet_effective_check(path, &sealed);
  fuzz_refusal(err);
  return err == GANNET_OK;
}

static gannet_err take_row(void *user, const double *x, char *const *texts) {
  (void)user, (void)texts;
  for (int k = 0; k < fuzz_problem->spec.n_variables; ++k)
    if (!isfinite(x[k])) fuzz_wrong("a candidate that is not finite");
  return GANNET_OK;
}

static gannet_err take_names(void *user, int n, char *const *names, bool *enough) {
  (void)user, (void)n, (void)names, (void)enough;
  return GANNET_OK;
}

static bool candidates(char *bytes, size_t size) {
  char path[400];
  fuzz_put("list.csv", bytes, size);
  (void)snprintf(path, sizeof path, "%s/list.csv", fuzz_folder);
  const gannet_candidates_csv about = {
      .path = path, .problem = fuzz_problem, .others = take_names, .row = take_row};
  const gannet_err err = gannet_candidates_csv_read(&about);
  fuzz_refusal(err);
  return err == GANNET_OK;
}

static bool candidates_of_hdf5(char *bytes, size_t size) {
  char path[400];
  double *rows = NULL;
  int64_t n = 0;
  fuzz_put("list.h5", bytes, size);
  (void)snprintf(path, sizeof path, "%s/list.h5", fuzz_folder);
  const gannet_err err = gannet_candidates_file_read(path, fuzz_problem, &n, &rows);
  fuzz_refusal(err);
  gannet_problem *problem = NULL; /* the list is judged by the problem that takes it */
  if (err == GANNET_OK && gannet_problem_create(&fuzz_problem->spec, &problem) != GANNET_OK)
    exit(2);
  if (err == GANNET_OK)
    fuzz_refusal(gannet_problem_set_candidates(problem, MPI_COMM_SELF, n, rows));
  gannet_problem_destroy(&problem);
  gannet_free(&rows);
  return err == GANNET_OK;
}

/* A list of candidates in HDF5, as h5py writes it: a dataset per variable. */
static void make_list(void) {
  static const double values[3][4] = {{1, 2, 3, 4}, {0.5, 1.5, 2.5, 3.5}, {0, 1, 0, 1}};
  static const char *const names[] = {"x1", "x2", "kind"};
  const hsize_t length = 4;
  char path[400];
  (void)snprintf(path, sizeof path, "%s/c/list.h5", fuzz_folder);
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(1, &length, NULL);
  for (int k = 0; k < 3; ++k) {
    const hid_t set =
        H5Dcreate2(file, names[k], H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values[k]) < 0) exit(2);
    (void)H5Dclose(set);
  }
  (void)H5Sclose(space);
  if (H5Fclose(file) < 0) exit(2);
}

static bool lock_file(char *bytes, size_t size) {
  gannet_lock_holder holder;
  char path[400];
  fuzz_put("lock", bytes, size);
  (void)snprintf(path, sizeof path, "%s/lock", fuzz_folder);
  gannet_lock_look(path, &holder);
  return holder.pid != 0;
}

static bool expression(char *bytes, size_t size) {
  static const char *const names[] = {"x1", "x2", "kind"};
  const double x[] = {0.5, 2, 1};
  gannet_expression *compiled = NULL;
  (void)size;
  const gannet_err err = gannet_expression_create(bytes, 3, names, &compiled);
  fuzz_refusal(err);
  if (err == GANNET_OK) (void)gannet_expression_value(compiled, x);
  gannet_expression_destroy(&compiled);
  return err == GANNET_OK;
}

/* A number that was read and written is the same number. */
static bool real(char *bytes, size_t size) {
  double value = NAN, again = NAN, seconds = NAN;
  char text[40];
  int64_t number = 0;
  (void)size;
  (void)gannet_parse_duration(bytes, &seconds);
  (void)gannet_parse_size(bytes, &number);
  if (gannet_parse_number(bytes, &value)) return false;
  (void)snprintf(text, sizeof text, "%.17g", value);
  if (!isfinite(value) || gannet_parse_number(text, &again) || again != value)
    fuzz_wrong("'%s' is %g, and then %g", bytes, value, again);
  return true;
}

#define CAMPAIGN_END "budget: {evaluations: 10}\nevaluate: {backend: manual}\n"

const fuzz_target fuzz_campaign_targets[] = {
    {.name = "campaign",
     .key = 1,
     .share = 60,
     .parse = campaign_file,
     .file = {"campaign.yaml"},
     .inputs = "",
     .text =
         {"method: gp-ts\nvariables: {x: {lower: 1e-3, upper: 1, scale: log}, b: {type: boolean}}\n"
          "physics:\n  points: 9\n  equations:\n    - {terms: [{derivative: [x], coefficient: "
          "'sin(x)'}], rhs: 1}\n" CAMPAIGN_END,
          "name: \"a b\"\nmethod: auto\ngoal: maximize\nnoise: auto\nvariables:\n  n: {type: "
          "integer, lower: 1, upper: 8}\n"
          "  k: {type: categorical, values: [a, 'b c', \"d\\te\"]}\nconstraints: {m: {lower: 0.1, "
          "upper: 3}}\n"
          "save: {interval: 30s, batches: 2}\nlog: {level: debug}\n" CAMPAIGN_END,
          "method: sobol\nvariables: {x: {lower: 0, upper: 1}}\nbudget: {wall_time: 1:30:00, "
          "failures: {rate: 0.5}}\n"
          "evaluate:\n  backend: slurm\n  command: [./s, '{x}']\n  environment: [A=1]\n  sbatch: "
          "['--time=5']\n"
          "  pattern: ['objective=^drag: *([^ ]*)']\n  bad_luck_exit_codes: [1, 2]\n  "
          "infeasible_text: [bad]\n",
          "method: sobol\nvariables: {x: {lower: 0, upper: 1}}\nunknown_outputs: warn\n"
          "objective: {name: cost, expression: 'drag + 0.01*mass', unit: N}\n"
          "constraints: {m: {expression: mass/2, upper: 3}}\noutputs:\n"
          "  drag: {file: 'a/*/c.dat', column: Cd, rows: last 20, take: mean}\n"
          "  cells: {pattern: '^cells: *([^ ]*)', file: log, unit: \"-\"}\n  "
          "mass:\n" CAMPAIGN_END}},
    {.name = "set",
     .key = 2,
     .share = 60,
     .parse = override,
     .text = {"budget.evaluations=200", "variables.y={lower: 0, upper: 3}", "method=auto",
              "evaluate={backend: function, simulation: branin}", "search.candidates=100",
              "noise=auto", "variables.x.upper=2", "constraints={m: {upper: 1}}"}},
    {.name = "suite", .key = 3, .share = 30, .parse = suite, .inputs = "bench"},
    {.name = "journal", .key = 6, .share = 60, .parse = journal, .file = {"journal"}},
    {.name = "record",
     .key = 7,
     .share = 100,
     .parse = record,
     .file = {"journal"},
     .split = payload_of},
    {.name = "replay", .key = 8, .share = 20, .parse = replay, .file = {"payloads"}},
    {.name = "state", .key = 9, .share = 10, .parse = state, .file = {"state.h5"}},
    {.name = "saved", .key = 10, .share = 30, .parse = saved, .file = {"campaign.yaml"}},
    {.name = "candidates_hdf5",
     .key = 22,
     .share = 30,
     .leaks = true, /* HDF5 1.10 */
     .parse = candidates_of_hdf5,
     .file = {"list.h5"}},
    {.name = "candidates",
     .key = 17,
     .share = 60,
     .parse = candidates,
     .file = {"history.csv"},
     .text = {"x1,x2,kind\n1,2,round\n3,4,\"a, b\"\n", "n,kind,x2,x1\r\n1,round,2,1\r\n"}},
    {.name = "lock",
     .key = 18,
     .share = 60,
     .parse = lock_file,
     .text = {"1234 host\n", "1 a.b.c\n"}},
    {.name = "expression",
     .key = 19,
     .share = 60,
     .parse = expression,
     .text = {"sin(x1)^2 + x2 / kind", "x1 > 1 ? exp(-x2) : pi", "min(x1, x2, 3) - 2e-3*kind",
              "-(x1+2)*(x2-e)"}},
    {.name = "number",
     .key = 20,
     .share = 60,
     .parse = real,
     .text = {"1.5e-3", "-1234567890123", "1d-5", "0.1", "4h", "1:30:00", "90s", "64k"}},
    {0}};

/* Payloads of the journal, one a line, as seeds of whole journals. */
static void make_payloads(void) {
  char command[1200];
  (void)snprintf(command, sizeof command,
                 "cd '%s' && sed -n 's/^[^{]*{/{/p' c/journal | sed 1,1b >c/payloads && mkdir d && "
                 "cp c/campaign.yaml d/campaign.yaml",
                 fuzz_folder);
  if (system(command)) exit(2);
}

void fuzz_begin(void) {
  char path[400], *text = NULL;
  size_t size = 0;
  (void)snprintf(path, sizeof path, "%s/c/campaign.yaml", fuzz_folder);
  if (gannet_campaign_file_read(path, &text, &size) != GANNET_OK ||
      parse_campaign(text, size, 0, NULL, &campaign) != GANNET_OK)
    exit(2);
  gannet_free(&text);
  fuzz_problem = campaign->problem;
  make_payloads();
  make_list();
}

void fuzz_end(void) {
  gannet_campaign_destroy(&campaign);
}
