#include "search/best_first.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "base/queue.h"
#include "surrogate/surrogate.h"

enum {
  GROUP = GANNET_BEST_FIRST_GROUP,
  UNIT = GANNET_BEST_FIRST_UNIT,
  GROUP_LEAST = 16,   /* fewest candidates that one rank scores in a step of its own */
  DIRECT_LIMIT = 320, /* open candidates of all ranks below which scoring beats tightening */
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

/* A candidate is another rank's, bounded, scored, or does not take part. */
enum { NOT_OWN, BOUNDED, SCORED, TAKEN };

typedef struct {
  const gannet_context *context;
  const gannet_candidates *candidates;
  const gannet_distinct *taken;
  const gannet_best_first_spec *spec;
  gannet_select *select;  /* the best scores of this rank */
  double *threshold;      /* [n_lists] as of the scores that ranks last exchanged */
  heap *open;             /* [n_lists] candidates of this rank by their bounds */
  int64_t *long_open;     /* [n_lists] length from which on a heap is cut */
  char *state;            /* [candidates] what this rank has done with the candidate */
  gannet_select *first;   /* this rank's highest bounds; NULL where ranks score together */
  gannet_select *next;    /* the same for a step, where ranks score together */
  gannet_select *seen;    /* the best scores of all ranks, where ranks score together */
  gannet_select *leaders; /* as seen, and as many as a group */
  int group_size;         /* candidates that this rank scores per step and list, by itself */
  int n_group;            /* candidates of the last step */
  candidate group[GROUP]; /* [n_group] with their bounds */
  int64_t number[GROUP];  /* [n_group] their numbers */
  double *scores;         /* [n_lists + n_notes][GROUP] their scores and notes, and one number */
  double *x;              /* [UNIT][d] */
  double *bounds;         /* [n_lists][UNIT] */
  int64_t n_scored;
  int rounds, poor_rounds; /* rounds of tightening, and those that did not help */
  bool bounds_hold;        /* false once a score exceeded its bound */
  bool given_up;           /* too many candidates are open */
} best_first;

/* Score the first m candidates of s->group, which are this rank's and have their bounds from one
 * list. */
static gannet_err score_group(best_first *s, int list, int m) {
  const gannet_best_first_spec *spec = s->spec;
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  if (m == 0) return GANNET_OK;
  s->n_group = m;
  for (int i = 0; i < m; ++i) {
    s->number[i] = s->group[i].number;
    s->state[s->number[i]] = SCORED;
    gannet_candidates_tile(s->candidates, s->number[i], 1, s->x + (size_t)i * d);
  }
  GANNET_TRY(spec->scorer(spec->user, m, s->number, s->x, s->scores, GROUP));
  for (int i = 0; i < m; ++i)
    s->bounds_hold = s->bounds_hold && !(s->scores[list * GROUP + i] > s->group[i].value);
  gannet_scan_bar(s->taken, d, m, s->x, spec->n_lists, s->scores, GROUP);
  gannet_select_offer_some(s->select, m, s->number, s->scores, GROUP);
  s->n_scored += m;
  return GANNET_OK;
}

/* The lowest bound with which a candidate is open, as far as this rank knows. */
static double least_open(const best_first *s, int list) {
  return fmax(s->threshold[list], gannet_select_least(s->select, list));
}

/* Score this rank's open candidates with the highest bounds in a list; returns how many in *m. A
 * candidate that was scored for another list does not count. */
static gannet_err score_next(best_first *s, int list, int *m) {
  const double least = least_open(s, list);
  heap *open = &s->open[list];
  candidate next;
  *m = 0;
  while (!s->given_up && *m < s->group_size && heap_take(open, least, 1, &next) > 0)
    if (s->state[next.number] == BOUNDED) s->group[(*m)++] = next;
  return score_group(s, list, *m);
}

/* Keep a long heap short: score its first candidates, and drop those that are not open then. */
static gannet_err cut_heap(best_first *s, int list) {
  heap *open = &s->open[list];
  int m = 0;
  if (open->n < s->long_open[list]) return GANNET_OK;
  heap_arrange(open, least_open(s, list));
  for (int scored = 0; scored < s->spec->keep; scored += m) {
    GANNET_TRY(score_next(s, list, &m));
    if (m == 0) break;
  }
  heap_arrange(open, least_open(s, list));
  if (2 * open->n > s->long_open[list]) s->long_open[list] = 2 * open->n;
  return GANNET_OK;
}

static gannet_err bound_unit(best_first *s, int64_t first) {
  const gannet_best_first_spec *spec = s->spec;
  const int64_t left = gannet_candidates_count(s->candidates) - first;
  const int m = left < UNIT ? (int)left : UNIT;
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  const bool by_number = spec->own_units != NULL;
  if (!by_number || s->taken) gannet_candidates_tile(s->candidates, first, m, s->x);
  GANNET_TRY(spec->bounder(spec->user, m, first, by_number ? NULL : s->x, s->bounds, UNIT));
  for (int i = 0; i < m; ++i) {
    const bool taken = s->taken && gannet_distinct_has(s->taken, s->x + (size_t)i * d);
    char *state = &s->state[first + i];
    if (*state == NOT_OWN) *state = taken ? TAKEN : BOUNDED;
    for (int l = 0; l < spec->n_lists; ++l) {
      double *bound = &s->bounds[(ptrdiff_t)l * UNIT + i];
      if (isnan(*bound)) *bound = INFINITY;
      if (*state == BOUNDED) GANNET_TRY(heap_add(&s->open[l], *bound, first + i));
      if (*state != BOUNDED || *bound == INFINITY) *bound = NAN; /* not to be scored first */
    }
  }
  if (s->first) gannet_select_offer(s->first, m, first, s->bounds, UNIT);
  for (int l = 0; l < spec->n_lists; ++l) GANNET_TRY(cut_heap(s, l));
  return GANNET_OK;
}

static gannet_err create_workspace(best_first *s) {
  const gannet_best_first_spec *spec = s->spec;
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  const size_t lists = (size_t)spec->n_lists;
  const int np = s->context->np, own = GROUP / np, share = (spec->keep + np - 1) / np + 1;
  s->group_size = spec->n_lists > 1   ? (share < GROUP ? share : GROUP)
                  : own > GROUP_LEAST ? own
                                      : GROUP_LEAST;
  GANNET_TRY(gannet_select_create(spec->n_lists, spec->keep, &s->select));
  GANNET_TRY(gannet_alloc(lists, sizeof *s->threshold, &s->threshold));
  GANNET_TRY(gannet_alloc(lists, sizeof *s->open, &s->open));
  GANNET_TRY(gannet_alloc(lists, sizeof *s->long_open, &s->long_open));
  if (spec->together) {
    GANNET_TRY(gannet_select_create(1, GROUP, &s->next));
    GANNET_TRY(gannet_select_create(1, spec->keep, &s->seen));
    GANNET_TRY(gannet_select_create(1, GROUP, &s->leaders));
  } else {
    GANNET_TRY(gannet_select_create(spec->n_lists, spec->keep, &s->first));
  }
  GANNET_TRY(
      gannet_alloc((size_t)gannet_candidates_count(s->candidates), sizeof *s->state, &s->state));
  const size_t rows = lists + (size_t)spec->n_notes;
  GANNET_TRY(gannet_alloc(rows * GROUP + 1, sizeof *s->scores, &s->scores));
  GANNET_TRY(gannet_alloc(UNIT * d, sizeof *s->x, &s->x));
  for (size_t l = 0; l < lists; ++l) {
    s->threshold[l] = -INFINITY;
    s->long_open[l] = GANNET_BEST_FIRST_LONG;
  }
  return gannet_alloc(lists * UNIT, sizeof *s->bounds, &s->bounds);
}

/* Bound the candidates of this rank, but for leaders. */
static gannet_err bound_candidates(best_first *s) {
  const gannet_best_first_spec *spec = s->spec;
  const int64_t units = (gannet_candidates_count(s->candidates) + UNIT - 1) / UNIT;
  gannet_err err = create_workspace(s);
  for (int i = 0; err == GANNET_OK && spec->together && i < *spec->n_leaders; ++i)
    s->state[spec->leaders[i]] = SCORED;
  for (int64_t u = 0; spec->own_units && err == GANNET_OK && u < units; ++u)
    if (spec->own_units[u]) err = bound_unit(s, u * UNIT);
  if (!spec->own_units) { /* a rank that has failed takes its turns: the others count on it */
    gannet_queue queue = gannet_queue_open(s->context, units);
    for (int64_t u; err == GANNET_OK && (u = gannet_queue_next(&queue)) >= 0;)
      err = bound_unit(s, u * UNIT);
    gannet_queue_close(&queue);
  }
  for (int l = 0; err == GANNET_OK && l < spec->n_lists; ++l) heap_arrange(&s->open[l], -INFINITY);
  return err;
}

/* Score the candidates with the highest bounds of every list over all ranks: as many as are kept,
 * so that the list has a threshold. best: [n_lists][keep] scratch */
static gannet_err score_first(best_first *s, gannet_ranked *best) {
  const int keep = s->spec->keep;
  GANNET_TRY(gannet_select_reduce(s->context, s->first, best));
  gannet_err err = GANNET_OK;
  for (int l = 0; l < s->spec->n_lists; ++l) {
    int m = 0;
    for (int i = 0; i < keep && err == GANNET_OK; ++i) {
      const gannet_ranked next = best[(ptrdiff_t)l * keep + i];
      const bool own = next.index >= 0 && s->state[next.index] == BOUNDED;
      if (own) s->group[m++] = (candidate){next.score, next.index};
      if (m < GROUP && i + 1 < keep) continue;
      err = score_group(s, l, m);
      m = 0;
    }
  }
  return gannet_agree(s->context->comm, err);
}

static gannet_err share_thresholds(best_first *s, gannet_ranked *best) {
  const int keep = s->spec->keep;
  GANNET_TRY(gannet_select_reduce(s->context, s->select, best));
  for (int l = 0; l < s->spec->n_lists; ++l)
    s->threshold[l] = best[(ptrdiff_t)(l + 1) * keep - 1].score;
  return GANNET_OK;
}

static gannet_err sum_over_ranks(const best_first *s, int n, int64_t *numbers) {
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, numbers, n, MPI_INT64_T, MPI_SUM, s->context->comm));
  return GANNET_OK;
}

