/* The effective configuration of a campaign: a campaign file with every default filled in, which
 * parses to the same input again, and the copy of it in the campaign directory, with a checksum.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "campaign/config/config.h"
#include "campaign/config/yaml_text.h"
#include "optimizer/options.h"
#include "problem/objectives.h"
#include "problem/outputs.h"
#include "problem/physics.h"
#include "problem/problem.h"
#include "problem/variable_constraints.h"

/* A key with a dot, case.copy, is written into a mapping: "case:" and below it "copy:". */
static void write_table(FILE *out, const char *indent, const gannet_option *table,
                        const void *target) {
  char mapping[32] = ""; /* that the lines before are in */
  for (const gannet_option *option = table; option && option->key; ++option) {
    if (option->renamed || option->flags & GANNET_OPTION_IDLE) continue;
    if (!gannet_yaml_is_set(option, target)) continue;
    const char *dot = strchr(option->key, '.'), *key = dot ? dot + 1 : option->key;
    const int length = (int)(key - option->key);
    if (dot && strncmp(mapping, option->key, (size_t)length) != 0) {
      (void)snprintf(mapping, sizeof mapping, "%.*s", length, option->key);
      (void)fprintf(out, "%s%.*s:\n", indent, length - 1, option->key);
    }
    (void)fprintf(out, "%s%s%s: ", indent, dot ? "  " : "", key);
    gannet_yaml_value(out, option, target);
    (void)fputc('\n', out);
  }
}

static void write_real(FILE *out, const char *key, double value) {
  const gannet_option option = {.key = key, .type = GANNET_REAL};
  (void)fprintf(out, ", %s: ", key);
  gannet_yaml_value(out, &option, &value);
}

static void write_list(FILE *out, int n, const char *const *texts) {
  (void)fputc('[', out);
  for (int i = 0; i < n; ++i) {
    if (i > 0) (void)fputs(", ", out);
    gannet_yaml_text(out, texts[i]);
  }
  (void)fputc(']', out);
}

static void write_key(FILE *out, const char *key, const char *text) {
  if (!text || !*text) return;
  (void)fprintf(out, ", %s: ", key);
  gannet_yaml_text(out, text);
}

/* A value as a campaign file has it. */
static void write_value(FILE *out, const char *key, const gannet_variable *variable, double value) {
  if (gannet_variable_has_words(variable))
    write_key(out, key, variable->values[(int)value]);
  else if (variable->type == GANNET_VARIABLE_BOOLEAN)
    write_key(out, key, value != 0 ? "true" : "false");
  else
    write_real(out, key, value);
}

/* The words that no proposal has any more. */
static void write_retired(FILE *out, const gannet_problem *problem, int v) {
  int n = 0;
  for (int i = 0; i < problem->spec.variables[v].n_values; ++i) {
    if (!gannet_problem_is_retired(problem, v, i)) continue;
    (void)fputs(n++ > 0 ? ", " : ", retired: [", out);
    gannet_yaml_text(out, problem->spec.variables[v].values[i]);
  }
  if (n > 0) (void)fputc(']', out);
}

static void write_variable(FILE *out, const gannet_problem *problem, int v) {
  const gannet_variable *variable = &problem->spec.variables[v];
  const bool number =
      variable->type == GANNET_VARIABLE_REAL || variable->type == GANNET_VARIABLE_INTEGER;
  const bool boxed = variable->lower != 0 || variable->upper != 0;
  double fixed;
  (void)fputs("  ", out);
  gannet_yaml_text(out, variable->name);
  (void)fprintf(out, ": {type: %s", gannet_variable_type_name(variable->type));
  if (number && boxed) {
    write_real(out, "lower", variable->lower);
    write_real(out, "upper", variable->upper);
    (void)fprintf(out, ", scale: %s", variable->scale == GANNET_SCALE_LOG ? "log" : "linear");
  }
  if (variable->step > 0) write_real(out, "step", variable->step);
  if (variable->numbers) {
    for (int i = 0; i < variable->n_values; ++i)
      (void)fprintf(out, "%s%s", i ? ", " : ", values: [", variable->values[i]);
    (void)fprintf(out, "], scale: %s", variable->scale == GANNET_SCALE_LOG ? "log" : "linear");
  } else if (variable->n_values > 1) {
    (void)fputs(", values: ", out);
    write_list(out, variable->n_values, variable->values);
  }
  if (gannet_problem_is_fixed(problem, v, &fixed)) write_value(out, "fixed", variable, fixed);
  if (!isnan(gannet_problem_pinned(problem, v))) (void)fputs(", varied: yes", out);
  write_retired(out, problem, v);
  write_key(out, "renamed_from", gannet_problem_unit(problem->renamed_from, v));
  if (variable->role == GANNET_ROLE_DERIVED) write_key(out, "expression", variable->expression);
  write_key(out, "when", variable->when);
  write_key(out, "unit", gannet_problem_unit(problem->variable_unit, v));
  if (!isnan(gannet_problem_was(problem, v)))
    write_value(out, "was", variable, gannet_problem_was(problem, v));
  (void)fputs("}\n", out);
}

