/* Options and memory of ADMMBO (admm.c). */
#ifndef GANNET_ACQUISITION_ADMM_H
#define GANNET_ACQUISITION_ADMM_H

#include "acquisition/acquisition.h"

typedef struct {
  double rho;            /* first weight of the distance between the two points */
  double penalty;        /* cost of an infeasible point, standard deviations of the objective */
  int objective_steps;   /* evaluations in turn for the objective */
  int feasibility_steps; /* evaluations in turn for feasibility */
} gannet_admm_options;

typedef enum {
  GANNET_ADMM_NEW, /* nothing was proposed yet */
  GANNET_ADMM_OBJECTIVE,
  GANNET_ADMM_FEASIBILITY
} gannet_admm_phase;

/* What is kept of the split problem from one point to the next. */
typedef struct {
  int d;
  gannet_admm_phase phase;
  int left;   /* evaluations that are left in the phase */
  double rho; /* weight of the distance of x and z */
  double *x;  /* [d] minimiser of the objective's subproblem */
  double *z;  /* [d] minimiser of the feasibility's subproblem */
  double *y;  /* [d] multipliers */
} gannet_admm_memory;

#endif
