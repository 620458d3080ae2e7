#include "store/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "store/journal_scan.h"
#include "store/lock.h"

static const int64_t longest = INT64_C(64) << 30; /* bytes; 100 000 evaluations have some 100 MB */

struct gannet_journal {
  int descriptor;
  gannet_lock lock;
  int64_t last;   /* sequence number of the last record */
  int64_t length; /* bytes up to its end */
  int schema;
  bool begun;              /* there is a file, and its length is known */
  struct timespec written; /* the file's time after the last write of this process */
  double next_look;        /* time of the monotonic clock before which no thorough look is due */
  bool is_unsynced;        /* something was written and not synced */
  double last_sync;        /* time of the monotonic clock; 0 before the first */
  bool broken;             /* a failed append could not be undone */
  bool lost;               /* another process added to it */
  bool renewed;            /* the lock file was made again, and nobody knows yet */
  char *lines;             /* what is being appended, deferred records first */
  size_t used;             /* bytes of deferred records */
  size_t room;
  char path[PATH_MAX];
};

/* Read a whole journal. Something else in its place, or a file that is far too large, counts as
 * damage, from which a snapshot may help. */
static gannet_err read_bytes(const char *path, char **bytes, size_t *size) {
  return gannet_file_read_within(path, longest, GANNET_ERR_DAMAGED, bytes, size);
}

gannet_err gannet_journal_read(const char *path, int newest_schema, gannet_journal_visit visit,
                               void *user, gannet_journal_report *report) {
  gannet_journal_report unused, *about = report ? report : &unused;
  char *bytes = NULL;
  size_t size = 0;
  memset(about, 0, sizeof *about);
  GANNET_TRY(read_bytes(path, &bytes, &size));
  gannet_err err = gannet_journal_scan(bytes, size, path, newest_schema, about);
  if (err == GANNET_OK && visit)
    err = gannet_journal_visit_all(bytes, about->good_bytes, visit, user);
  gannet_free(&bytes);
  return err;
}

gannet_err gannet_journal_identify(const char *path, int newest_schema,
                                   gannet_journal_report *report) {
  char line[GANNET_JOURNAL_HEADER_ROOM];
  memset(report, 0, sizeof *report);
  int descriptor = -1;
  GANNET_TRY(gannet_file_open(path, O_RDONLY, GANNET_ERR_DAMAGED, &descriptor));
  size_t got = 0;
  const gannet_err err = gannet_read_at(descriptor, 0, line, sizeof line, path, &got);
  (void)close(descriptor);
  GANNET_TRY(err);
  return gannet_journal_scan_header(line, got, path, newest_schema, report);
}

/* Visit the records between a position and the end of the file. */
static gannet_err visit_added(int descriptor, const char *path, int64_t end,
                              gannet_journal_position *position, gannet_journal_visit visit,
                              void *user) {
  const size_t size = (size_t)(end - position->bytes);
  char *bytes = NULL;
  size_t got = 0;
  int64_t good = 0;
  GANNET_TRY(gannet_alloc(size + 1, 1, &bytes));
  gannet_err err = gannet_read_at(descriptor, position->bytes, bytes, size, path, &got);
  if (err == GANNET_OK && got < size)
    err = GANNET_RAISE(GANNET_ERR_IO, "'%s' became shorter while it was read", path);
  if (err == GANNET_OK)
    err = gannet_journal_visit_rest(bytes, size, path, &position->records, &good, visit, user);
  position->bytes += good;
  gannet_free(&bytes);
  return err;
}

