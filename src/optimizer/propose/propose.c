/* What all proposers share: the candidates of a batch and the choice of its points. */
#include "optimizer/propose/propose_impl.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/partition.h"
#include "optimizer/propose/crash_guard.h"
#include "optimizer/replicates.h"
#include "problem/objectives.h"
#include "problem/variable_constraints.h"
#include "search/batch.h"
#include "search/merit_rank.h"
#include "search/sobol.h"

void gannet_propose_end_phase(gannet_member *member, gannet_phase phase, double *mark) {
  const double now = gannet_clock_seconds();
  member->phases->seconds[phase] += now - *mark;
  if (member->phases->ended) member->phases->ended(member->phases->user, phase);
  *mark = gannet_clock_seconds();
}

/* The best points inside the region, best first. merits: [count] scratch. */
static int find_best_inside(const gannet_member *member, const gannet_member_region *region,
                            int wanted, const gannet_merit_rank *merits, gannet_merit_rank *best) {
  int n = 0;
  for (int64_t id = 0; id < gannet_history_count(member->history); ++id) {
    const double *x = gannet_history_x_unit(member->history, id);
    if (!gannet_history_is_sound(member->history, id)) continue;
    if (gannet_history_get(member->history, id)->elsewhere) continue;
    if (!gannet_member_region_has(region, member->problem->d, x)) continue;
    n = gannet_merit_rank_insert(&merits[id], wanted, n, best);
  }
  return n;
}

/* With several objectives, the share of local candidates between two centres. */
static const double crossing = 0.25;

/* Of a front, more designs are worth a look than of a single best place. */
static int count_centres(const gannet_member *member) {
  return member->options->search.centers * gannet_problem_n_objectives(member->problem);
}

static gannet_err find_centres(const gannet_member *member, const gannet_member_region *region,
                               double *centres, int *n) {
  const size_t d = (size_t)member->problem->d;
  const size_t count = (size_t)gannet_history_count(member->history);
  const int wanted = count_centres(member);
  gannet_merit_rank *merits = NULL;
  GANNET_TRY(gannet_alloc(count + (size_t)wanted, sizeof *merits, &merits));
  gannet_merit_rank *best = merits + count;
  const gannet_err err = gannet_merit_rank_all(member->history, 0, merits);
  if (err == GANNET_OK) *n = find_best_inside(member, region, wanted, merits, best);
  for (int i = 0; i < *n; ++i)
    memcpy(centres + (size_t)i * d, gannet_history_x_unit(member->history, best[i].id),
           d * sizeof *centres);
  gannet_free(&merits);
  return err;
}

gannet_err gannet_propose_candidates(const gannet_member *member,
                                     const gannet_member_region *region,
                                     gannet_candidates **candidates) {
  const gannet_search_options *search = &member->options->search;
  double *centres = NULL;
  int n = 0;
  GANNET_TRY(gannet_alloc((size_t)count_centres(member) * (size_t)member->problem->d,
                          sizeof *centres, &centres));
  gannet_err err = find_centres(member, region, centres, &n);
  const int64_t n_local = n > 0 ? (int64_t)(search->local * search->candidates) : 0;
  /* The way along a front is often that of one variable, or lies between two of its designs. */
  const bool several = gannet_problem_n_objectives(member->problem) > 1;
  const gannet_candidates_spec spec = {.n_global = search->candidates - n_local,
                                       .n_local = n_local,
                                       .n_centres = n,
                                       .centres = centres,
                                       .lower = region->lower,
                                       .upper = region->upper,
                                       .anchor = region->centre,
                                       .moving = region->moving,
                                       .switching = region->switching,
                                       .least_moving = several ? 1.0 / member->problem->n_free : 0,
                                       .crossing = several ? crossing : 0,
                                       .all_points = true};
  if (err == GANNET_OK)
    err = gannet_candidates_create(member->problem, &spec, member->context->seed,
                                   (uint64_t)member->batch, candidates);
  gannet_free(&centres);
  return err;
}

int gannet_propose_n_starts(const gannet_member *member) {
  return member->options->search.polish > 0 && member->problem->n_continuous > 0
             ? member->options->search.starts
             : 0;
}

