#include "simulations/digits.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "simulations/benchmark.h"
#include "simulations/once.h"
#include "simulations/problems.h"

enum {
  PIXELS = GANNET_DIGIT_PIXELS,
  UNITS = GANNET_DIGIT_UNITS,
  DIGITS = GANNET_DIGITS,
  WEIGHTS = sizeof(gannet_digit_classifier) / sizeof(double),
  STEPS = 200
};

/* Gradient descent with momentum on the mean cross-entropy, with a little weight decay: all of it
 * chosen once so that the classifier is right about most digits that it has not seen. */
static const double rate = 0.3, momentum = 0.9, decay = 1e-3, grid = 1024;

void gannet_digit_pixels(int digit, int image, double *x) {
  for (int k = 0; k < PIXELS; ++k) x[k] = (gannet_digit_images[digit][image][k] - 'a') / 16.0;
}

void gannet_digit_classify(const gannet_digit_classifier *classifier, const double *x,
                           gannet_digit_opinion *opinion) {
  double largest = -HUGE_VAL, sum = 0;
  for (int j = 0; j < UNITS; ++j) {
    double input = classifier->a[j];
    for (int k = 0; k < PIXELS; ++k) input += classifier->w[j][k] * x[k];
    opinion->u[j] = tanh(input);
  }
  for (int i = 0; i < DIGITS; ++i) {
    opinion->p[i] = classifier->b[i];
    for (int j = 0; j < UNITS; ++j) opinion->p[i] += classifier->v[i][j] * opinion->u[j];
    largest = fmax(largest, opinion->p[i]);
  }
  for (int i = 0; i < DIGITS; ++i) sum += opinion->p[i] = exp(opinion->p[i] - largest);
  for (int i = 0; i < DIGITS; ++i) opinion->p[i] /= sum;
}

double gannet_digit_sensitivity(const gannet_digit_classifier *classifier, const double *x) {
  gannet_digit_opinion o;
  double s2 = 0, hidden2 = 0, u2 = 1, x2 = 1;
  gannet_digit_classify(classifier, x, &o);
  for (int k = 0; k < PIXELS; ++k) x2 += x[k] * x[k];
  for (int i = 0; i < DIGITS; ++i)
    for (int l = 0; l < DIGITS; ++l) {
      const double s = (i == l ? o.p[i] : 0) - o.p[i] * o.p[l];
      s2 += s * s;
    }
  for (int j = 0; j < UNITS; ++j) {
    const double slope = 1 - o.u[j] * o.u[j];
    double mean = 0;
    u2 += o.u[j] * o.u[j];
    for (int i = 0; i < DIGITS; ++i) mean += o.p[i] * classifier->v[i][j];
    for (int i = 0; i < DIGITS; ++i) {
      const double one = o.p[i] * (classifier->v[i][j] - mean) * slope;
      hidden2 += one * one;
    }
  }
  return sqrt(s2 * u2 + hidden2 * x2);
}

/* Add the gradient of the cross-entropy of one image. */
static void add_gradient(const gannet_digit_classifier *c, int digit, const double *x,
                         gannet_digit_classifier *gradient) {
  gannet_digit_opinion o;
  gannet_digit_classify(c, x, &o);
  o.p[digit] -= 1;
  for (int j = 0; j < UNITS; ++j) {
    double back = 0;
    for (int i = 0; i < DIGITS; ++i) {
      back += o.p[i] * c->v[i][j];
      gradient->v[i][j] += o.p[i] * o.u[j];
    }
    back *= 1 - o.u[j] * o.u[j];
    gradient->a[j] += back;
    for (int k = 0; k < PIXELS; ++k) gradient->w[j][k] += back * x[k];
  }
  for (int i = 0; i < DIGITS; ++i) gradient->b[i] += o.p[i];
}

/* The classifier is WEIGHTS numbers in a row. */
static double *numbers(gannet_digit_classifier *classifier) {
  return (double *)(void *)classifier;
}

