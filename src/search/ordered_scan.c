#include "search/ordered_scan.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "surrogate/surrogate.h"

/* Candidates that are scored at once on all ranks, but for no fewer on each; those of a rank that
 * are rather scored than that ceilings are lowered; and the share of candidates that may be left
 * after that, for another round to be worth it. */
enum {
  GROUP = GANNET_ORDERED_GROUP,
  LEAST = 16,
  FEW = 320,
  PIVOTS = GANNET_ORDERED_PIVOTS,
  POOR = 2
};
static const double worth = 0.75;

typedef struct {
  const gannet_context *context;
  const gannet_candidates *candidates;
  const gannet_distinct *taken;
  const gannet_ordered_spec *spec;
  gannet_select *select;
  double least;               /* of the best scores of all ranks, when they last met */
  gannet_ordered ordered;     /* candidates that have not been scored */
  gannet_ordered done;        /* and those that have, by their scores */
  int group;                  /* that is scored at once */
  gannet_ordered_entry *some; /* [GROUP] that are */
  int64_t *number;            /* [GROUP] of these */
  double *x, *scores;         /* [GANNET_TILE][d], [GROUP] */
  gannet_ordered_entry leader[GROUP];
  double *ceilings; /* [GANNET_TILE] */
  int64_t scored;
  int last;     /* how many of these were in the last group */
  bool holds;   /* no score was above its ceiling */
  int64_t all;  /* candidates of all ranks to begin with */
  int rounds;   /* in which ceilings were lowered */
  int poor;     /* those that left most of the candidates */
  bool useless; /* that left too many candidates */
} scan;

static gannet_err set_up(scan *s) {
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  const int own = GROUP / s->context->np;
  s->group = own > LEAST ? own : LEAST;
  s->holds = true;
  s->least = -INFINITY;
  GANNET_TRY(gannet_select_create(1, s->spec->keep, &s->select));
  GANNET_TRY(gannet_alloc(GROUP, sizeof *s->some, &s->some));
  GANNET_TRY(gannet_alloc(GROUP, sizeof *s->number, &s->number));
  GANNET_TRY(gannet_alloc(GANNET_TILE * d, sizeof *s->x, &s->x));
  GANNET_TRY(gannet_alloc(GROUP, sizeof *s->scores, &s->scores));
  return gannet_alloc(GANNET_TILE, sizeof *s->ceilings, &s->ceilings);
}

static void release(scan *s) {
  gannet_select_destroy(&s->select);
  gannet_ordered_release(&s->ordered);
  gannet_ordered_release(&s->done);
  gannet_free(&s->some);
  gannet_free(&s->number);
  gannet_free(&s->x);
  gannet_free(&s->scores);
  gannet_free(&s->ceilings);
}

/* The first m of some. */
static gannet_err score_some(scan *s, int m) {
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  for (int i = 0; i < m; ++i) {
    s->number[i] = s->some[i].number;
    gannet_candidates_tile(s->candidates, s->number[i], 1, s->x + (size_t)i * d);
  }
  GANNET_TRY(s->spec->scorer(s->spec->user, m, s->number, s->x, s->scores));
  for (int i = 0; i < m; ++i) s->holds = s->holds && !(s->scores[i] > s->some[i].value);
  gannet_scan_bar(s->taken, d, m, s->x, 1, s->scores, m);
  gannet_select_offer_some(s->select, m, s->number, s->scores, m);
  for (int i = 0; i < m; ++i)
    if (!isnan(s->scores[i])) GANNET_TRY(gannet_ordered_add(&s->done, s->scores[i], s->number[i]));
  s->scored += m;
  s->last = m;
  return GANNET_OK;
}

/* Note the ceiling of a leader, which is scored apart from the others; whether it is one. */
static bool leads(scan *s, int64_t number, double ceiling) {
  for (int i = 0; i < *s->spec->n_leaders; ++i)
    if (s->spec->leaders[i] == number) {
      s->leader[i] = (gannet_ordered_entry){ceiling, number};
      return true;
    }
  return false;
}

