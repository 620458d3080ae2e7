/* State files: HDF5 files that are whole or not there.
 *
 *   writing   create, write_*, describe, commit, destroy
 *   reading   open, has, shape, read_*, destroy
 *
 * A file is built in memory and reaches the disk only in commit, as path.new, which is fsynced and
 * renamed to path; what was there becomes path.1. The first 512 bytes (an HDF5 user block) hold a
 * readable header with a checksum of all the rest. Reading verifies it before HDF5 sees the file,
 * because HDF5 may crash or never return on damaged bytes, and falls back to path.1.
 *
 * The files are ordinary HDF5 (oldest format version that suffices, little-endian numbers, texts of
 * fixed length), so h5py, h5dump and MATLAB read them. File locks of HDF5 are not used, since they
 * fail on some parallel file systems and no file is ever changed in place; exclusive use of a
 * campaign is the business of lock.h.
 *
 * Names are paths inside the file ("history/x_user"); groups are created as needed. Arrays are in
 * row-major order. Rank 0 (dims NULL) is a single number.
 */
#ifndef GANNET_STORE_STATE_FILE_H
#define GANNET_STORE_STATE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { GANNET_STORE_MAX_RANK = 8 };

typedef struct gannet_store gannet_store;

/* Which generation was opened. */
typedef struct {
  int generation;   /* 0 = path, 1 = path.1 */
  int schema;       /* version of the layout that it was written with */
  char reason[640]; /* why path itself was not used; "" when it was */
} gannet_store_report;

/* Begin a new state in memory. Nothing on disk changes before gannet_store_commit.
 *
 * Local.
 *
 * path    in   of the file; copied
 * schema  in   version of the caller's layout, >= 1; kept in the header
 * store   out  for the write functions
 *
 * Errors: GANNET_ERR_ARG, GANNET_ERR_MEMORY, GANNET_ERR_LIBRARY.
 */
GANNET_CHECKED gannet_err gannet_store_create(const char *path, int schema, gannet_store **store);

/* Put the state on disk as described above. When this returns GANNET_OK the new state survives a
 * power failure; otherwise what was there before is untouched. The store can only be destroyed
 * afterwards. A damaged file at path is replaced and does not become path.1.
 *
 * Local.
 *
 * Errors: GANNET_ERR_NO_SPACE with the path and what to do, GANNET_ERR_MISSING (directory),
 *   GANNET_ERR_IO, GANNET_ERR_MEMORY, GANNET_ERR_LIBRARY; GANNET_ERR_STATE when opened for reading.
 * Cost: memory for a second copy of the file for the time of the call.
 */
GANNET_CHECKED gannet_err gannet_store_commit(gannet_store *store);

/* Verify and open the newest sound generation for reading.
 *
 * Local.
 *
 * path           in   without the ".1"
 * newest_schema  in   highest schema that the caller understands
 * report         out  may be NULL; tells of a fallback
 * store          out  for the read functions
 *
 * Errors: GANNET_ERR_MISSING when there is no generation; GANNET_ERR_VERSION when the newest one
 * has a newer schema (no fallback then); GANNET_ERR_DAMAGED, with both reasons, when none is sound;
 *   GANNET_ERR_IO when none can be read.
 */
GANNET_CHECKED gannet_err gannet_store_open(const char *path, int newest_schema,
                                            gannet_store_report *report, gannet_store **store);

/* Read all bytes of one file whose checksum is sound, for other ranks; and open such bytes for
 * reading, which they are copied for.
 *
 * Local.
 *
 * path    in   of that file, and what errors call the bytes
 * schema  out  version of the layout
 * bytes   out  [size]; to be freed with gannet_free
 *
 * Errors: those of gannet_store_verify; GANNET_ERR_MEMORY; _open_bytes: GANNET_ERR_LIBRARY.
 */
GANNET_CHECKED gannet_err gannet_store_read_bytes(const char *path, int newest_schema, int *schema,
                                                  char **bytes, size_t *size);
