/* Reading what SLURM's programs print, and what its words mean for an evaluation. */
#include "evaluate/slurm/answers.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* slurm.h job_states and its flags, up to 24.05. */
static const gannet_slurm_state states[] = {
    {"PENDING", GANNET_SLURM_WAITS},
    {"CONFIGURING", GANNET_SLURM_WAITS},
    {"POWER_UP_NODE", GANNET_SLURM_WAITS},
    {"REQUEUED", GANNET_SLURM_WAITS},
    {"REQUEUE_FED", GANNET_SLURM_WAITS},
    {"REQUEUE_HOLD", GANNET_SLURM_WAITS},
    {"RESV_DEL_HOLD", GANNET_SLURM_WAITS},
    {"SPECIAL_EXIT", GANNET_SLURM_WAITS},
    {"SUSPENDED", GANNET_SLURM_WAITS},
    {"STOPPED", GANNET_SLURM_WAITS},
    {"RUNNING", GANNET_SLURM_RUNS},
    {"COMPLETING", GANNET_SLURM_RUNS},
    {"RESIZING", GANNET_SLURM_RUNS},
    {"SIGNALING", GANNET_SLURM_RUNS},
    {"STAGE_OUT", GANNET_SLURM_RUNS},
    {"UPDATE_DB", GANNET_SLURM_RUNS},
    {"COMPLETED", GANNET_SLURM_COMPLETED},
    {"FAILED", GANNET_SLURM_FAILED},
    {"TIMEOUT", GANNET_SLURM_TIME_LIMIT},
    {"DEADLINE", GANNET_SLURM_TIME_LIMIT},
    {"CANCELLED", GANNET_SLURM_BAD_LUCK},
    {"OUT_OF_MEMORY", GANNET_SLURM_BAD_LUCK},
    {"NODE_FAIL", GANNET_SLURM_BAD_LUCK},
    {"PREEMPTED", GANNET_SLURM_BAD_LUCK},
    {"BOOT_FAIL", GANNET_SLURM_BAD_LUCK},
    {"LAUNCH_FAILED", GANNET_SLURM_BAD_LUCK},
    {"RECONFIG_FAIL", GANNET_SLURM_BAD_LUCK},
    {"REVOKED", GANNET_SLURM_BAD_LUCK},
    {"", GANNET_SLURM_UNKNOWN},
};

const gannet_slurm_state *gannet_slurm_state_find(const char *text) {
  const size_t size = strcspn(text, " +\t");
  const gannet_slurm_state *state = states;
  while (*state->name && (strlen(state->name) != size || strncmp(state->name, text, size) != 0))
    ++state;
  return state;
}

bool gannet_slurm_has_ended(const gannet_slurm_state *state) {
  return state->what >= GANNET_SLURM_COMPLETED;
}

bool gannet_slurm_is_suspended(const gannet_slurm_state *state) {
  return strcmp(state->name, "SUSPENDED") == 0 || strcmp(state->name, "STOPPED") == 0;
}

static bool has_any(const char *text, const char *const *phrase) {
  for (; *phrase; ++phrase)
    if (strstr(text, *phrase)) return true;
  return false;
}

/* Limits that a job exceeds by itself. What several jobs exceed together (PerUser, PerAccount, Grp,
 * MaxJobs, MaxSubmit) passes when some of them end. */
static const char *const limits_of_one_job[] = {
    "PerJob",  /* of associations and qualities of service: QOSMaxWallDurationPerJobLimit */
    "PerNode", /* AssocMaxMemPerNode */
    "QOSMin",  /* QOSMinCpuNotSatisfied */
    "MaxMemPerLimit",
    "PartitionTimeLimit",
    "PartitionNodeLimit",
    "AssociationTimeLimit",
    "QOSTimeLimit",
    "InvalidAccount",
    "InvalidQOS",
    "AccountNotAllowed",
    "QOSNotAllowed",
    NULL,
};

bool gannet_slurm_never_starts(const char *why) {
  static const char *const other[] = {"DependencyNeverSatisfied", "BadConstraints",
                                      "ReservationDeleted", NULL};
  return has_any(why, limits_of_one_job) || has_any(why, other);
}

