/* Replacing a damaged journal by a sound one. On rank 0 only. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "campaign/run/fingerprint.h"
#include "campaign/run/record.h"
#include "campaign/run/resume_parts.h"
#include "store/lock.h"

static bool is_same_file(const char *a, const char *b) {
  struct stat one, two;
  return stat(a, &one) == 0 && stat(b, &two) == 0 && one.st_dev == two.st_dev &&
         one.st_ino == two.st_ino;
}

/* Choose a name that is not taken: path.damaged, path.damaged.1, ... A name that an earlier process
 * gave this file before it ended is chosen again.
 *
 * name  out  [size]
 */
static void name_aside(const char *path, const char *word, char *name, size_t size) {
  (void)snprintf(name, size, "%s.%s", path, word);
  for (int i = 1; access(name, F_OK) == 0 && !is_same_file(name, path) && i < 1000; ++i)
    (void)snprintf(name, size, "%s.%s.%d", path, word, i);
}

/* Write a fresh journal with everything that the snapshot knows, and with what the damaged journal
 * knows beyond it.
 *
 * damaged  in  NULL = the journal is of another campaign
 */
static gannet_err write_fresh(const gannet_context *context, const gannet_resume_paths *paths,
                              const gannet_journal_report *damaged, const char *fresh,
                              gannet_ledger *ledger) {
  gannet_store_report report = {0};
  gannet_resume_taker t = {.paths = paths, .ledger = ledger};
  GANNET_TRY(gannet_resume_begin_snapshot(paths, ledger));
  GANNET_TRY(
      gannet_resume_read_snapshot(paths, damaged, GANNET_SNAPSHOT_OF_ANY_JOURNAL, ledger, &report));
  gannet_log(context, GANNET_LOG_WARNING,
             "rebuilding the journal from %s%s of campaign '%s': %lld evaluations, complete up to "
             "record %lld",
             paths->snapshot, report.generation ? ".1" : "", ledger->name, (long long)ledger->n,
             (long long)ledger->sequence);
  if (damaged && gannet_snapshot_counts_in(ledger->identity, damaged)) {
    const gannet_err err = gannet_journal_salvage(paths->journal, gannet_resume_take_next, &t);
    if (err != GANNET_ERR_MISSING) GANNET_TRY(err);
    gannet_error_clear();
    gannet_log(context, GANNET_LOG_WARNING,
               "%lld later records were taken from the journal, %lld could not be used; "
               "evaluations whose results they held will be run again",
               (long long)t.taken, (long long)t.useless);
  } else {
    gannet_log(context, GANNET_LOG_WARNING,
               "the snapshot was not made from this journal, so that none of the journal's records "
               "can be used");
  }
  GANNET_TRY(gannet_journal_open(fresh, GANNET_JOURNAL_SCHEMA, GANNET_JOURNAL_CREATE, NULL,
                                 &ledger->journal));
  return gannet_ledger_rewrite(ledger);
}

/* Keep the damaged journal under a second name: by a hard link, or by a copy where the file system
 * has no hard links. A directory or another special file in its place is renamed instead.
 *
 * aside  out  [size] the second name; "" when there is no journal
 */
static gannet_err keep_damaged(const char *journal, char *aside, size_t size) {
  char *bytes = NULL;
  size_t length = 0;
  struct stat about;
  name_aside(journal, "damaged", aside, size);
  if (lstat(journal, &about) == 0 && !S_ISREG(about.st_mode)) {
    if (rename(journal, aside) == 0) return GANNET_OK;
    return gannet_raise_errno("rename", journal);
  }
  if (is_same_file(aside, journal) || link(journal, aside) == 0) return GANNET_OK;
  gannet_err err = gannet_file_read(journal, &bytes, &length);
  if (err == GANNET_ERR_MISSING) {
    gannet_error_clear();
    aside[0] = '\0';
    return GANNET_OK;
  }
  if (err == GANNET_OK) err = gannet_file_replace(aside, bytes, length);
  gannet_free(&bytes);
  return err;
}

static void remove_fresh(const char *fresh) {
  char lock[PATH_MAX + 32];
  (void)snprintf(lock, sizeof lock, "%s.lock", fresh);
  (void)unlink(fresh);
  (void)unlink(lock);
}

