/* The plan of gannet init: everything that follows from the command line and the site, before
 * anything is written. init_plan_make reads names and the way of running, then variables and
 * constraints (plan_problem.c), partition and sizes, and the simulation (plan_simulation.c).
 */
#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/names.h"
#include "cli/init/plan_parts.h"
#include "evaluate/contract/contract.h"
#include "evaluate/evaluator.h"
#include "optimizer/methods.h"

void init_plan_release(init_plan *plan) {
  for (int i = 0; i < plan->n_variables; ++i) {
    if (plan->variable[i].is.type != GANNET_VARIABLE_CATEGORICAL) continue;
    const char **values = (const char **)(uintptr_t)plan->variable[i].is.values;
    gannet_free(&values);
  }
  gannet_text_list_release(&plan->command);
  gannet_text_list_release(&plan->templates);
  gannet_text_list_release(&plan->patterns);
  gannet_text_list_release(&plan->placeholders);
  gannet_text_list_release(&plan->pool);
}

/* "runs/wing.yaml" lies in runs and makes the campaign wing. */
static gannet_err name_files(const cli_arguments *arguments, init_plan *plan) {
  const char *file = arguments->n_positional ? arguments->positional[0] : "campaign.yaml";
  const char *slash = strrchr(file, '/'), *base = gannet_file_name_of(file);
  const char *dot = strrchr(base, '.');
  char folder[PATH_MAX];
  const int size = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
  GANNET_REQUIRE(
      !dot || strcmp(dot, ".campaign") != 0, GANNET_ERR_INPUT,
      "'%.200s' would be in the way of the campaign's directory; choose a name that ends "
      "in .yaml, as in wing.yaml",
      file);
  GANNET_REQUIRE(size > 0 && size < INIT_NAME && strlen(file) < PATH_MAX, GANNET_ERR_INPUT,
                 "'%.200s' cannot be the name of a campaign file; expected up to %d characters and "
                 ".yaml, as in wing.yaml",
                 file, INIT_NAME - 1);
  (void)snprintf(plan->file, sizeof plan->file, "%s", file);
  (void)snprintf(plan->name, sizeof plan->name, "%.*s", size, base);
  (void)snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file + 1) : 1,
                 slash ? file : ".");
  if (!realpath(folder, plan->directory)) return gannet_raise_errno("find the folder", folder);
  return GANNET_OK;
}

/* Complain of a name that is none of a registry, with the known names. */
static void check_name(const char *flag, const char *family, const char *name,
                       const void *const *entries, gannet_complaints *complaints) {
  int at = 0;
  if (!name || gannet_name_find(family, name, entries, &at) == GANNET_OK) return;
  init_complain_of_error(complaints, flag);
}

static void read_words(const cli_arguments *arguments, init_plan *plan,
                       gannet_complaints *complaints) {
  static const char *const goals[] = {"minimize", "maximize", NULL};
  plan->goal = cli_value(arguments, "goal");
  plan->method = cli_value(arguments, "method");
  plan->shell = cli_value(arguments, "shell");
  plan->simulation = cli_value(arguments, "simulation");
  plan->plugin = cli_value(arguments, "plugin");
  plan->wall_time = cli_value(arguments, "wall-time");
  plan->time_limit = cli_value(arguments, "time-limit");
  plan->account = cli_value(arguments, "account");
  plan->partition_name = cli_value(arguments, "partition");
  if (!plan->goal) plan->goal = goals[0];
  if (!plan->method) plan->method = "auto";
  if (strcmp(plan->goal, goals[0]) != 0 && strcmp(plan->goal, goals[1]) != 0)
    gannet_complain(complaints, "--goal", "'%s' is not one of minimize, maximize", plan->goal);
  if (plan->shell && !plan->shell[strspn(plan->shell, " \t\n")])
    gannet_complain(complaints, "--shell",
                    "is empty; expected text for a shell, as in './simulate params.in > log'");
  check_name("--method", "method", plan->method, (const void *const *)gannet_methods, complaints);
  for (int i = 0; i < 2; ++i) {
    double seconds = 0;
    const char *flag = i == 0 ? "wall-time" : "time-limit";
    if (cli_duration(arguments, flag, DBL_MIN, CLI_LIMIT_EXPECTED, 0, &seconds) != GANNET_OK)
      init_complain_of_error(complaints, NULL);
  }
}

/* The marks around the names in templates. */
static gannet_err read_marks(const cli_arguments *arguments, init_plan *plan,
                             gannet_complaints *complaints) {
  const char *text = cli_value(arguments, "placeholders");
  if (text) GANNET_TRY(gannet_text_list_add(&plan->placeholders, text));
  const char *wrong = gannet_delimiters_read(&plan->placeholders, &plan->marks);
  if (wrong)
    gannet_complain(complaints, "--placeholders",
                    "%s; expected what stands before and behind a name, as in '@@' or '<<>>'",
                    wrong);
  return GANNET_OK;
}

