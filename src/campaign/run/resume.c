/* Bringing a ledger up to what is on disk.
 *
 *   journal       every record, written before it counts
 *   snapshot      state.h5 and its older generation: the whole ledger up to some record
 *   rebuilding    a damaged journal is replaced by one with what a snapshot knows, and with the
 *                 records of the damaged one that continue it; what was damaged is moved aside
 *   identity      of a journal: tells whether record numbers of a snapshot are those of a journal,
 *                 as they begin anew in a rebuilt one
 */
#include "campaign/run/resume.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/partition.h"
#include "base/text.h"
#include "campaign/config/config.h"
#include "campaign/run/fingerprint.h"
#include "campaign/run/record.h"
#include "campaign/run/snapshot.h"
#include "store/lock.h"

const char *gannet_leftovers_find(const char *journal) {
  /* campaign.yaml and campaign.log are not among them: somebody's own file may be called so. */
  static const char *const names[] = {"state.h5", "state.h5.1", "history.csv", "evals"};
  char directory[PATH_MAX], path[PATH_MAX + 16];
  gannet_directory_of(journal, directory, sizeof directory);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    (void)snprintf(path, sizeof path, "%s/%s", directory, names[i]);
    if (access(path, F_OK) == 0) return names[i];
  }
  return NULL;
}

/* A journal may have lost all its records: power failures leave empty files, too.
 *
 * leftover  in  found before the journal was read, which somebody may be beginning
 */
static gannet_err check_begun(const char *journal, const char *leftover, int64_t records) {
  GANNET_REQUIRE(!leftover || records > 0, GANNET_ERR_DAMAGED,
                 "'%s' has no records, but %s beside it shows that there were some", journal,
                 leftover);
  return GANNET_OK;
}

/* Whether what was read is of the ledger's problem, and of a seed. */
static gannet_err check_campaign(gannet_ledger *ledger, uint64_t seed) {
  GANNET_REQUIRE(
      gannet_problem_has_fingerprint(ledger->problem, ledger->fingerprint), GANNET_ERR_INPUT,
      "variables, constraints or goal differ from those of the campaign to be resumed, "
      "and campaign.yaml in its directory, which would show the earlier ones, is missing or "
      "belongs to another campaign: put it back, or start another campaign with --directory");
  GANNET_REQUIRE(seed == ledger->seed, GANNET_ERR_INPUT,
                 "the campaign to be resumed was begun with seed %lld, not %lld: a campaign keeps "
                 "its seed; start another one with --directory",
                 (long long)ledger->seed, (long long)seed);
  ledger->fingerprint = gannet_problem_fingerprint(ledger->problem);
  return GANNET_OK;
}

/* Of which problem the first records are. */

static gannet_err find_before(void *user, int64_t sequence, const char *payload, size_t length) {
  char **description = user;
  (void)sequence;
  return *description ? GANNET_OK : gannet_record_find_problem(payload, length, false, description);
}

/* The problem of the effective configuration, when it has a fingerprint; NULL = not so.
 *
 * fingerprint  in  NULL = any
 */
static gannet_err describe_saved(const char *journal, const uint64_t *fingerprint,
                                 char **description) {
  char directory[PATH_MAX], path[PATH_MAX], *text = NULL;
  gannet_campaign_input *input = NULL;
  gannet_complaints complaints = {0};
  gannet_campaign_source source = {.file = path};
  gannet_directory_of(journal, directory, sizeof directory);
  gannet_err err = gannet_join_path(directory, "campaign.yaml", path, sizeof path);
  if (err == GANNET_OK) err = gannet_campaign_file_read(path, &text, &source.size);
  source.text = text;
  if (err == GANNET_OK) err = gannet_campaign_parse(&source, &input, &complaints);
  gannet_free(&text);
  gannet_complaints_release(&complaints);
  if (err != GANNET_OK && err != GANNET_ERR_MEMORY) {
    gannet_error_clear(); /* nobody knows then */
    err = GANNET_OK;
  }
  if (input && (!fingerprint || gannet_problem_has_fingerprint(input->problem, *fingerprint)))
    err = gannet_campaign_format_problem(input->problem, description);
  gannet_campaign_destroy(&input);
  return err;
}

/* Describe the problem that a journal begins with, unless it is that of the ledger. The first
 * change says what was before it; before there was any, the effective configuration is that of the
 * journal.
 *
 * payload      in   of the first record
 * description  out  for gannet_free; NULL = the ledger's, or unknown
 */
