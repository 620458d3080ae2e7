/* The header of a state file: 512 bytes of text that seal what follows.
 *
 *   gannet state
 *   schema 1
 *   size 73216
 *   xxh3 0123456789abcdef
 *   (spaces)
 *   check 0123456789abcdef
 *
 * size and xxh3 are of the bytes after the header; check is XXH3 of the header up to it, so that a
 * damaged version is not taken for a newer one. Later schemas keep the first two lines and check.
 */
#ifndef GANNET_STORE_SEAL_H
#define GANNET_STORE_SEAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { GANNET_SEAL_SIZE = 512 }; /* the smallest HDF5 user block */

/* Write the header for a payload.
 *
 * Local.
 *
 * header  out  [GANNET_SEAL_SIZE]
 */
void gannet_seal_write(int schema, const void *payload, size_t size, char *header);

/* Check an open file against its header.
 *
 * Local.
 *
 * name    in   of the file, for messages
 * schema  out  as written in the file
 *
 * Errors: GANNET_ERR_VERSION, GANNET_ERR_DAMAGED, GANNET_ERR_IO.
 */
GANNET_CHECKED gannet_err gannet_seal_check(int descriptor, const char *name, int newest_schema,
                                            int *schema);

#endif
