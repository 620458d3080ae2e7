#include "search/screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "surrogate/surrogate.h"

enum { PLACES = GANNET_SCREEN_PLACES };

typedef struct {
  int64_t index;
  double lower, upper;
} entry;

typedef struct {
  const gannet_context *context;
  const gannet_candidates *candidates;
  const gannet_distinct *taken;
  const gannet_screen_spec *spec;
  gannet_select *lows; /* the best lower bounds */
  gannet_select *select;
  entry *waiting;   /* [n_lists][PLACES] */
  int *n_waiting;   /* [n_lists] */
  int64_t *numbers; /* [n_lists * PLACES] of candidates that are scored, ascending */
  int n_numbers;
  double *x;            /* [GANNET_TILE][d] */
  double *lower;        /* [n_lists][GANNET_TILE]; later the scores */
  double *upper;        /* [n_lists][GANNET_TILE] */
  gannet_ranked *least; /* [n_lists][keep] */
  bool useless;         /* too many wait, or a bound was wrong */
} screen;

static gannet_err set_up(screen *s) {
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  const size_t lists = (size_t)s->spec->n_lists, keep = (size_t)s->spec->keep;
  GANNET_TRY(gannet_select_create(s->spec->n_lists, s->spec->keep, &s->lows));
  GANNET_TRY(gannet_select_create(s->spec->n_lists, s->spec->keep, &s->select));
  GANNET_TRY(gannet_alloc(lists * PLACES, sizeof *s->waiting, &s->waiting));
  GANNET_TRY(gannet_alloc(lists, sizeof *s->n_waiting, &s->n_waiting));
  GANNET_TRY(gannet_alloc(lists * PLACES, sizeof *s->numbers, &s->numbers));
  GANNET_TRY(gannet_alloc(d * GANNET_TILE, sizeof *s->x, &s->x));
  GANNET_TRY(gannet_alloc(lists * GANNET_TILE, sizeof *s->lower, &s->lower));
  GANNET_TRY(gannet_alloc(lists * GANNET_TILE, sizeof *s->upper, &s->upper));
  return gannet_alloc(lists * keep, sizeof *s->least, &s->least);
}

static void release(screen *s) {
  gannet_select_destroy(&s->lows);
  gannet_select_destroy(&s->select);
  gannet_free(&s->waiting);
  gannet_free(&s->n_waiting);
  gannet_free(&s->numbers);
  gannet_free(&s->x);
  gannet_free(&s->lower);
  gannet_free(&s->upper);
  gannet_free(&s->least);
}

/* Points that may not win get NAN, which no list keeps and no comparison lets pass. */
static void bar_taken(const screen *s, int m, double *lower, double *upper) {
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  for (int i = 0; s->taken && i < m; ++i) {
    if (!gannet_distinct_has(s->taken, s->x + (size_t)i * d)) continue;
    for (int l = 0; l < s->spec->n_lists; ++l)
      lower[l * GANNET_TILE + i] = upper[l * GANNET_TILE + i] = NAN;
  }
}

static int filter(int n, entry *entries, double threshold) {
  int kept = 0;
  for (int i = 0; i < n; ++i)
    if (entries[i].upper >= threshold) entries[kept++] = entries[i];
  return kept;
}

/* Candidates of a tile whose upper bound reaches the threshold so far, which only rises. */
static void wait_for(screen *s, int list, int m, int64_t first) {
  const double *lower = s->lower + (ptrdiff_t)list * GANNET_TILE;
  const double *upper = s->upper + (ptrdiff_t)list * GANNET_TILE;
  const double threshold = gannet_select_least(s->lows, list);
  entry *mine = s->waiting + (ptrdiff_t)list * PLACES;
  int n = s->n_waiting[list];
  for (int i = 0; i < m && !s->useless; ++i) {
    if (!(upper[i] >= threshold)) continue;
    if (n == PLACES) {
      n = filter(n, mine, threshold);
      s->useless = n > PLACES / 2;
    }
    if (n < PLACES) mine[n++] = (entry){first + i, lower[i], upper[i]};
  }
  s->n_waiting[list] = n;
}

