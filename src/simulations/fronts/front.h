/* What the test problems with several objectives share: names, settings, and the hypervolumes of
 * fronts that have a formula.
 *
 * The objectives are called f1, f2, ... unless a problem says otherwise, and all are minimised.
 *
 * Terms
 *   front        the values of the designs that are feasible and that no other design dominates
 *   reference    the reference point of the hypervolume, one coordinate for each objective
 *   hypervolume  volume of what the front dominates and what dominates the reference
 */
#ifndef GANNET_SIMULATIONS_FRONTS_FRONT_H
#define GANNET_SIMULATIONS_FRONTS_FRONT_H

#include "simulations/benchmark.h"

/* Settings of a problem whose number of objectives can be chosen. */
typedef struct {
  gannet_benchmark_settings benchmark; /* first */
  int objectives;
} gannet_front_settings;

extern const gannet_option gannet_front_options[];

/* Names f1, f2, ... for name_quantity of a type with gannet_front_settings, and of one with two
 * objectives.
 *
 * Local.
 */
const char *gannet_front_name(const void *settings, int i);
const char *gannet_front_name_two(const void *settings, int i);

/* Volume of the part of the unit ball in m dimensions whose coordinates are all positive.
 *
 * Local.
 */
double gannet_front_orthant(int m);

/* Defines NAME_run, which runs problem gannet_NAME with m objectives by function, and NAME_front,
 * which gives a constant reference and hypervolume. What follows the hypervolume is the reference.
 */
#define GANNET_DEFINE_FIXED_FRONT(name, function, m, volume, ...)                             \
  static int name##_run(const void *settings, const gannet_simulation_input *input,           \
                        gannet_simulation_output *output, gannet_quantity *quantities) {      \
    return gannet_benchmark_run_several(&gannet_##name, function, m, settings, input, output, \
                                        quantities);                                          \
  }                                                                                           \
  static int name##_front(const void *settings, double *reference, double *hypervolume) {     \
    static const double published[m] = {__VA_ARGS__};                                         \
    (void)settings;                                                                           \
    for (int k = 0; k < (m); ++k) reference[k] = published[k];                                \
    *hypervolume = volume;                                                                    \
    return m;                                                                                 \
  }

/* The members that fixed types share, after their name, summary and source. */
#define GANNET_FIXED_FRONT(name)                                                          \
  .options = gannet_benchmark_options, .options_size = sizeof(gannet_benchmark_settings), \
  .run = name##_run, .box = name##_box, .front = name##_front

#endif
