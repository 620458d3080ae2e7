/* The columns of a snapshot that hold one value per evaluation: one table for writing, reading and
 * checking them (docs/campaign-directory.md tells of each).
 */
#ifndef GANNET_CAMPAIGN_RUN_SNAPSHOT_FIELDS_H
#define GANNET_CAMPAIGN_RUN_SNAPSHOT_FIELDS_H

#include "base/struct_field.h"
#include "campaign/run/ledger.h"
#include "store/state_file.h"

/* Members of gannet_ticket, by the names of their datasets. */
extern const gannet_struct_field gannet_snapshot_ticket_fields[];

/* Variables and constraints of a problem as columns, in the order of the problem. Texts are
 * borrowed from it. */
typedef struct {
  int64_t n_variables, n_constraints, n_values;
  const char **name, **type, **scale, **unit; /* [n_variables] */
  double *lower, *upper;                      /* [n_variables] NaN where there is no box */
  const char **value;                         /* [n_values] categories of all variables */
  int64_t *value_of;                          /* [n_values] the variable that has it, by position */
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
} gannet_snapshot_problem_field;

extern const gannet_snapshot_problem_field gannet_snapshot_problem_fields[];

/* What a result says of the constraints: 1 all are kept, 0 one is not, -1 there is none.
 *
 * Local.
 */
int64_t gannet_snapshot_feasible(const gannet_problem *problem, const gannet_ticket *ticket);

#endif
