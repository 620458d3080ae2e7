#include "base/queue.h"

#include <stdatomic.h>

#include "base/memory.h"

struct gannet_node {
  MPI_Comm comm; /* ranks that share memory */
  MPI_Win window;
  int n;
  int *ranks;               /* [n] in the communicator of all, ascending */
  _Atomic int64_t *counter; /* turns taken since the beginning; NULL = n is 1 */
  int64_t begun;            /* turns taken before the present queue */
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

/* The memory of the first one, which is 0 for all before anybody counts. */
static bool share_counter(gannet_node *node) {
  int rank = 0, unit = 0;
  MPI_Aint size = 0;
  void *mine = NULL, *first = NULL;
  if (MPI_Comm_rank(node->comm, &rank) != MPI_SUCCESS ||
      MPI_Win_allocate_shared(rank == 0 ? (MPI_Aint)sizeof *node->counter : 0, 1, MPI_INFO_NULL,
                              node->comm, &mine, &node->window) != MPI_SUCCESS)
    return false;
  if (MPI_Win_shared_query(node->window, 0, &size, &unit, &first) != MPI_SUCCESS) return false;
  node->counter = first;
  if (rank == 0) atomic_store(node->counter, 0);
  return MPI_Barrier(node->comm) == MPI_SUCCESS;
}

/* Alone, if any rank has no counter. */
static gannet_err agree_on_counter(MPI_Comm comm, gannet_node *node, bool able) {
  int all = able;
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm));
  if (all && node->n > 1) return GANNET_OK;
  node->counter = NULL;
  node->n = 1;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &node->ranks[0]));
  return GANNET_OK;
}

gannet_err gannet_node_create(MPI_Comm comm, gannet_node **node) {
  gannet_node *made = NULL;
  GANNET_TRY(gannet_agree(comm, gannet_alloc(1, sizeof *made, &made)));
  made->comm = MPI_COMM_NULL;
  made->window = MPI_WIN_NULL;
  gannet_err err = find_ranks(comm, made);
  if (err == GANNET_OK) err = agree_on_counter(comm, made, made->n == 1 || share_counter(made));
  if (err != GANNET_OK) gannet_node_destroy(&made);
  *node = made;
  return err;
}

void gannet_node_destroy(gannet_node **node) {
  if (!*node) return;
  if ((*node)->window != MPI_WIN_NULL) (void)MPI_Win_free(&(*node)->window);
  if ((*node)->comm != MPI_COMM_NULL) (void)MPI_Comm_free(&(*node)->comm);
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
  return node && node->counter ? atomic_fetch_add(node->counter, 1) - node->begun : queue->own++;
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
