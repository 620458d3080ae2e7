#include "search/screen.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "surrogate/surrogate.h"

/* Candidates of a list that may wait on a rank to be scored. If more than half of them still do
 * after all tiles, bounds are of no use. */
enum { WAITING_MOST = 1024 };

typedef struct {
  int64_t number;
  double lower, upper;
} bounded;

typedef struct {
  const gannet_context *context;
  const gannet_candidates *candidates;
  const gannet_distinct *taken;
  const gannet_screen_spec *spec;
  int64_t n_whole;       /* candidates from this number on do not fill a group */
  gannet_select *lows;   /* the best lower bounds */
  gannet_select *select; /* the best scores */
  bounded *waiting;      /* [n_lists][WAITING_MOST] */
  int *n_waiting;        /* [n_lists] */
  int64_t *numbers;      /* [n_lists * WAITING_MOST] of candidates that are scored, ascending */
  int n_numbers;
  double *x;            /* [GANNET_TILE][d] */
  double *lower;        /* [n_lists][GANNET_TILE]; later the scores */
  double *upper;        /* [n_lists][GANNET_TILE] */
  gannet_ranked *least; /* [n_lists][keep] best lower bounds of all ranks */
  bool useless;         /* too many candidates wait, or a score was outside its bounds */
} screen;

static gannet_err screen_init(screen *s) {
  const int64_t n = gannet_candidates_count(s->candidates);
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  const size_t lists = (size_t)s->spec->n_lists, keep = (size_t)s->spec->keep;
  s->n_whole = s->spec->group > 0 ? n - n % s->spec->group : n;
  GANNET_TRY(gannet_select_create(s->spec->n_lists, s->spec->keep, &s->lows));
  GANNET_TRY(gannet_select_create(s->spec->n_lists, s->spec->keep, &s->select));
  GANNET_TRY(gannet_alloc(lists * WAITING_MOST, sizeof *s->waiting, &s->waiting));
  GANNET_TRY(gannet_alloc(lists, sizeof *s->n_waiting, &s->n_waiting));
  GANNET_TRY(gannet_alloc(lists * WAITING_MOST, sizeof *s->numbers, &s->numbers));
  GANNET_TRY(gannet_alloc(d * GANNET_TILE, sizeof *s->x, &s->x));
  GANNET_TRY(gannet_alloc(lists * GANNET_TILE, sizeof *s->lower, &s->lower));
  GANNET_TRY(gannet_alloc(lists * GANNET_TILE, sizeof *s->upper, &s->upper));
  return gannet_alloc(lists * keep, sizeof *s->least, &s->least);
}

