#include "network/train.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "base/shared_array.h"
#include "linalg/blas.h"
#include "minimize/minimize.h"
#include "network/batch_loss.h"
#include "network/newton.h"

const char *const gannet_trainer_names[] = {"newton", "lbfgs", "adam", "sgd", NULL};

typedef gannet_training training;

struct gannet_training {
  const gannet_mlp *net;
  int n;
  gannet_train_options options;
  const gannet_context *team;          /* that shares the work; NULL = this rank alone */
  gannet_halves halves;                /* whose gradients this rank makes */
  const gannet_train_problem *problem; /* of the run */
  size_t p;                            /* parameters of one half */
  gannet_newton *newton;               /* NULL with other trainers */
  gannet_batch_loss *batch_loss;       /* NULL but for lbfgs; adam and sgd have what follows */
  gannet_mlp_tape tape[2];
  gannet_shared_array exchange; /* value, with a team that shares memory */
  double *value;                /* [2][2][rows] of the halves, for odd and for even passes */
  int passes;                   /* so many were made */
  double *weight;               /* [2][rows] of the halves' derivatives */
  double *z, *target;           /* a mini-batch: [batch][inputs], [batch] */
  double *batch_weight;         /* [batch] w_i of its observations */
  int *order;                   /* [n] */
  double *gradient;             /* [2][p] */
  double *moment;               /* adam: first [2][p], second [2][p] */
  double *direction;            /* sgd: [2][p] workspace of largest_eigenvalue */
};

/* sgd: most trainings at ever smaller rates; at the tenth, 2^-9 of the first bounded rate, only
 * data that are not finite still diverge. */
enum { ATTEMPTS = 10, POWER_STEPS = 30 };

static bool is_newton(gannet_trainer trainer, int n) {
  return trainer == GANNET_TRAIN_NEWTON && n <= GANNET_NEWTON_MOST;
}

static bool is_lbfgs(gannet_trainer trainer, int n) {
  return trainer <= GANNET_TRAIN_LBFGS && !is_newton(trainer, n);
}

/* Memory of adam and sgd. */
static gannet_err allocate_gradients(training *t) {
  const int most = t->n < GANNET_MLP_ROWS ? t->n : GANNET_MLP_ROWS;
  const size_t batch = (size_t)t->options.batch;
  GANNET_TRY(gannet_mlp_tape_create(t->net, most, &t->tape[0]));
  GANNET_TRY(gannet_mlp_tape_create(t->net, most, &t->tape[1]));
  GANNET_TRY(gannet_alloc(2 * t->p, sizeof(double), &t->gradient));
  GANNET_TRY(gannet_alloc(2 * (size_t)most, sizeof(double), &t->weight));
  GANNET_TRY(gannet_alloc(batch * (size_t)t->net->inputs, sizeof(double), &t->z));
  GANNET_TRY(gannet_alloc(batch, sizeof(double), &t->target));
  GANNET_TRY(gannet_alloc(batch, sizeof(double), &t->batch_weight));
  if (t->options.trainer == GANNET_TRAIN_ADAM)
    GANNET_TRY(gannet_alloc(4 * t->p, sizeof(double), &t->moment));
  else
    GANNET_TRY(gannet_alloc(2 * t->p, sizeof(double), &t->direction));
  return gannet_alloc((size_t)t->n, sizeof *t->order, &t->order);
}

/* Memory for the values of the halves. Where ranks share memory the first two make one half each;
 * otherwise rank 0 makes both, and the other ranks have nothing to do. */
static gannet_err set_up_values(training *t) {
  const size_t size = 4 * (size_t)t->tape[0].rows;
  if (!t->team) return gannet_alloc(size, sizeof(double), &t->value);
  GANNET_TRY(gannet_shared_array_create(t->team, size, size, &t->exchange));
  t->value = t->exchange.values;
  if (t->exchange.shared || t->team->rank == 0)
    t->halves = gannet_halves_of(t->team->rank, t->exchange.shared);
  else
    t->halves.count = 0;
  return GANNET_OK;
}

static gannet_err set_up_training(training *t) {
  if (t->n == 0) return GANNET_OK;
  if (is_newton(t->options.trainer, t->n))
    return gannet_newton_create(t->net, t->n, t->team, &t->newton);
  if (is_lbfgs(t->options.trainer, t->n))
    return gannet_batch_loss_create(t->net, t->n, t->team, &t->batch_loss);
  const gannet_err code = allocate_gradients(t);
  GANNET_TRY(t->team ? gannet_agree(t->team->comm, code) : code);
  return set_up_values(t);
}

