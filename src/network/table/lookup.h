/* Looking up tables. Every number of terms is code of its own, which the compiler unrolls. Private
 * to this room. */
#ifndef GANNET_NETWORK_TABLE_LOOKUP_H
#define GANNET_NETWORK_TABLE_LOOKUP_H

#include "base/registers.h"
#include "network/table.h"

enum {
  TABLE_LANES = 16, /* coefficients of a power, where they lie in columns */
  /* terms of tables in columns: every even number */
  TABLE_FEWEST = 8,
  TABLE_MOST = GANNET_TABLE_TERMS,
  /* terms of tables in rows: every even number */
  TABLE_FEWEST_ROW = 6,
  TABLE_MOST_ROW = GANNET_TABLE_ROW,
  TABLE_FEW = 8, /* pieces for which a register of 64 bytes has room */
  /* of a number */
  TABLE_MANTISSA = 52
};

/* The number 1 as bits. */
#define TABLE_ONE 0x3ff0000000000000u

/* gannet_table_apply with registers of so many bytes (64, 32 or 16), which the processor must have.
 *
 * Local.
 */
void table_look_up(int width, const gannet_table *table, int n, const double *x, double *y);

/* The same with any registers, for tables in columns with those of 64 bytes, and for tables in rows
 * with those of 32 bytes.
 *
 * Local.
 */
void table_look_up_gather(const gannet_table *table, int n, const double *x, double *y);
#ifdef GANNET_HAS_REGISTERS
void table_look_up_columns(const gannet_table *table, int n, const double *x, double *y);
void table_look_up_rows(const gannet_table *table, int n, const double *x, double *y);
#endif

/* gannet_table_fit for registers of so many bytes. Registers of other sizes can look the table up,
 * too, but slower.
 *
 * Local.
 */
bool table_fit_for(int width, gannet_table_function function, const void *user, double reach,
                   bool odd, gannet_table *table);

#endif
