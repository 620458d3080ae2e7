/* The loop around L-BFGS-B, which keeps its state in the arrays of its caller. The tolerances and
 * the budget are checked here, and values that its line search cannot use are replaced. */
#include "minimize/minimize.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

enum {
  PAIRS = 10, /* steps whose curvature is remembered */
  TASK = 60   /* characters of a Fortran string of L-BFGS-B */
};

/* L-BFGS-B 3.0. Strings are padded with blanks; their lengths come last. */
void setulb_(const int *n, const int *m, double *x, const double *l, const double *u,
             const int *nbd, double *f, double *g, const double *factr, const double *pgtol,
             double *wa, int *iwa, char *task, const int *iprint, char *csave, int *lsave,
             int *isave, double *dsave, size_t task_length, size_t csave_length);

typedef struct {
  char task[TASK]; /* what L-BFGS-B wants, or why it has stopped */
  char csave[TASK];
  int lsave[4], isave[44];
  double dsave[29];
} library_state;

struct gannet_minimizer {
  int n;
  gannet_minimize_options options;
  gannet_minimize_reason reason;
  int evaluations;
  double *lower, *upper; /* [n] */
  int *bounded;          /* [n] 0 no bound, 1 lower, 2 both, 3 upper */
  double value;          /* the least so far */
  double *best;          /* [n] where that is */
  double *best_gradient; /* [n] there */
  double begun;          /* the value where L-BFGS-B began, at the start or after a failed search */
  double scale;          /* L-BFGS-B minimises the function times this */
  double at_value;       /* of the scaled function, at the present point */
  double *at, *gradient; /* [n] the present point, and the scaled gradient there */
  double base_value;     /* scaled, where the present line search starts */
  double *base;          /* [n] */
  double *base_gradient; /* [n] scaled and projected */
  double *memory;        /* of L-BFGS-B */
  int *indices;          /* [3 n] of L-BFGS-B */
  library_state library;
};

bool gannet_minimize_accepts(int n, double value, const double *gradient) {
  const double largest_square = 1e300; /* gradients are squared, and their differences */
  double square = 0;
  for (int i = 0; i < n; ++i) square += gradient[i] * gradient[i];
  return isfinite(value) && square <= largest_square;
}

/* What L-BFGS-B asks for. */
static size_t memory_length(int n) {
  const size_t pairs = PAIRS;
  return (2 * pairs + 5) * (size_t)n + 11 * pairs * pairs + 8 * pairs;
}

static gannet_err set_bounds(gannet_minimizer *m, const double *lower, const double *upper) {
  for (int i = 0; i < m->n; ++i) {
    m->lower[i] = lower ? lower[i] : -INFINITY;
    m->upper[i] = upper ? upper[i] : INFINITY;
    GANNET_REQUIRE(m->lower[i] <= m->upper[i], GANNET_ERR_ARG, "bounds of variable %d: [%g, %g]", i,
                   m->lower[i], m->upper[i]);
    const bool below = isfinite(m->lower[i]), above = isfinite(m->upper[i]);
    m->bounded[i] = below ? 1 + above : above ? 3 : 0;
  }
  return GANNET_OK;
}

gannet_err gannet_minimizer_create(int n, const double *lower, const double *upper,
                                   const gannet_minimize_options *options,
                                   gannet_minimizer **minimizer) {
  GANNET_REQUIRE(n >= 1, GANNET_ERR_ARG, "n = %d, expected at least 1", n);
  GANNET_REQUIRE(options->max_evaluations > 0, GANNET_ERR_ARG, "max_evaluations = %d",
                 options->max_evaluations);
  const size_t length = (size_t)n;
  gannet_minimizer *m = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *m, &m));
  m->n = n;
  m->options = *options;
  gannet_err err = gannet_alloc(8 * length + memory_length(n), sizeof *m->lower, &m->lower);
  if (err == GANNET_OK) err = gannet_alloc(4 * length, sizeof *m->indices, &m->indices);
  if (err == GANNET_OK) {
    m->upper = m->lower + length;
    m->best = m->upper + length;
    m->best_gradient = m->best + length;
    m->at = m->best_gradient + length;
    m->gradient = m->at + length;
    m->base = m->gradient + length;
    m->base_gradient = m->base + length;
    m->memory = m->base_gradient + length;
    m->bounded = m->indices + 3 * length;
    err = set_bounds(m, lower, upper);
  }
  if (err != GANNET_OK) gannet_minimizer_destroy(&m);
  *minimizer = m;
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}

