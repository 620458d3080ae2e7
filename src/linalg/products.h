/* Products of rows with rows whose bits depend on the two rows alone: every number takes its
 * products one after the other (linalg/panel.h). So any part of a matrix can be made anywhere, and
 * that of rows with themselves is symmetric bit for bit, where BLAS gives other bits in other
 * shapes. As fast as BLAS, but for a few columns.
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
