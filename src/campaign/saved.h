/* The effective configuration in a campaign directory, with a checksum as its last line. */
#ifndef GANNET_CAMPAIGN_SAVED_H
#define GANNET_CAMPAIGN_SAVED_H

#include "campaign/input.h"

/* Replace the file.
 *
 * Local.
 *
 * Errors: those of gannet_campaign_format and gannet_file_replace.
 */
GANNET_CHECKED gannet_err gannet_saved_write(const char *path, const gannet_campaign_input *input);

/* Whether the file is as it was written: nobody has changed it, and no byte is lost.
 *
 * Local.
 *
 * sealed  out  whether it has a checksum; without one, as before there were any, nothing is known
 *
 * Errors: GANNET_ERR_DAMAGED when it is not; GANNET_ERR_MISSING, GANNET_ERR_IO.
 */
GANNET_CHECKED gannet_err gannet_saved_check(const char *path, bool *sealed);

#endif
