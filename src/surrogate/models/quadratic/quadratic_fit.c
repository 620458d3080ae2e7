/* The search for the hyperparameters of quadratics, of all models together.
 *
 * A trial is one solve of one model with given hyperparameters. Trials of one stage do not depend
 * on each other, so they go round the ranks. The rank that made the best trial of a model keeps the
 * solution, and gives it to all ranks in the end.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "surrogate/models/quadratic/quadratic.h"

static const double lowest[GANNET_QUADRATIC_HYPER] = {-4, -3.5, -3.5, -9};
static const double highest[GANNET_QUADRATIC_HYPER] = {7, 1, 0.5, 0.5};

/* The evidence has several maxima: rough, exact and round models of the same data. A search begins
 * with these hyperparameters and those that were best last time. */
static const double others[][GANNET_QUADRATIC_HYPER] = {
    {0, 0, -0.5, -3}, {2, 0, 0, -7}, {4, 0, 0, -5}, {1, -3, -3, -6}};
enum {
  OTHERS = sizeof others / sizeof *others,
  SIDES = 2 * GANNET_QUADRATIC_HYPER,
  MOST_TRIALS = SIDES > 1 + OTHERS ? SIDES : 1 + OTHERS /* at once, of one model */
};

typedef struct {
  int model;
  int coordinate; /* the hyperparameter that is changed; of no meaning for a start */
  double hyper[GANNET_QUADRATIC_HYPER];
} trial;

/* The best trial of a model, as all ranks know it. The quadratic that a rank holds may be worse, or
 * one of a trial that was not accepted. */
typedef struct {
  double hyper[GANNET_QUADRATIC_HYPER];
  double evidence;
  int owner;   /* the rank that holds the quadratic of this trial */
  bool still;  /* the last round improved nothing: the search of this model has ended */
  bool moved;  /* this round improved it */
  bool better; /* the present coordinate improved it */
  int n_tried;
  double (*tried)[GANNET_QUADRATIC_HYPER]; /* all trials so far */
} progress;

typedef struct {
  MPI_Comm comm;
  int rank, np, n_models;
  gannet_quadratic *quadratic;
  const gannet_quadratic_data *data;
  progress *model; /* [n_models] */
  int n_trials;
  trial *trial;                            /* [n_models][MOST_TRIALS] */
  double *evidence;                        /* [n_models][MOST_TRIALS] */
  double (*tried)[GANNET_QUADRATIC_HYPER]; /* memory of all models' tried */
} search;

/* Sides are often the way back, and a round begins where the last one ended. A trial that was made
 * before is left out: it would have to be better than itself. */
static void add_trial(search *s, int model, int coordinate, const double *hyper) {
  const progress *m = &s->model[model];
  for (int i = 0; i < m->n_tried; ++i)
    if (memcmp(m->tried[i], hyper, sizeof m->tried[i]) == 0) return;
  trial *t = &s->trial[s->n_trials++];
  t->model = model;
  t->coordinate = coordinate;
  memcpy(t->hyper, hyper, sizeof t->hyper);
}

static gannet_err solve_own_trials(search *s) {
  for (int i = s->rank; i < s->n_trials; i += s->np) {
    const int m = s->trial[i].model;
    bool better = false;
    GANNET_TRY(gannet_quadratic_try(&s->quadratic[m], s->trial[i].hyper, &s->evidence[i], &better));
  }
  return GANNET_OK;
}

/* Solve all trials, whose evidence all ranks get. A rank keeps the quadratic of its best own trial
 * when that is better than the best so far. */
static gannet_err solve_trials(search *s) {
  if (s->n_trials == 0) return GANNET_OK;
  for (int m = 0; m < s->n_models; ++m) s->quadratic[m].evidence = s->model[m].evidence;
  memset(s->evidence, 0, (size_t)s->n_trials * sizeof *s->evidence);
  GANNET_TRY(gannet_agree(s->comm, solve_own_trials(s)));
  return s->np > 1 ? gannet_partition_gather(s->comm, (size_t)s->n_trials, s->evidence) : GANNET_OK;
}

/* Make trial i the best of its model if it is better. */
static bool accept_if_better(search *s, int i) {
  progress *m = &s->model[s->trial[i].model];
  memcpy(m->tried[m->n_tried++], s->trial[i].hyper, sizeof *m->tried);
  if (!(s->evidence[i] > m->evidence)) return false;
  memcpy(m->hyper, s->trial[i].hyper, sizeof m->hyper);
  m->evidence = s->evidence[i];
  m->owner = i % s->np;
  return true;
}

