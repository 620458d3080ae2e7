/* Old names of keys in a tree: rows GANNET_OPTION_RENAMED of the tables of a schema say what they
 * are called now, so that whatever reads the tree meets the new names only.
 */
#ifndef GANNET_CAMPAIGN_RENAMED_H
#define GANNET_CAMPAIGN_RENAMED_H

#include "campaign/schema.h"
#include "campaign/tree.h"

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
