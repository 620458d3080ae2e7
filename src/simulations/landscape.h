/* Landscapes: test functions of every kind, moved, rotated, badly scaled and bent at random.
 *
 * A landscape is a base function of z = Q Lambda asymmetry(oscillation(R (x - x*))), for x in
 * [-5, 5]^d. Its minimum is 0 at x*. A base function may leave out steps of the transform.
 * Instances of a base function differ in x*, R and Q. The transforms, and most base functions, are
 * those of Hansen et al. 2009 (real-parameter black-box optimisation benchmarking: noiseless
 * functions definitions).
 *
 * Base functions have three parts (gannet_landscape_part): some are for development, others are
 * kept for judging, and the reserve was made when the judging part had been looked at.
 */
#ifndef GANNET_SIMULATIONS_LANDSCAPE_H
#define GANNET_SIMULATIONS_LANDSCAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/random.h"

typedef enum {
  GANNET_LANDSCAPE_DEVELOPMENT,
  GANNET_LANDSCAPE_JUDGING,
  GANNET_LANDSCAPE_RESERVE
} gannet_landscape_part;

typedef struct gannet_landscape gannet_landscape;

typedef struct {
  const char *name; /* first member */
  const char *summary;
  gannet_landscape_part part;
  int number; /* keys the random numbers; never changed */
  double (*value)(const gannet_landscape *l, const double *z);
  bool rotate, turn; /* R, Q */
  bool oscillate;    /* after R */
  double asymmetry;  /* beta, 0 = none */
  double condition;  /* alpha of Lambda_ii = alpha^(i / (2 (d - 1))), 0 = none */
  bool corner;       /* the minimum lies in a corner of the box */
  int peaks;         /* of functions that have some */
} gannet_landscape_base;

/* Every base function, NULL-terminated. */
extern const gannet_landscape_base *const gannet_landscape_bases[];

struct gannet_landscape {
  const gannet_landscape_base *base;
  int d, instance;
  double *optimum;  /* [d] */
  double *first;    /* [d][d] R */
  double *second;   /* [d][d] Q */
  double *peak;     /* [peaks][d] R times (places - optimum) */
  double *sharp;    /* [peaks][d] diagonal of each peak's matrix */
  double *height;   /* [peaks] */
  double *normal;   /* [d] of the linear constraint */
  double *z, *work; /* [d] scratch */
};

/* The oscillation T_osz of one coordinate (Hansen et al. 2009, section 0.2): smooth irregularities
 * that keep sign and order.
 *
 * Local.
 */
double gannet_landscape_oscillate(double z);

/* Find a base function by name.
 *
 * Local.
 *
 * Errors: GANNET_ERR_NAME with the known names.
 */
GANNET_CHECKED gannet_err gannet_landscape_find(const char *name,
                                                const gannet_landscape_base **base);

/* Make an instance.
 *
 * Local.
 *
 * d  in  >= 1
 */
GANNET_CHECKED gannet_err gannet_landscape_create(const gannet_landscape_base *base, int d,
                                                  int instance, gannet_landscape **landscape);
void gannet_landscape_destroy(gannet_landscape **landscape);

/* Value at x[d], at least 0 in the box.
 *
 * Local. The scratch makes an instance usable by one thread at a time.
 */
double gannet_landscape_value(gannet_landscape *landscape, const double *x);

/* Random orthonormal rows.
 *
 * Local.
 *
 * rows  in   1 .. n
 * r     out  [rows][n]
 */
void gannet_landscape_directions(gannet_stream stream, int rows, int n, double *r);

/* The constrained form: the objective gains -100 a.(x - x*), which the constraint c1 = a.(x - x*)
 * <= 0 with |a| = 1 keeps from paying, and c2 = |x - x* + 2a|^2 - 16 <= 0 cuts the rest of the box:
 * the minimum is still 0 at x*, on the edge of c1.
 *
 * Local.
 *
 * c  out  [2]
 */
double gannet_landscape_constrained(gannet_landscape *landscape, const double *x, double *c);

#endif
