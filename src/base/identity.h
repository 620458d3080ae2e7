/* Numbers that nothing else has. */
#ifndef GANNET_BASE_IDENTITY_H
#define GANNET_BASE_IDENTITY_H

#include <stdint.h>

/* A number that, up to chance, no other call here or on another machine returns, made of the time,
 * the host, the process and a path; never 0. Not for anything whose value matters: random numbers
 * come from gannet_context_stream.
 *
 * Local.
 */
uint64_t gannet_identity_create(const char *path);

#endif