gannet_err gannet_journal_follow(const char *path, int newest_schema,
                                 gannet_journal_position *position, bool *replaced,
                                 gannet_journal_visit visit, void *user) {
  struct stat status;
  gannet_journal_report report;
  gannet_err err = GANNET_OK;
  *replaced = false;
  int descriptor = -1;
  GANNET_TRY(gannet_file_open(path, O_RDONLY, GANNET_ERR_DAMAGED, &descriptor));
  if (fstat(descriptor, &status)) err = gannet_raise_errno("look at", path);
  if (err == GANNET_OK && position->bytes == 0) {
    position->file = (uint64_t)status.st_ino;
    err = gannet_journal_read(path, newest_schema, visit, user, &report);
    if (err == GANNET_OK) { /* a first line that is not complete waits */
      position->records = report.records;
      position->bytes = report.good_bytes;
    }
  } else if (err == GANNET_OK) {
    *replaced = position->file != (uint64_t)status.st_ino || status.st_size < position->bytes;
    if (!*replaced && status.st_size > position->bytes)
      err = visit_added(descriptor, path, status.st_size, position, visit, user);
  }
  (void)close(descriptor);
  return err;
}

gannet_err gannet_journal_salvage(const char *path, gannet_journal_visit visit, void *user) {
  char *bytes = NULL;
  size_t size = 0;
  const gannet_err found = read_bytes(path, &bytes, &size);
  if (found == GANNET_ERR_DAMAGED) { /* no regular file holds no records */
    gannet_error_clear();
    return GANNET_OK;
  }
  GANNET_TRY(found);
  const gannet_err err = gannet_journal_visit_sound(bytes, size, visit, user);
  gannet_free(&bytes);
  return err;
}

static void note_time(gannet_journal *journal) {
  struct stat held;
  if (fstat(journal->descriptor, &held) == 0) journal->written = held.st_mtim;
}

static gannet_err lock_path(const gannet_journal *journal, char *path) {
  GANNET_REQUIRE(snprintf(path, PATH_MAX, "%s.lock", journal->path) < PATH_MAX, GANNET_ERR_ARG,
                 "path too long: %s", journal->path);
  return GANNET_OK;
}

/* Journals up to this size are read at every sync; larger ones so often that reading takes at most
 * this share of the time, as every sync of a long campaign would otherwise read all of it. */
static const int64_t small_journal = 65536; /* bytes */
static const double look_share = 0.01;

/* Results of long simulations are not left unsynced for longer; those of short ones wait for the
 * submission that follows soon, whose sync saves them, too. */
static const double sync_interval = 1; /* seconds */

/* Find out what others have done to the journal since this process wrote it; "" = nothing. A call
 * that fails for a reason of its own (a server that does not answer) tells nothing. The times of
 * files are coarse, so a thorough look reads the journal whatever its time is. */
static const char *find_change(gannet_journal *journal, bool thorough) {
  struct stat held, there;
  gannet_journal_report report;
  if (stat(journal->path, &there)) return errno == ENOENT ? "was removed" : "";
  if (fstat(journal->descriptor, &held)) return "";
  if (held.st_dev != there.st_dev || held.st_ino != there.st_ino)
    return "was replaced by another file";
  if (held.st_size < (off_t)journal->length) return "was cut";
  if (held.st_size > (off_t)journal->length) return "became longer";
  if (!thorough && held.st_mtim.tv_sec == journal->written.tv_sec &&
      held.st_mtim.tv_nsec == journal->written.tv_nsec)
    return "";
  /* Somebody may have written into it; or the clock is that of a server, and comes late. */
  const double start = gannet_clock_seconds();
  const gannet_err err = gannet_journal_read(journal->path, journal->schema, NULL, NULL, &report);
  const double end = gannet_clock_seconds();
  journal->next_look = end + (end - start) / look_share;
  if (err != GANNET_OK) gannet_error_clear();
  if (err == GANNET_ERR_DAMAGED || err == GANNET_ERR_VERSION ||
      (err == GANNET_OK && report.good_bytes != journal->length))
    return "was written into";
  if (err == GANNET_OK) journal->written = held.st_mtim;
  return "";
}

/* Tell a directory that was moved or removed from a journal that was: a journal that went with its
 * directory is whole where it is now. */
static gannet_err check_directory(const gannet_journal *journal) {
  char directory[PATH_MAX];
  struct stat about;
  (void)snprintf(directory, sizeof directory, "%s", journal->path);
  char *slash = strrchr(directory, '/');
  if (!slash || slash == directory) return GANNET_OK;
  *slash = '\0';
  if (stat(directory, &about) == 0 || errno != ENOENT) return GANNET_OK;
  return gannet_raise_errno("find", journal->path);
}

