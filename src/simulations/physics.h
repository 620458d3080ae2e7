/* The differential equations that test problems obey, written as the physics section of a campaign
 * file with variables x1, x2, ... states them: one equation per line, a sequence of YAML mappings,
 *
 *   - {terms: [{coefficient: "x1", derivative: [x2]}, {coefficient: "-1", derivative: []}],
 *      rhs: "0"}
 *
 * for  x1 df/dx2 - f = 0  (without the line break). They hold for the objective that is minimised,
 * with its sign, as long as it is not moved by the shift setting.
 *
 * All of them return the number of characters needed, like snprintf, for a problem in d dimensions.
 */
#ifndef GANNET_SIMULATIONS_PHYSICS_H
#define GANNET_SIMULATIONS_PHYSICS_H

#include <stddef.h>

/* w'' = rho, which is (EI w'')'' = e^x with EI = e^x / rho integrated twice.
 *
 * Local.
 */
int gannet_physics_beam(int d, char *text, size_t size);

/* df/dx_i = 2 x_i - (pi/2) sin 5 pi x_i for every i.
 *
 * Local.
 */
int gannet_physics_cosine_mixture(int d, char *text, size_t size);

/* x1 df/dx2 - x2 df/dx1 = 0.
 *
 * Local.
 */
int gannet_physics_drop_wave(int d, char *text, size_t size);

/* The equations of simulations/fields.c: Helmholtz' equation, conduction of heat, waves, and drift.
 *
 * Local.
 */
int gannet_physics_helmholtz(int d, char *text, size_t size);
int gannet_physics_conduction(int d, char *text, size_t size);
int gannet_physics_wave(int d, char *text, size_t size);
int gannet_physics_drift(int d, char *text, size_t size);

/* Laplace's equation.
 *
 * Local.
 */
int gannet_physics_heat(int d, char *text, size_t size);

/* h . grad f - f = 0 with 1/h_i = cot x_i + (4 m i x_i / pi) cot(i x_i^2 / pi), m = 10: of each
 * term of the sum the logarithmic derivative.
 *
 * Local.
 */
int gannet_physics_michalewicz(int d, char *text, size_t size);

/* (1/2) x . grad f - f = 10 sum (cos 2 pi x_i + pi x_i sin 2 pi x_i - 1).
 *
 * Local.
 */
int gannet_physics_rastrigin(int d, char *text, size_t size);

/* sum df/dx_i = sum (2 x_i^3 - 16 x_i + 5/2).
 *
 * Local.
 */
int gannet_physics_styblinski_tang(int d, char *text, size_t size);

#endif
