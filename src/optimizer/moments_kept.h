/* Variances of candidates that are kept from one point of a batch to the next: the candidates are
 * the same, and results that are believed in between explain some more of what is known
 * (surrogate/surrogate.h, gannet_surrogate_moments_prepare). Every rank keeps those of the tiles
 * that it had first. */
#ifndef GANNET_OPTIMIZER_MOMENTS_KEPT_H
#define GANNET_OPTIMIZER_MOMENTS_KEPT_H

#include "search/scan.h"
#include "surrogate/surrogate.h"

/* Candidates by which margins are measured, and most numbers that are kept on a rank. */
enum { GANNET_MOMENTS_SAMPLE = GANNET_MOMENT_GROUP, GANNET_MOMENTS_KEPT = 1 << 22 };

typedef struct {
  bool wanted; /* more points of the batch are to come; the caller's to set */
  int models;
  int64_t count;    /* candidates; 0 = nothing is kept */
  double *variance; /* [models][count] by number, of own tiles */
  double *sample;   /* [models][GANNET_MOMENTS_SAMPLE] */
  bool *own;        /* [tiles] of this rank */
  int *known;       /* [models] rows of the model by which these are known; 0 = not at all */
  int *rows;        /* [models] those of the present scan */
} gannet_moments_kept;

/* Memory for all candidates of a batch, unless it is there, not wanted, or too much. Release
 * accepts a zeroed struct.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_moments_kept_reserve(gannet_moments_kept *kept, int models,
                                                      int64_t count);
void gannet_moments_kept_release(gannet_moments_kept *kept);

/* Whether variances of some model are known, and so the tiles of this rank.
 *
 * Local.
 */
bool gannet_moments_kept_any(const gannet_moments_kept *kept);

/* Know nothing.
 *
 * Local.
 */
void gannet_moments_kept_forget(gannet_moments_kept *kept);

/* Where the variances of candidates are from one number on, and those of the sample; NULL where
 * nothing is kept.
 *
 * Local.
 */
double *gannet_moments_kept_at(const gannet_moments_kept *kept, int model, int64_t first);
double *gannet_moments_kept_sample(const gannet_moments_kept *kept, int model);

/* Estimates of a model's moments at m points, from the variances that are known on where any are,
 * and keep these.
 *
 * Local.
 *
 * place     inout  [m] where they are kept; NULL = nowhere
 * mean      out    [m]
 * variance  out    [m]
 *
 * Errors: those of gannet_surrogate_moment_estimates.
 */
GANNET_CHECKED gannet_err gannet_moments_kept_estimate(const gannet_moments_kept *kept, int model,
                                                       const gannet_surrogate *surrogate, int m,
                                                       const double *x_unit, double *place,
                                                       double *mean, double *variance);

/* After a scan: what it estimated is known by the rows of the present models.
 *
 * Local.
 *
 * complete   in  all tiles of this rank were estimated; otherwise nothing is known
 * objective  in  for the first model, too
 */
void gannet_moments_kept_settle(gannet_moments_kept *kept, bool complete, bool objective);

#endif
