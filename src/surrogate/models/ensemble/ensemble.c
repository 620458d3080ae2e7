/* Sample-then-optimise: an ensemble of trained networks, each a posterior draw.
 *
 * A member is exactly a posterior draw in the limit of infinite width. With theta_0 its start and
 * lambda = noise / amplitude^2,
 *
 *   f(x) = amplitude (phi(x) . omega + h(x; theta)),   omega ~ N(0, I) over all weights,
 *
 * where phi(x) . omega, the prior function, uses the gradient phi of the network by its weights at
 * the start, and h learns the targets y_i / amplitude + e_i - phi(x_i) . omega, e ~ N(0, lambda),
 * with the pull (lambda / 2) |theta - theta_0|^2 (Matthews et al. 2017; Dai et al. 2022). h alone,
 * a network that starts at 0 with targets y, would miss the randomness of the prior where there are
 * no data; the prior function restores it (He, Lakshminarayanan, Teh 2020, "NTKGP-param").
 *
 * A fit trains `members` networks; mean and standard deviation are taken over these. The draws of
 * sample are networks too: first the networks of the fit when the iteration is the same, then
 * networks that are trained for the draws. Member k belongs to rank k mod np, which trains it and
 * sends its weights to all ranks. The scales of the inputs, the amplitude and the noise maximise
 * the marginal likelihood of the tangent kernel, which every member has at its start.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "network/input_embedding.h"
#include "network/train.h"
#include "surrogate/data_subset.h"
#include "surrogate/models/tangent_kernel/tangent_kernel.h"
#include "surrogate/option_rows.h"
#include "surrogate/registry.h"
#include "surrogate/row_noise.h"

enum { LEAST_MEMBERS = 4 }; /* a mean and a spread need a few members */

typedef struct {
  tangent_options kernel; /* the network, and the fit of its scales */
  int members;
  int prior;        /* 0: members have a prior function, 1: they have none */
  int train_points; /* most observations that one member is trained on */
  gannet_train_options training;
} ensemble_options;

/* The data and the scales of one fit, which all members share. */
typedef struct {
  gannet_mlp net;
  int d;
  int n;
  const double *x;                  /* [n][d] */
  const double *y;                  /* [n] */
  const double *z;                  /* [n][d+1] embedded points */
  gannet_input_embedding embedding; /* input embedding of the networks */
  double amplitude;                 /* standard deviation that multiplies the network */
  double noise;                     /* variance of the noise in y */
  const double *variance;           /* [n] that of each row; NULL = noise */
  bool prior;                       /* members have a prior function */
} ensemble_data;

typedef struct {
  gannet_tangent *tangent;         /* features phi at the start; NULL without a prior function */
  gannet_tangent_directions omega; /* one direction */
  double *theta;                   /* [2][parameters] */
} ensemble_member;

/* Random numbers of one member. */
typedef struct {
  gannet_stream weights, prior, noise, training;
} ensemble_streams;

/* Memory for training members one after another. Each member chooses its own observations when
 * there are too many. */
typedef struct {
  gannet_training *training;
  gannet_data_subset subset;
  double *memory;    /* start [parameters], targets, prior values, weights [count] */
  double *x, *y, *z; /* [count] rows chosen; NULL when all are */
  double *variance;  /* [count] of these, where it differs between rows */
} ensemble_trainer;

typedef struct {
  const gannet_context *context;
  const ensemble_options *options;
  tangent_model *linear; /* learns and keeps the hyperparameters; has no data */
  ensemble_data data;
  int capacity;
  double *x, *y, *z, *rho; /* arrays that data points to */
  double *variance;        /* [capacity] */
  int64_t iteration;       /* iteration of the last fit */
  int n_members, allocated;
  ensemble_member *members; /* members of the fit, then of the draws */
  int q, first_draw;        /* draws, and the member of draw 0 */
  double exploration;
  gannet_mlp_tape tape;
  double *z_tile; /* [GANNET_TILE][d+1] embedded points of a tile */
  double *values; /* [members][GANNET_TILE] */
  double *work;   /* [GANNET_TILE + 2 (d+1)] */
  double *slopes; /* [members][d] */
} ensemble;

#define MEMBER(name) offsetof(ensemble_options, name)
static const char *const scale_names[] = {"shared", "ard", NULL};
static const char *const prior_names[] = {"function", "none", NULL};

