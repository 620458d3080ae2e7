/* Values of tables, for every number of terms there is code for; private to this room. */
#ifndef GANNET_NETWORK_TABLE_LOOKUP_H
#define GANNET_NETWORK_TABLE_LOOKUP_H

#include "base/registers.h"
#include "network/table.h"

enum {
  TABLE_FEWEST_SINGLE = 4, /* then every number */
  TABLE_MOST_SINGLE = 12,
  TABLE_FEWEST_DOUBLE = 8, /* then every even number */
  TABLE_MOST_DOUBLE = GANNET_TABLE_TERMS,
  TABLE_FEWEST_ROW = 6, /* then every even number */
  TABLE_MOST_ROW = GANNET_TABLE_ROW,
  TABLE_FEW = 4, /* pieces that registers of 32 bytes pick from fastest in single precision */
  TABLE_SOME = 8 /* and all that one of 64 bytes has room for in double */
};

/* gannet_table_apply with registers of so many bytes (64, 32 or 16) that the processor has; then
 * for tables of one precision.
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

/* gannet_table_fit for registers of so many bytes; any others look the table up as well, only
 * slower.
 *
 * Local.
 */
bool table_fit_for(int width, gannet_table_function function, const void *user, double reach,
                   bool odd, gannet_precision precision, gannet_table *table);

#endif
