#include "evaluate/slurm_states.h"

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

bool gannet_slurm_is_stuck(const char *why) {
  static const char *const phrase[] = {
      "Held",
      "held", /* JobHeldUser, "launch failed requeued held" */
      "DependencyNeverSatisfied",
      "BadConstraints",
      "PartitionDown",
      "PartitionInactive",
      "PartitionNodeLimit",
      "PartitionTimeLimit",
      "PerJob", /* limits of associations and qualities of service that the job alone exceeds */
      "InvalidAccount",
      "InvalidQOS",
      "ReservationDeleted",
  };
  for (size_t i = 0; i < sizeof phrase / sizeof *phrase; ++i)
    if (strstr(why, phrase[i])) return true;
  return false;
}

gannet_slurm_refusal gannet_slurm_refusal_find(const char *said) {
  static const struct {
    const char *phrase;
    gannet_slurm_refusal what;
  } table[] = {
      {"timed out", GANNET_SLURM_MAYBE_TAKEN}, /* "Socket timed out on send/recv operation" */
      {"Zero Bytes were transmitted", GANNET_SLURM_MAYBE_TAKEN},
      {"Unexpected message received", GANNET_SLURM_MAYBE_TAKEN},
      {"nvalid partition", GANNET_SLURM_REFUSED},
      {"nvalid account", GANNET_SLURM_REFUSED},
      {"nvalid qos", GANNET_SLURM_REFUSED},
      {"nvalid feature", GANNET_SLURM_REFUSED},
      {"nvalid generic resource", GANNET_SLURM_REFUSED},
      {"nvalid node count", GANNET_SLURM_REFUSED},
      {"nvalid wckey", GANNET_SLURM_REFUSED},
      {"nvalid numeric value", GANNET_SLURM_REFUSED},
      {"nvalid license", GANNET_SLURM_REFUSED},
      {"nvalid node name", GANNET_SLURM_REFUSED},
      {"nvalid Trackable RESource", GANNET_SLURM_REFUSED},
      {"is not a valid node count", GANNET_SLURM_REFUSED},
      {"Maximum node count", GANNET_SLURM_REFUSED},
      {"time limit is invalid", GANNET_SLURM_REFUSED},
      {"nvalid --", GANNET_SLURM_REFUSED},
      {"unrecognized option", GANNET_SLURM_REFUSED},
      {"unrecognized --", GANNET_SLURM_REFUSED},
      {"unknown option", GANNET_SLURM_REFUSED},
      {"invalid option", GANNET_SLURM_REFUSED},
      {"ambiguous", GANNET_SLURM_REFUSED},
      {"requires an argument", GANNET_SLURM_REFUSED},
      {"allow an argument", GANNET_SLURM_REFUSED},
      {"other parameter too long", GANNET_SLURM_REFUSED}, /* the script, too */
      {"node configuration is not available", GANNET_SLURM_REFUSED},
      {"More processors requested than permitted", GANNET_SLURM_REFUSED},
      {"emory specification can not be satisfied", GANNET_SLURM_REFUSED},
      {"must have a leading line", GANNET_SLURM_REFUSED}, /* "#!" */
      {"ermission denied", GANNET_SLURM_REFUSED},
      {"User not allowed", GANNET_SLURM_REFUSED},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
    if (strstr(said, table[i].phrase)) return table[i].what;
  return GANNET_SLURM_TRY_LATER;
}
