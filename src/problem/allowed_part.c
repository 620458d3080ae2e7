/* The allowed part of a problem with variable constraints: its members, points drawn from it, and
 * points moved into it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "problem/conditional.h"
#include "problem/derived.h"
#include "problem/pool.h"
#include "problem/variable_constraints.h"

enum {
  LEAST_MEMBERS = 256,
  MEMBERS_PER_COORDINATE = 16,
  MOST_MEMBERS = 512,
  MOST_MEMBER_COORDINATES = 16384, /* in so many variables that finding members takes long */
  KEPT_PART = 5,                   /* one in so many members goes on to the next threshold */
  LEVEL_STEPS = 8,                 /* of every member at a threshold */
  LAST_STEPS = 30,                 /* of every member inside of the allowed part, per round */
  LEVELS = 400,                    /* most thresholds on the way to violation 0 */
  STALLED_LEVELS = 25,             /* so many that hardly lower the threshold find nothing more */
  LAST_ROUNDS = 4, /* walks of all members inside of the allowed part, to spread them */
  DRAW_STEPS = 3,  /* from a member to a point that is drawn */
  SHRINKINGS = 40, /* tries on a line before a walker stays where it is */
  NEWTON_STEPS = 6,
  BISECTIONS = 30,
  LISTED_POINTS = 1000000 /* a discrete problem of at most so many points is listed */
};

/* Random numbers of one walk. */
typedef struct {
  gannet_stream stream;
  uint64_t at;
} numbers;

static double next_number(numbers *from) {
  double u;
  gannet_random_uniform(from->stream, from->at++, 1, &u);
  return u;
}

/* Points that walk; others give directions. */
typedef struct {
  const gannet_problem *problem;
  double *origin, *width; /* [d] the box, wider by half a step of integers */
  int n;
  double *x;          /* [n][d] completed */
  double *violation;  /* [n] */
  double *line, *try; /* [d] */
} population;

/* The part of the line x + t direction that lies in the box; the coordinates of switches and
 * dependent variables have no part in it. */
static void cut_line(const population *p, const double *x, const double *line, double *low,
                     double *high) {
  *low = -INFINITY;
  *high = INFINITY;
  for (int k = 0; k < p->problem->d; ++k) {
    if (line[k] == 0) continue;
    const double a = (p->origin[k] - x[k]) / line[k];
    const double b = (p->origin[k] + p->width[k] - x[k]) / line[k];
    *low = fmax(*low, fmin(a, b));
    *high = fmin(*high, fmax(a, b));
  }
}

static bool moves_along_lines(const gannet_problem *problem, int v) {
  return problem->variable_constraints->is_searched[v] &&
         !gannet_variable_switches(&problem->spec.variables[v]);
}

/* Choose a direction: one coordinate in 40 % of the steps, a normal vector in 20 %, else the
 * difference of two members. Returns whether it is not zero. */
static bool choose_line(population *p, numbers *from) {
  const gannet_problem *problem = p->problem;
  const int n = problem->spec.n_variables;
  const double kind = next_number(from);
  const size_t d = (size_t)problem->d;
  bool any = false;
  int n_moving = 0;
  memset(p->line, 0, d * sizeof *p->line);
  for (int v = 0; v < n; ++v) n_moving += moves_along_lines(problem, v);
  if (n_moving == 0) return false;
  int chosen = (int)(next_number(from) * n_moving);
  const double *a = p->x + (size_t)(next_number(from) * p->n) * d;
  const double *b = p->x + (size_t)(next_number(from) * p->n) * d;
  for (int v = 0; v < n; ++v) {
    const int k = problem->first[v];
    if (!moves_along_lines(problem, v)) continue;
    if (kind < 0.4) {
      p->line[k] = chosen-- == 0;
    } else if (kind < 0.6) {
      double z;
      gannet_stream normal = from->stream;
      normal.purpose |= UINT64_C(1) << 32;
      gannet_random_normal(normal, from->at++, 1, &z);
      p->line[k] = z;
    } else {
      p->line[k] = a[k] - b[k];
    }
    any = any || p->line[k] != 0;
  }
  return any;
}