static const char *goal_word(gannet_goal goal) {
  return goal == GANNET_MAXIMIZE ? "maximize" : "minimize";
}

static void write_constraint(FILE *out, const gannet_constraint *constraint,
                             const gannet_formula *formula, const char *unit) {
  const bool lower = isfinite(constraint->lower), upper = isfinite(constraint->upper);
  const gannet_option option = {.type = GANNET_REAL};
  (void)fputs("  ", out);
  gannet_yaml_text(out, constraint->name);
  (void)fprintf(out, ": {%s: ", lower ? "lower" : "upper");
  gannet_yaml_value(out, &option, lower ? &constraint->lower : &constraint->upper);
  if (lower && upper) write_real(out, "upper", constraint->upper);
  if (formula) write_key(out, "expression", formula->text);
  write_key(out, "unit", unit);
  (void)fputs("}\n", out);
}

/* One of several objectives. */
static void write_objective(FILE *out, const gannet_problem *problem, int m) {
  const gannet_objective *objective = &problem->spec.objectives[m];
  const int index = gannet_problem_objective_quantity(problem, m);
  const gannet_formula *formula = gannet_problem_formula(problem, index);
  (void)fputs("  ", out);
  gannet_yaml_text(out, objective->name);
  (void)fprintf(out, ": {goal: %s", goal_word(objective->goal));
  if (!isnan(objective->threshold)) write_real(out, "threshold", objective->threshold);
  if (!isnan(objective->noise_sd)) write_real(out, "noise", objective->noise_sd);
  if (objective->transform != GANNET_OBJECTIVE_TRANSFORM_AUTO)
    (void)fprintf(out, ", transform: %s", gannet_objective_transform_text(objective->transform));
  if (objective->keeps_penalties) (void)fputs(", penalties: no", out);
  if (formula) write_key(out, "expression", formula->text);
  write_key(out, "unit",
            index == 0 ? gannet_problem_objective_unit(problem)
                       : gannet_problem_unit(problem->constraint_unit, index - 1));
  (void)fputs("}\n", out);
}

static void write_problem(FILE *out, const gannet_problem *problem) {
  const gannet_problem_spec *spec = &problem->spec;
  (void)fputs("variables:\n", out);
  for (int v = 0; v < spec->n_variables; ++v) write_variable(out, problem, v);
  const int n_bounded = gannet_problem_n_bounded(problem);
  if (n_bounded > 0) (void)fputs("constraints:\n", out);
  for (int k = 0; k < n_bounded; ++k)
    write_constraint(out, &spec->constraints[k], gannet_problem_formula(problem, k + 1),
                     gannet_problem_unit(problem->constraint_unit, k));
  if (spec->n_objectives > 0) (void)fputs("objectives:\n", out);
  for (int m = 0; m < spec->n_objectives; ++m) write_objective(out, problem, m);
}

