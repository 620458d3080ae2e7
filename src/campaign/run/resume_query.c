/* Bringing a ledger up to what is on disk without changing anything. */
#include <stdio.h>
#include <unistd.h>

#include "campaign/run/resume.h"
#include "campaign/run/resume_parts.h"

gannet_err gannet_restore_take_next(void *user, int64_t sequence, const char *payload,
                                    size_t length) {
  gannet_restore_salvage *s = user;
  if (sequence <= s->ledger->sequence) return GANNET_OK;
  if (sequence > s->ledger->sequence + 1) {
    s->useless += 1;
    return GANNET_OK;
  }
  s->taken += 1;
  return gannet_ledger_apply(s->ledger, sequence, payload, length);
}

/* A journal that can be read tells whose snapshot it is; of others the name is the best that there
 * is, and one of an older name is better than none. */
enum { OF_THIS_JOURNAL = 2, OF_ANY_JOURNAL };

static gannet_err read_within(const gannet_restore_paths *paths,
                              const gannet_journal_report *journal, int most, gannet_ledger *ledger,
                              gannet_store_report *report) {
  gannet_err err = GANNET_OK;
  for (int leniency = 0; leniency < most; ++leniency) {
    const gannet_snapshot_want want = {.journal = leniency < 2 ? journal : NULL,
                                       .seed = paths->seed,
                                       .name = leniency % 2 == 0 ? paths->name : NULL};
    err = gannet_snapshot_read(paths->snapshot, &want, ledger, report);
    if (err != GANNET_ERR_STATE && err != GANNET_ERR_INPUT) return err;
  }
  return err;
}

gannet_err gannet_restore_read_best(const gannet_restore_paths *paths,
                                    const gannet_journal_report *journal, gannet_ledger *ledger,
                                    gannet_store_report *report) {
  return read_within(paths, journal, OF_ANY_JOURNAL, ledger, report);
}

gannet_err gannet_restore_check_begun(const char *journal, const char *trace, int64_t records) {
  GANNET_REQUIRE(!trace || records > 0, GANNET_ERR_DAMAGED,
                 "'%s' has no records, but %s beside it shows that there were some", journal,
                 trace);
  return GANNET_OK;
}

