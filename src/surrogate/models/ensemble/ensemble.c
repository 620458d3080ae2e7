/* Sample-then-optimise: an ensemble of trained networks, each a posterior draw (ensemble_member.c).
 *
 * A fit trains `members` networks; mean and standard deviation are taken over these. The draws of
 * sample are networks too: first the networks of the fit when the iteration is the same, then
 * networks that are trained for the draws. Member k belongs to rank k mod np, which trains it and
 * sends its weights to all ranks. The scales of the inputs, the amplitude and the noise maximise
 * the marginal likelihood of the tangent kernel, which every member has at its start.
 */
#include "surrogate/models/ensemble/ensemble.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "surrogate/option_rows.h"
#include "surrogate/registry.h"

enum { LEAST_MEMBERS = 4 }; /* a mean and a spread need a few members */

typedef struct {
  const gannet_context *context;
  const ensemble_options *options;
  tangent_model *linear; /* learns and keeps the hyper-parameters; has no data */
  ensemble_data data;
  int capacity;
  double *x, *y, *z, *rho; /* arrays that data points to */
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
     .help = "further coordinate of the networks' input: a constant (flat), or the one that puts "
             "all points on a sphere, where the model is as uncertain everywhere"},
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
    GANNET_FIT_POINTS_OPTION(MEMBER(kernel.fit_points), "400", "fit hyper-parameters"),
    GANNET_FIT_EVALUATIONS_OPTION(MEMBER(kernel.fit_evaluations), "60"),
    {.key = "members",
     .type = GANNET_INTEGER,
     .offset = MEMBER(members),
     .fallback = "8",
     .lower = LEAST_MEMBERS,
     .upper = 10000,
     .help = "networks that give mean and uncertainty, shared out over the ranks"},
    {.key = "prior",
     .type = GANNET_CHOICE,
     .offset = MEMBER(prior),
     .fallback = "function",
     .choices = prior_names,
     .help = "whether a random prior function is added to each network, which makes it a posterior "
             "draw; none leaves the randomness of targets and starts alone"},
    GANNET_TRAIN_POINTS_OPTION(
        MEMBER(train_points), "500",
        "most observations that a network is trained on; of more, each network takes the best "
        "half of this number and its own random choice of the rest"),
    GANNET_TRAIN_OPTIONS(ensemble_options, "networks are"),
    {0}};
#undef MEMBER

static void release_members(ensemble *e, int keep) {
  for (int k = keep; k < e->n_members; ++k) ensemble_member_release(&e->members[k]);
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
  e->capacity = 0;
  GANNET_TRY(gannet_alloc(size * d, sizeof(double), &e->x));
  GANNET_TRY(gannet_alloc(size, sizeof(double), &e->y));
  GANNET_TRY(gannet_alloc(size * (d + 1), sizeof(double), &e->z));
  e->capacity = (int)size;
  return GANNET_OK;
}

/* Take the data, and the scales that follow from the hyper-parameters. */
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
    GANNET_TRY(ensemble_member_create(&e->data, &streams, member));
    if (k % e->context->np == e->context->rank)
      GANNET_TRY(ensemble_member_train(&e->data, trainer, &streams, member));
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
  if (code == GANNET_OK) code = ensemble_trainer_create(&e->data, e->options, &trainer);
  if (code == GANNET_OK) code = train_own(e, &trainer, count, number, iteration);
  ensemble_trainer_release(&trainer);
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

static void member_values(const ensemble *e, int member, int m, const double *x, double *values) {
  /* the tape and the workspace are written through pointers of a const object */
  gannet_mlp_tape tape = e->tape;
  ensemble_member_values(&e->data, &e->members[member], m, x, e->z_tile, &tape, e->work, values);
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

static double member_gradient(const ensemble *e, int member, const double *x, double *gradient) {
  gannet_mlp_tape tape = e->tape;
  return ensemble_member_gradient(&e->data, &e->members[member], x, e->z_tile, &tape, e->work,
                                  gradient);
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

static size_t bytes(const void *state) {
  const ensemble *e = state;
  const size_t p = gannet_mlp_parameters(&e->data.net), d = (size_t)e->data.d;
  size_t sum = gannet_surrogate_tangent_kernel.bytes(e->linear);
  sum += sizeof(double) * (size_t)e->capacity * (2 * d + 2);
  for (int k = 0; k < e->n_members; ++k) {
    sum += 2 * p * sizeof(double);
    if (e->data.prior) sum += gannet_tangent_bytes(e->members[k].tangent) + p * sizeof(double);
  }
  return sum;
}

const gannet_surrogate_type gannet_surrogate_ensemble = {
    .name = "ensemble",
    .summary = "trained networks, each a posterior draw",
    .source = "Dai et al. 2022; He, Lakshminarayanan, Teh 2020; Matthews et al. 2017",
    .options = ensemble_option_table,
    .options_size = sizeof(ensemble_options),
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
    .bytes = bytes,
};
