#include "base/node.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "base/clock.h"
#include "base/memory.h"
#include "base/processors.h"
#include "base/segments.h"

enum {
  LOOKS = 2000, /* before anything else, some tens of microseconds */
  PROBES = 64,  /* looks after that, of which one goes to MPI */
  LINE = 64     /* bytes before what is shared, by which ranks see that they have the same */
};

/* Seconds for which a rank with a processor of its own may keep it while it waits. */
static const double most_patience = 1e-3;

/* Ranks of this node in their order, which is that of all ranks. */
static gannet_err find_ranks(MPI_Comm comm, gannet_node *node) {
  int rank = 0;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  GANNET_TRY_MPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node->comm));
  GANNET_TRY_MPI(MPI_Comm_set_errhandler(node->comm, MPI_ERRORS_RETURN));
  GANNET_TRY_MPI(MPI_Comm_size(node->comm, &node->n));
  GANNET_TRY_MPI(MPI_Comm_rank(node->comm, &node->place));
  GANNET_TRY(gannet_agree(comm, gannet_alloc((size_t)node->n, sizeof *node->ranks, &node->ranks)));
  GANNET_TRY_MPI(MPI_Allgather(&rank, 1, MPI_INT, node->ranks, 1, MPI_INT, node->comm));
  return GANNET_OK;
}

/* Memory of System V: unlike a file it has a place on a full disk, and unlike a window of MPI it
 * fails where it fails, with nobody waiting.
 *
 * segment  out  its number, and whether it is new
 * memory   out  NULL = none
 */
static gannet_err take_segment(const gannet_node *node, size_t bytes, int *segment, char **memory) {
  bool fresh = false;
  if (node->place == 0) segment[0] = gannet_segments_offer(node->segments, bytes, &fresh);
  segment[1] = fresh;
  GANNET_TRY_MPI(MPI_Bcast(segment, 2, MPI_INT, 0, node->comm));
  *memory = gannet_segments_take(node->segments, segment[0], bytes, segment[1]);
  return GANNET_OK;
}

static gannet_err all_have(const gannet_node *node, int *able) {
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, able, 1, MPI_INT, MPI_MIN, node->comm));
  return GANNET_OK;
}

/* Processes of one node may see different memory under one number, if they are in containers: the
 * first rank leaves a mark. Not before all have come: what was given up may still be read by those
 * that did not give it up yet. */
static gannet_err compare(const gannet_node *node, char *memory, size_t cleared, int *same) {
  double mark[2] = {gannet_clock_seconds(), (double)getpid()};
  *same = memory != NULL;
  GANNET_TRY(all_have(node, same));
  if (!*same) return GANNET_OK;
  if (node->place == 0) {
    memcpy(memory, mark, sizeof mark);
    memset(memory + LINE, 0, cleared);
  }
  GANNET_TRY_MPI(MPI_Bcast(mark, 2, MPI_DOUBLE, 0, node->comm));
  *same = memcmp(memory, mark, sizeof mark) == 0;
  return all_have(node, same);
}

gannet_err gannet_node_share(const gannet_node *node, size_t bytes, size_t cleared, void **memory) {
  char *taken = NULL;
  int segment[2] = {-1, 0}, same = 0;
  *memory = NULL;
  gannet_err err = take_segment(node, bytes + LINE, segment, &taken);
  if (err == GANNET_OK) err = compare(node, taken, cleared, &same);
  if (node->place == 0 && segment[1]) gannet_segments_remove(segment[0]);
  if (taken && same)
    *memory = taken + LINE;
  else if (taken)
    gannet_segments_drop(node->segments, taken);
  return err;
}