static const gannet_option ensemble_option_table[] = {
    {.key = "activation",
     .type = GANNET_CHOICE,
     .offset = MEMBER(kernel.activation),
     .fallback = "erf",
     .choices = gannet_activation_names,
     .help = "activation function of the networks"},
    {.key = "layers",
     .type = GANNET_INTEGER,
     .offset = MEMBER(kernel.layers),
     .fallback = "2",
     .lower = 1,
     .upper = GANNET_MLP_LAYERS,
     .help = "hidden layers"},
    {.key = "width",
     .type = GANNET_INTEGER,
     .offset = MEMBER(kernel.width),
     .fallback = "128",
     .lower = 1,
     .upper = 20000,
     .help = "units per hidden layer"},
    {.key = "input_scales",
     .type = GANNET_CHOICE,
     .offset = MEMBER(kernel.ard),
     .fallback = "shared",
     .choices = scale_names,
     .help = "one scale for all coordinates, or one for each"},
    {.key = "lift",
     .type = GANNET_CHOICE,
     .offset = MEMBER(kernel.lift),
     .fallback = "sphere",
     .choices = gannet_embedding_names,
     .help = "additional input of the networks: a constant (flat), or the coordinate that puts all "
             "points on a sphere, so that the model is equally uncertain everywhere"},
    {.key = "bias",
     .type = GANNET_REAL,
     .offset = MEMBER(kernel.bias),
     .fallback = "1",
     .lower = 1e-6,
     .upper = 1e6,
     .flags = GANNET_OPTION_AUTO,
     .help = "constant coordinate of the networks' input; auto learns it, but "
             "large values make narrow networks hard to train"},
    GANNET_NOISE_FLOOR_OPTION(MEMBER(kernel.noise_floor), "1e-6"),
    GANNET_RESTARTS_OPTION(MEMBER(kernel.restarts), "3"),
    GANNET_FIT_POINTS_OPTION(MEMBER(kernel.fit_points), "400", "fit hyperparameters"),
    GANNET_FIT_EVALUATIONS_OPTION(MEMBER(kernel.fit_evaluations), "60"),
    {.key = "members",
     .type = GANNET_INTEGER,
     .offset = MEMBER(members),
     .fallback = "8",
     .lower = LEAST_MEMBERS,
     .upper = 10000,
     .help = "networks that give mean and uncertainty, shared among the ranks"},
    {.key = "prior",
     .type = GANNET_CHOICE,
     .offset = MEMBER(prior),
     .fallback = "function",
     .choices = prior_names,
     .help = "function: a random prior function is added to each network, which makes it a "
             "posterior draw; none: only targets and starts are random"},
    GANNET_TRAIN_POINTS_OPTION(
        MEMBER(train_points), "500",
        "largest number of observations for training a network; of more, each network takes the "
        "best half of this number and its own random choice of the rest"),
    GANNET_TRAIN_OPTIONS(ensemble_options, "networks are"),
    {0}};
#undef MEMBER