void gannet_minimizer_destroy(gannet_minimizer **minimizer) {
  if (!*minimizer) return;
  gannet_free(&(*minimizer)->lower);
  gannet_free(&(*minimizer)->indices);
  gannet_free(minimizer);
}

void gannet_minimizer_start(gannet_minimizer *m, const double *x) {
  for (int i = 0; i < m->n; ++i) m->at[i] = fmin(fmax(x[i], m->lower[i]), m->upper[i]);
  m->evaluations = 0;
  m->reason = GANNET_MINIMIZE_RUNNING;
}

const double *gannet_minimizer_point(const gannet_minimizer *m) {
  return m->reason == GANNET_MINIMIZE_RUNNING ? m->at : NULL;
}

/* Begin a line search at the present point. Returns the norm of the projected gradient: without
 * what leads out of the box. */
static double set_base(gannet_minimizer *m) {
  double square = 0;
  m->base_value = m->at_value;
  for (int i = 0; i < m->n; ++i) {
    const bool held = (m->at[i] <= m->lower[i] && m->gradient[i] > 0) ||
                      (m->at[i] >= m->upper[i] && m->gradient[i] < 0);
    m->base[i] = m->at[i];
    m->base_gradient[i] = held ? 0 : m->gradient[i];
    square += m->base_gradient[i] * m->base_gradient[i];
  }
  return sqrt(square);
}

static bool task_is(const gannet_minimizer *m, const char *begins) {
  return strncmp(m->library.task, begins, strlen(begins)) == 0;
}

/* The norm of the projected gradient has become as small as wanted, or the last iteration changed
 * the value as little. */
static bool has_converged(gannet_minimizer *m) {
  const double before = m->base_value / m->scale, now = m->at_value / m->scale;
  const double size = fmax(fmax(fabs(before), fabs(now)), 1);
  return set_base(m) / m->scale <= m->options.gradient_tolerance ||
         fabs(before - now) < m->options.value_tolerance * size;
}

/* Let L-BFGS-B go on until it wants a value, or has stopped. */
static gannet_err advance(gannet_minimizer *m) {
  const int pairs = PAIRS, silent = -1;
  const double never = 0;
  library_state *s = &m->library;
  do {
    setulb_(&m->n, &pairs, m->at, m->lower, m->upper, m->bounded, &m->at_value, m->gradient, &never,
            &never, m->memory, m->indices, s->task, &silent, s->csave, s->lsave, s->isave, s->dsave,
            TASK, TASK);
    GANNET_REQUIRE(!task_is(m, "ERROR"), GANNET_ERR_LIBRARY, "L-BFGS-B: %.*s", TASK, s->task);
    if (task_is(m, "CONV") || (task_is(m, "NEW_X") && has_converged(m)))
      m->reason = GANNET_MINIMIZE_CONVERGED;
    if (task_is(m, "ABNO")) m->reason = GANNET_MINIMIZE_STALLED;
  } while (m->reason == GANNET_MINIMIZE_RUNNING && !task_is(m, "FG"));
  return GANNET_OK;
}

/* Begin at the best point, without a memory of curvature. In a box the first step of L-BFGS-B is
 * the gradient itself, whatever its length: the function is scaled so that it has length one at
 * most, as without bounds. */
static gannet_err begin(gannet_minimizer *m) {
  const size_t bytes = (size_t)m->n * sizeof *m->at;
  memcpy(m->at, m->best, bytes);
  memcpy(m->gradient, m->best_gradient, bytes);
  m->begun = m->at_value = m->value;
  m->scale = 1;
  const double norm = set_base(m);
  if (norm <= m->options.gradient_tolerance) {
    m->reason = GANNET_MINIMIZE_CONVERGED;
    return GANNET_OK;
  }
  m->scale = fmin(1, 1 / norm);
  m->at_value *= m->scale;
  for (int i = 0; i < m->n; ++i) m->gradient[i] *= m->scale;
  (void)set_base(m);
  /* L-BFGS-B reads some of its memory before it writes it. */
  m->library = (library_state){0};
  memset(m->memory, 0, memory_length(m->n) * sizeof *m->memory);
  memset(m->indices, 0, 3 * (size_t)m->n * sizeof *m->indices);
  memset(m->library.task, ' ', TASK);
  memcpy(m->library.task, "START", 5);
  GANNET_TRY(advance(m)); /* it wants the start */
  return advance(m);
}

