/* Phase II of GO-UCB: the ball of weights (w - w_t)^T Sigma_t (w - w_t) <= beta_t.
 *
 *   Sigma_t = lambda I + sum_{i<t} g_i g_i^T,  g_i = df(x_i; w_i)/dw at the weights of round i,
 *   w_t = Sigma_t^-1 (sum_i g_i (g_i . w_i + y_i - f_i(w_i)) + lambda w_0)
 *       = w_0 + Sigma_t^-1 sum_i g_i target_i,  target_i = y_i - f_i(w_i) + g_i . (w_i - w_0),
 *
 * that is, an extended Kalman filter. The observations that the regression of phase I has seen are
 * linearised at its weights w_0. What the network cannot represent counts as noise: with less noise
 * than its misfit the step from w_0 would leave the range of the linearisation.
 *
 * Sigma_t has two forms. By rows, g_i and target_i are kept, and every later observation is
 * linearised at the weights that all observations before it give. By sums, for many observations,
 * only sum g_i g_i^T and sum g_i target_i are kept. Later observations are then linearised by
 * blocks, counted from the regression on, at the weights that the blocks before give: a block costs
 * a factor of Sigma_t, p^3 / 3 operations, whatever the number of observations. Blocks depend on
 * the data alone, and the open block is made anew with every observation, so that growing step by
 * step gives the bits of all at once. The sum over the regression depends on w_0 and the points
 * alone, and is kept while values are standardised anew.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/models/parametric/parametric.h"

enum {
  BLOCK = TWO_LAYER_ROWS,
  MOST_ROWS = 1000 /* a solve by rows reads n^2 numbers, one by sums p^2: more take sums */
};

static const double *inputs_at(const parametric *m, int i) {
  return m->z + (size_t)i * (size_t)m->net.inputs;
}

/* Observations that Sigma leaves out, which are the first ones. */
static int left_out_of(const parametric *m, int n) {
  const int learned = (int)m->hyper[PARAMETRIC_LEARNED];
  return !m->options->discard ? 0 : learned < n ? learned : n;
}

/* lambda */
static double ridge(const parametric *m) {
  const double horizon = fmax(2, m->options->horizon), logarithm = log(horizon);
  if (m->options->schedule == PARAMETRIC_PAPER) return sqrt(horizon) * logarithm * logarithm;
  return m->noise / exp(m->hyper[PARAMETRIC_PRIOR]);
}

double parametric_scale(const parametric *m) {
  if (m->options->schedule == PARAMETRIC_CALIBRATED) return m->noise;
  const double p = m->p, f = m->options->bound, t = m->n_rows > 0 ? m->n_rows : 1;
  return p * p * p * f * f * f * f * t / m->options->horizon;
}

/* What the step from w_0 is to lower: the squared residuals of the first n observations plus
 * lambda |w - w_0|^2. */
static double loss_of_step(const parametric *m, int n) {
  const double *w0 = m->hyper + PARAMETRIC_WEIGHTS, lambda = ridge(m);
  double sum = 0, values[BLOCK];
  for (int k = 0; k < m->p; ++k) sum += lambda * (m->w[k] - w0[k]) * (m->w[k] - w0[k]);
  for (int first = 0; first < n; first += BLOCK) {
    const int rows = two_layer_rows(n, first);
    two_layer_values(&m->net, m->w, rows, inputs_at(m, first), m->work, values);
    for (int i = 0; i < rows; ++i)
      sum += (m->y[first + i] - values[i]) * (m->y[first + i] - values[i]);
  }
  return sum;
}

/* Halve the step from w_0 to m->w until the network itself, not only its linearisation, follows the
 * first n observations better than at w_0. The targets are scaled with it, so that later steps
 * build on the same step. Returns the share of the step that is left.
 *
 * at_start  in     the loss at w_0
 * targets   inout  [count] targets, or sums that are linear in them */
static double halve_step(parametric *m, int n, double at_start, int count, double *targets) {
  const double *w0 = m->hyper + PARAMETRIC_WEIGHTS;
  double share = 1, total = 1;
  while (share > 0 && m->n_rows > 0 && !(loss_of_step(m, n) <= at_start)) {
    share = total > 1e-3 ? 0.5 : 0;
    total *= share;
    for (int i = 0; i < count; ++i) targets[i] *= share;
    for (int k = 0; k < m->p; ++k) m->w[k] = w0[k] + share * (m->w[k] - w0[k]);
  }
  return total;
}