static void train_classifier(gannet_digit_classifier *c, gannet_digit_classifier *work) {
  static const gannet_stream stream = {.seed = 49, .purpose = GANNET_FOR_WEIGHTS};
  const double images = (double)DIGITS * GANNET_DIGIT_TRAINING;
  gannet_digit_classifier *gradient = work, *speed = work + 1;
  double x[PIXELS];
  gannet_random_normal(stream, 0, WEIGHTS, numbers(c));
  for (int i = 0; i < WEIGHTS; ++i) numbers(c)[i] /= sqrt(PIXELS);
  for (int step = 0; step < STEPS; ++step) {
    memset(gradient, 0, sizeof *gradient);
    for (int digit = 0; digit < DIGITS; ++digit)
      for (int image = 0; image < GANNET_DIGIT_TRAINING; ++image) {
        gannet_digit_pixels(digit, image, x);
        add_gradient(c, digit, x, gradient);
      }
    for (int i = 0; i < WEIGHTS; ++i) {
      const double slope = numbers(gradient)[i] / images + decay * numbers(c)[i];
      numbers(speed)[i] = momentum * numbers(speed)[i] - rate * slope;
      numbers(c)[i] += numbers(speed)[i];
    }
  }
  for (int i = 0; i < WEIGHTS; ++i) numbers(c)[i] = nearbyint(numbers(c)[i] * grid) / grid;
}

gannet_err gannet_digit_classifier_get(const gannet_digit_classifier **classifier) {
  static const char key[] = "digit classifier";
  gannet_digit_classifier *made = gannet_once_find(key), *work = NULL;
  *classifier = made;
  if (made) return GANNET_OK;
  GANNET_TRY(gannet_alloc(1, sizeof *made, &made));
  const gannet_err code = gannet_alloc(2, sizeof *work, &work);
  if (code != GANNET_OK) {
    gannet_free(&made);
    return code;
  }
  train_classifier(made, work);
  gannet_free(&work);
  GANNET_TRY(gannet_once_keep(key, made));
  *classifier = made;
  return GANNET_OK;
}

/* The problem sensitive-sample: the picture whose classification tells most about the classifier's
 * weights.
 *
 * An image of 7 x 7 pixels in [0, 1] is scaled up to 8 x 8 by linear interpolation, corners on
 * corners; the objective is minus the Frobenius norm of the derivatives of the classifier's
 * probabilities with respect to its weights (He, Zhang, Lee 2018).
 */
enum { SIDE = 7, TO = 8, D = SIDE * SIDE };

static void scale_up(const double *x, double *pixels) {
  for (int j = 0; j < TO; ++j)
    for (int i = 0; i < TO; ++i) {
      const double at_x = i * (SIDE - 1.0) / (TO - 1), at_y = j * (SIDE - 1.0) / (TO - 1);
      const int left = at_x < SIDE - 1 ? (int)at_x : SIDE - 2;
      const int above = at_y < SIDE - 1 ? (int)at_y : SIDE - 2;
      const double right = at_x - left, below = at_y - above;
      const double *high = x + above * SIDE + left, *low = high + SIDE;
      pixels[j * TO + i] = (1 - below) * ((1 - right) * high[0] + right * high[1]) +
                           below * ((1 - right) * low[0] + right * low[1]);
    }
}

static double sample_value(const void *user, int d, const double *x, double *c) {
  double pixels[TO * TO];
  (void)d, (void)c;
  scale_up(x, pixels);
  return -gannet_digit_sensitivity(user, pixels);
}

static int sample_run(const void *settings, const gannet_simulation_input *input,
                      gannet_simulation_output *output, gannet_quantity *quantities) {
  const gannet_digit_classifier *classifier = NULL;
  if (gannet_digit_classifier_get(&classifier) != GANNET_OK) {
    output->cannot_run = 0;
    (void)snprintf(output->reason, sizeof output->reason, "%s", gannet_error_message());
    return 1;
  }
  const gannet_benchmark_problem problem = {
      .type = &gannet_sensitive_sample, .value = sample_value, .user = classifier, .variant = ""};
  return gannet_benchmark_run_problem(&problem, settings, input, output, quantities);
}

static int sample_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  /* The best of 300 runs of a quasi-Newton method from random points; 4 of them ended here. */
  /* clang-format off */
  static const double best[D] = {
      1, 1, 1, 1, 0.2136291332913623, 1, 1,
      1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 1,
      1, 1, 0, 1, 1, 1, 1,
      1, 1, 0, 1, 0, 0.47444872965727264, 1,
      1, 1, 0.2928935983699331, 1, 1, 1, 1,
      1, 1, 0, 1, 1, 1, 1,
  };
  /* clang-format on */
  if (d != D) return -1;
  gannet_benchmark_cube(d, 0, 1, lower, upper);
  return gannet_benchmark_listed(d, -10.645225964337609, best, minimum, minimizer);
}

