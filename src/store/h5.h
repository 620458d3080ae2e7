/* HDF5 with our error handling; for this room only. */
#ifndef GANNET_STORE_H5_H
#define GANNET_STORE_H5_H

#include <hdf5.h>
#include <limits.h>

#include "base/error.h"
#include "store/state_file.h"

struct gannet_store {
  hid_t file;
  hid_t links; /* link creation properties: missing groups are created, names are UTF-8 */
  bool writing;
  bool committed;
  int schema;
  char path[PATH_MAX];
};

/* The automatic printing of HDF5 errors, kept while it is off. It belongs to the process, which may
 * use HDF5 elsewhere, so it is restored after every call. */
typedef struct {
  H5E_auto2_t print;
  void *user;
} gannet_h5_printing;

/* result = call, without output; a negative result is raised with the innermost message of HDF5.
 * about names the object or file. */
#define GANNET_TRY_H5(result, call, about)                                                  \
  do {                                                                                      \
    const gannet_h5_printing printing_ = gannet_h5_silence();                               \
    (result) = (call);                                                                      \
    gannet_h5_restore(printing_);                                                           \
    if ((result) < 0) return gannet_h5_raise(#call, (about), __func__, __FILE__, __LINE__); \
  } while (0)

/* Turn printing off; returns what gannet_h5_restore puts back.
 *
 * Local.
 */
gannet_h5_printing gannet_h5_silence(void);
void gannet_h5_restore(gannet_h5_printing printing);

/* GANNET_ERR_LIBRARY from the current HDF5 error stack, GANNET_ERR_MEMORY when memory was missing.
 *
 * Local.
 *
 * call  in  text of the call; what follows the first parenthesis is not shown
 */
gannet_err gannet_h5_raise(const char *call, const char *about, const char *function,
                           const char *file, int line);

/* A text type of size bytes, zero-padded UTF-8.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_h5_text_type(size_t size, hid_t *type);

#endif
