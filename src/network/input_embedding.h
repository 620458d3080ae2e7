/* The input of a network: a point of the unit cube, embedded into a space of one dimension more.
 *
 *   z_k = rho_k (2 x_k - 1), k < d
 *   flat:    z_d = bias
 *   sphere:  z_d = sqrt(bias^2 + sum_k (rho_k^2 - z_k^2)), so that |z|^2 = bias^2 + sum rho_k^2;
 *            a point so far outside the cube that z_d would be less than bias/1000, or has no root,
 *            gets bias/1000 and is then moved along its ray from the middle onto the sphere
 *
 * A network's variance grows with |z|. In the flat embedding the variance is largest in the corners
 * of the cube, and a search in many dimensions is drawn there. On the sphere the variance is the
 * same everywhere, and the kernel depends on the angle between two points alone.
 *
 * All functions are local.
 */
#ifndef GANNET_NETWORK_INPUT_EMBEDDING_H
#define GANNET_NETWORK_INPUT_EMBEDDING_H

typedef enum { GANNET_EMBEDDING_FLAT, GANNET_EMBEDDING_SPHERE } gannet_embedding_kind;

/* Known names by gannet_embedding_kind, NULL-terminated. */
extern const char *const gannet_embedding_names[];

typedef struct {
  gannet_embedding_kind kind;
  int d;
  const double *rho; /* [d], borrowed */
  double bias;
} gannet_input_embedding;

/* Embed n points: x [n][d] into z [n][d+1].
 *
 * Local.
 */
void gannet_embed_inputs(const gannet_input_embedding *embedding, int n, const double *x,
                         double *z);

/* Derivatives by x [d] from those by z [d+1], at the point whose embedding is z. by_z and gradient
 * may be the same array.
 *
 * Local.
 */
void gannet_embedding_gradient(const gannet_input_embedding *embedding, const double *z,
                               const double *by_z, double *gradient);

/* Add the derivatives by log rho [d] and log bias of a function with derivatives by_z [d+1].
 *
 * Local.
 */
void gannet_embedding_scale_gradient(const gannet_input_embedding *embedding, const double *z,
                                     const double *by_z, double *by_rho, double *by_bias);

#endif