/* One step that keeps the uniform distribution on the points whose violation is at most level. */
static double step_along_line(population *p, numbers *from, double level, double *x, double now) {
  const size_t d = (size_t)p->problem->d;
  double low, high;
  if (!choose_line(p, from)) return now;
  cut_line(p, x, p->line, &low, &high);
  for (int i = 0; i < SHRINKINGS && low < high; ++i) {
    const double t = low + next_number(from) * (high - low);
    for (size_t k = 0; k < d; ++k) p->try[k] = x[k] + t * p->line[k];
    const double violation = gannet_allowed_complete_within(p->problem, level, p->try);
    if (violation <= level) {
      memcpy(x, p->try, d * sizeof *x);
      return violation;
    }
    if (t < 0)
      low = t;
    else
      high = t;
  }
  return now;
}

/* Give a boolean or a category another value, where the violation allows it. */
static double step_of_switch(population *p, numbers *from, double level, double *x, double now) {
  const gannet_problem *problem = p->problem;
  const size_t d = (size_t)problem->d;
  const int n = gannet_problem_count_switches(problem);
  int chosen = (int)(next_number(from) * n);
  const double u = next_number(from);
  memcpy(p->try, x, d * sizeof *x);
  for (int v = 0; v < problem->spec.n_variables; ++v) {
    const gannet_variable *one = &problem->spec.variables[v];
    if (!gannet_variable_switches(one) || chosen-- != 0) continue;
    gannet_variable_encode(one, floor(u * gannet_variable_count(one)), p->try + problem->first[v]);
  }
  const double violation = gannet_allowed_complete_within(problem, level, p->try);
  if (violation > level) return now;
  memcpy(x, p->try, d * sizeof *x);
  return violation;
}

static double walk(population *p, numbers *from, int steps, double level, double *x, double now) {
  const double n = p->problem->spec.n_variables;
  const double switches = gannet_problem_count_switches(p->problem);
  for (int s = 0; s < steps; ++s) {
    if (p->problem->derived->n_conditional > 0) {
      gannet_conditional_refresh(p->problem, from->stream, from->at, x);
      from->at += (uint64_t)p->problem->d;
    }
    const bool of_switch = switches > 0 && next_number(from) * n < switches;
    now = of_switch ? step_of_switch(p, from, level, x, now)
                    : step_along_line(p, from, level, x, now);
  }
  gannet_conditional_rest(p->problem, x);
  return now;
}

static void population_release(population *p) {
  gannet_free(&p->origin);
  gannet_free(&p->x);
  gannet_free(&p->violation);
}

/* n: points that the population has; x: NULL = its own */
static gannet_err population_init(const gannet_problem *problem, int n, population *p) {
  const size_t d = (size_t)problem->d;
  *p = (population){.problem = problem, .n = n};
  GANNET_TRY(gannet_alloc(4 * d, sizeof *p->origin, &p->origin));
  p->width = p->origin + d;
  p->line = p->origin + 2 * d;
  p->try = p->origin + 3 * d;
  for (size_t k = 0; k < d; ++k) p->width[k] = 1;
  gannet_problem_widen(problem, p->origin, p->width);
  GANNET_TRY(gannet_alloc((size_t)n * d, sizeof *p->x, &p->x));
  return gannet_alloc((size_t)n, sizeof *p->violation, &p->violation);
}

/* Uniform points of the box. */
static void draw_population(population *p) {
  const gannet_stream stream = {0, GANNET_FOR_ALLOWED, 1, 0};
  const size_t d = (size_t)p->problem->d;
  gannet_random_uniform(stream, 0, (size_t)p->n * d, p->x);
  for (int i = 0; i < p->n; ++i) {
    double *x = p->x + (size_t)i * d;
    for (size_t k = 0; k < d; ++k) x[k] = p->origin[k] + x[k] * p->width[k];
    p->violation[i] = gannet_allowed_complete(p->problem, x);
  }
}

