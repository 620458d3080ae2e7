/* gannet init */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "campaign/config/config.h"
#include "cli/init/init.h"
#include "evaluate/command/arguments.h"
#include "evaluate/command/command.h"
#include "evaluate/contract/contract.h"
#include "evaluate/evaluator.h"
#include "evaluate/places/inventory.h"
#include "simulations/registry.h"

static const cli_flag flags[] = {
    {"variable", 'v', "NAME=LOWER:UPPER", "a number, with :log or :int after it; may be repeated",
     true},
    {"categorical", 'k', "NAME=A,B", "a choice between names; may be repeated", true},
    {"boolean", 0, "NAME", "a switch; may be repeated", true},
    {"constraint", 'c', "NAME=LOWER:UPPER",
     "a result with bounds; one of the two may be left out; may be repeated", true},
    {"template", 't', "FILE",
     "input file whose {placeholders} become variables and are filled in; may be repeated", true},
    {"placeholders", 0, "MARKS",
     "marks around the names in templates: '@@' for @name@ (default: braces)", false},
    {"command", 0, "TEXT", "program and arguments, without a shell: './sim {params} {results}'",
     false},
    {"shell", 0, "TEXT", "text for a shell, instead of --command", false},
    {"simulation", 0, "SIMULATION", "a built-in simulation, instead of --command", false},
    {"plugin", 0, "FILE", "a shared object, instead of --command", false},
    {"pattern", 0, "NAME=REGEX", "how results are found in printed output; may be repeated", true},
    {"backend", 'b', "BACKEND",
     "how simulations are run (default: slurm if it works, else command)", false},
    {"goal", 'g', "GOAL", "minimize or maximize a single objective", false},
    {"objective", 'o', "NAME=GOAL:THRESHOLD",
     "one of several objectives: mass=minimize, or range=maximize:300 where less is of no interest",
     true},
    {"method", 'm', "METHOD", "how points are proposed (default: auto)", false},
    {"batch", 0, "N", "points proposed at a time", false},
    {"parallel", 'p', "N", "most simulations at the same time", false},
    {"tasks", 'n', "N", "processors of one simulation", false},
    {"gpus", 0, "N", "GPUs of one simulation: each has its own", false},
    {"budget", 0, "N", "evaluations", false},
    {"wall-time", 0, "T", "time after which the campaign ends (10m, 4h)", false},
    {"time-limit", 0, "T", "longest run of one simulation (10m, 4h)", false},
    {"jobscript", 'j', "WAY",
     "one-job-per-evaluation, no-resident-process, inside-an-allocation or none", false},
    {"partition", 0, "NAME", "partition of SLURM", false},
    {"account", 0, "NAME", "account of SLURM", false},
    {"site-timeout", 0, "T", "how long each program of SLURM may take (default: 5s)", false},
    {"dry-run", 0, NULL, "print what would be written, and write nothing", false},
    {"force", 'f', NULL, "replace files that exist", false},
    {NULL, 0, NULL, NULL, false},
};

enum { CAMPAIGN, SCRIPT, EXAMPLE, FILES };

/* A file that is to be written. */
typedef struct {
  char path[PATH_MAX];
  char *text; /* NULL = the file is not wanted */
  size_t size;
  mode_t mode;
} draft;

/* Make the text, the path and the mode of a file. */
static gannet_err draft_file(const init_plan *plan, int which, draft *file) {
  const char *slash = strrchr(plan->file, '/');
  const int folder = slash ? (int)(slash - plan->file + 1) : 0;
  gannet_err err = GANNET_OK;
  FILE *out = open_memstream(&file->text, &file->size);
  if (!out) return gannet_raise_errno("make", "a text");
  file->mode = which == CAMPAIGN ? 0666 : 0777;
  if (which == CAMPAIGN) {
    init_put_campaign(plan, out);
    (void)snprintf(file->path, sizeof file->path, "%s", plan->file);
  } else if (which == SCRIPT) {
    err = init_put_script(plan, out);
    (void)snprintf(file->path, sizeof file->path, "%.*s%s-job.sh", folder, plan->file, plan->name);
  } else {
    init_put_example(plan, out);
    (void)snprintf(file->path, sizeof file->path, "%.*s%s", folder, plan->file, plan->example);
  }
  const bool torn = ferror(out);
  if ((fclose(out) || torn) && err == GANNET_OK)
    err = GANNET_RAISE(GANNET_ERR_MEMORY, "the text of '%s'", file->path);
  return err;
}

static gannet_err check_patterns(const init_plan *plan, const gannet_problem *problem,
                                 gannet_complaints *complaints) {
  gannet_patterns patterns = {0};
  gannet_err err = gannet_patterns_create(&plan->patterns, problem, complaints, &patterns);
  gannet_patterns_release(&patterns);
  return err == GANNET_OK ? gannet_complaints_raise(complaints) : err;
}

