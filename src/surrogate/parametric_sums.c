/* Phase II of GO-UCB for many observations: Sigma_t and the right side as sums, no rows.
 *
 *   Sigma_t = lambda I + sum_i g_i g_i^T [p][p],   w_t = w_0 + Sigma_t^-1 sum_i g_i target_i
 *
 * The observations of the regression are linearised at w_0, as they are by rows. Later ones are
 * linearised by blocks of 64, counted from the regression on, at the weights which the blocks
 * before leave: a block costs a factor of Sigma_t, p^3 / 3 operations, whatever the number of
 * observations. Blocks are functions of the data alone, and the open one is made anew with every
 * observation, so that growing step by step gives the bits of all at once. The sum over the
 * regression depends on w_0 and the points alone, and is kept while values are standardised anew.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/parametric.h"

enum { BLOCK = TWO_LAYER_ROWS };

gannet_err parametric_sums_prepare(parametric *m) {
  parametric_sums *s = &m->sums;
  const size_t p = (size_t)m->p;
  m->row_capacity = 0;
  gannet_free(&m->phi);
  gannet_free(&m->target);
  GANNET_TRY(gannet_alloc(p * p, sizeof(double), &s->gram_base));
  GANNET_TRY(gannet_alloc(p * p, sizeof(double), &s->gram_open));
  GANNET_TRY(gannet_alloc(p, sizeof(double), &s->right));
  GANNET_TRY(gannet_alloc(p, sizeof(double), &s->right_open));
  GANNET_TRY(gannet_alloc(p, sizeof(double), &s->w_open));
  s->base = -1;
  s->used = true;
  return GANNET_OK;
}

void parametric_sums_release(parametric *m) {
  parametric_sums *s = &m->sums;
  gannet_free(&s->gram_base);
  gannet_free(&s->gram_open);
  gannet_free(&s->right);
  gannet_free(&s->right_open);
  gannet_free(&s->w_open);
  *s = (parametric_sums){.base = -1};
}

static const double *inputs_at(const parametric *m, int i) {
  return m->z + (size_t)i * (size_t)m->net.d;
}

static int rows_left(int n, int first) {
  return n - first < BLOCK ? n - first : BLOCK;
}

static gannet_err condition(parametric *m, int n_rows) {
  GANNET_TRY(gannet_features_sums_factorise(m->posterior, parametric_ridge(m)));
  memcpy(m->w, m->sums.right, (size_t)m->p * sizeof *m->w);
  gannet_features_solve(m->posterior, 1, m->w);
  for (int k = 0; k < m->p; ++k) m->w[k] += m->hyper[PARAMETRIC_WEIGHTS + k];
  m->n_rows = n_rows;
  return GANNET_OK;
}

/* sum g g^T of observations first..last-1 at w_0. */
static void base_gram(parametric *m, int first, int last) {
  const double *w0 = m->hyper + PARAMETRIC_WEIGHTS;
  double value[BLOCK];
  if (m->sums.base == last - first) {
    gannet_features_sums_put_back(m->posterior, m->sums.gram_base);
    return;
  }
  gannet_features_sums_clear(m->posterior);
  for (int at = first; at < last; at += BLOCK) {
    const int rows = rows_left(last, at);
    two_layer_features(&m->net, w0, rows, inputs_at(m, at), m->work, value, m->rows);
    gannet_features_sums_add(m->posterior, rows, m->rows);
  }
  gannet_features_sums_keep(m->posterior, m->sums.gram_base);
  m->sums.base = last - first;
}

/* sum g (y - f) of the same. */
static void base_right(parametric *m, int first, int last) {
  const double *w0 = m->hyper + PARAMETRIC_WEIGHTS;
  double rest[BLOCK];
  memset(m->sums.right, 0, (size_t)m->p * sizeof *m->sums.right);
  for (int at = first; at < last; at += BLOCK) {
    const int rows = rows_left(last, at);
    two_layer_values(&m->net, w0, rows, inputs_at(m, at), m->work, rest);
    for (int i = 0; i < rows; ++i) rest[i] = m->y[at + i] - rest[i];
    two_layer_backward(&m->net, w0, rows, inputs_at(m, at), rest, m->work, m->sums.right);
  }
}

/* The open block begins after what the sums have. */
static void open_block(parametric *m, int first) {
  const size_t bytes = (size_t)m->p * sizeof *m->w;
  m->sums.open = first;
  gannet_features_sums_keep(m->posterior, m->sums.gram_open);
  memcpy(m->sums.right_open, m->sums.right, bytes);
  memcpy(m->sums.w_open, m->w, bytes);
}