/* Gradient and target of observation i at the weights m->w. */
static void add_row(parametric *m, int i, int row) {
  double value = 0, *g = m->phi + (size_t)row * (size_t)m->p;
  two_layer_features(&m->net, m->w, 1, inputs_at(m, i), m->work, &value, g);
  m->target[row] = m->y[i] - value + gannet_dot(m->p, g, m->w) -
                   gannet_dot(m->p, g, m->hyper + PARAMETRIC_WEIGHTS);
}

/* Condition on the first rows, and move the weights to w_t. */
static gannet_err condition_on_rows(parametric *m, int rows, int keep) {
  GANNET_TRY(gannet_regression_condition(m->posterior, rows, m->phi, ridge(m), keep > 0));
  gannet_regression_mean(m->posterior, m->target, m->w);
  for (int k = 0; k < m->p; ++k) m->w[k] += m->hyper[PARAMETRIC_WEIGHTS + k];
  m->n_rows = rows;
  return GANNET_OK;
}

static gannet_err condition_by_rows(parametric *m, int n, int keep) {
  const int given = (int)m->hyper[PARAMETRIC_LEARNED], learned = given < n ? given : n;
  const int left_out = left_out_of(m, n);
  if (keep < learned || keep == 0) { /* the observations of the regression, from w_0 */
    memcpy(m->w, m->hyper + PARAMETRIC_WEIGHTS, (size_t)m->p * sizeof *m->w);
    const double at_start = loss_of_step(m, learned);
    for (int i = left_out; i < learned; ++i) add_row(m, i, i - left_out);
    GANNET_TRY(condition_on_rows(m, learned - left_out, 0));
    (void)halve_step(m, learned, at_start, m->n_rows, m->target);
    keep = learned;
  }
  for (int i = keep; i < n; ++i) {
    add_row(m, i, i - left_out);
    GANNET_TRY(condition_on_rows(m, i - left_out + 1, i - left_out));
  }
  return GANNET_OK;
}

/* sum g g^T of the observations first .. last - 1 at w_0, made or kept from before. */
static void sum_base_gram(parametric *m, int first, int last) {
  const double *w0 = m->hyper + PARAMETRIC_WEIGHTS;
  double value[BLOCK];
  if (m->sums.base == last - first) {
    gannet_regression_sums_restore(m->posterior, m->sums.gram_base);
    return;
  }
  gannet_regression_sums_clear(m->posterior);
  for (int at = first; at < last; at += BLOCK) {
    const int rows = two_layer_rows(last, at);
    two_layer_features(&m->net, w0, rows, inputs_at(m, at), m->work, value, m->rows);
    gannet_regression_sums_add(m->posterior, rows, m->rows);
  }
  gannet_regression_sums_save(m->posterior, m->sums.gram_base);
  m->sums.base = last - first;
}

/* sum g (y - f) of the observations first .. last - 1 at w_0. */
static void sum_base_targets(parametric *m, int first, int last) {
  const double *w0 = m->hyper + PARAMETRIC_WEIGHTS;
  double rest[BLOCK];
  memset(m->sums.right, 0, (size_t)m->p * sizeof *m->sums.right);
  for (int at = first; at < last; at += BLOCK) {
    const int rows = two_layer_rows(last, at);
    two_layer_values(&m->net, w0, rows, inputs_at(m, at), m->work, rest);
    for (int i = 0; i < rows; ++i) rest[i] = m->y[at + i] - rest[i];
    two_layer_backward(&m->net, w0, rows, inputs_at(m, at), rest, m->work, m->sums.right);
  }
}

/* Add the observations first .. first + rows - 1, linearised at the present weights. */
static void sum_block(parametric *m, int first, int rows) {
  const double *w0 = m->hyper + PARAMETRIC_WEIGHTS;
  double target[BLOCK];
  two_layer_features(&m->net, m->w, rows, inputs_at(m, first), m->work, target, m->rows);
  gannet_regression_sums_add(m->posterior, rows, m->rows);
  for (int i = 0; i < rows; ++i) {
    const double *g = m->rows + (size_t)i * (size_t)m->p;
    target[i] = m->y[first + i] - target[i] + gannet_dot(m->p, g, m->w) - gannet_dot(m->p, g, w0);
  }
  gannet_gemv_t(rows, m->p, 1, m->rows, m->p, target, 1, m->sums.right);
}

