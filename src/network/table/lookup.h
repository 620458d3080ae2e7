/* Looking up tables. Every number of terms is code of its own, which the compiler unrolls. Private
 * to this room. */
#ifndef GANNET_NETWORK_TABLE_LOOKUP_H
#define GANNET_NETWORK_TABLE_LOOKUP_H

#include "base/registers.h"
#include "network/table.h"

enum {
  /* terms in single precision: every number from the fewest to the most */
  TABLE_FEWEST_SINGLE = 4,
  TABLE_MOST_SINGLE = 12,
  /* terms in double precision: every even number */
  TABLE_FEWEST_DOUBLE = 8,
  TABLE_MOST_DOUBLE = GANNET_TABLE_TERMS,
  /* terms of tables in rows: every even number */
  TABLE_FEWEST_ROW = 6,
  TABLE_MOST_ROW = GANNET_TABLE_ROW,
  TABLE_FEW = 4, /* pieces from which registers of 32 bytes pick fastest in single precision */
  TABLE_SOME = 8 /* pieces for which a register of 64 bytes has room in double precision */
};

/* gannet_table_apply with registers of so many bytes (64, 32 or 16), which the processor must have;
 * then the same for tables of one precision.
 *
 * Local.
 */
void table_look_up(int width, const gannet_table *table, int n, const void *x, void *y);
void table_look_up_single(int width, const gannet_table *table, int n, const float *x, float *y);
void table_look_up_double(int width, const gannet_table *table, int n, const double *x, double *y);

/* The same for tables that lie in rows, with registers of 32 bytes.
 *
 * Local.
 */
#ifdef GANNET_HAS_REGISTERS
void table_look_up_rows(const gannet_table *table, int n, const double *x, double *y);
#endif

/* gannet_table_fit for registers of so many bytes. Registers of other sizes can look the table up,
 * too, but slower.
 *
 * Local.
 */
bool table_fit_for(int width, gannet_table_function function, const void *user, double reach,
                   bool odd, gannet_precision precision, gannet_table *table);

#endif
