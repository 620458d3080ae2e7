#include "network/train.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "base/parts.h"
#include "minimize/minimize.h"
#include "network/newton.h"

const char *const gannet_trainer_names[] = {"newton", "lbfgs", "adam", "sgd", NULL};

typedef gannet_training training;

struct gannet_training {
  const gannet_mlp *net;
  int n;
  gannet_train_options options;
  const gannet_context *team;          /* that shares newton; NULL = this rank alone */
  const gannet_train_problem *problem; /* of the run */
  size_t p;                            /* parameters of one half */
  gannet_newton *newton;               /* NULL with other trainers, which have what follows */
  gannet_mlp_tape tape[2];
  double *value;      /* [2][rows] of the halves, then weights */
  double *z, *target; /* a mini-batch: [batch][inputs], [batch] */
  int *order;         /* [n] */
  double *gradient;   /* [2][p] */
  double *moment;     /* adam: first [2][p], second [2][p] */
};

static bool is_newton(gannet_trainer trainer, int n) {
  return trainer == GANNET_TRAIN_NEWTON && n <= GANNET_NEWTON_MOST;
}

static gannet_err prepare_gradients(training *t) {
  const int most = t->n < GANNET_MLP_ROWS ? t->n : GANNET_MLP_ROWS;
  GANNET_TRY(gannet_mlp_tape_create(t->net, most, &t->tape[0]));
  GANNET_TRY(gannet_mlp_tape_create(t->net, most, &t->tape[1]));
  GANNET_TRY(gannet_alloc(2 * t->p, sizeof(double), &t->gradient));
  return gannet_alloc(2 * (size_t)most, sizeof(double), &t->value);
}

static gannet_err prepare_batches(training *t) {
  const size_t batch = (size_t)t->options.batch;
  GANNET_TRY(gannet_alloc(batch * (size_t)t->net->inputs, sizeof(double), &t->z));
  GANNET_TRY(gannet_alloc(batch, sizeof(double), &t->target));
  if (t->options.trainer == GANNET_TRAIN_ADAM)
    GANNET_TRY(gannet_alloc(4 * t->p, sizeof(double), &t->moment));
  return gannet_alloc((size_t)t->n, sizeof *t->order, &t->order);
}

static gannet_err prepare(training *t) {
  if (t->n == 0) return GANNET_OK;
  if (is_newton(t->options.trainer, t->n))
    return gannet_newton_create(t->net, t->n, t->team, &t->newton);
  GANNET_TRY(prepare_gradients(t));
  return t->options.trainer <= GANNET_TRAIN_LBFGS ? GANNET_OK : prepare_batches(t);
}

static gannet_err create(const gannet_mlp *net, int n, const gannet_train_options *options,
                         const gannet_context *team, gannet_training **created) {
  gannet_err code = gannet_alloc(1, sizeof **created, created);
  if (team) code = gannet_agree(team->comm, code);
  if (code == GANNET_OK) {
    (*created)->net = net;
    (*created)->n = n;
    (*created)->options = *options;
    (*created)->team = team;
    (*created)->p = gannet_mlp_parameters(net);
    code = prepare(*created);
  }
  if (code != GANNET_OK) gannet_training_destroy(created);
  return code;
}

gannet_err gannet_training_create(const gannet_mlp *net, int n, const gannet_train_options *options,
                                  gannet_training **created) {
  return create(net, n, options, NULL, created);
}

void gannet_training_destroy(gannet_training **created) {
  training *t = *created;
  if (!t) return;
  gannet_newton_destroy(&t->newton);
  gannet_mlp_tape_release(&t->tape[0]);
  gannet_mlp_tape_release(&t->tape[1]);
  gannet_free(&t->value);
  gannet_free(&t->z);
  gannet_free(&t->target);
  gannet_free(&t->order);
  gannet_free(&t->gradient);
  gannet_free(&t->moment);
  gannet_free(created);
}