gannet_err gannet_point_options_create(const gannet_member *member, gannet_point_options *o) {
  const size_t d = (size_t)member->problem->d;
  o->n_starts = gannet_propose_n_starts(member);
  o->n_ranked = o->n_starts + GANNET_PROPOSE_SPARE;
  o->choices.n_lists = 1;
  o->choices.n_options = o->n_starts + o->n_ranked;
  const size_t total = (size_t)o->choices.n_options;
  GANNET_TRY(gannet_polisher_create(&o->polisher));
  GANNET_TRY(gannet_alloc((size_t)o->n_ranked, sizeof *o->best, &o->best));
  GANNET_TRY(gannet_alloc(total * d, sizeof(double), &o->choices.options));
  return gannet_alloc(total, sizeof(double), &o->choices.scores);
}

void gannet_point_options_release(gannet_point_options *o) {
  gannet_polisher_destroy(&o->polisher);
  gannet_free(&o->best);
  gannet_free(&o->choices.options);
  gannet_free(&o->choices.scores);
}

void gannet_propose_points(const gannet_candidates *candidates, int n, const gannet_ranked *ranked,
                           double *x_unit) {
  const size_t d = (size_t)gannet_candidates_dimension(candidates);
  for (int i = 0; i < n; ++i) {
    const int64_t index = ranked[i].index >= 0 ? ranked[i].index : ranked[0].index;
    gannet_candidates_tile(candidates, index >= 0 ? index : 0, 1, x_unit + (size_t)i * d);
  }
}

/* Which points do not take part in a scan, in the order in which scans try them. */
typedef enum { EXCLUDE_ALL_BEFORE, EXCLUDE_USELESS, EXCLUDE_NONE } exclusion;

/* The points that do not take part in a scan: what was chosen for this batch, and the history, or
 * what is under way and what cannot run. NULL for problems with a real variable, whose points do
 * not run out. */
static gannet_err list_excluded(const gannet_member *member, const gannet_propose_scores *scores,
                                exclusion excluded, gannet_distinct **taken) {
  const int64_t n = gannet_history_count(member->history);
  *taken = NULL;
  if (member->problem->n_continuous > 0 || excluded == EXCLUDE_NONE) return GANNET_OK;
  GANNET_TRY(gannet_distinct_create(member->problem, n + scores->n_chosen, taken));
  for (int64_t id = 0; id < n; ++id) {
    const bool is_useless = gannet_history_is_bad(member->history, id) ||
                            gannet_history_get(member->history, id)->status == GANNET_EVAL_PENDING;
    if (excluded == EXCLUDE_ALL_BEFORE || is_useless)
      gannet_distinct_add(*taken, gannet_history_x_unit(member->history, id));
  }
  for (int i = 0; i < scores->n_chosen; ++i)
    gannet_distinct_add(*taken, scores->chosen + (size_t)i * (size_t)member->problem->d);
  return GANNET_OK;
}

/* Check that a scan has found a candidate for every list, as it does unless all are taken or no
 * score is a number.
 *
 * best     in   [n_lists][keep]
 * run_out  out  all are taken
 */
static gannet_err require_scores(const gannet_member *member, const gannet_candidates *candidates,
                                 const gannet_distinct *taken, int n_lists, int keep,
                                 const gannet_ranked *best, bool *run_out) {
  const int64_t n = gannet_candidates_count(candidates);
  double *x = NULL;
  int empty = 0;
  while (empty < n_lists && best[(ptrdiff_t)empty * keep].index >= 0) ++empty;
  *run_out = false;
  if (empty == n_lists) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)member->problem->d, sizeof *x, &x));
  bool open = !taken;
  for (int64_t i = 0; i < n && !open; ++i) {
    gannet_candidates_tile(candidates, i, 1, x);
    open = !gannet_distinct_has(taken, x);
  }
  gannet_free(&x);
  GANNET_REQUIRE(!open, GANNET_ERR_NUMERIC, "no candidate has a score that is a number");
  *run_out = true;
  return GANNET_OK;
}

