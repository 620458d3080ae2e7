/* Problems of engineering design from the sets RE and CRE of Tanabe and Ishibuchi 2020, with their
 * names: RE2-4-1 has two objectives and four variables. In the set RE the last objective is the
 * summed violation of the original constraints, if there are any; in the set CRE the constraints
 * stay. Here they are at most 0.
 *
 * Variables that are whole are rounded, so that a campaign may have them as real or as integers.
 *
 * The references without a source are 0.1 of the way from the ideal point to the nadir point beyond
 * the nadir point, rounded.
 */
#include <math.h>

#include "simulations/fronts/front.h"
#include "simulations/problems.h"

enum { VARIABLES_MOST = 7 };

typedef struct {
  void (*values)(const double *x, double *f, double *c); /* f without the violation */
  int m, d, n_constraints;
  bool has_violation; /* as the last objective */
  const char *names[GANNET_BENCHMARK_OBJECTIVES_MOST];
  double lower[VARIABLES_MOST], upper[VARIABLES_MOST];
  double reference[GANNET_BENCHMARK_OBJECTIVES_MOST], hypervolume;
} design_problem;

static void find_values(const void *user, int d, const double *x, double *f, double *c) {
  const design_problem *problem = user;
  (void)d;
  problem->values(x, f, c);
  if (!problem->has_violation) return;
  double violation = 0;
  for (int i = 0; i < problem->n_constraints; ++i) violation += fmax(c[i], 0);
  f[problem->m - 1] = violation;
}

static int run(const gannet_simulation_type *type, const design_problem *user, const void *settings,
               const gannet_simulation_input *input, gannet_simulation_output *output,
               gannet_quantity *quantities) {
  const gannet_benchmark_problem problem = {
      .type = type, .n_objectives = user->m, .values = find_values, .user = user, .variant = ""};
  return gannet_benchmark_run_problem(&problem, settings, input, output, quantities);
}

static int box(const design_problem *problem, int d, double *lower, double *upper, double *minimum,
               double *minimizer) {
  if (d != problem->d) return -1;
  for (int k = 0; k < d; ++k) {
    lower[k] = problem->lower[k];
    upper[k] = problem->upper[k];
  }
  return gannet_benchmark_at(d, NAN, NAN, minimum, minimizer);
}

static int front(const design_problem *problem, double *reference, double *hypervolume) {
  for (int i = 0; i < problem->m; ++i) reference[i] = problem->reference[i];
  *hypervolume = problem->hypervolume;
  return problem->m;
}

/* Defines the simulation gannet_ID of the design_problem ID. */
#define DEFINE_DESIGN(id, text, variables, constraints, description)                             \
  static int id##_run(const void *settings, const gannet_simulation_input *input,                \
                      gannet_simulation_output *output, gannet_quantity *quantities) {           \
    return run(&gannet_##id, &id, settings, input, output, quantities);                          \
  }                                                                                              \
  static int id##_box(int d, double *lower, double *upper, double *minimum, double *minimizer) { \
    return box(&id, d, lower, upper, minimum, minimizer);                                        \
  }                                                                                              \
  static int id##_front(const void *settings, double *reference, double *hypervolume) {          \
    (void)settings;                                                                              \
    return front(&id, reference, hypervolume);                                                   \
  }                                                                                              \
  static const char *id##_name(const void *settings, int i) {                                    \
    (void)settings;                                                                              \
    return i < id.m ? id.names[i] : NULL;                                                        \
  }                                                                                              \
  const gannet_simulation_type gannet_##id = {                                                   \
      .name = text,                                                                              \
      .summary = description,                                                                    \
      .source = "Tanabe, Ishibuchi 2020",                                                        \
      .options = gannet_benchmark_options,                                                       \
      .options_size = sizeof(gannet_benchmark_settings),                                         \
      .run = id##_run,                                                                           \
      .box = id##_box,                                                                           \
      .n_constraints = constraints,                                                              \
      .fixed_d = variables,                                                                      \
      .name_quantity = id##_name,                                                                \
      .front = id##_front,                                                                       \
  }

static double square(double a) {
  return a * a;
}

static double cube(double a) {
  return a * a * a;
}

/* Cross sections of four bars, cm2. */
static void four_bar_truss(const double *x, double *f, double *c) {
  const double force = 10, modulus = 2e5, length = 200, root = sqrt(2);
  (void)c;
  f[0] = length * (2 * x[0] + root * x[1] + sqrt(x[2]) + x[3]);
  f[1] = force * length / modulus * (2 / x[0] + 2 * root / x[1] - 2 * root / x[2] + 2 / x[3]);
}

