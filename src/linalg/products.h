/* Products of rows with rows, c = a b^T, in a fixed order of summation.
 *
 * The bits of an element depend on its two rows alone, because every element takes its products one
 * after the other (linalg/simd_kernels/panel.h). So any part of a matrix can be made anywhere, and
 * the product of rows with themselves is symmetric bit for bit. The products of BLAS have other
 * bits in other shapes. They are no faster, but for a few columns.
 */
#ifndef GANNET_LINALG_PRODUCTS_H
#define GANNET_LINALG_PRODUCTS_H

#include <stddef.h>

/* Rows that are packed together, and columns of a product that are made together. */
enum { GANNET_PACKED_GROUP = 32 };

/* Length of packed rows.
 *
 * Local.
 */
size_t gannet_packed_length(int m, int k);

/* Rows b [m][k] in the order that products take them in.
 *
 * Local.
 *
 * packed  out  [gannet_packed_length(m, k)]
 */
void gannet_pack(int m, int k, const double *b, double *packed);

/* c[n][.] = a[n][k] b^T, in columns first .. end - 1 at least and in the whole groups of columns
 * that these are in, of the m there are; others are left as they are.
 *
 * Local.
 *
 * packed  in   of b [m][k]
 * c       out  [n][ldc], of which column 0 belongs to row 0 of b
 */
void gannet_packed_products(int n, int k, const double *a, int m, const double *packed, int first,
                            int end, double *c, int ldc);

#endif
