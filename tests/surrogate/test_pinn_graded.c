/* test: ranks 1 labels unit */
/* Inputs of the network with equations that are stretched towards the edges of the box. */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/models/pinn/pinn.h"
#include "surrogate/registry.h"

static gannet_context *world;
static const gannet_stream stream = {11, GANNET_FOR_TEST, 4, 0};

/* Features of one derivative at one point of a network whose inputs are graded. */
static void graded_features(pinn_network *network, const gannet_partial *partial, const double *x,
                            double *phi) {
  gannet_jet_plan plan = {0};
  assert_ok(gannet_jet_plan_create(2, 1, partial, &plan));
  const pinn_rows rows = {.plan = &plan, .n_points = 1, .x = x, .n_rows = 1};
  assert_ok(pinn_network_features(network, &rows, NULL, phi));
  gannet_jet_plan_release(&plan);
}

/* Derivatives through graded inputs, by central differences of those one order lower; next to an
 * edge, in the middle, and beyond the finest structure. */
static void graded_inputs_are_differentiated(void **state) {
  (void)state;
  static const double at[3][2] = {{0.003, 0.6}, {0.4, 0.97}, {0.9995, 0.002}};
  static const gannet_partial chain[4] = {{0}, {1, {0}}, {2, {0, 1}}, {3, {0, 1, 0}}};
  pinn_shape shape = {.d = 2, .layers = 1, .width = 30, .single_width = 5};
  const pinn_scales scales = {1.5, 2, 2.1, 0.25, 0.01};
  pinn_network *network = NULL;
  assert_ok(gannet_activation_find("erf", &shape.activation));
  assert_ok(pinn_network_create(&shape, stream, &network));
  assert_ok(pinn_network_set_scales(network, &scales));
  const size_t p = (size_t)pinn_network_size(network);
  double *phi = NULL;
  assert_ok(gannet_alloc(3 * p, sizeof *phi, &phi));
  for (int point = 0; point < 3; ++point)
    for (int order = 1; order < 4; ++order) {
      const int axis = chain[order].axis[order - 1];
      const double h = 1e-6;
      double x[2] = {at[point][0], at[point][1]};
      graded_features(network, &chain[order], x, phi);
      x[axis] += h;
      graded_features(network, &chain[order - 1], x, phi + p);
      x[axis] -= 2 * h;
      graded_features(network, &chain[order - 1], x, phi + 2 * p);
      const double size = sqrt(gannet_dot((int)p, phi, phi) / (double)p);
      for (size_t k = 0; k < p; ++k)
        assert_near((phi[p + k] - phi[2 * p + k]) / (2 * h), phi[k], 1e-4 * (size + fabs(phi[k])));
    }
  gannet_free(&phi);
  pinn_network_destroy(&network);
}

/* The angle around the corner (1, 0), which jumps there: harmonic in the user's units. */
static double angle(const double *x) {
  return atan2(2 * x[1], 1 - x[0]);
}

/* Points at all distances from the corner. */
static void towards_corner(uint64_t first, int n, double *x) {
  gannet_random_uniform(stream, first, 2 * (size_t)n, x);
  for (int i = 0; i < n; ++i) {
    const double reach = pow(2, -0.6 * (i % 16));
    x[2 * i] = 1 - reach * x[2 * i];
    x[2 * i + 1] *= reach;
  }
}

enum { MANY = 16, ASKED = 64, POINTS = 200 };

/* The unit square with Laplace's equation at random points. */
static void make_residuals(gannet_problem **problem, gannet_pde_residuals **residuals) {
  static const gannet_variable variables[] = {
      {.name = "x", .type = GANNET_VARIABLE_REAL, .lower = 0, .upper = 1},
      {.name = "y", .type = GANNET_VARIABLE_REAL, .lower = 0, .upper = 2},
  };
  static const char *const xx[] = {"x", "x"}, *const yy[] = {"y", "y"};
  static const gannet_physics_term terms[] = {{NULL, 2, xx}, {NULL, 2, yy}};
  static const gannet_physics_equation laplace = {.n_terms = 2, .terms = terms};
  const gannet_problem_spec spec = {.n_variables = 2, .variables = variables};
  const gannet_physics_spec physics = {.n_equations = 1, .equations = &laplace};
  double x[2 * POINTS];
  gannet_random_uniform(stream, 0, 2 * POINTS, x);
  assert_ok(gannet_problem_create(&spec, problem));
  assert_ok(gannet_problem_set_physics(*problem, &physics));
  assert_ok(gannet_pde_residuals_create(*problem, POINTS, x, residuals));
}

