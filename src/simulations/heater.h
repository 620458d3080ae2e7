/* The heater simulation: place and drive heaters so that a plate takes a wanted temperature field.
 *
 * Variables, found by name; one that a campaign does not name keeps its reference value:
 *
 *   x1 y1 p1 ... xK yK pK   position in [0, 1] m and power >= 0 W of each heater
 *   fins                    number of cooling fins, whole, 0 to 8
 *
 *   objective = sqrt(mean over the plate of (T - T_target)^2)
 *               + energy_weight * sum p + fin_cost * fins                  in kelvin
 *
 * The target is the field of the reference design, computed by the same code. So the known good
 * answer with energy_weight = fin_cost = 0 is 0, exactly, at the reference design and at any
 * permutation of its heaters. With costs the optimum is at most the reference's costs; since the
 * deviation grows linearly away from the reference, small prices leave the optimum where it is
 * (checked by search for three heaters, 0.001 K/W and 0.1 K per fin: 1.5 K).
 *
 * It also reports, each of which may be an objective of several or have bounds:
 *
 *   peak_temperature        the highest temperature in degrees Celsius
 *   power                   of all heaters in watts
 *   deviation               the objective without costs
 *
 * The simulation cannot run at a design outside the physical limits: position off the plate,
 * power < 0, fins not a whole number from 0 to 8, peak above the limit option.
 */
#ifndef GANNET_SIMULATIONS_HEATER_H
#define GANNET_SIMULATIONS_HEATER_H

#include "evaluate/simulation.h"

enum { GANNET_HEATER_MOST = 32, GANNET_HEATER_FINS_MOST = 8 };

/* Settings of the simulation, from its option table. */
typedef struct {
  int heaters;
  int resolution;
  double width;         /* s.d. of a heater's Gaussian, m */
  double conductivity;  /* W/K */
  double loss;          /* without fins, W/(m2 K) */
  double fin_loss;      /* that one fin adds, W/(m2 K) */
  double edge;          /* W/(m K) */
  double ambient;       /* degrees Celsius */
  double limit;         /* degrees Celsius */
  double energy_weight; /* K/W */
  double fin_cost;      /* K */
  double tolerance;
} gannet_heater_options;

typedef struct {
  double x, y, power;
} gannet_heater_source;

typedef struct {
  int n;
  gannet_heater_source source[GANNET_HEATER_MOST];
  double fins;
} gannet_heater_design;

extern const gannet_simulation_type gannet_heater;

/* The design that made the target field.
 *
 * Local.
 *
 * n  in  number of heaters, 1 to GANNET_HEATER_MOST
 */
void gannet_heater_reference(int n, gannet_heater_design *design);

/* Heat of the design's heaters cell by cell, as gannet_plate_heat wants it. Gaussians are
 * integrated over the cells and scaled so that every watt ends in the plate. Heaters are sorted, so
 * that a permutation gives the same bits.
 *
 * Local.
 *
 * width    in   s.d. of a Gaussian, m
 * n        in   cells per side
 * along_x  out  [design->n][n]
 * along_y  out  [design->n][n]
 */
void gannet_heater_spread(const gannet_heater_design *design, double width, int n, double *along_x,
                          double *along_y);

#endif
