/* The parts of reading a campaign, one file each; for parse.c only. All functions are local,
 * complain about what is wrong, and fail with GANNET_ERR_MEMORY.
 */
#ifndef GANNET_CAMPAIGN_CONFIG_INTERNAL_H
#define GANNET_CAMPAIGN_CONFIG_INTERNAL_H

#include "campaign/config/config.h"
#include "campaign/config/schema.h"
#include "campaign/config/tree.h"

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

/* Give all keys of a tree their present names, with a warning for each. A key that is there by both
 * names is complained about, unless the old one came later and replaces the other.
 *
 * Local.
 *
 * later  in  what has an old name came later: from the command line, when the names in the file are
 *            new already
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_renamed_replace(gannet_schema schema, gannet_tree *root,
                                                 bool later, gannet_complaints *complaints);

/* The name that a key has now, or NULL when it is no old name.
 *
 * Local.
 *
 * section  in  path of the section, with the user's names for stars; "" = top level
 */
const char *gannet_renamed_find(gannet_schema schema, const char *section, const char *key);

#endif