static const design_problem re2_4_1 = {
    .values = four_bar_truss,
    .m = 2,
    .d = 4,
    .names = {"volume", "displacement"},
    .lower = {1, 1.4142135623730951, 1.4142135623730951, 1},
    .upper = {3, 3, 3, 3},
    .reference = {3051, 0.04372},
    .hypervolume = 54.56524564259341,
};

DEFINE_DESIGN(re2_4_1, "re2-4-1", 4, 0, "a truss of four bars: volume and displacement");

/* Thicknesses of shell and head in sixteenths of an inch, radius and length. */
static void pressure_vessel(const double *x, double *f, double *c) {
  const double pi = 3.14159265358979323846;
  const double shell = 0.0625 * nearbyint(x[0]), head = 0.0625 * nearbyint(x[1]);
  const double radius = x[2], length = x[3];
  f[0] = 0.6224 * shell * radius * length + 1.7781 * head * square(radius) +
         3.1661 * square(shell) * length + 19.84 * square(shell) * radius;
  c[0] = 0.0193 * radius - shell;
  c[1] = 0.00954 * radius - head;
  c[2] = 1296000 - pi * square(radius) * length - 4.0 / 3 * pi * cube(radius);
}

static const design_problem re2_4_3 = {
    .values = pressure_vessel,
    .m = 2,
    .d = 4,
    .n_constraints = 3,
    .has_violation = true,
    .names = {"cost", "violation"},
    .lower = {1, 1, 10, 10},
    .upper = {100, 100, 200, 240},
    .reference = {6474, 1418000},
    .hypervolume = 8808673920.8982773,
};

DEFINE_DESIGN(re2_4_3, "re2-4-3", 4, 0,
              "a pressure vessel: cost and violation; variables 1 and 2 are whole");

/* Thickness of the flange and height of the beam, cm. */
static void hatch_cover(const double *x, double *f, double *c) {
  const double modulus = 700000, flange = x[0], height = x[1];
  const double critical = modulus * square(flange) / 100, bending = 4500 / (flange * height);
  const double shear = 1800 / height,
               deflection = 56.2 * 10000 / (modulus * flange * square(height));
  f[0] = flange + 120 * height;
  c[0] = bending / 700 - 1;
  c[1] = shear / 450 - 1;
  c[2] = deflection / 1.5 - 1;
  c[3] = bending / critical - 1;
}

static const design_problem re2_2_4 = {
    .values = hatch_cover,
    .m = 2,
    .d = 2,
    .n_constraints = 4,
    .has_violation = true,
    .names = {"weight", "violation"},
    .lower = {0.5, 0.5},
    .upper = {4, 50},
    .reference = {523.7, 48.71},
    .hypervolume = 21842.831251732041,
};

DEFINE_DESIGN(re2_2_4, "re2-2-4", 2, 0, "a hatch cover: weight and violation");

/* Diameters of wire that are made, inches. */
static double nearest_wire(double diameter) {
  static const double made[] = {
      0.009, 0.0095, 0.0104, 0.0118, 0.0128, 0.0132, 0.014, 0.015,  0.0162, 0.0173, 0.018,
      0.02,  0.023,  0.025,  0.028,  0.032,  0.035,  0.041, 0.047,  0.054,  0.063,  0.072,
      0.08,  0.092,  0.105,  0.12,   0.135,  0.148,  0.162, 0.177,  0.192,  0.207,  0.225,
      0.244, 0.263,  0.283,  0.307,  0.331,  0.362,  0.394, 0.4375, 0.5};
  double best = made[0];
  for (size_t i = 1; i < sizeof made / sizeof *made; ++i)
    if (fabs(made[i] - diameter) < fabs(best - diameter)) best = made[i];
  return best;
}

/* Number of coils, diameter of the spring and of its wire, inches. */
static void coil_spring(const double *x, double *f, double *c) {
  const double pi = 3.14159265358979323846;
  const double coils = nearbyint(x[0]), wide = x[1], wire = nearest_wire(x[2]);
  const double ratio = wide / wire, most = 1000, preload = 300;
  const double curvature = (4 * ratio - 1) / (4 * ratio - 4) + 0.615 / ratio;
  const double stiffness = 11.5e6 * square(square(wire)) / (8 * coils * cube(wide));
  const double free_length = most / stiffness + 1.05 * (coils + 2) * wire;
  const double under_preload = preload / stiffness;
  f[0] = square(pi) * wide * square(wire) * (coils + 2) / 4;
  c[0] = 8 * curvature * most * wide / (pi * cube(wire)) - 189000;
  c[1] = free_length - 14;
  c[2] = 3 - ratio;
  c[3] = under_preload - 6;
  c[4] = under_preload + (most - preload) / stiffness + 1.05 * (coils + 2) * wire - free_length;
  c[5] = (most - preload) / stiffness - 1.25;
}

