/* Options of ADMMBO, which splits objective and constraints (optimizer/propose/admm.h). */
#ifndef GANNET_ACQUISITION_ADMM_H
#define GANNET_ACQUISITION_ADMM_H

#include "acquisition/acquisition.h"

typedef struct {
  double rho;            /* first weight of the distance between the two points */
  double penalty;        /* cost of an infeasible point, standard deviations of the objective */
  int objective_steps;   /* evaluations in turn for the objective */
  int feasibility_steps; /* evaluations in turn for feasibility */
} gannet_admm_options;

#endif
