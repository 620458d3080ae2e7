#include "base/common.h"

#include <string.h>

#include "base/memory.h"
#include "base/node.h"
#include "base/parts.h"

gannet_err gannet_common_create(const gannet_context *context, size_t n, size_t own,
                                gannet_common *common) {
  const gannet_node *node = context->node;
  void *memory = NULL;
  *common = (gannet_common){.context = context, .n = n};
  if (node && node->n > 1 && node->n == context->np)
    GANNET_TRY(gannet_node_share(node, n * sizeof *common->values, 0, &memory));
  common->shared = memory != NULL;
  common->values = memory;
  gannet_err err = GANNET_OK;
  if (!memory) common->n = own;
  if (!memory) err = gannet_alloc(own, sizeof *common->values, &common->values);
  return gannet_agree(context->comm, err);
}

void gannet_common_release(gannet_common *common) {
  void *memory = common->values;
  if (common->shared)
    gannet_node_unshare(common->context->node, &memory);
  else
    gannet_free(&common->values);
  *common = (gannet_common){0};
}

void gannet_common_meet(const gannet_common *common) {
  if (common->shared) (void)gannet_node_meet(common->context->node, false);
}

void gannet_common_begin(gannet_common *common) {
  gannet_common_meet(common);
  if (!common->shared && common->context->np > 1)
    memset(common->values, 0, common->n * sizeof *common->values);
}

gannet_err gannet_common_complete(gannet_common *common) {
  if (!common->shared && common->context->np > 1)
    return gannet_parts_gather(common->context->comm, common->n, common->values);
  gannet_common_meet(common);
  return GANNET_OK;
}