static gannet_err try_starts(search *s) {
  s->n_trials = 0;
  for (int m = 0; m < s->n_models; ++m) {
    s->model[m].evidence = -INFINITY;
    const double *last = s->quadratic[m].hyper;
    add_trial(s, m, 0, last);
    for (int i = 0; i < OTHERS; ++i)
      if (memcmp(last, others[i], sizeof others[i]) != 0) add_trial(s, m, 0, others[i]);
  }
  GANNET_TRY(solve_trials(s));
  for (int i = 0; i < s->n_trials; ++i) (void)accept_if_better(s, i);
  for (int m = 0; m < s->n_models; ++m)
    GANNET_REQUIRE(s->model[m].evidence > -INFINITY, GANNET_ERR_NUMERIC,
                   "no quadratic fits %d observations", s->data[m].n);
  return GANNET_OK;
}

/* Without cross terms their hyperparameter has no effect. */
static bool is_left_out(const search *s, int h) {
  const gannet_quadratic *q = s->quadratic;
  return h == GANNET_QUADRATIC_CROSS && q->p == 1 + 2 * q->d;
}

/* A step of one hyperparameter for the models that still search and did not improve in it yet. */
static void add_side(search *s, int h, double sign) {
  for (int m = 0; m < s->n_models; ++m) {
    double hyper[GANNET_QUADRATIC_HYPER];
    if (s->model[m].still || s->model[m].better) continue;
    memcpy(hyper, s->model[m].hyper, sizeof hyper);
    hyper[h] = fmin(fmax(hyper[h] + sign * gannet_quadratic_step[h], lowest[h]), highest[h]);
    if (hyper[h] != s->model[m].hyper[h]) add_trial(s, m, h, hyper);
  }
}

/* Solve the trials, and accept what improves a model. Trials of later coordinates start from where
 * the models were, so they do not count once an earlier one has improved a model.
 *
 * moved  inout  the coordinate that improved a model, or -1
 */
static gannet_err try_sides(search *s, int *moved) {
  GANNET_TRY(solve_trials(s));
  for (int i = 0; i < s->n_trials; ++i) {
    const trial *t = &s->trial[i];
    progress *m = &s->model[t->model];
    if (*moved >= 0 && t->coordinate != *moved) break;
    if (m->better || !accept_if_better(s, i)) continue;
    m->better = m->moved = true;
    *moved = t->coordinate;
  }
  return GANNET_OK;
}

/* A step up, and a step down for models that did not improve by it, of one coordinate after the
 * other. With a rank for each trial both steps are tried at once; and those of a single model, of
 * which most improve nothing, at as many coordinates as there are ranks for. The search takes the
 * same steps on any number of ranks. One rank must never solve two trials of one model at once: it
 * would keep the second where the first is accepted. For the same reason several models go through
 * the coordinates one by one: a trial that no longer counts, as another model was improved, might
 * have replaced the best quadratic of its own model.
 *
 * h  inout  the first coordinate, then the one after the last that is done
 */
static gannet_err search_coordinates(search *s, int *h) {
  int going = 0, moved = -1;
  for (int m = 0; m < s->n_models; ++m) {
    s->model[m].better = false;
    going += !s->model[m].still;
  }
  const int at_once = s->n_models == 1 ? s->np / 2 : 2 * going <= s->np;
  const int end = at_once > 1 ? *h + at_once : *h + 1;
  s->n_trials = 0;
  if (at_once == 0) {
    add_side(s, *h, 1);
    GANNET_TRY(try_sides(s, &moved));
    s->n_trials = 0;
    add_side(s, *h, -1);
  }
  for (int i = *h; i < end && i < GANNET_QUADRATIC_HYPER && at_once > 0; ++i) {
    if (is_left_out(s, i)) continue;
    add_side(s, i, 1);
    add_side(s, i, -1);
  }
  GANNET_TRY(try_sides(s, &moved));
  *h = moved >= 0 ? moved + 1 : end;
  return GANNET_OK;
}

static gannet_err search_round(search *s, bool *moved) {
  for (int m = 0; m < s->n_models; ++m) s->model[m].moved = false;
  for (int h = 0; h < GANNET_QUADRATIC_HYPER;) {
    if (is_left_out(s, h))
      h += 1;
    else
      GANNET_TRY(search_coordinates(s, &h));
  }
  *moved = false;
  for (int m = 0; m < s->n_models; ++m) {
    s->model[m].still = !s->model[m].moved;
    *moved = *moved || s->model[m].moved;
  }
  return GANNET_OK;
}