/* An untrained member: its prior function, and room for weights. */
static gannet_err member_create(const ensemble_data *data, const ensemble_streams *streams,
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

/* Values of the prior function, 0 without one. */
static void prior_values(const ensemble_member *member, int m, const double *x, double *values) {
  if (member->tangent)
    gannet_tangent_values(member->tangent, &member->omega, m, x, values, m);
  else
    memset(values, 0, (size_t)m * sizeof *values);
}

static gannet_err trainer_create(const ensemble_data *data, const ensemble_options *options,
                                 ensemble_trainer *trainer) {
  *trainer = (ensemble_trainer){0};
  GANNET_TRY(gannet_data_subset_create(data->n, data->y, options->train_points, &trainer->subset));
  const size_t count = (size_t)trainer->subset.count, d = (size_t)data->d;
  GANNET_TRY(gannet_alloc(gannet_mlp_parameters(&data->net) + 3 * count, sizeof(double),
                          &trainer->memory));
  if (trainer->subset.index) {
    GANNET_TRY(gannet_alloc(count * d, sizeof(double), &trainer->x));
    GANNET_TRY(gannet_alloc(count, sizeof(double), &trainer->y));
    GANNET_TRY(gannet_alloc(count * (d + 1), sizeof(double), &trainer->z));
    GANNET_TRY(gannet_alloc(count, sizeof(double), &trainer->variance));
  }
  return gannet_training_create(&data->net, trainer->subset.count, &options->training,
                                &trainer->training);
}

static void trainer_release(ensemble_trainer *trainer) {
  gannet_training_destroy(&trainer->training);
  gannet_data_subset_release(&trainer->subset);
  gannet_free(&trainer->memory);
  gannet_free(&trainer->x);
  gannet_free(&trainer->y);
  gannet_free(&trainer->z);
  gannet_free(&trainer->variance);
}

/* The data of one member: all observations, or its own choice of them. */
static ensemble_data choose_observations(const ensemble_data *data, ensemble_trainer *trainer,
                                         gannet_stream stream) {
  ensemble_data own = *data;
  if (!trainer->subset.index) return own;
  gannet_data_subset_draw(&trainer->subset, stream);
  gannet_data_subset_gather(&trainer->subset, data->d, data->x, trainer->x);
  gannet_data_subset_gather(&trainer->subset, 1, data->y, trainer->y);
  gannet_data_subset_gather(&trainer->subset, data->d + 1, data->z, trainer->z);
  own.n = trainer->subset.count;
  own.x = trainer->x;
  own.y = trainer->y;
  own.z = trainer->z;
  if (!data->variance) return own;
  gannet_data_subset_gather(&trainer->subset, 1, data->variance, trainer->variance);
  own.variance = trainer->variance;
  return own;
}

/* Train a member on perturbed targets. Rows whose noise is stated are perturbed by theirs, and
 * their squared residuals are weighted by its inverse, relative to that of the model. */
static gannet_err member_train(const ensemble_data *data, ensemble_trainer *trainer,
                               const ensemble_streams *streams, ensemble_member *member) {
  /* mini-batches have sub-purposes of the same stream */
  const ensemble_data own = choose_observations(data, trainer, streams->training);
  const double lambda = own.noise / (own.amplitude * own.amplitude);
  double *start = trainer->memory, *target = start + gannet_mlp_parameters(&own.net);
  double *prior = target + own.n, *weight = own.variance ? prior + own.n : NULL;
  gannet_mlp_start(&own.net, streams->weights, start);
  gannet_random_normal(streams->noise, 0, (size_t)own.n, target);
  prior_values(member, own.n, own.x, prior);
  for (int i = 0; weight && i < own.n; ++i) weight[i] = own.noise / own.variance[i];
  for (int i = 0; i < own.n; ++i) {
    const double of_row = weight ? lambda / weight[i] : lambda;
    target[i] = own.y[i] / own.amplitude + sqrt(of_row) * target[i] - prior[i];
  }
  const gannet_train_problem problem = {&data->net, own.n, own.z, target, lambda, start, weight};
  return gannet_training_run(trainer->training, &problem, streams->training, member->theta, NULL);
}

static void release_members(ensemble *e, int keep) {
  for (int k = keep; k < e->n_members; ++k) {
    ensemble_member *member = &e->members[k];
    gannet_tangent_directions_release(&member->omega);
    gannet_tangent_destroy(&member->tangent);
    gannet_free(&member->theta);
  }
  if (keep < e->n_members) e->n_members = keep;
}

static void destroy(void *state) {
  ensemble *e = state;
  release_members(e, 0);
  if (e->linear) gannet_surrogate_tangent_kernel.destroy(e->linear);
  gannet_free(&e->members);
  gannet_free(&e->x);
  gannet_free(&e->y);
  gannet_free(&e->z);
  gannet_free(&e->variance);
  gannet_free(&e->rho);
  gannet_mlp_tape_release(&e->tape);
  gannet_free(&e->z_tile);
  gannet_free(&e->values);
  gannet_free(&e->work);
  gannet_free(&e->slopes);
  gannet_free(&e);
}

static gannet_err create(const gannet_context *context, const void *options, int d, int model,
                         void **state) {
  ensemble *e = NULL;
  void *linear = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *e, &e));
  *state = e; /* the front destroys it, also after a failure below */
  e->context = context;
  e->options = options;
  e->data.d = d;
  e->data.prior = e->options->prior == 0;
  e->data.net = (gannet_mlp){.activation = gannet_activations[e->options->kernel.activation],
                             .inputs = d + 1,
                             .layers = e->options->kernel.layers,
                             .width = e->options->kernel.width};
  const gannet_err code =
      gannet_surrogate_tangent_kernel.create(context, &e->options->kernel, d, model, &linear);
  e->linear = linear;
  GANNET_TRY(code);
  const size_t inputs = (size_t)d + 1, members = (size_t)e->options->members;
  GANNET_TRY(gannet_alloc((size_t)d, sizeof(double), &e->rho));
  e->data.embedding =
      (gannet_input_embedding){(gannet_embedding_kind)e->options->kernel.lift, d, e->rho, 1};
  GANNET_TRY(gannet_mlp_tape_create(&e->data.net, GANNET_TILE, &e->tape));
  GANNET_TRY(gannet_alloc(GANNET_TILE * inputs, sizeof(double), &e->z_tile));
  GANNET_TRY(gannet_alloc(members * GANNET_TILE, sizeof(double), &e->values));
  GANNET_TRY(gannet_alloc(GANNET_TILE + 2 * inputs, sizeof(double), &e->work));
  return gannet_alloc(members * (size_t)d, sizeof(double), &e->slopes);
}

