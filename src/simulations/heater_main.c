/* gannet-heater: one run of the heater simulation under the file contract.
 *
 *   gannet-heater PARAMS RESULTS [--resolution 64] [--OPTION VALUE ...]
 *
 * PARAMS holds lines "name value"; RESULTS appears whole or not at all and holds "objective VALUE"
 * and "peak_temperature VALUE", or "fail REASON" for a design at which it cannot run. Without the
 * two names GANNET_PARAMS and GANNET_RESULTS of the environment are taken. Runs alone and under
 * mpirun. Exit codes: 0 results written, 1 the run failed, 2 wrong arguments or an unreadable
 * PARAMS.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/mpi_start.h"
#include "base/option.h"
#include "simulations/heater.h"

enum { MOST_VARIABLES = 3 * GANNET_HEATER_MOST + 1, MOST_SETTINGS = 32 };

typedef struct {
  const char *params, *results;
  int n_settings;
  gannet_setting settings[MOST_SETTINGS];
} command_line;

typedef struct {
  char *bytes; /* the file, cut into words */
  int n;
  const char *names[MOST_VARIABLES], *texts[MOST_VARIABLES];
  double x[MOST_VARIABLES];
} parameters;

static gannet_err read_command_line(int argc, char **argv, command_line *line) {
  int at = 1;
  line->params = getenv("GANNET_PARAMS");
  line->results = getenv("GANNET_RESULTS");
  if (at + 1 < argc && strncmp(argv[at], "--", 2) != 0) {
    line->params = argv[at];
    line->results = argv[at + 1];
    at += 2;
  }
  GANNET_REQUIRE(line->params && line->results, GANNET_ERR_INPUT,
                 "usage: gannet-heater PARAMS RESULTS [--OPTION VALUE ...], or GANNET_PARAMS and "
                 "GANNET_RESULTS in the environment");
  for (; at < argc; at += 2) {
    GANNET_REQUIRE(strncmp(argv[at], "--", 2) == 0 && at + 1 < argc, GANNET_ERR_INPUT,
                   "'%s': expected --OPTION VALUE", argv[at]);
    GANNET_REQUIRE(line->n_settings < MOST_SETTINGS, GANNET_ERR_INPUT,
                   "too many options; expected those that --help shows");
    line->settings[line->n_settings++] =
        (gannet_setting){.key = argv[at] + 2, .text = argv[at + 1], .location = argv[at]};
  }
  return GANNET_OK;
}

static gannet_err parse_options(const command_line *line, gannet_heater_options *options) {
  gannet_complaints complaints = {0};
  gannet_err err = gannet_options_apply(gannet_heater.options, NULL, line->n_settings,
                                        line->settings, options, &complaints);
  if (err == GANNET_OK) err = gannet_complaints_raise(&complaints);
  gannet_complaints_release(&complaints);
  GANNET_TRY(err);
  return GANNET_OK;
}

/* One line "name value"; an empty line is skipped. */
static gannet_err parse_line(char *line, parameters *p) {
  char *rest = NULL;
  const char *name = strtok_r(line, " \t\r", &rest), *text = strtok_r(NULL, " \t\r", &rest);
  if (!name) return GANNET_OK;
  GANNET_REQUIRE(text && !strtok_r(NULL, " \t\r", &rest), GANNET_ERR_INPUT,
                 "'%s': expected a name and a value", name);
  GANNET_REQUIRE(p->n < MOST_VARIABLES, GANNET_ERR_INPUT, "at most %d variables are possible",
                 MOST_VARIABLES);

  GANNET_REQUIRE(!gannet_parse_number(text, &p->x[p->n]), GANNET_ERR_INPUT,
                 "%s: '%s' is not a number%s", name, text, gannet_number_hint(text));
  p->names[p->n] = name;
  p->texts[p->n] = text;
  p->n += 1;
  return GANNET_OK;
}

