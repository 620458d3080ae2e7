/* The physics-informed model, shared by its files: pinn.c (interface), pinn_network.c (network),
 * pinn_condition.c (conditioning), pinn_posterior.c (moments, draws), pinn_fit.c
 * (hyper-parameters), pinn_shared.c (what ranks share of one model).
 *
 * With s^2 the amplitude, phi(x) the gradient of the network of pinn_network.h by its weights and
 * omega_j that of equation row j, divided by its length (its standard deviation under the prior),
 *
 *   f = s phi . w,  w ~ N(0, I),   y = f + N(0, noise),   u_j = s omega_j . w + N(0, s^2 lambda_2),
 *   K = [[K_rr + lambda_2 I, K_ru], [K_ur, K_uu + lambda_1 I]],   lambda_1 = noise / s^2,
 *
 * u_j the right side of row j, divided alike: lemma 5.3.4 of the thesis, in units of the prior. K
 * is factorised by blocks, K_rr + lambda_2 I = L L^T, B = K_ur L^-T, S = K_uu + lambda_1 I - B B^T:
 * the equations' part changes only with hyper-parameters.
 *
 * Equations that are not linear, and a network that is trained, are treated by Gauss-Newton: rows
 * are linearised at the present weights, and the same solve gives the next ones.
 */
#ifndef GANNET_SURROGATE_PINN_H
#define GANNET_SURROGATE_PINN_H

#include "linalg/cholesky.h"
#include "surrogate/models/pinn/pinn_network.h"
#include "surrogate/surrogate.h"

typedef enum { PINN_CLOSED, PINN_TRAINED } pinn_mode;
typedef enum { PINN_CALIBRATED, PINN_PAPER } pinn_schedule;

