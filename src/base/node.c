#include "base/node.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "base/clock.h"
#include "base/memory.h"
#include "base/resources.h"

enum {
  LOOKS = 2000,    /* looks at a mark before anything else: some tens of microseconds */
  PROBES = 64,     /* looks per call of MPI after that */
  LINE = 64,       /* bytes before shared memory, by which ranks see that they have the same */
  SPARE = 16 << 20 /* most bytes of segments that are kept although nobody uses them */
};

/* Most seconds for which a rank with a processor of its own keeps it while it waits. */
static const double most_patience = 1e-3;

/* Segments of shared memory (System V) that this process has attached. Unlike a file such memory
 * has a place on a full disk, and unlike a window of MPI it fails without a rank that waits.
 * Segments that are given up are kept for a while, because the system clears new ones page by page.
 */

typedef struct segment {
  int number; /* the system's */
  size_t bytes;
  void *memory;
  bool used; /* false = spare: it was given up and may be taken again */
  struct segment *next;
} segment;

typedef struct gannet_segments {
  segment *first;
} gannet_segments;

/* Detach the segment that a link leads to. */
static void detach_link(segment **link) {
  segment *s = *link;
  *link = s->next;
  (void)shmdt(s->memory);
  gannet_free(&s);
}

/* The number of a segment of at least so many bytes: the smallest spare one that wastes less than
 * half of it, or else a new one. -1 = the system has none.
 */
static int offer_segment(const gannet_segments *segments, size_t bytes, bool *fresh) {
  const segment *spare = NULL;
  for (const segment *s = segments->first; s; s = s->next) {
    const bool fits = !s->used && s->bytes >= bytes && s->bytes / 2 <= bytes;
    if (fits && (!spare || s->bytes < spare->bytes)) spare = s;
  }
  *fresh = !spare;
  return spare ? spare->number : shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
}

/* NULL = it cannot be attached. */
static segment *attach_segment(gannet_segments *segments, int number, size_t bytes) {
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

/* The memory of a segment that the first rank offers, until it is given up; NULL = it cannot be
 * had. */
static void *take_segment(gannet_segments *segments, int number, size_t bytes, bool fresh) {
  segment *s = segments->first;
  if (number < 0) return NULL;
  if (fresh)
    s = attach_segment(segments, number, bytes);
  else
    while (s && (s->used || s->number != number)) s = s->next;
  if (!s) return NULL;
  s->used = true;
  return s->memory;
}

/* Keep memory that was taken for the next time, or detach it when there is enough that nobody uses.
 */
static void give_up_segment(gannet_segments *segments, const void *memory) {
  segment **given = NULL;
  size_t spare = 0;
  for (segment **link = &segments->first; *link; link = &(*link)->next) {
    if ((*link)->memory == memory) given = link;
    if (!(*link)->used || given == link) spare += (*link)->bytes;
  }
  if (given && spare > SPARE)
    detach_link(given);
  else if (given)
    (*given)->used = false;
}

/* Nodes. */

/* Find the ranks of this node, in their order in comm. */
static gannet_err find_ranks(MPI_Comm comm, gannet_node *node) {
  int rank = 0;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  GANNET_TRY_MPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node->comm));
  GANNET_TRY_MPI(MPI_Comm_set_errhandler(node->comm, MPI_ERRORS_RETURN));
  GANNET_TRY_MPI(MPI_Comm_size(node->comm, &node->n));
  GANNET_TRY_MPI(MPI_Comm_rank(node->comm, &node->node_rank));
  GANNET_TRY(gannet_agree(comm, gannet_alloc((size_t)node->n, sizeof *node->ranks, &node->ranks)));
  GANNET_TRY_MPI(MPI_Allgather(&rank, 1, MPI_INT, node->ranks, 1, MPI_INT, node->comm));
  return GANNET_OK;
}

static gannet_err all_have(const gannet_node *node, int *able) {
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, able, 1, MPI_INT, MPI_MIN, node->comm));
  return GANNET_OK;
}

/* Compare the memory of all ranks: processes in containers may see different memory under one
 * number. The first rank writes a mark into it, but only when all have come, because ranks that
 * have not given up the memory yet may still read it. */
