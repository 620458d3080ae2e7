#include "suite/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "campaign/config/config.h"
#include "optimizer/models/pde_constraint.h"
#include "problem/problem.h"
#include "simulations/registry.h"
#include "suite/plan_parts.h"
#include "suite/subject.h"

int64_t suite_plan_count(const suite_plan *plan) {
  return (int64_t)plan->n_problems * plan->n_methods * plan->keys.runs;
}

suite_cell suite_plan_cell(const suite_plan *plan, int64_t number) {
  const int64_t pair = number / plan->keys.runs;
  return (suite_cell){.problem = (int)(pair / plan->n_methods),
                      .method = (int)(pair % plan->n_methods),
                      .seed = plan->keys.first_seed + number % plan->keys.runs};
}

const gannet_campaign_input *suite_plan_input(const suite_plan *plan, suite_cell cell) {
  return plan->input[cell.problem * plan->n_methods + cell.method];
}

uint64_t suite_plan_key(const suite_plan *plan, suite_cell cell) {
  return plan->key[cell.problem * plan->n_methods + cell.method];
}

void suite_plan_release(suite_plan *plan) {
  for (int i = 0; plan->input && i < plan->n_problems * plan->n_methods; ++i)
    gannet_campaign_destroy(&plan->input[i]);
  for (int p = 0; p < plan->n_problems; ++p) {
    suite_problem *problem = &plan->problem[p];
    gannet_options_release(suite_problem_table, &problem->keys, sizeof problem->keys);
    gannet_free(&problem->label);
    gannet_free(&problem->constraint_sd);
    gannet_free(&problem->skipped);
  }
  for (int k = 0; k < plan->n_methods; ++k) gannet_free(&plan->method[k].label);
  for (int t = 0; t < plan->n_tables; ++t) gannet_free(&plan->table_label[t]);
  gannet_free(&plan->input);
  gannet_free(&plan->key);
  gannet_free(&plan->problem);
  gannet_free(&plan->method);
  gannet_free(&plan->table_label);
  gannet_free(&plan->file);
  gannet_options_release(suite_table, &plan->keys, sizeof plan->keys);
}

/* The campaign of a problem and a method, from the sections of both. */

enum { WHERE = 512, BOUND_TEXT = 96, MOST_KEYS = 64 };

typedef struct {
  gannet_tree_file tree;
  gannet_complaints *complaints;
} composer;

/* Set a key of the campaign. The text is a name of at most 100 characters. */
static gannet_err set_name(composer *made, const char *key, const char *text) {
  char setting[256];
  (void)snprintf(setting, sizeof setting, "%s=%s", key, text);
  return gannet_tree_override(&made->tree, setting, made->complaints);
}

static gannet_err set_whole(composer *made, const char *key, int value) {
  char setting[64];
  (void)snprintf(setting, sizeof setting, "%s=%d", key, value);
  return gannet_tree_override(&made->tree, setting, made->complaints);
}

static gannet_err copy_child(composer *made, const gannet_tree *child) {
  gannet_tree *copy = NULL;
  GANNET_TRY(gannet_tree_add(&made->tree.root, &copy));
  return gannet_tree_copy(child, copy);
}

/* Set the method by its name, where the suite gives nothing else, in a list or as a key. */
static gannet_err name_method(composer *made, const gannet_tree *node, const char *name) {
  gannet_tree *child = NULL;
  GANNET_TRY(gannet_tree_add(&made->tree.root, &child));
  child->source = node->source;
  child->position = node->key_position.line > 0 ? node->key_position : node->position;
  GANNET_TRY(gannet_copy_text("method", &child->key));
  return gannet_copy_text(name, &child->text);
}

static gannet_err copy_method(composer *made, const gannet_tree *node, const char *label) {
  const char *keys[MOST_KEYS];
  if (node->kind == GANNET_TREE_TEXT)
    return name_method(made, node, node->empty || !*node->text ? label : node->text);
  suite_method_keys(keys, MOST_KEYS);
  for (int i = 0; i < node->n; ++i) { /* others were complained about */
    int k = 0;
    while (keys[k] && strcmp(keys[k], node->child[i].key) != 0) ++k;
    if (keys[k]) GANNET_TRY(copy_child(made, &node->child[i]));
  }
  if (gannet_tree_find(node, "method")) return GANNET_OK;
  /* A portfolio under a name of the user's needs no method, as in a campaign file. */
  const bool is_mix = gannet_tree_find(node, "portfolio") && !suite_is_method(label);
  return name_method(made, node, is_mix ? "auto" : label);
}

