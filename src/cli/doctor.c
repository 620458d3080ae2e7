/* gannet doctor */
#include "base/memory.h"
#include "cli/cli.h"
#include "machine/inspect.h"

static const cli_flag flags[] = {
    {"format", 'f', "FORMAT", "table (default), csv or json", false},
    {NULL, 0, NULL, NULL, false},
};

static gannet_err inspect(const cli_arguments *arguments, const cli_world *world, int format,
                          gannet_exit *code) {
  machine_request request = {
      .comm = world->comm,
      .rank = world->rank,
      .launcher = world->launcher,
      .directory = arguments->n_positional > 0 ? arguments->positional[0] : "."};
  machine_report *report = NULL;
  int worst = 0;
  GANNET_TRY_MPI(MPI_Comm_size(world->comm, &request.np));
  GANNET_TRY(gannet_agree(world->comm, gannet_alloc(1, sizeof *report, &report)));
  gannet_err err = machine_inspect(&request, report);
  if (err == GANNET_OK && world->rank == 0) {
    err = machine_write(stdout, report, (gannet_format)format);
    worst = (int)machine_worst(report);
  }
  err = gannet_agree(world->comm, err);
  gannet_free(&report);
  GANNET_TRY(err);
  GANNET_TRY_MPI(MPI_Bcast(&worst, 1, MPI_INT, 0, world->comm));
  if (worst == MACHINE_CHANGE) *code = GANNET_EXIT_MACHINE;
  return GANNET_OK;
}

static gannet_err run(const cli_arguments *arguments, const cli_world *world, gannet_exit *code) {
  int format = 0;
  GANNET_TRY(cli_format(arguments, GANNET_FORMAT_TABLE, &format));
  return inspect(arguments, world, format, code);
}

const cli_command cli_doctor = {
    .name = "doctor",
    .usage = "[DIR] [options]",
    .summary = "look at the machine as gannet finds it, and say what to change",
    .details =
        "MPI, BLAS and the kernels it uses, processors and binding, libraries, memory, the file\n"
        "system of DIR (default: here), SLURM. Start it as the campaign will be started, for\n"
        "example `mpirun -n 4 gannet doctor`. Exit code 0 when there is nothing to change, 7 when\n"
        "something is slow or bound to fail. In JSON and CSV the state is fine, note or change.\n",
    .flags = flags,
    .least = 0,
    .most = 1,
    .parallel = true,
    .launches = true,
    .run = run,
};