/* (1/2) sum of squared residuals at n points; its gradient is added. */
static double add_fit(training *t, const double *theta, int n, const double *z,
                      const double *target, double *gradient) {
  const gannet_mlp *net = t->problem->net;
  const int most = t->tape[0].rows;
  double sum = 0, *first_half = t->value, *second_half = first_half + most;
  for (int first = 0; first < n; first += most) {
    const int rows = n - first < most ? n - first : most;
    const double *at = z + (size_t)first * (size_t)net->inputs;
    gannet_mlp_forward(net, theta, rows, at, &t->tape[0], first_half);
    gannet_mlp_forward(net, theta + t->p, rows, at, &t->tape[1], second_half);
    for (int i = 0; i < rows; ++i) {
      const double h = (first_half[i] - second_half[i]) * sqrt(0.5);
      const double residual = h - target[first + i];
      sum += 0.5 * residual * residual;
      first_half[i] = residual * sqrt(0.5);
      second_half[i] = -first_half[i];
    }
    gannet_mlp_backward(net, theta, rows, at, first_half, &t->tape[0], gradient, NULL);
    gannet_mlp_backward(net, theta + t->p, rows, at, second_half, &t->tape[1], gradient + t->p,
                        NULL);
  }
  return sum;
}

/* (1/2) decay |theta - theta_0|^2 over both halves; its gradient is added. */
static double add_pull(const training *t, const double *theta, double decay, double *gradient) {
  double sum = 0;
  for (size_t half = 0; half < 2; ++half)
    for (size_t i = 0; i < t->p; ++i) {
      const double away = theta[half * t->p + i] - t->problem->start[i];
      sum += away * away;
      gradient[half * t->p + i] += decay * away;
    }
  return 0.5 * decay * sum;
}

static gannet_err full_loss(void *user, int n_theta, const double *theta, double *loss,
                            double *gradient) {
  training *t = user;
  const gannet_train_problem *problem = t->problem;
  memset(gradient, 0, (size_t)n_theta * sizeof *gradient);
  *loss = add_fit(t, theta, problem->n, problem->z, problem->target, gradient);
  *loss += add_pull(t, theta, problem->decay, gradient);
  return GANNET_OK;
}

gannet_err gannet_train_loss(const gannet_train_problem *problem, const double *theta, double *loss,
                             double *gradient) {
  const gannet_train_options options = {.trainer = GANNET_TRAIN_LBFGS};
  training *t = NULL;
  GANNET_TRY(gannet_training_create(problem->net, problem->n, &options, &t));
  t->problem = problem;
  const gannet_err code = full_loss(t, (int)(2 * t->p), theta, loss, gradient);
  gannet_training_destroy(&t);
  return code;
}

static gannet_err run_lbfgs(training *t, double *theta) {
  const gannet_minimize_options limits = {
      .max_evaluations = 10 * t->options.steps,
      .gradient_tolerance = 1e-6 * sqrt(t->problem->n + 1.0),
      .value_tolerance = 1e-9,
  };
  gannet_minimize_result result = {0};
  return gannet_minimize((int)(2 * t->p), theta, NULL, NULL, full_loss, t, &limits, &result);
}

/* Kingma and Ba 2015, algorithm 1, with their constants. */
static void adam_step(training *t, int step, double rate, double *theta) {
  const double keep1 = 0.9, keep2 = 0.999, tiny = 1e-8;
  const double correct1 = 1 - pow(keep1, step), correct2 = 1 - pow(keep2, step);
  double *first = t->moment, *second = first + 2 * t->p;
  for (size_t i = 0; i < 2 * t->p; ++i) {
    const double g = t->gradient[i];
    first[i] = keep1 * first[i] + (1 - keep1) * g;
    second[i] = keep2 * second[i] + (1 - keep2) * g * g;
    theta[i] -= rate * (first[i] / correct1) / (sqrt(second[i] / correct2) + tiny);
  }
}

/* Gather a mini-batch and leave the gradient of its mean loss in t->gradient. */
static void batch_gradient(training *t, int n, const int *index, const double *theta) {
  const gannet_train_problem *problem = t->problem;
  const size_t inputs = (size_t)problem->net->inputs;
  for (int i = 0; i < n; ++i) {
    memcpy(t->z + (size_t)i * inputs, problem->z + (size_t)index[i] * inputs,
           inputs * sizeof *t->z);
    t->target[i] = problem->target[index[i]];
  }
  memset(t->gradient, 0, 2 * t->p * sizeof *t->gradient);
  (void)add_fit(t, theta, n, t->z, t->target, t->gradient);
  for (size_t i = 0; i < 2 * t->p; ++i) t->gradient[i] /= n;
  (void)add_pull(t, theta, problem->decay / problem->n, t->gradient);
}

/* Published rates are for weights theta' = theta / sqrt(m): a step of sgd along the gradient in
 * theta' is m times as long in theta, a step of adam, which has the length of the rate, sqrt(m). */
