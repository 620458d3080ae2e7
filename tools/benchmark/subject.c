#include "benchmark/subject.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "campaign/config/config.h"
#include "optimizer/models/pde_constraint.h"
#include "simulations/fronts/front.h"
#include "simulations/registry.h"

enum { VARIABLES_MOST = 10000 };

/* "name:d" or "name:d:lower:upper", the name with "/objectives" behind it or without. */
typedef struct {
  char name[48];
  int d;
  int objectives; /* 0 = not told */
  bool boxed;
  double lower, upper;
} problem_words;

/* The number behind a colon or a slash. */
static bool read_number(const char **at, double *number) {
  char *end = NULL;
  if (**at != ':' && **at != '/') return false;
  *number = strtod(*at + 1, &end);
  if (end == *at + 1 || !isfinite(*number)) return false;
  *at = end;
  return true;
}

static bool read_words(const char *text, problem_words *w) {
  const size_t length = strcspn(text, ":/");
  const char *at = text + length;
  double d = 0, objectives = 0;
  if (length == 0 || length >= sizeof w->name) return false;
  if (*at == '/' && !read_number(&at, &objectives)) return false;
  if (objectives != floor(objectives) || objectives < 0 || objectives > GANNET_OBJECTIVES_MOST)
    return false;
  if (!read_number(&at, &d)) return false;
  if (d != floor(d) || d < 1 || d > VARIABLES_MOST) return false;
  memcpy(w->name, text, length);
  w->d = (int)d;
  w->objectives = (int)objectives;
  w->boxed = *at != '\0';
  if (!w->boxed) return true;
  return read_number(&at, &w->lower) && read_number(&at, &w->upper) && *at == '\0' &&
         w->lower < w->upper;
}

/* Problems that do not tell where their minimum is leave it NAN. A minimum on an edge may be moved
 * onto another one by rounding. */
static gannet_err check_minimum(const char *text, const bench_problem *p, const double *minimizer) {
  for (int k = 0; k < p->d; ++k) {
    const double slack = 1e-9 * (p->upper[k] - p->lower[k]);
    GANNET_REQUIRE(
        isnan(minimizer[k]) ||
            (minimizer[k] >= p->lower[k] - slack && minimizer[k] <= p->upper[k] + slack),
        GANNET_ERR_INPUT,
        "%s: the known minimum has x%d = %g, outside of %g to %g, so that regret would never be 0; "
        "widen the box",
        text, k + 1, minimizer[k], p->lower[k], p->upper[k]);
  }
  return GANNET_OK;
}

/* minimizer: [d], workspace */
static gannet_err settle_box(const char *text, const problem_words *w, bench_problem *p,
                             double *minimizer) {
  for (int k = 0; k < p->d; ++k) minimizer[k] = NAN;
  GANNET_REQUIRE(
      p->type->box && p->type->box(p->d, p->lower, p->upper, &p->minimum, minimizer) == 0,
      GANNET_ERR_INPUT, "%s: no known minimum in %d dimensions", text, p->d);
  GANNET_REQUIRE(p->type->n_constraints == 0, GANNET_ERR_INPUT,
                 "%s has constraints; choose a problem without any", text);
  if (w->boxed) gannet_benchmark_cube(p->d, w->lower, w->upper, p->lower, p->upper);
  return check_minimum(text, p, minimizer);
}

static gannet_err read_box(const char *text, const problem_words *w, bench_problem *p) {
  const size_t d = (size_t)p->d;
  double *minimizer = NULL;
  GANNET_TRY(gannet_alloc(d, sizeof *p->lower, &p->lower));
  GANNET_TRY(gannet_alloc(d, sizeof *p->upper, &p->upper));
  GANNET_TRY(gannet_alloc(d, sizeof *minimizer, &minimizer));
  const gannet_err err = settle_box(text, w, p, minimizer);
  gannet_free(&minimizer);
  return err;
}

/* The problem's own settings at their defaults, with as many objectives as are wanted. */
static gannet_err make_settings(bench_problem *p) {
  bool chooses = false; /* the number of objectives */
  for (const gannet_option *o = p->type->options; o && o->key; ++o)
    chooses = chooses || strcmp(o->key, "objectives") == 0;
  gannet_complaints complaints = {0};
  GANNET_TRY(gannet_alloc(1, p->type->options_size, &p->settings));
  gannet_err err =
      gannet_options_apply(p->type->options, "settings", 0, NULL, p->settings, &complaints);
  if (err == GANNET_OK) err = gannet_complaints_raise(&complaints);
  gannet_complaints_release(&complaints);
  if (err == GANNET_OK && chooses && p->objectives > 2)
    ((gannet_front_settings *)p->settings)->objectives = p->objectives;
  return err;
}

/* The number of objectives, that of the type unless it is told. */
static gannet_err find_objectives(const char *text, bench_problem *p) {
  double reference[GANNET_OBJECTIVES_MOST], hypervolume = NAN;
  const int most = p->type->front ? p->type->front(p->settings, reference, &hypervolume) : 1;
  if (p->objectives == 0) p->objectives = most;
  GANNET_REQUIRE(p->objectives <= most, GANNET_ERR_INPUT,
                 "%s: '%s' has %d objectives; expected no more than these", text, p->type->name,
                 most);
  return GANNET_OK;
}