GANNET_CHECKED gannet_err gannet_store_open_bytes(const char *path, int schema, char *bytes,
                                                  size_t size, gannet_store **store);

/* Check header, size and checksum of one file, without HDF5.
 *
 * Local.
 *
 * schema  out  may be NULL
 *
 * Errors: GANNET_ERR_MISSING, GANNET_ERR_VERSION, GANNET_ERR_DAMAGED saying what is wrong,
 *   GANNET_ERR_IO.
 */
GANNET_CHECKED gannet_err gannet_store_verify(const char *path, int newest_schema, int *schema);

/* Close; a state that was not committed is forgotten. Accepts a pointer to NULL.
 *
 * Local.
 */
void gannet_store_destroy(gannet_store **store);

/* Write an array.
 *
 * Local.
 *
 * rank  in  0 .. GANNET_STORE_MAX_RANK
 * dims  in  [rank], >= 0; an array without elements keeps its shape
 * data  in  [dims[0]]...[dims[rank-1]]; borrowed for the call; may be NULL without elements
 *
 * Errors: GANNET_ERR_SHAPE, GANNET_ERR_EXISTS when the name was written before, GANNET_ERR_STATE
 *   when opened for reading, GANNET_ERR_LIBRARY.
 */
GANNET_CHECKED gannet_err gannet_store_write_doubles(gannet_store *store, const char *name,
                                                     int rank, const int64_t *dims,
                                                     const double *data);
GANNET_CHECKED gannet_err gannet_store_write_int64s(gannet_store *store, const char *name, int rank,
                                                    const int64_t *dims, const int64_t *data);

/* Write one text, or an array of n texts padded with zeros to the longest. UTF-8; trailing zero
 * bytes are not part of a text.
 *
 * Local.
 *
 * Errors: as for arrays.
 */
GANNET_CHECKED gannet_err gannet_store_write_text(gannet_store *store, const char *name,
                                                  const char *text);
GANNET_CHECKED gannet_err gannet_store_write_texts(gannet_store *store, const char *name, int n,
                                                   const char *const *texts);

/* Attach a text attribute ("unit", "description") to something written before; "/" is the file.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MISSING, GANNET_ERR_EXISTS, GANNET_ERR_LIBRARY.
 */
GANNET_CHECKED gannet_err gannet_store_describe(gannet_store *store, const char *name,
                                                const char *attribute, const char *text);

/* Whether an array, text or group of that name is there.
 *
 * Local.
 */
bool gannet_store_has(const gannet_store *store, const char *name);

/* Shape of an array.
 *
 * Local.
 *
 * dims  out  [GANNET_STORE_MAX_RANK]
 *
 * Errors: GANNET_ERR_MISSING, GANNET_ERR_LIBRARY.
 */
GANNET_CHECKED gannet_err gannet_store_shape(const gannet_store *store, const char *name, int *rank,
                                             int64_t *dims);

/* Read an array whose shape the caller knows.
 *
 * Local.
 *
 * data  out  [dims[0]]...[dims[rank-1]]
 *
 * Errors: GANNET_ERR_MISSING; GANNET_ERR_SHAPE when rank, dims or the type of the elements differ;
 *   GANNET_ERR_LIBRARY.
 */
GANNET_CHECKED gannet_err gannet_store_read_doubles(const gannet_store *store, const char *name,
                                                    int rank, const int64_t *dims, double *data);
GANNET_CHECKED gannet_err gannet_store_read_int64s(const gannet_store *store, const char *name,
                                                   int rank, const int64_t *dims, int64_t *data);

/* Read one text, or an array of texts. Both results are one allocation, for gannet_free.
 *
 * Local.
 *
 * n  out  number of texts
 *
 * Errors: as for arrays, and GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_store_read_text(const gannet_store *store, const char *name,
                                                 char **text);
GANNET_CHECKED gannet_err gannet_store_read_texts(const gannet_store *store, const char *name,
                                                  int *n, char ***texts);

#endif