/* Condition on the sums of n_rows observations, and move the weights to w_t. */
static gannet_err condition_on_sums(parametric *m, int n_rows) {
  GANNET_TRY(gannet_regression_sums_factorise(m->posterior, ridge(m)));
  memcpy(m->w, m->sums.right, (size_t)m->p * sizeof *m->w);
  gannet_regression_solve(m->posterior, 1, m->w);
  for (int k = 0; k < m->p; ++k) m->w[k] += m->hyper[PARAMETRIC_WEIGHTS + k];
  m->n_rows = n_rows;
  return GANNET_OK;
}

/* Begin a block with observation first: save the sums and weights before it. */
static void open_block(parametric *m, int first) {
  const size_t bytes = (size_t)m->p * sizeof *m->w;
  m->sums.open = first;
  gannet_regression_sums_save(m->posterior, m->sums.gram_open);
  memcpy(m->sums.right_open, m->sums.right, bytes);
  memcpy(m->sums.w_open, m->w, bytes);
}

static gannet_err condition_by_sums(parametric *m, int n, int keep) {
  const int given = (int)m->hyper[PARAMETRIC_LEARNED], learned = given < n ? given : n;
  const int left_out = left_out_of(m, n);
  const size_t bytes = (size_t)m->p * sizeof *m->w;
  if (keep == 0 || keep < learned || keep < m->sums.open) { /* from w_0 */
    memcpy(m->w, m->hyper + PARAMETRIC_WEIGHTS, bytes);
    const double at_start = loss_of_step(m, learned);
    sum_base_gram(m, left_out, learned);
    sum_base_targets(m, left_out, learned);
    GANNET_TRY(condition_on_sums(m, learned - left_out));
    m->sums.share = halve_step(m, learned, at_start, m->p, m->sums.right);
    open_block(m, learned);
  } else { /* from the beginning of the open block */
    gannet_regression_sums_restore(m->posterior, m->sums.gram_open);
    memcpy(m->sums.right, m->sums.right_open, bytes);
    memcpy(m->w, m->sums.w_open, bytes);
    m->n_rows = m->sums.open - left_out;
    GANNET_TRY(gannet_regression_sums_factorise(m->posterior, ridge(m)));
  }
  for (int at = m->sums.open; at < n;) {
    const int rows = two_layer_rows(n, at);
    sum_block(m, at, rows);
    at += rows;
    GANNET_TRY(condition_on_sums(m, at - left_out));
    if (rows == BLOCK) open_block(m, at);
  }
  return GANNET_OK;
}

static void release_sums(parametric *m) {
  parametric_sums *s = &m->sums;
  gannet_free(&s->gram_base);
  gannet_free(&s->gram_open);
  gannet_free(&s->right);
  gannet_free(&s->right_open);
  gannet_free(&s->w_open);
  *s = (parametric_sums){.base = -1};
}

/* Memory for sums in place of that for rows. What an earlier call made before it failed is
 * replaced. */
static gannet_err prepare_sums(parametric *m) {
  parametric_sums *s = &m->sums;
  const size_t p = (size_t)m->p;
  m->row_capacity = 0;
  gannet_free(&m->phi);
  gannet_free(&m->target);
  release_sums(m);
  GANNET_TRY(gannet_alloc(p * p, sizeof(double), &s->gram_base));
  GANNET_TRY(gannet_alloc(p * p, sizeof(double), &s->gram_open));
  GANNET_TRY(gannet_alloc(p, sizeof(double), &s->right));
  GANNET_TRY(gannet_alloc(p, sizeof(double), &s->right_open));
  return gannet_alloc(p, sizeof(double), &s->w_open);
}

