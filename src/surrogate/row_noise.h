/* Noise that is stated of single rows of the data, as a model that factorises a kernel matrix needs
 * it: by how much the diagonal differs from that of rows of which nothing is stated.
 */
#ifndef GANNET_SURROGATE_ROW_NOISE_H
#define GANNET_SURROGATE_ROW_NOISE_H

#include "surrogate/surrogate.h"

/* Zero-initialise; free with gannet_row_noise_release. */
typedef struct {
  int n; /* rows; 0 = nothing is stated of any */
  int capacity;
  double *more; /* [n] what the noise variance of a row is more, or less, than the general one */
} gannet_row_noise;

/* The noise variance of a row: what is stated, at least the floor, and otherwise the general one.
 *
 * Local.
 *
 * stated  in  [n] NAN = nothing is stated of this row; NULL = of none
 */
double gannet_row_noise_of(const double *stated, int i, double general, double least);

/* Take what is stated of the rows of the data.
 *
 * Local.
 *
 * general  in   noise variance of rows of which nothing is stated
 * least    in   of any row
 * unit     in   of the diagonal: what a variance is divided by
 * same     out  whether the leading rows, those of the last call, have the noise that they had
 */
GANNET_CHECKED gannet_err gannet_row_noise_take(gannet_row_noise *rows, const gannet_data *data,
                                                double general, double least, double unit,
                                                bool *same);

/* What a row has more, 0 where nothing is stated or rows is NULL; and the mean of all rows.
 *
 * Local.
 */
double gannet_row_noise_more(const gannet_row_noise *rows, int i);
double gannet_row_noise_mean(const gannet_row_noise *rows);

/* Free what was taken.
 *
 * Local.
 */
void gannet_row_noise_release(gannet_row_noise *rows);

#endif
