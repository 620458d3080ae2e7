#include "campaign/run/resume_parts.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "base/open_file.h"
#include "base/parts.h"
#include "base/text.h"
#include "campaign/run/resume.h"
#include "campaign/run/snapshot.h"
#include "store/lock.h"

/* The payloads of a journal, one per line: what rank 0 sends to the others. */
static gannet_err add_payload(void *user, int64_t sequence, const char *payload, size_t length) {
  (void)sequence;
  GANNET_TRY(gannet_text_add(user, payload, length));
  return gannet_text_add(user, "\n", 1);
}

static gannet_err share(const gannet_context *context, gannet_text *payloads) {
  uint64_t bytes = payloads->used;
  GANNET_TRY_MPI(MPI_Bcast(&bytes, 1, MPI_UINT64_T, 0, context->comm));
  payloads->used = (size_t)bytes;
  const gannet_err err =
      context->rank ? gannet_alloc(payloads->used + 1, 1, &payloads->text) : GANNET_OK;
  GANNET_TRY(gannet_agree(context->comm, err));
  return gannet_bytes_broadcast(context->comm, 0, payloads->used, payloads->text);
}

static gannet_err apply_all(gannet_ledger *ledger, const gannet_text *payloads) {
  int64_t sequence = 0;
  for (size_t at = 0; at < payloads->used;) {
    const char *end = memchr(payloads->text + at, '\n', payloads->used - at);
    const size_t length = (size_t)(end - (payloads->text + at));
    GANNET_TRY(gannet_ledger_apply(ledger, ++sequence, payloads->text + at, length));
    at += length + 1;
  }
  return GANNET_OK;
}

static gannet_err write_first(const gannet_context *context, const char *name,
                              gannet_ledger *ledger) {
  const gannet_err err = gannet_ledger_campaign(ledger, name, context->seed,
                                                gannet_problem_fingerprint(ledger->problem));
  return gannet_agree(context->comm, err);
}

gannet_err gannet_restore_begin(const gannet_context *context, const char *journal,
                                const char *name, gannet_ledger *ledger) {
  gannet_err err = GANNET_OK;
  gannet_journal_report report = {0};
  if (context->rank == 0)
    err = gannet_journal_open(journal, GANNET_JOURNAL_SCHEMA, GANNET_JOURNAL_CREATE, &report,
                              &ledger->journal);
  GANNET_TRY(gannet_agree(context->comm, err));
  if (report.note[0]) gannet_log(context, GANNET_LOG_WARNING, "%s", report.note);
  ledger->identity = report.identity;
  return write_first(context, name, ledger);
}

static bool is_same_file(const char *a, const char *b) {
  struct stat one, two;
  return stat(a, &one) == 0 && stat(b, &two) == 0 && one.st_dev == two.st_dev &&
         one.st_ino == two.st_ino;
}

/* A name that is not taken: path.damaged, path.damaged.1, ...; or that of an earlier process that
 * ended after giving it. */
static void name_aside(const char *path, const char *word, char *name, size_t size) {
  (void)snprintf(name, size, "%s.%s", path, word);
  for (int i = 1; access(name, F_OK) == 0 && !is_same_file(name, path) && i < 1000; ++i)
    (void)snprintf(name, size, "%s.%s.%d", path, word, i);
}

static gannet_err collect_rest(const gannet_context *context, const char *journal,
                               gannet_ledger *ledger) {
  gannet_restore_salvage s = {.ledger = ledger};
  const gannet_err err = gannet_journal_salvage(journal, gannet_restore_take_next, &s);
  if (err != GANNET_ERR_MISSING) GANNET_TRY(err);
  gannet_error_clear();
  gannet_log(context, GANNET_LOG_WARNING,
             "%lld later records were taken from the journal, %lld could not be used; evaluations "
             "whose results they held will be run again",
             (long long)s.taken, (long long)s.useless);
  return GANNET_OK;
}

/* Rank 0 only: a fresh journal with everything that the snapshot knows, and what the journal knows
 * beyond it. */
static gannet_err write_fresh(const gannet_context *context, const gannet_restore_paths *paths,
                              const gannet_journal_report *damaged, const char *fresh,
                              gannet_ledger *ledger) {
  gannet_store_report report = {0};
  GANNET_TRY(gannet_restore_read_best(paths, damaged, ledger, &report));
  gannet_log(context, GANNET_LOG_WARNING,
             "rebuilding the journal from %s%s of campaign '%s': %lld evaluations, complete up to "
             "record %lld",
             paths->snapshot, report.generation ? ".1" : "", ledger->name, (long long)ledger->n,
             (long long)ledger->sequence);
  if (gannet_snapshot_counts_in(ledger->identity, damaged))
    GANNET_TRY(collect_rest(context, paths->journal, ledger));
  else
    gannet_log(context, GANNET_LOG_WARNING,
               "the snapshot is older than the journal, which was rebuilt since: nothing can be "
               "taken from this");
  GANNET_TRY(gannet_journal_open(fresh, GANNET_JOURNAL_SCHEMA, GANNET_JOURNAL_CREATE, NULL,
                                 &ledger->journal));
  return gannet_ledger_rewrite(ledger);
}

