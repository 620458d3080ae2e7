/* Placeholders that would do nothing, or not what was meant, told before anything runs. */
#ifndef GANNET_EVALUATE_CONTRACT_PLACEHOLDER_CHECK_H
#define GANNET_EVALUATE_CONTRACT_PLACEHOLDER_CHECK_H

#include "evaluate/contract/contract.h"

typedef struct {
  const gannet_problem *problem; /* NULL = variables are not known: only formats are checked */
  const gannet_evaluator_setup *setup; /* where to warn; its context NULL = nowhere */
  const char *input_directory;         /* that relative names start from */
  const gannet_delimiters *delimiters; /* the campaign's */
  gannet_complaints *complaints;
  gannet_placeholder_scope scope; /* which names besides the fixed ones have their meaning */
  bool place_is_late; /* GPUs and nodes are known only when the simulation begins, after its files
                         are written */
  bool steps_choose_gpus; /* srun starts simulations, and chooses their GPUs when it does */
} gannet_placeholder_check;

/* Complain about unknown placeholders and wrong formats in texts of the campaign file, and warn of
 * formats that are too narrow or lose too many digits.
 *
 * Local.
 *
 * key  in  "evaluate.command"
 */
void gannet_check_campaign_texts(const gannet_placeholder_check *check, const char *key,
                                 const gannet_text_list *texts);

/* The same for a job script, with line and column.
 *
 * Local.
 */
void gannet_check_script(const gannet_placeholder_check *check, const char *key, const char *name);

/* Warn of what looks like a mistake in a template: all of it may be meant, for other text in braces
 * stays. Warn of templates that name no variable.
 *
 * Local.
 *
 * key   in  "evaluate.templates"
 * each  in  every template is to name a variable; false = one of them is enough
 */
void gannet_check_template_texts(const gannet_placeholder_check *check, const char *key, bool each,
                                 const gannet_text_list *templates);

/* Complain about placeholders of known names in texts in which nothing is replaced.
 *
 * Local.
 *
 * instead  in  what to do, for the message
 */
void gannet_check_plain_texts(const gannet_placeholder_check *check, const char *key, int n,
                              char *const *texts, const char *instead);

#endif
