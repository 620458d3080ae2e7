/* The program: finds the command, starts what it needs, reports errors. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/mpi_start.h"
#include "base/names.h"
#include "base/output.h"
#include "base/plain_environment.h"
#include "cli/cli.h"
#include "cli/program.h"
#include "evaluate/in_process/in_process.h"
#include "gannet/version.h"
#include "linalg/blas.h"
#include "machine/choose_blas.h"

/* An error of the input explains itself. Other errors are printed with the meaning of their code
 * and with the rank. */
static void print_error(gannet_err err) {
  const bool plain = err == GANNET_ERR_INPUT || err == GANNET_ERR_NAME;
  (void)fprintf(stderr, "gannet: error: %s\n",
                plain ? gannet_error_detail() : gannet_error_message());
}

static void report_error(const cli_world *world, gannet_err err) {
  char host[64] = "";
  (void)gethostname(host, sizeof host - 1);
  if (world->rank == 0) print_error(err);
  if (getenv("GANNET_TRACE"))
    (void)fprintf(stderr, "rank %d on %s, code %d:\n%s", world->rank, host, (int)err,
                  gannet_error_trace());
}

/* Ranks that return early while others wait would hang the job. All collective functions agree on
 * their errors; should one not have, the job is aborted with a message instead of waiting for the
 * wall time to end. */
static void leave_together(const cli_world *world, gannet_exit code) {
  const double patience = 20; /* seconds */
  const double start = gannet_clock_seconds();
  MPI_Request request;
  int done = 0;
  if (MPI_Ibarrier(world->comm, &request) != MPI_SUCCESS) MPI_Abort(world->comm, code);
  while (!done && gannet_clock_seconds() - start < patience) {
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
    if (!done) gannet_clock_sleep(1e-3);
  }
  if (done) return;
  (void)fprintf(stderr,
                "gannet: error: rank %d stops the job, because other ranks do not answer: %s\n",
                world->rank, gannet_error_message());
  MPI_Abort(world->comm, code);
}

static gannet_exit run_command(const cli_command *command, const cli_arguments *arguments,
                               const cli_world *world) {
  gannet_exit code = GANNET_EXIT_FINISHED;
  if (world->rank == 0) cli_warn_renamed(arguments);
  const gannet_err err = command->run(arguments, world, &code);
  if (err == GANNET_OK) return code;
  report_error(world, err);
  return gannet_err_exit(err);
}

/* MPI libraries end the process when they cannot start, with many lines that name no way out. */
static void tell_of_mpi(void) {
  int begun = 0;
  (void)MPI_Initialized(&begun);
  if (begun || gannet_mpi_early_rank() != 0) return;
  (void)fprintf(
      stderr,
      "gannet: error: MPI did not start; its own message is above. Start gannet by mpirun -n "
      "RANKS, by srun --mpi=pmix where `srun --mpi=list` shows pmix, or as one process "
      "without a launcher\n");
}

/* Refuse limits of the shell under which MPI crashes before it can say why. */
static gannet_err check_limits(void) {
  static const struct {
    int resource;
    rlim_t least, unit;
    const char *what, *option;
  } limits[] = {{RLIMIT_NOFILE, 32, 1, "open files", "-n"},
                {RLIMIT_STACK, 192, 1024, "kB of stack", "-s"}};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
    struct rlimit now;
    if (getrlimit(limits[i].resource, &now)) continue;
    GANNET_REQUIRE(now.rlim_cur / limits[i].unit >= limits[i].least, GANNET_ERR_INPUT,
                   "a process may have %llu %s here, which is too little for MPI to start; "
                   "expected at least %llu, as `ulimit %s %llu` sets it in the shell",
                   (unsigned long long)(now.rlim_cur / limits[i].unit), limits[i].what,
                   (unsigned long long)limits[i].least, limits[i].option,
                   (unsigned long long)limits[i].least);
  }
  return GANNET_OK;
}

static gannet_err start_world(const cli_command *command, cli_world *world) {
  world->rank = gannet_mpi_early_rank();
  GANNET_TRY(check_limits());
  if (command->launches) GANNET_TRY(gannet_launcher_start(&world->launcher));
  GANNET_TRY(gannet_mpi_prepare_program());
  (void)atexit(tell_of_mpi);
  GANNET_TRY_MPI(MPI_Init(NULL, NULL));
  GANNET_TRY_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &world->rank));
  world->comm = MPI_COMM_WORLD;
  if (world->rank > 0 && !command->launches_everywhere) gannet_launcher_stop(&world->launcher);
  GANNET_TRY(gannet_agree(MPI_COMM_WORLD, gannet_blas_prepare()));
  gannet_blas_set_threads(1); /* a rank is the unit of parallelism, and threads would change bits */
  /* A campaign goes on when nobody reads any more what it prints (`| head`). A file that may not
   * grow (ulimit -f) is an error of a write like others, which is told. MPI has set both, too. */
  const struct sigaction ignore = {.sa_handler = SIG_IGN};
  if (command->launches) (void)sigaction(SIGPIPE, &ignore, NULL);
  if (command->launches) (void)sigaction(SIGXFSZ, &ignore, NULL);
  return GANNET_OK;
}