static gannet_err reserve_rows(parametric *m, int n) {
  const size_t old = (size_t)m->row_capacity, size = (size_t)n + (size_t)n / 2;
  const size_t p = (size_t)m->p;
  if (n <= m->row_capacity) return GANNET_OK;
  GANNET_TRY(gannet_resize(old * p, size * p, sizeof(double), &m->phi));
  GANNET_TRY(gannet_resize(old, size, sizeof(double), &m->target));
  m->row_capacity = (int)size;
  return GANNET_OK;
}

/* Rows or sums for n observations. A change of form keeps no observation: *keep becomes 0. */
static gannet_err choose_form(parametric *m, int n, int *keep) {
  const int most = m->options->train_points < MOST_ROWS ? m->options->train_points : MOST_ROWS;
  const bool sums = n > most && n > m->p;
  if (sums == m->sums.used) return sums ? GANNET_OK : reserve_rows(m, n);
  *keep = 0;
  gannet_regression *posterior = NULL;
  GANNET_TRY(gannet_regression_create(m->p, sums, &posterior));
  const gannet_err code = sums ? prepare_sums(m) : reserve_rows(m, n);
  if (code != GANNET_OK) { /* the form stays the other one */
    gannet_regression_destroy(&posterior);
    return code;
  }
  if (!sums) release_sums(m);
  m->sums.used = sums;
  m->n_rows = 0;
  gannet_regression_destroy(&m->posterior);
  m->posterior = posterior;
  return GANNET_OK;
}

gannet_err parametric_condition(parametric *m, int n, int keep) {
  const double given = isnan(m->noise_var) ? exp(m->hyper[PARAMETRIC_NOISE]) : m->noise_var;
  GANNET_TRY(choose_form(m, n, &keep));
  m->noise = fmax(exp(m->hyper[PARAMETRIC_MISFIT]), given);
  return m->sums.used ? condition_by_sums(m, n, keep) : condition_by_rows(m, n, keep);
}

void parametric_release_posterior(parametric *m) {
  gannet_regression_destroy(&m->posterior);
  gannet_free(&m->phi);
  gannet_free(&m->target);
  release_sums(m);
}

/* With targets t' = target + g . w_0 the prior is around 0: the right side becomes sum g t' =
 * right + (sum g g^T) w_0, residuals are t' - g . w, and h = g^T Sigma^-1 g. */
static gannet_err leave_one_out_by_sums(const parametric *m, double *square) {
  const double *w0 = m->hyper + PARAMETRIC_WEIGHTS;
  const size_t p = (size_t)m->p;
  const int last = (int)m->hyper[PARAMETRIC_LEARNED], first = left_out_of(m, m->n);
  double *w = NULL, value[BLOCK], h[BLOCK], sum = 0;
  *square = m->noise;
  if (first >= last || last > m->n) return GANNET_OK;
  GANNET_TRY(gannet_alloc(p, sizeof *w, &w));
  gannet_regression_sums_apply(m->posterior, w0, w);
  for (size_t k = 0; k < p; ++k) w[k] += m->sums.right[k];
  gannet_regression_solve(m->posterior, 1, w);
  for (int at = first; at < last; at += BLOCK) {
    const int rows = two_layer_rows(last, at);
    two_layer_features(&m->net, w0, rows, inputs_at(m, at), m->work, value, m->rows);
    gannet_regression_quadratic(m->posterior, rows, m->rows, h);
    for (int i = 0; i < rows; ++i) {
      const double *g = m->rows + (size_t)i * p;
      const double target = m->sums.share * (m->y[at + i] - value[i]) + gannet_dot(m->p, g, w0);
      const double rest = target - gannet_dot(m->p, g, w);
      sum += rest * rest / fmax(1 - h[i], 1e-10);
    }
  }
  gannet_free(&w);
  *square = sum / (last - first);
  return GANNET_OK;
}

gannet_err parametric_leave_one_out(const parametric *m, double *square) {
  double *y = NULL;
  if (m->sums.used) return leave_one_out_by_sums(m, square);
  GANNET_TRY(gannet_alloc((size_t)m->n_rows, sizeof *y, &y));
  for (int i = 0; i < m->n_rows; ++i)
    y[i] = m->target[i] +
           gannet_dot(m->p, m->phi + (size_t)i * (size_t)m->p, m->hyper + PARAMETRIC_WEIGHTS);
  *square = gannet_regression_leave_one_out(m->posterior, y);
  gannet_free(&y);
  return GANNET_OK;
}
