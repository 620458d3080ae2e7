#include "base/segments.h"

#include <sys/ipc.h>
#include <sys/shm.h>

#include "base/memory.h"

enum { SPARE = 16 << 20 }; /* bytes that are kept for nobody */

typedef struct segment {
  int number;
  size_t bytes;
  void *memory;
  bool used;
  struct segment *next;
} segment;

struct gannet_segments {
  segment *first;
};

gannet_err gannet_segments_create(gannet_segments **segments) {
  return gannet_alloc(1, sizeof **segments, segments);
}

/* Detach the segment that a link leads to. */
static void drop(segment **link) {
  segment *s = *link;
  *link = s->next;
  (void)shmdt(s->memory);
  gannet_free(&s);
}

void gannet_segments_destroy(gannet_segments **segments) {
  if (!*segments) return;
  while ((*segments)->first) drop(&(*segments)->first);
  gannet_free(segments);
}

/* The smallest one that is large enough, if that wastes less than half of it. */
static const segment *find_spare(const gannet_segments *segments, size_t bytes) {
  const segment *best = NULL;
  for (const segment *s = segments->first; s; s = s->next) {
    const bool fits = !s->used && s->bytes >= bytes && s->bytes / 2 <= bytes;
    if (fits && (!best || s->bytes < best->bytes)) best = s;
  }
  return best;
}

int gannet_segments_offer(const gannet_segments *segments, size_t bytes, bool *fresh) {
  const segment *spare = find_spare(segments, bytes);
  *fresh = !spare;
  return spare ? spare->number : shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
}

void gannet_segments_remove(int number) {
  (void)shmctl(number, IPC_RMID, NULL);
}

static segment *attach(gannet_segments *segments, int number, size_t bytes) {
  segment *made = NULL;
  void *memory = shmat(number, NULL, 0);
  if (memory == (void *)-1) return NULL;
  if (gannet_alloc(1, sizeof *made, &made) != GANNET_OK) {
    gannet_error_clear();
    (void)shmdt(memory);
    return NULL;
  }
  *made = (segment){number, bytes, memory, true, segments->first};
  segments->first = made;
  return made;
}

static segment *find(const gannet_segments *segments, int number) {
  segment *s = segments->first;
  while (s && (s->used || s->number != number)) s = s->next;
  return s;
}

void *gannet_segments_take(gannet_segments *segments, int number, size_t bytes, bool fresh) {
  segment *s = NULL;
  if (number >= 0) s = fresh ? attach(segments, number, bytes) : find(segments, number);
  if (!s) return NULL;
  s->used = true;
  return s->memory;
}

void gannet_segments_drop(gannet_segments *segments, const void *memory) {
  segment **link = &segments->first;
  while (*link && (*link)->memory != memory) link = &(*link)->next;
  if (*link) drop(link);
}

void gannet_segments_give(gannet_segments *segments, const void *memory) {
  segment **given = NULL;
  size_t spare = 0;
  for (segment **link = &segments->first; *link; link = &(*link)->next) {
    if ((*link)->memory == memory) given = link;
    if (!(*link)->used || given == link) spare += (*link)->bytes;
  }
  if (given && spare > SPARE)
    drop(given);
  else if (given)
    (*given)->used = false;
}
