#include "simulations/fronts/front.h"

#include <math.h>

const gannet_option gannet_front_options[] = {
    GANNET_BENCHMARK_OPTIONS,
    {.key = "objectives",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_front_settings, objectives),
     .fallback = "2",
     .lower = 2,
     .upper = GANNET_BENCHMARK_OBJECTIVES_MOST,
     .help = "number of objectives f1, f2, ...; there must be more variables than objectives"},
    {0}};

static const char *name_of(int i, int m) {
  static const char *const names[GANNET_BENCHMARK_OBJECTIVES_MOST] = {"f1", "f2", "f3", "f4", "f5"};
  return i < m ? names[i] : NULL;
}

const char *gannet_front_name(const void *settings, int i) {
  return name_of(i, ((const gannet_front_settings *)settings)->objectives);
}

const char *gannet_front_name_two(const void *settings, int i) {
  (void)settings;
  return name_of(i, 2);
}

double gannet_front_orthant(int m) {
  const double pi = 3.14159265358979323846;
  return pow(pi, 0.5 * m) / tgamma(0.5 * m + 1) / pow(2, m);
}
