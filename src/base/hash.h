/* Hashes: a 64-bit hash of bytes (XXH3) for checksums of files, records and batches, a checksum
 * that shell scripts can compute, and numbers that are unique. None of them is cryptographic. */
#ifndef GANNET_BASE_HASH_H
#define GANNET_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* XXH3 of size bytes; the same on every machine.
 *
 * Local.
 */
uint64_t gannet_hash(const void *bytes, size_t size);

/* XXH3 of what can be read from an open file descriptor from byte offset first to the end. Returns
 * 0 and sets *hash and *size, or -1 with errno.
 *
 * Local.
 */
int gannet_hash_file(int descriptor, int64_t first, uint64_t *hash, int64_t *size);

/* The checksum that the program cksum prints (POSIX): a CRC of the bytes and of their number.
 *
 * Local.
 */
uint32_t gannet_cksum(const void *bytes, size_t size);

/* A number, never 0, that up to chance no other call returns, here or on another machine. It is
 * made of the time, the host, the process and a path. Where the value matters, use
 * gannet_context_stream.
 *
 * Local.
 */
uint64_t gannet_identity_create(const char *path);

#endif
