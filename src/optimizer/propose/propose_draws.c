/* Thompson sampling with whole functions: draws are cheap to evaluate and have gradients. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "optimizer/propose/draw_uses.h"
#include "optimizer/propose/draws_score.h"
#include "optimizer/propose/propose_impl.h"
#include "search/polish.h"
#include "search/sweep.h"

enum { PIECE = 64 }; /* polished points that are scored together, wherever they came from */

static int n_ranked_of(const gannet_member *member) {
  return gannet_propose_n_starts(member) + GANNET_PROPOSE_SPARE;
}

/* Scores of the polished points of the first n_polished lists, each by its own list, for the pieces
 * of this rank; those of the others stay 0. x: [n_polished][n_starts][d] */
static gannet_err score_own_pieces(gannet_draws_score *w, const gannet_member *member,
                                   int n_polished, int n_starts, const double *x, double *scratch,
                                   double *scores) {
  const gannet_context *context = member->context;
  const size_t d = (size_t)member->problem->d;
  const int total = n_polished * n_starts;
  for (int first = context->rank * PIECE; first < total; first += context->np * PIECE) {
    const int m = total - first < PIECE ? total - first : PIECE;
    GANNET_TRY(gannet_draws_score_points(w, m, x + (size_t)first * d, 0, scratch, GANNET_TILE));
    for (int i = 0; i < m; ++i)
      scores[first + i] = scratch[(first + i) / n_starts * GANNET_TILE + i];
  }
  return GANNET_OK;
}

/* Scores of the polished options of the first n_polished lists, none of the others, which have no
 * polished points; those of candidates are known from the scan. A piece is scored by one rank, and
 * the others have added 0: no sum rounds. x: [n_lists][n_starts][d] scratch. */
static gannet_err score_options(gannet_draws_score *w, const gannet_member *member, int n_polished,
                                const gannet_ranked *best, double *x, double *scratch,
                                gannet_choices *choices) {
  const size_t d = (size_t)member->problem->d, n = (size_t)choices->n_options;
  const size_t n_ranked = (size_t)n_ranked_of(member), n_starts = n - n_ranked;
  double *polished = choices->scores; /* one after the other, until they are spread */
  for (size_t l = 0; l < (size_t)n_polished; ++l)
    memcpy(x + l * n_starts * d, choices->options + l * n * d, n_starts * d * sizeof *x);
  GANNET_TRY(
      gannet_agree(member->context->comm,
                   score_own_pieces(w, member, n_polished, (int)n_starts, x, scratch, polished)));
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, polished, n_polished * (int)n_starts, MPI_DOUBLE,
                               MPI_SUM, member->context->comm));
  for (size_t l = (size_t)w->q; l-- > 0;) {
    if (l < (size_t)n_polished)
      memmove(choices->scores + l * n, polished + l * n_starts, n_starts * sizeof *polished);
    for (size_t i = 0; l >= (size_t)n_polished && i < n_starts; ++i)
      choices->scores[l * n + i] = -INFINITY;
    for (size_t i = 0; i < n_ranked; ++i)
      choices->scores[l * n + n_starts + i] = best[l * n_ranked + i].score;
  }
  return GANNET_OK;
}

/* The last start of every list becomes its first one, moved along the coordinates. */
static gannet_err sweep_best_starts(const gannet_member *member, gannet_draws_score *w, int n_lists,
                                    int n_starts, double *starts) {
  const size_t d = (size_t)member->problem->d, width = (size_t)n_starts * d;
  const gannet_sweep_spec spec = {.problem = member->problem,
                                  .lower = member->region.lower,
                                  .upper = member->region.upper,
                                  .n_lists = n_lists,
                                  .sweeps = member->options->search.sweeps,
                                  .scorer = gannet_draws_score_points,
                                  .user = w};
  double *x = NULL;
  if (spec.sweeps == 0 || n_starts == 0 || n_lists == 0) return GANNET_OK;
  GANNET_TRY(gannet_alloc_on_all(member->context->comm, (size_t)n_lists * d, sizeof *x, &x));
  for (size_t l = 0; l < (size_t)n_lists; ++l) memcpy(x + l * d, starts + l * width, d * sizeof *x);
  const gannet_err code = gannet_sweep(member->context, &spec, x);
  for (size_t l = 0; code == GANNET_OK && l < (size_t)n_lists; ++l)
    memcpy(starts + (l + 1) * width - d, x + l * d, d * sizeof *x);
  gannet_free(&x);
  return code;
}