static gannet_err describe_first(const char *journal, const gannet_ledger *ledger,
                                 const char *payload, size_t length, char **description) {
  uint64_t fingerprint = 0;
  *description = NULL;
  if (gannet_record_find_fingerprint(payload, length, &fingerprint) != GANNET_OK) {
    gannet_error_clear(); /* taking the record over says what is wrong */
    return GANNET_OK;
  }
  if (fingerprint == gannet_problem_fingerprint(ledger->problem)) return GANNET_OK;
  const gannet_err err = gannet_journal_salvage(journal, find_before, description);
  if (err != GANNET_OK || *description) return err;
  return describe_saved(journal, &fingerprint, description);
}

static gannet_err find_after(void *user, int64_t sequence, const char *payload, size_t length) {
  char **description = user, *later = NULL;
  (void)sequence;
  GANNET_TRY(gannet_record_find_problem(payload, length, true, &later));
  if (!later) return GANNET_OK;
  gannet_free(description);
  *description = later;
  return GANNET_OK;
}

gannet_err gannet_resume_find_problem(const char *journal, char **description) {
  *description = NULL;
  gannet_err err = gannet_journal_salvage(journal, find_after, description);
  if (err != GANNET_OK && err != GANNET_ERR_MEMORY) {
    gannet_error_clear(); /* resuming says what is wrong */
    err = GANNET_OK;
  }
  if (err == GANNET_OK && !*description) err = describe_saved(journal, NULL, description);
  if (err != GANNET_OK) gannet_free(description);
  return err;
}

/* Take over the first record of a journal, in the terms of its problem. */
static gannet_err take_first(const char *journal, const char *payload, size_t length,
                             gannet_ledger *ledger) {
  char *description = NULL;
  gannet_err err = describe_first(journal, ledger, payload, length, &description);
  if (err == GANNET_OK && description) err = gannet_ledger_begin_as(ledger, description);
  gannet_free(&description);
  if (err == GANNET_OK) err = gannet_ledger_apply(ledger, 1, payload, length);
  return err == GANNET_OK ? check_campaign(ledger, ledger->seed) : err;
}

/* Which snapshots serve. A journal that can be read tells whose snapshot it is; of others the name
 * is the best that there is, and one of an older name is better than none, as a campaign may have
 * been given another name since. */
enum { OF_THIS_JOURNAL = 2, OF_ANY_JOURNAL };

static gannet_err read_snapshot(const gannet_resume_paths *paths,
                                const gannet_journal_report *journal, int leniency_end,
                                gannet_ledger *ledger, gannet_store_report *report) {
  gannet_err err = GANNET_OK;
  for (int leniency = 0; leniency < leniency_end; ++leniency) {
    const gannet_snapshot_want want = {.journal = leniency < 2 ? journal : NULL,
                                       .seed = paths->seed,
                                       .name = leniency % 2 == 0 ? paths->name : NULL};
    err = gannet_snapshot_read(paths->snapshot, &want, ledger, report);
    if (err != GANNET_ERR_STATE && err != GANNET_ERR_INPUT) return err;
  }
  return err;
}

/* Let an empty ledger read a snapshot of the problem before a change that is still to be made. */
static gannet_err begin_snapshot(const gannet_resume_paths *paths, gannet_ledger *ledger) {
  gannet_snapshot_mark mark;
  char *description = NULL;
  if (gannet_snapshot_look(paths->snapshot, NULL, &mark) != GANNET_OK) {
    gannet_error_clear(); /* what is wrong is told by reading it */
    return GANNET_OK;
  }
  if (gannet_problem_has_fingerprint(ledger->problem, mark.fingerprint)) return GANNET_OK;
  gannet_err err = describe_saved(paths->journal, &mark.fingerprint, &description);
  if (err == GANNET_OK && description) err = gannet_ledger_begin_as(ledger, description);
  gannet_free(&description);
  return err;
}

/* A ledger that takes the records of a journal. */
typedef struct {
  const char *journal; /* path */
  gannet_ledger *ledger;
  int64_t taken, useless;
} taker;

