/* Products of matrices so small that all of them stays in the first cache. For such shapes OpenBLAS
 * spends more time on packing and copying than on the products.
 *
 * Terms
 *   strip  as many points as a register of 64 bytes has numbers; array [k][lanes]
 *   lane   one point of a strip
 *   rows   the other factor, eight rows together; array [n/8][k][8]
 */
#ifndef GANNET_NETWORK_STRIPS_H
#define GANNET_NETWORK_STRIPS_H

#include <stddef.h>

enum { GANNET_STRIP_ROWS = 8, GANNET_STRIP_LANES = 8 };

/* An array of doubles [rows][columns] with any distance between neighbours. */
typedef struct {
  const double *at;
  size_t row_step, column_step;
} gannet_strips_source;

typedef struct {
  /* products[i][lane] = sum_k rows[i][k] strip[k][lane] for a multiple of eight rows. */
  void (*multiply)(int inner, int n_rows, const double *rows, const double *strip,
                   double *products);

  /* squares[i][lane] = sum_k (strip[k][lane] - rows[i][k])^2 for a multiple of eight rows. */
  void (*distances)(int inner, int n_rows, const double *rows, const double *strip,
                    double *squares);

  /* values[i][lane] becomes its square root. */
  void (*root)(int n, double *values);

  /* values[i][lane] becomes cos(pi value), sines[i][lane] = sin(pi value). */
  void (*waves)(int n, double *values, double *sines);

  /* sums[j][lane] += scale[lane] sum_i values[i][lane] weights[i][j] for a multiple of eight i and
   * 1, 2, 4 or 8 j; a scale of NULL is 1. */
  void (*weigh)(int n, int width, const double *values, const double *weights, const double *scale,
                double *sums);

  /* values = L^-1 values for strips that are apart numbers from each other: rows begin .. end - 1,
   * both multiples of eight, after the rows before them. The factor begins with row begin. Of every
   * eight rows i .. i+7 of L it has all columns k < i + 8, as factor[k][8], with 1/L_kk instead of
   * L_kk. */
  void (*solve)(int begin, int end, const double *factor, int n_strips, double *strips,
                size_t apart);

  /* sums[lane] += sum_i values[i][lane]^2 for a multiple of eight i. */
  void (*square)(int n, const double *values, double *sums);
} gannet_strips;

/* The functions for the largest registers of this processor. They allocate nothing; rounding
 * differs between processors.
 *
 * Local.
 */
const gannet_strips *gannet_strips_here(void);

/* The same for registers of 64, 32 or 16 bytes, which the processor must have.
 *
 * Local.
 */
const gannet_strips *gannet_strips_for(int width);

/* to[i / across][k][i % across] = from[i][k]. Places of rows that do not exist stay as they are.
 *
 * Local.
 */
void gannet_strips_pack(int rows, int columns, const gannet_strips_source *from, int across,
                        double *to);

/* total[i] += sums[i]
 *
 * Local.
 */
void gannet_strips_add(size_t n, const double *sums, double *total);

/* How many draws are weighed at once when so many are left: 8, or the least of 1, 2 and 4 that
 * holds them.
 *
 * Local.
 */
int gannet_strips_width(int left);

/* Rows or lanes in whole groups: the least multiple of group that is at least n.
 *
 * Local.
 */
size_t gannet_strips_whole(size_t n, size_t group);

#endif