static gannet_err compare_memory(const gannet_node *node, char *memory, size_t cleared, int *same) {
  double mark[2] = {gannet_clock_seconds(), (double)getpid()};
  *same = memory != NULL;
  GANNET_TRY(all_have(node, same));
  if (!*same) return GANNET_OK;
  if (node->node_rank == 0) {
    memcpy(memory, mark, sizeof mark);
    memset(memory + LINE, 0, cleared);
  }
  GANNET_TRY_MPI(MPI_Bcast(mark, 2, MPI_DOUBLE, 0, node->comm));
  *same = memcmp(memory, mark, sizeof mark) == 0;
  return all_have(node, same);
}

gannet_err gannet_node_share(const gannet_node *node, size_t bytes, size_t cleared, void **memory) {
  int offer[2] = {-1, 0}, same = 0; /* number of a segment, and whether it is new */
  bool fresh = false;
  char *taken = NULL;
  *memory = NULL;
  if (node->node_rank == 0) offer[0] = offer_segment(node->segments, bytes + LINE, &fresh);
  offer[1] = fresh;
  const int mpi = MPI_Bcast(offer, 2, MPI_INT, 0, node->comm);
  gannet_err err = GANNET_OK;
  if (mpi == MPI_SUCCESS) {
    taken = take_segment(node->segments, offer[0], bytes + LINE, offer[1]);
    err = compare_memory(node, taken, cleared, &same);
  }
  /* The system removes it when the last process has detached it. */
  if (node->node_rank == 0 && offer[1]) (void)shmctl(offer[0], IPC_RMID, NULL);
  if (taken && same) {
    *memory = taken + LINE;
  } else if (taken) { /* the other ranks do not have it, so it is of no use */
    segment **link = &node->segments->first;
    while (*link && (*link)->memory != (void *)taken) link = &(*link)->next;
    if (*link) detach_link(link);
  }
  GANNET_TRY_MPI(mpi);
  return err;
}

void gannet_node_unshare(const gannet_node *node, void **memory) {
  if (*memory) give_up_segment(node->segments, (char *)*memory - LINE);
  *memory = NULL;
}

void gannet_node_touch(void *memory, size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)memory;
  const uintptr_t first = at / page * page;
  (void)madvise((void *)first, at + bytes - first, MADV_POPULATE_WRITE); /* Linux 5.14 */
#else
  (void)memory;
  (void)bytes;
#endif
}

#ifdef __x86_64__
void gannet_node_write(size_t n, const double *from, double *to) {
  size_t i = 0;
  for (; i + 2 <= n; i += 2) _mm_stream_pd(to + i, _mm_loadu_pd(from + i));
  if (i < n) to[i] = from[i];
  _mm_sfence(); /* other stores may otherwise be seen before */
}
#else
void gannet_node_write(size_t n, const double *from, double *to) {
  memcpy(to, from, n * sizeof *to);
}
#endif

/* Shared memory that a node has from its beginning: the counter of its queue, then marks of
 * meetings.
 */
static gannet_err share_counter_and_marks(gannet_node *node, int *able) {
  const size_t bytes = sizeof(gannet_mark) * (1 + 2 * (size_t)node->n);
  void *memory = NULL;
  GANNET_TRY(gannet_agree(node->comm, gannet_alloc(1, sizeof *node->segments, &node->segments)));
  GANNET_TRY(gannet_agree(node->comm, gannet_alloc(1, sizeof *node->meeting, &node->meeting)));
  if (node->n > 1) GANNET_TRY(gannet_node_share(node, bytes, bytes, &memory));
  *able = node->n == 1 || memory;
  node->counter = memory;
  if (memory) node->meeting->mark = (gannet_mark *)memory + 1;
  return GANNET_OK;
}

/* Make every rank a node of its own when any node of all has no memory to share. */
static gannet_err agree_on_sharing(MPI_Comm comm, gannet_node *node) {
  int able = 0;
  GANNET_TRY(gannet_agree(comm, share_counter_and_marks(node, &able)));
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &able, 1, MPI_INT, MPI_MIN, comm));
  if (able) return GANNET_OK;
  node->counter = NULL;
  node->meeting->mark = NULL;
  node->n = 1;
  node->node_rank = 0;
  GANNET_TRY_MPI(MPI_Comm_free(&node->comm));
  GANNET_TRY_MPI(MPI_Comm_dup(MPI_COMM_SELF, &node->comm));
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &node->ranks[0]));
  return GANNET_OK;
}

