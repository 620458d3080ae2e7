#include "network/newton.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/node.h"
#include "base/partition.h"
#include "base/shared_array.h"
#include "linalg/blas.h"
#include "linalg/cholesky.h"
#include "network/pair.h"

enum {
  SHARED_FACTOR = 256, /* observations from which on ranks share a factor */
  TOLD = 2             /* numbers that rank 0 decides for a team: a loss and a promised loss */
};

/* Weights are in the order of network/pair.h.
 *
 * Terms
 *   pass    one evaluation of the networks, or of products with J, at all points, by blocks
 *   trial   weights that may become the present ones
 *
 * Ranks of a team that share memory divide the blocks of a pass, and copy into the shared memory
 * what all ranks need of an accepted point. Ranks of other teams pass all blocks, and share the
 * kernel only.
 */
struct gannet_newton {
  const gannet_mlp *net;
  const gannet_context *team; /* NULL = this rank alone */
  int *owner;                 /* [gannet_pair_tiles(n)] of tiles of the kernel, with a team */
  gannet_shared_array common; /* [n][n] with a team */
  gannet_shared_array passes; /* with a team: the units and numbers that follow */
  gannet_pair all;            /* by which ranks give each other their blocks of the present point */
  gannet_stride mine;         /* of the blocks, and of the sums over all points */
  size_t n, p;                /* observations, weights of the pair */
  gannet_pair at[2];          /* the present point, linearised, and this rank's blocks of the trial;
                                 they change places */
  double *memory;
  double *theta, *start, *trial; /* [p] */
  double *way, *other_way;       /* [p] from the start: of the present point, of the trial */
  double *residual, *other;      /* [n] of the present point, of the trial; of the passes */
  double *along;                 /* [n] J v; of the passes */
  double *told;                  /* [TOLD] by the first rank of a team; of the passes */
  double *change;                /* [p] J^T s; of the passes */
  double *solution;              /* [n] s */
  double *kernel;                /* [n][n] lower triangle, in the memory of common */
  double *scratch;               /* of the passes */
  double *work;                  /* [2][GANNET_PAIR_ROWS][GANNET_PAIR_COLUMNS] */
  gannet_cholesky *factor;
  const gannet_train_problem *problem; /* of the run */
  double kappa, damping, growth, size; /* size: mean of the diagonal of the kernel */
  gannet_train_report report;
};

/* Numbers that all need of the passes, without units. */
static size_t count_pass_numbers(const gannet_newton *s) {
  return s->p + 3 * s->n + TOLD;
}

static double *take_numbers(double **next, size_t size) {
  double *const part = *next;
  *next += size;
  return part;
}

static void lay_out_passes(gannet_newton *s, double *next) {
  double **const values[] = {&s->residual, &s->other, &s->along};
  for (int k = 0; k < 3; ++k) *values[k] = take_numbers(&next, s->n);
  s->change = take_numbers(&next, s->p);
  s->told = next;
}

/* The memory of this rank. */
static gannet_err set_up_alone(gannet_newton *s) {
  const int n = (int)s->n;
  const size_t units = gannet_pair_units(s->net, n), scratch = gannet_pair_scratch(s->net, n);
  const size_t work = (size_t)2 * GANNET_PAIR_ROWS * GANNET_PAIR_COLUMNS;
  const size_t in_common = s->team ? 0 : count_pass_numbers(s) + s->n * s->n;
  GANNET_TRY(gannet_alloc(5 * s->p + s->n + 2 * units + scratch + work + in_common, sizeof(double),
                          &s->memory));
  double *next = s->memory;
  double **const weights[] = {&s->theta, &s->start, &s->trial, &s->way, &s->other_way};
  for (int k = 0; k < 5; ++k) *weights[k] = take_numbers(&next, s->p);
  s->solution = take_numbers(&next, s->n);
  s->scratch = take_numbers(&next, scratch);
  for (int k = 0; k < 2; ++k)
    s->at[k] = gannet_pair_in(s->net, n, take_numbers(&next, units), s->scratch);
  s->work = take_numbers(&next, work);
  s->mine = gannet_stride_of(0, 1, false);
  if (s->team) return GANNET_OK;
  s->kernel = take_numbers(&next, s->n * s->n);
  lay_out_passes(s, next);
  return gannet_cholesky_create(&s->factor);
}