/* Candidates from here on do not fill a group. */
static int64_t whole_groups(const screen *s) {
  const int64_t n = gannet_candidates_count(s->candidates);
  return s->spec->group > 0 ? n - n % s->spec->group : n;
}

/* The last ones are scored in any case, all of them and together, as a scan does. */
static void unbound_last(const screen *s, int m, int64_t first) {
  const int64_t from = whole_groups(s) - first;
  for (int l = 0; l < s->spec->n_lists; ++l)
    for (int i = from > 0 ? (int)from : 0; i < m; ++i) {
      s->lower[l * GANNET_TILE + i] = -INFINITY;
      s->upper[l * GANNET_TILE + i] = INFINITY;
    }
}

static gannet_err bound_tile(screen *s, int64_t first) {
  const int64_t left = gannet_candidates_count(s->candidates) - first;
  const int m = left < GANNET_TILE ? (int)left : GANNET_TILE;
  gannet_candidates_tile(s->candidates, first, m, s->x);
  GANNET_TRY(s->spec->bounder(s->spec->user, m, s->x, first, s->lower, s->upper, GANNET_TILE));
  bar_taken(s, m, s->lower, s->upper);
  if (first + m > whole_groups(s)) unbound_last(s, m, first);
  gannet_select_offer(s->lows, m, first, s->lower, GANNET_TILE);
  for (int l = 0; l < s->spec->n_lists; ++l) wait_for(s, l, m, first);
  return GANNET_OK;
}

/* A rank that is not able to anything takes its turns, too, which others count on. */
static gannet_err bound_tiles(screen *s, gannet_err err) {
  gannet_queue queue = gannet_scan_queue(s->context, s->candidates);
  for (int64_t tile; err == GANNET_OK && !s->useless && (tile = gannet_queue_next(&queue)) >= 0;)
    err = bound_tile(s, tile * GANNET_TILE);
  gannet_queue_close(&queue);
  return err;
}