/* A second name, or a copy where the file system has no such; "" when there is no journal. What is
 * in its place and is no regular file gives the name away. */
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

/* There is a journal at any moment, the damaged one or its complete successor. */
static gannet_err put_in_place(const gannet_context *context, const char *fresh,
                               const char *journal) {
  char aside[PATH_MAX + 32];
  GANNET_TRY(keep_damaged(journal, aside, sizeof aside));
  GANNET_TRY(gannet_file_rename(fresh, journal));
  if (aside[0]) gannet_log(context, GANNET_LOG_WARNING, "moved the damaged journal to %s", aside);
  return GANNET_OK;
}

static void remove_fresh(const char *fresh) {
  char lock[PATH_MAX + 32];
  (void)snprintf(lock, sizeof lock, "%s.lock", fresh);
  (void)unlink(fresh);
  (void)unlink(lock);
}

/* What a crash leaves:
 *
 *   while journal.new is made          the damaged journal: the next process begins again
 *   after its second name was given    the same; the next process finds that name and keeps it
 *   after the rename                   the new journal, which is complete, and older snapshots
 *   between renewing the snapshots     the same, but for the newer generation
 *
 * Record numbers begin anew in a rebuilt journal. The numbers of older snapshots mean nothing
 * there, which the identity of their journal tells; whoever continues then has renew_snapshots make
 * them anew. */
static gannet_err replace_journal(const gannet_context *context, const gannet_restore_paths *paths,
                                  const gannet_problem *problem,
                                  const gannet_journal_report *damaged) {
  char fresh[PATH_MAX + 16];
  gannet_history *history = NULL;
  gannet_ledger ledger;
  (void)snprintf(fresh, sizeof fresh, "%s.new", paths->journal);
  remove_fresh(fresh);
  GANNET_TRY(gannet_history_create(problem, &history));
  gannet_ledger_init(&ledger, problem, history);
  gannet_err err = write_fresh(context, paths, damaged, fresh, &ledger);
  gannet_journal_destroy(&ledger.journal);
  if (err == GANNET_OK) err = put_in_place(context, fresh, paths->journal);
  gannet_ledger_release(&ledger);
  gannet_history_destroy(&history);
  remove_fresh(fresh);
  return err;
}

/* A journal that ends before the snapshot has lost records that were acknowledged. One that is not
 * the snapshot's was rebuilt, and has them all: the snapshots are to be made anew then, as when the
 * newer one is somebody else's. */
static gannet_err check_journal(const gannet_restore_paths *paths, gannet_journal_report *report,
                                bool *renews) {
  const char *trace = gannet_traces_find(paths->journal);
  gannet_snapshot_mark mark;
  *renews = false;
  GANNET_TRY(gannet_journal_read(paths->journal, GANNET_JOURNAL_SCHEMA, NULL, NULL, report));
  if (gannet_snapshot_look(paths->snapshot, report, &mark) != GANNET_OK) {
    gannet_error_clear();
    return gannet_restore_check_begun(paths->journal, trace, report->records);
  }
  const bool rebuilt = !gannet_snapshot_counts_in(mark.journal, report);
  *renews = rebuilt || mark.is_passed_over;
  GANNET_REQUIRE(rebuilt || mark.sequence <= report->records, GANNET_ERR_DAMAGED,
                 "'%s' ends with record %lld, but %s%s contains %lld%s%s", paths->journal,
                 (long long)report->records, paths->snapshot, mark.is_passed_over ? ".1" : "",
                 (long long)mark.sequence, report->note[0] ? "; " : "", report->note);
  return gannet_restore_check_begun(paths->journal, trace, report->records);
}

