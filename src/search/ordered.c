#include "search/ordered.h"

#include <stdbool.h>

#include "base/memory.h"

typedef gannet_ordered_entry entry;

gannet_err gannet_ordered_add(gannet_ordered *o, double value, int64_t number) {
  if (o->n == o->room) {
    const size_t room = o->room > 0 ? 2 * (size_t)o->room : 1024;
    GANNET_TRY(gannet_resize((size_t)o->room, room, sizeof *o->entry, &o->entry));
    o->room = (int64_t)room;
  }
  o->entry[o->n++] = (entry){value, number};
  return GANNET_OK;
}

void gannet_ordered_release(gannet_ordered *o) {
  gannet_free(&o->entry);
  *o = (gannet_ordered){0};
}

static bool is_before(const entry *a, const entry *b) {
  return a->value > b->value || (a->value == b->value && a->number < b->number);
}

/* Entry i to its place below. */
static void sink(gannet_ordered *o, int64_t i) {
  const entry moved = o->entry[i];
  for (int64_t child; (child = 2 * i + 1) < o->n; i = child) {
    if (child + 1 < o->n && is_before(&o->entry[child + 1], &o->entry[child])) ++child;
    if (!is_before(&o->entry[child], &moved)) break;
    o->entry[i] = o->entry[child];
  }
  o->entry[i] = moved;
}

void gannet_ordered_arrange(gannet_ordered *o, double least) {
  int64_t n = 0;
  for (int64_t i = 0; i < o->n; ++i)
    if (o->entry[i].value >= least) o->entry[n++] = o->entry[i];
  o->n = n;
  for (int64_t i = o->n / 2; i-- > 0;) sink(o, i);
}

int gannet_ordered_take(gannet_ordered *o, double least, int most, gannet_ordered_entry *some) {
  int n = 0;
  while (n < most && o->n > 0 && o->entry[0].value >= least) {
    some[n++] = o->entry[0];
    o->entry[0] = o->entry[--o->n];
    if (o->n > 0) sink(o, 0);
  }
  return n;
}