/* The back-end that follows from the options and from the site. */
static const char *choose_backend(const cli_arguments *arguments, const init_plan *plan) {
  if (cli_has(arguments, "backend")) return cli_value(arguments, "backend");
  if (plan->simulation) return "function";
  if (plan->plugin) return "plugin";
  if (plan->script) return plan->script->backend;
  return plan->site.slurm ? "slurm" : "command";
}

static bool suits_backend(const init_script *script, const char *backend) {
  return (strcmp(script->backend, "slurm") == 0) == (strcmp(backend, "slurm") == 0) &&
         strcmp(backend, "manual") != 0;
}

/* The back-end and the job script. Where there is SLURM, the script is the first one that suits the
 * back-end unless --jobscript says otherwise. */
static void choose_backend_and_script(const cli_arguments *arguments, init_plan *plan,
                                      gannet_complaints *complaints) {
  const char *wanted = cli_value(arguments, "jobscript");
  const bool none = wanted && strcmp(wanted, "none") == 0;
  if (wanted && !none) {
    int at = 0;
    if (gannet_name_find("job script", wanted, (const void *const *)init_scripts, &at) == GANNET_OK)
      plan->script = init_scripts[at];
    else
      gannet_complain(complaints, "--jobscript", "%s none", gannet_error_detail());
    gannet_error_clear();
  }
  plan->backend = choose_backend(arguments, plan);
  check_name("--backend", "back-end", plan->backend, (const void *const *)gannet_evaluator_types,
             complaints);
  if (plan->script && !suits_backend(plan->script, plan->backend))
    gannet_complain(
        complaints, "--jobscript",
        "%s cannot be used with the back-end %s; leave out --jobscript, or use --backend %s",
        plan->script->name, plan->backend, plan->script->backend);
  for (int i = 0; !wanted && !plan->script && plan->site.slurm && init_scripts[i]; ++i)
    if (suits_backend(init_scripts[i], plan->backend)) plan->script = init_scripts[i];
  const char *needs = strcmp(plan->backend, "function") == 0 && !plan->simulation ? "--simulation"
                      : strcmp(plan->backend, "plugin") == 0 && !plan->plugin     ? "--plugin"
                                                                                  : NULL;
  if (needs)
    gannet_complain(complaints, "--backend",
                    "%s needs %s; gannet list simulations shows what is "
                    "built in",
                    plan->backend, needs);
  if ((plan->simulation && strcmp(plan->backend, "function") != 0) ||
      (plan->plugin && strcmp(plan->backend, "plugin") != 0))
    gannet_complain(complaints, "--backend", "%s does not run what %s names; leave --backend out",
                    plan->backend, plan->simulation ? "--simulation" : "--plugin");
}

/* Complain of options that only a program that gannet starts can use. */
static void check_program_flags(const cli_arguments *arguments, const init_plan *plan,
                                gannet_complaints *complaints) {
  static const char *const names[] = {"command", "shell", "template", "placeholders", "pattern"};
  char flag[20];
  if (strcmp(plan->backend, "command") == 0 || strcmp(plan->backend, "slurm") == 0) return;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (!cli_has(arguments, names[i])) continue;
    (void)snprintf(flag, sizeof flag, "--%s", names[i]);
    gannet_complain(complaints, flag,
                    "is for programs that gannet starts, which back-end %s does not; leave it out",
                    plan->backend);
  }
}

/* Partition and sizes. */

/* The partition that was named. Without a name it is the site's default or, for jobs that are too
 * long for the default, the first partition that lets them run. */
static void choose_partition(init_plan *plan, gannet_complaints *complaints) {
  const init_site *site = &plan->site;
  const char *known[INIT_PARTITIONS + 1] = {NULL};
  double limit = 0; /* of a job that is asked for, seconds; 0 = none */
  const init_partition *usual = init_site_default(site);
  if (strcmp(plan->backend, "slurm") == 0 && plan->time_limit &&
      gannet_parse_duration(plan->time_limit, &limit) != 0)
    limit = 0;
  for (int i = 0; i < site->n_partitions; ++i) {
    known[i] = site->partition[i].name;
    if (plan->partition_name && strcmp(known[i], plan->partition_name) == 0)
      plan->partition = &site->partition[i];
  }
  if (plan->partition_name && site->n_partitions && !plan->partition) {
    const char *near = gannet_nearest(plan->partition_name, known);
    gannet_complain(complaints, "--partition", "SLURM shows no partition '%s' that is up; %s%s%s",
                    plan->partition_name, near ? "did you mean '" : "sinfo shows them all",
                    near ? near : "", near ? "'?" : "");
  }
  for (int i = 0; !plan->partition_name && usual && limit > usual->limit && i < site->n_partitions;
       ++i)
    if (site->partition[i].limit >= limit && !plan->partition)
      plan->partition = &site->partition[i];
  if (plan->partition && !plan->partition_name) plan->partition_name = plan->partition->name;
  const init_partition *used = plan->partition ? plan->partition : usual;
  if (!used || limit <= used->limit) return;
  char most[64];
  gannet_format_duration(used->limit, most, sizeof most);
  gannet_complain(complaints, "--time-limit",
                  "%s is more than the %s that a job may take in partition %s; shorten it, or "
                  "choose another --partition",
                  plan->time_limit, most, used->name);
}