const gannet_simulation_type gannet_sensitive_sample = {
    .name = "sensitive-sample",
    .summary = "a picture that betrays changes of a digit classifier's weights, 7 x 7 pixels",
    .source = "Neural-BO, section 3.5.3.1, with a small classifier; [0, 1]^49, best known",
    .options = gannet_benchmark_options,
    .options_size = sizeof(gannet_benchmark_settings),
    .run = sample_run,
    .box = sample_box,
    .fixed_d = D,
};

/* The problem digit-match: the picture that a classifier takes for the same as a target picture.
 *
 * features: distance of the units' values from those of the target; answers: Kullback-Leibler
 * divergence of the digits' probabilities from those of the target. The target is an image of the
 * digits, sampled at 7 x 7 points: 0 there.
 */
typedef enum { MATCH_FEATURES, MATCH_ANSWERS } match_kind;

static const char *const match_names[] = {"features", "answers", NULL};

typedef struct {
  gannet_benchmark_settings common;
  int function; /* a match_kind */
  int instance;
} match_settings;

static const gannet_option match_options[] = {
    GANNET_BENCHMARK_OPTIONS,
    {.key = "function",
     .type = GANNET_CHOICE,
     .offset = offsetof(match_settings, function),
     .fallback = "features",
     .choices = match_names,
     .help = "what is to match: features (the values of the units) or answers (the probabilities "
             "of the digits)"},
    {.key = "instance",
     .type = GANNET_INTEGER,
     .offset = offsetof(match_settings, instance),
     .fallback = "1",
     .lower = 0,
     .upper = 1e9,
     .help = "which of 200 images is the target, counted round"},
    {0}};

typedef struct {
  const gannet_digit_classifier *classifier;
  match_kind kind;
  gannet_digit_opinion target;
} match;

static void find_target(int instance, double *x) {
  double pixels[TO * TO];
  gannet_digit_pixels(instance % DIGITS, instance / DIGITS % GANNET_DIGIT_IMAGES, pixels);
  for (int j = 0; j < SIDE; ++j)
    for (int i = 0; i < SIDE; ++i) x[j * SIDE + i] = pixels[j * TO + i];
}

static double match_value(const void *user, int d, const double *x, double *c) {
  const match *m = user;
  gannet_digit_opinion o;
  double pixels[TO * TO], sum = 0;
  (void)d, (void)c;
  scale_up(x, pixels);
  gannet_digit_classify(m->classifier, pixels, &o);
  if (m->kind == MATCH_FEATURES) {
    for (int j = 0; j < UNITS; ++j) sum += (o.u[j] - m->target.u[j]) * (o.u[j] - m->target.u[j]);
    return sqrt(sum);
  }
  for (int i = 0; i < DIGITS; ++i) sum += m->target.p[i] * log(m->target.p[i] / o.p[i]);
  return fmax(0, sum);
}

static int match_run(const void *options, const gannet_simulation_input *input,
                     gannet_simulation_output *output, gannet_quantity *quantities) {
  const match_settings *settings = options;
  match m = {.kind = (match_kind)settings->function};
  double x[D], pixels[TO * TO];
  char variant[64];
  if (gannet_digit_classifier_get(&m.classifier) != GANNET_OK) {
    output->cannot_run = 0;
    (void)snprintf(output->reason, sizeof output->reason, "%s", gannet_error_message());
    return 1;
  }
  find_target(settings->instance, x);
  scale_up(x, pixels);
  gannet_digit_classify(m.classifier, pixels, &m.target);
  (void)snprintf(variant, sizeof variant, "%s %d", match_names[m.kind], settings->instance);
  const gannet_benchmark_problem problem = {
      .type = &gannet_digit_match, .value = match_value, .user = &m, .variant = variant};
  return gannet_benchmark_run_problem(&problem, settings, input, output, quantities);
}

/* The minimizer is that of the default settings; box and minimum are those of all. */
static int match_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  double target[D];
  if (d != D) return -1;
  find_target(1, target);
  gannet_benchmark_cube(d, 0, 1, lower, upper);
  return gannet_benchmark_listed(d, 0, target, minimum, minimizer);
}

const gannet_simulation_type gannet_digit_match = {
    .name = "digit-match",
    .summary = "a picture that a digit classifier takes for the same as another, 7 x 7 pixels",
    .source = "made for this program; [0, 1]^49, 0 at an image of the digits",
    .options = match_options,
    .options_size = sizeof(match_settings),
    .run = match_run,
    .box = match_box,
    .fixed_d = D,
};
