/* The inner minimum of GO-UCB, done exactly: min f(x; w) over the ball of weights
 * (w - w_t)^T Sigma_t (w - w_t) <= radius^2.
 *
 * At one point x the network f = v . s(u) + c, u = W z + b, depends on the weights by the 2m + 1
 * numbers e = (u, v, c) = L w alone. The image of the ball is
 *
 *   (e - e_t)^T M^-1 (e - e_t) <= radius^2,   M = L Sigma_t^-1 L^T,
 *
 * and the nearest weights with the image e are w_t + Sigma_t^-1 L^T M^-1 (e - e_t).
 *
 * Descent. Projected gradients in the metric of M^-1, in which the image is round: a step along M
 * g, then back onto it by its length, and no step to anything worse. The length of a step is that
 * of Barzilai and Borwein 1988, shortened by Armijo's rule (spectral projected gradients: Birgin,
 * Martinez, Raydan 2000, without their allowance for rises). With the step e - e_t its image
 * M^-1 (e - e_t) is carried along, so that lengths need no product.
 *
 * Starts. f has many minima, which differ in the units that are switched on (s = 1) or off (s = 0).
 * At each of them e - e_t = -radius M g / |M^(1/2) g|, with the gradient g_u = v s(1 - s), g_v = s,
 * g_c = 1. Starts are such points with g at e_t, which gives the minimum of the linearisation, and
 * with s uniform on (0, 1) and v normal as in the ball, by fixed random numbers. The best of them
 * are minimised, and single units are then switched for as long as that leads lower.
 *
 * The gradient by x is that of f at the minimiser (Danskin 1966).
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/models/parametric/parametric.h"

enum {
  STARTS = 64,
  FIRST_STEPS = 10,   /* steps from every start */
  FINISHED = 8,       /* starts that are minimised to the end */
  SWITCHED_STEPS = 6, /* steps after a unit was switched, before the point is given up */
  ROUNDS = 3,         /* most times that every unit is switched */
  STEPS = 500,
  HALVINGS = 40,
  MATRIX_UNITS = 100 /* networks of more units do without M, and have one start */
};

typedef struct {
  const parametric *m;
  int units, n; /* m, 2m + 1 */
  double radius;
  const double *z; /* [inputs] */
  double *matrix;  /* [n][n] M, or NULL */
  double *weights; /* [p], or [TWO_LAYER_ROWS][p] where there is M: workspace */
  /* [n] each */
  double *center;              /* e_t */
  double *step, *image;        /* e - e_t and M^-1 (e - e_t) */
  double *g, *before;          /* gradients by e, at the step and at the step before */
  double *v;                   /* M g */
  double *trial, *trial_image; /* the next step; once accepted, the step before */
} ball_image;

/* f at a step from e_t, and its gradient g where it is wanted. */
static double value_at(const ball_image *b, const double *step, double *g) {
  const int m = b->units;
  double f = b->center[2 * m] + step[2 * m];
  for (int j = 0; j < m; ++j) {
    const double s = 0.5 * (1 + tanh(0.5 * (b->center[j] + step[j])));
    const double v = b->center[m + j] + step[m + j];
    f += v * s;
    if (!g) continue;
    g[j] = v * s * (1 - s);
    g[m + j] = s;
  }
  if (g) g[2 * m] = 1;
  return f;
}

/* e = L w. */
static void map_weights(const ball_image *b, const double *w, double *e) {
  const int m = b->units, inputs = b->m->net.inputs;
  const double *bias = w + (size_t)m * (size_t)inputs;
  gannet_gemv_n(m, inputs, 1, w, inputs, b->z, 0, e);
  for (int j = 0; j < m; ++j) e[j] += bias[j];
  memcpy(e + m, bias + m, ((size_t)m + 1) * sizeof *e);
}

/* w = L^T e. */
static void map_back(const ball_image *b, const double *e, double *w) {
  const size_t m = (size_t)b->units, inputs = (size_t)b->m->net.inputs;
  for (size_t j = 0; j < m; ++j)
    for (size_t k = 0; k < inputs; ++k) w[j * inputs + k] = e[j] * b->z[k];
  memcpy(w + m * inputs, e, (2 * m + 1) * sizeof *w);
}

/* v = M g. */
static void multiply(ball_image *b) {
  if (b->matrix) {
    gannet_gemv_n(b->n, b->n, 1, b->matrix, b->n, b->g, 0, b->v);
    return;
  }
  map_back(b, b->g, b->weights);
  gannet_regression_solve(b->m->posterior, 1, b->weights);
  map_weights(b, b->weights, b->v);
}

