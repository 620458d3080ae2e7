/* gannet doctor */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "campaign/run/check.h"
#include "campaign/run/loop.h"
#include "cli/cli.h"
#include "evaluate/command/command.h"
#include "machine/inspect.h"
#include "simulations/registry.h"

static const cli_flag flags[] = {
    {"format", 'f', "FORMAT", "table (default), csv or json", false},
    {NULL, 0, NULL, NULL, false},
};

/* How many processes a command of mpirun or srun starts; 1 when it does not say. */
static int count_processes(const gannet_text_list *command) {
  static const char *const options[] = {"-n", "-np", "--np", "--ntasks", "--ntasks="};
  const char *number = NULL;
  for (int i = 1; i < command->n && !number; ++i)
    for (size_t k = 0; k < sizeof options / sizeof *options && !number; ++k) {
      const size_t size = strlen(options[k]);
      if (options[k][size - 1] == '=' && strncmp(command->item[i], options[k], size) == 0)
        number = command->item[i] + size;
      else if (i + 1 < command->n && strcmp(command->item[i], options[k]) == 0)
        number = command->item[i + 1];
    }
  const long n = number ? strtol(number, NULL, 10) : 1;
  return n >= 1 && n < INT_MAX ? (int)n : 1;
}

static bool starts_ranks(const gannet_text_list *command) {
  static const char *const launchers[] = {"mpirun", "mpiexec", "srun"};
  for (size_t i = 0; command->n > 0 && i < sizeof launchers / sizeof *launchers; ++i)
    if (strcmp(command->item[0], launchers[i]) == 0) return true;
  return false;
}

/* Check a campaign file as a run would; how many of its simulations run here at a time, and with
 * how many processes.
 *
 * fault  out  [MACHINE_ADVICE] the first error of the file; "" = none
 */
static gannet_err read_campaign(const char *file, gannet_campaign *campaign,
                                machine_request *request, char *fault) {
  gannet_complaints complaints = {0};
  gannet_err err =
      gannet_campaign_load(request->comm, file, 0, NULL, NULL, &campaign->input, &complaints);
  if (err == GANNET_OK && strcmp(campaign->input->evaluate.backend, "command") == 0) {
    const gannet_evaluate_keys *keys = &campaign->input->evaluate;
    const gannet_command_options *options = campaign->input->evaluator_options;
    const bool has_places = gannet_resources_are_given(&keys->resources);
    request->slots = has_places ? 0 : keys->parallel; /* those with places do not share cores */
    request->processes = starts_ranks(&options->command) ? count_processes(&options->command) : 1;
    request->resources = has_places ? &keys->resources : NULL;
    request->command = options;
    request->problem = campaign->input->problem;
  }
  const gannet_run_options options = {.simulations = gannet_simulations,
                                      .launcher = request->launcher};
  if (err == GANNET_OK)
    err = gannet_context_create(request->comm, (uint64_t)campaign->input->general.seed,
                                &campaign->context);
  if (err == GANNET_OK)
    (void)snprintf(campaign->directory, sizeof campaign->directory, "%s.campaign",
                   campaign->input->general.name);
  if (err == GANNET_OK) err = gannet_campaign_check(campaign, &options, &complaints);
  err = cli_complain(&complaints, file, request->rank, err);
  if (err == GANNET_ERR_INPUT) {
    request->resources = NULL; /* what cannot run has no places */
    (void)snprintf(fault, MACHINE_ADVICE, "%.*s",
                   complaints.text ? (int)strcspn(complaints.text, "\n") : 0,
                   complaints.text ? complaints.text : "");
  }
  gannet_complaints_release(&complaints);
  return err;
}

/* Print what there is on the machine, and before it an error of the campaign file, if there is one.
 */
