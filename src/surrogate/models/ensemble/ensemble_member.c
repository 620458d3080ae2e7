/* One member of the ensemble. It is a posterior draw, exactly so in the limit of infinite width.
 *
 * h learns the targets y_i / amplitude + e_i - prior(x_i), e ~ N(0, lambda), lambda = noise /
 * amplitude^2, with the pull (lambda / 2) |theta - theta_0|^2 (sample-then-optimise: Matthews et
 * al. 2017; Dai et al. 2022). A network that starts at 0 with targets y alone would miss the
 * randomness of the prior where there are no data. The prior function phi(x) . omega, with omega ~
 * N(0, I) over all weights, restores that randomness (He, Lakshminarayanan, Teh 2020,
 * "NTKGP-param").
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "surrogate/models/ensemble/ensemble.h"

gannet_err ensemble_member_create(const ensemble_data *data, const ensemble_streams *streams,
                                  ensemble_member *member) {
  if (data->prior) {
    const gannet_mlp *net = &data->net;
    const gannet_tangent_shape shape = {.activation = net->activation,
                                        .d = data->d,
                                        .layers = net->layers,
                                        .width = net->width,
                                        .embedding = data->embedding.kind};
    GANNET_TRY(gannet_tangent_create(&shape, streams->weights, &member->tangent));
    gannet_tangent_set_inputs(member->tangent, data->embedding.rho, data->embedding.bias);
    GANNET_TRY(gannet_tangent_directions_reserve(member->tangent, 1, &member->omega));
    GANNET_TRY(gannet_tangent_prior(member->tangent, streams->prior, &member->omega));
  }
  return gannet_alloc(2 * gannet_mlp_parameters(&data->net), sizeof(double), &member->theta);
}

void ensemble_member_release(ensemble_member *member) {
  gannet_tangent_directions_release(&member->omega);
  gannet_tangent_destroy(&member->tangent);
  gannet_free(&member->theta);
}

/* Values of the prior function, 0 without one. */
static void prior_values(const ensemble_member *member, int m, const double *x, double *values) {
  if (member->tangent)
    gannet_tangent_values(member->tangent, &member->omega, m, x, values, m);
  else
    memset(values, 0, (size_t)m * sizeof *values);
}

gannet_err ensemble_trainer_create(const ensemble_data *data, const ensemble_options *options,
                                   ensemble_trainer *trainer) {
  *trainer = (ensemble_trainer){0};
  GANNET_TRY(gannet_chosen_create(data->n, data->y, options->train_points, &trainer->chosen));
  const size_t count = (size_t)trainer->chosen.count, d = (size_t)data->d;
  GANNET_TRY(gannet_alloc(gannet_mlp_parameters(&data->net) + 2 * count, sizeof(double),
                          &trainer->memory));
  if (trainer->chosen.index) {
    GANNET_TRY(gannet_alloc(count * d, sizeof(double), &trainer->x));
    GANNET_TRY(gannet_alloc(count, sizeof(double), &trainer->y));
    GANNET_TRY(gannet_alloc(count * (d + 1), sizeof(double), &trainer->z));
  }
  return gannet_training_create(&data->net, trainer->chosen.count, &options->training,
                                &trainer->training);
}

void ensemble_trainer_release(ensemble_trainer *trainer) {
  gannet_training_destroy(&trainer->training);
  gannet_chosen_release(&trainer->chosen);
  gannet_free(&trainer->memory);
  gannet_free(&trainer->x);
  gannet_free(&trainer->y);
  gannet_free(&trainer->z);
}

/* The data of one member: all observations, or its own choice of them. */
static ensemble_data choose_observations(const ensemble_data *data, ensemble_trainer *trainer,
                                         gannet_stream stream) {
  ensemble_data own = *data;
  if (!trainer->chosen.index) return own;
  gannet_chosen_draw(&trainer->chosen, stream);
  gannet_chosen_gather(&trainer->chosen, data->d, data->x, trainer->x);
  gannet_chosen_gather(&trainer->chosen, 1, data->y, trainer->y);
  gannet_chosen_gather(&trainer->chosen, data->d + 1, data->z, trainer->z);
  own.n = trainer->chosen.count;
  own.x = trainer->x;
  own.y = trainer->y;
  own.z = trainer->z;
  return own;
}

gannet_err ensemble_member_train(const ensemble_data *data, ensemble_trainer *trainer,
                                 const ensemble_streams *streams, ensemble_member *member) {
  /* mini-batches have sub-purposes of the same stream */
  const ensemble_data own = choose_observations(data, trainer, streams->training);
  const double lambda = own.noise / (own.amplitude * own.amplitude);
  double *start = trainer->memory, *target = start + gannet_mlp_parameters(&own.net);
  double *prior = target + own.n;
  gannet_mlp_start(&own.net, streams->weights, start);
  gannet_random_normal(streams->noise, 0, (size_t)own.n, target);
  prior_values(member, own.n, own.x, prior);
  for (int i = 0; i < own.n; ++i)
    target[i] = own.y[i] / own.amplitude + sqrt(lambda) * target[i] - prior[i];
  const gannet_train_problem problem = {&data->net, own.n, own.z, target, lambda, start};
  return gannet_training_run(trainer->training, &problem, streams->training, member->theta, NULL);
}

void ensemble_member_values(const ensemble_data *data, const ensemble_member *member, int m,
                            const double *x, const double *z, gannet_mlp_tape *tape, double *work,
                            double *values) {
  prior_values(member, m, x, values);
  gannet_mlp_pair_values(&data->net, member->theta, m, z, tape, work);
  for (int i = 0; i < m; ++i) values[i] = data->amplitude * (values[i] + work[i]);
}

double ensemble_member_gradient(const ensemble_data *data, const ensemble_member *member,
                                const double *x, const double *z, gannet_mlp_tape *tape,
                                double *work, double *gradient) {
  double prior = 0, *by_z = work + data->net.inputs;
  memset(gradient, 0, (size_t)data->d * sizeof *gradient);
  if (member->tangent)
    gannet_tangent_gradient(member->tangent, &member->omega, 0, x, &prior, gradient);
  const double h = gannet_mlp_pair_gradient(&data->net, member->theta, z, tape, work, by_z);
  gannet_embedding_gradient(&data->embedding, z, by_z, by_z);
  for (int k = 0; k < data->d; ++k) gradient[k] = data->amplitude * (gradient[k] + by_z[k]);
  return data->amplitude * (prior + h);
}