static gannet_err check_words(const init_plan *plan, const gannet_campaign_input *input,
                              gannet_complaints *complaints) {
  gannet_command_options options = {.command = plan->command, .placeholders = plan->placeholders};
  GANNET_TRY(gannet_copy_text(plan->shell ? plan->shell : "", &options.shell));
  const gannet_err err =
      gannet_command_check_words(&options, input->problem, &input->evaluate.resources, complaints);
  gannet_free(&options.shell);
  return err == GANNET_OK ? gannet_complaints_raise(complaints) : err;
}

/* A built-in simulation can be checked. Programs and plugins may not exist yet. */
static gannet_err check_simulation(const gannet_campaign_input *input,
                                   gannet_complaints *complaints) {
  const gannet_evaluator_setup setup = {.problem = input->problem,
                                        .campaign = ".",
                                        .name = input->general.name,
                                        .parallel = input->evaluate.parallel,
                                        .time_limit = INFINITY,
                                        .simulations = gannet_simulations};
  if (strcmp(input->evaluator->name, "function") != 0) return GANNET_OK;
  GANNET_TRY(
      gannet_evaluator_check(input->evaluator, input->evaluator_options, &setup, complaints));
  return gannet_complaints_raise(complaints);
}

/* Check the text of the campaign file by reading it as `gannet run` will. */
static gannet_err check_campaign(const init_plan *plan, const draft *file,
                                 gannet_complaints *complaints) {
  gannet_campaign_input *input = NULL;
  const gannet_campaign_source source = {
      .file = file->path, .text = file->text, .size = file->size};
  gannet_err err = gannet_campaign_parse(&source, &input, complaints);
  if (err == GANNET_OK) err = check_patterns(plan, input->problem, complaints);
  if (err == GANNET_OK) err = check_words(plan, input, complaints);
  if (err == GANNET_OK) err = check_simulation(input, complaints);
  gannet_campaign_destroy(&input);
  return err;
}

static gannet_err check_paths(const init_plan *plan, const draft *files, bool force) {
  struct stat about;
  for (int i = 0; i < FILES; ++i)
    GANNET_REQUIRE(
        !files[i].text || stat(files[i].path, &about) || !S_ISDIR(about.st_mode), GANNET_ERR_EXISTS,
        "%s is a directory, and nothing was written; choose another name", files[i].path);
  for (int i = 0; i < FILES && !force; ++i)
    GANNET_REQUIRE(!files[i].text || lstat(files[i].path, &about), GANNET_ERR_EXISTS,
                   "%s exists, and nothing was written; choose another name%s%s%s, or replace it "
                   "with --force",
                   files[i].path, i == EXAMPLE ? ", say what to run (--command ./" : "",
                   i == EXAMPLE ? plan->example : "", i == EXAMPLE ? ")" : "");
  return GANNET_OK;
}

static void warn_of_todo(const init_plan *plan) {
  const gannet_text_list *command = &plan->command;
  char path[PATH_MAX];
  const char *program = command->n ? command->item[plan->program] : NULL;
  for (int i = 0; i < plan->n_variables; ++i)
    if (plan->variable[i].deck)
      cli_warn(
          "%s of %s has the range 0 to 1 until you change it in %s, or "
          "give --variable %s=LOWER:UPPER",
          plan->variable[i].is.name, plan->variable[i].deck, plan->file, plan->variable[i].is.name);
  if (plan->program > 0 && strcmp(command->item[0], "{launcher}") != 0 &&
      gannet_command_find(command->item[0], NULL, path))
    cli_warn("'%s', which starts the simulation, was not found: install it, or correct the command",
             command->item[0]);
  if (program && gannet_command_find(program, plan->directory, path))
    cli_warn("'%s' cannot be run yet: put it there, and make it executable", program);
  const int script = gannet_command_find_script(command);
  const char *name = script >= 0 ? command->item[script] : "{";
  if (script != plan->program && !strchr(name, '{') && access(name, F_OK))
    cli_warn("there is no '%s'; put it there, and write \"%s%s\" for it in %s", name,
             name[0] == '/' ? "" : "{input_directory}/", name, plan->file);
}

/* Say where a campaign whose simulations need GPUs cannot run: here. A cluster may have them. */
static void tell_missing_gpus(const init_plan *plan) {
  static char *automatic[] = {"auto", NULL}, one[] = "1";
  const gannet_resources wanted = {.gpus = one, .nodes = 1, .devices = {1, automatic}};
  gannet_complaints complaints = {0};
  gannet_inventory inventory;
  if (gannet_inventory_find_gpus(&wanted, &complaints, &inventory) != GANNET_OK)
    gannet_error_clear();
  const bool has_gpus = inventory.n_nodes > 0 && inventory.node[0].n_gpus > 0;
  if (!has_gpus && complaints.count == 0)
    (void)printf(
        "note:  this machine has no GPU that gannet finds. %s. If this machine has GPUs, name them "
        "in GANNET_GPUS=0,1\n",
        strcmp(plan->backend, "command") == 0
            ? "`gannet run` refuses the file here; run it where there are GPUs"
            : "The jobs need nodes that have them");
  else if (!has_gpus)
    (void)printf("note:  GPUs of this machine: %.*s\n", (int)strcspn(complaints.text, "\n"),
                 complaints.text);
  gannet_inventory_release(&inventory);
  gannet_complaints_release(&complaints);
}