static gannet_err inspect(machine_request *request, const char *file, const char *fault,
                          gannet_format format, gannet_exit *code) {
  char journal[PATH_MAX];
  machine_report *report = NULL;
  int worst = 0;
  GANNET_TRY_MPI(MPI_Comm_size(request->comm, &request->np));
  GANNET_TRY(gannet_alloc_on_all(request->comm, 1, sizeof *report, &report));
  if (*fault) {
    machine_say(report, "campaign", "file", "%s", file);
    machine_advise(report, MACHINE_CHANGE, "%s", fault);
  }
  gannet_err err = machine_inspect(request, report);
  if (err == GANNET_OK && request->rank == 0) {
    if (gannet_join_path(request->directory, "journal", journal, sizeof journal) == GANNET_OK &&
        access(journal, F_OK) == 0) {
      machine_say(report, "directory", "campaign", "not looked at");
      machine_advise(report, MACHINE_NOTE,
                     "`gannet verify %.200s` checks the files of the campaign", request->directory);
    }
    gannet_error_clear();
    err = machine_write(stdout, report, format);
    worst = (int)machine_worst(report);
  }
  err = gannet_agree(request->comm, err);
  gannet_free(&report);
  GANNET_TRY(err);
  GANNET_TRY_MPI(MPI_Bcast(&worst, 1, MPI_INT, 0, request->comm));
  if (worst == MACHINE_CHANGE) *code = GANNET_EXIT_MACHINE;
  return GANNET_OK;
}

static gannet_err run_doctor(const cli_arguments *arguments, const cli_world *world,
                             gannet_exit *code) {
  const char *given = arguments->n_positional > 0 ? arguments->positional[0] : ".";
  char beside[PATH_MAX], fault[MACHINE_ADVICE] = "", told[MACHINE_ADVICE];
  struct stat about;
  gannet_campaign campaign = {0};
  machine_request request = {.comm = world->comm,
                             .rank = world->rank,
                             .launcher = world->launcher,
                             .directory = given,
                             .processes = 1};
  gannet_format format;
  GANNET_TRY(cli_format(arguments, GANNET_FORMAT_TABLE, &format));
  const char *ending = strrchr(given, '.');
  int is_file = world->rank == 0 && ending &&
                (strcmp(ending, ".yaml") == 0 || strcmp(ending, ".yml") == 0) &&
                stat(given, &about) == 0 && S_ISREG(about.st_mode);
  GANNET_TRY_MPI(MPI_Bcast(&is_file, 1, MPI_INT, 0, world->comm));
  if (is_file) {
    gannet_directory_of(given, beside, sizeof beside);
    request.directory = beside;
  }
  const gannet_err wrong = is_file ? read_campaign(given, &campaign, &request, fault) : GANNET_OK;
  gannet_err err = wrong;
  (void)snprintf(told, sizeof told, "%s", wrong == GANNET_OK ? "" : gannet_error_detail());
  if (wrong == GANNET_ERR_INPUT) gannet_error_clear(); /* the machine is looked at all the same */
  if (wrong == GANNET_OK || wrong == GANNET_ERR_INPUT)
    err = inspect(&request, given, fault, format, code);
  gannet_campaign_close(&campaign);
  return err == GANNET_OK && wrong != GANNET_OK ? GANNET_RAISE(wrong, "%s", told) : err;
}

const cli_command cli_doctor = {
    .name = "doctor",
    .usage = "[DIR|FILE] [options]",
    .summary = "check the machine, and say what to change",
    .details =
        "MPI, BLAS and the kernels it uses, processors and binding, nodes, cores and GPUs for\n"
        "simulations, libraries, memory, the file system of DIR (default: here), SLURM. A "
        "campaign\n"
        "file is also checked as by a run, and whether its simulations have a core for each of\n"
        "their processes; with evaluate.resources, how many run at once and why no more. Start it\n"
        "as the campaign will be started, for example `mpirun -n 4 gannet doctor`. Exit code 0\n"
        "when there is nothing to change, 7 when something is slow or bound to fail, 2 when the\n"
        "campaign file has an error, which is then the first finding. In JSON and\n"
        "CSV the state is fine, note or change.\n",
    .flags = flags,
    .least = 0,
    .most = 1,
    .parallel = true,
    .launches = true,
    .run = run_doctor,
};
