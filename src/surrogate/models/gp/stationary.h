/* Stationary kernels k(x, x') = variance * phi(r^2) of the scaled squared distance
 * r^2 = sum_k (x_k - x'_k)^2 / length_k^2, on arrays of r^2. */
#ifndef GANNET_SURROGATE_STATIONARY_H
#define GANNET_SURROGATE_STATIONARY_H

typedef struct {
  const char *name;
  /* The spectral density of phi: 0 = standard normal (squared exponential), else a multivariate
   * Student t with so many degrees of freedom (Matern of smoothness nu has 2 nu). */
  int freedom;
  void (*value)(int n, const double *r2, double *phi); /* phi may be r2 */
  /* The same with d phi / d r^2. */
  void (*both)(int n, const double *r2, double *phi, double *slope);
} gannet_stationary;

/* Every kernel, in the order of gannet_stationary_names; both NULL-terminated. */
extern const gannet_stationary *const gannet_stationary_kernels[];
extern const char *const gannet_stationary_names[];

/* Cosines and sines of n numbers.
 *
 * Local.
 *
 * cosine  out  [n] may be x
 * sine    out  [n]
 */
void gannet_waves(int n, const double *x, double *cosine, double *sine);

/* Squared norms of n rows of d.
 *
 * Local.
 */
void gannet_row_norms(int n, int d, const double *z, double *norms);

/* row[j] = max(row[j] + norm + norms[j], 0): squared distances from -2 times products.
 *
 * Local.
 */
void gannet_add_norms(int n, double norm, const double *norms, double *row);

/* r2[i][j] = |a_i - b_j|^2, never negative, from scaled points and their squared norms.
 *
 * Local.
 *
 * a, b    in   [n][d], [m][d]
 * an, bn  in   [n], [m]
 * r2      out  [n][ld]
 */
void gannet_row_distances(int n, int m, int d, const double *a, const double *an, const double *b,
                          const double *bn, double *r2, int ld);

#endif