/* A simulation that ends the process, perhaps with 0, must not pass for the end of the campaign. */
static void tell_of_exit(void) {
  static const char text[] =
      "gannet: error: a simulation in gannet's own process has called exit(), which also ends "
      "gannet: let it return, or use `backend: command`. Every recorded result is saved: continue "
      "with --resume\n";
  if (!gannet_in_process_is_running()) return;
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
  _exit(GANNET_EXIT_INTERNAL);
}

static gannet_exit run_parallel(const cli_command *command, const cli_arguments *arguments,
                                char **argv) {
  cli_world world = {.comm = MPI_COMM_NULL, .argv = argv};
  gannet_exit code = GANNET_EXIT_INTERNAL;
  machine_choose_blas(argv);
  const gannet_err err = start_world(command, &world);
  if (err != GANNET_OK) {
    report_error(&world, err);
    gannet_launcher_stop(&world.launcher);
    return gannet_err_exit(err);
  }
  (void)atexit(tell_of_exit); /* after those of MPI: called before them */
  code = gannet_output_finish("gannet", run_command(command, arguments, &world));
  /* L-BFGS-B prints a line where its search direction ascends by rounding, and Fortran writes it
   * when the process ends: behind an answer in JSON, which nobody could read then. A simulation in
   * this process may print what it likes. */
  if (!command->launches) (void)freopen("/dev/null", "w", stdout);
  leave_together(&world, code);
  gannet_launcher_stop(&world.launcher);
  (void)MPI_Finalize(); /* PETSc too, where a simulation has used it */
  return code;
}

/* What words of other programs are called here; NULL = no such word. */
static const char *find_other_command(const char *word) {
  static const struct {
    const char *words; /* blanks around each */
    const char *command;
  } others[] = {
      {" resume continue restart ", "gannet run CAMPAIGN.yaml --resume"},
      {" start optimize optimise minimize minimise tune solve ", "gannet run CAMPAIGN.yaml"},
      {" check validate lint test ", "gannet run CAMPAIGN.yaml --dry-run"},
      {" plot figures html show-report ", "gannet report DIR"},
      {" info show progress ls ", "gannet status DIR"},
      {" new create ", "gannet init"},
      {" import add ", "gannet tell DIR --file FILE"},
      {" stop cancel kill abort ", "touch DIR/STOP"},
      {" clean ", "gannet tidy DIR"}};
  char text[64];
  (void)snprintf(text, sizeof text, " %.60s ", word);
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
    if (strstr(others[i].words, text)) return others[i].command;
  return NULL;
}

static int unknown_command(const char *word) {
  const char *known[32] = {NULL};
  const char *other = *word ? find_other_command(word) : NULL;
  for (int i = 0; cli_commands[i]; ++i) known[i] = cli_commands[i]->name;
  const char *near = gannet_nearest(word, known);
  const char *dot = strrchr(word, '.');
  if (dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0))
    print_error(GANNET_RAISE(GANNET_ERR_INPUT,
                             "'%s' is not a command; to run a campaign file: gannet run %s", word,
                             word));
  else if (other)
    print_error(GANNET_RAISE(GANNET_ERR_INPUT,
                             "unknown command '%s'; write `%s`; see gannet --help", word, other));
  else
    print_error(GANNET_RAISE(GANNET_ERR_INPUT, "unknown command '%s'%s%s%s; see gannet --help",
                             word, near ? "; did you mean '" : "", near ? near : "",
                             near ? "'?" : ""));
  return GANNET_EXIT_USAGE;
}

/* A file that is opened later must not become a standard stream that somebody has closed: what is
 * printed would go into it. */
static void open_missing_streams(void) {
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      (void)open("/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY);
}

static int run_program(int argc, char **argv) {
  const cli_command *command = cli_find_command(argv[0]);
  cli_arguments arguments;
  bool help = false;
  if (!command) return unknown_command(argv[0]);
  const gannet_err err = cli_parse(command, argc, argv, &arguments, &help);
  if (err != GANNET_OK) {
    print_error(err);
    return GANNET_EXIT_USAGE;
  }
  if (help) {
    cli_help(command, stdout);
    return (int)gannet_output_finish("gannet", GANNET_EXIT_FINISHED);
  }
  const cli_reach reach = command->parallel      ? CLI_EVERYTHING
                          : command->reads_state ? CLI_STATE
                                                 : CLI_TABLES;
  const gannet_err became = cli_become(reach, argv - 1);
  if (became != GANNET_OK) {
    print_error(became);
    return (int)gannet_err_exit(became);
  }
  if (command->parallel) return (int)run_parallel(command, &arguments, argv - 1);
  const cli_world world = {.comm = MPI_COMM_NULL, .argv = argv - 1};
  return (int)gannet_output_finish("gannet", run_command(command, &arguments, &world));
}

int main(int argc, char **argv) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  const char *first = argc > 1 ? argv[1] : "--help";
  open_missing_streams();
  if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || strcmp(first, "help") == 0) {
    cli_help_all(stdout);
    return (int)gannet_output_finish("gannet", argc > 1 ? GANNET_EXIT_FINISHED : GANNET_EXIT_USAGE);
  }
  if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0) {
    (void)puts("gannet " GANNET_VERSION);
    return (int)gannet_output_finish("gannet", GANNET_EXIT_FINISHED);
  }
  return run_program(argc - 1, argv + 1);
}
