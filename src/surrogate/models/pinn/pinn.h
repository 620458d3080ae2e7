/* The physics-informed model: a network conditioned on observations and on equations at points.
 *
 *   pinn.c            options, data, the table of operations
 *   pinn_network.c    the network
 *   pinn_condition.c  conditioning on observations and equations
 *   pinn_fit.c        search for hyperparameters
 *   pinn_predict.c    moments and their gradients
 *   pinn_draw.c       draws of functions
 *
 * Terms
 *   s^2       the amplitude: prior variance of the function
 *   phi(x)    gradient of the network (pinn_network.h) by its weights w at the point x
 *   row       one equation at one point, linear in w
 *   omega_j   gradient of row j by the weights, divided by its length
 *   length    norm of that gradient: the standard deviation of the row under the prior
 *   u_j       right side of row j, divided by the length
 *
 * The model is lemma 5.3.4 of the thesis, in units of the prior:
 *
 *   f = s phi . w,  w ~ N(0, I),   y = f + N(0, noise),   u_j = s omega_j . w + N(0, s^2 lambda_2),
 *   K = [[K_rr + lambda_2 I, K_ru], [K_ur, K_uu + lambda_1 I]],   lambda_1 = noise / s^2.
 *
 * K is factorised by blocks, K_rr + lambda_2 I = L L^T, B = K_ur L^-T, S = K_uu + lambda_1 I - B
 * B^T: the part of the equations changes only with hyperparameters. A name with _r belongs to the
 * rows, one with _u to the observations.
 *
 * Gauss-Newton treats equations that are not linear, and a network that is trained: rows are
 * linearised at the present weights, and the same solve gives the next weights.
 */
#ifndef GANNET_SURROGATE_PINN_H
#define GANNET_SURROGATE_PINN_H

#include "linalg/cholesky.h"
#include "surrogate/models/pinn/pinn_network.h"
#include "surrogate/surrogate.h"

/* The grading that a model with equations may choose, and the most variables for which it may: of
 * more variables the equations would have to be imposed in all corners
 * (optimizer/models/pde_constraint.c). */
#define PINN_GRADING 1e-3
enum { PINN_GRADED_VARIABLES = 3 };

typedef enum { PINN_ALL_WEIGHTS, PINN_OUTPUT_WEIGHTS } pinn_features;
typedef enum { PINN_CLOSED, PINN_TRAINED } pinn_mode;
typedef enum { PINN_CALIBRATED, PINN_PAPER } pinn_schedule;

typedef struct {
  int activation; /* position in gannet_smooth_activations */
  int layers;
  int width;                                            /* GANNET_AUTO */
  int single_width;                                     /* GANNET_AUTO */
  int features;                                         /* a pinn_features: which weights vary */
  double input_scale, single_scale, single_share, bias; /* NAN = learned, or chosen */
  double grading;                                       /* NAN = learned; 0 = none */
  int mode;                                             /* a pinn_mode */
  int steps;
  double noise_floor;
  int schedule; /* a pinn_schedule */
  double bound, delta;
  double exploit; /* factor on the spread of every other draw */
} pinn_options;

/* Positions in hyper. The last three follow from the others and the data: they are reported, and
 * PINN_NU scales draws by the published schedule. */
enum {
  PINN_AMPLITUDE, /* log s^2 */
  PINN_NOISE,     /* log noise */
  PINN_SCALE,     /* log rho of the wide part */
  PINN_SINGLE,    /* log rho of the narrow parts */
  PINN_SHARE,     /* share of the narrow parts */
  PINN_EDGE,      /* e of graded inputs; 0 = none */
  PINN_LEARNED,   /* number of observations of the last full search */
  PINN_GAIN,      /* information gain gamma_t */
  PINN_INTERACTION,
  PINN_NU,
  PINN_HYPER
};

enum {
  PINN_TILE = 64,  /* points whose features are made at once */
  PINN_BLOCK = 192 /* rows of a product that is made in parts with the bits of the whole */
};

typedef struct {
  const gannet_context *context;
  const pinn_options *options;
  gannet_streams streams;
  int d, p; /* variables, weights */
  pinn_network *network;
  double hyper[PINN_HYPER];
  gannet_pde_constraint constraint;  /* the equations as given; residuals NULL = none */
  const gannet_pde_residuals *known; /* the equations that the rows below belong to */
  gannet_jet_plan equations;         /* derivatives in the equations */
  gannet_jet_plan value;             /* the function itself */
  gannet_jet_plan slope;             /* its gradient */
  pinn_mode mode;                    /* mode of the options; closed while hyper is searched */
  bool stale;       /* hyperparameters or equations changed: everything must be made again */
  bool ranks_share; /* all ranks make this model now, and share its products */

  int r;               /* rows */
  double *coefficient; /* [r][n_partials] */
  double *rhs;         /* [r] right sides before division */
  double *length;      /* [r] */
  double *jets;        /* [n_points][n_partials] derivatives of f at the points of the equations */
  double *omega;       /* [r][p] */
  double *target_r;    /* [r] right sides u for the weights */
  double *alpha_r;     /* [r] */
  double *gram_r;      /* [r][r] lower triangle of K_rr while ranks make it together, or NULL */
  gannet_cholesky *factor_r;

  int n, capacity;
  double noise_var;          /* noise variance that came with the data; NAN = inferred */
  double coarse;             /* least -log p with coarse noise of a search's trials (pinn_fit.c) */
  double log_evidence_ratio; /* operation log_evidence_ratio; 0 = the last fit did not look */
  double lambda1;
  double *x;                  /* [capacity][d] */
  double *y;                  /* [capacity] */
  double *phi;                /* [capacity][p] */
  double *cross;              /* [capacity][r] B */
  double *target_u, *alpha_u; /* [capacity] */
  double *schur;              /* [capacity^2], lower triangle of S without lambda_1 */
  gannet_cholesky *factor_u;

  double *w;     /* [p] weights of the mean */
  double *prior; /* [p] weights that Gauss-Newton pulls to in a draw */
  double *trial; /* [p] */
  int q;
  double *draws; /* [q][p] */
  double *tile;  /* [max(PINN_TILE, d)][p] features of a tile, or of the slopes at a point */
  double *work;  /* [PINN_TILE][r + capacity], twice */
  int work_size;
} pinn;