/* Choose the rank that makes each tile of the kernel. */
static gannet_err share_tiles(gannet_newton *s) {
  const int tiles = gannet_pair_tiles((int)s->n);
  double *cost = NULL;
  GANNET_TRY(gannet_alloc((size_t)tiles, sizeof *s->owner, &s->owner));
  GANNET_TRY(gannet_alloc((size_t)tiles, sizeof *cost, &cost));
  for (int k = 0; k < tiles; ++k) cost[k] = gannet_pair_tile_size((int)s->n, k);
  const gannet_err code = gannet_partition_assign(tiles, cost, s->team->np, s->owner);
  gannet_free(&cost);
  return code;
}

/* Set up the memory that the ranks of a team share. */
static gannet_err set_up_shared(gannet_newton *s) {
  const gannet_context *team = s->team;
  const size_t units = gannet_pair_units(s->net, (int)s->n);
  GANNET_TRY(gannet_shared_array_create(team, s->n * s->n, s->n * s->n, &s->common));
  GANNET_TRY(gannet_shared_array_create(team, count_pass_numbers(s) + units, count_pass_numbers(s),
                                        &s->passes));
  const bool shared = s->passes.shared;
  s->kernel = s->common.values;
  double *next = s->passes.values;
  if (shared) s->all = gannet_pair_in(s->net, (int)s->n, take_numbers(&next, units), s->scratch);
  lay_out_passes(s, next);
  s->mine = gannet_stride_of(team->rank, team->np, shared);
  return GANNET_OK;
}

static gannet_err set_up_team(gannet_newton *s) {
  const gannet_context *team = s->team;
  gannet_err code = set_up_alone(s);
  if (code == GANNET_OK) code = share_tiles(s);
  GANNET_TRY(gannet_agree(team->comm, code));
  GANNET_TRY(set_up_shared(s));
  /* a small factor is made sooner by every rank */
  const bool shared = s->n >= SHARED_FACTOR;
  return gannet_agree(team->comm, shared ? gannet_cholesky_create_shared(team->node, &s->factor)
                                         : gannet_cholesky_create(&s->factor));
}

gannet_err gannet_newton_create(const gannet_mlp *net, int n, const gannet_context *team,
                                gannet_newton **newton) {
  const bool alone = !team || team->np == 1;
  gannet_err code = gannet_alloc(1, sizeof **newton, newton);
  if (!alone) code = gannet_agree(team->comm, code);
  if (code == GANNET_OK) {
    (*newton)->net = net;
    (*newton)->team = alone ? NULL : team;
    (*newton)->n = (size_t)n;
    (*newton)->p = 2 * gannet_mlp_parameters(net);
    code = alone ? set_up_alone(*newton) : set_up_team(*newton);
  }
  if (code != GANNET_OK) gannet_newton_destroy(newton);
  return code;
}

void gannet_newton_destroy(gannet_newton **newton) {
  if (!*newton) return;
  gannet_cholesky_destroy(&(*newton)->factor);
  gannet_shared_array_release(&(*newton)->common);
  gannet_shared_array_release(&(*newton)->passes);
  gannet_free(&(*newton)->owner);
  gannet_free(&(*newton)->memory);
  gannet_free(newton);
}

/* The root of the weight of a squared residual. */
static double root_weight(const gannet_newton *s, size_t i) {
  return s->problem->weight ? sqrt(s->problem->weight[i]) : 1;
}

/* The loss at weights; leaves units in at[1], residuals and the way from the start. */
static double evaluate_trial(gannet_newton *s, const double *weights) {
  const int n = (int)s->n, blocks = gannet_pair_blocks(n);
  for (int k = s->mine.first; k < blocks; k += s->mine.step) {
    const gannet_pair_block block = gannet_pair_block_at(n, k);
    gannet_pair_forward(&s->at[1], block, weights, s->problem->z, s->other);
    for (int i = block.first; i < block.first + block.rows; ++i)
      s->other[i] = root_weight(s, (size_t)i) * (s->other[i] - s->problem->target[i]);
  }
  gannet_shared_array_barrier(&s->passes);
  for (size_t i = 0; i < s->p; ++i) s->other_way[i] = weights[i] - s->start[i];
  s->report.trials += 1;
  s->report.operations += gannet_pair_pass_operations(s->net, (int)s->n);
  return 0.5 * (gannet_dot((int)s->n, s->other, s->other) +
                s->problem->decay * gannet_dot((int)s->p, s->other_way, s->other_way));
}

