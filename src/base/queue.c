#include "base/queue.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

/* What ranks of a node share. */
typedef struct {
  _Atomic int64_t counter; /* turns taken since the beginning */
  double mark[2];          /* of the first rank, to know it by */
} segment;

struct gannet_node {
  MPI_Comm comm; /* ranks that share memory */
  int n;
  int *ranks;      /* [n] in the communicator of all, ascending */
  segment *shared; /* NULL = n is 1 */
  int64_t begun;   /* turns taken before the present queue */
};

/* Ranks of this node in their order, which is that of all ranks. */
static gannet_err find_ranks(MPI_Comm comm, gannet_node *node) {
  int rank = 0;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  GANNET_TRY_MPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node->comm));
  GANNET_TRY_MPI(MPI_Comm_set_errhandler(node->comm, MPI_ERRORS_RETURN));
  GANNET_TRY_MPI(MPI_Comm_size(node->comm, &node->n));
  GANNET_TRY(gannet_agree(comm, gannet_alloc((size_t)node->n, sizeof *node->ranks, &node->ranks)));
  GANNET_TRY_MPI(MPI_Allgather(&rank, 1, MPI_INT, node->ranks, 1, MPI_INT, node->comm));
  return GANNET_OK;
}

/* Memory of System V: unlike a file it has a place on a full disk, and unlike a window of MPI it
 * fails where it fails, with nobody waiting. It goes with the last process that has it.
 *
 * id  inout  its number, made by the first rank; -1 = none
 */
static gannet_err attach(gannet_node *node, bool first, int *id) {
  if (first) *id = shmget(IPC_PRIVATE, sizeof(segment), IPC_CREAT | 0600);
  GANNET_TRY_MPI(MPI_Bcast(id, 1, MPI_INT, 0, node->comm));
  void *memory = *id < 0 ? (void *)-1 : shmat(*id, NULL, 0);
  node->shared = memory == (void *)-1 ? NULL : memory;
  return GANNET_OK;
}

/* Processes of one node may see different memory under one number, if they are in containers. */
static gannet_err compare(gannet_node *node, bool first, int *same) {
  double mark[2] = {gannet_clock_seconds(), (double)getpid()};
  if (first && node->shared) *node->shared = (segment){.mark = {mark[0], mark[1]}};
  GANNET_TRY_MPI(MPI_Bcast(mark, 2, MPI_DOUBLE, 0, node->comm));
  *same = node->shared && memcmp(node->shared->mark, mark, sizeof mark) == 0;
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, same, 1, MPI_INT, MPI_MIN, node->comm));
  return GANNET_OK;
}

static gannet_err share_counter(gannet_node *node, int *same) {
  int id = -1, rank = 0;
  GANNET_TRY_MPI(MPI_Comm_rank(node->comm, &rank));
  gannet_err err = attach(node, rank == 0, &id);
  if (err == GANNET_OK) err = compare(node, rank == 0, same);
  if (rank == 0 && id >= 0) (void)shmctl(id, IPC_RMID, NULL);
  return err;
}

static void detach(gannet_node *node) {
  if (node->shared) (void)shmdt(node->shared);
  node->shared = NULL;
}

/* Ranks of all nodes do as the others: alone, if any has no counter. */
static gannet_err make_counter(MPI_Comm comm, gannet_node *node) {
  int able = 1;
  if (node->n > 1) GANNET_TRY(share_counter(node, &able));
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &able, 1, MPI_INT, MPI_MIN, comm));
  if (able) return GANNET_OK;
  detach(node);
  node->n = 1;
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

gannet_queue gannet_queue_open(const gannet_context *context, int64_t units) {
  return (gannet_queue){.context = context, .units = units};
}

static bool is_backwards(int64_t round) {
  int odd = 0;
  for (; round > 0; round /= 2) odd ^= (int)(round & 1);
  return odd != 0;
}

/* The next turn of this node: in every round of all ranks it has as many as ranks. */
static int64_t take_turn(gannet_queue *queue) {
  gannet_node *node = queue->context->node;
  return node && node->shared ? atomic_fetch_add(&node->shared->counter, 1) - node->begun
                              : queue->own++;
}

int64_t gannet_queue_next(gannet_queue *queue) {
  const gannet_context *context = queue->context;
  const gannet_node *node = context->node;
  const int n = node ? node->n : 1;
  while (!queue->at_end) {
    const int64_t turn = take_turn(queue), round = turn / n;
    const int place = (int)(turn % n);
    const bool backwards = is_backwards(round);
    const int rank = node ? node->ranks[backwards ? n - 1 - place : place] : context->rank;
    const int64_t unit = round * context->np + (backwards ? context->np - 1 - rank : rank);
    queue->at_end = round * context->np >= queue->units;
    if (unit < queue->units) return unit;
  }
  return -1;
}

/* Every rank has taken one turn beyond the last. */
void gannet_queue_close(gannet_queue *queue) {
  gannet_node *node = queue->context->node;
  const int np = queue->context->np;
  while (!queue->at_end) (void)gannet_queue_next(queue);
  if (node) node->begun += ((queue->units + np - 1) / np + 1) * node->n;
}