static void write_output(FILE *out, const gannet_output *output) {
  const gannet_option *take = gannet_option_find(gannet_output_table, "take");
  const gannet_rows *part = &output->rows;
  char rows[32] = "all";
  if (part->part != GANNET_ROWS_ALL)
    (void)snprintf(rows, sizeof rows, "%s %d", part->part == GANNET_ROWS_LAST ? "last" : "first",
                   part->n);
  (void)fputs("  ", out);
  gannet_yaml_text(out, output->name);
  (void)fputs(": {unit: ", out);
  gannet_yaml_text(out, output->unit ? output->unit : "");
  write_key(out, "file", output->file);
  write_key(out, "pattern", output->pattern);
  write_key(out, "column", output->column);
  if (output->column) {
    write_key(out, "rows", rows);
    write_key(out, "take", take->choices[output->take]);
  }
  (void)fputs("}\n", out);
}

/* The sections objective and outputs. */
static void write_outputs(FILE *out, const gannet_problem *problem) {
  const gannet_outputs *outputs = problem->outputs;
  if (!outputs) return;
  if (problem->spec.n_objectives == 0) {
    (void)fputs("objective: {name: ", out);
    gannet_yaml_text(out, outputs->objective);
    write_key(out, "expression", outputs->formula[0].text);
    write_key(out, "unit", outputs->unit);
    (void)fputs("}\n", out);
  }
  if (outputs->n > 0) (void)fputs("outputs:\n", out);
  for (int i = 0; i < outputs->n; ++i) write_output(out, &outputs->item[i]);
}

/* The designs to start with, or the file that they are in. One that is not allowed any more has
 * run: nothing is left to do with it. */
static void write_start(FILE *out, const gannet_campaign_input *input) {
  const gannet_start *start = &input->start;
  const int v = input->problem->spec.n_variables;
  char text[256];
  if (start->file) {
    (void)fputs("start: ", out);
    gannet_yaml_text(out, start->file);
    (void)fputc('\n', out);
    return;
  }
  int64_t n = 0;
  for (int64_t i = 0; i < start->n; ++i) {
    const char *between = "  - {";
    if (start->wrong && start->wrong[i]) continue;
    if (n++ == 0) (void)fputs("start:\n", out);
    for (int k = 0; k < v; ++k) {
      const double value = start->x[i * v + k];
      if (isnan(value)) continue;
      (void)fputs(between, out);
      gannet_yaml_text(out, input->problem->spec.variables[k].name);
      (void)fputs(": ", out);
      gannet_problem_format(input->problem, k, value, text, sizeof text);
      if (gannet_variable_has_words(&input->problem->spec.variables[k]))
        gannet_yaml_text(out, text);
      else
        (void)fputs(text, out);
      between = ", ";
    }
    (void)fputs("}\n", out);
  }
}

static void write_imports(FILE *out, const gannet_campaign_input *input) {
  if (input->n_imports > 0) (void)fputs("import:\n", out);
  for (int i = 0; i < input->n_imports; ++i) {
    const gannet_import_keys *keys = &input->imports[i];
    (void)fputs("  - {from: ", out);
    gannet_yaml_text(out, keys->from);
    if (keys->columns.n > 0) {
      (void)fputs(", columns: ", out);
      write_list(out, keys->columns.n, (const char *const *)keys->columns.item);
    }
    (void)fputs(keys->related ? ", related: yes}\n" : "}\n", out);
  }
}

static void write_term(FILE *out, const gannet_physics_term *term) {
  (void)fputs("        - {", out);
  if (term->coefficient) {
    (void)fputs("coefficient: ", out);
    gannet_yaml_text(out, term->coefficient);
    (void)fputs(", ", out);
  }
  (void)fputs("derivative: ", out);
  write_list(out, term->order, term->derivative);
  (void)fputs("}\n", out);
}

static void write_text(FILE *out, const char *key, const char *text) {
  if (!text) return;
  (void)fprintf(out, "      %s: ", key);
  gannet_yaml_text(out, text);
  (void)fputc('\n', out);
}

static void write_equation(FILE *out, const gannet_physics_equation *equation) {
  (void)fputs("    - name: ", out);
  gannet_yaml_text(out, equation->name);
  (void)fputs("\n      terms:\n", out);
  for (int t = 0; t < equation->n_terms; ++t) write_term(out, &equation->terms[t]);
  write_text(out, "rhs", equation->rhs);
  write_text(out, "plugin", equation->plugin);
  if (equation->n_settings == 0) return;
  (void)fputs("      settings: ", out);
  write_list(out, equation->n_settings, equation->settings);
  (void)fputc('\n', out);
}