static const design_problem re2_3_5 = {
    .values = coil_spring,
    .m = 2,
    .d = 3,
    .n_constraints = 6,
    .has_violation = true,
    .names = {"volume", "violation"},
    .lower = {1, 0.6, 0.09},
    .upper = {70, 3, 0.5},
    .reference = {0.4406, 2447000},
    .hypervolume = 881160.82318793121,
};

DEFINE_DESIGN(re2_3_5, "re2-3-5", 3, 0,
              "a coil spring: volume and violation; coils are whole, wires those that are made");

/* Cross sections of both bars and height. */
static void two_bar_truss(const double *x, double *f, double *c) {
  const double first = x[0], second = x[1], height = x[2];
  f[0] = first * sqrt(16 + square(height)) + second * sqrt(1 + square(height));
  f[1] = 20 * sqrt(16 + square(height)) / (first * height);
  c[0] = f[0] - 0.1;
  c[1] = f[1] - 100000;
  c[2] = 80 * sqrt(1 + square(height)) / (height * second) - 100000;
}

static const design_problem re3_3_1 = {
    .values = two_bar_truss,
    .m = 3,
    .d = 3,
    .n_constraints = 3,
    .has_violation = true,
    .names = {"volume", "stress", "violation"},
    .lower = {1e-5, 1e-5, 1},
    .upper = {100, 100, 3},
    .reference = {550, 9071000, 21300000},
    .hypervolume = 1.0626665567692264e+17,
};

DEFINE_DESIGN(re3_3_1, "re3-3-1", 3, 0, "a truss of two bars: volume, stress and violation");

static const design_problem cre2_3_1 = {
    .values = two_bar_truss,
    .m = 2,
    .d = 3,
    .n_constraints = 3,
    .names = {"volume", "stress"},
    .lower = {1e-5, 1e-5, 1},
    .upper = {100, 100, 3},
    .reference = {0.1096, 109800},
    .hypervolume = 10880.056679559959,
};

DEFINE_DESIGN(cre2_3_1, "cre2-3-1", 3, 3, "a truss of two bars: volume and stress");

/* Size of the weld, its length, height and thickness of the beam, inches. */
static void welded_beam(const double *x, double *f, double *c) {
  const double load = 6000, arm = 14, modulus = 30e6, shear_modulus = 12e6;
  const double weld = x[0], length = x[1], height = x[2], thick = x[3];
  f[0] = 1.10471 * square(weld) * length + 0.04811 * height * thick * (14 + length);
  f[1] = 4 * load * cube(arm) / (modulus * thick * cube(height));
  const double moment = load * (arm + length / 2), across = square((weld + height) / 2);
  const double radius = sqrt(square(length) / 4 + across);
  const double inertia = 2 * sqrt(2) * weld * length * (square(length) / 12 + across);
  const double primary = load / (sqrt(2) * weld * length), second = moment * radius / inertia;
  const double shear = sqrt(square(primary) + primary * second * length / radius + square(second));
  const double buckling = 4.013 * modulus * sqrt(square(height) * square(cube(thick)) / 36) /
                          square(arm) *
                          (1 - height / (2 * arm) * sqrt(modulus / (4 * shear_modulus)));
  c[0] = shear - 13600;
  c[1] = 6 * load * arm / (thick * square(height)) - 30000;
  c[2] = weld - thick;
  c[3] = load - buckling;
}

static const design_problem re3_4_2 = {
    .values = welded_beam,
    .m = 3,
    .d = 4,
    .n_constraints = 4,
    .has_violation = true,
    .names = {"cost", "deflection", "violation"},
    .lower = {0.125, 0.1, 0.1, 0.125},
    .upper = {5, 10, 10, 5},
    .reference = {38.84, 19320, 467600000},
    .hypervolume = 350673312801464.5,
};

DEFINE_DESIGN(re3_4_2, "re3-4-2", 4, 0, "a welded beam: cost, deflection and violation");

