/* Built-in simulations, called inside the job. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "evaluate/backends.h"
#include "evaluate/in_process/in_process.h"
#include "problem/objectives.h"
#include "problem/outputs.h"

enum {
  MOST_NAMES = 128,
  NAME_SIZE = 64
}; /* of variables or constraints of a built-in simulation */

static const gannet_option options[] = {
    {.key = "simulation",
     .type = GANNET_TEXT,
     .offset = offsetof(gannet_in_process_options, target),
     .flags = GANNET_OPTION_REQUIRED,
     .help = "name of a built-in simulation (gannet list shows all)",
     .example = "branin"},
    GANNET_IN_PROCESS_OPTIONS,
    {0}};

typedef struct {
  const gannet_simulation_type *type;
  void *options; /* of the simulation; NULL when it has none */
  gannet_quantity quantities[GANNET_SIMULATION_QUANTITIES_MOST]; /* of its last run */
} target;

static const gannet_option no_options[] = {{0}};

static const gannet_option *table_of(const gannet_simulation_type *type) {
  return type->options ? type->options : no_options;
}

static gannet_err find_simulation(const gannet_in_process_options *chosen,
                                  const gannet_evaluator_setup *setup,
                                  const gannet_simulation_type **type) {
  int index = 0;
  GANNET_REQUIRE(setup->simulations && setup->simulations[0], GANNET_ERR_NAME,
                 "simulation '%s': this program has no built-in simulations; use backend: command",
                 chosen->target);
  GANNET_TRY(gannet_name_find("simulation", chosen->target ? chosen->target : "",
                              (const void *const *)setup->simulations, &index));
  *type = setup->simulations[index];
  return GANNET_OK;
}

/* Split texts "key=value" into settings of the simulation's own table. */
static gannet_err split_texts(const gannet_text_list *texts, char **keys, gannet_setting *settings,
                              int *n) {
  for (int i = 0; i < texts->n; ++i) {
    GANNET_TRY(gannet_copy_text(texts->item[i], &keys[i]));
    char *equals = strchr(keys[i], '=');
    if (!equals) continue; /* complained about by gannet_in_process_check */
    *equals = '\0';
    settings[*n] =
        (gannet_setting){.key = keys[i], .text = equals + 1, .location = "evaluate.settings"};
    *n += 1;
  }
  return GANNET_OK;
}

static gannet_err parse_settings(const gannet_text_list *texts, const gannet_option *table,
                                 void *values, gannet_complaints *complaints) {
  char **keys = NULL;
  gannet_setting *settings = NULL;
  int n = 0;
  gannet_err err = gannet_alloc((size_t)texts->n, sizeof *keys, &keys);
  if (err == GANNET_OK) err = gannet_alloc((size_t)texts->n, sizeof *settings, &settings);
  if (err == GANNET_OK) err = split_texts(texts, keys, settings, &n);
  if (err == GANNET_OK)
    err = gannet_options_apply(table, "evaluate.settings", n, settings, values, complaints);
  for (int i = 0; keys && i < texts->n; ++i) gannet_free(&keys[i]);
  gannet_free(&keys);
  gannet_free(&settings);
  return err;
}

static void release_target(void *pointer) {
  target *made = pointer;
  if (made->options)
    gannet_options_release(table_of(made->type), made->options, made->type->options_size);
  gannet_free(&made->options);
  gannet_free(&made);
}

/* Make a target with the options of the simulation, or complain. */
static gannet_err make_target(const gannet_in_process_options *chosen,
                              const gannet_simulation_type *type, gannet_complaints *complaints,
                              target **made) {
  GANNET_TRY(gannet_alloc(1, sizeof **made, made));
  (*made)->type = type;
  GANNET_TRY(gannet_alloc(1, type->options_size, &(*made)->options));
  return parse_settings(&chosen->settings, table_of(type), (*made)->options, complaints);
}

/* Whether a simulation exists with d variables, as far as its published box and its options say. */
static bool exists(const target *made, int d, double *room) {
  const gannet_simulation_type *type = made->type;
  if (type->least_d && d < type->least_d(made->options)) return false;
  return !type->box || type->box(d, room, room + d, NULL, NULL) == 0;
}

