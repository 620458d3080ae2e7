/* The texts of gannet init: the campaign file, the job script and the example of a simulation. What
 * the campaign file says about a key comes from the table that parses it.
 */
#define _GNU_SOURCE /* memmem */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/embed.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "campaign/config/schema.h"
#include "campaign/config/yaml_text.h"
#include "cli/init/init.h"

enum { WIDTH = 96, NOTE = 2048, JOINT = 1 /* a blank that does not end a line */ };

/* Write a comment, wrapped. */
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
static const gannet_option *find_option(const char *path, const char *backend) {
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

/* Write a comment that says what a key means. */
static void explain_key(const init_plan *plan, FILE *out, int indent, const char *path) {
  char text[NOTE], expected[512] = "";
  const gannet_option *option = find_option(path, plan->backend);
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

static void put_number(FILE *out, double value) {
  char text[40];
  gannet_format_number(value, text, sizeof text);
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
  explain_key(plan, out, 0, "variables.*.type");
  if (has_type(plan, GANNET_VARIABLE_REAL) || has_type(plan, GANNET_VARIABLE_INTEGER)) {
    explain_key(plan, out, 0, "variables.*.lower");
    explain_key(plan, out, 0, "variables.*.upper");
    explain_key(plan, out, 0, "variables.*.scale");
  }
  if (has_type(plan, GANNET_VARIABLE_CATEGORICAL)) explain_key(plan, out, 0, "variables.*.values");
  (void)fputs("variables:\n", out);
  for (int i = 0; i < plan->n_variables; ++i) put_variable(out, &plan->variable[i]);
}

static void put_constraints(const init_plan *plan, FILE *out) {
  explain_section(out, "constraints");
  if (plan->n_constraints == 0) {
    (void)fputs("# constraints:\n#   peak_stress: {upper: 110}\n", out);
    return;
  }
  explain_key(plan, out, 0, "constraints.*.lower");
  explain_key(plan, out, 0, "constraints.*.upper");
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

static void put_objective(const gannet_objective *objective, FILE *out) {
  (void)fprintf(out, "  %s: {goal: %s", objective->name,
                objective->goal == GANNET_MAXIMIZE ? "maximize" : "minimize");
  if (!isnan(objective->threshold)) {
    (void)fputs(", threshold: ", out);
    put_number(out, objective->threshold);
  }
  (void)fputs("}\n", out);
}

/* Write what is searched for: the goal of a single objective, or several objectives. */
static void put_goal(const init_plan *plan, FILE *out) {
  if (plan->n_objectives == 0) {
    (void)fputc('\n', out);
    explain_key(plan, out, 0, "goal");
    (void)fprintf(out, "goal: %s\n", plan->goal);
    return;
  }
  explain_section(out, "objectives");
  explain_key(plan, out, 0, "objectives.*.goal");
  explain_key(plan, out, 0, "objectives.*.threshold");
  explain_key(plan, out, 0, "objectives.*.noise");
  (void)fputs("objectives:\n", out);
  for (int m = 0; m < plan->n_objectives; ++m) put_objective(&plan->objective[m], out);
}

/* Where the reported numbers come from, and what they mean: comments to start from. */
static void put_outputs(const init_plan *plan, FILE *out) {
  if (strcmp(plan->backend, "command") != 0 && strcmp(plan->backend, "slurm") != 0) return;
  if (plan->n_objectives == 0) {
    explain_section(out, "objective");
    (void)fputs("# objective: drag\n", out);
  }
  explain_section(out, "outputs");
  const char *name = plan->n_objectives == 0 ? "drag" : plan->objective[0].name;
  (void)fprintf(out,
                "# outputs:\n#   %s: {file: forces.dat, column: %s, rows: last 200, take: mean}\n",
                name, plan->n_objectives == 0 ? "Cd" : name);
}

static void put_budget(const init_plan *plan, FILE *out) {
  explain_section(out, "budget");
  (void)fputs("budget:\n", out);
  explain_key(plan, out, 2, "budget.evaluations");
  (void)fprintf(out, "  evaluations: %d\n", plan->evaluations);
  explain_key(plan, out, 2, "budget.wall_time");
  (void)fprintf(out, "  %swall_time: %s\n", plan->wall_time ? "" : "# ",
                plan->wall_time ? plan->wall_time : "4h");
}

/* Options of sbatch for the jobs of evaluations. */
static void put_sbatch(const init_plan *plan, FILE *out) {
  char text[INIT_TEXT];
  const bool counts_tasks = plan->gpus == 0; /* else evaluate.resources do */
  const char *comma = counts_tasks ? ", " : "";
  if (counts_tasks || plan->partition_name || plan->account)
    explain_key(plan, out, 2, "evaluate.sbatch");
  if (*plan->site.accounts) (void)fprintf(out, "  # accounts of yours: %s\n", plan->site.accounts);
  if (counts_tasks || plan->partition_name || plan->account) {
    (void)fputs("  sbatch: [", out);
    if (counts_tasks) (void)fprintf(out, "\"--ntasks=%d\"", plan->tasks);
    if (plan->partition_name) {
      (void)snprintf(text, sizeof text, "--partition=%s", plan->partition_name);
      (void)fputs(comma, out);
      gannet_yaml_text(out, text);
      comma = ", ";
    }
    if (plan->account) {
      (void)snprintf(text, sizeof text, "--account=%s", plan->account);
      (void)fputs(comma, out);
      gannet_yaml_text(out, text);
    }
    (void)fputs("]\n", out);
  }
  const bool is_array = plan->script && strcmp(plan->script->name, "no-resident-process") == 0;
  if (is_array) {
    explain_key(plan, out, 2, "evaluate.submit");
    (void)fputs("  submit: array\n", out);
  }
}

static void put_key_text(const init_plan *plan, FILE *out, const char *key, const char *text) {
  char path[80];
  if (!text) return;
  (void)snprintf(path, sizeof path, "evaluate.%s", key);
  explain_key(plan, out, 2, path);
  (void)fprintf(out, "  %s: ", key);
  gannet_yaml_text(out, text);
  (void)fputc('\n', out);
}

static void put_key_list(const init_plan *plan, FILE *out, const char *key,
                         const gannet_text_list *list) {
  char path[80];
  if (list->n == 0) return;
  (void)snprintf(path, sizeof path, "evaluate.%s", key);
  explain_key(plan, out, 2, path);
  (void)fprintf(out, "  %s: ", key);
  put_list(out, list->n, (const char *const *)list->item);
  (void)fputc('\n', out);
}

/* Environment for several mpirun at a time. Without it each would bind its processes to the first
 * cores. */
static void put_binding(const init_plan *plan, FILE *out) {
  if (strcmp(plan->backend, "command") != 0 || plan->parallel == 1 || plan->command.n == 0 ||
      (strcmp(plan->command.item[0], "mpirun") != 0 &&
       strcmp(plan->command.item[0], "mpiexec") != 0))
    return;
  explain_key(plan, out, 2, "evaluate.environment");
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
  if (plan->gpus > 0) {
    explain_key(plan, out, 2, "evaluate.resources.gpus");
    (void)fprintf(out, "  resources: {tasks: %d, gpus: %d}\n", plan->tasks, plan->gpus);
  }
  explain_key(plan, out, 2, "evaluate.parallel");
  if (plan->parallel_follows)
    (void)fputs("  parallel: auto\n", out);
  else
    (void)fprintf(out, "  parallel: %d\n", plan->parallel);
  explain_key(plan, out, 2, "evaluate.time_limit");
  (void)fprintf(out, "  %stime_limit: %s\n", plan->time_limit ? "" : "# ",
                plan->time_limit ? plan->time_limit : "1h");
}

void init_put_campaign(const init_plan *plan, FILE *out) {
  (void)fprintf(out,
                "# What is tuned, how it is simulated, when to stop: a campaign file of gannet, "
                "begun by gannet init.\n"
                "#   gannet run --dry-run %s\n"
                "# checks it.\n"
                "#   gannet explain KEY\n"
                "# explains a key: type, range, unit, default and an example.\n",
                plan->file);
  put_goal(plan, out);
  put_variables(plan, out);
  put_constraints(plan, out);
  put_outputs(plan, out);
  (void)fputc('\n', out);
  explain_key(plan, out, 0, "method");
  (void)fprintf(out, "method: %s\n\n", plan->method);
  explain_key(plan, out, 0, "batch");
  if (plan->batch > 0)
    (void)fprintf(out, "batch: %d\n\n", plan->batch);
  else
    (void)fputs("batch: auto\n\n", out);
  if (plan->n_objectives == 0) {
    explain_key(plan, out, 0, "noise");
    (void)fputs("noise: auto\n\n", out);
  }
  explain_key(plan, out, 0, "seed");
  (void)fputs("seed: 1\n", out);
  put_budget(plan, out);
  put_evaluate(plan, out);
}

/* The job script. */

#define SCRIPT(symbol, file, which)                                \
  GANNET_EMBED(init_##symbol, INIT_SCRIPTS "/" file ".sh");        \
  static const char *symbol##_text(size_t *size) {                 \
    *size = (size_t)(init_##symbol##_end - init_##symbol##_begin); \
    return init_##symbol##_begin;                                  \
  }                                                                \
  static const init_script symbol = {.name = file, .backend = which, .text = symbol##_text}

SCRIPT(one_job, "one-job-per-evaluation", "slurm");
SCRIPT(no_resident, "no-resident-process", "slurm");
SCRIPT(inside, "inside-an-allocation", "command");

const init_script *const init_scripts[] = {&one_job, &no_resident, &inside, NULL};

static bool begins_with(const char *line, const char *with) {
  return strncmp(line, with, strlen(with)) == 0;
}

/* An option of sbatch in a script. */
static void put_sbatch_option(FILE *out, const char *name, const char *value) {
  if (value) (void)fprintf(out, "#SBATCH --%s=\"%s\"\n", name, value);
}

/* Whether simulations run inside the job, as steps or on ranks of it. */
static bool is_inside(const init_plan *plan) {
  return strcmp(plan->backend, "slurm") != 0;
}

static void put_sbatch_options(const init_plan *plan, FILE *out) {
  const init_partition *used = plan->partition ? plan->partition : init_site_default(&plan->site);
  (void)fprintf(out, "#SBATCH --job-name=%s\n", plan->name);
  put_sbatch_option(out, "chdir", plan->directory);
  put_sbatch_option(out, "partition", plan->partition_name);
  put_sbatch_option(out, "account", plan->account);
  if (is_inside(plan) && plan->site.counts_memory && used && used->memory > 0)
    (void)fprintf(out, "#SBATCH --mem-per-cpu=%ldM\n", used->memory / used->cpus);
  if (!plan->account && *plan->site.accounts)
    (void)fprintf(out, "# accounts of yours: %s%s%s%s\n", plan->site.accounts,
                  *plan->site.account ? " (default " : "", plan->site.account,
                  *plan->site.account ? ")" : "");
}

static void put_job_time(const init_plan *plan, const char *line, int size, FILE *out) {
  const init_partition *used = plan->partition ? plan->partition : init_site_default(&plan->site);
  const char *value = strchr(line, '=') + 1;
  char text[64];
  double asked = 0; /* seconds */
  (void)snprintf(text, sizeof text, "%.*s", size - (int)(value - line), value);
  if (gannet_parse_duration(text, &asked) || !used || asked <= used->limit)
    (void)fprintf(out, "%.*s\n", size, line);
  else
    (void)fprintf(out, "#SBATCH --time=%ld\n", (long)(used->limit / 60)); /* minutes */
}

static gannet_err put_job_variables(const init_plan *plan, FILE *out) {
  char program[PATH_MAX];
  const char *archive = getenv("GANNET_ARCHIVE"); /* made by tools/make-archive */
  if (archive && archive[0]) {
    (void)snprintf(program, sizeof program, "%s/bin/gannet", archive);
  } else {
    const ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    if (size < 0) return gannet_raise_errno("read", "/proc/self/exe");
    program[size] = '\0';
  }
  (void)fprintf(out, "campaign=${1:-%s}\n: \"${GANNET:=%s}\"\n", gannet_file_name_of(plan->file),
                program);
  return GANNET_OK;
}

/* The comment that names the script itself names this one. */
static void put_comment(const init_plan *plan, const char *line, int size, FILE *out) {
  char own[INIT_NAME + 8];
  (void)snprintf(own, sizeof own, "%s.sh", plan->script->name);
  const char *at = memmem(line, (size_t)size, own, strlen(own));
  if (!at) {
    (void)fprintf(out, "%.*s\n", size, line);
    return;
  }
  const char *rest = at + strlen(own);
  (void)fprintf(out, "%.*s%s-job.sh%.*s\n", (int)(at - line), line, plan->name,
                size - (int)(rest - line), rest);
}

static gannet_err put_script_line(const init_plan *plan, const char *line, int size, FILE *out) {
  const bool runs_on_ranks =
      strcmp(plan->backend, "function") == 0 || strcmp(plan->backend, "plugin") == 0;
  if (begins_with(line, "#SBATCH --job-name=")) {
    put_sbatch_options(plan, out);
  } else if (begins_with(line, "#SBATCH --ntasks=") && is_inside(plan)) {
    (void)fprintf(out, "#SBATCH --ntasks=%d\n", plan->parallel * plan->tasks);
    if (plan->gpus > 0) (void)fprintf(out, "#SBATCH --gpus=%d\n", plan->parallel * plan->gpus);
  } else if (begins_with(line, "#SBATCH --time=")) {
    put_job_time(plan, line, size, out);
  } else if (begins_with(line, "campaign=")) {
    return put_job_variables(plan, out);
  } else if (begins_with(line, "ranks=") && runs_on_ranks) {
    (void)fprintf(out, "ranks=${RANKS:-%d}\n", plan->parallel);
  } else {
    put_comment(plan, line, size, out);
  }
  return GANNET_OK;
}

gannet_err init_put_script(const init_plan *plan, FILE *out) {
  size_t size = 0;
  const char *text = plan->script->text(&size);
  for (const char *at = text; at < text + size;) {
    const char *end = memchr(at, '\n', size - (size_t)(at - text));
    GANNET_TRY(put_script_line(plan, at, (int)(end - at), out));
    if (at == text)
      (void)fprintf(out, "# Written by gannet init for %s.yaml: sbatch %s-job.sh\n#\n", plan->name,
                    plan->name);
    at = end + 1;
  }
  return GANNET_OK;
}

/* The sums of the example, each least somewhere else, and what it writes for the objectives: beyond
 * the thresholds for the most part. */
static void put_example_sums(const init_plan *plan, FILE *out) {
  const int several = plan->n_objectives;
  char each[80] = "", sum[16] = "objective", centre[40] = "0.3";
  if (several) {
    (void)snprintf(each, sizeof each, "for (m = 0; m < %d; ++m) ", several);
    (void)snprintf(sum, sizeof sum, "sum[m]");
    (void)snprintf(centre, sizeof centre, "0.3 - %g * m", 0.4 / (several - 1));
  }
  for (int i = 0; i < plan->n_variables; ++i) {
    const gannet_variable *v = &plan->variable[i].is;
    if (v->type == GANNET_VARIABLE_BOOLEAN)
      (void)fprintf(out, "  $1 == \"%s\" && $2 == \"true\" { %s%s += 0.1 }\n", v->name, each, sum);
    else if (v->type != GANNET_VARIABLE_CATEGORICAL)
      (void)fprintf(out, "  $1 == \"%s\" { %s%s += (($2 - %g) / %g - %s) ^ 2 }\n", v->name, each,
                    sum, v->lower, v->upper - v->lower, centre);
  }
  (void)fputs("  END {\n", out);
  if (!several) (void)fputs("    printf \"objective %.17g\\n\", objective\n", out);
  for (int m = 0; m < several; ++m) {
    const gannet_objective *o = &plan->objective[m];
    const bool is_maximized = o->goal == GANNET_MAXIMIZE;
    const double margin = is_maximized ? plan->n_variables : -plan->n_variables;
    (void)fprintf(out, "    printf \"%s %%.17g\\n\", %.17g %c sum[%d]\n", o->name,
                  isnan(o->threshold) ? 0 : o->threshold + margin, is_maximized ? '-' : '+', m);
  }
}

/* A simulation that runs at once, with the reader's variables in it. */
void init_put_example(const init_plan *plan, FILE *out) {
  (void)fputs(
      "#!/bin/sh\n"
      "# An example of a simulation, written by gannet init so that the campaign runs at once:\n"
      "# put your own in its place. It is started in a folder of its own with params.in (lines\n"
      "# \"name value\") and leaves results.out (lines \"name value\": objectives and "
      "constraints).\n"
      "# A line \"fail REASON\" instead says that this design cannot work.\n",
      out);
  if (plan->tasks > 1)
    (void)fputs(
        "# It is started on several processors; the first one writes the results:\n"
        "[ \"${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${SLURM_PROCID:-0}}}\" = 0 ] || exit 0\n",
        out);
  (void)fputs("awk '\n", out);
  put_example_sums(plan, out);
  for (int i = 0; i < plan->n_constraints; ++i) {
    const gannet_constraint *c = &plan->constraint[i];
    (void)fprintf(out, "    print \"%s\", %.17g\n", c->name,
                  isfinite(c->upper) ? c->upper : c->lower);
  }
  (void)fputs("  }' params.in > results.part && mv results.part results.out\n", out);
}
