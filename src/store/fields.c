#include "store/fields.h"

#include "base/memory.h"

gannet_err gannet_store_annotate(gannet_store *store, const char *name, const char *unit,
                                 const char *description) {
  if (unit) GANNET_TRY(gannet_store_describe(store, name, "unit", unit));
  return description ? gannet_store_describe(store, name, "description", description) : GANNET_OK;
}

/* Values of one column, in a buffer for all rows. */
static gannet_err write_column(gannet_store *store, const gannet_struct_field *field, int64_t n,
                               const void *structs, size_t size, void *buffer) {
  const char *row = structs;
  double *reals = buffer;
  int64_t *wholes = buffer;
  const char **texts = buffer;
  const bool is_real = gannet_struct_field_is_real(field);
  const bool is_whole = gannet_struct_field_is_whole(field);
  for (int64_t i = 0; i < n; ++i, row += size) {
    if (is_real)
      reals[i] = gannet_struct_field_get_real(field, row);
    else if (is_whole)
      wholes[i] = gannet_struct_field_get_whole(field, row);
    else
      texts[i] = gannet_struct_field_get_text(field, row);
  }
  GANNET_TRY(is_real    ? gannet_store_write_doubles(store, field->name, 1, &n, reals)
             : is_whole ? gannet_store_write_int64s(store, field->name, 1, &n, wholes)
                        : gannet_store_write_texts(store, field->name, (int)n, texts));
  return gannet_store_annotate(store, field->name, field->unit, field->help);
}

gannet_err gannet_store_write_fields(gannet_store *store, const gannet_struct_field *table,
                                     int64_t n, const void *structs, size_t size) {
  double *buffer = NULL; /* its elements have room for any value */
  _Static_assert(sizeof *buffer >= sizeof(int64_t) && sizeof *buffer >= sizeof(char *), "no room");
  gannet_err err = gannet_alloc((size_t)n, sizeof *buffer, &buffer);
  for (const gannet_struct_field *field = table; field->name && err == GANNET_OK; ++field)
    err = write_column(store, field, n, structs, size, buffer);
  gannet_free(&buffer);
  return err;
}

/* Read a column into a member of each of n structs. */
static gannet_err read_column(const gannet_store *store, const gannet_struct_field *field,
                              int64_t n, void *structs, size_t size) {
  char *row = structs, **texts = NULL;
  double *reals = NULL;
  int64_t *wholes = NULL;
  int n_texts = 0;
  gannet_err err = GANNET_OK;
  if (gannet_struct_field_is_real(field)) {
    err = gannet_alloc((size_t)n, sizeof *reals, &reals);
    if (err == GANNET_OK) err = gannet_store_read_doubles(store, field->name, 1, &n, reals);
    for (int64_t i = 0; i < n && err == GANNET_OK; ++i, row += size)
      if (gannet_struct_field_set_real(field, reals[i], row) != GANNET_OK)
        err = GANNET_RAISE(GANNET_ERR_DAMAGED, "%s of evaluation %lld is %g", field->name,
                           (long long)i, reals[i]);
  } else if (gannet_struct_field_is_whole(field)) {
    err = gannet_alloc((size_t)n, sizeof *wholes, &wholes);
    if (err == GANNET_OK) err = gannet_store_read_int64s(store, field->name, 1, &n, wholes);
    for (int64_t i = 0; i < n && err == GANNET_OK; ++i, row += size)
      if (gannet_struct_field_set_whole(field, wholes[i], row) != GANNET_OK)
        err = GANNET_RAISE(GANNET_ERR_DAMAGED, "%s of evaluation %lld is %lld", field->name,
                           (long long)i, (long long)wholes[i]);
  } else {
    err = gannet_store_read_texts(store, field->name, &n_texts, &texts);
    if (err == GANNET_OK && n_texts != n)
      err = GANNET_RAISE(GANNET_ERR_DAMAGED, "%s has %d rows, expected %lld", field->name, n_texts,
                         (long long)n);
    for (int64_t i = 0; i < n && err == GANNET_OK; ++i, row += size)
      gannet_struct_field_set_text(field, texts[i], row);
  }
  gannet_free(&reals);
  gannet_free(&wholes);
  gannet_free(&texts);
  return err;
}

gannet_err gannet_store_read_fields(const gannet_store *store, const gannet_struct_field *table,
                                    int64_t n, void *structs, size_t size) {
  for (int64_t i = 0; i < n; ++i) gannet_struct_reset(table, (char *)structs + (size_t)i * size);
  for (const gannet_struct_field *field = table; field->name; ++field)
    if (!field->optional || gannet_store_has(store, field->name))
      GANNET_TRY(read_column(store, field, n, structs, size));
  return GANNET_OK;
}
