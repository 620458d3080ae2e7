/* Files that appear whole or not at all. */
#ifndef GANNET_BASE_ATOMIC_FILE_H
#define GANNET_BASE_ATOMIC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Replace a file: write path.new, fsync it, rename it to path, fsync the directory. Readers see the
 * old content or the new, never a part.
 *
 * Local.
 *
 * Errors: GANNET_ERR_NO_SPACE, GANNET_ERR_IO with the path and the reason; the old file is kept.
 */
GANNET_CHECKED gannet_err gannet_file_replace(const char *path, const void *bytes, size_t size);

/* The same without fsync: whole or not at all as long as the machine lives; after a power failure
 * the file may be empty.
 *
 * Local.
 *
 * Errors: as for replace.
 */
GANNET_CHECKED gannet_err gannet_file_put(const char *path, const void *bytes, size_t size);

/* Rename, then fsync the directory that holds the new name.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_file_rename(const char *from, const char *to);

/* Write all bytes to an open descriptor, continuing after interruptions and short writes.
 *
 * Local.
 *
 * name  in  of the file, for messages
 */
GANNET_CHECKED gannet_err gannet_write_all(int descriptor, const void *bytes, size_t size,
                                           const char *name);

/* Read bytes of an open file from a place, continuing after interruptions and short reads.
 *
 * Local.
 *
 * first  in   byte of the file
 * bytes  out  [size]
 * name   in   of the file, for messages
 * got    out  bytes read; less than size when the file ends before
 *
 * Errors: GANNET_ERR_IO.
 */
GANNET_CHECKED gannet_err gannet_read_at(int descriptor, int64_t first, void *bytes, size_t size,
                                         const char *name, size_t *got);

/* Whether a directory takes another 64 KiB: tried with a file that is gone again. False when the
 * file system or the quota is full, errno then says which; true also when that cannot be told.
 *
 * Local.
 */
bool gannet_directory_has_room(const char *directory);

/* Whether there is nothing of this name. What cannot be looked at (a file server that is away) is
 * not gone.
 *
 * Local.
 */
bool gannet_path_is_gone(const char *path);

/* The error of a failed system call on a file: errno decides between missing, no space, and others.
 *
 * Local.
 *
 * doing  in  "write", "open"
 */
gannet_err gannet_raise_errno(const char *doing, const char *name);

/* Create a directory and its missing parents; an existing directory is no error.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MISSING for a symbolic link that leads nowhere, with what to do.
 */
GANNET_CHECKED gannet_err gannet_make_directory(const char *path);

/* The same for a directory that is to be there after a power failure: the directories that hold the
 * new names are synced.
 *
 * Local.
 *
 * Errors: the same, and GANNET_ERR_IO.
 */
GANNET_CHECKED gannet_err gannet_make_lasting_directory(const char *path);

/* Whether a path is a symbolic link to what does not exist (any more), as to storage that was
 * cleaned up or is not mounted.
 *
 * Local.
 *
 * target  out  [size] what the link says
 */
bool gannet_link_leads_nowhere(const char *path, char *target, size_t size);

/* Where a file lies: "a" for "a/b", "/" for "/b", "." for "b".
 *
 * Local.
 *
 * directory  out  [size] at least as large as the path and 2
 */
void gannet_directory_of(const char *path, char *directory, size_t size);

/* What a file is called there: "b" for "a/b", "/b" and "b". Points into path.
 *
 * Local.
 */
const char *gannet_file_name_of(const char *path);

/* directory/name in a buffer.
 *
 * Local.
 *
 * Errors: GANNET_ERR_ARG when it does not fit.
 */
GANNET_CHECKED gannet_err gannet_join_path(const char *directory, const char *name, char *path,
                                           size_t size);

#endif