/* Back to its beginning, before n_rows. */
static gannet_err reopen_block(parametric *m, int n_rows) {
  const size_t bytes = (size_t)m->p * sizeof *m->w;
  gannet_features_sums_put_back(m->posterior, m->sums.gram_open);
  memcpy(m->sums.right, m->sums.right_open, bytes);
  memcpy(m->w, m->sums.w_open, bytes);
  m->n_rows = n_rows;
  return gannet_features_sums_factorise(m->posterior, parametric_ridge(m));
}

/* The observations of the regression, and their step, halved as by rows. */
static gannet_err start_over(parametric *m, int learned, int left_out) {
  const double *w0 = m->hyper + PARAMETRIC_WEIGHTS;
  const size_t p = (size_t)m->p;
  double share = 1;
  m->sums.share = 1;
  memcpy(m->w, w0, p * sizeof *w0);
  const double at_start = parametric_loss(m, learned);
  base_gram(m, left_out, learned);
  base_right(m, left_out, learned);
  GANNET_TRY(condition(m, learned - left_out));
  while (share > 0 && learned > left_out && !(parametric_loss(m, learned) <= at_start)) {
    share = m->sums.share > 1e-3 ? 0.5 : 0;
    m->sums.share *= share;
    for (size_t k = 0; k < p; ++k) {
      m->sums.right[k] *= share;
      m->w[k] = w0[k] + share * (m->w[k] - w0[k]);
    }
  }
  open_block(m, learned);
  return GANNET_OK;
}

/* Observations at the present weights. */
static void add_rows(parametric *m, int first, int rows) {
  const double *w0 = m->hyper + PARAMETRIC_WEIGHTS;
  double target[BLOCK];
  two_layer_features(&m->net, m->w, rows, inputs_at(m, first), m->work, target, m->rows);
  gannet_features_sums_add(m->posterior, rows, m->rows);
  for (int i = 0; i < rows; ++i) {
    const double *g = m->rows + (size_t)i * (size_t)m->p;
    target[i] = m->y[first + i] - target[i] + gannet_dot(m->p, g, m->w) - gannet_dot(m->p, g, w0);
  }
  gannet_gemv_t(rows, m->p, 1, m->rows, m->p, target, 1, m->sums.right);
}

gannet_err parametric_sums_accumulate(parametric *m, int n, int keep) {
  const int given = (int)m->hyper[PARAMETRIC_LEARNED], learned = given < n ? given : n;
  const int left_out = parametric_first_row(m, n);
  const bool anew = keep == 0 || keep < learned || keep < m->sums.open;
  if (anew)
    GANNET_TRY(start_over(m, learned, left_out));
  else
    GANNET_TRY(reopen_block(m, m->sums.open - left_out));
  for (int at = m->sums.open; at < n;) {
    const int rows = rows_left(n, at);
    add_rows(m, at, rows);
    at += rows;
    GANNET_TRY(condition(m, at - left_out));
    if (rows == BLOCK) open_block(m, at);
  }
  return GANNET_OK;
}

/* With targets t' = target + g.w_0 and the prior around 0: right sides sum g t' = right + (sum g
 * g^T) w_0, residuals t' - g.w, h = g^T Sigma^-1 g. */
gannet_err parametric_sums_leave_one_out(const parametric *m, double *square) {
  const double *w0 = m->hyper + PARAMETRIC_WEIGHTS;
  const size_t p = (size_t)m->p;
  const int last = (int)m->hyper[PARAMETRIC_LEARNED], first = parametric_first_row(m, m->n);
  double *w = NULL, value[BLOCK], told[BLOCK], sum = 0;
  *square = m->noise;
  if (first >= last || last > m->n) return GANNET_OK;
  GANNET_TRY(gannet_alloc(p, sizeof *w, &w));
  gannet_features_sums_apply(m->posterior, w0, w);
  for (size_t k = 0; k < p; ++k) w[k] += m->sums.right[k];
  gannet_features_solve(m->posterior, 1, w);
  for (int at = first; at < last; at += BLOCK) {
    const int rows = rows_left(last, at);
    two_layer_features(&m->net, w0, rows, inputs_at(m, at), m->work, value, m->rows);
    gannet_features_quadratic(m->posterior, rows, m->rows, told);
    for (int i = 0; i < rows; ++i) {
      const double *g = m->rows + (size_t)i * p;
      const double target = m->sums.share * (m->y[at + i] - value[i]) + gannet_dot(m->p, g, w0);
      const double rest = target - gannet_dot(m->p, g, w);
      sum += rest * rest / fmax(1 - told[i], 1e-10);
    }
  }
  gannet_free(&w);
  *square = sum / (last - first);
  return GANNET_OK;
}