/* Pack or unpack a solution: the triangle of the factor column by column, the coefficients, the
 * scale. Returns how many numbers these are. */
static size_t pack_solution(gannet_quadratic *q, bool unpack, double *packed) {
  const size_t p = (size_t)q->p;
  double *at = packed;
  for (size_t j = 0; j < p; ++j) {
    double *column = q->factor + j * (p + 1);
    if (unpack)
      memcpy(column, at, (j + 1) * sizeof *at);
    else
      memcpy(at, column, (j + 1) * sizeof *at);
    at += j + 1;
  }
  memcpy(unpack ? q->coefficient : at, unpack ? at : q->coefficient, p * sizeof *at);
  at += p;
  *(unpack ? &q->scale : at) = *(unpack ? at : &q->scale);
  return (size_t)(at + 1 - packed);
}

/* Give the best quadratic of a model to all ranks, through spare, which has room for more than a
 * packed solution. */
static gannet_err share_solution(search *s, int m) {
  gannet_quadratic *q = &s->quadratic[m];
  const progress *known = &s->model[m];
  const bool mine = s->rank == known->owner;
  memcpy(q->hyper, known->hyper, sizeof q->hyper);
  q->evidence = known->evidence;
  if (s->np == 1) return GANNET_OK;
  const size_t p = (size_t)q->p, length = p * (p + 1) / 2 + p + 1;
  if (mine) (void)pack_solution(q, false, q->spare);
  GANNET_TRY(gannet_bytes_broadcast(s->comm, known->owner, length * sizeof(double), q->spare));
  if (!mine) (void)pack_solution(q, true, q->spare);
  return GANNET_OK;
}

static gannet_err search_create(search *s, int rounds) {
  const size_t most = (size_t)s->n_models * MOST_TRIALS;
  const size_t each = 1 + OTHERS + 2 * GANNET_QUADRATIC_HYPER * (size_t)rounds;
  GANNET_TRY(gannet_alloc((size_t)s->n_models, sizeof *s->model, &s->model));
  GANNET_TRY(gannet_alloc(most, sizeof *s->trial, &s->trial));
  GANNET_TRY(gannet_alloc((size_t)s->n_models * each, sizeof *s->tried, &s->tried));
  for (int m = 0; m < s->n_models; ++m) s->model[m].tried = s->tried + (size_t)m * each;
  return gannet_alloc(most, sizeof *s->evidence, &s->evidence);
}

static gannet_err observe_own(search *s) {
  for (int m = 0; m < s->n_models; ++m)
    if (s->n_models == 1 || m % s->np == s->rank)
      GANNET_TRY(gannet_quadratic_observe(&s->quadratic[m], &s->data[m]));
  return GANNET_OK;
}

/* Triangles of the observations. Those of several models go round the ranks; one triangle takes
 * less time than to wait for another rank. */
static gannet_err observe(search *s) {
  GANNET_TRY(gannet_agree(s->comm, observe_own(s)));
  for (int m = 0; m < s->n_models && s->n_models > 1 && s->np > 1; ++m) {
    gannet_quadratic *q = &s->quadratic[m];
    const size_t columns = (size_t)q->p + 1;
    q->n = s->data[m].n;
    GANNET_TRY(gannet_bytes_broadcast(s->comm, m % s->np, columns * columns * sizeof(double),
                                      q->observed));
  }
  return GANNET_OK;
}

static gannet_err search_all(search *s, int rounds) {
  bool moved = true;
  GANNET_TRY(observe(s));
  GANNET_TRY(try_starts(s));
  for (int round = 0; round < rounds && moved; ++round) GANNET_TRY(search_round(s, &moved));
  for (int m = 0; m < s->n_models; ++m) GANNET_TRY(share_solution(s, m));
  return GANNET_OK;
}

gannet_err gannet_quadratic_fit(MPI_Comm comm, int n_models, gannet_quadratic *quadratic,
                                const gannet_quadratic_data *data, int rounds) {
  search s = {.comm = comm, .n_models = n_models, .quadratic = quadratic, .data = data};
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &s.rank));
  GANNET_TRY_MPI(MPI_Comm_size(comm, &s.np));
  gannet_err err = gannet_agree(comm, search_create(&s, rounds));
  if (err == GANNET_OK) err = search_all(&s, rounds);
  gannet_free(&s.model);
  gannet_free(&s.trial);
  gannet_free(&s.evidence);
  gannet_free(&s.tried);
  return err;
}