static inline bool pinn_is_linear(const pinn *s) {
  return s->mode == PINN_CLOSED && (!s->known || s->known->linear);
}

static inline bool pinn_is_trained(const pinn *s) {
  return s->mode == PINN_TRAINED;
}

/* How many of n models of the same cost ranks make one each, in turn: these are the first ones. The
 * other models are made by all ranks together.
 *
 * Local; same result on all ranks.
 */
int pinn_count_alone(const pinn *s, int n);

/* gannet_agree where ranks make a model together; otherwise the code itself.
 *
 * Collective over the context's communicator while s->ranks_share, otherwise local.
 */
GANNET_CHECKED gannet_err pinn_agree(const pinn *s, gannet_err code);

/* Give the network the scales of s->hyper.
 *
 * Collective over the context's communicator while s->ranks_share, otherwise local.
 */
GANNET_CHECKED gannet_err pinn_set_scales(pinn *s);

/* Rows, factors and the weights of the mean, for s->hyper and the scales of the network.
 *
 * Collective over the context's communicator while s->ranks_share, otherwise local.
 *
 * all  in  scales or equations changed: the rows of the equations must be made again
 */
GANNET_CHECKED gannet_err pinn_condition(pinn *s, bool all);

/* S + lambda_1 I = L L^T. lambda_1 is raised tenfold while rounding makes that impossible, as when
 * points repeat or the equations leave nothing open.
 *
 * Collective over the context's communicator while s->ranks_share, otherwise local.
 *
 * Errors: GANNET_ERR_NUMERIC; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err pinn_factorise_u(pinn *s);

/* Weights v that minimise |v - prior|^2 plus the squared residuals, each over its variance, where
 * shift_u and shift_r are added to the targets. Gauss-Newton from v when the model is not linear.
 *
 * Collective over the context's communicator while s->ranks_share, otherwise local.
 *
 * shift_r, shift_u  in     [r], [n]; NULL = 0
 * v                 inout  [p]
 */
typedef struct {
  const double *prior; /* [p]; NULL = 0 */
  const double *shift_r, *shift_u;
  int steps;
} pinn_pull;
GANNET_CHECKED gannet_err pinn_descend(pinn *s, const pinn_pull *pull, double *v);

/* One solve of pinn_descend, with the rows as they are linearised now.
 *
 * Local.
 */
void pinn_solve(pinn *s, const pinn_pull *pull, double *v);

/* Rows and factors at the weights of the mean, which pinn_descend leaves at others.
 *
 * Collective over the context's communicator while s->ranks_share, otherwise local.
 */
GANNET_CHECKED gannet_err pinn_relinearise(pinn *s);

/* Learn the hyperparameters.
 *
 * Collective over the context's communicator.
 */
GANNET_CHECKED gannet_err pinn_learn(pinn *s);

/* The model without const: operations that do not change it write to its workspaces.
 *
 * Local.
 */
pinn *pinn_with_workspace(const void *state);

/* Features of m <= PINN_TILE points into s->tile.
 *
 * Local.
 *
 * x  in  [m][d]
 */
GANNET_CHECKED gannet_err pinn_tile_features(pinn *s, int m, const double *x);

/* Values at m <= PINN_TILE points of the function with weights w. A model that is linear in its
 * weights takes them from s->tile, which pinn_tile_features made for these points.
 *
 * Local.
 *
 * x       in   [m][d]
 * w       in   [p]
 * values  out  [m]
 */
GANNET_CHECKED gannet_err pinn_tile_values(pinn *s, int m, const double *x, const double *w,
                                           double *values);

/* Gradient [d] by x of the function with weights w [p] at one point.
 *
 * Local.
 */
GANNET_CHECKED gannet_err pinn_function_slopes(pinn *s, const double *x, const double *w,
                                               double *gradient);

/* Operations of gannet_surrogate_type.
 *
 * Local; pinn_sample: Collective over the context's communicator.
 */
gannet_err pinn_predict(const void *state, int m, const double *x, double *mean, double *sd);
gannet_err pinn_predict_gradient(const void *state, const double *x, double *mean, double *sd,
                                 double *mean_gradient, double *sd_gradient);
gannet_err pinn_sample(void *state, int q, double exploration, int64_t iteration);
gannet_err pinn_draw_values(const void *state, int m, const double *x, double *values, int ldv);
gannet_err pinn_draw_gradient(const void *state, int draw, const double *x, double *value,
                              double *gradient);

#endif
