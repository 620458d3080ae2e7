/* Draws of the noise at what is seen of the data. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/products.h"
#include "surrogate/inducing_impl.h"

/* Points at a time, and draws. */
enum { BLOCK = GANNET_INDUCING_BLOCK, GROUP = GANNET_PACKED_GROUP };

/* What the noise of q draws at the points is made in. */
typedef struct {
  const gannet_inducing *g;
  int q;
  double *normal; /* [q][m] */
  double *packed; /* the same for products */
  double *made;   /* [BLOCK][q, whole groups] */
  size_t ld;      /* of made */
} workspace;

static void release(workspace *w) {
  gannet_free(&w->normal);
  gannet_free(&w->packed);
  gannet_free(&w->made);
}

static gannet_err allocate(workspace *w) {
  const size_t m = (size_t)w->g->m, q = (size_t)w->q;
  w->ld = (q + GROUP - 1) / GROUP * GROUP;
  GANNET_TRY(gannet_alloc(q * m, sizeof *w->normal, &w->normal));
  GANNET_TRY(gannet_alloc(gannet_packed_length(w->q, w->g->m), sizeof *w->packed, &w->packed));
  return gannet_alloc(BLOCK * w->ld, sizeof *w->made, &w->made);
}

static gannet_err gather(const gannet_inducing *g, const gannet_stride *own, size_t n,
                         double *numbers) {
  return own->shared ? gannet_partition_gather(g->context->comm, n, numbers) : GANNET_OK;
}

/* L S^-T/2 times normal numbers, for the rows of this rank; 0 for the others.
 *
 * noise  inout  [q][n], of which the first m numbers of each row
 */
static void mix(const workspace *w, const gannet_stride *own, int n, double *noise) {
  const size_t m = (size_t)w->g->m, ld = (size_t)n;
  for (size_t j = 0; j < (size_t)w->q; ++j) {
    memcpy(w->normal + j * m, noise + j * ld, m * sizeof *noise);
    memset(noise + j * ld, 0, ld * sizeof *noise);
  }
  gannet_pack(w->q, w->g->m, w->normal, w->packed);
  for (size_t i = (size_t)own->first * BLOCK; i < m; i += (size_t)own->step * BLOCK) {
    const size_t rows = m - i < BLOCK ? m - i : BLOCK;
    gannet_packed_products((int)rows, w->g->m, w->g->mixed.values + i * m, w->q, w->packed, 0, w->q,
                           w->made, (int)w->ld);
    for (size_t j = 0; j < (size_t)w->q; ++j)
      for (size_t r = 0; r < rows; ++r) noise[j * ld + i + r] = w->made[r * w->ld + j];
  }
}

/* What lambda was raised by is left out at the points: it is of the order of rounding. */
static gannet_err perturb(workspace *w, double lambda, const gannet_stride *own, int n,
                          double *values) {
  const size_t m = (size_t)w->g->m, length = (size_t)n, all = (size_t)w->q * length;
  const double root = sqrt(lambda);
  double *noise = values + all;
  GANNET_TRY(gather(w->g, own, 2 * all, values));
  for (size_t j = 0; j < (size_t)w->q; ++j)
    for (size_t i = m; i < length; ++i) values[j * length + i] += root * noise[j * length + i];
  if (m == 0) return GANNET_OK;
  mix(w, own, n, noise);
  GANNET_TRY(gather(w->g, own, all, noise));
  for (size_t j = 0; j < (size_t)w->q; ++j)
    for (size_t i = 0; i < m; ++i) values[j * length + i] += noise[j * length + i];
  return GANNET_OK;
}

gannet_err gannet_inducing_perturb(const gannet_inducing *g, double lambda,
                                   const gannet_stride *own, gannet_stream stream, int q, int n,
                                   double *values) {
  const size_t length = (size_t)n;
  workspace w = {.g = g, .q = q};
  gannet_err err = g->m > 0 ? allocate(&w) : GANNET_OK;
  err = gannet_agree(g->context->comm, err);
  for (int j = own->first; err == GANNET_OK && j < q; j += own->step) {
    stream.index = (uint64_t)j;
    gannet_random_normal(stream, 0, length, values + (size_t)(q + j) * length);
  }
  if (err == GANNET_OK) err = perturb(&w, lambda, own, n, values);
  release(&w);
  return err;
}
