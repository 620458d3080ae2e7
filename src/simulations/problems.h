/* The test problems. */
#ifndef GANNET_SIMULATIONS_PROBLEMS_H
#define GANNET_SIMULATIONS_PROBLEMS_H

#include "evaluate/simulation.h"

/* Any dimension. */
extern const gannet_simulation_type gannet_ackley;
extern const gannet_simulation_type gannet_cosine_mixture;
extern const gannet_simulation_type gannet_goucb_f1;
extern const gannet_simulation_type gannet_goucb_f2;
extern const gannet_simulation_type gannet_goucb_f3;
extern const gannet_simulation_type gannet_griewank;
extern const gannet_simulation_type gannet_landscape_bounded;
extern const gannet_simulation_type gannet_landscape_free;
extern const gannet_simulation_type gannet_levy;
extern const gannet_simulation_type gannet_michalewicz;
extern const gannet_simulation_type gannet_rastrigin;
extern const gannet_simulation_type gannet_rosenbrock;
extern const gannet_simulation_type gannet_styblinski_tang;

/* Fixed dimension. */
extern const gannet_simulation_type gannet_beam;
extern const gannet_simulation_type gannet_branin;
extern const gannet_simulation_type gannet_drop_wave;
extern const gannet_simulation_type gannet_hartmann6;
extern const gannet_simulation_type gannet_sensitive_sample;
extern const gannet_simulation_type gannet_steady_heat_1;
extern const gannet_simulation_type gannet_steady_heat_2;
extern const gannet_simulation_type gannet_steady_heat_3;

/* With constraints. */
extern const gannet_simulation_type gannet_ackley5;
extern const gannet_simulation_type gannet_branin_disk;
extern const gannet_simulation_type gannet_gas_transmission;
extern const gannet_simulation_type gannet_hartmann6_norm;
extern const gannet_simulation_type gannet_simionescu;
extern const gannet_simulation_type gannet_speed_reducer;

#endif
