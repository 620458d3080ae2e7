/* The picture whose classification tells most about the classifier's weights.
 *
 * An image of 7 x 7 pixels in [0, 1] is scaled up to 8 x 8 by linear interpolation, corners on
 * corners; the objective is minus the Frobenius norm of the derivatives of the classifier's
 * probabilities with respect to its weights (He, Zhang, Lee 2018).
 */
#include <stdio.h>

#include "simulations/benchmark.h"
#include "simulations/digits.h"
#include "simulations/problems.h"

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

static double value(const void *user, int d, const double *x, double *c) {
  double pixels[TO * TO];
  (void)d, (void)c;
  scale_up(x, pixels);
  return -gannet_digit_sensitivity(user, pixels);
}

static int run(const void *settings, const gannet_simulation_input *input,
               gannet_simulation_output *output) {
  const gannet_digit_classifier *classifier = NULL;
  if (gannet_digit_classifier_get(&classifier) != GANNET_OK) {
    output->cannot_run = 0;
    (void)snprintf(output->reason, sizeof output->reason, "%s", gannet_error_message());
    return 1;
  }
  const gannet_benchmark_problem problem = {
      .type = &gannet_sensitive_sample, .value = value, .user = classifier, .variant = ""};
  return gannet_benchmark_run_problem(&problem, settings, input, output);
}

static int box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  /* The best of 300 runs of a quasi-Newton method from random points; 4 of them ended here. */
  static const double best[D] = {
      1,
      1,
      1,
      1,
      0.2136291332913623,
      1,
      1,
      1,
      1,
      1,
      1,
      1,
      1,
      1,
      1,
      1,
      1,
      1,
      1,
      1,
      1,
      1,
      1,
      0,
      1,
      1,
      1,
      1,
      1,
      1,
      0,
      1,
      0,
      0.47444872965727264,
      1,
      1,
      1,
      0.2928935983699331,
      1,
      1,
      1,
      1,
      1,
      1,
      0,
      1,
      1,
      1,
      1,
  };
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
    .run = run,
    .box = box,
    .fixed_d = D,
};
