/* The record of an error, for code that goes on after one. */
#ifndef GANNET_BASE_ERROR_RECORD_H
#define GANNET_BASE_ERROR_RECORD_H

#include "base/error.h"

/* Message, trace, and the rank that raised it. */
typedef struct {
  int code;
  int rank; /* -1 = this one */
  char detail[GANNET_ERROR_DETAIL];
  char trace[1600];
} gannet_error_record;

/* Take a copy of the record, and put it back after work that is done although something failed: a
 * further error in it, or one that it handles itself, must not hide what the user is to be told.
 *
 * Local.
 */
void gannet_error_save(gannet_error_record *record);
void gannet_error_restore(const gannet_error_record *record);

#endif
