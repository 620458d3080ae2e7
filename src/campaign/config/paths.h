/* Paths in campaign files and on the command line: where relative ones start, and what may be meant
 * by one that leads nowhere.
 */
#ifndef GANNET_CAMPAIGN_CONFIG_PATHS_H
#define GANNET_CAMPAIGN_CONFIG_PATHS_H

#include <stddef.h>

#include "base/error.h"

/* Find the absolute directory from which relative paths of a campaign file start.
 *
 * Local.
 *
 * beside  in   directory of the campaign file
 * given   in   input_directory
 * path    out  [PATH_MAX]
 *
 * Errors: GANNET_ERR_MISSING, GANNET_ERR_IO; GANNET_ERR_INPUT when it is too long.
 */
GANNET_CHECKED gannet_err gannet_base_directory(const char *beside, const char *given, char *path);

/* The entry of a path's folder, or of the path itself when it is a folder, that ends in a suffix
 * and is called nearly like the path: "heater.yaml" is near to "heter.yaml", and with the suffix
 * ".campaign" so is "heater.campaign". The only entry with the suffix is always near.
 *
 * Local.
 *
 * near  out  [size]; empty when there is none
 */
void gannet_nearby(const char *path, const char *suffix, char *near, size_t size);

/* The directory that a path leads to, or the last one on the way there that exists; of a relative
 * path whose first part does not exist it is the working directory, as an absolute path.
 *
 * Local.
 *
 * near  out  [size]; empty when even that cannot be told
 */
void gannet_nearest_directory(const char *path, char *near, size_t size);

#endif