/* Give up when too many candidates are open; one that is open in several lists counts in each. */
static gannet_err count_open(best_first *s) {
  int64_t open = 0;
  for (int l = 0; l < s->spec->n_lists; ++l) {
    heap_arrange(&s->open[l], s->threshold[l]);
    for (int64_t i = 0; i < s->open[l].n; ++i)
      open += s->state[s->open[l].entry[i].number] == BOUNDED;
  }
  GANNET_TRY(sum_over_ranks(s, 1, &open));
  s->given_up = (double)open > s->spec->open_share * (double)gannet_candidates_count(s->candidates);
  return GANNET_OK;
}

/* Score s->group, n candidates of any rank that are the same on all, each rank some of them. */
static gannet_err score_group_together(best_first *s, int n) {
  const gannet_best_first_spec *spec = s->spec;
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  const int np = s->context->np, rank = s->context->rank;
  const int first = n * rank / np, m = n * (rank + 1) / np - first;
  const size_t size = (1 + (size_t)spec->n_notes) * (size_t)n + 1;
  double *failed = &s->scores[size - 1];
  gannet_err err = GANNET_OK;
  s->n_group = n;
  memset(s->scores, 0, size * sizeof *s->scores);
  for (int i = 0; i < n; ++i) s->number[i] = s->group[i].number;
  for (int i = 0; i < m; ++i)
    gannet_candidates_tile(s->candidates, s->number[first + i], 1, s->x + (size_t)i * d);
  if (m > 0) err = spec->scorer(spec->user, m, s->number + first, s->x, s->scores + first, n);
  gannet_scan_bar(s->taken, d, m, s->x, 1, s->scores + first, n);
  *failed = err != GANNET_OK;
  if (np > 1) GANNET_TRY(gannet_partition_gather(s->context->comm, size, s->scores));
  if (*failed > 0) return gannet_agree(s->context->comm, err);
  for (int i = 0; i < n; ++i)
    s->bounds_hold = s->bounds_hold && !(s->scores[i] > s->group[i].value);
  gannet_select_offer_some(s->select, m, s->number + first, s->scores + first, n);
  gannet_select_offer_some(s->seen, n, s->number, s->scores, n);
  gannet_select_offer_some(s->leaders, n, s->number, s->scores, n);
  s->threshold[0] = fmax(s->threshold[0], gannet_select_least(s->seen, 0));
  if (spec->noter) spec->noter(spec->user, n, s->number, s->scores + n, n);
  s->n_scored += m;
  return GANNET_OK;
}