bool gannet_slurm_is_stuck(const char *why) {
  static const char *const phrase[] = {"Held",
                                       "held", /* JobHeldUser, "launch failed requeued held" */
                                       "PartitionDown", "PartitionInactive", NULL};
  return has_any(why, phrase) || gannet_slurm_never_starts(why);
}

/* slurm_errno.c up to 24.05, and what sbatch itself says before it asks the controller. */
static const char *const refused_for_good[] = {
    "nvalid partition",
    "nvalid account",
    "nvalid qos",
    "nvalid feature",
    "nvalid preferred feature",
    "nvalid generic resource",
    "uplicate generic resource",
    "nvalid GRES",
    "nvalid node count",
    "nvalid wckey",
    "nvalid numeric value",
    "nvalid license",
    "nvalid node name",
    "nvalid Trackable RESource",
    "nvalid mcs_label",
    "nvalid time-min",
    "nvalid time specified",
    "nvalid job array",
    "nvalid user id",
    "nvalid group id",
    "nvalid --",
    "urst Buffer request invalid",
    "urst Buffer permission denied",
    "ode count specification invalid",
    "ask count specification invalid",
    "PU count specification invalid",
    "ask distribution specification invalid",
    "ob size specification needs",
    "is not a valid node count",
    "Maximum node count",
    "time limit is invalid",
    "unrecognized option",
    "unrecognized --",
    "unknown option",
    "invalid option",
    "ambiguous",
    "requires an argument",
    "allow an argument",
    "other parameter too long", /* the script, too */
    "node configuration is not available",
    "nodes not in this partition",
    "No partition specified",
    "not permitted to use this partition",
    "More processors requested than permitted",
    "more tasks than available processors",
    "more threads per core than",
    "emory required by task is not available",
    "emory specification can not be satisfied",
    "CPU count per node can not be satisfied",
    "GRES option unsupported",
    "operation not supported on this system",
    "ccess denied to requested reservation",
    "Only batch jobs",
    "ob script not specified",
    "script contains DOS line breaks",
    "must have a leading line", /* "#!" */
    "ermission denied",
    "User not allowed",
    NULL,
};

/* After these words no job is there, but the same call may succeed another time. */
static const char *const refused_for_now[] = {
    "contact slurm controller (connect failure)",
    "Communication connection failure",
    "rotocol authentication error",
    "uthentication credential",
    "Munge encode failed",
    "establish a configuration source",
    "in standby mode",
    "submissions disabled",
    "operation is presently disabled",
    "temporarily unable to accept job",
    "Slurm job queue full",
    "Unable to create job record",
    "odes are busy",
    "I/O error writing script",
    "accounting/QOS policy",
    "accounting policy",
    "usage threshold",
    "urst Buffer resource limit",
    "eservation is invalid",
    "eservation not usable now",
    "eservation is in use",
    "ependency problem",
    "partition not available",
    "artition in DOWN state",
    "partition configuration not available now",
    "node not available",
    "licenses are unavailable",
    "User not found on host",
    "MaxJob",
    "MaxSubmit",
    "SubmitJobs",
    NULL,
};

gannet_slurm_refusal gannet_slurm_refusal_find(const char *said) {
  /* What the controller answered stands behind the last "Batch job submission failed"; a site's own
   * filter may write anything before it. */
  static const char mark[] = "submission failed: ";
  const char *answer = NULL;
  for (const char *at = said; (at = strstr(at, mark)); at += sizeof mark - 1)
    answer = at + sizeof mark - 1;
  /* gannet's launcher, or env, could not start sbatch. */
  if (strncmp(said, "cannot start (", 14) == 0 || strncmp(said, "env: ", 5) == 0)
    return GANNET_SLURM_TRY_LATER;
  /* The limit has a line of its own before an answer that names none. */
  if (!answer || strstr(answer, "accounting/QOS policy") || strstr(answer, "accounting policy")) {
    if (has_any(said, limits_of_one_job)) return GANNET_SLURM_REFUSED;
    answer = said;
  }
  if (has_any(answer, refused_for_now)) return GANNET_SLURM_TRY_LATER;
  return has_any(answer, refused_for_good) ? GANNET_SLURM_REFUSED : GANNET_SLURM_MAYBE_TAKEN;
}