static gannet_err scan_others(gannet_member *member, const gannet_candidates *candidates,
                              const gannet_propose_scores *scores, exclusion excluded,
                              gannet_ranked *best, bool *run_out) {
  const gannet_context *context = member->context;
  const int n_lists = scores->n_lists, keep = scores->keep;
  const bool bounded = scores->bounded && !member->options->search.exact;
  gannet_distinct *taken = NULL;
  member->scored = 0;
  gannet_err err = gannet_agree(context->comm, list_excluded(member, scores, excluded, &taken));
  if (err == GANNET_OK && bounded)
    err = scores->bounded(scores->bounds, candidates, taken, keep, best, &member->scored);
  if (err == GANNET_OK && member->scored == 0)
    err = gannet_scan(context, candidates, taken, scores->remembers, n_lists, keep, scores->scorer,
                      scores->user, best);
  if (err == GANNET_OK)
    err = gannet_agree(context->comm,
                       require_scores(member, candidates, taken, n_lists, keep, best, run_out));
  gannet_distinct_destroy(&taken);
  return err;
}

gannet_err gannet_propose_scan(gannet_member *member, const gannet_candidates *candidates,
                               const gannet_propose_scores *scores, gannet_ranked *best) {
  bool run_out = true;
  for (int excluded = scores->repeats ? EXCLUDE_USELESS : EXCLUDE_ALL_BEFORE;
       run_out && excluded <= EXCLUDE_NONE; ++excluded)
    GANNET_TRY(scan_others(member, candidates, scores, (exclusion)excluded, best, &run_out));
  return GANNET_OK;
}

/* Order of each list by score, best first, earlier options first among equals; NAN last. */
static void order_options(const gannet_choices *choices, int *order) {
  for (int l = 0; l < choices->n_lists; ++l) {
    const double *score = choices->scores + (size_t)l * (size_t)choices->n_options;
    int *mine = order + (size_t)l * (size_t)choices->n_options;
    for (int i = 0; i < choices->n_options; ++i) {
      int at = i;
      for (; at > 0 &&
             (score[i] > score[mine[at - 1]] || (isnan(score[mine[at - 1]]) && !isnan(score[i])));
           --at)
        mine[at] = mine[at - 1];
      mine[at] = i;
    }
  }
}

static void gather_ranked(const gannet_member *member, const gannet_choices *choices,
                          const int *order, double *ranked) {
  const size_t d = (size_t)member->problem->d;
  const size_t total = (size_t)choices->n_lists * (size_t)choices->n_options;
  for (size_t i = 0; i < total; ++i) {
    const size_t list = i / (size_t)choices->n_options;
    memcpy(ranked + i * d,
           choices->options + (list * (size_t)choices->n_options + (size_t)order[i]) * d,
           d * sizeof *ranked);
  }
}

/* Models propose no near-copies where values have no noise: minima of their draws come to lie on
 * each other and on the best point when they are known well, or not at all yet. */
static gannet_err must_keep_apart(const gannet_member *member, bool *apart) {
  bool noisy = true;
  *apart = false;
  if (!member->models && !member->local && !member->evolution) return GANNET_OK;
  if (member->problem->n_continuous == 0) return GANNET_OK;
  GANNET_TRY(gannet_noise_test_result(member->history, member->noise_test, &noisy));
  *apart = !noisy;
  return GANNET_OK;
}

static gannet_err choose_points(const gannet_member *member, const gannet_choices *choices,
                                const int *order, int q, double *x_unit) {
  const size_t d = (size_t)member->problem->d;
  const size_t total = (size_t)choices->n_lists * (size_t)choices->n_options;
  double *ranked = NULL;
  bool apart = false;
  GANNET_TRY(must_keep_apart(member, &apart));
  GANNET_TRY(gannet_alloc(total * d, sizeof *ranked, &ranked));
  gather_ranked(member, choices, order, ranked);
  const gannet_batch_spec spec = {
      .problem = member->problem,
      .stream = gannet_context_stream(member->context, GANNET_FOR_DESIGN, (uint64_t)member->batch,
                                      1 + (uint64_t)choices->n_chosen),
      .seen = member->seen,
      .n_before = choices->n_chosen,
      .before = choices->chosen,
      .spaced = apart ? member->history : NULL,
      .n_lists = choices->n_lists,
      .n_ranked = choices->n_options,
      .ranked = ranked};
  const gannet_err err = gannet_batch_choose(&spec, q, x_unit);
  gannet_free(&ranked);
  return err;
}