gannet_err bench_problem_read(const char *text, bench_problem *p) {
  problem_words words = {0};
  GANNET_REQUIRE(read_words(text, &words), GANNET_ERR_INPUT,
                 "%s: expected name:dimension or name:dimension:lower:upper, dimension from 1 to "
                 "%d and lower below upper, as in ackley:10:-5:10, or name/objectives:dimension, "
                 "at most %d objectives, as in dtlz2/3:10",
                 text, VARIABLES_MOST, GANNET_OBJECTIVES_MOST);
  p->d = words.d;
  p->objectives = words.objectives;
  (void)snprintf(p->name, sizeof p->name, "%s", text);
  GANNET_TRY(gannet_simulation_find(words.name, &p->type));
  GANNET_TRY(read_box(text, &words, p));
  GANNET_TRY(make_settings(p));
  return find_objectives(text, p);
}

void bench_problem_release(bench_problem *p) {
  if (p->settings) gannet_options_release(p->type->options, p->settings, p->type->options_size);
  gannet_free(&p->settings);
  gannet_free(&p->lower);
  gannet_free(&p->upper);
}

gannet_err bench_problem_value(const bench_problem *p, const double *x, double *value) {
  const gannet_simulation_input input = {.abi = GANNET_SIMULATION_ABI,
                                         .comm = MPI_COMM_SELF,
                                         .attempt = 1,
                                         .n_variables = p->d,
                                         .x = x};
  gannet_quantity quantities[GANNET_SIMULATION_QUANTITIES_MOST];
  gannet_simulation_output output = {0};
  const int failed = p->type->run(p->settings, &input, &output, quantities);
  GANNET_REQUIRE(failed == 0 && !output.cannot_run, GANNET_ERR_NUMERIC, "%s: %s", p->name,
                 output.reason);
  *value = output.objective;
  for (int m = 0; p->type->front && m < p->objectives; ++m) value[m] = output.quantities[m].value;
  return GANNET_OK;
}

enum { NAME_SIZE = 16 };

static gannet_err state_physics(const bench_problem *p, gannet_problem *space) {
  char *text = NULL;
  if (!p->type->physics) return GANNET_OK;
  const size_t size = (size_t)p->type->physics(p->d, NULL, 0) + 1;
  GANNET_TRY(gannet_alloc(size, 1, &text));
  (void)p->type->physics(p->d, text, size);
  const gannet_err err = gannet_physics_parse(text, space);
  gannet_free(&text);
  return err;
}

gannet_err bench_problem_space(const bench_problem *p, bool physics, gannet_problem **space) {
  gannet_variable *variable = NULL;
  char(*name)[NAME_SIZE] = NULL;
  gannet_err err = gannet_alloc((size_t)p->d, sizeof *variable, &variable);
  if (err == GANNET_OK) err = gannet_alloc((size_t)p->d, sizeof *name, &name);
  for (int k = 0; k < p->d && err == GANNET_OK; ++k) {
    (void)snprintf(name[k], NAME_SIZE, "x%d", k + 1);
    variable[k] = (gannet_variable){
        .name = name[k], .type = GANNET_VARIABLE_REAL, .lower = p->lower[k], .upper = p->upper[k]};
  }
  gannet_problem_spec spec = {.n_variables = p->d, .variables = variable, .noise_sd = NAN};
  gannet_objective objective[GANNET_OBJECTIVES_MOST];
  for (int m = 0; p->objectives > 1 && m < p->objectives; ++m)
    objective[m] = (gannet_objective){.name = p->type->name_quantity(p->settings, m),
                                      .goal = GANNET_MINIMIZE,
                                      .threshold = NAN,
                                      .noise_sd = NAN};
  if (p->objectives > 1) spec.n_objectives = p->objectives;
  spec.objectives = objective;
  if (err == GANNET_OK) err = gannet_problem_create(&spec, space);
  if (err == GANNET_OK && physics) err = state_physics(p, *space);
  gannet_free(&variable);
  gannet_free(&name);
  return err;
}

static gannet_err add_setting(bench_method *m, const char *key, char *text) {
  char *equals = strchr(text, '=');
  GANNET_REQUIRE(m->n_settings < BENCH_SETTINGS_MOST, GANNET_ERR_INPUT,
                 "too many settings; give fewer");
  GANNET_REQUIRE(key || equals, GANNET_ERR_INPUT, "'%s': expected key=value", text);
  if (!key) *equals = '\0';
  m->setting[m->n_settings++] =
      (gannet_method_setting){.key = key ? key : text, .text = key ? text : equals + 1};
  return GANNET_OK;
}

gannet_err bench_method_read(const char *text, const gannet_text_list *shared, bench_method *m) {
  size_t length = strlen(text) + 1, at = strcspn(text, "+");
  for (int i = 0; i < shared->n; ++i) length += strlen(shared->item[i]) + 1;
  m->name = text;
  GANNET_TRY(gannet_alloc(length, 1, &m->text));
  memcpy(m->text, text, at);
  for (int i = 0; i < shared->n; ++i)
    at += (size_t)snprintf(m->text + at, length - at, "+%s", shared->item[i]);
  (void)snprintf(m->text + at, length - at, "%s", text + strcspn(text, "+"));
  char *rest = m->text;
  for (const char *key = "method"; rest; key = NULL) {
    char *plus = strchr(rest, '+');
    if (plus) *plus = '\0';
    GANNET_TRY(add_setting(m, key, rest));
    rest = plus ? plus + 1 : NULL;
  }
  return GANNET_OK;
}

bool bench_method_takes_equations(const bench_method *m) {
  for (int i = 0; gannet_methods[i]; ++i)
    if (strcmp(gannet_methods[i]->name, m->setting[0].text) == 0)
      return gannet_method_takes_equations(gannet_methods[i]);
  return false;
}

void bench_method_release(bench_method *m) {
  gannet_free(&m->text);
}
