/* Choose the q points of a batch from rankings, all different. */
#ifndef GANNET_SEARCH_BATCH_H
#define GANNET_SEARCH_BATCH_H

#include "base/random.h"
#include "problem/history.h"
#include "search/distinct.h"

typedef enum {
  GANNET_CHOICE_RANKED, /* from its list */
  GANNET_CHOICE_RANDOM, /* everything in its list was taken; a random admissible point */
  GANNET_CHOICE_REPEAT  /* every point of a discrete problem has been proposed */
} gannet_choice;

typedef struct {
  const gannet_problem *problem;
  gannet_stream stream;        /* of the random points */
  const gannet_distinct *seen; /* points proposed before; NULL = none but those of before */
  int64_t n_before;
  const double *before;         /* [n_before][d] further ones, pending ones included; admissible */
  const gannet_history *spaced; /* no near-copy of what is in it, of those before or of each other
                                   (search/spacing.h); NULL = near-copies may be chosen */
  int n_lists;
  int n_ranked;
  const double *ranked; /* [n_lists][n_ranked][d] best first; made admissible first */
  const int *n_in_list; /* [n_lists] how many of the n_ranked count; NULL = all */
} gannet_batch_spec;

/* Point j of the batch is the best of list j mod n_lists that was neither proposed before nor
 * chosen already (see search/distinct.h), nor is a near-copy where these are not wanted; then a
 * random admissible point; then, in a discrete problem without fresh points, a repetition: the best
 * of the list that is not in this batch yet, or its best.
 *
 * Local; a pure function of its arguments.
 *
 * q       in   >= 1
 * x_unit  out  [q][d] admissible
 * choice  out  [q] where each came from; NULL when not wanted
 *
 * Cost: O((n_before + n_lists n_ranked) d).
 */
GANNET_CHECKED gannet_err gannet_batch_choose(const gannet_batch_spec *spec, int q, double *x_unit,
                                              gannet_choice *choice);

#endif
