/* Rows that the tables of options of several models share: the member of the options is at some
 * offset, and standard is its default. */
#ifndef GANNET_SURROGATE_OPTION_ROWS_H
#define GANNET_SURROGATE_OPTION_ROWS_H

#include "base/option.h"
#include "surrogate/factor.h"

#define GANNET_NOISE_FLOOR_OPTION(at, standard)                                        \
  {                                                                                    \
    .key = "noise_floor", .type = GANNET_REAL, .offset = (at), .fallback = (standard), \
    .lower = 1e-12, .upper = 1, .unit = "variances of the data",                       \
    .help = "lowest noise variance of the model"                                       \
  }

#define GANNET_RESTARTS_OPTION(at, standard)                                                       \
  {                                                                                                \
    .key = "restarts", .type = GANNET_INTEGER, .offset = (at), .fallback = (standard), .lower = 1, \
    .upper = 1000, .help = "starts of the fit of hyperparameters, shared among the ranks"          \
  }

/* what: that they are used to do, and which are taken where there are more. */
#define GANNET_FIT_POINTS_OPTION(at, standard, what)                                     \
  {                                                                                      \
    .key = "fit_points", .type = GANNET_INTEGER, .offset = (at), .fallback = (standard), \
    .lower = 10, .upper = 20000, .help = "most observations used to " what               \
  }

#define GANNET_FIT_EVALUATIONS_OPTION(at, standard)                                           \
  {                                                                                           \
    .key = "fit_evaluations", .type = GANNET_INTEGER, .offset = (at), .fallback = (standard), \
    .lower = 1, .upper = 100000,                                                              \
    .help = "largest number of evaluations of the likelihood from each start"                 \
  }

#define GANNET_TRAIN_POINTS_OPTION(at, standard, text)                                     \
  {                                                                                        \
    .key = "train_points", .type = GANNET_INTEGER, .offset = (at), .fallback = (standard), \
    .lower = 10, .upper = 1e9, .help = text                                                \
  }

/* A gannet_factor_place. */
#define GANNET_FACTOR_OPTION(at)                                                                  \
  {                                                                                               \
    .key = "factor", .type = GANNET_CHOICE, .offset = (at), .fallback = "replicated",             \
    .choices = gannet_factor_names,                                                               \
    .help =                                                                                       \
        "where the kernel matrix is factorised: replicated: whole on every node; distributed: "   \
        "spread over the ranks, for Thompson draws only; results then agree to rounding between " \
        "numbers of ranks; auto: distributed above 4000 observations on several nodes"            \
  }

/* Of gannet_inducing_create. */
#define GANNET_INDUCING_OPTION(at)                                                              \
  {                                                                                             \
    .key = "inducing", .type = GANNET_INTEGER, .offset = (at), .fallback = "auto", .lower = 0,  \
    .upper = 20000, .flags = GANNET_OPTION_AUTO,                                                \
    .help =                                                                                     \
        "largest number of inducing points; with more than twice as many observations the old " \
        "ones enter through these, so that the time does not grow with the history; 0: never; " \
        "auto: 2000, or 0 unless the factor is replicated",                                     \
    .example = "1000"                                                                           \
  }

#endif
