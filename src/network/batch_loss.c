#include "network/batch_loss.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/node.h"
#include "base/partition.h"
#include "base/shared_array.h"

enum {
  ROWS = 256,              /* observations that the networks see at once */
  PIECES = 32,             /* most pieces: as many gradients are kept */
  SHARED_WEIGHTS = 1 << 19 /* most weights of a pair that ranks train together */
};

struct gannet_batch_loss {
  const gannet_mlp *net;
  size_t n, p; /* observations, weights of the pair */
  int pieces;
  size_t length;      /* observations of a piece, but for the last one: a multiple of ROWS */
  gannet_stride mine; /* pieces that this rank makes */
  gannet_mlp_tape tape[2];
  double *memory;
  double *value;              /* [2][ROWS] of the networks of the pair */
  double *weight;             /* [2][ROWS] derivatives of the loss by these values */
  gannet_shared_array common; /* with a team: what follows */
  double *terms;              /* [n] of the observations in the loss */
  double *part;               /* gradients of pieces, [pieces][p]; [p] where none are shared */
  double *sum;                /* [p] over the pieces; only where they are shared */
};

/* Numbers that ranks share, and those that a rank needs which makes all pieces. */
static gannet_err set_up_numbers(gannet_batch_loss *l, const gannet_context *team) {
  const size_t shared = l->n + ((size_t)l->pieces + 1) * l->p, own = l->n + l->p;
  if (team)
    GANNET_TRY(gannet_shared_array_create(team, shared, own, &l->common));
  else
    GANNET_TRY(gannet_alloc(own, sizeof(double), &l->common.values));
  l->terms = l->common.values;
  l->part = l->terms + l->n;
  l->sum = l->common.shared ? l->part + (size_t)l->pieces * l->p : NULL;
  l->mine = gannet_stride_of(team ? team->rank : 0, team ? team->np : 1, l->common.shared);
  return GANNET_OK;
}

static gannet_err set_up_own(gannet_batch_loss *l) {
  const int rows = l->n < ROWS ? (int)l->n : ROWS;
  GANNET_TRY(gannet_mlp_tape_create(l->net, rows, &l->tape[0]));
  GANNET_TRY(gannet_mlp_tape_create(l->net, rows, &l->tape[1]));
  GANNET_TRY(gannet_alloc(4 * ROWS, sizeof(double), &l->memory));
  l->value = l->memory;
  l->weight = l->memory + 2 * ROWS;
  return GANNET_OK;
}

bool gannet_batch_loss_is_shared(const gannet_mlp *net, int n, const gannet_context *context) {
  const bool on_one_node = context->node && context->node->n == context->np;
  return n > ROWS && context->np > 1 && on_one_node &&
         2 * gannet_mlp_parameters(net) <= SHARED_WEIGHTS;
}

gannet_err gannet_batch_loss_create(const gannet_mlp *net, int n, const gannet_context *team,
                                    gannet_batch_loss **loss) {
  gannet_batch_loss *l = NULL;
  if (team && team->np == 1) team = NULL;
  gannet_err err = gannet_alloc(1, sizeof *l, &l);
  if (err == GANNET_OK) {
    l->net = net;
    l->n = (size_t)n;
    l->p = 2 * gannet_mlp_parameters(net);
    l->length = ROWS * ((l->n + ROWS * PIECES - 1) / (ROWS * PIECES));
    l->pieces = (int)((l->n + l->length - 1) / l->length);
    err = set_up_own(l);
  }
  if (team) err = gannet_agree(team->comm, err);
  if (err == GANNET_OK) err = set_up_numbers(l, team);
  if (err != GANNET_OK) gannet_batch_loss_destroy(&l);
  *loss = l;
  return err;
}

void gannet_batch_loss_destroy(gannet_batch_loss **loss) {
  gannet_batch_loss *l = *loss;
  if (!l) return;
  gannet_mlp_tape_release(&l->tape[0]);
  gannet_mlp_tape_release(&l->tape[1]);
  gannet_free(&l->memory);
  gannet_shared_array_release(&l->common);
  gannet_free(loss);
}

