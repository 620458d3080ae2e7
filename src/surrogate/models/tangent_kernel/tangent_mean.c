/* The mean of Neural-BO as published: that of a trained network, instead of the closed form which
 * training approaches while the network stays close to linear in its weights.
 *
 *   theta = argmin (1/2) sum (h(x_i; theta) - y_i/s)^2 + (lambda/2) |theta - theta_0|^2,
 *   mean = s h
 *
 * from the same theta_0 in every fit, which is the network of the tangent kernel at its start.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "surrogate/models/tangent_kernel/tangent_kernel.h"

enum { ROWS = 64 };

struct tangent_mean {
  gannet_mlp net;
  gannet_input_embedding embedding;
  double amplitude; /* s */
  double *rho;      /* [d] */
  double *start;    /* [parameters] theta_0 of both halves */
  double *theta;    /* [2][parameters] */
  gannet_mlp_tape tape;
  double *z;      /* [ROWS][d+1] */
  double *values; /* [ROWS] */
  double *by_z;   /* [2][d+1] */
  bool told;      /* that the learning rate was lowered */
};

void tangent_mean_destroy(tangent_mean **mean) {
  tangent_mean *m = *mean;
  if (!m) return;
  gannet_mlp_tape_release(&m->tape);
  gannet_free(&m->rho);
  gannet_free(&m->start);
  gannet_free(&m->theta);
  gannet_free(&m->z);
  gannet_free(&m->values);
  gannet_free(&m->by_z);
  gannet_free(mean);
}

static gannet_err allocate_mean(tangent_mean *m) {
  const size_t p = gannet_mlp_parameters(&m->net), inputs = (size_t)m->net.inputs;
  GANNET_TRY(gannet_alloc(inputs - 1, sizeof(double), &m->rho));
  GANNET_TRY(gannet_alloc(p, sizeof(double), &m->start));
  GANNET_TRY(gannet_alloc(2 * p, sizeof(double), &m->theta));
  GANNET_TRY(gannet_alloc(ROWS * inputs, sizeof(double), &m->z));
  GANNET_TRY(gannet_alloc(ROWS, sizeof(double), &m->values));
  GANNET_TRY(gannet_alloc(2 * inputs, sizeof(double), &m->by_z));
  return gannet_mlp_tape_create(&m->net, ROWS, &m->tape);
}

gannet_err tangent_mean_create(const tangent_model *t, tangent_mean **mean) {
  tangent_mean *m = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *m, mean));
  m = *mean; /* the caller destroys it, also after a failure below */
  m->net = (gannet_mlp){.activation = gannet_activations[t->options->activation],
                        .inputs = t->d + 1,
                        .layers = t->options->layers,
                        .width = t->options->width};
  GANNET_TRY(allocate_mean(m));
  m->embedding = (gannet_input_embedding){(gannet_embedding_kind)t->options->lift, t->d, m->rho, 1};
  gannet_mlp_start(
      &m->net, gannet_context_stream(t->context, GANNET_FOR_WEIGHTS, 0, (uint64_t)t->streams.model),
      m->start);
  return GANNET_OK;
}

gannet_err tangent_mean_train(tangent_mean *m, const tangent_model *t, const gannet_data *data,
                              int64_t iteration) {
  const size_t size = 2 * gannet_mlp_parameters(&m->net), n = (size_t)data->n;
  double *z = NULL; /* [n][d + 1], then the targets [n] */
  GANNET_REQUIRE(size < (1u << 31), GANNET_ERR_SHAPE, "%zu weights", size);
  tangent_scales(t, t->hyper, m->rho, &m->embedding.bias);
  m->amplitude = sqrt(t->amplitude);
  GANNET_TRY(gannet_alloc_on_all(t->context->comm, n * (size_t)(t->d + 2), sizeof *z, &z));
  double *target = z + n * (size_t)(t->d + 1);
  gannet_embed_inputs(&m->embedding, data->n, data->x, z);
  for (size_t i = 0; i < n; ++i) target[i] = data->y[i] / m->amplitude;
  const gannet_train_problem problem = {&m->net, data->n, z, target, t->lambda, m->start, NULL};
  const gannet_err code = gannet_train_for_all(
      t->context, &problem, &t->options->training,
      gannet_stream_of(t->streams, GANNET_FOR_TRAINING, iteration, 0), m->theta, &m->told);
  gannet_free(&z);
  GANNET_TRY(code);
  return GANNET_OK;
}

void tangent_mean_add(const tangent_mean *m, int n, const double *x, int q, double *values,
                      int ldv) {
  gannet_mlp_tape tape = m->tape; /* written through pointers of a const object */
  for (int first = 0; first < n; first += ROWS) {
    const int rows = n - first < ROWS ? n - first : ROWS;
    gannet_embed_inputs(&m->embedding, rows, x + (size_t)first * (size_t)m->embedding.d, m->z);
    gannet_mlp_pair_values(&m->net, m->theta, rows, m->z, &tape, m->values);
    for (int j = 0; j < q; ++j)
      for (int i = 0; i < rows; ++i)
        values[(size_t)j * (size_t)ldv + (size_t)(first + i)] += m->amplitude * m->values[i];
  }
}

double tangent_mean_gradient(const tangent_mean *m, const double *x, double *gradient) {
  gannet_mlp_tape tape = m->tape;
  double *by_z = m->by_z + m->net.inputs;
  gannet_embed_inputs(&m->embedding, 1, x, m->z);
  const double h = gannet_mlp_pair_gradient(&m->net, m->theta, m->z, &tape, m->by_z, by_z);
  gannet_embedding_gradient(&m->embedding, m->z, by_z, gradient);
  for (int k = 0; k < m->embedding.d; ++k) gradient[k] *= m->amplitude;
  return m->amplitude * h;
}