static void run_epochs(training *t, gannet_stream stream, double *theta) {
  const gannet_train_options *options = &t->options;
  const double m = t->net->width;
  const int n = t->n;
  int step = 0;
  if (t->moment) memset(t->moment, 0, 4 * t->p * sizeof *t->moment);
  for (int epoch = 0; epoch < options->epochs; ++epoch) {
    gannet_stream shuffle = stream;
    shuffle.purpose |= ((uint64_t)epoch + 1) << 40;
    gannet_random_permutation(shuffle, n, t->order);
    for (int first = 0; first < n; first += options->batch) {
      const int size = n - first < options->batch ? n - first : options->batch;
      batch_gradient(t, size, t->order + first, theta);
      if (options->trainer == GANNET_TRAIN_ADAM)
        adam_step(t, ++step, options->rate * sqrt(m), theta);
      else
        for (size_t i = 0; i < 2 * t->p; ++i) theta[i] -= options->rate * m * t->gradient[i];
    }
  }
}

static gannet_err run(training *t, gannet_stream stream, double *theta,
                      gannet_train_report *report) {
  if (t->newton) return gannet_newton_run(t->newton, t->problem, t->options.steps, theta, report);
  if (t->options.trainer <= GANNET_TRAIN_LBFGS)
    GANNET_TRY(run_lbfgs(t, theta));
  else
    run_epochs(t, stream, theta);
  return full_loss(t, (int)(2 * t->p), theta, &report->loss, t->gradient);
}

gannet_err gannet_training_run(gannet_training *t, const gannet_train_problem *problem,
                               gannet_stream stream, double *theta, gannet_train_report *report) {
  const size_t bytes = t->p * sizeof *theta;
  gannet_train_report done = {0};
  memcpy(theta, problem->start, bytes);
  memcpy((char *)theta + bytes, problem->start, bytes);
  t->problem = problem;
  if (t->n > 0) GANNET_TRY(run(t, stream, theta, &done));
  GANNET_REQUIRE(isfinite(done.loss), GANNET_ERR_NUMERIC, "training with %s diverged: loss %g",
                 gannet_trainer_names[t->options.trainer], done.loss);
  if (report) *report = done;
  return GANNET_OK;
}

size_t gannet_training_bytes(const gannet_training *t) {
  const size_t width = (size_t)t->net->width, rows = (size_t)t->tape[0].rows;
  const size_t layers = (size_t)t->net->layers, inputs = (size_t)t->net->inputs;
  size_t count = rows * (2 * width * (2 * layers + 2) + 2);
  if (t->gradient) count += 2 * t->p;
  if (t->z) count += (size_t)t->options.batch * (inputs + 1) + (size_t)t->n / 2;
  if (t->moment) count += 4 * t->p;
  return sizeof *t + count * sizeof(double) + (t->newton ? gannet_newton_bytes(t->newton) : 0);
}

static gannet_err create_and_run(const gannet_train_problem *problem,
                                 const gannet_train_options *options, const gannet_context *team,
                                 gannet_stream stream, double *theta, gannet_train_report *report) {
  gannet_training *t = NULL;
  GANNET_TRY(create(problem->net, problem->n, options, team, &t));
  const gannet_err code = gannet_training_run(t, problem, stream, theta, report);
  gannet_training_destroy(&t);
  return code;
}

gannet_err gannet_train(const gannet_train_problem *problem, const gannet_train_options *options,
                        gannet_stream stream, double *theta, double *loss) {
  gannet_train_report report = {0};
  const gannet_err code = create_and_run(problem, options, NULL, stream, theta, &report);
  if (loss) *loss = report.loss;
  return code;
}

gannet_err gannet_train_for_all(const gannet_context *context, const gannet_train_problem *problem,
                                const gannet_train_options *options, gannet_stream stream,
                                double *theta) {
  const size_t bytes = 2 * gannet_mlp_parameters(problem->net) * sizeof *theta;
  const bool shared = is_newton(options->trainer, problem->n);
  gannet_err code = GANNET_OK;
  if (shared || context->rank == 0)
    code = create_and_run(problem, options, shared ? context : NULL, stream, theta, NULL);
  GANNET_TRY(gannet_agree(context->comm, code));
  return gannet_bytes_broadcast(context->comm, 0, bytes, theta);
}
