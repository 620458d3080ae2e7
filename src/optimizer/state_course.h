/* The course of what models have learnt: every value of a model's state, hyperparameters above
 * all, after each proposal that changed it. Nothing is proposed from it; it is there to be looked
 * at.
 *
 * In a state file it is the group optimizer/course:
 *
 *   parameters   [k] names, "gp-ei/objective.log_noise"
 *   parameter    [n] position of the name in parameters
 *   evaluation   [n] first evaluation of the proposal
 *   value        [n] NaN = there is no such value any more
 */
#ifndef GANNET_OPTIMIZER_STATE_COURSE_H
#define GANNET_OPTIMIZER_STATE_COURSE_H

#include "optimizer/state.h"
#include "store/state_file.h"

typedef struct {
  int64_t evaluation; /* first one of the proposal */
  int parameter;      /* position of its name */
  double value;       /* NAN = there is none any more */
} gannet_course_row;

/* Zeroed = empty. */
typedef struct {
  int n_parameters, parameter_capacity;
  char (*parameter)[GANNET_STATE_NAME]; /* [n_parameters] in the order in which they came */
  int64_t n, capacity;
  gannet_course_row *row; /* [n] in the order in which they came */
} gannet_state_course;

/* Free what a course holds; it is empty then.
 *
 * Local.
 */
void gannet_state_course_release(gannet_state_course *course);

/* Add the numbers of models among the values that a proposal left or changed. Other values, as the
 * number of the batch, are passed over.
 *
 * Local.
 *
 * evaluation  in  the first one of the proposal
 */
GANNET_CHECKED gannet_err gannet_state_course_add(gannet_state_course *course, int64_t evaluation,
                                                  const gannet_state *changes);

/* The values that proposals of the evaluations first .. end-1 changed, as changes of a state.
 *
 * Local.
 *
 * from     inout  row at which the search begins: 0, and then what the last call left, when calls
 *                 go forward
 * changes  inout  cleared first
 */
GANNET_CHECKED gannet_err gannet_state_course_find(const gannet_state_course *course, int64_t first,
                                                   int64_t end, int64_t *from,
                                                   gannet_state *changes);

/* Write a course; read one into an empty course, which stays empty where an older file has none.
 *
 * Local.
 *
 * Errors: those of the store; read: GANNET_ERR_DAMAGED naming a row that cannot be.
 */
GANNET_CHECKED gannet_err gannet_state_course_write(gannet_store *store,
                                                    const gannet_state_course *course);
GANNET_CHECKED gannet_err gannet_state_course_read(const gannet_store *store,
                                                   gannet_state_course *course);

#endif
