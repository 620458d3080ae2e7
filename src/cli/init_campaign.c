/* The campaign file of gannet init. What it says about a key comes from the table that parses it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/config/schema.h"
#include "campaign/config/yaml_text.h"
#include "cli/init.h"

enum { WIDTH = 96, NOTE = 2048, JOINT = 1 /* a blank that does not end a line */ };

/* A comment, wrapped. */
static void put_note(FILE *out, int indent, const char *text) {
  int column = 0;
  for (const char *at = text; *at;) {
    const int size = (int)strcspn(at, " ");
    if (column > 0 && column + size + 1 > WIDTH) {
      (void)fputc('\n', out);
      column = 0;
    }
    column += column == 0 ? fprintf(out, "%*s#", indent, "") : 0;
    column += 1 + size;
    (void)fputc(' ', out);
    for (int i = 0; i < size; ++i) (void)fputc(at[i] == JOINT ? ' ' : at[i], out);
    at += size;
    at += strspn(at, " ");
  }
  (void)fputc('\n', out);
}

/* The entry of a key that holds for this back-end. */
static const gannet_option *find(const char *path, const char *backend) {
  gannet_section section;
  char full[160];
  for (int i = 0; gannet_schema_get(i, &section); ++i) {
    if (section.choice && strcmp(section.choice, backend) != 0) continue;
    for (const gannet_option *option = section.table; option && option->key; ++option) {
      (void)snprintf(full, sizeof full, "%s%s%s", section.path, *section.path ? "." : "",
                     option->key);
      if (!option->renamed && strcmp(full, path) == 0) return option;
    }
  }
  return NULL;
}

/* What a key means. */
static void explain(const init_plan *plan, FILE *out, int indent, const char *path) {
  char text[NOTE], expected[512] = "";
  const gannet_option *option = find(path, plan->backend);
  if (!option) return;
  const char *key = strrchr(path, '.');
  if (option->type != GANNET_TEXT && option->type != GANNET_TEXT_LIST)
    gannet_option_describe(option, expected, sizeof expected);
  (void)snprintf(text, sizeof text, "%s: %s%s%s%s%s (gannet\1explain\1%s)", key ? key + 1 : path,
                 option->help, *expected ? "; " : "", expected,
                 option->fallback ? "; default " : "", option->fallback ? option->fallback : "",
                 path);
  put_note(out, indent, text);
}

static void explain_section(FILE *out, const char *path) {
  char text[NOTE];
  gannet_section section;
  for (int i = 0; gannet_schema_get(i, &section); ++i) {
    if (section.selector || strcmp(section.path, path) != 0) continue;
    (void)snprintf(text, sizeof text, "%s: %s (gannet\1explain\1%s)", path, section.help, path);
    (void)fputc('\n', out);
    put_note(out, 0, text);
    return;
  }
}

