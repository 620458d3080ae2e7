/* A trust region: the box around the best point in which points are sought. It grows after
 * successes and shrinks after failures. When it has become too small, a new region starts with a
 * new design.
 *
 * Terms
 *   batch    evaluations that the method proposed at once; counted when its last result arrives
 *   success  a batch whose best evaluation clearly beats all that were counted before
 *   gain     what counts as clearly, as a part of the spread of the best values
 *
 * Eriksson et al. 2019 (TuRBO-1); Eriksson, Poloczek 2021 (SCBO) for constraints. What differs:
 * - Failures are counted in evaluations, so that batches may have any size. With batches of q the
 *   region shrinks after as many batches as TuRBO's, ceil(max(4, n) / q).
 * - The gain is measured against the spread of the best values and not against their size, so that
 *   adding a constant to the objective changes nothing.
 *
 * With several objectives the region lies around the design without which the hypervolume of the
 * front would shrink most. A success is a batch that adds more than the fraction gain of the
 * hypervolume so far. While no result is better than the reference point, the centre is the design
 * whose excesses over it, in ranges of the front, have the smallest sum, and a success reduces that
 * sum by more than the fraction gain. The region is never given up. (MORBO: Daulton et al. 2022,
 * with one region.)
 *
 * Everything is a function of the history and of gannet_region_state, which a campaign saves.
 */
#ifndef GANNET_SEARCH_REGION_H
#define GANNET_SEARCH_REGION_H

#include "base/option.h"
#include "problem/history.h"

typedef enum { GANNET_REGION_NONE, GANNET_REGION_TRUST } gannet_region_type;

/* Observations that the models take: those since the region began, or all. */
typedef enum { GANNET_REGION_RESTART, GANNET_REGION_ALL } gannet_region_data;

/* The best evaluation by its value, or by the mean of the objective's model. */
typedef enum { GANNET_REGION_VALUE, GANNET_REGION_MEAN } gannet_region_centre;

typedef struct {
  int type;   /* a gannet_region_type */
  int centre; /* a gannet_region_centre */
  double length, shortest, longest;
  int successes; /* the region grows after so many batches in a row */
  int failures;  /* and shrinks after so many evaluations in a row; GANNET_AUTO = max(4, variables)
                  */
  double gain;
  bool restarts;
  bool weighted;  /* sides in proportion to the length scales of the objective's model */
  double perturb; /* chance of a variable to differ from the centre, NAN = min(1, 20 / variables) */
  int data;       /* a gannet_region_data */
  int nearest;    /* the models take at most so many observations, nearest to the centre; 0 = all */
} gannet_region_options;

extern const gannet_option gannet_region_table[];

/* What a campaign saves. Zeroed = no restart yet. */
typedef struct {
  int64_t restarts;
  int64_t first; /* id of the first evaluation of the present region */
} gannet_region_state;

/* What follows from the state and the history. */
typedef struct {
  double length;  /* side of the box, before sides are weighted and cut at the unit cube */
  int successes;  /* batches in a row */
  int failures;   /* evaluations in a row */
  int64_t centre; /* id of the best evaluation since the restart: the best feasible one, or that of
                     least violation; -1 = none with a result. With several objectives a design of
                     the front, see above; -1 = the front is empty */
} gannet_region;

/* A complaint about options that contradict each other; NULL = they do not.
 *
 * Local.
 */
const char *gannet_region_contradiction(const gannet_region_options *options);

enum { GANNET_REGION_SINGLE_MOST = 5 };

/* Options that are for a single objective and are not at their defaults. Returns how many.
 *
 * Local.
 *
 * keys  out  as in a campaign file, with the section; static
 */
int gannet_region_single_options(const gannet_region_options *options,
                                 const char *keys[GANNET_REGION_SINGLE_MOST]);

/* With several objectives, whether the point with this number is sought in the region. One in four
 * is: in a box around one design a whole batch says little about the rest of the front.
 *
 * Local.
 *
 * number  in  designs before it, those of the batch included
 */
bool gannet_region_seeks(int64_t number);

/* Count one batch: length, successes and failures afterwards. The length may fall below shortest,
 * which ends the region.
 *
 * Local.
 *
 * variables    in  of the problem
 * evaluations  in  of the batch that have a result or are infeasible
 */
void gannet_region_count(const gannet_region_options *options, int variables, bool success,
                         int evaluations, gannet_region *region);

/* The region after all results of the history. When it has ended and restarts are on, the state
 * begins a new one with the next evaluation.
 *
 * Local; a pure function of its arguments.
 *
 * Batches are the evaluations of origin GANNET_ORIGIN_METHOD with equal batch number, unless the
 * first of them belongs to the design of the region. Other evaluations count for the centre, and as
 * values to be beaten, when they arrive. A batch that has only failed evaluations is not counted.
 *
 * design  in     evaluations of a region before its first model
 * state   inout
 *
 * Cost: O(n (max(4, variables) + constraints + q)) for n evaluations in batches of q. With several
 * objectives that of gannet_boxes_create and of gannet_hypervolume_contributions.
 */
GANNET_CHECKED gannet_err gannet_region_follow(const gannet_region_options *options,
                                               const gannet_history *history, int64_t design,
                                               gannet_region_state *state, gannet_region *region);

/* The box: centre +- length/2 times the weight of the coordinate, cut at the unit cube. Weights are
 * length scales divided by their geometric mean, at most 10 and at least 1/10. Integers get one
 * step to either side at least. Booleans and categories are not cut, because a box cannot tell near
 * values from far ones (see gannet_region_switching).
 *
 * Local.
 *
 * centre        in   [d] admissible
 * scales        in   [d] length scales; NULL = all equal
 * lower, upper  out  [d]
 */
void gannet_region_box(const gannet_problem *problem, double length, const double *centre,
                       const double *scales, double *lower, double *upper);

/* Chance of a variable to differ from the centre in a candidate: of real and integer variables
 * (moving), and of booleans and categories (switching), which shrinks with the region.
 *
 * Local.
 */
double gannet_region_moving(const gannet_region_options *options, const gannet_problem *problem);
double gannet_region_switching(const gannet_region_options *options, const gannet_problem *problem,
                               double length);

/* The evaluations that the region's models take.
 *
 * Local.
 *
 * take  out  [gannet_history_count] whether by id; rows without a result may be among them
 */
GANNET_CHECKED gannet_err gannet_region_take(const gannet_region_options *options,
                                             const gannet_history *history,
                                             const gannet_region_state *state, int64_t centre,
                                             bool *take);

#endif
