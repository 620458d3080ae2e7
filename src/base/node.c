#include "base/node.h"

#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

enum {
  SPINS = 2000, /* looks before the processor is given away, some tens of microseconds */
  LOOKS = 64,   /* after that, of which one goes to MPI */
  LINE = 64     /* bytes before what is shared, for the mark */
};

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
 * fails where it fails, with nobody waiting. It goes with the last process that has it.
 *
 * id      inout  its number, made by the first rank; -1 = none
 * memory  out    NULL = none
 */
static gannet_err attach(const gannet_node *node, size_t bytes, int *id, char **memory) {
  if (node->place == 0) *id = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
  GANNET_TRY_MPI(MPI_Bcast(id, 1, MPI_INT, 0, node->comm));
  void *at = *id < 0 ? (void *)-1 : shmat(*id, NULL, 0);
  *memory = at == (void *)-1 ? NULL : at;
  return GANNET_OK;
}

/* Processes of one node may see different memory under one number, if they are in containers: the
 * first rank leaves a mark. */
static gannet_err compare(const gannet_node *node, char *memory, int *same) {
  double mark[2] = {gannet_clock_seconds(), (double)getpid()};
  if (node->place == 0 && memory) memcpy(memory, mark, sizeof mark);
  GANNET_TRY_MPI(MPI_Bcast(mark, 2, MPI_DOUBLE, 0, node->comm));
  *same = memory && memcmp(memory, mark, sizeof mark) == 0;
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, same, 1, MPI_INT, MPI_MIN, node->comm));
  return GANNET_OK;
}

gannet_err gannet_node_share(const gannet_node *node, size_t bytes, void **memory) {
  char *made = NULL;
  int id = -1, same = 0;
  *memory = NULL;
  gannet_err err = attach(node, bytes + LINE, &id, &made);
  if (err == GANNET_OK) err = compare(node, made, &same);
  if (node->place == 0 && id >= 0) (void)shmctl(id, IPC_RMID, NULL);
  if (made && same)
    *memory = made + LINE;
  else if (made)
    (void)shmdt(made);
  return err;
}

void gannet_node_unshare(void **memory) {
  if (*memory) (void)shmdt((char *)*memory - LINE);
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

static void detach(gannet_node *node) {
  void *memory = node->counter;
  gannet_node_unshare(&memory);
  node->counter = NULL;
}

/* Ranks of all nodes do as the others: alone, if any has no counter. */
static gannet_err make_counter(MPI_Comm comm, gannet_node *node) {
  void *memory = NULL;
  if (node->n > 1) GANNET_TRY(gannet_node_share(node, sizeof *node->counter, &memory));
  node->counter = memory;
  int able = node->n == 1 || memory != NULL;
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &able, 1, MPI_INT, MPI_MIN, comm));
  if (able) return GANNET_OK;
  detach(node);
  node->n = 1;
  node->place = 0;
  GANNET_TRY_MPI(MPI_Comm_free(&node->comm));
  GANNET_TRY_MPI(MPI_Comm_dup(MPI_COMM_SELF, &node->comm));
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &node->ranks[0]));
  return GANNET_OK;
}

gannet_err gannet_node_create(MPI_Comm comm, gannet_node **node) {
  gannet_node *made = NULL;
  GANNET_TRY(gannet_agree(comm, gannet_alloc(1, sizeof *made, &made)));
  made->comm = MPI_COMM_NULL;
  gannet_err err = find_ranks(comm, made);
  if (err == GANNET_OK) err = make_counter(comm, made);
  if (err != GANNET_OK) gannet_node_destroy(&made);
  *node = made;
  return err;
}

void gannet_node_destroy(gannet_node **node) {
  int finalized = 0;
  if (!*node) return;
  detach(*node);
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
 */
static void give_way(int spins) {
  int found = 0;
  if (spins % LOOKS == 0)
    (void)MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
  (void)sched_yield();
}

int gannet_node_wait(const _Atomic int *value, int least) {
  for (int spins = 0;; ++spins) {
    const int now = atomic_load_explicit(value, memory_order_acquire);
    if (now >= least) return now;
    if (spins < SPINS)
      pause_shortly();
    else
      give_way(spins);
  }
}