/* Find out whether a rank that waits should give its processor away soon: because ranks share
 * processors, or because the user has told Open MPI so. */
static gannet_err find_crowding(gannet_node *node) {
  const char *text = getenv("OMPI_MCA_mpi_yield_when_idle");
  const bool yields = text && *text && strchr("1tTyY", *text);
  gannet_processors processors;
  GANNET_TRY(gannet_processors_find(node->comm, &processors));
  node->meeting->crowded = gannet_processors_are_shared(&processors) || yields;
  return GANNET_OK;
}

gannet_err gannet_node_create(MPI_Comm comm, gannet_node **node) {
  gannet_node *made = NULL;
  GANNET_TRY(gannet_alloc_on_all(comm, 1, sizeof *made, &made));
  made->comm = MPI_COMM_NULL;
  gannet_err err = find_ranks(comm, made);
  if (err == GANNET_OK) err = agree_on_sharing(comm, made);
  if (err == GANNET_OK) err = find_crowding(made);
  if (err != GANNET_OK) gannet_node_destroy(&made);
  *node = made;
  return err;
}

void gannet_node_destroy(gannet_node **node) {
  int finalized = 0;
  if (!*node) return;
  gannet_segments *segments = (*node)->segments;
  while (segments && segments->first) detach_link(&segments->first);
  gannet_free(&(*node)->segments);
  gannet_free(&(*node)->meeting);
  (void)MPI_Finalized(&finalized);
  if ((*node)->comm != MPI_COMM_NULL && !finalized) (void)MPI_Comm_free(&(*node)->comm);
  gannet_free(&(*node)->ranks);
  gannet_free(node);
}

static void pause_shortly(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static bool has_come(const _Atomic int64_t *value, int64_t least, int64_t *now) {
  *now = atomic_load_explicit(value, memory_order_acquire);
  return *now >= least;
}

/* Look for as long as this rank has worked since it waited last: the rank that it waits for has
 * about as much to do. Returns whether the value has come. */
static bool look_patiently(const gannet_meeting *m, const _Atomic int64_t *value, int64_t least,
                           int64_t *now) {
  if (m->crowded) return false;
  const double start = gannet_clock_seconds();
  const double end = start + fmin(start - m->since, most_patience);
  for (int64_t looks = 0; looks % PROBES || gannet_clock_seconds() < end; ++looks) {
    if (has_come(value, least, now)) return true;
    pause_shortly();
  }
  return false;
}

int64_t gannet_node_wait(const gannet_node *node, const _Atomic int64_t *value, int64_t least) {
  gannet_meeting *m = node->meeting;
  int64_t now;
  if (has_come(value, least, &now)) return now;
  bool come = false;
  for (int looks = 0; looks < LOOKS && !come; ++looks) {
    pause_shortly();
    come = has_come(value, least, &now);
  }
  if (!come) come = look_patiently(m, value, least, &now);
  /* Give the processor to others. The rank that is waited for may itself wait for the rest of a
   * message of this rank, which MPI sends when it is called. In hours there are more looks than an
   * int counts. */
  for (int64_t looks = 0; !come; ++looks) {
    int found = 0;
    if (looks % PROBES == 0)
      (void)MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
    (void)sched_yield();
    come = has_come(value, least, &now);
  }
  m->since = gannet_clock_seconds();
  return now;
}

/* Two sets of marks are used in turn. A rank that is at the next barrier raises the other set, and
 * does not come back to this one before all ranks have read it. */
bool gannet_node_barrier(const gannet_node *node, bool flag) {
  gannet_meeting *m = node->meeting;
  bool any = flag;
  if (node->n == 1) return flag;
  const int64_t now = 2 * ++m->time;
  gannet_mark *mark = m->mark + (m->time % 2) * node->n;
  atomic_store_explicit(&mark[node->node_rank].at, now + flag, memory_order_release);
  for (int r = 0; r < node->n; ++r) any = gannet_node_wait(node, &mark[r].at, now) > now || any;
  return any;
}

gannet_err gannet_node_agree(const gannet_node *node, gannet_err err) {
  return gannet_node_barrier(node, err != GANNET_OK) ? gannet_agree(node->comm, err) : GANNET_OK;
}