gannet_err gannet_restore_check_campaign(const gannet_ledger *ledger, uint64_t seed) {
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

static void restart(gannet_ledger *ledger) {
  const gannet_problem *problem = ledger->problem;
  gannet_history *history = ledger->history;
  gannet_ledger_release(ledger);
  gannet_ledger_init(ledger, problem, history);
}

/* The newest snapshot of this journal, which is read faster. A ledger that stays empty is no error:
 * the journal knows everything. */
static gannet_err take_snapshot(const gannet_restore_paths *paths, gannet_ledger *ledger) {
  gannet_journal_report about;
  if (access(paths->snapshot, F_OK) != 0) return GANNET_OK;
  if (gannet_journal_identify(paths->journal, GANNET_JOURNAL_SCHEMA, &about) != GANNET_OK)
    gannet_error_clear(); /* what is wrong is told by reading it */
  const gannet_err err = read_within(paths, &about, OF_THIS_JOURNAL, ledger, NULL);
  if (err == GANNET_OK || gannet_history_count(ledger->history) > 0) return err;
  gannet_error_clear();
  restart(ledger);
  return GANNET_OK;
}

/* Records that the ledger does not know yet; the first says of which problem they are. */
static gannet_err add_newer(void *user, int64_t sequence, const char *payload, size_t length) {
  gannet_restore_salvage *s = user;
  s->taken += 1;
  if (sequence <= s->ledger->sequence) return GANNET_OK;
  GANNET_TRY(gannet_ledger_apply(s->ledger, sequence, payload, length));
  return sequence == 1 ? gannet_restore_check_campaign(s->ledger, s->ledger->seed) : GANNET_OK;
}

/* The records that follow on what the ledger knows; one that makes no sense ends them. */
static gannet_err take_rest(const char *journal, gannet_ledger *ledger) {
  gannet_restore_salvage s = {.ledger = ledger};
  const gannet_err err = gannet_journal_salvage(journal, gannet_restore_take_next, &s);
  if (err != GANNET_ERR_MISSING && err != GANNET_ERR_DAMAGED) return err;
  gannet_error_clear();
  return GANNET_OK;
}

/* Neither the journal nor a snapshot is sound. */
static gannet_err take_beginning(const gannet_restore_paths *paths, const char *why,
                                 gannet_ledger *ledger, gannet_damage *damage) {
  char snapshot[500];
  (void)snprintf(snapshot, sizeof snapshot, "%s", gannet_error_detail());
  gannet_error_clear();
  if (gannet_history_count(ledger->history) == 0) {
    restart(ledger);
    GANNET_TRY(take_rest(paths->journal, ledger));
  }
  const int64_t n = gannet_history_count(ledger->history) > 0 ? ledger->sequence : 0;
  GANNET_REQUIRE(n > 0, GANNET_ERR_DAMAGED,
                 "%s; nor is there a sound snapshot of this campaign (%s): put back a copy of the "
                 "directory, or start anew with --directory",
                 why, snapshot);
  damage->is_partial = true;
  (void)snprintf(damage->text, sizeof damage->text,
                 "%.200s; nor is there a sound snapshot of this campaign (%.250s): only the first "
                 "%lld records of the journal are shown. Put back a copy of the directory; or, to "
                 "go on from these records, keep a copy and delete what follows line %lld",
                 why, snapshot, (long long)n, (long long)n + 1);
  return GANNET_OK;
}

static void advise(const char *why, gannet_damage *damage) {
  (void)snprintf(damage->text, sizeof damage->text,
                 "%.300s; shown is the newest snapshot with the records that follow it: `gannet "
                 "run` with --resume rebuilds the journal from them and keeps the damaged one",
                 why);
}

static gannet_err do_without(const gannet_restore_paths *paths, const gannet_journal_report *report,
                             gannet_ledger *ledger, gannet_damage *damage) {
  char why[500];
  gannet_err err = GANNET_OK;
  (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
  gannet_error_clear();
  if (ledger->sequence == 0) err = gannet_restore_read_best(paths, report, ledger, NULL);
  damage->is_foreign = err == GANNET_ERR_INPUT;
  if (err != GANNET_OK) return take_beginning(paths, why, ledger, damage);
  advise(why, damage);
  if (!gannet_snapshot_counts_in(ledger->identity, report)) return GANNET_OK;
  return take_rest(paths->journal, ledger);
}

gannet_err gannet_restore_query(const gannet_restore_paths *paths, bool replay,
                                gannet_ledger *ledger, gannet_damage *damage) {
  const char *journal = paths->journal;
  gannet_restore_salvage s = {.ledger = ledger};
  gannet_journal_report report = {0};
  const char *trace = gannet_traces_find(journal);
  char why[200];
  *damage = (gannet_damage){0};
  if (!replay) GANNET_TRY(take_snapshot(paths, ledger));
  const bool began = ledger->sequence > 0;
  gannet_err err = gannet_journal_read(journal, GANNET_JOURNAL_SCHEMA, add_newer, &s, &report);
  if (began && !gannet_snapshot_counts_in(ledger->identity, &report))
    return GANNET_RAISE(GANNET_ERR_BUSY, "'%s' was rebuilt while it was read; try again", journal);
  if (err == GANNET_OK && ledger->sequence == 0)
    err = gannet_restore_check_begun(journal, trace, s.taken);
  /* Damage is found before the first record is visited. */
  if ((err == GANNET_ERR_DAMAGED || err == GANNET_ERR_MISSING) && s.taken == 0) {
    err = do_without(paths, &report, ledger, damage);
  } else if (err == GANNET_OK && s.taken < ledger->sequence) {
    (void)snprintf(why, sizeof why, "the journal ends with record %lld, but the snapshot has %lld",
                   (long long)s.taken, (long long)ledger->sequence);
    advise(why, damage);
  }
  if (err == GANNET_OK)
    err = gannet_ledger_tell_held(ledger); /* without a journal: in memory only */
  return err;
}

gannet_err gannet_restore_foresee(const gannet_restore_paths *paths, gannet_ledger *ledger,
                                  gannet_damage *damage) {
  const gannet_err err = gannet_restore_query(paths, false, ledger, damage);
  if (damage->is_foreign)
    return GANNET_RAISE(GANNET_ERR_INPUT, "%s", err ? gannet_error_detail() : damage->text);
  GANNET_TRY(err);
  return ledger->sequence > 0 ? gannet_restore_check_campaign(ledger, *paths->seed) : GANNET_OK;
}

/* As a query finds it: what the snapshot has is to be in the journal. */
static gannet_err check_followed(const gannet_restore_paths *paths, const char *trace, bool began,
                                 int64_t records, const gannet_ledger *ledger) {
  gannet_journal_report about;
  if (!began) return gannet_restore_check_begun(paths->journal, trace, records);
  GANNET_TRY(gannet_journal_identify(paths->journal, GANNET_JOURNAL_SCHEMA, &about));
  GANNET_REQUIRE(gannet_snapshot_counts_in(ledger->identity, &about), GANNET_ERR_BUSY,
                 "'%s' was rebuilt while it was read; try again", paths->journal);
  GANNET_REQUIRE(records >= ledger->sequence, GANNET_ERR_DAMAGED,
                 "the journal ends with record %lld, but the snapshot has %lld", (long long)records,
                 (long long)ledger->sequence);
  return GANNET_OK;
}

gannet_err gannet_restore_follow(const gannet_restore_paths *paths, gannet_journal_place *place,
                                 bool *replaced, gannet_ledger *ledger) {
  const char *journal = paths->journal;
  gannet_restore_salvage s = {.ledger = ledger};
  const bool first = place->bytes == 0;
  const char *trace = first ? gannet_traces_find(journal) : NULL;
  *replaced = false;
  if (first && ledger->sequence == 0) GANNET_TRY(take_snapshot(paths, ledger));
  const bool began = ledger->sequence > 0;
  ledger->tells_early = true;
  GANNET_TRY(gannet_journal_follow(journal, GANNET_JOURNAL_SCHEMA, place, replaced, add_newer, &s));
  if (first) GANNET_TRY(check_followed(paths, trace, began, place->records, ledger));
  return first || s.taken > 0 ? gannet_ledger_tell_held(ledger) : GANNET_OK;
}