void gannet_slurm_list_release(gannet_slurm_list *list) {
  gannet_free(&list->text);
  gannet_free(&list->row);
  list->n = list->capacity = 0;
}

static gannet_err add_row(gannet_slurm_list *list, const gannet_slurm_row *row) {
  if (list->n == list->capacity) {
    const int larger = 2 * list->capacity + 16;
    GANNET_TRY(
        gannet_resize((size_t)list->capacity, (size_t)larger, sizeof *list->row, &list->row));
    list->capacity = larger;
  }
  list->row[list->n++] = *row;
  return GANNET_OK;
}

/* Take the next part of a text, up to a separator. *at moves behind it, or becomes NULL at the end.
 */
static char *next_part(char **at, char separator) {
  char *part = *at, *end = part ? strchr(part, separator) : NULL;
  if (end) *end++ = '\0';
  *at = end;
  return part;
}

static void copy_part(char *to, size_t size, const char *from, size_t length) {
  (void)snprintf(to, size, "%.*s", (int)(length < size ? length : size - 1), from);
}

int gannet_slurm_parse_job(const char *text, char *job) {
  for (const char *line = text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    const size_t size = strspn(line, "0123456789");
    if (size == 0 || size >= GANNET_SLURM_ID) continue;
    if (!strchr(";\n", line[size])) continue; /* also finds the final zero byte */
    copy_part(job, GANNET_SLURM_ID, line, size);
    return 0;
  }
  return -1;
}

/* Copy the id of a job. Parts of a job that asks for several kinds of nodes are listed as 12+0 and
 * 12+1; they are one job to sbatch, scancel and gannet. */
static void copy_job(gannet_slurm_row *row, const char *job) {
  copy_part(row->job, sizeof row->job, job, strcspn(job, "+"));
}

/* Read a line of squeue; returns -1 when it does not have the expected form. */
static int read_squeue(char *line, gannet_slurm_row *row) {
  char *at = line;
  const char *job = next_part(&at, '|'), *state = next_part(&at, '|'), *nodes = next_part(&at, '|'),
             *name = next_part(&at, '|');
  *row = (gannet_slurm_row){.exit_code = -1, .signal = -1};
  if (!at || !isdigit((unsigned char)job[0])) return -1;
  char *why = strrchr(at, '|'); /* the last one: a directory may have some in its name */
  if (why) {
    *why++ = '\0';
    copy_part(row->why, sizeof row->why, why, strlen(why));
  }
  copy_job(row, job);
  copy_part(row->state, sizeof row->state, state, strlen(state));
  copy_part(row->nodes, sizeof row->nodes, nodes, strlen(nodes));
  copy_part(row->name, sizeof row->name, name, strlen(name));
  row->directory = at;
  return 0;
}

/* Order rows by job and name; of the same job the row comes first that has not ended. */
static int compare_rows(const void *a, const void *b) {
  const gannet_slurm_row *one = a, *other = b;
  int order = strcmp(one->job, other->job);
  if (order == 0) order = strcmp(one->name, other->name);
  if (order) return order;
  return gannet_slurm_has_ended(gannet_slurm_state_find(one->state)) -
         gannet_slurm_has_ended(gannet_slurm_state_find(other->state));
}

static int compare_job(const void *key, const void *row) {
  return strcmp(((const gannet_slurm_job_key *)key)->job, ((const gannet_slurm_row *)row)->job);
}

static int compare_named(const void *key, const void *row) {
  const int order = compare_job(key, row);
  if (order) return order;
  return strcmp(((const gannet_slurm_job_key *)key)->name, ((const gannet_slurm_row *)row)->name);
}

const gannet_slurm_row *gannet_slurm_list_find(const gannet_slurm_list *list,
                                               const gannet_slurm_job_key *job) {
  const gannet_slurm_job_key nameless = {job->job, ""};
  if (list->n == 0) return NULL;
  const gannet_slurm_row *row =
      bsearch(job, list->row, (size_t)list->n, sizeof *list->row, compare_named);
  if (row) return row;
  return bsearch(&nameless, list->row, (size_t)list->n, sizeof *list->row, compare_named);
}

