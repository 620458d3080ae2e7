/* Advisory locks between processes: one owner of a campaign at a time.
 *
 * The lock is flock(2) on a small file of its own, which names its holder: a line of
 * base/process.h. The system drops the lock when the process ends, however it ends, so a leftover
 * file means nothing.
 *
 * Some file systems have no flock (Lustre that is mounted without -o flock). There the holder has
 * PATH.owner, which exactly one process can make: by link(2) of a complete file, or by O_EXCL where
 * there are no links. A leftover file is removed when its holder ran on this host and has ended. Of
 * a holder on another host nobody can know from here, so acquiring fails and says what to do.
 */
#ifndef GANNET_STORE_LOCK_H
#define GANNET_STORE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct {
  int descriptor; /* of the locked file, or of PATH.owner; -1 = not held */
  bool by_name;   /* held by PATH.owner, as the file system has no flock */
  bool is_news;   /* by_name, and no earlier holder of this lock has found that out */
} gannet_lock;

/* Take the lock, or fail at once.
 *
 * Local.
 *
 * path  in  of the lock file, created when missing
 *
 * Errors: GANNET_ERR_BUSY with pid and host of the holder when known; GANNET_ERR_DAMAGED when the
 *   path is no regular file; GANNET_ERR_MISSING, GANNET_ERR_IO when the file cannot be made.
 */
GANNET_CHECKED gannet_err gannet_lock_acquire(const char *path, gannet_lock *lock);

/* Hold on to a lock whose file somebody may have removed or replaced: it is made and locked anew. A
 * file that cannot be made, or not be looked at now (a full disk, a directory that was moved, a
 * server that does not answer) is no error: the next call tries again.
 *
 * Local.
 *
 * path     in   as it was acquired
 * renewed  out  the file was made anew: another process may have had the lock meanwhile
 *
 * Errors: GANNET_ERR_BUSY when another process has the file that took its place.
 */
GANNET_CHECKED gannet_err gannet_lock_keep(const char *path, gannet_lock *lock, bool *renewed);

/* Who wrote their name into a lock file. */
typedef struct {
  long pid;       /* 0 = nobody: it was given back, or never taken */
  char host[256]; /* of the holder */
  bool is_here;   /* on this host, so that is_alive is known */
  bool is_alive;  /* true as well when nobody can know */
  double since;   /* seconds since 1970 at which it was taken */
} gannet_lock_holder;

/* Look who holds a lock, without touching it: an attempt to take it could turn away somebody who
 * wants it at the same time. A missing file has no holder. A process that was given the number of a
 * holder who has ended is not taken for it.
 *
 * Local.
 */
void gannet_lock_look(const char *path, gannet_lock_holder *holder);

/* Give the lock back; harmless when not held (descriptor -1).
 *
 * Local.
 *
 * path  in  as it was acquired
 */
void gannet_lock_release(const char *path, gannet_lock *lock);

#endif