/* The reference is that of BoTorch. */
static const design_problem cre2_4_2 = {
    .values = welded_beam,
    .m = 2,
    .d = 4,
    .n_constraints = 4,
    .names = {"cost", "deflection"},
    .lower = {0.125, 0.1, 0.1, 0.125},
    .upper = {5, 10, 10, 5},
    .reference = {40, 0.015},
    .hypervolume = 0.52090446828564885,
};

DEFINE_DESIGN(cre2_4_2, "cre2-4-2", 4, 4, "a welded beam: cost and deflection");

/* Inner and outer radius of the discs in mm, force in N, number of surfaces. */
static void disc_brake(const double *x, double *f, double *c) {
  const double inner = x[0], outer = x[1], force = x[2], surfaces = x[3];
  const double ring = square(outer) - square(inner), shell = cube(outer) - cube(inner);
  f[0] = 4.9e-5 * ring * (surfaces - 1);
  f[1] = 9.82e6 * ring / (force * surfaces * shell);
  c[0] = 20 - (outer - inner);
  c[1] = force / (3.14 * ring) - 0.4;
  c[2] = 2.22e-3 * force * shell / square(ring) - 1;
  c[3] = 900 - 2.66e-2 * force * surfaces * shell / ring;
}

static const design_problem re3_4_3 = {
    .values = disc_brake,
    .m = 3,
    .d = 4,
    .n_constraints = 4,
    .has_violation = true,
    .names = {"mass", "time", "violation"},
    .lower = {55, 75, 1000, 11},
    .upper = {80, 110, 3000, 20},
    .reference = {5.91, 9.878, 159700},
    .hypervolume = 9139117.3787298072,
};

DEFINE_DESIGN(re3_4_3, "re3-4-3", 4, 0, "a disc brake: mass, stopping time and violation");

/* The reference is that of BoTorch. */
static const design_problem cre2_4_3 = {
    .values = disc_brake,
    .m = 2,
    .d = 4,
    .n_constraints = 4,
    .names = {"mass", "time"},
    .lower = {55, 75, 1000, 11},
    .upper = {80, 110, 3000, 20},
    .reference = {5.7771, 3.9651},
    .hypervolume = 11.220281246993936,
};

DEFINE_DESIGN(cre2_4_3, "cre2-4-3", 4, 4, "a disc brake: mass and stopping time");

/* Thicknesses of five parts, mm. */
static void vehicle(const double *x, double *f, double *c) {
  const double a = x[0], b = x[1], e = x[2], g = x[3], h = x[4];
  (void)c;
  f[0] = 1640.2823 + 2.3573285 * a + 2.3220035 * b + 4.5688768 * e + 7.7213633 * g + 4.4559504 * h;
  f[1] = 6.5856 + 1.15 * a - 1.0427 * b + 0.9738 * e + 0.8364 * g - 0.3695 * a * g +
         0.0861 * a * h + 0.3628 * b * g - 0.1106 * a * a - 0.3437 * e * e + 0.1764 * g * g;
  f[2] = -0.0551 + 0.0181 * a + 0.1024 * b + 0.0421 * e - 0.0073 * a * b + 0.024 * b * e -
         0.0118 * b * g - 0.0204 * e * g - 0.008 * e * h - 0.0241 * b * b + 0.0109 * g * g;
}

/* RE3-5-4, under its name in BoTorch, whose reference it has: the hypervolume of the front that
 * Tanabe and Ishibuchi give is 246.81607. */
static const design_problem vehicle_safety = {
    .values = vehicle,
    .m = 3,
    .d = 5,
    .names = {"mass", "acceleration", "intrusion"},
    .lower = {1, 1, 1, 1, 1},
    .upper = {3, 3, 3, 3, 3},
    .reference = {1864.72022, 11.81993945, 0.2903999384},
    .hypervolume = 246.98345338304767,
};

DEFINE_DESIGN(vehicle_safety, "vehicle-safety", 5, 0,
              "a vehicle in a crash (RE3-5-4): mass, acceleration and intrusion");

