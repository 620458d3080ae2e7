/* The input of a network: a point of the unit cube, scaled, with a constant or with a coordinate
 * that puts it on a sphere.
 *
 *   z_k = rho_k (2 x_k - 1), k < d
 *   flat:    z_d = bias
 *   sphere:  z_d = sqrt(bias^2 + sum_k (rho_k^2 - z_k^2)), so that |z|^2 = bias^2 + sum rho_k^2
 *
 * A network's variance grows with |z|: on the flat lift it is largest in the corners of the cube,
 * which draw a search there in many dimensions. On the sphere it is the same everywhere, and the
 * kernel depends on the angle between two points alone.
 */
#ifndef GANNET_NETWORK_LIFT_H
#define GANNET_NETWORK_LIFT_H

typedef enum { GANNET_LIFT_FLAT, GANNET_LIFT_SPHERE } gannet_lift_kind;

/* Lift n points.
 *
 * Local.
 *
 * rho  in   [d]
 * x    in   [n][d]
 * z    out  [n][d+1]
 */
typedef struct {
  gannet_lift_kind kind;
  int d;
  const double *rho; /* [d], borrowed */
  double bias;
} gannet_lift;

void gannet_lift_points(const gannet_lift *lift, int n, const double *x, double *z);

/* Derivatives by x [d] from those by z [d+1], at the point that was lifted to z. by_z and gradient
 * may be the same array.
 *
 * Local.
 */
void gannet_lift_gradient(const gannet_lift *lift, const double *z, const double *by_z,
                          double *gradient);

/* Add the derivatives by log rho [d] and log bias of a function with derivatives by_z [d+1].
 *
 * Local.
 */
void gannet_lift_scales(const gannet_lift *lift, const double *z, const double *by_z,
                        double *by_rho, double *by_bias);

/* Known names by gannet_lift_kind, NULL-terminated. */
extern const char *const gannet_lift_names[];

#endif