static void screen_release(screen *s) {
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

/* Keep the candidates whose upper bound reaches the threshold; returns how many. */
static int drop_below(int n, bounded *candidates, double threshold) {
  int kept = 0;
  for (int i = 0; i < n; ++i)
    if (candidates[i].upper >= threshold) candidates[kept++] = candidates[i];
  return kept;
}

/* Let the candidates of a tile wait whose upper bound reaches the threshold so far. The threshold
 * only rises. */
static void add_waiting(screen *s, int list, int m, int64_t first) {
  const double *lower = s->lower + (ptrdiff_t)list * GANNET_TILE;
  const double *upper = s->upper + (ptrdiff_t)list * GANNET_TILE;
  const double threshold = gannet_select_least(s->lows, list);
  bounded *waiting = s->waiting + (ptrdiff_t)list * WAITING_MOST;
  int n = s->n_waiting[list];
  for (int i = 0; i < m && !s->useless; ++i) {
    if (!(upper[i] >= threshold)) continue;
    if (n == WAITING_MOST) {
      n = drop_below(n, waiting, threshold);
      s->useless = n > WAITING_MOST / 2;
    }
    if (n < WAITING_MOST) waiting[n++] = (bounded){first + i, lower[i], upper[i]};
  }
  s->n_waiting[list] = n;
}

/* Points that may not win get NAN, which no list keeps and no comparison lets pass. Candidates that
 * do not fill a group are scored in any case, all of them together, as a scan does. */
static gannet_err bound_tile(screen *s, int64_t first) {
  const int64_t left = gannet_candidates_count(s->candidates) - first;
  const int m = left < GANNET_TILE ? (int)left : GANNET_TILE;
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  gannet_candidates_tile(s->candidates, first, m, s->x);
  GANNET_TRY(s->spec->bounder(s->spec->user, m, s->x, first, s->lower, s->upper, GANNET_TILE));
  for (int i = 0; i < m; ++i) {
    const bool barred = s->taken && gannet_distinct_has(s->taken, s->x + (size_t)i * d);
    const bool apart = first + i >= s->n_whole;
    for (int l = 0; (barred || apart) && l < s->spec->n_lists; ++l) {
      s->lower[l * GANNET_TILE + i] = apart ? -INFINITY : NAN;
      s->upper[l * GANNET_TILE + i] = apart ? INFINITY : NAN;
    }
  }
  gannet_select_offer(s->lows, m, first, s->lower, GANNET_TILE);
  for (int l = 0; l < s->spec->n_lists; ++l) add_waiting(s, l, m, first);
  return GANNET_OK;
}

static int by_number(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Whether the scores of m candidates are inside their bounds. A score that is NAN ranks nowhere; a
 * finite lower bound of it would raise the threshold. */
static bool bounds_hold(const screen *s, int m, const int64_t *numbers, const double *scores) {
  for (int l = 0; l < s->spec->n_lists; ++l)
    for (int i = 0; i < s->n_waiting[l]; ++i) {
      const bounded *c = &s->waiting[(ptrdiff_t)l * WAITING_MOST + i];
      const int64_t *at = bsearch(&c->number, numbers, (size_t)m, sizeof *numbers, by_number);
      if (!at) continue;
      const double score = scores[l * GANNET_TILE + (at - numbers)];
      const bool inside = c->lower <= score && score <= c->upper;
      if (isnan(score) ? isfinite(c->lower) : !inside) return false;
    }
  return true;
}

/* Score m candidates, of which the last one is repeated to make up total. */
static gannet_err score_numbers(screen *s, int m, const int64_t *numbers, int total) {
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  double *scores = s->lower;
  for (int i = 0; i < total; ++i)
    gannet_candidates_tile(s->candidates, numbers[i < m ? i : m - 1], 1, s->x + (size_t)i * d);
  GANNET_TRY(s->spec->scorer(s->spec->user, total, s->x, -1, scores, GANNET_TILE));
  gannet_scan_bar(s->taken, d, m, s->x, s->spec->n_lists, scores, GANNET_TILE);
  if (!bounds_hold(s, m, numbers, scores)) s->useless = true;
  gannet_select_offer_some(s->select, m, numbers, scores, GANNET_TILE);
  return GANNET_OK;
}

/* Score the candidates that pass by the thresholds of all ranks, each once: first by whole groups,
 * then those that do not fill one. */
static gannet_err score_waiting(screen *s) {
  const int keep = s->spec->keep, group = s->spec->group > 0 ? s->spec->group : 1;
  int n = 0, n_whole = 0;
  for (int l = 0; l < s->spec->n_lists; ++l) {
    const double threshold = s->least[(ptrdiff_t)(l + 1) * keep - 1].score;
    bounded *waiting = s->waiting + (ptrdiff_t)l * WAITING_MOST;
    s->n_waiting[l] = drop_below(s->n_waiting[l], waiting, threshold);
    if (s->n_waiting[l] > WAITING_MOST / 2) s->useless = true;
    for (int i = 0; i < s->n_waiting[l]; ++i) s->numbers[n++] = waiting[i].number;
  }
  qsort(s->numbers, (size_t)n, sizeof *s->numbers, by_number);
  for (int i = 0; i < n; ++i)
    if (i == 0 || s->numbers[i] != s->numbers[i - 1]) s->numbers[s->n_numbers++] = s->numbers[i];
  while (n_whole < s->n_numbers && s->numbers[n_whole] < s->n_whole) ++n_whole;
  for (int first = 0; first < n_whole && !s->useless; first += GANNET_TILE) {
    const int left = n_whole - first, m = left < GANNET_TILE ? left : GANNET_TILE;
    GANNET_TRY(score_numbers(s, m, s->numbers + first, (m + group - 1) / group * group));
  }
  const int rest = s->n_numbers - n_whole;
  if (rest == 0 || s->useless) return GANNET_OK;
  return score_numbers(s, rest, s->numbers + n_whole, rest);
}

/* One screen. A rank that has failed takes its turns at the queue, too, because the others count on
 * it. The report is complete if bounds were of no use; then best is not set. */
static gannet_err screen_once(screen *s, gannet_ranked *best, gannet_screen_report *report) {
  const MPI_Comm comm = s->context->comm;
  gannet_err err = screen_init(s);
  gannet_queue queue = gannet_scan_queue(s->context, s->candidates);
  for (int64_t tile; err == GANNET_OK && !s->useless && (tile = gannet_queue_next(&queue)) >= 0;)
    err = bound_tile(s, tile * GANNET_TILE);
  gannet_queue_close(&queue);
  GANNET_TRY(gannet_agree(comm, err));
  GANNET_TRY(gannet_select_reduce(s->context, s->lows, s->least));
  GANNET_TRY(gannet_agree(comm, score_waiting(s)));
  int64_t sums[2] = {s->n_numbers, s->useless};
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, comm));
  *report = (gannet_screen_report){.scored = sums[0], .complete = sums[1] > 0};
  return report->complete ? GANNET_OK : gannet_select_reduce(s->context, s->select, best);
}

gannet_err gannet_screen(const gannet_context *context, const gannet_candidates *candidates,
                         const gannet_distinct *taken, const gannet_screen_spec *spec,
                         gannet_ranked *best, gannet_screen_report *report) {
  gannet_screen_report own = {0};
  for (bool again = true; again;) {
    screen s = {.context = context, .candidates = candidates, .taken = taken, .spec = spec};
    const gannet_err err = screen_once(&s, best, &own);
    screen_release(&s);
    GANNET_TRY(err);
    again = false;
    if (!own.complete || !spec->tighten) continue;
    GANNET_TRY(spec->tighten(spec->user, &again));
    GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &again, 1, MPI_C_BOOL, MPI_LAND, context->comm));
  }
  if (own.complete) {
    own.scored = gannet_candidates_count(candidates);
    GANNET_TRY(gannet_scan(context, candidates, taken, spec->n_lists, spec->keep, spec->scorer,
                           spec->user, best));
  }
  if (report) *report = own;
  return GANNET_OK;
}