/* A value that exceeds the best one by far more than the expected change is as useless to the line
 * search as infinity: the interpolation would step back to nothing. Where a value is useless, the
 * line search is told that the value rises by what it should have fallen by, with slope zero: the
 * cubic through that and the start has its minimum at a ninth of the step. */
static void use_for_search(gannet_minimizer *m, bool accepted, double value,
                           const double *gradient) {
  const double useless_rise = 1e6; /* times the expected change */
  double change = 0;               /* that the gradient at the start of the line search predicts */
  for (int i = 0; i < m->n; ++i) change += m->base_gradient[i] * (m->at[i] - m->base[i]);
  const double least = 16 * DBL_EPSILON * fmax(fabs(m->base_value), DBL_MIN);
  change = isfinite(change) ? fmax(fabs(change), least) : least;
  if (accepted && m->scale * value - m->base_value <= useless_rise * change) {
    m->at_value = m->scale * value;
    for (int i = 0; i < m->n; ++i) m->gradient[i] = m->scale * gradient[i];
  } else {
    m->at_value = m->base_value + change;
    memset(m->gradient, 0, (size_t)m->n * sizeof *gradient);
  }
}

gannet_err gannet_minimizer_tell(gannet_minimizer *m, double value, const double *gradient) {
  const size_t bytes = (size_t)m->n * sizeof *gradient;
  const bool accepted = gannet_minimize_accepts(m->n, value, gradient);
  const bool first = m->evaluations++ == 0;
  if (first) m->value = value;
  if (accepted && (first || value < m->value)) {
    m->value = value;
    memcpy(m->best, m->at, bytes);
    memcpy(m->best_gradient, gradient, bytes);
  }
  if (first && !accepted) {
    m->reason = GANNET_MINIMIZE_NO_START;
  } else if (first) {
    GANNET_TRY(begin(m));
  } else {
    use_for_search(m, accepted, value, gradient);
    GANNET_TRY(advance(m));
  }
  if (m->reason == GANNET_MINIMIZE_STALLED && m->value < m->begun) {
    m->reason = GANNET_MINIMIZE_RUNNING;
    GANNET_TRY(begin(m));
  }
  if (m->reason == GANNET_MINIMIZE_RUNNING && m->evaluations >= m->options.max_evaluations)
    m->reason = GANNET_MINIMIZE_BUDGET;
  return GANNET_OK;
}

void gannet_minimizer_best(const gannet_minimizer *m, double *x, gannet_minimize_result *result) {
  memcpy(x, m->reason == GANNET_MINIMIZE_NO_START ? m->at : m->best, (size_t)m->n * sizeof *x);
  *result = (gannet_minimize_result){m->value, m->evaluations, m->reason};
}

static gannet_err run(gannet_minimizer *m, double *x, gannet_value_gradient function, void *user,
                      gannet_minimize_result *result) {
  double *gradient = NULL;
  GANNET_TRY(gannet_alloc((size_t)m->n, sizeof *gradient, &gradient));
  gannet_err err = GANNET_OK;
  gannet_minimizer_start(m, x);
  for (const double *at; err == GANNET_OK && (at = gannet_minimizer_point(m));) {
    double value = 0;
    err = function(user, m->n, at, &value, gradient);
    if (err == GANNET_OK) err = gannet_minimizer_tell(m, value, gradient);
  }
  gannet_free(&gradient);
  GANNET_TRY(err);
  gannet_minimizer_best(m, x, result);
  GANNET_REQUIRE(result->reason != GANNET_MINIMIZE_NO_START, GANNET_ERR_NUMERIC,
                 "value %g or its gradient is not finite, or too large, at the start",
                 result->value);
  return GANNET_OK;
}

gannet_err gannet_minimize(int n, double *x, const double *lower, const double *upper,
                           gannet_value_gradient function, void *user,
                           const gannet_minimize_options *options, gannet_minimize_result *result) {
  gannet_minimizer *m = NULL;
  GANNET_TRY(gannet_minimizer_create(n, lower, upper, options, &m));
  const gannet_err err = run(m, x, function, user, result);
  gannet_minimizer_destroy(&m);
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}
