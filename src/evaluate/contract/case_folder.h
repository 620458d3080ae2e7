/* A case folder: a folder of the user's with everything that a simulation needs, which every
 * evaluation gets a copy of. */
#ifndef GANNET_EVALUATE_CONTRACT_CASE_FOLDER_H
#define GANNET_EVALUATE_CONTRACT_CASE_FOLDER_H

#include "evaluate/contract/contract.h"

/* Whether gannet or the simulation writes a file of this name into the directory of an evaluation.
 *
 * Local.
 */
bool gannet_contract_has_file(const char *name);

/* Whether a pattern matches a path or a folder that it is in. A part ** stands for any number of
 * parts.
 *
 * Local.
 *
 * name  in  relative path
 */
bool gannet_case_matches(const char *pattern, const char *name);

/* Write the absolute path of the folder, without symbolic links.
 *
 * Local.
 *
 * input_directory  in   that a relative name starts from; NULL = the working directory
 * folder           out  [PATH_MAX]
 *
 * Errors: GANNET_ERR_MISSING and the like.
 */
GANNET_CHECKED gannet_err gannet_case_find(const gannet_case *a_case, const char *input_directory,
                                           char *folder);

/* Complain about what can be seen to be wrong with the keys and with what is in the folder.
 *
 * Local.
 *
 * problem  in  its outputs must not be there before a simulation has run; NULL = not checked
 */
void gannet_case_check(const gannet_case *a_case, const char *input_directory,
                       const gannet_problem *problem, gannet_complaints *complaints);

/* List the files whose placeholders are replaced, relative to the folder. Nothing when there is no
 * case folder.
 *
 * Local.
 *
 * list  out  zeroed before; free with gannet_text_list_release, also after failure
 */
GANNET_CHECKED gannet_err gannet_case_list_templates(const gannet_case *a_case,
                                                     const char *input_directory,
                                                     gannet_text_list *list);

/* Copy the folder into the directory of an evaluation. What an earlier call left there that was
 * interrupted is replaced.
 *
 * Local.
 *
 * Errors: those of the file system; GANNET_ERR_INPUT for what cannot be copied, such as a device.
 */
GANNET_CHECKED gannet_err gannet_case_copy(const gannet_contract *contract,
                                           const gannet_bindings *bindings, const char *directory);

#endif