/* Set the equations that a function obeys, unless the problem moves it or states others. */
static gannet_err set_physics(composer *made, const gannet_simulation_type *type, int d,
                              const gannet_tree *node) {
  static const char *const key = "physics.equations=";
  const gannet_tree *evaluate = gannet_tree_find(node, "evaluate");
  char *text = NULL;
  if (!type->physics || gannet_tree_find(node, "physics")) return GANNET_OK;
  if (gannet_tree_find(gannet_tree_find(evaluate, "settings"), "shift")) return GANNET_OK;
  const size_t length = strlen(key), size = (size_t)type->physics(d, NULL, 0) + 1;
  GANNET_TRY(gannet_alloc(length + size, 1, &text));
  memcpy(text, key, length);
  (void)type->physics(d, text + length, size);
  const gannet_err err = gannet_tree_override(&made->tree, text, made->complaints);
  gannet_free(&text);
  return err;
}

/* Whether a method of this name takes equations. One that does not exist is complained about when
 * the campaign is read. */
static bool name_takes_equations(const gannet_tree *name) {
  const gannet_method *method = NULL;
  if (!name || !name->text) return false;
  if (gannet_method_find(name->text, &method) == GANNET_OK)
    return gannet_method_takes_equations(method);
  gannet_error_clear();
  return false;
}

/* Whether the model of a method takes equations: that of its own surrogate, of a member of its
 * portfolio, or of its row. */
static bool takes_equations(const gannet_tree *root) {
  const gannet_tree *surrogate = gannet_tree_find(root, "surrogate");
  const gannet_tree *type = gannet_tree_find(surrogate, "type");
  const gannet_tree *portfolio = gannet_tree_find(root, "portfolio");
  if (surrogate && surrogate->kind == GANNET_TREE_TEXT) type = surrogate;
  for (int i = 0; type && type->text && gannet_surrogate_types[i]; ++i)
    if (strcmp(gannet_surrogate_types[i]->name, type->text) == 0)
      return gannet_surrogate_types[i]->set_pde_constraint != NULL;
  if (!portfolio) return name_takes_equations(gannet_tree_find(root, "method"));
  for (int i = 0; i < portfolio->n; ++i)
    if (name_takes_equations(&portfolio->child[i])) return true;
  return false;
}

/* Remove the equations, for a method that takes none. */
static void drop_physics(composer *made) {
  gannet_tree *root = &made->tree.root;
  for (int i = 0; i < root->n; ++i) {
    if (strcmp(root->child[i].key, "physics") != 0) continue;
    gannet_tree_clear(&root->child[i]);
    gannet_free(&root->child[i].key);
    memmove(root->child + i, root->child + i + 1, (size_t)(root->n - i - 1) * sizeof *root->child);
    root->n -= 1;
    return;
  }
}

/* Set the variables to the box of a function: "variables={x1: {lower: -5, upper: 10}, ...}". */
static gannet_err set_variables(composer *made, const gannet_simulation_type *type, int d,
                                const char *where, const char *label) {
  const size_t size = (size_t)d * BOUND_TEXT + 32;
  double *lower = NULL;
  char *text = NULL;
  gannet_err err = gannet_alloc(2 * (size_t)d, sizeof *lower, &lower);
  if (err == GANNET_OK) err = gannet_alloc(size, 1, &text);
  if (err == GANNET_OK && type->box(d, lower, lower + d, NULL, NULL) == 0) {
    size_t at = (size_t)snprintf(text, size, "variables={");
    for (int i = 0; i < d; ++i)
      at += (size_t)snprintf(text + at, size - at, "%sx%d: {lower: %.17g, upper: %.17g}",
                             i ? ", " : "", i + 1, lower[i], lower[d + i]);
    (void)snprintf(text + at, size - at, "}");
    err = gannet_tree_override(&made->tree, text, made->complaints);
  } else if (err == GANNET_OK) {
    gannet_complain(made->complaints, where,
                    "problems.%s: '%s' does not exist in %d dimensions; choose another dimension",
                    label, type->name, d);
  }
  gannet_free(&text);
  gannet_free(&lower);
  return err;
}

/* Set the published objectives of a function that has several, each with its reference as
 * threshold.
 */
static gannet_err set_objectives(composer *made, const gannet_simulation_type *type,
                                 const gannet_tree *node) {
  suite_front front;
  if (!type->front || gannet_tree_find(node, "objectives")) return GANNET_OK;
  GANNET_TRY(suite_plan_front(type, node, &front));
  for (int i = 0; i < front.m; ++i) {
    char text[128];
    (void)snprintf(text, sizeof text, "objectives.%.63s.threshold=%.17g", front.name[i],
                   front.reference[i]);
    GANNET_TRY(gannet_tree_override(&made->tree, text, made->complaints));
  }
  return GANNET_OK;
}