typedef struct {
  double violation;
  int index;
} ranked_point;

static int compare_violations(const void *a, const void *b) {
  const ranked_point *one = a, *other = b;
  if (one->violation != other->violation) return one->violation < other->violation ? -1 : 1;
  return one->index < other->index ? -1 : one->index > other->index;
}

/* Keep the part of least violation, or all that are allowed; fill up with copies of them, and walk
 * all. Where many have the same violation, as conditions are true or false, those below the last
 * threshold are kept, however few they are. Returns the threshold, and in *part which part was
 * kept.
 */
static double lower_level(population *p, ranked_point *rank, double *kept, int level, double last,
                          double *part) {
  const size_t d = (size_t)p->problem->d;
  const int n = p->n, steps = last > 0 ? LEVEL_STEPS : LAST_STEPS;
  for (int i = 0; i < n; ++i) rank[i] = (ranked_point){p->violation[i], i};
  qsort(rank, (size_t)n, sizeof *rank, compare_violations);
  int n_kept = n / KEPT_PART + 1;
  while (n_kept > 1 && last > 0 && rank[n_kept - 1].violation >= last) --n_kept;
  const double threshold = rank[n_kept - 1].violation;
  while (n_kept < n && rank[n_kept].violation <= threshold) ++n_kept;
  for (int i = 0; i < n_kept; ++i)
    memcpy(kept + (size_t)i * d, p->x + (size_t)rank[i].index * d, d * sizeof *kept);
  for (int i = 0; i < n; ++i) {
    memcpy(p->x + (size_t)i * d, kept + (size_t)(i % n_kept) * d, d * sizeof *kept);
    p->violation[i] = rank[i % n_kept].violation;
  }
  for (int i = 0; i < n; ++i) {
    numbers from = {.stream = {0, GANNET_FOR_ALLOWED, 2 + (uint64_t)level, (uint64_t)i}};
    p->violation[i] = walk(p, &from, steps, threshold, p->x + (size_t)i * d, p->violation[i]);
  }
  *part = (double)n_kept / n;
  return threshold;
}

static gannet_err raise_empty(const gannet_problem *problem, const population *p) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  int best = 0;
  for (int i = 0; i < p->n; ++i)
    if (p->violation[i] < p->violation[best]) best = i;
  memcpy(p->try, p->x + (size_t)best * (size_t)problem->d, (size_t)problem->d * sizeof *p->try);
  (void)gannet_allowed_complete(problem, p->try);
  gannet_problem_decode(problem, p->try, c->x_user);
  const gannet_err err = gannet_problem_check_allowed(problem, c->x_user);
  char why[500] = "";
  if (err != GANNET_OK) strncpy(why, gannet_error_detail(), sizeof why - 1);
  gannet_error_clear();
  return GANNET_RAISE(
      GANNET_ERR_INPUT,
      "no point was found that satisfies all variable constraints; of the nearest that "
      "was found: %s, or widen bounds",
      *why ? why : "a variable that an equation gives leaves its bounds; change a constraint");
}

static gannet_err find_members(gannet_problem *problem, population *p, ranked_point *rank,
                               double *kept) {
  gannet_variable_constraints *c = problem->variable_constraints;
  double best = INFINITY, part;
  int level = 0, stalled = 0;
  draw_population(p);
  c->share = 1;
  for (double threshold = INFINITY; threshold > 0; ++level) {
    threshold = lower_level(p, rank, kept, level, threshold, &part);
    c->share *= part;
    stalled = threshold < 0.99 * best ? 0 : stalled + 1;
    best = fmin(best, threshold);
    if (level == LEVELS || stalled == STALLED_LEVELS) return raise_empty(problem, p);
  }
  for (int round = 0; round < LAST_ROUNDS; ++round)
    (void)lower_level(p, rank, kept, ++level, 0, &part);
  c->n_members = p->n;
  c->member = p->x;
  p->x = NULL;
  return GANNET_OK;
}