/* Complain where a test problem of any dimension does not exist in that of the campaign. */
static gannet_err check_dimension(const target *made, int d, gannet_complaints *complaints) {
  enum { TRIED = 16 };
  double *room = NULL;
  int least = 1;
  if (made->type->fixed_d || made->type->name_variable) return GANNET_OK;
  GANNET_TRY(gannet_alloc(2 * (size_t)(d > TRIED ? d : TRIED), sizeof *room, &room));
  while (least < TRIED && !exists(made, least, room)) ++least;
  if (!exists(made, d, room) && d < least)
    gannet_complain(complaints, "evaluate.simulation",
                    "'%s' with these settings takes at least %d variables, the campaign has %d; "
                    "give it more, or choose another (gannet list simulations)",
                    made->type->name, least, d);
  else if (!exists(made, d, room))
    gannet_complain(complaints, "evaluate.simulation",
                    "'%s' does not exist with %d variables; choose another (gannet list "
                    "simulations)",
                    made->type->name, d);
  gannet_free(&room);
  return GANNET_OK;
}

static void check_sizes(const gannet_simulation_type *type, const gannet_problem_spec *spec,
                        gannet_complaints *complaints) {
  if (type->fixed_d && type->fixed_d != spec->n_variables)
    gannet_complain(complaints, "evaluate.simulation",
                    "'%s' takes %d variables, the campaign has %d; give it as many, or choose "
                    "another (gannet list simulations)",
                    type->name, type->fixed_d, spec->n_variables);
  const int n_bounded = gannet_spec_n_bounded(spec);
  if (n_bounded > 0 && type->n_constraints == 0 && !type->name_quantity)
    gannet_complain(complaints, "evaluate.simulation",
                    "'%s' computes no constraints, the campaign names %d; leave constraints out, "
                    "or choose another simulation (gannet list simulations)",
                    type->name, n_bounded);
}

typedef struct {
  int n;
  char name[MOST_NAMES][NAME_SIZE];
  const char *known[MOST_NAMES + 1];
  char list[MOST_NAMES * (NAME_SIZE + 2)];
} name_list;

static void add_name(name_list *names, const char *name) {
  const size_t used = strlen(names->list);
  if (names->n == MOST_NAMES) return;
  (void)snprintf(names->name[names->n], NAME_SIZE, "%s", name);
  (void)snprintf(names->list + used, sizeof names->list - used, "%s%.*s", used ? ", " : "",
                 NAME_SIZE - 1, name);
  names->known[names->n] = names->name[names->n];
  names->known[++names->n] = NULL;
}

static bool has_name(const name_list *names, const char *name) {
  for (int j = 0; j < names->n; ++j)
    if (strcmp(names->known[j], name) == 0) return true;
  return false;
}

/* What is said when the simulation has no such name. */
typedef struct {
  const char *section, *lacks, *known;
} wording;

static void check_name(const gannet_simulation_type *type, const wording *words,
                       const name_list *names, const char *name, gannet_complaints *complaints) {
  char key[80];
  if (has_name(names, name)) return;
  const char *near = gannet_nearest(name, names->known);
  (void)snprintf(key, sizeof key, "%s.%.63s", words->section, name);
  gannet_complain(complaints, key, "simulation '%s' %s of this name; %s%s%s%s: %s", type->name,
                  words->lacks, near ? "did you mean '" : "", near ? near : "", near ? "'? " : "",
                  words->known, names->list);
}

/* A constraint may also bound a quantity that the simulation reports. */
static void check_constraints(const target *made, const gannet_problem_spec *spec,
                              gannet_complaints *complaints) {
  static const wording words = {"constraints", "computes none", "known"};
  const gannet_simulation_type *type = made->type;
  name_list names = {.n = 0};
  char own[16];
  for (int j = 0; j < type->n_constraints; ++j) {
    (void)snprintf(own, sizeof own, "c%d", j + 1);
    add_name(&names, type->constraints ? type->constraints[j] : own);
  }
  for (int j = 0; type->name_quantity && type->name_quantity(made->options, j); ++j)
    if (!has_name(&names, type->name_quantity(made->options, j)))
      add_name(&names, type->name_quantity(made->options, j));
  for (int j = 0; names.n > 0 && j < gannet_spec_n_bounded(spec); ++j)
    check_name(type, &words, &names, spec->constraints[j].name, complaints);
}

static void check_variables(const target *made, const gannet_problem_spec *spec,
                            gannet_complaints *complaints) {
  static const wording words = {"variables", "has no variable", "known with these settings"};
  name_list names = {.n = 0};
  char name[NAME_SIZE];
  if (!made->type->name_variable) return;
  for (int i = 0; made->type->name_variable(made->options, i, name, sizeof name); ++i)
    add_name(&names, name);
  for (int k = 0; k < spec->n_variables; ++k)
    check_name(made->type, &words, &names, spec->variables[k].name, complaints);
}

