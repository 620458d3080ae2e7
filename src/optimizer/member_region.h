/* The trust region of one member: what the next proposal needs of it (search/region.h). */
#ifndef GANNET_OPTIMIZER_MEMBER_REGION_H
#define GANNET_OPTIMIZER_MEMBER_REGION_H

#include "optimizer/models/models.h"
#include "optimizer/options.h"

typedef struct {
  const gannet_region_options *options; /* NULL = points are sought everywhere */
  int64_t design;                       /* evaluations of a new region before its first model */
  gannet_region_state state;            /* saved */
  /* Of the proposal under way: */
  gannet_region now;
  bool is_design;           /* the region is new and wants points everywhere */
  bool *take;               /* [count] evaluations that the models take; NULL = all */
  double *lower, *upper;    /* [d] the box; NULL = the unit cube */
  double *centre;           /* [d] in the box; NULL without a region */
  double moving, switching; /* chances of variables to differ from the centre */
} gannet_member_region;

/* Count what has come in since, start anew where that is due, and choose the data of the models.
 *
 * Local; a pure function of history and state.
 */
GANNET_CHECKED gannet_err gannet_member_region_update(gannet_member_region *region,
                                                      const gannet_history *history);

/* Put the box around the centre, with sides by the lengthscales of the fitted models.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_member_region_set_box(gannet_member_region *region,
                                                       const gannet_history *history,
                                                       gannet_models *models);

/* Forget the proposal under way; options, design and state stay.
 *
 * Local.
 */
void gannet_member_region_release(gannet_member_region *region);

/* Whether a point of the history may be a centre of local candidates: inside the box.
 *
 * Local.
 *
 * x_unit  in  [d]
 */
bool gannet_member_region_has(const gannet_member_region *region, int d, const double *x_unit);

#endif
