#include "campaign/config/config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/config/yaml_text.h"
#include "optimizer/governing.h"
#include "problem/physics.h"
#include "problem/problem.h"

static void write_table(FILE *out, const char *indent, const gannet_option *table,
                        const void *target) {
  for (const gannet_option *option = table; option && option->key; ++option) {
    if (option->renamed || !gannet_yaml_is_set(option, target)) continue;
    (void)fprintf(out, "%s%s: ", indent, option->key);
    gannet_yaml_value(out, option, target);
    (void)fputc('\n', out);
  }
}

static void write_real(FILE *out, const char *key, double value) {
  const gannet_option option = {.key = key, .type = GANNET_REAL};
  (void)fprintf(out, ", %s: ", key);
  gannet_yaml_value(out, &option, &value);
}

static void write_unit(FILE *out, const char *unit) {
  if (!*unit) return;
  (void)fputs(", unit: ", out);
  gannet_yaml_text(out, unit);
}

static void write_variable(FILE *out, const gannet_variable *variable, const char *unit) {
  static const char *const types[] = {"real", "integer", "boolean", "categorical"};
  (void)fputs("  ", out);
  gannet_yaml_text(out, variable->name);
  (void)fprintf(out, ": {type: %s", types[variable->type]);
  if (variable->type == GANNET_VARIABLE_REAL || variable->type == GANNET_VARIABLE_INTEGER) {
    write_real(out, "lower", variable->lower);
    write_real(out, "upper", variable->upper);
    (void)fprintf(out, ", scale: %s", variable->scale == GANNET_SCALE_LOG ? "log" : "linear");
  }
  for (int i = 0; i < variable->n_values; ++i) {
    (void)fputs(i ? ", " : ", values: [", out);
    gannet_yaml_text(out, variable->values[i]);
  }
  if (variable->n_values > 0) (void)fputs("]", out);
  write_unit(out, unit);
  (void)fputs("}\n", out);
}

static void write_constraint(FILE *out, const gannet_constraint *constraint, const char *unit) {
  const bool lower = isfinite(constraint->lower), upper = isfinite(constraint->upper);
  const gannet_option option = {.type = GANNET_REAL};
  (void)fputs("  ", out);
  gannet_yaml_text(out, constraint->name);
  (void)fprintf(out, ": {%s: ", lower ? "lower" : "upper");
  gannet_yaml_value(out, &option, lower ? &constraint->lower : &constraint->upper);
  if (lower && upper) write_real(out, "upper", constraint->upper);
  write_unit(out, unit);
  (void)fputs("}\n", out);
}

static void write_problem(FILE *out, const gannet_problem *problem) {
  const gannet_problem_spec *spec = &problem->spec;
  (void)fputs("variables:\n", out);
  for (int v = 0; v < spec->n_variables; ++v)
    write_variable(out, &spec->variables[v], gannet_problem_unit(problem->variable_unit, v));
  if (spec->n_constraints > 0) (void)fputs("constraints:\n", out);
  for (int k = 0; k < spec->n_constraints; ++k)
    write_constraint(out, &spec->constraints[k], gannet_problem_unit(problem->constraint_unit, k));
}

static void write_term(FILE *out, const gannet_physics_term *term) {
  (void)fputs("        - {", out);
  if (term->coefficient) {
    (void)fputs("coefficient: ", out);
    gannet_yaml_text(out, term->coefficient);
    (void)fputs(", ", out);
  }
  (void)fputs("derivative: [", out);
  for (int i = 0; i < term->order; ++i) {
    if (i > 0) (void)fputs(", ", out);
    gannet_yaml_text(out, term->derivative[i]);
  }
  (void)fputs("]}\n", out);
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
  (void)fputs("      settings: [", out);
  for (int i = 0; i < equation->n_settings; ++i) {
    if (i > 0) (void)fputs(", ", out);
    gannet_yaml_text(out, equation->settings[i]);
  }
  (void)fputs("]\n", out);
}

