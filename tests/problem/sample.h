/* A problem with every kind of variable and constraint. */
#ifndef GANNET_TESTS_PROBLEM_SAMPLE_H
#define GANNET_TESTS_PROBLEM_SAMPLE_H

#include <math.h>

#include "problem/problem.h"

static const char *const sample_solvers[] = {"cg", "gmres", "direct lu"};

static const gannet_variable sample_variables[] = {
    {.name = "x", .lower = -2, .upper = 6},
    {.name = "rate", .lower = 1e-6, .upper = 1e-2, .scale = GANNET_SCALE_LOG},
    {.name = "fins", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 8},
    {.name = "cells",
     .type = GANNET_VARIABLE_INTEGER,
     .lower = 1,
     .upper = 1000,
     .scale = GANNET_SCALE_LOG},
    {.name = "vent", .type = GANNET_VARIABLE_BOOLEAN},
    {.name = "solver",
     .type = GANNET_VARIABLE_CATEGORICAL,
     .n_values = 3,
     .values = sample_solvers},
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
