/* The inner minimum of GO-UCB, done exactly: min f(x; w) over the ball of weights
 * (w - w_t)^T Sigma_t (w - w_t) <= radius^2.
 *
 * The method is projected gradient descent in the metric of Sigma_t, in which the ball is round: a
 * step along Sigma_t^-1 g, then back onto the ball by its length. The descent starts at the minimum
 * of the linearisation and takes no step to anything worse. The length of a step is that of
 * Barzilai and Borwein 1988, shortened by Armijo's rule (spectral projected gradients: Birgin,
 * Martinez, Raydan 2000, without their allowance for rises).
 * With the step w - w_t its image Sigma_t (w - w_t) is carried along, so that lengths need no
 * product with Sigma_t. The gradient by x is that of f at the minimiser (Danskin 1966).
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/models/parametric/parametric.h"

enum { STEPS = 500, HALVINGS = 40 };

typedef struct {
  const parametric *m;
  double radius;
  const double *z; /* [inputs] */
  double *work;    /* workspace of the network */
  /* [p] each */
  double *step, *image; /* w - w_t and Sigma_t (w - w_t) */
  double *g, *before;   /* gradients by w, at the step and at the step before */
  double *v;            /* Sigma_t^-1 g */
  double *w;
  double *trial, *trial_image; /* the next step; once accepted, the step before */
} ball_descent;

/* Gradient by the weights at a step, and its image under Sigma^-1; returns f. */
static double gradient_at_step(ball_descent *s, const double *step) {
  const parametric *m = s->m;
  double value = 0;
  for (int k = 0; k < m->p; ++k) s->w[k] = m->w[k] + step[k];
  two_layer_features(&m->net, s->w, 1, s->z, s->work, &value, s->g);
  memcpy(s->v, s->g, (size_t)m->p * sizeof *s->v);
  gannet_regression_solve(m->posterior, 1, s->v);
  return value;
}

/* trial = step - size v, moved back onto the ball; returns the squared length of trial - step. */
static double project(ball_descent *s, double size) {
  const int p = s->m->p;
  double away = 0;
  for (int k = 0; k < p; ++k) {
    s->trial[k] = s->step[k] - size * s->v[k];
    s->trial_image[k] = s->image[k] - size * s->g[k];
  }
  const double length = sqrt(fmax(gannet_dot(p, s->trial, s->trial_image), 0));
  const double factor = length > s->radius ? s->radius / length : 1;
  for (int k = 0; k < p; ++k) {
    s->trial[k] *= factor;
    s->trial_image[k] *= factor;
    away += (s->trial[k] - s->step[k]) * (s->trial_image[k] - s->image[k]);
  }
  return away;
}

static void swap(double **a, double **b) {
  double *old = *a;
  *a = *b;
  *b = old;
}

/* Search along the gradient for a step that lowers the value f; returns the new value, or f when no
 * step lowers it. away is the squared length of the last step, 0 before the first. */
static double take_step(ball_descent *s, double f, double *size, double *away) {
  const parametric *m = s->m;
  const int p = m->p;
  double bend = 0;
  swap(&s->g, &s->before);
  (void)gradient_at_step(s, s->step);
  for (int k = 0; k < p; ++k) bend += (s->step[k] - s->trial[k]) * (s->g[k] - s->before[k]);
  if (*away > 0) *size = bend > 0 ? *away / bend : 10 * *size;
  for (int halving = 0; halving < HALVINGS; ++halving, *size *= 0.5) {
    *away = project(s, *size);
    double value = 0;
    for (int k = 0; k < p; ++k) s->w[k] = m->w[k] + s->trial[k];
    two_layer_values(&m->net, s->w, 1, s->z, s->work, &value);
    if (!(value <= f - 1e-4 * *away / *size)) continue;
    swap(&s->step, &s->trial);
    swap(&s->image, &s->trial_image);
    return value;
  }
  return f;
}

static double minimise_over_ball(ball_descent *s) {
  const size_t bytes = (size_t)s->m->p * sizeof *s->step;
  memset(s->step, 0, bytes);
  memset(s->image, 0, bytes);
  double f = gradient_at_step(s, s->step), away = 0;
  const double length = sqrt(fmax(gannet_dot(s->m->p, s->g, s->v), 0));
  if (!(length > 0) || !(s->radius > 0)) return f;
  double size = s->radius / length; /* to the minimum of the linearisation */
  for (int step = 0; step < STEPS; ++step) {
    const double value = take_step(s, f, &size, &away), gain = f - value;
    f = value;
    if (!(gain > 1e-14 * (1 + fabs(f)))) break;
  }
  return f;
}

gannet_err parametric_lower(const void *state, double exploration, const double *x, double *value,
                            double *gradient) {
  const parametric *m = state;
  const size_t p = (size_t)m->p, inputs = (size_t)m->net.inputs;
  double *memory = NULL;
  GANNET_TRY(gannet_alloc(8 * p + 2 * inputs, sizeof *memory, &memory));
  double *z = memory + 8 * p, *by_z = z + inputs;
  two_layer_inputs(&m->net, 1, x, z);
  ball_descent s = {.m = m,
                    .radius = exploration * sqrt(parametric_scale(m)),
                    .z = z,
                    .work = m->work,
                    .step = memory,
                    .image = memory + p,
                    .g = memory + 2 * p,
                    .v = memory + 3 * p,
                    .w = memory + 4 * p,
                    .trial = memory + 5 * p,
                    .trial_image = memory + 6 * p,
                    .before = memory + 7 * p};
  *value = minimise_over_ball(&s);
  for (size_t k = 0; k < p; ++k) s.w[k] = m->w[k] + s.step[k];
  (void)two_layer_slopes(&m->net, s.w, z, NULL, m->work, by_z, NULL);
  two_layer_input_gradient(&m->net, z, by_z, gradient);
  gannet_free(&memory);
  return GANNET_OK;
}
