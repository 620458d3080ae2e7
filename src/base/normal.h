/* The normal distribution far into its tails: nothing here underflows or cancels. */
#ifndef GANNET_BASE_NORMAL_H
#define GANNET_BASE_NORMAL_H

/* Density and distribution function of the standard normal, to full relative accuracy until they
 * underflow (|z| about 38).
 *
 * Local.
 */
double gannet_normal_pdf(double z);
double gannet_normal_cdf(double z);

/* log of the distribution function, and its derivative pdf / cdf; finite for |z| <= 1e150.
 *
 * Local.
 */
double gannet_normal_log_cdf(double z);
double gannet_normal_hazard(double z);

/* h(z) = pdf(z) + z cdf(z), the expected improvement of a standard normal; its logarithm as in
 * Ament et al. 2023, eq. (9), but with a continued fraction in the tail instead of erfcx; and the
 * ratios cdf / h (the derivative of the logarithm) and pdf / h. Finite for |z| <= 1e150.
 *
 * Local.
 */
double gannet_normal_improvement(double z);
double gannet_normal_log_improvement(double z);
double gannet_normal_cdf_over_improvement(double z);
double gannet_normal_pdf_over_improvement(double z);

/* The logarithm and both ratios at once, in a third of the time.
 *
 * Local.
 */
typedef struct {
  double logarithm, cdf_ratio, pdf_ratio;
} gannet_normal_terms;

gannet_normal_terms gannet_normal_improvement_terms(double z);

/* Entropy that a standard normal Z loses when it is known that Z < z,
 *
 *   g(z) = z pdf(z) / (2 cdf(z)) - log cdf(z)      (Wang and Jegelka 2017, eq. (6)),
 *
 * as its logarithm, and the derivative of that; finite for |z| <= 1e150.
 *
 * Local.
 */
double gannet_normal_log_truncation(double z);
double gannet_normal_log_truncation_slope(double z);

#endif