/* From a damaged journal whose lock is held. */
static gannet_err rebuild_locked(const gannet_context *context, const gannet_restore_paths *paths,
                                 const gannet_problem *problem,
                                 const gannet_journal_report *damaged) {
  const int64_t sound = damaged->records;
  char why[1400], hint[160] = "";
  (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
  gannet_log(context, GANNET_LOG_WARNING, "the journal cannot be used: %s", why);
  gannet_err err = replace_journal(context, paths, problem, damaged);
  if (err == GANNET_OK) return err;
  if (err == GANNET_ERR_INPUT)
    return GANNET_RAISE(err, "%s: %s; the journal cannot be rebuilt from it: %s", paths->snapshot,
                        gannet_error_detail(), why);
  if (sound > 0)
    (void)snprintf(hint, sizeof hint,
                   "; its first %lld records are sound: to continue from them alone, keep a copy "
                   "and delete what follows line %lld",
                   (long long)sound, (long long)sound + 1);
  if (err == GANNET_ERR_STATE || err == GANNET_ERR_MISSING) err = GANNET_ERR_DAMAGED;
  return GANNET_RAISE(err,
                      "the journal: %s%s; it cannot be rebuilt from %s: %s. Nothing was changed; "
                      "if no copy of the directory is left, start anew with --directory",
                      why, hint, paths->snapshot, gannet_error_detail());
}

static bool is_damage(gannet_err err) {
  return err == GANNET_ERR_DAMAGED || err == GANNET_ERR_MISSING;
}

/* Under the journal's lock: its owner may be alive, or have written a record and a snapshot between
 * two looks at them, of which the second counts. */
static gannet_err rebuild(const gannet_context *context, const gannet_restore_paths *paths,
                          const gannet_problem *problem, bool *renews) {
  char path[PATH_MAX + 8];
  gannet_lock lock = {.descriptor = -1};
  gannet_journal_report report = {0};
  (void)snprintf(path, sizeof path, "%s.lock", paths->journal);
  GANNET_TRY(gannet_lock_acquire(path, &lock));
  gannet_error_clear();
  gannet_err err = check_journal(paths, &report, renews);
  if (is_damage(err)) {
    err = rebuild_locked(context, paths, problem, &report);
    *renews = true;
  }
  gannet_lock_release(path, &lock);
  return err;
}

/* Rank 0 only. */
static gannet_err open_journal(const gannet_context *context, const gannet_restore_paths *paths,
                               gannet_ledger *ledger, gannet_text *payloads, bool *renews) {
  const char *journal = paths->journal;
  gannet_journal_report report = {0};
  const gannet_err err = check_journal(paths, &report, renews);
  if (is_damage(err))
    GANNET_TRY(rebuild(context, paths, ledger->problem, renews));
  else if (err != GANNET_OK)
    return err;
  GANNET_TRY(gannet_journal_open(journal, GANNET_JOURNAL_SCHEMA, GANNET_JOURNAL_APPEND, &report,
                                 &ledger->journal));
  ledger->identity = report.identity;
  if (report.note[0]) gannet_log(context, GANNET_LOG_WARNING, "%s", report.note);
  return gannet_journal_read(journal, GANNET_JOURNAL_SCHEMA, add_payload, payloads, NULL);
}

/* The first record holds the fingerprint: it is checked before points are taken over. */
static gannet_err replay(gannet_ledger *ledger, const gannet_text *payloads, const uint64_t *seed) {
  const char *end = payloads->used ? memchr(payloads->text, '\n', payloads->used) : NULL;
  if (!end) return GANNET_OK;
  GANNET_TRY(gannet_ledger_apply(ledger, 1, payloads->text, (size_t)(end - payloads->text)));
  GANNET_TRY(gannet_restore_check_campaign(ledger, seed ? *seed : ledger->seed));
  return apply_all(ledger, payloads);
}

/* Somebody put it there, and may miss it where it belongs. */
static gannet_err put_foreign_aside(const gannet_context *context, const char *snapshot,
                                    const gannet_ledger *ledger) {
  char aside[PATH_MAX + 32];
  gannet_snapshot_mark mark;
  if (gannet_store_verify(snapshot, GANNET_STATE_SCHEMA, NULL) != GANNET_OK ||
      gannet_snapshot_look(snapshot, NULL, &mark) != GANNET_OK) {
    gannet_error_clear();
    return GANNET_OK;
  }
  if (gannet_snapshot_is_of(&mark, ledger->fingerprint, ledger->seed, ledger->name))
    return GANNET_OK;
  name_aside(snapshot, "foreign", aside, sizeof aside);
  GANNET_TRY(gannet_file_rename(snapshot, aside));
  gannet_log(context, GANNET_LOG_WARNING,
             "%s is of another campaign ('%s', seed %lld): it was not used, and moved to %s",
             snapshot, mark.name, (long long)mark.seed, aside);
  return GANNET_OK;
}

/* Both generations are made from the journal, so that either can stand in for it. */
static gannet_err renew_snapshots(const gannet_context *context, const char *snapshot,
                                  const gannet_ledger *ledger) {
  GANNET_TRY(put_foreign_aside(context, snapshot, ledger));
  for (int i = 0; i < 2; ++i) GANNET_TRY(gannet_snapshot_write(snapshot, ledger));
  return GANNET_OK;
}

gannet_err gannet_restore_continue(const gannet_context *context, const char *journal,
                                   const char *snapshot, const char *name, gannet_ledger *ledger) {
  const gannet_restore_paths paths = {journal, snapshot, name, &context->seed};
  gannet_text payloads = {0};
  bool renews = false; /* only rank 0 knows */
  gannet_err err =
      context->rank ? GANNET_OK : open_journal(context, &paths, ledger, &payloads, &renews);
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK) err = share(context, &payloads);
  if (err == GANNET_OK)
    err = gannet_agree(context->comm, replay(ledger, &payloads, &context->seed));
  if (err == GANNET_OK)
    err = gannet_agree(context->comm,
                       renews ? renew_snapshots(context, snapshot, ledger) : GANNET_OK);
  /* Killed between making the journal and its first record. */
  if (err == GANNET_OK && payloads.used == 0) err = write_first(context, name, ledger);
  gannet_free(&payloads.text);
  return err;
}
