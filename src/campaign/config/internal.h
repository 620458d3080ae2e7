/* What the files of campaign/config share; no other folder includes it. The functions complain
 * about what is wrong with the file, and fail with GANNET_ERR_MEMORY.
 */
#ifndef GANNET_CAMPAIGN_CONFIG_INTERNAL_H
#define GANNET_CAMPAIGN_CONFIG_INTERNAL_H

#include "campaign/config/config.h"
#include "campaign/config/schema.h"
#include "campaign/config/tree.h"

/* A campaign file that is being read. */
typedef struct {
  const char *file; /* its name, for locations */
  const gannet_tree *root;
  gannet_campaign_input *input; /* what has been read */
  gannet_complaints *complaints;
  const char *beside; /* directory of the file; see gannet_campaign_source */
} gannet_config_reader;

/* Keep where the keys of the file stand, for gannet_campaign_location.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_config_note_locations(const gannet_config_reader *reader);

/* Add the back-end that a key implies where the section evaluate names none, as "command" does.
 * Keys that only another back-end has leave it open.
 *
 * Local.
 *
 * is_implied  out  set to true when a back-end was added
 */
GANNET_CHECKED gannet_err gannet_config_imply_backend(gannet_tree_file *tree, bool *is_implied,
                                                      gannet_complaints *complaints);

/* Read the section evaluate, and the options of the back-end that it names.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_config_read_evaluate(const gannet_config_reader *reader);

/* Complain about resources that do not say what a simulation needs; in a file that has mistakes,
 * also about everything else that the back-end finds wrong, so that all of it is told at once. A
 * file without mistakes is checked by the back-end later, when it is created.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_config_check_evaluate(const gannet_config_reader *reader);

/* Read the keys of the method.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_config_read_method(const gannet_config_reader *reader);

/* Check that the method suits the problem: replicates, equations, and how many objectives there
 * are. Does nothing when something was complained about.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_config_check_method(const gannet_config_reader *reader);

/* Read variables and constraints; create the problem when nothing is wrong with them.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_config_read_problem(const gannet_config_reader *reader);

/* Give the variable constraints to the problem, if there is one and nothing was complained about so
 * far; warn of those that are true everywhere.
 *
 * Local.
 */
GANNET_CHECKED gannet_err
gannet_config_read_variable_constraints(const gannet_config_reader *reader);

/* Read what the reported numbers mean, objective, expressions of constraints and outputs, and give
 * it to the problem, if there is one and nothing was complained about so far.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_config_read_outputs(const gannet_config_reader *reader);

/* Read the designs to start with, if there is a problem.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_config_read_start(const gannet_config_reader *reader);

/* Read which results of earlier work are imported.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_config_read_imports(const gannet_config_reader *reader);
void gannet_config_release_imports(gannet_campaign_input *input); /* Local. */

/* Read the equations and give them to the problem, if there is one and nothing was complained about
 * so far.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_config_read_physics(const gannet_config_reader *reader);

/* Give all keys of a tree their present names, with a warning for each: rows GANNET_OPTION_RENAMED
 * of the tables of a schema say what the names are now, so that whatever reads the tree meets the
 * new names only. A key that is there by both names is complained about, unless the old one came
 * later and replaces the other.
 *
 * Local.
 *
 * later  in  what has an old name came later: from the command line, when the names in the file are
 *            new already
 */
GANNET_CHECKED gannet_err gannet_config_rename_keys(gannet_schema schema, gannet_tree *root,
                                                    bool later, gannet_complaints *complaints);

#endif