/* Print what was found and written, and what to do next. */
static void print_outcome(const init_plan *plan, const draft *files) {
  const char *folder = strrchr(plan->file, '/');
  init_site_tell(&plan->site, stdout);
  if (*plan->site.said && !plan->script && strcmp(plan->backend, "command") == 0)
    (void)printf(
        "note:  simulations will run on this machine; when SLURM works again, repeat this command "
        "with --backend slurm and the name of another file\n");
  if (*plan->site.said && !plan->script && strcmp(plan->backend, "slurm") == 0)
    (void)printf(
        "note:  no job script is written, as the partitions are unknown; --jobscript %s "
        "writes one\n",
        init_scripts[0]->name);
  if (plan->tasks > 1 && strcmp(plan->backend, "command") == 0 && plan->gpus == 0)
    (void)printf("runs:  %d at a time, with %d processes each\n", plan->parallel, plan->tasks);
  if (plan->gpus > 0) tell_missing_gpus(plan);
  for (int i = 0; i < FILES; ++i)
    if (files[i].text) (void)printf("wrote: %s\n", files[i].path);
  (void)printf("next:  gannet run --dry-run %s\n", plan->file);
  if (strcmp(plan->backend, "manual") != 0) (void)printf("       gannet try %s\n", plan->file);
  if (plan->script && plan->site.slurm)
    (void)printf("       %s%.*s%ssbatch %s-job.sh\n", folder ? "cd " : "",
                 folder ? (int)(folder - plan->file) : 0, plan->file, folder ? " && " : "",
                 plan->name);
  else if (strcmp(plan->backend, "manual") == 0)
    (void)printf("       gannet ask %s\n", plan->file);
  else
    (void)printf("       gannet run %s\n", plan->file);
}

static gannet_err write_files(const cli_arguments *arguments, const init_plan *plan, draft *files,
                              gannet_complaints *complaints) {
  const bool wanted[FILES] = {true, plan->script != NULL, plan->is_example};
  for (int i = 0; i < FILES; ++i)
    if (wanted[i]) GANNET_TRY(draft_file(plan, i, &files[i]));
  GANNET_TRY(check_campaign(plan, &files[CAMPAIGN], complaints));
  if (cli_has(arguments, "dry-run")) {
    for (int i = 0; i < FILES; ++i)
      if (files[i].text) (void)printf("--- %s\n%s", files[i].path, files[i].text);
    return GANNET_OK;
  }
  GANNET_TRY(check_paths(plan, files, cli_has(arguments, "force")));
  const mode_t mask = umask(0);
  (void)umask(mask);
  for (const draft *file = files; file < files + FILES; ++file) {
    if (!file->text) continue;
    GANNET_TRY(gannet_file_replace(file->path, file->text, file->size));
    if (chmod(file->path, file->mode & ~mask)) return gannet_raise_errno("write", file->path);
  }
  print_outcome(plan, files);
  warn_of_todo(plan);
  return GANNET_OK;
}

static gannet_err run_init(const cli_arguments *arguments, const cli_world *world,
                           gannet_exit *code) {
  gannet_complaints complaints = {0};
  draft files[FILES] = {0};
  init_plan *plan = NULL;
  double patience = 0; /* seconds */
  (void)world;
  (void)code;
  GANNET_TRY(cli_duration(arguments, "site-timeout", DBL_MIN, "such as 5s or 1m", 5, &patience));
  GANNET_TRY(gannet_alloc(1, sizeof *plan, &plan));
  gannet_err err = init_site_look(patience, &plan->site);
  if (err == GANNET_OK) err = init_plan_make(arguments, plan, &complaints);
  if (err == GANNET_OK) err = write_files(arguments, plan, files, &complaints);
  err = cli_complain(&complaints, "gannet init", 0, err);
  for (int i = 0; i < FILES; ++i) free(files[i].text);
  gannet_complaints_release(&complaints);
  init_plan_release(plan);
  gannet_free(&plan);
  return err;
}

const cli_command cli_init = {
    .name = "init",
    .usage = "[CAMPAIGN.yaml] [options]",
    .summary = "write a commented campaign file, and a job script where there is SLURM",
    .details =
        "Without options the file runs at once, with an example simulation. gannet finds out\n"
        "the processors, mpirun, and the partitions and accounts of SLURM. It asks no\n"
        "questions, and does not change files that exist.\n"
        "\n"
        "  gannet init wing.yaml --variable chord=0.5:2 --variable rate=1e-6:1e-2:log \\\n"
        "    --categorical solver=cg,gmres --constraint peak_stress=:110 \\\n"
        "    --command './simulate {params} {results}'\n",
    .flags = flags,
    .least = 0,
    .most = 1,
    .run = run_init,
};