static gannet_err reserve(ensemble *e, int n) {
  if (n <= e->capacity) return GANNET_OK;
  const size_t d = (size_t)e->data.d, size = (size_t)n + (size_t)n / 2;
  gannet_free(&e->x);
  gannet_free(&e->y);
  gannet_free(&e->z);
  gannet_free(&e->variance);
  e->capacity = 0;
  GANNET_TRY(gannet_alloc(size * d, sizeof(double), &e->x));
  GANNET_TRY(gannet_alloc(size, sizeof(double), &e->y));
  GANNET_TRY(gannet_alloc(size * (d + 1), sizeof(double), &e->z));
  GANNET_TRY(gannet_alloc(size, sizeof(double), &e->variance));
  e->capacity = (int)size;
  return GANNET_OK;
}

/* Take the data, and the scales that follow from the hyperparameters. */
static void take_data(ensemble *e, const gannet_data *data) {
  const double *hyper = e->linear->hyper;
  const size_t n = (size_t)data->n, d = (size_t)e->data.d;
  const double noise = isnan(data->noise_var) ? exp(hyper[TANGENT_NOISE]) : data->noise_var;
  tangent_scales(e->linear, hyper, e->rho, &e->data.embedding.bias);
  if (n > 0) memcpy(e->x, data->x, n * d * sizeof *e->x);
  if (n > 0) memcpy(e->y, data->y, n * sizeof *e->y);
  gannet_embed_inputs(&e->data.embedding, data->n, e->x, e->z);
  e->data.n = data->n;
  e->data.x = e->x;
  e->data.y = e->y;
  e->data.z = e->z;
  e->data.amplitude = sqrt(exp(hyper[TANGENT_AMPLITUDE]));
  e->data.noise = fmax(e->options->kernel.noise_floor, noise);
  e->data.variance = data->row_noise ? e->variance : NULL;
  for (int i = 0; data->row_noise && i < data->n; ++i)
    e->variance[i] =
        gannet_row_noise_of(data->row_noise, i, e->data.noise, e->options->kernel.noise_floor);
}

static ensemble_streams streams_of(const ensemble *e, int64_t iteration, int member) {
  return (ensemble_streams){
      /* iteration + 1: apart from the network of the tangent kernel, which has iteration 0 */
      .weights = gannet_stream_of(e->linear->streams, GANNET_FOR_WEIGHTS, iteration + 1, member),
      .prior = gannet_stream_of(e->linear->streams, GANNET_FOR_PRIOR, iteration, member),
      .noise = gannet_stream_of(e->linear->streams, GANNET_FOR_NOISE, iteration, member),
      .training = gannet_stream_of(e->linear->streams, GANNET_FOR_TRAINING, iteration, member),
  };
}

/* Append count members, which have the numbers number, number + 1, .. of the iteration, and train
 * the members of this rank. */
static gannet_err train_own(ensemble *e, ensemble_trainer *trainer, int count, int number,
                            int64_t iteration) {
  for (int k = number; k < number + count; ++k) {
    const ensemble_streams streams = streams_of(e, iteration, k);
    ensemble_member *member = &e->members[e->n_members];
    *member = (ensemble_member){0};
    e->n_members += 1; /* so that a member that fails is released too */
    GANNET_TRY(member_create(&e->data, &streams, member));
    if (k % e->context->np == e->context->rank)
      GANNET_TRY(member_train(&e->data, trainer, &streams, member));
  }
  return GANNET_OK;
}

