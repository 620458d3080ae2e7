/* Minimise the Branin function with the library: ask for points, evaluate them, tell the results.
 *
 *   mpirun -n 2 ask_tell [EVALUATIONS]
 *
 * Every rank runs the same loop and gets the same points. Here every rank also evaluates them all,
 * because the function costs nothing; real simulations are shared out, and their results made known
 * to all ranks before they are told. Ends with 0 when the best value is within 0.05 of the optimum.
 */
#include <gannet/gannet.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 4, VARIABLES = 2 };

/* Smallest value 0.397887, for example at (pi, 2.275). */
static double branin(const double *x) {
  const double pi = 3.14159265358979323846;
  const double valley = x[1] - 5.1 / (4 * pi * pi) * x[0] * x[0] + 5 / pi * x[0] - 6;
  return valley * valley + 10 * (1 - 1 / (8 * pi)) * cos(x[0]) + 10;
}

static gannet_err create(gannet_context *context, gannet_problem **problem,
                         gannet_optimizer **optimizer) {
  const gannet_variable variables[VARIABLES] = {
      {.name = "x1", .type = GANNET_VARIABLE_REAL, .lower = -5, .upper = 10},
      {.name = "x2", .type = GANNET_VARIABLE_REAL, .lower = 0, .upper = 15},
  };
  const gannet_problem_spec spec = {
      .n_variables = VARIABLES, .variables = variables, .goal = GANNET_MINIMIZE, .noise_sd = 0};
  const gannet_method_setting settings[] = {{"method", "neural-bo"}};
  gannet_err err = gannet_problem_create(&spec, problem);
  if (err == GANNET_OK) err = gannet_optimizer_create(context, *problem, 1, settings, optimizer);
  return err;
}

static gannet_err optimise(gannet_optimizer *optimizer, int evaluations) {
  for (int done = 0; done < evaluations; done += BATCH) {
    int64_t id[BATCH];
    double x[BATCH * VARIABLES];
    gannet_result results[BATCH];
    gannet_err err = gannet_optimizer_ask(optimizer, BATCH, id, x);
    if (err != GANNET_OK) return err;
    for (int i = 0; i < BATCH; ++i)
      results[i] = (gannet_result){
          .id = id[i], .outcome = GANNET_RESULT_OK, .objective = branin(x + i * VARIABLES)};
    err = gannet_optimizer_tell(optimizer, BATCH, results);
    if (err != GANNET_OK) return err;
  }
  return GANNET_OK;
}

int main(int argc, char **argv) {
  const int evaluations = argc > 1 ? atoi(argv[1]) : 40;
  int rank = 0;
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  gannet_context *context = NULL;
  gannet_problem *problem = NULL;
  gannet_optimizer *optimizer = NULL;
  gannet_best best = {.id = -1};
  gannet_err err = gannet_context_create(MPI_COMM_WORLD, 1, &context);
  if (err == GANNET_OK) err = create(context, &problem, &optimizer);
  if (err == GANNET_OK) err = optimise(optimizer, evaluations);
  if (err != GANNET_OK) {
    fprintf(stderr, "%s\n", gannet_error_message());
  } else {
    double x[VARIABLES] = {0};
    gannet_optimizer_best(optimizer, &best, x);
    if (rank == 0)
      printf("best of %d: branin(%.6f, %.6f) = %.6f\n", evaluations, x[0], x[1], best.objective);
  }

  gannet_optimizer_destroy(&optimizer);
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&context);
  MPI_Finalize();
  if (err != GANNET_OK) return gannet_err_exit(err);
  return best.id >= 0 && best.objective < 0.397887 + 0.05 ? 0 : 3;
}
