#include "surrogate/row_noise.h"

#include <math.h>

#include "base/memory.h"

double gannet_row_noise_of(const double *stated, int i, double general, double least) {
  return stated && !isnan(stated[i]) ? fmax(least, stated[i]) : general;
}

gannet_err gannet_row_noise_take(gannet_row_noise *rows, const gannet_data *data, double general,
                                 double least, double unit, bool *same) {
  const int before = rows->n, n = data->row_noise ? data->n : 0;
  *same = (before > 0) == (n > 0);
  if (n > rows->capacity) {
    GANNET_TRY(
        gannet_resize((size_t)rows->capacity, 2 * (size_t)n, sizeof *rows->more, &rows->more));
    rows->capacity = 2 * n;
  }
  for (int i = 0; i < n; ++i) {
    const double more = (gannet_row_noise_of(data->row_noise, i, general, least) - general) / unit;
    *same = *same && (i >= before || rows->more[i] == more);
    rows->more[i] = more;
  }
  rows->n = n;
  return GANNET_OK;
}

double gannet_row_noise_more(const gannet_row_noise *rows, int i) {
  return rows && i < rows->n ? rows->more[i] : 0;
}

double gannet_row_noise_mean(const gannet_row_noise *rows) {
  double sum = 0;
  for (int i = 0; i < rows->n; ++i) sum += rows->more[i] / rows->n;
  return sum;
}

void gannet_row_noise_release(gannet_row_noise *rows) {
  gannet_free(&rows->more);
  *rows = (gannet_row_noise){0};
}