/* Each of several objectives is a quantity that the simulation reports, or made of some. */
static void check_objectives(const gannet_simulation_type *type, const name_list *names,
                             const gannet_problem *problem, gannet_complaints *complaints) {
  static const wording words = {"objectives", "computes none", "known"};
  if (!type->name_quantity) {
    gannet_complain(complaints, "evaluate.simulation",
                    "'%s' has a single objective, the campaign names %d; choose another "
                    "(gannet list simulations)",
                    type->name, problem->spec.n_objectives);
    return;
  }
  for (int m = 0; m < problem->spec.n_objectives; ++m)
    if (!gannet_problem_formula(problem, gannet_problem_objective_quantity(problem, m)))
      check_name(type, &words, names, problem->spec.objectives[m].name, complaints);
}

/* The objective is what the simulation computes, or is made of what it reports. */
static void check_objective(const target *made, const gannet_problem *problem,
                            gannet_complaints *complaints) {
  const gannet_simulation_type *type = made->type;
  const bool has_formula = gannet_problem_formula(problem, 0) != NULL;
  name_list names = {.n = 0};
  for (int i = 0; type->name_quantity && type->name_quantity(made->options, i); ++i)
    add_name(&names, type->name_quantity(made->options, i));
  if (problem->spec.n_objectives > 0) {
    check_objectives(type, &names, problem, complaints);
    return;
  }
  if (has_formula && !type->name_quantity)
    gannet_complain(complaints, "objective.expression",
                    "built-in simulations compute the objective themselves; leave it out");
  if (has_formula || !type->front) return;
  gannet_complain(
      complaints, "evaluate.simulation",
      "'%s' has several objectives, %s; expected 'objectives: {%s: {}, %s: {}}', or one "
      "that is made of them, as in 'objective: {expression: %s + %s}'",
      type->name, names.list, names.known[0], names.known[1], names.known[0], names.known[1]);
}

static gannet_err check(const void *given, const gannet_evaluator_setup *setup,
                        gannet_complaints *complaints) {
  const gannet_in_process_options *chosen = given;
  const gannet_simulation_type *type = NULL;
  target *made = NULL;
  gannet_in_process_check(chosen, setup, complaints);
  /* A file that has other mistakes, of which nobody knows yet what is to run it. */
  if (!setup->context && !setup->simulations) return GANNET_OK;
  if (find_simulation(chosen, setup, &type) != GANNET_OK) {
    gannet_complain(complaints, "evaluate.simulation", "%s", gannet_error_detail());
    gannet_error_clear();
    return GANNET_OK;
  }
  if (setup->problem) check_sizes(type, &setup->problem->spec, complaints);
  const int before = complaints->count;
  gannet_err err = make_target(chosen, type, complaints, &made);
  if (err == GANNET_OK && setup->problem && complaints->count == before) {
    check_variables(made, &setup->problem->spec, complaints);
    check_constraints(made, &setup->problem->spec, complaints);
    check_objective(made, setup->problem, complaints);
    err = check_dimension(made, setup->problem->spec.n_variables, complaints);
  }
  if (made) release_target(made);
  return err;
}

static gannet_err make_call(const gannet_in_process_options *chosen,
                            const gannet_evaluator_setup *setup, gannet_in_process_call *call) {
  const gannet_simulation_type *type = NULL;
  gannet_complaints complaints = {0};
  target *made = NULL;
  GANNET_TRY(find_simulation(chosen, setup, &type));
  gannet_err err = make_target(chosen, type, &complaints, &made);
  if (err == GANNET_OK) err = gannet_complaints_raise(&complaints);
  gannet_complaints_release(&complaints);
  call->target = made;
  call->n_constraints = type->n_constraints;
  return err;
}

static int run_simulation(void *pointer, const gannet_simulation_input *input,
                          gannet_simulation_output *output) {
  target *made = pointer;
  return made->type->run(made->options, input, output, made->quantities);
}

static gannet_err create(const void *given, const gannet_evaluator_setup *setup, void **state) {
  const gannet_in_process_options *chosen = given;
  gannet_in_process_call call = {.run = run_simulation, .release = release_target};
  const gannet_err local = make_call(chosen, setup, &call);
  return gannet_in_process_create(chosen, setup, &call, local, state);
}

const gannet_evaluator_type gannet_evaluator_function = {
    .name = "function",
    .summary = "a built-in simulation, run in gannet's own processes on groups of ranks",
    .options = options,
    .options_size = sizeof(gannet_in_process_options),
    .check = check,
    .create = create,
    .destroy = gannet_in_process_destroy,
    .submit = gannet_in_process_submit,
    .poll = gannet_in_process_poll,
    .cancel = gannet_in_process_cancel,
    .withdraw = gannet_in_process_withdraw,
};