/* Records of a damaged journal that follow, without a gap, on what the ledger knows. */
static gannet_err take_next(void *user, int64_t sequence, const char *payload, size_t length) {
  taker *t = user;
  if (sequence <= t->ledger->sequence) return GANNET_OK;
  if (sequence > t->ledger->sequence + 1) {
    t->useless += 1;
    return GANNET_OK;
  }
  t->taken += 1;
  return sequence == 1 ? take_first(t->journal, payload, length, t->ledger)
                       : gannet_ledger_apply(t->ledger, sequence, payload, length);
}

/* Beginning. */

static gannet_err write_first_record(const gannet_context *context, const char *name,
                                     gannet_ledger *ledger) {
  const gannet_err err = gannet_ledger_campaign(ledger, name, context->seed,
                                                gannet_problem_fingerprint(ledger->problem));
  return gannet_agree(context->comm, err);
}

gannet_err gannet_resume_begin(const gannet_context *context, const char *journal, const char *name,
                               gannet_ledger *ledger) {
  gannet_err err = GANNET_OK;
  gannet_journal_report report = {0};
  if (context->rank == 0)
    err = gannet_journal_open(journal, GANNET_JOURNAL_SCHEMA, GANNET_JOURNAL_CREATE, &report,
                              &ledger->journal);
  GANNET_TRY(gannet_agree(context->comm, err));
  if (report.note[0]) gannet_log(context, GANNET_LOG_WARNING, "%s", report.note);
  ledger->identity = report.identity;
  return write_first_record(context, name, ledger);
}

/* Rebuilding a damaged journal: rank 0 only. */

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

/* A fresh journal with everything that the snapshot knows, and what the damaged journal knows
 * beyond it. */
static gannet_err write_fresh(const gannet_context *context, const gannet_resume_paths *paths,
                              const gannet_journal_report *damaged, const char *fresh,
                              gannet_ledger *ledger) {
  gannet_store_report report = {0};
  taker t = {.journal = paths->journal, .ledger = ledger};
  GANNET_TRY(begin_snapshot(paths, ledger));
  GANNET_TRY(read_snapshot(paths, damaged, OF_ANY_JOURNAL, ledger, &report));
  gannet_log(context, GANNET_LOG_WARNING,
             "rebuilding the journal from %s%s of campaign '%s': %lld evaluations, complete up to "
             "record %lld",
             paths->snapshot, report.generation ? ".1" : "", ledger->name, (long long)ledger->n,
             (long long)ledger->sequence);
  if (gannet_snapshot_counts_in(ledger->identity, damaged)) {
    const gannet_err err = gannet_journal_salvage(paths->journal, take_next, &t);
    if (err != GANNET_ERR_MISSING) GANNET_TRY(err);
    gannet_error_clear();
    gannet_log(context, GANNET_LOG_WARNING,
               "%lld later records were taken from the journal, %lld could not be used; "
               "evaluations whose results they held will be run again",
               (long long)t.taken, (long long)t.useless);
  } else {
    gannet_log(
        context, GANNET_LOG_WARNING,
        "the snapshot is older than the journal, which was rebuilt since: it cannot be used");
  }
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
 * there, which the identity of their journal tells; whoever continues then has renew_snapshots make
 * them anew. */
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

/* From a damaged journal whose lock is held. */
static gannet_err rebuild_locked(const gannet_context *context, const gannet_resume_paths *paths,
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
                      "if no copy of the directory is left, start again with --directory",
                      why, hint, paths->snapshot, gannet_error_detail());
}

/* A journal that ends before the snapshot has lost records that were acknowledged. One that is not
 * the snapshot's was rebuilt, and has them all: the snapshots are to be made anew then, as when the
 * newer one is somebody else's. */
static gannet_err check_journal(const gannet_resume_paths *paths, gannet_journal_report *report,
                                bool *renews) {
  const char *leftover = gannet_leftovers_find(paths->journal);
  gannet_snapshot_mark mark;
  *renews = false;
  GANNET_TRY(gannet_journal_read(paths->journal, GANNET_JOURNAL_SCHEMA, NULL, NULL, report));
  if (gannet_snapshot_look(paths->snapshot, report, &mark) != GANNET_OK) {
    gannet_error_clear();
    return check_begun(paths->journal, leftover, report->records);
  }
  const bool rebuilt = !gannet_snapshot_counts_in(mark.journal, report);
  *renews = rebuilt || mark.is_passed_over;
  GANNET_REQUIRE(rebuilt || mark.sequence <= report->records, GANNET_ERR_DAMAGED,
                 "'%s' ends with record %lld, but %s%s contains %lld%s%s", paths->journal,
                 (long long)report->records, paths->snapshot, mark.is_passed_over ? ".1" : "",
                 (long long)mark.sequence, report->note[0] ? "; " : "", report->note);
  return check_begun(paths->journal, leftover, report->records);
}