const gannet_slurm_row *gannet_slurm_list_find_other(const gannet_slurm_list *list,
                                                     const gannet_slurm_job_key *job) {
  if (list->n == 0) return NULL;
  const gannet_slurm_row *row =
      bsearch(job, list->row, (size_t)list->n, sizeof *list->row, compare_job);
  return row && row->name[0] && strcmp(row->name, job->name) != 0 ? row : NULL;
}

/* Sort the rows, and keep one row of every job. */
static void put_in_order(gannet_slurm_list *list) {
  int n = 0;
  if (list->n == 0) return;
  qsort(list->row, (size_t)list->n, sizeof *list->row, compare_rows);
  for (int i = 0; i < list->n; ++i)
    if (n == 0 || strcmp(list->row[n - 1].job, list->row[i].job) != 0 ||
        strcmp(list->row[n - 1].name, list->row[i].name) != 0)
      list->row[n++] = list->row[i];
  list->n = n;
}

gannet_err gannet_slurm_parse_squeue(gannet_slurm_list *list) {
  gannet_slurm_row row;
  for (char *at = list->text; at && *at;)
    if (!read_squeue(next_part(&at, '\n'), &row)) GANNET_TRY(add_row(list, &row));
  put_in_order(list);
  return GANNET_OK;
}

/* Read exit code and signal from a text such as "1:0". */
static void read_exit(const char *text, gannet_slurm_row *row) {
  if (sscanf(text, "%d:%d", &row->exit_code, &row->signal) == 2) return;
  row->exit_code = row->signal = -1;
}

gannet_err gannet_slurm_parse_sacct(char *text, gannet_slurm_list *list) {
  for (char *at = text; at && *at;) {
    gannet_slurm_row row = {.exit_code = -1, .signal = -1};
    char *rest = next_part(&at, '\n');
    const char *job = next_part(&rest, '|'), *state = next_part(&rest, '|'),
               *ended = next_part(&rest, '|'), *nodes = next_part(&rest, '|');
    if (!ended || !isdigit((unsigned char)job[0])) continue;
    copy_job(&row, job);
    copy_part(row.state, sizeof row.state, state, strlen(state));
    copy_part(row.nodes, sizeof row.nodes, nodes ? nodes : "", nodes ? strlen(nodes) : 0);
    copy_part(row.name, sizeof row.name, rest ? rest : "", rest ? strlen(rest) : 0);
    read_exit(ended, &row);
    GANNET_TRY(add_row(list, &row));
  }
  put_in_order(list);
  return GANNET_OK;
}

/* Find the value of "Key=value "; returns its size, 0 when there is none. These keys come before
 * all text that a user can write, except for the name of the job, by which the row is recognised.
 */
static size_t value_of(const char *text, const char *key, const char **value) {
  const char *found = strstr(text, key);
  if (!found) return 0;
  *value = found + strlen(key);
  return strcspn(*value, " \n");
}

gannet_err gannet_slurm_parse_scontrol(const char *text, const char *job, gannet_slurm_list *list) {
  gannet_slurm_row row = {.exit_code = -1, .signal = -1};
  const char *value = NULL;
  size_t size = value_of(text, "JobId=", &value);
  if (size == 0) return GANNET_OK;
  copy_part(row.job, sizeof row.job, job, strlen(job));
  size = value_of(text, " JobName=", &value);
  if (size > 0) copy_part(row.name, sizeof row.name, value, size);
  size = value_of(text, " JobState=", &value);
  if (size == 0) return GANNET_OK;
  copy_part(row.state, sizeof row.state, value, size);
  size = value_of(text, " NodeList=", &value);
  if (size > 0) copy_part(row.nodes, sizeof row.nodes, value, size);
  size = value_of(text, " ExitCode=", &value);
  if (size > 0) read_exit(value, &row);
  GANNET_TRY(add_row(list, &row));
  put_in_order(list);
  return GANNET_OK;
}