/* Options of a list: first the polished starts, then the ranked candidates themselves. From list
 * n_polish on starts stay as they are. */
static gannet_err polish_starts(const gannet_member *member, gannet_draws_score *w, int n_polish,
                                const double *ranked, int n_ranked, gannet_choices *choices) {
  const gannet_search_options *search = &member->options->search;
  const size_t d = (size_t)member->problem->d;
  const int n_starts = choices->n_options - n_ranked;
  const size_t width = (size_t)choices->n_options * d, n_polished = (size_t)n_starts * d;
  double *starts = NULL, *polished = NULL, *values = NULL;
  gannet_polisher *polisher = NULL;
  gannet_err err = gannet_polisher_create(&polisher);
  if (err == GANNET_OK) err = gannet_alloc((size_t)w->q * n_polished, sizeof *starts, &starts);
  if (err == GANNET_OK) err = gannet_alloc((size_t)w->q * n_polished, sizeof *polished, &polished);
  if (err == GANNET_OK)
    err = gannet_alloc((size_t)w->q * (size_t)n_starts, sizeof *values, &values);
  err = gannet_agree(member->context->comm, err);
  for (int l = 0; l < w->q && err == GANNET_OK; ++l) {
    memcpy(choices->options + (size_t)l * width + n_polished,
           ranked + (size_t)l * (size_t)n_ranked * d, (size_t)n_ranked * d * sizeof *ranked);
    memcpy(starts + (size_t)l * n_polished, ranked + (size_t)l * (size_t)n_ranked * d,
           n_polished * sizeof *ranked);
  }
  const gannet_polish_spec spec = {.problem = member->problem,
                                   .lower = member->region.lower,
                                   .upper = member->region.upper,
                                   .n_lists = n_polish,
                                   .n_starts = n_starts,
                                   .starts = starts,
                                   .function = gannet_draws_score_merit,
                                   .user = w,
                                   .options = {search->polish, 1e-7, 1e-9}};
  if (err == GANNET_OK) err = sweep_best_starts(member, w, n_polish, n_starts, starts);
  if (err == GANNET_OK && n_starts > 0 && n_polish > 0)
    err = gannet_polish(member->context, polisher, &spec, polished, values);
  for (int l = 0; l < w->q && err == GANNET_OK; ++l)
    memcpy(choices->options + (size_t)l * width,
           (l < n_polish ? polished : starts) + (size_t)l * n_polished,
           n_polished * sizeof *polished);
  gannet_polisher_destroy(&polisher);
  gannet_free(&starts);
  gannet_free(&polished);
  gannet_free(&values);
  return err;
}

/* Memory of one proposal. */
typedef struct {
  gannet_draws_score work;
  gannet_candidates *candidates;
  gannet_ranked *best; /* [q][n_ranked] */
  double *points;      /* [q][n_ranked][d] */
  double *scratch;     /* [q][GANNET_TILE] */
  gannet_choices choices;
} proposal;

static gannet_err create_proposal(const gannet_member *member, int q, int n_ranked, proposal *p) {
  const size_t d = (size_t)member->problem->d, total = (size_t)q * (size_t)n_ranked;
  p->choices.n_lists = q;
  p->choices.n_chosen = member->n_chosen;
  p->choices.chosen = member->chosen;
  p->choices.n_options = n_ranked + gannet_propose_n_starts(member);
  const size_t n_options = (size_t)q * (size_t)p->choices.n_options;
  GANNET_TRY(gannet_draws_score_prepare(member, q, &p->work));
  GANNET_TRY(gannet_propose_candidates(member, &member->region, &p->candidates));
  GANNET_TRY(gannet_alloc(total, sizeof *p->best, &p->best));
  GANNET_TRY(gannet_alloc(total * d, sizeof *p->points, &p->points));
  GANNET_TRY(gannet_alloc((size_t)q * GANNET_TILE, sizeof *p->scratch, &p->scratch));
  GANNET_TRY(gannet_alloc(n_options * d, sizeof(double), &p->choices.options));
  return gannet_alloc(n_options, sizeof(double), &p->choices.scores);
}

static void release_proposal(proposal *p) {
  gannet_draws_score_release(&p->work);
  gannet_candidates_destroy(&p->candidates);
  gannet_free(&p->best);
  gannet_free(&p->points);
  gannet_free(&p->scratch);
  gannet_free(&p->choices.options);
  gannet_free(&p->choices.scores);
}

