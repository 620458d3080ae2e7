/* A run is a method on a problem with a seed. It is made on one rank alone.
 *
 * Everything is a function of the campaign input and the seed: the same run gives the same course
 * (but for its times) on any rank of a job of any size.
 */
#ifndef GANNET_SUITE_RUN_H
#define GANNET_SUITE_RUN_H

#include "suite/record.h"
#include "suite/subject.h"

typedef struct {
  const suite_plan *plan;
  const char *directory; /* of the suite's results */
  gannet_launcher *launcher;
  const suite_watch *watch;
} suite_bench;

/* Make a run. An error of the optimiser or of the back-end ends the run, and the record tells it.
 * Failed evaluations are data, unless all of them failed: then the run has failed.
 *
 * Local. Communicates on MPI_COMM_SELF only.
 *
 * record   out  to be released
 * stopped  out  the watch wanted to stop at once; the record is of no use
 *
 * Errors: GANNET_ERR_MEMORY for the record itself.
 */
GANNET_CHECKED gannet_err suite_run(const suite_bench *bench, suite_cell cell, suite_record *record,
                                    bool *stopped);

#endif