static void make_matrix(ball_image *b) {
  const size_t p = (size_t)b->m->p, n = (size_t)b->n;
  memset(b->step, 0, n * sizeof *b->step);
  for (int first = 0; first < b->n; first += TWO_LAYER_ROWS) {
    const int rows = two_layer_rows(b->n, first);
    for (int i = 0; i < rows; ++i) {
      b->step[first + i] = 1;
      map_back(b, b->step, b->weights + (size_t)i * p);
      b->step[first + i] = 0;
    }
    gannet_regression_solve(b->m->posterior, rows, b->weights);
    for (int i = 0; i < rows; ++i)
      map_weights(b, b->weights + (size_t)i * p, b->matrix + (size_t)(first + i) * n);
  }
}

/* trial = step - size v, moved back onto the ball; returns the squared length of trial - step. */
static double project(ball_image *b, double size) {
  double away = 0;
  for (int k = 0; k < b->n; ++k) {
    b->trial[k] = b->step[k] - size * b->v[k];
    b->trial_image[k] = b->image[k] - size * b->g[k];
  }
  const double length = sqrt(fmax(gannet_dot(b->n, b->trial, b->trial_image), 0));
  const double factor = length > b->radius ? b->radius / length : 1;
  for (int k = 0; k < b->n; ++k) {
    b->trial[k] *= factor;
    b->trial_image[k] *= factor;
    away += (b->trial[k] - b->step[k]) * (b->trial_image[k] - b->image[k]);
  }
  return away;
}

static void swap(double **a, double **b) {
  double *old = *a;
  *a = *b;
  *b = old;
}

/* Descend from the present step; returns the value at the end. */
static double descend(ball_image *b, int steps) {
  double f = value_at(b, b->step, b->g), size = 0, away = 0;
  for (int step = 0; step < steps; ++step) {
    double value = f, bend = 0;
    multiply(b);
    const double length = sqrt(fmax(gannet_dot(b->n, b->g, b->v), 0));
    if (!(length > 0)) break;
    for (int k = 0; k < b->n && step > 0; ++k)
      bend += (b->step[k] - b->trial[k]) * (b->g[k] - b->before[k]);
    if (step == 0)
      size = b->radius / length; /* across the linearisation */
    else
      size = bend > 0 ? away / bend : 10 * size;
    int halving = 0;
    for (; halving < HALVINGS; ++halving, size *= 0.5) {
      away = project(b, size);
      value = value_at(b, b->trial, NULL);
      if (value <= f - 1e-4 * away / size) break;
    }
    if (halving == HALVINGS) break;
    const double gain = f - value;
    f = value;
    swap(&b->step, &b->trial);
    swap(&b->image, &b->trial_image);
    swap(&b->g, &b->before);
    if (!(gain > 1e-14 * (1 + fabs(f)))) break;
    (void)value_at(b, b->step, b->g);
  }
  return f;
}

/* Go to where the linear function of gradient g is least. */
static void go_along(ball_image *b) {
  multiply(b);
  const double length = sqrt(fmax(gannet_dot(b->n, b->g, b->v), 0));
  const double factor = length > 0 ? b->radius / length : 0;
  for (int k = 0; k < b->n; ++k) {
    b->step[k] = -factor * b->v[k];
    b->image[k] = -factor * b->g[k];
  }
}

/* Standard deviation of the weight v of a unit over the ball. */
static double spread_of(const ball_image *b, int unit) {
  return b->radius * sqrt(fmax(b->matrix[(size_t)(b->units + unit) * (size_t)(b->n + 1)], 0));
}

static void go_to_start(ball_image *b, int start) {
  const int m = b->units;
  memset(b->step, 0, (size_t)b->n * sizeof *b->step);
  (void)value_at(b, b->step, b->g);
  if (start > 0) {
    const gannet_stream stream = {0, GANNET_FOR_POLISH, 0, (uint64_t)start};
    gannet_random_uniform(stream, 0, (size_t)m, b->trial);
    gannet_random_normal(stream, (uint64_t)m, (size_t)m, b->trial_image);
    for (int j = 0; j < m; ++j) {
      const double s = b->trial[j];
      b->g[j] = (b->center[m + j] + spread_of(b, j) * b->trial_image[j]) * s * (1 - s);
      b->g[m + j] = s;
    }
  }
  go_along(b);
}

