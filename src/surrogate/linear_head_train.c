#include <string.h>

#include "base/memory.h"
#include "network/train.h"
#include "surrogate/chosen.h"
#include "surrogate/linear_head.h"

/* Observations to train on, of the first n; z [count][d+1] and y [count] are owned by it when there
 * are more than that. */
typedef struct {
  gannet_chosen chosen;
  double *z, *y;
} lesson;

static gannet_err choose(const linear_head *h, int n, gannet_stream stream, lesson *l) {
  GANNET_TRY(gannet_chosen_create(n, h->y, h->options->train_points, &l->chosen));
  if (!l->chosen.index) return GANNET_OK;
  gannet_chosen_draw(&l->chosen, stream);
  const size_t count = (size_t)l->chosen.count;
  GANNET_TRY(gannet_alloc(count * ((size_t)h->d + 1), sizeof(double), &l->z));
  GANNET_TRY(gannet_alloc(count, sizeof(double), &l->y));
  gannet_chosen_gather(&l->chosen, h->d + 1, h->z, l->z);
  gannet_chosen_gather(&l->chosen, 1, h->y, l->y);
  return GANNET_OK;
}

static gannet_err train_from(linear_head *h, const lesson *l, gannet_stream stream,
                             const double *start) {
  const linear_head_options *o = h->options;
  const gannet_train_problem problem = {
      &h->net, l->chosen.count, l->z ? l->z : h->z, l->y ? l->y : h->y, o->decay, start};
  return gannet_train_for_all(h->context, &problem, &o->training, stream, h->theta);
}

/* On the first n observations. */
static gannet_err train(linear_head *h, int n, int64_t iteration) {
  /* mini-batches have sub-purposes of the same stream */
  const gannet_stream stream = gannet_stream_of(h->streams, GANNET_FOR_TRAINING, iteration, 0);
  lesson l = {0};
  double *start = NULL;
  gannet_err code = gannet_alloc(gannet_mlp_parameters(&h->net), sizeof *start, &start);
  if (code == GANNET_OK) code = choose(h, n, stream, &l);
  code = gannet_agree(h->context->comm, code);
  if (code == GANNET_OK) {
    gannet_mlp_start(&h->net, gannet_stream_of(h->streams, GANNET_FOR_WEIGHTS, 0, 0), start);
    code = train_from(h, &l, stream, start);
  }
  gannet_chosen_release(&l.chosen);
  gannet_free(&l.z);
  gannet_free(&l.y);
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
