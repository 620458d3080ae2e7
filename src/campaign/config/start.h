/* Designs that a campaign tries first: the key start, as a list of designs in the campaign file or
 * as the name of a CSV file. A design need not give every variable.
 */
#ifndef GANNET_CAMPAIGN_CONFIG_START_H
#define GANNET_CAMPAIGN_CONFIG_START_H

#include <stdbool.h>
#include <stdint.h>

#include "base/complaints.h"
#include "gannet/problem.h"

/* Most designs to start with. */
enum { GANNET_START_MOST = 100000 };

/* Zeroed, there are none. Free with gannet_start_release. */
typedef struct {
  char *file;        /* CSV file; NULL = the designs are in the campaign file */
  int64_t n;         /* 0 until the file was read */
  double *x;         /* [n][n_variables] in the user's units; NAN = not given */
  char **location;   /* [n] "campaign.yaml:3:9", "designs.csv:4"; NULL on ranks that read no file */
  char *not_opened;  /* why the file could not be opened; NULL = it was, or there is none */
  bool may_have_run; /* on a resume: a design that is not allowed is no mistake when it has run */
  char **wrong;      /* [n] why a design is not allowed, then; NULL on ranks that read no file, and
                        of designs that are */
} gannet_start;

/* Local. */
void gannet_start_release(gannet_start *start);

/* Read the designs of a CSV file: columns have the names of variables, an empty cell is not given.
 * Columns of history.csv that are no variables are passed over.
 *
 * Local.
 *
 * path        in     of the file
 * start       inout  without designs; may_have_run is set
 * complaints  inout  everything that is wrong, each with "path:line"
 *
 * Errors: GANNET_ERR_MISSING, GANNET_ERR_IO, GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_start_read_file(const char *path, const gannet_problem *problem,
                                                 gannet_start *start,
                                                 gannet_complaints *complaints);

/* Complain about designs that are not in the problem's list of candidates.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_start_check_list(gannet_start *start,
                                                  const gannet_problem *problem,
                                                  gannet_complaints *complaints);

#endif
