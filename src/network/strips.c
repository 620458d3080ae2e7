#include "network/strips.h"

#include "network/strips_impl.h"

const gannet_strips *gannet_strips_of(gannet_precision precision) {
  return precision == GANNET_PRECISION_SINGLE ? &strips_single : &strips_double;
}

int gannet_strips_width(int left) {
  int width = GANNET_STRIP_ROWS;
  while (width / 2 >= left) width /= 2;
  return width;
}

size_t gannet_strips_whole(size_t n, size_t group) {
  return (n + group - 1) / group * group;
}
