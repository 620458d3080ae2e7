/* The section objectives of a campaign file; no other folder includes it. */
#ifndef GANNET_CAMPAIGN_CONFIG_OBJECTIVES_H
#define GANNET_CAMPAIGN_CONFIG_OBJECTIVES_H

#include "campaign/config/internal.h"
#include "campaign/config/keys.h"

typedef struct {
  int n;                        /* 0 = the file has a single objective */
  gannet_objectives_keys *keys; /* [n] own the units and expressions */
  gannet_objective *item;       /* [n] with names of the tree */
} gannet_config_objectives;

/* Read the objectives; complain about what is wrong with them, and about keys of a single one
 * beside them.
 *
 * Local.
 *
 * all  inout  zeroed; to be released, also after an error
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_config_read_objectives(const gannet_config_reader *reader,
                                                        gannet_config_objectives *all);
void gannet_config_release_objectives(gannet_config_objectives *all);

#endif
