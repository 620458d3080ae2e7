#include "base/queue.h"

#include <stdatomic.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

/* What ranks of a node share. */
typedef struct {
  _Atomic int64_t counter; /* turns taken since the beginning */
  double mark;             /* of the first rank, */
  int64_t process;         /* to know it by */
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
 * fails where it fails, with nobody waiting. It goes with the last process that has it. */
static void *attach(gannet_node *node, int *id) {
  int rank = 0;
  if (MPI_Comm_rank(node->comm, &rank) != MPI_SUCCESS) return NULL;
  if (rank == 0) *id = shmget(IPC_PRIVATE, sizeof(segment), IPC_CREAT | 0600);
  if (MPI_Bcast(id, 1, MPI_INT, 0, node->comm) != MPI_SUCCESS || *id < 0) return NULL;
  void *memory = shmat(*id, NULL, 0);
  return memory == (void *)-1 ? NULL : memory;
}

/* Processes of one node may see different memory under one number, if they are in containers. */
static bool is_the_same(gannet_node *node) {
  int rank = 0, same = 0;
  double mark = gannet_clock_seconds();
  if (MPI_Comm_rank(node->comm, &rank) != MPI_SUCCESS) return false;
  if (rank == 0 && node->shared) *node->shared = (segment){.mark = mark, .process = getpid()};
  if (MPI_Bcast(&mark, 1, MPI_DOUBLE, 0, node->comm) != MPI_SUCCESS) return false;
  int64_t process = getpid();
  if (MPI_Bcast(&process, 1, MPI_INT64_T, 0, node->comm) != MPI_SUCCESS) return false;
  same = node->shared && node->shared->mark == mark && node->shared->process == process;
  return MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, node->comm) == MPI_SUCCESS && same;
}

static bool share_counter(gannet_node *node) {
  int id = -1, rank = 0;
  node->shared = attach(node, &id);
  const bool same = is_the_same(node);
  if (MPI_Comm_rank(node->comm, &rank) == MPI_SUCCESS && rank == 0 && id >= 0)
    (void)shmctl(id, IPC_RMID, NULL);
  return same;
}

static void detach(gannet_node *node) {
  if (node->shared) (void)shmdt(node->shared);
  node->shared = NULL;
}

/* Alone, if any rank has no counter. */
static gannet_err agree_on_counter(MPI_Comm comm, gannet_node *node, bool able) {
  int all = able;
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm));
  if (all && node->n > 1) return GANNET_OK;
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
  if (err == GANNET_OK) err = agree_on_counter(comm, made, made->n == 1 || share_counter(made));
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