/* Score the open candidates of all ranks with the highest bounds; *n tells how many. Fewer than
 * GROUP are all that were open. */
static gannet_err score_next_together(best_first *s, int *n) {
  heap *open = s->open;
  candidate own[GROUP];
  int64_t number[GROUP];
  double bounds[GROUP];
  gannet_ranked next[GROUP];
  heap_arrange(open, s->threshold[0]);
  const int m = heap_take(open, -INFINITY, GROUP, own);
  for (int i = 0; i < m; ++i) {
    number[i] = own[i].number;
    bounds[i] = own[i].value;
  }
  gannet_select_clear(s->next);
  gannet_select_offer_some(s->next, m, number, bounds, GROUP);
  GANNET_TRY(gannet_select_reduce(s->context, s->next, next));
  for (*n = 0; *n < GROUP && next[*n].index >= 0; ++*n)
    s->group[*n] = (candidate){next[*n].score, next[*n].index};
  for (int i = 0; i < m; ++i) {
    if (*n < GROUP || !is_before(&s->group[GROUP - 1], &own[i]))
      s->state[own[i].number] = SCORED;
    else
      open->entry[open->n++] = own[i];
  }
  return *n > 0 ? score_group_together(s, *n) : GANNET_OK;
}

/* This rank's share of the pivots: half of them from the last group that was scored, half spread
 * over its open candidates. pivot: [PIVOTS] number + 1, 0 = none or another rank's */
