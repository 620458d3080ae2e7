/* Files: paths, opening what somebody else may have made, and files that appear whole or not at
 * all.
 *
 * Opening. A simulation, a user or another program can leave a FIFO, a device, a link or a
 * directory under the name of a file. An ordinary open(2) or fopen(3) then waits for ever, fills
 * the memory, or writes into a file elsewhere. The functions here open without waiting, look at
 * what was opened, and say what it is when it is no regular file:
 *
 *   reading   symbolic links are followed, as users link to their inputs. What the shell makes of
 *             <(command), and /dev/stdin, may be a pipe
 *   writing   symbolic links are refused: gannet writes into files of its own
 *
 * Replacing. A file that gannet replaces as a whole is written under another name and renamed. It
 * needs no such care, because it is always a new one.
 */
#ifndef GANNET_BASE_FILE_H
#define GANNET_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* Raise the error of a failed system call on a file. errno decides between missing, no space, and
 * others.
 *
 * Local.
 *
 * doing  in  "write", "open"
 */
gannet_err gannet_raise_errno(const char *doing, const char *name);

/* What a user can do when a file cannot grow. reason is the errno: a full disk and a quota need
 * room, EFBIG is the limit that a process has.
 *
 * Local.
 */
const char *gannet_advice_on_space(int reason);

/* The directory of a file: "a" for "a/b", "/" for "/b", "." for "b".
 *
 * Local.
 *
 * directory  out  [size] at least as large as the path and 2
 */
void gannet_directory_of(const char *path, char *directory, size_t size);

/* The name of a file in its directory: "b" for "a/b", "/b" and "b". Points into path.
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

/* Whether there is nothing of this name. What cannot be looked at (a file server that is away) is
 * not gone.
 *
 * Local.
 */
bool gannet_path_is_gone(const char *path);

/* Whether a path is a symbolic link to what does not exist (any more), as to storage that was
 * cleaned up or is not mounted.
 *
 * Local.
 *
 * target  out  [size] what the link says
 */
bool gannet_link_leads_nowhere(const char *path, char *target, size_t size);

/* Open a regular file.
 *
 * Local.
 *
 * flags       in   of open(2): O_RDONLY, O_WRONLY | O_APPEND | O_CREAT, ...; close-on-exec is added
 * otherwise   in   code of the error when the path is no regular file: GANNET_ERR_INPUT for what a
 *                  user names, GANNET_ERR_DAMAGED for what gannet wrote
 * descriptor  out  -1 after an error
 *
 * Errors: otherwise, with what the path is; GANNET_ERR_MISSING, GANNET_ERR_IO and the like by
 *   errno, which is kept. With otherwise, errno is EISDIR, ELOOP or EINVAL.
 */
GANNET_CHECKED gannet_err gannet_file_open(const char *path, int flags, gannet_err otherwise,
                                           int *descriptor);

/* The same for reading through a stream, to be closed with fclose.
 *
 * Local.
 *
 * stream  out  NULL after an error
 *
 * Errors: as for opening.
 */
GANNET_CHECKED gannet_err gannet_file_stream(const char *path, gannet_err otherwise, FILE **stream);

/* Make a file that was not there, for writing. What is there, such as the file of a process that
 * was killed, or a link that somebody put there, is removed first; a directory is not.
 *
 * Local.
 *
 * mode        in   permissions, of which the process may take some
 * descriptor  out  -1 after an error
 *
 * Errors: GANNET_ERR_IO, also for a directory; GANNET_ERR_NO_SPACE and the like by errno, which is
 *   kept.
 */
GANNET_CHECKED gannet_err gannet_file_create(const char *path, unsigned mode, int *descriptor);

/* Read a whole file into memory, with a terminating zero byte that is not counted.
 *
 * Local.
 *
 * most       in   bytes that the file may have
 * otherwise  in   code of the error when it has more, or is no regular file
 * bytes      out  to be freed with gannet_free
 * size       out  may be NULL
 *
 * Errors: otherwise; GANNET_ERR_MISSING, GANNET_ERR_IO, GANNET_ERR_MEMORY; errno is kept.
 */
GANNET_CHECKED gannet_err gannet_file_read_within(const char *path, int64_t most,
                                                  gannet_err otherwise, char **bytes, size_t *size);

/* The same for any file that a user may name: up to 64 GiB, otherwise GANNET_ERR_INPUT.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_file_read(const char *path, char **bytes, size_t *size);

/* Read the end of a file, such as the last words of a log.
 *
 * Local.
 *
 * room  in   bytes of text, of which the last becomes a terminating zero
 * text  out  [room] "" after an error
 * size  out  bytes before that zero; may be NULL
 *
 * Errors: as for opening, otherwise GANNET_ERR_INPUT.
 */
GANNET_CHECKED gannet_err gannet_file_read_end(const char *path, size_t room, char *text,
                                               size_t *size);

/* Read bytes of an open file from a position, continuing after interruptions and short reads.
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

/* Write all bytes to an open descriptor, continuing after interruptions and short writes.
 *
 * Local.
 *
 * name  in  of the file, for messages
 */
GANNET_CHECKED gannet_err gannet_write_all(int descriptor, const void *bytes, size_t size,
                                           const char *name);

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

/* Write a file whose text a function prints, whole or not at all. The text is kept in memory until
 * it is complete.
 *
 * Local.
 *
 * name     in  relative to directory
 * lasting  in  with fsync, as gannet_file_replace; else as gannet_file_put
 * put      in  prints the text
 * user     in  handed on to put
 *
 * Errors: those of put; as for replace; GANNET_ERR_MEMORY.
 */
typedef gannet_err (*gannet_file_putter)(FILE *out, const void *user);
GANNET_CHECKED gannet_err gannet_file_print(const char *directory, const char *name, bool lasting,
                                            gannet_file_putter put, const void *user);

/* Rename, then fsync the directory that holds the new name.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_file_rename(const char *from, const char *to);

/* Whether a directory takes another 64 KiB, which is tried with a file that is removed again. False
 * when the file system or the quota is full; errno then says which. True also when that cannot be
 * told.
 *
 * Local.
 */
bool gannet_directory_has_room(const char *directory);

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

#endif