/* train_own on all ranks, which send each other the weights. Collective. */
static gannet_err add_members(ensemble *e, int count, int number, int64_t iteration) {
  const int before = e->n_members;
  const size_t bytes = 2 * gannet_mlp_parameters(&e->data.net) * sizeof(double);
  ensemble_trainer trainer = {0};
  const int wanted = before + count;
  gannet_err code = GANNET_OK;
  if (wanted > e->allocated) {
    code = gannet_resize((size_t)e->allocated, (size_t)wanted, sizeof *e->members, &e->members);
    if (code == GANNET_OK) e->allocated = wanted;
  }
  if (code == GANNET_OK) code = trainer_create(&e->data, e->options, &trainer);
  if (code == GANNET_OK) code = train_own(e, &trainer, count, number, iteration);
  trainer_release(&trainer);
  code = gannet_agree(e->context->comm, code);
  if (code != GANNET_OK) {
    release_members(e, before);
    return code;
  }
  for (int k = 0; k < count; ++k)
    GANNET_TRY(gannet_bytes_broadcast(e->context->comm, (number + k) % e->context->np, bytes,
                                      e->members[before + k].theta));
  return GANNET_OK;
}

static gannet_err fit(void *state, const gannet_data *data, bool learn, int64_t iteration) {
  ensemble *e = state;
  e->q = 0;
  release_members(e, 0);
  GANNET_TRY(gannet_agree(e->context->comm, reserve(e, data->n)));
  if (learn && data->n >= 2) GANNET_TRY(tangent_learn(e->linear, data, iteration));
  take_data(e, data);
  e->iteration = iteration;
  return add_members(e, e->options->members, 0, iteration);
}

/* Values of member k at m <= GANNET_TILE points x [m][d], whose embedding is in e->z_tile. */
static void member_values(const ensemble *e, int k, int m, const double *x, double *values) {
  const ensemble_member *member = &e->members[k];
  gannet_mlp_tape tape = e->tape; /* written through pointers of a const object */
  prior_values(member, m, x, values);
  gannet_mlp_pair_values(&e->data.net, member->theta, m, e->z_tile, &tape, e->work);
  for (int i = 0; i < m; ++i) values[i] = e->data.amplitude * (values[i] + e->work[i]);
}

/* Values of the members of the fit into e->values [members][m], and their mean. */
static void fit_values(const ensemble *e, int m, const double *x, double *mean) {
  const int members = e->options->members;
  for (int k = 0; k < members; ++k) member_values(e, k, m, x, e->values + (size_t)k * (size_t)m);
  for (int i = 0; i < m; ++i) {
    double sum = 0;
    for (int k = 0; k < members; ++k) sum += e->values[(size_t)k * (size_t)m + (size_t)i];
    mean[i] = sum / members;
  }
}

/* Standard deviation at point i of m over the values of fit_values. */
static double spread(const ensemble *e, int m, int i, double mean) {
  const int members = e->options->members;
  double sum = 0;
  for (int k = 0; k < members; ++k) {
    const double away = e->values[(size_t)k * (size_t)m + (size_t)i] - mean;
    sum += away * away;
  }
  return sqrt(sum / (members - 1));
}

static gannet_err predict(const void *state, int m, const double *x, double *mean, double *sd) {
  const ensemble *e = state;
  for (int first = 0; first < m; first += GANNET_TILE) {
    const int rows = m - first < GANNET_TILE ? m - first : GANNET_TILE;
    const double *at = x + (size_t)first * (size_t)e->data.d;
    gannet_embed_inputs(&e->data.embedding, rows, at, e->z_tile);
    fit_values(e, rows, at, mean + first);
    for (int i = 0; sd && i < rows; ++i) sd[first + i] = spread(e, rows, i, mean[first + i]);
  }
  return GANNET_OK;
}

/* Value and gradient [d] of member k at one point, whose embedding is in e->z_tile. */
static double member_gradient(const ensemble *e, int k, const double *x, double *gradient) {
  const ensemble_member *member = &e->members[k];
  const int d = e->data.d;
  const double amplitude = e->data.amplitude;
  gannet_mlp_tape tape = e->tape;
  double prior = 0, *by_z = e->work + e->data.net.inputs;
  memset(gradient, 0, (size_t)d * sizeof *gradient);
  if (member->tangent)
    gannet_tangent_gradient(member->tangent, &member->omega, 0, x, &prior, gradient);
  const double h =
      gannet_mlp_pair_gradient(&e->data.net, member->theta, e->z_tile, &tape, e->work, by_z);
  gannet_embedding_gradient(&e->data.embedding, e->z_tile, by_z, by_z);
  for (int i = 0; i < d; ++i) gradient[i] = amplitude * (gradient[i] + by_z[i]);
  return amplitude * (prior + h);
}

