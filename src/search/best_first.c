#include "search/best_first.h"

#include <math.h>

#include "base/memory.h"
#include "surrogate/surrogate.h"

enum {
  GROUP = GANNET_BEST_FIRST_GROUP,
  GROUP_LEAST = 16,   /* fewest candidates that one rank scores in a step */
  DIRECT_LIMIT = 320, /* open candidates per rank below which scoring beats tightening */
  PIVOTS = GANNET_BEST_FIRST_PIVOTS,
  ROUNDS = GANNET_BEST_FIRST_ROUNDS,
  POOR_ROUNDS = 2 /* tighten no more after so many rounds that did not help */
};

/* A round of tightening helps when it leaves at most this share of the open candidates. */
static const double helpful_share = 0.75;

typedef gannet_best_first_candidate candidate;

/* Candidates, of which the first in the order of the scan can be taken once they are a heap. */
typedef struct {
  int64_t n, room;
  candidate *entry; /* [room] */
} heap;

static gannet_err heap_add(heap *h, double value, int64_t number) {
  if (h->n == h->room) {
    const size_t room = h->room > 0 ? 2 * (size_t)h->room : 1024;
    GANNET_TRY(gannet_resize((size_t)h->room, room, sizeof *h->entry, &h->entry));
    h->room = (int64_t)room;
  }
  h->entry[h->n++] = (candidate){value, number};
  return GANNET_OK;
}

static bool is_before(const candidate *a, const candidate *b) {
  return a->value > b->value || (a->value == b->value && a->number < b->number);
}

static void heap_sink(heap *h, int64_t i) {
  const candidate moved = h->entry[i];
  for (int64_t child; (child = 2 * i + 1) < h->n; i = child) {
    if (child + 1 < h->n && is_before(&h->entry[child + 1], &h->entry[child])) ++child;
    if (!is_before(&h->entry[child], &moved)) break;
    h->entry[i] = h->entry[child];
  }
  h->entry[i] = moved;
}

/* Drop the candidates with a value below the least, and make a heap of the others. */
static void heap_arrange(heap *h, double least) {
  int64_t n = 0;
  for (int64_t i = 0; i < h->n; ++i)
    if (h->entry[i].value >= least) h->entry[n++] = h->entry[i];
  h->n = n;
  for (int64_t i = h->n / 2; i-- > 0;) heap_sink(h, i);
}

/* Take the first candidates, at most so many, and only while values are not below the least;
 * returns their number. */
static int heap_take(heap *h, double least, int most, candidate *taken) {
  int n = 0;
  while (n < most && h->n > 0 && h->entry[0].value >= least) {
    taken[n++] = h->entry[0];
    h->entry[0] = h->entry[--h->n];
    if (h->n > 0) heap_sink(h, 0);
  }
  return n;
}

typedef struct {
  const gannet_context *context;
  const gannet_candidates *candidates;
  const gannet_distinct *taken;
  const gannet_best_first_spec *spec;
  gannet_select *select;  /* the best scores of this rank */
  double threshold;       /* as it was when the ranks last exchanged their best scores */
  heap open;              /* candidates of this rank that are not scored, by their bounds */
  heap done;              /* candidates that this rank scored, by their scores */
  int group_size;         /* candidates that this rank scores per step */
  int n_group;            /* candidates of the last step */
  candidate group[GROUP]; /* [n_group] with their bounds */
  int64_t number[GROUP];  /* [n_group] their numbers */
  double scores[GROUP];   /* [n_group] their scores */
  double *x;              /* [GANNET_TILE][d] */
  double bounds[GANNET_TILE];
  int64_t n_scored;
  int64_t n_all;           /* open candidates of all ranks before the first round of tightening */
  int rounds, poor_rounds; /* rounds of tightening, and those that did not help */
  bool bounds_hold;        /* false once a score exceeded its bound */
  bool given_up;           /* too many candidates are open */
} best_first;

