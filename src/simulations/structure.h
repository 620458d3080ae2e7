/* Functions with a structure that a model can learn: few active directions, compositions, sums of
 * functions of single variables.
 *
 * A function takes y = A (x - x*), x in [-5, 5]^d, where A [k][d] has orthonormal rows when the
 * function has k < d active directions, and is the identity otherwise. Its minimum is 0 at x*.
 * Instances of a function differ in x*, in A, and in the weights of a composition.
 */
#ifndef GANNET_SIMULATIONS_STRUCTURE_H
#define GANNET_SIMULATIONS_STRUCTURE_H

#include "base/error.h"

typedef struct gannet_structure gannet_structure;

typedef struct {
  const char *name; /* first member */
  const char *summary;
  int number;     /* keys the random numbers; never changed */
  int directions; /* active directions k; 0 = all variables, not turned */
  double (*value)(const gannet_structure *s, const double *y);
} gannet_structure_base;

/* Every function, NULL-terminated. */
extern const gannet_structure_base *const gannet_structure_bases[];

enum { GANNET_STRUCTURE_UNITS = 32, GANNET_STRUCTURE_OUTPUTS = 5 };

struct gannet_structure {
  const gannet_structure_base *base;
  int d, k; /* variables; entries of y */
  int instance;
  double *optimum; /* [d] x* */
  double *turn;    /* [k][d] A; NULL = identity */
  double *random;  /* [d] in [0, 1]: steepness, frequency, or phase of a variable */
  double *weights; /* [GANNET_STRUCTURE_UNITS][k + GANNET_STRUCTURE_OUTPUTS] standard normal */
  double *y;       /* [k] scratch */
};

/* Make an instance of a function.
 *
 * Local.
 *
 * d  in  >= 1
 *
 * Errors: GANNET_ERR_NAME with the known names; GANNET_ERR_SHAPE; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_structure_create(const char *name, int d, int instance,
                                                  gannet_structure **structure);
void gannet_structure_destroy(gannet_structure **structure);

/* Value at x[d], at least 0.
 *
 * Local. The scratch makes an instance usable by one thread at a time.
 */
double gannet_structure_value(gannet_structure *structure, const double *x);

#endif