static gannet_err check_owned(gannet_journal *journal, bool thorough) {
  static const char safe[] = "what it had acknowledged is in the journal";
  char path[PATH_MAX];
  bool renewed = false;
  GANNET_TRY(lock_path(journal, path));
  if (gannet_lock_keep(path, &journal->lock, &renewed) != GANNET_OK)
    return GANNET_RAISE(GANNET_ERR_BUSY,
                        "this process no longer has the campaign, for its lock file was removed "
                        "while it ran: %s. Leave it to that process: %s",
                        gannet_error_detail(), safe);
  journal->renewed = journal->renewed || renewed;
  if (!journal->begun) return GANNET_OK;
  const char *change = find_change(journal, thorough);
  if (renewed && *change && strcmp(change, "was removed") != 0) journal->lost = true;
  if (*change) GANNET_TRY(check_directory(journal));
  GANNET_REQUIRE(!journal->lost, GANNET_ERR_BUSY,
                 "this process no longer has the campaign: '%s' was removed while it ran, and "
                 "another process added to the journal; %s: use --resume to continue from there",
                 path, safe);
  GANNET_REQUIRE(!*change, GANNET_ERR_DAMAGED,
                 "'%s' %s while this process had it, so nothing more is written; --resume "
                 "continues from what is left of it and from the newest snapshot",
                 journal->path, change);
  return GANNET_OK;
}

gannet_err gannet_journal_keep(gannet_journal *journal, bool *renewed) {
  const gannet_err err = check_owned(journal, false);
  if (!renewed) return err;
  *renewed = journal->renewed;
  journal->renewed = false;
  return err;
}

/* Write, and sync if that is to be lasting; after a failure the journal ends where it did before.
 */
static gannet_err append_bytes(gannet_journal *journal, const char *bytes, size_t size,
                               bool lasting) {
  GANNET_REQUIRE(!journal->broken, GANNET_ERR_STATE,
                 "an earlier failure to write '%s' could not be undone; resume to repair it",
                 journal->path);
  GANNET_TRY(check_owned(journal, false));
  gannet_err err = gannet_write_all(journal->descriptor, bytes, size, journal->path);
  int reason = errno;
  note_time(journal);
  if (err == GANNET_OK && lasting && fdatasync(journal->descriptor)) {
    reason = errno;
    err = gannet_raise_errno("sync", journal->path);
  }
  if (err == GANNET_OK) {
    journal->length += (int64_t)size;
    journal->is_unsynced = !lasting;
    if (lasting) journal->last_sync = gannet_clock_seconds();
    return GANNET_OK;
  }
  journal->broken =
      ftruncate(journal->descriptor, (off_t)journal->length) || fdatasync(journal->descriptor);
  note_time(journal);
  if (err != GANNET_ERR_NO_SPACE) return err;
  return GANNET_RAISE(err,
                      "cannot add to the journal '%s' (%s); everything acknowledged before is "
                      "safe: %s, then resume",
                      journal->path, strerror(reason), gannet_advice_on_space(reason));
}

/* Open a journal whose lock is held, cut its torn end, and begin it when it is empty. When
 * creating, an empty or hardly begun journal counts as missing: nothing was acknowledged. */