static int by_number(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* What passes by the thresholds of all ranks, every number once. */
static void collect(screen *s) {
  const int keep = s->spec->keep;
  int n = 0;
  for (int l = 0; l < s->spec->n_lists; ++l) {
    entry *mine = s->waiting + (ptrdiff_t)l * PLACES;
    s->n_waiting[l] = filter(s->n_waiting[l], mine, s->least[(ptrdiff_t)(l + 1) * keep - 1].score);
    if (s->n_waiting[l] > PLACES / 2) s->useless = true;
    for (int i = 0; i < s->n_waiting[l]; ++i) s->numbers[n++] = mine[i].index;
  }
  qsort(s->numbers, (size_t)n, sizeof *s->numbers, by_number);
  for (int i = 0; i < n; ++i)
    if (i == 0 || s->numbers[i] != s->numbers[i - 1]) s->numbers[s->n_numbers++] = s->numbers[i];
}

/* A score that is NAN ranks nowhere, so a finite lower bound of it would raise the threshold. */
static bool is_inside(double score, const entry *e) {
  return isnan(score) ? !isfinite(e->lower) : e->lower <= score && score <= e->upper;
}

/* Whether the scores of these m candidates are inside their bounds. */
static bool bounds_hold(const screen *s, int m, const int64_t *numbers, const double *scores) {
  for (int l = 0; l < s->spec->n_lists; ++l)
    for (int i = 0; i < s->n_waiting[l]; ++i) {
      const entry *e = &s->waiting[(ptrdiff_t)l * PLACES + i];
      const int64_t *at = bsearch(&e->index, numbers, (size_t)m, sizeof *numbers, by_number);
      if (at && !is_inside(scores[l * GANNET_TILE + (at - numbers)], e)) return false;
    }
  return true;
}

/* m candidates, of which the last one is repeated to make up total. */
static gannet_err score_some(screen *s, int m, const int64_t *numbers, int total) {
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  double *scores = s->lower;
  for (int i = 0; i < total; ++i)
    gannet_candidates_tile(s->candidates, numbers[i < m ? i : m - 1], 1, s->x + (size_t)i * d);
  GANNET_TRY(s->spec->scorer(s->spec->user, total, s->x, -1, scores, GANNET_TILE));
  bar_taken(s, m, scores, scores);
  if (!bounds_hold(s, m, numbers, scores)) s->useless = true;
  gannet_select_offer_some(s->select, m, numbers, scores, GANNET_TILE);
  return GANNET_OK;
}

static gannet_err score_waiting(screen *s) {
  const int group = s->spec->group > 0 ? s->spec->group : 1;
  const int64_t last = whole_groups(s);
  int n = 0;
  collect(s);
  while (n < s->n_numbers && s->numbers[n] < last) ++n;
  for (int first = 0; first < n && !s->useless; first += GANNET_TILE) {
    const int left = n - first, m = left < GANNET_TILE ? left : GANNET_TILE;
    GANNET_TRY(score_some(s, m, s->numbers + first, (m + group - 1) / group * group));
  }
  if (n == s->n_numbers || s->useless) return GANNET_OK;
  return score_some(s, s->n_numbers - n, s->numbers + n, s->n_numbers - n);
}

/* A useless screen on one rank is one on all. */
static gannet_err agree_on_use(screen *s, gannet_screen_report *report) {
  int64_t mine[2] = {s->n_numbers, s->useless}, all[2];
  GANNET_TRY_MPI(MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_SUM, s->context->comm));
  *report = (gannet_screen_report){.scored = all[0], .complete = all[1] > 0};
  return GANNET_OK;
}

/* The report is complete where bounds were of no use, and best is not set then. */
static gannet_err run(screen *s, gannet_ranked *best, gannet_screen_report *report) {
  GANNET_TRY(gannet_select_reduce(s->context, s->lows, s->least));
  GANNET_TRY(gannet_agree(s->context->comm, score_waiting(s)));
  GANNET_TRY(agree_on_use(s, report));
  return report->complete ? GANNET_OK : gannet_select_reduce(s->context, s->select, best);
}

static gannet_err attempt(screen s, gannet_ranked *best, gannet_screen_report *report) {
  gannet_err err = bound_tiles(&s, set_up(&s));
  err = gannet_agree(s.context->comm, err);
  if (err == GANNET_OK) err = run(&s, best, report);
  release(&s);
  return err;
}

/* As long as there are sharper bounds. */
static gannet_err try_bounds(const screen *s, gannet_ranked *best, gannet_screen_report *report) {
  bool again = true;
  while (again) {
    again = false;
    GANNET_TRY(attempt(*s, best, report));
    if (!report->complete || !s->spec->sharpen) continue;
    GANNET_TRY(s->spec->sharpen(s->spec->user, &again));
    GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &again, 1, MPI_C_BOOL, MPI_LAND, s->context->comm));
  }
  return GANNET_OK;
}

gannet_err gannet_screen(const gannet_context *context, const gannet_candidates *candidates,
                         const gannet_distinct *taken, const gannet_screen_spec *spec,
                         gannet_ranked *best, gannet_screen_report *report) {
  const screen s = {.context = context, .candidates = candidates, .taken = taken, .spec = spec};
  gannet_screen_report own;
  GANNET_TRY(try_bounds(&s, best, &own));
  if (own.complete) {
    own.scored = gannet_candidates_count(candidates);
    GANNET_TRY(gannet_scan(context, candidates, taken, spec->n_lists, spec->keep, spec->scorer,
                           spec->user, best));
  }
  if (report) *report = own;
  return GANNET_OK;
}