/* Score the first m candidates of s->group. */
static gannet_err score_group(best_first *s, int m) {
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  if (m == 0) return GANNET_OK;
  s->n_group = m;
  for (int i = 0; i < m; ++i) {
    s->number[i] = s->group[i].number;
    gannet_candidates_tile(s->candidates, s->number[i], 1, s->x + (size_t)i * d);
  }
  GANNET_TRY(s->spec->scorer(s->spec->user, m, s->number, s->x, s->scores));
  for (int i = 0; i < m; ++i)
    s->bounds_hold = s->bounds_hold && !(s->scores[i] > s->group[i].value);
  gannet_scan_bar(s->taken, d, m, s->x, 1, s->scores, m);
  gannet_select_offer_some(s->select, m, s->number, s->scores, m);
  for (int i = 0; i < m; ++i)
    if (!isnan(s->scores[i])) GANNET_TRY(heap_add(&s->done, s->scores[i], s->number[i]));
  s->n_scored += m;
  return GANNET_OK;
}

static bool is_leader(const gannet_best_first_spec *spec, int64_t number) {
  for (int i = 0; i < *spec->n_leaders; ++i)
    if (spec->leaders[i] == number) return true;
  return false;
}

/* Bound the candidates of this rank's tiles. Then score the leaders, or without leaders the
 * candidates with the highest bounds. */
static gannet_err bound_candidates(best_first *s) {
  const gannet_best_first_spec *spec = s->spec;
  const int64_t n = gannet_candidates_count(s->candidates);
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  const int own = GROUP / s->context->np;
  s->group_size = own > GROUP_LEAST ? own : GROUP_LEAST;
  GANNET_TRY(gannet_select_create(1, spec->keep, &s->select));
  GANNET_TRY(gannet_alloc(GANNET_TILE * d, sizeof *s->x, &s->x));
  for (int64_t first = 0; first < n; first += GANNET_TILE) {
    const int m = n - first < GANNET_TILE ? (int)(n - first) : GANNET_TILE;
    if (!spec->own_tiles[first / GANNET_TILE]) continue;
    GANNET_TRY(spec->bounder(spec->user, m, first, s->bounds));
    if (s->taken) gannet_candidates_tile(s->candidates, first, m, s->x);
    for (int i = 0; i < m; ++i) {
      const double bound = isnan(s->bounds[i]) ? INFINITY : s->bounds[i];
      const bool barred = s->taken && gannet_distinct_has(s->taken, s->x + (size_t)i * d);
      if (!barred && !is_leader(spec, first + i)) GANNET_TRY(heap_add(&s->open, bound, first + i));
    }
  }
  heap_arrange(&s->open, -INFINITY);
  int m = *spec->n_leaders;
  for (int i = 0; i < m; ++i) s->group[i] = (candidate){INFINITY, spec->leaders[i]};
  if (m == 0) m = heap_take(&s->open, -INFINITY, s->group_size, s->group);
  return score_group(s, m);
}

/* Score this rank's candidates with the highest bounds; returns how many were not below the
 * threshold in *m. */
static gannet_err score_next(best_first *s, int *m) {
  const double threshold = fmax(s->threshold, gannet_select_least(s->select, 0));
  *m = s->given_up ? 0 : heap_take(&s->open, threshold, s->group_size, s->group);
  return score_group(s, *m);
}

static gannet_err share_threshold(best_first *s, gannet_ranked *best) {
  GANNET_TRY(gannet_select_reduce(s->context, s->select, best));
  s->threshold = best[s->spec->keep - 1].score;
  return GANNET_OK;
}

static gannet_err sum_over_ranks(const best_first *s, int n, int64_t *numbers) {
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, numbers, n, MPI_INT64_T, MPI_SUM, s->context->comm));
  return GANNET_OK;
}

/* This rank's share of the pivots: half of them from the last group that it scored, half spread
 * over its open candidates. pivot: [PIVOTS] number + 1, 0 = none or another rank's */
static void offer_pivots(const best_first *s, int64_t *pivot) {
  const int np = s->context->np, rank = s->context->rank;
  const int first = PIVOTS * rank / np, end = PIVOTS * (rank + 1) / np;
  const int scored = (end - first + rank % 2) / 2, spread = end - first - scored;
  for (int i = 0; i < PIVOTS; ++i) pivot[i] = 0;
  for (int i = 0; i < scored && i < s->n_group; ++i) pivot[first + i] = s->number[i] + 1;
  for (int i = 0; i < spread && s->open.n > 0; ++i) {
    const int64_t at = (int64_t)((double)s->open.n * (i + 0.5) / spread);
    pivot[first + scored + i] = s->open.entry[at].number + 1;
  }
}

