/* Logarithm of the augmented expected improvement: the expected improvement times the share of the
 * value that an observation would tell,
 *
 *   log EI + log(1 - noise / sqrt(sd^2 + noise^2)),   noise^2 = noise_var,
 *
 * so that points whose value is known better than one observation would tell are not evaluated
 * again and again. Huang, Allen, Notz and Zeng 2006, eq. (12); without noise it is log EI.
 * Deviation: the value to improve upon is the least mean over the observations, not the mean at the
 * paper's effective best solution. */
#include <math.h>

#include "acquisition/improvement.h"
#include "acquisition/registry.h"
#include "base/normal.h"

typedef struct {
  gannet_acq_margin margin; /* first, because gannet_acq_improvement_of reads it */
  double least_noise;       /* variance, standardised */
} log_aei_options;

static const gannet_option option_table[] = {
    GANNET_ACQ_MARGIN_OPTION(offsetof(log_aei_options, margin.margin)),
    {.key = "least_noise",
     .type = GANNET_REAL,
     .offset = offsetof(log_aei_options, least_noise),
     .fallback = "0",
     .lower = 0,
     .upper = HUGE_VAL,
     .unit = "variances of the objective",
     .help = "noise variance of the model below which values count as exact; unless it is 0 they "
             "do so also while values of close points do not differ as noisy ones do",
     .example = "0.01"},
    {0}};

static double noise_of(const void *options, const gannet_acq_state *state) {
  const log_aei_options *o = options;
  const bool exact = o->least_noise > 0 && !state->looks_noisy;
  return exact || state->noise_var < o->least_noise ? 0 : sqrt(state->noise_var);
}

/* noise / sqrt(sd^2 + noise^2), and one minus it without cancellation. */
typedef struct {
  double known, told;
} shares;

static shares shares_of(double noise, double sd) {
  if (!(noise > 0)) return (shares){0, 1};
  const double both = hypot(noise, sd), told = sd / both * (sd / (both + noise));
  return (shares){noise / both, fmax(told, 1e-250)};
}

static void score(const void *options, const gannet_acq_state *state, int m, const double *mean,
                  const double *sd, double *scores) {
  const double noise = noise_of(options, state);
  for (int i = 0; i < m; ++i) {
    const gannet_acq_improvement g = gannet_acq_improvement_of(options, state, mean[i], sd[i]);
    scores[i] = log(g.sd) + gannet_normal_log_improvement(g.z) + log(shares_of(noise, g.sd).told);
  }
}

/* d log(1 - noise / s) / d sd = (noise / s) sd / s^2 / (1 - noise / s), s^2 = sd^2 + noise^2. */
static void partials(const void *options, const gannet_acq_state *state, double mean, double sd,
                     double *by_mean, double *by_sd) {
  const double noise = noise_of(options, state);
  const gannet_acq_improvement g = gannet_acq_improvement_of(options, state, mean, sd);
  const shares part = shares_of(noise, g.sd);
  *by_mean = -gannet_normal_cdf_over_improvement(g.z) / g.sd;
  *by_sd = gannet_normal_pdf_over_improvement(g.z) / g.sd;
  if (noise > 0) *by_sd += part.known * (1 + part.known) / g.sd;
}

const gannet_acq_type gannet_acq_log_aei = {
    .name = "log-aei",
    .summary = "logarithm of the expected improvement, less where noise hides what is not known",
    .source = "Huang, Allen, Notz, Zeng 2006, eq. (12)",
    .kind = GANNET_ACQ_MOMENTS,
    .gain = GANNET_ACQ_LOG_GAIN,
    .options = option_table,
    .options_size = sizeof(log_aei_options),
    .score = score,
    .shape = GANNET_ACQ_RISING,
    .partials = partials,
};
