#include "problem/discarded.h"

#include <string.h>

#include "base/memory.h"

/* How many are less than an id. */
static int64_t count_before(const gannet_discarded *discarded, int64_t id) {
  int64_t low = 0, high = discarded->n;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (discarded->id[middle] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

gannet_err gannet_discarded_add(gannet_discarded *discarded, int64_t id) {
  const size_t n = (size_t)discarded->n, at = (size_t)count_before(discarded, id);
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *discarded->id, &discarded->id));
  memmove(discarded->id + at + 1, discarded->id + at, (n - at) * sizeof *discarded->id);
  discarded->id[at] = id;
  discarded->n += 1;
  return GANNET_OK;
}

int64_t gannet_discarded_row(const gannet_discarded *discarded, int64_t id) {
  const int64_t before = count_before(discarded, id);
  return before < discarded->n && discarded->id[before] == id ? -1 : id - before;
}

int64_t gannet_discarded_id(const gannet_discarded *discarded, int64_t row) {
  int64_t low = 0, high = discarded->n; /* how many are less than the id */
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (discarded->id[middle] - middle <= row)
      low = middle + 1;
    else
      high = middle;
  }
  return row + low;
}
