#include "simulations/registry.h"

#include "base/names.h"
#include "simulations/heater.h"
#include "simulations/problems.h"

const gannet_simulation_type *const gannet_simulations[] = {
    &gannet_heater,
    &gannet_ackley,
    &gannet_ackley5,
    &gannet_beam,
    &gannet_branin,
    &gannet_branin_currin,
    &gannet_branin_currin_disk,
    &gannet_branin_disk,
    &gannet_c2_dtlz2,
    &gannet_cosine_mixture,
    &gannet_cre2_3_1,
    &gannet_cre2_4_2,
    &gannet_cre2_4_3,
    &gannet_cre2_7_4,
    &gannet_cre3_7_1,
    &gannet_drop_wave,
    &gannet_dtlz1,
    &gannet_dtlz2,
    &gannet_dtlz7,
    &gannet_gas_transmission,
    &gannet_goucb_f1,
    &gannet_goucb_f2,
    &gannet_goucb_f3,
    &gannet_griewank,
    &gannet_hartmann6,
    &gannet_hartmann6_norm,
    &gannet_landscape_free,
    &gannet_landscape_bounded,
    &gannet_levy,
    &gannet_michalewicz,
    &gannet_rastrigin,
    &gannet_re2_2_4,
    &gannet_re2_3_5,
    &gannet_re2_4_1,
    &gannet_re2_4_3,
    &gannet_re3_3_1,
    &gannet_re3_4_2,
    &gannet_re3_4_3,
    &gannet_re3_4_6,
    &gannet_re3_4_7,
    &gannet_re3_7_5,
    &gannet_re4_7_1,
    &gannet_rosenbrock,
    &gannet_sensitive_sample,
    &gannet_simionescu,
    &gannet_speed_reducer,
    &gannet_steady_heat_1,
    &gannet_steady_heat_2,
    &gannet_steady_heat_3,
    &gannet_styblinski_tang,
    &gannet_vehicle_safety,
    &gannet_wfg2,
    &gannet_wfg4,
    &gannet_wfg5,
    &gannet_wfg6,
    &gannet_wfg7,
    &gannet_wfg8,
    &gannet_wfg9,
    &gannet_zdt1,
    &gannet_zdt2,
    &gannet_zdt3,
    &gannet_zdt4,
    &gannet_zdt6,
    NULL,
};

gannet_err gannet_simulation_find(const char *name, const gannet_simulation_type **type) {
  int index = 0;
  GANNET_TRY(gannet_name_find("simulation", name, (const void *const *)gannet_simulations, &index));
  *type = gannet_simulations[index];
  return GANNET_OK;
}