/* One round of tightening, if many candidates are open; *more tells whether another round may
 * follow. While fewer candidates have a score than are kept, there is no threshold, and all stay
 * open. */
static gannet_err tighten_once(best_first *s, bool *more) {
  int64_t shared[PIVOTS + 1], pivots[PIVOTS], after;
  int n = 0;
  heap_arrange(&s->open, s->threshold);
  offer_pivots(s, shared);
  shared[PIVOTS] = s->open.n;
  GANNET_TRY(sum_over_ranks(s, PIVOTS + 1, shared));
  const int64_t before = shared[PIVOTS];
  *more = before > DIRECT_LIMIT * s->context->np && s->rounds < ROUNDS;
  if (!*more || s->threshold == -INFINITY) return GANNET_OK;
  for (int i = 0; i < PIVOTS; ++i)
    if (shared[i] > 0) pivots[n++] = shared[i] - 1;
  const gannet_err err = s->spec->tightener(s->spec->user, n, pivots, s->open.n, s->open.entry);
  GANNET_TRY(gannet_agree(s->context->comm, err));
  heap_arrange(&s->open, s->threshold);
  after = s->open.n;
  GANNET_TRY(sum_over_ranks(s, 1, &after));
  s->rounds += 1;
  s->poor_rounds += (double)after > helpful_share * (double)before;
  *more = s->rounds < ROUNDS && s->poor_rounds < POOR_ROUNDS;
  if (s->poor_rounds == POOR_ROUNDS)
    s->given_up = (double)after > s->spec->open_share * (double)s->n_all;
  return GANNET_OK;
}

/* All ranks tighten bounds by the same pivots, and score a group after each round. Leaders of an
 * earlier scan need not be the best of this one: after them the threshold is not yet one to tighten
 * by, and the first group is scored without a round before it. */
static gannet_err tighten_bounds(best_first *s, gannet_ranked *best) {
  int64_t sums[2] = {s->open.n, *s->spec->n_leaders};
  GANNET_TRY(sum_over_ranks(s, 2, sums));
  s->n_all = sums[0];
  bool more = true, trusted = sums[1] == 0;
  while (more) {
    int m = 0;
    if (trusted) GANNET_TRY(tighten_once(s, &more));
    GANNET_TRY(gannet_agree(s->context->comm, score_next(s, &m)));
    GANNET_TRY(share_threshold(s, best));
    trusted = true;
  }
  return GANNET_OK;
}

/* Score until no other candidate of this rank can be among the best. */
static gannet_err score_best_first(best_first *s) {
  for (int m = 1; m > 0 && s->bounds_hold;) GANNET_TRY(score_next(s, &m));
  return GANNET_OK;
}

static gannet_err find_best(best_first *s, gannet_ranked *best, int64_t *scored) {
  const gannet_best_first_spec *spec = s->spec;
  GANNET_TRY(gannet_agree(s->context->comm, bound_candidates(s)));
  GANNET_TRY(share_threshold(s, best));
  if (spec->tightener) GANNET_TRY(tighten_bounds(s, best));
  GANNET_TRY(gannet_agree(s->context->comm, score_best_first(s)));
  heap_arrange(&s->done, -INFINITY);
  *spec->n_leaders = heap_take(&s->done, -INFINITY, s->group_size, s->group);
  for (int i = 0; i < *spec->n_leaders; ++i) spec->leaders[i] = s->group[i].number;
  int64_t sums[3] = {s->n_scored, s->given_up, !s->bounds_hold};
  GANNET_TRY(sum_over_ranks(s, 3, sums));
  *scored = sums[2] > 0 ? -1 : sums[1] > 0 ? 0 : sums[0];
  return *scored <= 0 ? GANNET_OK : gannet_select_reduce(s->context, s->select, best);
}

gannet_err gannet_best_first_scan(const gannet_context *context,
                                  const gannet_candidates *candidates, const gannet_distinct *taken,
                                  const gannet_best_first_spec *spec, gannet_ranked *best,
                                  int64_t *scored) {
  best_first s = {.context = context,
                  .candidates = candidates,
                  .taken = taken,
                  .spec = spec,
                  .threshold = -INFINITY,
                  .bounds_hold = true};
  const gannet_err err = find_best(&s, best, scored);
  gannet_select_destroy(&s.select);
  gannet_free(&s.open.entry);
  gannet_free(&s.done.entry);
  gannet_free(&s.x);
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}