/* There is a journal at any moment, the damaged one or its complete successor. What a crash leaves:
 *
 *   while journal.new is made          the damaged journal: the next process begins again
 *   after its second name was given    the same; the next process finds that name and keeps it
 *   after the rename                   the new journal, which is complete, and older snapshots
 *   between renewing the snapshots     the same, but for the newer generation
 *
 * Record numbers begin anew in a rebuilt journal. The numbers of older snapshots mean nothing
 * there, which the identity of their journal tells; whoever continues then has
 * gannet_journal_renew_snapshots make them anew. */
static gannet_err replace_journal(const gannet_context *context, const gannet_resume_paths *paths,
                                  const gannet_problem *problem,
                                  const gannet_journal_report *damaged) {
  char fresh[PATH_MAX + 16], aside[PATH_MAX + 32] = "";
  gannet_history *history = NULL;
  gannet_ledger ledger;
  (void)snprintf(fresh, sizeof fresh, "%s.new", paths->journal);
  remove_fresh(fresh);
  GANNET_TRY(gannet_history_create(problem, &history));
  gannet_ledger_init(&ledger, problem, history);
  gannet_err err = write_fresh(context, paths, damaged, fresh, &ledger);
  gannet_journal_destroy(&ledger.journal);
  if (err == GANNET_OK) err = keep_damaged(paths->journal, aside, sizeof aside);
  if (err == GANNET_OK) err = gannet_file_rename(fresh, paths->journal);
  if (err == GANNET_OK && aside[0])
    gannet_log(context, GANNET_LOG_WARNING, "moved the damaged journal to %s", aside);
  gannet_ledger_release(&ledger);
  gannet_history_destroy(&history);
  remove_fresh(fresh);
  return err;
}

/* Rebuild a journal whose lock is held, and explain what cannot be done. The current error says
 * what is damaged.
 *
 * damaged  in  NULL = the journal is of another campaign
 */