static void swap_pointers(double **a, double **b) {
  double *const kept = *a;
  *a = *b;
  *b = kept;
}

/* Make the point that was evaluated last the present one. */
static void accept_trial(gannet_newton *s) {
  const gannet_pair kept = s->at[0];
  s->at[0] = s->at[1];
  s->at[1] = kept;
  swap_pointers(&s->theta, &s->trial);
  swap_pointers(&s->way, &s->other_way);
  swap_pointers(&s->residual, &s->other);
}

static gannet_err fill_kernel(gannet_newton *s) {
  const double *z = s->problem->z;
  if (!s->team) {
    gannet_pair_gram(&s->at[0], z, s->work, s->kernel);
    return GANNET_OK;
  }
  const int tiles = gannet_pair_tiles((int)s->n);
  gannet_shared_array_begin(&s->common);
  for (int k = 0; k < tiles; ++k)
    if (s->owner[k] == s->team->rank) gannet_pair_gram_tile(&s->at[0], z, k, s->work, s->kernel);
  return gannet_shared_array_complete(&s->common);
}

/* J J^T, yet without weights, and J v at the present point. */
static gannet_err linearise_point(gannet_newton *s) {
  const int n = (int)s->n, blocks = gannet_pair_blocks(n);
  double sum = 0;
  for (int k = s->mine.first; k < blocks; k += s->mine.step) {
    const gannet_pair_block block = gannet_pair_block_at(n, k);
    gannet_pair_linearise(&s->at[0], block, s->theta);
    gannet_pair_apply(&s->at[0], block, s->problem->z, s->way, s->along);
    for (int i = block.first; i < block.first + block.rows; ++i)
      s->along[i] *= root_weight(s, (size_t)i);
    if (s->passes.shared) gannet_pair_show(&s->at[0], block, &s->all);
  }
  gannet_shared_array_barrier(&s->passes);
  /* Blocks of other ranks are copied, because a step reads all of them several times. */
  for (int k = 0; s->passes.shared && k < blocks; ++k)
    if (k % s->mine.step != s->mine.first)
      gannet_pair_take(&s->all, gannet_pair_block_at(n, k), &s->at[0]);
  GANNET_TRY(fill_kernel(s));
  for (size_t i = 0; i < s->n; ++i)
    sum += s->kernel[i * s->n + i] * (s->problem->weight ? s->problem->weight[i] : 1);
  s->size = sum / (double)s->n;
  s->report.operations += gannet_pair_gram_operations(s->net, (int)s->n) +
                          2 * gannet_pair_pass_operations(s->net, (int)s->n);
  return GANNET_OK;
}

static gannet_err kernel_rows(void *user, int first, int rows, double *k, int ldk) {
  const gannet_newton *s = user;
  for (int i = 0; i < rows; ++i) {
    double *row = k + (size_t)i * (size_t)ldk;
    memcpy(row, s->kernel + (size_t)(first + i) * s->n, (size_t)(first + i + 1) * sizeof *k);
    for (int j = 0; s->problem->weight && j <= first + i; ++j)
      row[j] *= root_weight(s, (size_t)(first + i)) * root_weight(s, (size_t)j);
    row[first + i] += s->kappa;
  }
  return GANNET_OK;
}

/* Solve (K + kappa I) s = r - share J v; leaves s in s->solution. */
static gannet_err solve_damped(gannet_newton *s, double share) {
  const int n = (int)s->n;
  for (size_t i = 0; i < s->n; ++i) s->solution[i] = s->residual[i] - share * s->along[i];
  const gannet_err code = gannet_cholesky_factorise(s->factor, n, kernel_rows, s);
  /* ranks that share the passes must all continue or all stop */
  GANNET_TRY(s->passes.shared ? gannet_node_agree(s->team->node, code) : code);
  gannet_cholesky_solve(s->factor, 1, s->solution, n);
  return GANNET_OK;
}

