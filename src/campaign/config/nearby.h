/* What lies near a path that leads nowhere, for messages. */
#ifndef GANNET_CAMPAIGN_CONFIG_NEARBY_H
#define GANNET_CAMPAIGN_CONFIG_NEARBY_H

#include <stddef.h>

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
