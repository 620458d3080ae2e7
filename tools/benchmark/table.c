#include "base/names.h"
#include "benchmark/bench.h"

const bench_type *const bench_types[] = {
    &bench_peak, &bench_factor,  &bench_ensemble, &bench_proposal, &bench_history, &bench_speedup,
    &bench_scan, &bench_scaling, &bench_ecdf,     &bench_campaign, &bench_front,   &bench_stopping,
    NULL};

gannet_err bench_find(const char *name, const bench_type **type) {
  int index = 0;
  GANNET_TRY(gannet_name_find("benchmark", name, (const void *const *)bench_types, &index));
  *type = bench_types[index];
  return GANNET_OK;
}
