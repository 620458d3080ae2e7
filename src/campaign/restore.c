#include "campaign/restore.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "base/parts.h"
#include "base/text.h"
#include "campaign/snapshot.h"
#include "campaign/traces.h"
#include "store/lock.h"

typedef struct {
  const char *journal, *snapshot;
} restore_paths;

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
static void damaged_name(const char *path, char *name, size_t size) {
  (void)snprintf(name, size, "%s.damaged", path);
  for (int i = 1; access(name, F_OK) == 0 && !is_same_file(name, path) && i < 1000; ++i)
    (void)snprintf(name, size, "%s.damaged.%d", path, i);
}

/* The records of a damaged journal that follow, without a gap, on what the ledger knows. */
typedef struct {
  gannet_ledger *ledger;
  int64_t taken, useless;
} salvage;

static gannet_err take_next(void *user, int64_t sequence, const char *payload, size_t length) {
  salvage *s = user;
  if (sequence <= s->ledger->sequence) return GANNET_OK;
  if (sequence > s->ledger->sequence + 1) {
    s->useless += 1;
    return GANNET_OK;
  }
  s->taken += 1;
  return gannet_ledger_apply(s->ledger, sequence, payload, length);
}

static gannet_err collect_rest(const gannet_context *context, const char *journal,
                               gannet_ledger *ledger) {
  salvage s = {.ledger = ledger};
  const gannet_err err = gannet_journal_salvage(journal, take_next, &s);
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
static gannet_err write_fresh(const gannet_context *context, const restore_paths *paths,
                              const gannet_journal_report *damaged, const char *fresh,
                              gannet_ledger *ledger) {
  gannet_store_report report = {0};
  GANNET_TRY(gannet_snapshot_read(paths->snapshot, NULL, ledger, &report));
  gannet_log(context, GANNET_LOG_WARNING,
             "rebuilding the journal from %s%s: %lld evaluations, complete up to record %lld",
             paths->snapshot, report.generation ? ".1" : "", (long long)ledger->n,
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

/* A second name, or a copy where the file system has no such; "" when there is no journal. */
static gannet_err keep_damaged(const char *journal, char *aside, size_t size) {
  char *bytes = NULL;
  size_t length = 0;
  damaged_name(journal, aside, size);
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
static gannet_err replace_journal(const gannet_context *context, const restore_paths *paths,
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

/* Power failures leave empty files, too. trace: found before the journal was read, which somebody
 * may be beginning. */
static gannet_err check_begun(const char *journal, const char *trace, int64_t records) {
  GANNET_REQUIRE(!trace || records > 0, GANNET_ERR_DAMAGED,
                 "'%s' has no records, but %s beside it shows that there were some", journal,
                 trace);
  return GANNET_OK;
}

/* A journal that ends before the snapshot has lost records that were acknowledged. One that is not
 * the snapshot's was rebuilt, and has them all. */
static gannet_err check_journal(const restore_paths *paths, gannet_journal_report *report,
                                bool *rebuilt) {
  const char *trace = gannet_traces_find(paths->journal);
  gannet_snapshot_mark mark;
  *rebuilt = false;
  GANNET_TRY(gannet_journal_read(paths->journal, GANNET_JOURNAL_SCHEMA, NULL, NULL, report));
  if (gannet_snapshot_look(paths->snapshot, &mark) != GANNET_OK) {
    gannet_error_clear();
    return check_begun(paths->journal, trace, report->records);
  }
  *rebuilt = !gannet_snapshot_counts_in(mark.journal, report);
  GANNET_REQUIRE(*rebuilt || mark.sequence <= report->records, GANNET_ERR_DAMAGED,
                 "'%s' ends with record %lld, but %s contains %lld%s%s", paths->journal,
                 (long long)report->records, paths->snapshot, (long long)mark.sequence,
                 report->note[0] ? "; " : "", report->note);
  return check_begun(paths->journal, trace, report->records);
}

/* From a damaged journal whose lock is held. */
static gannet_err rebuild_locked(const gannet_context *context, const restore_paths *paths,
                                 const gannet_problem *problem,
                                 const gannet_journal_report *damaged) {
  const int64_t sound = damaged->records;
  char why[1400], hint[160] = "";
  (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
  gannet_log(context, GANNET_LOG_WARNING, "the journal cannot be used: %s", why);
  const gannet_err err = replace_journal(context, paths, problem, damaged);
  if (err == GANNET_OK || err == GANNET_ERR_INPUT) return err;
  if (sound > 0)
    (void)snprintf(hint, sizeof hint,
                   "; its first %lld records are sound: to continue from them alone, keep a copy "
                   "and delete what follows line %lld",
                   (long long)sound, (long long)sound + 1);
  return GANNET_RAISE(err == GANNET_ERR_MISSING ? GANNET_ERR_DAMAGED : err,
                      "the journal: %s%s; it cannot be rebuilt from %s: %s. Nothing was changed; "
                      "if no copy of the directory is left, start anew with --directory",
                      why, hint, paths->snapshot, gannet_error_detail());
}

static bool is_damage(gannet_err err) {
  return err == GANNET_ERR_DAMAGED || err == GANNET_ERR_MISSING;
}

/* Under the journal's lock: its owner may be alive, or have written a record and a snapshot between
 * two looks at them, of which the second counts. */
static gannet_err rebuild(const gannet_context *context, const restore_paths *paths,
                          const gannet_problem *problem, bool *rebuilt) {
  char path[PATH_MAX + 8];
  gannet_lock lock = {.descriptor = -1};
  gannet_journal_report report = {0};
  (void)snprintf(path, sizeof path, "%s.lock", paths->journal);
  GANNET_TRY(gannet_lock_acquire(path, &lock));
  gannet_error_clear();
  gannet_err err = check_journal(paths, &report, rebuilt);
  if (is_damage(err)) {
    err = rebuild_locked(context, paths, problem, &report);
    *rebuilt = true;
  }
  gannet_lock_release(&lock);
  return err;
}

/* Rank 0 only. */
static gannet_err open_journal(const gannet_context *context, const restore_paths *paths,
                               gannet_ledger *ledger, gannet_text *payloads, bool *rebuilt) {
  const char *journal = paths->journal;
  gannet_journal_report report = {0};
  const gannet_err err = check_journal(paths, &report, rebuilt);
  if (is_damage(err))
    GANNET_TRY(rebuild(context, paths, ledger->problem, rebuilt));
  else if (err != GANNET_OK)
    return err;
  GANNET_TRY(gannet_journal_open(journal, GANNET_JOURNAL_SCHEMA, GANNET_JOURNAL_APPEND, &report,
                                 &ledger->journal));
  ledger->identity = report.identity;
  if (report.note[0]) gannet_log(context, GANNET_LOG_WARNING, "%s", report.note);
  return gannet_journal_read(journal, GANNET_JOURNAL_SCHEMA, add_payload, payloads, NULL);
}

static gannet_err check_campaign(const gannet_ledger *ledger, uint64_t seed) {
  GANNET_REQUIRE(ledger->fingerprint == gannet_problem_fingerprint(ledger->problem),
                 GANNET_ERR_INPUT,
                 "variables, constraints or goal differ from those of the campaign to be resumed; "
                 "start another campaign with --directory");
  GANNET_REQUIRE(seed == ledger->seed, GANNET_ERR_INPUT,
                 "the campaign to be resumed was begun with seed %lld, not %lld: a campaign keeps "
                 "its seed; start another one with --directory",
                 (long long)ledger->seed, (long long)seed);
  return GANNET_OK;
}

/* The first record holds the fingerprint: it is checked before points are taken over. */
static gannet_err replay(gannet_ledger *ledger, const gannet_text *payloads, const uint64_t *seed) {
  const char *end = payloads->used ? memchr(payloads->text, '\n', payloads->used) : NULL;
  if (!end) return GANNET_OK;
  GANNET_TRY(gannet_ledger_apply(ledger, 1, payloads->text, (size_t)(end - payloads->text)));
  GANNET_TRY(check_campaign(ledger, seed ? *seed : ledger->seed));
  return apply_all(ledger, payloads);
}

/* Both generations are made from the new journal, so that either can stand in for it. */
static gannet_err renew_snapshots(const char *snapshot, const gannet_ledger *ledger) {
  for (int i = 0; i < 2; ++i) GANNET_TRY(gannet_snapshot_write(snapshot, ledger, NULL, NULL));
  return GANNET_OK;
}

gannet_err gannet_restore_continue(const gannet_context *context, const char *journal,
                                   const char *snapshot, const char *name, gannet_ledger *ledger) {
  const restore_paths paths = {journal, snapshot};
  gannet_text payloads = {0};
  bool rebuilt = false; /* only rank 0 knows */
  gannet_err err =
      context->rank ? GANNET_OK : open_journal(context, &paths, ledger, &payloads, &rebuilt);
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK) err = share(context, &payloads);
  if (err == GANNET_OK)
    err = gannet_agree(context->comm, replay(ledger, &payloads, &context->seed));
  if (err == GANNET_OK)
    err = gannet_agree(context->comm, rebuilt ? renew_snapshots(snapshot, ledger) : GANNET_OK);
  /* Killed between making the journal and its first record. */
  if (err == GANNET_OK && payloads.used == 0) err = write_first(context, name, ledger);
  gannet_free(&payloads.text);
  return err;
}

static void restart(gannet_ledger *ledger) {
  const gannet_problem *problem = ledger->problem;
  gannet_history *history = ledger->history;
  gannet_ledger_release(ledger);
  gannet_ledger_init(ledger, problem, history);
}

/* The newest snapshot of this journal, which is read faster. A ledger that stays empty is no error:
 * the journal knows everything. */
static gannet_err take_snapshot(const restore_paths *paths, gannet_ledger *ledger) {
  gannet_journal_report about;
  if (access(paths->snapshot, F_OK) != 0) return GANNET_OK;
  if (gannet_journal_identify(paths->journal, GANNET_JOURNAL_SCHEMA, &about) != GANNET_OK)
    gannet_error_clear(); /* what is wrong is told by reading it */
  const gannet_err err = gannet_snapshot_read(paths->snapshot, &about, ledger, NULL);
  if (err == GANNET_OK || gannet_history_count(ledger->history) > 0) return err;
  gannet_error_clear();
  restart(ledger);
  return GANNET_OK;
}

/* Records that the ledger does not know yet; the first says of which problem they are. */
static gannet_err add_newer(void *user, int64_t sequence, const char *payload, size_t length) {
  salvage *s = user;
  s->taken += 1;
  if (sequence <= s->ledger->sequence) return GANNET_OK;
  GANNET_TRY(gannet_ledger_apply(s->ledger, sequence, payload, length));
  return sequence == 1 ? check_campaign(s->ledger, s->ledger->seed) : GANNET_OK;
}

/* The records that follow on what the ledger knows; one that makes no sense ends them. */
static gannet_err take_rest(const char *journal, gannet_ledger *ledger) {
  salvage s = {.ledger = ledger};
  const gannet_err err = gannet_journal_salvage(journal, take_next, &s);
  if (err != GANNET_ERR_MISSING && err != GANNET_ERR_DAMAGED) return err;
  gannet_error_clear();
  return GANNET_OK;
}

/* Neither the journal nor a snapshot is sound. */
static gannet_err take_beginning(const restore_paths *paths, const char *why, gannet_ledger *ledger,
                                 gannet_damage *damage) {
  char snapshot[500];
  (void)snprintf(snapshot, sizeof snapshot, "%s", gannet_error_detail());
  gannet_error_clear();
  if (gannet_history_count(ledger->history) == 0) {
    restart(ledger);
    GANNET_TRY(take_rest(paths->journal, ledger));
  }
  const int64_t n = gannet_history_count(ledger->history) > 0 ? ledger->sequence : 0;
  GANNET_REQUIRE(n > 0, GANNET_ERR_DAMAGED,
                 "%s; nor is there a sound snapshot (%s): put back a copy of the directory, or "
                 "start anew with --directory",
                 why, snapshot);
  damage->is_partial = true;
  (void)snprintf(damage->text, sizeof damage->text,
                 "%.200s; nor is there a sound snapshot: only its first %lld records are shown. "
                 "Put back a copy of the directory; or, to go on from these records, keep a copy "
                 "and delete what follows line %lld",
                 why, (long long)n, (long long)n + 1);
  return GANNET_OK;
}

static void advise(const char *why, gannet_damage *damage) {
  (void)snprintf(damage->text, sizeof damage->text,
                 "%.300s; shown is the newest snapshot with the records that follow it: `gannet "
                 "run` with --resume rebuilds the journal from them and keeps the damaged one",
                 why);
}

static gannet_err do_without(const restore_paths *paths, const gannet_journal_report *report,
                             gannet_ledger *ledger, gannet_damage *damage) {
  char why[500];
  (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
  gannet_error_clear();
  if (ledger->sequence == 0 &&
      gannet_snapshot_read(paths->snapshot, NULL, ledger, NULL) != GANNET_OK)
    return take_beginning(paths, why, ledger, damage);
  advise(why, damage);
  if (!gannet_snapshot_counts_in(ledger->identity, report)) return GANNET_OK;
  return take_rest(paths->journal, ledger);
}

gannet_err gannet_restore_query(const char *journal, const char *snapshot, bool replay,
                                gannet_ledger *ledger, gannet_damage *damage) {
  const restore_paths paths = {journal, snapshot};
  salvage s = {.ledger = ledger};
  gannet_journal_report report = {0};
  const char *trace = gannet_traces_find(journal);
  char why[200];
  *damage = (gannet_damage){0};
  if (!replay) GANNET_TRY(take_snapshot(&paths, ledger));
  const bool began = ledger->sequence > 0;
  gannet_err err = gannet_journal_read(journal, GANNET_JOURNAL_SCHEMA, add_newer, &s, &report);
  if (began && !gannet_snapshot_counts_in(ledger->identity, &report))
    return GANNET_RAISE(GANNET_ERR_BUSY, "'%s' was rebuilt while it was read; try again", journal);
  if (err == GANNET_OK && ledger->sequence == 0) err = check_begun(journal, trace, s.taken);
  /* Damage is found before the first record is visited. */
  if ((err == GANNET_ERR_DAMAGED || err == GANNET_ERR_MISSING) && s.taken == 0) {
    err = do_without(&paths, &report, ledger, damage);
  } else if (err == GANNET_OK && s.taken < ledger->sequence) {
    (void)snprintf(why, sizeof why, "the journal ends with record %lld, but the snapshot has %lld",
                   (long long)s.taken, (long long)ledger->sequence);
    advise(why, damage);
  }
  if (err == GANNET_OK)
    err = gannet_ledger_tell_held(ledger); /* without a journal: in memory only */
  return err;
}

gannet_err gannet_restore_follow(const char *journal, const char *snapshot,
                                 gannet_journal_place *place, bool *replaced,
                                 gannet_ledger *ledger) {
  const restore_paths paths = {journal, snapshot};
  salvage s = {.ledger = ledger};
  const bool first = place->bytes == 0;
  *replaced = false;
  if (first && ledger->sequence == 0) GANNET_TRY(take_snapshot(&paths, ledger));
  ledger->tells_early = true;
  GANNET_TRY(gannet_journal_follow(journal, GANNET_JOURNAL_SCHEMA, place, replaced, add_newer, &s));
  return first || s.taken > 0 ? gannet_ledger_tell_held(ledger) : GANNET_OK;
}