static void offer_pivots(const best_first *s, int64_t *pivot) {
  const int np = s->context->np, rank = s->context->rank, scored = PIVOTS / 2;
  const int first = scored + (PIVOTS - scored) * rank / np;
  const int spread = scored + (PIVOTS - scored) * (rank + 1) / np - first;
  for (int i = 0; i < PIVOTS; ++i) pivot[i] = 0;
  for (int i = 0; rank == 0 && i < scored && i < s->n_group; ++i) pivot[i] = s->number[i] + 1;
  for (int i = 0; i < spread && s->open->n > 0; ++i) {
    const int64_t at = (int64_t)((double)s->open->n * (i + 0.5) / spread);
    pivot[first + i] = s->open->entry[at].number + 1;
  }
}

/* One round of tightening, if many candidates are open; *more tells whether another round may
 * follow. While fewer candidates have a score than are kept, there is no threshold, and all stay
 * open. */
static gannet_err tighten_once(best_first *s, bool *more) {
  const double least = s->threshold[0];
  int64_t shared[PIVOTS + 1], pivots[PIVOTS], after;
  int n = 0;
  heap_arrange(s->open, least);
  offer_pivots(s, shared);
  shared[PIVOTS] = s->open->n;
  GANNET_TRY(sum_over_ranks(s, PIVOTS + 1, shared));
  const int64_t before = shared[PIVOTS];
  *more = before > DIRECT_LIMIT && s->rounds < ROUNDS;
  if (!*more || least == -INFINITY) return GANNET_OK;
  for (int i = 0; i < PIVOTS; ++i)
    if (shared[i] > 0) pivots[n++] = shared[i] - 1;
  const gannet_err err = s->spec->tightener(s->spec->user, n, pivots, s->open->n, s->open->entry);
  GANNET_TRY(gannet_agree(s->context->comm, err));
  heap_arrange(s->open, least);
  after = s->open->n;
  GANNET_TRY(sum_over_ranks(s, 1, &after));
  s->rounds += 1;
  s->poor_rounds += (double)after > helpful_share * (double)before;
  *more = s->rounds < ROUNDS && s->poor_rounds < POOR_ROUNDS;
  if (s->poor_rounds == POOR_ROUNDS)
    s->given_up =
        (double)after > s->spec->open_share * (double)gannet_candidates_count(s->candidates);
  return GANNET_OK;
}