/* The shortest text that gives the same number. */
static void put_number(FILE *out, double value) {
  char text[40];
  for (int digits = 6; digits <= 17; ++digits) {
    (void)snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  (void)fputs(text, out);
}

static void put_list(FILE *out, int n, const char *const *words) {
  (void)fputc('[', out);
  for (int i = 0; i < n; ++i) {
    if (i > 0) (void)fputs(", ", out);
    gannet_yaml_text(out, words[i]);
  }
  (void)fputc(']', out);
}

static void put_box(FILE *out, double lower, double upper) {
  (void)fputs("lower: ", out);
  put_number(out, lower);
  (void)fputs(", upper: ", out);
  put_number(out, upper);
}

static void put_variable(FILE *out, const init_variable *variable) {
  static const char *const types[] = {"real", "integer", "boolean", "categorical"};
  const gannet_variable *v = &variable->is;
  (void)fprintf(out, "  %s: {type: %s", v->name, types[v->type]);
  if (v->type == GANNET_VARIABLE_CATEGORICAL) {
    (void)fputs(", values: ", out);
    put_list(out, v->n_values, v->values);
  } else if (v->type != GANNET_VARIABLE_BOOLEAN) {
    (void)fputs(", ", out);
    put_box(out, v->lower, v->upper);
    if (v->scale == GANNET_SCALE_LOG) (void)fputs(", scale: log", out);
  }
  (void)fprintf(out, "}%s%s\n", variable->deck ? "   # CHANGE this range; the name is from " : "",
                variable->deck ? variable->deck : "");
}

static bool has_type(const init_plan *plan, gannet_variable_type type) {
  for (int i = 0; i < plan->n_variables; ++i)
    if (plan->variable[i].is.type == type) return true;
  return false;
}

static void put_variables(const init_plan *plan, FILE *out) {
  explain_section(out, "variables");
  explain(plan, out, 0, "variables.*.type");
  if (has_type(plan, GANNET_VARIABLE_REAL) || has_type(plan, GANNET_VARIABLE_INTEGER)) {
    explain(plan, out, 0, "variables.*.lower");
    explain(plan, out, 0, "variables.*.upper");
    explain(plan, out, 0, "variables.*.scale");
  }
  if (has_type(plan, GANNET_VARIABLE_CATEGORICAL)) explain(plan, out, 0, "variables.*.values");
  (void)fputs("variables:\n", out);
  for (int i = 0; i < plan->n_variables; ++i) put_variable(out, &plan->variable[i]);
}

static void put_constraints(const init_plan *plan, FILE *out) {
  explain_section(out, "constraints");
  if (plan->n_constraints == 0) {
    (void)fputs("# constraints:\n#   peak_stress: {upper: 110}\n", out);
    return;
  }
  explain(plan, out, 0, "constraints.*.lower");
  explain(plan, out, 0, "constraints.*.upper");
  (void)fputs("constraints:\n", out);
  for (int i = 0; i < plan->n_constraints; ++i) {
    const gannet_constraint *c = &plan->constraint[i];
    (void)fprintf(out, "  %s: {", c->name);
    if (isfinite(c->lower) && isfinite(c->upper)) {
      put_box(out, c->lower, c->upper);
    } else {
      (void)fputs(isfinite(c->lower) ? "lower: " : "upper: ", out);
      put_number(out, isfinite(c->lower) ? c->lower : c->upper);
    }
    (void)fputs("}\n", out);
  }
}

static void put_budget(const init_plan *plan, FILE *out) {
  explain_section(out, "budget");
  (void)fputs("budget:\n", out);
  explain(plan, out, 2, "budget.evaluations");
  (void)fprintf(out, "  evaluations: %d\n", plan->evaluations);
  explain(plan, out, 2, "budget.wall_time");
  (void)fprintf(out, "  %swall_time: %s\n", plan->wall_time ? "" : "# ",
                plan->wall_time ? plan->wall_time : "4h");
}

/* Options of sbatch for the jobs of evaluations. */
static void put_sbatch(const init_plan *plan, FILE *out) {
  char text[INIT_TEXT];
  explain(plan, out, 2, "evaluate.sbatch");
  if (*plan->site.accounts) (void)fprintf(out, "  # accounts of yours: %s\n", plan->site.accounts);
  (void)fprintf(out, "  sbatch: [\"--ntasks=%d\"", plan->tasks);
  if (plan->partition_name) {
    (void)snprintf(text, sizeof text, "--partition=%s", plan->partition_name);
    (void)fputs(", ", out);
    gannet_yaml_text(out, text);
  }
  if (plan->account) {
    (void)snprintf(text, sizeof text, "--account=%s", plan->account);
    (void)fputs(", ", out);
    gannet_yaml_text(out, text);
  }
  (void)fputs("]\n", out);
  const bool is_array = plan->script && strcmp(plan->script->name, "no-resident-process") == 0;
  if (is_array) {
    explain(plan, out, 2, "evaluate.submit");
    (void)fputs("  submit: array\n", out);
  }
}

static void put_key_text(const init_plan *plan, FILE *out, const char *key, const char *text) {
  char path[80];
  if (!text) return;
  (void)snprintf(path, sizeof path, "evaluate.%s", key);
  explain(plan, out, 2, path);
  (void)fprintf(out, "  %s: ", key);
  gannet_yaml_text(out, text);
  (void)fputc('\n', out);
}

static void put_key_list(const init_plan *plan, FILE *out, const char *key,
                         const gannet_text_list *list) {
  char path[80];
  if (list->n == 0) return;
  (void)snprintf(path, sizeof path, "evaluate.%s", key);
  explain(plan, out, 2, path);
  (void)fprintf(out, "  %s: ", key);
  put_list(out, list->n, (const char *const *)list->item);
  (void)fputc('\n', out);
}

/* Every mpirun would otherwise bind its processes to the first cores. */
static void put_binding(const init_plan *plan, FILE *out) {
  if (strcmp(plan->backend, "command") != 0 || plan->parallel == 1 || plan->command.n == 0 ||
      (strcmp(plan->command.item[0], "mpirun") != 0 &&
       strcmp(plan->command.item[0], "mpiexec") != 0))
    return;
  explain(plan, out, 2, "evaluate.environment");
  (void)fputs(
      "  # These two keep several mpirun at a time from binding to the same cores.\n"
      "  environment: [\"OMPI_MCA_hwloc_base_binding_policy=none\", "
      "\"PRTE_MCA_hwloc_default_binding_policy=none\"]\n",
      out);
}

static void put_evaluate(const init_plan *plan, FILE *out) {
  explain_section(out, "evaluate");
  (void)fputs("evaluate:\n", out);
  put_key_text(plan, out, "backend", plan->backend);
  put_key_list(plan, out, "command", &plan->command);
  put_binding(plan, out);
  put_key_text(plan, out, "shell", plan->shell);
  put_key_text(plan, out, "simulation", plan->simulation);
  put_key_text(plan, out, "plugin", plan->plugin);
  put_key_list(plan, out, "templates", &plan->templates);
  put_key_list(plan, out, "placeholders", &plan->placeholders);
  put_key_list(plan, out, "pattern", &plan->patterns);
  if (strcmp(plan->backend, "slurm") == 0) put_sbatch(plan, out);
  if (strcmp(plan->backend, "manual") == 0) return;
  explain(plan, out, 2, "evaluate.parallel");
  (void)fprintf(out, "  parallel: %d\n", plan->parallel);
  explain(plan, out, 2, "evaluate.time_limit");
  (void)fprintf(out, "  %stime_limit: %s\n", plan->time_limit ? "" : "# ",
                plan->time_limit ? plan->time_limit : "1h");
}

void init_put_campaign(const init_plan *plan, FILE *out) {
  (void)fprintf(out,
                "# What is tuned, how it is simulated, when to stop: a campaign file of gannet, "
                "begun by gannet init.\n"
                "#   gannet run --dry-run %s\n"
                "# checks it, and\n"
                "#   gannet explain KEY\n"
                "# tells type, range, unit, default and an example of any key.\n\n",
                plan->file);
  explain(plan, out, 0, "goal");
  (void)fprintf(out, "goal: %s\n", plan->goal);
  put_variables(plan, out);
  put_constraints(plan, out);
  (void)fputc('\n', out);
  explain(plan, out, 0, "method");
  (void)fprintf(out, "method: %s\n\n", plan->method);
  explain(plan, out, 0, "batch");
  (void)fprintf(out, "batch: %d\n\n", plan->batch);
  explain(plan, out, 0, "noise");
  (void)fputs("noise: auto\n\n", out);
  explain(plan, out, 0, "seed");
  (void)fputs("seed: 1\n", out);
  put_budget(plan, out);
  put_evaluate(plan, out);
}
