/* The benchmark program: finds the sub-benchmark and starts what it needs. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/mpi_start.h"
#include "base/output.h"
#include "benchmark/bench.h"
#include "linalg/blas.h"
#include "machine/choose_blas.h"

#define PROGRAM "gannet-bench"

static gannet_err run(const bench_world *world, int argc, char **argv) {
  const bench_type *type = NULL;
  void *settings = NULL;
  GANNET_TRY(gannet_agree(world->comm, gannet_blas_prepare()));
  GANNET_TRY(bench_find(argv[0], &type));
  GANNET_TRY(gannet_alloc(1, type->options_size, &settings));
  gannet_err err = gannet_agree(world->comm, bench_parse(type, argc - 1, argv + 1, settings));
  if (err == GANNET_OK) err = type->run(world, settings);
  gannet_options_release(type->options, settings, type->options_size);
  gannet_free(&settings);
  return err;
}

static bool asks_for_help(int argc, char **argv) {
  if (argc < 2) return true;
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
  return false;
}

static void tell(gannet_err err) {
  const bool plain = err == GANNET_ERR_INPUT || err == GANNET_ERR_NAME;
  (void)fprintf(stderr, PROGRAM ": error: %s\n",
                plain ? gannet_error_detail() : gannet_error_message());
}

static gannet_exit help(int argc, char **argv) {
  const bench_type *type = NULL;
  const gannet_err err = argc > 1 && argv[1][0] != '-' ? bench_find(argv[1], &type) : GANNET_OK;
  if (err != GANNET_OK) {
    tell(err);
    return gannet_err_exit(err);
  }
  bench_help(type);
  return argc > 1 ? GANNET_EXIT_FINISHED : GANNET_EXIT_USAGE;
}

int main(int argc, char **argv) {
  bench_world world = {.comm = MPI_COMM_WORLD};
  if (asks_for_help(argc, argv)) return (int)gannet_output_finish(PROGRAM, help(argc, argv));
  machine_choose_blas(argv);
  (void)setvbuf(stdout, NULL, _IOLBF, 0); /* rows outlive an interruption of a long run */
  const gannet_err start = gannet_mpi_prepare_program();
  if (start != GANNET_OK) {
    if (gannet_mpi_early_rank() == 0) tell(start);
    return gannet_err_exit(start);
  }
  if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return GANNET_EXIT_INTERNAL;
  if (MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) != MPI_SUCCESS ||
      MPI_Comm_rank(MPI_COMM_WORLD, &world.rank) != MPI_SUCCESS ||
      MPI_Comm_size(MPI_COMM_WORLD, &world.np) != MPI_SUCCESS)
    return GANNET_EXIT_INTERNAL;
  gannet_blas_set_threads(1);
  const gannet_err err = run(&world, argc - 1, argv + 1);
  if (err != GANNET_OK && world.rank == 0) tell(err);
  const gannet_exit code = gannet_output_finish(PROGRAM, gannet_err_exit(err));
  (void)MPI_Finalize();
  return (int)code;
}
