#include "problem/point_index.h"

#include <math.h>
#include <stdbool.h>

#include "base/hash.h"
#include "base/memory.h"

/* A point, and the next one of its bucket. */
typedef struct {
  uint64_t hash;
  int64_t id, next; /* next: place in the list of entries, -1 = none */
} entry;

struct gannet_point_index {
  int n_variables;
  const void *user;
  gannet_point_of point_of;
  int64_t n, capacity; /* entries; buckets are as many as the capacity, a power of two */
  entry *entries;      /* [capacity] */
  int64_t *bucket;     /* [capacity] first entry, -1 = none */
};

gannet_err gannet_point_index_create(int n_variables, const void *user, gannet_point_of point_of,
                                     gannet_point_index **index) {
  GANNET_TRY(gannet_alloc(1, sizeof **index, index));
  (*index)->n_variables = n_variables;
  (*index)->user = user;
  (*index)->point_of = point_of;
  return GANNET_OK;
}

void gannet_point_index_destroy(gannet_point_index **index) {
  if (!*index) return;
  gannet_free(&(*index)->entries);
  gannet_free(&(*index)->bucket);
  gannet_free(index);
}

/* Zeros of both signs are one number, and so are all NAN. */
static uint64_t hash_of(int n, const double *x) {
  uint64_t digest = 0;
  for (int i = 0; i < n; ++i) {
    struct {
      uint64_t digest;
      double value;
    } pair = {digest, isnan(x[i]) ? INFINITY : x[i] + 0.0};
    digest = gannet_hash(&pair, sizeof pair);
  }
  return digest;
}

static void link_entry(gannet_point_index *index, int64_t at) {
  int64_t *bucket = &index->bucket[index->entries[at].hash & (uint64_t)(index->capacity - 1)];
  index->entries[at].next = *bucket;
  *bucket = at;
}

static gannet_err grow_index(gannet_point_index *index) {
  const size_t old = (size_t)index->capacity, larger = old ? 2 * old : 64;
  GANNET_TRY(gannet_resize(old, larger, sizeof *index->entries, &index->entries));
  GANNET_TRY(gannet_resize(old, larger, sizeof *index->bucket, &index->bucket));
  index->capacity = (int64_t)larger;
  for (size_t b = 0; b < larger; ++b) index->bucket[b] = -1;
  for (int64_t at = 0; at < index->n; ++at) link_entry(index, at);
  return GANNET_OK;
}

gannet_err gannet_point_index_add(gannet_point_index *index, int64_t id) {
  if (index->n == index->capacity) GANNET_TRY(grow_index(index));
  const double *x = index->point_of(index->user, id);
  index->entries[index->n] = (entry){hash_of(index->n_variables, x), id, -1};
  link_entry(index, index->n++);
  return GANNET_OK;
}

void gannet_point_index_clear(gannet_point_index *index) {
  index->n = 0;
  for (int64_t b = 0; b < index->capacity; ++b) index->bucket[b] = -1;
}

int64_t gannet_point_index_find(const gannet_point_index *index, const double *x, int64_t after) {
  const uint64_t hash = hash_of(index->n_variables, x);
  int64_t found = -1;
  if (index->n == 0) return -1;
  for (int64_t at = index->bucket[hash & (uint64_t)(index->capacity - 1)]; at >= 0;
       at = index->entries[at].next) {
    const entry *e = &index->entries[at];
    if (e->hash != hash || e->id <= after || (found >= 0 && e->id > found)) continue;
    const double *y = index->point_of(index->user, e->id);
    bool same = true;
    for (int i = 0; i < index->n_variables && same; ++i)
      same = x[i] == y[i] || (isnan(x[i]) && isnan(y[i]));
    if (same) found = e->id;
  }
  return found;
}