/* Add the gradient of the terms of some observations, at most ROWS, to part [p]. */
static void add_rows(gannet_batch_loss *l, const gannet_train_problem *problem, const double *theta,
                     size_t first, int rows, double *part) {
  const size_t half = l->p / 2;
  const double *z = problem->z + first * (size_t)l->net->inputs;
  for (size_t h = 0; h < 2; ++h)
    gannet_mlp_forward(l->net, theta + h * half, rows, z, &l->tape[h], l->value + h * ROWS);
  for (size_t i = 0; i < (size_t)rows; ++i) {
    const double value = (l->value[i] - l->value[ROWS + i]) * sqrt(0.5);
    const double residual = value - problem->target[first + i];
    const double weighted = problem->weight ? problem->weight[first + i] * residual : residual;
    l->terms[first + i] = 0.5 * residual * weighted;
    l->weight[i] = weighted * sqrt(0.5);
    l->weight[ROWS + i] = -l->weight[i];
  }
  for (size_t h = 0; h < 2; ++h)
    gannet_mlp_backward(l->net, theta + h * half, rows, z, l->weight + h * ROWS, &l->tape[h],
                        part + h * half, NULL);
}

/* The terms of the observations of piece k, and their gradient into part [p]. */
static void evaluate_piece(gannet_batch_loss *l, const gannet_train_problem *problem,
                           const double *theta, int k, double *part) {
  const size_t begin = (size_t)k * l->length;
  const size_t end = begin + l->length < l->n ? begin + l->length : l->n;
  memset(part, 0, l->p * sizeof *part);
  for (size_t first = begin; first < end; first += ROWS)
    add_rows(l, problem, theta, first, end - first < ROWS ? (int)(end - first) : ROWS, part);
}

static double sum_terms(const gannet_batch_loss *l) {
  double sum = 0;
  for (size_t i = 0; i < l->n; ++i) sum += l->terms[i];
  return sum;
}

/* Make some pieces, then sum the gradients of all for some of the weights. After the second barrier
 * other ranks may already write the pieces of the next evaluation. */
static double evaluate_together(gannet_batch_loss *l, const gannet_train_problem *problem,
                                const double *theta, double *gradient) {
  const size_t step = (size_t)l->mine.step, rank = (size_t)l->mine.first;
  const size_t begin = l->p * rank / step, end = l->p * (rank + 1) / step;
  for (int k = l->mine.first; k < l->pieces; k += l->mine.step)
    evaluate_piece(l, problem, theta, k, l->part + (size_t)k * l->p);
  gannet_shared_array_barrier(&l->common);
  memcpy(l->sum + begin, l->part + begin, (end - begin) * sizeof *l->sum);
  for (int k = 1; k < l->pieces; ++k) {
    const double *part = l->part + (size_t)k * l->p;
    for (size_t i = begin; i < end; ++i) l->sum[i] += part[i];
  }
  const double sum = sum_terms(l);
  gannet_shared_array_barrier(&l->common);
  memcpy(gradient, l->sum, l->p * sizeof *gradient);
  return sum;
}

double gannet_batch_loss_evaluate(gannet_batch_loss *l, const gannet_train_problem *problem,
                                  const double *theta, double *gradient) {
  const size_t half = l->p / 2;
  for (int k = 0; k < l->pieces && !l->mine.shared; ++k) {
    evaluate_piece(l, problem, theta, k, k == 0 ? gradient : l->part);
    for (size_t i = 0; k > 0 && i < l->p; ++i) gradient[i] += l->part[i];
  }
  const double sum = l->mine.shared ? evaluate_together(l, problem, theta, gradient) : sum_terms(l);
  double square = 0;
  for (size_t i = 0; i < l->p; ++i) {
    const double away = theta[i] - problem->start[i < half ? i : i - half];
    square += away * away;
    gradient[i] += problem->decay * away;
  }
  return sum + 0.5 * problem->decay * square;
}
