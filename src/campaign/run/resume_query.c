/* Bringing a ledger up to what is on disk without changing anything there. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "campaign/run/fingerprint.h"
#include "campaign/run/record.h"
#include "campaign/run/resume_parts.h"

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

/* Begin with the newest snapshot of this journal, which is read faster than the records. Without
 * one the ledger stays empty, which is no error: the journal knows everything. */
static gannet_err take_snapshot(const gannet_resume_paths *paths, gannet_ledger *ledger) {
  gannet_journal_report about;
  if (access(paths->snapshot, F_OK) != 0) return GANNET_OK;
  if (gannet_journal_identify(paths->journal, GANNET_JOURNAL_SCHEMA, &about) != GANNET_OK)
    gannet_error_clear(); /* what is wrong is told by reading it */
  const gannet_err err =
      gannet_resume_read_snapshot(paths, &about, GANNET_SNAPSHOT_OF_THIS_JOURNAL, ledger, NULL);
  if (err == GANNET_OK || gannet_history_count(ledger->history) > 0) return err;
  gannet_error_clear();
  return empty_ledger(ledger);
}

/* Take a record that the ledger does not know yet; the first one says of which problem they are. */
static gannet_err take_newer(void *user, int64_t sequence, const char *payload, size_t length) {
  gannet_resume_taker *t = user;
  if (sequence == 1) {
    const gannet_err err = gannet_resume_check_owner(t->paths, payload, length);
    t->is_foreign = err == GANNET_ERR_DAMAGED;
    GANNET_TRY(err);
  }
  t->taken += 1;
  if (sequence <= t->ledger->sequence) return GANNET_OK;
  return sequence == 1 ? gannet_resume_take_first(t->paths->journal, payload, length, t->ledger)
                       : gannet_ledger_apply(t->ledger, sequence, payload, length);
}

/* Take the records that follow on what the ledger knows, up to the first that makes no sense. */
static gannet_err take_rest(const gannet_resume_paths *paths, gannet_ledger *ledger) {
  gannet_resume_taker t = {.paths = paths, .ledger = ledger};
  const gannet_err err = gannet_journal_salvage(paths->journal, gannet_resume_take_next, &t);
  if (!gannet_resume_is_damage(err)) return err;
  gannet_error_clear();
  return GANNET_OK;
}

/* Take the first records of the journal, where neither it nor a snapshot is sound.
 *
 * report  in  of the journal; NULL = it is of another campaign
 */
static gannet_err take_beginning(const gannet_resume_paths *paths,
                                 const gannet_journal_report *report, const char *why,
                                 gannet_ledger *ledger, gannet_damage *damage) {
  char snapshot[500];
  (void)snprintf(snapshot, sizeof snapshot, "%s", gannet_error_detail());
  gannet_error_clear();
  if (gannet_history_count(ledger->history) == 0) {
    GANNET_TRY(empty_ledger(ledger));
    if (report) GANNET_TRY(take_rest(paths, ledger));
  }
  const int64_t n = gannet_history_count(ledger->history) > 0 ? ledger->sequence : 0;
  GANNET_REQUIRE(n > 0, GANNET_ERR_DAMAGED,
                 "%s; nor is there a sound snapshot of this campaign (%s): put back a copy of the "
                 "directory, or start again with --directory",
                 why, snapshot);
  damage->is_partial = true;
  const int used = snprintf(
      damage->text, sizeof damage->text,
      "%.200s; nor is there a sound snapshot of this campaign (%.250s): only the first %lld "
      "records of the journal are shown. Put back a copy of the directory; or, to ",
      why, snapshot, (long long)n);
  /* Without the first line nothing that follows it can be continued. */
  if (report && report->schema > 0)
    (void)snprintf(damage->text + used, sizeof damage->text - (size_t)used,
                   "continue from these records, keep a copy, delete what follows line %lld, and "
                   "move history.csv away",
                   (long long)n + 1);
  else
    (void)snprintf(damage->text + used, sizeof damage->text - (size_t)used,
                   "go on with its results, start again with --directory, with a copy of "
                   "history.csv as `import` in the campaign file");
  return GANNET_OK;
}

static void advise_to_rebuild(const char *why, gannet_damage *damage) {
  (void)snprintf(damage->text, sizeof damage->text,
                 "%.300s; shown is the newest snapshot with the records that follow it: `gannet "
                 "run` with --resume rebuilds the journal from them and keeps the damaged one",
                 why);
}

/* Without a sound journal, take what a resumed campaign would know: a snapshot, and the records
 * that follow it.
 *
 * report  in  of the journal; NULL = it is of another campaign
 */