typedef struct {
  int activation; /* position in gannet_smooth_activations */
  int layers;
  int width;                                            /* GANNET_AUTO */
  int single_width;                                     /* GANNET_AUTO */
  int features;                                         /* 0 all weights, 1 output weights */
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
 * the scale of draws by the published schedule. */
enum {
  PINN_AMPLITUDE, /* log s^2 */
  PINN_NOISE,     /* log noise */
  PINN_SCALE,     /* log rho */
  PINN_SINGLE,    /* log rho of narrow parts */
  PINN_SHARE,
  PINN_EDGE,    /* e of graded inputs; 0 = none */
  PINN_LEARNED, /* observations of the last full search */
  PINN_GAIN,    /* gamma_t */
  PINN_INTERACTION,
  PINN_NU,
  PINN_HYPER
};

/* Points of a tile; rows of products of features, parts of which have the bits of the whole
 * (pinn_shared.c). */
enum { PINN_TILE = 64, PINN_BLOCK = 192 };

typedef struct {
  const gannet_context *context;
  const pinn_options *options;
  gannet_streams streams;
  int d, p;
  pinn_network *network;
  double hyper[PINN_HYPER];
  gannet_pde_constraint constraint;  /* residuals NULL = none */
  const gannet_pde_residuals *known; /* residuals that the rows below belong to */
  gannet_jet_plan law, value, slope;
  pinn_mode mode; /* that of the options, but for the search of hyper-parameters */
  bool stale;     /* hyper-parameters or residuals changed: everything must be made again */
  bool together;  /* all ranks make the same model now, and share it out */

  int r;               /* rows of equations */
  double *coefficient; /* [r][n_partials] */
  double *rhs;         /* [r] */
  double *length;      /* [r] of the rows before they are divided */
  double *jets;        /* [n_points][n_partials] */
  double *omega;       /* [r][p] */
  double *target_r;    /* [r], then solved: L^-1 of it */
  double *alpha_r;     /* [r] */
  double *gram_r;      /* [r][r] lower triangle of K_rr while ranks make it together, or NULL */
  gannet_cholesky *factor_r;
  double logdet_r;

  int n, capacity;
  double noise_var; /* as given; NAN = inferred */
  double coarse;    /* least -log p of the trials of a search, with coarse noise (pinn_fit.c) */
  double log_evidence_ratio; /* that with equations less that without, by the last fit that searched
                                all */
  double lambda1;
  double *x;                  /* [capacity][d] */
  double *y;                  /* [capacity] */
  double *phi;                /* [capacity][p] */
  double *cross;              /* [capacity][r] B */
  double *target_u, *alpha_u; /* [capacity] */
  double *schur;              /* [capacity^2], lower triangle of S without lambda_1 */
  gannet_cholesky *factor_u;

  double *w;     /* [p] weights of the mean */
  double *prior; /* [p] around which Gauss-Newton pulls */
  double *trial; /* [p] */
  int q;
  double *draws; /* [q][p] */
  double *tile;  /* [PINN_TILE * max(1, d)][p] */
  double *work;  /* [PINN_TILE][r + capacity], then as much again */
  int work_size;
} pinn;

static inline bool pinn_is_linear(const pinn *s) {
  return s->mode == PINN_CLOSED && (!s->known || s->known->linear);
}

/* Scales of the network from hyper-parameters.
 *
 * Local.
 */
pinn_scales pinn_scales_of(const pinn *s, const double *hyper);

/* Make the model's rows those of the residuals it was given, or have none.
 *
 * Local.
 */
void pinn_forget_equations(pinn *s);
GANNET_CHECKED gannet_err pinn_take_equations(pinn *s);

/* Take over the data.
 *
 * Local.
 */
GANNET_CHECKED gannet_err pinn_take_data(pinn *s, const gannet_data *data);

/* Of n models of the same cost, the leading ones that ranks make one each, in turn; the others are
 * made faster by all of them together.
 *
 * Local; same result on all ranks.
 */
int pinn_alone(const pinn *s, int n);

/* gannet_agree, of ranks that make a model together: after what one of them can fail in.
 *
 * Collective over the context's communicator while s->together, otherwise local.
 */
GANNET_CHECKED gannet_err pinn_agree(const pinn *s, gannet_err code);

/* pinn_network_features; rows are divided by their lengths where these are wanted.
 *
 * Collective over the context's communicator while s->together, otherwise local.
 *
 * phi     out  [n_rows][p]
 * length  out  [n_rows] before; 1 where that is 0. NULL = rows stay as they are
 *
 * Errors: GANNET_ERR_NUMERIC when a length that is wanted is not finite; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err pinn_features(pinn *s, const pinn_rows *rows, const double *w,
                                        double *phi, double *length);

/* The lower triangle, at least, of c[n][n] = alpha a[n][lda] a^T + beta c, of k columns of a, in
 * blocks of edge rows.
 *
 * Collective over the context's communicator while s->together, otherwise local.
 */
typedef struct {
  int n, k, edge;
  double alpha, beta;
  const double *a;
  int lda;
  double *c;
} pinn_gram;
GANNET_CHECKED gannet_err pinn_gram_rows(const pinn *s, const pinn_gram *gram);

/* s->cross = Phi Omega^T L^-T.
 *
 * Collective over the context's communicator while s->together, otherwise local.
 */
GANNET_CHECKED gannet_err pinn_cross(pinn *s);

/* With scales set in the network and hyper in place: rows, factors and the weights of the mean.
 *
 * Collective over the context's communicator while s->together, otherwise local.
 *
 * all  in  rows of equations must be made again: scales or residuals changed
 */
GANNET_CHECKED gannet_err pinn_condition(pinn *s, bool all);

/* S = L L^T with lambda_1 on its diagonal, which is raised when rounding makes that impossible.
 *
 * Collective over the context's communicator while s->together, otherwise local.
 *
 * Errors: GANNET_ERR_NUMERIC; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err pinn_factorise_u(pinn *s);

/* Weights v that minimise |v - prior|^2 plus the squared residuals, each over its variance; shift_u
 * and shift_r are added to the targets. Gauss-Newton from v when the model is not linear.
 *
 * Local.
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

/* The same with the rows as they are linearised now: one solve.
 *
 * Local.
 */
void pinn_solve(pinn *s, const pinn_pull *pull, double *v);

/* Rows and factors at the mean again, after _descend.
 *
 * Local.
 */
GANNET_CHECKED gannet_err pinn_relinearise(pinn *s);

/* Learn the hyper-parameters.
 *
 * Collective over the context's communicator.
 */
GANNET_CHECKED gannet_err pinn_learn(pinn *s);

/* Information gain, interaction information and nu, into hyper.
 *
 * Local.
 */
GANNET_CHECKED gannet_err pinn_inform(pinn *s);

/* Operations of the family (surrogate/surrogate.h).
 *
 * Local.
 */
gannet_err pinn_predict(const void *state, int m, const double *x, double *mean, double *sd);
gannet_err pinn_predict_gradient(const void *state, const double *x, double *mean, double *sd,
                                 double *mean_gradient, double *sd_gradient);
gannet_err pinn_sample(void *state, int q, double exploration, int64_t iteration);
gannet_err pinn_draw_values(const void *state, int m, const double *x, double *values, int ldv);
gannet_err pinn_draw_gradient(const void *state, int draw, const double *x, double *value,
                              double *gradient);
gannet_err pinn_calibration(void *state, double *scale);

#endif