static gannet_err take_tile(scan *s, int64_t first) {
  const int64_t left = gannet_candidates_count(s->candidates) - first;
  const int m = left < GANNET_TILE ? (int)left : GANNET_TILE;
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  GANNET_TRY(s->spec->ceiling(s->spec->user, m, first, s->ceilings));
  if (s->taken) gannet_candidates_tile(s->candidates, first, m, s->x);
  for (int i = 0; i < m; ++i) {
    const double ceiling = isnan(s->ceilings[i]) ? INFINITY : s->ceilings[i];
    const bool barred = s->taken && gannet_distinct_has(s->taken, s->x + (size_t)i * d);
    if (!leads(s, first + i, ceiling) && !barred)
      GANNET_TRY(gannet_ordered_add(&s->ordered, ceiling, first + i));
  }
  return GANNET_OK;
}

/* What a rank scores in any case: the best leaders, or the candidates with the highest ceilings. */
static gannet_err score_first(scan *s) {
  int m = *s->spec->n_leaders;
  for (int i = 0; i < m; ++i) s->some[i] = (gannet_ordered_entry){INFINITY, s->spec->leaders[i]};
  if (m == 0) m = gannet_ordered_take(&s->ordered, -INFINITY, s->group, s->some);
  return m > 0 ? score_some(s, m) : GANNET_OK;
}

static gannet_err take_tiles(scan *s) {
  const int64_t n = gannet_candidates_count(s->candidates);
  for (int64_t first = 0; first < n; first += GANNET_TILE)
    if (s->spec->tiles[first / GANNET_TILE]) GANNET_TRY(take_tile(s, first));
  gannet_ordered_arrange(&s->ordered, -INFINITY);
  return score_first(s);
}

static double threshold(const scan *s) {
  return fmax(s->least, gannet_select_least(s->select, 0));
}

/* In its places, this rank's pivots, by numbers from 1 on; those of others are 0. Half of them are
 * of those that were scored last, and half from all that are left. */
static void offer_pivots(const scan *s, int64_t *place) {
  const int np = s->context->np, rank = s->context->rank;
  const int first = PIVOTS * rank / np, end = PIVOTS * (rank + 1) / np;
  const int scored = (end - first + rank % 2) / 2, left = end - first - scored;
  for (int i = 0; i < PIVOTS; ++i) place[i] = 0;
  for (int i = 0; i < scored && i < s->last; ++i) place[first + i] = s->number[i] + 1;
  for (int i = 0; i < left && s->ordered.n > 0; ++i) {
    const int64_t at = (int64_t)((double)s->ordered.n * (i + 0.5) / left);
    place[first + scored + i] = s->ordered.entry[at].number + 1;
  }
}

/* Over all ranks. */
static gannet_err add_up(const scan *s, int n, int64_t *numbers) {
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, numbers, n, MPI_INT64_T, MPI_SUM, s->context->comm));
  return GANNET_OK;
}

/* Of before candidates of all ranks, which are more than are soon scored. */
static gannet_err lower_ceilings(scan *s, int64_t before, const int64_t *place) {
  int64_t pivots[PIVOTS], after = 0;
  int n = 0;
  for (int i = 0; i < PIVOTS; ++i)
    if (place[i] > 0) pivots[n++] = place[i] - 1;
  const gannet_err err = s->spec->lower(s->spec->user, n, pivots, s->ordered.n, s->ordered.entry);
  GANNET_TRY(gannet_agree(s->context->comm, err));
  gannet_ordered_arrange(&s->ordered, s->least);
  after = s->ordered.n;
  GANNET_TRY(add_up(s, 1, &after));
  s->rounds += 1;
  if ((double)after <= worth * (double)before) return GANNET_OK;
  s->poor += 1;
  if (s->poor < POOR) return GANNET_OK;
  s->rounds = GANNET_ORDERED_ROUNDS;
  s->useless = (double)after > s->spec->left * (double)s->all;
  return GANNET_OK;
}

/* Another round, if many candidates are left; *more tells whether another one may follow. While
 * fewer have a score than are wanted, all are left. */
