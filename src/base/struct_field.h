/* Tables of the fields of a struct: one row serves to write, read, check and describe a field.
 *
 *   typedef struct { double radius; int64_t first_id; bool at_edge; } box;
 *   static const gannet_struct_field fields[] = {
 *       {.name = "radius", GANNET_STRUCT_AT(box, radius, REAL), .fallback = 0.2, .upper = 0.5},
 *       {.name = "first_id", GANNET_STRUCT_AT(box, first_id, LARGE)},
 *       {.name = "at_edge", GANNET_STRUCT_AT(box, at_edge, TRUTH)},
 *       {0}};
 *
 * A later version adds rows; it never gives a name another meaning.
 */
#ifndef GANNET_BASE_STRUCT_FIELD_H
#define GANNET_BASE_STRUCT_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef enum {
  GANNET_STRUCT_REAL,  /* double */
  GANNET_STRUCT_INT,   /* int, or an enum */
  GANNET_STRUCT_LARGE, /* int64_t */
  GANNET_STRUCT_BITS,  /* uint64_t, written as the int64_t of the same bits */
  GANNET_STRUCT_TRUTH, /* bool */
  GANNET_STRUCT_TEXT   /* char[size] */
} gannet_struct_field_type;

typedef struct {
  const char *name; /* NULL ends a table */
  gannet_struct_field_type type;
  size_t offset, size; /* of the member in the struct */
  double fallback;     /* value where a file has none; such a value need not be written */
  bool optional;       /* files of before the field was introduced have none */
  double lower, upper; /* inclusive range of numbers; both 0 = any */
  const char *unit;    /* NULL = none */
  const char *help;    /* NULL = the name says it */
} gannet_struct_field;

/* The place of a member, for a row. */
#define GANNET_STRUCT_AT(record, member, kind)                      \
  .type = GANNET_STRUCT_##kind, .offset = offsetof(record, member), \
  .size = sizeof(((record *)0)->member)

/* Whether a field is a number of the type double, and one that is whole: all but texts.
 *
 * Local.
 */
bool gannet_struct_field_is_real(const gannet_struct_field *field);
bool gannet_struct_field_is_whole(const gannet_struct_field *field);

/* The value of a field of a struct. Whole numbers have no more than 53 bits where they are taken as
 * reals.
 *
 * Local.
 */
double gannet_struct_field_get_real(const gannet_struct_field *field, const void *record);
int64_t gannet_struct_field_get_whole(const gannet_struct_field *field, const void *record);
const char *gannet_struct_field_get_text(const gannet_struct_field *field, const void *record);

/* Give a field of a struct a value; texts are cut to what has room.
 *
 * Local.
 *
 * Errors: GANNET_ERR_DAMAGED, with the name, for a number outside of the range of the field.
 */
GANNET_CHECKED gannet_err gannet_struct_field_set_real(const gannet_struct_field *field,
                                                       double value, void *record);
GANNET_CHECKED gannet_err gannet_struct_field_set_whole(const gannet_struct_field *field,
                                                        int64_t value, void *record);
void gannet_struct_field_set_text(const gannet_struct_field *field, const char *text, void *record);

/* Give every field of a struct its fallback; texts are empty then.
 *
 * Local.
 */
void gannet_struct_reset(const gannet_struct_field *table, void *record);

#endif
