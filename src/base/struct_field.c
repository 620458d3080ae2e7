#include "base/struct_field.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool gannet_struct_field_is_real(const gannet_struct_field *field) {
  return field->type == GANNET_STRUCT_REAL;
}

bool gannet_struct_field_is_whole(const gannet_struct_field *field) {
  return field->type != GANNET_STRUCT_REAL && field->type != GANNET_STRUCT_TEXT;
}

int64_t gannet_struct_field_get_whole(const gannet_struct_field *field, const void *record) {
  const char *member = (const char *)record + field->offset;
  int64_t whole = 0;
  int number = 0;
  bool truth = false;
  switch (field->type) {
    case GANNET_STRUCT_INT:
      memcpy(&number, member, sizeof number);
      return number;
    case GANNET_STRUCT_TRUTH:
      memcpy(&truth, member, sizeof truth);
      return truth;
    default:
      memcpy(&whole, member, sizeof whole);
      return whole;
  }
}

double gannet_struct_field_get_real(const gannet_struct_field *field, const void *record) {
  double real = 0;
  if (gannet_struct_field_is_whole(field))
    return (double)gannet_struct_field_get_whole(field, record);
  memcpy(&real, (const char *)record + field->offset, sizeof real);
  return real;
}

const char *gannet_struct_field_get_text(const gannet_struct_field *field, const void *record) {
  return (const char *)record + field->offset;
}

static gannet_err check_range(const gannet_struct_field *field, double value) {
  const bool any = field->lower == 0 && field->upper == 0;
  GANNET_REQUIRE(any || (field->lower <= value && value <= field->upper), GANNET_ERR_DAMAGED,
                 "%s is %g, expected %g to %g", field->name, value, field->lower, field->upper);
  return GANNET_OK;
}

gannet_err gannet_struct_field_set_whole(const gannet_struct_field *field, int64_t value,
                                         void *record) {
  char *member = (char *)record + field->offset;
  const int number = (int)value;
  const bool truth = value != 0;
  if (field->type != GANNET_STRUCT_BITS) GANNET_TRY(check_range(field, (double)value));
  if (field->type == GANNET_STRUCT_INT) {
    GANNET_REQUIRE(INT_MIN <= value && value <= INT_MAX, GANNET_ERR_DAMAGED,
                   "%s is %lld, which is out of range", field->name, (long long)value);
    memcpy(member, &number, sizeof number);
  } else if (field->type == GANNET_STRUCT_TRUTH) {
    memcpy(member, &truth, sizeof truth);
  } else {
    memcpy(member, &value, sizeof value);
  }
  return GANNET_OK;
}

gannet_err gannet_struct_field_set_real(const gannet_struct_field *field, double value,
                                        void *record) {
  if (gannet_struct_field_is_whole(field)) {
    GANNET_REQUIRE(fabs(value) < 9007199254740993.0 && value == floor(value), GANNET_ERR_DAMAGED,
                   "%s is %g, expected a whole number", field->name, value);
    return gannet_struct_field_set_whole(field, (int64_t)value, record);
  }
  GANNET_TRY(check_range(field, value));
  memcpy((char *)record + field->offset, &value, sizeof value);
  return GANNET_OK;
}

void gannet_struct_field_set_text(const gannet_struct_field *field, const char *text,
                                  void *record) {
  (void)snprintf((char *)record + field->offset, field->size, "%s", text);
}

void gannet_struct_reset(const gannet_struct_field *table, void *record) {
  for (const gannet_struct_field *field = table; field->name; ++field) {
    char *member = (char *)record + field->offset;
    const int64_t whole = gannet_struct_field_is_whole(field) ? (int64_t)field->fallback : 0;
    const int number = (int)whole;
    const bool truth = whole != 0;
    const void *value = gannet_struct_field_is_real(field)   ? (const void *)&field->fallback
                        : field->type == GANNET_STRUCT_INT   ? (const void *)&number
                        : field->type == GANNET_STRUCT_TRUTH ? (const void *)&truth
                                                             : (const void *)&whole;
    if (field->type == GANNET_STRUCT_TEXT)
      member[0] = '\0';
    else
      memcpy(member, value, field->size);
  }
}