void gannet_node_unshare(const gannet_node *node, void **memory) {
  if (*memory) gannet_segments_give(node->segments, (char *)*memory - LINE);
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

/* What the ranks of a node have from its beginning: the counter, and their marks after it. */
static gannet_err make_common(gannet_node *node, int *able) {
  const size_t bytes = sizeof(gannet_mark) * (1 + 2 * (size_t)node->n);
  void *memory = NULL;
  GANNET_TRY(gannet_agree(node->comm, gannet_segments_create(&node->segments)));
  GANNET_TRY(gannet_agree(node->comm, gannet_alloc(1, sizeof *node->meeting, &node->meeting)));
  if (node->n > 1) GANNET_TRY(gannet_node_share(node, bytes, bytes, &memory));
  *able = node->n == 1 || memory;
  node->counter = memory;
  if (memory) node->meeting->mark = (gannet_mark *)memory + 1;
  return GANNET_OK;
}

/* Ranks of all nodes do as the others: alone, if any has nothing in common. */
static gannet_err settle(MPI_Comm comm, gannet_node *node) {
  int able = 0;
  GANNET_TRY(gannet_agree(comm, make_common(node, &able)));
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &able, 1, MPI_INT, MPI_MIN, comm));
  if (able) return GANNET_OK;
  node->counter = NULL;
  node->meeting->mark = NULL;
  node->n = 1;
  node->place = 0;
  GANNET_TRY_MPI(MPI_Comm_free(&node->comm));
  GANNET_TRY_MPI(MPI_Comm_dup(MPI_COMM_SELF, &node->comm));
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &node->ranks[0]));
  return GANNET_OK;
}

/* By who started the program: Open MPI's ranks give their processors away then, too. */
static bool is_told_to_yield(void) {
  const char *text = getenv("OMPI_MCA_mpi_yield_when_idle");
  return text && *text && strchr("1tTyY", *text);
}

static gannet_err look_around(gannet_node *node) {
  gannet_processors processors;
  GANNET_TRY(gannet_processors_find(node->comm, &processors));
  node->meeting->crowded = gannet_processors_are_shared(&processors) || is_told_to_yield();
  return GANNET_OK;
}

gannet_err gannet_node_create(MPI_Comm comm, gannet_node **node) {
  gannet_node *made = NULL;
  GANNET_TRY(gannet_agree(comm, gannet_alloc(1, sizeof *made, &made)));
  made->comm = MPI_COMM_NULL;
  gannet_err err = find_ranks(comm, made);
  if (err == GANNET_OK) err = settle(comm, made);
  if (err == GANNET_OK) err = look_around(made);
  if (err != GANNET_OK) gannet_node_destroy(&made);
  *node = made;
  return err;
}

void gannet_node_destroy(gannet_node **node) {
  int finalized = 0;
  if (!*node) return;
  gannet_segments_destroy(&(*node)->segments);
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

/* Who is waited for may itself wait for the rest of a message, which MPI sends when it is called.
 * In hours there are more looks than an int counts. */
static void give_way(int64_t spins) {
  int found = 0;
  if (spins % PROBES == 0)
    (void)MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
  (void)sched_yield();
}

static bool has_come(const _Atomic int64_t *value, int64_t least, int64_t *now) {
  *now = atomic_load_explicit(value, memory_order_acquire);
  return *now >= least;
}

/* As long as this rank has worked since it waited last: whom it waits for has about as much to do.
 * Returns whether the value has come. */
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
  for (int64_t looks = 0; !come; ++looks) {
    give_way(looks);
    come = has_come(value, least, &now);
  }
  m->since = gannet_clock_seconds();
  return now;
}

/* Two sets of marks by turns: who is at the next meeting has raised the other one, and does not
 * come back to this one before all have read it. */
bool gannet_node_meet(const gannet_node *node, bool flag) {
  gannet_meeting *m = node->meeting;
  bool any = flag;
  if (node->n == 1) return flag;
  const int64_t now = 2 * ++m->time;
  gannet_mark *mark = m->mark + (m->time % 2) * node->n;
  atomic_store_explicit(&mark[node->place].at, now + flag, memory_order_release);
  for (int r = 0; r < node->n; ++r) any = gannet_node_wait(node, &mark[r].at, now) > now || any;
  return any;
}

gannet_err gannet_node_agree(const gannet_node *node, gannet_err err) {
  return gannet_node_meet(node, err != GANNET_OK) ? gannet_agree(node->comm, err) : GANNET_OK;
}
