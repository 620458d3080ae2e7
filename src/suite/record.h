/* Runs on disk: one sealed file per run, which is whole or not there.
 *
 *   DIR/runs/PROBLEM/METHOD/SEED.h5
 */
#ifndef GANNET_SUITE_RECORD_H
#define GANNET_SUITE_RECORD_H

#include "suite/plan.h"

enum { SUITE_RECORD_SCHEMA = 1, SUITE_REASON_SIZE = 400 };

/* What is known of a run. */
typedef enum {
  SUITE_MISSING, /* to be made */
  SUITE_DONE,
  SUITE_FAILED,  /* it ended by an error; made again when the suite is called again */
  SUITE_CHANGED, /* the suite says something else than the one that the run was made for */
  SUITE_DAMAGED, /* the file cannot be read; made again */
  SUITE_SKIPPED  /* the problem is left out on this machine */
} suite_state;

/* "missing", "done", ... */
extern const char *const suite_state_names[];

typedef struct {
  uint64_t key;                   /* fingerprint of what was run */
  char version[32];               /* of gannet, which made it; "" = unknown */
  char reason[SUITE_REASON_SIZE]; /* of a failure; "" = none */
  suite_course course;            /* as far as it went */
  /* With several objectives the front of a run that is done, without noise; runs of versions before
   * 0.2 have none, n_objectives = 0. */
  int n_objectives, n_front;
  double *front; /* [n_front][n_objectives] minimised */
} suite_record;

/* Path of the directory for the files of a run's evaluations.
 *
 * Local.
 *
 * path  out  [PATH_MAX]
 */
GANNET_CHECKED gannet_err suite_record_scratch(const suite_plan *plan, const char *directory,
                                               suite_cell cell, char *path);

/* Put a run on disk, durably.
 *
 * Local.
 */
GANNET_CHECKED gannet_err suite_record_write(const suite_plan *plan, const char *directory,
                                             suite_cell cell, const suite_record *record);

/* Read a run. A file that is not there, damaged or of another suite is a state, not an error; the
 * record is then without a course, but a damaged file's reason is told.
 *
 * Local.
 *
 * record  out  to be released, also after an error
 */
GANNET_CHECKED gannet_err suite_record_read(const suite_plan *plan, const char *directory,
                                            suite_cell cell, suite_record *record,
                                            suite_state *state);
void suite_record_release(suite_record *record);

#endif