/* Make the trial point theta + p. Gives its loss, and the loss that the linear model promises. */
static gannet_err try_step(gannet_newton *s, double *loss, double *promised) {
  const int n = (int)s->n, sums = gannet_pair_sums(s->net);
  s->kappa = s->problem->decay + s->damping;
  const double share = s->kappa > 0 ? s->problem->decay / s->kappa : 0;
  GANNET_TRY(solve_damped(s, share));
  const double square = gannet_dot(n, s->solution, s->solution);
  for (size_t i = 0; i < s->n; ++i) s->solution[i] *= root_weight(s, i);
  for (int k = s->mine.first; k < sums; k += s->mine.step)
    gannet_pair_sum(&s->at[0], k, s->problem->z, s->solution, s->change);
  gannet_shared_array_barrier(&s->passes);
  for (size_t i = 0; i < s->p; ++i) s->trial[i] = s->theta[i] - s->change[i] - share * s->way[i];
  s->report.operations +=
      gannet_pair_pass_operations(s->net, n) + (double)s->n * (double)s->n * (double)s->n / 3;
  *loss = evaluate_trial(s, s->trial);
  *promised = 0.5 * (s->kappa * s->kappa * square +
                     s->problem->decay * gannet_dot((int)s->p, s->other_way, s->other_way));
  return GANNET_OK;
}

/* Nielsen 1999; damping that no longer matters is left out, so that the end is quadratic. */
static void lower_damping(gannet_newton *s, double ratio) {
  const double t = 2 * ratio - 1;
  s->damping *= fmax(1.0 / 3, 1 - t * t * t);
  if (s->damping < 1e-6 * s->size) s->damping = 0;
  s->growth = 2;
}

/* All ranks of a team continue with the numbers of rank 0. Processors of different kinds may round
 * differently, and ranks that decide differently would wait for each other for ever. Ranks that
 * share memory use it, in a tenth of the time of two messages. */
static gannet_err agree_on_numbers(const gannet_newton *s, gannet_err code, double numbers[TOLD]) {
  if (!s->team) return code;
  if (s->passes.shared) {
    if (s->team->rank == 0) memcpy(s->told, numbers, TOLD * sizeof *numbers);
    GANNET_TRY(gannet_node_agree(s->team->node, code));
    memcpy(numbers, s->told, TOLD * sizeof *numbers);
    return GANNET_OK;
  }
  GANNET_TRY(gannet_agree(s->team->comm, code));
  GANNET_TRY_MPI(MPI_Bcast(numbers, TOLD, MPI_DOUBLE, 0, s->team->comm));
  return GANNET_OK;
}

/* One accepted step, or none: *gain is 0 then. */
static gannet_err make_step(gannet_newton *s, double *gain) {
  *gain = 0;
  GANNET_TRY(linearise_point(s));
  for (int k = 0; k < 8; ++k) {
    double loss[TOLD] = {INFINITY, 0}; /* it, and what is promised */
    const gannet_err code = agree_on_numbers(s, try_step(s, &loss[0], &loss[1]), loss);
    if (code != GANNET_OK && code != GANNET_ERR_NUMERIC) return code;
    if (code == GANNET_ERR_NUMERIC) gannet_error_clear();
    if (loss[0] < s->report.loss) {
      *gain = s->report.loss - loss[0];
      lower_damping(s, *gain / (s->report.loss - loss[1]));
      accept_trial(s);
      s->report.loss = loss[0];
      s->report.steps += 1;
      return GANNET_OK;
    }
    s->damping = fmax(s->growth * s->damping, 1e-3 * s->size);
    s->growth *= 2;
  }
  return GANNET_OK;
}

gannet_err gannet_newton_run(gannet_newton *s, const gannet_train_problem *problem, int steps,
                             double *theta, gannet_train_report *report) {
  const size_t half = s->p / 2;
  double gain = INFINITY;
  s->problem = problem;
  s->damping = 0;
  s->growth = 2;
  s->report = (gannet_train_report){0};
  /* the start of both halves, in the order of the pair; trial is scratch */
  memcpy(s->trial, problem->start, half * sizeof *s->trial);
  memcpy(s->trial + half, problem->start, half * sizeof *s->trial);
  gannet_pair_pack(s->net, s->trial, s->start);
  gannet_pair_pack(s->net, theta, s->trial);
  double loss[TOLD] = {evaluate_trial(s, s->trial), 0};
  GANNET_TRY(agree_on_numbers(s, GANNET_OK, loss));
  s->report.loss = loss[0];
  accept_trial(s);
  for (int k = 0; k < steps && gain > 1e-5 * s->report.loss; ++k) GANNET_TRY(make_step(s, &gain));
  gannet_pair_unpack(s->net, s->theta, theta);
  *report = s->report;
  return GANNET_OK;
}
