/* What a ledger is brought up from: records of journals, and snapshots. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "campaign/config/config.h"
#include "campaign/run/fingerprint.h"
#include "campaign/run/record.h"
#include "campaign/run/resume_parts.h"

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

gannet_err gannet_resume_check_begun(const char *journal, const char *leftover, int64_t records) {
  GANNET_REQUIRE(!leftover || records > 0, GANNET_ERR_DAMAGED,
                 "'%s' has no records, but %s beside it shows that there were some", journal,
                 leftover);
  return GANNET_OK;
}

enum { TAIL = 64 * 1024 }; /* the rows of a batch, which are in any order, and more */

/* The last rows of history.csv beside a journal; none where it cannot be read, since a campaign
 * without results has no table. */
static void read_last_rows(const char *journal, char tail[TAIL]) {
  char directory[PATH_MAX], path[PATH_MAX + 16];
  size_t size = 0;
  gannet_directory_of(journal, directory, sizeof directory);
  (void)snprintf(path, sizeof path, "%s/history.csv", directory);
  if (gannet_file_read_end(path, TAIL, tail, &size) == GANNET_OK) return;
  gannet_error_clear();
  tail[0] = '\0';
}

/* The evaluation of the next whole row after *at, which it moves to; -1 = there is none. The first
 * line is the header, or was cut at its beginning; the last may lack its end. */
static int64_t next_row(const char **at) {
  while ((*at = strchr(*at, '\n')) && strchr(*at + 1, '\n')) {
    char *end = NULL;
    const long long id = strtoll(++*at, &end, 10);
    if (end > *at && *end == ',') return id;
  }
  return -1;
}

int64_t gannet_resume_find_last_row(const char *journal) {
  char tail[TAIL];
  const char *at = tail;
  int64_t last = -1;
  read_last_rows(journal, tail);
  for (int64_t id; (id = next_row(&at)) >= 0;) last = id > last ? id : last;
  return last;
}

int64_t gannet_resume_find_lost_row(const char *journal, const gannet_ledger *ledger) {
  char tail[TAIL];
  const char *at = tail;
  read_last_rows(journal, tail);
  for (int64_t id; (id = next_row(&at)) >= 0;)
    if (id >= ledger->n || !ledger->ticket[id].has_result) return id;
  return -1;
}

gannet_err gannet_resume_raise_lost(int64_t last, int64_t n) {
  return GANNET_RAISE(
      GANNET_ERR_DAMAGED,
      "history.csv has evaluation %lld, but the journal only %lld evaluation%s: it has lost its "
      "end, and no snapshot has it. Put back a copy of the directory; or, to continue without "
      "them, move history.csv away (`gannet tell --file` takes its results)",
      (long long)last, (long long)n, n == 1 ? "" : "s");
}

gannet_err gannet_resume_check_campaign(gannet_ledger *ledger, uint64_t seed) {
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

gannet_err gannet_resume_check_owner(const gannet_resume_paths *paths, const char *payload,
                                     size_t length) {
  gannet_snapshot_mark mark;
  uint64_t seed = 0;
  char *name = NULL;
  if (!paths->name || !paths->seed) return GANNET_OK;
  if (gannet_record_find_owner(payload, length, &seed, &name) != GANNET_OK) {
    gannet_error_clear(); /* taking the record over says what is wrong */
    gannet_free(&name);
    return GANNET_OK;
  }
  gannet_err err = GANNET_OK;
  const bool own = seed == *paths->seed && strcmp(name, paths->name) == 0;
  const gannet_snapshot_want want = {.seed = paths->seed, .name = paths->name};
  const bool known = !own && gannet_snapshot_look(paths->snapshot, &want, &mark) == GANNET_OK;
  if (!known) gannet_error_clear(); /* then the journal is all that is known */
  if (known && gannet_snapshot_is_of(&mark, *paths->seed, paths->name) &&
      !gannet_snapshot_is_of(&mark, seed, name))
    err = GANNET_RAISE(GANNET_ERR_DAMAGED,
                       "'%s' is of another campaign ('%s', seed %lld), but %s%s of this one ('%s', "
                       "seed %lld)",
                       paths->journal, name, (long long)seed, gannet_file_name_of(paths->snapshot),
                       mark.is_passed_over ? ".1" : "", paths->name, (long long)*paths->seed);
  gannet_free(&name);
  return err;
}

bool gannet_resume_is_damage(gannet_err err) {
  return err == GANNET_ERR_DAMAGED || err == GANNET_ERR_MISSING;
}

static gannet_err find_before(void *user, int64_t sequence, const char *payload, size_t length) {
  char **description = user;
  (void)sequence;
  return *description ? GANNET_OK : gannet_record_find_problem(payload, length, false, description);
}

/* Describe the problem of the effective configuration beside a journal.
 *
 * fingerprint  in   that the problem must have; NULL = any
 * description  out  for gannet_free; unchanged when there is none such
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

gannet_err gannet_resume_describe_first(const char *journal, const gannet_ledger *ledger,
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

gannet_err gannet_resume_take_first(const char *journal, const char *payload, size_t length,
                                    gannet_ledger *ledger) {
  char *description = NULL;
  gannet_err err = gannet_resume_describe_first(journal, ledger, payload, length, &description);
  if (err == GANNET_OK && description) err = gannet_ledger_begin_as(ledger, description);
  gannet_free(&description);
  if (err == GANNET_OK) err = gannet_ledger_apply(ledger, 1, payload, length);
  return err == GANNET_OK ? gannet_resume_check_campaign(ledger, ledger->seed) : err;
}

gannet_err gannet_resume_read_snapshot(const gannet_resume_paths *paths,
                                       const gannet_journal_report *journal, int which,
                                       gannet_ledger *ledger, gannet_store_report *report) {
  gannet_err err = GANNET_OK;
  for (int leniency = 0; leniency < which; ++leniency) {
    const gannet_snapshot_want want = {.journal = leniency < 2 ? journal : NULL,
                                       .seed = paths->seed,
                                       .name = leniency % 2 == 0 ? paths->name : NULL};
    err = gannet_snapshot_read(paths->snapshot, &want, ledger, report);
    if (err != GANNET_ERR_STATE && err != GANNET_ERR_INPUT) return err;
  }
  return err;
}

gannet_err gannet_resume_begin_snapshot(const gannet_resume_paths *paths, gannet_ledger *ledger) {
  const gannet_snapshot_want want = {.seed = paths->seed, .name = paths->name};
  gannet_snapshot_mark mark;
  char *description = NULL;
  if (gannet_snapshot_look(paths->snapshot, &want, &mark) != GANNET_OK) {
    gannet_error_clear(); /* what is wrong is told by reading it */
    return GANNET_OK;
  }
  if (gannet_problem_has_fingerprint(ledger->problem, mark.fingerprint)) return GANNET_OK;
  gannet_err err = describe_saved(paths->journal, &mark.fingerprint, &description);
  if (err == GANNET_OK && description) err = gannet_ledger_begin_as(ledger, description);
  gannet_free(&description);
  return err;
}

gannet_err gannet_resume_take_next(void *user, int64_t sequence, const char *payload,
                                   size_t length) {
  gannet_resume_taker *t = user;
  if (sequence <= t->ledger->sequence) return GANNET_OK;
  if (sequence > t->ledger->sequence + 1) {
    t->useless += 1;
    return GANNET_OK;
  }
  t->taken += 1;
  return sequence == 1 ? gannet_resume_take_first(t->paths->journal, payload, length, t->ledger)
                       : gannet_ledger_apply(t->ledger, sequence, payload, length);
}
