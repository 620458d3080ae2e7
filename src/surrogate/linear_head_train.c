#include <string.h>

#include "base/memory.h"
#include "network/train.h"
#include "surrogate/chosen.h"
#include "surrogate/linear_head.h"

static gannet_err train_from(linear_head *h, const gannet_rows *rows, gannet_stream stream,
                             const double *start) {
  const linear_head_options *o = h->options;
  const gannet_train_problem problem = {&h->net, rows->n, rows->x, rows->y, o->decay, start};
  return gannet_train_for_all(h->context, &problem, &o->training, stream, h->theta);
}

/* On the first n observations. */
static gannet_err train(linear_head *h, int n, int64_t iteration) {
  /* mini-batches have sub-purposes of the same stream */
  const gannet_stream stream = gannet_stream_of(h->streams, GANNET_FOR_TRAINING, iteration, 0);
  gannet_rows rows = {.n = n, .width = h->d + 1, .x = h->z, .y = h->y};
  double *start = NULL;
  gannet_err code = gannet_alloc(gannet_mlp_parameters(&h->net), sizeof *start, &start);
  if (code == GANNET_OK) code = gannet_rows_choose(&rows, h->options->train_points, true, stream);
  code = gannet_agree(h->context->comm, code);
  if (code == GANNET_OK) {
    gannet_mlp_start(&h->net, gannet_stream_of(h->streams, GANNET_FOR_WEIGHTS, 0, 0), start);
    code = train_from(h, &rows, stream, start);
  }
  gannet_rows_release(&rows);
  gannet_free(&start);
  return code;
}

gannet_err linear_head_train(linear_head *h, int n, int64_t iteration) {
  h->stale = true; /* should training fail */
  GANNET_TRY(train(h, n, iteration));
  memcpy(h->weighted, h->theta, 2 * gannet_mlp_parameters(&h->net) * sizeof *h->theta);
  h->trained = n;
  h->iteration = iteration;
  h->stale = false;
  return GANNET_OK;
}
