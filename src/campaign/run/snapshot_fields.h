/* What a snapshot holds, as tables that write, read and check it (docs/campaign-directory.md tells
 * of each dataset).
 */
#ifndef GANNET_CAMPAIGN_RUN_SNAPSHOT_FIELDS_H
#define GANNET_CAMPAIGN_RUN_SNAPSHOT_FIELDS_H

#include "base/struct_field.h"
#include "campaign/run/ledger.h"
#include "campaign/run/snapshot.h"
#include "store/state_file.h"

/* How an evaluation came to be proposed. */
typedef struct {
  int64_t batch;
  gannet_origin origin;
} gannet_snapshot_proposal;

/* Members by the names of their datasets. Those of a proposal and of gannet_ticket are columns
 * with one value per evaluation. Those of gannet_snapshot_mark are single values, bits as a text of
 * hexadecimal digits. */
extern const gannet_struct_field gannet_snapshot_mark_fields[];
extern const gannet_struct_field gannet_snapshot_proposal_fields[];
extern const gannet_struct_field gannet_snapshot_ticket_fields[];

/* Variables and constraints of a problem as columns, in the order of the problem. Texts are
 * borrowed from it. */
typedef struct {
  int64_t n_variables, n_constraints, n_values;
  const char **name, **type, **scale, **unit; /* [n_variables] */
  double *lower, *upper;                      /* [n_variables] NaN where there is no box */
  double *fixed;           /* [n_variables] the value of fixed variables, else NaN */
  const char **expression; /* [n_variables] of derived variables, else "" */
  const char **value;      /* [n_values] categories of all variables */
  int64_t *value_of;       /* [n_values] the variable that has it, by position */
  const char **constraint, **constraint_unit; /* [n_constraints] */
  double *least, *most;                       /* [n_constraints] infinite where open */
} gannet_snapshot_problem;

/* Fill a zeroed struct; release it also after an error.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_snapshot_problem_fill(const gannet_problem *problem,
                                                       gannet_snapshot_problem *p);
void gannet_snapshot_problem_release(gannet_snapshot_problem *p);

/* The datasets of these columns: the same rows write them and check them. */
typedef struct {
  const char *name; /* NULL ends the table */
  const char *description;
  size_t rows;   /* offset of the member with the number of rows */
  size_t texts;  /* offset of the array of texts, or */
  size_t reals;  /* of numbers, or */
  size_t wholes; /* of whole numbers; 0 = it is another one */
  bool optional; /* files of earlier versions lack it */
} gannet_snapshot_problem_field;

extern const gannet_snapshot_problem_field gannet_snapshot_problem_fields[];

/* What a result says of the constraints: 1 all are kept, 0 one is not, -1 there is none.
 *
 * Local.
 */
int64_t gannet_snapshot_feasible(const gannet_problem *problem, const gannet_ticket *ticket);

#endif