static gannet_err create_training(const gannet_mlp *net, int n, const gannet_train_options *options,
                                  const gannet_context *team, gannet_training **created) {
  gannet_err code = gannet_alloc(1, sizeof **created, created);
  if (team) code = gannet_agree(team->comm, code);
  if (code == GANNET_OK) {
    (*created)->net = net;
    (*created)->n = n;
    (*created)->options = *options;
    (*created)->team = team;
    (*created)->halves = gannet_halves_of(0, false);
    (*created)->p = gannet_mlp_parameters(net);
    code = set_up_training(*created);
  }
  if (code != GANNET_OK) gannet_training_destroy(created);
  return code;
}

gannet_err gannet_training_create(const gannet_mlp *net, int n, const gannet_train_options *options,
                                  gannet_training **created) {
  return create_training(net, n, options, NULL, created);
}

void gannet_training_destroy(gannet_training **created) {
  training *t = *created;
  if (!t) return;
  gannet_newton_destroy(&t->newton);
  gannet_batch_loss_destroy(&t->batch_loss);
  gannet_mlp_tape_release(&t->tape[0]);
  gannet_mlp_tape_release(&t->tape[1]);
  if (t->team)
    gannet_shared_array_release(&t->exchange);
  else
    gannet_free(&t->value);
  gannet_free(&t->weight);
  gannet_free(&t->z);
  gannet_free(&t->target);
  gannet_free(&t->batch_weight);
  gannet_free(&t->order);
  gannet_free(&t->gradient);
  gannet_free(&t->moment);
  gannet_free(&t->direction);
  gannet_free(created);
}

/* Values of both halves at points of one tape. */
static const double *pair_values(training *t, const double *theta, int rows, const double *z) {
  const size_t most = (size_t)t->tape[0].rows;
  double *value = t->value + (t->passes++ % 2 ? 2 * most : 0);
  for (int half = t->halves.first; half < t->halves.first + t->halves.count; ++half)
    gannet_mlp_forward(t->net, theta + (size_t)half * t->p, rows, z, &t->tape[half],
                       value + (size_t)half * most);
  gannet_shared_array_barrier(&t->exchange);
  return value;
}

/* (1/2) sum of squared residuals at n points, with their weights w (NULL = 1); its gradient by the
 * weights of this rank's halves is added, unless it is NULL. */
static double add_fit(training *t, const double *theta, int n, const double *z,
                      const double *target, const double *w, double *gradient) {
  const int most = t->tape[0].rows;
  double sum = 0;
  for (int first = 0; first < n; first += most) {
    const int rows = n - first < most ? n - first : most;
    const double *at = z + (size_t)first * (size_t)t->net->inputs;
    const double *value = pair_values(t, theta, rows, at);
    for (int i = 0; i < rows; ++i) {
      const double h = (value[i] - value[most + i]) * sqrt(0.5);
      const double residual = h - target[first + i];
      const double weighted = w ? w[first + i] * residual : residual;
      sum += 0.5 * residual * weighted;
      t->weight[i] = weighted * sqrt(0.5);
      t->weight[most + i] = -t->weight[i];
    }
    for (int half = t->halves.first; gradient && half < t->halves.first + t->halves.count; ++half)
      gannet_mlp_backward(t->net, theta + (size_t)half * t->p, rows, at,
                          t->weight + (size_t)half * (size_t)most, &t->tape[half],
                          gradient + (size_t)half * t->p, NULL);
  }
  return sum;
}

/* The gradient of (1/2) decay |theta - theta_0|^2 by the weights of this rank's halves is added. */
static void add_pull(const training *t, const double *theta, double decay, double *gradient) {
  for (int half = t->halves.first; half < t->halves.first + t->halves.count; ++half)
    for (size_t i = 0, k = (size_t)half * t->p; i < t->p; ++i, ++k)
      gradient[k] += decay * (theta[k] - t->problem->start[i]);
}

/* |theta - theta_0|^2 over both halves. */
static double squared_way(const training *t, const double *theta) {
  double sum = 0;
  for (size_t half = 0; half < 2; ++half)
    for (size_t i = 0; i < t->p; ++i) {
      const double away = theta[half * t->p + i] - t->problem->start[i];
      sum += away * away;
    }
  return sum;
}