static gannet_err rebuild_locked(const gannet_context *context, const gannet_resume_paths *paths,
                                 const gannet_problem *problem,
                                 const gannet_journal_report *damaged) {
  const int64_t sound = damaged ? damaged->records : 0;
  char why[1400], hint[200] = "";
  (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
  gannet_log(context, GANNET_LOG_WARNING, "the journal cannot be used: %s", why);
  gannet_err err = replace_journal(context, paths, problem, damaged);
  if (err == GANNET_OK) return err;
  if (err == GANNET_ERR_INPUT)
    return GANNET_RAISE(err, "%s: %s; the journal cannot be rebuilt from it: %s", paths->snapshot,
                        gannet_error_detail(), why);
  if (sound > 0)
    (void)snprintf(hint, sizeof hint,
                   "; its first %lld records are sound: to continue from them alone, keep a copy, "
                   "delete what follows line %lld, and move history.csv away",
                   (long long)sound, (long long)sound + 1);
  if (err == GANNET_ERR_STATE || err == GANNET_ERR_MISSING) err = GANNET_ERR_DAMAGED;
  return GANNET_RAISE(err,
                      "the journal: %s%s; it cannot be rebuilt from %s: %s. Nothing was changed; "
                      "if no copy of the directory is left, start again with --directory",
                      why, hint, paths->snapshot, gannet_error_detail());
}

static gannet_err check_first_record(void *user, int64_t sequence, const char *payload,
                                     size_t length) {
  gannet_resume_taker *t = user;
  if (sequence != 1) return GANNET_OK;
  const gannet_err err = gannet_resume_check_owner(t->paths, payload, length);
  t->is_foreign = err == GANNET_ERR_DAMAGED;
  return err;
}

/* Check a journal against the newest snapshot that serves. A journal that ends before the snapshot
 * has lost records that were acknowledged: it is damaged. A journal to which the snapshot does not
 * belong was rebuilt and has all records: the snapshots are to be made anew then, also when the
 * newer one is of another campaign.
 *
 * is_foreign  out  the journal was put here from another campaign
 */
static gannet_err check_journal(const gannet_resume_paths *paths, gannet_journal_report *report,
                                bool *is_foreign, bool *renews) {
  const char *leftover = gannet_leftovers_find(paths->journal);
  const gannet_snapshot_want want = {.journal = report};
  gannet_snapshot_mark mark;
  gannet_resume_taker t = {.paths = paths};
  *renews = false;
  const gannet_err err =
      gannet_journal_read(paths->journal, GANNET_JOURNAL_SCHEMA, check_first_record, &t, report);
  *is_foreign = t.is_foreign;
  GANNET_TRY(err);
  if (gannet_snapshot_look(paths->snapshot, &want, &mark) != GANNET_OK) {
    gannet_error_clear();
    return gannet_resume_check_begun(paths->journal, leftover, report->records);
  }
  const bool rebuilt = !gannet_snapshot_counts_in(mark.journal, report);
  *renews = rebuilt || mark.is_passed_over;
  GANNET_REQUIRE(rebuilt || mark.sequence <= report->records, GANNET_ERR_DAMAGED,
                 "'%s' ends with record %lld, but %s%s contains %lld%s%s", paths->journal,
                 (long long)report->records, paths->snapshot, mark.is_passed_over ? ".1" : "",
                 (long long)mark.sequence, report->note[0] ? "; " : "", report->note);
  return gannet_resume_check_begun(paths->journal, leftover, report->records);
}

/* Rebuild a journal under its lock, after a second look: its owner may be alive, or may have
 * written a record and a snapshot between the first looks at the two. */
static gannet_err rebuild(const gannet_context *context, const gannet_resume_paths *paths,
                          const gannet_problem *problem, bool *renews) {
  char path[PATH_MAX + 8];
  gannet_lock lock = {.descriptor = -1};
  gannet_journal_report report = {0};
  bool is_foreign = false;
  (void)snprintf(path, sizeof path, "%s.lock", paths->journal);
  GANNET_TRY(gannet_lock_acquire(path, &lock));
  gannet_error_clear();
  gannet_err err = check_journal(paths, &report, &is_foreign, renews);
  if (gannet_resume_is_damage(err)) {
    err = rebuild_locked(context, paths, problem, is_foreign ? NULL : &report);
    *renews = true;
  }
  gannet_lock_release(path, &lock);
  return err;
}

gannet_err gannet_journal_renew_snapshots(const gannet_context *context, const char *snapshot,
                                          const gannet_ledger *ledger) {
  char aside[PATH_MAX + 32];
  gannet_snapshot_mark mark;
  if (gannet_store_verify(snapshot, GANNET_STATE_SCHEMA, NULL) != GANNET_OK ||
      gannet_snapshot_look(snapshot, NULL, &mark) != GANNET_OK) {
    gannet_error_clear();
  } else if (!gannet_ledger_had_problem(ledger, mark.fingerprint) ||
             !gannet_snapshot_is_of(&mark, ledger->seed, ledger->name)) {
    name_aside(snapshot, "foreign", aside, sizeof aside);
    GANNET_TRY(gannet_file_rename(snapshot, aside));
    gannet_log(
        context, GANNET_LOG_WARNING,
        "%s belongs to another campaign ('%s', seed %lld): it was not used, and was moved to %s",
        snapshot, mark.name, (long long)mark.seed, aside);
  }
  for (int i = 0; i < 2; ++i) GANNET_TRY(gannet_snapshot_write(snapshot, ledger));
  return GANNET_OK;
}

gannet_err gannet_journal_keep_table(const gannet_context *context, const char *journal,
                                     int64_t lost) {
  char directory[PATH_MAX], path[PATH_MAX + 16], aside[PATH_MAX + 48];
  gannet_directory_of(journal, directory, sizeof directory);
  (void)snprintf(path, sizeof path, "%s/history.csv", directory);
  name_aside(path, "before", aside, sizeof aside);
  GANNET_TRY(gannet_file_rename(path, aside));
  gannet_log(context, GANNET_LOG_WARNING,
             "history.csv has a result of evaluation %lld, and the journal has none: the table was "
             "moved to "
             "%s; `gannet tell --file` takes from it what is missing",
             (long long)lost, aside);
  return GANNET_OK;
}

gannet_err gannet_journal_make_sound(const gannet_context *context,
                                     const gannet_resume_paths *paths,
                                     const gannet_problem *problem, bool *renews) {
  gannet_journal_report report = {0};
  bool is_foreign = false;
  const gannet_err err = check_journal(paths, &report, &is_foreign, renews);
  return gannet_resume_is_damage(err) ? rebuild(context, paths, problem, renews) : err;
}
