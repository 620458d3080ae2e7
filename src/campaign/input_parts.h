/* The parts of reading a campaign, one file each; for input.c only. All functions are local,
 * complain about what is wrong, and fail with GANNET_ERR_MEMORY.
 */
#ifndef GANNET_CAMPAIGN_INPUT_PARTS_H
#define GANNET_CAMPAIGN_INPUT_PARTS_H

#include "campaign/input.h"
#include "campaign/tree.h"

typedef struct {
  const char *file;
  const gannet_tree *root;
  gannet_campaign_input *input;
  gannet_complaints *complaints;
  const char *beside; /* see gannet_campaign_source */
} gannet_input_reader;

/* Variables and constraints; creates the problem when nothing is wrong with them.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_input_problem(const gannet_input_reader *reader);

/* The equations, given to the problem when nothing was complained about so far; methods that cannot
 * use them are complained about. After _problem and _method.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_input_physics(const gannet_input_reader *reader);

/* Where the keys are that others check; and forget it.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_input_places(const gannet_input_reader *reader);
void gannet_input_places_release(gannet_campaign_input *input);

/* The evaluate section with the keys of its back-end.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_input_evaluate(const gannet_input_reader *reader);

/* What the back-end finds wrong, in a file that has other mistakes: all of them are told at once.
 * Nothing without a place of the file and a problem.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_input_check_backend(const gannet_input_reader *reader);

/* Where relative paths start, absolute.
 *
 * Local.
 *
 * beside  in   directory of the campaign file
 * given   in   input_directory
 * path    out  [PATH_MAX]
 *
 * Errors: GANNET_ERR_MISSING, GANNET_ERR_IO; GANNET_ERR_INPUT when it is too long.
 */
GANNET_CHECKED gannet_err gannet_input_start_path(const char *beside, const char *given,
                                                  char *path);

/* The sections that are handed on to the optimiser.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_input_method(const gannet_input_reader *reader);

#endif
