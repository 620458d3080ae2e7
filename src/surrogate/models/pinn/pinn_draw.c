/* Draws of functions from the physics-informed model: weights, by Matheron's rule. */
#include <math.h>

#include "base/memory.h"
#include "base/partition.h"
#include "linalg/blas.h"
#include "surrogate/models/pinn/pinn.h"

/* Draw j by Matheron's rule: the solve for a prior draw e w_0 and targets moved by e times a draw
 * of their noise. A trained network goes on from these weights by Gauss-Newton (randomise, then
 * optimise: Bardsley et al. 2014), which is the same rule where the network is linear in them. */
static gannet_err draw_weights(pinn *s, double e, int64_t iteration, int j, double *noise,
                               double *w) {
  double *shift_r = noise, *shift_u = noise + s->r, *prior = s->prior;
  const size_t r = (size_t)s->r, n = (size_t)s->n;
  gannet_random_normal(gannet_stream_of(s->streams, GANNET_FOR_PRIOR, iteration, j), 0,
                       (size_t)s->p, prior);
  gannet_random_normal(gannet_stream_of(s->streams, GANNET_FOR_NOISE, iteration, j), 0, r + n,
                       noise);
  for (int k = 0; k < s->p; ++k) prior[k] *= e;
  for (size_t i = 0; i < r; ++i) shift_r[i] *= -e * sqrt(s->known->lambda2);
  for (size_t i = 0; i < n; ++i) shift_u[i] *= -e * sqrt(s->lambda1);
  const pinn_pull pull = {prior, shift_r, shift_u, 3};
  pinn_solve(s, &pull, w);
  if (!pinn_is_trained(s)) return GANNET_OK;
  /* pinn_factorise_u raises lambda_1 where the matrix at the weights of a draw asks for it. The
   * model and the other draws, which may be those of other ranks, keep theirs. */
  const double lambda1 = s->lambda1;
  const gannet_err code = pinn_descend(s, &pull, w);
  s->lambda1 = lambda1;
  GANNET_TRY(code);
  return pinn_relinearise(s);
}

/* Draws first, first + step, .. below end. */
static gannet_err sample_range(pinn *s, int first, int step, int end, double exploration,
                               int64_t iteration) {
  const double nu = s->options->schedule == PINN_PAPER ? s->hyper[PINN_NU] : 1;
  double *noise = NULL;
  gannet_err code = gannet_alloc((size_t)(s->r + s->n), sizeof *noise, &noise);
  if (s->ranks_share) code = pinn_agree(s, code);
  for (int j = first; j < end && code == GANNET_OK; j += step)
    code = draw_weights(s, nu * exploration * ((iteration + j) % 2 ? s->options->exploit : 1),
                        iteration, j, noise, s->draws + (size_t)j * (size_t)s->p);
  gannet_free(&noise);
  return code;
}

/* First ranks make one draw each, in turn; then all ranks make the rest together. */
gannet_err pinn_sample(void *state, int q, double exploration, int64_t iteration) {
  pinn *s = state;
  const gannet_context *context = s->context;
  const int alone = pinn_count_alone(s, q);
  const size_t p = (size_t)s->p;
  s->q = 0;
  gannet_free(&s->draws);
  gannet_err code = gannet_alloc((size_t)q * p, sizeof(double), &s->draws);
  if (code == GANNET_OK)
    code = sample_range(s, context->rank, context->np, alone, exploration, iteration);
  GANNET_TRY(gannet_agree(context->comm, code));
  GANNET_TRY(gannet_partition_gather(context->comm, (size_t)alone * p, s->draws));
  s->ranks_share = true;
  code = sample_range(s, alone, 1, q, exploration, iteration);
  s->ranks_share = false;
  GANNET_TRY(code);
  for (int j = alone; j < q; ++j) /* processors of other kinds might round otherwise */
    GANNET_TRY_MPI(MPI_Bcast(s->draws + (size_t)j * p, s->p, MPI_DOUBLE, 0, context->comm));
  s->q = q;
  return GANNET_OK;
}

gannet_err pinn_draw_values(const void *state, int m, const double *x, double *values, int ldv) {
  pinn *s = pinn_with_workspace(state);
  const double scale = exp(0.5 * s->hyper[PINN_AMPLITUDE]);
  for (int first = 0; first < m; first += PINN_TILE) {
    const int n = m - first < PINN_TILE ? m - first : PINN_TILE;
    const double *at = x + (size_t)first * (size_t)s->d;
    if (!pinn_is_trained(s)) {
      GANNET_TRY(pinn_tile_features(s, n, at));
      gannet_gemm_nt(s->q, n, s->p, scale, s->draws, s->p, s->tile, s->p, 0, values + first, ldv);
      continue;
    }
    for (int j = 0; j < s->q; ++j)
      GANNET_TRY(pinn_tile_values(s, n, at, s->draws + (size_t)j * (size_t)s->p,
                                  values + (size_t)j * (size_t)ldv + (size_t)first));
  }
  return GANNET_OK;
}

gannet_err pinn_draw_gradient(const void *state, int j, const double *x, double *value,
                              double *gradient) {
  pinn *s = pinn_with_workspace(state);
  const double *w = s->draws + (size_t)j * (size_t)s->p;
  if (!pinn_is_trained(s)) GANNET_TRY(pinn_tile_features(s, 1, x));
  GANNET_TRY(pinn_tile_values(s, 1, x, w, value));
  return pinn_function_slopes(s, x, w, gradient);
}