/* Set the keys that the function of a problem stands for, except those that the problem has. */
static gannet_err add_function(composer *made, const suite_problem *problem,
                               const gannet_tree *node) {
  const gannet_simulation_type *type = NULL;
  const gannet_tree *function = gannet_tree_find(node, "function");
  char where[WHERE];
  gannet_tree_location(function, where, sizeof where);
  if (gannet_simulation_find(problem->keys.function, &type) != GANNET_OK) {
    gannet_complain(made->complaints, where, "problems.%s.function: %s", node->key,
                    gannet_error_detail());
    gannet_error_clear();
    return GANNET_OK;
  }
  GANNET_TRY(set_name(made, "evaluate.backend", "function"));
  GANNET_TRY(set_name(made, "evaluate.simulation", type->name));
  GANNET_TRY(set_objectives(made, type, node));
  if (!gannet_tree_find(node, "constraints"))
    for (int i = 0; i < type->n_constraints; ++i) {
      char text[64];
      (void)snprintf(text, sizeof text, "constraints.c%d.upper=0", i + 1);
      GANNET_TRY(gannet_tree_override(&made->tree, text, made->complaints));
    }
  if (gannet_tree_find(node, "variables")) return GANNET_OK;
  const int d = problem->d ? problem->d : type->fixed_d;
  if (!type->box)
    gannet_complain(made->complaints, where,
                    "problems.%s: '%s' has no published box; give its variables", node->key,
                    type->name);
  else if (d == 0)
    gannet_complain(made->complaints, where,
                    "problems.%s: missing key 'dimension', for '%s' exists in any; add it, as in "
                    "'dimension: 10'",
                    node->key, type->name);
  else if (type->fixed_d && d != type->fixed_d)
    gannet_complain(made->complaints, where,
                    "problems.%s.dimension: '%s' has %d variables; leave dimension out", node->key,
                    type->name, type->fixed_d);
  if (made->complaints->count > 0) return GANNET_OK;
  GANNET_TRY(set_physics(made, type, d, node));
  return set_variables(made, type, d, where, node->key);
}

static gannet_err compose(composer *made, const suite_plan *plan, const suite_nodes *nodes, int p,
                          int k) {
  const suite_problem *problem = &plan->problem[p];
  made->tree.root.kind = GANNET_TREE_MAPPING;
  made->tree.root.source = nodes->root->source;
  for (int s = 0; suite_problem_sections[s]; ++s) {
    const gannet_tree *child = gannet_tree_find(nodes->problem[p], suite_problem_sections[s]);
    if (child) GANNET_TRY(copy_child(made, child));
  }
  if (problem->keys.function) GANNET_TRY(add_function(made, problem, nodes->problem[p]));
  GANNET_TRY(copy_method(made, nodes->method[k], plan->method[k].label));
  if (!takes_equations(&made->tree.root)) drop_physics(made);
  GANNET_TRY(set_name(made, "name", problem->label));
  if (problem->initial > 0 && !gannet_tree_find(&made->tree.root, "initial"))
    GANNET_TRY(set_whole(made, "initial", problem->initial));
  GANNET_TRY(set_whole(made, "batch", problem->batch));
  return set_whole(made, "budget.evaluations", problem->budget);
}

/* Make the input of problem p and method k; complain about what is wrong. */
static gannet_err compose_input(const suite_plan *plan, const suite_nodes *nodes, int p, int k,
                                gannet_campaign_input **input, gannet_complaints *complaints) {
  gannet_complaints local = {0};
  composer made = {.complaints = &local};
  gannet_err err = compose(&made, plan, nodes, p, k);
  if (err == GANNET_OK && local.count == 0)
    err = gannet_campaign_parse_tree(plan->file, &made.tree, input, &local);
  if (err == GANNET_OK && *input && strcmp((*input)->evaluator->name, "manual") == 0)
    gannet_complain(&local, gannet_campaign_location(*input, "evaluate.backend"),
                    "problems.%s: backend manual leaves the simulations to you, and a suite runs "
                    "its own; choose another back-end",
                    plan->problem[p].label);
  if (err == GANNET_ERR_INPUT) {
    gannet_error_clear();
    err = GANNET_OK;
  }
  gannet_complaints_merge(&local, complaints);
  gannet_complaints_release(&local);
  gannet_tree_release(&made.tree);
  return err;
}

