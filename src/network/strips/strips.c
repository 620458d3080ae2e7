#include "network/strips.h"

#include "base/registers.h"

const gannet_strips *gannet_strips_of(gannet_precision precision) {
  const int width = gannet_register_bytes();
  return precision == GANNET_PRECISION_SINGLE ? gannet_strips_single(width)
                                              : gannet_strips_double(width);
}

int gannet_strips_width(int left) {
  int width = GANNET_STRIP_ROWS;
  while (width / 2 >= left) width /= 2;
  return width;
}

size_t gannet_strips_whole(size_t n, size_t group) {
  return (n + group - 1) / group * group;
}
