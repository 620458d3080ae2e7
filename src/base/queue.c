#include "base/queue.h"

gannet_queue gannet_queue_open(const gannet_context *context, int64_t units) {
  return (gannet_queue){.context = context, .units = units};
}

gannet_queue gannet_queue_open_fixed(const gannet_context *context, int64_t units) {
  return (gannet_queue){.context = context, .units = units, .is_fixed = true};
}

/* Whether the number of ones among the binary digits is odd (Thue and Morse). */
static bool is_backwards(int64_t round) {
  int odd = 0;
  for (; round > 0; round /= 2) odd ^= (int)(round & 1);
  return odd != 0;
}

int64_t gannet_queue_next(gannet_queue *queue) {
  const gannet_context *context = queue->context;
  const gannet_node *node = queue->is_fixed ? NULL : context->node;
  const int n = node ? node->n : 1;
  while (!queue->at_end) {
    /* in every round of all ranks the node has as many turns as ranks */
    const int64_t turn =
        node && node->counter ? atomic_fetch_add(node->counter, 1) - node->begun : queue->own++;
    const int64_t round = turn / n;
    const int at = (int)(turn % n);
    const bool backwards = is_backwards(round);
    const int rank = node ? node->ranks[backwards ? n - 1 - at : at] : context->rank;
    const int64_t unit = round * context->np + (backwards ? context->np - 1 - rank : rank);
    queue->at_end = round * context->np >= queue->units;
    if (unit < queue->units) return unit;
  }
  return -1;
}

/* Take the remaining turns: every rank takes one turn beyond the last unit. */
void gannet_queue_close(gannet_queue *queue) {
  gannet_node *node = queue->is_fixed ? NULL : queue->context->node;
  const int np = queue->context->np;
  while (!queue->at_end) (void)gannet_queue_next(queue);
  if (node) node->begun += ((queue->units + np - 1) / np + 1) * node->n;
}