/* Score the leaders, then tighten bounds, with a group scored before the first round and after
 * each. A step that scores all that is open ends the scan. */
static gannet_err find_together(best_first *s, gannet_ranked *best) {
  const gannet_best_first_spec *spec = s->spec;
  bool more = true;
  int n = *spec->n_leaders, n_first = 0;
  GANNET_TRY(gannet_agree(s->context->comm, bound_candidates(s)));
  int64_t broken = !s->bounds_hold; /* by what this rank alone scored to cut its heap */
  GANNET_TRY(sum_over_ranks(s, 1, &broken));
  s->bounds_hold = broken == 0;
  if (gannet_candidates_count(s->candidates) > GANNET_BEST_FIRST_LONG)
    GANNET_TRY(share_thresholds(s, best)); /* long heaps were cut */
  for (int i = 0; i < n; ++i) s->group[i] = (candidate){INFINITY, spec->leaders[i]};
  if (n > 0) GANNET_TRY(score_group_together(s, n));
  do {
    GANNET_TRY(score_next_together(s, &n));
    n_first += n;
  } while (!spec->tightener && n == GROUP && n_first < spec->keep);
  if (!spec->tightener) GANNET_TRY(count_open(s));
  while (spec->tightener && more && n == GROUP && s->bounds_hold) {
    GANNET_TRY(tighten_once(s, &more));
    if (!s->given_up) GANNET_TRY(score_next_together(s, &n));
  }
  while (n == GROUP && s->bounds_hold && !s->given_up) GANNET_TRY(score_next_together(s, &n));
  const gannet_ranked *leader = gannet_select_list(s->leaders, 0);
  for (n = 0; n < GROUP && leader[n].index >= 0; ++n) spec->leaders[n] = leader[n].index;
  *spec->n_leaders = n;
  return GANNET_OK;
}

static gannet_err find_best(best_first *s, gannet_ranked *best, int64_t *scored) {
  if (s->spec->together) {
    GANNET_TRY(find_together(s, best));
  } else {
    GANNET_TRY(gannet_agree(s->context->comm, bound_candidates(s)));
    GANNET_TRY(score_first(s, best));
    GANNET_TRY(share_thresholds(s, best));
    GANNET_TRY(count_open(s));
    gannet_err err = GANNET_OK; /* until no candidate of this rank is open in any list */
    for (int l = 0; l < s->spec->n_lists; ++l)
      for (int m = 1; err == GANNET_OK && m > 0 && s->bounds_hold;) err = score_next(s, l, &m);
    GANNET_TRY(gannet_agree(s->context->comm, err));
  }
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
                  .bounds_hold = true};
  const gannet_err err = find_best(&s, best, scored);
  gannet_select_destroy(&s.select);
  gannet_select_destroy(&s.first);
  gannet_select_destroy(&s.next);
  gannet_select_destroy(&s.seen);
  gannet_select_destroy(&s.leaders);
  for (int l = 0; s.open && l < spec->n_lists; ++l) gannet_free(&s.open[l].entry);
  gannet_free(&s.open);
  gannet_free(&s.threshold);
  gannet_free(&s.long_open);
  gannet_free(&s.state);
  gannet_free(&s.scores);
  gannet_free(&s.x);
  gannet_free(&s.bounds);
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}