static gannet_err read_count(const cli_arguments *arguments, const char *flag, long long most,
                             int *value, gannet_complaints *complaints) {
  long long number = *value;
  char where[64];
  const gannet_err err = cli_whole(arguments, flag, 1, *value, &number);
  if (err != GANNET_OK && err != GANNET_ERR_INPUT) return err;
  if (err == GANNET_ERR_INPUT) {
    init_complain_of_error(complaints, NULL);
    return GANNET_OK;
  }
  (void)snprintf(where, sizeof where, "--%s", flag);
  if (number > most)
    gannet_complain(complaints, where, "%lld is too many; expected at most %lld", number, most);
  else
    *value = (int)number;
  return GANNET_OK;
}

/* How many simulations fit side by side: on this machine, or on a node of the partition. */
static int count_fitting(const init_plan *plan) {
  const init_partition *used = plan->partition ? plan->partition : init_site_default(&plan->site);
  const bool is_job = strcmp(plan->backend, "slurm") == 0;
  if (is_job || strcmp(plan->backend, "manual") == 0) return 8;
  const long here = plan->tasks > 1 ? plan->site.cores : plan->site.threads;
  const long cores = plan->script && used ? used->cpus : here;
  const long n = cores / plan->tasks;
  return n < 1 ? 1 : n > 64 ? 64 : (int)n;
}

/* Simulations on several processors are started by mpirun, which refuses more processes than there
 * are cores. */
static void check_tasks(const cli_arguments *arguments, const init_plan *plan,
                        gannet_complaints *complaints) {
  const int cores = plan->site.cores;
  if (strcmp(plan->backend, "command") != 0 || plan->script || plan->tasks == 1) return;
  if (plan->tasks > cores)
    gannet_complain(complaints, "--tasks",
                    "%d processors of one simulation are more than the %d core%s here, and mpirun "
                    "would refuse; choose at most %d, or write mpirun and its options into "
                    "--command",
                    plan->tasks, cores, cores == 1 ? "" : "s", cores);
  else if (cli_has(arguments, "parallel") && (long)plan->parallel * plan->tasks > cores)
    cli_warn(
        "%d simulations of %d processes each share the %d core%s here; --parallel %d would "
        "give each a core",
        plan->parallel, plan->tasks, cores, cores == 1 ? "" : "s", cores / plan->tasks);
}

static gannet_err choose_sizes(const cli_arguments *arguments, init_plan *plan,
                               gannet_complaints *complaints) {
  plan->tasks = 1;
  GANNET_TRY(read_count(arguments, "tasks", 1 << 20, &plan->tasks, complaints));
  GANNET_TRY(read_count(arguments, "gpus", 1024, &plan->gpus, complaints));
  const bool starts_programs =
      strcmp(plan->backend, "command") == 0 || strcmp(plan->backend, "slurm") == 0;
  if (plan->gpus > 0 && !starts_programs)
    gannet_complain(complaints, "--gpus",
                    "simulations of the back-end %s start no programs; expected --backend command "
                    "or slurm",
                    plan->backend);
  plan->parallel = count_fitting(plan);
  GANNET_TRY(read_count(arguments, "parallel", 100000, &plan->parallel, complaints));
  plan->batch = plan->parallel;
  GANNET_TRY(read_count(arguments, "batch", 100000, &plan->batch, complaints));
  if (!cli_has(arguments, "parallel") && (plan->tasks == 1 || plan->batch < plan->parallel))
    plan->parallel = plan->batch;
  check_tasks(arguments, plan, complaints);
  int d = 0; /* coordinates of the search */
  for (int i = 0; i < plan->n_variables; ++i) {
    const gannet_variable *v = &plan->variable[i].is;
    d += v->type == GANNET_VARIABLE_CATEGORICAL ? v->n_values : 1;
  }
  const int evaluations = 20 * (d + 1); /* enough for a model to be worth it */
  plan->evaluations = (evaluations + plan->batch - 1) / plan->batch * plan->batch;
  /* How many GPUs there are is seen where the campaign runs. */
  plan->parallel_follows = plan->gpus > 0 && strcmp(plan->backend, "command") == 0 &&
                           !plan->script && !cli_has(arguments, "parallel");
  if (plan->parallel_follows && !cli_has(arguments, "batch")) plan->batch = 0;
  return read_count(arguments, "budget", 1000000000, &plan->evaluations, complaints);
}

gannet_err init_plan_make(const cli_arguments *arguments, init_plan *plan,
                          gannet_complaints *complaints) {
  GANNET_TRY(name_files(arguments, plan));
  read_words(arguments, plan, complaints);
  choose_backend_and_script(arguments, plan, complaints);
  check_program_flags(arguments, plan, complaints);
  GANNET_TRY(read_marks(arguments, plan, complaints));
  GANNET_TRY(init_read_problem(arguments, plan, complaints));
  choose_partition(plan, complaints);
  GANNET_TRY(choose_sizes(arguments, plan, complaints));
  GANNET_TRY(init_read_simulation(arguments, plan, complaints));
  return gannet_complaints_raise(complaints);
}