/* The loss of adam and sgd at both halves. */
static double full_loss(training *t, const double *theta) {
  const gannet_train_problem *problem = t->problem;
  return add_fit(t, theta, problem->n, problem->z, problem->target, problem->weight, NULL) +
         0.5 * problem->decay * squared_way(t, theta);
}

gannet_err gannet_train_loss(const gannet_train_problem *problem, const double *theta, double *loss,
                             double *gradient) {
  gannet_batch_loss *batch_loss = NULL;
  GANNET_TRY(gannet_batch_loss_create(problem->net, problem->n, NULL, &batch_loss));
  *loss = gannet_batch_loss_evaluate(batch_loss, problem, theta, gradient);
  gannet_batch_loss_destroy(&batch_loss);
  return GANNET_OK;
}

/* Minimise with the losses of all ranks of a team, each of which runs a minimiser of its own on the
 * same numbers: they are processors of one node. */
static gannet_err follow_gradients(training *t, gannet_minimizer *minimizer, double *gradient,
                                   double *theta, gannet_minimize_result *result) {
  gannet_minimizer_start(minimizer, theta);
  for (const double *at; (at = gannet_minimizer_point(minimizer));) {
    const double loss = gannet_batch_loss_evaluate(t->batch_loss, t->problem, at, gradient);
    GANNET_TRY(gannet_minimizer_tell(minimizer, loss, gradient));
  }
  gannet_minimizer_best(minimizer, theta, result);
  GANNET_REQUIRE(result->reason != GANNET_MINIMIZE_NO_START, GANNET_ERR_NUMERIC,
                 "training with %s diverged: loss %g or its gradient at the start",
                 gannet_trainer_names[t->options.trainer], result->value);
  return GANNET_OK;
}

static gannet_err run_lbfgs(training *t, double *theta, double *loss) {
  const gannet_minimize_options limits = {
      .max_evaluations = 10 * t->options.steps,
      .gradient_tolerance = 1e-6 * sqrt(t->problem->n + 1.0),
      .value_tolerance = 1e-9,
  };
  const int weights = (int)(2 * t->p);
  gannet_minimize_result result = {0};
  gannet_minimizer *minimizer = NULL;
  double *gradient = NULL;
  gannet_err err = gannet_minimizer_create(weights, NULL, NULL, &limits, &minimizer);
  if (err == GANNET_OK) err = gannet_alloc((size_t)weights, sizeof *gradient, &gradient);
  if (t->team) err = gannet_agree(t->team->comm, err);
  if (err == GANNET_OK) err = follow_gradients(t, minimizer, gradient, theta, &result);
  gannet_minimizer_destroy(&minimizer);
  gannet_free(&gradient);
  *loss = result.value;
  return err;
}

/* Weights begin .. end - 1. Kingma and Ba 2015, algorithm 1, with their constants. */
static void adam_step(training *t, int step, double rate, size_t begin, size_t end, double *theta) {
  const double keep1 = 0.9, keep2 = 0.999, tiny = 1e-8;
  const double correct1 = 1 - pow(keep1, step), correct2 = 1 - pow(keep2, step);
  double *first = t->moment, *second = first + 2 * t->p;
  for (size_t i = begin; i < end; ++i) {
    const double g = t->gradient[i];
    first[i] = keep1 * first[i] + (1 - keep1) * g;
    second[i] = keep2 * second[i] + (1 - keep2) * g * g;
    theta[i] -= rate * (first[i] / correct1) / (sqrt(second[i] / correct2) + tiny);
  }
}

/* Gather a mini-batch and leave the gradient of its mean loss, by the weights of this rank's
 * halves, in t->gradient. Returns the sum of the squared residuals, halved. */
static double batch_gradient(training *t, int n, const int *index, const double *theta) {
  const gannet_train_problem *problem = t->problem;
  const size_t inputs = (size_t)problem->net->inputs;
  const size_t begin = (size_t)t->halves.first * t->p, size = (size_t)t->halves.count * t->p;
  for (int i = 0; i < n; ++i) {
    memcpy(t->z + (size_t)i * inputs, problem->z + (size_t)index[i] * inputs,
           inputs * sizeof *t->z);
    t->target[i] = problem->target[index[i]];
    t->batch_weight[i] = problem->weight ? problem->weight[index[i]] : 1;
  }
  memset(t->gradient + begin, 0, size * sizeof *t->gradient);
  const double fit = add_fit(t, theta, n, t->z, t->target, t->batch_weight, t->gradient);
  for (size_t i = begin; i < begin + size; ++i) t->gradient[i] /= n;
  add_pull(t, theta, problem->decay / problem->n, t->gradient);
  return fit;
}