static gannet_err begin_round(scan *s, bool *more) {
  enum { LEFT = PIVOTS };
  int64_t numbers[PIVOTS + 1];
  gannet_ordered_arrange(&s->ordered, s->least);
  offer_pivots(s, numbers);
  numbers[LEFT] = s->ordered.n;
  GANNET_TRY(add_up(s, PIVOTS + 1, numbers));
  *more = numbers[LEFT] > FEW * s->context->np && s->rounds < GANNET_ORDERED_ROUNDS;
  if (!*more || s->least == -INFINITY) return GANNET_OK;
  GANNET_TRY(lower_ceilings(s, numbers[LEFT], numbers));
  *more = s->rounds < GANNET_ORDERED_ROUNDS;
  return GANNET_OK;
}

static gannet_err score_group(scan *s, int *m) {
  *m = s->useless ? 0 : gannet_ordered_take(&s->ordered, threshold(s), s->group, s->some);
  return *m > 0 ? score_some(s, *m) : GANNET_OK;
}

/* The threshold of all ranks. */
static gannet_err share_threshold(scan *s, gannet_ranked *best) {
  GANNET_TRY(gannet_select_reduce(s->context, s->select, best));
  s->least = best[s->spec->keep - 1].score;
  return GANNET_OK;
}

/* All ranks lower ceilings by the same pivots, and score some candidates after each time. After the
 * leaders of another scan, which need not be those of this one, the threshold is not yet one to go
 * by. */
static gannet_err lower_in_rounds(scan *s, gannet_ranked *best) {
  int64_t sums[2] = {s->ordered.n, *s->spec->n_leaders};
  GANNET_TRY(add_up(s, 2, sums));
  s->all = sums[0];
  bool more = true, trusted = sums[1] == 0;
  while (more) {
    int m = 0;
    if (trusted) GANNET_TRY(begin_round(s, &more));
    GANNET_TRY(gannet_agree(s->context->comm, score_group(s, &m)));
    GANNET_TRY(share_threshold(s, best));
    trusted = true;
  }
  return GANNET_OK;
}

/* Until no other candidate of this rank can be among the best. */
static gannet_err score_in_order(scan *s) {
  for (int m = 1; m > 0 && s->holds;) GANNET_TRY(score_group(s, &m));
  return GANNET_OK;
}

/* For the next scan. */
static void remember_leaders(scan *s) {
  gannet_ordered_arrange(&s->done, -INFINITY);
  *s->spec->n_leaders = gannet_ordered_take(&s->done, -INFINITY, s->group, s->some);
  for (int i = 0; i < *s->spec->n_leaders; ++i) s->spec->leaders[i] = s->some[i].number;
}

static gannet_err finish(scan *s, gannet_ranked *best, int64_t *scored) {
  int64_t mine[3] = {s->scored, s->useless, !s->holds}, all[3];
  GANNET_TRY_MPI(MPI_Allreduce(mine, all, 3, MPI_INT64_T, MPI_SUM, s->context->comm));
  *scored = all[2] > 0 ? -1 : all[1] > 0 ? 0 : all[0];
  return *scored <= 0 ? GANNET_OK : gannet_select_reduce(s->context, s->select, best);
}

static gannet_err run(scan *s, gannet_ranked *best, int64_t *scored) {
  gannet_err err = set_up(s);
  if (err == GANNET_OK) err = take_tiles(s);
  GANNET_TRY(gannet_agree(s->context->comm, err));
  GANNET_TRY(share_threshold(s, best));
  if (s->spec->lower) GANNET_TRY(lower_in_rounds(s, best));
  GANNET_TRY(gannet_agree(s->context->comm, score_in_order(s)));
  remember_leaders(s);
  return finish(s, best, scored);
}

gannet_err gannet_ordered_scan(const gannet_context *context, const gannet_candidates *candidates,
                               const gannet_distinct *taken, const gannet_ordered_spec *spec,
                               gannet_ranked *best, int64_t *scored) {
  scan s = {.context = context, .candidates = candidates, .taken = taken, .spec = spec};
  const gannet_err err = run(&s, best, scored);
  release(&s);
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}
