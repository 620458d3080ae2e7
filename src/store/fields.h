/* Members of structs as columns of a state file, by tables of their fields (base/struct_field.h).
 *
 * A column has one value of each of n structs: real numbers, whole numbers, or texts. Its dataset
 * has the name of the field, and its attributes "unit" and "description".
 */
#ifndef GANNET_STORE_FIELDS_H
#define GANNET_STORE_FIELDS_H

#include "base/struct_field.h"
#include "store/state_file.h"

/* Write all columns of a table.
 *
 * Local.
 *
 * structs  in  [n] of size bytes each
 *
 * Errors: those of the store.
 */
GANNET_CHECKED gannet_err gannet_store_write_fields(gannet_store *store,
                                                    const gannet_struct_field *table, int64_t n,
                                                    const void *structs, size_t size);

/* Read all columns of a table into the members of n structs. Those that an older file does not have
 * leave the fallback.
 *
 * Local.
 *
 * structs  inout  [n] of size bytes each
 *
 * Errors: GANNET_ERR_DAMAGED naming a row that cannot be; those of the store.
 */
GANNET_CHECKED gannet_err gannet_store_read_fields(const gannet_store *store,
                                                   const gannet_struct_field *table, int64_t n,
                                                   void *structs, size_t size);

/* Attach unit and description to what was written; NULL = none.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_store_annotate(gannet_store *store, const char *name,
                                                const char *unit, const char *description);

#endif