/* The variables of the simulation speed-reducer. */
static void gear_box(const double *x, double *f, double *c) {
  const double teeth = nearbyint(x[2]), face = x[0], module = x[1];
  const double first = x[3], second = x[4], thin = x[5], thick = x[6];
  f[0] = 0.7854 * face * square(module) * (10 * square(teeth) / 3 + 14.933 * teeth - 43.0934) -
         1.508 * face * (square(thin) + square(thick)) + 7.477 * (cube(thin) + cube(thick)) +
         0.7854 * (first * square(thin) + second * square(thick));
  f[1] = sqrt(square(745 * first / (module * teeth)) + 1.69e7) / (0.1 * cube(thin));
  c[0] = 1 / (face * square(module) * teeth) - 1 / 27.0;
  c[1] = 1 / (face * square(module) * square(teeth)) - 1 / 397.5;
  c[2] = cube(first) / (module * teeth * square(square(thin))) - 1 / 1.93;
  c[3] = cube(second) / (module * teeth * square(square(thick))) - 1 / 1.93;
  c[4] = module * teeth - 40;
  c[5] = face / module - 12;
  c[6] = 5 - face / module;
  c[7] = 1.9 - first + 1.5 * thin;
  c[8] = 1.9 - second + 1.1 * thick;
  c[9] = f[1] - 1300;
  c[10] = sqrt(square(745 * second / (module * teeth)) + 1.575e8) / (0.1 * cube(thick)) - 1100;
}

static const design_problem re3_7_5 = {
    .values = gear_box,
    .m = 3,
    .d = 7,
    .n_constraints = 11,
    .has_violation = true,
    .names = {"weight", "stress", "violation"},
    .lower = {2.6, 0.7, 17, 7.3, 7.3, 2.9, 5},
    .upper = {3.6, 0.8, 28, 8.3, 8.3, 3.9, 5.5},
    .reference = {7602, 1796, 437.1},
    .hypervolume = 2480680317.6390676,
};

DEFINE_DESIGN(re3_7_5, "re3-7-5", 7, 0,
              "a speed reducer: weight, stress and violation; variable 3 is whole");

static const design_problem cre2_7_4 = {
    .values = gear_box,
    .m = 2,
    .d = 7,
    .n_constraints = 11,
    .names = {"weight", "stress"},
    .lower = {2.6, 0.7, 17, 7.3, 7.3, 2.9, 5},
    .upper = {3.6, 0.8, 28, 8.3, 8.3, 3.9, 5.5},
    .reference = {6087, 1360},
    .hypervolume = 2151632.3513977551,
};

DEFINE_DESIGN(cre2_7_4, "cre2-7-4", 7, 11,
              "a speed reducer: weight and stress; variable 3 is whole");

/* Teeth of four gears. */
static void gear_train(const double *x, double *f, double *c) {
  double teeth[4], most = 0;
  for (int k = 0; k < 4; ++k) {
    teeth[k] = nearbyint(x[k]);
    most = fmax(most, teeth[k]);
  }
  f[0] = fabs(6.931 - teeth[2] / teeth[0] * (teeth[3] / teeth[1]));
  f[1] = most;
  c[0] = f[0] / 6.931 - 0.5;
}

static const design_problem re3_4_6 = {
    .values = gear_train,
    .m = 3,
    .d = 4,
    .n_constraints = 1,
    .has_violation = true,
    .names = {"ratio_error", "size", "violation"},
    .lower = {12, 12, 12, 12},
    .upper = {60, 60, 60, 60},
    .reference = {6.524, 53.8, 0.3913},
    .hypervolume = 76.52744294045381,
};

DEFINE_DESIGN(re3_4_6, "re3-4-6", 4, 0,
              "a gear train: error of the ratio, size and violation; all variables are whole");

/* Angle, change of the hydrogen area, change of the oxygen area, thickness of the post tip. */
static void injector(const double *x, double *f, double *c) {
  const double a = x[0], h = x[1], o = x[2], p = x[3];
  (void)c;
  f[0] = 0.692 + 0.477 * a - 0.687 * h - 0.08 * o - 0.065 * p - 0.167 * a * a - 0.0129 * h * a +
         0.0796 * h * h - 0.0634 * o * a - 0.0257 * o * h + 0.0877 * o * o - 0.0521 * p * a +
         0.00156 * p * h + 0.00198 * p * o + 0.0184 * p * p;
  f[1] = 0.153 - 0.322 * a + 0.396 * h + 0.424 * o + 0.0226 * p + 0.175 * a * a + 0.0185 * h * a -
         0.0701 * h * h - 0.251 * o * a + 0.179 * o * h + 0.015 * o * o + 0.0134 * p * a +
         0.0296 * p * h + 0.0752 * p * o + 0.0192 * p * p;
  f[2] = 0.37 - 0.205 * a + 0.0307 * h + 0.108 * o + 1.019 * p - 0.135 * a * a + 0.0141 * h * a +
         0.0998 * h * h + 0.208 * o * a - 0.0301 * o * h - 0.226 * o * o + 0.353 * p * a -
         0.0497 * p * o - 0.423 * p * p + 0.202 * h * a * a - 0.281 * o * a * a -
         0.342 * h * h * a - 0.245 * h * h * o + 0.281 * o * o * h - 0.184 * p * p * a -
         0.281 * h * a * o;
}

