/* Who proposes in a portfolio with an evolution strategy: it, or the other members.
 *
 * The evolution strategy follows ridges and ill-conditioned valleys where models of a small region
 * stall, but it has to learn their shape first, and elsewhere the others are ahead. So the two
 * sides do not share batches: one of them leads for a stretch of evaluations. Its rate is how far
 * the best value fell in the stretch, per evaluation. When the leader slows down, the other side is
 * tried for a short stretch. It takes the lead if its rate is higher.
 *
 * Low rates alone do not tell a stall from a search that converges, because the minimum is unknown.
 * So every trial that fails puts off the next one for twice as many evaluations, unless the leader
 * stops altogether.
 */
#ifndef GANNET_OPTIMIZER_RACE_H
#define GANNET_OPTIMIZER_RACE_H

#include "base/struct_field.h"

typedef enum { GANNET_RACE_OTHERS, GANNET_RACE_EVOLUTION, GANNET_RACE_SIDES } gannet_race_side;

typedef struct {
  int leader;                     /* gannet_race_side */
  bool trial;                     /* the side that does not lead proposes */
  int64_t from;                   /* results at the beginning of the stretch; 0 = no stretch yet */
  double best;                    /* best value at the beginning of the stretch */
  double rate[GANNET_RACE_SIDES]; /* of the last stretch of each side */
  bool stopped;                   /* the others had stopped when they lost the lead */
  double reference;               /* highest rate of the leader since the last trial */
  int failed;                     /* trials that failed since the lead changed */
  int64_t led;                    /* evaluations of the leader since the last trial */
} gannet_race;

extern const gannet_struct_field gannet_race_fields[];

/* Bring a race up to date with the results, and tell the side that proposes now. It is the others
 * until there are 20 results per variable.
 *
 * Local.
 *
 * race  inout  zeroed: not begun
 * d     in     variables
 * told  in     results so far
 * best  in     best feasible value, minimised; 1e308 = none
 * q     in     points of the batch
 */
gannet_race_side gannet_race_update(gannet_race *race, int d, int64_t told, double best, int q);

#endif