static gannet_err take_without_journal(const gannet_resume_paths *paths,
                                       const gannet_journal_report *report, gannet_ledger *ledger,
                                       gannet_damage *damage) {
  char why[500];
  gannet_err err = GANNET_OK;
  (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
  gannet_error_clear();
  if (ledger->sequence == 0) err = gannet_resume_begin_snapshot(paths, ledger);
  if (err == GANNET_OK && ledger->sequence == 0)
    err = gannet_resume_read_snapshot(paths, report, GANNET_SNAPSHOT_OF_ANY_JOURNAL, ledger, NULL);
  damage->is_foreign = err == GANNET_ERR_INPUT;
  if (err != GANNET_OK) return take_beginning(paths, report, why, ledger, damage);
  advise_to_rebuild(why, damage);
  if (!report || !gannet_snapshot_counts_in(ledger->identity, report)) return GANNET_OK;
  return take_rest(paths, ledger);
}

gannet_err gannet_resume_query(const gannet_resume_paths *paths, bool replay_all,
                               gannet_ledger *ledger, gannet_damage *damage) {
  const char *journal = paths->journal;
  gannet_resume_taker t = {.paths = paths, .ledger = ledger};
  gannet_journal_report report = {0};
  const char *leftover = gannet_leftovers_find(journal);
  const int64_t last = gannet_resume_find_last_row(journal);
  char why[200];
  *damage = (gannet_damage){0};
  if (!replay_all) GANNET_TRY(take_snapshot(paths, ledger));
  const bool began = ledger->sequence > 0;
  gannet_err err = gannet_journal_read(journal, GANNET_JOURNAL_SCHEMA, take_newer, &t, &report);
  if (began && !gannet_snapshot_counts_in(ledger->identity, &report))
    return GANNET_RAISE(GANNET_ERR_BUSY, "'%s' was rebuilt while it was read; try again", journal);
  if (err == GANNET_OK && ledger->sequence == 0)
    err = gannet_resume_check_begun(journal, leftover, t.taken);
  /* Damage is found before the first record is visited. */
  if (gannet_resume_is_damage(err) && t.taken == 0) {
    if (t.is_foreign) GANNET_TRY(empty_ledger(ledger));
    err = take_without_journal(paths, t.is_foreign ? NULL : &report, ledger, damage);
    damage->has_foreign_journal = t.is_foreign;
  } else if (err == GANNET_OK && t.taken < ledger->sequence) {
    (void)snprintf(why, sizeof why, "the journal ends with record %lld, but the snapshot has %lld",
                   (long long)t.taken, (long long)ledger->sequence);
    advise_to_rebuild(why, damage);
  } else if (err == GANNET_OK && last >= ledger->n) {
    damage->is_partial = gannet_resume_raise_lost(last, ledger->n) != GANNET_OK;
    (void)snprintf(damage->text, sizeof damage->text, "%s", gannet_error_detail());
    gannet_error_clear();
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
  return ledger->sequence > 0 ? gannet_resume_check_campaign(ledger, *paths->seed) : GANNET_OK;
}

/* Check, as a query does, that the journal has all that the snapshot has. */
static gannet_err check_followed(const gannet_resume_paths *paths, const char *leftover, bool began,
                                 int64_t records, const gannet_ledger *ledger) {
  gannet_journal_report about;
  if (!began) return gannet_resume_check_begun(paths->journal, leftover, records);
  GANNET_TRY(gannet_journal_identify(paths->journal, GANNET_JOURNAL_SCHEMA, &about));
  GANNET_REQUIRE(gannet_snapshot_counts_in(ledger->identity, &about), GANNET_ERR_BUSY,
                 "'%s' was rebuilt while it was read; try again", paths->journal);
  GANNET_REQUIRE(records >= ledger->sequence, GANNET_ERR_DAMAGED,
                 "the journal ends with record %lld, but the snapshot has %lld", (long long)records,
                 (long long)ledger->sequence);
  return GANNET_OK;
}

/* Let the own snapshot serve in place of a journal of another campaign, which the current error
 * tells: what was read may be of that campaign, too. The error stays. */
static gannet_err take_own_snapshot(const gannet_resume_paths *paths, gannet_ledger *ledger) {
  char why[500];
  (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
  gannet_error_clear();
  gannet_err err = empty_ledger(ledger);
  if (err == GANNET_OK) err = gannet_resume_begin_snapshot(paths, ledger);
  if (err == GANNET_OK)
    err = gannet_resume_read_snapshot(paths, NULL, GANNET_SNAPSHOT_OF_THIS_JOURNAL, ledger, NULL);
  if (err != GANNET_OK) gannet_error_clear();
  if (err != GANNET_OK && gannet_history_count(ledger->history) == 0) err = empty_ledger(ledger);
  return err == GANNET_ERR_MEMORY ? err : GANNET_RAISE(GANNET_ERR_DAMAGED, "%s", why);
}

gannet_err gannet_resume_follow(const gannet_resume_paths *paths, gannet_journal_position *position,
                                bool *replaced, gannet_ledger *ledger) {
  const char *journal = paths->journal;
  gannet_resume_taker t = {.paths = paths, .ledger = ledger};
  const bool first = position->bytes == 0;
  const char *leftover = first ? gannet_leftovers_find(journal) : NULL;
  *replaced = false;
  if (first && ledger->sequence == 0) GANNET_TRY(take_snapshot(paths, ledger));
  const bool began = ledger->sequence > 0;
  ledger->tells_early = true;
  const gannet_err err =
      gannet_journal_follow(journal, GANNET_JOURNAL_SCHEMA, position, replaced, take_newer, &t);
  if (t.is_foreign) return take_own_snapshot(paths, ledger);
  GANNET_TRY(err);
  if (first) GANNET_TRY(check_followed(paths, leftover, began, position->records, ledger));
  return first || t.taken > 0 ? gannet_ledger_tell_held(ledger) : GANNET_OK;
}
