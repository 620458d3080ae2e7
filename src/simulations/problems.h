/* The test problems. */
#ifndef GANNET_SIMULATIONS_PROBLEMS_H
#define GANNET_SIMULATIONS_PROBLEMS_H

#include "evaluate/simulation.h"

/* Any dimension. */
extern const gannet_simulation_type gannet_ackley;
extern const gannet_simulation_type gannet_cosine_mixture;
extern const gannet_simulation_type gannet_field_drift;
extern const gannet_simulation_type gannet_field_heat;
extern const gannet_simulation_type gannet_field_helmholtz;
extern const gannet_simulation_type gannet_field_wave;
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
extern const gannet_simulation_type gannet_structured;
extern const gannet_simulation_type gannet_styblinski_tang;

/* Fixed dimension. */
extern const gannet_simulation_type gannet_beam;
extern const gannet_simulation_type gannet_branin;
extern const gannet_simulation_type gannet_digit_match;
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

/* With several objectives. */
extern const gannet_simulation_type gannet_branin_currin;
extern const gannet_simulation_type gannet_branin_currin_disk;
extern const gannet_simulation_type gannet_c2_dtlz2;
extern const gannet_simulation_type gannet_cre2_3_1;
extern const gannet_simulation_type gannet_cre2_4_2;
extern const gannet_simulation_type gannet_cre2_4_3;
extern const gannet_simulation_type gannet_cre2_7_4;
extern const gannet_simulation_type gannet_cre3_7_1;
extern const gannet_simulation_type gannet_dtlz1;
extern const gannet_simulation_type gannet_dtlz2;
extern const gannet_simulation_type gannet_dtlz7;
extern const gannet_simulation_type gannet_re2_2_4;
extern const gannet_simulation_type gannet_re2_3_5;
extern const gannet_simulation_type gannet_re2_4_1;
extern const gannet_simulation_type gannet_re2_4_3;
extern const gannet_simulation_type gannet_re3_3_1;
extern const gannet_simulation_type gannet_re3_4_2;
extern const gannet_simulation_type gannet_re3_4_3;
extern const gannet_simulation_type gannet_re3_4_6;
extern const gannet_simulation_type gannet_re3_4_7;
extern const gannet_simulation_type gannet_re3_7_5;
extern const gannet_simulation_type gannet_re4_7_1;
extern const gannet_simulation_type gannet_vehicle_safety;
extern const gannet_simulation_type gannet_wfg2;
extern const gannet_simulation_type gannet_wfg4;
extern const gannet_simulation_type gannet_wfg5;
extern const gannet_simulation_type gannet_wfg6;
extern const gannet_simulation_type gannet_wfg7;
extern const gannet_simulation_type gannet_wfg8;
extern const gannet_simulation_type gannet_wfg9;
extern const gannet_simulation_type gannet_zdt1;
extern const gannet_simulation_type gannet_zdt2;
extern const gannet_simulation_type gannet_zdt3;
extern const gannet_simulation_type gannet_zdt4;
extern const gannet_simulation_type gannet_zdt6;

#endif