gannet_err gannet_propose_choose(const gannet_member *member, const gannet_choices *choices, int q,
                                 double *x_unit) {
  const size_t total = (size_t)choices->n_lists * (size_t)choices->n_options;
  int *order = NULL;
  gannet_err err = gannet_alloc(total, sizeof *order, &order);
  if (err == GANNET_OK) order_options(choices, order);
  err = gannet_agree(member->context->comm, err);
  if (err == GANNET_OK)
    err = gannet_bytes_broadcast(member->context->comm, 0, total * sizeof *order, order);
  if (err == GANNET_OK)
    err = gannet_agree(member->context->comm, choose_points(member, choices, order, q, x_unit));
  gannet_free(&order);
  return err;
}

/* Fill in n_options per point, by a member's own rule. */
typedef gannet_err (*fill_options)(gannet_member *member, int64_t first_id, int q, double *options);

static gannet_err fill_local(gannet_member *member, int64_t first_id, int q, double *options) {
  return gannet_local_propose(member->local, member->batch, first_id, q, options);
}

static gannet_err fill_evolution(gannet_member *member, int64_t first_id, int q, double *options) {
  return gannet_evolution_propose(member->evolution, first_id, q, options);
}

/* Points from options that a member without a surrogate makes of what is known. */
static gannet_err propose_filled(gannet_member *member, int q, int n_options, fill_options fill,
                                 double *x_unit) {
  const size_t d = (size_t)member->problem->d, total = (size_t)q * (size_t)n_options;
  gannet_choices choices = {
      .n_lists = q, .n_options = n_options, .n_chosen = member->n_chosen, .chosen = member->chosen};
  double mark = gannet_clock_seconds();
  gannet_new_rows rows;
  gannet_err err = gannet_alloc(total * d, sizeof *choices.options, &choices.options);
  if (err == GANNET_OK) err = gannet_alloc(total, sizeof *choices.scores, &choices.scores);
  if (err == GANNET_OK) err = gannet_replicates_find_new(member->history, &rows);
  err = gannet_agree(member->context->comm, err);
  if (err == GANNET_OK)
    err = fill(member, rows.first + (int64_t)member->n_chosen * rows.step, q, choices.options);
  if (err == GANNET_OK)
    err = gannet_agree(member->context->comm, gannet_crash_guard(member->history, (int)total,
                                                                 choices.options, choices.scores));
  gannet_propose_end_phase(member, GANNET_PHASE_FIT, &mark);
  if (err == GANNET_OK) err = gannet_propose_choose(member, &choices, q, x_unit);
  gannet_propose_end_phase(member, GANNET_PHASE_CHOOSE, &mark);
  gannet_free(&choices.options);
  gannet_free(&choices.scores);
  return err;
}

gannet_err gannet_propose_local(gannet_member *member, int q, double *x_unit) {
  const bool is_centre_known = gannet_history_best(member->history) >= 0 ||
                               gannet_history_least_violation(member->history) >= 0;
  if (gannet_local_is_idle(member->problem) || !is_centre_known)
    return gannet_propose_design(member, q, NULL, x_unit);
  return propose_filled(member, q, GANNET_LOCAL_OPTIONS, fill_local, x_unit);
}

gannet_err gannet_propose_evolution(gannet_member *member, int q, double *x_unit) {
  if (gannet_evolution_is_idle(member->problem) || gannet_history_best(member->history) < 0)
    return gannet_propose_design(member, q, NULL, x_unit);
  return propose_filled(member, q, GANNET_EVOLUTION_OPTIONS, fill_evolution, x_unit);
}

/* Points of the sequence; the first of a campaign are drawn towards the middle, from where the way
 * to any other point is short. Discrete coordinates have few values, of which all should be seen.
 */
static gannet_err sobol_points(const gannet_member *member, int q, const gannet_design *design,
                               double *x_unit) {
  const gannet_stream stream = gannet_context_stream(member->context, GANNET_FOR_DESIGN, 0, 0);
  gannet_sobol *sobol = NULL;
  GANNET_TRY(gannet_sobol_create(member->problem->d, &stream, &sobol));
  /* Points of a discrete problem may all be taken, and then the sequence still goes on. */
  const int64_t known = member->problem->n_continuous > 0
                            ? gannet_runs_count_designs(member->history, false)
                            : gannet_history_count(member->history);
  const int64_t first = known + member->n_chosen;
  gannet_sobol_points(sobol, (uint32_t)first, q, x_unit);
  gannet_sobol_destroy(&sobol);
  const int64_t n_near = design && first < design->n_near ? design->n_near - first : 0;
  for (int i = 0; i < n_near && i < q; ++i)
    for (int k = 0; k < member->problem->d; ++k) {
      double *at = x_unit + (ptrdiff_t)i * member->problem->d + k;
      if (member->problem->continuous[k]) *at = 0.5 + design->span * (*at - 0.5);
    }
  return GANNET_OK;
}