/* Published rates are for weights theta' = theta / sqrt(m): a step of sgd along the gradient in
 * theta' is m times as long in theta, a step of adam, which has the length of the rate, sqrt(m). */
static void take_step(training *t, int step, double rate, double *theta) {
  const double m = t->net->width;
  const size_t begin = (size_t)t->halves.first * t->p;
  const size_t end = begin + (size_t)t->halves.count * t->p;
  if (t->options.trainer == GANNET_TRAIN_ADAM)
    adam_step(t, step, rate * sqrt(m), begin, end, theta);
  else
    for (size_t i = begin; i < end; ++i) theta[i] -= rate * m * t->gradient[i];
}

/* Train this rank's halves by adam or sgd. Ends early, on all ranks alike, once residuals are not
 * finite. */
static void run_epochs(training *t, gannet_stream stream, double rate, double *theta) {
  const gannet_train_options *options = &t->options;
  const int n = t->n;
  int step = 0;
  bool finite = true;
  if (t->moment) memset(t->moment, 0, 4 * t->p * sizeof *t->moment);
  for (int epoch = 0; epoch < options->epochs && finite; ++epoch) {
    gannet_stream shuffle = stream;
    shuffle.purpose |= ((uint64_t)epoch + 1) << 40;
    gannet_random_permutation(shuffle, n, t->order);
    for (int first = 0; first < n && finite; first += options->batch) {
      const int size = n - first < options->batch ? n - first : options->batch;
      finite = isfinite(batch_gradient(t, size, t->order + first, theta));
      take_step(t, ++step, rate, theta);
    }
  }
}

/* Largest eigenvalue of (1/n) J^T W J, J the derivatives of the values by the weights at the start
 * and W the weights of the residuals: what gradient descent on the mean loss meets first. It is
 * that of one half f of the pair, because both have the same start. Power iteration: with
 * residuals f(theta_0 + e u) - f(theta_0) the gradient of the mean loss is e times the product
 * with u, up to O(e^2). Every rank that trains makes all of it, with the same bits. */
static double largest_eigenvalue(training *t, gannet_stream stream) {
  const gannet_train_problem *problem = t->problem;
  const size_t p = t->p;
  const int most = t->tape[0].rows;
  const double small = 1e-5;
  double *u = t->direction, *moved = u + p, *product = t->gradient, eigenvalue = 0;
  double *at_start = t->weight, *residual = t->weight + most;
  stream.purpose |= UINT64_C(1) << 63;
  gannet_random_normal(stream, 0, p, u);
  for (int step = 0; step < POWER_STEPS; ++step) {
    const double length = sqrt(gannet_dot((int)p, u, u));
    if (!(length > 0) || !isfinite(length)) break;
    for (size_t k = 0; k < p; ++k) u[k] /= length;
    for (size_t k = 0; k < p; ++k) moved[k] = problem->start[k] + small * u[k];
    memset(product, 0, p * sizeof *product);
    for (int first = 0; first < t->n; first += most) {
      const int rows = t->n - first < most ? t->n - first : most;
      const double *z = problem->z + (size_t)first * (size_t)t->net->inputs;
      gannet_mlp_forward(t->net, problem->start, rows, z, &t->tape[0], at_start);
      gannet_mlp_forward(t->net, moved, rows, z, &t->tape[0], residual);
      for (int i = 0; i < rows; ++i)
        residual[i] = (problem->weight ? problem->weight[first + i] : 1) *
                      (residual[i] - at_start[i]) / (small * t->n);
      gannet_mlp_backward(t->net, moved, rows, z, residual, &t->tape[0], product, NULL);
    }
    eigenvalue = gannet_dot((int)p, u, product);
    memcpy(u, product, p * sizeof *u);
  }
  return eigenvalue;
}

/* adam or sgd by this rank's halves, and the loss at the end. */
static gannet_err run_once(training *t, gannet_stream stream, double rate, double *theta,
                           double *loss) {
  run_epochs(t, stream, rate, theta);
  for (int half = 0; half < 2 && t->exchange.shared; ++half) /* trained by the first two ranks */
    GANNET_TRY(gannet_bytes_broadcast(t->team->comm, half, t->p * sizeof *theta,
                                      theta + (half ? t->p : 0)));
  *loss = full_loss(t, theta);
  return GANNET_OK;
}