static const design_problem re3_4_7 = {
    .values = injector,
    .m = 3,
    .d = 4,
    .names = {"face_temperature", "distance", "tip_temperature"},
    .lower = {0, 0, 0, 0},
    .upper = {1, 1, 1, 1},
    .reference = {1.101, 1.21, 1.249},
    .hypervolume = 1.52052525361306,
};

DEFINE_DESIGN(re3_4_7, "re3-4-7", 4, 0,
              "a rocket injector: temperature of the face, distance from the inlet, temperature of "
              "the post tip");

/* Thicknesses of seven parts, mm. */
static void side_impact(const double *x, double *f, double *c) {
  const double pillar = 10.58 - 0.674 * x[0] * x[1] - 0.67275 * x[1];
  const double door = 16.45 - 0.489 * x[2] * x[6] - 0.843 * x[4] * x[5];
  f[0] = 1.98 + 4.9 * x[0] + 6.67 * x[1] + 6.98 * x[2] + 4.01 * x[3] + 1.78 * x[4] + 1e-5 * x[5] +
         2.73 * x[6];
  f[1] = 4.72 - 0.5 * x[3] - 0.19 * x[1] * x[2];
  f[2] = 0.5 * (pillar + door);
  c[0] = 1.16 - 0.3717 * x[1] * x[3] - 0.0092928 * x[2] - 1;
  c[1] = 0.261 - 0.0159 * x[0] * x[1] - 0.06486 * x[0] - 0.019 * x[1] * x[6] +
         0.0144 * x[2] * x[4] + 0.0154464 * x[5] - 0.32;
  c[2] = 0.214 + 0.00817 * x[4] - 0.045195 * x[0] - 0.0135168 * x[0] + 0.03099 * x[1] * x[5] -
         0.018 * x[1] * x[6] + 0.007176 * x[2] + 0.023232 * x[2] - 0.00364 * x[4] * x[5] -
         0.018 * square(x[1]) - 0.32;
  c[3] = 0.74 - 0.61 * x[1] - 0.031296 * x[2] - 0.031872 * x[6] + 0.227 * square(x[1]) - 0.32;
  c[4] = 28.98 + 3.818 * x[2] - 4.2 * x[0] * x[1] + 1.27296 * x[5] - 2.68065 * x[6] - 32;
  c[5] = 33.86 + 2.95 * x[2] - 5.057 * x[0] * x[1] - 3.795 * x[1] - 3.4431 * x[6] + 1.45728 - 32;
  c[6] = 46.36 - 9.9 * x[1] - 4.4505 * x[0] - 32;
  c[7] = f[1] - 4;
  c[8] = pillar - 9.9;
  c[9] = door - 15.7;
}

/* The reference is that of BoTorch: the hypervolume of the front that Tanabe and Ishibuchi give is
 * 484.72655. */
static const design_problem re4_7_1 = {
    .values = side_impact,
    .m = 4,
    .d = 7,
    .n_constraints = 10,
    .has_violation = true,
    .names = {"weight", "force", "velocity", "violation"},
    .lower = {0.5, 0.45, 0.5, 0.5, 0.875, 0.4, 0.4},
    .upper = {1.5, 1.35, 1.5, 1.5, 2.625, 1.2, 1.2},
    .reference = {45.4872, 4.5114, 13.3394, 10.3942},
    .hypervolume = 484.72654347642793,
};

DEFINE_DESIGN(re4_7_1, "re4-7-1", 7, 0,
              "the side of a car in a crash: weight, force, velocity and violation");

static const design_problem cre3_7_1 = {
    .values = side_impact,
    .m = 3,
    .d = 7,
    .n_constraints = 10,
    .names = {"weight", "force", "velocity"},
    .lower = {0.5, 0.45, 0.5, 0.5, 0.875, 0.4, 0.4},
    .upper = {1.5, 1.35, 1.5, 1.5, 2.625, 1.2, 1.2},
    .reference = {44.69, 4.041, 12.7},
    .hypervolume = 13.123754373303425,
};

DEFINE_DESIGN(cre3_7_1, "cre3-7-1", 7, 10,
              "the side of a car in a crash: weight, force and velocity");
