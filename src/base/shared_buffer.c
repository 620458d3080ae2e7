#include "base/shared_buffer.h"

#include "base/memory.h"

struct gannet_shared_buffer {
  const gannet_node *node;
  size_t step;     /* numbers of a rank, a multiple of a cache line */
  double *numbers; /* [2][ranks][step], shared: one half is read while the other is written */
  int half;        /* index of the half that is written */
};

enum { LINE = sizeof(gannet_mark) / sizeof(double) };

gannet_err gannet_shared_buffer_create(const gannet_node *node, size_t length,
                                       gannet_shared_buffer **buffer) {
  gannet_shared_buffer *made = NULL;
  void *memory = NULL;
  *buffer = NULL;
  GANNET_TRY(gannet_agree(node->comm, gannet_alloc(1, sizeof *made, &made)));
  *made = (gannet_shared_buffer){node, (length + LINE - 1) / LINE * LINE, NULL, 0};
  const size_t numbers = 2 * (size_t)node->n * made->step;
  const gannet_err err = gannet_node_share(node, numbers * sizeof(double), 0, &memory);
  made->numbers = memory;
  if (err != GANNET_OK || !memory)
    gannet_shared_buffer_destroy(&made);
  else
    *buffer = made;
  GANNET_TRY(err);
  return GANNET_OK;
}

void gannet_shared_buffer_destroy(gannet_shared_buffer **buffer) {
  if (!*buffer) return;
  void *memory = (*buffer)->numbers;
  gannet_node_unshare((*buffer)->node, &memory);
  gannet_free(buffer);
}

const gannet_node *gannet_shared_buffer_node(const gannet_shared_buffer *buffer) {
  return buffer->node;
}

static double *part_of(const gannet_shared_buffer *buffer, int half, int node_rank) {
  return buffer->numbers +
         ((size_t)half * (size_t)buffer->node->n + (size_t)node_rank) * buffer->step;
}

double *gannet_shared_buffer_own(gannet_shared_buffer *buffer) {
  return part_of(buffer, buffer->half, buffer->node->node_rank);
}

gannet_err gannet_shared_buffer_publish(gannet_shared_buffer *buffer, gannet_err err) {
  buffer->half = 1 - buffer->half;
  GANNET_TRY(gannet_node_agree(buffer->node, err));
  return GANNET_OK;
}

const double *gannet_shared_buffer_of(const gannet_shared_buffer *buffer, int node_rank) {
  return part_of(buffer, 1 - buffer->half, node_rank);
}