static gannet_err write_physics(FILE *out, const gannet_campaign_input *input) {
  const gannet_physics_spec *spec = gannet_problem_get_physics(input->problem);
  if (!spec) return GANNET_OK;
  const gannet_physics_keys keys = {spec->points > 0 ? spec->points : GANNET_AUTO, spec->seed,
                                    spec->lambda2};
  (void)fputs("physics:\n", out);
  write_table(out, "  ", gannet_physics_table, &keys);
  (void)fputs("  equations:\n", out);
  for (int e = 0; e < spec->n_equations; ++e) write_equation(out, &spec->equations[e]);
  return GANNET_OK;
}

/* Effective settings of the optimiser come grouped by section. */
typedef struct {
  FILE *out;
  char section[64];
  bool several; /* objectives, which have keys of their own */
} method_writer;

static void write_method_key(void *user, const char *key, const char *text,
                             const gannet_option *option) {
  method_writer *writer = user;
  const char *dot = strchr(key, '.');
  const bool is_text = option->type == GANNET_TEXT;
  char section[64] = "";
  if (is_text && !*text && !option->fallback) return; /* not given */
  if (dot) (void)snprintf(section, sizeof section, "%.*s", (int)(dot - key), key);
  if (strcmp(section, "cost") == 0) return; /* it is the campaign's */
  if (writer->several && (strcmp(key, "transform") == 0 || strcmp(key, "penalties") == 0)) return;
  if (dot && strcmp(section, writer->section) != 0) (void)fprintf(writer->out, "%s:\n", section);
  memcpy(writer->section, section, sizeof section);
  (void)fprintf(writer->out, "%s%s: ", dot ? "  " : "", dot ? dot + 1 : key);
  if (is_text)
    gannet_yaml_text(writer->out, text);
  else
    (void)fputs(text, writer->out);
  (void)fputc('\n', writer->out);
}

static gannet_err write_all(FILE *out, const gannet_campaign_input *input) {
  gannet_optimizer_options options;
  const bool is_single = input->problem->spec.n_objectives == 0;
  method_writer method = {.out = out, .several = !is_single};
  (void)fputs(
      "# The effective configuration of a campaign, with defaults. It is a campaign file.\n", out);
  /* The goal and the noise of a single objective are left out where there are several. */
  for (const gannet_option *option = gannet_general_table; option->key; ++option) {
    const gannet_option alone[2] = {*option};
    if (is_single || (strcmp(option->key, "goal") != 0 && strcmp(option->key, "noise") != 0))
      write_table(out, "", alone, &input->general);
  }
  write_problem(out, input->problem);
  write_outputs(out, input->problem);
  write_start(out, input);
  write_imports(out, input);
  GANNET_TRY(write_physics(out, input));
  const gannet_err err = gannet_campaign_options(input, &options);
  if (err == GANNET_OK) gannet_optimizer_options_visit(&options, write_method_key, &method);
  gannet_optimizer_options_release(&options);
  GANNET_TRY(err);
  (void)fputs("cost:\n", out);
  write_table(out, "  ", gannet_cost_table, &input->cost);
  (void)fputs("budget:\n", out);
  write_table(out, "  ", gannet_budget_table, &input->budget);
  (void)fputs("  failures:\n", out);
  write_table(out, "    ", gannet_failure_table, &input->failures);
  (void)fputs("stop:\n", out);
  write_table(out, "  ", gannet_stop_table, &input->stop);
  (void)fputs("evaluate:\n", out);
  write_table(out, "  ", gannet_evaluate_table, &input->evaluate);
  write_table(out, "  ", input->evaluator->options, input->evaluator_options);
  (void)fputs("save:\n", out);
  write_table(out, "  ", gannet_save_table, &input->save);
  (void)fputs("log:\n", out);
  write_table(out, "  ", gannet_log_table, &input->log);
  return GANNET_OK;
}