/* Noise as published: a share of the standard deviation over uniform points. */

enum { POINTS = 10000 };

/* Mean and sum of squared deviations of each quantity, updated point by point (Welford 1962). */
typedef struct {
  int n;
  double *mean, *squares; /* [1 + n_constraints] */
} spread;

static gannet_err measure_spread(suite_subject *subject, const gannet_problem *problem,
                                 double *buffer, spread *s) {
  const int quantities = 1 + problem->spec.n_constraints;
  const size_t d = (size_t)problem->d, nv = (size_t)problem->spec.n_variables;
  double *unit = buffer, *x = unit + d, *values = x + nv;
  const gannet_stream stream = {1, GANNET_FOR_SIMULATION, 0, 0};
  s->mean = values + quantities;
  s->squares = s->mean + quantities;
  for (int i = 0; i < POINTS; ++i) {
    const gannet_result_record *result = NULL;
    gannet_random_uniform(stream, (uint64_t)i * d, d, unit);
    gannet_problem_spread(problem, 1, unit);
    gannet_problem_decode(problem, unit, x);
    GANNET_TRY(suite_subject_evaluate(subject, 1, i, x, &result));
    if (result->status != GANNET_EVAL_DONE) continue;
    values[0] = result->objective;
    for (int j = 1; j < quantities; ++j) values[j] = result->constraints[j - 1];
    s->n += 1;
    for (int j = 0; j < quantities; ++j) {
      const double away = values[j] - s->mean[j];
      s->mean[j] += away / s->n;
      s->squares[j] += away * (values[j] - s->mean[j]);
    }
  }
  GANNET_REQUIRE(s->n >= 2, GANNET_ERR_INPUT,
                 "noise: none of %d uniform points could be evaluated, so its level is not known",
                 POINTS);
  return GANNET_OK;
}

/* Standard deviations of the noise of problem p. */
static gannet_err find_noise(suite_plan *plan, int p) {
  suite_problem *problem = &plan->problem[p];
  const gannet_campaign_input *input = plan->input[p * plan->n_methods];
  const gannet_problem *space = input->problem;
  const size_t quantities = 1 + (size_t)space->spec.n_constraints;
  suite_subject *subject = NULL;
  spread s = {0};
  double *buffer = NULL;
  GANNET_REQUIRE(strcmp(input->evaluator->name, "function") == 0, GANNET_ERR_INPUT,
                 "problems.%s: noise in shares of the spread is for built-in functions, which can "
                 "be called %d times; let the simulation add its own",
                 problem->label, POINTS);
  const suite_subject_setup setup = {
      .input = input, .input_directory = plan->input_directory, .directory = ".", .batch = 1};
  gannet_err err = suite_subject_create(&setup, &subject);
  if (err == GANNET_OK)
    err = gannet_alloc((size_t)space->d + (size_t)space->spec.n_variables + 3 * quantities,
                       sizeof *buffer, &buffer);
  if (err == GANNET_OK) err = measure_spread(subject, space, buffer, &s);
  if (err == GANNET_OK) problem->noise_sd = problem->keys.noise * sqrt(s.squares[0] / (s.n - 1));
  if (err == GANNET_OK && problem->keys.constraint_noise > 0)
    err = gannet_alloc(quantities - 1, sizeof *problem->constraint_sd, &problem->constraint_sd);
  for (size_t j = 1; err == GANNET_OK && problem->constraint_sd && j < quantities; ++j)
    problem->constraint_sd[j - 1] = problem->keys.constraint_noise * sqrt(s.squares[j] / (s.n - 1));
  gannet_free(&buffer);
  suite_subject_destroy(&subject);
  return err;
}

/* The whole plan. */

/* The fingerprint: the effective campaign, which has every setting of the method, and the noise. */
static gannet_err find_key(const suite_plan *plan, int p, int k, uint64_t *key) {
  const suite_problem *problem = &plan->problem[p];
  char *text = NULL;
  size_t size = 0;
  GANNET_TRY(gannet_campaign_format(plan->input[p * plan->n_methods + k], &text, &size));
  const struct {
    uint64_t campaign;
    double noise, constraint_noise;
  } all = {gannet_hash(text, size), problem->keys.noise, problem->keys.constraint_noise};
  gannet_free(&text);
  *key = gannet_hash(&all, sizeof all);
  return GANNET_OK;
}

/* Put the campaigns of all pairs together, also of a suite with mistakes: those of a problem or a
 * method do not hide those of another. */
