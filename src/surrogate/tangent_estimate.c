/* Draws in single precision, for a scan that re-scores its leaders (search/screen.h). */
#include "base/memory.h"
#include "surrogate/tangent_kernel.h"

enum { ROWS = GANNET_SINGLE_ROWS };

/* All but the network's copy, whose tables depend on its activation alone. */
static void release_draws(tangent_model *t) {
  gannet_analytic_single_destroy(&t->update_single);
  gannet_free(&t->single_lifted);
  gannet_free(&t->single_values);
  gannet_free(&t->single_z);
}

void tangent_estimate_release(tangent_model *t) {
  gannet_tangent_single_destroy(&t->prior_single);
  release_draws(t);
}

size_t tangent_estimate_bytes(const tangent_model *t) {
  const size_t row =
      (size_t)(t->d + 1) * (sizeof(double) + sizeof(float)) + (size_t)t->draws.q * sizeof(double);
  return gannet_tangent_single_bytes(t->prior_single) +
         gannet_analytic_single_bytes(t->update_single) + (t->single_z ? ROWS * row : 0);
}

gannet_err tangent_estimate_prepare(void *state, bool *able) {
  tangent_model *t = state;
  const size_t inputs = (size_t)t->d + 1, q = (size_t)t->draws.q;
  *able = false;
  release_draws(t);
  if (t->trained) return GANNET_OK; /* its values depend on the other points of a call */
  GANNET_TRY(gannet_tangent_single_prepare(t->net, &t->draws, &t->prior_single));
  if (!t->prior_single) return GANNET_OK;
  if (!t->options->network) {
    GANNET_TRY(gannet_analytic_single_prepare(t->limit, t->draws.q, t->update, &t->update_single));
    if (!t->update_single) return GANNET_OK;
  }
  GANNET_TRY(gannet_alloc(ROWS * inputs, sizeof *t->single_lifted, &t->single_lifted));
  GANNET_TRY(gannet_alloc(ROWS * q, sizeof *t->single_values, &t->single_values));
  GANNET_TRY(gannet_alloc(ROWS * inputs, sizeof *t->single_z, &t->single_z));
  *able = true;
  return GANNET_OK;
}

/* values: [q][ldv] from row-major [m][q]. */
static void transpose(int m, int q, const double *from, double *values, int ldv) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < q; ++j)
      values[(size_t)j * (size_t)ldv + (size_t)i] = from[(size_t)i * (size_t)q + (size_t)j];
}

void tangent_draw_estimates(const void *state, int m, const double *x, double *values, int ldv) {
  const tangent_model *t = state;
  const int inputs = t->d + 1, q = t->draws.q;
  for (int first = 0; first < m; first += ROWS) {
    const int rows = m - first < ROWS ? m - first : ROWS;
    gannet_analytic_points_lift(t->limit, rows, x + (size_t)first * (size_t)t->d, t->single_lifted);
    for (int i = 0; i < rows * inputs; ++i) t->single_z[i] = (float)t->single_lifted[i];
    gannet_tangent_single_values(t->prior_single, rows, t->single_z, t->single_values);
    if (t->update_single)
      gannet_analytic_single_add(t->update_single, rows, t->single_z, t->single_values);
    transpose(rows, q, t->single_values, values + first, ldv);
  }
}
