#include "base/shared_array.h"

#include <string.h>

#include "base/memory.h"
#include "base/node.h"
#include "base/partition.h"

gannet_err gannet_shared_array_create(const gannet_context *context, size_t n, size_t own,
                                      gannet_shared_array *array) {
  const gannet_node *node = context->node;
  void *memory = NULL;
  *array = (gannet_shared_array){.context = context, .n = n};
  if (node && node->n > 1 && node->n == context->np)
    GANNET_TRY(gannet_node_share(node, n * sizeof *array->values, 0, &memory));
  array->shared = memory != NULL;
  array->values = memory;
  gannet_err err = GANNET_OK;
  if (!memory) array->n = own;
  if (!memory) err = gannet_alloc(own, sizeof *array->values, &array->values);
  return gannet_agree(context->comm, err);
}

void gannet_shared_array_release(gannet_shared_array *array) {
  void *memory = array->values;
  if (array->shared)
    gannet_node_unshare(array->context->node, &memory);
  else
    gannet_free(&array->values);
  *array = (gannet_shared_array){0};
}

void gannet_shared_array_barrier(const gannet_shared_array *array) {
  if (array->shared) (void)gannet_node_barrier(array->context->node, false);
}

void gannet_shared_array_begin(gannet_shared_array *array) {
  gannet_shared_array_barrier(array);
  if (!array->shared && array->context->np > 1)
    memset(array->values, 0, array->n * sizeof *array->values);
}

gannet_err gannet_shared_array_complete(gannet_shared_array *array) {
  if (!array->shared && array->context->np > 1)
    return gannet_partition_gather(array->context->comm, array->n, array->values);
  gannet_shared_array_barrier(array);
  return GANNET_OK;
}
