#include "surrogate/estimates.h"

#include "base/memory.h"

enum { POINTS = GANNET_ESTIMATES_POINTS };

gannet_err gannet_estimates_reserve(gannet_precision precision, int inputs, int each,
                                    gannet_estimates *e) {
  gannet_estimates_release(e);
  e->by = gannet_strips_of(precision);
  e->inputs = inputs;
  e->each = each;
  GANNET_TRY(gannet_alloc(POINTS * (size_t)inputs, sizeof *e->z, &e->z));
  GANNET_TRY(gannet_alloc(POINTS * (size_t)each, sizeof *e->values, &e->values));
  return gannet_alloc(POINTS * (size_t)inputs, e->by->size, &e->strips);
}

void gannet_estimates_release(gannet_estimates *e) {
  gannet_free(&e->z);
  gannet_free(&e->values);
  gannet_free(&e->strips);
  *e = (gannet_estimates){0};
}

int gannet_estimates_pack(const gannet_estimates *e, int points) {
  const int lanes = e->by->lanes;
  const gannet_strips_source source = {e->z, (size_t)e->inputs, 1};
  e->by->pack(points, e->inputs, &source, lanes, e->strips);
  return (points + lanes - 1) / lanes;
}

void gannet_estimates_unpack(const gannet_estimates *e, int points, double *values, int ldv) {
  const int lanes = e->by->lanes;
  for (int i = 0; i < points; ++i) {
    const double *strip = e->values + (ptrdiff_t)(i / lanes) * e->each * lanes + i % lanes;
    for (ptrdiff_t j = 0; j < e->each; ++j) values[j * ldv + i] = strip[j * lanes];
  }
}

size_t gannet_estimates_bytes(const gannet_estimates *e) {
  const size_t inputs = (size_t)e->inputs;
  return e->by ? POINTS * ((inputs + (size_t)e->each) * sizeof(double) + inputs * e->by->size) : 0;
}
