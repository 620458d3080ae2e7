#include "store/h5.h"

#include <stdio.h>
#include <string.h>

gannet_h5_printing gannet_h5_silence(void) {
  gannet_h5_printing printing = {NULL, NULL};
  (void)H5Eget_auto2(H5E_DEFAULT, &printing.print, &printing.user);
  (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return printing;
}

void gannet_h5_restore(gannet_h5_printing printing) {
  (void)H5Eset_auto2(H5E_DEFAULT, printing.print, printing.user);
}

/* The error that came first. */
typedef struct {
  char text[300];
  bool no_memory; /* HDF5 could not have the memory that it wanted */
} innermost;

/* Walking upward starts where the error arose; a positive return ends the walk there. */
static herr_t keep_innermost(unsigned n, const H5E_error2_t *error, void *user) {
  innermost *found = user;
  (void)n;
  found->no_memory = error->maj_num == H5E_RESOURCE || error->min_num == H5E_NOSPACE ||
                     error->min_num == H5E_CANTALLOC;
  (void)snprintf(found->text, sizeof found->text, "%s in %s",
                 error->desc ? error->desc : "no message",
                 error->func_name ? error->func_name : "?");
  return 1;
}

gannet_err gannet_h5_raise(const char *call, const char *about, const char *function,
                           const char *file, int line) {
  innermost found = {.text = "no message"};
  (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &found);
  (void)H5Eclear2(H5E_DEFAULT);
  return gannet_error_raise(found.no_memory ? GANNET_ERR_MEMORY : GANNET_ERR_LIBRARY, function,
                            file, line, "HDF5: %.*s for '%s': %s", (int)strcspn(call, "("), call,
                            about, found.text);
}

gannet_err gannet_h5_text_type(size_t size, hid_t *type) {
  herr_t status;
  GANNET_TRY_H5(*type, H5Tcopy(H5T_C_S1), "text");
  GANNET_TRY_H5(status, H5Tset_size(*type, size ? size : 1), "text");
  GANNET_TRY_H5(status, H5Tset_strpad(*type, H5T_STR_NULLPAD), "text");
  GANNET_TRY_H5(status, H5Tset_cset(*type, H5T_CSET_UTF8), "text");
  return GANNET_OK;
}