/* Write a problem in the keys of a campaign file. */
static gannet_err write_description(FILE *out, const gannet_campaign_input *input) {
  const gannet_problem *problem = input->problem;
  const gannet_variable_constraints *relations = problem->variable_constraints;
  if (problem->spec.n_objectives == 0)
    (void)fprintf(out, "goal: %s\n", goal_word(problem->spec.goal));
  if (relations) {
    (void)fputs("variable_constraints: ", out);
    write_list(out, relations->n_texts, (const char *const *)relations->text);
    (void)fputc('\n', out);
  }
  write_problem(out, problem);
  write_outputs(out, problem);
  (void)fputs("budget: {evaluations: 1}\nevaluate: {backend: manual}\n", out); /* needed keys */
  return GANNET_OK;
}

/* Write into memory: a function's output becomes a text. */
static gannet_err write_into_memory(gannet_err (*write)(FILE *out,
                                                        const gannet_campaign_input *input),
                                    const gannet_campaign_input *input, char **text, size_t *size) {
  char *buffer = NULL;
  size_t length = 0;
  *text = NULL;
  FILE *out = open_memstream(&buffer, &length);
  GANNET_REQUIRE(out, GANNET_ERR_MEMORY, "effective configuration");
  gannet_err err = write(out, input);
  const bool torn = ferror(out);
  if ((fclose(out) || torn) && err == GANNET_OK)
    err = GANNET_RAISE(GANNET_ERR_MEMORY, "effective configuration");
  if (err == GANNET_OK) err = gannet_copy_text(buffer, text);
  free(buffer);
  if (err == GANNET_OK && size) *size = length;
  return err;
}

gannet_err gannet_campaign_format(const gannet_campaign_input *input, char **text, size_t *size) {
  return write_into_memory(write_all, input, text, size);
}

gannet_err gannet_campaign_format_problem(const gannet_problem *problem, char **text) {
  const gannet_campaign_input input = {.problem = (gannet_problem *)(uintptr_t)problem};
  return write_into_memory(write_description, &input, text, NULL);
}

gannet_err gannet_campaign_format_physics(const gannet_campaign_input *input, char **text) {
  return write_into_memory(write_physics, input, text, NULL);
}

/* The copy in the campaign directory. */

#define SEAL_WORDS "# checksum "
enum { SEAL = 32 }; /* room for its line */

/* "# checksum 0123456789abcdef" of all lines above it. */
static size_t format_seal(const char *text, size_t size, char seal[SEAL]) {
  return (size_t)snprintf(seal, SEAL, SEAL_WORDS "%016" PRIx64 "\n", gannet_hash(text, size));
}

gannet_err gannet_effective_write(const char *path, const gannet_campaign_input *input) {
  char *text = NULL;
  size_t size = 0;
  GANNET_TRY(gannet_campaign_format(input, &text, &size));
  gannet_err err = gannet_resize(size + 1, size + SEAL, 1, &text);
  if (err == GANNET_OK) size += format_seal(text, size, text + size);
  if (err == GANNET_OK) err = gannet_file_replace(path, text, size);
  gannet_free(&text);
  return err;
}

gannet_err gannet_effective_check(const char *path, bool *sealed) {
  char *text = NULL, seal[SEAL];
  size_t size = 0;
  GANNET_TRY(
      gannet_file_read_within(path, 2 * GANNET_CAMPAIGN_LONGEST, GANNET_ERR_DAMAGED, &text, &size));
  const size_t length = format_seal(text, 0, seal);
  bool sound = size > length;
  size_t last = size; /* where the last line begins */
  while (last > 0 && text[last - 1] == '\n') --last;
  while (last > 0 && text[last - 1] != '\n') --last;
  *sealed = strncmp(text + last, SEAL_WORDS, sizeof SEAL_WORDS - 1) == 0;
  if (sound) (void)format_seal(text, size - length, seal);
  sound = !*sealed || (sound && memcmp(text + size - length, seal, length) == 0);
  gannet_free(&text);
  GANNET_REQUIRE(sound, GANNET_ERR_DAMAGED, "'%s' is not as gannet wrote it", path);
  return GANNET_OK;
}