static gannet_err compose_all(suite_plan *plan, const suite_nodes *nodes,
                              gannet_complaints *complaints) {
  const size_t pairs = (size_t)plan->n_problems * (size_t)plan->n_methods;
  GANNET_TRY(gannet_alloc(pairs, sizeof(gannet_campaign_input *), &plan->input));
  GANNET_TRY(gannet_alloc(pairs, sizeof *plan->key, &plan->key));
  for (int p = 0; p < plan->n_problems; ++p) {
    if (!plan->problem[p].label) continue; /* its keys are wrong */
    GANNET_TRY(suite_plan_complete(plan, nodes, p, complaints));
    for (int k = 0; k < plan->n_methods; ++k) {
      const size_t at = (size_t)p * (size_t)plan->n_methods + (size_t)k;
      GANNET_TRY(compose_input(plan, nodes, p, k, &plan->input[at], complaints));
      if (!plan->input[at]) continue;
      GANNET_TRY(find_key(plan, p, k, &plan->key[at]));
      GANNET_TRY(
          gannet_campaign_add_candidates(MPI_COMM_SELF, plan->file, plan->input[at], complaints));
    }
  }
  return GANNET_OK;
}

static gannet_err read_plan(const gannet_campaign_source *source, suite_plan *plan,
                            gannet_complaints *complaints) {
  gannet_tree_file tree = {0};
  suite_nodes nodes = {0};
  gannet_err err = gannet_tree_parse(source->file, source->text, source->size, &tree, complaints);
  for (int i = 0; err == GANNET_OK && tree.usable && i < source->n_sets; ++i)
    err = gannet_tree_override(&tree, source->sets[i], complaints);
  const gannet_tree *variables = gannet_tree_find(&tree.root, "variables");
  if (err == GANNET_OK && tree.usable && variables && !gannet_tree_find(&tree.root, "problems")) {
    char where[WHERE];
    gannet_tree_key_location(variables, where, sizeof where);
    gannet_complain(complaints, where,
                    "variables are those of a campaign, which `gannet run` takes; a suite has "
                    "problems and methods");
  } else if (err == GANNET_OK && tree.usable) {
    err = suite_plan_read(source->file, &tree.root, plan, &nodes, complaints);
    if (err == GANNET_OK) err = compose_all(plan, &nodes, complaints);
  }
  if (err == GANNET_OK) err = gannet_complaints_raise(complaints);
  gannet_free(&nodes.problem);
  gannet_free(&nodes.method);
  gannet_tree_release(&tree);
  return err;
}

/* Rank 0 finds the levels of the noise, so that all ranks have the same bits. */
static gannet_err share_noise(MPI_Comm comm, suite_plan *plan, int p) {
  suite_problem *problem = &plan->problem[p];
  const int n = plan->input[p * plan->n_methods]->problem->spec.n_constraints;
  int rank = 0;
  if (problem->keys.noise == 0 && problem->keys.constraint_noise == 0) return GANNET_OK;
  GANNET_TRY_MPI(MPI_Comm_rank(comm, &rank));
  gannet_err err = rank == 0 ? find_noise(plan, p) : GANNET_OK;
  if (rank > 0 && problem->keys.constraint_noise > 0)
    err = gannet_alloc((size_t)n, sizeof *problem->constraint_sd, &problem->constraint_sd);
  GANNET_TRY(gannet_agree(comm, err));
  GANNET_TRY_MPI(MPI_Bcast(&problem->noise_sd, 1, MPI_DOUBLE, 0, comm));
  if (problem->constraint_sd)
    GANNET_TRY_MPI(MPI_Bcast(problem->constraint_sd, n, MPI_DOUBLE, 0, comm));
  return GANNET_OK;
}

gannet_err suite_plan_load(MPI_Comm comm, const char *path, int n_sets, const char *const *sets,
                           suite_plan *plan, gannet_complaints *complaints) {
  gannet_campaign_source source = {.file = path, .n_sets = n_sets, .sets = sets};
  char *text = NULL;
  memset(plan, 0, sizeof *plan);
  /* Relative paths of a suite file start where it lies. */
  gannet_directory_of(path, plan->input_directory, sizeof plan->input_directory);
  gannet_err err = gannet_campaign_file_share(comm, path, &text, &source.size);
  if (err == GANNET_OK) {
    source.text = text;
    err = gannet_copy_text(path, &plan->file);
    if (err == GANNET_OK) err = read_plan(&source, plan, complaints);
    err = gannet_agree(comm, err);
  }
  gannet_free(&text);
  for (int p = 0; p < plan->n_problems && err == GANNET_OK; ++p) err = share_noise(comm, plan, p);
  GANNET_TRY(err);
  return GANNET_OK;
}
