#include "evaluate/slurm/states.h"

#include <string.h>

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

/* No job is there after them, but the same call may succeed another time. */
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

/* What the controller answered stands behind the last "Batch job submission failed"; a site's own
 * filter may write anything before it. */
static const char *answer_in(const char *said) {
  static const char mark[] = "submission failed: ";
  const char *last = NULL;
  for (const char *at = said; (at = strstr(at, mark)); at += sizeof mark - 1)
    last = at + sizeof mark - 1;
  return last;
}

gannet_slurm_refusal gannet_slurm_refusal_find(const char *said) {
  const char *answer = answer_in(said);
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