static void write_physics(FILE *out, const gannet_physics_spec *spec) {
  if (!spec) return;
  const gannet_physics_keys keys = {spec->points > 0 ? spec->points : GANNET_AUTO, spec->seed,
                                    spec->lambda2};
  (void)fputs("physics:\n", out);
  write_table(out, "  ", gannet_physics_table, &keys);
  (void)fputs("  equations:\n", out);
  for (int e = 0; e < spec->n_equations; ++e) write_equation(out, &spec->equations[e]);
}

/* Effective settings of the optimiser come grouped by section. */
typedef struct {
  FILE *out;
  char section[64];
} method_writer;

static void write_method_key(void *user, const char *key, const char *text,
                             const gannet_option *option) {
  method_writer *writer = user;
  const char *dot = strchr(key, '.');
  const bool is_text = option->type == GANNET_TEXT;
  char section[64] = "";
  if (is_text && !*text && !option->fallback) return; /* not given */
  if (dot) (void)snprintf(section, sizeof section, "%.*s", (int)(dot - key), key);
  if (dot && strcmp(section, writer->section) != 0) (void)fprintf(writer->out, "%s:\n", section);
  memcpy(writer->section, section, sizeof section);
  (void)fprintf(writer->out, "%s%s: ", dot ? "  " : "", dot ? dot + 1 : key);
  if (is_text)
    gannet_yaml_text(writer->out, text);
  else
    (void)fputs(text, writer->out);
  (void)fputc('\n', writer->out);
}

gannet_err gannet_campaign_options(const gannet_campaign_input *input,
                                   gannet_optimizer_options *options) {
  const size_t n = (size_t)input->n_method;
  gannet_complaints complaints = {0};
  gannet_setting *settings = NULL;
  *options = (gannet_optimizer_options){0};
  GANNET_TRY(gannet_alloc(n, sizeof *settings, &settings));
  for (size_t i = 0; i < n; ++i)
    settings[i] = (gannet_setting){.key = input->method[i].key, .text = input->method[i].text};
  gannet_err err = gannet_optimizer_options_parse((int)n, settings, options, &complaints);
  if (err == GANNET_OK) err = gannet_governing_join(options, input->problem, &complaints);
  if (err == GANNET_OK) err = gannet_complaints_raise(&complaints);
  gannet_complaints_release(&complaints);
  gannet_free(&settings);
  return err;
}

static gannet_err write_method(FILE *out, const gannet_campaign_input *input) {
  gannet_optimizer_options options;
  method_writer writer = {.out = out};
  const gannet_err err = gannet_campaign_options(input, &options);
  if (err == GANNET_OK) gannet_optimizer_options_visit(&options, write_method_key, &writer);
  gannet_optimizer_options_release(&options);
  return err;
}

static gannet_err write_all(FILE *out, const gannet_campaign_input *input) {
  (void)fputs(
      "# The effective configuration of a campaign, with defaults. It is a campaign file.\n", out);
  write_table(out, "", gannet_general_table, &input->general);
  write_problem(out, input->problem);
  write_physics(out, gannet_problem_get_physics(input->problem));
  GANNET_TRY(write_method(out, input));
  (void)fputs("budget:\n", out);
  write_table(out, "  ", gannet_budget_table, &input->budget);
  (void)fputs("  failures:\n", out);
  write_table(out, "    ", gannet_failure_table, &input->failures);
  (void)fputs("evaluate:\n", out);
  write_table(out, "  ", gannet_evaluate_table, &input->evaluate);
  write_table(out, "  ", input->evaluator->options, input->evaluator_options);
  (void)fputs("save:\n", out);
  write_table(out, "  ", gannet_save_table, &input->save);
  (void)fputs("log:\n", out);
  write_table(out, "  ", gannet_log_table, &input->log);
  return GANNET_OK;
}

typedef gannet_err writer_of(FILE *out, const gannet_campaign_input *input);

static gannet_err format(writer_of *write, const gannet_campaign_input *input, char **text,
                         size_t *size) {
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
  return format(write_all, input, text, size);
}

static gannet_err write_equations(FILE *out, const gannet_campaign_input *input) {
  write_physics(out, gannet_problem_get_physics(input->problem));
  return GANNET_OK;
}

gannet_err gannet_campaign_format_physics(const gannet_campaign_input *input, char **text) {
  return format(write_equations, input, text, NULL);
}
