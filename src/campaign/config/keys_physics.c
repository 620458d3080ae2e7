/* Tables of the physics section. */
#include "campaign/config/keys.h"
#include "problem/physics.h"

#define AT(type, member) .offset = offsetof(type, member)

const gannet_option gannet_physics_table[] = {
    {.key = "points",
     .type = GANNET_INTEGER,
     AT(gannet_physics_keys, points),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .lower = 1,
     .upper = GANNET_PHYSICS_POINTS,
     .help = "points of a scrambled Sobol sequence at which the equations are imposed; auto = 60 "
             "per variable, from 600 to 1500, shared among the equations, at least 20 each; in up "
             "to 3 variables half as many again are next to the edges",
     .example = "512",
     .unit = "points"},
    {.key = "seed",
     .type = GANNET_INTEGER,
     AT(gannet_physics_keys, seed),
     .fallback = "0",
     .lower = 0,
     .upper = 2147483647,
     .help = "of these points, besides the campaign's"},
    {.key = "lambda2",
     .type = GANNET_REAL,
     AT(gannet_physics_keys, lambda2),
     .fallback = "1e-6",
     .lower = 1e-12,
     .upper = 1,
     .unit = "prior variances of the equation's left side",
     .help = "variance of the equations' residuals that is allowed"},
    {0}};

const gannet_option gannet_equation_table[] = {
    {.key = "name",
     .type = GANNET_TEXT,
     AT(gannet_equation_keys, name),
     .help = "name for messages",
     .example = "heat"},
    {.key = "rhs",
     .type = GANNET_TEXT,
     AT(gannet_equation_keys, rhs),
     .help = "right side, an expression in the names of the variables; 0 when left out",
     .example = "sin(pi*x)"},
    {.key = "plugin",
     .type = GANNET_TEXT,
     AT(gannet_equation_keys, plugin),
     .help = "shared object that exports gannet_residual, for equations that are not linear; "
             "relative to the campaign file",
     .example = "./law.so"},
    {.key = "settings",
     .type = GANNET_TEXT_LIST,
     AT(gannet_equation_keys, settings),
     .help = "handed to the plugin",
     .example = "{conductivity: 3}"},
    {0}};

const gannet_option gannet_term_table[] = {
    {.key = "coefficient",
     .type = GANNET_TEXT,
     AT(gannet_term_keys, coefficient),
     .help = "factor of the derivative, an expression in the names of the variables; 1 when left "
             "out",
     .example = "exp(-x)"},
    {.key = "derivative",
     .type = GANNET_TEXT_LIST,
     AT(gannet_term_keys, derivative),
     .help = "real variables by which the objective is derived, up to four; [] is the objective "
             "itself",
     .example = "[x, x]"},
    {0}};
