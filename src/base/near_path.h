/* What may be meant by a path that leads nowhere. */
#ifndef GANNET_BASE_NEAR_PATH_H
#define GANNET_BASE_NEAR_PATH_H

#include <stddef.h>

/* Find the path that is nearly spelt like one that leads nowhere: the first part of it that is not
 * there becomes the name in its folder that is nearest.
 *
 * Local.
 *
 * folder  in   that a relative path starts from
 * near    out  [size]; "" = nothing is near
 */
void gannet_find_near_path(const char *folder, const char *path, char *near, size_t size);

#endif
