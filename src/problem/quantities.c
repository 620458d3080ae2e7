#include "problem/quantities.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

/* A packed quantity: its name, 0, value, sd, whether there is a gradient, the gradient. */

void gannet_quantities_release(gannet_quantities *list) {
  for (int i = 0; i < list->n; ++i) {
    gannet_free(&list->item[i].name);
    gannet_free(&list->item[i].gradient);
  }
  gannet_free(&list->item);
  *list = (gannet_quantities){0};
}

bool gannet_quantity_is_name(const char *name) {
  if (!name || !(isalpha((unsigned char)*name) || *name == '_') || strlen(name) > 63) return false;
  for (; *name; ++name)
    if (!isalnum((unsigned char)*name) && *name != '_') return false;
  return true;
}

static gannet_reported *find_item(const gannet_quantities *list, const char *name) {
  for (int i = 0; i < list->n; ++i)
    if (strcmp(list->item[i].name, name) == 0) return &list->item[i];
  return NULL;
}

const gannet_reported *gannet_quantities_find(const gannet_quantities *list, const char *name) {
  return find_item(list, name);
}

static gannet_err append_item(gannet_quantities *list, const char *name, gannet_reported **item) {
  if (list->n == list->capacity) {
    const int larger = 2 * list->capacity + 4;
    GANNET_TRY(
        gannet_resize((size_t)list->capacity, (size_t)larger, sizeof *list->item, &list->item));
    list->capacity = larger;
  }
  *item = &list->item[list->n];
  **item = (gannet_reported){0};
  GANNET_TRY(gannet_copy_text(name, &(*item)->name));
  list->n += 1;
  return GANNET_OK;
}

gannet_err gannet_quantities_set(gannet_quantities *list, int n_variables,
                                 const gannet_quantity *quantity) {
  GANNET_REQUIRE(gannet_quantity_is_name(quantity->name), GANNET_ERR_ARG,
                 "quantity '%.80s': expected a name of up to 63 letters, digits and underscores, "
                 "not starting with a digit",
                 quantity->name ? quantity->name : "");
  GANNET_REQUIRE(isfinite(quantity->sd) && quantity->sd >= 0, GANNET_ERR_ARG,
                 "quantity %s: standard deviation is %g, expected a finite number from 0 on",
                 quantity->name, quantity->sd);
  gannet_reported *item = find_item(list, quantity->name);
  if (!item) GANNET_TRY(append_item(list, quantity->name, &item));
  item->value = quantity->value;
  item->sd = quantity->sd;
  gannet_free(&item->gradient);
  if (!quantity->gradient) return GANNET_OK;
  const size_t n = (size_t)n_variables;
  GANNET_TRY(gannet_alloc(n, sizeof *item->gradient, &item->gradient));
  memcpy(item->gradient, quantity->gradient, n * sizeof *item->gradient);
  return GANNET_OK;
}

gannet_err gannet_quantities_copy(const gannet_quantities *from, int n_variables,
                                  gannet_quantities *to) {
  gannet_quantities_release(to);
  for (int i = 0; i < from->n; ++i) {
    const gannet_reported *item = &from->item[i];
    const gannet_quantity quantity = {item->name, item->value, item->sd, item->gradient};
    GANNET_TRY(gannet_quantities_set(to, n_variables, &quantity));
  }
  return GANNET_OK;
}

static size_t packed_size(const gannet_reported *item, int n_variables) {
  return strlen(item->name) + 1 + 2 * sizeof(double) + 1 +
         (item->gradient ? (size_t)n_variables * sizeof(double) : 0);
}

size_t gannet_quantities_size(const gannet_quantities *list, int n_variables) {
  size_t size = 0;
  for (int i = 0; i < list->n; ++i) size += packed_size(&list->item[i], n_variables);
  return size;
}

void gannet_quantities_pack(const gannet_quantities *list, int n_variables, void *bytes) {
  char *to = bytes;
  for (int i = 0; i < list->n; ++i) {
    const gannet_reported *item = &list->item[i];
    const double numbers[2] = {item->value, item->sd};
    const size_t length = strlen(item->name) + 1;
    memcpy(to, item->name, length);
    to += length;
    memcpy(to, numbers, sizeof numbers);
    to += sizeof numbers;
    *to++ = item->gradient != NULL;
    if (!item->gradient) continue;
    memcpy(to, item->gradient, (size_t)n_variables * sizeof(double));
    to += (size_t)n_variables * sizeof(double);
  }
}

/* gradient  scratch  [n_variables] */
static gannet_err unpack_items(const char *from, const char *end, int n_variables, double *gradient,
                               gannet_quantities *list) {
  while (from < end) {
    double numbers[2];
    const char *name = from;
    from += strlen(name) + 1;
    memcpy(numbers, from, sizeof numbers);
    from += sizeof numbers;
    const bool has_gradient = *from++;
    if (has_gradient) memcpy(gradient, from, (size_t)n_variables * sizeof(double));
    if (has_gradient) from += (size_t)n_variables * sizeof(double);
    const gannet_quantity quantity = {name, numbers[0], numbers[1], has_gradient ? gradient : NULL};
    GANNET_TRY(gannet_quantities_set(list, n_variables, &quantity));
  }
  return GANNET_OK;
}

gannet_err gannet_quantities_unpack(const void *bytes, size_t size, int n_variables,
                                    gannet_quantities *list) {
  double *gradient = NULL;
  gannet_quantities_release(list);
  if (size == 0) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)n_variables, sizeof *gradient, &gradient));
  const char *from = bytes;
  const gannet_err err = unpack_items(from, from + size, n_variables, gradient, list);
  gannet_free(&gradient);
  return err;
}
