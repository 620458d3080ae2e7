/* Designs and values on the command line: --point NAME=VALUE and --constraint NAME=VALUE, and
 * designs that are printed. */
#ifndef GANNET_CLI_POINT_H
#define GANNET_CLI_POINT_H

#include "cli/cli.h"
#include "gannet/quantity.h"
#include "problem/problem.h"

/* Cut "name=value" in two.
 *
 * Local.
 *
 * name   out  [size]
 * value  out  borrowed from text
 *
 * Errors: GANNET_ERR_INPUT.
 */
GANNET_CHECKED gannet_err cli_split_pair(const char *flag, const char *text, char *name,
                                         size_t size, const char **value);

/* Raise the error that the campaign has no constraint (flag "constraint") or no variable (flag
 * "point") of this name.
 *
 * Local.
 */
gannet_err cli_raise_unknown(const char *flag, const char *name, const gannet_problem *problem);

/* Read the values of --point.
 *
 * Local.
 *
 * x_user  out  [n_variables] NAN where none was given
 *
 * Errors: GANNET_ERR_INPUT.
 */
GANNET_CHECKED gannet_err cli_read_point(const cli_arguments *arguments,
                                         const gannet_problem *problem, double *x_user);

/* Warn of values of --point that are not used, as their variables are inactive.
 *
 * Local.
 *
 * given  in  [n_variables] NAN where none was given
 */
void cli_warn_of_ignored(const gannet_problem *problem, const double *given);

/* Print a design, a line for each variable with its unit, and - where it is inactive.
 *
 * Local.
 *
 * x_user  in  [n_variables]
 */
void cli_print_point(const gannet_problem *problem, const double *x_user);

/* Read a value of a quantity: "3.2", "3.2+-0.1" with its standard deviation, or "missing".
 *
 * Local.
 *
 * what      in     for messages
 * quantity  inout  its value, NAN = missing, and its standard deviation
 *
 * Errors: GANNET_ERR_INPUT.
 */
GANNET_CHECKED gannet_err cli_read_stated(const char *what, const char *text,
                                          gannet_quantity *quantity);

#endif