/* Mean error at points around the corner of a model that has learnt; *edge is its grading. */
static double corner_error(const char *grading, double *edge) {
  const gannet_setting setting = {.key = "grading", .text = grading};
  double x[2 * MANY], y[MANY], at[2 * ASKED], mean[ASKED], hyper[PINN_HYPER], error = 0;
  gannet_problem *problem = NULL;
  gannet_pde_residuals *residuals = NULL;
  gannet_surrogate *model = NULL;
  gannet_complaints complaints = {0};
  pinn_options options = {0};
  make_residuals(&problem, &residuals);
  towards_corner(500, MANY, x);
  towards_corner(900, ASKED, at);
  for (int i = 0; i < MANY; ++i) y[i] = angle(x + 2 * i);
  assert_ok(gannet_options_apply(gannet_surrogate_pinn.options, "surrogate", 1, &setting, &options,
                                 &complaints));
  assert_ok(gannet_complaints_raise(&complaints));
  assert_ok(gannet_surrogate_create(world, &gannet_surrogate_pinn, &options, 2, 0, &model));
  const gannet_pde_constraint constraint = {residuals, 1, 0};
  const gannet_data data = {MANY, x, y, NAN, NULL};
  assert_ok(gannet_surrogate_set_pde_constraint(model, &constraint));
  assert_ok(gannet_surrogate_fit(model, &data, true, 0));
  gannet_surrogate_get_hyper(model, hyper);
  *edge = hyper[PINN_EDGE];
  assert_ok(gannet_surrogate_predict(model, ASKED, at, mean, NULL));
  for (int i = 0; i < ASKED; ++i) error += fabs(mean[i] - angle(at + 2 * i)) / ASKED;
  gannet_surrogate_destroy(&model);
  gannet_pde_residuals_destroy(&residuals);
  gannet_problem_destroy(&problem);
  return error;
}

/* Values that gather at a corner in which the boundary values jump, as those of a search do: the
 * evidence finds that graded inputs explain them, and they predict others. */
static void the_evidence_grades_inputs_at_a_corner(void **state) {
  double edge[2];
  (void)state;
  const double plain = corner_error("0", &edge[0]), chosen = corner_error("auto", &edge[1]);
  assert_true(edge[0] == 0 && edge[1] > 0);
  assert_true(chosen < 0.6 * plain);
}

/* A matrix of 4.5 TB, before anything else is made. */
static void what_no_machine_holds_is_refused(void **state) {
  enum { HUGE_NUMBER = 500000 };
  static double x[2 * HUGE_NUMBER], y[HUGE_NUMBER];
  gannet_problem *problem = NULL;
  gannet_pde_residuals *residuals = NULL;
  gannet_surrogate *model = NULL;
  gannet_complaints complaints = {0};
  pinn_options options = {0};
  (void)state;
  make_residuals(&problem, &residuals);
  assert_ok(gannet_options_apply(gannet_surrogate_pinn.options, "surrogate", 0, NULL, &options,
                                 &complaints));
  assert_ok(gannet_surrogate_create(world, &gannet_surrogate_pinn, &options, 2, 0, &model));
  const gannet_pde_constraint constraint = {residuals, 1, 0};
  const gannet_data data = {HUGE_NUMBER, x, y, 0.01, NULL};
  assert_ok(gannet_surrogate_set_pde_constraint(model, &constraint));
  assert_fails(GANNET_ERR_MEMORY, "leave physics out",
               gannet_surrogate_fit(model, &data, false, 0));
  gannet_surrogate_destroy(&model);
  gannet_pde_residuals_destroy(&residuals);
  gannet_problem_destroy(&problem);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (gannet_context_create(MPI_COMM_WORLD, 3, &world) != GANNET_OK) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(graded_inputs_are_differentiated),
      cmocka_unit_test(the_evidence_grades_inputs_at_a_corner),
      cmocka_unit_test(what_no_machine_holds_is_refused),
  };
  const int failed = run_ranks(tests);
  gannet_context_destroy(&world);
  MPI_Finalize();
  return failed;
}