/* Options of every draw, polished for the first n_polished of them, and ranked, with their scores.
 *
 * repeats  in  designs of a discrete problem that have run are options, too
 */
static gannet_err find_options(gannet_member *member, int q, int n_polished, int n_ranked,
                               bool repeats, proposal *p) {
  double mark = gannet_clock_seconds();
  const gannet_propose_scores scores = {.n_lists = q,
                                        .keep = n_ranked,
                                        .scorer = gannet_draws_score_points,
                                        .bounded = gannet_draws_score_best,
                                        .user = &p->work,
                                        .bounds = &p->work,
                                        .repeats = repeats,
                                        .n_chosen = member->n_chosen,
                                        .chosen = member->chosen};
  GANNET_TRY(gannet_propose_scan(member, p->candidates, &scores, p->best));
  for (int l = 0; l < q; ++l)
    gannet_propose_points(p->candidates, n_ranked, p->best + (size_t)l * (size_t)n_ranked,
                          p->points + (size_t)l * (size_t)n_ranked * (size_t)member->problem->d);
  gannet_propose_end_phase(member, GANNET_PHASE_SCAN, &mark);
  GANNET_TRY(polish_starts(member, &p->work, n_polished, p->points, n_ranked, &p->choices));
  gannet_propose_end_phase(member, GANNET_PHASE_POLISH, &mark);
  return score_options(&p->work, member, n_polished, p->best, p->points, p->scratch, &p->choices);
}

gannet_err gannet_propose_draws(gannet_member *member, int q, double *x_unit) {
  const int n_ranked = n_ranked_of(member);
  int count[GANNET_DRAW_USES], n_polished = q;
  proposal p = {0};
  gannet_new_rows rows;
  double mark = gannet_clock_seconds();
  GANNET_TRY(gannet_models_sample(member->models, q, member->batch));
  gannet_err err = gannet_draw_uses_deal(member, q, count, &n_polished);
  if (err == GANNET_OK) err = gannet_replicates_find_new(member->history, &rows);
  GANNET_TRY(gannet_agree(member->context->comm, err));
  gannet_propose_end_phase(member, GANNET_PHASE_SAMPLE, &mark);
  err = gannet_agree(member->context->comm, create_proposal(member, q, n_ranked, &p));
  if (err == GANNET_OK) err = find_options(member, q, n_polished, n_ranked, false, &p);
  mark = gannet_clock_seconds();
  if (err == GANNET_OK) err = gannet_propose_choose(member, &p.choices, q, x_unit);
  if (err == GANNET_OK) gannet_propose_end_phase(member, GANNET_PHASE_CHOOSE, &mark);
  release_proposal(&p);
  GANNET_TRY(err);
  gannet_draw_uses_note(member, &rows, count);
  return GANNET_OK;
}

/* The least value of every draw among its options; INFINITY where none is feasible. */
static void find_least(const gannet_choices *choices, double *least) {
  for (int l = 0; l < choices->n_lists; ++l) {
    const double *score = choices->scores + (ptrdiff_t)l * choices->n_options;
    double best = GANNET_INFEASIBLE_SCORE;
    for (int i = 0; i < choices->n_options; ++i)
      if (score[i] > best) best = score[i];
    least[l] = best > GANNET_INFEASIBLE_SCORE ? -best : INFINITY;
  }
}

gannet_err gannet_propose_draw_minima(gannet_member *member, int q, const double *x_unit,
                                      double *values, double *least) {
  const gannet_context *context = member->context;
  const int n_ranked = n_ranked_of(member);
  proposal p = {0};
  GANNET_TRY(gannet_models_sample(member->models, q, member->batch));
  gannet_err err = gannet_agree(context->comm, create_proposal(member, q, n_ranked, &p));
  if (err == GANNET_OK) err = find_options(member, q, q, n_ranked, true, &p);
  if (err == GANNET_OK) {
    find_least(&p.choices, least);
    err = gannet_surrogate_draw_values(gannet_models_surrogate(member->models, 0), 1, x_unit,
                                       values, 1);
  }
  err = gannet_agree(context->comm, err);
  release_proposal(&p);
  GANNET_TRY(err);
  GANNET_TRY_MPI(MPI_Bcast(values, q, MPI_DOUBLE, 0, context->comm));
  GANNET_TRY_MPI(MPI_Bcast(least, q, MPI_DOUBLE, 0, context->comm));
  return GANNET_OK;
}