static gannet_err open_locked(gannet_journal *journal, int schema, gannet_journal_mode mode,
                              gannet_journal_report *report) {
  const int create = mode == GANNET_JOURNAL_CREATE ? O_CREAT : 0;
  GANNET_TRY(gannet_file_open(journal->path, O_WRONLY | O_APPEND | create, GANNET_ERR_DAMAGED,
                              &journal->descriptor));
  const gannet_err err = gannet_journal_read(journal->path, schema, NULL, NULL, report);
  const bool holds_something =
      err == GANNET_ERR_DAMAGED || err == GANNET_ERR_VERSION || report->good_bytes > 0;
  GANNET_REQUIRE(!create || !holds_something, GANNET_ERR_EXISTS,
                 "there is a journal '%s' already; continue it with --resume", journal->path);
  GANNET_TRY(err);
  journal->last = report->records;
  journal->length = report->good_bytes;
  if (report->dropped_bytes > 0 &&
      (ftruncate(journal->descriptor, (off_t)journal->length) || fdatasync(journal->descriptor)))
    return gannet_raise_errno("cut the torn end of", journal->path);
  journal->schema = schema;
  note_time(journal);
  journal->begun = true;
  if (create) report->note[0] = '\0'; /* what was never begun has lost nothing */
  if (journal->length > 0) return GANNET_OK;
  char line[GANNET_JOURNAL_HEADER_ROOM];
  report->schema = schema;
  report->identity = gannet_identity_create(journal->path);
  GANNET_TRY(append_bytes(journal, line,
                          gannet_journal_format_header(schema, report->identity, line), true));
  /* Make its name survive a power failure: a rename to itself does nothing else. */
  return gannet_file_rename(journal->path, journal->path);
}

/* Write a journal again with a first line that names another schema.
 *
 * report  in  of its bytes
 */
static gannet_err replace_header(const char *path, int schema, const char *bytes, size_t size,
                                 const gannet_journal_report *report) {
  char line[GANNET_JOURNAL_HEADER_ROOM], *fresh = NULL;
  const char *rest = memchr(bytes, '\n', (size_t)report->good_bytes);
  const size_t first = gannet_journal_format_header(schema, report->identity, line);
  const size_t length = size - (size_t)(rest + 1 - bytes);
  GANNET_TRY(gannet_alloc(first + length, 1, &fresh));
  memcpy(fresh, line, first);
  memcpy(fresh + first, rest + 1, length);
  const gannet_err err = gannet_file_replace(path, fresh, first + length);
  gannet_free(&fresh);
  return err;
}

/* Put a journal of an older schema into its place with a first line that names the newer one:
 * records of this will follow, which older programs must refuse. Identity and records stay, so that
 * snapshots count in it as before, and so does a torn tail. The old file is there until the new one
 * is on disk. Nothing happens to a journal of that schema, a damaged one, or none. The caller holds
 * the lock. */
static gannet_err upgrade(const char *path, int schema) {
  gannet_journal_report report = {0};
  char *bytes = NULL;
  size_t size = 0;
  gannet_err err = gannet_journal_identify(path, schema, &report);
  if (err == GANNET_OK && (report.schema == 0 || report.schema >= schema)) return GANNET_OK;
  if (err == GANNET_OK) err = read_bytes(path, &bytes, &size);
  if (err == GANNET_OK) err = gannet_journal_scan(bytes, size, path, schema, &report);
  if (err == GANNET_OK) err = replace_header(path, schema, bytes, size, &report);
  gannet_free(&bytes);
  if (err == GANNET_ERR_MISSING || err == GANNET_ERR_DAMAGED) {
    gannet_error_clear(); /* whoever opens it says so */
    err = GANNET_OK;
  }
  return err;
}

static void note_missing_lock(const gannet_journal *journal, gannet_journal_report *report) {
  report->unlocked = journal->lock.by_name;
  if (!journal->lock.is_news) return;
  const size_t used = strlen(report->note);
  (void)snprintf(report->note + used, sizeof report->note - used,
                 "%sthis file system has no locks: '%.80s.lock.owner' keeps other processes out "
                 "instead; after a "
                 "kill on another host it is to be removed by hand",
                 used ? "; " : "", gannet_file_name_of(journal->path));
}