/* Switch units of a minimum of value f for as long as that leads lower; point [2][n], the step and
 * its image, becomes the last minimum. Returns its value. */
static double switch_units(ball_image *b, double f, double *point) {
  const int n = b->n, m = b->units;
  for (int at = 0, since = 0; at < ROUNDS * m && since < m; ++at, ++since) {
    const int j = at % m;
    (void)value_at(b, point, b->g);
    const bool on = b->g[m + j] < 0.5;
    b->g[j] = (on ? -0.05 : 0.05) * spread_of(b, j);
    b->g[m + j] = on;
    go_along(b);
    if (!(descend(b, SWITCHED_STEPS) < f - 1e-6 * (1 + fabs(f)))) continue;
    f = descend(b, STEPS);
    memcpy(point, b->step, (size_t)n * sizeof *point);
    memcpy(point + n, b->image, (size_t)n * sizeof *point);
    since = 0;
  }
  return f;
}

/* The least value found; image becomes that of its step. points: [STARTS][2][n] workspace. */
static double minimise_over_ball(ball_image *b, double *points, double *image) {
  const size_t n = (size_t)b->n;
  const int starts = b->matrix && b->radius > 0 ? STARTS : 1;
  double value[STARTS], least = INFINITY;
  for (int start = 0; start < starts; ++start) {
    double *point = points + (size_t)start * 2 * n;
    go_to_start(b, start);
    value[start] = descend(b, starts > 1 ? FIRST_STEPS : STEPS);
    memcpy(point, b->step, n * sizeof *point);
    memcpy(point + n, b->image, n * sizeof *point);
  }
  for (int k = 0; k < FINISHED && k < starts; ++k) {
    int best = 0;
    for (int start = 1; start < starts; ++start)
      if (value[start] < value[best]) best = start;
    double *point = points + (size_t)best * 2 * n, f = value[best];
    value[best] = INFINITY;
    if (starts > 1) {
      memcpy(b->step, point, n * sizeof *point);
      memcpy(b->image, point + n, n * sizeof *point);
      f = descend(b, STEPS);
      memcpy(point, b->step, n * sizeof *point);
      memcpy(point + n, b->image, n * sizeof *point);
      f = switch_units(b, f, point);
    }
    if (!(f < least)) continue;
    least = f;
    memcpy(image, point + n, n * sizeof *point);
  }
  return least;
}

gannet_err parametric_lower(const void *state, double exploration, const double *x, double *value,
                            double *gradient) {
  enum { VECTORS = 8 };
  const parametric *m = state;
  const bool with_matrix = m->net.units <= MATRIX_UNITS;
  const size_t p = (size_t)m->p, inputs = (size_t)m->net.inputs;
  const size_t n = 2 * (size_t)m->net.units + 1, starts = with_matrix ? STARTS : 1;
  const size_t rows = with_matrix ? TWO_LAYER_ROWS : 1;
  double *memory = NULL;
  GANNET_TRY(gannet_alloc(
      2 * inputs + rows * p + (VECTORS + 1 + 2 * starts) * n + (with_matrix ? n * n : 0),
      sizeof *memory, &memory));
  double *z = memory, *by_z = z + inputs, *weights = by_z + inputs, *next = weights + rows * p;
  double *image = next + VECTORS * n, *points = image + n;
  ball_image b = {.m = m,
                  .units = m->net.units,
                  .n = (int)n,
                  .radius = exploration * sqrt(parametric_scale(m)),
                  .z = z,
                  .matrix = with_matrix ? points + 2 * starts * n : NULL,
                  .weights = weights,
                  .center = next,
                  .step = next + n,
                  .image = next + 2 * n,
                  .g = next + 3 * n,
                  .before = next + 4 * n,
                  .v = next + 5 * n,
                  .trial = next + 6 * n,
                  .trial_image = next + 7 * n};
  two_layer_inputs(&m->net, 1, x, z);
  map_weights(&b, m->w, b.center);
  if (with_matrix) make_matrix(&b);
  *value = minimise_over_ball(&b, points, image);
  map_back(&b, image, weights);
  gannet_regression_solve(m->posterior, 1, weights);
  for (size_t k = 0; k < p; ++k) weights[k] += m->w[k];
  (void)two_layer_slopes(&m->net, weights, z, NULL, m->work, by_z, NULL);
  two_layer_input_gradient(&m->net, z, by_z, gradient);
  gannet_free(&memory);
  return GANNET_OK;
}