static void start_again(const training *t, double *theta) {
  memcpy(theta, t->problem->start, t->p * sizeof *theta);
  memcpy(theta + t->p, t->problem->start, t->p * sizeof *theta);
}

/* sgd is stable while rate * m * eigenvalue < 2 where the loss is quadratic, and often beyond,
 * where a network moves to a flatter place (Lewkowycz et al. 2020). So the given rate is tried
 * first. Where it ends above the loss of the start, training begins again at half the bound, and at
 * half of that while it must; after ATTEMPTS the start is kept. */
static gannet_err run_descent(training *t, gannet_stream stream, double *theta,
                              gannet_train_report *report) {
  report->rate = t->options.rate;
  const double at_start = full_loss(t, theta);
  GANNET_TRY(run_once(t, stream, report->rate, theta, &report->loss));
  if (t->options.trainer == GANNET_TRAIN_ADAM || !isfinite(at_start)) return GANNET_OK;
  for (int attempt = 1; attempt < ATTEMPTS && !(report->loss <= at_start); ++attempt) {
    const double half = 0.5 * report->rate;
    report->rate =
        attempt == 1 ? fmin(half, 1 / (t->net->width * largest_eigenvalue(t, stream))) : half;
    start_again(t, theta);
    GANNET_TRY(run_once(t, stream, report->rate, theta, &report->loss));
  }
  if (report->loss <= at_start) return GANNET_OK;
  start_again(t, theta);
  report->rate = 0;
  report->loss = at_start;
  return GANNET_OK;
}

static gannet_err run_training(training *t, gannet_stream stream, double *theta,
                               gannet_train_report *report) {
  if (t->newton) return gannet_newton_run(t->newton, t->problem, t->options.steps, theta, report);
  if (t->batch_loss) return run_lbfgs(t, theta, &report->loss);
  if (!t->exchange.shared && t->halves.count == 0) return GANNET_OK;
  return run_descent(t, stream, theta, report);
}

gannet_err gannet_training_run(gannet_training *t, const gannet_train_problem *problem,
                               gannet_stream stream, double *theta, gannet_train_report *report) {
  gannet_train_report done = {0};
  t->problem = problem;
  start_again(t, theta);
  if (t->n > 0) GANNET_TRY(run_training(t, stream, theta, &done));
  GANNET_REQUIRE(isfinite(done.loss), GANNET_ERR_NUMERIC, "training with %s diverged: loss %g",
                 gannet_trainer_names[t->options.trainer], done.loss);
  if (report) *report = done;
  return GANNET_OK;
}

gannet_err gannet_train_for_all(const gannet_context *context, const gannet_train_problem *problem,
                                const gannet_train_options *options, gannet_stream stream,
                                double *theta, bool *told) {
  gannet_train_report report = {.rate = options->rate};
  const size_t bytes = 2 * gannet_mlp_parameters(problem->net) * sizeof *theta;
  const bool shared = !is_lbfgs(options->trainer, problem->n) ||
                      gannet_batch_loss_is_shared(problem->net, problem->n, context);
  gannet_err code = GANNET_OK;
  if (shared || context->rank == 0) {
    gannet_training *t = NULL;
    code = create_training(problem->net, problem->n, options, shared ? context : NULL, &t);
    if (code == GANNET_OK) code = gannet_training_run(t, problem, stream, theta, &report);
    gannet_training_destroy(&t);
  }
  GANNET_TRY(gannet_agree(context->comm, code));
  if (options->trainer == GANNET_TRAIN_SGD && context->rank == 0 && problem->n > 0 &&
      report.rate < options->rate && !*told) {
    if (report.rate > 0)
      gannet_log(context, GANNET_LOG_WARNING,
                 "training with sgd diverges at learning_rate %g; the rate is lowered where it "
                 "does, here to %.3g (%d observations)",
                 options->rate, report.rate, problem->n);
    else
      gannet_log(context, GANNET_LOG_WARNING,
                 "training with sgd diverges at learning_rate %g and at all smaller rates that "
                 "were tried; the network stays as it was before training (%d observations)",
                 options->rate, problem->n);
    *told = true;
  }
  return gannet_bytes_broadcast(context->comm, 0, bytes, theta);
}