/* The numbers of the allowed points of a discrete problem. */
static gannet_err list_points(gannet_problem *problem, int64_t n, double *x) {
  gannet_variable_constraints *c = problem->variable_constraints;
  int64_t found = 0;
  c->n_allowed = -1; /* so that points are numbered as without constraints */
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *c->allowed, &c->allowed));
  for (int64_t t = 0; t < n; ++t) {
    gannet_problem_get_point(problem, t, x);
    if (gannet_problem_allows(problem, x)) c->allowed[found++] = (int32_t)t;
  }
  c->n_allowed = found;
  c->share = (double)found / (double)n;
  GANNET_REQUIRE(found > 0, GANNET_ERR_INPUT,
                 "none of the %lld points satisfies all variable constraints; widen bounds or "
                 "change a constraint",
                 (long long)n);
  return gannet_resize((size_t)n, (size_t)found, sizeof *c->allowed, &c->allowed);
}

/* Members of a discrete problem whose allowed points are listed: evenly along the list. */
static void take_members(gannet_problem *problem, population *p) {
  gannet_variable_constraints *c = problem->variable_constraints;
  const int n = c->n_allowed < p->n ? (int)c->n_allowed : p->n;
  for (int i = 0; i < n; ++i)
    gannet_problem_get_point(problem, (int64_t)((i + 0.5) / n * (double)c->n_allowed),
                             p->x + (size_t)i * (size_t)problem->d);
  c->n_members = n;
  c->member = p->x;
  p->x = NULL;
}

static gannet_err find_allowed_part(gannet_problem *problem) {
  const size_t d = (size_t)problem->d;
  const double n_points = gannet_problem_count_points(problem);
  const int wanted = MEMBERS_PER_COORDINATE * problem->d;
  const int affordable = MOST_MEMBER_COORDINATES / (problem->d > 32 ? problem->d : 32);
  const int most = affordable < MOST_MEMBERS ? affordable : MOST_MEMBERS;
  const int fewer = wanted < most ? wanted : most;
  const int n = fewer > LEAST_MEMBERS ? fewer : LEAST_MEMBERS;
  population p = {0};
  ranked_point *rank = NULL;
  double *kept = NULL;
  gannet_err err = population_init(problem, n, &p);
  if (err == GANNET_OK && n_points <= LISTED_POINTS) {
    err = list_points(problem, (int64_t)n_points, p.try);
    if (err == GANNET_OK) take_members(problem, &p);
  } else if (err == GANNET_OK) {
    err = gannet_alloc((size_t)n, sizeof *rank, &rank);
    if (err == GANNET_OK) err = gannet_alloc((size_t)n * d, sizeof *kept, &kept);
    if (err == GANNET_OK) err = find_members(problem, &p, rank, kept);
  }
  population_release(&p);
  gannet_free(&rank);
  gannet_free(&kept);
  GANNET_TRY(err);
  return GANNET_OK;
}

gannet_err gannet_variable_constraints_set(gannet_problem *problem, int n, const char *const *texts,
                                           int *wrong) {
  gannet_variable_constraints *before = problem->variable_constraints;
  int unused;
  const bool any = n + problem->n_functions > 0 || problem->derived->demanded || problem->pin ||
                   problem->retired;
  problem->variable_constraints = NULL;
  gannet_err err = GANNET_OK;
  if (any) err = gannet_alloc(1, sizeof *before, &problem->variable_constraints);
  if (err == GANNET_OK && any)
    err = gannet_variable_constraints_read(problem, n, texts, wrong ? wrong : &unused);
  if (err == GANNET_OK && any)
    err = problem->pool ? gannet_variable_constraints_check_pool(problem, problem->pool)
                        : find_allowed_part(problem);
  if (err != GANNET_OK) {
    gannet_variable_constraints_destroy(&problem->variable_constraints);
    problem->variable_constraints = before;
    return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  }
  gannet_variable_constraints_destroy(&before);
  return GANNET_OK;
}