gannet_err gannet_journal_open(const char *path, int schema, gannet_journal_mode mode,
                               gannet_journal_report *report, gannet_journal **journal) {
  gannet_journal_report unused, *about = report ? report : &unused;
  char lock[PATH_MAX];
  *journal = NULL;
  memset(about, 0, sizeof *about);
  GANNET_REQUIRE(schema >= 1, GANNET_ERR_ARG, "schema = %d, expected at least 1", schema);
  GANNET_REQUIRE(strlen(path) < PATH_MAX, GANNET_ERR_ARG, "path too long: %s", path);
  GANNET_TRY(gannet_alloc(1, sizeof **journal, journal));
  (*journal)->descriptor = (*journal)->lock.descriptor = -1;
  (void)snprintf((*journal)->path, PATH_MAX, "%s", path);
  gannet_err err = lock_path(*journal, lock);
  if (err == GANNET_OK) err = gannet_lock_acquire(lock, &(*journal)->lock);
  if (err == GANNET_OK && mode == GANNET_JOURNAL_APPEND) err = upgrade(path, schema);
  if (err == GANNET_OK) err = open_locked(*journal, schema, mode, about);
  if (err == GANNET_OK) note_missing_lock(*journal, about);
  if (err != GANNET_OK) gannet_journal_destroy(journal);
  return err;
}

static gannet_err make_room(gannet_journal *journal, int n, const char *const *payloads) {
  size_t needed = journal->used;
  for (int i = 0; i < n; ++i) {
    GANNET_REQUIRE(!strchr(payloads[i], '\n'), GANNET_ERR_ARG, "a record with a line break: %.60s",
                   payloads[i]);
    needed += strlen(payloads[i]) + GANNET_JOURNAL_LINE_ROOM;
  }
  if (needed <= journal->room) return GANNET_OK;
  GANNET_TRY(gannet_resize(journal->used, 2 * needed, 1, &journal->lines));
  journal->room = 2 * needed;
  return GANNET_OK;
}

/* Write what is deferred and the bytes after it. After an error what was deferred waits again. */
static gannet_err write_out(gannet_journal *journal, size_t used, bool lasting) {
  if (used > 0 || (lasting && journal->is_unsynced))
    GANNET_TRY(append_bytes(journal, journal->lines, used, lasting));
  journal->used = 0;
  return GANNET_OK;
}

gannet_err gannet_journal_append_many(gannet_journal *journal, int n, const char *const *payloads,
                                      int64_t *sequence) {
  GANNET_REQUIRE(n >= 0, GANNET_ERR_ARG, "%d records", n);
  GANNET_TRY(make_room(journal, n, payloads));
  size_t used = journal->used;
  for (int i = 0; i < n; ++i)
    used += gannet_journal_format_record(journal->last + 1 + i, payloads[i], journal->lines + used);
  if (n > 0) GANNET_TRY(write_out(journal, used, true));
  if (sequence) *sequence = journal->last + 1;
  journal->last += n;
  return GANNET_OK;
}

gannet_err gannet_journal_defer(gannet_journal *journal, const char *payload, int64_t *sequence) {
  GANNET_TRY(make_room(journal, 1, &payload));
  journal->used +=
      gannet_journal_format_record(journal->last + 1, payload, journal->lines + journal->used);
  journal->last += 1;
  if (sequence) *sequence = journal->last;
  return GANNET_OK;
}

static gannet_err look_and_write(gannet_journal *journal, bool lasting) {
  const bool is_look_due =
      journal->length <= small_journal || gannet_clock_seconds() >= journal->next_look;
  GANNET_TRY(check_owned(journal, is_look_due));
  return write_out(journal, journal->used, lasting);
}

gannet_err gannet_journal_sync(gannet_journal *journal) {
  return look_and_write(journal, true);
}

gannet_err gannet_journal_write(gannet_journal *journal) {
  return look_and_write(journal, gannet_clock_seconds() >= journal->last_sync + sync_interval);
}

gannet_err gannet_journal_append(gannet_journal *journal, const char *payload, int64_t *sequence) {
  return gannet_journal_append_many(journal, 1, &payload, sequence);
}

int64_t gannet_journal_last(const gannet_journal *journal) {
  return journal->last;
}

void gannet_journal_destroy(gannet_journal **journal) {
  char lock[PATH_MAX];
  if (!*journal) return;
  if ((*journal)->descriptor >= 0) (void)close((*journal)->descriptor);
  if (lock_path(*journal, lock) == GANNET_OK)
    gannet_lock_release(lock, &(*journal)->lock);
  else
    gannet_error_clear();
  gannet_free(&(*journal)->lines);
  gannet_free(journal);
}
