/* The Cholesky factor of a model's kernel matrix, wherever it lives: whole on every node, whose
 * ranks make it together, or cut over the ranks of the context.
 *
 * Whole, every number comes out with the same bits on any number of ranks, and any rank can solve
 * at any time. Cut over the ranks, memory and work per rank fall with their number; what the model
 * solves together (fit, draws, calibration) works as before, to rounding; what a rank would solve
 * alone (standard deviations at candidates) is refused.
 */
#ifndef GANNET_SURROGATE_FACTOR_H
#define GANNET_SURROGATE_FACTOR_H

#include <stdbool.h>

#include "base/context.h"
#include "linalg/cholesky.h"
#include "linalg/distributed.h"

typedef enum {
  GANNET_FACTOR_REPLICATED,
  GANNET_FACTOR_DISTRIBUTED,
  GANNET_FACTOR_AUTO /* distributed above GANNET_FACTOR_AUTO_ROWS on several nodes */
} gannet_factor_place;

/* For memory; on one node the factor that is not cut is the smaller and faster one
 * (docs/performance.md). */
enum { GANNET_FACTOR_AUTO_ROWS = 4000 };

extern const char *const gannet_factor_names[]; /* in the order of gannet_factor_place */

typedef struct gannet_factor gannet_factor;

/* An empty factor.
 *
 * Local.
 *
 * context  in  borrowed until destroy
 */
GANNET_CHECKED gannet_err gannet_factor_create(const gannet_context *context,
                                               gannet_factor_place place, gannet_factor **factor);

/* Free a factor and set the pointer to NULL; accepts NULL.
 *
 * Collective over the context's communicator.
 */
void gannet_factor_destroy(gannet_factor **factor);

/* Forget all rows, keeping the memory.
 *
 * Local.
 */
void gannet_factor_clear(gannet_factor *factor);

/* Forget the rows from n on; of those before, what is left is as if they had never been there.
 *
 * Local.
 */
void gannet_factor_truncate(gannet_factor *factor, int n);

/* Make the factor that of the leading n rows of K, as gannet_cholesky_extend and
 * gannet_distributed_extend. A factor that crosses the threshold of auto is made again in its new
 * place.
 *
 * Collective over the context's communicator; n the same on all ranks.
 */
GANNET_CHECKED gannet_err gannet_factor_extend(gannet_factor *factor, int n,
                                               gannet_kernel_tile tile, void *user);

/* Overwrite m rows of b with K^-1 b; fill diagonal [n] with the diagonal of K^-1.
 *
 * Collective over the context's communicator; arguments the same on all ranks.
 *
 * b  inout  [m][ldb]
 */
GANNET_CHECKED gannet_err gannet_factor_solve(const gannet_factor *factor, int m, double *b,
                                              int ldb);
GANNET_CHECKED gannet_err gannet_factor_inverse_diagonal(const gannet_factor *factor,
                                                         double *diagonal);

/* The whole factor, or NULL when it is cut over the ranks or empty.
 *
 * Local.
 */
const gannet_cholesky *gannet_factor_replicated(const gannet_factor *factor);

/* The whole factor, to solve with on this rank alone.
 *
 * Local.
 *
 * Errors: GANNET_ERR_ARG, saying what to choose, when it is cut over the ranks.
 */
GANNET_CHECKED gannet_err gannet_factor_whole(const gannet_factor *factor,
                                              const gannet_cholesky **whole);

/* Overwrite m rows of b with L^-1 b, or with L^-T b: one after the other they give K^-1 b.
 *
 * Local.
 *
 * b  inout  [m][ldb]
 *
 * Errors: as gannet_factor_whole.
 */
GANNET_CHECKED gannet_err gannet_factor_forward(const gannet_factor *factor, int m, double *b,
                                                int ldb);
GANNET_CHECKED gannet_err gannet_factor_backward(const gannet_factor *factor, int m, double *b,
                                                 int ldb);

/* Why a model with this place has no standard deviations, or NULL when it has; for the operation
 * no_sd of the family.
 *
 * Local.
 */
const char *gannet_factor_no_sd(gannet_factor_place place);

#endif
