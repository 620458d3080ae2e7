/* A problem with every kind of variable and constraint. */
#ifndef GANNET_TESTS_PROBLEM_SAMPLE_H
#define GANNET_TESTS_PROBLEM_SAMPLE_H

#include <math.h>

#include "problem/problem.h"

static const char *const sample_solvers[] = {"cg", "gmres", "direct lu"};

static const gannet_variable sample_variables[] = {
    {"x", GANNET_VARIABLE_REAL, -2, 6, GANNET_SCALE_LINEAR, 0, NULL},
    {"rate", GANNET_VARIABLE_REAL, 1e-6, 1e-2, GANNET_SCALE_LOG, 0, NULL},
    {"fins", GANNET_VARIABLE_INTEGER, 1, 8, GANNET_SCALE_LINEAR, 0, NULL},
    {"cells", GANNET_VARIABLE_INTEGER, 1, 1000, GANNET_SCALE_LOG, 0, NULL},
    {"vent", GANNET_VARIABLE_BOOLEAN, 0, 0, GANNET_SCALE_LINEAR, 0, NULL},
    {"solver", GANNET_VARIABLE_CATEGORICAL, 0, 0, GANNET_SCALE_LINEAR, 3, sample_solvers},
};

static const gannet_constraint sample_constraints[] = {
    {"stress", -INFINITY, 110}, {"flow", 2, INFINITY}, {"mass", 1, 3}};

static const gannet_problem_spec sample_spec = {
    .n_variables = 6,
    .variables = sample_variables,
    .n_constraints = 3,
    .constraints = sample_constraints,
    .goal = GANNET_MAXIMIZE,
    .noise_sd = NAN,
};

#endif