/* sd^2 = sum (v_k - mean)^2 / (M - 1), so sd' = sum (v_k - mean) v_k' / ((M - 1) sd). */
static gannet_err predict_gradient(const void *state, const double *x, double *mean, double *sd,
                                   double *mean_gradient, double *sd_gradient) {
  const ensemble *e = state;
  const int members = e->options->members, d = e->data.d;
  gannet_embed_inputs(&e->data.embedding, 1, x, e->z_tile);
  *mean = 0;
  for (int k = 0; k < members; ++k) {
    e->values[k] = member_gradient(e, k, x, e->slopes + (size_t)k * (size_t)d);
    *mean += e->values[k] / members;
  }
  *sd = spread(e, 1, 0, *mean);
  memset(mean_gradient, 0, (size_t)d * sizeof *mean_gradient);
  memset(sd_gradient, 0, (size_t)d * sizeof *sd_gradient);
  for (int k = 0; k < members; ++k) {
    const double weight = *sd > 0 ? (e->values[k] - *mean) / ((members - 1) * *sd) : 0;
    for (int i = 0; i < d; ++i) {
      mean_gradient[i] += e->slopes[(size_t)k * (size_t)d + (size_t)i] / members;
      sd_gradient[i] += weight * e->slopes[(size_t)k * (size_t)d + (size_t)i];
    }
  }
  return GANNET_OK;
}

static gannet_err sample(void *state, int q, double exploration, int64_t iteration) {
  ensemble *e = state;
  const int members = e->options->members;
  const bool same = iteration == e->iteration;
  const int known = !same ? 0 : q < members ? q : members;
  e->q = 0;
  release_members(e, members);
  if (q > known) GANNET_TRY(add_members(e, q - known, known, iteration));
  e->first_draw = same ? 0 : members;
  e->exploration = exploration;
  e->q = q;
  return GANNET_OK;
}

static gannet_err draw_values(const void *state, int m, const double *x, double *values, int ldv) {
  const ensemble *e = state;
  double center[GANNET_TILE];
  for (int first = 0; first < m; first += GANNET_TILE) {
    const int rows = m - first < GANNET_TILE ? m - first : GANNET_TILE;
    const double *at = x + (size_t)first * (size_t)e->data.d;
    gannet_embed_inputs(&e->data.embedding, rows, at, e->z_tile);
    if (e->exploration != 1) fit_values(e, rows, at, center);
    for (int j = 0; j < e->q; ++j) {
      double *row = values + (size_t)j * (size_t)ldv + (size_t)first;
      member_values(e, e->first_draw + j, rows, at, row);
      for (int i = 0; e->exploration != 1 && i < rows; ++i)
        row[i] = center[i] + e->exploration * (row[i] - center[i]);
    }
  }
  return GANNET_OK;
}

static gannet_err draw_gradient(const void *state, int draw, const double *x, double *value,
                                double *gradient) {
  const ensemble *e = state;
  const double share = (1 - e->exploration) / e->options->members;
  const int d = e->data.d;
  gannet_embed_inputs(&e->data.embedding, 1, x, e->z_tile);
  *value = e->exploration * member_gradient(e, e->first_draw + draw, x, gradient);
  for (int i = 0; i < d; ++i) gradient[i] *= e->exploration;
  for (int k = 0; k < e->options->members && share != 0; ++k) {
    *value += share * member_gradient(e, k, x, e->slopes);
    for (int i = 0; i < d; ++i) gradient[i] += share * e->slopes[i];
  }
  return GANNET_OK;
}

static double noise_var(const void *state) {
  return ((const ensemble *)state)->data.noise;
}

static gannet_hyper hyper(void *state) {
  return gannet_surrogate_tangent_kernel.hyper(((ensemble *)state)->linear);
}

const gannet_surrogate_type gannet_surrogate_ensemble = {
    .name = "ensemble",
    .summary = "trained networks, each a posterior draw",
    .source = "Dai et al. 2022; He, Lakshminarayanan, Teh 2020; Matthews et al. 2017",
    .options = ensemble_option_table,
    .options_size = sizeof(ensemble_options),
    .takes_row_noise = true,
    .create = create,
    .destroy = destroy,
    .fit = fit,
    .predict = predict,
    .predict_gradient = predict_gradient,
    .sample = sample,
    .draw_values = draw_values,
    .draw_gradient = draw_gradient,
    .noise_var = noise_var,
    .hyper = hyper,
};