/* Rank 0 reads, so that a thousand ranks do not open the same file. */
static gannet_err read_parameters(const char *path, parameters *p) {
  int rank = 0;
  size_t size = 0;
  gannet_err err = GANNET_OK;
  GANNET_TRY_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  if (rank == 0) err = gannet_file_read(path, &p->bytes, &size);
  if (rank == 0 && err == GANNET_OK && size > 1 << 20)
    err = GANNET_RAISE(GANNET_ERR_INPUT, "%s: longer than 1 MiB; expected lines name value", path);
  GANNET_TRY(gannet_agree(MPI_COMM_WORLD, err));
  int length = (int)size;
  GANNET_TRY_MPI(MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD));
  if (rank != 0) err = gannet_alloc((size_t)length + 1, 1, &p->bytes);
  GANNET_TRY(gannet_agree(MPI_COMM_WORLD, err));
  GANNET_TRY_MPI(MPI_Bcast(p->bytes, length, MPI_CHAR, 0, MPI_COMM_WORLD));
  char *rest = NULL;
  for (char *line = strtok_r(p->bytes, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
    GANNET_TRY(parse_line(line, p));
  return GANNET_OK;
}

static gannet_err write_results(const char *path, const gannet_simulation_output *output) {
  int rank = 0;
  size_t size = 0;
  char text[512];
  GANNET_TRY_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  if (rank != 0) return GANNET_OK;
  if (output->cannot_run)
    (void)snprintf(text, sizeof text, "fail %s\n", output->reason);
  else
    size = (size_t)snprintf(text, sizeof text, "objective %.17g\n", output->objective);
  for (int i = 0; i < output->n_quantities; ++i)
    size += (size_t)snprintf(text + size, sizeof text - size, "%s %.17g\n",
                             output->quantities[i].name, output->quantities[i].value);
  GANNET_TRY(gannet_file_replace(path, text, strlen(text)));
  return GANNET_OK;
}

static gannet_err simulate(const command_line *line, const gannet_heater_options *options,
                           const parameters *p) {
  const gannet_simulation_input input = {.abi = GANNET_SIMULATION_ABI,
                                         .comm = MPI_COMM_WORLD,
                                         .attempt = 1,
                                         .n_variables = p->n,
                                         .names = p->names,
                                         .x = p->x,
                                         .texts = p->texts};
  gannet_quantity quantities[GANNET_SIMULATION_QUANTITIES_MOST];
  gannet_simulation_output output = {0};
  GANNET_REQUIRE(gannet_heater.run(options, &input, &output, quantities) == 0, GANNET_ERR_LIBRARY,
                 "%s", output.reason);
  GANNET_TRY(gannet_agree(MPI_COMM_WORLD, write_results(line->results, &output)));
  return GANNET_OK;
}

static gannet_err run_heater(int argc, char **argv) {
  command_line line = {0};
  gannet_heater_options options = {0};
  parameters p = {0};
  gannet_err err = read_command_line(argc, argv, &line);
  if (err == GANNET_OK) err = parse_options(&line, &options);
  if (err == GANNET_OK) err = read_parameters(line.params, &p);
  if (err == GANNET_OK) err = simulate(&line, &options, &p);
  gannet_free(&p.bytes);
  gannet_options_release(gannet_heater.options, &options, sizeof options);
  return err;
}

int main(int argc, char **argv) {
  int rank = 0;
  if (gannet_mpi_prepare_program() != GANNET_OK) {
    if (gannet_mpi_early_rank() == 0)
      (void)fprintf(stderr, "gannet-heater: %s\n", gannet_error_detail());
    return 2;
  }
  if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return 1;
  (void)MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const gannet_err err = run_heater(argc, argv);
  if (err != GANNET_OK && rank == 0)
    (void)fprintf(stderr, "gannet-heater: %s\n", gannet_error_message());
  (void)MPI_Finalize();
  if (err == GANNET_OK) return 0;
  return err == GANNET_ERR_INPUT || err == GANNET_ERR_MISSING ? 2 : 1;
}