/* Squared distance of x from the nearest of n points, at most least. */
static double nearest_gap(size_t d, int64_t n, const double *points, const double *x,
                          double least) {
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (size_t k = 0; k < d && sum < least; ++k) {
      const double gap = points[(size_t)i * d + k] - x[k];
      sum += gap * gap;
    }
    least = fmin(least, sum);
  }
  return least;
}

/* Replace points that violate a variable constraint: by that of some points of the allowed part
 * which is farthest from all others, so that the design fills the part evenly. */
static gannet_err spread_in_allowed_part(const gannet_member *member, int q, double *x_unit) {
  enum { DRAWS = 32 };
  const gannet_problem *problem = member->problem;
  const size_t d = (size_t)problem->d;
  const int64_t known = gannet_history_count(member->history);
  double *drawn = NULL;
  GANNET_TRY(gannet_alloc(d, sizeof *drawn, &drawn));
  for (int i = 0; i < q; ++i) {
    double *x = x_unit + (size_t)i * d, farthest = -1;
    if (gannet_allowed_complete(problem, x) == 0) continue;
    for (int t = 0; t < DRAWS; ++t) {
      const gannet_stream stream =
          gannet_context_stream(member->context, GANNET_FOR_ALLOWED, (uint64_t)member->batch,
                                (uint64_t)(known + member->n_chosen + i) * DRAWS + (uint64_t)t);
      gannet_allowed_draw(problem, stream, drawn);
      double gap = nearest_gap(d, i, x_unit, drawn, INFINITY);
      gap = nearest_gap(d, member->n_chosen, member->chosen, drawn, gap);
      for (int64_t id = 0; id < known; ++id)
        gap = nearest_gap(d, 1, gannet_history_x_unit(member->history, id), drawn, gap);
      if (gap <= farthest) continue;
      farthest = gap;
      memcpy(x, drawn, d * sizeof *x);
    }
  }
  gannet_free(&drawn);
  return GANNET_OK;
}

gannet_err gannet_propose_design(const gannet_member *member, int q, const gannet_design *design,
                                 double *x_unit) {
  const size_t d = (size_t)member->problem->d, length = (size_t)q * d;
  gannet_choices choices = {
      .n_lists = q, .n_options = 1, .n_chosen = member->n_chosen, .chosen = member->chosen};
  gannet_err err = gannet_alloc(length, sizeof *choices.options, &choices.options);
  if (err == GANNET_OK) err = gannet_alloc((size_t)q, sizeof *choices.scores, &choices.scores);
  if (err == GANNET_OK && design && design->uniform)
    gannet_random_uniform(gannet_context_stream(member->context, GANNET_FOR_DESIGN, 0, 2),
                          (uint64_t)gannet_history_count(member->history) * d, length,
                          choices.options);
  else if (err == GANNET_OK)
    err = sobol_points(member, q, design, choices.options);
  if (err == GANNET_OK) gannet_problem_spread(member->problem, q, choices.options);
  if (err == GANNET_OK && member->problem->variable_constraints)
    err = spread_in_allowed_part(member, q, choices.options);
  err = gannet_agree(member->context->comm, err);
  if (err == GANNET_OK) err = gannet_propose_choose(member, &choices, q, x_unit);
  gannet_free(&choices.options);
  gannet_free(&choices.scores);
  return err;
}

void gannet_propose_sample_candidates(const gannet_candidates *candidates, double *x) {
  const double count = (double)gannet_candidates_count(candidates);
  const int d = gannet_candidates_dimension(candidates);
  for (int i = 0; i < GANNET_SAMPLE; ++i)
    gannet_candidates_tile(candidates, (int64_t)(count * (i + 0.5) / GANNET_SAMPLE), 1, x + i * d);
}

void gannet_propose_reverse_sample(int d, double *x) {
  for (int p = 0; p < GANNET_SAMPLE / 2; ++p)
    for (int k = 0; k < d; ++k) {
      double *one = x + p * d + k, *other = x + (GANNET_SAMPLE - 1 - p) * d + k, kept = *one;
      *one = *other;
      *other = kept;
    }
}
