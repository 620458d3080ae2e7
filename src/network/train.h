/* Training of the antisymmetric pair of network/mlp.h, with a pull towards its start:
 *
 *   loss(theta) = (1/2) sum_i w_i (h(z_i; theta) - t_i)^2 + (1/2) lambda |theta - theta_0|^2
 *
 * Neural-BO writes the pull (1/2) m lambda |theta' - theta'_0|^2 with weights theta' = theta /
 * sqrt(m) of variance 1/m: the same number. While the network is close to linear in its weights,
 * the minimum is the kernel ridge regression g^T G^T (K + lambda I)^-1 t of its tangent kernel.
 */
#ifndef GANNET_NETWORK_TRAIN_H
#define GANNET_NETWORK_TRAIN_H

#include "base/context.h"
#include "base/option.h"
#include "network/mlp.h"

typedef struct {
  const gannet_mlp *net;
  int n;                /* observations, >= 0 */
  const double *z;      /* [n][inputs] */
  const double *target; /* [n] */
  double decay;         /* lambda, >= 0 */
  const double *start;  /* [parameters] theta_0 of both halves */
  const double *weight; /* [n] w_i > 0; NULL = 1 */
} gannet_train_problem;

typedef enum {
  GANNET_TRAIN_NEWTON, /* network/newton.h; lbfgs beyond GANNET_NEWTON_MOST observations */
  GANNET_TRAIN_LBFGS,  /* full batch */
  GANNET_TRAIN_ADAM,   /* Kingma and Ba 2015 */
  GANNET_TRAIN_SGD
} gannet_trainer;

/* Names in the order of gannet_trainer, NULL-terminated. */
extern const char *const gannet_trainer_names[];

typedef struct {
  gannet_trainer trainer;
  int steps;   /* newton: most steps; lbfgs: most evaluations of the loss, in tens */
  int epochs;  /* adam, sgd: passes over the data */
  int batch;   /* adam, sgd: observations per step */
  double rate; /* adam, sgd: learning rate for weights of variance 1/m, as published */
} gannet_train_options;

/* The rows of an option table for what is trained, such as "the network is", into the member
 * training of the options: a gannet_train_options. */
#define GANNET_TRAIN_OPTIONS(options, trained)                                                     \
  {.key = "trainer",                                                                               \
   .type = GANNET_CHOICE,                                                                          \
   .offset = offsetof(options, training.trainer),                                                  \
   .fallback = "newton",                                                                           \
   .choices = gannet_trainer_names,                                                                \
   .help = "how " trained " trained"},                                                             \
      {.key = "steps",                                                                             \
       .type = GANNET_INTEGER,                                                                     \
       .offset = offsetof(options, training.steps),                                                \
       .fallback = "20",                                                                           \
       .lower = 1,                                                                                 \
       .upper = 1e6,                                                                               \
       .help =                                                                                     \
           "largest number of steps of newton, or tens of evaluations of lbfgs, in one training"}, \
      {.key = "epochs",                                                                            \
       .type = GANNET_INTEGER,                                                                     \
       .offset = offsetof(options, training.epochs),                                               \
       .fallback = "50",                                                                           \
       .lower = 1,                                                                                 \
       .upper = 1e6,                                                                               \
       .help = "passes over the data in one training by adam or sgd"},                             \
      {.key = "batch",                                                                             \
       .type = GANNET_INTEGER,                                                                     \
       .offset = offsetof(options, training.batch),                                                \
       .fallback = "50",                                                                           \
       .lower = 1,                                                                                 \
       .upper = 1e6,                                                                               \
       .help = "observations per step of adam or sgd"},                                            \
  {                                                                                                \
    .key = "learning_rate", .type = GANNET_REAL, .offset = offsetof(options, training.rate),       \
    .fallback = "0.001", .lower = 0, .upper = 1e3, .flags = GANNET_OPTION_OPEN_LOW,                \
    .help =                                                                                        \
        "step of adam or sgd, for weights of variance 1/width; if sgd diverges, a smaller one is " \
        "used"                                                                                     \
  }
_Static_assert(sizeof(gannet_trainer) == sizeof(int), "tables write choices as int");

/* What a training did. */
typedef struct {
  double loss;       /* at the end */
  double rate;       /* adam, sgd: learning rate of the training that ended */
  int steps;         /* newton: accepted */
  int trials;        /* newton: losses evaluated */
  double operations; /* newton: in matrix products and factorisations */
} gannet_train_report;

/* Loss and its gradient.
 *
 * Local.
 *
 * theta     in   [2][parameters]
 * gradient  out  [2][parameters]
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_train_loss(const gannet_train_problem *problem,
                                            const double *theta, double *loss, double *gradient);

/* A trainer for problems of n observations with one network, such as the members of an ensemble one
 * after another: they share its memory, and only the first makes any. A member's products stand
 * alone, so that its bits do not depend on the others.
 *
 * Local.
 *
 * net      in  borrowed until destroy
 * n        in  observations, >= 0
 * options  in  copied
 *
 * Errors: GANNET_ERR_MEMORY.
 */
typedef struct gannet_training gannet_training;

GANNET_CHECKED gannet_err gannet_training_create(const gannet_mlp *net, int n,
                                                 const gannet_train_options *options,
                                                 gannet_training **training);
void gannet_training_destroy(gannet_training **training);

/* Train, starting from both halves at problem->start; problem has the network and the number of
 * observations of the trainer.
 *
 * adam and sgd follow the mean over a mini-batch of the squared residuals plus lambda / n times the
 * pull, so that the rate does not depend on the sizes; the order of the data is random, by stream.
 * Where sgd ends above the loss of the start, it trains again at a rate of at most 1 / (m e), e the
 * largest eigenvalue of the tangent kernel of the data over their number, and at half of that while
 * it must: report->rate. Where no rate will do, theta is the start and report->rate 0.
 *
 * Local.
 *
 * stream  in   of purpose GANNET_FOR_TRAINING
 * theta   out  [2][parameters]
 * report  out  NULL when not wanted
 *
 * Errors: GANNET_ERR_NUMERIC when the loss is not finite at the end; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_training_run(gannet_training *training,
                                              const gannet_train_problem *problem,
                                              gannet_stream stream, double *theta,
                                              gannet_train_report *report);

/* gannet_training_create, _run and _destroy for a network that all ranks need. The ranks share the
 * work of newton, up to its limit. Where all ranks share memory they also share the observations of
 * lbfgs, and of newton beyond its limit, if gannet_batch_loss_is_shared says that they gain by it,
 * and with adam and sgd each of the first two ranks trains one network of the pair. In all
 * other cases rank 0 trains alone.
 *
 * Collective over the context's communicator; arguments the same on all ranks.
 *
 * theta  out    [2][parameters], fewer than 2^31 numbers; that of rank 0 on all ranks
 * told   inout  whether the log already says that sgd took a smaller rate than was given
 *
 * Errors: as gannet_training_run, and GANNET_ERR_MPI, from all ranks.
 */
GANNET_CHECKED gannet_err gannet_train_for_all(const gannet_context *context,
                                               const gannet_train_problem *problem,
                                               const gannet_train_options *options,
                                               gannet_stream stream, double *theta, bool *told);

#endif