static bool is_damage(gannet_err err) {
  return err == GANNET_ERR_DAMAGED || err == GANNET_ERR_MISSING;
}

/* Under the journal's lock: its owner may be alive, or have written a record and a snapshot between
 * two looks at them, of which the second counts. */
static gannet_err rebuild(const gannet_context *context, const gannet_resume_paths *paths,
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

/* Continuing. */

/* The payloads of a journal, one per line: what rank 0 sends to the others. */
static gannet_err add_payload(void *user, int64_t sequence, const char *payload, size_t length) {
  (void)sequence;
  GANNET_TRY(gannet_text_add(user, payload, length));
  return gannet_text_add(user, "\n", 1);
}

/* Rank 0 only. */
static gannet_err open_journal(const gannet_context *context, const gannet_resume_paths *paths,
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

/* From rank 0 to all. */
static gannet_err share_text(const gannet_context *context, gannet_text *text) {
  uint64_t bytes = text->used;
  GANNET_TRY_MPI(MPI_Bcast(&bytes, 1, MPI_UINT64_T, 0, context->comm));
  text->used = (size_t)bytes;
  const gannet_err err = context->rank ? gannet_alloc(text->used + 1, 1, &text->text) : GANNET_OK;
  GANNET_TRY(gannet_agree(context->comm, err));
  return gannet_bytes_broadcast(context->comm, 0, text->used, text->text);
}

/* The first record holds the fingerprint: it is checked before points are taken over. */
static gannet_err replay(gannet_ledger *ledger, const gannet_text *payloads, uint64_t seed) {
  int64_t sequence = 0;
  for (size_t at = 0; at < payloads->used;) {
    const char *payload = payloads->text + at;
    const char *end = memchr(payload, '\n', payloads->used - at);
    GANNET_TRY(gannet_ledger_apply(ledger, ++sequence, payload, (size_t)(end - payload)));
    if (sequence == 1) GANNET_TRY(check_campaign(ledger, seed));
    at += (size_t)(end - payload) + 1;
  }
  return GANNET_OK;
}

/* Both generations are made from the journal, so that either can stand in for it. A snapshot of
 * another campaign is moved aside: somebody put it there, and may miss it where it belongs. */
static gannet_err renew_snapshots(const gannet_context *context, const char *snapshot,
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

/* Let the ledgers of all ranks read the journal in the terms of the problem that it begins with. */
static gannet_err begin_replay(const gannet_context *context, const char *journal,
                               const gannet_text *payloads, gannet_ledger *ledger) {
  gannet_text description = {0};
  const char *end = memchr(payloads->text, '\n', payloads->used);
  gannet_err err = GANNET_OK;
  if (context->rank == 0)
    err = describe_first(journal, ledger, payloads->text, (size_t)(end - payloads->text),
                         &description.text);
  if (description.text) description.used = strlen(description.text);
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK) err = share_text(context, &description);
  if (err == GANNET_OK && description.used > 0)
    err = gannet_agree(context->comm, gannet_ledger_begin_as(ledger, description.text));
  gannet_free(&description.text);
  return err;
}

gannet_err gannet_resume_continue(const gannet_context *context, const char *journal,
                                  const char *snapshot, const char *name, gannet_ledger *ledger) {
  const gannet_resume_paths paths = {journal, snapshot, name, &context->seed};
  gannet_text payloads = {0};
  bool renews = false; /* only rank 0 knows */
  gannet_err err =
      context->rank ? GANNET_OK : open_journal(context, &paths, ledger, &payloads, &renews);
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK) err = share_text(context, &payloads);
  if (err == GANNET_OK && payloads.used > 0)
    err = begin_replay(context, journal, &payloads, ledger);
  if (err == GANNET_OK) err = gannet_agree(context->comm, replay(ledger, &payloads, context->seed));
  if (err == GANNET_OK)
    err = gannet_agree(context->comm,
                       renews ? renew_snapshots(context, snapshot, ledger) : GANNET_OK);
  /* Killed between making the journal and its first record. */
  if (err == GANNET_OK && payloads.used == 0) err = write_first_record(context, name, ledger);
  gannet_free(&payloads.text);
  return err;
}

/* Looking without changing anything. */

static gannet_err empty_ledger(gannet_ledger *ledger) {
  const gannet_problem *problem = ledger->target;
  gannet_history *history = ledger->history, *fresh = NULL;
  GANNET_TRY(gannet_history_create(problem, &fresh));
  gannet_history_exchange(history, fresh);
  gannet_history_destroy(&fresh);
  gannet_ledger_release(ledger);
  gannet_ledger_init(ledger, problem, history);
  return GANNET_OK;
}

/* The newest snapshot of this journal, which is read faster. A ledger that stays empty is no error:
 * the journal knows everything. */
static gannet_err take_snapshot(const gannet_resume_paths *paths, gannet_ledger *ledger) {
  gannet_journal_report about;
  if (access(paths->snapshot, F_OK) != 0) return GANNET_OK;
  if (gannet_journal_identify(paths->journal, GANNET_JOURNAL_SCHEMA, &about) != GANNET_OK)
    gannet_error_clear(); /* what is wrong is told by reading it */
  const gannet_err err = read_snapshot(paths, &about, OF_THIS_JOURNAL, ledger, NULL);
  if (err == GANNET_OK || gannet_history_count(ledger->history) > 0) return err;
  gannet_error_clear();
  return empty_ledger(ledger);
}

/* Records that the ledger does not know yet; the first says of which problem they are. */
static gannet_err take_newer(void *user, int64_t sequence, const char *payload, size_t length) {
  taker *t = user;
  t->taken += 1;
  if (sequence <= t->ledger->sequence) return GANNET_OK;
  return sequence == 1 ? take_first(t->journal, payload, length, t->ledger)
                       : gannet_ledger_apply(t->ledger, sequence, payload, length);
}

/* The records that follow on what the ledger knows; one that makes no sense ends them. */
static gannet_err take_rest(const char *journal, gannet_ledger *ledger) {
  taker t = {.journal = journal, .ledger = ledger};
  const gannet_err err = gannet_journal_salvage(journal, take_next, &t);
  if (!is_damage(err)) return err;
  gannet_error_clear();
  return GANNET_OK;
}

/* Neither the journal nor a snapshot is sound: the first records of the journal. */
static gannet_err take_beginning(const gannet_resume_paths *paths, const char *why,
                                 gannet_ledger *ledger, gannet_damage *damage) {
  char snapshot[500];
  (void)snprintf(snapshot, sizeof snapshot, "%s", gannet_error_detail());
  gannet_error_clear();
  if (gannet_history_count(ledger->history) == 0) {
    GANNET_TRY(empty_ledger(ledger));
    GANNET_TRY(take_rest(paths->journal, ledger));
  }
  const int64_t n = gannet_history_count(ledger->history) > 0 ? ledger->sequence : 0;
  GANNET_REQUIRE(n > 0, GANNET_ERR_DAMAGED,
                 "%s; nor is there a sound snapshot of this campaign (%s): put back a copy of the "
                 "directory, or start again with --directory",
                 why, snapshot);
  damage->is_partial = true;
  (void)snprintf(damage->text, sizeof damage->text,
                 "%.200s; nor is there a sound snapshot of this campaign (%.250s): only the first "
                 "%lld records of the journal are shown. Put back a copy of the directory; or, to "
                 "continue from these records, keep a copy and delete what follows line %lld",
                 why, snapshot, (long long)n, (long long)n + 1);
  return GANNET_OK;
}

static void advise_to_rebuild(const char *why, gannet_damage *damage) {
  (void)snprintf(damage->text, sizeof damage->text,
                 "%.300s; shown is the newest snapshot with the records that follow it: `gannet "
                 "run` with --resume rebuilds the journal from them and keeps the damaged one",
                 why);
}

/* What a resumed campaign would know, without a sound journal. */
static gannet_err take_without_journal(const gannet_resume_paths *paths,
                                       const gannet_journal_report *report, gannet_ledger *ledger,
                                       gannet_damage *damage) {
  char why[500];
  gannet_err err = GANNET_OK;
  (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
  gannet_error_clear();
  if (ledger->sequence == 0) err = begin_snapshot(paths, ledger);
  if (err == GANNET_OK && ledger->sequence == 0)
    err = read_snapshot(paths, report, OF_ANY_JOURNAL, ledger, NULL);
  damage->is_foreign = err == GANNET_ERR_INPUT;
  if (err != GANNET_OK) return take_beginning(paths, why, ledger, damage);
  advise_to_rebuild(why, damage);
  if (!gannet_snapshot_counts_in(ledger->identity, report)) return GANNET_OK;
  return take_rest(paths->journal, ledger);
}

gannet_err gannet_resume_query(const gannet_resume_paths *paths, bool replay_all,
                               gannet_ledger *ledger, gannet_damage *damage) {
  const char *journal = paths->journal;
  taker t = {.journal = journal, .ledger = ledger};
  gannet_journal_report report = {0};
  const char *leftover = gannet_leftovers_find(journal);
  char why[200];
  *damage = (gannet_damage){0};
  if (!replay_all) GANNET_TRY(take_snapshot(paths, ledger));
  const bool began = ledger->sequence > 0;
  gannet_err err = gannet_journal_read(journal, GANNET_JOURNAL_SCHEMA, take_newer, &t, &report);
  if (began && !gannet_snapshot_counts_in(ledger->identity, &report))
    return GANNET_RAISE(GANNET_ERR_BUSY, "'%s' was rebuilt while it was read; try again", journal);
  if (err == GANNET_OK && ledger->sequence == 0) err = check_begun(journal, leftover, t.taken);
  /* Damage is found before the first record is visited. */
  if (is_damage(err) && t.taken == 0) {
    err = take_without_journal(paths, &report, ledger, damage);
  } else if (err == GANNET_OK && t.taken < ledger->sequence) {
    (void)snprintf(why, sizeof why, "the journal ends with record %lld, but the snapshot has %lld",
                   (long long)t.taken, (long long)ledger->sequence);
    advise_to_rebuild(why, damage);
  }
  if (err == GANNET_OK)
    err = gannet_ledger_tell_held(ledger); /* without a journal: in memory only */
  return err;
}

gannet_err gannet_resume_dry_run(const gannet_resume_paths *paths, gannet_ledger *ledger,
                                 gannet_damage *damage) {
  const gannet_err err = gannet_resume_query(paths, false, ledger, damage);
  if (damage->is_foreign)
    return GANNET_RAISE(GANNET_ERR_INPUT, "%s", err ? gannet_error_detail() : damage->text);
  GANNET_TRY(err);
  return ledger->sequence > 0 ? check_campaign(ledger, *paths->seed) : GANNET_OK;
}

/* As a query finds it: what the snapshot has is to be in the journal. */
static gannet_err check_followed(const gannet_resume_paths *paths, const char *leftover, bool began,
                                 int64_t records, const gannet_ledger *ledger) {
  gannet_journal_report about;
  if (!began) return check_begun(paths->journal, leftover, records);
  GANNET_TRY(gannet_journal_identify(paths->journal, GANNET_JOURNAL_SCHEMA, &about));
  GANNET_REQUIRE(gannet_snapshot_counts_in(ledger->identity, &about), GANNET_ERR_BUSY,
                 "'%s' was rebuilt while it was read; try again", paths->journal);
  GANNET_REQUIRE(records >= ledger->sequence, GANNET_ERR_DAMAGED,
                 "the journal ends with record %lld, but the snapshot has %lld", (long long)records,
                 (long long)ledger->sequence);
  return GANNET_OK;
}

gannet_err gannet_resume_follow(const gannet_resume_paths *paths, gannet_journal_position *position,
                                bool *replaced, gannet_ledger *ledger) {
  const char *journal = paths->journal;
  taker t = {.journal = journal, .ledger = ledger};
  const bool first = position->bytes == 0;
  const char *leftover = first ? gannet_leftovers_find(journal) : NULL;
  *replaced = false;
  if (first && ledger->sequence == 0) GANNET_TRY(take_snapshot(paths, ledger));
  const bool began = ledger->sequence > 0;
  ledger->tells_early = true;
  GANNET_TRY(
      gannet_journal_follow(journal, GANNET_JOURNAL_SCHEMA, position, replaced, take_newer, &t));
  if (first) GANNET_TRY(check_followed(paths, leftover, began, position->records, ledger));
  return first || t.taken > 0 ? gannet_ledger_tell_held(ledger) : GANNET_OK;
}
