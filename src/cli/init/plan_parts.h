/* The parts of the plan of gannet init, which plan.c puts together. Each takes complaints about
 * what is wrong with the command line; errors are those of memory and of files.
 */
#ifndef GANNET_CLI_INIT_PLAN_PARTS_H
#define GANNET_CLI_INIT_PLAN_PARTS_H

#include "cli/init/init.h"

/* Keep a text, put together like printf, as long as the plan lives.
 *
 * Local.
 */
GANNET_PRINTF(3, 4)
GANNET_CHECKED gannet_err init_keep_text(init_plan *plan, const char **kept, const char *format,
                                         ...);

/* Add what is wrong, as an error has said it, to the complaints.
 *
 * Local.
 */
void init_complain_of_error(gannet_complaints *complaints, const char *where);

/* Read variables, objectives and constraints; two example variables where nothing names any.
 *
 * Local.
 */
GANNET_CHECKED gannet_err init_read_problem(const cli_arguments *arguments, init_plan *plan,
                                            gannet_complaints *complaints);

/* Read what runs the simulation, after its backend, sizes and templates are known.
 *
 * Local.
 */
GANNET_CHECKED gannet_err init_read_simulation(const cli_arguments *arguments, init_plan *plan,
                                               gannet_complaints *complaints);

#endif