void gannet_allowed_draw(const gannet_problem *problem, gannet_stream stream, double *x_unit) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  const size_t d = (size_t)problem->d;
  numbers from = {.stream = stream};
  const int member = (int)(next_number(&from) * c->n_members);
  memcpy(x_unit, c->member + (size_t)member * d, d * sizeof *x_unit);
  if (c->n_allowed >= 0) {
    gannet_problem_get_point(problem, (int64_t)(next_number(&from) * (double)c->n_allowed), x_unit);
    return;
  }
  population p = {.problem = problem,
                  .n = c->n_members,
                  .x = c->member,
                  .origin = c->box,
                  .width = c->box + d,
                  .line = c->box + 2 * d,
                  .try = c->box + 3 * d};
  (void)walk(&p, &from, DRAW_STEPS, 0, x_unit, 0);
}

/* The member nearest to a point. */
static const double *nearest_member(const gannet_problem *problem, const double *x) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  const size_t d = (size_t)problem->d;
  const double *best = c->member;
  double least = INFINITY;
  for (int i = 0; i < c->n_members; ++i) {
    const double *member = c->member + (size_t)i * d;
    double sum = 0;
    for (size_t k = 0; k < d && sum < least; ++k) sum += (member[k] - x[k]) * (member[k] - x[k]);
    if (sum >= least) continue;
    least = sum;
    best = member;
  }
  return best;
}

/* Newton steps to the worst row, one after the other. Returns whether the point is allowed now. */
static bool step_inside(const gannet_problem *problem, const double *lower, const double *upper,
                        double *x) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  const size_t d = (size_t)problem->d;
  const double margin = 1e-9; /* how far inside of a row a step aims, in its scale */
  double *values = c->row_values, *slopes = c->row_slopes;
  for (int step = 0; step < NEWTON_STEPS; ++step) {
    int worst = 0;
    double square = 0;
    gannet_allowed_rows(problem, x, values, slopes);
    for (int r = 1; r < c->n_rows; ++r)
      if (values[r] > values[worst]) worst = r;
    const double *slope = slopes + (size_t)worst * d;
    for (size_t k = 0; k < d; ++k) square += slope[k] * slope[k];
    if (!(values[worst] > -margin) || !(square > 0)) return false;
    for (size_t k = 0; k < d; ++k)
      if (slope[k] != 0)
        x[k] = fmin(fmax(x[k] - (values[worst] + margin) * slope[k] / square, lower ? lower[k] : 0),
                    upper ? upper[k] : 1);
    if (gannet_allowed_complete(problem, x) == 0) return true;
  }
  return false;
}

void gannet_allowed_repair(const gannet_problem *problem, const double *base, const double *lower,
                           const double *upper, double *x_unit) {
  const gannet_variable_constraints *c = problem->variable_constraints;
  const size_t d = (size_t)problem->d;
  if (gannet_allowed_complete(problem, x_unit) == 0) return;
  double *moved = c->box + 4 * d, *from = c->box + 5 * d, low = 0, high = 1;
  memcpy(moved, x_unit, d * sizeof *moved);
  if (c->n_rows > 0 && step_inside(problem, lower, upper, moved)) {
    memcpy(x_unit, moved, d * sizeof *moved);
    return;
  }
  memcpy(from, base, d * sizeof *from);
  if (gannet_allowed_complete(problem, from) > 0)
    memcpy(from, nearest_member(problem, x_unit), d * sizeof *from);
  memcpy(moved, x_unit, d * sizeof *moved);
  memcpy(x_unit, from, d * sizeof *from);
  double *target = c->box + 6 * d;
  memcpy(target, moved, d * sizeof *moved);
  for (int i = 0; i < BISECTIONS; ++i) {
    const double t = 0.5 * (low + high);
    for (size_t k = 0; k < d; ++k) moved[k] = from[k] + t * (target[k] - from[k]);
    if (gannet_allowed_complete(problem, moved) == 0) {
      memcpy(x_unit, moved, d * sizeof *moved);
      low = t;
    } else {
      high = t;
    }
  }
}
